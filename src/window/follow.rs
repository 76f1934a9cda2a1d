//! Who follows what moves on a page.

use std::sync::Arc;

use axum::extract::{Extension, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use serde::Deserialize;

use super::events::Topic;
use super::pages::{Refusal, Visitor};
use super::rooms;
use super::shared::Shared;
use crate::domain::ChannelId;

#[derive(Debug, Deserialize)]
pub(super) struct Follow {
    #[serde(default)]
    topic: String,
    /// Of a room.
    place: Option<String>,
    /// The newest event that a page knows of which listens again; browsers name it by themselves only where it broke off.
    seen: Option<u64>,
}

/// What moves on a page, as it happens.
pub(super) async fn follow_events(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    Query(Follow { topic, place, seen: known }): Query<Follow>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let session = visitor.session.ok_or(Refusal(StatusCode::UNAUTHORIZED))?;
    let topic = Topic::named(&topic).ok_or(Refusal(StatusCode::NOT_FOUND))?;
    let place = place.filter(|_| topic == Topic::Room).map(ChannelId::new).transpose();
    let place = place.map_err(|_| Refusal(StatusCode::NOT_FOUND))?;
    let now = match &place {
        Some(channel) => rooms::now_in(&shared, channel.clone()).await.ok(),
        None => None,
    };
    let seen = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok()).or(known);
    let until = [session.ended, shared.door.stop.clone()];
    shared.events.follow((topic, place), seen, now, until).ok_or(Refusal(StatusCode::SERVICE_UNAVAILABLE))
}
