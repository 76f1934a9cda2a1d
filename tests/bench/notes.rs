//! What a familiar believes about people: a folder of Markdown notes, as large as it may be.

use std::fs;

use familiar_connect::config::FamiliarHome;

use crate::corpus::{PEOPLE, words};

/// Words of every paragraph.
const WORDS_A_PARAGRAPH: u64 = 24;

/// Puts notes about `count` people where the familiar of `home` keeps them: of the seven who speak here, then of others
/// on the same server. Two paragraphs each, under headings, with a name to be called by.
pub fn put(count: u64, home: &FamiliarHome) {
    let folder = home.memory_dir().join("people");
    fs::create_dir_all(&folder).unwrap();
    for number in 0..count {
        let name = match PEOPLE.get(usize::try_from(number).unwrap()) {
            Some(name) => (*name).to_owned(),
            None => format!("Person{number}"),
        };
        let (likes, told) = (
            words(number * 2 + 1_000_000, WORDS_A_PARAGRAPH),
            words(number * 2 + 1_000_001, WORDS_A_PARAGRAPH),
        );
        let note = format!(
            "---\naudience: guild:7\naliases: [{name}]\n---\n# {name}\n\n## Likes\n\n{likes}.\n\n## Told me\n\n{told}.\n"
        );
        fs::write(folder.join(format!("discord-{}.md", 100 + number)), note).unwrap();
    }
}
