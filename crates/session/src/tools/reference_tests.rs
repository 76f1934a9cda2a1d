//! The page of tools for people, made from how they stand in the list and from the schemas of their arguments, and the
//! example of the guide. Nothing of it is in the program: a test writes the page and fails where what is checked in is older.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::builtin::tests::context;
use super::builtin::{self, OutsideParts, ToolBoxParts, VisionServer};
use super::tool::{AnyTool, Effect, Gives, Shelf, ToolEntry, ToolError};
use super::tool_box::search_spec;
use crate::clock::{SharedClock, SystemClock};
use crate::config::{Defaults, FamiliarHome, LiveConfig};
use crate::context::recall::Recall;
use crate::domain::{ChannelId, FamiliarId, Place, PlaceKind};
use crate::familiar::{Existing, InitRequest, LiveCharacter, LiveLore, Writing, init};
use crate::graph::Graph;
use crate::history::{History, HistoryOptions};
use crate::llm::{LlmSetup, ModelSlots, RehearsalScript};
use crate::memory::Memory;
use crate::net::{Outside, install_tls};
use crate::workers::{WorkerParts, Workers};

const HEAD: &str = "\
# The tools, one by one

<!-- Generated from the tools and the types of their arguments in crates/session/src/tools/builtin. Change it there, then run
     UPDATE_REFERENCE=1 cargo test -p familiar-session tools::reference -->

What the model is told of each tool, word for word, and what holds for it. How to use them is told in the
[guide](../guides/tools.md); those of [MCP servers](../guides/tools.md#connect-an-mcp-server-in-two-minutes) are not here.

";

/// Everything that tools may work with, under the settings that are there by default.
pub(super) async fn every_part() -> (TempDir, ToolBoxParts) {
    install_tls();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mika.json");
    std::fs::write(&file, r#"{"name": "Mika", "description": "A ferrywoman."}"#).unwrap();
    let (data_dir, id) = (folder.path().to_owned(), FamiliarId::new("mika").unwrap());
    let (existing, writing) = (Existing::Refuse, Writing::ForReal);
    init(&InitRequest { file, data_dir, id: Some(id.clone()), name: None, existing, writing }, |_| {})
        .unwrap();
    let home = FamiliarHome::new(folder.path(), &id);
    let config = LiveConfig::load(home.clone(), Defaults::embedded()).unwrap();
    let history = Arc::new(History::open(&home.history_db(), HistoryOptions::default()).await.unwrap());
    let memory = Arc::new(Memory::at(&home));
    let clock: SharedClock = Arc::new(SystemClock);
    let models = ModelSlots::build(LlmSetup {
        config: &config.current().llm,
        api_key: None,
        clock: Arc::clone(&clock),
        state_dir: folder.path().to_owned(),
        rehearsal: RehearsalScript::new("Mika", &[], ""),
        local_ports: &[],
        local_patience: Duration::ZERO,
    })
    .await
    .unwrap();
    let outside = OutsideParts {
        way: Some(Outside::new().unwrap()),
        vision: Some(VisionServer { base_url: "http://127.0.0.1/v1".to_owned(), key: None }),
        ledger: Some(Arc::clone(models.ledger())),
        ..OutsideParts::default()
    };
    let character = Arc::new(LiveCharacter::load(home.clone()).unwrap());
    let workers = Workers::start(WorkerParts {
        character: Arc::clone(&character),
        config: Arc::clone(&config),
        history: Arc::clone(&history),
        memory: Arc::clone(&memory),
        models: Arc::new(models),
        clock,
    });
    let parts = ToolBoxParts {
        graph: Arc::new(Graph::over(Arc::clone(&history), Arc::clone(&memory))),
        lore: Arc::new(LiveLore::load(home)),
        character,
        recall: Recall::over(Vec::new(), Duration::from_secs(1)),
        notes: Some(Arc::new(workers)),
        config,
        history,
        memory,
        outside,
    };
    (folder, parts)
}

fn place(kind: PlaceKind) -> Place {
    Place { kind, ..Place::terminal(ChannelId::from(1)) }
}

fn where_it_is(tool: &dyn AnyTool) -> String {
    let has = |kind: &PlaceKind| tool.is_for(&place(*kind));
    let named = |kind: &PlaceKind| match kind {
        PlaceKind::GuildText => "channels",
        PlaceKind::Thread => "threads",
        PlaceKind::ForumPost => "posts of forums",
        PlaceKind::Dm => "direct messages",
        PlaceKind::Terminal => "the terminal",
    };
    if PlaceKind::ALL.iter().all(has) {
        return "everywhere".to_owned();
    }
    PlaceKind::ALL.iter().filter(|kind| has(kind)).map(named).collect::<Vec<_>>().join(", ")
}

fn effect(entry: &ToolEntry) -> &'static str {
    match entry.effect {
        Effect::Looks => "looks something up or works it out",
        Effect::Acts => "does what whoever asks can take back",
        Effect::Reaches => "reaches other people and stays",
    }
}

fn needs(tool: &dyn AnyTool) -> String {
    let who = match tool.entry().effect {
        _ if tool.entry().always_asks => {
            "somebody who may have something done, and their press of a button, whatever the settings say"
        }
        Effect::Looks => "somebody who may be answered in full",
        Effect::Acts => {
            "somebody who may have something done, and a press of a button after others' words were read"
        }
        Effect::Reaches => {
            "somebody who may have something done, and their press of a button (`tools.confirm`)"
        }
    };
    let set_up =
        if tool.exists() { "" } else { "; what the [guide](../guides/tools.md) says of its settings" };
    format!("{who}{set_up}")
}

fn type_of(schema: &Value) -> String {
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ");
    }
    let named = schema["type"].as_str().unwrap_or("any");
    let bound = |least: &str, most: &str| match (schema.get(least), schema.get(most)) {
        (Some(least), Some(most)) => format!(", {least} to {most}"),
        (Some(least), None) => format!(", at least {least}"),
        (None, Some(most)) => format!(", at most {most}"),
        (None, None) => String::new(),
    };
    match named {
        "array" => format!("list of {}{}", type_of(&schema["items"]), bound("minItems", "maxItems")),
        "string" => {
            let length = bound("minLength", "maxLength");
            format!("text{length}{}", if length.is_empty() { "" } else { " characters" })
        }
        "boolean" => "yes or no".to_owned(),
        "integer" => format!("whole number{}", bound("minimum", "maximum")),
        other => format!("{other}{}", bound("minimum", "maximum")),
    }
}

fn arguments(text: &mut String, schema: &Value) {
    let Some(properties) = schema["properties"].as_object().filter(|all| !all.is_empty()) else {
        text.push_str("\nIt takes nothing.\n");
        return;
    };
    let needed = |name: &str| schema["required"].as_array().is_some_and(|names| names.contains(&name.into()));
    text.push_str("\n| Argument | Type | What it is |\n|---|---|---|\n");
    for (name, schema) in properties {
        let meaning = schema["description"].as_str().unwrap_or("–").replace('\n', " ").replace('|', "\\|");
        let optional = if needed(name) { "" } else { "; may be left out" };
        let _ = writeln!(text, "| `{name}` | {}{optional} | {meaning} |", type_of(schema));
    }
}

fn markdown(all: &[Arc<dyn AnyTool>], search: &crate::domain::ToolSpec) -> String {
    let mut text = HEAD.to_owned();
    for tool in all {
        let entry = tool.entry();
        let shelf = Shelf::ALL.iter().find(|(shelf, _)| *shelf == entry.shelf).map_or("", |(_, name)| name);
        let gives = match entry.gives {
            Gives::OwnWords => "the program's",
            Gives::OthersWords => "what others wrote, quoted",
        };
        let _ = write!(
            text,
            "## `{}`\n\n{}\n\n| | |\n|---|---|\n| Shelf | {shelf} |\n| Effect | {} |\n| Needs | {} |\n| Where | {} |\n\
             | Whose words it gives | {gives} |\n",
            entry.name,
            entry.description,
            effect(entry),
            needs(&**tool),
            where_it_is(&**tool),
        );
        arguments(&mut text, &entry.parameters);
        text.push('\n');
    }
    let _ = write!(text, "## `{}`\n\n{}\n", search.name, search.description);
    arguments(&mut text, &search.parameters);
    text
}

fn docs(page: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page)
}

#[tokio::test]
#[cfg(test)]
async fn the_page_of_tools_that_is_checked_in_is_the_one_the_tools_make() {
    let (_folder, parts) = every_part().await;
    let all = builtin::builtin_tools(&parts, builtin::OutsideServices::of(&parts.outside, &parts.config));
    assert_eq!(all.len(), builtin::readers(), "every tool is fuzzed");
    let made = markdown(&all, &search_spec(&all));
    let path = docs("reference/tools.md");
    if std::env::var_os("UPDATE_REFERENCE").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let checked_in = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(checked_in == made, "run UPDATE_REFERENCE=1 cargo test -p familiar-session tools::reference");
}

/// The example of the guide, as it stands there.
#[tokio::test]
async fn the_tool_of_the_guide_has_forty_lines_at_most_and_works() {
    let code = include_str!("builtin/example.rs");
    assert!(code.lines().count() <= 40, "{} lines", code.lines().count());
    let guide = std::fs::read_to_string(docs("guides/tools.md")).unwrap();
    assert!(guide.contains(&format!("```rust\n{code}```\n")), "docs/guides/tools.md shows another example");
    let (tool, here) = (builtin::example(), context(place(PlaceKind::Dm)));
    for (date, far) in [
        ("1970-01-02", "Friday 2 January 1970 is tomorrow."),
        ("1970-02-02", "Monday 2 February 1970 is in 32 days."),
        ("1969-12-31", "Wednesday 31 December 1969 was 1 day ago."),
    ] {
        assert_eq!(tool.run(json!({"date": date}), &here).await.unwrap(), far);
    }
    let wrong = tool.run(json!({"date": "soon"}), &here).await;
    assert!(matches!(wrong, Err(ToolError::Arguments(_))), "{wrong:?}");
}
