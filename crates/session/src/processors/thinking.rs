//! Stepped thinking: the character's own thoughts, then its plans, before it answers (cards-and-lore 6.1).
//!
//! In character, and hidden: the result goes into the prompt at its very end, is kept for the next turns and is never
//! part of a reply. By default both steps are one request, so that no more than one model call stands before the
//! reply's first token, and that one runs while context is gathered.

use std::sync::Arc;

use tokio::time::{Instant, timeout_at};

use super::chain::Processors;
use super::seam::{CharacterView, Note, Running, Scene, SceneLine, Trouble, TurnView, unusable};
use super::tags::{block, holds_our_tags, quoted_as_data, section};
use crate::config::{PromptName, ThinkingCalls};
use crate::domain::{ChatMessage, Modality, Role, Slot};
use crate::llm::{CompletionRequest, strip_hidden};
use crate::text::short::{beginning, shortened};

/// The steps, in order: the tag they stand in and the prompt that asks for them.
const STEPS: [(&str, PromptName); 2] = [("thoughts", PromptName::Thoughts), ("plans", PromptName::Plans)];

/// How many recent messages thinking sees besides those to be answered (familiar-connect 1.8).
pub(super) const RECENT_LINES: usize = 20;

/// How much of each of the card's texts thinking sees, in characters: it is to be quick.
const CARD_MAX_CHARS: usize = 1_200;

/// A line of the conversation, at most, in characters.
const LINE_MAX_CHARS: usize = 800;

/// The longest thoughts of one request, in tokens (familiar-connect 1.8).
const ANSWER_TOKENS: u32 = 256;

/// Characters kept of one step, six for each of its tokens; what a model writes beyond is a model that
/// ignores limits.
const STEP_MAX_CHARS: usize = 6 * ANSWER_TOKENS as usize;

impl Processors {
    async fn step(
        &self,
        steps: &[(&'static str, PromptName)],
        turn: &TurnView,
        scene: &Scene,
        before: &[(&str, String)],
        deadline: Instant,
        run: &Running,
    ) -> Result<Vec<(&'static str, String)>, Trouble> {
        let prompts: Vec<(&str, Arc<str>)> =
            steps.iter().map(|(tag, name)| (*tag, self.config.prompt(*name))).collect();
        let request = CompletionRequest {
            max_tokens: Some(ANSWER_TOKENS),
            session: Some(turn.session.clone()),
            ..CompletionRequest::new(
                Slot::ReasoningContext,
                messages(&self.config.prompt(PromptName::Thinking), &prompts, scene, before),
            )
        };
        let answer = run.ask(&self.models.slot(Slot::ReasoningContext), request, deadline).await?;
        let found = sections(&answer.text, steps, STEP_MAX_CHARS);
        if found.is_empty() {
            return Err(Trouble::Failed("the model gave no thoughts".to_owned()));
        }
        Ok(found)
    }

    /// Why the character does not think in this turn; `None` where it does.
    pub(super) fn skips_thinking(&self, turn: &TurnView) -> Option<String> {
        if turn.plan.modality == Modality::Voice {
            return Some("nobody waits for thoughts in a spoken conversation".to_owned());
        }
        if !turn.channel.figures.stepped_thinking {
            return Some("switched off for this channel or its mode".to_owned());
        }
        if !turn.plan.stepped_thinking {
            let effort = turn.plan.intent.effort.level();
            return Some(format!("the message is not worth it (effort {effort} of 10)"));
        }
        if turn.main.reasons_natively {
            return Some(format!("{} thinks by itself", turn.main.model));
        }
        unusable(&self.models.slot(Slot::ReasoningContext).describe())
    }

    /// Thinks with the slot `reasoning_context`.
    pub(super) async fn think(&self, turn: &TurnView, run: &Running) -> Result<Vec<Note>, Trouble> {
        let settings = self.config.current().thinking.clone();
        let deadline = Instant::now() + settings.timeout.min(turn.plan.deadline);
        let scene = timeout_at(deadline, turn.scene.clone()).await.map_err(|_| Trouble::Late)??;
        let mut thought: Vec<(&str, String)> = Vec::new();
        let rounds: Vec<&[(&str, PromptName)]> = match settings.calls {
            ThinkingCalls::One => vec![&STEPS[..]],
            ThinkingCalls::Each => STEPS.chunks(1).collect(),
        };
        for steps in rounds {
            match self.step(steps, turn, &scene, &thought, deadline, run).await {
                Ok(found) => thought.extend(found),
                // What was thought until then is worth having.
                Err(trouble) if thought.is_empty() => return Err(trouble),
                Err(trouble) => {
                    tracing::debug!(turn = %turn.turn, %trouble, "a later step of thinking came to nothing");
                    break;
                }
            }
        }
        let text: Vec<String> = thought.iter().map(|(tag, words)| block(tag, words)).collect();
        let audience = scene.audience;
        let earlier = scene.thoughts.into_iter().map(|past| Note {
            earlier: Some((past.turn, past.answered)),
            text: past.text,
            audience: audience.clone(),
        });
        let now = Note { earlier: None, text: text.join("\n"), audience: audience.clone() };
        Ok(earlier.chain([now]).collect())
    }
}

/// The request: instructions and card for the system, what was said as data.
fn messages(
    frame: &str,
    prompts: &[(&str, Arc<str>)],
    scene: &Scene,
    before: &[(&str, String)],
) -> Vec<ChatMessage> {
    let named = |text: &str| text.replace("{{char}}", &scene.character.name);
    let mut system = named(frame);
    system.push_str("\n\n");
    system.push_str(&block("character", &thinking_card(&scene.character)));
    let form: Vec<String> = prompts.iter().map(|(tag, _)| format!("<{tag}>…</{tag}>")).collect();
    system.push_str(&format!("\n\nAnswer in this form and with nothing around it: {}", form.join(" ")));
    for (tag, prompt) in prompts {
        system.push_str(&format!("\n\nIn <{tag}>: {}", named(prompt)));
    }

    let (pending, recent): (Vec<&SceneLine>, Vec<&SceneLine>) =
        scene.lines.iter().partition(|line| line.pending);
    let recent = &recent[recent.len().saturating_sub(RECENT_LINES)..];
    let mut data = Vec::new();
    if !scene.thoughts.is_empty() {
        let thoughts: Vec<String> = scene
            .thoughts
            .iter()
            .map(|past| {
                let whom = past.answered.as_deref().unwrap_or("somebody");
                // Our own tags around old thoughts would read as an answer that was begun.
                let bare: Vec<&str> = past.text.lines().filter(|line| !holds_our_tags(line)).collect();
                format!("Before answering {whom}:\n{}", quoted_as_data(&bare.join("\n")))
            })
            .collect();
        data.push(block("earlier_thoughts", &thoughts.join("\n")));
    }
    if !recent.is_empty() {
        data.push(block("chat", &lines(recent)));
    }
    data.push(block("to_answer", &lines(&pending)));
    data.extend(
        before.iter().map(|(tag, words)| format!("You have thought already:\n{}", block(tag, words))),
    );
    let system = ChatMessage { cache_breakpoint: true, ..ChatMessage::new(Role::System, system) };
    vec![system, ChatMessage::new(Role::User, data.join("\n\n"))]
}

/// The character in short.
fn thinking_card(character: &CharacterView) -> String {
    let parts = [
        ("Name", character.name.as_str()),
        ("Personality", &character.personality),
        ("Description", &character.description),
        ("Scenario", &character.scenario),
    ];
    let said = parts.iter().filter(|(_, text)| !text.trim().is_empty());
    let short = said.map(|(what, text)| format!("{what}: {}", shortened(text.trim(), CARD_MAX_CHARS)));
    short.collect::<Vec<_>>().join("\n")
}

pub(super) fn lines(lines: &[&SceneLine]) -> String {
    let line = |line: &&SceneLine| {
        format!("{}: {}", line.who, quoted_as_data(&shortened(&line.words, LINE_MAX_CHARS)))
    };
    lines.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// What was thought, step by step, cleaned. A model that thinks without tags has thought all the same; one that gives
/// no letter has not.
fn sections(answer: &str, steps: &[(&'static str, PromptName)], most: usize) -> Vec<(&'static str, String)> {
    let tags: Vec<&str> = STEPS.iter().map(|(tag, _)| *tag).collect();
    let mut found: Vec<(&'static str, String)> = steps
        .iter()
        .filter_map(|(tag, _)| {
            let others: Vec<&str> = tags.iter().filter(|other| *other != tag).copied().collect();
            Some((*tag, clean(section(answer, tag, &others)?, most)))
        })
        .collect();
    if found.is_empty()
        && !holds_our_tags(answer)
        && let Some((tag, _)) = steps.first()
    {
        found.push((tag, clean(&strip_hidden(answer, &["tool_call", "function_call"]), most)));
    }
    found.retain(|(_, words)| words.chars().any(char::is_alphabetic));
    found
}

/// Thoughts as they may be kept: visible text without tags and fences of ours, at most so many characters.
fn clean(words: &str, most: usize) -> String {
    let lines = words.lines().filter(|line| !line.trim_start().starts_with("```"));
    let text = quoted_as_data(&lines.collect::<Vec<_>>().join("\n"));
    beginning(text.trim(), most).trim_end().to_owned()
}

#[cfg(test)]
mod tests;
