//! Keys that are regular expressions: JavaScript's syntax on fancy-regex, with limits.
//!
//! Owns reading `/pattern/flags`, the translation, and what a hostile pattern may cost. Must not know entries.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use fancy_regex::{Regex, RegexBuilder};

/// Longest pattern, in bytes; a longer one is read as plain text.
const MAX_PATTERN: usize = 4096;

/// Compiled size of one pattern, and of the tables it may build while matching, in bytes.
const MAX_COMPILED: usize = 1 << 20;

/// Steps a backtracking pattern may take in one search.
const MAX_BACKTRACKS: usize = 100_000;

/// Text one search may read, in bytes; what lies beyond, farther back in the chat, is not looked at.
const MAX_TEXT: usize = 256 * 1024;

/// What all patterns together may cost in one scan.
const MAX_TIME: Duration = Duration::from_millis(100);

/// A compiled pattern.
#[derive(Debug, Clone)]
pub(super) struct Pattern(Regex);

/// Whether a pattern that names no case goes by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Sensitive,
    Insensitive,
}

/// Splits `/pattern/flags` as SillyTavern does: flags of `gimsuy`, each at most once, no bare slash inside.
pub(super) fn slashed(key: &str) -> Option<(&str, &str)> {
    let inner = key.strip_prefix('/')?;
    let end = inner.rfind('/').filter(|end| *end > 0)?;
    let (pattern, flags) = (&inner[..end], &inner[end + 1..]);
    let known = flags.chars().all(|flag| "gimsuy".contains(flag));
    let repeats = flags.char_indices().any(|(at, flag)| flags[..at].contains(flag));
    if !known || repeats || has_bare_slash(pattern) {
        return None;
    }
    Some((pattern, flags))
}

fn has_bare_slash(pattern: &str) -> bool {
    let mut before = None;
    for letter in pattern.chars() {
        if letter == '/' && before != Some('\\') {
            return true;
        }
        before = Some(letter);
    }
    false
}

impl Pattern {
    /// Compiles a JavaScript pattern. `None` when it is no pattern, or too large a one.
    pub(super) fn compile(pattern: &str, flags: &str, case: Case) -> Option<Self> {
        if pattern.len() > MAX_PATTERN {
            return None;
        }
        let dot_all = flags.contains('s');
        RegexBuilder::new(&translate(pattern, dot_all)?)
            .case_insensitive(case == Case::Insensitive || flags.contains('i'))
            .multi_line(flags.contains('m'))
            .dot_matches_new_line(dot_all)
            .backtrack_limit(MAX_BACKTRACKS)
            .delegate_size_limit(MAX_COMPILED)
            .delegate_dfa_size_limit(MAX_COMPILED)
            .build()
            .ok()
            .map(Self)
    }
}

/// What patterns may still cost in this scan.
#[derive(Debug, Default)]
pub(super) struct Allowance {
    spent_us: AtomicU64,
}

/// What became of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Searched {
    /// It begins at this byte.
    At(usize),
    /// It is not there.
    Nowhere,
    /// It took too long, or the scan's patterns had taken too long before.
    GivenUp,
}

impl Allowance {
    /// Searches a text.
    pub(super) fn search(&self, pattern: &Pattern, text: &str) -> Searched {
        if Duration::from_micros(self.spent_us.load(Ordering::Relaxed)) >= MAX_TIME {
            return Searched::GivenUp;
        }
        let started = Instant::now();
        let found = pattern.0.find(cut(text));
        let us = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.spent_us.fetch_add(us, Ordering::Relaxed);
        match found {
            Ok(Some(found)) => Searched::At(found.start()),
            Ok(None) => Searched::Nowhere,
            Err(_) => Searched::GivenUp,
        }
    }
}

fn cut(text: &str) -> &str {
    if text.len() <= MAX_TEXT { text } else { &text[..text.floor_char_boundary(MAX_TEXT)] }
}

/// JavaScript's meaning (without its `v` flag) in fancy-regex's words: classes and word boundaries know ASCII only, `.`
/// stops at every line end, braces and escaped letters may stand for themselves.
fn translate(pattern: &str, dot_all: bool) -> Option<String> {
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut letters = pattern.char_indices().peekable();
    let mut class = Class::Outside;
    while let Some((at, letter)) = letters.next() {
        let rest = &pattern[at + letter.len_utf8()..];
        match (letter, class) {
            ('\\', _) => {
                let (escape_at, escaped) = letters.next()?;
                let after = &pattern[escape_at + escaped.len_utf8()..];
                let (text, used) = escape(escaped, after, class)?;
                out.push_str(&text);
                for _ in 0..used {
                    letters.next();
                }
                if class == Class::First {
                    class = Class::Inside;
                }
            }
            ('[', Class::Outside) => {
                if rest.starts_with("^]") {
                    out.push_str("(?s:.)");
                    letters.next();
                    letters.next();
                } else if rest.starts_with(']') {
                    out.push_str("(?!)");
                    letters.next();
                } else {
                    out.push('[');
                    if rest.starts_with('^') {
                        out.push('^');
                        letters.next();
                    }
                    class = Class::First;
                }
            }
            (']', Class::Inside | Class::First) => {
                out.push(']');
                class = Class::Outside;
            }
            // These mean something in our classes and nothing in theirs.
            ('[' | '&' | '~' | '^', _) if class != Class::Outside => {
                out.push('\\');
                out.push(letter);
                class = Class::Inside;
            }
            (_, Class::First) => {
                out.push(letter);
                class = Class::Inside;
            }
            ('{', Class::Outside) if !is_count(rest) => out.push_str("\\{"),
            ('.', Class::Outside) if !dot_all => out.push_str("[^\\n\\r\\x{2028}\\x{2029}]"),
            _ => out.push(letter),
        }
    }
    (class == Class::Outside).then_some(out)
}

/// Where in a character class a letter stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Outside,
    First,
    Inside,
}

const WORD: &str = "0-9A-Za-z_";

/// What an escape becomes, and how many more letters it takes.
fn escape(escaped: char, after: &str, class: Class) -> Option<(String, usize)> {
    let outside = class == Class::Outside;
    let set = |inner: &str, negated: bool| match (outside, negated) {
        (true, false) => format!("[{inner}]"),
        (_, true) => format!("[^{inner}]"),
        (false, false) => inner.to_owned(),
    };
    let code = |digits: &str| -> Option<String> {
        let code = u32::from_str_radix(digits, 16).ok()?;
        char::from_u32(code).map(|_| format!("\\x{{{digits}}}"))
    };
    Some(match escaped {
        'w' => (set(WORD, false), 0),
        'W' => (set(WORD, true), 0),
        'd' => (set("0-9", false), 0),
        'D' => (set("0-9", true), 0),
        'b' if outside => (format!("(?:(?<=[{WORD}])(?![{WORD}])|(?<![{WORD}])(?=[{WORD}]))"), 0),
        'B' if outside => (format!("(?:(?<=[{WORD}])(?=[{WORD}])|(?<![{WORD}])(?![{WORD}]))"), 0),
        'b' => ("\\x08".to_owned(), 0),
        's' | 'S' | 't' | 'n' | 'r' | 'f' | 'v' => (format!("\\{escaped}"), 0),
        'p' | 'P' if after.starts_with('{') => (format!("\\{escaped}"), 0),
        'k' if outside && after.starts_with('<') => ("\\k".to_owned(), 0),
        '0' => ("\\x00".to_owned(), 0),
        '1'..='9' if outside => (format!("\\{escaped}"), 0),
        'c' => {
            let letter = after.chars().next().filter(char::is_ascii_alphabetic)?;
            (format!("\\x{{{:x}}}", u32::from(letter) % 32), 1)
        }
        'x' => match after.get(..2).and_then(code) {
            Some(text) => (text, 2),
            None => ("x".to_owned(), 0),
        },
        'u' => match (after.strip_prefix('{').and_then(|inner| inner.split_once('}')), after.get(..4)) {
            (Some((digits, _)), _) => (code(digits)?, digits.chars().count() + 2),
            (None, Some(digits)) => match code(digits) {
                Some(text) => (text, 4),
                None => ("u".to_owned(), 0),
            },
            (None, None) => ("u".to_owned(), 0),
        },
        letter if letter.is_ascii_punctuation() => {
            // A slash needs no escape here, and is none to the engine.
            (if letter == '/' { "/".to_owned() } else { format!("\\{letter}") }, 0)
        }
        letter => (letter.to_string(), 0),
    })
}

/// Whether what follows an opening brace makes it a repetition.
fn is_count(rest: &str) -> bool {
    let Some((inside, _)) = rest.split_once('}') else { return false };
    let (low, high) = inside.split_once(',').unwrap_or((inside, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    !low.is_empty() && digits(low) && digits(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finds(key: &str, text: &str) -> bool {
        let (pattern, flags) = slashed(key).unwrap_or_else(|| panic!("{key} is no pattern"));
        let pattern = Pattern::compile(pattern, flags, Case::Sensitive).unwrap_or_else(|| panic!("{key}"));
        matches!(Allowance::default().search(&pattern, text), Searched::At(_))
    }

    #[test]
    fn slashes_and_flags_are_read_as_sillytavern_reads_them() {
        assert_eq!(slashed("/a b/gi"), Some(("a b", "gi")));
        assert_eq!(slashed(r"/a\/b/"), Some((r"a\/b", "")));
        for no in ["/a/b/", "/a/x", "a/b", "//", "/", "/a/ii", "/a"] {
            assert_eq!(slashed(no), None, "{no}");
        }
    }

    #[test]
    fn patterns_mean_what_they_mean_in_javascript() {
        assert!(finds(r"/\bgate\b/", "the gate!"));
        assert!(finds(r"/\bgate\b/", "сgateс"), "boundaries know ASCII only");
        assert!(!finds(r"/^\w$/", "é"));
        assert!(finds(r"/(?<=north )gate/", "north gate"));
        assert!(finds(r"/(a)\1/", "aa"));
        assert!(finds(r"/a{,2}/", "a{,2}"), "no repetition in JavaScript");
        assert!(finds(r"/[[&&]x/", "[x"));
        assert!(finds(r"/[^]x/", "\nx"));
        assert!(!finds(r"/a[]/", "a"));
        assert!(!finds("/a.b/", "a\rb"));
        assert!(finds("/a.b/s", "a\rb"));
        assert!(finds(r"/\u0041\x42/", "AB"));
        assert!(finds(r"/[\u4e00-\u9fff]{3}/", "玄天宗"));
        assert!(finds(r"/\-\!\é/", "-!é"));
        assert!(finds("/GATE/i", "gate"));
        assert!(!finds("/GATE/", "gate"));
        assert!(finds("/^b/m", "a\nb"));
    }

    #[test]
    fn what_does_not_compile_is_no_pattern() {
        for broken in ["(", "[a", "a**", r"a\"] {
            assert!(Pattern::compile(broken, "", Case::Sensitive).is_none(), "{broken}");
        }
        assert!(Pattern::compile(&"a".repeat(MAX_PATTERN + 1), "", Case::Sensitive).is_none());
        assert!(Pattern::compile("(?:a{1000}){1000}", "", Case::Sensitive).is_none());
    }

    #[test]
    fn a_pattern_that_explodes_is_given_up() {
        let pattern = Pattern::compile(r"(a+)+\1$", "", Case::Sensitive).unwrap();
        let text = format!("{}b", "a".repeat(4000));
        assert_eq!(Allowance::default().search(&pattern, &text), Searched::GivenUp);
    }
}
