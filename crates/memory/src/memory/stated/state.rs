//! A sentence in which somebody says something of themselves, or asks for something to be remembered.

use std::sync::LazyLock;

use regex::Regex;

use super::clauses::{Introduced, clauses, introduced};
use super::forms::{Forms, either, said_words};
use super::joke::is_joke;
use super::said::{Sentence, Unsaid};
use super::slots::{StatedReading, StatedSlot, Value};
use crate::memory::facts::FactKind;
use crate::text::names::is_unspaced;
use crate::text::phrases::{Languages, is_listed, listed_phrases};
use crate::text::secrets::redact;
use crate::text::unicode::{lowered, visible};

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
    pub importance: u8,
    /// A name the author goes by.
    pub name: Option<String>,
    /// It holds no longer; nothing takes its place.
    pub ends: bool,
    pub value: String,
    /// Whether nothing stood behind it that is not in it.
    is_whole: bool,
}

impl Statement {
    /// The words of the fact.
    pub fn words(&self, who: &str) -> String {
        self.words.replace("{who}", who)
    }

    /// What there may be several of and a correction takes the place of one: what sort of thing it says.
    pub fn sort(&self) -> Option<StatedReading> {
        if self.slot.is_some() { None } else { StatedReading::of(&self.words("who")) }
    }

    /// Whether a password, a key or the like stands in it: that is noted nowhere.
    pub fn is_secret(&self) -> bool {
        holds_secret(&self.words("who"))
    }
}

/// Whether somebody asks for a secret to be remembered.
pub fn asks_to_keep_secret(sentence: &Sentence) -> bool {
    let ready = READY.as_ref().filter(|_| !is_joke(sentence));
    ready.and_then(|ready| asked_to_remember(ready, &sentence.body)).is_some_and(holds_secret)
}

fn holds_secret(words: &str) -> bool {
    !redact(&visible(words)).kinds.is_empty()
}

/// What is to be remembered, where somebody asks for it.
fn asked_to_remember<'a>(ready: &PreparedForms, body: &'a str) -> Option<&'a str> {
    let asks = |section: &str| matches!(section, "remember" | "remember asked");
    let mut remember = ready.forms.fitting(body).filter(|(section, _)| asks(section));
    remember.find_map(|(_, pattern)| pattern.captures(body)?.name("v")).map(|asked| asked.as_str().trim())
}

static READY: LazyLock<Option<PreparedForms>> = LazyLock::new(PreparedForms::new);

fn languages_of(section: &str) -> impl Iterator<Item = Languages> {
    let mut languages: Vec<Languages> = listed_phrases(section).map(|(language, _)| language).collect();
    languages.dedup();
    languages.into_iter()
}

/// The words of some sections in one language, as a pattern.
fn listed_in(language: Languages, sections: &[&str]) -> String {
    let all = sections.iter().flat_map(|section| listed_phrases(section));
    either(&all.filter(|(of, _)| *of == language).map(|(_, words)| words).collect::<Vec<_>>())
}

/// A time as one language says it.
fn time_in(language: Languages) -> String {
    let before = format!(r"(?:(?:{}|\d+)\s+)", listed_in(language, &["said: before times"]));
    let times = listed_in(language, &["said: times"]);
    let behind = listed_in(language, &["said: times behind", "months", "weekdays"]);
    format!(r"{before}*(?:{times})|{before}+(?:{behind}|(?:19|20)\d\d)")
}

/// Since when or with whom somebody lives in a place, as one language says it.
fn beside_in(language: Languages) -> String {
    format!("{}|{}", time_in(language), listed_in(language, &["said: with mine"]))
}

/// A time that stands before what is said, as one language says it: "two years ago", "la semana pasada".
fn lead_in(language: Languages) -> String {
    let more = listed_in(language, &["said: before times", "said: times", "said: times behind"]);
    format!(r"(?:{})(?:\s+(?:{more}|\d+))*", time_in(language))
}

/// Where somebody goes on about something else, as one language says it: "and I love it", "und wohne in Kiel".
fn going_on_in(language: Languages) -> String {
    let joins = listed_in(language, &["said: joins"]);
    format!(r"\s+(?:{joins})\s+(?:{})\b.*$", listed_in(language, &["said: goes on"]))
}

/// All but [`Self::joint`] are for what is in lower case.
struct PreparedForms {
    forms: &'static Forms,
    clause: Regex,
    /// That it is so by now, at the end.
    now: Regex,
    /// A word that may join the next sentence to a name or a place.
    joint: Regex,
    /// Since when or with whom somebody lives in a place.
    beside: Regex,
    /// A time at the beginning.
    lead: Regex,
    /// What may stand behind a value and changes nothing.
    filler: Regex,
    /// The same behind a place: since when.
    times: Regex,
}

impl PreparedForms {
    fn new() -> Option<Self> {
        let forms = Forms::get()?;
        let listed = |section| either(&said_words(section));
        let (times, behind, before) = (listed("times"), listed("times behind"), listed("before times"));
        // Language by language: "le" and "spring" make no time together.
        let besides: Vec<String> = languages_of("said: before times").map(beside_in).collect();
        let leads: Vec<String> = languages_of("said: before times").map(lead_in).collect();
        let named: Vec<&str> =
            ["months", "weekdays"].into_iter().flat_map(listed_phrases).map(|(_, name)| name).collect();
        let named = either(&named);
        let now = either(&said_words("now"));
        let going_on: Vec<String> = languages_of("said: goes on").map(going_on_in).collect();
        let before = format!(r"(?:(?:{before}|\d+)\s+)");
        Some(Self {
            forms,
            beside: Regex::new(&format!(
                r"\s+(?:{})(?:[^\p{{L}}\p{{N}}'-].*)?$",
                besides.join("|")
            ))
            .ok()?,
            lead: Regex::new(&format!(r"^(?:{})(?:\s*,\s*|\s+)", leads.join("|"))).ok()?,
            times: Regex::new(&format!(
                r"^\s*(?:{before}|(?:{times}|{behind}|{named}|\d+)(?:\s+|$))+$"
            ))
            .ok()?,
            // Where a value ends and something else begins.
            clause: Regex::new(&format!(
                r"\s*(?:[,;:!()\u{{2013}}\u{{2014}}…\n、，。；]|\.\s|\s-\s).*$|(?:\s+(?:{}))?\s+(?:{})(?:[\s'’].*)?$|{}",
                listed("joins"),
                listed("breaks off"),
                going_on.join("|")
            ))
            .ok()?,
            now: Regex::new(&format!(r"\s+(?:{now})\W*$")).ok()?,
            joint: Regex::new(&format!(r"\s(?:{})\s+\p{{Ll}}.*$", either(&said_words("joins")))).ok()?,
            filler: Regex::new(&format!(r"^\W*(?:(?:{now})\W*)?$")).ok()?,
        })
    }

    /// Where a value ends.
    fn end(&self, raw: &str, value: Value) -> usize {
        let lower = lowered(raw);
        let clause = self.clause.find(&lower).map_or(raw.len(), |found| found.start());
        let clause = self.now.find(&lower[..clause]).map_or(clause, |found| found.start());
        let joint = || self.joint.find(&raw[..clause]).map_or(clause, |found| found.start());
        match value {
            Value::Any | Value::Day => clause,
            Value::Name | Value::CapitalName => joint(),
            Value::Place => {
                self.beside.find(&lower[..clause]).map_or(clause, |beside| beside.start()).min(joint())
            }
        }
    }

    /// Whether a value goes on to the end.
    fn is_whole(&self, raw: &str, value: Value) -> bool {
        let end = self.end(raw, value);
        let behind = lowered(&raw[end..]);
        behind.is_empty()
            || self.filler.is_match(&behind)
            || (value == Value::Place && self.times.is_match(&behind))
    }

    /// The time at the beginning, and what stands behind it.
    fn led_by_time<'a>(&self, body: &'a str) -> Option<(&'a str, &'a str)> {
        Some(body.split_at(self.lead.find(&lowered(body))?.end()))
    }

    fn value<'a>(&self, raw: &'a str, value: Value) -> &'a str {
        let end = self.end(raw, value);
        raw[..end].trim().trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, ')' | '+' | '#'))
    }
}

/// What a sentence states, in its order; nothing where it states nothing. What stands behind something that is not
/// plain is not taken: "she said … and I live in Ghent" may be her words. A joke that is taken back states nothing.
pub fn statements(sentence: &Sentence) -> Vec<Statement> {
    let Some(ready) = READY.as_ref().filter(|_| !is_joke(sentence)) else { return Vec::new() };
    let body = sentence.body.as_str();
    let Some(asked) = asked_to_remember(ready, body) else {
        return all_plain(ready, body, sentence.about);
    };
    // "Remember that I live in Ghent" says where somebody lives.
    let plain = all_plain(ready, asked, sentence.about);
    if !plain.is_empty() {
        return plain;
    }
    if asked.chars().count() > REMEMBERED_CHARS
        || (asked.split_whitespace().count() < 2 && !asked.contains(is_unspaced))
    {
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
fn all_plain(ready: &PreparedForms, body: &str, about: Unsaid) -> Vec<Statement> {
    let parts = clauses(body);
    let (who, parts) = match parts.split_first().and_then(|(first, rest)| Some((introduced(first)?, rest))) {
        Some((who, rest)) if plain_statement(ready, &parts[0], about).is_none() => (Some(who), rest),
        _ => (None, parts.as_slice()),
    };
    let mut stated: Vec<Statement> = Vec::new();
    for part in parts {
        let Some(one) = plain_statement(ready, part, about) else { break };
        let is_whole = one.is_whole;
        stated.push(one);
        // What was cut off may be the beginning of somebody else's words.
        if !is_whole {
            break;
        }
    }
    let named = match who {
        Some(Introduced::Named(name)) if !stated.is_empty() => {
            plain_statement(ready, &format!("my name is {name}"), about)
        }
        _ => None,
    };
    named.into_iter().chain(stated).collect()
}

/// What a sentence says, also behind the time since when somebody lives somewhere.
fn plain_statement(ready: &PreparedForms, body: &str, about: Unsaid) -> Option<Statement> {
    // A brace would fill in another's place, a mention names nobody.
    if body.contains(['{', '}', '<', '>']) {
        return None;
    }
    stated_in(ready, body, about, |_| true).or_else(|| {
        let (time, rest) = ready.led_by_time(body)?;
        let names =
            |section: &str| time.split(|c: char| !c.is_alphanumeric()).any(|word| is_listed(section, word));
        if !time.contains(',') && names("said: times of a clause") {
            return None;
        }
        // Who will live somewhere does not yet; who has moved does.
        let lives = !names("said: times to come");
        stated_in(ready, rest, about, |section| section == "moved" || (lives && section.ends_with("home")))
    })
}

/// What a sentence says by the patterns of some sections.
fn stated_in(
    ready: &PreparedForms,
    body: &str,
    about: Unsaid,
    counts: impl Fn(&str) -> bool,
) -> Option<Statement> {
    let (mut stated, mut ended) = (None, None);
    for (section, pattern) in ready.forms.fitting(body).filter(|(section, _)| counts(section)) {
        let Some(found) = pattern.captures(body) else { continue };
        let leaves_out =
            pattern.capture_names().any(|name| name == Some("whose")) && found.name("whose").is_none();
        let said = found.name("v").filter(|_| !leaves_out || about == Unsaid::Oneself);
        let Some(raw) = said.map(|value| value.as_str()) else { continue };
        if let Some(slot) = section.strip_prefix("not ").and_then(StatedSlot::of_end) {
            ended = ended.or_else(|| {
                Some(Statement {
                    words: String::new(),
                    slot: slot.key(""),
                    kind: FactKind::Fact,
                    importance: 3,
                    name: None,
                    ends: true,
                    value: ready.value(raw, slot.value).to_owned(),
                    is_whole: ready.is_whole(raw, slot.value),
                })
            });
        } else if let Some(slot) = StatedSlot::of_section(section).filter(|_| stated.is_none()) {
            let what = found.name("k").map(|what| what.as_str().to_lowercase());
            stated = slot.value.of(ready.value(raw, slot.value)).map(|value| {
                let what = what.map_or_else(String::new, |what| ready.forms.called(&what));
                let is_name = slot.key("").as_deref() == Some("name");
                Statement {
                    words: slot.words.replace("{v}", &value).replace("{k}", &what),
                    slot: slot.key(&what),
                    kind: slot.kind,
                    importance: slot.importance,
                    name: is_name.then(|| value.clone()),
                    ends: false,
                    is_whole: ready.is_whole(raw, slot.value),
                    value,
                }
            });
        }
    }
    match (ended, stated) {
        // "Ich wohne nicht mehr in Kiel, sondern in Bremen"
        (Some(Statement { is_whole: false, .. }), Some(instead)) => Some(instead),
        // What is denied is not said: "no vivo en Madrid".
        (ended, stated) => ended.or(stated),
    }
}

/// Whether something begins here that is stated, or said to hold no longer.
pub(super) fn is_stated(part: &str) -> bool {
    READY.as_ref().is_some_and(|ready| plain_statement(ready, part, Unsaid::Oneself).is_some())
}

/// Whether a sentence tells of whoever speaks here to its end, and of nothing of theirs: what follows may go on so.
pub(super) fn is_of_oneself(body: &str) -> bool {
    let stated = READY.as_ref().map(|ready| all_plain(ready, body, Unsaid::Oneself)).unwrap_or_default();
    stated.last().is_some_and(|last| {
        last.is_whole && StatedReading::of(&last.words("who")).is_none_or(|fact| !fact.names_another())
    })
}

/// Whether what stands before a statement, and the comma between them, changes nothing about it: "last summer, I moved to
/// Ghent".
pub(super) fn is_led_up_to(whole: &str, statement: &str) -> bool {
    READY.as_ref().is_some_and(|ready| {
        let plain = |body| plain_statement(ready, body, Unsaid::Oneself);
        let alone = plain(statement);
        alone.is_some() && alone == plain(whole)
    })
}

#[cfg(test)]
mod tests;
