//! For whom was that? Who speaks in a call rarely says so.
//!
//! Owns the rules that tell "for the familiar" from "for somebody else" from "cannot be told" (specs voice 2.5), names as
//! recognisers garble them included. Must not know whose turn it is. Start reading at [`verdict`].

use std::time::Duration;

use crate::text::names::names_whole_word;
use crate::voice::endpoint::{asks, is_backchannel, words};

/// Whoever was just answered goes on talking with the familiar for this long.
const STICKY: Duration = Duration::from_secs(12);

/// And may come back to what it said, in a question, for this long, whoever spoke in between.
const THREAD: Duration = Duration::from_secs(60);

/// Two people who spoke within this are talking with each other.
const AMONG_THEMSELVES: Duration = Duration::from_secs(15);

/// Into a silence, a question is for the familiar if it took part in the talk before: no longer ago than this.
const TOOK_PART: Duration = Duration::from_secs(120);

/// An answer to a question that the familiar asked somebody else is not longer, in words.
const SHORT_ANSWER: usize = 4;

/// Names follow these.
const GREETINGS: [&str; 13] =
    ["hey", "hi", "hello", "okay", "ok", "yo", "oh", "so", "and", "morning", "thanks", "sorry", "hallo"];

/// Words for the one spoken to.
const YOU: [&str; 12] =
    ["you", "your", "yours", "you're", "you've", "you'd", "you'll", "yourself", "du", "dir", "dich", "dein"];

/// Behind a name these make a question to whoever bears it.
const AUXILIARIES: [&str; 13] = [
    "are", "do", "did", "can", "could", "have", "will", "would", "were", "should", "don't", "didn't", "can't",
];

/// Whoever begins with one of these goes on with what was just said.
const GOING_ON: [&str; 14] = [
    "no", "yes", "yeah", "and", "but", "also", "then", "actually", "or", "because", "nein", "ja", "und",
    "aber",
];

/// Questions with these are for everybody who can do something with hands.
const EVERYBODY: [&str; 8] = ["everybody", "everyone", "guys", "folks", "y'all", "alle", "leute", "ihr"];

/// Behind these a name is one that is talked about.
const ABOUT: [&str; 30] = [
    "ask", "asked", "asks", "asking", "tell", "told", "about", "with", "from", "like", "likes", "love",
    "loves", "hate", "miss", "call", "called", "of", "by", "hear", "heard", "that", "because", "when", "if",
    "named", "than", "as", "use", "used",
];

/// Behind a name these tell something about whoever bears it.
const TELLING: [&str; 16] = [
    "said", "says", "told", "tells", "thinks", "thought", "knows", "knew", "likes", "loves", "wants",
    "wanted", "seems", "sounds", "lost", "made",
];

/// And these do if one of [`SUCH`] follows; else they turn to it with a question.
const BEING: [&str; 7] = ["is", "was", "has", "had", "isn't", "wasn't", "gets"];
const SUCH: [&str; 14] = [
    "so", "such", "very", "really", "too", "not", "never", "always", "just", "been", "being", "getting",
    "still", "already",
];

/// Beyond doubt.
const NAMED: &str = "its name was said";
const NAMED_AS_HEARD: &str = "its name was said, as far as could be heard";
const ALONE: &str = "nobody else is here";

/// What is known about the moment at which somebody began to speak.
#[derive(Debug, Clone, Default)]
pub struct Company<'a> {
    /// How many people who are no bots are in the call.
    pub people: usize,
    /// What the familiar is called.
    pub names: &'a [String],
    /// What the others are called, without the speaker.
    pub others: &'a [String],
    /// How long ago the familiar last answered this speaker, and whether that ended in a question.
    pub answered: Option<(Duration, bool)>,
    /// How long ago another person last spoke.
    pub other_spoke: Option<Duration>,
    /// How long ago the familiar last spoke, to whomever.
    pub spoke: Option<Duration>,
    /// What it then said.
    pub own: &'a str,
    /// What it said before that.
    pub told: &'a [String],
}

/// For whom it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The familiar, because …
    Familiar(&'static str),
    /// Perhaps the familiar: the model is asked, and may find that it is not.
    Perhaps,
    /// Somebody who was named.
    SomeoneElse,
    /// Cannot be told: it listens.
    Unclear,
}

impl Verdict {
    /// Whether there is no doubt that this wants an answer, or none. `is_whole`: they seem to have finished. Who says its
    /// name is answered, finished or not.
    #[must_use]
    pub fn is_certain(self, is_whole: bool) -> bool {
        match self {
            Self::Familiar(NAMED) | Self::SomeoneElse => true,
            Self::Familiar(ALONE) => is_whole,
            Self::Familiar(_) | Self::Perhaps | Self::Unclear => false,
        }
    }

    /// The same where it answers only to its name, and for a while to who said it (specs voice 2.5, "wake mode").
    #[must_use]
    pub fn when_woken(self, is_awake: bool) -> Self {
        match self {
            Self::SomeoneElse => self,
            Self::Familiar(_) if is_awake || self.names_it() => self,
            Self::Familiar(_) | Self::Perhaps | Self::Unclear => Self::Unclear,
        }
    }

    /// Whether they said its name.
    #[must_use]
    pub fn names_it(self) -> bool {
        matches!(self, Self::Familiar(NAMED | NAMED_AS_HEARD))
    }

    /// Whether an answer is expected.
    #[must_use]
    pub fn is_for_familiar(self) -> bool {
        matches!(self, Self::Familiar(_))
    }

    /// Whether an answer is expected, or the model is to say whether one is.
    #[must_use]
    pub fn may_be_for_familiar(self) -> bool {
        matches!(self, Self::Familiar(_) | Self::Perhaps)
    }
}

/// Judges what was said.
#[must_use]
pub fn verdict(text: &str, company: &Company<'_>) -> Verdict {
    let said = words(text);
    let is_question = asks(text);
    let named: Vec<&String> = company.names.iter().filter(|name| names_whole_word(text, name)).collect();
    if named.iter().any(|name| !is_talked_about(&said, name, text.trim_end().ends_with('?'))) {
        return Verdict::Familiar(NAMED);
    }
    if company.others.iter().any(|other| is_called(&said, other)) {
        return Verdict::SomeoneElse;
    }
    if company.people <= 1 {
        return Verdict::Familiar(ALONE);
    }
    if !named.is_empty() {
        return Verdict::Unclear;
    }
    if company.names.iter().any(|name| sounds_like_a_call(&said, name)) {
        return Verdict::Familiar(NAMED_AS_HEARD);
    }
    if is_backchannel(text) || is_for_everybody(&said) {
        return Verdict::Unclear;
    }
    let to_you = said.iter().any(|word| YOU.contains(&word.as_str()));
    let since = |ago: Duration| company.other_spoke.is_none_or(|other| other > ago);
    let goes_on = said.first().is_some_and(|word| GOING_ON.contains(&word.as_str()));
    if let Some((ago, asked)) = company.answered {
        let is_short = said.len() <= 3;
        if ago <= STICKY && since(ago) && (asked || to_you || is_question || goes_on || is_short) {
            return Verdict::Familiar("they were just talking with it");
        }
        if ago <= THREAD && is_question && takes_up(&said, company) {
            return Verdict::Familiar("they come back to what it said");
        }
    }
    if let Some(ago) = company.spoke.filter(|ago| since(*ago)) {
        let asked = company.own.trim_end().ends_with('?');
        if ago <= STICKY && asked && !is_question && said.len() <= SHORT_ANSWER {
            return Verdict::Familiar("its question is answered");
        }
    }
    let alone_lately = company.other_spoke.is_none_or(|ago| ago > AMONG_THEMSELVES);
    // Over its own words nothing is asked of it by others.
    let is_quiet = alone_lately && company.spoke.is_none_or(|ago| !ago.is_zero());
    let took_part = company.spoke.is_some_and(|ago| ago <= TOOK_PART);
    let calls = said.iter().any(|word| matches!(word.as_str(), "anyone" | "anybody" | "jemand"));
    if is_quiet && (calls || (took_part && (is_question || to_you))) {
        return Verdict::Familiar("a question to nobody else");
    }
    // Right behind its own words, or asked of nobody who is named, it may be meant.
    let has_just_spoken = company.spoke.is_some_and(|ago| !ago.is_zero() && ago <= STICKY);
    let is_next = has_just_spoken && company.spoke.is_some_and(since);
    if is_next || (has_just_spoken && (is_question || to_you)) || (is_quiet && (is_question || to_you)) {
        return Verdict::Perhaps;
    }
    Verdict::Unclear
}

/// Whether the familiar is spoken of, not spoken to.
fn is_talked_about(said: &[String], name: &str, ends_as_question: bool) -> bool {
    let name = name.trim().to_lowercase();
    let owns = format!("{name}'s");
    if said.contains(&owns) {
        return true;
    }
    let Some(at) = said.iter().position(|word| *word == name) else { return false };
    let before = at.checked_sub(1).and_then(|at| said.get(at)).map(String::as_str);
    let (next, second) = (said.get(at + 1).map(String::as_str), said.get(at + 2).map(String::as_str));
    let is_you = |word: Option<&str>| word.is_some_and(|word| YOU.contains(&word));
    if before.is_some_and(|word| ABOUT.contains(&word)) {
        // "like I said with Ana, Mika, what do you …"
        return !is_you(second);
    }
    let joined = before == Some("and") && next.is_some_and(|word| TELLING.contains(&word));
    let told = next.is_some_and(|word| TELLING.contains(&word)) && !ends_as_question;
    let is_such =
        next.is_some_and(|word| BEING.contains(&word)) && second.is_some_and(|word| SUCH.contains(&word));
    joined || told || (is_such && !ends_as_question)
}

/// Questions that only people in a room can answer: "who has …", "who wants …", "what do you all …".
fn is_for_everybody(said: &[String]) -> bool {
    let has = |pair: [&str; 2]| said.windows(2).any(|two| two == pair);
    said.iter().any(|word| EVERYBODY.contains(&word.as_str()))
        || [
            ["who", "has"],
            ["who", "wants"],
            ["who's", "got"],
            ["who", "brings"],
            ["you", "all"],
            ["you", "two"],
        ]
        .into_iter()
        .any(has)
}

/// Whether a longer word of what the familiar said stands in it.
fn takes_up(said: &[String], company: &Company<'_>) -> bool {
    let own: Vec<String> =
        company.told.iter().flat_map(|told| words(told)).chain(words(company.own)).collect();
    said.iter().any(|word| word.chars().count() >= 5 && own.contains(word))
}

/// Whether somebody is spoken to by this name: first or last, behind a greeting, or in front of a question.
fn is_called(said: &[String], name: &str) -> bool {
    let name = words(name);
    let Some(first) = name.first().filter(|word| word.chars().count() >= 2) else { return false };
    let greeted = said.first().is_some_and(|word| GREETINGS.contains(&word.as_str()));
    let asked = said.windows(3).any(|three| {
        let [one, two, three] = three else { return false };
        one == first && AUXILIARIES.contains(&two.as_str()) && YOU.contains(&three.as_str())
    });
    asked
        || said.first() == Some(first)
        || (said.len() > 1 && said.last() == Some(first))
        || (greeted && said.get(1) == Some(first))
}

/// Whether a word where a name would stand sounds like this one.
fn sounds_like_a_call(said: &[String], name: &str) -> bool {
    let name = name.trim().to_lowercase();
    if name.contains(' ') || name.chars().count() < 3 {
        return false;
    }
    let greeted = said.first().is_some_and(|word| GREETINGS.contains(&word.as_str()));
    if greeted {
        let behind = said.get(1).into_iter().cloned();
        let joined = said.get(1).zip(said.get(2)).map(|(one, two)| format!("{one}{two}"));
        return behind.chain(joined).any(|heard| is_near(&heard, &name));
    }
    // Without a greeting ordinary words stand there as well: only a long name is taken for one.
    [said.first(), said.last()].into_iter().flatten().any(|heard| is_surely(heard, &name))
}

fn is_near(heard: &str, name: &str) -> bool {
    let length = name.chars().count();
    let apart = strsim::damerau_levenshtein(heard, name);
    apart <= (length / 4).max(1) || (sound(heard) == sound(name) && heard.chars().count() + 2 >= length)
}

fn is_surely(heard: &str, name: &str) -> bool {
    let length = name.chars().count();
    (length >= 6 && strsim::damerau_levenshtein(heard, name) <= length / 6)
        || (length >= 5 && sound(name).len() >= 3 && sound(heard) == sound(name))
}

/// What is left of a word when it is written as it sounds: consonants that sound alike are one, vowels go, the first
/// one stays as a mark.
fn sound(word: &str) -> String {
    let mut key = String::new();
    let plain =
        word.replace("ph", "f").replace("ck", "k").replace("sch", "s").replace("sh", "s").replace("th", "t");
    for letter in plain.chars() {
        let class = match letter {
            'b' | 'p' => 'p',
            'c' | 'k' | 'q' | 'g' => 'k',
            'd' | 't' => 't',
            'f' | 'v' => 'f',
            's' | 'z' | 'x' | 'j' => 's',
            'm' | 'n' => 'm',
            'l' => 'l',
            'r' => 'r',
            'a' | 'e' | 'i' | 'o' | 'u' | 'y' if key.is_empty() => 'a',
            other if !other.is_ascii() && other.is_alphabetic() => other,
            _ => continue,
        };
        if !key.ends_with(class) {
            key.push(class);
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(text: &str, company: &Company<'_>) -> bool {
        verdict(text, company).is_for_familiar()
    }

    fn names() -> Vec<String> {
        vec!["Mika".to_owned(), "Ottoline".to_owned()]
    }

    #[test]
    fn with_one_person_everything_is_for_the_familiar() {
        let names = names();
        let company = Company { people: 1, names: &names, ..Company::default() };
        assert!(judged("the weather is awful", &company));
    }

    #[test]
    fn in_a_group_names_decide_also_garbled_ones() {
        let (names, others) = (names(), vec!["Bob".to_owned(), "Ana Maria".to_owned()]);
        let company = Company {
            people: 3,
            names: &names,
            others: &others,
            other_spoke: Some(Duration::from_secs(2)),
            ..Company::default()
        };
        for text in [
            "what do you think Mika",
            "hey meeka what's up",
            "Hi Micah",
            "otoline come here",
            "okay me ka tell us",
        ] {
            assert!(judged(text, &company), "{text}");
        }
        for text in ["make a sandwich", "we make it", "the mike is on", "I like it a lot"] {
            assert_eq!(verdict(text, &company), Verdict::Unclear, "{text}");
        }
        for text in ["Bob what do you think?", "are you coming Bob", "hey Ana can you hear me?"] {
            assert_eq!(verdict(text, &company), Verdict::SomeoneElse, "{text}");
        }
    }

    #[test]
    fn who_was_just_answered_may_go_on_until_somebody_else_speaks() {
        let names = names();
        let base = Company { people: 3, names: &names, ..Company::default() };
        let just = Company { answered: Some((Duration::from_secs(4), false)), ..base.clone() };
        assert!(judged(
            "and why is that",
            &Company { answered: Some((Duration::from_secs(4), true)), ..base.clone() }
        ));
        assert!(judged("do you like it", &just));
        assert!(judged("why?", &just));
        assert!(!judged("I went to the market with my brother", &just));
        let between = Company { other_spoke: Some(Duration::from_secs(2)), ..just.clone() };
        assert!(!judged("do you like it", &between));
        let late = Company {
            answered: Some((Duration::from_secs(40), true)),
            other_spoke: Some(Duration::from_secs(5)),
            ..base
        };
        assert!(!judged("do you like it?", &late));
    }

    #[test]
    fn who_talks_about_it_does_not_talk_to_it() {
        let names = names();
        let company = Company { people: 3, names: &names, ..Company::default() };
        for text in [
            "I asked Mika yesterday",
            "Mika said it would rain",
            "Mika was so rude",
            "what's Mika's problem",
            "my sister loves Mika",
        ] {
            assert_eq!(verdict(text, &company), Verdict::Unclear, "{text}");
        }
        for text in ["Mika is it late?", "is it late Mika", "and Mika what do you say", "Mika was that you?"]
        {
            assert!(judged(text, &company), "{text}");
        }
    }

    #[test]
    fn what_it_asked_or_told_is_taken_up_by_others_and_later() {
        let names = names();
        let base = Company { people: 3, names: &names, ..Company::default() };
        let asked = Company {
            spoke: Some(Duration::from_secs(3)),
            own: "What has teeth and cannot eat?",
            ..base.clone()
        };
        assert!(judged("a comb", &asked));
        assert!(!judged("haha", &asked));
        assert!(!judged("I had one of those when I was small", &asked));
        let told = Company {
            answered: Some((Duration::from_secs(30), false)),
            spoke: Some(Duration::from_secs(30)),
            other_spoke: Some(Duration::from_secs(3)),
            own: "The ferry leaves from the harbour at ten.",
            ..base
        };
        assert!(judged("how far is the harbour?", &told));
        assert!(!judged("how far is the station?", &told));
        assert!(!judged("the harbour is far", &told));
    }

    #[test]
    fn a_question_to_nobody_is_for_the_familiar_only_where_nobody_talks() {
        let names = names();
        let quiet = Company {
            people: 3,
            names: &names,
            other_spoke: Some(Duration::from_secs(60)),
            ..Company::default()
        };
        assert!(judged("is anybody there?", &quiet));
        assert!(!judged("is it late?", &quiet), "it took no part: they ask each other");
        let part = Company { spoke: Some(Duration::from_secs(61)), ..quiet.clone() };
        assert!(judged("is it late?", &part));
        let busy = Company { other_spoke: Some(Duration::from_secs(3)), ..quiet };
        assert!(!judged("is anybody there?", &busy));
    }

    #[test]
    fn what_may_be_meant_for_it_is_asked_of_the_model() {
        let (names, others) = (names(), vec!["Bob".to_owned()]);
        let base = Company { people: 3, names: &names, others: &others, ..Company::default() };
        let after = |spoke, other| Company {
            spoke: Some(Duration::from_secs(spoke)),
            other_spoke: Some(Duration::from_secs(other)),
            ..base.clone()
        };
        for (text, company, expected) in [
            ("the red one is the best", after(2, 9), Verdict::Perhaps),
            ("the red one is the best", after(9, 2), Verdict::Unclear),
            ("would you like that", after(9, 2), Verdict::Perhaps),
            ("would you like that", after(30, 2), Verdict::Unclear),
            ("would you like that Bob", after(2, 9), Verdict::SomeoneElse),
            ("would you like that", after(0, 9), Verdict::Unclear),
            ("haha", after(2, 9), Verdict::Unclear),
            (
                "would you like that",
                Company { other_spoke: Some(Duration::from_secs(20)), ..base.clone() },
                Verdict::Perhaps,
            ),
        ] {
            assert_eq!(verdict(text, &company), expected, "{text}");
        }
    }
}
