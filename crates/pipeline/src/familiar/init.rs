//! `familiar init`: from a file to a familiar's folder.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;

use super::install::{self, FileChange, Record, sha256};
use super::layout::{AVATAR, AVATAR_KINDS, CHARACTER_TOML, NAME, ORIGINAL, RECORD, REPORT, SELF};
use super::on_disk::broken_card;
use super::report::{ImportReport, ImportStatus};
use super::unpack::{Unpacked, character_toml, unpack};
use super::{lock_familiar, slug};
use crate::config::FamiliarHome;
use crate::domain::FamiliarId;
use crate::home::write_atomic;
use familiar_cards::lore::file::toml_string;
use familiar_cards::text::name_line;
use familiar_cards::{Card, Container, Limit, Refusal, RefusalKind, read_card};

/// What to do when the familiar already holds another card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    Refuse,
    /// Take the new card and keep people's edits.
    Merge,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writing {
    ForReal,
    /// Only report what would be.
    DryRun,
}

#[derive(Debug, Clone)]
pub struct InitRequest {
    pub file: PathBuf,
    /// Where familiars live (`<data-dir>/familiars/<id>`).
    pub data_dir: PathBuf,
    /// The id to give it; otherwise made from the name.
    pub id: Option<FamiliarId>,
    /// The name to give it; otherwise the card's, else the file's.
    pub name: Option<String>,
    /// What to do with a familiar that is already there.
    pub existing: Existing,
    pub writing: Writing,
}

impl InitRequest {
    /// A card to be taken in as it is, where nobody of its name lives yet.
    pub fn new(file: impl Into<PathBuf>, data_dir: impl Into<PathBuf>) -> Self {
        Self {
            file: file.into(),
            data_dir: data_dir.into(),
            id: None,
            name: None,
            existing: Existing::Refuse,
            writing: Writing::ForReal,
        }
    }
}

/// How far an import is, as it happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InitStep {
    /// The file is in memory.
    Read {
        bytes: usize,
    },
    /// The card was taken out and understood.
    Understood {
        container: Container,
        /// Its name, as far as it has one.
        name: String,
        lore_entries: usize,
    },
    Writing {
        files: usize,
    },
}

/// Reads a file within the limit, which is checked before and while reading.
///
/// # Errors
/// When it cannot be read, is no file, or is larger than 64 MiB.
pub fn read_bounded(path: &Path) -> Result<Vec<u8>, Refusal> {
    let failed = |error: std::io::Error| Refusal::io("read", path, &error);
    let file = File::open(path).map_err(failed)?;
    let meta = file.metadata().map_err(failed)?;
    if meta.is_dir() {
        return Err(Refusal::new(RefusalKind::Io, format!("{} is a folder, not a card", path.display())));
    }
    let too_large = |size: u64| {
        Refusal::limit(Limit::File, format!("the file is larger than allowed ({size} bytes or more)"))
            .at(Limit::File.value())
    };
    if meta.len() > Limit::File.value() {
        return Err(too_large(meta.len()));
    }
    let mut bytes = Vec::new();
    file.take(Limit::File.value() + 1).read_to_end(&mut bytes).map_err(failed)?;
    if Limit::File.exceeded_by(bytes.len()) {
        return Err(too_large(Limit::File.value() + 1));
    }
    Ok(bytes)
}

/// Imports a card. Same file again: nothing to do, or what was read of it is mended where it is broken. Another card: refused,
/// or merged when asked for. A failure leaves nothing behind.
///
/// # Errors
/// A [`Refusal`] of one line.
pub fn init(request: &InitRequest, mut progress: impl FnMut(InitStep)) -> Result<ImportReport, Refusal> {
    let bytes = read_bounded(&request.file)?;
    progress(InitStep::Read { bytes: bytes.len() });
    let mut card = read_card(&bytes)?;
    let is_nameless = settle_name(&mut card, request);
    progress(InitStep::Understood {
        container: card.container,
        name: card.name.clone(),
        lore_entries: card.book.as_ref().map_or(0, |book| book.entries.len()),
    });
    let hash = sha256(&bytes);
    let (id, found) = settle_id(&mut card, request, &hash)?;
    let home = FamiliarHome::new(&request.data_dir, &id);
    let mut report = ImportReport::new(id, home.root().to_path_buf(), hash.clone(), &card);
    report.is_nameless = is_nameless;
    if found == Occupied::Same {
        report.status = ImportStatus::Unchanged;
        return Ok(report);
    }
    let unpacked = unpack(&card, &bytes);
    if request.writing == Writing::DryRun {
        report.status = ImportStatus::DryRun;
        return Ok(report);
    }
    progress(InitStep::Writing { files: unpacked.edited.len() + unpacked.own.len() });
    match found {
        Occupied::Nothing => create_from_card(&home, &card, unpacked, &hash, &report)?,
        _ => update_from_card(&home, &card, unpacked, &hash, &mut report)?,
    }
    Ok(report)
}

/// Has a new familiar live by a clock, which is the machine's: nobody sets one before they wonder why it sleeps by day. A zone
/// without a place says nothing that is not so anyway.
///
/// # Errors
/// When its settings cannot be written.
pub fn lives_by_clock_of(home: &FamiliarHome, zone: &TimeZone) -> std::io::Result<()> {
    let Some(name) = zone.iana_name().filter(|name| *name != "UTC" && !name.starts_with("Etc/")) else {
        return Ok(());
    };
    let path = home.character_toml();
    let settings = std::fs::read_to_string(&path)?;
    let clock = format!("# The clock it lives by.\ndisplay_tz = {}\n", toml_string(name));
    write_atomic(&path, format!("{settings}\n{clock}"))
}

/// Gives it another name than it came in with; which, as it is written down. `None` where that is no name. Blocks.
///
/// # Errors
/// When it cannot be written.
pub fn give_name(home: &FamiliarHome, name: &str) -> std::io::Result<Option<String>> {
    let name = name_line(name);
    if name.is_empty() {
        return Ok(None);
    }
    write_atomic(&home.root().join(NAME), format!("{name}\n"))?;
    Ok(Some(name))
}

/// Whether neither the card nor whoever brings it has a name for it, so that its file's was taken.
fn settle_name(card: &mut Card, request: &InitRequest) -> bool {
    if let Some(name) = request.name.as_deref().map(str::trim).filter(|name| !name.is_empty()) {
        card.name = name.to_owned();
        return false;
    }
    if card.name.is_empty() {
        let stem = request.file.file_stem().map(|stem| stem.to_string_lossy().trim().to_owned());
        card.name = stem.filter(|stem| !stem.is_empty()).unwrap_or_else(|| "familiar".to_owned());
        card.warnings.push(format!(
            "the card has no name; \"{}\" comes from the file's name, and another belongs in {NAME}",
            card.name
        ));
        return true;
    }
    false
}

/// What stands where the familiar would go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Occupied {
    Nothing,
    Same,
    Other,
}

/// Candidates tried before giving up on finding a free id.
const NUMBERED_MAX: u32 = 99;

fn settle_id(card: &mut Card, request: &InitRequest, hash: &str) -> Result<(FamiliarId, Occupied), Refusal> {
    if let Some(id) = &request.id {
        let home = FamiliarHome::new(&request.data_dir, id);
        return Ok((
            id.clone(),
            occupied_by(&home, card, request, hash, IdChoice::ByUser)?.unwrap_or(Occupied::Other),
        ));
    }
    let stem = request.file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let id = match slug::slug(&card.name) {
        Some(id) => id,
        None => {
            let id = slug::slug(&stem).ok_or_else(|| {
                Refusal::new(
                    RefusalKind::NoId,
                    format!("no id can be made from the name \"{}\"; give one with --id", card.name),
                )
            })?;
            card.warnings
                .push(format!("no id can be made from the name; \"{id}\" comes from the file's name"));
            id
        }
    };
    let numbered = (2..=NUMBERED_MAX).filter_map(|number| slug::numbered_id(&id, number));
    for candidate in std::iter::once(id.clone()).chain(numbered) {
        let home = FamiliarHome::new(&request.data_dir, &candidate);
        if let Some(found) = occupied_by(&home, card, request, hash, IdChoice::FromName)? {
            if candidate != id {
                card.warnings.push(format!(
                    "the id \"{id}\" belongs to another character; this one is \"{candidate}\""
                ));
            }
            return Ok((candidate, found));
        }
    }
    Err(Refusal::new(RefusalKind::Taken, format!("too many familiars are called {id}; give an id with --id")))
}

/// Who picked the id: a person means that familiar, a name may meet another character by chance.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IdChoice {
    ByUser,
    FromName,
}

/// What stands in a folder; `None` when it is another character's.
fn occupied_by(
    home: &FamiliarHome,
    card: &Card,
    request: &InitRequest,
    hash: &str,
    chosen: IdChoice,
) -> Result<Option<Occupied>, Refusal> {
    if !home.root().exists() {
        return Ok(Some(Occupied::Nothing));
    }
    if request.writing == Writing::ForReal {
        install::recover(home.root())?;
    }
    let record = Record::read(&home.root().join(RECORD));
    match record {
        Some(record) if record.sha256 == hash => {
            // Where what was read of the card is broken, the same card mends it, and nobody's edits go.
            let is_whole = broken_card(home).is_none();
            return Ok(Some(if is_whole { Occupied::Same } else { Occupied::Other }));
        }
        Some(record) if chosen == IdChoice::FromName && record.name != card.name => return Ok(None),
        // A folder made by hand without any field yet is only waiting for a card.
        None if !home.root().join(SELF).exists() => return Ok(Some(Occupied::Other)),
        _ => {}
    }
    match request.existing {
        Existing::Merge => Ok(Some(Occupied::Other)),
        Existing::Refuse => Err(Refusal::new(
            RefusalKind::Taken,
            format!(
                "familiar {} already holds another card; --overwrite takes this one and keeps your edits, --id makes a second familiar",
                home.id()
            ),
        )),
    }
}

fn install_record(card: &Card, unpacked: &Unpacked, hash: &str) -> Record {
    Record {
        sha256: hash.to_owned(),
        name: card.name.clone(),
        book: unpacked.book.clone(),
        files: unpacked.edited.iter().map(|(path, bytes)| (path.clone(), sha256(bytes))).collect(),
    }
}

fn create_from_card(
    home: &FamiliarHome,
    card: &Card,
    unpacked: Unpacked,
    hash: &str,
    report: &ImportReport,
) -> Result<(), Refusal> {
    let record = install_record(card, &unpacked, hash);
    let mut files = unpacked.edited;
    files.extend(unpacked.own);
    files.insert(RECORD.to_owned(), record.to_bytes());
    files.insert(REPORT.to_owned(), report.to_markdown().into_bytes());
    files.insert(CHARACTER_TOML.to_owned(), character_toml(card).into_bytes());
    install::create(home.root(), &files)
}

fn update_from_card(
    home: &FamiliarHome,
    card: &Card,
    unpacked: Unpacked,
    hash: &str,
    report: &mut ImportReport,
) -> Result<(), Refusal> {
    let _lock =
        lock_familiar(home).map_err(|error| Refusal::new(RefusalKind::Conflict, error.to_string()))?;
    let old = Record::read(&home.root().join(RECORD)).unwrap_or_default();
    let record = install_record(card, &unpacked, hash);
    let kind = card.container.extension();
    let Unpacked { edited, own, .. } = unpacked;
    let (mut change, kept): (FileChange, _) = install::three_way(home.root(), &old.files, edited)?;
    report.status = ImportStatus::Updated;
    report.note_kept(&kept);
    for other in ["png", "json", "charx", "jpg", "webp", "yaml"] {
        let path = format!("{ORIGINAL}.{other}");
        if other != kind && home.root().join(&path).exists() {
            change.remove.push(path);
        }
    }
    drop_replaced_avatar(&mut change);
    change.write.extend(own);
    change.write.insert(RECORD.to_owned(), record.to_bytes());
    change.write.insert(REPORT.to_owned(), report.to_markdown().into_bytes());
    if !home.character_toml().exists() {
        change.write.insert(CHARACTER_TOML.to_owned(), character_toml(card).into_bytes());
    }
    install::update(home.root(), &change)
}

/// Removals run before moves, so a picture that only changed its kind is not lost on the way.
fn drop_replaced_avatar(change: &mut FileChange) {
    let written: Vec<String> = AVATAR_KINDS
        .iter()
        .map(|kind| format!("{AVATAR}.{kind}"))
        .filter(|path| change.write.contains_key(path))
        .collect();
    change.remove.retain(|path| !written.contains(path));
}
