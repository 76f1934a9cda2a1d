//! What went wrong today, from the records of turns: for whoever runs the familiar (specs mechanisms G8).
//!
//! Owns what of a record is trouble and how it is counted. Must not know how records are kept. Start at [`troubles_today`].

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::messages::{self, LastTrouble};
use super::report::{DoctorCheck, DoctorReport};
use crate::config::FamiliarHome;
use crate::domain::{ModelCall, Outcome, ProcessorStatus, ProviderStatus, Slot, TurnId, TurnTrace};
use crate::text::short::{beginning, one_line};
use crate::trace::{TraceError, TraceReader};

/// Records looked through, the newest.
const TURNS: u32 = 5_000;

/// Words of one sort of trouble that are told, in characters.
const WORDS: usize = 160;

/// Everything that went wrong on the day of `now` in this time zone, the most frequent first. The records are only read.
/// Blocks.
///
/// # Errors
/// When they cannot be.
pub fn troubles_today(
    home: &FamiliarHome,
    tz: &TimeZone,
    now: Timestamp,
) -> Result<DoctorReport, TraceError> {
    if !home.traces_db().exists() {
        return Ok(DoctorReport::of(vec![messages::no_turns_today()]));
    }
    let midnight = now.to_zoned(tz.clone()).start_of_day();
    // A day without a beginning is none of a calendar's; then all that is kept is of it.
    let midnight = midnight.map_or(Timestamp::MIN, |midnight| midnight.timestamp());
    let of_today = TraceReader::open(&home.traces_db())?.since(midnight, TURNS)?;
    let mut troubles: BTreeMap<(TroubleKind, String), TroubleSeen> = BTreeMap::new();
    for trace in &of_today {
        for (kind, words) in troubles_of(trace) {
            let words = beginning(&one_line(&words), WORDS).to_owned();
            let seen = troubles.entry((kind, words)).or_default();
            seen.times += 1;
            if !seen.turns.contains(&trace.id) {
                seen.turns.push(trace.id);
            }
            seen.last = seen.last.max(Some(trace.opened_at));
        }
    }
    let mut troubles: Vec<_> = troubles.into_iter().collect();
    troubles.sort_by_key(|((kind, words), seen)| (*kind, std::cmp::Reverse(seen.times), words.clone()));
    let mut checks = vec![if of_today.is_empty() {
        messages::no_turns_today()
    } else {
        messages::turns_today(of_today.len(), troubles.len())
    }];
    checks.extend(troubles.into_iter().map(|((kind, words), mut seen)| {
        let last = seen.last.map(|at| at.to_zoned(tz.clone()).strftime("%H:%M").to_string());
        seen.turns.sort_unstable_by_key(|turn| std::cmp::Reverse(*turn));
        let last = LastTrouble { at: last.unwrap_or_default(), turns: seen.turns };
        trouble_check(kind, &words, seen.times, &last)
    }));
    Ok(DoctorReport::of(checks))
}

#[derive(Debug, Default)]
struct TroubleSeen {
    times: usize,
    last: Option<Timestamp>,
    turns: Vec<TurnId>,
}

/// Sorts of trouble, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TroubleKind {
    /// Somebody got no answer.
    Unanswered,
    /// A call for a reply failed; a fallback or another try answered.
    Call,
    /// A call around the reply or behind the scenes failed, and its work was left.
    SideCall,
    /// Something that finds context was late or broke.
    Provider,
    /// Something around the reply was late or broke.
    Processor,
    /// Something behind the scenes came to nothing.
    Worker,
}

fn trouble_check(kind: TroubleKind, words: &str, times: usize, last: &LastTrouble) -> DoctorCheck {
    match kind {
        TroubleKind::Unanswered => messages::unanswered_today(words, times, last),
        TroubleKind::Call => messages::other_try_today(words, times, last),
        TroubleKind::SideCall => messages::trouble_today("model_calls", words, times, last),
        TroubleKind::Provider => messages::trouble_today("context", words, times, last),
        TroubleKind::Processor => messages::trouble_today("around_the_reply", words, times, last),
        TroubleKind::Worker => messages::trouble_today("behind_the_scenes", words, times, last),
    }
}

fn troubles_of(trace: &TurnTrace) -> Vec<(TroubleKind, String)> {
    let mut found = Vec::new();
    match &trace.outcome {
        Outcome::Failed { error, .. } => found.push((TroubleKind::Unanswered, error.clone())),
        Outcome::Undelivered { error, .. } => {
            found.push((TroubleKind::Unanswered, format!("not delivered: {error}")));
        }
        Outcome::Replied { .. } | Outcome::Silent { .. } | Outcome::Cancelled { .. } => {}
    }
    let plan = trace.assembly.iter().find_map(|figures| figures.plan.as_ref());
    let answering = plan.map_or(Slot::MainProse, |plan| plan.slot);
    let is_for_reply = |call: &ModelCall| call.slot == answering || call.slot == Slot::MainProse;
    let for_reply =
        trace.calls.iter().filter(|call| is_for_reply(call)).map(|call| (TroubleKind::Call, call));
    // That nobody was answered is told already, with the same reason.
    let for_reply = for_reply.filter(|_| !matches!(trace.outcome, Outcome::Failed { .. }));
    let beside = trace.calls.iter().filter(|call| !is_for_reply(call));
    let beside = beside.chain(trace.background.iter().flat_map(|run| &run.calls));
    for (kind, call) in for_reply.chain(beside.map(|call| (TroubleKind::SideCall, call))) {
        if let Some((_, error)) = &call.error {
            found.push((kind, format!("{} of {}: {error}", call.model, call.slot)));
        }
    }
    for outcome in trace.assembly.iter().flat_map(|figures| &figures.providers) {
        match &outcome.status {
            ProviderStatus::Late => {
                found.push((TroubleKind::Provider, format!("{} was late", outcome.provider)))
            }
            ProviderStatus::Failed { error } => {
                found.push((TroubleKind::Provider, format!("{}: {error}", outcome.provider)));
            }
            ProviderStatus::Ok { .. }
            | ProviderStatus::Cached { .. }
            | ProviderStatus::NotAwaited
            | ProviderStatus::Partly { .. } => {}
        }
    }
    for run in &trace.processing.runs {
        match &run.status {
            ProcessorStatus::Late => {
                found.push((TroubleKind::Processor, format!("{} was late", run.processor)))
            }
            ProcessorStatus::Failed { why } => {
                found.push((TroubleKind::Processor, format!("{}: {why}", run.processor)));
            }
            _ => {}
        }
    }
    for run in &trace.background {
        // What a job says of what it made nothing of; the range of messages differs each time.
        if let Some((_, why)) = run.did.split_once("passed over for now: ") {
            found.push((TroubleKind::Worker, format!("{}: {why}", run.worker)));
        }
    }
    found
}
