//! What the familiar's own day has to do with its answers: asleep it joins no conversation, and busy or asleep it takes a
//! while.
//!
//! Nobody who speaks to it goes without an answer, and nobody waits for the morning: whoever writes at night is up now, an
//! answer hours later comes into another conversation and rings a phone at breakfast, and no answer looks like a broken
//! program. So it is woken, and says so in a few words.

use std::time::Duration;

use jiff::Timestamp;
use tokio::time::Instant;

use super::Conversation;
use crate::domain::{InboundMessage, Modality, Platform, SilenceReason};
use crate::familiar::{DayPart, Wakefulness};
use crate::session::policy::Decision;
use crate::session::waiting::Call;
use crate::text::distress::is_distress;

/// Whoever it spoke to within so long has it up already.
const STAYS_UP: Duration = Duration::from_secs(600);

/// The least wait, in percent of the longest; how long exactly is drawn, so that it is no clockwork.
const LEAST_PERCENT: u64 = 40;

impl Conversation {
    /// What its day has it do at a moment.
    fn day_part(&self, at: Timestamp) -> Option<DayPart> {
        let mode = self.parts.config.channel_in(&self.place).mode;
        self.parts.character.day_part(&self.parts.config.current(), mode, at)
    }

    /// Asleep it says nothing unasked.
    pub(super) fn unless_asleep(&self, decision: Decision, message: &InboundMessage) -> Decision {
        if decision.is_unasked() && self.is_asleep(message.at) {
            Decision::Silent(SilenceReason::Asleep)
        } else {
            decision
        }
    }

    fn is_asleep(&self, at: Timestamp) -> bool {
        self.day_part(at).is_some_and(|part| part.wakefulness == Wakefulness::Asleep)
    }

    /// Whether it may say something that nobody asked for: not asleep, and not where somebody is in distress.
    pub(super) fn may_speak_unasked(&self) -> bool {
        let now = self.parts.clock.now();
        self.running.is_none() && !self.is_careful(now) && !self.is_asleep(now)
    }

    /// An answer to this message, which is not waiting yet, begins after a while where its day has it so. Where people see
    /// nobody else they would take waiting for a fault, whoever is in distress is answered at once, and so is a call, with
    /// what was written beside it.
    pub(super) fn takes_its_time(&mut self, message: &InboundMessage, decision: &Decision) {
        let is_on_its_way = self.running.is_some() || self.waiting.is_called();
        let is_spoken_to = message.modality == Modality::Voice && decision.call().is_some();
        // What it took its time for may be gone again.
        if (is_distress(&message.text) || is_spoken_to || !is_on_its_way)
            && self.took_its_time.take().is_some()
        {
            self.restarts_at = None;
        }
        if is_distress(&message.text) {
            return;
        }
        let is_written = message.modality == Modality::Text
            && message.place.platform == Platform::Discord
            && !message.hints.is_missed;
        if is_on_its_way
            || self.restarts_at.is_some()
            || !is_written
            || !decision.call().is_some_and(Call::is_awaited)
        {
            return;
        }
        let is_up = self.spoken_to.newest().is_some_and(|at| {
            Duration::try_from(message.at.duration_since(at)).is_ok_and(|since| since < STAYS_UP)
        });
        if is_up || self.is_careful(message.at) {
            return;
        }
        let Some(part) = self.day_part(message.at) else { return };
        let longest = self.parts.config.current().schedule.longest_wait;
        let longest = match part.wakefulness {
            Wakefulness::Awake => return,
            Wakefulness::Busy => longest / 2,
            Wakefulness::Asleep => longest,
        };
        let wait = drawn_wait(longest, message.at);
        if wait.is_zero() {
            return;
        }
        self.restarts_at = Some(Instant::now() + wait);
        self.took_its_time =
            Some(format!("it was {} and took {} s", part.wakefulness.word(), wait.as_secs()));
    }
}

/// A share of the longest wait, the same whenever it is drawn for one moment.
fn drawn_wait(longest: Duration, at: Timestamp) -> Duration {
    let seed = u64::from_ne_bytes(at.as_millisecond().to_ne_bytes());
    let spread = (seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33) % (101 - LEAST_PERCENT);
    let percent = u32::try_from(LEAST_PERCENT + spread).unwrap_or(100);
    longest * percent / 100
}
