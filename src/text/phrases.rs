//! Turns of phrase, one file a language.
//!
//! Owns how files of phrases are written: a line that begins with `#` is a comment, `[section]` begins a section, and
//! phrases are parted by commas and ends of lines, in any case, with accents and apostrophes as people write them. All
//! languages count at once, since people mix them. Must not know what a phrase asks for. Start reading at [`phrases`].

use std::collections::HashMap;
use std::sync::LazyLock;

use super::cues::Cues;

/// The languages, in the order in which their phrases are looked for.
const LANGUAGES: [&str; 13] = [
    include_str!("phrases/en.txt"),
    include_str!("phrases/de.txt"),
    include_str!("phrases/fr.txt"),
    include_str!("phrases/es.txt"),
    include_str!("phrases/pt.txt"),
    include_str!("phrases/it.txt"),
    include_str!("phrases/nl.txt"),
    include_str!("phrases/pl.txt"),
    include_str!("phrases/ru.txt"),
    include_str!("phrases/tr.txt"),
    include_str!("phrases/ja.txt"),
    include_str!("phrases/zh.txt"),
    include_str!("phrases/ko.txt"),
];

/// The phrases of a section in every language, as [`Cues`] compares them; none where no language has the section.
#[must_use]
pub fn phrases(section: &str) -> &'static [String] {
    static READ: LazyLock<HashMap<&str, Vec<String>>> = LazyLock::new(|| {
        let mut read: HashMap<&str, Vec<String>> = HashMap::new();
        for (section, phrases) in LANGUAGES.into_iter().flat_map(sections) {
            let comparable = phrases.into_iter().map(|phrase| Cues::of(phrase).text().to_owned());
            read.entry(section).or_default().extend(comparable);
        }
        read
    });
    READ.get(section).map_or(&[], Vec::as_slice)
}

/// What a file of phrases holds: each section's name, and its phrases as written.
pub fn sections(file: &str) -> impl Iterator<Item = (&str, Vec<&str>)> {
    file.split("\n[").skip(1).filter_map(|section| section.split_once("]\n")).map(|(name, phrases)| {
        (name, phrases.split([',', '\n']).map(str::trim).filter(|phrase| !phrase.is_empty()).collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_asks_what_time_and_what_day_it_is() {
        for file in LANGUAGES {
            let language = file.lines().next().unwrap();
            let read: HashMap<_, _> = sections(file).collect();
            assert_eq!(read.len(), file.matches("\n[").count(), "{language}: a section stands twice");
            assert!(read.values().flatten().all(|phrase| !Cues::of(phrase).text().is_empty()), "{language}");
            for section in ["time", "date", "who_is_here", "what_did_i_miss", "birthday"] {
                assert!(!read[section].is_empty(), "{language}: {section}");
                assert!(phrases(section).len() >= LANGUAGES.len(), "{section}");
            }
        }
        assert!(phrases("no such section").is_empty());
    }
}
