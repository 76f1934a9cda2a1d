//! Days that lie ahead: "my exam is on Friday", "ich fahre übermorgen", read without a model (specs mechanisms A24).
//!
//! Only what people say of themselves, and as something that will be: a promise or an event. What is doubtful is left
//! out, since a wrong reminder is worse than none. Start reading at [`due_in`].

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

use super::time::{Unit, day_number, number_word, unit, weekday_word, year};
use crate::text::calendar::month;
use crate::text::keywords;
use crate::text::sentences::Cutter;

/// What is further away is forgotten before it comes, in days.
const DAYS_AHEAD_MAX: i64 = 62;

/// What somebody said will be on a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    pub date: Date,
    /// The sentence that says so.
    pub sentence: String,
}

/// Whoever speaks is in it.
const OWN: &[&str] = &[
    "i", "my", "we", "our", "us", "me", "ich", "mein", "meine", "meinen", "meinem", "meiner", "wir", "unser",
    "unsere", "unseren", "mir", "uns",
];

/// It is, or will be.
const WILL_BE: &[&str] = &[
    "is",
    "are",
    "am",
    "m",
    "re",
    "s",
    "ll",
    "ve",
    "have",
    "got",
    "will",
    "going",
    "gonna",
    "need",
    "must",
    "promise",
    "start",
    "starts",
    "leave",
    "leaving",
    "fly",
    "flying",
    "get",
    "getting",
    "meet",
    "meeting",
    "move",
    "moving",
    "due",
    "ist",
    "sind",
    "bin",
    "habe",
    "hab",
    "haben",
    "werde",
    "werden",
    "muss",
    "mussen",
    "treffe",
    "treffen",
    "fahre",
    "fahren",
    "fliege",
    "fliegen",
    "bekomme",
    "komme",
    "bringe",
    "mache",
    "verspreche",
    "ziehe",
];

/// It was, it is not, or it is only wished for.
const NOT: &[&str] = &[
    "was",
    "were",
    "had",
    "did",
    "didn",
    "went",
    "said",
    "told",
    "last",
    "ago",
    "yesterday",
    "not",
    "no",
    "isn",
    "aren",
    "won",
    "don",
    "cancelled",
    "canceled",
    "postponed",
    "wish",
    "if",
    "maybe",
    "might",
    "would",
    "war",
    "waren",
    "hatte",
    "hatten",
    "ging",
    "sagte",
    "gestern",
    "letzten",
    "nicht",
    "kein",
    "keine",
    "keinen",
    "abgesagt",
    "verschoben",
    "vielleicht",
    "wenn",
    "ware",
    "every",
    "each",
    "jeden",
    "jede",
    "usually",
    "always",
    "immer",
];

/// What people call the days on which something said earlier could be due.
pub fn words_for(days: &[Date]) -> String {
    let mut words = vec!["tomorrow morgen übermorgen days tagen weeks week wochen woche".to_owned()];
    for day in days {
        let names = match day.weekday() {
            Weekday::Monday => "monday montag",
            Weekday::Tuesday => "tuesday dienstag",
            Weekday::Wednesday => "wednesday mittwoch",
            Weekday::Thursday => "thursday donnerstag",
            Weekday::Friday => "friday freitag",
            Weekday::Saturday => "saturday samstag",
            Weekday::Sunday => "sunday sonntag",
        };
        words.push(names.to_owned());
    }
    for (number, names) in (1_i8..).zip(MONTHS) {
        if days.iter().any(|day| day.month() == number) {
            words.push((*names).to_owned());
        }
    }
    words.extend(days.first().map(|day| day.year().to_string()));
    words.join(" ")
}

const MONTHS: &[&str] = &[
    "january januar",
    "february februar",
    "march märz",
    "april",
    "may mai",
    "june juni",
    "july juli",
    "august",
    "september",
    "october oktober",
    "november",
    "december dezember",
];

/// The first event or promise of a message, said at `said` by a clock in `tz`; always on a later day.
pub fn due_in(text: &str, said: Timestamp, tz: &TimeZone) -> Option<Due> {
    let today = said.to_zoned(tz.clone()).date();
    let mut cutter = Cutter::new();
    let mut sentences = cutter.push(text);
    sentences.extend(cutter.finish());
    sentences.iter().find_map(|sentence| {
        let sentence = sentence.trim();
        if sentence.is_empty() || sentence.contains('?') {
            return None;
        }
        let words: Vec<String> = keywords::words(sentence).collect();
        let any = |of: &[&str]| words.iter().any(|word| of.contains(&word.as_str()));
        if !any(OWN) || !any(WILL_BE) || any(NOT) {
            return None;
        }
        let date = (0..words.len()).find_map(|at| day_at(&words, at, today))?;
        let last = today.checked_add(Span::new().days(DAYS_AHEAD_MAX)).ok()?;
        (date > today && date <= last).then(|| Due { date, sentence: sentence.to_owned() })
    })
}

/// The day that the words from `at` on mean, seen from `today`.
fn day_at(words: &[String], at: usize, today: Date) -> Option<Date> {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let before = |back: usize| at.checked_sub(back).map_or("", |at| words[at].as_str());
    let ahead = |days: i64| today.checked_add(Span::new().try_days(days).ok()?).ok();
    match word(at) {
        "tomorrow" if before(1) == "after" => return ahead(2),
        "tomorrow" => return ahead(1),
        "ubermorgen" => return ahead(2),
        // "am Morgen", "guten Morgen", "heute Morgen" are the morning.
        "morgen" if !matches!(before(1), "am" | "guten" | "heute" | "diesen" | "der" | "den" | "vom") => {
            return ahead(1);
        }
        "in" => {
            let count = number_word(word(at + 1))?;
            return match unit(word(at + 2))? {
                Unit::Day => ahead(count),
                Unit::Week => ahead(count.checked_mul(7)?),
                Unit::Fortnight => ahead(count.checked_mul(14)?),
                Unit::Hour | Unit::Month | Unit::Year => None,
            };
        }
        _ => {}
    }
    if let Some(named) = weekday_word(word(at)) {
        let leads = at == 0
            || matches!(
                before(1),
                "on" | "this"
                    | "next"
                    | "coming"
                    | "by"
                    | "until"
                    | "till"
                    | "for"
                    | "am"
                    | "bis"
                    | "diesen"
                    | "nachsten"
                    | "kommenden"
            );
        return if leads { ahead(days_until(today, named)) } else { None };
    }
    named_day(&words[at..], today)
}

fn days_until(today: Date, named: Weekday) -> i64 {
    match i64::from(named.since(today.weekday())) {
        0 => 7,
        days => days,
    }
}

/// "7 May", "May 7th", "2026-05-07"; without a year the next one.
fn named_day(words: &[String], today: Date) -> Option<Date> {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let next = |month: i8, day: i8| {
        let date = Date::new(today.year(), month, day).ok()?;
        if date < today { Date::new(today.year().checked_add(1)?, month, day).ok() } else { Some(date) }
    };
    if let Some(day) = day_number(word(0)) {
        let named = month(if word(1) == "of" { word(2) } else { word(1) })?;
        return next(named, day);
    }
    if let Some(named) = month(word(0)) {
        return next(named, day_number(word(1))?);
    }
    Date::new(year(word(0))?, word(1).parse().ok()?, day_number(word(2))?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "2026-03-18T15:30:00Z";

    fn due(text: &str) -> Option<String> {
        let tz = TimeZone::get("Europe/Berlin").unwrap();
        due_in(text, SAID.parse().unwrap(), &tz).map(|due| due.date.to_string())
    }

    #[test]
    fn a24_events_and_promises_are_read_in_english_and_german() {
        for (text, date) in [
            ("my exam is on Friday", "2026-03-20"),
            ("I'll bring the cake tomorrow.", "2026-03-19"),
            ("We are moving the day after tomorrow!", "2026-03-20"),
            ("I have a dentist appointment next Wednesday", "2026-03-25"),
            ("I need to hand it in by Monday", "2026-03-23"),
            ("I'm flying to Oslo in three days", "2026-03-21"),
            ("we meet in two weeks", "2026-04-01"),
            ("Nice one. My birthday is on 7 May.", "2026-05-07"),
            ("my interview is on April 2nd", "2026-04-02"),
            ("our trip is on 2026-04-11", "2026-04-11"),
            ("Meine Prüfung ist am Freitag", "2026-03-20"),
            ("Ich fahre morgen nach Hamburg", "2026-03-19"),
            ("ich habe übermorgen einen Termin", "2026-03-20"),
            ("wir treffen uns in drei Tagen", "2026-03-21"),
        ] {
            assert_eq!(due(text).as_deref(), Some(date), "{text}");
        }
    }

    #[test]
    fn a24_what_was_is_asked_wished_or_somebody_elses_is_none() {
        for text in [
            "my exam was on Friday",
            "is my exam on Friday?",
            "I have not got anything on Friday",
            "the shop is open on Friday",
            "I have yoga every Friday",
            "ich bin am Morgen müde",
            "guten Morgen, ich bin da",
            "I may march in the parade",
            "my exam is in 2031",
            "my lease is up in 40 weeks",
            "if I have time on Friday",
            "",
        ] {
            assert_eq!(due(text), None, "{text}");
        }
    }

    #[test]
    fn a24_every_day_it_reads_is_found_by_its_words() {
        let day = "2026-03-20".parse::<Date>().unwrap();
        let words = words_for(&[day]);
        for name in ["friday", "freitag", "march", "2026", "tomorrow"] {
            assert!(words.split(' ').any(|word| word == name), "{name} in {words}");
        }
        assert!(words.split(' ').count() <= 32, "so many words a search takes");
    }
}
