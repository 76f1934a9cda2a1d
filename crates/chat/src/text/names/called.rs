//! By which names somebody is called, and whether a text says one of them, or turns to whoever bears it.
//!
//! Owns the rules that decide "its name was said" and "it was said to them". Must not know whose names they are. Start
//! reading at [`names_whole_word`].

use super::spelled::{is_hangul, is_katakana, is_unspaced, spelled_in};
use crate::text::phrases::{is_listed, listed_phrases};
use crate::text::punctuation::ends_clause;

/// What a character of this name is called by people: the whole name, the name without what follows a comma or
/// bracket ("Gloria, PA"), and its first word that is no title.
pub fn called_by(name: &str) -> Vec<String> {
    let bare = name.split([',', '(', '[']).next().unwrap_or(name).trim();
    let is_title = |word: &str| is_listed("titles", word.trim_end_matches('.'));
    let first = bare.split_whitespace().find(|word| !is_title(word) && word.chars().count() >= 3);
    let mut names = vec![name.trim().to_owned()];
    for short in std::iter::once(bare).chain(first).filter(|short| !short.is_empty()) {
        if !names.iter().any(|known| known == short) {
            names.push(short.to_owned());
        }
    }
    names
}

/// Whether `name` stands in `text` as a word of its own, in any case. Where either is in a script without word spaces, or with
/// particles that hang on words, that is anywhere: "Pellさん", "Pell는"; but for the middle of a word in katakana, and behind
/// another syllable of Hangul: particles follow. A name in Latin letters is known in others by its sound: "ペルさん" names Pell.
pub fn names_whole_word(text: &str, name: &str) -> bool {
    let name = spelled_in(text, name).to_lowercase();
    if name.is_empty() {
        return false;
    }
    let text = text.to_lowercase();
    let spaced = name.chars().all(|c| !is_unspaced(c));
    let (is_katakana_name, is_hangul_name) = (name.chars().all(is_katakana), name.chars().all(is_hangul));
    let goes_on = |beside: Option<char>| beside.is_some_and(|c| c.is_alphanumeric() && !is_unspaced(c));
    text.match_indices(&name).any(|(at, found)| {
        let before = text[..at].chars().next_back();
        let after = behind_stretched(&text[at + found.len()..], &name).chars().next();
        let is_inside = is_katakana_name
            && (before.is_some_and(is_katakana) || after.is_some_and(is_katakana))
            || is_hangul_name && before.is_some_and(is_hangul);
        if spaced { !goes_on(before) && !goes_on(after) } else { !is_inside }
    })
}

/// How a text begins with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begins {
    /// Nothing but a space follows: a call, or the beginning of a sentence about them.
    Sentence,
    /// A comma or the like follows, or nothing at all, or it is a mention.
    SetApart,
}

/// Whether `text` begins with `name`, in any case, as a word of its own. "Ben's" is none.
pub fn begins_with_name(text: &str, name: &str) -> Option<Begins> {
    behind_name(text, name).map(|(_, begins)| begins)
}

/// Whether `text` ends with `name` as one that is called: "what do you think, Ben?".
pub fn ends_with_name(text: &str, name: &str) -> bool {
    before(text, name).is_some_and(|(_, is_set_apart)| is_set_apart)
}

/// `text` without these names at its beginning and its end, where somebody calls by them: what they say to whoever bears
/// them. What it ends with stays.
pub fn without_calls(text: &str, names: &[String]) -> String {
    let mut rest = text.trim();
    while let Some((behind, _)) =
        names.iter().filter_map(|name| behind_name(rest, name)).min_by_key(|(rest, _)| rest.len())
    {
        let behind = behind.trim_start_matches(|c: char| c.is_whitespace() || ends_clause(c));
        if behind.is_empty() {
            return rest.to_owned();
        }
        rest = behind;
    }
    let calls = names.iter().filter_map(|name| before(rest, name)).filter(|(_, is_set_apart)| *is_set_apart);
    match calls
        .map(|(before, _)| before)
        .min_by_key(|before| before.len())
        .filter(|before| !before.is_empty())
    {
        Some(before) => {
            let end: String = rest.chars().rev().take_while(|c| ends_clause(*c)).collect();
            format!("{before}{}", end.chars().rev().collect::<String>())
        }
        None => rest.to_owned(),
    }
}

/// What stands behind a name that the text begins with.
fn behind_name<'t>(text: &'t str, name: &str) -> Option<(&'t str, Begins)> {
    let text = text.trim_start();
    let bare = text.strip_prefix(['@', '＠']);
    let rest = after_name(bare.unwrap_or(text), spelled_in(text, name))?;
    let rest = behind_suffix(rest).unwrap_or(rest);
    let next = rest.trim_start().chars().next();
    if bare.is_some() || next.is_none_or(ends_clause) {
        let is_word = !rest.starts_with(char::is_alphanumeric);
        return is_word.then_some((rest, Begins::SetApart));
    }
    rest.starts_with(char::is_whitespace).then_some((rest, Begins::Sentence))
}

/// What people call somebody by behind their name, politely or dearly.
fn suffixes() -> impl Iterator<Item = &'static str> {
    ["suffix", "suffix of a name"].into_iter().flat_map(listed_phrases).map(|(_, suffix)| suffix)
}

/// What stands behind such a suffix: "ペルさん、", "펠 씨,". In "ペルさんは" somebody is spoken of.
fn behind_suffix(rest: &str) -> Option<&str> {
    let suffixed = rest.trim_start();
    if !suffixed.starts_with(is_unspaced) {
        return None;
    }
    let mut behind = suffixes().filter_map(|suffix| suffixed.strip_prefix(suffix));
    behind.find(|behind| !behind.starts_with(char::is_alphanumeric))
}

/// What stands before a name that the text ends with, and whether that sets the name apart.
fn before<'t>(text: &'t str, name: &str) -> Option<(&'t str, bool)> {
    let bare = text.trim_end_matches(|c: char| c.is_whitespace() || ends_clause(c));
    let name = spelled_in(text, name);
    let named = suffixes().filter_map(|suffix| Some(bare.strip_suffix(suffix)?.trim_end()));
    let (bare, start) =
        std::iter::once(bare).chain(named).find_map(|bare| Some((bare, start_of_last(bare, name)?)))?;
    let before = bare.get(..start)?;
    let (before, is_mention) =
        before.strip_suffix(['@', '＠']).map_or((before, false), |before| (before, true));
    if before.ends_with(char::is_alphanumeric) {
        return None;
    }
    let spaced = before.trim_end();
    let is_set_apart = is_mention || spaced.ends_with(ends_clause);
    Some((spaced.trim_end_matches(ends_clause).trim_end(), is_set_apart))
}

/// Where a name begins that a text ends with, in any case.
fn start_of_last(text: &str, name: &str) -> Option<usize> {
    // A letter in the other case may be two of them.
    let mut starts = text.char_indices().rev().map(|(at, _)| at).take(2 * name.chars().count());
    starts.find(|at| text.get(*at..).and_then(|end| after_name(end, name)) == Some(""))
}

/// The rest of a text that begins with a name, in any case.
fn after_name<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let mut wanted = name.trim().chars().flat_map(char::to_lowercase).peekable();
    wanted.peek()?;
    let mut rest = text.chars();
    while wanted.peek().is_some() {
        if !rest.next()?.to_lowercase().all(|lower| wanted.next() == Some(lower)) {
            return None;
        }
    }
    Some(behind_stretched(rest.as_str(), name))
}

/// What stands behind a name whose last letter people draw out: "Pelllll". Three of a letter are in no name.
fn behind_stretched<'t>(rest: &'t str, name: &str) -> &'t str {
    let Some(last) = name.trim().chars().next_back() else { return rest };
    let same = |c: &char| c.to_lowercase().eq(last.to_lowercase());
    let more: usize = rest.chars().take_while(same).map(char::len_utf8).sum();
    let run = rest.chars().take_while(same).count() + name.trim().chars().rev().take_while(same).count();
    if run >= 3 { rest.get(more..).unwrap_or_default() } else { rest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_use_the_short_form_of_a_name() {
        assert_eq!(called_by("Gloria, PA"), ["Gloria, PA", "Gloria"]);
        assert_eq!(called_by("City Explorer (Story)"), ["City Explorer (Story)", "City Explorer", "City"]);
        assert_eq!(called_by("Mr. Tarry"), ["Mr. Tarry", "Tarry"]);
        assert_eq!(called_by("Mika"), ["Mika"]);
        assert_eq!(called_by("爱"), ["爱"]);
    }

    #[test]
    fn a_name_in_the_middle_of_a_word_in_katakana_or_hangul_is_none() {
        for (text, name, is_named) in [
            ("ペル、おはよう", "ペル", true),
            ("ねえペルさん", "ペル", true),
            ("スペルを間違えた", "ペル", false),
            ("ペルシャ猫が好き", "ペル", false),
            ("カフェでペルと会った", "ペル", true),
            ("펠은 어디 있어", "펠", true),
            ("오늘 펠이랑 놀았어", "펠", true),
            ("카펠라를 들었어", "펠", false),
        ] {
            assert_eq!(names_whole_word(text, name), is_named, "{text}");
        }
    }

    #[test]
    fn a_name_at_the_beginning_or_behind_a_comma_at_the_end_is_called() {
        for (text, begins) in [
            ("Ben, come here", Some(Begins::SetApart)),
            ("@ben come here", Some(Begins::SetApart)),
            ("ben", Some(Begins::SetApart)),
            ("BEN come here", Some(Begins::Sentence)),
            ("Ben's bike is here", None),
            ("bennnn come here", Some(Begins::Sentence)),
            ("Benn, come here", None),
            ("Benedict, come here", None),
            ("look, Ben", None),
        ] {
            assert_eq!(begins_with_name(text, "Ben"), begins, "{text}");
        }
        assert_eq!(begins_with_name("健太、来て", "健太"), Some(Begins::SetApart));
        assert!(
            ends_with_name("what do you think, Ben?", "ben") && ends_with_name("どう思う、健太？", "健太")
        );
        assert!(!ends_with_name("have you seen Ben?", "Ben") && !ends_with_name("that was Reuben", "ben"));
        assert!(ends_with_name("komm, İnci!", "İnci"), "one letter, two in lower case");
    }

    #[test]
    fn how_somebody_is_called_by_their_name_belongs_to_the_call() {
        for (text, name, begins) in [
            ("ペルさん、写真ないんですか", "ペル", Some(Begins::SetApart)),
            ("ペルちゃん、聞いて", "Pell", Some(Begins::SetApart)),
            ("ぺるさん！", "Pell", Some(Begins::SetApart)),
            ("Pellさん 聞いて", "Pell", Some(Begins::Sentence)),
            ("健太様、こちらへ", "健太", Some(Begins::SetApart)),
            ("펠 씨, 들어 봐", "Pell", Some(Begins::SetApart)),
            ("펠아 들어 봐", "펠", Some(Begins::Sentence)),
            ("민수야, 들어 봐", "민수", Some(Begins::SetApart)),
            ("佩尔同学，你好", "佩尔", Some(Begins::SetApart)),
            ("佩尔啊，你在吗", "佩尔", Some(Begins::SetApart)),
            ("ペルさんは、今日は来ない", "ペル", None),
            ("佩尔姐姐，你在吗", "佩尔", Some(Begins::SetApart)),
            ("佩尔姐妹，你在吗", "佩尔", None),
            ("펠 아직 안 왔어", "펠", Some(Begins::Sentence)),
        ] {
            assert_eq!(begins_with_name(text, name), begins, "{text}");
        }
        assert!(ends_with_name("どう思う、ペルさん？", "Pell") && ends_with_name("어때, 펠 씨?", "펠"));
        assert!(!ends_with_name("あれはペルさん", "Pell") && !ends_with_name("どう思う、さん？", "Pell"));
        assert_eq!(without_calls("ペルさん、犬がいるよ", &["Pell".to_owned()]), "犬がいるよ");
    }

    #[test]
    fn what_is_said_to_somebody_is_left_without_their_name() {
        let names = ["Pell".to_owned(), "Old Pell".to_owned(), "佩尔".to_owned()];
        for (text, said) in [
            ("Pell, remember that my bike is red", "remember that my bike is red"),
            ("@Pell my name is Erin", "my name is Erin"),
            ("old pell: my bike is red!", "my bike is red!"),
            ("my bike is red, Pell.", "my bike is red."),
            ("my bike is red, @Pell", "my bike is red"),
            ("Pell, my bike is red, Pell!", "my bike is red!"),
            ("佩尔，我的自行车是红色的", "我的自行车是红色的"),
            ("Pellworm is an island", "Pellworm is an island"),
            ("my friend is Pell", "my friend is Pell"),
            ("Pell!", "Pell!"),
        ] {
            assert_eq!(without_calls(text, &names), said, "{text}");
        }
    }
}
