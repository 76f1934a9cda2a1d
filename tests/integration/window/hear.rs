//! A reply said aloud, in the window.

use familiar_connect::config::Secrets;
use familiar_connect::llm::UsageLedger;
use familiar_connect::voice::SpeechEngines;
use familiar_connect::voice::engines::wav_bytes;
use tempfile::TempDir;

use super::*;
use crate::support::programs::program;

/// A talk in which the familiar has answered once.
struct Answered {
    open: Open,
    ada: Browser,
    live: Live,
    ledger: Arc<UsageLedger>,
    /// By which its answer is known, and what it answered.
    message: String,
    question: String,
    _folder: TempDir,
}

impl Answered {
    /// Speaks by a program of these lines, beside which there is a second of sound.
    async fn with(script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let sound = folder.path().join("sound.wav");
        std::fs::write(&sound, wav_bytes(16_000, &[700; 16_000])).unwrap();
        let speaks = program(folder.path(), "speaks", &script.replace("SOUND", &sound.display().to_string()));
        Self::set_up(&format!("[tts]\ncommand = \"{}\"\n", speaks.display()), folder).await
    }

    async fn set_up(settings: &str, folder: TempDir) -> Self {
        let dir = Stage::installed(&format!("{ANY_PORT}{settings}"), CARD);
        let stage = Stage::of(dir, DeliveryStyle::Live).await;
        let home = stage.config.home().root().to_owned();
        let ledger = Arc::new(UsageLedger::open(&home, Arc::new(stage.clock.clone())));
        let book = Arc::<UsageLedger>::clone(&ledger);
        let engines = Arc::new(SpeechEngines::new(Arc::clone(&stage.config), Secrets::default(), book));
        let parts = WindowParts { engines, ..parts(&stage, None) };
        let window = Window::open(parts, None).await.unwrap();
        let open = Open { stage, window, doing: Arc::default() };
        let ada = open.browser().await;
        let mut live = ada.follows("talk").await;
        ada.sends("/talk", &[("text", "Is the kettle on?")]).await;
        let question = message_in(&live.next_named("message").await);
        open.stage.next_request().await.reply("It is **hot**.");
        let message = message_in(&live.next_named("message").await);
        // The same once more, with why.
        live.next_named("message").await;
        Self { open, ada, live, ledger, message, question, _folder: folder }
    }

    /// Asks to hear a message: what comes of it, as it is sent.
    async fn hears(&self, message: &str) -> Response {
        let csrf = self.ada.csrf().await;
        let request = self.ada.request(Method::POST, "/talk/hear").header(ORIGIN, &self.ada.origin);
        with_form(request, &[("csrf", csrf.as_str()), ("message", message)]).send().await.unwrap()
    }
}

fn message_in(told: &Value) -> String {
    let html = told["html"].as_str().unwrap();
    html.split("data-message=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
}

#[tokio::test]
async fn a_reply_is_said_aloud_by_the_voice_of_calls_and_counted_with_them() {
    let answered = Answered::with("cat >/dev/null\nexec cat SOUND").await;
    let page = answered.ada.goes_to("/talk").await.body;
    assert!(
        page.contains(&format!("form=\"hear\" name=\"message\" value=\"{}\"", answered.message)),
        "{page}"
    );
    assert!(!page.contains(&format!("form=\"hear\" name=\"message\" value=\"{}\"", answered.question)));
    let heard = answered.hears(&answered.message).await;
    assert_eq!(heard.status(), StatusCode::OK);
    assert_eq!(heard.headers()[CONTENT_TYPE], "audio/wav");
    let sound = heard.bytes().await.unwrap();
    assert!(sound.starts_with(b"RIFF") && sound.len() > 30_000, "{} bytes", sound.len());
    assert_eq!(answered.ledger.today().speech.said_characters, 10, "It is hot.");

    // What people say has no voice, and nobody else's page may have anything said.
    assert_eq!(answered.hears(&answered.question).await.status(), StatusCode::NOT_FOUND);
    for nothing in ["", "t999", "../talk"] {
        assert!(answered.hears(nothing).await.status().is_client_error(), "{nothing}");
    }
    let outside = answered.ada.request(Method::POST, "/talk/hear").header(ORIGIN, "http://evil.example");
    let outside = with_form(outside, &[("message", answered.message.as_str())]).send().await.unwrap();
    assert_eq!(outside.status(), StatusCode::FORBIDDEN);
    assert_eq!(answered.ledger.today().speech.said_characters, 10);
    assert!(answered.open.stage.delivered().is_empty());
}

#[tokio::test]
async fn a_voice_that_fails_says_so_on_the_page() {
    let mut answered = Answered::with("cat >/dev/null\necho no breath >&2\nexit 1").await;
    assert_eq!(answered.hears(&answered.message).await.status(), StatusCode::SEE_OTHER);
    let told = answered.live.next_named("notice").await;
    assert!(told["html"].as_str().unwrap().contains("did not say that aloud"), "{told}");
}

#[tokio::test]
async fn where_nothing_speaks_there_is_nothing_to_hear() {
    let answered = Answered::set_up("[tts]\nprovider = \"none\"\n", tempfile::tempdir().unwrap()).await;
    assert!(!answered.ada.goes_to("/talk").await.body.contains("form=\"hear\""));
    assert_eq!(answered.hears(&answered.message).await.status(), StatusCode::NOT_FOUND);
}
