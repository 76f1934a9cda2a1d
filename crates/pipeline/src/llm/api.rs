//! The seam between a turn and whatever produces its words.

use std::borrow::Cow;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::stream::BoxStream;

use super::{SamplingRefusal, SessionKey, ToolForm};
use crate::domain::{
    ChatMessage, KeyFor, ModelCall, ModelErrorClass, Role, Slot, TokenEncoding, ToolRound, ToolSpec,
};
use crate::text::secrets::{Redacted, redact};
use crate::text::unicode::visible;

/// Something that continues a conversation: a provider's model, a chain of them, or the rehearsal model.
///
/// Dropping the returned stream ends the call and closes its connection; there is no other way to cancel.
/// Deadlines, freezing, fallback and the process-wide limit on concurrent requests are the implementation's.
#[async_trait]
pub trait CompletionModel: Send + Sync + Debug {
    /// What a budget needs to know. May change between calls (a fallback took over, a ratio was learned).
    fn describe(&self) -> ModelDescription;

    /// Starts a completion. Failures before the first delta come back as `Err`; later ones in the stream, whose
    /// last item is either [`Delta::Finished`] or an `Err`.
    async fn complete(&self, request: CompletionRequest) -> Result<CompletionStream, ModelError>;
}

/// A model that several tasks use.
pub type SharedModel = Arc<dyn CompletionModel>;

/// Where a room gets its models: one per slot.
pub trait ModelSource: Send + Sync + Debug {
    /// The model configured for a job.
    fn slot(&self, slot: Slot) -> SharedModel;

    /// Another model for that job, by its name, with the job's settings: where it fails, nobody else is asked.
    fn other(&self, slot: Slot, model: &str) -> SharedModel;

    /// What a request would be sent as, for the trace.
    fn told(&self, request: &CompletionRequest) -> ToldRequest;
}

/// A request as it is told a model, before anything was called.
#[derive(Debug, Clone, PartialEq)]
pub struct ToldRequest {
    /// Its messages; one more where tools are told in words.
    pub messages: Vec<ChatMessage>,
    /// Its parameters, without messages. Tools told in words stand there as
    /// [`TurnTrace::TOOLS_IN_WORDS`](crate::domain::TurnTrace::TOOLS_IN_WORDS), which is never sent.
    pub parameters: serde_json::Value,
}

/// A reply as it arrives.
pub type CompletionStream = BoxStream<'static, Result<Delta, ModelError>>;

/// What a budget needs to know about a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelDescription {
    /// The model's name as sent on the wire, or `rehearsal`.
    pub model: String,
    /// Its window, in tokens.
    pub context_window: u32,
    /// How its tokens are counted.
    pub encoding: TokenEncoding,
    /// What a count is multiplied by to get this model's tokens; 1.0 where the encoding is exact.
    pub token_ratio: f64,
    /// It thinks by itself; stepped thinking would be paid twice.
    pub reasons_natively: bool,
    /// How it is given tools, as far as is known.
    pub tool_form: ToolForm,
    /// Its server said of a reply in this run that it had the beginning of the prompt still at hand.
    pub keeps_prompts: bool,
}

impl ModelDescription {
    /// A model of which nothing else is known: its tokens are counted exactly, it takes no tools and does not think by itself.
    pub fn plain(model: impl Into<String>, context_window: u32, encoding: TokenEncoding) -> Self {
        Self {
            model: model.into(),
            context_window,
            encoding,
            token_ratio: 1.0,
            reasons_natively: false,
            tool_form: ToolForm::None,
            keeps_prompts: false,
        }
    }

    /// Whether it is known to take tools.
    pub fn takes_tools(&self) -> bool {
        self.tool_form != ToolForm::None
    }

    /// Whether it is the model that only pretends: it has no thoughts, and can do no job behind the scenes.
    pub fn is_rehearsal(&self) -> bool {
        self.model == "rehearsal"
    }

    /// This model's tokens for a count made under [`Self::encoding`], rounded up.
    pub fn scale(&self, count: u32) -> u32 {
        let scaled = (f64::from(count) * self.token_ratio).ceil();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to u32 first")]
        let scaled = scaled.clamp(0.0, f64::from(u32::MAX)) as u32;
        scaled
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct CompletionRequest {
    /// For which job; decides model, temperature and routing.
    pub slot: Slot,
    pub messages: Vec<ChatMessage>,
    /// The longest reply, in tokens.
    pub max_tokens: Option<u32>,
    /// Strings that end the reply.
    pub stop: Vec<String>,
    /// Keeps one conversation on one upstream provider, so that its cache stays warm (memory 3.1).
    pub session: Option<SessionKey>,
    /// What the model may call; empty for none. In front of everything else on the wire, so a change costs the
    /// provider's cache.
    pub tools: Vec<ToolSpec>,
    /// What it has called so far in this reply; stands behind the messages.
    pub rounds: Vec<ToolRound>,
    /// Whether it may still call something.
    pub tool_choice: ToolChoice,
    /// Whether keys and other secrets were taken out of its messages.
    pub redaction: Redaction,
    /// What the model sees beside the last message; in no record of the request.
    pub pictures: Vec<SentPicture>,
    /// Whether an answer is wanted before a model has thought about it, where it takes being told so.
    pub at_once: bool,
}

impl CompletionRequest {
    /// A request for a job, with nothing but its messages.
    pub fn new(slot: Slot, messages: Vec<ChatMessage>) -> Self {
        Self {
            slot,
            messages,
            max_tokens: None,
            stop: Vec::new(),
            session: None,
            tools: Vec::new(),
            rounds: Vec::new(),
            tool_choice: ToolChoice::Auto,
            redaction: Redaction::OnLeaving,
            pictures: Vec::new(),
            at_once: false,
        }
    }

    /// One that says what is to be done, and gives what it is to be done with.
    pub fn instructed(slot: Slot, instructions: impl Into<String>, material: impl Into<String>) -> Self {
        let messages =
            vec![ChatMessage::new(Role::System, instructions), ChatMessage::new(Role::User, material)];
        Self::new(slot, messages)
    }

    /// The request as it may leave: without secrets, whatever it is for.
    pub(super) fn redacted(mut self) -> Self {
        if self.redaction == Redaction::InPrompt {
            return self;
        }
        for message in &mut self.messages {
            // A key with a hidden character in it has not the form of a key.
            let seen = visible(&message.content);
            if let Redacted { text: Cow::Owned(safe), .. } = redact(&seen) {
                message.content = safe;
            }
        }
        self
    }
}

/// A picture as it is sent along.
#[derive(Clone, PartialEq, Eq)]
pub struct SentPicture {
    /// What stands behind `image/`.
    pub kind: &'static str,
    pub bytes: Arc<[u8]>,
}

impl Debug for SentPicture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {} bytes", self.kind, self.bytes.len())
    }
}

/// When the secrets in a request's messages are taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Redaction {
    /// As it leaves, all of them.
    #[default]
    OnLeaving,
    /// They were, piece by piece, as a prompt's are: what somebody says right now stands in it as it was written.
    InPrompt,
}

/// Whether a model may call tools now. The tools stay in the request either way: some providers refuse calls in the
/// conversation without them, and taking them out would cost the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ToolChoice {
    #[default]
    Auto,
    /// No more: it has to answer.
    Answer,
}

/// A piece of a reply.
#[derive(Debug, Clone, PartialEq)]
pub enum Delta {
    Text(String),
    /// Thinking; never shown, never stored as the reply.
    Reasoning(String),
    /// All words so far were thinking: the model ended a thought that it had not begun.
    ThoughtAloud,
    /// A fragment of a tool call.
    ToolCall(ToolCallDelta),
    /// An attempt ended in failure and another model is being asked; for the trace.
    AttemptFailed(ModelCall),
    /// The end, with the figures of the attempt that succeeded.
    Finished(ModelCall),
}

/// A fragment of a tool call, as streamed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCallDelta {
    /// Which call of this reply.
    pub index: u32,
    /// Present in the first fragment.
    pub id: Option<String>,
    /// Present in the first fragment.
    pub name: Option<String>,
    /// A piece of the JSON arguments.
    pub arguments: String,
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// What sort of failure, for freezing and for the words a person reads.
    pub class: ModelErrorClass,
    /// The HTTP status, where there was one.
    pub status: Option<u16>,
    /// For the operator: the provider's own words, without secrets.
    pub message: String,
    /// How long the provider asked us to wait.
    pub retry_after: Option<Duration>,
    /// What the server does not take of the request, where it said so.
    pub refusal: Option<SamplingRefusal>,
    /// How many tokens the model reads, where the server said so.
    pub window: Option<u32>,
    /// The server that refused the key, or wants one.
    pub key_for: Option<KeyFor>,
    /// Every attempt made, for the trace; the last one is this error's own.
    pub attempts: Vec<ModelCall>,
}

impl ModelError {
    /// An error of a class, without status or attempts.
    pub fn new(class: ModelErrorClass, message: impl Into<String>) -> Self {
        Self {
            class,
            status: None,
            message: message.into(),
            retry_after: None,
            refusal: None,
            window: None,
            key_for: None,
            attempts: Vec::new(),
        }
    }
}
