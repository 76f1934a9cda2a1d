//! The folder `forgotten/`: requests on their way, and the sealed copies of those that can still be undone.
//!
//! A request stands here in full only until it is carried out; what is left then names nobody. A copy is unreadable without
//! its key, which lies beside it for seven days and is not copied to backups: when the key is gone, so is the copy, wherever
//! it was copied to.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use jiff::{SignedDuration, Timestamp};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::files::FileBefore;
use super::request::{Asker, ForgetRequest, KeepCopy, Plan};
use crate::config::FamiliarHome;
use crate::domain::{AccountId, Salt, StoredId};
use crate::history::{KeptShare, SourceId};
use crate::home::{if_there, write_atomic};
use crate::memory::forget::NotesPlan;
use crate::memory::store::NotePath;
use crate::text::short::hex;

/// How long a request can be undone.
pub(super) const UNDO: SignedDuration = SignedDuration::from_hours(7 * 24);

/// A request that is being carried out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct JournalEntry {
    pub id: String,
    pub at: Timestamp,
    /// The newest row when it was asked: all up to it is covered, whatever its time says. None for a tombstone.
    #[serde(default)]
    pub newest: Option<StoredId>,
    /// The same of pins.
    #[serde(default)]
    pub newest_pin: Option<SourceId>,
    /// `None` for what a tombstone asks for again.
    #[serde(alias = "wish")]
    pub request: Option<ForgetRequest>,
    /// All accounts of the person whose it is that is asked for, or who asks, so that nobody with two accounts is forgotten
    /// by half; where a tombstone asks, of whom something came back. An earlier version wrote an order for each.
    #[serde(default)]
    pub accounts: BTreeSet<AccountId>,
    /// The turns it came to when it was looked at; what is covered by rule is looked up again.
    pub turns: BTreeSet<StoredId>,
    pub facts: BTreeSet<String>,
    pub notes: BTreeSet<NotePath>,
    /// Pins that came back, where a tombstone asks.
    #[serde(default)]
    pub pins: BTreeSet<SourceId>,
    pub plan: Plan,
    /// The request that this one belongs to, where an earlier version wrote one for each account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
}

impl JournalEntry {
    pub(super) fn new(at: Timestamp, request: Option<ForgetRequest>) -> Self {
        Self {
            // By its time: `20260301-200000-3f9a`.
            id: format!("{}-{:04x}", at.strftime("%Y%m%d-%H%M%S"), rand::random::<u16>()),
            at,
            request,
            ..Self::default()
        }
    }

    /// Whether a copy is kept; none of what a tombstone asks for.
    pub(super) fn keep(&self) -> KeepCopy {
        self.request.as_ref().map_or(KeepCopy::Nothing, |request| request.keep)
    }
}

/// A request that was carried out and can be undone. Names nobody.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct DoneEntry {
    pub id: String,
    pub at: Timestamp,
    pub until: Timestamp,
    pub by: String,
    /// The same for every account of who asked.
    #[serde(default)]
    pub accounts: BTreeSet<String>,
    pub plan: Plan,
    #[serde(default)]
    pub undoing: bool,
    /// The request that this one belongs to, and comes back with; see [`JournalEntry::with`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
}

impl DoneEntry {
    /// What stands for it and for all that belong to it.
    pub(super) fn whole(&self) -> &str {
        self.with.as_deref().unwrap_or(&self.id)
    }
}

/// Everything that is needed to put it back.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct SealedCopy {
    #[serde(flatten)]
    pub history: KeptShare,
    pub notes: NotesPlan,
    pub files: Vec<FileBefore>,
}

#[derive(Debug, Clone)]
pub(super) struct Journal {
    dir: PathBuf,
    salt: Salt,
}

impl Journal {
    pub(super) fn of(home: &FamiliarHome, salt: Salt) -> Self {
        Self { dir: home.forgotten_dir(), salt }
    }

    /// What stands for a name that is not kept.
    pub(super) fn hash(&self, kind: &str, name: &str) -> String {
        let mut hash = Sha256::new();
        for part in [self.salt.as_bytes().as_slice(), kind.as_bytes(), &[0], name.as_bytes()] {
            hash.update(part);
        }
        hex(&hash.finalize()[..16])
    }

    pub(super) fn asker(&self, by: &Asker) -> String {
        match by {
            Asker::Operator => self.hash("asker", "operator"),
            Asker::Person(account) => self.account(account),
        }
    }

    pub(super) fn account(&self, account: &AccountId) -> String {
        self.hash("asker", &account.to_string())
    }

    pub(super) fn orders(&self) -> io::Result<Vec<JournalEntry>> {
        self.all(".order.json")
    }

    pub(super) fn done(&self) -> io::Result<Vec<DoneEntry>> {
        self.all(".done.json")
    }

    pub(super) fn put_order(&self, order: &JournalEntry) -> io::Result<()> {
        self.put(&format!("{}.order.json", order.id), &serde_json::to_vec(order)?)
    }

    pub(super) fn put_done(&self, done: &DoneEntry) -> io::Result<()> {
        self.put(&format!("{}.done.json", done.id), &serde_json::to_vec(done)?)
    }

    pub(super) fn remove_order(&self, id: &str) -> io::Result<()> {
        self.remove(&format!("{id}.order.json"))
    }

    /// Removes everything by which a request could be undone.
    pub(super) fn remove_done(&self, id: &str) -> io::Result<()> {
        // The key first: without it the copy is nothing.
        ["key", "sealed", "done.json"].iter().try_for_each(|ending| self.remove(&format!("{id}.{ending}")))
    }

    /// Destroys what can no longer be undone, and what a crash left of it.
    pub(super) fn sweep(&self, now: Timestamp) -> io::Result<()> {
        for done in self.done()?.into_iter().filter(|done| done.until < now) {
            self.remove_done(&done.id)?;
        }
        let names = self.names()?;
        for name in &names {
            let Some((id, ending)) = name.split_once('.') else { continue };
            let is_owned =
                ["order.json", "done.json"].iter().any(|owner| names.contains(&format!("{id}.{owner}")));
            if (matches!(ending, "key" | "sealed") && !is_owned) || name.starts_with(".writing-") {
                self.remove(name)?;
            }
        }
        Ok(())
    }

    /// Writes a copy down, sealed with a new key, in the place of one that may be there.
    pub(super) fn seal(&self, id: &str, copy: &SealedCopy) -> io::Result<()> {
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
        packed.write_all(&serde_json::to_vec(copy)?)?;
        let mut bytes = packed.finish()?;
        let key: [u8; 32] = rand::random();
        cipher(&key)?
            .seal_in_place_append_tag(nonce(), Aad::from(id.as_bytes()), &mut bytes)
            .map_err(|_| io::Error::other("the copy could not be sealed"))?;
        self.put(&format!("{id}.key"), &key)?;
        self.put(&format!("{id}.sealed"), &bytes)
    }

    /// Reads a copy; `None` where there is none, or no key to it.
    pub(super) fn open(&self, id: &str) -> io::Result<Option<SealedCopy>> {
        let (Some(key), Some(mut bytes)) =
            (self.read(&format!("{id}.key"))?, self.read(&format!("{id}.sealed"))?)
        else {
            return Ok(None);
        };
        let packed = cipher(&key)?
            .open_in_place(nonce(), Aad::from(id.as_bytes()), &mut bytes)
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "the sealed copy is damaged"))?;
        let mut text = Vec::new();
        ZlibDecoder::new(&*packed).read_to_end(&mut text)?;
        Ok(Some(serde_json::from_slice(&text)?))
    }

    /// Puts a file there, whole, and waits until it is on the disk.
    pub(super) fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        if !self.dir.is_dir() {
            fs::create_dir_all(&self.dir)?;
            // It is for the operator's eyes.
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt as _;
                fs::set_permissions(&self.dir, fs::Permissions::from_mode(0o700))?;
            }
        }
        write_atomic(&self.dir.join(name), bytes)
    }

    pub(super) fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        if_there(fs::read(self.dir.join(name)))
    }

    fn names(&self) -> io::Result<Vec<String>> {
        let entries = if_there(fs::read_dir(&self.dir))?;
        let mut names: Vec<String> = entries
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        names.sort();
        Ok(names)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        super::files::gone(&self.dir.join(name))
    }

    fn all<T: DeserializeOwned>(&self, ending: &str) -> io::Result<Vec<T>> {
        let mut all = Vec::new();
        for name in self.names()?.into_iter().filter(|name| name.ends_with(ending)) {
            if let Some(bytes) = self.read(&name)? {
                all.push(serde_json::from_slice(&bytes)?);
            }
        }
        Ok(all)
    }
}

/// Each key seals one copy, so that one nonce is enough.
fn nonce() -> Nonce {
    Nonce::assume_unique_for_key([0; NONCE_LEN])
}

fn cipher(key: &[u8]) -> io::Result<LessSafeKey> {
    UnboundKey::new(&CHACHA20_POLY1305, key)
        .map(LessSafeKey::new)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "the key of a sealed copy is damaged"))
}
