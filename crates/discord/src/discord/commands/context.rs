//! `/context` and `/lore why`: why it said what it said, and which lore a turn called up, for turns the caller took part in.

use std::sync::Arc;

use jiff::tz::TimeZone;
use serenity::all::{AutocompleteChoice, CreateAttachment, CreateAutocompleteResponse};

use super::{Answered, CHOICES, CommandError, Context, answer, label, response};
use crate::discord::messages::{self, Tongue};
use crate::domain::{ChannelId, GuildId, LoreRecord, TurnId, TurnTrace};
use crate::trace::{Rights, TraceViewer, TurnSeen, render};

/// Why it said what it said: the record of one of your own turns
pub(super) async fn context(ctx: Context<'_>, turn: Option<String>, why: Option<String>) -> Answered {
    let to = ctx.tongue();
    let viewer = viewer(ctx);
    let seen = ctx.data().deps.traces.seen_by(&viewer);
    let found = match turn.as_ref().map(|given| given.trim().parse::<TurnId>()) {
        Some(Ok(id)) => match seen.get(id).await? {
            Some(TurnSeen::Elsewhere) => return answer(messages::turn_of_another_place(to, id)),
            Some(TurnSeen::Record(trace)) => Some(trace),
            None => None,
        },
        Some(Err(_)) => None,
        None => seen.newest(1).await?.pop(),
    };
    let Some(found) = found else {
        let words =
            turn.map_or_else(|| messages::no_turn_yet(to), |given| messages::no_such_turn(to, &given));
        return answer(words);
    };
    if let Some(words) = why.filter(|words| !words.trim().is_empty()) {
        let text = ctx.data().deps.session.why(&found, &words).await?;
        let file = CreateAttachment::bytes(text, format!("why-{}.md", found.id));
        return Ok(response(messages::why_attached(to, found.id)).new_attachment(file));
    }
    let reader =
        if ctx.data().deps.config.current().discord.show_prompt { Rights::Reader } else { Rights::Person };
    let file = CreateAttachment::bytes(render::markdown(&found, reader), format!("turn-{}.md", found.id));
    let ended = messages::how_it_ended(to, &found.outcome, messages::moment);
    let words = messages::context_attached(to, found.id, &ended);
    Ok(response(words).new_attachment(file))
}

/// The caller, as whoever asks for records. On Discord nobody is the operator: whoever runs the bot has the terminal.
fn viewer(ctx: Context<'_>) -> TraceViewer {
    TraceViewer {
        account: ctx.account(),
        channel: ChannelId::from(ctx.interaction.channel_id.get()),
        guild: ctx.interaction.guild_id.map(|guild| GuildId::from(guild.get())),
    }
}

/// The caller's own newest turns in this channel, named by what was replied.
pub(super) async fn own_turns(ctx: Context<'_>, partial: &str) -> CreateAutocompleteResponse {
    let turns = ctx.data().deps.traces.seen_by(&viewer(ctx)).newest(CHOICES).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "turns not listed");
        Vec::new()
    });
    let zone = ctx.data().deps.config.current().display_tz.clone();
    let choices = turns
        .iter()
        .filter(|trace| trace.id.to_string().contains(partial.trim()))
        .map(|trace| AutocompleteChoice::new(choice(ctx.tongue(), trace, &zone), trace.id.to_string()))
        .collect();
    CreateAutocompleteResponse::new().set_choices(choices)
}

fn choice(to: Tongue, trace: &Arc<TurnTrace>, zone: &TimeZone) -> String {
    let ended = || messages::how_it_ended(to, &trace.outcome, |at| messages::moment_in(zone, at));
    let what = trace.reply.clone().unwrap_or_else(ended);
    let opened = trace.opened_at.to_zoned(zone.clone()).strftime("%d %b %H:%M %Z");
    label(&format!("{} ({opened}): ", trace.id), &what)
}

/// Which lore your last turn here called up, and why; or why one entry did or did not
pub(super) async fn lore_why(ctx: Context<'_>, entry: Option<String>) -> Answered {
    let to = ctx.tongue();
    // Who may look is decided as for `/context`: whoever the turn answered.
    let Some(trace) = last_turn(ctx).await? else { return answer(messages::no_turn_yet(to)) };
    let records = records(&trace);
    if records.is_empty() {
        return answer(messages::no_lore(to, trace.id));
    }
    let words = match entry.filter(|entry| !entry.trim().is_empty()) {
        None => messages::lore_called_up(to, trace.id, records),
        Some(wanted) => match find_entries(records, &wanted).as_slice() {
            [] => messages::no_such_entry(to, &wanted),
            found => messages::lore_entries(to, trace.id, found),
        },
    };
    answer(words)
}

/// The newest turn here that answered the caller.
async fn last_turn(ctx: Context<'_>) -> Result<Option<Arc<TurnTrace>>, CommandError> {
    Ok(ctx.data().deps.traces.seen_by(&viewer(ctx)).newest(1).await?.pop())
}

fn records(trace: &TurnTrace) -> &[LoreRecord] {
    trace.assembly.as_ref().map_or(&[], |assembly| assembly.lore.as_slice())
}

/// The entries of that name; where there are none, those whose name holds it.
fn find_entries<'r>(records: &'r [LoreRecord], wanted: &str) -> Vec<&'r LoreRecord> {
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
