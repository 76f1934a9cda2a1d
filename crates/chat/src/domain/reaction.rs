//! What an emoji under somebody's message says to them.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{AccountId, InvalidId, MessageId};

/// What a reaction says, where it plainly says something (G3, M17).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase", parse_err_ty = InvalidId, parse_err_fn = no_stance)]
pub enum Stance {
    /// Is of their opinion.
    Agrees,
    /// Is fond of them, or of what they did.
    Likes,
    Thanks,
    Against,
}

/// Emojis that say one thing everywhere; what can be meant in two ways is not among them.
const SAYS: [(Stance, &[char]); 4] = [
    (Stance::Agrees, &['👍', '👏', '🙌', '💯', '✅', '👌', '🤝']),
    (Stance::Likes, &['❤', '💕', '💖', '💜', '💙', '💚', '💛', '🧡', '🥰', '😍', '🫶', '🤗']),
    (Stance::Thanks, &['🙏']),
    (Stance::Against, &['👎', '🖕', '😡', '🤬', '🤮']),
];

impl Stance {
    pub const ALL: [Self; 4] = [Self::Agrees, Self::Likes, Self::Thanks, Self::Against];

    /// What an emoji says; `None` for most.
    pub fn of_emoji(emoji: &str) -> Option<Self> {
        let first = emoji.chars().next()?;
        SAYS.iter().find(|(_, emojis)| emojis.contains(&first)).map(|(stance, _)| *stance)
    }

    /// Its name in stores.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

fn no_stance(value: &str) -> InvalidId {
    let reason = "it is not agrees, likes, thanks or against";
    InvalidId { kind: "stance", value: value.to_owned(), reason }
}

/// Whether a reaction was put there or taken away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stands {
    /// It stands there from now on.
    Put,
    /// It does no longer.
    TakenAway,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reaction {
    pub message: MessageId,
    pub by: AccountId,
    /// The emoji; a custom one as `:name:`.
    pub emoji: String,
    /// Put there, or taken away.
    pub stands: Stands,
    pub at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g3_a_reaction_says_something_where_it_can_hardly_mean_anything_else() {
        for (emoji, stance) in [
            ("👍", Some(Stance::Agrees)),
            ("👍🏽", Some(Stance::Agrees)),
            ("❤️", Some(Stance::Likes)),
            ("🙏", Some(Stance::Thanks)),
            ("👎", Some(Stance::Against)),
            ("😂", None),
            ("👀", None),
            (":heart:", None),
            ("", None),
        ] {
            assert_eq!(Stance::of_emoji(emoji), stance, "{emoji}");
        }
        for stance in Stance::ALL {
            assert_eq!(stance.to_string().parse::<Stance>().ok(), Some(stance));
        }
        assert!("love".parse::<Stance>().is_err());
    }
}
