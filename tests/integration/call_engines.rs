//! Engines of a call that are slow, or that one person has used up.

use std::sync::atomic::Ordering;

use crate::support::call::*;
use crate::support::stage::person;

const NOTHING_EARLY: &str = "[voice]\nanswer_ahead = false\nfillers = []\n";

fn written(call: &CallStage) -> Vec<String> {
    call.written.lock().unwrap().clone()
}

/// Asks and has it answered; how long it took from then until it was heard or something was written.
async fn answered(call: &mut CallStage, question: &str, answer: &str) -> u64 {
    let (heard, told) = (call.heard_ms(), written(call).len());
    call.says("ana", question).await;
    call.next_request().await.reply(answer);
    let mut waited = 0;
    while call.heard_ms() == heard && written(call).len() == told {
        call.pass(20).await;
        waited += 20;
        assert!(waited < 20_000, "nothing came");
    }
    waited
}

#[tokio::test(start_paused = true)]
async fn a_voice_that_is_slow_to_begin_is_written_once_and_waited_for_from_then_on() {
    let mut call = CallStage::with_ana(NOTHING_EARLY).await;
    call.voice.takes.store(3_200, Ordering::Relaxed);
    let waited = answered(&mut call, "What time is it?", "Late.").await;
    assert!(waited <= 3_000, "{waited} ms");
    call.until("it is written", |call| written(call).len() == 2).await;
    assert!(written(&call)[0].starts_with("has no voice: ") && written(&call)[1] == "Late.");
    call.pass(4_000).await;
    let heard = call.heard_ms();
    let waited = answered(&mut call, "What time is it now?", "Later.").await;
    assert!((3_000..4_000).contains(&waited), "{waited} ms");
    call.until_said().await;
    assert_eq!(call.heard_ms() - heard, 300);
    call.pass(4_000).await;
    answered(&mut call, "What time is it by now?", "Later still.").await;
    call.until_said().await;
    call.pass(1_000).await;
    assert_eq!(written(&call)[2..], ["speaks again"]);

    // It stalls for good: no longer than half as long again as it ever took.
    call.voice.stalls.store(true, Ordering::Relaxed);
    let waited = answered(&mut call, "Is it late already?", "Too late.").await;
    assert!((4_700..=4_900).contains(&waited), "{waited} ms");
    call.until("it is written", |call| written(call).len() == 5).await;
    assert!(written(&call)[3].starts_with("has no voice: ") && written(&call)[4] == "Too late.");
}

#[tokio::test(start_paused = true)]
async fn a_voice_that_never_begins_is_told_of_once() {
    let mut call = CallStage::with_ana(NOTHING_EARLY).await;
    call.voice.stalls.store(true, Ordering::Relaxed);
    for _ in 0..3 {
        answered(&mut call, "What time is it?", "Late.").await;
        call.pass(7_000).await;
    }
    answered(&mut call, "What time is it?", "Late.").await;
    call.pass(500).await;
    let told = written(&call);
    assert_eq!(told.iter().filter(|line| line.starts_with("has no voice")).count(), 1, "{told:?}");
    assert_eq!(told.iter().filter(|line| *line == "Late.").count(), 4, "{told:?}");
}

#[tokio::test(start_paused = true)]
async fn while_a_slow_voice_begins_a_filler_is_heard() {
    let mut call = CallStage::with_ana("[voice]\nanswer_ahead = false\nfillers = [\"Hmm.\"]\n").await;
    // How slow it is shows with its answers; and what is nearly there is not put off.
    for takes in [2_200, 3_000] {
        call.voice.takes.store(takes, Ordering::Relaxed);
        let waited = answered(&mut call, "What time is it?", "Late.").await;
        assert!((takes..=takes + 200).contains(&waited), "{waited} ms");
        call.until_said().await;
        call.pass(1_000).await;
    }
    let waited = answered(&mut call, "What time is it now?", "Later.").await;
    assert!(waited <= 2_300, "{waited} ms");
    call.until("it has said both", |call| call.heard_ms() >= 1_200).await;
    call.pass(500).await;
    call.stored().await;
    assert_eq!(call.remembered().await[5].1, "Hmm. Later.");
    assert!(written(&call).is_empty());
}

#[tokio::test(start_paused = true)]
async fn what_one_person_may_have_said_to_them_is_their_cap_alone() {
    let mut call = CallStage::with_ana(NOTHING_EARLY).await;
    call.joins("bob").await;
    *call.voice.over_for.lock().unwrap() = Some(person("ana").account);
    for _ in 0..2 {
        call.says("ana", "Mika, what time is it?").await;
        call.next_request().await.reply("Late.");
        call.pass(1_000).await;
        call.stored().await;
        let heard = call.heard_ms();
        call.talk("bob", "Mika, what time is it?", "Late.").await;
        assert_eq!(call.heard_ms() - heard, 300, "he is answered aloud");
    }
    let told = written(&call);
    assert!(
        matches!(&told[..], [one, two, three]
        if one.starts_with("does not speak to ") && two == "Late." && three == "Late."),
        "{told:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn what_is_heard_of_one_person_is_their_cap_alone() {
    let mut call = CallStage::open(NOTHING_EARLY).await;
    *call.ears.over_for.lock().unwrap() = Some(person("ana").account);
    call.joins("ana").await;
    call.joins("bob").await;
    for _ in 0..3 {
        call.says("ana", "Mika, are you there?").await;
        call.pass(12_000).await;
        call.talk("bob", "Mika, what time is it?", "Late.").await;
    }
    let told = written(&call);
    assert!(matches!(&told[..], [one] if one.starts_with("does not hear ")), "{told:?}");
}

/// People are told within three seconds that words are lost, and then nothing comes of them any more. One that is only slow
/// is waited for longer from then on, whoever speaks.
#[tokio::test(start_paused = true)]
async fn what_a_recogniser_of_whole_utterances_is_too_slow_for_is_told_or_answered_and_never_both() {
    let mut call = CallStage::open(NOTHING_EARLY).await;
    call.ears.hears_whole.store(true, Ordering::Relaxed);
    for who in ["ana", "bob"] {
        call.joins(who).await;
    }
    let told =
        |call: &CallStage| written(call).iter().filter(|line| line.starts_with("misses words: ")).count();
    for (who, takes, is_lost) in [
        ("ana", 2_000, false),
        ("ana", 4_000, true),
        ("ana", 4_000, false),
        ("bob", 5_800, false),
        ("bob", 6_500, true),
        ("ana", 2_800, false),
        ("ana", 4_500, true),
    ] {
        call.ears.takes.store(takes, Ordering::Relaxed);
        let before = told(&call);
        call.utters(who, "Mika, what time is it?", 900).await;
        if is_lost {
            call.pass(takes + 3_000).await;
            assert!(!call.stage.models.was_asked_again().await, "{who}, {takes}");
        } else {
            call.pass(takes + 1_000).await;
            call.answers("Late.").await;
        }
        // Told of once as long as it goes on.
        assert!(told(&call) - before <= usize::from(is_lost), "{who}, {takes}: {:?}", written(&call));
    }
    assert!(told(&call) >= 1, "{:?}", written(&call));
}

#[tokio::test(start_paused = true)]
async fn a_recogniser_of_whole_utterances_that_stalls_is_told_of_within_three_seconds() {
    let mut call = CallStage::open(NOTHING_EARLY).await;
    call.ears.hears_whole.store(true, Ordering::Relaxed);
    *call.ears.fault.lock().unwrap() = Some(EarFault::Stalls);
    call.joins("ana").await;
    call.speaks("ana", 900).await;
    call.stops("ana");
    call.pass(2_800).await;
    assert!(written(&call).is_empty(), "{:?}", written(&call));
    call.pass(400).await;
    assert!(
        matches!(&written(&call)[..], [one] if one.starts_with("misses words: ")),
        "{:?}",
        written(&call)
    );
}

/// Whoever speaks on after a pause is asked for again before the first answer is there: each answer has its own deadline.
#[tokio::test(start_paused = true)]
async fn the_second_of_two_answers_that_are_waited_for_has_a_deadline_of_its_own() {
    for first in ["", "Mika, I wonder"] {
        let mut call = CallStage::open(NOTHING_EARLY).await;
        call.ears.hears_whole.store(true, Ordering::Relaxed);
        call.ears.takes.store(1_500, Ordering::Relaxed);
        call.joins("ana").await;
        call.utters("ana", first, 900).await;
        call.pass(400).await;
        *call.ears.fault.lock().unwrap() = Some(EarFault::Stalls);
        call.speaks("ana", 600).await;
        call.stops("ana");
        call.pass(2_700).await;
        assert!(written(&call).is_empty(), "{:?}", written(&call));
        call.pass(400).await;
        assert!(
            matches!(&written(&call)[..], [one] if one.starts_with("misses words: ")),
            "{first}: {:?}",
            written(&call)
        );
    }
}

/// The piece that was waited for in vain is lost, and no word of what they say while that shows.
#[tokio::test(start_paused = true)]
async fn who_speaks_on_while_an_answer_does_not_come_is_understood_from_there() {
    let mut call = CallStage::open(NOTHING_EARLY).await;
    call.ears.hears_whole.store(true, Ordering::Relaxed);
    call.ears.takes.store(4_000, Ordering::Relaxed);
    call.joins("ana").await;
    call.utters("ana", "Mika, this is lost.", 900).await;
    call.pass(500).await;
    call.ears.takes.store(100, Ordering::Relaxed);
    call.will_have_said("ana", "Mika, what time is it?");
    call.speaks("ana", 3_500).await;
    assert!(
        matches!(&written(&call)[..], [one] if one.starts_with("misses words: ")),
        "{:?}",
        written(&call)
    );
    call.stops("ana");
    call.pass(1_500).await;
    let asked = call.next_request().await;
    let transcript = asked.transcript();
    assert!(transcript.contains("what time is it?") && !transcript.contains("this is lost"), "{transcript}");
    call.replied(asked, "Late.").await;
    // All of it was given to the first; two seconds and more were given to the second again.
    let given = call.given("ana") / 16;
    assert!(given >= 900 + 3_500 + 2_000, "{given} ms");
}

/// The piece that it failed at is lost, and no word after it, whether it failed before they spoke on or while they did.
#[tokio::test(start_paused = true)]
async fn who_speaks_on_when_a_recogniser_of_whole_utterances_failed_is_understood_from_there() {
    for takes in [0, 800] {
        let mut call = CallStage::open(NOTHING_EARLY).await;
        call.ears.hears_whole.store(true, Ordering::Relaxed);
        call.ears.takes.store(takes, Ordering::Relaxed);
        *call.ears.fault.lock().unwrap() = Some(EarFault::Fails);
        call.joins("ana").await;
        call.utters("ana", "Mika, this is lost.", 900).await;
        call.pass(400).await;
        *call.ears.fault.lock().unwrap() = None;
        assert_eq!(written(&call).len(), usize::from(takes == 0), "it failed by now, or not yet");
        call.will_have_said("ana", "Mika, what time is it?");
        call.speaks("ana", 1_500).await;
        assert!(
            matches!(&written(&call)[..], [one] if one.starts_with("misses words: ")),
            "{takes}: {:?}",
            written(&call)
        );
        call.stops("ana");
        call.pass(2_500).await;
        let transcript = call.next_request().await.transcript();
        assert!(transcript.contains("what time is it?") && !transcript.contains("lost"), "{transcript}");
    }
}
