//! Whether a message asks the familiar to forget something.
//!
//! Owns the words for that. A character can promise to forget and cannot do it, so whoever asks is told what does. Start
//! reading at [`asks_to_forget`].

use crate::text::short::one_line;

/// How people ask for it, in lower case.
const ASKS: [&str; 42] = [
    "forget what i",
    "forget everything",
    "forget me",
    "forget about me",
    "forget that i",
    "forget my",
    "forget all",
    "delete my",
    "delete everything",
    "delete what",
    "erase my",
    "erase everything",
    "erase what",
    "vergiss, was ich",
    "vergiss was ich",
    "vergiss mich",
    "vergiss alles",
    "vergiss, dass ich",
    "lösch mein",
    "lösche mein",
    "lösch alles",
    "lösche alles",
    "olvida lo que",
    "olvídame",
    "olvida todo",
    "borra mi",
    "oublie ce que",
    "oublie-moi",
    "oublie moi",
    "oublie tout",
    "efface mes",
    "dimentica quello",
    "dimenticami",
    "esquece o que",
    "esqueça o que",
    "vergeet wat ik",
    "vergeet mij",
    "zapomnij o mnie",
    "забудь",
    "忘れて",
    "忘记我",
    "忘了我",
];

/// Before them, they ask for the opposite.
const NOT: [&str; 9] = ["don't", "don’t", "never", "not", "cannot", "can't", "won't", "не", "ne"];

/// Whether it does. Told to somebody who did not mean it, it is a line too many; not told, it is a promise nobody keeps.
pub(in crate::discord) fn asks_to_forget(text: &str) -> bool {
    let text = one_line(text).to_lowercase();
    ASKS.iter().any(|ask| {
        text.match_indices(ask).any(|(at, _)| {
            let before = text.get(..at).unwrap_or_default();
            let is_word = !before.ends_with(char::is_alphabetic) || !ask.is_ascii() && !ask.contains(' ');
            is_word && before.split_whitespace().last().is_none_or(|last| !NOT.contains(&last))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_asks_to_forget_is_told_from_whoever_asks_not_to() {
        for text in [
            "Mika, forget what I said about my sister",
            "please FORGET me",
            "vergiss bitte alles? nein: vergiss alles!",
            "olvida lo que te dije",
            "さっきのは忘れて",
            "забудь об этом",
            "delete my data",
        ] {
            assert!(asks_to_forget(text), "{text}");
        }
        for text in [
            "don't forget me",
            "never forget what I said",
            "не забудь",
            "I forgot my keys",
            "forget it, let's go",
            "unforget me",
            "do not delete my notes",
        ] {
            assert!(!asks_to_forget(text), "{text}");
        }
    }
}
