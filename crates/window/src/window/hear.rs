//! A reply said aloud, by the voice that the familiar has in calls.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use tokio::time::timeout;

use super::door::SentForm;
use super::messages;
use super::pages::Refusal;
use super::shared::Shared;
use super::talk::message_here;
use crate::domain::{AccountId, MessageId};
use crate::text::short::beginning;
use crate::voice::Chunker;
use crate::voice::engines::{EngineError, Phrase, SpeechEvent, Synthesizer, wav_bytes};

/// So much of a reply is said, in characters.
const SAID_CHARS: usize = 2_000;

/// The longest sound, in seconds.
const SOUND_SECONDS: usize = 240;

/// So long making it may take.
const MADE_WITHIN: Duration = Duration::from_secs(90);

/// One reply as a sound file. What it costs counts as what is said in calls does, and so do the caps on it.
pub(super) async fn post_hear(
    State(shared): State<Arc<Shared>>,
    form: SentForm,
) -> Result<Response, Refusal> {
    let message = MessageId::new(form.field("message")).map_err(|_| Refusal(StatusCode::BAD_REQUEST))?;
    let nothing = Refusal(StatusCode::NOT_FOUND);
    let said = message_here(&shared, &message).await?;
    let said = said.filter(|turn| turn.author.is_none()).ok_or(nothing)?;
    let voice = shared.parts.engines.chosen().engines.tts.ok_or(nothing)?;
    let Ok(_alone) = shared.speaking.try_lock() else {
        return Err(Refusal(StatusCode::SERVICE_UNAVAILABLE));
    };
    let made = timeout(MADE_WITHIN, sound_of(&*voice, beginning(&said.content, SAID_CHARS))).await;
    let why = match made {
        Ok(Ok((rate, samples))) if !samples.is_empty() => {
            return Ok(([(header::CONTENT_TYPE, "audio/wav")], wav_bytes(rate, &samples)).into_response());
        }
        Ok(Ok(_)) => messages::NOTHING_TO_SAY_ALOUD.to_owned(),
        Ok(Err(error)) => error.to_string(),
        Err(_) => messages::SPEAKS_TOO_SLOWLY.to_owned(),
    };
    tracing::warn!(why, engine = voice.name(), "a reply could not be said aloud in the window");
    shared.talk.say_apart(messages::not_said_aloud(voice.name(), &why));
    Ok(Redirect::to("/talk").into_response())
}

/// Samples a second, and the samples, phrase by phrase as in a call.
async fn sound_of(voice: &dyn Synthesizer, text: &str) -> Result<(u32, Vec<i16>), EngineError> {
    let mut chunker = Chunker::default();
    let mut phrases = chunker.push(text, Duration::ZERO);
    phrases.extend(chunker.finish());
    let (mut rate, mut samples) = (0, Vec::new());
    for phrase in phrases {
        let mut speech =
            voice.speak(&Phrase { listener: Some(AccountId::operator()), ..Phrase::of(phrase) }).await?;
        // Another voice stands in for this one, and sounds otherwise: what was said until then is played.
        if !samples.is_empty() && speech.rate != rate {
            break;
        }
        rate = speech.rate;
        let most = SOUND_SECONDS * usize::try_from(rate).unwrap_or(usize::MAX);
        while let Some(event) = speech.events.recv().await {
            match event {
                SpeechEvent::Samples(more) if samples.len() + more.len() > most => {
                    return Ok((rate, samples));
                }
                SpeechEvent::Samples(more) => samples.extend(more),
                SpeechEvent::Words(_) => {}
                SpeechEvent::Done => break,
                SpeechEvent::Failed(error) => return Err(error),
            }
        }
    }
    Ok((rate, samples))
}
