//! Does this hang together as a sentence? A rough look, by the small closed classes of English words alone.
//!
//! Owns what can be told without a dictionary: a subject with something behind it, a request, a clause that only leads up
//! to another one. Must not know punctuation or time. Start reading at [`is_whole`].

/// Who does something.
const SUBJECTS: [&str; 18] = [
    "i",
    "you",
    "he",
    "she",
    "it",
    "we",
    "they",
    "this",
    "that",
    "there",
    "nobody",
    "everybody",
    "everyone",
    "someone",
    "somebody",
    "nothing",
    "everything",
    "something",
];

/// With these somebody does, or is.
const FINITE: [&str; 42] = [
    "am",
    "is",
    "are",
    "was",
    "were",
    "has",
    "have",
    "had",
    "do",
    "does",
    "did",
    "can",
    "could",
    "will",
    "would",
    "shall",
    "should",
    "must",
    "may",
    "might",
    "won't",
    "can't",
    "don't",
    "doesn't",
    "didn't",
    "isn't",
    "aren't",
    "wasn't",
    "weren't",
    "haven't",
    "hasn't",
    "hadn't",
    "couldn't",
    "wouldn't",
    "shouldn't",
    "got",
    "went",
    "said",
    "came",
    "made",
    "knows",
    "works",
];

/// With these a request begins.
const REQUESTS: [&str; 44] = [
    "tell", "give", "show", "read", "play", "put", "set", "turn", "stop", "start", "let", "let's", "have",
    "go", "come", "look", "ask", "call", "remind", "add", "open", "close", "make", "find", "search", "write",
    "sing", "help", "try", "take", "send", "explain", "describe", "keep", "bring", "get", "check",
    "remember", "repeat", "leave", "change", "use", "pick", "don't",
];

/// With these a clause begins that leads up to another one.
const LEADING_UP: [&str; 17] = [
    "if", "when", "while", "because", "since", "although", "though", "before", "after", "until", "unless",
    "once", "whenever", "wherever", "whereas", "as", "imagine",
];

/// Said first, these only prepare.
const PREPARING: [&str; 24] = [
    "so",
    "anyway",
    "well",
    "and",
    "but",
    "um",
    "uh",
    "hm",
    "hmm",
    "oh",
    "okay",
    "ok",
    "yeah",
    "right",
    "honestly",
    "basically",
    "actually",
    "first",
    "second",
    "then",
    "now",
    "look",
    "listen",
    "also",
];

/// Whether it is a sentence as it stands: a statement or a request.
pub fn is_whole(said: &[String]) -> bool {
    let said = prepared(said);
    let Some(first) = said.first().map(String::as_str) else { return false };
    if leads_up(said) {
        return false;
    }
    let behind = said.len() - 1;
    if SUBJECTS.contains(&first) {
        return behind >= 2;
    }
    if is_contracted(first) {
        return behind >= 1;
    }
    if REQUESTS.contains(&first) {
        return behind >= 2;
    }
    // "my phone is broken", "the man I met was a sailor"
    let verb = said.iter().skip(1).position(|word| FINITE.contains(&word.as_str()) || is_contracted(word));
    verb.is_some_and(|at| at + 2 < said.len())
}

/// Whether something must come: nothing was said that was not preparation, or only what leads up to it.
pub fn must_go_on(said: &[String]) -> bool {
    let rest = prepared(said);
    (rest.is_empty() && said.len() >= 2) || leads_up(rest)
}

/// "when I was a kid", without what was then. A question with the same word turns verb and subject round.
fn leads_up(said: &[String]) -> bool {
    let (Some(first), Some(second)) = (said.first(), said.get(1)) else { return false };
    if !LEADING_UP.contains(&first.as_str()) || FINITE.contains(&second.as_str()) {
        return false;
    }
    // Two who do something are two clauses.
    let subjects =
        said.iter().filter(|word| SUBJECTS.contains(&word.as_str()) || is_contracted(word)).count();
    let owners = said.iter().filter(|word| matches!(word.as_str(), "my" | "your" | "the" | "our")).count();
    subjects < 2 && (subjects + owners < 2 || said.len() < 7)
}

fn prepared(said: &[String]) -> &[String] {
    let from = said.iter().position(|word| !PREPARING.contains(&word.as_str())).unwrap_or(said.len());
    said.get(from..).unwrap_or_default()
}

/// "I'm", "it's", "they've", "we'll".
fn is_contracted(word: &str) -> bool {
    word.split_once('\'').is_some_and(|(who, rest)| {
        SUBJECTS.contains(&who) && matches!(rest, "m" | "s" | "re" | "ve" | "ll" | "d")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voice::endpoint::words;

    #[test]
    fn sentences_are_told_from_parts_of_them() {
        for text in [
            "I like old ships",
            "it's cold",
            "well we could try that",
            "my bicycle is broken",
            "put the kettle on",
            "when I came home everything was dark",
            "there is a hole in it",
        ] {
            assert!(is_whole(&words(text)), "{text}");
        }
        for text in ["my bicycle", "I like", "in the morning", "the bicycle is", "when I came home", "so", ""]
        {
            assert!(!is_whole(&words(text)), "{text}");
        }
    }

    #[test]
    fn what_only_leads_up_to_something_must_go_on() {
        for text in ["when I came home", "if you ask me", "because of that", "so anyway", "okay well"] {
            assert!(must_go_on(&words(text)), "{text}");
        }
        for text in ["when is lunch", "if you want I can come", "okay", "I came home", ""] {
            assert!(!must_go_on(&words(text)), "{text}");
        }
    }
}
