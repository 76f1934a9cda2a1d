//! CHARX: a zip with `card.json` at its root, alone or behind a picture. Declared sizes are never believed; what is
//! read is counted (cards-and-lore 1.3, 1.5).

use std::io::{Cursor, Read};

use serde_json::Value;
use zip::ZipArchive;
use zip::result::ZipError;

use super::{Container, Extracted, picture_kind};
use crate::payload;
use crate::refusal::{Limit, Refusal, RefusalKind};

/// End of central directory: signature and length without the comment.
const END_SIGNATURE: &[u8] = b"PK\x05\x06";
const END_LENGTH: usize = 22;
const COMMENT_MAX: usize = 65_535;

/// Where the end-of-central-directory record stands, if the bytes end in a zip.
fn end_record(bytes: &[u8]) -> Option<usize> {
    let first = bytes.len().saturating_sub(END_LENGTH + COMMENT_MAX);
    let tail = bytes.get(first..)?;
    (0..=tail.len().checked_sub(END_LENGTH)?)
        .rev()
        .find(|&at| tail[at..].starts_with(END_SIGNATURE))
        .map(|at| first + at)
}

/// Whether a zip ends these bytes.
pub(super) fn ends_in_zip(bytes: &[u8]) -> bool {
    end_record(bytes).is_some()
}

/// The number of entries the zip says it has, the larger of the classic and the 64-bit record.
fn declared_entries(bytes: &[u8], end: usize) -> u64 {
    let classic = bytes.get(end + 10..end + 12).and_then(|b| b.try_into().ok()).map_or(0, u16::from_le_bytes);
    let wide = end
        .checked_sub(20)
        .filter(|&at| bytes[at..].starts_with(b"PK\x06\x07"))
        .and_then(|at| bytes.get(at + 8..at + 16)?.try_into().ok())
        .and_then(|offset| usize::try_from(u64::from_le_bytes(offset)).ok())
        .and_then(|at| bytes.get(at.checked_add(32)?..at.checked_add(40)?)?.try_into().ok())
        .map_or(0, u64::from_le_bytes);
    wide.max(u64::from(classic))
}

/// Opens the zip in `bytes` after checking how many entries it claims.
pub(crate) fn archive(bytes: &[u8]) -> Result<ZipArchive<Cursor<&[u8]>>, Refusal> {
    let end = end_record(bytes).ok_or_else(|| {
        Refusal::new(RefusalKind::Damaged, "the file is cut off before its end; download it again")
            .at(u64::try_from(bytes.len()).unwrap_or(u64::MAX))
    })?;
    let at = u64::try_from(end).unwrap_or(u64::MAX);
    let too_many =
        |count: u64| Refusal::limit(Limit::ZipEntries, format!("there are {count} files in it")).at(at);
    let declared = declared_entries(bytes, end);
    if declared > Limit::ZipEntries.value() {
        return Err(too_many(declared));
    }
    let archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| {
        Refusal::new(
            RefusalKind::Damaged,
            format!("the file is damaged and does not open ({error}); download it again"),
        )
        .at(at)
    })?;
    if Limit::ZipEntries.exceeded_by(archive.len()) {
        return Err(too_many(u64::try_from(archive.len()).unwrap_or(u64::MAX)));
    }
    Ok(archive)
}

/// One entry as it was read: never more than its cap, and never what a header promised.
struct CharxEntry {
    name: String,
    offset: u64,
    data: Vec<u8>,
    /// Why reading stopped early, if it did.
    broken: Option<String>,
}

/// Takes the card out of a zip.
pub(super) fn open_charx(bytes: &[u8], container: Container) -> Result<Extracted, Refusal> {
    let mut archive = archive(bytes)?;
    let mut warnings = Vec::new();
    let mut card: Option<CharxEntry> = None;
    let mut files = Vec::new();
    let mut others: Vec<String> = Vec::new();
    let mut total: u64 = 0;
    for index in 0..archive.len() {
        let Some(entry) = read_entry(&mut archive, index, &mut total, &mut warnings)? else { continue };
        if is_root_card(&entry.name) && card.is_none() {
            card = Some(entry);
        } else if entry.broken.is_none() && picture_kind(&entry.data).is_some() {
            files.push((entry.name, entry.data));
        } else {
            if let Some(why) = entry.broken {
                warnings.push(format!("zip entry `{}` could not be read: {why}", entry.name));
            }
            others.push(entry.name);
        }
    }
    let Some(card) = card else {
        return Err(holds_no_card(&others));
    };
    if others.iter().any(|name| name == "module.risum") {
        warnings.push(
            "module.risum (Risu scripts and lorebook) is kept in the original file and not unpacked"
                .to_owned(),
        );
    }
    let value = parse_card(&card, &mut warnings)?;
    let mut extracted = Extracted::new(container, value, card.offset, warnings);
    let offset = usize::try_from(archive.offset()).unwrap_or(0);
    extracted.picture =
        bytes.get(..offset).filter(|prefix| picture_kind(prefix).is_some()).map(<[u8]>::to_vec);
    extracted.files = files;
    Ok(extracted)
}

fn parse_card(card: &CharxEntry, warnings: &mut Vec<String>) -> Result<Value, Refusal> {
    let parsed =
        payload::refuse_encrypted(&card.data).and_then(|()| payload::parse_json(&card.data, warnings));
    match (parsed, &card.broken) {
        (Ok(value), Some(why)) => {
            warnings.push(format!("card.json was read although the zip says: {why}"));
            Ok(value)
        }
        (Ok(value), None) => Ok(value),
        (Err(_), Some(why)) => Err(Refusal::new(
            RefusalKind::Damaged,
            format!("card.json in this file is damaged: {why}; download it again"),
        )
        .at(card.offset)),
        (Err(refusal), None) => Err(refusal.at(card.offset)),
    }
}

/// The exact name at the root. Anything that merely ends in `card.json` may be an asset put there to be mistaken for it.
fn is_root_card(name: &str) -> bool {
    name == "card.json" || name == "./card.json"
}

/// Whether an entry of an original may go into an export: an asset with a plain relative path.
pub(crate) fn is_safe_entry(name: &str) -> bool {
    !is_root_card(name)
        && !name.contains(['\\', ':'])
        && !name.starts_with('/')
        && name.split('/').all(|part| !part.is_empty() && part != "..")
}

fn holds_no_card(names: &[String]) -> Refusal {
    let backyard = names.iter().any(|name| name == "manifest.json")
        && names.iter().any(|name| name.starts_with("characters/"));
    if backyard {
        return Refusal::new(
            RefusalKind::Unsupported,
            "this is a Backyard archive (BYAF), which is not read; export the character as a PNG or JSON card",
        );
    }
    Refusal::new(
        RefusalKind::NotACard,
        "this zip holds no character: there is no card.json at its top; if a card lies in it, unpack it and take that",
    )
}

fn read_entry(
    archive: &mut ZipArchive<Cursor<&[u8]>>,
    index: usize,
    total: &mut u64,
    warnings: &mut Vec<String>,
) -> Result<Option<CharxEntry>, Refusal> {
    // Asked twice, since a refusal may not hold on to the archive.
    if let Some(error) = archive.by_index(index).err() {
        return Ok(unopened(archive, index, &error));
    }
    let Ok(file) = archive.by_index(index) else { return Ok(None) };
    let name = file
        .name()
        .map_or_else(|_| String::from_utf8_lossy(file.name_raw()).into_owned(), |n| n.into_owned());
    let offset = file.header_start();
    if file.is_dir() {
        return Ok(None);
    }
    if file.is_symlink() {
        warnings.push(format!("zip entry `{}` is a symbolic link and was ignored", quoted_entry(&name)));
        return Ok(None);
    }
    if file.enclosed_name().is_none() || name.contains(['\\', ':']) || name.starts_with('/') {
        warnings.push(format!("zip entry `{}` has an unsafe path and was ignored", quoted_entry(&name)));
        return Ok(None);
    }
    let limit = if is_root_card(&name) { Limit::CardJson } else { Limit::ZipAsset };
    let left = Limit::ZipInflated.value().saturating_sub(*total);
    let mut data = Vec::new();
    let outcome = file.take(limit.value().min(left) + 1).read_to_end(&mut data);
    let read = u64::try_from(data.len()).unwrap_or(u64::MAX);
    *total = total.saturating_add(read);
    if read > limit.value() {
        return Err(Refusal::limit(
            limit,
            format!("`{}` in this file is too large once unpacked", quoted_entry(&name)),
        )
        .at(offset));
    }
    if *total > Limit::ZipInflated.value() {
        return Err(Refusal::limit(Limit::ZipInflated, "the file is too large once unpacked").at(offset));
    }
    let broken = outcome.err().map(|error| error.to_string());
    Ok(Some(CharxEntry { name, offset, data, broken }))
}

/// An entry whose data cannot be opened (encrypted, unknown compression) still counts by its name.
fn unopened(archive: &mut ZipArchive<Cursor<&[u8]>>, index: usize, error: &ZipError) -> Option<CharxEntry> {
    let raw = archive.by_index_raw(index).ok()?;
    let name = String::from_utf8_lossy(raw.name_raw()).into_owned();
    let offset = raw.header_start();
    Some(CharxEntry { name, offset, data: Vec::new(), broken: Some(error.to_string()) })
}

fn quoted_entry(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(80).collect()
}
