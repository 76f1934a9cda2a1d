//! What a turn may do besides talking: its tools, for whoever asked and where they asked.

use std::sync::Arc;

use super::handle::SessionParts;
use super::rounds::{Fitted, Room, within, worth_sending};
use crate::context::{TurnRequest, skills_at_hand};
use crate::domain::{ToolCall, ToolResult, ToolRound, ToolSpec};
use crate::identity::caller;
use crate::llm::{ModelDescription, tool_tokens};
use crate::text::tokens;
use crate::tools::{LoopGuard, MAKE_ROOM, SkillText, ToolContext};

/// The tools of one turn.
#[derive(Debug)]
pub(super) struct Hands<'a> {
    parts: &'a Arc<SessionParts>,
    /// Absent where nothing may be done for whoever is answered (specs mechanisms M11).
    context: Option<ToolContext>,
    specs: Vec<ToolSpec>,
    model: ModelDescription,
    /// What of the model's window is left for the prompt and what is called after it, in tokens.
    room: u32,
}

impl<'a> Hands<'a> {
    /// What the plan of the turn has room for; where it has none, the model has no tools.
    pub(super) fn of(parts: &'a Arc<SessionParts>, request: &TurnRequest) -> Self {
        let caller = caller(&parts.config.current(), &request.place, request.author.as_ref());
        let pass = caller.tools();
        let are_free = request.plan.tool_tokens > 0 && pass.is_some();
        let specs = if are_free { parts.tools.specs(&request.place.channel) } else { Vec::new() };
        // Somebody may have edited a lorebook since the plan was made, and its tool be gone or there.
        let taken = tool_tokens(&specs, &request.model).max(request.plan.tool_tokens);
        let free = request.model.context_window.saturating_sub(request.plan.reserve_tokens);
        let context = pass.map(|pass| ToolContext {
            pass,
            turn: request.turn,
            place: request.place.clone(),
            caller: request.author.clone(),
            visible: request.visible(),
            asked: request.pending.iter().map(|turn| turn.id).collect(),
            now: request.now,
            display_tz: request.display_tz.clone(),
            encoding: request.model.encoding,
            skills: if are_free { skills(parts, request) } else { Vec::new() },
        });
        Self { parts, context, specs, model: request.model.clone(), room: free.saturating_sub(taken) }
    }

    /// What the model is told; nothing where it has no tools.
    pub(super) fn specs(&self) -> &[ToolSpec] {
        &self.specs
    }

    /// Runs one round of calls; a result for each, in their order.
    pub(super) async fn run(&self, calls: &[ToolCall], guard: &mut LoopGuard) -> Vec<ToolResult> {
        let Some(context) = &self.context else {
            let refused = |call: &ToolCall| ToolResult {
                call: call.id.clone(),
                content: "This did not work: nothing can be done for whoever is answered".to_owned(),
                failed: true,
            };
            return calls.iter().map(refused).collect();
        };
        let results = self.parts.tools.run(calls, context, guard).await;
        let is_wanted =
            calls.iter().zip(&results).any(|(call, result)| call.name == MAKE_ROOM && !result.failed);
        if is_wanted {
            self.parts.upkeep.sum_up(&context.place);
        }
        results
    }

    /// What is sent again of the rounds so far, behind a prompt of so many tokens: what is worth it and fits.
    pub(super) fn worth_sending(&self, rounds: &[ToolRound], prompt_tokens: u32) -> Fitted {
        let count = |text: &str| self.model.scale(tokens::count(self.model.encoding, text));
        let room = Room { tokens: self.room.saturating_sub(prompt_tokens), most_rounds: self.most_rounds() };
        within(worth_sending(rounds, &self.parts.tools, &count), room, &count)
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
