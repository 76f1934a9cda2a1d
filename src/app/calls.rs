//! Holding calls: each one that an adapter joins gets ears, a voice and a place among the conversations. And hearing what was
//! spoken into a file.

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use rand::seq::IndexedRandom as _;
use secrecy::SecretString;

use super::App;
use super::shutdown::ModelVitals;
use crate::clock::SharedClock;
use crate::config::{Config, LiveConfig, Secrets, SttConfig, TtsConfig};
use crate::discord::{CallDeps, CallHost, DiscordDeps, DiscordOutbox, Recogniser};
use crate::documents::HearsVoiceMessages;
use crate::domain::{AccountId, Place, Platform};
use crate::llm::{SpeechUsage, UsageLedger};
use crate::session::SessionHandle;
use crate::voice::end_of_turn::EndOfTurn;
use crate::voice::engines::{
    EngineParts, Engines, OWN_SERVER, SpeechLedger, SpeechUse, Spoken, TranscriptionHints, from_config,
};
use crate::voice::voice_message;
use crate::voice::{Call, CallParts, CallPort, KnownVoice};

/// What it says on joining where the settings name nothing (specs familiar-connect 1.10).
const GREETING: &str = "Hello!";

/// Holds the calls of a familiar.
#[derive(Debug)]
pub struct Calls {
    session: SessionHandle,
    config: Arc<LiveConfig>,
    clock: SharedClock,
    engines: Arc<SpeechEngines>,
}

/// The engines of a familiar. Where their settings have changed since they were last used, they are chosen anew; else they are
/// the same, so that a person's hour, a failure and how fast a voice is are not forgotten with a call.
#[derive(Debug)]
pub struct SpeechEngines {
    config: Arc<LiveConfig>,
    ledger: Arc<UsageLedger>,
    secrets: Secrets,
    chosen: Mutex<Option<ChosenEngines>>,
}

/// Engines, and what they were chosen by.
#[derive(Debug, Clone)]
struct ChosenEngines {
    by: (SttConfig, TtsConfig, Option<String>),
    engines: Engines,
    known: KnownVoice,
    end_of_turn: EndOfTurn,
}

impl Calls {
    /// For the conversations of `app`.
    pub fn of(app: &App) -> Self {
        Self {
            session: app.session.clone(),
            config: Arc::clone(&app.config),
            clock: Arc::clone(&app.clock),
            engines: Arc::clone(&app.engines),
        }
    }

    fn greeting(&self) -> String {
        let config = self.config.current();
        let greeting = config.tts.greetings.choose(&mut rand::rng()).map_or(GREETING, String::as_str);
        format!("{greeting} {}", config.call.joining_notice).trim().to_owned()
    }
}

impl SpeechEngines {
    /// Those that the settings ask for, by these keys; what they cost is written down in `ledger`.
    pub fn new(config: Arc<LiveConfig>, secrets: Secrets, ledger: Arc<UsageLedger>) -> Self {
        Self { config, ledger, secrets, chosen: Mutex::default() }
    }

    fn chosen(&self) -> ChosenEngines {
        let config = self.config.current();
        let by = (config.stt.clone(), config.tts.clone(), config.llm.base_url.clone());
        let mut chosen = self.chosen.lock();
        if chosen.take_if(|chosen| chosen.by != by).is_some() {
            tracing::debug!("the engines of calls are chosen anew");
        }
        let chosen = chosen.get_or_insert_with(|| ChosenEngines {
            by,
            engines: self.choose(&config).with_failover(),
            known: KnownVoice::default(),
            end_of_turn: config.stt.end_of_turn_model.clone().map(EndOfTurn::reading).unwrap_or_default(),
        });
        chosen.clone()
    }

    fn choose(&self, config: &Config) -> Engines {
        let ledger: Arc<dyn SpeechLedger> = Arc::<UsageLedger>::clone(&self.ledger);
        from_config(EngineParts { ledger: Some(&ledger), ..EngineParts::of(config, &self.secrets) })
    }
}

#[async_trait]
impl HearsVoiceMessages for SpeechEngines {
    fn hears(&self) -> bool {
        self.chosen().engines.stt.is_some()
    }

    async fn words_of(&self, message: Vec<u8>, who: &AccountId) -> Result<String, String> {
        let engine = self.chosen().engines.stt.ok_or("nothing that hears is set up here")?;
        let hints = TranscriptionHints { speaker: Some(who.clone()), ..TranscriptionHints::default() };
        voice_message::hear(engine.as_ref(), message, &hints).await.map_err(|error| error.to_string())
    }
}

impl CallHost for Calls {
    fn recogniser(&self) -> Option<Recogniser> {
        self.engines.chosen().engines.stt.map(|stt| Recogniser {
            name: Some(stt.name().to_owned()).filter(|name| name != OWN_SERVER),
            is_here: stt.is_here(),
        })
    }

    fn begins(&self, place: Place, port: CallPort) {
        let ChosenEngines { engines, known, end_of_turn, .. } = self.engines.chosen();
        for why in &engines.why_not {
            tracing::warn!(channel = %place.channel, "in this call: {why}");
        }
        let parts = CallParts {
            session: self.session.clone(),
            config: Arc::clone(&self.config),
            clock: Arc::clone(&self.clock),
            place: place.clone(),
            transcriber: engines.stt,
            synthesizer: engines.tts,
            known,
            end_of_turn,
            why_not: [Spoken::Heard, Spoken::Said].map(|spoken| {
                let why = engines.why_not.iter().find(|why| why.spoken == spoken);
                why.map(|why| why.reason.clone())
            }),
            greeting: Some(self.greeting()),
            seed: rand::random(),
        };
        let call = Call::start(port, parts);
        tokio::spawn(async move {
            let figures = call.ended().await;
            tracing::info!(channel = %place.channel, ?figures, "a call is over");
        });
    }
}

impl App {
    /// Lets replies go out to Discord, and gives what the connection works with. `host` holds its calls.
    pub fn connect_discord(
        &self,
        token: SecretString,
        secrets: &Secrets,
        host: Arc<dyn CallHost>,
    ) -> DiscordDeps {
        let link = self.discord.clone();
        let outbox = DiscordOutbox::new(link.clone());
        self.session.connect(Platform::Discord, Arc::new(outbox));
        DiscordDeps {
            token,
            api_base: secrets.discord_api_base.clone(),
            link,
            session: Arc::new(self.session.clone()),
            config: Arc::clone(&self.config),
            traces: Arc::clone(&self.traces),
            character: Arc::clone(&self.character),
            pairing: Arc::clone(&self.pairing),
            world: Arc::clone(&self.world),
            memory: Arc::clone(&self.memory),
            eraser: Arc::clone(&self.eraser),
            vitals: Arc::new(ModelVitals(Arc::clone(&self.models))),
            calls: Some(CallDeps { host, times: None }),
        }
    }
}

impl SpeechLedger for UsageLedger {
    fn spent_today_usd(&self, spoken: Spoken) -> f64 {
        let speech = self.today().speech;
        match spoken {
            Spoken::Heard => speech.heard_usd,
            Spoken::Said => speech.said_usd,
        }
    }

    fn record(&self, entry: &SpeechUse) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of characters")]
        let used = match entry.spoken {
            Spoken::Heard => SpeechUsage {
                heard_seconds: entry.amount,
                heard_usd: entry.cost_usd,
                ..SpeechUsage::default()
            },
            Spoken::Said => SpeechUsage {
                said_characters: entry.amount.max(0.0) as u64,
                said_usd: entry.cost_usd,
                ..SpeechUsage::default()
            },
        };
        self.record_speech(&used);
    }
}
