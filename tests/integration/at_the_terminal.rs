//! A conversation in a terminal, as somebody sees it who sits in front of one.

use serde_json::{Value, json};

use crate::binary::machine_with_mika;
use crate::support::binary::{Machine, Seat, Shown};
use crate::support::discord::DiscordWorld;
use crate::support::nobody::Nobody;
use crate::support::provider::{Gate, ProviderWorld, Reply};

/// At the prompt of a conversation that Ada has with Mika.
async fn at_the_prompt(machine: &Machine, provider: &ProviderWorld, columns: u16) -> Seat {
    let mut ada = seated(machine, provider, columns, &[]);
    ada.is_typing("Ada: ").await;
    ada
}

fn seated(machine: &Machine, provider: &ProviderWorld, columns: u16, more: &[(&str, &str)]) -> Seat {
    let base = provider.base_url();
    let wired = [("FAMILIAR_LLM_BASE_URL", base.as_str()), ("OPENROUTER_API_KEY", "sk-test-only-0123456789")];
    machine.sits_down(&["chat", "--as", "Ada"], &[&wired, more].concat(), columns)
}

async fn leaves(mut ada: Seat) {
    ada.presses("\u{4}").await;
    assert!(ada.ends().await.success());
}

#[tokio::test]
async fn a_log_line_leaves_the_line_that_is_being_typed_whole() {
    let (machine, provider) = (machine_with_mika().await, ProviderWorld::start().await);
    let mut ada = at_the_prompt(&machine, &provider, 120).await;
    ada.presses("is the ki").await;
    ada.is_typing("Ada: is the ki").await;

    // Something that is told in the log.
    let settings = "[llm.main_prose]\nmodel = \"harbour/second-mate\"\n";
    std::fs::write(machine.data().join("familiars/mika/character.toml"), settings).unwrap();
    ada.shows("harbour/second-mate").await;
    let shown = ada.is_typing("Ada: is the ki").await;
    let logged: Vec<_> = shown.rows.iter().filter(|row| row.contains("Setting changed")).collect();
    assert!(!logged.is_empty() && !shown.text().contains("INFO"), "{}", shown.text());
    assert!(logged.iter().all(|row| !row.contains("Ada")), "{}", shown.text());
    assert_eq!(shown.rows.iter().filter(|row| row.starts_with("Ada: ")).count(), 1, "{}", shown.text());

    provider.script(Reply::says("It is."));
    ada.gets("ttle on?\r", "Mika: It is.").await;
    assert!(provider.next_request().await.prompt().contains("is the kittle on?"));
    leaves(ada).await;
}

#[tokio::test]
async fn help_says_what_each_command_does_beneath_itself() {
    let (machine, provider) = (machine_with_mika().await, ProviderWorld::start().await);
    let mut ada = at_the_prompt(&machine, &provider, 80).await;
    ada.gets("/help\r", "Ctrl-C stops an answer.").await;
    let shown = ada.is_typing("Ada: ").await;
    let is_above = |rows: &[String]| rows[0].starts_with("/quiet [n]     for n minutes");
    let below = shown.rows.windows(2).find(|rows| is_above(rows)).map(|rows| &rows[1]);
    assert!(below.is_some_and(|row| row.starts_with(&" ".repeat(15))), "{}", shown.text());
    leaves(ada).await;
}

#[tokio::test]
async fn a_missing_embedding_model_is_told_of_once_and_in_words() {
    let (machine, provider) = (machine_with_mika().await, ProviderWorld::start().await);
    let settings = "[memory.embeddings]\nfolder = \"/no/such/folder\"\n";
    std::fs::write(machine.data().join("familiars/mika/character.toml"), settings).unwrap();
    let mut ada = at_the_prompt(&machine, &provider, 120).await;
    ada.shows("Memory is searched by words alone:").await;
    // Whatever else is said of it would stand above an answer.
    ada.gets("is the kettle on?\r", "Mika: Understood.").await;
    let shown = ada.is_typing("Ada: ").await.text();
    assert_eq!(shown.matches("searched by words alone").count(), 1, "{shown}");
    assert!(!shown.contains("WARN") && !shown.contains("INFO"), "{shown}");
    leaves(ada).await;
}

#[tokio::test]
async fn whoever_sits_there_is_somebody_else_in_play_until_they_clear_it() {
    let (machine, provider) = (machine_with_mika().await, ProviderWorld::start().await);
    let mut ada = at_the_prompt(&machine, &provider, 120).await;
    ada.presses("/persona Captain Vane: a retired privateer\r").await;
    ada.shows("Here you play Captain Vane: a retired privateer").await;
    provider.script(Reply::says("Evening, captain."));
    ada.gets("evening\r", "Mika: Evening, captain.").await;
    let prompt = provider.next_request().await.prompt();
    assert!(prompt.contains("Ada plays Captain Vane here: a retired privateer"), "{prompt}");
    ada.gets("/persona clear\r", "You are yourself here.").await;
    provider.script(Reply::says("Evening, Ada."));
    ada.gets("evening again\r", "Mika: Evening, Ada.").await;
    assert!(!provider.next_request().await.prompt().contains("Vane here"));
    ada.gets("/persona Captain Vane\r", "Here you play Captain Vane: a retired privateer").await;
    leaves(ada).await;
}

#[tokio::test]
async fn a_model_that_fails_is_told_of_once_and_the_log_beside_the_talk_has_the_rest() {
    let (machine, provider) = (machine_with_mika().await, ProviderWorld::start().await);
    provider.otherwise(Reply::refuses(500, "the boiler is cold"));
    let mut ada = at_the_prompt(&machine, &provider, 200).await;
    ada.gets("is the kettle on?\r", "Your message is kept.").await;
    let shown = ada.is_typing("Ada: ").await.text();
    assert_eq!(shown.matches("The model's provider has a problem").count(), 1, "{shown}");
    assert!(!shown.contains("the boiler is cold"), "{shown}");
    leaves(ada).await;

    // Whoever keeps the log somewhere else has it whole.
    let base = provider.base_url();
    let mut pipe = machine.start(&["chat"], &[("FAMILIAR_LLM_BASE_URL", base.as_str())]);
    pipe.answers("and now?", "Your message is kept.").await;
    pipe.logs("model failed").await;
    pipe.leaves().await;
    assert!(pipe.log().contains("the boiler is cold"), "{}", pipe.log());
}

#[tokio::test]
async fn whoever_leaves_is_told_that_memories_are_written_and_need_not_wait() {
    let (machine, provider) = (machine_with_mika().await, ProviderWorld::start().await);
    let settings = "[memory_writer]\nturn_threshold = 3\n";
    std::fs::write(machine.data().join("familiars/mika/character.toml"), settings).unwrap();
    let gate = Gate::closed();
    let held = gate.clone();
    provider.answers(move |request| match request.prompt().contains("Known already:") {
        true => Reply::says("{\"do\":\"nothing\"}").held(&held),
        false => Reply::says("Aye."),
    });
    let mut ada = at_the_prompt(&machine, &provider, 120).await;
    for said in ["my boat is called Wren\r", "she leaks a little\r"] {
        ada.gets(said, "Aye.").await;
        ada.is_typing("Ada: ").await;
    }
    gate.reached().await;
    ada.gets("\u{4}", "Writing down what is worth remembering. Ctrl-C leaves at once").await;
    ada.presses("\u{3}").await;
    assert!(ada.ends().await.success());
}

#[tokio::test]
async fn it_is_kept_quiet_for_a_while_until_it_is_woken() {
    let machine = machine_with_mika().await;
    let mut ada = machine.start(&["chat", "--as", "Ada"], &[]);
    for said in ["a while", "99999"] {
        let told = format!("{said} is not a number of minutes from 1 to 10080. /quiet 30 keeps it quiet");
        ada.answers(&format!("/quiet {said}"), &told).await;
    }
    ada.answers("/QUIET 30", "Mika says nothing here by itself for 30 min").await;
    let file = machine.data().join("familiars/mika/channels/terminal.toml");
    assert!(std::fs::read_to_string(&file).unwrap().contains("quiet_until"));
    ada.answers("/wake", "Mika is no longer kept quiet here").await;
    assert!(!std::fs::read_to_string(&file).unwrap().contains("quiet_until"));
    ada.answers("/wake", "Mika was not kept quiet here.").await;
    std::fs::write(&file, "mode = [\n").unwrap();
    ada.answers("/quiet 5", "Nothing was set. ").await;
    ada.shows("terminal.toml:").await;
    ada.shows(": this is not valid TOML").await;
    ada.answers("/status", "`familiar doctor` says how the program does").await;
    ada.leaves().await;
}

#[tokio::test]
async fn what_a_command_changes_is_answered_and_not_told_once_more_from_the_log() {
    let (machine, provider) = (machine_with_mika().await, ProviderWorld::start().await);
    let mut ada = at_the_prompt(&machine, &provider, 120).await;
    ada.gets("/quiet 30\r", "Mika says nothing here by itself for 30 min").await;
    let shown = ada.is_typing("Ada: ").await.text();
    assert!(!shown.contains("Setting changed") && !shown.contains("quiet_until"), "{shown}");
    leaves(ada).await;
}

#[tokio::test]
async fn all_that_is_noted_can_be_seen_page_by_page() {
    let machine = machine_with_mika().await;
    let people = machine.data().join("familiars/mika/memory/people");
    std::fs::create_dir_all(&people).unwrap();
    // The newest come first.
    let facts = (1..=15).map(|number| {
        let known = format!("f=k{number} to=canon by=terminal:operator on=2026-01-{:02}", 16 - number);
        format!("- Keeps key number {number}. <!-- {known} -->\n")
    });
    let note = format!("# Ada\n\n{}", facts.collect::<String>());
    std::fs::write(people.join("terminal-operator.md"), note).unwrap();
    let mut ada = machine.start(&["chat", "--as", "Ada"], &[]);
    ada.answers("/memory", "… and 5 more; /memory 2 goes on.").await;
    assert!(!ada.screen().contains("key number 11."), "{}", ada.screen());
    ada.answers("/memory 2", "key number 15.").await;
    ada.leaves().await;
}

#[tokio::test]
async fn what_is_known_is_shown_forgotten_behind_a_yes_and_taken_back() {
    let (machine, provider) = (machine_with_mika().await, ProviderWorld::start().await);
    let mut ada = at_the_prompt(&machine, &provider, 200).await;
    ada.gets("my cat is called Biscuit\r", "Mika: Understood.").await;
    ada.is_typing("Ada: ").await;
    // A fact is noted behind the answer, at the latest before the end.
    leaves(ada).await;
    let mut ada = at_the_prompt(&machine, &provider, 200).await;
    for (line, answer) in [
        ("/memory", "What Mika knows about you and may say here:"),
        (
            "/memory dentist",
            "Mika has noted nothing about you with these words. What was said is remembered all the same; /forget me forgets it.",
        ),
        ("/forget", "/forget me         all you said"),
        ("/forget me everything", "/forget me         all you said"),
        ("/Forget me please", "/forget me         all you said"),
        ("/forget me alles", "/forget me         all you said"),
        ("/forget everything", "/forget me         all you said"),
        ("/forget what zeppelin", "Mika has nothing of yours that fits."),
        ("/forget biscuit", "cat is called Biscuit."),
        ("no", "Nothing was forgotten."),
        ("/forget what biscuit", "Type yes to forget it; anything else keeps it."),
        ("no", "Nothing was forgotten."),
        ("/forget ME", "Mika would forget 1 message, 2 replies, 1 noted fact, 1 whole note, 1 other trace"),
        ("yes", "Mika has forgotten 1 message, 2 replies, 1 noted fact, 1 whole note, 1 other trace"),
        ("/memory biscuit", "Mika has noted nothing about you with these words.\n"),
        ("/memory", "Mika has noted nothing about you.\n"),
        ("/forget undo", "It is back: 1 message, 2 replies, 1 noted fact, 1 whole note, 1 other trace"),
        ("/memory cat", "Biscuit"),
        ("/forget undo", "There is nothing to take back"),
        ("please forget what I said", "`/forget what boat` takes what you said with that word"),
        ("Vergiss, was ich gesagt habe", "`/forget what Boot` löscht, was du mit diesem Wort gesagt hast"),
    ] {
        ada.presses(&format!("{line}\r")).await;
        ada.shows_that(answer, |shown| {
            shown.typing() == "Ada: "
                && shown
                    .text()
                    .rsplit_once(&format!("Ada: {line}\n"))
                    .is_some_and(|(_, behind)| behind.contains(answer))
        })
        .await;
    }
    leaves(ada).await;
}

#[tokio::test]
async fn each_way_to_fail_is_told_with_what_helps_against_it() {
    let (machine, provider) = (machine_with_mika().await, ProviderWorld::start().await);
    let mut ada = at_the_prompt(&machine, &provider, 200).await;
    provider.script(Reply::stream().text("It is so ").cut());
    ada.gets("is the kettle on?\r", "The answer broke off before its end").await;
    ada.is_typing("Ada: ").await;
    provider.otherwise(Reply::page("<!doctype html><title>Router</title>"));
    ada.gets("and now?\r", "A web page came instead of an answer: is llm.base_url right").await;
    ada.is_typing("Ada: ").await;
    leaves(ada).await;

    let base = provider.base_url();
    provider.otherwise(Reply::refuses(401, "who are you?"));
    let mut ada = machine.sits_down(&["chat"], &[("FAMILIAR_LLM_BASE_URL", base.as_str())], 200);
    ada.presses("is the kettle on?\r").await;
    ada.shows("127.0.0.1 wants a key and none is set: set OPENAI_API_KEY in .env, then start anew.").await;
    leaves(ada).await;
}

#[tokio::test]
async fn a_model_server_of_this_machine_that_is_away_is_said_so_at_the_start() {
    let (machine, nobody) = (machine_with_mika().await, Nobody::there());
    let base = format!("http://{}/v1", nobody.address());
    let wired = [("FAMILIAR_LLM_BASE_URL", base.as_str())];
    let mut ada = machine.sits_down(&["chat", "--as", "Ada"], &wired, 200);
    ada.shows(&format!("No model server answers at {base}: start it.")).await;
    // Ctrl-D before the prompt is nothing to a terminal.
    ada.is_typing("Ada: ").await;
    leaves(ada).await;

    let provider = ProviderWorld::start().await;
    let mut ada = at_the_prompt(&machine, &provider, 200).await;
    ada.presses("is the kettle on?\r").await;
    assert!(!ada.shows("Mika: Understood.").await.text().contains("No model server"));
    leaves(ada).await;
}

#[tokio::test]
async fn lines_end_between_words_in_a_terminal_and_nowhere_in_a_pipe() {
    let (machine, provider) = (machine_with_mika().await, ProviderWorld::start().await);
    let said = "The river is wide tonight and nobody hurries across it. 今夜の川は広くて、誰も急いで渡ろうとしない。";
    // Cut in the middle of words, as models do.
    provider.answers(move |_| {
        let letters: Vec<char> = said.chars().collect();
        let pieces = letters.chunks(5).map(|piece| piece.iter().collect::<String>());
        pieces.fold(Reply::stream(), |reply, piece| reply.text(&piece)).finish("stop")
    });
    let mut ada = at_the_prompt(&machine, &provider, 30).await;
    let shown = ada.gets("how is it?\r", "しない。").await;
    assert_eq!(
        shown.last_from("Mika: The"),
        [
            "Mika: The river is wide",
            "tonight and nobody hurries",
            "across it. 今夜の川は広くて、",
            "誰も急いで渡ろうとしない。"
        ]
    );
    ada.is_typing("Ada: ").await;
    leaves(ada).await;

    let mut pipe = machine.start_with(&["chat"], &provider);
    pipe.answers("and now?", &format!("Mika: {said}\n")).await;
    pipe.leaves().await;
    let shown = pipe.screen();
    assert!(!shown.contains("thinking") && !shown.contains("last talked"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "no colours in a pipe: {shown:?}");
}

#[tokio::test]
async fn questions_of_init_are_left_by_ctrl_c_with_a_word_of_what_is_kept() {
    let machine = Machine::new();
    let mut ada = machine.sits_down(&["init"], &[], 120);
    ada.shows("Who is it to be?").await;
    ada.gets("\u{3}", "Stopped; nothing was kept.").await;
    assert_eq!(ada.ends().await.code(), Some(1));
    let mut ada = machine.sits_down(&["init"], &[], 120);
    ada.shows("Who is it to be?").await;
    ada.gets("\r", "Discord bot token").await;
    ada.presses("\u{3}").await;
    let shown = ada.shows("Stopped. Kept: the familiar. What is missing can be written into .env.").await;
    assert!(!shown.text().contains("OpenRouter"), "{}", shown.text());
    assert_eq!(ada.ends().await.code(), Some(1));
    assert!(machine.data().join("familiars").is_dir() && !machine.path().join(".env").exists());
}

#[tokio::test]
async fn a_path_typed_where_somebody_is_to_be_chosen_is_told_where_it_belongs() {
    let machine = machine_with_mika().await;
    let mut ada = machine.sits_down(&["init"], &[], 80);
    ada.shows("is asked for next]").await;
    ada.gets("./edda.json\r", "Where is the card?").await;
    ada.gets("\u{3}", "Stopped; nothing was kept.").await;
    assert_eq!(ada.ends().await.code(), Some(1));

    std::fs::write(machine.path().join("edda.json"), r#"{"name":"Edda","description":"Keeps bees."}"#)
        .unwrap();
    for card in ["mika.json", "edda.json"] {
        machine.run(&["init", card, "--data-dir", "elsewhere"]).await.assert_success();
    }
    let mut ada = machine.sits_down(&["chat", "--data-dir", "elsewhere"], &[], 80);
    ada.shows("Who is it to be?").await;
    ada.gets("./edda.json", "to add one: familiar init --data-dir elsewhere <card>]").await;
    ada.gets("\u{3}", "nobody was chosen").await;
    assert_eq!(ada.ends().await.code(), Some(1));
}

#[tokio::test]
async fn a_card_that_is_cut_off_is_said_so_and_asked_for_anew() {
    let machine = Machine::new();
    std::fs::write(machine.path().join("torn.json"), r#"{"name":"Edda","description":"Keeps"#).unwrap();
    let mut ada = machine.sits_down(&["init"], &[], 120);
    ada.shows("Who is it to be?").await;
    ada.gets("of my own\r", "Where is the card?").await;
    ada.gets("torn.json\r", "cut off before its end; download it again").await;
    let asked = |shown: &Shown| shown.text().matches("Who is it to be?").count() == 2;
    ada.shows_that("asked anew", asked).await;
    ada.gets("\u{3}", "Stopped; nothing was kept.").await;
    assert_eq!(ada.ends().await.code(), Some(1));
}

#[tokio::test]
async fn a_token_that_discord_refuses_is_said_so_and_asked_for_anew() {
    let (machine, world) = (Machine::new(), DiscordWorld::start().await);
    let base = world.api_base();
    let mut ada = machine.sits_down(&["init"], &[("FAMILIAR_DISCORD_API_BASE", base.as_str())], 120);
    ada.shows("Who is it to be?").await;
    ada.gets("\r", "Discord bot token").await;
    ada.gets("never a token\r", "That does not look like a bot token").await;
    ada.shows_that("asked anew", |shown| shown.typing().starts_with("? Discord bot token")).await;
    ada.presses(&format!("{}.old\r", world.token())).await;
    ada.shows("Discord does not accept this token").await;
    assert!(!machine.path().join(".env").exists());
    ada.shows_that("asked anew", |shown| shown.typing().starts_with("? Discord bot token")).await;
    ada.presses(&format!("{}\r", world.token())).await;
    ada.shows("DISCORD_TOKEN stands in").await;
    ada.shows("OpenRouter key").await;
    ada.gets("\u{3}", "Stopped. Kept: the familiar, DISCORD_TOKEN.").await;
    assert_eq!(ada.ends().await.code(), Some(1));
    let written = std::fs::read_to_string(machine.path().join(".env")).unwrap();
    assert!(written.contains(world.token()) && !written.contains(".old"));
}

#[tokio::test]
async fn the_key_is_asked_for_by_the_server_that_it_is_for() {
    let machine = Machine::new();
    let wired = [("FAMILIAR_LLM_BASE_URL", "https://models.example.org/v1")];
    let mut ada = machine.sits_down(&["init", "--data-dir", "elsewhere"], &wired, 120);
    ada.shows("Who is it to be?").await;
    ada.gets("\r", "Discord bot token").await;
    ada.gets("\r", "Key for models.example.org").await;
    ada.gets("two words\r", "That is no key: a key is one word").await;
    ada.shows_that("asked anew", |shown| shown.typing().starts_with("? Key for models.example.org")).await;
    let shown = ada.gets("sk-of-that-server\r", "OPENAI_API_KEY stands in").await.text();
    assert!(!shown.to_lowercase().contains("openrouter"), "{shown}");
    assert!(shown.contains("Whether its server takes it is not known yet"), "{shown}");
    ada.shows("Next: `familiar doctor --data-dir elsewhere --familiar ").await;
    assert!(ada.ends().await.success());
    let written = std::fs::read_to_string(machine.path().join(".env")).unwrap();
    assert!(written.contains("OPENAI_API_KEY"), "{written}");
}

#[tokio::test]
async fn it_shows_that_it_thinks_until_the_first_words_come() {
    let (machine, provider) = (machine_with_mika().await, ProviderWorld::start().await);
    for no_color in [false, true] {
        let more: &[(&str, &str)] = if no_color { &[("NO_COLOR", "1")] } else { &[] };
        let mut ada = seated(&machine, &provider, 80, more);
        ada.is_typing("Ada: ").await;
        let gate = Gate::closed();
        provider.script(Reply::stream().gate(&gate).text("Only the tea.").finish("stop"));
        ada.gets("cold?\r", "Mika is thinking …").await;
        gate.open();
        ada.shows("Mika: Only the tea.").await;
        let shown = ada.is_typing("Ada: ").await;
        assert!(!shown.text().contains("thinking"), "{}", shown.text());
        // Bold, dim and coloured all end with this.
        assert_eq!(shown.written.contains("\u{1b}[0m"), !no_color, "{:?}", shown.written);
        leaves(ada).await;
    }
}

#[tokio::test]
async fn what_is_typed_while_it_answers_comes_next() {
    let (machine, provider) = (machine_with_mika().await, ProviderWorld::start().await);
    let mut ada = at_the_prompt(&machine, &provider, 80).await;
    let gate = Gate::closed();
    provider.script(Reply::stream().text("There is tea ").gate(&gate).text("in the galley.").finish("stop"));
    provider.script(Reply::says("Two sugars."));
    provider.script(Reply::says("None."));
    ada.gets("what is there?\r", "Mika: There is").await;
    ada.presses("and sugax\u{7f}r?\rmil").await;
    gate.open();
    ada.shows("Mika: Two sugars.").await;
    let shown = ada.is_typing("Ada: mil").await;
    let said =
        ["Ada: what is there?", "Mika: There is tea in the galley.", "Ada: and sugar?", "Mika: Two sugars."];
    let rows: Vec<_> = shown.rows.iter().filter(|row| said.contains(&row.as_str())).collect();
    assert_eq!(rows, said, "{}", shown.text());
    ada.gets("k?\r", "Mika: None.").await;
    // Each is a message of its own, and none is said before its turn.
    let said = ["what is there?", "and sugar?", "milk?"];
    let requests = provider.requests();
    assert_eq!(requests.len(), said.len());
    for (number, asked) in requests.iter().enumerate() {
        let told: Vec<_> = said.into_iter().filter(|words| asked.prompt().contains(words)).collect();
        assert_eq!(told, said[..=number]);
    }
    leaves(ada).await;
}

/// A reply that calls one tool.
fn calls(tool: &str, arguments: &Value) -> Reply {
    let function = json!({"name": tool, "arguments": arguments.to_string()});
    let call = json!({"tool_calls": [{"index": 0, "id": "c1", "function": function}]});
    Reply::stream().delta(&call).finish("tool_calls")
}

#[tokio::test]
async fn m11_what_is_done_after_others_words_is_asked_at_the_prompt_and_only_a_yes_lets_it() {
    let (machine, provider) = (machine_with_mika().await, ProviderWorld::start().await);
    let mut ada = at_the_prompt(&machine, &provider, 200).await;
    provider.script(Reply::says("Aye, the gulls."));
    ada.gets("the gulls stole my lunch\r", "Mika: Aye, the gulls.").await;
    ada.is_typing("Ada: ").await;
    let question = "Mika wants to do this, after it read what others wrote: let my mood become better";
    let typed = ["yes\r", "no\r", "\u{3}", "what of the crew?\r"];
    for (number, typed) in typed.into_iter().enumerate() {
        provider.script(calls("memory_search", &json!({"query": "gulls"})));
        provider.script(calls("set_mood", &json!({"better": 0.5})));
        provider.script(Reply::says(&format!("So it is, {number}.")));
        let mut last = format!("Mika: So it is, {number}.");
        if typed.starts_with("what") {
            provider.script(Reply::says("The crew is ashore."));
            last = "Mika: The crew is ashore.".to_owned();
        }
        ada.presses(&format!("what of the gulls, {number}?\r")).await;
        let behind = |shown: &Shown| {
            let text = shown.text();
            let asked = text.rsplit_once(&format!("Ada: what of the gulls, {number}?"));
            asked.map(|(_, behind)| behind.to_owned()).unwrap_or_default()
        };
        ada.shows_that(question, |shown| behind(shown).contains(question) && shown.typing() == "Ada: ").await;
        ada.presses(typed).await;
        let shown = ada.shows_that(&last, |shown| behind(shown).contains(&last) && shown.typing() == "Ada: ");
        let is_done = typed == "yes\r";
        assert_eq!(behind(&shown.await).contains("It is not done."), !is_done, "{typed:?}");
        let requests = provider.requests();
        let told = requests.iter().rev().map(|asked| asked.last("tool"));
        let mut told = told.filter(|result| !result.is_empty() && !result.contains("gulls"));
        let result = told.next().unwrap();
        assert_eq!(result.contains("it was not confirmed: do not try again"), !is_done, "{result}");
    }
    leaves(ada).await;
}

#[tokio::test]
async fn who_comes_back_is_shown_the_last_talk() {
    let (machine, provider) = (machine_with_mika().await, ProviderWorld::start().await);
    let mut ada = at_the_prompt(&machine, &provider, 80).await;
    assert!(!ada.shows("Mika: Evening").await.text().contains("last talked"), "there was none yet");
    provider.script(Reply::says("A fine name, for a cat."));
    ada.gets("my cat is called Biscuit\r", "for a cat.").await;
    ada.is_typing("Ada: ").await;
    leaves(ada).await;

    let ada = at_the_prompt(&machine, &provider, 80).await;
    let shown = { ada }.is_typing("Ada: ").await;
    let last: Vec<_> = shown.last_from("You were just talking:").into_iter().skip(1).collect();
    let talk = [
        "  Mika: Evening, Ada. Mind the rope.",
        "  Ada: my cat is called Biscuit",
        "  Mika: A fine name, for a cat.",
    ];
    assert_eq!(last, talk, "{}", shown.text());
}

#[tokio::test]
async fn ctrl_c_stops_the_answer_and_at_an_empty_prompt_it_leaves() {
    let (machine, provider) = (machine_with_mika().await, ProviderWorld::start().await);
    let mut ada = at_the_prompt(&machine, &provider, 80).await;
    let gate = Gate::closed();
    provider.script(Reply::stream().text("I will never ").gate(&gate).text("finish.").finish("stop"));
    ada.gets("how long does it take?\r", "Mika: I will").await;
    ada.gets("go\u{3}", "Stopped.").await;
    let shown = ada.is_typing("Ada: go").await;
    assert!(shown.rows.contains(&"Mika: I will never".to_owned()), "{}", shown.text());

    provider.script(Reply::says("Where was I."));
    ada.gets(" on\r", "Mika: Where was I.").await;
    let asked = provider.requests().pop().unwrap().prompt();
    assert!(
        asked.contains("I will never") && asked.contains("go on") && !asked.contains("finish."),
        "{asked}"
    );

    // With something typed it takes that away, once it says what it would do, and then it leaves.
    ada.is_typing("Ada: ").await;
    ada.presses("never mind").await;
    ada.is_typing("Ada: never mind").await;
    ada.presses("\u{3}").await;
    ada.is_typing("Ada: ").await;
    ada.gets("\u{3}", "Ctrl-C once more leaves.").await;
    ada.is_typing("Ada: ").await;
    ada.presses("\u{3}").await;
    assert!(ada.ends().await.success());
    assert!(ada.echoes(), "the terminal is given back");
}

#[tokio::test]
async fn a_second_ctrl_c_after_the_one_that_stopped_an_answer_leaves() {
    let (machine, provider) = (machine_with_mika().await, ProviderWorld::start().await);
    let mut ada = at_the_prompt(&machine, &provider, 80).await;
    let gate = Gate::closed();
    provider.script(Reply::stream().gate(&gate).text("Nobody knows.").finish("stop"));
    ada.gets("how long does it take?\r", "Mika is thinking").await;
    ada.gets("\u{3}", "Stopped.").await;
    assert!(!ada.is_typing("Ada: ").await.text().contains("thinking"));
    ada.presses("\u{3}").await;
    assert!(ada.ends().await.success());
    assert!(ada.echoes(), "the terminal is given back");
}

#[tokio::test]
async fn without_a_verb_a_familiar_can_be_named_and_before_one_too() {
    let machine = machine_with_mika().await;
    let mut tarry = machine.start(&["--familiar", "tarry", "--as", "Ada"], &[]);
    tarry.shows("Tarry: ").await;
    tarry.leaves().await;
    let mut mika = machine.start(&["--familiar", "mika", "chat"], &[]);
    mika.shows("Mika: ").await;
    mika.leaves().await;
    let other = machine.run(&["--familiar", "mika", "list"]).await;
    assert_eq!(other.status.code(), Some(2));
    let advice = "only for `run` and `chat`; with other verbs, put the options they have after the verb.";
    assert!(other.err.contains(advice), "{}", other.err);
}

#[tokio::test]
async fn another_answer_an_earlier_one_and_taking_back_at_the_keyboard() {
    let (machine, provider) = (machine_with_mika().await, ProviderWorld::start().await);
    let mut mika = machine.start_with(&["chat", "--as", "Ada"], &provider);
    mika.shows("You are talking with Mika.").await;
    for answer in ["It is.", "Not yet."] {
        provider.script_when(|request| request.prompt().contains("kettle"), Reply::says(answer));
    }
    mika.answers("is the kettle on?", "Mika: It is.").await;
    mika.answers("/again", "Mika: Not yet.").await;
    mika.answers("/earlier", "Answer 1 of 2 stands now.\nMika: It is.").await;
    provider
        .script_when(|request| request.prompt().contains("right where it ended"), Reply::says("Since noon."));
    mika.answers("/continue", "Mika: Since noon.").await;
    provider
        .script_when(|request| request.prompt().contains("right where it ended"), Reply::says("Since dawn."));
    mika.answers("/again", "Mika: Since dawn.").await;
    mika.answers("/earlier", "Answer 1 of 2 stands now.\nMika: Since noon.").await;
    for taken in ["Since noon.", "is the kettle on?"] {
        mika.answers("/undo", &format!("is taken back: “{taken}”")).await;
    }
    mika.answers("what did I ask?", "Understood.").await;
    let last = provider.requests().into_iter().rfind(|one| one.prompt().contains("what did I ask?")).unwrap();
    assert!(!last.prompt().contains("kettle"), "{}", last.prompt());
    mika.quits().await;
}

#[tokio::test]
async fn a_reply_is_reworded_and_deleted_and_the_talk_begins_anew_at_the_keyboard() {
    let (machine, provider) = (machine_with_mika().await, ProviderWorld::start().await);
    let mut mika = machine.start_with(&["chat", "--as", "Ada"], &provider);
    mika.shows("You are talking with Mika.").await;
    provider.script_when(|request| request.prompt().contains("kettle"), Reply::says("It is cold."));
    mika.answers("is the kettle on?", "Mika: It is cold.").await;
    mika.answers("/edit", "Say which words:").await;
    mika.answers("/edit It whistles softly.", "It reads so now.\nMika: It whistles softly.").await;
    mika.answers("what did you say?", "Understood.").await;
    let asked = |provider: &ProviderWorld, words: &str| {
        let found = provider.requests().into_iter().find(|one| one.prompt().contains(words)).unwrap();
        let lines = found.messages().iter().map(ToString::to_string);
        // The tail aside, in which what was found stands.
        lines.filter(|line| !line.contains("nobody said this just now")).collect::<String>()
    };
    let prompt = asked(&provider, "what did you say?");
    assert!(prompt.contains("It whistles softly.") && !prompt.contains("It is cold."), "{prompt}");

    provider.script_when(|request| request.prompt().contains("the stove"), Reply::says("It glows."));
    mika.answers("and the stove?", "Mika: It glows.").await;
    // Words that a command does not know are refused with what it does, and nothing is done.
    for (line, told) in [
        ("/delete all", "/delete takes away its last reply, and nothing else; it takes no words."),
        ("/undo all of it", "/undo takes back what was said last, and the answer to it; it takes no words."),
        ("/context t1 t2", "/context shows what the last turn sent"),
        ("/greet 1 again", "Greetings are counted from 1"),
    ] {
        mika.answers(line, told).await;
    }
    assert!(
        !mika.screen().contains("is gone") && !mika.screen().contains("is taken back"),
        "{}",
        mika.screen()
    );
    mika.answers("/delete", "What it said last is gone.").await;

    mika.answers("/reset undo", "the talk was not begun anew").await;
    mika.answers("/reset", "The talk begins anew here: Mika").await;
    for (line, told) in [
        ("/delete", "There is no reply here to change or delete."),
        ("/again", "There is no answer here that another could replace"),
        ("/earlier", "There is no earlier answer here."),
        ("/later", "There is no later answer here."),
        ("/undo", "There is nothing here to take back."),
    ] {
        mika.answers(line, told).await;
    }
    provider.script_when(|request| request.prompt().contains("good morrow"), Reply::says("And to you."));
    mika.answers("good morrow", "Mika: And to you.").await;
    let prompt = asked(&provider, "good morrow");
    assert!(!prompt.contains("It whistles softly."), "{prompt}");
    mika.answers("/reset undo", "Mika has in view again").await;
    provider.script_when(|request| request.prompt().contains("as before"), Reply::says("Aye, as before."));
    mika.answers("is all as before?", "Mika: Aye, as before.").await;
    let prompt = asked(&provider, "is all as before?");
    assert!(prompt.contains("It whistles softly.") && !prompt.contains("It glows."), "{prompt}");
    mika.quits().await;
}

#[tokio::test]
async fn an_answer_is_not_lost_where_the_program_is_killed_before_the_other_one_is_there() {
    let (machine, provider) = (machine_with_mika().await, ProviderWorld::start().await);
    let mut mika = machine.start_with(&["chat", "--as", "Ada"], &provider);
    mika.shows("You are talking with Mika.").await;
    provider.script_when(|request| request.prompt().contains("kettle"), Reply::says("It sings."));
    mika.answers("is the kettle on?", "Mika: It sings.").await;
    let gate = Gate::closed();
    provider.script_when(|request| request.prompt().contains("kettle"), Reply::says("Not yet.").held(&gate));
    mika.types("/again").await;
    while provider.requests().iter().filter(|one| one.prompt().contains("kettle")).count() < 2 {
        tokio::task::yield_now().await;
    }
    mika.is_killed_within(std::time::Duration::ZERO).await;
    let mut mika = machine.start_with(&["chat", "--as", "Ada"], &provider);
    mika.shows("You are talking with Mika.").await;
    mika.answers("and the stove?", "Understood.").await;
    let last = provider.requests().into_iter().rfind(|one| one.prompt().contains("the stove?")).unwrap();
    assert!(last.prompt().contains("It sings."), "{}", last.prompt());
    mika.quits().await;
}
