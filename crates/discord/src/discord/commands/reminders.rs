//! `/reminders`: what whoever asks is to be reminded of, as far as it may be seen where they ask, and what is announced there;
//! and cancelling their own. Whoever manages a channel sees and cancels there what others asked for in it.

use serenity::all::{CreateActionRow, CreateSelectMenu, CreateSelectMenuKind, CreateSelectMenuOption};

use super::{Answered, Context, Deed, label, response};
use crate::discord::messages;
use crate::domain::{Place, ReminderId};

/// The id of the choice.
pub(super) const PICK: &str = "reminders|cancel";

/// Reminders shown at once; a choice has at most 25.
const SHOWN: usize = 25;

/// What you asked to be reminded of, as far as it may be seen here
pub(super) async fn reminders(ctx: Context<'_>) -> Answered {
    let deed = ctx.deed();
    listed(deed, &deed.place().await, None).await
}

/// One of them was chosen: it is cancelled, and the rest is shown.
pub(super) async fn picked(deed: Deed<'_>) -> Answered {
    let (session, place) = (&deed.adapter.deps.session, deed.place().await);
    let cancelled = match deed.given.parse() {
        Ok(id) => session.cancel_reminder(ReminderId(id), &deed.account(), &place, deed.manages()).await?,
        Err(_) => None,
    };
    let told = match &cancelled {
        Some(cancelled) => messages::reminder_cancelled(deed.to, cancelled),
        None => messages::reminder_gone(deed.to),
    };
    listed(deed, &place, Some(told)).await
}

/// What there is, with the choice of what to cancel.
async fn listed(deed: Deed<'_>, place: &Place, told: Option<String>) -> Answered {
    let (adapter, to, person, manages) = (deed.adapter, deed.to, deed.account(), deed.manages());
    let mut kept = adapter.deps.session.reminders(&person, place, manages).await?;
    // Their own stand first.
    kept.sort_by_key(|one| one.what.asker.account != person);
    let shown = kept.get(..SHOWN).unwrap_or(&kept);
    let words = messages::reminders(to, &adapter.name(), &person, shown, kept.len());
    let words = told.map_or_else(|| words.clone(), |told| format!("{told}\n\n{words}"));
    let option = |one: &crate::history::Reminder| {
        let asker = &one.what.asker;
        let whose = if asker.account == person { String::new() } else { format!("{}: ", asker.label()) };
        CreateSelectMenuOption::new(label(&whose, &one.what.words), one.id.to_string())
    };
    let is_theirs = |one: &&crate::history::Reminder| manages || one.what.asker.account == person;
    let options: Vec<_> = shown.iter().filter(is_theirs).map(option).collect();
    if options.is_empty() {
        return Ok(response(words).components(Vec::new()));
    }
    let choice = CreateSelectMenu::new(PICK, CreateSelectMenuKind::String { options })
        .placeholder(messages::choose_reminder(to));
    Ok(response(words).components(vec![CreateActionRow::SelectMenu(choice)]))
}
