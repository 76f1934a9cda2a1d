//! What a thread goes on from: the talk of its channel before it was opened.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::{ContextAsk, ContextProvider, Pieces, Profile};
use crate::context::contribution::{Contribution, Importance, Placement, Quoted, Trust};
use crate::context::request::TurnRequest;
use crate::domain::{Layer, PlaceKind, Platform, Role, made_on_discord};
use crate::history::{History, RecentQuery};
use crate::text::names::prompt_label;
use crate::text::short::{one_line, shortened};

/// Messages of the channel that are told, the newest before the thread.
const TOLD: u32 = 8;

/// Characters of each: its beginning says what it was about.
const TOLD_CHARS: usize = 160;

/// The message that a thread is opened from is its first: it has the thread's number, and was stored a moment later.
const STORED_WITHIN: Duration = Duration::from_secs(2);

/// Contributes the newest messages of a thread's channel from before it, as far as everybody in the thread may know them.
/// They read the same in every prompt of the thread, and stand in front of its own.
#[derive(Debug)]
pub(crate) struct BranchedProvider {
    pub(in crate::context) history: Arc<History>,
}

#[async_trait]
impl ContextProvider for BranchedProvider {
    fn profile(&self) -> Profile {
        Profile::floor("branched", 1_000)
    }

    async fn contribute(&self, request: &TurnRequest, _: &ContextAsk<'_>) -> Pieces {
        let place = &request.place;
        let is_thread = place.kind == PlaceKind::Thread && place.platform == Platform::Discord;
        let Some(channel) = place.parent.as_ref().filter(|_| is_thread) else { return Ok(Vec::new()) };
        let opened = made_on_discord(place.channel.as_str());
        let Some(opened) = opened.and_then(|at| at.checked_add(STORED_WITHIN).ok()) else {
            return Ok(Vec::new());
        };
        let query = RecentQuery {
            mode: Some(request.channel.mode),
            max_turns: TOLD,
            until: Some(opened),
            encoding: request.model.encoding,
        };
        let turns = self.history.seen_by(&request.visible()).recent(channel, query).await?;
        let Some(last) = turns.last() else { return Ok(Vec::new()) };
        let quoted = Quoted { author: None, place: None, at: Some(last.at) };
        let lines = turns.iter().map(|turn| {
            let who = match (&turn.author, turn.role) {
                (Some(author), Role::User) => prompt_label(author.label()),
                _ => "you".to_owned(),
            };
            format!("{who}: {}", shortened(&one_line(turn.content.trim()), TOLD_CHARS))
        });
        // One piece, so that a find among it takes none of it away.
        Ok(vec![Contribution {
            importance: Importance::High,
            quoted: Some(quoted),
            ..Contribution::new(
                format!("branched/{channel}"),
                Layer::HistorySummary,
                Placement::Summary(0),
                Trust::Held,
                request.place.audience.clone(),
                lines.collect::<Vec<_>>().join("\n"),
            )
        }])
    }
}
