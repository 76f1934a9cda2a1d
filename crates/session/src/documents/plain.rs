//! A file that is no PDF as text, by its bytes: what it is called says nothing.

use encoding_rs::Encoding;

use super::{Unreadable, page};

/// So much of a file is looked at to tell text from anything else, in bytes.
const LOOKED_AT: usize = 64 * 1024;

/// Of a thousand characters of a text so many may be control characters.
const CONTROLS: usize = 5;

/// Its words; those of a page of the web without its markup.
pub(super) fn read_plain(body: &[u8]) -> Result<String, Unreadable> {
    let text = match Encoding::for_bom(body) {
        Some((encoding, _)) => encoding.decode(body).0.into_owned(),
        None if body.iter().take(LOOKED_AT).any(|byte| *byte == 0) => return Err(Unreadable::NotText),
        None => String::from_utf8(body.to_vec()).map_err(|_| Unreadable::Letters)?,
    };
    let looked_at = || text.chars().take(LOOKED_AT);
    let controls =
        looked_at().filter(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{c}')).count();
    if controls * 1_000 > looked_at().count() * CONTROLS {
        return Err(Unreadable::NotText);
    }
    let begins = text.trim_start().get(..64).unwrap_or(text.trim_start()).to_lowercase();
    if begins.starts_with("<!doctype html") || begins.starts_with("<html") {
        return Ok(page::read_page(text.as_bytes(), "text/html; charset=utf-8").text);
    }
    Ok(text)
}
