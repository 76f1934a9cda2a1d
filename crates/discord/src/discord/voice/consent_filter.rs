//! Whose packets are passed on, and whether they can be understood.
//!
//! Owns the gate in front of everything that decodes: what somebody says who did not agree to be heard is counted and
//! thrown away as it came; and the signs that somebody speaks and is not heard. Pure: time comes with the packets. Must
//! not know where packets come from. Start reading at [`ConsentFilter::packet`].

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use tokio::time::Instant;

use crate::domain::AccountId;
use crate::voice::frame::{FRAME_TIME, Packet};

/// How long packets wait for word of whose they are (voice 2.1): Discord does not always say so first.
const HELD_FOR: Duration = Duration::from_secs(2);

/// How many of one stream wait: two seconds of speech.
const HELD: usize = 100;

/// Streams of unknown speakers that packets are held of. A call has few; more is somebody playing games.
const HELD_STREAMS: usize = 32;

/// A burst of speech of which fewer packets than this are missing may simply have been short.
const UNHEARD_PACKETS: u16 = 10;

/// After so many unheard bursts it is no accident.
const UNHEARD_BURSTS: u32 = 2;

/// Nor is it after one of this many packets, a second of sound.
const UNHEARD_AT_ONCE: u32 = 50;

/// From this many packets on, half a second, a stream that is nobody's is somebody talking. Fewer may be what was on its
/// way when they left.
const UNPLACED_PACKETS: u32 = 25;

/// Whether somebody may be listened to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SpeakerStanding {
    Heard,
    Unheard,
    /// A bot; often music.
    Bot,
}

/// What became of packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PacketCounts {
    pub passed: u64,
    /// Thrown away unread: of people who did not agree, and of bots.
    pub withheld: u64,
    /// Thrown away because nobody said whose they were.
    pub unknown: u64,
}

/// Somebody who speaks and is not heard, though they may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unheard {
    /// Nothing of what they send can be read.
    Of(AccountId),
    /// Nobody said whose stream it is.
    Unplaced,
}

/// The streams of one connection.
#[derive(Debug, Default)]
pub(super) struct ConsentFilter {
    streams: HashMap<u32, Stream>,
    standing: HashMap<AccountId, SpeakerStanding>,
    counts: PacketCounts,
    heard: Option<Instant>,
}

#[derive(Debug, Default)]
struct Stream {
    owner: Option<AccountId>,
    /// When it was told whose it is.
    told: Option<Instant>,
    held: VecDeque<Packet>,
    bursts: Bursts,
    /// While it is nobody's: when its first packet came, and how many with sound there were.
    first: Option<Instant>,
    sounding: u32,
}

impl ConsentFilter {
    /// Gives a packet back if it may be listened to now.
    pub(super) fn packet(&mut self, packet: Packet) -> Option<(AccountId, Packet)> {
        let unknown = self.streams.values().filter(|stream| stream.owner.is_none()).count();
        if !self.streams.contains_key(&packet.ssrc) && unknown >= HELD_STREAMS {
            self.counts.unknown += 1;
            return None;
        }
        let stream = self.streams.entry(packet.ssrc).or_default();
        let Some(owner) = stream.owner.clone() else {
            self.counts.unknown += stream.hold(packet);
            return None;
        };
        if self.standing.get(&owner) != Some(&SpeakerStanding::Heard) {
            self.counts.withheld += 1;
            return None;
        }
        stream.bursts.packet(&packet);
        if !packet.is_silence() {
            self.heard = Some(packet.arrived);
        }
        self.counts.passed += 1;
        Some((owner, packet))
    }

    /// A stream is somebody's; gives what was held of it, if it may be listened to.
    pub(super) fn speaker(&mut self, ssrc: u32, account: AccountId, now: Instant) -> Vec<Packet> {
        let may_hear = self.standing.get(&account) == Some(&SpeakerStanding::Heard);
        let stream = self.streams.entry(ssrc).or_default();
        if stream.owner.as_ref() == Some(&account) {
            return Vec::new();
        }
        (stream.owner, stream.told) = (Some(account), Some(now));
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
    pub(super) fn stands(&mut self, account: &AccountId, standing: SpeakerStanding) {
        self.standing.insert(account.clone(), standing);
    }

    /// Somebody's connection to the call ended: whatever still comes on its streams is nobody's. They may be back at once,
    /// with another stream, and never have left the channel: what they agreed to holds, and a stream that was just told of
    /// is taken to be of their next connection.
    pub(super) fn hung_up(&mut self, account: &AccountId, now: Instant) {
        let is_fresh = |stream: &Stream| stream.told.is_some_and(|told| now.duration_since(told) <= HELD_FOR);
        self.streams.retain(|_, stream| stream.owner.as_ref() != Some(account) || is_fresh(stream));
    }

    /// Somebody is no longer in the channel: nothing of theirs is passed on. Whose their streams are is not forgotten, for
    /// word of them may have come before word of their return.
    pub(super) fn left(&mut self, account: &AccountId) {
        self.standing.remove(account);
    }

    /// A new connection: streams begin anew.
    pub(super) fn reconnected(&mut self) {
        self.streams.clear();
    }

    /// Everybody who has been speaking for at least so long without being heard. A stream that is nobody's counts where
    /// anybody may be heard at all: it may be theirs.
    pub(super) fn unheard(&self, now: Instant, patience: Duration) -> Vec<Unheard> {
        let hears_anybody = self.standing.values().any(|standing| *standing == SpeakerStanding::Heard);
        let unheard = self.streams.values().filter_map(|stream| match &stream.owner {
            Some(owner) => stream.bursts.are_unheard(now, patience).then(|| Unheard::Of(owner.clone())),
            None => (hears_anybody && stream.is_unplaced(now, patience)).then_some(Unheard::Unplaced),
        });
        unheard.collect()
    }

    /// When sound of somebody who may be heard last came, if any has.
    pub(super) fn last_heard(&self) -> Option<Instant> {
        self.heard
    }

    /// What became of packets so far.
    pub(super) fn counts(&self) -> PacketCounts {
        self.counts
    }
}

impl Stream {
    /// Keeps a packet for later; gives how many were thrown away for it.
    fn hold(&mut self, packet: Packet) -> u64 {
        self.first.get_or_insert(packet.arrived);
        self.sounding += u32::from(!packet.is_silence());
        self.bursts.packet(&packet);
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

    /// Under members' encryption only the silence at the end of speech comes of a stream that is nobody's: without a name
    /// there are no keys for it.
    fn is_unplaced(&self, now: Instant, patience: Duration) -> bool {
        let is_speech = self.sounding >= UNPLACED_PACKETS || self.bursts.are_no_accident();
        is_speech && self.first.is_some_and(|first| now.duration_since(first) >= patience)
    }
}

/// Whether bursts of speech are heard.
///
/// What cannot be decrypted never gets here: the voice library drops it without a word. But a client ends every burst
/// with frames of silence, which are not encrypted between members (daveprotocol.com, "Silence packets"), and packets are
/// numbered. So a silence that comes after a gap, with no sound since the last one, is a burst that was not heard; it began
/// as many frames before as are missing.
#[derive(Debug, Clone, Copy, Default)]
struct Bursts {
    last: Option<u16>,
    /// Something was heard since the last silence.
    sounded: bool,
    unheard: u32,
    missing: u32,
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
            *self = Self { last: self.last, sounded: true, ..Self::default() };
            return;
        }
        if is_late {
            return;
        }
        let is_burst = missing.is_none_or(|missing| missing >= UNHEARD_PACKETS);
        let is_end_of_sound = std::mem::take(&mut self.sounded);
        if is_burst && !is_end_of_sound {
            let missing = u32::from(missing.unwrap_or_default());
            let began = packet.arrived.checked_sub(FRAME_TIME * missing);
            self.unheard += 1;
            self.missing += missing;
            self.since.get_or_insert(began.unwrap_or(packet.arrived));
        }
    }

    fn are_no_accident(&self) -> bool {
        self.unheard >= UNHEARD_BURSTS || self.missing >= UNHEARD_AT_ONCE
    }

    fn are_unheard(&self, now: Instant, patience: Duration) -> bool {
        self.are_no_accident() && self.since.is_some_and(|since| now.duration_since(since) >= patience)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voice::frame::SILENCE;

    const PATIENCE: Duration = Duration::from_secs(5);

    fn alice() -> AccountId {
        AccountId::discord(2)
    }

    struct Scene {
        filter: ConsentFilter,
        start: Instant,
    }

    impl Scene {
        fn new() -> Self {
            Self { filter: ConsentFilter::default(), start: Instant::now() }
        }

        fn at(&self, ms: u64) -> Instant {
            self.start + Duration::from_millis(ms)
        }

        fn packet(&mut self, sequence: u16, ms: u64, opus: &[u8]) -> bool {
            let arrived = self.at(ms);
            let packet = Packet { ssrc: 7, sequence, timestamp: 0, opus: opus.into(), arrived };
            self.filter.packet(packet).is_some()
        }
    }

    #[test]
    fn only_who_agreed_is_passed_on() {
        let mut scene = Scene::new();
        scene.filter.speaker(7, alice(), scene.start);
        assert!(!scene.packet(1, 0, &[1]), "nothing is known of her");
        for (standing, passes) in [
            (SpeakerStanding::Unheard, false),
            (SpeakerStanding::Bot, false),
            (SpeakerStanding::Heard, true),
            (SpeakerStanding::Unheard, false),
        ] {
            scene.filter.stands(&alice(), standing);
            assert_eq!(scene.packet(2, 0, &[1]), passes, "{standing:?}");
        }
        scene.filter.stands(&alice(), SpeakerStanding::Heard);
        scene.filter.left(&alice());
        assert!(!scene.packet(3, 0, &[1]), "she is not in the channel any more");
        assert_eq!(scene.filter.counts(), PacketCounts { passed: 1, withheld: 5, unknown: 0 });
    }

    #[test]
    fn who_connects_anew_without_leaving_is_heard_on() {
        let mut scene = Scene::new();
        scene.filter.stands(&alice(), SpeakerStanding::Heard);
        scene.filter.speaker(7, alice(), scene.start);
        assert!(scene.packet(1, 0, &[1]));
        scene.filter.hung_up(&alice(), scene.at(60_000));
        assert!(!scene.packet(2, 60_020, &[1]), "that stream is nobody's any more");
        scene.filter.speaker(7, alice(), scene.at(60_040));
        assert!(scene.packet(3, 60_060, &[1]));
        // Word of the end of the old connection comes late.
        scene.filter.hung_up(&alice(), scene.at(60_080));
        assert!(scene.packet(4, 60_100, &[1]));
        // She is out of the channel and in again, and word of her stream comes before word of her.
        scene.filter.left(&alice());
        scene.filter.stands(&alice(), SpeakerStanding::Heard);
        assert!(scene.packet(5, 60_120, &[1]));
    }

    #[test]
    fn what_comes_before_it_is_known_whose_it_is_is_held_for_two_seconds() {
        let mut scene = Scene::new();
        scene.filter.stands(&alice(), SpeakerStanding::Heard);
        for sequence in 0..150 {
            assert!(!scene.packet(sequence, u64::from(sequence) * 20, &[1]));
        }
        let held = scene.filter.speaker(7, alice(), scene.at(150 * 20));
        assert_eq!(held.len(), 100);
        assert_eq!((held[0].sequence, held[99].sequence), (50, 149));
        assert_eq!(scene.filter.counts(), PacketCounts { passed: 100, withheld: 0, unknown: 50 });
        assert!(scene.packet(150, 3000, &[1]));
        assert!(scene.filter.speaker(7, alice(), scene.at(3100)).is_empty(), "known already");
    }

    #[test]
    fn what_is_held_of_somebody_who_did_not_agree_is_thrown_away() {
        let mut scene = Scene::new();
        scene.filter.stands(&alice(), SpeakerStanding::Unheard);
        scene.packet(0, 0, &[1]);
        assert!(scene.filter.speaker(7, alice(), scene.start).is_empty());
        scene.filter.stands(&alice(), SpeakerStanding::Heard);
        assert_eq!(scene.filter.counts().withheld, 1);
        assert!(scene.packet(1, 20, &[1]), "what comes after agreeing is heard");
    }

    #[test]
    fn strangers_cannot_fill_the_memory() {
        let mut scene = Scene::new();
        for ssrc in 0..1000 {
            let packet =
                Packet { ssrc, sequence: 0, timestamp: 0, opus: Box::from([1]), arrived: scene.start };
            scene.filter.packet(packet);
        }
        assert_eq!(scene.filter.streams.len(), HELD_STREAMS);
        assert_eq!(scene.filter.counts().unknown, 1000 - HELD_STREAMS as u64);
    }

    #[test]
    fn bursts_of_which_only_the_silence_comes_through_are_a_sign_of_deafness() {
        let mut scene = Scene::new();
        scene.filter.stands(&alice(), SpeakerStanding::Heard);
        scene.filter.speaker(7, alice(), scene.start);
        // Heard: ten packets and the end.
        for sequence in 0..10 {
            scene.packet(sequence, u64::from(sequence) * 20, &[1]);
        }
        for sequence in 10..15 {
            scene.packet(sequence, 300, &SILENCE);
        }
        assert_eq!(scene.filter.unheard(scene.at(60_000), PATIENCE), [], "quiet is not deafness");
        // Not heard: thirty packets are missing, then only the end comes.
        for sequence in 45..50 {
            scene.packet(sequence, 2_000, &SILENCE);
        }
        assert_eq!(
            scene.filter.unheard(scene.at(60_000), PATIENCE),
            [],
            "one short burst may be an accident"
        );
        for sequence in 65..70 {
            scene.packet(sequence, 5_000, &SILENCE);
        }
        // It began thirty frames before its end: five seconds from there on.
        assert_eq!(scene.filter.unheard(scene.at(6_399), PATIENCE), [], "not for long enough");
        assert_eq!(scene.filter.unheard(scene.at(6_400), PATIENCE), [Unheard::Of(alice())]);
        scene.packet(70, 12_100, &[1]);
        assert_eq!(scene.filter.unheard(scene.at(60_000), PATIENCE), [], "heard again");
    }

    #[test]
    fn one_long_burst_is_enough_and_counts_from_its_beginning() {
        let mut scene = Scene::new();
        scene.filter.stands(&alice(), SpeakerStanding::Heard);
        scene.filter.speaker(7, alice(), scene.start);
        scene.packet(0, 0, &SILENCE);
        // Seven seconds of speech, from the first on.
        scene.packet(351, 8_000, &SILENCE);
        assert_eq!(scene.filter.unheard(scene.at(8_000), PATIENCE), [Unheard::Of(alice())]);
    }

    #[test]
    fn a_burst_of_which_the_end_is_lost_was_heard() {
        let mut scene = Scene::new();
        scene.filter.stands(&alice(), SpeakerStanding::Heard);
        scene.filter.speaker(7, alice(), scene.start);
        for burst in 0..5_u16 {
            scene.packet(burst * 200, u64::from(burst) * 4_000, &[1]);
            scene.packet(burst * 200 + 150, u64::from(burst) * 4_000 + 3_000, &SILENCE);
        }
        assert_eq!(scene.filter.unheard(scene.at(100_000), PATIENCE), []);
    }

    #[test]
    fn a_stream_that_is_nobodys_for_long_is_told_of_where_anybody_may_be_heard() {
        for is_encrypted in [false, true] {
            let mut scene = Scene::new();
            for sequence in 0..60_u16 {
                // Under members' encryption only the silence after each burst arrives.
                if !is_encrypted {
                    scene.packet(sequence, u64::from(sequence) * 20, &[1]);
                } else if sequence % 20 == 19 {
                    scene.packet(sequence, u64::from(sequence) * 20, &SILENCE);
                }
            }
            let late = scene.at(6_000);
            assert_eq!(scene.filter.unheard(late, PATIENCE), [], "nobody agreed: nobody is missed");
            scene.filter.stands(&alice(), SpeakerStanding::Heard);
            assert_eq!(scene.filter.unheard(scene.at(4_999), PATIENCE), [], "word of it may still come");
            assert_eq!(
                scene.filter.unheard(late, PATIENCE),
                [Unheard::Unplaced],
                "encrypted: {is_encrypted}"
            );
            scene.filter.speaker(7, alice(), late);
            assert_eq!(scene.filter.unheard(late, PATIENCE), []);
        }
    }

    #[test]
    fn what_was_on_its_way_when_somebody_left_is_nobody_talking() {
        let mut scene = Scene::new();
        scene.filter.stands(&alice(), SpeakerStanding::Heard);
        for sequence in 0..20 {
            scene.packet(sequence, u64::from(sequence) * 20, &[1]);
        }
        scene.packet(20, 400, &SILENCE);
        assert_eq!(scene.filter.unheard(scene.at(60_000), PATIENCE), []);
    }

    #[test]
    fn lost_and_overtaken_packets_are_no_deafness() {
        let mut scene = Scene::new();
        scene.filter.stands(&alice(), SpeakerStanding::Heard);
        scene.filter.speaker(7, alice(), scene.start);
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
        assert_eq!(scene.filter.unheard(scene.at(100_000), PATIENCE), []);
    }
}
