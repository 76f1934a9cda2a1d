//! What went wrong today, from the records of turns: for whoever runs the familiar (G8).
//!
//! Owns what of a record is trouble and how it is counted. Must not know how records are kept. Start at [`troubles_today`].

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::machine;
use super::messages::{self, TroubleKind, TroubleSeen};
use super::report::{CheckStatus, DoctorReport};
use crate::config::FamiliarHome;
use crate::domain::{
    CancelReason, ModelCall, ModelErrorClass, Outcome, ProcessorStatus, ProviderOutcome, ProviderStatus,
    SilenceReason, Slot, TurnTrace,
};
use crate::text::short::{beginning, one_line};
use crate::trace::{TraceError, TraceReader};

/// Records looked through, the newest.
const TURNS: usize = 5_000;

/// Words of one sort of trouble that are told, in characters.
const WORDS: usize = 160;

/// As [`troubles_today`], and whether the disk is full or nearly so: a full one keeps no record of what it refused. Blocks.
///
/// # Errors
/// When the records cannot be read.
pub fn trouble_and_room_today(
    home: &FamiliarHome,
    tz: &TimeZone,
    now: Timestamp,
) -> Result<DoctorReport, TraceError> {
    let mut checks = troubles_today(home, tz, now)?.checks;
    let disk = machine::disk_at(home.root());
    checks.extend(Some(disk).filter(|disk| disk.status >= CheckStatus::Warn));
    Ok(DoctorReport::of(checks))
}

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
    let answers: Vec<bool> = of_today.iter().filter_map(|trace| was_answered(&trace.outcome)).collect();
    let mut checks = vec![match unanswered_as_a_rule(&answers) {
        Some(unanswered) => messages::most_unanswered_today(unanswered, answers.len()),
        None if of_today.is_empty() => messages::no_turns_today(),
        None => messages::turns_today(of_today.len(), troubles.len()),
    }];
    let newest = of_today.first().map(|trace| trace.id);
    checks.extend(troubles.into_iter().map(|((kind, words), mut seen)| {
        seen.turns.sort_unstable_by_key(|turn| std::cmp::Reverse(*turn));
        let is_still = seen.turns.first().copied() == newest;
        messages::trouble_today(kind, &words, &seen, tz, is_still)
    }));
    Ok(DoctorReport::of(checks))
}

/// Whether what was to be answered was; `None` where nothing was to be, or somebody else ended it.
fn was_answered(outcome: &Outcome) -> Option<bool> {
    match outcome {
        Outcome::Replied { .. } => Some(true),
        Outcome::Failed { .. } => Some(false),
        Outcome::Undelivered { messages, .. } => Some(*messages > 0),
        Outcome::Silent { .. } | Outcome::Cancelled { .. } => None,
    }
}

/// How many got no answer, where that is most of them and the newest, which stands first, too: what was mended since is no
/// thing to mend.
fn unanswered_as_a_rule(answers: &[bool]) -> Option<usize> {
    let unanswered = answers.iter().filter(|is_answered| !**is_answered).count();
    (answers.first() == Some(&false) && 2 * unanswered > answers.len()).then_some(unanswered)
}

fn troubles_of(trace: &TurnTrace) -> Vec<(TroubleKind, String)> {
    let mut found = Vec::new();
    match &trace.outcome {
        Outcome::Failed { error, .. } => found.push((TroubleKind::Unanswered, error.clone())),
        Outcome::Undelivered { error, .. } => {
            found.push((TroubleKind::Undelivered, format!("not delivered: {error}")));
        }
        Outcome::Silent { reason: reason @ SilenceReason::NotStored } => {
            found.push((TroubleKind::NotStored, reason.words()));
        }
        Outcome::Replied { .. } | Outcome::Silent { .. } | Outcome::Cancelled { .. } => {}
    }
    let plan = trace.assembly.iter().find_map(|figures| figures.plan.as_ref());
    let answering = plan.map_or(Slot::MainProse, |plan| plan.slot);
    let is_for_reply = |call: &ModelCall| call.slot == answering || call.slot == Slot::MainProse;
    for call in trace.calls.iter().filter(|call| is_for_reply(call)) {
        found.extend(trouble_of_reply(call, &trace.outcome));
    }
    let beside = trace.calls.iter().filter(|call| !is_for_reply(call));
    let beside = beside.chain(trace.background.iter().flat_map(|run| &run.calls));
    for call in beside {
        if let Some((_, error)) = &call.error {
            found.push((TroubleKind::SideCall, call_told(call, error)));
        }
    }
    let asked = trace.assembly.iter().flat_map(|figures| &figures.providers);
    found.extend(asked.filter_map(lacking).map(|words| (TroubleKind::Provider, words)));
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

/// What a prompt had to do without, and why.
fn lacking(asked: &ProviderOutcome) -> Option<String> {
    let what = messages::context_part(&asked.provider);
    match &asked.status {
        ProviderStatus::Late => Some(format!("{what} came too late")),
        ProviderStatus::Failed { error } => Some(format!("{what}: {error}")),
        ProviderStatus::Ok { .. }
        | ProviderStatus::Cached { .. }
        | ProviderStatus::NotAwaited
        | ProviderStatus::Partly { .. } => None,
    }
}

/// What is to be told of a call for a reply in a turn that ended like this.
fn trouble_of_reply(call: &ModelCall, outcome: &Outcome) -> Option<(TroubleKind, String)> {
    let (class, error) = call.error.as_ref()?;
    match outcome {
        // That nobody was answered is told already, with the same reason.
        Outcome::Failed { .. } => None,
        Outcome::Cancelled { reason, messages } if *class == ModelErrorClass::Cancelled => {
            // Every turn that is ended from outside ends its call. Only who waits too long stops it before a word.
            let is_given_up = *reason == CancelReason::StoppedByHand && *messages == 0;
            is_given_up
                .then(|| (TroubleKind::CallOfEnded, call_told(call, "stopped by hand before an answer")))
        }
        Outcome::Cancelled { .. } => Some((TroubleKind::CallOfEnded, call_told(call, error))),
        Outcome::Replied { .. } | Outcome::Silent { .. } | Outcome::Undelivered { .. } => {
            Some((TroubleKind::Call, call_told(call, error)))
        }
    }
}

fn call_told(call: &ModelCall, error: &str) -> String {
    format!("{} of {}: {error}", call.model, call.slot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_prompt_had_to_do_without_is_told_in_peoples_words() {
        let told =
            |provider: &str, status| lacking(&ProviderOutcome { provider: provider.into(), us: 1, status });
        let late = told("unkept", ProviderStatus::Late);
        assert_eq!(late.as_deref(), Some("the word that a secret is noted nowhere came too late"));
        let failed = told("recall", ProviderStatus::Failed { error: "no such table".into() });
        assert_eq!(failed.as_deref(), Some("what was found in memory: no such table"));
        assert_eq!(told("lore", ProviderStatus::NotAwaited), None);
    }

    #[test]
    fn most_turns_without_an_answer_are_a_failure_until_one_is_answered_again() {
        for (newest_first, told) in [
            (&[][..], None),
            (&[false][..], Some(1)),
            (&[false, true][..], None),
            (&[false, false, true][..], Some(2)),
            // It was mended.
            (&[true, false, false, false][..], None),
        ] {
            assert_eq!(unanswered_as_a_rule(newest_first), told, "{newest_first:?}");
        }
    }
}
