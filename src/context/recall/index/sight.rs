//! What of the index somebody may see. Turns are reached through here alone.

use jiff::Timestamp;

use super::{At, Entry, Speaker, Standing, Turns};
use crate::domain::ChannelMode;
use crate::history::{Shown, Visible};

/// The turns that one question may be answered from.
#[derive(Debug)]
pub(in crate::context::recall) struct Sight<'a> {
    turns: &'a Turns,
    /// By audience.
    is_visible: Vec<bool>,
    until: Timestamp,
    shown: Option<(u32, ChannelMode, u64)>,
}

impl<'a> Sight<'a> {
    /// What `visible` names, said up to `until`; what is `shown` anyway need not be found, but stands around what is.
    pub fn new(turns: &'a Turns, visible: &Visible, until: Option<Timestamp>, shown: Option<&Shown>) -> Self {
        let is_visible = turns.audiences.each.iter().map(|audience| visible.includes(audience)).collect();
        let shown = shown.and_then(|shown| {
            let channel = turns.channels.known.get(&shown.channel)?;
            Some((*channel, shown.mode, shown.above))
        });
        Self { turns, is_visible, until: until.unwrap_or(Timestamp::MAX), shown }
    }

    /// How much was said of what may be seen, whenever it was.
    pub fn standing(&self) -> Standing {
        let mut all = Standing::default();
        let visible = self.is_visible.iter().zip(&self.turns.standing).filter(|(visible, _)| **visible);
        visible.for_each(|(_, standing)| all.add(*standing));
        all
    }

    /// Who spoke, under which names, by their numbers; `None` for those of whom nothing stands that may be seen.
    pub fn speakers(&self) -> impl Iterator<Item = Option<&'a Speaker>> + '_ {
        let spoken = self.turns.speakers.each.iter().zip(&self.turns.spoken);
        spoken.map(|(speaker, turns)| {
            (*turns > 0 && self.is_visible[speaker.audience as usize]).then_some(speaker)
        })
    }

    /// The turn, where it may be seen.
    pub fn of(&self, at: At) -> Option<&'a Entry> {
        let entry = self.turns.entry(at);
        let may_be = entry.is_live && self.is_visible[entry.audience as usize] && entry.at <= self.until;
        may_be.then_some(entry)
    }

    /// Whether a turn stands before everybody's eyes already.
    pub fn is_shown(&self, entry: &Entry) -> bool {
        self.shown.is_some_and(|(channel, mode, above)| {
            entry.channel == channel && entry.mode == mode && entry.ordinal > above
        })
    }

    /// The turn before this one in the same sitting.
    pub fn before(&self, at: At) -> Option<At> {
        self.turns.entry(at).back.filter(|near| self.of(*near).is_some())
    }

    /// The turn after this one in the same sitting.
    pub fn after(&self, at: At) -> Option<At> {
        self.turns.entry(at).forth.filter(|near| self.of(*near).is_some())
    }
}
