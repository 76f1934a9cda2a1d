use proptest::prelude::*;
use serde_json::{Value, json};

use super::pcm::{PcmBytes, WavReader, read_wav, to_bytes, wav_bytes};
use super::service::Service;
use super::stt::deepgram::DeepgramSession;
use super::stt::live::{LiveSession as _, RecogniserMessage};
use super::stt::whole::read_answer;
use super::tts::command::command_words;
use super::tts::http::{prompt, ssml};
use super::tts::socket_voices::words_of_characters;
use super::*;
use crate::config::GeminiDirection;

fn service() -> Service {
    Service::new("Test", None)
}

fn flux(event: &str, more: Value) -> Vec<RecogniserMessage> {
    let mut message = json!({"type": "TurnInfo", "request_id": "r", "sequence_id": 3, "event": event,
        "turn_index": 0, "audio_window_start": 0.0, "audio_window_end": 1.3, "end_of_turn_confidence": 0.7});
    for (key, value) in more.as_object().unwrap() {
        message[key] = value.clone();
    }
    DeepgramSession { service: service(), is_flux: true }.read(&message)
}

#[test]
fn flux_tells_turns() {
    let text = |text: &str| text.to_owned();
    let event = RecogniserMessage::Event;
    assert_eq!(flux("Update", json!({"transcript": ""})), [RecogniserMessage::SettledTo(20_800)]);
    assert_eq!(
        flux("StartOfTurn", json!({"transcript": "Hi"})),
        [event(TranscriptEvent::Partial { text: text("Hi") })]
    );
    assert_eq!(
        flux("EagerEndOfTurn", json!({"transcript": "Hi there."})),
        [event(TranscriptEvent::EagerEndOfTurn { text: text("Hi there.") })]
    );
    assert_eq!(
        flux("TurnResumed", json!({"transcript": "Hi there."}))[0],
        event(TranscriptEvent::TurnResumed)
    );
    assert_eq!(
        flux("EndOfTurn", json!({"transcript": "Hi there.", "trigger": "model"})),
        [RecogniserMessage::SettledTo(20_800), event(TranscriptEvent::EndOfTurn { text: text("Hi there.") })]
    );
    let manual = flux("EndOfTurn", json!({"transcript": "Hi.", "trigger": "manual", "words": []}));
    let answer = TranscriptEvent::Final { text: text("Hi."), finalized: true };
    assert_eq!(manual, [RecogniserMessage::SettledAtFinalize, event(answer)]);
}

#[test]
fn how_sure_a_recogniser_is_of_words_is_told_before_they_come() {
    let nova = |text: &str, sure: f64| {
        let message = json!({"type": "Results", "is_final": true, "from_finalize": true,
            "channel": {"alternatives": [{"transcript": text, "confidence": sure}]}});
        DeepgramSession { service: service(), is_flux: false }.read(&message)
    };
    let sure = |percent| RecogniserMessage::Event(TranscriptEvent::Sure { percent });
    assert_eq!(nova("Hi.", 0.456)[1], sure(45));
    assert_eq!(nova("Hi.", 1.0)[1], sure(100));
    assert!(nova("", 0.1).len() == 2 && nova("Hi.", 7.0).len() == 2, "nothing is said of what is nothing");
    let words = json!([{"word": "Hi", "confidence": 0.3}, {"word": "there", "confidence": 0.5}]);
    let told = flux("EndOfTurn", json!({"transcript": "Hi there.", "trigger": "model", "words": words}));
    assert_eq!(told[1], sure(40));
    let whisper = |logprob: f64| {
        let body = json!({"text": " Hi.", "segments": [{"text": " Hi.", "avg_logprob": logprob}]});
        read_answer(&service(), &body.to_string()).unwrap().confidence
    };
    assert_eq!(TranscriptEvent::before_words(whisper(-0.1)), Some(TranscriptEvent::Sure { percent: 90 }));
    assert_eq!(TranscriptEvent::before_words(whisper(-1.0)), Some(TranscriptEvent::Sure { percent: 36 }));
}

#[test]
fn both_shapes_of_the_long_answer_are_read() {
    let openai = r#"{"task":"transcribe","language":"english","duration":0.9,"text":" Hello Ada. ",
        "words":[{"word":"Hello","start":0.0,"end":0.4},{"word":"Ada","start":0.45,"end":0.9}]}"#;
    let whisper_cpp = r#"{"text":" Hello Ada.\n","segments":[{"id":0,"text":" Hello Ada.","words":
        [{"word":" Hello","start":0.0,"end":0.4,"t_dtw":-1,"probability":0.93},
         {"word":" Ada","start":0.45,"end":0.9,"t_dtw":-1,"probability":0.5}]}]}"#;
    for body in [openai, whisper_cpp] {
        assert_eq!(read_answer(&service(), body).unwrap().text, "Hello Ada.");
    }
    assert!(read_answer(&service(), r#"{"error":"failed to read WAV file"}"#).is_err());
}

#[test]
fn timed_characters_become_words() {
    let alignment = json!({"chars": ["H","i"," ","A","d","a","."," "],
        "charStartTimesMs": [0, 60, 100, 120, 180, 240, 300, 330],
        "charDurationsMs": [60, 40, 20, 60, 60, 60, 30, 10]});
    let word = |text: &str, start, end| SpokenWord {
        text: text.to_owned(),
        start: Duration::from_millis(start),
        end: Duration::from_millis(end),
    };
    assert_eq!(words_of_characters(Some(&alignment)), [word("Hi", 0, 100), word("Ada.", 120, 330)]);
}

#[test]
fn text_means_itself_in_ssml() {
    let ssml = ssml("de-DE-KatjaNeural", "</voice>\u{7} <break/> & \"so\"");
    assert!(ssml.contains(r#"xml:lang="de-DE""#), "{ssml}");
    assert!(ssml.contains("&lt;/voice&gt; &lt;break/&gt; &amp; &quot;so&quot;"), "{ssml}");
    assert_eq!(ssml.matches("</voice>").count(), 1);
}

#[test]
fn the_direction_stands_before_the_words() {
    let direction = GeminiDirection {
        audio_profile: Some("Ada, a dry clockmaker".to_owned()),
        scene: Some("a workshop at night".to_owned()),
        pace: Some("unhurried".to_owned()),
        context: Some("a friend came in".to_owned()),
        ..GeminiDirection::default()
    };
    assert_eq!(
        prompt(&direction, &Phrase::of("Sit down.")),
        "# AUDIO PROFILE: Ada, a dry clockmaker\n## THE SCENE: a workshop at night\n### DIRECTOR'S NOTES\nPace: \
         unhurried\n### SAMPLE CONTEXT\na friend came in\n#### TRANSCRIPT\nSit down."
    );
    assert_eq!(prompt(&GeminiDirection::default(), &Phrase::of("Sit down.")), "Say: Sit down.");
    let glad = Phrase { mood: Some("cheerful"), ..Phrase::of("Sit down.") };
    assert_eq!(
        prompt(&GeminiDirection::default(), &glad),
        "### DIRECTOR'S NOTES\nMood: cheerful\n#### TRANSCRIPT\nSit down."
    );
}

#[test]
fn a_command_line_is_split_as_people_expect() {
    let split = |line| command_words(line).map(|words| words.join("|"));
    assert_eq!(
        split(r#"piper --model "my voice.onnx" 'a b' c\ d """#).unwrap(),
        "piper|--model|my voice.onnx|a b|c d|"
    );
    assert_eq!(split(r"say 'it\n'").unwrap(), r"say|it\n");
    assert!(split("piper 'open").is_err());
    assert!(split("  ").is_err());
}

#[test]
fn a_stereo_wav_with_other_chunks_and_unknown_length_is_read() {
    let mut wav = b"RIFF\xff\xff\xff\xffWAVELIST\x03\0\0\0abc\0fmt \x10\0\0\0\x01\0\x02\0".to_vec();
    wav.extend_from_slice(&22_050_u32.to_le_bytes());
    wav.extend_from_slice(&88_200_u32.to_le_bytes());
    wav.extend_from_slice(b"\x04\0\x10\0data\xff\xff\xff\x7f");
    wav.extend(to_bytes(&[100, 300, -5, -7, 9]));
    assert_eq!(read_wav(&wav), Ok((22_050, vec![200, -6])));
    assert_eq!(read_wav(b"RIFF"), Err(WavError::Cut));
    assert_eq!(read_wav(b"ID3\x04"), Err(WavError::NotWav));
    let mut eight_bit = wav_bytes(8000, &[1]);
    eight_bit[34] = 8;
    assert_eq!(read_wav(&eight_bit), Err(WavError::Format { format: 1, bits: 8 }));
}

#[test]
fn a_file_of_another_rate_is_heard_at_the_same_pitch_and_length() {
    let tone = |rate: u32| -> Vec<i16> {
        let step = std::f64::consts::TAU * 440.0 / f64::from(rate);
        #[expect(clippy::cast_possible_truncation, reason = "within a sample")]
        (0..rate).map(|n| ((f64::from(n) * step).sin() * 12_000.0) as i16).collect()
    };
    for rate in [8_000, 22_050, 44_100, 48_000] {
        let heard = to_heard_rate(rate, &tone(rate)).unwrap();
        assert_eq!(heard.len(), 16_000);
        let (sum, wanted) = (&heard[1000..15_000], &tone(16_000)[1000..15_000]);
        let far = sum.iter().zip(wanted).map(|(a, b)| (i32::from(*a) - i32::from(*b)).abs()).max().unwrap();
        // Half a sample of delay is 1000 at this pitch: delays come in whole samples.
        assert!(far < 1_000, "{rate}: {far} apart");
    }
    assert_eq!(to_heard_rate(16_000, &[1, 2]), Ok(vec![1, 2]));
}

#[tokio::test]
async fn the_engine_goes_on_as_long_as_somebody_listens_and_not_longer() {
    let (tell, events) = mpsc::channel(1);
    let speech = Speech::new(24_000, events);
    let (seen, mut seeing) = mpsc::unbounded_channel();
    let mut relayed = speech.seen_by(4, move |event| seen.send(event.clone()).unwrap());
    for _ in 0..3 {
        tell.send(SpeechEvent::Samples(vec![1])).await.unwrap();
        assert_eq!(seeing.recv().await, Some(SpeechEvent::Samples(vec![1])));
    }
    assert!(!tell.is_closed());
    assert_eq!(relayed.events.recv().await, Some(SpeechEvent::Samples(vec![1])));
    drop(relayed);
    tell.closed().await;
}

/// Strings of JSON of about the right shape, so that readers get beyond their first line.
fn message() -> impl Strategy<Value = String> {
    let keys = prop::sample::select(vec![
        "type",
        "event",
        "transcript",
        "audio",
        "data",
        "context_id",
        "contextId",
        "is_final",
        "isFinal",
        "words",
        "word",
        "start",
        "end",
        "duration",
        "channel",
        "alternatives",
        "alignment",
        "chars",
        "charStartTimesMs",
        "charDurationsMs",
        "word_timestamps",
        "error",
        "message",
        "status_code",
        "audio_window_end",
        "text",
    ]);
    let words = prop::sample::select(vec![
        "Results",
        "TurnInfo",
        "EndOfTurn",
        "Update",
        "chunk",
        "timestamps",
        "done",
        "error",
        "AAAA",
        "====",
        "",
        "conversation.item.input_audio_transcription.delta",
        "Error",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        words.prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    let value = leaf.prop_recursive(4, 48, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((keys.clone(), inner), 0..6)
                .prop_map(|pairs| Value::Object(pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())),
        ]
    });
    prop_oneof![value.prop_map(|value| value.to_string()), ".{0,64}"]
}

proptest! {
    #[test]
    fn every_reader_bears_any_message(text in message()) {
        let _ = read_any(text.as_bytes());
    }

    #[test]
    fn every_reader_bears_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..512)) {
        let _ = read_any(&bytes);
    }

    #[test]
    fn sound_is_the_same_in_whatever_pieces_it_comes(
        samples in prop::collection::vec(any::<i16>(), 0..200),
        cuts in prop::collection::vec(0_usize..500, 0..8),
        rate in 8_000_u32..48_000,
    ) {
        let wav = wav_bytes(rate, &samples);
        prop_assert_eq!(read_wav(&wav), Ok((rate, samples.clone())));
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(wav.len())).collect();
        cuts.extend([0, wav.len()]);
        cuts.sort_unstable();
        let (mut reader, mut plain) = (WavReader::default(), PcmBytes::default());
        let (mut pieces, mut raw) = (Vec::new(), Vec::new());
        for pair in cuts.windows(2) {
            pieces.extend(reader.read(&wav[pair[0]..pair[1]]).unwrap());
            raw.extend(plain.read(&wav[pair[0]..pair[1]]));
        }
        prop_assert_eq!(pieces, samples);
        prop_assert_eq!(to_bytes(&raw), &wav[..]);
    }
}
