//! What asks, and whom it turns to: the words for that in every language there is data for (`text/phrases`).
//!
//! Owns how a class of words is looked for in what was said. Must not know who is in the call. Start reading at [`asks`].

use std::collections::HashSet;
use std::sync::LazyLock;

use super::words::{PhraseList, transcript_words};
use familiar_chat::text::names::is_unspaced;
use familiar_chat::text::phrases::listed_phrases;
use familiar_chat::text::punctuation::ends_as_question;

/// Words of one kind. Those of scripts without spaces are found within what stands between two marks.
#[derive(Debug)]
pub(crate) struct Class {
    words: HashSet<&'static str>,
    phrases: PhraseList,
    pieces: Vec<&'static str>,
}

impl Class {
    fn of(kind: &'static str) -> Self {
        let (pieces, spaced): (Vec<_>, Vec<_>) =
            listed_phrases(kind).map(|(_, words)| words).partition(|word| word.chars().all(is_unspaced));
        let (phrases, words): (Vec<_>, Vec<_>) = spaced.into_iter().partition(|word| word.contains(' '));
        Self { words: words.into_iter().collect(), phrases: PhraseList::of(phrases.into_iter()), pieces }
    }

    /// Whether this word is one of them.
    pub(crate) fn is(&self, word: Option<&String>) -> bool {
        self.stands(word, |word, piece| word == piece)
    }

    /// Whether what was said begins with one of them.
    pub(crate) fn begins(&self, said: &[String]) -> bool {
        self.stands(said.first(), str::starts_with) || self.phrases.at_start(said).is_some()
    }

    /// Whether one of them stands first, as a word of its own in every script.
    pub(crate) fn is_first(&self, said: &[String]) -> bool {
        self.is(said.first()) || self.phrases.at_start(said).is_some()
    }

    /// Whether it ends with one of them.
    pub(crate) fn ends(&self, said: &[String]) -> bool {
        self.stands(said.last(), str::ends_with) || self.phrases.at_end(said).is_some()
    }

    /// Whether one of them stands last, as a word of its own in every script; then, what stands before it.
    pub(crate) fn before_last<'s>(&self, said: &'s [String]) -> Option<&'s [String]> {
        let length = self.phrases.at_end(said).or_else(|| self.is(said.last()).then_some(1))?;
        said.get(..said.len() - length)
    }

    /// Whether one of them stands in it.
    pub(crate) fn is_in(&self, said: &[String]) -> bool {
        (0..said.len()).any(|at| {
            let rest = said.get(at..).unwrap_or_default();
            self.stands(rest.first(), str::contains) || self.phrases.at_start(rest).is_some()
        })
    }

    /// Whether a word in a script without spaces has one of them at its end.
    pub(crate) fn is_at_the_end_of(&self, word: &str) -> bool {
        self.pieces.iter().any(|piece| word.len() > piece.len() && word.ends_with(piece))
    }

    fn stands(&self, word: Option<&String>, how: impl Fn(&str, &'static str) -> bool) -> bool {
        word.is_some_and(|word| {
            self.words.contains(word.as_str()) || self.pieces.iter().any(|piece| how(word, piece))
        })
    }
}

/// The classes; `text/phrases/en.txt` says what each of them is.
#[derive(Debug)]
pub(crate) struct TalkClasses {
    pub asked: Class,
    leads: Class,
    asking: Class,
    asked_at: Class,
    leading: Class,
    pub going_on: Class,
    pub you: Class,
    pub turned: Class,
    pub joining: Class,
    pub stop: Class,
    pub request: Class,
    pub greeting: Class,
    pub called: Class,
    pub suffix: Class,
    pub all: Class,
    pub anybody: Class,
    pub about: Class,
    pub telling: Class,
    pub being: Class,
    pub this: Class,
    pub parting: Class,
}

pub(crate) static TALK: LazyLock<TalkClasses> = LazyLock::new(|| TalkClasses {
    asked: Class::of("asked"),
    leads: Class::of("leads"),
    asking: Class::of("asking"),
    asked_at: Class::of("asked_at"),
    leading: Class::of("leading"),
    going_on: Class::of("going_on"),
    you: Class::of("you"),
    turned: Class::of("turned"),
    joining: Class::of("and asked"),
    stop: Class::of("stop"),
    request: Class::of("request"),
    greeting: Class::of("hail"),
    called: Class::of("called"),
    suffix: Class::of("suffix"),
    all: Class::of("everybody"),
    anybody: Class::of("anybody"),
    about: Class::of("about"),
    telling: Class::of("telling"),
    being: Class::of("being"),
    this: Class::of("this"),
    parting: Class::of("parting"),
});

impl TalkClasses {
    /// What is left behind words that may stand in front of anything.
    pub(crate) fn behind_leading<'s>(&self, said: &'s [String]) -> &'s [String] {
        let from = said.iter().position(|word| !self.opens(word));
        said.get(from.unwrap_or(said.len())..).unwrap_or_default()
    }

    /// Whether this word may stand in front of anything.
    pub(crate) fn opens(&self, word: &String) -> bool {
        self.leading.is(Some(word))
    }

    /// Whether this word is one of those that ask, lead up or turn to somebody.
    pub(crate) fn knows(&self, word: &String) -> bool {
        [
            &self.asked,
            &self.leads,
            &self.asking,
            &self.leading,
            &self.going_on,
            &self.you,
            &self.turned,
            &self.request,
            &self.greeting,
            &self.all,
            &self.anybody,
            &self.about,
            &self.being,
            &self.this,
        ]
        .into_iter()
        .any(|class| class.is(Some(word)))
    }
}

/// Whether it is a question: by its mark, by how a part of it begins, or by a word or an ending that only questions have.
pub fn asks(text: &str) -> bool {
    let said = transcript_words(text);
    let begins = |part: &str| {
        let part = transcript_words(part);
        let part = TALK.behind_leading(&part);
        TALK.asked.begins(part) || TALK.leads.begins(part)
    };
    ends_as_question(text)
        || text.contains('¿')
        || TALK.asking.is_in(&said)
        || TALK.asked_at.ends(&said)
        || (said.len() >= 3 && text.split([',', ';', '.', '!']).any(begins))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_known_in_thirteen_languages_without_their_mark() {
        for text in [
            "and what is that for",
            "und wie lange dauert das",
            "ça coûte combien",
            "y eso cuánto vale",
            "e quantos vão caber",
            "allora dove si trova",
            "en hoe werkt dat dan",
            "a ile to kosztuje",
            "а сколько это стоит",
            "peki bu kaç lira",
            "それはいくらですか",
            "这个要多少钱",
            "그건 얼마예요",
            "sure, what was it called",
        ] {
            assert!(asks(text), "{text}");
        }
        for text in [
            "I like it a lot",
            "das gefällt mir sehr",
            "je viens de la ville",
            "no me gusta nada",
            "eu gosto muito disso",
            "mi piace davvero tanto",
            "dat vind ik mooi",
            "lubię to bardzo",
            "мне это нравится",
            "bunu çok seviyorum",
            "それが好きです",
            "我很喜欢这个",
            "나는 그게 좋아요",
        ] {
            assert!(!asks(text), "{text}");
        }
    }
}
