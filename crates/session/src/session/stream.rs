//! Cutting a reply, as it streams, into the pieces that are handed over.

use std::cell::LazyCell;

use crate::config::TypingSimulation;
use crate::session::DeliveryStyle;
use crate::text::code::{TextPart, ends_in_code, long_code_apart};
use crate::text::looping::before_repeats;
use crate::text::marks::{Behind, OpenMarks};
use crate::text::sentences::sentences_of;
use crate::text::split::{Part, split_messages};

/// Discord allows 2,000; the rest is room for a fence that has to be closed and reopened (familiar-connect 1.9).
const TYPED_MAX_CHARS: usize = 1_900;

/// A reply is at most so many messages; what does not fit into them is left out.
const MESSAGES_MAX: usize = 4;

/// Code blocks of one reply that go as files; what is more is cut into messages.
const FILES_MAX: usize = 2;

/// Characters of a reply that may go in files, together.
const FILE_CHARS_MAX: usize = 16_000;

/// How finely the length of messages is chosen, in characters.
const LENGTH_STEP: usize = 20;

/// Stands at the end of what was left out.
const LEFT_OUT: &str = " …";

/// How a reply is cut.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Cut {
    /// Every delta as it comes.
    Live,
    /// Nothing before the end, then messages of a most.
    Whole { max_chars: usize },
    /// The first paragraph as soon as it is there, the rest in a few messages, as a person types.
    Typed { threshold: usize, max_chars: usize },
}

/// Takes deltas, gives pieces. What the pieces leave out is white space between them.
#[derive(Debug)]
pub(super) struct ReplyCutter {
    cut: Cut,
    buffer: String,
    /// Messages that were handed over.
    given: usize,
    /// Code blocks that may still go as files: a piece that is longer than a message is one.
    files: usize,
    /// What is open behind what was handed over: it is closed there, and opened again with the rest.
    open: OpenMarks,
    /// What would come behind its end.
    behind: Behind,
}

impl ReplyCutter {
    pub(super) fn new(style: DeliveryStyle, typing: &TypingSimulation) -> Self {
        let cut = match style {
            DeliveryStyle::Live | DeliveryStyle::Spoken => Cut::Live,
            DeliveryStyle::Messages { max_chars } if typing.enabled => Cut::Typed {
                threshold: usize::try_from(typing.sentence_split_threshold).unwrap_or(usize::MAX),
                max_chars: max_chars.min(TYPED_MAX_CHARS),
            },
            DeliveryStyle::Messages { max_chars } => Cut::Whole { max_chars },
        };
        Self::by(cut)
    }

    fn by(cut: Cut) -> Self {
        let (buffer, open) = (String::new(), OpenMarks::default());
        Self { cut, buffer, given: 0, files: 0, open, behind: Behind::Nothing }
    }

    /// The same where nothing of it is wanted before its end.
    pub(super) fn held_to_the_end(self) -> Self {
        let cut = match self.cut {
            Cut::Typed { max_chars, .. } => Cut::Whole { max_chars },
            cut => cut,
        };
        Self { cut, ..self }
    }

    /// The same where files can be had.
    pub(super) fn with_files(self) -> Self {
        Self { files: FILES_MAX, ..self }
    }

    /// Takes a piece of the reply; gives what can be handed over now.
    pub(super) fn push(&mut self, delta: &str) -> Vec<String> {
        match self.cut {
            Cut::Live => (!delta.is_empty()).then(|| delta.to_owned()).into_iter().collect(),
            Cut::Whole { .. } => {
                self.buffer.push_str(delta);
                Vec::new()
            }
            Cut::Typed { threshold, max_chars } => {
                self.buffer.push_str(delta);
                // How many messages the rest is worth is known once all of it is there.
                let end = if self.given == 0 {
                    paragraph_end(&self.buffer, &self.open, Behind::Unwritten)
                } else {
                    None
                };
                let Some(end) = end else { return Vec::new() };
                let rest = self.buffer.split_off(end);
                let paragraph = std::mem::replace(&mut self.buffer, rest);
                let pieces =
                    self.pieces(&paragraph, Behind::More, max_chars, MESSAGES_MAX - 1, |words, most| {
                        grouped(words, threshold, max_chars, most)
                    });
                self.given = pieces.len().min(MESSAGES_MAX);
                pieces
            }
        }
    }

    /// Whether more words would be left out anyway.
    pub(super) fn is_full(&self) -> bool {
        match self.cut {
            Cut::Live => false,
            // No character is longer than four bytes.
            Cut::Whole { max_chars } | Cut::Typed { max_chars, .. } => {
                let room = max_chars.saturating_mul(MESSAGES_MAX - self.given.min(MESSAGES_MAX));
                let is_over = |room: usize| self.buffer.len() > room && self.buffer.chars().count() > room;
                let has_file = || {
                    let parts = long_code_apart(&self.buffer, max_chars, self.files);
                    parts.iter().any(|part| matches!(part, TextPart::Code(_)))
                };
                is_over(room) && (is_over(room + FILE_CHARS_MAX) || !has_file())
            }
        }
    }

    /// What has not been handed over yet.
    pub(super) fn held(&self) -> &str {
        &self.buffer
    }

    /// What has not been handed over yet is not wanted.
    pub(super) fn begin_anew(&mut self) {
        self.buffer.clear();
        self.open = OpenMarks::default();
    }

    /// So many bytes at its end only say once more what stands before them: it goes round in circles, and nobody is to read
    /// all of that, nor half a sentence.
    pub(super) fn leaves_out_repeats(&mut self, repeats: usize) {
        if repeats > 0 {
            self.buffer.truncate(before_repeats(&self.buffer, repeats).len());
            self.behind = Behind::More;
        }
    }

    /// The reply is complete; gives the rest.
    pub(super) fn finish(mut self) -> Vec<String> {
        let left = MESSAGES_MAX.saturating_sub(self.given);
        if self.is_full() && ends_in_code(&self.buffer) {
            // A file shows as well that there was more.
            self.buffer.push_str("\n…");
        }
        let buffer = std::mem::take(&mut self.buffer);
        match self.cut {
            Cut::Live => Vec::new(),
            Cut::Whole { max_chars } => self.pieces(&buffer, self.behind, max_chars, left, |words, most| {
                first_messages(words.messages(max_chars), most, max_chars)
            }),
            Cut::Typed { threshold, max_chars } => {
                self.pieces(&buffer, self.behind, max_chars, left, |words, most| {
                    grouped(words, threshold, max_chars, most)
                })
            }
        }
    }

    /// Words cut into at most so many messages, one at least, and between them the code that goes as files.
    fn pieces(
        &mut self,
        text: &str,
        behind: Behind,
        max_chars: usize,
        most: usize,
        cut: impl Fn(Part<'_>, usize) -> Vec<String>,
    ) -> Vec<String> {
        let parts = long_code_apart(text, max_chars, self.files);
        let (all, mut left) = (parts.len(), most);
        let mut pieces = Vec::new();
        for (number, part) in (1..).zip(parts) {
            match part {
                TextPart::Words(words) => {
                    let least = usize::from(all > 1);
                    let behind = if number < all { Behind::More } else { behind };
                    let part = Part { text: words, before: &self.open, behind, stops: &[] };
                    let cut = cut(part, left.max(least));
                    self.open = self.open.behind(words);
                    left = left.saturating_sub(cut.len());
                    pieces.extend(cut);
                }
                TextPart::Code(code) => {
                    self.files -= 1;
                    pieces.push(code.to_owned());
                }
            }
        }
        pieces
    }
}

/// Whether part of a reply that stands went as a file, which takes no other words.
pub(super) fn has_gone_as_file(text: &str, style: DeliveryStyle) -> bool {
    let DeliveryStyle::Messages { max_chars } = style else { return false };
    long_code_apart(text, max_chars, 1).iter().any(|part| matches!(part, TextPart::Code(_)))
}

/// The first of these messages, with a sign that there were more.
fn first_messages(mut messages: Vec<String>, most: usize, max_chars: usize) -> Vec<String> {
    if messages.len() <= most {
        return messages;
    }
    messages.truncate(most);
    if let Some(last) = messages.last_mut() {
        let room = max_chars.saturating_sub(LEFT_OUT.chars().count());
        let mut cut = split_messages(last, room);
        cut.truncate(1);
        *last = cut.concat() + LEFT_OUT;
    }
    messages
}

/// For the end of what is hidden a paragraph waits so many characters, from where that begins. What is longer is hidden message
/// by message, and so is what a model never ends.
const HIDDEN_MAX: usize = 2_000;

/// Where the first finished paragraph ends, behind its blank line, of a text that begins with this open. None inside an open
/// code fence, or inside what is hidden.
fn paragraph_end(text: &str, before: &OpenMarks, behind: Behind) -> Option<usize> {
    let hidden = LazyCell::new(|| before.hidden(text, behind));
    let mut in_fence = false;
    let mut at = 0;
    let mut has_words = false;
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        if bare.starts_with("```") {
            in_fence = !in_fence;
        }
        at += line.len();
        let is_hidden = || {
            let mut around = hidden.iter().filter(|hidden| hidden.start < at && at <= hidden.end);
            around.any(|hidden| text[hidden.start..at].chars().count() <= HIDDEN_MAX)
        };
        if bare.is_empty() && line.ends_with('\n') && has_words && !in_fence && !is_hidden() {
            return Some(at);
        }
        has_words |= !bare.is_empty();
    }
    None
}

/// Paragraphs as messages, long ones as groups of sentences; where that would be more than `most`, neighbours are joined.
fn grouped(part: Part<'_>, threshold: usize, max_chars: usize, most: usize) -> Vec<String> {
    let text = part.text.trim();
    let mut open = part.before.clone();
    let mut units: Vec<&str> = Vec::new();
    let mut wanted = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let (paragraph, behind) =
            rest.split_at(paragraph_end(rest, &open, part.behind).unwrap_or(rest.len()));
        rest = behind;
        let length = paragraph.trim().chars().count();
        if length <= threshold || paragraph.contains("```") || open.hides(paragraph) {
            units.push(paragraph);
            wanted += 1;
        } else {
            units.extend(sentences_of(paragraph));
            wanted += length.div_ceil(threshold);
        }
        open = open.behind(paragraph);
    }
    let wanted = wanted.min(most).max(1);
    let stops = if units.len() <= wanted {
        packed(&units, 0)
    } else {
        // Of about one length: the smallest that is enough.
        let least = text.chars().count().div_ceil(wanted).min(max_chars);
        let mut limits = (least..max_chars).step_by(LENGTH_STEP);
        let fits = |limit: &usize| packed(&units, *limit).len() <= wanted;
        packed(&units, limits.find(fits).unwrap_or(max_chars))
    };
    first_messages(Part { text, stops: &stops, ..part }.messages(max_chars), most, max_chars)
}

/// Where neighbours end, in bytes, that are joined as long as they are no longer than that, in characters.
fn packed(units: &[&str], limit: usize) -> Vec<usize> {
    let mut ends: Vec<usize> = Vec::new();
    let (mut at, mut length) = (0, 0);
    for unit in units {
        let more = unit.chars().count();
        at += unit.len();
        match ends.last_mut() {
            Some(last) if length + more <= limit => {
                *last = at;
                length += more;
            }
            _ => {
                ends.push(at);
                length = more;
            }
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed() -> ReplyCutter {
        ReplyCutter::by(Cut::Typed { threshold: 40, max_chars: 200 })
    }

    #[test]
    fn paragraphs_leave_as_soon_as_the_next_begins() {
        let mut cutter = typed();
        assert!(cutter.push("Hello the").is_empty());
        assert!(cutter.push("re.\n").is_empty());
        assert_eq!(cutter.push("\nSecond"), ["Hello there."]);
        assert_eq!(cutter.finish(), ["Second"]);
    }

    #[test]
    fn a_blank_line_inside_a_fence_does_not_cut() {
        let mut cutter = typed();
        assert!(cutter.push("```rust\nlet a = 1;\n\nlet b = 2;\n").is_empty());
        assert_eq!(cutter.push("```\n\nDone."), ["```rust\nlet a = 1;\n\nlet b = 2;\n```"]);
        assert_eq!(cutter.finish(), ["Done."]);
    }

    #[test]
    fn what_is_hidden_is_one_message_however_many_paragraphs_and_sentences_it_has() {
        let mut cutter = typed();
        assert!(cutter.push("||The keeper dies.\n\nAnd the gull").is_empty());
        let mut pieces = cutter.push(" did it. It was the gull all along.||\n\nSorry.");
        pieces.extend(cutter.finish());
        assert_eq!(
            pieces,
            ["||The keeper dies.\n\nAnd the gull did it. It was the gull all along.||", "Sorry."]
        );
    }

    #[test]
    fn what_is_hidden_for_long_is_waited_for_from_where_it_begins_and_stays_hidden_in_every_message() {
        let mut cutter = ReplyCutter::by(Cut::Typed { threshold: 400, max_chars: TYPED_MAX_CHARS });
        let before = "The tide is out, and so is the lamp. ".repeat(50);
        let hidden = "The keeper dies on the last page, and it was the gull. ".repeat(30);
        assert!(cutter.push(&format!("{before}||{hidden}\n\n")).is_empty(), "so much is waited for");
        let mut pieces = cutter.push(&format!("{hidden}\n\n"));
        assert!(!pieces.is_empty(), "more is not");
        pieces.extend(cutter.push("And nobody knew."));
        pieces.extend(cutter.finish());
        assert!(pieces.last().unwrap().ends_with("knew.||"), "{pieces:?}");
        let bare = |piece: &String| piece.split("||").step_by(2).any(|words| words.contains("gull"));
        assert!(!pieces.iter().any(bare), "{pieces:?}");
    }

    #[test]
    fn two_bars_between_words_are_an_or_only_once_the_reply_is_over() {
        let mut cutter = typed();
        assert!(cutter.push("It is one || the other.\n\nOr").is_empty(), "it may be hidden");
        assert_eq!(cutter.finish(), ["It is one || the other.", "Or"]);
        let mut cutter = typed();
        assert!(cutter.push("The killer was || the gull.\n\nIt").is_empty());
        let mut pieces = cutter.push(" was the gull. ||\n\nSorry.");
        pieces.extend(cutter.finish());
        assert_eq!(pieces, ["The killer was || the gull.\n\nIt was the gull. ||", "Sorry."]);
    }

    #[test]
    fn what_a_mark_holds_keeps_its_form_over_paragraphs_and_sentences() {
        let mut cutter = typed();
        let mut pieces = cutter.push("*She walks to the window.\n\nShe");
        pieces.extend(cutter.push(" looks out at the ferry. It is late, as ever.* \"Well.\""));
        pieces.extend(cutter.finish());
        assert_eq!(
            pieces,
            [
                "*She walks to the window.*",
                "*She looks out at the ferry.*",
                "*It is late, as ever.* \"Well.\""
            ]
        );
    }

    #[test]
    fn code_of_more_than_a_message_is_one_piece_between_the_words() {
        let code = format!("```rust\n{}```", "let a = 1;\n\n".repeat(30));
        let text = format!("Here it is.\n\n{code}\n\nRun it twice.");
        for cut in [Cut::Typed { threshold: 40, max_chars: 200 }, Cut::Whole { max_chars: 200 }] {
            let mut cutter = ReplyCutter::by(cut).with_files();
            let mut pieces = cutter.push(&text);
            pieces.extend(cutter.finish());
            assert_eq!(pieces, ["Here it is.", code.as_str(), "Run it twice."], "{cut:?}");
            let mut cutter = ReplyCutter::by(cut);
            let mut pieces = cutter.push(&text);
            pieces.extend(cutter.finish());
            assert!(pieces.iter().all(|piece| piece.chars().count() <= 200), "{pieces:?}");
        }
    }

    #[test]
    fn what_goes_round_ends_with_its_last_sentence_before_and_closes_what_is_open() {
        let said = "Well: ||The keeper *dies. It was the gull. ";
        let round = "He dies he dies ".repeat(20);
        for cut in [Cut::Typed { threshold: 400, max_chars: 900 }, Cut::Whole { max_chars: 900 }] {
            let mut cutter = ReplyCutter::by(cut);
            assert!(cutter.push(&format!("{said}{round}")).is_empty());
            cutter.leaves_out_repeats(round.len() - 8);
            assert_eq!(cutter.finish(), ["Well: ||The keeper *dies. It was the gull.*||"], "{cut:?}");
        }
    }

    #[test]
    fn code_without_an_end_is_not_waited_for() {
        let mut cutter = ReplyCutter::by(Cut::Whole { max_chars: 2000 }).with_files();
        cutter.push("```\n");
        let mut pushed = 0;
        while !cutter.is_full() {
            cutter.push("over and over\n");
            pushed += 1;
        }
        assert!((1_000..2_000).contains(&pushed), "{pushed}");
        assert_eq!(cutter.finish().len(), 1);
    }

    #[test]
    fn long_paragraphs_are_typed_sentence_by_sentence() {
        let mut cutter = typed();
        cutter.push("This is the first sentence of it. And this is the second one.");
        assert_eq!(cutter.finish(), ["This is the first sentence of it.", "And this is the second one."]);
    }

    #[test]
    fn whole_replies_wait_for_the_end() {
        let mut cutter = ReplyCutter::by(Cut::Whole { max_chars: 2000 });
        assert!(cutter.push("a\n\nb").is_empty());
        assert_eq!(cutter.finish(), ["a\n\nb"]);
    }

    #[test]
    fn a_long_reply_is_a_few_messages_of_whole_sentences() {
        let sentence =
            "The ferry leaves the quay at ten past nine, whatever the river says about it tonight. ";
        let cutter = |threshold| ReplyCutter::by(Cut::Typed { threshold, max_chars: TYPED_MAX_CHARS });
        let said = |text: &str| {
            let mut cutter = cutter(400);
            let mut pieces = cutter.push(text);
            pieces.extend(cutter.finish());
            pieces
        };
        let short = said(&sentence.repeat(8));
        assert_eq!(short.len(), 2, "{short:?}");
        let long = said(&sentence.repeat(80));
        assert_eq!(long.len(), 4);
        assert!(
            long.iter().all(|piece| piece.ends_with("tonight.") && piece.chars().count() <= TYPED_MAX_CHARS)
        );
        assert_eq!(long.join(" "), sentence.repeat(80).trim_end());
        let lines = said(&"Aye.\n\n".repeat(30));
        assert_eq!(lines.len(), 4, "{lines:?}");
        assert_eq!(lines[0], "Aye.", "the first leaves at once");
        assert_eq!(lines.join("\n\n"), "Aye.\n\n".repeat(30).trim_end());
    }

    #[test]
    fn a_megabyte_is_a_handful_of_messages_that_say_that_there_was_more() {
        for cut in [Cut::Whole { max_chars: 2000 }, Cut::Typed { threshold: 400, max_chars: TYPED_MAX_CHARS }]
        {
            let mut cutter = ReplyCutter::by(cut);
            let mut pieces = Vec::new();
            let mut pushed = 0;
            while !cutter.is_full() {
                pieces.extend(cutter.push("So it goes on and on. "));
                pushed += 1;
            }
            assert!(pushed < 500, "{pushed}");
            pieces.extend(cutter.finish());
            assert_eq!(pieces.len(), 4);
            assert!(pieces[3].ends_with('…') && pieces.iter().all(|piece| piece.chars().count() <= 2000));
        }
    }
}
