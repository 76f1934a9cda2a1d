//! Addresses of the web, as they stand among words: none of their letters tells what somebody says, or in which language.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// With a scheme, or as people type them: with "www." or a path. Where no spaces part words, what is said goes on right behind
/// one: it has signs of ASCII and letters of scripts that set words apart.
static ADDRESS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let begins = r"[a-z][a-z0-9+.-]*://|(?-u:\b)(?:www\.|(?:[a-z0-9-]+\.)+[a-z]{2,}/)";
    Regex::new(&format!(r"(?i)(?:{begins})[[:graph:]\p{{Latin}}\p{{Greek}}\p{{Cyrillic}}]*")).ok()
});

/// Where the addresses of a text stand, in bytes, in their order.
pub fn addresses(text: &str) -> impl Iterator<Item = Range<usize>> {
    ADDRESS.iter().flat_map(move |address| address.find_iter(text)).map(|found| found.range())
}

/// A text with a space instead of each of its addresses.
pub fn without_addresses(text: &str) -> Cow<'_, str> {
    match &*ADDRESS {
        Some(address) => address.replace_all(text, " "),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_ends_where_the_next_word_begins() {
        for (text, found) in [
            ("see https://example.com/a-b?c=1 now", vec!["https://example.com/a-b?c=1"]),
            ("川はhttps://example.com/a。次", vec!["https://example.com/a"]),
            ("www.example.com，WWW.EXAMPLE.ORG", vec!["www.example.com", "WWW.EXAMPLE.ORG"]),
            ("https://ru.wikipedia.org/wiki/Лодка", vec!["https://ru.wikipedia.org/wiki/Лодка"]),
            ("it is on example.com/para, I think", vec!["example.com/para,"]),
            ("awww. so cute. And/or? z.B./d.h.: 12:30", vec![]),
        ] {
            let all: Vec<&str> = addresses(text).map(|range| &text[range]).collect();
            assert_eq!(all, found, "{text}");
        }
        assert_eq!(without_addresses("川はwww.example.comです"), "川は です");
    }
}
