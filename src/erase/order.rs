//! The folder `forgotten/`: wishes on their way, and those that can still be undone.
//!
//! A wish stands here in full only until it is carried out. What is left then names nobody.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::wish::{Asker, Keep, Plan, Wish};
use crate::config::FamiliarHome;
use crate::domain::{AccountId, Salt, StoredId};
use crate::memory::facts::FactId;
use crate::memory::store::NotePath;

/// How long a wish can be undone.
pub(super) const UNDO: SignedDuration = SignedDuration::from_hours(7 * 24);

/// A wish that is being carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Order {
    pub id: String,
    pub at: Timestamp,
    /// `None` for what a tombstone asks for again.
    pub wish: Option<Wish>,
    /// The turns it came to when it was looked at; what is covered by rule is looked up again.
    pub turns: BTreeSet<StoredId>,
    pub facts: BTreeSet<String>,
    pub notes: BTreeSet<NotePath>,
    pub plan: Plan,
    /// Whose turns came back, where a tombstone asks.
    #[serde(default)]
    pub person: Option<AccountId>,
}

impl Order {
    /// Whether a copy is kept; none of what a tombstone asks for.
    pub fn keep(&self) -> Keep {
        self.wish.as_ref().map_or(Keep::Nothing, |wish| wish.keep)
    }

    /// Its facts' ids, as far as they are such.
    pub fn fact_ids(&self) -> impl Iterator<Item = FactId> + '_ {
        self.facts.iter().filter_map(|id| id.parse().ok())
    }
}

/// A wish that was carried out and can be undone. Names nobody.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Done {
    pub id: String,
    pub at: Timestamp,
    /// Until when.
    pub until: Timestamp,
    /// By whom, hashed.
    pub by: String,
    pub plan: Plan,
    /// It is being undone.
    #[serde(default)]
    pub undoing: bool,
}

/// The folder.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    dir: PathBuf,
    salt: Salt,
}

impl Folder {
    pub(super) fn of(home: &FamiliarHome, salt: Salt) -> Self {
        Self { dir: home.forgotten_dir(), salt }
    }

    /// What stands for a name that is not kept.
    pub(super) fn hash(&self, kind: &str, name: &str) -> String {
        let mut hash = Sha256::new();
        for part in [self.salt.as_bytes().as_slice(), kind.as_bytes(), &[0], name.as_bytes()] {
            hash.update(part);
        }
        hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }

    pub(super) fn asker(&self, by: &Asker) -> String {
        match by {
            Asker::Operator => self.hash("asker", "operator"),
            Asker::Person(account) => self.hash("asker", &account.to_string()),
        }
    }

    /// A new wish's name, by its time: `20260301-200000-3f9a`.
    pub(super) fn new_id(at: Timestamp) -> String {
        format!("{}-{:04x}", at.strftime("%Y%m%d-%H%M%S"), rand::random::<u16>())
    }

    pub(super) fn orders(&self) -> io::Result<Vec<Order>> {
        self.all(".order.json")
    }

    pub(super) fn done(&self) -> io::Result<Vec<Done>> {
        self.all(".done.json")
    }

    pub(super) fn put_order(&self, order: &Order) -> io::Result<()> {
        self.put(&format!("{}.order.json", order.id), &serde_json::to_vec(order)?)
    }

    pub(super) fn put_done(&self, done: &Done) -> io::Result<()> {
        self.put(&format!("{}.done.json", done.id), &serde_json::to_vec(done)?)
    }

    pub(super) fn remove_order(&self, id: &str) -> io::Result<()> {
        self.remove(&format!("{id}.order.json"))
    }

    /// Removes everything by which a wish could be undone.
    pub(super) fn remove_done(&self, id: &str) -> io::Result<()> {
        // The key first: without it the copy is nothing.
        for ending in ["key", "sealed", "done.json"] {
            self.remove(&format!("{id}.{ending}"))?;
        }
        Ok(())
    }

    /// Puts a file there, whole, and waits until it is on the disk.
    pub(super) fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        make_private(&self.dir)?;
        let mut file = tempfile::Builder::new().prefix(".writing-").tempfile_in(&self.dir)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(self.dir.join(name))?;
        fs::File::open(&self.dir).and_then(|folder| folder.sync_all()).or(Ok(()))
    }

    pub(super) fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        match fs::read(self.dir.join(name)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) fn names(&self) -> io::Result<Vec<String>> {
        let entries = match fs::read_dir(&self.dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        names.sort();
        Ok(names)
    }

    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        match fs::remove_file(self.dir.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
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

/// The folder is for the operator's eyes.
fn make_private(dir: &Path) -> io::Result<()> {
    if dir.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(dir)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(dir, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}
