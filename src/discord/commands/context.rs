//! `/context`: why it said what it said, for turns the caller took part in.

use std::sync::Arc;

use serenity::all::{AutocompleteChoice, CreateAttachment, CreateAutocompleteResponse};

use super::{CommandError, Context, answer, answer_with_file, defer, label};
use crate::discord::messages;
use crate::domain::{AccountId, ChannelId, TurnId, TurnTrace};
use crate::trace::{Standing, may_see, render};

/// Choices Discord shows at most.
const CHOICES: usize = 25;

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
            ctx.data().deps.traces.latest_for(&caller, Some(&here)).await?
        }
    };
    // Not there and not yours read the same, so that nothing is told about turns of others. On Discord nobody is the
    // operator: whoever runs the bot has the terminal.
    let Some(found) = found.filter(|trace| may_see(trace, &caller, Standing::Person)) else {
        let words = turn.map_or_else(messages::no_turn_yet, |given| messages::no_such_turn(&given));
        return answer(ctx, words).await;
    };
    let file = CreateAttachment::bytes(render::markdown(&found), format!("turn-{}.md", found.id));
    answer_with_file(ctx, messages::context_attached(found.id, &found.outcome.summary()), file).await
}

/// The caller's own newest turns in this channel, named by what was replied.
async fn own_turns(ctx: Context<'_>, partial: &str) -> CreateAutocompleteResponse {
    let caller = AccountId::discord(ctx.interaction.user.id.get());
    let here = ChannelId::from(ctx.interaction.channel_id.get());
    let turns =
        ctx.data().deps.traces.list_for(&caller, Some(&here), CHOICES).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "turns not listed");
            Vec::new()
        });
    let choices = turns
        .iter()
        .filter(|trace| trace.id.to_string().contains(partial.trim()))
        .map(|trace| AutocompleteChoice::new(choice(trace), trace.id.to_string()))
        .collect();
    CreateAutocompleteResponse::new().set_choices(choices)
}

fn choice(trace: &Arc<TurnTrace>) -> String {
    let what = trace.reply.clone().unwrap_or_else(|| trace.outcome.summary());
    label(&format!("{} ({}): ", trace.id, trace.opened_at.strftime("%d %b %H:%M UTC")), &what)
}
