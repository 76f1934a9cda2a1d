//! From a text to the words it can be found by: folded, without stop words, stemmed. Start at [`terms`].

use std::collections::HashSet;
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::stem::stem;

/// Words that say nothing about what a text is about: English and German, then Spanish, French, Portuguese, Italian,
/// Dutch and Russian. Words that are English ones of meaning (`war`, `die`, `man`,
/// `son`, `con`, `van`, `era`) are not among them, nor words that are names (`ella`, `lei`).
const STOP: &str = "a about after again all also am an and any are as at be because been before being but by can could \
     did do does doing don down during each few for from further had has have having he her here hers him his how i \
     if in into is it its itself just ll m me more most my no nor not now of off on once only or other our out over \
     own re s same she should so some such t than that the their them then there these they this those through to too \
     under until up ve very was we were what when where which while who whom whose why will with would you your yours \
     d tell know say said remember us let ok okay hey hi yes \
     aber als am auch auf aus bei bin bist da das dass dein deine dem den der des dich dir doch du ein eine einem \
     einen einer eines er es euch euer für haben habe hast hatte hatten hier ich ihm ihn ihr im ist ja kann kein \
     keine mein meine mich mir mit nach nein nicht noch nur oder schon sein seine sich sie sind und uns unser vom von \
     wann war's warum was weil wem wen wenn wer werden wie wieder wir wird wo wurde zu zum zur über mal denn ob \
     de del el la los las unos unas y que qué lo le les por para al como cuando donde quien quienes cual cuales fue \
     eran está estaba hay muy más pero porque yo tú él ellos ellas nos nosotros mis tu tus te sus sí ya \
     du au aux et où est était sont je il elle nous vous ils elles ma mes tes ses notre nos votre vos ce cet \
     cette ces ne avec dans chez quand quoi qui qu \
     os um uma da das dos na nas em não eu você meu minha seu sua gli il di della dei che è sono nel nella lui noi \
     het een ik jij hij zij wij niet voor naar maar ook \
     и в не на я что он она они с как а то это ты мы вы по из у за от о же бы к но да кто когда где";

static STOP_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| STOP.split_whitespace().map(fold).collect());

/// One word as the search index writes it before stemming: lower case, without diacritics.
#[must_use]
pub fn fold(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    word.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).collect()
}

/// One word as the search index holds it.
#[must_use]
pub fn index_word(word: &str) -> String {
    stem(&fold(word))
}

/// Whether a folded word says nothing about what a text is about.
#[must_use]
pub fn is_stop_word(folded: &str) -> bool {
    STOP_WORDS.contains(folded)
}

/// The words of a text in order, folded but not stemmed, stop words included. Letters of scripts without spaces stand
/// for themselves.
pub fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric() && !is_combining_mark(c))
        .filter(|word| !word.is_empty())
        .flat_map(|word| {
            if word.is_ascii() || !word.chars().any(stands_alone) {
                vec![fold(word)]
            } else {
                word.chars().map(|letter| fold(letter.encode_utf8(&mut [0; 4]))).collect()
            }
        })
        .filter(|word| !word.is_empty())
}

/// The stems of the words that a text is about, in order, repetitions included.
#[must_use]
pub fn terms(text: &str) -> Vec<String> {
    words(text).filter(|word| !is_stop_word(word)).map(|word| stem(&word)).collect()
}

/// Hands each of a text's [`words`] over in order, with as little copying as can be.
pub fn each_word(text: &str, mut take: impl FnMut(&str)) {
    let mut folded = String::new();
    for word in text.split(|c: char| !c.is_alphanumeric() && !is_combining_mark(c)) {
        if word.is_ascii() && !word.is_empty() {
            folded.clear();
            folded.push_str(word);
            folded.make_ascii_lowercase();
            take(&folded);
        } else {
            words(word).for_each(|word| take(&word));
        }
    }
}

/// Letters of scripts that write no spaces between words: the search index holds each of them as a word.
#[must_use]
pub fn stands_alone(character: char) -> bool {
    matches!(character,
        '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{0e00}'..='\u{0e7f}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_keeps_the_words_it_is_about() {
        assert_eq!(terms("When did Caroline's support group meet?"), ["carolin", "support", "group", "meet"]);
        assert_eq!(terms("Wann war das Café geöffnet?"), ["war", "cafe", "geoffnet"]);
        assert_eq!(terms("what is it that you are?"), Vec::<String>::new());
        assert_eq!(terms("東京へ go"), ["東", "京", "へ", "go"]);
    }

    #[test]
    fn names_are_words_that_something_is_about() {
        for name in ["Ella", "Una", "Lei", "Mon", "Su", "Mi"] {
            assert!(!is_stop_word(&fold(name)), "{name}");
        }
        assert_eq!(terms("what did Ella say of the Victorian era?"), ["ella", "victorian", "era"]);
    }

    #[test]
    fn each_word_is_handed_over_as_they_are_listed() {
        let text = "The ferries, the FERRY's ropes and Émile's ties: \u{6771}\u{4eac} skies, yes, a sky of 12 ferries\u{300}!";
        let mut handed = Vec::new();
        each_word(text, |word| handed.push(word.to_owned()));
        assert_eq!(handed, words(text).collect::<Vec<_>>());
        assert!(handed.len() > 12, "{handed:?}");
    }
}
