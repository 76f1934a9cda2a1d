//! A familiar that is about to answer: the bundled example with the program's own pipeline, over a history and notes on
//! the disk.

use std::fs;
use std::sync::Arc;

use familiar_connect::cli::bundled;
use familiar_connect::config::{ChannelConfig, Defaults, FamiliarHome, LiveConfig};
use familiar_connect::context::recall::{Meaning, Pace};
use familiar_connect::context::{ContextPipeline, Heard, HeardBy, PipelineParts, TurnOpening, TurnRequest};
use familiar_connect::domain::{
    ProviderOutcome, ProviderStatus, Role, StoredId, StoredTurn, TokenEncoding, TurnId,
};
use familiar_connect::embedding::{Embeddings, TextModel};
use familiar_connect::familiar::LiveCharacter;
use familiar_connect::history::{History, HistoryOptions, RecentQuery, Visible};
use familiar_connect::llm::ModelDescription;
use familiar_connect::memory::Memory;
use familiar_connect::text::tokens;
use jiff::tz::TimeZone;
use tempfile::TempDir;

use crate::chat::message;
use crate::{corpus, notes as people};

const NAMES: [&str; 1] = ["Pell"];

/// What waits for an answer at the end of a history.
pub async fn pending(history: &History) -> Vec<StoredTurn> {
    let here = Visible::at(&corpus::place());
    let encoding = TokenEncoding::Estimate;
    let query = RecentQuery { mode: None, max_turns: 200, until: None, encoding };
    let recent = history.seen_by(&here).recent(&corpus::place().channel, query).await.unwrap();
    let answered = recent.iter().rposition(|turn| turn.role == Role::Assistant).map_or(0, |last| last + 1);
    recent[answered..].to_vec()
}

pub struct Rig {
    pub turns: u64,
    pub pipeline: ContextPipeline,
    /// What waits for an answer in the stored conversation.
    pub request: TurnRequest,
    _folder: TempDir,
}

impl Rig {
    pub async fn new(turns: u64, notes: u64, settings: &str, encoding: TokenEncoding) -> Self {
        Self::with(turns, notes, settings, encoding, HistoryOptions::new(corpus::ENCODINGS)).await
    }

    /// The same, with a history that is opened in a way of its own.
    pub async fn with(
        turns: u64,
        notes: u64,
        settings: &str,
        encoding: TokenEncoding,
        options: HistoryOptions,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let installed = bundled::FIRST.install(folder.path()).unwrap();
        let home = FamiliarHome::new(folder.path(), &installed.id);
        fs::write(home.character_toml(), settings).unwrap();
        corpus::put_history(turns, &home).await;
        people::put(notes, &home);

        let config = LiveConfig::load(home.clone(), Defaults::embedded()).unwrap();
        let character = Arc::new(LiveCharacter::load(home.clone()).unwrap());
        let history = Arc::new(History::open(&home.history_db(), options).await.unwrap());
        tokens::warm(encoding);
        let pending = pending(&history).await;
        let opening = Opening {
            turns,
            channel: config.channel(&corpus::place().channel),
            display_tz: config.current().display_tz.clone(),
            model: ModelDescription::plain("bench", 128_000, encoding),
        };
        let newest = pending.last().unwrap().content.clone();
        let request = opening.asks(&newest, pending);
        let memory = Arc::new(Memory::at(&home));
        let meaning = config.current().memory.embeddings.folder.as_ref().map(|folder| {
            let model = TextModel::open(folder).unwrap();
            Arc::new(Meaning::new(Embeddings::with(Arc::new(model), 1), home.embeddings_db()))
        });
        if let Some(meaning) = &meaning {
            meaning.catch_up(&history, Pace::Full).await.unwrap();
        }
        let reranking = None;
        let parts = PipelineParts { character, config, history, memory, meaning, reranking };
        let pipeline = ContextPipeline::standard(parts);
        Self { turns, pipeline, request, _folder: folder }
    }

    /// What a turn that answers `text` asks of the pipeline: judged and planned as the session does it.
    pub fn asking(&self, text: &str) -> TurnRequest {
        let TurnRequest { channel, display_tz, model, .. } = self.request.clone();
        let opening = Opening { turns: self.turns, channel, display_tz, model };
        let asked = StoredTurn {
            id: StoredId(i64::try_from(self.turns).unwrap() + 1),
            ordinal: self.turns + 1,
            role: Role::User,
            content: text.to_owned(),
            at: self.request.now,
            message: None,
            reply_to: None,
            turn: None,
            tokens: tokens::count(self.request.model.encoding, text),
            ..self.request.pending[0].clone()
        };
        opening.asks(text, vec![asked])
    }
}

/// What is the same of every turn of a rig.
struct Opening {
    turns: u64,
    channel: Arc<ChannelConfig>,
    display_tz: TimeZone,
    model: ModelDescription,
}

impl Opening {
    fn asks(self, text: &str, pending: Vec<StoredTurn>) -> TurnRequest {
        let (names, speakers) = (NAMES.map(str::to_owned), corpus::PEOPLE.map(str::to_owned));
        let said = Heard::said(text, HeardBy::Addressed, self.channel.mode);
        let opening = TurnOpening {
            turn: TurnId(self.turns),
            place: corpus::place(),
            heard: Heard { names: &names, speakers: &speakers, ..said },
            channel: self.channel,
            may_pass: false,
            author: pending.last().and_then(|turn| turn.author.clone()),
            pending,
            now: corpus::said_at(self.turns + 1),
            display_tz: self.display_tz,
            world: Arc::default(),
        };
        opening.judged(self.model)
    }
}

/// Whether a provider was not done in time. One that says at once what time it is is never without an answer.
pub fn is_late(outcome: &ProviderOutcome) -> bool {
    match outcome.status {
        ProviderStatus::Late => true,
        ProviderStatus::Partly { .. } => outcome.provider == "live",
        _ => false,
    }
}

/// A turn at `effort`, judged as the program does it.
pub fn request(rig: &Rig, effort: u8, template: &str, round: u64) -> TurnRequest {
    let request = rig.asking(&message(template, round));
    assert_eq!(request.plan.intent.effort.level(), effort, "{}", request.utterance());
    request
}
