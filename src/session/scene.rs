//! The conversation as processors see it.

use std::sync::Arc;

use async_trait::async_trait;

use super::handle::SessionParts;
use crate::context::TurnRequest;
use crate::context::providers::character_macros;
use crate::domain::{Role, StoredTurn};
use crate::history::{RecentQuery, Visible};
use crate::processors::{CharacterView, PastThoughts, Scene, SceneLine, SceneSource, Trouble};
use crate::text::macros::{Moment, safe_name};
use crate::text::names::prompt_label;

/// Messages read for processors, those to be answered not counted (specs familiar-connect 1.8).
const RECENT_TURNS: u32 = 20;

/// Reads the scene of one turn when a processor asks for it.
#[derive(Debug)]
pub(super) struct TurnScene {
    pub parts: Arc<SessionParts>,
    pub request: TurnRequest,
}

#[async_trait]
impl SceneSource for TurnScene {
    async fn scene(&self) -> Result<Scene, Trouble> {
        let Self { parts, request } = self;
        let pending = u32::try_from(request.pending.len()).unwrap_or(u32::MAX);
        let query = RecentQuery {
            visible: request.visible(),
            mode: Some(request.channel.mode),
            max_turns: RECENT_TURNS.saturating_add(pending),
            until: request.as_of,
            encoding: request.model.encoding,
        };
        let failed = |error: crate::history::HistoryError| Trouble::Failed(error.to_string());
        let keep = parts.config.current().thinking.keep;
        let (turns, thoughts) = tokio::try_join!(
            parts.history.recent(&request.place.channel, query),
            parts.history.thoughts(&request.place, keep),
        )
        .map_err(failed)?;
        let character = self.character();
        let is_pending = |turn: &StoredTurn| request.pending.iter().any(|pending| pending.id == turn.id);
        let mut turns: Vec<StoredTurn> = turns.into_iter().filter(|turn| !is_pending(turn)).collect();
        turns.extend(request.pending.iter().cloned());
        turns.sort_by_key(|turn| turn.ordinal);
        // What is being answered stands in this very place.
        let heard = turns.iter().filter(|turn| !is_pending(turn)).map(|turn| turn.audience.clone());
        let audience = Visible::only(heard.chain([request.place.audience.clone()])).narrowest();
        let lines = turns.into_iter().map(|turn| {
            let pending = is_pending(&turn);
            let who = match (&turn.author, turn.role) {
                (Some(author), _) => prompt_label(author.label()),
                (None, Role::Assistant) => character.name.clone(),
                (None, _) => "someone".to_owned(),
            };
            SceneLine { who, words: turn.content, pending }
        });
        Ok(Scene {
            lines: lines.collect(),
            thoughts: thoughts
                .into_iter()
                .map(|past| PastThoughts { turn: past.turn, answered: past.answered, text: past.content })
                .collect(),
            audience,
            character,
        })
    }
}

impl TurnScene {
    fn character(&self) -> CharacterView {
        let Self { parts, request } = self;
        let character = parts.character.current();
        let config = parts.config.current();
        let user = match &request.author {
            Some(author) if request.place.is_one_to_one() => safe_name(author.label()),
            _ => config.render.user_fallback.clone(),
        };
        let moment = Moment::new(
            request.now.to_zoned(request.display_tz.clone()),
            request.turn.to_string(),
            request.place.channel.to_string(),
        );
        let filled = |raw: &str| character_macros(&character, &user, &moment, raw);
        CharacterView {
            name: character.spoken_name().to_owned(),
            description: filled(&character.description),
            personality: filled(&character.personality),
            scenario: filled(&character.scenario),
            examples: filled(&character.mes_example),
        }
    }
}
