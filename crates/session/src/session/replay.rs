//! A past turn, run again: the same question at the same moment, with another budget, effort or model, or without some of its
//! pieces (A28).
//!
//! What was said later is left out, and what only the moment knew (who was here, the mood, thoughts) comes from the
//! turn's record. What is derived (summaries, indexes) and what is set up (the card, the lore, the settings) is as it is
//! today, and so is the program: that is what a replay is for. Where none of it has changed, the prompt is the same byte
//! for byte.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use jiff::Timestamp;

use super::opening::{Opening, Question, open, session_key, speakers};
use super::parts::SessionParts;
use super::policy::POLICY_WINDOW;
use super::turn_tools::CallCollector;
use crate::config::{ChannelConfig, FamiliarHome, ModeConfig};
use crate::context::{Contribution, HeardBy, Prompt, PromptTooLarge};
use crate::domain::{
    AssemblyFigures, ChatMessage, Effort, ModelCall, Outcome, Place, Slot, StoredTurn, TokenEncoding, TurnId,
    TurnTrace,
};
use crate::history::{FoundTurn, History, HistoryError, RecentQuery, Visible};
use crate::llm::{CompletionRequest, Delta, ModelError, SharedModel, tools_in_words};
use crate::text::names::prompt_label;
use crate::trace::{Rights, WordsAsked, find_words, render};

/// What is to be different this time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReplayChanges {
    /// The channel's budget in tokens; its layers' shares grow and shrink with it. `None` for what is configured.
    pub budget_tokens: Option<u32>,
    /// How much effort the question is worth; `None` for what it is judged to be worth.
    pub effort: Option<Effort>,
    /// The sources of pieces that are left out. What may never be left out stays.
    pub without: Vec<String>,
    /// The model that the prompt is made for; `None` for the configured one.
    pub model: Option<String>,
}

/// A past turn's request, to be sent once more.
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
    pub slot: Slot,
    pub messages: Vec<ChatMessage>,
    /// Who is asked; `None` for the model of the slot.
    pub model: Option<String>,
    /// How long the answer may be, in tokens; `None` as long as the model likes.
    pub reserve_tokens: Option<u32>,
}

impl Replay {
    /// Word for word as it was sent.
    pub fn recorded(trace: &TurnTrace, model: Option<String>) -> Self {
        let mut messages = trace.request.clone();
        if trace.has_tools_in_words() {
            // Whoever is asked now is told of them as they need it.
            let told = tools_in_words(&trace.tools());
            messages.retain(|message| message.content != told);
        }
        let reserve_tokens = trace.assembly.as_ref().map(|assembly| assembly.reserve_tokens);
        Self { slot: slot_of(trace.assembly.as_ref()), messages, model, reserve_tokens }
    }

    /// As it was made now.
    pub fn made(messages: Vec<ChatMessage>, figures: &AssemblyFigures, model: Option<String>) -> Self {
        Self { slot: slot_of(Some(figures)), messages, model, reserve_tokens: Some(figures.reserve_tokens) }
    }
}

/// Which slot a prompt was planned for.
fn slot_of(figures: Option<&AssemblyFigures>) -> Slot {
    figures.and_then(|figures| figures.plan.as_ref()).map_or(Slot::MainProse, |plan| plan.slot)
}

/// What a model says to a past turn's request now.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReplayAnswer {
    pub reply: String,
    /// What it would have looked up or done first, each by its name and arguments: a replay runs no tools.
    pub calls: Vec<String>,
    /// How the asking went; `None` where the model did not say.
    pub call: Option<ModelCall>,
}

/// Why a turn cannot be run again.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// There is nothing to answer any more.
    #[error("the messages that turn answered are no longer kept, or it answered none")]
    NothingToAnswer,
    #[error(transparent)]
    History(#[from] HistoryError),
    #[error(transparent)]
    Assemble(#[from] PromptTooLarge),
}

/// Assembles the prompt of a past turn again. Nothing is stored, and no model is asked.
pub(super) async fn rebuild(
    parts: &SessionParts,
    trace: &TurnTrace,
    changes: ReplayChanges,
) -> Result<Prompt, ReplayError> {
    let model = changes.model.as_ref().map(|model| parts.models.other(Slot::MainProse, model).describe());
    let encoding = model.as_ref().map_or_else(|| parts.encoding(), |model| model.encoding);
    let pending = parts.history.seen_by(&Visible::at(&trace.place)).turns(&trace.pending, encoding).await?;
    let Some(asking) = asking(trace, &pending).cloned() else { return Err(ReplayError::NothingToAnswer) };
    // The reply may carry the very moment the turn was opened; what was answered is in the request anyway.
    let as_of = trace.opened_at - Duration::from_millis(1);
    let speakers = speakers_then(parts, trace, &pending, as_of, encoding).await?;
    let mut channel = parts.config.channel_in(&trace.place);
    if let Some(budget) = changes.budget_tokens {
        channel = Arc::new(with_budget(&channel, budget));
    }
    let question = Question { effort: changes.effort, ..question(trace, &pending, &asking) };
    let plan = trace.assembly.as_ref().and_then(|assembly| assembly.plan.as_ref());
    let mut request = open(
        parts,
        Opening {
            turn: trace.id,
            place: &trace.place,
            channel: &channel,
            question: &question,
            pending,
            author: asking.author.clone(),
            speakers: &speakers,
            warm_tokens: plan.map(|plan| plan.warm_tokens),
            tool_tokens: plan.map(|plan| plan.tool_tokens),
        },
    );
    request.now = trace.opened_at;
    request.as_of = Some(as_of);
    request.told = recorded_moment(trace);
    request.without = changes.without;
    if let Some(model) = model {
        request.model = model;
    }
    match parts.pipeline.assemble(&request, None).await {
        // As the turn itself does it.
        Err(_) if request.pending.len() > 1 => {
            request.pending = vec![asking];
            Ok(parts.pipeline.assemble(&request, None).await?)
        }
        assembled => Ok(assembled?),
    }
}

pub(super) fn model_of(parts: &SessionParts, replay: &Replay) -> SharedModel {
    match &replay.model {
        Some(model) => parts.models.other(replay.slot, model),
        None => parts.models.slot(replay.slot),
    }
}

/// Asks a model what it would say. Nothing is stored or posted; what it costs is counted as everything is.
///
/// # Errors
/// When the model fails.
pub(super) async fn ask_anew(
    parts: &SessionParts,
    trace: &TurnTrace,
    replay: Replay,
    mut told: impl FnMut(&str) + Send,
) -> Result<ReplayAnswer, ModelError> {
    let model = model_of(parts, &replay);
    let Replay { slot, messages, reserve_tokens, .. } = replay;
    let request = CompletionRequest {
        // A session of its own: it must not move the live conversation to another provider.
        session: Some(session_key(parts, &trace.place).beside("replay")),
        max_tokens: reserve_tokens,
        tools: trace.tools(),
        ..CompletionRequest::new(slot, messages)
    };
    let mut stream = model.complete(request).await?;
    let (mut answer, mut calls) = (ReplayAnswer::default(), CallCollector::default());
    while let Some(delta) = stream.next().await {
        match delta? {
            Delta::Text(words) => {
                told(&words);
                answer.reply.push_str(&words);
            }
            Delta::ThoughtAloud => answer.reply.clear(),
            Delta::Finished(call) => {
                answer.call = Some(call);
                break;
            }
            Delta::ToolCall(fragment) => calls.push(fragment),
            Delta::Reasoning(_) | Delta::AttemptFailed(_) => {}
        }
    }
    answer.calls =
        calls.finish().into_iter().map(|call| format!("{} {}", call.name, call.arguments)).collect();
    Ok(answer)
}

/// The message that was answered: as recorded, else the last one.
pub(super) fn asking<'a>(trace: &TurnTrace, pending: &'a [StoredTurn]) -> Option<&'a StoredTurn> {
    let recorded = trace.question.as_ref().map(|question| question.asking);
    pending.iter().find(|turn| Some(turn.id) == recorded).or(pending.last())
}

/// What was asked; of a turn without a record everything counts as asked.
pub(super) fn question(trace: &TurnTrace, pending: &[StoredTurn], asking: &StoredTurn) -> Question {
    let has_spoken_to_it = |turn: &&StoredTurn| {
        trace.question.as_ref().is_none_or(|question| question.addressed.contains(&turn.id))
    };
    let addressed: Vec<&StoredTurn> = pending.iter().filter(has_spoken_to_it).collect();
    let called = if has_spoken_to_it(&asking) { HeardBy::Addressed } else { HeardBy::Overheard };
    let may_pass = trace.question.as_ref().is_some_and(|question| question.may_pass);
    Question { may_pass, ..Question::put_by(&addressed, asking, called, trace.modality) }
}

/// Who had spoken lately when the newest of the pending messages came.
async fn speakers_then(
    parts: &SessionParts,
    trace: &TurnTrace,
    pending: &[StoredTurn],
    as_of: Timestamp,
    encoding: TokenEncoding,
) -> Result<Vec<String>, HistoryError> {
    let by_person = |turn: &&StoredTurn| turn.author.as_ref().is_some_and(|author| !author.is_bot);
    let Some(newest) = pending.iter().rfind(by_person) else { return Ok(Vec::new()) };
    let waiting = u32::try_from(pending.len()).unwrap_or(u32::MAX);
    let query = RecentQuery {
        mode: None,
        max_turns: POLICY_WINDOW.saturating_add(waiting),
        until: Some(as_of),
        encoding,
    };
    let mut recent =
        parts.history.seen_by(&Visible::at(&trace.place)).recent(&trace.place.channel, query).await?;
    recent.retain(|turn| pending.iter().all(|waiting| waiting.id != turn.id));
    recent.extend(pending.iter().cloned());
    recent.sort_by_key(|turn| turn.ordinal);
    recent.retain(|turn| turn.ordinal < newest.ordinal);
    let seen = recent.len().saturating_sub(POLICY_WINDOW as usize);
    Ok(newest.author.as_ref().map(|author| speakers(&recent[seen..], author)).unwrap_or_default())
}

/// What the record says about the moment; `None` where it was made before there were such records.
fn recorded_moment(trace: &TurnTrace) -> Option<Arc<[Contribution]>> {
    let moment = &trace.assembly.as_ref()?.moment;
    let pieces = moment.iter().filter_map(|piece| serde_json::from_value(piece.clone()).ok());
    (!moment.is_empty()).then(|| pieces.collect())
}

/// The channel with another total, every layer's share in proportion.
fn with_budget(channel: &ChannelConfig, budget: u32) -> ChannelConfig {
    let of_mode = &channel.figures;
    let scaled = |cap: u32| {
        let share = u64::from(cap) * u64::from(budget) / u64::from(of_mode.budget_tokens.max(1));
        u32::try_from(share).unwrap_or(u32::MAX)
    };
    let figures = ModeConfig {
        budget_tokens: budget,
        sections: of_mode.sections.iter().map(|(&section, &cap)| (section, scaled(cap))).collect(),
        layers: of_mode.layers.iter().map(|(&layer, &cap)| (layer, cap.map(scaled))).collect(),
        ..of_mode.clone()
    };
    ChannelConfig { figures, ..channel.clone() }
}

/// The trace of a turn that ended before, or did without, a prompt and a model.
pub(super) fn without_model(
    parts: &SessionParts,
    place: &Place,
    turn: TurnId,
    trigger: &str,
    outcome: Outcome,
) -> TurnTrace {
    TurnTrace::new(
        turn,
        parts.familiar.clone(),
        place.clone(),
        parts.config.channel_in(place).mode,
        parts.clock.now(),
        trigger,
        outcome,
    )
}

/// Writes the file anew, whole or not at all. A failure is logged; a reply never fails for its x-ray.
pub(super) async fn write_last_context(home: &FamiliarHome, trace: &TurnTrace) {
    let path = home.last_context(&trace.place.channel);
    let text = render::markdown(trace, Rights::Operator);
    let written = tokio::task::spawn_blocking(move || crate::config::write_atomic(&path, &text)).await;
    match written {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(%error, "last-context could not be written"),
        Err(error) => tracing::warn!(%error, "last-context could not be written"),
    }
}

/// Stored messages looked at; more would not be read.
const MOST: u32 = 8;

/// Answers in Markdown what a turn did with some words. The operator also learns how much is kept where the turn may
/// not look; nobody else does.
///
/// # Errors
/// When the history cannot be read.
pub async fn answer_why(
    history: &History,
    trace: &TurnTrace,
    words: &str,
    reader: Rights,
) -> Result<String, HistoryError> {
    if trace.request.is_empty() {
        return Ok(render::without_request(trace));
    }
    let asked = WordsAsked::of(words);
    let mut found = find_words(trace, &asked, reader);
    let here = Visible::at(&trace.place);
    let shown: HashSet<_> = trace.pending.iter().copied().collect();
    let holds = |hit: &FoundTurn| asked.are_in(&hit.turn.content);
    let newest = trace.pending.iter().max().copied();
    let stored: Vec<_> = history
        .seen_by(&here)
        .search(words, MOST, TokenEncoding::CharsOver4)
        .await?
        .into_iter()
        .filter(|hit| holds(hit) && !shown.contains(&hit.turn.id))
        .filter(|hit| newest.is_none_or(|newest| hit.turn.id <= newest))
        .filter(|hit| {
            let mut readable = trace.request.iter().filter(|sent| reader.may_read(sent));
            !readable.any(|sent| sent.content.contains(hit.turn.content.trim()))
        })
        .map(from_history)
        .collect();
    let hidden = match reader {
        Rights::Reader | Rights::Person => 0,
        Rights::Operator => {
            let elsewhere = history.whole().visible().await?.without(&here);
            let hits = history.seen_by(&elsewhere).search(words, MOST, TokenEncoding::CharsOver4).await?;
            hits.iter().filter(|hit| holds(hit)).count()
        }
    };
    if found.is_empty()
        && stored.is_empty()
        && hidden == 0
        && let Some(within) = asked.within()
    {
        found = find_words(trace, &within, reader);
    }
    Ok(render::render_why(trace, words, &found, &stored, hidden))
}

fn from_history(hit: FoundTurn) -> render::Stored {
    let who = hit
        .turn
        .author
        .as_ref()
        .map_or_else(|| "the familiar".to_owned(), |author| prompt_label(author.label()));
    let place = hit.channel_name.unwrap_or_else(|| hit.channel.to_string());
    let told = format!("{who}, {}, {place}", hit.turn.at.strftime("%F %H:%M UTC"));
    render::Stored { told, words: hit.turn.content }
}
