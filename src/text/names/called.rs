//! By which names somebody is called, and whether a text says one of them.
//!
//! Owns the rule that decides "its name was said". Must not know whose names they are. Start reading at
//! [`names_whole_word`].

/// Words in front of a name that are no name.
const TITLES: [&str; 12] =
    ["the", "a", "an", "mr", "mrs", "ms", "miss", "dr", "sir", "lady", "lord", "captain"];

/// What a character of this name is called by people: the whole name, the name without what follows a comma or
/// bracket ("Gloria, PA"), and its first word that is no title.
#[must_use]
pub fn called_by(name: &str) -> Vec<String> {
    let bare = name.split([',', '(', '[']).next().unwrap_or(name).trim();
    let is_title = |word: &str| TITLES.contains(&word.trim_end_matches('.').to_lowercase().as_str());
    let first = bare.split_whitespace().find(|word| !is_title(word) && word.chars().count() >= 3);
    let mut names = vec![name.trim().to_owned()];
    for short in std::iter::once(bare).chain(first).filter(|short| !short.is_empty()) {
        if !names.iter().any(|known| known == short) {
            names.push(short.to_owned());
        }
    }
    names
}

/// Whether `name` stands in `text` as a word of its own, in any case. Scripts without word spaces (a name next to
/// another ideograph) count as found.
#[must_use]
pub fn names_whole_word(text: &str, name: &str) -> bool {
    let name = name.trim().to_lowercase();
    if name.is_empty() {
        return false;
    }
    let text = text.to_lowercase();
    let spaced = name.chars().all(|c| !is_unspaced(c));
    text.match_indices(&name).any(|(at, found)| {
        let before = text[..at].chars().next_back();
        let after = text[at + found.len()..].chars().next();
        !spaced || (!before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric))
    })
}

/// Kana, CJK ideographs, Hangul and Thai are written without spaces between words (or with particles attached).
fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c), 0x0E00..=0x0E7F | 0x3040..=0x30FF | 0x3400..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF)
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
}
