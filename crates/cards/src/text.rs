//! Small functions on texts that the crate's own lines are written with.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// `1 day`, `2 days`, `1 entry`, `3 entries`.
#[must_use]
pub fn counted(count: u64, unit: &str) -> String {
    let before_y = unit.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'i', 'o', 'u']));
    match (count, before_y) {
        (1, _) => format!("1 {unit}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        (_, None) => format!("{count} {unit}s"),
    }
}

/// All of it on one line: every run of white space is one space.
#[must_use]
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What JavaScript's `\s` and `trim` call white space: that of Unicode without U+0085, and the byte order mark.
pub(crate) fn is_js_space(c: char) -> bool {
    (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}'
}

/// Letters of scripts without spaces between words: Han, kana, Thai, Lao, Khmer, Burmese.
#[must_use]
pub fn is_unspaced(letter: char) -> bool {
    matches!(u32::from(letter),
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3040..=0x30FF | 0x31F0..=0x31FF
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0xFF66..=0xFF9F | 0x2_0000..=0x3_FFFF)
}

/// What a file says about itself before its text begins: between a first line that is a fence, such as `+++`, and a second.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrontMatter {
    /// The first line is no fence: all of it is text.
    Missing,
    /// The second fence is missing.
    Unclosed,
    /// Where it stands in the file, in bytes, and where the text after it begins.
    Closed {
        /// What stands between the fences.
        fields: Range<usize>,
        /// Behind the second one.
        body: usize,
    },
}

/// Looks for front matter at the very beginning of a text. White space behind a fence counts for nothing.
#[must_use]
pub fn front_matter(text: &str, fence: &str) -> FrontMatter {
    let mut lines = text.split_inclusive('\n');
    let Some(opening) = lines.next().filter(|line| line.trim_end() == fence) else {
        return FrontMatter::Missing;
    };
    let mut end = opening.len();
    for line in lines {
        if line.trim_end() == fence {
            return FrontMatter::Closed { fields: opening.len()..end, body: end + line.len() };
        }
        end += line.len();
    }
    FrontMatter::Unclosed
}

/// A name as it may stand in a prompt, a log or a terminal: one line, without control characters.
#[must_use]
pub fn name_line(name: &str) -> String {
    let ends_line = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    name.replace(ends_line, " ").trim().to_owned()
}

/// Line ends as `\n`, and no byte order mark in front: a file that begins with one would lose it anyway.
#[must_use]
pub fn unix_lines(text: &str) -> String {
    let text = text.trim_start_matches('\u{feff}');
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text.to_owned() }
}

/// A name as a part of file names: NFKC, lower case, letters and digits of any script kept, everything else `-`, at most
/// `max_chars` characters. Empty when nothing is left.
#[must_use]
pub fn slug(name: &str, max_chars: usize) -> String {
    let mut out = String::new();
    let mut length = 0;
    for c in name.nfkc().flat_map(char::to_lowercase).nfkc() {
        if length == max_chars {
            break;
        }
        if c.is_alphanumeric() || (is_combining_mark(c) && !out.is_empty() && !out.ends_with('-')) {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        } else {
            continue;
        }
        length += 1;
    }
    out.trim_end_matches('-').to_owned()
}
