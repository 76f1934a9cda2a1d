//! Calls from packets to stored words and back, with scripted engines.

use std::sync::atomic::Ordering;

use familiar_connect::domain::*;
use familiar_connect::session::EarlyAnswers;
use familiar_connect::voice::CallEvent;

use crate::support::call::{CallStage, Engines, wheelhouse};
use crate::support::stage::person;

fn lines(remembered: &[(String, String)]) -> Vec<(&str, &str)> {
    remembered.iter().map(|(who, words)| (who.as_str(), words.as_str())).collect()
}

#[tokio::test(start_paused = true)]
async fn what_is_said_in_a_call_is_answered_aloud_and_remembered() {
    let mut call = CallStage::open("").await;
    call.joins("ana").await;
    call.says("ana", "What time is it?").await;
    let asked = call.next_request().await;
    assert!(asked.transcript().contains("What time is it?"), "{}", asked.transcript());
    asked.reply("It is **late**, very late. *yawns* Go to bed! 🎉");
    call.until_said().await;
    assert_eq!(
        lines(&call.remembered().await),
        [("Ana", "What time is it?"), ("Mika", "It is late, very late. Go to bed!")]
    );
    assert_eq!(*call.voice.spoken.lock().unwrap(), ["It is late,", "very late.", "Go to bed!"]);
    let heard = call.heard_ms();
    assert!((2_300..=2_700).contains(&heard), "eight words of 300 ms: {heard}");
    let remembered = call.remembered().await;
    assert_eq!(*call.transcript.lock().unwrap(), remembered, "for a transcript");
    let outcomes = call.stage.outcomes().await;
    assert_eq!(outcomes, [Outcome::Replied { messages: 1 }]);
    let (_, figures) = call.close().await;
    assert_eq!((figures.said, figures.left, figures.refused), (1, 0, 0));
}

#[tokio::test(start_paused = true)]
async fn who_interrupts_is_answered_and_what_was_heard_is_what_was_said() {
    let mut call = CallStage::open("[voice.interruption]\ninterrupt_tolerance = \"very_meek\"\n").await;
    call.voice.times_words.store(true, Ordering::Relaxed);
    call.joins("ana").await;
    call.says("ana", "Tell me about the river.").await;
    call.next_request().await.reply(
        "The river is very old and very slow and nobody knows where it begins. The ferry is older than the bridge.",
    );
    call.until_audible().await;
    call.pass(1_500).await;
    call.will_have_said("ana", "No, I meant the other river.");
    call.speaks("ana", 700).await;
    call.partial("ana", "no I meant the other river").await;
    call.speaks("ana", 100).await;
    call.stops("ana");
    let before = call.heard_ms();
    call.pass(700).await;
    assert!(call.heard_ms() <= before + 20, "it is silent");
    let asked = call.next_request().await;
    let transcript = asked.transcript();
    assert!(transcript.contains("You were just interrupted."), "{transcript}");
    assert!(transcript.contains("The ferry is older than the bridge."), "{transcript}");
    asked.reply("Oh, that one.");
    call.until_said().await;
    let remembered = call.remembered().await;
    let [(_, first), (who, heard), (_, second), (_, last)] = &remembered[..] else {
        panic!("{remembered:?}")
    };
    assert_eq!(
        (first.as_str(), second.as_str()),
        ("Tell me about the river.", "No, I meant the other river.")
    );
    assert_eq!((who.as_str(), last.as_str()), ("Mika", "Oh, that one."));
    let all = "The river is very old and very slow and nobody knows where it begins.";
    assert!(all.starts_with(heard.as_str()), "{heard}");
    let words = heard.split_whitespace().count();
    assert!((5..=8).contains(&words), "heard for {before} ms: {heard}");
    let told = call.transcript.lock().unwrap().clone();
    assert!(told.contains(&("Mika".to_owned(), heard.clone())), "not what was planned: {told:?}");
    let outcomes = call.stage.outcomes().await;
    assert_eq!(outcomes[0], Outcome::Cancelled { reason: CancelReason::Interrupted, messages: 1 });
}

#[tokio::test(start_paused = true)]
async fn a_nod_makes_it_quieter_and_nothing_else() {
    let mut call = CallStage::open("").await;
    call.joins("ana").await;
    call.says("ana", "Tell me about the river.").await;
    call.next_request()
        .await
        .reply("The river is very old and very slow and nobody knows where it begins at all.");
    call.until_audible().await;
    call.pass(1_000).await;
    call.will_have_said("ana", "Mm-hm.");
    call.speaks("ana", 240).await;
    call.partial("ana", "mm-hm").await;
    call.stops("ana");
    call.until_said().await;
    let remembered = call.remembered().await;
    assert_eq!(remembered.len(), 2, "{remembered:?}");
    assert_eq!(
        remembered[1].1,
        "The river is very old and very slow and nobody knows where it begins at all."
    );
}

#[tokio::test(start_paused = true)]
async fn without_a_voice_answers_are_written() {
    let mut call = CallStage::with("", Engines::NoVoice).await;
    call.joins("ana").await;
    call.says("ana", "What time is it?").await;
    call.next_request().await.reply("It is **late**.");
    call.until("it is written", |call| call.written.lock().unwrap().len() == 2).await;
    call.stored().await;
    assert_eq!(*call.written.lock().unwrap(), ["has no voice: its voice is switched off", "It is **late**."]);
    assert_eq!(call.heard_ms(), 0);
    assert_eq!(lines(&call.remembered().await)[1], ("Mika", "It is **late**."));
}

#[tokio::test(start_paused = true)]
async fn a_voice_that_breaks_off_or_falls_silent_is_finished_in_writing() {
    let mut call = CallStage::open("").await;
    call.joins("ana").await;
    call.voice.fails_from.store(2, Ordering::Relaxed);
    call.says("ana", "What time is it?").await;
    call.next_request().await.reply("It is late, and the ferry is gone. Sleep well.");
    call.until("it is written", |call| call.written.lock().unwrap().len() == 2).await;
    call.pass(1_500).await;
    call.stored().await;
    assert_eq!(call.written.lock().unwrap()[1], "and the ferry is gone. Sleep well.");
    assert_eq!(lines(&call.remembered().await)[1].1, "It is late,\nand the ferry is gone. Sleep well.");

    let mut call = CallStage::open("").await;
    call.joins("ana").await;
    call.voice.stalls.store(true, Ordering::Relaxed);
    call.says("ana", "What time is it?").await;
    call.next_request().await.reply("Late.");
    let mut waited = 0;
    while call.written.lock().unwrap().len() < 2 {
        call.pass(100).await;
        waited += 100;
    }
    assert!(waited <= 3_000, "{waited} ms");
    assert_eq!(call.written.lock().unwrap()[1], "Late.");
}

#[tokio::test(start_paused = true)]
async fn nothing_is_decoded_of_who_did_not_agree_or_no_longer_does() {
    let mut call = CallStage::open("").await;
    call.joins_as("bob", false).await;
    call.speaks("bob", 600).await;
    assert_eq!(call.given("bob"), 0);
    call.tell(CallEvent::ConsentChanged { account: person("bob").account, consents: true }).await;
    call.speaks("bob", 600).await;
    assert!(call.given("bob") > 0);
    call.tell(CallEvent::ConsentChanged { account: person("bob").account, consents: false }).await;
    let given = call.given("bob");
    call.speaks("bob", 600).await;
    call.pass(3_000).await;
    assert_eq!(call.given("bob"), given);
    let (stage, figures) = call.close().await;
    assert_eq!(stage.remembered_in(&wheelhouse()).await, [], "half a sentence of theirs is not kept");
    assert_eq!((figures.refused, figures.said, figures.left), (60, 0, 1));
}

#[tokio::test(start_paused = true)]
async fn what_is_typed_in_the_call_is_answered_aloud() {
    let mut call = CallStage::with("", Engines::NoEars).await;
    call.joins("ana").await;
    let event = call.stage.message(&wheelhouse(), "ana", "hello there", TriggerHints::default());
    let InboundEvent::Message(message) = event else { unreachable!() };
    call.tell(CallEvent::Typed(message)).await;
    call.next_request().await.reply("Hello, Ana.");
    call.until_said().await;
    assert_eq!(lines(&call.remembered().await), [("Ana", "hello there"), ("Mika", "Hello, Ana.")]);
    assert!(call.heard_ms() > 400);
    assert_eq!(*call.written.lock().unwrap(), ["hears nothing: there is no key for it"]);
}

#[tokio::test(start_paused = true)]
async fn what_is_said_before_an_answer_can_be_heard_is_answered_with_it() {
    let mut call = CallStage::open("[voice]\nfillers = []\n").await;
    call.joins("ana").await;
    call.says("ana", "What time is it?").await;
    let first = call.next_request().await;
    call.says("ana", "And where is the ferry?").await;
    let second = call.next_request().await;
    first.abandoned().await;
    let transcript = second.transcript();
    assert!(transcript.contains("What time is it?") && transcript.contains("And where is the ferry?"));
    second.reply("Late, and gone.");
    call.until_said().await;
    let remembered = call.remembered().await;
    assert_eq!(remembered.len(), 3, "{remembered:?}");
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_begun_before_they_are_surely_finished_and_nothing_is_stored_before() {
    let mut call = CallStage::open("").await;
    call.joins("ana").await;
    call.ears.takes.store(300, Ordering::Relaxed);
    call.will_have_said("ana", "What time is it?");
    call.speaks("ana", 1_200).await;
    call.partial("ana", "what time is it").await;
    call.stops("ana");
    call.pass(240).await;
    let mut asked = call.next_request().await;
    asked.say("Late, and ");
    call.pass(60).await;
    assert_eq!(call.remembered().await, [], "nobody knows yet whether that was all");
    assert_eq!(call.heard_ms(), 0);
    call.pass(400).await;
    asked.say("dark.");
    asked.end();
    call.until_said().await;
    assert_eq!(lines(&call.remembered().await), [("Ana", "What time is it?"), ("Mika", "Late, and dark.")]);
    assert_eq!(call.stage.outcomes().await, [Outcome::Replied { messages: 1 }]);
    let (stage, figures) = call.close().await;
    assert_eq!(figures.guesses, (1, 1));
    assert_eq!(stage.session.early_answers(), EarlyAnswers { begun: 1, kept: 1 });
    assert!(!stage.models.was_asked_again().await, "one request for one answer");
}

#[tokio::test(start_paused = true)]
async fn an_answer_to_other_words_is_thrown_away_unheard() {
    let mut call = CallStage::open("").await;
    call.joins("ana").await;
    call.ears.takes.store(300, Ordering::Relaxed);
    call.will_have_said("ana", "What lime is it?");
    call.speaks("ana", 1_200).await;
    call.partial("ana", "what time is it").await;
    call.stops("ana");
    call.pass(240).await;
    let mut wrong = call.next_request().await;
    assert!(wrong.transcript().contains("what time is it"), "{}", wrong.transcript());
    wrong.say("Late.");
    call.pass(700).await;
    wrong.abandoned().await;
    let right = call.next_request().await;
    assert!(right.transcript().contains("What lime is it?"), "{}", right.transcript());
    right.reply("A green one.");
    call.until_said().await;
    assert_eq!(lines(&call.remembered().await), [("Ana", "What lime is it?"), ("Mika", "A green one.")]);
    assert_eq!(*call.voice.spoken.lock().unwrap(), ["A green one."]);
}

#[tokio::test(start_paused = true)]
async fn an_early_answer_is_to_what_was_overheard_as_well() {
    let mut call = CallStage::open("").await;
    for who in ["ana", "bob", "cleo"] {
        call.joins(who).await;
    }
    call.says("ana", "Bob, the ferry was late.").await;
    call.says("bob", "Ana, it was full too.").await;
    call.stored().await;
    call.ears.takes.store(300, Ordering::Relaxed);
    call.will_have_said("ana", "Mika, how full was it?");
    call.speaks("ana", 1_200).await;
    call.partial("ana", "mika how full was it").await;
    call.stops("ana");
    call.pass(240).await;
    let asked = call.next_request().await;
    assert!(asked.transcript().contains("it was full too"), "{}", asked.transcript());
    call.pass(500).await;
    asked.reply("To the rails.");
    call.until_said().await;
    let (stage, _) = call.close().await;
    assert_eq!(stage.session.early_answers(), EarlyAnswers { begun: 1, kept: 1 });
    assert!(!stage.models.was_asked_again().await, "one request for one answer");
}

#[tokio::test(start_paused = true)]
async fn in_a_group_the_model_may_find_that_nothing_is_to_be_said() {
    let mut call = CallStage::open("").await;
    call.joins("ana").await;
    call.joins("bob").await;
    call.says("bob", "Mika, what time is it?").await;
    let asked = call.next_request().await;
    assert!(!asked.transcript().contains("<silent>"), "who was named answers: {}", asked.transcript());
    asked.reply("Late.");
    call.until_said().await;

    call.says("bob", "Do you know where the ferry went?").await;
    let mut asked = call.next_request().await;
    assert!(asked.transcript().contains("<silent>"), "{}", asked.transcript());
    let heard = call.heard_ms();
    for piece in ["\n", "<si", "lent>", " They talk with each other."] {
        asked.say(piece);
    }
    asked.end();
    call.pass(2_000).await;
    call.stored().await;
    assert_eq!((call.heard_ms(), call.written.lock().unwrap().len()), (heard, 0));
    let silent = Outcome::Silent { reason: SilenceReason::FoundNothingToSay };
    assert_eq!(call.stage.outcomes().await, [Outcome::Replied { messages: 1 }, silent]);
    assert_eq!(
        lines(&call.remembered().await),
        [("Bob", "Mika, what time is it?"), ("Mika", "Late."), ("Bob", "Do you know where the ferry went?")]
    );
}

#[tokio::test(start_paused = true)]
async fn who_was_not_finished_is_answered_with_the_rest_or_after_a_while() {
    let mut call = CallStage::open("").await;
    call.joins("ana").await;
    call.says("ana", "the red one").await;
    let asked = call.next_request().await;
    assert!(asked.transcript().contains("<wait long>"), "{}", asked.transcript());
    asked.reply("<wait>");
    call.pass(600).await;
    call.ended(1).await;
    call.says("ana", "is mine, what is yours?").await;
    let asked = call.next_request().await;
    let transcript = asked.transcript();
    assert!(transcript.contains("the red one") && transcript.contains("is mine"), "{transcript}");
    assert!(!transcript.contains("<wait"), "{transcript}");
    asked.reply("The blue one.");
    call.until_said().await;

    call.says("ana", "the green one").await;
    call.next_request().await.reply("<wait>");
    call.pass(600).await;
    call.ended(3).await;
    call.pass(4_800).await;
    assert!(!call.stage.models.was_asked_again().await);
    call.pass(400).await;
    let asked = call.next_request().await;
    assert!(asked.transcript().contains("the green one") && !asked.transcript().contains("<wait"));
    asked.reply("Yes?");
    call.until_said().await;
    let remembered = call.remembered().await;
    let said: Vec<&str> = remembered.iter().map(|(_, words)| words.as_str()).collect();
    assert_eq!(said, ["the red one", "is mine, what is yours?", "The blue one.", "the green one", "Yes?"]);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_ends_in_the_middle_keeps_what_was_heard() {
    let mut call = CallStage::open("").await;
    call.voice.times_words.store(true, Ordering::Relaxed);
    call.joins("ana").await;
    call.says("ana", "Tell me about the river.").await;
    call.next_request().await.reply("The river is very old and very slow and nobody knows where it begins.");
    call.until_audible().await;
    call.pass(1_000).await;
    let (stage, _) = call.close().await;
    stage.session.drain().await;
    let remembered = stage.remembered_in(&wheelhouse()).await;
    let heard = &remembered[1].1;
    assert!("The river is very old and very slow".starts_with(heard.as_str()) && heard.len() > 8, "{heard}");
}
