//! The run of one turn: assemble, ask, hand over, store what arrived, leave a trace. Every path ends in exactly one
//! outcome.

mod closing;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use parking_lot::Mutex;
use tokio::time::Instant;

use super::decline::Decline;
use super::forget_barrier::ForgetBarrier;
use super::growing::{Growing, grows};
use super::in_place::InPlace;
use super::open_gate::{RESTATED, held_back, is_unfit};
use super::opening::{Opening, Question, choose_tools, completion_of, open};
use super::outbox::{Delivery, DeliveryError, DeliveryStyle, Notice, Outbox, TypingGuard};
use super::parts::SessionParts;
use super::pre_reply::PreReply;
use super::said_before::{SaidBefore, THRICE, repeated};
use super::scene;
use super::speculation::{Prepared, Speculation};
use super::stop::Stop;
use super::turn_tools::{TurnTools, brings_others_words};
use super::underway::{HandedOver, Underway};
use super::unsaid::Unsaid;
use super::waiting::Call;
use crate::clock::whole_micros;
use crate::config::{ChannelConfig, CrossingTalks};
use crate::context::{DOCUMENT_SOURCE, Prompt, PromptTooLarge, TurnRequest};
use crate::documents::ShownPicture;
use crate::domain::{
    AssemblyFigures, CancelReason, ChatMessage, ChunkFate, ChunkRecord, ExecutionPlan, FinishReason,
    ModelCall, ModelErrorClass, Outcome, Place, Platform, Processing, SilenceReason, Slot, StageTiming,
    StoredId, StoredTurn, ToolRound, ToolSpec, TurnId,
};
use crate::llm::{CompletionRequest, CompletionStream, ModelError, SentPicture};
use crate::text::short::{one_line, shortened};
use crate::tools::{PlaceActions, REACT, ToolTurn};
use crate::trace::logging::TOLD;

/// The longest a reply waits for room to be made, where there is none left (familiar-connect 1.7).
const ROOM_WAIT: Duration = Duration::from_secs(12);

/// A model that gives nothing is asked once more (familiar-connect 2.4).
const ATTEMPTS_WHEN_EMPTY: usize = 2;

/// A thread for a talk of its own is named by so many characters of what was asked.
const THREAD_NAME_CHARS: usize = 60;

/// For so many messages a model that sees is shown a picture: each time costs as much as the first.
const PICTURE_TURNS: usize = 6;

/// So long an answer waits for the files that came with what it answers; what is read later is there for the next one. A
/// model that looks at a picture takes some seconds, and an answer about it without it helps nobody.
const DOCUMENTS_WAIT: Duration = Duration::from_secs(6);

/// With which messages files may have come that are asked about: with those that are answered, or with what they reply to.
fn shown_with(pending: &[StoredTurn]) -> Vec<StoredId> {
    let parents = pending.iter().filter_map(|turn| turn.reply_to.as_ref()).map(|parent| parent.id);
    pending.iter().map(|turn| turn.id).chain(parents).collect()
}

pub(super) struct TurnJob {
    pub turn: TurnId,
    pub place: Place,
    /// Already stored, oldest first, never empty.
    pub pending: Vec<StoredTurn>,
    /// The one of them that is to be answered.
    pub asking: StoredTurn,
    /// What it asks, in words.
    pub question: Question,
    pub call: Call,
    /// Everybody who spoke here lately.
    pub speakers: Vec<String>,
    /// What it had still wanted to say where its last reply broke off.
    pub unsaid: Option<Unsaid>,
    /// Why it began late, where it did.
    pub late: Option<String>,
    /// The answer, if it was begun before the question was over.
    pub speculation: Option<Speculation>,
    /// What is forgotten while it runs.
    pub forget_barrier: ForgetBarrier,
    /// The reply whose place its own takes, and the moment that was answered; `None` for a reply of its own.
    pub in_place: Option<(Arc<InPlace>, Timestamp)>,
    /// How it is set apart from another talk there.
    pub apart: CrossingTalks,
    /// What can be done in its place, whichever way its words leave.
    pub actions: Option<Arc<dyn PlaceActions>>,
}

impl TurnJob {
    /// Why it speaks, why only now, and why there or so.
    fn why(&self) -> String {
        let apart = match self.apart {
            CrossingTalks::Mixed => None,
            CrossingTalks::Replies => Some("two talks crossed here, so as a reply"),
            CrossingTalks::Threads => Some("two talks crossed, so in a thread of its own"),
        };
        let all = [Some(self.call.why()), self.late.as_deref(), apart];
        all.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }

    /// What may be done besides talking, for whoever asked.
    fn tools<'a>(&self, parts: &'a Arc<SessionParts>, request: &TurnRequest) -> TurnTools<'a> {
        let is_unsure = self.question.askers > 1 || self.call.joins_in();
        TurnTools::of(parts, request).asked(self.asking.message.clone(), self.actions.clone(), is_unsure)
    }

    /// Opens the thread that its answer goes to; where there can be none it is a reply.
    async fn goes_apart(&mut self, parts: &SessionParts, outbox: &dyn Outbox) {
        if self.apart != CrossingTalks::Threads {
            return;
        }
        let said = one_line(&self.asking.content);
        let by = self.asking.author.as_ref().map(|by| by.label());
        // Whoever said it, and is called so, it is the program that calls a thread so.
        let is_name = |name: &&str| !name.is_empty() && !is_unfit(parts, &self.place, name);
        let name = [said.as_str()].into_iter().chain(by).find(is_name).unwrap_or("…");
        let name = shortened(name, THREAD_NAME_CHARS);
        let aside = match &self.asking.message {
            Some(message) => outbox.aside(&self.place, message, &name).await,
            None => None,
        };
        match aside {
            Some(aside) => (self.place, self.speculation) = (parts.pairing.entered(&aside).await, None),
            None => self.apart = CrossingTalks::Replies,
        }
    }
}

#[derive(Debug)]
pub(super) struct TurnEnd {
    pub outcome: Outcome,
    /// Whether anything reached the channel.
    pub spoke: bool,
    /// What it had still wanted to say when it was interrupted, or when its words could not be had or delivered.
    pub unsaid: Option<Unsaid>,
    /// How long it wants to wait for the rest of what is being said, where that is what it found.
    pub waits: Option<Duration>,
    /// What it used, each once.
    pub tools: Vec<String>,
}

impl TurnEnd {
    pub(super) fn broken(error: String) -> Self {
        let outcome = Outcome::Failed { class: ModelErrorClass::Malformed, error };
        Self { outcome, spoke: false, unsaid: None, waits: None, tools: Vec::new() }
    }
}

/// Runs a turn to its outcome.
pub(super) async fn run_turn(
    parts: Arc<SessionParts>,
    outbox: Arc<dyn Outbox>,
    mut job: TurnJob,
    stop: Stop,
) -> TurnEnd {
    // What was asked some time ago is answered before those who can see the place now.
    let place = tokio::select! {
        place = parts.pairing.entered(&job.place) => place,
        _ = stop.stopped() => job.place.clone(),
    };
    if place != job.place {
        (job.speculation, job.place) = (None, place);
    }
    job.goes_apart(&parts, outbox.as_ref()).await;
    let channel = parts.config.channel_in(&job.place);
    // Where several asked, it would not be plain who is answered.
    let shows_asked = match job.apart {
        CrossingTalks::Mixed => parts.config.current().discord.reply_reference || job.question.askers > 1,
        CrossingTalks::Replies => true,
        // It hangs on that message.
        CrossingTalks::Threads => false,
    };
    let reply_to = job.asking.message.clone().filter(|_| shows_asked);
    let to = Delivery {
        reply_to,
        whom: job.asking.author.as_ref().map(|author| author.account.clone()),
        unasked: job.call.joins_in(),
        ..Delivery::to(job.turn, job.place.clone())
    };
    let answers = job.pending.iter().map(|turn| turn.id).collect();
    let (modality, barrier) = (job.question.modality, job.forget_barrier.clone());
    // Of another answer nothing is posted before all of it is there, so nothing of it is under way.
    let style = if job.in_place.is_some() { DeliveryStyle::Spoken } else { outbox.style() };
    let underway = Underway::new(&parts, &job.place, job.turn, modality, answers, style).behind(barrier);
    let grows = job.in_place.is_none() && grows(outbox.as_ref(), &parts.config.current());
    let mut run = Run {
        typing: Some(outbox.typing(&to)),
        started: Instant::now(),
        opened_at: parts.clock.now(),
        parts: &parts,
        outbox: outbox.as_ref(),
        channel: &channel,
        to: &to,
        stop: &stop,
        stages: Vec::new(),
        assembly: None,
        request: Vec::new(),
        parameters: serde_json::Value::Null,
        calls: Vec::new(),
        pre_reply: None,
        processing: Processing::default(),
        has_heard: false,
        delivered: HandedOver::default(),
        unsaid: Vec::new(),
        underway,
        begun: Begun::default(),
        growing: grows.then(|| Growing::of(style)).flatten(),
        called: ToolTurn::telling(stop.acts()),
        rounds: Vec::new(),
        may_pass: false,
        window: 0,
        waits: None,
    };
    let outcome = run.answer(&mut job).await;
    run.typing = None;
    run.close(job, outcome).await
}

/// A completion that was begun before its turn. In a lock because a stream cannot be looked at by two.
type Begun = Mutex<Option<Result<CompletionStream, ModelError>>>;

/// A turn that runs.
pub(super) struct Run<'a> {
    pub started: Instant,
    opened_at: Timestamp,
    pub parts: &'a Arc<SessionParts>,
    pub outbox: &'a dyn Outbox,
    pub channel: &'a Arc<ChannelConfig>,
    pub to: &'a Delivery,
    pub stop: &'a Stop,
    /// Shows that it writes.
    pub typing: Option<TypingGuard>,
    stages: Vec<StageTiming>,
    assembly: Option<AssemblyFigures>,
    request: Vec<ChatMessage>,
    parameters: serde_json::Value,
    pub calls: Vec<ModelCall>,
    /// What is done around the main model; absent until the turn is understood.
    pre_reply: Option<PreReply>,
    pub processing: Processing,
    /// The reply's first words came.
    pub has_heard: bool,
    pub delivered: HandedOver,
    /// What there was of a reply that broke off, behind what was delivered.
    pub unsaid: Vec<String>,
    /// What of it would be known if the program were killed now.
    pub underway: Underway,
    /// The first completion, where it was begun before.
    pub begun: Begun,
    /// What has come of it, where its message appears with the first sentence and grows.
    pub growing: Option<Growing>,
    /// What its tools have done, and gave: also for a completion that begins anew.
    pub called: ToolTurn,
    pub rounds: Vec<ToolRound>,
    /// Whether the model was told that it need not answer.
    pub may_pass: bool,
    /// How many tokens the model was taken to read when the prompt was laid out.
    window: u32,
    waits: Option<Duration>,
}

/// Why a reply ended early.
pub(super) enum Broken {
    Stopped(CancelReason),
    /// The model found that it is not to be answered, or not yet.
    Passed(Decline),
    /// It was about to say for the third time what it said twice; nothing of it was handed over.
    SaidBefore,
    /// What comes next is not for those who may read it.
    Unfit,
    Model(ModelError),
    Delivery(DeliveryError),
}

impl Run<'_> {
    async fn answer(&mut self, job: &mut TurnJob) -> Outcome {
        let error = match self.first_try(job).await {
            Ok(outcome) => return outcome,
            Err(error) => error,
        };
        // How much the model reads is known now: with a prompt that fits it is asked again, at once and once.
        tracing::info!(turn = %job.turn, %error, "longer than the model reads, asking with a shorter prompt");
        self.calls.extend(error.attempts.iter().cloned());
        match self.assembled(job).await {
            Ok(outcome) => outcome,
            Err(error) => self.model_failed(job.call, error).await,
        }
    }

    /// An error where the model refused the prompt as too long and is known by now to read less than was assumed.
    async fn first_try(&mut self, job: &mut TurnJob) -> Result<Outcome, ModelError> {
        if let Some(speculation) = job.speculation.take() {
            let heard_by = self.heard_by();
            let prepared = tokio::select! {
                prepared = speculation.prepared() => prepared,
                reason = self.stop.stopped() => return Ok(self.cancelled(reason)),
                late = too_late(heard_by) => return Ok(self.model_failed(job.call, late).await),
            };
            if let Some(prepared) = prepared {
                return self.take_over(job, prepared).await;
            }
        }
        self.assembled(job).await
    }

    /// Lays out the prompt and asks with it; an error as [`Self::first_try`] says.
    async fn assembled(&mut self, job: &TurnJob) -> Result<Outcome, ModelError> {
        self.parts.character.look_again().await;
        let opening = |tool_tokens| Opening {
            turn: job.turn,
            place: &job.place,
            channel: self.channel,
            question: &job.question,
            pending: job.pending.clone(),
            author: job.asking.author.clone(),
            speakers: &job.speakers,
            warm_tokens: None,
            tool_tokens,
        };
        if let Some(choice) = choose_tools(self.parts, &opening(None)) {
            self.processing.tool_selection = Some(choice);
        }
        let mut request = open(self.parts, opening(None));
        if let Some((_, moment)) = &job.in_place {
            // What was said later is no part of what is answered, and nor is the reply that stands there.
            request.now = *moment;
            request.as_of = Some(*moment - Duration::from_millis(1));
        }
        let room_wait = ROOM_WAIT.min(self.channel.figures.deadline);
        tokio::select! {
            () = self.parts.upkeep.workers.make_room(&job.place, room_wait) => {}
            reason = self.stop.stopped() => return Ok(self.cancelled(reason)),
        }
        let answered = shown_with(&job.pending);
        tokio::select! {
            () = self.parts.documents.settled(&answered, DOCUMENTS_WAIT) => {}
            reason = self.stop.stopped() => return Ok(self.cancelled(reason)),
        }
        let without_tools = || open(self.parts, opening(Some(0))).plan;
        if is_long(&job.asking, &request) {
            let pending = vec![job.asking.clone()];
            let plan = without_tools();
            // Thinking is paid for: whether it fits at all is seen before. As of a moment, so that nothing of this look is
            // kept warm.
            let alone = TurnRequest { pending, plan, as_of: Some(request.now), ..request.clone() };
            let looked = tokio::select! {
                looked = self.parts.pipeline.assemble(&alone, None) => looked,
                reason = self.stop.stopped() => return Ok(self.cancelled(reason)),
            };
            if let Err(error) = looked {
                return Ok(self.too_large(job, error).await);
            }
        }
        let earlier = self.pre_reply.take();
        let style = self.outbox.style();
        let pre_reply = match &earlier {
            Some(earlier) => earlier.anew(&request),
            None => PreReply::of(self.parts, &request, &job.speakers, style, job.unsaid.clone()),
        };
        self.pre_reply = Some(pre_reply.clone());
        let mut sieve = if earlier.is_none() { pre_reply.sieve() } else { None };
        let mut beside = if earlier.is_none() { pre_reply.think() } else { pre_reply.again() };
        let prompt = loop {
            let prompt = tokio::select! {
                prompt = self.parts.pipeline.assemble_with(&request, Some(beside), sieve.take()) => prompt,
                reason = self.stop.stopped() => return Ok(self.cancelled(reason)),
            };
            self.stage("assemble");
            pre_reply.log().give_up();
            match prompt {
                Ok(prompt) => break prompt,
                // What was said around the question may be left out, as any older message may.
                Err(_) if request.pending.len() > 1 => {
                    request.pending = vec![job.asking.clone()];
                    beside = pre_reply.again();
                }
                // Better to answer without tools than not at all.
                Err(_) if request.plan.tool_tokens > 0 => {
                    request = TurnRequest { pending: job.pending.clone(), plan: without_tools(), ..request };
                    beside = pre_reply.again();
                }
                Err(error) => return Ok(self.too_large(job, error).await),
            }
        };
        self.may_pass = request.may_pass;
        let turn_tools = job.tools(self.parts, &request);
        self.window = request.model.context_window;
        let mut completion = self.keep(prompt, &request.plan, turn_tools.specs().to_vec());
        completion.pictures = self.pictures(&job.place, answered, request.plan.slot).await;
        self.calls.extend(pre_reply.log().take_calls());
        self.say(job, &pre_reply, &turn_tools, &completion).await
    }

    /// What the model sees for itself of what came with the messages that are answered, and with those right before them: a
    /// picture is talked about.
    async fn pictures(&self, place: &Place, mut seen: Vec<StoredId>, slot: Slot) -> Vec<SentPicture> {
        let config = self.parts.config.current();
        let is_seen = config.llm.slots.get(&slot).is_some_and(|slot| slot.sees_pictures);
        if !is_seen || !self.parts.documents.shows_any() {
            return Vec::new();
        }
        let recent = scene::recent(self.parts, place).await;
        seen.extend(recent.iter().rev().take(PICTURE_TURNS).map(|turn| turn.id));
        let shown = self.parts.documents.shown_with(&seen).into_iter();
        shown.map(|ShownPicture { kind, bytes }| SentPicture { kind: kind.name(), bytes }).collect()
    }

    /// Nothing that could be left out makes it fit.
    async fn too_large(&mut self, job: &TurnJob, error: PromptTooLarge) -> Outcome {
        self.typing = None;
        let turn = job.turn;
        let notice = match error.room() {
            Some(fits) => Notice::MessageTooLong { turn, tokens: error.asked, fits },
            None => Notice::PromptTooLarge { turn },
        };
        self.tell(job.call, notice).await;
        Outcome::Failed { class: ModelErrorClass::ContextLength, error: error.to_string() }
    }

    /// Goes on with an answer that was begun before the question was over.
    async fn take_over(&mut self, job: &TurnJob, prepared: Prepared) -> Result<Outcome, ModelError> {
        let Prepared { request, prompt, completion, stream } = prepared;
        self.stage("assemble");
        let pre_reply = PreReply::of(self.parts, &request, &job.speakers, self.outbox.style(), None);
        self.pre_reply = Some(pre_reply.clone());
        self.laid_out(prompt.into_parts().1);
        self.may_pass = request.may_pass;
        self.window = request.model.context_window;
        self.record(&completion);
        self.begun = Begun::new(Some(stream));
        let turn_tools = job.tools(self.parts, &request);
        self.say(job, &pre_reply, &turn_tools, &completion).await
    }

    /// Asks the model, and hands over what it says; an error as [`Self::first_try`] says.
    async fn say(
        &mut self,
        job: &TurnJob,
        pre_reply: &PreReply,
        turn_tools: &TurnTools<'_>,
        completion: &CompletionRequest,
    ) -> Result<Outcome, ModelError> {
        if job.pending.iter().any(brings_others_words) {
            self.called.reads_others();
        }
        let mut completion = completion.clone();
        let model = self.parts.models.slot(completion.slot).describe();
        let mut said_before = SaidBefore::of(&model, &completion.messages);
        for attempt in 1..=ATTEMPTS_WHEN_EMPTY {
            let outlet = self.parts.processors.outlet(pre_reply.view(), pre_reply.log());
            let said_before = std::mem::take(&mut said_before);
            self.unsaid.clear();
            let replied =
                self.reply(completion.clone(), outlet, said_before, pre_reply.log(), turn_tools).await;
            self.calls.extend(pre_reply.log().take_calls());
            if !is_missed(&replied) {
                self.unsaid.clear();
            }
            match replied {
                Ok(()) if self.delivered.count > 0 => {
                    if let Some(notice) = self.ends_early(completion.slot) {
                        self.tell(job.call, notice).await;
                    }
                    return Ok(Outcome::Replied { messages: self.delivered.count });
                }
                Ok(()) if self.reacted_with().is_some() => {
                    return Ok(Outcome::Silent { reason: SilenceReason::Reacted });
                }
                // Nothing but a decline behind its own name, for one.
                Ok(()) if self.may_pass => return Ok(self.passed(Decline::Silent)),
                // What it did stands for the words that it did not find.
                Ok(()) if attempt == ATTEMPTS_WHEN_EMPTY && self.stop.has_acted() => {
                    return Ok(self.passed(Decline::Silent));
                }
                Ok(()) if attempt < ATTEMPTS_WHEN_EMPTY => {
                    tracing::info!(turn = %job.turn, "empty reply, asking once more");
                }
                Ok(()) => break,
                Err(Broken::SaidBefore) => {
                    tracing::info!(turn = %job.turn, "the same reply for the third time, asking once more");
                    repeated(pre_reply.log());
                    self.asks_anew(&mut completion, THRICE);
                }
                Err(Broken::Unfit) => {
                    held_back(pre_reply.log());
                    if attempt == ATTEMPTS_WHEN_EMPTY || self.delivered.count > 0 {
                        return Ok(self.keeps_back(job).await);
                    }
                    self.asks_anew(&mut completion, RESTATED);
                }
                Err(Broken::Stopped(reason)) => return Ok(self.cancelled(reason)),
                // Nobody told it that it may.
                Err(Broken::Passed(Decline::Wait(_))) if !self.may_pass && attempt < ATTEMPTS_WHEN_EMPTY => {
                    tracing::info!(turn = %job.turn, "it was not told that it may wait, asking once more");
                }
                Err(Broken::Passed(decline)) => return Ok(self.passed(decline)),
                Err(Broken::Model(error)) if self.reads_less(&error, completion.slot) => return Err(error),
                Err(Broken::Model(error)) => return Ok(self.model_failed(job.call, error).await),
                Err(Broken::Delivery(error)) => {
                    tracing::warn!(turn = %job.turn, %error, "reply not delivered");
                    // The place is open, it was the reply that could not be said: whoever asked is told so.
                    if matches!(error, DeliveryError::Refused(_)) {
                        let class = self.or_broke_off(ModelErrorClass::Empty);
                        let notice = Notice::ModelFailed { turn: job.turn, class, wait: None, key_for: None };
                        self.tell(job.call, notice).await;
                    }
                    let (messages, error) = (self.delivered.count, error.to_string());
                    return Ok(Outcome::Undelivered { messages, error });
                }
            }
        }
        let empty =
            ModelError::new(ModelErrorClass::Empty, "the model gave no words that can be shown, twice");
        Ok(self.model_failed(job.call, empty).await)
    }

    /// It wrote once more what is not for people of any age, or some of it is said already: nothing more of it is. Where
    /// people see its beginning they are told why there is no end, whoever asked.
    async fn keeps_back(&mut self, job: &TurnJob) -> Outcome {
        self.typing = None;
        if self.delivered.count > 0 || job.call.is_awaited() {
            self.notify(Notice::KeptBack { turn: job.turn }).await;
        }
        let error = "what it wrote was not for people of any age, who may read here".to_owned();
        Outcome::Failed { class: ModelErrorClass::ContentFilter, error }
    }

    /// The emoji that it put under a message, where that was the last thing it did.
    fn reacted_with(&self) -> Option<String> {
        let last = self.rounds.last().and_then(|round| round.calls.last().zip(round.results.last()));
        let (call, _) = last.filter(|(call, result)| call.name == REACT && !result.failed)?;
        let arguments: serde_json::Value = serde_json::from_str(&call.arguments).ok()?;
        Some(arguments.get("emoji")?.as_str()?.to_owned())
    }

    /// What it called that worked, each once.
    fn used_tools(&self) -> Vec<String> {
        let calls = self.rounds.iter().flat_map(|round| round.calls.iter().zip(&round.results));
        let used: BTreeSet<&String> =
            calls.filter(|(_, result)| !result.failed).map(|(call, _)| &call.name).collect();
        used.into_iter().cloned().collect()
    }

    /// That the model had more to say, and why it did not. Who listens hears that it breaks off.
    fn ends_early(&self, slot: Slot) -> Option<Notice> {
        if self.outbox.style() == DeliveryStyle::Spoken {
            return None;
        }
        let (turn, last) = (self.to.turn, self.calls.iter().rev().find(|call| call.slot == slot)?);
        match last.finish.as_ref()? {
            FinishReason::Length => Some(Notice::CutShort { turn }),
            FinishReason::ContentFilter => {
                let class = ModelErrorClass::ContentFilter;
                Some(Notice::ModelFailed { turn, class, wait: None, key_for: None })
            }
            _ => None,
        }
    }

    /// Whether the model refused the prompt as too long, and reads less than was assumed when it was laid out.
    fn reads_less(&self, error: &ModelError, slot: Slot) -> bool {
        error.class == ModelErrorClass::ContextLength
            && self.delivered.count == 0
            && !self.stop.has_acted()
            && self.parts.models.slot(slot).describe().context_window < self.window
    }

    fn keep(&mut self, prompt: Prompt, plan: &ExecutionPlan, tools: Vec<ToolSpec>) -> CompletionRequest {
        let (messages, figures) = prompt.into_parts();
        self.laid_out(figures);
        let completion = completion_of(self.parts, &self.to.place, plan, messages, tools);
        self.record(&completion);
        completion
    }

    /// A prompt is laid out. Of a file nobody knows who wrote it: where its words stand in there, what is done is confirmed.
    fn laid_out(&mut self, figures: AssemblyFigures) {
        let is_file =
            |chunk: &ChunkRecord| chunk.fate == ChunkFate::Kept && chunk.source.contains(DOCUMENT_SOURCE);
        if figures.chunks.iter().any(is_file) {
            self.called.reads_others();
        }
        self.assembly = Some(figures);
    }

    /// Keeps for the trace what the model is told.
    pub(super) fn record(&mut self, completion: &CompletionRequest) {
        let told = self.parts.models.told(completion);
        (self.request, self.parameters) = (told.messages, told.parameters);
    }

    /// What the prompt takes, in the model's tokens.
    pub(super) fn prompt_tokens(&self) -> u32 {
        self.assembly.as_ref().map_or(0, |figures| figures.prompt_tokens)
    }

    /// Until when there must be a first word, if there was none: people in a call do not see that it thinks.
    pub(super) fn heard_by(&self) -> Option<Instant> {
        let patience = self.parts.config.current().call.answer_within;
        let is_awaited = self.outbox.style() == DeliveryStyle::Spoken && !self.has_heard;
        is_awaited.then(|| self.started + patience)
    }

    async fn model_failed(&mut self, call: Call, error: ModelError) -> Outcome {
        self.calls.extend(error.attempts.iter().cloned());
        if error.class == ModelErrorClass::Cancelled {
            return self.cancelled(CancelReason::Shutdown);
        }
        // At the terminal the notice stands where the log is shown.
        if call.is_awaited() && self.to.place.platform == Platform::Terminal {
            tracing::warn!(target: TOLD, turn = %self.to.turn, class = ?error.class, %error, "model failed");
        } else {
            tracing::warn!(turn = %self.to.turn, class = ?error.class, %error, "model failed");
        }
        self.typing = None;
        let class = self.or_broke_off(error.class);
        let (wait, key_for) = (error.retry_after, error.key_for.clone());
        let notice = Notice::ModelFailed { turn: self.to.turn, class, wait, key_for };
        self.tell(call, notice).await;
        Outcome::Failed { class: error.class, error: error.to_string() }
    }

    /// What whoever waits is told of a failure. Where some of the reply is there already, what failed matters less than that
    /// the rest will not come.
    fn or_broke_off(&self, class: ModelErrorClass) -> ModelErrorClass {
        if self.delivered.count > 0 { ModelErrorClass::BrokeOff } else { class }
    }

    /// Tells whoever waits for an answer. Where nobody does, the trace is enough.
    async fn tell(&self, call: Call, notice: Notice) {
        if call.is_awaited() {
            self.notify(notice).await;
        }
    }

    async fn notify(&self, notice: Notice) {
        if let Err(error) = self.outbox.notice(self.to, notice).await {
            tracing::error!(turn = %self.to.turn, %error, "nor could the channel be told");
        }
    }

    fn passed(&mut self, decline: Decline) -> Outcome {
        let reason = match decline {
            // Nobody waits for what was not asked for, and who has waited does not wait again: that would have no end.
            Decline::Wait(_) if self.to.unasked || !self.may_pass => SilenceReason::FoundNothingToSay,
            Decline::Silent => SilenceReason::FoundNothingToSay,
            Decline::Wait(long) => {
                self.waits = Some(long);
                SilenceReason::WaitsForTheRest
            }
        };
        Outcome::Silent { reason }
    }

    fn cancelled(&self, reason: CancelReason) -> Outcome {
        Outcome::Cancelled { reason, messages: self.delivered.count }
    }

    pub(super) fn stage(&mut self, stage: &str) {
        let us = whole_micros(self.started.elapsed());
        self.stages.push(StageTiming { stage: stage.to_owned(), us });
    }
}

/// Returns at the given time; never without one.
pub async fn reached(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// There was no word by this time, where there is one by which it had to come.
pub(super) async fn too_late(at: Option<Instant>) -> ModelError {
    reached(at).await;
    ModelError::new(ModelErrorClass::Timeout, "no word came in the time that a call waits")
}

/// Whether nobody wanted a reply to break off there, nor a filter: its rest may still be wanted.
fn is_missed(replied: &Result<(), Broken>) -> bool {
    match replied {
        Err(Broken::Model(error)) => {
            !matches!(error.class, ModelErrorClass::ContentFilter | ModelErrorClass::Cancelled)
        }
        Err(Broken::Delivery(error)) => !matches!(error, DeliveryError::Refused(_)),
        _ => false,
    }
}

/// Whether a message takes so much of the window that it may not fit.
fn is_long(asking: &StoredTurn, request: &TurnRequest) -> bool {
    let limit = request.model.context_window.saturating_sub(request.plan.reserve_tokens);
    request.model.scale(asking.tokens) > limit / 2
}
