//! Holding calls: each one that an adapter joins gets ears, a voice and a place among the conversations.

use std::sync::Arc;

use rand::seq::IndexedRandom as _;
use secrecy::SecretString;

use super::App;
use crate::clock::SharedClock;
use crate::config::{LiveConfig, Secrets};
use crate::discord::{CallDeps, CallHost, DiscordDeps, DiscordOutbox, Recogniser};
use crate::domain::{Place, Platform};
use crate::session::SessionHandle;
use crate::voice::engines::{OWN_SERVER, Spoken};
use crate::voice::{Call, CallParts, CallPort, CallsNow, ChosenEngines, SpeechEngines};

/// What it says on joining where the settings name nothing (familiar-connect 1.10).
const GREETING: &str = "Hello!";

/// Holds the calls of a familiar.
#[derive(Debug)]
pub struct SessionCalls {
    session: SessionHandle,
    config: Arc<LiveConfig>,
    clock: SharedClock,
    engines: Arc<SpeechEngines>,
    now: Arc<CallsNow>,
}

impl SessionCalls {
    /// For the conversations of `app`.
    pub fn of(app: &App) -> Self {
        Self {
            session: app.session.clone(),
            config: Arc::clone(&app.config),
            clock: Arc::clone(&app.clock),
            engines: Arc::clone(&app.engines),
            now: Arc::clone(&app.calls),
        }
    }

    fn greeting(&self) -> String {
        let config = self.config.current();
        let greeting = config.tts.greetings.choose(&mut rand::rng()).map_or(GREETING, String::as_str);
        format!("{greeting} {}", config.call.joining_notice).trim().to_owned()
    }
}

impl CallHost for SessionCalls {
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
            now: Arc::clone(&self.now),
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
            models: Arc::clone(&self.models),
            calls: Some(CallDeps { host, times: None }),
        }
    }
}
