//! From the bytes a container holds to a JSON value: base64, byte order marks, broken UTF-8, lone surrogates.
//!
//! Owns the lenient decoding rows of cards-and-lore 3. Must not know containers or card specs.
//! Start at [`decode`].

use std::borrow::Cow;
use std::collections::HashSet;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde_json::Value;

use super::refusal::{Limit, Refusal, RefusalKind};
use crate::text::counted;

/// Padding and stray trailing bits are as various as the tools that write cards.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// What Risu puts in front of an encrypted card (cards-and-lore 1.1).
const RISU_ENCRYPTED: &[u8] = b"rcc||";

/// Decodes the text of a chunk: base64 of JSON, or bare JSON.
pub(crate) fn decode(text: &[u8], warnings: &mut Vec<String>) -> Result<Value, Refusal> {
    let text = text.trim_ascii();
    refuse_encrypted(text)?;
    let bare = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text).trim_ascii_start();
    if bare.starts_with(b"{") {
        warnings.push("the card text is bare JSON instead of base64".to_owned());
        return parse_json(text, warnings);
    }
    let bytes = base64(text, warnings)?;
    refuse_encrypted(&bytes)?;
    parse_json(&bytes, warnings)
}

/// Refuses a card that Risu encrypted.
pub(crate) fn refuse_encrypted(text: &[u8]) -> Result<(), Refusal> {
    if text.trim_ascii_start().starts_with(RISU_ENCRYPTED) {
        return Err(Refusal::new(
            RefusalKind::Unsupported,
            "this is an encrypted Risu card; export it unencrypted",
        ));
    }
    Ok(())
}

/// Base64 with either alphabet, with or without padding, with white space anywhere.
pub(crate) fn base64(text: &[u8], warnings: &mut Vec<String>) -> Result<Vec<u8>, Refusal> {
    let mut clean = Vec::with_capacity(text.len());
    let (mut spaces, mut url_safe) = (false, false);
    for &byte in text {
        match byte {
            b'-' => (url_safe, _) = (true, clean.push(b'+')),
            b'_' => (url_safe, _) = (true, clean.push(b'/')),
            b'=' => {}
            _ if byte.is_ascii_whitespace() => spaces = true,
            _ => clean.push(byte),
        }
    }
    let padded = text.trim_ascii_end().ends_with(b"=");
    if spaces {
        warnings.push("white space inside the base64 was removed".to_owned());
    }
    if url_safe {
        warnings.push("the base64 uses the URL-safe alphabet".to_owned());
    }
    if !padded && clean.len() % 4 != 0 {
        warnings.push("the base64 has no padding".to_owned());
    }
    if clean.len() % 4 == 1 {
        // One left-over character carries no whole byte.
        clean.pop();
    }
    LENIENT.decode(&clean).map_err(|error| {
        Refusal::new(
            RefusalKind::Damaged,
            format!("the character's text in this file is damaged ({error}); download it again"),
        )
    })
}

/// Parses JSON bytes after stripping a byte order mark and repairing what JavaScript would have let through.
pub(crate) fn parse_json(bytes: &[u8], warnings: &mut Vec<String>) -> Result<Value, Refusal> {
    if Limit::CardJson.exceeded_by(bytes.len()) {
        return Err(Refusal::limit(
            Limit::CardJson,
            format!("the text in this file is {} bytes long", bytes.len()),
        )
        .at(Limit::CardJson.value()));
    }
    let text = decode_text(bytes, warnings);
    let (repaired, surrogates) = repair_surrogates(text.trim_matches(['\0', ' ', '\n', '\r', '\t']));
    if surrogates > 0 {
        warnings
            .push(format!("replaced with U+FFFD: {}", counted(surrogates as u64, "lone surrogate escape")));
    }
    match serde_json::from_str(&repaired) {
        // serde_json has no code for it; the wording is checked by a test.
        Err(error) if error.to_string().starts_with("number out of range") => {
            let repaired = repair_numbers(&repaired, warnings);
            serde_json::from_str(&repaired).map_err(|error| json_refusal(&repaired, &error))
        }
        parsed => parsed.map_err(|error| json_refusal(&repaired, &error)),
    }
}

/// Replaces numbers that no float can hold, `1e999`, which JavaScript reads as infinite and writes as `null`, with
/// `null`; one warning for each name they stand under.
fn repair_numbers(text: &str, warnings: &mut Vec<String>) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut told = HashSet::new();
    let (mut copied, mut at, mut in_string) = (0, 0, false);
    // Where the newest string began and ended: before a colon it is the name of what follows.
    let (mut begun, mut name) = (0, "");
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' if in_string => at += 2,
            b'"' => {
                if in_string {
                    name = &text[begun..at];
                }
                (in_string, begun, at) = (!in_string, at + 1, at + 1);
            }
            b'-' | b'0'..=b'9' if !in_string => {
                let is_part = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
                let end = at + bytes[at..].iter().take_while(|byte| is_part(byte)).count();
                if text[at..end].parse::<f64>().is_ok_and(f64::is_infinite) {
                    out.push_str(&text[copied..at]);
                    out.push_str("null");
                    copied = end;
                    if told.insert(name) {
                        let (name, number) = (quoted_name(name), quoted_name(&text[at..end]));
                        warnings.push(format!(
                            "the number {number} of `{name}` is out of range; it was read as if it were not there"
                        ));
                    }
                }
                at = end;
            }
            _ => at += 1,
        }
    }
    out.push_str(&text[copied..]);
    out
}

/// A name or value of a file as it may stand in a warning: 40 characters at most, no control characters.
pub(crate) fn quoted_name(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(40).collect()
}

fn json_refusal(text: &str, error: &serde_json::Error) -> Refusal {
    let line_start: usize =
        text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let offset = u64::try_from(line_start + error.column().saturating_sub(1)).unwrap_or(u64::MAX);
    // Line and column of a text that is inside a picture would be nowhere in the file.
    if error.is_eof() {
        let told = "what this file holds is cut off before its end; download it again";
        return Refusal::new(RefusalKind::Damaged, told).at(offset);
    }
    let message = error.to_string();
    // serde_json has no code for it; the wording is checked by a test.
    if message.starts_with("recursion limit exceeded") {
        return Refusal::limit(Limit::JsonDepth, "the JSON in this file is nested too deeply").at(offset);
    }
    Refusal::new(RefusalKind::Damaged, format!("the JSON in this file is not in order: {message}")).at(offset)
}

/// Text from bytes: UTF-8, or UTF-16 where a byte order mark says so; what is invalid becomes U+FFFD.
pub(crate) fn decode_text<'a>(bytes: &'a [u8], warnings: &mut Vec<String>) -> Cow<'a, str> {
    if let [0xff, 0xfe, rest @ ..] = bytes {
        return Cow::Owned(utf16(rest, u16::from_le_bytes, warnings));
    }
    if let [0xfe, 0xff, rest @ ..] = bytes {
        return Cow::Owned(utf16(rest, u16::from_be_bytes, warnings));
    }
    let without_mark = bytes.strip_prefix(b"\xef\xbb\xbf");
    if without_mark.is_some() {
        warnings.push("a byte order mark was removed".to_owned());
    }
    let text = String::from_utf8_lossy(without_mark.unwrap_or(bytes));
    if matches!(text, Cow::Owned(_)) {
        warnings.push("invalid UTF-8 was replaced with U+FFFD".to_owned());
    }
    text
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16, warnings: &mut Vec<String>) -> String {
    warnings.push("the text is UTF-16; it was converted to UTF-8".to_owned());
    let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
    String::from_utf16_lossy(&units)
}

/// Replaces `\ud83d` without its other half, which JavaScript writes and serde_json refuses.
fn repair_surrogates(text: &str) -> (Cow<'_, str>, usize) {
    let bytes = text.as_bytes();
    let mut repaired: Option<String> = None;
    let (mut copied, mut at, mut count) = (0, 0, 0);
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.iter().position(|&b| b == b'\\')) {
        at += found;
        match escape(bytes, at) {
            Some(0xD800..=0xDBFF) if matches!(escape(bytes, at + 6), Some(0xDC00..=0xDFFF)) => at += 12,
            Some(0xD800..=0xDFFF) => {
                let out = repaired.get_or_insert_with(|| String::with_capacity(text.len()));
                out.push_str(&text[copied..at]);
                out.push_str("\\ufffd");
                at += 6;
                (copied, count) = (at, count + 1);
            }
            // A backslash takes the character after it along, so that `\\ud83d` is left alone.
            _ => at += 2,
        }
    }
    match repaired {
        Some(mut out) => {
            out.push_str(&text[copied..]);
            (Cow::Owned(out), count)
        }
        None => (Cow::Borrowed(text), 0),
    }
}

/// The value of `\uXXXX` at `at`.
fn escape(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &[u8]) -> (Result<Value, Refusal>, Vec<String>) {
        let mut warnings = Vec::new();
        (decode(text, &mut warnings), warnings)
    }

    #[test]
    fn base64_is_read_with_newlines_without_padding_and_url_safe() {
        let json = r#"{"name":"Ünï?>~~~ÿÿ"}"#;
        let standard = base64::engine::general_purpose::STANDARD.encode(json);
        let broken_up: String = standard.chars().flat_map(|c| [c, '\n']).collect();
        let url_safe = standard.replace('+', "-").replace('/', "_");
        for variant in [&standard, &broken_up, &standard.replace('=', ""), &url_safe] {
            let (value, _) = decoded(variant.as_bytes());
            assert_eq!(value.unwrap()["name"], "Ünï?>~~~ÿÿ", "{variant}");
        }
        assert!(decoded(broken_up.as_bytes()).1.iter().any(|w| w.contains("white space")));
    }

    #[test]
    fn bare_json_and_a_byte_order_mark_are_taken() {
        let (value, warnings) = decoded("\u{feff} {\"name\":\"x\"}".as_bytes());
        assert_eq!(value.unwrap()["name"], "x");
        assert_eq!(warnings.len(), 2, "{warnings:?}");
    }

    #[test]
    fn lone_surrogates_are_replaced_and_pairs_kept() {
        let (value, warnings) =
            decoded(br#"{"a":"\ud83d!","b":"\ud83d\ude00","c":"\\ud83d","d":"\ude00\uD83D"}"#);
        let value = value.unwrap();
        assert_eq!(value["a"], "\u{fffd}!");
        assert_eq!(value["b"], "😀");
        assert_eq!(value["c"], "\\ud83d");
        assert_eq!(value["d"], "\u{fffd}\u{fffd}");
        assert!(
            warnings.iter().any(|w| w == "replaced with U+FFFD: 3 lone surrogate escapes"),
            "{warnings:?}"
        );
    }

    #[test]
    fn numbers_out_of_range_are_left_out_and_named_once() {
        let (value, warnings) = decoded(
            br#"{"a\\":1e999,"b":[-1e400, 2,1E+999],"c":"1e999 \" 1e999","d":1e-999,"e":{"b":1e500},"f":12}"#,
        );
        let expected = serde_json::json!({
            "a\\": null, "b": [null, 2, null], "c": "1e999 \" 1e999", "d": 0.0, "e": {"b": null}, "f": 12,
        });
        assert_eq!(value.unwrap(), expected);
        let told: Vec<&String> = warnings.iter().filter(|warning| warning.contains("out of range")).collect();
        assert!(told.len() == 2 && told[0].contains("1e999") && told[1].contains("`b`"), "{warnings:?}");
    }

    #[test]
    fn a_text_that_breaks_off_is_said_to_be_cut_off_in_words() {
        for torn in [&br#"{"name":"Ada","description":"Keeps"#[..], br#"{"name":"Ada","data":{"#] {
            let told = decoded(torn).0.unwrap_err();
            assert_eq!(told.error, "what this file holds is cut off before its end; download it again");
            assert!(told.offset.is_some());
        }
    }

    #[test]
    fn invalid_utf8_is_replaced() {
        let (value, warnings) = decoded(b"{\"a\":\"\xff\"}");
        assert_eq!(value.unwrap()["a"], "\u{fffd}");
        assert!(warnings.iter().any(|w| w.contains("UTF-8")));
    }

    #[test]
    fn deep_json_names_the_limit_and_the_byte() {
        let deep = format!("{}{}", "{\"a\":".repeat(5000), "}".repeat(5000));
        let refusal = decoded(deep.as_bytes()).0.unwrap_err();
        assert_eq!(refusal.limit, Some(Limit::JsonDepth));
        assert!(refusal.offset.is_some());
    }

    #[test]
    fn large_json_is_refused_before_parsing() {
        let large = vec![b' '; usize::try_from(Limit::CardJson.value()).unwrap() + 1];
        assert_eq!(parse_json(&large, &mut Vec::new()).unwrap_err().limit, Some(Limit::CardJson));
    }

    #[test]
    fn an_encrypted_risu_card_is_named() {
        let refusal = decoded(b"rcc||rccv1||AAAA||BBBB||CCCC").0.unwrap_err();
        assert_eq!(refusal.kind, RefusalKind::Unsupported);
        assert!(refusal.error.contains("unencrypted"));
    }
}
