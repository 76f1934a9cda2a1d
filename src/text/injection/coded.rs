//! What a text says when it is decoded: Base64, hexadecimal, ROT13, backwards.

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use regex::Regex;

use crate::text::unicode::{comparable, nfkc, visible};

/// At most this many pieces of a text are decoded.
const MAX_PIECES: usize = 16;

/// So much of a piece is decoded, in bytes; a multiple of 12, so that no group of digits is torn.
const MAX_CODE: usize = 4_800;

/// Text beyond this is neither turned round nor rotated, in bytes.
const MAX_TURNED: usize = 8_000;

static BASE64: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[A-Za-z0-9+/_-]{24,}={0,2}").ok());

static HEX: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?:(?:0x|\\x)?[0-9a-fA-F]{2}[ ,:]?){20,}").ok());

static FORGIVING: LazyLock<GeneralPurpose> = LazyLock::new(|| {
    let config = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    GeneralPurpose::new(&base64::alphabet::STANDARD, config)
});

/// Words of which a planted instruction has at least one. Only where one stands backwards or rotated is the whole text
/// turned round.
const KEYWORDS: [&str; 12] = [
    "ignor",
    "instruct",
    "prompt",
    "disregard",
    "forget",
    "system",
    "reveal",
    "previous",
    "anweisung",
    "instruc",
    "assistant",
    "obey",
];

static BACKWARDS: LazyLock<Option<Regex>> = LazyLock::new(|| any_of(backwards));

static ROTATED: LazyLock<Option<Regex>> = LazyLock::new(|| any_of(rotated));

fn any_of(turned: fn(&str) -> String) -> Option<Regex> {
    let forms: Vec<String> =
        KEYWORDS.iter().map(|word| regex::escape(&super::plain(&comparable(&turned(word))))).collect();
    Regex::new(&forms.join("|")).ok()
}

/// Readings of `text` that only a decoder sees. They are read from the text itself: its look-alike `form` has merged
/// letters that codes tell apart.
pub(super) fn hidden_texts(text: &str, form: &str) -> Vec<String> {
    let mut hidden = Vec::new();
    // The decoders work on what is visible; hidden characters would tear a code apart.
    let seen = visible(text);
    let text = nfkc(&seen);
    if let Some(pattern) = BASE64.as_ref() {
        hidden.extend(pattern.find_iter(&text).take(MAX_PIECES).filter_map(|found| base64(found.as_str())));
    }
    if let Some(pattern) = HEX.as_ref() {
        hidden.extend(pattern.find_iter(&text).take(MAX_PIECES).filter_map(|found| hex(found.as_str())));
    }
    let holds = |words: &Option<Regex>| words.as_ref().is_some_and(|words| words.is_match(form));
    let seen = &seen[..seen.floor_char_boundary(MAX_TURNED)];
    if holds(&BACKWARDS) {
        hidden.push(backwards(seen));
    }
    if holds(&ROTATED) {
        hidden.push(rotated(seen));
    }
    hidden
}

fn backwards(text: &str) -> String {
    text.chars().rev().collect()
}

fn rotated(text: &str) -> String {
    text.chars().map(rot13).collect()
}

fn base64(code: &str) -> Option<String> {
    let code = &code[..code.floor_char_boundary(MAX_CODE)];
    let standard: String = code.trim_end_matches('=').replace('-', "+").replace('_', "/");
    readable(&FORGIVING.decode(standard).ok()?)
}

fn hex(code: &str) -> Option<String> {
    let code = &code[..code.floor_char_boundary(MAX_CODE)];
    let plain = code.replace("0x", "").replace("\\x", "");
    let digits: Vec<u8> =
        plain.chars().filter_map(|c| c.to_digit(16)).filter_map(|d| u8::try_from(d).ok()).collect();
    let bytes: Vec<u8> = digits.chunks_exact(2).map(|pair| pair[0] * 16 + pair[1]).collect();
    readable(&bytes)
}

/// Bytes that are words to a reader.
fn readable(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    let readable = text.chars().filter(|c| c.is_alphanumeric() || c.is_whitespace()).count();
    (text.chars().count() >= 12 && readable * 10 >= text.chars().count() * 8).then(|| text.to_owned())
}

fn rot13(character: char) -> char {
    let turn = |first: u8| {
        let letter = u8::try_from(character).unwrap_or(first);
        char::from((letter - first + 13) % 26 + first)
    };
    match character {
        'a'..='z' => turn(b'a'),
        'A'..='Z' => turn(b'A'),
        other => other,
    }
}
