//! The first run: somebody is chosen, a card is dropped, keys are tried and kept.

use familiar_connect::cli::bundled;
use familiar_connect::clock::SystemClock;
use familiar_connect::config::{OpenBrowser, WindowConfig};
use familiar_connect::familiar::list_familiars;
use familiar_connect::window::{Doorway, DoorwayParts, Setup, SetupParts};
use serde_json::json;
use tempfile::TempDir;

use super::door::{address_of, raw};
use super::*;
use crate::support::discord::DiscordWorld;
use crate::support::nobody::Nobody;
use crate::support::provider::{ProviderWorld, Reply};
use crate::support::window::setup_in;

const BOUNDARY: &str = "a-line-that-stands-in-no-card";

/// A machine on which nobody lives, and the window that says so.
pub(super) struct FirstRun {
    folder: TempDir,
    pub window: Window,
    setup: Setup,
    parts: SetupParts,
}

impl FirstRun {
    pub(super) async fn begins(env: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(".env"), env).unwrap();
        let parts = setup_in(folder.path());
        let settings = WindowConfig {
            enabled: true,
            port: 0,
            address: [127, 0, 0, 1].into(),
            open_browser: OpenBrowser::Never,
        };
        let doorway = Doorway::open(DoorwayParts {
            settings: &settings,
            token: None,
            clock: Arc::new(SystemClock),
            address_file: folder.path().join(".window"),
        });
        let (window, setup) = Window::open_setup(parts.clone(), doorway.await.unwrap()).await.unwrap();
        Self { folder, window, setup, parts }
    }

    pub(super) async fn browser(&self) -> Browser {
        Browser::comes_in_to(&self.window.opening_address(), "/setup").await
    }

    fn who_is_here(&self) -> Vec<String> {
        let listed = list_familiars(self.folder.path()).unwrap();
        listed.into_iter().map(|one| one.id.to_string()).collect()
    }

    fn env(&self) -> String {
        std::fs::read_to_string(self.folder.path().join(".env")).unwrap()
    }
}

impl Browser {
    /// Drops a file on the page, as the form there sends it.
    pub(super) async fn drops(&self, name: &str, bytes: &[u8]) -> Shown {
        let csrf = self.csrf_on("/setup").await;
        let sent = dropped(Some(&csrf), name, bytes);
        let request = self.request(Method::POST, "/setup/card").header(ORIGIN, &self.origin);
        Shown::of(request.header(CONTENT_TYPE, multipart()).body(sent).send().await.unwrap()).await
    }

    pub(super) async fn sends_from(&self, page: &str, way: &str, fields: &[(&str, &str)]) -> Shown {
        let csrf = self.csrf_on(page).await;
        let fields: Vec<_> = fields.iter().copied().chain([("csrf", csrf.as_str())]).collect();
        let request = self.request(Method::POST, way).header(ORIGIN, &self.origin);
        Shown::of(with_form(request, &fields).send().await.unwrap()).await
    }
}

fn multipart() -> String {
    format!("multipart/form-data; boundary={BOUNDARY}")
}

fn dropped(csrf: Option<&str>, name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut sent = Vec::new();
    if let Some(csrf) = csrf {
        let head = "Content-Disposition: form-data; name=\"csrf\"";
        sent.extend(format!("--{BOUNDARY}\r\n{head}\r\n\r\n{csrf}\r\n").bytes());
    }
    let named = name.replace('"', "%22").replace(['\r', '\n'], " ");
    let head = format!("Content-Disposition: form-data; name=\"card\"; filename=\"{named}\"");
    sent.extend(format!("--{BOUNDARY}\r\n{head}\r\nContent-Type: application/octet-stream\r\n\r\n").bytes());
    sent.extend(bytes);
    sent.extend(format!("\r\n--{BOUNDARY}--\r\n").bytes());
    sent
}

#[tokio::test]
async fn somebody_who_comes_with_the_program_moves_in_and_the_program_goes_on() {
    let first = FirstRun::begins("").await;
    let ada = first.browser().await;
    let page = ada.goes_to("/setup").await.body;
    for shown in
        ["Who is it to be?", "Pell", "Mr Tarry", "Squall", "A very short card for small local models"]
    {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    let portrait = ada.goes_to("/setup/picture/pell").await;
    assert_eq!((portrait.status, portrait.header("content-type")), (StatusCode::OK, "image/png"));
    assert_eq!(ada.goes_to("/setup/picture/chosen").await.status, StatusCode::NOT_FOUND);
    // Without anybody there is nothing to go on with.
    assert_eq!(ada.sends_from("/setup", "/setup/go", &[]).await.header("location"), "/setup");
    assert!(!first.parts.ready.is_cancelled() && first.setup.chosen().is_none());

    let came = ada.sends_from("/setup", "/setup/example", &[("id", "squall")]).await;
    assert_eq!((came.status, came.header("location")), (StatusCode::SEE_OTHER, "/setup/came"));
    let page = ada.goes_to("/setup/came").await.body;
    for shown in ["Squall moves in", "2 greetings, 1 for groups", "/setup/picture/chosen", "Next: its model"]
    {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    assert_eq!(ada.goes_to("/setup/picture/chosen").await.header("content-type"), "image/png");
    // Another one takes that place, and is the only one.
    ada.sends_from("/setup", "/setup/example", &[("id", "pell")]).await;
    assert_eq!(first.who_is_here(), ["pell"]);
    // Whoever cannot come in takes nobody's place.
    let taken = first.folder.path().join("familiars/squall");
    std::fs::create_dir_all(taken.join("memory/self")).unwrap();
    std::fs::write(taken.join("of-somebody.txt"), "mine").unwrap();
    let refused = ada.sends_from("/setup", "/setup/example", &[("id", "squall")]).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", refused.body);
    assert!(refused.body.contains("Go on with <span dir=\"auto\">Pell"), "{}", refused.body);
    assert!(first.who_is_here().contains(&"pell".to_owned()), "{:?}", first.who_is_here());
    assert_eq!(std::fs::read_to_string(taken.join("of-somebody.txt")).unwrap(), "mine");
    // Nor does anybody go on with settings that have a mistake.
    let settings = first.folder.path().join("familiars/pell/character.toml");
    let whole = std::fs::read_to_string(&settings).unwrap_or_default();
    std::fs::write(&settings, "mode = 5\n").unwrap();
    let stays = ada.sends_from("/setup", "/setup/go", &[]).await;
    assert_eq!(stays.status, StatusCode::CONFLICT, "{}", stays.body);
    assert!(!first.parts.ready.is_cancelled());
    std::fs::write(&settings, whole).unwrap();
    let goes = tokio::spawn(async move { ada.sends_from("/setup", "/setup/go", &[]).await });
    first.parts.ready.cancelled().await;
    // Nobody is sent on before what comes next is listened for at the port.
    let doorway = first.window.close().await;
    assert_eq!(goes.await.unwrap().header("location"), "/talk");
    drop(doorway);
    assert_eq!(first.setup.chosen().unwrap().as_str(), "pell");
}

#[tokio::test]
async fn a_card_that_is_dropped_moves_in_and_its_report_says_what_works() {
    let first = FirstRun::begins("").await;
    let ada = first.browser().await;
    let (name, bytes) = bundled::example("tarry").unwrap().card().unwrap();
    let came = ada.drops(&format!("../../{name}"), &bytes).await;
    assert_eq!(came.header("location"), "/setup/came", "{}", came.body);
    assert_eq!(first.who_is_here(), ["mr-tarry"]);
    let page = ada.goes_to("/setup/came").await.body;
    for shown in ["Mr Tarry moves in", "a V3 card from a", "<dd dir=\"auto\">10 lore entries<", "chosen"] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    assert!(ada.goes_to("/setup").await.body.contains("has moved in."));

    // What is no card changes nothing.
    let refused = ada.drops("holiday.png", b"\x89PNG and nothing else").await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(refused.body.contains("That card was not taken in."), "{}", refused.body);
    assert_eq!(first.who_is_here(), ["mr-tarry"]);

    let card = json!({"spec": "chara_card_v2", "spec_version": "2.0", "data": {
        "name": "川の渡し", "description": "Keeps {{unheardof}} and {{random::a::b}}.", "personality": "",
        "scenario": "", "first_mes": "Evening.", "mes_example": "", "alternate_greetings": [], "tags": ["river"],
        "creator": "", "character_version": "", "extensions": {}, "creator_notes": "", "system_prompt": "",
        "post_history_instructions": "", "character_book": {"entries": [
            {"keys": ["ferry"], "content": "It sails.", "enabled": true, "insertion_order": 1,
             "extensions": {"vectorized": true, "sticky": 3}}], "extensions": {}}}});
    let came = ada.drops("ferry.json", card.to_string().as_bytes()).await;
    assert_eq!(came.header("location"), "/setup/came", "{}", came.body);
    let page = ada.goes_to("/setup/came").await.body;
    for shown in [
        "川の渡し moves in",
        "Macros that leave nothing",
        "{{unheardof}} in description",
        "What its lorebook asks for",
        "1 entry uses vectorized: this works",
        "river",
    ] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    assert_eq!(first.who_is_here(), ["川の渡し"]);
}

#[tokio::test]
async fn a_card_that_cannot_be_told_from_others_is_refused_in_words_for_a_browser() {
    let first = FirstRun::begins("").await;
    let ada = first.browser().await;
    let nameless = ada.drops("!!!.json", "{\"name\":\"★\",\"description\":\"x\"}".as_bytes()).await;
    std::fs::create_dir_all(first.folder.path().join("familiars/mika/memory/self")).unwrap();
    let taken = ada.drops("mika.json", CARD.as_bytes()).await;
    for (refused, what) in [(nameless, "Rename the file"), (taken, "lives here already, with another card")] {
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
        let told = refused.body.split_once("That card was not taken in.").unwrap().1;
        assert!(told.contains(what), "{told}");
        for option in ["--id", "--overwrite"] {
            assert!(!told.contains(option), "{told}");
        }
    }
}

#[tokio::test]
async fn whoever_brings_a_card_without_a_name_is_asked_for_one() {
    let first = FirstRun::begins("").await;
    let ada = first.browser().await;
    ada.drops("no.json", br#"{"name":"","description":"x"}"#).await;
    let page = ada.goes_to("/setup/came").await.body;
    assert!(page.contains("no moves in") && page.contains("Its card has no name"), "{page}");
    assert!(page.contains("memory/self/name.md") && !page.contains("--name"), "{page}");
    ada.sends_from("/setup", "/setup/name", &[("name", "  ")]).await;
    assert!(ada.goes_to("/setup/came").await.body.contains("Its card has no name"));
    let named = ada.sends_from("/setup", "/setup/name", &[("name", " Ida\nMay ")]).await;
    assert_eq!((named.status, named.header("location")), (StatusCode::SEE_OTHER, "/setup/came"));
    let page = ada.goes_to("/setup/came").await.body;
    assert!(page.contains("Ida May moves in") && !page.contains("Its card has no name"), "{page}");
    let home = first.folder.path().join("familiars/no");
    assert_eq!(std::fs::read_to_string(home.join("memory/self/name.md")).unwrap(), "Ida May\n");
    // Somebody who has a name is called nothing else here.
    ada.sends_from("/setup", "/setup/name", &[("name", "Eve")]).await;
    assert!(ada.goes_to("/setup/came").await.body.contains("Ida May moves in"));
}

#[tokio::test]
async fn a_card_that_is_sent_shows_how_far_it_is_and_without_a_script_the_form_sends_it_alone() {
    let first = FirstRun::begins("").await;
    let ada = first.browser().await;
    let page = ada.goes_to("/setup").await.body;
    let form = page.split("data-drop ").nth(1).unwrap().split("</form>").next().unwrap();
    let sent = form.split("data-sent hidden>").nth(1).expect("nothing is sent yet, so no bar is shown");
    for shown in ["<progress id=\"card-sent\" max=\"1\"", "role=\"status\" data-told"] {
        assert!(sent.contains(shown), "{shown}: {form}");
    }
    // The script knows no words of its own.
    for words in ["data-sending=\"", "data-reading=\"", "data-failed=\""] {
        assert!(form.contains(words), "{words}: {form}");
    }
    let script = ada.goes_to("/assets/app.js").await.body;
    for part in ["dataset.sending", "dataset.reading", "dataset.failed", "request.upload"] {
        assert!(script.contains(part), "{part}");
    }
    assert!(page.contains("action=\"/setup/card\" enctype=\"multipart/form-data\""), "{page}");
    let taken = ada.drops("mika.json", CARD.as_bytes()).await;
    assert_eq!((taken.status, taken.header("location")), (StatusCode::SEE_OTHER, "/setup/came"));
}

#[tokio::test]
async fn a_card_is_taken_from_its_own_page_only_and_never_beyond_its_bound() {
    let first = FirstRun::begins("").await;
    let (ada, card) = (first.browser().await, CARD.as_bytes());
    let csrf = ada.csrf_on("/setup").await;
    let send = |body: Vec<u8>, origin: Option<&str>| {
        let request = ada.request(Method::POST, "/setup/card").header(CONTENT_TYPE, multipart()).body(body);
        origin.into_iter().fold(request, |request, origin| request.header(ORIGIN, origin)).send()
    };
    let mut behind = dropped(None, "mika.json", card);
    behind.truncate(behind.len() - format!("--{BOUNDARY}--\r\n").len());
    behind.extend(dropped(Some(&csrf), "mika.json", card));
    for (sent, origin) in [
        (dropped(None, "mika.json", card), Some(ada.origin.as_str())),
        (dropped(Some("guess"), "mika.json", card), Some(ada.origin.as_str())),
        (dropped(Some(&csrf), "mika.json", card), Some("http://evil.example")),
        (dropped(Some(&csrf), "mika.json", card), None),
        (behind, Some(ada.origin.as_str())),
    ] {
        assert_eq!(send(sent, origin).await.unwrap().status(), StatusCode::FORBIDDEN);
    }
    let stranger = Browser { cookie: String::new(), ..ada.clone() };
    let request = stranger.request(Method::POST, "/setup/card").header(ORIGIN, &ada.origin);
    let sent = request.header(CONTENT_TYPE, multipart()).body(dropped(Some(&csrf), "a.json", card)).send();
    assert_eq!(sent.await.unwrap().status(), StatusCode::UNAUTHORIZED);
    for way in ["/setup", "/setup/came", "/setup/model", "/setup/discord", "/setup/picture/pell"] {
        assert_eq!(stranger.goes_to(way).await.status, StatusCode::UNAUTHORIZED, "{way}");
    }

    let head = |length: &str| {
        format!(
            "POST /setup/card HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\nCookie: {cookie}\r\n\
             Content-Type: {kind}\r\n{length}\r\n\r\n",
            host = ada.origin.trim_start_matches("http://"),
            origin = ada.origin,
            cookie = ada.cookie,
            kind = multipart(),
        )
    };
    let to = address_of(&first.window);
    // What says that it is 100 MB is not listened to; what says nothing, until its bound.
    let told = raw(to, head("Content-Length: 104857600").as_bytes()).await;
    assert!(told.starts_with("HTTP/1.1 413"), "{told}");
    let mut endless = head("Transfer-Encoding: chunked").into_bytes();
    let begun = dropped(Some(&csrf), "mika.png", b"");
    let begun = &begun[..begun.len() - format!("\r\n--{BOUNDARY}--\r\n").len()];
    endless.extend(format!("{:x}\r\n", begun.len()).bytes().chain(begun.iter().copied()).chain(*b"\r\n"));
    let piece = vec![b'x'; 1024 * 1024];
    for _ in 0..100 {
        endless.extend(format!("{:x}\r\n", piece.len()).bytes());
        endless.extend(&piece);
        endless.extend(b"\r\n");
    }
    let told = raw(to, &endless).await;
    assert!(told.is_empty() || told.starts_with("HTTP/1.1 413"), "{told}");
    // Nothing was kept of any of it, and other forms keep their own bound.
    assert_eq!(first.who_is_here(), Vec::<String>::new());
    let long = "x".repeat(300 * 1024);
    let sent = ada.sends_from("/setup", "/setup/example", &[("id", &long)]).await;
    assert_eq!(sent.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(ada.drops("mika.json", card).await.header("location"), "/setup/came");
}

#[tokio::test]
async fn where_nobody_lives_yet_there_is_nothing_else_to_see() {
    let first = FirstRun::begins("").await;
    let ada = first.browser().await;
    for way in ["/talk", "/memory", "/settings", "/xray", "/events?topic=talk", "/metrics", "/healthz"] {
        assert_eq!(ada.goes_to(way).await.status, StatusCode::NOT_FOUND, "{way}");
    }
    assert_eq!(ada.goes_to("/").await.header("location"), "/setup");
    let open = Open::begins().await;
    let inside = open.browser().await;
    for way in ["/setup", "/setup/came"] {
        assert_eq!(inside.goes_to(way).await.header("location"), "/talk", "{way}");
    }
    assert_eq!(inside.goes_to("/setup/picture/pell").await.status, StatusCode::NOT_FOUND);
    inside.finds("/setup/model", &["Start it anew", "rehearses"]).await;
}

#[tokio::test]
async fn where_nothing_answers_the_page_asks_for_the_key_that_it_takes() {
    let first = FirstRun::begins("").await;
    let ada = first.browser().await;
    let page = ada.goes_to("/setup/model").await.body;
    assert!(page.contains("paste a key below, or start Ollama"), "{page}");
    assert!(!page.contains("set OPENROUTER_API_KEY"), "{page}");
}

#[tokio::test]
async fn a_key_is_tried_with_a_real_request_and_kept_where_it_is_taken() {
    let provider = ProviderWorld::start().await;
    provider.takes_only("sk-or-right-0123456789", json!({"usage": 0.0, "limit": 5, "limit_remaining": 5.0}));
    let model = json!({"id": "z-ai/glm-5.2", "context_length": 32_000,
        "pricing": {"prompt": "0.0000005", "completion": "0.0000015"}});
    provider.list_models(json!({"data": [model]}));
    let base = provider.openrouter_url();
    let first = FirstRun::begins(&format!("# mine\nFAMILIAR_LLM_BASE_URL={base}\nOTHER=kept")).await;
    let ada = first.browser().await;
    let page = ada.goes_to("/setup/model").await.body;
    assert!(page.contains("the server wants a key and there is none"), "{page}");
    assert!(page.contains("Key for 127.0.0.1") && !page.contains("openrouter.ai/settings"), "{page}");
    assert!(provider.requests().is_empty(), "looking costs nothing");

    let refused = ada.sends_from("/setup", "/setup/model", &[("key", "sk-or-wrong-0123456789")]).await;
    assert!(
        refused.body.contains("The server does not take this key, so it was not kept."),
        "{}",
        refused.body
    );
    let no_key = ada.sends_from("/setup", "/setup/model", &[("key", "two words\nX=1")]).await;
    assert_eq!(no_key.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(!first.env().contains("API_KEY") && !first.env().contains("X=1"), "{}", first.env());

    let kept = ada.sends_from("/setup", "/setup/model", &[("key", " sk-or-right-0123456789 ")]).await.body;
    // 100 replies of 4,000 tokens at 0.50 and 150 at 1.50 dollars a million.
    for shown in [
        // It is for another server than OpenRouter, and so is its name.
        "OPENAI_API_KEY stands in .env now",
        "There is an <span class=\"mono\">OPENAI_API_KEY</span>, and it is used.",
        "answers a small conversation",
        "$5.00 left on this key",
        "A long evening of 100 replies by z-ai/glm-5.2 costs about $0.22",
    ] {
        assert!(kept.contains(shown), "{shown}: {kept}");
    }
    let asked = provider.requests();
    let authorised =
        asked.iter().filter(|one| one.header("authorization") == Some("Bearer sk-or-right-0123456789"));
    assert_eq!(authorised.count(), 1, "one real request");
    assert_eq!(
        first.env(),
        format!("# mine\nFAMILIAR_LLM_BASE_URL={base}\nOTHER=kept\nOPENAI_API_KEY=sk-or-right-0123456789\n")
    );
    for page in ["/setup/model", "/setup/discord", "/setup"] {
        let body = ada.goes_to(page).await.body;
        assert!(!body.contains("sk-or-"), "a key is shown nowhere: {body}");
    }
    assert_eq!(first.parts.redactor.redact("it was sk-or-right-0123456789"), "it was [redacted]");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(first.folder.path().join(".env")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    // Another one comes in its place, where it is taken.
    let refused = ada.sends_from("/setup", "/setup/model", &[("key", "sk-or-wrong-0123456789")]).await.body;
    assert!(refused.contains("so it was not kept"), "{refused}");
    provider.takes_only("sk-or-newer-0123456789", json!({"usage": 0.0, "limit": 5, "limit_remaining": 4.0}));
    let again = ada.sends_from("/setup", "/setup/model", &[("key", "sk-or-newer-0123456789")]).await.body;
    assert!(again.contains("OPENAI_API_KEY stands in .env now") && again.contains("$4.00 left"), "{again}");
    assert!(!again.contains("could not be tried"), "{again}");
    assert_eq!(
        first.env(),
        format!("# mine\nFAMILIAR_LLM_BASE_URL={base}\nOTHER=kept\nOPENAI_API_KEY=sk-or-newer-0123456789\n")
    );
}

#[tokio::test]
async fn a_key_or_token_that_could_not_be_tried_is_kept_untried_and_can_be_replaced() {
    let nobody = Nobody::there();
    let nowhere = format!("http://{}", nobody.address());
    let env = format!("FAMILIAR_LLM_BASE_URL={nowhere}/v1\nFAMILIAR_DISCORD_API_BASE={nowhere}\n");
    let (first, world) = (FirstRun::begins(&env).await, DiscordWorld::start().await);
    let ada = first.browser().await;
    let kept = ada.sends_from("/setup", "/setup/model", &[("key", "sk-made-up-0123456789")]).await.body;
    let token = ada.sends_from("/setup", "/setup/discord", &[("token", world.token())]).await.body;
    for (page, name, field) in
        [(&kept, "OPENAI_API_KEY", "name=\"key\""), (&token, "DISCORD_TOKEN", "name=\"token\"")]
    {
        let told = format!("{name} stands in .env now");
        for shown in [told.as_str(), "It could not be tried", "another one", field] {
            assert!(page.contains(shown), "{shown}: {page}");
        }
    }
    assert!(!token.contains("oauth2/authorize"), "nobody knows whose token it is: {token}");
    ada.sends_from("/setup", "/setup/model", &[("key", "sk-another-0123456789")]).await;
    assert!(first.env().contains("OPENAI_API_KEY=sk-another-0123456789\n"), "{}", first.env());
    assert!(!first.env().contains("sk-made-up"), "{}", first.env());
}

/// What was seen of one server says nothing of another.
#[tokio::test]
async fn another_server_in_the_settings_is_looked_at_when_the_page_is_opened_again() {
    let (here, there) = (ProviderWorld::start().await, ProviderWorld::start().await);
    here.list_models(json!({"data": [{"id": "near:3b"}]}));
    there.list_models(json!({"data": [{"id": "far:3b"}]}));
    let first = FirstRun::begins("").await;
    let ada = first.browser().await;
    ada.drops("mika.json", CARD.as_bytes()).await;
    let settings = first.folder.path().join("familiars/mika/character.toml");
    for (world, shown, hidden) in [(&here, "near:3b", "far:3b"), (&there, "far:3b", "near:3b")] {
        std::fs::write(&settings, format!("[llm]\nbase_url = \"{}\"\n", world.base_url())).unwrap();
        let page = ada.goes_to("/setup/model").await.body;
        assert!(page.contains(shown) && !page.contains(hidden), "{shown}: {page}");
    }
    let before = there.requests().len();
    ada.goes_to("/setup/model").await;
    assert_eq!(there.requests().len(), before, "where nothing changed nobody is asked again");
}

#[tokio::test]
async fn a_mistake_in_a_file_is_told_with_where_to_look_for_it() {
    let first = FirstRun::begins("this is no line of it\n").await;
    let ada = first.browser().await;
    for way in ["/setup/model", "/setup/discord"] {
        let page = ada.goes_to(way).await;
        assert_eq!(page.status, StatusCode::CONFLICT, "{way}: {}", page.body);
        for told in ["A file of settings has a mistake", ".env", "familiar doctor"] {
            assert!(page.body.contains(told), "{told}: {}", page.body);
        }
    }
}

#[tokio::test]
async fn a_model_of_a_server_with_several_is_chosen_before_anybody_talks() {
    let provider = ProviderWorld::start().await;
    let model = |id: &str| json!({"id": id, "object": "model"});
    provider.list_models(json!({"data": [model("small:3b"), model("large:14b")]}));
    let first = FirstRun::begins(&format!("FAMILIAR_LLM_BASE_URL={}\n", provider.base_url())).await;
    let ada = first.browser().await;
    let page = ada.goes_to("/setup/model").await.body;
    assert!(!page.contains("Think with this one"), "there is nobody yet whose choice it could be: {page}");
    let fields = [("model", "large:14b")];
    let early = ada.sends_from("/setup", "/setup/model", &fields).await;
    assert_eq!(early.status, StatusCode::BAD_REQUEST);

    ada.drops("mika.json", CARD.as_bytes()).await;
    let page = ada.goes_to("/setup/model").await.body;
    for shown in [
        "<option value=\"small:3b\" selected>small:3b</option>",
        "<option value=\"large:14b\">large:14b</option>",
    ] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    let nowhere = ada.sends_from("/setup", "/setup/model", &[("model", "huge:<b>")]).await;
    assert_eq!(nowhere.status, StatusCode::BAD_REQUEST, "only what the server has");
    let before = provider.requests().len();
    let chosen = ada.sends_from("/setup", "/setup/model", &fields).await.body;
    for shown in ["It thinks with large:14b now", "<option value=\"large:14b\" selected>large:14b</option>"] {
        assert!(chosen.contains(shown), "{shown}: {chosen}");
    }
    let asked = &provider.requests()[before..];
    assert!(!asked.is_empty() && asked.iter().all(|one| one.model() == "large:14b"), "it is tried at once");
    let settings = first.folder.path().join("familiars/mika/character.toml");
    let settings = std::fs::read_to_string(settings).unwrap();
    assert!(settings.contains("model = \"large:14b\""), "{settings}");
}

#[tokio::test]
async fn a_model_of_another_server_is_let_go_of_with_the_key_for_one_that_does_not_have_it() {
    let provider = ProviderWorld::start().await;
    provider.answers(|request| match request.model() {
        "qwen2.5:7b" => Reply::refuses(404, "there is no such model"),
        _ => Reply::says("Understood."),
    });
    let (kept, settings) = enters_a_key_beside_an_unlisted_model(&provider).await;
    for shown in ["OPENAI_API_KEY stands in .env now", "This server does not have qwen2.5:7b"] {
        assert!(kept.contains(shown), "{shown}: {kept}");
    }
    assert!(!settings.contains("qwen2.5"), "{settings}");
    assert_eq!(provider.requests().last().unwrap().model(), "z-ai/glm-5.2", "what is used now is tried");
}

/// Not every gateway lists all that it has.
#[tokio::test]
async fn a_model_that_answers_stays_though_its_server_does_not_list_it() {
    let provider = ProviderWorld::start().await;
    let (kept, settings) = enters_a_key_beside_an_unlisted_model(&provider).await;
    for shown in
        ["OPENAI_API_KEY stands in .env now", "list does not name qwen2.5:7b, which answers all the same"]
    {
        assert!(kept.contains(shown), "{shown}: {kept}");
    }
    assert!(settings.contains("model = \"qwen2.5:7b\""), "{settings}");
}

/// The page after a key was entered where the settings name a model that the server does not list, and the settings then.
async fn enters_a_key_beside_an_unlisted_model(provider: &ProviderWorld) -> (String, String) {
    provider.list_models(json!({"data": [{"id": "z-ai/glm-5.2", "context_length": 32_000}]}));
    let base = provider.openrouter_url();
    let first = FirstRun::begins(&format!("FAMILIAR_LLM_BASE_URL={base}\n")).await;
    let ada = first.browser().await;
    ada.drops("mika.json", CARD.as_bytes()).await;
    let settings = first.folder.path().join("familiars/mika/character.toml");
    std::fs::write(&settings, "[llm.main_prose]\nmodel = \"qwen2.5:7b\"\n").unwrap();
    let kept = ada.sends_from("/setup", "/setup/model", &[("key", "sk-or-right-0123456789")]).await.body;
    (kept, std::fs::read_to_string(&settings).unwrap())
}

#[tokio::test]
async fn a_token_is_asked_about_at_discord_and_kept_where_it_is_taken() {
    let world = DiscordWorld::start().await;
    let first = FirstRun::begins(&format!("FAMILIAR_DISCORD_API_BASE={}\n", world.api_base())).await;
    let ada = first.browser().await;
    let page = ada.goes_to("/setup/discord").await.body;
    assert!(page.contains("Message Content Intent") && page.contains("once there is a token"), "{page}");
    for wrong in ["hello", "MTIz.x\nOPENAI_API_KEY=1", "an application secret"] {
        let said = ada.sends_from("/setup", "/setup/discord", &[("token", wrong)]).await;
        assert_eq!(said.status, StatusCode::UNPROCESSABLE_ENTITY, "{wrong}");
        assert!(said.body.contains("role=\"alert\">That does not look like a bot token"), "{}", said.body);
    }
    // What stands near it on Discord's pages is told by its name; the page itself looks by the same shapes.
    let secret = "q1W2e3R4t5Y6u7I8o9P0a1S2d3F4g5H6";
    for (mistaken, named) in [
        ("1000000000000000001", "That is an id, such as the application’s"),
        ("0a".repeat(32).as_str(), "That is the application’s public key"),
        (secret, "That is the client secret"),
        ("https://discord.com/developers/applications/1", "That is an address"),
    ] {
        let said = ada.sends_from("/setup", "/setup/discord", &[("token", mistaken)]).await;
        assert_eq!(said.status, StatusCode::UNPROCESSABLE_ENTITY, "{mistaken}");
        assert!(said.body.contains(&format!("role=\"alert\">{named}")), "{named}: {}", said.body);
        assert!(page.contains(&format!("hidden>{named}")), "{named}: {page}");
        assert!(mistaken != secret || !said.body.contains(secret), "what was pasted is not shown again");
    }
    assert!(world.requests("").is_empty(), "nothing was asked about what is no token");
    world.refuse_message_content();
    let kept = ada.sends_from("/setup", "/setup/discord", &[("token", world.token())]).await.body;
    for shown in [
        "DISCORD_TOKEN stands in .env now",
        "Message Content is switched off",
        "switch on",
        "Choose your server",
    ] {
        assert!(kept.contains(shown), "{shown}: {kept}");
    }
    assert!(kept.contains("https://discord.com/oauth2/authorize?client_id="), "{kept}");
    assert!(!kept.contains(world.token()), "a token is shown nowhere");
    assert!(first.env().ends_with(&format!("DISCORD_TOKEN={}\n", world.token())), "{}", first.env());

    // Nobody could invite it with this.
    world.wants_code_grant();
    let told = ada.sends_from("/setup", "/setup/discord", &[]).await.body;
    assert!(told.contains("Requires OAuth2 Code Grant"), "{told}");

    let other = FirstRun::begins(&format!("FAMILIAR_DISCORD_API_BASE={}\n", world.api_base())).await;
    let ben = other.browser().await;
    world.refuse_token();
    let refused = ben.sends_from("/setup", "/setup/discord", &[("token", world.token())]).await.body;
    assert!(refused.contains("Discord does not take this token, so it was not kept."), "{refused}");
    assert!(!other.env().contains("DISCORD_TOKEN"), "{}", other.env());
}
