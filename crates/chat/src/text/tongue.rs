//! The languages that the program itself speaks to people.
//!
//! Owns which they are and how one is told from what somebody writes. The words stand with whoever says them. Start reading at
//! [`Tongue`].

use schemars::JsonSchema;
use serde::Deserialize;

use super::phrases::{Folded, Languages};

/// Fewer words than this tell no language, where they are set apart by spaces.
const TELLING_WORDS: usize = 3;

/// A language that the program speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Deserialize, JsonSchema)]
pub enum Tongue {
    /// English
    #[default]
    #[serde(rename = "en")]
    English,
    /// German
    #[serde(rename = "de")]
    German,
    /// Spanish
    #[serde(rename = "es")]
    Spanish,
    /// French
    #[serde(rename = "fr")]
    French,
    /// Japanese
    #[serde(rename = "ja")]
    Japanese,
    /// Portuguese
    #[serde(rename = "pt")]
    Portuguese,
}

impl Tongue {
    /// English first: what is not translated is said in it.
    pub const ALL: [Self; 6] =
        [Self::English, Self::German, Self::Spanish, Self::French, Self::Japanese, Self::Portuguese];

    /// Its code of two letters (ISO 639-1).
    pub fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
            Self::Spanish => "es",
            Self::French => "fr",
            Self::Japanese => "ja",
            Self::Portuguese => "pt",
        }
    }

    /// The one of a locale such as `pt-BR`, whatever its region; `None` where the program does not speak it.
    pub fn of_locale(locale: &str) -> Option<Self> {
        let language = Languages::of(locale);
        Self::ALL.into_iter().find(|tongue| !language.is_empty() && language == Languages::of(tongue.code()))
    }

    /// The one that a text is written in, as far as its everyday words and its letters tell; `None` where they leave several
    /// languages, or one that the program does not speak.
    pub fn of_text(text: &str) -> Option<Self> {
        let told = told_language(text)?;
        Self::ALL.into_iter().find(|tongue| tongue.language() == told)
    }

    /// The same among the languages that there is data for.
    pub fn language(self) -> Languages {
        Languages::of(self.code())
    }
}

/// The language that a text is written in, of those that there is data for, as far as its everyday words and its letters
/// tell; `None` where they leave several.
pub fn told_language(text: &str) -> Option<Languages> {
    let folded = Folded::of(text);
    let is_short = folded.words() < TELLING_WORDS && !folded.is_unspaced();
    (!folded.is_unknown() && !is_short && folded.languages().is_one()).then(|| folded.languages())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locale_is_known_by_its_language() {
        let of = Tongue::of_locale;
        assert_eq!(
            (of("de"), of("en-GB"), of("es-419")),
            (Some(Tongue::German), Some(Tongue::English), Some(Tongue::Spanish))
        );
        assert_eq!(
            (of("pt-BR"), of("JA_jp"), of("it"), of("")),
            (Some(Tongue::Portuguese), Some(Tongue::Japanese), None, None)
        );
    }

    #[test]
    fn a_language_is_told_from_a_sentence_and_not_from_a_word() {
        let told = [
            ("The ferry was late again because of the fog.", Some(Tongue::English)),
            ("Die Fähre war schon wieder zu spät, wegen dem Nebel.", Some(Tongue::German)),
            ("El barco llegó tarde otra vez por la niebla.", Some(Tongue::Spanish)),
            ("Le bateau était encore en retard à cause du brouillard.", Some(Tongue::French)),
            ("船は霧でまた遅れました。", Some(Tongue::Japanese)),
            ("A balsa atrasou outra vez por causa do nevoeiro, não é?", Some(Tongue::Portuguese)),
            ("Паром снова опоздал из-за тумана.", None),
            ("Hola, ¿qué tal?", Some(Tongue::Spanish)),
            ("Hola, qué tal", Some(Tongue::Spanish)),
            ("Où est Ana ?", Some(Tongue::French)),
            ("hola que tal", None),
            ("ok", None),
            ("lol", None),
            ("", None),
        ];
        for (text, tongue) in told {
            assert_eq!(Tongue::of_text(text), tongue, "{text}");
        }
    }
}
