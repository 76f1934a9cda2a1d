//! Forgetting in the window.

use super::*;

/// What a page says of how much something reaches: the count beside the words.
fn reached(page: &str, what: &str) -> Option<u32> {
    let after = page.split(&format!("<dt>{what}</dt><dd>")).nth(1)?;
    after.split('<').next()?.parse().ok()
}

/// A familiar that Alice told something, and that noted it.
async fn knows_alice() -> (Open, Browser, String) {
    let mut open = Open::begins().await;
    let ada = open.browser().await;
    open.stage.says("alice", "My boat is called Wren, Mika.").await;
    open.stage.next_request().await.reply("A good name.");
    open.stage.settled().await;
    let alice = crate::support::stage::person("alice").account;
    let people = open.stage.config.home().memory_dir().join("people");
    std::fs::create_dir_all(&people).unwrap();
    std::fs::write(
        people.join(format!("{}.md", alice.slug())),
        format!("# Alice\n\n- Her boat is called Wren. <!-- f=k3v9q2xy by={alice} on=2026-02-01 -->\n"),
    )
    .unwrap();
    (open, ada, alice.to_string())
}

#[tokio::test]
async fn somebody_is_forgotten_after_a_look_at_what_it_reaches_and_comes_back() {
    let (open, ada, alice) = knows_alice().await;
    let slug = alice.replace(':', "-");
    let note = ada.goes_to(&format!("/memory/note?path=people%2F{slug}.md")).await.body;
    let way = note.split("href=\"/forget?").nth(1).unwrap().split('"').next().unwrap();
    let way = format!("/forget?{}", way.replace("&#38;", "&").replace("&amp;", "&"));
    let page = ada.goes_to(&way).await.body;
    assert!(page.contains("For seven days."), "{page}");
    let counts = ["messages", "replies to them", "facts in notes"].map(|what| reached(&page, what));
    assert_eq!(counts, [Some(1), Some(1), Some(1)], "{page}");
    // Looking changes nothing.
    assert!(ada.goes_to("/rooms/1").await.body.contains("My boat is called Wren"));

    let fields = [("kind", "person"), ("name", alice.as_str()), ("keep", "copy")];
    let done = ada.sends("/forget", &fields).await;
    assert_eq!((done.status, done.header("location")), (StatusCode::SEE_OTHER, "/forget/undo"));
    assert_eq!(
        ada.goes_to(&format!("/memory/note?path=people%2F{slug}.md")).await.status,
        StatusCode::NOT_FOUND
    );
    assert!(!ada.goes_to("/rooms/1").await.body.contains("Wren"));
    assert!(ada.goes_to(&way).await.body.contains("Nothing is kept of it"));
    assert!(ada.goes_to("/memory").await.body.contains("/forget/undo"));
    let page = ada.goes_to("/forget/undo").await.body;
    assert_eq!(reached(&page, "messages"), Some(1), "{page}");
    ada.sends("/forget/undo", &[]).await;
    assert!(ada.goes_to(&format!("/memory/note?path=people%2F{slug}.md")).await.body.contains("Wren"));
    assert!(ada.goes_to("/forget/undo").await.body.contains("There is nothing to take back"));
    drop(open);
}

#[tokio::test]
async fn what_is_forgotten_for_good_cannot_be_taken_back() {
    let (_open, ada, _alice) = knows_alice().await;
    let room = ada.goes_to("/rooms/1").await.body;
    assert!(room.contains("/forget?kind=channel"), "{room}");
    let fields = [("kind", "channel"), ("name", "1"), ("keep", "nothing")];
    assert_eq!(ada.sends("/forget", &fields).await.header("location"), "/memory");
    assert!(ada.goes_to("/forget/undo").await.body.contains("There is nothing to take back"));
    assert!(!ada.goes_to("/memory").await.body.contains("/forget/undo"));
}

#[tokio::test]
async fn only_what_can_be_forgotten_is_named() {
    let open = Open::begins().await;
    let ada = open.browser().await;
    for way in [
        "/forget",
        "/forget?kind=person",
        "/forget?kind=person&name=alice",
        "/forget?kind=everything&name=x",
        "/forget?kind=topic&name=..%2F..%2Fx",
        "/forget?kind=channel&name=%3Cb%3E",
    ] {
        assert_eq!(ada.goes_to(way).await.status, StatusCode::NOT_FOUND, "{way}");
    }
    let fields = [("kind", "everything"), ("name", "x")];
    assert_eq!(ada.sends("/forget", &fields).await.status, StatusCode::NOT_FOUND);
}
