//! One thing that somebody plainly says of themselves, and where it ends: "I live in Ghent", of "I live in Ghent because …".
//!
//! Must not know sentences that say several things. Start at [`plain_statement`].

use std::sync::LazyLock;

use regex::Regex;

use super::forms::{FittingForm, Forms};
use super::said::Unsaid;
use super::slots::{StatedReading, StatedSlot, Value};
use super::words::{called, said_words};
use crate::memory::facts::FactKind;
use crate::text::phrases::{Languages, either, is_listed, listed_phrases};
use crate::text::secrets::redact;
use crate::text::unicode::{lowered, visible};

/// What somebody says of themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The words of the fact, with `{who}` for whoever said it.
    words: String,
    /// What there can be only one of: a later value takes the place of an earlier one.
    pub slot: Option<String>,
    pub kind: FactKind,
    pub importance: u8,
    /// A name the author goes by.
    pub name: Option<String>,
    /// It holds no longer; nothing takes its place.
    pub ends: bool,
    pub value: String,
    /// Whether nothing stood behind it that is not in it.
    pub(super) is_whole: bool,
}

impl Statement {
    /// What somebody asked to be remembered.
    pub(super) fn remembered(asked: &str) -> Self {
        Self {
            words: format!("{{who}} asked to remember: \u{201c}{}\u{201d}", asked.replace("{who}", "who")),
            slot: None,
            kind: FactKind::Claim,
            importance: 4,
            name: None,
            ends: false,
            value: asked.to_owned(),
            is_whole: true,
        }
    }

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

/// Whether a password, a key or the like stands in some words.
pub(super) fn holds_secret(words: &str) -> bool {
    !redact(&visible(words)).kinds.is_empty()
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

/// Where somebody breaks off to say something else, as one language says it: "because", "obwohl".
fn breaking_off_in(language: Languages) -> Option<(Languages, Regex)> {
    let joins = listed_in(language, &["said: joins"]);
    let breaks = listed_in(language, &["said: breaks off"]);
    let words = Regex::new(&format!(r"(?:\s+(?:{joins}))?\s+(?:{breaks})(?:[\s'’].*)?$")).ok()?;
    Some((language, words))
}

/// All but [`Self::joint`] are for what is in lower case.
struct PreparedForms {
    forms: &'static Forms,
    /// Where a value ends and something else begins, in any language.
    clause: Regex,
    /// The same in each: maize is "Mais" in one and "but" in another.
    breaking_off: Vec<(Languages, Regex)>,
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
            beside: Regex::new(&format!(r"\s+(?:{})(?:[^\p{{L}}\p{{N}}'-].*)?$", besides.join("|"))).ok()?,
            lead: Regex::new(&format!(r"^(?:{})(?:\s*,\s*|\s+)", leads.join("|"))).ok()?,
            times: Regex::new(&format!(r"^\s*(?:{before}|(?:{times}|{behind}|{named}|\d+)(?:\s+|$))+$"))
                .ok()?,
            clause: Regex::new(&format!(
                r"\s*(?:[,;:!()\u{{2013}}\u{{2014}}…\n、，。；]|\.\s|\s-\s).*$|{}",
                going_on.join("|")
            ))
            .ok()?,
            breaking_off: languages_of("said: breaks off").map(breaking_off_in).collect::<Option<_>>()?,
            now: Regex::new(&format!(r"\s+(?:{now})\W*$")).ok()?,
            joint: Regex::new(&format!(r"\s(?:{})\s+\p{{Ll}}.*$", either(&said_words("joins")))).ok()?,
            filler: Regex::new(&format!(r"^\W*(?:(?:{now})\W*)?$")).ok()?,
        })
    }

    /// Where a value ends that is said in a language.
    fn end(&self, raw: &str, value: Value, language: Languages) -> usize {
        let lower = lowered(raw);
        let own = self.breaking_off.iter().filter(|(of, _)| *of == language).map(|(_, words)| words);
        let ends = own.chain([&self.clause]).filter_map(|words| words.find(&lower));
        let clause = ends.map(|found| found.start()).min().unwrap_or(raw.len());
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
    fn is_whole(&self, raw: &str, value: Value, language: Languages) -> bool {
        let end = self.end(raw, value, language);
        let behind = lowered(&raw[end..]);
        behind.is_empty()
            || self.filler.is_match(&behind)
            || (value == Value::Place && self.times.is_match(&behind))
    }

    /// The time at the beginning, and what stands behind it.
    fn led_by_time<'a>(&self, body: &'a str) -> Option<(&'a str, &'a str)> {
        Some(body.split_at(self.lead.find(&lowered(body))?.end()))
    }

    fn value<'a>(&self, raw: &'a str, value: Value, language: Languages) -> &'a str {
        let end = self.end(raw, value, language);
        raw[..end].trim().trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, ')' | '+' | '#'))
    }
}

/// What a sentence says, also behind the time since when somebody lives somewhere.
pub(super) fn plain_statement(body: &str, about: Unsaid) -> Option<Statement> {
    let ready = READY.as_ref()?;
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
    for form in ready.forms.fitting(body).filter(|form| counts(form.section)) {
        let FittingForm { section, language, pattern } = form;
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
                    value: ready.value(raw, slot.value, language).to_owned(),
                    is_whole: ready.is_whole(raw, slot.value, language),
                })
            });
        } else if let Some(slot) = StatedSlot::of_section(section).filter(|_| stated.is_none()) {
            let what = match found.name("k") {
                Some(what) => called(&what.as_str().to_lowercase(), language),
                None => Some(String::new()),
            };
            let value = slot.value.of(ready.value(raw, slot.value, language));
            stated = value.zip(what).map(|(value, what)| {
                let is_name = slot.key("").as_deref() == Some("name");
                Statement {
                    words: slot.words.replace("{v}", &value).replace("{k}", &what),
                    slot: slot.key(&what),
                    kind: slot.kind,
                    importance: slot.importance,
                    name: is_name.then(|| value.clone()),
                    ends: false,
                    is_whole: ready.is_whole(raw, slot.value, language),
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
    plain_statement(part, Unsaid::Oneself).is_some()
}

/// Whether what stands before a statement, and the comma between them, changes nothing about it: "last summer, I moved to
/// Ghent".
pub(super) fn is_led_up_to(whole: &str, statement: &str) -> bool {
    let alone = plain_statement(statement, Unsaid::Oneself);
    alone.is_some() && alone == plain_statement(whole, Unsaid::Oneself)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_can_be_read() {
        assert!(PreparedForms::new().is_some());
    }
}
