//! Four people with voices of their own, as their clients send them.

use familiar_connect::domain::Author;
use familiar_connect::voice::frame::{Packet, SILENCE};
use tokio::time::Instant;

use crate::support::stage::person;
use crate::support::voice::Sound;

/// Whether somebody can be heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    Here,
    /// Left the call until then.
    Away {
        until: u64,
    },
    /// Does not want to be heard until then.
    Unheard {
        until: u64,
    },
}

/// What one person does.
#[derive(Debug)]
pub struct Talker {
    pub author: Author,
    /// Their voice, coded.
    voice: Vec<Vec<u8>>,
    sequence: u16,
    pub presence: Presence,
    /// Frames that they speak, and frames of pause behind them.
    pub plan: Vec<(usize, usize)>,
    /// How far they are in what they say, and how long they are quiet yet.
    at: usize,
    quiet: usize,
    /// What they said lately, and in which frame they began.
    pub recent: Vec<(u64, String)>,
}

impl Talker {
    pub fn new(nth: u64, who: &str) -> Self {
        Self {
            author: person(who),
            voice: Sound::voiced(11 + nth, 6_000).frames(),
            sequence: 0,
            presence: Presence::Here,
            plan: Vec::new(),
            at: 0,
            quiet: 0,
            recent: Vec::new(),
        }
    }

    pub fn ssrc(&self) -> u32 {
        self.author.account.id().parse().unwrap()
    }

    pub fn is_silent(&self) -> bool {
        self.plan.is_empty() && self.quiet == 0
    }

    /// They break off, and begin anew with the next thing that they say.
    pub fn falls_silent(&mut self) {
        self.plan.clear();
        (self.at, self.quiet) = (0, 0);
    }

    /// What their client sends in this frame.
    pub fn sends(&mut self) -> Vec<Packet> {
        if self.quiet > 0 {
            self.quiet -= 1;
            return Vec::new();
        }
        let Some((voiced, pause)) = self.plan.first().copied() else { return Vec::new() };
        let opus = self.voice[self.at % self.voice.len()].clone();
        let mut packets = vec![self.packet(&opus)];
        self.at += 1;
        if self.at >= voiced {
            self.plan.remove(0);
            (self.at, self.quiet) = (0, pause);
            packets.extend((0..5).map(|_| self.packet(&SILENCE)));
        }
        packets
    }

    fn packet(&mut self, opus: &[u8]) -> Packet {
        self.sequence = self.sequence.wrapping_add(1);
        Packet {
            ssrc: self.ssrc(),
            sequence: self.sequence,
            timestamp: u32::from(self.sequence).wrapping_mul(960),
            opus: opus.into(),
            arrived: Instant::now(),
        }
    }
}
