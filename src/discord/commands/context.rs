//! `/context`: why it said what it said, for turns the caller took part in.

use std::sync::Arc;

use serenity::all::{AutocompleteChoice, CreateAttachment, CreateAutocompleteResponse};

use super::{CommandError, Context, answer, answer_with_file, defer, label};
use crate::discord::messages;
use crate::domain::{AccountId, ChannelId, TurnId, TurnTrace};

/// Why it said what it said: the record of one of your own turns
#[poise::command(slash_command)]
pub(super) async fn context(
    ctx: Context<'_>,
    #[description = "A turn of yours, like t42; your last one here if left out"]
    #[autocomplete = "own_turns"]
    turn: Option<String>,
) -> Result<(), CommandError> {
    defer(ctx).await?;
    let caller = AccountId::discord(ctx.interaction.user.id.get());
    let found = match &turn {
        Some(given) => match given.trim().parse::<TurnId>() {
            Ok(id) => ctx.data().deps.traces.get(id).await?,
            Err(_) => None,
        },
        None => {
            let here = ChannelId::from(ctx.interaction.channel_id.get());
            ctx.data().deps.traces.latest(Some(&here)).await?
        }
    };
    // Not there and not yours read the same, so that nothing is told about turns of others.
    let Some(found) = found.filter(|trace| took_part(trace, &caller)) else {
        return answer(ctx, turn.map_or_else(messages::no_turn_yet, |given| messages::no_such_turn(&given)))
            .await;
    };
    let record = serde_json::to_vec_pretty(&*found).map_err(|_| CommandError::Unwritable)?;
    let file = CreateAttachment::bytes(record, format!("turn-{}.json", found.id));
    answer_with_file(ctx, messages::context_attached(found.id, &found.outcome.summary()), file).await
}

/// The caller's own newest turns, of this channel first named by what was replied.
async fn own_turns(ctx: Context<'_>, partial: &str) -> CreateAutocompleteResponse {
    let caller = AccountId::discord(ctx.interaction.user.id.get());
    let here = ChannelId::from(ctx.interaction.channel_id.get());
    let turns = ctx.data().deps.traces.latest(Some(&here)).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "turns not listed");
        None
    });
    let choices = turns
        .iter()
        .filter(|trace| took_part(trace, &caller))
        .filter(|trace| trace.id.to_string().contains(partial.trim()))
        .map(|trace| AutocompleteChoice::new(choice(trace), trace.id.to_string()))
        .collect();
    CreateAutocompleteResponse::new().set_choices(choices)
}

fn took_part(trace: &TurnTrace, caller: &AccountId) -> bool {
    trace.authors.contains(&caller.to_string())
}

fn choice(trace: &Arc<TurnTrace>) -> String {
    let what = trace.reply.clone().unwrap_or_else(|| trace.outcome.summary());
    label(&format!("{} ({}): ", trace.id, trace.opened_at.strftime("%d %b %H:%M UTC")), &what)
}
