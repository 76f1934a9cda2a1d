//! Signs of feeling in what is said or done to the familiar (A9): deterministic, small, and few.
//!
//! Owns the phrases and what each sign does to mood and warmth. Must not know where feelings are kept. Start reading
//! at [`signs`].

use crate::domain::Feeling;
use crate::text::cues::Cues;

/// Something that moves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoodSign {
    Thanks,
    /// It was praised or told it is liked.
    Praise,
    Insult,
    Apology,
    /// Somebody laughs or plays.
    Play,
    Sadness,
    /// Somebody is back after more than a week.
    Return,
}

impl MoodSign {
    /// What it does to the mood.
    pub fn on_mood(self) -> Feeling {
        let (valence, arousal) = match self {
            Self::Thanks => (0.07, 0.02),
            Self::Praise => (0.12, 0.10),
            Self::Insult => (-0.24, 0.16),
            Self::Apology => (0.08, -0.06),
            Self::Play => (0.06, 0.10),
            Self::Sadness => (-0.08, -0.10),
            Self::Return => (0.12, 0.10),
        };
        Feeling { valence, arousal }
    }

    /// What it does to the warmth for whoever gave it.
    pub fn on_warmth(self) -> f64 {
        match self {
            Self::Thanks => 0.03,
            Self::Praise => 0.06,
            Self::Insult => -0.15,
            Self::Apology => 0.08,
            Self::Play => 0.015,
            Self::Sadness => 0.02,
            Self::Return => 0.03,
        }
    }
}

const PHRASES: &[(MoodSign, &[&str])] = &[
    (
        MoodSign::Thanks,
        &[
            "thanks",
            "thank you",
            "thx",
            "ty",
            "tysm",
            "thank u",
            "much appreciated",
            "danke",
            "dankeschön",
            "vielen dank",
            "merci",
            "gracias",
            "arigato",
        ],
    ),
    (
        MoodSign::Praise,
        &[
            "good bot",
            "well done",
            "good job",
            "nice job",
            "youre great",
            "youre the best",
            "you are the best",
            "youre amazing",
            "you are amazing",
            "youre awesome",
            "you are awesome",
            "youre so sweet",
            "youre funny",
            "i love you",
            "love you",
            "i like you",
            "you rock",
            "great answer",
            "gut gemacht",
            "du bist toll",
            "du bist super",
            "du bist die beste",
            "du bist der beste",
            "ich mag dich",
            "hab dich lieb",
            "ich liebe dich",
        ],
    ),
    (
        MoodSign::Insult,
        &[
            "bad bot",
            "stupid bot",
            "dumb bot",
            "useless bot",
            "youre stupid",
            "you are stupid",
            "youre dumb",
            "you are dumb",
            "youre useless",
            "you are useless",
            "youre annoying",
            "you are annoying",
            "you suck",
            "shut up",
            "i hate you",
            "hate you",
            "fuck you",
            "fuck off",
            "nobody likes you",
            "du bist dumm",
            "du bist doof",
            "du nervst",
            "du bist blöd",
            "halt die klappe",
            "halts maul",
            "ich hasse dich",
            "verpiss dich",
        ],
    ),
    (
        MoodSign::Apology,
        &[
            "im sorry",
            "i am sorry",
            "sorry about",
            "sorry for",
            "my apologies",
            "i apologize",
            "i apologise",
            "forgive me",
            "tut mir leid",
            "entschuldige",
            "verzeih mir",
        ],
    ),
    (
        MoodSign::Play,
        &[
            "haha",
            "hahaha",
            "hehe",
            "lol",
            "lmao",
            "rofl",
            "xd",
            "just kidding",
            "jk",
            "hihi",
            "tease",
            "boop",
        ],
    ),
    (
        MoodSign::Sadness,
        &[
            "im sad",
            "i am sad",
            "im so sad",
            "im feeling down",
            "i feel down",
            "im lonely",
            "i feel lonely",
            "i had a bad day",
            "had a terrible day",
            "im depressed",
            "i want to cry",
            "im crying",
            "ich bin traurig",
            "mir gehts schlecht",
            "mir geht es schlecht",
            "ich bin einsam",
        ],
    ),
];

const LAUGHS: [char; 8] = ['😂', '🤣', '😄', '😆', '😜', '😹', '😛', '🤪'];
const HEARTS: [char; 9] = ['❤', '💕', '💖', '💜', '💙', '🥰', '😍', '🫶', '🤗'];
const DISLIKES: [char; 5] = ['👎', '🖕', '😡', '🤬', '🤮'];

/// The signs in words that were meant for the familiar, each at most once.
pub fn signs(text: &str) -> Vec<MoodSign> {
    let cues = Cues::of(text);
    let mut found: Vec<MoodSign> =
        PHRASES.iter().filter(|(_, phrases)| cues.any(phrases)).map(|(sign, _)| *sign).collect();
    if text.contains(LAUGHS) && !found.contains(&MoodSign::Play) {
        found.push(MoodSign::Play);
    }
    if text.contains(HEARTS) && !found.contains(&MoodSign::Praise) {
        found.push(MoodSign::Praise);
    }
    found
}

/// What a reaction to one of the familiar's messages is a sign of.
pub fn reaction_sign(emoji: &str) -> Option<MoodSign> {
    let has = |set: &[char]| emoji.contains(set);
    if has(&HEARTS) || has(&['👏', '🙌', '⭐', '🔥', '💯', '👍']) {
        Some(MoodSign::Thanks)
    } else if has(&LAUGHS) {
        Some(MoodSign::Play)
    } else if has(&DISLIKES) {
        Some(MoodSign::Insult)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a9_signs_are_read_from_turns_of_phrase() {
        for (said, sign) in [
            ("Thanks, Mika!", MoodSign::Thanks),
            ("danke dir", MoodSign::Thanks),
            ("good bot", MoodSign::Praise),
            ("here ❤️", MoodSign::Praise),
            ("you're stupid", MoodSign::Insult),
            ("halt die Klappe", MoodSign::Insult),
            ("I'm sorry", MoodSign::Apology),
            ("lol", MoodSign::Play),
            ("no way 😂", MoodSign::Play),
            ("i'm so sad today", MoodSign::Sadness),
        ] {
            assert_eq!(signs(said), [sign], "{said}");
        }
    }

    #[test]
    fn a9_ordinary_words_move_nothing() {
        for said in [
            "what time is it?",
            "the ferry leaves at nine",
            "you are not stupid",
            "Thanksgiving is in November",
            "tell me about boats",
            "> shut up",
            "he said the bot was useless",
            "the type is wrong",
        ] {
            assert_eq!(signs(said), [], "{said}");
        }
        assert_eq!(reaction_sign("🦀"), None);
        assert_eq!(reaction_sign("👍"), Some(MoodSign::Thanks));
        assert_eq!(reaction_sign("👎"), Some(MoodSign::Insult));
    }
}
