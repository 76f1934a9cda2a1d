//! Keys that are regular expressions: JavaScript's syntax on fancy-regex, with limits.
//!
//! Owns reading `/pattern/flags`, the translation, and what a hostile pattern may cost. Must not know entries.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fancy_regex::Expr;

/// Longest pattern, in bytes; a longer one is read as plain text.
const MAX_PATTERN: usize = 4096;

/// Compiled size of one pattern, and of the tables it may build while matching, in bytes.
const MAX_COMPILED: usize = 1 << 20;

/// Text one search may read, in bytes; what lies beyond, farther back in the chat, is not looked at. A pattern without
/// look-around and back references is searched for in linear time; one with them goes back and forth, and what a step
/// costs grows with what it may span.
const MAX_TEXT: usize = 256 * 1024;
const MAX_TEXT_SHORT_SPANS: usize = 16 * 1024;
const MAX_TEXT_LONG_SPANS: usize = 2 * 1024;

/// Steps back that a backtracking pattern may take in one search.
const MAX_BACKTRACKS: usize = 200_000;

/// What spans at most so much, in characters, costs about the same at every place.
const SHORT_SPAN: usize = 1_000;

/// Repetitions from here on count as a loop.
const LOOP: usize = 10;

/// What all patterns together may cost in one scan, and beyond which a single one is switched off.
const MAX_TIME: Duration = Duration::from_millis(100);

/// A compiled pattern, shared by all who hold it: one that took too long once is not tried again.
#[derive(Debug, Clone)]
pub(super) struct KeyPattern(Arc<Compiled>);

#[derive(Debug)]
struct Compiled {
    engine: Engine,
    is_off: AtomicBool,
}

#[derive(Debug)]
enum Engine {
    Linear(regex::Regex),
    Backtracking(fancy_regex::Regex, usize),
}

/// Why a key is no pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unusable {
    /// It does not compile, or is too large.
    NoPattern,
    /// It could search for ever.
    Endless,
}

/// Splits `/pattern/flags` as SillyTavern does: flags of `gimsuy`, each at most once, no bare slash inside.
pub(in crate::lore) fn slashed(key: &str) -> Option<(&str, &str)> {
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

/// A bare pattern as `/pattern/flags`; `None` for what is none, or is written so already.
pub(in crate::lore) fn in_slashes(key: &str, is_case_sensitive: bool) -> Option<String> {
    if key.is_empty()
        || slashed(key).is_some()
        || matches!(KeyPattern::compile(key, "", is_case_sensitive), Err(Unusable::NoPattern))
    {
        return None;
    }
    let mut out = String::from("/");
    let mut before = None;
    for letter in key.chars() {
        if letter == '/' && before != Some('\\') {
            out.push('\\');
        }
        out.push(letter);
        before = Some(letter);
    }
    out.push_str(if is_case_sensitive { "/" } else { "/i" });
    Some(out)
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

impl KeyPattern {
    /// Compiles a JavaScript pattern. Whether it heeds case where its flags say nothing of it, `is_case_sensitive` decides.
    ///
    /// # Errors
    /// [`Unusable`] when it is no pattern, too large a one, or one whose cost has no bound.
    pub(super) fn compile(pattern: &str, flags: &str, is_case_sensitive: bool) -> Result<Self, Unusable> {
        if pattern.len() > MAX_PATTERN {
            return Err(Unusable::NoPattern);
        }
        let how = Flags {
            dot_all: flags.contains('s'),
            unicode: flags.contains('u'),
            sticky: flags.contains('y'),
            multi_line: flags.contains('m'),
            insensitive: !is_case_sensitive || flags.contains('i'),
        };
        let translated = |boundary| translate(pattern, how, boundary).ok_or(Unusable::NoPattern);
        let backtracking = translated(AsciiBoundary::LookAround)?;
        let tree = Expr::parse_tree(&backtracking).map_err(|_| Unusable::NoPattern)?;
        let engine = match how.linear(&translated(AsciiBoundary::Native)?) {
            Some(linear) => Engine::Linear(linear),
            None if loops_over_long_spans(&tree.expr) => return Err(Unusable::Endless),
            None => {
                let is_short = pattern_span(&tree.expr) <= SHORT_SPAN;
                let text = if is_short { MAX_TEXT_SHORT_SPANS } else { MAX_TEXT_LONG_SPANS };
                Engine::Backtracking(how.backtracking(&backtracking).ok_or(Unusable::NoPattern)?, text)
            }
        };
        Ok(Self(Arc::new(Compiled { engine, is_off: AtomicBool::new(false) })))
    }

    /// Where it begins in a text, in bytes; an error when that took too many steps.
    fn find(&self, text: &str) -> Result<Option<usize>, fancy_regex::Error> {
        match &self.0.engine {
            Engine::Linear(regex) => Ok(regex.find(cut_at(text, MAX_TEXT)).map(|found| found.start())),
            Engine::Backtracking(regex, most) => {
                regex.find(cut_at(text, *most)).map(|found| found.map(|found| found.start()))
            }
        }
    }
}

/// What the letters behind a pattern ask for.
#[derive(Debug, Clone, Copy)]
struct Flags {
    dot_all: bool,
    unicode: bool,
    sticky: bool,
    multi_line: bool,
    insensitive: bool,
}

impl Flags {
    fn linear(self, pattern: &str) -> Option<regex::Regex> {
        regex::RegexBuilder::new(pattern)
            .case_insensitive(self.insensitive)
            .multi_line(self.multi_line)
            .dot_matches_new_line(self.dot_all)
            .size_limit(MAX_COMPILED)
            .dfa_size_limit(MAX_COMPILED)
            .build()
            .ok()
    }

    fn backtracking(self, pattern: &str) -> Option<fancy_regex::Regex> {
        fancy_regex::RegexBuilder::new(pattern)
            .case_insensitive(self.insensitive)
            .multi_line(self.multi_line)
            .dot_matches_new_line(self.dot_all)
            .backtrack_limit(MAX_BACKTRACKS)
            .delegate_size_limit(MAX_COMPILED)
            .delegate_dfa_size_limit(MAX_COMPILED)
            .build()
            .ok()
    }
}

/// Whether it looks around, or back, within a loop whose every turn may span the whole text: such a search takes time
/// that grows with a power of the text, without a single step back that could be counted.
fn loops_over_long_spans(expr: &Expr) -> bool {
    let loops = match expr {
        Expr::Repeat { child, hi, .. } => *hi > LOOP && backtracks(child) && pattern_span(child) > SHORT_SPAN,
        _ => false,
    };
    loops || expr.children_iter().any(loops_over_long_spans)
}

/// Whether only the backtracking engine knows it.
fn backtracks(expr: &Expr) -> bool {
    match expr {
        Expr::Empty
        | Expr::Any { .. }
        | Expr::Assertion(_)
        | Expr::Literal { .. }
        | Expr::Delegate { .. }
        | Expr::Concat(_)
        | Expr::Alt(_)
        | Expr::Group(_)
        | Expr::Repeat { .. } => expr.children_iter().any(backtracks),
        _ => true,
    }
}

/// The most characters it can look at from one place, within look-around too; everything beyond counting is the largest.
fn pattern_span(expr: &Expr) -> usize {
    let inner = expr.children_iter().map(pattern_span);
    match expr {
        Expr::Empty | Expr::Assertion(_) => 0,
        Expr::Any { .. } | Expr::Delegate { .. } => 1,
        Expr::Literal { val, .. } => val.chars().count(),
        Expr::Concat(_) | Expr::Group(_) | Expr::AtomicGroup(_) | Expr::LookAround(..) => {
            inner.fold(0, usize::saturating_add)
        }
        Expr::Alt(_) => inner.max().unwrap_or(0),
        Expr::Repeat { hi, .. } => inner.fold(0, usize::saturating_add).saturating_mul(*hi),
        _ => usize::MAX,
    }
}

/// What patterns cost so far in this scan.
#[derive(Debug, Default)]
pub(super) struct PatternAllowance {
    spent: Duration,
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

impl PatternAllowance {
    pub(super) fn search(&mut self, pattern: &KeyPattern, text: &str) -> Searched {
        if self.spent >= MAX_TIME || pattern.0.is_off.load(Ordering::Relaxed) {
            return Searched::GivenUp;
        }
        let started = Instant::now();
        let found = pattern.find(text);
        let took = started.elapsed();
        self.spent += took;
        if found.is_err() || took >= MAX_TIME {
            pattern.0.is_off.store(true, Ordering::Relaxed);
        }
        match found {
            Ok(Some(at)) => Searched::At(at),
            Ok(None) => Searched::Nowhere,
            Err(_) => Searched::GivenUp,
        }
    }
}

fn cut_at(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// How a word boundary that knows ASCII only is written: the engines differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AsciiBoundary {
    Native,
    LookAround,
}

/// JavaScript's meaning (without its `v` flag) in fancy-regex's words: classes and word boundaries know ASCII only, `.`
/// stops at every line end, braces and escaped letters may stand for themselves.
fn translate(pattern: &str, how: Flags, boundary: AsciiBoundary) -> Option<String> {
    let mut out = String::with_capacity(pattern.len() + 16);
    if how.sticky {
        out.push_str("\\A");
    }
    // What follows the anchor belongs to it as a whole.
    out.push_str("(?:");
    let mut letters = pattern.char_indices().peekable();
    let mut class = LetterClass::Outside;
    while let Some((at, letter)) = letters.next() {
        let rest = &pattern[at + letter.len_utf8()..];
        match (letter, class) {
            ('\\', _) => {
                let (escape_at, escaped) = letters.next()?;
                let after = &pattern[escape_at + escaped.len_utf8()..];
                let (text, used) = pattern_escape(escaped, after, class, how.unicode, boundary)?;
                out.push_str(&text);
                for _ in 0..used {
                    letters.next();
                }
                if class == LetterClass::First {
                    class = LetterClass::Inside;
                }
            }
            ('[', LetterClass::Outside) => {
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
                    class = LetterClass::First;
                }
            }
            (']', LetterClass::Inside | LetterClass::First) => {
                out.push(']');
                class = LetterClass::Outside;
            }
            // These mean something in our classes and nothing in theirs.
            ('[' | '&' | '~' | '^', _) if class != LetterClass::Outside => {
                out.push('\\');
                out.push(letter);
                class = LetterClass::Inside;
            }
            (_, LetterClass::First) => {
                out.push(letter);
                class = LetterClass::Inside;
            }
            ('{', LetterClass::Outside) if !is_count(rest) => out.push_str("\\{"),
            ('.', LetterClass::Outside) if !how.dot_all => out.push_str("[^\\n\\r\\x{2028}\\x{2029}]"),
            _ => out.push(letter),
        }
    }
    out.push(')');
    (class == LetterClass::Outside).then_some(out)
}

/// Where in a character class a letter stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LetterClass {
    Outside,
    First,
    Inside,
}

const WORD: &str = "0-9A-Za-z_";

/// What an escape becomes, and how many more letters it takes.
fn pattern_escape(
    escaped: char,
    after: &str,
    class: LetterClass,
    unicode: bool,
    boundary: AsciiBoundary,
) -> Option<(String, usize)> {
    let outside = class == LetterClass::Outside;
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
        'b' | 'B' if outside && boundary == AsciiBoundary::Native => (format!("(?-u:\\{escaped})"), 0),
        'b' if outside => (format!("(?:(?<=[{WORD}])(?![{WORD}])|(?<![{WORD}])(?=[{WORD}]))"), 0),
        'B' if outside => (format!("(?:(?<=[{WORD}])(?=[{WORD}])|(?<![{WORD}])(?![{WORD}]))"), 0),
        'b' => ("\\x08".to_owned(), 0),
        's' | 'S' | 't' | 'n' | 'r' | 'f' | 'v' => (format!("\\{escaped}"), 0),
        // Without `u` the letter stands for itself.
        'p' | 'P' if unicode => {
            let (property, _) = after.strip_prefix('{')?.split_once('}')?;
            (format!("\\{escaped}{{{property}}}"), property.chars().count() + 2)
        }
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
            // These need no escape here; the engines take theirs for something else.
            (if "/<>".contains(letter) { letter.to_string() } else { format!("\\{letter}") }, 0)
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
        let pattern = KeyPattern::compile(pattern, flags, true).unwrap_or_else(|e| panic!("{key}: {e:?}"));
        matches!(PatternAllowance::default().search(&pattern, text), Searched::At(_))
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
        assert!(finds(r"/\p{L}+\d/u", "玄天9") && finds(r"/[\p{Script=Han}]{2}$/u", "玄天"));
        assert!(finds(r"/^\P{Lu}$/u", "a") && !finds(r"/^\P{Lu}$/u", "A"));
        assert!(finds(r"/\p{L}/", "p{L}") && !finds(r"/\p{L}/", "L"), "a property only with `u`");
        assert!(finds("/gate/y", "gate") && !finds("/gate/y", "a gate") && finds("/a|gate/y", "gate"));
        assert!(finds(r"/\<b\>/", "<b>"));
        assert!(finds(r"/\bgate\b(?!way)/", "сgateс") && !finds(r"/\Bgate/", "gate"));
    }

    #[test]
    fn what_does_not_compile_is_no_pattern() {
        for broken in ["(", "[a", "a**", r"a\"] {
            assert_eq!(unusable(broken), Some(Unusable::NoPattern), "{broken}");
        }
        assert_eq!(unusable(&"a".repeat(MAX_PATTERN + 1)), Some(Unusable::NoPattern));
        assert_eq!(unusable("(?:a{1000}){1000}(?!b)"), Some(Unusable::NoPattern));
    }

    fn unusable(pattern: &str) -> Option<Unusable> {
        KeyPattern::compile(pattern, "", true).err()
    }

    #[test]
    fn a_pattern_whose_cost_no_step_back_counts_is_none() {
        for endless in [
            r"(?:(?=[^]*q).)*z",
            r"(?:(?=(?:(?=[^]*q).)*r).)*z",
            r"(?:(?<=a[^]*).)+",
            r"((\w+)\s+\2)+x",
            r"(?:(?=.{0,2000}q).){11}",
        ] {
            assert_eq!(unusable(endless), Some(Unusable::Endless), "{endless}");
        }
        // What people write is none of it.
        for usual in [
            r"(?=.*\bsword\b)(?=.*\bking\b)",
            r"^(?:(?!not).)*sword",
            r"(?<!\w)(?:north|south) gate(?!way)",
            r"\b(\w+)\s+\1\b",
            r"(?:\w+\b\s*)+",
        ] {
            assert_eq!(unusable(usual), None, "{usual}");
        }
    }

    #[test]
    fn a_pattern_that_goes_back_and_forth_reads_less() {
        let long = format!("{}sword", "a ".repeat(MAX_TEXT_SHORT_SPANS));
        assert!(finds("/sword/", &long));
        assert!(!finds("/sword(?!s)/", &long), "beyond what it may read");
        assert!(finds("/sword(?!s)/", &long[long.len() - MAX_TEXT_SHORT_SPANS..]));
        assert!(!finds("/(?=.*sword)a/", &long[long.len() - MAX_TEXT_LONG_SPANS - 8..]));
        assert!(finds("/(?=.*sword)a/", &long[long.len() - MAX_TEXT_LONG_SPANS..]));
    }

    #[test]
    fn a_pattern_that_explodes_is_given_up() {
        let pattern = KeyPattern::compile(r"(a+)+\1$", "", true).unwrap();
        let text = format!("{}b", "a".repeat(1000));
        assert_eq!(PatternAllowance::default().search(&pattern, &text), Searched::GivenUp);
        // And from then on switched off, whoever looks for it.
        assert_eq!(PatternAllowance::default().search(&pattern.clone(), "aa"), Searched::GivenUp);
    }
}
