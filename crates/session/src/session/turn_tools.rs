//! What a turn may do besides talking: its tools, for whoever asked and where they asked, and the calls of them that a
//! streaming reply makes.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::tz::TimeZone;

use super::parts::SessionParts;
use super::rounds::{Fitted, RoundsRoom, cut_to_fit, worth_sending};
use crate::context::{TurnRequest, skills_at_hand};
use crate::domain::{Attachment, MessageId, Role, StoredTurn, ToolCall, ToolResult, ToolRound, ToolSpec};
use crate::identity::caller_in;
use crate::llm::{ModelDescription, ToolCallDelta, tool_tokens};
use crate::text::tokens;
use crate::tools::{MAKE_ROOM, OWN_LABEL, PlaceActions, SkillText, ToolContext, ToolTurn};

#[derive(Debug)]
pub(super) struct TurnTools<'a> {
    parts: &'a Arc<SessionParts>,
    /// Absent where nothing may be done for whoever is answered (M11).
    context: Option<ToolContext>,
    specs: Vec<ToolSpec>,
    model: ModelDescription,
    /// What of the model's window is left for the prompt and what is called after it, in tokens.
    room: u32,
}

impl<'a> TurnTools<'a> {
    /// What the plan of the turn has room for; where it has none, the model has no tools. Only what the model is told is known
    /// as yet, see [`Self::asked`].
    pub(super) fn of(parts: &'a Arc<SessionParts>, request: &TurnRequest) -> Self {
        let caller = caller_in(&parts.config.current(), &request.place, request.author.as_ref());
        let pass = caller.tools();
        let are_free = request.plan.tool_tokens > 0 && pass.is_some();
        let specs = if are_free { parts.tools.specs(&request.place, &request.model) } else { Vec::new() };
        // Somebody may have edited a lorebook since the plan was made, and its tool be gone or there.
        let taken = tool_tokens(&specs, &request.model).max(request.plan.tool_tokens);
        let free = request.model.context_window.saturating_sub(request.plan.reserve_tokens);
        let context = pass.map(|pass| ToolContext {
            pass,
            change: caller.change(&request.place.audience),
            actions: None,
            turn: request.turn,
            place: request.place.clone(),
            world: Arc::clone(&request.world),
            caller: request.author.clone(),
            own_label: OWN_LABEL,
            visible: request.visible(),
            asked: request.pending.iter().map(|turn| turn.id).collect(),
            // Had to go on, it answers its own words, and these are nobody's who asks.
            said: request
                .pending
                .iter()
                .filter(|turn| turn.role == Role::User)
                .map(|turn| without_others_lines(&turn.content))
                .collect(),
            message: None,
            is_unsure: true,
            now: request.now,
            display_tz: request.display_tz.clone(),
            caller_tz: caller_tz(request),
            encoding: request.model.encoding,
            skills: if are_free { skills(parts, request) } else { Vec::new() },
        });
        Self { parts, context, specs, model: request.model.clone(), room: free.saturating_sub(taken) }
    }

    /// The same once somebody asked: by which message, what can be done in their place, and whether it is not plain who wants
    /// what.
    pub(super) fn asked(
        mut self,
        message: Option<MessageId>,
        actions: Option<Arc<dyn PlaceActions>>,
        is_unsure: bool,
    ) -> Self {
        if let Some(context) = &mut self.context {
            (context.message, context.actions, context.is_unsure) = (message, actions, is_unsure);
        }
        self
    }

    /// What the model is told; nothing where it has no tools.
    pub(super) fn specs(&self) -> &[ToolSpec] {
        &self.specs
    }

    /// Runs one round of calls; a result for each, in their order.
    pub(super) async fn run(&self, calls: &[ToolCall], turn: &mut ToolTurn) -> Vec<ToolResult> {
        let Some(context) = &self.context else {
            let refused = |call: &ToolCall| ToolResult {
                call: call.id.clone(),
                content: "This did not work: nothing can be done for whoever is answered".to_owned(),
                failed: true,
            };
            return calls.iter().map(refused).collect();
        };
        let results = self.parts.tools.run(calls, context, turn).await;
        let is_wanted =
            calls.iter().zip(&results).any(|(call, result)| call.name == MAKE_ROOM && !result.failed);
        if is_wanted {
            self.parts.upkeep.workers.sum_up(&context.place);
        }
        results
    }

    /// What is sent again of the rounds so far, behind a prompt of so many tokens: what is worth it and fits.
    pub(super) fn worth_sending(&self, rounds: &[ToolRound], prompt_tokens: u32) -> Fitted {
        let count = |text: &str| self.model.scale(tokens::count(self.model.encoding, text));
        let room =
            RoundsRoom { tokens: self.room.saturating_sub(prompt_tokens), most_rounds: self.most_rounds() };
        cut_to_fit(worth_sending(rounds, &self.parts.tools, &count), room, &count)
    }

    /// Rounds one reply may have.
    pub(super) fn most_rounds(&self) -> usize {
        self.parts.config.current().tools.max_rounds as usize
    }
}

/// Kinds of attachments that hold what somebody else wrote, as like as not.
const OTHERS: [&str; 3] = ["embed", "forwarded", "image"];

fn is_others(line: &str) -> bool {
    Attachment::read(line).is_some_and(|(kind, _)| OTHERS.contains(&kind))
}

/// Whether a message brings others' words along: a link's preview, something forwarded, a picture.
pub(super) fn brings_others_words(message: &StoredTurn) -> bool {
    message.content.lines().any(is_others)
}

/// A message without what others wrote.
fn without_others_lines(content: &str) -> String {
    content.lines().filter(|line| !is_others(line)).collect::<Vec<_>>().join("\n")
}

fn caller_tz(request: &TurnRequest) -> Option<TimeZone> {
    let view = request.world.for_place(&request.place);
    view.zone_of(&request.author.as_ref()?.account, request.now)
}

fn skills(parts: &SessionParts, request: &TurnRequest) -> Vec<SkillText> {
    skills_at_hand(&parts.character, &parts.config, request)
        .into_iter()
        .map(|(skill, text)| SkillText { name: Arc::clone(&skill.name), origin: skill.origin, text })
        .collect()
}

/// Calls of one reply that are run; a model that asks for more is told to go on with these.
const MOST_CALLS: usize = 8;

/// Collects fragments until the stream ends.
#[derive(Debug, Default)]
pub(super) struct CallCollector {
    by_index: BTreeMap<u32, ToolCall>,
}

impl CallCollector {
    pub(super) fn push(&mut self, fragment: ToolCallDelta) {
        let call = self.by_index.entry(fragment.index).or_insert_with(|| ToolCall {
            id: String::new(),
            name: String::new(),
            arguments: String::new(),
        });
        if let Some(id) = fragment.id.filter(|id| !id.is_empty()) {
            call.id = id;
        }
        if let Some(name) = fragment.name.filter(|name| !name.is_empty()) {
            call.name = name;
        }
        call.arguments.push_str(&fragment.arguments);
    }

    /// The whole calls, in the model's order. Servers that give no ids get some, for the results must name theirs.
    pub(super) fn finish(self) -> Vec<ToolCall> {
        self.by_index
            .into_iter()
            .filter(|(_, call)| !call.name.is_empty())
            .take(MOST_CALLS)
            .map(|(index, call)| match call.id.is_empty() {
                true => ToolCall { id: format!("call_{index}"), ..call },
                false => call,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fragment(index: u32, id: Option<&str>, name: Option<&str>, arguments: &str) -> ToolCallDelta {
        ToolCallDelta {
            index,
            id: id.map(str::to_owned),
            name: name.map(str::to_owned),
            arguments: arguments.to_owned(),
        }
    }

    #[test]
    fn fragments_of_several_calls_come_together_in_order() {
        let mut collector = CallCollector::default();
        collector.push(fragment(1, Some("b"), Some("choose"), "{\"op"));
        collector.push(fragment(0, None, Some("roll_dice"), ""));
        collector.push(fragment(1, Some(""), Some(""), "tions\":[]}"));
        collector.push(fragment(0, None, None, "{}"));
        collector.push(fragment(2, Some("c"), None, "{}"));
        let calls: Vec<_> =
            collector.finish().into_iter().map(|call| (call.id, call.name, call.arguments)).collect();
        let expected = [("call_0", "roll_dice", "{}"), ("b", "choose", "{\"options\":[]}")];
        assert_eq!(calls, expected.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned())));
    }
}
