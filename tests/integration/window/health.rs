//! How it does, in the window and for programs that watch.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use familiar_connect::discord::ConnectionRecord;
use familiar_connect::doctor::{CheckStatus, DoctorCheck, Remedy, storage_now};
use familiar_connect::domain::{
    ModelErrorClass, Outcome, SilenceReason, Slot, ToolCall, ToolResult, ToolRound, TurnId,
};
use familiar_connect::llm::{LastAnswer, ModelError, ModelFacts, Prices};
use familiar_connect::net::Circuit;
use familiar_connect::window::{HealthNow, HealthSource, Job, JobCosts, ModelNow};
use parking_lot::Mutex;
use tokio::sync::Semaphore;

use super::*;

const TOKEN: &str = "a token of the operator's own";

/// A program that does as it is told, and a doctor who may be held up.
#[derive(Debug)]
pub(super) struct Doing {
    pub now: Mutex<HealthNow>,
    pub checks: Mutex<Vec<DoctorCheck>>,
    pub offered: Mutex<Vec<(String, ModelFacts)>>,
    /// How often the doctor was called.
    called: AtomicUsize,
    /// One permit for each time he may answer.
    answers: Semaphore,
}

impl Default for Doing {
    fn default() -> Self {
        Self {
            now: Mutex::default(),
            checks: Mutex::default(),
            offered: Mutex::default(),
            called: AtomicUsize::new(0),
            answers: Semaphore::new(100),
        }
    }
}

#[async_trait]
impl HealthSource for Doing {
    fn look(&self) -> HealthNow {
        self.now.lock().clone()
    }

    fn rehearses(&self) -> bool {
        self.look().server.is_none()
    }

    fn asked(&self) -> Vec<ModelNow> {
        self.look().models
    }

    fn prices(&self, model: &str) -> Option<Prices> {
        let now = self.now.lock();
        now.models.iter().find(|known| known.model == model).and_then(|known| known.prices)
    }

    fn offered(&self) -> Vec<(String, ModelFacts)> {
        self.offered.lock().clone()
    }

    async fn examine(&self) -> Vec<DoctorCheck> {
        self.called.fetch_add(1, Ordering::SeqCst);
        self.answers.acquire().await.unwrap().forget();
        self.checks.lock().clone()
    }
}

fn check(name: &'static str, status: CheckStatus, message: &str, advice: Option<&str>) -> DoctorCheck {
    DoctorCheck { name, status, message: message.to_owned(), advice: advice.map(str::to_owned), remedy: None }
}

pub(super) const PRICES: Prices = Prices {
    prompt: 0.000_000_25,
    completion: 0.000_001_5,
    cache_read: 0.000_000_1,
    cache_write: 0.000_000_25,
};

pub(super) fn model(job: Slot, model: &str, prices: Option<Prices>) -> ModelNow {
    ModelNow { job, model: model.to_owned(), window: 131_072, prices }
}

/// A program in which everything is wrong that can be, in these words.
pub(super) fn all_wrong(words: &str) -> HealthNow {
    HealthNow {
        discord: Some(ConnectionRecord { trouble: Some(words.to_owned()), ..ConnectionRecord::default() }),
        server: Some(words.to_owned()),
        models: vec![model(Slot::MainProse, words, None), model(Slot::MemoryWriter, words, Some(PRICES))],
        log: vec![format!("WARN {words}"), words.to_owned()],
        left_alone: vec![(
            Some(words.to_owned()),
            Circuit {
                failures: 1,
                until: "2026-03-01T21:04:00Z".parse().unwrap(),
                trial_from: "2026-03-01T21:00:00Z".parse().unwrap(),
                why: ModelError::new(ModelErrorClass::RateLimited, words),
            },
        )],
        last_answer: Some(LastAnswer {
            at: "2026-03-01T19:58:00Z".parse().unwrap(),
            model: words.to_owned(),
            first_token_ms: None,
            total_ms: 1_230,
        }),
        days: vec![("2026-02-27".parse().unwrap(), 0.5), ("2026-03-01".parse().unwrap(), 1.25)],
        behind: vec![("2026-01-02".parse().unwrap(), 0.5), ("2026-03-01".parse().unwrap(), 0.25)],
        today: vec![
            JobCosts {
                job: Job::Model(Slot::MainProse),
                calls: 12,
                tokens_in: 34_567,
                cached: 30_000,
                tokens_out: 1_234,
                usd: 1.0,
            },
            JobCosts { job: Job::Hearing, calls: 0, tokens_in: 0, cached: 0, tokens_out: 0, usd: 0.25 },
        ],
        cap_usd: Some(1.0),
        rss_bytes: Some(312_000_000),
        storage: vec![check("disk", CheckStatus::Ok, words, None)],
        troubles: vec![check("model_calls", CheckStatus::Warn, words, Some(words))],
        mcp: vec![check("mcp", CheckStatus::Ok, words, None)],
    }
}

fn tool_call(id: &str, name: &str) -> ToolCall {
    ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: "{}".to_owned() }
}

fn tool_result(call: &str, failed: bool) -> ToolResult {
    ToolResult { call: call.to_owned(), content: "…".to_owned(), failed }
}

#[tokio::test]
async fn the_page_says_what_is_wrong_what_it_costs_and_how_long_turns_take() {
    let (open, ada) = Open::with_ada().await;
    let quiet = ada.goes_to("/health").await.body;
    for shown in ["it rehearses", "no bot is set up", "Nothing has cost anything yet.", "It works. One thing"]
    {
        assert!(quiet.contains(shown), "{shown}: {quiet}");
    }
    // What the window does itself is a link, and no advice for a shell.
    for link in ["href=\"/setup/discord\">Set up its bot", "href=\"/setup/model\">Give it a model"] {
        assert!(quiet.contains(link), "{link}: {quiet}");
    }
    let look = Some("look with `familiar context t12`");
    let late = DoctorCheck {
        remedy: Some(Remedy::Turn(TurnId(12))),
        ..check("model_calls", CheckStatus::Warn, "rate limit (once: t12)", look)
    };
    *open.doing.now.lock() = HealthNow { troubles: vec![late], ..HealthNow::default() };
    let page = ada.goes_to("/health").await.body;
    assert_eq!(page.matches("href=\"/xray/t12\"").count(), 2, "{page}");
    assert!(page.contains("See what t12 did") && !page.contains("familiar context"), "{page}");
    let mut live = ada.follows("turns").await;
    ada.sends("/talk", &[("text", "Is the kettle on?")]).await;
    open.stage.next_request().await.reply("It is.");
    live.next_named("turn").await;
    *open.doing.now.lock() = all_wrong("rate limit of maker/model");
    let page = ada.goes_to("/health").await.body;
    for shown in [
        "One thing does not work, and 2 more are worth a look.",
        "not connected: rate limit of maker/model",
        "is not asked until",
        "in 1.2 s",
        "312 MB",
        "34,567",
        "Hearing",
        "131,072",
        "<td class=\"n\">$0.25</td><td class=\"n\">$0.10</td><td class=\"n\">$1.50</td>",
        "not known",
        "WARN rate limit of maker/model",
        "$1.25 today of at most $1.00",
        "Costs of the last 30 days: $1.75 together, $1.25 at most on a day.",
        "of the one turn that was answered lately",
        "The answer is whole",
        "Usual time</th><th scope=\"col\" class=\"n\">Slow time</th>",
        "Writing memories",
    ] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    let network = "network, and whether the server runs.";
    assert!(page.contains("Choose another model") && !page.contains(network), "{page}");
    open.doing.now.lock().left_alone[0].1.why.class = ModelErrorClass::Network;
    let page = ada.goes_to("/health").await.body;
    assert!(page.contains(network) && !page.contains("Choose another model"), "{page}");
}

#[tokio::test]
async fn the_doctor_looks_once_at_a_time_and_his_advice_stays() {
    let (open, ada) = Open::with_ada().await;
    assert!(ada.goes_to("/health").await.body.contains("Nothing has been looked at since the start."));
    *open.doing.checks.lock() =
        vec![check("discord_bot", CheckStatus::Fail, "the token is refused", Some("make a new one"))];
    open.doing.answers.forget_permits(100);
    let first = tokio::spawn({
        let ada = ada.clone();
        async move { ada.sends("/health/examine", &[]).await }
    });
    while open.doing.called.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    // Who asks meanwhile waits for nothing and calls nobody else.
    let second = ada.sends("/health/examine", &[]).await;
    assert_eq!((second.status, open.doing.called.load(Ordering::SeqCst)), (StatusCode::SEE_OTHER, 1));
    open.doing.answers.add_permits(1);
    assert_eq!(first.await.unwrap().header("location"), "/health#doctor");
    let page = ada.goes_to("/health").await.body;
    for shown in ["the token is refused", "make a new one", "discord bot", "looked at"] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    assert_eq!(ada.goes_to("/health/examine").await.status, StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn whoever_keeps_it_running_learns_whether_it_runs_and_nothing_else() {
    let open = Open::begins().await;
    let outside = Browser::outside(&open.window.address());
    let well = outside.goes_to("/healthz").await;
    assert_eq!((well.status, well.body.as_str()), (StatusCode::OK, "ok\n"));
    let named = outside.request(Method::GET, "/healthz").header(HOST, "evil.example").send().await.unwrap();
    assert_eq!(named.status(), StatusCode::MISDIRECTED_REQUEST);
    open.stage.traces.close().await.unwrap();
    let ill = outside.goes_to("/healthz").await;
    assert_eq!((ill.status, ill.body.as_str()), (StatusCode::SERVICE_UNAVAILABLE, "not ok\n"));
}

#[tokio::test]
async fn while_what_is_said_cannot_be_stored_it_does_not_do_well() {
    let mut open = Open::begins().await;
    let (outside, ada) = (Browser::outside(&open.window.address()), open.browser().await);
    let home = open.stage.config.home().clone();
    let file = rusqlite::Connection::open(home.history_db()).unwrap();
    let full = "CREATE TRIGGER refuses BEFORE INSERT ON turns BEGIN SELECT RAISE(ABORT, 'it is full'); END";
    let told = async |open: &Open| {
        let storage = storage_now(&home, open.stage.history.unstored());
        *open.doing.now.lock() = HealthNow { storage, ..HealthNow::default() };
        (outside.goes_to("/healthz").await.status, ada.goes_to("/health").await.body)
    };
    assert!(!told(&open).await.1.contains("could not be stored"));
    file.execute_batch(full).unwrap();
    open.stage.says("alice", "Is the ferry late, Mika?").await;
    open.stage.settled().await;
    let (status, page) = told(&open).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(page.contains("could not be stored since the start, nor could the last"), "{page}");
    assert!(page.contains("One thing does not work"), "{page}");
    file.execute_batch("DROP TRIGGER refuses").unwrap();
    open.stage.talk("alice", "Is the ferry late now, Mika?", "It is never late.").await;
    let (status, page) = told(&open).await;
    assert_eq!(status, StatusCode::OK);
    assert!(page.contains("could not be stored since the start; what is said now can be"), "{page}");
}

#[tokio::test]
async fn once_the_disk_has_room_again_it_does_well_though_nobody_says_anything() {
    let mut open = Open::begins().await;
    let outside = Browser::outside(&open.window.address());
    let file = rusqlite::Connection::open(open.stage.config.home().history_db()).unwrap();
    file.execute_batch(
        "CREATE TRIGGER refuses BEFORE INSERT ON turns BEGIN SELECT RAISE(ABORT, 'it is full'); END",
    )
    .unwrap();
    open.stage.says("alice", "Is the ferry late, Mika?").await;
    open.stage.settled().await;
    let status = async || outside.goes_to("/healthz").await.status;
    assert_eq!(status().await, StatusCode::SERVICE_UNAVAILABLE);
    file.execute_batch("DROP TRIGGER refuses").unwrap();
    assert_eq!(status().await, StatusCode::SERVICE_UNAVAILABLE, "it is not tried at every question");
    open.stage.clock.advance(Duration::from_secs(5));
    assert_eq!(status().await, StatusCode::OK);
}

#[tokio::test]
async fn figures_are_for_whoever_is_signed_in_or_has_the_operators_token() {
    let open = Open::begins().await;
    *open.doing.now.lock() = all_wrong("fake/model");
    let ada = open.browser().await;
    let figures = ada.goes_to("/metrics").await;
    assert_eq!(figures.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    for line in [
        "process_resident_memory_bytes 312000000",
        "familiar_discord_connected 0",
        "familiar_models_left_alone 1",
        "familiar_cost_today_usd{job=\"main_prose\"} 1",
        "familiar_cost_today_usd{job=\"hearing\"} 0.25",
        "familiar_tokens_today{job=\"main_prose\",kind=\"cached\"} 30000",
        "familiar_queue_waiting{queue=\"mailbox\"} 0",
    ] {
        assert!(figures.body.lines().any(|had| had == line), "{line}: {}", figures.body);
    }
    let asks = |window: &Window, token: Option<&str>| {
        let request = Browser::outside(&window.address()).request(Method::GET, "/metrics");
        let token = token.map(|token| format!("Bearer {token}"));
        token.into_iter().fold(request, |request, token| request.header("authorization", token)).send()
    };
    // Without a token of the operator's none opens it.
    for token in [None, Some(""), Some(TOKEN)] {
        assert_eq!(asks(&open.window, token).await.unwrap().status(), StatusCode::UNAUTHORIZED, "{token:?}");
    }
    let window = super::open(&open.stage, Some(TOKEN)).await.unwrap();
    assert_eq!(asks(&window, Some(TOKEN)).await.unwrap().status(), StatusCode::OK);
    for _ in 0..10 {
        assert_eq!(asks(&window, Some("guess")).await.unwrap().status(), StatusCode::UNAUTHORIZED);
    }
    let late = asks(&window, Some("guess")).await.unwrap();
    assert_eq!(late.status(), StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test]
async fn costs_are_told_by_whom_turns_answered_in_the_last_days() {
    let (mut open, ada) = Open::with_ada().await;
    for who in ["alice", "bob"] {
        open.stage.talk(who, "Is the ferry late, Mika?", "It is never late.").await;
    }
    let newest = open.stage.traces.whole().list(2).await.unwrap();
    let usage = familiar_connect::domain::Usage { cost_usd: Some(0.5), ..Default::default() };
    for (trace, authors) in [
        (&newest[1], newest[1].authors.clone()),
        (&newest[0], [&newest[1].authors[..], &newest[0].authors].concat()),
    ] {
        let mut calls = trace.calls.clone();
        calls[0].usage = Some(usage);
        let id = open.stage.traces.next_turn();
        let paid = familiar_connect::domain::TurnTrace { id, calls, authors, ..(**trace).clone() };
        open.stage.traces.record(paid).await;
    }
    // Long ago for a week, and too long for a month.
    for days in [10, 40] {
        let mut paid = (*newest[1]).clone();
        paid.calls[0].usage = Some(familiar_connect::domain::Usage { cost_usd: Some(1.0), ..usage });
        let opened_at = paid.opened_at - jiff::SignedDuration::from_hours(24 * days);
        let id = open.stage.traces.next_turn();
        open.stage.traces.record(familiar_connect::domain::TurnTrace { id, opened_at, ..paid }).await;
    }
    let mut unasked = (*newest[1]).clone();
    (unasked.id, unasked.authors) = (open.stage.traces.next_turn(), Vec::new());
    unasked.calls[0].usage = Some(familiar_connect::domain::Usage { cost_usd: Some(0.5), ..usage });
    open.stage.traces.record(unasked).await;
    let mut called = (*newest[0]).clone();
    called.id = open.stage.traces.next_turn();
    called.processing.rounds = vec![ToolRound {
        calls: ["a", "b"].map(|id| tool_call(id, "web_search")).into(),
        results: [("a", false), ("b", true)].map(|(call, failed)| tool_result(call, failed)).into(),
        ..ToolRound::default()
    }];
    called.calls.clear();
    open.stage.traces.record(called).await;
    // However many silences came since, what was answered counts.
    for _ in 0..250 {
        let id = open.stage.traces.next_turn();
        let outcome = Outcome::Silent { reason: SilenceReason::OnlyWhenAddressed };
        let silent = familiar_connect::domain::TurnTrace {
            id,
            outcome,
            request: Vec::new(),
            calls: Vec::new(),
            ..(*newest[0]).clone()
        };
        open.stage.traces.record(silent).await;
    }
    assert!(
        ada.goes_to("/settings").await.body.contains("/xray/compare?one="),
        "the last prompt can be tried"
    );
    *open.doing.now.lock() = all_wrong("fake/model");
    let page = ada.goes_to("/health").await.body;
    assert!(page.contains("of the newest 7 turns that were answered"), "{page}");
    let tool = "<td class=\"mono\" dir=\"auto\">web_search</td><td class=\"n\">2</td><td class=\"n\">1</td>";
    let mailbox =
        "<td>Messages for the fullest conversation</td><td class=\"n\">0</td><td class=\"n\">64</td>";
    for row in [tool, mailbox, "<span class=\"what\">mcp</span>"] {
        assert!(page.contains(row), "{row}: {page}");
    }
    let row = |name: &str, turns: &str, week: &str, month: &str| {
        let figures = [turns, week, month].map(|figure| format!("<td class=\"n\">{figure}</td>")).concat();
        format!("<td dir=\"auto\">{name}</td>{figures}")
    };
    let apart = [
        row("Alice", "3", "$0.75", "$1.75"),
        row("Bob", "1", "$0.25", "$0.25"),
        row("Of its own accord", "1", "$0.50", "$0.50"),
        row("Behind the scenes", "–", "$0.25", "$0.25"),
    ];
    for row in &apart {
        assert!(page.contains(row), "{row}: {page}");
    }
    // Of two accounts that are one person's, one is told of.
    let [alice, bob] = ["alice", "bob"].map(|who| crate::support::stage::person(who).account);
    let people = open.stage.config.home().memory_dir().join("people");
    std::fs::create_dir_all(&people).unwrap();
    let note = format!("---\naudience: guild:7\naccounts: [\"{bob}\"]\n---\n# Alice\n");
    std::fs::write(people.join(format!("{}.md", alice.slug())), note).unwrap();
    let page = ada.goes_to("/health").await.body;
    let both = row("Alice", "4", "$1.00", "$2.00");
    assert!(page.contains(&both) && !page.contains(&apart[1]), "{both}: {page}");
}
