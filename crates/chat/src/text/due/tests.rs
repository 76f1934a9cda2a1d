use super::*;

/// A Wednesday, half past four in the afternoon in Berlin.
const NOW: &str = "2026-03-18T15:30:00Z";

fn read_in(text: &str, now: &str, zone: &str) -> Result<String, NotDue> {
    let tz = TimeZone::get(zone).unwrap();
    let due = read_due(text, now.parse().unwrap(), &tz)?;
    let at = due.at.to_zoned(tz).strftime("%F %H:%M").to_string();
    Ok(due.recurrence.map_or(at.clone(), |recurrence| format!("{at} {recurrence}")))
}

fn read(text: &str) -> Result<String, NotDue> {
    read_in(text, NOW, "Europe/Berlin")
}

/// In twenty minutes, in three days, tomorrow at eight, on Friday at half past six in the evening, tomorrow morning at eight,
/// on 7 May, every day at nine, every Monday, every weekday.
type Said = [&'static str; 9];

const SAID: [(&str, Said); 13] = [
    (
        "en",
        [
            "in 20 minutes",
            "in three days",
            "tomorrow at 8",
            "on Friday at 6:30 pm",
            "tomorrow morning at 8",
            "on 7 May",
            "every day at 9",
            "every Monday",
            "every weekday",
        ],
    ),
    (
        "de",
        [
            "in 20 Minuten",
            "in drei Tagen",
            "morgen um 8",
            "am Freitag um 18:30 Uhr",
            "morgen früh um 8 Uhr",
            "am 7. Mai",
            "jeden Tag um 9",
            "jeden Montag",
            "werktags",
        ],
    ),
    (
        "fr",
        [
            "dans 20 minutes",
            "dans trois jours",
            "demain à 8 heures",
            "vendredi à 18h30",
            "demain matin à 8h00",
            "le 7 mai",
            "tous les jours à 9 heures",
            "chaque lundi",
            "en semaine",
        ],
    ),
    (
        "es",
        [
            "en 20 minutos",
            "dentro de tres días",
            "mañana a las 8",
            "el viernes a las 6 y media de la tarde",
            "mañana por la mañana a las 8",
            "el 7 de mayo",
            "todos los días a las 9",
            "cada lunes",
            "entre semana",
        ],
    ),
    (
        "pt",
        [
            "em 20 minutos",
            "daqui a três dias",
            "amanhã às 8",
            "na sexta-feira às 18:30",
            "amanhã de manhã às 8 horas",
            "no dia 7 de maio",
            "todos os dias às 9",
            "toda segunda-feira",
            "dias úteis",
        ],
    ),
    (
        "it",
        [
            "tra 20 minuti",
            "fra tre giorni",
            "domani alle 8",
            "venerdì alle 18:30",
            "domattina alle ore 8",
            "il 7 maggio",
            "ogni giorno alle 9",
            "ogni lunedì",
            "giorni feriali",
        ],
    ),
    (
        "nl",
        [
            "over 20 minuten",
            "over drie dagen",
            "morgen om 8 uur",
            "op vrijdag om 18:30",
            "morgenochtend om 8 uur",
            "op 7 mei",
            "elke dag om 9 uur",
            "elke maandag",
            "werkdagen",
        ],
    ),
    (
        "pl",
        [
            "za 20 minut",
            "za trzy dni",
            "jutro o 8",
            "w piątek o 18:30",
            "jutro rano o ósmej",
            "7 maja",
            "codziennie o 9",
            "w poniedziałki",
            "w dni robocze",
        ],
    ),
    (
        "ru",
        [
            "через 20 минут",
            "через три дня",
            "завтра в 8",
            "в пятницу в 18:30",
            "завтра в 8 часов утра",
            "7 мая",
            "каждый день в 9",
            "по понедельникам",
            "по будням",
        ],
    ),
    (
        "tr",
        [
            "20 dakika sonra",
            "üç gün sonra",
            "yarın saat 8'de",
            "cuma günü 18:30'da",
            "yarın sabah saat 8",
            "7 mayıs",
            "her gün saat 9'da",
            "her pazartesi",
            "hafta içi",
        ],
    ),
    (
        "ja",
        [
            "20分後",
            "三日後",
            "明日8時",
            "金曜日の午後6時半",
            "明日の朝8時に",
            "5月7日",
            "毎日9時",
            "毎週月曜日",
            "平日",
        ],
    ),
    (
        "zh",
        [
            "20分钟后",
            "三天后",
            "明天8点",
            "星期五晚上六点半",
            "明天早上八点",
            "5月7日",
            "每天9点",
            "每周一",
            "每个工作日",
        ],
    ),
    (
        "ko",
        [
            "20분 후",
            "사흘 후",
            "내일 8시",
            "금요일 오후 6시 반",
            "내일 아침 8시에",
            "5월 7일",
            "매일 9시",
            "매주 월요일",
            "평일마다",
        ],
    ),
];

const MEANT: Said = [
    "2026-03-18 16:50",
    "2026-03-21 16:30",
    "2026-03-19 08:00",
    "2026-03-20 18:30",
    "2026-03-19 08:00",
    "2026-05-07 09:00",
    "2026-03-19 09:00 daily 09:00",
    "2026-03-23 09:00 weekly 1 09:00",
    "2026-03-19 09:00 weekdays 09:00",
];

#[test]
fn what_is_to_be_is_read_in_every_language() {
    let mut wrong = Vec::new();
    for (language, said) in SAID {
        for (text, meant) in said.into_iter().zip(MEANT) {
            let found = read(text);
            if found.as_deref() != Ok(meant) {
                wrong.push(format!("{language}: {text}: {found:?}, not {meant}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// This evening at eight, on Monday at nine, next Monday at nine, every day at eight, at three in the morning, on 24 December
/// at six, in a minute, in an hour and a half, on Saturday evening, on Friday in a week at nine, on a day by its name (or once
/// more by its date) at six, in two hours.
const SAID_OFTEN: [(&str, [&str; 12]); 13] = [
    (
        "en",
        [
            "this evening at 20:00",
            "Monday at 9",
            "next Monday at 9",
            "every day at 8",
            "at 3 in the morning",
            "24 December at 18:00",
            "in a minute",
            "in an hour and a half",
            "Saturday evening",
            "Friday in a week at 9",
            "Christmas Eve at 18:00",
            "in two hours",
        ],
    ),
    (
        "de",
        [
            "heute Abend um 20 Uhr",
            "Montag um 9",
            "nächsten Montag um 9",
            "jeden Tag um 8",
            "um 3 Uhr morgens",
            "am 24. Dezember um 18 Uhr",
            "in einer Minute",
            "in anderthalb Stunden",
            "Samstagabend",
            "Freitag in einer Woche um 9",
            "Heiligabend um 18 Uhr",
            "in zwei Stunden",
        ],
    ),
    (
        "fr",
        [
            "ce soir à 20h",
            "lundi à 9h",
            "lundi prochain à 9h",
            "tous les jours à 8h",
            "à 3h du matin",
            "le 24 décembre à 18h",
            "dans une minute",
            "dans une heure et demie",
            "samedi soir",
            "vendredi dans une semaine à 9h",
            "la veille de Noël à 18h",
            "dans deux heures",
        ],
    ),
    (
        "es",
        [
            "esta noche a las 20h",
            "el lunes a las 9",
            "el próximo lunes a las 9",
            "todos los días a las 8",
            "a las 3 de la mañana",
            "el 24 de diciembre a las 18h",
            "en un minuto",
            "en una hora y media",
            "el sábado a las 7 de la tarde",
            "el viernes dentro de una semana a las 9",
            "en Nochebuena a las 18h",
            "dentro de dos horas",
        ],
    ),
    (
        "pt",
        [
            "hoje à noite às 20h",
            "segunda às 9h",
            "na próxima segunda às 9h",
            "todos os dias às 8h",
            "às 3 da manhã",
            "no dia 24 de dezembro às 18h",
            "daqui a um minuto",
            "em uma hora e meia",
            "sábado às 7 da noite",
            "sexta daqui a uma semana às 9h",
            "na véspera de Natal às 18h",
            "daqui a duas horas",
        ],
    ),
    (
        "it",
        [
            "stasera alle 20",
            "lunedì alle 9",
            "lunedì prossimo alle 9",
            "tutti i giorni alle 8",
            "alle 3 del mattino",
            "il 24 dicembre alle 18",
            "tra un minuto",
            "tra un'ora e mezza",
            "sabato sera",
            "venerdì tra una settimana alle 9",
            "alla vigilia di Natale alle 18",
            "fra due ore",
        ],
    ),
    (
        "nl",
        [
            "vanavond om 20 uur",
            "maandag om 9 uur",
            "volgende maandag om 9 uur",
            "elke dag om 8 uur",
            "om 3 uur 's nachts",
            "24 december om 18 uur",
            "over een minuut",
            "over anderhalf uur",
            "zaterdagavond",
            "vrijdag over een week om 9 uur",
            "op kerstavond om 18 uur",
            "over twee uur",
        ],
    ),
    (
        "pl",
        [
            "dziś wieczorem o 20",
            "w poniedziałek o 9",
            "w przyszły poniedziałek o 9",
            "codziennie o 8",
            "o 3 w nocy",
            "24 grudnia o 18",
            "za minutę",
            "za półtorej godziny",
            "w sobotę wieczorem",
            "w piątek za tydzień o 9",
            "w Wigilię o osiemnastej",
            "za dwie godziny",
        ],
    ),
    (
        "ru",
        [
            "сегодня вечером в 20",
            "в понедельник в 9",
            "в следующий понедельник в 9",
            "каждый день в 8",
            "в 3 часа утра",
            "24 декабря в 18",
            "через минуту",
            "через полтора часа",
            "в субботу вечером",
            "в пятницу через неделю в 9",
            "24 декабря в 18 ч",
            "через два часа",
        ],
    ),
    (
        "tr",
        [
            "bu akşam saat 20'de",
            "pazartesi saat 9'da",
            "gelecek pazartesi saat 9'da",
            "her gün saat 8'de",
            "gece saat 3'te",
            "24 aralık saat 18'de",
            "bir dakika sonra",
            "bir buçuk saat sonra",
            "cumartesi akşamı",
            "cuma günü bir hafta sonra saat 9'da",
            "noel arifesi saat 18'de",
            "iki saat sonra",
        ],
    ),
    (
        "ja",
        [
            "今夜20時",
            "月曜日の9時",
            "来週の月曜日の9時",
            "毎日8時",
            "午前3時",
            "12月24日の18時",
            "1分後",
            "1時間半後",
            "土曜日の夜",
            "来週の金曜日の9時",
            "クリスマスイブの18時",
            "二時間後",
        ],
    ),
    (
        "zh",
        [
            "今晚20点",
            "星期一9点",
            "下周一9点",
            "每天8点",
            "凌晨3点",
            "12月24日18点",
            "一分钟后",
            "一个半小时后",
            "星期六晚上",
            "下周五9点",
            "平安夜18点",
            "两个小时后",
        ],
    ),
    (
        "ko",
        [
            "오늘 저녁 20시에",
            "월요일 9시에",
            "다음 주 월요일 9시에",
            "매일 8시에",
            "새벽 3시에",
            "12월 24일 18시에",
            "1분 후",
            "한 시간 반 후",
            "토요일 저녁",
            "다음 주 금요일 9시에",
            "크리스마스 이브 18시에",
            "두 시간 뒤",
        ],
    ),
];

#[test]
fn what_is_said_most_is_read_in_every_language() {
    let meant = [
        "2026-03-18 20:00",
        "2026-03-23 09:00",
        "2026-03-23 09:00",
        "2026-03-19 08:00 daily 08:00",
        "2026-03-19 03:00",
        "2026-12-24 18:00",
        "2026-03-18 16:31",
        "2026-03-18 18:00",
        "2026-03-21 19:00",
        "2026-03-27 09:00",
        "2026-12-24 18:00",
        "2026-03-18 18:30",
    ];
    let mut wrong = Vec::new();
    for (language, said) in SAID_OFTEN {
        for (text, meant) in said.into_iter().zip(meant) {
            let found = read(text);
            if found.as_deref() != Ok(meant) {
                wrong.push(format!("{language}: {text}: {found:?}, not {meant}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn the_small_hours_of_the_night_that_is_on_are_still_to_come() {
    let in_the_night = |text: &str| read_in(text, "2026-03-19T01:26:00Z", "Europe/Berlin");
    for text in [
        "heute Nacht um 3",
        "tonight at 3",
        "um 3 Uhr nachts",
        "heute um 3",
        "cette nuit à 3h",
        "esta noche a las 3",
        "hoje à noite às 3",
        "stanotte alle 3",
        "vannacht om 3 uur",
        "dziś w nocy o 3",
        "сегодня ночью в 3",
        "bu gece saat 3'te",
        "今夜3時",
        "今晚3点",
        "오늘 밤 3시",
    ] {
        assert_eq!(in_the_night(text).as_deref(), Ok("2026-03-19 03:00"), "{text}");
    }
    assert_eq!(in_the_night("heute Nacht um 1").as_deref(), Ok("2026-03-20 01:00"), "that one is over");
    assert_eq!(in_the_night("tonight at 12").as_deref(), Ok("2026-03-20 00:00"));
    assert_eq!(in_the_night("tonight at 10").as_deref(), Ok("2026-03-19 22:00"));
}

#[test]
fn the_small_hours_behind_a_night_are_of_the_night_that_begins_on_its_day() {
    for text in [
        "tomorrow night at 3",
        "morgen Nacht um 3",
        "yarın gece 3'te",
        "明天晚上3点",
        "明天夜里3点",
        "明天半夜3点",
        "明日の夜3時",
        "明日の夜中3時",
        "明日の深夜3時",
        "내일 밤 3시",
    ] {
        assert_eq!(read(text).as_deref(), Ok("2026-03-20 03:00"), "{text}");
    }
    for text in ["明天凌晨3点", "明日の未明3時", "내일 새벽 3시"] {
        assert_eq!(read(text).as_deref(), Ok("2026-03-19 03:00"), "{text}");
    }
    assert_eq!(read("明天半夜12点").as_deref(), Ok("2026-03-20 00:00"));
    assert_eq!(read("明日の深夜11時").as_deref(), Ok("2026-03-19 23:00"));
}

#[test]
fn many_ways_to_say_a_moment_are_read() {
    let mut wrong = Vec::new();
    for (text, meant) in [
        ("2026-03-19T18:00", "2026-03-19 18:00"),
        ("2026-03-19 18:00", "2026-03-19 18:00"),
        ("2026-03-19T18:00:00Z", "2026-03-19 19:00"),
        ("2026-03-19T18:00+01:00", "2026-03-19 18:00"),
        ("2026-03-19", "2026-03-19 09:00"),
        ("19.3.2026 um 18:15", "2026-03-19 18:15"),
        ("am 19.3.", "2026-03-19 09:00"),
        ("19.3.26 um 18.15", "2026-03-19 18:15"),
        ("24/12/2026", "2026-12-24 09:00"),
        ("in an hour", "2026-03-18 17:30"),
        ("in 1 hour and 15 minutes", "2026-03-18 17:45"),
        ("half an hour from now", "2026-03-18 17:00"),
        ("20 minutes", "2026-03-18 16:50"),
        ("in 3 days at 9 pm", "2026-03-21 21:00"),
        ("at 18:00", "2026-03-18 18:00"),
        ("at 8", "2026-03-19 08:00"),
        ("at 8 pm", "2026-03-18 20:00"),
        ("8pm", "2026-03-18 20:00"),
        ("8 p.m. today", "2026-03-18 20:00"),
        ("today at 8", "2026-03-18 20:00"),
        ("tonight", "2026-03-18 19:00"),
        ("tonight at 10", "2026-03-18 22:00"),
        ("tonight at 12", "2026-03-19 00:00"),
        ("tonight at 1", "2026-03-19 01:00"),
        ("heute Abend um 12", "2026-03-19 00:00"),
        ("завтра в 3 часа ночи", "2026-03-19 03:00"),
        ("jutro o 3 w nocy", "2026-03-19 03:00"),
        ("morgen um 3 Uhr nachts", "2026-03-19 03:00"),
        ("tomorrow night at 3", "2026-03-20 03:00"),
        ("this evening at 8", "2026-03-18 20:00"),
        ("at half past eight tomorrow", "2026-03-19 08:30"),
        ("tomorrow at a quarter to nine", "2026-03-19 08:45"),
        ("at noon", "2026-03-19 12:00"),
        ("at midnight", "2026-03-19 00:00"),
        ("on friday at midnight", "2026-03-21 00:00"),
        ("every friday at midnight", "2026-03-21 00:00 weekly 6 00:00"),
        ("the day after tomorrow at noon", "2026-03-20 12:00"),
        ("on Wednesday at 20:00", "2026-03-18 20:00"),
        ("on Wednesday at 9", "2026-03-25 09:00"),
        ("next Friday", "2026-03-20 09:00"),
        ("next week", "2026-03-25 09:00"),
        ("next month", "2026-04-18 09:00"),
        ("Monday 9am", "2026-03-23 09:00"),
        ("May 7th 2027 at 10", "2027-05-07 10:00"),
        ("on the 24th of December at 6 in the evening", "2026-12-24 18:00"),
        ("on the 20th", "2026-03-20 09:00"),
        ("every month on the 15th at 8", "2026-04-15 08:00 monthly 15 08:00"),
        ("every morning", "2026-03-19 08:00 daily 08:00"),
        ("every Monday and Thursday at 19:30", "2026-03-19 19:30 weekly 1,4 19:30"),
        ("every 7 May", "2026-05-07 09:00 yearly 5-7 09:00"),
        ("Fridays at 17:00", "2026-03-20 17:00 weekly 5 17:00"),
        ("weekdays at 7:45", "2026-03-19 07:45 weekdays 07:45"),
        ("heute Abend um 8", "2026-03-18 20:00"),
        ("um halb neun", "2026-03-19 08:30"),
        ("übermorgen um Viertel nach acht", "2026-03-20 08:15"),
        ("in einer halben Stunde", "2026-03-18 17:00"),
        ("in einer Stunde", "2026-03-18 17:30"),
        ("montags um 9", "2026-03-23 09:00 weekly 1 09:00"),
        ("mañana a las 9", "2026-03-19 09:00"),
        ("mañana por la tarde", "2026-03-19 15:00"),
        ("lundi prochain à 8 heures et demie", "2026-03-23 08:30"),
        ("через час", "2026-03-18 17:30"),
        ("через полчаса", "2026-03-18 17:00"),
        ("завтра в 3 часа дня", "2026-03-19 15:00"),
        ("3 saat sonra", "2026-03-18 19:30"),
        ("1時間後", "2026-03-18 17:30"),
        ("来週の月曜日", "2026-03-23 09:00"),
        ("毎月15日", "2026-04-15 09:00 monthly 15 09:00"),
        ("下周一下午三点", "2026-03-23 15:00"),
        ("每月15号", "2026-04-15 09:00 monthly 15 09:00"),
        ("다음 주 월요일", "2026-03-23 09:00"),
        ("월요일마다 아침 7시", "2026-03-23 07:00 weekly 1 07:00"),
        ("over een half uur", "2026-03-18 17:00"),
        ("za pół godziny", "2026-03-18 17:00"),
        ("domani alle 8 e mezza", "2026-03-19 08:30"),
        ("amanhã à tarde", "2026-03-19 15:00"),
        ("in ner Stunde", "2026-03-18 17:30"),
        ("in ner halben Stunde", "2026-03-18 17:00"),
        ("in eineinhalb Stunden", "2026-03-18 18:00"),
        ("in zweieinhalb Stunden", "2026-03-18 19:00"),
        ("in two and a half hours", "2026-03-18 19:00"),
        ("dans deux heures et demie", "2026-03-18 19:00"),
        ("fra due ore e mezza", "2026-03-18 19:00"),
        ("через два с половиной часа", "2026-03-18 19:00"),
        ("两个半小时后", "2026-03-18 19:00"),
        ("dans 2h", "2026-03-18 18:30"),
        ("a las 20:00h", "2026-03-18 20:00"),
        ("vendredi en huit à 9h", "2026-03-27 09:00"),
        ("Mittwoch in einer Woche um 18 Uhr", "2026-03-25 18:00"),
        ("Samstagmorgen um 10", "2026-03-21 10:00"),
        ("zaterdagochtend om 10 uur", "2026-03-21 10:00"),
        ("an Silvester um Mitternacht", "2027-01-01 00:00"),
        ("every christmas eve at 6 pm", "2026-12-24 18:00 yearly 12-24 18:00"),
    ] {
        let found = read(text);
        if found.as_deref() != Ok(meant) {
            wrong.push(format!("{text}: {found:?}, not {meant}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn what_is_only_half_understood_has_passed_or_lies_too_far_ahead_is_refused() {
    for (text, why) in [
        ("", NotDue::Form),
        ("soon", NotDue::Form),
        ("when you feel like it", NotDue::Form),
        ("tomorrow at the harbour", NotDue::Form),
        ("tomorrow at 25:00", NotDue::Form),
        ("on 31 February", NotDue::Form),
        ("tomorrow and today", NotDue::Form),
        ("at 8 at 9", NotDue::Form),
        ("in two weeks on Monday", NotDue::Form),
        ("8", NotDue::Form),
        ("every", NotDue::Form),
        ("every 2 days", NotDue::Form),
        ("gestern", NotDue::Form),
        ("2026-03-18T10:00", NotDue::Past),
        ("on 7 May 2025", NotDue::Past),
        ("today at 3 pm", NotDue::Past),
        ("in 6 years", NotDue::TooFar),
        ("2040-01-01", NotDue::TooFar),
        ("every hour", NotDue::TooOften),
        ("every 5 minutes", NotDue::TooOften),
        ("jede Stunde", NotDue::TooOften),
    ] {
        assert_eq!(read(text), Err(why), "{text}");
    }
    assert_eq!(read(&"in ".repeat(100)), Err(NotDue::Form));
    assert!(NotDue::Form.to_string().contains("in 20 minutes"));
}

#[test]
fn an_hour_of_the_day_is_the_persons_own_whatever_clocks_do() {
    let read = |text: &str| read_in(text, "2026-03-28T12:00:00Z", "Europe/Berlin");
    assert_eq!(read("tomorrow at 8").as_deref(), Ok("2026-03-29 08:00"));
    assert_eq!(read("tomorrow at 2:30").as_deref(), Ok("2026-03-29 03:30"), "there is no half past two");
    assert_eq!(read("in 24 hours").as_deref(), Ok("2026-03-29 14:00"));
    assert_eq!(read("in one day").as_deref(), Ok("2026-03-29 13:00"));
    let tokyo = read_in("at 8 pm", "2026-03-18T15:30:00Z", "Asia/Tokyo");
    assert_eq!(tokyo.as_deref(), Ok("2026-03-19 20:00"));
    let american = read_in("on 12/11/2026", "2026-03-18T15:30:00Z", "America/Chicago");
    assert_eq!(american.as_deref(), Ok("2026-12-11 09:00"));
}
