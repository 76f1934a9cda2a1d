//! Is that all they wanted to say? By the words alone.
//!
//! Owns the rules that read a transcript, stable or not (specs voice 2.2 c). Must not know time or sound. Start reading
//! at [`completeness`].

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::clause::{is_whole, must_go_on};
use super::talk::TALK;
use super::words::{PhraseList, between_commas, weight, words};
use crate::text::names::names_whole_word;
use crate::text::phrases::{self, Languages, is_of};

/// How finished what was said sounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Completeness {
    /// A question, an answer, a whole sentence.
    Finished,
    /// It hangs together, as far as can be told without punctuation; more may come.
    Likely,
    /// Cannot be told.
    Unknown,
    /// It breaks off in the middle.
    Unfinished,
    /// They asked for time.
    Wait,
}

impl Completeness {
    /// With what their voice tells, where a model heard that: where both say the same, that is so; where they do not, neither
    /// is believed alone.
    #[must_use]
    pub fn and_sounds(self, finished: Option<bool>) -> Self {
        match (self, finished) {
            (said, None) | (said @ Self::Wait, _) => said,
            (Self::Finished, Some(false)) => Self::Unknown,
            (Self::Unfinished, Some(true)) => Self::Likely,
            (_, Some(true)) => Self::Finished,
            (_, Some(false)) => Self::Unfinished,
        }
    }
}

/// What no sentence ends with, of every language there is data for (`text/phrases`).
struct Open {
    words: HashMap<&'static str, Languages>,
    /// How a clause ends that leads on, in scripts without spaces.
    endings: Vec<&'static str>,
    /// What stands for a word that is looked for.
    placeholders: PhraseList,
    /// What tells how much of something that follows.
    degrees: HashSet<&'static str>,
    /// With these a clause begins that leads up to another one.
    leads_up: HashSet<&'static str>,
}

static OPEN: LazyLock<Open> = LazyLock::new(|| {
    let listed = |kind| phrases::listed(kind).map(|(_, words)| words);
    let mut open: HashMap<&'static str, Languages> = HashMap::new();
    for (language, word) in phrases::listed("open word") {
        let languages = open.entry(word).or_default();
        *languages = languages.with(language);
    }
    Open {
        words: open,
        endings: listed("open ending").collect(),
        placeholders: PhraseList::of(listed("placeholder")),
        degrees: listed("degree").collect(),
        leads_up: listed("leads_up").collect(),
    }
});

/// A clause that is looked at for where it leads has no more words, and a thing in a list.
const CLAUSE: usize = 6;
const THING: usize = 3;

/// Numbers by name, in English; digits are told by themselves.
const NUMBERS: [&str; 11] =
    ["oh", "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

/// So many digits in a row are being read out: a number of a telephone, a code.
const READ_OUT: usize = 3;

/// Behind these something comes, unless the recogniser heard the end of a sentence.
const OFTEN_OPEN: [&str; 48] = [
    "in", "on", "at", "for", "with", "by", "about", "as", "is", "are", "was", "were", "am", "be", "like",
    "so", "well", "i", "we", "they", "he", "she", "you", "it's", "i'm", "you're", "that's", "would", "could",
    "should", "can", "will", "that", "which", "who", "then", "just", "really", "very", "his", "her", "its",
    "not", "also", "maybe", "actually", "hmm", "hm",
];

/// These want something behind them, unless they end a question that began with it ("what do you want").
const WANTING: [&str; 42] = [
    "want", "wants", "wanted", "need", "needs", "needed", "said", "says", "say", "bought", "told", "tell",
    "called", "means", "mean", "have", "has", "had", "make", "made", "get", "put", "take", "took", "thought",
    "believe", "some", "any", "every", "each", "another", "many", "few", "near", "until", "without",
    "towards", "against", "across", "these", "those", "ever",
];

/// Behind one of these, with a person behind it, comes what is told or given.
const GIVING: [&str; 14] = [
    "tell", "told", "ask", "asked", "show", "showed", "give", "gave", "send", "sent", "bring", "brought",
    "teach", "remind",
];
const TO_WHOM: [&str; 5] = ["me", "him", "her", "us", "them"];

/// Two words behind which something comes.
const OPEN_PAIRS: [&str; 9] =
    ["you know", "i mean", "sort of", "kind of", "i think", "i guess", "going to", "want to", "let's see"];

/// A question only in form: what it announces follows.
const ANNOUNCING: [&str; 3] = ["you know what", "guess what", "know what"];

/// Questions for a thing or a person begin with these; what they ask for is missing at their end.
const ASKING_FOR: [&str; 13] = [
    "what", "what's", "who", "who's", "where", "where's", "which", "how", "how's", "when", "whose", "was",
    "wer",
];
const LEFT_AT_THE_END: [&str; 6] = ["from", "for", "about", "like", "with", "by"];
const BEING: [&str; 5] = ["is", "are", "was", "were", "am"];
const TOWARDS: [&str; 10] = ["of", "for", "to", "with", "about", "from", "by", "at", "like", "than"];

/// Yes, but whether that was all?
const HALF_WHOLE: [&str; 5] = ["yeah", "okay", "ok", "right", "sure"];

/// They ask for time.
const WAITS: [&str; 17] = [
    "wait",
    "hold on",
    "hang on",
    "let me think",
    "let me see",
    "let me check",
    "one second",
    "one sec",
    "one moment",
    "just a second",
    "just a sec",
    "just a moment",
    "give me a second",
    "give me a moment",
    "a moment please",
    "moment mal",
    "warte mal",
];

/// Said alone they are an answer, a greeting or a farewell.
const WHOLE: [&str; 45] = [
    "what",
    "why",
    "who",
    "where",
    "when",
    "yes",
    "yeah",
    "yep",
    "yup",
    "no",
    "nope",
    "nah",
    "okay",
    "ok",
    "sure",
    "thanks",
    "hello",
    "hi",
    "hey",
    "bye",
    "goodbye",
    "please",
    "never",
    "always",
    "maybe",
    "right",
    "exactly",
    "true",
    "correct",
    "fine",
    "good",
    "great",
    "nothing",
    "both",
    "neither",
    "later",
    "tomorrow",
    "today",
    "yesterday",
    "ja",
    "nein",
    "danke",
    "hallo",
    "stop",
    "really",
];

/// Judges a transcript. `names` are what the familiar is called: whoever ends with its name has handed over.
#[must_use]
pub fn completeness(text: &str, names: &[String]) -> Completeness {
    let said = words(text);
    let Some(last) = said.last().map(String::as_str) else { return Completeness::Unknown };
    if asks_for_time(&said) {
        return Completeness::Wait;
    }
    let end = text.trim_end().trim_end_matches(['"', '”', '\'', ')']);
    if end.ends_with(['…', ',', '-', '–', '—', ':', ';']) || end.ends_with("...") {
        return Completeness::Unfinished;
    }
    if said.len() > 1 && names.iter().any(|name| name.to_lowercase() == last) {
        return Completeness::Finished;
    }
    let before = said.len().checked_sub(2).and_then(|at| said.get(at)).map_or("", String::as_str);
    let asks_for = said.len() >= 3 && said.first().is_some_and(|first| ASKING_FOR.contains(&first.as_str()));
    let is_left_over = asks_for && LEFT_AT_THE_END.contains(&last);
    if is_open_in(&said, last) && !end.ends_with('?') && !is_left_over {
        return Completeness::Unfinished;
    }
    let bare = end.trim_end_matches(['。', '.', '、']);
    if OPEN.endings.iter().any(|leading| bare.ends_with(leading)) || is_reading_out(&said) {
        return Completeness::Unfinished;
    }
    let announces = ANNOUNCING.contains(&said.join(" ").as_str());
    if announces || must_go_on(&said) {
        return Completeness::Unfinished;
    }
    let is_marked = end.ends_with(['?', '!', '？', '！']);
    if !is_marked && (looks_for_a_word(&said) || is_led_up(&said) || is_listing(end)) {
        return Completeness::Unfinished;
    }
    if is_marked || end.ends_with(['.', '。']) || is_left_over {
        return Completeness::Finished;
    }
    // Who only calls it may want no more than that, or go on once it listens.
    let calls = names.iter().any(|name| names_whole_word(text, name));
    if said.len() == 1 && (HALF_WHOLE.contains(&last) || calls) {
        return Completeness::Likely;
    }
    if said.len() == 1 && WHOLE.contains(&last) {
        return Completeness::Finished;
    }
    // "how are you", "who is that", "kind of you"
    let is_object = TOWARDS.contains(&before) || (asks_for && BEING.contains(&before));
    let is_open = (OFTEN_OPEN.contains(&last) && !is_object)
        || OPEN.degrees.contains(last)
        || OPEN_PAIRS.contains(&format!("{before} {last}").as_str())
        || (WANTING.contains(&last) && !asks_for)
        || (TO_WHOM.contains(&last) && GIVING.contains(&before));
    if is_open {
        return Completeness::Unfinished;
    }
    if said.len() >= 3 && TALK.asked.begins(&said) {
        return Completeness::Finished;
    }
    if is_whole(&said) { Completeness::Likely } else { Completeness::Unknown }
}

/// How finished it sounds with a pause behind it. Recognisers put a full stop wherever somebody pauses, so that one alone is
/// no evidence; other marks are.
#[must_use]
pub fn with_a_pause(text: &str, names: &[String]) -> Completeness {
    let said = completeness(text, names);
    let stop = ['.', '。'];
    let end = text.trim_end();
    if said != Completeness::Finished || !end.ends_with(stop) {
        return said;
    }
    completeness(end.trim_end_matches(stop), names).clamp(Completeness::Finished, Completeness::Likely)
}

/// Whether no sentence ends with this word.
#[must_use]
pub fn is_open(word: &str) -> bool {
    OPEN.words.contains_key(word)
}

/// Whether no sentence in the language of this one ends with its last word: "die" is an article in German only.
fn is_open_in(said: &[String], last: &str) -> bool {
    let rest = said[..said.len().saturating_sub(1)].join(" ");
    OPEN.words.get(last).is_some_and(|languages| is_of(last, *languages, &rest))
}

/// Whether digits are being read out one by one, or in groups: nobody but the reader knows how many there are. A full stop is
/// what a recogniser puts behind the last one it heard.
fn is_reading_out(said: &[String]) -> bool {
    let is_number = |word: &&String| {
        NUMBERS.contains(&word.as_str()) || word.chars().all(|c| c.is_numeric()) && word.chars().count() <= 4
    };
    said.iter().rev().take_while(is_number).count() >= READ_OUT
}

/// Whether they say at the end what people say who look for a word: "the whatsit". "What's it called" does so behind "the",
/// and is a question otherwise.
fn looks_for_a_word(said: &[String]) -> bool {
    OPEN.placeholders.at_end(said).is_some_and(|length| {
        let before = said.len().checked_sub(length + 1).and_then(|at| said.get(at));
        length == 1 || before.is_some_and(|word| is_open(word))
    })
}

/// Whether the last clause, told by its first word, is short and leads up to another one: "if it rains", "and if it rains".
/// Without "and" it may as well stand behind the one it belongs to.
fn is_led_up(said: &[String]) -> bool {
    let leads = |at: usize| said.get(at).is_some_and(|word| OPEN.leads_up.contains(word.as_str()));
    let from = (0..said.len()).rev().take(CLAUSE).find(|at| leads(*at));
    from.is_some_and(|from| {
        said.get(..from).is_some_and(|before| before.last().is_none_or(|one| TALK.opens(one)))
    })
}

/// Whether things are told one after another and no "and" announced the last one: "the shoes, the towels".
fn is_listing(text: &str) -> bool {
    let last = text
        .trim_end_matches(['.', '。'])
        .rsplit(['.', '!', '?', '。', '！', '？'])
        .next()
        .unwrap_or_default();
    let parts = between_commas(last);
    let is_thing = |part: &Vec<String>| {
        let weight: usize = part.iter().map(|word| weight(word)).sum();
        (1..=THING).contains(&weight) && part.last().is_some_and(|word| !TALK.knows(word))
    };
    let joins = |part: &Vec<String>| part.iter().any(|word| TALK.opens(word));
    parts.len() > 1 && parts.iter().all(is_thing) && !parts.last().is_some_and(joins)
}

fn asks_for_time(said: &[String]) -> bool {
    let all = said.join(" ");
    let stands = |phrase: &&str| {
        all == *phrase
            || all.ends_with(&format!(" {phrase}"))
            || (said.len() <= 5 && all.starts_with(&format!("{phrase} ")))
    };
    WAITS.iter().any(stands)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(text: &str) -> Completeness {
        completeness(text, &["Mika".to_owned()])
    }

    #[test]
    fn whole_things_are_finished() {
        for text in [
            "What time is it?",
            "what time is it",
            "I went home.",
            "yes",
            "No!",
            "thanks",
            "could you tell me more mika",
            "Hello Mika",
            "how are you doing today",
            "今日は雨です。",
        ] {
            assert_eq!(judged(text), Completeness::Finished, "{text}");
        }
    }

    #[test]
    fn a_full_stop_that_comes_with_a_pause_proves_nothing() {
        let names = ["Mika".to_owned()];
        for text in ["I went home.", "I went to the market.", "My brother.", "今日は雨です。"] {
            assert_eq!(with_a_pause(text, &names), Completeness::Likely, "{text}");
        }
        for text in
            ["What time is it?", "Yes.", "Watch out!", "Tell me more, Mika.", "How are you doing today."]
        {
            assert_eq!(with_a_pause(text, &names), Completeness::Finished, "{text}");
        }
        assert_eq!(with_a_pause("I went to the.", &names), Completeness::Unfinished);
    }

    #[test]
    fn what_breaks_off_is_unfinished() {
        for text in [
            "I went to the",
            "so I was thinking um",
            "we could go, but",
            "well...",
            "and then…",
            "I'd like to have a",
            "it is because.",
            "he said that",
            "I mean",
            "what about the",
            "Ich wollte, aber.",
            "ich kaufe eine",
            "Je voudrais une.",
            "quiero ir pero",
            "volevo dirti che il",
            "ik kom omdat",
            "行きたいけど。",
            "ich weiß nicht ob",
            "она сказала что",
            "가고 싶지만",
            "我想去但是",
            "my number is zero seven nine.",
            "The code is 4 7 1.",
            "It's 0176 44 12.",
            "he plays the what's it called",
            "dann nimmst du das dings",
            "passe-moi le machin",
            "o filme é meio",
            "wenn der akku leer ist",
            "und wenn es regnet",
            "My cousins came. The shoes, the towels.",
            "vienen mis primos. mi abogado, los vecinos",
            "我觉得非常",
        ] {
            assert_eq!(judged(text), Completeness::Unfinished, "{text}");
        }
    }

    #[test]
    fn what_can_end_a_sentence_in_some_language_leaves_none_open() {
        for text in [
            "Yes, I do.",
            "that's what we do",
            "Das ist meine.",
            "ich hab keine",
            "noch einer",
            "senin için",
            "powiedz kiedy",
            "скажи когда",
            "我要那个。",
            "시간이 없음",
            "what's it called",
            "wie heißt das",
            "was machst du",
            "wo ist er",
            "was ist los",
            "fang an",
            "Yes, please.",
            "No, thanks.",
            "bread, milk and butter",
            "call me if it rains",
            "지금 갑니까",
        ] {
            assert_ne!(judged(text), Completeness::Unfinished, "{text}");
        }
    }

    #[test]
    fn who_asks_for_time_gets_it() {
        for text in ["wait", "Hold on.", "hmm let me think", "one second please", "Uh, give me a moment."] {
            assert_eq!(judged(text), Completeness::Wait, "{text}");
        }
        assert_ne!(judged("I had to wait for the bus yesterday evening again"), Completeness::Wait);
    }

    #[test]
    fn the_rest_cannot_be_told() {
        for text in ["the red one", "my brother", ""] {
            assert_eq!(judged(text), Completeness::Unknown, "{text}");
        }
    }

    #[test]
    fn what_hangs_together_may_be_all() {
        for text in
            ["my brother came home late", "I hate ironing", "sing us a song", "yeah", "it's snowing", "Mika"]
        {
            assert_eq!(judged(text), Completeness::Likely, "{text}");
        }
    }

    #[test]
    fn questions_may_end_where_statements_do_not() {
        for text in
            ["where are you from", "how are you", "who is that", "what do you want", "What is it like?"]
        {
            assert_eq!(judged(text), Completeness::Finished, "{text}");
        }
        for text in
            ["can you tell me", "do you want", "you know what?", "if you want", "he told us", "so anyway"]
        {
            assert_eq!(judged(text), Completeness::Unfinished, "{text}");
        }
    }
}
