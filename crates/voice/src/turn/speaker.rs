//! One person in a call, as far as turns are concerned.
//!
//! Owns what they are saying right now and what is known of their habits. Must not decide anything. Start reading at
//! [`Utterance`].

use std::time::Duration;

use super::{Moment, SpeculationId, UtteranceId};
use crate::endpoint::Pauses;

/// A person, or a bot.
#[derive(Debug, Default)]
pub(super) struct Speaker {
    pub name: String,
    pub is_bot: bool,
    pub can_stop: bool,
    pub utterance: Option<Utterance>,
    pub pauses: Pauses,
    pub pushes_to_talk: bool,
    /// Their client sends, speech or not.
    pub gate_open: bool,
    /// Answers of the recogniser that belong to utterances that are over.
    pub owed: u32,
    /// After this they are no longer expected.
    pub owed_until: Moment,
    pub last_commit: Option<Moment>,
    /// When they last made a sound.
    pub last_spoke: Option<Moment>,
    /// When they last said its name, or its answer to them was over.
    pub woke: Option<Moment>,
    /// When it last gave way to them without being their partner.
    pub gave_way: Option<Moment>,
    /// When the familiar last answered them, and whether it asked something.
    pub answered: Option<(Moment, bool)>,
}

/// Something that somebody says.
#[derive(Debug, Default)]
pub(super) struct Utterance {
    pub id: UtteranceId,
    pub began: Moment,
    pub voiced_since: Option<Moment>,
    voiced_for: Duration,
    /// When they last stopped.
    pub quiet_since: Moment,
    /// How long was last meant to be waited from then until their turn is over.
    pub wait: Duration,
    settled: String,
    partial: String,
    pub is_eager: bool,
    pub is_ended: bool,
    /// Whether they sound finished, since they last stopped.
    pub ends_by_sound: Option<bool>,
    /// When the words last changed.
    pub changed: Moment,
    /// When anything was last heard of it.
    pub touched: Moment,
    /// The recogniser was asked for everything since they last stopped.
    pub asked: bool,
    /// Answers that it still owes.
    pub outstanding: u32,
    pub speculations: u32,
    pub speculation: Option<SpeculationState>,
    /// It was said over the familiar.
    pub over: bool,
    /// When somebody else had last made a sound as it began.
    pub others_spoke: Option<Moment>,
    /// When this person had last made a sound before it.
    pub spoke_before: Option<Moment>,
    /// Nothing more will be recognised.
    pub deaf: bool,
    pub gate_open: bool,
}

/// An answer that was begun early.
#[derive(Debug)]
pub(super) struct SpeculationState {
    pub id: SpeculationId,
    /// The words that it answers, normalized.
    pub words: String,
    /// Nothing is won by waiting for it.
    pub is_ready: bool,
}

impl Utterance {
    pub(super) fn begun(id: UtteranceId, at: Moment, now: Moment) -> Self {
        Self {
            id,
            began: at,
            voiced_since: Some(at),
            quiet_since: at,
            changed: now,
            touched: now,
            gate_open: true,
            ..Self::default()
        }
    }

    /// Everything recognised so far.
    pub(super) fn text(&self) -> String {
        let parts = [self.settled.trim(), self.partial.trim()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// Whether words of it may still change, or be only the first of more.
    pub(super) fn is_partial(&self) -> bool {
        !self.partial.trim().is_empty()
    }

    pub(super) fn heard_partial(&mut self, text: &str, now: Moment) {
        let before = self.text();
        text.clone_into(&mut self.partial);
        self.note(&before, now);
    }

    pub(super) fn heard_final(&mut self, text: &str, now: Moment) {
        let before = self.text();
        self.partial.clear();
        if !text.trim().is_empty() {
            if !self.settled.is_empty() {
                self.settled.push(' ');
            }
            self.settled.push_str(text.trim());
        }
        self.note(&before, now);
    }

    fn note(&mut self, before: &str, now: Moment) {
        self.touched = now;
        if self.text() != before {
            self.changed = now;
        }
    }

    pub(super) fn is_voiced(&self) -> bool {
        self.voiced_since.is_some()
    }

    /// How long they really spoke.
    pub(super) fn voiced(&self, now: Moment) -> Duration {
        let running = self.voiced_since.map_or(Duration::ZERO, |since| now.saturating_sub(since));
        self.voiced_for + running
    }

    /// How long they really spoke since `start`, as far as is known.
    pub(super) fn voiced_since(&self, start: Moment, now: Moment) -> Duration {
        if self.began >= start {
            return self.voiced(now);
        }
        self.voiced_since.map_or(Duration::ZERO, |since| now.saturating_sub(since.max(start)))
    }

    pub(super) fn goes_quiet(&mut self, at: Moment) {
        if let Some(since) = self.voiced_since.take() {
            self.quiet_since = at.max(since);
            self.voiced_for += self.quiet_since - since;
            self.asked = false;
        }
    }
}
