//! The part of the x-ray about what was done around the main model.

use std::fmt::Write as _;

use crate::domain::{Processing, ProcessorRecord, ProcessorSide, ProcessorStatus};

use super::figures::{cell, millis, quoted, thousands};

/// What was thought before the reply, which nobody else gets to see.
pub(super) fn thought_first(text: &mut String, processing: &Processing) {
    let runs = of_side(processing, ProcessorSide::Before);
    if runs.is_empty() {
        return;
    }
    text.push_str("\n## Thought first\n");
    table(text, &runs);
    let _ = writeln!(
        text,
        "\nModel calls before the reply's first token, its own not counted: {}.",
        processing.calls_before_first_token
    );
    for run in runs {
        if let Some(made) = run.made.as_ref().filter(|made| !made.is_empty()) {
            let _ = write!(text, "\n{}", quoted(made, ""));
        }
    }
}

/// What the model looked up or did before it answered.
pub(super) fn called(text: &mut String, processing: &Processing) {
    if processing.rounds.is_empty() {
        return;
    }
    text.push_str("\n## Tools\n");
    for (number, round) in (1..).zip(&processing.rounds) {
        for (call, result) in round.calls.iter().zip(&round.results) {
            let how = if result.failed { "did not work" } else { "gave" };
            let _ = write!(
                text,
                "\n{number}. `{}` with `{}` {how}:\n\n{}",
                cell(&call.name),
                cell(&call.arguments),
                quoted(&result.content, "")
            );
        }
    }
}

/// What became of the reply after it was written.
pub(super) fn recast(text: &mut String, processing: &Processing) {
    let runs = of_side(processing, ProcessorSide::After);
    if runs.is_empty() && processing.written.is_none() {
        return;
    }
    text.push_str("\n## Recast\n");
    table(text, &runs);
    if let Some(written) = &processing.written {
        let _ = write!(text, "\nAs the model wrote it:\n\n{}", quoted(written, ""));
    }
    for run in runs {
        if let (ProcessorStatus::Refused { .. }, Some(made)) = (&run.status, &run.made) {
            let _ = write!(text, "\nNot accepted, from `{}`:\n\n{}", cell(&run.processor), quoted(made, ""));
        }
    }
}

fn of_side(processing: &Processing, side: ProcessorSide) -> Vec<&ProcessorRecord> {
    processing.runs.iter().filter(|run| run.side == side).collect()
}

fn table(text: &mut String, runs: &[&ProcessorRecord]) {
    if runs.is_empty() {
        return;
    }
    text.push_str(
        "\n| Processor | Model | Calls | Tokens | ms | Result |\n| --- | --- | ---: | ---: | ---: | --- |\n",
    );
    for run in runs {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} |",
            cell(&run.processor),
            run.model.as_deref().map_or_else(|| "–".to_owned(), cell),
            run.calls,
            thousands(run.tokens),
            millis(run.us),
            result(&run.status),
        );
    }
}

fn result(status: &ProcessorStatus) -> String {
    match status {
        ProcessorStatus::Ran => "done".to_owned(),
        ProcessorStatus::Skipped { why } => format!("skipped: {}", cell(why)),
        ProcessorStatus::Failed { why } => format!("failed: {}", cell(why)),
        ProcessorStatus::Late => "too late, left out".to_owned(),
        ProcessorStatus::Refused { why } => format!("not accepted: {}", cell(why)),
        ProcessorStatus::BrokenOff => "broken off: the turn ended first".to_owned(),
    }
}
