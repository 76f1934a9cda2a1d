//! All tools, and the run of a model's calls.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::join_all;
use parking_lot::RwLock;
use quick_cache::sync::Cache;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::actions::{CONFIRM_WITHIN, Confirmation};
use super::builtin::{self, OutsideParts};
use super::guard::LoopGuard;
use super::notes::NoteTaker;
use super::tool::{AnyTool, Effect, Gives, ReadCall, Shelf, ToolContext, ToolEntry};
use crate::config::{Config, LiveConfig};
use crate::context::recall::Recall;
use crate::domain::{ChannelId, Place, ToolCall, ToolResult, ToolSpec};
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

/// How much later than it should somebody who asks may say that nobody answered.
const ASKS_LATE: Duration = Duration::from_secs(5);

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
    /// What is outside, to look at.
    pub outside: OutsideParts,
    /// Who writes notes; `None` where none are written.
    pub notes: Option<Arc<dyn NoteTaker>>,
}

/// Every tool of a familiar. One per process.
#[derive(Debug)]
pub struct ToolBox {
    config: Arc<LiveConfig>,
    tools: Vec<Arc<dyn AnyTool>>,
    /// Those of programs that were connected, by what each program is called.
    connected: RwLock<BTreeMap<String, Vec<Arc<dyn AnyTool>>>>,
    /// What each conversation asked for or used, not used for longest first.
    active: Cache<ChannelId, Vec<Arc<str>>>,
}

/// What one turn has called so far.
#[derive(Debug, Default)]
pub struct ToolTurn {
    guard: LoopGuard,
    /// The model has read what others wrote: from now on nothing is done that nobody confirmed.
    has_read_others: bool,
}

impl ToolBox {
    /// The tools there are.
    pub fn standard(parts: ToolBoxParts) -> Self {
        Self::of(Arc::clone(&parts.config), builtin::all(&parts))
    }

    fn of(config: Arc<LiveConfig>, tools: Vec<Arc<dyn AnyTool>>) -> Self {
        Self { config, tools, connected: RwLock::default(), active: Cache::new(CONVERSATIONS) }
    }

    /// The tools of a program that was connected, in place of those it had; none takes them away.
    pub fn connect(&self, program: &str, tools: Vec<Arc<dyn AnyTool>>) {
        let mut connected = self.connected.write();
        if tools.is_empty() {
            connected.remove(program);
        } else {
            connected.insert(program.to_owned(), tools);
        }
    }

    /// Whether a model gets tools; see [`ToolUse::gives`](crate::config::ToolUse::gives).
    pub fn are_for(&self, model: &ModelDescription) -> bool {
        self.config.current().tools.usage.gives(model.takes_tools())
    }

    /// Whether a tool only looks something up, so that a later look makes an earlier one obsolete.
    pub fn only_reads(&self, name: &str) -> bool {
        // Dice fall differently each time: what they gave stays.
        let is_obsolete = |entry: &ToolEntry| entry.effect == Effect::Looks && entry.shelf != Shelf::Play;
        self.named(name).is_none_or(|tool| is_obsolete(tool.entry()))
    }

    /// What the model would be told of a tool; `None` where there is none of that name.
    pub fn spec(&self, name: &str) -> Option<ToolSpec> {
        self.named(name).map(|tool| tool.entry().spec())
    }

    /// What there is, by name.
    pub fn names(&self) -> Vec<String> {
        self.allowed().iter().map(|tool| tool.entry().name.to_string()).collect()
    }

    /// What the model is told in a place, always in the same order.
    pub fn specs(&self, place: &Place) -> Vec<ToolSpec> {
        let active = self.active.get(&place.channel).unwrap_or_default();
        let is_offered = |entry: &ToolEntry| {
            entry.is_at_hand || ALWAYS.contains(&&*entry.name) || active.contains(&entry.name)
        };
        let all = self.usable(place);
        let offered = all.iter().map(|tool| tool.entry()).filter(|entry| is_offered(entry));
        offered.map(ToolEntry::spec).chain([search_spec(&all)]).collect()
    }

    /// Makes a tool active, or notes that it was used.
    fn touch(&self, channel: &ChannelId, name: &Arc<str>) {
        if ALWAYS.contains(&&**name) {
            return;
        }
        let mut active = self.active.get(channel).unwrap_or_default();
        active.retain(|known| known != name);
        active.push(Arc::clone(name));
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
        turn: &mut ToolTurn,
    ) -> Vec<ToolResult> {
        let usable = self.usable(&context.place);
        // What this round brings was not read when its calls were made.
        let after_others_words = turn.has_read_others;
        let written = calls.iter().map(|call| {
            let arguments = written(call);
            (call, turn.guard.refuse(call, arguments.as_ref().ok()), arguments)
        });
        let written: Vec<_> = written.collect();
        let usable = &usable[..];
        let runs = written.into_iter().map(|(call, refusal, arguments)| async move {
            let given = match (refusal, arguments) {
                (Some(why), _) => Err(why.to_owned()),
                (None, Err(why)) => Err(why),
                (None, Ok(arguments)) => {
                    self.run_one(call, arguments, usable, context, after_others_words).await
                }
            };
            let failed = given.is_err();
            let content = given.unwrap_or_else(|why| format!("This did not work: {}", one_line(&why)));
            ToolResult { call: call.id.clone(), content, failed }
        });
        let results = join_all(runs).await;
        // Whoever it came from may also have written why it failed, and be gone since.
        let brings = |call: &ToolCall| named(usable, &call.name).map(|tool| tool.entry().gives);
        turn.has_read_others |= calls.iter().any(|call| brings(call) == Some(Gives::OthersWords));
        results
    }

    async fn run_one(
        &self,
        call: &ToolCall,
        arguments: Value,
        usable: &[Arc<dyn AnyTool>],
        context: &ToolContext,
        after_others_words: bool,
    ) -> Result<String, String> {
        if call.name == SEARCH {
            return self.search(&arguments, usable, &context.place);
        }
        // A tool that was not offered but exists is run all the same (specs mechanisms G13).
        let tool = named(usable, &call.name).ok_or_else(|| {
            format!("there is no tool {:?}; {SEARCH} lists what there is", unicode::visible(&call.name))
        })?;
        let read = tool.read(arguments).map_err(|error| error.to_string())?;
        self.touch(&context.place.channel, &tool.entry().name);
        self.may_act(tool.entry().effect, &*read, context, after_others_words).await?;
        let deadline = self.config.current().tools.deadline.max(tool.patience());
        let run = AssertUnwindSafe(read.run(context)).catch_unwind();
        match timeout(deadline, run).await {
            Ok(Ok(Ok(result))) => Ok(result),
            Ok(Ok(Err(error))) => Err(error.to_string()),
            Ok(Err(_panic)) => Err("the tool broke".to_owned()),
            Err(_) => Err(format!("it took longer than {} s", deadline.as_secs_f64())),
        }
    }

    /// Asks whoever has to be asked before something is done (specs mechanisms M11): the gate of changes, and by a press
    /// of a button whoever caused it, where the settings say so and wherever the model has read what others wrote.
    async fn may_act(
        &self,
        effect: Effect,
        call: &dyn ReadCall,
        context: &ToolContext,
        after_others_words: bool,
    ) -> Result<(), String> {
        if effect == Effect::Looks {
            return Ok(());
        }
        if context.change.is_none() {
            return Err("whoever is answered may not have this done".to_owned());
        }
        if !after_others_words && !self.config.current().tools.confirm.asks(effect == Effect::Reaches) {
            return Ok(());
        }
        let nobody =
            || "nobody can be asked here whether it shall be done: say so, and do not try again".to_owned();
        let actions = context.actions.as_ref().ok_or_else(nobody)?;
        let who = context.caller.clone().ok_or_else(nobody)?;
        let what = call.proposed(context).await.map_err(|error| error.to_string())?;
        let ask = Confirmation { who, place: context.place.clone(), what, after_others_words };
        // Whoever asks knows first that nobody answered.
        match timeout(CONFIRM_WITHIN + ASKS_LATE, actions.confirms(ask)).await {
            Ok(true) => Ok(()),
            Ok(false) | Err(_) => Err("it was not confirmed: do not try again".to_owned()),
        }
    }

    /// Words or a shelf in, tools out; what is found is offered from the next call on.
    fn search(&self, arguments: &Value, all: &[Arc<dyn AnyTool>], place: &Place) -> Result<String, String> {
        let query = arguments.get("query").and_then(Value::as_str).unwrap_or_default().to_lowercase();
        let scored = all.iter().map(|tool| (score(&query, tool.entry()), tool.entry()));
        let mut found: Vec<(usize, &ToolEntry)> = scored.filter(|(score, _)| *score > 0).collect();
        if found.is_empty() {
            return Ok(format!("Nothing fits {query:?}. The shelves are: {}.", shelves(all)));
        }
        found.sort_by(|(a, x), (b, y)| b.cmp(a).then_with(|| x.name.cmp(&y.name)));
        found.truncate(FOUND_MAX);
        for (_, entry) in &found {
            self.touch(&place.channel, &entry.name);
        }
        let lines: Vec<_> =
            found.iter().map(|(_, entry)| format!("{}: {}", entry.name, entry.description)).collect();
        Ok(format!("You can call these now:\n{}", lines.join("\n")))
    }

    /// Those that there are and that the operator did not take away.
    fn allowed(&self) -> Vec<Arc<dyn AnyTool>> {
        let config = self.config.current();
        let connected = self.connected.read();
        let all = self.tools.iter().chain(connected.values().flatten());
        all.filter(|tool| is_allowed(&config, tool)).cloned().collect()
    }

    /// Those of them that can do something in a place.
    fn usable(&self, place: &Place) -> Vec<Arc<dyn AnyTool>> {
        let mut usable = self.allowed();
        usable.retain(|tool| tool.is_for(place));
        usable
    }

    fn named(&self, name: &str) -> Option<Arc<dyn AnyTool>> {
        let config = self.config.current();
        let connected = self.connected.read();
        let tool = named(self.tools.iter().chain(connected.values().flatten()), name)?;
        is_allowed(&config, tool).then(|| Arc::clone(tool))
    }
}

fn is_allowed(config: &Config, tool: &Arc<dyn AnyTool>) -> bool {
    tool.exists() && config.tools.disabled.iter().all(|name| **name != *tool.entry().name)
}

fn named<'t>(
    tools: impl IntoIterator<Item = &'t Arc<dyn AnyTool>>,
    name: &str,
) -> Option<&'t Arc<dyn AnyTool>> {
    tools.into_iter().find(|tool| *tool.entry().name == *name)
}

/// What a model wrote as arguments; nothing is none.
fn written(call: &ToolCall) -> Result<Value, String> {
    let written = if call.arguments.trim().is_empty() { "{}" } else { &call.arguments };
    serde_json::from_str(written).map_err(|error| format!("the arguments are not JSON: {error}"))
}

fn search_spec(all: &[Arc<dyn AnyTool>]) -> ToolSpec {
    ToolSpec {
        name: SEARCH.to_owned(),
        description: format!(
            "Finds more tools by words or by shelf, and makes them callable. Shelves: {}.",
            shelves(all)
        ),
        parameters: json!({
            "type": "object",
            "properties": {"query": {"type": "string", "description": "words, or a shelf's name"}},
            "required": ["query"],
        }),
    }
}

fn shelves(all: &[Arc<dyn AnyTool>]) -> String {
    let is_filled = |shelf: &Shelf| all.iter().any(|tool| tool.entry().shelf == *shelf);
    let named = Shelf::ALL.iter().filter(|(shelf, _)| is_filled(shelf)).map(|(_, name)| *name);
    named.collect::<Vec<_>>().join(", ")
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
