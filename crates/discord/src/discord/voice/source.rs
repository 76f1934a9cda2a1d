//! What is said, as the one track that a call has from its beginning to its end.
//!
//! Owns the step from [`Playout`] to the voice library, and when the microphone is open. A track that always plays costs
//! no time to start, but would show the familiar as speaking for hours; so its microphone is closed while there is
//! nothing to hear, and opened when something is about to come. Must not know what is played. Start reading at [`FrameSource`].

use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use songbird::input::{Input, RawAdapter};
use symphonia::core::io::MediaSource;
use tokio::sync::watch;

use crate::voice::Playout;
use crate::voice::frame::{OUT_FRAME, OUT_RATE};

/// Silent frames after which the microphone is closed: 200 ms, longer than the pauses inside a sentence.
const CLOSE_AFTER: u32 = 10;

/// Bytes of one sample.
const SAMPLE: usize = size_of::<f32>();

/// Whether the microphone is open: what the track wants, and what the voice library was told.
#[derive(Debug)]
pub(super) struct Microphone {
    wanted: watch::Sender<bool>,
    is_open: AtomicBool,
}

impl Microphone {
    /// Open: Discord sends nothing to who has never sent anything, so a call begins with a little silence.
    pub(super) fn open() -> Arc<Self> {
        Arc::new(Self { wanted: watch::Sender::new(true), is_open: AtomicBool::new(true) })
    }

    /// What the track wants, as it changes.
    pub(super) fn wishes(&self) -> watch::Receiver<bool> {
        self.wanted.subscribe()
    }

    /// The voice library was told so.
    pub(super) fn set(&self, is_open: bool) {
        self.is_open.store(is_open, Ordering::Release);
    }

    fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Acquire)
    }

    /// The track wants it so, or somebody who knows what it will want.
    pub(super) fn want(&self, open: bool) {
        self.wanted.send_if_modified(|wanted| std::mem::replace(wanted, open) != open);
    }
}

/// Reads frames of 20 ms, each when it is due and never ahead, so that what is thrown away is not heard.
#[derive(Debug)]
pub(super) struct FrameSource {
    playout: Arc<Playout>,
    microphone: Arc<Microphone>,
    samples: Box<[f32; OUT_FRAME]>,
    bytes: Box<[u8]>,
    read: usize,
    /// A frame that was taken while the microphone was closed.
    waits: bool,
    quiet: u32,
}

impl FrameSource {
    pub(super) fn new(playout: Arc<Playout>, microphone: Arc<Microphone>) -> Self {
        let bytes = vec![0; OUT_FRAME * SAMPLE].into_boxed_slice();
        Self {
            playout,
            microphone,
            samples: Box::new([0.0; OUT_FRAME]),
            read: bytes.len(),
            bytes,
            waits: false,
            quiet: 0,
        }
    }

    /// The track, mono; the voice library makes of it what it sends.
    pub(super) fn into_input(self) -> Input {
        RawAdapter::new(self, OUT_RATE, 1).into()
    }

    fn pull(&mut self) {
        let is_heard = self.waits || self.playout.pull(&mut self.samples[..]);
        let is_wanted = is_heard || self.playout.is_expecting();
        self.quiet = if is_wanted { 0 } else { self.quiet.saturating_add(1) };
        if is_wanted {
            self.microphone.want(true);
        } else if self.quiet >= CLOSE_AFTER {
            self.microphone.want(false);
        }
        self.waits = is_heard && !self.microphone.is_open();
        for (bytes, sample) in self.bytes.chunks_exact_mut(SAMPLE).zip(self.samples.iter()) {
            let sample = if self.waits { 0.0 } else { *sample };
            bytes.copy_from_slice(&sample.to_le_bytes());
        }
        self.read = 0;
    }
}

impl Read for FrameSource {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.read >= self.bytes.len() {
            self.pull();
        }
        // Never beyond this frame: the reader asks for more than it needs.
        let rest = &self.bytes[self.read..];
        let count = rest.len().min(out.len());
        out[..count].copy_from_slice(&rest[..count]);
        self.read += count;
        Ok(count)
    }
}

impl Seek for FrameSource {
    fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

impl MediaSource for FrameSource {
    fn is_seekable(&self) -> bool {
        false
    }

    fn byte_len(&self) -> Option<u64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Scene {
        playout: Arc<Playout>,
        microphone: Arc<Microphone>,
        source: FrameSource,
    }

    impl Scene {
        fn new() -> Self {
            let (playout, microphone) = (Arc::new(Playout::new()), Microphone::open());
            let source = FrameSource::new(Arc::clone(&playout), Arc::clone(&microphone));
            Self { playout, microphone, source }
        }

        fn frame(&mut self) -> Vec<f32> {
            let mut bytes = vec![0; OUT_FRAME * SAMPLE];
            self.source.read_exact(&mut bytes).unwrap();
            bytes.chunks_exact(SAMPLE).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap())).collect()
        }

        fn wants_open(&self) -> bool {
            *self.microphone.wishes().borrow()
        }
    }

    #[test]
    fn frames_are_taken_one_by_one_however_much_is_asked_for() {
        let mut scene = Scene::new();
        scene.playout.push(vec![0.5; OUT_FRAME * 3]);
        let mut bytes = vec![0; 64 * 1024];
        assert_eq!(scene.source.read(&mut bytes).unwrap(), OUT_FRAME * SAMPLE);
        assert_eq!(scene.playout.position(), OUT_FRAME as u64);
        assert_eq!(scene.source.read(&mut bytes[..100]).unwrap(), 100);
        assert_eq!(scene.source.read(&mut bytes).unwrap(), OUT_FRAME * SAMPLE - 100);
        assert_eq!(scene.playout.position(), 2 * OUT_FRAME as u64);
    }

    #[test]
    fn the_microphone_is_open_before_what_is_expected_comes() {
        let mut scene = Scene::new();
        for _ in 0..CLOSE_AFTER {
            scene.frame();
        }
        scene.microphone.set(false);
        scene.playout.expect(true);
        scene.frame();
        assert!(scene.wants_open());
        scene.microphone.set(true);
        scene.playout.push(vec![0.5; OUT_FRAME]);
        assert!(scene.frame().iter().all(|sample| *sample == 0.5), "not a frame late");
    }

    #[test]
    fn the_microphone_closes_after_a_while_of_silence_and_nothing_is_lost_when_it_opens() {
        let mut scene = Scene::new();
        for _ in 0..CLOSE_AFTER - 1 {
            scene.frame();
        }
        assert!(scene.wants_open(), "a pause inside a sentence");
        scene.frame();
        assert!(!scene.wants_open());
        scene.microphone.set(false);
        scene.playout.push(vec![0.5; OUT_FRAME * 2]);
        assert!(scene.frame().iter().all(|sample| *sample == 0.0), "nobody would hear it");
        assert!(scene.wants_open());
        assert_eq!(scene.playout.position(), OUT_FRAME as u64);
        assert!(scene.frame().iter().all(|sample| *sample == 0.0), "still closed");
        scene.microphone.set(true);
        assert!(scene.frame().iter().all(|sample| *sample == 0.5));
        assert!(scene.frame().iter().all(|sample| *sample == 0.5));
        assert!(scene.frame().iter().all(|sample| *sample == 0.0), "all was said");
    }
}
