//! What is said about reminders.

use super::say::{said, sentences};
use super::{Tongue, moment};
use crate::domain::{AccountId, Recurrence, ReminderKind, Repeats};
use crate::history::Reminder;
use crate::text::defuse::defuse;
use crate::text::short::{one_line, shortened};

/// Letters of a reminder that are shown in a list.
const SHOWN: usize = 60;

sentences! {
    /// Over the choice under `/reminders`.
    choose_reminder();
    reminder_gone();
}

/// `/reminders`: those that are shown of so many, one's own first. Discord shows moments by the clock of whoever reads.
pub(in crate::discord) fn reminders(
    to: Tongue,
    familiar: &str,
    reader: &AccountId,
    shown: &[Reminder],
    all: usize,
) -> String {
    if shown.is_empty() {
        return said!(to, reminders_none, familiar);
    }
    let (rituals, theirs): (Vec<_>, Vec<_>) =
        shown.iter().partition(|one| one.what.kind == ReminderKind::Ritual);
    let (own, others): (Vec<_>, Vec<_>) =
        theirs.into_iter().partition(|one| one.what.asker.account == *reader);
    let mut lines = Vec::new();
    if !rituals.is_empty() {
        lines.push(said!(to, reminders_rituals, familiar));
        lines.extend(rituals.into_iter().map(|one| reminder_line(to, one)));
    }
    if !own.is_empty() {
        lines.push(said!(to, reminders_own, familiar));
        lines.extend(own.into_iter().map(|one| reminder_line(to, one)));
    }
    if !others.is_empty() {
        lines.push(said!(to, reminders_others, familiar));
        lines.extend(others.into_iter().map(|one| {
            let asker = shortened(&one_line(one.what.asker.label()), SHOWN);
            said!(to, reminder_for, reminder = reminder_line(to, one), asker = defuse(&asker).into_owned())
        }));
    }
    if all > shown.len() {
        lines.push(said!(to, reminders_more, count = all - shown.len()));
    }
    lines.join("\n")
}

fn reminder_line(to: Tongue, one: &Reminder) -> String {
    let when = match (one.what.kind, one.what.due) {
        (ReminderKind::OpenLoop, _) | (_, None) => said!(to, reminder_open),
        (_, Some(due)) => moment(due),
    };
    let again = one.what.recurrence.as_ref().map_or_else(|| "none".to_owned(), |again| how_often(to, again));
    said!(to, reminder_line, when, again, words = reminder_words(one))
}

/// "every Monday and Friday at 08:00".
fn how_often(to: Tongue, again: &Recurrence) -> String {
    let time = again.at.strftime("%H:%M").to_string();
    match &again.repeats {
        Repeats::Daily => said!(to, reminder_again, repeats = "daily", time),
        Repeats::Weekdays => said!(to, reminder_again, repeats = "weekdays", time),
        Repeats::Weekly(days) => {
            let days: Vec<String> = days.iter().map(|day| said!(to, weekday, weekday = *day)).collect();
            let days = days.join(&said!(to, weekday_and));
            said!(to, reminder_again, repeats = "weekly", days, time)
        }
        Repeats::Monthly(day) => said!(to, reminder_again, repeats = "monthly", day = *day, time),
        Repeats::Yearly(month, day) => {
            said!(to, reminder_again, repeats = "yearly", month = *month, day = *day, time)
        }
    }
}

fn reminder_words(one: &Reminder) -> String {
    defuse(&shortened(&one_line(&one.what.words), SHOWN)).into_owned()
}

pub(in crate::discord) fn reminder_cancelled(to: Tongue, one: &Reminder) -> String {
    said!(to, reminder_cancelled, words = reminder_words(one))
}
