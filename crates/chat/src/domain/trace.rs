//! What a turn leaves behind for whoever asks "why did you say that?".

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    Audience, CacheFigures, ChannelMode, ChatMessage, Exchange, ExecutionPlan, FamiliarId, FinishReason,
    Layer, LoreLevel, LoreWhy, Modality, ModelErrorClass, Place, RenderMode, Slot, StoredId, ToolRound,
    ToolSpec, TurnId, Usage, WindowFigures,
};
use familiar_cards::text::counted;

/// The whole record of one turn (A28).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnTrace {
    pub id: TurnId,
    pub familiar: FamiliarId,
    /// Where; its audience also says who may look at this trace.
    pub place: Place,
    pub mode: ChannelMode,
    pub modality: Modality,
    /// The stored messages it was about, oldest first.
    pub pending: Vec<StoredId>,
    /// Which of them asked something of the familiar; absent in older traces and where nothing was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<QuestionRecord>,
    /// Who wrote them, as account keys; these people may see the trace.
    pub authors: Vec<String>,
    pub opened_at: Timestamp,
    /// From opening to outcome, in microseconds.
    pub total_us: u64,
    /// Why it spoke (or why it was asked to).
    pub trigger: String,
    /// Stage timings in order.
    pub stages: Vec<StageTiming>,
    /// What the pipeline did; absent when the turn ended before assembling a prompt.
    pub assembly: Option<AssemblyFigures>,
    /// The exact messages sent.
    pub request: Vec<ChatMessage>,
    /// Sampling and routing parameters as sent, without messages.
    pub parameters: serde_json::Value,
    /// Every model call, failed attempts included.
    pub calls: Vec<ModelCall>,
    /// What was done around the main model: thoughts before it, polish after it.
    #[serde(default)]
    pub processing: Processing,
    /// What was really delivered.
    pub reply: Option<String>,
    pub outcome: Outcome,
    /// In a call: what happened when, counted from the moment in which whoever is answered fell silent, from the last
    /// words of the recogniser to the first sound of the answer (familiar-connect 2.5).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_call: Vec<StageTiming>,
    /// What was done behind the scenes for this place since the turn before: summaries and the like.
    #[serde(default)]
    pub background: Vec<WorkerRun>,
}

impl TurnTrace {
    /// The trace of a turn that ended before, or did without, a prompt and a model.
    pub fn new(
        id: TurnId,
        familiar: FamiliarId,
        place: Place,
        mode: ChannelMode,
        opened_at: Timestamp,
        trigger: impl Into<String>,
        outcome: Outcome,
    ) -> Self {
        Self {
            id,
            familiar,
            place,
            mode,
            modality: Modality::Text,
            pending: Vec::new(),
            question: None,
            authors: Vec::new(),
            opened_at,
            total_us: 0,
            trigger: trigger.into(),
            stages: Vec::new(),
            assembly: None,
            request: Vec::new(),
            parameters: serde_json::Value::Null,
            calls: Vec::new(),
            processing: Processing::default(),
            reply: None,
            outcome,
            in_call: Vec::new(),
            background: Vec::new(),
        }
    }

    /// Among the [`parameters`](Self::parameters): the tools whose model was told of them in words.
    pub const TOOLS_IN_WORDS: &str = "tools_in_words";

    /// The tools its model was told of.
    pub fn tools(&self) -> Vec<ToolSpec> {
        let told = self.parameters.get(Self::TOOLS_IN_WORDS).or_else(|| self.parameters.get("tools"));
        let told = told.and_then(serde_json::Value::as_array).into_iter().flatten();
        told.filter_map(|tool| ToolSpec::deserialize(tool.get("function")?).ok()).collect()
    }

    /// The same without what jobs asked and were answered, which only the x-ray shows.
    pub fn without_exchanges(&self) -> Self {
        let mut trace = self.clone();
        trace.all_calls_mut().for_each(|call| call.exchange = None);
        trace
    }

    /// The calls of the turn, and behind them those of jobs behind the scenes.
    pub fn all_calls_mut(&mut self) -> impl Iterator<Item = &mut ModelCall> {
        let behind = self.background.iter_mut().flat_map(|run| &mut run.calls);
        self.calls.iter_mut().chain(behind)
    }

    /// What the turn held while it ran.
    pub fn blackboard(&self) -> Blackboard<'_> {
        let plan = self.assembly.as_ref().and_then(|assembly| assembly.plan.as_ref());
        Blackboard { plan, processing: &self.processing }
    }

    /// Whether its model was told of them in one of the messages, for it can be given none.
    pub fn has_tools_in_words(&self) -> bool {
        self.parameters.get(Self::TOOLS_IN_WORDS).is_some()
    }
}

/// What one turn holds while it runs (Y12): what it plans, what it thinks, and what tools gave it. The next
/// turn begins with an empty one.
#[derive(Debug, Clone, Copy)]
pub struct Blackboard<'t> {
    plan: Option<&'t ExecutionPlan>,
    processing: &'t Processing,
}

impl<'t> Blackboard<'t> {
    /// What the message was judged to be, and what could be spent on it; absent where no prompt was made.
    pub fn plan(self) -> Option<&'t ExecutionPlan> {
        self.plan
    }

    /// What was thought before the answer, and why something was not.
    pub fn thoughts(self) -> impl Iterator<Item = &'t ProcessorRecord> {
        self.processing.runs.iter().filter(|run| run.side == ProcessorSide::Before)
    }

    /// Model calls that were made for them before the reply's first token.
    pub fn calls_before_first_token(self) -> u32 {
        self.processing.calls_before_first_token
    }

    /// What was called, and what came back.
    pub fn rounds(self) -> &'t [ToolRound] {
        &self.processing.rounds
    }
}

/// One lore entry in one turn: whether its text was called up, and the reason either way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoreRecord {
    pub book: String,
    /// Its number in the book.
    pub uid: u32,
    pub name: String,
    pub fired: bool,
    pub why: LoreWhy,
    /// How much of it was given; only of one that was called up.
    #[serde(default)]
    pub level: Option<LoreLevel>,
    /// Its tokens; 0 for one that was not called up.
    #[serde(default)]
    pub tokens: u32,
}

/// What of the messages before a turn it took as its question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionRecord {
    /// The message that was answered.
    pub asking: StoredId,
    /// All that spoke to the familiar, in the order they were said; without [`asking`](Self::asking) where it only
    /// joined in.
    pub addressed: Vec<StoredId>,
    /// Whether the model was told that it may decide not to answer.
    #[serde(default)]
    pub may_pass: bool,
}

/// One run of a job behind the scenes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkerRun {
    /// Which job, e.g. `crystallise`.
    pub worker: String,
    pub at: Timestamp,
    pub us: u64,
    /// What it did, or why not, in words.
    pub did: String,
    /// Every model call it made, failed attempts included.
    pub calls: Vec<ModelCall>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageTiming {
    /// The stage, e.g. `gather`, `budget`, `first_token`.
    pub stage: String,
    pub us: u64,
}

/// The pipeline's figures: what was offered, what was kept, what it cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AssemblyFigures {
    pub render: RenderMode,
    pub providers: Vec<ProviderOutcome>,
    /// Every chunk, kept or not.
    pub chunks: Vec<ChunkRecord>,
    pub layers: Vec<LayerFigures>,
    /// The total allowed for the prompt, in tokens.
    pub budget_tokens: u32,
    /// What the prompt takes, by our count.
    pub prompt_tokens: u32,
    /// Tokens kept free for the reply.
    pub reserve_tokens: u32,
    /// Stage timings inside the pipeline.
    pub stages: Vec<StageTiming>,
    /// Things worth saying to the operator, e.g. "identity is larger than its layer".
    pub notes: Vec<String>,
    /// What the turn was judged to be and what could be spent on it; absent in traces from before there was a plan.
    #[serde(default)]
    pub plan: Option<ExecutionPlan>,
    /// How many texts were longer than their source allows and were cut.
    #[serde(default)]
    pub clips: u32,
    /// What became of the lore's entries and why: those called up in the order they stand, then the others; absent in
    /// traces from before there was a matcher, and bounded.
    #[serde(default)]
    pub lore: Vec<LoreRecord>,
    /// How full the room for the conversation was; absent where there was none to measure.
    #[serde(default)]
    pub window: Option<WindowFigures>,
    /// What was looked up; empty in traces from before anything was.
    #[serde(default)]
    pub searches: Vec<SearchFigures>,
    /// How a second model put the finds in order, once for each time that was looked; empty where none did.
    #[serde(default)]
    pub reranked: Vec<RerankFigures>,
    /// How good the prompt is by its own figures; absent in older traces.
    #[serde(default)]
    pub quality: Option<Quality>,
    /// How much of it the last prompt of this conversation had already; absent in older traces.
    #[serde(default)]
    pub layout: Option<LayoutFigures>,
    /// Tokens that this model slot is spared by its settings: sections it skips, a short card.
    #[serde(default)]
    pub spared_tokens: u32,
    /// The short card, where it stood for the whole one.
    #[serde(default)]
    pub short_card: Option<ShortCardFigures>,
    /// The room that stayed free although something was left out for want of room, as a share of the budget, 0 to 1
    /// (packing waste); absent in older traces.
    #[serde(default)]
    pub packing_waste: Option<f32>,
    /// What was true for this turn only (who was here, the mood, thoughts), as it was offered: nobody can find it out
    /// again, so a replay takes it from here. Written and read by the context pipeline alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moment: Vec<serde_json::Value>,
}

/// How good a prompt is, judged by what was offered and what of it is in (A18). Every part is 0 to 1,
/// 1 the best.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Quality {
    /// All of it in one figure.
    pub score: f32,
    /// The share of the sources that answered.
    pub coverage: f32,
    /// The share of what each layer was offered that is in, layer for layer.
    pub completeness: f32,
    /// How fresh what is in is, by tokens.
    pub freshness: f32,
    /// The share of all worth that was not evicted.
    pub retention: f32,
    /// 1 where nothing had to be clipped.
    pub wholeness: f32,
}

/// What a prompt shares with the one before it in the same conversation: what a provider can have cached
/// (memory 3.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayoutFigures {
    /// Tokens of the longest beginning that both have, by our count; 0 where there was none before.
    pub stable_tokens: u32,
    /// The rest: what the provider has to read anew.
    pub fresh_tokens: u32,
    /// Where the first difference is: the message, from 0, and the byte in it at which the paragraph that differs
    /// begins. `None` where there was no prompt before, or nothing differs.
    pub differs_at: Option<(u32, u32)>,
}

/// One search through what the familiar has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchFigures {
    pub query: String,
    /// Where: `history`, `notes`, `graph`.
    pub source: String,
    pub hits: u32,
    /// The best one's likelihood, 0 to 1; 0 where nothing was found.
    pub best: f32,
    pub us: u64,
    /// Why there is nothing, where something went wrong.
    #[serde(default)]
    pub problem: Option<String>,
    /// Where the best of what was found is from, with its likelihood, the best first; at most [`FINDS_NAMED`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<(String, f32)>,
}

/// So many finds of one search are named in a record.
pub const FINDS_NAMED: usize = 8;

/// How a cross-encoder put the best finds in order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RerankFigures {
    /// Which model; empty while there is none.
    pub model: String,
    /// How many finds it read.
    pub finds: u32,
    pub us: u64,
    /// How many of them changed places.
    pub moved: u32,
    /// Those that came up to the first five places.
    pub risen: Vec<RisenFind>,
    /// Why they stayed in the order they had, where something went wrong.
    pub problem: Option<String>,
}

/// A find that came up to the front.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RisenFind {
    /// Which: the turn, or the file and heading.
    pub find: String,
    /// Its place before, from 1.
    pub from: u32,
    pub to: u32,
}

/// The short card that stood for the whole one (A26).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShortCardFigures {
    /// Tokens of the whole card's description, personality, scenario and examples.
    pub whole: u32,
    /// Tokens of what stood for them.
    pub short: u32,
    /// Whether the operator wrote it; else it is made of the card's own sentences.
    pub is_written: bool,
}

impl ShortCardFigures {
    /// What it spared, in tokens.
    pub fn spared(&self) -> u32 {
        self.whole.saturating_sub(self.short)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderOutcome {
    pub provider: String,
    pub us: u64,
    pub status: ProviderStatus,
}

/// A provider fails open: late or broken, it is dropped and said so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderStatus {
    /// It contributed this many pieces.
    Ok {
        contributions: usize,
    },
    /// Its answer of a moment ago still held, so it was not asked again; or all that it reads was fetched ahead.
    Cached {
        contributions: usize,
    },
    /// Its deadline passed, and it had nothing yet.
    Late,
    /// Enough was found before it was done, and it had nothing yet.
    NotAwaited,
    /// The wait for it ended before it was done; what it had by then is used.
    Partly {
        contributions: usize,
    },
    Failed {
        error: String,
    },
}

/// One chunk and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChunkRecord {
    /// Where it came from, e.g. `character/description`, `history/turn 42`.
    pub source: String,
    pub layer: Layer,
    /// 1 (first to go) to 5 (never evicted).
    pub importance: u8,
    pub tokens: u32,
    /// What eviction goes by: the lower goes first (A17).
    #[serde(default)]
    pub score: f32,
    pub fate: ChunkFate,
    /// How a piece that is not in the prompt begins, so that "why did you not remember" has an answer; at most
    /// [`EXCERPT_CHARS`] characters. What is kept stands in the request word for word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
    /// What was changed in it before it could be used, and why it was marked; empty for most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub altered: Vec<String>,
    /// Before whom it was learnt; not in records of older programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audience: Option<Audience>,
}

/// The longest [`ChunkRecord::excerpt`], in characters.
pub const EXCERPT_CHARS: usize = 240;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChunkFate {
    Kept,
    LayerFull,
    PromptFull,
    /// Older than where the history begins, which is cut ahead so that it need not be cut with every message.
    CutAhead,
    /// A summary whose messages are shown, or told of by other summaries.
    ToldOtherwise,
    WithGroup,
    /// A search found it, but better finds filled what the question needs.
    NotNeeded,
    /// The same text was already there.
    Duplicate,
    /// Cut off a text that was longer than its source allows; can be called up again.
    Clipped,
    /// Learnt where not everybody here could see it (the audience rule).
    NotForHere {
        /// Where it was learnt.
        audience: Audience,
    },
    SectionFull,
    /// Its section is not wanted here.
    LeftOut {
        reason: String,
    },
    /// Taken out for what it is.
    #[serde(alias = "weeded", alias = "Weeded")]
    Screened {
        reason: String,
    },
}

/// Tokens of one layer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerFigures {
    pub layer: Layer,
    /// Its cap; `None` for no cap of its own.
    pub cap: Option<u32>,
    pub offered: u32,
    pub kept: u32,
}

impl LayerFigures {
    /// What had to be left out of the layer, for the model and the operator: `recent_history: 72 % kept, 340 tokens
    /// spilled`; `None` where everything is there (M1).
    pub fn spill_note(&self) -> Option<String> {
        let spilled = self.offered.saturating_sub(self.kept);
        let share = self.kept_percent();
        (spilled > 0).then(|| format!("{}: {share} % kept, {spilled} tokens spilled", self.layer.as_str()))
    }

    /// How much of what was offered is in, in percent, rounded down.
    pub fn kept_percent(&self) -> u64 {
        u64::from(self.kept) * 100 / u64::from(self.offered.max(1))
    }
}

/// One attempt at a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelCall {
    pub slot: Slot,
    /// The model asked for.
    pub model: String,
    /// The upstream provider that answered, where told.
    pub provider: Option<String>,
    /// Milliseconds to the first token.
    pub first_token_ms: Option<u64>,
    pub total_ms: u64,
    pub usage: Option<Usage>,
    /// What of the request the provider could keep or find again; absent where no cache is known, and in older traces.
    #[serde(default)]
    pub cache: Option<CacheFigures>,
    pub finish: Option<FinishReason>,
    pub error: Option<(ModelErrorClass, String)>,
    /// What it was asked and answered, shared and not copied with the record; absent for the reply's own calls, for
    /// tries before the last one, and in older traces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<Arc<Exchange>>,
}

impl ModelCall {
    /// A call of which nothing is known yet but what was asked.
    pub fn new(slot: Slot, model: impl Into<String>) -> Self {
        Self {
            slot,
            model: model.into(),
            provider: None,
            first_token_ms: None,
            total_ms: 0,
            usage: None,
            cache: None,
            finish: None,
            error: None,
            exchange: None,
        }
    }
}

/// How a turn ended. Every turn has exactly one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Outcome {
    Replied {
        /// In how many messages.
        messages: usize,
    },
    /// It chose not to.
    Silent { reason: SilenceReason },
    Failed {
        /// The class of failure.
        class: ModelErrorClass,
        /// What happened, for the operator.
        error: String,
    },
    /// The reply could not be handed over.
    Undelivered {
        /// How many messages did arrive.
        messages: usize,
        error: String,
    },
    /// It was ended from outside.
    Cancelled {
        reason: CancelReason,
        /// How many messages had been delivered.
        messages: usize,
    },
}

/// Silence is a normal, explained result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SilenceReason {
    /// People are talking among themselves and it is not yet time to join in.
    NotAddressed {
        /// Messages since it last spoke.
        count: u32,
        /// It joins in at this many.
        threshold: u32,
    },
    /// Nobody addressed it, and it does not join in here.
    OnlyWhenAddressed,
    /// The message was for somebody else.
    AddressedToSomeoneElse,
    FromBot,
    /// The message could not be stored, and what is not stored is not answered.
    NotStored,
    /// It was said while the program was not running, and is too old now or was not said to it.
    SaidMeanwhile,
    /// A stranger has had as many answers as there are for now (M13).
    EnoughForNow,
    /// They, their channel or their server had as many answers begun as there are for a while.
    TooMuchAtOnce,
    /// Somebody said here today that they want to die; it joins no conversation.
    SomebodyInDistress,
    /// It sleeps at this hour, and joins no conversation.
    Asleep,
    /// It was told to be quiet, and is from now on.
    ToldToBeQuiet,
    /// Nobody addressed it where it was told to be quiet before.
    KeptQuiet {
        /// Until when; `None` where it is until it is woken.
        until: Option<Timestamp>,
    },
    /// The model was asked, and found that nothing was to be said (voice 2.5).
    FoundNothingToSay,
    /// An emoji that it put under a message is its answer.
    Reacted,
    /// The model was asked, and found that they were not finished.
    WaitsForTheRest,
}

/// Why a turn was ended from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CancelReason {
    /// More was said before it spoke; a newer turn answers all of it.
    Superseded,
    /// Somebody spoke while the rest was being typed.
    Interrupted,
    /// Whoever it answered stopped it.
    StoppedByHand,
    /// What it was answering was deleted.
    Withdrawn,
    Shutdown,
    /// The program was killed; found out at its next start.
    Killed,
}

impl Outcome {
    /// One line for logs, the terminal and the record, in English.
    pub fn summary(&self) -> String {
        match self {
            Self::Replied { messages } => format!("replied in {}", counted(*messages as u64, "message")),
            Self::Silent { reason } => format!("stayed silent because {}", reason.words()),
            Self::Failed { error, .. } => format!("failed: {error}"),
            Self::Undelivered { messages, error } => {
                format!("could not deliver the reply after {}: {error}", counted(*messages as u64, "message"))
            }
            Self::Cancelled { reason, messages } => {
                format!("cancelled ({}) after {}", reason.words(), counted(*messages as u64, "message"))
            }
        }
    }
}

impl SilenceReason {
    /// Continues the sentence "stayed silent because …".
    pub fn words(&self) -> String {
        match self {
            Self::NotAddressed { count, threshold } => {
                format!("nobody addressed it ({count} of {threshold} messages until it joins in)")
            }
            Self::OnlyWhenAddressed => "nobody addressed it, and it does not join in here".to_owned(),
            Self::AddressedToSomeoneElse => "the message was for somebody else".to_owned(),
            Self::FromBot => "bots are not answered".to_owned(),
            Self::NotStored => "the message could not be stored".to_owned(),
            Self::SomebodyInDistress => {
                "somebody is in distress here, so it speaks only when spoken to".to_owned()
            }
            Self::Asleep => "it is asleep, and nobody spoke to it".to_owned(),
            Self::ToldToBeQuiet => "it was told to be quiet".to_owned(),
            Self::KeptQuiet { until: Some(until) } => {
                format!("it was told to be quiet here until {}", until.strftime("%Y-%m-%d %H:%M UTC"))
            }
            Self::KeptQuiet { until: None } => "it was told to be quiet here until it is woken".to_owned(),
            Self::SaidMeanwhile => "it was said while the program was not running".to_owned(),
            Self::EnoughForNow => {
                "strangers get only so many answers, and they had theirs for now".to_owned()
            }
            Self::TooMuchAtOnce => "more was asked than the limits allow for now".to_owned(),
            Self::FoundNothingToSay => "it found that nothing was to be said".to_owned(),
            Self::Reacted => "the emoji that it put under a message is its answer".to_owned(),
            Self::WaitsForTheRest => {
                "it found that they were not finished, and waits for the rest".to_owned()
            }
        }
    }
}

impl CancelReason {
    pub fn words(self) -> &'static str {
        match self {
            Self::Superseded => "more was said first",
            Self::Interrupted => "somebody spoke in between",
            Self::StoppedByHand => "it was stopped by hand",
            Self::Withdrawn => "the message was deleted",
            Self::Shutdown => "shutting down",
            Self::Killed => "the program was killed",
        }
    }
}

/// What was done before the main model was asked and after it had answered.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Processing {
    /// Every processor that ran or was passed over, in that order.
    pub runs: Vec<ProcessorRecord>,
    /// What the main model wrote, where something else was delivered.
    pub written: Option<String>,
    /// What the main model called, and what came back.
    #[serde(default)]
    pub rounds: Vec<ToolRound>,
    /// Which tools were chosen for it; nothing where it had none, or an older program wrote the record.
    #[serde(default)]
    pub tool_selection: Option<ToolSelection>,
    /// Model calls made before the reply's first token, the reply's own call not counted. By default at most one, and
    /// that one runs while providers gather.
    pub calls_before_first_token: u32,
}

/// How it was settled which tools a turn offers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSelection {
    /// What had a say.
    pub by: String,
    /// What became of it.
    pub outcome: String,
    /// The tools that fitted best, with their scores; 1 is a perfect fit.
    pub scored: Vec<(String, f32)>,
}

/// One run of a processor, or why there was none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessorRecord {
    /// Its name, e.g. `thinking` or `recast/behaviour`.
    pub processor: String,
    /// On which side of the main model it works.
    pub side: ProcessorSide,
    pub status: ProcessorStatus,
    pub us: u64,
    /// Model calls it began.
    pub calls: u32,
    /// Tokens of those calls, in and out, as far as they were reported.
    pub tokens: u64,
    /// The model that answered last.
    pub model: Option<String>,
    /// What it made: thoughts nobody saw, or a text, also one that was not accepted.
    pub made: Option<String>,
}

/// Which side of the main model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProcessorSide {
    /// Before it: its result is in the prompt.
    Before,
    /// After it: its result is what was delivered.
    After,
}

/// How a processor's run went. Only [`Self::Ran`] changed anything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProcessorStatus {
    /// It did its work.
    Ran,
    /// It had nothing to do here.
    Skipped {
        why: String,
    },
    Failed {
        why: String,
    },
    /// It was not done in time.
    Late,
    /// What it made was not accepted.
    Refused {
        /// Which guard, and what it found.
        why: String,
    },
    /// The turn ended first.
    BrokenOff,
}
