//! Which engine is used.

use familiar_connect::config::LlmKeySource;

use familiar_connect::voice::engines::{SpeechInput, TranscriptEvent, TranscriptionHints};

use super::*;
use crate::support::speech::{Answer, bytes, tone};

#[cfg(unix)]
#[tokio::test]
async fn espeak_is_what_speaks_where_nothing_is_set_up() {
    let mut set = Set::out();
    set.stt.provider = SttProvider::Auto;
    set.tts.provider = TtsProvider::Auto;
    let engines = set.engines();
    assert!(engines.stt.is_none() && engines.tts.is_none());
    let why: Vec<String> = engines.why_not.iter().map(ToString::to_string).collect();
    assert!(why[0].contains("DEEPGRAM_API_KEY") && why[1].contains("espeak-ng"), "{why:?}");
    // Its arguments, spoken.
    let (folder, _) = programs::program("espeak-ng", "printf '%s ' \"$@\"; head -c 1000 /dev/zero");
    set.secrets.search_path = Some(format!("/nowhere:{}", folder.path().display()));
    let engine = set.engines().tts.unwrap();
    assert_eq!(engine.name(), "espeak-ng");
    let heard = all(soon(engine.speak(&phrase("Come in."))).await.unwrap()).await.0;
    let said = String::from_utf8(bytes(&heard)).unwrap();
    assert!(said.starts_with("--stdout --stdin -v en-gb -s 165 "), "{said}");
}

#[tokio::test]
async fn what_is_set_up_for_this_very_familiar_comes_first() {
    let mut set = Set::out();
    set.stt.provider = SttProvider::Auto;
    set.tts.provider = TtsProvider::Auto;
    set.secrets.llm_api_key = secret("sk-or-key");
    set.secrets.llm_key_source = Some(LlmKeySource::OpenRouter);
    let names = |set: &Set| {
        let engines = set.engines();
        let name = |name: Option<String>| name.unwrap_or_default();
        (
            name(engines.stt.map(|stt| stt.name().to_owned())),
            name(engines.tts.map(|tts| tts.name().to_owned())),
        )
    };
    assert_eq!(names(&set).0, "OpenRouter");
    set.llm = Some("http://10.0.0.1:1234/v1".to_owned());
    set.secrets.openai_api_key = secret("sk-openai");
    assert_eq!(names(&set).0, "", "these keys are for other servers");
    set.llm = Some("https://api.openai.com/v1".to_owned());
    assert_eq!(names(&set).0, "OpenAI");
    set.secrets.speech.gemini = secret("g");
    set.secrets.speech.elevenlabs = secret("e");
    assert_eq!(names(&set).1, "Gemini", "ElevenLabs has no voice yet");
    set.tts.elevenlabs_voice_id = Some("abc".to_owned());
    set.stt.openai_url = Some("http://127.0.0.1:1/v1".to_owned());
    assert_eq!(names(&set), ("the server of stt.openai_url".to_owned(), "ElevenLabs".to_owned()));
    set.tts.command = Some("say".to_owned());
    set.secrets.speech.deepgram = secret("d");
    assert_eq!(names(&set), ("Deepgram".to_owned(), "the command of tts.command".to_owned()));
}

#[cfg(unix)]
#[tokio::test]
async fn what_else_is_set_up_stands_in_for_a_voice_that_is_down() {
    let mut set = Set::out();
    set.tts.provider = TtsProvider::Auto;
    set.tts.openai_url = Some("http://127.0.0.1:1/v1".to_owned());
    set.secrets.speech.gemini = secret("g");
    let (folder, _) = programs::program("espeak-ng", "exit 0");
    set.secrets.search_path = Some(folder.path().display().to_string());
    let failovers = |set: &Set| {
        let engines = set.engines();
        engines.failover_tts.iter().map(|failover| failover.name().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        failovers(&set),
        ["espeak-ng"],
        "a voice of one's own is not replaced by one that is paid for"
    );
    set.tts.openai_url = None;
    set.secrets.speech.elevenlabs = secret("e");
    set.tts.elevenlabs_voice_id = Some("abc".to_owned());
    assert_eq!(failovers(&set), ["Gemini", "espeak-ng"]);
    set.tts.command = Some("say".to_owned());
    assert_eq!(failovers(&set), ["espeak-ng"]);
    assert!(!set.engines().tts.unwrap().costs());
    set.tts.price_per_1000_characters_usd = Some(0.02);
    assert!(set.engines().tts.unwrap().costs(), "a command may be a script for a service");
    assert_eq!(failovers(&set), ["ElevenLabs", "Gemini", "espeak-ng"]);
}

#[cfg(unix)]
#[tokio::test]
async fn a_phrase_is_spoken_by_espeak_where_the_server_of_the_settings_is_down() {
    let mut set = Set::out();
    set.tts.provider = TtsProvider::Auto;
    set.tts.openai_url = Some("http://127.0.0.1:1/v1".to_owned());
    let (folder, _) = programs::program("espeak-ng", "printf '%s ' \"$@\"; head -c 1000 /dev/zero");
    set.secrets.search_path = Some(folder.path().display().to_string());
    let engine = set.engines().with_failover().tts.unwrap();
    assert_eq!(engine.name(), "the server of tts.openai_url");
    let heard = all(soon(engine.speak(&phrase("Come in."))).await.unwrap()).await.0;
    let said = String::from_utf8(bytes(&heard)).unwrap();
    assert!(said.starts_with("--stdout --stdin -v en-gb -s 165 "), "{said}");
    assert_eq!(engine.name(), "espeak-ng");
    set.tts.provider = TtsProvider::OpenAi;
    assert!(set.engines().failover_tts.is_empty(), "who names an engine wants this one");
}

#[tokio::test]
async fn a_speaker_is_heard_by_the_next_recogniser_where_the_first_cannot_be_reached() {
    let world = SpeechWorld::start().await;
    let mut set = Set::out();
    set.stt.provider = SttProvider::Auto;
    set.secrets.speech.deepgram = secret("dg-key");
    set.stt.deepgram_url = "ws://127.0.0.1:1".to_owned();
    set.stt.openai_url = Some(world.http("/v1"));
    world.answers(Answer::json(r#"{"text":"Come in."}"#));
    let engine = set.engines().with_failover().stt.unwrap();
    assert_eq!(engine.name(), "Deepgram");
    let mut open = soon(engine.open(&TranscriptionHints::default())).await.unwrap();
    open.input.send(SpeechInput::Samples(tone(16_000, 600).into())).await.unwrap();
    open.input.send(SpeechInput::Finalize).await.unwrap();
    let heard = soon(open.events.recv()).await;
    assert!(matches!(&heard, Some(TranscriptEvent::Final { text, .. }) if text == "Come in."), "{heard:?}");
    assert!(!engine.abilities().partials, "it is whole utterances from now on");
    set.secrets.speech.deepgram = None;
    set.secrets.llm_api_key = secret("sk-or-key");
    set.secrets.llm_key_source = Some(LlmKeySource::OpenRouter);
    let engines = set.engines();
    assert!(engines.failover_stt.is_empty(), "what is said at home stays there");
}

#[test]
fn the_fuzz_target_takes_what_services_say_damaged() {
    let seeds: [&[u8]; 4] = [
        br#"{"type":"Results","is_final":true,"start":0.5,"duration":1e300,"channel":{"alternatives":[{"transcript":"a"}]}}"#,
        br#"{"type":"TurnInfo","event":"EndOfTurn","audio_window_end":-1,"transcript":null}"#,
        br#"{"audio":"AAAA","alignment":{"chars":["a","b"],"charStartTimesMs":[0],"charDurationsMs":[18446744073709551615]}}"#,
        b"RIFF\xff\xff\xff\xffWAVEfmt \x10\0\0\0\x01\0\x02\0\x40\x1f\0\0\0\0\0\0\x04\0\x10\0data\0\0\0\0\x01\x02\x03",
    ];
    for seed in seeds {
        for cut in 0..=seed.len() {
            crate::cards::fuzz::entry::speech(&seed[..cut]);
            crate::cards::fuzz::entry::speech(&[&seed[cut..], seed].concat());
        }
    }
}
