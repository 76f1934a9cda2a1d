//! How a text spells a name that is written in Latin letters, where it is written in others: "ペル", "Пеллу" or "펠" for Pell.
//!
//! Owns when a word in another script is taken for the name. Must not know whose name it is. Start reading at [`spelled_in`].

use std::cell::LazyCell;

use deunicode::deunicode;

use crate::text::keywords::is_unspaced_letter;
use crate::text::phrases::{is_listed, listed_phrases};

/// Fewer sounds than this fit too many words.
const SOUNDS_MIN: usize = 3;

/// So many letters may follow a name in Cyrillic or Greek, of its case.
const ENDING_MAX: usize = 2;

/// Scripts by how words are set apart in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Letters {
    /// Foreign words and names stand out of Japanese by it.
    Katakana,
    /// A name stands in a run of its own, or with what it is called by politely.
    Hiragana,
    /// Particles hang on words.
    Hangul,
    /// With spaces between words: Cyrillic, Greek, and others.
    Spaced,
}

/// The name as `text` writes it: the first word in other letters that sounds like it; where there is none, as it is.
pub(super) fn spelled_in<'a>(text: &'a str, name: &'a str) -> &'a str {
    let name = name.trim();
    if text.is_ascii() {
        return name;
    }
    if !text.chars().any(|letter| letters(letter).is_some()) || name.chars().any(has_other_letters) {
        return name;
    }
    // Every piece of what is remembered is looked through; few have a word that could be it.
    let latin = LazyCell::new(|| deunicode(name).to_lowercase());
    let (plain, heard) = (LazyCell::new(|| plain(&latin)), LazyCell::new(|| heard(&latin)));
    let is_name = |(at, word, script): (usize, &'a str, Letters)| match script {
        Letters::Katakana => is_sound(&heard, word).then_some(word),
        Letters::Hangul => {
            let syllables = word.char_indices().map(|(at, _)| at).chain([word.len()]);
            // A particle of one syllable may follow.
            let mut named = syllables.rev().take(2).filter_map(|end| word.get(..end));
            named.find(|word| is_sound(&heard, word))
        }
        Letters::Hiragana => {
            let (before, behind) = (text.get(..at)?, text.get(at + word.len()..)?);
            set_apart(before, word, behind).filter(|name| is_sound(&heard, name))
        }
        Letters::Spaced => {
            // Written small it is an everyday word: "мира" is of the world, and of nobody called Mira.
            if !word.starts_with(char::is_uppercase) && word.contains(char::is_lowercase) {
                return None;
            }
            let word_plain = self::plain(&deunicode(word).to_lowercase());
            let ending =
                word_plain.strip_prefix(plain.as_str()).filter(|_| plain.chars().count() >= SOUNDS_MIN)?;
            let is_case = ending.len() <= ENDING_MAX && ending.chars().next().is_none_or(is_vowel);
            is_case.then_some(word)
        }
    };
    words(text).into_iter().find_map(is_name).unwrap_or(name)
}

fn is_sound(heard_name: &str, word: &str) -> bool {
    // A long u is no filling: ペルー is Peru.
    let word = deunicode(&word.replace('ー', "-")).to_lowercase().replace("u-", "w");
    heard_name.chars().count() >= SOUNDS_MIN && heard(&word) == heard_name
}

fn letters(c: char) -> Option<Letters> {
    let is_latin = c <= '\u{2af}' || matches!(c, '\u{1e00}'..='\u{1eff}');
    match c {
        _ if is_latin => None,
        _ if is_katakana(c) => Some(Letters::Katakana),
        '\u{3041}'..='\u{3096}' => Some(Letters::Hiragana),
        _ if is_hangul(c) => Some(Letters::Hangul),
        _ => (c.is_alphabetic() && !is_unspaced(c)).then_some(Letters::Spaced),
    }
}

/// A name that is written in them is looked for as it is written. In Hiragana it is written in Katakana as well.
fn has_other_letters(c: char) -> bool {
    letters(c).is_some_and(|letters| letters != Letters::Hiragana)
}

/// What of a run of Hiragana may be a name: what somebody is called by politely, or all of it where it stands by itself. Beside
/// other letters it is an ending, or goes on with a word: "東京から" names no Kara, and "雨かな" no Kana.
fn set_apart<'a>(before: &str, run: &'a str, behind: &str) -> Option<&'a str> {
    if let Some(bare) = without_suffix(run) {
        return (!before.ends_with(is_kanji)).then_some(bare);
    }
    let is_alone = !before.ends_with(char::is_alphanumeric)
        && !behind.trim_start_matches('ー').starts_with(char::is_alphanumeric);
    is_alone.then_some(run)
}

/// A run of Hiragana without how somebody is called by their name, and what follows that: "ぺるさんは". "みなさん" are all,
/// and "たくさん" is much.
fn without_suffix(run: &str) -> Option<&str> {
    listed_phrases("suffix").find_map(|(_, suffix)| {
        let (bare, _) = run.split_once(suffix)?;
        (!bare.is_empty() && !is_listed("suffix not", &format!("{bare}{suffix}"))).then_some(bare)
    })
}

fn is_kanji(c: char) -> bool {
    is_unspaced_letter(c) && letters(c).is_none()
}

/// Letters of katakana; the dot between names is none.
pub(super) fn is_katakana(c: char) -> bool {
    matches!(c, '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30fe}' | '\u{ff66}'..='\u{ff9f}')
}

pub(super) fn is_hangul(c: char) -> bool {
    matches!(c, '\u{ac00}'..='\u{d7af}')
}

/// Whether a letter's script is written without spaces between words, or with particles attached, as Hangul is.
pub fn is_unspaced(c: char) -> bool {
    is_unspaced_letter(c) || is_hangul(c)
}

/// Each run of letters of one script other than Latin, and where it begins.
fn words(text: &str) -> Vec<(usize, &str, Letters)> {
    let mut words = Vec::new();
    let mut begun: Option<(usize, Letters)> = None;
    for (at, script) in text.char_indices().map(|(at, c)| (at, letters(c))).chain([(text.len(), None)]) {
        if begun.map(|(_, script)| script) == script {
            continue;
        }
        let word = begun.and_then(|(start, script)| Some((start, text.get(start..at)?, script)));
        words.extend(word);
        begun = script.map(|script| (at, script));
    }
    words
}

fn is_vowel(c: char) -> bool {
    matches!(c, 'a' | 'e' | 'i' | 'o' | 'u')
}

/// Spellings of one sound as one.
fn plain(latin: &str) -> String {
    let mut plain = String::with_capacity(2 * latin.len());
    let mut letters = latin.chars().filter(char::is_ascii_lowercase).peekable();
    while let Some(letter) = letters.next() {
        match letter {
            'c' => {
                letters.next_if_eq(&'k');
                plain.push('k');
            }
            'p' if letters.next_if_eq(&'h').is_some() => plain.push('f'),
            'y' => plain.push('i'),
            'x' => plain.push_str("ks"),
            letter => plain.push(letter),
        }
    }
    plain
}

/// What is left of a word in Japanese or Korean: l is r there, v is b, nothing is doubled, and u fills in between consonants.
fn heard(latin: &str) -> String {
    let mut heard = String::new();
    for c in plain(latin).chars() {
        let c = match c {
            'l' => 'r',
            'v' => 'b',
            c => c,
        };
        if c != 'u' && !heard.ends_with(c) {
            heard.push(c);
        }
    }
    heard
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_known_in_other_letters_by_its_sound() {
        for (text, name, spelled) in [
            ("ねえペル、起きて", "Pell", "ペル"),
            ("ペルさんは元気？", "Pell", "ペル"),
            ("ルナはどこ", "Luna", "ルナ"),
            ("ぺるさん、写真ないんですか", "Pell", "ぺる"),
            ("ぺるさんはどこ", "Pell", "ぺる"),
            ("ねえ、ぺる！", "Pell", "ぺる"),
            ("ぺるー！", "Pell", "ぺる"),
            ("ぺる ちょっと来て", "Pell", "ぺる"),
            ("昨日、ゆきちゃんと話した", "Yuki", "ゆき"),
            ("たくさん食べた？ぺるさん元気？", "Pell", "ぺる"),
            ("サクラはどこ", "さくら", "サクラ"),
            ("Пелл, ты тут?", "Pell", "Пелл"),
            ("скажи Пеллу спасибо", "Pell", "Пеллу"),
            ("펠은 어디 있어", "Pell", "펠"),
            ("미카야 안녕", "Mika", "미카"),
            ("Μίκα, έλα", "Mika", "Μίκα"),
            ("ミカとペル", "Zoë", "Zoë"),
        ] {
            assert_eq!(spelled_in(text, name), spelled, "{text}");
        }
    }

    #[test]
    fn a_word_that_only_resembles_a_name_is_none() {
        for (text, name) in [
            ("ペルシャ猫が好き", "Pell"),
            ("スペルを間違えた", "Pell"),
            ("しゃぺるを買う", "Pell"),
            ("みなさん、おはよう", "Mina"),
            ("たくさんある", "Taku"),
            ("パンをたくさん、ね", "Tak"),
            ("たくさん", "Taku"),
            ("あかちゃんが寝た", "Aka"),
            ("東京から来た", "Kara"),
            ("東京から来た", "Cara"),
            ("雨かな", "Kana"),
            ("猫なの？", "Nano"),
            ("犬だな", "Dana"),
            ("食べたくさんは嫌", "Taku"),
            ("ルナかな", "Kana"),
            ("ベルが鳴った", "Pell"),
            ("来月ペルーに行く", "Pell"),
            ("он пел всю ночь", "Pell"),
            ("ни войны, ни мира", "Mira"),
            ("펠리컨을 봤어", "Pell"),
            ("アナを見た", "An"),
            ("call Pell", "Pell"),
        ] {
            assert_eq!(spelled_in(text, name), name, "{text}");
        }
    }
}
