//! What a turn may do besides talking: its tools, for whoever asked and where they asked.

use std::sync::Arc;

use super::handle::SessionParts;
use super::rounds::worth_sending;
use crate::context::{TurnRequest, skills_at_hand};
use crate::domain::{Modality, ToolCall, ToolResult, ToolRound, ToolSpec};
use crate::tools::{LoopGuard, SkillText, ToolContext};

/// The tools of one turn.
#[derive(Debug)]
pub(super) struct Hands<'a> {
    parts: &'a Arc<SessionParts>,
    context: ToolContext,
    are_free: bool,
}

impl<'a> Hands<'a> {
    /// A spoken reply has none: it could not wait for them.
    pub(super) fn of(parts: &'a Arc<SessionParts>, request: &TurnRequest) -> Self {
        let are_free = request.modality == Modality::Text && parts.tools.are_for(&request.model);
        let context = ToolContext {
            turn: request.turn,
            place: request.place.clone(),
            caller: request.author.clone(),
            visible: request.visible(),
            asked: request.pending.iter().map(|turn| turn.id).collect(),
            now: request.now,
            encoding: request.model.encoding,
            skills: if are_free { skills(parts, request) } else { Vec::new() },
        };
        Self { parts, context, are_free }
    }

    /// What the model is told; nothing where it has no tools.
    pub(super) fn specs(&self) -> Vec<ToolSpec> {
        if self.are_free { self.parts.tools.specs(&self.context.place.channel) } else { Vec::new() }
    }

    /// Runs one round of calls; a result for each, in their order.
    pub(super) async fn run(&self, calls: &[ToolCall], guard: &mut LoopGuard) -> Vec<ToolResult> {
        self.parts.tools.run(calls, &self.context, guard).await
    }

    /// What is sent again of the rounds so far.
    pub(super) fn worth_sending(&self, rounds: &[ToolRound]) -> Vec<ToolRound> {
        worth_sending(rounds, &self.parts.tools, self.context.encoding)
    }

    /// Rounds one reply may have.
    pub(super) fn most_rounds(&self) -> usize {
        self.parts.config.current().tools.max_rounds as usize
    }
}

fn skills(parts: &SessionParts, request: &TurnRequest) -> Vec<SkillText> {
    skills_at_hand(&parts.character, &parts.config, request)
        .into_iter()
        .map(|(skill, text)| SkillText { name: Arc::clone(&skill.name), origin: skill.origin, text })
        .collect()
}
