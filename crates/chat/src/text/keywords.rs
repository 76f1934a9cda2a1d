//! From a text to the words it can be found by, in every script: folded, without stop words, stemmed. Start at [`terms`].

use std::collections::HashSet;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::phrases::{Folded, Languages, listed_phrases};
pub use super::spelling::{fold, written_words};
/// Letters of scripts that write no spaces between words: each of them stands for a word.
pub use familiar_cards::text::is_unspaced as is_unspaced_letter;

/// Languages with rules for the endings of words.
const STEMMED: [(&str, Algorithm); 9] = [
    ("en", Algorithm::English),
    ("de", Algorithm::German),
    ("es", Algorithm::Spanish),
    ("fr", Algorithm::French),
    ("pt", Algorithm::Portuguese),
    ("it", Algorithm::Italian),
    ("nl", Algorithm::Dutch),
    ("tr", Algorithm::Turkish),
    ("ru", Algorithm::Russian),
];

/// Words that say nothing about what a text is about. Those that are English ones of meaning (`war`, `die`, `man`, `son`, `con`,
/// `van`, `era`) are not among them, nor words that are names (`ella`, `lei`); in Japanese and Korean they are pairs of letters
/// that are endings, particles and titles.
static STOP_WORDS: LazyLock<HashSet<String>> =
    LazyLock::new(|| listed_phrases("stop words").map(|(_, word)| fold(word)).collect());

/// One word as the search index holds it.
pub fn index_word(word: &str) -> String {
    stem(&fold(word))
}

/// A folded word without its ending, by the rules of its script's language: English for Latin letters.
fn stem(folded: &str) -> String {
    let script = match folded.chars().next() {
        Some('\u{400}'..='\u{4ff}') => Algorithm::Russian,
        Some('\u{370}'..='\u{3ff}') => Algorithm::Greek,
        Some('\u{600}'..='\u{6ff}') => Algorithm::Arabic,
        Some('\u{b80}'..='\u{bff}') => Algorithm::Tamil,
        _ => Algorithm::English,
    };
    Stemmer::create(script).stem(folded).into_owned()
}

/// Whether a folded word says nothing about what a text is about.
pub fn is_stop_word(folded: &str) -> bool {
    STOP_WORDS.contains(folded)
}

/// The words of a text in order, folded but not stemmed, stop words included. Letters of scripts without spaces stand
/// for themselves.
pub fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    written_words(text)
        .flat_map(|word| {
            if word.is_ascii() || !word.chars().any(is_unspaced_letter) {
                vec![fold(word)]
            } else {
                word.chars().map(|letter| fold(letter.encode_utf8(&mut [0; 4]))).collect()
            }
        })
        .filter(|word| !word.is_empty())
}

/// The first word of a text that has this stem, as it is written.
pub fn written_as<'t>(text: &'t str, stem: &str) -> Option<&'t str> {
    written_words(text).find(|word| terms(word).first().is_some_and(|first| first == stem))
}

/// Words that may be names, as they stand: capitalised ones that are no stop words, `Jean-Luc` and `night_owl` in one
/// piece. The first word of a text counts too: what is nobody's name finds nobody.
pub fn possible_names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && !is_combining_mark(c) && c != '-' && c != '_')
        .map(|word| word.trim_matches('-'))
        .filter(|word| word.chars().next().is_some_and(char::is_uppercase) && !is_stop_word(&fold(word)))
}

/// The stems of the words that a text is about, in order, repetitions included. Of scripts that set no words apart, or hang
/// particles on them, pairs of letters stand for words, and an ideograph for itself as well.
pub fn terms(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    each_term(text, |term, _| terms.push(term));
    terms
}

/// [`terms`], each with its stem by the rules of the text's own language where that is another: a word is found by either.
pub fn forms(text: &str) -> Vec<Vec<String>> {
    let own = language(text).map(Stemmer::create);
    let mut forms = Vec::new();
    each_term(text, |term, word| {
        let mut each = vec![term];
        if let Some(own) = own.as_ref().filter(|_| word.chars().any(|letter| letter.is_ascii_alphabetic())) {
            let lower: String = word.nfc().flat_map(char::to_lowercase).collect();
            let stemmed = fold(&own.stem(&lower));
            each.extend((!each.contains(&stemmed)).then_some(stemmed));
        }
        forms.push(each);
    });
    forms
}

/// Hands over each term with the word it is of, as written; for a pair of letters that is nothing.
pub(super) fn each_term(text: &str, mut take: impl FnMut(String, &str)) {
    for piece in written_words(text) {
        if piece.is_ascii() || piece.chars().all(|letter| Script::of(letter) == Script::Spaced) {
            let folded = fold(piece);
            if !folded.is_empty() && !is_stop_word(&folded) {
                take(stem(&folded), piece);
            }
            continue;
        }
        let folded = fold(piece);
        let letters: Vec<char> = folded.chars().collect();
        for run in letters.chunk_by(|a, b| Script::of(*a) == Script::of(*b)) {
            let of = |letters: &[char]| letters.iter().collect::<String>();
            match Script::of(run[0]) {
                Script::Spaced => take(stem(&of(run)), ""),
                Script::Ideographs => {
                    run.iter().for_each(|letter| take(letter.to_string(), ""));
                    run.windows(2).for_each(|pair| take(of(pair), ""));
                }
                // A Hiragana by itself is a particle.
                script @ (Script::Hiragana | Script::Paired) => {
                    let length = if script == Script::Paired { run.len().min(2) } else { 2 };
                    let pairs = run.windows(length).map(of);
                    pairs.filter(|pair| !is_stop_word(pair)).for_each(|pair| take(pair, ""));
                }
            }
        }
    }
}

/// How a letter makes words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    /// With spaces between them.
    Spaced,
    Hiragana,
    Ideographs,
    /// Without spaces, or with particles at their ends: Katakana, Thai, Lao, Burmese, Khmer, Korean.
    Paired,
}

impl Script {
    fn of(letter: char) -> Self {
        match letter {
            '\u{3040}'..='\u{309f}' => Self::Hiragana,
            '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' => Self::Ideographs,
            '\u{30a0}'..='\u{30ff}'
            | '\u{0e00}'..='\u{0eff}'
            | '\u{1000}'..='\u{109f}'
            | '\u{1780}'..='\u{17ff}'
            | '\u{1100}'..='\u{11ff}'
            | '\u{ac00}'..='\u{d7af}' => Self::Paired,
            _ => Self::Spaced,
        }
    }
}

/// The language of a text, where it is not English.
fn language(text: &str) -> Option<Algorithm> {
    let likely = Folded::of(text).languages();
    // English is the first, which wins where all are alike.
    let (_, language) = STEMMED.iter().find(|(code, _)| Languages::of(code).overlaps(likely))?;
    (*language != Algorithm::English).then_some(*language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_keeps_the_words_it_is_about() {
        assert_eq!(terms("When did Caroline's support group meet?"), ["carolin", "support", "group", "meet"]);
        assert_eq!(terms("Wann war das Café geöffnet?"), ["war", "cafe", "geoffnet"]);
        assert_eq!(terms("what is it that you are?"), Vec::<String>::new());
        assert_eq!(terms("東京タワーへ go"), ["東", "京", "東京", "タワ", "ワー", "go"]);
        assert_eq!(terms("고양이는"), ["고양", "양이", "이는"]);
    }

    #[test]
    fn names_are_words_that_something_is_about() {
        for name in ["Ella", "Una", "Lei", "Mon", "Su", "Mi"] {
            assert!(!is_stop_word(&fold(name)), "{name}");
        }
        assert_eq!(terms("what did Ella say of the Victorian era?"), ["ella", "victorian", "era"]);
    }

    #[test]
    fn a_word_is_found_by_its_stem_in_its_own_language_too() {
        let meet = |a: &str, b: &str, word: usize| {
            let (a, b) = (forms(a).concat(), forms(b));
            b[word].iter().any(|form| a.contains(form))
        };
        assert!(meet("Wir haben zwei Katzen gesehen", "Wo ist unsere Katze?", 1));
        assert!(meet("Ich habe die Häuser gestrichen", "Was ist mit dem Haus?", 0));
        assert!(meet("Los barcos están en el puerto", "¿Dónde está el barco?", 0));
        assert!(meet("Мы видели кошку", "Где кошка?", 0));
        assert!(meet("the ferries are late", "is the ferry late?", 0));
        assert_eq!(forms("the ferries"), [["ferri"]]);
    }
}
