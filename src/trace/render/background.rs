//! What was done behind the scenes, and how full the room for the conversation is.

use std::fmt::Write as _;

use super::figures::{cell, cost, millis, thousands};
use crate::domain::{TurnTrace, WindowFigures};

pub(super) fn window(text: &mut String, window: &WindowFigures) {
    let share = u64::from(window.used) * 100 / u64::from(window.cap.max(1));
    let _ = writeln!(
        text,
        "\nThe conversation takes {} of {} tokens ({share} %): {}.",
        thousands(window.used.into()),
        thousands(window.cap.into()),
        window.verdict,
    );
}

pub(super) fn runs(text: &mut String, trace: &TurnTrace) {
    if trace.background.is_empty() {
        return;
    }
    text.push_str("\n## Behind the scenes, since the turn before\n\n| Job | When | ms | Calls | Cost | What |\n| --- | --- | ---: | ---: | ---: | --- |\n");
    for run in &trace.background {
        let dollars = run.calls.iter().filter_map(|call| call.usage?.cost_usd).reduce(|sum, cost| sum + cost);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} |",
            cell(&run.worker),
            run.at.strftime("%T"),
            millis(run.us),
            run.calls.len(),
            dollars.map_or_else(|| "–".to_owned(), cost),
            cell(&run.did),
        );
    }
}
