//! Facts by what they are about, to be shown to whoever wants one corrected or forgotten.

use std::collections::BTreeSet;

use jiff::civil::Date;

use super::{AUTHORED, ForgetNotes};
use crate::domain::{AccountId, Audience, StoredId, Visible};
use crate::memory::facts::{By, Evidence, FactData, FactId, NotePage, Validity};
use crate::memory::store::{MemoryStore, NotePath, StoreError};
use crate::text::keywords::terms;

/// A fact and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactFound {
    pub id: FactId,
    pub path: NotePath,
    pub words: String,
    /// Who may see it; `None` where that cannot be told: then nobody.
    pub audience: Option<Audience>,
    /// What else is known of it.
    pub data: FactData,
}

impl FactFound {
    /// The turns it was learnt from.
    pub fn turns(&self) -> impl Iterator<Item = StoredId> + '_ {
        self.data.turns()
    }

    /// Whether it is by this person or stands in the note about them.
    pub fn is_of(&self, person: &AccountId) -> bool {
        self.data.by == Some(By::Person(person.clone()))
            || self.path.as_str() == format!("people/{}.md", person.slug())
    }

    /// Whether it is this person's, and may be seen by whoever sees these audiences.
    pub(in crate::memory) fn is_shown_to(&self, person: &AccountId, visible: &Visible) -> bool {
        self.is_of(person) && self.audience.as_ref().is_some_and(|audience| visible.includes(audience))
    }

    /// Whether all of these words, as [`terms`] writes them, stand in it.
    pub fn holds(&self, wanted: &BTreeSet<String>) -> bool {
        wanted.is_subset(&terms(&self.words).into_iter().collect())
    }

    /// Whether any of these words, as [`terms`] writes them, stands in it; of one without any that cannot be told, and it does.
    pub fn shares(&self, words: &BTreeSet<String>) -> bool {
        let own = terms(&self.words);
        own.is_empty() || own.iter().any(|term| words.contains(term))
    }

    /// Whether it holds no more today.
    pub fn is_past(&self, today: Date) -> bool {
        matches!(self.data.standing(today), Validity::Until(_))
    }
}

/// Every fact that `is_wanted`, whoever may see it. Blocks.
pub fn facts_of(
    store: &MemoryStore,
    is_wanted: impl Fn(&FactFound) -> bool,
) -> Result<Vec<FactFound>, StoreError> {
    let mut found = Vec::new();
    for path in store.walk(None)?.files.into_keys() {
        let is_authored = AUTHORED.iter().any(|folder| path.is_in(folder));
        if !path.is_markdown() || is_authored || path.is_proposal() {
            continue;
        }
        let Ok(note) = store.read(&path) else { continue };
        found.extend(facts_in(&path, &note.text).into_iter().filter(|fact| is_wanted(fact)));
    }
    Ok(found)
}

/// The files that `is_wanted` by their bytes. Blocks.
pub fn files_where(
    store: &MemoryStore,
    is_wanted: impl Fn(&NotePath, &[u8]) -> bool,
) -> Result<BTreeSet<NotePath>, StoreError> {
    let reads_so = |path: &NotePath| store.read_bytes(path).is_ok_and(|bytes| is_wanted(path, &bytes));
    Ok(store.walk(None)?.files.into_keys().filter(reads_so).collect())
}

/// Every fact of a note's text; none where it cannot be read.
pub(super) fn facts_in(path: &NotePath, text: &str) -> Vec<FactFound> {
    let Ok(page) = NotePage::parse(text) else { return Vec::new() };
    let facts = page.facts().map(|(id, block)| FactFound {
        id: id.clone(),
        path: path.clone(),
        words: block.words.clone(),
        audience: block.audience.clone(),
        data: block.data.clone().unwrap_or_default(),
    });
    facts.collect()
}

/// A fact with those whose place it took, and theirs.
pub fn chain_of<'a>(all: &'a [FactFound], id: &FactId) -> Vec<&'a FactFound> {
    let mut chain: Vec<&FactFound> = Vec::new();
    let mut wanted = vec![id];
    while let Some(id) = wanted.pop() {
        if chain.iter().any(|known| known.id == *id) {
            continue;
        }
        for fact in all.iter().filter(|fact| fact.id == *id) {
            wanted.extend(&fact.data.was);
            chain.push(fact);
        }
    }
    chain
}

/// What is unwanted where single facts are: of what else was learnt from its turns only what `goes_along` goes as well, by
/// itself, and the rest is spared.
pub fn sparing(
    all: &[FactFound],
    mut unwanted: ForgetNotes,
    goes_along: impl Fn(&FactFound) -> bool,
) -> ForgetNotes {
    let is_beside = |fact: &&FactFound| unwanted.covers(&fact.data) && !unwanted.facts.contains(&fact.id);
    let (along, spared): (Vec<_>, Vec<_>) = all.iter().filter(is_beside).partition(|fact| goes_along(fact));
    unwanted.facts.extend(along.into_iter().map(|fact| fact.id.clone()));
    unwanted.spared.extend(spared.into_iter().map(|fact| fact.id.clone()));
    unwanted
}

/// What is unwanted, with the facts that rest on nothing else any more, and those that rest on these. What has other evidence
/// stays. It is told from the notes themselves, so that it holds wherever no graph runs.
pub fn with_derived(all: &[FactFound], mut unwanted: ForgetNotes) -> ForgetNotes {
    let there: BTreeSet<String> = all.iter().map(fact_name).collect();
    let goes = |fact: &FactFound| unwanted.covers(&fact.data) || unwanted.covers_note(&fact.path);
    let mut gone: BTreeSet<String> = all.iter().filter(|fact| goes(fact)).map(fact_name).collect();
    loop {
        let rests_on_nothing = |fact: &&FactFound| {
            let made_of: Vec<String> = fact.data.from.iter().filter_map(|from| part(fact, from)).collect();
            let is_gone = |part: &String| gone.contains(part) || !there.contains(part);
            !gone.contains(&fact_name(fact))
                && made_of.len() == fact.data.from.len()
                && made_of.iter().any(|part| gone.contains(part))
                && made_of.iter().all(is_gone)
        };
        let next: Vec<&FactFound> = all.iter().filter(rests_on_nothing).collect();
        if next.is_empty() {
            return unwanted;
        }
        let names: Vec<String> = next.iter().map(|fact| fact_name(fact)).collect();
        unwanted.facts.extend(next.into_iter().map(|fact| fact.id.clone()));
        gone.extend(names);
    }
}

/// A fact as others name it.
fn fact_name(fact: &FactFound) -> String {
    format!("{}#{}", fact.path, fact.id)
}

/// The fact that this evidence names: `f:<note>#<id>`, or the id alone within one note.
fn part(fact: &FactFound, from: &Evidence) -> Option<String> {
    let Evidence::Other(other) = from else { return None };
    let part = other.strip_prefix("f:")?;
    Some(if part.contains('#') { part.to_owned() } else { format!("{}#{part}", fact.path) })
}
