//! Calls: whether this build can hold any, which speech engines would be used, and whether each does its work when it is
//! asked for a word.

use std::sync::Arc;
use std::time::Duration;

use super::Environment;
use super::messages::{self, SpeechJob};
use super::report::DoctorCheck;
use crate::config::{LiveConfig, Secrets, SttProvider, TtsProvider};
use crate::discord::{dave_works, track_works};
use crate::llm::NetworkUse;
use crate::voice::end_of_turn::EndOfTurnModel;
use crate::voice::engines::{
    EngineError, EngineParts, Phrase, SpeechEvent, SpeechInput, Spoken, Synthesizer, Transcriber,
    TranscriptEvent, TranscriptionHints, from_config,
};
use crate::voice::receive::opus_works;

/// What is said to try a voice.
const WORD: &str = "Hello.";
/// How much silence is given to one who listens.
const SILENCE: usize = 8_000;

/// Tries both, at once. Speaks one word and listens to half a second of nothing.
pub(super) async fn try_engines(
    config: Option<&Arc<LiveConfig>>,
    secrets: &Secrets,
    environment: Environment,
    reach: NetworkUse,
    deadline: Duration,
) -> Vec<DoctorCheck> {
    let Some(config) = config.map(|config| config.current()) else { return vec![call_check().await] };
    if environment == Environment::Unknown {
        // Neither keys nor where programs are looked for is known.
        let engines = ["hearing", "speaking"].map(messages::needs_environment);
        return std::iter::once(call_check().await).chain(engines).collect();
    }
    let engines = from_config(EngineParts::of(&config, secrets));
    let instead = |calls: SpeechJob, spoken: Spoken, is_wanted: bool| match engines
        .why_not
        .iter()
        .find(|why| why.spoken == spoken)
    {
        Some(why) if is_wanted => calls.lacks(&why.reason),
        Some(why) => calls.none_there(&why.reason),
        None => calls.off(),
    };
    let hearing = async {
        let Some(engine) = &engines.stt else {
            return instead(SpeechJob::Hearing, Spoken::Heard, config.stt.provider != SttProvider::Auto);
        };
        if engines.stt_by_model_key {
            return messages::hears_by_model_key(engine.name());
        }
        let tried = match reach {
            NetworkUse::Offline => None,
            NetworkUse::Online => Some(tried(deadline, hears(&**engine)).await),
        };
        match (tried, engine.takes_all_for()) {
            (None | Some(Ok(())), Some(language)) => messages::hears_one_language(engine.name(), language),
            (Some(tried), _) => SpeechJob::Hearing.tried(engine.name(), tried),
            (None, None) => SpeechJob::Hearing.not_tried(engine.name()),
        }
    };
    let speaking = async {
        match &engines.tts {
            Some(engine) if reach == NetworkUse::Offline => SpeechJob::Speaking.not_tried(engine.name()),
            Some(engine) => {
                SpeechJob::Speaking.tried(engine.name(), tried(deadline, speaks(&**engine)).await)
            }
            None => instead(SpeechJob::Speaking, Spoken::Said, config.tts.provider != TtsProvider::Auto),
        }
    };
    let end_of_turn = async {
        let model = config.stt.end_of_turn_model.clone()?;
        let file = model.clone();
        let opened = tokio::task::spawn_blocking(move || EndOfTurnModel::open(&file)).await;
        let opened = opened.map_err(|error| error.to_string());
        let opened = opened.and_then(|opened| opened.map(drop).map_err(|error| error.to_string()));
        Some(messages::hears_the_end(&model, opened))
    };
    let (hearing, speaking, calls, end_of_turn) = tokio::join!(hearing, speaking, call_check(), end_of_turn);
    [calls, hearing].into_iter().chain(end_of_turn).chain([speaking]).collect()
}

/// What every call needs of this build, whichever engines there are; asks nobody.
async fn call_check() -> DoctorCheck {
    // Making keys and frames keeps a core busy for a moment.
    let tried = tokio::task::spawn_blocking(|| (opus_works(), dave_works())).await;
    let broke = |error: tokio::task::JoinError| (Err(error.to_string()), Err("not tried".to_owned()));
    let (opus, dave) = tried.unwrap_or_else(broke);
    messages::call_prerequisites(opus, track_works().await, dave)
}

/// What came of a trial, within the time there is.
async fn tried(
    deadline: Duration,
    trial: impl Future<Output = Result<(), EngineError>>,
) -> Result<(), String> {
    match tokio::time::timeout(deadline, trial).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err(format!("no answer within {deadline:?}")),
    }
}

async fn hears(engine: &dyn Transcriber) -> Result<(), EngineError> {
    let mut ear = engine.open(&TranscriptionHints::default()).await?;
    // It has just been opened, so there is room.
    let _ = ear.input.try_send(SpeechInput::Samples(vec![0; SILENCE].into()));
    let _ = ear.input.try_send(SpeechInput::Finalize);
    while let Some(event) = ear.events.recv().await {
        match event {
            TranscriptEvent::Failed(error) => return Err(error),
            TranscriptEvent::Final { finalized: true, .. } => break,
            _ => {}
        }
    }
    Ok(())
}

async fn speaks(engine: &dyn Synthesizer) -> Result<(), EngineError> {
    let mut speech = engine.speak(&Phrase::of(WORD)).await?;
    while let Some(event) = speech.events.recv().await {
        match event {
            SpeechEvent::Failed(error) => return Err(error),
            SpeechEvent::Samples(_) | SpeechEvent::Done => break,
            SpeechEvent::Words(_) => {}
        }
    }
    Ok(())
}
