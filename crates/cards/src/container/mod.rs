//! What a card comes in: recognised by its first bytes, never by its name.
//!
//! Owns sniffing and taking the card's JSON (and pictures) out of each container, within the limits of
//! cards-and-lore 1.5. Must not know what the JSON means. Start at [`open_container`].

mod charx;
mod exif;
mod png;
mod yaml;

use serde::Serialize;
use serde_json::Value;

use super::payload;
use super::refusal::{Limit, Refusal, RefusalKind};

pub(crate) use charx::{archive as open_zip, is_safe_entry};
pub(crate) use png::with_card;

/// What a card came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Container {
    /// PNG or APNG with text chunks.
    Png,
    /// A bare JSON file.
    Json,
    /// A zip with `card.json`.
    Charx,
    /// A picture with such a zip behind it.
    #[strum(serialize = "jpeg+zip")]
    JpegZip,
    /// A JPEG with the card in its EXIF comment.
    Jpeg,
    /// A WEBP with the card in its EXIF comment.
    Webp,
    /// A YAML file.
    Yaml,
}

impl Container {
    /// The name in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The file name extension under which the original bytes are kept.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::JpegZip | Self::Jpeg => "jpg",
            other => other.as_str(),
        }
    }
}

impl Serialize for Container {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// What was taken out of a container.
#[derive(Debug)]
pub(crate) struct Extracted {
    pub container: Container,
    /// The card's JSON.
    pub value: Value,
    /// Where the card's text begins in the file, in bytes.
    pub offset: u64,
    /// The container's own picture, where it is one.
    pub picture: Option<Vec<u8>>,
    /// Files that came along, by the path the card may name them with.
    pub files: Vec<(String, Vec<u8>)>,
    /// A lorebook that came along beside the card (`naidata`).
    pub side_book: Option<Value>,
    /// One line for every lenient step.
    pub warnings: Vec<String>,
}

impl Extracted {
    /// A card's JSON that stands alone.
    pub(crate) fn bare(container: Container, value: Value) -> Self {
        Self::new(container, value, 0, Vec::new())
    }

    fn new(container: Container, value: Value, offset: u64, warnings: Vec<String>) -> Self {
        Self { container, value, offset, picture: None, files: Vec::new(), side_book: None, warnings }
    }
}

/// What is said of a picture without a card.
const NO_CHARACTER: &str = "this picture holds no character: it may be a preview, a screenshot or a copy that lost what was in it; \
                            download the card itself, as a PNG or JSON file";

const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Takes the card out of whatever holds it.
///
/// # Errors
/// A [`Refusal`] when a limit is broken, the bytes are of no known kind, or no card is in them.
pub(crate) fn open_container(bytes: &[u8]) -> Result<Extracted, Refusal> {
    if Limit::File.exceeded_by(bytes.len()) {
        return Err(Refusal::limit(Limit::File, format!("the file is {} bytes long", bytes.len()))
            .at(Limit::File.value()));
    }
    if bytes.is_empty() {
        return Err(Refusal::new(RefusalKind::NotACard, "the file is empty").at(0));
    }
    if bytes.starts_with(PNG_SIGNATURE) {
        return behind_or(Container::Charx, bytes, png::open_png(bytes));
    }
    if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
        return charx::open_charx(bytes, Container::Charx);
    }
    if bytes.starts_with(b"\xff\xd8\xff") {
        if !charx::ends_in_zip(bytes) {
            return exif::open_jpeg(bytes);
        }
        // Pixels may look like the end of a zip, and a zip may be there for another reason.
        return charx::open_charx(bytes, Container::JpegZip)
            .or_else(|refusal| exif::open_jpeg(bytes).or(Err(refusal)));
    }
    if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        return behind_or(Container::Charx, bytes, exif::open_webp(bytes));
    }
    open_text(bytes)
}

/// A picture without a card may still have a zip with one behind it.
fn behind_or(
    container: Container,
    bytes: &[u8],
    picture: Result<Extracted, Refusal>,
) -> Result<Extracted, Refusal> {
    match picture {
        Err(refusal) if refusal.kind == RefusalKind::NotACard && charx::ends_in_zip(bytes) => {
            charx::open_charx(bytes, container).or(Err(refusal))
        }
        other => other,
    }
}

fn open_text(bytes: &[u8]) -> Result<Extracted, Refusal> {
    payload::refuse_encrypted(bytes)?;
    let utf16 = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
    let body = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    let mut warnings = Vec::new();
    if utf16 || body.starts_with(b"{") || body.starts_with(b"[") {
        let value = payload::parse_json(bytes, &mut warnings)?;
        return Ok(Extracted::new(Container::Json, value, 0, warnings));
    }
    if body.is_empty() {
        return Err(Refusal::new(RefusalKind::NotACard, "the file is empty").at(0));
    }
    if charx::ends_in_zip(bytes) {
        return charx::open_charx(bytes, Container::Charx);
    }
    let value = yaml::parse(bytes, &mut warnings)?;
    Ok(Extracted::new(Container::Yaml, value, 0, warnings))
}

/// The extension of a picture by its first bytes.
pub(crate) fn picture_kind(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(PNG_SIGNATURE) {
        Some("png")
    } else if bytes.starts_with(b"\xff\xd8\xff") {
        Some("jpg")
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        Some("webp")
    } else if bytes.starts_with(b"GIF8") {
        Some("gif")
    } else if bytes.get(4..12) == Some(b"ftypavif") {
        Some("avif")
    } else {
        None
    }
}
