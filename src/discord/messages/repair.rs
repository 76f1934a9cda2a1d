//! What is said where somebody repairs a reply.

use crate::session::{Alternatives, Repaired};
use crate::text::defuse::defuse;
use crate::text::short::{one_line, shortened};

/// In the menu of a message; at most 32 characters.
pub(in crate::discord) const REPAIR: &str = "Repair this reply";

pub(in crate::discord) const ANOTHER: &str = "Another answer";
pub(in crate::discord) const EARLIER: &str = "‹";
pub(in crate::discord) const LATER: &str = "›";
pub(in crate::discord) const REWORD: &str = "Edit its words";
pub(in crate::discord) const DELETE: &str = "Delete it";
pub(in crate::discord) const TAKE_BACK: &str = "Take the exchange back";

/// Over the form for its words, and over their field.
pub(in crate::discord) const REWORD_TITLE: &str = "What this reply says";
pub(in crate::discord) const REWORD_LABEL: &str = "Its words";

/// Letters of a reply that are shown over the buttons.
const SHOWN: usize = 120;

/// What became of it, or how the reply stands.
pub(in crate::discord) fn repaired(familiar: &str, repaired: &Repaired) -> String {
    match repaired {
        Repaired::Stands { text, alternatives, refused, .. } => {
            let Alternatives { standing, all } = alternatives;
            let which = if *all > 1 { format!("Answer {standing} of {all}: ") } else { String::new() };
            let words = defuse(&shortened(&one_line(text), SHOWN)).into_owned();
            let refused = match refused {
                Some(why) => format!("\n**Discord did not take all of it**: {}.", plain(why)),
                None => String::new(),
            };
            format!(
                "{which}“{words}”{refused}\n-# What you do here everybody sees, and {familiar} remembers the reply as it then reads."
            )
        }
        Repaired::Gone { left: 0 } => format!("That is gone, and {familiar} remembers nothing of it."),
        Repaired::Gone { left } => {
            let (them, are) = if *left == 1 { ("message", "it") } else { ("messages", "them") };
            format!(
                "The reply is gone. Your own {them} before it I may not take away: delete {are} yourself, and {familiar} forgets {are} too."
            )
        }
        Repaired::NotKnown => format!("That is no written reply that {familiar} remembers."),
        Repaired::NotTheirs => {
            "That reply answers somebody else. Whoever it answers can repair it, and whoever has Manage Channels here.".to_owned()
        }
        Repaired::NoOther => "There is no other answer that way.".to_owned(),
        Repaired::Busy => format!("{familiar} is answering something just now. Press again in a moment."),
        Repaired::TooMuch => "That is more than I can answer at once. Give me a minute.".to_owned(),
        Repaired::NoAnswer(why) => {
            let why = why.clone().map(|why| format!(" {}", super::notice(why))).unwrap_or_default();
            format!("No other answer came; the one that stands is as it was.{why}")
        }
        Repaired::Unchanged(why) => format!("Nothing was changed: {}.", plain(why)),
    }
}

fn plain(why: &str) -> String {
    defuse(&shortened(&one_line(why), 200)).into_owned()
}

/// A form has room for so many letters.
pub(in crate::discord) fn too_long_to_reword(most: usize) -> String {
    format!("That reply is longer than the {most} characters that a form of Discord's holds.")
}
