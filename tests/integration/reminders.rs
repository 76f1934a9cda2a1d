//! What somebody asked to be reminded of is said when it is due: once, where they asked, to them.

use std::sync::Arc;
use std::time::Duration;

use familiar_connect::clock::Clock as _;
use familiar_connect::domain::*;
use familiar_connect::erase::{Asker, KeepCopy};
use familiar_connect::history::{AlsoOf, NewReminder, Visible};
use familiar_connect::identity::Membership;
use familiar_connect::session::{DeliveryError, DeliveryStyle, Outbox};
use serde_json::json;

use crate::support::stage::{
    APART, Asked, CALLED, MESSAGES, QUICK, RecordingOutbox, Shown, Stage, channel, dm, ferry, person,
};

async fn stage() -> Stage {
    let stage = Stage::with(QUICK, MESSAGES).await;
    stage.models.take_tools();
    stage
}

/// What a tool says when the model calls it in answer to somebody.
async fn calls(
    stage: &mut Stage,
    place: &Place,
    who: &str,
    tool: &str,
    arguments: serde_json::Value,
) -> String {
    stage.says_in(place, who, "please", CALLED).await;
    let asked = stage.calls(stage.next_request().await, tool, arguments).await;
    let told = asked.request.rounds.last().unwrap().results[0].content.clone();
    stage.replied_in(place, asked, "Noted.").await;
    told
}

fn in_one_minute(place: &Place, who: &str, words: &str, stage: &Stage) -> NewReminder {
    NewReminder {
        kind: ReminderKind::Reminder,
        asker: person(who),
        place: place.clone(),
        words: words.to_owned(),
        due: Some(stage.clock.now() + Duration::from_secs(60)),
        zone: "Europe/Berlin".to_owned(),
        recurrence: None,
        made: stage.clock.now(),
    }
}

/// Says what is due where all was read back; a model that is asked to put it in words gives this, or fails.
async fn fires(stage: &Stage, says: Option<&str>) {
    for place in [ferry(), channel(4, "#tower"), dm("alice")] {
        stage.session.was_read_back(&place.channel);
    }
    let due = stage.session.remind_due();
    tokio::pin!(due);
    loop {
        tokio::select! {
            _ = &mut due => return,
            asked = stage.models.next() => match says {
                Some(says) => asked.reply(says),
                None => asked.fail(ModelErrorClass::Server),
            },
        }
    }
}

/// What was said without having been asked for in the same breath: where, to whom, what.
fn reminded(stage: &Stage) -> Vec<(ChannelId, String, String)> {
    let said = |shown: Shown| match shown {
        Shown::Said { to, text, .. } => {
            let awaited = to.awaited?;
            let whom = awaited.whom.map(|whom| whom.to_string()).unwrap_or_default();
            Some((to.place.channel, whom, text))
        }
        Shown::Notice { .. } => None,
    };
    stage.outbox.shown().into_iter().filter_map(said).collect()
}

#[tokio::test(start_paused = true)]
async fn a_reminder_that_the_model_keeps_is_said_once_when_it_is_due_and_remembered_as_said() {
    let mut stage = stage().await;
    let told = calls(
        &mut stage,
        &ferry(),
        "alice",
        "remind",
        json!({"text": "feed the cat", "when": "in 20 minutes"}),
    )
    .await;
    let due = (stage.clock.now() + Duration::from_secs(20 * 60)).strftime("%A %-d %B %Y").to_string();
    assert!(told.starts_with("Kept as 1: ") && told.contains(&due), "{told}");
    fires(&stage, None).await;
    assert_eq!(reminded(&stage), []);
    stage.clock.advance(Duration::from_secs(20 * 60));
    for _ in 0..3 {
        fires(&stage, None).await;
    }
    let alice = person("alice").account.to_string();
    let said = "You asked me to remind you: feed the cat";
    assert_eq!(reminded(&stage), [(ferry().channel, alice, said.to_owned())]);
    let last = stage.remembered().await.pop().unwrap();
    assert_eq!(last.1, said, "it knows that it said so");
    let told = calls(&mut stage, &ferry(), "alice", "reminders", json!({})).await;
    assert_eq!(told, "Nothing is kept for them here.");
}

/// On the real clock: what is forgotten until it is looked again would come later than is waited here.
#[tokio::test]
async fn what_comes_due_while_another_is_put_in_words_is_said_right_after_it() {
    let stage = stage().await;
    stage.session.was_read_back(&ferry().channel);
    let first = in_one_minute(&ferry(), "alice", "feed the cat", &stage);
    for (words, later) in [("feed the cat", 0), ("feed the dog", 30), ("feed the owl", 60)] {
        let due = first.due.map(|due| due + Duration::from_secs(later));
        let reminder = NewReminder { words: words.to_owned(), due, ..first.clone() };
        stage.history.remind(reminder).await.unwrap().unwrap();
    }
    stage.clock.advance(Duration::from_secs(60));
    let reminding = tokio::spawn(stage.session.clone().keep_reminding());
    stage.next_request().await.reply("Go and feed the cat.");
    // That something was kept wakes it once more, which would hide what is looked at here.
    while reminded(&stage).is_empty() {
        tokio::task::yield_now().await;
    }
    for _ in 0..50 {
        stage.history.whole().next_reminder(stage.clock.now()).await.unwrap();
    }
    stage.clock.advance(Duration::from_secs(30));
    stage.session.was_read_back(&ferry().channel);
    let asked = stage.next_request().await;
    stage.clock.advance(Duration::from_secs(30));
    asked.reply("Go and feed the dog.");
    stage.next_request().await.reply("Go and feed the owl.");
    while reminded(&stage).len() < 3 {
        tokio::task::yield_now().await;
    }
    let said: Vec<String> = reminded(&stage).into_iter().map(|(_, _, text)| text).collect();
    assert_eq!(said, ["Go and feed the cat.", "Go and feed the dog.", "Go and feed the owl."]);
    reminding.abort();
}

#[tokio::test(start_paused = true)]
async fn the_character_puts_it_in_its_own_words_where_a_model_tells_of_it() {
    let stage = stage().await;
    for (says, said) in [
        ("The cat is glaring at me. Go and feed it.", "The cat is glaring at me. Go and feed it."),
        ("Lovely evening on the river.", "You asked me to remind you: feed the cat"),
        ("", "You asked me to remind you: feed the cat"),
    ] {
        stage
            .history
            .remind(in_one_minute(&ferry(), "alice", "feed the cat", &stage))
            .await
            .unwrap()
            .unwrap();
        stage.clock.advance(Duration::from_secs(60));
        fires(&stage, Some(says)).await;
        assert_eq!(reminded(&stage).last().unwrap().2, said);
        let trace = stage.traces.whole().latest(Some(&ferry().channel)).await.unwrap().unwrap();
        assert_eq!((trace.trigger.as_str(), trace.reply.as_deref()), ("a reminder was due", Some(said)));
        assert!(
            trace.request.last().unwrap().content.contains("> feed the cat"),
            "what it was asked is seen"
        );
        assert_eq!(trace.calls.len(), 1, "and paid for: {:?}", trace.calls);
        assert!(trace.assembly.as_ref().is_some_and(|figures| figures.prompt_tokens > 0));
    }
}

#[tokio::test(start_paused = true)]
async fn what_came_due_while_the_program_was_down_is_said_at_the_start_and_says_how_late_it_is() {
    let stage = stage().await;
    let new = in_one_minute(&ferry(), "alice", "die Katze füttern", &stage);
    stage.history.remind(new).await.unwrap().unwrap();
    let again = in_one_minute(&ferry(), "alice", "take the pills", &stage);
    let again = NewReminder { recurrence: Some("daily 08:00".parse().unwrap()), ..again };
    stage.history.remind(again).await.unwrap().unwrap();
    let stage = stage.reopened().await;
    stage.clock.advance(Duration::from_secs(60 + 5 * 60 * 60));
    // What it said now would stand before what was said to it meanwhile, which is looked for behind its newest words.
    assert!(stage.session.remind_due().await, "it waits until the channel was read back");
    assert_eq!(reminded(&stage), []);
    fires(&stage, None).await;
    let said: Vec<String> = reminded(&stage).into_iter().map(|(_, _, text)| text).collect();
    assert!(said[0].starts_with("Du wolltest erinnert werden: die Katze füttern ("), "{said:?}");
    assert!(said[1].starts_with("You asked me to remind you: take the pills (5 h 0 min late"), "{said:?}");
    let here = Visible::at(&ferry());
    let left =
        stage.history.seen_by(&here).reminders(&person("alice").account, AlsoOf::Nobody).await.unwrap();
    assert_eq!(left.len(), 1, "what comes again has its next day");
    assert!(left[0].what.due.unwrap() > stage.clock.now());
}

#[tokio::test(start_paused = true)]
async fn it_goes_by_the_clock_of_where_somebody_lives_and_says_so_where_no_list_names_that() {
    let mut stage = stage().await;
    let people = stage.config.home().memory_dir().join("people");
    std::fs::create_dir_all(&people).unwrap();
    for (who, home) in [("alice", "東京"), ("ben", "Winterfell")] {
        let note = people.join(format!("{}.md", person(who).account.slug()));
        std::fs::write(note, format!("- {} lives in {home}.\n", person(who).label())).unwrap();
    }
    let when = json!({"text": "feed the cat", "when": "tomorrow at 8"});
    let told = calls(&mut stage, &ferry(), "alice", "remind", when.clone()).await;
    assert!(told.contains("08:00") && told.ends_with("(Asia/Tokyo)."), "{told}");
    let told = calls(&mut stage, &ferry(), "ben", "remind", when.clone()).await;
    assert!(told.contains("no table names the place where they live"), "{told}");
    let told = calls(&mut stage, &ferry(), "cara", "remind", when).await;
    assert!(!told.contains("where they live"), "{told}");
}

#[tokio::test(start_paused = true)]
async fn a24_a_reminder_that_is_posted_hides_nothing_that_is_due_that_day() {
    let mut stage = stage().await;
    stage.talk_in(&ferry(), "alice", "Hm. My exam is on Friday!", "Good luck.").await;
    // From a Sunday.
    stage.clock.advance(Duration::from_secs(5 * 24 * 3600));
    stage.history.remind(in_one_minute(&ferry(), "ben", "feed the cat", &stage)).await.unwrap().unwrap();
    stage.clock.advance(Duration::from_secs(60));
    fires(&stage, None).await;
    assert_eq!(reminded(&stage).len(), 1);
    let due = "“My exam is on Friday!”. That is today.";
    let told = stage.prompt_in(&ferry(), "ben", "Mika, good evening", "Evening, Ben.").await;
    assert!(told.contains(due), "{told}");
    let told = stage.prompt_in(&ferry(), "ben", "Mika, still there?", "Always.").await;
    assert!(!told.contains(due), "an answer told of it: {told}");
}

#[tokio::test(start_paused = true)]
async fn a_word_that_tells_no_language_is_said_in_the_one_it_was_asked_in() {
    let mut stage = stage().await;
    let asked = "Mika, erinnere mich bitte in einer Minute an den Zahnarzt";
    stage.talk_in(&ferry(), "alice", asked, "Das mache ich.").await;
    stage.history.remind(in_one_minute(&ferry(), "alice", "Zahnarzt", &stage)).await.unwrap().unwrap();
    stage.talk_in(&ferry(), "ben", "Mika, what is the weather like today?", "It rains.").await;
    stage.clock.advance(Duration::from_secs(6 * 60));
    fires(&stage, None).await;
    let said = reminded(&stage).pop().unwrap().2;
    assert!(said.starts_with("Du wolltest erinnert werden: Zahnarzt (5 Min. zu spät"), "{said}");
}

#[tokio::test(start_paused = true)]
async fn what_was_asked_alone_is_said_alone_and_no_list_shows_what_others_asked() {
    let mut stage = stage().await;
    let secret = dm("alice");
    calls(
        &mut stage,
        &secret,
        "alice",
        "remind",
        json!({"text": "the SURPRISE party", "when": "in 5 minutes"}),
    )
    .await;
    calls(&mut stage, &ferry(), "alice", "timer", json!({"minutes": 5, "label": "tea"})).await;
    let told = calls(&mut stage, &ferry(), "alice", "reminders", json!({})).await;
    assert!(told.contains("timer") && told.ends_with(": tea") && !told.contains("SURPRISE"), "{told}");
    let told = calls(&mut stage, &ferry(), "ben", "reminders", json!({})).await;
    assert_eq!(told, "Nothing is kept for them here.");
    let told = calls(&mut stage, &ferry(), "ben", "cancel_reminder", json!({"id": 2})).await;
    assert!(told.contains("they have no 2 here"), "{told}");
    let told = calls(&mut stage, &ferry(), "alice", "cancel_reminder", json!({"id": 1})).await;
    assert!(told.contains("they have no 1 here"), "{told}");
    let told = calls(&mut stage, &ferry(), "alice", "cancel_reminder", json!({"id": 2})).await;
    assert_eq!(told, "2 is done with.");
    stage.clock.advance(Duration::from_secs(600));
    fires(&stage, None).await;
    let said = reminded(&stage);
    assert_eq!(said.len(), 1);
    assert_eq!(said[0].0, secret.channel);
}

#[tokio::test(start_paused = true)]
async fn an_open_loop_comes_up_when_whoever_told_of_it_comes_back_and_for_nobody_else() {
    let mut stage = stage().await;
    let told = calls(&mut stage, &ferry(), "alice", "open_loop", json!({"about": "exam on Thursday"})).await;
    assert_eq!(told, "Kept as 1.");
    let secret = dm("alice");
    calls(&mut stage, &secret, "alice", "open_loop", json!({"about": "the SURPRISE party"})).await;
    let line = "and it was still open: “exam on Thursday”";
    let prompt =
        |asked: &Asked| asked.request.messages.iter().map(|one| one.content.clone()).collect::<String>();
    for (who, hours, comes_up) in [("alice", 1, false), ("ben", 7, false), ("alice", 7, true)] {
        stage.clock.advance(Duration::from_secs(hours * 3600));
        let asked = stage.asked(who, "Mika, I am back").await;
        let shown = prompt(&asked);
        assert_eq!(shown.contains(line), comes_up, "{who} after {hours} hours: {shown}");
        assert!(!shown.contains("SURPRISE"), "{shown}");
        stage.replied(asked, "Hello.").await;
    }
    // Once is enough, and what is done with is not asked about.
    calls(&mut stage, &ferry(), "alice", "open_loop", json!({"about": "the new boat"})).await;
    calls(&mut stage, &ferry(), "alice", "close_loop", json!({"id": 3})).await;
    stage.clock.advance(Duration::from_secs(7 * 3600));
    let asked = stage.asked("alice", "Mika, I am back").await;
    assert!(!prompt(&asked).contains("it was still open"));
    stage.replied(asked, "Hello.").await;
}

#[tokio::test(start_paused = true)]
async fn what_somebody_left_open_is_asked_about_once_wherever_they_come_back() {
    let mut stage = stage().await;
    let tower = channel(4, "#tower");
    stage.talk_in(&tower, "alice", "Mika, is it windy?", "Always.").await;
    calls(&mut stage, &ferry(), "alice", "open_loop", json!({"about": "exam on Thursday"})).await;
    stage.clock.advance(Duration::from_secs(7 * 3600));
    for (place, reply, comes_up) in
        [(ferry(), "How was it?", true), (tower, "Hello there.", false), (ferry(), "Hello again.", false)]
    {
        let asked = stage.asked_in(&place, "alice", "Mika, I am back").await;
        let shown: String = asked.request.messages.iter().map(|one| one.content.clone()).collect();
        assert_eq!(shown.contains("and it was still open"), comes_up, "{reply}: {shown}");
        stage.replied_in(&place, asked, reply).await;
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_left_open_alone_is_asked_about_alone_though_they_came_back_before_others_first() {
    let mut stage = stage().await;
    let alone = dm("alice");
    calls(&mut stage, &alone, "alice", "open_loop", json!({"about": "exam on Thursday"})).await;
    stage.clock.advance(Duration::from_secs(7 * 3600));
    for (place, reply, comes_up) in [(ferry(), "Hello there.", false), (alone, "How was it?", true)] {
        let asked = stage.asked_in(&place, "alice", "Mika, I am back").await;
        let shown: String = asked.request.messages.iter().map(|one| one.content.clone()).collect();
        assert_eq!(shown.contains("and it was still open"), comes_up, "{reply}: {shown}");
        stage.replied_in(&place, asked, reply).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_time_that_cannot_be_read_gives_the_forms_that_work_and_keeps_nothing() {
    let mut stage = stage().await;
    let told = calls(&mut stage, &ferry(), "alice", "remind", json!({"text": "x", "when": "soonish"})).await;
    assert!(told.contains("in 20 minutes"), "{told}");
    let long = "x".repeat(501);
    let told =
        calls(&mut stage, &ferry(), "alice", "remind", json!({"text": long, "when": "in an hour"})).await;
    assert!(told.contains("1 to 500 characters"), "{told}");
    let told = calls(&mut stage, &ferry(), "alice", "timer", json!({})).await;
    assert!(told.contains("one second to a day"), "{told}");
    assert_eq!(stage.history.whole().reminders_due(jiff::Timestamp::MAX).await.unwrap(), []);
}

#[tokio::test(start_paused = true)]
async fn what_is_not_for_people_of_any_age_is_not_kept_where_they_may_read() {
    let mut stage = stage().await;
    let rude = "give him a blowjob";
    for (tool, arguments) in [
        ("remind", json!({"text": rude, "when": "in 20 minutes"})),
        ("remind", json!({"text": rude, "when": "every day at 8", "for_everybody": true})),
        ("timer", json!({"minutes": 1, "label": rude})),
        ("open_loop", json!({"about": rude})),
    ] {
        let told = calls(&mut stage, &ferry(), "alice", tool, arguments).await;
        assert!(told.contains("people of any age"), "{tool}: {told}");
    }
    let told = calls(&mut stage, &ferry(), "alice", "reminders", json!({})).await;
    assert_eq!(told, "Nothing is kept for them here.");
}

#[tokio::test(start_paused = true)]
async fn what_was_kept_and_is_not_for_people_of_any_age_is_only_said_to_be_due_where_they_may_read() {
    let stage = stage().await;
    for says in [Some("Alice, give him a blowjob."), None] {
        let rude = in_one_minute(&ferry(), "alice", "give him a blowjob", &stage);
        stage.history.remind(rude).await.unwrap().unwrap();
        stage.clock.advance(Duration::from_secs(60));
        fires(&stage, says).await;
    }
    let said: Vec<String> = reminded(&stage).into_iter().map(|(.., text)| text).collect();
    assert_eq!(said, ["It is time.", "It is time."]);
}

#[tokio::test(start_paused = true)]
async fn the_clock_is_that_of_whoever_asks_where_they_told_it() {
    let mut stage = stage().await;
    stage.world.wished(&ferry(), &person("alice"), "my time zone is Tokyo", None, stage.clock.now());
    let told =
        calls(&mut stage, &ferry(), "alice", "remind", json!({"text": "x", "when": "every day at 8"})).await;
    assert!(told.contains("08:00 JST (Asia/Tokyo), every day at 08:00"), "{told}");
}

#[tokio::test(start_paused = true)]
async fn a_reminder_that_cannot_be_said_is_tried_again_with_a_bound_and_kept_by_quiet() {
    let stage = stage().await;
    let place = channel(4, "#tower");
    let now = stage.clock.now();
    stage.config.set_quiet(&place, now, Some(now + Duration::from_secs(24 * 60 * 60))).unwrap();
    stage.history.remind(in_one_minute(&place, "alice", "feed the cat", &stage)).await.unwrap().unwrap();
    stage.clock.advance(Duration::from_secs(60));
    stage.outbox.fail_next(DeliveryError::Failed("Discord is away".to_owned()));
    fires(&stage, None).await;
    fires(&stage, None).await;
    assert_eq!(reminded(&stage), [], "not at once again");
    stage.clock.advance(Duration::from_secs(30));
    fires(&stage, None).await;
    assert_eq!(reminded(&stage).len(), 1, "quiet does not keep back what somebody asked for");
    stage.history.remind(in_one_minute(&place, "alice", "feed the dog", &stage)).await.unwrap().unwrap();
    for _ in 0..40 {
        stage.outbox.fail_next(DeliveryError::Forbidden("gone".to_owned()));
        stage.clock.advance(Duration::from_secs(2 * 60 * 60));
        fires(&stage, None).await;
    }
    assert_eq!(stage.history.whole().reminders_due(stage.clock.now()).await.unwrap(), [], "not forever");
}

#[tokio::test(start_paused = true)]
async fn what_somebody_wanted_who_has_left_the_server_is_said_no_more() {
    /// Nobody is in any server.
    #[derive(Debug)]
    struct NobodyIsThere;

    #[async_trait::async_trait]
    impl Membership for NobodyIsThere {
        async fn place_now(&self, place: &Place) -> Place {
            place.clone()
        }

        async fn is_in(&self, _: &AccountId, _: &GuildId) -> Option<bool> {
            Some(false)
        }
    }
    let stage = stage().await;
    let daily = Recurrence { repeats: Repeats::Daily, at: jiff::civil::time(8, 0, 0, 0) };
    for (place, again) in [(ferry(), Some(daily)), (dm("alice"), None)] {
        let new = in_one_minute(&place, "alice", "feed the cat", &stage);
        stage.history.remind(NewReminder { recurrence: again, ..new }).await.unwrap().unwrap();
    }
    stage.pairing.asks(Arc::new(NobodyIsThere));
    stage.clock.advance(Duration::from_secs(60));
    fires(&stage, None).await;
    let said: Vec<_> = reminded(&stage).into_iter().map(|(channel, ..)| channel).collect();
    assert_eq!(said, [dm("alice").channel], "a direct message is in no server");
    assert_eq!(stage.history.whole().next_reminder(stage.clock.now()).await.unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn what_comes_again_outlives_a_day_on_which_it_could_not_be_said() {
    let stage = stage().await;
    let daily = Recurrence { repeats: Repeats::Daily, at: jiff::civil::time(8, 0, 0, 0) };
    let new = in_one_minute(&ferry(), "alice", "feed the cat", &stage);
    stage.history.remind(NewReminder { recurrence: Some(daily), ..new }).await.unwrap().unwrap();
    for _ in 0..40 {
        stage.outbox.fail_next(DeliveryError::Forbidden("gone".to_owned()));
        stage.clock.advance(Duration::from_secs(60 * 60));
        fires(&stage, None).await;
    }
    assert_eq!(reminded(&stage), []);
    stage.outbox.fails_no_more();
    stage.clock.advance(Duration::from_secs(48 * 60 * 60));
    fires(&stage, None).await;
    assert_eq!(reminded(&stage).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn nobody_has_it_invite_people_into_a_server_by_a_reminder() {
    let stage = stage().await;
    let words = "everybody join discord.gg/scam at once";
    stage.history.remind(in_one_minute(&ferry(), "alice", words, &stage)).await.unwrap().unwrap();
    stage.clock.advance(Duration::from_secs(60));
    fires(&stage, Some(words)).await;
    let (.., said) = reminded(&stage).remove(0);
    assert!(said.contains("everybody join") && !said.contains("discord.gg"), "{said}");
}

#[tokio::test(start_paused = true)]
async fn beside_a_call_it_is_written_because_whoever_waits_for_it_may_not_be_listening() {
    let stage = stage().await;
    let call = Arc::new(RecordingOutbox::new(DeliveryStyle::Spoken));
    stage.session.connect_place(&ferry(), Arc::clone(&call) as Arc<dyn Outbox>);
    stage.history.remind(in_one_minute(&ferry(), "alice", "feed the cat", &stage)).await.unwrap().unwrap();
    stage.clock.advance(Duration::from_secs(60));
    fires(&stage, None).await;
    assert_eq!(reminded(&stage).len(), 1);
    assert_eq!(call.delivered(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn what_more_people_can_see_than_when_it_was_asked_for_is_not_said_there() {
    let mut stage = stage().await;
    let closed = Place { audience: Audience::Private(4.into()), ..channel(4, "#tower") };
    stage.history.remind(in_one_minute(&closed, "alice", "the secret", &stage)).await.unwrap().unwrap();
    stage.says_in(&channel(4, "#tower"), "ben", "it is open to all now", APART).await;
    stage.settled_in(&channel(4, "#tower")).await;
    stage.clock.advance(Duration::from_secs(60));
    fires(&stage, None).await;
    assert_eq!(reminded(&stage), []);
}

#[tokio::test(start_paused = true)]
async fn nor_is_it_said_where_the_channel_was_opened_and_nobody_has_written_since() {
    /// Every channel is open to its whole server by now.
    #[derive(Debug)]
    struct AllIsOpen;

    #[async_trait::async_trait]
    impl Membership for AllIsOpen {
        async fn place_now(&self, place: &Place) -> Place {
            Place { audience: Audience::Guild(1.into()), ..place.clone() }
        }

        async fn is_in(&self, _: &AccountId, _: &GuildId) -> Option<bool> {
            Some(true)
        }
    }
    let stage = stage().await;
    let closed = Place { audience: Audience::Private(4.into()), ..channel(4, "#tower") };
    stage.history.remind(in_one_minute(&closed, "alice", "the secret", &stage)).await.unwrap().unwrap();
    stage.pairing.asks(Arc::new(AllIsOpen));
    stage.clock.advance(Duration::from_secs(60));
    fires(&stage, None).await;
    assert_eq!(reminded(&stage), []);
}

#[tokio::test(start_paused = true)]
async fn forgetting_somebody_takes_their_reminders_along_and_undoing_it_brings_them_back() {
    let mut stage = stage().await;
    stage.says_in(&ferry(), "alice", "hello there, I have a boat", APART).await;
    stage.settled().await;
    stage.history.remind(in_one_minute(&ferry(), "alice", "feed the cat", &stage)).await.unwrap().unwrap();
    stage.history.remind(in_one_minute(&ferry(), "ben", "feed the dog", &stage)).await.unwrap().unwrap();
    let alice = person("alice").account;
    stage.forgets(&alice, KeepCopy::SevenDays).await;
    let here = Visible::at(&ferry());
    assert_eq!(stage.history.seen_by(&here).reminders(&alice, AlsoOf::Nobody).await.unwrap(), []);
    let ben = person("ben").account;
    assert_eq!(stage.history.seen_by(&here).reminders(&ben, AlsoOf::Nobody).await.unwrap().len(), 1);
    stage.eraser.undo(&Asker::Person(alice.clone())).await.unwrap();
    assert_eq!(stage.history.seen_by(&here).reminders(&alice, AlsoOf::Nobody).await.unwrap().len(), 1);
}

/// Something that a place does every day at noon, from tomorrow on.
fn every_noon(words: &str, stage: &Stage) -> NewReminder {
    NewReminder {
        kind: ReminderKind::Ritual,
        due: Some("2026-03-02T12:00:00Z".parse().unwrap()),
        zone: "UTC".to_owned(),
        recurrence: Some("daily 12:00".parse().unwrap()),
        ..in_one_minute(&ferry(), "alice", words, stage)
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_announced_to_all_is_asked_about_first_and_a_reminder_is_not() {
    let mut stage = stage().await;
    let given = json!({"text": "tea on deck", "when": "every day at 12:00", "for_everybody": true});
    let told = calls(&mut stage, &ferry(), "alice", "remind", given).await;
    assert!(told.contains("nobody can be asked here"), "there are no buttons: {told}");
    assert_eq!(stage.history.whole().reminders_due(jiff::Timestamp::MAX).await.unwrap(), []);
    let given = json!({"text": "tea on deck", "when": "every day at 12:00"});
    let told = calls(&mut stage, &ferry(), "alice", "remind", given).await;
    assert!(told.starts_with("Kept as 1: "), "{told}");
}

#[tokio::test(start_paused = true)]
async fn what_a_place_does_again_and_again_is_announced_to_all_there_and_cancelled_by_whoever_asked_for_it() {
    let settings = "text_lull_timeout = 0.01\n[typing_simulation]\nenabled = false\n\
        [tools]\nconfirm = \"others_words\"\n";
    let mut stage = Stage::with(settings, MESSAGES).await;
    stage.models.take_tools();
    for (place, when, refused) in [
        (ferry(), "tomorrow at 12:00", "has to come again"),
        (dm("alice"), "every day at 12:00", "nobody else is here"),
    ] {
        let given = json!({"text": "tea on deck", "when": when, "for_everybody": true});
        let told = calls(&mut stage, &place, "alice", "remind", given).await;
        assert!(told.contains(refused), "{told}");
    }
    stage.history.remind(every_noon("tea on deck", &stage)).await.unwrap().unwrap();
    stage.clock.advance(Duration::from_secs(16 * 60 * 60));
    fires(&stage, Some("Tea on deck, all of you.")).await;
    let said = "Tea on deck, all of you.".to_owned();
    assert_eq!(reminded(&stage), [(ferry().channel, String::new(), said)], "and nobody is called by it");
    let trace = stage.traces.whole().latest(Some(&ferry().channel)).await.unwrap().unwrap();
    assert_eq!(trace.trigger, "a ritual of this place was due");
    let told = calls(&mut stage, &ferry(), "ben", "reminders", json!({})).await;
    assert!(told.contains("1: for everybody here, ") && told.ends_with(": tea on deck"), "{told}");
    let told = calls(&mut stage, &channel(4, "#tower"), "ben", "reminders", json!({})).await;
    assert_eq!(told, "Nothing is kept for them here.");
    let told = calls(&mut stage, &channel(4, "#tower"), "ben", "cancel_reminder", json!({"id": 1})).await;
    assert!(told.contains("they have no 1 here"), "{told}");
    let told = calls(&mut stage, &ferry(), "ben", "cancel_reminder", json!({"id": 1})).await;
    assert!(told.contains("only whoever asked for it, or manages the channel"), "{told}");
    let told = calls(&mut stage, &ferry(), "alice", "cancel_reminder", json!({"id": 1})).await;
    assert_eq!(told, "1 is done with.");
    assert_eq!(stage.history.whole().next_reminder(stage.clock.now()).await.unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn it_is_not_announced_where_all_shall_be_quiet_nor_when_it_is_over() {
    let stage = stage().await;
    let noon = Duration::from_secs(24 * 60 * 60);
    let comes_again = async || {
        let due = stage.history.whole().next_reminder(stage.clock.now()).await.unwrap().unwrap();
        assert!(due.duration_since(stage.clock.now()).as_hours() >= 20, "{due}");
    };
    stage.history.remind(every_noon("tea on deck", &stage)).await.unwrap().unwrap();
    stage.clock.advance(Duration::from_secs(16 * 60 * 60));
    let now = stage.clock.now();
    stage.config.set_quiet(&ferry(), now, Some(now + Duration::from_secs(60 * 60))).unwrap();
    fires(&stage, None).await;
    assert_eq!(reminded(&stage), [], "it was told to be quiet");
    comes_again().await;
    stage.clock.advance(noon + Duration::from_secs(2 * 60 * 60));
    fires(&stage, None).await;
    assert_eq!(reminded(&stage), [], "that is over by now");
    comes_again().await;
    let later = every_noon("cake on deck", &stage);
    let due = Some("2026-03-04T12:00:00Z".parse().unwrap());
    stage.history.remind(NewReminder { due, ..later }).await.unwrap().unwrap();
    stage.clock.advance(Duration::from_secs(22 * 60 * 60));
    fires(&stage, None).await;
    let said: Vec<String> = reminded(&stage).into_iter().map(|(.., text)| text).collect();
    assert_eq!(said, ["It is time: tea on deck", "It is time: cake on deck"], "and each of them");
    comes_again().await;
}

/// Lets it be that time.
fn it_is(stage: &Stage, time: &str) {
    let time: jiff::Timestamp = time.parse().unwrap();
    stage.clock.advance(Duration::try_from(time.duration_since(stage.clock.now())).unwrap());
}

#[tokio::test(start_paused = true)]
async fn it_is_announced_at_any_hour_also_where_it_never_begins_to_speak_by_itself() {
    let settings = "[own_messages]\nper_day = 0\n[typing_simulation]\nenabled = false\n";
    let stage = Stage::with(settings, MESSAGES).await;
    let late = every_noon("film night for everybody", &stage);
    let due = Some("2026-03-02T23:30:00Z".parse().unwrap());
    let recurrence = Some("daily 23:30".parse().unwrap());
    stage.history.remind(NewReminder { due, recurrence, ..late }).await.unwrap().unwrap();
    it_is(&stage, "2026-03-02T23:30:00Z");
    fires(&stage, None).await;
    let said: Vec<String> = reminded(&stage).into_iter().map(|(.., text)| text).collect();
    assert_eq!(said, ["It is time: film night for everybody"]);
}

#[tokio::test(start_paused = true)]
async fn a_place_that_fills_with_them_hears_six_of_them_a_day() {
    let stage = stage().await;
    for number in 1..=7 {
        let ritual = every_noon(&format!("tea on deck {number}"), &stage);
        let asker = person(&format!("hand{number}"));
        stage.history.remind(NewReminder { asker, ..ritual }).await.unwrap().unwrap();
    }
    it_is(&stage, "2026-03-02T12:00:00Z");
    fires(&stage, None).await;
    fires(&stage, None).await;
    let said: Vec<String> = reminded(&stage).into_iter().map(|(.., text)| text).collect();
    assert_eq!(said, (1..=6).map(|number| format!("It is time: tea on deck {number}")).collect::<Vec<_>>());
    it_is(&stage, "2026-03-03T12:00:00Z");
    fires(&stage, None).await;
    assert_eq!(reminded(&stage).len(), 12, "and as many the next day");
}

#[tokio::test(start_paused = true)]
async fn one_that_does_not_arrive_is_announced_at_the_next_try_and_once() {
    let stage = stage().await;
    stage.history.remind(every_noon("tea on deck", &stage)).await.unwrap().unwrap();
    it_is(&stage, "2026-03-02T12:00:00Z");
    stage.outbox.fail_next(DeliveryError::Failed("Discord is away".to_owned()));
    fires(&stage, None).await;
    assert_eq!(reminded(&stage), []);
    let trace = stage.traces.whole().latest(Some(&ferry().channel)).await.unwrap().unwrap();
    assert!(matches!(trace.outcome, Outcome::Undelivered { messages: 0, .. }), "{:?}", trace.outcome);
    for _ in 0..3 {
        stage.clock.advance(Duration::from_secs(30));
        fires(&stage, None).await;
    }
    let said: Vec<String> = reminded(&stage).into_iter().map(|(.., text)| text).collect();
    assert_eq!(said, ["It is time: tea on deck"]);
}
