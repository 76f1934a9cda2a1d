//! What the operator sees of what was said: all of it, whoever could hear it. Nobody else is let in here, and nothing of it
//! reaches a prompt.

use std::collections::HashMap;

use crate::domain::{AccountId, ChannelId, StoredTurn, TokenEncoding, Visible};
use crate::history::{History, HistoryError, RecentQuery};
use crate::memory::Memory;
use crate::memory::facts::NotePage;
use crate::memory::store::{GrepOptions, NoteEditor, NotePath, NoteText, ReadVersion, StoreError};

/// What of the memory folder is a note: the card and the lore are somebody's writing, not what it believes.
const NOTES: &str = "{*,people/**/*,sessions/**/*,topics/**/*}.md";

/// Whoever was told anything.
pub(super) async fn everybody(history: &History) -> Result<Visible, HistoryError> {
    Ok(Visible::only(history.whole().audiences().await?))
}

/// The newest of what was said in a place, oldest first.
pub(super) async fn last_said(
    history: &History,
    everybody: &Visible,
    channel: &ChannelId,
    most: u32,
) -> Result<Vec<StoredTurn>, HistoryError> {
    let query = RecentQuery { mode: None, max_turns: most, until: None, encoding: TokenEncoding::Estimate };
    history.seen_by(everybody).recent(channel, query).await
}

/// Some of the notes, and whether there are more.
pub(super) struct FoundNotes {
    pub notes: Vec<(NotePath, NotePage)>,
    pub is_more: bool,
}

/// Notes by path, those that hold the words, behind `after`, at most `most`. Blocks.
pub(super) fn find_notes(
    memory: &Memory,
    words: &str,
    after: Option<&NotePath>,
    most: usize,
) -> Result<FoundNotes, StoreError> {
    let store = memory.whole().store;
    let mut paths: Vec<NotePath> = if words.is_empty() {
        store.glob(NOTES, after)?.files.into_iter().map(|file| file.path).collect()
    } else {
        let pattern: Vec<String> = words.split_whitespace().map(regex::escape).collect();
        let options = GrepOptions { files: Some(NOTES.to_owned()), ignore_case: true };
        let mut paths: Vec<NotePath> =
            store.grep(&pattern.join(r"\s+"), &options)?.lines.into_iter().map(|line| line.path).collect();
        paths.dedup();
        paths.retain(|path| after.is_none_or(|after| path > after));
        paths
    };
    let is_more = paths.len() > most;
    paths.truncate(most);
    let read = |path: NotePath| {
        // What was removed meanwhile, or is no note, is left out.
        let page = NotePage::parse(&store.read(&path).ok()?.text).ok()?;
        Some((path, page))
    };
    Ok(FoundNotes { notes: paths.into_iter().filter_map(read).collect(), is_more })
}

/// A note's text; `None` where there is none. Blocks.
pub(super) fn read_note(memory: &Memory, path: &NotePath) -> Result<Option<NoteText>, StoreError> {
    match memory.whole().store.read(path) {
        Ok(note) => Ok(Some(note)),
        Err(StoreError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Puts a text in a note's place, if the note is still as it was `seen`. Blocks.
pub(super) fn write_note(
    memory: &Memory,
    path: &NotePath,
    seen: Option<&NoteText>,
    text: &str,
) -> Result<(), StoreError> {
    let seen = seen.map_or(ReadVersion::Nothing, NoteText::seen);
    memory.whole().store.write_if_unchanged(path, seen, text, NoteEditor::Operator).map(drop)
}

/// What everybody who ever spoke is called, by account.
pub(super) async fn known_names(history: &History) -> Result<HashMap<AccountId, String>, HistoryError> {
    let authors = history.whole().authors().await?;
    Ok(authors.into_iter().map(|author| (author.account.clone(), author.label().to_owned())).collect())
}
