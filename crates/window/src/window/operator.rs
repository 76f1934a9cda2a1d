//! What the operator sees of what was said: all of it, whoever could hear it. Nobody else is let in here, and nothing of it
//! reaches a prompt.

use std::collections::{BTreeMap, HashMap};

use familiar_cards::text::{FrontMatter, front_matter};
use jiff::Timestamp;
use jiff::civil::Date;

use crate::domain::{AccountId, Author, ChannelId, Place, StoredId, StoredTurn, TokenEncoding, Visible};
use crate::graph::{Graph, GraphError, NodeId, Overview, Viewer};
use crate::history::{History, HistoryError, KeptChannel, KeptTurn, RecentQuery, RoomPage};
use crate::memory::Memory;
use crate::memory::change::{ChangeFate, Pending, PendingError};
use crate::memory::facts::{BlockKind, NotePage};
use crate::memory::store::{GrepOptions, HowFar, NoteEditor, NotePath, NoteText, ReadVersion, StoreError};
use crate::trace::{TraceStore, WholeTraces};
use crate::workers::sleep::{MOST_A_NIGHT, SleepError, Tidied, tidy_notes};

/// What of the memory folder is looked at together. What waits for a yes under a hidden name is nowhere: it is not believed
/// yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotesOf {
    /// What it believes.
    Memory,
    /// Somebody's writing: the card.
    Character,
    Lore,
    All,
}

impl NotesOf {
    pub(super) fn holding(path: &NotePath) -> Self {
        match path.names().next() {
            Some("self") => Self::Character,
            Some("lore") => Self::Lore,
            _ => Self::Memory,
        }
    }

    fn glob(self) -> &'static str {
        match self {
            Self::Memory => "{*,people/**/*,sessions/[!.]*,sessions/[!.]*/**/*,topics/**/*}.md",
            Self::Character => "self/{*,greetings/*,notes/*}.md",
            Self::Lore => "lore/**/*.md",
            Self::All => {
                "{*,lore/**/*,people/**/*,self/*,self/greetings/*,self/notes/*,sessions/[!.]*,sessions/[!.]*/**/*,\
                 topics/**/*}.md"
            }
        }
    }
}

/// So many places, those in which something was said last first, with so many characters of it; behind those whose newest
/// message is `before`.
pub(super) async fn rooms(
    history: &History,
    before: Option<StoredId>,
    most: usize,
    chars: usize,
) -> Result<RoomPage, HistoryError> {
    history.whole().rooms(before, most, chars).await
}

/// One of them; `None` where nothing that stands was said.
pub(super) async fn place_of(history: &History, channel: &ChannelId) -> Result<Option<Place>, HistoryError> {
    history.whole().place_of(channel).await
}

pub(super) fn records(traces: &TraceStore) -> WholeTraces<'_> {
    traces.whole()
}

/// These messages, those that are kept.
pub(super) async fn messages_kept(
    history: &History,
    turns: Vec<StoredId>,
) -> Result<Vec<KeptTurn>, HistoryError> {
    history.whole().kept(turns).await
}

/// Every channel in which anything was ever said.
pub(super) async fn channels(history: &History) -> Result<Vec<KeptChannel>, HistoryError> {
    history.whole().kept_channels().await
}

/// Whoever spoke last in each of these channels.
pub(super) async fn last_speakers(
    history: &History,
    channels: Vec<ChannelId>,
) -> Result<Vec<(ChannelId, Author)>, HistoryError> {
    history.whole().last_speakers(channels).await
}

/// How people and topics are connected, at most so many of them.
pub(super) async fn overview(graph: &Graph, most: usize) -> Result<Overview, GraphError> {
    graph.ask(Viewer::everything(), move |view| view.overview(most)).await
}

/// What these messages say, those that are kept.
pub(super) async fn texts_of_messages(
    history: &History,
    turns: Vec<StoredId>,
) -> Result<HashMap<StoredId, String>, HistoryError> {
    let kept = messages_kept(history, turns).await?.into_iter().filter(|turn| turn.deleted_at_ms.is_none());
    Ok(kept.map(|turn| (StoredId(turn.id), turn.content)).collect())
}

/// Everything that waits for a yes. Blocks.
pub(super) fn all_pending(memory: &Memory) -> Result<Vec<Pending>, PendingError> {
    Pending::all(memory.whole().store)
}

/// Looks for what wants tidying in the notes, as is done at night, and proposes as much as then.
pub(super) async fn tidy(
    (history, memory): (&History, &Memory),
    today: Date,
    now: Timestamp,
) -> Result<Tidied, SleepError> {
    tidy_notes(history, memory.whole().store, today, now, MOST_A_NIGHT).await
}

/// Notes what was proposed under a name: what became of it, note by note. Blocks.
pub(super) fn approve(
    memory: &Memory,
    name: &str,
    today: Date,
) -> Result<Vec<(String, ChangeFate)>, PendingError> {
    let waiting = Pending::read(memory.whole().store, name)?;
    let notes: Vec<String> = waiting.changes()?.iter().map(|change| change.note.to_string()).collect();
    Ok(notes.into_iter().zip(waiting.approve(memory.whole().store, today)?).collect())
}

/// Throws away what was proposed under a name. Blocks.
pub(super) fn reject(memory: &Memory, name: &str) -> Result<(), PendingError> {
    Pending::read(memory.whole().store, name)?.reject(memory.whole().store)
}

/// Whoever was told anything.
pub(super) async fn everybody(history: &History) -> Result<Visible, HistoryError> {
    history.whole().visible().await
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

pub(super) struct FoundNotes {
    /// Without a page where the head cannot be read: whoever is to mend it has to find it.
    pub notes: Vec<(NotePath, Option<NotePage>)>,
    /// What comes next is behind this one; `None` where these were the last.
    pub next: Option<NotePath>,
    /// Whether there was no time to look through as many as would have been shown.
    pub is_cut_short: bool,
}

/// Notes by path, those that hold the words, behind `after`, at most `most`; no others are read to their end. Blocks.
pub(super) fn find_notes(
    memory: &Memory,
    (of, words): (NotesOf, &str),
    after: Option<&NotePath>,
    most: usize,
) -> Result<FoundNotes, StoreError> {
    let store = memory.whole().store;
    let (mut paths, how_far, last) = if words.is_empty() {
        let paths: Vec<_> = store.glob(of.glob(), after)?.files.into_iter().map(|file| file.path).collect();
        (paths, HowFar::Everything, None)
    } else {
        let pattern: Vec<String> = words.split_whitespace().map(regex::escape).collect();
        let options = GrepOptions {
            files: Some(of.glob().to_owned()),
            ignore_case: true,
            after: after.cloned(),
            files_max: Some(most + 1),
        };
        let found = store.grep(&pattern.join(r"\s+"), &options)?;
        let mut paths: Vec<_> = found.lines.into_iter().map(|line| line.path).collect();
        paths.dedup();
        (paths, found.how_far, found.last)
    };
    let is_whole_page = paths.len() > most;
    paths.truncate(most);
    let next = match how_far {
        HowFar::Everything if !is_whole_page => None,
        _ if is_whole_page => paths.last().cloned(),
        // It goes on where it came to, which may be behind the last that it found.
        _ => last.max(paths.last().cloned()),
    };
    let is_cut_short = how_far == HowFar::OutOfTime && !is_whole_page;
    let read = |path: NotePath| {
        // What was removed meanwhile is left out.
        let text = store.read(&path).ok()?.text;
        let page = match NotesOf::holding(&path) {
            NotesOf::Memory => NotePage::parse(&text).ok(),
            // Its head is no note's: only the words count.
            _ => NotePage::parse(without_head(&text)).ok(),
        };
        Some((path, page))
    };
    Ok(FoundNotes { notes: paths.into_iter().filter_map(read).collect(), next, is_cut_short })
}

/// A text of the character or its lore, without the settings on top.
pub(super) fn without_head(text: &str) -> &str {
    let body = ["---", "+++"].into_iter().find_map(|fence| match front_matter(text, fence) {
        FrontMatter::Closed { body, .. } => Some(&text[body..]),
        FrontMatter::Missing | FrontMatter::Unclosed => None,
    });
    body.unwrap_or(text)
}

/// A note's text; `None` where there is none. Blocks.
pub(super) fn read_note(memory: &Memory, path: &NotePath) -> Result<Option<NoteText>, StoreError> {
    match memory.whole().store.read(path) {
        Ok(note) => Ok(Some(note)),
        Err(StoreError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Which of these notes are there, each with its title. Blocks.
pub(super) fn titles(
    memory: &Memory,
    paths: impl IntoIterator<Item = NotePath>,
) -> BTreeMap<NotePath, String> {
    let titled = |path: NotePath| {
        let text = read_note(memory, &path).ok()??.text;
        let title = NotePage::parse(&text).map(|page| title_of_note(&path, &page));
        Some((path.clone(), title.unwrap_or_else(|_| path.stem().to_owned())))
    };
    paths.into_iter().filter_map(titled).collect()
}

/// The notes that are about somebody or a topic, by whom or what. Blocks.
pub(super) fn noted(memory: &Memory) -> Result<HashMap<NodeId, NotePath>, StoreError> {
    let files = memory.whole().store.glob("{people,topics}/**/*.md", None)?.files;
    Ok(files.into_iter().filter_map(|file| Some((NodeId::subject_of(&file.path)?, file.path))).collect())
}

/// Notes with a line that points to this one, at most so many.
pub(super) async fn linked_from(
    graph: &Graph,
    path: NotePath,
    most: usize,
) -> Result<Vec<NotePath>, GraphError> {
    graph.ask(Viewer::everything(), move |view| view.linked_from(&path, most)).await
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

/// Its first heading, else its file's name; what is no note goes by that.
pub(super) fn title_of_note(path: &NotePath, page: &NotePage) -> String {
    if NotesOf::holding(path) != NotesOf::Memory {
        return path.stem().replace('_', " ");
    }
    let heading = page.blocks().iter().find(|block| matches!(block.kind, BlockKind::Heading(_)));
    let heading = heading.map(|block| block.words.clone()).filter(|words| !words.trim().is_empty());
    heading.unwrap_or_else(|| path.stem().to_owned())
}

/// How many messages of somebody's stand.
pub(super) async fn messages_of(history: &History, account: &AccountId) -> Result<u64, HistoryError> {
    let everybody = everybody(history).await?;
    Ok(history.seen_by(&everybody).acquaintance(account, None, None).await?.messages)
}

/// What somebody is called; by their account where they never spoke.
pub(super) async fn label_or_account(history: &History, account: &AccountId) -> Result<String, HistoryError> {
    let author = history.whole().author(account).await?;
    Ok(author.map_or_else(|| account.to_string(), |author| author.label().to_owned()))
}

/// What everybody who ever spoke is called, by account.
pub(super) async fn known_names(history: &History) -> Result<HashMap<AccountId, String>, HistoryError> {
    let authors = history.whole().authors().await?;
    Ok(authors.into_iter().map(|author| (author.account.clone(), author.label().to_owned())).collect())
}
