//! Lines that end between words, at the terminal's width, of words that come piece by piece.
//!
//! Where a line may end is Unicode's to say (UAX #14), in scripts that write no spaces by their dictionaries; how wide a
//! letter is too (UAX #11).

use std::fmt::{self, Debug};

use icu_segmenter::options::LineBreakOptions;
use icu_segmenter::{LineSegmenter, LineSegmenterBorrowed};
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use crate::text::addresses::addresses;

/// Terminals set tabs this many columns apart.
const TAB: usize = 8;

/// How far the next line of a list is indented where its second column would leave less than half of the width.
const NARROW: usize = 2;

/// Gives words on as soon as it is known which line they belong to: a word when the next one begins.
pub(super) struct Wrap {
    breaks: LineSegmenterBorrowed<'static>,
    /// How many columns of the line are taken.
    column: usize,
    /// Where a line begins that goes on with the one before.
    hang: usize,
    /// What may be the beginning of a longer word.
    held: String,
}

impl Debug for Wrap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wrap").field("column", &self.column).finish_non_exhaustive()
    }
}

impl Wrap {
    pub(super) fn new() -> Self {
        let breaks = LineSegmenter::new_dictionary(LineBreakOptions::default());
        Self { breaks, column: 0, hang: 0, held: String::new() }
    }

    /// All of a text, for a terminal of so many columns; as it is where their number is not known.
    pub(super) fn whole(text: &str, columns: Option<usize>) -> String {
        let mut wrap = Self::new();
        wrap.push(text, columns) + &wrap.rest(columns)
    }

    /// All of a list, likewise. What does not fit on a line goes on beneath its second column, which two spaces or more set off.
    pub(super) fn list(text: &str, columns: Option<usize>) -> String {
        let lines = text.lines().map(|line| {
            let hang = columns.map_or(0, |columns| hang_of(line, columns));
            let mut wrap = Self { hang, ..Self::new() };
            wrap.push(line, columns) + &wrap.rest(columns)
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// What follows stands behind so many columns of a line.
    pub(super) fn goes_on_at(&mut self, column: usize) {
        self.column = column;
    }

    /// How many columns of the line are taken.
    pub(super) fn column(&self) -> usize {
        self.column
    }

    /// What can be shown once these words have come.
    pub(super) fn push(&mut self, words: &str, columns: Option<usize>) -> String {
        self.held.push_str(words);
        let Some(columns) = columns else { return self.rest(None) };
        let breaks = self.breaks.segment_str(&self.held).filter(|end| (1..self.held.len()).contains(end));
        // Unicode would end lines in addresses at slashes, dashes and question marks.
        let addresses: Vec<_> = addresses(&self.held).collect();
        let breaks =
            breaks.filter(|end| !addresses.iter().any(|address| address.start < *end && *end < address.end));
        let mut ends: Vec<usize> = breaks.filter_map(|end| before_commands(&self.held, end)).collect();
        ends.dedup();
        let held = std::mem::take(&mut self.held);
        let mut shown = String::new();
        let mut from = 0;
        for end in ends {
            self.place(&held[from..end], columns, &mut shown);
            from = end;
        }
        self.held = held[from..].to_owned();
        shown
    }

    /// What was held back; nothing follows.
    pub(super) fn rest(&mut self, columns: Option<usize>) -> String {
        let held = std::mem::take(&mut self.held);
        let Some(columns) = columns else { return held };
        let mut shown = String::new();
        self.place(&held, columns, &mut shown);
        shown
    }

    /// One word and the white space behind it. What is wider than a line is cut between letters; but for an address, which
    /// the terminal itself continues on the next line, so that it can be followed and copied whole.
    fn place(&mut self, word: &str, columns: usize, shown: &mut String) {
        let letters = word.trim_end_matches([' ', '\t', '\n']);
        if self.column > self.hang && self.column + letters.width() > columns {
            self.go_on_below(shown);
        }
        let is_address = addresses(letters).next().is_some();
        if is_address {
            shown.push_str(letters);
            self.column = (self.column + letters.width()) % columns.max(1);
        }
        for letter in letters.graphemes(true).filter(|_| !is_address) {
            let width = letter.width();
            if self.column > self.hang && self.column + width > columns {
                self.go_on_below(shown);
            }
            shown.push_str(letter);
            self.column += width;
        }
        for space in word[letters.len()..].chars() {
            let width = if space == '\t' { TAB - self.column % TAB } else { 1 };
            match space {
                '\n' => self.end_line(shown),
                // At the edge the end of the line is space enough.
                _ if self.column + width > columns => {}
                _ => {
                    shown.push(space);
                    self.column += width;
                }
            }
        }
    }

    fn go_on_below(&mut self, shown: &mut String) {
        self.end_line(shown);
        shown.push_str(&" ".repeat(self.hang));
        self.column = self.hang;
    }

    fn end_line(&mut self, shown: &mut String) {
        shown.push('\n');
        self.column = 0;
    }
}

/// Where a line of a list goes on, in columns.
fn hang_of(line: &str, columns: usize) -> usize {
    let Some((first, behind)) = line.split_once("  ") else { return 0 };
    let gap = line.len() - first.len() - behind.trim_start().len();
    let second = first.width() + gap;
    if 2 * second <= columns { second } else { NARROW.min(columns / 2) }
}

/// Where a line may end instead of behind a slash that begins a command: before it. Unicode knows slashes only as in
/// "and/or", where a line ends behind them and never before, even after a space.
fn before_commands(text: &str, end: usize) -> Option<usize> {
    let Some(before) = text[..end].strip_suffix('/') else { return Some(end) };
    match before.chars().next_back()? {
        space if space.is_whitespace() => Some(before.len()),
        letter if letter.is_alphanumeric() || letter == '/' => Some(end),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Letter by letter, the worst that can come from a model.
    fn streamed(text: &str, columns: usize) -> String {
        let mut wrap = Wrap::new();
        let mut shown: String =
            text.chars().map(|letter| wrap.push(letter.encode_utf8(&mut [0; 4]), Some(columns))).collect();
        shown.push_str(&wrap.rest(Some(columns)));
        shown
    }

    fn lines(text: &str, columns: usize) -> Vec<String> {
        streamed(text, columns).lines().map(|line| line.trim_end().to_owned()).collect()
    }

    #[test]
    fn lines_end_between_words_in_every_script() {
        assert_eq!(lines("The river is wide tonight.", 12), ["The river is", "wide", "tonight."]);
        assert_eq!(
            lines("Write /context or (/help) and/or wait", 9),
            ["Write", "/context", "or", "(/help)", "and/or", "wait"]
        );
        assert_eq!(lines("Write /context", 8), ["Write", "/context"]);
        assert_eq!(lines("shallow/deep", 9), ["shallow/", "deep"]);
        assert_eq!(lines("the ferryman-in-waiting", 14), ["the ferryman-", "in-waiting"]);
        // Every sign is two columns wide, and a full stop begins no line.
        assert_eq!(lines("今夜は川が広い。", 8), ["今夜は川", "が広い。"]);
        assert_eq!(lines("今夜は川です。", 12), ["今夜は川で", "す。"]);
        // Words without spaces between them.
        assert_eq!(lines("แม่น้ำกว้างมาก", 6), ["แม่น้ำ", "กว้าง", "มาก"]);
        assert_eq!(lines("Река сегодня широкая", 13), ["Река сегодня", "широкая"]);
        assert_eq!(lines("강은 오늘 밤 넓다", 9), ["강은 오늘", "밤 넓다"]);
        assert_eq!(lines("👩‍👩‍👧‍👦👩‍👩‍👧‍👦 go", 4), ["👩‍👩‍👧‍👦👩‍👩‍👧‍👦", "go"]);
    }

    #[test]
    fn what_is_wider_than_a_line_is_cut_and_what_the_text_sets_off_stays_so() {
        assert_eq!(lines("see abcdefghijkl", 6), ["see", "abcdef", "ghijkl"]);
        assert_eq!(lines("One.\n\n    let a = 1;\n\tb", 16), ["One.", "", "    let a = 1;", "\tb"]);
    }

    #[test]
    fn an_address_stays_whole() {
        let address = "http://127.0.0.1:8737/?token=ng-xT8l-Lx/a";
        let said = format!("The window: {address} and more");
        assert_eq!(lines(&said, 16), ["The window:", &format!("{address} and"), "more"]);
        assert_eq!(lines("川はhttps://example.org/a-b です", 16), ["川は", "https://example.org/a-b です"]);
        assert_eq!(lines("川はwww.example.org/a-b です", 16), ["川は", "www.example.org/a-b です"]);
    }

    #[test]
    fn what_a_list_says_of_something_goes_on_beneath_itself() {
        let help = "Write. Besides:\n/undo       take back what was said last\n/forget …   me: all you said";
        let wide = "Write. Besides:\n/undo       take back what\n            was said last\n\
                    /forget …   me: all you\n            said";
        let shown = |columns| {
            let shown = Wrap::list(help, columns);
            shown.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
        };
        assert_eq!(shown(Some(26)), wide);
        let narrow = "Write. Besides:\n/undo       take\n  back what was\n  said last\n/forget …   me:\n  all you said";
        assert_eq!(shown(Some(16)), narrow);
        assert_eq!(shown(None), help);
    }

    #[test]
    fn without_a_width_everything_comes_at_once_as_it_is() {
        let mut wrap = Wrap::new();
        assert_eq!(wrap.push("half a wo", None), "half a wo");
        assert_eq!(Wrap::whole("half a word", None), "half a word");
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_no_line_is_wider(text in "[a-z今夜川、。é👍 \n-]{0,60}", columns in 2_usize..20) {
            let shown = streamed(&text, columns);
            for line in shown.lines() {
                prop_assert!(line.width() <= columns, "{line:?} of {shown:?}");
            }
            let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(bare(&shown), bare(&text));
        }
    }
}
