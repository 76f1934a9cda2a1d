//! What of the index somebody may see. Turns are reached through here alone.

use jiff::Timestamp;

use super::{At, Entry, Speaker, TurnTotals, Turns};
use crate::domain::ChannelMode;
use crate::history::{OpenStretch, Visible};

/// The turns that one question may be answered from.
#[derive(Debug)]
pub(in crate::context::recall) struct TurnViewer<'a> {
    turns: &'a Turns,
    /// By audience: how much what was learnt before it weighs; 0 for what may not be seen.
    weights: Vec<f32>,
    until: Timestamp,
    shown: Option<(u32, ChannelMode, u64)>,
}

impl<'a> TurnViewer<'a> {
    /// What `visible` names, said up to `until`; what is `shown` anyway need not be found, but stands around what is.
    pub(crate) fn new(
        turns: &'a Turns,
        visible: &Visible,
        until: Option<Timestamp>,
        shown: Option<&OpenStretch>,
    ) -> Self {
        let weights = turns.audiences.each.iter().map(|audience| visible.weight(audience)).collect();
        let shown = shown.and_then(|shown| {
            let channel = turns.channels.known.get(&shown.channel)?;
            Some((*channel, shown.mode, shown.above))
        });
        Self { turns, weights, until: until.unwrap_or(Timestamp::MAX), shown }
    }

    /// How much was said of what may be seen, whenever it was.
    pub(crate) fn standing(&self) -> TurnTotals {
        let mut all = TurnTotals::default();
        let visible = self.weights.iter().zip(&self.turns.standing).filter(|(weight, _)| **weight > 0.0);
        visible.for_each(|(_, standing)| all.add(*standing));
        all
    }

    /// Who spoke, under which names, by their numbers; `None` for those of whom nothing stands that may be seen.
    pub(crate) fn speakers(&self) -> impl Iterator<Item = Option<&'a Speaker>> + '_ {
        let spoken = self.turns.speakers.each.iter().zip(&self.turns.spoken);
        spoken.map(|(speaker, turns)| {
            (*turns > 0 && self.weights[speaker.audience as usize] > 0.0).then_some(speaker)
        })
    }

    /// The turn, where it may be seen.
    pub(crate) fn of(&self, at: At) -> Option<&'a Entry> {
        let entry = self.turns.entry(at);
        let may_be = entry.is_live && self.weights[entry.audience as usize] > 0.0 && entry.at <= self.until;
        may_be.then_some(entry)
    }

    /// How much a turn weighs that was said further out than here (M5).
    pub(crate) fn weight(&self, at: At) -> f32 {
        self.weights[self.turns.entry(at).audience as usize]
    }

    /// Whether a turn stands before everybody's eyes already.
    pub(crate) fn is_shown(&self, entry: &Entry) -> bool {
        self.shown.is_some_and(|(channel, mode, above)| {
            entry.channel == channel && entry.mode == mode && entry.ordinal > above
        })
    }

    /// The turn before this one in the same session.
    pub(crate) fn before(&self, at: At) -> Option<At> {
        self.turns.entry(at).back.filter(|near| self.of(*near).is_some())
    }

    /// The turn after this one in the same session.
    pub(crate) fn after(&self, at: At) -> Option<At> {
        self.turns.entry(at).forth.filter(|near| self.of(*near).is_some())
    }
}
