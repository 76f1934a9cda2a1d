//! What changes how it behaves in a channel: `/channel-full-rp` and the other modes, `/channel-backdrop`, `/quiet`, `/wake`,
//! `/speak-first`.
//!
//! The backdrop's form names its channel, and whoever submits it is answered from that alone: nothing waits in between, so a
//! restart while somebody writes loses nothing.

use std::sync::atomic::Ordering;
use std::time::Duration;

use jiff::Timestamp;
use serenity::all::{CreateInputText, InputTextStyle};

use super::{Answered, CommandError, Context, Deed, answer, form, in_time, place_now};
use crate::clock::{Clock as _, SystemClock};
use crate::config::BACKDROP_MAX_CHARS;
use crate::discord::messages::{self, Here};
use crate::discord::voice::Manner;
use crate::domain::ChannelMode;

/// The modes of a channel.
pub(super) async fn mode(ctx: Context<'_>, mode: ChannelMode) -> Answered {
    let to = ctx.tongue();
    let adapter = ctx.data();
    let place = adapter.place_of(ctx.discord, ctx.spot()).await;
    adapter.change(move |config| config.set_mode(&place, mode)).await?;
    answer(messages::mode_set(to, ctx.interaction.channel_id.get(), mode))
}

/// The form's id; Discord gives it back when it is submitted.
pub(super) const BACKDROP: &str = "channel-backdrop";

/// The id of its only field.
const FIELD: &str = "backdrop";

/// Say what is going on in this channel
pub(super) async fn channel_backdrop(ctx: Context<'_>) -> Result<(), CommandError> {
    let to = ctx.tongue();
    let backdrop = ctx.data().deps.config.channel_in(&place_now(ctx)).backdrop.clone().unwrap_or_default();
    let field = CreateInputText::new(InputTextStyle::Paragraph, messages::backdrop_label(to), FIELD)
        .placeholder(messages::backdrop_placeholder(to))
        .max_length(u16::try_from(BACKDROP_MAX_CHARS).unwrap_or(u16::MAX))
        .required(false)
        .value(backdrop);
    let form = form(BACKDROP.to_owned(), messages::backdrop_title(to), field);
    // A form can only be the first response, so this one command is not deferred.
    in_time(ctx.interaction.create_response(ctx.discord, form)).await?;
    ctx.is_answered.store(true, Ordering::SeqCst);
    Ok(())
}

/// The form was submitted.
pub(super) async fn set_backdrop(deed: Deed<'_>) -> Answered {
    let (adapter, to) = (deed.adapter, deed.to);
    let place = deed.place().await;
    let text = deed.given.trim().to_owned();
    let chars = text.chars().count();
    adapter.change(move |config| config.set_backdrop(&place, &text)).await?;
    let channel = deed.spot.channel.get();
    answer(match chars {
        0 => messages::backdrop_cleared(to, channel),
        _ => messages::backdrop_set(to, channel, chars),
    })
}

/// Here and in this server's call, speak only when spoken to: for so many minutes, else until it is woken.
pub(super) async fn quiet(ctx: Context<'_>, minutes: Option<u32>) -> Answered {
    let to = ctx.tongue();
    let span = minutes.map(|minutes| Duration::from_secs(60 * u64::from(minutes)));
    let now = SystemClock.now();
    let until = span.map_or(Timestamp::MAX, |span| now.saturating_add(span).unwrap_or(Timestamp::MAX));
    change(ctx, Manner::Quiet { until }, |name, _| messages::keeps_quiet(to, name, span)).await
}

/// Here and in this server's call, join in again.
pub(super) async fn wake(ctx: Context<'_>) -> Answered {
    let to = ctx.tongue();
    change(ctx, Manner::JoinsIn, |name, was_quiet| match was_quiet {
        true => messages::joins_in_again(to, name),
        false => messages::was_not_quiet(to, name),
    })
    .await
}

/// Let it begin to speak here by itself, or no longer; and greet whoever is new, or no longer.
pub(super) async fn speak_first(ctx: Context<'_>, begins: bool, newcomers: Option<bool>) -> Answered {
    let to = ctx.tongue();
    let adapter = ctx.data();
    let (place, here) = adapter.place_read_of(ctx.discord, ctx.spot()).await;
    if here == Here::NotRead {
        return answer(messages::does_not_speak_first(to, &adapter.name()));
    }
    let greets = newcomers.filter(|_| place.kind.is_in_guild());
    adapter
        .change(move |config| {
            config.set_speaks_first(&place, begins)?;
            greets.map_or(Ok(()), |greets| config.set_greets_newcomers(&place, greets))
        })
        .await?;
    let own = adapter.deps.config.current().own_messages;
    let mut told = messages::speaks_first(to, &adapter.name(), begins, own);
    if let Some(greets) = greets {
        told = format!("{told}\n{}", messages::greets_newcomers(to, &adapter.name(), greets));
    }
    answer(told)
}

/// `done`: what is answered, by its name and whether it was kept quiet before, as it may have been in a call.
async fn change(ctx: Context<'_>, manner: Manner, done: impl FnOnce(&str, bool) -> String) -> Answered {
    let to = ctx.tongue();
    let adapter = ctx.data();
    let Some(guild) = ctx.interaction.guild_id else {
        return answer(messages::alone_it_answers(to));
    };
    let (place, here) = adapter.guild_place(ctx.discord, guild, ctx.interaction.channel_id).await;
    let in_call = match &adapter.calls {
        Some(calls) => calls.behave(guild, manner).await.is_some(),
        None => false,
    };
    if here == Here::NotRead && !in_call {
        return answer(messages::not_here_and_in_no_call(to, &adapter.name()));
    }
    let was_quiet = in_call || adapter.deps.config.channel_in(&place).is_kept_quiet(SystemClock.now());
    if here != Here::NotRead {
        let until = match manner {
            Manner::Quiet { until } => Some(until),
            Manner::JoinsIn => None,
        };
        adapter.change(move |config| config.set_quiet(&place, SystemClock.now(), until)).await?;
    }
    answer(done(&adapter.name(), was_quiet))
}
