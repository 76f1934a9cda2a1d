//! The composed binary, end to end: where parts that work alone are lost together.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use familiar_connect::discord::ConnectionRecord;
use serde_json::json;

use crate::support::binary::{Machine, Running};
use crate::support::discord::{Channel, DiscordWorld, Fault, Guild, PATIENCE, Person, Said};
use crate::support::provider::{ChatRequest, Gate, ProviderWorld, Reply};
use crate::support::rows::rows_of;
use crate::support::stage::CARD;

/// A machine on which Mika was made from her card.
pub async fn machine_with_mika() -> Machine {
    let machine = Machine::new();
    std::fs::write(machine.path().join("mika.json"), CARD).unwrap();
    machine.run(&["init", "mika.json"]).await.assert_success();
    machine
}

/// Mika on Discord, with a model behind her.
pub fn mika_online(machine: &Machine, world: &DiscordWorld, provider: &ProviderWorld) -> Running {
    online(machine, &["run"], world, provider)
}

/// The same with arguments of one's own.
pub fn online(
    machine: &Machine,
    arguments: &[&str],
    world: &DiscordWorld,
    provider: &ProviderWorld,
) -> Running {
    let mut running = machine.start(
        arguments,
        &[
            ("DISCORD_TOKEN", world.token()),
            ("FAMILIAR_DISCORD_API_BASE", &world.api_base()),
            ("FAMILIAR_LLM_BASE_URL", &provider.base_url()),
            ("OPENROUTER_API_KEY", "sk-test-only-0123456789"),
        ],
    );
    running.hangs_up();
    running
}

/// Somebody says something to her and is answered so.
pub async fn replied(provider: &ProviderWorld, who: &Person, channel: &Channel, words: &str, reply: &str) {
    // What is done behind the scenes may ask first.
    let asked = words.to_owned();
    provider.script_when(move |request| request.prompt().contains(&asked), Reply::says(reply));
    who.says(channel, words);
    assert_eq!(channel.next_message().await.content, reply);
}

/// Mika online in a server with one channel that she reads.
pub struct Evening {
    pub machine: Machine,
    pub world: DiscordWorld,
    pub provider: ProviderWorld,
    pub home: Guild,
    pub general: Channel,
    pub alice: Person,
    pub mika: Running,
}

impl Evening {
    pub async fn begins() -> Self {
        Self::with(|_| String::new()).await
    }

    /// The same with settings, which may name Alice.
    pub async fn with(settings: impl FnOnce(&Person) -> String) -> Self {
        let machine = machine_with_mika().await;
        let (world, home) = DiscordWorld::with_home().await;
        let provider = ProviderWorld::start().await;
        let (general, alice) = (home.channel("general"), home.moderator("alice"));
        let settings = settings(&alice);
        if !settings.is_empty() {
            std::fs::write(machine.data().join("familiars/mika/character.toml"), settings).unwrap();
        }
        let mika = mika_online(&machine, &world, &provider);
        world.bot_is_online().await;
        alice.runs(&general, "/subscribe-text", json!({})).await;
        general.is_announced().await;
        Self { machine, world, provider, home, general, alice, mika }
    }

    /// What was going on is finished and written down then; the machine still has it.
    pub async fn ends(mut self) -> Machine {
        self.mika.is_stopped().await;
        self.provider.assert_sound();
        self.machine
    }
}

#[tokio::test]
async fn the_first_start_brings_somebody_to_talk_with() {
    let machine = Machine::new();
    let mut familiar = machine.start(&["chat", "--as", "Ada"], &[]);
    familiar.shows("no language model").await;
    familiar.shows("OPENROUTER_API_KEY").await;
    familiar.shows("Pell: ").await;
    familiar.types("my cat is called Biscuit").await;
    familiar.answers("what is my cat called?", "my cat is called Biscuit").await;
    familiar.answers("/context", "all shows everything").await;
    familiar.answers("/context all", "## Request").await;
    familiar.quits().await;
    assert!(machine.data().join("familiars/pell/history.db").exists());

    let again = machine.run(&["context", "--list"]).await.assert_success();
    assert!(again.out.lines().count() >= 2, "{}", again.out);
    let shown = machine.run(&["context"]).await.assert_success();
    assert!(shown.out.contains("what is my cat called?"), "{}", shown.out);
}

#[cfg(unix)]
#[tokio::test]
async fn what_people_told_it_is_readable_by_nobody_else_on_the_machine() {
    use std::os::unix::fs::PermissionsExt as _;
    fn open_to_others(at: &Path, found: &mut Vec<(PathBuf, u32)>) {
        let mode = std::fs::symlink_metadata(at).unwrap().permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            found.push((at.to_owned(), mode));
        }
        if at.is_dir() {
            std::fs::read_dir(at).unwrap().for_each(|entry| open_to_others(&entry.unwrap().path(), found));
        }
    }
    let machine = machine_with_mika().await;
    let open = || {
        let mut found = Vec::new();
        open_to_others(&machine.data(), &mut found);
        found
    };
    assert_eq!(open(), [], "made so");
    // As an older version left it.
    let shared = [("familiars/mika", 0o755), ("familiars/mika/memory/self/name.md", 0o644), ("", 0o755)];
    for (path, mode) in shared {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(machine.data().join(path), permissions).unwrap();
    }
    let mut mika = machine.start(&["chat", "--as", "Ada"], &[]);
    mika.shows("Mika: ").await;
    mika.types("my cat is called Biscuit").await;
    mika.answers("/context", "# Turn t").await;
    assert!(machine.data().join("familiars/mika/history.db-wal").exists(), "it runs");
    assert_eq!(open(), [], "while it runs");
    mika.quits().await;
    assert_eq!(open(), [], "and afterwards");
}

#[tokio::test]
async fn a_conversation_on_discord_from_subscribing_to_remembering() {
    let machine = machine_with_mika().await;
    let (world, provider) = (DiscordWorld::start().await, ProviderWorld::start().await);
    let home = world.guild("home");
    let general = home.channel("general");
    let (alice, ben) = (home.moderator("alice"), home.member("ben"));
    let mut mika = mika_online(&machine, &world, &provider);
    world.bot_is_online().await;
    // The invite link.
    mika.shows("permissions=").await;

    // Whoever may change that is told that it is not read: from then on it is said before.
    alice.says(&general, Said::text("anybody?").mentioning_the_bot());
    let hint = general.next_message().await;
    assert!(hint.content.contains("/subscribe-text"), "{}", hint.content);
    let answer = alice.runs(&general, "/subscribe-text", json!({})).await;
    assert!(answer.ephemeral);
    general.is_announced().await;

    provider.script(Reply::says("Evening. Mind the rope."));
    alice.says(&general, "hello Mika");
    let reply = general.next_message().await;
    assert_eq!(reply.content, "Evening. Mind the rope.");
    assert!(reply.allowed_mentions_are_empty());
    let asked = provider.next_request().await;
    assert!(asked.prompt().contains("hello Mika"));
    assert!(!asked.prompt().contains("anybody?"), "said before she listened here");

    provider.script(Reply::says("@everyone, Ben says hello."));
    ben.says(&general, "Mika, say hello to all");
    let reply = general.next_message().await;
    assert!(reply.allowed_mentions_are_empty());
    assert!(provider.next_request().await.prompt().contains("Evening. Mind the rope."));

    let shown = alice.runs(&general, "/context", json!({})).await;
    assert!(shown.ephemeral);

    mika.is_stopped().await;
    let mut again = mika_online(&machine, &world, &provider);
    world.has_identified(2).await;
    replied(&provider, &alice, &general, "Mika, what did I say first?", "You said hello.").await;
    assert!(provider.next_request().await.prompt().contains("hello Mika"), "she remembers across a restart");
    again.is_stopped().await;
    provider.assert_sound();
}

#[tokio::test]
async fn long_replies_rate_limits_and_outages_are_survived() {
    let evening = Evening::begins().await;
    let Evening { world, provider, general, alice, .. } = &evening;
    alice.runs(general, "/channel-full-rp", json!({})).await;

    let paragraph = |of: usize| {
        let sentence =
            |n: usize| format!("At mile {n} of leg {of} the river is wide and nobody is in a hurry.");
        (0..16).map(sentence).collect::<Vec<_>>().join(" ")
    };
    let long = (0..4).map(paragraph).collect::<Vec<_>>().join("\n\n");
    provider.script(Reply::says(&long));
    world.fail_next("/messages", Fault::RateLimited(0.2));
    alice.says(general, "Mika, tell me everything");
    let mut told = String::new();
    while told.split_whitespace().count() < long.split_whitespace().count() {
        let part = general.next_message().await.content;
        assert!(part.chars().count() <= 2000);
        told.push_str(&part);
        told.push('\n');
    }
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(&told), words(&long));

    world.drop_gateway();
    world.has_resumed(1).await;
    replied(provider, alice, general, "Mika, are you there?", "Still here.").await;

    provider.script(Reply::stream().text("I was about to ").error(&json!(502), "upstream went away"));
    alice.says(general, "Mika, go on");
    let line = general.next_message().await.content;
    assert!(line.contains("(t"), "the failure line names the turn: {line}");
    replied(provider, alice, general, "Mika?", "Where was I.").await;
    let last = provider.requests().pop().unwrap();
    assert!(last.prompt().contains("Mika, go on"), "the unanswered message was kept");
    assert!(!last.prompt().contains("I was about to"), "what was never said was not");
    evening.ends().await;
}

#[tokio::test]
async fn a_stop_lets_her_finish_her_sentence() {
    let mut evening = Evening::begins().await;
    let gate = Gate::closed();
    evening.provider.script(Reply::stream().text("Last ").gate(&gate).text("words.").finish("stop"));
    evening.alice.says(&evening.general, "Mika, any last words?");
    gate.reached().await;
    evening.mika.is_asked_to_stop();
    evening.mika.logs("stopping").await;
    gate.open();
    assert_eq!(evening.general.next_message().await.content, "Last words.");
    evening.mika.ends_well().await;
}

#[tokio::test]
async fn a_second_signal_does_not_wait_for_the_model() {
    let mut evening = Evening::begins().await;
    let gate = Gate::closed();
    evening.provider.script(Reply::stream().text("I will never ").gate(&gate).text("finish.").finish("stop"));
    evening.alice.says(&evening.general, "Mika, how long does it take?");
    gate.reached().await;
    evening.mika.is_asked_to_stop();
    evening.mika.logs("stopping").await;
    evening.mika.is_stopped().await;
    let shown = evening.machine.run(&["context", "--list", "1"]).await.assert_success();
    assert!(shown.out.contains("shutting down"), "the turn has its outcome: {}", shown.out);
    assert!(evening.general.messages().iter().all(|message| !message.content.contains("never")));
}

/// The settings a person edits by hand while she is online.
#[tokio::test]
async fn edited_settings_hold_at_once_and_a_bad_edit_changes_nothing() {
    let mut evening = Evening::begins().await;
    let file = evening.machine.data().join("familiars/mika/character.toml");
    std::fs::write(&file, "[llm.main_prose]\nmodel = \"harbour/second-mate\"\n").unwrap();
    evening.mika.logs("harbour/second-mate").await;
    replied(&evening.provider, &evening.alice, &evening.general, "Mika, who is on watch?", "Aye.").await;
    assert_eq!(evening.provider.requests().pop().unwrap().model(), "harbour/second-mate");

    std::fs::write(&file, "[llm.main_prose]\nmodle = \"harbour/third-mate\"\n").unwrap();
    evening.mika.logs("modle").await;
    replied(&evening.provider, &evening.alice, &evening.general, "Mika, and now?", "Still aye.").await;
    assert_eq!(evening.provider.requests().pop().unwrap().model(), "harbour/second-mate");
    evening.ends().await;
}

/// Whoever points her at a server of their own means that nothing goes to the other one any more.
#[tokio::test]
async fn d26_an_edited_base_url_sends_what_is_said_next_to_the_new_server_only() {
    let machine = machine_with_mika().await;
    let (old, new) = (ProviderWorld::start().await, ProviderWorld::start().await);
    let file = machine.data().join("familiars/mika/character.toml");
    let settings = |world: &ProviderWorld| format!("[llm]\nbase_url = \"{}\"\n", world.base_url());
    std::fs::write(&file, settings(&old)).unwrap();
    let mut mika = machine.start(&["chat"], &[]);
    old.otherwise(Reply::says("From the old quay."));
    new.otherwise(Reply::says("From the new quay."));
    mika.answers("Where are you?", "From the old quay.").await;
    assert_eq!(old.requests()[0].model(), "fake/model", "what it lists, as nobody named one");
    std::fs::write(&file, settings(&new)).unwrap();
    mika.logs(&new.base_url()).await;
    let before = old.requests().len();
    mika.answers("And where are you now?", "From the new quay.").await;
    let asked: Vec<String> = old.requests().iter().skip(before).map(ChatRequest::prompt).collect();
    assert!(asked.iter().all(|prompt| !prompt.contains("where are you now")), "{asked:#?}");
    mika.leaves().await;
}

/// Thoughts before and polish after, through the whole program.
#[tokio::test]
async fn she_thinks_first_and_what_she_wrote_is_polished() {
    let mut evening = Evening::begins().await;
    let file = evening.machine.data().join("familiars/mika/character.toml");
    let settings = "default_mode = \"full_rp\"\n[llm.main_prose]\nmodel = \"harbour/second-mate\"\n\
                    [llm.reasoning_context]\nmodel = \"harbour/cook\"\n\
                    [llm.post_process_style]\nmodel = \"harbour/cook\"\n";
    std::fs::write(&file, settings).unwrap();
    evening.mika.logs("harbour/second-mate").await;
    let written = "She laughs. \"We sank the dinghy at 19:30,\" she says. She laughs again, and again.";
    let polished = "A laugh. \"We sank the dinghy at 19:30,\" she says. Then once more, and for longer.";
    let world = &evening.provider;
    world.script_when(
        |asked| asked.prompt().contains("<to_answer>"),
        Reply::says("<thoughts>- The dinghy!</thoughts><plans>1. Laugh.</plans>"),
    );
    world.script_when(|asked| asked.model() == "harbour/second-mate", Reply::says(written));
    world.script_when(|asked| asked.prompt().contains("You check whether"), Reply::says(written));
    world.script_when(|asked| asked.prompt().contains("line editor"), Reply::says(polished));
    evening.alice.says(&evening.general, "Mika, do you remember what we did at the harbour?");
    assert_eq!(evening.general.next_message().await.content, polished);
    let asked = evening.provider.requests();
    let main = asked.iter().find(|asked| asked.model() == "harbour/second-mate").unwrap();
    assert!(main.prompt().contains("- The dinghy!"), "{}", main.prompt());
    let polish: Vec<_> = asked.iter().filter(|asked| asked.prompt().contains("text_to_transform")).collect();
    assert!(polish.len() == 2 && polish.iter().all(|asked| !asked.prompt().contains("The dinghy!")));
    // The reply is there before its record is: only a program that has ended has surely written it.
    let x_ray = evening.ends().await.run(&["context"]).await.assert_success().out;
    for part in ["## Thought first", "- The dinghy!", "## Recast", written] {
        assert!(x_ray.contains(part), "{x_ray}");
    }
}

#[tokio::test]
async fn nothing_of_a_key_reaches_logs_traces_or_screens() {
    let machine = machine_with_mika().await;
    let provider = ProviderWorld::start().await;
    let mut mika = machine.start_with(&["-vv", "chat"], &provider);
    provider.script(Reply::refuses(401, "key sk-test-only-0123456789 is not valid"));
    mika.answers("hello", "OPENROUTER_API_KEY").await;
    mika.answers("/context", "# Turn t").await;
    mika.quits().await;
    for (what, text) in [("screen", mika.screen()), ("log", mika.log())] {
        assert!(!text.contains("sk-test-only"), "{what}: {text}");
    }
    let traced = machine.run(&["context", "--json"]).await.assert_success();
    assert!(!traced.out.contains("sk-test-only"), "{}", traced.out);
}

#[tokio::test]
async fn a_mistake_in_the_settings_points_at_its_line() {
    let machine = machine_with_mika().await;
    let file = machine.data().join("familiars/mika/character.toml");
    std::fs::write(&file, "aliases = []\nchatiness = \"Loud\"\n").unwrap();
    let run = machine.run(&["chat"]).await;
    assert_eq!(run.status.code(), Some(1));
    assert!(run.err.contains("character.toml") && run.err.contains("chatiness"), "{}", run.err);
    assert!(run.err.contains("chattiness"), "did you mean: {}", run.err);
    assert!(run.err.contains(":2:"), "{}", run.err);
}

#[tokio::test]
async fn with_several_familiars_it_asks_which_and_a_script_is_told() {
    let none = Machine::new().run(&["list", "--data-dir", "elsewhere"]).await.assert_success();
    assert!(none.out.contains("make one with: familiar init --data-dir elsewhere <card>"), "{}", none.out);
    let none = Machine::new().run(&["doctor", "--offline", "--data-dir", "else where"]).await;
    assert!(
        none.out.contains("make one with: familiar init --data-dir \"else where\" <card>"),
        "{}",
        none.out
    );
    let machine = machine_with_mika().await;
    let moved_in = machine.run(&["init", "mika.json", "--data-dir", "else where"]).await.assert_success();
    let start = "start with: familiar run --data-dir \"else where\" --familiar mika";
    assert!(moved_in.out.contains(start), "{}", moved_in.out);
    let resting = machine.run(&["window", "--data-dir", "else where"]).await;
    assert!(resting.err.contains("start it with: familiar run --data-dir \"else where\""), "{}", resting.err);
    machine.run(&["init", "mika.json", "--id", "other"]).await.assert_success();
    let run = machine.run(&["chat"]).await;
    assert_eq!(run.status.code(), Some(1));
    assert!(run.err.contains("mika, other") && run.err.contains("--familiar"), "{}", run.err);
    let run = machine.run(&["chat", "--familiar", "nobody"]).await;
    assert!(run.err.contains("there is no familiar nobody"), "{}", run.err);
    let mut one = machine.start(&["chat", "--familiar", "other"], &[]);
    one.answers("/status", "`familiar doctor --familiar other` says").await;
    one.leaves().await;
    // Not everybody has every letter on their keyboard.
    machine.run(&["init", "mika.json", "--name", "Brünhilde"]).await.assert_success();
    machine.run(&["memory", "list", "--familiar", "brunhilde"]).await.assert_success();
    machine.run(&["export", "Brunhilde", "-o", "b.json"]).await.assert_success();
    for id in ["fox-a", "fox-b"] {
        machine.run(&["init", "mika.json", "--name", "Möbius Fox", "--id", id]).await.assert_success();
    }
    let both = "several familiars are called \"Möbius Fox\" (fox-a, fox-b): name one by its id";
    for line in [&["chat", "--familiar", "Möbius Fox"][..], &["export", "Möbius Fox"]] {
        let run = machine.run(line).await;
        assert!(!run.status.success() && run.err.contains(both), "{}", run.err);
    }
    let looked = machine.run(&["doctor", "--offline", "--familiar", "Möbius Fox"]).await;
    assert!(looked.out.contains("several live here: fox-a, fox-b"), "{}", looked.out);
    let looked = machine.run(&["doctor", "--offline", "--familiar", "BRUNHILDE"]).await;
    assert!(!looked.out.contains("there is no BRUNHILDE"), "{}", looked.out);
}

#[tokio::test]
async fn a_history_of_a_newer_version_is_refused_in_one_sentence_and_left_alone() {
    let machine = machine_with_mika().await;
    let file = machine.data().join("familiars/mika/history.db");
    let newer = rusqlite::Connection::open(&file).unwrap();
    newer
        .execute_batch(
            "PRAGMA journal_mode = WAL; CREATE TABLE from_the_future (words TEXT); PRAGMA user_version = 9999",
        )
        .unwrap();
    drop(newer);
    let before = std::fs::read(&file).unwrap();
    let (world, provider) = (DiscordWorld::start().await, ProviderWorld::start().await);
    let mut mika = mika_online(&machine, &world, &provider);
    assert!(!mika.ends().await.success());
    let told = mika.log();
    assert!(told.contains("was written by a newer version; update the program"), "{told}");
    assert!(told.contains("history.db") && !told.contains("panicked"), "{told}");
    assert!(std::fs::read(&file).unwrap() == before, "nothing was changed");
}

#[tokio::test]
async fn a28_a_replay_asks_the_slot_and_sends_the_tools_that_the_turn_had() {
    let machine = machine_with_mika().await;
    let provider = ProviderWorld::start().await;
    std::fs::write(
        machine.data().join("familiars/mika/character.toml"),
        "[tools]\nuse = \"always\"\n[llm.main_prose]\nmodel = \"fake/main\"\ntemperature = 0.5\n\
         [llm.reasoning_context]\nmodel = \"fake/deep\"\ntemperature = 0.25\n\
         [plan.text.effort_1_2]\nslot = \"reasoning_context\"\n",
    )
    .unwrap();
    let mut mika = machine.start_with(&["chat"], &provider);
    provider.script_when(|asked| asked.model() == "fake/deep", Reply::says("Evening, from below."));
    mika.answers("hello", "Evening, from below.").await;
    mika.quits().await;
    let turn = |asked: &ChatRequest| asked.body["temperature"] == json!(0.25);
    let then = provider.requests().into_iter().find(|asked| turn(asked)).unwrap();
    assert!(then.body["tools"].as_array().is_some_and(|tools| !tools.is_empty()));

    let call = json!({"tool_calls": [{"index": 0, "id": "c1",
        "function": {"name": "memory_search", "arguments": "{\"query\":\"rope\"}"}}]});
    provider.script_when(
        |asked| asked.model() == "other/model",
        Reply::stream().text("Again.").delta(&call).finish("tool_calls"),
    );
    let mut replay = machine.start_with(&["replay", "--model", "other/model"], &provider);
    replay.ends_well().await;
    let shown = replay.screen();
    assert!(shown.contains("other/model says now:") && shown.contains("Again."), "{shown}");
    assert!(shown.contains("It would call: memory_search {\"query\":\"rope\"}"), "{shown}");
    let now = provider.requests().into_iter().find(|asked| asked.model() == "other/model").unwrap();
    for (what, is_alike) in [
        ("the slot's own settings", now.body["temperature"] == then.body["temperature"]),
        ("the prompt", now.body["messages"] == then.body["messages"]),
        ("the tools", now.body["tools"] == then.body["tools"]),
    ] {
        assert!(is_alike, "{what}: {} then {}", then.body, now.body);
    }
    provider.assert_sound();
}

#[tokio::test]
async fn no_key_of_the_settings_stands_in_a_last_context() {
    let machine = machine_with_mika().await;
    let provider = ProviderWorld::start().await;
    provider.otherwise(Reply::says("Then keep it to yourself."));
    let key = "sk-test-only-0123456789";
    let mut mika = machine.start_with(&["chat"], &provider);
    mika.answers(&format!("the lantern key is {key}, do not tell"), "Then keep it to yourself.").await;
    mika.quits().await;
    let channels = machine.data().join("familiars/mika/channels");
    let written: Vec<String> = std::fs::read_dir(channels)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(".last-context.md"))
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    assert_eq!(written.len(), 1);
    assert!(written[0].contains("the lantern key is") && !written[0].contains(key), "{}", written[0]);
}

/// Every file of Mika's but what replays keep apart and what SQLite makes and empties beside a database; of a database what
/// is in it.
fn files_of_mika(machine: &Machine) -> BTreeMap<PathBuf, Vec<u8>> {
    fn below(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && name != "replays" {
                below(&path, files);
            } else if path.is_file() && !name.ends_with("-wal") && !name.ends_with("-shm") {
                let is_database = name.ends_with(".db") || name.ends_with(".sqlite");
                let is = if is_database { rows_of(&path) } else { std::fs::read(&path).unwrap() };
                files.insert(path.clone(), is);
            }
        }
    }
    let mut files = BTreeMap::new();
    below(&machine.data().join("familiars/mika"), &mut files);
    files
}

/// One line in the terminal, and away again.
async fn says_hello(machine: &Machine) {
    let mut mika = machine.start(&["chat"], &[]);
    mika.types("hello").await;
    mika.leaves().await;
}

/// The number of the newest turn that is kept.
pub async fn newest_turn(machine: &Machine) -> u64 {
    let listed = machine.run(&["context", "--list", "1", "--json"]).await.assert_success();
    serde_json::from_str::<serde_json::Value>(&listed.out).unwrap()["id"].as_u64().unwrap()
}

#[tokio::test]
async fn a28_a_dry_replay_changes_nothing_and_uses_up_no_turn_numbers() {
    let machine = machine_with_mika().await;
    says_hello(&machine).await;
    let before = newest_turn(&machine).await;
    // Whoever opens a database next takes over what the last program left beside it.
    machine.run(&["replay", "--dry-run"]).await.assert_success();
    let files = files_of_mika(&machine);
    let replay = machine.run(&["replay", "--dry-run"]).await.assert_success();
    assert!(!replay.err.contains("breaking off"), "nothing is being said: {}", replay.err);
    let after = files_of_mika(&machine);
    let changed: Vec<_> = after.iter().filter(|(path, bytes)| files.get(*path) != Some(*bytes)).collect();
    let changed: Vec<_> = changed.into_iter().map(|(path, _)| path).collect();
    assert!(changed.is_empty() && after.len() == files.len(), "{changed:?}");
    // Without what there never was it would prove nothing.
    let nothing = machine.run(&["replay", "--dry-run", "--without", "program/axiom"]).await;
    assert_eq!(nothing.status.code(), Some(1), "{}", nothing.out);
    let said = nothing.err.replace('\n', " ");
    assert!(said.contains("no piece of t") && said.contains("nearest names are: program/axioms"), "{said}");
    machine.run(&["replay", "--dry-run", "--without", "program/axioms"]).await.assert_success();
    says_hello(&machine).await;
    assert_eq!(newest_turn(&machine).await, before + 1);
}

#[tokio::test]
async fn why_is_asked_of_the_last_turn_that_asked_a_model_and_an_empty_list_says_so() {
    let machine = machine_with_mika().await;
    let mut mika = machine.start(&["chat"], &[]);
    mika.types("the Lamp of Ghent is lit").await;
    mika.types("/greet").await;
    mika.answers("/why lamp", "and \u{201c}lamp\u{201d}").await;
    mika.shows("It was told").await;
    mika.quits().await;
    let why = machine.run(&["context", "--why", "lamp"]).await.assert_success();
    assert!(
        why.out.contains("## It was told") && why.out.contains("the Lamp of Ghent is lit"),
        "{}",
        why.out
    );
    // Asked of the greeting itself.
    let greeting = newest_turn(&machine).await;
    let why = machine.run(&["context", &format!("t{greeting}"), "--why", "lamp"]).await.assert_success();
    assert!(why.out.contains("This turn asked no model (a greeting was asked for;"), "{}", why.out);
    assert!(!why.out.contains("not looked up"), "{}", why.out);

    let none = machine.run(&["context", "--list", "--channel", "123"]).await.assert_success();
    assert_eq!(none.out, "no turn of channel 123 is kept; without --channel all are listed\n");
}

#[tokio::test]
async fn what_is_forgotten_in_a_shell_is_nothing_to_move_away_and_for_good_reaches_its_copy() {
    let machine = machine_with_mika().await;
    says_hello(&machine).await;
    let warned = async || {
        let said = machine.run(&["doctor", "--offline", "--json"]).await;
        let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
        let checks = report["checks"].as_array().unwrap().clone();
        checks.into_iter().filter(|one| one["name"] == "files" && one["status"] != "ok").collect::<Vec<_>>()
    };
    machine.run(&["forget", "person", "terminal:operator", "--yes"]).await.assert_success();
    assert!(machine.data().join("familiars/mika/forgotten").is_dir());
    assert_eq!(warned().await, Vec::<serde_json::Value>::new());
    let again = machine.run(&["forget", "person", "terminal:operator", "--yes"]).await;
    assert_eq!((again.status.code(), again.out.trim()), (Some(1), "nothing found for terminal:operator"));
    let hard = machine.run(&["forget", "person", "terminal:operator", "--hard", "--yes"]).await;
    let hard = hard.assert_success();
    assert!(hard.out.contains("to be forgotten: 1 sealed copy"), "{}", hard.out);
    assert_eq!(warned().await, Vec::<serde_json::Value>::new());
    let undo = machine.run(&["forget", "undo", "--yes"]).await;
    assert!(undo.out.contains("nothing that could be taken back"), "{}", undo.out);
}

#[tokio::test]
async fn while_it_runs_forgetting_in_a_shell_says_where_else_that_is_done() {
    let machine = machine_with_mika().await;
    let mut mika = machine.start(&["chat"], &[]);
    mika.answers("hello", "Mika: ").await;
    let said = machine.run(&["forget", "topic", "cats", "--yes"]).await;
    assert!(said.err.starts_with("familiar: familiar mika is in use by process "), "{}", said.err);
    let how = "; stop it first, or use Forget in its window, or /forget in its terminal or on Discord";
    assert!(!said.status.success() && said.err.trim_end().ends_with(how), "{}", said.err);
    mika.leaves().await;
}

#[tokio::test]
async fn a_person_is_forgotten_by_the_name_that_was_shown_and_an_unknown_one_is_told_who_there_is() {
    let machine = machine_with_mika().await;
    let nobody = machine.run(&["forget", "person", "Zoe", "--yes"]).await;
    assert!(!nobody.status.success() && nobody.err.contains("nobody has spoken yet"), "{}", nobody.err);
    let mut mika = machine.start(&["chat", "--as", "Ana"], &[]);
    mika.types("the lamp is lit").await;
    mika.quits().await;
    let unknown = machine.run(&["forget", "person", "Zoe", "--yes"]).await;
    assert!(!unknown.status.success(), "{}", unknown.out);
    let told = "nobody is called “Zoe”; there are: Ana (terminal:operator)";
    assert!(unknown.err.contains(told), "{}", unknown.err);
    let known = machine.run(&["forget", "person", "ana", "--yes"]).await.assert_success();
    assert!(known.out.contains("forgotten; for seven days"), "{}", known.out);
    let again = machine.run(&["context", "--why", "lamp"]).await;
    assert!(!again.out.contains("It is kept"), "{}", again.out);
}

#[tokio::test]
async fn an_answer_that_nobody_could_read_goes_with_what_goes_and_never_alone() {
    let machine = machine_with_mika().await;
    let mut mika = machine.start(&["chat", "--as", "Ana"], &[]);
    mika.types("the lamp is lit").await;
    mika.quits().await;
    let waiting = machine.data().join("familiars/mika/memory/sessions/.pending");
    std::fs::create_dir_all(&waiting).unwrap();
    let answer = waiting.join("20260302-200000.md");
    std::fs::write(&answer, "# From ferry\n\n```json\n{\"answer\":\"Ana is allergic to\"}\n```\n").unwrap();
    for id in ["abc", "k3v9q2xy"] {
        let none = machine.run(&["forget", "fact", id, "--yes"]).await;
        assert_eq!(
            (none.status.code(), none.out.trim()),
            (Some(1), format!("nothing found for {id}").as_str())
        );
    }
    assert!(answer.exists());
    let gone = machine.run(&["forget", "person", "Ana", "--yes"]).await.assert_success();
    assert!(gone.out.contains(", 1 unreadable model answer"), "{}", gone.out);
    assert!(!answer.exists());
}

#[tokio::test]
async fn before_a_yes_the_first_facts_that_would_go_stand_there_by_their_words() {
    let machine = machine_with_mika().await;
    let note = machine.data().join("familiars/mika/memory/topics/cats.md");
    std::fs::create_dir_all(note.parent().unwrap()).unwrap();
    let facts: String = (1..8).map(|n| format!("- Cat {n} purrs. <!-- f=aaaaaaa{n} -->\n")).collect();
    std::fs::write(&note, format!("# Cats\n\n{facts}")).unwrap();
    let asked = machine.run(&["forget", "topic", "cats"]).await;
    let told = "to be forgotten: 7 facts, 1 note\n- Cat 1 purrs.\n- Cat 2 purrs.\n- Cat 3 purrs.\n\
                - Cat 4 purrs.\n- Cat 5 purrs.\n… and 2 more\n";
    assert_eq!((asked.status.success(), asked.out.as_str()), (false, told), "{}", asked.err);
    assert!(note.exists());
}

#[tokio::test]
async fn what_is_noted_of_a_word_leads_the_small_talk_that_holds_it_too() {
    let machine = machine_with_mika().await;
    let mut mika = machine.start(&["chat", "--as", "Ana"], &[]);
    mika.types("My sister is called Noor").await;
    for talk in
        ["sister sister", "my sister again", "oh sister, what a day", "the sister act is on", "sister!"]
    {
        mika.types(talk).await;
    }
    mika.quits().await;
    let found = machine.run(&["recall", "sister"]).await.assert_success();
    let first = found.out.lines().next().unwrap_or_default();
    assert!(first.starts_with("1. ") && first.contains("noted, in "), "{}", found.out);
    assert!(first.contains("sister is called Noor."), "{}", found.out);
    assert!(found.out.contains("sister act"), "{}", found.out);
}

#[tokio::test]
async fn a_card_is_exported_only_as_what_its_ending_says_and_reports_count_like_people() {
    let machine = Machine::new();
    std::fs::write(machine.path().join("mika.json"), CARD).unwrap();
    let made = machine.run(&["init", "mika.json"]).await.assert_success();
    assert!(made.out.contains("2 greetings; 0 lore entries\n") && !made.out.contains("(s)"), "{}", made.out);
    let refused = machine.run(&["export", "mika", "-o", "mika.zip"]).await;
    assert_eq!(refused.status.code(), Some(2), "{}", refused.out);
    assert!(
        refused.err.contains("a card is no .zip file; it ends in .png, .json, .charx"),
        "{}",
        refused.err
    );
    assert!(!machine.path().join("mika.zip").exists());
    machine.run(&["export", "mika", "--out", "mika.CHARX"]).await.assert_success();
    assert!(std::fs::read(machine.path().join("mika.CHARX")).unwrap().starts_with(b"PK"));
    let written = machine.run(&["export", "mika"]).await.assert_success();
    let (file, _) = written.out.strip_prefix("wrote ").unwrap().split_once(" (").unwrap();
    assert!(Path::new(file).is_absolute() && file.ends_with("mika.png"), "{}", written.out);
    std::fs::write(file, "mine").unwrap();
    let refused = machine.run(&["export", "mika"]).await;
    assert!(refused.err.contains("mika.png is already there; --overwrite replaces it"), "{}", refused.err);
    assert_eq!(std::fs::read_to_string(machine.path().join("mika.png")).unwrap(), "mine");
    std::fs::write(
        machine.path().join("harbour.json"),
        r#"{"entries": {"0": {"uid": 0, "key": ["tide"], "content": "High at noon."}}}"#,
    )
    .unwrap();
    let book = machine.run(&["lore", "import", "harbour.json", "--familiar", "mika"]).await.assert_success();
    assert!(book.out.contains(": 1 lore entry\n"), "{}", book.out);
}

#[tokio::test]
async fn m14_what_is_told_alone_after_pairing_is_known_on_the_server_by_the_whole_program() {
    let settings = |alice: &Person| format!("[discord]\ndm_allowlist = [{}]\n", alice.id());
    let mut evening = Evening::with(settings).await;
    let Evening { provider, general, alice, .. } = &evening;
    provider.otherwise(Reply::says("I see."));
    let says = async |place: &Channel, text: &str| {
        alice.says(place, text);
        place.next_message().await;
        provider.next_request().await.prompt()
    };
    says(&alice.dm(), "the old wreck is my secret").await;
    let made = alice.runs(&alice.dm(), "/pair", json!({})).await;
    let code = made.content.split("**").nth(1).unwrap().to_owned();
    let taken = alice.runs(general, "/pair", json!({"code": code})).await;
    assert!(taken.content.starts_with("Paired."), "{taken:?}");
    says(&alice.dm(), "my cat is called Biscuit").await;
    let prompt = says(general, "Mika, what is my cat called, and what of the wreck?").await;
    assert!(prompt.contains("my cat is called Biscuit"), "{prompt}");
    assert!(!prompt.contains("is my secret"), "{prompt}");
    alice.runs(general, "/unpair", json!({})).await;
    let prompt = says(general, "Mika, and now, what is it called?").await;
    assert!(!prompt.contains("my cat is called Biscuit"), "{prompt}");
    evening.mika.is_stopped().await;
}

#[tokio::test]
async fn d28d_where_she_may_not_speak_no_model_is_asked_until_she_may() {
    const SEND_MESSAGES: u64 = 1 << 11;
    let evening = Evening::begins().await;
    let Evening { machine, provider, general, alice, .. } = &evening;
    general.denies_the_bot(SEND_MESSAGES);
    alice.says(general, "Mika, do you hear the geese?");
    let record = machine.data().join("familiars/mika/connection.json");
    let is_told = async {
        while !ConnectionRecord::read(&record).refused.contains_key(&general.id()) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, is_told).await.expect("it is written down");
    assert!(provider.requests().is_empty());

    general.denies_the_bot(0);
    replied(provider, alice, general, "Mika, and now?", "All of them.").await;
    assert_eq!(provider.requests().len(), 1, "one answer, one request");
    assert!(provider.requests()[0].prompt().contains("the geese"), "what was said meanwhile was heard");
    evening.ends().await;
}
