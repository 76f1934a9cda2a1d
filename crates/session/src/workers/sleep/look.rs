//! What of the notes wants tidying: what stands there twice, what contradicts itself, what nobody can still mean, and
//! notes that are about the same. Found by rules, without a model; nothing is changed here.
//!
//! Owns the rules. Must not know when they are looked at, nor what becomes of a finding. Start reading at [`findings`].

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use jiff::Span;
use jiff::civil::Date;
use sha2::{Digest as _, Sha256};

use crate::domain::Audience;
use crate::memory::change::{NoteChange, PageChange};
use crate::memory::facts::{By, FactData, FactId, FactKind, NotePage, Validity};
use crate::memory::store::{MemoryStore, NOTE_FOLDERS, NotePath, StoreError};
use crate::text::keywords;
use crate::text::likeness::Likeness;
use crate::text::phrases::{Folded, Phrases};
use crate::text::short::hex;

/// Notes looked through in one night.
const NOTES_MAX: usize = 5_000;

/// Facts of one audience that are compared with each other, the newest.
const COMPARED: usize = 2_000;

/// A promise without a day is over after so many days.
const PROMISE_DAYS: i64 = 60;

/// What hardly mattered (importance 1 or 2) and was never confirmed is stale after so many.
const STALE_DAYS: i64 = 365;
const LITTLE: u8 = 2;

/// The key of what there can be only one of.
const SLOT: &str = "slot";

/// What is the matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Matter {
    /// One says what another says.
    Double,
    /// Two cannot both be true.
    Contradiction,
    /// It was over long ago.
    Stale,
    /// Two notes are about one thing.
    DoubleNote,
}

impl fmt::Display for Matter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Double => "said twice",
            Self::Contradiction => "a contradiction",
            Self::Stale => "long over",
            Self::DoubleNote => "two notes about one thing",
        })
    }
}

/// Something that wants tidying, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub matter: Matter,
    /// Before whom it was learnt.
    pub audience: Audience,
    /// In words, with the notes' own.
    pub why: String,
    pub changes: Vec<NoteChange>,
}

impl Finding {
    /// The same for the same finding, night after night: what was proposed once is not proposed again.
    pub fn fingerprint(&self) -> String {
        let mut digest = Sha256::new();
        digest.update(self.matter.to_string());
        for change in &self.changes {
            digest.update(change.note.as_str());
            // Without ids that are drawn by chance.
            let what = match &change.what {
                PageChange::Add { words, .. } => format!("add {words}"),
                PageChange::Supersede { old, seen, .. } => format!("supersede {old} {seen}"),
                PageChange::End { fact, seen, .. } => format!("end {fact} {seen}"),
            };
            digest.update(what);
        }
        hex(&digest.finalize()[..12])
    }
}

#[derive(Debug, Clone)]
struct HoldingFact {
    note: NotePath,
    title: String,
    id: FactId,
    words: String,
    data: FactData,
    likeness: Likeness,
}

/// Everything that wants tidying, what is surest first. Blocks.
pub fn findings(store: &MemoryStore, today: Date) -> Result<Vec<Finding>, StoreError> {
    let mut known: Vec<(Audience, HoldingFact)> = Vec::new();
    let mut topics: Vec<NotePath> = Vec::new();
    for folder in NOTE_FOLDERS {
        let Ok(under) = NotePath::new(folder) else { continue };
        let mut after = None;
        loop {
            let listing = store.list(Some(&under), after.as_ref())?;
            for file in &listing.files {
                let is_hidden = file.path.as_str().starts_with("sessions/.");
                if file.path.is_markdown() && !is_hidden && known.len() < NOTES_MAX * 10 {
                    known.extend(holding_facts(store, &file.path, today));
                    topics.extend((folder == "topics").then(|| file.path.clone()));
                }
            }
            after = listing.files.last().map(|file| file.path.clone());
            if !listing.is_more || topics.len() > NOTES_MAX {
                break;
            }
        }
    }
    let mut by_audience: BTreeMap<String, (Audience, Vec<HoldingFact>)> = BTreeMap::new();
    for (audience, fact) in known {
        by_audience.entry(audience.to_string()).or_insert_with(|| (audience, Vec::new())).1.push(fact);
    }
    let mut findings = Vec::new();
    for (audience, mut facts) in by_audience.into_values() {
        // The newest are what is said most.
        facts.sort_by(|a, b| (b.data.on, &a.note, &a.id).cmp(&(a.data.on, &b.note, &b.id)));
        facts.truncate(COMPARED);
        let mut tidying =
            Tidying { audience: &audience, facts: &facts, today, gone: Vec::new(), findings: &mut findings };
        tidying.doubles();
        tidying.contradictions();
        tidying.stale();
        tidying.double_notes(&topics);
    }
    findings.sort_by(|a, b| (a.matter, &a.why).cmp(&(b.matter, &b.why)));
    Ok(findings)
}

/// The facts of a note that hold today.
fn holding_facts(store: &MemoryStore, path: &NotePath, today: Date) -> Vec<(Audience, HoldingFact)> {
    let Ok(note) = store.read(path) else { return Vec::new() };
    let Ok(page) = NotePage::parse(&note.text) else { return Vec::new() };
    let title = page.blocks().first().map_or_else(String::new, |block| block.words.clone());
    page.facts()
        .filter(|(_, block)| block.standing(today) == Validity::Holds)
        .filter_map(|(id, block)| {
            Some((
                block.audience.clone()?,
                HoldingFact {
                    note: path.clone(),
                    title: title.clone(),
                    id: id.clone(),
                    words: block.words.clone(),
                    data: block.data.clone()?,
                    likeness: Likeness::of(&block.words),
                },
            ))
        })
        .collect()
}

impl HoldingFact {
    /// How much speaks for keeping this one of two that say the same.
    fn worth(&self) -> (u8, usize, std::cmp::Reverse<Option<Date>>, std::cmp::Reverse<&FactId>) {
        (
            self.data.importance.unwrap_or(3),
            self.data.from.len(),
            std::cmp::Reverse(self.data.on),
            std::cmp::Reverse(&self.id),
        )
    }

    fn ends(&self, audience: &Audience, until: Date) -> NoteChange {
        NoteChange {
            note: self.note.clone(),
            title: self.title.clone(),
            audience: audience.clone(),
            what: PageChange::End { fact: self.id.clone(), seen: self.words.clone(), until },
        }
    }

    fn slot(&self) -> Option<&str> {
        self.data.rest.iter().find(|(key, _)| key == SLOT).map(|(_, value)| value.as_str())
    }
}

fn yesterday(today: Date) -> Date {
    today.checked_sub(Span::new().days(1)).unwrap_or(today)
}

/// What was learnt before some people, as it is looked through.
struct Tidying<'a> {
    audience: &'a Audience,
    facts: &'a [HoldingFact],
    today: Date,
    /// What is to end: nothing else is said of it.
    gone: Vec<&'a HoldingFact>,
    findings: &'a mut Vec<Finding>,
}

impl<'a> Tidying<'a> {
    fn is_gone(&self, fact: &HoldingFact) -> bool {
        self.gone.iter().any(|gone| gone.note == fact.note && gone.id == fact.id)
    }

    fn ends(&mut self, matter: Matter, fact: &'a HoldingFact, until: Date, why: String) {
        self.gone.push(fact);
        let changes = vec![fact.ends(self.audience, until)];
        self.findings.push(Finding { matter, audience: self.audience.clone(), why, changes });
    }

    fn doubles(&mut self) {
        // Only facts that share a run of words can be doubles.
        let mut by_shingle: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (at, fact) in self.facts.iter().enumerate() {
            for shingle in fact.likeness.shingles() {
                by_shingle.entry(*shingle).or_default().push(at);
            }
        }
        for (at, fact) in self.facts.iter().enumerate() {
            let mut near: Vec<usize> = fact
                .likeness
                .shingles()
                .iter()
                .filter_map(|one| by_shingle.get(one))
                .flatten()
                .copied()
                .collect();
            near.sort_unstable();
            near.dedup();
            for other in near.into_iter().filter(|other| *other > at) {
                let other = &self.facts[other];
                // What is said about two people is not one thing, however alike.
                let is_one_note =
                    fact.note == other.note || !(fact.note.is_in("people") && other.note.is_in("people"));
                if self.is_gone(fact)
                    || self.is_gone(other)
                    || !is_one_note
                    || !fact.likeness.is_double_of(&other.likeness)
                {
                    continue;
                }
                let (kept, goes) = if fact.worth() >= other.worth() { (fact, other) } else { (other, fact) };
                let why =
                    format!("“{}” ({}) is also “{}” ({})", goes.words, goes.note, kept.words, kept.note);
                self.ends(Matter::Double, goes, yesterday(self.today), why);
            }
        }
    }

    fn contradictions(&mut self) {
        // Of one note: what there can be only one of, and what is said and denied.
        let mut told: BTreeMap<(&NotePath, String), Vec<&HoldingFact>> = BTreeMap::new();
        for fact in self.facts.iter().filter(|fact| !self.is_gone(fact)) {
            if let Some(slot) = fact.slot() {
                let by = match &fact.data.by {
                    Some(By::Person(account)) => account.to_string(),
                    Some(By::Familiar) => "self".to_owned(),
                    None => String::new(),
                };
                told.entry((&fact.note, format!("slot {slot} {by}"))).or_default().push(fact);
            }
            let (said, _) = without_negation(&fact.words);
            told.entry((&fact.note, said)).or_default().push(fact);
        }
        for ((_, what), mut facts) in told {
            if facts.len() < 2 {
                continue;
            }
            facts.sort_by(|a, b| {
                (b.data.on, newest_source(&b.data), &b.id).cmp(&(a.data.on, newest_source(&a.data), &a.id))
            });
            let is_slot = what.starts_with("slot ");
            let holds = facts[0];
            for other in &facts[1..] {
                let differs = if is_slot {
                    !holds.likeness.is_double_of(&other.likeness)
                } else {
                    without_negation(&holds.words).1 != without_negation(&other.words).1
                };
                if !differs || self.is_gone(holds) || self.is_gone(other) {
                    continue;
                }
                let until = holds.data.on.map(yesterday).or(other.data.on).unwrap_or(Date::MIN);
                let why = format!("“{}” and, later, “{}” ({})", other.words, holds.words, holds.note);
                self.ends(Matter::Contradiction, other, until.max(other.data.on.unwrap_or(until)), why);
            }
        }
    }

    fn stale(&mut self) {
        for fact in self.facts.iter().filter(|fact| fact.data.until.is_none()) {
            let Some(on) = fact.data.on.filter(|_| !self.is_gone(fact)) else { continue };
            let age = i64::from((self.today - on).get_days());
            let is_over = match fact.data.kind {
                FactKind::Promise => age > PROMISE_DAYS,
                FactKind::Fact | FactKind::Claim => {
                    age > STALE_DAYS && fact.data.importance.is_some_and(|importance| importance <= LITTLE)
                }
                FactKind::Preference | FactKind::Correction | FactKind::Ability | FactKind::Lesson => false,
            };
            if is_over {
                let why = format!("“{}” ({}) is of {on} and was never said again", fact.words, fact.note);
                self.ends(Matter::Stale, fact, yesterday(self.today), why);
            }
        }
    }

    /// Notes on a topic whose names are the same words: the facts of the smaller one go to the larger.
    fn double_notes(&mut self, topics: &[NotePath]) {
        let mut named: BTreeMap<Vec<String>, Vec<&NotePath>> = BTreeMap::new();
        for path in topics {
            let mut stems = keywords::terms(&path.stem().replace(['-', '_'], " "));
            stems.sort();
            stems.dedup();
            if !stems.is_empty() {
                named.entry(stems).or_default().push(path);
            }
        }
        for paths in named.into_values().filter(|paths| paths.len() > 1) {
            let count = |path: &NotePath| self.facts.iter().filter(|fact| fact.note == *path).count();
            let mut paths = paths;
            paths.sort_by_key(|path| (std::cmp::Reverse(count(path)), (*path).clone()));
            let (to, from) = (paths[0], &paths[1..]);
            for path in from {
                let moved: Vec<&HoldingFact> =
                    self.facts.iter().filter(|fact| fact.note == **path && !self.is_gone(fact)).collect();
                if moved.is_empty() {
                    continue;
                }
                let changes = moved.iter().flat_map(|fact| {
                    let data = FactData {
                        id: Some(FactId::random()),
                        to: Some(self.audience.clone()),
                        was: None,
                        now: None,
                        ..fact.data.clone()
                    };
                    let add = NoteChange {
                        note: to.clone(),
                        title: to.stem().to_owned(),
                        audience: self.audience.clone(),
                        what: PageChange::Add { words: fact.words.clone(), data },
                    };
                    [add, fact.ends(self.audience, yesterday(self.today))]
                });
                let changes = changes.collect();
                self.findings.push(Finding {
                    matter: Matter::DoubleNote,
                    audience: self.audience.clone(),
                    why: format!("{path} and {to} are about one thing"),
                    changes,
                });
            }
        }
    }
}

/// What is said without the words that turn it round, and whether any does. Two of them are one "no": "no … nunca".
fn without_negation(words: &str) -> (String, bool) {
    static TURNING: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(&["turning", "beside turning"]));
    let folded = Folded::of(words);
    let turned = TURNING.find(&folded).iter().any(|found| found.section == 0);
    let rest = TURNING.replaced(&folded, |_| "");
    (keywords::words(&rest).map(|word| keywords::index_word(&word)).collect::<Vec<_>>().join(" "), turned)
}

fn newest_source(data: &FactData) -> i64 {
    data.turns().max().map_or(0, |turn| turn.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_every_language_a_fact_and_its_denial_are_about_one_thing() {
        for (said, denied) in [
            ("Ana likes tea.", "Ana does not like tea."),
            ("Ana lives in Ghent.", "Ana no longer lives in Ghent."),
            ("Ana mag Tee und Brot.", "Ana mag nicht Tee und Brot."),
            ("Ana aime le thé.", "Ana n'aime pas le thé."),
            ("Ana vive en Gante con su gato.", "Ana ya no vive en Gante con su gato."),
            ("A Ana mora em Gante.", "A Ana não mora em Gante."),
            ("Ana è di Gand.", "Ana non è di Gand."),
            ("Ana is de kapitein.", "Ana is niet de kapitein."),
            ("Ana jest w Gdańsku.", "Ana nie jest w Gdańsku."),
            ("Аня любит чай.", "Аня не любит чай."),
            ("Ana bir kaptan.", "Ana bir kaptan değil."),
            ("安娜喜欢茶。", "安娜不喜欢茶。"),
            ("아나는 운동을 한다.", "아나는 운동을 못 한다."),
        ] {
            let ((one, is), (other, is_not)) = (without_negation(said), without_negation(denied));
            // Where the verb itself changes ("does not like"), its stem is the same.
            assert_eq!(one, other, "{said} / {denied}");
            assert!(!is && is_not, "{said} / {denied}");
        }
        assert!(without_negation("アナは飲まない。").1 && !without_negation("アナは飲む。").1);
    }
}
