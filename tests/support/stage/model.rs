//! A model whose every word is the test's.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use familiar_connect::domain::{
    ChatMessage, FinishReason, ModelCall, ModelErrorClass, Role, Slot, TokenEncoding, Usage,
};
use familiar_connect::llm::{
    CompletionModel, CompletionRequest, CompletionStream, Delta, ModelDescription, ModelError, ModelSource,
    SharedModel, ToldRequest, ToolCallDelta, ToolForm,
};
use futures::StreamExt as _;
use tokio::sync::{Mutex, mpsc};

/// What the models hold until the test says otherwise, in tokens.
const WINDOW: u32 = 16_000;

type Words = mpsc::UnboundedSender<Result<Delta, ModelError>>;

/// All slots, answered by the test.
#[derive(Debug)]
pub struct ScriptedModels {
    tell: mpsc::UnboundedSender<Asked>,
    /// Side jobs that are played too; the others have no model.
    playing: std::sync::Mutex<Vec<Slot>>,
    main_reasons: std::sync::atomic::AtomicBool,
    takes_tools: std::sync::atomic::AtomicBool,
    keeps_prompts: AtomicBool,
    /// How much the models hold, in tokens.
    window: std::sync::atomic::AtomicU32,
    asked: Mutex<mpsc::UnboundedReceiver<Asked>>,
    /// The model of the summary slot: it has no words of its own unless the test wants to write them.
    summary: Arc<SummaryModel>,
    summaries_asked: Mutex<mpsc::UnboundedReceiver<Asked>>,
    tell_memory: mpsc::UnboundedSender<Asked>,
    memories_asked: Mutex<mpsc::UnboundedReceiver<Asked>>,
    /// Whether there is a model for memories at all.
    writes_memories: AtomicBool,
}

impl ScriptedModels {
    pub fn new() -> Self {
        let (tell, asked) = mpsc::unbounded_channel();
        let (tell_summary, summaries_asked) = mpsc::unbounded_channel();
        let (tell_memory, memories_asked) = mpsc::unbounded_channel();
        Self {
            tell,
            playing: Default::default(),
            main_reasons: Default::default(),
            asked: Mutex::new(asked),
            summary: Arc::new(SummaryModel {
                scripted: ScriptedModel {
                    tell: tell_summary,
                    name: "scripted".to_owned(),
                    reasons_natively: false,
                    takes_tools: false,
                    keeps_prompts: false,
                    window: WINDOW,
                },
                by_test: AtomicBool::new(false),
            }),
            summaries_asked: Mutex::new(summaries_asked),
            tell_memory,
            memories_asked: Mutex::new(memories_asked),
            writes_memories: AtomicBool::new(false),
            takes_tools: Default::default(),
            keeps_prompts: Default::default(),
            window: WINDOW.into(),
        }
    }

    /// From now on the test plays a side model around the reply (thinking, polishing) as well.
    pub fn play(&self, slot: Slot) {
        self.playing.lock().unwrap().push(slot);
    }

    /// The main model thinks by itself from now on.
    pub fn main_reasons_natively(&self) {
        self.main_reasons.store(true, std::sync::atomic::Ordering::Relaxed);
    }

    /// From now on the test writes the summaries too; before, the model answers nothing and excerpts are taken.
    pub fn write_summaries(&self) {
        self.summary.by_test.store(true, Ordering::Relaxed);
    }

    /// The next request for a summary; panics when none comes in a long while.
    pub async fn next_summary(&self) -> Asked {
        let mut asked = self.summaries_asked.lock().await;
        tokio::time::timeout(std::time::Duration::from_secs(20), asked.recv())
            .await
            .expect("no summary was asked for")
            .expect("the models are gone")
    }

    /// Whether a request for a summary is waiting.
    pub async fn summary_is_asked(&self) -> bool {
        !self.summaries_asked.lock().await.is_empty()
    }

    /// From now on the test writes memories too; before, there is no model for them.
    pub fn write_memories(&self) {
        self.writes_memories.store(true, Ordering::Relaxed);
    }

    /// The next request for memories; panics when none comes in a long while.
    pub async fn next_memory(&self) -> Asked {
        let mut asked = self.memories_asked.lock().await;
        tokio::time::timeout(std::time::Duration::from_secs(20), asked.recv())
            .await
            .expect("no memory was asked for")
            .expect("the models are gone")
    }

    /// Whether a request for memories is waiting.
    pub async fn memory_is_asked(&self) -> bool {
        !self.memories_asked.lock().await.is_empty()
    }

    /// The models take tools from now on.
    pub fn take_tools(&self) {
        self.takes_tools.store(true, std::sync::atomic::Ordering::Relaxed);
    }

    /// The models have said that they keep prompts.
    pub fn keep_prompts(&self) {
        self.keeps_prompts.store(true, Ordering::Relaxed);
    }

    /// The models hold so many tokens from now on.
    pub fn hold(&self, tokens: u32) {
        self.window.store(tokens, Ordering::Relaxed);
    }

    /// The next request; panics when none comes in a long while, rather than hang.
    pub async fn next(&self) -> Asked {
        let mut asked = self.asked.lock().await;
        tokio::time::timeout(std::time::Duration::from_secs(20), asked.recv())
            .await
            .expect("the model was not asked")
            .expect("the models are gone")
    }

    /// The next request, if one comes in a moment.
    pub async fn soon(&self) -> Option<Asked> {
        let mut asked = self.asked.lock().await;
        tokio::time::timeout(std::time::Duration::from_millis(30), asked.recv()).await.ok().flatten()
    }

    /// Waits for a request that nobody takes and that still waits for words: what a script did not expect.
    pub async fn unexpected(&self) -> Asked {
        loop {
            let asked = self.asked.lock().await.recv().await.expect("the models are gone");
            if asked.decide.as_ref().is_some_and(|decide| !decide.is_closed()) {
                return asked;
            }
        }
    }

    /// Whether a request is waiting.
    pub async fn was_asked_again(&self) -> bool {
        !self.asked.lock().await.is_empty()
    }
}

impl ModelSource for ScriptedModels {
    fn slot(&self, slot: Slot) -> SharedModel {
        if slot == Slot::HistorySummary {
            return Arc::<SummaryModel>::clone(&self.summary);
        }
        if slot == Slot::MemoryWriter {
            return Arc::new(ScriptedModel {
                tell: self.tell_memory.clone(),
                name: named(self.writes_memories.load(Ordering::Relaxed)),
                reasons_natively: false,
                takes_tools: false,
                keeps_prompts: false,
                window: WINDOW,
            });
        }
        let around = matches!(slot, Slot::ReasoningContext | Slot::PostProcessStyle);
        let plays = !around || self.playing.lock().unwrap().contains(&slot);
        let main_reasons = self.main_reasons.load(std::sync::atomic::Ordering::Relaxed);
        Arc::new(ScriptedModel {
            tell: self.tell.clone(),
            name: named(plays),
            reasons_natively: main_reasons && slot == Slot::MainProse,
            takes_tools: self.takes_tools.load(std::sync::atomic::Ordering::Relaxed),
            keeps_prompts: self.keeps_prompts.load(Ordering::Relaxed),
            window: self.window.load(Ordering::Relaxed),
        })
    }

    fn other(&self, _slot: Slot, model: &str) -> SharedModel {
        Arc::new(ScriptedModel {
            tell: self.tell.clone(),
            name: model.to_owned(),
            reasons_natively: false,
            takes_tools: false,
            keeps_prompts: false,
            window: WINDOW,
        })
    }

    fn told(&self, request: &CompletionRequest) -> ToldRequest {
        ToldRequest {
            messages: request.messages.clone(),
            parameters: serde_json::json!({ "model": "scripted", "max_tokens": request.max_tokens }),
        }
    }
}

/// The name of one that plays its part, and of one that does not.
fn named(plays: bool) -> String {
    if plays { "scripted" } else { "rehearsal" }.to_owned()
}

#[derive(Debug)]
struct ScriptedModel {
    tell: mpsc::UnboundedSender<Asked>,
    name: String,
    reasons_natively: bool,
    takes_tools: bool,
    keeps_prompts: bool,
    window: u32,
}

#[async_trait]
impl CompletionModel for ScriptedModel {
    fn describe(&self) -> ModelDescription {
        ModelDescription {
            model: self.name.clone(),
            context_window: self.window,
            encoding: TokenEncoding::CharsOver4,
            token_ratio: 1.0,
            reasons_natively: self.reasons_natively,
            tool_form: if self.takes_tools { ToolForm::Native } else { ToolForm::None },
            keeps_prompts: self.keeps_prompts,
        }
    }

    async fn complete(&self, request: CompletionRequest) -> Result<CompletionStream, ModelError> {
        let (words, stream) = mpsc::unbounded_channel();
        let (decide, decided) = tokio::sync::oneshot::channel();
        self.tell.send(Asked { request, model: self.name.clone(), words, decide: Some(decide) }).unwrap();
        match decided.await {
            Ok(Some(error)) => Err(error),
            _ => Ok(futures::stream::unfold(stream, |mut stream| async {
                stream.recv().await.map(|delta| (delta, stream))
            })
            .boxed()),
        }
    }
}

#[derive(Debug)]
struct SummaryModel {
    scripted: ScriptedModel,
    by_test: AtomicBool,
}

#[async_trait]
impl CompletionModel for SummaryModel {
    fn describe(&self) -> ModelDescription {
        ModelDescription { model: named(self.by_test.load(Ordering::Relaxed)), ..self.scripted.describe() }
    }

    async fn complete(&self, request: CompletionRequest) -> Result<CompletionStream, ModelError> {
        if self.by_test.load(Ordering::Relaxed) {
            return self.scripted.complete(request).await;
        }
        Ok(futures::stream::iter([Ok(Delta::Finished(report(Slot::HistorySummary, None)))]).boxed())
    }
}

/// One request that is waiting for the test's words.
#[derive(Debug)]
pub struct Asked {
    pub request: CompletionRequest,
    /// Who is asked.
    pub model: String,
    words: Words,
    decide: Option<tokio::sync::oneshot::Sender<Option<ModelError>>>,
}

impl Asked {
    /// Answers whole.
    pub fn reply(mut self, text: &str) {
        self.say(text);
        self.end();
    }

    /// Says a piece and leaves the rest open.
    pub fn say(&mut self, text: &str) {
        self.open();
        let _gone = self.words.send(Ok(Delta::Text(text.to_owned())));
    }

    /// Calls a tool and ends.
    pub fn call(mut self, name: &str, arguments: serde_json::Value) {
        self.open();
        let fragment = ToolCallDelta {
            index: 0,
            id: Some(format!("call-{name}")),
            name: Some(name.to_owned()),
            arguments: arguments.to_string(),
        };
        let _gone = self.words.send(Ok(Delta::ToolCall(fragment)));
        self.end();
    }

    /// Ends the reply.
    pub fn end(mut self) {
        self.open();
        let _gone = self.words.send(Ok(Delta::Finished(report(self.request.slot, None))));
    }

    /// Says a piece and ends as at the limit of tokens.
    pub fn cut_short_after(self, text: &str) {
        self.ends_with(text, FinishReason::Length);
    }

    /// Says a piece and ends for this reason.
    pub fn ends_with(mut self, text: &str, why: FinishReason) {
        self.say(text);
        let cut = ModelCall { finish: Some(why), ..report(self.request.slot, None) };
        let _gone = self.words.send(Ok(Delta::Finished(cut)));
    }

    /// Fails before the first word, or in the middle of the stream.
    pub fn fail(mut self, class: ModelErrorClass) {
        let mut error = ModelError::new(class, "scripted failure");
        let failed = Some((class, "scripted failure".to_owned()));
        error.attempts.push(report(self.request.slot, failed));
        match self.decide.take() {
            Some(decide) => {
                let _gone = decide.send(Some(error));
            }
            None => {
                let _gone = self.words.send(Err(error));
            }
        }
    }

    /// Waits until nobody listens any more: the call was cancelled and its connection would be closed.
    pub async fn abandoned(mut self) {
        let waiting = async {
            match self.decide.as_mut() {
                Some(decide) => decide.closed().await,
                None => self.words.closed().await,
            }
        };
        tokio::time::timeout(std::time::Duration::from_secs(20), waiting).await.expect("still listening");
    }

    /// The messages as "role: content" lines.
    pub fn transcript(&self) -> String {
        let line = |message: &ChatMessage| format!("{}: {}", message.role.as_str(), message.content);
        self.request.messages.iter().map(line).collect::<Vec<_>>().join("\n---\n")
    }

    /// What it says of the conversation: all but the tail, in which what was found stands.
    pub fn talk(&self) -> String {
        let talk = self.request.messages.iter().map(|message| message.content.as_str());
        talk.filter(|content| !content.contains("nobody said this just now")).collect::<Vec<_>>().join("\n")
    }

    /// Such words may stand in it as talk or as something found, but in nothing that instructs.
    pub fn never_instructs(&self, words: &str) {
        for message in &self.request.messages {
            assert!(
                message.role != Role::System || !message.content.contains(words),
                "never as an instruction"
            );
        }
    }

    /// What is asked, in a line or two: the job and the last thing that somebody said.
    pub fn gist(&self) -> String {
        let said = self.request.messages.iter().rev().find(|message| message.role == Role::User);
        let words = said.map_or("", |message| message.content.as_str());
        format!("{}: {words}", self.request.slot)
    }

    fn open(&mut self) {
        if let Some(decide) = self.decide.take() {
            let _gone = decide.send(None);
        }
    }
}

fn report(slot: Slot, error: Option<(ModelErrorClass, String)>) -> ModelCall {
    ModelCall {
        provider: Some("stage".to_owned()),
        first_token_ms: Some(1),
        total_ms: 2,
        usage: error.is_none().then(|| Usage { prompt_tokens: 10, completion_tokens: 5, ..Usage::default() }),
        finish: error.is_none().then_some(FinishReason::Stop),
        error,
        ..ModelCall::new(slot, "scripted")
    }
}
