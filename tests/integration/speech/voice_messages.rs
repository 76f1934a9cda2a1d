//! What was spoken into a file.

use familiar_connect::voice::engines::{TranscriptionHints, read_wav};
use familiar_connect::voice::voice_message::{NotHeard, hear};
use serde_json::json;

use super::*;
use crate::support::speech::{Answer, voice_message};

async fn heard(engine: &dyn Transcriber, message: Vec<u8>) -> Result<String, NotHeard> {
    soon(hear(engine, message, &TranscriptionHints::default())).await
}

#[tokio::test]
async fn a_voice_message_is_handed_over_as_long_as_it_was_spoken() {
    let world = SpeechWorld::start().await;
    world.answers(Answer::json(r#"{"text": " The bell rings twice. "}"#));
    let words = heard(Set::files(&world).as_ref(), voice_message(3)).await.unwrap();
    assert_eq!(words, "The bell rings twice.");
    let body = &world.asked()[0].body;
    let wav = body.windows(4).position(|four| four == b"RIFF").unwrap();
    let (rate, samples) = read_wav(&body[wav..]).unwrap();
    assert_eq!(rate, 16_000);
    // What stands behind the file in the form is no sound; the header says how long it is.
    let length = u32::from_le_bytes(body[wav + 40..wav + 44].try_into().unwrap());
    assert_eq!(length, 2 * (3 * 16_000 - 312 / 3));
    assert!(samples.len() >= length as usize / 2);
}

#[tokio::test]
async fn an_engine_that_hears_live_hears_one_too() {
    let mut world = SpeechWorld::start().await;
    let engine = Set::deepgram(&world, SttProvider::Deepgram);
    let message = tokio::spawn(async move { heard(engine.as_ref(), voice_message(2)).await });
    let mut deepgram = world.dialled().await;
    assert_eq!(deepgram.hears().await, (2 * (2 * 16_000 - 312 / 3), Some(json!({"type": "Finalize"}))));
    let said = |words: &str, last: bool| {
        json!({"type": "Results", "duration": 1.0, "start": 0.0, "is_final": true, "speech_final": true,
        "channel": {"alternatives": [{"transcript": words, "words": []}]}, "from_finalize": last})
    };
    deepgram.says(said("Come in, Ada.", false)).await;
    deepgram.says(said("Mind the rope.", true)).await;
    assert_eq!(message.await.unwrap().unwrap(), "Come in, Ada. Mind the rope.");
}

#[tokio::test]
async fn what_is_too_long_broken_or_without_a_word_is_not_made_up() {
    let world = SpeechWorld::start().await;
    let engine = Set::files(&world);
    assert!(matches!(heard(engine.as_ref(), voice_message(121)).await, Err(NotHeard::TooLong)));
    let whole = voice_message(1);
    for broken in [&b""[..], b"OggS", b"RIFF....WAVE", &whole[..40], &[0xff; 4_000]] {
        assert!(matches!(heard(engine.as_ref(), broken.to_vec()).await, Err(NotHeard::Broken)), "{broken:?}");
    }
    assert!(world.asked().is_empty(), "nobody is paid for hearing nothing");
    world.answers(Answer::json(r#"{"text": ""}"#));
    assert!(matches!(heard(engine.as_ref(), whole).await, Err(NotHeard::NoWord)));
}
