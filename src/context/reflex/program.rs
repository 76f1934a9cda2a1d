//! The program itself: what it can do, what it runs on, what it costs, how it fares.

use super::{Fact, ReflexInput};
use crate::context::moments::{gap, listed, span};
use crate::text::names::prompt_label;

pub(super) const TOOLS: &[&str] = &[
    "what tools do you have",
    "which tools do you have",
    "what tools can you use",
    "what are your tools",
    "do you have tools",
    "what are you able to do",
    "list your tools",
    "what commands do you have",
    "welche werkzeuge hast du",
    "welche tools hast du",
    "welche fähigkeiten hast du",
];

pub(super) fn tools(input: &ReflexInput<'_>) -> Option<Fact> {
    let tools: Vec<_> = input.world.bot().tools.iter().map(|tool| prompt_label(tool)).collect();
    Fact::of(match tools.is_empty() {
        true => "You have no tools: you can talk, remember, reckon and roll dice, but not open links, search the web or set \
                 reminders."
            .to_owned(),
        false => format!("You have {} tools: {}.", tools.len(), listed(&tools, 30)),
    })
}

pub(super) const MODEL: &[&str] = &[
    "what model are you",
    "which model are you",
    "what llm are you",
    "which llm are you",
    "what ai model",
    "which ai model",
    "what language model",
    "what model do you use",
    "what model do you run",
    "what model is this",
    "welches modell bist du",
    "welches modell benutzt du",
    "welches sprachmodell",
];

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

pub(super) const COST: &[&str] = &[
    "how much do you cost",
    "how much did you cost",
    "how much have you cost",
    "what do you cost",
    "what did you cost",
    "your budget",
    "budget left",
    "how much budget",
    "how much money have you",
    "how much have you spent",
    "was kostest du",
    "wie viel kostest du",
    "wie viel hast du gekostet",
    "dein budget",
];

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

pub(super) const LATENCY: &[&str] = &[
    "your latency",
    "whats your ping",
    "what is your ping",
    "how fast are you",
    "why are you so slow",
    "why are you slow",
    "how long do you take",
    "are you lagging",
    "wie schnell bist du",
    "warum bist du so langsam",
    "dein ping",
];

pub(super) fn latency(input: &ReflexInput<'_>) -> Option<Fact> {
    let took = input.world.bot().first_token?;
    Fact::of(format!("Your newest reply took {:.1} seconds to begin.", took.as_secs_f64()))
}

pub(super) const HEALTH: &[&str] = &[
    "are you working",
    "are you broken",
    "are you okay technically",
    "is something wrong with you",
    "system status",
    "your status",
    "bot status",
    "health check",
    "did you crash",
    "funktionierst du",
    "bist du kaputt",
];

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

pub(super) const VERSION: &[&str] = &[
    "what version are you",
    "which version are you",
    "your version",
    "what version is this",
    "welche version bist du",
    "deine version",
];

pub(super) fn version(_: &ReflexInput<'_>) -> Option<Fact> {
    Fact::of(format!("The program is version {}.", env!("CARGO_PKG_VERSION")))
}

pub(super) const UPTIME: &[&str] = &[
    "uptime",
    "how long have you been online",
    "how long have you been running",
    "how long have you been up",
    "when did you start",
    "when were you started",
    "when did you wake up",
    "when did you restart",
    "wie lange bist du schon online",
    "wie lange läufst du",
    "seit wann bist du online",
];

pub(super) fn uptime(input: &ReflexInput<'_>) -> Option<Fact> {
    let started = input.world.bot().started?;
    let at = started.to_zoned(input.now.time_zone().clone());
    Fact::of(format!(
        "You have been running for {}, since {}.",
        span(gap(started, input.at())),
        at.strftime("%A %-d %B %Y, %H:%M %Z")
    ))
}
