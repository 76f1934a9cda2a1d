//! Forgetting in the window.

use super::*;

/// What a page says of how much something reaches: the count beside the words.
fn reached(page: &str, what: &str) -> Option<u32> {
    let after = page.split(&format!("<dt>{what}</dt><dd>")).nth(1)?;
    after.split('<').next()?.parse().ok()
}

/// A familiar that Alice told something, and that noted it.
async fn knows_alice() -> (Open, Browser, String) {
    let (mut open, ada) = Open::with_ada().await;
    open.stage.talk("alice", "My boat is called Wren, Mika.", "A good name.").await;
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
    // Whoever leaves it as it is comes back to where they were.
    let note = format!("href=\"/memory/note?path=people%2F{slug}.md\"");
    assert_eq!(page.matches(&note).count(), 2, "{page}");
    let counts = ["message", "reply", "fact in notes"].map(|what| reached(&page, what));
    assert_eq!(counts, [Some(1), Some(1), Some(1)], "{page}");
    for words in ["My boat is called Wren, Mika.", "A good name.", "Her boat is called Wren."] {
        assert!(page.contains(&format!("<li dir=\"auto\">{words}</li>")), "{words}: {page}");
    }
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
    assert_eq!(reached(&page, "message"), Some(1), "{page}");
    ada.sends("/forget/undo", &[]).await;
    assert!(ada.goes_to(&format!("/memory/note?path=people%2F{slug}.md")).await.body.contains("Wren"));
    assert!(ada.goes_to("/forget/undo").await.body.contains("There is nothing to take back"));
    drop(open);
}

#[tokio::test]
async fn what_is_forgotten_for_good_cannot_be_taken_back() {
    let (_open, ada, _alice) = knows_alice().await;
    ada.finds("/rooms/1", &["/forget?kind=channel"]).await;
    ada.finds("/forget?kind=channel&name=1", &["href=\"/rooms\" aria-current=\"page\""]).await;
    let fields = [("kind", "channel"), ("name", "1"), ("keep", "nothing")];
    assert_eq!(ada.sends("/forget", &fields).await.header("location"), "/rooms");
    assert!(ada.goes_to("/forget/undo").await.body.contains("There is nothing to take back"));
    assert!(!ada.goes_to("/memory").await.body.contains("/forget/undo"));
}

#[tokio::test]
async fn of_much_that_is_to_be_forgotten_the_newest_is_shown_by_its_words_and_shortened() {
    let (mut open, ada) = Open::with_ada().await;
    for number in 0..7 {
        let words = format!("Mika, <b>line</b> {number} {}", "long ".repeat(60));
        open.stage.talk("alice", &words, &format!("Answer {number}.")).await;
    }
    let page = ada.goes_to("/forget?kind=channel&name=1").await.body;
    assert_eq!(page.matches("&#60;b&#62;line&#60;/b&#62;").count(), 5, "{page}");
    assert!(page.contains("&#60;/b&#62; 6 ") && !page.contains("&#60;/b&#62; 1 "), "{page}");
    assert!(!page.contains(&"long ".repeat(40)), "{page}");
    super::hostile::is_harmless("forget", &page);
}

#[tokio::test]
async fn only_what_can_be_forgotten_is_named() {
    let (_open, ada) = Open::with_ada().await;
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

#[tokio::test]
async fn a_note_that_is_neither_of_a_person_nor_of_a_topic_is_forgotten_and_comes_back() {
    let (open, ada, alice) = knows_alice().await;
    let said = open.stage.remembered().await;
    assert!(said.iter().any(|(_, words)| words.contains("called Wren")), "{said:?}");
    let memory = open.stage.config.home().memory_dir();
    std::fs::create_dir_all(memory.join("sessions")).unwrap();
    let noted = format!(
        "# An evening\n\n- They spoke of a boat. <!-- f=m2p8s7rt by={alice} from=t:1 on=2026-02-01 -->\n"
    );
    std::fs::write(memory.join("sessions/2026-02-01.md"), noted).unwrap();
    let way = "/memory/note?path=sessions%2F2026-02-01.md";
    let note = ada.goes_to(way).await.body;
    let forget = "/forget?kind=note&name=sessions%2F2026-02-01.md&from=sessions%2F2026-02-01.md";
    assert!(note.contains(&forget.replace('&', "&#38;")), "{note}");
    let page = ada.goes_to(forget).await.body;
    let counts = ["message", "reply", "notes"].map(|what| reached(&page, what));
    assert!(page.contains("The note goes with the messages") && counts[0] == Some(1), "{counts:?} {page}");
    let fields = [("kind", "note"), ("name", "sessions/2026-02-01.md"), ("keep", "copy")];
    assert_eq!(ada.sends("/forget", &fields).await.header("location"), "/forget/undo");
    assert_eq!(ada.goes_to(way).await.status, StatusCode::NOT_FOUND);
    assert!(!ada.goes_to("/rooms/1").await.body.contains("called Wren"));
    ada.sends("/forget/undo", &[]).await;
    assert!(ada.goes_to(way).await.body.contains("They spoke of a boat."));
    // What somebody wrote by hand, and what waits for a yes, are no notes to be forgotten.
    for name in ["self%2Fcard.md", "lore%2Fharbour.md", "sessions%2F.pending%2Fx.md", "..%2Fx.md"] {
        let way = format!("/forget?kind=note&name={name}");
        assert_eq!(ada.goes_to(&way).await.status, StatusCode::NOT_FOUND, "{name}");
    }
}
