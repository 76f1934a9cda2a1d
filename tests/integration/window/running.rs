//! The window of the program as it is run.

use familiar_connect::config::Secrets;
use familiar_connect::trace::logging::LogLines;
use rmcp::ServiceExt as _;
use rmcp::model::CallToolRequestParams;
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::json;

use super::*;
use crate::binary::{Evening, machine_with_mika};
use crate::support::binary::Machine;
use crate::support::provider::{ProviderWorld, Reply};
use crate::support::talk::{Talk, TalkOptions};
use crate::voice::whole::brisk;

#[tokio::test]
async fn a_talk_in_the_window_of_a_running_familiar_and_its_x_ray() {
    let (machine, provider) = (machine_with_mika().await, ProviderWorld::start().await);
    let resting = machine.run(&["window"]).await;
    assert!(!resting.status.success() && resting.err.contains("does not run"), "{}", resting.err);

    let mut mika = machine.start_with(&["run", "--as", "Ada"], &provider);
    mika.shows("`familiar window` gives the address that opens it.").await;
    assert!(!mika.screen().contains("token="), "what is printed into a pipe signs nobody in");
    let second = machine.run(&["run"]).await;
    assert_eq!(second.status.code(), Some(1), "{}", second.err);
    assert!(
        second.err.contains("stop it first, or talk with it in its window: familiar window"),
        "{}",
        second.err
    );
    let printed = machine.run(&["window"]).await.assert_success();
    let ada = Browser::comes_in(printed.out.trim()).await;
    let (mut talk, mut turns) = (ada.follows("talk").await, ada.follows("turns").await);
    // The greeting at the keyboard may still be on its way.
    mika.shows("Evening, Ada.").await;

    provider.script(Reply::stream().text("The kettle ").text("is *hot*.").finish("stop"));
    ada.sends("/talk", &[("text", "Is the kettle on?")]).await;
    let is_whole = |piece: &Value| piece["html"].as_str().unwrap().contains("The kettle is <em>hot</em>.");
    while !is_whole(&talk.next_named("piece").await) {}
    let turn = talk.next_named("done").await["turn"].as_str().unwrap().to_owned();
    while turns.next_named("turn").await["turn"] != turn.as_str() {}
    let page = ada.goes_to(&format!("/xray/{turn}")).await.body;
    for shown in ["Is the kettle on?", "The kettle is <em>hot</em>.", "fake/model", "keeps the night ferry"] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    assert!(!page.contains("sk-test-only"), "no key stands in a record");
    assert!(!mika.screen().contains("The kettle"), "the keyboard is another place");

    mika.quits().await;
    let after = machine.run(&["window"]).await;
    assert!(after.err.contains("does not run"), "{}", after.err);
    assert!(!machine.data().join("familiars/mika/.window").exists());
}

#[tokio::test]
async fn a_turn_on_discord_appears_on_the_pages_that_are_open() {
    let evening = Evening::begins().await;
    let printed = evening.machine.run(&["window"]).await.assert_success();
    let ada = Browser::comes_in(printed.out.trim()).await;
    let (mut turns, place) = (ada.follows("turns").await, evening.general.id());
    let mut room = ada.follows(&format!("room&place={place}")).await;
    evening.provider.script(Reply::says("Aye, the lamp is lit."));
    evening.alice.says(&evening.general, "Mika, is the lamp lit?");
    assert_eq!(evening.general.next_message().await.content, "Aye, the lamp is lit.");
    room.next_named("stale").await;
    loop {
        let row = turns.next_named("turn").await;
        if row["html"].as_str().unwrap().contains("Aye, the lamp is lit.") {
            let page = ada.goes_to(&format!("/xray/{}", row["turn"].as_str().unwrap())).await.body;
            assert!(page.contains("Mika, is the lamp lit?") && page.contains("#general"), "{page}");
            break;
        }
    }
    ada.finds(&format!("/rooms/{place}"), &["Aye, the lamp is lit.", "Spoke because"]).await;
    // It goes on in a thread, as by /branch.
    let branch = [("do", "branch"), ("name", "Rope")];
    let told = ada.sends(&format!("/rooms/{place}/act"), &branch).await;
    assert!(told.header("location").ends_with("?done=branched"), "{}", told.header("location"));
    assert!(evening.general.threads().iter().any(|(_, name)| name == "Rope"));
    evening.ends().await;
}

#[tokio::test]
async fn channels_are_ticked_in_the_window_as_they_are_subscribed_on_discord() {
    let evening = Evening::begins().await;
    let deck = evening.home.channel("deck");
    let hidden = evening.home.channel_without("hold", 1 << 11);
    evening.alice.says(&deck, "Anybody up here?");
    let printed = evening.machine.run(&["window"]).await.assert_success();
    let ada = Browser::comes_in(printed.out.trim()).await;
    let (general, deck_id, hold) = (evening.general.id(), deck.id(), hidden.id());
    let _evil = evening.home.channel("<svg/onload=alert(1)>");
    let page = ada.goes_to("/listening").await.body;
    super::hostile::is_harmless("listening", &page);
    assert!(page.contains(&format!("name=\"read {general}\" value=\"yes\" checked")), "{page}");
    assert!(page.contains(&format!("name=\"read {deck_id}\" value=\"yes\">")), "{page}");
    assert!(page.contains("lacks Send Messages there"), "{page}");

    // The one is ticked, the other no longer; the third could not be, whatever a form says.
    let [read, was] = ["read", "was"].map(|what| move |id: u64| format!("{what} {id}"));
    let (ticked, forced) = (read(deck_id), read(hold));
    let shown = [was(general), was(deck_id), was(hold)];
    let fields = [
        (shown[0].as_str(), "read"),
        (shown[1].as_str(), "not"),
        (shown[2].as_str(), "not"),
        (ticked.as_str(), "yes"),
        (forced.as_str(), "yes"),
    ];
    let told = ada.sends("/listening", &fields).await.body;
    assert!(told.contains("hold stays as it was: the bot lacks Send Messages there"), "{told}");
    let announced = deck.next_message().await.content;
    assert!(announced.contains("reads this channel and its threads from now on"), "{announced}");
    let file = evening.machine.data().join("familiars/mika/subscriptions.toml");
    let rows = std::fs::read_to_string(file).unwrap();
    assert!(rows.contains(&deck_id.to_string()), "{rows}");
    assert!(!rows.contains(&general.to_string()) && !rows.contains(&hold.to_string()), "{rows}");
    // Where it listens and nothing is kept stands among its rooms.
    let mast = evening.home.channel("mast");
    let (was_mast, read_mast) = (was(mast.id()), read(mast.id()));
    ada.sends("/listening", &[(was_mast.as_str(), "not"), (read_mast.as_str(), "yes")]).await;
    mast.is_announced().await;
    let rooms = ada.goes_to("/rooms").await.body;
    let silent = rooms.split("#mast</span>").nth(1).unwrap_or_default().split("</li>").next().unwrap();
    assert!(silent.contains("It listens; nothing of it is kept."), "{rooms}");
    evening.provider.script(Reply::says("Aye, and it is cold."));
    evening.alice.says(&deck, "Mika, are you up here?");
    assert_eq!(deck.next_message().await.content, "Aye, and it is cold.");
    evening.ends().await;
}

/// An assistant of the operator's, by a client that knows nothing of ours.
async fn assistant(at: &str, token: Option<&str>) -> Option<RunningService<RoleClient, ()>> {
    let settings = StreamableHttpClientTransportConfig::with_uri(at.to_owned());
    let settings = match token {
        Some(token) => settings.auth_header(token),
        None => settings,
    };
    ().serve(StreamableHttpClientTransport::from_config(settings)).await.ok()
}

#[tokio::test]
async fn an_assistant_of_the_operators_reads_its_memory_over_http_by_a_token_of_its_own() {
    const TOKEN: &str = "a token for assistants alone";
    let (machine, provider) = (machine_with_mika().await, ProviderWorld::start().await);
    let base = provider.base_url();
    let wired = [
        ("FAMILIAR_LLM_BASE_URL", base.as_str()),
        ("OPENROUTER_API_KEY", "sk-test-only-0123456789"),
        ("FAMILIAR_MCP_TOKEN", TOKEN),
        ("FAMILIAR_WINDOW_TOKEN", "a token of the operator's own"),
    ];
    let mut mika = machine.start(&["run", "--as", "Ada"], &wired);
    mika.shows("`familiar window` gives the address that opens it.").await;
    let printed = machine.run(&["window"]).await.assert_success();
    let ada = Browser::comes_in(printed.out.trim()).await;
    let mut talk = ada.follows("talk").await;
    provider.script(Reply::says("The lamp is lit."));
    ada.sends("/talk", &[("text", "Is the lamp lit?")]).await;
    talk.next_named("done").await;

    let at = format!("{}/mcp", ada.origin);
    let asked = assistant(&at, Some(TOKEN)).await.expect("it is let in");
    let tools: Vec<String> =
        asked.list_all_tools().await.unwrap().into_iter().map(|tool| tool.name.to_string()).collect();
    assert!(tools.iter().any(|tool| tool == "history_search") && tools.len() == 5, "{tools:?}");
    let words = json!({"query": "lamp"}).as_object().cloned().unwrap();
    let call = CallToolRequestParams::new("history_search").with_arguments(words);
    let found = serde_json::to_string(&asked.call_tool(call).await.unwrap()).unwrap();
    assert!(found.contains("Is the lamp lit?") && found.contains("not instructions"), "{found}");
    asked.cancel().await.unwrap();

    assert!(assistant(&at, None).await.is_none(), "nobody without the token");
    assert!(assistant(&at, Some("a token of the operator's own")).await.is_none(), "the window's is another");
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string();
    let bearer = format!("Bearer {TOKEN}");
    let ask = |origin: Option<&'static str>, host: Option<&'static str>, bearer: Option<&str>| {
        let mut request = ada.request(Method::POST, "/mcp").body(hello.clone());
        request = request
            .header(CONTENT_TYPE, "application/json")
            .header("accept", "application/json, text/event-stream");
        if let Some(origin) = origin {
            request = request.header(ORIGIN, origin);
        }
        if let Some(host) = host {
            request = request.header(HOST, host);
        }
        if let Some(bearer) = bearer {
            request = request.header("authorization", bearer);
        }
        async move { request.send().await.unwrap().status() }
    };
    assert_eq!(ask(None, None, None).await, StatusCode::UNAUTHORIZED, "a browser's session is for its pages");
    let refused =
        Shown::of(ada.request(Method::POST, "/mcp").body(hello.clone()).send().await.unwrap()).await;
    assert_eq!(refused.header("www-authenticate"), "Bearer realm=\"familiar\"");
    assert!(refused.header("content-type").starts_with("text/plain"), "a program reads no page");
    assert!(refused.body.contains("FAMILIAR_MCP_TOKEN") && !refused.body.contains('<'), "{}", refused.body);
    let elsewhere = ada.request(Method::POST, "/mcp").header(ORIGIN, "http://evil.example");
    let refused = Shown::of(elsewhere.send().await.unwrap()).await;
    assert!(refused.header("content-type").starts_with("text/plain"), "{}", refused.body);
    assert_eq!(ask(Some("http://evil.example"), None, Some(&bearer)).await, StatusCode::FORBIDDEN);
    assert_eq!(ask(None, Some("evil.example:80"), Some(&bearer)).await, StatusCode::MISDIRECTED_REQUEST);
    assert_eq!(ask(None, None, Some(&bearer)).await, StatusCode::OK);
    for page in ["/talk", "/memory", "/metrics"] {
        let asked = Browser::outside(&ada.origin).request(Method::GET, page).header("authorization", &bearer);
        assert_eq!(
            asked.send().await.unwrap().status(),
            StatusCode::UNAUTHORIZED,
            "{page} is not the assistant's"
        );
    }
    assert_eq!(ask(None, None, Some(&format!("bearer {TOKEN}"))).await, StatusCode::OK);
    // An assistant that goes on asking with an old token does not shut the operator out.
    while ask(None, None, Some("Bearer an old one")).await != StatusCode::TOO_MANY_REQUESTS {}
    let own = "Bearer a token of the operator's own";
    let asked = Browser::outside(&ada.origin).request(Method::GET, "/metrics").header("authorization", own);
    assert_eq!(asked.send().await.unwrap().status(), StatusCode::OK);
    mika.quits().await;
    assert!(!mika.log().contains(TOKEN));

    // Without a token there is nothing.
    let mut mika = machine.start(&["run", "--as", "Ada"], &wired[..2]);
    mika.shows("`familiar window` gives the address that opens it.").await;
    let printed = machine.run(&["window"]).await.assert_success();
    let ada = Browser::comes_in(printed.out.trim()).await;
    assert_eq!(ada.goes_to("/mcp").await.status, StatusCode::NOT_FOUND);
    mika.quits().await;
}

#[tokio::test]
async fn a_first_run_goes_from_choosing_somebody_to_a_reply_without_a_start_by_hand() {
    let (machine, provider) = (Machine::new(), ProviderWorld::start().await);
    let base = provider.base_url();
    let mut familiar = machine.start(&["run", "--as", "Ada"], &[("FAMILIAR_LLM_BASE_URL", base.as_str())]);
    familiar.shows("Nobody lives here yet.").await;
    familiar.shows("Or press Enter here, and Pell moves in").await;
    let printed = machine.run(&["window"]).await.assert_success();
    let ada = Browser::comes_in_to(printed.out.trim(), "/setup").await;
    let way = printed.out.split("?token=").nth(1).unwrap().trim();
    assert_eq!(ada.goes_to(&format!("/?token={way}")).await.status, StatusCode::FORBIDDEN, "it opens once");
    let (name, card) = ("mika.json", CARD.as_bytes());
    assert_eq!(ada.drops(name, card).await.header("location"), "/setup/came");
    assert_eq!(ada.sends_from("/setup", "/setup/go", &[]).await.header("location"), "/talk");
    // The same browser stays signed in, and waits while somebody wakes up.
    let page = ada.goes_to("/talk").await;
    assert!(page.status == StatusCode::OK && page.body.contains("Talk with Mika"), "{}", page.body);
    familiar.shows("You are talking with Mika.").await;
    assert!(!machine.data().join(".window").exists(), "the address stands where Mika lives now");

    let mut talk = ada.follows("talk").await;
    provider.script(Reply::says("It is hot."));
    ada.sends("/talk", &[("text", "Is the kettle on?")]).await;
    assert_eq!(talk.next_named("done").await["turn"].as_str().map(|turn| turn.starts_with('t')), Some(true));

    // A key is kept, and it comes up anew with it.
    let kept = ada.sends("/setup/model", &[("key", "sk-test-only-0123456789")]).await.body;
    assert!(kept.contains("OPENAI_API_KEY stands in .env now") && kept.contains("Start it anew"), "{kept}");
    assert!(kept.contains("which is used once you start it anew"), "not before: {kept}");
    assert_eq!(ada.sends("/setup/go", &[]).await.header("location"), "/talk");
    let page = ada.goes_to("/talk").await.body;
    assert!(page.contains("It is hot."), "what was said stays: {page}");
    let mut talk = ada.follows("talk").await;
    let before = provider.requests().len();
    provider.script(Reply::says("Still hot."));
    ada.sends("/talk", &[("text", "And now?")]).await;
    talk.next_named("done").await;
    let asked = &provider.requests()[before..];
    assert!(asked.iter().any(|one| one.header("authorization") == Some("Bearer sk-test-only-0123456789")));

    familiar.quits().await;
    assert!(!familiar.log().contains("sk-test-only") && !familiar.screen().contains("sk-test-only"));
}

#[cfg(unix)]
#[tokio::test]
async fn who_sits_at_the_keyboard_has_a_prompt_below_the_greeting_of_whoever_was_chosen_in_the_window() {
    let (machine, provider) = (Machine::new(), ProviderWorld::start().await);
    provider.list_models(json!({"data": [{"id": "small:3b"}, {"id": "large:14b"}]}));
    let base = provider.base_url();
    let mut seat =
        machine.sits_down(&["run", "--as", "Ada"], &[("FAMILIAR_LLM_BASE_URL", base.as_str())], 120);
    seat.shows("Or press Enter here, and Pell moves in").await;
    let printed = machine.run(&["window"]).await.assert_success();
    let ada = Browser::comes_in_to(printed.out.trim(), "/setup").await;
    ada.drops("mika.json", CARD.as_bytes()).await;
    ada.goes_to("/setup/model").await;
    let chosen = ada.sends_from("/setup", "/setup/model", &[("model", "large:14b")]).await.body;
    assert!(chosen.contains("It thinks with large:14b now"), "{chosen}");
    ada.sends_from("/setup", "/setup/model", &[("key", "sk-test-first-0123456789")]).await;
    ada.sends_from("/setup", "/setup/go", &[]).await;
    seat.shows("Evening, Ada. Mind the rope.").await;
    let below = |shown: &crate::support::binary::Shown| {
        let greeted = shown.rows.iter().rposition(|row| row.contains("Mind the rope."));
        let prompt = shown.rows.iter().rposition(|row| row.trim_end() == "Ada:");
        shown.typing() == "Ada: " && greeted < prompt
    };
    seat.shows_that("a prompt below the greeting", below).await;
    // And it is one.
    provider.script(Reply::says("It is."));
    let shown = seat.gets("Is the kettle on?\r", "Mika: It is.").await;
    assert!(!shown.written.contains("setting changed"), "no log stands in a prompt: {}", shown.written);
    let bearer = Some("Bearer sk-test-first-0123456789");
    let asked =
        provider.requests().into_iter().rfind(|one| one.prompt().contains("Is the kettle on?")).unwrap();
    assert_eq!(
        asked.header("authorization"),
        bearer,
        "a key that was entered before somebody moved in is used at once"
    );
    seat.presses("\u{4}").await;
    assert!(seat.ends().await.success());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_first_run_at_a_desktop_opens_the_window_in_a_browser_and_over_ssh_it_is_only_printed() {
    use std::os::unix::fs::PermissionsExt as _;

    for is_far in [false, true] {
        let machine = Machine::new();
        let programs = machine.path().join("bin");
        std::fs::create_dir(&programs).unwrap();
        // What a desktop opens addresses with: this one hands them to the test.
        let opener = programs.join("xdg-open");
        std::fs::write(&opener, "#!/bin/sh\necho \"$1\" > opening && mv opening opened\n").unwrap();
        std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = format!("{}:/usr/bin:/bin", programs.display());
        let wired = [("PATH", path.as_str()), ("DISPLAY", ":0"), ("CI", "")];
        let far = [("SSH_CONNECTION", "203.0.113.7 1 203.0.113.8 22")];
        let env = if is_far { [&wired[..], &far].concat() } else { wired.to_vec() };
        let mut seat = machine.sits_down(&["run", "--as", "Ada"], &env, 200);
        seat.shows("Or press Enter here, and Pell moves in").await;
        let opened = machine.path().join("opened");
        if is_far {
            seat.shows("opens it once").await;
        } else {
            seat.shows("The window opens in your browser. If it does not: http://127.0.0.1:").await;
            let comes = async {
                while !opened.exists() {
                    tokio::task::yield_now().await;
                }
            };
            tokio::time::timeout(std::time::Duration::from_secs(60), comes).await.unwrap();
            let address = std::fs::read_to_string(&opened).unwrap();
            Browser::comes_in_to(address.trim(), "/setup").await;
        }
        seat.presses("\u{3}").await;
        assert!(seat.ends().await.success());
        assert_eq!(opened.exists(), !is_far);
    }
}

#[cfg(unix)]
#[tokio::test]
async fn at_the_keyboard_enter_alone_moves_pell_in_and_whoever_leaves_leaves_nothing_behind() {
    for pressed in ["/quit\r", "\u{4}", "\r"] {
        let machine = Machine::new();
        let mut seat = machine.sits_down(&["run", "--as", "Ada"], &[], 200);
        seat.shows("Or press Enter here, and Pell moves in").await;
        seat.is_typing("   > ").await;
        seat.presses("hello there\r").await;
        let shown = seat.shows("Press Enter and Pell moves in, or choose in the window").await;
        assert!(!shown.text().contains("Ada: "), "as if one were talking: {}", shown.text());
        seat.is_typing("   > ").await;
        seat.presses(pressed).await;
        let moves_in = pressed == "\r";
        if moves_in {
            seat.shows("You are talking with Pell.").await;
            let shown = seat.is_typing("Ada: ").await;
            assert!(
                !shown.text().contains("Ada: hello there"),
                "what was refused was said: {}",
                shown.text()
            );
            seat.presses("\u{4}").await;
        }
        assert!(seat.ends().await.success());
        assert_eq!(
            machine.data().join("familiars/pell").exists(),
            moves_in,
            "she moved in after {pressed:?}"
        );
    }
}

#[tokio::test]
async fn where_nobody_chooses_pell_moves_in_by_a_line_or_by_the_end_of_the_input() {
    // An empty line is enough.
    for typed in [Some("/help"), Some(""), None] {
        let machine = Machine::new();
        let mut familiar = machine.start(&["run"], &[]);
        familiar.shows("Nobody lives here yet.").await;
        match typed {
            Some(line) => familiar.types(line).await,
            None => familiar.hangs_up(),
        }
        familiar.shows("You are talking with Pell.").await;
        if typed == Some("/help") {
            // Nothing that was typed is lost.
            familiar.shows("/greet").await;
        }
        familiar.leaves().await;
        assert!(machine.data().join("familiars/pell").is_dir());
    }
    // Asked to stop before anybody was chosen, nobody moves in.
    for is_typed in [true, false] {
        let machine = Machine::new();
        let mut familiar = machine.start(&["run"], &[]);
        familiar.shows("Nobody lives here yet.").await;
        if is_typed {
            familiar.types("/quit").await
        } else {
            familiar.is_asked_to_stop()
        }
        familiar.ends_well().await;
        assert!(!machine.data().join("familiars/pell").exists() && !machine.data().join(".window").exists());
    }
}

#[tokio::test]
async fn a_running_familiar_whose_history_takes_nothing_says_so_on_its_page_of_health() {
    let machine = machine_with_mika().await;
    let mut mika = machine.start(&["run", "--as", "Ada"], &[]);
    mika.shows("`familiar window` gives the address that opens it.").await;
    mika.shows("Evening, Ada.").await;
    let file = rusqlite::Connection::open(machine.data().join("familiars/mika/history.db")).unwrap();
    file.execute_batch(
        "CREATE TRIGGER refuses BEFORE INSERT ON turns BEGIN SELECT RAISE(ABORT, 'it is full'); END",
    )
    .unwrap();
    drop(file);
    mika.answers("does anybody hear this?", "could not be stored").await;
    let printed = machine.run(&["window"]).await.assert_success();
    let ada = Browser::comes_in(printed.out.trim()).await;
    ada.finds("/health", &["could not be stored since the start, nor could the last"]).await;
    assert_eq!(ada.goes_to("/healthz").await.status, StatusCode::SERVICE_UNAVAILABLE);
    mika.quits().await;
}

#[tokio::test]
async fn a_window_that_is_switched_off_or_cannot_open_stops_nothing() {
    let machine = machine_with_mika().await;
    let settings = machine.data().join("familiars/mika/character.toml");
    std::fs::write(&settings, "[window]\naddress = \"203.0.113.7\"\n").unwrap();
    let mut mika = machine.start(&["run"], &[]);
    mika.shows("The window stays closed, everything else works").await;
    mika.shows("FAMILIAR_WINDOW_TOKEN").await;
    mika.types("hello").await;
    mika.quits().await;

    let token = [("FAMILIAR_WINDOW_TOKEN", "a token of the operator's own")];
    let mut mika = machine.start(&["run"], &token);
    mika.shows("203.0.113.7:8737 cannot be listened on").await;
    mika.leaves().await;

    std::fs::write(&settings, "[window]\nenabled = false\n").unwrap();
    for verb in ["run", "chat"] {
        let mut mika = machine.start(&[verb], &[]);
        mika.shows("You are talking with Mika.").await;
        let told = machine.run(&["window"]).await;
        assert!(told.err.contains("runs without a window"), "{}", told.err);
        let second = machine.run(&[verb]).await;
        assert_eq!(second.status.code(), Some(1), "one familiar is never run twice");
        assert!(second.err.contains("familiar mika is in use") && second.err.contains("stop it first"));
        assert!(!second.err.contains("familiar window"), "{}", second.err);
        mika.is_stopped().await;
        assert!(!mika.screen().contains("window"), "{}", mika.screen());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_is_followed_in_the_window_while_it_goes_on() {
    let talk = Talk::start(TalkOptions { profile: brisk(), ..TalkOptions::default() }).await;
    let folder = tempfile::tempdir().unwrap();
    let (setup, secrets) = (crate::support::window::setup_in(folder.path()), Secrets::default());
    let opened = talk.app.open_window("Ada".to_owned(), &secrets, setup, None, None, LogLines::default());
    let window = opened.await.unwrap().unwrap();
    let ada = Browser::comes_in(&window.opening_address()).await;
    talk.model_says("What time is it?", "It is late, very late.");
    talk.ana_calls().await;
    let room = format!("/rooms/{}", talk.lounge.id());
    let mut live = ada.follows(&format!("room&place={}", talk.lounge.id())).await;
    talk.says(&talk.ana, "What time is it?").await;
    talk.until_heard("It is late, very late.").await;
    talk.settled().await;
    loop {
        let now = live.next_named("now").await["html"].as_str().unwrap().to_owned();
        let so_far = ["In the call", "Ana spoke to it: ", "It listens.", "Its x-ray", "First sound played"];
        if so_far.iter().all(|words| now.contains(words)) {
            break;
        }
    }
    let page = ada.goes_to(&room).await.body;
    for shown in ["What time is it?", "It is late, very late.", "Spoke because"] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    window.close().await;
    talk.ends().await;
}
