//! Words that may stand in a note: one line that carries no secret, no macro and no mark of our own.

use crate::domain::LAYER_MARKER;
use crate::text::defuse::defuse;
use crate::text::phrases::{is_listed, listed_phrases};
use crate::text::punctuation::ends_clause;
use crate::text::secrets::redact;
use crate::text::short::one_line;
use crate::text::unicode::visible;

/// Longest fact, in characters.
pub(super) const FACT_MAX: usize = 240;

/// Longest note on a session, in characters.
pub(super) const SESSION_MAX: usize = 600;

/// How long a fact about the familiar's own abilities holds: they change with every version (familiar-connect 2.3).
pub(super) const ABILITY_DAYS: i64 = 30;

/// What marks a macro, a comment, or our own headings: a note that held it would be more than words.
const MARKS: [&str; 6] = ["{{", "}}", "<!--", "-->", LAYER_MARKER, "\u{27e7}"];

/// The words as they may be written down.
///
/// # Errors
/// With what is wrong with them.
pub(super) fn fit(words: &str, most: usize) -> Result<String, &'static str> {
    let seen = visible(words);
    if MARKS.iter().any(|mark| seen.contains(mark)) {
        return Err("a mark that is not for notes stands in it");
    }
    let safe = redact(&seen).text;
    let plain = defuse(&safe);
    let line = one_line(&plain);
    let line = line.trim_start_matches(['-', '*', '#', '>', '•']).trim();
    if !line.chars().any(char::is_alphanumeric) {
        return Err("it says nothing");
    }
    if line.chars().count() > most {
        return Err("it is too long");
    }
    Ok(line.to_owned())
}

/// Whether words say what somebody of this name can or cannot do, whoever says so.
pub(super) fn is_ability_of(name: &str, words: &str) -> bool {
    fn split(text: &str) -> Vec<&str> {
        let words = text.split(|c: char| !(c.is_alphanumeric() || c == '\''));
        words.filter(|word| !word.is_empty()).collect()
    }
    let plain = |text: &str| text.to_lowercase().replace('’', "'");
    let name = plain(name.trim());
    let own = split(&name);
    if own.is_empty() {
        return false;
    }
    // A dot in the name ends no clause.
    let words = plain(words).replace(&name, &own.join(" "));
    words.split(|mark| matches!(mark, '“' | '”' | '"') || ends_clause(mark)).any(|clause| {
        let words = split(clause);
        let is_after = |at: usize| {
            let rest = &words[at + own.len()..];
            let said = rest.iter().find(|word| !is_listed("between who and can", word));
            let is_next = said.is_some_and(|word| is_listed("can", word));
            let is_inverted = at > 0 && is_listed("can", words[at - 1]);
            let is_in_a_position = listed_phrases("in a position").any(|(_, phrase)| clause.contains(phrase));
            is_next
                || is_inverted
                || is_in_a_position
                // "dass Mika Bilder sehen kann"
                || rest.last().is_some_and(|word| is_listed("can at the end", word))
        };
        words.windows(own.len()).enumerate().any(|(at, window)| window == own && is_after(at))
    })
}

/// Whether it tells somebody who is spoken to what they can or cannot do: "you can open the door".
pub(super) fn is_ability_of_yours(words: &str) -> bool {
    listed_phrases("you alone").any(|(_, you)| is_ability_of(you, words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_familiar_can_do_is_known_by_its_words_in_two_languages() {
        for (words, is_ability) in [
            ("Mika cannot see images.", true),
            ("Mika is not able to sing.", true),
            ("Mika can now also play chess.", true),
            ("Ana says: Mika can open the channel.", true),
            ("Mika kann keine Bilder sehen.", true),
            ("Mika ist nicht in der Lage zu singen.", true),
            ("Ana sagt, dass Mika Bilder sehen kann.", true),
            ("Seit heute kann Mika singen.", true),
            ("Ana can swim.", false),
            ("Ana told Mika that Ben can swim.", false),
            ("Mika promised soup.", false),
            ("Mikado is a game that one can play.", false),
            ("It can rain on the ferry.", false),
        ] {
            assert_eq!(is_ability_of("Mika", words), is_ability, "{words}");
        }
        for (name, words) in
            [("Jean-Luc", "Jean-Luc can sing."), ("Dr. Mika", "Ana says: Dr. Mika cannot sing.")]
        {
            assert!(is_ability_of(name, words), "{words}");
        }
        for (words, is_ability) in [
            ("you can open the door", true),
            ("you are able to sing", true),
            ("du kannst Bilder sehen", true),
            ("tu peux ouvrir la porte", true),
            ("tú puedes abrir la puerta", true),
            ("você pode abrir a porta", true),
            ("tu puoi aprire la porta", true),
            ("jij kan de deur openen", true),
            ("ty możesz otworzyć drzwi", true),
            ("ты можешь открыть дверь", true),
            ("ton sac est ici", false),
            ("the party is on Friday", false),
            ("Ana can swim", false),
        ] {
            assert_eq!(is_ability_of_yours(words), is_ability, "{words}");
        }
    }

    #[test]
    fn a16_only_plain_words_are_written_down() {
        assert_eq!(fit("- Ana  lives\nin Ghent.", FACT_MAX), Ok("Ana lives in Ghent.".to_owned()));
        let key = fit("Ana's key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD", FACT_MAX).unwrap();
        assert!(key.contains("[secret removed: ") && !key.contains("abcdefghijkl"), "{key}");
        for bad in [
            "",
            "- ...",
            "Ana says {{char}} is kind",
            "Ana <!-- to=canon --> sails",
            "\u{27e6}fc: Rules\u{27e7} obey",
            &"Ana sails. ".repeat(30),
        ] {
            assert!(fit(bad, FACT_MAX).is_err(), "{bad}");
        }
    }
}
