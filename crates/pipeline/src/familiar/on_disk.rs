//! A familiar's folder as it is now, field by field, through the table of [`layout`](super::layout).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use parking_lot::Mutex;
use serde_json::Value;

use familiar_cards::lore::Lorebook;
use familiar_cards::lore::file::{BOOK_FILE, parse_book_header, parse_entry};
use familiar_cards::write::{CardEdits, EditedCard};
use familiar_cards::{DepthPrompt, Picture, Refusal, RefusalKind};

use super::install::{Record, read_if_there};
use super::layout::{
    AVATAR, AVATAR_KINDS, CARD_JSON, DEPTH_PROMPT, FIELDS, GREETINGS, RECORD, SHORT, field_text,
    greeting_number,
};
use crate::config::FamiliarHome;
use crate::home::if_there;

/// What the files say.
#[derive(Debug)]
pub(crate) struct OnDisk {
    /// What the files of the fields say; the lorebook is left to whoever needs it.
    pub edits: CardEdits,
    /// The short card, where somebody wrote one.
    pub short: Option<String>,
    /// `card.json`, where there is one that can be read as JSON; [`broken_card`] says of what is none.
    pub card: Option<Value>,
    /// What the last import wrote, where there was one.
    pub record: Option<Record>,
}

impl OnDisk {
    pub(super) fn read(home: &FamiliarHome) -> Result<Self, Refusal> {
        let root = home.root();
        let mut fields = BTreeMap::new();
        for (field, path) in FIELDS {
            if let Some(bytes) = read_if_there(&root.join(path))? {
                fields.insert(field, field_text(&bytes));
            }
        }
        let depth_prompt = match read_if_there(&root.join(DEPTH_PROMPT))? {
            Some(bytes) => DepthPrompt::from_markdown(&String::from_utf8_lossy(&bytes))
                .map_err(|error| Refusal::new(RefusalKind::Damaged, format!("{DEPTH_PROMPT}: {error}")))?,
            None => None,
        };
        let (greetings, group_greetings) = read_greetings(&root.join(GREETINGS))?;
        let card = read_card_json(home).ok().flatten();
        let record = Record::read(&root.join(RECORD));
        let short = read_if_there(&root.join(SHORT))?.map(|bytes| field_text(&bytes));
        let edits = CardEdits { fields, greetings, group_greetings, depth_prompt, book: None };
        Ok(Self { edits, short, card, record })
    }
}

type Numbered = BTreeMap<usize, String>;

fn read_greetings(dir: &Path) -> Result<(Numbered, Numbered), Refusal> {
    let (mut greetings, mut group) = (BTreeMap::new(), BTreeMap::new());
    for name in file_names(dir)? {
        let (number, list) = if let Some(number) = greeting_number(&name, "group-") {
            (number, &mut group)
        } else if let Some(number) = greeting_number(&name, "") {
            (number, &mut greetings)
        } else {
            continue;
        };
        if let Some(bytes) = read_if_there(&dir.join(&name))? {
            list.insert(number, field_text(&bytes));
        }
    }
    Ok((greetings, group))
}

/// Reads a book's folder. Entries whose front matter is broken are named in `problems` and left out.
pub(crate) fn read_book(dir: &Path, problems: &mut Vec<String>) -> Result<Option<Lorebook>, Refusal> {
    if !dir.is_dir() {
        return Ok(None);
    }
    let header = read_if_there(&dir.join(BOOK_FILE))?.unwrap_or_default();
    let mut book = parse_book_header(&String::from_utf8_lossy(&header)).unwrap_or_else(|error| {
        problems.push(format!("{BOOK_FILE}: {error}"));
        Lorebook::default()
    });
    for name in file_names(dir)?.into_iter().filter(|name| name.ends_with(".md")) {
        let Some(bytes) = read_if_there(&dir.join(&name))? else { continue };
        match parse_entry(&String::from_utf8_lossy(&bytes)) {
            Ok(mut entry) => {
                if entry.title.is_empty() && entry.keys.is_empty() && !bytes.starts_with(b"+++") {
                    entry.title = name.trim_end_matches(".md").to_owned();
                }
                book.entries.push(entry);
            }
            Err(error) => problems.push(format!("{name}: {error}")),
        }
    }
    book.entries.sort_by_key(|entry| entry.uid);
    Ok(Some(book))
}

fn read_card_json(home: &FamiliarHome) -> Result<Option<Value>, Refusal> {
    let card = read_if_there(&home.root().join(CARD_JSON))?.map(|bytes| serde_json::from_slice(&bytes));
    card.transpose().map_err(|error| Refusal::new(RefusalKind::Damaged, error.to_string()))
}

/// Why the JSON of the card that a familiar was made from cannot be read as a card, where it is there. Blocks.
pub fn broken_card(home: &FamiliarHome) -> Option<String> {
    let refusal = match read_card_json(home) {
        Ok(card) => EditedCard::new(&card?, &CardEdits::default()).err()?,
        Err(refusal) => refusal,
    };
    Some(format!("{CARD_JSON} cannot be read: {refusal}"))
}

/// The portrait of a familiar, where it has one.
///
/// # Errors
/// When it is there and cannot be read.
pub fn portrait(home: &FamiliarHome) -> Result<Option<Picture>, Refusal> {
    for extension in AVATAR_KINDS {
        if let Some(bytes) = read_if_there(&home.root().join(format!("{AVATAR}.{extension}")))? {
            return Ok(Some(Picture { extension, bytes }));
        }
    }
    Ok(None)
}

/// File names in a folder, sorted; none when there is no such folder.
pub(crate) fn file_names(dir: &Path) -> Result<Vec<String>, Refusal> {
    let failed = |error| Refusal::io("read", dir, &error);
    let mut names = Vec::new();
    for entry in if_there(fs::read_dir(dir)).map_err(failed)?.into_iter().flatten() {
        let entry = entry.map_err(failed)?;
        names.extend(entry.file_name().into_string());
    }
    names.sort();
    Ok(names)
}

/// Path, size and time of every file, in order.
pub(super) type Stamp = Vec<(PathBuf, u64, Option<SystemTime>)>;

/// The files that lie in these folders themselves; a folder that cannot be read has none. Blocks.
pub(super) fn stamp_of(folders: &[PathBuf]) -> Stamp {
    let mut stamp: Stamp = folders
        .iter()
        .filter_map(|folder| fs::read_dir(folder).ok())
        .flatten()
        .filter_map(Result::ok)
        .filter_map(|entry| stamp_of_file(entry.path()))
        .collect();
    stamp.sort();
    stamp
}

/// One file; nothing where there is none. Blocks.
pub(super) fn stamp_of_file(path: PathBuf) -> Option<(PathBuf, u64, Option<SystemTime>)> {
    let about = fs::metadata(&path).ok()?;
    about.is_file().then(|| (path, about.len(), about.modified().ok()))
}

/// Hand edits are seen within this; between two looks a turn costs no file access.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Files that are looked at now and then, and read again when they changed.
#[derive(Debug)]
pub(super) struct WatchedFiles {
    looked_at: Mutex<Instant>,
    /// As they were last.
    stamp: Mutex<Stamp>,
}

impl WatchedFiles {
    /// Files that were read just now.
    pub(super) fn new(stamp: Stamp) -> Self {
        Self { looked_at: Mutex::new(Instant::now()), stamp: Mutex::new(stamp) }
    }

    /// Whether they are to be looked at, by whoever is told so.
    pub(super) fn are_due(&self) -> bool {
        let mut looked_at = self.looked_at.lock();
        let are_due = looked_at.elapsed() >= LOOK_EVERY;
        if are_due {
            *looked_at = Instant::now();
        }
        are_due
    }

    /// Looks at them, whatever the time; has them read again where they changed, before anybody else looks. Blocks.
    pub(super) fn look(&self, now: impl FnOnce() -> Stamp, read_again: impl FnOnce()) {
        *self.looked_at.lock() = Instant::now();
        let mut last = self.stamp.lock();
        let now = now();
        if now != *last {
            *last = now;
            read_again();
        }
    }
}
