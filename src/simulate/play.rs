//! Playing a scene through the session that the bot itself uses, in a folder of its own and in a time of its own.
//!
//! Start reading at [`play`].

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use jiff::Timestamp;
use jiff::civil::{DateTime, date};
use jiff::tz::TimeZone;
use serde::Serialize;
use tempfile::TempDir;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use toml::Spanned;

use super::call::SceneCall;
use super::cast::{CallAnswered, Cast, CastMember};
use super::clock::{OutsideWaits, SceneClock};
use super::expect::{self, SceneVerdict, StepOutcome};
use super::model::{Lines, ModelAsked, SceneModels};
use super::outbox::{SceneOutbox, ShownInScene, ShownWhat};
use super::scene::{DM, FAMILIAR, PersonRole, Scene, SceneStep, SceneTime};
use crate::app::{App, Duty, StandIns, StartOptions, WithoutHistory};
use crate::clock::SharedClock;
use crate::config::{FamiliarHome, Secrets, Subscription};
use crate::domain::{
    Attachment, ChannelId, Coming, FamiliarId, InboundEvent, InboundMessage, MessageId, Movement, Outcome,
    Place, Platform, Reaction, Stands, TurnId, TurnTrace,
};
use crate::llm::{ModelSource, USUAL_PORTS};
use crate::sqlite::{hold_time, stand_still_here};
use crate::world::{Arrival, Reacted, Sighting};

/// So much time lies between two steps where the scene does not say.
const BETWEEN: Duration = Duration::from_secs(5);

/// Whatever a step sets in motion comes to rest within so long, by the time of the scene.
const RESTS_WITHIN: Duration = Duration::from_secs(1_800);

/// The records of turns that are looked at behind each step.
const RECORDS: usize = 200;

#[derive(Debug, Clone, Default)]
pub struct PlayOptions {
    /// Where the defaults of all familiars are laid over, as the program has it.
    pub defaults_dir: Option<std::path::PathBuf>,
    /// With the operator's own models, by these keys; otherwise the scene says what the model says.
    pub own_models: Option<Secrets>,
}

#[derive(Debug)]
pub struct Played {
    pub title: String,
    pub known_miss: Option<String>,
    /// What happened, a line each.
    pub events: Vec<SceneEvent>,
    /// What was expected, and whether it came true.
    pub verdicts: Vec<SceneVerdict>,
    /// What the models were asked.
    pub(super) asked: Vec<ModelAsked>,
    pub answers: usize,
}

impl Played {
    pub fn missed(&self) -> impl Iterator<Item = &SceneVerdict> {
        self.verdicts.iter().filter(|verdict| verdict.but.is_some())
    }
}

/// One thing that happened. Its JSON is an interface: names stay.
#[derive(Debug, Clone, Serialize)]
pub struct SceneEvent {
    pub at: Timestamp,
    /// By the clock of the settings' time zone.
    #[serde(skip)]
    pub time: String,
    /// What people call the place.
    pub place: String,
    pub what: String,
}

/// Plays a scene. `moves_in` makes the familiar that plays in a data folder; nothing else is touched. Blocks until the
/// scene is over, which takes no more time than what is done.
///
/// # Errors
/// When the familiar cannot be brought up; what does not come true is no error.
pub fn play(
    scene: &Scene,
    options: &PlayOptions,
    moves_in: impl FnOnce(&Path) -> anyhow::Result<FamiliarId>,
) -> anyhow::Result<Played> {
    let folder = TempDir::new().context("making a folder for the scene")?;
    let familiar = moves_in(folder.path())?;
    let cast = Arc::new(Cast::of(scene));
    let home = FamiliarHome::new(folder.path(), &familiar);
    let zone = write_settings(scene, &cast, &home, options.own_models.is_some())?;
    if let Some(schedule) = &scene.schedule {
        let path = home.schedule_md();
        std::fs::write(&path, schedule).with_context(|| format!("writing {}", path.display()))?;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build()?;
    // A thread of its own, so that whoever plays several is not held up where time stands still for one.
    let played = std::thread::scope(|threads| {
        let stage = threads.spawn(|| {
            stand_still_here();
            runtime.block_on(play_in(scene, options, cast, folder.path(), (familiar, zone)))
        });
        stage.join().map_err(|_| anyhow!("the scene broke off"))?
    });
    runtime.shutdown_timeout(Duration::from_secs(1));
    played
}

/// The familiar's own settings with the scene's over them; by which clock it tells the time then.
fn write_settings(
    scene: &Scene,
    cast: &Cast,
    home: &FamiliarHome,
    own_models: bool,
) -> anyhow::Result<TimeZone> {
    let path = home.character_toml();
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    let mut all: toml::Table =
        toml::from_str(&written).with_context(|| format!("reading {}", path.display()))?;
    lay_over(&mut all, scene.settings.clone());
    if !own_models && let Some(toml::Value::Table(llm)) = all.get_mut("llm") {
        llm.remove("base_url");
    }
    let operators = cast.people.values().filter(|person| person.role == PersonRole::Operator);
    let operators: Vec<toml::Value> = operators.map(|one| toml::Value::String(one.id.to_string())).collect();
    if !operators.is_empty() {
        let discord = all.entry("discord").or_insert_with(|| toml::Table::new().into());
        if let toml::Value::Table(discord) = discord {
            discord.entry("operators").or_insert(toml::Value::Array(operators));
        }
    }
    std::fs::write(&path, toml::to_string(&all)?).with_context(|| format!("writing {}", path.display()))?;
    match all.get("display_tz").and_then(toml::Value::as_str) {
        Some(name) => TimeZone::get(name).with_context(|| format!("settings.display_tz: {name:?}")),
        None => Ok(TimeZone::UTC),
    }
}

fn lay_over(under: &mut toml::Table, over: toml::Table) {
    for (key, value) in over {
        match (under.get_mut(&key), value) {
            (Some(toml::Value::Table(under)), toml::Value::Table(over)) => lay_over(under, over),
            (_, value) => drop(under.insert(key, value)),
        }
    }
}

/// The moment at which scenes begin that do not say: a Monday evening.
const BEGINS: DateTime = date(2026, 3, 2).at(20, 0, 0, 0);

async fn play_in(
    scene: &Scene,
    options: &PlayOptions,
    cast: Arc<Cast>,
    data_dir: &Path,
    (familiar, zone): (FamiliarId, TimeZone),
) -> anyhow::Result<Played> {
    let begins = scene.begins.as_ref().map_or(BEGINS, |begins| begins.get_ref().0);
    let clock: SharedClock = Arc::new(SceneClock::beginning_at(begins.to_zoned(zone.clone())?.timestamp()));
    let lines = Lines::new(scene.otherwise.clone());
    let outside = Arc::<OutsideWaits>::default();
    let stand_ins = StandIns {
        clock: Arc::clone(&clock),
        local_ports: if options.own_models.is_some() { USUAL_PORTS } else { &[] },
        models: {
            let (lines, outside) = (Arc::clone(&lines), Arc::clone(&outside));
            let asks_own = options.own_models.is_some();
            Box::new(move |own| {
                let own = asks_own.then_some(own);
                Arc::new(SceneModels { lines, own, outside }) as Arc<dyn ModelSource>
            })
        },
    };
    let start = StartOptions {
        data_dir: data_dir.to_owned(),
        familiar,
        defaults_dir: options.defaults_dir.clone(),
        duty: Duty::Serve,
        without_history: WithoutHistory::default(),
    };
    let secrets = options.own_models.clone().unwrap_or_default();
    let held = hold_time();
    // Model servers are looked for.
    let waits = options.own_models.is_some().then(|| outside.begin());
    let app = App::start(start, &secrets, Some(stand_ins)).await?;
    for spot in cast.spots.values() {
        if let Some(kind) = spot.subscribed {
            app.config.subscribe(Subscription::new(
                spot.place.channel.clone(),
                kind,
                spot.place.guild.clone(),
            ))?;
        }
    }
    let outbox = Arc::new(SceneOutbox::new(clock.clone(), Arc::clone(&cast)));
    app.pairing.asks(Arc::<Cast>::clone(&cast));
    app.session.connect(Platform::Discord, Arc::<SceneOutbox>::clone(&outbox));
    let alone = cast.people.values().map(|person| cast.dm_with(person).channel);
    for channel in cast.spots.values().map(|spot| spot.place.channel.clone()).chain(alone) {
        app.session.was_read_back(&channel);
    }
    let first = cast.first.clone();
    let mut stage = Stage {
        app: &app,
        clock,
        zone,
        cast,
        lines,
        outbox,
        messages: BTreeMap::new(),
        newest: BTreeMap::new(),
        here: first,
        whom: None,
        used: BTreeMap::new(),
        calls: BTreeMap::new(),
        events: Vec::new(),
        verdicts: Vec::new(),
        seen_shown: 0,
        seen_asked: 0,
        seen_turn: TurnId(0),
    };
    drop((waits, held));
    let steps = stage.plays(&scene.steps).await;
    let Stage { events, verdicts, lines, outbox, calls, .. } = stage;
    drop(calls);
    let said = outbox.shown().into_iter().filter(|shown| matches!(shown.what, ShownWhat::Said { .. }));
    let answers = said.filter(|shown| shown.whom.is_some()).count();
    let _held = hold_time();
    app.stop(std::future::ready(()), || {}).await;
    steps?;
    Ok(Played {
        title: scene.title.clone(),
        known_miss: scene.known_miss.clone(),
        events,
        verdicts,
        asked: lines.asked(),
        answers,
    })
}

/// A message that a scene can come back to.
#[derive(Debug, Clone)]
struct Said {
    message: MessageId,
    place: Place,
    /// `None`: the familiar.
    by: Option<String>,
}

/// A scene that is being played.
struct Stage<'a> {
    app: &'a App,
    clock: SharedClock,
    zone: TimeZone,
    cast: Arc<Cast>,
    lines: Arc<Lines>,
    outbox: Arc<SceneOutbox>,
    messages: BTreeMap<String, Said>,
    /// The newest message of everybody, by place and name.
    newest: BTreeMap<(ChannelId, String), Said>,
    /// Where the step before was.
    here: String,
    whom: Option<String>,
    /// The places in which something happened.
    used: BTreeMap<ChannelId, Place>,
    calls: BTreeMap<ChannelId, SceneCall>,
    events: Vec<SceneEvent>,
    verdicts: Vec<SceneVerdict>,
    seen_shown: usize,
    seen_asked: usize,
    seen_turn: TurnId,
}

impl Stage<'_> {
    async fn plays(&mut self, steps: &[Spanned<SceneStep>]) -> anyhow::Result<()> {
        let mut began = Instant::now();
        let mut before: Option<(&SceneStep, bool)> = None;
        for step in steps.iter().map(Spanned::get_ref) {
            let waits_for = match (&step.after, &step.at) {
                (Some(after), _) => Some(began + after.get_ref().0),
                (None, Some(at)) => Some(Instant::now() + self.until(*at.get_ref())?),
                (None, None) => None,
            };
            let questions = Arc::clone(&self.outbox.actions);
            match (waits_for, step.presses) {
                (Some(then), _) => self.rests_or(sleep_until(then)).await,
                // What is asked is not over before somebody presses.
                (None, Some(_)) => self.rests_or(questions.asked()).await,
                (None, None) => self.rests_or(std::future::pending()).await,
            }
            if let Some((last, was_heard)) = before.take() {
                self.judges(last, was_heard).await?;
                if waits_for.is_none() {
                    sleep(BETWEEN).await;
                }
            }
            let only_waits = step.says.is_none() && step.deeds().is_empty() && !step.resets && !step.greets;
            if only_waits {
                // What is said while it is waited is this step's.
                self.lines.add(&step.answers);
            }
            if let Some(then) = waits_for {
                sleep_until(then).await;
            }
            began = Instant::now();
            if !only_waits {
                self.lines.add(&step.answers);
            }
            let was_heard = self.happens(step).await?;
            if only_waits {
                self.judges(step, was_heard).await?;
            } else {
                before = Some((step, was_heard));
            }
        }
        self.rests_or(std::future::pending()).await;
        if let Some((last, was_heard)) = before {
            self.judges(last, was_heard).await?;
        }
        Ok(())
    }

    /// Waits until nothing is left to do, no longer than for something else.
    async fn rests_or(&mut self, what: impl Future<Output = ()>) {
        tokio::select! {
            biased;
            () = self.rests() => {}
            () = what => return,
        }
        // Answers are to what the step did.
        self.lines.clear();
    }

    /// How long it is until then.
    fn until(&self, at: SceneTime) -> anyhow::Result<Duration> {
        let now = self.clock.now().to_zoned(self.zone.clone());
        let then = match at {
            SceneTime::Moment(moment) => moment.to_zoned(self.zone.clone())?,
            SceneTime::Time(time) => {
                let today = now.date().to_datetime(time).to_zoned(self.zone.clone())?;
                if today > now {
                    today
                } else {
                    now.date().tomorrow()?.to_datetime(time).to_zoned(self.zone.clone())?
                }
            }
        };
        let wait = then.timestamp().duration_since(now.timestamp());
        Duration::try_from(wait).map_err(|_| anyhow!("{then} has passed in the scene; it is {now}"))
    }

    /// Waits until nothing is left to do.
    async fn rests(&mut self) {
        let all = async {
            for place in self.used.values() {
                // Where nothing can be said any more there is nothing to wait for.
                let _closed = self.app.session.settle(place).await;
            }
            self.app.workers.idle().await;
        };
        if timeout(RESTS_WITHIN, all).await.is_err() {
            self.verdicts.push(SceneVerdict {
                at: None,
                expected: "it comes to rest".to_owned(),
                but: Some(format!("it was still at work after {} minutes", RESTS_WITHIN.as_secs() / 60)),
            });
        }
    }

    async fn judges(&mut self, step: &SceneStep, was_heard: bool) -> anyhow::Result<()> {
        let shown = self.outbox.shown().split_off(self.seen_shown);
        self.seen_shown += shown.len();
        let asked = self.lines.asked().split_off(self.seen_asked);
        self.seen_asked += asked.len();
        let mut turns = self.app.traces.whole().list(RECORDS).await?;
        turns.retain(|turn| turn.id > self.seen_turn);
        turns.sort_by_key(|turn| turn.id);
        self.seen_turn = turns.last().map_or(self.seen_turn, |turn| turn.id);
        self.notes_down(&shown, &turns);
        let Some(expected) = &step.expect else { return Ok(()) };
        let name = expected.get_ref().place.as_ref().map_or(self.here.as_str(), |place| place.get_ref());
        let who = self.whom.as_ref().and_then(|who| self.cast.people.get(who));
        let place = self.cast.place(name, who);
        let seen = StepOutcome {
            was_heard,
            place: place.as_ref(),
            shown: &shown,
            asked: &asked,
            turns: &turns,
            cast: &self.cast,
            app: self.app,
        };
        let at = expected.span().start;
        self.verdicts.extend(expect::judge(expected.get_ref(), at, &seen).await?);
        Ok(())
    }

    /// Remembers what was said, and tells of it.
    fn notes_down(&mut self, shown: &[ShownInScene], turns: &[Arc<TurnTrace>]) {
        let mut lines: Vec<(Timestamp, ChannelId, String)> = Vec::new();
        let own = self.app.character.current().spoken_name().to_owned();
        for one in shown {
            let what = match &one.what {
                ShownWhat::Said { message, text } => {
                    if let Some(place) = self.used.get(&one.channel) {
                        let said = Said { message: message.clone(), place: place.clone(), by: None };
                        self.newest.insert((one.channel.clone(), FAMILIAR.to_owned()), said);
                    }
                    format!("{own}: {text}")
                }
                ShownWhat::Notice(name) => format!("(notice: {name})"),
                ShownWhat::Did(did) => format!("({own} {did})"),
                ShownWhat::Asked(what) => format!("({own} asks whether it may: {what})"),
            };
            lines.push((one.at, one.channel.clone(), what));
        }
        for turn in turns {
            let channel = turn.place.channel.clone();
            let at = turn.opened_at;
            match &turn.outcome {
                Outcome::Replied { .. } => lines.push((at, channel, format!("(speaks: {})", turn.trigger))),
                other => lines.push((at, channel, format!("({})", other.summary()))),
            }
        }
        lines.sort_by_key(|(at, ..)| *at);
        for (at, channel, what) in lines {
            self.tells(at, &channel, what);
        }
    }

    fn tells(&mut self, at: Timestamp, channel: &ChannelId, what: String) {
        let time = at.to_zoned(self.zone.clone()).strftime("%a %H:%M:%S").to_string();
        self.events.push(SceneEvent { at, time, place: self.cast.name_of(channel), what });
    }

    /// Does what a step says. Whether it was taken in.
    async fn happens(&mut self, step: &SceneStep) -> anyhow::Result<bool> {
        if let Some(place) = &step.place {
            self.here.clone_from(place.get_ref());
        }
        if let Some(who) = &step.who {
            self.whom = Some(who.get_ref().clone());
        }
        let cast = Arc::clone(&self.cast);
        let who = self.whom.as_ref().and_then(|name| cast.people.get_key_value(name));
        // Alone with somebody only as long as they are the one who does something.
        if self.here == DM && who.is_none() {
            self.here.clone_from(&cast.first);
        }
        let Some(place) = cast.place(&self.here, who.map(|(_, who)| who)) else { return Ok(false) };
        let session = &self.app.session;
        if step.resets {
            session.begin_conversation(&place.channel).await?;
        }
        if step.greets {
            self.used.insert(place.channel.clone(), place.clone());
            let alone = who.filter(|_| place.is_one_to_one()).map(|(name, _)| name.clone());
            session.greet(place.clone(), None, alone).await?;
        }
        let Some((name, who)) = who.filter(|_| step.who.is_some()) else { return Ok(true) };
        let at = self.clock.now();
        if let Some(what) = step.deeds().first() {
            self.tells(at, &place.channel, format!("{name} {what}"));
        } else if let Some(says) = &step.says {
            self.tells(at, &place.channel, format!("{name}: {says}"));
        }
        let account = &who.author.account;
        if step.opts_out {
            self.app.pairing.opt_out(account)?;
            for call in self.calls.values_mut() {
                call.withdraws(account).await;
            }
        } else if step.opts_in {
            self.app.pairing.opt_in(account)?;
            for call in self.calls.values_mut().filter(|call| call.has(account)) {
                call.joins(&who.author).await;
            }
        } else if step.lets_begin {
            self.app.config.set_speaks_first(&place, true)?;
        } else if step.lets_learn {
            self.app.pairing.lets_learn(account)?;
        } else if let Some(with) = &step.pairs_with {
            self.pairs(who, with.get_ref())?;
        } else if step.joins || step.leaves {
            self.moves(who, &place, step).await;
        } else {
            return self.does(step, (name, who), place).await;
        }
        Ok(true)
    }

    fn pairs(&self, who: &CastMember, with: &str) -> anyhow::Result<()> {
        let account = &who.author.account;
        let there = self.cast.place(with, Some(who)).context("no such place")?;
        let invited = self.app.pairing.invite(account, &self.cast.dm_with(who))?;
        let code = invited.map_err(|refused| anyhow!("pairing was refused: {refused:?}"))?.code;
        let joined = self.app.pairing.redeem(account, &there, &code)?;
        joined.map(drop).map_err(|refused| anyhow!("pairing was refused: {refused:?}"))
    }

    async fn moves(&self, who: &CastMember, place: &Place, step: &SceneStep) {
        let Some(guild) = place.guild.clone() else { return };
        let (account, name) = (who.author.account.clone(), who.author.label().to_owned());
        let at = self.clock.now();
        let movement = if step.joins { Movement::Came } else { Movement::Left };
        if step.joins {
            self.cast.comes(&account, &guild);
            let arrival = Arrival { account: account.clone(), name: name.clone(), at, away_since: None };
            self.app.world.arrived(&guild, arrival);
        } else {
            self.cast.goes(&account, &guild);
            self.app.pairing.has_left(account.clone(), guild.clone()).await;
        }
        self.app.session.came(Coming { guild, account, name, movement, at }).await;
    }

    /// What goes through the door of a platform. Whether it was let in.
    async fn does(
        &mut self,
        step: &SceneStep,
        (name, who): (&String, &CastMember),
        place: Place,
    ) -> anyhow::Result<bool> {
        // A call knows by itself whom it does not hear, and whoever is in one can always leave it.
        let is_in_call = self.calls.get(&place.channel).is_some_and(|call| call.has(&who.author.account));
        let is_for_the_call = is_in_call && (step.leaves_call || step.aloud.is_some());
        if !is_for_the_call && self.app.pairing.has_opted_out(&who.author.account) {
            self.tells(self.clock.now(), &place.channel, "(not taken in: they have opted out)".to_owned());
            return Ok(false);
        }
        if step.deletes.is_none()
            && let Some(why) = self.cast.shut_out(&self.app.config, &place, who)
        {
            self.tells(self.clock.now(), &place.channel, format!("(not taken in: {why})"));
            if let (Some(id), Some(_)) = (&step.id, &step.says) {
                let said = Said { message: self.outbox.next_message(), place, by: Some(name.clone()) };
                self.messages.insert(id.get_ref().clone(), said);
            }
            return Ok(false);
        }
        self.used.insert(place.channel.clone(), place.clone());
        let at = self.clock.now();
        if step.types {
            let seen = Sighting {
                account: who.author.account.clone(),
                name: name.clone(),
                is_bot: who.author.is_bot,
                at,
            };
            self.app.world.typing(&place.channel, seen);
            self.app.session.expect(&place, &who.author);
        } else if step.joins_call || step.leaves_call || step.aloud.is_some() {
            return self.happens_in_call(step, (name, who), &place).await;
        } else if let Some(press) = step.presses {
            return Ok(self.outbox.actions.press(&place, &who.author.account, press));
        } else if let (Some(emoji), Some(to)) = (&step.reacts, &step.to) {
            self.reacts(who, emoji, to.get_ref(), &place).await?;
        } else if let (Some(edited), Some(text)) = (&step.edits, &step.says) {
            let said = self.message(edited.get_ref(), &place)?;
            let event =
                InboundEvent::Edited { place: said.place, message: said.message, text: text.clone(), at };
            self.app.session.submit(event).await?;
        } else if let Some(deleted) = &step.deletes {
            let said = self.message(deleted.get_ref(), &place)?;
            let event = InboundEvent::Deleted { place: said.place, messages: vec![said.message], at };
            self.app.session.submit(event).await?;
        } else if let Some(text) = &step.says {
            self.says(step, (name, who), place, text).await?;
        }
        Ok(true)
    }

    /// What happens in the call of a place. Whether it was taken for something that is said to somebody.
    async fn happens_in_call(
        &mut self,
        step: &SceneStep,
        (name, who): (&String, &CastMember),
        place: &Place,
    ) -> anyhow::Result<bool> {
        if step.joins_call {
            let (outbox, clock) = (Arc::clone(&self.outbox), Arc::clone(&self.clock));
            let call = self.calls.entry(place.channel.clone());
            call.or_insert_with(|| SceneCall::open(self.app, place.clone(), outbox, clock))
                .joins(&who.author)
                .await;
            return Ok(true);
        }
        let call = self.calls.get_mut(&place.channel).filter(|call| call.has(&who.author.account));
        let call =
            call.with_context(|| format!("{name} is not in a call there; `joins_call` comes first"))?;
        if step.leaves_call {
            call.leaves(&who.author.account).await;
        }
        let Some(words) = &step.aloud else { return Ok(true) };
        let was_taken = call.says(&who.author, words).await;
        if !was_taken {
            self.tells(self.clock.now(), &place.channel, "(no turn of theirs)".to_owned());
        }
        Ok(was_taken)
    }

    async fn reacts(&self, who: &CastMember, emoji: &str, to: &str, place: &Place) -> anyhow::Result<()> {
        let (said, at) = (self.message(to, place)?, self.clock.now());
        let to_familiar = said.by.is_none();
        let name = self.app.world.introduced(who.author.clone()).label().to_owned();
        let reacted = Reacted { name, emoji: emoji.to_owned(), to_familiar, at };
        self.app.world.reacted(&said.place.channel, reacted);
        if to_familiar {
            self.app.session.reacted(&said.place, &who.author, emoji).await;
        }
        let by = who.author.account.clone();
        let reaction =
            Reaction { message: said.message, by, emoji: emoji.to_owned(), stands: Stands::Put, at };
        let event = InboundEvent::Reacted { place: said.place, reaction };
        Ok(self.app.session.submit(event).await?)
    }

    async fn says(
        &mut self,
        step: &SceneStep,
        (name, who): (&String, &CastMember),
        place: Place,
        text: &str,
    ) -> anyhow::Result<()> {
        let answers = match &step.replies_to {
            Some(to) => Some(self.message(to.get_ref(), &place)?),
            None => None,
        };
        let answered = answers.as_ref().map(|said| match said.by {
            None => CallAnswered::Familiar,
            Some(_) => CallAnswered::SomebodyElse,
        });
        let hints = self.cast.hints(text, &self.app.session.names(), answered);
        let message = self.outbox.next_message();
        let said = Said { message: message.clone(), place: place.clone(), by: Some(name.clone()) };
        self.newest.insert((place.channel.clone(), name.clone()), said.clone());
        if let Some(id) = &step.id {
            self.messages.insert(id.get_ref().clone(), said);
        }
        let files = step.files.iter().map(|file| Attachment {
            text: file.text.clone(),
            ..Attachment::named(file.kind.clone(), file.name.clone())
        });
        let event = InboundEvent::Message(Box::new(InboundMessage {
            message: Some(message),
            attachments: files.collect(),
            reply_to: answers.map(|said| said.message),
            hints,
            ..InboundMessage::said(place, who.author.clone(), text, self.clock.now())
        }));
        Ok(self.app.session.submit(event).await?)
    }

    /// A message by its `id`, or the newest there of whoever is named.
    fn message(&self, name: &str, place: &Place) -> anyhow::Result<Said> {
        let newest = || self.newest.get(&(place.channel.clone(), name.to_owned()));
        // What it has just said may not have been looked at yet.
        let own = || {
            let shown = self.outbox.shown();
            let last = shown.iter().rev().find_map(|shown| match &shown.what {
                ShownWhat::Said { message, .. } if shown.channel == place.channel => Some(message.clone()),
                _ => None,
            });
            last.map(|message| Said { message, place: place.clone(), by: None })
        };
        let found = self.messages.get(name).cloned();
        let found = found.or_else(|| if name == FAMILIAR { own() } else { newest().cloned() });
        found.with_context(|| {
            format!("nothing was said that {name:?} could mean in {}", self.cast.name_of(&place.channel))
        })
    }
}
