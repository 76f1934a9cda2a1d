use tempfile::TempDir;

use super::*;
use crate::config::{Defaults, FamiliarHome};
use crate::domain::{Audience, FamiliarId, Place, TokenEncoding, TurnId};
use crate::history::Visible;
use crate::tools::tool::ToolError;
use async_trait::async_trait;

#[derive(Debug)]
struct Odd(&'static str);

#[async_trait]
impl Tool for Odd {
    fn entry(&self) -> ToolEntry {
        ToolEntry {
            name: self.0,
            shelf: Shelf::Play,
            is_at_hand: false,
            description: Box::leak(format!("Knows about {}.", self.0).into_boxed_str()),
            parameters: json!({}),
        }
    }

    async fn run(&self, arguments: Value, _context: &ToolContext) -> Result<String, ToolError> {
        match self.0 {
            "hangs" => std::future::pending().await,
            "panics" => panic!("on purpose"),
            "talks" => Ok("a".repeat(30_000) + "end"),
            _ => Ok(arguments.to_string()),
        }
    }
}

fn context() -> ToolContext {
    ToolContext {
        pass: crate::domain::Caller::Tenant.tools().unwrap(),
        turn: TurnId(1),
        place: Place::terminal(ChannelId::from(1)),
        caller: None,
        visible: Visible::only([Audience::Canon]),
        asked: Vec::new(),
        now: jiff::Timestamp::UNIX_EPOCH,
        display_tz: jiff::tz::TimeZone::UTC,
        encoding: TokenEncoding::CharsOver4,
        skills: Vec::new(),
    }
}

fn a_box(settings: &str, tools: Vec<Arc<dyn Tool>>) -> (TempDir, ToolBox) {
    let folder = tempfile::tempdir().unwrap();
    let home = FamiliarHome::new(folder.path(), &FamiliarId::new("mika").unwrap());
    std::fs::create_dir_all(home.root()).unwrap();
    std::fs::write(home.character_toml(), settings).unwrap();
    let config = LiveConfig::load(home, Defaults::embedded()).unwrap();
    (folder, ToolBox::of(config, tools))
}

fn call(name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: format!("id-{name}"), name: name.to_owned(), arguments: arguments.to_owned() }
}

fn offered(tools: &ToolBox) -> Vec<String> {
    tools.specs(&ChannelId::from(1)).into_iter().map(|spec| spec.name).collect()
}

#[tokio::test(start_paused = true)]
async fn y7_whatever_a_tool_does_every_call_gets_one_result_in_order_and_a_failure_is_a_line() {
    let tools: Vec<Arc<dyn Tool>> =
        ["hangs", "panics", "echoes", "talks"].map(|name| Arc::new(Odd(name)) as Arc<dyn Tool>).into();
    let (_folder, tools) = a_box("", tools);
    let calls = [
        call("hangs", "{}"),
        call("panics", "{}"),
        call("echoes", r#"{"a": 1}"#),
        call("echoes", "{not json"),
        call("nothing", "{}"),
        call("talks", ""),
    ];
    let results = tools.run(&calls, &context(), &mut LoopGuard::default()).await;
    let ids: Vec<_> = results.iter().map(|result| result.call.as_str()).collect();
    assert_eq!(ids, ["id-hangs", "id-panics", "id-echoes", "id-echoes", "id-nothing", "id-talks"]);
    let failed: Vec<_> = results.iter().map(|result| result.failed).collect();
    assert_eq!(failed, [true, true, false, true, true, false]);
    assert_eq!(results[0].content, "This did not work: it took longer than 10 s");
    assert_eq!(results[2].content, r#"{"a":1}"#);
    assert!(results.iter().filter(|one| one.failed).all(|one| one.content.lines().count() == 1));
    assert!(results[4].content.contains("tool_search lists"), "{}", results[4].content);
}

#[tokio::test]
async fn y16_the_model_finds_tools_by_shelf_and_a_tool_it_calls_is_offered_from_then_on() {
    let tools: Vec<Arc<dyn Tool>> =
        ["memory_search", "echoes", "talks"].map(|name| Arc::new(Odd(name)) as Arc<dyn Tool>).into();
    let (_folder, tools) = a_box("", tools);
    assert_eq!(offered(&tools), ["memory_search", "tool_search"]);
    let mut guard = LoopGuard::default();
    let calls = [call("echoes", "{}")];
    assert!(
        !tools.run(&calls, &context(), &mut guard).await[0].failed,
        "not offered, but there is one (G13)"
    );
    assert_eq!(offered(&tools), ["memory_search", "echoes", "tool_search"]);
    let found = tools.run(&[call("tool_search", r#"{"query": "play"}"#)], &context(), &mut guard).await;
    assert!(found[0].content.contains("talks: Knows about talks."), "{}", found[0].content);
    assert_eq!(offered(&tools), ["memory_search", "echoes", "talks", "tool_search"]);
    let nothing = tools.run(&[call("tool_search", r#"{"query": "zebra"}"#)], &context(), &mut guard).await;
    assert_eq!(nothing[0].content, "Nothing fits \"zebra\". The shelves are: play.");
}

/// No predictor picks tools: what a conversation is offered follows from what it asked for and used, and everything
/// stays within reach. The seed keeps its predictors off until fifty sessions; a dozen tools never need one.
#[tokio::test]
async fn contradiction_18_what_is_offered_depends_on_no_earlier_session_and_every_tool_can_be_called() {
    let names = ["memory_search", "echoes", "talks"];
    let all = || names.map(|name| Arc::new(Odd(name)) as Arc<dyn Tool>).to_vec();
    let (_folder, tools) = a_box("", all());
    let (_fresh_folder, fresh) = a_box("", all());
    let elsewhere =
        |session: u64| ToolContext { place: Place::terminal(ChannelId::from(100 + session)), ..context() };
    for session in 0..60 {
        let calls = [call("echoes", "{}")];
        tools.run(&calls, &elsewhere(session), &mut LoopGuard::default()).await;
    }
    assert_eq!(offered(&tools), offered(&fresh), "sixty sessions elsewhere change nothing here");
    for name in names {
        let done = fresh.run(&[call(name, "{}")], &context(), &mut LoopGuard::default()).await;
        assert!(!done[0].failed, "{name}: offered or not");
    }
}

#[tokio::test]
async fn a_tool_that_is_switched_off_is_neither_offered_nor_run() {
    let (_folder, tools) =
        a_box("[tools]\ndisabled = [\"memory_search\"]\n", vec![Arc::new(Odd("memory_search"))]);
    assert_eq!(offered(&tools), ["tool_search"]);
    let results = tools.run(&[call("memory_search", "{}")], &context(), &mut LoopGuard::default()).await;
    assert!(results[0].failed);
}

fn a_box_of(count: usize) -> (TempDir, ToolBox) {
    let names =
        (0..count).map(|number| -> &'static str { Box::leak(format!("tool_{number}").into_boxed_str()) });
    let tools = ["memory_search"].into_iter().chain(names).map(|name| Arc::new(Odd(name)) as Arc<dyn Tool>);
    a_box("", tools.collect())
}

#[tokio::test]
async fn y16_the_tool_not_used_for_longest_leaves_and_the_constant_ones_stay() {
    let (_folder, tools) = a_box_of(20);
    let uses = |name: String| {
        let tools = &tools;
        async move { tools.run(&[call(&name, "{}")], &context(), &mut LoopGuard::default()).await }
    };
    for number in 0..18 {
        uses(format!("tool_{number}")).await;
    }
    uses("tool_0".to_owned()).await;
    uses("tool_18".to_owned()).await;
    let offered = offered(&tools);
    assert_eq!(offered.len(), CEILING);
    for constant in ALWAYS {
        assert!(offered.iter().any(|name| name == constant), "{constant} is always there");
    }
    assert!(offered.contains(&"tool_0".to_owned()), "used again");
    assert!(!offered.contains(&"tool_1".to_owned()), "not used for longest");
}

#[tokio::test]
async fn y16_conversations_are_bounded() {
    let (_folder, tools) = a_box_of(1);
    for channel in 0..2 * CONVERSATIONS as u64 {
        tools.touch(&ChannelId::from(channel), "tool_0");
    }
    assert!(tools.active.len() <= CONVERSATIONS);
}
