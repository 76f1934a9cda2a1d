//! `/reminders`: what whoever asks is to be reminded of, as far as it may be seen where they ask, and what is announced there;
//! and cancelling their own. Whoever manages a channel sees and cancels there what others asked for in it.

use serenity::all::{
    ComponentInteraction, ComponentInteractionDataKind, CreateActionRow, CreateSelectMenu,
    CreateSelectMenuKind, CreateSelectMenuOption,
};

use super::{Answered, Context, component_spot, label, manages_channel, response, tongue_of};
use crate::discord::adapter::Adapter;
use crate::discord::messages::{self, Tongue};
use crate::domain::{AccountId, Place, ReminderId};

/// The id of the choice.
pub(super) const PICK: &str = "reminders|cancel";

/// Reminders shown at once; a choice has at most 25.
const SHOWN: usize = 25;

/// What you asked to be reminded of, as far as it may be seen here
pub(super) async fn reminders(ctx: Context<'_>) -> Answered {
    let person = ctx.account();
    let place = ctx.data().place_of(ctx.discord, ctx.spot()).await;
    let manages = manages_channel(ctx.interaction.member.as_deref());
    listed(ctx.data(), (&person, ctx.tongue()), &place, manages, None).await
}

/// One of them was chosen: it is cancelled, and the rest is shown.
pub(super) async fn picked(
    adapter: &Adapter,
    ctx: &serenity::all::Context,
    pressed: &ComponentInteraction,
) -> Answered {
    let to = tongue_of(&pressed.locale);
    let person = AccountId::discord(pressed.user.id.get());
    let place = adapter.place_of(ctx, component_spot(pressed)).await;
    let chosen = match &pressed.data.kind {
        ComponentInteractionDataKind::StringSelect { values } => {
            values.first().and_then(|id| id.parse().ok())
        }
        _ => None,
    };
    let manages = manages_channel(pressed.member.as_ref());
    let cancelled = match chosen {
        Some(id) => adapter.deps.session.cancel_reminder(ReminderId(id), &person, &place, manages).await?,
        None => None,
    };
    let told = match &cancelled {
        Some(cancelled) => messages::reminder_cancelled(to, cancelled),
        None => messages::reminder_gone(to),
    };
    listed(adapter, (&person, to), &place, manages, Some(told)).await
}

/// What there is, with the choice of what to cancel.
async fn listed(
    adapter: &Adapter,
    (person, to): (&AccountId, Tongue),
    place: &Place,
    manages: bool,
    told: Option<String>,
) -> Answered {
    let mut kept = adapter.deps.session.reminders(person, place, manages).await?;
    // Their own stand first.
    kept.sort_by_key(|one| one.what.asker.account != *person);
    let shown = kept.get(..SHOWN).unwrap_or(&kept);
    let words = messages::reminders(to, &adapter.name(), person, shown, kept.len());
    let words = told.map_or_else(|| words.clone(), |told| format!("{told}\n\n{words}"));
    let option = |one: &crate::history::Reminder| {
        let asker = &one.what.asker;
        let whose = if asker.account == *person { String::new() } else { format!("{}: ", asker.label()) };
        CreateSelectMenuOption::new(label(&whose, &one.what.words), one.id.to_string())
    };
    let is_theirs = |one: &&crate::history::Reminder| manages || one.what.asker.account == *person;
    let options: Vec<_> = shown.iter().filter(is_theirs).map(option).collect();
    if options.is_empty() {
        return Ok(response(words).components(Vec::new()));
    }
    let choice = CreateSelectMenu::new(PICK, CreateSelectMenuKind::String { options })
        .placeholder(messages::choose_reminder(to));
    Ok(response(words).components(vec![CreateActionRow::SelectMenu(choice)]))
}
