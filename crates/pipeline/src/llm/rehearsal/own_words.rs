//! The rehearsal's own sentences, and in which language they are said. Start at [`OwnWords`].

use super::heard::SaidLine;
use crate::text::addresses::without_addresses;
use crate::text::cues::Cues;
use crate::text::phrases::{Folded, Languages, line_for, listed_phrases};

/// So many of somebody's newest messages tell their language.
const TELL_LANGUAGE: usize = 5;

/// The rehearsal's own sentences, in the language of whoever it answers.
#[derive(Debug, Clone, Copy)]
pub(super) struct OwnWords(pub(super) Languages);

impl OwnWords {
    /// In the language of the newest message that tells any; where that leaves several, in the one of them that what they said
    /// before tells, the latest first.
    pub(super) fn of(heard: &[SaidLine]) -> Self {
        let Some(last) = heard.last() else { return Self(Languages::default()) };
        let theirs = heard.iter().rev().filter(|said| said.who == last.who).take(TELL_LANGUAGE);
        let each = theirs.map(|said| language_of(&said.words)).filter(|told| !told.is_empty());
        Self(told_languages(each.reduce(Languages::narrowed).unwrap_or_default()))
    }

    /// In the language of the phrase of a section that was said, where one was.
    pub(super) fn as_in(self, section: &str, said: &str) -> Self {
        let told = said_in(section, said);
        if told.is_empty() { self } else { Self(told.narrowed(self.0)) }
    }

    /// The same of several sections; the last in which one was said decides.
    pub(super) fn as_in_any(self, sections: &[&str], said: &str) -> Self {
        sections.iter().fold(self, |own, section| own.as_in(section, said))
    }

    /// A sentence with what it quotes, or whom it names.
    pub(super) fn say(self, section: &str, quoted: &str) -> String {
        line_for(section, self.0).replacen('_', quoted, usize::from(!quoted.is_empty()))
    }
}

/// The languages it may be said in. In a short sentence a turn of phrase tells more than a word that is an everyday one
/// elsewhere: "sei still". In an address of the web "com" is no Portuguese.
fn language_of(said: &str) -> Languages {
    let said = &without_addresses(said);
    let told = ["rehearsal: name", "quiet asked"].map(|section| said_in(section, said));
    let told = told.into_iter().find(|languages| !languages.is_empty());
    told.unwrap_or_else(|| Folded::of(said).languages().narrowed(said_in("greeting", said)))
}

/// The languages that have the longest phrase of a section in what was said. A single word counts in a text of its language.
pub(super) fn said_in(section: &str, said: &str) -> Languages {
    let (cues, own) = (Cues::of(said), Folded::of(said).languages());
    let listed = listed_phrases(section).map(|(of, phrase)| (of, Cues::of(phrase)));
    let found: Vec<(Languages, Cues)> = listed
        .filter(|(of, phrase)| cues.has(phrase.text()) && (phrase.words() > 1 || own.overlaps(*of)))
        .collect();
    let longest = found.iter().map(|(_, phrase)| phrase.text()).max_by_key(|phrase| phrase.len());
    let same = found.iter().filter(|(_, phrase)| Some(phrase.text()) == longest);
    same.fold(Languages::default(), |all, (of, _)| all.with(*of))
}

/// Of the languages that something may be in, those that it is told by. Ideographs without a single kana among them are Chinese.
pub(super) fn told_languages(likely: Languages) -> Languages {
    let chinese = Languages::of("zh");
    if likely.overlaps(chinese) { chinese } else { likely }
}
