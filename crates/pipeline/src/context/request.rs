//! What a turn asks the pipeline for, and what it gets.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::chunk::Chunk;
use super::contribution::{Contribution, Facet, Importance, Placement, TailPart, Trust};
use super::plan::{Heard, facets};
use crate::config::ChannelConfig;
use crate::domain::{
    AssemblyFigures, Author, ChatMessage, ExecutionPlan, InPlay, Layer, Modality, Place, Role, StoredId,
    StoredTurn, TurnId,
};
use crate::history::Visible;
use crate::llm::ModelDescription;
use crate::world::WorldSnapshot;

#[cfg(test)]
pub(super) mod tests;

/// One turn's question: who said what, where, and for which model the prompt is.
#[derive(Debug, Clone)]
pub struct TurnRequest {
    /// The turn; seeds everything random in it, so that a replay gives the same prompt.
    pub turn: TurnId,
    pub place: Place,
    /// How the channel is talked in.
    pub channel: Arc<ChannelConfig>,
    pub modality: Modality,
    /// Whether the model may find that there is nothing to answer, or not yet.
    pub may_pass: bool,
    /// The messages being answered, oldest first; already stored. Never evicted.
    pub pending: Vec<StoredTurn>,
    /// Those of them that spoke to the familiar and expect an answer.
    pub addressed: Vec<StoredId>,
    /// What the message asks about: names, times, relations (A14).
    pub facets: Vec<Facet>,
    /// Whom the reply is for: the last person who spoke.
    pub author: Option<Author>,
    /// The names of everybody who spoke here lately, for whom `{{user}}` means.
    pub speakers: Vec<String>,
    /// Who is somebody else in play, whoever is answered first.
    pub in_play: Arc<[InPlay]>,
    pub now: Timestamp,
    /// The time zone times are told in.
    pub display_tz: TimeZone,
    /// What was said later is not looked at, so that a replay sees what the turn saw; `None` for up to now.
    pub as_of: Option<Timestamp>,
    /// What the turn's own record says about its moment; `None` for a turn that runs now, and for one without a record.
    pub told: Option<Arc<[Contribution]>>,
    /// The sources of pieces that a turn which runs again does without.
    pub without: Vec<String>,
    pub model: ModelDescription,
    /// What may be spent on it.
    pub plan: Arc<ExecutionPlan>,
    /// The world as it was when the turn was opened.
    pub world: Arc<WorldSnapshot>,
}

/// What is known of a turn before it is judged.
#[derive(Debug, Clone)]
pub struct TurnOpening<'a> {
    pub turn: TurnId,
    pub place: Place,
    /// How the channel is talked in.
    pub channel: Arc<ChannelConfig>,
    pub heard: Heard<'a>,
    /// Whether the model may find that there is nothing to answer, or not yet.
    pub may_pass: bool,
    /// Already stored, oldest first.
    pub pending: Vec<StoredTurn>,
    /// Whom the reply is for.
    pub author: Option<Author>,
    pub now: Timestamp,
    /// The time zone times are told in.
    pub display_tz: TimeZone,
    pub world: Arc<WorldSnapshot>,
}

impl TurnOpening<'_> {
    /// The request of a turn whose plan was made.
    pub fn planned(self, plan: ExecutionPlan, model: ModelDescription) -> TurnRequest {
        let Self { turn, place, channel, heard, may_pass, pending, author, now, display_tz, world } = self;
        TurnRequest {
            turn,
            place,
            channel,
            modality: heard.modality,
            may_pass,
            pending,
            addressed: Vec::new(),
            facets: facets(heard.text, heard.speakers, heard.names),
            author,
            speakers: heard.speakers.to_vec(),
            in_play: Arc::default(),
            now,
            display_tz,
            as_of: None,
            told: None,
            without: Vec::new(),
            model,
            plan: Arc::new(plan),
            world,
        }
    }
}

impl TurnRequest {
    /// Whether it begins behind its own last words, whatever was said beside it since.
    pub fn begins_by_itself(&self) -> bool {
        self.may_pass && self.pending.iter().any(|turn| turn.role == Role::Assistant)
    }

    /// Whether it is to go on with its own last words.
    pub fn goes_on(&self) -> bool {
        !self.may_pass && self.pending.last().is_some_and(|turn| turn.role == Role::Assistant)
    }

    /// The newest message being answered; empty where there is none.
    pub fn utterance(&self) -> &str {
        self.pending.last().map_or("", |turn| turn.content.as_str())
    }

    /// Whether a turn is one of the messages being answered.
    pub fn is_pending(&self, turn: StoredId) -> bool {
        self.pending.iter().any(|pending| pending.id == turn)
    }

    /// Whether a turn was before what is being answered, as far as it matters: not one of the messages being answered,
    /// nor later than them where the turn runs again.
    pub fn is_past(&self, turn: StoredId) -> bool {
        !self.is_pending(turn) && self.last_row().is_none_or(|last| turn <= last)
    }

    /// The last row that the history may show to a turn that runs again; `None` for one that runs now.
    pub fn last_row(&self) -> Option<StoredId> {
        self.as_of.and(self.pending.iter().map(|turn| turn.id).max())
    }

    /// The day it is, by the clock times are told by.
    pub fn today(&self) -> Date {
        self.now.to_zoned(self.display_tz.clone()).date()
    }

    /// A piece of the tail, for everybody here.
    pub(super) fn tail(
        &self,
        part: TailPart,
        importance: Importance,
        trust: Trust,
        source: impl Into<String>,
        text: impl Into<String>,
    ) -> Contribution {
        let (placement, audience) = (Placement::Tail(part), self.place.audience.clone());
        let piece = Contribution::new(source, Layer::Core, placement, trust, audience, text);
        Contribution { importance, ..piece }
    }

    /// What may be looked up for a prompt in this place.
    pub fn visible(&self) -> Visible {
        Visible::at(&self.place)
    }
}

/// A prompt, with its figures. Made only by the pipeline, from budgeted chunks.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    pub(super) messages: Vec<ChatMessage>,
    pub(super) figures: AssemblyFigures,
}

impl Prompt {
    pub fn messages(&self) -> &[ChatMessage] {
        &self.messages
    }

    /// How it came about.
    pub fn figures(&self) -> &AssemblyFigures {
        &self.figures
    }

    pub fn into_parts(self) -> (Vec<ChatMessage>, AssemblyFigures) {
        (self.messages, self.figures)
    }
}

/// A stored turn as a chat message: people's lines carry their name in the text, because many providers drop the
/// `name` field (familiar-connect 1.6); the familiar's own carry nothing.
pub(super) fn turn_message(chunk: &Chunk) -> Option<ChatMessage> {
    let line = chunk.turn.as_ref()?;
    let words = chunk.text.trim();
    let content = match (&line.role, &line.label) {
        (Role::User, Some(label)) => format!("{}{label}: {}", line.prefix, set_in(words)),
        _ => format!("{}{words}", line.prefix),
    };
    let name = line.label.as_deref().and_then(crate::text::names::sanitize_api_name);
    Some(ChatMessage { name, ..ChatMessage::new(line.role, content) })
}

/// A person's words with every line after the first set in, so that none of them can pass for somebody else's: only a
/// line at the margin names a speaker (A16).
pub(super) fn set_in(words: &str) -> String {
    words
        .split('\n')
        .enumerate()
        .map(|(number, line)| match (number, line) {
            (0, line) => line.to_owned(),
            (_, "") => "\n".to_owned(),
            (_, line) => format!("\n  {line}"),
        })
        .collect()
}
