//! What is said about reminders.

use crate::domain::{AccountId, ReminderKind};
use crate::history::Reminder;
use crate::text::defuse::defuse;
use crate::text::short::{one_line, shortened};

/// Letters of a reminder that are shown in a list.
const SHOWN: usize = 60;

/// Over the choice under `/reminders`.
pub(in crate::discord) const CHOOSE_REMINDER: &str = "Cancel one …";

/// `/reminders`: those that are shown of so many, one's own first. Discord shows moments by the clock of whoever reads.
pub(in crate::discord) fn reminders(
    familiar: &str,
    reader: &AccountId,
    shown: &[Reminder],
    all: usize,
) -> String {
    if shown.is_empty() {
        return format!("{familiar} keeps no reminders of yours that may be seen here.");
    }
    let (own, others): (Vec<_>, Vec<_>) = shown.iter().partition(|one| one.what.asker.account == *reader);
    let mut lines = Vec::new();
    if !own.is_empty() {
        lines.push(format!("{familiar} keeps for you:"));
        lines.extend(own.into_iter().map(reminder_line));
    }
    if !others.is_empty() {
        lines.push(format!(
            "{familiar} keeps for others what they asked for in this channel, which you manage:"
        ));
        lines.extend(others.into_iter().map(|one| {
            let asker = shortened(&one_line(one.what.asker.label()), SHOWN);
            format!("{}, for {}", reminder_line(one), defuse(&asker))
        }));
    }
    if all > shown.len() {
        lines.push(format!("… and {} more", all - shown.len()));
    }
    lines.join("\n")
}

fn reminder_line(one: &Reminder) -> String {
    let when = match (one.what.kind, one.what.due) {
        (ReminderKind::OpenLoop, _) | (_, None) => "still open".to_owned(),
        (_, Some(due)) => format!("<t:{}:f>", due.as_second()),
    };
    let again =
        one.what.recurrence.as_ref().map(|again| format!(", {}", again.in_words())).unwrap_or_default();
    format!("- {when}{again}: {}", reminder_words(one))
}

fn reminder_words(one: &Reminder) -> String {
    defuse(&shortened(&one_line(&one.what.words), SHOWN)).into_owned()
}

pub(in crate::discord) fn reminder_cancelled(one: &Reminder) -> String {
    format!("Cancelled: {}", reminder_words(one))
}

pub(in crate::discord) fn reminder_gone() -> String {
    "That one is not there any more.".to_owned()
}
