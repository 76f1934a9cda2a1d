//! One speaker's packets, put back into order.
//!
//! Owns when a packet is played, waited for or given up. Must not know what is in one. Start reading at
//! [`Jitter::push`].

use std::time::Duration;

use tokio::time::Instant;

use crate::voice::frame::Packet;

/// How long a missing packet is waited for: two frames (specs voice 2.1).
pub const GAP_WAIT: Duration = Duration::from_millis(40);

/// A jump of more packets than this is a new beginning, not a loss.
const RESYNC: i16 = 25;

/// What to do next, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Decode this.
    Play(Packet),
    /// So many packets never came; the one that plays next may help to guess the last of them.
    Conceal(u16),
}

/// What became of packets so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JitterFigures {
    /// Played, in order.
    pub played: u64,
    /// Came after they had been given up, or twice.
    pub late: u64,
    /// Never came.
    pub lost: u64,
    /// New beginnings.
    pub resyncs: u64,
}

/// Puts packets into order.
#[derive(Debug, Default)]
pub struct Jitter {
    /// The sequence number that is due; unknown before the first packet and after a pause.
    next: Option<u16>,
    /// The newest that was played.
    last: Option<u16>,
    /// Ahead of their time, in order.
    held: Vec<Packet>,
    gap_since: Option<Instant>,
    figures: JitterFigures,
}

impl Jitter {
    /// A packet came at `now`. Adds to `steps` what is to be done about it.
    pub fn push(&mut self, packet: Packet, now: Instant, steps: &mut Vec<Step>) {
        let Some(due) = self.next else {
            let is_old = self.last.is_some_and(|last| (-RESYNC..=0).contains(&ahead(packet.sequence, last)));
            if is_old {
                self.figures.late += 1;
            } else {
                self.play(packet, steps);
            }
            return;
        };
        let ahead = ahead(packet.sequence, due);
        if ahead == 0 {
            self.play(packet, steps);
            self.play_held(steps);
        } else if !(-RESYNC..=RESYNC).contains(&ahead) {
            self.figures.resyncs += 1;
            self.held.clear();
            self.gap_since = None;
            self.play(packet, steps);
        } else if ahead < 0 {
            self.figures.late += 1;
        } else {
            let after = |held: &Packet| self::ahead(held.sequence, due);
            match self.held.binary_search_by_key(&ahead, after) {
                Ok(_) => self.figures.late += 1,
                Err(at) => {
                    self.held.insert(at, packet);
                    self.gap_since.get_or_insert(now);
                }
            }
        }
    }

    /// When [`Self::expire`] has something to do, if nothing comes before.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.gap_since.map(|since| since + GAP_WAIT)
    }

    /// Gives up what was waited for too long.
    pub fn expire(&mut self, now: Instant, steps: &mut Vec<Step>) {
        if self.deadline().is_some_and(|deadline| deadline <= now) {
            self.give_up_first(steps);
            // What is still missing behind it has been so for as long, at most.
            if !self.held.is_empty() {
                self.gap_since = Some(now);
            }
        }
    }

    /// Nothing came for a while: what is held is played, and the next packet counts as a beginning.
    pub fn pause(&mut self, steps: &mut Vec<Step>) {
        while !self.held.is_empty() {
            self.give_up_first(steps);
        }
        self.next = None;
    }

    /// What became of packets so far.
    #[must_use]
    pub fn figures(&self) -> JitterFigures {
        self.figures
    }

    fn give_up_first(&mut self, steps: &mut Vec<Step>) {
        let (Some(due), Some(first)) = (self.next, self.held.first()) else { return };
        let lost = first.sequence.wrapping_sub(due);
        self.figures.lost += u64::from(lost);
        steps.push(Step::Conceal(lost));
        self.next = Some(first.sequence);
        self.play_held(steps);
    }

    fn play_held(&mut self, steps: &mut Vec<Step>) {
        while self.held.first().is_some_and(|first| Some(first.sequence) == self.next) {
            let packet = self.held.remove(0);
            self.play(packet, steps);
        }
        if self.held.is_empty() {
            self.gap_since = None;
        }
    }

    fn play(&mut self, packet: Packet, steps: &mut Vec<Step>) {
        self.figures.played += 1;
        self.last = Some(packet.sequence);
        self.next = Some(packet.sequence.wrapping_add(1));
        steps.push(Step::Play(packet));
    }
}

/// How far `sequence` is ahead of `of`, across the wrap.
fn ahead(sequence: u16, of: u16) -> i16 {
    sequence.wrapping_sub(of).cast_signed()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn packet(sequence: u16) -> Packet {
        Packet { ssrc: 1, sequence, timestamp: 0, opus: Box::default(), arrived: Instant::now() }
    }

    #[derive(Default)]
    struct Bench {
        jitter: Jitter,
        steps: Vec<Step>,
    }

    impl Bench {
        fn push(&mut self, sequence: u16, now: Instant) -> &mut Self {
            self.jitter.push(packet(sequence), now, &mut self.steps);
            self
        }

        fn done(&mut self) -> Vec<String> {
            let word = |step: Step| match step {
                Step::Play(packet) => packet.sequence.to_string(),
                Step::Conceal(lost) => format!("-{lost}"),
            };
            std::mem::take(&mut self.steps).into_iter().map(word).collect()
        }
    }

    #[test]
    fn packets_in_order_pass_at_once_also_across_the_wrap() {
        let now = Instant::now();
        let mut bench = Bench::default();
        bench.push(65_534, now).push(65_535, now).push(0, now).push(1, now);
        assert_eq!(bench.done(), ["65534", "65535", "0", "1"]);
        assert_eq!(bench.jitter.deadline(), None);
    }

    #[test]
    fn a_gap_is_waited_for_two_frames_and_then_concealed() {
        let now = Instant::now();
        let mut bench = Bench::default();
        bench.push(5, now).push(7, now).push(8, now);
        assert_eq!(bench.done(), ["5"]);
        assert_eq!(bench.jitter.deadline(), Some(now + GAP_WAIT));
        bench.jitter.expire(now + GAP_WAIT, &mut bench.steps);
        assert_eq!(bench.done(), ["-1", "7", "8"]);
        bench.push(6, now);
        assert_eq!(bench.done(), [""; 0], "too late");
        assert_eq!(bench.jitter.figures(), JitterFigures { played: 3, late: 1, lost: 1, resyncs: 0 });
    }

    #[test]
    fn what_comes_in_time_is_put_where_it_belongs() {
        let now = Instant::now();
        let mut bench = Bench::default();
        bench.push(5, now).push(8, now).push(7, now).push(7, now).push(6, now);
        assert_eq!(bench.done(), ["5", "6", "7", "8"]);
        assert_eq!(bench.jitter.figures().late, 1, "one came twice");
    }

    #[test]
    fn a_jump_is_a_new_beginning() {
        let now = Instant::now();
        let mut bench = Bench::default();
        bench.push(5, now).push(6, now).push(4000, now).push(4001, now).push(10, now);
        assert_eq!(bench.done(), ["5", "6", "4000", "4001", "10"]);
        assert_eq!(bench.jitter.figures().resyncs, 2);
    }

    #[test]
    fn after_a_pause_nothing_is_missed_and_nothing_old_is_played() {
        let now = Instant::now();
        let mut bench = Bench::default();
        bench.push(5, now).push(7, now);
        bench.jitter.pause(&mut bench.steps);
        assert_eq!(bench.done(), ["5", "-1", "7"]);
        bench.push(6, now).push(12, now).push(13, now);
        assert_eq!(bench.done(), ["12", "13"]);
    }

    proptest! {
        /// Whatever the network does, each packet is played at most once, in order between two beginnings, and at the end
        /// nothing is left lying.
        #[test]
        fn packets_are_played_once_and_in_order(
            moves in prop::collection::vec((0_u16..60, 0_u64..50), 1..200),
        ) {
            let mut now = Instant::now();
            let mut bench = Bench::default();
            for (at, (offset, wait)) in (0_u16..).zip(moves) {
                now += Duration::from_millis(wait);
                bench.jitter.expire(now, &mut bench.steps);
                // Around where it should be, some early, some twice.
                bench.push(at.wrapping_add(offset / 10), now);
            }
            bench.jitter.pause(&mut bench.steps);
            prop_assert!(bench.jitter.held.is_empty());
            let played: Vec<u16> = bench.steps.iter().filter_map(|step| match step {
                Step::Play(packet) => Some(packet.sequence),
                Step::Conceal(_) => None,
            }).collect();
            prop_assert!(played.windows(2).all(|pair| pair[0] < pair[1]), "{played:?}");
        }
    }
}
