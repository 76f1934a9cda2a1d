//! Two accounts of one person, in the window.

use super::*;
use crate::support::stage::person;

fn way(slug: &str) -> String {
    format!("/memory/accounts?path=people%2F{slug}.md")
}

/// A familiar that knows Alice and Ben, each by a note.
async fn knows_two() -> (Open, Browser) {
    let (mut open, ada) = Open::with_ada().await;
    for (who, words, reply) in [("alice", "My boat is Wren.", "Ah."), ("ben", "My hat is red.", "So it is.")]
    {
        open.stage.talk(who, words, reply).await;
    }
    let people = open.stage.config.home().memory_dir().join("people");
    std::fs::create_dir_all(&people).unwrap();
    for (who, words) in [("alice", "Her boat is Wren."), ("ben", "The hat is red.")] {
        let account = person(who).account;
        let fact = format!("f={}aaaa", &who[..3]);
        let note =
            format!("---\naudience: guild:7\n---\n# {who}\n\n- {words} <!-- {fact} by={account} -->\n");
        std::fs::write(people.join(format!("{}.md", account.slug())), note).unwrap();
    }
    (open, ada)
}

#[tokio::test]
async fn two_accounts_are_made_one_person_after_a_look_and_taken_apart_again() {
    let (open, ada) = knows_two().await;
    let [alice, ben] = ["alice", "ben"].map(|who| person(who).account);
    let note = format!("/memory/note?path=people%2F{}.md", alice.slug());
    let page = ada.goes_to(&note).await.body;
    assert!(page.contains(&format!("href=\"{}\"", way(&alice.slug()))), "{page}");
    let page = ada.goes_to(&way(&alice.slug())).await.body;
    assert!(page.contains("The accounts of Alice"), "{page}");
    assert!(page.contains(&format!("<option value=\"{ben}\">Ben</option>")), "{page}");
    assert!(!page.contains(&format!("<option value=\"{alice}\"")), "nobody is offered themselves: {page}");

    let look = format!("{}&other={ben}", way(&alice.slug()));
    let page = ada.goes_to(&look).await.body;
    for shown in [
        "facts that come into this note</dt><dd>1<",
        "messages by Alice</dt><dd>1<",
        "messages by Ben</dt><dd>1<",
    ] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    let slug = format!("people/{}.md", alice.slug());
    assert!(ada.goes_to(&note).await.body.contains("Her boat"), "a look changes nothing");
    let (path, other) = (slug.as_str(), ben.to_string());
    let fields = [("path", path), ("other", &other), ("do", "join")];
    let forged =
        with_form(ada.request(Method::POST, "/memory/accounts").header(ORIGIN, &ada.origin), &fields);
    assert_eq!(forged.send().await.unwrap().status(), StatusCode::FORBIDDEN);
    let done = ada.sends("/memory/accounts", &fields).await;
    assert_eq!((done.status, done.header("location")), (StatusCode::SEE_OTHER, note.as_str()));
    ada.finds(&note, &["Her boat is Wren.", "The hat is red."]).await;
    let gone = format!("/memory/note?path=people%2F{}.md", ben.slug());
    assert_eq!(ada.goes_to(&gone).await.status, StatusCode::NOT_FOUND);

    // Whoever runs it is somebody on Discord as well.
    let fields = [("path", path), ("other", "terminal:operator"), ("do", "join")];
    ada.sends("/memory/accounts", &fields).await;
    let page = ada.goes_to(&way(&alice.slug())).await.body;
    assert!(
        page.contains("Also theirs") && page.contains(&other) && page.contains("terminal:operator"),
        "{page}"
    );
    let asked = open.asked(&ada, "What colour is my hat?").await;
    let told = asked.transcript();
    assert!(!told.contains("The hat is red."), "what a server heard is not known in the window: {told}");
    asked.reply("You tell me.");

    // What forgetting either reaches counts both.
    ada.finds(&format!("/forget?kind=person&name={ben}"), &["<dt>facts in notes</dt><dd>2<"]).await;
    let fields = [("path", path), ("other", &other), ("do", "part")];
    assert_eq!(ada.sends("/memory/accounts", &fields).await.header("location"), way(&alice.slug()));
    let page = ada.goes_to(&way(&alice.slug())).await.body;
    let theirs = page.split("Also theirs").nth(1).unwrap().split("</section>").next().unwrap();
    assert!(!theirs.contains(&other) && theirs.contains("terminal:operator"), "{theirs}");
}

#[tokio::test]
async fn what_stands_in_the_way_of_it_is_said() {
    let (open, ada) = knows_two().await;
    let [alice, ben] = ["alice", "ben"].map(|who| person(who).account);
    for (other, why) in [
        ("ben".to_owned(), "That is no account."),
        (alice.to_string(), "They cannot be made one person: they are one account."),
    ] {
        let page = ada.goes_to(&format!("{}&other={other}", way(&alice.slug()))).await;
        assert_eq!(page.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert!(page.body.contains(why), "{why}: {}", page.body);
    }
    open.stage.pairing.opt_out(&ben).unwrap();
    let (path, other) = (format!("people/{}.md", alice.slug()), ben.to_string());
    let fields = [("path", path.as_str()), ("other", &other), ("do", "join")];
    let refused = ada.sends("/memory/accounts", &fields).await;
    let page = ada.goes_to(refused.header("location")).await.body;
    assert!(page.contains("Ben has opted out"), "{page}");
    let file = open.stage.config.home().memory_dir().join(format!("people/{}.md", ben.slug()));
    assert!(file.exists(), "and nothing was done");
    for nowhere in ["people%2Fnobody.md", "topics%2Fboats.md", "..%2Fx.md", ""] {
        let page = ada.goes_to(&format!("/memory/accounts?path={nowhere}")).await;
        assert_eq!(page.status, StatusCode::NOT_FOUND, "{nowhere}");
    }
}
