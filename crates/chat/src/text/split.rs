//! Cutting a reply into messages a platform takes.

use std::cmp::Reverse;

use unicode_segmentation::UnicodeSegmentation;

use super::fences::{self, Fence};
use super::marks::{self, Behind, Marked, OpenMarks, QUOTE, QUOTE_ALL};
use super::sentences;

/// The smallest limit that leaves room for a reopened code block.
pub const MIN_CHARS: usize = 40;

/// Cuts `text` into messages of at most `max_chars` characters (Unicode scalar values; at least [`MIN_CHARS`]).
///
/// A cut is made at the end of a paragraph where one is near enough, else of a line, a sentence, a word, a visible
/// character. Code blocks stay whole where one message can hold them; longer ones are closed and opened again with
/// their language, and so is what other marks hold: emphasis, what is hidden, a quotation. Nothing is lost but white space
/// at the cuts. A text without any visible character gives no message at all.
pub fn split_messages(text: &str, max_chars: usize) -> Vec<String> {
    let before = &OpenMarks::default();
    Part { text, before, behind: Behind::Nothing, stops: &[] }.messages(max_chars)
}

/// A text that is cut as a part of a longer one.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    pub text: &'a str,
    /// What is open where it begins.
    pub before: &'a OpenMarks,
    pub behind: Behind,
    /// Where messages end in any case: positions in bytes, in their order.
    pub stops: &'a [usize],
}

impl Part<'_> {
    /// Its messages, as [`split_messages`] cuts them.
    pub fn messages(&self, max_chars: usize) -> Vec<String> {
        let text = self.text.trim_end();
        let fences = fences::find_fences(text);
        let found = marks::find(text, &fences, self.before);
        let mut marked = found.to_the_end(text, self.behind);
        marked.extend(found.marked);
        // Of what was open before it, what ends first is the innermost.
        marked.sort_by_key(|marked| (marked.start, Reverse(marked.body_end)));
        let quoted_from = if self.before.is_quoted { Some(0) } else { marks::quoted_from(text, &fences) };
        let max = max_chars.max(MIN_CHARS);
        Splitter { text, fences, marked, quoted_from, stops: self.stops, max }.run()
    }
}

struct Splitter<'a> {
    text: &'a str,
    fences: Vec<Fence>,
    /// What is between other marks, in the order in which they open.
    marked: Vec<Marked>,
    /// From where on everything is quoted.
    quoted_from: Option<usize>,
    stops: &'a [usize],
    max: usize,
}

/// Where a message ends, and where the next one begins.
struct MessageCut {
    at: usize,
    next: usize,
}

impl Splitter<'_> {
    fn run(&self) -> Vec<String> {
        let mut messages = Vec::new();
        // Without blank lines in front of it, the first line's indentation kept.
        let visible = self.text.len() - self.text.trim_start().len();
        let first = self.text[..visible].rfind('\n').map_or(0, |newline| newline + 1);
        let mut from = self.past_closed(first, first);
        while from < self.text.len() {
            let (cut, message) = self.fitting(from);
            if !self.text[from..cut.at].trim().is_empty() {
                messages.push(message);
            }
            from = self.past_closed(cut.at, cut.next);
        }
        messages
    }

    /// The longest message from here that fits with all that is written around it.
    fn fitting(&self, from: usize) -> (MessageCut, String) {
        let mut room = self.max;
        loop {
            let cut = self.cut(from, room);
            let message = self.message(from, cut.at);
            let over = message.chars().count().saturating_sub(self.max);
            if over == 0 || room == 1 {
                return (cut, message);
            }
            let body = self.text[from..cut.at].chars().count();
            room = body.saturating_sub(over).clamp(1, room - 1);
        }
    }

    /// The words from here to there; what is open here is opened again, and what is open there is closed.
    fn message(&self, from: usize, to: usize) -> String {
        let body = self.text[from..to].trim_end();
        let quote = self.quote_at(from);
        let code = self.code_at(from);
        let lead = if code.is_some() || !quote.is_empty() { 0 } else { self.lead(from, body) };
        let mut message = format!("{}{quote}", &body[..lead]);
        message.extend(self.open_at(from).map(|marked| marked.mark));
        message.extend(code.map(Fence::opening));
        message.push_str(&body[lead..]);
        if let Some(code) = self.code_at(to) {
            if !message.ends_with('\n') {
                message.push('\n');
            }
            message.push_str(&code.marker);
        }
        message.extend(self.open_at(to).rev().map(|marked| marked.mark));
        message
    }

    /// What stands before the marks that are opened again where a message begins: white space, and what quotes its line.
    fn lead(&self, from: usize, body: &str) -> usize {
        let visible = body.len() - body.trim_start().len();
        let is_quoted = self.begins_line(from) && body[visible..].starts_with(QUOTE);
        visible + if is_quoted { QUOTE.len() } else { 0 }
    }

    /// What quotes again the words that begin here.
    fn quote_at(&self, at: usize) -> &'static str {
        if self.quoted_from.is_some_and(|from| from <= at) {
            return QUOTE_ALL;
        }
        let line = self.text[..at].rsplit('\n').next().unwrap_or_default();
        let is_quoted = line.trim_start().starts_with(QUOTE) && self.code_at(at).is_none();
        if is_quoted { QUOTE } else { "" }
    }

    /// What is open between words that end and words that begin here, outermost first.
    fn open_at(&self, at: usize) -> impl DoubleEndedIterator<Item = &Marked> {
        let is_open =
            move |marked: &&Marked| marked.start.is_none_or(|start| start < at) && at <= marked.body_end;
        self.marked.iter().filter(is_open)
    }

    /// The block that is open between code that ends and code that begins here.
    fn code_at(&self, at: usize) -> Option<&Fence> {
        self.fences.iter().find(|fence| fence.start < at && at <= fence.body_end)
    }

    /// The block whose code `at` is in the middle of.
    fn fence_around(&self, at: usize) -> Option<&Fence> {
        self.fences.iter().find(|fence| fence.start < at && at < fence.end)
    }

    /// Where words begin behind a cut whose message closed what is open there: nothing but that may end before them.
    fn past_closed(&self, at: usize, next: usize) -> usize {
        let mut open: Vec<&Marked> = self.open_at(at).collect();
        open.sort_by_key(|marked| marked.body_end);
        open.into_iter().fold(next, |next, marked| {
            let ends_here = self.text.get(next..marked.body_end).is_some_and(|words| words.trim().is_empty());
            if ends_here { self.skip_blank(marked.end) } else { next }
        })
    }

    /// A cut that tears no mark, and none from the words behind it that it opens.
    fn untorn(&self, from: usize, at: usize) -> usize {
        self.marked.iter().rev().fold(at, |at, marked| {
            let opens_here = |start: usize| {
                from < start && start < at && self.text[marked.body_start.min(at)..at].trim().is_empty()
            };
            match marked.start {
                Some(start) if opens_here(start) => start,
                _ if from < marked.body_end && marked.body_end < at && at < marked.end => marked.body_end,
                _ => at,
            }
        })
    }

    fn cut(&self, from: usize, room: usize) -> MessageCut {
        let stop = self.stops.iter().copied().find(|stop| *stop > from);
        let stop = stop.unwrap_or(self.text.len()).min(self.text.len());
        // White space at the end takes no room.
        let end = from + self.text[from..stop].trim_end().len();
        let reach = Some(self.reach(from, room)).filter(|reach| *reach < end).unwrap_or(stop);
        match self.fence_around(reach) {
            Some(fence)
                if fence.start > from && (reach <= fence.body_start || self.keeps_whole(fence, reach)) =>
            {
                self.cut_prose_at(from, fence.start)
            }
            Some(fence) => self.cut_code(from, reach, fence),
            None if reach == stop => self.cut_prose_at(from, stop),
            None => self.cut_prose(from, reach),
        }
    }

    /// Whether a block that does not fit here is better moved to the next message: it fits there, or hardly any of
    /// it would stand here.
    fn keeps_whole(&self, fence: &Fence, reach: usize) -> bool {
        let length = self.text[fence.start..fence.end].chars().count();
        length <= self.max || reach.saturating_sub(fence.body_start) < self.max / 4
    }

    fn cut_code(&self, from: usize, reach: usize, fence: &Fence) -> MessageCut {
        let reach = reach.clamp(fence.body_start, fence.body_end);
        let start = from.max(fence.body_start);
        let code = &self.text[start..reach];
        let behind = |is_gap: fn(char) -> bool| {
            let (at, gap) = code.char_indices().rev().find(|(_, letter)| is_gap(*letter))?;
            (!code[..at].trim().is_empty()).then_some(start + at + gap.len_utf8())
        };
        let at = if reach == fence.body_end {
            reach
        } else {
            behind(|letter| letter == '\n')
                .or_else(|| behind(char::is_whitespace))
                .unwrap_or_else(|| self.grapheme(start, reach))
        };
        let rest_is_blank = self.text[at..fence.body_end].trim().is_empty();
        MessageCut { at, next: if rest_is_blank { self.skip_blank(fence.end) } else { at } }
    }

    fn cut_prose_at(&self, from: usize, at: usize) -> MessageCut {
        let at = self.untorn(from, at);
        MessageCut { at, next: self.skip_blank(at) }
    }

    fn cut_prose(&self, from: usize, reach: usize) -> MessageCut {
        let window = &self.text[from..reach];
        let free = |at: &usize| *at > from && self.fence_around(*at).is_none();
        let at_least = |part: usize| move |at: &usize| *at >= from + window.len() / part;
        let paragraph = window
            .rmatch_indices("\n\n")
            .map(|(at, _)| from + at + 2)
            .chain(self.fences.iter().rev().map(|fence| fence.end).filter(|end| *end <= reach))
            .filter(free)
            .max();
        let line = || window.rmatch_indices('\n').map(|(at, _)| from + at + 1).find(free);
        let sentence = || sentences::starts(window).rev().map(|at| from + at).find(free);
        let word = || {
            let ends_here = self.text[reach..].starts_with(char::is_whitespace).then_some(reach);
            ends_here.or_else(|| {
                window
                    .char_indices()
                    .rev()
                    .filter(|(_, character)| character.is_whitespace())
                    .map(|(at, character)| from + at + character.len_utf8())
                    .find(|at| free(at) && !self.text[from..*at].trim().is_empty())
            })
        };
        let at = paragraph
            .filter(at_least(2))
            .or_else(|| line().filter(at_least(3)))
            .or_else(|| sentence().filter(at_least(4)))
            .or_else(word)
            .unwrap_or_else(|| self.grapheme(from, reach));
        self.cut_prose_at(from, at)
    }

    /// The last boundary between visible characters in `(from, reach]`; `reach` itself when one visible character
    /// is longer than a message.
    fn grapheme(&self, from: usize, reach: usize) -> usize {
        // A little text behind the cut tells whether a cluster goes on.
        let ahead = self.reach(reach, 16);
        self.text[from..ahead]
            .grapheme_indices(true)
            .map(|(at, _)| from + at)
            .take_while(|at| *at <= reach)
            .last()
            .filter(|at| *at > from)
            .unwrap_or(reach)
    }

    /// The position `chars` characters behind `from`, or the end.
    fn reach(&self, from: usize, chars: usize) -> usize {
        self.text[from..].char_indices().nth(chars).map_or(self.text.len(), |(at, _)| from + at)
    }

    /// Past white space, but not past the indentation of the line that follows.
    fn skip_blank(&self, from: usize) -> usize {
        let rest = &self.text[from..];
        let visible = rest.len() - rest.trim_start().len();
        match rest[..visible].rfind('\n') {
            Some(newline) => from + newline + 1,
            None if self.begins_line(from) && visible < MIN_CHARS / 2 => from,
            None => from + visible,
        }
    }

    fn begins_line(&self, at: usize) -> bool {
        at == 0 || self.text[..at].ends_with('\n')
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn squeezed(text: &str) -> String {
        text.chars().filter(|c| !c.is_whitespace()).collect()
    }

    #[test]
    fn a_short_text_is_one_message() {
        assert_eq!(split_messages("\n\nhello *there*\n", 2_000), ["hello *there*"]);
        assert!(split_messages(" \n\t ", 2_000).is_empty());
    }

    #[test]
    fn paragraphs_come_before_lines_and_lines_before_sentences() {
        let text = "First paragraph here.\n\nSecond one. It has two sentences.\nAnd a line.";
        assert_eq!(
            split_messages(text, 50),
            ["First paragraph here.", "Second one. It has two sentences.\nAnd a line."]
        );
        assert_eq!(
            split_messages("One line that is long enough\nanother line that is also long", 45),
            ["One line that is long enough", "another line that is also long"]
        );
        assert_eq!(
            split_messages("This is the first sentence. This is the second one, longer.", 45),
            ["This is the first sentence.", "This is the second one, longer."]
        );
    }

    #[test]
    fn a_word_that_fits_is_never_broken() {
        let text = "antidisestablishmentarianism ".repeat(10);
        for message in split_messages(&text, 64) {
            assert!(message.split(' ').all(|word| word == "antidisestablishmentarianism"), "{message}");
        }
    }

    #[test]
    fn a_family_emoji_is_never_torn() {
        let family = "👨‍👩‍👧‍👦";
        for message in split_messages(&family.repeat(30), 40) {
            assert_eq!(message.replace(family, ""), "");
        }
    }

    #[test]
    fn a_code_block_moves_whole_into_the_next_message() {
        let code = "```rust\nfn main() {\n    go();\n}\n```";
        let text = format!("Here is some code that you asked for:\n{code}\nDone.");
        assert_eq!(
            split_messages(&text, 60),
            ["Here is some code that you asked for:", &format!("{code}\nDone.")]
        );
    }

    #[test]
    fn a_long_code_block_is_closed_and_opened_again() {
        let lines: String = (0..12).map(|n| format!("    line {n}\n")).collect();
        let text = format!("```python\n{lines}```\nThat is all.");
        let messages = split_messages(&text, 60);
        assert!(messages.len() > 2);
        let (last, code) = messages.split_last().unwrap();
        for message in code {
            assert!(message.starts_with("```python\n    line"), "indentation and language stay: {message}");
            assert!(message.ends_with("\n```"), "{message}");
        }
        assert_eq!(last, "That is all.");
    }

    #[test]
    fn a_block_that_the_model_never_closed_is_closed_in_every_message() {
        let text = format!("```\n{}", "some code here\n".repeat(9));
        for message in split_messages(&text, 50) {
            assert!(message.starts_with("```\n") && message.ends_with("\n```"), "{message}");
        }
    }

    #[test]
    fn what_is_hidden_stays_hidden_in_every_message() {
        let text = "Well: ||the keeper dies on the last page, and the gull did it, of all birds|| they say.";
        assert_eq!(
            split_messages(text, 60),
            [
                "Well: ||the keeper dies on the last page, and the gull did||",
                "||it, of all birds|| they say."
            ]
        );
        let code = "Use `a || b` here, as one does with words that are long enough to be cut in two.";
        assert_eq!(split_messages(code, 60).concat().matches("||").count(), 1);
        let alone = "It is one || the other, as one does with words that are long enough to be cut in two.";
        assert_eq!(split_messages(alone, 60).concat().matches("||").count(), 1);
        let forgotten = "||The keeper dies on the last page, and nobody knew who it was until then";
        assert_eq!(
            split_messages(forgotten, 60),
            ["||The keeper dies on the last page, and nobody knew who it||", "||was until then||"],
            "its end was never written"
        );
        let with_code =
            "So: ||the answer is in here\n```\nlet a = 1;\nlet b = 2;\nlet c = 3;\n```\nand no more|| it is.";
        for message in split_messages(with_code, 50) {
            assert_eq!(message.matches("||").count(), 2, "{message}");
            assert_eq!(message.matches("```").count() % 2, 0, "{message}");
        }
    }

    #[test]
    fn what_was_open_before_is_opened_again_from_the_outermost_on() {
        let before = OpenMarks::default().behind("Well: ||The keeper *dies.");
        let text = "And so it ends* for him||, they say.";
        let part = Part { text, before: &before, behind: Behind::Nothing, stops: &[] };
        assert_eq!(part.messages(2_000), ["||*And so it ends* for him||, they say."]);
    }

    #[test]
    fn what_other_marks_hold_keeps_its_form_in_every_message() {
        for (text, messages) in [
            (
                "*She walks to the window and looks out at the harbour, where the last ferry lies, and she waits.* So.",
                [
                    "*She walks to the window and looks out at the harbour,*",
                    "*where the last ferry lies, and she waits.* So.",
                ],
            ),
            (
                "He is ***so very tired of the rain that falls and falls on the quay and on the town***, he says.",
                [
                    "He is ***so very tired of the rain that falls and falls***",
                    "***on the quay and on the town***, he says.",
                ],
            ),
            (
                "Run `cargo test --all --locked --offline --no-fail-fast --quiet` and wait.",
                ["Run `cargo test --all --locked --offline --no-fail-fast`", "`--quiet` and wait."],
            ),
            (
                "one two three four five six seven eight nine ten *eleven twelve* and more",
                ["one two three four five six seven eight nine ten *eleven*", "*twelve* and more"],
            ),
            (
                "five 2 * 3 and six * nine and a *lone one, which nobody ever ends, and so it is",
                ["five 2 * 3 and six * nine and a *lone one, which nobody ever", "ends, and so it is"],
            ),
        ] {
            assert_eq!(split_messages(text, 60), messages, "{text}");
        }
    }

    #[test]
    fn a_quotation_goes_on_as_one_in_the_next_message() {
        for (text, messages) in [
            (
                "> the last ferry leaves at nine, whatever the river says about it tonight, said the keeper\nNo.",
                [
                    "> the last ferry leaves at nine, whatever the river says",
                    "> about it tonight, said the keeper\nNo.",
                ],
            ),
            (
                "> *the last ferry leaves at nine, whatever the river says\n> about it tonight, said the keeper*\nNo.",
                [
                    "> *the last ferry leaves at nine, whatever the river says*",
                    "> *about it tonight, said the keeper*\nNo.",
                ],
            ),
            (
                ">>> the last ferry leaves at nine, whatever the river says about it tonight, said the keeper",
                [
                    ">>> the last ferry leaves at nine, whatever the river says",
                    ">>> about it tonight, said the keeper",
                ],
            ),
        ] {
            assert_eq!(split_messages(text, 60), messages, "{text}");
        }
    }

    #[test]
    fn a_part_takes_over_what_was_open_and_ends_where_it_is_told_to() {
        let before = OpenMarks::default().behind("*She walks.");
        let text = "She sits. She waits.* So.";
        let part = Part { text, before: &before, behind: Behind::Nothing, stops: &[10] };
        assert_eq!(part.messages(60), ["*She sits.*", "*She waits.* So."]);
        let (text, before) = ("So. *She walks.", &OpenMarks::default());
        let part = Part { text, before, behind: Behind::More, stops: &[] };
        assert_eq!(part.messages(60), ["So. *She walks.*"]);
    }

    #[test]
    fn indentation_of_a_list_survives_a_cut() {
        let text = "- first point of this list\n  - nested point number one\n  - nested point number two";
        let messages = split_messages(text, 60);
        assert_eq!(messages[1], "  - nested point number two");
    }

    fn block() -> impl Strategy<Value = String> {
        let words = prop::collection::vec("[a-z日é]{1,12}[.!?,]?", 1..30);
        prop_oneof![
            words.clone().prop_map(|words| words.join(" ")),
            (words, "(rust|py|)").prop_map(|(lines, info)| format!("```{info}\n{}\n```", lines.join("\n"))),
        ]
    }

    proptest! {
        #[test]
        fn no_message_is_too_long_and_nothing_visible_is_lost(text in "[^`|*_~>]{0,400}", max in 40_usize..90) {
            let messages = split_messages(&text, max);
            for message in &messages {
                prop_assert!(message.chars().count() <= max, "{} > {max}", message.chars().count());
                prop_assert!(!message.trim().is_empty());
            }
            prop_assert_eq!(squeezed(&messages.concat()), squeezed(&text));
        }

        #[test]
        fn blocks_stay_balanced_and_keep_their_words(
            blocks in prop::collection::vec(block(), 1..6), max in 40_usize..200
        ) {
            let text = blocks.join("\n\n");
            let messages = split_messages(&text, max);
            for message in &messages {
                prop_assert!(message.chars().count() <= max, "{message}");
                prop_assert_eq!(message.matches("```").count() % 2, 0, "{}", message);
            }
            let words = |text: &str| {
                text.split_whitespace().filter(|w| !w.starts_with("```")).collect::<Vec<_>>().concat()
            };
            prop_assert_eq!(words(&messages.join("\n")), words(&text));
        }

        #[test]
        fn whatever_is_hidden_is_hidden_in_pairs(text in "([a-z]{1,9} |\\|\\|[a-z]{1,9}|[a-z]{1,9}\\|\\| ){0,60}", max in 40_usize..90) {
            let messages = split_messages(&text, max);
            for message in &messages {
                prop_assert!(message.chars().count() <= max, "{message}");
            }
            let bars = |text: &str| text.matches("||").count() % 2;
            prop_assert!(messages.iter().map(|message| bars(message)).sum::<usize>() <= bars(&text), "{messages:?}");
            let bare = |text: &str| squeezed(&text.replace("||", ""));
            prop_assert_eq!(bare(&messages.concat()), bare(&text));
        }

        #[test]
        fn marks_are_written_again_and_no_words_are_lost(
            text in "([a-z]{1,9} |(\\*|\\*\\*|_|__|~~|\\|\\||`)[a-z]{1,9}|[a-z]{1,9}(\\*|\\*\\*|_|__|~~|\\|\\||`) |> |\n){0,60}",
            max in 60_usize..120,
        ) {
            let messages = split_messages(&text, max);
            for message in &messages {
                prop_assert!(message.chars().count() <= max, "{message}");
            }
            let bare = |text: &str| text.chars().filter(char::is_ascii_alphabetic).collect::<String>();
            prop_assert_eq!(bare(&messages.concat()), bare(&text));
        }

        #[test]
        fn any_backticks_are_survived(text in "[` \na-z]{0,300}", max in 40_usize..60) {
            for message in split_messages(&text, max) {
                prop_assert!(message.chars().count() <= max, "{message}");
            }
        }
    }
}
