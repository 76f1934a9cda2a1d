//! The program itself: what it can do, what it runs on, what it costs, how it fares.

use super::{Fact, ReflexInput};
use crate::context::moments::{gap, listed, span};
use crate::text::names::prompt_label;

pub(super) fn tools(input: &ReflexInput<'_>) -> Option<Fact> {
    let tools: Vec<_> = input.world.bot().tools.iter().map(|tool| prompt_label(tool)).collect();
    Fact::of(match tools.is_empty() {
        true => "You have no tools: you can talk, remember, reckon and roll dice, but not open links, search the web or set \
                 reminders."
            .to_owned(),
        false => format!("You have {} tools: {}.", tools.len(), listed(&tools, 30)),
    })
}

pub(super) fn model(input: &ReflexInput<'_>) -> Option<Fact> {
    let model = input.world.bot().model.as_deref()?;
    Fact::of(format!("The language model that writes your replies is {}.", model_name(model)))
}

/// A model's name holds slashes, dots and colons, and nothing else that means anything.
fn model_name(model: &str) -> String {
    model
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | ':' | '-' | '_' | ' '))
        .take(80)
        .collect()
}

pub(super) fn cost(input: &ReflexInput<'_>) -> Option<Fact> {
    let bot = input.world.bot();
    let Some(spent) = bot.spent_usd else {
        return Fact::of("The replies cost nothing: no paid model is in use.");
    };
    Fact::of(match bot.cap_usd {
        Some(cap) => format!(
            "Today (UTC) the replies have cost ${spent:.4} of ${cap:.2}; ${:.4} is left.",
            (cap - spent).max(0.0)
        ),
        None => format!("Today (UTC) the replies have cost ${spent:.4}; there is no daily limit."),
    })
}

pub(super) fn health(input: &ReflexInput<'_>) -> Option<Fact> {
    let bot = input.world.bot();
    Fact::of(match &bot.trouble {
        Some(trouble) => format!(
            "The model last failed {} ago ({}) and has not answered since.",
            span(gap(trouble.at, input.at())),
            trouble.what
        ),
        None => "Everything works: the model has answered and nothing has failed since.".to_owned(),
    })
}

pub(super) fn version(_: &ReflexInput<'_>) -> Option<Fact> {
    Fact::of(format!("The program is version {}.", env!("CARGO_PKG_VERSION")))
}

pub(super) fn uptime(input: &ReflexInput<'_>) -> Option<Fact> {
    let started = input.world.bot().started?;
    let at = started.to_zoned(input.now.time_zone().clone());
    Fact::of(format!(
        "You have been running for {}, since {}.",
        span(gap(started, input.at())),
        at.strftime("%A %-d %B %Y, %H:%M %Z")
    ))
}
