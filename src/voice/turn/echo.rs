//! Is that its own voice coming back?
//!
//! Owns the comparison of what was heard with what was just said. Discord's clients cancel echo, mostly. Start reading
//! at [`is_echo`].

use std::collections::HashSet;

use crate::voice::endpoint::normalized;

/// This much of what was heard must stand in what was said (specs voice 2.4).
const ALIKE: f64 = 0.6;

/// Shorter things are said by many people.
const LEAST: usize = 10;

/// Whether `heard` is mostly what the familiar said itself. Compares runs of three letters.
#[must_use]
pub fn is_echo(heard: &str, said: &str) -> bool {
    let heard = normalized(heard);
    if heard.chars().count() < LEAST {
        return false;
    }
    let said: HashSet<[char; 3]> = trigrams(&normalized(said)).collect();
    let (mut all, mut alike) = (0_u32, 0_u32);
    for run in trigrams(&heard) {
        all += 1;
        alike += u32::from(said.contains(&run));
    }
    all > 0 && f64::from(alike) / f64::from(all) >= ALIKE
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
        assert!(!is_echo("tonight", said), "one word may be anybody's");
        assert!(!is_echo("I have no idea what you are talking about", said));
    }
}
