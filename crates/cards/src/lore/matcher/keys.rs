//! Keys: what a key is, and when it is in a text (cards-and-lore 4.2.5 and "Rust traps").

use super::pattern::{KeyPattern, Unusable, slashed};
use crate::lore::WordBoundary;
use crate::text::{is_js_space, is_unspaced};

/// A key, ready to be looked for.
#[derive(Debug, Clone)]
pub(super) struct EntryKey {
    /// As written in the book, trimmed; for people.
    pub written: String,
    pub form: Form,
}

#[derive(Debug, Clone)]
pub(super) enum Form {
    /// Nothing to look for.
    Blank,
    Plain(PlainKey),
    Pattern(KeyPattern),
}

#[derive(Debug, Clone)]
pub(super) struct PlainKey {
    pub exact: String,
    pub folded: String,
    shape: Shape,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Word,
    /// With white space in it: found anywhere, whole words or not.
    Phrase,
    /// In a script that writes no spaces.
    Unspaced,
}

/// How the keys of one entry are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Comparing {
    pub case_sensitive: bool,
    pub whole_words: bool,
    pub boundary: WordBoundary,
}

impl EntryKey {
    /// Reads a key whose macros are filled in. What looks like a pattern and is none becomes plain text, and is said.
    pub(super) fn read(key: &str, notes: &mut Vec<String>) -> Self {
        let written = key.trim_matches(is_js_space).to_owned();
        let form = if written.is_empty() { Form::Blank } else { form(&written, notes) };
        Self { written, form }
    }
}

/// Whether a key is a regular expression that can find something. What a macro in it will be is not known yet.
pub(in crate::lore) fn is_usable_pattern(key: &str) -> bool {
    let mut notes = Vec::new();
    slashed(key.trim_matches(is_js_space)).is_some()
        && (key.contains("{{")
            || matches!(EntryKey::read(key, &mut notes).form, Form::Pattern(_)) && notes.is_empty())
}

fn form(key: &str, notes: &mut Vec<String>) -> Form {
    if let Some((pattern, flags)) = slashed(key) {
        if flags.contains('y') {
            notes.push(format!("the key \"{key}\" has the flag y, with which it finds nothing in a chat"));
        }
        match KeyPattern::compile(pattern, flags, true) {
            Ok(pattern) => return Form::Pattern(pattern),
            Err(Unusable::NoPattern) => notes
                .push(format!("the key \"{key}\" is no usable regular expression; it is read as plain text")),
            Err(Unusable::Endless) => {
                notes.push(format!("the key \"{key}\" could search for ever; it is switched off"));
                return Form::Blank;
            }
        }
    }
    let shape = if key.contains(is_js_space) {
        Shape::Phrase
    } else if key.chars().any(is_unspaced) {
        Shape::Unspaced
    } else {
        Shape::Word
    };
    Form::Plain(PlainKey { exact: key.to_owned(), folded: key.to_lowercase(), shape })
}

impl PlainKey {
    /// Whether the key is in a text, of which `exact` is as written and `folded` in small letters.
    pub(super) fn is_in(&self, exact: &str, folded: &str, how: Comparing) -> bool {
        let (text, key) = if how.case_sensitive { (exact, &*self.exact) } else { (folded, &*self.folded) };
        if !how.whole_words || self.shape == Shape::Phrase {
            return text.contains(key);
        }
        // A word ends where a script without spaces begins, and Korean hangs its particles on.
        let is_word = |c: char| (c.is_alphanumeric() || c == '_') && !is_unspaced(c);
        let takes_particles = key.chars().next_back().is_some_and(is_korean);
        match how.boundary {
            WordBoundary::St => {
                let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
                key_stands_alone(text, key, is_word, is_word)
            }
            WordBoundary::Unicode if self.shape == Shape::Unspaced => text.contains(key),
            WordBoundary::Unicode => {
                key_stands_alone(text, key, is_word, |c| is_word(c) && !(takes_particles && is_korean(c)))
            }
        }
    }
}

/// Whether a key is somewhere without a letter of its own word before or after it.
fn key_stands_alone(
    text: &str,
    key: &str,
    goes_on_before: impl Fn(char) -> bool,
    goes_on_after: impl Fn(char) -> bool,
) -> bool {
    let mut from = 0;
    while let Some(found) = text[from..].find(key) {
        let (start, end) = (from + found, from + found + key.len());
        let before = text[..start].chars().next_back();
        let after = text[end..].chars().next();
        if !before.is_some_and(&goes_on_before) && !after.is_some_and(&goes_on_after) {
            return true;
        }
        from = start + text[start..].chars().next().map_or(1, char::len_utf8);
    }
    false
}

fn is_korean(c: char) -> bool {
    matches!(u32::from(c), 0x1100..=0x11FF | 0x3130..=0x318F | 0xAC00..=0xD7AF)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(key: &str, text: &str, whole_words: bool, boundary: WordBoundary) -> bool {
        let key = EntryKey::read(key, &mut Vec::new());
        let Form::Plain(plain) = &key.form else { panic!("{key:?}") };
        plain.is_in(text, &text.to_lowercase(), Comparing { case_sensitive: false, whole_words, boundary })
    }

    #[test]
    fn lore_4_2_5_whole_words_know_ascii_only() {
        use WordBoundary::St;
        assert!(found("gate", "The Gate.", true, St));
        assert!(!found("gate", "gateway", true, St));
        assert!(found("gate", "gateway", false, St));
        assert!(found("gate", "gateway gate", true, St));
        assert!(found("кот", "котик", true, St));
        assert!(found("玄天宗", "我去玄天宗看看", true, St));
        assert!(!found("ba", "_ba_", true, St));
        assert!(found("old gate", "the bold gates", true, St), "two words are found anywhere");
        assert!(found("c++", "i like c++.", true, St));
    }

    #[test]
    fn the_unicode_rule_knows_every_alphabet_and_lets_unspaced_scripts_through() {
        use WordBoundary::Unicode;
        assert!(!found("кот", "котик", true, Unicode));
        assert!(found("кот", "мой кот!", true, Unicode));
        assert!(found("玄天宗", "我去玄天宗看看", true, Unicode));
        assert!(found("สวัสดี", "ครับสวัสดีครับ", true, Unicode));
        assert!(!found("été", "étés", true, Unicode));
        assert!(found("Pell", "你好Pell你好", true, Unicode), "Latin within Han");
        assert!(found("Pell", "Pellさん", true, Unicode) && !found("Pell", "Pellet", true, Unicode));
        assert!(found("펠", "펠은 어디 있어?", true, Unicode), "a particle hangs on");
        assert!(!found("펠", "카펠", true, Unicode));
    }

    #[test]
    fn a_broken_pattern_is_plain_text_and_is_said() {
        let mut notes = Vec::new();
        let key = EntryKey::read("/(/", &mut notes);
        assert!(matches!(key.form, Form::Plain(_)));
        assert_eq!(notes.len(), 1);
        assert!(matches!(EntryKey::read(" \t", &mut notes).form, Form::Blank));
    }
}
