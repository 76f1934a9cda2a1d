//! `/greet`.

use serenity::all::{AutocompleteChoice, CreateAutocompleteResponse};

use super::{CommandError, Context, answer, defer, label};
use crate::discord::conversations::GreetingRefused;
use crate::discord::intake;
use crate::discord::messages::{self, Here};

/// Choices Discord shows at most.
const CHOICES: usize = 25;

/// Say one of the character's greetings
pub(super) async fn greet(ctx: Context<'_>, number: Option<u32>) -> Result<(), CommandError> {
    defer(ctx).await?;
    let (rim, interaction) = (ctx.data(), ctx.interaction);
    let place = match interaction.guild_id {
        Some(guild) => {
            let (place, here) = rim.guild_place(ctx.discord, guild, interaction.channel_id).await;
            if here == Here::NotRead {
                return answer(ctx, messages::greet_needs_subscription(&rim.name())).await;
            }
            place
        }
        None if rim.may_dm(interaction.user.id).await => {
            intake::dm_place(interaction.channel_id, interaction.user.id)
        }
        None => {
            return answer(ctx, messages::dm_refused(&rim.name(), interaction.user.id.get())).await;
        }
    };
    // People count from one.
    let which = number.map(|number| number.saturating_sub(1) as usize);
    let words = match rim.deps.session.greet(place, which).await {
        Ok(()) => messages::greeted(),
        Err(GreetingRefused::NoSuchGreeting { available }) => messages::no_such_greeting(available),
        Err(GreetingRefused::Failed(why)) => messages::command_failed(&why),
    };
    answer(ctx, words).await
}

/// The greetings' beginnings; in a guild the group greetings come first, as the session counts them.
pub(super) fn beginnings(ctx: Context<'_>, partial: &str) -> CreateAutocompleteResponse {
    let character = ctx.data().deps.character.current();
    let group = match ctx.interaction.guild_id {
        Some(_) => character.group_greetings.as_slice(),
        None => &[],
    };
    let choices = (1_u32..)
        .zip(group.iter().chain(&character.greetings).filter(|greeting| !greeting.trim().is_empty()))
        .filter(|(number, _)| number.to_string().starts_with(partial.trim()))
        .map(|(number, greeting)| AutocompleteChoice::new(label(&format!("{number}: "), greeting), number))
        .take(CHOICES)
        .collect();
    CreateAutocompleteResponse::new().set_choices(choices)
}
