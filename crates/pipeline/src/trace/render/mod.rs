//! A trace for people to read.
//!
//! Owns the x-ray: every word of it. Start reading at [`markdown`].

mod brief;
mod sections;

use std::fmt::Write as _;

use super::Rights;
use super::forget::{RECORD_FORGOTTEN, is_forgotten};
use crate::domain::{CancelReason, ModelCall, Outcome, Role, Slot, TurnTrace};
use crate::text::short::{counted, one_line, thousands};
use crate::trace::RecordWords;

pub use self::brief::brief;
pub use self::sections::{
    call_end, plan_reasons, plan_words, processor_result, provider_result, render_fate,
};

/// The whole x-ray of a turn: outcome, why it spoke, times, what was offered and kept and why, every model call, and
/// the request word for word. Anybody but the operator is not told of pieces that were held back because not everyone
/// there could see where they were learnt: that there is such a piece is itself a secret.
pub fn markdown(trace: &TurnTrace, reader: Rights) -> String {
    let mut text = String::new();
    sections::render_header(&mut text, trace);
    sections::times(&mut text, trace);
    sections::render_call(&mut text, trace);
    sections::render_calls(&mut text, trace);
    sections::counting(&mut text, trace);
    sections::render_blackboard(&mut text, trace);
    sections::recast(&mut text, &trace.processing);
    if let Some(assembly) = &trace.assembly {
        sections::render_context(&mut text, assembly, reader);
    }
    if reader == Rights::Operator {
        sections::render_runs(&mut text, trace);
    }
    sections::render_request(&mut text, trace, reader);
    sections::render_reply(&mut text, trace);
    text
}

/// One line for a list, such as
/// `t42 · 2026-11-22 00:30:05 UTC · #general · replied in 2 messages · some/model · 3,412 (3,000 cached) → 120 tokens ·
/// 1.84 s`.
pub fn short(trace: &TurnTrace) -> String {
    let place = trace.place.channel_name.clone().unwrap_or_else(|| trace.place.channel.to_string());
    let mut line = format!(
        "{} · {} · {} · {}",
        trace.id,
        trace.opened_at.strftime("%F %T UTC"),
        one_line(&place),
        one_line(&outcome(trace)),
    );
    if let Some(call) = reply_call(trace) {
        let _ = write!(line, " · {}", call.model);
    }
    let (tokens_in, cached, tokens_out) = token_sums(trace);
    if tokens_in + tokens_out > 0 {
        let cached = if cached > 0 { format!(" ({} cached)", thousands(cached)) } else { String::new() };
        let _ = write!(line, " · {}{cached} → {} tokens", thousands(tokens_in), thousands(tokens_out));
    }
    if let Some(dollars) = total_cost(trace) {
        let _ = write!(line, " · {}", as_dollars(dollars));
    }
    if let Some(seconds) = lasted(trace) {
        let _ = write!(line, " · {seconds}");
    }
    line
}

/// Why a record holds no prompt though its turn had one. `None` where it holds it, or no model was asked.
pub fn lost(trace: &TurnTrace) -> Option<&'static str> {
    if is_forgotten(trace) {
        return Some(RECORD_FORGOTTEN);
    }
    was_killed(trace).then_some("its record was lost when the program was killed")
}

/// Why the familiar spoke, or why that is no longer known.
pub fn trigger(trace: &TurnTrace) -> &str {
    if is_forgotten(trace) { RECORD_FORGOTTEN } else { &trace.trigger }
}

/// How long it took from opening to outcome; `None` where the program was killed before anybody could say.
pub fn lasted(trace: &TurnTrace) -> Option<String> {
    (!was_killed(trace)).then(|| as_seconds(trace.total_us))
}

/// Such a trace is made at the next start, from what is known of the reply.
fn was_killed(trace: &TurnTrace) -> bool {
    trace.request.is_empty()
        && matches!(trace.outcome, Outcome::Cancelled { reason: CancelReason::Killed, .. })
}

/// The last call that was made for the reply; where there was none, the last of all.
pub fn reply_call(trace: &TurnTrace) -> Option<&ModelCall> {
    // The calls of side jobs stand around those for the reply.
    let is_side = |slot| matches!(slot, Slot::ReasoningContext | Slot::PostProcessStyle | Slot::MemorySearch);
    let for_reply = trace.calls.iter().rfind(|call| !is_side(call.slot));
    for_reply.or_else(|| trace.calls.last())
}

/// How a turn ended, in words: `replied in one message`.
pub fn outcome(trace: &TurnTrace) -> String {
    match &trace.outcome {
        Outcome::Replied { messages: 1 } => "replied in one message".to_owned(),
        Outcome::Replied { messages } => format!("replied in {messages} messages"),
        other => other.summary(),
    }
}

/// The tokens of all calls of a turn: in, of these cached, and out.
pub fn token_sums(trace: &TurnTrace) -> (u64, u64, u64) {
    trace.calls.iter().filter_map(|call| call.usage).fold((0, 0, 0), |(into, cached, out), usage| {
        (
            into + u64::from(usage.prompt_tokens),
            cached + u64::from(usage.cached_tokens),
            out + u64::from(usage.completion_tokens),
        )
    })
}

/// What all calls of a turn cost in US dollars; `None` where no provider said.
pub fn total_cost(trace: &TurnTrace) -> Option<f64> {
    cost_of(&trace.calls)
}

/// The same of some calls.
fn cost_of(calls: &[ModelCall]) -> Option<f64> {
    calls.iter().filter_map(|call| call.usage?.cost_usd).reduce(|sum, cost| sum + cost)
}

/// Microseconds as milliseconds with one decimal below ten.
pub fn as_millis(us: u64) -> String {
    if us < 10_000 { format!("{}.{}", us / 1_000, us % 1_000 / 100) } else { thousands(us / 1_000) }
}

/// Microseconds as seconds, `1.84 s`; as milliseconds below one second.
pub fn as_seconds(us: u64) -> String {
    if us < 1_000_000 {
        format!("{} ms", as_millis(us))
    } else {
        format!("{}.{:02} s", thousands(us / 1_000_000), us % 1_000_000 / 10_000)
    }
}

/// US dollars, with as many digits as a small call needs.
pub fn as_dollars(dollars: f64) -> String {
    if dollars >= 0.1 { format!("${dollars:.2}") } else { format!("${dollars:.5}") }
}

/// A text as one cell of a table.
fn cell(text: &str) -> String {
    one_line(text).replace('|', "\\|")
}

/// A text word for word, between fences longer than any it holds.
fn fenced(text: &str, language: &str) -> String {
    let fence = "`".repeat(longest_backticks(text).max(2) + 1);
    let end = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}\n")
}

fn longest_backticks(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Something that was said, is kept, and was not in a turn's prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// Who, when and where, for people.
    pub told: String,
    pub words: String,
}

/// A turn whose request is not recorded: what the words are to it is no question.
pub fn without_request(trace: &TurnTrace) -> String {
    if let Some(lost) = lost(trace) {
        return format!(
            "# {}\n\nWhat this turn was told is not known: {lost} ({}).\n",
            trace.id,
            cell(&outcome(trace))
        );
    }
    format!(
        "# {}\n\nThis turn asked no model ({}; {}), so it was told nothing. `/context` and `familiar context --list` name \
         the turns that did.\n",
        trace.id,
        cell(&trace.trigger),
        cell(&outcome(trace))
    )
}

/// Says what a turn did with `words`. `stored` is what the history holds and the turn could have used; `hidden`
/// counts, for the operator alone, what it holds and the turn may not use.
pub fn render_why(
    trace: &TurnTrace,
    words: &str,
    found: &RecordWords<'_>,
    stored: &[Stored],
    hidden: usize,
) -> String {
    let mut text = format!("# {} and \u{201c}{}\u{201d}\n", trace.id, cell(words));
    if found.is_within && !found.is_empty() {
        text.push_str("\nNo word that can be shown here begins so; longer words hold it.\n");
    }
    if !found.sent.is_empty() {
        text.push_str("\n## It was told\n\nThe words stand in what was sent to the model:\n\n");
        for sent in &found.sent {
            let role = match sent.role {
                Role::System => "the character and its rules",
                Role::User => "what people said, or what was looked up",
                Role::Assistant => "what it said itself",
            };
            let _ = writeln!(text, "- message {} ({role}): {}", sent.message, cell(&sent.excerpt));
        }
    }
    if !found.left_out.is_empty() {
        text.push_str("\n## It was left out\n\nThese pieces hold the words and were not sent:\n\n");
        for chunk in &found.left_out {
            let _ = writeln!(
                text,
                "- {} ({}, importance {}, {} tokens): {}",
                cell(&chunk.source),
                chunk.layer.as_str(),
                chunk.importance,
                thousands(chunk.tokens.into()),
                sections::render_fate(&chunk.fate),
            );
        }
    }
    if !stored.is_empty() {
        text.push_str(
            "\n## It is kept, but was not looked up\n\nNo search of this turn brought these up, and they are older \
             than the messages shown word for word:\n\n",
        );
        for stored in stored {
            let _ = writeln!(text, "- {}: {}", cell(&stored.told), cell(&stored.words));
        }
    }
    if hidden > 0 {
        let _ = writeln!(
            text,
            "\n## It is kept where this turn may not look\n\nIn places that not everyone here can see, the words stand \
             in {}. Only you are told so.",
            counted(hidden as u64, "stored message")
        );
    }
    sections::render_call(&mut text, trace);
    if found.is_empty() && stored.is_empty() && hidden == 0 {
        text.push_str("\nNothing it was told, and nothing it keeps and may use there, holds these words.\n");
    }
    text
}

#[cfg(test)]
mod figures_tests {
    use super::*;

    #[test]
    fn figures_read_well() {
        assert_eq!(
            ["0", "999", "1,000", "1,234,567"],
            [0, 999, 1_000, 1_234_567].map(thousands).each_ref().map(String::as_str)
        );
        assert_eq!(as_millis(1_840), "1.8");
        assert_eq!(as_seconds(1_845_000), "1.84 s");
        assert_eq!(as_seconds(80_000), "80 ms");
        assert_eq!(as_dollars(0.00123), "$0.00123");
        assert_eq!(as_dollars(1.5), "$1.50");
    }

    #[test]
    fn a_quotation_cannot_close_its_own_fence() {
        assert_eq!(fenced("a ```` b", ""), "`````\na ```` b\n`````\n");
        assert_eq!(fenced("plain", "json"), "```json\nplain\n```\n");
    }
}
