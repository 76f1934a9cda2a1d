//! The familiar's own mood, moved by itself.

use std::sync::Arc;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::config::LiveConfig;
use crate::domain::Feeling;
use crate::history::History;
use crate::tools::proposed::Proposed;
use crate::tools::tool::{Effect, Shelf, Tool, ToolContext, ToolEntry, ToolError};

/// The most that one call moves it, which is what an insult does.
const STEP: f64 = 0.24;

/// Lets something that happened move the mood. It fades like every other.
#[derive(Debug)]
pub(super) struct SetMood(pub(super) Arc<History>, pub(super) Arc<LiveConfig>);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Moved {
    /// From worse to better.
    #[schemars(range(min = -1, max = 1))]
    better: f64,
    /// From calmer to livelier.
    #[schemars(range(min = -1, max = 1))]
    livelier: Option<f64>,
}

#[async_trait]
impl Tool for SetMood {
    type Arguments = Moved;

    fn entry(&self) -> ToolEntry {
        ToolEntry::new(
            "set_mood",
            Shelf::People,
            "Moves your own mood in this place a little, where something touches you. It shows in how you talk.",
        )
        .effect(Effect::Acts)
        .in_own_words()
    }

    fn exists(&self) -> bool {
        self.1.current().affect.enabled
    }

    async fn proposed(&self, given: &Moved, _: &ToolContext) -> Result<Option<Proposed>, ToolError> {
        Ok(Some(if given.better < 0.0 { Proposed::WorseMood } else { Proposed::BetterMood }))
    }

    async fn run(&self, given: Moved, context: &ToolContext) -> Result<String, ToolError> {
        let wanted = [given.better, given.livelier.unwrap_or_default()];
        if wanted.iter().any(|push| !(-1.0..=1.0).contains(push)) {
            return Err(ToolError::Arguments("both go from -1 to 1".to_owned()));
        }
        let [valence, arousal] = wanted.map(|push| push * STEP);
        let (audience, half_life) = (&context.place.audience, self.1.current().affect.half_life);
        let moved = self.0.moved(audience, Feeling { valence, arousal }, None, half_life, context.now);
        moved.await.map_err(ToolError::broken)?;
        Ok("your mood has moved a little".to_owned())
    }
}
