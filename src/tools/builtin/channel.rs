//! What can be done in a channel: under its messages, with its people, and in the server's calls.

use std::sync::Arc;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;

use super::asker;
use super::found::{TargetMessage, message_meant};
use crate::domain::{Place, PlaceKind};
use crate::history::History;
use crate::text::short::one_line;
use crate::tools::actions::{
    POLL_ANSWER_CHARS, POLL_HOURS, POLL_QUESTION_CHARS, PlaceAction, PlaceActions, THREAD_NAME_CHARS,
};
use crate::tools::tool::{Effect, NoArguments, Shelf, Tool, ToolContext, ToolEntry, ToolError};

/// How long a poll is open where nothing else is said, in hours.
const USUAL_HOURS: u16 = 24;

fn actions(context: &ToolContext) -> Result<&dyn PlaceActions, ToolError> {
    let nothing = || ToolError::Broken("nothing can be done in this place but talk".to_owned());
    context.actions.as_deref().ok_or_else(nothing)
}

/// Whether a place is on a platform where more can be done than talk.
fn has_messages(place: &Place) -> bool {
    place.kind != PlaceKind::Terminal
}

async fn may(context: &ToolContext, action: &PlaceAction) -> Result<(), ToolError> {
    actions(context)?.may(&context.place, asker(context)?, action).await
}

async fn act(context: &ToolContext, action: PlaceAction) -> Result<String, ToolError> {
    actions(context)?.act(&context.place, asker(context)?, action).await
}

/// Puts an emoji under a message.
#[derive(Debug)]
pub(super) struct React(pub(super) Arc<History>);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReactArguments {
    /// Itself, or :name: of one of the server's own.
    emoji: String,
    /// Another message than the one you answer: its t: number.
    message: Option<String>,
}

impl React {
    async fn action(
        &self,
        given: &ReactArguments,
        context: &ToolContext,
    ) -> Result<(PlaceAction, TargetMessage), ToolError> {
        let meant = message_meant(&self.0, given.message.as_deref(), context).await?;
        Ok((PlaceAction::React { message: meant.message.clone(), emoji: given.emoji.clone() }, meant))
    }
}

#[async_trait]
impl Tool for React {
    type Arguments = ReactArguments;

    fn entry(&self) -> ToolEntry {
        ToolEntry::new("react", Shelf::Channel, "Puts an emoji under a message.")
            .effect(Effect::Acts)
            .in_own_words()
    }

    fn is_for(&self, place: &Place) -> bool {
        has_messages(place)
    }

    async fn proposed(
        &self,
        given: &ReactArguments,
        context: &ToolContext,
    ) -> Result<Option<String>, ToolError> {
        let (action, meant) = self.action(given, context).await?;
        may(context, &action).await?;
        Ok(Some(format!("put {} under {}", one_line(&given.emoji), meant.in_words(context))))
    }

    async fn run(&self, given: ReactArguments, context: &ToolContext) -> Result<String, ToolError> {
        let (action, _) = self.action(&given, context).await?;
        act(context, action).await
    }
}

/// Asks everybody in the channel.
#[derive(Debug)]
pub(super) struct Poll;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PollAsked {
    #[schemars(length(min = 1, max = POLL_QUESTION_CHARS))]
    question: String,
    #[schemars(length(min = 2, max = 10), inner(length(min = 1, max = POLL_ANSWER_CHARS)))]
    answers: Vec<String>,
    /// How long it is open, a day unless said otherwise.
    #[schemars(range(min = *POLL_HOURS.start(), max = *POLL_HOURS.end()))]
    hours: Option<u16>,
    /// Whether one may give several answers.
    several: Option<bool>,
}

impl PollAsked {
    fn hours(&self) -> u16 {
        self.hours.unwrap_or(USUAL_HOURS)
    }

    fn action(&self) -> PlaceAction {
        PlaceAction::Poll {
            question: self.question.clone(),
            answers: self.answers.clone(),
            hours: self.hours(),
            several: self.several.unwrap_or_default(),
        }
    }
}

#[async_trait]
impl Tool for Poll {
    type Arguments = PollAsked;

    fn entry(&self) -> ToolEntry {
        ToolEntry::new("poll", Shelf::Channel, "Opens a poll in this channel.")
            .effect(Effect::Reaches)
            .in_own_words()
    }

    fn is_for(&self, place: &Place) -> bool {
        has_messages(place)
    }

    async fn proposed(&self, given: &PollAsked, context: &ToolContext) -> Result<Option<String>, ToolError> {
        may(context, &given.action()).await?;
        let answers = given.answers.join(" / ");
        let several = if given.several == Some(true) { ", of which people may choose several" } else { "" };
        Ok(Some(format!("open a poll for {} h: “{}” ({answers}{several})", given.hours(), given.question)))
    }

    async fn run(&self, given: PollAsked, context: &ToolContext) -> Result<String, ToolError> {
        act(context, given.action()).await
    }
}

/// Pins a message.
#[derive(Debug)]
pub(super) struct Pin(pub(super) Arc<History>);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WhichMessage {
    /// Another message than the one you answer: its t: number.
    message: Option<String>,
}

#[async_trait]
impl Tool for Pin {
    type Arguments = WhichMessage;

    fn entry(&self) -> ToolEntry {
        ToolEntry::new("pin", Shelf::Channel, "Pins a message, so that everybody finds it.")
            .effect(Effect::Reaches)
            .in_own_words()
    }

    fn is_for(&self, place: &Place) -> bool {
        has_messages(place)
    }

    async fn proposed(
        &self,
        given: &WhichMessage,
        context: &ToolContext,
    ) -> Result<Option<String>, ToolError> {
        let meant = message_meant(&self.0, given.message.as_deref(), context).await?;
        may(context, &PlaceAction::Pin { message: meant.message.clone() }).await?;
        Ok(Some(format!("pin {}", meant.in_words(context))))
    }

    async fn run(&self, given: WhichMessage, context: &ToolContext) -> Result<String, ToolError> {
        let message = message_meant(&self.0, given.message.as_deref(), context).await?.message;
        act(context, PlaceAction::Pin { message }).await
    }
}

/// Opens a thread.
#[derive(Debug)]
pub(super) struct Thread(pub(super) Arc<History>);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewThread {
    #[schemars(length(min = 1, max = THREAD_NAME_CHARS))]
    name: String,
    /// Under which message: its t: number, or "this" for the one you answer. Left out, it stands by itself.
    under: Option<String>,
}

impl Thread {
    async fn action(
        &self,
        given: &NewThread,
        context: &ToolContext,
    ) -> Result<(PlaceAction, Option<TargetMessage>), ToolError> {
        let meant = match given.under.as_deref().map(str::trim).filter(|under| !under.is_empty()) {
            None => None,
            Some("this") => Some(message_meant(&self.0, None, context).await?),
            Some(reference) => Some(message_meant(&self.0, Some(reference), context).await?),
        };
        let from = meant.as_ref().map(|meant| meant.message.clone());
        Ok((PlaceAction::Thread { from, name: given.name.clone() }, meant))
    }
}

#[async_trait]
impl Tool for Thread {
    type Arguments = NewThread;

    fn entry(&self) -> ToolEntry {
        ToolEntry::new("thread", Shelf::Channel, "Opens a thread in this channel, which you read too.")
            .effect(Effect::Reaches)
            .in_own_words()
    }

    fn is_for(&self, place: &Place) -> bool {
        place.kind == PlaceKind::GuildText
    }

    async fn proposed(&self, given: &NewThread, context: &ToolContext) -> Result<Option<String>, ToolError> {
        let (action, meant) = self.action(given, context).await?;
        may(context, &action).await?;
        let under = meant.map(|meant| format!(" under {}", meant.in_words(context))).unwrap_or_default();
        Ok(Some(format!("open the thread “{}”{under}", one_line(&given.name))))
    }

    async fn run(&self, given: NewThread, context: &ToolContext) -> Result<String, ToolError> {
        let (action, _) = self.action(&given, context).await?;
        act(context, action).await
    }
}

/// Shows how to have things forgotten: a model forgets nothing.
#[derive(Debug)]
pub(super) struct ForgetButton;

#[async_trait]
impl Tool for ForgetButton {
    type Arguments = NoArguments;

    fn entry(&self) -> ToolEntry {
        ToolEntry::new(
            "forget",
            Shelf::Memory,
            "Shows a button by which people have what they said forgotten. You cannot forget anything yourself.",
        )
        .effect(Effect::Acts)
        .in_own_words()
    }

    fn is_for(&self, place: &Place) -> bool {
        has_messages(place)
    }

    async fn proposed(&self, _: &NoArguments, context: &ToolContext) -> Result<Option<String>, ToolError> {
        may(context, &PlaceAction::OfferToForget).await?;
        Ok(Some("show a button that forgets what people said".to_owned()))
    }

    async fn run(&self, _: NoArguments, context: &ToolContext) -> Result<String, ToolError> {
        act(context, PlaceAction::OfferToForget).await
    }
}

/// Comes into the call of whoever asks. It hears them there, for which their own word is needed, whatever the settings say
/// of asking.
#[derive(Debug)]
pub(super) struct JoinVoice;

#[async_trait]
impl Tool for JoinVoice {
    type Arguments = NoArguments;

    fn entry(&self) -> ToolEntry {
        ToolEntry::new(
            "join_voice",
            Shelf::Channel,
            "Comes into the voice call of whoever asks, and hears them.",
        )
        .effect(Effect::Reaches)
        .in_own_words()
        .always_asks()
    }

    fn is_for(&self, place: &Place) -> bool {
        place.kind.is_in_guild()
    }

    async fn proposed(&self, _: &NoArguments, context: &ToolContext) -> Result<Option<String>, ToolError> {
        may(context, &PlaceAction::JoinCall).await?;
        Ok(Some("come into your call and listen to you there".to_owned()))
    }

    async fn run(&self, _: NoArguments, context: &ToolContext) -> Result<String, ToolError> {
        act(context, PlaceAction::JoinCall).await
    }
}

/// Leaves the call that whoever asks called it into.
#[derive(Debug)]
pub(super) struct LeaveVoice;

#[async_trait]
impl Tool for LeaveVoice {
    type Arguments = NoArguments;

    fn entry(&self) -> ToolEntry {
        ToolEntry::new(
            "leave_voice",
            Shelf::Channel,
            "Leaves the voice call that whoever asks called you into.",
        )
        .effect(Effect::Acts)
        .in_own_words()
    }

    fn is_for(&self, place: &Place) -> bool {
        place.kind.is_in_guild()
    }

    async fn proposed(&self, _: &NoArguments, context: &ToolContext) -> Result<Option<String>, ToolError> {
        may(context, &PlaceAction::LeaveCall).await?;
        Ok(Some("leave the call".to_owned()))
    }

    async fn run(&self, _: NoArguments, context: &ToolContext) -> Result<String, ToolError> {
        act(context, PlaceAction::LeaveCall).await
    }
}

/// Plays one of the server's sounds in the call.
#[derive(Debug)]
pub(super) struct PlaySound;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Sound {
    /// What the server calls it.
    name: String,
}

#[async_trait]
impl Tool for PlaySound {
    type Arguments = Sound;

    fn entry(&self) -> ToolEntry {
        // Where there is none of that name it tells how people called theirs.
        ToolEntry::new(
            "play_sound",
            Shelf::Play,
            "Plays one of the server's soundboard sounds in the call that you are in with whoever asks.",
        )
        .effect(Effect::Reaches)
    }

    fn is_for(&self, place: &Place) -> bool {
        place.kind.is_in_guild()
    }

    async fn proposed(&self, given: &Sound, context: &ToolContext) -> Result<Option<String>, ToolError> {
        may(context, &PlaceAction::PlaySound { name: given.name.clone() }).await?;
        Ok(Some(format!("play the sound “{}” in the call", one_line(&given.name))))
    }

    async fn run(&self, given: Sound, context: &ToolContext) -> Result<String, ToolError> {
        act(context, PlaceAction::PlaySound { name: given.name }).await
    }
}
