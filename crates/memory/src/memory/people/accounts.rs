//! Several accounts of one person. What is noted of them stands in one note, whose front matter names the other accounts:
//! `accounts: ["discord:2"]` in `people/discord-1.md`.
//!
//! It stands in the note so that it goes wherever the note goes: to an export, into a sealed copy, away with whoever is
//! forgotten. What a fact says of its audience is never changed: what was said alone with one account stays there.
//! Everything here blocks. Start reading at [`join`].

use std::collections::BTreeSet;

use familiar_cards::text::{FrontMatter, front_matter};

use super::aliases::{Alias, AliasError, remember};
use crate::domain::{AccountId, Audience};
use crate::memory::facts::{
    BlockKind, EditError, Evidence, FactData, FactId, NotePage, PageBlock, PageEdit, Unreadable, new_page,
};
use crate::memory::store::{MemoryStore, NoteEditor, NotePath, ReadVersion, StoreError};

/// Messages that one fact is shown to come from, at most.
const EVIDENCE_MAX: usize = 64;

/// Why two accounts were not made one person. Nothing was changed, or what was is completed at the next start.
#[derive(Debug, thiserror::Error)]
pub enum JoinNotesError {
    #[error("they are one account")]
    Same,
    /// Nobody can tell who may see it.
    #[error("{note} cannot be read: {reason}")]
    Unreadable { note: NotePath, reason: Unreadable },
    #[error("line {line} of {note} cannot be read")]
    Broken { note: NotePath, line: u32 },
    /// It can stand nowhere else as it is.
    #[error("line {line} of {note} was written by hand and is no list item; move it first")]
    ByHand { note: NotePath, line: u32 },
    #[error("the front matter of {note} is written in a way that only a person can change")]
    Front { note: NotePath },
    #[error("{note}: {reason}")]
    Edit { note: NotePath, reason: EditError },
    #[error(transparent)]
    Aliases(#[from] AliasError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What making two accounts one person does to the notes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinPlan {
    /// How many facts come to stand in the one note.
    pub facts: usize,
    /// How many of them stand there already.
    pub known: usize,
    note: NotePath,
    seen: ReadVersion,
    text: String,
    other: NotePath,
    other_seen: Option<ReadVersion>,
    names: Vec<Alias>,
}

/// What it would do that `other` is `kept`'s too. Changes nothing.
///
/// # Errors
/// When either note cannot be read whole, or holds what can stand nowhere else.
pub fn plan_join(
    store: &MemoryStore,
    kept: &AccountId,
    other: &AccountId,
) -> Result<JoinPlan, JoinNotesError> {
    if kept.slug() == other.slug() {
        return Err(JoinNotesError::Same);
    }
    let (note, other_note) = (note_of(kept)?, note_of(other)?);
    let (mut text, seen) = store.read_or_none(&note)?;
    let (other_text, other_seen) = store.read_or_none(&other_note)?;
    let came = parsed(&other_note, &other_text)?;
    if let Some(broken) = came.broken().first() {
        return Err(JoinNotesError::Broken { note: other_note, line: broken.line });
    }
    if text.is_empty() {
        let title = came.blocks().iter().find(|block| block.kind == BlockKind::Heading(1));
        let title = title.map_or_else(|| kept.slug(), |title| title.words.clone());
        // Its title may be known to whoever knew the other's.
        let audience = match other_text.is_empty() {
            true => Audience::Dm(kept.clone()),
            false => came.front().audience.clone(),
        };
        text = new_page(&audience, &title);
    }
    let page = parsed(&note, &text)?;
    let edit = |reason| JoinNotesError::Edit { note: note.clone(), reason };
    let mut change = PageEdit::of(&page);
    let (mut facts, mut known) = (0, 0);
    for block in came.blocks().iter().filter(|block| !block.words.is_empty()) {
        match block.kind {
            BlockKind::Heading(_) => continue,
            BlockKind::Item => {}
            BlockKind::Paragraph | BlockKind::Code => {
                return Err(JoinNotesError::ByHand { note: other_note, line: block.line });
            }
        }
        // Nothing is broken, so that every line is somebody's.
        let Some(audience) = block.audience.clone() else { continue };
        let mut data = block.data.clone().unwrap_or_default();
        data.id.get_or_insert_with(FactId::random);
        data.to = Some(audience);
        facts += 1;
        if let Some((id, there)) = page.facts().find(|(id, there)| is_known(id, there, &data, &block.words)) {
            known += 1;
            if let Some(both) = from_both(there, &data) {
                change.replace(id, &there.words, &both).map_err(edit)?;
            }
            continue;
        }
        // Under no heading: whoever may see the fact need not be let know what it was filed under.
        change.add(&block.words, &data).map_err(edit)?;
    }
    let text = change.text();
    let mut accounts: BTreeSet<AccountId> = page.front().accounts.iter().cloned().collect();
    accounts.extend(came.front().accounts.iter().cloned().chain([other.clone()]));
    accounts.remove(kept);
    let text = with_accounts(&text, &accounts).ok_or_else(|| JoinNotesError::Front { note: note.clone() })?;
    let alias = |name: &String| Alias {
        name: name.clone(),
        slug: kept.slug(),
        audience: came.front().audience.clone(),
    };
    let names = came.front().aliases.iter().map(alias).collect();
    let other_seen = (!other_text.is_empty()).then_some(other_seen);
    Ok(JoinPlan { facts, known, note, seen, text, other: other_note, other_seen, names })
}

/// From now on `other` is `kept`'s too, and what was noted of both stands in one note. Doing it again does what is left.
///
/// # Errors
/// As [`plan_join`], and where somebody else writes there at this moment.
pub fn join(store: &MemoryStore, kept: &AccountId, other: &AccountId) -> Result<JoinPlan, JoinNotesError> {
    let plan = plan_join(store, kept, other)?;
    remember(store, &plan.names, NoteEditor::Operator)?;
    // First whole, then only once: a crash between the two loses nothing.
    store.write_if_unchanged(&plan.note, plan.seen, &plan.text, NoteEditor::Operator)?;
    if let Some(seen) = plan.other_seen {
        store.delete_if_unchanged(&plan.other, seen, NoteEditor::Operator)?;
    }
    Ok(plan)
}

/// From now on `other` is somebody else again; what was noted stays in the one note. Whether it was `kept`'s.
///
/// # Errors
/// When the note cannot be read or written.
pub fn part(store: &MemoryStore, kept: &AccountId, other: &AccountId) -> Result<bool, JoinNotesError> {
    let note = note_of(kept)?;
    let (text, seen) = store.read_or_none(&note)?;
    let mut accounts: BTreeSet<AccountId> = parsed(&note, &text)?.front().accounts.iter().cloned().collect();
    if !accounts.remove(other) {
        return Ok(false);
    }
    let text = with_accounts(&text, &accounts).ok_or_else(|| JoinNotesError::Front { note: note.clone() })?;
    store.write_if_unchanged(&note, seen, &text, NoteEditor::Operator)?;
    Ok(true)
}

/// Finishes what a crash left of [`join`]. How many notes came to stand where they belong.
///
/// # Errors
/// When the folder cannot be read.
pub fn finish_joining(store: &MemoryStore) -> Result<usize, StoreError> {
    let mut finished = 0;
    for path in store.walk(None)?.files.into_keys().filter(|path| path.is_in("people") && path.is_markdown())
    {
        let Some(kept) = AccountId::of_slug(path.stem()) else { continue };
        let Ok(note) = store.read(&path) else { continue };
        let Ok(page) = NotePage::parse(&note.text) else { continue };
        for other in &page.front().accounts {
            let is_left = note_of(other).is_ok_and(|note| store.read(&note).is_ok());
            if !is_left {
                continue;
            }
            match join(store, &kept, other) {
                Ok(_) => finished += 1,
                Err(error) => tracing::warn!(%error, "two notes of one person could not be made one"),
            }
        }
    }
    Ok(finished)
}

fn note_of(account: &AccountId) -> Result<NotePath, StoreError> {
    Ok(NotePath::new(format!("people/{}.md", account.slug()))?)
}

fn parsed(note: &NotePath, text: &str) -> Result<NotePage, JoinNotesError> {
    NotePage::parse(text).map_err(|reason| JoinNotesError::Unreadable { note: note.clone(), reason })
}

/// Whether a fact stands there: itself, or the same words before the same people, for as long.
fn is_known(id: &FactId, there: &PageBlock, data: &FactData, words: &str) -> bool {
    let ends = |data: &FactData| (data.since, data.until, data.gone);
    data.id.as_ref() == Some(id)
        || (there.words.trim().to_lowercase() == words.trim().to_lowercase()
            && there.audience == data.to
            && there.data.as_ref().is_some_and(|known| ends(known) == ends(data)))
}

/// What a fact rests on that was learnt twice; `None` where that is nothing new, or more than can be written.
fn from_both(there: &PageBlock, came: &FactData) -> Option<FactData> {
    let mut both = there.data.clone().unwrap_or_default();
    let new: Vec<Evidence> = came.from.iter().filter(|from| !both.from.contains(from)).cloned().collect();
    let fits = !new.is_empty() && both.from.len() + new.len() <= EVIDENCE_MAX;
    both.from.extend(new);
    both.to = there.audience.clone();
    fits.then_some(both)
}

/// The same note with these accounts in its front matter; `None` where what a person wrote there stands in the way.
fn with_accounts(text: &str, accounts: &BTreeSet<AccountId>) -> Option<String> {
    let before = NotePage::parse(text).ok()?;
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let named: Vec<String> = accounts.iter().map(|account| format!("\"{account}\"")).collect();
    let named = named.join(", ");
    let bare = text.trim_start_matches('\u{feff}');
    let front = ["---", "+++"].into_iter().find_map(|fence| match front_matter(bare, fence) {
        FrontMatter::Closed { fields, .. } => Some((fence, fields)),
        FrontMatter::Missing | FrontMatter::Unclosed => None,
    });
    let written = match front {
        None if accounts.is_empty() => text.to_owned(),
        None => format!("---{newline}accounts: [{named}]{newline}---{newline}{bare}"),
        Some((fence, fields)) => {
            let sign = if fence == "---" { ":" } else { " =" };
            let named = match accounts.is_empty() {
                true => String::new(),
                false => format!("accounts{sign} [{named}]{newline}"),
            };
            let is_other =
                |line: &&str| line.split([':', '=']).next().is_none_or(|key| key.trim_end() != "accounts");
            let (opening, rest) = (&bare[..fields.start], &bare[fields.end..]);
            let others: String = bare[fields].split_inclusive('\n').filter(is_other).collect();
            format!("{opening}{named}{others}{rest}")
        }
    };
    let after = NotePage::parse(&written).ok()?;
    let is_meant = after.front().accounts.iter().eq(accounts)
        && after.front().audience == before.front().audience
        && after.front().aliases == before.front().aliases;
    is_meant.then_some(written)
}
