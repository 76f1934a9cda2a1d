//! For whom was that? Who speaks in a call rarely says so.
//!
//! Owns the rules that tell "for the familiar" from "for somebody else" from "cannot be told" (voice 2.5), names as
//! recognisers garble them included. Must not know whose turn it is. Start reading at [`verdict`].

use std::collections::HashSet;
use std::hash::Hash;
use std::time::Duration;

use crate::endpoint::{
    TALK, asks, between_commas, counts_for, is_backchannel, is_listed_word, is_open, normalized, takes_floor,
    transcript_words,
};
use familiar_chat::text::names::names_whole_word;
use familiar_chat::text::punctuation::ends_as_question;

/// Whoever was just answered goes on talking with the familiar for this long.
const STICKY: Duration = Duration::from_secs(12);

/// And may come back to what it said, in a question, for this long, whoever spoke in between.
const THREAD: Duration = Duration::from_secs(60);

/// Two people who spoke within this are talking with each other.
const AMONG_THEMSELVES: Duration = Duration::from_secs(15);

/// An answer to a question that the familiar asked somebody else is not longer, in words.
const SHORT_ANSWER: usize = 4;

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
    /// Whether they have said nothing since then.
    pub is_first: bool,
    /// How long ago another person last spoke.
    pub other_spoke: Option<Duration>,
    /// How long ago the familiar last spoke, to whomever.
    pub spoke: Option<Duration>,
    /// Spoken over it, and to somebody else as far as can be told.
    pub is_side_talk: bool,
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
    pub fn is_certain(self, is_whole: bool) -> bool {
        match self {
            Self::Familiar(NAMED) | Self::SomeoneElse => true,
            Self::Familiar(ALONE) => is_whole,
            Self::Familiar(_) | Self::Perhaps | Self::Unclear => false,
        }
    }

    /// The same where it answers only to its name, and for a while to who said it (voice 2.5, "wake mode").
    pub fn when_woken(self, is_awake: bool) -> Self {
        match self {
            Self::SomeoneElse => self,
            Self::Familiar(_) if is_awake || self.names_it() => self,
            Self::Familiar(_) | Self::Perhaps | Self::Unclear => Self::Unclear,
        }
    }

    /// Whether they said its name.
    pub fn names_it(self) -> bool {
        matches!(self, Self::Familiar(NAMED | NAMED_AS_HEARD))
    }

    /// Whether an answer is expected.
    pub fn is_for_familiar(self) -> bool {
        matches!(self, Self::Familiar(_))
    }

    /// Whether an answer is expected, or the model is to say whether one is.
    pub fn may_be_for_familiar(self) -> bool {
        matches!(self, Self::Familiar(_) | Self::Perhaps)
    }
}

/// Judges what was said.
pub fn verdict(text: &str, company: &Company<'_>) -> Verdict {
    let said = transcript_words(text);
    let is_question = asks(text);
    let named: Vec<&String> = company.names.iter().filter(|name| names_whole_word(text, name)).collect();
    let spoken_of = |name: &&String| spoken_of(&said, name, ends_as_question(text));
    if named.iter().any(|name| is_set_apart(text, name) || spoken_of(name).is_none()) {
        return Verdict::Familiar(NAMED);
    }
    if company.others.iter().any(|other| is_called(&said, other)) {
        return Verdict::SomeoneElse;
    }
    if company.people <= 1 && !company.is_side_talk {
        return Verdict::Familiar(ALONE);
    }
    if let Some(verdict) = named.iter().find_map(spoken_of) {
        return verdict;
    }
    if company.names.iter().any(|name| sounds_like_a_call(&said, name)) {
        return Verdict::Familiar(NAMED_AS_HEARD);
    }
    if company.is_side_talk || is_backchannel(text) || TALK.all.is_in(&said) {
        return Verdict::Unclear;
    }
    let to_you = TALK.you.is_in(&said);
    let since = |ago: Duration| company.other_spoke.is_none_or(|other| other > ago);
    let goes_on = TALK.going_on.begins(&said);
    let length: usize = said.iter().map(|word| counts_for(word)).sum();
    if let Some((ago, asked)) = company.answered {
        if ago <= STICKY && since(ago) && (asked || to_you || is_question || length <= 3) {
            return Verdict::Familiar("they were just talking with it");
        }
        if ago <= THREAD && is_question && takes_up(&said, company) {
            return Verdict::Familiar("they come back to what it said");
        }
    }
    if let Some(ago) = company.spoke.filter(|ago| since(*ago)) {
        let asked = ends_as_question(company.own);
        if ago <= STICKY && asked && !is_question && length <= SHORT_ANSWER {
            return Verdict::Familiar("its question is answered");
        }
    }
    let alone_lately = company.other_spoke.is_none_or(|ago| ago > AMONG_THEMSELVES);
    let is_over = company.spoke.is_some_and(|ago| ago.is_zero());
    let is_quiet = alone_lately && !is_over;
    // Right behind its own words, or asked of nobody who is named, it may be meant; and whoever it answered last may come
    // back to that, whoever spoke in between.
    let turns_to = is_question || to_you || goes_on;
    let is_next = company.spoke.is_some_and(since);
    let has_just_spoken = company.spoke.is_some_and(|ago| !is_over && ago <= STICKY);
    let comes_back = company.is_first
        && company.answered.is_some_and(|(ago, _)| ago <= if turns_to { THREAD } else { STICKY });
    let wants_floor = is_over && takes_floor(text);
    if (has_just_spoken && (is_next || turns_to))
        || comes_back
        || wants_floor
        || (is_quiet && (is_question || to_you || TALK.anybody.is_in(&said)))
    {
        return Verdict::Perhaps;
    }
    Verdict::Unclear
}

/// What follows for this from the familiar's being spoken of; `None` where it is spoken to.
fn spoken_of(said: &[String], name: &str, ends_as_question: bool) -> Option<Verdict> {
    let name = name.trim().to_lowercase();
    let owns = format!("{name}'s");
    if said.contains(&owns) {
        return Some(Verdict::Unclear);
    }
    let at = said.iter().position(|word| *word == name)?;
    // "ask Mika", "just ask Mika then", "frag doch mal Mika"
    let in_front = said.get(..at).unwrap_or_default().iter().rev();
    let before = in_front.clone().find(|word| !TALK.opens(word) && !TALK.going_on.is(Some(word)));
    let is_joined = in_front.clone().next().is_some_and(|word| TALK.joining.is(Some(word)));
    let (next, second) = (said.get(at + 1), said.get(at + 2));
    if TALK.about.is(before) {
        // "like I said with Ana, Mika, what do you …"
        return (!TALK.you.is(second)).then_some(Verdict::Unclear);
    }
    let tells = TALK.telling.begins(said.get(at + 1..).unwrap_or_default());
    if tells && !TALK.you.is(second) && (is_joined || !ends_as_question) {
        return Some(Verdict::Unclear);
    }
    // "Mika is slow", but "Mika is that so". "Does Mika know that" may be a joke at her expense.
    let is_such = TALK.being.is(next) && second.is_some() && !TALK.this.is(second);
    ((is_such && !ends_as_question) || TALK.being.is(before)).then_some(Verdict::Perhaps)
}

/// Whether the name stands between two commas or behind the last one: "what's it called, Mika, the film".
fn is_set_apart(text: &str, name: &str) -> bool {
    let name = transcript_words(name);
    between_commas(text).iter().skip(1).any(|part| *part == name)
}

/// Whether this turns to somebody who is not known to be here, as far as can be told without knowing names: to a mother, to
/// whoever is thanked, or by a word that is on no list and set apart, or in front of what is said to somebody.
pub(super) fn turns_elsewhere(text: &str) -> bool {
    let said = transcript_words(text);
    let rest = TALK.behind_leading(&said);
    let is_to_somebody = |said: &[String]| {
        TALK.you.begins(said)
            || TALK.request.begins(said)
            || TALK.turned.is(said.first()) && TALK.you.is(said.get(1))
    };
    let [first, behind @ ..] = rest else { return false };
    let is_called = is_name(first)
        && (is_to_somebody(behind) || (!behind.is_empty() && TALK.suffix.is_at_the_end_of(first)));
    let parts = between_commas(text);
    let is_set_apart =
        |part: Option<&Vec<String>>| matches!(part.map(Vec::as_slice), Some([one]) if is_name(one));
    let asks_somebody = asks(text) || TALK.you.is_in(&said);
    is_called
        || calls_family(text)
        || TALK.parting.is_in(&said)
        || (parts.len() > 1 && asks_somebody && (is_set_apart(parts.first()) || is_set_apart(parts.last())))
}

/// Whether it may be the name of somebody who is not known to be here.
fn is_name(word: &String) -> bool {
    !is_listed_word(word) && word.chars().all(char::is_alphabetic)
}

/// Whether somebody who is not known to be here is called and asked for what only hands and feet can do: "Lucy, close the
/// door".
pub(super) fn asks_for_hands(text: &str) -> bool {
    let said = transcript_words(text);
    let parts = between_commas(text);
    let is_called = TALK
        .behind_leading(&said)
        .split_first()
        .is_some_and(|(first, behind)| is_name(first) && TALK.request.begins(behind));
    let is_set_apart = parts.iter().any(|part| matches!(part.as_slice(), [one] if is_name(one)));
    is_called || (is_set_apart && parts.iter().any(|part| TALK.request.begins(part)))
}

/// Whether somebody close is called, first, last or between commas: "yes mum", "not now darling", but not "I called my mum",
/// "mum says so" or "what about mum".
pub(super) fn calls_family(text: &str) -> bool {
    let said = transcript_words(text);
    let is_told_of = |before: &String| {
        is_open(before) || [&TALK.you, &TALK.about, &TALK.being].iter().any(|class| class.is(Some(before)))
    };
    let is_last = TALK.called.before_last(&said).is_some_and(|before| !before.last().is_some_and(is_told_of));
    let rest = TALK.behind_leading(&said);
    let is_first = TALK.called.is_first(rest) && !TALK.telling.begins(rest.get(1..).unwrap_or_default());
    let is_set_apart = between_commas(text)
        .iter()
        .any(|part| TALK.called.before_last(part).is_some_and(<[String]>::is_empty));
    is_last || is_first || is_set_apart
}

/// Whether a longer word of what the familiar said stands in it.
fn takes_up(said: &[String], company: &Company<'_>) -> bool {
    let own: Vec<String> = company
        .told
        .iter()
        .flat_map(|told| transcript_words(told))
        .chain(transcript_words(company.own))
        .collect();
    said.iter().any(|word| word.chars().count() >= 5 && own.contains(word))
}

/// Whether somebody is spoken to by this name: first or last, behind a greeting, or in front of a question.
fn is_called(said: &[String], name: &str) -> bool {
    let name = transcript_words(name);
    let Some(first) = name.first().filter(|word| word.chars().count() >= 2) else { return false };
    let greeted = TALK.greeting.is(said.first());
    let asked = said.windows(3).any(|three| {
        let [one, two, three] = three else { return false };
        one == first && TALK.turned.is(Some(two)) && TALK.you.is(Some(three))
    });
    let is_behind_opening = match TALK.behind_leading(said) {
        [one, behind @ ..] => one == first && !TALK.telling.begins(behind) && !TALK.being.begins(behind),
        [] => false,
    };
    asked
        || is_behind_opening
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
    let greeted = TALK.greeting.is(said.first());
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
    apart <= (length / 4).max(1)
        || (sound(heard) == sound(name) && apart * 2 <= length && heard.chars().count() + 2 >= length)
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

/// This much of what was heard must stand in what was said (voice 2.4).
const ALIKE: f64 = 0.6;

/// This much of its pairs of words must follow each other there as well: the runs of three letters in a long reply are
/// those of half the language.
const IN_ORDER: f64 = 0.4;

/// Shorter things are said by many people.
const LEAST: usize = 10;

/// Whether `heard` is mostly what the familiar said itself. Compares runs of three letters, and pairs of words.
pub(super) fn is_echo(heard: &str, said: &str) -> bool {
    let (heard, said) = (normalized(heard), normalized(said));
    heard.chars().count() >= LEAST
        && share(trigrams(&heard), &trigrams(&said).collect()) >= ALIKE
        && share(neighbouring_words(&heard), &neighbouring_words(&said).collect()) >= IN_ORDER
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

fn neighbouring_words(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split(' ').zip(text.split(' ').skip(1))
}

fn trigrams(text: &str) -> impl Iterator<Item = [char; 3]> {
    let letters: Vec<char> = text.chars().collect();
    (0..letters.len().saturating_sub(2)).filter_map(move |at| letters.get(at..at + 3)?.try_into().ok())
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
        for text in ["make a sandwich", "we make it", "the mike is on", "I like it a lot", "y nunca el bueno"]
        {
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
            "what's Mika's problem",
            "my sister loves Mika",
            "frag doch mal Mika, die weiß es",
            "on a demandé à Mika",
            "habla con la Mika",
            "and Mika said it would rain?",
            "und Mika sagte, dass es regnet?",
        ] {
            assert_eq!(verdict(text, &company), Verdict::Unclear, "{text}");
        }
        for text in
            ["Mika was so rude", "Mika doesn't know anything about soup", "hat Mika auch mal Geburtstag"]
        {
            assert_eq!(verdict(text, &company), Verdict::Perhaps, "{text}: or is it asked?");
        }
        for text in [
            "what's it called, Mika, the film?",
            "Mika is it late?",
            "Mika is it late？",
            "is it late Mika",
            "and Mika what do you say",
            "Mika was that you?",
        ] {
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
    fn a_question_to_nobody_is_left_to_the_model_where_nobody_talks() {
        let names = names();
        let quiet = Company {
            people: 3,
            names: &names,
            other_spoke: Some(Duration::from_secs(60)),
            ..Company::default()
        };
        assert_eq!(verdict("is anybody there", &quiet), Verdict::Perhaps);
        assert_eq!(verdict("is it late?", &quiet), Verdict::Perhaps);
        let busy = Company { other_spoke: Some(Duration::from_secs(3)), ..quiet };
        assert_eq!(verdict("is anybody there?", &busy), Verdict::Unclear);
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
            ("would you like that", after(0, 9), Verdict::Perhaps),
            ("would you", Company { is_side_talk: true, ..after(0, 9) }, Verdict::Unclear),
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

#[cfg(test)]
mod echo_tests {
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
