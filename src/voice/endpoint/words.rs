//! Small closed sets of words that decide whose turn it is: "wait", "stop".
//!
//! Owns the lists and how words are compared. Must not know time. Start reading at [`words`].

/// Said over somebody, these mean: stop talking.
const STOPS: [&str; 8] = ["stop", "wait", "halt", "enough", "quiet", "shush", "stopp", "silence"];

/// Stop words of more than one word.
const STOP_PHRASES: [&str; 10] = [
    "hold on",
    "hang on",
    "shut up",
    "be quiet",
    "stop it",
    "stop talking",
    "one moment",
    "one second",
    "never mind",
    "that's enough",
];

/// Behind these a stop word at the end is none.
const NO_STOPS_BEHIND: [&str; 15] = [
    "can't", "cannot", "couldn't", "don't", "didn't", "won't", "never", "a", "the", "bus", "tram", "train",
    "full", "so", "very",
];

/// Hesitation that carries nothing; left out where two transcripts are compared.
const FILLERS: [&str; 9] = ["uh", "um", "uhm", "er", "erm", "hm", "hmm", "ah", "äh"];

/// The words of one kind in a data file, those of all languages: a line there is a kind, a language and its words.
pub(super) fn listed(data: &'static str, kind: &'static str) -> impl Iterator<Item = &'static str> {
    let lines = data.lines().filter(|line| !line.starts_with('#')).map(str::split_whitespace);
    lines.filter_map(move |mut fields| (fields.next()? == kind).then(|| fields.skip(1))).flatten()
}

/// The words of a transcript, in small letters, without punctuation. Apostrophes inside words stay.
#[must_use]
pub fn words(text: &str) -> Vec<String> {
    text.split(|c: char| c.is_whitespace() || matches!(c, '-' | '–' | '—' | '/' | '…'))
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase().replace('’', "'"))
        .filter(|word| !word.is_empty())
        .collect()
}

/// A transcript as it is compared with another of the same speech: case, punctuation and hesitation do not matter.
#[must_use]
pub fn normalized(text: &str) -> String {
    let mut kept = words(text);
    kept.retain(|word| !FILLERS.contains(&word.as_str()));
    kept.join(" ")
}

/// Whether this, said over the familiar, tells it to stop: a stop word or phrase at the beginning or the end of little
/// else, or one that stands alone. "I could not stop laughing" does not.
#[must_use]
pub fn says_stop(text: &str, names: &[String]) -> bool {
    let mut said = words(text);
    said.retain(|word| !names.iter().any(|name| name.to_lowercase() == *word));
    while said
        .first()
        .is_some_and(|word| ["hey", "no", "oh", "okay", "ok", "please", "but"].contains(&word.as_str()))
    {
        said.remove(0);
    }
    let opens = |phrase: &str| said.join(" ").starts_with(phrase);
    let is_one = |word: &String| STOPS.contains(&word.as_str());
    // "I can't wait", "the bus stop", "fair enough".
    let before = said.len().checked_sub(2).and_then(|at| said.get(at)).map_or("", String::as_str);
    let last = said.last().map_or("", String::as_str);
    let is_part = NO_STOPS_BEHIND.contains(&before) || last == "enough" || (before == "to" && last == "wait");
    let ends = said.len() <= 4 && !is_part && said.last().is_some_and(is_one);
    said.first().is_some_and(is_one) || STOP_PHRASES.iter().any(|phrase| opens(phrase)) || ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_is_heard_where_it_is_meant() {
        let names = ["Mika".to_owned()];
        for stop in [
            "Stop.",
            "Mika, wait!",
            "hold on a second",
            "no stop",
            "okay that's enough",
            "Please stop",
            "Hey Mika shut up",
            "you need to stop",
        ] {
            assert!(says_stop(stop, &names), "{stop}");
        }
        for other in [
            "I could not stop laughing at the bus",
            "the train has a long stop there you know",
            "yeah",
            "quietly, of course",
            "I can't wait",
            "we have to wait",
            "fair enough",
            "that's the bus stop",
            "don't stop",
        ] {
            assert!(!says_stop(other, &names), "{other}");
        }
    }

    #[test]
    fn transcripts_that_differ_only_in_writing_are_the_same() {
        assert_eq!(normalized("Um, what’s the time?"), normalized("what's the time"));
        assert_ne!(normalized("what is the time"), normalized("what was the time"));
    }
}
