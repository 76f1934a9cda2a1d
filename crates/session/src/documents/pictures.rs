//! Pictures that people send: what they are, and who tells what they show.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::Arc;

use jiff::Timestamp;
use parking_lot::Mutex;

use crate::domain::{ModelCall, StoredId, WorkerRun};

/// Pictures that are kept to be shown.
const SHOWN_KEPT: usize = 4;

/// The largest that is shown, in bytes; what is larger is described where somebody does that.
pub const SHOWN_BYTES: usize = 4 * 1024 * 1024;

/// What a picture can be, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureKind {
    Png,
    Jpeg,
    Gif,
    Webp,
}

impl PictureKind {
    /// What these bytes are; `None` for anything else.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::Webp),
            _ => None,
        }
    }

    /// As it is called in a file's ending, and behind `image/`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpeg",
            Self::Gif => "gif",
            Self::Webp => "webp",
        }
    }
}

/// What a picture shows, as somebody else's words.
#[derive(Debug, Clone)]
pub struct PictureTold {
    pub words: String,
    /// The call of a model that it took; none where it was known.
    pub call: Option<ModelCall>,
}

/// How a picture that somebody sends is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureUse {
    /// By a model that describes it, where there is one.
    Described,
    /// By the model that answers, which it is shown to. Its bytes stay in memory until others come, and are kept nowhere else.
    Shown,
}

#[derive(Clone)]
pub struct ShownPicture {
    pub kind: PictureKind,
    pub bytes: Arc<[u8]>,
}

/// Looks at pictures that no turn has told of yet.
const LOOKS_KEPT: usize = 32;

/// What was paid for to describe pictures, with the messages these came with, until the turn that waited for it takes it.
#[derive(Debug, Default)]
pub(super) struct PictureLooks(Mutex<VecDeque<(StoredId, WorkerRun)>>);

impl PictureLooks {
    pub(super) fn put(&self, turn: StoredId, at: Timestamp, call: ModelCall) {
        let (us, did) = (call.total_ms.saturating_mul(1_000), "described a picture".to_owned());
        let run = WorkerRun { worker: "pictures".to_owned(), at, us, did, calls: vec![call] };
        let mut kept = self.0.lock();
        kept.push_back((turn, run));
        if kept.len() > LOOKS_KEPT {
            kept.pop_front();
        }
    }

    pub(super) fn take(&self, turns: &[StoredId]) -> Vec<WorkerRun> {
        let mut kept = self.0.lock();
        let (taken, left) =
            std::mem::take(&mut *kept).into_iter().partition(|(turn, _)| turns.contains(turn));
        *kept = left;
        let taken: VecDeque<(StoredId, WorkerRun)> = taken;
        taken.into_iter().map(|(_, run)| run).collect()
    }
}

/// The newest pictures with the messages they came with.
#[derive(Default)]
pub(super) struct ShownPictures(Mutex<VecDeque<(StoredId, ShownPicture)>>);

impl ShownPictures {
    /// Keeps one; gives it back where it is too large.
    pub(super) fn keep(&self, turn: StoredId, picture: ShownPicture) -> Result<(), ShownPicture> {
        if picture.bytes.len() > SHOWN_BYTES {
            return Err(picture);
        }
        let mut kept = self.0.lock();
        while kept.len() >= SHOWN_KEPT {
            kept.pop_front();
        }
        kept.push_back((turn, picture));
        Ok(())
    }

    pub(super) fn any(&self) -> bool {
        !self.0.lock().is_empty()
    }

    pub(super) fn of(&self, turns: &[StoredId]) -> Vec<ShownPicture> {
        let kept = self.0.lock();
        kept.iter().filter(|(turn, _)| turns.contains(turn)).map(|(_, picture)| picture.clone()).collect()
    }

    pub(super) fn let_go(&self) {
        self.0.lock().clear();
    }
}

impl Debug for ShownPicture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {} bytes", self.kind.name(), self.bytes.len())
    }
}

impl Debug for ShownPictures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} pictures", self.0.lock().len())
    }
}
