//! The words for months and days of the week in the languages people mix into a chat.

/// Whether a lower-case word is a month's name.
#[must_use]
pub fn is_month(word: &str) -> bool {
    MONTHS.contains(&word)
}

/// Whether a lower-case word is a day's name.
#[must_use]
pub fn is_weekday(word: &str) -> bool {
    WEEKDAYS.contains(&word)
}

const MONTHS: [&str; 24] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "januar",
    "februar",
    "märz",
    "mai",
    "juni",
    "juli",
    "oktober",
    "dezember",
    "enero",
    "junio",
    "janvier",
    "juin",
];

const WEEKDAYS: [&str; 14] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "montag",
    "dienstag",
    "mittwoch",
    "donnerstag",
    "freitag",
    "samstag",
    "sonntag",
];
