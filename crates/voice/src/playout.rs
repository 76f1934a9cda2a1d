//! What is about to be heard of the familiar: one queue of samples that is always there.
//!
//! Owns the loudness and the order of samples and counts what was really taken. Must not know words or providers. A
//! bridge pulls a frame every 20 ms from a thread that may never wait; the speech output pushes. Start reading at
//! [`Playout::pull`].

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;

/// Length of a fade where sound begins or ends in the middle, in samples at 48 kHz: 5 ms (voice 2.3).
const FADE: usize = 240;

/// How far the loudness moves per sample: all the way in 10 ms, which is heard as a fade and not as a click.
const GAIN_STEP: f32 = 1.0 / 480.0;

/// For so many frames something is expected, if nothing comes: three seconds.
const EXPECTED: u32 = 150;

/// How often [`Playout::pull`] looks whether the other side has let go, before it gives silence for this frame. Letting
/// go takes some hundred nanoseconds.
const TRIES: u32 = 256;

/// Samples that wait to be heard, 48 kHz mono.
#[derive(Debug, Default)]
pub struct Playout {
    state: Mutex<PlaybackState>,
    /// For how many frames more something is expected.
    expected: AtomicU32,
    begins: Notify,
}

#[derive(Debug)]
struct PlaybackState {
    pieces: VecDeque<Vec<f32>>,
    /// How much of the first piece was taken.
    taken: usize,
    queued: u64,
    position: u64,
    pulls: u64,
    held: bool,
    gain: f32,
    target: f32,
    /// Samples that still have to fade out, after the queue was emptied or held.
    tail: VecDeque<f32>,
    /// The next sample taken begins in the middle of something.
    fade_in: usize,
    /// Pieces whose samples were all taken; whoever pushes throws them away, so that the puller never frees memory.
    spent: Vec<Vec<f32>>,
}

impl Default for PlaybackState {
    fn default() -> Self {
        Self {
            pieces: VecDeque::new(),
            taken: 0,
            queued: 0,
            position: 0,
            pulls: 0,
            held: false,
            gain: 1.0,
            target: 1.0,
            tail: VecDeque::with_capacity(FADE),
            fade_in: 0,
            spent: Vec::with_capacity(64),
        }
    }
}

impl PlaybackState {
    fn take(&mut self) -> Option<f32> {
        loop {
            let piece = self.pieces.front()?;
            if let Some(sample) = piece.get(self.taken) {
                self.taken += 1;
                self.position += 1;
                self.queued -= 1;
                return Some(*sample);
            }
            self.taken = 0;
            if let Some(done) = self.pieces.pop_front() {
                self.spent.push(done);
            }
        }
    }

    /// What comes next fades out.
    fn fade_out(&mut self) {
        for left in (0..FADE).rev() {
            let Some(sample) = self.take() else { break };
            self.tail.push_back(sample * left as f32 / FADE as f32);
        }
    }
}

impl Playout {
    pub fn new() -> Self {
        Self::default()
    }

    /// Fills `out` with what comes next, 48 kHz mono in -1 to 1, and zeros where nothing does. Never waits: where the
    /// other side is just touching the queue, this frame is silent. Gives whether anything was to be heard.
    pub fn pull(&self, out: &mut [f32]) -> bool {
        out.fill(0.0);
        let one_less = |left: u32| left.checked_sub(1);
        // Nobody else counts down; whoever sets it meanwhile wins.
        let _at_zero = self.expected.fetch_update(Ordering::AcqRel, Ordering::Acquire, one_less);
        let Some(mut state) = self.now() else { return false };
        let state = &mut *state;
        state.pulls += 1;
        let mut is_heard = false;
        for slot in out {
            let sample = if let Some(sample) = state.tail.pop_front() {
                sample
            } else if state.held {
                break;
            } else if let Some(sample) = state.take() {
                let faded = sample * (FADE - state.fade_in) as f32 / FADE as f32;
                state.fade_in = state.fade_in.saturating_sub(1);
                faded
            } else {
                break;
            };
            let way = state.target - state.gain;
            state.gain += way.clamp(-GAIN_STEP, GAIN_STEP);
            *slot = sample * state.gain;
            is_heard = true;
        }
        if !is_heard {
            // Silence is no place to fade in: what comes next begins at its proper loudness.
            state.gain = state.target;
        }
        is_heard
    }

    fn now(&self) -> Option<MutexGuard<'_, PlaybackState>> {
        for _ in 0..TRIES {
            if let Some(state) = self.state.try_lock() {
                return Some(state);
            }
            std::hint::spin_loop();
        }
        None
    }

    /// Something is about to come, or is not any more: a microphone that takes a frame to open is opened now. Holds for
    /// three seconds.
    pub fn expect(&self, soon: bool) {
        self.expected.store(if soon { EXPECTED } else { 0 }, Ordering::Release);
        if soon {
            self.begins.notify_one();
        }
    }

    /// Waits until something is said to be about to come. One waits at a time.
    pub async fn expected(&self) {
        self.begins.notified().await;
    }

    /// Whether something is about to come.
    pub fn is_expecting(&self) -> bool {
        self.expected.load(Ordering::Acquire) > 0
    }

    /// Puts samples at the end.
    pub fn push(&self, samples: Vec<f32>) {
        if samples.is_empty() {
            return;
        }
        self.expect(false);
        let spent = {
            let mut state = self.state.lock();
            state.queued += samples.len() as u64;
            state.pieces.push_back(samples);
            std::mem::replace(&mut state.spent, Vec::with_capacity(64))
        };
        drop(spent);
    }

    /// Throws away what was not heard yet, fading out over 5 ms, and gives the [`position`](Self::position) reached.
    /// What is pushed next is heard, held or not before.
    pub fn clear(&self) -> u64 {
        let thrown = {
            let mut state = self.state.lock();
            if state.held {
                state.tail.clear();
            } else {
                state.fade_out();
            }
            state.held = false;
            state.taken = 0;
            state.queued = 0;
            state.fade_in = 0;
            state.target = 1.0;
            let position = state.position;
            (std::mem::take(&mut state.pieces), position)
        };
        thrown.1
    }

    /// Stops in the middle, or goes on where it stopped. What waits stays.
    pub fn hold(&self, held: bool) {
        let mut state = self.state.lock();
        if held == state.held {
            return;
        }
        if held && state.position > 0 {
            state.fade_out();
            state.fade_in = FADE;
        }
        state.held = held;
    }

    /// Quieter by so many decibels, from now on; 0 is as loud as it came.
    pub fn duck(&self, decibels: f32) {
        self.state.lock().target = 10_f32.powf(-decibels.max(0.0) / 20.0);
    }

    /// How many samples were taken of everything that was ever pushed.
    pub fn position(&self) -> u64 {
        self.state.lock().position
    }

    /// Where what is pushed now will begin, in the counting of [`Self::position`].
    pub fn end(&self) -> u64 {
        let state = self.state.lock();
        state.position + state.queued
    }

    pub fn queued(&self) -> u64 {
        self.state.lock().queued
    }

    /// How often a frame was pulled: a bridge that is there pulls fifty times a second.
    pub fn pulls(&self) -> u64 {
        self.state.lock().pulls
    }

    /// Whether everything was taken.
    pub fn is_idle(&self) -> bool {
        let state = self.state.lock();
        state.queued == 0 && state.tail.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::OUT_FRAME;

    fn frame(playout: &Playout) -> Vec<f32> {
        let mut out = vec![9.0; OUT_FRAME];
        playout.pull(&mut out);
        out
    }

    #[test]
    fn what_is_pushed_is_pulled_once_in_order_and_then_silence() {
        let playout = Playout::new();
        playout.push(vec![0.25; 500]);
        playout.push(vec![0.5; 700]);
        assert_eq!(playout.end(), 1200);
        let first = frame(&playout);
        assert!(first[..500].iter().all(|s| *s == 0.25) && first[500..].iter().all(|s| *s == 0.5));
        assert_eq!((playout.position(), playout.queued()), (960, 240));
        let second = frame(&playout);
        assert!(second[..240].iter().all(|s| *s == 0.5) && second[240..].iter().all(|s| *s == 0.0));
        assert!(playout.is_idle());
        assert!(frame(&playout).iter().all(|s| *s == 0.0));
        assert_eq!(playout.position(), 1200, "silence is not counted");
    }

    #[test]
    fn clearing_fades_out_within_five_milliseconds() {
        let playout = Playout::new();
        playout.push(vec![0.5; 5000]);
        frame(&playout);
        assert_eq!(playout.clear(), 960 + 240);
        let last = frame(&playout);
        assert!(last[0] > 0.4 && last[120] < 0.3 && last[240..].iter().all(|s| *s == 0.0));
        playout.push(vec![0.5; 960]);
        assert_eq!(frame(&playout)[0], 0.5);
    }

    #[test]
    fn holding_keeps_what_waits() {
        let playout = Playout::new();
        playout.push((0..4800).map(|_| 0.5).collect());
        frame(&playout);
        playout.hold(true);
        frame(&playout);
        let position = playout.position();
        assert!(frame(&playout).iter().all(|s| *s == 0.0));
        assert_eq!(playout.position(), position);
        playout.hold(false);
        let again = frame(&playout);
        assert!(again[0] < 0.01 && again[300] == 0.5, "it fades in");
        while !playout.is_idle() {
            frame(&playout);
        }
        assert_eq!(playout.position(), 4800);
    }

    #[test]
    fn ducking_is_gradual_and_reaches_its_depth_within_a_frame() {
        let playout = Playout::new();
        playout.push(vec![0.5; 4800]);
        frame(&playout);
        playout.duck(15.0);
        let ducking = frame(&playout);
        assert!(ducking.windows(2).all(|pair| (pair[0] - pair[1]).abs() < 0.01));
        let quiet = 0.5 * 10_f32.powf(-0.75);
        assert!((ducking[959] - quiet).abs() < 1e-3);
        playout.duck(0.0);
        assert!((frame(&playout)[959] - 0.5).abs() < 1e-3);
    }

    #[test]
    fn what_is_expected_and_does_not_come_is_given_up() {
        let playout = Playout::new();
        assert!(!playout.is_expecting());
        playout.expect(true);
        for _ in 1..EXPECTED {
            frame(&playout);
        }
        assert!(playout.is_expecting());
        frame(&playout);
        assert!(!playout.is_expecting());
        playout.expect(true);
        playout.expect(false);
        assert!(!playout.is_expecting());
    }

    #[tokio::test]
    async fn whoever_opens_the_microphone_is_told_at_once_that_something_is_expected() {
        let playout = Playout::new();
        playout.expect(false);
        assert!(tokio::time::timeout(std::time::Duration::ZERO, playout.expected()).await.is_err());
        playout.expect(true);
        playout.expected().await;
    }

    #[test]
    fn a_frame_is_silent_rather_than_late() {
        let playout = Playout::new();
        playout.push(vec![0.5; 960]);
        let touching = playout.state.lock();
        assert!(frame(&playout).iter().all(|s| *s == 0.0));
        drop(touching);
        assert_eq!(frame(&playout)[0], 0.5, "nothing was lost");
    }
}
