//! What people cannot see in a text, and models can.

use std::borrow::Cow;

use unicode_normalization::char::is_combining_mark;
use unicode_normalization::{UnicodeNormalization, is_nfkc};

mod skeleton;

pub use skeleton::comparing_form;

/// Marks that one letter may carry; more are dropped. UTS #39 5.4 takes more than four for an attack on names. A Hebrew
/// letter with points and cantillation has up to five, a Tibetan stack up to seven; nothing that people write has nine.
/// A pile of two hundred costs as many tokens and hides the line above it.
const MARKS_MAX: usize = 8;

/// Compatibility normal form: styled letters, full-width forms and ligatures become plain ones. It changes what a
/// text looks like; use it for names and comparing, not for what people said.
pub fn nfkc(text: &str) -> Cow<'_, str> {
    if is_nfkc(text) { Cow::Borrowed(text) } else { Cow::Owned(text.nfkc().collect()) }
}

/// A text in lower case, each letter at its place: one that would take more bytes, or fewer, stays as it is. Patterns of many
/// words are for such a text: told apart letter by letter, both cases of each take several times the memory.
pub fn lowered(text: &str) -> Cow<'_, str> {
    let lower = |c: char| {
        let mut lower = c.to_lowercase();
        match (lower.next(), lower.next()) {
            (Some(one), None) if one.len_utf8() == c.len_utf8() => one,
            _ => c,
        }
    };
    let is_lower = text.chars().all(|c| lower(c) == c);
    if is_lower { Cow::Borrowed(text) } else { Cow::Owned(text.chars().map(lower).collect()) }
}

/// Control characters, which a terminal would obey and which end a line, are spaces.
pub fn without_control(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Removes what is invisible from text of other people: zero-width and other default-ignorable characters,
/// direction overrides, tag characters (they carry whole hidden messages) and control characters except tab and
/// line feed. Line and paragraph separators become line feeds.
///
/// Joiners stay where writing needs them: inside emoji, and between letters of Arabic and Indic scripts. Variation
/// selectors stay behind emoji. Of marks piled on one letter the first eight stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    match without_piles(text) {
        Cow::Borrowed(text) => without_hidden(text),
        Cow::Owned(text) => Cow::Owned(without_hidden(&text).into_owned()),
    }
}

/// Of marks piled on one letter the first eight; everything else as it is.
pub fn without_piles(text: &str) -> Cow<'_, str> {
    let mut pile = Pile::default();
    if text.chars().all(|character| pile.takes(character)) {
        return Cow::Borrowed(text);
    }
    let mut pile = Pile::default();
    Cow::Owned(text.chars().filter(|character| pile.takes(*character)).collect())
}

/// The marks on the letter before.
#[derive(Default)]
struct Pile(usize);

impl Pile {
    /// Counts a character; `false` for a mark too many. What is invisible between two marks begins no new pile.
    fn takes(&mut self, character: char) -> bool {
        if is_invisible(character) {
            return true;
        }
        self.0 = if character >= '\u{300}' && is_combining_mark(character) { self.0 + 1 } else { 0 };
        self.0 <= MARKS_MAX
    }
}

fn without_hidden(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| is_invisible(c) || is_separator(c)) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut last = None;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if is_separator(character) {
            kept.push('\n');
            last = Some('\n');
        } else if !is_invisible(character) || belongs(last, character, characters.peek().copied()) {
            kept.push(character);
            last = Some(character);
        }
    }
    Cow::Owned(kept)
}

/// Whether an invisible character does its proper work between `before` and `after`.
fn belongs(before: Option<char>, character: char, after: Option<char>) -> bool {
    let Some(before) = before else { return false };
    match character {
        '\u{200d}' if is_emoji_part(before) => after.is_some_and(is_pictograph),
        '\u{200c}' | '\u{200d}' => joins_letters(before) && after.is_some_and(joins_letters),
        '\u{fe0e}' | '\u{fe0f}' => {
            is_pictograph(before) || (matches!(before, '0'..='9' | '#' | '*') && after == Some('\u{20e3}'))
        }
        _ => false,
    }
}

fn is_separator(character: char) -> bool {
    matches!(character, '\u{2028}' | '\u{2029}')
}

/// Default-ignorable code points (Unicode 16), annotation marks, and controls except tab and line feed.
fn is_invisible(character: char) -> bool {
    matches!(character,
        '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}'
        | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

fn is_emoji_part(character: char) -> bool {
    is_pictograph(character) || character == '\u{fe0f}'
}

/// Characters that emoji are made of, skin tones included.
pub(super) fn is_pictograph(character: char) -> bool {
    matches!(character,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2194}'..='\u{21aa}'
        | '\u{231a}'..='\u{23ff}' | '\u{24c2}' | '\u{25aa}'..='\u{25fe}' | '\u{2600}'..='\u{27bf}'
        | '\u{2934}'..='\u{2935}' | '\u{2b05}'..='\u{2b55}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}'
        | '\u{1f000}'..='\u{1faff}' | '\u{1fc00}'..='\u{1fffd}')
}

/// Arabic, Syriac and the Indic blocks: a joiner between their letters changes the word.
fn joins_letters(character: char) -> bool {
    matches!(character, '\u{600}'..='\u{7ff}' | '\u{8a0}'..='\u{dff}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_letter_of_a_text_in_lower_case_stands_at_its_place() {
        for (text, lower) in [
            ("plain words, 42", "plain words, 42"),
            ("Ich wohne in KÖLN", "ich wohne in köln"),
            ("Я живу в Москве", "я живу в москве"),
            // Their lower case is longer or shorter.
            ("İzmir, STRAẞE, 300 \u{212a}", "İzmir, straẞe, 300 \u{212a}"),
            ("東京タワー", "東京タワー"),
        ] {
            assert_eq!(lowered(text), lower);
            assert_eq!(lowered(text).len(), text.len());
        }
    }

    #[test]
    fn hidden_characters_are_removed() {
        for (given, expected) in [
            ("pa\u{200b}ss\u{2060}word", "password"),
            ("\u{202e}evil\u{202c}", "evil"),
            ("hi\u{e0068}\u{e0069}\u{e007f}", "hi"),
            ("a\u{0}b\r\nc\td", "ab\nc\td"),
            ("one\u{2028}two", "one\ntwo"),
            ("x\u{fe0f}\u{200d}y", "xy"),
        ] {
            assert_eq!(visible(given), expected, "{given:?}");
        }
    }

    #[test]
    fn emoji_and_scripts_that_need_joiners_survive() {
        for text in ["👨‍👩‍👧‍👦", "🏳️‍🌈", "❤️", "1️⃣", "👩🏽‍⚕️", "می‌خواهم", "क्‍ष", "naïve café", "日本語"]
        {
            assert_eq!(visible(text), text);
        }
    }

    #[test]
    fn a16_marks_piled_on_a_letter_are_cut_down() {
        let pile = |many: usize| format!("h{}i", "\u{301}\u{335}".repeat(many / 2));
        assert_eq!(visible(&pile(200)), pile(8));
        assert_eq!(visible(&pile(8)), pile(8));
        let hidden_between = format!("h{}i", "\u{301}\u{200b}".repeat(200));
        assert_eq!(visible(&hidden_between), format!("h{}i", "\u{301}".repeat(8)));
        let joined = format!("\u{628}{}", "\u{64b}\u{200d}".repeat(100));
        assert_eq!(visible(&joined).chars().filter(|c| *c == '\u{64b}').count(), 8);
        assert_eq!(visible(&format!("{}{}", pile(200), pile(200))), format!("{}{}", pile(8), pile(8)));
    }

    #[test]
    fn a16_marks_that_writing_needs_stay() {
        for text in [
            "Tiếng Việt: Nguyễn Thị Hường",
            "Tie\u{302}\u{301}ng Vie\u{323}\u{302}t",
            "בְּרֵאשִׁ֖ית בָּרָ֣א אֱלֹהִ֑ים",
            "بِسْمِ ٱللَّهِ ٱلرَّحْمَٰنِ ٱلرَّحِيمِ",
            "ที่นี่ น้ำผึ้ง กู้",
            "क्षत्रिय किं ह्रीः",
            "རྒྱལ་པོ་ ཧྐྵྨླྺྼྻྂ",
            "ǫ̂ŋ ɔ̃́ s̩̀",
        ] {
            assert_eq!(visible(text), text);
        }
    }

    #[test]
    fn styled_letters_become_plain() {
        assert_eq!(nfkc("𝓗𝓮𝓵𝓵𝓸 ｗｏｒｌｄ ﬁ"), "Hello world fi");
    }

    proptest! {
        #[test]
        fn cleaning_twice_changes_nothing_more(text in "(\\PC|[\u{200b}-\u{200f}\u{fe0f}👩❤️ك]|[\u{300}-\u{304}\u{64b}\u{200d}]{1,12}){0,30}") {
            let once = visible(&text).into_owned();
            prop_assert_eq!(visible(&once), once.as_str());
        }
    }
}
