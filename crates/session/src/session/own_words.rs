//! A few words of the character's own for an occasion, from a model, outside of any conversation's turn.
//!
//! Owns how a model is asked for them, and when what it wrote is not said. Must not know what is said where there are none.
//! Start reading at [`in_own_words`].

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use tokio::time::timeout;

use super::greeting::AskedModel;
use super::open_gate::is_unfit;
use super::opening::{Opening, Question, completion_of, open};
use super::outbox::DeliveryStyle;
use super::parts::SessionParts;
use super::pre_reply::PreReply;
use super::reply::broken_off;
use crate::domain::{Author, ChatMessage, LAYER_MARKER, Modality, Place, Role, TurnId};
use crate::llm::Delta;

/// A model may take so long.
const WITHIN: Duration = Duration::from_secs(8);

/// Characters of what it wrote; what is longer is something else.
const CHARS_MAX: usize = 1_000;

/// What there is to say.
pub(super) struct Occasion<'a> {
    /// Nobody where it is for everybody there.
    pub whom: Option<&'a Author>,
    /// What is looked up for it.
    pub about: &'a str,
    /// What the model is asked, behind the prompt.
    pub task: String,
}

/// As the character says it; nothing where no model does in time. What a model is asked is noted, whatever comes of it.
pub(super) async fn in_own_words(
    parts: &Arc<SessionParts>,
    place: &Place,
    turn: TurnId,
    occasion: Occasion<'_>,
    asked: &mut AskedModel,
) -> Option<String> {
    match timeout(WITHIN, answer_in_own_words(parts, place, turn, occasion, asked)).await {
        Ok(said) => said.filter(|said| is_sayable(said) && !is_unfit(parts, place, said)),
        Err(_) => {
            tracing::debug!(%turn, "no model had words of its own in time");
            None
        }
    }
}

fn is_sayable(text: &str) -> bool {
    !text.is_empty() && text.chars().count() <= CHARS_MAX && !text.contains(LAYER_MARKER)
}

async fn answer_in_own_words(
    parts: &Arc<SessionParts>,
    place: &Place,
    turn: TurnId,
    occasion: Occasion<'_>,
    asked: &mut AskedModel,
) -> Option<String> {
    let Occasion { whom, about, task } = occasion;
    let speakers: Vec<String> = whom.iter().map(|whom| whom.label().to_owned()).collect();
    let question = Question::by_one(about.to_owned(), Modality::Text);
    let channel = parts.config.channel_in(place);
    let opening = Opening {
        turn,
        place,
        channel: &channel,
        question: &question,
        pending: Vec::new(),
        author: whom.cloned(),
        speakers: &speakers,
        warm_tokens: None,
        tool_tokens: Some(0),
    };
    let request = open(parts, opening);
    let style = DeliveryStyle::Messages { max_chars: CHARS_MAX };
    let pre_reply = PreReply::of(parts, &request, &speakers, style, None);
    let prompt = parts.pipeline.assemble(&request, None).await.ok()?;
    let (mut messages, figures) = prompt.into_parts();
    messages.push(ChatMessage::new(Role::User, task));
    let completion = completion_of(parts, place, &request.plan, messages, Vec::new());
    let (told, slot) = (parts.models.told(&completion), parts.models.slot(completion.slot));
    let prompt_tokens = figures.prompt_tokens;
    (asked.request, asked.parameters, asked.assembly) = (told.messages, told.parameters, Some(figures));
    asked.begun(broken_off(slot.describe().model, completion.slot, prompt_tokens, ""));
    let mut stream = match slot.complete(completion).await {
        Ok(stream) => stream,
        Err(error) => {
            asked.failed(error);
            return None;
        }
    };
    let mut outlet = parts.processors.outlet(pre_reply.view(), pre_reply.log());
    let mut said = String::new();
    while let Some(delta) = stream.next().await {
        match delta {
            Ok(Delta::Text(words)) => said.push_str(&outlet.push(&words)),
            Ok(Delta::ThoughtAloud) => return None,
            Ok(Delta::AttemptFailed(report)) => asked.goes_on_after(report),
            Ok(Delta::Finished(report)) => {
                asked.answered(report);
                break;
            }
            Ok(Delta::Reasoning(_) | Delta::ToolCall(_)) => {}
            Err(error) => {
                asked.failed(error);
                return None;
            }
        }
        if said.chars().count() > CHARS_MAX {
            return None;
        }
    }
    said.push_str(&outlet.finish().await.rest);
    Some(said.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_empty_endless_or_a_piece_of_a_prompt_is_not_said() {
        assert!(is_sayable("Good evening."));
        for text in ["", "⟦fc: A reminder is due⟧ feed the cat"] {
            assert!(!is_sayable(text), "{text}");
        }
        assert!(!is_sayable(&"feed the cat ".repeat(200)));
    }
}
