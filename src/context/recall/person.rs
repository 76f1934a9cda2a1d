//! Whether words speak of whoever says it, or of whoever hears it. English and German.

const FIRST: [&str; 20] = [
    "i", "im", "ive", "me", "my", "mine", "myself", "we", "our", "ours", "us", "ich", "mich", "mir", "mein",
    "meine", "meinen", "wir", "uns", "unser",
];

const SECOND: [&str; 14] = [
    "you", "your", "yours", "yourself", "u", "ur", "du", "dich", "dir", "dein", "deine", "deinen", "ihr",
    "euch",
];

/// Whether a folded word means whoever speaks.
pub(super) fn is_first(word: &str) -> bool {
    FIRST.contains(&word)
}

/// Whether a folded word means whoever hears it.
pub(super) fn is_second(word: &str) -> bool {
    SECOND.contains(&word)
}

/// How much a text speaks of whoever says it: the share of the former words among both, 0 to below 1; one of the latter
/// is always taken to be there.
pub(super) fn speaks_of_itself(first: u16, second: u16) -> f32 {
    f32::from(first) / (f32::from(first) + f32::from(second) + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::keywords;

    fn share(text: &str) -> f32 {
        let count = |is: fn(&str) -> bool| keywords::words(text).map(|word| u16::from(is(&word))).sum();
        speaks_of_itself(count(is_first), count(is_second))
    }

    #[test]
    fn what_somebody_tells_of_themselves_is_told_from_what_they_say_of_others() {
        assert!(share("I'm off to swim with my kids") > 0.6);
        assert!(share("Ich habe mein Boot verkauft") > 0.6);
        assert!(share("You'd be a great counselor, I think") < 0.4);
        assert_eq!(share("The ferry is late"), 0.0);
    }
}
