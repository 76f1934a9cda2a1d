//! A written reply that is shown as it comes: its message appears with the first sentence and is edited until it is whole.
//!
//! Owns what of it may be shown already, and how often. Must not know how a message is edited. Start reading at
//! [`Growing::take`].

use std::time::Duration;

use tokio::time::Instant;

use super::outbox::{DeliveryStyle, Outbox};
use crate::config::Config;
use crate::text::marks::{Behind, OpenMarks};
use crate::text::sentences::sentences_of;
use crate::text::split::Part;

/// Two edits of a message are at least so far apart: Discord takes five in five seconds, of all that is done in a channel.
const BETWEEN: Duration = Duration::from_millis(1_200);

/// Whether written replies are shown as they come where this way leads.
pub(super) fn grows(outbox: &dyn Outbox, config: &Config) -> bool {
    outbox.amends() && config.discord.show_as_written
}

/// What has come of a reply whose message grows.
#[derive(Debug)]
pub(super) struct Growing {
    max_chars: usize,
    words: String,
    /// Not before is it edited again.
    next: Instant,
}

impl Growing {
    /// Where an adapter cuts replies into messages.
    pub(super) fn of(style: DeliveryStyle) -> Option<Self> {
        let DeliveryStyle::Messages { max_chars } = style else { return None };
        Some(Self { max_chars, words: String::new(), next: Instant::now() })
    }

    /// What came so far is not wanted.
    pub(super) fn begin_anew(&mut self) {
        self.words.clear();
    }

    /// Takes words of the reply; gives what is to be shown now, where it is time and there is something.
    pub(super) fn take(&mut self, words: &str) -> Option<String> {
        self.words.push_str(words);
        if words.is_empty() || Instant::now() < self.next {
            return None;
        }
        let shown = self.shown();
        if shown.trim().is_empty() {
            // So much and nothing to show is code: it is not looked through anew with every word.
            if self.words.len() > self.max_chars {
                self.rests();
            }
            return None;
        }
        Some(shown)
    }

    /// It was shown, or could not be.
    pub(super) fn rests(&mut self) {
        self.next = Instant::now() + BETWEEN;
    }

    /// What may be shown now: whole sentences, no code that is not closed or becomes a file, and no more than the first message
    /// will hold.
    fn shown(&self) -> String {
        let begun = sentences_of(&self.words).last().map_or(0, |last| last.len());
        let mut whole = &self.words[..self.words.len() - begun];
        let fences: Vec<usize> = whole.match_indices("```").map(|(at, _)| at).collect();
        let waits = fences.chunks(2).find_map(|fence| match *fence {
            [from, to] => (whole[from..to].chars().count() + "```".len() > self.max_chars).then_some(from),
            _ => fence.first().copied(),
        });
        if let Some(from) = waits {
            whole = &whole[..from];
        }
        let before = &OpenMarks::default();
        let shown = Part { text: whole, before, behind: Behind::Unwritten, stops: &[] };
        shown.messages(self.max_chars).into_iter().next().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_marks_hold_is_shown_so_before_the_end_of_it_has_come() {
        assert_eq!(
            shown("Well: ||The keeper dies. The gull did it. It"),
            "Well: ||The keeper dies. The gull did it.||"
        );
        assert_eq!(shown("The killer was || the gull. It"), "The killer was || the gull.||", "it may be");
        assert_eq!(shown("*She walks. She sits. She"), "*She walks. She sits.*");
        assert_eq!(
            shown("Well: ||The keeper dies.|| It is sad. So"),
            "Well: ||The keeper dies.|| It is sad."
        );
    }

    fn shown(words: &str) -> String {
        let style = DeliveryStyle::Messages { max_chars: 100 };
        Growing { words: words.to_owned(), ..Growing::of(style).unwrap() }.shown()
    }

    #[tokio::test(start_paused = true)]
    async fn it_is_edited_about_once_a_second() {
        let mut growing = Growing::of(DeliveryStyle::Messages { max_chars: 100 }).unwrap();
        assert_eq!(growing.take("The tide is out. "), None);
        assert_eq!(growing.take("The gulls").as_deref(), Some("The tide is out."));
        growing.rests();
        assert_eq!(growing.take(" sit. On"), None);
        tokio::time::advance(BETWEEN).await;
        assert_eq!(growing.take(" the").as_deref(), Some("The tide is out. The gulls sit."));
    }

    #[tokio::test]
    async fn whole_sentences_are_shown_and_no_code_that_is_still_open() {
        assert_eq!(shown("The tide"), "");
        assert_eq!(shown("The tide is out. The"), "The tide is out.");
        assert_eq!(shown("The tide is out. The gulls sit. On the"), "The tide is out. The gulls sit.");
        assert_eq!(shown("Look here.\n```rust\nlet a = 1;\nlet b = 2;\nfn"), "Look here.");
        let file = format!("Look here.\n```\n{}```\nThat is all. And", "let a = 1;\n".repeat(20));
        assert_eq!(shown(&file), "Look here.");
        assert_eq!(shown("See:\n```\na\n```\nThat is all. And"), "See:\n```\na\n```\nThat is all.");
        let long = shown(&"The ferry leaves at nine. ".repeat(20));
        assert!(long.chars().count() <= 100 && long.ends_with("nine."), "{long}");
        assert!(Growing::of(DeliveryStyle::Live).is_none());
    }
}
