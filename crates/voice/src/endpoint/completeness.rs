//! Is that all they wanted to say? By the words alone.
//!
//! Owns the rules that read a transcript, stable or not (voice 2.2 c). Must not know time or sound. Start reading
//! at [`completeness`].

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;
use std::time::Duration;

use super::backchannel::is_heard_from_listeners;
use super::talk::TALK;
use super::words::{PhraseList, between_commas, counts_for, is_in_class, transcript_words};
use familiar_chat::text::names::names_whole_word;
use familiar_chat::text::phrases::{self, Languages, is_of};
use familiar_chat::text::punctuation::{ends_as_question, ends_sentence};

/// How finished what was said sounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Completeness {
    /// A question, an answer, a whole sentence.
    Finished,
    /// It hangs together, as far as can be told without punctuation; more may come.
    Likely,
    Unknown,
    /// It breaks off in the middle.
    Unfinished,
    /// They asked for time.
    Wait,
}

impl Completeness {
    /// With what their voice tells, where a model heard that: where both say the same, that is so; where they do not, neither
    /// is believed alone.
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
    let listed = |kind| phrases::listed_phrases(kind).map(|(_, words)| words);
    let mut open: HashMap<&'static str, Languages> = HashMap::new();
    for (language, word) in phrases::listed_phrases("open word") {
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

/// So many digits in a row are being read out: a number of a telephone, a code.
const READ_OUT: usize = 3;

/// Judges a transcript. `names` are what the familiar is called: whoever ends with its name has handed over.
pub fn completeness(text: &str, names: &[String]) -> Completeness {
    let said = transcript_words(text);
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
    let asks_for =
        said.len() >= 3 && said.first().is_some_and(|first| is_in_class("sentence: asking for", first));
    let is_left_over = asks_for && is_in_class("sentence: left at the end", last);
    if is_open_in(&said, last) && !ends_as_question(end) && !is_left_over {
        return Completeness::Unfinished;
    }
    let bare = end.trim_end_matches(['。', '.', '、']);
    if OPEN.endings.iter().any(|leading| bare.ends_with(leading)) || is_reading_out(&said) {
        return Completeness::Unfinished;
    }
    let announces = is_in_class("sentence: announcing", &said.join(" "));
    if announces || must_go_on(&said) {
        return Completeness::Unfinished;
    }
    let is_marked = ends_as_question(end) || end.ends_with(['!', '！']);
    if !is_marked && (looks_for_a_word(&said) || is_led_up(&said) || is_listing(end)) {
        return Completeness::Unfinished;
    }
    if is_marked || end.ends_with(['.', '。']) || is_left_over {
        return Completeness::Finished;
    }
    // Who only calls it may want no more than that, or go on once it listens.
    let calls = names.iter().any(|name| names_whole_word(text, name));
    if said.len() == 1 && (is_in_class("sentence: half whole", last) || calls) {
        return Completeness::Likely;
    }
    if said.len() == 1 && is_in_class("sentence: whole", last) {
        return Completeness::Finished;
    }
    // "how are you", "who is that", "kind of you"
    let is_object =
        is_in_class("sentence: towards", before) || (asks_for && is_in_class("sentence: being", before));
    let is_open = (is_in_class("sentence: often open", last) && !is_object)
        || OPEN.degrees.contains(last)
        || is_in_class("sentence: open pairs", &format!("{before} {last}"))
        || (is_in_class("sentence: wanting", last) && !asks_for)
        || (is_in_class("sentence: to whom", last) && is_in_class("sentence: giving", before));
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
pub fn with_a_pause(text: &str, names: &[String]) -> Completeness {
    let said = completeness(text, names);
    let stop = ['.', '。'];
    let end = text.trim_end();
    if said != Completeness::Finished || !end.ends_with(stop) {
        return said;
    }
    completeness(end.trim_end_matches(stop), names).clamp(Completeness::Finished, Completeness::Likely)
}

/// Whether this word is on any list: then it is hardly a name.
pub(crate) fn is_listed_word(word: &String) -> bool {
    TALK.knows(word) || is_open(word) || is_heard_from_listeners(word)
}

/// Whether no sentence ends with this word.
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
        is_in_class("sentence: numbers", word)
            || word.chars().all(|c| c.is_numeric()) && word.chars().count() <= 4
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
    let last = text.trim_end_matches(['.', '。']).rsplit(ends_sentence).next().unwrap_or_default();
    let parts = between_commas(last);
    let is_thing = |part: &Vec<String>| {
        let weight: usize = part.iter().map(|word| counts_for(word)).sum();
        (1..=THING).contains(&weight) && part.last().is_some_and(|word| !is_listed_word(word))
    };
    let joins = |part: &Vec<String>| part.iter().any(|word| TALK.opens(word));
    parts.len() > 1 && parts.iter().all(is_thing) && !parts.last().is_some_and(joins)
}

fn asks_for_time(said: &[String]) -> bool {
    let all = said.join(" ");
    let stands = |phrase: &str| {
        all == phrase
            || all.ends_with(&format!(" {phrase}"))
            || (said.len() <= 5 && all.starts_with(&format!("{phrase} ")))
    };
    phrases::listed_phrases("sentence: waits").any(|(_, phrase)| stands(phrase))
}

/// Whether it is a sentence as it stands: a statement or a request.
pub(super) fn is_whole(said: &[String]) -> bool {
    let said = prepared(said);
    let Some(first) = said.first().map(String::as_str) else { return false };
    if leads_up(said) {
        return false;
    }
    let behind = said.len() - 1;
    if is_in_class("sentence: subjects", first) {
        return behind >= 2;
    }
    if is_contracted(first) {
        return behind >= 1;
    }
    if is_in_class("sentence: requests", first) {
        return behind >= 2;
    }
    // "my phone is broken", "the man I met was a sailor"
    let verb =
        said.iter().skip(1).position(|word| is_in_class("sentence: finite", word) || is_contracted(word));
    verb.is_some_and(|at| at + 2 < said.len())
}

/// Whether something must come: nothing was said that was not preparation, or only what leads up to it.
pub(super) fn must_go_on(said: &[String]) -> bool {
    let rest = prepared(said);
    (rest.is_empty() && said.len() >= 2) || leads_up(rest)
}

/// "when I was a kid", without what was then. A question with the same word turns verb and subject round.
fn leads_up(said: &[String]) -> bool {
    let (Some(first), Some(second)) = (said.first(), said.get(1)) else { return false };
    if !is_in_class("sentence: leading up", first) || is_in_class("sentence: finite", second) {
        return false;
    }
    // Two who do something are two clauses.
    let subjects =
        said.iter().filter(|word| is_in_class("sentence: subjects", word) || is_contracted(word)).count();
    let owners = said.iter().filter(|word| matches!(word.as_str(), "my" | "your" | "the" | "our")).count();
    subjects < 2 && (subjects + owners < 2 || said.len() < 7)
}

fn prepared(said: &[String]) -> &[String] {
    let from = said.iter().position(|word| !is_in_class("sentence: preparing", word)).unwrap_or(said.len());
    said.get(from..).unwrap_or_default()
}

/// "I'm", "it's", "they've", "we'll".
fn is_contracted(word: &str) -> bool {
    word.split_once('\'').is_some_and(|(who, rest)| {
        is_in_class("sentence: subjects", who) && matches!(rest, "m" | "s" | "re" | "ve" | "ll" | "d")
    })
}

/// How much of what was learnt stays with each further pause (LiveKit's dynamic endpointing, voice 2.2).
const KEEP: f64 = 0.9;

/// Nobody is waited for longer, except who asked for time.
pub const LONGEST_WAIT: Duration = Duration::from_secs(3);

/// Pauses outside of this teach nothing: shorter ones are parts of words, longer ones are ends.
const TEACHING: (Duration, Duration) = (Duration::from_millis(200), Duration::from_millis(2_500));

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pauses {
    /// Within what they say, in seconds.
    within: f64,
    /// How much more time they get than others, from 1 to 2: grows when they were cut off.
    patience: f64,
}

impl Default for Pauses {
    fn default() -> Self {
        Self { within: 0.3, patience: 1.0 }
    }
}

impl Pauses {
    /// How long to wait after they stopped before it is the familiar's turn.
    pub fn wait(&self, completeness: Completeness, pushes_to_talk: bool) -> Duration {
        let base = match (completeness, pushes_to_talk) {
            (Completeness::Wait, _) => return Duration::from_secs(8),
            // Whoever lets go of a button has said what they wanted.
            (Completeness::Finished | Completeness::Likely | Completeness::Unknown, true) => {
                return Duration::from_millis(150);
            }
            (Completeness::Unfinished, true) => Duration::from_millis(600),
            (Completeness::Finished, false) => Duration::from_millis(270),
            (Completeness::Likely, false) => Duration::from_millis(600),
            (Completeness::Unknown, false) => Duration::from_millis(700),
            (Completeness::Unfinished, false) => Duration::from_millis(1_500),
        };
        let waited = base.mul_f64(self.patience);
        // What may go on is waited for at least as long as their usual pause.
        let usual = Duration::from_secs_f64(self.within * 1.1);
        let waited = if completeness == Completeness::Finished { waited } else { waited.max(usual) };
        waited.min(LONGEST_WAIT)
    }

    /// They went on after a pause this long.
    pub fn went_on_after(&mut self, pause: Duration) {
        if (TEACHING.0..=TEACHING.1).contains(&pause) {
            self.within = self.within * KEEP + pause.as_secs_f64() * (1.0 - KEEP);
        }
    }

    /// They went on although they had been taken to be finished.
    pub fn was_cut_off(&mut self) {
        self.patience = (self.patience * 1.25).min(2.0);
    }

    /// They were finished indeed.
    pub fn was_finished(&mut self) {
        self.patience = 1.0 + (self.patience - 1.0) * KEEP;
    }
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
            "my cousins came to see us; the shoes, the towels",
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
        for text in [
            "where are you from",
            "how are you",
            "who is that",
            "what do you want",
            "What is it like?",
            "What is it like？",
        ] {
            assert_eq!(judged(text), Completeness::Finished, "{text}");
        }
        for text in
            ["can you tell me", "do you want", "you know what?", "if you want", "he told us", "so anyway"]
        {
            assert_eq!(judged(text), Completeness::Unfinished, "{text}");
        }
    }
}

#[cfg(test)]
mod clause_tests {
    use super::*;
    use crate::endpoint::transcript_words;

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
            assert!(is_whole(&transcript_words(text)), "{text}");
        }
        for text in ["my bicycle", "I like", "in the morning", "the bicycle is", "when I came home", "so", ""]
        {
            assert!(!is_whole(&transcript_words(text)), "{text}");
        }
    }

    #[test]
    fn what_only_leads_up_to_something_must_go_on() {
        for text in ["when I came home", "if you ask me", "because of that", "so anyway", "okay well"] {
            assert!(must_go_on(&transcript_words(text)), "{text}");
        }
        for text in ["when is lunch", "if you want I can come", "okay", "I came home", ""] {
            assert!(!must_go_on(&transcript_words(text)), "{text}");
        }
    }
}

#[cfg(test)]
mod learn_tests {
    use super::*;

    fn ms(pauses: &Pauses, completeness: Completeness) -> u128 {
        pauses.wait(completeness, false).as_millis()
    }

    #[test]
    fn what_sounds_finished_is_answered_soon() {
        let pauses = Pauses::default();
        let classes = [
            Completeness::Finished,
            Completeness::Likely,
            Completeness::Unknown,
            Completeness::Unfinished,
            Completeness::Wait,
        ];
        assert_eq!(classes.map(|class| ms(&pauses, class)), [270, 600, 700, 1_500, 8_000]);
        assert_eq!(pauses.wait(Completeness::Unknown, true).as_millis(), 150);
    }

    #[test]
    fn who_pauses_long_or_was_cut_off_gets_more_time_up_to_a_bound() {
        let mut slow = Pauses::default();
        (0..40).for_each(|_| slow.went_on_after(Duration::from_millis(1_000)));
        assert!((1_000..1_150).contains(&ms(&slow, Completeness::Unknown)));
        assert_eq!(ms(&slow, Completeness::Finished), 270, "a question is a question");
        let mut hasty = Pauses::default();
        (0..20).for_each(|_| hasty.was_cut_off());
        assert_eq!(ms(&hasty, Completeness::Finished), 540);
        assert_eq!(ms(&hasty, Completeness::Unfinished), 3_000);
        (0..40).for_each(|_| hasty.was_finished());
        assert!(ms(&hasty, Completeness::Finished) < 280, "it is forgotten again");
    }
}
