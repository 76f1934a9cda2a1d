//! A trace for people to read.
//!
//! Owns the x-ray: every word of it. Start reading at [`markdown`].

mod background;
mod cache;
mod figures;
mod processing;
mod sections;
mod why;

use std::fmt::Write as _;

use super::Standing;
use crate::domain::{Outcome, Slot, TurnTrace};

use figures::{cost, seconds, thousands};
pub use why::{Stored, asked_nobody, why};

/// The whole x-ray of a turn: outcome, why it spoke, times, what was offered and kept and why, every model call, and
/// the request word for word. Anybody but the operator is not told of pieces that were held back because not everyone
/// there could see where they were learnt: that there is such a piece is itself a secret.
#[must_use]
pub fn markdown(trace: &TurnTrace, reader: Standing) -> String {
    let mut text = String::new();
    sections::header(&mut text, trace);
    sections::times(&mut text, trace);
    sections::in_call(&mut text, trace);
    sections::calls(&mut text, trace);
    sections::counting(&mut text, trace);
    processing::thought_first(&mut text, &trace.processing);
    processing::called(&mut text, &trace.processing);
    processing::recast(&mut text, &trace.processing);
    if let Some(assembly) = &trace.assembly {
        sections::context(&mut text, assembly, reader);
    }
    if reader == Standing::Operator {
        background::runs(&mut text, trace);
    }
    sections::request(&mut text, trace, reader);
    sections::reply(&mut text, trace);
    text
}

/// One line for a list, such as
/// `t42 · 2026-11-22 00:30:05 UTC · #general · replied in 2 messages · some/model · 3,412 (3,000 cached) → 120 tokens ·
/// 1.84 s`.
#[must_use]
pub fn short(trace: &TurnTrace) -> String {
    let place = trace.place.channel_name.clone().unwrap_or_else(|| trace.place.channel.to_string());
    let mut line = format!(
        "{} · {} · {} · {}",
        trace.id,
        trace.opened_at.strftime("%F %T UTC"),
        place.replace(['\n', '\r'], " "),
        outcome(trace).replace(['\n', '\r'], " "),
    );
    // The calls of side jobs stand around those for the reply.
    let is_side = |slot| matches!(slot, Slot::ReasoningContext | Slot::PostProcessStyle | Slot::MemorySearch);
    let for_reply = trace.calls.iter().rfind(|call| !is_side(call.slot));
    if let Some(call) = for_reply.or_else(|| trace.calls.last()) {
        let _ = write!(line, " · {}", call.model);
    }
    let (tokens_in, cached, tokens_out) = tokens(trace);
    if tokens_in + tokens_out > 0 {
        let cached = if cached > 0 { format!(" ({} cached)", thousands(cached)) } else { String::new() };
        let _ = write!(line, " · {}{cached} → {} tokens", thousands(tokens_in), thousands(tokens_out));
    }
    if let Some(dollars) = total_cost(trace) {
        let _ = write!(line, " · {}", cost(dollars));
    }
    let _ = write!(line, " · {}", seconds(trace.total_us));
    line
}

fn outcome(trace: &TurnTrace) -> String {
    match &trace.outcome {
        Outcome::Replied { messages: 1 } => "replied in one message".to_owned(),
        Outcome::Replied { messages } => format!("replied in {messages} messages"),
        other => other.summary(),
    }
}

/// In, of these cached, and out.
fn tokens(trace: &TurnTrace) -> (u64, u64, u64) {
    trace.calls.iter().filter_map(|call| call.usage).fold((0, 0, 0), |(into, cached, out), usage| {
        (
            into + u64::from(usage.prompt_tokens),
            cached + u64::from(usage.cached_tokens),
            out + u64::from(usage.completion_tokens),
        )
    })
}

fn total_cost(trace: &TurnTrace) -> Option<f64> {
    trace.calls.iter().filter_map(|call| call.usage?.cost_usd).reduce(|sum, cost| sum + cost)
}
