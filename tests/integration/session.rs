//! Sessions through their door: events in, words out, and what stays behind.

use std::time::Duration;

use familiar_connect::domain::*;
use familiar_connect::history::RecentQuery;
use familiar_connect::session::{
    DeliveryError, DeliveryStyle, GoBack, GreetError, GreetingCame, Notice, SpokeUp, SubmitError, WentBack,
};
use familiar_connect::world::Sighting;

use crate::support::stage::{
    APART, Asked, CALLED, MESSAGES, Shown, Stage, TYPED, UNADDRESSED, channel, dm, ferry, person,
};

#[tokio::test(start_paused = true)]
async fn a_message_is_stored_before_the_model_is_asked_and_the_reply_after_it_arrived() {
    let mut stage = Stage::new().await;
    let asked = stage.asked("alice", "is the ferry late?").await;
    assert_eq!(stage.remembered().await, [("Alice".into(), "is the ferry late?".into())]);
    assert_eq!(stage.outbox.typing_now(), 1);
    stage.replied(asked, "It is on its own time.").await;
    assert_eq!(stage.delivered(), ["It is on its own time."]);
    assert_eq!(stage.remembered().await[1], ("Mika".into(), "It is on its own time.".into()));
    assert_eq!(stage.outbox.typing_now(), 0);
    assert_eq!(stage.outcomes().await, [Outcome::Replied { messages: 1 }]);
}

#[tokio::test(start_paused = true)]
async fn the_prompt_says_who_spoke_and_ends_with_the_cards_obligations() {
    let mut stage = Stage::new().await;
    stage.talk("alice", "hello", "Evening.").await;
    let asked = stage.asked("ben", "hello from me too").await;
    assert!(!asked.transcript().contains("SECRET-CREATOR-NOTE"));
    insta::assert_snapshot!("layered_prompt", asked.transcript());
}

#[tokio::test(start_paused = true)]
async fn in_a_thread_the_mode_and_the_backdrop_of_its_channel_hold() {
    let mut stage = Stage::new().await;
    stage.config.set_mode(&ferry(), ChannelMode::FullRp).unwrap();
    stage.config.set_backdrop(&ferry(), "The engine room is on fire.").unwrap();
    let thread =
        Place { parent: Some(ferry().channel), kind: PlaceKind::Thread, ..channel(2, "#ferry -> below") };
    let told = stage.prompt_in(&thread, "alice", "help!", "Coming.").await;
    assert!(told.contains("The engine room is on fire."), "{told}");
    stage.says_in(&thread, "bea", "and I am talking to alice", UNADDRESSED).await;
    stage.session.settle(&thread).await.unwrap();
    stage.session.greet(thread.clone(), None, None).await.unwrap();
    let traces = stage.traces.whole().list(1000).await.unwrap();
    assert!(traces.len() >= 2 && traces.iter().all(|trace| trace.mode == ChannelMode::FullRp));
    let of_mode = RecentQuery {
        mode: Some(ChannelMode::FullRp),
        max_turns: 1000,
        until: None,
        encoding: TokenEncoding::CharsOver4,
    };
    let stored = stage.history.seen_by(&Visible::at(&thread)).recent(&thread.channel, of_mode).await.unwrap();
    assert_eq!(stored.len(), stage.remembered_in(&thread).await.len(), "every turn under the channel's mode");
}

#[tokio::test(start_paused = true)]
async fn a20_the_stable_block_and_the_history_are_the_same_bytes_turn_after_turn() {
    let mut stage = Stage::new().await;
    let mut last: Vec<String> = Vec::new();
    for n in 0..6 {
        let asked = stage.asked("alice", &format!("line {n}")).await;
        let now: Vec<String> = asked.request.messages.iter().map(|m| format!("{m:?}")).collect();
        let strip = |text: &String| text.replace("cache_breakpoint: true", "cache_breakpoint: false");
        // Everything up to the volatile tail (live line, obligations) begins what the next turn sends.
        let stable = last.len().saturating_sub(2);
        for (was, is) in last.iter().take(stable).zip(&now) {
            assert_eq!(strip(was), strip(is));
        }
        last = now;
        stage.replied(asked, &format!("answer {n}")).await;
    }
}

#[tokio::test(start_paused = true)]
async fn more_words_before_the_reply_start_it_anew_with_all_of_them() {
    let mut stage = Stage::new().await;
    let first = stage.asked("alice", "wait").await;
    stage.says("alice", "I mean, good evening").await;
    stage.restarts().await;
    let second = stage.next_request().await;
    first.abandoned().await;
    let text = second.transcript();
    assert!(text.contains("Alice: wait") && text.contains("Alice: I mean, good evening"), "{text}");
    stage.replied(second, "Good evening.").await;
    assert_eq!(stage.delivered(), ["Good evening."]);
    assert_eq!(
        stage.outcomes().await,
        [
            Outcome::Cancelled { reason: CancelReason::Superseded, messages: 0 },
            Outcome::Replied { messages: 1 }
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn somebody_who_never_stops_typing_still_gets_an_answer() {
    let mut stage = Stage::new().await;
    let mut open = Vec::new();
    for n in 0..3 {
        stage.says("alice", &format!("and {n}")).await;
        stage.restarts().await;
        open.push(stage.next_request().await);
    }
    stage.says("alice", "and more").await;
    open.pop().unwrap().reply("Breathe.");
    stage.answers("Now I have heard it all.").await;
    assert_eq!(stage.delivered(), ["Breathe.", "Now I have heard it all."]);
}

#[tokio::test(start_paused = true)]
async fn whoever_goes_on_typing_is_answered_after_ten_seconds() {
    let mut stage = Stage::new().await;
    let asked = stage.asked("alice", "hello").await;
    let typing = Sighting {
        account: person("alice").account,
        name: "Alice".to_owned(),
        is_bot: false,
        at: stage.clock_now(),
    };
    stage.world.typing(&ferry().channel, typing);
    asked.reply("Evening.");
    let mut quarters = 0;
    while stage.delivered().is_empty() {
        assert!(quarters < 10_000, "it waits forever");
        stage.taken_in().await;
        tokio::time::advance(Duration::from_millis(250)).await;
        quarters += 1;
    }
    assert!(quarters >= 40, "it did not wait: {quarters}");
    stage.settled().await;
    assert_eq!(stage.delivered(), ["Evening."]);
}

#[tokio::test(start_paused = true)]
async fn a_failed_call_keeps_the_message_and_tells_the_channel_once() {
    let mut stage = Stage::new().await;
    stage.says("alice", "hello?").await;
    stage.next_request().await.fail(ModelErrorClass::Server);
    stage.settled().await;
    let turn = stage.traces.whole().latest(None).await.unwrap().unwrap();
    assert_eq!(
        stage.outbox.notices(),
        [Notice::ModelFailed { turn: turn.id, class: ModelErrorClass::Server, wait: None, key_for: None }]
    );
    assert_eq!(stage.remembered().await, [("Alice".into(), "hello?".into())]);
    assert!(matches!(turn.outcome, Outcome::Failed { class: ModelErrorClass::Server, .. }));
    assert_eq!(turn.calls.len(), 1);
    assert_eq!(stage.outbox.typing_now(), 0);
    let told = stage.prompt("alice", "again?", "Here.").await;
    assert!(told.contains("Alice: hello?"), "the unanswered message is still there");
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_told_to_nobody_who_asked_right_behind_its_words_what_may_be_for_others() {
    let mut stage = Stage::new().await;
    for (who, text, reply) in
        [("ben", "hello?", "Evening."), ("alice", "a riddle, please", "What has a bed and never sleeps?")]
    {
        stage.talk(who, text, reply).await;
    }
    stage.says_in(&ferry(), "cleo", "a river, too easy", UNADDRESSED).await;
    stage.next_request().await.fail(ModelErrorClass::Server);
    stage.settled().await;
    let turn = stage.traces.whole().latest(None).await.unwrap().unwrap();
    assert!(matches!(turn.outcome, Outcome::Failed { class: ModelErrorClass::Server, .. }));
    assert!(turn.trigger.starts_with("it had just spoken"), "{}", turn.trigger);
    assert!(stage.outbox.notices().is_empty(), "{:?}", stage.outbox.notices());
}

#[tokio::test(start_paused = true)]
async fn a_model_lost_in_mid_stream_is_said_and_nothing_half_said_is_remembered() {
    let mut stage = Stage::new().await;
    let mut asked = stage.asked("alice", "hello?").await;
    asked.say("Well, I ");
    asked.fail(ModelErrorClass::Network);
    stage.settled().await;
    assert!(stage.delivered().is_empty());
    assert_eq!(stage.outbox.notices().len(), 1);
    assert_eq!(stage.remembered().await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_empty_reply_is_asked_for_once_more_and_then_said() {
    let mut stage = Stage::new().await;
    stage.says("alice", "hello?").await;
    stage.next_request().await.reply("");
    stage.answers("  \n ").await;
    assert!(stage.delivered().is_empty());
    assert!(matches!(
        stage.outbox.notices()[..],
        [Notice::ModelFailed { class: ModelErrorClass::Empty, .. }]
    ));
    stage.says("alice", "hello??").await;
    stage.next_request().await.reply("");
    stage.answers("Yes, yes.").await;
    assert_eq!(stage.delivered(), ["Yes, yes."]);
}

#[tokio::test]
async fn typed_paragraphs_are_messages_and_an_interruption_keeps_only_what_was_sent() {
    let mut stage = Stage::with(TYPED, MESSAGES).await;
    let mut asked = stage.asked("alice", "tell me").await;
    asked.say("First paragraph.\n\nSecond par");
    stage.outbox.until_delivered(1).await;
    assert_eq!(stage.delivered(), ["First paragraph."]);
    let next = stage.asked("alice", "stop!").await;
    asked.abandoned().await;
    assert!(next.transcript().contains("assistant: First paragraph.\n"), "{}", next.transcript());
    assert!(!next.transcript().contains("Second"));
    stage.replied(next, "Stopped.").await;
    assert_eq!(stage.delivered(), ["First paragraph.", "Stopped."]);
    assert_eq!(
        stage.outcomes().await[0],
        Outcome::Cancelled { reason: CancelReason::Interrupted, messages: 1 }
    );
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_a_filter_cuts_off_is_not_left_as_if_it_were_whole() {
    let mut stage = Stage::new().await;
    stage.says("alice", "tell me").await;
    stage.next_request().await.ends_with("The old lamp was a present from the", FinishReason::ContentFilter);
    stage.settled().await;
    assert_eq!(stage.delivered(), ["The old lamp was a present from the"]);
    assert!(matches!(
        stage.outbox.notices()[..],
        [Notice::ModelFailed { class: ModelErrorClass::ContentFilter, .. }]
    ));
}

#[tokio::test]
async fn what_is_typed_for_one_is_finished_though_another_calls_it_and_that_one_is_next() {
    let mut stage = Stage::with(TYPED, MESSAGES).await;
    let mut asked = stage.asked("alice", "tell me").await;
    asked.say("First paragraph.\n\nSecond par");
    stage.outbox.until_delivered(1).await;
    stage.says("ben", "Mika, hi").await;
    asked.say("agraph.");
    asked.end();
    let next = stage.next_request().await;
    assert!(next.transcript().contains("Second paragraph."), "{}", next.transcript());
    stage.replied(next, "Hello, Ben.").await;
    assert_eq!(stage.delivered(), ["First paragraph.", "Second paragraph.", "Hello, Ben."]);
}

#[tokio::test(start_paused = true)]
async fn live_rims_get_every_piece_as_it_comes() {
    let mut stage = Stage::with("", DeliveryStyle::Live).await;
    let mut asked = stage.asked("alice", "hi").await;
    asked.say("The river ");
    stage.outbox.until_delivered(1).await;
    asked.say("is up.");
    stage.outbox.until_delivered(2).await;
    asked.end();
    stage.settled().await;
    assert_eq!(stage.delivered().concat(), "The river is up.");
    assert_eq!(stage.remembered().await[1].1, "The river is up.");
}

#[tokio::test(start_paused = true)]
async fn it_never_writes_other_peoples_lines_nor_its_own_name() {
    let mut stage = Stage::new().await;
    stage.talk("alice", "hi", "Mika: Evening.\nAlice: and what then?\nMika: Nothing.").await;
    assert_eq!(stage.delivered(), ["Evening."]);
    let trace = stage.traces.whole().latest(None).await.unwrap().unwrap();
    assert_eq!(trace.calls.len(), 1, "what is cut is paid for and told: {:?}", trace.calls);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_stopped_by_hand_is_told_so() {
    let mut stage = Stage::new().await;
    let asked = stage.asked("alice", "tell me").await;
    let turn = *stage.outbox.turns().last().unwrap();
    stage.session.interrupt(&ferry(), turn).await.unwrap();
    asked.abandoned().await;
    stage.settled().await;
    let trace = stage.traces.whole().latest(None).await.unwrap().unwrap();
    assert_eq!(trace.outcome, Outcome::Cancelled { reason: CancelReason::StoppedByHand, messages: 0 });
}

#[tokio::test(start_paused = true)]
async fn what_could_not_be_delivered_is_not_remembered_as_said() {
    let mut stage = Stage::new().await;
    stage.says("alice", "hi").await;
    stage.outbox.fail_next(DeliveryError::Forbidden("the thread is archived".into()));
    stage.answers("Nobody hears this.").await;
    assert_eq!(stage.remembered().await.len(), 1);
    assert!(
        matches!(&stage.outcomes().await[0], Outcome::Undelivered { messages: 0, error } if error.contains("archived"))
    );
}

#[tokio::test(start_paused = true)]
async fn a_deleted_question_is_not_answered() {
    let mut stage = Stage::new().await;
    let id = stage.says("alice", "forget it").await;
    let asked = stage.next_request().await;
    stage.deletes(&ferry(), &id).await;
    asked.abandoned().await;
    stage.settled().await;
    assert!(stage.delivered().is_empty());
    assert!(stage.remembered().await.is_empty());
    assert_eq!(stage.outcomes().await, [Outcome::Cancelled { reason: CancelReason::Withdrawn, messages: 0 }]);
}

#[tokio::test(start_paused = true)]
async fn an_edited_question_is_answered_as_it_reads_now() {
    let mut stage = Stage::new().await;
    let id = stage.says("alice", "how is the rivre").await;
    let first = stage.next_request().await;
    stage.edits(&ferry(), &id, "how is the river").await;
    stage.restarts().await;
    let second = stage.next_request().await;
    first.abandoned().await;
    assert!(second.transcript().contains("Alice: how is the river\n"));
    assert!(!second.transcript().contains("rivre"));
    stage.replied(second, "High.").await;
    assert_eq!(stage.remembered().await[0].1, "how is the river");
}

#[tokio::test(start_paused = true)]
async fn a_replayed_message_is_neither_stored_nor_answered_twice() {
    let mut stage = Stage::new().await;
    let event = stage.message(&ferry(), "alice", "once", CALLED);
    stage.session.submit(event.clone()).await.unwrap();
    stage.answers("Once.").await;
    stage.session.submit(event).await.unwrap();
    stage.settled().await;
    assert!(!stage.models.was_asked_again().await);
    assert_eq!(stage.remembered().await.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_was_read_back_and_comes_in_live_only_then_is_answered() {
    let settings = "text_lull_timeout = 0.01\n[discord]\nanswer_missed_within_s = 0\n\
                    [typing_simulation]\nenabled = false\n";
    let mut stage = Stage::with(settings, MESSAGES).await;
    let live = stage.message(&ferry(), "alice", "Mika, and now?", CALLED);
    let InboundEvent::Message(mut read_back) = live.clone() else { unreachable!() };
    read_back.hints.is_missed = true;
    stage.session.submit(InboundEvent::Message(read_back)).await.unwrap();
    stage.settled().await;
    assert_eq!(stage.outcomes().await, [Outcome::Silent { reason: SilenceReason::SaidMeanwhile }]);
    stage.session.submit(live.clone()).await.unwrap();
    let asked = stage.next_request().await;
    assert_eq!(asked.transcript().matches("Mika, and now?").count(), 1, "{}", asked.transcript());
    stage.replied(asked, "Now, yes.").await;
    stage.session.submit(live).await.unwrap();
    stage.settled().await;
    assert!(!stage.models.was_asked_again().await);
    assert_eq!(stage.delivered(), ["Now, yes."]);
    assert_eq!(stage.remembered().await.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn channels_never_wait_for_each_other() {
    let mut stage = Stage::new().await;
    let quay = channel(2, "#quay");
    let stuck = stage.asked("alice", "slow one").await;
    stage.talk_in(&quay, "ben", "quick one", "Quick.").await;
    assert_eq!(stage.delivered(), ["Quick."]);
    stage.replied(stuck, "Slow.").await;
    let Shown::Said { to, .. } = &stage.outbox.shown()[1] else { panic!("said") };
    assert_eq!(to.place.channel, ferry().channel, "the address is the turn's own");
}

#[tokio::test(start_paused = true)]
async fn m12_a_dm_is_in_no_other_prompt() {
    let mut stage = Stage::new().await;
    let alone =
        stage.prompt_in(&dm("alice"), "alice", "my secret is KINGFISHER", "KINGFISHER is safe.").await;
    assert!(alone.contains("KINGFISHER"), "{alone}");
    let told = stage.prompt("alice", "what did I tell you?", "Not here.").await;
    assert!(!told.contains("KINGFISHER"), "{told}");
}

#[tokio::test(start_paused = true)]
async fn silence_has_a_reason_that_can_be_seen() {
    let mut stage = Stage::new().await;
    stage.says_in(&ferry(), "alice", "Ben, come here", UNADDRESSED).await;
    stage.answers("I can carry a message.").await;
    stage.says_in(&ferry(), "ben", "coming", UNADDRESSED).await;
    stage.settled().await;
    let last = stage.outcomes().await.pop().unwrap();
    assert!(matches!(last, Outcome::Silent { reason: SilenceReason::NotAddressed { .. } }), "{last:?}");
}

#[tokio::test]
async fn a_question_into_the_room_is_answered_once_it_is_quiet() {
    let mut stage = Stage::new().await;
    stage.says_in(&ferry(), "alice", "hello all", UNADDRESSED).await;
    stage.answers("Hello.").await;
    stage.says_in(&ferry(), "ben", "does anybody know the time?", UNADDRESSED).await;
    stage.answers("Late.").await;
    assert_eq!(stage.delivered(), ["Hello.", "Late."]);
}

#[tokio::test(start_paused = true)]
async fn greetings_are_its_own_words_and_counted() {
    let mut stage = Stage::new().await;
    stage.session.greet(ferry(), None, None).await.unwrap();
    assert_eq!(stage.delivered(), ["Evening, everyone. Mind the rope."]);
    let refused = stage.session.greet(ferry(), Some(2), None).await;
    assert!(matches!(refused, Err(GreetError::NoSuchGreeting { available: 2 })));
    assert_eq!(stage.outcomes().await, [Outcome::Replied { messages: 1 }]);
    let told = stage.prompt("alice", "hi", "Hi.").await;
    assert!(told.contains("assistant: Evening, everyone. Mind the rope."));
}

#[tokio::test(start_paused = true)]
async fn a_greeting_takes_the_place_of_the_one_behind_which_nothing_was_said() {
    let stage = Stage::new().await;
    let (first, second) = ("Evening, everyone. Mind the rope.", "Again, everyone?");
    let stands = |words: &str| vec![("Mika".to_owned(), words.to_owned())];
    let came = stage.session.greet(ferry(), None, None).await.unwrap();
    assert_eq!((came, stage.remembered().await), (GreetingCame::Behind, stands(first)));
    let came = stage.session.greet(ferry(), Some(1), None).await.unwrap();
    assert_eq!((came, stage.remembered().await), (GreetingCame::Instead, stands(second)));
    for (how, words) in [(GoBack::Earlier, first), (GoBack::Later, second)] {
        let went = stage.session.go_back(&ferry(), how).await.unwrap();
        assert!(matches!(went, WentBack::Changed(_)), "{how:?}: {went:?}");
        assert_eq!(stage.remembered().await, stands(words), "{how:?}");
    }
    // Which of them stands is known after a start, too, and one that was there before comes back.
    let mut stage = stage.reopened().await;
    let came = stage.session.greet(ferry(), Some(0), None).await.unwrap();
    assert_eq!((came, stage.remembered().await), (GreetingCame::Instead, stands(first)));
    let which = stage.session.alternatives(&ferry()).await.unwrap().unwrap();
    assert_eq!((which.standing, which.all), (1, 2));
    let told = stage.prompt("alice", "hi", "Hi.").await;
    assert!(told.contains(first) && !told.contains(second), "{told}");
    stage.settled().await;
    let came = stage.session.greet(ferry(), Some(1), None).await.unwrap();
    assert_eq!(came, GreetingCame::Behind, "something was said since");
    let remembered = stage.remembered().await;
    assert_eq!(remembered.len(), 4, "{remembered:?}");
    // It answers nobody: what was asked before it is not answered a second time, and none of the greetings goes.
    let came = stage.session.greet(ferry(), Some(0), None).await.unwrap();
    assert_eq!(came, GreetingCame::Instead);
    let before = stage.remembered().await;
    assert_eq!(stage.session.go_back(&ferry(), GoBack::Again).await.unwrap(), WentBack::Nothing);
    assert_eq!(stage.remembered().await, before);
    let which = stage.session.alternatives(&ferry()).await.unwrap().unwrap();
    assert_eq!((which.standing, which.all), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn another_answer_that_says_what_was_said_before_it_takes_no_earlier_one_away() {
    let mut stage = Stage::new().await;
    stage.talk("alice", "is the kettle on?", "It is.").await;
    assert_eq!(stage.session.speak_up(&ferry()).await.unwrap(), SpokeUp::GoesOn);
    stage.answers("It sings.").await;
    stage.session.go_back(&ferry(), GoBack::Again).await.unwrap();
    stage.answers("It is.").await;
    for (how, standing) in [(GoBack::Earlier, 1), (GoBack::Later, 2), (GoBack::Earlier, 1)] {
        let went = stage.session.go_back(&ferry(), how).await.unwrap();
        assert!(matches!(went, WentBack::Changed(_)), "{how:?}: {went:?}");
        let which = stage.session.alternatives(&ferry()).await.unwrap().unwrap();
        assert_eq!((which.standing, which.all), (standing, 2), "{how:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn it_knows_the_last_talk_after_a_restart() {
    let mut stage = Stage::new().await;
    stage.talk("alice", "my boat is called Sparrow", "Good name.").await;
    let mut stage = stage.reopened().await;
    let told = stage.prompt("alice", "what is my boat called?", "Sparrow.").await;
    assert!(told.contains("my boat is called Sparrow"));
}

#[tokio::test(start_paused = true)]
async fn a_question_taken_back_leaves_the_small_talk_around_it_unanswered() {
    let mut stage = Stage::new().await;
    stage.says_in(&ferry(), "ben", "cold, Cleo?", APART).await;
    let id = stage.says("alice", "forget it").await;
    let asked = stage.next_request().await;
    stage.deletes(&ferry(), &id).await;
    asked.abandoned().await;
    stage.settled().await;
    assert!(!stage.models.was_asked_again().await);
    assert_eq!(
        stage.outcomes().await[1],
        Outcome::Cancelled { reason: CancelReason::Withdrawn, messages: 0 }
    );
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_told_only_where_an_answer_is_expected_and_not_tried_again_at_once() {
    let settings = "interjection = \"very_eager\"\ntext_lull_timeout = 0.01\n";
    let mut stage = Stage::with(settings, MESSAGES).await;
    stage.says_in(&ferry(), "alice", "Ben, the rope", APART).await;
    stage.says_in(&ferry(), "ben", "Alice, I have it", APART).await;
    stage.says_in(&ferry(), "cleo", "good evening", UNADDRESSED).await;
    stage.next_request().await.fail(ModelErrorClass::Network);
    stage.settled().await;
    stage.says_in(&ferry(), "ben", "so cold", UNADDRESSED).await;
    stage.settled().await;
    assert!(stage.outbox.notices().is_empty());
    assert!(!stage.models.was_asked_again().await);
    let joined_in = &stage.outcomes().await[2];
    assert!(matches!(joined_in, Outcome::Failed { .. }), "{joined_in:?}");
}

/// Ben and Cleo talk about the weather until the familiar joins in: after how many messages, and what it asks.
async fn listened(stage: &mut Stage) -> (u32, Asked) {
    let place = ferry();
    for said in 1..20 {
        let who = if said % 2 == 0 { "ben" } else { "cleo" };
        stage.says_in(&ferry(), who, "so cold today", UNADDRESSED).await;
        tokio::select! {
            biased;
            asked = stage.models.next() => return (said, asked),
            settled = stage.session.settle(&place) => settled.unwrap(),
        }
    }
    panic!("it never joins in");
}

#[tokio::test]
async fn fc_1_8_joining_in_is_left_to_the_model_by_its_own_words_and_it_looks_again_sooner() {
    let settings = "chattiness = \"only about boats\"\ninterjection = \"eager\"\ntext_lull_timeout = 0\n";
    let mut stage = Stage::with(settings, MESSAGES).await;
    stage.says_in(&ferry(), "ben", "Cleo, hello", APART).await;
    let (said, asked) = listened(&mut stage).await;
    assert_eq!(said, 5, "the sixth message in all");
    assert!(asked.transcript().contains("When you do: only about boats"), "{}", asked.transcript());
    stage.replied(asked, "<silent>").await;
    assert_eq!(stage.delivered(), Vec::<String>::new());
    let silent = Outcome::Silent { reason: SilenceReason::FoundNothingToSay };
    assert_eq!(stage.outcomes().await.last(), Some(&silent));
    let (sooner, asked) = listened(&mut stage).await;
    assert!(
        (3..=5).contains(&sooner),
        "three less, and up to two more or less, but never below three: {sooner}"
    );
    stage.replied(asked, "There is a boat!").await;
    assert_eq!(stage.delivered(), ["There is a boat!"]);
}

#[tokio::test]
async fn fc_1_8_without_words_about_it_joining_in_means_saying_something() {
    let mut stage =
        Stage::with("chattiness = \"\"\ninterjection = \"very_eager\"\ntext_lull_timeout = 0\n", MESSAGES)
            .await;
    stage.says_in(&ferry(), "alice", "Ben, the rope", APART).await;
    stage.says_in(&ferry(), "ben", "Alice, I have it", APART).await;
    stage.says_in(&ferry(), "cleo", "good evening", UNADDRESSED).await;
    let asked = stage.next_request().await;
    assert!(!asked.transcript().contains("<silent>"), "{}", asked.transcript());
    stage.replied(asked, "Evening.").await;
    assert_eq!(stage.delivered(), ["Evening."]);
}

#[tokio::test(start_paused = true)]
async fn a_wall_of_text_beside_the_question_does_not_keep_it_from_being_answered() {
    let mut stage = Stage::new().await;
    let wall = "x".repeat(4 * 16_000);
    stage.says_in(&ferry(), "ben", &wall, APART).await;
    let transcript = stage.prompt("alice", "what does he mean?", "No idea.").await;
    assert!(transcript.contains("Alice: what does he mean?") && !transcript.contains("xxx"));
}

#[tokio::test(start_paused = true)]
async fn a_message_that_cannot_fit_is_blamed_with_its_figures_before_anything_is_thought() {
    let mut stage = Stage::new().await;
    stage.models.play(Slot::ReasoningContext);
    stage.says("alice", &"x".repeat(4 * 40_000)).await;
    stage.settled().await;
    let notices = stage.outbox.notices();
    let [Notice::MessageTooLong { tokens, fits, .. }] = notices[..] else { panic!("{notices:?}") };
    assert!(tokens >= 40_000 && fits < tokens, "{tokens} {fits}");
    assert!(!stage.models.was_asked_again().await, "no model is paid for it");
}

#[tokio::test(start_paused = true)]
async fn a_window_that_turns_out_smaller_is_kept_to_at_once() {
    let mut stage = Stage::new().await;
    for line in 0..40 {
        stage.says_in(&ferry(), "ben", &format!("line {line} {}", "word ".repeat(80)), APART).await;
    }
    let asked = stage.asked("alice", "hello?").await;
    let before = asked.transcript().len();
    stage.models.hold(4_096);
    asked.fail(ModelErrorClass::ContextLength);
    let asked = stage.next_request().await;
    assert!(asked.transcript().len() < before && asked.transcript().contains("Alice: hello?"));
    stage.replied(asked, "Here.").await;
    assert_eq!((stage.delivered(), stage.outbox.notices()), (vec!["Here.".to_owned()], vec![]));
    // A second refusal is told.
    stage.asked("alice", "and now?").await.fail(ModelErrorClass::ContextLength);
    stage.settled().await;
    assert_eq!(stage.outbox.notices().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_pick_of_the_card_is_the_channels_own_and_stays() {
    let stage = Stage::new().await;
    let options: Vec<String> = (0..50).map(|n| format!("pick{n}.")).collect();
    let scenario = format!("{{{{pick::{}}}}}", options.join("::"));
    std::fs::write(stage.config.home().self_dir().join("scenario.md"), scenario).unwrap();
    let mut stage = stage.reopened().await;
    let mut picked = std::collections::BTreeMap::new();
    for id in [1, 2, 3, 1, 2, 3] {
        let place = channel(id, "#somewhere");
        let asked = stage.asked_in(&place, "alice", "where are we?").await;
        let system = &asked.request.messages[0].content;
        let pick = options.iter().find(|option| system.contains(*option)).unwrap().clone();
        assert_eq!(picked.entry(id).or_insert_with(|| pick.clone()), &pick);
        stage.replied_in(&place, asked, "Here.").await;
    }
    assert!(picked.values().collect::<std::collections::BTreeSet<_>>().len() > 1, "{picked:?}");
}

#[tokio::test(start_paused = true)]
async fn somebody_with_a_new_nickname_is_still_one_person() {
    let mut stage = Stage::new().await;
    for name in ["Alice", "Captain Alice"] {
        let mut event = stage.message(&dm("alice"), "alice", "hi", CALLED);
        let InboundEvent::Message(message) = &mut event else { unreachable!() };
        message.author.display_name = Some(name.to_owned());
        stage.session.submit(event).await.unwrap();
        let asked = stage.next_request().await;
        assert!(asked.transcript().contains(&format!("talks with {name}.")), "{}", asked.transcript());
        stage.replied_in(&dm("alice"), asked, "Hi.").await;
    }
}

#[tokio::test(start_paused = true)]
async fn a20_a_server_is_addressed_the_same_whoever_spoke_so_far() {
    let mut stage = Stage::new().await;
    let mut blocks = Vec::new();
    for who in ["alice", "alice", "ben"] {
        let asked = stage.asked(who, "hi").await;
        blocks.push(asked.request.messages[0].content.clone());
        stage.replied(asked, "Hi.").await;
    }
    blocks.dedup();
    assert_eq!(blocks.len(), 1, "{blocks:#?}");
    assert!(blocks[0].contains("talks with everyone."));
}

#[tokio::test(start_paused = true)]
async fn what_was_taken_before_draining_is_still_answered() {
    let mut stage = Stage::new().await;
    let first = stage.asked("alice", "wait").await;
    stage.says("alice", "I mean, good night").await;
    let session = stage.session.clone();
    let draining = tokio::spawn(async move { session.drain().await });
    first.abandoned().await;
    stage.next_request().await.reply("Good night.");
    draining.await.unwrap();
    assert_eq!(stage.delivered(), ["Good night."]);
}

#[tokio::test(start_paused = true)]
async fn draining_lets_it_finish_and_takes_nothing_new() {
    let mut stage = Stage::new().await;
    let asked = stage.asked("alice", "last words?").await;
    let session = stage.session.clone();
    let draining = tokio::spawn(async move { session.drain().await });
    let late = stage.message(&ferry(), "alice", "one more", APART);
    // The refusal proves that draining has begun; only then is the reply let through.
    while stage.session.submit(late.clone()).await != Err(SubmitError::Closed) {
        tokio::task::yield_now().await;
    }
    asked.reply("Mind the rope.");
    draining.await.unwrap();
    assert_eq!(stage.delivered(), ["Mind the rope."]);
}

#[tokio::test]
async fn cutting_short_stores_what_was_said() {
    let mut stage = Stage::with(TYPED, MESSAGES).await;
    let mut asked = stage.asked("alice", "tell me all").await;
    asked.say("One.\n\nTwo");
    stage.outbox.until_delivered(1).await;
    stage.session.cut_short();
    tokio::time::timeout(Duration::from_secs(20), stage.session.drain()).await.unwrap();
    assert_eq!(stage.remembered().await[1].1, "One.");
    assert_eq!(stage.outcomes().await, [Outcome::Cancelled { reason: CancelReason::Shutdown, messages: 1 }]);
}

#[tokio::test(start_paused = true)]
async fn a28_a_turn_leaves_everything_that_can_be_asked_about_it() {
    let mut stage = Stage::new().await;
    stage.talk("alice", "hi", "Evening.").await;
    let trace = stage.traces.whole().latest(Some(&ferry().channel)).await.unwrap().unwrap();
    let assembly = trace.assembly.as_ref().unwrap();
    assert_eq!(trace.reply.as_deref(), Some("Evening."));
    assert!(assembly.prompt_tokens > 0 && assembly.prompt_tokens <= assembly.budget_tokens);
    assert!(assembly.chunks.iter().any(|chunk| chunk.source == "character/description"));
    assert!(assembly.providers.iter().all(|p| matches!(p.status, ProviderStatus::Ok { .. })));
    let plan = assembly.plan.as_ref().unwrap();
    assert_eq!((plan.intent.category, plan.intent.effort.level(), plan.searches), (Category::Greeting, 1, 0));
    assert_eq!(trace.calls[0].usage.unwrap().prompt_tokens, 10);
    assert!(trace.request.len() >= 4);
    let file = std::fs::read_to_string(stage.config.home().last_context(&ferry().channel)).unwrap();
    assert!(
        file.contains(&trace.id.to_string())
            && file.contains("Evening.")
            && file.contains("1 of 10, greeting")
    );
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_may_not_leave_is_said_to_whoever_asked() {
    let mut stage = Stage::new().await;
    stage.says("alice", "hi").await;
    stage.outbox.fail_next(DeliveryError::Refused("it repeats a heading of the prompt".into()));
    stage.answers("Something of the prompt.").await;
    assert!(matches!(
        stage.outbox.notices()[..],
        [Notice::ModelFailed { class: ModelErrorClass::Empty, .. }]
    ));
    assert!(matches!(stage.outcomes().await[..], [Outcome::Undelivered { messages: 0, .. }]));
}

#[tokio::test(start_paused = true)]
async fn a_backdrop_may_use_the_cards_macros() {
    let mut stage = Stage::new().await;
    stage.config.set_backdrop(&ferry(), "{{char}} is at the helm.").unwrap();
    let told = stage.prompt("alice", "hi", "Hi.").await;
    assert!(told.contains("Mika is at the helm."), "{told}");
}

/// What is being answered already was listened to: it does not make the next word one too many.
#[tokio::test(start_paused = true)]
async fn a_word_behind_a_question_that_is_being_answered_gets_no_answer_of_its_own() {
    let settings =
        "interjection = \"very_eager\"\ntext_lull_timeout = 0.01\n[typing_simulation]\nenabled = false\n";
    let mut stage = Stage::with(settings, MESSAGES).await;
    stage.talk("alice", "Mika, good evening", "Evening.").await;
    stage.says_in(&ferry(), "cleo", "the tide is late", UNADDRESSED).await;
    stage.says_in(&ferry(), "ben", "the crates are wet", UNADDRESSED).await;
    let asked = stage.asked("alice", "Mika, is the ferry late?").await;
    stage.says_in(&ferry(), "ben", "lol", UNADDRESSED).await;
    stage.replied(asked, "It is on its own time.").await;
    assert_eq!(stage.delivered(), ["Evening.", "It is on its own time."]);
    let outcomes = stage.outcomes().await;
    assert_eq!(outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Replied { .. })).count(), 2);
    assert!(!outcomes.iter().any(|outcome| matches!(outcome, Outcome::Cancelled { .. })), "{outcomes:?}");
}
