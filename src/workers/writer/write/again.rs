//! What was passed over is read again, hours and days later, and given up where everyone can see it.

use std::time::Duration;

use super::{Kept, Step, WATERMARK, WriteMemories};
use crate::domain::{Place, StoredId};
use crate::history::{Hindrance, HistoryError, PassedOver};
use crate::memory::change::Pending;
use crate::workers::supervisor::JobEnd;
use crate::workers::writer::due::{Together, batch};

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

/// Turns read at once of a stretch: as many as a batch ever holds, with those passed over within it.
const READ: u32 = 400;

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
            let mut standing = history.unread(&place.channel, Some(before), READ).await?.turns;
            standing.retain(|turn| turn.id <= stretch.last);
            // People pair and part: what went together then may not now.
            let Some(Together { audience, turns, last }) = batch(&standing) else {
                // The rest was taken back or forgotten meanwhile.
                history.no_longer_passed_over(&stretch).await?;
                self.drop_answer(stretch.answer.take()).await;
                return Ok(Went::Through);
            };
            let step = match self.to_learn_from(place, turns) {
                Some((turns, leave)) => self.write(place, audience, turns, leave).await,
                None => Step::Done(None),
            };
            let (run, why, answer, went) = match step {
                Step::Done(run) => {
                    end.runs.extend(run);
                    stretch.first = StoredId(last.0 + 1);
                    if stretch.first <= stretch.last {
                        history.keep_passed_over(stretch.clone()).await?;
                    }
                    continue;
                }
                Step::Spent(run, wait) => {
                    end.runs.push(run);
                    end.again = Some(end.again.map_or(wait, |again| again.min(wait)));
                    return Ok(Went::NotAtAll);
                }
                Step::Failed(run) => (run, Hindrance::Failed, None, Went::NotAtAll),
                Step::Hindered(run, why, answer) => (run, why, answer, Went::InVain),
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
        let store = std::sync::Arc::clone(&self.parts.memory.store);
        let dropped = tokio::task::spawn_blocking(move || {
            Pending::read(&store, &name).and_then(|waiting| waiting.reject(&store))
        });
        if let Ok(Err(error)) = dropped.await {
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
