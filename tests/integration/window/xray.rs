//! What every turn did, in the window.

use familiar_connect::domain::{
    ChannelId, LayoutFigures, LoreRecord, LoreWhy, ModelErrorClass, Outcome, Place, ProviderOutcome,
    ProviderStatus, SilenceReason, Slot, StageTiming, TurnId, TurnTrace,
};
use familiar_connect::llm::Prices;
use familiar_connect::window::HealthNow;

use super::*;
use crate::support::stage::{APART, ferry};

/// A turn that was taken, so many times over.
async fn many(open: &mut Open, how_many: u64) -> TurnTrace {
    open.stage.talk("alice", "Is the ferry late?", "It is never late.").await;
    let taken = TurnTrace::clone(&*open.stage.traces.whole().list(1).await.unwrap().pop().unwrap());
    for _ in 1..how_many {
        let trace = TurnTrace { id: open.stage.traces.next_turn(), ..taken.clone() };
        open.stage.traces.record(trace).await;
    }
    taken
}

#[tokio::test]
async fn a_turn_shows_what_it_was_made_of() {
    let (mut open, ada) = Open::with_ada().await;
    ada.finds("/xray", &["No turn has been recorded yet."]).await;
    let trace = many(&mut open, 1).await;
    let list = ada.goes_to("/xray").await.body;
    for shown in ["It is never late.", "#ferry", "Harbour", &format!("/xray/{}", trace.id)] {
        assert!(list.contains(shown), "{shown}: {list}");
    }
    let page = ada.goes_to(&format!("/xray/{}", trace.id)).await;
    assert_eq!(page.status, StatusCode::OK);
    for shown in [
        "Is the ferry late?",
        "<p>It is never late.</p>",
        "everybody on Harbour",
        "recent_history",
        "character/description",
        "main_prose",
        "Request, word for word",
        "keeps the night ferry",
        "Effort",
        "answered by main_prose",
        "Putting the prompt together",
    ] {
        assert!(page.body.contains(shown), "{shown}: {}", page.body);
    }
}

#[tokio::test]
async fn the_first_token_is_told_from_the_beginning_of_the_turn() {
    let (mut open, ada) = Open::with_ada().await;
    let taken = many(&mut open, 1).await;
    let stages = vec![StageTiming { stage: "first_token".to_owned(), us: 1_950_000 }];
    let mut calls = taken.calls.clone();
    for call in &mut calls {
        call.first_token_ms = Some(1);
    }
    let id = open.stage.traces.next_turn();
    open.stage.traces.record(TurnTrace { id, stages, calls, total_us: 2_000_000, ..taken }).await;
    ada.finds(&format!("/xray/{id}"), &["1.95 s"]).await;
}

#[tokio::test]
async fn a_turn_shows_what_the_jobs_around_the_reply_asked_and_were_answered() {
    let worth_it = "[plan.text.effort_1_2]\nstepped_thinking = true\ndeadline = 20\n\
                    [plan.text.effort_3_4]\nstepped_thinking = true\ndeadline = 20\n";
    let mut open = Open::with(worth_it, CARD).await;
    open.stage.models.play(Slot::ReasoningContext);
    let ada = open.browser().await;
    let thinks = open.stage.asked("alice", "Is the ferry late?").await;
    assert_eq!(thinks.request.slot, Slot::ReasoningContext);
    let sent = thinks.request.messages.clone();
    thinks.reply("<thoughts>\n- She worries.\n</thoughts>\n<plans>\n1. Calm her.\n</plans>");
    open.stage.answers("It is never late.").await;
    let trace = open.stage.traces.whole().latest(None).await.unwrap().unwrap();
    let told: Vec<_> = trace.calls.iter().filter_map(|call| call.exchange.as_deref()).collect();
    assert_eq!(told.len(), 1, "the reply's own request stands in the record as it is: {:?}", trace.calls);
    let words = |messages: &[familiar_connect::domain::ChatMessage]| -> Vec<String> {
        messages.iter().map(|message| message.content.clone()).collect()
    };
    assert_eq!(words(&told[0].asked), words(&sent));
    assert!(told[0].answered.contains("She worries."));
    let page = ada.goes_to(&format!("/xray/{}", trace.id)).await.body;
    for shown in [
        "What the jobs around the reply asked, and were answered",
        "Thinking first <span class=\"soft\">by scripted</span>",
        "10 in (0 % cached), 5 out, 2 ms",
        "She worries.",
    ] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    assert!(page.matches("Is the ferry late?").count() > 2, "it stands in that request too: {page}");
}

#[tokio::test]
async fn a_turn_shows_who_was_late_what_was_new_and_why_lore_was_called_up() {
    let (mut open, ada) = Open::with_ada().await;
    let taken = many(&mut open, 1).await;
    let mut assembly = taken.assembly.clone().unwrap();
    for (provider, status) in
        [("slow_one", ProviderStatus::Late), ("warm_one", ProviderStatus::Cached { contributions: 2 })]
    {
        assembly.providers.push(ProviderOutcome { provider: provider.to_owned(), us: 900_000, status });
    }
    let why = LoreWhy::Constant;
    let (book, name) = ("coast".to_owned(), "The <b>harbour</b>".to_owned());
    assembly.lore.push(LoreRecord {
        book,
        uid: 1,
        name,
        fired: true,
        why: why.clone(),
        level: None,
        tokens: 7,
    });
    assembly.layout = Some(LayoutFigures { stable_tokens: 123, fresh_tokens: 45, differs_at: Some((1, 0)) });
    let id = open.stage.traces.next_turn();
    open.stage.traces.record(TurnTrace { id, assembly: Some(assembly), ..taken }).await;
    let page = ada.goes_to(&format!("/xray/{id}")).await.body;
    for shown in [
        "<span>slow_one</span>",
        "too late, left out",
        "2 pieces, still warm",
        "class=\"fill late\"",
        "class=\"fill cached\"",
        "123 tokens begin as the last prompt did",
        "45 are new",
        "The &#60;b&#62;harbour&#60;/b&#62;",
        &why.to_string(),
    ] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    assert_eq!(page.matches("the first change is here").count(), 1, "{page}");
}

#[tokio::test]
async fn a_turn_of_another_surface_appears_without_loading_the_page_anew() {
    let (mut open, ada) = Open::with_ada().await;
    let mut live = ada.follows("turns").await;
    open.stage.says("alice", "Is the ferry late?").await;
    open.stage.next_request().await.reply("Never.");
    let row = live.next_named("turn").await;
    assert!(row["html"].as_str().unwrap().contains("Never."), "{row}");
    assert_eq!((row["day"].as_str(), row["place"].as_str()), (Some("Today"), Some("1")), "{row}");
    // Also where only this place's turns are listed.
    ada.finds("/xray?place=1", &[" data-live data-only=\"1\">", "class=\"date\">Today<"]).await;
    // Silence is a turn too.
    open.stage.says_in(&ferry(), "alice", "Bob, are you there?", APART).await;
    let row = live.next_named("turn").await;
    assert!(row["html"].as_str().unwrap().contains("stayed silent because"), "{row}");
    assert_eq!(row["kind"], "silent", "a list that leaves silences out leaves it out: {row}");
}

#[tokio::test]
async fn silences_are_left_out_of_the_list_where_only_answers_are_wanted() {
    let (mut open, ada) = Open::with_ada().await;
    let taken = many(&mut open, 1).await;
    let mut last = taken.id;
    // More of them than fit on a page.
    for _ in 0..50 {
        let outcome = Outcome::Silent { reason: SilenceReason::OnlyWhenAddressed };
        last = open.stage.traces.next_turn();
        open.stage.traces.record(TurnTrace { id: last, outcome, reply: None, ..taken.clone() }).await;
    }
    let all = ada.goes_to("/xray?place=1").await.body;
    assert!(all.contains("href=\"/xray?place=1&#38;only=answers\">Only answers</a>"), "{all}");
    assert!(!all.contains("It is never late.") && all.contains(&format!("data-turn=\"{last}\"")), "{all}");
    assert!(!all.contains("data-without"), "{all}");
    let answers = ada.goes_to("/xray?place=1&only=answers").await.body;
    assert!(answers.contains("It is never late.") && !answers.contains("stayed silent because"), "{answers}");
    for kept in [
        "data-live data-only=\"1\" data-without=\"silent\"",
        "href=\"/xray?place=1\">Show silences too</a>",
        "<a href=\"/xray?only=answers\">show all</a>",
    ] {
        assert!(answers.contains(kept), "{kept}: {answers}");
    }
    // The pages behind it are of the same list.
    for _ in 0..50 {
        let id = open.stage.traces.next_turn();
        open.stage.traces.record(TurnTrace { id, ..taken.clone() }).await;
    }
    let first = ada.goes_to("/xray?only=answers").await.body;
    let next = first.split("\" rel=\"next\"").next().unwrap().rsplit("href=\"").next().unwrap();
    assert!(next.ends_with("&#38;only=answers"), "{next}");
    let older = ada.goes_to(&next.replace("&#38;", "&")).await.body;
    assert_eq!(older.matches("<li data-turn").count(), 11, "{older}");
    assert!(!older.contains("stayed silent because"), "{older}");
    assert_eq!(ada.goes_to("/xray?only=x").await.status, StatusCode::BAD_REQUEST);
}

/// The turns on a page of the list.
fn rows(page: &str) -> Vec<u64> {
    let rows = page.split("<li data-turn=\"t").skip(1).map(|row| row.split('"').next().unwrap());
    rows.map(|row| row.parse().unwrap()).collect()
}

/// Where a page leads on.
fn way_on(page: &str, rel: &str) -> Option<String> {
    let (before, _) = page.split_once(&format!("\" rel=\"{rel}\""))?;
    Some(before.rsplit("href=\"").next().unwrap().replace("&#38;", "&"))
}

#[tokio::test]
async fn every_page_is_come_to_in_both_directions_whatever_lies_between_the_turns_of_a_list() {
    let (mut open, ada) = Open::with_ada().await;
    assert!(!ada.goes_to("/xray?only=answers").await.body.contains("even if it stays silent"));
    let taken = many(&mut open, 5).await;
    // More than a page of silences, and of what was said elsewhere, lie between two answers.
    for number in 0..90 {
        let id = open.stage.traces.next_turn();
        let silent = Outcome::Silent { reason: SilenceReason::OnlyWhenAddressed };
        let elsewhere = Place { channel: ChannelId::from(2), ..taken.place.clone() };
        let between = match number % 2 {
            0 => TurnTrace { id, outcome: silent, reply: None, ..taken.clone() },
            _ => TurnTrace { id, place: elsewhere, ..taken.clone() },
        };
        open.stage.traces.record(between).await;
    }
    for _ in 0..60 {
        let id = open.stage.traces.next_turn();
        open.stage.traces.record(TurnTrace { id, ..taken.clone() }).await;
    }
    for (list, count) in [("", 155), ("?only=answers", 110), ("?place=1", 110), ("?place=1&only=answers", 65)]
    {
        let mut at = format!("/xray{list}");
        for (rel, first) in [("next", true), ("prev", false)] {
            let mut seen = std::collections::BTreeSet::new();
            for _ in 0..10 {
                let page = ada.goes_to(&at).await.body;
                seen.extend(rows(&page));
                let Some(way) = way_on(&page, rel) else { break };
                at = way;
            }
            assert_eq!(seen.len(), count, "{list} {rel}");
            assert_eq!(at == format!("/xray{list}"), !first, "{list} {rel}: {at}");
        }
    }
}

#[tokio::test]
async fn the_list_goes_back_page_by_page_and_of_one_place() {
    let (mut open, ada) = Open::with_ada().await;
    many(&mut open, 100).await;
    let mut seen = Vec::new();
    let mut way = Some("/xray".to_owned());
    while let Some(page) = way {
        let page = ada.goes_to(&page).await.body;
        seen.extend(rows(&page));
        way = way_on(&page, "next");
    }
    let mut sorted = seen.clone();
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    sorted.dedup();
    assert_eq!((seen.len(), &seen), (100, &sorted), "each once, the newest first");

    assert!(ada.goes_to("/xray?place=1").await.body.contains("#ferry"));
    let nowhere = ada.goes_to("/xray?place=2").await.body;
    assert!(!nowhere.contains("<li data-turn"), "{nowhere}");
    for wrong in ["/xray?before=x", "/xray?place=%00"] {
        assert_eq!(ada.goes_to(wrong).await.status, StatusCode::BAD_REQUEST, "{wrong}");
    }
    for wrong in ["/xray/t0", "/xray/t999999", "/xray/soon", "/xray/t99999999999999999999"] {
        assert_eq!(ada.goes_to(wrong).await.status, StatusCode::NOT_FOUND, "{wrong}");
    }
    let middle = seen[50];
    let page = ada.goes_to(&format!("/xray/t{middle}")).await.body;
    for beside in [middle - 1, middle + 1] {
        assert!(page.contains(&format!("/xray/t{beside}")), "{page}");
    }
}

#[tokio::test]
async fn every_outcome_has_a_row_and_a_page() {
    let (mut open, ada) = Open::with_ada().await;
    let taken = many(&mut open, 1).await;
    let outcomes = [
        Outcome::Silent { reason: SilenceReason::OnlyWhenAddressed },
        Outcome::Failed {
            class: familiar_connect::domain::ModelErrorClass::Quota,
            error: "no credit <b>left</b>".to_owned(),
        },
        Outcome::Undelivered { messages: 0, error: "the channel is gone".to_owned() },
        Outcome::Cancelled { reason: familiar_connect::domain::CancelReason::StoppedByHand, messages: 0 },
    ];
    for outcome in outcomes {
        let id: TurnId = open.stage.traces.next_turn();
        let trace =
            TurnTrace { id, outcome, reply: None, assembly: None, request: Vec::new(), ..taken.clone() };
        let words = trace.outcome.summary().replace('<', "&#60;").replace('>', "&#62;");
        open.stage.traces.record(trace).await;
        let page = ada.goes_to(&format!("/xray/{id}")).await;
        assert_eq!(page.status, StatusCode::OK);
        assert!(page.body.contains(&words), "{words}: {}", page.body);
        assert!(ada.goes_to("/xray").await.body.contains(&words), "{words}");
    }
}

#[tokio::test]
async fn two_turns_stand_side_by_side_and_one_beside_what_would_be_made_of_it_now() {
    let (open, ada) = Open::with_ada().await;
    let mut live = ada.follows("turns").await;
    let mut turns = Vec::new();
    for (words, answer) in [("Is the kettle on?", "It is."), ("And the lamp?", "Lit since eight.")] {
        open.stage.clock.advance(std::time::Duration::from_secs(60));
        ada.sends("/talk", &[("text", words)]).await;
        open.stage.next_request().await.reply(answer);
        turns.push(live.next_named("turn").await["turn"].as_str().unwrap().to_owned());
    }
    let (one, other) = (&turns[0], &turns[1]);
    ada.finds(&format!("/xray/{other}"), &[&format!("/xray/compare?one={one}&#38;other={other}")]).await;
    let page = ada.goes_to(&format!("/xray/compare?one={one}&other={other}")).await.body;
    for shown in [
        format!("Turn {one} beside Turn {other}"),
        "Prompt, in tokens".to_owned(),
        format!("Only in Turn {other}"),
        "The request, line by line".to_owned(),
        "And the lamp?".to_owned(),
    ] {
        assert!(page.contains(&shown), "{shown}: {page}");
    }
    let added: Vec<&str> = page.split("<p class=\"added\">").skip(1).collect();
    assert!(added.iter().any(|line| line.split("</p>").next().unwrap().contains("And the lamp?")), "{page}");

    // Made anew with nothing changed it is the same byte for byte, and asks no model.
    ada.finds(&format!("/xray/compare?one={other}"), &["Both are the same, word for word."]).await;
    let page = ada.goes_to(&format!("/xray/compare?one={other}&budget=600")).await.body;
    assert!(page.contains("its prompt made now") && page.contains("<td class=\"n\">600</td>"), "{page}");
    let page = ada.goes_to(&format!("/xray/compare?one={other}&budget=lots")).await.body;
    assert!(page.contains("A budget is a whole number of tokens"), "{page}");
    let page = ada.goes_to(&format!("/xray/compare?one={one}&other={other}&budget=600")).await.body;
    assert!(page.contains("Two turns are compared as they were."), "{page}");
    let unknown = format!("/xray/compare?one={other}&effort=eleven&model={}", "x".repeat(201));
    let page = ada.goes_to(&unknown).await.body;
    for shown in ["An effort is a whole number from 1 to 10", "name is one line of at most 200 characters"] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    let page = ada.goes_to(&format!("/xray/compare?one={other}&effort=9")).await.body;
    assert!(
        page.contains("its prompt made now with effort 9") && page.contains("<td class=\"n\">9</td>"),
        "{page}"
    );

    // Every piece that can be left out leads to the prompt without it.
    let turn = ada.goes_to(&format!("/xray/{other}")).await.body;
    let without = turn.split("href=\"").find(|rest| rest.contains(">without it")).unwrap();
    let way = without.split('"').next().unwrap().replace("&#38;", "&");
    let page = ada.goes_to(&way).await.body;
    let source = way.split("without=").nth(1).unwrap().replace("%2F", "/");
    for shown in [format!("its prompt made now without {source}"), format!("Only in Turn {other}")] {
        assert!(page.contains(&shown), "{shown}: {page}");
    }
    let page = ada.goes_to(&format!("/xray/compare?one={other}&without=nothing/such")).await.body;
    assert!(page.contains("nothing/such is not offered for this prompt now"), "{page}");
    for nowhere in ["one=t9999", "", "one=x&other=y"] {
        assert_eq!(ada.goes_to(&format!("/xray/compare?{nowhere}")).await.status, StatusCode::NOT_FOUND);
    }
}

#[tokio::test]
async fn a_past_turn_is_asked_of_another_model_after_its_price_and_what_differs_is_marked() {
    let (open, ada) = Open::with_ada().await;
    let mut live = ada.follows("turns").await;
    ada.sends("/talk", &[("text", "Is the kettle on?")]).await;
    open.stage.next_request().await.reply("It is. The lamp is lit too. Come in.");
    let turn = live.next_named("turn").await["turn"].as_str().unwrap().to_owned();
    *open.doing.now.lock() = HealthNow {
        models: vec![health::model(Slot::MainProse, "other/model", Some(health::PRICES))],
        ..HealthNow::default()
    };
    let way = format!("/xray/compare?one={turn}");
    ada.finds(&way, &["Ask scripted", "What that costs is not known."]).await;
    let page = ada.goes_to(&format!("{way}&model=other%2Fmodel&effort=2")).await.body;
    for shown in [
        "its prompt made now for other/model with effort 2",
        "Ask other/model",
        "The prompt costs about $0.",
        "name=\"effort\" value=\"2\"",
    ] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    assert!(!page.contains("What was said, sentence by sentence"), "nobody was asked yet");
    assert!(page.contains("That counts towards today"), "{page}");
    let free = Prices { prompt: 0.0, completion: 0.0, cache_read: 0.0, cache_write: 0.0 };
    open.doing.now.lock().models.push(health::model(Slot::MainProse, "free/model", Some(free)));
    let page = ada.goes_to(&format!("{way}&model=free%2Fmodel")).await.body;
    assert!(page.contains("That costs nothing. Nothing of it is posted"), "{page}");
    assert!(!page.contains("That counts towards today"), "{page}");

    let wish = [("one", turn.as_str()), ("model", "other/model")];
    let asking = tokio::spawn({
        let (ada, turn) = (ada.clone(), turn.clone());
        async move { ada.sends("/xray/compare", &[("one", &turn), ("model", "other/model")]).await.body }
    });
    let asked = open.stage.next_request().await;
    assert_eq!(asked.model, "other/model");
    assert!(asked.transcript().contains("Is the kettle on?"), "{}", asked.transcript());
    let again = ada.sends("/xray/compare", &wish).await.body;
    assert!(again.contains("A model is being asked already"), "{again}");
    asked.reply("It is. The lamp is out. Come in.");
    let page = asking.await.unwrap();
    let said =
        page.split("What was said, sentence by sentence").nth(1).unwrap().split("</section>").next().unwrap();
    let line = |kind: &str| {
        let line = said.split(&format!("<p class=\"{kind}\">")).nth(1).unwrap();
        line.split("</p>").next().unwrap().to_owned()
    };
    assert!(line("removed").contains("The lamp is lit too."), "{said}");
    assert!(line("added").contains("The lamp is out."), "{said}");
    assert!(line("kept").contains("It is."), "{said}");

    // Nothing of it is part of the talk, and no turn was recorded.
    assert!(!ada.goes_to("/talk").await.body.contains("The lamp is out."));
    assert_eq!(open.stage.traces.whole().list(9).await.unwrap().len(), 1);
    let silent = tokio::spawn({
        let (ada, turn) = (ada.clone(), turn.clone());
        async move { ada.sends("/xray/compare", &[("one", &turn)]).await.body }
    });
    open.stage.next_request().await.reply("");
    let page = silent.await.unwrap();
    assert!(page.contains("Its prompt made now: it said nothing."), "{page}");
    assert!(!page.contains("Sentences that differ"), "an answer that is empty took nothing back: {page}");
    let failing = tokio::spawn({
        let (ada, turn) = (ada.clone(), turn.clone());
        async move { ada.sends("/xray/compare", &[("one", &turn)]).await.body }
    });
    let asked = open.stage.next_request().await;
    assert_eq!(asked.model, "scripted");
    asked.fail(ModelErrorClass::Server);
    let page = failing.await.unwrap();
    assert!(page.contains("It gave no answer: "), "{page}");
    let forged = with_form(ada.request(Method::POST, "/xray/compare").header(ORIGIN, &ada.origin), &wish);
    assert_eq!(forged.send().await.unwrap().status(), StatusCode::FORBIDDEN);
}
