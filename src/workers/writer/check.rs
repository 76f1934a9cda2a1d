//! From what a model proposes to what may be written: where it may go, what it must come from, whose word it is.

use jiff::Span;
use jiff::civil::Date;

use super::patch::Patch;
use super::shown::{KnownFact, Person, Shown};
use super::words::{ABILITY_DAYS, FACT_MAX, SESSION_MAX, fit, is_ability_of};
use crate::domain::{AccountId, Role, StoredTurn};
use crate::familiar::file_slug;
use crate::memory::change::{Change, NoteChange};
use crate::memory::facts::{By, Evidence, FactData, FactId, FactKind};
use crate::memory::store::NotePath;
use crate::text::keywords::terms;
use crate::text::sentences::Cutter;

/// Messages named as a fact's source.
const EVIDENCE: usize = 8;

/// Messages named as a session's source.
const SESSION_EVIDENCE: usize = 64;

/// How many of the words of a fact must stand in the messages it comes from, in percent. What nobody said does not reach
/// it.
const ABOUT_PERCENT: usize = 25;

/// Longest name of a topic, in characters.
const TOPIC_CHARS: usize = 48;

/// Words that say whose word something is.
const TELLING: [&str; 14] = [
    "says",
    "said",
    "claims",
    "claimed",
    "told",
    "tells",
    "thinks",
    "believes",
    "heard",
    "mentioned",
    "reports",
    "according",
    "sagt",
    "meint",
];

/// What is left of an answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Checked {
    pub changes: Vec<NoteChange>,
    /// What was not taken, and why; without the words.
    pub refused: Vec<&'static str>,
}

/// Checks every patch against what was shown.
pub(super) fn check(patches: &[Patch], shown: &Shown) -> Checked {
    let mut checked = Checked::default();
    let checking = Checking { shown };
    for patch in patches {
        match checking.patch(patch) {
            Ok(change) => checked.changes.push(change),
            Err(reason) => checked.refused.push(reason),
        }
    }
    checked
}

struct Checking<'a> {
    shown: &'a Shown,
}

/// Where a fact goes.
enum Target<'a> {
    Person(&'a Person),
    Topic(NotePath, String),
}

impl Checking<'_> {
    fn patch(&self, patch: &Patch) -> Result<NoteChange, &'static str> {
        match patch {
            Patch::Add { file, words, kind, importance, from, since, until } => {
                let target = self.target(file)?;
                let (until, kind) = (until.filter(|until| since.is_none_or(|since| since <= *until)), *kind);
                let data =
                    FactData { importance: *importance, since: *since, until, kind, ..FactData::default() };
                self.add(target, words, from, data)
            }
            Patch::Topic { name, words, importance, from } => {
                let target = self.topic(name)?;
                self.add(target, words, from, FactData { importance: *importance, ..FactData::default() })
            }
            Patch::Supersede { fact, words, importance, from } => {
                let known = self.known(fact)?;
                let words = fit(words, FACT_MAX)?;
                let cited = self.cited(from, &words)?;
                not_older(known, &cited)?;
                if !self.may_change(known, &cited) {
                    // Somebody else sees it otherwise: that is a claim beside the fact.
                    let target = self.target(known.note.as_str())?;
                    let data = FactData { importance: *importance, ..FactData::default() };
                    return self.add(target, &words, from, data);
                }
                let author = self.own_author(&known.note, &cited);
                let data = FactData {
                    importance: importance.or(known.data.importance),
                    kind: if author.is_some() && known.data.kind == FactKind::Claim {
                        FactKind::Fact
                    } else {
                        known.data.kind
                    },
                    rest: known.data.rest.iter().filter(|(key, _)| key == "slot").cloned().collect(),
                    ..FactData::default()
                };
                let data = self.data(&words, &cited, data, author)?;
                let old = known.id.clone();
                let what = Change::Supersede { old, seen: known.words.clone(), words, data };
                Ok(self.change(known.note.clone(), String::new(), what))
            }
            Patch::End { fact, until, from } => {
                let known = self.known(fact)?;
                // "We broke up" ends a fact in words that it does not hold.
                let cited = self.named(from, &known.words)?;
                not_older(known, &cited)?;
                if !self.may_change(known, &cited) {
                    return Err("only who said it, or whom it is about, ends a fact");
                }
                let until = until.unwrap_or_else(|| self.day(&cited));
                let what = Change::End { fact: known.id.clone(), seen: known.words.clone(), until };
                Ok(self.change(known.note.clone(), String::new(), what))
            }
            Patch::Session { words, from } => self.session(words, from),
        }
    }

    fn change(&self, note: NotePath, title: String, what: Change) -> NoteChange {
        NoteChange { note, title, audience: self.shown.audience.clone(), what }
    }

    /// A file that was shown, somebody by name, or a topic.
    fn target(&self, file: &str) -> Result<Target<'_>, &'static str> {
        let path = file.trim().trim_start_matches("./").trim_start_matches("memory/");
        let path = path.strip_suffix(".md").unwrap_or(path).to_lowercase();
        let is_meant = |person: &&Person| {
            let note = person.note.as_str().trim_end_matches(".md").to_lowercase();
            note == path
                || note.strip_prefix("people/") == Some(path.as_str())
                || person.label.to_lowercase() == path
        };
        if let Some(person) = self.shown.people.iter().find(is_meant) {
            return Ok(Target::Person(person));
        }
        if path == self.shown.own_name.to_lowercase() || path == "self" {
            return self.topic("self");
        }
        match path.split_once('/') {
            Some(("topics", name)) => self.topic(name),
            _ => Err("it may not be written there"),
        }
    }

    fn topic(&self, name: &str) -> Result<Target<'static>, &'static str> {
        let name = name.trim();
        let slug = file_slug(name.strip_suffix(".md").unwrap_or(name), TOPIC_CHARS);
        let title = fit(&name.replace(['-', '_'], " "), TOPIC_CHARS * 2)?;
        if slug.is_empty() {
            return Err("a topic has no name");
        }
        let note = NotePath::new(format!("topics/{slug}.md")).map_err(|_| "a topic has no usable name")?;
        Ok(Target::Topic(note, title))
    }

    fn add(
        &self,
        target: Target<'_>,
        words: &str,
        from: &[usize],
        data: FactData,
    ) -> Result<NoteChange, &'static str> {
        let mut words = fit(words, FACT_MAX)?;
        let cited = self.cited(from, &words)?;
        let (note, title, data) = match target {
            Target::Topic(note, title) => (note, title, self.data(&words, &cited, data, None)?),
            Target::Person(person) => {
                let author = self.own_author(&person.note, &cited);
                let mut data = self.data(&words, &cited, data, author.clone())?;
                if author.is_none() && data.by != Some(By::Familiar) {
                    data.kind = FactKind::Claim;
                    let teller = cited.iter().find(|turn| is_person(turn)).map(|turn| self.shown.label(turn));
                    if let Some(teller) = teller {
                        words = fit(&attributed(words, &teller), FACT_MAX)?;
                    }
                }
                (person.note.clone(), person.name.clone(), data)
            }
        };
        Ok(self.change(note, title, Change::Add { words, data }))
    }

    fn session(&self, words: &str, from: &[usize]) -> Result<NoteChange, &'static str> {
        let words = fit(&up_to(words, SESSION_MAX), SESSION_MAX)?;
        let all: Vec<usize> = (1..=self.shown.turns.len()).collect();
        let cited = self.cited(if from.is_empty() { &all } else { from }, &words)?;
        let data = FactData {
            id: Some(FactId::random()),
            to: Some(self.shown.audience.clone()),
            on: Some(self.day(&cited)),
            from: cited.iter().take(SESSION_EVIDENCE).map(|turn| Evidence::Turn(turn.id)).collect(),
            ..FactData::default()
        };
        let (note, title) = (self.shown.session.clone(), self.shown.session_title.clone());
        Ok(self.change(note, title, Change::Add { words, data }))
    }

    /// Completes a fact's data with what it comes from and whose word it is.
    fn data(
        &self,
        words: &str,
        cited: &[&StoredTurn],
        data: FactData,
        subject: Option<AccountId>,
    ) -> Result<FactData, &'static str> {
        let kind = if self.is_ability(words) { FactKind::Ability } else { data.kind };
        let person = cited.iter().find(|turn| is_person(turn)).and_then(|turn| turn.author.as_ref());
        let by = match (subject, person) {
            (Some(subject), _) => By::Person(subject),
            (None, Some(author)) => By::Person(author.account.clone()),
            // What it said itself is no news to it, but what it promised is.
            (None, None) if matches!(kind, FactKind::Promise | FactKind::Lesson | FactKind::Ability) => {
                By::Familiar
            }
            (None, None) => return Err("nobody but the familiar said so"),
        };
        let on = self.day(cited);
        let until = match kind {
            FactKind::Ability => {
                let latest = on.saturating_add(Span::new().days(ABILITY_DAYS));
                Some(data.until.map_or(latest, |until| until.min(latest)))
            }
            _ => data.until,
        };
        Ok(FactData {
            id: Some(FactId::random()),
            to: Some(self.shown.audience.clone()),
            by: Some(by),
            on: Some(on),
            from: cited.iter().take(EVIDENCE).map(|turn| Evidence::Turn(turn.id)).collect(),
            until,
            kind,
            ..data
        })
    }

    fn known(&self, id: &str) -> Result<&KnownFact, &'static str> {
        let id = id.trim().trim_matches(|c: char| !c.is_alphanumeric());
        let known = self.shown.facts.iter().find(|known| known.is_ours && known.id.as_str() == id);
        known.ok_or("no such fact may be changed")
    }

    /// Whether who is cited may set a fact right: who said it, and whom it is about. A claim anybody may.
    fn may_change(&self, known: &KnownFact, cited: &[&StoredTurn]) -> bool {
        let said_by =
            |account: &AccountId| cited.iter().any(|turn| is_person(turn) && by(turn) == Some(account));
        let is_of_person = known.note.is_in("people");
        let by_teller = matches!(&known.data.by, Some(By::Person(account)) if said_by(account));
        let by_subject = self.own_author(&known.note, cited).is_some();
        let is_open = !is_of_person || known.data.kind == FactKind::Claim;
        by_teller || by_subject || (is_open && cited.iter().any(|turn| is_person(turn)))
    }

    /// Whom a note is about, where they are among those who are cited.
    fn own_author(&self, note: &NotePath, cited: &[&StoredTurn]) -> Option<AccountId> {
        let person = self.shown.people.iter().find(|person| person.note == *note)?;
        let account = person.account.as_ref()?;
        cited.iter().any(|turn| by(turn) == Some(account)).then(|| account.clone())
    }

    /// The messages a fact comes from, all of them shown, and at least one that speaks of it.
    fn cited(&self, from: &[usize], words: &str) -> Result<Vec<&StoredTurn>, &'static str> {
        let turns = &self.shown.turns;
        let numbers = self.numbers(from, words)?;
        let wanted = self.telling_terms(words);
        let around = numbers.iter().flat_map(|at| at.saturating_sub(1)..=at + 1);
        let said: Vec<String> =
            around.filter_map(|at| turns.get(at)).flat_map(|turn| terms(&turn.content)).collect();
        let common = wanted.iter().filter(|term| said.contains(term)).count();
        if numbers.is_empty() || common == 0 || common * 100 < wanted.len() * ABOUT_PERCENT {
            return Err("it is not what the messages say");
        }
        Ok(numbers.into_iter().filter_map(|at| turns.get(at)).collect())
    }

    /// The messages that are named, where they were shown; else the likeliest.
    fn named(&self, from: &[usize], words: &str) -> Result<Vec<&StoredTurn>, &'static str> {
        let numbers = self.numbers(from, words)?;
        Ok(numbers.into_iter().filter_map(|at| self.shown.turns.get(at)).collect())
    }

    fn numbers(&self, from: &[usize], words: &str) -> Result<Vec<usize>, &'static str> {
        let shown = 0..self.shown.turns.len();
        let named: Vec<usize> =
            from.iter().filter_map(|number| number.checked_sub(1)).filter(|at| shown.contains(at)).collect();
        match (named.is_empty(), from.is_empty()) {
            (false, _) => Ok(named),
            (true, false) => Err("it names messages that were not shown"),
            (true, true) => Ok(self.likeliest(words).into_iter().collect()),
        }
    }

    /// The message that shares most with the words, where one shares half of them.
    fn likeliest(&self, words: &str) -> Option<usize> {
        let wanted = self.telling_terms(words);
        let shared = |turn: &StoredTurn| {
            let said = terms(&turn.content);
            wanted.iter().filter(|term| said.contains(term)).count()
        };
        let counted = self.shown.turns.iter().map(shared).enumerate();
        let (at, most) = counted.max_by_key(|(at, shared)| (*shared, std::cmp::Reverse(*at)))?;
        (most > 0 && most * 2 >= wanted.len()).then_some(at)
    }

    /// What a text is about, without the names of those who speak: they are in every fact.
    fn telling_terms(&self, words: &str) -> Vec<String> {
        let names: Vec<String> =
            self.shown.turns.iter().flat_map(|turn| terms(&self.shown.label(turn))).collect();
        let all = terms(words);
        let telling: Vec<String> = all.iter().filter(|term| !names.contains(term)).cloned().collect();
        if telling.is_empty() { all } else { telling }
    }

    fn day(&self, cited: &[&StoredTurn]) -> Date {
        let latest = cited.iter().map(|turn| turn.at).max();
        latest.map_or(self.shown.today, |at| at.to_zoned(self.shown.tz.clone()).date())
    }

    /// Whether it says what the familiar can or cannot do.
    fn is_ability(&self, words: &str) -> bool {
        is_ability_of(&self.shown.own_name, words)
    }
}

/// What is read late changes nothing that was said since.
fn not_older(known: &KnownFact, cited: &[&StoredTurn]) -> Result<(), &'static str> {
    let turn = |from: &Evidence| match from {
        Evidence::Turn(turn) => Some(*turn),
        Evidence::Other(_) => None,
    };
    let known_since = known.data.from.iter().filter_map(turn).max();
    match known_since > cited.iter().map(|turn| turn.id).max() {
        true => Err("what is known was said later"),
        false => Ok(()),
    }
}

fn by(turn: &StoredTurn) -> Option<&AccountId> {
    turn.author.as_ref().map(|author| &author.account)
}

fn is_person(turn: &StoredTurn) -> bool {
    turn.role == Role::User && turn.author.as_ref().is_some_and(|author| !author.is_bot)
}

/// With the name of who says it, unless that is told.
fn attributed(words: String, teller: &str) -> String {
    let plain = words.to_lowercase();
    let is_told = plain.contains(&teller.to_lowercase())
        && plain.split(|c: char| !c.is_alphanumeric()).any(|word| TELLING.contains(&word));
    if is_told { words } else { format!("{teller} says: {words}") }
}

/// Whole sentences from the beginning, as many as fit.
fn up_to(text: &str, chars: usize) -> String {
    let text = text.trim();
    if text.chars().count() <= chars {
        return text.to_owned();
    }
    let mut cutter = Cutter::new();
    let mut sentences = cutter.push(text);
    sentences.extend(cutter.finish());
    let mut fits = String::new();
    for sentence in sentences {
        if fits.chars().count() + sentence.trim_end().chars().count() > chars {
            break;
        }
        fits.push_str(&sentence);
    }
    fits.trim().to_owned()
}

#[cfg(test)]
mod tests;
