//! The words of a text in every script, as they are written and as they are compared.
//!
//! Must not know any word. Start at [`fold`].

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// One word as it is compared, by search and with phrases: lower case, without diacritics. A Russian "й" is a letter of its own,
/// and both of Turkish are typed as the other.
pub fn fold(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    let mut before = ' ';
    let bare = word.nfkd().filter(move |c| {
        let is_accent =
            ('\u{300}'..='\u{36f}').contains(c) && !(*c == '\u{306}' && matches!(before, 'и' | 'И'));
        before = *c;
        !is_accent
    });
    let mut folded = String::with_capacity(word.len());
    for letter in bare.nfc().flat_map(char::to_lowercase) {
        match letter {
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'ø' => folded.push('o'),
            'ł' => folded.push('l'),
            'đ' => folded.push('d'),
            'ı' => folded.push('i'),
            _ => folded.push(letter),
        }
    }
    folded
}

/// The words of a text as they stand: what is between anything that is no letter, no digit and no mark upon one.
pub fn written_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && !is_combining_mark(c)).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folded_word_is_the_same_however_it_is_written() {
        for (one, other) in [("Straße", "STRASSE"), ("Émile", "emile"), ("Łódź", "lodz"), ("ｃａｆé", "CAFE")]
        {
            assert_eq!(fold(one), fold(other));
        }
        assert_eq!((fold("Мой"), fold("ЁЛКА")), ("мой".to_owned(), "елка".to_owned()));
        assert_eq!(fold("고양이"), "고양이");
    }
}
