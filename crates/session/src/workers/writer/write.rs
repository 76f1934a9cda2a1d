//! The job that lets a model write memories, behind the scenes. What was passed over is read again, hours and days later, and
//! given up where everyone can see it.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::check::{Answered, Checked, check_patches, read_patches};
use super::due::{Conclusions, Together, batch, due};
use super::shown::{ShownNotes, gather};
use crate::config::PromptName;
use crate::domain::{
    Audience, ChangePass, ChannelId, ModelCall, Place, Slot, StoredId, StoredTurn, WorkerRun,
};
use crate::history::{Hindrance, HistoryError, PassedOver};
use crate::memory::change::{ChangeFate, Pending, PendingChange, Proposal};
use crate::memory::store::MemoryStore;
use crate::text::names::prompt_label;
use crate::workers::ask::{AskError, HourlyAllowance, Retries, SideQuestion, ask_worker_model};
use crate::workers::job::{Due, Job, JobEnd, Started, WorkerParts};
use crate::workers::noting::change_notes;

/// The name of this job's marks.
pub(in crate::workers) const WATERMARK: &str = "memory-writer";

/// Model calls and tokens in an hour, all places together.
const CALLS: u32 = 30;
const TOKENS: u32 = 150_000;

/// The longest answer of use, in tokens.
const ANSWER_TOKENS: u32 = 900;

/// Turns that are looked at at once.
const READ: u32 = 400;

/// Batches written in one look; the rest is for the next.
const BATCHES: usize = 20;

/// How long until that next look.
const PAUSE: Duration = Duration::from_secs(5);

/// How long to wait before a try that failed is made again, and twice as long before another …
const FIRST_WAIT: Duration = Duration::from_secs(150);
/// … so often in all; then the turns are passed over for now, so that they keep nothing newer waiting, and read again much
/// later.
const TRIES_AGAIN: u32 = 2;

/// Said to a model whose answer could not be read.
const AGAIN: &str = "Your last answer could not be read. Answer again, with one JSON object a line as you were told, and \
                     with nothing else.";

#[derive(Debug)]
pub(in crate::workers) struct WriteMemories {
    parts: WorkerParts,
    conclusions: Arc<Conclusions>,
    allowance: HourlyAllowance,
    retries: Retries<jiff::Timestamp>,
}

enum BatchOutcome {
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
    Of(String),
    /// Nothing, in words, and why.
    Nothing(String, Hindrance, Option<Kept>),
}

struct WriterBatch {
    started: Started,
    /// Leave to write down what it comes to.
    leave: ChangePass,
    shown: ShownNotes,
    what: String,
    calls: Vec<ModelCall>,
}

impl WriteMemories {
    pub(in crate::workers) fn new(parts: WorkerParts, conclusions: Arc<Conclusions>) -> Self {
        Self {
            parts,
            conclusions,
            allowance: HourlyAllowance::of(CALLS, TOKENS),
            retries: Retries::after(FIRST_WAIT, TRIES_AGAIN),
        }
    }

    /// What is new, and what was passed over earlier.
    async fn read_new(
        &self,
        place: &Place,
        is_over: bool,
        end: &mut JobEnd,
    ) -> Result<ReadSoFar, HistoryError> {
        let history = &self.parts.history;
        for _ in 0..BATCHES {
            let unread = self.parts.unread(WATERMARK, place, READ).await?;
            self.conclusions.note(place, unread.count);
            let config = self.parts.config.current();
            let count = match due(&unread, &config.memory_writer, is_over, self.parts.clock.now()) {
                Due::Never => return Ok(ReadSoFar::ToTheEnd),
                Due::In(wait) => {
                    end.again = Some(wait);
                    return Ok(ReadSoFar::ToTheEnd);
                }
                Due::Now(count) => count,
            };
            let Some(Together { audience, turns, last }) = batch(&unread.turns[..count]) else {
                return Ok(ReadSoFar::ToTheEnd);
            };
            let first = unread.turns.first().map_or(last, |turn| turn.id);
            let now = self.parts.clock.now();
            let Some((turns, leave)) = self.parts.to_learn_from(place, turns) else {
                // Nobody said anything of which something may be kept.
                self.retries.forget(&place.channel);
                self.parts.is_done(WATERMARK, place, last).await?;
                continue;
            };
            if let Some(wait) = self.has_to_wait(&place.channel) {
                end.again = Some(wait);
                return Ok(ReadSoFar::Broken);
            }
            let (run, why, answer) = match self.write(place, audience, turns, leave).await {
                BatchOutcome::Done(run) => {
                    end.runs.extend(run);
                    self.retries.forget(&place.channel);
                    self.parts.is_done(WATERMARK, place, last).await?;
                    continue;
                }
                BatchOutcome::Spent(run, wait) => {
                    end.runs.push(run);
                    end.again = Some(wait);
                    return Ok(ReadSoFar::Broken);
                }
                BatchOutcome::Failed(run) => match self.retries.failed(&place.channel, now) {
                    Some(wait) => {
                        end.runs.push(run);
                        end.again = Some(wait);
                        return Ok(ReadSoFar::Broken);
                    }
                    None => (run, Hindrance::Failed, None),
                },
                BatchOutcome::Hindered(run, why, answer) => (run, why, answer),
            };
            end.runs.push(run);
            self.retries.forget(&place.channel);
            history.pass_over(self.passed_over(place, (first, last), why, answer), now).await?;
        }
        end.again = Some(PAUSE);
        Ok(ReadSoFar::Broken)
    }

    async fn write(
        &self,
        place: &Place,
        audience: Audience,
        turns: Vec<StoredTurn>,
        leave: ChangePass,
    ) -> BatchOutcome {
        let started = self.parts.started(self.name());
        let ordinal = |turn: Option<&StoredTurn>| turn.map_or(0, |turn| turn.ordinal);
        let what = format!("messages {}–{}", ordinal(turns.first()), ordinal(turns.last()));
        let shown = match gather(&self.parts, place, audience, turns, started.at).await {
            Ok(shown) => shown,
            Err(error) => {
                let did = format!("{what}: the notes cannot be read: {error}");
                return BatchOutcome::Failed(started.ended(did, Vec::new()));
            }
        };
        if !shown.has_people() {
            return BatchOutcome::Done(None);
        }
        let mut batch = WriterBatch { started, leave, shown, what, calls: Vec::new() };
        let material = batch.shown.material();
        let first = match self.asked(place, &mut batch, material.clone()).await {
            Ok(text) => text,
            Err(AskError::Spent(wait)) => {
                let did =
                    format!("{} wait {} s: the hour's model calls are spent", batch.what, wait.as_secs());
                return BatchOutcome::Spent(batch.started.ended(did, batch.calls), wait);
            }
            Err(AskError::Transient(why)) => {
                let did = format!("{} could not be read: {why}", batch.what);
                return BatchOutcome::Failed(batch.started.ended(did, batch.calls));
            }
            Err(AskError::Deterministic(why)) => {
                let did = format!("{} passed over for now: {why}", batch.what);
                return BatchOutcome::Hindered(
                    batch.started.ended(did, batch.calls),
                    Hindrance::Refused,
                    None,
                );
            }
        };
        let mut answered = read_patches(&first);
        let mut last = first;
        if answered.is_unreadable()
            && let Ok(second) = self.asked(place, &mut batch, format!("{material}\n{AGAIN}\n")).await
        {
            answered = read_patches(&second);
            if !second.trim().is_empty() {
                last = second;
            }
        }
        match self.made_of(place, &batch, &answered, last).await {
            Made::Of(did) => BatchOutcome::Done(Some(batch.started.ended(did, batch.calls))),
            Made::Nothing(did, why, kept) => {
                BatchOutcome::Hindered(batch.started.ended(did, batch.calls), why, kept)
            }
        }
    }

    /// Writes what may be written of an answer; tells in words what was done.
    async fn made_of(&self, place: &Place, batch: &WriterBatch, answered: &Answered, answer: String) -> Made {
        let what = &batch.what;
        if answered.is_unreadable() {
            if answer.trim().is_empty() {
                let did = format!("{what} passed over for now: the model answered nothing");
                return Made::Nothing(did, Hindrance::Empty, None);
            }
            let kept = self.kept(place, batch, PendingChange::Answer(answer)).await;
            let did =
                format!("{what} passed over for now: the answer could not be read; {}", waits_as(&kept));
            return Made::Nothing(did, Hindrance::Unreadable, kept);
        }
        let Checked { changes, mut refused } = check_patches(&answered.patches, &batch.shown);
        let proposed = changes.len();
        let changes = match self.parts.still_said(changes).await {
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
            let kept = self.kept(place, batch, PendingChange::Changes(changes)).await;
            is_written = kept.is_some();
            told.push_str(&format!("{count} proposed; {}", waits_as(&kept)));
        } else {
            let (leave, today) = (batch.leave.clone(), batch.shown.today);
            let write = move |store: &MemoryStore| change_notes(&leave, store, &changes, today);
            let Some(fates) = self.parts.with_notes("writing memories", write).await else {
                return Made::Nothing(format!("{what}: writing was broken off"), Hindrance::Unwritten, None);
            };
            let count = |fate: &ChangeFate| fates.iter().filter(|other| *other == fate).count();
            told.push_str(&format!("{} written", count(&ChangeFate::Written)));
            for (fate, words) in [
                (ChangeFate::Known, "known already"),
                (ChangeFate::Overtaken, "overtaken by somebody's edit"),
            ] {
                if count(&fate) > 0 {
                    told.push_str(&format!(", {} {words}", count(&fate)));
                }
            }
            for fate in fates {
                if let ChangeFate::Refused(why) = fate {
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

    /// Leaves something for the operator, under which name.
    async fn kept(&self, place: &Place, batch: &WriterBatch, waiting: PendingChange) -> Option<Kept> {
        let channel = place.channel_name.as_deref().unwrap_or(place.channel.as_str());
        let proposal = Proposal {
            at: batch.started.at,
            from: prompt_label(channel),
            audience: batch.shown.audience.clone(),
            waiting,
        };
        let kept =
            self.parts.with_notes("keeping proposed memories", move |store| proposal.keep(store)).await?;
        kept.inspect_err(|error| tracing::warn!(%error, "proposed memories could not be kept")).ok()
    }

    async fn asked(
        &self,
        place: &Place,
        batch: &mut WriterBatch,
        material: String,
    ) -> Result<String, AskError> {
        let question = SideQuestion {
            slot: Slot::MemoryWriter,
            instructions: self.parts.config.prompt(PromptName::MemoryWriter).to_string(),
            material,
            tokens: ANSWER_TOKENS,
        };
        // Another prompt than the conversation's: it must not move that one's cache.
        let session = self.parts.session_key(place.platform, &place.channel).beside("memories");
        let answer = ask_worker_model(self.parts.models.as_ref(), &self.allowance, &question, session).await;
        batch.calls.extend(answer.calls);
        answer.text
    }

    /// How long until the next try, where the last one failed.
    fn has_to_wait(&self, channel: &ChannelId) -> Option<Duration> {
        let now = self.parts.clock.now();
        let until = self.retries.not_before(channel, now)?;
        Duration::try_from(until.duration_since(now)).ok()
    }
}

/// How far what is new was read.
enum ReadSoFar {
    /// As far as it was due.
    ToTheEnd,
    /// There is more, for later.
    Broken,
}

fn waits_as(kept: &Option<Kept>) -> String {
    kept.as_ref().map_or_else(|| "it could not be kept".to_owned(), |name| format!("it waits as {name}"))
}

#[async_trait]
impl Job for WriteMemories {
    fn name(&self) -> &'static str {
        "memory"
    }

    async fn look(&self, place: &Place, end: &mut JobEnd) -> Result<(), HistoryError> {
        if self.parts.models.slot(Slot::MemoryWriter).describe().is_rehearsal() {
            // Once there is a model, it reads what was said until then.
            return Ok(());
        }
        let is_over = self.conclusions.take(place);
        match self.read_new(place, is_over, end).await? {
            ReadSoFar::ToTheEnd => self.read_again(place, end).await,
            ReadSoFar::Broken => {
                if is_over {
                    self.conclusions.add(place);
                }
                Ok(())
            }
        }
    }
}

const HOUR: Duration = Duration::from_secs(3_600);

/// How long after each other a stretch is read again: longer than a provider's bad day, and a week in the end, in which
/// somebody may have chosen another model. Then it is given up: it stays in the history and can be searched there.
const WAITS: [Duration; 5] = [
    HOUR,
    HOUR.saturating_mul(6),
    HOUR.saturating_mul(24),
    HOUR.saturating_mul(72),
    HOUR.saturating_mul(168),
];

impl WriteMemories {
    /// A stretch as it is first kept.
    pub(super) fn passed_over(
        &self,
        place: &Place,
        (first, last): (StoredId, StoredId),
        why: Hindrance,
        answer: Option<Kept>,
    ) -> PassedOver {
        let now = self.parts.clock.now();
        let not_before = Some(now.saturating_add(HOUR).unwrap_or(now));
        let (worker, channel) = (WATERMARK.to_owned(), place.channel.clone());
        PassedOver { worker, channel, first, last, why, tries: 0, not_before, since: now, answer }
    }

    /// Reads again what is due of that, oldest first.
    pub(super) async fn read_again(&self, place: &Place, end: &mut JobEnd) -> Result<(), HistoryError> {
        let history = &self.parts.history;
        for stretch in history.passed_over(WATERMARK, &place.channel).await? {
            let Some(not_before) = stretch.not_before else { break };
            let left = not_before.duration_since(self.parts.clock.now());
            if let Ok(left) = Duration::try_from(left)
                && !left.is_zero()
            {
                end.again = Some(end.again.map_or(left, |again| again.min(left)));
                continue;
            }
            if self.read_stretch(place, stretch, end).await? == Went::NotAtAll {
                break;
            }
        }
        Ok(())
    }

    async fn read_stretch(
        &self,
        place: &Place,
        mut stretch: PassedOver,
        end: &mut JobEnd,
    ) -> Result<Went, HistoryError> {
        let history = &self.parts.history;
        loop {
            let before = StoredId(stretch.first.0 - 1);
            let mut standing = history.whole().unread(&place.channel, Some(before), READ).await?.turns;
            standing.retain(|turn| turn.id <= stretch.last);
            // People pair and part: what went together then may not now.
            let Some(Together { audience, turns, last }) = batch(&standing) else {
                // The rest was taken back or forgotten meanwhile.
                history.no_longer_passed_over(&stretch).await?;
                self.drop_answer(stretch.answer.take()).await;
                return Ok(Went::Through);
            };
            let step = match self.parts.to_learn_from(place, turns) {
                Some((turns, leave)) => self.write(place, audience, turns, leave).await,
                None => BatchOutcome::Done(None),
            };
            let (run, why, answer, went) = match step {
                BatchOutcome::Done(run) => {
                    end.runs.extend(run);
                    stretch.first = StoredId(last.0 + 1);
                    if stretch.first <= stretch.last {
                        history.keep_passed_over(stretch.clone()).await?;
                    }
                    continue;
                }
                BatchOutcome::Spent(run, wait) => {
                    end.runs.push(run);
                    end.again = Some(end.again.map_or(wait, |again| again.min(wait)));
                    return Ok(Went::NotAtAll);
                }
                BatchOutcome::Failed(run) => (run, Hindrance::Failed, None, Went::NotAtAll),
                BatchOutcome::Hindered(run, why, answer) => (run, why, answer, Went::InVain),
            };
            end.runs.push(run);
            stretch.tries += 1;
            stretch.why = why;
            if answer.is_some() {
                // One answer for people to look at is enough.
                let before = stretch.answer.take();
                self.drop_answer(before).await;
                stretch.answer = answer;
            }
            let wait = usize::try_from(stretch.tries).ok().and_then(|tries| WAITS.get(tries));
            let now = self.parts.clock.now();
            stretch.not_before = wait.map(|wait| now.saturating_add(*wait).unwrap_or(now));
            match wait {
                Some(wait) => end.again = Some(end.again.map_or(*wait, |again| again.min(*wait))),
                None => tracing::warn!(
                    channel = %place.channel, why = why.as_str(), tries = stretch.tries,
                    "messages are given up: no memories are made of them; see `familiar memory unwritten`"
                ),
            }
            history.keep_passed_over(stretch).await?;
            return Ok(went);
        }
    }

    /// What nobody could read has been answered better.
    async fn drop_answer(&self, answer: Option<Kept>) {
        let Some(name) = answer else { return };
        let dropped = self.parts.with_notes("dropping an answer", move |store| {
            Pending::read(store, &name).and_then(|waiting| waiting.reject(store))
        });
        if let Some(Err(error)) = dropped.await {
            tracing::debug!(%error, "an answer that could not be read stays where it waits");
        }
    }
}

/// How reading a stretch again went.
#[derive(PartialEq, Eq)]
enum Went {
    Through,
    InVain,
    /// The model cannot be asked now; others would fare no better.
    NotAtAll,
}
