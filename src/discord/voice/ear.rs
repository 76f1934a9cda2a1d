//! Whose packets are passed on, and whether they can be understood.
//!
//! Owns the gate in front of everything that decodes: what somebody says who did not agree to be heard is counted and
//! thrown away as it came. Pure: time comes with the packets. Must not know where packets come from. Start reading at
//! [`Ear::packet`].

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use tokio::time::Instant;

use crate::domain::AccountId;
use crate::voice::frame::Packet;

/// How long packets wait for word of whose they are (specs voice 2.1): Discord does not always say so first.
const HELD_FOR: Duration = Duration::from_secs(2);

/// How many of one stream wait: two seconds of speech.
const HELD: usize = 100;

/// Streams of unknown speakers that packets are held of. A call has few; more is somebody playing games.
const HELD_STREAMS: usize = 32;

/// A burst of speech of which fewer packets than this are missing may simply have been short.
const UNHEARD_PACKETS: u16 = 10;

/// After so many unheard bursts it is no accident.
const UNHEARD_BURSTS: u32 = 2;

/// Whether somebody may be listened to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// They agreed.
    Heard,
    /// They did not.
    Unheard,
    /// A bot; often music.
    Bot,
}

/// What became of packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PacketCounts {
    /// Passed on.
    pub passed: u64,
    /// Thrown away unread: of people who did not agree, and of bots.
    pub withheld: u64,
    /// Thrown away because nobody said whose they were.
    pub unknown: u64,
}

/// The streams of one connection.
#[derive(Debug, Default)]
pub(super) struct Ear {
    streams: HashMap<u32, Stream>,
    standing: HashMap<AccountId, Standing>,
    counts: PacketCounts,
    heard: Option<Instant>,
}

#[derive(Debug, Default)]
struct Stream {
    owner: Option<AccountId>,
    held: VecDeque<Packet>,
    bursts: Bursts,
}

impl Ear {
    /// Gives a packet back if it may be listened to now.
    pub fn packet(&mut self, packet: Packet) -> Option<Packet> {
        let unknown = self.streams.values().filter(|stream| stream.owner.is_none()).count();
        if !self.streams.contains_key(&packet.ssrc) && unknown >= HELD_STREAMS {
            self.counts.unknown += 1;
            return None;
        }
        let stream = self.streams.entry(packet.ssrc).or_default();
        let Some(owner) = &stream.owner else {
            self.counts.unknown += stream.hold(packet);
            return None;
        };
        if self.standing.get(owner) != Some(&Standing::Heard) {
            self.counts.withheld += 1;
            return None;
        }
        stream.bursts.packet(&packet);
        if !packet.is_silence() {
            self.heard = Some(packet.arrived);
        }
        self.counts.passed += 1;
        Some(packet)
    }

    /// A stream is somebody's; gives what was held of it, if it may be listened to.
    pub fn speaker(&mut self, ssrc: u32, account: AccountId, now: Instant) -> Vec<Packet> {
        let may_hear = self.standing.get(&account) == Some(&Standing::Heard);
        let stream = self.streams.entry(ssrc).or_default();
        if stream.owner.as_ref() == Some(&account) {
            return Vec::new();
        }
        stream.owner = Some(account);
        stream.bursts = Bursts::default();
        let held = std::mem::take(&mut stream.held);
        if !may_hear {
            self.counts.withheld += held.len() as u64;
            return Vec::new();
        }
        let (fresh, stale): (Vec<Packet>, Vec<Packet>) =
            held.into_iter().partition(|packet| now.duration_since(packet.arrived) <= HELD_FOR);
        self.counts.unknown += stale.len() as u64;
        self.counts.passed += fresh.len() as u64;
        for packet in &fresh {
            stream.bursts.packet(packet);
        }
        fresh
    }

    /// Somebody agreed, or no longer does.
    pub fn stands(&mut self, account: &AccountId, standing: Standing) {
        self.standing.insert(account.clone(), standing);
    }

    /// Somebody left: whatever still comes on their streams is nobody's.
    pub fn left(&mut self, account: &AccountId) {
        self.standing.remove(account);
        self.streams.retain(|_, stream| stream.owner.as_ref() != Some(account));
    }

    /// A new connection: streams begin anew.
    pub fn reconnected(&mut self) {
        self.streams.clear();
    }

    /// Somebody whose speech arrives and cannot be read: at least for so long nothing of it was.
    pub fn deaf_to(&self, now: Instant, patience: Duration) -> Option<AccountId> {
        let deaf = self.streams.values().find(|stream| stream.bursts.are_unheard(now, patience))?;
        deaf.owner.clone()
    }

    /// When sound of somebody who may be heard last came, if any has.
    pub fn heard(&self) -> Option<Instant> {
        self.heard
    }

    /// What became of packets so far.
    pub fn counts(&self) -> PacketCounts {
        self.counts
    }
}

impl Stream {
    /// Keeps a packet for later; gives how many were thrown away for it.
    fn hold(&mut self, packet: Packet) -> u64 {
        let before = self.held.len();
        let now = packet.arrived;
        self.held.retain(|old| now.duration_since(old.arrived) <= HELD_FOR);
        if self.held.len() >= HELD {
            self.held.pop_front();
        }
        let dropped = before - self.held.len();
        self.held.push_back(packet);
        dropped as u64
    }
}

/// Whether bursts of speech are heard.
///
/// What cannot be decrypted never gets here: the voice library drops it without a word. But a client ends every burst
/// with frames of silence, which are not encrypted between members (daveprotocol.com, "Silence packets"), and packets are
/// numbered. So a silence that comes after a gap is a burst that was not heard.
#[derive(Debug, Clone, Copy, Default)]
struct Bursts {
    last: Option<u16>,
    unheard: u32,
    since: Option<Instant>,
}

impl Bursts {
    fn packet(&mut self, packet: &Packet) {
        let missing = self.last.map(|last| packet.sequence.wrapping_sub(last).wrapping_sub(1));
        // More than half of all numbers back is a packet that was overtaken.
        let is_late = missing.is_some_and(|missing| missing > u16::MAX / 2);
        if !is_late {
            self.last = Some(packet.sequence);
        }
        if !packet.is_silence() {
            (self.unheard, self.since) = (0, None);
        } else if !is_late && missing.is_none_or(|missing| missing >= UNHEARD_PACKETS) {
            self.unheard += 1;
            self.since.get_or_insert(packet.arrived);
        }
    }

    fn are_unheard(&self, now: Instant, patience: Duration) -> bool {
        let long_enough = self.since.is_some_and(|since| now.duration_since(since) >= patience);
        self.unheard >= UNHEARD_BURSTS && long_enough
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voice::frame::SILENCE;

    const PATIENCE: Duration = Duration::from_secs(10);

    fn alice() -> AccountId {
        AccountId::discord(2)
    }

    struct Scene {
        ear: Ear,
        start: Instant,
    }

    impl Scene {
        fn new() -> Self {
            Self { ear: Ear::default(), start: Instant::now() }
        }

        fn at(&self, ms: u64) -> Instant {
            self.start + Duration::from_millis(ms)
        }

        fn packet(&mut self, sequence: u16, ms: u64, opus: &[u8]) -> bool {
            let arrived = self.at(ms);
            let packet = Packet { ssrc: 7, sequence, timestamp: 0, opus: opus.into(), arrived };
            self.ear.packet(packet).is_some()
        }
    }

    #[test]
    fn only_who_agreed_is_passed_on() {
        let mut scene = Scene::new();
        scene.ear.speaker(7, alice(), scene.start);
        assert!(!scene.packet(1, 0, &[1]), "nothing is known of her");
        for (standing, passes) in [
            (Standing::Unheard, false),
            (Standing::Bot, false),
            (Standing::Heard, true),
            (Standing::Unheard, false),
        ] {
            scene.ear.stands(&alice(), standing);
            assert_eq!(scene.packet(2, 0, &[1]), passes, "{standing:?}");
        }
        scene.ear.stands(&alice(), Standing::Heard);
        scene.ear.left(&alice());
        assert!(!scene.packet(3, 0, &[1]), "a stream of somebody who left");
        assert_eq!(scene.ear.counts(), PacketCounts { passed: 1, withheld: 4, unknown: 0 });
    }

    #[test]
    fn what_comes_before_it_is_known_whose_it_is_is_held_for_two_seconds() {
        let mut scene = Scene::new();
        scene.ear.stands(&alice(), Standing::Heard);
        for sequence in 0..150 {
            assert!(!scene.packet(sequence, u64::from(sequence) * 20, &[1]));
        }
        let held = scene.ear.speaker(7, alice(), scene.at(150 * 20));
        assert_eq!(held.len(), 100);
        assert_eq!((held[0].sequence, held[99].sequence), (50, 149));
        assert_eq!(scene.ear.counts(), PacketCounts { passed: 100, withheld: 0, unknown: 50 });
        assert!(scene.packet(150, 3000, &[1]));
        assert!(scene.ear.speaker(7, alice(), scene.at(3100)).is_empty(), "known already");
    }

    #[test]
    fn what_is_held_of_somebody_who_did_not_agree_is_thrown_away() {
        let mut scene = Scene::new();
        scene.ear.stands(&alice(), Standing::Unheard);
        scene.packet(0, 0, &[1]);
        assert!(scene.ear.speaker(7, alice(), scene.start).is_empty());
        scene.ear.stands(&alice(), Standing::Heard);
        assert_eq!(scene.ear.counts().withheld, 1);
        assert!(scene.packet(1, 20, &[1]), "what comes after agreeing is heard");
    }

    #[test]
    fn strangers_cannot_fill_the_memory() {
        let mut scene = Scene::new();
        for ssrc in 0..1000 {
            let packet =
                Packet { ssrc, sequence: 0, timestamp: 0, opus: Box::from([1]), arrived: scene.start };
            scene.ear.packet(packet);
        }
        assert_eq!(scene.ear.streams.len(), HELD_STREAMS);
        assert_eq!(scene.ear.counts().unknown, 1000 - HELD_STREAMS as u64);
    }

    #[test]
    fn bursts_of_which_only_the_silence_comes_through_are_a_sign_of_deafness() {
        let mut scene = Scene::new();
        scene.ear.stands(&alice(), Standing::Heard);
        scene.ear.speaker(7, alice(), scene.start);
        // Heard: ten packets and the end.
        for sequence in 0..10 {
            scene.packet(sequence, u64::from(sequence) * 20, &[1]);
        }
        for sequence in 10..15 {
            scene.packet(sequence, 300, &SILENCE);
        }
        assert_eq!(scene.ear.deaf_to(scene.at(60_000), PATIENCE), None, "quiet is not deafness");
        // Not heard: sixty packets are missing, then only the end comes.
        for sequence in 75..80 {
            scene.packet(sequence, 2_000, &SILENCE);
        }
        assert_eq!(scene.ear.deaf_to(scene.at(60_000), PATIENCE), None, "one burst may be an accident");
        for sequence in 140..145 {
            scene.packet(sequence, 8_000, &SILENCE);
        }
        assert_eq!(scene.ear.deaf_to(scene.at(11_000), PATIENCE), None, "not for long enough");
        assert_eq!(scene.ear.deaf_to(scene.at(12_000), PATIENCE), Some(alice()));
        scene.packet(145, 12_100, &[1]);
        assert_eq!(scene.ear.deaf_to(scene.at(60_000), PATIENCE), None, "heard again");
    }

    #[test]
    fn lost_and_overtaken_packets_are_no_deafness() {
        let mut scene = Scene::new();
        scene.ear.stands(&alice(), Standing::Heard);
        scene.ear.speaker(7, alice(), scene.start);
        let mut sequence = 65_000_u16;
        for burst in 0..20_u64 {
            for step in 0..20 {
                // Every third is lost, and two change places.
                if step % 3 != 0 {
                    scene.packet(sequence ^ 1, burst * 1000, &[1]);
                }
                sequence = sequence.wrapping_add(1);
            }
            for _ in 0..5 {
                scene.packet(sequence ^ 1, burst * 1000 + 500, &SILENCE);
                sequence = sequence.wrapping_add(1);
            }
        }
        assert_eq!(scene.ear.deaf_to(scene.at(100_000), PATIENCE), None);
    }
}
