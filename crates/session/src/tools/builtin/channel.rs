//! What can be done in a channel: under its messages, with its people, and in the server's calls. Start reading at [`acts`].

use std::sync::Arc;

use async_trait::async_trait;
use futures::future::{BoxFuture, FutureExt as _, ready};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::found::message_meant;
use super::{REACT, asker};
use crate::domain::{Place, PlaceKind};
use crate::history::History;
use crate::text::short::one_line;
use crate::tools::actions::{
    POLL_ANSWER_CHARS, POLL_HOURS, POLL_QUESTION_CHARS, PlaceAction, PlaceActions, THREAD_NAME_CHARS,
};
use crate::tools::proposed::Proposed;
use crate::tools::tool::{AnyTool, Effect, NoArguments, Shelf, Tool, ToolContext, ToolEntry, ToolError, any};

/// How long a poll is open where nothing else is said, in hours.
const USUAL_HOURS: u16 = 24;

/// All of them, in the order they are offered.
pub(super) fn acts(history: &Arc<History>) -> Vec<Arc<dyn AnyTool>> {
    let own = |name, shelf, effect, words| ToolEntry::new(name, shelf, words).effect(effect).in_own_words();
    let here = |name, effect, words| own(name, Shelf::Channel, effect, words);
    vec![
        action_tool(
            history,
            here(
                REACT,
                Effect::Acts,
                "Puts an emoji under a message. Where that is answer enough, write nothing behind it.",
            ),
            has_messages,
            |given, history, context| react(given, history, context).boxed(),
        ),
        action_tool(
            history,
            here("poll", Effect::Reaches, "Opens a poll in this channel."),
            has_messages,
            |given: &PollAsked, _, _| ready(Ok(given.planned())).boxed(),
        ),
        action_tool(
            history,
            here("pin", Effect::Reaches, "Pins a message, so that everybody finds it."),
            has_messages,
            |given, history, context| pin(given, history, context).boxed(),
        ),
        action_tool(
            history,
            here("thread", Effect::Reaches, "Opens a thread in this channel, which you read too."),
            |place| place.kind == PlaceKind::GuildText,
            |given, history, context| thread(given, history, context).boxed(),
        ),
        // Shows how to have things forgotten: a model forgets nothing.
        action_tool(
            history,
            own(
                "forget",
                Shelf::Memory,
                Effect::Acts,
                "Shows a button by which people have what they said forgotten. You cannot forget anything yourself.",
            ),
            has_messages,
            |_: &NoArguments, _, _| planned(PlaceAction::OfferToForget, Proposed::OfferToForget),
        ),
        // It hears whoever asks there, for which their own word is needed, whatever the settings say of asking.
        action_tool(
            history,
            here("join_voice", Effect::Reaches, "Comes into the voice call of whoever asks, and hears them.")
                .always_asks(),
            |place| place.kind.is_in_guild(),
            |_: &NoArguments, _, _| planned(PlaceAction::JoinCall, Proposed::JoinCall),
        ),
        action_tool(
            history,
            here("leave_voice", Effect::Acts, "Leaves the voice call that whoever asks called you into."),
            |place| place.kind.is_in_guild(),
            |_: &NoArguments, _, _| planned(PlaceAction::LeaveCall, Proposed::LeaveCall),
        ),
        // Where there is none of that name it tells how people called theirs, so it is not in its own words.
        action_tool(
            history,
            ToolEntry::new(
                "play_sound",
                Shelf::Play,
                "Plays one of the server's soundboard sounds in the call that you are in with whoever asks.",
            )
            .effect(Effect::Reaches),
            |place| place.kind.is_in_guild(),
            |given: &Sound, _, _| {
                let proposed = Proposed::PlaySound(one_line(&given.name));
                planned(PlaceAction::PlaySound { name: given.name.clone() }, proposed)
            },
        ),
    ]
}

/// What is to be done, and how whoever has to confirm it is asked.
type Planned = Result<(PlaceAction, Proposed), ToolError>;

/// What a call comes to.
type Plan<A> = for<'a> fn(&'a A, &'a History, &'a ToolContext) -> BoxFuture<'a, Planned>;

/// A tool by which something is done in a place.
#[derive(Debug)]
struct Act<A> {
    history: Arc<History>,
    entry: ToolEntry,
    is_for: fn(&Place) -> bool,
    plan: Plan<A>,
}

fn action_tool<A>(
    history: &Arc<History>,
    entry: ToolEntry,
    is_for: fn(&Place) -> bool,
    plan: Plan<A>,
) -> Arc<dyn AnyTool>
where
    A: DeserializeOwned + JsonSchema + Send + Sync + std::fmt::Debug + 'static,
{
    any(Act { history: Arc::clone(history), entry, is_for, plan })
}

fn planned<'a>(action: PlaceAction, proposed: Proposed) -> BoxFuture<'a, Planned> {
    ready(Ok((action, proposed))).boxed()
}

#[async_trait]
impl<A> Tool for Act<A>
where
    A: DeserializeOwned + JsonSchema + Send + Sync + std::fmt::Debug + 'static,
{
    type Arguments = A;

    fn entry(&self) -> ToolEntry {
        self.entry.clone()
    }

    fn is_for(&self, place: &Place) -> bool {
        (self.is_for)(place)
    }

    async fn proposed(&self, given: &A, context: &ToolContext) -> Result<Option<Proposed>, ToolError> {
        let (action, proposed) = (self.plan)(given, &self.history, context).await?;
        actions(context)?.may(&context.place, asker(context)?, &action).await?;
        Ok(Some(proposed))
    }

    async fn run(&self, given: A, context: &ToolContext) -> Result<String, ToolError> {
        let (action, _) = (self.plan)(&given, &self.history, context).await?;
        actions(context)?.act(&context.place, asker(context)?, action).await
    }
}

fn actions(context: &ToolContext) -> Result<&dyn PlaceActions, ToolError> {
    let nothing = || ToolError::Broken("nothing can be done in this place but talk".to_owned());
    context.actions.as_deref().ok_or_else(nothing)
}

/// Whether a place is on a platform where more can be done than talk.
fn has_messages(place: &Place) -> bool {
    place.kind != PlaceKind::Terminal
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReactArguments {
    /// Itself, or :name: of one of the server's own.
    emoji: String,
    /// Another message than the one you answer: its t: number.
    message: Option<String>,
}

async fn react(given: &ReactArguments, history: &History, context: &ToolContext) -> Planned {
    let meant = message_meant(history, given.message.as_deref(), context).await?;
    let proposed = Proposed::React { emoji: one_line(&given.emoji), under: meant.for_asker(context) };
    Ok((PlaceAction::React { message: meant.message, emoji: given.emoji.clone() }, proposed))
}

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
    fn planned(&self) -> (PlaceAction, Proposed) {
        let Self { question, answers, hours, several } = self;
        let (hours, several) = (hours.unwrap_or(USUAL_HOURS), several.unwrap_or_default());
        let (question, answers) = (question.clone(), answers.clone());
        let proposed =
            Proposed::Poll { hours, question: question.clone(), answers: answers.clone(), several };
        (PlaceAction::Poll { question, answers, hours, several }, proposed)
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WhichMessage {
    /// Another message than the one you answer: its t: number.
    message: Option<String>,
}

async fn pin(given: &WhichMessage, history: &History, context: &ToolContext) -> Planned {
    let meant = message_meant(history, given.message.as_deref(), context).await?;
    let proposed = Proposed::Pin(meant.for_asker(context));
    Ok((PlaceAction::Pin { message: meant.message }, proposed))
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewThread {
    #[schemars(length(min = 1, max = THREAD_NAME_CHARS))]
    name: String,
    /// Under which message: its t: number, or "this" for the one you answer. Left out, it stands by itself.
    under: Option<String>,
}

async fn thread(given: &NewThread, history: &History, context: &ToolContext) -> Planned {
    let meant = match given.under.as_deref().map(str::trim).filter(|under| !under.is_empty()) {
        None => None,
        Some(under) => {
            Some(message_meant(history, Some(under).filter(|under| *under != "this"), context).await?)
        }
    };
    let under = meant.as_ref().map(|meant| meant.for_asker(context));
    let proposed = Proposed::Thread { name: one_line(&given.name), under };
    Ok((PlaceAction::Thread { from: meant.map(|meant| meant.message), name: given.name.clone() }, proposed))
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Sound {
    /// What the server calls it.
    name: String,
}
