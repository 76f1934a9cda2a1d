//! `/profile`: the card's picture and name on Discord, for whoever runs the bot; what it is called on one server, for whoever
//! may rename others there.

use serenity::all::{CreateAttachment, CurrentUser, EditProfile, Permissions};

use super::{Answered, Context, answer};
use crate::discord::messages::{self, ProfileChange};
use crate::discord::refused::{Refused, await_discord};
use crate::familiar::portrait;

/// The largest picture that Discord takes, in bytes.
const PICTURE_BYTES: usize = 10 * 1024 * 1024;

/// What a name on Discord has, in characters.
const NAME_CHARS: std::ops::RangeInclusive<usize> = 2..=32;

/// The card's picture, everywhere on Discord
pub(super) async fn card_picture(ctx: Context<'_>) -> Answered {
    let to = ctx.tongue();
    if !may_change_profile(ctx) {
        return answer(messages::profile_is_the_operators(to));
    }
    let home = ctx.data().deps.config.home().clone();
    let found = tokio::task::spawn_blocking(move || portrait(&home)).await?;
    let picture = match found {
        Ok(Some(picture)) if picture.bytes.len() <= PICTURE_BYTES => picture,
        Ok(Some(_)) => return answer(messages::picture_too_large(to)),
        Ok(None) => return answer(messages::no_picture(to, &ctx.data().name())),
        Err(error) => {
            tracing::warn!(%error, "the card's picture cannot be read");
            return answer(messages::no_picture(to, &ctx.data().name()));
        }
    };
    let file = CreateAttachment::bytes(picture.bytes, format!("avatar.{}", picture.extension));
    change_profile(ctx, EditProfile::new().avatar(&file), ProfileChange::Picture).await
}

/// The card's name, everywhere on Discord
pub(super) async fn name(ctx: Context<'_>) -> Answered {
    let to = ctx.tongue();
    if !may_change_profile(ctx) {
        return answer(messages::profile_is_the_operators(to));
    }
    let name = ctx.data().name();
    if !NAME_CHARS.contains(&name.chars().count()) {
        return answer(messages::name_does_not_fit(to, &name));
    }
    change_profile(ctx, EditProfile::new().username(&name), ProfileChange::Name).await
}

/// What it is called on this server; the card's name if left out
pub(super) async fn nickname(ctx: Context<'_>, called: Option<String>) -> Answered {
    let to = ctx.tongue();
    let Some(guild) = ctx.interaction.guild_id else {
        return answer(messages::nicknames_are_of_servers(to));
    };
    let granted = ctx.interaction.member.as_ref().and_then(|member| member.permissions).unwrap_or_default();
    if !granted.contains(Permissions::MANAGE_NICKNAMES) && !may_change_profile(ctx) {
        return answer(messages::needs_manage_nicknames(to));
    }
    let called: String =
        called.unwrap_or_else(|| ctx.data().name()).chars().take(*NAME_CHARS.end()).collect();
    let edited = guild.edit_nickname(&ctx.discord.http, Some(&called));
    changed(ctx, await_discord("Change Nickname", edited).await, ProfileChange::Nickname)
}

async fn change_profile(ctx: Context<'_>, wanted: EditProfile, what: ProfileChange) -> Answered {
    // A copy: the gateway tells the cache of the change.
    let mut own: CurrentUser = ctx.discord.cache.current_user().clone();
    changed(ctx, await_discord("", own.edit(&ctx.discord.http, wanted)).await, what)
}

fn changed(ctx: Context<'_>, done: Result<(), Refused>, what: ProfileChange) -> Answered {
    let to = ctx.tongue();
    let words = match done {
        Ok(()) => messages::profile_changed(to, what),
        Err(Refused::Said(why)) => messages::profile_refused(to, &why),
        Err(refused) => messages::not_done(to, &refused),
    };
    answer(words)
}

fn may_change_profile(ctx: Context<'_>) -> bool {
    let asker = ctx.interaction.user.id.get();
    ctx.data().deps.config.current().discord.operators.contains(&asker)
}
