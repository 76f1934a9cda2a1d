//! WEBP and JPEG: the card stands in the EXIF user comment, as JSON or as a list of byte values
//! (cards-and-lore 1.2).

use exif::{In, Reader, Tag, Value as Exif};
use serde_json::Value;

use super::{Container, Extracted, NO_CHARACTER};
use crate::payload;
use crate::refusal::{Limit, Refusal, RefusalKind};

/// Takes the card out of a WEBP.
pub(super) fn open_webp(bytes: &[u8]) -> Result<Extracted, Refusal> {
    let (offset, exif) = webp_exif(bytes)?;
    read_exif(bytes, Container::Webp, offset, exif)
}

/// Takes the card out of a JPEG.
pub(super) fn open_jpeg(bytes: &[u8]) -> Result<Extracted, Refusal> {
    let (offset, exif) = jpeg_exif(bytes).ok_or_else(no_card)?;
    read_exif(bytes, Container::Jpeg, offset, exif)
}

fn no_card() -> Refusal {
    Refusal::new(RefusalKind::NotACard, NO_CHARACTER)
}

/// The EXIF chunk of a WEBP and where it begins.
fn webp_exif(bytes: &[u8]) -> Result<(usize, &[u8]), Refusal> {
    let mut at = 12;
    while let Some(head) = bytes.get(at..at + 8) {
        let declared = u32::from_le_bytes([head[4], head[5], head[6], head[7]]);
        let start = at + 8;
        let end = usize::try_from(declared).ok().and_then(|length| start.checked_add(length));
        let Some((end, data)) = end.and_then(|end| bytes.get(start..end).map(|data| (end, data))) else {
            return Err(Refusal::limit(
                Limit::DeclaredLength,
                format!(
                    "the picture is cut off: a part of {declared} bytes is not all there; download it again"
                ),
            )
            .at(u64::try_from(at).unwrap_or(u64::MAX)));
        };
        if &head[..4] == b"EXIF" {
            return Ok((at, data));
        }
        // Chunks are padded to even length.
        at = end + (end & 1);
    }
    Err(no_card())
}

/// The EXIF segment of a JPEG and where it begins.
fn jpeg_exif(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut at = 2;
    loop {
        let [0xff, marker, high, low] = *bytes.get(at..at + 4)? else { return None };
        // Start of scan: only pixels from here on.
        if marker == 0xda {
            return None;
        }
        let length = usize::from(u16::from_be_bytes([high, low]));
        let data = bytes.get(at + 4..at + 2 + length.max(2))?;
        if marker == 0xe1 && data.starts_with(b"Exif\0\0") {
            return Some((at, data));
        }
        at += 2 + length.max(2);
    }
}

fn read_exif(bytes: &[u8], container: Container, offset: usize, exif: &[u8]) -> Result<Extracted, Refusal> {
    let at = u64::try_from(offset).unwrap_or(u64::MAX);
    if Limit::TextChunk.exceeded_by(exif.len()) {
        return Err(
            Refusal::limit(Limit::TextChunk, "what stands beside this picture (EXIF) is too large").at(at)
        );
    }
    let raw = exif.strip_prefix(b"Exif\0\0").unwrap_or(exif).to_vec();
    let little_endian = raw.starts_with(b"II");
    let mut reader = Reader::new();
    reader.continue_on_error(true);
    let parsed =
        reader.read_raw(raw).or_else(|error| error.distill_partial_result(|_| {})).map_err(|error| {
            Refusal::new(
                RefusalKind::Damaged,
                format!("what stands beside this picture (EXIF) is damaged: {error}; download it again"),
            )
            .at(at)
        })?;
    let mut warnings = Vec::new();
    let comment = parsed
        .get_field(Tag::UserComment, In::PRIMARY)
        .or_else(|| parsed.get_field(Tag::ImageDescription, In::PRIMARY))
        .and_then(|field| comment_text(&field.value, little_endian));
    let Some(comment) = comment else {
        return Err(no_card().at(at));
    };
    let value = decode_comment(&comment, &mut warnings).map_err(|refusal| refusal.at(at))?;
    let mut extracted = Extracted::new(container, value, at, warnings);
    extracted.picture = Some(bytes.to_vec());
    Ok(extracted)
}

/// The comment's bytes as UTF-8, without the eight bytes that name its character set.
fn comment_text(value: &Exif, little_endian: bool) -> Option<Vec<u8>> {
    let bytes = match value {
        Exif::Undefined(bytes, _) | Exif::Byte(bytes) => bytes.clone(),
        Exif::Ascii(parts) => parts.concat(),
        _ => return None,
    };
    if let Some(text) = bytes.strip_prefix(b"UNICODE\0") {
        let unit = if little_endian { u16::from_le_bytes } else { u16::from_be_bytes };
        let units: Vec<u16> = text.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        return Some(String::from_utf16_lossy(&units).into_bytes());
    }
    let text = [&b"ASCII\0\0\0"[..], &b"JIS\0\0\0\0\0"[..], &[0; 8][..]]
        .into_iter()
        .find_map(|charset| bytes.strip_prefix(charset))
        .unwrap_or(&bytes);
    let end = text.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    (end > 0).then(|| text[..end].to_vec())
}

fn decode_comment(comment: &[u8], warnings: &mut Vec<String>) -> Result<Value, Refusal> {
    let comment = comment.trim_ascii();
    payload::refuse_encrypted(comment)?;
    if comment.starts_with(b"{") || comment.starts_with(b"\xef\xbb\xbf") {
        return payload::parse_json(comment, warnings);
    }
    if let Some(bytes) = byte_list(comment) {
        warnings.push("the card was written as a list of byte values".to_owned());
        return payload::parse_json(&bytes, warnings);
    }
    let mut notes = Vec::new();
    let value = payload::decode(comment, &mut notes).map_err(|refusal| match refusal.kind {
        RefusalKind::Limit | RefusalKind::Unsupported => refusal,
        _ => no_card(),
    })?;
    warnings.append(&mut notes);
    Ok(value)
}

/// `123,34,…`: what the Tavern of spring 2023 wrote.
fn byte_list(comment: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(comment).ok()?;
    text.trim_matches(['[', ']']).split(',').map(|number| number.trim().parse().ok()).collect()
}
