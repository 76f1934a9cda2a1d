//! What a processor is, and what it gets to see of a turn.

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;

use super::log::{RunLog, Running};
use crate::config::ChannelConfig;
use crate::domain::{Audience, ExecutionPlan, TurnId};
use crate::llm::{ModelDescription, SessionKey};

/// A turn, as far as processors need to know it.
#[derive(Debug, Clone)]
pub struct TurnView {
    /// Which turn.
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
    /// What was said here. Looked up only by processors that run.
    pub scene: Arc<dyn SceneSource>,
    /// Whoever speaks the reply makes it speakable, clause by clause: a sentence would be too long to wait for.
    pub rim_forms_speech: bool,
}

/// Where a processor gets the conversation from.
#[async_trait]
pub trait SceneSource: Send + Sync + Debug {
    /// The conversation around the turn.
    ///
    /// # Errors
    /// When it cannot be read; the processor then fails, the reply does not.
    async fn scene(&self) -> Result<Scene, Trouble>;
}

/// The conversation around a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scene {
    /// Who the familiar is.
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
    /// What it is called.
    pub name: String,
    /// Who it is.
    pub description: String,
    /// The short form of that.
    pub personality: String,
    /// Where and when.
    pub scenario: String,
    /// How it talks.
    pub examples: String,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SceneLine {
    /// Who said it, as it stands in prompts.
    pub who: String,
    /// The words.
    pub words: String,
    /// It waits for an answer.
    pub pending: bool,
}

/// Thoughts of an earlier turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastThoughts {
    /// Before which reply.
    pub turn: TurnId,
    /// Whom that reply answered.
    pub answered: Option<String>,
    /// The thoughts, tagged.
    pub text: String,
}

/// Something hidden for the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The earlier turn it comes from and whom that answered; `None` for this turn.
    pub earlier: Option<(TurnId, Option<String>)>,
    /// The words, tagged.
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
    /// It could not.
    #[error("{0}")]
    Failed(String),
    /// Its time was over.
    #[error("not done in time")]
    Late,
}

/// Works before the main model: gives hidden notes for its prompt.
#[async_trait]
pub trait PreProcessor: Send + Sync + Debug {
    /// Its name, for traces.
    fn name(&self) -> &'static str;

    /// Why it has nothing to do in this turn; `None` when it has.
    fn skips(&self, turn: &TurnView) -> Option<String>;

    /// Does its work. Model calls are told to `run`.
    ///
    /// # Errors
    /// When it has nothing to give; the reply goes on without.
    async fn notes(&self, turn: &TurnView, run: &Running) -> Result<Vec<Note>, Trouble>;
}

/// Works after the main model, on what it wrote.
pub trait PostProcessor: Send + Sync + Debug {
    /// Its name, for traces.
    fn name(&self) -> &'static str;

    /// How it works on this turn's reply.
    fn begin(&self, turn: &Arc<TurnView>) -> Work;
}

/// How a post-processor works on a reply.
#[derive(Debug)]
pub enum Work {
    /// Not its business; not worth a word.
    Nothing,
    /// Its business, but not this time.
    Skip(String),
    /// Sentence by sentence: the reply still streams.
    Sentences(Box<dyn SentenceWork>),
    /// On the whole reply: it is held back until this is done.
    Whole(Box<dyn WholeWork>),
}

/// Changes a reply sentence by sentence. Sees white space too; what it gives is joined as it is.
pub trait SentenceWork: Send + Debug {
    /// What to say instead of `sentence`.
    fn sentence(&mut self, sentence: &str) -> String;
}

/// Changes a whole reply.
#[async_trait]
pub trait WholeWork: Send + Debug {
    /// What to say instead of `text`; `text` itself where nothing better comes of it. Records its own runs.
    async fn rewrite(self: Box<Self>, text: String, log: &RunLog) -> String;
}
