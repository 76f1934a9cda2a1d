//! What a stretch of talk was about, in the words that came up again, without a model.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::keywords::{each_term, terms};
use super::phrases::listed_phrases;
use super::short::beginning;
use super::spelling::fold;

/// A word that several say, or that comes up in so many messages, is what they talk about.
const PEOPLE: usize = 2;
const MESSAGES: usize = 3;

/// Letters that a word of a script with spaces has at least; shorter ones are mostly particles.
const LETTERS: usize = 4;

/// Characters of a message that are looked at: what it is about stands in its beginning.
const LOOKED_AT: usize = 300;

/// A word that came up.
struct Topic<'a> {
    /// How many came up before it.
    order: usize,
    shown: String,
    people: HashSet<&'a str>,
    messages: usize,
}

/// The words that came up most in what these people said, as they wrote them, at most so many. Nobody's name is one.
pub fn topics<'a>(said: impl IntoIterator<Item = (&'a str, &'a str)> + Clone, most: usize) -> Vec<String> {
    let names: HashSet<String> =
        said.clone().into_iter().flat_map(|(who, _)| who.split_whitespace().map(fold)).collect();
    let mut found: HashMap<String, Topic<'a>> = HashMap::new();
    for (who, text) in said {
        let mut here = HashSet::new();
        // What is quoted are somebody else's words, or a file's name.
        for line in beginning(text, LOOKED_AT).lines().filter(|line| !line.starts_with('>')) {
            each_term(line, |term, written| {
                let shown = if written.is_empty() { term.as_str() } else { written };
                if !names_topic(shown, written)
                    || is_no_topic(&term)
                    || names.contains(&fold(shown))
                    || !here.insert(term.clone())
                {
                    return;
                }
                let (order, shown) = (found.len(), shown.to_owned());
                let first = || Topic { order, shown, people: HashSet::new(), messages: 0 };
                let topic = found.entry(term).or_insert_with(first);
                topic.people.insert(who);
                topic.messages += 1;
            });
        }
    }
    let mut found: Vec<Topic<'a>> = found.into_values().collect();
    found.retain(|topic| topic.people.len() >= PEOPLE || topic.messages >= MESSAGES);
    found.sort_by_key(|topic| {
        (std::cmp::Reverse((topic.people.len(), topic.messages, topic.shown.len())), topic.order)
    });
    found.truncate(most);
    found.into_iter().map(|topic| topic.shown).collect()
}

/// Whether this is the stem of a word that comes up in any talk, "called" or "want": searches go by it, but no talk is
/// about it.
pub fn is_no_topic(stem: &str) -> bool {
    static STEMS: LazyLock<HashSet<String>> =
        LazyLock::new(|| listed_phrases("no topic").flat_map(|(_, word)| terms(word)).collect());
    STEMS.contains(stem)
}

/// Whether a word by itself says what is talked about. Where nothing sets words apart, two ideographs do.
fn names_topic(shown: &str, written: &str) -> bool {
    let is_ideograph = |letter: char| ('\u{4e00}'..='\u{9fff}').contains(&letter);
    match written {
        "" => shown.chars().count() == 2 && shown.chars().all(is_ideograph),
        _ => shown.chars().count() >= LETTERS && shown.chars().all(char::is_alphabetic),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_up_again_is_what_they_talked_about() {
        let said = [
            ("Ana", "the ferry is late again"),
            ("Ben", "Ana, ferries are always late"),
            ("Ben", "who wants soup?"),
            ("Ana", "soup! with what?"),
            ("Ben", "carrots, 12 of them"),
            ("Cem", "> [image: ferry.png]"),
        ];
        assert_eq!(topics(said, 3), ["ferry", "late", "soup"]);
        assert_eq!(topics([("Ana", "rope"), ("Ana", "rope"), ("Ana", "more rope")], 3), ["rope"]);
        assert!(topics([("Ana", "rope"), ("Ben", "sail")], 3).is_empty());
        // What comes up in any talk is nothing that they talk about, in whichever language.
        for word in ["called", "calling", "wants", "said", "heißt", "gemacht", "aime", "quiero", "говорит"]
        {
            assert!(topics([("Ana", word), ("Ben", word), ("Cem", word)], 3).is_empty(), "{word}");
        }
        assert_eq!(topics([("アナ", "映画を見た"), ("ベン", "その映画は長い")], 3), ["映画"]);
    }
}
