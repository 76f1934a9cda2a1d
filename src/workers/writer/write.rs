//! The job that lets a model write memories, behind the scenes.

mod again;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use tokio::time::Instant;

use super::check::{Checked, check};
use super::due::{Conclusions, Due, Together, batch, due};
use super::patch::{self, Answered};
use super::shown::{Shown, Viewpoint, gather};
use crate::config::PromptName;
use crate::domain::{
    Audience, ChangePass, ChannelId, ModelCall, Place, Slot, StoredId, StoredTurn, WorkerRun,
};
use crate::history::{Hindrance, HistoryError};
use crate::identity::caller;
use crate::memory::change::{Change, Fate, NoteChange, Proposal, Waiting};
use crate::memory::facts::Evidence;
use crate::text::names::prompt_label;
use crate::workers::allowance::Allowance;
use crate::workers::ask::{self, AskError, Question};
use crate::workers::noting::written;
use crate::workers::supervisor::{Job, JobEnd, WorkerParts};

/// The name of this job's marks.
pub(in crate::workers) const WATERMARK: &str = "memory-writer";

/// Model calls and tokens in an hour, all places together.
const CALLS: usize = 30;
const TOKENS: u32 = 150_000;

/// The longest answer of use, in tokens.
const ANSWER_TOKENS: u32 = 900;

/// Turns that are looked at at once.
const READ: u32 = 400;

/// Batches written in one look; the rest is for the next.
const BATCHES: usize = 20;

/// How long until that next look.
const PAUSE: Duration = Duration::from_secs(5);

/// How long to wait before a try that failed is made again; as many tries as there are waits, then the turns are passed
/// over for now, so that they keep nothing newer waiting, and read again much later.
const BACK_OFF: [Duration; 2] = [Duration::from_secs(30), Duration::from_secs(300)];

/// Channels whose failed tries are counted; beyond that the count starts over.
const TRIES_KEPT: usize = 256;

/// Said to a model whose answer could not be read.
const AGAIN: &str = "Your last answer could not be read. Answer again, with one JSON object a line as you were told, and \
                     with nothing else.";

/// The job.
#[derive(Debug)]
pub(in crate::workers) struct WriteMemories {
    parts: WorkerParts,
    conclusions: Arc<Conclusions>,
    allowance: Allowance,
    tries: Mutex<HashMap<ChannelId, Tries>>,
}

/// Failed tries in a row, and before when there is no other, whatever is said meanwhile.
#[derive(Debug, Clone, Copy)]
struct Tries {
    failed: usize,
    not_before: jiff::Timestamp,
}

/// What came of a batch.
enum Step {
    /// It is done with.
    Done(Option<WorkerRun>),
    /// The hour's calls are spent; there is room again after so long.
    Spent(WorkerRun, Duration),
    /// It may work in a moment.
    Failed(WorkerRun),
    /// The model makes nothing of it.
    Hindered(WorkerRun, Hindrance, Option<Kept>),
}

/// The name of a proposal that keeps an answer nobody could read.
type Kept = String;

/// What an answer came to.
enum Made {
    /// In words.
    Of(String),
    /// Nothing, in words, and why.
    Nothing(String, Hindrance, Option<Kept>),
}

/// One batch on its way.
struct Batch {
    at: jiff::Timestamp,
    started: Instant,
    /// Leave to write down what it comes to.
    leave: ChangePass,
    shown: Shown,
    /// `messages 3–52`.
    what: String,
    calls: Vec<ModelCall>,
}

impl WriteMemories {
    pub(in crate::workers) fn new(parts: WorkerParts, conclusions: Arc<Conclusions>) -> Self {
        Self { parts, conclusions, allowance: Allowance::of(CALLS, TOKENS), tries: Mutex::default() }
    }

    /// What is new, and what was passed over earlier.
    async fn look(&self, place: &Place, end: &mut JobEnd) -> Result<(), HistoryError> {
        if self.parts.models.slot(Slot::MemoryWriter).describe().is_rehearsal() {
            // Once there is a model, it reads what was said until then.
            return Ok(());
        }
        let is_over = self.conclusions.take(place);
        match self.read_new(place, is_over, end).await? {
            Reading::ToTheEnd => self.read_again(place, end).await,
            Reading::Broken => {
                if is_over {
                    self.conclusions.add(place);
                }
                Ok(())
            }
        }
    }

    async fn read_new(
        &self,
        place: &Place,
        is_over: bool,
        end: &mut JobEnd,
    ) -> Result<Reading, HistoryError> {
        let history = &self.parts.history;
        for _ in 0..BATCHES {
            let mark = history.watermark(WATERMARK, place.channel.as_str()).await?;
            let unread = history.unread(&place.channel, mark, READ).await?;
            self.conclusions.note(place, unread.count);
            let config = self.parts.config.current();
            let count = match due(&unread, &config.memory_writer, is_over, self.parts.clock.now()) {
                Due::Never => return Ok(Reading::ToTheEnd),
                Due::In(wait) => {
                    end.again = Some(wait);
                    return Ok(Reading::ToTheEnd);
                }
                Due::Now(count) => count,
            };
            let Some(Together { audience, turns, last }) = batch(&unread.turns[..count]) else {
                return Ok(Reading::ToTheEnd);
            };
            let first = unread.turns.first().map_or(last, |turn| turn.id);
            let now = self.parts.clock.now();
            let Some((turns, leave)) = self.to_learn_from(place, turns) else {
                // Nobody said anything of which something may be kept.
                self.forget_tries(&place.channel);
                history.advance_watermark(WATERMARK, place.channel.as_str(), last, now).await?;
                continue;
            };
            if let Some(wait) = self.has_to_wait(&place.channel) {
                end.again = Some(wait);
                return Ok(Reading::Broken);
            }
            let (run, why, answer) = match self.write(place, audience, turns, leave).await {
                Step::Done(run) => {
                    end.runs.extend(run);
                    self.forget_tries(&place.channel);
                    history.advance_watermark(WATERMARK, place.channel.as_str(), last, now).await?;
                    continue;
                }
                Step::Spent(run, wait) => {
                    end.runs.push(run);
                    end.again = Some(wait);
                    return Ok(Reading::Broken);
                }
                Step::Failed(run) => match self.another_try(place) {
                    Some(wait) => {
                        end.runs.push(run);
                        end.again = Some(wait);
                        return Ok(Reading::Broken);
                    }
                    None => (run, Hindrance::Failed, None),
                },
                Step::Hindered(run, why, answer) => (run, why, answer),
            };
            end.runs.push(run);
            self.forget_tries(&place.channel);
            history.pass_over(self.passed_over(place, (first, last), why, answer), now).await?;
        }
        end.again = Some(PAUSE);
        Ok(Reading::Broken)
    }

    /// What people said of whom something may be kept, and leave to keep it (specs mechanisms M11, M13); `None` where
    /// there is nothing of anybody.
    fn to_learn_from(
        &self,
        place: &Place,
        mut turns: Vec<StoredTurn>,
    ) -> Option<(Vec<StoredTurn>, ChangePass)> {
        let config = self.parts.config.current();
        let mut leave = None;
        turns.retain(|turn| {
            let Some(author) = &turn.author else { return true };
            let pass = caller(&config, place, Some(author)).change(&turn.audience);
            let may_be_read = author.is_bot || pass.is_some();
            leave = leave.take().or(pass);
            may_be_read
        });
        leave.map(|pass| (turns, pass))
    }

    async fn write(
        &self,
        place: &Place,
        audience: Audience,
        turns: Vec<StoredTurn>,
        leave: ChangePass,
    ) -> Step {
        let (at, started) = (self.parts.clock.now(), Instant::now());
        let ordinal = |turn: Option<&StoredTurn>| turn.map_or(0, |turn| turn.ordinal);
        let what = format!("messages {}–{}", ordinal(turns.first()), ordinal(turns.last()));
        let tz = self.parts.config.current().display_tz.clone();
        let from = Viewpoint {
            place: place.clone(),
            own_name: self.parts.character.current().spoken_name().to_owned(),
            today: at.to_zoned(tz.clone()).date(),
            tz,
        };
        let shown = match gather(&self.parts.memory, audience, turns, from).await {
            Ok(shown) => shown,
            Err(error) => {
                let did = format!("{what}: the notes cannot be read: {error}");
                return Step::Failed(self.run_of(at, started, did, Vec::new()));
            }
        };
        if !shown.has_people() {
            return Step::Done(None);
        }
        let mut batch = Batch { at, started, leave, shown, what, calls: Vec::new() };
        let material = batch.shown.material();
        let first = match self.asked(place, &mut batch, material.clone()).await {
            Ok(text) => text,
            Err(Hindered::Spent(wait)) => {
                let did =
                    format!("{} wait {} s: the hour's model calls are spent", batch.what, wait.as_secs());
                return Step::Spent(self.run(batch, did), wait);
            }
            Err(Hindered::Failed(AskError::Transient(why))) => {
                let did = format!("{} could not be read: {why}", batch.what);
                return Step::Failed(self.run(batch, did));
            }
            Err(Hindered::Failed(AskError::Deterministic(why))) => {
                let did = format!("{} passed over for now: {why}", batch.what);
                return Step::Hindered(self.run(batch, did), Hindrance::Refused, None);
            }
        };
        let mut answered = patch::read(&first);
        let mut last = first;
        if answered.is_unreadable()
            && let Ok(second) = self.asked(place, &mut batch, format!("{material}\n{AGAIN}\n")).await
        {
            answered = patch::read(&second);
            if !second.trim().is_empty() {
                last = second;
            }
        }
        match self.made_of(place, &batch, &answered, last).await {
            Made::Of(did) => Step::Done(Some(self.run(batch, did))),
            Made::Nothing(did, why, kept) => Step::Hindered(self.run(batch, did), why, kept),
        }
    }

    /// Writes what may be written of an answer; tells in words what was done.
    async fn made_of(&self, place: &Place, batch: &Batch, answered: &Answered, answer: String) -> Made {
        let what = &batch.what;
        if answered.is_unreadable() {
            if answer.trim().is_empty() {
                let did = format!("{what} passed over for now: the model answered nothing");
                return Made::Nothing(did, Hindrance::Empty, None);
            }
            let kept = self.kept(place, batch, Waiting::Answer(answer)).await;
            let did =
                format!("{what} passed over for now: the answer could not be read; {}", waits_as(&kept));
            return Made::Nothing(did, Hindrance::Unreadable, kept);
        }
        let Checked { changes, mut refused } = check(&answered.patches, &batch.shown);
        let proposed = changes.len();
        let changes = match self.still_said(changes).await {
            Ok(changes) => changes,
            Err(error) => {
                let did = format!("{what} passed over for now: the history cannot be read: {error}");
                return Made::Nothing(did, Hindrance::Unwritten, None);
            }
        };
        let mut is_written = true;
        refused.extend((changes.len()..proposed).map(|_| "what it comes from was taken back meanwhile"));
        let mut told = format!("{what}: ");
        if changes.is_empty() {
            told.push_str("nothing to write");
        } else if self.parts.config.current().memory_writer.dry_run {
            let count = changes.len();
            let kept = self.kept(place, batch, Waiting::Changes(changes)).await;
            is_written = kept.is_some();
            told.push_str(&format!("{count} proposed; {}", waits_as(&kept)));
        } else {
            let store = Arc::clone(&self.parts.memory.store);
            let today = batch.shown.today;
            let leave = batch.leave.clone();
            let fates = tokio::task::spawn_blocking(move || written(&leave, &store, &changes, today)).await;
            let Ok(fates) = fates else {
                return Made::Nothing(format!("{what}: writing was broken off"), Hindrance::Unwritten, None);
            };
            let count = |fate: &Fate| fates.iter().filter(|other| *other == fate).count();
            told.push_str(&format!("{} written", count(&Fate::Written)));
            for (fate, words) in
                [(Fate::Known, "known already"), (Fate::Overtaken, "overtaken by somebody's edit")]
            {
                if count(&fate) > 0 {
                    told.push_str(&format!(", {} {words}", count(&fate)));
                }
            }
            for fate in fates {
                if let Fate::Refused(why) = fate {
                    tracing::warn!(%why, "a memory could not be written");
                    refused.push("its note cannot be changed");
                    is_written = false;
                }
            }
        }
        if !refused.is_empty() {
            let count = refused.len();
            refused.sort_unstable();
            refused.dedup();
            told.push_str(&format!(", {count} refused ({})", refused.join("; ")));
        }
        if answered.broken > 0 {
            told.push_str(&format!(", {} unreadable", answered.broken));
        }
        if is_written { Made::Of(told) } else { Made::Nothing(told, Hindrance::Unwritten, None) }
    }

    /// Those changes whose messages all still stand: while a model thinks, somebody may take words back, or be forgotten.
    async fn still_said(&self, changes: Vec<NoteChange>) -> Result<Vec<NoteChange>, HistoryError> {
        let sources = |change: &NoteChange| -> Vec<StoredId> {
            let data = match &change.what {
                Change::Add { data, .. } | Change::Supersede { data, .. } => data,
                Change::End { .. } => return Vec::new(),
            };
            let turn = |from: &Evidence| match from {
                Evidence::Turn(turn) => Some(*turn),
                Evidence::Other(_) => None,
            };
            data.from.iter().filter_map(turn).collect()
        };
        let all = changes.iter().flat_map(sources).collect();
        let standing = self.parts.history.kept(all).await?;
        let stands =
            |turn: &StoredId| standing.iter().any(|kept| kept.id == turn.0 && kept.deleted_at_ms.is_none());
        Ok(changes.into_iter().filter(|change| sources(change).iter().all(stands)).collect())
    }

    /// Leaves something for the operator, under which name.
    async fn kept(&self, place: &Place, batch: &Batch, waiting: Waiting) -> Option<Kept> {
        let channel = place.channel_name.as_deref().unwrap_or(place.channel.as_str());
        let proposal = Proposal {
            at: batch.at,
            from: prompt_label(channel),
            audience: batch.shown.audience.clone(),
            waiting,
        };
        let store = Arc::clone(&self.parts.memory.store);
        match tokio::task::spawn_blocking(move || proposal.keep(&store)).await {
            Ok(Ok(name)) => Some(name),
            Ok(Err(error)) => {
                tracing::warn!(%error, "proposed memories could not be kept");
                None
            }
            Err(_) => None,
        }
    }

    async fn asked(&self, place: &Place, batch: &mut Batch, material: String) -> Result<String, Hindered> {
        let question = Question {
            slot: Slot::MemoryWriter,
            instructions: self.parts.config.prompt(PromptName::MemoryWriter).to_string(),
            material,
            tokens: ANSWER_TOKENS,
        };
        let sent =
            u32::try_from((question.material.len() + question.instructions.len()) / 3).unwrap_or(u32::MAX);
        self.allowance.take(sent).map_err(Hindered::Spent)?;
        // Another prompt than the conversation's: it must not move that one's cache.
        let session = self.parts.session_key(place.platform, &place.channel).beside("memories");
        let answer = ask::ask(self.parts.models.as_ref(), &question, session).await;
        batch.calls.extend(answer.calls);
        answer.text.map_err(Hindered::Failed)
    }

    /// Counts a failure: after which wait there is another try, if there is.
    fn another_try(&self, place: &Place) -> Option<Duration> {
        let mut tries = self.tries.lock().unwrap_or_else(PoisonError::into_inner);
        if tries.len() >= TRIES_KEPT && !tries.contains_key(&place.channel) {
            tries.clear();
        }
        let failed = tries.get(&place.channel).map_or(0, |tries| tries.failed);
        let wait = *BACK_OFF.get(failed)?;
        let not_before = self.parts.clock.now().checked_add(wait).unwrap_or(jiff::Timestamp::MAX);
        tries.insert(place.channel.clone(), Tries { failed: failed + 1, not_before });
        Some(wait)
    }

    /// How long until the next try, where the last one failed.
    fn has_to_wait(&self, channel: &ChannelId) -> Option<Duration> {
        let tries = *self.tries.lock().unwrap_or_else(PoisonError::into_inner).get(channel)?;
        let left = tries.not_before.duration_since(self.parts.clock.now());
        Duration::try_from(left).ok().filter(|left| !left.is_zero())
    }

    fn forget_tries(&self, channel: &ChannelId) {
        self.tries.lock().unwrap_or_else(PoisonError::into_inner).remove(channel);
    }

    fn run(&self, batch: Batch, did: String) -> WorkerRun {
        self.run_of(batch.at, batch.started, did, batch.calls)
    }

    fn run_of(&self, at: jiff::Timestamp, started: Instant, did: String, calls: Vec<ModelCall>) -> WorkerRun {
        WorkerRun {
            worker: self.name().to_owned(),
            at,
            us: u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX),
            did,
            calls,
        }
    }
}

/// How far what is new was read.
enum Reading {
    /// As far as it was due.
    ToTheEnd,
    /// There is more, for later.
    Broken,
}

fn waits_as(kept: &Option<Kept>) -> String {
    kept.as_ref().map_or_else(|| "it could not be kept".to_owned(), |name| format!("it waits as {name}"))
}

/// Why a model gave no answer.
enum Hindered {
    /// The hour's calls are spent; there is room again after so long.
    Spent(Duration),
    Failed(AskError),
}

#[async_trait]
impl Job for WriteMemories {
    fn name(&self) -> &'static str {
        "memory"
    }

    async fn run(&self, place: &Place) -> JobEnd {
        let mut end = JobEnd::default();
        if let Err(error) = self.look(place, &mut end).await {
            tracing::warn!(%error, channel = %place.channel, "memories could not be written");
        }
        end
    }
}
