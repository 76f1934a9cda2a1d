//! The models of a scene: one that says what the scene gives it, or the operator's own, whose requests are looked at.
//!
//! Start reading at [`SceneModels`].

use std::collections::VecDeque;
use std::sync::Arc;

use async_trait::async_trait;
use futures::StreamExt as _;
use parking_lot::Mutex;

use super::clock::OutsideWaits;
use super::scene::{ScriptedAct, ScriptedAnswer};
use crate::domain::{ChatMessage, FinishReason, ModelCall, Slot, TokenEncoding};
use crate::llm::{
    CompletionModel, CompletionRequest, CompletionStream, Delta, ModelDescription, ModelError, ModelSource,
    SharedModel, ToldRequest, ToolCallDelta, ToolForm,
};

/// What the model of a scene holds, in tokens: as much as those that people connect.
const WINDOW: u32 = 64_000;

#[derive(Debug, Clone)]
pub(super) struct ModelAsked {
    pub slot: Slot,
    /// The messages, and what tools gave back, as one text.
    pub prompt: String,
    pub tools: Vec<String>,
    /// The tools as they are told, as one text.
    pub told_tools: String,
    /// What it said, as far as it was waited for.
    pub said: Arc<Mutex<String>>,
}

/// What a scene has its models say, and what they were asked.
#[derive(Debug, Default)]
pub(super) struct Lines {
    left: Mutex<VecDeque<ScriptedAnswer>>,
    asked: Mutex<Vec<ModelAsked>>,
    otherwise: Option<String>,
}

impl Lines {
    /// `otherwise` is said where no line is left.
    pub(super) fn new(otherwise: Option<String>) -> Arc<Self> {
        Arc::new(Self { otherwise, ..Self::default() })
    }

    /// Says these next, behind what is left of earlier ones.
    pub(super) fn add(&self, answers: &[ScriptedAnswer]) {
        self.left.lock().extend(answers.iter().cloned());
    }

    /// What was left to say is not said any more.
    pub(super) fn clear(&self) {
        self.left.lock().clear();
    }

    /// Everything that was asked so far.
    pub(super) fn asked(&self) -> Vec<ModelAsked> {
        self.asked.lock().clone()
    }

    fn note(&self, request: &CompletionRequest) -> ModelAsked {
        let line = |message: &ChatMessage| format!("{}: {}", message.role.as_str(), message.content);
        let mut parts: Vec<String> = request.messages.iter().map(line).collect();
        let results = request.rounds.iter().flat_map(|round| &round.results);
        parts.extend(results.map(|result| result.content.clone()));
        let asked = ModelAsked {
            slot: request.slot,
            prompt: parts.join("\n\n"),
            tools: request.tools.iter().map(|tool| tool.name.clone()).collect(),
            told_tools: serde_json::to_string(&request.tools).unwrap_or_default(),
            said: Arc::default(),
        };
        self.asked.lock().push(asked.clone());
        asked
    }

    /// The next line. One that is not heard to its end is said again.
    fn take(self: &Arc<Self>) -> LineUnderWay {
        let next = self.left.lock().pop_front();
        let answer = next.clone().unwrap_or_else(|| {
            let count = self.asked.lock().len();
            let words = self.otherwise.clone().unwrap_or_else(|| format!("Noted as number {count}."));
            ScriptedAnswer { after: std::time::Duration::from_millis(500), act: ScriptedAct::Says(words) }
        });
        LineUnderWay { answer, of: next.is_some().then(|| Arc::clone(self)) }
    }
}

/// A line that is being said.
struct LineUnderWay {
    answer: ScriptedAnswer,
    /// Where it goes back to, unless it is said to its end.
    of: Option<Arc<Lines>>,
}

impl LineUnderWay {
    fn said(&mut self) {
        self.of = None;
    }
}

impl Drop for LineUnderWay {
    fn drop(&mut self) {
        if let Some(lines) = self.of.take() {
            lines.left.lock().push_front(self.answer.clone());
        }
    }
}

#[derive(Debug)]
pub(super) struct SceneModels {
    pub lines: Arc<Lines>,
    /// The operator's own, where they are asked.
    pub own: Option<Arc<dyn ModelSource>>,
    pub outside: Arc<OutsideWaits>,
}

impl SceneModels {
    fn watched(&self, model: SharedModel) -> SharedModel {
        let (lines, outside) = (Arc::clone(&self.lines), Arc::clone(&self.outside));
        Arc::new(WatchedModel { lines, model, outside })
    }
}

impl ModelSource for SceneModels {
    fn slot(&self, slot: Slot) -> SharedModel {
        match &self.own {
            Some(own) => self.watched(own.slot(slot)),
            None => Arc::new(SceneModel { lines: Arc::clone(&self.lines), slot }),
        }
    }

    fn other(&self, slot: Slot, model: &str) -> SharedModel {
        match &self.own {
            Some(own) => self.watched(own.other(slot, model)),
            None => self.slot(slot),
        }
    }

    fn told(&self, request: &CompletionRequest) -> ToldRequest {
        match &self.own {
            Some(own) => own.told(request),
            None => ToldRequest {
                messages: request.messages.clone(),
                parameters: serde_json::json!({ "model": "scene" }),
            },
        }
    }
}

/// A model that says what the scene gives it.
#[derive(Debug)]
struct SceneModel {
    lines: Arc<Lines>,
    slot: Slot,
}

#[async_trait]
impl CompletionModel for SceneModel {
    fn describe(&self) -> ModelDescription {
        // Only answers are given: what is done around them and behind the scenes has no model.
        let name = if self.slot == Slot::MainProse { "scene" } else { "rehearsal" };
        let plain = ModelDescription::plain(name, WINDOW, TokenEncoding::Estimate);
        ModelDescription { tool_form: ToolForm::Native, ..plain }
    }

    async fn complete(&self, request: CompletionRequest) -> Result<CompletionStream, ModelError> {
        let asked = self.lines.note(&request);
        if request.slot != Slot::MainProse {
            let nothing = Delta::Finished(call(request.slot, FinishReason::Stop));
            return Ok(futures::stream::iter([Ok(nothing)]).boxed());
        }
        let mut taken = self.lines.take();
        tokio::time::sleep(taken.answer.after).await;
        let (first, finish) = match &taken.answer.act {
            ScriptedAct::Fails(class) => {
                let mut error = ModelError::new(*class, "the scene has it fail");
                let failed = Some((*class, error.message.clone()));
                error.attempts.push(ModelCall { error: failed, ..call(request.slot, FinishReason::Stop) });
                taken.said();
                return Err(error);
            }
            ScriptedAct::Says(words) => (Delta::Text(words.clone()), FinishReason::Stop),
            ScriptedAct::IsCutAfter(words) => (Delta::Text(words.clone()), FinishReason::Length),
            ScriptedAct::Calls(tool, arguments) => (
                Delta::ToolCall(ToolCallDelta {
                    index: 0,
                    id: Some(format!("call-{tool}")),
                    name: Some(tool.clone()),
                    arguments: arguments.to_string(),
                }),
                FinishReason::ToolCalls,
            ),
        };
        if let Delta::Text(words) = &first {
            asked.said.lock().push_str(words);
        }
        let finished = Delta::Finished(call(request.slot, finish));
        let deltas = futures::stream::iter([first, finished]).map(move |delta| {
            taken.said();
            Ok(delta)
        });
        Ok(deltas.boxed())
    }
}

fn call(slot: Slot, finish: FinishReason) -> ModelCall {
    ModelCall { finish: Some(finish), ..ModelCall::new(slot, "scene") }
}

/// One of the operator's models. It takes its own time.
#[derive(Debug)]
struct WatchedModel {
    lines: Arc<Lines>,
    model: SharedModel,
    outside: Arc<OutsideWaits>,
}

#[async_trait]
impl CompletionModel for WatchedModel {
    fn describe(&self) -> ModelDescription {
        self.model.describe()
    }

    async fn complete(&self, request: CompletionRequest) -> Result<CompletionStream, ModelError> {
        let asked = self.lines.note(&request);
        let waits = self.outside.begin();
        let stream = self.model.complete(request).await?;
        drop(waits);
        let begun = (stream, Arc::clone(&self.outside), asked);
        let watched = futures::stream::unfold(begun, |(mut stream, outside, asked)| async move {
            // Only for the next piece: what is done with one, such as typing it out, takes the scene's time.
            let waits = outside.begin();
            let delta = stream.next().await?;
            drop(waits);
            if let Ok(Delta::Text(words)) = &delta {
                asked.said.lock().push_str(words);
            }
            Some((delta, (stream, outside, asked)))
        });
        Ok(watched.boxed())
    }
}
