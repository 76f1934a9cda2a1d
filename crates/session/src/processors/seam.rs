//! What a processor is, what it gets to see of a turn, how it asks its model, and the account of what the processors of one
//! turn did, also of those that never came to an end.

use std::sync::Arc;

use futures::future::{BoxFuture, Shared};
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::clock::whole_micros;
use crate::config::ChannelConfig;
use crate::domain::{
    Audience, ExecutionPlan, ModelCall, ModelErrorClass, ProcessorRecord, ProcessorSide, ProcessorStatus,
    TurnId,
};
use crate::llm::{CompletionRequest, ModelDescription, SessionKey, SharedModel, SideAnswer, ask_side};

/// A turn, as far as processors need to know it.
#[derive(Debug, Clone)]
pub struct TurnView {
    pub turn: TurnId,
    /// How the channel is talked in.
    pub channel: Arc<ChannelConfig>,
    /// What may be spent.
    pub plan: Arc<ExecutionPlan>,
    /// The model that writes the reply.
    pub main: ModelDescription,
    /// What the familiar is called.
    pub own_names: Vec<String>,
    /// What the people here are called, as they stand in prompts; a reply never speaks for them.
    pub other_names: Vec<String>,
    /// The name under which providers see the conversation.
    pub session: SessionKey,
    /// What was said here. Looked up only if a processor runs, and once for all of them.
    pub scene: SceneReading,
    /// Whoever speaks the reply makes it speakable, clause by clause: a sentence would be too long to wait for.
    pub adapter_forms_speech: bool,
}

/// The conversation around a turn, read when it is first waited for.
pub type SceneReading = Shared<BoxFuture<'static, Result<Scene, Trouble>>>;

/// The conversation around a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scene {
    pub character: CharacterView,
    /// The newest messages, oldest first, those that are to be answered among them.
    pub lines: Vec<SceneLine>,
    /// What the familiar thought before earlier replies here, oldest first.
    pub thoughts: Vec<PastThoughts>,
    /// Who could see all of it: what is made of it is for nobody else.
    pub audience: Audience,
}

/// A character in short, macros filled in. Empty strings mean "the card says nothing here".
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CharacterView {
    pub name: String,
    pub description: String,
    /// The short form of that.
    pub personality: String,
    pub scenario: String,
    pub examples: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SceneLine {
    /// Who said it, as it stands in prompts.
    pub who: String,
    pub words: String,
    /// It waits for an answer.
    pub pending: bool,
}

/// Thoughts of an earlier turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastThoughts {
    pub turn: TurnId,
    /// Whom that reply answered.
    pub answered: Option<String>,
    pub text: String,
}

/// Something hidden for the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The earlier turn it comes from and whom that answered; `None` for this turn.
    pub earlier: Option<(TurnId, Option<String>)>,
    pub text: String,
    /// Who could see all that it was made of.
    pub audience: Audience,
}

/// Why a processor gave nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// It turned out that it may not, e.g. for a cost cap.
    #[error("{0}")]
    Skipped(String),
    #[error("{0}")]
    Failed(String),
    #[error("not done in time")]
    Late,
}

/// Shared by a turn and its processors. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct RunLog(Arc<Mutex<Entries>>);

#[derive(Debug, Default)]
struct Entries {
    runs: Vec<RunEntry>,
    calls: Vec<ModelCall>,
    begun: u32,
}

#[derive(Debug)]
struct RunEntry {
    record: ProcessorRecord,
    /// `None` once it has ended.
    running_since: Option<Instant>,
}

/// A run that has begun. Ended by [`Running::end`]; one that never is, counts as given up.
#[derive(Debug)]
pub struct Running {
    log: RunLog,
    index: usize,
}

impl RunLog {
    pub fn begin(&self, processor: &str, side: ProcessorSide) -> Running {
        let mut entries = self.0.lock();
        entries.runs.push(RunEntry {
            record: ProcessorRecord {
                processor: processor.to_owned(),
                side,
                status: ProcessorStatus::BrokenOff,
                us: 0,
                calls: 0,
                tokens: 0,
                model: None,
                made: None,
            },
            running_since: Some(Instant::now()),
        });
        Running { log: self.clone(), index: entries.runs.len() - 1 }
    }

    /// Notes that a processor did not run.
    pub fn skip(&self, processor: &str, side: ProcessorSide, why: impl Into<String>) {
        self.begin(processor, side).end(ProcessorStatus::Skipped { why: why.into() }, None);
    }

    /// Notes that what was made was not taken.
    pub fn refuse(&self, processor: &str, side: ProcessorSide, why: impl Into<String>) {
        self.begin(processor, side).end(ProcessorStatus::Refused { why: why.into() }, None);
    }

    pub fn calls_begun(&self) -> u32 {
        self.0.lock().begun
    }

    /// Takes the model calls that have ended since the last time.
    pub fn take_calls(&self) -> Vec<ModelCall> {
        std::mem::take(&mut self.0.lock().calls)
    }

    /// Whatever still runs is given up on: too late.
    pub fn give_up(&self) {
        self.close_running(&ProcessorStatus::Late);
    }

    /// The whole account. Whatever still runs was broken off.
    pub fn close(&self) -> Vec<ProcessorRecord> {
        self.close_running(&ProcessorStatus::BrokenOff);
        self.0.lock().runs.drain(..).map(|entry| entry.record).collect()
    }

    fn close_running(&self, status: &ProcessorStatus) {
        for entry in &mut self.0.lock().runs {
            if let Some(since) = entry.running_since.take() {
                entry.record.status = status.clone();
                entry.record.us = whole_micros(since.elapsed());
            }
        }
    }
}

impl Running {
    /// Asks a side model, and tells the account of it.
    pub(super) async fn ask(
        &self,
        model: &SharedModel,
        request: CompletionRequest,
        deadline: Instant,
    ) -> Result<SideAnswer, Trouble> {
        self.calling();
        let asked = ask_side(model, request, deadline, |call| self.called(call)).await;
        asked.map_err(|error| match error.class {
            ModelErrorClass::CostCap => Trouble::Skipped("today's cost cap is reached".to_owned()),
            ModelErrorClass::TokenCap => Trouble::Skipped("today's token cap is reached".to_owned()),
            ModelErrorClass::RateLimited => Trouble::Skipped("the provider wants fewer requests".to_owned()),
            ModelErrorClass::Timeout => Trouble::Late,
            _ => Trouble::Failed(error.message),
        })
    }

    fn calling(&self) {
        let mut entries = self.log.0.lock();
        entries.begun += 1;
        if let Some(entry) = entries.runs.get_mut(self.index) {
            entry.record.calls += 1;
        }
    }

    fn called(&self, call: ModelCall) {
        let mut entries = self.log.0.lock();
        if let Some(entry) = entries.runs.get_mut(self.index) {
            if let Some(usage) = call.usage {
                entry.record.tokens += u64::from(usage.prompt_tokens) + u64::from(usage.completion_tokens);
            }
            if call.error.is_none() {
                entry.record.model = Some(call.model.clone());
            }
        }
        entries.calls.push(call);
    }

    pub fn end(self, status: ProcessorStatus, made: Option<String>) {
        let mut entries = self.log.0.lock();
        if let Some(entry) = entries.runs.get_mut(self.index)
            && let Some(since) = entry.running_since.take()
        {
            entry.record.status = status;
            entry.record.us = whole_micros(since.elapsed());
            entry.record.made = made;
        }
    }

    /// The run came to nothing.
    pub fn trouble(self, trouble: Trouble) {
        let status = match trouble {
            Trouble::Skipped(why) => ProcessorStatus::Skipped { why },
            Trouble::Failed(why) => ProcessorStatus::Failed { why },
            Trouble::Late => ProcessorStatus::Late,
        };
        self.end(status, None);
    }
}

/// Why side jobs cannot be done at all, where they cannot.
pub(super) fn unusable(model: &ModelDescription) -> Option<String> {
    model.is_rehearsal().then(|| "there is no language model for it".to_owned())
}

/// Why a reply keeps the form it was written in.
pub(super) const SWITCHED_OFF: &str = "switched off for this channel or its mode";

pub(super) fn strs(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}
