//! What it believes: the notes, found by their words, and one of them with who said what and who may see it.

use std::collections::BTreeMap;
use std::sync::Arc;

use askama::Template;
use axum::extract::{Extension, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use jiff::Timestamp;
use jiff::civil::Date;
use serde::Deserialize;

use super::forget::{forget_fact_href, forget_note_href, undoable};
use super::hours::Hours;
use super::messages;
use super::names::Names;
use super::note_href::{edit_href, href, note_path};
use super::one_person::one_person_href;
use super::operator::{
    NotesOf, all_pending, find_notes, linked_from, messages_kept, read_note, records, title_of_note, titles,
};
use super::pages::{LinkedWords, PageHead, Refusal, Visitor, html_page, off_the_way};
use super::shared::Shared;
use super::turn_view::has_used;
use crate::domain::{Audience, ChannelId, StoredId, TurnId};
use crate::graph::note_links;
use crate::history::KeptTurn;
use crate::memory::facts::{BlockKind, By, FactId, NotePage, PageBlock, Validity};
use crate::memory::store::{NotePath, StoreError};
use crate::text::short::{one_line, shortened};

/// Notes on one page.
const NOTES: usize = 100;

/// The longest words that are looked for, in characters.
const QUERY_CHARS: usize = 200;

/// So many messages are shown behind one fact, and so many on one page.
const SOURCES: usize = 3;
const SOURCES_ON_PAGE: usize = 120;

/// So much of each, in characters.
const SOURCE_CHARS: usize = 400;

/// So many notes that one points to are looked for, and as many that point to it.
const LINKED: usize = 100;

/// So many of the newest turns are looked through for what was used.
const TURNS: usize = 60;

/// So much of a note's first fact, in characters.
const LINE_CHARS: usize = 120;

#[derive(Debug, Template)]
#[template(path = "memory.html")]
struct MemoryPage {
    page: PageHead,
    is_empty: bool,
    /// What can be listed.
    sorts: [Sort; 3],
    query: String,
    /// Whether nothing is there of what was looked for.
    has_no_match: bool,
    /// Whether there was no time to look through as many notes as fit.
    is_cut_short: bool,
    groups: Vec<NoteGroup>,
    next: Option<String>,
    can_take_back: bool,
    /// What waits for a yes.
    proposed: usize,
    note: Option<Note>,
    /// The hours it keeps, beside what else there is of the character.
    hours: Option<Hours>,
}

/// What can be listed instead.
#[derive(Debug)]
struct Sort {
    name: &'static str,
    href: String,
    is_current: bool,
}

fn sorts(of: NotesOf) -> [Sort; 3] {
    [NotesOf::Memory, NotesOf::Character, NotesOf::Lore].map(|sort| Sort {
        name: match sort {
            NotesOf::Character => messages::THE_CHARACTER,
            NotesOf::Lore => messages::LORE,
            _ => messages::NOTES,
        },
        href: notes_href(sort, &[]),
        is_current: sort == of,
    })
}

/// Where notes of a sort are listed.
fn notes_href(of: NotesOf, pairs: &[(&str, &str)]) -> String {
    let of = match of {
        NotesOf::Character => Some(("of", CHARACTER)),
        NotesOf::Lore => Some(("of", LORE)),
        NotesOf::Memory | NotesOf::All => None,
    };
    let pairs = pairs.iter().filter(|(_, value)| !value.is_empty()).copied();
    let query =
        form_urlencoded::Serializer::new(String::new()).extend_pairs(of.into_iter().chain(pairs)).finish();
    if query.is_empty() { "/memory".to_owned() } else { format!("/memory?{query}") }
}

#[derive(Debug)]
struct NoteGroup {
    name: &'static str,
    notes: Vec<NoteRow>,
}

#[derive(Debug)]
struct NoteRow {
    href: String,
    is_current: bool,
    title: String,
    count: usize,
    line: String,
}

#[derive(Debug)]
struct Note {
    title: String,
    path: String,
    edit: String,
    forget: Option<String>,
    /// Where it is said whose other accounts are theirs.
    accounts: Option<String>,
    audience: String,
    aliases: Option<String>,
    broken: Vec<Broken>,
    is_blank: bool,
    blocks: Vec<Block>,
    /// Notes with a line that points to this one.
    linked_from: Vec<LinkedWords>,
    /// Of the newest turns, those that had it in their prompt.
    used_in: Vec<TurnId>,
}

/// A line that nobody sees.
#[derive(Debug)]
struct Broken {
    line: u32,
    reason: String,
}

#[derive(Debug)]
struct Block {
    kind: &'static str,
    words: String,
    /// The words once more, with where they point to.
    pieces: Vec<LinkedWords>,
    by: Option<String>,
    on: Option<String>,
    audience: Option<String>,
    standing: Option<String>,
    is_past: bool,
    fact: Option<FactId>,
    /// Where it can be forgotten alone.
    forget: Option<String>,
    /// The messages it comes from, those that are still kept.
    sources: Vec<LearntFrom>,
}

/// A message that something was learnt from.
#[derive(Debug, Clone)]
struct LearntFrom {
    who: String,
    words: String,
    room: String,
    where_and_when: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Looked {
    /// Words that a note holds.
    q: Option<String>,
    /// Notes behind this one.
    after: Option<String>,
    /// `self` or `lore`, where not what it believes.
    of: Option<String>,
    /// What became of having it write down its hours.
    hours: Option<String>,
}

impl Looked {
    /// Whoever looks for words looks through everything.
    fn of(&self) -> Result<NotesOf, Refusal> {
        match self.of.as_deref().unwrap_or_default() {
            "" if self.q.as_ref().is_some_and(|words| !words.trim().is_empty()) => Ok(NotesOf::All),
            "" => Ok(NotesOf::Memory),
            CHARACTER => Ok(NotesOf::Character),
            LORE => Ok(NotesOf::Lore),
            _ => Err(Refusal(StatusCode::NOT_FOUND)),
        }
    }
}

/// In the address of a list.
const CHARACTER: &str = "self";
const LORE: &str = "lore";

#[derive(Debug, Deserialize)]
pub(super) struct NoteQuery {
    #[serde(default)]
    path: String,
}

impl NoteQuery {
    pub(super) fn note(self) -> Result<NotePath, Refusal> {
        note_path(self.path).ok_or(Refusal(StatusCode::NOT_FOUND))
    }
}

pub(super) async fn list_notes(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    Query(looked): Query<Looked>,
) -> Result<Response, Refusal> {
    let of = looked.of()?;
    let Looked { q, after, hours, .. } = looked;
    let query: String = q.unwrap_or_default().trim().chars().take(QUERY_CHARS).collect();
    let after = after.map(NotePath::new).transpose().map_err(|_| Refusal(StatusCode::BAD_REQUEST))?;
    let is_first = after.is_none();
    let (memory, looked_for) = (Arc::clone(&shared.parts.memory), query.clone());
    let found = read_from_disk(move || find_notes(&memory, (of, &looked_for), after.as_ref(), NOTES)).await?;
    let is_empty = found.notes.is_empty();
    let next = found.next.as_ref().map(|path| next_page(path, of, &query));
    Ok(html_page(&MemoryPage {
        page: shared.door.head("Memory", "/memory", &visitor),
        is_empty: is_empty && is_first && of == NotesOf::Memory,
        sorts: sorts(of),
        has_no_match: is_empty && of != NotesOf::Memory && !found.is_cut_short,
        is_cut_short: found.is_cut_short,
        query,
        groups: grouped_notes(&found.notes, None),
        next,
        can_take_back: is_first && undoable(&shared).await?.is_some(),
        proposed: waiting(&shared).await?,
        note: None,
        hours: match of {
            NotesOf::Character => Some(Hours::of(&shared, hours.as_deref()).await?),
            _ => None,
        },
    }))
}

pub(super) async fn show_note(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    Query(which): Query<NoteQuery>,
) -> Result<Response, Refusal> {
    let path = which.note()?;
    let linked_from = linked_from(&shared.parts.graph, path.clone(), LINKED).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "which notes point to one could not be read for the window");
        Vec::new()
    });
    let of = NotesOf::holding(&path);
    let (memory, wanted) = (Arc::clone(&shared.parts.memory), path.clone());
    let read = read_from_disk(move || {
        let Some(note) = read_note(&memory, &wanted)? else { return Ok(None) };
        let links = note_links(&wanted, &note.text).into_iter().take(LINKED).map(|link| link.to);
        let linked = [titles(&memory, links), titles(&memory, linked_from)];
        Ok(Some((note, linked, find_notes(&memory, (of, ""), None, NOTES)?)))
    });
    let (text, [points_to, linked_from], found) = read.await?.ok_or(Refusal(StatusCode::NOT_FOUND))?;
    let names = Names::all(&shared).await;
    let mut note = view_of_note(&path, &text.text, (&names, &points_to), shared.heads.today());
    note.used_in = used_in(&shared, &path).await;
    note.linked_from =
        linked_from.into_iter().map(|(path, words)| LinkedWords { words, href: Some(href(&path)) }).collect();
    show_sources(&shared, &text.text, &names, &mut note).await;
    let next = found.next.as_ref().map(|path| next_page(path, of, ""));
    Ok(html_page(&MemoryPage {
        page: shared.door.head(&note.title, "/memory", &visitor),
        is_empty: false,
        sorts: sorts(of),
        query: String::new(),
        has_no_match: false,
        is_cut_short: false,
        groups: grouped_notes(&found.notes, Some(&path)),
        next,
        can_take_back: false,
        proposed: waiting(&shared).await?,
        note: Some(note),
        hours: None,
    }))
}

/// Puts beside each fact what it was learnt from. One query, however many facts there are.
async fn show_sources(shared: &Shared, text: &str, names: &Names, note: &mut Note) {
    let Ok(page) = NotePage::parse(text) else { return };
    let wanted: Vec<(&FactId, StoredId)> = page
        .facts()
        .filter_map(|(id, block)| Some((id, block.data.as_ref()?)))
        .flat_map(|(id, data)| data.turns().take(SOURCES).map(move |turn| (id, turn)))
        .take(SOURCES_ON_PAGE)
        .collect();
    if wanted.is_empty() {
        return;
    }
    let wanted_turns = wanted.iter().map(|(_, turn)| *turn).collect();
    let turns = match messages_kept(&shared.parts.history, wanted_turns).await {
        Ok(read) => read,
        Err(error) => {
            tracing::warn!(%error, "where facts come from could not be read for the window");
            return;
        }
    };
    for block in &mut note.blocks {
        let of_it = wanted.iter().filter(|(id, _)| block.fact.as_ref() == Some(id)).map(|(_, turn)| turn.0);
        let kept =
            of_it.filter_map(|id| turns.iter().find(|turn| turn.id == id && turn.deleted_at_ms.is_none()));
        block.sources = kept.map(|turn| source_of(shared, turn, names)).collect();
    }
}

fn source_of(shared: &Shared, turn: &KeptTurn, names: &Names) -> LearntFrom {
    let who = turn
        .author
        .as_ref()
        .map(|(account, username, shown)| shown.as_ref().or(username.as_ref()).unwrap_or(account));
    let channel = ChannelId::new(turn.channel.clone());
    let place = channel.map_or_else(|_| turn.channel.clone(), |channel| names.channel(&channel));
    let on =
        Timestamp::from_millisecond(turn.at_ms).map(|at| shared.heads.clock_time(at)).unwrap_or_default();
    LearntFrom {
        who: who.map_or(messages::ITSELF, String::as_str).to_owned(),
        words: shortened(&one_line(&turn.content), SOURCE_CHARS),
        room: format!("/rooms/{}", turn.channel),
        where_and_when: messages::said_in(&place, &on),
    }
}

/// Of the newest turns, those that had a note in their prompt, the newest first.
async fn used_in(shared: &Shared, path: &NotePath) -> Vec<TurnId> {
    let turns = records(&shared.parts.traces).spoken(TURNS).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "which turns used a note could not be read for the window");
        Vec::new()
    });
    turns.iter().filter(|trace| has_used(trace, path)).map(|trace| trace.id).collect()
}

/// How much waits for a yes.
async fn waiting(shared: &Shared) -> Result<usize, Refusal> {
    let memory = Arc::clone(&shared.parts.memory);
    let read = move || all_pending(&memory).map(|all| all.len());
    off_the_way("what waits for a yes could not be read for the window", read).await
}

/// Notes are read where that holds up nobody.
pub(super) async fn read_from_disk<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, Refusal> {
    off_the_way("notes could not be read for the window", work).await
}

fn next_page(last: &NotePath, of: NotesOf, query: &str) -> String {
    notes_href(of, &[("after", last.as_str()), ("q", query)])
}

fn grouped_notes(notes: &[(NotePath, Option<NotePage>)], current: Option<&NotePath>) -> Vec<NoteGroup> {
    let mut groups: Vec<NoteGroup> = Vec::new();
    for (path, page) in notes {
        let name = messages::group_of_notes(path.names().next().filter(|_| path.folder().is_some()));
        let row = row_of_note(path, page.as_ref(), current == Some(path));
        match groups.iter_mut().find(|group| group.name == name) {
            Some(group) => group.notes.push(row),
            None => groups.push(NoteGroup { name, notes: vec![row] }),
        }
    }
    groups
}

fn row_of_note(path: &NotePath, page: Option<&NotePage>, is_current: bool) -> NoteRow {
    let Some(page) = page else {
        let (title, line) = (path.stem().to_owned(), messages::HEAD_UNREADABLE.to_owned());
        return NoteRow { href: href(path), is_current, title, count: 0, line };
    };
    let first = match NotesOf::holding(path) {
        NotesOf::Memory => page.facts().map(|(_, block)| block).next(),
        _ => page.blocks().iter().find(|block| !block.words.is_empty()),
    };
    NoteRow {
        href: href(path),
        is_current,
        title: title_of_note(path, page),
        count: page.facts().count(),
        line: first.map(|block| shortened(&one_line(&block.words), LINE_CHARS)).unwrap_or_default(),
    }
}

fn view_of_note(path: &NotePath, text: &str, (names, linked): (&Names, &Titles), today: Date) -> Note {
    if NotesOf::holding(path) != NotesOf::Memory {
        return writing(path, text, linked);
    }
    let page = match NotePage::parse(text) {
        Ok(page) => page,
        Err(error) => {
            let broken = vec![Broken { line: 1, reason: error.to_string() }];
            return Note {
                title: path.stem().to_owned(),
                path: path.to_string(),
                edit: edit_href(path),
                forget: forget_note_href(path),
                accounts: None,
                audience: messages::NOBODY.to_owned(),
                aliases: None,
                broken,
                is_blank: false,
                blocks: Vec::new(),
                linked_from: Vec::new(),
                used_in: Vec::new(),
            };
        }
    };
    let front = page.front();
    let title = title_of_note(path, &page);
    let mut blocks: Vec<Block> = page
        .blocks()
        .iter()
        .filter(|block| !block.words.is_empty())
        .map(|block| Block {
            pieces: linked_pieces(path, &block.words, linked),
            forget: block.fact().map(|fact| forget_fact_href(fact, path)),
            ..block_of(block, &front.audience, names, today)
        })
        .collect();
    // The title stands over the page.
    if blocks.first().is_some_and(|first| first.kind == "heading" && first.words == title) {
        blocks.remove(0);
    }
    Note {
        title,
        path: path.to_string(),
        edit: edit_href(path),
        forget: forget_note_href(path),
        accounts: one_person_href(path),
        audience: names.who_hears(&front.audience),
        aliases: (!front.aliases.is_empty()).then(|| front.aliases.join(", ")),
        broken: page
            .broken()
            .iter()
            .map(|line| Broken { line: line.line, reason: line.reason.to_string() })
            .collect(),
        is_blank: blocks.is_empty(),
        blocks,
        linked_from: Vec::new(),
        used_in: Vec::new(),
    }
}

/// A text of the card or the lore, as it lies there: it is no note, and has no facts.
fn writing(path: &NotePath, text: &str, linked: &Titles) -> Note {
    let block = Block {
        kind: "writing",
        words: String::new(),
        pieces: linked_pieces(path, text.trim_end(), linked),
        by: None,
        on: None,
        audience: None,
        standing: None,
        is_past: false,
        fact: None,
        forget: None,
        sources: Vec::new(),
    };
    Note {
        title: path.stem().replace('_', " "),
        path: path.to_string(),
        edit: edit_href(path),
        forget: None,
        accounts: None,
        audience: messages::EVERYBODY.to_owned(),
        aliases: None,
        broken: Vec::new(),
        is_blank: text.trim().is_empty(),
        blocks: vec![block],
        linked_from: Vec::new(),
        used_in: Vec::new(),
    }
}

/// Notes that are there, with their titles.
type Titles = BTreeMap<NotePath, String>;

/// Words, with where they point to; what points to nothing stays as it was written.
fn linked_pieces(path: &NotePath, words: &str, linked: &Titles) -> Vec<LinkedWords> {
    let (mut pieces, mut at) = (Vec::new(), 0);
    let plain = |words: &str| LinkedWords { words: words.to_owned(), href: None };
    for link in note_links(path, words).into_iter().filter(|link| linked.contains_key(&link.to)) {
        pieces.extend(words.get(at..link.range.start).filter(|words| !words.is_empty()).map(plain));
        pieces.push(LinkedWords { words: link.label, href: Some(href(&link.to)) });
        at = link.range.end;
    }
    pieces.extend(words.get(at..).filter(|words| !words.is_empty()).map(plain));
    pieces
}

fn block_of(block: &PageBlock, of_note: &Audience, names: &Names, today: Date) -> Block {
    let standing = block.standing(today);
    let data = block.data.as_ref();
    let by = data.and_then(|data| data.by.as_ref()).map(|by| match by {
        By::Person(account) => messages::says_so(&names.person(account)),
        By::Familiar => messages::ITS_OWN_WORD.to_owned(),
    });
    Block {
        kind: match block.kind {
            BlockKind::Heading(_) => "heading",
            BlockKind::Item => "fact",
            BlockKind::Paragraph => "paragraph",
            BlockKind::Code => "code",
        },
        words: block.words.clone(),
        pieces: Vec::new(),
        by,
        on: data.and_then(|data| data.on).map(messages::day_in_full),
        audience: match &block.audience {
            Some(audience) if audience == of_note => None,
            Some(audience) => Some(names.who_hears(audience)),
            None => Some(messages::NOBODY.to_owned()),
        },
        standing: match standing {
            Validity::Holds => None,
            Validity::From(day) => Some(messages::from_day(day)),
            Validity::Until(day) => Some(messages::until_day(day)),
        },
        is_past: matches!(standing, Validity::Until(_)),
        forget: None,
        fact: block.fact().cloned(),
        sources: Vec::new(),
    }
}
