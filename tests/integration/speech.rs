//! The speech engines against services that speak their real wire formats, faults included.

use std::sync::Arc;
use std::time::Duration;

use familiar_connect::config::{
    Defaults, FamiliarHome, LiveConfig, Secrets, SttConfig, SttProvider, TtsConfig, TtsProvider,
};
use familiar_connect::domain::FamiliarId;
use familiar_connect::voice::engines::{
    EngineError, EngineParts, Engines, Phrase, Speech, SpeechEvent, SpokenWord, Transcriber, from_config,
};
use secrecy::SecretString;

use crate::support::speech::{PATIENCE, SpeechWorld};
use crate::support::time::{NEVER, gives_up};

mod choice;
mod hearing;
mod programs;
mod speaking;
mod terminal;
mod voice_messages;

/// Settings and keys of one test; engines come out of them as they do in the program.
struct Set {
    stt: SttConfig,
    tts: TtsConfig,
    secrets: Secrets,
    llm: Option<String>,
}

fn secret(text: &str) -> Option<SecretString> {
    Some(SecretString::from(text))
}

impl Set {
    fn out() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = FamiliarHome::new(folder.path(), &FamiliarId::new("ada").unwrap());
        let config = LiveConfig::load(home, Defaults::embedded()).unwrap().current();
        let (mut stt, mut tts) = (config.stt.clone(), config.tts.clone());
        stt.provider = SttProvider::None;
        stt.language = Some("en".to_owned());
        tts.provider = TtsProvider::None;
        Self { stt, tts, secrets: Secrets::default(), llm: None }
    }

    fn engines(&self) -> Engines {
        from_config(EngineParts {
            stt: &self.stt,
            tts: &self.tts,
            secrets: &self.secrets,
            llm_base_url: self.llm.as_deref(),
            ledger: None,
        })
    }

    fn deepgram(world: &SpeechWorld, provider: SttProvider) -> Arc<dyn Transcriber> {
        let mut set = Self::out();
        set.stt.provider = provider;
        set.stt.deepgram_url = world.sockets();
        set.secrets.speech.deepgram = secret("dg-key");
        set.engines().stt.unwrap()
    }

    fn files(world: &SpeechWorld) -> Arc<dyn Transcriber> {
        let mut set = Self::out();
        set.stt.provider = SttProvider::OpenAi;
        set.stt.openai_url = Some(world.http("/v1"));
        set.secrets.speech.custom = secret("own-key");
        set.engines().stt.unwrap()
    }
}

async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, what).await.expect("in time")
}

/// Everything of a speech: its samples, its words, and how it ended.
async fn all(mut speech: Speech) -> (Vec<i16>, Vec<SpokenWord>, Result<(), EngineError>) {
    let (mut samples, mut words) = (Vec::new(), Vec::new());
    loop {
        match soon(speech.events.recv()).await {
            Some(SpeechEvent::Samples(more)) => samples.extend(more),
            Some(SpeechEvent::Words(more)) => words.extend(more),
            Some(SpeechEvent::Done) => return (samples, words, Ok(())),
            Some(SpeechEvent::Failed(error)) => return (samples, words, Err(error)),
            None => panic!("it ended without a word"),
        }
    }
}

fn phrase(text: &str) -> Phrase {
    Phrase::of(text)
}
