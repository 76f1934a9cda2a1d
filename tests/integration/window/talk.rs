//! Talking in the window.

use familiar_connect::domain::{AccountId, ChannelId, ModelErrorClass, Persona, Place, TurnId};
use familiar_connect::identity::PlayedIn;

use super::*;

fn here() -> Place {
    Place::terminal(ChannelId::new("window").unwrap())
}

#[tokio::test]
async fn what_is_said_is_answered_there_word_by_word() {
    let (open, ada, mut live) = Open::followed().await;
    let sent = ada.sends("/talk", &[("text", "Is the *kettle* on?")]).await;
    assert_eq!((sent.status, sent.header("location")), (StatusCode::SEE_OTHER, "/talk"));
    let own = live.next().await;
    assert_eq!(own.0, "message");
    let html = own.1["html"].as_str().unwrap();
    assert!(html.contains("<em>kettle</em>") && html.contains("Ada"), "{html}");

    let mut asked = open.stage.next_request().await;
    assert!(asked.transcript().contains("Is the *kettle* on?"));
    let typing = live.next_named("typing").await;
    let turn = typing["turn"].as_str().unwrap().to_owned();
    assert!(ada.goes_to("/talk").await.body.contains("data-stop>"), "it can be stopped");
    asked.say("It is ");
    let piece = live.next_named("piece").await;
    assert_eq!(piece["turn"], turn.as_str());
    assert!(piece["html"].as_str().unwrap().contains("<p>It is</p>"), "{piece}");
    // Whoever comes now has what was said so far, with marks as they will look; so has a page that is open.
    asked.say("**ho");
    let piece = live.next_named("piece").await;
    let so_far = "<p>It is <strong>ho</strong></p>";
    assert!(piece["html"].as_str().unwrap().contains(so_far), "{piece}");
    ada.finds("/talk", &[so_far, "aria-busy=\"true\"", &format!("data-turn=\"{turn}\"")]).await;
    asked.say("t**.");
    asked.end();
    let whole = live.next_named("message").await;
    assert_eq!(whole["turn"], turn.as_str());
    assert!(whole["html"].as_str().unwrap().contains("<p>It is <strong>hot</strong>.</p>"), "{whole}");
    assert_eq!(live.next_named("done").await["turn"], turn.as_str());

    // Once its record is there, the reply says why.
    let explained = live.next_named("message").await;
    assert_eq!(explained["turn"], turn.as_str());
    let html = explained["html"].as_str().unwrap();
    assert!(html.contains("Why this?") && html.contains(&format!("/xray/{turn}")), "{html}");
    let page = ada.goes_to("/talk").await.body;
    for shown in ["<em>kettle</em>", "<strong>hot</strong>", "Why this?", &format!("data-turn=\"{turn}\"")] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    assert!(page.contains("data-stop hidden>"), "nothing is left to stop");
    assert_eq!(
        open.stage.remembered_in(&here()).await,
        [
            ("Ada".to_owned(), "Is the *kettle* on?".to_owned()),
            ("Mika".to_owned(), "It is **hot**.".to_owned())
        ]
    );
    // Nobody else hears it.
    assert_eq!(open.stage.delivered(), Vec::<String>::new());
}

#[tokio::test]
async fn a_rehearsal_is_told_of_beside_the_talk_until_there_is_a_model() {
    let (open, ada) = Open::with_ada().await;
    let told = "This is a rehearsal: no model is set up yet, so Mika speaks in the card’s own lines. \
                <a href=\"/setup/model\">Give it a model</a>";
    ada.finds("/talk", &[told]).await;
    open.doing.now.lock().server = Some("http://127.0.0.1:11434/v1".to_owned());
    let page = ada.goes_to("/talk").await.body;
    assert!(!page.contains("This is a rehearsal"), "{page}");
}

#[tokio::test]
async fn an_answer_is_stopped_where_it_stands() {
    let (open, ada, mut live) = Open::followed().await;
    let mut asked = open.asked(&ada, "Tell me everything.").await;
    asked.say("First of all");
    live.next_named("piece").await;
    assert_eq!(ada.sends("/talk/stop", &[]).await.status, StatusCode::SEE_OTHER);
    live.next_named("done").await;
    asked.abandoned().await;
    let told = live.next_named("notice").await;
    assert!(told["html"].as_str().unwrap().contains("Stopped."), "{told}");
    open.stage.settled_in(&here()).await;
    let remembered = open.stage.remembered_in(&here()).await;
    assert_eq!(remembered.last().unwrap(), &("Mika".to_owned(), "First of all".to_owned()));
    // Where nothing is said, nothing is stopped.
    assert_eq!(ada.sends("/talk/stop", &[]).await.status, StatusCode::SEE_OTHER);
    // It stands below what it is about, and below nothing that is said later.
    ada.finds("/talk", &["Stopped."]).await;
    let asked = open.asked(&ada, "And then?").await;
    live.next_named("over").await;
    live.hears(asked, "Then nothing.").await;
    assert!(!ada.goes_to("/talk").await.body.contains("Stopped."));
}

#[tokio::test]
async fn a_command_of_another_place_is_no_message_and_leads_to_where_that_is_done() {
    let (open, ada, mut live) = Open::followed().await;
    for (command, leads_to) in [
        ("/help", "has a button or a page"),
        ("/Reset", "Begin anew, below the talk"),
        ("/dance", "There is no /dance here"),
        ("/quiet", "Under Rooms, each channel has a button for that"),
    ] {
        assert_eq!(ada.sends("/talk", &[("text", command)]).await.status, StatusCode::SEE_OTHER);
        let told = live.next_named("notice").await;
        assert!(told["html"].as_str().unwrap().contains(leads_to), "{told}");
    }
    // What stands behind it is not lost.
    let kept = ada.sends("/talk", &[("text", "/persona Vane: a captain")]).await;
    assert_eq!(kept.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(kept.body.contains("/persona Vane: a captain</textarea>"), "{}", kept.body);
    let asked = open.asked(&ada, "/me waves").await;
    live.hears(asked, "Hello there.").await;
    assert_eq!(stands(&open).await, said(&[("Ada", "/me waves"), ("Mika", "Hello there.")]));
}

#[tokio::test]
async fn a_model_that_fails_is_told_of_in_the_programs_words() {
    let (open, ada, mut live) = Open::followed().await;
    ada.sends("/talk", &[("text", "Hello?")]).await;
    open.stage.next_request().await.fail(ModelErrorClass::Quota);
    let told = live.next_named("notice").await["html"].as_str().unwrap().to_owned();
    assert!(told.contains("the credit is used up") && told.contains("The x-ray of t"), "{told}");
    live.next_named("done").await;
    let page = ada.goes_to("/talk").await.body;
    assert!(page.contains("the credit is used up"), "whoever comes later sees it too: {page}");
    open.hears(&ada, &mut live, "And now?", "Yes.").await;
    assert!(!ada.goes_to("/talk").await.body.contains("the credit is used up"));
}

#[tokio::test]
async fn nothing_and_too_much_are_not_sent() {
    let (open, ada, mut live) = Open::followed().await;
    ada.sends("/talk", &[("text", " \r\n ")]).await;
    let refused = ada.sends("/talk", &[("text", &"川".repeat(16_001))]).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    // Nothing that was typed is lost, nor cut by the field before anybody can say why.
    let kept = format!("{}</textarea>", "川".repeat(16_001));
    for shown in [&*kept, "it has 16001 characters, and 16000 fit"] {
        assert!(refused.body.contains(shown) && !refused.body.contains("maxlength"), "{}", refused.body);
    }
    let told = live.next().await;
    assert_eq!(told.0, "notice");
    assert!(
        told.1["html"].as_str().unwrap().contains("it has 16001 characters, and 16000 fit"),
        "{:?}",
        told.1
    );
    assert_eq!(open.stage.remembered_in(&here()).await, []);
    // The longest that fits, in letters that are escaped most.
    let longest = "川".repeat(16_000);
    ada.sends("/talk", &[("text", &longest)]).await;
    live.next_named("message").await;
    // Interrupting a turn that does not run waits until all has been taken in.
    open.stage.session.interrupt(&here(), TurnId(u64::MAX)).await.unwrap();
    assert_eq!(open.stage.remembered_in(&here()).await[0].1, longest);
}

#[tokio::test]
async fn a_first_talk_may_begin_with_the_greeting() {
    let (open, ada) = Open::with_ada().await;
    ada.finds("/talk", &["Nothing has been said here yet.", "/talk/greet"]).await;
    ada.sends("/talk/greet", &[]).await;
    open.stage.settled_in(&here()).await;
    let page = ada.goes_to("/talk").await.body;
    assert!(page.contains("Evening, Ada. Mind the rope.") && !page.contains("/talk/greet"), "{page}");
}

#[tokio::test]
async fn the_way_past_all_that_was_said_leads_to_the_field() {
    let (_open, ada) = Open::with_ada().await;
    ada.finds("/talk", &["class=\"skip\" href=\"#text\"", "<textarea id=\"text\""]).await;
    ada.finds("/health", &["class=\"skip\" href=\"#main\""]).await;
}

#[tokio::test]
async fn lines_end_as_they_were_typed_and_older_ones_are_a_page_away() {
    let (open, ada, mut live) = Open::followed().await;
    for number in 0..35 {
        open.stage.clock.advance(std::time::Duration::from_secs(60));
        ada.sends("/talk", &[("text", &format!("line {number}.\r\nand its end"))]).await;
        live.hears(open.stage.next_request().await, &format!("Answer {number}.")).await;
    }
    open.stage.settled_in(&here()).await;
    let newest = ada.goes_to("/talk").await.body;
    assert!(newest.contains("line 34.<br />\nand its end") && !newest.contains("line 4."), "{newest}");
    let older = newest.split("href=\"/talk?until=").nth(1).unwrap().split('"').next().unwrap();
    let older = ada.goes_to(&format!("/talk?until={older}")).await.body;
    assert!(
        older.contains("line 4.") && !older.contains("line 5.") && !older.contains("/talk?until="),
        "{older}"
    );
    assert_eq!(ada.goes_to("/talk?until=x").await.status, StatusCode::BAD_REQUEST);
    // However long ago it was said, it can be edited.
    let long_ago = message_with(&older, "line 1.");
    let form = ada.goes_to(&format!("/talk/edit?message={long_ago}")).await;
    assert!(form.status == StatusCode::OK && form.body.contains("line 1."), "{}", form.body);
    ada.sends("/talk/edit", &[("message", &long_ago), ("text", "Line one, mended.")]).await;
    let changed = live.next_named("changed").await;
    assert_eq!(changed["message"], long_ago.as_str());
    assert!(changed["html"].as_str().unwrap().contains("Line one, mended."), "{changed}");
}

#[tokio::test]
async fn every_browser_that_looks_on_sees_the_same() {
    let open = Open::begins().await;
    let (ada, phone) = (open.browser().await, open.browser().await);
    let (mut one, mut other) = (ada.follows("talk").await, phone.follows("talk").await);
    ada.sends("/talk", &[("text", "こんばんは")]).await;
    open.stage.next_request().await.reply("こんばんは、Ada。");
    for live in [&mut one, &mut other] {
        assert!(live.next_named("message").await["html"].as_str().unwrap().contains("こんばんは"));
        assert!(live.next_named("message").await["html"].as_str().unwrap().contains("こんばんは、Ada。"));
    }
}

#[tokio::test]
async fn a_page_that_missed_something_is_told_so() {
    let (_open, ada) = Open::with_ada().await;
    let asks = |seen: &str| {
        ada.request(Method::GET, "/events?topic=talk").header("last-event-id", seen.to_owned()).send()
    };
    let mut first = Live::of(asks("1").await.unwrap());
    assert_eq!(first.next().await.0, "stale");
    let number = first.number.clone();
    let mut again = Live::of(asks(&number).await.unwrap());
    assert_eq!(again.next().await.0, "here");
    ada.sends("/talk", &[("text", "Hello.")]).await;
    again.next_named("message").await;
    let mut late = Live::of(asks(&number).await.unwrap());
    assert_eq!(late.next().await.0, "stale");
}

/// Asks of the gulls, has their words looked up, and wants to do something behind it; the number of the question.
async fn wants_something_done(open: &Open, ada: &Browser, live: &mut Live) -> String {
    ada.sends("/talk", &[("text", "what of the gulls <b>today</b>?")]).await;
    open.stage.next_request().await.call("memory_search", serde_json::json!({"query": "gulls"}));
    open.stage.next_request().await.call("set_mood", serde_json::json!({"better": 0.5}));
    let asked = live.next_named("question").await;
    let html = asked["html"].as_str().unwrap();
    assert!(html.contains("Mika wants to do this, after it read what others wrote"), "{html}");
    assert!(html.contains("let my mood become better"), "{html}");
    asked["question"].to_string()
}

#[tokio::test]
async fn m11_what_is_done_after_others_words_is_asked_in_the_window_and_only_a_yes_lets_it() {
    let (open, ada, mut live) = Open::followed().await;
    open.hears(&ada, &mut live, "the gulls stole my lunch", "Aye, the gulls.").await;
    for answer in ["yes", "no", ""] {
        let number = wants_something_done(&open, &ada, &mut live).await;
        let page = ada.goes_to("/talk").await.body;
        assert!(
            page.contains(&format!("data-question=\"{number}\"")),
            "whoever comes later sees it too: {page}"
        );
        assert_eq!(ada.sends("/talk/answer", &[("question", "999"), ("answer", "yes")]).await.status, 303);
        let fields = [("question", number.as_str()), ("answer", answer)];
        assert_eq!(ada.sends("/talk/answer", &fields).await.status, StatusCode::SEE_OTHER);
        assert_eq!(live.next_named("answered").await["question"].to_string(), number);
        let asked = open.stage.next_request().await;
        let result = &asked.request.rounds.last().unwrap().results[0].content;
        let is_refused = result.contains("it was not confirmed: do not try again");
        assert_eq!(is_refused, answer != "yes", "{answer:?}: {result}");
        live.hears(asked, "So it is.").await;
        assert!(!ada.goes_to("/talk").await.body.contains("data-question"));
        assert_eq!(
            ada.sends("/talk/answer", &fields).await.status,
            StatusCode::SEE_OTHER,
            "too late: nothing"
        );
    }
    let bad = ada.sends("/talk/answer", &[("question", "the first"), ("answer", "yes")]).await;
    assert_eq!(bad.status, StatusCode::BAD_REQUEST);
    let number = wants_something_done(&open, &ada, &mut live).await;
    ada.sends("/talk/stop", &[]).await;
    assert_eq!(live.next_named("answered").await["question"].to_string(), number, "it goes with its turn");
}

#[tokio::test]
async fn a_page_that_comes_to_the_front_again_looks_only_where_it_missed_something() {
    let (_open, ada) = Open::with_ada().await;
    let first = ada.follows("talk").await;
    let again = |seen: &str| ada.request(Method::GET, &format!("/events?topic=talk&seen={seen}")).send();
    let mut back = Live::of(again(&first.number).await.unwrap());
    assert_eq!(back.next().await.0, "here");
    ada.sends("/talk", &[("text", "Hello.")]).await;
    back.next_named("message").await;
    let mut late = Live::of(again(&first.number).await.unwrap());
    assert_eq!(late.next().await.0, "stale");
}

#[tokio::test]
async fn the_model_is_told_of_a_page_and_not_of_a_terminal() {
    let (open, ada) = Open::with_ada().await;
    let asked = open.asked(&ada, "Hello.").await;
    let told = asked.transcript().to_lowercase();
    assert!(told.contains("a page in a browser") && !told.contains("terminal"), "{told}");
}

/// What stands in the talk, by who said it.
async fn stands(open: &Open) -> Vec<(String, String)> {
    open.stage.settled_in(&here()).await;
    open.stage.remembered_in(&here()).await
}

fn said(lines: &[(&str, &str)]) -> Vec<(String, String)> {
    lines.iter().map(|(who, words)| ((*who).to_owned(), (*words).to_owned())).collect()
}

/// The id under which the page lets a message be changed.
fn message_with(page: &str, words: &str) -> String {
    let before = page.split(words).next().unwrap();
    before.rsplit("data-message=\"").next().unwrap().split('"').next().unwrap().to_owned()
}

#[tokio::test]
async fn other_answers_are_there_again_after_a_start_and_gone_once_anything_is_forgotten() {
    let (open, ada, mut live) = Open::followed().await;
    open.hears(&ada, &mut live, "Is the kettle on?", "It is.").await;
    stands(&open).await;
    ada.sends("/talk/act", &[("do", "again")]).await;
    live.hears(open.stage.next_request().await, "Not yet.").await;
    stands(&open).await;
    drop(live);

    let again = async |open: Open| {
        let Open { stage, window, .. } = open;
        window.close().await;
        Open::on(stage.reopened().await).await
    };
    let open = again(open).await;
    let ada = open.browser().await;
    ada.finds("/talk", &["2 of 2"]).await;
    ada.sends("/talk/act", &[("do", "earlier")]).await;
    assert_eq!(stands(&open).await, said(&[("Ada", "Is the kettle on?"), ("Mika", "It is.")]));
    let open = again(open).await;
    let ada = open.browser().await;
    assert!(ada.goes_to("/talk").await.body.contains("1 of 2"));

    open.stage.history.forget(Vec::new(), Default::default(), None, Default::default()).await.unwrap();
    let open = again(open).await;
    let page = open.browser().await.goes_to("/talk").await.body;
    assert!(page.contains("It is.") && !page.contains("of 2"), "{page}");
}

#[tokio::test]
async fn the_talk_begins_anew_and_that_is_taken_back() {
    let (open, ada, mut live) = Open::followed().await;
    assert_eq!(ada.sends("/talk/reset", &[]).await.header("location"), "/talk?began=nothing");
    open.hears(&ada, &mut live, "Is the kettle on?", "It whistles.").await;
    stands(&open).await;
    let began = ada.sends("/talk/reset", &[]).await.header("location").to_owned();
    let page = ada.goes_to(&began).await.body;
    let stand = |page: &str, shown: &[&str]| {
        let at: Vec<_> = shown.iter().map(|shown| page.find(shown).ok_or(*shown)).collect();
        assert!(at.iter().all(Result::is_ok) && at.is_sorted(), "{shown:?} at {at:?}: {page}");
    };
    // Where it begins, in view at the end; nothing was said since that could be left behind.
    let marked = ["It whistles.", "The talk begins anew here: Mika", "Take that back", "id=\"act\""];
    stand(&page, &marked);
    assert!(!page.contains("form=\"reset\""), "{page}");
    let later = ada.goes_to("/talk").await.body;
    assert!(later.contains("The talk begins anew here: Mika") && !later.contains("Take that back"));
    // A greeting may open it, and nothing reaches what was said before.
    assert!(later.contains("/talk/greet") && !later.contains("Another answer"), "{later}");
    for way in ["again", "undo", "continue", "earlier"] {
        ada.sends("/talk/act", &[("do", way)]).await;
        live.next_named("notice").await;
    }
    assert_eq!(stands(&open).await, said(&[("Ada", "Is the kettle on?"), ("Mika", "It whistles.")]));

    let asked = open.asked(&ada, "Good morrow.").await;
    assert!(!asked.talk().contains("kettle"), "{}", asked.talk());
    live.hears(asked, "And to you.").await;
    stands(&open).await;
    let page = ada.goes_to(&began).await.body;
    stand(&page, &["It whistles.", "The talk begins anew here: Mika", "Good morrow.", "form=\"reset\""]);
    assert!(page.contains("Another answer") && !page.contains("/talk/greet"), "{page}");
    let undo = began.split("began=").nth(1).unwrap();
    let back = ada.sends("/talk/reset", &[("began", undo)]).await;
    assert_eq!(back.header("location"), "/talk?began=back");
    let page = ada.goes_to("/talk?began=back").await.body;
    assert!(page.contains("has in view again") && !page.contains("Take that back"), "{page}");
    let asked = open.asked(&ada, "And now?").await;
    assert!(asked.talk().contains("kettle"), "{}", asked.talk());
    live.hears(asked, "It whistles still.").await;
    let twice = ada.sends("/talk/reset", &[("began", undo)]).await;
    assert_eq!(twice.header("location"), "/talk?began=since");
    assert_eq!(ada.sends("/talk/reset", &[("began", "x")]).await.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn another_answer_takes_the_place_of_the_last_and_one_goes_back_and_forth_between_them() {
    let (open, ada, mut live) = Open::followed().await;
    open.hears(&ada, &mut live, "Is the kettle on?", "It is.").await;
    stands(&open).await;
    assert!(!ada.goes_to("/talk").await.body.contains("1 of 1"), "one answer is no choice");

    for answer in ["Not yet.", "Ask the cook."] {
        assert_eq!(ada.sends("/talk/act", &[("do", "again")]).await.header("location"), "/talk");
        assert_eq!(live.next_named("gone").await["messages"].as_array().unwrap().len(), 1);
        let asked = open.stage.next_request().await;
        let transcript = asked.transcript();
        assert!(transcript.contains("Is the kettle on?"), "{transcript}");
        assert!(!transcript.contains("It is."), "what is replaced is no part of the talk: {transcript}");
        live.hears(asked, answer).await;
        assert_eq!(stands(&open).await, said(&[("Ada", "Is the kettle on?"), ("Mika", answer)]));
    }
    let page = ada.goes_to("/talk").await.body;
    assert!(page.contains("3 of 3") && page.contains("Ask the cook."), "{page}");
    // What one pressed does not move from under the pointer.
    let at = |words: &str| page.find(words).unwrap();
    assert!(at(">Another answer<") < at("3 of 3") && at(">Begin anew<") < at("3 of 3"), "{page}");

    ada.sends("/talk/act", &[("do", "earlier")]).await;
    let changed = live.next_named("changed").await;
    assert!(changed["html"].as_str().unwrap().contains("Not yet."), "{changed}");
    ada.sends("/talk/act", &[("do", "earlier")]).await;
    assert_eq!(stands(&open).await, said(&[("Ada", "Is the kettle on?"), ("Mika", "It is.")]));
    assert!(ada.goes_to("/talk").await.body.contains("1 of 3"));
    ada.sends("/talk/act", &[("do", "earlier")]).await;
    let told = live.next_named("notice").await;
    assert!(told["html"].as_str().unwrap().contains("no earlier answer"), "{told}");
    ada.sends("/talk/act", &[("do", "later")]).await;
    assert_eq!(stands(&open).await, said(&[("Ada", "Is the kettle on?"), ("Mika", "Not yet.")]));

    // The next prompt knows the one that stands, and its other answers are over.
    let asked = open.asked(&ada, "And now?").await;
    let transcript = asked.transcript();
    assert!(transcript.contains("Not yet.") && !transcript.contains("Ask the cook."), "{transcript}");
    live.hears(asked, "Now it is.").await;
    stands(&open).await;
    assert!(!ada.goes_to("/talk").await.body.contains(" of 3"));

    // Where no other answer comes, the one that stood comes back.
    ada.sends("/talk/act", &[("do", "again")]).await;
    live.next_named("gone").await;
    open.stage.next_request().await.fail(ModelErrorClass::Server);
    live.next_named("done").await;
    let talk =
        [("Ada", "Is the kettle on?"), ("Mika", "Not yet."), ("Ada", "And now?"), ("Mika", "Now it is.")];
    assert_eq!(stands(&open).await, said(&talk));
}

#[tokio::test]
async fn what_is_not_to_be_remembered_is_known_in_its_own_talk_and_nowhere_else_also_after_a_start() {
    let (open, ada, mut live) = Open::followed().await;
    open.hears(&ada, &mut live, "I live in Ostend.", "By the sea.").await;
    stands(&open).await;
    let people = open.stage.config.home().memory_dir().join("people");
    let notes = || -> String {
        let files = std::fs::read_dir(&people).into_iter().flatten();
        files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap_or_default()).collect()
    };
    assert!(notes().contains("Ostend"), "what is said otherwise is noted: {}", notes());
    assert_eq!(ada.sends("/talk/record", &[("remember", "maybe")]).await.status, StatusCode::BAD_REQUEST);
    ada.sends("/talk/record", &[("remember", "no")]).await;
    // Another page that is open looks again, and says so too.
    live.next_named("stale").await;
    ada.finds("/talk", &["What is said now is not remembered", "By the sea."]).await;
    let asked = open.asked(&ada, "My brother is called Anselm.").await;
    assert!(
        asked.transcript().contains("By the sea."),
        "what is known stays at hand: {}",
        asked.transcript()
    );
    live.hears(asked, "Anselm it is.").await;
    stands(&open).await;
    assert!(ada.goes_to("/talk").await.body.contains("Anselm it is."));
    // What is done to the talk that stands there is done to that, also right after it was changed.
    ada.sends("/talk/record", &[("remember", "yes")]).await;
    ada.sends("/talk/record", &[("remember", "no")]).await;
    ada.sends("/talk/act", &[("do", "continue")]).await;
    live.hears(open.stage.next_request().await, "He sings.").await;
    ada.sends("/talk/record", &[("remember", "yes")]).await;
    let page = ada.goes_to("/talk").await.body;
    assert!(page.contains("By the sea.") && !page.contains("He sings."), "{page}");
    ada.sends("/talk/act", &[("do", "undo")]).await;
    live.next_named("gone").await;
    let page = ada.goes_to("/talk").await.body;
    assert!(!page.contains("By the sea."), "what is shown is what is taken back: {page}");
    open.hears(&ada, &mut live, "I live in Ostend.", "By the sea.").await;
    stands(&open).await;
    ada.sends("/talk/record", &[("remember", "no")]).await;
    open.hears(&ada, &mut live, "He has a good voice.", "Anselm has.").await;
    stands(&open).await;
    assert!(ada.goes_to("/talk").await.body.contains("Anselm it is."));
    assert!(!notes().contains("Anselm"), "{}", notes());

    // It stays so over a start, and goes from the talk once there is to be remembered again.
    open.window.close().await;
    let open = Open::on(open.stage.reopened().await).await;
    let ada = open.browser().await;
    ada.finds("/talk", &["What is said now is not remembered", "Anselm it is."]).await;
    ada.sends("/talk/record", &[("remember", "yes")]).await;
    let mut live = ada.follows("talk").await;
    let page = ada.goes_to("/talk").await.body;
    assert!(page.contains("By the sea.") && !page.contains("Anselm"), "{page}");
    let asked = open.asked(&ada, "What is my brother called? And where do I live?").await;
    let transcript = asked.transcript();
    assert!(transcript.contains("Ostend") && !transcript.contains("Anselm"), "{transcript}");
    live.hears(asked, "In Ostend.").await;
    assert!(
        ada.goes_to("/rooms/window").await.body.contains("Anselm it is."),
        "the operator sees it under Rooms"
    );
}

#[tokio::test]
async fn let_go_on_it_says_the_next_part_which_can_be_taken_back_alone() {
    let (open, ada, mut live) = Open::followed().await;
    ada.sends("/talk/act", &[("do", "continue")]).await;
    let told = live.next_named("notice").await;
    assert!(told["html"].as_str().unwrap().contains("Nothing was said here yet"), "{told}");
    open.hears(&ada, &mut live, "Tell me of the storm.", "The mast broke,").await;
    stands(&open).await;
    assert!(ada.goes_to("/talk").await.body.contains("value=\"continue\">Continue"));
    assert_eq!(ada.sends("/talk/act", &[("do", "continue")]).await.header("location"), "/talk");
    let asked = open.stage.next_request().await;
    let transcript = asked.transcript();
    let places = ["Tell me of the storm.", "The mast broke,", "Continue right where it ended"]
        .map(|words| transcript.find(words).unwrap());
    assert!(places.is_sorted(), "{transcript}");
    live.hears(asked, "and the sea came in.").await;
    let first = [("Ada", "Tell me of the storm."), ("Mika", "The mast broke,")];
    let both = [first[0], first[1], ("Mika", "and the sea came in.")];
    assert_eq!(stands(&open).await, said(&both));
    ada.sends("/talk/act", &[("do", "undo")]).await;
    assert_eq!(stands(&open).await, said(&first));

    // Nobody is told to go on in what comes next.
    let asked = open.asked(&ada, "And then?").await;
    assert!(!asked.transcript().contains("Continue right where it ended"));
    live.hears(asked, "Then we rowed.").await;
}

#[tokio::test]
async fn the_last_exchange_is_taken_back_and_so_is_the_one_before() {
    let (open, ada, mut live) = Open::followed().await;
    for (words, answer) in [("One?", "Two."), ("Three?", "Four.")] {
        open.hears(&ada, &mut live, words, answer).await;
        stands(&open).await;
    }
    ada.sends("/talk/act", &[("do", "undo")]).await;
    assert_eq!(live.next_named("gone").await["messages"].as_array().unwrap().len(), 2);
    assert_eq!(stands(&open).await, said(&[("Ada", "One?"), ("Mika", "Two.")]));
    ada.sends("/talk/act", &[("do", "undo")]).await;
    assert_eq!(stands(&open).await, []);
    let page = ada.goes_to("/talk").await.body;
    assert!(page.contains("Nothing has been said here yet.") && !page.contains("Another answer"), "{page}");
    ada.sends("/talk/act", &[("do", "undo")]).await;
    ada.sends("/talk/act", &[("do", "again")]).await;
    live.next_named("notice").await;
    assert_eq!(ada.sends("/talk/act", &[("do", "dance")]).await.status, StatusCode::BAD_REQUEST);
    // An answer that is being given ends first.
    let mut asked = open.asked(&ada, "Tell me everything.").await;
    asked.say("First of all");
    live.next_named("piece").await;
    ada.sends("/talk/act", &[("do", "undo")]).await;
    asked.abandoned().await;
    assert_eq!(stands(&open).await, []);
}

#[tokio::test]
async fn one_message_is_edited_or_taken_back_and_the_next_prompt_follows() {
    let (open, ada, mut live) = Open::followed().await;
    open.hears(&ada, &mut live, "My boat is the Wren.", "A fine boat.").await;
    stands(&open).await;
    let page = ada.goes_to("/talk").await.body;
    let (own, reply) = (message_with(&page, "My boat is the Wren."), message_with(&page, "A fine boat."));
    assert_ne!(own, reply);
    ada.finds(&format!("/talk/edit?message={own}"), &["My boat is the Wren.</textarea>"]).await;
    for nowhere in ["/talk/edit", "/talk/edit?message=t9999", "/talk/edit?message=../x"] {
        assert_eq!(ada.goes_to(nowhere).await.status, StatusCode::NOT_FOUND, "{nowhere}");
    }
    ada.sends("/talk/edit", &[("message", &own), ("text", "My boat is the Heron.")]).await;
    let changed = live.next_named("changed").await;
    assert!(changed["html"].as_str().unwrap().contains("the Heron"), "{changed}");
    ada.sends("/talk/edit", &[("message", &reply), ("text", "A grey boat.")]).await;
    assert_eq!(stands(&open).await, said(&[("Ada", "My boat is the Heron."), ("Mika", "A grey boat.")]));
    let refused = ada.sends("/talk/edit", &[("message", &reply), ("text", "  ")]).await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    let long = "x".repeat(16_001);
    let refused = ada.sends("/talk/edit", &[("message", &reply), ("text", &long)]).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    let kept = format!("{long}</textarea>");
    for shown in [&*kept, "it has 16001 characters, and 16000 fit", &*reply] {
        assert!(refused.body.contains(shown) && !refused.body.contains("maxlength"), "{}", refused.body);
    }

    let asked = open.asked(&ada, "Which boat?").await;
    let transcript = asked.transcript();
    assert!(transcript.contains("the Heron") && !transcript.contains("the Wren"), "{transcript}");
    live.hears(asked, "The Heron.").await;
    stands(&open).await;
    ada.sends("/talk/act", &[("do", &format!("delete {reply}"))]).await;
    assert_eq!(live.next_named("gone").await["messages"], serde_json::json!([reply]));
    assert_eq!(
        stands(&open).await,
        said(&[("Ada", "My boat is the Heron."), ("Ada", "Which boat?"), ("Mika", "The Heron.")])
    );
}

#[tokio::test]
async fn the_operator_is_one_of_several_in_play_and_takes_each_up_again() {
    let (open, ada, mut live) = Open::followed().await;
    assert!(ada.goes_to("/talk").await.body.contains("You are yourself"));
    let vane = [("do", "new"), ("name", "Captain Vane"), ("description", "A retired privateer.")];
    assert_eq!(ada.sends("/talk/persona", &vane).await.header("location"), "/talk");
    live.next_named("stale").await;
    assert!(ada.goes_to("/talk").await.body.contains("You are&nbsp;<b dir=\"auto\">Captain Vane</b>"));
    let asked = open.asked(&ada, "Evening.").await;
    let told = asked.transcript();
    assert!(told.contains("plays Captain Vane here: A retired privateer."), "{told}");
    live.hears(asked, "Captain.").await;
    ada.sends("/talk/persona", &[("do", "new"), ("name", "Nobody")]).await;
    ada.finds("/talk/persona", &["<b dir=\"auto\">Nobody</b>", "A retired privateer."]).await;
    ada.sends("/talk/persona", &[("do", "self")]).await;
    let vane = [("name", "Captain Vane"), ("description", "A retired privateer.")];
    let meant = |what: &'static str| [[("do", what)].as_slice(), &vane].concat();
    ada.sends("/talk/persona", &meant("be")).await;
    let asked = open.asked(&ada, "And now?").await;
    let told = asked.transcript();
    assert!(
        told.contains("plays Captain Vane here: A retired privateer.") && !told.contains("Nobody"),
        "{told}"
    );
    live.hears(asked, "Captain again.").await;
    // In the terminal the operator is another of that name.
    let other = Persona::new("Captain Vane", "Still at sea.").unwrap();
    let terminal = PlayedIn::Channel(ChannelId::new("terminal").unwrap());
    open.stage.pairing.set_persona(&AccountId::operator(), terminal, other).unwrap();
    ada.finds("/talk/persona", &["value=\"Still at sea.\""]).await;
    let other = [("do", "be"), ("name", "Captain Vane"), ("description", "Still at sea.")];
    ada.sends("/talk/persona", &other).await;
    let now = ada.goes_to("/talk/persona").await.body;
    assert!(now.split("Who else you may be").next().unwrap().contains("Still at sea."), "{now}");
    ada.sends("/talk/persona", &[("do", "self")]).await;
    ada.sends("/talk/persona", &meant("be")).await;
    let other = [("do", "drop"), ("name", "Captain Vane"), ("description", "Still at sea.")];
    assert_eq!(ada.sends("/talk/persona", &other).await.header("location"), "/talk/persona");
    let page = ada.goes_to("/talk/persona").await.body;
    assert!(page.contains("A retired privateer.") && !page.contains("Still at sea."), "{page}");
    ada.sends("/talk/persona", &[("do", "self")]).await;
    ada.sends("/talk/persona", &meant("drop")).await;
    let page = ada.goes_to("/talk/persona").await.body;
    assert!(
        page.contains("You are yourself.") && !page.contains("Vane") && page.contains("Nobody"),
        "{page}"
    );
    let told =
        ada.sends("/talk/persona", &[("do", "new"), ("name", " "), ("description", "Kept <b>.")]).await;
    assert_eq!(told.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(
        told.body.contains("A persona needs a name.") && told.body.contains("Kept &#60;b&#62;."),
        "{}",
        told.body
    );
    for fields in [[("do", "be"), ("name", "Somebody")], [("do", "dance"), ("name", "Nobody")]] {
        assert_eq!(ada.sends("/talk/persona", &fields).await.status, StatusCode::BAD_REQUEST, "{fields:?}");
    }
}

#[tokio::test]
async fn what_is_being_written_outlives_a_sign_in_that_is_gone() {
    let (_open, mut ada) = Open::with_ada().await;
    let page = ada.goes_to("/talk").await.body;
    assert!(page.contains("data-signed-out=\"Sign in again"), "the script knows no words of its own: {page}");
    let script = ada.goes_to("/assets/app.js").await.body;
    for part in [
        "dataset.signedOut",
        "all(\"form.edit\")",
        "sessionStorage.setItem(\"draft\"",
        "sessionStorage.getItem(\"draft\")",
    ] {
        assert!(script.contains(part), "{part}");
    }
    assert!(!script.contains("say.submit()"), "no page takes the place of the one with the words");
    // What the script goes by.
    ada.cookie = "familiar_window=of-the-program-before".to_owned();
    let asked = ada.request(Method::HEAD, "/talk").send().await.unwrap();
    assert_eq!(asked.status(), StatusCode::UNAUTHORIZED);
}
