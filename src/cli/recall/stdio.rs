//! `familiar recall --stdio`: conversations in, questions in, finds out, one JSON object a line.
//!
//! What is told is stored as the program stores what it hears, in a folder that is gone at the end, and looked up as a
//! prompt looks it up. A conversation is a private channel, so what is found in one can never come from another.

use std::collections::{HashMap, HashSet};
use std::io::{BufRead as _, Read as _};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;
use tokio::sync::mpsc;

use super::pack;
use super::protocol::{BrokenLine, LINE_MAX, Message, ProtocolLine, RecallAnswer, RecallQuestion};
use crate::cli::report;
use crate::context::recall::{
    Circumstances, ConversationSource, Meaning, Pace, RERANKED, RankedTurn, RecallQuery, RecallSource as _,
};
use crate::domain::{
    AccountId, Audience, Author, ChannelId, ChannelMode, MessageId, Place, PlaceKind, Platform, StoredId,
    TokenEncoding,
};
use crate::embedding::{Embeddings, Reranking};
use crate::history::{History, HistoryOptions, NewTurn, Visible};
use crate::text::tokens;

/// Messages stored in one transaction at most.
const BATCH: usize = 4_096;

/// Lines read ahead of the store.
const LINES_AHEAD: usize = 4_096;

/// What budgets are counted in (memory 2.2).
const ENCODING: TokenEncoding = TokenEncoding::Cl100k;

/// Reads standard input to its end.
///
/// # Errors
/// When the temporary store cannot be made or written, or standard output cannot be written to.
pub(super) async fn serve(
    embeddings: Option<Embeddings>,
    reranking: Option<Reranking>,
) -> anyhow::Result<ExitCode> {
    let folder = tempfile::tempdir()?;
    let history = History::open(&folder.path().join("history.db"), HistoryOptions::default()).await?;
    let meaning = embeddings.map(|embeddings| {
        Arc::new(Meaning::new(embeddings, folder.path().join("embeddings.sqlite")).patient())
    });
    let mut desk = RecallDesk { reranking, ..RecallDesk::over(Arc::new(history), meaning) };
    let (tell, mut lines) = mpsc::channel(LINES_AHEAD);
    // Not awaited: where standard input stays open behind a broken output, nobody could wake it.
    tokio::task::spawn_blocking(move || read_numbered_lines(&tell));
    while let Some((number, line)) = lines.recv().await {
        let answered = match line {
            Ok(ProtocolLine::Ingest(message)) => {
                desk.take(message).await?;
                continue;
            }
            Ok(ProtocolLine::Ready) => {
                desk.store().await?;
                desk.source.warm_up().await;
                desk.read_by_model().await?;
                serde_json::to_string(&RecallAnswer::Ready { ok: true })?
            }
            Ok(ProtocolLine::Query(question)) => {
                desk.store().await?;
                desk.read_by_model().await?;
                desk.answer(&question).await?
            }
            Err(BrokenLine { reason, qid }) => serde_json::to_string(&RecallAnswer::Error {
                error: reason,
                line: number,
                qid: qid.as_ref(),
            })?,
        };
        report::write_line(&answered)?;
    }
    desk.history.close().await?;
    Ok(ExitCode::SUCCESS)
}

type Numbered = (u64, Result<ProtocolLine, BrokenLine>);

/// Ends with standard input, or when nobody listens any more.
fn read_numbered_lines(tell: &mpsc::Sender<Numbered>) {
    let mut input = std::io::stdin().lock();
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        match input.by_ref().take(LINE_MAX as u64 + 1).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let is_whole = line.ends_with(b"\n") || line.len() <= LINE_MAX;
        if is_whole && line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let read = if is_whole {
            ProtocolLine::read(&line)
        } else {
            if input.skip_until(b'\n').is_err() {
                return;
            }
            Err(BrokenLine { reason: format!("the line is longer than {LINE_MAX} bytes"), qid: None })
        };
        if tell.blocking_send((number, read)).is_err() {
            return;
        }
    }
}

struct StoredMessage {
    /// Its name in answers.
    id: Value,
    /// What it costs in a prompt, in tokens; counted when first asked for.
    cost: Option<u32>,
    /// The line it costs.
    line: String,
}

/// The store, and what the asker calls things.
struct RecallDesk {
    history: Arc<History>,
    source: ConversationSource,
    meaning: Option<Arc<Meaning>>,
    reranking: Option<Reranking>,
    /// Told and not yet stored, with what they are called.
    waiting: Vec<(NewTurn, StoredMessage)>,
    known: HashMap<StoredId, StoredMessage>,
    /// Conversation and id of everything told; what is told twice is taken once.
    told: HashSet<(String, String)>,
    channels: HashMap<String, Place>,
    speakers: HashMap<String, Author>,
}

impl RecallDesk {
    fn over(history: Arc<History>, meaning: Option<Arc<Meaning>>) -> Self {
        Self {
            source: ConversationSource::new(Arc::clone(&history), meaning.clone()),
            history,
            meaning,
            reranking: None,
            waiting: Vec::new(),
            known: HashMap::new(),
            told: HashSet::new(),
            channels: HashMap::new(),
            speakers: HashMap::new(),
        }
    }

    async fn take(&mut self, message: Message) -> anyhow::Result<()> {
        if !self.told.insert((message.conversation.clone(), message.id.to_string())) {
            return Ok(());
        }
        let place = self.place(&message.conversation)?;
        let author = self.author(&message.speaker)?;
        let day = TimeZone::UTC.to_datetime(message.at).date();
        let known = StoredMessage {
            id: message.id,
            cost: None,
            line: format!("[{day}] {}: {}", message.speaker, message.text),
        };
        let number = u64::try_from(self.told.len())?;
        let turn = NewTurn {
            messages: vec![MessageId::from(number)],
            ..NewTurn::written(place, Some(author), message.text, message.at, ChannelMode::TextConversationRp)
        };
        self.waiting.push((turn, known));
        if self.waiting.len() >= BATCH {
            self.store().await?;
        }
        Ok(())
    }

    async fn store(&mut self) -> anyhow::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let (turns, known): (Vec<_>, Vec<_>) = std::mem::take(&mut self.waiting).into_iter().unzip();
        let ids = self.history.store_all(turns).await?;
        self.known.extend(ids.into_iter().zip(known));
        Ok(())
    }

    /// Lets the model read what was stored, where there is one.
    async fn read_by_model(&self) -> anyhow::Result<()> {
        if let Some(meaning) = &self.meaning {
            meaning.catch_up(&self.history, Pace::Full).await?;
        }
        Ok(())
    }

    /// A private channel of its own for every conversation.
    fn place(&mut self, conversation: &str) -> anyhow::Result<Place> {
        if let Some(known) = self.channels.get(conversation) {
            return Ok(known.clone());
        }
        let channel = ChannelId::from(u64::try_from(self.channels.len())? + 1);
        let place =
            Place::new(Platform::Discord, channel.clone(), PlaceKind::GuildText, Audience::Private(channel));
        self.channels.insert(conversation.to_owned(), place.clone());
        Ok(place)
    }

    fn author(&mut self, speaker: &str) -> anyhow::Result<Author> {
        if let Some(known) = self.speakers.get(speaker) {
            return Ok(known.clone());
        }
        let author = Author::called(AccountId::discord(u64::try_from(self.speakers.len())? + 1), speaker);
        self.speakers.insert(speaker.to_owned(), author.clone());
        Ok(author)
    }

    async fn answer(&mut self, question: &RecallQuestion) -> anyhow::Result<String> {
        let ranked = match self.channels.get(&question.conversation) {
            Some(place) => {
                let visible = Visible::at(place);
                let query = RecallQuery::new(&question.text, circumstances(question));
                let ranked = self.source.ranked(&query, &visible).await?;
                self.reranked(&question.text, ranked).await?
            }
            // Nothing was ever said there.
            None => Vec::new(),
        };
        let why = question.why.then(|| ranked.iter().map(signals).collect());
        let ranked: Vec<StoredId> = ranked.into_iter().map(|one| one.turn).collect();
        let mut packs = serde_json::Map::new();
        for budget in &question.budgets {
            let pack = pack::fitting(&ranked, *budget, |turn| self.cost(turn));
            let names = pack.iter().filter_map(|turn| Some(self.known.get(turn)?.id.clone())).collect();
            packs.insert(budget.to_string(), names);
        }
        let ranked = ranked.iter().filter_map(|turn| Some(&self.known.get(turn)?.id)).collect();
        Ok(serde_json::to_string(&RecallAnswer::Found { qid: &question.id, ranked, packs, why })?)
    }

    /// The best in the order in which a second model puts them, where there is one.
    async fn reranked(&self, question: &str, ranked: Vec<RankedTurn>) -> anyhow::Result<Vec<RankedTurn>> {
        let Some(reranking) = &self.reranking else { return Ok(ranked) };
        let (head, others) = ranked.split_at(ranked.len().min(RERANKED));
        let line =
            |one: &RankedTurn| self.known.get(&one.turn).map_or_else(String::new, |known| known.line.clone());
        let texts = head.iter().map(line).collect();
        let scores = reranking.judge(question.to_owned(), texts, Duration::MAX).await?;
        let mut judged: Vec<(f32, &RankedTurn)> = scores.into_iter().zip(head).collect();
        judged.sort_by(|a, b| b.0.total_cmp(&a.0));
        Ok(judged.into_iter().map(|(_, one)| one).chain(others).copied().collect())
    }

    /// What quoting a turn costs, in tokens; one more than its line for the line's end.
    fn cost(&mut self, turn: StoredId) -> u32 {
        let Some(known) = self.known.get_mut(&turn) else { return u32::MAX };
        let line = &known.line;
        *known.cost.get_or_insert_with(|| tokens::count(ENCODING, line).saturating_add(1))
    }
}

/// The signals that speak for a turn, by name, and how likely it is meant.
fn signals(one: &RankedTurn) -> serde_json::Map<String, Value> {
    let signals = one.why().map(|(name, value, _)| (name.to_owned(), value.into()));
    signals.chain([("likelihood".to_owned(), one.likelihood.into())]).collect()
}

fn circumstances(question: &RecallQuestion) -> Circumstances {
    Circumstances::alone(question.at.unwrap_or_else(Timestamp::now), question.most)
}
