//! The slash commands, one file each.
//!
//! Owns registering them, answering (always ephemeral, always deferred first, so that Discord's three seconds cannot
//! run out) and what happens when one fails. Words come from `messages`. Start reading at [`run_command`].
//!
//! Commands are registered in every guild, because there they appear at once, and those that make sense with one
//! person are registered globally for DMs only. Who may use the admin ones is decided by Discord: Manage Channels by
//! default, and a server's own integration settings beyond that.

mod branch;
mod channel;
mod confirm;
mod context;
mod definitions;
mod dispatch;
mod forget;
mod memory;
mod pair;
mod persona;
mod privacy;
mod profile;
mod reminders;
mod repair;
mod reset;
mod status;
mod subscribe_my_voice;
mod subscribe_text;

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt as _};
use serenity::all::{
    ActionRowComponent, ChannelId, Command as RegisteredCommand, CommandInteraction, ComponentInteraction,
    ComponentInteractionDataKind, CreateActionRow, CreateAllowedMentions, CreateInputText,
    CreateInteractionResponse, CreateInteractionResponseMessage, CreateModal, EditInteractionResponse,
    GuildChannel, GuildId, HttpError, Interaction, Member, ModalInteraction, PartialChannel, Permissions,
};
use tokio::time::timeout;

pub(super) use dispatch::{Context, complete, run_command};

use super::access::is_for_everybody;
use super::adapter::{Adapter, Spot};
use super::how_to_forget;
use super::messages::{self, Tongue};
use super::standing::Standing;
use crate::config::{ConfigError, LiveConfig};
use crate::domain::{AccountId, Place, Visible};
use crate::erase::EraseError;
use crate::history::HistoryError;
use crate::identity::PairingError;
use crate::memory::forget::FactFound;
use crate::memory::store::StoreError;
use crate::text::short::{one_line, shortened};
use crate::trace::TraceError;

/// Choices Discord shows at most.
const CHOICES: usize = 25;

/// The language of whoever did something, of whom Discord says which locale their client is in; English where the program does
/// not speak it.
fn tongue_of(locale: &str) -> Tongue {
    Tongue::of_locale(locale).unwrap_or_default()
}

/// Longest wait for Discord to take one answer.
const ANSWER_DEADLINE: Duration = Duration::from_secs(20);

/// Why a command failed. The person reads one sentence, the log the whole.
#[derive(Debug, thiserror::Error)]
pub(super) enum CommandError {
    #[error("Discord did not take the answer: {0}")]
    Discord(Box<serenity::Error>),
    #[error("Discord did not take the answer in time")]
    Late,
    #[error("the settings could not be saved: {0}")]
    Settings(#[from] ConfigError),
    #[error("the record of that turn could not be read: {0}")]
    Trace(#[from] TraceError),
    #[error("what was said could not be searched: {0}")]
    History(#[from] HistoryError),
    #[error("it could not be forgotten: {0}")]
    Forget(#[from] EraseError),
    #[error("the notes could not be read: {0}")]
    Notes(#[from] StoreError),
    #[error("what is paired could not be kept: {0}")]
    Pairing(#[from] PairingError),
    #[error("a task broke off: {0}")]
    BrokeOff(#[from] tokio::task::JoinError),
    #[error("there is no such command")]
    Unknown,
}

impl From<serenity::Error> for CommandError {
    fn from(error: serenity::Error) -> Self {
        Self::Discord(Box::new(error))
    }
}

/// Discord's error code for an interaction that it takes no more answers to: a quarter of an hour after it.
const TOO_LATE: isize = 50_027;

impl CommandError {
    fn is_too_late(&self) -> bool {
        let Self::Discord(error) = self else { return false };
        matches!(&**error, serenity::Error::Http(HttpError::UnsuccessfulRequest(response))
            if response.error.code == TOO_LATE)
    }

    /// What the person may read of it: no paths, no addresses.
    fn words(&self, to: Tongue) -> String {
        let what = match self {
            Self::Settings(error) => messages::failed_settings(to, error.unwritable()),
            Self::History(_) => messages::failed_history(to),
            Self::Pairing(_) => messages::failed_pairing(to),
            Self::Trace(_) => messages::failed_trace(to),
            Self::Forget(_) => messages::failed_forget(to),
            Self::Notes(_) => messages::failed_notes(to),
            Self::Discord(_) | Self::Late | Self::BrokeOff(_) | Self::Unknown => {
                return messages::command_broke(to);
            }
        };
        messages::command_failed(to, &what)
    }
}

/// Registers the commands in a guild, once per run of the program.
pub(super) async fn register_in(adapter: &Adapter, ctx: &serenity::all::Context, guild: GuildId) {
    if !adapter.register_now(guild) {
        return;
    }
    let commands = definitions::all_commands();
    if let Err(error) = in_time(guild.set_commands(&ctx.http, commands)).await {
        adapter.register_again(guild);
        tracing::warn!(%guild, %error, "slash commands not registered");
    }
}

/// Registers the commands that work in DMs; bulk registration is idempotent, so a reconnection may repeat it.
pub(super) async fn register_for_dms(ctx: &serenity::all::Context) {
    if let Err(error) =
        in_time(RegisteredCommand::set_global_commands(&ctx.http, definitions::for_dms())).await
    {
        tracing::warn!(%error, "slash commands for direct messages not registered");
    }
}

async fn in_time<T>(call: impl Future<Output = serenity::Result<T>>) -> Result<T, CommandError> {
    Ok(timeout(ANSWER_DEADLINE, call).await.map_err(|_| CommandError::Late)??)
}

/// Tells Discord that an answer will come, seen only by the caller.
async fn defer(ctx: Context<'_>) -> Result<(), CommandError> {
    in_time(ctx.interaction.defer_ephemeral(&ctx.discord.http)).await?;
    ctx.is_answered.store(true, Ordering::SeqCst);
    Ok(())
}

/// What whoever called a command is answered.
type Answered = Result<EditInteractionResponse, CommandError>;

fn answer(words: String) -> Answered {
    Ok(response(words))
}

fn response(words: String) -> EditInteractionResponse {
    EditInteractionResponse::new()
        .content(words)
        .allowed_mentions(CreateAllowedMentions::new().replied_user(false))
}

/// Answers a deferred command.
async fn edit(ctx: Context<'_>, response: EditInteractionResponse) -> Result<(), CommandError> {
    in_time(ctx.interaction.edit_response(ctx.discord, response)).await.map(drop)
}

/// A form with one field, as the first response to an interaction.
fn form(id: String, title: String, field: CreateInputText) -> CreateInteractionResponse {
    let rows = vec![CreateActionRow::InputText(field)];
    CreateInteractionResponse::Modal(CreateModal::new(id, title).components(rows))
}

/// An answer that only its caller sees, as the first response to an interaction.
fn ephemeral(words: String) -> CreateInteractionResponse {
    CreateInteractionResponse::Message(
        CreateInteractionResponseMessage::new()
            .content(words)
            .ephemeral(true)
            .allowed_mentions(CreateAllowedMentions::new().replied_user(false)),
    )
}

/// Whether the settings let somebody do this here; otherwise they are told.
pub(super) async fn is_let_in(
    adapter: &Adapter,
    ctx: &serenity::all::Context,
    interaction: &Interaction,
) -> bool {
    let deed = match interaction {
        Interaction::Command(one) | Interaction::Autocomplete(one) => Deed::called(adapter, ctx, one),
        Interaction::Component(one) => Deed::pressed(adapter, ctx, one),
        Interaction::Modal(one) => Deed::submitted(adapter, ctx, one),
        _ => return true,
    };
    if is_for_everybody(deed.id) {
        return true;
    }
    let spot = deed.spot;
    let is_open = adapter.is_open_at(&ctx.cache, spot);
    let roles = deed.member.map(|member| member.roles.as_slice());
    if is_open && adapter.lets_in(&ctx.cache, spot.guild, spot.user, roles).await {
        return true;
    }
    let told = ephemeral(messages::not_let_in(deed.to, &adapter.name()));
    let answered = match interaction {
        Interaction::Command(one) => in_time(one.create_response(&ctx.http, told)).await,
        Interaction::Component(one) => in_time(one.create_response(&ctx.http, told)).await,
        Interaction::Modal(one) => in_time(one.create_response(&ctx.http, told)).await,
        _ => Ok(()),
    };
    if let Err(error) = answered {
        tracing::debug!(%error, "who is not let in could not be told");
    }
    false
}

/// What somebody did: called a command, pressed a button, chose something or submitted a form.
#[derive(Clone, Copy)]
struct Deed<'a> {
    adapter: &'a Adapter,
    discord: &'a serenity::all::Context,
    spot: Spot,
    member: Option<&'a Member>,
    /// The language in which they are answered.
    to: Tongue,
    /// Of the button, the choice or the form; a command's name.
    id: &'a str,
    /// What was chosen, or written into the form; may be nothing.
    given: &'a str,
}

impl<'a> Deed<'a> {
    fn called(
        adapter: &'a Adapter,
        discord: &'a serenity::all::Context,
        command: &'a CommandInteraction,
    ) -> Self {
        Self {
            adapter,
            discord,
            spot: Spot { guild: command.guild_id, channel: command.channel_id, user: command.user.id },
            member: command.member.as_deref(),
            to: tongue_of(&command.locale),
            id: &command.data.name,
            given: "",
        }
    }

    fn pressed(
        adapter: &'a Adapter,
        discord: &'a serenity::all::Context,
        used: &'a ComponentInteraction,
    ) -> Self {
        let given = match &used.data.kind {
            ComponentInteractionDataKind::StringSelect { values } => values.first().map(String::as_str),
            _ => None,
        };
        Self {
            adapter,
            discord,
            spot: Spot { guild: used.guild_id, channel: used.channel_id, user: used.user.id },
            member: used.member.as_ref(),
            to: tongue_of(&used.locale),
            id: &used.data.custom_id,
            given: given.unwrap_or_default(),
        }
    }

    fn submitted(
        adapter: &'a Adapter,
        discord: &'a serenity::all::Context,
        modal: &'a ModalInteraction,
    ) -> Self {
        Self {
            adapter,
            discord,
            spot: Spot { guild: modal.guild_id, channel: modal.channel_id, user: modal.user.id },
            member: modal.member.as_ref(),
            to: tongue_of(&modal.locale),
            id: &modal.data.custom_id,
            given: field(modal),
        }
    }

    fn account(self) -> AccountId {
        AccountId::discord(self.spot.user.get())
    }

    async fn place(self) -> Place {
        self.adapter.place_of(self.discord, self.spot).await
    }

    /// The same as far as it is known without asking Discord.
    fn known_place(self) -> Place {
        match self.spot.guild {
            Some(guild) => self.adapter.known_place(&self.discord.cache, guild, self.spot.channel),
            None => super::intake::dm_place(self.spot.channel, self.spot.user),
        }
    }

    /// Whether they manage the channel they are in, as Discord says with whatever they do there.
    fn manages(self) -> bool {
        let permissions = self.member.and_then(|member| member.permissions);
        permissions.is_some_and(|permissions| permissions.contains(Permissions::MANAGE_CHANNELS))
    }

    /// Whether what was said or learnt in a place is theirs to change.
    fn may_change(self, place: &Place) -> bool {
        place.is_one_to_one() || self.manages()
    }
}

/// Somebody pressed a button or chose something under one of our answers, or under a notice about a call.
pub(super) async fn component_used(
    adapter: &Adapter,
    ctx: &serenity::all::Context,
    used: &ComponentInteraction,
) {
    let deed = Deed::pressed(adapter, ctx, used);
    let id = deed.id;
    // A form can only be the first response.
    let at_once = if let Some(agrees) = super::voice::consent_of(id) {
        Some(Ok(ephemeral(subscribe_my_voice::consents(deed, agrees).await)))
    } else if let Some(press) = super::questions::press_of(id) {
        Some(Ok(confirm::pressed(deed, press)))
    } else if let Some(fact) = id.strip_prefix(memory::CORRECT) {
        Some(memory::correcting(deed, fact).await)
    } else if let Some(message) = id.strip_prefix(repair::WORDS) {
        Some(repair::rewording(deed, message).await)
    } else {
        None
    };
    if let Some(answer) = at_once {
        let told = match answer {
            Ok(answer) => in_time(used.create_response(&ctx.http, answer)).await,
            Err(error) => Err(error),
        };
        if let Err(error) = told {
            tracing::warn!(%error, "a button was not answered");
        }
        return;
    }
    // None of these begins before it is waited for.
    let doing: BoxFuture<'_, Answered> = match id {
        how_to_forget::ASK => forget::asked_under(deed).boxed(),
        _ if id.starts_with(forget::PREFIX) => forget::pressed(deed).boxed(),
        _ if id.starts_with(pair::PREFIX) => pair::pressed(deed).boxed(),
        _ if id.starts_with(reset::PREFIX) => reset::pressed(deed).boxed(),
        _ if id.starts_with(repair::PREFIX) => repair::pressed(deed).boxed(),
        _ if id.starts_with(privacy::PREFIX) => privacy::pressed(deed).boxed(),
        _ if id.starts_with(memory::PREFIX) => memory::picked(deed).boxed(),
        reminders::PICK => reminders::picked(deed).boxed(),
        _ => return,
    };
    // What it stands under may be everybody's to read: then the answer is a message of its own, and theirs alone.
    let acknowledged = match id {
        how_to_forget::ASK => in_time(used.defer_ephemeral(&ctx.http)).await,
        _ => in_time(used.create_response(&ctx.http, CreateInteractionResponse::Acknowledge)).await,
    };
    if let Err(error) = acknowledged {
        tracing::warn!(%error, "a button was pressed and not acknowledged");
        return;
    }
    let answer = doing.await.unwrap_or_else(|error| {
        tracing::warn!(%error, "what a button asked for was not done");
        response(error.words(deed.to)).components(Vec::new())
    });
    if let Err(error) = in_time(used.edit_response(&ctx.http, answer)).await {
        tracing::warn!(%error, "done, but not confirmed");
    }
}

/// Somebody submitted a form.
pub(super) async fn modal_submitted(
    adapter: &Adapter,
    ctx: &serenity::all::Context,
    modal: &ModalInteraction,
) {
    let deed = Deed::submitted(adapter, ctx, modal);
    let id = deed.id;
    // None of these begins before it is waited for.
    let doing: BoxFuture<'_, Answered> = if let Some(message) = id.strip_prefix(repair::WORDS) {
        repair::reworded(deed, message).boxed()
    } else if let Some(fact) = id.strip_prefix(memory::CORRECT) {
        memory::correction_submitted(deed, fact).boxed()
    } else if id == channel::BACKDROP {
        channel::set_backdrop(deed).boxed()
    } else {
        return;
    };
    if let Err(error) = in_time(modal.defer_ephemeral(&ctx.http)).await {
        tracing::warn!(%error, form = id, "a form was submitted and not acknowledged");
        return;
    }
    let answer = doing.await.unwrap_or_else(|error| {
        tracing::warn!(%error, form = id, "what a form asked for was not done");
        response(error.words(deed.to))
    });
    if let Err(error) = in_time(modal.edit_response(&ctx.http, answer)).await {
        tracing::warn!(%error, form = id, "what a form asked for was done, but not confirmed");
    }
}

impl Adapter {
    /// Changes settings on a thread where writing files may block.
    pub(super) async fn change<T: Send + 'static>(
        &self,
        change: impl FnOnce(&LiveConfig) -> Result<T, ConfigError> + Send + 'static,
    ) -> Result<T, CommandError> {
        let config = Arc::clone(&self.deps.config);
        Ok(tokio::task::spawn_blocking(move || change(&config)).await??)
    }
}

/// The channel a command is about: the chosen one, else the one it was used in.
///
/// # Errors
/// With the words of refusal, when the caller may not decide about the chosen channel: being allowed to use the command
/// here says nothing about there.
fn target(ctx: Context<'_>, chosen: Option<&PartialChannel>) -> Result<ChannelId, String> {
    let to = ctx.tongue();
    let Some(chosen) = chosen else { return Ok(ctx.interaction.channel_id) };
    let may = chosen.permissions.is_some_and(|granted| granted.contains(Permissions::MANAGE_CHANNELS));
    if may { Ok(chosen.id) } else { Err(messages::needs_manage_channels(to, chosen.id.get())) }
}

/// What the bot itself may do in a channel; `None` when it is not known.
fn granted(ctx: Context<'_>, guild: GuildId, channel: &GuildChannel) -> Option<Permissions> {
    if channel.id == ctx.interaction.channel_id {
        return ctx.interaction.app_permissions;
    }
    Standing::of(&ctx.discord.cache, guild, channel).map(|standing| standing.granted)
}

/// The facts by or about a person that may be seen in a place.
async fn facts(adapter: &Adapter, person: &AccountId, place: &Place) -> Result<Vec<FactFound>, CommandError> {
    let here = adapter.deps.pairing.entered(place).await;
    Ok(adapter.deps.memory.seen_by(&Visible::at(&here)).facts_of(person.clone()).await??)
}

/// Where a command was used, as far as that is known without asking Discord.
fn place_now(ctx: Context<'_>) -> Place {
    let interaction = ctx.interaction;
    let mut place = ctx.deed().known_place();
    // An archived thread is in no cache, but the command itself says where it was used.
    let thread = interaction.channel.as_ref().filter(|channel| channel.thread_metadata.is_some());
    if place.parent.is_none() {
        place.parent = thread.and_then(|thread| thread.parent_id).map(|parent| parent.get().into());
    }
    place
}

/// What was written into the only field of a form.
fn field(modal: &ModalInteraction) -> &str {
    let inputs = modal.data.components.iter().flat_map(|row| &row.components);
    let mut values = inputs.filter_map(|component| match component {
        ActionRowComponent::InputText(input) => input.value.as_deref(),
        _ => None,
    });
    values.next().unwrap_or_default()
}

/// The beginning of a text on one line, for a choice that Discord caps at 100 characters.
fn label(start: &str, text: &str) -> String {
    const MOST: usize = 100;
    let whole = format!("{start}{}", one_line(text));
    if whole.chars().count() > MOST { shortened(&whole, MOST - 1) } else { whole }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_one_line_of_at_most_100_characters() {
        assert_eq!(label("2: ", "Hello\n  there"), "2: Hello there");
        assert_eq!(label("1: ", &"é".repeat(200)).chars().count(), 100);
    }
}
