//! Words of human languages stand in data.

use std::fs;

use super::{is_test_file, our_files, production_lines, root};

/// Letters of scripts other than Latin that stand in code, where they are no words that a file of phrases could hold.
const LETTERS: [(&str, &str); 5] = [
    // Dice are written "2д6" and "2к6" as others write "2d6".
    ("crates/cards/src/dice.rs", "дДкК"),
    // The mark of a long vowel.
    ("crates/chat/src/text/names/spelled.rs", "ー"),
    // The ends of an alphabet.
    ("crates/chat/src/text/phrases.rs", "ая"),
    // The letter whose breve is no accent.
    ("crates/chat/src/text/spelling.rs", "иИ"),
    // Roles in two scripts that no language of the phrases is written in.
    ("crates/pipeline/src/world/names.rs", "النظامप्रणाली"),
];

fn is_of_another_script(letter: char) -> bool {
    letter.is_alphabetic() && letter > '\u{24f}' && !matches!(letter, '\u{1e00}'..='\u{1eff}')
}

#[test]
fn words_of_other_scripts_stand_with_the_phrases_of_their_language() {
    let mut wrong = Vec::new();
    for file in our_files().into_iter().filter(|file| !is_test_file(file)) {
        let allowed =
            LETTERS.iter().find(|(path, _)| file.ends_with(path)).map_or("", |(_, letters)| *letters);
        let text = fs::read_to_string(&file).unwrap();
        for (number, line) in production_lines(&text) {
            if line.chars().any(|c| is_of_another_script(c) && !allowed.contains(c)) {
                wrong.push(format!("{}:{number}: {}", file.display(), line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "see crates/chat/src/text/phrases/README.md:\n{}", wrong.join("\n"));
    for (path, letters) in LETTERS {
        let text = fs::read_to_string(root().join(path)).unwrap();
        assert!(letters.chars().all(|c| text.contains(c)), "{path} no longer holds all of {letters}");
    }
}
