//! How somebody speaks to somebody else, read from turns of phrase: thanks, agreement, affection, quarrel (specs
//! mechanisms G3). Few and plain: what is not sure is nothing.
//!
//! Owns the phrases. Must not know to whom something is said. Start reading at [`Stance::of`].

use serde::{Deserialize, Serialize};

use crate::text::cues::Cues;

/// Longer messages tell something; a phrase in them is rarely meant for somebody.
const WORDS_MAX: usize = 40;

/// How a message stands to whoever it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub(super) struct Stance {
    /// It says thanks.
    #[serde(default, skip_serializing_if = "is_not")]
    pub thanks: bool,
    /// It agrees.
    #[serde(default, skip_serializing_if = "is_not")]
    pub agrees: bool,
    /// It is fond of them.
    #[serde(default, skip_serializing_if = "is_not")]
    pub likes: bool,
    /// It is hard on them.
    #[serde(default, skip_serializing_if = "is_not")]
    pub quarrels: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_not(flag: &bool) -> bool {
    !flag
}

const THANKS: &[&str] = &[
    "thanks",
    "thank you",
    "thx",
    "ty",
    "tysm",
    "thank u",
    "cheers mate",
    "much appreciated",
    "danke",
    "dankeschön",
    "vielen dank",
    "merci",
    "gracias",
    "that helped",
    "you saved me",
    "lifesaver",
];

/// Thanks that are none.
const NO_THANKS: &[&str] =
    &["no thanks", "no thank you", "thanks for nothing", "nein danke", "thanks but no"];

const AGREES: &[&str] = &[
    "i agree",
    "agreed",
    "exactly",
    "youre right",
    "you are right",
    "so true",
    "totally",
    "good point",
    "same here",
    "my thoughts too",
    "absolutely",
    "couldnt agree more",
    "ich stimme dir zu",
    "stimmt",
    "genau",
    "du hast recht",
    "sehe ich auch so",
];

const NO_AGREES: &[&str] = &[
    "not exactly",
    "i dont agree",
    "not agreed",
    "do not agree",
    "dont totally",
    "not totally",
    "stimmt nicht",
    "nicht genau",
    "youre right about nothing",
    "not sure youre right",
];

const LIKES: &[&str] = &[
    "love you",
    "i love you",
    "miss you",
    "i missed you",
    "hugs",
    "youre the best",
    "you are the best",
    "youre awesome",
    "you are awesome",
    "so proud of you",
    "glad youre here",
    "my best friend",
    "bestie",
    "hab dich lieb",
    "ich liebe dich",
    "du bist der beste",
    "du bist die beste",
    "ich vermisse dich",
    "drück dich",
];

const QUARRELS: &[&str] = &[
    "shut up",
    "you idiot",
    "youre an idiot",
    "you are an idiot",
    "youre wrong",
    "you are wrong",
    "you lied",
    "youre a liar",
    "stop lying",
    "i hate you",
    "hate you",
    "fuck you",
    "fuck off",
    "screw you",
    "get lost",
    "leave me alone",
    "you never listen",
    "thats your fault",
    "how dare you",
    "youre annoying",
    "youre so rude",
    "halt die klappe",
    "halts maul",
    "du idiot",
    "du lügst",
    "ich hasse dich",
    "verpiss dich",
    "lass mich in ruhe",
    "du hast unrecht",
    "du nervst",
];

/// What takes a hard word back.
const PLAYS: &[&str] = &["lol", "haha", "hahaha", "jk", "just kidding", "kidding", "xd", "nur spaß", "hihi"];

const HEARTS: [char; 8] = ['❤', '💕', '💖', '💜', '💙', '🥰', '😍', '🫶'];

impl Stance {
    /// Reads a message. Quoted lines and code are not what the person says.
    pub(super) fn of(text: &str) -> Self {
        let cues = Cues::of(text);
        if cues.words() > WORDS_MAX {
            return Self::default();
        }
        let plays = cues.any(PLAYS) || text.contains(['😂', '🤣', '😜']);
        Self {
            thanks: cues.any(THANKS) && !cues.any(NO_THANKS),
            agrees: cues.any(AGREES) && !cues.any(NO_AGREES),
            likes: cues.any(LIKES) || text.contains(HEARTS),
            quarrels: cues.any(QUARRELS) && !plays && !cues.has("not that youre wrong"),
        }
    }

    pub(super) fn is_none(self) -> bool {
        self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g3_stances_are_read_from_turns_of_phrase() {
        let stance = |text: &str| Stance::of(text);
        for said in ["Thanks, Ben!", "danke dir", "oh wow, that helped"] {
            assert!(stance(said).thanks, "{said}");
        }
        for said in ["no thanks", "Thanks for nothing."] {
            assert!(!stance(said).thanks, "{said}");
        }
        assert!(stance("Exactly! Couldn't agree more.").agrees && !stance("not exactly").agrees);
        assert!(stance("miss you").likes && stance("❤️").likes);
        assert!(stance("You're wrong and you know it.").quarrels);
        assert!(!stance("shut up lol").quarrels, "play is no quarrel");
        assert!(stance("> shut up\nthat is what he said to her").is_none(), "a quotation is somebody else's");
        assert!(stance("The ferry leaves at nine.").is_none());
    }
}
