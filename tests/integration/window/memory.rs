//! What it believes, in the window.

use familiar_connect::domain::AccountId;
use serde_json::json;

use super::*;

/// Notes as they lie in the folder.
fn writes(open: &Open, path: &str, text: &str) {
    let file = open.stage.config.home().memory_dir().join(path);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
}

#[tokio::test]
async fn a_note_shows_each_fact_with_who_said_it_and_who_may_see_it() {
    let (mut open, ada) = Open::with_ada().await;
    // Alice is known by name once she spoke.
    open.stage.talk("alice", "Good evening.", "Evening.").await;
    let alice = crate::support::stage::person("alice").account;
    writes(
        &open,
        "people/discord-528.md",
        &format!(
            "---\naudience: guild:7\naliases: [Al]\n---\n# Alice\n\n\
             - Her boat is called Wren. <!-- f=aaaa by={alice} on=2026-02-01 from=t:1 -->\n\
             - She lived in Bern. <!-- f=bbbb until=2025-12-31 -->\n\
             - Only between us. <!-- f=cccc to=dm:{alice} -->\n\
             - Lost. <!-- f=dddd to=nowhere -->\n"
        ),
    );
    let list = ada.goes_to("/memory").await.body;
    for shown in ["People", "Alice", "Her boat is called Wren.", "/memory/note?path=people%2Fdiscord-528.md"]
    {
        assert!(list.contains(shown), "{shown}: {list}");
    }
    let note = ada.goes_to("/memory/note?path=people%2Fdiscord-528.md").await.body;
    for shown in [
        "everybody on Harbour",
        "also called Al",
        "Alice said so",
        "1 February 2026",
        "Until 31 December 2025",
        "only Alice",
        "nobody, until it is mended",
    ] {
        assert!(note.contains(shown), "{shown}: {note}");
    }
}

#[tokio::test]
async fn a_note_leads_to_those_it_points_to_and_names_those_that_point_to_it() {
    let (open, ada) = Open::with_ada().await;
    writes(&open, "topics/sea.md", "# The sea\n\n- It is deep.\n");
    writes(
        &open,
        "topics/boats.md",
        "# Boats\n\n- The Wren sails on [[topics/sea|the <b>sea</b>]], not on [[rivers]]. <!-- f=aaaa -->\n",
    );
    let boats = ada.goes_to("/memory/note?path=topics%2Fboats.md").await.body;
    let link = "sails on <a href=\"/memory/note?path=topics%2Fsea.md\">the &#60;b&#62;sea&#60;/b&#62;</a>, not on [[rivers]].";
    assert!(boats.contains(link), "{boats}");
    assert!(!boats.contains("Notes that point here"), "{boats}");
    let sea = ada.goes_to("/memory/note?path=topics%2Fsea.md").await.body;
    let back = sea.split("Notes that point here").nth(1).unwrap_or_default();
    assert!(back.contains("<a href=\"/memory/note?path=topics%2Fboats.md\">Boats</a>"), "{sea}");
}

#[tokio::test]
async fn the_character_and_its_lore_are_listed_found_and_edited() {
    let (open, ada) = Open::with_ada().await;
    let lore = "---\nkeys: [harbour]\n---\nThe harbour freezes in <i>January</i>.\n";
    writes(&open, "lore/coast/harbour.md", lore);
    let empty = ada.goes_to("/memory").await.body;
    assert!(
        empty.contains("href=\"/memory?of=self\">The character</a>") && !empty.contains("harbour.md"),
        "{empty}"
    );
    for (way, shown) in [
        ("/memory?of=self", ["path=self%2Fpersonality.md", "dry, kind"]),
        ("/memory?of=lore", ["path=lore%2Fcoast%2Fharbour.md", "The harbour freezes in &#60;i&#62;January"]),
        ("/memory?q=freezes", ["path=lore%2Fcoast%2Fharbour.md", ">Lore<"]),
        ("/memory?q=dry%2C+kind", ["path=self%2Fpersonality.md", ">The character<"]),
    ] {
        let page = ada.goes_to(way).await.body;
        assert!(shown.iter().all(|shown| page.contains(shown)), "{way} {shown:?}: {page}");
    }
    assert_eq!(ada.goes_to("/memory?of=people").await.status, StatusCode::NOT_FOUND);
    let page = ada.goes_to("/memory/note?path=lore%2Fcoast%2Fharbour.md").await.body;
    assert!(page.contains("keys: [harbour]\n---\nThe harbour freezes"), "as it lies there: {page}");
    assert!(page.contains("</svg> everybody") && !page.contains("/forget?"), "{page}");
    let page = ada.goes_to("/memory/edit?path=self%2Fpersonality.md").await;
    let looked = edits(&ada, &page, "look", "warm\n").await;
    assert!(!looked.body.contains("nobody would see") && looked.body.contains("takes effect within"));
    assert_eq!(edits(&ada, &looked, "save", "warm\n").await.status, StatusCode::SEE_OTHER);
    assert_eq!(kept(&open, "self/personality.md"), "warm\n");
}

#[tokio::test]
async fn hours_are_written_from_the_card_once_and_only_such_as_can_be_read() {
    let (open, ada) = Open::with_ada().await;
    let file = open.stage.config.home().schedule_md();
    ada.finds("/memory?of=self", &["Have it write them from its card"]).await;
    assert!(!ada.goes_to("/memory?of=lore").await.body.contains("/memory/schedule"));
    let hours = "- 06:00-14:00 asleep: below deck\n- 20:00-02:00 busy: at <b>ropes</b>";
    for (written, told) in [
        ("- 25:00-07:00 asleep: below".to_owned(), "unreadable"),
        // What a model thinks aloud may look like hours.
        (
            format!("<think>\n- 09:00-17:00 busy: at a desk?\n</think>\nHere you are:\n{hours}\nEnjoy!"),
            "made",
        ),
    ] {
        let (asks, ()) = tokio::join!(ada.sends("/memory/schedule", &[]), async {
            let asked = open.stage.next_request().await;
            assert!(asked.transcript().contains("keeps the night ferry"), "the card");
            let meanwhile = ada.sends("/memory/schedule", &[]).await;
            assert_eq!(meanwhile.header("location"), "/memory?of=self&hours=busy");
            asked.reply(&written);
        });
        assert_eq!(asks.header("location"), format!("/memory?of=self&hours={told}"));
        assert_eq!(file.exists(), told == "made");
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), format!("# The days of Mika\n\n{hours}\n"));
    let page = ada.goes_to("/memory?of=self&hours=made").await.body;
    assert!(
        page.contains("These are its hours from now on.") && page.contains("at &#60;b&#62;ropes"),
        "{page}"
    );
    assert!(!page.contains("Have it write them"), "{page}");
    ada.finds("/memory?of=self&hours=busy", &["A model is being asked already"]).await;
    // Of a long file the beginning is shown.
    std::fs::write(&file, format!("# Begins\n{}\u{e4}\u{e4}ENDS", "\u{2693}".repeat(20_000))).unwrap();
    let page = ada.goes_to("/memory?of=self").await.body;
    assert!(page.contains("# Begins") && page.contains("\u{2693}…") && !page.contains("ENDS"), "{page}");
    // Nobody's file is written over, and no model is asked.
    std::fs::write(&file, "- 00:00-24:00 awake: mine\n").unwrap();
    let again = ada.sends("/memory/schedule", &[]).await;
    assert_eq!(again.header("location"), "/memory?of=self&hours=there");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "- 00:00-24:00 awake: mine\n");
}

/// The topics that a list shows, on all its pages.
async fn listed(ada: &Browser, first: &str) -> Vec<String> {
    let mut seen = Vec::new();
    let mut way = Some(first.to_owned());
    while let Some(page) = way {
        let page = ada.goes_to(&page).await.body;
        let titles = page.split("/memory/note?path=topics%2Ft").skip(1);
        seen.extend(titles.map(|rest| rest.split(".md").next().unwrap().to_owned()));
        let next = page.split("rel=\"next\"").next().filter(|before| before.len() < page.len());
        way = next.map(|before| {
            before.rsplit("href=\"").next().unwrap().split('"').next().unwrap().replace("&#38;", "&")
        });
    }
    seen
}

#[tokio::test]
async fn words_that_stand_in_very_many_notes_are_found_in_all_of_them() {
    let (open, ada) = Open::with_ada().await;
    for number in 0..1_100 {
        writes(&open, &format!("topics/t{number:04}.md"), &format!("# Topic {number}\n\n- It leaks.\n"));
    }
    let all: Vec<String> = (0..1_100).map(|number| format!("{number:04}")).collect();
    assert_eq!(listed(&ada, "/memory?q=leaks").await, all);
}

#[tokio::test]
async fn notes_are_found_by_their_words_and_listed_page_by_page() {
    let (open, ada) = Open::with_ada().await;
    for number in 0..250 {
        writes(
            &open,
            &format!("topics/t{number:03}.md"),
            &format!("# Topic {number}\n\n- It is about лодка {number}.\n"),
        );
    }
    let all: Vec<String> = (0..250).map(|number| format!("{number:03}")).collect();
    assert_eq!(listed(&ada, "/memory").await, all);
    let found = ada.goes_to("/memory?q=ABOUT++%D0%BB%D0%BE%D0%B4%D0%BA%D0%B0+17").await.body;
    assert!(
        found.contains("Topic 17<") && found.contains("Topic 170<") && !found.contains("Topic 18<"),
        "{found}"
    );
    ada.finds("/memory?q=%28%5B.*", &["No note holds these words."]).await;
}

#[tokio::test]
async fn a_note_whose_head_cannot_be_read_is_listed_and_found_so_that_somebody_mends_it() {
    let (open, ada) = Open::with_ada().await;
    writes(&open, "topics/sea.md", "---\naudience: nobdy\n---\n# The sea\n\n- It is calm.\n");
    for list in ["/memory", "/memory?q=calm", "/memory/note?path=topics%2Fsea.md"] {
        let page = ada.goes_to(list).await.body;
        for shown in ["/memory/note?path=topics%2Fsea.md", "Its head cannot be read"] {
            assert!(page.contains(shown), "{list}: {shown}: {page}");
        }
    }
}

#[tokio::test]
async fn no_path_leads_out_of_the_notes() {
    let (_open, ada) = Open::with_ada().await;
    for path in [
        "../character.toml",
        "/etc/passwd",
        "..",
        "",
        "self/card.json",
        ".audit.jsonl",
        "people/..%2f..%2f.window",
    ] {
        let shown = ada.goes_to(&format!("/memory/note?path={path}")).await;
        assert_eq!(shown.status, StatusCode::NOT_FOUND, "{path}: {}", shown.body);
    }
    assert_eq!(ada.goes_to("/memory?after=../x").await.status, StatusCode::BAD_REQUEST);
}

/// Goes on from a page on which a note is edited.
async fn edits(ada: &Browser, page: &Shown, step: &str, text: &str) -> Shown {
    let (path, seen, looked) = (field(page, "path"), field(page, "seen"), field(page, "looked"));
    let text = text.replace('\n', "\r\n");
    let fields = [("path", &*path), ("seen", &*seen), ("looked", &*looked), ("step", step), ("text", &*text)];
    ada.sends("/memory/edit", &fields).await
}

fn kept(open: &Open, path: &str) -> String {
    std::fs::read_to_string(open.stage.config.home().memory_dir().join(path)).unwrap()
}

const BOATS: &str = "# Boats\n\n- The Wren leaks. <!-- f=aaaa -->\n- The Heron is sold.\n";

#[tokio::test]
async fn a_note_is_saved_only_after_its_changes_were_seen() {
    let (open, ada) = Open::with_ada().await;
    writes(&open, "topics/boats.md", BOATS);
    let note = ada.goes_to("/memory/note?path=topics%2Fboats.md").await.body;
    assert!(note.contains("href=\"/memory/edit?path=topics%2Fboats.md\""), "{note}");
    let page = ada.goes_to("/memory/edit?path=topics%2Fboats.md").await;
    assert!(page.body.contains("- The Heron is sold.\n</textarea>") && !page.body.contains("value=\"save\""));

    let same = edits(&ada, &page, "look", BOATS).await;
    assert!(same.body.contains("Nothing is different yet") && !same.body.contains("value=\"save\""));
    // Nothing was looked at: nothing is saved.
    let mended = BOATS.replace("leaks", "was mended");
    let unseen = edits(&ada, &page, "save", &mended).await;
    assert_eq!((unseen.status, kept(&open, "topics/boats.md").as_str()), (StatusCode::OK, BOATS));

    let looked = edits(&ada, &page, "look", &mended).await;
    for shown in ["1 line added, 1 line removed", "removed: ", "added: ", "value=\"save\""] {
        assert!(looked.body.contains(shown), "{shown}: {}", looked.body);
    }
    // Whoever comes back to what was answered comes to the page of it.
    let way = "data-way=\"/memory/edit?path=topics%2Fboats.md\"";
    assert!(looked.body.contains(way) && !page.body.contains("data-way"), "{}", looked.body);
    assert_eq!(kept(&open, "topics/boats.md"), BOATS);
    // Who went on writing sees the lines once more.
    let more = format!("{mended}- The Gull is new.\n");
    let again = edits(&ada, &looked, "save", &more).await;
    assert!(
        again.body.contains("You went on writing.") && again.body.contains("2 lines added, 1 line removed")
    );
    assert_eq!(kept(&open, "topics/boats.md"), BOATS);
    let saved = edits(&ada, &again, "save", &more).await;
    assert_eq!(
        (saved.status, saved.header("location")),
        (StatusCode::SEE_OTHER, "/memory/note?path=topics%2Fboats.md")
    );
    assert_eq!(kept(&open, "topics/boats.md"), more);
    assert!(ada.goes_to(saved.header("location")).await.body.contains("The Gull is new."));
}

#[tokio::test]
async fn what_is_edited_in_a_note_stands_in_the_next_prompt() {
    let (open, ada) = Open::with_ada().await;
    let (mut live, mut turns) = (ada.follows("talk").await, ada.follows("turns").await);
    let note = "---\naudience: canon\n---\n# Boats\n\n- The Wren leaks badly. <!-- f=aaaaaaaa -->\n";
    writes(&open, "topics/boats.md", note);
    let page = ada.goes_to("/memory/edit?path=topics%2Fboats.md").await;
    let mended = note.replace("leaks badly", "was caulked in spring");
    let looked = edits(&ada, &page, "look", &mended).await;
    assert_eq!(edits(&ada, &looked, "save", &mended).await.status, StatusCode::SEE_OTHER);
    let asked = open.asked(&ada, "How does the Wren do, the boat?").await;
    let told = asked.transcript();
    assert!(told.contains("The Wren was caulked in spring.") && !told.contains("leaks badly"), "{told}");
    live.hears(asked, "She is dry.").await;

    // The note says which turn had it at hand, and the turn leads to the note.
    let turn = turns.next_named("turn").await["turn"].as_str().unwrap().to_owned();
    let note = ada.goes_to("/memory/note?path=topics%2Fboats.md").await.body;
    assert!(note.contains(&format!("<a href=\"/xray/{turn}\">{turn}</a>.")), "{note}");
    let link = "<a href=\"/memory/note?path=topics%2Fboats.md\">";
    for page in [format!("/xray/{turn}"), "/talk".to_owned()] {
        let page = ada.goes_to(&page).await.body;
        assert!(page.contains(link), "{page}");
    }
    // Its record says which search found it, and before whom each piece was learnt.
    let page = ada.goes_to(&format!("/xray/{turn}")).await.body;
    let mut searches = page.split("What was found").skip(1);
    let has_it =
        searches.any(|found| found.split("</ul>").next().unwrap().contains("path=topics%2Fboats.md"));
    assert!(has_it, "{page}");
    for audience in
        ["<td class=\"soft\" dir=\"auto\">everybody</td>", "<td class=\"soft\" dir=\"auto\">only you</td>"]
    {
        assert!(page.contains(audience), "{audience}: {page}");
    }
    writes(&open, "topics/other.md", "# Other\n\n- Nothing.\n");
    let other = ada.goes_to("/memory/note?path=topics%2Fother.md").await.body;
    assert!(!other.contains("in their prompt"), "{other}");
}

#[tokio::test]
async fn a_note_is_begun_and_stands_in_the_next_prompt_of_those_who_may_see_it() {
    let (mut open, ada) = Open::with_ada().await;
    open.stage.talk("alice", "Good evening.", "Evening.").await;
    for (list, link) in [
        ("/memory", "<a class=\"button\" href=\"/memory/new\">"),
        ("/memory?of=lore", "<p class=\"pages\"><a href=\"/memory/new\">"),
    ] {
        assert!(ada.goes_to(list).await.body.contains(link), "{list}");
    }
    let begin = ada.goes_to("/memory/new").await.body;
    for shown in [
        "<option value=\"dm:terminal:operator\" selected>only you</option>",
        "<option value=\"guild:7\">everybody on Harbour</option>",
        "<option value=\"canon\">everybody</option>",
        ">Alice</option>",
    ] {
        assert!(begin.contains(shown), "{shown}: {begin}");
    }
    let page = ada.goes_to("/memory/new?topic=Old+Ropes%21&to=canon").await;
    assert_eq!(field(&page, "path"), "topics/old-ropes.md", "by the rule of the house");
    assert!(page.body.contains("This note is new") && page.body.contains("It is for everybody"));
    assert!(
        page.body.contains("audience: canon\n---\n# Old Ropes!\n") && !page.body.contains("value=\"save\"")
    );
    let file = open.stage.config.home().memory_dir().join("topics/old-ropes.md");
    assert!(!file.exists(), "nothing is kept until it is saved");

    let text = "---\naudience: canon\n---\n# Old Ropes!\n\n- The red rope is frayed.\n";
    let broken = edits(&ada, &page, "look", &text.replace("canon", "nowhere")).await;
    assert!(broken.body.contains("nobody would see any of this note"), "{}", broken.body);
    let looked = edits(&ada, &page, "look", text).await;
    assert!(looked.body.contains("It is for everybody") && looked.body.contains("6 lines added"));
    assert!(looked.body.contains("path=topics%2Fold-ropes.md\" data-new>"), "it has no page yet");
    let saved = edits(&ada, &looked, "save", text).await;
    assert_eq!(saved.header("location"), "/memory/note?path=topics%2Fold-ropes.md");
    assert_eq!(kept(&open, "topics/old-ropes.md"), text);
    let asked = open.stage.asked("alice", "What of the old ropes, is one frayed?").await;
    let told = asked.transcript();
    assert!(told.contains("The red rope is frayed."), "{told}");
    asked.reply("The red one is.");

    // One of that name is there already, and nobody's file is outside the notes.
    let twice = ada.goes_to("/memory/new?topic=old+ropes").await;
    assert_eq!(twice.status, StatusCode::UNPROCESSABLE_ENTITY);
    let link = "<a href=\"/memory/note?path=topics%2Fold-ropes.md\">Open that note</a>";
    assert!(twice.body.contains("There is a note about old ropes already.") && twice.body.contains(link));
    let outside = ada.goes_to("/memory/new?topic=..%2F..%2Fself%2Fname").await;
    assert_eq!(field(&outside, "path"), "topics/self-name.md");
    for nothing in ["topic=%21%3F", "person=nobody"] {
        let refused = ada.goes_to(&format!("/memory/new?{nothing}")).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{nothing}");
    }
    assert_eq!(ada.goes_to("/memory/new?topic=x&to=nowhere").await.status, StatusCode::BAD_REQUEST);
    assert_eq!(ada.goes_to("/memory/new?topic=x&to=private:window").await.status, StatusCode::BAD_REQUEST);

    // Of somebody: in the note that is theirs.
    let alice = crate::support::stage::person("alice").account;
    let page = ada.goes_to(&format!("/memory/new?person={alice}")).await;
    assert_eq!(field(&page, "path"), format!("people/{}.md", alice.slug()));
    assert!(page.body.contains("It is for only you") && page.body.contains("# Alice"), "{}", page.body);
}

#[tokio::test]
async fn a_note_that_changed_meanwhile_is_not_overwritten_and_nothing_is_lost() {
    let (open, ada) = Open::with_ada().await;
    writes(&open, "topics/boats.md", BOATS);
    let page = ada.goes_to("/memory/edit?path=topics%2Fboats.md").await;
    let mine = BOATS.replace("leaks", "was mended");
    let looked = edits(&ada, &page, "look", &mine).await;
    let theirs = format!("{BOATS}- The Tern came by.\n");
    writes(&open, "topics/boats.md", &theirs);
    let refused = edits(&ada, &looked, "save", &mine).await;
    assert_eq!((refused.status, kept(&open, "topics/boats.md")), (StatusCode::CONFLICT, theirs));
    for shown in ["This note was changed since you opened it", "The Wren was mended.", "The Tern came by."] {
        assert!(refused.body.contains(shown), "{shown}: {}", refused.body);
    }
    // Saving what the lines now show is somebody's own decision.
    assert_eq!(edits(&ada, &refused, "save", &mine).await.status, StatusCode::SEE_OTHER);
    assert_eq!(kept(&open, "topics/boats.md"), mine);

    let page = ada.goes_to("/memory/edit?path=topics%2Fboats.md").await;
    let looked = edits(&ada, &page, "look", BOATS).await;
    std::fs::remove_file(open.stage.config.home().memory_dir().join("topics/boats.md")).unwrap();
    let gone = edits(&ada, &looked, "save", BOATS).await;
    assert!(
        gone.status == StatusCode::CONFLICT && gone.body.contains("This note was removed"),
        "{}",
        gone.body
    );
    assert!(gone.body.contains("- The Heron is sold.\n</textarea>"), "{}", gone.body);
}

#[tokio::test]
async fn lines_that_nobody_would_see_are_told_before_they_are_saved_and_ends_of_lines_stay() {
    let (open, ada) = Open::with_ada().await;
    writes(&open, "topics/boats.md", &BOATS.replace('\n', "\r\n"));
    let page = ada.goes_to("/memory/edit?path=topics%2Fboats.md").await;
    let broken = BOATS.replace("f=aaaa", "f=aaaa to=nowhere");
    let looked = edits(&ada, &page, "look", &broken).await;
    assert!(looked.body.contains("nobody would see line 3"), "{}", looked.body);
    let headless = edits(&ada, &page, "look", &format!("---\naudience: nowhere\n---\n{BOATS}")).await;
    assert!(headless.body.contains("nobody would see any of this note"), "{}", headless.body);
    let mended = BOATS.replace("leaks", "hält");
    let looked = edits(&ada, &page, "look", &mended).await;
    assert_eq!(edits(&ada, &looked, "save", &mended).await.status, StatusCode::SEE_OTHER);
    assert_eq!(kept(&open, "topics/boats.md"), mended.replace('\n', "\r\n"));
}

#[tokio::test]
async fn whom_a_note_is_for_after_an_edit_is_told_before_it_is_saved() {
    let (open, ada) = Open::with_ada().await;
    let own = format!("---\naudience: dm:{}\n---\n{BOATS}", AccountId::operator());
    writes(&open, "topics/boats.md", &own);
    let page = ada.goes_to("/memory/edit?path=topics%2Fboats.md").await;
    let kept_close = edits(&ada, &page, "look", &own.replace("leaks", "was mended")).await;
    assert!(!kept_close.body.contains("this note is for"), "{}", kept_close.body);

    let wider = "Careful: saved like this, this note is for everybody. So far it is for only you.";
    let headless = edits(&ada, &page, "look", own.trim_start_matches("---\n")).await;
    assert!(headless.body.contains(wider) && headless.body.contains("has no head any more"));
    let opened = edits(&ada, &page, "look", &format!("---\naudience: canon\n---\n{BOATS}")).await;
    assert!(opened.body.contains(wider) && !opened.body.contains("has no head"), "{}", opened.body);

    writes(&open, "topics/sails.md", BOATS);
    let page = ada.goes_to("/memory/edit?path=topics%2Fsails.md").await;
    let closed = edits(&ada, &page, "look", &own).await;
    let narrower = "Saved like this, this note is for only you. So far it is for everybody.";
    assert!(closed.body.contains(narrower), "{}", closed.body);
}

#[tokio::test]
async fn only_notes_are_edited_and_only_those_that_fit_into_a_form() {
    let (open, ada) = Open::with_ada().await;
    for path in ["../character.toml", "self/card.json", "topics/none.md"] {
        let shown = ada.goes_to(&format!("/memory/edit?path={path}")).await;
        assert_eq!(shown.status, StatusCode::NOT_FOUND, "{path}");
    }
    let outside = ada.sends("/memory/edit", &[("path", "../x.md"), ("text", "x"), ("step", "look")]).await;
    assert_eq!(outside.status, StatusCode::BAD_REQUEST);
    writes(&open, "topics/long.md", &format!("# Long\n\n- {}\n", "лодка ".repeat(10_000)));
    assert_eq!(ada.goes_to("/memory/edit?path=topics%2Flong.md").await.status, StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn a_fact_shows_what_it_was_learnt_from_and_is_forgotten_alone_and_comes_back() {
    let (mut open, ada) = Open::with_ada().await;
    for (words, answer) in
        [("My boat is called Wren, Mika.", "A good name."), ("I like rain, Mika.", "So do I.")]
    {
        open.stage.talk("alice", words, answer).await;
    }
    let turns = open.stage.stored_in(&crate::support::stage::ferry()).await;
    let [boat, rain] =
        ["Wren", "rain"].map(|word| turns.iter().find(|turn| turn.content.contains(word)).unwrap().id.0);
    writes(
        &open,
        "topics/alice.md",
        &format!(
            "---\naudience: guild:7\n---\n# Things\n\n- Her boat is called Wren. <!-- f=k3v9q2xy from=t:{boat} -->\n\
             - She likes rain. <!-- f=k3v9q2xz from=t:{rain} -->\n"
        ),
    );
    let way = "/memory/note?path=topics%2Falice.md";
    let note = ada.goes_to(way).await.body;
    for shown in
        ["Where it is from", "My boat is called Wren, Mika.", "#ferry", "/rooms/1", "/forget?kind=fact"]
    {
        assert!(note.contains(shown), "{shown}: {note}");
    }
    let looked = ada.goes_to("/forget?kind=fact&name=k3v9q2xy").await.body;
    assert!(
        looked.contains("Forget this fact?") && looked.contains("the messages it was learnt from"),
        "{looked}"
    );
    let fields = [("kind", "fact"), ("name", "k3v9q2xy"), ("keep", "copy")];
    assert_eq!(ada.sends("/forget", &fields).await.header("location"), "/forget/undo");
    let note = ada.goes_to(way).await.body;
    assert!(!note.contains("Wren") && note.contains("She likes rain."), "{note}");
    let room = ada.goes_to("/rooms/1").await.body;
    assert!(!room.contains("Wren") && room.contains("I like rain"), "{room}");
    ada.sends("/forget/undo", &[]).await;
    assert!(ada.goes_to(way).await.body.contains("Her boat is called Wren."));
    for unknown in ["..%2Fx", "K3V9", ""] {
        let way = format!("/forget?kind=fact&name={unknown}");
        assert_eq!(ada.goes_to(&way).await.status, StatusCode::NOT_FOUND, "{unknown}");
    }
}

#[tokio::test]
async fn what_waits_for_a_yes_is_noted_or_thrown_away_once() {
    let (open, ada) = Open::with_ada().await;
    writes(&open, "topics/sea.md", "# Sea\n\n- It is deep.\n");
    let line = |id: &str, words: &str| {
        let data = format!("f={id} to=guild:7 on=2026-02-01");
        json!({"note": "topics/sea.md", "title": "Sea", "audience": "guild:7", "do": "add", "text": words, "data": data})
    };
    for (name, id, words) in [
        ("20260201-100000", "aaaaaaaa", "It is salt."),
        ("20260201-110000", "bbbbbbbb", "It is made of tea."),
    ] {
        let text = format!("---\naudience: guild:7\n---\n# From talk\n\n```json\n{}\n```\n", line(id, words));
        writes(&open, &format!("sessions/.pending/{name}.md"), &text);
    }
    let list = ada.goes_to("/memory").await.body;
    assert!(list.contains("2 waiting for a yes"));
    // What waits is no note, whoever looks for it.
    for list in
        [list, ada.goes_to("/memory?q=From+talk").await.body, ada.goes_to("/memory?q=salt").await.body]
    {
        assert!(
            !list.contains(".pending") && !list.contains("note-row\" href=\"/memory/note?path=sessions"),
            "{list}"
        );
    }
    for way in ["note", "edit"] {
        let way = format!("/memory/{way}?path=sessions%2F.pending%2F20260201-100000.md");
        assert_eq!(ada.goes_to(&way).await.status, StatusCode::NOT_FOUND, "{way}");
    }
    ada.finds("/memory/note?path=topics%2Fsea.md", &["2 waiting for a yes"]).await;
    let page = ada.goes_to("/memory/proposed").await.body;
    for shown in [
        "It is salt.",
        "It is made of tea.",
        "topics/sea.md",
        "everybody on server 7",
        "1 February 2026, 10:00 UTC",
    ] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    let decides = |name: &'static str, answer: &'static str| [("name", name), ("answer", answer)];
    let told = ada.sends("/memory/proposed", &decides("20260201-100000", "yes")).await.body;
    assert!(told.contains("topics/sea.md: written.") && !told.contains("It is salt."), "{told}");
    let told = ada.sends("/memory/proposed", &decides("20260201-110000", "no")).await.body;
    assert!(told.contains("It is thrown away.") && told.contains("Nothing waits."), "{told}");
    for name in ["20260201-110000", "../sea", "x"] {
        let told = ada.sends("/memory/proposed", &decides(name, "yes")).await.body;
        assert!(told.contains("Somebody has decided that already"), "{name}: {told}");
    }
    assert_eq!(ada.sends("/memory/proposed", &decides("x", "perhaps")).await.status, StatusCode::BAD_REQUEST);
    let note = ada.goes_to("/memory/note?path=topics%2Fsea.md").await.body;
    assert!(note.contains("It is salt.") && !note.contains("tea"), "{note}");
}

#[tokio::test]
async fn what_stands_twice_is_looked_for_at_once_and_decided_like_everything_that_waits() {
    let (open, ada) = Open::with_ada().await;
    writes(
        &open,
        "people/discord-1.md",
        "# Ana\n\n\
         - Ana's cat is called Biscuit and sleeps all day. <!-- f=aaaa to=guild:7 on=2025-10-01 imp=4 from=t:1 -->\n\
         - Ana's cat is called Biscuit, and sleeps all day! <!-- f=bbbb to=guild:7 on=2025-10-05 from=t:9 -->\n",
    );
    let told = ada.sends("/memory/tidy", &[]).await.body;
    assert!(told.contains("One thing wants tidying") && told.contains("Biscuit"), "{told}");
    let name = told.split("name=\"name\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let again = ada.sends("/memory/tidy", &[]).await.body;
    assert!(again.contains("Nothing more in the notes wants tidying. 1 of what"), "{again}");
    let told = ada.sends("/memory/proposed", &[("name", name.as_str()), ("answer", "yes")]).await.body;
    assert!(told.contains("people/discord-1.md: written."), "{told}");
    let outside = ada.request(Method::POST, "/memory/tidy").header(ORIGIN, "http://evil.example");
    assert_eq!(outside.send().await.unwrap().status(), StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn everything_is_taken_along_as_the_command_line_writes_it() {
    let (mut open, ada) = Open::with_ada().await;
    open.stage.talk("alice", "Is the ferry late, Mika?", "It is never late.").await;
    writes(&open, "topics/sea.md", "# Sea\n\n- It is deep.\n");
    let taken = ada.sends("/memory/export", &[]).await;
    assert_eq!((taken.status, taken.header("content-type")), (StatusCode::OK, "application/x-ndjson"));
    assert!(taken.header("content-disposition").starts_with("attachment; filename=\"memories-mika-2026-"));
    let mut lines = Vec::new();
    familiar_connect::archive::export(
        &open.stage.history,
        &open.stage.memory,
        familiar_connect::archive::Span::Everything,
        &mut lines,
    )
    .await
    .unwrap();
    assert_eq!(taken.body, String::from_utf8(lines).unwrap());
    for words in ["Is the ferry late, Mika?", "It is never late.", "It is deep."] {
        assert!(taken.body.contains(words), "{words}");
    }
    let outside = ada.request(Method::POST, "/memory/export").header(ORIGIN, "http://evil.example");
    assert_eq!(outside.send().await.unwrap().status(), StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn people_and_what_they_speak_of_are_drawn_and_listed() {
    let (mut open, ada) = Open::with_ada().await;
    assert!(ada.goes_to("/memory/map").await.body.contains("Nothing is connected yet."));
    ada.finds("/memory", &["has noted nothing yet", "href=\"/memory/map\""]).await;
    for (who, words) in [("alice", "The lighthouse is dark, Mika."), ("bob", "That lighthouse again, Mika?")]
    {
        open.stage.talk(who, words, "Aye.").await;
    }
    let page = ada.goes_to("/memory/map").await.body;
    for shown in [
        "<svg class=\"map\" data-map viewBox=\"",
        // Shown by the script, without which it does nothing.
        "data-zoom hidden>",
        ">Alice</a>",
        ">Bob</a>",
        ">lighthouse</a>",
        "/memory?q=Alice",
        "class=\"tie t0\" d=\"M",
        // So many that it says of what.
        " ties</span>",
    ] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    assert!(!page.contains(">dark</a>"), "one word of one person is no topic: {page}");
    writes(&open, "topics/lighthouse.md", "# The lighthouse\n\n- It is dark.\n");
    ada.finds("/memory/map", &["href=\"/memory/note?path=topics%2Flighthouse.md\""]).await;
    assert!(ada.goes_to("/memory").await.body.contains("<p class=\"small\"><a href=\"/memory/map\">"));
    // Two accounts of one person are one, and lead to the note about them.
    let [alice, bob] = ["alice", "bob"].map(|who| crate::support::stage::person(who).account);
    let note = format!("---\naudience: guild:7\naccounts: [\"{bob}\"]\n---\n# Alice\n");
    writes(&open, &format!("people/{}.md", alice.slug()), &note);
    let page = ada.goes_to("/memory/map").await.body;
    assert!(page.contains(">Alice</a>") != page.contains(">Bob</a>"), "they are one: {page}");
    assert!(page.contains(&format!("href=\"/memory/note?path=people%2F{}.md\"", alice.slug())), "{page}");
}
