//! Greetings: posted when asked for, stored as the familiar's own words, because characters depend on having said
//! them (cards-and-lore 7.4).

use super::outbox::{Awaited, Delivery, DeliveryStyle, Outbox, Settled};
use super::parts::{GreetError, SessionParts};
use super::replay;
use super::underway::{HandedOver, Underway};
use crate::context::outlets::closed;
use crate::context::{Addressee, character_macros};
use crate::domain::{
    AssemblyFigures, Audience, ChatMessage, Modality, ModelCall, Outcome, Place, TurnId, TurnTrace,
};
use crate::llm::ModelError;
use crate::text::defuse::without_invitations;
use crate::text::names::prompt_label;
use crate::text::split;
use familiar_cards::macros::Moment;

/// Greetings that fit this place: group greetings first where several people can be.
pub(super) fn greetings_for(parts: &SessionParts, place: &Place) -> Vec<String> {
    let character = parts.character.current();
    let group = if place.is_one_to_one() { &[][..] } else { &character.group_greetings[..] };
    group.iter().chain(&character.greetings).filter(|text| !text.trim().is_empty()).cloned().collect()
}

/// A greeting as it is said here to somebody.
pub(super) fn filled(
    parts: &SessionParts,
    place: &Place,
    turn: TurnId,
    whom: Option<&str>,
    raw: &str,
) -> String {
    let config = parts.config.current();
    let moment = Moment::new(
        parts.clock.now().to_zoned(config.display_tz.clone()),
        turn.to_string(),
        place.channel.to_string(),
    );
    let played = match &place.audience {
        Audience::Dm(account) => parts.pairing.persona_at(account, place),
        _ => None,
    };
    let user = match (played, whom) {
        (Some(played), _) => Addressee::played(&played),
        (None, Some(whom)) if place.is_one_to_one() => Addressee::named(prompt_label(whom)),
        _ => Addressee::named(config.render.user_fallback.clone()),
    };
    // A greeting stands before anything that could call lore up.
    closed(character_macros(&parts.character.current(), &user, &moment, raw))
}

/// Words of its own, which answer nobody.
pub(super) struct Own {
    pub text: String,
    /// In the record of the turn.
    pub why: &'static str,
    pub modality: Modality,
    /// Who waits for them, where somebody does.
    pub awaited: Option<Awaited>,
    /// What a model was asked for them.
    pub asked: AskedModel,
}

impl Own {
    /// Written, without asking a model, and nobody waits for it.
    pub(super) fn written(text: String, why: &'static str) -> Self {
        Self { text, why, modality: Modality::Text, awaited: None, asked: AskedModel::default() }
    }
}

/// What a model was asked for words of its own; empty where none was.
#[derive(Debug, Default)]
pub(super) struct AskedModel {
    pub assembly: Option<AssemblyFigures>,
    pub request: Vec<ChatMessage>,
    pub parameters: serde_json::Value,
    /// The last is the one that was begun, until it is known how it went.
    calls: Vec<ModelCall>,
}

impl AskedModel {
    /// A request begins, which is broken off unless something else is told.
    pub(super) fn begun(&mut self, broken_off: ModelCall) {
        self.calls.push(broken_off);
    }

    /// One model failed, and another is asked.
    pub(super) fn goes_on_after(&mut self, failed: ModelCall) {
        self.calls.insert(self.calls.len().saturating_sub(1), failed);
    }

    pub(super) fn answered(&mut self, report: ModelCall) {
        self.calls.pop();
        self.calls.push(report);
    }

    pub(super) fn failed(&mut self, error: ModelError) {
        self.calls.pop();
        self.calls.extend(error.attempts);
    }
}

/// Says its own words and stores what arrived of them.
pub(super) async fn say(
    parts: &SessionParts,
    outbox: &dyn Outbox,
    place: &Place,
    turn: TurnId,
    own: Own,
) -> Result<(), GreetError> {
    let Own { text, why, modality, awaited, asked } = own;
    let AskedModel { assembly, request, parameters, calls } = asked;
    let to = Delivery { awaited, ..Delivery::to(turn, place.clone()) };
    let pieces = match outbox.style() {
        DeliveryStyle::Live | DeliveryStyle::Spoken => vec![text.clone()],
        DeliveryStyle::Messages { max_chars } => {
            split::split_messages(&without_invitations(&text), max_chars)
        }
    };
    let mut arrived = HandedOver::default();
    let mut failure = None;
    let mut underway = Underway::new(parts, place, turn, modality, Vec::new(), outbox.style());
    for (index, piece) in pieces.iter().enumerate() {
        underway.sends(&arrived.text, &arrived.messages, piece).await;
        match outbox.deliver(&to, piece, index == 0).await {
            Ok(delivered) => {
                arrived.arrives("\n", piece, delivered.message);
                underway.sent(&arrived.text, &arrived.messages).await;
            }
            Err(error) => {
                failure = Some(error);
                break;
            }
        }
    }
    let HandedOver { text: mut said, mut messages, mut begins, .. } = arrived;
    if let Settled::Instead { text, messages: instead, .. } = outbox.finish(&to, !said.is_empty()).await {
        (said, messages, begins) = (text, instead, Vec::new());
    }
    let count = usize::from(!said.is_empty()).max(messages.len());
    if said.is_empty() {
        underway.is_dropped().await;
    } else {
        let reply = underway.reply(said.trim().to_owned(), messages, parts.clock.now());
        if let Err(error) = parts.history.store_reply(reply, begins).await {
            tracing::error!(%turn, %error, "what it said could not be stored");
        }
    }
    let outcome = match &failure {
        None => Outcome::Replied { messages: count },
        Some(error) => Outcome::Undelivered { messages: count, error: error.to_string() },
    };
    let reply = (!said.is_empty()).then_some(said);
    let trace = replay::without_model(parts, place, turn, why, outcome);
    let trace = TurnTrace { reply, modality, assembly, request, parameters, calls, ..trace };
    parts.traces.record(trace).await;
    failure.map_or(Ok(()), |error| Err(GreetError::Undelivered(error.to_string())))
}
