//! Everything a stranger can write is text.

use familiar_connect::domain::TurnTrace;
use html5gum::{Token, Tokenizer};
use serde_json::json;

use super::*;
use crate::support::stage::{CALLED, channel, person};

/// What has done harm elsewhere, by which way it comes to be markup.
const CORPUS: [&str; 16] = [
    "<script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</textarea><script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "\" autofocus onfocus=\"alert(1)",
    "<svg/onload=alert(1)>",
    "<iframe srcdoc=\"<script>alert(1)</script>\">",
    "<a href=\"javascript:alert(1)\">x</a>",
    "[x](javascript:alert(1))",
    "![x](x\" onerror=\"alert(1))",
    "<style>*{background:url(//evil.example)}</style>",
    "<base href=//evil.example>",
    "<meta http-equiv=refresh content=0;url=//evil.example>",
    "<form action=//evil.example><input name=csrf>",
    "{{ 7*7 }}{% raw %}<!--<script>-->",
];

/// Fails where a page holds anything that only something written by somebody could have brought there.
pub(super) fn is_harmless(what: &str, html: &str) {
    let mut scripts = 0;
    for Ok(token) in Tokenizer::new(html) {
        let Token::StartTag(tag) = token else { continue };
        let name = String::from_utf8_lossy(&tag.name).into_owned();
        assert!(!["iframe", "base", "style", "object", "embed"].contains(&name.as_str()), "{what}: <{name}>");
        let mut src = String::new();
        for (key, value) in &tag.attributes {
            let key = String::from_utf8_lossy(key).to_lowercase();
            let value = String::from_utf8_lossy(value).to_lowercase();
            assert!(!key.starts_with("on") && key != "style" && key != "srcdoc", "{what}: {key}=");
            if ["href", "src", "action", "formaction"].contains(&key.as_str()) {
                let is_ours = value.starts_with('/') && !value.starts_with("//") || value.starts_with('#');
                let is_said = name == "a" && value.starts_with("https://");
                assert!(is_ours || is_said, "{what}: <{name} {key}={value}>");
            }
            assert!(key != "http-equiv", "{what}: {key}");
            if key == "src" {
                src = value;
            }
        }
        if name == "script" {
            scripts += 1;
            assert_eq!(src, "/assets/app.js", "{what}: a script that is not ours");
        }
    }
    assert!(scripts <= 1, "{what}: our script twice");
}

#[tokio::test]
async fn what_people_write_is_text_on_every_page_and_in_every_event() {
    let all = CORPUS.join("\n\n");
    let card = json!({
        "spec": "chara_card_v2", "spec_version": "2.0",
        "data": {
            "name": "Mika", "description": all, "personality": all, "scenario": all,
            "first_mes": all, "mes_example": "", "alternate_greetings": [], "tags": [], "creator": all,
            "character_version": "", "extensions": {}, "creator_notes": "", "system_prompt": "",
            "post_history_instructions": "",
        },
    });
    let dir = Stage::installed(ANY_PORT, &card.to_string());
    let name = dir.path().join("familiars/mika/memory/self/name.md");
    assert!(name.is_file());
    std::fs::write(name, "Mika <img src=x onerror=alert(1)>\" onclick=\"x").unwrap();
    let stage = Stage::of(dir, DeliveryStyle::Live).await;
    let mut open = Open::on(stage).await;
    let ada = open.browser().await;
    let (mut talk, mut turns) = (ada.follows("talk").await, ada.follows("turns").await);

    for hostile in CORPUS {
        ada.sends("/talk", &[("text", hostile)]).await;
        let own = talk.next_named("message").await;
        is_harmless(hostile, own["html"].as_str().unwrap());
        open.stage.next_request().await.reply(&format!("{hostile} {hostile}"));
        let reply = talk.next_named("message").await;
        is_harmless(hostile, reply["html"].as_str().unwrap());
        let explained = talk.next_named("message").await;
        is_harmless(hostile, explained["html"].as_str().unwrap());
        let row = turns.next_named("turn").await;
        is_harmless(hostile, row["html"].as_str().unwrap());
    }
    let page = ada.goes_to("/talk").await.body;
    is_harmless("talk", &page);
    for one in page.split("href=\"/talk/edit?message=").skip(1) {
        let edit = format!("/talk/edit?message={}", one.split('"').next().unwrap());
        let page = ada.goes_to(&edit).await;
        assert_eq!(page.status, StatusCode::OK);
        is_harmless(&edit, &page.body);
    }
    let place = familiar_connect::domain::Place {
        guild_name: Some(all.clone()),
        ..channel(1, "</a><script>alert(1)</script>")
    };
    let mut said = open.stage.message(&place, "alice", &all, CALLED);
    if let familiar_connect::domain::InboundEvent::Message(message) = &mut said {
        message.author.display_name = Some("<svg/onload=alert(1)>\" onclick=\"x".to_owned());
        assert_ne!(message.author, person("alice"));
    }
    open.stage.session.submit(said).await.unwrap();
    open.stage.next_request().await.reply(&all);
    open.stage.settled_in(&place).await;
    is_harmless("list", &ada.goes_to("/xray").await.body);
    is_harmless("rooms", &ada.goes_to("/rooms").await.body);
    super::rooms::types(&open, &all);
    super::rooms::is_in_call(&open, &all, familiar_connect::world::CallVoice::Speaking);
    is_harmless("room", &ada.goes_to("/rooms/1").await.body);
    is_harmless("listening", &ada.goes_to("/listening").await.body);
    is_harmless("window", &ada.goes_to("/rooms/window").await.body);
    let newest = open.stage.traces.whole().list(1).await.unwrap().pop().unwrap();
    is_harmless("turn", &ada.goes_to(&format!("/xray/{}", newest.id)).await.body);
    let replay = tokio::spawn({
        let (ada, id) = (ada.clone(), newest.id.to_string());
        async move { ada.sends("/xray/compare", &[("one", &id)]).await.body }
    });
    open.stage.next_request().await.reply(&format!("{all} once more"));
    let replay = replay.await.unwrap();
    assert!(replay.contains("What was said, sentence by sentence"), "{replay}");
    is_harmless("replay", &replay);
    // A record in which every text is hostile.
    for hostile in CORPUS {
        let mut record = serde_json::to_value(&*newest).unwrap();
        spoil(&mut record, hostile);
        let Ok(trace) = serde_json::from_value::<TurnTrace>(record) else { panic!("{hostile}: no record") };
        let trace = TurnTrace { id: open.stage.traces.next_turn(), ..trace };
        let id = trace.id;
        open.stage.traces.record(trace).await;
        is_harmless(hostile, &ada.goes_to(&format!("/xray/{id}")).await.body);
        let beside = format!("/xray/compare?one={}&other={id}", newest.id);
        is_harmless(hostile, &ada.goes_to(&beside).await.body);
        is_harmless(hostile, turns.next_named("turn").await["html"].as_str().unwrap());
    }
    is_harmless("list", &ada.goes_to("/xray").await.body);
    let notes = open.stage.config.home().memory_dir().join("topics");
    std::fs::create_dir_all(&notes).unwrap();
    let facts: String = CORPUS.iter().map(|hostile| format!("- {}\n", hostile.replace('\n', " "))).collect();
    std::fs::write(
        notes.join("evil.md"),
        format!("---\naliases: ['<svg/onload=alert(1)>']\n---\n# {}\n\n{facts}", CORPUS[0]),
    )
    .unwrap();
    let pending = open.stage.config.home().memory_dir().join("sessions/.pending");
    std::fs::create_dir_all(&pending).unwrap();
    let lines: String = CORPUS
        .iter()
        .map(|hostile| {
            let line = json!({"note": "topics/evil.md", "title": hostile, "audience": "guild:7", "do": "supersede",
                "fact": "aaaa", "was": hostile, "text": hostile, "data": "f=bbbb to=guild:7"});
            format!("{line}\n")
        })
        .collect();
    std::fs::write(pending.join("1.md"), format!("```json\n{lines}```\n")).unwrap();
    let proposed = ada.goes_to("/memory/proposed").await.body;
    assert!(proposed.contains("topics/evil.md"), "{proposed}");
    is_harmless("proposed", &proposed);
    is_harmless("map", &ada.goes_to("/memory/map").await.body);
    for hostile in CORPUS {
        for what in ["topic", "person"] {
            let fields = [(what, hostile)];
            let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
            is_harmless(hostile, &ada.goes_to(&format!("/memory/new?{query}")).await.body);
        }
    }
    for hostile in CORPUS {
        let fields = [("name", hostile), ("answer", "yes")];
        is_harmless(hostile, &ada.sends("/memory/proposed", &fields).await.body);
    }
    is_harmless("notes", &ada.goes_to("/memory").await.body);
    is_harmless("note", &ada.goes_to("/memory/note?path=topics%2Fevil.md").await.body);
    let said = open.stage.stored_in(&place).await;
    let from = said.iter().find(|turn| turn.author.is_some()).unwrap();
    let alice = &from.author.as_ref().unwrap().account;
    std::fs::write(
        notes.join("from.md"),
        format!("# From\n\n- [[evil|{}]] <!-- f=k3v9q2xy by={alice} from=t:{} -->\n", CORPUS[0], from.id.0),
    )
    .unwrap();
    let sources = ada.goes_to("/memory/note?path=topics%2Ffrom.md").await.body;
    assert!(sources.contains("Where it is from") && sources.contains("said so"), "{sources}");
    is_harmless("sources", &sources);
    is_harmless("linked", &ada.goes_to("/memory/note?path=topics%2Fevil.md").await.body);
    let forget = ada.goes_to(&format!("/forget?kind=person&name={alice}")).await.body;
    assert!(forget.contains("Forget &#60;svg"), "{forget}");
    is_harmless("forget", &forget);
    is_harmless("forget", &ada.goes_to("/forget?kind=channel&name=1").await.body);
    let lore = open.stage.config.home().memory_dir().join("lore");
    std::fs::create_dir_all(&lore).unwrap();
    std::fs::write(lore.join("evil.md"), &all).unwrap();
    for way in [
        "/memory?of=lore",
        "/memory?of=self",
        "/memory/note?path=lore%2Fevil.md",
        "/memory/note?path=self%2Fname.md",
    ] {
        let page = ada.goes_to(way).await;
        assert_eq!(page.status, StatusCode::OK, "{way}");
        is_harmless(way, &page.body);
    }
    *open.doing.now.lock() = super::health::all_wrong(&all);
    *open.doing.checks.lock() = super::health::all_wrong(&all).troubles;
    ada.sends("/health/examine", &[]).await;
    is_harmless("settings", &ada.goes_to("/settings").await.body);
    is_harmless("file", &ada.goes_to("/settings/edit").await.body);
    for hostile in CORPUS {
        let (ticked, was) = (format!("read {hostile}"), format!("was {hostile}"));
        let fields = [(ticked.as_str(), hostile), (was.as_str(), hostile)];
        is_harmless(hostile, &ada.sends("/listening", &fields).await.body);
        is_harmless(hostile, &ada.sends("/rooms/1/act", &[("do", hostile), ("which", hostile)]).await.body);
        let fields = [("seen", hostile), ("looked", hostile), ("text", hostile)];
        is_harmless(hostile, &ada.sends("/settings/edit", &fields).await.body);
        for key in ["display_tz", "aliases", "llm.daily_cost_cap_usd", hostile] {
            let fields = [("key", key), ("value", hostile), ("step", hostile)];
            is_harmless(hostile, &ada.sends("/settings/set", &fields).await.body);
        }
        is_harmless(hostile, &ada.sends("/talk/hear", &[("message", hostile)]).await.body);
        let fields = [("do", "new"), ("name", hostile), ("description", hostile)];
        is_harmless(hostile, &ada.sends("/talk/persona", &fields).await.body);
        is_harmless(hostile, &ada.goes_to("/talk/persona").await.body);
        is_harmless(hostile, &ada.goes_to("/talk").await.body);
    }
    is_harmless("health", &ada.goes_to("/health").await.body);
    is_harmless("edit", &ada.goes_to("/memory/edit?path=topics%2Fevil.md").await.body);
    for hostile in CORPUS {
        let fields = [("path", "topics/evil.md"), ("seen", hostile), ("looked", hostile), ("text", hostile)];
        is_harmless(hostile, &ada.sends("/memory/edit", &fields).await.body);
    }
    // Whoever is called so, alone and beside another.
    let who = person("alice").account.slug();
    std::fs::create_dir_all(notes.with_file_name("people")).unwrap();
    std::fs::write(notes.with_file_name("people").join(format!("{who}.md")), format!("# {}\n", CORPUS[0]))
        .unwrap();
    let (theirs, path) = (format!("/memory/accounts?path=people%2F{who}.md"), format!("people/{who}.md"));
    is_harmless("accounts", &ada.goes_to(&theirs).await.body);
    is_harmless("accounts, looked at", &ada.goes_to(&format!("{theirs}&other=terminal:operator")).await.body);
    for hostile in CORPUS {
        let fields = [("path", path.as_str()), ("other", hostile), ("do", hostile)];
        is_harmless(hostile, &ada.sends("/memory/accounts", &fields).await.body);
    }
    let fields = [("path", path.as_str()), ("other", "terminal:operator"), ("do", "join")];
    ada.sends("/memory/accounts", &fields).await;
    is_harmless("accounts, one person's", &ada.goes_to(&theirs).await.body);
    for hostile in CORPUS {
        let coded: String = hostile.bytes().map(|byte| format!("%{byte:02X}")).collect();
        for way in [
            format!("/xray?place={coded}"),
            format!("/xray?before={coded}"),
            format!("/xray/{coded}"),
            format!("/xray/compare?one={}&budget={coded}", newest.id),
            format!("/xray/compare?one={}&other={coded}", newest.id),
            format!("/xray/compare?one={}&without={coded}&effort={coded}&model={coded}", newest.id),
            format!("/talk/edit?message={coded}"),
            format!("/rooms/{coded}"),
            format!("/rooms/1?done={coded}"),
            format!("/talk?until={coded}"),
            format!("/?token={coded}"),
            format!("/{coded}"),
            format!("/memory?q={coded}"),
            format!("/memory?after={coded}"),
            format!("/memory/note?path={coded}"),
            format!("/memory/edit?path={coded}"),
            format!("/memory/accounts?path={coded}&other={coded}"),
            format!("/memory/accounts?path=people%2F{who}.md&other={coded}"),
            format!("/forget?kind=topic&name={coded}"),
            format!("/forget?kind=fact&name={coded}"),
            format!("/forget?kind={coded}&name=1"),
            format!("/forget?kind=fact&name=k3v9q2xy&from={coded}"),
            format!("/memory?of={coded}"),
            format!("/settings/set?key={coded}"),
            format!("/events?topic={coded}"),
        ] {
            is_harmless(&way, &ada.goes_to(&way).await.body);
        }
    }
}

#[tokio::test]
async fn what_a_card_and_its_file_say_is_text_on_the_pages_of_a_first_run() {
    let first = super::setup::FirstRun::begins("").await;
    let ada = first.browser().await;
    for hostile in CORPUS {
        let card = json!({"spec": "chara_card_v2", "spec_version": "2.0", "data": {
            "name": hostile, "description": format!("{{{{{hostile}}}}} {hostile}"), "personality": hostile,
            "scenario": hostile, "first_mes": hostile, "mes_example": hostile, "alternate_greetings": [hostile],
            "tags": [hostile], "creator": hostile, "character_version": hostile, "extensions": {hostile: hostile},
            "creator_notes": hostile, "system_prompt": hostile, "post_history_instructions": hostile,
            "character_book": {"name": hostile, "extensions": {}, "entries": [{"keys": [hostile], "content": hostile,
                "name": hostile, "enabled": true, "insertion_order": 1, "extensions": {hostile: 1}}]},
        }});
        let came = ada.drops(&format!("{hostile}.json"), card.to_string().as_bytes()).await;
        is_harmless(hostile, &came.body);
        for page in ["/setup", "/setup/came", "/setup/model", "/setup/discord"] {
            is_harmless(&format!("{page}: {hostile}"), &ada.goes_to(page).await.body);
        }
        is_harmless(hostile, &ada.drops(hostile, hostile.as_bytes()).await.body);
        for (way, field) in [("/setup/model", "key"), ("/setup/discord", "token"), ("/setup/example", "id")] {
            is_harmless(way, &ada.sends_from("/setup", way, &[(field, hostile)]).await.body);
        }
    }
}

/// Puts hostile words into every text of a record that may hold any.
fn spoil(value: &mut serde_json::Value, hostile: &str) {
    const FREE: [&str; 22] = [
        "trigger",
        "reply",
        "source",
        "excerpt",
        "content",
        "name",
        "channel_name",
        "guild_name",
        "model",
        "provider",
        "query",
        "book",
        "written",
        "made",
        "processor",
        "stage",
        "worker",
        "did",
        "notes",
        "altered",
        "problem",
        "error",
    ];
    match value {
        serde_json::Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    serde_json::Value::String(text) if FREE.contains(&key.as_str()) => {
                        hostile.clone_into(text)
                    }
                    serde_json::Value::Array(texts) if FREE.contains(&key.as_str()) => {
                        for text in texts.iter_mut().filter(|text| text.is_string()) {
                            *text = hostile.into();
                        }
                    }
                    value => spoil(value, hostile),
                }
            }
        }
        serde_json::Value::Array(members) => members.iter_mut().for_each(|member| spoil(member, hostile)),
        _ => {}
    }
}
