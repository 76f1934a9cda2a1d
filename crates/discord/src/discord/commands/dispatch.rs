//! From an interaction to the command it names, and what its caller is told when that fails.
//!
//! Serenity's own types and no framework between: a framework with text commands reads every message for them, and says
//! in the log what it took for one. Start reading at [`run_command`].

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::FutureExt as _;
use serenity::all::{
    CommandDataOption, CommandDataOptionValue, CommandInteraction, CreateAutocompleteResponse,
    CreateInteractionResponse, PartialChannel,
};

use super::{
    CommandError, Deed, answer, branch, channel, context, defer, definitions, edit, ephemeral, forget,
    in_time, memory, pair, persona, privacy, profile, reminders, repair, reset, response, status,
    subscribe_my_voice, subscribe_text,
};
use crate::discord::adapter::{Adapter, Spot};
use crate::discord::messages::{self, Tongue};
use crate::domain::{AccountId, ChannelMode};

/// What a command is run with.
#[derive(Clone, Copy)]
pub(in crate::discord) struct Context<'a> {
    adapter: &'a Arc<Adapter>,
    pub discord: &'a serenity::all::Context,
    pub interaction: &'a CommandInteraction,
    /// Of the sub-command, where one was called.
    options: &'a [CommandDataOption],
    /// Whether Discord has had the first response, of which there is one.
    pub is_answered: &'a AtomicBool,
}

impl<'a> Context<'a> {
    pub(crate) fn data(self) -> &'a Arc<Adapter> {
        self.adapter
    }

    pub(crate) fn spot(self) -> Spot {
        self.deed().spot
    }

    /// As what is done with a button as well.
    pub(super) fn deed(self) -> Deed<'a> {
        Deed::called(self.adapter, self.discord, self.interaction)
    }

    pub(super) fn account(self) -> AccountId {
        self.deed().account()
    }

    /// The language of whoever called it, in which they are answered.
    pub(super) fn tongue(self) -> Tongue {
        self.deed().to
    }

    fn value(self, name: &str) -> Option<&'a CommandDataOptionValue> {
        self.options.iter().find(|option| option.name == name).map(|option| &option.value)
    }

    fn words(self, name: &str) -> Option<String> {
        self.value(name)?.as_str().map(ToOwned::to_owned)
    }

    fn number(self, name: &str) -> Option<u32> {
        self.value(name)?.as_i64()?.try_into().ok()
    }

    fn yes(self, name: &str) -> Option<bool> {
        self.value(name)?.as_bool()
    }

    /// A chosen channel, with what the caller may do in it.
    fn channel(self, name: &str) -> Option<&'a PartialChannel> {
        self.interaction.data.resolved.channels.get(&self.value(name)?.as_channel_id()?)
    }
}

/// The sub-command that was called, and the options it was called with.
fn sub_command(interaction: &CommandInteraction) -> (Option<&str>, &[CommandDataOption]) {
    let options = interaction.data.options.as_slice();
    match options {
        [CommandDataOption { name, value: CommandDataOptionValue::SubCommand(of_sub), .. }] => {
            (Some(name), of_sub)
        }
        _ => (None, options),
    }
}

/// Somebody called a command. Whatever becomes of it, the caller is answered.
pub(in crate::discord) async fn run_command(
    adapter: &Arc<Adapter>,
    discord: &serenity::all::Context,
    interaction: &CommandInteraction,
) {
    let (sub, options) = sub_command(interaction);
    let is_answered = AtomicBool::new(false);
    let ctx = Context { adapter, discord, interaction, options, is_answered: &is_answered };
    let command = interaction.data.name.as_str();
    let words = match AssertUnwindSafe(command_of(ctx, sub)).catch_unwind().await {
        Ok(Ok(())) => return,
        // The answer is the last thing that a command does. Telling its caller why it did not arrive would arrive as little.
        Ok(Err(error)) if error.is_too_late() => {
            tracing::warn!(
                command,
                "it took longer than Discord takes answers for: it is done, but not confirmed"
            );
            return;
        }
        Ok(Err(error)) => {
            tracing::warn!(command, %error, "command failed");
            error.words(ctx.tongue())
        }
        Err(_) => {
            tracing::error!(command, "command panicked");
            messages::command_broke(ctx.tongue())
        }
    };
    let told = if is_answered.load(Ordering::SeqCst) {
        edit(ctx, response(words)).await
    } else {
        in_time(interaction.create_response(discord, ephemeral(words))).await
    };
    if let Err(error) = told {
        tracing::warn!(%error, "the failure could not be told either");
    }
}

/// Carries a command out and answers it.
async fn command_of(ctx: Context<'_>, sub: Option<&str>) -> Result<(), CommandError> {
    let command = ctx.interaction.data.name.as_str();
    // A form can only be the first response.
    if command == "channel-backdrop" {
        return channel::channel_backdrop(ctx).await;
    }
    defer(ctx).await?;
    let answered = match (command, sub) {
        ("subscribe-text", None) => subscribe_text::subscribe_text(ctx, ctx.channel("channel")).await,
        ("unsubscribe-text", None) => subscribe_text::unsubscribe_text(ctx, ctx.channel("channel")).await,
        ("subscribe-my-voice", None) => {
            let every_call = ctx.yes("every_call") == Some(true);
            answer(subscribe_my_voice::call_in(ctx, ctx.yes("everybody"), every_call).await)
        }
        ("unsubscribe-voice", None) => answer(subscribe_my_voice::call_ended(ctx).await),
        ("quiet", None) => channel::quiet(ctx, ctx.number("minutes")).await,
        ("wake", None) => channel::wake(ctx).await,
        ("speak-first", None) => {
            channel::speak_first(ctx, ctx.yes("on") == Some(true), ctx.yes("newcomers")).await
        }
        ("channel-full-rp", None) => channel::mode(ctx, ChannelMode::FullRp).await,
        ("channel-text-conversation-rp", None) => channel::mode(ctx, ChannelMode::TextConversationRp).await,
        ("channel-imitate-voice", None) => channel::mode(ctx, ChannelMode::ImitateVoice).await,
        ("reset", None) => reset::reset(ctx).await,
        ("memory", None) => memory::memory(ctx, ctx.words("about")).await,
        ("reminders", None) => reminders::reminders(ctx).await,
        ("forget", Some("me")) => forget::me(ctx).await,
        ("forget", Some("what")) => forget::what(ctx, ctx.words("words").unwrap_or_default()).await,
        ("forget", Some("undo")) => forget::undo(ctx).await,
        ("privacy", None) => privacy::privacy(ctx).await,
        ("context", None) => context::context(ctx, ctx.words("turn"), ctx.words("why")).await,
        ("lore", Some("why")) => context::lore_why(ctx, ctx.words("entry")).await,
        ("greet", None) => status::greet(ctx, ctx.number("number")).await,
        ("pair", None) => pair::pair(ctx, ctx.words("code")).await,
        ("pair-past", None) => pair::pair_past(ctx).await,
        ("unpair", None) => pair::unpair(ctx).await,
        ("persona", Some("set")) => {
            persona::set(ctx, ctx.words("name"), ctx.words("description"), ctx.yes("everywhere")).await
        }
        ("persona", Some("show")) => persona::show(ctx).await,
        ("persona", Some("clear")) => persona::clear(ctx, ctx.yes("everywhere")).await,
        ("profile", Some("picture")) => profile::card_picture(ctx).await,
        ("profile", Some("name")) => profile::name(ctx).await,
        ("profile", Some("nickname")) => profile::nickname(ctx, ctx.words("name")).await,
        ("status", None) => status::status_command(ctx).await,
        ("help", None) => status::help_command(ctx),
        ("branch", None) => branch::branch(ctx, ctx.words("name")).await,
        (definitions::BRANCH, None) => branch::branch(ctx, None).await,
        (definitions::REPAIR, None) => repair::repair(ctx).await,
        // Registered by an earlier version, and still shown by a client that has not looked again.
        _ => Err(CommandError::Unknown),
    };
    edit(ctx, answered?).await
}

/// Somebody types into an option that offers choices.
pub(in crate::discord) async fn complete(
    adapter: &Arc<Adapter>,
    discord: &serenity::all::Context,
    interaction: &CommandInteraction,
) {
    let (sub, options) = sub_command(interaction);
    let Some(typed) = interaction.data.autocomplete() else { return };
    let ctx = Context { adapter, discord, interaction, options, is_answered: &AtomicBool::new(false) };
    let choices = match (interaction.data.name.as_str(), sub, typed.name) {
        ("context", None, "turn") => context::own_turns(ctx, typed.value).await,
        ("lore", Some("why"), "entry") => context::entries(ctx, typed.value).await,
        ("greet", None, "number") => status::beginnings(ctx, typed.value),
        _ => CreateAutocompleteResponse::new(),
    };
    let choices = CreateInteractionResponse::Autocomplete(choices);
    if let Err(error) = in_time(interaction.create_response(discord, choices)).await {
        tracing::warn!(%error, "choices not offered");
    }
}
