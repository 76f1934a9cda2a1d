//! What of a text stands between two marks: emphasised, struck out, hidden, or code within a line.
//!
//! Owns which marks are a pair, in the way Discord reads them. Must not know how a text is cut. Start reading at [`OpenMarks`].

use std::ops::Range;

use super::fences::{Fence, find_fences};
use super::speech::bare_link;

/// Before and behind what is not to be read by accident.
const SPOILER: &str = "||";

/// Before and behind code within a line.
const CODE: [&str; 2] = ["`", "``"];

/// What opens words as a mark does: it may stand on either side of one.
const OPENING: &str = "\"'([{“„‘«「『（";

/// At the beginning of a line that is quoted.
pub(super) const QUOTE: &str = "> ";

/// Before words that are quoted to their very end.
pub(super) const QUOTE_ALL: &str = ">>> ";

/// What comes behind a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behind {
    /// It is over.
    Nothing,
    /// More of the same: what is open at its end is closed there.
    More,
    /// More that is yet to come: what may turn out to be hidden is taken to be.
    Unwritten,
}

/// Words between two marks, as byte positions of the text they were found in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Marked {
    pub(super) mark: &'static str,
    /// Where the opening mark begins; `None` where it stands before the text.
    pub(super) start: Option<usize>,
    /// Where the words begin.
    pub(super) body_start: usize,
    /// Where the words end.
    pub(super) body_end: usize,
    /// Behind the closing mark; equal to `body_end` where there is none.
    pub(super) end: usize,
}

/// A mark that nothing has closed yet.
#[derive(Debug)]
struct Opened {
    mark: &'static str,
    start: Option<usize>,
    body_start: usize,
    /// It may as well be no mark at all: two bars between words are an "or".
    is_doubtful: bool,
}

impl Opened {
    /// Whether it is taken for a mark with this behind the text.
    fn is_held(&self, behind: Behind) -> bool {
        !self.is_doubtful || behind == Behind::Unwritten
    }
}

/// The marks of a text.
#[derive(Debug)]
pub(super) struct FoundMarks {
    pub(super) marked: Vec<Marked>,
    open: Vec<Opened>,
}

/// What is open at the end of a text, and so where another goes on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenMarks {
    marks: Vec<&'static str>,
    pub(super) is_quoted: bool,
}

impl OpenMarks {
    /// What is open at the end of a text that begins with this open.
    #[must_use]
    pub fn behind(&self, text: &str) -> Self {
        let fences = find_fences(text);
        let found = find(text, &fences, self);
        let sure = found.open.iter().filter(|opened| !opened.is_doubtful);
        Self {
            marks: sure.map(|opened| opened.mark).collect(),
            is_quoted: self.is_quoted || quoted_from(text, &fences).is_some(),
        }
    }

    /// The words of a text that begins with this open which are hidden, as byte ranges without the marks behind them. Those
    /// are left out that were hidden before it.
    pub fn hidden(&self, text: &str, behind: Behind) -> Vec<Range<usize>> {
        let found = find(text, &find_fences(text), self);
        let open = found.open.iter().filter(|opened| opened.mark == SPOILER && opened.is_held(behind));
        let open = open.filter_map(|opened| Some(opened.start?..text.len()));
        let closed = found.marked.iter().filter(|marked| marked.mark == SPOILER);
        closed.filter_map(|marked| Some(marked.start?..marked.body_end)).chain(open).collect()
    }

    /// Whether any of a text that begins with this open is hidden.
    pub fn hides(&self, text: &str) -> bool {
        let found = find(text, &find_fences(text), self);
        found.marked.iter().any(|marked| marked.mark == SPOILER)
            || found.open.iter().any(|opened| opened.mark == SPOILER && !opened.is_doubtful)
    }
}

impl FoundMarks {
    /// The words of marks that nothing closes as if the end of the text did: of all where the text goes on, else only what
    /// is hidden, which nobody is to read because a model forgot to write two bars.
    pub(super) fn to_the_end(&self, text: &str, behind: Behind) -> Vec<Marked> {
        let holds = |opened: &&Opened| {
            opened.is_held(behind)
                && (behind != Behind::Nothing || opened.mark == SPOILER)
                && !text[opened.body_start..].trim().is_empty()
        };
        let to_end = |opened: &Opened| Marked {
            mark: opened.mark,
            start: opened.start,
            body_start: opened.body_start,
            body_end: text.len(),
            end: text.len(),
        };
        self.open.iter().filter(holds).map(to_end).collect()
    }
}

/// A text without marks of emphasis, so that no piece of it opens or closes anything. Code and what is hidden stay as they are.
pub fn without_emphasis(text: &str) -> String {
    let found = find(text, &find_fences(text), &OpenMarks::default());
    let is_emphasis = |mark: &str| mark != SPOILER && !CODE.contains(&mark);
    let pairs = found.marked.iter().filter(|one| is_emphasis(one.mark));
    let mut marks: Vec<Range<usize>> = pairs
        .flat_map(|one| [one.start.unwrap_or(one.body_start)..one.body_start, one.body_end..one.end])
        .collect();
    let open = found.open.iter().filter(|opened| is_emphasis(opened.mark));
    marks.extend(open.map(|opened| opened.start.unwrap_or(opened.body_start)..opened.body_start));
    marks.sort_unstable_by_key(|mark| mark.start);
    let mut bare = String::with_capacity(text.len());
    let mut at = 0;
    for mark in marks {
        bare.push_str(&text[at..mark.start]);
        at = mark.end;
    }
    bare.push_str(&text[at..]);
    bare
}

/// The marks of a text with these code blocks, in which there are none, where so much is open at its beginning. A mark opens
/// in front of words and not within one, closes behind words, and goes with the next one of its kind; one that stands alone is
/// none, and nor are those of a face.
pub(super) fn find(text: &str, fences: &[Fence], before: &OpenMarks) -> FoundMarks {
    let carried = |mark: &&'static str| Opened { mark, start: None, body_start: 0, is_doubtful: false };
    let open = before.marks.iter().map(carried).collect();
    let mut reader = Reader { text, fences, found: FoundMarks { marked: Vec::new(), open } };
    // Addresses are full of them.
    let may_be_mark = |letter: char| matches!(letter, '\\' | '`' | '*' | '_' | '~' | '|' | 'h');
    let mut at = 0;
    while let Some(offset) = text[at..].find(may_be_mark) {
        let here = at + offset;
        let fence = fences.iter().find(|fence| fence.start <= here && here < fence.end);
        at = fence.map_or_else(|| reader.read(here), |fence| fence.end);
    }
    reader.found
}

/// Behind which position everything is quoted, code aside.
pub(super) fn quoted_from(text: &str, fences: &[Fence]) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_start();
        let start = at + line.len() - bare.len();
        if bare.starts_with(QUOTE_ALL) && !fences.iter().any(|fence| fence.start < at && at < fence.end) {
            return Some(start + QUOTE_ALL.len());
        }
        at += line.len();
    }
    None
}

struct Reader<'a> {
    text: &'a str,
    fences: &'a [Fence],
    found: FoundMarks,
}

impl Reader<'_> {
    /// Reads what may be a mark; gives where to go on.
    fn read(&mut self, here: usize) -> usize {
        let rest = &self.text[here..];
        let Some(first) = rest.chars().next() else { return self.text.len() };
        let run = rest.len() - rest.trim_start_matches(first).len();
        match (first, run) {
            // What stands behind it is no mark.
            ('\\', _) => return here + rest.chars().take(2).map(char::len_utf8).sum::<usize>(),
            ('h', _) => return here + bare_link(rest).map_or(1, |(_, length)| length),
            ('`', _) => return self.code(here, run),
            ('*', 1) => self.mark(here, &["*"]),
            ('*', 2) => self.mark(here, &["**"]),
            ('*', 3) => self.mark(here, &["**", "*"]),
            ('_', 1) => self.mark(here, &["_"]),
            ('_', 2) => self.mark(here, &["__"]),
            ('_', 3) => self.mark(here, &["__", "_"]),
            ('~', 2) => self.mark(here, &["~~"]),
            ('|', _) => (0..run / 2).for_each(|pair| self.mark(here + pair * SPOILER.len(), &[SPOILER])),
            // A drawing, or a line.
            _ => {}
        }
        here + run
    }

    /// Gives where to go on behind the code that begins here, or behind its marks where it does not end in the same line.
    fn code(&mut self, start: usize, run: usize) -> usize {
        let body_start = start + run;
        let Some(mark) = CODE.into_iter().find(|mark| mark.len() == run) else { return body_start };
        let block = self.fences.iter().map(|fence| fence.start).find(|block| *block >= body_start);
        let words = &self.text[body_start..block.unwrap_or(self.text.len())];
        let line = words.split('\n').next().unwrap_or_default();
        let mut at = 0;
        while let Some(offset) = line[at..].find('`') {
            let close = at + offset;
            let length = line[close..].len() - line[close..].trim_start_matches('`').len();
            at = close + length;
            if length == run {
                let body_end = body_start + close;
                let end = body_end + run;
                self.found.marked.push(Marked { mark, start: Some(start), body_start, body_end, end });
                return end;
            }
        }
        body_start
    }

    /// Marks that stand together here: each closes what it has opened, or opens something.
    fn mark(&mut self, here: usize, marks: &[&'static str]) {
        let behind = here + marks.iter().map(|mark| mark.len()).sum::<usize>();
        let (before, after) = (self.text[..here].chars().next_back(), self.text[behind..].chars().next());
        let is_blank = |letter: Option<char>| letter.is_none_or(char::is_whitespace);
        // As Discord has it: of letters only those of ASCII.
        let is_word = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_alphanumeric());
        let is_hiding = marks.contains(&SPOILER);
        let is_underscore = self.text[here..].starts_with('_');
        let is_free = |letter: char| {
            letter.is_whitespace() || OPENING.contains(letter) || matches!(letter, '*' | '~' | '|')
        };
        let may_open = if is_underscore { before.is_none_or(is_free) } else { !is_word(before) };
        let opens = is_hiding || (may_open && self.begins_words(behind));
        let closes = is_hiding || !(is_blank(before) || is_underscore && is_word(after));
        let mut left = marks.to_vec();
        let mut at = here;
        // What was opened last is closed first.
        for index in (0..self.found.open.len()).rev().filter(|_| closes) {
            if let Some(which) = left.iter().position(|mark| *mark == self.found.open[index].mark) {
                let mark = left.remove(which);
                let Opened { start, body_start, .. } = self.found.open.remove(index);
                let end = at + mark.len();
                self.found.marked.push(Marked { mark, start, body_start, body_end: at, end });
                at = end;
            }
        }
        for mark in left.into_iter().filter(|_| opens) {
            let is_doubtful = mark == SPOILER && is_blank(after) && self.is_behind_a_word(here);
            let body_start = at + mark.len();
            // The one before stands alone.
            self.found.open.retain(|opened| opened.mark != mark);
            self.found.open.push(Opened { mark, start: Some(at), body_start, is_doubtful });
            at = body_start;
        }
    }

    /// Whether words begin here, behind other marks perhaps.
    fn begins_words(&self, at: usize) -> bool {
        let first = self.text[at..].trim_start_matches(['*', '_', '~', '|']).chars().next();
        first.is_some_and(|letter| {
            letter.is_alphanumeric()
                || OPENING.contains(letter)
                || matches!(letter, '.' | '…' | '<' | '@' | '#' | ':' | '$' | '`' | '¡' | '¿')
                // Most emoji.
                || letter >= '\u{1f000}'
        })
    }

    /// Whether the words of the same line go on to here, without the end of a sentence.
    fn is_behind_a_word(&self, here: usize) -> bool {
        let line = self.text[..here].rsplit('\n').next().unwrap_or_default();
        let last = line.trim_end().chars().next_back();
        last.is_some_and(|letter| letter.is_alphanumeric() || matches!(letter, ')' | ']' | '"' | '\'' | '`'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is between marks, with its mark.
    fn marked(text: &str) -> Vec<(&'static str, &str)> {
        let found = find(text, &find_fences(text), &OpenMarks::default());
        found.marked.iter().map(|one| (one.mark, &text[one.body_start..one.body_end])).collect()
    }

    #[test]
    fn marks_go_in_pairs() {
        assert_eq!(marked("*she walks* on"), [("*", "she walks")]);
        assert_eq!(marked("***so***"), [("*", "so"), ("**", "*so*")]);
        assert_eq!(marked("**a *b* c**"), [("*", "b"), ("**", "a *b* c")]);
        assert_eq!(marked("__a__ _b_ ~~c~~ ||d||||e||").len(), 5);
        assert_eq!(marked("他*走过去*说"), [("*", "走过去")]);
        assert_eq!(marked("|| padded || as some write it"), [("||", " padded ")]);
        assert_eq!(marked("*one\n\nand two*"), [("*", "one\n\nand two")]);
    }

    #[test]
    fn a_mark_alone_is_none() {
        for text in [
            "2 * 3 and 4 * 5",
            "* one\n* two",
            "snake_case and other_case",
            "Sold out* for now",
            "a \\*b\\* ¯\\_(ツ)_/¯",
            "***\n***",
            "see https://a.example/_b_/*c and https://a.example/_b_/*c",
        ] {
            assert!(marked(text).is_empty(), "{text}");
        }
        for text in [
            "Hehe ^_^",
            "well -_- no",
            ">_<",
            "so *_* nice",
            "ಠ_ಠ",
            "(・_・)",
            "5*3 is 15",
            "ヽ(*´∀`)ノ",
            ":*)",
        ] {
            assert_eq!(OpenMarks::default().behind(text), OpenMarks::default(), "{text}");
        }
        assert_eq!(marked("*so he said, and then *this* one"), [("*", "this")], "the first stands alone");
    }

    #[test]
    fn emphasis_goes_and_words_code_and_addresses_stay() {
        for (text, bare) in [
            ("*She turns the ledger.* \"Two,\" she says.", "She turns the ledger. \"Two,\" she says."),
            ("***so*** and **a *b* c** and ~~no~~ __yes__", "so and a b c and no yes"),
            ("*She turns the", "She turns the"),
            ("2 * 3, snake_case, `*a*` and ||*hid*||", "2 * 3, snake_case, `*a*` and ||hid||"),
            ("https://a.example/_b_/ *c*", "https://a.example/_b_/ c"),
        ] {
            assert_eq!(without_emphasis(text), bare, "{text}");
        }
    }

    #[test]
    fn there_are_no_marks_in_code() {
        assert_eq!(marked("`a || b` or `c || d`"), [("`", "a || b"), ("`", "c || d")]);
        assert_eq!(marked("``a ` b``"), [("``", "a ` b")]);
        assert!(marked("*a\n```\nb*\n```").is_empty());
        assert_eq!(marked("it`s *so*\nit`s"), [("*", "so")], "it ends in its line, or is none");
    }

    #[test]
    fn what_is_open_goes_on_in_the_next_text() {
        let open = OpenMarks::default().behind("Well: ||The keeper *dies.");
        assert_eq!(open.marks, ["||", "*"]);
        assert!(open.behind("And so on.|| They say*").marks.is_empty());
        assert!(OpenMarks::default().behind(">>> so").is_quoted);
        let nothing = OpenMarks::default();
        assert_eq!(nothing.behind("It is one || the other."), nothing, "an or");
        assert!(open.hides("dies") && !nothing.hides("this || that"));
        assert!(open.hidden("dies", Behind::Nothing).is_empty(), "it was hidden before");
    }

    #[test]
    fn what_may_be_hidden_is_until_the_text_is_over() {
        let hidden = |text: &str, behind| {
            let hidden = OpenMarks::default().hidden(text, behind);
            hidden.first().map(|hidden| text[hidden.clone()].to_owned())
        };
        for text in ["Well: ||The keeper", "Well:\n||The keeper", "Well: ||The keeper|| dies"] {
            assert_eq!(hidden(text, Behind::Nothing).as_deref(), Some("||The keeper"), "{text}");
        }
        let doubtful = "The killer was || the gull.";
        assert_eq!(hidden(doubtful, Behind::Unwritten).as_deref(), Some("|| the gull."));
        assert_eq!(hidden(doubtful, Behind::More), None);
        assert_eq!(hidden(doubtful, Behind::Nothing), None, "an or");
        let closed = hidden("The killer was || the gull. ||", Behind::Nothing);
        assert_eq!(closed.as_deref(), Some("|| the gull. "));
    }
}
