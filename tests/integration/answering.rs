//! Whom it answers and how much: out of a conversation again, bursts, limits, the length of a reply.

use std::time::Duration;

use familiar_connect::domain::*;
use familiar_connect::session::{Delivery, DeliveryError, DeliveryStyle, GoBack, Notice, SpokeUp, WentBack};
use tokio::time::Instant;

use crate::support::call::patiently;
use crate::support::stage::{
    APART, CALLED, MESSAGES, Shown, Stage, TYPED, UNADDRESSED, channel, ferry, person,
};

/// Alice asks it something and is answered; Ben is here as well.
async fn in_company(settings: &str) -> Stage {
    let settings = format!("{settings}\ntext_lull_timeout = 0\n[typing_simulation]\nenabled = false\n");
    let mut stage = Stage::with(&settings, MESSAGES).await;
    stage.talk("ben", "Mika, good evening", "Evening.").await;
    stage.talk("alice", "Mika, is the ferry late?", "It is on its own time.").await;
    stage
}

/// Somebody says something that is for nobody in particular, and it does not even ask a model.
async fn is_not_for_it(stage: &mut Stage, who: &str, text: &str) {
    stage.says_in(&ferry(), who, text, UNADDRESSED).await;
    stage.settled().await;
    assert!(!stage.models.was_asked_again().await, "{who}: {text}");
}

/// It may be for it: the model is asked, and finds that it is not.
async fn is_found_not_to_be_for_it(stage: &mut Stage, who: &str, text: &str) {
    stage.says_in(&ferry(), who, text, UNADDRESSED).await;
    let asked = stage.next_request().await;
    assert!(asked.transcript().contains("write <silent>"), "{who}: {text}: {}", asked.transcript());
    stage.replied(asked, "<silent>").await;
}

#[tokio::test(start_paused = true)]
async fn whoever_turns_to_somebody_else_is_out_of_the_conversation() {
    let mut stage = in_company("").await;
    is_not_for_it(&mut stage, "alice", "Ben, did you hear that?").await;
    is_not_for_it(&mut stage, "alice", "I told you so").await;
    stage.talk("alice", "Mika, thank you", "Aye.").await;
    stage.says_in(&ferry(), "alice", "@ben look", APART).await;
    stage.settled().await;
    is_not_for_it(&mut stage, "alice", "there it is").await;
}

#[tokio::test(start_paused = true)]
async fn a_conversation_outlasts_a_word_of_somebody_else_and_ends_when_it_is_long_ago() {
    let mut stage = in_company("").await;
    is_found_not_to_be_for_it(&mut stage, "ben", "my boots are wet").await;
    is_found_not_to_be_for_it(&mut stage, "alice", "mine too").await;
    is_not_for_it(&mut stage, "ben", "and cold").await;
    is_not_for_it(&mut stage, "alice", "very").await;
    stage.talk("alice", "Mika, are yours?", "Always.").await;
    stage.clock.advance(Duration::from_secs(90));
    is_not_for_it(&mut stage, "alice", "poor ferry").await;
}

#[tokio::test(start_paused = true)]
async fn where_it_is_unsure_the_model_may_pass_and_is_not_asked_again_at_once() {
    let mut stage = in_company("").await;
    stage.says_in(&ferry(), "alice", "ha, good one", UNADDRESSED).await;
    let asked = stage.next_request().await;
    assert!(asked.transcript().contains("write <silent>"), "{}", asked.transcript());
    stage.replied(asked, "<silent>").await;
    assert_eq!(stage.delivered().len(), 2);
    is_not_for_it(&mut stage, "alice", "see you tomorrow then").await;
    let told = stage.prompt("alice", "Mika, and you?", "Tomorrow.").await;
    assert!(!told.contains("write <silent>"), "who was named is answered");
}

#[tokio::test(start_paused = true)]
async fn a_channel_may_say_what_is_answered_in_it() {
    let mut stage = in_company("answers = \"addressed\"\ninterjection = \"very_eager\"").await;
    for text in ["and then?", "hm", "so cold", "is anybody here?"] {
        is_not_for_it(&mut stage, "alice", text).await;
    }
    let quay = channel(2, "#quay");
    std::fs::write(
        stage.config.home().channel_toml(&quay.channel),
        "mode = \"full_rp\"\nanswers = \"all\"\n",
    )
    .unwrap();
    for (who, text) in [("alice", "so cold"), ("ben", "it is")] {
        stage.says_in(&quay, who, text, UNADDRESSED).await;
        loop {
            let asked = stage.next_request().await;
            let is_reply = asked.request.slot == Slot::MainProse;
            asked.reply("Aye.");
            if is_reply {
                break;
            }
        }
        stage.settled_in(&quay).await;
    }
    let until = stage.clock_now() + jiff::SignedDuration::from_mins(5);
    stage.config.set_quiet(&quay, stage.clock_now(), Some(until)).unwrap();
    let before = stage.delivered().len();
    stage.says_in(&quay, "ben", "so quiet", UNADDRESSED).await;
    stage.settled_in(&quay).await;
    assert_eq!(stage.delivered().len(), before);
    let kept = SilenceReason::KeptQuiet { until: Some(until) };
    let told = format!("it was told to be quiet here until {}", until.strftime("%Y-%m-%d %H:%M UTC"));
    assert_eq!(kept.words(), told);
    assert_eq!(stage.outcomes().await.last(), Some(&Outcome::Silent { reason: kept }));
    stage.clock.advance(Duration::from_secs(300));
    assert!(!stage.config.channel_in(&quay).is_kept_quiet(stage.clock_now()));
    stage.config.set_quiet(&quay, stage.clock_now(), None).unwrap();
    assert_eq!(stage.config.channel_in(&quay).quiet_until, None);
}

/// Until when it speaks only when spoken to.
fn quiet_until(stage: &Stage) -> Option<jiff::Timestamp> {
    stage.config.channel_in(&ferry()).quiet_until
}

#[tokio::test(start_paused = true)]
async fn told_in_plain_words_to_be_quiet_it_is_until_it_is_told_that_it_may_talk_again() {
    let mut stage = in_company("interjection = \"very_eager\"").await;
    stage.says_in(&ferry(), "alice", "Mika, be quiet for twenty minutes", UNADDRESSED).await;
    stage.settled().await;
    assert!(!stage.models.was_asked_again().await, "a sign is enough");
    assert_eq!(stage.outbox.notices(), [Notice::KeepsQuiet]);
    let told = Outcome::Silent { reason: SilenceReason::ToldToBeQuiet };
    assert_eq!(stage.outcomes().await.last(), Some(&told));
    let until = stage.clock_now() + jiff::SignedDuration::from_mins(20);
    assert_eq!(quiet_until(&stage), Some(until));
    for text in ["is anybody cold?", "so cold", "and then?", "hm"] {
        is_not_for_it(&mut stage, "ben", text).await;
    }
    stage.talk("ben", "Mika, is the ferry late?", "It is.").await;
    assert_eq!(quiet_until(&stage), Some(until), "being asked something ends nothing");
    stage.talk("ben", "Mika, du darfst wieder reden", "At last.").await;
    assert_eq!(quiet_until(&stage), None);
    assert_eq!(stage.outbox.notices(), [Notice::KeepsQuiet, Notice::JoinsInAgain]);
    stage.says("ben", "cállate un rato").await;
    stage.settled().await;
    assert_eq!(quiet_until(&stage), Some(stage.clock_now() + jiff::SignedDuration::from_hours(6)));
}

#[tokio::test(start_paused = true)]
async fn where_it_is_quiet_nobody_has_to_call_it_to_say_that_it_may_talk_again() {
    let mut stage = in_company("").await;
    stage.talk("alice", "Mika, my time zone is Tokyo", "Then it is later there.").await;
    stage.says_in(&ferry(), "alice", "Mika, be quiet until 9 p.m.", UNADDRESSED).await;
    stage.settled().await;
    let tokyo = jiff::tz::TimeZone::get("Asia/Tokyo").unwrap();
    let until = quiet_until(&stage).map(|until| until.to_zoned(tokyo).strftime("%H:%M").to_string());
    assert_eq!(until.as_deref(), Some("21:00"));
    stage.says_in(&ferry(), "alice", "you can talk again", APART).await;
    stage.settled().await;
    assert!(!stage.models.was_asked_again().await && quiet_until(&stage).is_some());
    stage.says_in(&ferry(), "ben", "ok you can talk again", UNADDRESSED).await;
    stage.answers("And I have much to say.").await;
    assert_eq!(quiet_until(&stage), None);
    assert_eq!(stage.outbox.notices(), [Notice::KeepsQuiet, Notice::JoinsInAgain]);
}

#[tokio::test(start_paused = true)]
async fn where_it_is_quiet_whoever_calls_it_goes_on_talking_with_it_until_it_is_told_again() {
    let mut stage = in_company("").await;
    stage.talk("alice", "Mika, are you cold?", "Never.").await;
    stage.says_in(&ferry(), "ben", "Mika, be quiet", UNADDRESSED).await;
    stage.settled().await;
    is_not_for_it(&mut stage, "alice", "not even in winter?").await;
    stage.talk("alice", "Mika, in winter?", "Sometimes.").await;
    stage.talk("alice", "and on the water?", "Least of all there.").await;
    is_not_for_it(&mut stage, "ben", "who is cold here?").await;
    stage.says_in(&ferry(), "ben", "Mika, hush", UNADDRESSED).await;
    stage.settled().await;
    is_not_for_it(&mut stage, "alice", "why least of all?").await;
}

/// As `/quiet` and the window have it: nothing is said in the channel.
fn is_told_by_command(stage: &Stage) {
    let now = stage.clock_now();
    stage.config.set_quiet(&ferry(), now, Some(now + jiff::SignedDuration::from_hours(1))).unwrap();
}

#[tokio::test(start_paused = true)]
async fn told_by_command_that_it_is_quiet_already_it_lets_go_of_whom_it_talked_with_since() {
    let mut stage = in_company("").await;
    is_told_by_command(&stage);
    is_not_for_it(&mut stage, "alice", "not even in winter?").await;
    stage.talk("alice", "Mika, in winter?", "Sometimes.").await;
    is_told_by_command(&stage);
    is_not_for_it(&mut stage, "alice", "and on the water?").await;
    // Also while it answers.
    let asked = stage.asked("alice", "Mika, and in a boat?").await;
    is_told_by_command(&stage);
    stage.clock.advance(Duration::from_secs(3));
    stage.replied(asked, "In a boat I sing.").await;
    is_not_for_it(&mut stage, "alice", "what do you sing?").await;
}

#[tokio::test(start_paused = true)]
async fn told_by_command_to_be_quiet_it_does_not_join_in_when_others_fall_silent() {
    let settings = "text_lull_timeout = 10\n[typing_simulation]\nenabled = false\n";
    for is_told in [false, true] {
        let mut stage = Stage::with(settings, MESSAGES).await;
        stage.talk("alice", "Mika, good evening", "Evening.").await;
        stage.says_in(&ferry(), "ben", "the tide is out", UNADDRESSED).await;
        stage.says_in(&ferry(), "cleo", "is anybody cold?", UNADDRESSED).await;
        stage.taken_in().await;
        if is_told {
            is_told_by_command(&stage);
        }
        tokio::time::advance(Duration::from_secs(11)).await;
        match is_told {
            true => stage.stays_unasked("it was told to be quiet").await,
            false => stage.answers("I am.").await,
        }
    }
}

#[tokio::test(start_paused = true)]
async fn that_it_may_talk_again_holds_also_where_it_was_said_while_nobody_listened() {
    let mut stage = in_company("").await;
    let said_meanwhile = Outcome::Silent { reason: SilenceReason::SaidMeanwhile };
    for is_told_again_since in [true, false] {
        is_told_by_command(&stage);
        let over = stage.message(&ferry(), "alice", "ok Mika, you can talk again", UNADDRESSED);
        let InboundEvent::Message(mut over) = over else { unreachable!() };
        over.hints.is_missed = true;
        stage.clock.advance(Duration::from_secs(30 * 60));
        if is_told_again_since {
            is_told_by_command(&stage);
        }
        stage.session.submit(InboundEvent::Message(over)).await.unwrap();
        stage.settled().await;
        assert_eq!(stage.outcomes().await.last(), Some(&said_meanwhile));
        let channel = stage.config.channel_in(&ferry());
        assert_eq!(channel.is_kept_quiet(stage.clock_now()), is_told_again_since);
    }
}

#[tokio::test(start_paused = true)]
async fn told_to_be_quiet_while_it_answers_it_says_nothing_more() {
    let mut stage = in_company("").await;
    let asked = stage.asked("alice", "Mika, tell me a story").await;
    let before = stage.delivered().len();
    stage.says("alice", "Mika, 静かにして").await;
    stage.settled().await;
    drop(asked);
    assert_eq!(stage.delivered().len(), before);
    assert!(!stage.models.was_asked_again().await);
    assert_eq!(stage.outbox.notices(), [Notice::KeepsQuiet]);
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_the_rest_of_an_answer_is_told_once_that_it_does_not_come() {
    let mut stage = in_company("").await;
    stage.says("alice", "Mika, tell me everything").await;
    stage.next_request().await.cut_short_after("Once upon a");
    stage.settled().await;
    assert_eq!(stage.delivered().last().map(String::as_str), Some("Once upon a"));
    let told = stage.outbox.notices();
    assert!(matches!(told.as_slice(), [Notice::CutShort { .. }]), "{told:?}");
    // It is no part of what was said.
    stage.talk("alice", "Mika, go on", "time.").await;
    let kept: Vec<String> = stage.remembered().await.into_iter().map(|(_, words)| words).collect();
    assert!(kept.contains(&"Once upon a".to_owned()), "{kept:?}");
    assert_eq!(stage.outbox.notices(), told, "a whole answer is not remarked on");
}

#[tokio::test(start_paused = true)]
async fn told_never_to_join_in_it_does_not() {
    let mut stage = in_company("interjection = \"never\"").await;
    for said in 0..20 {
        let who = if said % 2 == 0 { "dora" } else { "cleo" };
        is_not_for_it(&mut stage, who, "is anybody cold?").await;
    }
}

#[tokio::test]
async fn quiet_behind_words_that_are_no_question_is_a_moment_to_join_in_once_it_has_listened() {
    let settings =
        "interjection = \"eager\"\ntext_lull_timeout = 0.01\n[typing_simulation]\nenabled = false\n";
    let mut stage = Stage::with(settings, MESSAGES).await;
    stage.talk("alice", "Mika, good evening", "Evening.").await;
    for who in ["ben", "cleo"] {
        is_not_for_it(&mut stage, who, "the tide is out").await;
    }
    stage.says_in(&ferry(), "ben", "and the moon is up", UNADDRESSED).await;
    stage.answers("She is early.").await;
    assert_eq!(stage.delivered(), ["Evening.", "She is early."]);
}

/// Two messages a second, each answered at once.
#[tokio::test(start_paused = true)]
async fn whoever_asks_too_much_is_told_once_and_answered_again_a_while_later() {
    let usual = "text_lull_timeout = 0\n[typing_simulation]\nenabled = false\n[limits]\n";
    let mut stage = Stage::with(usual, MESSAGES).await;
    let mut answered = 0;
    for n in 0..76 {
        stage.says("alice", &format!("Mika, {n}?")).await;
        answered += usize::from(answered_at_once(&mut stage).await);
        tokio::time::advance(Duration::from_millis(500)).await;
    }
    assert_eq!(answered, 20 + 37 / 3, "twenty at once, and one every three seconds");
    assert_eq!(stage.outbox.notices(), [Notice::TooMuchAtOnce], "once");
    assert_eq!(stage.remembered().await.len(), 76 + answered, "all of it was read");
    let too_much = Outcome::Silent { reason: SilenceReason::TooMuchAtOnce };
    assert!(stage.outcomes().await.contains(&too_much));
    stage.says("ben", "Mika, and me?").await;
    assert!(answered_at_once(&mut stage).await, "others have theirs");
    tokio::time::advance(Duration::from_secs(60)).await;
    stage.says("alice", "Mika, now?").await;
    assert!(answered_at_once(&mut stage).await);
}

/// Whether it asks a model before it is settled; it is answered then.
async fn answered_at_once(stage: &mut Stage) -> bool {
    let place = ferry();
    let settled = stage.session.settle(&place);
    let asked = tokio::select! {
        biased;
        asked = stage.models.next() => asked,
        settled = settled => {
            settled.unwrap();
            return false;
        }
    };
    stage.replied(asked, "Aye.").await;
    true
}

#[tokio::test(start_paused = true)]
async fn a_channel_and_a_server_have_limits_of_their_own() {
    let limits = "text_lull_timeout = 0\n[typing_simulation]\nenabled = false\n[limits]\nperson_per_minute = 0\n\
                  channel_per_minute = 3\nguild_per_minute = 5\n";
    let mut stage = Stage::with(limits, MESSAGES).await;
    let quay = channel(2, "#quay");
    let mut answered = Vec::new();
    for place in [ferry(), quay] {
        for who in ["alice", "ben", "cleo", "dora"] {
            stage.says_in(&place, who, "Mika?", CALLED).await;
            let asked = tokio::select! {
                biased;
                asked = stage.models.next() => Some(asked),
                settled = stage.session.settle(&place) => { settled.unwrap(); None }
            };
            answered.push(asked.is_some());
            if let Some(asked) = asked {
                asked.reply("Aye.");
            }
            stage.settled_in(&place).await;
        }
    }
    assert_eq!(answered, [true, true, true, false, true, true, false, false]);
}

/// Neither their own bucket nor those of the channel and the server, which stay for the others.
#[tokio::test(start_paused = true)]
async fn whoever_runs_it_is_counted_nowhere() {
    let account = person("olga").account;
    let operator = account.id();
    let limits = format!(
        "text_lull_timeout = 0\n[typing_simulation]\nenabled = false\n[limits]\nperson_per_minute = 1\n\
         channel_per_minute = 1\nguild_per_minute = 1\n[discord]\noperators = [{operator}]\n"
    );
    let mut stage = Stage::with(&limits, MESSAGES).await;
    let mut answered = Vec::new();
    for who in ["olga", "olga", "olga", "alice", "ben", "olga"] {
        stage.says(who, "Mika?").await;
        answered.push(answered_at_once(&mut stage).await);
    }
    assert_eq!(answered, [true, true, true, true, false, true], "one for the others, all for olga");
}

#[tokio::test(start_paused = true)]
async fn where_two_asked_the_reply_shows_whom_it_answers_and_the_model_is_told() {
    let mut stage = Stage::new().await;
    let first = stage.asked("alice", "Mika, is it late?").await;
    assert!(!first.transcript().contains("You are answering"));
    let id = stage.says("ben", "Mika, is it cold?").await;
    stage.restarts().await;
    let both = stage.next_request().await;
    first.abandoned().await;
    assert!(both.transcript().contains("You are answering Alice and Ben."), "{}", both.transcript());
    stage.replied(both, "Both, Ben.").await;
    let Some(Shown::Said { to, .. }) = stage.outbox.shown().pop() else { panic!("said") };
    assert_eq!(to.reply_to, Some(id), "by itself");
    stage.talk("alice", "Mika, thanks", "Aye.").await;
    let Some(Shown::Said { to, .. }) = stage.outbox.shown().pop() else { panic!("said") };
    assert_eq!(to.reply_to, None, "it is plain who is answered");
}

/// However fast they write: an answer is begun anew twice at most, no sooner than a second after it was begun.
#[tokio::test(start_paused = true)]
async fn who_writes_faster_than_it_can_answer_costs_three_requests_a_reply_at_most() {
    let mut stage = Stage::new().await;
    let (mut begun, mut open) = (Vec::new(), Vec::new());
    // Twenty messages a second, beyond the second after which a fourth answer would begin: of two at once the second comes
    // while the answer is still ending.
    for n in 0..45 {
        // However long the stores take: while somebody is busy, the clock stands still.
        patiently("it is taken in", async {
            stage.says("alice", &format!("Mika, and {n}?")).await;
            if !begun.is_empty() {
                stage.says("alice", "And now?").await;
            }
            stage.taken_in().await;
        })
        .await;
        if begun.is_empty() {
            open.push(patiently("the first request", stage.models.next()).await);
            begun.push(Instant::now());
        }
        // For one that nobody expects there is a moment.
        let patience = std::time::Instant::now();
        while patience.elapsed() < Duration::from_millis(15) {
            assert!(!stage.models.was_asked_again().await, "at message {n}, after {begun:?}");
            tokio::task::yield_now().await;
            std::thread::yield_now();
        }
        // A timer fires up to a millisecond behind its moment: none may fall on a whole second.
        tokio::time::advance(Duration::from_millis(101)).await;
        // Before the next message comes, which would call it back.
        let is_due = begun.last().is_some_and(|last: &Instant| last.elapsed() >= Duration::from_secs(1));
        if is_due && begun.len() < 3 {
            open.push(patiently("a request that is due", stage.models.next()).await);
            begun.push(Instant::now());
        }
    }
    assert_eq!(begun.len(), 3);
    open.pop().unwrap().reply("All at once.");
    stage.answers("And the rest.").await;
    assert_eq!(stage.delivered(), ["All at once.", "And the rest."]);
}

#[tokio::test]
async fn a_reply_of_a_megabyte_is_four_messages_with_typing_before_each() {
    let mut stage = Stage::with(TYPED, MESSAGES).await;
    let mut asked = stage.asked("alice", "tell me everything").await;
    asked.say("Well.\n\n");
    asked.say(&"So it goes on and on, all the way down to the sea. ".repeat(20_000));
    asked.end();
    stage.settled().await;
    let delivered = stage.delivered();
    assert_eq!(delivered.len(), 4);
    assert!(delivered[3].ends_with('…'));
    assert_eq!(stage.outbox.typing_shown(), 4, "once at first, and again behind each message but the last");
}

/// Somebody asks something and is answered; their message, and how the answer went out.
async fn is_told(stage: &mut Stage, who: &str, asks: &str, told: &str) -> (MessageId, Delivery) {
    let asked = stage.says(who, asks).await;
    stage.answers(told).await;
    let last = stage.outbox.shown().pop();
    match last {
        Some(Shown::Said { to, text, .. }) if text == told => (asked, to),
        other => panic!("not said: {told}, but {other:?}"),
    }
}

/// Alice and Ben each talk with it and not with each other; Ben, who came second, goes on.
async fn two_talks(wanted: &str) -> Stage {
    let settings = format!(
        "crossing_talks = \"{wanted}\"\ntext_lull_timeout = 0\n[typing_simulation]\nenabled = false\n"
    );
    let mut stage = Stage::with(&settings, MESSAGES).await;
    for (who, asks, told) in [
        ("alice", "Mika, is there soup?", "Leek."),
        ("ben", "Mika, when does the ferry leave?", "At nine."),
        ("alice", "Mika, which soup was it?", "Leek, as ever."),
    ] {
        let (_, to) = is_told(&mut stage, who, asks, told).await;
        assert_eq!((to.place, to.reply_to), (ferry(), None), "{asks}");
    }
    stage
}

#[tokio::test(start_paused = true)]
async fn the_second_of_two_talks_that_cross_goes_on_in_a_thread_once_an_hour_and_then_as_a_reply() {
    let mut stage = two_talks("threads").await;
    let (asked, to) = is_told(&mut stage, "ben", "Mika, and the last one?", "At midnight.").await;
    let thread = ChannelId::new(asked.as_str()).unwrap();
    assert_eq!((&to.place.channel, to.place.kind, to.reply_to), (&thread, PlaceKind::Thread, None));
    assert_eq!(to.place.audience, ferry().audience, "who sees the channel sees it");
    let trace = stage.traces.whole().latest(Some(&thread)).await.unwrap().unwrap();
    assert!(trace.trigger.ends_with("two talks crossed, so in a thread of its own"), "{}", trace.trigger);
    let stored = stage.remembered_in(&to.place).await;
    assert_eq!(stored, [("Mika".to_owned(), "At midnight.".to_owned())]);
    is_told(&mut stage, "alice", "Mika, with bread?", "With rye.").await;
    let (asked, to) = is_told(&mut stage, "ben", "Mika, is it late?", "It is on its own time.").await;
    assert_eq!((to.place, to.reply_to), (ferry(), Some(asked)));
}

/// What was asked stands in the channel, and what was answered in the thread.
#[tokio::test(start_paused = true)]
async fn the_answer_in_a_thread_of_its_own_is_gone_back_to_and_is_where_the_talk_goes_on() {
    let mut stage = two_talks("threads").await;
    let (_, to) = is_told(&mut stage, "ben", "Mika, and the last one?", "At midnight.").await;
    let thread = to.place;
    assert_eq!(stage.session.talk_of(&ferry()).await.channel, thread.channel);
    let went = stage.session.go_back(&thread, GoBack::Again).await.unwrap();
    assert!(matches!(went, WentBack::Gone(_)), "{went:?}");
    let asked = stage.next_request().await;
    assert!(asked.transcript().contains("and the last one?"), "{}", asked.transcript());
    stage.replied_in(&thread, asked, "At one.").await;
    assert_eq!(stage.remembered_in(&thread).await, [("Mika".to_owned(), "At one.".to_owned())]);
    let before = stage.remembered().await;
    let went = stage.session.go_back(&thread, GoBack::Undo).await.unwrap();
    assert!(matches!(went, WentBack::Gone(_)), "{went:?}");
    assert!(stage.remembered_in(&thread).await.is_empty());
    assert_eq!(stage.remembered().await, before, "what was said in the channel stays there");
    assert_eq!(stage.session.talk_of(&ferry()).await.channel, ferry().channel, "nothing is answered there");
}

#[tokio::test(start_paused = true)]
async fn a_thread_that_people_began_upon_a_message_is_another_talk() {
    let mut stage =
        Stage::with("text_lull_timeout = 0\n[typing_simulation]\nenabled = false\n", MESSAGES).await;
    let said = stage.says_in(&ferry(), "ben", "Alice, is the lamp lit?", APART).await;
    let thread = Place {
        channel: ChannelId::new(said.as_str()).unwrap(),
        parent: Some(ferry().channel),
        kind: PlaceKind::Thread,
        ..ferry()
    };
    stage.talk_in(&thread, "alice", "Mika, do you know?", "Ask the wick.").await;
    let talk = stage.session.talk_of(&ferry()).await;
    assert_eq!(talk.channel, ferry().channel);
    assert_eq!(stage.session.speak_up(&talk).await.unwrap(), SpokeUp::Answers);
    stage.answers("It is lit.").await;
    assert_eq!(stage.remembered().await.pop(), Some(("Mika".to_owned(), "It is lit.".to_owned())));
}

/// A thread is called by what was said, which is the program's to write where people of any age may read.
#[tokio::test(start_paused = true)]
async fn a_thread_of_a_second_talk_is_not_called_by_words_that_are_not_for_all_who_may_read() {
    for (asks, name) in
        [("Mika, and the last one?", "Mika, and the last one?"), ("Mika, is that a blowjob?", "ben")]
    {
        let mut stage = two_talks("threads").await;
        let (_, to) = is_told(&mut stage, "ben", asks, "At midnight.").await;
        assert_eq!(to.place.channel_name.as_deref().map(str::to_lowercase), Some(name.to_lowercase()));
    }
    // Nor is it by what somebody is called.
    let mut stage = two_talks("threads").await;
    let mut event = stage.message(&ferry(), "ben", "Mika, is that a blowjob?", CALLED);
    let InboundEvent::Message(message) = &mut event else { unreachable!() };
    message.author.display_name = Some("Suck My Cock".to_owned());
    stage.session.submit(event).await.unwrap();
    stage.answers("At midnight.").await;
    let Some(Shown::Said { to, .. }) = stage.outbox.shown().pop() else { panic!("nothing was said") };
    assert_eq!(to.place.channel_name.as_deref(), Some("…"));
}

#[tokio::test(start_paused = true)]
async fn where_no_thread_can_be_opened_or_none_is_wanted_it_is_a_reply_and_else_as_ever() {
    for (wanted, is_reply) in [("threads", true), ("replies", true), ("mixed", false)] {
        let mut stage = two_talks(wanted).await;
        stage.outbox.opens_no_threads();
        let (asked, to) = is_told(&mut stage, "ben", "Mika, and the last one?", "At midnight.").await;
        assert_eq!((to.place, to.reply_to), (ferry(), is_reply.then_some(asked)), "{wanted}");
        let trace = stage.traces.whole().latest(Some(&ferry().channel)).await.unwrap().unwrap();
        assert_eq!(trace.trigger.contains("two talks crossed"), is_reply, "{}", trace.trigger);
    }
}

#[tokio::test]
async fn what_is_taken_out_of_a_reply_while_the_rest_is_typed_is_not_remembered() {
    let mut stage = Stage::with(TYPED, MESSAGES).await;
    let mut asked = stage.asked("alice", "tell me").await;
    asked.say("An ugly word.\n\nThe ti");
    stage.outbox.until_delivered(1).await;
    let first = MessageId::from(900_001);
    stage.deletes(&ferry(), &first).await;
    stage.replied(asked, "de is out.").await;
    assert_eq!(stage.delivered(), ["An ugly word.", "The tide is out."]);
    assert_eq!(stage.remembered().await[1].1, "The tide is out.");
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_is_only_the_word_for_none_is_not_shown_even_as_it_comes() {
    let mut stage = Stage::with("", DeliveryStyle::Live).await;
    for written in ["(silent)", "*silent*", "<no reply>"] {
        stage.says("alice", "and the tide?").await;
        let mut asked = stage.next_request().await;
        let (begun, rest) = written.split_at(5);
        asked.say(begun);
        asked.reply(rest);
        stage.settled().await;
    }
    let silent = Outcome::Silent { reason: SilenceReason::FoundNothingToSay };
    assert_eq!(stage.outcomes().await, vec![silent; 3]);
    stage.says("alice", "hello?").await;
    stage.next_request().await.reply("(silently nods)");
    stage.settled().await;
    assert_eq!(stage.delivered().concat(), "(silently nods)");
}

#[tokio::test(start_paused = true)]
async fn who_was_not_told_that_it_may_wait_is_asked_once_more_and_not_on_and_on() {
    let mut stage = Stage::with("text_lull_timeout = 0\n", DeliveryStyle::Live).await;
    let asked = stage.asked("alice", "Mika, is the tide out?").await;
    assert!(!asked.transcript().contains("<silent>"), "{}", asked.transcript());
    asked.reply("<wait>");
    stage.answers("It is out.").await;
    stage.says("alice", "Mika, and the lamp?").await;
    stage.next_request().await.reply("<wait long>");
    stage.answers("<wait>").await;
    tokio::time::advance(Duration::from_secs(60)).await;
    stage.stays_unasked("it waits for nothing").await;
    assert_eq!(stage.delivered().concat(), "It is out.");
    let silent = Outcome::Silent { reason: SilenceReason::FoundNothingToSay };
    assert_eq!(stage.outcomes().await, [Outcome::Replied { messages: 1 }, silent]);
}

/// The last reply broke off behind its first message; what the next one is told of its rest, and that the one behind is not.
async fn goes_on_with(stage: &mut Stage, rest: &str) {
    stage.settled().await;
    stage.says("alice", "Mika, go on").await;
    let asked = stage.next_request().await;
    let told = asked.transcript();
    assert!(told.contains("The rest was:") && told.contains(rest), "{told}");
    assert!(!told.contains("interrupted"), "nobody broke in: {told}");
    asked.reply("As I said.");
    stage.settled().await;
    stage.says("alice", "Mika, and then?").await;
    let asked = stage.next_request().await;
    assert!(!asked.transcript().contains("The rest was:"), "{}", asked.transcript());
    asked.reply("Then it was night.");
    stage.settled().await;
}

#[tokio::test]
async fn what_did_not_go_out_of_a_reply_that_broke_off_is_known_for_one_turn() {
    let mut stage = Stage::with(TYPED, MESSAGES).await;
    stage.says("alice", "Mika, tell me").await;
    let mut asked = stage.next_request().await;
    asked.say("The tide is out.\n\nThe lamp is lit. The gulls are asleep. So ");
    stage.outbox.until_delivered(1).await;
    asked.fail(ModelErrorClass::Network);
    goes_on_with(&mut stage, "The lamp is lit. The gulls are asleep.").await;

    stage.says("alice", "Mika, and the ferry?").await;
    let mut asked = stage.next_request().await;
    asked.say("The ferry is old.\n\nThe bri");
    stage.outbox.until_delivered(4).await;
    stage.outbox.fail_next(DeliveryError::Failed("Discord is away".to_owned()));
    asked.reply("dge is new.");
    goes_on_with(&mut stage, "The bridge is new.").await;
}

#[tokio::test]
async fn the_rest_of_a_reply_that_broke_off_is_for_those_who_were_there_and_for_some_minutes() {
    let mut stage = Stage::with(TYPED, MESSAGES).await;
    let closed = Place { audience: Audience::Private(ferry().channel), ..ferry() };
    let mut asked = stage.asked_in(&closed, "alice", "Mika, tell me").await;
    asked.say("The tide is out.\n\nThe key is in the boathouse. So ");
    stage.outbox.until_delivered(1).await;
    asked.fail(ModelErrorClass::Network);
    stage.settled().await;
    let asked = stage.asked("alice", "Mika, go on").await;
    assert!(!asked.transcript().contains("boathouse"), "the channel is open now: {}", asked.transcript());
    stage.replied(asked, "As I said.").await;

    let mut asked = stage.asked("alice", "Mika, and the ferry?").await;
    asked.say("The ferry is old.\n\nThe bridge is new. And ");
    stage.outbox.until_delivered(3).await;
    asked.fail(ModelErrorClass::Network);
    stage.settled().await;
    stage.clock.advance(Duration::from_secs(11 * 60));
    let asked = stage.asked("alice", "Mika, hello again").await;
    assert!(!asked.transcript().contains("The rest was:"), "it is long ago: {}", asked.transcript());
    stage.replied(asked, "Hello.").await;
}

#[tokio::test]
async fn an_answer_to_two_is_finished_though_one_of_them_goes_on_about_something_else() {
    let mut stage = Stage::with(TYPED, MESSAGES).await;
    stage.says("cleo", "Mika, tell me").await;
    let mut asked = stage.next_request().await;
    asked.say("The ferry is old.\n\nThe bri");
    stage.outbox.until_delivered(1).await;
    stage.says("alice", "Mika, is the tide out?").await;
    stage.says("ben", "Mika, is the lamp lit?").await;
    stage.taken_in().await;
    asked.reply("dge is new.");
    let mut both = stage.next_request().await;
    both.say("The tide is out, Alice.\n\nAnd the la");
    stage.outbox.until_delivered(3).await;
    stage.says_in(&ferry(), "ben", "my boots are wet", UNADDRESSED).await;
    stage.taken_in().await;
    both.reply("mp is lit, Ben.");
    stage.settled().await;
    assert_eq!(
        stage.delivered(),
        ["The ferry is old.", "The bridge is new.", "The tide is out, Alice.", "And the lamp is lit, Ben."]
    );
    let outcomes = stage.outcomes().await;
    let whole = outcomes.iter().filter(|outcome| **outcome == Outcome::Replied { messages: 2 });
    assert_eq!(whole.count(), 2, "{outcomes:?}");
}
