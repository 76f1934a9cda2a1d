//! Where it is, in the window.

use familiar_connect::domain::TriggerHints;

use super::*;
use crate::support::stage::{dm, ferry};

#[tokio::test]
async fn every_place_stands_there_with_what_was_said_last() {
    let mut open = Open::begins().await;
    let ada = open.browser().await;
    assert!(ada.goes_to("/rooms").await.body.contains("has been nowhere yet"));
    open.stage.says("alice", "Is the *ferry* late?").await;
    open.stage.next_request().await.reply("It is never late.");
    open.stage.settled().await;
    open.stage.says_in(&dm("bob"), "bob", "Between us: I cannot swim.", TriggerHints::default()).await;
    open.stage.next_request().await.reply("Stay on deck.");
    open.stage.settled_in(&dm("bob")).await;
    let list = ada.goes_to("/rooms").await.body;
    for shown in ["Harbour", "#ferry", "It is never late.", "Alone with it", "Stay on deck."] {
        assert!(list.contains(shown), "{shown}: {list}");
    }
    let room = ada.goes_to("/rooms/1").await.body;
    for shown in
        ["<em>ferry</em>", "It is never late.", "Spoke because", "/xray/t", "/xray?place=1", "channel"]
    {
        assert!(room.contains(shown), "{shown}: {room}");
    }
    assert!(!room.contains("cannot swim"), "what was said elsewhere stands there");
    for nowhere in ["/rooms/999", "/rooms/%00", "/rooms/..%2f1"] {
        assert_eq!(ada.goes_to(nowhere).await.status, StatusCode::NOT_FOUND, "{nowhere}");
    }
}

#[tokio::test]
async fn silence_has_its_line_and_its_reason_and_comes_by_itself() {
    let mut open = Open::begins().await;
    let ada = open.browser().await;
    open.stage.says("alice", "Good evening.").await;
    open.stage.next_request().await.reply("Evening.");
    open.stage.settled().await;
    let mut here = ada.follows("room&place=1").await;
    let mut elsewhere = ada.follows("room&place=2").await;
    let apart = TriggerHints { addresses_someone_else: true, ..TriggerHints::default() };
    open.stage.says_in(&ferry(), "alice", "Bob, are you there?", apart).await;
    here.next_named("stale").await;
    let room = ada.goes_to("/rooms/1").await.body;
    assert!(room.contains("Stayed silent because the message was for somebody else."), "{room}");
    let silence = room.find("Stayed silent").unwrap();
    assert!(room.find("Good evening.").unwrap() < silence, "in the order of time");
    open.window.close().await;
    assert!(elsewhere.response.chunk().await.unwrap_or_default().is_none(), "another room has nothing new");
}
