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

/// Whether a lower-case word says when something is as seen from the day on which it is said: "tomorrow", "friday", the
/// "last" of "last week".
#[must_use]
pub fn counts_from_today(word: &str) -> bool {
    is_weekday(word) || FROM_TODAY.contains(&word)
}

const FROM_TODAY: [&str; 56] = [
    "today",
    "tonight",
    "tomorrow",
    "yesterday",
    "ago",
    "last",
    "next",
    "recently",
    "heute",
    "gestern",
    "vorgestern",
    "morgen",
    "übermorgen",
    "neulich",
    "letzte",
    "letzten",
    "letztes",
    "nächste",
    "nächsten",
    "nächstes",
    "hoy",
    "ayer",
    "anteayer",
    "mañana",
    "pasada",
    "pasado",
    "próxima",
    "próximo",
    "aujourd",
    "hier",
    "demain",
    "dernier",
    "dernière",
    "prochain",
    "prochaine",
    "oggi",
    "ieri",
    "domani",
    "scorsa",
    "scorso",
    "prossima",
    "prossimo",
    "hoje",
    "ontem",
    "amanhã",
    "gisteren",
    "vandaag",
    "dzisiaj",
    "wczoraj",
    "jutro",
    "сегодня",
    "вчера",
    "завтра",
    "bugün",
    "dün",
    "yarın",
];

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
