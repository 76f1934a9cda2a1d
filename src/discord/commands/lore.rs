//! `/lore why`: which lore a turn called up, and why the rest stayed away.

use std::sync::Arc;

use serenity::all::{AutocompleteChoice, CreateAutocompleteResponse};

use super::{CommandError, Context, answer, defer, label};
use crate::discord::messages;
use crate::domain::{AccountId, ChannelId, LoreRecord, TurnTrace};
use crate::trace::{Standing, may_see};

/// Choices Discord shows at most.
const CHOICES: usize = 25;

/// Which lore your last turn here called up, and why; or why one entry did or did not
pub(super) async fn why(ctx: Context<'_>, entry: Option<String>) -> Result<(), CommandError> {
    defer(ctx).await?;
    // Who may look is decided as for `/context`: whoever the turn answered.
    let Some(trace) = last_turn(ctx).await? else { return answer(ctx, messages::no_turn_yet()).await };
    let records = records(&trace);
    if records.is_empty() {
        return answer(ctx, messages::no_lore(trace.id)).await;
    }
    let words = match entry.filter(|entry| !entry.trim().is_empty()) {
        None => messages::lore_called_up(trace.id, records),
        Some(wanted) => match find(records, &wanted).as_slice() {
            [] => messages::no_such_entry(&wanted),
            found => messages::lore_entries(trace.id, found),
        },
    };
    answer(ctx, words).await
}

/// The newest turn here that answered the caller.
async fn last_turn(ctx: Context<'_>) -> Result<Option<Arc<TurnTrace>>, CommandError> {
    let caller = AccountId::discord(ctx.interaction.user.id.get());
    let here = ChannelId::from(ctx.interaction.channel_id.get());
    let found = ctx.data().deps.traces.latest_for(&caller, Some(&here)).await?;
    Ok(found.filter(|trace| may_see(trace, &caller, Standing::Person)))
}

fn records(trace: &TurnTrace) -> &[LoreRecord] {
    trace.assembly.as_ref().map_or(&[], |assembly| assembly.lore.as_slice())
}

/// The entries of that name; where there are none, those whose name holds it.
fn find<'r>(records: &'r [LoreRecord], wanted: &str) -> Vec<&'r LoreRecord> {
    let wanted = wanted.trim().to_lowercase();
    let by = |fits: &dyn Fn(&str) -> bool| {
        records.iter().filter(|record| fits(&record.name.to_lowercase())).collect::<Vec<_>>()
    };
    let exact = by(&|name| name.trim() == wanted);
    if exact.is_empty() { by(&|name| name.contains(&wanted)) } else { exact }
}

/// Names of the entries of the last turn's books, those that were called up first.
pub(super) async fn entries(ctx: Context<'_>, partial: &str) -> CreateAutocompleteResponse {
    let trace = last_turn(ctx).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "entries not listed");
        None
    });
    let wanted = partial.trim().to_lowercase();
    let mut names: Vec<String> = Vec::new();
    for record in trace.iter().flat_map(|trace| records(trace)) {
        let name = label("", &record.name);
        if name.to_lowercase().contains(&wanted) && !names.contains(&name) && names.len() < CHOICES {
            names.push(name);
        }
    }
    let choices = names.into_iter().map(|name| AutocompleteChoice::new(name.clone(), name)).collect();
    CreateAutocompleteResponse::new().set_choices(choices)
}
