//! Greetings: posted when asked for, stored as the familiar's own words, because characters depend on having said
//! them (specs cards-and-lore 7.4).

use super::handle::{GreetError, SessionParts};
use super::outbox::{Delivery, DeliveryStyle, Outbox};
use super::records;
use super::x_ray;
use crate::context::outlets::closed;
use crate::context::providers::character_macros;
use crate::domain::{Modality, Outcome, Place, TurnTrace};
use crate::text::macros::{Moment, safe_name};
use crate::text::split;

/// Greetings that fit this place: group greetings first where several people can be.
pub(super) fn greetings_for(parts: &SessionParts, place: &Place) -> Vec<String> {
    let character = parts.character.current();
    let group = if place.is_one_to_one() { &[][..] } else { &character.group_greetings[..] };
    group.iter().chain(&character.greetings).filter(|text| !text.trim().is_empty()).cloned().collect()
}

pub(super) async fn post(
    parts: &SessionParts,
    outbox: &dyn Outbox,
    place: &Place,
    which: Option<usize>,
    whom: Option<String>,
) -> Result<(), GreetError> {
    let greetings = greetings_for(parts, place);
    let which = which.unwrap_or(0);
    let Some(raw) = greetings.get(which) else {
        return Err(GreetError::NoSuchGreeting { available: greetings.len() });
    };
    let config = parts.config.current();
    let turn = parts.traces.next_turn();
    let moment = Moment {
        now: parts.clock.now().to_zoned(config.display_tz.clone()),
        idle: None,
        turn: turn.to_string(),
        channel: place.channel.to_string(),
        last_message: String::new(),
        last_user_message: String::new(),
    };
    let user = match whom {
        Some(whom) if place.is_one_to_one() => safe_name(&whom),
        _ => config.render.user_fallback.clone(),
    };
    // A greeting stands before anything that could call lore up.
    let text = closed(character_macros(&parts.character.current(), &user, &moment, raw));
    let to = Delivery { turn, place: place.clone(), reply_to: None };
    let pieces = match outbox.style() {
        DeliveryStyle::Live => vec![text.clone()],
        DeliveryStyle::Messages { max_chars } => split::messages(&text, max_chars),
    };
    let mut messages = Vec::new();
    let mut said = Vec::new();
    let mut failure = None;
    for (index, piece) in pieces.iter().enumerate() {
        match outbox.deliver(&to, piece, index == 0).await {
            Ok(arrived) => {
                messages.extend(arrived.message);
                said.push(piece.as_str());
            }
            Err(error) => {
                failure = Some(error);
                break;
            }
        }
    }
    outbox.finish(&to, !said.is_empty()).await;
    if !said.is_empty() {
        let mode = parts.config.channel_in(place).mode;
        let reply =
            records::replied(place, said.join("\n"), messages, parts.clock.now(), mode, turn, Modality::Text);
        if let Err(error) = parts.history.append(reply).await {
            tracing::error!(%turn, %error, "the greeting could not be stored");
        }
    }
    let outcome = match &failure {
        None => Outcome::Replied { messages: said.len() },
        Some(error) => Outcome::Undelivered { messages: said.len(), error: error.to_string() },
    };
    let reply = (!said.is_empty()).then(|| said.join("\n"));
    let trace = x_ray::without_model(parts, place, turn, "a greeting was asked for", outcome);
    parts.traces.record(TurnTrace { reply, ..trace }).await;
    failure.map_or(Ok(()), |error| Err(GreetError::Undelivered(error.to_string())))
}
