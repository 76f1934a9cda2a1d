//! `/reset`: the conversation here begins anew, and what was said before stays remembered.
//!
//! The button carries where it began: nothing waits in between.

use serenity::all::{ButtonStyle, CreateActionRow, CreateButton};

use super::{Answered, CommandError, Context, Deed, answer, response};
use crate::discord::messages::{self, Here};
use crate::history::Beginning;

/// What the ids of these buttons begin with.
pub(super) const PREFIX: &str = "reset|";

/// Begin the conversation here anew; what was said before stays remembered
pub(super) async fn reset(ctx: Context<'_>) -> Answered {
    let to = ctx.tongue();
    let adapter = ctx.data();
    let (place, here) = adapter.place_read_of(ctx.discord, ctx.spot()).await;
    if here == Here::NotRead {
        return answer(messages::nothing_to_reset(to));
    }
    match adapter.deps.session.begin_conversation(&place.channel).await? {
        Some((Beginning(before), Beginning(now))) => {
            let undo = CreateButton::new(format!("{PREFIX}{now}|{before}"))
                .label(messages::undo_reset(to))
                .style(ButtonStyle::Secondary);
            let told = response(messages::reset(to, &adapter.name()));
            Ok(told.components(vec![CreateActionRow::Buttons(vec![undo])]))
        }
        None => answer(messages::nothing_to_reset(to)),
    }
}

/// The button was pressed: it begins where it began before.
pub(super) async fn pressed(deed: Deed<'_>) -> Answered {
    let (adapter, to) = (deed.adapter, deed.to);
    let rest = deed.id.strip_prefix(PREFIX).unwrap_or_default();
    let both = rest.split_once('|').and_then(|(now, before)| Some((now.parse().ok()?, before.parse().ok()?)));
    let (now, before) = both.ok_or(CommandError::Unknown)?;
    let place = deed.place().await;
    let is_back = adapter.deps.session.begin_again(&place.channel, Beginning(now), Beginning(before)).await?;
    let words = if is_back { messages::reset_undone(to, &adapter.name()) } else { messages::reset_since(to) };
    Ok(response(words).components(Vec::new()))
}
