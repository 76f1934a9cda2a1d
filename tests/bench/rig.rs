//! A familiar that is about to answer: the bundled example in the real session, over a history and notes on the disk.

use std::sync::Arc;

use familiar_connect::context::TurnRequest;
use familiar_connect::context::recall::Pace;
use familiar_connect::domain::{StoredId, StoredTurn, TokenEncoding, TurnId};
use familiar_connect::history::{History, HistoryOptions, RecentQuery, Visible};
use familiar_connect::text::tokens;

use crate::chat::{installed, message};
use crate::corpus::Shortener;
use crate::stage::Stage;
use crate::{corpus, notes as people};

/// What was said last, at the end of a history.
pub async fn recent(history: &History) -> Vec<StoredTurn> {
    let here = Visible::at(&corpus::place());
    let encoding = TokenEncoding::Estimate;
    let query = RecentQuery { mode: None, max_turns: 200, until: None, encoding };
    history.seen_by(&here).recent(&corpus::place().channel, query).await.unwrap()
}

pub struct Rig {
    pub stage: Stage,
    turns: u64,
    encoding: TokenEncoding,
    /// What was said last in the stored conversation.
    recent: Vec<StoredTurn>,
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
        let (folder, home) = installed(settings);
        corpus::put_history(turns, &home).await;
        people::put(notes, &home);
        tokens::warm(encoding);
        let (now, models) = (corpus::said_at(turns + 1), Arc::new(Shortener { encoding }));
        let stage = Stage::over(Arc::new(folder), now, models, options).await;
        if let Some(meaning) = &stage.meaning {
            meaning.catch_up(&stage.history, Pace::Full).await.unwrap();
        }
        let recent = recent(&stage.history).await;
        Self { stage, turns, encoding, recent }
    }

    /// What a turn that answers `text` asks of the pipeline, as the session opens it.
    pub fn asking(&self, text: &str) -> TurnRequest {
        let last = self.recent.last().unwrap();
        let asked = StoredTurn {
            id: StoredId(last.id.0 + 1),
            ordinal: last.ordinal + 1,
            content: text.to_owned(),
            at: self.stage.clock_now(),
            message: None,
            reply_to: None,
            tokens: tokens::count(self.encoding, text),
            ..last.clone()
        };
        let said = [self.recent.as_slice(), &[asked]].concat();
        self.stage.session.request_for(TurnId(self.turns), &corpus::place(), &said, 1).unwrap()
    }
}

/// A turn at `effort`, judged as the program does it.
pub fn request(rig: &Rig, effort: u8, template: &str, round: u64) -> TurnRequest {
    let request = rig.asking(&message(template, round));
    assert_eq!(request.plan.intent.effort.level(), effort, "{}", request.utterance());
    request
}
