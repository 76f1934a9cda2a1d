//! A sentence in which somebody says something of themselves, or asks for something to be remembered.

use std::sync::LazyLock;

use regex::Regex;

use super::clauses::{Introduced, clauses, introduced};
use super::sentence::Sentence;
use crate::memory::facts::FactKind;
use crate::text::calendar::{is_month, is_weekday};

/// Longest value, in characters and in words.
const VALUE_CHARS: usize = 60;
const VALUE_WORDS: usize = 8;

/// Longest thing to remember, in characters.
const REMEMBERED_CHARS: usize = 180;

/// What somebody says of themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The words of the fact, with `{who}` for whoever said it.
    words: String,
    /// What there can be only one of: a later value takes the place of an earlier one.
    pub slot: Option<String>,
    /// What sort of fact.
    pub kind: FactKind,
    /// 1 to 5.
    pub importance: u8,
    /// A name the author goes by.
    pub name: Option<String>,
    /// The slot holds no longer; nothing takes its place.
    pub ends: bool,
    /// What the slot holds.
    pub value: String,
    /// Whether nothing stood behind it that is not in it.
    is_whole: bool,
}

impl Statement {
    /// The words of the fact.
    pub fn words(&self, who: &str) -> String {
        self.words.replace("{who}", who)
    }
}

/// How a value has to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Value {
    Any,
    /// A person's or an animal's.
    Name,
    /// Only a name that is written like one.
    CapitalName,
    /// A day.
    Day,
    /// Somewhere one can live.
    Place,
}

struct Form {
    pattern: &'static str,
    words: &'static str,
    slot: Option<&'static str>,
    value: Value,
    importance: u8,
    kind: FactKind,
}

const fn fact(
    pattern: &'static str,
    words: &'static str,
    slot: Option<&'static str>,
    value: Value,
    importance: u8,
) -> Form {
    Form { pattern, words, slot, value, importance, kind: FactKind::Fact }
}

/// `{v}` is the value, `{k}` what else a form captures. The first that fits holds.
const FORMS: [Form; 24] = [
    fact(r"my name(?: is|'s) (?P<v>.+)", "{who} goes by {v}.", Some("name"), Value::Name, 5),
    fact(
        r"(?:please |just |you can )?call me (?P<v>.+)",
        "{who} goes by {v}.",
        Some("name"),
        Value::CapitalName,
        5,
    ),
    fact(r"(?:i am|i'm) called (?P<v>.+)", "{who} goes by {v}.", Some("name"), Value::CapitalName, 5),
    fact(r"i go by (?P<v>.+)", "{who} goes by {v}.", Some("name"), Value::CapitalName, 5),
    fact(
        r"(?:ich hei(?:ß|ss)e|mein name ist|nennt? mich) (?P<v>.+)",
        "{who} goes by {v}.",
        Some("name"),
        Value::CapitalName,
        5,
    ),
    fact(
        r"i(?: now| currently| still)? live in (?P<v>.+)",
        "{who} lives in {v}.",
        Some("home"),
        Value::Place,
        4,
    ),
    fact(
        r"(?:i am|i'm)(?: now| currently)? living in (?P<v>.+)",
        "{who} lives in {v}.",
        Some("home"),
        Value::Place,
        4,
    ),
    fact(
        r"(?:i|i've|i have)(?: just| recently)? moved to (?P<v>.+)",
        "{who} lives in {v}.",
        Some("home"),
        Value::Place,
        4,
    ),
    fact(r"ich (?:wohne|lebe)(?: jetzt)? in (?P<v>.+)", "{who} lives in {v}.", Some("home"), Value::Place, 4),
    fact(
        r"(?:i am|i'm|i come)(?: originally)? from (?P<v>.+)",
        "{who} is from {v}.",
        Some("origin"),
        Value::Place,
        3,
    ),
    fact(r"ich (?:komme|bin) aus (?P<v>.+)", "{who} is from {v}.", Some("origin"), Value::Place, 3),
    fact(
        r"my birthday(?: is|'s)(?: on)?(?: the)? (?P<v>.+)",
        "{who}'s birthday is {v}.",
        Some("birthday"),
        Value::Day,
        5,
    ),
    fact(r"i was born on(?: the)? (?P<v>.+)", "{who}'s birthday is {v}.", Some("birthday"), Value::Day, 5),
    fact(
        r"mein geburtstag ist(?: am)? (?P<v>.+)",
        "{who}'s birthday is {v}.",
        Some("birthday"),
        Value::Day,
        5,
    ),
    fact(r"ich habe am (?P<v>.+) geburtstag", "{who}'s birthday is {v}.", Some("birthday"), Value::Day, 5),
    fact(
        r"(?:i am|i'm)(?: also| very| really| severely| deathly)* allergic to (?P<v>.+)",
        "{who} is allergic to {v}.",
        None,
        Value::Any,
        5,
    ),
    fact(r"ich bin allergisch (?:gegen|auf) (?P<v>.+)", "{who} is allergic to {v}.", None, Value::Any, 5),
    fact(
        r"(?:i am|i'm) (?:a |an )?(?P<v>vegan|vegetarian|pescatarian|coeliac|celiac|diabetic)",
        "{who} is {v}.",
        Some("diet"),
        Value::Any,
        4,
    ),
    Form {
        kind: FactKind::Preference,
        ..fact(
            r"my favou?rite (?P<k>\p{L}+(?: \p{L}+)?) is (?P<v>.+)",
            "{who}'s favourite {k} is {v}.",
            Some("favourite-{k}"),
            Value::Any,
            3,
        )
    },
    fact(
        r"my (?P<k>cat|dog|horse|parrot|rabbit|hamster|boat|wife|husband|partner|girlfriend|boyfriend|fiancée?|sister|brother|son|daughter|mother|father|mum|mom|dad|boss|teacher)(?:'s name is| is called| is named|'s called|'s named) (?P<v>.+)",
        "{who}'s {k} is called {v}.",
        None,
        Value::CapitalName,
        3,
    ),
    fact(
        r"(?:i work|i'm working|i am working) (?P<k>as|at|for) (?P<v>.+)",
        "{who} works {k} {v}.",
        Some("work"),
        Value::Any,
        3,
    ),
    fact(r"ich arbeite (?P<k>als|bei|für) (?P<v>.+)", "{who} works {k} {v}.", Some("work"), Value::Any, 3),
    fact(r"my pronouns are (?P<v>.+)", "{who}'s pronouns are {v}.", Some("pronouns"), Value::Any, 5),
    fact(r"my time ?zone is (?P<v>.+)", "{who}'s time zone is {v}.", Some("time-zone"), Value::Any, 4),
];

/// Sentences that say that a slot holds no longer.
const ENDS: [(&str, &str); 2] = [
    (r"i (?:don't|do not|no longer) live in (?P<v>.+?)(?: any ?more)?", "home"),
    (r"i (?:don't|do not|no longer) work (?:as|at|for) (?P<v>.+?)(?: any ?more)?", "work"),
];

const REMEMBER: &str = r"(?:remember|don't forget|do not forget|note|keep in mind|merk dir|denk dran)(?:,? that|,? dass|:| this:| das:)\s+(?P<v>.+)";

static READY: LazyLock<Option<Ready>> = LazyLock::new(Ready::new);

struct Ready {
    forms: Vec<(Regex, &'static Form)>,
    ends: Vec<(Regex, &'static str)>,
    remember: Regex,
    clause: Regex,
    /// What may stand behind a value and changes nothing.
    filler: Regex,
}

impl Ready {
    fn new() -> Option<Self> {
        let whole = |pattern: &str| Regex::new(&format!("(?is)^(?:{pattern})$")).ok();
        Some(Self {
            forms: FORMS.iter().map(|form| Some((whole(form.pattern)?, form))).collect::<Option<_>>()?,
            ends: ENDS.iter().map(|(form, slot)| Some((whole(form)?, *slot))).collect::<Option<_>>()?,
            remember: whole(REMEMBER)?,
            // Where a value ends and something else begins.
            clause: Regex::new(
                r"(?i)\s*(?:[,;:!()\u{2013}\u{2014}…\n]|\.\s|\s-\s).*$|(?:\s+(?:and|und))?\s+(?:but|because|since|though|although|so|which|where|when|while|if|until|unless|btw|lol|haha|anymore|too|now|already|these days|at the moment|aber|weil|und ich)(?:\s.*)?$|\s+and\s+(?:i|i'm|my|we|it|he|she|they|the|that|you)\b.*$",
            )
            .ok()?,
            filler: Regex::new(
                r"(?i)^\W*(?:(?:now|too|already|these days|at the moment|btw|lol|haha)\W*)?$",
            )
            .ok()?,
        })
    }

    /// Whether a value goes on to the end.
    fn is_whole(&self, raw: &str) -> bool {
        self.clause.find(raw).is_none_or(|found| self.filler.is_match(found.as_str()))
    }

    fn value<'a>(&self, raw: &'a str) -> &'a str {
        let end = self.clause.find(raw).map_or(raw.len(), |found| found.start());
        raw[..end].trim().trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, ')' | '+' | '#'))
    }
}

/// What a sentence states, in its order; nothing where it states nothing. What stands behind something that is not
/// plain is not taken: "she said … and I live in Ghent" may be her words.
pub fn statements(sentence: &Sentence) -> Vec<Statement> {
    let Some(ready) = READY.as_ref() else { return Vec::new() };
    let body = sentence.body.as_str();
    let Some(asked) = ready.remember.captures(body).and_then(|found| found.name("v")) else {
        return all_plain(ready, body);
    };
    let asked = asked.as_str().trim();
    // "Remember that I live in Ghent" says where somebody lives.
    let plain = all_plain(ready, asked);
    if !plain.is_empty() {
        return plain;
    }
    if asked.chars().count() > REMEMBERED_CHARS || asked.split_whitespace().count() < 2 {
        return Vec::new();
    }
    let words = format!("{{who}} asked to remember: \u{201c}{}\u{201d}", asked.replace("{who}", "who"));
    vec![Statement {
        words,
        slot: None,
        kind: FactKind::Claim,
        importance: 4,
        name: None,
        ends: false,
        value: asked.to_owned(),
        is_whole: true,
    }]
}

/// The things said one after the other from the beginning on, as long as each of them is plain.
fn all_plain(ready: &Ready, body: &str) -> Vec<Statement> {
    let parts = clauses(body);
    let (who, parts) = match parts.split_first().and_then(|(first, rest)| Some((introduced(first)?, rest))) {
        Some((who, rest)) if plain(ready, parts[0]).is_none() => (Some(who), rest),
        _ => (None, parts.as_slice()),
    };
    let mut stated: Vec<Statement> = Vec::new();
    for part in parts {
        let Some(one) = plain(ready, part) else { break };
        let is_whole = one.is_whole;
        stated.push(one);
        // What was cut off may be the beginning of somebody else's words.
        if !is_whole {
            break;
        }
    }
    let named = match who {
        Some(Introduced::Named(name)) if !stated.is_empty() => plain(ready, &format!("my name is {name}")),
        _ => None,
    };
    named.into_iter().chain(stated).collect()
}

fn plain(ready: &Ready, body: &str) -> Option<Statement> {
    // A brace would fill in another's place, a mention names nobody.
    if body.contains(['{', '}', '<', '>']) {
        return None;
    }
    for (pattern, slot) in &ready.ends {
        if let Some(value) = pattern.captures(body).and_then(|found| found.name("v")) {
            return Some(Statement {
                is_whole: ready.is_whole(value.as_str()),
                words: String::new(),
                slot: Some((*slot).to_owned()),
                kind: FactKind::Fact,
                importance: 3,
                name: None,
                ends: true,
                value: ready.value(value.as_str()).to_owned(),
            });
        }
    }
    for (pattern, form) in &ready.forms {
        let Some(found) = pattern.captures(body) else { continue };
        let raw = found.name("v").map_or("", |value| value.as_str());
        let value = ready.value(raw);
        let Some(value) = form.value.of(value) else { continue };
        let what = found.name("k").map_or_else(String::new, |what| what.as_str().to_lowercase());
        let fill = |text: &str| text.replace("{v}", &value).replace("{k}", &what);
        let is_name = form.slot == Some("name");
        return Some(Statement {
            words: fill(form.words),
            slot: form.slot.map(|slot| slot.replace("{k}", &what).replace(' ', "-")),
            kind: form.kind,
            importance: form.importance,
            name: is_name.then(|| value.clone()),
            ends: false,
            value,
            is_whole: ready.is_whole(raw),
        });
    }
    None
}

impl Value {
    /// The value as it is written down, where it is one.
    fn of(self, value: &str) -> Option<String> {
        let words: Vec<&str> = value.split_whitespace().collect();
        let first = words.first()?.to_lowercase();
        let is_small = value.chars().count() <= VALUE_CHARS && words.len() <= VALUE_WORDS;
        // What refers to something else says nothing alone.
        let refers =
            ["it", "that", "this", "there", "here", "you", "your", "him", "her", "them", "what", "not", "no"];
        if !is_small || refers.contains(&first.as_str()) {
            return None;
        }
        match self {
            Self::Any => Some(value.to_owned()),
            Self::Place => {
                const NOWHERE: [&str; 12] = [
                    "fear", "peace", "hope", "hell", "heaven", "denial", "pain", "sin", "a", "an", "the",
                    "my",
                ];
                (!NOWHERE.contains(&first.as_str())).then(|| value.to_owned())
            }
            Self::Day => is_day(&words).then(|| value.to_owned()),
            Self::Name | Self::CapitalName => {
                let is_capital = words.iter().all(|word| word.chars().next().is_some_and(char::is_uppercase));
                let is_word = words
                    .iter()
                    .all(|word| word.chars().all(|c| c.is_alphanumeric() || matches!(c, '\'' | '-' | '.')));
                let is_name = words.len() <= 3 && is_word && (self == Self::Name || is_capital);
                is_name.then(|| value.to_owned())
            }
        }
    }
}

/// A day of the year: a month with a number, or numbers with marks between them.
fn is_day(words: &[&str]) -> bool {
    let has_number = words.iter().any(|word| word.chars().any(|c| c.is_ascii_digit()));
    let plain = |word: &&str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let has_month = words.iter().map(plain).any(|word| is_month(&word));
    let is_figures = words.len() == 1
        && words[0].contains(['/', '.', '-'])
        && words[0].chars().all(|c| c.is_ascii_digit() || matches!(c, '/' | '.' | '-'));
    let weekday_alone = words.len() == 1 && is_weekday(&plain(&words[0]));
    (has_number && has_month) || is_figures || weekday_alone
}

#[cfg(test)]
mod tests;
