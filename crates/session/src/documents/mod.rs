//! Documents that people send: fetched, read as text, cut into passages, kept with the message they came with.
//!
//! Owns how a file becomes passages, within bounds of bytes, time and number, and what is being read right now. Must not know
//! who may have a file read (the session asks that first), or how what was read is found again. Start reading at
//! [`Documents::begin`].

pub(crate) mod page;
mod passages;
mod pdf;
mod pictures;
mod plain;
mod teller;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

pub use pdf::read_pdf_here;
pub use pictures::{PictureKind, PictureTold, PictureUse, SHOWN_BYTES, ShownPicture};
pub use teller::{Hearer, Seer, Teller};

use crate::clock::SharedClock;
use crate::domain::{AccountId, FileAt, ModelCall, StoredId, WorkerRun};
use crate::history::{Begun, DocumentText, History, HistoryError, NewDocument, SourceId};
use crate::net::{Bounds, FetchRequest, Outside, OutsideError};
use crate::text::secrets::redact;
use crate::text::short::{hex, shortened};
use crate::text::unicode::visible;
use pdf::PdfReader;
use pictures::{PictureLooks, ShownPictures};

/// The largest file that is read, in bytes.
const FILE_BYTES: u64 = 8 * 1024 * 1024;

/// How long fetching one may take.
const FETCHED_WITHIN: Duration = Duration::from_secs(15);

/// Characters of one document that are kept.
const DOCUMENT_CHARS: usize = 200_000;

/// Characters of what is said in a voice message that stand in the message.
const SAID_CHARS: usize = 4_000;

/// Files of one message that are read.
pub const FILES_OF_ONE: usize = 4;

/// Files that are read at the same time, and that may be begun and not done.
const AT_ONCE: usize = 2;
const WAITING_MAX: usize = 16;

/// Any kind is looked at: what a file is, its bytes say.
const FILE: FetchRequest = FetchRequest {
    bounds: Bounds { bytes: FILE_BYTES, time: FETCHED_WITHIN },
    accept: "*/*",
    takes: |_| true,
};

/// A file that came with a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentFile {
    /// As the message tells it.
    pub name: String,
    pub bytes: u64,
    pub at: FileAt,
    /// As its platform says; what it is, its bytes say.
    pub is_picture: bool,
    /// Whose voice it is, where it is a voice message.
    pub spoken_by: Option<AccountId>,
}

/// Why a file is not read, as the familiar is told: it says what would help.
#[derive(Debug, thiserror::Error)]
enum Unreadable {
    #[error("it is larger than 8 MB")]
    TooLarge,
    #[error("it is neither text, PDF nor a picture")]
    NotText,
    #[error("it is a picture, and no model that sees is set up here")]
    NobodySees,
    #[error("it is a picture, which you see yourself while it is among the newest messages")]
    SeenItself,
    #[error("what it shows could not be made out: {0}")]
    NotSeen(String),
    #[error("it is a voice message that could not be heard: nothing that hears is set up here")]
    NobodyHears,
    #[error("it is a voice message that could not be heard: {0}")]
    NotHeard(String),
    #[error("its letters are not UTF-8; saved as UTF-8 it could be read")]
    Letters,
    #[error("it is empty")]
    Empty,
    #[error("its pages are pictures without text")]
    Scanned,
    #[error("it needs a password")]
    Locked,
    #[error("it is broken, or it takes too much time or memory to read")]
    Broken,
    #[error("too many files are being read; sent again later it could be read")]
    TooMany,
    #[error("it could not be fetched: {0}")]
    Fetching(#[from] OutsideError),
    #[error("nothing can be fetched here")]
    NoWay,
}

/// Over what a picture shows.
const SHOWS: &str = "What the picture shows";

/// Over what is said in a voice message.
const SAYS: &str = "What is said in it";

/// Said of what was being read when the program ended.
const BROKEN_OFF: &str = "reading it was broken off; sent again it could be read";

/// What documents are read with.
#[derive(Debug, Clone)]
pub struct DocumentParts {
    pub history: Arc<History>,
    pub clock: SharedClock,
    /// The way to where files are; none are read without.
    pub way: Option<Outside>,
    /// Who tells what pictures show; none are looked at without.
    pub pictures: Option<Seer>,
    /// Who hears voice messages; none are heard without.
    pub voice_messages: Option<Hearer>,
    /// The program that reads PDF files, which is this one. None are read without.
    pub program: Option<PathBuf>,
}

/// Reads documents beside everything else. Ends with all its reading when it is dropped; what was being read then can be sent
/// again.
#[derive(Debug)]
pub struct Documents {
    parts: DocumentParts,
    at_once: Arc<Semaphore>,
    reading: Mutex<Vec<Reading>>,
    shown: Arc<ShownPictures>,
    looks: Arc<PictureLooks>,
}

#[derive(Debug)]
struct Reading {
    turn: StoredId,
    /// Cancelled when it is done, in whatever way.
    done: CancellationToken,
    _task: AbortOnDropHandle<()>,
}

impl Documents {
    pub fn new(parts: DocumentParts) -> Self {
        Self {
            parts,
            at_once: Arc::new(Semaphore::new(AT_ONCE)),
            reading: Mutex::default(),
            shown: Arc::default(),
            looks: Arc::default(),
        }
    }

    /// At a start: what was being read when the program ended is said to be unread.
    ///
    /// # Errors
    /// When the history cannot be written.
    pub async fn mend(&self) -> Result<(), HistoryError> {
        if self.parts.history.has_sources() {
            self.parts.history.give_up_documents(BROKEN_OFF).await?;
        }
        Ok(())
    }

    /// Whether somebody would tell what a picture shows.
    pub fn sees(&self) -> bool {
        self.parts.pictures.as_ref().is_some_and(Seer::is_there)
    }

    /// Begins to read the files of a stored message, the first four of them. When this returns, everybody who may see the
    /// message can know that they are there; the reading goes on beside.
    pub async fn begin(&self, turn: StoredId, files: Vec<SentFile>, picture_use: PictureUse) {
        for file in files.into_iter().take(FILES_OF_ONE) {
            let new =
                NewDocument { turn, name: file.name.clone(), bytes: file.bytes, now: self.parts.clock.now() };
            match self.parts.history.begin_document(new).await {
                Ok(Begun::Reading(id)) => self.read_beside(turn, id, file, picture_use).await,
                Ok(begun) => tracing::debug!(turn = turn.0, ?begun, "a file is not read"),
                Err(error) => {
                    tracing::warn!(turn = turn.0, %error, "a file that came with a message is not read")
                }
            }
        }
    }

    /// Whether any picture is kept to be shown.
    pub fn shows_any(&self) -> bool {
        self.shown.any()
    }

    /// The pictures that came with these messages, as far as they are kept to be shown.
    pub fn shown_with(&self, turns: &[StoredId]) -> Vec<ShownPicture> {
        self.shown.of(turns)
    }

    /// What was paid for to describe the pictures of these messages, told once.
    pub fn take_looks(&self, turns: &[StoredId]) -> Vec<WorkerRun> {
        self.looks.take(turns)
    }

    /// Something was forgotten: no picture is kept.
    pub fn let_go(&self) {
        self.shown.let_go();
    }

    async fn read_beside(&self, turn: StoredId, id: SourceId, file: SentFile, picture_use: PictureUse) {
        let waiting = {
            let mut reading = self.reading.lock();
            reading.retain(|one| !one.done.is_cancelled());
            reading.len()
        };
        if waiting >= WAITING_MAX {
            finish_reading(&self.parts.history, id, Err(Unreadable::TooMany)).await;
            return;
        }
        let (parts, at_once, done) =
            (self.parts.clone(), Arc::clone(&self.at_once), CancellationToken::new());
        let when_done = done.clone().drop_guard();
        let shown = (picture_use == PictureUse::Shown).then(|| Arc::clone(&self.shown));
        let looks = Arc::clone(&self.looks);
        let task = tokio::spawn(async move {
            let _when_done = when_done;
            let _place = at_once.acquire().await;
            let shows = |picture| match &shown {
                Some(shown) => shown.keep(turn, picture),
                None => Err(picture),
            };
            let paid = |call| looks.put(turn, parts.clock.now(), call);
            let read = read_file(&parts, &file, shows, paid).await;
            let said = read.as_ref().ok().filter(|_| file.spoken_by.is_some()).map(said_in);
            finish_reading(&parts.history, id, read).await;
            if let Some(said) = said
                && let Err(error) = parts.history.tell_said(turn, &file.name, &said).await
            {
                tracing::warn!(turn = turn.0, %error, "what was heard of a voice message does not stand in it");
            }
        });
        self.reading.lock().push(Reading { turn, done, _task: AbortOnDropHandle::new(task) });
    }

    /// Waits until the files of these messages are read, but no longer than `most`.
    pub async fn settled(&self, turns: &[StoredId], most: Duration) {
        let open: Vec<CancellationToken> = {
            let reading = self.reading.lock();
            reading.iter().filter(|one| turns.contains(&one.turn)).map(|one| one.done.clone()).collect()
        };
        // Who waits no longer is told that it is still being read.
        let _in_time = timeout(most, async {
            for done in open {
                done.cancelled().await;
            }
        })
        .await;
    }
}

/// What is said in a voice message, as it stands in the message.
fn said_in(text: &DocumentText) -> String {
    let words: Vec<&str> = text.passages.iter().map(|passage| passage.text.as_str()).collect();
    shortened(&words.join(" "), SAID_CHARS)
}

async fn finish_reading(history: &History, id: SourceId, read: Result<DocumentText, Unreadable>) {
    let read = read.map_err(|error| error.to_string());
    if let Err(problem) = &read {
        tracing::debug!(problem, "a file cannot be read");
    }
    if let Err(error) = history.finish_document(id, read).await {
        tracing::warn!(%error, "what was read of a file could not be kept");
    }
}

/// `shows` takes a picture that is to be shown, and gives back one that is not; `paid` takes what describing one took.
async fn read_file(
    parts: &DocumentParts,
    file: &SentFile,
    shows: impl Fn(ShownPicture) -> Result<(), ShownPicture>,
    paid: impl Fn(ModelCall),
) -> Result<DocumentText, Unreadable> {
    if file.bytes > FILE_BYTES {
        return Err(Unreadable::TooLarge);
    }
    let hearer = match &file.spoken_by {
        Some(who) => {
            let hearer = parts.voice_messages.as_ref().filter(|hearer| hearer.is_there());
            Some((hearer.ok_or(Unreadable::NobodyHears)?, who))
        }
        None => None,
    };
    let body = bytes_of(parts, &file.at).await?;
    if let Some((hearer, who)) = hearer {
        let hash = hex(&Sha256::digest(&body));
        let words = hearer.words_of((body, who.clone())).await.map_err(Unreadable::NotHeard)?;
        return kept(format!("# {SAYS}\n{words}"), hash).await;
    }
    let body = match PictureKind::of(&body) {
        Some(kind) => match shows(ShownPicture { kind, bytes: body.into() }) {
            Ok(()) => return Err(Unreadable::SeenItself),
            Err(picture) => picture.bytes.to_vec(),
        },
        None => body,
    };
    read_bytes(body, parts.program.clone(), parts.pictures.as_ref(), paid).await
}

/// A file's bytes, fetched where they did not come with the message.
async fn bytes_of(parts: &DocumentParts, at: &FileAt) -> Result<Vec<u8>, Unreadable> {
    let address = match at {
        FileAt::Here(bytes) if bytes.len() as u64 > FILE_BYTES => return Err(Unreadable::TooLarge),
        FileAt::Here(bytes) => return Ok(bytes.to_vec()),
        FileAt::Address(address) => address,
    };
    let way = parts.way.as_ref().ok_or(Unreadable::NoWay)?;
    let fetched = way.get(address, FILE).await?;
    if fetched.is_cut { Err(Unreadable::TooLarge) } else { Ok(fetched.body) }
}

/// A file's bytes as passages.
async fn read_bytes(
    body: Vec<u8>,
    program: Option<PathBuf>,
    pictures: Option<&Seer>,
    paid: impl Fn(ModelCall),
) -> Result<DocumentText, Unreadable> {
    let hash = hex(&Sha256::digest(&body));
    let text = if pdf::is_pdf(&body) {
        PdfReader { program }.read(body).await?
    } else if let Some(kind) = PictureKind::of(&body) {
        let seer = pictures.filter(|seer| seer.is_there()).ok_or(Unreadable::NobodySees)?;
        let PictureTold { words, call } = seer.words_of((kind, body)).await.map_err(Unreadable::NotSeen)?;
        call.into_iter().for_each(paid);
        format!("# {SHOWS}\n{words}")
    } else {
        let read = tokio::task::spawn_blocking(move || plain::read_plain(&body));
        read.await.map_err(|_| Unreadable::Broken)??
    };
    kept(text, hash).await
}

async fn kept(text: String, hash: String) -> Result<DocumentText, Unreadable> {
    let cut = tokio::task::spawn_blocking(move || text_to_keep(&text, hash));
    cut.await.map_err(|_| Unreadable::Broken)?
}

/// What is kept of a text: its beginning, without secrets, in passages.
fn text_to_keep(text: &str, hash: String) -> Result<DocumentText, Unreadable> {
    let text = visible(text);
    let end = text.char_indices().nth(DOCUMENT_CHARS).map_or(text.len(), |(end, _)| end);
    let (head, rest) = text.split_at(end);
    let passages = passages::cut(&redact(head).text);
    if passages.is_empty() {
        return Err(Unreadable::Empty);
    }
    Ok(DocumentText { passages, hash, left_out: rest.chars().count() as u64 })
}

#[cfg(test)]
mod tests;
