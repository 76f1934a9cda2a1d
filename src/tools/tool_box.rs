//! All tools, and the run of a model's calls.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::join_all;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::activation::Activations;
use super::builtin;
use super::guard::LoopGuard;
use super::tool::{Category, Tool, ToolContext};
use crate::config::LiveConfig;
use crate::context::recall::Recall;
use crate::domain::{ChannelId, ToolCall, ToolResult, ToolSpec};
use crate::familiar::{LiveCharacter, LiveLore};
use crate::graph::Graph;
use crate::history::History;
use crate::llm::ModelDescription;
use crate::memory::Memory;
use crate::text::unicode;

/// The tool that finds the others.
const SEARCH: &str = "tool_search";

/// Offered in every conversation: what a companion is asked for most.
const ALWAYS: [&str; 2] = ["memory_search", SEARCH];

/// Tools one search makes active.
const FOUND_MAX: usize = 5;

/// What the tools work with.
#[derive(Debug, Clone)]
pub struct ToolBoxParts {
    /// Which tools are wanted.
    pub config: Arc<LiveConfig>,
    /// Who the familiar is.
    pub character: Arc<LiveCharacter>,
    /// What was said.
    pub history: Arc<History>,
    /// What is noted.
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
    active: Activations,
}

impl ToolBox {
    /// The tools there are.
    #[must_use]
    pub fn standard(parts: ToolBoxParts) -> Self {
        Self::of(Arc::clone(&parts.config), builtin::all(&parts))
    }

    fn of(config: Arc<LiveConfig>, tools: Vec<Arc<dyn Tool>>) -> Self {
        Self { config, tools, active: Activations::new(ALWAYS.map(str::to_owned)) }
    }

    /// Whether a model gets tools; see [`ToolUse::gives`](crate::config::ToolUse::gives).
    #[must_use]
    pub fn are_for(&self, model: &ModelDescription) -> bool {
        self.config.current().tools.usage.gives(model.takes_tools)
    }

    /// Whether a tool only looks something up, so that a later look makes an earlier one obsolete.
    #[must_use]
    pub fn only_reads(&self, name: &str) -> bool {
        self.tools
            .iter()
            .find(|tool| tool.name() == name)
            .is_none_or(|tool| tool.category() != Category::Play)
    }

    /// What there is, by name.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.allowed().map(|tool| tool.name().to_owned()).collect()
    }

    /// What a conversation's model is told, always in the same order.
    #[must_use]
    pub fn specs(&self, channel: &ChannelId) -> Vec<ToolSpec> {
        let mut specs: Vec<ToolSpec> = self
            .allowed()
            .filter(|tool| tool.is_at_hand() || self.active.has(channel, tool.name()))
            .map(|tool| tool.spec())
            .collect();
        specs.push(self.search_spec());
        specs
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
            let content = given.unwrap_or_else(|why| format!("This did not work: {why}"));
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
        let tool = self.allowed().find(|tool| tool.name() == call.name).ok_or_else(|| {
            format!("there is no tool {:?}; {SEARCH} lists what there is", unicode::visible(&call.name))
        })?;
        self.active.touch(&context.place.channel, &call.name);
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
        let mut found: Vec<(usize, ToolSpec)> = self
            .allowed()
            .map(|tool| (tool.category(), tool.spec()))
            .map(|(category, spec)| (score(&query, category, &spec), spec))
            .filter(|(score, _)| *score > 0)
            .collect();
        if found.is_empty() {
            return Ok(format!("Nothing fits {query:?}. The shelves are: {}.", self.shelves()));
        }
        found.sort_by(|(a, x), (b, y)| b.cmp(a).then_with(|| x.name.cmp(&y.name)));
        found.truncate(FOUND_MAX);
        for (_, spec) in &found {
            self.active.touch(channel, &spec.name);
        }
        let lines: Vec<_> =
            found.iter().map(|(_, spec)| format!("{}: {}", spec.name, spec.description)).collect();
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
        let filled = Category::ALL
            .into_iter()
            .filter(|shelf| self.allowed().any(|tool| tool.category() == *shelf))
            .map(Category::as_str);
        filled.collect::<Vec<_>>().join(", ")
    }

    fn allowed(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        let config = self.config.current();
        self.tools
            .iter()
            .filter(move |tool| tool.exists() && config.tools.disabled.iter().all(|name| name != tool.name()))
    }
}

/// How well a tool fits a search: its shelf counts most, then its name, then its description.
fn score(query: &str, category: Category, spec: &ToolSpec) -> usize {
    let words = query.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2);
    words
        .map(|word| {
            let description = spec.description.to_lowercase();
            6 * usize::from(category.as_str() == word)
                + 3 * usize::from(spec.name.split('_').any(|part| part == word))
                + usize::from(description.contains(word))
        })
        .sum()
}

#[cfg(test)]
mod tests;
