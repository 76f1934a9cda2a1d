//! Whether a text speaks of whoever says it, or of whoever hears it. English and German.

use crate::text::keywords;

const FIRST: [&str; 20] = [
    "i", "im", "ive", "me", "my", "mine", "myself", "we", "our", "ours", "us", "ich", "mich", "mir", "mein",
    "meine", "meinen", "wir", "uns", "unser",
];

const SECOND: [&str; 14] = [
    "you", "your", "yours", "yourself", "u", "ur", "du", "dich", "dir", "dein", "deine", "deinen", "ihr",
    "euch",
];

/// The share of words about whoever speaks among the words about people who talk, 0 to below 1; one of the latter is
/// always taken to be there.
pub(super) fn speaks_of_itself(text: &str) -> f32 {
    let (mut first, mut second) = (0.0, 0.0);
    keywords::each_word(text, |word| {
        first += f32::from(u8::from(FIRST.contains(&word)));
        second += f32::from(u8::from(SECOND.contains(&word)));
    });
    first / (first + second + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_tells_of_themselves_is_told_from_what_they_say_of_others() {
        assert!(speaks_of_itself("I'm off to swim with my kids") > 0.6);
        assert!(speaks_of_itself("Ich habe mein Boot verkauft") > 0.6);
        assert!(speaks_of_itself("You'd be a great counselor, I think") < 0.4);
        assert_eq!(speaks_of_itself("The ferry is late"), 0.0);
    }
}
