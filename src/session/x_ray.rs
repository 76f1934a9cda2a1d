//! `channels/<id>.last-context.md`: the last turn of a channel, readable by whoever has the folder.

use crate::config::FamiliarHome;
use crate::domain::TurnTrace;
use crate::trace::render;

/// Writes the file anew, whole or not at all. A failure is logged; a reply never fails for its x-ray.
pub(super) async fn write_last_context(home: &FamiliarHome, trace: &TurnTrace) {
    let path = home.last_context(&trace.place.channel);
    let text = render::markdown(trace);
    let written = tokio::task::spawn_blocking(move || crate::config::write_atomic(&path, &text)).await;
    match written {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(%error, "last-context could not be written"),
        Err(error) => tracing::warn!(%error, "last-context could not be written"),
    }
}
