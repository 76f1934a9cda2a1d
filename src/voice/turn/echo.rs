//! Is that its own voice coming back?
//!
//! Owns the comparison of what was heard with what was just said. Discord's clients cancel echo, mostly. Start reading
//! at [`is_echo`].

use std::collections::HashSet;
use std::hash::Hash;

use crate::voice::endpoint::normalized;

/// This much of what was heard must stand in what was said (specs voice 2.4).
const ALIKE: f64 = 0.6;

/// This much of its pairs of words must follow each other there as well: the runs of three letters in a long reply are
/// those of half the language.
const IN_ORDER: f64 = 0.4;

/// Shorter things are said by many people.
const LEAST: usize = 10;

/// Whether `heard` is mostly what the familiar said itself. Compares runs of three letters, and pairs of words.
#[must_use]
pub fn is_echo(heard: &str, said: &str) -> bool {
    let (heard, said) = (normalized(heard), normalized(said));
    heard.chars().count() >= LEAST
        && share(trigrams(&heard), &trigrams(&said).collect()) >= ALIKE
        && share(pairs(&heard), &pairs(&said).collect()) >= IN_ORDER
}

/// How many of these are among those; none of none.
fn share<T: Eq + Hash>(these: impl Iterator<Item = T>, those: &HashSet<T>) -> f64 {
    let (mut all, mut alike) = (0_u32, 0_u32);
    for one in these {
        all += 1;
        alike += u32::from(those.contains(&one));
    }
    f64::from(alike) / f64::from(all.max(1))
}

fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split(' ').zip(text.split(' ').skip(1))
}

fn trigrams(text: &str) -> impl Iterator<Item = [char; 3]> {
    let letters: Vec<char> = text.chars().collect();
    (0..letters.len().saturating_sub(2)).filter_map(move |at| letters.get(at..at + 3)?.try_into().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_own_words_are_known_again_and_others_are_not() {
        let said = "The river is high tonight, so the ferry will not run before eight.";
        assert!(is_echo("ferry will not run before 8", said));
        assert!(is_echo("the river is hi tonight so the", said));
        assert!(!is_echo("so when does it run", said));
        assert!(!is_echo("when will there be ferries tonight", said), "common letters, other words");
        assert!(!is_echo("tonight", said), "one word may be anybody's");
        assert!(!is_echo("I have no idea what you are talking about", said));
    }
}
