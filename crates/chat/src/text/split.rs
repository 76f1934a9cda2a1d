//! Cutting a reply into messages a platform takes.

use unicode_segmentation::UnicodeSegmentation;

use super::fences::{self, Fence};
use super::sentences;

/// The smallest limit that leaves room for a reopened code block.
pub const MIN_CHARS: usize = 40;

/// Cuts `text` into messages of at most `max_chars` characters (Unicode scalar values; at least [`MIN_CHARS`]).
///
/// A cut is made at the end of a paragraph where one is near enough, else of a line, a sentence, a word, a visible
/// character. Code blocks stay whole where one message can hold them; longer ones are closed and opened again with
/// their language, and so is what `||` hides. Nothing is lost but white space at the cuts. A text without any visible
/// character gives no message at all.
pub fn split_messages(text: &str, max_chars: usize) -> Vec<String> {
    let (text, max) = (trim_blank_lines(text), max_chars.max(MIN_CHARS));
    let hiding = spoiler_marks(text) / 2 * 2;
    let room = if hiding > 0 { 2 * SPOILER.len() } else { 0 };
    let mut splitter = Splitter { text, fences: fences::find_fences(text), max: max - room };
    let messages = splitter.run();
    if hiding > 0 { hidden_again(messages, hiding) } else { messages }
}

/// Before and behind what is not to be read by accident.
const SPOILER: &str = "||";

/// How often a text hides what follows or ends that, code aside.
pub fn spoiler_marks(text: &str) -> usize {
    // Of one backtick or of three: behind an odd number of them it is code.
    text.split('`').step_by(2).map(|words| words.matches(SPOILER).count()).sum()
}

/// Messages in each of which is hidden what was hidden in the whole. The marks behind the first so many hide nothing.
fn hidden_again(messages: Vec<String>, hiding: usize) -> Vec<String> {
    let mut passed = 0;
    let mut closed = |message: String| {
        let was_open = passed % 2 == 1;
        passed = hiding.min(passed + spoiler_marks(&message));
        let mark = |is_open: bool| if is_open { SPOILER } else { "" };
        format!("{}{message}{}", mark(was_open), mark(passed % 2 == 1))
    };
    messages.into_iter().map(&mut closed).collect()
}

struct Splitter<'a> {
    text: &'a str,
    fences: Vec<Fence>,
    max: usize,
}

/// One message: up to where it goes, and what is written around it.
struct MessageCut {
    at: usize,
    closing: Option<String>,
    next: usize,
}

impl Splitter<'_> {
    fn run(&mut self) -> Vec<String> {
        let mut messages = Vec::new();
        let mut from = 0;
        while from < self.text.len() {
            let inside = self.fence_around(from);
            let opening = inside.map(Fence::opening).unwrap_or_default();
            let cut = self.cut(from, opening.chars().count(), inside);
            let body = &self.text[from..cut.at];
            if !body.trim().is_empty() {
                let mut message = opening;
                message.push_str(body);
                match cut.closing {
                    None => message.truncate(message.trim_end().len()),
                    Some(marker) => {
                        if !message.ends_with('\n') {
                            message.push('\n');
                        }
                        message.push_str(&marker);
                    }
                }
                messages.push(message);
            }
            from = cut.next;
        }
        messages
    }

    /// The block whose code `at` is in the middle of.
    fn fence_around(&self, at: usize) -> Option<&Fence> {
        self.fences.iter().find(|fence| fence.start < at && at < fence.end)
    }

    fn cut(&self, from: usize, opening: usize, inside: Option<&Fence>) -> MessageCut {
        let room = self.max.saturating_sub(opening);
        let whole = self.reach(from, room);
        if whole == self.text.len() {
            return match inside.filter(|fence| fence.is_unclosed()) {
                None => MessageCut { at: whole, closing: None, next: whole },
                Some(fence) => {
                    let reach = self.reach(from, room.saturating_sub(fence.marker.len() + 1));
                    self.cut_code(from, reach, fence)
                }
            };
        }
        match self.fence_around(whole) {
            Some(fence) if fence.start > from && self.keeps_whole(fence, whole) => {
                self.cut_prose_at(fence.start)
            }
            Some(fence) => {
                let reach = self.reach(from, room.saturating_sub(fence.marker.len() + 1));
                if reach > fence.body_start || fence.start <= from {
                    self.cut_code(from, reach, fence)
                } else {
                    self.cut_prose_at(fence.start)
                }
            }
            None => self.cut_prose(from, whole),
        }
    }

    /// Whether a block that does not fit here is better moved to the next message: it fits there, or hardly any of
    /// it would stand here.
    fn keeps_whole(&self, fence: &Fence, reach: usize) -> bool {
        let length = self.text[fence.start..fence.end].chars().count();
        length <= self.max || reach.saturating_sub(fence.body_start) < self.max / 4
    }

    fn cut_code(&self, from: usize, reach: usize, fence: &Fence) -> MessageCut {
        let reach = reach.min(fence.body_end);
        let start = from.max(fence.body_start);
        let code = self.text.get(start..reach).unwrap_or_default();
        let at = if reach == fence.body_end {
            reach
        } else {
            code.rfind('\n')
                .or_else(|| code.rfind(char::is_whitespace))
                .filter(|at| !code[..*at].trim().is_empty())
                .map_or_else(|| self.grapheme(start, reach), |at| start + at + 1)
        };
        let rest_is_blank = self.text[at..fence.body_end].trim().is_empty();
        let next = if rest_is_blank { self.skip_blank(fence.end) } else { at };
        MessageCut { at, closing: Some(fence.marker.clone()), next }
    }

    fn cut_prose_at(&self, at: usize) -> MessageCut {
        MessageCut { at, closing: None, next: self.skip_blank(at) }
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
        self.cut_prose_at(at)
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
        let at_line_start = from == 0 || self.text[..from].ends_with('\n');
        match rest[..visible].rfind('\n') {
            Some(newline) => from + newline + 1,
            None if at_line_start && visible < MIN_CHARS / 2 => from,
            None => from + visible,
        }
    }
}

/// Without blank lines around it, the first line's indentation kept.
fn trim_blank_lines(text: &str) -> &str {
    let text = text.trim_end();
    let visible = text.len() - text.trim_start().len();
    &text[text[..visible].rfind('\n').map_or(0, |newline| newline + 1)..]
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
                "Well: ||the keeper dies on the last page, and the gull||",
                "||did it, of all birds|| they say."
            ]
        );
        let code = "Use `a || b` here, as one does with words that are long enough to be cut in two.";
        assert_eq!(split_messages(code, 60).concat().matches("||").count(), 1);
        let alone = "It is one || the other, as one does with words that are long enough to be cut in two.";
        assert_eq!(split_messages(alone, 60).concat().matches("||").count(), 1);
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
        fn no_message_is_too_long_and_nothing_visible_is_lost(text in "[^`|]{0,400}", max in 40_usize..90) {
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
            let odd = messages.iter().filter(|message| spoiler_marks(message) % 2 == 1).count();
            prop_assert!(odd <= spoiler_marks(&text) % 2, "{messages:?}");
            let bare = |text: &str| squeezed(&text.replace("||", ""));
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
