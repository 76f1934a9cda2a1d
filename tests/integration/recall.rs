//! Looking things up, over a real history and real notes: what is found, how well, and by whom never.

mod acquaintance;
mod chat;
mod doors;
mod every_request;
mod exchanges;
mod leaks;
mod locomo;
mod long;
mod meaning;
mod on_stage;
mod worlds;

use std::sync::Arc;

use familiar_connect::config::{FamiliarHome, RecallMethod};
use familiar_connect::context::recall::{
    Circumstances, ConversationSource, GraphSource, Meaning, NotesSource, Pace, Recall, RecallQuery,
    RecallSource, Recalled,
};
use familiar_connect::domain::*;
use familiar_connect::embedding::{Embedder, Embeddings};
use familiar_connect::graph::Graph;
use familiar_connect::history::{History, HistoryOptions, NewTurn, Visible};
use familiar_connect::memory::Memory;
use jiff::Timestamp;
use tempfile::TempDir;

use crate::support::stage::said_at;

/// A familiar's stores, without the familiar.
struct Archive {
    history: Arc<History>,
    home: FamiliarHome,
    conversations: Arc<ConversationSource>,
    recall: Recall,
    meaning: Option<Arc<Meaning>>,
    next: u64,
    _folder: TempDir,
}

const NOW: &str = "2026-03-18T15:30:00Z";

fn now() -> Timestamp {
    NOW.parse().unwrap()
}

impl Archive {
    async fn new() -> Self {
        Self::with(None).await
    }

    /// One that has an embedding model.
    async fn with_model(model: impl Embedder + 'static) -> Self {
        Self::with(Some(Embeddings::with(Arc::new(model), 1))).await
    }

    /// Lets the model read what was said; gives how many turns that were.
    async fn read_by_model(&self) -> u64 {
        self.meaning.as_ref().unwrap().catch_up(&self.history, Pace::Full).await.unwrap()
    }

    /// How many messages were read once more, and how many of them mean something else.
    async fn compared(&self, most: usize) -> (usize, usize) {
        let (compared, differing) =
            self.meaning.as_ref().unwrap().compare(&self.history, most).await.unwrap();
        (compared, differing.len())
    }

    async fn with(embeddings: Option<Embeddings>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = FamiliarHome::new(folder.path(), &FamiliarId::new("mika").unwrap());
        std::fs::create_dir_all(home.memory_dir().join("people")).unwrap();
        let options = HistoryOptions::new([TokenEncoding::CharsOver4]);
        let history = Arc::new(History::open(&home.history_db(), options).await.unwrap());
        let memory = Arc::new(Memory::at(&home));
        let meaning =
            embeddings.map(|embeddings| Arc::new(Meaning::new(embeddings, home.embeddings_db()).patient()));
        let conversations = Arc::new(ConversationSource::new(Arc::clone(&history), meaning.clone()));
        let sources: Vec<Arc<dyn RecallSource>> = vec![
            Arc::clone(&conversations) as Arc<dyn RecallSource>,
            Arc::new(NotesSource { memory: Arc::clone(&memory) }),
            Arc::new(GraphSource { graph: Arc::new(Graph::over(Arc::clone(&history), memory)) }),
        ];
        let recall = Recall::over(sources, std::time::Duration::from_secs(60));
        Self { history, home, conversations, recall, meaning, next: 1, _folder: folder }
    }

    fn note(&self, slug: &str, text: &str) {
        std::fs::write(self.home.memory_dir().join("people").join(format!("{slug}.md")), text).unwrap();
    }

    /// Somebody says something; the message's id is returned.
    async fn says(&mut self, place: &Place, who: &str, text: &str, at: &str) -> MessageId {
        self.says_to(place, who, text, at.parse().unwrap(), None).await
    }

    async fn says_to(
        &mut self,
        place: &Place,
        who: &str,
        text: &str,
        at: Timestamp,
        reply_to: Option<MessageId>,
    ) -> MessageId {
        let message = MessageId::from(self.next);
        self.next += 1;
        let turn = NewTurn { reply_to, ..said_at(place, who, text, at, message.clone()) };
        self.history.append(turn).await.unwrap();
        message
    }

    async fn ask(&self, question: &str, place: &Place) -> Recalled {
        self.ask_by(question, place, RecallMethod::Fused).await
    }

    async fn ask_by(&self, question: &str, place: &Place, method: RecallMethod) -> Recalled {
        self.recall.run(&query(question, method), &seer(place), 8).await
    }
}

fn query(question: &str, method: RecallMethod) -> RecallQuery {
    RecallQuery::new(question, Circumstances { method, least: 0.25, ..Circumstances::alone(now(), 5) })
}

fn seer(place: &Place) -> Visible {
    let guild = place.guild.clone().map(Audience::Guild);
    Visible::only([Audience::Canon, place.audience.clone()].into_iter().chain(guild))
}

/// Every word that came back.
fn words(recalled: &Recalled) -> String {
    recalled.found.iter().flat_map(|found| &found.lines).map(|line| format!("{}\n", line.text)).collect()
}
