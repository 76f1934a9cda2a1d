//! Card files built byte by byte: every container, whole or broken on purpose.

use std::io::{Cursor, Write as _};

use base64::Engine as _;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde_json::{Value, json};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

pub const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Base64 as most tools write it.
pub fn base64(bytes: impl AsRef<[u8]>) -> String {
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// A V2 card with a name.
pub fn v2(name: &str) -> Value {
    json!({"spec": "chara_card_v2", "spec_version": "2.0", "data": {
        "name": name, "description": "D {{char}}", "personality": "P", "scenario": "S",
        "first_mes": "Hello", "mes_example": "<START>\n{{user}}: a\n{{char}}: b", "creator_notes": "N",
        "system_prompt": "", "post_history_instructions": "", "alternate_greetings": ["Hi", "Hey"],
        "tags": ["a"], "creator": "C", "character_version": "1", "extensions": {"x/y": {"kept": true}}}})
}

/// A V3 card with a name.
pub fn v3(name: &str) -> Value {
    let mut card = v2(name);
    card["spec"] = json!("chara_card_v3");
    card["spec_version"] = json!("3.0");
    card["data"]["nickname"] = json!("Nick");
    card["data"]["group_only_greetings"] = json!(["All"]);
    card
}

/// One chunk with a right checksum.
pub fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let mut body = kind.to_vec();
    body.extend_from_slice(data);
    let mut out = u32::try_from(data.len()).unwrap().to_be_bytes().to_vec();
    out.extend_from_slice(&body);
    out.extend_from_slice(&crc32fast::hash(&body).to_be_bytes());
    out
}

/// One chunk whose checksum is wrong.
pub fn chunk_with_wrong_checksum(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let mut out = chunk(kind, data);
    let last = out.len() - 1;
    out[last] ^= 0xff;
    out
}

/// Only the head of a chunk, which promises `length` bytes.
pub fn chunk_head(kind: &[u8; 4], length: u32) -> Vec<u8> {
    [&length.to_be_bytes()[..], kind].concat()
}

/// A `tEXt` chunk.
pub fn text(keyword: &str, text: impl AsRef<[u8]>) -> Vec<u8> {
    chunk(b"tEXt", &[keyword.as_bytes(), b"\0", text.as_ref()].concat())
}

/// A `zTXt` chunk.
pub fn compressed(keyword: &str, text: impl AsRef<[u8]>) -> Vec<u8> {
    chunk(b"zTXt", &[keyword.as_bytes(), b"\0\0", &deflated(text.as_ref())].concat())
}

/// An `iTXt` chunk, compressed or not.
pub fn international(keyword: &str, text: impl AsRef<[u8]>, compress: bool) -> Vec<u8> {
    let body = if compress { deflated(text.as_ref()) } else { text.as_ref().to_vec() };
    let flags: &[u8] = if compress { b"\0\x01\0" } else { b"\0\0\0" };
    chunk(b"iTXt", &[keyword.as_bytes(), flags, b"en\0translated\0", &body].concat())
}

pub fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// What stands around the text chunks.
fn head() -> Vec<u8> {
    chunk(b"IHDR", &[0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0])
}

pub fn pixels() -> Vec<u8> {
    chunk(b"IDAT", &deflated(&[0, 0x80]))
}

pub fn end() -> Vec<u8> {
    chunk(b"IEND", b"")
}

/// A PNG of the given chunks after the header, nothing added behind them.
pub fn png_of(chunks: &[Vec<u8>]) -> Vec<u8> {
    [PNG_SIGNATURE, &head(), &chunks.concat()].concat()
}

/// A whole PNG with the given text chunks behind the pixels.
pub fn png(texts: &[Vec<u8>]) -> Vec<u8> {
    png_of(&[pixels(), texts.concat(), end()])
}

/// A whole PNG with one card.
pub fn png_card(keyword: &str, card: &Value) -> Vec<u8> {
    png(&[text(keyword, base64(card.to_string()))])
}

/// A zip of the given entries.
pub fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, data) in entries {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(data).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A zip of one entry under several names, compressed once, and of a last one.
pub fn zip_of_copies(first: (&str, &[u8]), copies: usize, last: (&str, &[u8])) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file(first.0, SimpleFileOptions::default()).unwrap();
    zip.write_all(first.1).unwrap();
    for number in 1..copies {
        zip.deep_copy_file(first.0, &format!("{}.{number}", first.0)).unwrap();
    }
    zip.start_file(last.0, SimpleFileOptions::default()).unwrap();
    zip.write_all(last.1).unwrap();
    zip.finish().unwrap().into_inner()
}

/// A TIFF block with one user comment.
pub fn exif(comment: &[u8]) -> Vec<u8> {
    let mut out = b"II*\0\x08\0\0\0".to_vec();
    // One entry: the pointer to the Exif directory, which follows.
    out.extend_from_slice(&1_u16.to_le_bytes());
    entry(&mut out, 0x8769, 4, 1, 26);
    out.extend_from_slice(&0_u32.to_le_bytes());
    out.extend_from_slice(&1_u16.to_le_bytes());
    entry(&mut out, 0x9286, 7, u32::try_from(comment.len()).unwrap(), 44);
    out.extend_from_slice(&0_u32.to_le_bytes());
    out.extend_from_slice(comment);
    out
}

fn entry(out: &mut Vec<u8>, tag: u16, kind: u16, count: u32, value: u32) {
    out.extend_from_slice(&tag.to_le_bytes());
    out.extend_from_slice(&kind.to_le_bytes());
    out.extend_from_slice(&count.to_le_bytes());
    out.extend_from_slice(&value.to_le_bytes());
}

/// A WEBP with the given EXIF block.
pub fn webp(exif: &[u8]) -> Vec<u8> {
    let mut body = b"WEBPVP8X\x0a\0\0\0\x08\0\0\0\0\0\0\0\0\0EXIF".to_vec();
    body.extend_from_slice(&u32::try_from(exif.len()).unwrap().to_le_bytes());
    body.extend_from_slice(exif);
    if exif.len() % 2 == 1 {
        body.push(0);
    }
    let mut out = b"RIFF".to_vec();
    out.extend_from_slice(&u32::try_from(body.len()).unwrap().to_le_bytes());
    out.extend_from_slice(&body);
    out
}

/// The beginning and end of a JPEG, with the given EXIF block where there is one.
pub fn jpeg(exif: Option<&[u8]>) -> Vec<u8> {
    let mut out = b"\xff\xd8".to_vec();
    match exif {
        Some(exif) => {
            let body = [b"Exif\0\0", exif].concat();
            out.extend_from_slice(b"\xff\xe1");
            out.extend_from_slice(&u16::try_from(body.len() + 2).unwrap().to_be_bytes());
            out.extend_from_slice(&body);
        }
        None => out.extend_from_slice(b"\xff\xe0\x00\x04PK"),
    }
    // A false start of a zip inside the picture, which a search for the first one would take.
    out.extend_from_slice(b"\xff\xda\x00\x02PK\x03\x04 not a zip \xff\xd9");
    out
}
