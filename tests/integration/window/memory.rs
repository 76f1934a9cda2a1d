//! What it believes, in the window.

use super::*;

/// Notes as they lie in the folder.
fn writes(open: &Open, path: &str, text: &str) {
    let file = open.stage.config.home().memory_dir().join(path);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
}

#[tokio::test]
async fn a_note_shows_each_fact_with_who_said_it_and_who_may_see_it() {
    let mut open = Open::begins().await;
    let ada = open.browser().await;
    // Alice is known by name once she spoke.
    open.stage.says("alice", "Good evening.").await;
    open.stage.next_request().await.reply("Evening.");
    open.stage.settled().await;
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
        "guild:7",
        "also called Al",
        "Alice said so",
        "1 February 2026",
        "Until 31 December 2025",
        &format!("dm:{alice}"),
        "nobody, until it is mended",
    ] {
        assert!(note.contains(shown), "{shown}: {note}");
    }
}

#[tokio::test]
async fn notes_are_found_by_their_words_and_listed_page_by_page() {
    let open = Open::begins().await;
    let ada = open.browser().await;
    for number in 0..250 {
        writes(
            &open,
            &format!("topics/t{number:03}.md"),
            &format!("# Topic {number}\n\n- It is about лодка {number}.\n"),
        );
    }
    let mut seen = Vec::new();
    let mut way = Some("/memory".to_owned());
    while let Some(page) = way {
        let page = ada.goes_to(&page).await.body;
        let titles = page.split("/memory/note?path=topics%2Ft").skip(1);
        seen.extend(titles.map(|rest| rest[..3].to_owned()));
        let next = page.split("rel=\"next\"").next().filter(|before| before.len() < page.len());
        way = next.map(|before| {
            before.rsplit("href=\"").next().unwrap().split('"').next().unwrap().replace("&#38;", "&")
        });
    }
    let all: Vec<String> = (0..250).map(|number| format!("{number:03}")).collect();
    assert_eq!(seen, all);
    let found = ada.goes_to("/memory?q=ABOUT++%D0%BB%D0%BE%D0%B4%D0%BA%D0%B0+17").await.body;
    assert!(
        found.contains("Topic 17<") && found.contains("Topic 170<") && !found.contains("Topic 18<"),
        "{found}"
    );
    let none = ada.goes_to("/memory?q=%28%5B.*").await.body;
    assert!(none.contains("No note holds these words."), "{none}");
}

#[tokio::test]
async fn no_path_leads_out_of_the_notes() {
    let open = Open::begins().await;
    let ada = open.browser().await;
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
