//! The engines as the settings have them now.

use std::sync::Arc;

use parking_lot::Mutex;

use super::KnownVoice;
use super::end_of_turn::EndOfTurn;
use super::engines::{EngineParts, Engines, TranscriptionHints, from_config};
use super::voice_message;
use crate::config::{LiveConfig, Secrets, SttConfig, TtsConfig};
use crate::domain::AccountId;
use crate::llm::UsageLedger;

/// Chooses engines, for calls and for whoever else speaks. Where their settings have changed since they were asked for last,
/// they are chosen anew; else they are the same, so that a person's hour, a failure and how fast a voice is are not forgotten
/// with a call.
#[derive(Debug)]
pub struct SpeechEngines {
    config: Arc<LiveConfig>,
    secrets: Secrets,
    /// Where use and cost are written down.
    ledger: Arc<UsageLedger>,
    chosen: Mutex<Option<ChosenEngines>>,
}

/// Engines, and what they were chosen by.
#[derive(Debug, Clone)]
pub struct ChosenEngines {
    by: (SttConfig, TtsConfig, Option<String>),
    pub engines: Engines,
    pub known: KnownVoice,
    pub end_of_turn: EndOfTurn,
}

impl SpeechEngines {
    /// Nothing is chosen until somebody asks.
    pub fn new(config: Arc<LiveConfig>, secrets: Secrets, ledger: Arc<UsageLedger>) -> Self {
        Self { config, secrets, ledger, chosen: Mutex::default() }
    }

    /// Those that are used now. Nothing is connected yet.
    pub fn chosen(&self) -> ChosenEngines {
        let config = self.config.current();
        let by = (config.stt.clone(), config.tts.clone(), config.llm.base_url.clone());
        let mut chosen = self.chosen.lock();
        if chosen.take_if(|chosen| chosen.by != by).is_some() {
            tracing::debug!("the engines of calls are chosen anew");
        }
        let parts = EngineParts { ledger: Some(&self.ledger), ..EngineParts::of(&config, &self.secrets) };
        let chosen = chosen.get_or_insert_with(|| ChosenEngines {
            by,
            engines: from_config(parts).with_failover(),
            known: KnownVoice::default(),
            end_of_turn: config.stt.end_of_turn_model.clone().map(EndOfTurn::reading).unwrap_or_default(),
        });
        chosen.clone()
    }

    /// Whether anything hears now.
    pub fn hears(&self) -> bool {
        self.chosen().engines.stt.is_some()
    }

    /// What somebody says in the bytes of their voice message.
    ///
    /// # Errors
    /// In words for the model, when that could not be made out.
    pub async fn words_of(self: Arc<Self>, (message, who): (Vec<u8>, AccountId)) -> Result<String, String> {
        let engine = self.chosen().engines.stt.ok_or("nothing that hears is set up here")?;
        let hints = TranscriptionHints { speaker: Some(who), ..TranscriptionHints::default() };
        voice_message::hear(engine.as_ref(), message, &hints).await.map_err(|error| error.to_string())
    }
}
