//! `familiar voice` and what the doctor says of engines: the real binary against real wire formats.

use familiar_connect::voice::engines::{read_wav, wav_bytes};

use super::*;
use crate::support::binary::Machine;
use crate::support::speech::{Answer, bytes, tone};

/// A machine with one familiar and these settings; keys stand in `.env`.
fn machine(settings: &str, keys: &str) -> Machine {
    let machine = Machine::new();
    let home = machine.data().join("familiars/ada");
    std::fs::create_dir_all(home.join("memory/self")).unwrap();
    std::fs::write(home.join("memory/self/name.md"), "Ada\n").unwrap();
    std::fs::write(home.join("character.toml"), settings).unwrap();
    std::fs::write(machine.path().join(".env"), keys).unwrap();
    machine
}

#[tokio::test]
async fn a_text_is_spoken_into_a_file() {
    let world = SpeechWorld::start().await;
    let settings = format!("[tts]\nopenai_url = \"{}\"\n", world.http("/v1"));
    let machine = machine(&settings, "SPEECH_API_KEY=own-key\n");
    let sound = tone(24_000, 500);
    world.answers(Answer::ok(vec![bytes(&sound)]));
    let said = machine.run(&["voice", "say", "Come in.", "--out", "hello.wav"]).await.assert_success();
    assert!(said.out.starts_with("0.5 s of sound at 24000 Hz; the first after "), "{}", said.out);
    assert!(said.err.contains("the server of tts.openai_url speaks …"), "{}", said.err);
    let wav = std::fs::read(machine.path().join("hello.wav")).unwrap();
    assert_eq!(read_wav(&wav), Ok((24_000, sound)));
    assert_eq!(world.asked()[0].header("authorization"), "Bearer own-key");
    world.answers(Answer::refusal(401, r#"{"error":{"message":"bad key own-key"}}"#));
    let refused = machine.run(&["voice", "say", "Come in."]).await;
    assert_eq!(refused.status.code(), Some(1));
    assert!(refused.err.contains("refuses the key: bad key [key]"), "{}", refused.err);
}

#[tokio::test]
async fn c18_a_voice_without_end_is_no_file_without_end() {
    let world = SpeechWorld::start().await;
    let machine = machine(&format!("[tts]\nopenai_url = \"{}\"\n", world.http("/v1")), "");
    world.answers(Answer::ok(vec![bytes(&tone(24_000, 1000))]).never_ends());
    let said = machine.run(&["voice", "say", "Come in.", "--out", "hello.wav"]).await;
    assert_eq!(said.status.code(), Some(1));
    assert!(said.err.contains("sound without end"), "{}", said.err);
    assert!(!machine.path().join("hello.wav").exists());
}

#[tokio::test]
async fn a_file_of_any_rate_is_heard() {
    let world = SpeechWorld::start().await;
    let settings = format!("[stt]\nopenai_url = \"{}\"\nopenai_path = \"/inference\"\n", world.http(""));
    let machine = machine(&settings, "");
    std::fs::write(machine.path().join("hello.wav"), wav_bytes(48_000, &tone(48_000, 1000))).unwrap();
    world.answers(Answer::json(r#"{"text":" Come in. \n"}"#));
    let heard = machine.run(&["voice", "hear", "hello.wav"]).await.assert_success();
    assert_eq!(heard.out, "Come in.\n");
    assert_eq!(world.asked()[0].path, "/inference");
    std::fs::write(machine.path().join("song.mp3"), "ID3\u{4}").unwrap();
    let refused = machine.run(&["voice", "hear", "song.mp3"]).await;
    assert!(refused.err.contains("song.mp3: this is no WAV"), "{}", refused.err);
}

#[tokio::test]
async fn without_an_engine_it_says_what_to_set() {
    let machine = machine("", "");
    for (arguments, what) in
        [(["voice", "say", "x"], "install espeak-ng"), (["voice", "hear", "a.wav"], "DEEPGRAM_API_KEY")]
    {
        std::fs::write(machine.path().join("a.wav"), wav_bytes(16_000, &[0; 16_000])).unwrap();
        let refused = machine.run(&arguments).await;
        assert_eq!(refused.status.code(), Some(1));
        assert!(refused.err.contains(what), "{}", refused.err);
    }
}

#[tokio::test]
async fn the_doctor_tries_both() {
    let (ears, mouth) = (SpeechWorld::start().await, SpeechWorld::start().await);
    let (hears, speaks) = (ears.http("/v1"), mouth.http("/v1"));
    let settings = format!("[stt]\nopenai_url = \"{hears}\"\n[tts]\nopenai_url = \"{speaks}\"\n");
    let machine = machine(&settings, "SPEECH_API_KEY=own-key\n");
    ears.answers(Answer::json(r#"{"text":""}"#));
    mouth.answers(Answer::ok(vec![bytes(&tone(24_000, 100))]));
    let said = machine.run(&["doctor"]).await;
    assert!(said.out.contains("ok   hearing: the server of stt.openai_url listens"), "{}", said.out);
    assert!(said.out.contains("ok   speaking: the server of tts.openai_url speaks"), "{}", said.out);
    ears.answers(Answer::json(r#"{"text":""}"#));
    mouth.answers(Answer::ok(vec![br#"{"error":"no model"}"#.to_vec()]));
    let said = machine.run(&["doctor"]).await;
    assert!(said.out.contains("makes no sense: JSON instead of a WAV"), "{}", said.out);
    for world in [&ears, &mouth, &ears, &mouth] {
        world.answers(Answer::refusal(401, r#"{"error":{"message":"no such key: own-key"}}"#));
    }
    let said = machine.run(&["doctor"]).await;
    let warned = "warn speaking: in calls replies would be written: the server of tts.openai_url refuses the key: no such \
                  key: [key]; see docs/guides/voice-engines.md";
    assert!(said.out.contains(warned), "{}", said.out);
    assert!(!said.out.contains("own-key"), "{}", said.out);
    let asked = || ears.asked().len() + mouth.asked().len();
    let before = asked();
    let said = machine.run(&["doctor", "--offline"]).await;
    assert!(said.out.contains("skip speaking: the server of tts.openai_url would speak"), "{}", said.out);
    assert_eq!(asked(), before);
}

#[tokio::test]
async fn the_engines_of_a_call_are_measured_where_they_are_set_up() {
    let world = SpeechWorld::start().await;
    let url = world.http("/v1");
    let settings = format!("[stt]\nopenai_url = \"{url}\"\n[tts]\nopenai_url = \"{url}\"\n");
    let machine = machine(&settings, "SPEECH_API_KEY=own-key\n");
    let sound = || Answer::ok(vec![bytes(&tone(24_000, 300))]);
    let measures = |world: &SpeechWorld, rounds: usize| {
        world.answers(sound());
        for _ in 0..rounds {
            world.answers(Answer::json(r#"{"text":"What time is it?"}"#));
            world.answers(sound());
        }
    };
    measures(&world, 2);
    let said = machine.run(&["bench", "voice", "--rounds", "2"]).await.assert_success();
    for row in [
        "end of speech to last words (the server of stt.openai_url)",
        "question to first word (",
        "phrase to first sound (the server of tts.openai_url)",
        "first word to a frame of sound, the program alone",
        "voice to voice, added up",
        "900 / 1300",
    ] {
        assert!(said.out.contains(row), "{row}\n{}", said.out);
    }
    assert!(said.err.contains("understood: What time is it?"), "{}", said.err);
    // Of one round the sum is known.
    measures(&world, 1);
    let said = machine.run(&["bench", "voice", "--rounds", "1", "--json"]).await.assert_success();
    let figures: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let figures = figures["figures"].as_array().unwrap();
    let of = |what: &str| {
        let row = figures.iter().find(|row| row["what"].as_str().unwrap().starts_with(what)).unwrap();
        row["p50_ms"].as_u64().unwrap()
    };
    let parts = 270.max(of("end of speech")) + of("question") + of("phrase") + of("first word") + 38;
    let whole = of("voice to voice");
    // Each is cut to whole milliseconds.
    assert!(whole.abs_diff(parts) <= 5, "it is the sum: {whole} and {parts}");
    world.answers(Answer::refusal(401, r#"{"error":{"message":"no such key: own-key"}}"#));
    let refused = machine.run(&["bench", "voice"]).await;
    assert_eq!(refused.status.code(), Some(1));
    assert!(refused.err.contains("refuses the key: no such key: [key]"), "{}", refused.err);
}
