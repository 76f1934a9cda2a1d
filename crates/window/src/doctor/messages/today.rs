//! What the doctor says of what went wrong today.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::super::report::{DoctorCheck, Remedy};
use super::NOT_STORED_ADVICE;
use crate::domain::TurnId;

pub(in crate::doctor) fn no_turns_today() -> DoctorCheck {
    DoctorCheck::ok("turns", "nothing was answered or left unanswered today")
}

pub(in crate::doctor) fn turns_today(turns: usize, troubles: usize) -> DoctorCheck {
    let turns = if turns == 1 { "one turn today".to_owned() } else { format!("{turns} turns today") };
    match troubles {
        0 => DoctorCheck::ok("turns", format!("{turns}, nothing went wrong")),
        1 => DoctorCheck::warn("turns", format!("{turns}, one thing went wrong"), "it is told below"),
        _ => DoctorCheck::warn(
            "turns",
            format!("{turns}, {troubles} things went wrong"),
            "they are told below",
        ),
    }
}

/// Of `all` turns that were to be answered.
pub(in crate::doctor) fn most_unanswered_today(unanswered: usize, all: usize) -> DoctorCheck {
    let message = match all {
        1 => "the one turn of today got no answer".to_owned(),
        _ => format!("{unanswered} of {all} turns today got no answer"),
    };
    DoctorCheck::fail("turns", message, "why is told below; `familiar doctor` asks the model itself")
        .mended_by(Remedy::Model)
}

/// Sorts of trouble, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::doctor) enum TroubleKind {
    /// What somebody said could not be stored, so it was not answered either.
    NotStored,
    Unanswered,
    /// Somebody was answered, and it did not arrive.
    Undelivered,
    /// A call for a reply failed; a fallback or another try answered.
    Call,
    /// A call for a reply failed or was stopped, and the turn was ended from outside before another answered.
    CallOfEnded,
    /// A call around the reply or behind the scenes failed, and its work was left.
    SideCall,
    /// Something that finds context was late or broke.
    Provider,
    /// Something around the reply was late or broke.
    Processor,
    /// Something behind the scenes came to nothing.
    Worker,
}

/// How often trouble of one sort was, when it last was, and in which turns, the newest first.
#[derive(Debug, Default)]
pub(in crate::doctor) struct TroubleSeen {
    pub times: usize,
    pub last: Option<Timestamp>,
    pub turns: Vec<TurnId>,
}

/// `is_still`: no turn came after the last of them.
pub(in crate::doctor) fn trouble_today(
    kind: TroubleKind,
    what: &str,
    seen: &TroubleSeen,
    tz: &TimeZone,
    is_still: bool,
) -> DoctorCheck {
    let told = trouble_told(what, seen, tz);
    let without_it = "replies went on without it; ";
    let (name, advice) = match kind {
        TroubleKind::NotStored if is_still => {
            return DoctorCheck::fail("not_stored", told, NOT_STORED_ADVICE);
        }
        TroubleKind::NotStored => return DoctorCheck::warn("not_stored", told, NOT_STORED_ADVICE),
        TroubleKind::Unanswered => ("unanswered", ""),
        TroubleKind::Undelivered => {
            ("unanswered", "`familiar doctor` says whether Discord lets it in, and where it may write; ")
        }
        TroubleKind::Call => ("model_calls", "another try or another model answered; "),
        TroubleKind::CallOfEnded => ("model_calls", "the turn was ended before anything answered; "),
        TroubleKind::SideCall => ("model_calls", without_it),
        TroubleKind::Provider => ("context", without_it),
        TroubleKind::Processor => ("around_the_reply", without_it),
        TroubleKind::Worker => ("behind_the_scenes", without_it),
    };
    let newest = seen.turns.first().copied();
    let look =
        newest.map_or_else(|| "familiar context".to_owned(), |turn| format!("familiar context {turn}"));
    DoctorCheck::warn(name, told, format!("{advice}look with `{look}`")).mended_by(newest.map(Remedy::Turn))
}

/// What of a prompt a provider of context gives; one that is not known here by its name in the record.
pub(in crate::doctor) fn context_part(provider: &str) -> &str {
    match provider {
        "awareness" => "what went on since it last spoke",
        "branched" => "the talk that a thread goes on from",
        "character" => "who it is",
        "company" => "how people here stand to each other",
        "contradicted" => "the word that something else was said before",
        "documents" => "the files that came along",
        "facts" => "what the program knows for certain",
        "format" => "the form that an answer has to have",
        "house" => "what you added to prompts",
        "lessons" => "what it learnt of how people want answers",
        "live" => "the time, the place and who is here",
        "lore" => "the lore",
        "meanwhile" => "what goes on in other channels",
        "mode" => "how it talks in the channel's mode",
        "mood" => "its mood",
        "people" => "what is noted of the people here",
        "recall" => "what was found in memory",
        "recent_history" => "what was said last",
        "safety" => "what holds where somebody wants to die",
        "skills" => "the skills that were called up",
        "spillover" => "what had left the prompt before",
        "unkept" => "the word that a secret is noted nowhere",
        "warm" => "what was found for earlier messages",
        other => other,
    }
}

/// Turns that are named of one sort of trouble.
const TURNS_NAMED: usize = 5;

fn trouble_told(what: &str, seen: &TroubleSeen, tz: &TimeZone) -> String {
    let named: Vec<String> = seen.turns.iter().take(TURNS_NAMED).map(ToString::to_string).collect();
    let more = if seen.turns.len() > TURNS_NAMED { ", …" } else { "" };
    let at = seen.last.map(|at| at.to_zoned(tz.clone()).strftime("%H:%M").to_string()).unwrap_or_default();
    format!("{what} ({}, last at {at}: {}{more})", often(seen.times), named.join(", "))
}

fn often(times: usize) -> String {
    if times == 1 { "once".to_owned() } else { format!("{times} times") }
}
