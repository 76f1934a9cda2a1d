//! Messages in which somebody says that they want to die, to end their life or to hurt themselves. What follows from that is
//! the settings' business. Start at [`is_distress`].

use std::borrow::Cow;
use std::sync::LazyLock;

use super::cues::own_words;
use super::phrases::{Folded, Phrases};

/// How people say it, and what is a figure of speech or its opposite although it holds the same words.
static DISTRESS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(&["distress", "distress not"]));

/// So much of a message is looked at, in characters.
const LOOKED_AT: usize = 4_000;

/// What stands between two of these is somebody else's words, or what a character in a scene does or says.
const QUOTES: [(char, char); 8] =
    [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('»', '«'), ('「', '」'), ('『', '』'), ('*', '*')];

/// A word or two between stars is only stressed.
const STRESSED_WORDS: usize = 2;

/// So many letters are a word or two where no spaces part them.
const STRESSED_LETTERS: usize = 5;

/// Whether somebody says of themselves that they want to die, to end their life or to hurt themselves. Quoted lines, what
/// stands in quotation marks and what is set as a scene's action are not what they say of themselves. Who only seems to say it
/// is told apart by the model, which reads the whole talk; missed, nobody is.
pub fn is_distress(text: &str) -> bool {
    let own: String = own_words(text).chars().take(LOOKED_AT).collect();
    // All of a message between two stars is set in italics; a scene's action mostly has words beside it.
    let bare = own.trim();
    let is_slanted = bare.starts_with('*') && bare.ends_with('*') && bare.matches('*').count() == 2;
    let own = if is_slanted { bare.replace('*', " ") } else { own };
    let said = without_quotes(&own);
    let found = DISTRESS.find(&Folded::of(&said));
    let of = |section: usize| found.iter().filter(move |one| one.section == section);
    of(0).any(|says| {
        let (start, end) = (says.bytes.start, says.bytes.end);
        !of(1).any(|not| not.bytes.start < end && start < not.bytes.end)
    })
}

fn without_quotes(text: &str) -> Cow<'_, str> {
    let mut left = Cow::Borrowed(text);
    for (open, close) in QUOTES {
        if !left.contains(open) {
            continue;
        }
        let mut kept = String::with_capacity(left.len());
        let mut rest: &str = &left;
        while let Some((before, behind)) = rest.split_once(open) {
            kept.push_str(before);
            match behind.split_once(close) {
                Some((quoted, after)) if !quoted.contains('\n') => {
                    kept.push(' ');
                    if open == '*' && is_stressed(quoted) {
                        kept.push_str(quoted);
                    }
                    kept.push(' ');
                    rest = after;
                }
                _ => {
                    kept.push(' ');
                    rest = behind;
                }
            }
        }
        kept.push_str(rest);
        left = Cow::Owned(kept);
    }
    left
}

fn is_stressed(quoted: &str) -> bool {
    let words = quoted.split_whitespace().count();
    words <= STRESSED_WORDS && (quoted.is_ascii() || words == 2 || quoted.chars().count() <= STRESSED_LETTERS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::phrases::{Languages, language_codes, listed_phrases};

    #[test]
    fn in_every_language_it_is_heard_and_told_from_a_figure_of_speech() {
        for (says, not) in [
            ("honestly I just want to die tonight", "I'm dying of laughter, I want to die laughing"),
            ("Ich will nicht mehr leben.", "ich lach mich tot, das Handy ist gestorben"),
            (
                "j'ai plus la force, j'ai envie de mourir",
                "c'est à mourir de rire, j'ai envie de mourir de rire",
            ),
            ("ya no quiero vivir", "no quiero vivir en Madrid, me muero de hambre"),
            ("eu só quero morrer", "quero morrer de rir com isso"),
            ("non voglio più vivere", "sto morendo dal ridere, non voglio morire"),
            ("ik wil niet meer leven", "ik lach me dood, ik ga dood van de honger"),
            ("nie chcę już żyć", "umieram ze śmiechu, nie chcę umrzeć"),
            ("я не хочу жить", "умираю со смеху, не хочу жить в Москве"),
            ("artık yaşamak istemiyorum", "gülmekten öldüm, burada yaşamak istemiyorum"),
            ("もう死にたい", "死にたくない、笑い死にしそう"),
            ("我不想活了", "笑死我了，我想死你了"),
            ("나 진짜 죽고 싶어", "죽고 싶지 않아, 배고파 죽겠다"),
        ] {
            assert!(is_distress(says), "{says}");
            assert!(!is_distress(not), "{not}");
        }
    }

    #[test]
    fn what_others_say_and_what_a_scene_shows_is_not_said_of_oneself() {
        for not in [
            "> I want to die\nwho wrote that?",
            "she said \"I want to die\" and nobody laughed",
            "*falls to her knees* “I want to die,” *she whispers and ends it all*",
            "my phone wants to die",
            "I don't want to live in a city",
            "that exam killed me",
            "「死にたい」と彼は言った",
            "I would kill for a coffee",
            "*he whispers “I want to die” and falls*",
            "it is 5 kms from here",
            "je veux en finir avec ce livre",
            "我好想死你了",
            "I want to die my hair red",
            "I want to kill myself in the game again",
            "annemle yaşamak istemiyorum",
            "tek başıma yaşamak istemiyorum",
            "не хочу жить одна",
            "я больше не хочу жить здесь",
            "我朋友不想活了",
        ] {
            assert!(!is_distress(not), "{not}");
        }
        for says in [
            "I want to *die*. I mean it",
            "I don’t want to live anymore",
            "been cutting myself again",
            "they'd be better off without me",
            "*sighs* i want to kill myself",
            "I WANT TO DIE",
            "*I want to die.*",
            "honestly i'll kms",
            "I don't see the point of living anymore",
            "je veux en finir",
            "ich will nicht mehr aufwachen",
            "好想死",
            "ben de yaşamak istemiyorum",
        ] {
            assert!(is_distress(says), "{says}");
        }
    }

    #[test]
    fn every_language_has_its_words_for_it() {
        for code in language_codes() {
            for section in ["distress", "distress not"] {
                let of = |(language, _): &(Languages, &str)| language.overlaps(Languages::of(code));
                assert!(listed_phrases(section).any(|one| of(&one)), "{code}: {section}");
            }
        }
    }
}
