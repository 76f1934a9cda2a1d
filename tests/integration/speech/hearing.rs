//! Transcribers.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use familiar_connect::config::LlmKeySource;
use familiar_connect::voice::engines::{
    SpeechInput, TranscriptEvent, Transcription, TranscriptionHints, read_wav,
};
use serde_json::{Value, json};

use super::*;
use crate::support::speech::{Answer, Peer, tone};

async fn event(ear: &mut Transcription) -> TranscriptEvent {
    soon(ear.events.recv()).await.expect("an event")
}

async fn hear(ear: &Transcription, millis: u32) {
    for frame in tone(16_000, millis).chunks(320) {
        ear.input.send(SpeechInput::Samples(frame.into())).await.unwrap();
    }
}

/// Somebody says something and is finished.
async fn utters(ear: &Transcription, millis: u32) {
    hear(ear, millis).await;
    finalize(ear).await;
}

/// Opened, and the other end of its socket.
async fn dials(engine: &Arc<dyn Transcriber>, world: &mut SpeechWorld) -> (Transcription, Peer) {
    let names = hints();
    let (opened, peer) = tokio::join!(engine.open(&names), world.dialled());
    (opened.unwrap(), peer)
}

/// OpenAI's own protocol over a socket.
fn realtime(world: &SpeechWorld) -> Arc<dyn Transcriber> {
    let mut set = Set::out();
    set.stt.provider = SttProvider::Realtime;
    set.stt.openai_url = Some(format!("{}/v1", world.sockets()));
    set.secrets.speech.custom = secret("own-key");
    set.engines().stt.unwrap()
}

async fn finalize(ear: &Transcription) {
    ear.input.send(SpeechInput::Finalize).await.unwrap();
}

fn hints() -> TranscriptionHints {
    TranscriptionHints {
        keyterms: vec!["Ada".to_owned(), " Bo Ek ".to_owned(), "Ada".to_owned(), String::new()],
        speaker: None,
    }
}

fn text(text: &str, finalized: bool) -> TranscriptEvent {
    TranscriptEvent::Final { text: text.to_owned(), finalized }
}

#[tokio::test]
async fn deepgram_hears_live_and_answers_a_finalize() {
    let mut world = SpeechWorld::start().await;
    let engine = Set::deepgram(&world, SttProvider::Deepgram);
    let (mut ear, mut deepgram) = dials(&engine, &mut world).await;
    assert_eq!(deepgram.header("authorization"), "Token dg-key");
    for part in [
        "/v1/listen?model=nova-3&",
        "language=en&",
        "encoding=linear16",
        "sample_rate=16000",
        "interim_results=true",
        "keyterm=Ada&keyterm=Bo+Ek",
    ] {
        assert!(deepgram.path.contains(part), "{part} in {}", deepgram.path);
    }
    hear(&ear, 1000).await;
    deepgram.says(json!({"type": "SpeechStarted", "channel": [0], "timestamp": 0.1})).await;
    deepgram.says(json!({"type": "Results", "channel_index": [0, 1], "duration": 0.6, "start": 0.0, "is_final": false,
        "speech_final": false, "channel": {"alternatives": [{"transcript": "come in", "confidence": 0.9,
        "words": []}]}, "metadata": {"request_id": "r"}, "from_finalize": false})).await;
    assert_eq!(event(&mut ear).await, TranscriptEvent::Partial { text: "come in".to_owned() });
    finalize(&ear).await;
    assert_eq!(deepgram.hears().await, (32_000, Some(json!({"type": "Finalize"}))));
    deepgram
        .says(
            json!({"type": "Results", "duration": 1.0, "start": 0.0, "is_final": true, "speech_final": true,
        "channel": {"alternatives": [{"transcript": "Come in, Ada.", "confidence": 0.99, "words": [
            {"word": "come", "start": 0.1, "end": 0.4, "confidence": 0.99, "punctuated_word": "Come"},
            {"word": "in", "start": 0.4, "end": 0.6, "confidence": 0.98, "punctuated_word": "in,"},
            {"word": "ada", "start": 0.6, "end": 0.9, "confidence": 0.97, "punctuated_word": "Ada."}]}]},
        "from_finalize": true}),
        )
        .await;
    assert_eq!(event(&mut ear).await, TranscriptEvent::Sure { percent: 99 });
    assert_eq!(event(&mut ear).await, text("Come in, Ada.", true));
    drop(ear);
    assert_eq!(deepgram.hears().await, (0, Some(json!({"type": "CloseStream"}))));
}

#[tokio::test]
async fn deepgram_refusals_at_the_door_are_told_apart() {
    let world = SpeechWorld::start().await;
    let engine = Set::deepgram(&world, SttProvider::Deepgram);
    let invalid = r#"{"err_code":"INVALID_AUTH","err_msg":"Invalid credentials.","request_id":"r"}"#;
    world.refuses(401, &[], invalid);
    let refused = soon(engine.open(&hints())).await.unwrap_err();
    assert_eq!(refused, EngineError::Refused { engine: "Deepgram", said: "Invalid credentials.".to_owned() });
    world.refuses(402, &[], r#"{"err_code":"ASR_PAYMENT_REQUIRED","err_msg":"Not enough credits."}"#);
    assert!(matches!(soon(engine.open(&hints())).await, Err(EngineError::OutOfQuota { .. })));
    world.refuses(429, &[("retry-after", "7")], r#"{"err_code":"TOO_MANY_REQUESTS","err_msg":"Too many"}"#);
    let limited = soon(engine.open(&hints())).await.unwrap_err();
    let wait = Some(Duration::from_secs(7));
    assert!(
        matches!(limited, EngineError::RateLimited { retry_after, .. } if retry_after == wait),
        "{limited}"
    );
}

#[tokio::test]
async fn deepgram_is_dialled_again_after_a_break_and_hears_the_rest() {
    let mut world = SpeechWorld::start().await;
    let engine = Set::deepgram(&world, SttProvider::Deepgram);
    let (mut ear, mut first) = dials(&engine, &mut world).await;
    utters(&ear, 500).await;
    assert_eq!(first.text().await, json!({"type": "Finalize"}));
    first.breaks();
    let mut second = world.dialled().await;
    assert_eq!(second.hears().await, (16_000, Some(json!({"type": "Finalize"}))), "it is said again");
    second
        .says(
            json!({"type": "Results", "duration": 0.5, "start": 0.0, "is_final": true, "speech_final": true,
        "channel": {"alternatives": [{"transcript": "Hello.", "words": []}]}, "from_finalize": true}),
        )
        .await;
    assert_eq!(event(&mut ear).await, text("Hello.", true));
}

#[tokio::test]
async fn a_policy_close_is_final_and_rubbish_is_a_failure_of_the_words_only() {
    let mut world = SpeechWorld::start().await;
    let engine = Set::deepgram(&world, SttProvider::Deepgram);
    let (mut ear, mut deepgram) = dials(&engine, &mut world).await;
    deepgram.raw("{\"type\": \"Resul").await;
    assert!(matches!(event(&mut ear).await, TranscriptEvent::Failed(EngineError::Protocol { .. })));
    deepgram.closes(1008, "DATA-0000").await;
    let failed = event(&mut ear).await;
    assert!(
        matches!(&failed, TranscriptEvent::Failed(EngineError::Unsupported { said, .. }) if said == "DATA-0000")
    );
    assert_eq!(event(&mut ear).await, TranscriptEvent::Closed);
}

#[tokio::test]
async fn flux_tells_turns_and_is_made_to_end_one() {
    let mut world = SpeechWorld::start().await;
    let engine = Set::deepgram(&world, SttProvider::Flux);
    assert!(engine.abilities().ends_turns);
    let (mut ear, mut flux) = dials(&engine, &mut world).await;
    assert!(flux.path.starts_with("/v2/listen?model=flux-general-en&"), "{}", flux.path);
    assert!(flux.path.contains("eager_eot_threshold="), "{}", flux.path);
    flux.says(json!({"type": "Connected", "request_id": "r", "sequence_id": 0})).await;
    hear(&ear, 400).await;
    let info = |event: &str, transcript: &str, trigger: &str| {
        json!({"type": "TurnInfo", "event": event, "turn_index": 0,
        "audio_window_start": 0.0, "audio_window_end": 0.4, "transcript": transcript, "words": [],
        "end_of_turn_confidence": 0.5, "trigger": trigger})
    };
    flux.says(info("StartOfTurn", "So", "")).await;
    flux.says(info("EagerEndOfTurn", "So I", "")).await;
    flux.says(info("TurnResumed", "So I", "")).await;
    for expected in [
        TranscriptEvent::Partial { text: "So".to_owned() },
        TranscriptEvent::EagerEndOfTurn { text: "So I".to_owned() },
        TranscriptEvent::TurnResumed,
    ] {
        assert_eq!(event(&mut ear).await, expected);
    }
    assert!(matches!(event(&mut ear).await, TranscriptEvent::Partial { .. }));
    finalize(&ear).await;
    assert_eq!(flux.text().await, json!({"type": "ForceEndTurn"}));
    flux.says(info("EndOfTurn", "So I went.", "manual")).await;
    assert_eq!(event(&mut ear).await, text("So I went.", true));
}

#[tokio::test]
async fn a_server_like_openai_gets_a_wav_with_names() {
    let world = SpeechWorld::start().await;
    let mut ear = Set::files(&world).open(&hints()).await.unwrap();
    world.answers(Answer::json(
        r#"{"task":"transcribe","language":"english","duration":0.6,"text":"Hello, Bo Ek.",
        "words":[{"word":"Hello","start":0.0,"end":0.3}]}"#,
    ));
    utters(&ear, 600).await;
    assert_eq!(event(&mut ear).await, text("Hello, Bo Ek.", true));
    let asked = &world.asked()[0];
    assert_eq!(
        (asked.path.as_str(), asked.header("authorization")),
        ("/v1/audio/transcriptions", "Bearer own-key")
    );
    let body = asked.text();
    for part in [
        "name=\"file\"; filename=\"speech.wav\"",
        "Content-Type: audio/wav",
        "RIFF",
        "verbose_json",
        "whisper-1",
        "Ada, Bo Ek.",
    ] {
        assert!(body.contains(part), "{part}");
    }
}

#[tokio::test]
async fn what_whisper_makes_up_over_silence_is_not_what_somebody_said() {
    let world = SpeechWorld::start().await;
    let engine = Set::files(&world);
    let mut ear = soon(engine.open(&hints())).await.unwrap();
    let segment = |text: &str, start: u32, no_speech: f64, sure: f64| json!({"text": text, "start": start, "end": start + 1, "no_speech_prob": no_speech, "avg_logprob": sure});
    for (segments, whole, understood) in [
        (vec![segment(" Thanks for watching!", 0, 0.83, -0.71)], "Thanks for watching!", ""),
        (
            vec![segment(" Where is the ferry?", 0, 0.02, -0.2), segment(" Bye.", 1, 0.95, -0.3)],
            "Where is the ferry? Bye.",
            "Where is the ferry?",
        ),
        (vec![segment(" Mm, mumbled words.", 0, 0.3, -0.9)], "Mm, mumbled words.", "Mm, mumbled words."),
    ] {
        world.answers(Answer::json(&json!({"text": whole, "segments": segments}).to_string()));
        utters(&ear, 300).await;
        let mut told = event(&mut ear).await;
        if let TranscriptEvent::Sure { .. } = told {
            told = event(&mut ear).await;
        }
        assert_eq!(told, text(understood, true));
    }
}

#[tokio::test]
async fn an_utterance_is_tried_again_where_that_may_help_and_failures_do_not_end_the_ear() {
    let world = SpeechWorld::start().await;
    let mut ear = Set::files(&world).open(&hints()).await.unwrap();
    world.answers(Answer::refusal(429, r#"{"error":{"message":"Rate limit"}}"#).header("retry-after", "0"));
    world.answers(Answer::json(r#"{"text":"second try"}"#));
    utters(&ear, 200).await;
    assert_eq!(event(&mut ear).await, text("second try", true));
    world.answers(Answer::refusal(503, "<html>"));
    world.answers(Answer::refusal(500, ""));
    utters(&ear, 200).await;
    assert!(matches!(event(&mut ear).await, TranscriptEvent::Failed(EngineError::Unreachable { .. })));
    world.answers(Answer::json("not what was"));
    utters(&ear, 200).await;
    assert!(matches!(event(&mut ear).await, TranscriptEvent::Failed(EngineError::Protocol { .. })));
    finalize(&ear).await;
    assert_eq!(event(&mut ear).await, text("", true), "nothing was said, so nobody is asked");
    assert_eq!(world.asked().len(), 5);
    world.answers(Answer::refusal(401, r#"{"error":{"message":"Incorrect API key provided: own-key."}}"#));
    utters(&ear, 200).await;
    let refused = event(&mut ear).await;
    assert!(
        matches!(&refused, TranscriptEvent::Failed(EngineError::Refused { said, .. })
        if said.contains("[key]") && !said.contains("own-key")),
        "{refused:?}"
    );
    assert_eq!(event(&mut ear).await, TranscriptEvent::Closed);
}

#[tokio::test]
async fn c18_an_understanding_without_end_fails_and_the_ear_goes_on() {
    let world = SpeechWorld::start().await;
    let mut ear = Set::files(&world).open(&hints()).await.unwrap();
    world.answers(Answer::json(&"{\"text\":\"ha".repeat(8_000)).never_ends());
    utters(&ear, 200).await;
    let failed = event(&mut ear).await;
    assert!(
        matches!(&failed, TranscriptEvent::Failed(EngineError::Protocol { said, .. })
        if said == "an answer without end: it did not end within 4096 KiB"),
        "{failed:?}"
    );
    world.answers(Answer::json(r#"{"text":"and now"}"#));
    utters(&ear, 200).await;
    assert_eq!(event(&mut ear).await, text("and now", true));
}

#[tokio::test]
async fn openrouter_listens_by_the_key_for_models() {
    let world = SpeechWorld::start().await;
    let mut set = Set::out();
    set.stt.provider = SttProvider::Auto;
    set.secrets.llm_api_key = secret("sk-or-key");
    set.secrets.llm_key_source = Some(LlmKeySource::OpenRouter);
    set.llm = Some(world.http("/api/v1"));
    let engines = set.engines();
    assert!(engines.stt_by_model_key);
    let mut ear = engines.stt.unwrap().open(&hints()).await.unwrap();
    world.answers(Answer::json(r#"{"text":"I used to rule.","usage":{"seconds":1,"cost":0.0001}}"#));
    utters(&ear, 1000).await;
    assert_eq!(event(&mut ear).await, text("I used to rule.", true));
    let asked = &world.asked()[0];
    assert_eq!(
        (asked.path.as_str(), asked.header("authorization")),
        ("/api/v1/audio/transcriptions", "Bearer sk-or-key")
    );
    let body = asked.json();
    assert_eq!(
        (body["model"].as_str(), body["input_audio"]["format"].as_str()),
        (Some("openai/whisper-1"), Some("wav"))
    );
    let wav = STANDARD.decode(body["input_audio"]["data"].as_str().unwrap()).unwrap();
    assert_eq!(read_wav(&wav).unwrap(), (16_000, tone(16_000, 1000)));
}

#[tokio::test]
async fn a_key_goes_only_to_the_one_it_belongs_to() {
    let world = SpeechWorld::start().await;
    let mut set = Set::out();
    set.stt.provider = SttProvider::OpenAi;
    set.stt.openai_url = Some(world.http("/v1"));
    set.secrets.openai_api_key = secret("sk-openai");
    set.secrets.llm_api_key = secret("sk-or-key");
    set.secrets.llm_key_source = Some(LlmKeySource::OpenRouter);
    let mut ear = set.engines().stt.unwrap().open(&hints()).await.unwrap();
    world.answers(Answer::json(r#"{"text":"hm"}"#));
    utters(&ear, 200).await;
    assert_eq!(event(&mut ear).await, text("hm", true));
    assert_eq!(world.asked()[0].header("authorization"), "");
}

#[tokio::test]
async fn a_language_that_is_not_set_is_the_familiars_own_or_found_out_by_the_service() {
    let mut world = SpeechWorld::start().await;
    let mut set = Set::out();
    (set.stt.language, set.tts.language) = (None, None);
    set.stt.provider = SttProvider::Deepgram;
    set.stt.deepgram_url = world.sockets();
    set.secrets.speech.deepgram = secret("dg-key");
    for (own, asked) in [(None, "language=multi"), (Some("de"), "language=de")] {
        set.tts.language = own.map(str::to_owned);
        let engine = set.engines().stt.unwrap();
        let listened = hints();
        let (_opened, deepgram) = tokio::join!(engine.open(&listened), world.dialled());
        assert!(deepgram.path.contains(asked), "{}", deepgram.path);
    }
    set.stt.provider = SttProvider::OpenAi;
    // whisper.cpp takes everything for English unless it is asked to find out; OpenAI's own knows no such word.
    for (path, own, asked) in [
        ("/audio/transcriptions", None, None),
        ("/audio/transcriptions", Some("de"), Some("de")),
        ("/inference", None, Some("auto")),
        ("/inference", Some("de"), Some("de")),
    ] {
        set.tts.language = own.map(str::to_owned);
        (set.stt.openai_url, set.stt.openai_path) = (Some(world.http("/v1")), path.to_owned());
        let mut ear = soon(set.engines().stt.unwrap().open(&hints())).await.unwrap();
        world.answers(Answer::json(r#"{"text": "Guten Tag."}"#));
        utters(&ear, 300).await;
        assert_eq!(event(&mut ear).await, text("Guten Tag.", true));
        let sent = world.asked().pop().unwrap().text();
        let field = sent.split_once("name=\"language\"\r\n\r\n").and_then(|(_, rest)| rest.split_once('\r'));
        assert_eq!(field.map(|(language, _)| language), asked, "{path}");
    }
}

#[tokio::test]
async fn a_recogniser_of_one_language_says_so_unless_people_are_known_to_speak_it() {
    let mut set = Set::out();
    set.stt.provider = SttProvider::Flux;
    set.secrets.speech.deepgram = secret("dg-key");
    for (model, spoken, own, all_for) in [
        ("flux-general-en", None, None, Some("English")),
        ("flux-general-en", Some("en-GB"), None, None),
        ("flux-general-en", None, Some("en"), None),
        ("flux-general-en", Some("de"), Some("en"), Some("English")),
        ("flux-general-multi", None, None, None),
    ] {
        set.stt.flux_model = model.to_owned();
        (set.stt.language, set.tts.language) = (spoken.map(str::to_owned), own.map(str::to_owned));
        assert_eq!(set.engines().stt.unwrap().takes_all_for(), all_for, "{model}, {spoken:?}, {own:?}");
    }
}

#[tokio::test]
async fn realtime_sends_24_khz_and_commits() {
    let mut world = SpeechWorld::start().await;
    let engine = realtime(&world);
    let (mut ear, mut server) = dials(&engine, &mut world).await;
    assert!(server.path.starts_with("/v1/realtime?intent=transcription"), "{}", server.path);
    let session = server.text().await;
    assert_eq!(session["type"], "session.update");
    assert_eq!(session["session"]["audio"]["input"]["format"], json!({"type": "audio/pcm", "rate": 24_000}));
    assert_eq!(session["session"]["audio"]["input"]["turn_detection"], Value::Null);
    assert_eq!(session["session"]["audio"]["input"]["transcription"]["prompt"], "Ada, Bo Ek.");
    utters(&ear, 200).await;
    let mut sound = 0;
    loop {
        let message = server.text().await;
        if message["type"] == "input_audio_buffer.commit" {
            break;
        }
        assert_eq!(message["type"], "input_audio_buffer.append");
        sound += STANDARD.decode(message["audio"].as_str().unwrap()).unwrap().len();
    }
    assert_eq!(sound, 24_000 / 5 * 2);
    let kind = |kind: &str| format!("conversation.item.input_audio_transcription.{kind}");
    server
        .says(json!({"type": "input_audio_buffer.committed", "item_id": "i", "previous_item_id": null}))
        .await;
    server.says(json!({"type": kind("delta"), "item_id": "i", "content_index": 0, "delta": "Good "})).await;
    server.says(json!({"type": kind("delta"), "item_id": "i", "content_index": 0, "delta": "day"})).await;
    server
        .says(
            json!({"type": kind("completed"), "item_id": "i", "content_index": 0, "transcript": "Good day."}),
        )
        .await;
    assert_eq!(event(&mut ear).await, TranscriptEvent::Partial { text: "Good".to_owned() });
    assert_eq!(event(&mut ear).await, TranscriptEvent::Partial { text: "Good day".to_owned() });
    assert_eq!(event(&mut ear).await, text("Good day.", true));
    utters(&ear, 40).await;
    while server.text().await["type"] != "input_audio_buffer.commit" {}
    server
        .says(json!({"type": "error", "error": {"type": "invalid_request_error",
        "code": "input_audio_buffer_commit_empty", "message": "buffer too small"}}))
        .await;
    assert_eq!(event(&mut ear).await, text("", true));
}

#[tokio::test]
async fn flux_says_what_is_wrong_at_the_door_and_inside() {
    let mut world = SpeechWorld::start().await;
    let engine = Set::deepgram(&world, SttProvider::Flux);
    let wrong = r#"{"err_code":"INVALID_QUERY_PARAMETER","err_msg":"Failed to deserialize query parameters: unknown variant `flux-x`","request_id":"r"}"#;
    world.refuses(400, &[], wrong);
    let refused = soon(engine.open(&hints())).await.unwrap_err();
    assert!(
        matches!(&refused, EngineError::Unsupported { said, .. } if said.contains("flux-x")),
        "{refused:?}"
    );
    world.refuses(
        401,
        &[],
        r#"{"err_code":"INVALID_AUTH","err_msg":"Invalid credentials.","request_id":"r"}"#,
    );
    assert!(matches!(soon(engine.open(&hints())).await, Err(EngineError::Refused { .. })));

    let (mut ear, mut flux) = dials(&engine, &mut world).await;
    flux.says(json!({"type": "Connected", "request_id": "r", "sequence_id": 0})).await;
    hear(&ear, 400).await;
    flux.says(json!({"type": "Error", "sequence_id": 1, "code": "INTERNAL_SERVER_ERROR",
        "description": "An internal server error occurred."}))
        .await;
    let failed = event(&mut ear).await;
    assert!(
        matches!(&failed, TranscriptEvent::Failed(EngineError::Protocol { said, .. })
        if said.contains("INTERNAL_SERVER_ERROR")),
        "{failed:?}"
    );
    // The connection stands: what comes next is understood.
    hear(&ear, 200).await;
    flux.says(json!({"type": "TurnInfo", "event": "EndOfTurn", "turn_index": 1, "audio_window_start": 0.4,
        "audio_window_end": 0.6, "transcript": "Again.", "words": [], "end_of_turn_confidence": 0.9}))
        .await;
    assert_eq!(event(&mut ear).await, TranscriptEvent::EndOfTurn { text: "Again.".to_owned() });
    flux.says(json!({"type": "Error", "sequence_id": 9, "code": "ASR_PAYMENT_REQUIRED",
        "description": "Project does not have enough credits."}))
        .await;
    let spent = event(&mut ear).await;
    assert!(matches!(&spent, TranscriptEvent::Failed(EngineError::OutOfQuota { .. })), "{spent:?}");
    assert_eq!(event(&mut ear).await, TranscriptEvent::Closed, "trying again is no use");
}

#[tokio::test]
async fn openrouter_refuses_in_json_with_and_without_a_status() {
    let world = SpeechWorld::start().await;
    let mut set = Set::out();
    set.stt.provider = SttProvider::OpenRouter;
    set.secrets.llm_api_key = secret("sk-or-key");
    set.secrets.llm_key_source = Some(LlmKeySource::OpenRouter);
    set.llm = Some(world.http("/api/v1"));
    let engine = set.engines().stt.unwrap();
    let mut ear = engine.open(&hints()).await.unwrap();
    // It says 200 before it knows what the provider says.
    let inside = r#"{"error":{"code":502,"message":"Provider returned error","metadata":{"provider_name":"OpenAI","raw":"upstream"}},"user_id":"u"}"#;
    world.answers(Answer::json(inside));
    world.answers(Answer::json(r#"{"text":"second try","usage":{"seconds":1,"cost":0.0001}}"#));
    utters(&ear, 200).await;
    assert_eq!(event(&mut ear).await, text("second try", true));
    let limited = r#"{"error":{"code":429,"message":"Rate limit exceeded: free-models-per-min."}}"#;
    world.answers(Answer::refusal(429, limited).header("retry-after", "40"));
    utters(&ear, 200).await;
    let failed = event(&mut ear).await;
    let wait = Some(Duration::from_secs(40));
    assert!(
        matches!(&failed, TranscriptEvent::Failed(EngineError::RateLimited { retry_after, .. }) if *retry_after == wait),
        "{failed:?}"
    );
    let spent = r#"{"error":{"code":402,"message":"Insufficient credits. Add more using https://openrouter.ai/settings/credits"}}"#;
    world.answers(Answer::refusal(402, spent));
    utters(&ear, 200).await;
    assert!(matches!(event(&mut ear).await, TranscriptEvent::Failed(EngineError::OutOfQuota { .. })));
    assert_eq!(event(&mut ear).await, TranscriptEvent::Closed);
}

#[tokio::test]
async fn realtime_fails_for_one_utterance_for_a_session_and_at_the_door() {
    let mut world = SpeechWorld::start().await;
    let engine = realtime(&world);
    let denied = r#"{"error":{"message":"Incorrect API key provided: own-key.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}"#;
    world.refuses(401, &[], denied);
    let refused = soon(engine.open(&hints())).await.unwrap_err();
    assert!(
        matches!(&refused, EngineError::Refused { said, .. } if !said.contains("own-key")),
        "{refused:?}"
    );

    let (mut ear, mut server) = dials(&engine, &mut world).await;
    utters(&ear, 200).await;
    while server.text().await["type"] != "input_audio_buffer.commit" {}
    server
        .says(json!({"type": "conversation.item.input_audio_transcription.failed", "event_id": "e", "item_id": "i",
        "content_index": 0, "error": {"type": "transcription_error", "code": "audio_unintelligible",
        "message": "The audio could not be transcribed.", "param": null}}))
        .await;
    let failed = event(&mut ear).await;
    assert!(
        matches!(&failed, TranscriptEvent::Failed(EngineError::Protocol { said, .. })
        if said.contains("audio_unintelligible")),
        "{failed:?}"
    );
    utters(&ear, 200).await;
    while server.text().await["type"] != "input_audio_buffer.commit" {}
    server
        .says(json!({"type": "conversation.item.input_audio_transcription.completed", "item_id": "j",
        "content_index": 0, "transcript": "Good day."}))
        .await;
    assert_eq!(event(&mut ear).await, text("Good day.", true), "one failure is no end");
    server
        .says(json!({"type": "error", "event_id": "e2", "error": {"type": "invalid_request_error",
        "code": "insufficient_quota", "message": "You exceeded your current quota.", "param": null, "event_id": null}}))
        .await;
    let spent = event(&mut ear).await;
    assert!(matches!(&spent, TranscriptEvent::Failed(EngineError::OutOfQuota { .. })), "{spent:?}");
    assert_eq!(event(&mut ear).await, TranscriptEvent::Closed);
}
