//! How it does: what is connected, what is left alone, how long turns take, what they cost, what the doctor says; the same for
//! programs that watch.

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use askama::Template;
use async_trait::async_trait;
use axum::extract::{Extension, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use jiff::SignedDuration;
use jiff::civil::Date;

use super::busy::{Queue, ToolUsed, queues, tools_of};
use super::door::SentForm;
use super::message_view::Heads;
use super::messages;
use super::note_href::edit_href;
use super::operator::{known_names, records};
use super::pages::{LinkedWords, PageHead, Refusal, Visitor, html_page, off_the_way};
use super::setup::steps;
use super::shared::Shared;
use super::spent::{SpentRow, spent_by_person};
use crate::discord::ConnectionRecord;
use crate::doctor::{CheckStatus, DoctorCheck, Remedy};
use crate::domain::{Modality, ModelErrorClass, Outcome, Slot, TurnId, TurnTrace};
use crate::llm::{LastAnswer, ModelFacts, OpenModel, Prices};
use crate::text::short::thousands;
use crate::trace::render::{as_dollars, as_millis};

/// Turns whose times and tools are looked at, the newest that were not left silent.
const TURNS: usize = 200;

/// Days of costs that are drawn.
const DAYS: usize = 30;

/// So long the stores may take until somebody who asks is told that it does not do well.
const ANSWERS_WITHIN: Duration = Duration::from_secs(2);

/// So long after a trial whether what is said can be stored there is no other.
const TRIED_EVERY: SignedDuration = SignedDuration::from_secs(5);

/// What the page's drawing of days is wide and high.
const WIDE: u32 = 1_000;
const HIGH: u32 = 100;

/// Who knows how the program does. The window asks; it judges nothing by itself. A trait because tests put everything on its
/// pages at once that can go wrong, and keep the doctor waiting: no running program can be brought to either.
#[async_trait]
pub trait HealthSource: fmt::Debug + Send + Sync {
    /// How it does now. Reads files: blocks.
    fn look(&self) -> HealthNow;

    /// Whether no model is set, and the rehearsal answers.
    fn rehearses(&self) -> bool;

    /// The models that are asked now.
    fn asked(&self) -> Vec<ModelNow>;

    /// What a model costs where it would be asked; `None` where nobody knows.
    fn prices(&self, model: &str) -> Option<Prices>;

    /// The models that can be asked where the program asks, with what is known of each.
    fn offered(&self) -> Vec<(String, ModelFacts)>;

    /// Everything the doctor looks at. May take six seconds, and asks servers.
    async fn examine(&self) -> Vec<DoctorCheck>;
}

/// How the program does at one moment.
#[derive(Debug, Clone, Default)]
pub struct HealthNow {
    /// `None` where no bot of Discord is set up.
    pub discord: Option<ConnectionRecord>,
    /// The address of the models' server; `None` where it rehearses.
    pub server: Option<String>,
    pub models: Vec<ModelNow>,
    /// What is not asked for a while.
    pub left_alone: Vec<OpenModel>,
    pub last_answer: Option<LastAnswer>,
    /// What days cost in US dollars, by UTC, oldest first; today is the last.
    pub days: Vec<(Date, f64)>,
    /// What of that was for jobs that nobody waits for.
    pub behind: Vec<(Date, f64)>,
    /// What today cost, by job.
    pub today: Vec<JobCosts>,
    /// What a day may cost at most, in US dollars.
    pub cap_usd: Option<f64>,
    /// Bytes of memory that the program takes, where the system tells.
    pub rss_bytes: Option<u64>,
    /// Whether what is said can be kept.
    pub storage: Vec<DoctorCheck>,
    pub troubles: Vec<DoctorCheck>,
    /// How the servers are that give it tools.
    pub mcp: Vec<DoctorCheck>,
    /// The newest lines of the log, oldest first; the beginning of each, without secrets.
    pub log: Vec<String>,
}

#[derive(Debug, Clone)]
pub struct ModelNow {
    pub job: Slot,
    /// As its server calls it.
    pub model: String,
    /// Its window, in tokens.
    pub window: u32,
    /// Where its server says, or it is known.
    pub prices: Option<Prices>,
}

/// What a job used today. Hearing, speaking and pictures have no tokens.
#[derive(Debug, Clone)]
pub struct JobCosts {
    pub job: Job,
    pub calls: u64,
    pub tokens_in: u64,
    /// Of these, from a provider's cache.
    pub cached: u64,
    pub tokens_out: u64,
    pub usd: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Job {
    Model(Slot),
    Hearing,
    Speaking,
    Pictures,
}

#[derive(Debug, Template)]
#[template(path = "health.html")]
struct HealthPage {
    page: PageHead,
    verdict: String,
    connections: Vec<CheckView>,
    models: Vec<ModelRow>,
    times: Vec<TimesRow>,
    turns: String,
    today_cost: String,
    cap: Option<String>,
    has_costs: bool,
    costs_told: String,
    days: Vec<DayBar>,
    cap_y: Option<u32>,
    first_day: String,
    most_cost: String,
    jobs: Vec<JobRow>,
    spent: Vec<SpentRow>,
    today: Vec<CheckView>,
    mcp: Vec<CheckView>,
    tools: Vec<ToolUsed>,
    queues: [Queue; 3],
    log: Vec<String>,
    is_examined: bool,
    examined_at: Option<String>,
    checks: Vec<CheckView>,
}

#[derive(Debug)]
pub(super) struct CheckView {
    pub status: &'static str,
    pub tone: &'static str,
    pub name: String,
    pub message: Vec<LinkedWords>,
    pub advice: Option<String>,
    /// Where that is done.
    pub remedy: Option<LinkedWords>,
}

#[derive(Debug)]
struct ModelRow {
    job: &'static str,
    model: String,
    window: String,
    /// For a million tokens in, from the provider's cache, and out.
    prices: Option<[String; 3]>,
}

#[derive(Debug)]
struct TimesRow {
    name: &'static str,
    how: &'static str,
    half: String,
    most: String,
}

#[derive(Debug)]
struct DayBar {
    x: u32,
    y: u32,
    width: u32,
    height: u32,
    is_today: bool,
}

#[derive(Debug)]
struct JobRow {
    name: &'static str,
    calls: String,
    tokens_in: String,
    cached: String,
    tokens_out: String,
    cost: String,
}

/// How long turns took until something was there.
#[derive(Debug)]
pub(super) struct StageTimes {
    /// The record's word for it; `turn` for all of it.
    pub stage: &'static str,
    pub modality: Modality,
    /// Half of the turns took no longer, in microseconds.
    pub half_us: u64,
    /// 95 of 100 took no longer, in microseconds.
    pub most_us: u64,
    pub turns: usize,
}

/// The moments of a turn that are told, in their order.
const MOMENTS: [&str; 5] = ["assemble", "first_token", "first_piece", "model", TURN];

/// The whole of it.
const TURN: &str = "turn";

pub(super) fn times_of(traces: &[Arc<TurnTrace>]) -> Vec<StageTimes> {
    // A greeting asks no model, and takes no time.
    let is_answer =
        |trace: &&Arc<TurnTrace>| matches!(trace.outcome, Outcome::Replied { .. }) && !trace.calls.is_empty();
    let replied = traces.iter().filter(is_answer);
    let mut found: BTreeMap<(bool, usize), Vec<u64>> = BTreeMap::new();
    for trace in replied {
        let is_spoken = trace.modality == Modality::Voice;
        for (number, moment) in MOMENTS.into_iter().enumerate() {
            let told = trace.stages.iter().rev().find(|stage| stage.stage == moment).map(|stage| stage.us);
            let us = if moment == TURN { Some(trace.total_us) } else { told };
            found.entry((is_spoken, number)).or_default().extend(us);
        }
    }
    let times = found.into_iter().filter(|(_, times)| !times.is_empty());
    times
        .map(|((is_spoken, number), mut times)| {
            times.sort_unstable();
            StageTimes {
                stage: MOMENTS[number],
                modality: if is_spoken { Modality::Voice } else { Modality::Text },
                half_us: percentile(&times, 50),
                most_us: percentile(&times, 95),
                turns: times.len(),
            }
        })
        .collect()
}

/// By the nearest rank; of none it is 0.
fn percentile(sorted: &[u64], percent: usize) -> u64 {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or_default()
}

/// What is known without asking anybody.
pub(super) async fn look(shared: &Shared) -> Result<HealthNow, Refusal> {
    let source = Arc::clone(&shared.parts.health);
    let looked = move || Ok::<_, Infallible>(source.look());
    off_the_way("how the program does could not be looked at", looked).await
}

pub(super) async fn recent(shared: &Shared) -> Result<Vec<Arc<TurnTrace>>, Refusal> {
    Ok(records(&shared.parts.traces).spoken(TURNS).await?)
}

pub(super) async fn health_page(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
) -> Result<Response, Refusal> {
    // What the page says of it is as new as what programs are told.
    is_kept(&shared).await;
    let (now, traces) = (look(&shared).await?, recent(&shared).await?);
    let heads = &shared.heads;
    let connections = connections(&now, heads);
    let last = shared.examined.last.lock().clone();
    let (examined_at, checks) = last.unzip();
    let checks = checks.unwrap_or_default();
    let all = connections.iter().chain(&now.troubles).chain(&now.mcp).chain(&checks);
    let count = |status| all.clone().filter(|check| check.status == status).count();
    let verdict = messages::health_verdict(count(CheckStatus::Fail), count(CheckStatus::Warn));
    let times = times_of(&traces);
    let costs = Costs::of(&now);
    let names = known_names(&shared.parts.history).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "who cost something could not be read for the window");
        HashMap::new()
    });
    let spent = spent_by_person(&shared, &now.behind, &names).await?;
    let views = |checks: &[DoctorCheck]| checks.iter().map(CheckView::with_remedy).collect();
    Ok(html_page(&HealthPage {
        page: shared.door.head("Health", "/health", &visitor),
        verdict,
        connections: views(&connections),
        models: now.models.iter().map(ModelRow::of).collect(),
        turns: messages::turns_timed(
            times.iter().filter(|time| time.stage == TURN).map(|time| time.turns).sum(),
        ),
        times: times.iter().map(TimesRow::of).collect(),
        today_cost: as_dollars(costs.today),
        cap: now.cap_usd.map(as_dollars),
        has_costs: costs.most > 0.0,
        costs_told: messages::costs_told(costs.days.len(), &as_dollars(costs.sum), &as_dollars(costs.most)),
        cap_y: now.cap_usd.filter(|cap| *cap <= costs.most).map(|cap| HIGH - costs.height(cap)),
        first_day: costs.days.first().map(|(day, _)| messages::day_in_full(*day)).unwrap_or_default(),
        most_cost: as_dollars(costs.most),
        days: costs.bars(),
        jobs: now.today.iter().map(JobRow::of).collect(),
        spent,
        today: views(&now.troubles),
        mcp: views(&now.mcp),
        tools: tools_of(&traces),
        queues: queues(&shared),
        log: now.log.iter().rev().cloned().collect(),
        is_examined: examined_at.is_some(),
        examined_at: examined_at.map(|at| heads.clock_time(at)),
        checks: views(&checks),
    }))
}

/// Has the doctor look. Where it is looking already, that is what comes of it.
pub(super) async fn examine(State(shared): State<Arc<Shared>>, _: SentForm) -> Result<Response, Refusal> {
    if let Ok(_looking) = shared.examined.looking.try_lock() {
        let checks = shared.parts.health.examine().await;
        *shared.examined.last.lock() = Some((shared.parts.clock.now(), checks));
    }
    Ok(Redirect::to("/health#doctor").into_response())
}

/// For whoever keeps the program running: whether it can be worked with, and nothing else.
pub(super) async fn healthz(State(shared): State<Arc<Shared>>) -> Response {
    let read = tokio::time::timeout(ANSWERS_WITHIN, records(&shared.parts.traces).list(1)).await;
    let is_kept = is_kept(&shared).await;
    let is_well = !shared.door.stop.is_cancelled() && matches!(read, Ok(Ok(_))) && is_kept;
    let (status, words) =
        if is_well { (StatusCode::OK, "ok\n") } else { (StatusCode::SERVICE_UNAVAILABLE, "not ok\n") };
    (status, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], words).into_response()
}

/// Whether what is said is stored. Where the last was not, that is tried: a disk may have room again before somebody speaks.
async fn is_kept(shared: &Shared) -> bool {
    let history = &shared.parts.history;
    if history.unstored().is_last && is_to_be_tried(shared) {
        // A disk that takes its time does not do well either.
        let _late = tokio::time::timeout(ANSWERS_WITHIN, history.tries_storing()).await;
    }
    !history.unstored().is_last
}

/// Whether it is long enough ago that it was tried; counts from now on if so.
fn is_to_be_tried(shared: &Shared) -> bool {
    let now = shared.parts.clock.now();
    let mut last = shared.tried_storing.lock();
    let is_time = last.is_none_or(|last| now.duration_since(last).abs() >= TRIED_EVERY);
    if is_time {
        *last = Some(now);
    }
    is_time
}

fn connections(now: &HealthNow, heads: &Heads) -> Vec<DoctorCheck> {
    let check =
        |name, status, message: String| DoctorCheck { name, status, message, advice: None, remedy: None };
    let discord = match &now.discord {
        None => DoctorCheck {
            remedy: Some(Remedy::Discord),
            ..check("discord", CheckStatus::Skipped, messages::NO_BOT.to_owned())
        },
        Some(ConnectionRecord { trouble: None, .. }) => {
            check("discord", CheckStatus::Ok, messages::CONNECTED.to_owned())
        }
        Some(ConnectionRecord { trouble: Some(why), .. }) => DoctorCheck {
            advice: Some(messages::LOOK_NOW.to_owned()),
            ..check("discord", CheckStatus::Fail, messages::not_connected(why))
        },
    };
    let models = match &now.server {
        None => DoctorCheck {
            remedy: Some(Remedy::Model),
            ..check("models", CheckStatus::Warn, messages::REHEARSES.to_owned())
        },
        Some(server) => check("models", CheckStatus::Ok, messages::asks_server(server)),
    };
    let alone = now.left_alone.iter().map(|(model, circuit)| {
        let until = heads.clock_time(circuit.until);
        let words = messages::left_alone(model.as_deref(), &until, &circuit.why.message);
        let alone = check("left_alone", CheckStatus::Warn, words);
        match circuit.why.class {
            // No other model of a server that is out of reach answers either.
            ModelErrorClass::Network => {
                DoctorCheck { advice: Some(messages::CHECK_NETWORK.to_owned()), ..alone }
            }
            _ => DoctorCheck { remedy: Some(Remedy::Models), ..alone },
        }
    });
    let answer = now.last_answer.iter().map(|answer| {
        let words = messages::last_answer(&heads.clock_time(answer.at), &answer.model, answer.total_ms);
        check("last_answer", CheckStatus::Ok, words)
    });
    let rss = now.rss_bytes.map(|bytes| {
        let words = messages::takes_memory(&thousands(bytes / 1_000_000));
        check("working_memory", CheckStatus::Ok, words)
    });
    let storage = now.storage.iter().cloned();
    [discord, models].into_iter().chain(alone).chain(storage).chain(answer).chain(rss).collect()
}

impl CheckView {
    pub(super) fn of(check: &DoctorCheck) -> Self {
        let (status, tone) = match check.status {
            CheckStatus::Ok => ("ok", "good"),
            CheckStatus::Skipped => ("skipped", "soft"),
            CheckStatus::Warn => ("warn", "warn"),
            CheckStatus::Fail => ("fail", "bad"),
        };
        Self {
            status,
            tone,
            name: check.name.replace('_', " "),
            message: vec![LinkedWords { words: check.message.clone(), href: None }],
            advice: check.advice.clone(),
            remedy: None,
        }
    }

    /// With where the window does what the advice says, in its place: that is for whoever sits at a shell. Turns are links.
    fn with_remedy(check: &DoctorCheck) -> Self {
        let remedy = check.remedy.as_ref().map(|remedy| {
            let (href, words) = match remedy {
                Remedy::Turn(turn) => (format!("/xray/{turn}"), messages::look_at_turn(*turn)),
                Remedy::Model => (steps::MODEL.to_owned(), messages::GIVE_A_MODEL.to_owned()),
                Remedy::Models => ("/settings/models".to_owned(), messages::CHOOSE_A_MODEL.to_owned()),
                Remedy::Discord => (steps::DISCORD.to_owned(), messages::SET_UP_DISCORD.to_owned()),
                Remedy::Settings => ("/settings/edit".to_owned(), messages::MEND_SETTINGS.to_owned()),
                Remedy::Note(note) => (edit_href(note), messages::MEND_NOTE.to_owned()),
            };
            LinkedWords { words, href: Some(href) }
        });
        let plain = Self::of(check);
        let advice = plain.advice.filter(|_| remedy.is_none());
        Self { message: turns_linked(&check.message), advice, remedy, ..plain }
    }
}

/// Words in which every turn leads to what it did.
fn turns_linked(words: &str) -> Vec<LinkedWords> {
    let mut pieces = vec![LinkedWords { words: String::new(), href: None }];
    for word in words.split_inclusive(|letter: char| !letter.is_alphanumeric()) {
        let name = word.trim_end_matches(|letter: char| !letter.is_alphanumeric());
        let is_turn = name.starts_with('t') && name.parse::<TurnId>().is_ok();
        let behind = if is_turn {
            pieces.push(LinkedWords { words: name.to_owned(), href: Some(format!("/xray/{name}")) });
            pieces.push(LinkedWords { words: String::new(), href: None });
            &word[name.len()..]
        } else {
            word
        };
        pieces.last_mut().into_iter().for_each(|last| last.words.push_str(behind));
    }
    pieces.retain(|piece| !piece.words.is_empty());
    pieces
}

/// For a million tokens in, from the provider's cache, and out. Tenths of a cent count: many are that cheap.
pub(super) fn a_million(prices: Prices) -> [String; 3] {
    [prices.prompt, prices.cache_read, prices.completion].map(|dollars| {
        let told = format!("${:.3}", dollars * 1e6);
        told.strip_suffix('0').unwrap_or(&told).to_owned()
    })
}

impl ModelRow {
    fn of(now: &ModelNow) -> Self {
        Self {
            job: messages::job_name(now.job),
            model: now.model.clone(),
            window: thousands(now.window.into()),
            prices: now.prices.map(a_million),
        }
    }
}

impl TimesRow {
    fn of(times: &StageTimes) -> Self {
        Self {
            name: messages::moment_name(times.stage),
            how: messages::modality_name(times.modality),
            half: as_millis(times.half_us),
            most: as_millis(times.most_us),
        }
    }
}

impl JobRow {
    fn of(costs: &JobCosts) -> Self {
        let tokens =
            |count: u64| if matches!(costs.job, Job::Model(_)) { thousands(count) } else { "–".to_owned() };
        Self {
            name: messages::job_of_costs(costs.job),
            calls: if costs.calls == 0 { "–".to_owned() } else { thousands(costs.calls) },
            tokens_in: tokens(costs.tokens_in),
            cached: tokens(costs.cached),
            tokens_out: tokens(costs.tokens_out),
            cost: as_dollars(costs.usd),
        }
    }
}

/// The last days' costs, without a gap.
struct Costs {
    days: Vec<(Date, f64)>,
    today: f64,
    sum: f64,
    most: f64,
}

impl Costs {
    fn of(now: &HealthNow) -> Self {
        let known: BTreeMap<Date, f64> = now.days.iter().copied().collect();
        let mut days = Vec::with_capacity(DAYS);
        let mut day = now.days.last().map(|(day, _)| *day);
        while let Some(of) = day.filter(|_| days.len() < DAYS) {
            days.push((of, known.get(&of).copied().unwrap_or_default()));
            day = of.yesterday().ok();
        }
        days.reverse();
        Self {
            today: days.last().map(|(_, usd)| *usd).unwrap_or_default(),
            sum: days.iter().map(|(_, usd)| usd).sum(),
            most: days.iter().map(|(_, usd)| *usd).fold(0.0, f64::max),
            days,
        }
    }

    /// How high something stands in the drawing.
    fn height(&self, usd: f64) -> u32 {
        if self.most > 0.0 { (usd / self.most * f64::from(HIGH)).round() as u32 } else { 0 }.min(HIGH)
    }

    fn bars(&self) -> Vec<DayBar> {
        let step = WIDE / DAYS as u32;
        let bar = |(number, (_, usd)): (usize, &(Date, f64))| {
            // What cost anything is seen.
            let height = self.height(*usd).max(u32::from(*usd > 0.0));
            DayBar {
                x: number as u32 * step,
                y: HIGH - height,
                width: step - 4,
                height,
                is_today: number + 1 == self.days.len(),
            }
        };
        self.days.iter().enumerate().map(bar).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::store::NotePath;

    #[test]
    fn a_percentile_is_one_of_the_times() {
        let times: Vec<u64> = (1..=200).collect();
        assert_eq!((percentile(&times, 50), percentile(&times, 95)), (100, 190));
        assert_eq!((percentile(&[7], 50), percentile(&[7], 95), percentile(&[], 95)), (7, 7, 0));
    }

    #[test]
    fn turns_in_words_are_links_and_nothing_else_is() {
        let told = "late (twice, last at 20:00: t41, t7), at t, t12x and to t999.";
        let linked: Vec<String> = turns_linked(told)
            .into_iter()
            .filter(|piece| piece.href.is_some())
            .map(|piece| piece.words)
            .collect();
        assert_eq!(linked, ["t41", "t7", "t999"]);
        let whole: String = turns_linked(told).into_iter().map(|piece| piece.words).collect();
        assert_eq!(whole, told);
    }

    #[test]
    fn a_note_that_has_to_be_mended_is_led_to() {
        let note = NotePath::new("topics/sea.md").unwrap();
        let (message, advice) = ("not closed".to_owned(), Some("mend it".to_owned()));
        let check = DoctorCheck {
            name: "notes",
            status: CheckStatus::Warn,
            message,
            advice,
            remedy: Some(Remedy::Note(note)),
        };
        let view = CheckView::with_remedy(&check);
        assert_eq!(view.remedy.unwrap().href.as_deref(), Some("/memory/edit?path=topics%2Fsea.md"));
        assert_eq!(view.advice, None);
    }

    #[test]
    fn days_without_costs_are_drawn_as_such_and_the_last_is_today() {
        let day = |text: &str| text.parse::<Date>().unwrap();
        let now = HealthNow {
            days: vec![(day("2026-02-20"), 0.5), (day("2026-03-01"), 2.0)],
            ..HealthNow::default()
        };
        let costs = Costs::of(&now);
        assert_eq!((costs.days.len(), costs.today, costs.sum, costs.most), (DAYS, 2.0, 2.5, 2.0));
        let bars = costs.bars();
        assert!(bars[DAYS - 1].is_today && bars[DAYS - 1].height == HIGH);
        assert_eq!((bars[DAYS - 10].height, bars[DAYS - 2].height), (25, 0));
        assert!(bars.iter().all(|bar| bar.x + bar.width <= WIDE));
        assert!(Costs::of(&HealthNow::default()).bars().is_empty());
    }
}
