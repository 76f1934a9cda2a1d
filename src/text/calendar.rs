//! The words for months and days of the week in the languages people mix into a chat.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::keywords::{fold, words};

/// Whether a lower-case word is a month's name.
#[must_use]
pub fn is_month(word: &str) -> bool {
    MONTHS.iter().any(|names| names.contains(&word))
}

/// Whether a lower-case word is a day's name.
#[must_use]
pub fn is_weekday(word: &str) -> bool {
    WEEKDAYS.contains(&word)
}

/// The number of the day of the week that a lower-case word means, Monday being 1.
#[must_use]
pub fn weekday(word: &str) -> Option<i8> {
    (1..=7).cycle().zip(WEEKDAYS).find(|(_, name)| *name == word).map(|(number, _)| number)
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

/// What a text in a language whose sentences are not taken apart here counts from today, in English: "yesterday" for "¿qué
/// hicimos ayer?". The first phrase of the table that stands in it.
#[must_use]
pub fn from_today_in_english(text: &str) -> Option<&'static str> {
    let said = spaced(text);
    SPACED.iter().find(|(phrase, _)| said.contains(phrase)).map(|(_, in_english)| *in_english)
}

/// The words of a text with a space around each.
fn spaced(text: &str) -> String {
    words(text).fold(" ".to_owned(), |all, word| all + &word + " ")
}

static SPACED: LazyLock<Vec<(String, &str)>> = LazyLock::new(|| {
    let phrase = |phrase: &&str| match phrase.ends_with(|last| ('\u{ac00}'..='\u{d7af}').contains(&last)) {
        // Korean hangs its particles on.
        true => spaced(phrase).trim_end().to_owned(),
        false => spaced(phrase),
    };
    let each = ELSEWHERE
        .iter()
        .flat_map(|(in_english, phrases)| phrases.iter().map(move |known| (phrase(known), *in_english)));
    each.collect()
});

/// Spanish, French, Portuguese, Italian, Dutch, Polish, Russian, Turkish, Japanese, Chinese and Korean phrases, those that
/// hold others first. French "hier" alone is German too.
const ELSEWHERE: [(&str, &[&str]); 7] = [
    (
        "the day before yesterday",
        &[
            "anteayer",
            "antes de ayer",
            "avant-hier",
            "anteontem",
            "l'altro ieri",
            "eergisteren",
            "przedwczoraj",
            "позавчера",
            "evvelsi gün",
            "一昨日",
            "前天",
            "그저께",
        ],
    ),
    (
        "last night",
        &["anoche", "hier soir", "ontem à noite", "ieri sera", "gisteravond", "昨夜", "昨晚", "어젯밤"],
    ),
    (
        "yesterday",
        &[
            "ayer",
            "qu'hier",
            "d'hier",
            "ontem",
            "ieri",
            "gisteren",
            "wczoraj",
            "вчера",
            "dün",
            "昨日",
            "昨天",
            "어제",
        ],
    ),
    (
        "last week",
        &[
            "semana pasada",
            "semaine dernière",
            "semana passada",
            "settimana scorsa",
            "vorige week",
            "zeszłym tygodniu",
            "прошлой неделе",
            "geçen hafta",
            "先週",
            "上周",
            "上週",
            "지난주",
            "지난 주",
        ],
    ),
    (
        "last month",
        &[
            "mes pasado",
            "mois dernier",
            "mês passado",
            "mese scorso",
            "vorige maand",
            "zeszłym miesiącu",
            "прошлом месяце",
            "geçen ay",
            "先月",
            "上个月",
            "上個月",
            "지난달",
            "지난 달",
        ],
    ),
    (
        "last year",
        &[
            "año pasado",
            "année dernière",
            "ano passado",
            "anno scorso",
            "vorig jaar",
            "zeszłym roku",
            "прошлом году",
            "geçen yıl",
            "去年",
            "작년",
        ],
    ),
    (
        "today",
        &[
            "hoy",
            "aujourd'hui",
            "hoje",
            "oggi",
            "vandaag",
            "dzisiaj",
            "сегодня",
            "bugün",
            "今日",
            "今天",
            "오늘",
        ],
    ),
];

/// The number of the month that a word means, 1 to 12, in lower case, with its accents or without.
#[must_use]
pub fn month(word: &str) -> Option<i8> {
    BY_NAME.get(word).copied()
}

static BY_NAME: LazyLock<HashMap<String, i8>> = LazyLock::new(|| {
    let numbered = (1..).zip(MONTHS.iter().zip(IN_DATES));
    let names = numbered.flat_map(|(number, (names, others))| {
        names.iter().chain(others.iter()).map(move |name| (*name, number)).collect::<Vec<_>>()
    });
    names.flat_map(|(name, number)| [(name.to_owned(), number), (fold(name), number)]).collect()
});

/// By month: English, German, French, Spanish, Portuguese, Italian, Dutch, Polish, Russian, Turkish.
const MONTHS: [&[&str]; 12] = [
    &["january", "januar", "janvier", "enero", "janeiro", "gennaio", "januari", "styczeń", "январь", "ocak"],
    &[
        "february",
        "februar",
        "février",
        "febrero",
        "fevereiro",
        "febbraio",
        "februari",
        "luty",
        "февраль",
        "şubat",
    ],
    &["march", "märz", "mars", "marzo", "março", "maart", "marzec", "март"],
    &["april", "avril", "abril", "aprile", "kwiecień", "апрель", "nisan"],
    &["may", "mai", "mayo", "maio", "maggio", "mei", "май", "mayıs"],
    &["june", "juni", "juin", "junio", "junho", "giugno", "czerwiec", "июнь", "haziran"],
    &["july", "juli", "juillet", "julio", "julho", "luglio", "lipiec", "июль", "temmuz"],
    &["august", "août", "agosto", "augustus", "sierpień", "август", "ağustos"],
    &["september", "septembre", "septiembre", "setembro", "settembre", "wrzesień", "сентябрь", "eylül"],
    &["october", "oktober", "octobre", "octubre", "outubro", "ottobre", "październik", "октябрь", "ekim"],
    &["november", "novembre", "noviembre", "novembro", "listopad", "ноябрь", "kasım"],
    &[
        "december",
        "dezember",
        "décembre",
        "diciembre",
        "dezembro",
        "dicembre",
        "grudzień",
        "декабрь",
        "aralık",
    ],
];

/// Short forms, and those behind a day, which may be other words or somebody's name elsewhere.
const IN_DATES: [&[&str]; 12] = [
    &["jan", "stycznia", "января"],
    &["feb", "lutego", "февраля"],
    &["mar", "marca", "марта", "mart"],
    &["apr", "kwietnia", "апреля"],
    &["maja", "мая"],
    &["jun", "czerwca", "июня"],
    &["jul", "lipca", "июля"],
    &["aug", "sierpnia", "августа"],
    &["sep", "sept", "września", "сентября"],
    &["oct", "okt", "października", "октября"],
    &["nov", "listopada", "ноября"],
    &["dec", "dez", "grudnia", "декабря"],
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
