//! Calls from packets to stored words and back, with scripted engines.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use familiar_connect::domain::*;
use familiar_connect::session::{EarlyAnswers, Gone, Then};
use familiar_connect::voice::engines::TranscriptEvent;
use familiar_connect::voice::{CallDid, CallEvent, CallTurn};
use familiar_connect::world::CallVoice;
use tokio::time::Instant;

use crate::support::call::{CallStage, EarFault, Engines, in_call, patiently, wheelhouse};
use crate::support::stage::{Asked, Stage, UNADDRESSED, person};

pub(crate) fn lines(remembered: &[(String, String)]) -> Vec<(&str, &str)> {
    remembered.iter().map(|(who, words)| (who.as_str(), words.as_str())).collect()
}

#[tokio::test(start_paused = true)]
async fn what_is_said_in_a_call_is_answered_aloud_and_remembered() {
    let mut call = CallStage::with_ana("").await;
    let asked = call.asked("ana", "What time is it?").await;
    assert!(asked.transcript().contains("What time is it?"), "{}", asked.transcript());
    call.replied(asked, "It is **late**, very late. *yawns* Go to bed! 🎉").await;
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
    call.replied(asked, "Oh, that one.").await;
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
async fn m17_a_reply_that_is_cut_off_counts_for_whoever_cut_it_off() {
    for (learns_from, counted) in [("bob", true), ("ana", false)] {
        let mut call = CallStage::open("[voice.interruption]\ninterrupt_tolerance = \"very_meek\"\n").await;
        call.stage.pairing.lets_learn(&person(learns_from).account).unwrap();
        call.voice.times_words.store(true, Ordering::Relaxed);
        call.joins("ana").await;
        call.joins("bob").await;
        call.says("ana", "Mika, tell me about the river.").await;
        let river =
            "The river is very old and very slow and nobody knows where it begins. It ends in the sea.";
        call.next_request().await.reply(river);
        call.until_audible().await;
        call.pass(1_500).await;
        call.will_have_said("bob", "Mika, I meant the other river.");
        call.speaks("bob", 700).await;
        call.partial("bob", "Mika I meant the other river").await;
        call.speaks("bob", 100).await;
        call.stops("bob");
        call.pass(700).await;
        call.answers("Oh, that one.").await;
        let responses = call.stage.history.whole().all_responses(None).await.unwrap();
        let told: Vec<_> = responses.iter().map(|one| (one.response.by.clone(), one.response.deed)).collect();
        let expected = counted.then(|| (person("bob").account, Deed::CutOff));
        assert_eq!(told, expected.into_iter().collect::<Vec<_>>(), "it learns from {learns_from}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_nod_makes_it_quieter_and_nothing_else() {
    let mut call = CallStage::with_ana("").await;
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
async fn whoever_looks_on_sees_whose_turn_it_is_and_what_happened_but_nobodys_words() {
    let mut call = CallStage::open("[voice.interruption]\ninterrupt_tolerance = \"very_meek\"\n").await;
    let looks = |call: &CallStage| call.now.of(&wheelhouse().channel).unwrap();
    let did = |call: &CallStage| looks(call).moments.into_iter().map(|one| one.what).collect::<Vec<_>>();
    call.joins("ana").await;
    assert_eq!(looks(&call).turn, CallTurn::Listens);
    call.says("ana", "Tell me about the river.").await;
    call.next_request()
        .await
        .reply("The river is very old and very slow and nobody knows where it begins. The ferry is older.");
    call.until_audible().await;
    assert_eq!(looks(&call).turn, CallTurn::Speaks);
    let heard = did(&call).into_iter().find(|what| matches!(what, CallDid::Heard { .. }));
    let Some(CallDid::Heard { who, whom, is_sure: true, words_percent: None }) = heard else {
        panic!("{heard:?}")
    };
    assert!(who == person("ana").account && whom.is_for_familiar(), "{whom:?}");
    call.pass(1_500).await;
    call.will_have_said("ana", "No, I meant the other river.");
    call.speaks("ana", 700).await;
    call.partial("ana", "no I meant the other river").await;
    call.recogniser_tells("ana", TranscriptEvent::Sure { percent: 41 }).await;
    call.speaks("ana", 100).await;
    call.stops("ana");
    call.pass(700).await;
    let what = did(&call);
    let hardly = CallDid::HardlyUnderstands { who: person("ana").account, percent: 41 };
    assert!(what.contains(&hardly), "{what:?}");
    let first = what.iter().position(|what| *what == CallDid::Ducks).unwrap();
    let broke_off = what.iter().position(|what| *what == CallDid::BreaksOff).unwrap();
    assert!(first < broke_off, "{what:?}");
    call.next_request().await.reply("Oh, that one.");
    let is_told = |what: &CallDid| matches!(what, CallDid::Heard { words_percent: Some(41), .. });
    assert!(did(&call).iter().any(is_told), "how sure of its words: {:?}", did(&call));
    call.until_said().await;

    // Of whoever wants to be heard no more, nothing is remembered; nor of a call that is over.
    let account = person("ana").account;
    call.tell(CallEvent::ConsentChanged { account: account.clone(), consents: false }).await;
    call.pass(100).await;
    let left = did(&call);
    let is_hers = |what: &CallDid| matches!(what, CallDid::Heard { who, .. } if *who == account);
    assert!(!left.iter().any(is_hers), "{left:?}");
    let now = Arc::clone(&call.now);
    call.close().await;
    assert!(now.of(&wheelhouse().channel).is_none());
}

#[tokio::test(start_paused = true)]
async fn the_world_knows_who_speaks_in_a_call_until_they_stop_withdraw_or_it_is_over() {
    let mut call = CallStage::with_ana("").await;
    call.joins("bob").await;
    let both = Arc::new(vec![in_call("ana", CallVoice::Silent), in_call("bob", CallVoice::Silent)]);
    call.stage.world.guild(&wheelhouse().guild.unwrap(), |state| state.calls = both);
    let speaking = |stage: &Stage| -> Vec<String> {
        let (seen, place) = (stage.world.snapshot(), wheelhouse());
        let calls = seen.for_place(&place).calls();
        let people = calls.iter().flat_map(|call| &call.people);
        people.filter(|one| one.voice == CallVoice::Speaking).map(|one| one.name.clone()).collect()
    };
    call.speaks("bob", 600).await;
    assert_eq!(speaking(&call.stage), ["Bob"]);
    call.stops("bob");
    call.pass(3_000).await;
    assert_eq!(speaking(&call.stage), [""; 0]);
    call.speaks("bob", 600).await;
    assert_eq!(speaking(&call.stage), ["Bob"]);
    call.tell(CallEvent::ConsentChanged { account: person("bob").account, consents: false }).await;
    assert_eq!(speaking(&call.stage), [""; 0], "nothing of theirs is known any more");
    call.speaks("ana", 600).await;
    assert_eq!(speaking(&call.stage), ["Ana"]);
    let (stage, _) = call.close().await;
    assert_eq!(speaking(&stage), [""; 0], "the call is over");
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
    let mut call = CallStage::with_ana("").await;
    call.voice.fails_from.store(2, Ordering::Relaxed);
    call.says("ana", "What time is it?").await;
    call.next_request().await.reply("It is late, and the ferry is gone. Sleep well.");
    call.until("it is written", |call| call.written.lock().unwrap().len() == 2).await;
    call.pass(1_500).await;
    call.stored().await;
    assert_eq!(call.written.lock().unwrap()[1], "and the ferry is gone. Sleep well.");
    assert_eq!(lines(&call.remembered().await)[1].1, "It is late,\nand the ferry is gone. Sleep well.");

    let mut call = CallStage::with_ana("").await;
    call.voice.stalls.store(true, Ordering::Relaxed);
    call.says("ana", "What time is it?").await;
    call.next_request().await.reply("Late.");
    call.until("it is to be said", |call| !call.voice.spoken.lock().unwrap().is_empty()).await;
    let asked = Instant::now();
    call.pass(2_000).await;
    call.is_written(2).await;
    assert!(asked.elapsed() <= Duration::from_secs(3), "{:?}", asked.elapsed());
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
    let event = call.stage.message(&wheelhouse(), "ana", "hello there", UNADDRESSED);
    let InboundEvent::Message(message) = event else { unreachable!() };
    call.tell(CallEvent::Typed(message)).await;
    call.answers("Hello, Ana.").await;
    assert_eq!(lines(&call.remembered().await), [("Ana", "hello there"), ("Mika", "Hello, Ana.")]);
    assert!(call.heard_ms() > 400);
    assert_eq!(*call.written.lock().unwrap(), ["hears nothing: there is no key for it"]);
}

#[tokio::test(start_paused = true)]
async fn what_is_said_before_an_answer_can_be_heard_is_answered_with_it() {
    let mut call = CallStage::with_ana("[voice]\nfillers = []\n").await;
    let first = call.asked("ana", "What time is it?").await;
    // So long they could have gone on without being taken to be finished.
    call.pass(600).await;
    let second = call.asked("ana", "And where is the ferry?").await;
    first.abandoned().await;
    let transcript = second.transcript();
    assert!(transcript.contains("What time is it?") && transcript.contains("And where is the ferry?"));
    call.replied(second, "Late, and gone.").await;
    let remembered = call.remembered().await;
    assert_eq!(remembered.len(), 3, "{remembered:?}");
}

/// Ana stops, with so much understood of what she said, and an answer is begun before all of it is.
async fn asked_early(call: &mut CallStage, partial: &str, said: &str) -> Asked {
    call.ears.takes.store(300, Ordering::Relaxed);
    call.will_have_said("ana", said);
    call.speaks("ana", 1_200).await;
    call.partial("ana", partial).await;
    call.stops("ana");
    call.pass(240).await;
    call.next_request().await
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_begun_before_they_are_surely_finished_and_nothing_is_stored_before() {
    let mut call = CallStage::with_ana("").await;
    let mut asked = asked_early(&mut call, "what time is it", "What time is it?").await;
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
    assert_eq!(figures.speculations, (1, 1));
    assert_eq!(stage.session.early_answers(), EarlyAnswers { begun: 1, kept: 1 });
    assert!(!stage.models.was_asked_again().await, "one request for one answer");
}

#[tokio::test(start_paused = true)]
async fn an_answer_to_other_words_is_thrown_away_unheard() {
    let mut call = CallStage::with_ana("").await;
    let mut wrong = asked_early(&mut call, "what time is it", "What lime is it?").await;
    assert!(wrong.transcript().contains("what time is it"), "{}", wrong.transcript());
    wrong.say("Late.");
    call.pass(700).await;
    wrong.abandoned().await;
    let right = call.next_request().await;
    assert!(right.transcript().contains("What lime is it?"), "{}", right.transcript());
    call.replied(right, "A green one.").await;
    assert_eq!(lines(&call.remembered().await), [("Ana", "What lime is it?"), ("Mika", "A green one.")]);
    assert_eq!(*call.voice.spoken.lock().unwrap(), ["Late.", "A green one."]);
    assert!(
        (850..1_000).contains(&call.heard_ms()),
        "of that nobody heard the first: {} ms",
        call.heard_ms()
    );
}

#[tokio::test(start_paused = true)]
async fn who_talks_long_while_an_answer_is_formed_gets_another_one_that_knows_of_it() {
    let settings = "[voice]\nanswer_ahead = false\nfillers = []\n[voice.interruption]\nmin_interruption_s = 1.0\n\
                    short_long_boundary_s = 2.0\n";
    let mut call = CallStage::with_ana(settings).await;
    let first = call.asked("ana", "What time is it?").await;
    call.will_have_said("ana", "And while you look, where is the ferry, and who steers it tonight?");
    call.speaks("ana", 2_600).await;
    first.abandoned().await;
    call.stops("ana");
    call.pass(700).await;
    let second = call.next_request().await;
    let transcript = second.transcript();
    assert!(
        transcript.contains("You were interrupted while you were still forming an answer"),
        "{transcript}"
    );
    assert!(transcript.contains("What time is it?") && transcript.contains("who steers it"), "{transcript}");
    call.replied(second, "Late; at the pier; nobody.").await;
    call.says("ana", "Thanks, and good night.").await;
    // A full stop with a pause is no evidence that somebody is finished: they are waited for a little longer.
    call.pass(300).await;
    let third = call.next_request().await;
    assert!(!third.transcript().contains("You were interrupted"), "once");
    call.replied(third, "Good night.").await;
}

#[tokio::test(start_paused = true)]
async fn s2_3_what_is_said_before_an_answer_is_ready_belongs_to_what_was_said_before() {
    let mut call = CallStage::with_ana("[voice]\nfillers = []\n").await;
    let first = call.asked("ana", "The weather was awful.").await;
    call.says("ana", "But the food was great.").await;
    first.abandoned().await;
    let second = call.next_request().await;
    call.replied(second, "Then it was worth it.").await;
    let all = "The weather was awful. But the food was great.";
    assert_eq!(lines(&call.remembered().await), [("Ana", all), ("Mika", "Then it was worth it.")]);
    assert_eq!(
        call.stage.outcomes().await,
        [Outcome::Replied { messages: 1 }],
        "nothing was begun for half of it"
    );
}

#[tokio::test(start_paused = true)]
async fn s2_3_an_action_is_not_spoken_early_either_however_long_it_is() {
    let mut call = CallStage::with_ana("[voice]\nfillers = []\n").await;
    let mut asked = call.asked("ana", "What time is it?").await;
    let looks: String = (0..12).map(|clock| format!("and looks at the {clock}th old clock ")).collect();
    asked.say(&format!("*She leans back {looks}"));
    call.pass(700).await;
    asked.say("for a while.* Late.");
    asked.end();
    call.until_said().await;
    assert_eq!(*call.voice.spoken.lock().unwrap(), ["Late."]);
}

#[tokio::test(start_paused = true)]
async fn s2_3_a_voice_that_is_paid_for_speaks_only_what_is_wanted() {
    for (setting, costs, early) in
        [("free", false, true), ("free", true, false), ("always", true, true), ("never", false, false)]
    {
        let mut call =
            CallStage::open(&format!("[voice]\nfillers = []\nspeak_ahead = \"{setting}\"\n")).await;
        call.voice.costs.store(costs, Ordering::Relaxed);
        call.joins("ana").await;
        call.ears.takes.store(600, Ordering::Relaxed);
        call.will_have_said("ana", "What time is it?");
        call.speaks("ana", 1_200).await;
        call.partial("ana", "what time is it").await;
        call.stops("ana");
        call.pass(240).await;
        call.next_request().await.reply("Late, and dark.");
        call.pass(100).await;
        assert_eq!(call.remembered().await, [], "nobody knows yet whether that was all");
        let expected: &[&str] = if early { &["Late, and dark."] } else { &[] };
        assert_eq!(*call.voice.spoken.lock().unwrap(), expected, "{setting}, {costs}");
        call.until_said().await;
        assert_eq!(*call.voice.spoken.lock().unwrap(), ["Late, and dark."], "once: {setting}, {costs}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_early_answer_that_might_be_none_to_its_very_end_is_spoken_early_as_well() {
    let mut call = CallStage::with_ana("[voice]\nfillers = []\nspeak_ahead = \"free\"\n").await;
    call.ears.takes.store(600, Ordering::Relaxed);
    call.will_have_said("ana", "Is it late?");
    call.speaks("ana", 1_200).await;
    call.partial("ana", "is it late").await;
    call.stops("ana");
    call.pass(240).await;
    // As "_No reply_" begins.
    call.next_request().await.reply("_No_");
    call.pass(100).await;
    assert_eq!(call.remembered().await, [], "nobody knows yet whether that was all");
    assert_eq!(*call.voice.spoken.lock().unwrap(), ["No"]);
    call.until_said().await;
    assert_eq!(*call.voice.spoken.lock().unwrap(), ["No"], "once");
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
    let asked = asked_early(&mut call, "mika how full was it", "Mika, how full was it?").await;
    assert!(asked.transcript().contains("it was full too"), "{}", asked.transcript());
    call.pass(500).await;
    call.replied(asked, "To the rails.").await;
    let (stage, _) = call.close().await;
    assert_eq!(stage.session.early_answers(), EarlyAnswers { begun: 1, kept: 1 });
    assert!(!stage.models.was_asked_again().await, "one request for one answer");
}

#[tokio::test(start_paused = true)]
async fn in_a_group_the_model_may_find_that_nothing_is_to_be_said() {
    let mut call = CallStage::with_ana("").await;
    call.joins("bob").await;
    let asked = call.asked("bob", "Mika, what time is it?").await;
    assert!(!asked.transcript().contains("<silent>"), "who was named answers: {}", asked.transcript());
    call.replied(asked, "Late.").await;

    let mut asked = call.asked("bob", "Do you know where the ferry went?").await;
    assert!(asked.transcript().contains("<silent>"), "{}", asked.transcript());
    let heard = call.heard_ms();
    for piece in ["\n", "<si", "lent>", " They talk with each other."] {
        asked.say(piece);
    }
    asked.end();
    call.pass(2_000).await;
    let silent = Outcome::Silent { reason: SilenceReason::FoundNothingToSay };
    assert_eq!(call.ended(2).await, [Outcome::Replied { messages: 1 }, silent]);
    assert_eq!((call.heard_ms(), call.written.lock().unwrap().len()), (heard, 0));
    assert_eq!(
        lines(&call.remembered().await),
        [("Bob", "Mika, what time is it?"), ("Mika", "Late."), ("Bob", "Do you know where the ferry went?")]
    );
}

#[tokio::test(start_paused = true)]
async fn who_was_not_finished_is_answered_with_the_rest_or_after_a_while() {
    let mut call = CallStage::with_ana("").await;
    let asked = call.asked("ana", "the red one").await;
    assert!(asked.transcript().contains("<wait long>"), "{}", asked.transcript());
    asked.reply("<wait>");
    call.pass(600).await;
    call.ended(1).await;
    let asked = call.asked("ana", "is mine, what is yours?").await;
    let transcript = asked.transcript();
    assert!(transcript.contains("the red one") && transcript.contains("is mine"), "{transcript}");
    assert!(!transcript.contains("<wait"), "{transcript}");
    call.replied(asked, "The blue one.").await;

    call.says("ana", "the green one").await;
    call.next_request().await.reply("<wait>");
    call.pass(600).await;
    call.ended(3).await;
    call.pass(4_300).await;
    assert!(!call.stage.models.was_asked_again().await);
    // The while begins when the conversation learns that the turn has ended, which may be after its record is stored.
    call.pass(5_200).await;
    let asked = call.next_request().await;
    assert!(asked.transcript().contains("the green one") && !asked.transcript().contains("<wait"));
    call.replied(asked, "Yes?").await;
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

/// The call's chat is told of something within so many milliseconds.
async fn told_within(call: &mut CallStage, ms: u64, lines: usize) {
    let mut waited = 0;
    while call.written.lock().unwrap().len() < lines {
        assert!(waited <= ms, "nothing after {waited} ms: {:?}", call.written.lock().unwrap());
        call.pass(20).await;
        waited += 20;
    }
}

#[tokio::test(start_paused = true)]
async fn a_recogniser_that_fails_is_told_of_once_at_once_and_its_return_as_well() {
    for fault in [EarFault::Fails, EarFault::Closes, EarFault::Stalls] {
        let mut call = CallStage::with_ana("").await;
        call.joins("bob").await;
        *call.ears.fault.lock().unwrap() = Some(fault);
        call.utters("ana", "Mika, what time is it?", 900).await;
        told_within(&mut call, 3_000, 1).await;
        for who in ["bob", "ana", "bob"] {
            call.says(who, "Mika, are you there?").await;
            call.pass(3_000).await;
        }
        let told = call.written.lock().unwrap().clone();
        assert!(matches!(&told[..], [one] if one.starts_with("misses words: ")), "{fault:?}: {told:?}");
        assert!(!call.stage.models.was_asked_again().await, "{fault:?}");
        *call.ears.fault.lock().unwrap() = None;
        call.pass(11_000).await;
        call.talk("ana", "Mika, do you hear me now?", "I do.").await;
        let told = call.written.lock().unwrap().clone();
        assert_eq!(told[1..], ["hears again"], "{fault:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_recogniser_that_cannot_be_opened_is_told_of_once() {
    for lasting in [true, false] {
        let mut call = CallStage::open("").await;
        let switch = if lasting { &call.ears.refuses } else { &call.ears.is_away };
        switch.store(true, Ordering::Relaxed);
        for who in ["ana", "bob"] {
            call.joins(who).await;
            call.pass(100).await;
        }
        assert_eq!(
            call.written.lock().unwrap().len(),
            usize::from(lasting),
            "what may pass can wait for words"
        );
        call.speaks("ana", 900).await;
        call.stops("ana");
        told_within(&mut call, 3_000, 1).await;
        for who in ["bob", "ana", "bob"] {
            call.says(who, "Mika, are you there?").await;
            call.pass(3_000).await;
        }
        let told = call.written.lock().unwrap().clone();
        let expected = if lasting { "hears nothing: " } else { "misses words: " };
        assert!(matches!(&told[..], [one] if one.starts_with(expected)), "{told:?}");
        for switch in [&call.ears.refuses, &call.ears.is_away] {
            switch.store(false, Ordering::Relaxed);
        }
        call.pass(31_000).await;
        call.talk("ana", "Mika, do you hear me now?", "I do.").await;
        assert_eq!(call.written.lock().unwrap()[1..], ["hears again"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_that_fails_is_told_of_at_once_and_one_that_stalls_is_covered_and_told_of() {
    let mut call = CallStage::with_ana("[voice]\nanswer_ahead = false\n[stt]\nlanguage = \"en\"\n").await;
    call.says("ana", "What time is it?").await;
    call.next_request().await.fail(ModelErrorClass::Server);
    told_within(&mut call, 3_000, 1).await;
    assert!(call.written.lock().unwrap()[0].starts_with("ModelFailed"));
    call.pass(2_000).await;

    let asked = call.asked("ana", "What time is it now?").await;
    let silent_since = call.heard_ms();
    let mut waited = 0;
    while call.heard_ms() == silent_since {
        call.pass(20).await;
        waited += 20;
        assert!(waited <= 3_000, "dead air for {waited} ms");
    }
    told_within(&mut call, 15_000, 2).await;
    let told = call.written.lock().unwrap()[1].clone();
    assert!(told.starts_with("ModelFailed") && told.contains("Timeout"), "{told}");
    asked.abandoned().await;
    let outcomes = call.ended(2).await;
    assert!(matches!(outcomes[1], Outcome::Failed { class: ModelErrorClass::Timeout, .. }), "{outcomes:?}");
}

#[tokio::test(start_paused = true)]
async fn it_joins_in_when_it_is_quiet_unless_there_is_nothing_to_say() {
    let mut call = CallStage::open("interjection = \"very_eager\"\nvoice_lull_timeout = 8.0\n").await;
    for who in ["ana", "bob", "cleo"] {
        call.joins(who).await;
    }
    call.says("ana", "Bob, the ferry was late.").await;
    call.says("bob", "Ana, it was full too.").await;
    call.pass(7_000).await;
    assert!(!call.stage.models.was_asked_again().await, "it is not quiet for long");
    call.pass(2_000).await;
    let asked = call.next_request().await;
    assert!(asked.transcript().contains("<silent>"), "{}", asked.transcript());
    asked.reply("<silent>");
    call.pass(1_000).await;
    let silent = Outcome::Silent { reason: SilenceReason::FoundNothingToSay };
    assert_eq!(call.ended(3).await.last(), Some(&silent));
    assert_eq!(call.heard_ms(), 0);

    call.says("ana", "Bob, it always is.").await;
    call.pass(20_000).await;
    assert!(!call.stage.models.was_asked_again().await, "once in two minutes");
    call.pass(110_000).await;
    let asked = call.next_request().await;
    assert!(asked.transcript().contains("it always is"), "{}", asked.transcript());
    call.replied(asked, "The ferry is never on time.").await;
    let remembered = call.remembered().await;
    assert_eq!(remembered.last().unwrap(), &("Mika".to_owned(), "The ferry is never on time.".to_owned()));

    call.pass(200_000).await;
    assert!(!call.stage.models.was_asked_again().await, "nobody has said anything since");
    call.tell(CallEvent::Quiet(true)).await;
    call.says("bob", "Ana, let us walk.").await;
    call.pass(60_000).await;
    assert!(!call.stage.models.was_asked_again().await, "it was asked to be quiet");
}

#[tokio::test(start_paused = true)]
async fn told_in_a_call_to_be_quiet_it_says_nothing_and_passes_that_on() {
    let mut call = CallStage::with_ana("[voice]\nanswer_ahead = false\n").await;
    call.joins("bob").await;
    call.says("ana", "Mika, please be quiet for a while.").await;
    call.pass(3_000).await;
    let told = Outcome::Silent { reason: SilenceReason::ToldToBeQuiet };
    assert_eq!(call.ended(1).await, [told]);
    assert!(!call.stage.models.was_asked_again().await);
    assert!(call.written.lock().unwrap().contains(&"KeepsQuiet".to_owned()), "{:?}", call.written);
    call.talk("bob", "Mika, you can talk again.", "Thank you.").await;
    assert!(call.written.lock().unwrap().contains(&"JoinsInAgain".to_owned()), "{:?}", call.written);
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_the_rest_of_what_is_forgotten_answers_the_others() {
    let mut call = CallStage::with_ana("[voice]\nanswer_ahead = false\n").await;
    call.joins("bob").await;
    call.talk("ana", "Mika, are you there?", "I am.").await;
    // Nobody says its name, so that it may wait.
    call.will_have_said("ana", "where is the ferry?");
    call.will_have_said("bob", "and where is the red one?");
    call.speaks("ana", 600).await;
    for _ in 0..45 {
        call.speaks_at_once(&["ana", "bob"]).await;
    }
    call.stops("ana");
    call.stops("bob");
    call.pass(1_500).await;
    let asked = call.next_request().await;
    let transcript = asked.transcript();
    assert!(transcript.contains("where is the ferry") && transcript.contains("the red one"), "{transcript}");
    asked.reply("<wait>");
    call.ended(2).await;
    let recent = call.stage.stored_in(&wheelhouse()).await;
    let reds = recent.iter().find(|turn| turn.content.contains("the red one")).unwrap().id;
    let gone = Gone { turns: Arc::new([reds].into()), ..Gone::default() };
    patiently("forgetting", call.stage.session.forget(&gone, Then::GoOn)).await;
    call.pass(5_500).await;
    let asked = call.next_request().await;
    assert!(asked.transcript().contains("where is the ferry"), "{}", asked.transcript());
    call.replied(asked, "At the pier.").await;
}
