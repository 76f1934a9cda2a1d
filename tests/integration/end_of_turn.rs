//! An end-of-turn model that hears whether somebody has finished.

use familiar_connect::voice::end_of_turn::{EndOfTurn, EndOfTurnModel};

use crate::support::call::{CallStage, Engines, patiently};
use crate::support::log::Log;
use crate::support::tiny_ending;
use crate::support::voice::{Sound, decoded};

/// The tiny model takes whoever whistles for somebody who goes on.
fn whistling(sound: Sound) -> Sound {
    sound.marked(tiny_ending::WHISTLE_HZ, 0.2)
}

#[test]
fn s2_2_a_model_in_a_file_hears_who_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tiny.onnx");
    tiny_ending::put(&file);
    let model = EndOfTurnModel::open(&file).unwrap();
    let heard = |sound: Sound| -> Vec<i16> {
        let frames = sound.frames();
        let samples = decoded(frames.iter().map(Vec::as_slice), 16_000);
        samples.into_iter().map(|sample| (sample * 32_767.0) as i16).collect()
    };
    assert_eq!(model.is_finished(&heard(Sound::voiced(11, 1_200))), Some(true));
    assert_eq!(model.is_finished(&heard(whistling(Sound::voiced(11, 1_200)))), Some(false));
    assert_eq!(model.is_finished(&[]), Some(true), "of nothing there is a picture too");
}

#[test]
fn a_file_that_is_no_such_model_is_refused_with_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let told = |name: &str| EndOfTurnModel::open(&folder.path().join(name)).unwrap_err().to_string();
    assert!(told("away.onnx").contains("away.onnx"), "{}", told("away.onnx"));
    std::fs::write(folder.path().join("text.onnx"), "no model").unwrap();
    assert!(told("text.onnx").contains("text.onnx is no end-of-turn model"), "{}", told("text.onnx"));
    tiny_ending::put_of(&folder.path().join("other.onnx"), 40);
    assert!(told("other.onnx").contains("other.onnx is no end-of-turn model"), "{}", told("other.onnx"));
}

/// How long they were meant to be waited for, in milliseconds, as the log says.
async fn waited_for(text: &str, sound: Sound) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tiny.onnx");
    tiny_ending::put(&file);
    let (log, _logged) = Log::of_this_thread();
    let end_of_turn = EndOfTurn::reading(file);
    patiently("the model", async {
        while !end_of_turn.is_ready() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let mut call = CallStage::hearing_ends("", Engines::Both, end_of_turn).await;
    call.joins("ana").await;
    call.will_have_said("ana", text);
    call.sounds("ana", &sound).await;
    call.stops("ana");
    // They are found to pause, and nothing is decided yet.
    call.pass(160).await;
    patiently("what the model thinks", async {
        while !log.text().contains("how their pause sounds") {
            tokio::task::yield_now().await;
        }
    })
    .await;
    call.until("their turn is over", |_| log.text().contains("their turn is over")).await;
    let text = log.text();
    let line = text.lines().find(|line| line.contains("their turn is over")).unwrap();
    let (_, wait) = line.split_once("wait_ms=").unwrap();
    wait.split_whitespace().next().unwrap().parse().unwrap()
}

#[tokio::test(start_paused = true)]
async fn s2_2_in_a_call_words_and_voice_together_tell_whether_somebody_has_finished() {
    let statement = "I went to the market";
    assert_eq!(waited_for(statement, Sound::voiced(11, 1_200)).await, 270);
    assert_eq!(waited_for(statement, whistling(Sound::voiced(11, 1_200))).await, 1_500);
    let open = "I went to the";
    assert_eq!(waited_for(open, Sound::voiced(11, 1_200)).await, 600, "neither is believed alone");
    assert_eq!(waited_for(open, whistling(Sound::voiced(11, 1_200))).await, 1_500);
}
