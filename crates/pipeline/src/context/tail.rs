//! The volatile tail: one message behind the chat with what is true for this turn only (A19, A21 to
//! A25; memory 3.3).
//!
//! It is spoken in the user's role and opens with our own marker, which no message of a person can carry. What was
//! looked up stands in it as quotations. Start reading at [`Tail`].

use jiff::tz::TimeZone;

use super::chunk::{Chunk, SEPARATOR_TOKENS};
use super::contribution::{Contribution, Placement, Quoted, TailPart};
use super::quote;
use crate::domain::{LAYER_MARKER, SAFETY_LABEL};

/// What the whole message is called.
const HEADING: &str = "For this reply; nobody said this just now";

/// What the message itself takes besides its pieces, in tokens, at most: its heading and its role.
pub(super) const FRAME_TOKENS: u32 = 32;

/// What is called so that has no place of its own: held text that was offered for a place where instructions stand.
const STRAY: &str = "Also known";

/// What a part is called.
fn part_label(part: TailPart) -> &'static str {
    match part {
        TailPart::Lore => "The world",
        TailPart::People => "People",
        TailPart::Recalled => "Said before",
        TailPart::Peripheral => "Also said before",
        TailPart::Meanwhile => "Meanwhile",
        TailPart::Awareness => "Since you last spoke here",
        TailPart::Lessons => "Asked of you",
        TailPart::Mood => "Your mood",
        TailPart::Facts => "Facts",
        TailPart::Now => "Now",
        TailPart::Status => "Room",
        TailPart::Thoughts => "Your thoughts",
        TailPart::Skill => "How to do it",
        TailPart::Partner => "Settled here",
        TailPart::House => "Also",
        TailPart::Format => "Format",
        TailPart::Safety => SAFETY_LABEL,
    }
}

/// The tail as it is written.
#[derive(Debug)]
pub(super) struct Tail<'a> {
    display_tz: &'a TimeZone,
    text: String,
    /// The part that is open.
    open: Option<&'static str>,
    /// Where and when the piece before was said, as far as it is told.
    told: Option<Quoted>,
}

impl<'a> Tail<'a> {
    pub(super) fn new(display_tz: &'a TimeZone) -> Self {
        Self { display_tz, text: String::new(), open: None, told: None }
    }

    /// Adds a piece; pieces of one part come one after the other.
    pub(super) fn push(&mut self, chunk: &Chunk) {
        let name = placement_label(&chunk.placement);
        // "Now: Sunday" needs no other "Now:" before it.
        let said_itself = chunk.text.trim().strip_prefix(name).and_then(|rest| rest.strip_prefix(':'));
        let text = said_itself.unwrap_or(&chunk.text).trim();
        let place_and_day = chunk.quoted.as_ref().map(|of| Quoted { author: None, ..of.clone() });
        let is_told = self.open == Some(name)
            && place_and_day.as_ref().zip(self.told.as_ref()).is_some_and(|(now, before)| {
                quote::attribution(now, self.display_tz) == quote::attribution(before, self.display_tz)
            });
        // A conversation reads on: of a line said in the same place on the same day only who said it is told.
        let quoted = chunk.quoted.as_ref().map(|of| match &of.author {
            Some(_) if is_told => Quoted { place: None, at: None, ..of.clone() },
            _ => of.clone(),
        });
        // The program's and the operator's words stand as they are, everybody else's quoted.
        let written = if chunk.trust.may_instruct() {
            text.to_owned()
        } else {
            quote::as_quotation(text, quoted.as_ref(), self.display_tz)
        };
        if written.is_empty() {
            return;
        }
        self.told = place_and_day;
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        if self.open == Some(name) {
            self.text.push_str(&written);
            return;
        }
        self.open = Some(name);
        let is_one_line = !written.contains('\n') && chunk.trust.may_instruct();
        self.text.push_str(name);
        self.text.push_str(if is_one_line { ": " } else { ":\n" });
        self.text.push_str(&written);
    }

    /// The message's words; `None` where there is nothing to say.
    pub(super) fn finish(self) -> Option<String> {
        (!self.text.is_empty()).then(|| format!("{LAYER_MARKER} {HEADING}⟧\n{}", self.text))
    }
}

/// One piece of the tail alone, for layouts that have no tail message.
pub(super) fn alone(chunk: &Chunk, display_tz: &TimeZone) -> String {
    let mut tail = Tail::new(display_tz);
    tail.push(chunk);
    tail.text
}

/// The tokens the tail adds to a piece, at most; its frame is counted once, see [`FRAME_TOKENS`].
pub(super) fn tail_dressing(of: &Contribution, count: &mut dyn FnMut(&str) -> u32) -> u32 {
    let name = count(placement_label(&of.placement)) + 3 * SEPARATOR_TOKENS;
    let quote = if of.trust.may_instruct() { 0 } else { quote::quote_dressing(of, count) };
    name.saturating_add(quote)
}

fn placement_label(placement: &Placement) -> &'static str {
    match placement {
        Placement::Tail(part) => part_label(*part),
        Placement::Summary(_) => "Said here before, in short",
        _ => STRAY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::ingest::ingest;
    use crate::domain::{Audience, RenderMode, TokenEncoding};
    use crate::llm::ModelDescription;

    #[test]
    fn a19_place_and_day_of_lines_said_one_after_the_other_are_told_once() {
        let line = |author: Option<&str>, place: &str, day: &str, words: &str| {
            let at = format!("2026-05-{day}T12:00:00Z").parse().ok();
            let author = author.map(str::to_owned);
            Contribution {
                quoted: Some(Quoted { author, place: Some(place.to_owned()), at }),
                ..Contribution::looked_up(words, TailPart::Recalled, Audience::Canon, words)
            }
        };
        let model = ModelDescription::plain("m", 8_000, TokenEncoding::CharsOver4);
        let lines = vec![
            line(Some("Ana"), "quay", "03", "The ferry is late."),
            line(Some("Ben"), "quay", "03", "By how much?"),
            line(Some("Ben"), "quay", "04", "It came at last."),
            line(Some("Ben"), "deck", "04", "All aboard."),
            line(None, "deck", "04", "Nobody said this."),
        ];
        let utc = TimeZone::UTC;
        let mut tail = Tail::new(&utc);
        for chunk in &ingest(lines, &model, RenderMode::Layered).chunks {
            tail.push(chunk);
        }
        assert_eq!(
            tail.text,
            "Said before:\n> Ana, quay, 3 May 2026: The ferry is late.\n> Ben: By how much?\n\
             > Ben, quay, 4 May 2026: It came at last.\n> Ben, deck, 4 May 2026: All aboard.\n\
             > deck, 4 May 2026: Nobody said this."
        );
    }
}
