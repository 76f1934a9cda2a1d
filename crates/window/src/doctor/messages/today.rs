//! What the doctor says of what went wrong today.

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

/// When trouble of one sort last was, and in which turns, the newest first.
#[derive(Debug)]
pub(in crate::doctor) struct LastTrouble {
    pub at: String,
    pub turns: Vec<TurnId>,
}

impl LastTrouble {
    fn remedy(&self) -> Option<Remedy> {
        self.turns.first().copied().map(Remedy::Turn)
    }
}

/// `is_still`: no turn came after the last of them.
pub(in crate::doctor) fn not_stored_today(
    what: &str,
    times: usize,
    last: &LastTrouble,
    is_still: bool,
) -> DoctorCheck {
    let told = trouble_told(what, times, last);
    if is_still {
        DoctorCheck::fail("not_stored", told, NOT_STORED_ADVICE)
    } else {
        DoctorCheck::warn("not_stored", told, NOT_STORED_ADVICE)
    }
}

pub(in crate::doctor) fn unanswered_today(what: &str, times: usize, last: &LastTrouble) -> DoctorCheck {
    DoctorCheck::warn(
        "unanswered",
        trouble_told(what, times, last),
        format!("look with `{}`", when_and_where(last)),
    )
    .mended_by(last.remedy())
}

/// There was an answer, and it did not arrive.
pub(in crate::doctor) fn undelivered_today(what: &str, times: usize, last: &LastTrouble) -> DoctorCheck {
    DoctorCheck::warn(
        "unanswered",
        trouble_told(what, times, last),
        format!(
            "`familiar doctor` says whether Discord lets it in, and where it may write; look with `{}`",
            when_and_where(last)
        ),
    )
    .mended_by(last.remedy())
}

pub(in crate::doctor) fn other_try_today(what: &str, times: usize, last: &LastTrouble) -> DoctorCheck {
    let advice = format!("another try or another model answered; look with `{}`", when_and_where(last));
    DoctorCheck::warn("model_calls", trouble_told(what, times, last), advice).mended_by(last.remedy())
}

/// Nothing answered in its place: whoever waited for it, or the program, ended the turn before.
pub(in crate::doctor) fn call_of_ended_today(what: &str, times: usize, last: &LastTrouble) -> DoctorCheck {
    let advice = format!("the turn was ended before anything answered; look with `{}`", when_and_where(last));
    DoctorCheck::warn("model_calls", trouble_told(what, times, last), advice).mended_by(last.remedy())
}

pub(in crate::doctor) fn trouble_today(
    name: &'static str,
    what: &str,
    times: usize,
    last: &LastTrouble,
) -> DoctorCheck {
    let advice = format!("replies went on without it; look with `{}`", when_and_where(last));
    DoctorCheck::warn(name, trouble_told(what, times, last), advice).mended_by(last.remedy())
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

fn trouble_told(what: &str, times: usize, last: &LastTrouble) -> String {
    let named: Vec<String> = last.turns.iter().take(TURNS_NAMED).map(ToString::to_string).collect();
    let more = if last.turns.len() > TURNS_NAMED { ", …" } else { "" };
    format!("{what} ({}, last at {}: {}{more})", often(times), last.at, named.join(", "))
}

fn when_and_where(last: &LastTrouble) -> String {
    last.turns
        .first()
        .map_or_else(|| "familiar context".to_owned(), |turn| format!("familiar context {turn}"))
}

fn often(times: usize) -> String {
    if times == 1 { "once".to_owned() } else { format!("{times} times") }
}
