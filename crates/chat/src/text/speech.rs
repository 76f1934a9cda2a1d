//! A text as it can be said aloud.
//!
//! Owns what of Markdown, emoji and addresses is left out. Must not know who speaks. Start reading at [`speakable`].

use super::short::one_line;

/// Marks of Markdown and of chat clients that say nothing aloud, longest first.
const MARKS: [&str; 7] = ["***", "**", "__", "~~", "||", "*", "_"];

/// A text without Markdown, emoji, links' addresses and lists' bullets, on one line. Its words stay, and so do
/// mentions, which a chat client shows as names.
pub fn speakable(text: &str) -> String {
    lines_as(text, |words, is_item| {
        let mut words = one_line(&without_emoji(words));
        if is_item && words.ends_with(char::is_alphanumeric) {
            words.push('.');
        }
        words
    })
}

/// A text without Markdown and links' addresses, on one line: to be read in short.
pub fn plain_line(text: &str) -> String {
    lines_as(text, |words, _| one_line(words))
}

/// The lines in one, each without marks and as `shown` gives it, which is told whether it is one of a list.
fn lines_as(text: &str, shown: impl Fn(&str, bool) -> String) -> String {
    let mut said = String::new();
    for line in text.lines() {
        let line = line.trim();
        if is_rule(line) {
            continue;
        }
        let (words, is_item) = without_line_marks(line);
        let words = shown(&without_marks(&without_links(words)), is_item);
        if words.is_empty() {
            continue;
        }
        if !said.is_empty() {
            said.push(' ');
        }
        said.push_str(&words);
    }
    said
}

/// A fence, a ruler, the line under a table's head.
fn is_rule(line: &str) -> bool {
    line.starts_with("```") && !line[3..].contains('`') && !line[3..].contains(' ')
        || (line.len() >= 3 && line.chars().all(|c| matches!(c, '-' | '=' | '_' | '*' | '|' | ':' | ' ')))
}

/// The line without heading, quotation and list marks, and whether it was one of a list.
fn without_line_marks(line: &str) -> (&str, bool) {
    let mut rest = line;
    let mut is_item = false;
    loop {
        let hashes = rest.bytes().take_while(|byte| *byte == b'#').count();
        if (1..=6).contains(&hashes) && rest[hashes..].starts_with(' ') {
            rest = rest[hashes..].trim_start();
        } else if let Some(quoted) = rest.strip_prefix("-# ").or_else(|| rest.strip_prefix("> ")) {
            rest = quoted.trim_start();
        } else if let Some(item) =
            ["- [ ] ", "- [x] ", "- ", "* ", "+ ", "• "].iter().find_map(|mark| rest.strip_prefix(mark))
        {
            rest = item.trim_start();
            is_item = true;
        } else {
            return (rest, is_item);
        }
    }
}

/// `[words](address)` becomes its words, a bare address the name of its site.
fn without_links(text: &str) -> String {
    let mut said = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some((words, length)) = named_link(rest) {
            said.push_str(words);
            rest = &rest[length..];
        } else if let Some((site, length)) = bare_link(rest) {
            said.push_str(site);
            rest = &rest[length..];
        } else {
            said.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    said
}

fn named_link(rest: &str) -> Option<(&str, usize)> {
    let inside = rest.strip_prefix('[')?;
    let (words, after) = inside.split_once("](")?;
    let end = after.find(')')?;
    let is_link = !words.contains(['[', '\n']) && !after[..end].contains(char::is_whitespace);
    is_link.then_some((words, 1 + words.len() + 2 + end + 1))
}

/// The address that a text begins with: the name of its site, and its length in bytes.
pub(super) fn bare_link(rest: &str) -> Option<(&str, usize)> {
    let open = usize::from(rest.starts_with('<'));
    let scheme = ["https://", "http://"].iter().find(|scheme| rest[open..].starts_with(**scheme))?;
    let address = &rest[open + scheme.len()..];
    let end = address
        .find(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | ')' | '|'))
        .unwrap_or(address.len());
    let whole = address[..end].trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '_', '~']);
    let site = whole.split(['/', '?', '#']).next().unwrap_or_default();
    let site = site.strip_prefix("www.").unwrap_or(site);
    let mut length = open + scheme.len() + whole.len();
    if open == 1 && rest[length..].starts_with('>') {
        length += 1;
    }
    (!site.is_empty()).then_some((site, length))
}

/// Emphasis goes, and the backticks around code. An underscore or asterisk between letters or digits is part of a word.
fn without_marks(text: &str) -> String {
    let mut said = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if first == '`' {
            rest = &rest[1..];
            continue;
        }
        if first == '\\' && rest[1..].starts_with(['*', '_', '~', '|', '`', '#', '>', '-']) {
            said.extend(rest[1..].chars().next());
            rest = &rest[2..];
            continue;
        }
        let mark = MARKS.iter().find(|mark| rest.starts_with(**mark));
        match mark {
            Some(mark) if !is_inside_word(&said, &rest[mark.len()..]) => rest = &rest[mark.len()..],
            Some(mark) => {
                said.push_str(mark);
                rest = &rest[mark.len()..];
            }
            None => {
                said.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    said
}

fn is_inside_word(before: &str, after: &str) -> bool {
    let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let spaced = before.ends_with(' ') && after.starts_with(' ');
    (word(before.chars().last()) && word(after.chars().next())) || spaced
}

/// Emoji, and the codes that stand for a server's own.
fn without_emoji(text: &str) -> String {
    let mut said = String::with_capacity(text.len());
    let mut rest = text;
    let mut after_emoji = false;
    let mut dropped = false;
    while let Some(first) = rest.chars().next() {
        if let Some(length) = emoji_code(rest) {
            rest = &rest[length..];
            dropped = true;
            continue;
        }
        // Between letters of some scripts a joiner does its proper work.
        after_emoji = is_emoji(first) || (after_emoji && first == '\u{200d}');
        dropped |= after_emoji;
        if !after_emoji {
            if dropped && matches!(first, '.' | ',' | ';' | ':' | '!' | '?') {
                said.truncate(said.trim_end().len());
            }
            dropped &= first.is_whitespace();
            said.push(first);
        }
        rest = &rest[first.len_utf8()..];
    }
    said
}

fn emoji_code(rest: &str) -> Option<usize> {
    if let Some(inside) = rest.strip_prefix('<') {
        let end = inside.find('>')?;
        let name = inside[..end].strip_prefix("a:").or_else(|| inside[..end].strip_prefix(':'))?;
        return (!name.contains(char::is_whitespace)).then_some(end + 2);
    }
    let inside = rest.strip_prefix(':')?;
    let end = inside.find(':')?;
    let name = &inside[..end];
    let is_name = name.len() >= 2
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+'))
        && name.bytes().any(|byte| byte.is_ascii_alphabetic());
    is_name.then_some(end + 2)
}

fn is_emoji(character: char) -> bool {
    matches!(character,
        '\u{1f000}'..='\u{1faff}' | '\u{2600}'..='\u{27bf}' | '\u{2b05}'..='\u{2b55}' | '\u{231a}'..='\u{231b}'
        | '\u{23e9}'..='\u{23ff}' | '\u{fe0e}' | '\u{fe0f}' | '\u{20e3}' | '\u{e0020}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_reply_becomes_what_can_be_said() {
        for (written, said) in [
            ("**Well**, *that* is _nice_.", "Well, that is nice."),
            ("# Plans\n- tea\n- a walk\n- sleep!", "Plans tea. a walk. sleep!"),
            (
                "See [the map](https://a.example/b?c=1) or <https://www.b.example/x>.",
                "See the map or b.example.",
            ),
            ("Sure! 😀👩‍👩‍👧 <:wave:12> :tada:", "Sure!"),
            ("> quoted\n||secret|| ~~no~~ yes", "quoted secret no yes"),
            ("||https://a.example/b|| ~~https://b.example~~", "a.example b.example"),
            ("Use `snake_case` and 2*3 = 6.", "Use snake_case and 2*3 = 6."),
            ("```rust\nlet a = 1;\n```", "let a = 1;"),
            ("Ask <@12> at 20:15.", "Ask <@12> at 20:15."),
            ("1. first\n2. second", "1. first 2. second"),
            ("It costs 2 * 3.", "It costs 2 * 3."),
            ("\\*not a mark\\*", "*not a mark*"),
            ("---", ""),
        ] {
            assert_eq!(speakable(written), said, "{written}");
        }
    }

    #[test]
    fn a_text_in_short_keeps_its_emoji_and_nothing_of_markdown() {
        for (written, shown) in [
            ("The kettle is *hot*, and the **lamp** is ||off||", "The kettle is hot, and the lamp is off"),
            ("# Plans\n- tea 😀\n- [a walk](https://a.example)", "Plans tea 😀 a walk"),
            // Cut in the middle of what is emphasised.
            ("so **very", "so very"),
        ] {
            assert_eq!(plain_line(written), shown, "{written}");
        }
    }

    proptest! {
        #[test]
        fn words_and_numbers_stay_in_their_order(
            words in prop::collection::vec("[a-z]{1,6}|[0-9]{1,4}|[*_~`#>-]{1,3}|😀|\n", 0..20)
        ) {
            let text = words.join(" ");
            let plain = |text: &str| {
                text.chars().filter(|c| c.is_alphanumeric()).collect::<String>()
            };
            prop_assert_eq!(plain(&speakable(&text)), plain(&text));
        }

        #[test]
        fn any_text_is_survived_and_nothing_is_added(text in "\\PC{0,80}") {
            let said = speakable(&text);
            prop_assert!(said.chars().filter(|c| *c != '.' && *c != ' ').all(|c| text.contains(c)));
            prop_assert!(!said.contains('\n'));
        }
    }
}
