//! `/status`, `/help` and `/greet`.

use serenity::all::{AutocompleteChoice, CreateAutocompleteResponse};

use super::{Answered, CHOICES, Context, answer, label};
use crate::clock::{Clock as _, SystemClock};
use crate::discord::messages;
use crate::discord::messages::voice::Packets;
use crate::discord::messages::{Here, Status};
use crate::discord::standing::Standing;
use crate::domain::{Slot, Visible};
use crate::session::GreetError;

/// How it is, the mode here, and for whoever runs it the model and today's budget
pub(super) async fn status_command(ctx: Context<'_>) -> Answered {
    let to = ctx.tongue();
    let (adapter, interaction) = (ctx.data(), ctx.interaction);
    let (place, here) = adapter.place_read_of(ctx.discord, ctx.spot()).await;
    let config = adapter.deps.config.current();
    let channel = adapter.deps.config.channel_in(&place);
    let mode = channel.mode;
    // What the familiar costs is its owner's business.
    let asker = interaction.user.id.get();
    let is_operator = config.discord.operators.contains(&asker);
    let shows_spending = config.discord.show_spending || is_operator;
    let call = match (&adapter.calls, interaction.guild_id) {
        (Some(calls), Some(guild)) => calls.state(guild).await,
        _ => None,
    };
    let call = call.map(|call| {
        let packets = Packets {
            taken: call.counts.passed,
            refused: call.counts.withheld,
            unplaced: call.counts.unknown,
            lost: call.dropped,
        };
        (call.channel.get(), call.heard, packets)
    });
    let early = if is_operator { adapter.deps.session.early_answers() } else { Default::default() };
    adapter.deps.character.look_again().await;
    // Where it does not read it is nobody's to spend a model's words.
    let own_words = match here {
        Here::NotRead => None,
        _ => adapter.deps.session.how_it_is(&place, to).await,
    };
    let models = &adapter.deps.models;
    let (model, today) = (models.slot(Slot::MainProse).describe().model, models.ledger().today());
    let status = Status {
        familiar: adapter.name(),
        own_words,
        day: adapter.deps.character.day_part(&config, mode, SystemClock.now()),
        mood: adapter.deps.session.mood_word(&Visible::at(&place)).await,
        engine: is_operator.then(|| (model, adapter.started.elapsed())),
        here,
        quiet_until: channel.quiet_until.filter(|until| SystemClock.now() < *until),
        is_mute: interaction
            .guild_id
            .and_then(|guild| Standing::of_cached(&ctx.discord.cache, guild, interaction.channel_id))
            .is_some_and(|standing| standing.silenced().is_some()),
        subscriptions: interaction.guild_id.map_or(0, |guild| adapter.read_in(guild)),
        call,
        early: (early.begun, early.kept),
        mode: Some(mode),
        last_reply: if is_operator {
            adapter.deps.traces.last_reply_took(&place.channel).await?
        } else {
            None
        },
        // Where nobody is asked, nothing is counted.
        spent_usd: (shows_spending && !models.choice().rehearses()).then(|| today.cost_usd()),
        cap_usd: config.llm.daily_cost_cap_usd.filter(|_| shows_spending),
        unpriced_tokens: if shows_spending { today.total().unpriced_tokens } else { 0 },
        unpriced_cap: config.llm.unpriced_token_cap(),
    };
    answer(messages::status(to, &status))
}

/// What this bot does and which commands it has
pub(super) fn help_command(ctx: Context<'_>) -> Answered {
    let to = ctx.tongue();
    answer(messages::help(to, &ctx.data().name()))
}

/// Say one of the character's greetings
pub(super) async fn greet(ctx: Context<'_>, number: Option<u32>) -> Answered {
    let to = ctx.tongue();
    let adapter = ctx.data();
    let (place, here) = adapter.place_read_of(ctx.discord, ctx.spot()).await;
    if here == Here::NotRead {
        return answer(match ctx.interaction.guild_id {
            Some(_) => messages::greet_needs_subscription(to, &adapter.name()),
            None => messages::dm_refused(to, &adapter.name(), ctx.interaction.user.id.get()),
        });
    }
    // People count from one.
    let which = number.map(|number| number.saturating_sub(1) as usize);
    let words = match adapter.deps.session.greet(place, which).await {
        Ok(()) => messages::greeted(to),
        Err(GreetError::NoSuchGreeting { available }) => messages::no_such_greeting(to, available),
        Err(error) => messages::command_failed(to, &error.to_string()),
    };
    answer(words)
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
