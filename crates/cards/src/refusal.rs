//! Why a file was not taken: one line, the limit it broke and the byte where it broke it.
//!
//! Owns the limits of cards-and-lore 1.5. Must not know containers or specs. Start at [`Refusal`].

use std::fmt;

use serde::{Serialize, Serializer};

use crate::text::one_line;

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

/// The guards an import enforces. The values are those of cards-and-lore 1.5.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The whole file, in bytes.
    File,
    /// One PNG text chunk (or EXIF comment), in bytes as stored.
    TextChunk,
    /// One compressed text chunk after inflating, in bytes.
    InflatedText,
    /// All card texts of one PNG after inflating, in bytes.
    FileTexts,
    /// A length field may not promise more bytes than the file still has.
    DeclaredLength,
    /// The card's JSON (or YAML) text, in bytes.
    CardJson,
    /// Nesting of the card's JSON (or YAML).
    JsonDepth,
    /// Entries of a zip container.
    ZipEntries,
    /// All entries of a zip container after inflating, in bytes.
    ZipInflated,
    /// One entry of a zip container after inflating, in bytes.
    ZipAsset,
    /// Entries of one lorebook.
    BookEntries,
    /// Alternate greetings of one card, and as many for groups.
    Greetings,
    /// One text field, in bytes of UTF-8.
    Field,
    /// Anchors, aliases and nodes of a YAML file.
    YamlNodes,
}

impl Limit {
    /// The limit as a number, in the unit its variant documents.
    #[must_use]
    pub const fn value(self) -> u64 {
        match self {
            Self::File | Self::FileTexts => 64 * MIB,
            Self::TextChunk | Self::InflatedText | Self::CardJson => 8 * MIB,
            Self::DeclaredLength => 0,
            Self::JsonDepth => 128,
            Self::ZipEntries => 10_000,
            Self::ZipInflated => 200 * MIB,
            Self::ZipAsset => 50 * MIB,
            Self::BookEntries => 5_000,
            Self::Greetings => 200,
            Self::Field => MIB,
            Self::YamlNodes => 50_000,
        }
    }

    /// Whether `size` is beyond the limit.
    #[must_use]
    pub fn exceeded_by(self, size: usize) -> bool {
        u64::try_from(size).unwrap_or(u64::MAX) > self.value()
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::File => "64 MiB for the whole file",
            Self::TextChunk => "8 MiB for one text of a picture",
            Self::InflatedText => "8 MiB for one text of a picture, unpacked",
            Self::FileTexts => "64 MiB for all texts of one picture",
            Self::DeclaredLength => "declared length within the file",
            Self::CardJson => "8 MiB for the card's text",
            Self::JsonDepth => "128 levels",
            Self::ZipEntries => "10000 files in one zip",
            Self::ZipInflated => "200 MiB for all files of a zip, unpacked",
            Self::ZipAsset => "50 MiB for one file of a zip",
            Self::BookEntries => "5000 lorebook entries",
            Self::Greetings => "200 greetings of one kind",
            Self::Field => "1 MiB for one field",
            Self::YamlNodes => "50000 YAML nodes, 64 levels, 100 aliases",
        })
    }
}

impl Serialize for Limit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What sort of refusal it is, for callers that branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalKind {
    /// A guard of cards-and-lore 1.5.
    Limit,
    /// The bytes are of no kind that is read here, or hold no card.
    NotACard,
    /// A lorebook without a card: `familiar lore import` takes it.
    Lorebook,
    /// A lorebook was asked for and the file is a card.
    NotALorebook,
    /// A format that is recognised and not read (encrypted, Backyard archive).
    Unsupported,
    /// A card is there and cannot be decoded.
    Damaged,
    /// What was asked for cannot be done with what is on disk.
    Conflict,
    /// Whoever would be made of a card is there already, with another card.
    Taken,
    /// No id can be made from the card's name, nor from its file's.
    NoId,
    /// There is no such familiar.
    Nobody,
    /// Reading or writing failed.
    Io,
}

/// A refused import, export or lore import. Its text is one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// What went wrong, by which programs choose an exit code.
    #[serde(skip)]
    pub kind: RefusalKind,
    /// One line for people, without the position.
    pub error: String,
    /// The guard that was broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
    /// Where in the file, in bytes from its start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
}

impl std::error::Error for Refusal {}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.error)?;
        // That a file ends before its end says all of it.
        if let Some(limit) = self.limit.filter(|limit| *limit != Limit::DeclaredLength) {
            write!(f, " (limit: {limit})")?;
        }
        if let Some(offset) = self.place() {
            write!(f, " (at byte {offset})")?;
        }
        Ok(())
    }
}

impl Refusal {
    /// A refusal without limit or position. Line breaks in `error` become spaces, so that it stays one line.
    pub fn new(kind: RefusalKind, error: impl Into<String>) -> Self {
        let error: String = error.into();
        let error = one_line(&error);
        Self { kind, error, limit: None, offset: None }
    }

    /// The byte that helps somebody to find it: none where the file as a whole is meant.
    fn place(&self) -> Option<u64> {
        match self.kind {
            RefusalKind::Lorebook | RefusalKind::NotALorebook | RefusalKind::NotACard => None,
            // Where it is cut off nothing could be mended.
            RefusalKind::Limit if self.limit == Some(Limit::DeclaredLength) => None,
            _ => self.offset.filter(|offset| *offset > 0),
        }
    }

    /// A refusal because a guard was broken.
    pub fn limit(limit: Limit, error: impl Into<String>) -> Self {
        Self { limit: Some(limit), ..Self::new(RefusalKind::Limit, error) }
    }

    /// A failed file operation, with the path that failed.
    pub fn io(doing: &str, path: &std::path::Path, error: &std::io::Error) -> Self {
        Self::new(
            RefusalKind::Io,
            match error.kind() {
                std::io::ErrorKind::NotFound if doing == "read" => format!("there is no {}", path.display()),
                std::io::ErrorKind::PermissionDenied => {
                    format!("you may not {doing} {}: its owner has to allow it", path.display())
                }
                std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                    format!("cannot {doing} {}: {error}; make room on that disk", path.display())
                }
                _ => format!("cannot {doing} {}: {error}", path.display()),
            },
        )
    }

    /// The same refusal, with the byte it is about.
    #[must_use]
    pub fn at(mut self, offset: u64) -> Self {
        self.offset = Some(offset);
        self
    }

    /// The same refusal with a position, where it has none yet.
    #[must_use]
    pub(crate) fn or_at(mut self, offset: u64) -> Self {
        self.offset.get_or_insert(offset);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_with_what_to_do() {
        let full = std::io::Error::from(std::io::ErrorKind::StorageFull);
        let told = Refusal::io("write", std::path::Path::new("mika"), &full).to_string();
        assert!(
            told.starts_with("cannot write mika: ") && told.ends_with("; make room on that disk"),
            "{told}"
        );
    }

    #[test]
    fn where_the_whole_file_is_meant_no_place_is_named() {
        let book = br#"{"entries": {"0": {"uid": 0, "key": ["tide"], "content": "High at noon."}}}"#;
        let told = crate::read_card(book).unwrap_err().to_string();
        assert!(told.ends_with("`familiar lore import FILE --familiar ID`"), "{told}");
        for (refusal, expected) in [
            (Refusal::new(RefusalKind::NotACard, "the file is empty").at(0), "the file is empty"),
            (
                Refusal::new(RefusalKind::Damaged, "a brace is missing").at(7),
                "a brace is missing (at byte 7)",
            ),
            (Refusal::new(RefusalKind::Lorebook, "a lorebook").or_at(33), "a lorebook"),
            (Refusal::new(RefusalKind::NotACard, "no character").at(33), "no character"),
            (Refusal::limit(Limit::DeclaredLength, "it is cut off").at(9), "it is cut off"),
        ] {
            assert_eq!(refusal.to_string(), expected);
        }
    }

    #[test]
    fn a_refusal_is_one_line_with_limit_and_byte() {
        let refusal = Refusal::limit(Limit::TextChunk, "the `chara` chunk\nis too large").at(33);
        assert_eq!(
            refusal.to_string(),
            "the `chara` chunk is too large (limit: 8 MiB for one text of a picture) (at byte 33)"
        );
        assert_eq!(
            serde_json::to_string(&refusal).unwrap(),
            r#"{"error":"the `chara` chunk is too large","limit":"8 MiB for one text of a picture","offset":33}"#
        );
    }
}
