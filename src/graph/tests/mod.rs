use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;
use tempfile::TempDir;

use super::*;
use crate::config::FamiliarHome;
use crate::domain::{
    AccountId, Audience, Author, ChannelId, ChannelMode, GuildId, MessageId, Modality, Paired, Place,
    PlaceKind, Platform, Role, StoredId, Visible,
};
use crate::history::{HistoryOptions, NewTurn};

mod answers;
mod folding;
mod leaks;
mod logging;

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

    async fn logged(&self) -> Graph {
        let graph = Graph::over(Arc::clone(&self.history), Arc::new(Memory::at(&self.home)));
        graph.keep_log().await;
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
            place: at.clone(),
            role: if who == 0 { Role::Assistant } else { Role::User },
            author: (who > 0).then(|| author(who)),
            content: text.to_owned(),
            at: Timestamp::from_second(START + second).unwrap(),
            mode: ChannelMode::TextConversationRp,
            messages: vec![message],
            reply_to: answers.map(|second| MessageId::from(second + 1)),
            turn: None,
            modality: Modality::Text,
        };
        self.history.store_all(vec![turn]).await.unwrap()[0]
    }
}

const NAMES: [&str; 5] = ["Mika", "Ana", "Ben", "Cleo", "Dan"];

fn author(who: u64) -> Author {
    Author {
        account: AccountId::discord(who),
        display_name: Some(NAMES[usize::try_from(who).unwrap()].to_owned()),
        username: None,
        is_bot: false,
    }
}

fn person(who: u64) -> NodeId {
    NodeId::person(&AccountId::discord(who))
}

fn guild(number: u64) -> Audience {
    Audience::Guild(GuildId::from(number))
}

fn place(channel: u64, audience: Audience) -> Place {
    Place {
        platform: Platform::Discord,
        channel: ChannelId::from(channel),
        parent: None,
        guild: Some(GuildId::from(7)),
        kind: PlaceKind::GuildText,
        channel_name: Some(format!("#c{channel}")),
        guild_name: None,
        audience,
        sees: Vec::new(),
        paired: Paired::default(),
    }
}

fn here() -> Lens {
    Lens::of(Visible::only([Audience::Canon, guild(7)]))
}

fn moment(second: i64) -> Timestamp {
    Timestamp::from_second(START + second).unwrap()
}
