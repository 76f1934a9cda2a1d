use super::*;
use crate::config::Unwritable;
use crate::domain::ChannelId;
use crate::domain::Slot;
use crate::llm::{LocalKind, ModelFinding, RoleOrder, Takes, ToolForm, Unfit, UnfitServer};
use crate::mcp::{LeftOutTools, McpTrouble, ServerFindings};
use std::time::Duration;

fn shown(check: DoctorCheck) -> String {
    let advice = check.advice.map(|advice| format!("\n      -> {advice}")).unwrap_or_default();
    format!("{:?} {}: {}{advice}\n", check.status, check.name, check.message)
}

/// A model with too small a window, which may be all that Ollama gives it.
fn reads_little(window_is_usual: bool) -> ModelFinding {
    ModelFinding {
        model: "m".to_owned(),
        slots: vec![Slot::MainProse],
        listed: Some(true),
        window: 4_096,
        window_is_guessed: false,
        window_is_usual,
        has_price: true,
        prices: None,
        unsent: Vec::new(),
    }
}

#[test]
fn where_ollama_keeps_the_window_small_it_is_told_to_give_more() {
    let advice =
        |is_usual| window_below_card(&reads_little(is_usual), ChannelMode::FullRp, 3_000, 1_500).advice;
    assert!(advice(true).unwrap().starts_with("start Ollama with OLLAMA_CONTEXT_LENGTH="));
    assert!(advice(false).unwrap().starts_with("choose a model with a larger window"));
}

/// What is said at a terminal of what answers on this machine and cannot be used.
fn unfit_server(kind: LocalKind, why: Unfit) -> DoctorCheck {
    let unfit = UnfitServer { kind, base_url: "http://127.0.0.1:8080/v1".to_owned(), why };
    server_unfit(&unfit, ReportScreen::Terminal)
}

#[test]
fn the_page_that_takes_a_key_says_so_in_place_of_the_file() {
    let wanting = |screen| [rehearsal(screen), key_lacks_server(screen), key_missing(None, screen)];
    for check in wanting(ReportScreen::Setup) {
        let advice = check.advice.unwrap();
        assert!(advice.contains("paste a key below") && !advice.contains("OPENROUTER_API_KEY"), "{advice}");
    }
    for check in
        [ReportScreen::Terminal, ReportScreen::Elsewhere, ReportScreen::Window].into_iter().flat_map(wanting)
    {
        let advice = check.advice.unwrap();
        assert!(advice.contains("set OPENROUTER_API_KEY in .env"), "{advice}");
    }
}

#[test]
fn what_only_a_shell_can_do_is_no_advice_on_a_page() {
    let silent = |screen| [discord_silent("silent", screen), model_unreachable("m", "silent", screen)];
    for check in [ReportScreen::Window, ReportScreen::Setup].into_iter().flat_map(silent) {
        let advice = check.advice.unwrap();
        assert!(!advice.contains("--offline"), "{advice}");
    }
    for check in [ReportScreen::Terminal, ReportScreen::Elsewhere].into_iter().flat_map(silent) {
        let advice = check.advice.unwrap();
        assert!(advice.ends_with("; or skip this with --offline"), "{advice}");
    }
}

/// What a server of tools has, and how many of them can be used.
fn has(listed: usize, offered: usize) -> ServerFindings {
    ServerFindings {
        listed,
        offered,
        left_out: LeftOutTools::default(),
        unknown: Vec::new(),
        ignored: Vec::new(),
    }
}

/// What the tests of the whole program do not reach, so that every sentence is read by somebody.
#[test]
fn every_sentence_of_the_doctor() {
    let (id, folder) = (FamiliarId::new("ada").unwrap(), Path::new("data/familiars"));
    let channel = ChannelId::from(42_u64);
    let names = ["ada".to_owned(), "bob".to_owned()];
    let mode = ChannelMode::TextConversationRp;
    let all = [
        environment_unreadable(".env:3: this line is not NAME=value", None),
        environment_unreadable("cannot read .env", Some(io::ErrorKind::InvalidData)),
        environment_unreadable("cannot read .env", Some(io::ErrorKind::PermissionDenied)),
        familiar(&id, Path::new("data/familiars/ada")),
        no_familiar(folder),
        unknown_familiar(&id, &[]),
        unknown_familiar(&id, &names),
        several_familiars(&names),
        familiars_unreadable("cannot read data/familiars: permission denied"),
        settings_check(0),
        settings_check(1),
        settings_check(3),
        settings_stop_the_start("character.toml:3:1: unknown key `chatiness`; did you mean `chattiness`?"),
        settings_not_taken("channels/42.toml:1:1: `mode` is missing; add a line `mode = …`"),
        character_check("Ada", 2),
        character_unreadable(&id, "depth_prompt.md: front matter does not end"),
        card_unreadable(
            &id,
            "memory/self/card.json cannot be read: EOF while parsing an object at line 1 column 1",
        ),
        character_says_nothing(&id, "Ada"),
        card_size(mode, 900, None, LeftOut::Nothing, true),
        card_size(mode, 900, Some(1200), LeftOut::Nothing, true),
        card_size(mode, 1500, Some(1200), LeftOut::Examples, true),
        card_size(mode, 1500, Some(1200), LeftOut::ScenarioAndExamples, true),
        card_size(mode, 3000, Some(1200), LeftOut::Overfull, true),
        card_size(mode, 3000, Some(1200), LeftOut::Overfull, false),
        lives_by("Europe/Berlin"),
        lives_by_utc(),
        files_all_known(),
        file_not_read(Path::new("modes/full-rp.md"), Some("full_rp.md")),
        file_not_read(Path::new("diary.txt"), None),
        running(Some(7)),
        running(None),
        not_running(),
        lock_unreadable("permission denied"),
        store_not_there("history"),
        store_sound("history", 900_000),
        store_unfinished("history", 20_000_000_000),
        history_damaged(Path::new("history.db"), "file is not a database"),
        record_damaged(Path::new("traces.db"), "file is not a database"),
        store_closed("history", Path::new("history.db"), "attempt to write a readonly database"),
        store_disk_fails("history", Path::new("history.db"), "disk I/O error", Some(Unwritable::Full)),
        store_disk_fails("history", Path::new("history.db"), "disk I/O error", Some(Unwritable::Locked)),
        store_disk_fails("history", Path::new("history.db"), "disk I/O error", None),
        unstored(Unstored { messages: 1, is_last: true }).unwrap(),
        unstored(Unstored { messages: 3, is_last: false }).unwrap(),
        store_newer("history", Path::new("history.db")),
        wal_large("traces", 300_000_000),
        familiar_not_writable(Path::new("ada/.lock"), Path::new("ada"), "Permission denied (os error 13)"),
        window_shut(),
        data_folder(Path::new("data")),
        data_folder_not_writable(Path::new("data"), "permission denied"),
        disk_check(50_000_000, CheckStatus::Fail),
        disk_check(900_000_000, CheckStatus::Warn),
        disk_check(9_000_000_000, CheckStatus::Ok),
        disk_not_known("not implemented"),
        hears_by_model_key("OpenRouter"),
        SpeechJob::Hearing.not_tried("Deepgram"),
        SpeechJob::Hearing.tried("Deepgram", Ok(())),
        SpeechJob::Hearing
            .tried("Deepgram", Err("Deepgram refuses the key: Invalid credentials.".to_owned())),
        hears_one_language("Deepgram Flux", "English"),
        SpeechJob::Hearing.none_there("no engine for hearing is set up: set DEEPGRAM_API_KEY"),
        SpeechJob::Hearing.lacks("Deepgram needs a key: set DEEPGRAM_API_KEY"),
        SpeechJob::Hearing.off(),
        hears_the_end(Path::new("smart-turn.onnx"), Ok(())),
        hears_the_end(
            Path::new("smart-turn.onnx"),
            Err("cannot read smart-turn.onnx: No such file or directory".to_owned()),
        ),
        SpeechJob::Speaking.not_tried("espeak-ng"),
        SpeechJob::Speaking.tried("espeak-ng", Ok(())),
        SpeechJob::Speaking
            .tried("Cartesia", Err("Cartesia cannot be reached: connection refused".to_owned())),
        SpeechJob::Speaking.none_there(
            "no engine for speaking is set up: install espeak-ng, or set up another one of [tts]",
        ),
        SpeechJob::Speaking.lacks("espeak-ng is not installed"),
        SpeechJob::Speaking.off(),
        server_connected("notes", &has(3, 3)),
        server_connected("notes", &has(3, 1)),
        server_connected("notes", &has(0, 0)),
        server_connected("notes", &ServerFindings { ignored: vec!["resources", "prompts"], ..has(1, 1) }),
        server_connected("notes", &ServerFindings { unknown: vec!["rm".to_owned()], ..has(2, 1) }),
        server_connected(
            "notes",
            &ServerFindings {
                left_out: LeftOutTools {
                    named: vec![("write".to_owned(), "its arguments are no object".to_owned())],
                    more: 0,
                },
                ..has(2, 1)
            },
        ),
        server_away("notes", &McpTrouble::NotFound { command: "npx".to_owned() }),
        server_away(
            "notes",
            &McpTrouble::NotStarted {
                command: "npx".to_owned(),
                error: std::io::Error::from(std::io::ErrorKind::PermissionDenied),
            },
        ),
        server_away("notes", &McpTrouble::NoVariable { variable: "NOTES_KEY".to_owned() }),
        server_away("notes", &McpTrouble::NotAHeader { header: "a b".to_owned() }),
        server_away("notes", &McpTrouble::Said("it ended; its last words were: no licence".to_owned())),
        server_away("notes", &McpTrouble::Late(Duration::from_secs(5))),
        variable_unset("notes", "NOTES_KEY"),
        server_not_tried("notes"),
        server_switched_off("notes"),
        https_check(),
        https_broken("no CA certificates were found"),
        no_token(),
        discord_offline(),
        discord_needs_settings(),
        token_accepted("familiar"),
        token_refused(),
        discord_silent("Discord could not be reached", ReportScreen::Terminal),
        bot_not_examined(),
        discord_unreadable("discord_token", "the answer cannot be read (Data error)"),
        not_connected("the gateway closes with 4002"),
        events_unread("MESSAGE_CREATE", 3),
        server_undescribed(7),
        silent_there(42, "the bot lacks the permission Send Messages there"),
        intent_on(),
        intent_off(Some(42)),
        intent_off(None),
        intent_not_known(),
        presence_off(&["Presence Intent", "Server Members Intent"], Some(42)),
        presence_off(&["Server Members Intent"], None),
        code_grant_on(Some(42)),
        servers(2),
        no_server(Some("https://discord.com/oauth2/authorize?client_id=42")),
        no_server(None),
        servers_not_known(),
        no_channel(),
        channels_open(2),
        channel_lacks(&channel, "rules", &["Send Messages", "Read Message History"]),
        channel_closed(&channel, "the bot cannot see that channel"),
        channel_not_known(&channel, "Discord answered 503: upstream connect error"),
        channels_not_known(),
        model_needs_settings(),
        model_not_asked("m at OpenRouter"),
        model_answers("m at OpenRouter"),
        model_not_looked_for(),
        rehearsal(ReportScreen::Terminal),
        unfit_server(LocalKind::Ollama, Unfit::NoModel),
        unfit_server(LocalKind::LmStudio, Unfit::NoModel),
        unfit_server(LocalKind::LlamaCpp, Unfit::WantsKey),
        unfit_server(LocalKind::Vllm, Unfit::Fails("127.0.0.1 answered 503: busy".to_owned())),
        server_has_no_model("http://h/v1"),
        key_lacks_server(ReportScreen::Terminal),
        no_model_list("m at http://h/v1 (llm.base_url)", "h answered 404: nothing is there"),
        model_unreachable(
            "m at http://h/v1 (llm.base_url)",
            "Connection refused (os error 111)",
            ReportScreen::Terminal,
        ),
        models_not_examined(),
        model_setup_wrong("\"h\" is not a usable base URL: relative URL without a base"),
        key_accepted(),
        key_missing(None, ReportScreen::Terminal),
        key_refused(None, None),
        key_refused(Some("OPENAI_API_KEY"), Some("http://127.0.0.1:8000/v1")),
        model_is_a_page("m at http://127.0.0.1:8000/v1"),
        token_cap_reached(12_000, 10_000),
        key_not_known(),
        credit_check(None, Some(1.0), CheckStatus::Ok),
        credit_check(Some(7.75), Some(2.25), CheckStatus::Ok),
        credit_check(Some(0.2), None, CheckStatus::Warn),
        credit_check(Some(-0.1), None, CheckStatus::Fail),
        models_listed(3),
        model_missing("fake/model", &[Slot::MainProse, Slot::MoodEval]),
        model_unlisted("fake/model"),
        model_replaced("lama3.2:3b", "llama3.2:3b", &["llama3.2:3b".to_owned(), "qwen2.5:7b".to_owned()]),
        window_check("m", 32_000),
        window_guessed("m", 8_192),
        window_below_budget(&reads_little(false), mode, 7_500),
        window_below_budget(&reads_little(true), mode, 7_500),
        window_below_card(&reads_little(false), mode, 3_000, 1_500),
        several_models(Some("m"), &["m".to_owned(), "n".to_owned()]),
        several_models(None, &["m".to_owned(), "n".to_owned()]),
        trial_answered("m", Takes::default()),
        trial_answered("m", Takes { order: RoleOrder::Alternate, tools: ToolForm::Text, broken_calls: 0 }),
        trial_answered(
            "m",
            Takes { order: RoleOrder::AlternateWithoutSystem, tools: ToolForm::None, broken_calls: 3 },
        ),
        trial_late("m"),
        trial_failed("m", "h answered 500: no slot is free"),
        price_unknown(&["m", "n"], Some(500_000)),
        price_unknown(&["m"], None),
        no_cost_cap(0.12),
        cost_cap(0.12, 1.0),
        cost_cap(1.01, 1.0),
        clock_right(),
        clock_not_known(),
        clock_wrong(SignedDuration::from_secs(90)),
        clock_wrong(SignedDuration::from_secs(-90)),
        terminal_check(),
        no_terminal(),
        terminal_without_utf8(Some("C")),
        terminal_without_utf8(None),
    ];
    let told_what_to_do = |check: &DoctorCheck| check.advice.is_some() == (check.status >= CheckStatus::Warn);
    assert!(all.iter().all(told_what_to_do));
    let sentences: String = all.into_iter().map(shown).collect();
    let online = |failed, warned| overall(failed, warned, NetworkUse::Online);
    let offline = |warned| overall(0, warned, NetworkUse::Offline);
    let summaries =
        [online(0, 0), online(0, 2), offline(0), offline(2), online(1, 0), online(1, 2)].join("\n");
    insta::assert_snapshot!(format!("{sentences}\n{summaries}"));
}

#[test]
fn a_build_that_cannot_hold_calls_is_told_with_all_that_is_broken() {
    let fine = call_prerequisites(Ok(()), Ok(()), Ok(1));
    assert_eq!(fine.status, CheckStatus::Ok);
    let broken = call_prerequisites(
        Err("no encoder".to_owned()),
        Err("no reader".to_owned()),
        Err("no keys".to_owned()),
    );
    assert_eq!(broken.status, CheckStatus::Fail);
    let expected = "no call would work: Opus: no encoder; the track: no reader; encryption between members (DAVE): no keys";
    assert_eq!(broken.message, expected);
    for one in [
        call_prerequisites(Err(String::new()), Ok(()), Ok(1)),
        call_prerequisites(Ok(()), Err(String::new()), Ok(1)),
        call_prerequisites(Ok(()), Ok(()), Err(String::new())),
    ] {
        assert_eq!(one.status, CheckStatus::Fail);
    }
}
