use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;
use rusqlite::Connection;
use tempfile::TempDir;

use super::*;
use crate::domain::{
    AccountId, Audience, Author, ChannelId, ChannelMode, GuildId, MessageId, Place, PlaceKind, Platform,
    Role, StoredId, StoredTurn, Visible,
};
use crate::history::{HeardMessage, HistoryOptions, NewTurn, Told};
use crate::home::FamiliarHome;
use crate::memory::NoteTold;
use crate::memory::store::{ContentHash, NotePath};

mod answers;
mod folding;
mod keeping;
mod leaks;
mod overview;

/// A history and notes on a disk.
struct Stage {
    _dir: TempDir,
    home: FamiliarHome,
    history: Arc<History>,
    memory: Arc<Memory>,
}

const START: i64 = 1_780_000_000;

impl Stage {
    async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let home = FamiliarHome::new(dir.path(), &"mika".parse().unwrap());
        fs::create_dir_all(home.memory_dir()).unwrap();
        let history = History::open(&home.history_db(), HistoryOptions::default()).await.unwrap();
        let memory = Arc::new(Memory::at(&home));
        Self { _dir: dir, home, history: Arc::new(history), memory }
    }

    fn graph(&self) -> Graph {
        Graph::over(Arc::clone(&self.history), Arc::clone(&self.memory))
    }

    /// As the program keeps it.
    async fn kept(&self) -> Graph {
        let graph = Graph::over(Arc::clone(&self.history), Arc::new(Memory::at(&self.home)));
        graph.keep().await;
        graph
    }

    fn note(&self, path: &str, text: &str) {
        let path: PathBuf = self.home.memory_dir().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Somebody says something, so many seconds after the start, perhaps in answer to a message.
    async fn says(&self, who: u64, text: &str, second: i64, answers: Option<u64>) -> StoredId {
        self.says_in(&place(1, guild(7)), who, text, second, answers).await
    }

    async fn says_in(&self, at: &Place, who: u64, text: &str, second: i64, answers: Option<u64>) -> StoredId {
        let message = MessageId::from(u64::try_from(second).unwrap() + 1);
        let turn = NewTurn {
            messages: vec![message],
            reply_to: answers.map(|second| MessageId::from(second + 1)),
            ..NewTurn::written(
                at.clone(),
                (who > 0).then(|| author(who)),
                text,
                Timestamp::from_second(START + second).unwrap(),
                ChannelMode::TextConversationRp,
            )
        };
        self.history.store_all(vec![turn]).await.unwrap()[0]
    }
}

const NAMES: [&str; 5] = ["Mika", "Ana", "Ben", "Cleo", "Dan"];

fn author(who: u64) -> Author {
    Author::called(AccountId::discord(who), NAMES[usize::try_from(who).unwrap()])
}

fn person(who: u64) -> NodeId {
    NodeId::person(&AccountId::discord(who))
}

fn guild(number: u64) -> Audience {
    Audience::Guild(GuildId::from(number))
}

fn place(channel: u64, audience: Audience) -> Place {
    Place {
        guild: Some(GuildId::from(7)),
        channel_name: Some(format!("#c{channel}")),
        ..Place::new(Platform::Discord, ChannelId::from(channel), PlaceKind::GuildText, audience)
    }
}

/// What two people have to do with each other, directly.
fn between(view: &View<'_>, a: &NodeId, b: &NodeId) -> Result<Vec<Bond>, GraphError> {
    let (Some(a), Some(b)) = (view.find(a)?, view.find(b)?) else { return Ok(Vec::new()) };
    Ok(view.bonds(view.joining(a, b)?)?)
}

fn here() -> Viewer {
    Viewer::of(Visible::only([Audience::Canon, guild(7)]))
}

fn moment(second: i64) -> Timestamp {
    Timestamp::from_second(START + second).unwrap()
}

/// Tables of their own.
fn tables() -> Connection {
    let mut tables = Connection::open_in_memory().unwrap();
    MIGRATIONS.to_latest(&mut tables).unwrap();
    tables
}

/// What happened to what the graph is made of.
#[derive(Debug, Clone)]
enum Event {
    Turn(Told),
    Note(NoteTold),
}

/// Taken in at once, as the program does.
fn taken(tables: &mut Connection, events: &[Event]) {
    let tx = tables.transaction().unwrap();
    let (mut turns, mut notes) = (Vec::new(), Vec::new());
    for event in events.iter().cloned() {
        match event {
            Event::Turn(told) => turns.push(told),
            Event::Note(told) => notes.push(told),
        }
    }
    fold::take_turns(&tx, &turns).unwrap();
    fold::take_notes(&tx, &notes).unwrap();
    tx.commit().unwrap();
}

fn written(path: &str, text: String) -> Event {
    let (path, hash) = (NotePath::new(path).unwrap(), ContentHash::of(text.as_bytes()));
    Event::Note(NoteTold::Stands { path, text, hash })
}

fn removed(path: &str) -> Event {
    Event::Note(NoteTold::Gone(NotePath::new(path).unwrap()))
}

/// A message in a channel; of nobody it is the familiar's.
fn heard(id: i64, channel: u64, by: Option<Author>, audience: Audience, words: &str) -> HeardMessage {
    HeardMessage {
        channel: ChannelId::from(channel),
        channel_name: None,
        turn: StoredTurn {
            id: StoredId(id),
            ordinal: id.unsigned_abs(),
            role: if by.is_none() { Role::Assistant } else { Role::User },
            author: by,
            audience,
            content: words.to_owned(),
            at: moment(id * 60),
            mode: ChannelMode::TextConversationRp,
            message: None,
            reply_to: None,
            turn: None,
            tokens: 0,
        },
        answers: None,
        stances: Vec::new(),
    }
}

fn said(heard: HeardMessage) -> Event {
    Event::Turn(Told::Stands(Box::new(heard)))
}

fn unsaid(id: i64) -> Event {
    Event::Turn(Told::Gone(StoredId(id)))
}
