//! From what a model answers to what may be written: its proposals, where each may go, what it must come from, whose word it
//! is.

use std::sync::LazyLock;

use jiff::Span;
use jiff::civil::Date;
use regex::Regex;
use serde_json::{Map, Value};

use super::shown::{ShownNotes, ShownPerson, WriterFact};
use super::words::{ABILITY_DAYS, FACT_MAX, SESSION_MAX, fit, is_ability_of};
use crate::domain::{AccountId, Role, StoredTurn};
use crate::memory::change::{NoteChange, PageChange};
use crate::memory::facts::{By, Evidence, FactData, FactId, FactKind};
use crate::memory::store::NotePath;
use crate::text::cues::Cues;
use crate::text::keywords::terms;
use crate::text::phrases::says;
use crate::text::sentences::whole_within;
use familiar_cards::text::slug;

/// Messages named as a fact's source.
const EVIDENCE: usize = 8;

/// Messages named as a session's source.
const SESSION_EVIDENCE: usize = 64;

/// How many of the words of a fact must stand in the messages it comes from, in percent. What nobody said does not reach
/// it.
const ABOUT_PERCENT: usize = 25;

/// Longest name of a topic, in characters.
const TOPIC_CHARS: usize = 48;

/// What is left of an answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Checked {
    pub changes: Vec<NoteChange>,
    /// What was not taken, and why; without the words.
    pub refused: Vec<&'static str>,
}

/// Checks every patch against what was shown.
pub(super) fn check_patches(patches: &[Patch], shown: &ShownNotes) -> Checked {
    let mut checked = Checked::default();
    for patch in patches {
        match shown.patch(patch) {
            Ok(change) => checked.changes.push(change),
            Err(reason) => checked.refused.push(reason),
        }
    }
    checked
}

/// Where a fact goes.
enum Target<'a> {
    Person(&'a ShownPerson),
    Topic(NotePath, String),
}

impl ShownNotes {
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
                let what = PageChange::Supersede { old, seen: known.words.clone(), words, data };
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
                let what = PageChange::End { fact: known.id.clone(), seen: known.words.clone(), until };
                Ok(self.change(known.note.clone(), String::new(), what))
            }
            Patch::Session { words, from } => self.session(words, from),
        }
    }

    fn change(&self, note: NotePath, title: String, what: PageChange) -> NoteChange {
        NoteChange { note, title, audience: self.audience.clone(), what }
    }

    /// A file that was shown, somebody by name, or a topic.
    fn target(&self, file: &str) -> Result<Target<'_>, &'static str> {
        let path = file.trim().trim_start_matches("./").trim_start_matches("memory/");
        let path = path.strip_suffix(".md").unwrap_or(path).to_lowercase();
        let is_meant = |person: &&ShownPerson| {
            let note = person.note.as_str().trim_end_matches(".md").to_lowercase();
            note == path
                || note.strip_prefix("people/") == Some(path.as_str())
                || person.label.to_lowercase() == path
        };
        if let Some(person) = self.people.iter().find(is_meant) {
            return Ok(Target::Person(person));
        }
        if path == self.own_name.to_lowercase() || path == "self" {
            return self.topic("self");
        }
        match path.split_once('/') {
            Some(("topics", name)) => self.topic(name),
            _ => Err("it may not be written there"),
        }
    }

    fn topic(&self, name: &str) -> Result<Target<'static>, &'static str> {
        topic_note(name).map(|(note, title)| Target::Topic(note, title))
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
                    let teller = cited.iter().find(|turn| is_person(turn)).map(|turn| self.label(turn));
                    if let Some(teller) = teller {
                        words = fit(&attributed_to(words, &teller), FACT_MAX)?;
                    }
                }
                (person.note.clone(), person.name.clone(), data)
            }
        };
        Ok(self.change(note, title, PageChange::Add { words, data }))
    }

    fn session(&self, words: &str, from: &[usize]) -> Result<NoteChange, &'static str> {
        let words = fit(whole_within(words, SESSION_MAX, |text| text.chars().count()), SESSION_MAX)?;
        let all: Vec<usize> = (1..=self.turns.len()).collect();
        let cited = self.cited(if from.is_empty() { &all } else { from }, &words)?;
        let data = FactData {
            id: Some(FactId::random()),
            to: Some(self.audience.clone()),
            on: Some(self.day(&cited)),
            from: cited.iter().take(SESSION_EVIDENCE).map(|turn| Evidence::Turn(turn.id)).collect(),
            ..FactData::default()
        };
        let (note, title) = (self.session.clone(), self.session_title.clone());
        Ok(self.change(note, title, PageChange::Add { words, data }))
    }

    /// Completes a fact's data with what it comes from and whose word it is.
    fn data(
        &self,
        words: &str,
        cited: &[&StoredTurn],
        data: FactData,
        subject: Option<AccountId>,
    ) -> Result<FactData, &'static str> {
        let kind = if is_ability_of(&self.own_name, words) { FactKind::Ability } else { data.kind };
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
            to: Some(self.audience.clone()),
            by: Some(by),
            on: Some(on),
            from: cited.iter().take(EVIDENCE).map(|turn| Evidence::Turn(turn.id)).collect(),
            until,
            kind,
            ..data
        })
    }

    fn known(&self, id: &str) -> Result<&WriterFact, &'static str> {
        let id = id.trim().trim_matches(|c: char| !c.is_alphanumeric());
        let known = self.facts.iter().find(|known| known.is_ours && known.id.as_str() == id);
        known.ok_or("no such fact may be changed")
    }

    /// Whether who is cited may set a fact right: who said it, and whom it is about. A claim anybody may.
    fn may_change(&self, known: &WriterFact, cited: &[&StoredTurn]) -> bool {
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
        let person = self.people.iter().find(|person| person.note == *note)?;
        let account = person.account.as_ref()?;
        cited.iter().any(|turn| by(turn) == Some(account)).then(|| account.clone())
    }

    /// The messages a fact comes from, all of them shown, and at least one that speaks of it.
    fn cited(&self, from: &[usize], words: &str) -> Result<Vec<&StoredTurn>, &'static str> {
        let turns = &self.turns;
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
        Ok(numbers.into_iter().filter_map(|at| self.turns.get(at)).collect())
    }

    fn numbers(&self, from: &[usize], words: &str) -> Result<Vec<usize>, &'static str> {
        let shown = 0..self.turns.len();
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
        let counted = self.turns.iter().map(shared).enumerate();
        let (at, most) = counted.max_by_key(|(at, shared)| (*shared, std::cmp::Reverse(*at)))?;
        (most > 0 && most * 2 >= wanted.len()).then_some(at)
    }

    /// What a text is about, without the names of those who speak: they are in every fact.
    fn telling_terms(&self, words: &str) -> Vec<String> {
        let names: Vec<String> = self.turns.iter().flat_map(|turn| terms(&self.label(turn))).collect();
        let all = terms(words);
        let telling: Vec<String> = all.iter().filter(|term| !names.contains(term)).cloned().collect();
        if telling.is_empty() { all } else { telling }
    }

    fn day(&self, cited: &[&StoredTurn]) -> Date {
        let latest = cited.iter().map(|turn| turn.at).max();
        latest.map_or(self.today, |at| at.to_zoned(self.tz.clone()).date())
    }
}

/// Where a topic of this name is noted, and what the note is called.
///
/// # Errors
/// Why nothing can be called that.
pub fn topic_note(name: &str) -> Result<(NotePath, String), &'static str> {
    let name = name.trim();
    let slug = slug(name.strip_suffix(".md").unwrap_or(name), TOPIC_CHARS);
    let title = fit(&name.replace(['-', '_'], " "), TOPIC_CHARS * 2)?;
    if slug.is_empty() {
        return Err("a topic has no name");
    }
    let note = NotePath::new(format!("topics/{slug}.md")).map_err(|_| "a topic has no usable name")?;
    Ok((note, title))
}

/// What is read late changes nothing that was said since.
fn not_older(known: &WriterFact, cited: &[&StoredTurn]) -> Result<(), &'static str> {
    match known.data.turns().max() > cited.iter().map(|turn| turn.id).max() {
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
fn attributed_to(words: String, teller: &str) -> String {
    let is_named = words.to_lowercase().contains(&teller.to_lowercase());
    let is_told = is_named && says("attributing", &Cues::of(&words));
    if is_told { words } else { format!("{teller} says: {words}") }
}

/// Patches of one answer that are looked at.
const MOST: usize = 40;

/// Lists within lists are looked into so deep.
const DEPTH: usize = 4;

/// What a model proposes; nothing of it is checked yet.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Patch {
    Add {
        /// A file, or a person's name.
        file: String,
        words: String,
        kind: FactKind,
        importance: Option<u8>,
        from: Vec<usize>,
        since: Option<Date>,
        until: Option<Date>,
    },
    /// Other words for a fact.
    Supersede {
        fact: String,
        words: String,
        importance: Option<u8>,
        from: Vec<usize>,
    },
    /// A fact that ends.
    End {
        fact: String,
        until: Option<Date>,
        from: Vec<usize>,
    },
    Session {
        words: String,
        from: Vec<usize>,
    },
    Topic {
        name: String,
        words: String,
        importance: Option<u8>,
        from: Vec<usize>,
    },
}

/// What an answer says.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Answered {
    /// What could be read.
    pub patches: Vec<Patch>,
    /// How many objects could not.
    pub broken: usize,
    /// It says that there is nothing to write.
    pub is_nothing: bool,
}

impl Answered {
    /// Whether it is of no use: the model has to be asked again.
    pub(super) fn is_unreadable(&self) -> bool {
        self.patches.is_empty() && !self.is_nothing
    }
}

pub(super) fn read_patches(answer: &str) -> Answered {
    let mut answered = Answered::default();
    for object in objects(answer) {
        match parse_object(object) {
            Some(value) => take_patches(&mut answered, &value, DEPTH),
            None => answered.broken += 1,
        }
    }
    answered.patches.truncate(MOST);
    let bare =
        answer.trim().trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '[' | ']')).to_lowercase();
    let says_nothing =
        ["[]", "none", "nothing", "json\n[]", "no changes", "nothing to add", "nothing to write"];
    answered.is_nothing |=
        answered.patches.is_empty() && answered.broken == 0 && says_nothing.contains(&bare.as_str());
    answered
}

/// The outermost `{…}` of a text, strings respected.
fn objects(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut depth, mut begin, mut in_string, mut escaped) = (0_usize, 0, false, false);
    for (at, character) in text.char_indices() {
        if in_string {
            match character {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => in_string = false,
                // A line that forgot its closing quote does not take the others with it.
                '\n' => (in_string, depth) = (false, 0),
                _ => {}
            }
            continue;
        }
        match character {
            '"' if depth > 0 => in_string = true,
            '{' => {
                if depth == 0 {
                    begin = at;
                }
                depth += 1;
            }
            '}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    found.push(&text[begin..=at]);
                }
            }
            _ => {}
        }
    }
    found
}

static TRAILING_COMMA: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r",\s*([}\]])").ok());

fn parse_object(object: &str) -> Option<Value> {
    serde_json::from_str(object).ok().or_else(|| {
        let mended = TRAILING_COMMA.as_ref()?.replace_all(object, "$1");
        serde_json::from_str(&mended).ok()
    })
}

fn take_patches(answered: &mut Answered, value: &Value, depth: usize) {
    let Some(object) = value.as_object() else { return };
    if text_under(object, &["do", "op", "action", "type"]).is_none() && depth > 0 {
        let lists: Vec<&Vec<Value>> = object.values().filter_map(Value::as_array).collect();
        if object.len() == 1 && lists.iter().any(|list| list.is_empty()) {
            answered.is_nothing = true;
            return;
        }
        let inner: Vec<&Value> = lists.into_iter().flatten().filter(|inner| inner.is_object()).collect();
        if !inner.is_empty() {
            inner.into_iter().for_each(|inner| take_patches(answered, inner, depth - 1));
            return;
        }
    }
    match patch(object) {
        Some(ReadAnswer::Patch(patch)) => answered.patches.push(patch),
        Some(ReadAnswer::Nothing) => answered.is_nothing = true,
        None => answered.broken += 1,
    }
}

enum ReadAnswer {
    Patch(Patch),
    Nothing,
}

fn patch(object: &Map<String, Value>) -> Option<ReadAnswer> {
    let words = || text_under(object, &["text", "words", "note", "content", "new"]);
    let fact = || text_under(object, &["fact", "id", "old", "supersedes"]);
    let file = || text_under(object, &["file", "path", "about", "person", "who"]);
    let topic = || text_under(object, &["name", "topic", "title"]);
    let from = message_numbers(object);
    let importance = ["importance", "imp"]
        .iter()
        .find_map(|key| object.get(*key)?.as_u64())
        .map(|importance| u8::try_from(importance.clamp(1, 5)).unwrap_or(3));
    let day = |key: &str| text_under(object, &[key]).and_then(|day| day.get(..10)?.parse().ok());
    let what = text_under(object, &["do", "op", "action", "type"])
        .map(|what| what.to_lowercase())
        // Without a word on it: what is there tells.
        .unwrap_or_else(|| if fact().is_some() { "supersede".to_owned() } else { "add".to_owned() });
    let patch = match what.as_str() {
        "add" | "new" | "fact" | "remember" => match (file(), topic()) {
            (Some(file), _) => Patch::Add {
                file,
                words: words()?,
                kind: kind(object),
                importance,
                from,
                since: day("since"),
                until: day("until"),
            },
            (None, Some(name)) => Patch::Topic { name, words: words()?, importance, from },
            (None, None) => return None,
        },
        "supersede" | "update" | "replace" | "correct" | "change" => {
            Patch::Supersede { fact: fact()?, words: words()?, importance, from }
        }
        "end" | "expire" | "delete" | "remove" => Patch::End { fact: fact()?, until: day("until"), from },
        "session" | "summary" => Patch::Session { words: words()?, from },
        "topic" => Patch::Topic { name: topic().or_else(file)?, words: words()?, importance, from },
        "nothing" | "none" | "noop" => return Some(ReadAnswer::Nothing),
        _ => return None,
    };
    Some(ReadAnswer::Patch(patch))
}

fn text_under(object: &Map<String, Value>, keys: &[&str]) -> Option<String> {
    let text = keys.iter().find_map(|key| object.get(*key)?.as_str())?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn kind(object: &Map<String, Value>) -> FactKind {
    let written = text_under(object, &["kind"]).unwrap_or_default().to_lowercase();
    written.parse().unwrap_or_default()
}

/// The numbers of messages: `[3, 4]`, `3`, `"3"`, `"[3]"`, `"3-5"` as 3 and 5.
fn message_numbers(object: &Map<String, Value>) -> Vec<usize> {
    let Some(from) =
        ["from", "source", "sources", "messages", "turns"].iter().find_map(|key| object.get(*key))
    else {
        return Vec::new();
    };
    let single = std::slice::from_ref(from);
    let mut numbers: Vec<usize> = from
        .as_array()
        .map_or(single, Vec::as_slice)
        .iter()
        .flat_map(|one| match one {
            Value::Number(number) => {
                number.as_u64().and_then(|n| usize::try_from(n).ok()).into_iter().collect()
            }
            Value::String(text) => {
                text.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect()
            }
            _ => Vec::new(),
        })
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod patch_tests {
    use proptest::prelude::*;

    use super::*;

    fn add(words: &str, from: &[usize]) -> Patch {
        Patch::Add {
            file: "people/discord-1.md".to_owned(),
            words: words.to_owned(),
            kind: FactKind::Fact,
            importance: None,
            from: from.to_vec(),
            since: None,
            until: None,
        }
    }

    const LINE: &str = r#"{"do":"add","file":"people/discord-1.md","text":"Ana sails.","from":[2]}"#;

    #[test]
    fn y9_answers_are_read_whatever_stands_around_them() {
        for answer in [
            LINE.to_owned(),
            format!("```json\n{LINE}\n```"),
            format!("Sure! Here you go:\n\n- {LINE},\nHope it helps!"),
            format!("[{LINE}]"),
            format!("{{\"patches\": [{LINE}]}}"),
            r#"{"op": "ADD", "about": "people/discord-1.md", "note": "Ana sails.", "turns": "[2]",}"#.to_owned(),
            "{\n  \"do\": \"add\",\n  \"file\": \"people/discord-1.md\",\n  \"text\": \"Ana sails.\",\n  \"from\": 2\n}".to_owned(),
            format!("{{\"do\":\"add\",\"text\":\"broken\n{LINE}"),
        ] {
            assert_eq!(read_patches(&answer).patches, [add("Ana sails.", &[2])], "{answer}");
        }
        let all = format!(
            "{LINE}\n{}\n{}\n{}\n{}",
            r#"{"do":"supersede","fact":"a2","text":"Ana rows.","importance":9,"from":["3","4"]}"#,
            r#"{"do":"end","fact":"a3","until":"2026-03-01"}"#,
            r#"{"do":"session","text":"They spoke of boats.","from":[1,2]}"#,
            r#"{"do":"topic","name":"The regatta","text":"It is in May.","from":[5]}"#,
        );
        let read = read_patches(&all);
        assert_eq!((read.patches.len(), read.broken, read.is_nothing), (5, 0, false));
        let superseding = Patch::Supersede {
            fact: "a2".to_owned(),
            words: "Ana rows.".to_owned(),
            importance: Some(5),
            from: vec![3, 4],
        };
        assert_eq!(read.patches[1], superseding);
    }

    #[test]
    fn nothing_is_an_answer_and_noise_is_none() {
        for answer in ["[]", "```json\n[]\n```", "NOTHING.", r#"{"do":"nothing"}"#, r#"{"patches": []}"#] {
            assert!(!read_patches(answer).is_unreadable(), "{answer}");
        }
        for answer in ["", "I am sorry, I cannot do that.", r#"{"do":"add"}"#, "{{{{", r#"{"do":"dance"}"#] {
            assert!(read_patches(answer).is_unreadable(), "{answer}");
        }
    }

    proptest! {
        #[test]
        fn y9_no_answer_breaks_the_reader(text in "(\\{|\\}|\"|\\[|\\]|:|,|do|add|text|from|[a-z0-9]| |\n|\\\\){0,80}") {
            let read = read_patches(&text);
            prop_assert!(read.patches.len() <= MOST);
        }
    }
}
