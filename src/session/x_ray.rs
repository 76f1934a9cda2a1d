//! What a turn leaves for people to look at: traces of turns without a model, and `channels/<id>.last-context.md`, the
//! last turn of a channel, readable by whoever has the folder.

use super::handle::SessionParts;
use crate::config::FamiliarHome;
use crate::domain::{Modality, Outcome, Place, Processing, TurnId, TurnTrace};
use crate::trace::Standing;
use crate::trace::render;

/// The trace of a turn that ended before, or did without, a prompt and a model.
pub(super) fn without_model(
    parts: &SessionParts,
    place: &Place,
    turn: TurnId,
    trigger: &str,
    outcome: Outcome,
) -> TurnTrace {
    TurnTrace {
        id: turn,
        familiar: parts.familiar.clone(),
        place: place.clone(),
        mode: parts.config.channel_in(place).mode,
        modality: Modality::Text,
        pending: Vec::new(),
        question: None,
        authors: Vec::new(),
        opened_at: parts.clock.now(),
        total_us: 0,
        trigger: trigger.to_owned(),
        stages: Vec::new(),
        assembly: None,
        request: Vec::new(),
        parameters: serde_json::Value::Null,
        calls: Vec::new(),
        processing: Processing::default(),
        reply: None,
        outcome,
        in_call: Vec::new(),
        background: Vec::new(),
    }
}

/// Writes the file anew, whole or not at all. A failure is logged; a reply never fails for its x-ray.
pub(super) async fn write_last_context(home: &FamiliarHome, trace: &TurnTrace) {
    let path = home.last_context(&trace.place.channel);
    let text = render::markdown(trace, Standing::Operator);
    let written = tokio::task::spawn_blocking(move || crate::config::write_atomic(&path, &text)).await;
    match written {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(%error, "last-context could not be written"),
        Err(error) => tracing::warn!(%error, "last-context could not be written"),
    }
}
