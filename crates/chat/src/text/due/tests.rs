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
