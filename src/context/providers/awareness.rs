//! "Since you last spoke here": what went on without the familiar.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::{ContextProvider, Part, ProviderError};
use crate::context::contribution::{Contribution, Importance, Placement, TailPart, Trust};
use crate::context::moments::{counted, gap, listed, span};
use crate::context::request::TurnRequest;
use crate::domain::Layer;
use crate::history::{History, Since};
use crate::text::names::prompt_label;

/// So many messages are worth telling of, and so long a pause with any; fewer are seen in the chat itself.
const MANY: u64 = 8;
const LONG: Duration = Duration::from_secs(2 * 3600);

/// Who is named.
const NAMES: usize = 4;

/// Contributes one or two lines about what the familiar missed in a shared place (specs mechanisms A24).
#[derive(Debug)]
pub struct AwarenessProvider {
    history: Arc<History>,
}

impl AwarenessProvider {
    /// The history knows what was said.
    #[must_use]
    pub fn new(history: Arc<History>) -> Self {
        Self { history }
    }
}

#[async_trait]
impl ContextProvider for AwarenessProvider {
    fn name(&self) -> &'static str {
        "awareness"
    }

    fn deadline(&self) -> Duration {
        Duration::from_millis(250)
    }

    fn part(&self) -> Part {
        Part::Current
    }

    fn tells_the_moment(&self) -> bool {
        true
    }

    async fn contribute(&self, request: &TurnRequest) -> Result<Vec<Contribution>, ProviderError> {
        // Where two talk, nothing is missed.
        if request.place.is_one_to_one() {
            return Ok(Vec::new());
        }
        let newest = request.pending.last().map(|turn| turn.id);
        let missed = self
            .history
            .missed(&request.place.channel, Since::Familiar, &request.visible(), newest)
            .await
            .map_err(|error| ProviderError(error.to_string()))?;
        let Some(since) = missed.since else { return Ok(Vec::new()) };
        let pause = gap(since, request.now);
        let mut lines = Vec::new();
        if missed.messages >= MANY || (missed.messages > 1 && pause >= LONG) {
            let people: Vec<_> = missed
                .speakers
                .iter()
                .map(|(name, count)| format!("{} {count}", prompt_label(name)))
                .collect();
            lines.push(format!(
                "Since you last spoke here, {} ago: {} ({}).",
                span(pause),
                counted(missed.messages, "message"),
                listed(&people, NAMES),
            ));
        }
        let view = request.world.for_place(&request.place);
        let arrived: Vec<_> = view.arrivals_since(since).map(|one| prompt_label(&one.name)).collect();
        if !arrived.is_empty() {
            lines.push(format!("New on the server since then: {}.", listed(&arrived, NAMES)));
        }
        Ok(lines
            .into_iter()
            .enumerate()
            .map(|(number, line)| Contribution {
                importance: Importance::Useful,
                ..Contribution::new(
                    format!("awareness/{}", number + 1),
                    Layer::Core,
                    Placement::Tail(TailPart::Awareness),
                    Trust::Chat,
                    request.place.audience.clone(),
                    line,
                )
            })
            .collect())
    }
}
