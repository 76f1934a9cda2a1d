//! Where it is, in the window.

use familiar_connect::clock::Clock as _;
use familiar_connect::domain::{
    ChannelId, Deed, GuildId, MessageId, Modality, Place, PlaceKind, Role, StageTiming, TurnTrace,
};
use familiar_connect::history::{NewTurn, ReplyKnownBy};
use familiar_connect::voice::CallsNow;
use familiar_connect::voice::turn::{Effect, FinishedUtterance, TurnEvent, UtteranceId, Verdict};
use familiar_connect::world::{CallVoice, InCall, Sighting};

use super::*;
use crate::support::call::in_call;
use crate::support::stage::{APART, UNADDRESSED, dm, ferry, person, said_at};

/// Somebody types in the ferry's channel.
pub(super) fn types(open: &Open, name: &str) {
    let (account, at) = (person("bob").account, open.stage.clock.now());
    let seen = Sighting { account, name: name.to_owned(), is_bot: false, at };
    open.stage.world.typing(&ferry().channel, seen);
}

/// Somebody is in a call there.
pub(super) fn is_in_call(open: &Open, name: &str, voice: CallVoice) {
    let one = InCall {
        name: name.to_owned(),
        channel: ferry().channel,
        channel_name: "ferry".to_owned(),
        ..in_call("bob", voice)
    };
    open.stage.world.guild(&GuildId::from(7), |state| state.calls = Arc::new(vec![one]));
}

/// Waits until what is now in a room holds these words.
async fn shows(live: &mut Live, words: &str) {
    while !live.next_named("now").await["html"].as_str().unwrap().contains(words) {}
}

#[tokio::test]
async fn who_types_and_who_speaks_in_a_call_stands_there_and_changes_by_itself() {
    let (mut open, ada) = Open::with_ada().await;
    open.stage.talk("alice", "Good evening.", "Evening.").await;
    let mut live = ada.follows("room&place=1").await;
    types(&open, "Bob");
    shows(&mut live, "Bob is typing.").await;
    assert!(ada.goes_to("/rooms/1").await.body.contains("Bob is typing."));
    is_in_call(&open, "Bob", CallVoice::Silent);
    shows(&mut live, "In the call").await;
    is_in_call(&open, "Bob", CallVoice::Speaking);
    shows(&mut live, "class=\"speaks\"").await;

    // The newest spoken answer says how it came about.
    let turn = open.stage.traces.whole().list(1).await.unwrap().pop().unwrap();
    let in_call = vec![StageTiming { stage: "first_sound".to_owned(), us: 812_000 }];
    let id = open.stage.traces.next_turn();
    let modality = Modality::Voice;
    open.stage.traces.record(TurnTrace { id, modality, in_call, ..TurnTrace::clone(&turn) }).await;
    let room = ada.goes_to("/rooms/1").await.body;
    assert!(room.contains("812 ms") && room.contains(&format!("/xray/{id}\">Its x-ray")), "{room}");
}

#[tokio::test]
async fn whose_turn_it_is_in_a_call_and_what_happened_there_comes_by_itself() {
    let mut stage = Stage::of(Stage::installed(ANY_PORT, CARD), DeliveryStyle::Live).await;
    stage.talk("alice", "Good evening.", "Evening.").await;
    let calls = Arc::<CallsNow>::default();
    let parts = WindowParts { calls: Arc::clone(&calls), ..parts(&stage, None) };
    let window = Window::open(parts, None).await.unwrap();
    let open = Open { stage, window, doing: Arc::default() };
    let ada = open.browser().await;
    let mut live = ada.follows("room&place=1").await;
    let (channel, bob) = (ferry().channel, person("bob").account);
    let now = || open.stage.clock.now();
    is_in_call(&open, "Bob", CallVoice::Silent);
    calls.begins(&channel);
    shows(&mut live, "It listens.").await;
    let voice = |on| TurnEvent::Voice { who: bob.clone(), on, at: std::time::Duration::ZERO };
    calls.told(&channel, &voice(true));
    shows(&mut live, "class=\"speaks\"").await;
    calls.told(&channel, &voice(false));
    assert!(!ada.goes_to("/rooms/1").await.body.contains("class=\"speaks\""));
    let said = |verdict, is_unsure| FinishedUtterance {
        utterance: UtteranceId(1),
        who: bob.clone(),
        text: "what nobody is shown here".to_owned(),
        began: std::time::Duration::ZERO,
        ended: std::time::Duration::ZERO,
        settled: std::time::Duration::ZERO,
        over: std::time::Duration::ZERO,
        verdict,
        is_unsure,
        speculation: None,
    };
    for percent in [95, 72] {
        calls.is_sure_of(&channel, now(), &bob, percent);
    }
    let submitted = vec![said(Verdict::Familiar("its name was said"), false), said(Verdict::Perhaps, true)];
    calls.did(&channel, now(), &Effect::Submit { said: submitted });
    shows(&mut live, "Bob spoke to it: its name was said.").await;
    let room = ada.goes_to("/rooms/1").await.body;
    assert!(room.contains("Bob perhaps spoke to it; the model decides. It is not sure of that."), "{room}");
    assert!(room.contains("its name was said. 83 % sure of the words."), "{room}");
    assert!(!room.contains("what nobody is shown here"), "words stand where they are kept");
    assert!(!room.contains("class=\"hardly\""), "{room}");
    calls.is_sure_of(&channel, now(), &bob, 40);
    ada.finds("/rooms/1", &["class=\"hardly\"", "hardly understood: 40 %"]).await;
    for (told, did, shown, moment) in [
        (
            Some(TurnEvent::Opened { reply: 1, whom: None, unasked: false }),
            None,
            "It prepares an answer.",
            "",
        ),
        (Some(TurnEvent::Works { reply: 1, on: true }), None, "It looks something up, or does it.", ""),
        (Some(TurnEvent::Works { reply: 1, on: false }), None, "It prepares an answer.", ""),
        (Some(TurnEvent::Audible { reply: 1 }), None, "It speaks.", ""),
        (None, Some(Effect::Duck(true)), "It speaks.", "it grew quieter"),
        (
            None,
            Some(Effect::Pause),
            "It fell silent, and keeps the rest",
            "It fell silent, and kept the rest.",
        ),
        (None, Some(Effect::Resume), "It speaks.", "It went on where it fell silent."),
        (None, Some(Effect::Abandon { reply: 1 }), "It listens.", "It broke off"),
    ] {
        told.iter().for_each(|event| calls.told(&channel, event));
        did.iter().for_each(|effect| calls.did(&channel, now(), effect));
        let room = ada.goes_to("/rooms/1").await.body;
        assert!(room.contains(shown) && room.contains(moment), "{shown}, {moment}: {room}");
    }
    calls.ends(&channel);
    assert!(!ada.goes_to("/rooms/1").await.body.contains("It broke off"), "a call that is over is over");
}

#[tokio::test]
async fn every_place_stands_there_with_what_was_said_last() {
    let (mut open, ada) = Open::with_ada().await;
    assert!(ada.goes_to("/rooms").await.body.contains("has been nowhere yet"));
    open.stage.talk("alice", "Is the *ferry* late?", "It is *never* **late**.").await;
    open.stage.says_in(&dm("bob"), "bob", "Between us: I cannot swim.", UNADDRESSED).await;
    open.stage.next_request().await.reply("Stay on deck.");
    open.stage.settled_in(&dm("bob")).await;
    let list = ada.goes_to("/rooms").await.body;
    for shown in [
        "Harbour",
        "#ferry",
        "It is never late.",
        "Alone with it",
        "Direct messages with Bob",
        "Stay on deck.",
    ] {
        assert!(list.contains(shown), "{shown}: {list}");
    }
    // Nobody is told a number who could be told a name.
    let alone = format!("/rooms/{}", dm("bob").channel);
    let forget = format!("/forget?kind=channel&name={}", dm("bob").channel);
    let newest = open.stage.traces.whole().list(1).await.unwrap()[0].id;
    for page in ["/xray".to_owned(), format!("/xray/{newest}"), alone, forget] {
        ada.finds(&page, &["Direct messages with Bob"]).await;
    }
    assert!(ada.goes_to(&format!("/xray/{newest}")).await.body.contains("<dd>only Bob</dd>"));
    let room = ada.goes_to("/rooms/1").await.body;
    for shown in [
        "<em>ferry</em>",
        "It is <em>never</em> <strong>late</strong>.",
        "Spoke because",
        "/xray/t",
        "/xray?place=1",
        "channel",
    ] {
        assert!(room.contains(shown), "{shown}: {room}");
    }
    assert!(!room.contains("cannot swim"), "what was said elsewhere stands there");
    for nowhere in ["/rooms/999", "/rooms/%00", "/rooms/..%2f1"] {
        assert_eq!(ada.goes_to(nowhere).await.status, StatusCode::NOT_FOUND, "{nowhere}");
    }
}

#[tokio::test]
async fn more_places_than_fit_stand_on_the_pages_behind_each_once() {
    let (open, ada) = Open::with_ada().await;
    let said = (5_000..5_203_u64).map(|id| {
        let place = Place { channel: ChannelId::from(id), ..ferry() };
        said_at(&place, "alice", "Good evening.", open.stage.clock.now(), MessageId::from(id))
    });
    open.stage.history.store_all(said.collect()).await.unwrap();
    let rows = |page: &str| page.matches("class=\"row place-row\"").count();
    let first = ada.goes_to("/rooms").await.body;
    assert_eq!(rows(&first), 200);
    let (before, _) = first.split_once("\" rel=\"next\">More rooms").unwrap();
    let behind = ada.goes_to(before.rsplit("href=\"").next().unwrap()).await.body;
    assert_eq!(rows(&behind), 3, "{behind}");
    assert!(behind.contains("/rooms/5000\"") && !behind.contains("More rooms"), "{behind}");
    assert_eq!(ada.goes_to("/rooms?before=x").await.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn silence_has_its_line_and_its_reason_and_comes_by_itself() {
    let (mut open, ada) = Open::with_ada().await;
    open.stage.talk("alice", "Good evening.", "Evening.").await;
    let mut here = ada.follows("room&place=1").await;
    let mut elsewhere = ada.follows("room&place=2").await;
    open.stage.says_in(&ferry(), "alice", "Bob, are you there?", APART).await;
    // What was said, and that it was not answered.
    here.next_named("stale").await;
    here.next_named("stale").await;
    let room = ada.goes_to("/rooms/1").await.body;
    assert!(room.contains("Stayed silent because the message was for somebody else."), "{room}");
    let silence = room.find("Stayed silent").unwrap();
    assert!(room.find("Good evening.").unwrap() < silence, "in the order of time");
    open.window.close().await;
    assert!(elsewhere.response.chunk().await.unwrap_or_default().is_none(), "another room has nothing new");
}

#[tokio::test]
async fn what_is_said_in_a_room_comes_by_itself_while_it_is_being_answered() {
    let (mut open, ada) = Open::with_ada().await;
    open.stage.talk("alice", "Good evening.", "Evening.").await;
    let mut here = ada.follows("room&place=1").await;
    let asked = open.stage.asked("alice", "Is the lamp lit?").await;
    here.next_named("stale").await;
    ada.finds("/rooms/1", &["Is the lamp lit?"]).await;
    open.stage.replied(asked, "Since eight.").await;
    while !ada.goes_to("/rooms/1").await.body.contains("Since eight.") {
        here.next_named("stale").await;
    }
}

#[tokio::test]
async fn a_page_is_told_of_what_happened_between_its_making_and_its_listening() {
    let (mut open, ada) = Open::with_ada().await;
    for (page, topic) in [("/talk", "talk"), ("/xray", "turns")] {
        let seen = ada.seen_on(page).await;
        ada.follows(&format!("{topic}&seen={seen}")).await;
    }
    open.stage.talk("alice", "Good evening.", "Evening.").await;
    let (mut talk, mut turns) = (ada.follows("talk").await, ada.follows("turns").await);
    let mut room = ada.follows("room&place=1").await;
    let pages = [("/talk", "talk"), ("/xray", "turns"), ("/rooms/1", "room&place=1")];
    let mut made = Vec::new();
    for (page, topic) in pages {
        made.push((topic, ada.seen_on(page).await));
    }
    ada.sends("/talk", &[("text", "Hello.")]).await;
    talk.next_named("message").await;
    open.stage.next_request().await.reply("Hello, Ada.");
    turns.next_named("turn").await;
    open.stage.says_in(&ferry(), "alice", "Bob, are you there?", APART).await;
    room.next_named("stale").await;
    for (topic, seen) in made {
        let asked = ada.request(Method::GET, &format!("/events?topic={topic}&seen={seen}")).send();
        assert_eq!(Live::of(asked.await.unwrap()).next().await.0, "stale", "{topic} {seen}");
    }
}

#[tokio::test]
async fn a_room_is_quieted_and_woken_as_by_its_commands_and_says_which_file_says_what_holds_there() {
    let (mut open, ada) = Open::with_ada().await;
    open.stage.talk("alice", "Good evening.", "Evening.").await;
    let room = ada.goes_to("/rooms/1").await.body;
    assert!(room.contains("What holds here") && !room.contains("by this channel"), "{room}");
    let tags = room.split("<p class=\"tags\">").nth(1).unwrap().split("</p>").next().unwrap();
    assert!(tags.contains("as in a chat") && tags.contains("prompts of "), "mode and budget: {tags}");
    let told = ada.sends("/rooms/1/act", &[("do", "quiet"), ("minutes", "60")]).await;
    assert_eq!(told.header("location"), "/rooms/1?done=quiet");
    let file = open.stage.config.home().channel_toml(&1.into());
    assert!(std::fs::read_to_string(&file).unwrap().contains("quiet_until = \""), "as /quiet writes it");
    let room = ada.goes_to("/rooms/1?done=quiet").await.body;
    for shown in
        ["Quiet until", "only when it is spoken to", "quiet_until", "by this channel", "Let it join in again"]
    {
        assert!(room.contains(shown), "{shown}: {room}");
    }
    ada.sends("/rooms/1/act", &[("do", "wake")]).await;
    assert!(!std::fs::read_to_string(&file).unwrap().contains("quiet_until"));
    ada.sends("/rooms/1/act", &[("do", "quiet"), ("minutes", "")]).await;
    assert!(ada.goes_to("/rooms/1").await.body.contains("until it is woken"));
    for (what, minutes) in [("quiet", "0"), ("quiet", "10081"), ("quiet", "x"), ("dance", ""), ("greet", "")]
    {
        let refused = ada.sends("/rooms/1/act", &[("do", what), ("minutes", minutes)]).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{what} {minutes}");
    }
    let elsewhere = ada.sends("/rooms/999/act", &[("do", "wake")]).await;
    assert_eq!(elsewhere.status, StatusCode::NOT_FOUND);
    let forged = [("do", "wake"), ("csrf", "x")];
    let forged = with_form(ada.request(Method::POST, "/rooms/1/act").header(ORIGIN, &ada.origin), &forged);
    assert_eq!(forged.send().await.unwrap().status(), StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn what_was_learnt_in_a_room_is_forgotten_and_what_was_said_stays() {
    let (mut open, ada) = Open::with_ada().await;
    open.stage.talk("alice", "Good evening.", "Evening.").await;
    assert!(!ada.goes_to("/rooms/1").await.body.contains("Forget what was learnt here"), "nothing was");
    let (history, now, alice) = (&open.stage.history, open.stage.clock.now(), person("alice").account);
    let turn = open.stage.traces.whole().list(1).await.unwrap().pop().unwrap().id;
    let known = ReplyKnownBy::Turn(turn);
    assert!(history.respond(&ferry().channel, known, &alice, Deed::Liked, now).await.unwrap());
    ada.finds("/rooms/1", &["(1 counted)", "Forget what was learnt here"]).await;
    assert_eq!(ada.sends("/rooms/999/act", &[("do", "unlearn")]).await.status, StatusCode::NOT_FOUND);
    let told = ada.sends("/rooms/1/act", &[("do", "unlearn")]).await;
    assert_eq!(told.header("location"), "/rooms/1?done=unlearned");
    let room = ada.goes_to("/rooms/1?done=unlearned").await.body;
    assert!(room.contains("What it learnt here is gone") && !room.contains("counted)"), "{room}");
    assert_eq!(open.stage.remembered().await.len(), 2, "what was said stays");
}

#[tokio::test]
async fn had_speak_in_a_room_it_answers_what_nobody_answered_and_then_goes_on_with_its_own_words() {
    let (mut open, ada) = Open::with_ada().await;
    open.stage.says_in(&ferry(), "alice", "Bob, is the lamp lit?", APART).await;
    open.stage.taken_in().await;
    let spoke = ada.sends("/rooms/1/act", &[("do", "speak")]).await;
    assert_eq!(spoke.header("location"), "/rooms/1?done=answers");
    let asked = open.stage.next_request().await;
    assert!(asked.transcript().contains("is the lamp lit?"), "{}", asked.transcript());
    open.stage.replied(asked, "I lit it myself,").await;
    let spoke = ada.sends("/rooms/1/act", &[("do", "speak")]).await;
    assert_eq!(spoke.header("location"), "/rooms/1?done=goes-on");
    let asked = open.stage.next_request().await;
    let (said, told) = (asked.transcript(), "Continue right where it ended");
    let (own, nudge) = (said.find("I lit it myself,").unwrap(), said.find(told).unwrap());
    assert!(own < nudge, "{said}");
    open.stage.replied(asked, "at the stroke of nine.").await;
    let words: Vec<String> = open.stage.remembered().await.into_iter().map(|(_, words)| words).collect();
    assert_eq!(words[1..], ["I lit it myself,".to_owned(), "at the stroke of nine.".to_owned()]);
    ada.finds("/rooms/1", &["Spoke because: somebody had it go on"]).await;
}

#[tokio::test]
async fn had_speak_where_the_last_talk_was_answered_in_a_thread_it_speaks_there_and_that_page_is_shown() {
    let (mut open, ada) = Open::with_ada().await;
    let said = open.stage.says_in(&ferry(), "alice", "Bob, is the lamp lit?", APART).await;
    open.stage.taken_in().await;
    let thread = Place {
        channel: ChannelId::new(said.as_str()).unwrap(),
        parent: Some(ferry().channel),
        kind: PlaceKind::Thread,
        channel_name: Some("the lamp".to_owned()),
        ..ferry()
    };
    let own = said_at(&thread, "alice", "I lit it myself,", open.stage.clock.now(), MessageId::from(9_000));
    let own = NewTurn { role: Role::Assistant, author: None, ..own };
    open.stage.history.append(own).await.unwrap();
    let spoke = ada.sends("/rooms/1/act", &[("do", "speak")]).await;
    assert_eq!(spoke.header("location"), format!("/rooms/{}?done=goes-on", thread.channel));
    open.stage.next_request().await.reply("at the stroke of nine.");
    open.stage.settled_in(&thread).await;
    let words: Vec<String> =
        open.stage.remembered_in(&thread).await.into_iter().map(|(_, words)| words).collect();
    assert_eq!(words, ["I lit it myself,", "at the stroke of nine."]);
    let trace = open.stage.traces.whole().latest(Some(&thread.channel)).await.unwrap().unwrap();
    assert_eq!(trace.place.channel_name.as_deref(), Some("the lamp"));
}

#[tokio::test]
async fn a_greeting_is_chosen_and_said_in_a_room() {
    let (mut open, ada) = Open::with_ada().await;
    open.stage.talk("alice", "Good evening.", "Evening.").await;
    let greeted = ada.sends("/rooms/1/act", &[("do", "greet"), ("which", "0")]).await;
    assert_eq!(greeted.header("location"), "/rooms/1?done=greet");
    let last = open.stage.remembered().await.pop().unwrap();
    let said = open.stage.session.greetings(&ferry());
    assert!(!said.is_empty() && last.1.contains("Evening"), "{last:?} {said:?}");
    let refused = ada.sends("/rooms/1/act", &[("do", "greet"), ("which", "99")]).await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_rooms_conversation_begins_anew_and_without_discord_no_thread_is_opened() {
    let (mut open, ada) = Open::with_ada().await;
    open.stage.talk("alice", "Is the lamp lit, Mika?", "It is lit.").await;
    let began = ada.sends("/rooms/1/reset", &[]).await.header("location").to_owned();
    let page = ada.goes_to(&began).await.body;
    assert!(page.contains("The talk begins anew here: Mika") && page.contains("Take that back"), "{page}");
    assert!(
        page.contains("Go on in a thread") && page.contains("Spoke because"),
        "what was said stays: {page}"
    );
    let asked = open.stage.asked("alice", "Good morrow, Mika.").await;
    assert!(!asked.talk().contains("lamp"), "{}", asked.talk());
    open.stage.replied(asked, "And to you.").await;
    let undo = began.split("began=").nth(1).unwrap();
    let back = ada.sends("/rooms/1/reset", &[("began", undo)]).await;
    assert_eq!(back.header("location"), "/rooms/1?began=back");
    let page = ada.goes_to("/rooms/1?began=back").await.body;
    assert!(page.contains("has in view again") && !page.contains("Take that back"), "{page}");
    let branch = ada.sends("/rooms/1/act", &[("do", "branch"), ("name", "Rope")]).await;
    assert_eq!(branch.header("location"), "/rooms/1?done=unbranched");
    assert_eq!(ada.sends("/rooms/99/reset", &[]).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn without_a_connection_no_channel_can_be_ticked() {
    let (_open, ada) = Open::with_ada().await;
    assert!(ada.goes_to("/listening").await.body.contains("No server is known now"));
    let told = ada.sends("/listening", &[("read 42", "yes"), ("was 42", "not")]).await.body;
    assert!(told.contains("42 stays as it was: there is no connection to Discord now."), "{told}");
    assert_eq!(ada.sends("/listening", &[("was 42", "not")]).await.status, StatusCode::SEE_OTHER);
}
