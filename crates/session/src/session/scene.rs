//! The conversation as processors see it, what it does to a mood, and what is recorded of it.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use jiff::Timestamp;

use super::parts::SessionParts;
use super::policy::POLICY_WINDOW;
use crate::context::outlets::closed;
use crate::context::{TurnRequest, addressee_of, character_macros};
use crate::domain::{Author, ChannelMode, Feeling, InboundMessage, Place, Role, StoredTurn};
use crate::history::{NewTurn, RecentQuery, Visible, Warmth};
use crate::identity::caller_in;
use crate::processors::{CharacterView, PastThoughts, Scene, SceneLine, SceneReading, Trouble};
use crate::text::names::prompt_label;
use crate::world::{MoodSign, reaction_sign, signs};
use familiar_cards::macros::Moment;

/// Messages read for processors, those to be answered not counted (familiar-connect 1.8).
const RECENT_TURNS: u32 = 20;

/// The scene of one turn, as processors get it.
pub(super) fn scene_reading(parts: &Arc<SessionParts>, request: &TurnRequest) -> SceneReading {
    let (parts, request) = (Arc::clone(parts), request.clone());
    async move { read_scene(&parts, &request).await }.boxed().shared()
}

async fn read_scene(parts: &SessionParts, request: &TurnRequest) -> Result<Scene, Trouble> {
    let pending = u32::try_from(request.pending.len()).unwrap_or(u32::MAX);
    let visible = request.visible();
    let query = RecentQuery {
        mode: Some(request.channel.mode),
        max_turns: RECENT_TURNS.saturating_add(pending),
        until: request.as_of,
        encoding: request.model.encoding,
    };
    let failed = |error: crate::history::HistoryError| Trouble::Failed(error.to_string());
    let keep = parts.config.current().thinking.keep;
    let (turns, thoughts) = tokio::try_join!(
        parts.history.seen_by(&visible).recent(&request.place.channel, query),
        parts.history.seen_by(&visible).thoughts(&request.place, keep),
    )
    .map_err(failed)?;
    let character = character_in_short(parts, request);
    let is_pending = |turn: &StoredTurn| request.is_pending(turn.id);
    let mut turns: Vec<StoredTurn> = turns.into_iter().filter(|turn| !is_pending(turn)).collect();
    turns.extend(request.pending.iter().cloned());
    turns.sort_by_key(|turn| turn.ordinal);
    // What is being answered stands in this very place.
    let heard = turns.iter().filter(|turn| !is_pending(turn)).map(|turn| turn.audience.clone());
    let audience = Visible::circle_of(heard.chain([request.place.audience.clone()]), &request.place.audience);
    let lines = turns.into_iter().map(|turn| {
        let pending = is_pending(&turn);
        let who = match (&turn.author, turn.role) {
            (_, Role::Assistant) => character.name.clone(),
            (Some(author), _) => prompt_label(author.label()),
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

fn character_in_short(parts: &SessionParts, request: &TurnRequest) -> CharacterView {
    let character = parts.character.current();
    let config = parts.config.current();
    let user = addressee_of(request, &config.render.user_fallback);
    let moment = Moment::new(
        request.now.to_zoned(request.display_tz.clone()),
        request.turn.to_string(),
        request.place.channel.to_string(),
    );
    // What was called up for outlets is told in the prompt of the reply alone.
    let filled = |raw: &str| closed(character_macros(&character, &user, &moment, raw));
    CharacterView {
        name: character.spoken_name().to_owned(),
        description: filled(&character.description),
        personality: filled(&character.personality),
        scenario: filled(&character.scenario),
        examples: filled(&character.mes_example),
    }
}

/// The newest turns of a place, oldest first, as many as the policy looks back.
pub(super) async fn recent(parts: &SessionParts, place: &Place) -> Vec<StoredTurn> {
    recent_until(parts, place, None).await
}

/// The same of what was said up to a moment.
pub(super) async fn recent_until(
    parts: &SessionParts,
    place: &Place,
    until: Option<Timestamp>,
) -> Vec<StoredTurn> {
    let query = RecentQuery { mode: None, max_turns: POLICY_WINDOW, until, encoding: parts.encoding() };
    let here = Visible::at(place);
    parts.history.seen_by(&here).recent(&place.channel, query).await.unwrap_or_default()
}

/// Being away for longer than this makes coming back an event.
const LONG_ABSENCE: Duration = Duration::from_secs(7 * 24 * 3600);

/// A message that speaks to the familiar. A failure is logged; no reply fails for a mood.
pub(super) async fn taken_in(parts: &SessionParts, message: &InboundMessage, stored: &StoredTurn) {
    let id = message.message.as_ref();
    parts.world.wished(&message.place, &message.author, &message.text, id, message.at);
    if message.author.is_bot || !parts.config.current().affect.enabled {
        return;
    }
    let mut signs = signs(&message.text);
    if author_is_back(parts, message, stored).await {
        signs.push(MoodSign::Return);
    }
    feel(parts, &message.place, &message.author, &signs, message.at).await;
}

/// After a start: who spoke here before, and what they asked for in messages that the familiar answered before anybody else
/// spoke. Without the history nothing is known of before, and that is all.
pub(super) async fn remembered(parts: &SessionParts, place: &Place, recent: &[StoredTurn]) {
    let is_answered = |at: usize| {
        let mut after = recent[at + 1..].iter();
        after.find(|turn| turn.author != recent[at].author).is_some_and(|turn| turn.role == Role::Assistant)
    };
    let answered: Vec<usize> = (0..recent.len()).filter(|at| is_answered(*at)).collect();
    let rows = answered.iter().map(|at| recent[*at].id).collect();
    let messages = parts.history.seen_by(&Visible::at(place)).messages_of(rows).await.unwrap_or_default();
    for (at, turn) in recent.iter().enumerate() {
        let Some(author) = &turn.author else { continue };
        parts.world.spoke(place, author, turn.at);
        if answered.contains(&at) {
            parts.world.wished(place, author, &turn.content, messages.get(&turn.id), turn.at);
        }
    }
}

/// A reaction to one of the familiar's own messages.
pub(super) async fn reacted(parts: &SessionParts, place: &Place, who: &Author, emoji: &str) {
    if parts.config.current().affect.enabled
        && let Some(sign) = reaction_sign(emoji)
    {
        feel(parts, place, who, &[sign], parts.clock.now()).await;
    }
}

async fn author_is_back(parts: &SessionParts, message: &InboundMessage, stored: &StoredTurn) -> bool {
    let visible = Visible::at(&message.place);
    let known =
        parts.history.seen_by(&visible).acquaintance(&message.author.account, Some(stored.id), None).await;
    let last = known.ok().and_then(|known| known.last);
    last.and_then(|last| Duration::try_from(message.at.duration_since(last)).ok())
        .is_some_and(|gap| gap > LONG_ABSENCE)
}

/// It is moved by whoever it is; how warmly it thinks of them is remembered only of whom anything may be.
async fn feel(parts: &SessionParts, place: &Place, who: &Author, signs: &[MoodSign], at: Timestamp) {
    if signs.is_empty() {
        return;
    }
    let mood = signs.iter().fold(Feeling::default(), |sum, sign| sum.pushed(sign.on_mood()));
    let push = signs.iter().map(|sign| sign.on_warmth()).sum::<f64>().clamp(-0.2, 0.2);
    let config = parts.config.current();
    let leave = caller_in(&config, place, Some(who)).change(place.told_to());
    let warmth = leave.as_ref().map(|leave| Warmth { leave, by: &who.account, push });
    if let Err(error) = parts.history.moved(place.told_to(), mood, warmth, config.affect.half_life, at).await
    {
        tracing::warn!(%error, "a feeling could not be stored");
    }
}

/// A person's message: the words, then one line per attachment.
pub(super) fn said_with_attachments(message: &InboundMessage, mode: ChannelMode) -> NewTurn {
    // What a person says may be meant for more than those who are here: who paired, wants it known elsewhere too.
    let place = Place { audience: message.place.told_to().clone(), ..message.place.clone() };
    NewTurn {
        messages: message.message.clone().into_iter().collect(),
        reply_to: message.reply_to.clone(),
        modality: message.modality,
        ..NewTurn::written(place, Some(message.author.clone()), message.content(), message.at, mode)
    }
}
