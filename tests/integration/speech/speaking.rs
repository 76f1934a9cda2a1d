//! Synthesizers over HTTP and sockets.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use familiar_connect::voice::engines::{Synthesizer, wav_bytes};
use serde_json::{Value, json};

use super::*;
use crate::support::speech::{Answer, bytes, tone};

async fn says(engine: &Arc<dyn Synthesizer>, text: &str) -> Result<Speech, EngineError> {
    soon(engine.speak(&phrase(text))).await
}

fn word(text: &str, start: u64, end: u64) -> SpokenWord {
    SpokenWord { text: text.to_owned(), start: Duration::from_millis(start), end: Duration::from_millis(end) }
}

fn http_voice(world: &SpeechWorld, provider: TtsProvider) -> Set {
    let mut set = Set::out();
    set.tts.provider = provider;
    set.tts.openai_url = Some(world.http("/v1"));
    set.tts.piper_url = Some(world.http("/synthesize"));
    set.tts.azure_url = Some(world.http(""));
    set.tts.gemini_url = world.http("");
    set.tts.timeout = NEVER;
    set.secrets.speech.azure = secret("az-key");
    set.secrets.speech.gemini = secret("g-key");
    set
}

#[tokio::test]
async fn a_voice_like_openais_streams_plain_samples_in_odd_pieces() {
    let world = SpeechWorld::start().await;
    let engine = http_voice(&world, TtsProvider::OpenAi).engines().tts.unwrap();
    let sound = tone(24_000, 100);
    let pieces = bytes(&sound).chunks(333).map(<[u8]>::to_vec).collect();
    world.answers(Answer::ok(pieces).header("content-type", "audio/pcm"));
    engine.warm_up().await;
    let speech = says(&engine, "Come in.").await.unwrap();
    assert_eq!(speech.rate, 24_000);
    assert_eq!(all(speech).await, (sound, Vec::new(), Ok(())));
    let asked = &world.asked()[0];
    assert_eq!(asked.path, "/v1/audio/speech");
    assert_eq!(
        asked.json(),
        json!({"model": "gpt-4o-mini-tts", "input": "Come in.", "voice": "alloy",
        "response_format": "pcm", "stream": true})
    );
}

#[tokio::test]
async fn the_mood_is_said_with_the_direction_that_the_operator_gives_and_not_without_one() {
    let world = SpeechWorld::start().await;
    let mut set = http_voice(&world, TtsProvider::OpenAi);
    let glad = Phrase { mood: Some("cheerful"), ..phrase("Come in.") };
    let undirected = set.engines().tts.unwrap();
    set.tts.openai_direction = Some("Low and unhurried.".to_owned());
    let directed = set.engines().tts.unwrap();
    for (engine, phrase) in [(&undirected, &glad), (&directed, &glad), (&directed, &phrase("Sit down."))] {
        world.answers(Answer::ok(vec![bytes(&tone(24_000, 100))]).header("content-type", "audio/pcm"));
        all(soon(engine.speak(phrase)).await.unwrap()).await.2.unwrap();
    }
    let told: Vec<Value> = world.asked().iter().map(|asked| asked.json()["instructions"].clone()).collect();
    assert_eq!(told, [json!(null), json!("Low and unhurried. Mood: cheerful."), json!("Low and unhurried.")]);
}

/// What a server says it sends, what it sends, and what is to be told of it.
fn no_samples() -> Vec<(Option<&'static str>, Vec<u8>, &'static str)> {
    // Numbers without any order, as compressed sound is.
    let noise = |seed: u32, count: usize| -> Vec<u8> {
        let mut state = seed;
        let next = |_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        (0..count).map(next).collect()
    };
    let mp3 = [vec![0xff, 0xfa, 0x90, 0x64], noise(7, 20_000)].concat();
    let page = format!("\n\n  <!-- --><html><body>{}</body></html>", "Bad gateway. ".repeat(400));
    let json = format!("{{\n  \"error\": \"{}\"\n}}", "no such voice ".repeat(400));
    let quiet = vec![0; 24_000];
    vec![
        (Some("audio/mpeg"), bytes(&tone(24_000, 400)), "audio/mpeg"),
        (Some("text/html; charset=utf-8"), bytes(&tone(24_000, 400)), "text/html"),
        (Some("audio/pcm"), mp3.clone(), "MP3"),
        (None, mp3, "MP3"),
        (Some("application/octet-stream"), page.into_bytes(), "a web page"),
        (None, json.into_bytes(), "JSON"),
        (None, "The voice is being loaded, please wait. ".repeat(200).into_bytes(), "text"),
        (Some("audio/pcm"), noise(11, 48_000), "a roar"),
        (Some("audio/pcm"), quiet, "silence throughout"),
    ]
}

#[tokio::test]
async fn what_is_no_sound_is_told_of_and_not_played() {
    let world = SpeechWorld::start().await;
    let engine = http_voice(&world, TtsProvider::OpenAi).engines().tts.unwrap();
    for (kind, body, told) in no_samples() {
        let mut answer = Answer::ok(body.chunks(4_096).map(<[u8]>::to_vec).collect());
        if let Some(kind) = kind {
            answer = answer.header("content-type", kind);
        }
        world.answers(answer);
        let error = match says(&engine, "Come in.").await {
            Err(error) => error,
            Ok(speech) => all(speech).await.2.expect_err(told),
        };
        assert!(
            matches!(&error, EngineError::Protocol { said, .. } if said.contains(told)),
            "{told}: {error}"
        );
    }
    // What is sound is played, whatever it is called.
    for kind in ["audio/wav", "application/octet-stream", "binary/octet-stream", "audio/L16;rate=24000"] {
        let sound = tone(24_000, 400);
        world.answers(Answer::ok(vec![bytes(&sound)]).header("content-type", kind));
        let (heard, _, ended) = all(says(&engine, "Come in.").await.unwrap()).await;
        assert_eq!((heard, ended), (sound, Ok(())), "{kind}");
    }
}

#[tokio::test]
async fn sound_that_breaks_off_or_stops_coming_fails_in_time() {
    let world = SpeechWorld::start().await;
    let engine = http_voice(&world, TtsProvider::OpenAi).engines().tts.unwrap();
    let sound = tone(24_000, 40);
    world.answers(Answer::ok(vec![bytes(&sound)]).breaks());
    let (heard, _, ended) = all(says(&engine, "One.").await.unwrap()).await;
    assert_eq!(heard, sound);
    assert!(matches!(ended, Err(EngineError::Unreachable { .. })), "{ended:?}");
    world.answers(Answer::ok(vec![bytes(&sound)]).hangs());
    let mut speech = says(&engine, "Two.").await.unwrap();
    let mut heard = 0;
    while heard < sound.len() {
        let Some(SpeechEvent::Samples(more)) = soon(speech.events.recv()).await else { panic!("no sound") };
        heard += more.len();
    }
    let ended = gives_up(speech.events.recv()).await;
    assert_eq!(heard, sound.len());
    assert!(matches!(ended, Some(SpeechEvent::Failed(EngineError::Stalled { .. }))), "{ended:?}");
    world.answers(Answer::ok(Vec::new()).hangs());
    let three = phrase("Three.");
    let mut speech = Box::pin(engine.speak(&three));
    soon(async {
        while world.asked().len() < 3 {
            assert!(futures::poll!(&mut speech).is_pending());
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert!(matches!(gives_up(speech).await, Err(EngineError::Stalled { .. })));
    world.answers(Answer::ok(Vec::new()));
    assert!(matches!(says(&engine, "Four.").await, Err(EngineError::Protocol { .. })));
    let quota = r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#;
    world.answers(Answer::refusal(429, quota));
    assert!(matches!(says(&engine, "Five.").await, Err(EngineError::OutOfQuota { .. })));
    world.answers(Answer::refusal(429, "{}").header("retry-after", "3"));
    assert!(matches!(says(&engine, "Six.").await, Err(EngineError::RateLimited { retry_after, .. })
        if retry_after == Some(Duration::from_secs(3))));
}

#[tokio::test]
async fn c18_sound_without_end_is_left_where_no_phrase_would_be_longer() {
    let world = SpeechWorld::start().await;
    let engine = http_voice(&world, TtsProvider::OpenAi).engines().tts.unwrap();
    world.answers(Answer::ok(vec![bytes(&tone(24_000, 1000))]).never_ends());
    let (heard, _, ended) = all(says(&engine, "One.").await.unwrap()).await;
    assert!(heard.len() < 100 * 24_000, "{} s", heard.len() / 24_000);
    assert!(
        matches!(&ended, Err(EngineError::Protocol { said, .. }) if said.starts_with("sound without end")),
        "{ended:?}"
    );
}

#[tokio::test]
async fn c18_a_socket_that_does_not_stop_speaking_is_told_to() {
    let mut world = SpeechWorld::start().await;
    let engine = cartesia(&world).engines().tts.unwrap();
    let one = phrase("One.");
    let (speech, mut peer) = tokio::join!(engine.speak(&one), world.dialled());
    let begun = peer.text().await;
    let taking = tokio::spawn(all(speech.unwrap()));
    let second = tone(44_100, 1000);
    while !taking.is_finished() {
        peer.says(chunk(&begun["context_id"], &second)).await;
    }
    let (heard, _, ended) = taking.await.unwrap();
    assert!(heard.len() < 100 * 44_100, "{} s", heard.len() / 44_100);
    assert!(matches!(ended, Err(EngineError::Protocol { .. })), "{ended:?}");
    assert_eq!(peer.text().await["cancel"], true);
}

#[tokio::test]
async fn piper_answers_a_wav_at_its_own_rate() {
    let world = SpeechWorld::start().await;
    let mut set = http_voice(&world, TtsProvider::Piper);
    set.tts.piper_voice = Some("en_GB-alba-medium".to_owned());
    let engine = set.engines().tts.unwrap();
    let sound = tone(16_000, 50);
    let wav = wav_bytes(16_000, &sound);
    world.answers(Answer::ok(vec![wav[..3].to_vec(), wav[3..50].to_vec(), wav[50..].to_vec()]));
    let speech = says(&engine, "Come in.").await.unwrap();
    assert_eq!(speech.rate, 16_000);
    assert_eq!(all(speech).await.0, sound);
    assert_eq!(world.asked()[0].json(), json!({"text": "Come in.", "voice": "en_GB-alba-medium"}));
}

#[tokio::test]
async fn azure_gets_ssml() {
    let world = SpeechWorld::start().await;
    let engine = http_voice(&world, TtsProvider::Azure).engines().tts.unwrap();
    let sound = tone(24_000, 20);
    world.answers(Answer::ok(vec![bytes(&sound)]));
    assert_eq!(all(says(&engine, "You & I").await.unwrap()).await, (sound, Vec::new(), Ok(())));
    let asked = &world.asked()[0];
    assert_eq!(asked.path, "/cognitiveservices/v1");
    assert_eq!(asked.header("ocp-apim-subscription-key"), "az-key");
    assert_eq!(asked.header("x-microsoft-outputformat"), "raw-24khz-16bit-mono-pcm");
    assert!(
        asked.text().contains("<voice name=\"en-US-AmberNeural\">You &amp; I</voice>"),
        "{}",
        asked.text()
    );
    world.answers(Answer::refusal(401, ""));
    assert!(matches!(says(&engine, "x").await, Err(EngineError::Refused { engine: "Azure", .. })));
}

#[tokio::test]
async fn gemini_is_directed_and_streams_events() {
    let world = SpeechWorld::start().await;
    let mut set = http_voice(&world, TtsProvider::Gemini);
    set.tts.gemini_direction.style = Some("dry".to_owned());
    let engine = set.engines().tts.unwrap();
    let sound = tone(24_000, 60);
    let part = |samples: &[i16]| {
        json!({"candidates": [{"content": {"role": "model", "parts": [{"inlineData":
        {"mimeType": "audio/L16;codec=pcm;rate=24000", "data": STANDARD.encode(bytes(samples))}}]}, "index": 0}]})
    };
    let events = format!(
        "data: {}\r\n\r\ndata: {}\r\n\r\ndata: {}\r\n\r\n",
        part(&sound[..700]),
        part(&sound[700..]),
        json!({"candidates": [{"finishReason": "STOP"}], "usageMetadata": {"totalTokenCount": 9}})
    );
    world.answers(Answer::ok(events.as_bytes().chunks(1000).map(<[u8]>::to_vec).collect()));
    assert_eq!(all(says(&engine, "Well.").await.unwrap()).await, (sound, Vec::new(), Ok(())));
    let asked = &world.asked()[0];
    assert_eq!(asked.path, "/v1beta/models/gemini-3.1-flash-tts-preview:streamGenerateContent?alt=sse");
    assert_eq!(asked.header("x-goog-api-key"), "g-key");
    let body = asked.json();
    assert_eq!(
        body["contents"][0]["parts"][0]["text"],
        "### DIRECTOR'S NOTES\nStyle: dry\n#### TRANSCRIPT\nWell."
    );
    assert_eq!(
        body.pointer("/generationConfig/speechConfig/voiceConfig/prebuiltVoiceConfig/voiceName").unwrap(),
        "Kore"
    );
    world.answers(Answer::json("data: {\"promptFeedback\": {\"blockReason\": \"SAFETY\"}}\n\n"));
    assert!(matches!(says(&engine, "x").await, Err(EngineError::Unsupported { said, .. })
        if said.contains("SAFETY")));
}

fn cartesia(world: &SpeechWorld) -> Set {
    let mut set = Set::out();
    set.tts.provider = TtsProvider::Cartesia;
    set.tts.cartesia_url = world.sockets();
    set.tts.cartesia_voice_id = Some("694f9389-aac1-45b6-b726-9d9369183238".to_owned());
    set.tts.timeout = NEVER;
    set.secrets.speech.cartesia = secret("ca-key");
    set
}

fn elevenlabs(world: &SpeechWorld) -> Set {
    let mut set = Set::out();
    set.tts.provider = TtsProvider::ElevenLabs;
    set.tts.elevenlabs_url = world.sockets();
    set.tts.elevenlabs_voice_id = Some("21m00Tcm4TlvDq8ikWAM".to_owned());
    set.tts.timeout = NEVER;
    set.secrets.speech.elevenlabs = secret("el-key");
    set
}

fn chunk(context: &Value, samples: &[i16]) -> Value {
    json!({"type": "chunk", "data": STANDARD.encode(bytes(samples)), "done": false, "status_code": 206,
        "step_time": 12.3, "context_id": context})
}

#[tokio::test]
async fn cartesia_speaks_two_phrases_over_one_socket_with_the_times_of_words() {
    let mut world = SpeechWorld::start().await;
    let engine = cartesia(&world).engines().tts.unwrap();
    let ((), mut server) = tokio::join!(engine.warm_up(), world.dialled());
    assert_eq!(server.header("x-api-key"), "ca-key");
    assert!(server.path.starts_with("/tts/websocket?cartesia_version="), "{}", server.path);
    let (one, two) = (phrase("Come in."), phrase("Sit down."));
    let first = soon(engine.speak(&one)).await.unwrap();
    let second = soon(engine.speak(&two)).await.unwrap();
    let (a, b) = (server.text().await, server.text().await);
    assert_eq!((a["transcript"].as_str(), b["transcript"].as_str()), (Some("Come in."), Some("Sit down.")));
    assert_eq!(
        a["output_format"],
        json!({"container": "raw", "encoding": "pcm_s16le", "sample_rate": 24_000})
    );
    assert_eq!(
        (&a["model_id"], &a["add_timestamps"], &a["continue"]),
        (&json!("sonic-3"), &json!(true), &json!(false))
    );
    assert_ne!(a["context_id"], b["context_id"]);
    let (sound, other) = (tone(24_000, 30), tone(24_000, 20));
    server.says(chunk(&b["context_id"], &other)).await;
    server.says(chunk(&a["context_id"], &sound[..400])).await;
    server
        .says(json!({"type": "timestamps", "done": false, "status_code": 206, "context_id": a["context_id"],
        "word_timestamps": {"words": ["Come", "in."], "start": [0.0, 0.2], "end": [0.2, 0.45]}}))
        .await;
    server.says(chunk(&a["context_id"], &sound[400..])).await;
    for context in [&a["context_id"], &b["context_id"]] {
        server.says(json!({"type": "done", "done": true, "status_code": 200, "context_id": context})).await;
    }
    assert_eq!(all(first).await, (sound, vec![word("Come", 0, 200), word("in.", 200, 450)], Ok(())));
    assert_eq!(all(second).await.0, other);
}

#[tokio::test]
async fn cartesia_is_told_to_stop_and_its_complaints_hit_one_phrase_only() {
    let mut world = SpeechWorld::start().await;
    let engine = cartesia(&world).engines().tts.unwrap();
    let stopped = says(&engine, "I was going to say").await.unwrap();
    let mut server = world.dialled().await;
    let first = server.text().await;
    drop(stopped);
    assert_eq!(server.text().await, json!({"context_id": first["context_id"], "cancel": true}));
    let refused = says(&engine, "One.").await.unwrap();
    let spoken = says(&engine, "Two.").await.unwrap();
    let (a, b) = (server.text().await, server.text().await);
    server
        .says(json!({"type": "error", "done": true, "status_code": 402, "error": "credit limit reached",
        "context_id": a["context_id"]}))
        .await;
    server.says(chunk(&b["context_id"], &[1, 2])).await;
    server
        .says(json!({"type": "done", "done": true, "status_code": 200, "context_id": b["context_id"]}))
        .await;
    let (_, _, ended) = all(refused).await;
    assert!(matches!(ended, Err(EngineError::OutOfQuota { .. })), "{ended:?}");
    assert_eq!(all(spoken).await, (vec![1, 2], Vec::new(), Ok(())));
}

#[tokio::test]
async fn a_broken_socket_is_dialled_again_for_what_has_not_begun_to_sound() {
    let mut world = SpeechWorld::start().await;
    let engine = cartesia(&world).engines().tts.unwrap();
    let begun = says(&engine, "Begun.").await.unwrap();
    let waiting = says(&engine, "Waiting.").await.unwrap();
    let mut server = world.dialled().await;
    let (a, _) = (server.text().await, server.text().await);
    server.says(chunk(&a["context_id"], &[5])).await;
    let mut begun = begun;
    assert_eq!(soon(begun.events.recv()).await, Some(SpeechEvent::Samples(vec![5])));
    server.breaks();
    let mut again = world.dialled().await;
    let order = again.text().await;
    assert_eq!(order["transcript"], "Waiting.");
    again.says(chunk(&order["context_id"], &[6])).await;
    again
        .says(json!({"type": "done", "done": true, "status_code": 200, "context_id": order["context_id"]}))
        .await;
    assert!(matches!(all(begun).await.2, Err(EngineError::Unreachable { .. })));
    assert_eq!(all(waiting).await, (vec![6], Vec::new(), Ok(())));
}

#[tokio::test]
async fn a_silent_socket_fails_in_time_and_is_not_used_again() {
    let mut world = SpeechWorld::start().await;
    let engine = cartesia(&world).engines().tts.unwrap();
    let mut speech = says(&engine, "Hello?").await.unwrap();
    let mut silent = world.dialled().await;
    assert_eq!(silent.text().await["transcript"], "Hello?");
    let ended = gives_up(speech.events.recv()).await;
    assert!(matches!(ended, Some(SpeechEvent::Failed(EngineError::Stalled { .. }))), "{ended:?}");
    let _next = says(&engine, "Hello!").await.unwrap();
    assert_eq!(world.dialled().await.text().await["transcript"], "Hello!");
    world.refuses(401, &[], r#"{"error":"invalid api key"}"#);
    let refused = cartesia(&world).engines().tts.unwrap();
    let (_, _, ended) = all(soon(refused.speak(&phrase("Hm."))).await.unwrap()).await;
    assert!(matches!(ended, Err(EngineError::Refused { .. })), "{ended:?}");
}

#[tokio::test]
async fn elevenlabs_times_words_by_their_letters() {
    let mut world = SpeechWorld::start().await;
    let engine = elevenlabs(&world).engines().tts.unwrap();
    let speech = says(&engine, "Hi Ada.").await.unwrap();
    let mut server = world.dialled().await;
    assert_eq!(server.header("xi-api-key"), "el-key");
    let path = "/v1/text-to-speech/21m00Tcm4TlvDq8ikWAM/multi-stream-input?model_id=eleven_flash_v2_5&\
                output_format=pcm_24000";
    assert!(server.path.starts_with(path), "{}", server.path);
    let orders = [server.text().await, server.text().await, server.text().await];
    let context = orders[0]["context_id"].clone();
    assert_eq!(orders[0], json!({"text": " ", "context_id": context}));
    assert_eq!(orders[1], json!({"text": "Hi Ada. ", "context_id": context, "flush": true}));
    assert_eq!(orders[2], json!({"context_id": context, "close_context": true}));
    let sound = tone(24_000, 100);
    server
        .says(json!({"audio": STANDARD.encode(bytes(&sound)), "normalizedAlignment": null, "alignment":
        {"chars": ["H", "i", " "], "charStartTimesMs": [0, 50, 90], "charDurationsMs": [50, 40, 10]},
        "contextId": context}))
        .await;
    server.says(json!({"audio": STANDARD.encode(bytes(&sound)), "alignment":
        {"chars": ["A", "d", "a", "."], "charStartTimesMs": [0, 20, 40, 60], "charDurationsMs": [20, 20, 20, 30]},
        "contextId": context})).await;
    server.says(json!({"is_final": true, "context_id": context})).await;
    let (samples, words, ended) = all(speech).await;
    assert_eq!((samples.len(), ended), (sound.len() * 2, Ok(())));
    assert_eq!(
        words,
        [word("Hi", 0, 90), word("Ada.", 100, 190)],
        "the second piece begins where the first ends"
    );
    let failing = says(&engine, "More.").await.unwrap();
    for _ in 0..3 {
        server.text().await;
    }
    server.closes(1008, "quota_exceeded").await;
    assert!(matches!(all(failing).await.2, Err(EngineError::OutOfQuota { .. })));
}

#[tokio::test]
async fn elevenlabs_says_on_the_socket_what_is_wrong_with_one_phrase() {
    let mut world = SpeechWorld::start().await;
    let engine = elevenlabs(&world).engines().tts.unwrap();
    let (one, other) = (says(&engine, "One.").await.unwrap(), says(&engine, "Two.").await.unwrap());
    let mut server = world.dialled().await;
    let mut contexts = Vec::new();
    for _ in 0..6 {
        let context = server.text().await["context_id"].clone();
        if !contexts.contains(&context) {
            contexts.push(context);
        }
    }
    let said = json!({"error": "quota_exceeded", "message": "You have 0 credits.", "contextId": contexts[0]});
    server.says(said).await;
    let (samples, _, ended) = all(one).await;
    assert!(samples.is_empty());
    assert!(
        matches!(&ended, Err(EngineError::OutOfQuota { said, .. }) if said.contains("0 credits")),
        "{ended:?}"
    );
    // The other phrase goes on.
    let sound = tone(24_000, 100);
    server.says(json!({"audio": STANDARD.encode(bytes(&sound)), "contextId": contexts[1]})).await;
    server.says(json!({"isFinal": true, "contextId": contexts[1]})).await;
    assert_eq!(all(other).await, (sound, Vec::new(), Ok(())));
    // What names no phrase is about all of them.
    let last = says(&engine, "Three.").await.unwrap();
    server.says(json!({"error": "invalid_api_key", "message": "Invalid API key"})).await;
    assert!(matches!(all(last).await.2, Err(EngineError::Refused { .. })));
}

#[tokio::test]
async fn piper_that_fails_or_breaks_off_says_so() {
    let world = SpeechWorld::start().await;
    let engine = http_voice(&world, TtsProvider::Piper).engines().tts.unwrap();
    // Its server is a small Flask program.
    let page = "<!doctype html>\n<html lang=en>\n<title>500 Internal Server Error</title>\n<h1>Internal Server Error</h1>";
    world.answers(Answer::refusal(500, page));
    let failed = says(&engine, "x").await;
    assert!(
        matches!(&failed, Err(EngineError::Unreachable { said, .. }) if !said.contains('<')),
        "{failed:?}"
    );
    let sound = tone(22_050, 100);
    let wav = wav_bytes(22_050, &sound);
    world.answers(Answer::ok(vec![wav[..wav.len() / 2].to_vec()]).breaks());
    let (heard, _, end) = all(says(&engine, "x").await.unwrap()).await;
    assert!(matches!(end, Err(EngineError::Unreachable { .. })), "{end:?}");
    assert!(sound.starts_with(&heard));
}

#[tokio::test]
async fn azure_tells_too_often_from_what_it_does_not_do() {
    let world = SpeechWorld::start().await;
    let engine = http_voice(&world, TtsProvider::Azure).engines().tts.unwrap();
    world.answers(Answer::refusal(429, "").header("retry-after", "11"));
    let limited = says(&engine, "x").await;
    let wait = Some(Duration::from_secs(11));
    assert!(
        matches!(&limited, Err(EngineError::RateLimited { retry_after, .. }) if *retry_after == wait),
        "{limited:?}"
    );
    world.answers(Answer::refusal(400, "Unsupported voice en-US-NobodyNeural."));
    let unsupported = says(&engine, "x").await;
    assert!(
        matches!(&unsupported, Err(EngineError::Unsupported { said, .. }) if said.contains("Nobody")),
        "{unsupported:?}"
    );
    world.answers(Answer::refusal(502, ""));
    assert!(matches!(says(&engine, "x").await, Err(EngineError::Unreachable { .. })));
}

#[tokio::test]
async fn gemini_fails_inside_its_stream_and_before() {
    let world = SpeechWorld::start().await;
    let engine = http_voice(&world, TtsProvider::Gemini).engines().tts.unwrap();
    let sound = tone(24_000, 60);
    let part = json!({"candidates": [{"content": {"role": "model", "parts": [{"inlineData":
        {"mimeType": "audio/L16;codec=pcm;rate=24000", "data": STANDARD.encode(bytes(&sound))}}]}, "index": 0}]});
    let broken = json!({"error": {"code": 503, "message": "The model is overloaded. Please try again later.",
        "status": "UNAVAILABLE"}});
    let events = format!("data: {part}\r\n\r\ndata: {broken}\r\n\r\n");
    world.answers(Answer::ok(vec![events.into_bytes()]));
    // Both may arrive at once.
    let end = match says(&engine, "Well.").await {
        Ok(speech) => all(speech).await.2,
        Err(error) => Err(error),
    };
    assert!(
        matches!(&end, Err(EngineError::Unreachable { said, .. }) if said.contains("overloaded")),
        "{end:?}"
    );
    let limited = r#"[{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED",
        "details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"17s"}]}}]"#;
    world.answers(Answer::refusal(429, limited));
    let wait = Some(Duration::from_secs(17));
    let refused = says(&engine, "x").await;
    assert!(
        matches!(&refused, Err(EngineError::RateLimited { retry_after, .. }) if *retry_after == wait),
        "{refused:?}"
    );
}
