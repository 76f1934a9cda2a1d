//! `familiar doctor` as people run it: the real binary in a fake Discord, with a fake model provider.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use familiar_connect::config::{Defaults, FamiliarHome, LiveConfig, Secrets};
use familiar_connect::doctor::{ReportScreen, examine_models};
use familiar_connect::domain::{
    CancelReason, ChannelMode, FamiliarId, ModelCall, ModelErrorClass, Outcome, SilenceReason, Slot,
    StoredId, TurnTrace, WorkerRun,
};
use familiar_connect::history::{Hindrance, History, HistoryOptions, PassedOver};
use familiar_connect::llm::{LocalKind, LocalPort, Spending};
use familiar_connect::trace::{TraceOptions, TraceStore};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::support::call::patiently;
use crate::support::discord::{Channel, DiscordWorld, Fault, PATIENCE};
use crate::support::nobody::Nobody;
use crate::support::provider::{Filler, ProviderWorld, Reply, Strict, Template};
use crate::support::rows::rows_of;
use crate::support::tiny_model;

/// A machine with one familiar, a Discord and a provider. Everything is in order until a test breaks it.
struct Practice {
    discord: DiscordWorld,
    provider: ProviderWorld,
    folder: tempfile::TempDir,
    token: String,
    key: String,
}

/// Settings by whose clock it is about noon: what happens today is not of yesterday a moment later.
fn noon() -> String {
    let ahead = 12 - jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).hour();
    // The names of these zones count westwards.
    format!("display_tz = \"Etc/GMT{:+}\"\n", -ahead)
}

/// What the doctor said, as a program reads it.
struct Said {
    code: i32,
    report: Value,
}

impl Practice {
    /// Set up, with a bot that has a token.
    async fn open() -> Self {
        let practice = Self::bare().await;
        practice.write_settings();
        practice
    }

    /// The same without a token.
    async fn without_bot() -> Self {
        Self { token: String::new(), ..Self::open().await }
    }

    /// Nothing is set: a familiar that has only moved in.
    async fn bare() -> Self {
        let discord = DiscordWorld::start().await;
        let provider = ProviderWorld::start().await;
        provider.list_models(json!({"data": [{"id": "fake/model", "context_length": 32_000}]}));
        let practice = Self {
            token: discord.token().to_owned(),
            key: "sk-or-right".to_owned(),
            folder: tempfile::tempdir().unwrap(),
            discord,
            provider,
        };
        practice
            .provider
            .takes_only("sk-or-right", json!({"usage": 2.25, "limit": 10, "limit_remaining": 7.75}));
        practice.write("memory/self/name.md", "Ada\n");
        practice.write("memory/self/description.md", "Ada mends clocks and listens more than she speaks.\n");
        practice.write("memory/self/greetings/00.md", "Come in.\n");
        practice
    }

    fn home(&self) -> FamiliarHome {
        FamiliarHome::new(self.folder.path(), &FamiliarId::new("ada").unwrap())
    }

    fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.home().root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    fn subscribe(&self, channels: &[&Channel]) {
        let row = |channel: &&Channel| {
            format!("[[subscription]]\nchannel_id = {}\nkind = \"text\"\n", channel.id())
        };
        self.write("subscriptions.toml", &channels.iter().map(row).collect::<String>());
    }

    /// Every slot asks the one model there is.
    fn write_settings(&self) {
        let slots: String = Slot::ALL
            .iter()
            .map(|slot| format!("[llm.{slot}]\nmodel = \"fake/model\"\nfallbacks = []\n"))
            .collect();
        let text = format!(
            "{}[discord]\napi_base = \"{}\"\n[llm]\nbase_url = \"{}\"\n{slots}",
            noon(),
            self.discord.api_base(),
            self.provider.openrouter_url(),
        );
        self.write("character.toml", &text);
    }

    async fn run(&self, arguments: &[&str]) -> std::process::Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_familiar"));
        command
            .env_clear()
            .current_dir(self.folder.path())
            .arg("--data-dir")
            .arg(self.folder.path())
            .arg("doctor")
            .args(arguments)
            .stdin(Stdio::null())
            .kill_on_drop(true);
        for (name, value) in [("DISCORD_TOKEN", &self.token), ("OPENROUTER_API_KEY", &self.key)] {
            if !value.is_empty() {
                command.env(name, value);
            }
        }
        tokio::time::timeout(PATIENCE, command.output()).await.expect("the doctor has deadlines").unwrap()
    }

    async fn asks(&self, arguments: &[&str]) -> Said {
        let output = self.run(&[arguments, &["--json"]].concat()).await;
        let report =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
        Said { code: output.status.code().unwrap(), report }
    }
}

impl Said {
    /// `name: message; advice` of every check with this status.
    fn with(&self, status: &str) -> Vec<String> {
        let checks = self.report["checks"].as_array().unwrap();
        checks
            .iter()
            .filter(|check| check["status"] == status)
            .map(|check| {
                let advice = check["advice"].as_str().map(|advice| format!("; {advice}")).unwrap_or_default();
                format!("{}: {}{advice}", check["name"].as_str().unwrap(), check["message"].as_str().unwrap())
            })
            .collect()
    }

    /// The one thing that failed.
    fn failure(&self) -> String {
        let failures = self.with("fail");
        assert_eq!((self.code, failures.len()), (1, 1), "{:#}", self.report);
        assert_eq!(self.report["ok"], false);
        failures[0].clone()
    }

    /// What is warned of, where nothing failed.
    fn warnings(&self) -> Vec<String> {
        assert_eq!((self.code, &self.report["ok"]), (0, &json!(true)), "{:#}", self.report);
        self.with("warn")
    }
}

/// The report without what differs from machine to machine.
fn steady(text: &str, folder: &Path, discord: &DiscordWorld, provider: &ProviderWorld) -> String {
    let text = text
        .replace(&folder.display().to_string(), "DATA")
        .replace(&discord.api_base(), "DISCORD")
        .replace(&provider.openrouter_url(), "PROVIDER");
    let steady = |line: &str| match line {
        _ if line.contains("disk: ") => "ok   disk: … free".to_owned(),
        // By whose clock it is noon now.
        _ if line.contains("time zone: ") => {
            "ok   time zone: it lives by the clock of … (display_tz)".to_owned()
        }
        _ => line.to_owned(),
    };
    text.lines().map(steady).collect::<Vec<_>>().join("\n")
}

fn only_for_its_user(_file: &Path) {
    #[cfg(unix)]
    std::fs::set_permissions(_file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn g8_keys_that_others_can_read_are_told() {
    use std::os::unix::fs::PermissionsExt as _;
    let practice = Practice::bare().await;
    let file = practice.folder.path().join(".env");
    std::fs::write(&file, "DEEPGRAM_API_KEY=\n").unwrap();
    let told = async |mode: u32| {
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        let said = practice.asks(&["--offline"]).await;
        said.with("warn").into_iter().filter(|line| line.contains(".env")).collect::<Vec<_>>()
    };
    assert_eq!(
        told(0o640).await,
        [
            "environment: others on this machine can read ./.env, and keys stand in it; take that right away with: \
          chmod 600 ./.env"
        ]
    );
    assert!(told(0o600).await.is_empty());
}

#[tokio::test]
async fn everything_in_order_is_all_green() {
    let practice = Practice::open().await;
    let home = practice.discord.guild("home");
    let (general, forum) = (home.channel("general"), home.forum("tales"));
    practice.subscribe(&[&general, &forum.post("once")]);
    let said = practice.asks(&[]).await;
    assert_eq!(said.warnings(), Vec::<String>::new());
    let output = practice.run(&[]).await;
    assert_eq!(output.status.code(), Some(0));
    let shown = String::from_utf8(output.stdout).unwrap();
    insta::assert_snapshot!(steady(&shown, practice.folder.path(), &practice.discord, &practice.provider));
    assert!(!shown.contains('\u{1b}'), "colours went into a pipe");
    assert!(!practice.home().lock_file().exists() && !practice.home().history_db().exists());
}

#[tokio::test]
async fn whoever_lives_by_the_hour_and_by_nobodys_clock_is_told_of() {
    let practice = Practice::bare().await;
    let told = async || {
        let said = practice.asks(&["--offline"]).await;
        let warned = said.with("warn").into_iter().find(|line| line.starts_with("time zone: "));
        warned.unwrap_or_default()
    };
    assert_eq!(told().await, "", "nothing of its own goes by the hour");
    practice.write("schedule.md", "- 23:00-07:00 asleep\n");
    assert!(told().await.contains("display_tz = \"Europe/Berlin\""));
    practice.write("character.toml", "display_tz = \"Asia/Tokyo\"\n");
    assert_eq!(told().await, "");
    practice.write("character.toml", "");
    std::fs::remove_file(practice.home().schedule_md()).unwrap();
    practice.write("channels/7.toml", "mode = \"text_conversation_rp\"\nspeaks_first = true\n");
    assert!(told().await.contains("its clock is UTC"));
}

#[tokio::test]
async fn a_wrong_token_fails_with_where_to_get_another() {
    let mut practice = Practice::open().await;
    practice.token = "MTAw.wrong.token".to_owned();
    let failure = practice.asks(&[]).await.failure();
    assert!(failure.starts_with("discord_token: Discord does not accept it; "), "{failure}");
    assert!(failure.contains("DISCORD_TOKEN") && !failure.contains("MTAw"), "{failure}");
}

#[tokio::test]
async fn a_switched_off_intent_fails_with_the_page_of_the_switch() {
    let practice = Practice::open().await;
    practice.discord.refuse_message_content();
    let general = practice.discord.guild("home").channel("general");
    practice.subscribe(&[&general]);
    let failure = practice.asks(&[]).await.failure();
    assert!(failure.starts_with("discord_intent: Message Content is switched off"), "{failure}");
    assert!(failure.contains("developers/applications/1000000000000000001/bot"), "{failure}");
}

#[tokio::test]
async fn intents_that_only_presence_needs_are_missed_where_it_is_on() {
    let practice = Practice::open().await;
    practice.discord.refuse_presence();
    let general = practice.discord.guild("home").channel("general");
    practice.subscribe(&[&general]);
    assert_eq!(practice.asks(&[]).await.with("fail"), Vec::<String>::new(), "nothing needs them");
    let settings = std::fs::read_to_string(practice.home().character_toml()).unwrap();
    practice.write("character.toml", &settings.replace("[discord]\n", "[discord]\npresence = true\n"));
    let failure = practice.asks(&[]).await.failure();
    let missed = "discord_intent: discord.presence is on, and Presence Intent and Server Members Intent are switched off";
    assert!(failure.starts_with(missed), "{failure}");
    assert!(failure.contains("developers/applications/1000000000000000001/bot"), "{failure}");
}

#[tokio::test]
async fn a_bot_in_no_server_is_given_its_invitation() {
    let practice = Practice::open().await;
    let warnings = practice.asks(&[]).await.warnings();
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings[0].contains("oauth2/authorize?client_id=1000000000000000001&"), "{warnings:?}");
    assert!(warnings[1].contains("/subscribe-text"), "{warnings:?}");
}

#[tokio::test]
async fn channels_it_cannot_write_in_or_see_are_named_one_by_one() {
    let practice = Practice::open().await;
    let home = practice.discord.guild("home");
    // A bot that is a server's only member owns it, and an owner may do everything.
    home.member("alice");
    let (fine, mute) = (home.channel("fine"), home.channel_without("rules", 1 << 11));
    let (hidden, gone) = (home.channel_without("secret", 1 << 10), home.channel("gone"));
    practice.subscribe(&[&fine, &mute, &hidden, &gone]);
    gone.vanish();
    let said = practice.asks(&[]).await;
    assert_eq!(said.code, 1);
    let failures = said.with("fail");
    let expected = [
        format!("discord_channels: in #rules ({}) it lacks Send Messages; ", mute.id()),
        format!("discord_channels: channel {}: the bot cannot see that channel; ", hidden.id()),
        format!("discord_channels: channel {}: the channel no longer exists; ", gone.id()),
    ];
    assert_eq!(failures.len(), expected.len(), "{failures:#?}");
    for (failure, expected) in failures.iter().zip(expected) {
        assert!(failure.starts_with(&expected), "{failure}");
    }
    assert!(said.with("ok").contains(&"discord_channels: it can read and write in 1 channel".to_owned()));
}

#[tokio::test]
async fn a_wrong_model_key_fails_and_is_not_shown() {
    let mut practice = Practice::without_bot().await;
    practice.key = "sk-or-wrong".to_owned();
    let said = practice.asks(&[]).await;
    let failure = said.failure();
    assert!(failure.starts_with("model_key: the server does not accept it; "), "{failure}");
    assert!(!said.report.to_string().contains("sk-or-wrong"), "{:#}", said.report);
}

/// A server of one's own: nothing but its address is set.
async fn at_an_own_server(key: &str) -> Practice {
    let mut practice = Practice::without_bot().await;
    practice.key = key.to_owned();
    practice.provider.takes_only(key, json!({}));
    let base_url = practice.provider.base_url();
    practice.write("character.toml", &format!("[llm]\nbase_url = \"{base_url}\"\n"));
    practice
}

#[tokio::test]
async fn a_server_that_wants_a_key_where_none_is_set_says_only_so() {
    let mut practice = at_an_own_server("own-key").await;
    practice.key = String::new();
    let said = practice.asks(&[]).await;
    let failure = said.failure();
    let wanted = format!(
        "model_key: the server wants a key and there is none; set OPENAI_API_KEY in .env: it goes to {}",
        practice.provider.base_url()
    );
    assert_eq!(failure, wanted);
    assert!(!said.report.to_string().contains("/v1;"), "the address is right: {:#}", said.report);
}

#[tokio::test]
async fn a_key_that_an_own_server_refuses_is_named_by_its_variable_and_where_it_goes() {
    let mut practice = at_an_own_server("own-key").await;
    practice.key = String::new();
    let env = practice.folder.path().join(".env");
    std::fs::write(&env, "OPENAI_API_KEY=another-key\n").unwrap();
    only_for_its_user(&env);
    let failure = practice.asks(&[]).await.failure();
    let told = format!(
        "model_key: the server does not accept it; check OPENAI_API_KEY in .env: it goes to {}",
        practice.provider.base_url()
    );
    assert_eq!(failure, told);
}

#[tokio::test]
async fn a_web_page_where_a_model_server_should_be_is_no_model_server() {
    let practice = Practice::open().await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let page = || async { axum::response::Html("<!doctype html><title>Router</title>") };
    let server = tokio::spawn(async move {
        axum::serve(listener, axum::Router::new().fallback(page)).await.unwrap();
    });
    practice.write("character.toml", &format!("[llm]\nbase_url = \"http://{address}/v1\"\n"));
    let failed = practice.asks(&[]).await.with("fail").join("\n");
    assert!(failed.contains("a web page came instead of a list of models; set llm.base_url"), "{failed}");
    server.abort();
}

#[tokio::test]
async fn an_openai_key_without_a_server_goes_nowhere_and_is_told() {
    let mut practice = Practice::bare().await;
    (practice.token, practice.key) = (String::new(), String::new());
    let env = practice.folder.path().join(".env");
    std::fs::write(&env, "OPENAI_API_KEY=another-key\n").unwrap();
    only_for_its_user(&env);
    let warned = practice.asks(&["--offline"]).await.with("warn").join("\n");
    assert!(
        warned.contains("model_server: OPENAI_API_KEY is set, but llm.base_url names no server"),
        "{warned}"
    );
}

/// No server is named, and something answers where one of this machine would be.
#[tokio::test]
async fn a_server_of_this_machine_that_cannot_be_used_is_told_with_what_is_wrong() {
    let practice = Practice::bare().await;
    let ports = [LocalPort { kind: LocalKind::Ollama, port: practice.provider.port() }];
    let config = LiveConfig::load(practice.home(), Defaults::embedded()).unwrap();
    let looks = async || {
        let (secrets, screen) = (Secrets::default(), ReportScreen::Elsewhere);
        let examined = examine_models(&config, &secrets, &ports, Spending::Nothing, screen).await;
        assert!(examined.rehearses);
        let check = examined.checks.into_iter().find(|check| check.name == "model_server").unwrap();
        format!("{}; {}", check.message, check.advice.unwrap())
    };
    // On a busy machine an answer may come too late for one look.
    let told = async || {
        patiently("what answers there to be told of", async {
            loop {
                let told = looks().await;
                if !told.starts_with("no language model") {
                    break told;
                }
            }
        })
        .await
    };
    assert!(told().await.contains("wants a key"), "only one key is taken there");
    practice.provider.takes_any();
    // As Ollama says it.
    practice.provider.list_models(json!({"object": "list", "data": null}));
    let empty = told().await;
    assert!(empty.starts_with("Ollama is there (") && empty.contains("ollama pull"), "{empty}");
    practice.provider.list_models(json!({"error": {"code": 500, "message": "no memory left"}}));
    let failing = told().await;
    assert!(failing.contains("is in trouble: 127.0.0.1 answered 500: no memory left"), "{failing}");
    practice.provider.list_models(json!({"jobs": []}));
    assert!(looks().await.starts_with("no language model is connected"), "that is something else");
}

#[tokio::test]
async fn a_server_that_lists_no_model_is_told_so_once_and_not_to_choose_one_of_its_list() {
    let practice = at_an_own_server("own-key").await;
    practice.provider.list_models(json!({"data": []}));
    let said = practice.asks(&[]).await;
    let base_url = practice.provider.base_url();
    let told = format!(
        "model_server: {base_url} answers, but lists no model for conversations; load a model there; with Ollama: \
         `ollama pull llama3.2:3b`"
    );
    assert_eq!(said.failure(), told);
    assert!(practice.provider.requests().is_empty(), "nobody said whom to ask");
    // A gateway that lists nothing may have it all the same.
    practice.write(
        "character.toml",
        &format!("[llm]\nbase_url = \"{base_url}\"\n[llm.main_prose]\nmodel = \"own/model\"\n"),
    );
    let said = practice.asks(&[]).await;
    assert_eq!(said.with("fail"), Vec::<String>::new());
    assert!(
        said.with("ok").join("\n").contains("own/model answers a small conversation"),
        "{:#}",
        said.report
    );
}

#[tokio::test]
async fn a_server_without_a_list_is_asked_for_an_answer_and_fails_where_none_comes() {
    let practice = at_an_own_server("own-key").await;
    practice.provider.list_models(json!({"error": {"code": 500, "message": "no list today"}}));
    let said = practice.asks(&[]).await;
    assert_eq!(said.with("fail"), Vec::<String>::new());
    assert!(said.with("ok").join("\n").contains("answers a small conversation"), "{:#}", said.report);
    practice.provider.otherwise(Reply::refuses(500, "no answer today"));
    let failure = practice.asks(&[]).await.failure();
    assert!(failure.contains("does not answer a small conversation: 127.0.0.1 answered 500"), "{failure}");
}

#[tokio::test]
async fn a_reached_token_cap_is_a_failure() {
    let practice = at_an_own_server("own-key").await;
    let base_url = practice.provider.base_url();
    let settings = format!("[llm]\nbase_url = \"{base_url}\"\ndaily_token_cap = 100\n");
    practice.write("character.toml", &settings);
    let today = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date();
    let used = json!({"calls": 1, "prompt_tokens": 90, "cached_tokens": 0, "completion_tokens": 20, "cost_usd": 0.0,
        "unpriced_tokens": 110});
    practice.write("usage.json", &json!({today.to_string(): {"main_prose": used}}).to_string());
    let failed = practice.asks(&[]).await.with("fail").join("\n");
    assert!(failed.contains("token_cap: 110 of 100 tokens whose price is not known"), "{failed}");
}

#[tokio::test]
async fn d25_the_doctor_asks_a_strict_model_something_short_in_the_shape_it_takes() {
    let practice = at_an_own_server("own-key").await;
    practice.provider.is_strict(Strict { template: Template::Gemma, filler: Filler::LlamaCpp });
    let said = practice.asks(&[]).await;
    let trial: Vec<String> =
        said.with("ok").into_iter().filter(|line| line.starts_with("model_trial")).collect();
    assert_eq!(
        trial,
        [
            "model_trial: fake/model answers a small conversation; it is asked in turns and with the instructions in the \
          first message, as its template wants; it cannot be given tools, so it is told of them in words"
        ],
        "{:#}",
        said.report
    );
    assert!(practice.provider.requests().iter().all(|request| request.body["max_tokens"] == 16));
}

#[tokio::test]
async fn c17_the_doctor_warns_of_a_price_that_nobody_knows_and_of_a_choice_that_nobody_made() {
    let practice = at_an_own_server("own-key").await;
    let warned = practice.asks(&[]).await.with("warn").join("\n");
    assert!(warned.contains("model_price: the price of fake/model is not known"), "{warned}");
    practice.provider.list_models(json!({"data": [
        {"id": "fake/model", "max_model_len": 32_000}, {"id": "other/model", "max_model_len": 32_000},
    ]}));
    let failed = practice.asks(&[]).await.with("fail").join("\n");
    assert!(failed.contains("model_choice: ") && failed.contains("fake/model, other/model"), "{failed}");
}

#[tokio::test]
async fn a_key_without_credit_fails() {
    let practice = Practice::without_bot().await;
    practice.provider.takes_only("sk-or-right", json!({"usage": 10.0, "limit": 10, "limit_remaining": 0}));
    let failure = practice.asks(&[]).await.failure();
    assert!(
        failure.starts_with("model_credit: $0.00 left on this key, $10.00 used so far; add credit"),
        "{failure}"
    );
}

#[tokio::test]
async fn a_model_that_the_server_does_not_have_is_named_with_its_slots() {
    let practice = Practice::without_bot().await;
    practice.provider.list_models(json!({"data": [{"id": "other/model", "context_length": 32_000}]}));
    let failure = practice.asks(&[]).await.failure();
    assert!(failure.starts_with("models: the server has no fake/model (llm.main_prose, "), "{failure}");
}

#[tokio::test]
async fn fc_2_7_sampling_that_a_model_refuses_is_named_with_its_key() {
    let practice = Practice::without_bot().await;
    let claude = "anthropic/claude-opus-4.8";
    practice.provider.list_models(json!({"data": [{"id": claude, "context_length": 200_000}]}));
    let slots: String = Slot::ALL
        .iter()
        .map(|slot| format!("[llm.{slot}]\nmodel = \"{claude}\"\nfallbacks = []\n"))
        .collect();
    let base_url = practice.provider.openrouter_url();
    practice.write(
        "character.toml",
        &format!("[llm]\nbase_url = \"{base_url}\"\n{slots}")
            .replace("[llm.mood_eval]\n", "[llm.mood_eval]\ntop_p = 0.9\ntop_k = 40\n"),
    );
    let warned = practice.asks(&[]).await.with("warn");
    let told = warned.iter().find(|line| line.starts_with("model_sampling: "));
    let told = told.unwrap_or_else(|| panic!("{warned:#?}"));
    assert!(told.contains("refuses llm.mood_eval.top_p; it is not sent"), "{told}");
    assert!(!told.contains("top_k"), "{told}");
}

#[tokio::test]
async fn a_window_too_small_for_the_card_fails_and_a_share_too_small_warns() {
    let practice = Practice::without_bot().await;
    practice.write("memory/self/description.md", &"Ada mends clocks. ".repeat(700));
    practice.write("memory/self/mes_example.md", "<START>\n{{char}}: Tick.\n");
    practice.provider.list_models(json!({"data": [{"id": "fake/model", "context_length": 4_000}]}));
    let said = practice.asks(&[]).await;
    let failure = said.failure();
    assert!(
        failure.starts_with("model_window: fake/model reads 4000 tokens; in text_conversation_rp"),
        "{failure}"
    );
    assert!(failure.ends_with("choose a model with a larger window, or shorten the card"), "{failure}");
    let shares = said.with("warn");
    assert_eq!(shares.len(), 1, "only the mode in use is worth a warning: {shares:#?}");
    assert!(shares[0].contains("text_conversation_rp keeps 1200 for it"), "{shares:?}");
}

#[tokio::test]
async fn a_mistake_in_the_settings_is_pointed_at_and_what_depends_on_them_is_left() {
    let practice = Practice::open().await;
    let file = practice.write("character.toml", "# mine\ndefault_mode = \"full_rp\"\nchatiness = \"low\"\n");
    let said = practice.asks(&[]).await;
    let failure = said.failure();
    assert!(
        failure.starts_with(&format!("settings: {}:3:1: unknown key `chatiness`", file.display())),
        "{failure}"
    );
    assert!(failure.contains("did you mean `chattiness`?"), "{failure}");
    assert!(practice.discord.requests("").is_empty(), "nobody is asked before it is known whom to ask");
    assert_eq!(
        said.with("skipped").iter().filter(|line| line.contains("the settings come first")).count(),
        2
    );
}

#[tokio::test]
async fn offline_asks_nobody() {
    let practice = Practice::open().await;
    let said = practice.asks(&["--offline"]).await;
    assert_eq!(said.code, 0, "{:#}", said.report);
    assert!(practice.discord.requests("").is_empty());
    assert_eq!(said.with("skipped").iter().filter(|line| line.contains("--offline")).count(), 2);
    let shown = String::from_utf8(practice.run(&["--offline"]).await.stdout).unwrap();
    assert!(shown.contains("What can be looked at offline") && !shown.contains("All is well"), "{shown}");
    // What calls need of this build is tried all the same: it asks nobody.
    let calls = "calls: Opus, the track and encryption between members (DAVE 1) work";
    assert!(said.with("ok").iter().any(|line| line.starts_with(calls)), "{:#}", said.report);
}

#[tokio::test]
async fn what_nobody_was_asked_for_is_not_said_to_be_missing() {
    let mut practice = Practice::bare().await;
    practice.token.clear();
    practice.key.clear();
    let skipped = practice.asks(&["--offline"]).await.with("skipped");
    for told in [
        "model_server: no server is set; one on this machine was not looked for: --offline",
        "clock: there is no server's answer to compare it with",
    ] {
        assert!(skipped.iter().any(|line| line == told), "{skipped:#?}");
    }
}

#[tokio::test]
async fn y14_a_folder_that_holds_no_cross_encoder_is_told_with_what_to_do() {
    let practice = Practice::open().await;
    let said = practice.asks(&["--offline"]).await;
    assert!(!said.report.to_string().contains("reranker"), "nobody wants one");
    let judge = practice.folder.path().join("judge");
    let settings =
        format!("[providers.recall.rerank]\nenabled = true\nfolder = {:?}\n", judge.display().to_string());
    practice.write("character.toml", &settings);
    tiny_model::put(&judge);
    let said = practice.asks(&["--offline"]).await;
    let warnings = said.with("warn");
    let warning = warnings.iter().find(|line| line.starts_with("reranker: ")).unwrap();
    for part in [
        "it embeds and does not judge: finds stay in the order they have",
        "; put a cross-encoder's files there",
    ] {
        assert!(warning.contains(part), "{warning}");
    }
    tiny_model::put_judge(&judge, "bert", "lantern");
    let said = practice.asks(&["--offline"]).await;
    assert!(
        said.with("ok").iter().any(|line| line.starts_with("reranker: the model is in ")),
        "{:#}",
        said.report
    );
}

/// Each row is one look at settings that have nothing to do with each other.
#[tokio::test]
async fn what_is_half_set_up_does_not_fit_or_is_open_to_others_is_told_of_and_nothing_else_is() {
    const OF_ONE_LANGUAGE: &str = "hearing: Deepgram Flux takes everything that is said for English; ";
    const OPEN: &str = "window: others can reach";
    let nobody = Nobody::there();
    let away = format!("base_url = \"http://{}/v1\"\nmodel = \"painter\"", nobody.address());
    let searxng = "search = \"searxng\"\nsearxng_url = \"http://127.0.0.1:9\"";
    let [open, off] = ["", "enabled = false"].map(|more| format!("address = \"0.0.0.0\"\n{more}"));
    let (away, open, off) = (away.as_str(), open.as_str(), off.as_str());
    let practice = Practice::open().await;
    let env = practice.folder.path().join(".env");
    for (language, (search, key), images, (window, token), told) in [
        ("", ("search = \"off\"", ""), "", ("", ""), &[OF_ONE_LANGUAGE][..]),
        (
            "de",
            ("search = \"brave\"", ""),
            "model = \"painter\"",
            (open, ""),
            &[
                OF_ONE_LANGUAGE,
                "Brave is to search the web, but BRAVE_SEARCH_API_KEY is not set",
                "tools.images.base_url is not set",
                OPEN,
            ][..],
        ),
        (
            "en",
            ("search = \"brave\"", "brave-key"),
            "base_url = \"http://127.0.0.1:9/v1\"",
            (open, "too-short"),
            &["tools.images.model is not set", OPEN][..],
        ),
        (
            "en",
            ("search = \"searxng\"", "brave-key"),
            away,
            (open, "a-token-of-the-operators-own"),
            &["SearXNG is to search the web, but nothing says where it is"][..],
        ),
        ("en", (searxng, ""), "", (off, ""), &[][..]),
    ] {
        let keys =
            format!("DEEPGRAM_API_KEY=dg-key\nBRAVE_SEARCH_API_KEY={key}\nFAMILIAR_WINDOW_TOKEN={token}\n");
        std::fs::write(&env, keys).unwrap();
        only_for_its_user(&env);
        let settings = format!(
            "[stt]\nprovider = \"flux\"\nlanguage = \"{language}\"\n[tools.web]\n{search}\n\
             [tools.images]\n{images}\n[window]\n{window}\n"
        );
        practice.write("character.toml", &settings);
        let said = practice.asks(&["--offline"]).await;
        let mut warned = said.with("warn");
        warned.retain(|line| {
            [OF_ONE_LANGUAGE, "web_search: ", "image_make: ", OPEN].iter().any(|kind| line.starts_with(kind))
        });
        assert_eq!(warned.len(), told.len(), "{settings}: {:#}", said.report);
        for told in told {
            assert!(warned.iter().any(|line| line.contains(told)), "{told}: {warned:?}");
        }
    }
    // Whether what is set up is there is only looked for where it may be asked.
    std::fs::remove_file(&env).unwrap();
    practice.write("character.toml", &format!("[tools.images]\n{away}\n"));
    let warned = practice.asks(&[]).await.with("warn").join("\n");
    assert!(warned.contains("image_make: what makes pictures does not answer at http://"), "{warned}");
}

#[tokio::test]
async fn servers_that_are_not_there_fail_within_the_deadline() {
    let nobody = Nobody::there();
    let closed = nobody.address();
    let practice = Practice::open().await;
    let text = format!(
        "[discord]\napi_base = \"http://{closed}\"\n[llm]\nbase_url = \"http://{closed}/v1\"\n\
         [llm.main_prose]\nmodel = \"own:7b\"\n"
    );
    practice.write("character.toml", &text);
    let record =
        json!({"trouble": "Discord could not be reached", "unread": {}, "undescribed": [], "refused": {}});
    practice.write("connection.json", &record.to_string());
    let said = practice.asks(&[]).await;
    let failures = said.with("fail");
    assert_eq!((said.code, failures.len()), (1, 2), "{:#}", said.report);
    assert!(failures[0].starts_with("discord_token: Discord could not be reached; "), "{failures:?}");
    assert!(failures[1].starts_with("model_server: ") && failures[1].contains("--offline"), "{failures:?}");
    // What follows from these two is no trouble of its own.
    let warned = said.with("warn");
    let follows = |line: &String| line.starts_with("discord_") || line.starts_with("model");
    assert!(!warned.iter().any(follows), "{warned:?}");
    let skipped = said.with("skipped");
    for told in [
        "discord_servers: its switches, servers and channels are examined once Discord lets it in",
        "models: keys and models are not examined, because no model server answers",
    ] {
        assert!(skipped.iter().any(|line| line == told), "{told}: {skipped:#?}");
    }
}

#[tokio::test]
async fn a_clock_that_is_wrong_and_a_damaged_history_are_told() {
    let practice = Practice::without_bot().await;
    practice.provider.shows_time("Thu, 01 Jan 2099 00:00:00 GMT");
    practice.write("history.db", &"no database at all ".repeat(99));
    let said = practice.asks(&[]).await;
    let failure = said.failure();
    assert!(failure.starts_with("history: "), "{failure}");
    for way in ["put a backup in its place", ".recover`", "--without-history"] {
        assert!(failure.contains(way), "{way}: {failure}");
    }
    let warnings = said.with("warn");
    assert!(warnings.iter().any(|line| line.starts_with("clock: this machine's clock is ")), "{warnings:?}");
}

#[tokio::test]
async fn a_cards_json_that_cannot_be_read_is_a_warning() {
    let practice = Practice::open().await;
    for broken in ["{", "{}"] {
        practice.write("memory/self/card.json", broken);
        let warnings = practice.asks(&["--offline"]).await.warnings();
        let told = warnings.iter().find(|line| line.starts_with("character: ")).unwrap();
        assert!(told.contains("memory/self/card.json cannot be read"), "{told}");
        assert!(told.contains("<card> --id ada --overwrite"), "{told}");
    }
}

#[tokio::test]
async fn a_damaged_record_of_turns_stops_no_start_and_is_a_warning() {
    let practice = Practice::open().await;
    practice.write("traces.db", &"no database at all ".repeat(99));
    let warnings = practice.asks(&["--offline"]).await.warnings();
    let told = warnings.iter().find(|line| line.starts_with("traces: ")).unwrap();
    assert!(
        told.contains("traces.db: ") && told.contains("sets the file aside as traces.db.damaged"),
        "{told}"
    );
}

#[tokio::test]
async fn a_database_of_a_newer_version_fails_as_the_start_does() {
    let practice = Practice::without_bot().await;
    for name in ["history", "traces"] {
        let file = practice.home().root().join(format!("{name}.db"));
        let newer = rusqlite::Connection::open(&file).unwrap();
        newer.execute_batch("CREATE TABLE later (x TEXT); PRAGMA user_version = 9999").unwrap();
        drop(newer);
        let failure = practice.asks(&["--offline"]).await.failure();
        let is_told = failure.starts_with(&format!("{name}: ")) && failure.contains("by a newer version");
        assert!(is_told, "{failure}");
        std::fs::remove_file(&file).unwrap();
    }
}

#[tokio::test]
async fn a_history_that_notes_outlived_fails_as_the_start_does() {
    let practice = Practice::open().await;
    let notes = "# Ana\n\n- Keeps bees. <!-- f=aaaaaaaa to=dm:terminal:operator on=2026-01-01 from=t:1 -->\n";
    practice.write("memory/people/discord-7.md", notes);
    let history = practice.home().history_db();
    let failure = practice.asks(&["--offline"]).await.failure();
    assert!(
        failure.starts_with("history: ") && failure.contains("history.db is not there, but "),
        "{failure}"
    );
    assert!(
        failure.contains("docs/operations/backup.md") && failure.contains("--without-history"),
        "{failure}"
    );
    assert!(!history.exists(), "the doctor only looks");
    std::fs::write(&history, "").unwrap();
    let failure = practice.asks(&["--offline"]).await.failure();
    assert!(failure.contains("history.db is empty, but "), "{failure}");
    // What no message is named by needs none.
    practice.write(
        "memory/people/discord-7.md",
        "# Ana\n\n- Keeps bees. <!-- f=aaaaaaaa to=dm:terminal:operator -->\n",
    );
    practice.asks(&["--offline"]).await.warnings();
}

#[tokio::test]
async fn y9_what_no_memory_is_made_of_any_more_is_told() {
    let practice = Practice::open().await;
    let at = jiff::Timestamp::UNIX_EPOCH;
    let history = History::open(&practice.home().history_db(), HistoryOptions::default()).await.unwrap();
    let stretch = |last, not_before| PassedOver {
        worker: "memory-writer".to_owned(),
        channel: 5_u64.into(),
        first: StoredId(last - 4),
        last: StoredId(last),
        why: Hindrance::Refused,
        tries: 5,
        not_before,
        since: at,
        answer: None,
    };
    history.pass_over(stretch(5, Some(at)), at).await.unwrap();
    let told = async || {
        practice.asks(&[]).await.with("warn").into_iter().find(|warning| warning.starts_with("memories"))
    };
    assert_eq!(told().await, None, "what is read again is nothing to worry about");
    history.pass_over(stretch(10, None), at).await.unwrap();
    history.close().await.unwrap();
    let told = told().await.unwrap();
    assert!(told.contains("one stretch") && told.ends_with(" unwritten --again`"), "{told}");
}

/// A turn that ended like this.
fn turn(traces: &TraceStore, at: jiff::Timestamp, outcome: Outcome) -> TurnTrace {
    let place = crate::support::stage::ferry();
    TurnTrace {
        total_us: 1,
        background: vec![WorkerRun {
            worker: "memory".to_owned(),
            at,
            us: 1,
            did: "messages 1–50 passed over for now: the model answered nothing".to_owned(),
            calls: Vec::new(),
        }],
        ..TurnTrace::new(
            traces.next_turn(),
            FamiliarId::new("ada").unwrap(),
            place,
            ChannelMode::FullRp,
            at,
            "x",
            outcome,
        )
    }
}

#[tokio::test]
async fn g8_what_went_wrong_today_is_told_with_how_often_and_yesterdays_is_not() {
    let practice = Practice::open().await;
    let none = practice.asks(&["--today"]).await;
    assert!(none.with("ok")[0].contains("nothing was answered"), "{:#}", none.report);
    let traces = TraceStore::open(&practice.home().traces_db(), TraceOptions::default()).await.unwrap();
    let failed = |error: &str| Outcome::Failed { class: ModelErrorClass::Server, error: error.to_owned() };
    let now = jiff::Timestamp::now();
    let yesterday = now - jiff::SignedDuration::from_hours(24);
    for (at, outcome) in [
        (yesterday, failed("the model was asleep")),
        (now, failed("the model is overloaded")),
        (now, failed("the model is overloaded")),
        (now, Outcome::Replied { messages: 1 }),
    ] {
        traces.record(turn(&traces, at, outcome)).await;
    }
    traces.close().await.unwrap();
    let file = || rows_of(&practice.home().traces_db());
    let before = file();
    let said = practice.asks(&["--today"]).await;
    assert!(file() == before, "it only looks, whoever writes there");
    let warnings = said.warnings();
    assert_eq!(said.with("ok"), Vec::<String>::new(), "not all is well");
    let steady: Vec<String> = warnings.iter().map(|line| without_times(&practice, line)).collect();
    assert_eq!(
        steady,
        [
            "turns: 3 turns today, 2 things went wrong; they are told below",
            "unanswered: the model is overloaded (2 times, last at _: t3, t2); look with `familiar context --data-dir DATA t3`",
            "behind_the_scenes: memory: the model answered nothing (3 times, last at _: t4, t3, t2); replies went on \
             without it; look with `familiar context --data-dir DATA t4`",
        ]
    );
    assert!(!said.report.to_string().contains("asleep"));
}

#[tokio::test]
async fn what_could_not_be_stored_today_is_a_failure_until_something_is_again() {
    let practice = Practice::open().await;
    let traces = TraceStore::open(&practice.home().traces_db(), TraceOptions::default()).await.unwrap();
    let record = async |outcome| traces.record(turn(&traces, jiff::Timestamp::now(), outcome)).await;
    let told = "not_stored: the message could not be stored (once, last at _: t1); make room on the disk; if there \
                is room, `familiar doctor --data-dir DATA` says what is wrong with the history";
    record(Outcome::Silent { reason: SilenceReason::NotStored }).await;
    let failure = practice.asks(&["--today"]).await.failure();
    assert_eq!(without_times(&practice, &failure), told);
    record(Outcome::Replied { messages: 1 }).await;
    let warnings = practice.asks(&["--today"]).await.warnings();
    assert_eq!(without_times(&practice, &warnings[1]), told);
}

#[tokio::test]
async fn an_answer_that_did_not_arrive_today_is_told_with_what_says_why() {
    let practice = Practice::open().await;
    let traces = TraceStore::open(&practice.home().traces_db(), TraceOptions::default()).await.unwrap();
    let error = "not connected to Discord".to_owned();
    for outcome in [Outcome::Undelivered { messages: 0, error }, Outcome::Replied { messages: 1 }] {
        traces.record(turn(&traces, jiff::Timestamp::now(), outcome)).await;
    }
    let warnings = practice.asks(&["--today"]).await.warnings();
    assert_eq!(
        without_times(&practice, &warnings[1]),
        "unanswered: not delivered: not connected to Discord (once, last at _: t1); `familiar doctor --data-dir DATA` says whether \
         Discord lets it in, and where it may write; look with `familiar context --data-dir DATA t1`"
    );
}

/// `last at 12:34` without the hour.
fn without_times(practice: &Practice, line: &str) -> String {
    let folder = practice.folder.path().display().to_string();
    let line = line.replace(&format!("--data-dir {folder}"), "--data-dir DATA");
    let Some((before, rest)) = line.split_once("last at ") else { return line };
    format!("{before}last at _{}", &rest["12:34".len()..])
}

fn call(slot: Slot, error: Option<&str>) -> ModelCall {
    ModelCall {
        total_ms: 1,
        error: error.map(|error| (ModelErrorClass::Server, error.to_owned())),
        ..ModelCall::new(slot, "fake/model")
    }
}

#[tokio::test]
async fn g8_a_turn_that_failed_is_told_once_and_a_call_that_another_made_good_is_not_called_done_without() {
    let practice = Practice::open().await;
    let traces = TraceStore::open(&practice.home().traces_db(), TraceOptions::default()).await.unwrap();
    let now = jiff::Timestamp::now();
    let overloaded = "the model is overloaded";
    let failed = Outcome::Failed { class: ModelErrorClass::Server, error: overloaded.to_owned() };
    let replied = Outcome::Replied { messages: 1 };
    let main = || call(Slot::MainProse, Some(overloaded));
    for (outcome, calls) in [
        (failed, vec![main(), main()]),
        (replied.clone(), vec![main(), call(Slot::MainProse, None)]),
        (replied, vec![call(Slot::PostProcessStyle, Some("too slow")), call(Slot::MainProse, None)]),
    ] {
        let quiet = TurnTrace { background: Vec::new(), ..turn(&traces, now, outcome) };
        traces.record(TurnTrace { calls, ..quiet }).await;
    }
    traces.close().await.unwrap();
    let said = practice.asks(&["--today"]).await;
    let told: Vec<String> = said.warnings().iter().map(|line| without_times(&practice, line)).collect();
    assert_eq!(
        told,
        [
            "turns: 3 turns today, 3 things went wrong; they are told below",
            "unanswered: the model is overloaded (once, last at _: t1); look with `familiar context --data-dir DATA t1`",
            "model_calls: fake/model of main_prose: the model is overloaded (once, last at _: t2); another try or \
             another model answered; look with `familiar context --data-dir DATA t2`",
            "model_calls: fake/model of post_process_style: too slow (once, last at _: t3); replies went on without \
             it; look with `familiar context --data-dir DATA t3`",
        ]
    );
}

#[tokio::test]
async fn g8_turns_that_mostly_got_no_answer_are_a_failure_and_one_stopped_by_hand_was_answered_by_nobody() {
    let practice = Practice::open().await;
    let traces = TraceStore::open(&practice.home().traces_db(), TraceOptions::default()).await.unwrap();
    let now = jiff::Timestamp::now();
    let failed =
        || Outcome::Failed { class: ModelErrorClass::Network, error: "nobody answers there".to_owned() };
    let ended = |reason| Outcome::Cancelled { reason, messages: 0 };
    let broken_off = || {
        let broken_off = (ModelErrorClass::Cancelled, "broken off".to_owned());
        vec![ModelCall { error: Some(broken_off), ..call(Slot::MainProse, None) }]
    };
    for (outcome, calls) in [
        (Outcome::Replied { messages: 1 }, Vec::new()),
        (ended(CancelReason::StoppedByHand), broken_off()),
        (ended(CancelReason::Superseded), broken_off()),
        (failed(), Vec::new()),
        (failed(), Vec::new()),
    ] {
        let quiet = TurnTrace { background: Vec::new(), ..turn(&traces, now, outcome) };
        traces.record(TurnTrace { calls, ..quiet }).await;
    }
    traces.close().await.unwrap();
    let said = practice.asks(&["--today"]).await;
    let failure = said.failure();
    assert!(failure.starts_with("turns: 2 of 3 turns today got no answer; why is told below"), "{failure}");
    let told: Vec<String> = said.with("warn").iter().map(|line| without_times(&practice, line)).collect();
    assert_eq!(
        told,
        [
            "unanswered: nobody answers there (2 times, last at _: t5, t4); look with `familiar context --data-dir DATA t5`",
            "model_calls: fake/model of main_prose: stopped by hand before an answer (once, last at _: t2); the turn was \
             ended before anything answered; look with `familiar context --data-dir DATA t2`",
        ]
    );
}

#[tokio::test]
async fn a_line_of_a_note_that_cannot_be_read_is_named_with_its_file() {
    let practice = Practice::open().await;
    practice.write("memory/people/discord-1.md", "# Ana\n\n- Keeps bees. <!-- f=a to=guild:1 -->\n");
    let said = practice.asks(&["--offline"]).await;
    assert!(said.warnings().iter().all(|line| !line.starts_with("notes")), "{:?}", said.warnings());
    practice.write("memory/people/discord-2.md", "# Ben\n\n- Paints.\n- Secret. <!-- f=b to=nobody -->\n");
    practice.write("memory/topics/bees.md", "---\naudience: all\n---\nBees.\n");
    practice.write("memory/people/_aliases.json", "{");
    std::fs::write(practice.write("memory/topics/tea.md", ""), b"# Tea\n\n- Gr\xfcn.\n").unwrap();
    let told: Vec<String> = practice
        .asks(&["--offline"])
        .await
        .warnings()
        .into_iter()
        .filter(|line| line.starts_with("notes"))
        .map(|line| line.replace(&practice.home().memory_dir().display().to_string(), "~"))
        .collect();
    assert_eq!(told.len(), 4, "{told:?}");
    assert_eq!(
        told[0],
        "notes: ~/people/discord-2.md line 4: to=nobody is not understood; mend it; until then it is kept from everybody"
    );
    assert!(told[1].starts_with("notes: ~/topics/bees.md: audience id \"all\" is not usable"), "{told:?}");
    assert!(told[2].starts_with("notes: ~/topics/tea.md: ") && told[2].contains("not text"), "{told:?}");
    assert!(told[3].starts_with("notes: ~/people/_aliases.json: "), "{told:?}");
}

#[tokio::test]
async fn a_running_familiar_is_seen_and_not_disturbed() {
    let practice = Practice::without_bot().await;
    let held = familiar_connect::familiar::lock_familiar(&practice.home()).unwrap();
    let said = practice.asks(&["--offline"]).await;
    let running = format!("process: it is running, as process {}", std::process::id());
    assert!(said.with("ok").contains(&running), "{:#}", said.report);
    drop(held);
}

#[tokio::test]
async fn a_broken_env_file_is_a_line_of_the_report() {
    let mut practice = Practice::bare().await;
    practice.token.clear();
    practice.key.clear();
    std::fs::write(practice.folder.path().join(".env"), "DISCORD_TOKEN is secret\n").unwrap();
    let said = practice.asks(&["--offline"]).await;
    let failure = said.failure();
    assert!(failure.starts_with("environment: ") && failure.contains(".env:1:"), "{failure}");
    assert!(!failure.contains("secret"), "{failure}");
    // What needs a key, or a program that is looked for, is not guessed at.
    let skipped: Vec<String> = said.with("skipped");
    for name in ["discord_token", "model_server", "hearing", "speaking"] {
        let told = format!("{name}: not looked at: .env cannot be read");
        assert!(skipped.contains(&told), "{skipped:#?}");
    }
    assert!(!said.report.to_string().contains("espeak"), "{:#}", said.report);
}

#[tokio::test]
async fn a_misspelt_name_in_env_is_told_with_the_one_that_was_meant() {
    let mut practice = Practice::bare().await;
    practice.token.clear();
    practice.key.clear();
    let env = "OPENROUTER_KEY=sk-or-secret\nRUST_LOG=info\n";
    let file = practice.folder.path().join(".env");
    std::fs::write(&file, env).unwrap();
    only_for_its_user(&file);
    let said = practice.asks(&["--offline"]).await;
    let told: Vec<String> =
        said.warnings().into_iter().filter(|line| line.starts_with("environment")).collect();
    assert_eq!(
        told,
        [
            "environment: nothing reads OPENROUTER_KEY in .env; did you mean OPENROUTER_API_KEY? Then rename it"
        ]
    );
    assert!(!said.report.to_string().contains("sk-or-secret"));
}

#[tokio::test]
async fn d28g_an_answer_that_cannot_be_read_is_called_so() {
    let practice = Practice::open().await;
    let general = practice.discord.guild("home").channel("general");
    practice.subscribe(&[&general]);
    practice.discord.fails("GET channels", Fault::Garbled);
    let failure = practice.asks(&[]).await.failure();
    assert!(
        failure
            .starts_with(&format!("discord_channels: channel {}: the answer cannot be read", general.id()))
    );
    assert!(failure.contains("check discord.api_base") && !failure.contains("try again"), "{failure}");
    practice.discord.fails("GET users/@me", Fault::Garbled);
    let failure = practice.asks(&[]).await.failure();
    assert!(failure.starts_with("discord_token: the answer cannot be read"), "{failure}");
}

#[tokio::test]
async fn d28a_what_the_program_wrote_down_of_its_connection_is_told() {
    let mut practice = Practice::open().await;
    let general = practice.discord.guild("home").channel("general");
    practice.subscribe(&[&general]);
    let record = json!({
        "unread": {"MESSAGE_CREATE": 4}, "undescribed": [7], "refused": {"8": "the thread is locked"},
        "trouble": "the gateway closes with 4002"
    });
    practice.write("connection.json", &record.to_string());
    let warnings = practice.asks(&[]).await.warnings().join("\n");
    for told in
        ["MESSAGE_CREATE came about 4", "server 7", "channel 8: the thread is locked", "closes with 4002"]
    {
        assert!(warnings.contains(told), "{warnings}");
    }
    practice.token.clear();
    let said = practice.asks(&["--offline"]).await;
    assert!(!said.report.to_string().contains("discord_connection"), "without a bot nothing is tried");
}
