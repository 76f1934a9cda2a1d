//! All tools, and the run of a model's calls.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::join_all;
use quick_cache::sync::Cache;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::builtin;
use super::guard::LoopGuard;
use super::tool::{Shelf, Tool, ToolContext, ToolEntry};
use crate::config::LiveConfig;
use crate::context::recall::Recall;
use crate::domain::{ChannelId, ToolCall, ToolResult, ToolSpec};
use crate::familiar::{LiveCharacter, LiveLore};
use crate::graph::Graph;
use crate::history::History;
use crate::llm::ModelDescription;
use crate::memory::Memory;
use crate::text::short::one_line;
use crate::text::unicode;

/// The tool that finds the others.
const SEARCH: &str = "tool_search";

/// Offered in every conversation: what a companion is asked for most.
const ALWAYS: [&str; 2] = ["memory_search", SEARCH];

/// Tools one search makes active.
const FOUND_MAX: usize = 5;

/// Tools of one conversation, those that are always there included. The set changes rarely and is sent in a fixed order,
/// because tools stand in front of the prompt and every change makes the provider read all of it anew.
const CEILING: usize = 20;

/// Conversations whose sets are remembered.
const CONVERSATIONS: usize = 256;

/// What the tools work with.
#[derive(Debug, Clone)]
pub struct ToolBoxParts {
    /// Which tools are wanted.
    pub config: Arc<LiveConfig>,
    /// Who the familiar is.
    pub character: Arc<LiveCharacter>,
    pub history: Arc<History>,
    pub memory: Arc<Memory>,
    /// How it all hangs together.
    pub graph: Arc<Graph>,
    /// What is true in its world.
    pub lore: Arc<LiveLore>,
    /// All of it, to look something up in.
    pub recall: Recall,
}

/// Every tool of a familiar. One per process.
#[derive(Debug)]
pub struct ToolBox {
    config: Arc<LiveConfig>,
    tools: Vec<Arc<dyn Tool>>,
    /// What each conversation asked for or used, not used for longest first.
    active: Cache<ChannelId, Vec<&'static str>>,
}

impl ToolBox {
    /// The tools there are.
    pub fn standard(parts: ToolBoxParts) -> Self {
        Self::of(Arc::clone(&parts.config), builtin::all(&parts))
    }

    fn of(config: Arc<LiveConfig>, tools: Vec<Arc<dyn Tool>>) -> Self {
        Self { config, tools, active: Cache::new(CONVERSATIONS) }
    }

    /// Whether a model gets tools; see [`ToolUse::gives`](crate::config::ToolUse::gives).
    pub fn are_for(&self, model: &ModelDescription) -> bool {
        self.config.current().tools.usage.gives(model.takes_tools)
    }

    /// Whether a tool only looks something up, so that a later look makes an earlier one obsolete.
    pub fn only_reads(&self, name: &str) -> bool {
        let entry = self.tools.iter().map(|tool| tool.entry()).find(|entry| entry.name == name);
        entry.is_none_or(|entry| entry.shelf != Shelf::Play)
    }

    /// What there is, by name.
    pub fn names(&self) -> Vec<String> {
        self.allowed().map(|(_, entry)| entry.name.to_owned()).collect()
    }

    /// What a conversation's model is told, always in the same order.
    pub fn specs(&self, channel: &ChannelId) -> Vec<ToolSpec> {
        let active = self.active.get(channel).unwrap_or_default();
        let is_offered = |entry: &ToolEntry| {
            entry.is_at_hand || ALWAYS.contains(&entry.name) || active.contains(&entry.name)
        };
        let offered = self.allowed().map(|(_, entry)| entry).filter(is_offered);
        offered.map(ToolEntry::spec).chain([self.search_spec()]).collect()
    }

    /// Makes a tool active, or notes that it was used.
    fn touch(&self, channel: &ChannelId, name: &'static str) {
        if ALWAYS.contains(&name) {
            return;
        }
        let mut active = self.active.get(channel).unwrap_or_default();
        active.retain(|known| *known != name);
        active.push(name);
        let surplus = (active.len() + ALWAYS.len()).saturating_sub(CEILING);
        active.drain(..surplus);
        self.active.insert(channel.clone(), active);
    }

    /// Runs one round of calls at the same time; a result for each, in their order. Whatever goes wrong is a result
    /// that says so.
    pub async fn run(
        &self,
        calls: &[ToolCall],
        context: &ToolContext,
        guard: &mut LoopGuard,
    ) -> Vec<ToolResult> {
        let refusals: Vec<_> = calls.iter().map(|call| guard.refuse(call)).collect();
        let runs = calls.iter().zip(refusals).map(|(call, refusal)| async move {
            let given = match refusal {
                Some(why) => Err(why.to_owned()),
                None => self.run_one(call, context).await,
            };
            let failed = given.is_err();
            let content = given.unwrap_or_else(|why| format!("This did not work: {}", one_line(&why)));
            ToolResult { call: call.id.clone(), content, failed }
        });
        join_all(runs).await
    }

    async fn run_one(&self, call: &ToolCall, context: &ToolContext) -> Result<String, String> {
        let written = if call.arguments.trim().is_empty() { "{}" } else { &call.arguments };
        let arguments: Value =
            serde_json::from_str(written).map_err(|error| format!("the arguments are not JSON: {error}"))?;
        if call.name == SEARCH {
            return self.search(&arguments, &context.place.channel);
        }
        // A tool that was not offered but exists is run all the same (specs mechanisms G13).
        let (tool, entry) = self.allowed().find(|(_, entry)| entry.name == call.name).ok_or_else(|| {
            format!("there is no tool {:?}; {SEARCH} lists what there is", unicode::visible(&call.name))
        })?;
        self.touch(&context.place.channel, entry.name);
        let deadline = self.config.current().tools.deadline;
        let run = AssertUnwindSafe(tool.run(arguments, context)).catch_unwind();
        match timeout(deadline, run).await {
            Ok(Ok(Ok(result))) => Ok(result),
            Ok(Ok(Err(error))) => Err(error.to_string()),
            Ok(Err(_panic)) => Err("the tool broke".to_owned()),
            Err(_) => Err(format!("it took longer than {} s", deadline.as_secs_f64())),
        }
    }

    /// Words or a shelf in, tools out; what is found is offered from the next call on.
    fn search(&self, arguments: &Value, channel: &ChannelId) -> Result<String, String> {
        let query = arguments.get("query").and_then(Value::as_str).unwrap_or_default().to_lowercase();
        let scored = self.allowed().map(|(_, entry)| (score(&query, &entry), entry));
        let mut found: Vec<(usize, ToolEntry)> = scored.filter(|(score, _)| *score > 0).collect();
        if found.is_empty() {
            return Ok(format!("Nothing fits {query:?}. The shelves are: {}.", self.shelves()));
        }
        found.sort_by(|(a, x), (b, y)| b.cmp(a).then_with(|| x.name.cmp(y.name)));
        found.truncate(FOUND_MAX);
        for (_, entry) in &found {
            self.touch(channel, entry.name);
        }
        let lines: Vec<_> =
            found.iter().map(|(_, entry)| format!("{}: {}", entry.name, entry.description)).collect();
        Ok(format!("You can call these now:\n{}", lines.join("\n")))
    }

    fn search_spec(&self) -> ToolSpec {
        ToolSpec {
            name: SEARCH.to_owned(),
            description: format!(
                "Finds more tools by words or by shelf, and makes them callable. Shelves: {}.",
                self.shelves()
            ),
            parameters: json!({
                "type": "object",
                "properties": {"query": {"type": "string", "description": "words, or a shelf's name"}},
                "required": ["query"],
            }),
        }
    }

    fn shelves(&self) -> String {
        let filled: Vec<Shelf> = self.allowed().map(|(_, entry)| entry.shelf).collect();
        let named = Shelf::ALL.iter().filter(|(shelf, _)| filled.contains(shelf)).map(|(_, name)| *name);
        named.collect::<Vec<_>>().join(", ")
    }

    fn allowed(&self) -> impl Iterator<Item = (&Arc<dyn Tool>, ToolEntry)> {
        let config = self.config.current();
        let existing = self.tools.iter().filter(|tool| tool.exists()).map(|tool| (tool, tool.entry()));
        existing.filter(move |(_, entry)| config.tools.disabled.iter().all(|name| name != entry.name))
    }
}

/// How well a tool fits a search: its shelf counts most, then its name, then its description.
fn score(query: &str, entry: &ToolEntry) -> usize {
    let description = entry.description.to_lowercase();
    let words = query.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2);
    words
        .map(|word| {
            6 * usize::from(Shelf::ALL.contains(&(entry.shelf, word)))
                + 3 * usize::from(entry.name.split('_').any(|part| part == word))
                + usize::from(description.contains(word))
        })
        .sum()
}

#[cfg(test)]
mod tests;
