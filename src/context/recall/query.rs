//! From what somebody said to what is looked for: the words, the time, the people, and other ways to put it.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::time::{TimeWindow, asks_when, named_in, window_in};
use crate::config::RecallMethod;
use crate::domain::StoredId;
use crate::history::Shown;
use crate::text::keywords;

/// A message of fewer telling words than this needs the one before it to be understood.
const SHORT: usize = 3;

/// How surely a time is meant that is told from today on.
const POINTS_SOMEWHERE: f32 = 0.5;

/// Of a pasted text only so much is a question, in characters.
const TEXT_MAX: usize = 1_000;

/// What the words as they were said count, of all ways to put a question; and what they count with those before them,
/// or more, which is somebody's own words too.
pub(super) const AS_THEY_WERE_SAID: f32 = 1.0;
pub(super) const IN_OWN_WORDS: f32 = 0.3;

/// What sort of question it is; decides how much each source counts (specs mechanisms 4 row 13).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum QueryClass {
    /// What was it, how was it.
    Fact,
    /// When was it, or what was then.
    Time,
    /// About somebody.
    Person,
    /// What two people have to do with each other.
    Relation,
}

/// Under what circumstances a question is asked.
#[derive(Debug, Clone)]
pub struct Circumstances {
    /// Now.
    pub now: Timestamp,
    /// By which clock "yesterday" is meant.
    pub tz: TimeZone,
    /// What the prompt shows anyway.
    pub shown: Option<Shown>,
    /// What was said later is not looked at.
    pub until: Option<Timestamp>,
    /// The turns that are being answered.
    pub answered: Vec<StoredId>,
    /// What was said just before, for a question that says little by itself.
    pub before: Option<String>,
    /// How candidates are ordered.
    pub method: RecallMethod,
    /// The most finds.
    pub most: usize,
    /// The least a find has to be worth, 0 to 1, on the scale that is the same for every question.
    pub least: f32,
}

impl Circumstances {
    /// A question put by itself, now: nothing is shown, answered or said before it, and any find is worth something.
    #[must_use]
    pub fn alone(now: Timestamp, most: usize) -> Self {
        Self {
            now,
            tz: TimeZone::UTC,
            shown: None,
            until: None,
            answered: Vec::new(),
            before: None,
            method: RecallMethod::Fused,
            most,
            least: 0.0,
        }
    }

    /// Whether a turn was before what is being answered: neither one of the messages being answered, nor later than them
    /// where the question is asked again.
    #[must_use]
    pub fn is_past(&self, turn: StoredId) -> bool {
        let last = self.until.and(self.answered.iter().max());
        !self.answered.contains(&turn) && last.is_none_or(|last| turn <= *last)
    }
}

/// One thing to look for.
#[derive(Debug, Clone)]
pub struct RecallQuery {
    /// What is looked for, as text.
    pub text: String,
    /// Its telling words, stemmed, each once.
    pub terms: Vec<String>,
    /// What sort of question.
    pub class: QueryClass,
    /// Whether it asks for a time.
    pub asks_when: bool,
    /// The time it means.
    pub window: Option<TimeWindow>,
    /// How surely it means that time, 0 to 1: "on 7 May" names a day, "recently" only points somewhere.
    pub sureness: f32,
    /// Words that may be names, as written.
    pub named: Vec<String>,
    /// How much this way of putting it counts; 1 for the words as they were said. Joined ranks lie so close together
    /// that a fiftieth already moves a find by a place.
    pub weight: f32,
    /// Under what circumstances.
    pub circumstances: Circumstances,
}

impl RecallQuery {
    /// A question as it was put.
    #[must_use]
    pub fn new(utterance: &str, circumstances: Circumstances) -> Self {
        let text: String = utterance.chars().take(TEXT_MAX).collect();
        let named = names_in(&text);
        let named_window = named_in(&text, circumstances.now, &circumstances.tz);
        let sureness = if named_window.is_some() { 1.0 } else { POINTS_SOMEWHERE };
        let window = named_window.or_else(|| window_in(&text, circumstances.now, &circumstances.tz));
        let asks_when = asks_when(&text);
        let class = if relates(&text) && named.len() >= 2 {
            QueryClass::Relation
        } else if asks_when || window.is_some() {
            QueryClass::Time
        } else if !named.is_empty() {
            QueryClass::Person
        } else {
            QueryClass::Fact
        };
        Self {
            terms: terms(&text),
            text,
            class,
            asks_when,
            window,
            sureness,
            named,
            weight: AS_THEY_WERE_SAID,
            circumstances,
        }
    }

    /// Whether it says so little by itself that what was said before it is needed to understand it.
    #[must_use]
    pub fn is_short(text: &str) -> bool {
        terms(text).len() < SHORT
    }

    /// The question and other ways to put it, the most telling first (specs mechanisms A5: query variants).
    #[must_use]
    pub fn variants(&self) -> Vec<Self> {
        let mut variants = vec![self.clone()];
        let other = |text: String, weight: f32| Self { terms: terms(&text), text, weight, ..self.clone() };
        if let Some(before) = self.circumstances.before.as_deref().filter(|_| self.terms.len() < SHORT) {
            variants.push(other(format!("{}\n{before}", self.text), IN_OWN_WORDS));
        }
        let things = things_in(&self.text);
        if !things.is_empty() && things.len() < self.terms.len() {
            variants.push(other(things.join(" "), 0.02));
        }
        // Without the names: in a talk among few, everybody is named everywhere.
        let named: Vec<String> = self.named.iter().flat_map(|name| terms(name)).collect();
        let rest: Vec<String> = self.terms.iter().filter(|term| !named.contains(term)).cloned().collect();
        if !named.is_empty() && rest.len() >= 2 {
            variants.push(other(rest.join(" "), 0.02));
        }
        variants
    }
}

/// The stems of the telling words, each once.
fn terms(text: &str) -> Vec<String> {
    let mut terms = keywords::terms(text);
    let mut seen = std::collections::HashSet::new();
    terms.retain(|term| seen.insert(term.clone()));
    terms
}

/// Words that may be names: capitalised ones that are no stop words. The first word of a text counts too: it is
/// looked up, and what is nobody's name finds nobody.
fn names_in(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '-' && c != '_') {
        let name = word.trim_matches('-');
        let is_capitalised = name.chars().next().is_some_and(char::is_uppercase);
        if is_capitalised
            && !keywords::is_stop_word(&keywords::fold(name))
            && !names.iter().any(|n| n == name)
        {
            names.push(name.to_owned());
        }
    }
    names
}

/// Names, numbers and what stands between quotation marks.
fn things_in(text: &str) -> Vec<String> {
    let mut things = names_in(text);
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        if word.chars().any(|c| c.is_ascii_digit()) {
            things.push(word.to_owned());
        }
    }
    for quoted in text.split(['"', '“', '”', '„', '«', '»']).skip(1).step_by(2) {
        if !quoted.trim().is_empty() {
            things.push(quoted.trim().to_owned());
        }
    }
    things
}

/// Whether it asks how people hang together.
fn relates(text: &str) -> bool {
    let text = text.to_lowercase();
    [
        "each other",
        "know",
        "between",
        "together",
        "friends",
        "met ",
        "meet",
        "relationship",
        "kennen",
        "kennt",
        "zwischen",
        "zusammen",
        "einander",
        "befreundet",
    ]
    .iter()
    .any(|sign| text.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str) -> RecallQuery {
        RecallQuery::new(
            text,
            Circumstances {
                before: Some("the ferry to Ruk is late".to_owned()),
                ..Circumstances::alone("2026-03-18T15:30:00Z".parse().unwrap(), 10)
            },
        )
    }

    #[test]
    fn a12_a_question_is_told_by_its_words() {
        for (text, class) in [
            ("how do Ana and Ben know each other?", QueryClass::Relation),
            ("Woher kennen sich Ana und Ben?", QueryClass::Relation),
            ("when did we sail?", QueryClass::Time),
            ("what was that yesterday?", QueryClass::Time),
            ("what does Ana like?", QueryClass::Person),
            ("which rope was it?", QueryClass::Fact),
        ] {
            assert_eq!(query(text).class, class, "{text}");
        }
    }

    #[test]
    fn a12_other_ways_to_put_it_follow_the_words_as_they_were_said() {
        let texts = |text: &str| query(text).variants().into_iter().map(|v| v.text).collect::<Vec<_>>();
        assert_eq!(
            texts("why is it late?"),
            ["why is it late?", "why is it late?\nthe ferry to Ruk is late"]
        );
        let all = texts("what did Ana buy at \"the old quay\" in 2024?");
        assert_eq!(all[0], "what did Ana buy at \"the old quay\" in 2024?");
        assert!(
            all.iter()
                .any(|text| text.contains("Ana") && text.contains("2024") && text.contains("the old quay"))
        );
        assert!(all.iter().any(|text| !text.contains("ana") && text.contains("bui")));
    }
}
