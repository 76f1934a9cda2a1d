//! What can be seen of a message without knowing its language.

use crate::text::clock_time::clock_times;
use crate::text::dice::read_dice;
use crate::text::phrases::{Folded, Phrases, asks};
use std::sync::LazyLock;

/// A sign of what a message is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineSign {
    /// Dice as players write them: 2d6, d20, w20.
    Dice,
    /// A time of day: 18:00, 9am, 20h.
    Clock,
    Number,
    Emoji,
    /// An address on the web.
    Url,
    Question,
    /// It asks for something to be done.
    Request,
    /// It begins with somebody's name who is called.
    Mention,
}

impl LineSign {
    /// All of them as files of phrases and kept shapes call them.
    pub(super) const ALL: [(Self, &str); 8] = [
        (Self::Dice, "dice"),
        (Self::Clock, "clock"),
        (Self::Number, "number"),
        (Self::Emoji, "emoji"),
        (Self::Url, "url"),
        (Self::Question, "question"),
        (Self::Request, "request"),
        (Self::Mention, "mention"),
    ];

    /// The one that a phrase stands for, such as `<clock>`.
    pub(super) fn of_phrase(phrase: &str) -> Option<Self> {
        let name = phrase.strip_prefix('<')?.strip_suffix('>')?;
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(sign, _)| *sign)
    }

    fn is_in(self, text: &str, folded: &Folded) -> bool {
        // What is asked for stands anywhere, a plain imperative at the beginning.
        static REQUESTS: LazyLock<Phrases> =
            LazyLock::new(|| Phrases::of(&["task", "imperative", "request"]));
        match self {
            Self::Dice => bare_words(text).any(|word| read_dice(word).is_some()),
            Self::Clock => {
                clock_times(text).iter().any(|one| one.is_sure && !is_in_address(text, one.bytes.start))
            }
            Self::Number => bare_words(text).any(|word| word.chars().any(|letter| letter.is_ascii_digit())),
            Self::Emoji => text.chars().any(is_sign),
            Self::Url => text.contains("http://") || text.contains("https://"),
            Self::Question => asks(text),
            Self::Request => REQUESTS.find(folded).iter().any(|one| one.section == 0 || one.at <= 1),
            Self::Mention => text.trim_start().starts_with('@'),
        }
    }
}

/// The signs of a text, in their fixed order.
pub(super) fn signs_of(text: &str, folded: &Folded) -> Vec<LineSign> {
    LineSign::ALL.iter().map(|(sign, _)| *sign).filter(|sign| sign.is_in(text, folded)).collect()
}

/// What stands between spaces and marks, addresses left out.
fn bare_words(text: &str) -> impl Iterator<Item = &str> {
    let parted = |letter: char| letter.is_whitespace() || ",;()!?、。".contains(letter);
    text.split(parted).filter(|word| !word.starts_with("http"))
}

/// Whether a place in a text is within an address.
fn is_in_address(text: &str, at: usize) -> bool {
    text[..at].rsplit(char::is_whitespace).next().is_some_and(|word| word.contains("http"))
}

fn is_sign(letter: char) -> bool {
    matches!(letter, '\u{1f300}'..='\u{1faff}' | '\u{2600}'..='\u{27bf}' | '\u{2b50}' | '\u{2b55}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dice_and_hours_are_told_from_other_figures() {
        let is_shown = |text: &str, sign: LineSign| signs_of(text, &Folded::of(text)).contains(&sign);
        for dice in ["roll 2d6+1", "(d20, -1)", "W20 bitte", "кинь д20", "2d6お願い"] {
            assert!(is_shown(dice, LineSign::Dice), "{dice}");
        }
        for none in ["dad", "d", "w6s", "3d printer", "at 18:00"] {
            assert!(!is_shown(none, LineSign::Dice), "{none}");
        }
        for clock in ["at 18:00", "9am?", "a las 20h", "um 7 Uhr", "7uhr", "9:30pm", "7時に", "下午7点见"]
        {
            assert!(is_shown(clock, LineSign::Clock), "{clock}");
        }
        for none in ["99:99", "2 days", "3 hours", "17%", "1d6", "see https://a.b/18:00"] {
            assert!(!is_shown(none, LineSign::Clock), "{none}");
        }
        assert!(is_shown("🎉", LineSign::Emoji) && is_shown("see https://a.b", LineSign::Url));
        assert!(is_shown("@lea look", LineSign::Mention) && !is_shown("look @lea", LineSign::Mention));
    }
}
