//! All tools, and the run of a model's calls.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::join_all;
use parking_lot::{Mutex, RwLock};
use quick_cache::sync::Cache;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

use super::actions::{CONFIRM_CHARS, CONFIRM_WITHIN, Confirmation, too_long_to_confirm};
use super::builtin::{self, Pictures, ToolBoxParts};
use super::guard::LoopGuard;
use super::select::{
    NOTHING, PLAINLY_NONE, Ranked, Selector, ToolText, TurnShape, WANTED, on_blocking_thread,
};
use super::tool::{AnyTool, Effect, Gives, ReadCall, Shelf, ToolContext, ToolEntry};
use crate::config::{Config, LiveConfig, ToolOffer};
use crate::context::{TOOLS_SHARE, is_unfit_for};
use crate::documents::Seer;
use crate::domain::{ChannelId, Place, ToolCall, ToolResult, ToolSelection, ToolSpec};
use crate::llm::{ModelDescription, ToolForm, tool_tokens};
use crate::text::keywords;
use crate::text::short::one_line;
use crate::text::unicode;

/// The tool that finds the others.
const SEARCH: &str = "tool_search";

/// Offered in every conversation: what a companion is asked for most.
const ALWAYS: [&str; 2] = ["memory_search", SEARCH];

/// Tools one search makes active.
const FOUND_MAX: usize = 5;

/// What fits a search worse than this is not found by it.
const FOUND_LEAST: f32 = 0.15;

/// Told where a tool would leave words that are not for everybody who may read them.
const UNFIT: &str = "people of any age may read here, and these words are not for all of them: do it without them, or \
                     leave it";

/// How much later than it should somebody who asks may say that nobody answered.
const ASKS_LATE: Duration = Duration::from_secs(5);

/// Tools that are chosen for a conversation, those that are always there included.
pub(super) const CHOSEN_MAX: usize = 8;

/// Tools of one conversation, with what it searched for or called by itself. The set changes rarely and is sent in a fixed
/// order, because tools stand in front of the prompt and every change makes the provider read all of it anew.
const CEILING: usize = 20;

/// More tools are never all offered by themselves, however prompts are kept.
const ALL_MOST: usize = 64;

/// What stands beside the best fit is offered with it from this share of its score on: the set changes anyway.
const BESIDE: f32 = 0.4;

/// Tools whose scores a turn's record tells.
const TOLD: usize = 5;

/// Conversations whose sets are remembered.
const CONVERSATIONS: usize = 256;

/// Every tool of a familiar. One per process.
#[derive(Debug)]
pub struct ToolBox {
    config: Arc<LiveConfig>,
    tools: Vec<Arc<dyn AnyTool>>,
    pictures: Option<Arc<Pictures>>,
    /// Those of programs that were connected, by what each program is called.
    connected: RwLock<BTreeMap<String, Vec<Arc<dyn AnyTool>>>>,
    active: Cache<ChannelId, Active>,
    selector: Selector,
}

/// The tools of one conversation.
#[derive(Debug, Clone, Default)]
struct Active {
    /// What was chosen for it, or it asked for or used; not used for longest first.
    tools: Vec<Arc<str>>,
    /// Everything is offered, this turn only: something is to be done, and nothing known fits it.
    are_all: bool,
    /// The shape of the turn that goes on, until it has used something.
    unused: Option<TurnShape>,
    shape: Option<TurnShape>,
}

/// Whether a turn has begun to do something, whatever comes of it. Shared by all who would begin the turn anew.
#[derive(Debug, Clone, Default)]
pub struct HasActed(Arc<AtomicBool>);

impl HasActed {
    pub fn get(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    fn set(&self) {
        self.0.store(true, Ordering::Release);
    }
}

/// What one turn has called so far.
#[derive(Debug, Default)]
pub struct ToolTurn {
    guard: LoopGuard,
    /// The model has read what others wrote: from now on nothing is done that nobody confirmed.
    has_read_others: bool,
    /// The addresses that tools gave, with what is written around them.
    given: Vec<String>,
    refusals: Mutex<Refusals>,
    /// One question at a time: whoever says no to one may be asked no more.
    asking: tokio::sync::Mutex<()>,
    acted: HasActed,
}

/// What is not asked about again in a turn.
#[derive(Debug, Default)]
struct Refusals {
    /// Tools that somebody said no to.
    tools: BTreeSet<String>,
    /// Nobody answered: whoever does not look does not have the others wait for every tool anew.
    has_silence: bool,
}

impl ToolTurn {
    /// A turn that tells others when it begins to do something.
    pub fn telling(acted: HasActed) -> Self {
        Self { acted, ..Self::default() }
    }

    /// Others' words stand in the prompt already.
    pub fn reads_others(&mut self) {
        self.has_read_others = true;
    }

    /// Whether an address was read in this turn: where it was said or given, an address tells nobody anything.
    fn has_read(&self, address: &str, context: &ToolContext) -> bool {
        let bare = |address: &str| {
            let address = address.trim();
            let address = address.split_once("://").map_or(address, |(_, rest)| rest);
            address.trim_end_matches('/').to_owned()
        };
        let address = bare(address);
        let ends = |rest: &str| {
            let next = rest.trim_start_matches('/').chars().next();
            next.is_none_or(|next| next.is_whitespace() || ",.;:!?)]}>\"'*|".contains(next))
        };
        let holds =
            |text: &str| text.match_indices(&address).any(|(at, held)| ends(&text[at + held.len()..]));
        !address.is_empty() && context.said.iter().chain(&self.given).any(|text| holds(text))
    }
}

impl Active {
    /// Chooses for a line that these tools fit, best first, where there is room for so many; whether anything changed.
    fn choose(&mut self, fitting: &[(Arc<str>, f32)], asks: bool, room: usize) -> bool {
        let best = fitting.first().map_or(0.0, |(_, score)| *score);
        // The first turn of a conversation costs its whole prompt anyway.
        let least = match (self.tools.is_empty(), asks) {
            (false, _) => WANTED,
            (true, true) => 0.0,
            (true, false) => PLAINLY_NONE,
        };
        let fits = |least: f32| fitting.iter().take(room).filter(move |(_, score)| *score >= least);
        let is_new = |name: &Arc<str>| !self.tools.contains(name);
        if best < least || !fits(least.max(best / 2.0)).any(|(name, _)| is_new(name)) {
            return false;
        }
        let chosen: Vec<Arc<str>> = fits(best * BESIDE).map(|(name, _)| Arc::clone(name)).collect();
        self.tools.retain(|known| !chosen.contains(known));
        // The best is used last, so that it stays for longest.
        self.tools.extend(chosen.into_iter().rev());
        self.tools.drain(..self.tools.len().saturating_sub(room));
        // What takes nobody's place comes along, and leaves first.
        for (name, _) in fits(0.0) {
            if self.tools.len() < room && !self.tools.contains(name) {
                self.tools.insert(0, Arc::clone(name));
            }
        }
        true
    }
}

impl ToolBox {
    /// The tools there are.
    pub fn standard(parts: ToolBoxParts) -> Self {
        let asked = builtin::OutsideServices::of(&parts.outside, &parts.config);
        let pictures = asked.as_ref().and_then(|asked| asked.pictures.clone());
        Self { pictures, ..Self::of(Arc::clone(&parts.config), builtin::builtin_tools(&parts, asked)) }
    }

    /// Who tells what pictures show, where a model that sees can be set up.
    pub fn pictures(&self) -> Option<Seer> {
        Some(Seer::of(self.pictures.clone()?, Pictures::sees, Pictures::told))
    }

    pub(super) fn of(config: Arc<LiveConfig>, tools: Vec<Arc<dyn AnyTool>>) -> Self {
        let selector = Selector::new(config.home().tool_use());
        let active = Cache::new(CONVERSATIONS);
        Self { config, tools, pictures: None, connected: RwLock::default(), active, selector }
    }

    /// The tools of a program that was connected, in place of those it had; none takes them away. What they are for is
    /// read behind the scenes.
    pub fn connect(self: &Arc<Self>, program: &str, tools: Vec<Arc<dyn AnyTool>>) {
        {
            let mut connected = self.connected.write();
            if tools.is_empty() {
                connected.remove(program);
            } else {
                connected.insert(program.to_owned(), tools);
            }
        }
        let known = Arc::clone(self);
        on_blocking_thread(move || known.warm_up());
    }

    /// Something was forgotten: no tool keeps anything at hand of what it brought before.
    pub fn let_go(&self) {
        self.known().iter().for_each(|tool| tool.let_go());
    }

    /// What is known of all tools, whether they can do anything now or not.
    pub fn texts(&self) -> Vec<ToolText> {
        let text = |tool: &Arc<dyn AnyTool>| ToolText {
            name: Arc::clone(&tool.entry().name),
            description: Arc::clone(&tool.entry().description),
            parameters: tool.entry().parameters.clone(),
        };
        self.known().iter().map(text).collect()
    }

    /// Reads what the tools are for, so that they can be chosen; until then all are offered. Takes a while.
    pub fn warm_up(&self) {
        self.selector.get_to_know(|| self.texts());
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

    /// What a model is told in a place, always in the same order.
    pub fn specs(&self, place: &Place, model: &ModelDescription) -> Vec<ToolSpec> {
        let active = self.active.get(&place.channel).unwrap_or_default();
        let all = self.usable(place);
        let is_native = model.tool_form == ToolForm::Native;
        if is_native && active.are_all || self.all_because(model).is_some() {
            let specs = all_specs(&all);
            if are_few(&specs, model) {
                return specs;
            }
        }
        let is_offered = |entry: &ToolEntry| is_constant(entry) || active.tools.contains(&entry.name);
        let offered = all.iter().map(|tool| tool.entry()).filter(|entry| is_offered(entry));
        offered.map(ToolEntry::spec).chain([search_spec(&all)]).collect()
    }

    /// Why a model is told of all tools whatever is asked; `None` where they are chosen.
    fn all_because(&self, model: &ModelDescription) -> Option<&'static str> {
        if model.tool_form != ToolForm::Native {
            return None;
        }
        match self.config.current().tools.offer {
            ToolOffer::Fitting => None,
            ToolOffer::All => Some("all are offered, as the settings want"),
            ToolOffer::Auto if model.keeps_prompts && self.allowed().len() <= ALL_MOST => Some(
                "all are offered: its server keeps prompts, and a list that changes is paid for with the prompt",
            ),
            ToolOffer::Auto => None,
        }
    }

    /// Chooses what [`specs`](Self::specs) offers a model in a place from now on, for a turn that answers a line there
    /// (G9 to G12).
    ///
    /// What is offered stays as long as it has what fits: a tool that nobody needs costs a tenth of its tokens, and a change
    /// all tokens of the prompt behind it.
    /// `liked` says in percent what becomes of how well a tool fits, where that was learnt (M17).
    pub fn select(
        &self,
        place: &Place,
        line: &str,
        model: &ModelDescription,
        liked: Option<&BTreeMap<String, u32>>,
    ) -> ToolSelection {
        let all = self.usable(place);
        let mut active = self.active.get(&place.channel).unwrap_or_default();
        if let Some(unused) = active.unused.take() {
            self.selector.note(unused, NOTHING);
        }
        let Some(ranked) = self.selector.rank(line, place.is_one_to_one()) else {
            (active.are_all, active.shape) = (true, None);
            self.active.insert(place.channel.clone(), active);
            let outcome = "what they are for is still being read: all are offered".to_owned();
            return ToolSelection { by: "nothing yet".to_owned(), outcome, scored: Vec::new() };
        };
        let Ranked { tools, asks, asks_for_deeds, shape, by } = ranked;
        let is_usable =
            |name: &Arc<str>| all.iter().any(|tool| tool.entry().name == *name && !is_constant(tool.entry()));
        let mut fitting: Vec<(Arc<str>, f32)> =
            tools.into_iter().filter(|(name, _)| is_usable(name)).collect();
        let by = match liked.filter(|liked| !liked.is_empty()) {
            None => by.to_owned(),
            Some(liked) => {
                for (name, score) in &mut fitting {
                    *score *= liked.get(&**name).map_or(1.0, |percent| *percent as f32 / 100.0);
                }
                fitting.sort_by(|(a, x), (b, y)| y.total_cmp(x).then_with(|| a.cmp(b)));
                format!("{by}, and what is liked here")
            }
        };
        let best = fitting.first().map_or(0.0, |(_, score)| *score);
        let because = self.all_because(model).filter(|_| are_few(&all_specs(&all), model));
        let changes = because.is_none() && {
            let constant = all.iter().filter(|tool| is_constant(tool.entry())).count();
            // The search is none of the tools, and always there.
            active.choose(&fitting, asks, CHOSEN_MAX.saturating_sub(constant + 1))
        };
        let is_native = model.tool_form == ToolForm::Native;
        active.are_all =
            is_native && because.is_none() && best < WANTED && asks_for_deeds && !fitting.is_empty();
        (active.shape, active.unused) = (Some(shape.clone()), Some(shape));
        let outcome = match (because, active.are_all, changes, best >= WANTED) {
            (Some(why), ..) => why,
            (_, true, ..) => "nothing fits what is to be done: all are offered",
            (_, _, true, _) => "chosen anew",
            (_, _, false, true) => "what fits was offered already",
            (_, _, false, false) => "no tool is wanted",
        };
        self.active.insert(place.channel.clone(), active);
        ToolSelection {
            by,
            outcome: outcome.to_owned(),
            scored: fitting.iter().take(TOLD).map(|(name, score)| (name.to_string(), *score)).collect(),
        }
    }

    /// Notes for which sort of turn a tool was used.
    fn note_use(&self, channel: &ChannelId, name: &str) {
        let Some(mut active) = self.active.get(channel) else { return };
        if let Some(shape) = &active.shape {
            self.selector.note(shape.clone(), name);
            active.unused = None;
            self.active.insert(channel.clone(), active);
        }
    }

    /// Makes a tool active, or notes that it was used.
    fn touch(&self, channel: &ChannelId, name: &Arc<str>) {
        if ALWAYS.contains(&&**name) {
            return;
        }
        let mut active = self.active.get(channel).unwrap_or_default();
        active.tools.retain(|known| known != name);
        active.tools.push(Arc::clone(name));
        let surplus = (active.tools.len() + ALWAYS.len()).saturating_sub(CEILING);
        active.tools.drain(..surplus);
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
        let written = calls.iter().map(|call| {
            let arguments = arguments_of(call);
            (call, turn.guard.refuse(call, arguments.as_ref().ok()), arguments)
        });
        let written: Vec<_> = written.collect();
        let usable = &usable[..];
        let so_far = &*turn;
        let runs = written.into_iter().map(|(call, refusal, arguments)| async move {
            let given = match (refusal, arguments) {
                (Some(why), _) => Err(why.to_owned()),
                (None, Err(why)) => Err(why),
                (None, Ok(arguments)) => self.run_one(call, arguments, usable, context, so_far).await,
            };
            let failed = given.is_err();
            let content = given.unwrap_or_else(|why| format!("This did not work: {}", one_line(&why)));
            ToolResult { call: call.id.clone(), content, failed }
        });
        let results = join_all(runs).await;
        // What this round brings was not read when its calls were made. Whoever it came from may also have written why it
        // failed, and be gone since.
        let is_others = |(call, result): (&ToolCall, &ToolResult)| match tool_named(usable, &call.name) {
            Some(tool) => tool.entry().gives == Gives::OthersWords,
            None => call.name == SEARCH && self.tells_of_connected(&result.content),
        };
        turn.has_read_others |= calls.iter().zip(&results).any(is_others);
        turn.given.extend(calls.iter().zip(&results).filter_map(|(call, result)| given_anew(call, result)));
        results
    }

    async fn run_one(
        &self,
        call: &ToolCall,
        arguments: Value,
        usable: &[Arc<dyn AnyTool>],
        context: &ToolContext,
        turn: &ToolTurn,
    ) -> Result<String, String> {
        if call.name == SEARCH {
            self.note_use(&context.place.channel, SEARCH);
            return self.search(&arguments, usable, &context.place);
        }
        // A tool that was not offered but exists is run all the same (G13).
        let tool = tool_named(usable, &call.name).ok_or_else(|| {
            format!("there is no tool {:?}; {SEARCH} lists what there is", unicode::visible(&call.name))
        })?;
        // What it leaves behind is read there as a reply is.
        let leaves = tool.entry().effect != Effect::Looks;
        if leaves && is_unfit_for(&self.config.current(), &context.place, &texts_in(&arguments).join("\n")) {
            return Err(UNFIT.to_owned());
        }
        let read = tool.read(arguments).map_err(|error| error.to_string())?;
        let waited = self.may_act(tool.entry(), &*read, context, turn).await?;
        self.touch(&context.place.channel, &tool.entry().name);
        let later;
        let context = if waited.is_zero() {
            context
        } else {
            let now = context.now.saturating_add(waited).unwrap_or(context.now);
            later = ToolContext { now, ..context.clone() };
            &later
        };
        let deadline = self.config.current().tools.deadline.max(tool.patience());
        let run = AssertUnwindSafe(read.run(context)).catch_unwind();
        match timeout(deadline, run).await {
            Ok(Ok(Ok(result))) => {
                self.note_use(&context.place.channel, &call.name);
                Ok(result)
            }
            Ok(Ok(Err(error))) => Err(error.to_string()),
            Ok(Err(_panic)) => Err("the tool broke".to_owned()),
            Err(_) => Err(format!("it took longer than {} s", deadline.as_secs_f64())),
        }
    }

    /// Asks whoever has to be asked before something is done (M11): the gate of changes, and by a press
    /// of a button whoever caused it, where the settings say so, where several people asked, and wherever the model has read
    /// what others wrote. An address that it made up since then might carry out what it knows, so that is asked as well.
    /// Gives how long that took.
    async fn may_act(
        &self,
        entry: &ToolEntry,
        call: &dyn ReadCall,
        context: &ToolContext,
        turn: &ToolTurn,
    ) -> Result<Duration, String> {
        let began = Instant::now();
        let is_free = match entry.effect {
            Effect::Looks => {
                !turn.has_read_others || call.address().is_none_or(|address| turn.has_read(&address, context))
            }
            Effect::Acts | Effect::Reaches => {
                if context.change.is_none() {
                    return Err("whoever is answered may not have this done".to_owned());
                }
                let reaches = entry.effect == Effect::Reaches || call.reaches();
                let asks = self.config.current().tools.confirm.asks(reaches);
                !(asks || entry.always_asks || turn.has_read_others || context.is_unsure)
            }
        };
        if !is_free {
            self.is_confirmed(entry, call, context, turn).await?;
        }
        if entry.effect != Effect::Looks {
            turn.acted.set();
        }
        Ok(if is_free { Duration::ZERO } else { began.elapsed() })
    }

    async fn is_confirmed(
        &self,
        entry: &ToolEntry,
        call: &dyn ReadCall,
        context: &ToolContext,
        turn: &ToolTurn,
    ) -> Result<(), String> {
        let refused = || "it was not confirmed: do not try again".to_owned();
        let _alone = turn.asking.lock().await;
        let is_refused = {
            let refusals = turn.refusals.lock();
            refusals.has_silence || refusals.tools.contains(&*entry.name)
        };
        if is_refused {
            return Err(refused());
        }
        let nobody =
            || "nobody can be asked here whether it shall be done: say so, and do not try again".to_owned();
        let actions = context.actions.as_ref().ok_or_else(nobody)?;
        let who = context.caller.clone().ok_or_else(nobody)?;
        let what = call.proposed(context).await.map_err(|error| error.to_string())?;
        // Nobody agrees to what they cannot read.
        if one_line(&what.to_string()).chars().count() > CONFIRM_CHARS || !actions.fits_a_question(&what) {
            return Err(too_long_to_confirm().to_string());
        }
        let ask = Confirmation {
            who,
            place: context.place.clone(),
            what,
            after_others_words: turn.has_read_others,
        };
        let began = Instant::now();
        // Whoever asks knows first that nobody answered.
        match timeout(CONFIRM_WITHIN + ASKS_LATE, actions.confirms(ask)).await {
            Ok(true) => Ok(()),
            Ok(false) | Err(_) => {
                let mut refusals = turn.refusals.lock();
                refusals.tools.insert(entry.name.to_string());
                refusals.has_silence |= began.elapsed() >= CONFIRM_WITHIN;
                Err(refused())
            }
        }
    }

    /// Whether a search names a tool of a connected program, which is told in the words of that program.
    fn tells_of_connected(&self, found: &str) -> bool {
        let connected = self.connected.read();
        let mut names = connected.values().flatten().map(|tool| &tool.entry().name);
        names.any(|name| found.contains(&**name))
    }

    /// Words or a shelf in, tools out; what is found is offered from the next call on.
    fn search(&self, arguments: &Value, all: &[Arc<dyn AnyTool>], place: &Place) -> Result<String, String> {
        let query = arguments.get("query").and_then(Value::as_str).unwrap_or_default();
        let ranked = self.selector.rank(query, place.is_one_to_one());
        let fit = |entry: &ToolEntry| {
            let mut known = ranked.iter().flat_map(|ranked| &ranked.tools);
            let known = known.find(|(name, _)| *name == entry.name).map(|(_, fit)| *fit);
            known.unwrap_or_else(|| fit_of_description(query, entry))
        };
        let scored = all.iter().map(|tool| (score(query, tool.entry()) + fit(tool.entry()), tool.entry()));
        let mut found: Vec<(f32, &ToolEntry)> = scored.filter(|(score, _)| *score >= FOUND_LEAST).collect();
        if found.is_empty() {
            return Ok(format!("Nothing fits {query:?}. The shelves are: {}.", shelves(all)));
        }
        found.sort_by(|(a, x), (b, y)| b.total_cmp(a).then_with(|| x.name.cmp(&y.name)));
        found.truncate(FOUND_MAX);
        for (_, entry) in &found {
            self.touch(&place.channel, &entry.name);
        }
        let lines: Vec<_> =
            found.iter().map(|(_, entry)| format!("{}: {}", entry.name, entry.description)).collect();
        Ok(format!("You can call these now:\n{}", lines.join("\n")))
    }

    /// All, whether they can do anything now or not.
    fn known(&self) -> Vec<Arc<dyn AnyTool>> {
        self.tools.iter().chain(self.connected.read().values().flatten()).cloned().collect()
    }

    /// Those that there are and that the operator did not take away.
    fn allowed(&self) -> Vec<Arc<dyn AnyTool>> {
        let config = self.config.current();
        let mut allowed = self.known();
        allowed.retain(|tool| is_allowed(&config, tool));
        allowed
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
        let tool = tool_named(self.tools.iter().chain(connected.values().flatten()), name)?;
        is_allowed(&config, tool).then(|| Arc::clone(tool))
    }
}

fn is_allowed(config: &Config, tool: &Arc<dyn AnyTool>) -> bool {
    tool.exists() && config.tools.disabled.iter().all(|name| **name != *tool.entry().name)
}

fn tool_named<'t>(
    tools: impl IntoIterator<Item = &'t Arc<dyn AnyTool>>,
    name: &str,
) -> Option<&'t Arc<dyn AnyTool>> {
    tools.into_iter().find(|tool| *tool.entry().name == *name)
}

/// All texts in what a model wrote as arguments.
fn texts_in(arguments: &Value) -> Vec<&str> {
    match arguments {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts_in).collect(),
        Value::Object(fields) => fields.values().flat_map(texts_in).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

/// The addresses in what a call gave that its own arguments did not hold; none of one that failed, which may repeat them.
fn given_anew(call: &ToolCall, result: &ToolResult) -> Option<String> {
    let arguments = arguments_of(call).ok().filter(|_| !result.failed)?;
    let mut asked = texts_in(&arguments);
    asked.retain(|text| !text.trim().is_empty());
    let given = asked.into_iter().fold(result.content.clone(), |given, text| given.replace(text, " "));
    let addresses: Vec<_> = given.split_whitespace().filter(|word| word.contains('.')).collect();
    (!addresses.is_empty()).then(|| addresses.join(" "))
}

/// What a model wrote as arguments; nothing is none.
fn arguments_of(call: &ToolCall) -> Result<Value, String> {
    let written = if call.arguments.trim().is_empty() { "{}" } else { &call.arguments };
    serde_json::from_str(written).map_err(|error| format!("the arguments are not JSON: {error}"))
}

/// All that the model could be told.
fn all_specs(all: &[Arc<dyn AnyTool>]) -> Vec<ToolSpec> {
    all.iter().map(|tool| tool.entry().spec()).chain([search_spec(all)]).collect()
}

/// Whether so many leave a prompt its room; with more, a plan would have none at all.
fn are_few(specs: &[ToolSpec], model: &ModelDescription) -> bool {
    tool_tokens(specs, model) <= model.context_window / TOOLS_SHARE
}

pub(super) fn search_spec(all: &[Arc<dyn AnyTool>]) -> ToolSpec {
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

/// Whether a tool is offered in every conversation.
fn is_constant(entry: &ToolEntry) -> bool {
    entry.is_at_hand || ALWAYS.contains(&&*entry.name)
}

/// What the name of a shelf and of a tool, named in a search, count beside how it fits.
fn score(query: &str, entry: &ToolEntry) -> f32 {
    let query = query.to_lowercase();
    let counts = telling_words(&query).map(|word| {
        let is_shelf = Shelf::ALL.contains(&(entry.shelf, word));
        let is_named = entry.name.split('_').any(|part| part == word);
        f32::from(u8::from(is_shelf)) * 2.0 + f32::from(u8::from(is_named))
    });
    counts.sum()
}

/// What words of a search count in the description of a tool that is not known yet.
fn fit_of_description(query: &str, entry: &ToolEntry) -> f32 {
    let (query, description) = (query.to_lowercase(), entry.description.to_lowercase());
    telling_words(&query).filter(|word| description.contains(word)).count() as f32 / 3.0
}

/// The words of a search that are longer than two letters of the alphabet.
fn telling_words(query: &str) -> impl Iterator<Item = &str> {
    keywords::written_words(query).filter(|word| word.len() > 2)
}

#[cfg(test)]
mod tests;
