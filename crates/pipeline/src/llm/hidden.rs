//! Telling what nobody may see from the words of a reply, also while it streams: thoughts, and tool calls written as text.
//!
//! Models echo the tags that their own thoughts stand in, and servers that do not know a model's way of thinking pass it
//! on as words. Tags may be split over chunks, so an ending that could still become one is held back until it is decided.

/// The tags that servers pass on which do not know a model's way of thinking.
pub(super) const THINKING: &[&str] = &["think", "thinking"];

/// The blocks that never leave, by tag: of a reply, whoever wrote it.
const HIDDEN: &[&str] = &[
    "think",
    "thinking",
    "thought",
    "thoughts",
    "plan",
    "plans",
    "reasoning",
    "scratchpad",
    "earlier_thoughts",
    "tool_call",
    "tool_calls",
    "tool_response",
    "function_call",
];

/// Longest tag with attributes, in bytes; what is longer is text.
const TAG_MAX: usize = 200;

/// Shorter beginnings of a tag at the very end of a reply are shown: `1 <` is arithmetic.
const HALF_TAG_MIN: usize = 3;

/// Tags that models mix up: one of a row closes any other of it.
const ALIKE: &[&[&str]] = &[
    &["think", "thinking", "thought", "thoughts", "reasoning", "scratchpad", "earlier_thoughts"],
    &["plan", "plans"],
    &["tool_call", "tool_calls", "tool_response", "function_call"],
];

/// A piece of a reply, told apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Words(String),
    Hidden(String),
    /// All words so far were hidden ones: a server that puts the opening tag into the prompt passes on the closing one alone.
    HiddenSoFar,
}

/// Tells the hidden blocks of a reply from its words. What it gives does not depend on how the reply was chopped.
///
/// A block that is never closed is hidden to the end; a closing tag without an opening one is dropped. A tag between
/// backticks is a word about tags and stays.
#[derive(Debug, Clone)]
pub struct TagFilter {
    names: &'static [&'static str],
    /// Whether a block can stand in a block. As it comes from a server it cannot: there a model that thinks about tags ends
    /// its thoughts with the first that closes.
    nests: bool,
    /// A block was told apart, or given up on: what is words stays words.
    is_told_apart: bool,
    /// The blocks that are open, outermost first.
    open: Vec<&'static str>,
    held: String,
    /// The last character that was passed on or swallowed.
    last: Option<char>,
    /// White space after a block belongs to neither side.
    trim_next: bool,
    last_shown: Option<char>,
}

impl Default for TagFilter {
    fn default() -> Self {
        Self { nests: true, ..Self::of(HIDDEN) }
    }
}

/// A whole text without the blocks of these tags.
pub fn strip_hidden(text: &str, names: &'static [&'static str]) -> String {
    let filter = TagFilter { nests: true, ..TagFilter::of(names) };
    filter.whole(text)
}

fn words_of(pieces: Vec<Piece>) -> String {
    let words = pieces.into_iter().filter_map(|piece| match piece {
        Piece::Words(words) => Some(words),
        Piece::Hidden(_) | Piece::HiddenSoFar => None,
    });
    words.collect()
}

/// What a `<` has turned out to be.
enum Tag {
    Opening(&'static str),
    Closing(&'static str),
    Empty,
}

enum Bracket {
    /// It may still become a tag.
    Undecided,
    /// A tag of so many bytes.
    Tag(Tag, usize),
    Text,
}

impl TagFilter {
    pub(super) fn of(names: &'static [&'static str]) -> Self {
        Self {
            names,
            nests: false,
            is_told_apart: false,
            open: Vec::new(),
            held: String::new(),
            last: None,
            trim_next: false,
            last_shown: None,
        }
    }

    /// A whole text without its hidden blocks.
    pub fn whole(mut self, text: &str) -> String {
        let shown = self.push(text);
        shown + &self.finish()
    }

    /// Takes a piece of the reply; gives what can be shown now.
    pub fn push(&mut self, piece: &str) -> String {
        words_of(self.pieces(piece))
    }

    /// What was still held back at the end.
    pub fn finish(self) -> String {
        words_of(self.last_pieces())
    }

    /// Takes a piece of the reply; gives what is decided now.
    pub(super) fn pieces(&mut self, piece: &str) -> Vec<Piece> {
        self.held.push_str(piece);
        let text = std::mem::take(&mut self.held);
        let mut shown = Vec::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find('<') {
            self.pass(&rest[..at], &mut shown);
            rest = &rest[at..];
            match self.bracket(rest) {
                Bracket::Undecided => {
                    rest.clone_into(&mut self.held);
                    return shown;
                }
                Bracket::Tag(tag, length) => {
                    self.step(&tag, &mut shown);
                    self.last = Some('>');
                    rest = &rest[length..];
                }
                Bracket::Text => {
                    self.pass("<", &mut shown);
                    rest = &rest[1..];
                }
            }
        }
        self.pass(rest, &mut shown);
        shown
    }

    pub(super) fn last_pieces(mut self) -> Vec<Piece> {
        let held = std::mem::take(&mut self.held);
        let mut shown = Vec::new();
        // Half a hidden tag is not worth showing; anything else is text.
        if held.len() <= HALF_TAG_MIN || !self.begins_hidden(&held) {
            self.pass(&held, &mut shown);
        }
        shown
    }

    /// Whether the reply has begun to be hidden and not ended to be.
    fn is_hiding(&self) -> bool {
        !self.open.is_empty()
    }

    fn pass(&mut self, words: &str, shown: &mut Vec<Piece>) {
        self.last = words.chars().last().or(self.last);
        if self.is_hiding() {
            if !words.is_empty() {
                shown.push(Piece::Hidden(words.to_owned()));
            }
            return;
        }
        let mut words = words;
        // Between two words the white space stays; at the start and behind other white space it goes, but a line
        // that ends stays ended: what begins the next one may be somebody else's name.
        if self.trim_next && self.last_shown.is_none_or(char::is_whitespace) {
            let trimmed = words.trim_start();
            if words[..words.len() - trimmed.len()].contains('\n')
                && self.last_shown.is_some_and(|c| c != '\n')
            {
                shown.push(Piece::Words("\n".to_owned()));
                self.last_shown = Some('\n');
            }
            words = trimmed;
        }
        if !words.is_empty() {
            self.trim_next = false;
            self.last_shown = words.chars().last();
            shown.push(Piece::Words(words.to_owned()));
        }
    }

    fn step(&mut self, tag: &Tag, shown: &mut Vec<Piece>) {
        match tag {
            Tag::Opening(name) if self.nests || !self.is_hiding() => self.open.push(name),
            Tag::Opening(_) => {}
            Tag::Closing(_)
                if !self.nests && !self.is_hiding() && !self.is_told_apart && self.last != Some('`') =>
            {
                shown.push(Piece::HiddenSoFar);
                self.last_shown = None;
            }
            Tag::Empty => {}
            Tag::Closing(name) => {
                let alike = ALIKE.iter().find(|row| row.contains(name));
                let closes = |open: &&str| open == name || alike.is_some_and(|row| row.contains(open));
                let exactly = self.open.iter().rposition(|open| open == name);
                if let Some(at) = exactly.or_else(|| self.open.iter().rposition(closes)) {
                    self.open.truncate(at);
                }
            }
        }
        self.is_told_apart = true;
        self.trim_next |= !self.is_hiding();
    }

    /// What `rest`, which begins with `<`, is.
    fn bracket(&self, rest: &str) -> Bracket {
        let Some(end) = rest.find('>') else {
            return if self.begins_hidden(rest) { Bracket::Undecided } else { Bracket::Text };
        };
        let Some(tag) = self.tag(&rest[1..end]) else { return Bracket::Text };
        if self.last == Some('`') && !self.is_hiding() {
            return match rest[end + 1..].chars().next() {
                None => Bracket::Undecided,
                Some('`') => Bracket::Text,
                Some(_) => Bracket::Tag(tag, end + 1),
            };
        }
        Bracket::Tag(tag, end + 1)
    }

    fn tag(&self, inside: &str) -> Option<Tag> {
        if inside.len() > TAG_MAX || inside.contains(['<', '\n']) {
            return None;
        }
        let (is_closing, name) = match inside.trim_start().strip_prefix('/') {
            Some(name) => (true, name.trim_start()),
            None => (false, inside.trim_start()),
        };
        let is_empty = name.trim_end().ends_with('/');
        let name = name.split(|c: char| c.is_whitespace() || c == '/').next().unwrap_or_default();
        let name = self.names.iter().find(|known| known.eq_ignore_ascii_case(name))?;
        Some(match (is_closing, is_empty) {
            (true, _) => Tag::Closing(name),
            (false, true) => Tag::Empty,
            (false, false) => Tag::Opening(name),
        })
    }

    /// Whether `rest`, a `<` without its `>`, may become a hidden tag.
    fn begins_hidden(&self, rest: &str) -> bool {
        let Some(inside) = rest.strip_prefix('<') else { return false };
        if inside.len() > TAG_MAX || inside.contains(['<', '\n']) {
            return false;
        }
        if inside.contains('>') {
            return self.tag(inside.split('>').next().unwrap_or_default()).is_some();
        }
        let inside = inside.trim_start();
        let name = inside.strip_prefix('/').map_or(inside, str::trim_start);
        match name.split_once(|c: char| c.is_whitespace() || c == '/') {
            Some((name, _)) => self.names.iter().any(|known| known.eq_ignore_ascii_case(name)),
            None => self.names.iter().any(|known| {
                known.get(..name.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(name))
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(chunks: &[&str]) -> String {
        let mut filter = TagFilter::default();
        let mut shown: String = chunks.iter().map(|chunk| filter.push(chunk)).collect();
        shown.push_str(&filter.finish());
        shown
    }

    /// Words and thoughts, each joined, as they are told apart at the wire.
    fn told_apart(chunks: &[&str]) -> (String, String) {
        let mut filter = TagFilter::of(THINKING);
        let mut pieces: Vec<Piece> = chunks.iter().flat_map(|chunk| filter.pieces(chunk)).collect();
        pieces.extend(filter.last_pieces());
        let mut both = (String::new(), String::new());
        for piece in pieces {
            match piece {
                Piece::Words(words) => both.0.push_str(&words),
                Piece::Hidden(words) => both.1.push_str(&words),
                Piece::HiddenSoFar => both.1.push_str(&std::mem::take(&mut both.0)),
            }
        }
        both
    }

    #[test]
    fn thoughts_leave_the_text_whole_and_are_kept_apart() {
        for (chunks, words, thought) in [
            (&["<think>hm</think>\n\nHello"][..], "Hello", "hm"),
            (&["<th", "ink>h", "m</thi", "nk>", "\n", "\nHel", "lo"], "Hello", "hm"),
            (&["One <thinking>x</thinking> two"], "One two", "x"),
            (&["<think>never closed"], "", "never closed"),
            (&["<", "t", "able>"], "<table>", ""),
            (&["<think>a < b</think>c"], "c", "a < b"),
            (&["<think>a <think> tag</think>c"], "c", "a  tag"),
            (&["</think>Hello"], "Hello", ""),
            (&["aloud</think>\nHello <think>x</think>and</think> bye"], "Hello and bye", "aloudx"),
            (&["<plan>stays</plan>"], "<plan>stays</plan>", ""),
        ] {
            assert_eq!(told_apart(chunks), (words.to_owned(), thought.to_owned()), "{chunks:?}");
        }
    }

    #[test]
    fn hidden_blocks_leave_the_words_around_them_whole() {
        for (reply, words) in [
            ("<thoughts>hm</thoughts>\n\nHello.", "Hello."),
            ("<Thoughts type=\"x\">hm</THOUGHTS >Hello.", "Hello."),
            ("One <plans>\n1. go\n</plans> two", "One two"),
            ("<thoughts>a <plans>b</plans> c</thoughts>Hello.", "Hello."),
            ("<thoughts>a</thought>Hello.", "Hello."),
            ("<thoughts>a<plans>b</thoughts>Hello.", "Hello."),
            ("</thoughts>Hello.", "Hello."),
            ("Hello.<thoughts/>", "Hello."),
            ("Hello. <think>never closed", "Hello. "),
            ("Hello. <thou", "Hello. "),
            ("<thoughts>a</plans>b</thoughts>Hello.", "Hello."),
            ("One.<think>a</think> Two.", "One. Two."),
            ("One. <think>a</think>\n Two.", "One. \nTwo."),
            ("<tool_call>{\"name\":\"x\"}</tool_call>", ""),
        ] {
            assert_eq!(shown(&[reply]), words, "{reply}");
        }
    }

    #[test]
    fn other_angle_brackets_are_words() {
        for reply in [
            "a < b, <3 and <@1234> in <#5>",
            "<table><plan9></table>",
            "write `<thoughts>` around it",
            "I <thought-out> it",
            "1 <",
        ] {
            assert_eq!(shown(&[reply]), reply);
        }
    }

    fn piece() -> impl Strategy<Value = String> {
        prop_oneof![
            Just("<thoughts>".to_owned()),
            Just("</thoughts>".to_owned()),
            Just("<plans a='1'>".to_owned()),
            Just("</Plans>".to_owned()),
            Just("<think>".to_owned()),
            Just("</think>".to_owned()),
            Just("<".to_owned()),
            Just("`".to_owned()),
            "[a-z<>/ é\n]{0,6}",
        ]
    }

    fn cut(text: &str, cuts: &[usize]) -> Vec<String> {
        let mut at: Vec<usize> =
            cuts.iter().map(|cut| cut % (text.len() + 1)).filter(|at| text.is_char_boundary(*at)).collect();
        at.extend([0, text.len()]);
        at.sort_unstable();
        at.windows(2).map(|pair| text[pair[0]..pair[1]].to_owned()).collect()
    }

    proptest! {
        #[test]
        fn chopping_never_changes_what_is_shown(
            pieces in prop::collection::vec(piece(), 0..14), cuts in prop::collection::vec(0_usize..200, 0..20)
        ) {
            let whole = pieces.concat();
            let chopped = cut(&whole, &cuts);
            let chopped: Vec<&str> = chopped.iter().map(String::as_str).collect();
            prop_assert_eq!(shown(&chopped), shown(&[&whole]));
            prop_assert_eq!(told_apart(&chopped), told_apart(&[&whole]));
        }

        #[test]
        fn thoughts_are_never_shown_however_they_arrive(
            before in "[a-zA-Z .\n]{0,20}", secret in "[a-z .\n<>/]{0,30}", after in "[a-zA-Z .\n]{0,20}",
            name in prop::sample::select(HIDDEN), cuts in prop::collection::vec(0_usize..200, 0..20)
        ) {
            let whole = format!("{before}<{name}>SECRET{secret}SECRET</{name}>{after}");
            let chopped = cut(&whole, &cuts);
            let mut filter = TagFilter::default();
            let mut seen = String::new();
            for chunk in &chopped {
                seen.push_str(&filter.push(chunk));
                prop_assert!(!seen.contains("SECRET") && !seen.contains(&format!("<{name}")), "{}", seen);
            }
            seen.push_str(&filter.finish());
            prop_assert!(!seen.contains("SECRET") && !seen.to_lowercase().contains(&format!("<{name}>")), "{}", seen);
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>().concat();
            prop_assert_eq!(words(&seen), words(&format!("{before}{after}")));
        }
    }
}
