//! Days that lie ahead: "my exam is on Friday", "ich fahre übermorgen", read without a model (A24).
//!
//! Only what people say of themselves, and as something that will be: a promise or an event. What is doubtful is left
//! out, since a wrong reminder is worse than none. And what they await without saying when: "I have an exam coming up".
//! Start reading at [`due_in`].

use std::sync::LazyLock;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

use super::time::{number_word, unit};
use crate::text::calendar::{self, TimeUnit, Towards};
use crate::text::keywords::{self, fold};
use crate::text::names::is_unspaced;
use crate::text::phrases::{Folded, Languages, Phrases, listed_phrases};
use crate::text::punctuation::has_question_mark;
use crate::text::sentences::sentences_of;

/// What is further away is forgotten before it comes, in days.
const DAYS_AHEAD_MAX: i64 = 62;

/// What somebody said will be on a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Due {
    pub date: Date,
    /// The sentence that says so.
    pub sentence: String,
}

/// What a sentence says: that it is of whoever speaks, that it is or will be, both at once, or that it was, is not, is only
/// wished for or comes again and again.
static SAYS: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::of(&["own", "ahead", "own ahead", "not ahead", "turning"]));

/// What people call the days on which something said earlier could be due, in every language.
pub(crate) fn words_for(days: &[Date]) -> String {
    let said = ["tomorrow", "the day after tomorrow", "day", "week", "day later", "week later"];
    let mut words: Vec<&str> = said.into_iter().flat_map(calendar::said_as).collect();
    for day in days {
        words.extend(calendar::weekday_names(day.weekday().to_monday_one_offset()));
        words.extend(calendar::month_names(day.month()));
    }
    let mut words: Vec<String> = words.into_iter().map(str::to_owned).collect();
    words.extend(days.first().map(|day| day.year().to_string()));
    words.sort_unstable();
    words.dedup();
    words.join(" ")
}

/// The first event or promise of a message, said at `said` by a clock in `tz`; always on a later day.
pub(crate) fn due_in(text: &str, said: Timestamp, tz: &TimeZone) -> Option<Due> {
    let today = said.to_zoned(tz.clone()).date();
    sentences_of(text).into_iter().find_map(|sentence| {
        let sentence = sentence.trim();
        if sentence.is_empty() || has_question_mark(sentence) {
            return None;
        }
        let folded = Folded::of(sentence);
        let found = SAYS.find(&folded);
        let has = |section: usize| found.iter().any(|one| one.section == section);
        let is_ahead = has(2) || (has(0) && has(1));
        // All that is said of time is read in English.
        let words: Vec<String> = keywords::words(&calendar::time_in_english(sentence)).collect();
        let is_past = |word: &String| matches!(word.as_str(), "last" | "ago" | "yesterday");
        if !is_ahead || has(3) || has(4) || words.iter().any(is_past) {
            return None;
        }
        let reading = DatedSentence { words: &words, languages: folded.languages(), today };
        let in_figures = calendar::dates_in_figures(sentence, tz).into_iter();
        let date = in_figures
            // "2.3." may count something.
            .filter(|one| one.date.0.is_some() || sentence[one.bytes.clone()].contains(is_unspaced))
            .find_map(|one| Towards::Future.day(today, one.date))
            .or_else(|| (0..words.len()).find_map(|at| reading.day_at(at)))?;
        let last = today.checked_add(Span::new().days(DAYS_AHEAD_MAX)).ok()?;
        (date > today && date <= last).then(|| Due { date, sentence: sentence.to_owned() })
    })
}

/// Something that people await, as a sentence speaks of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Awaited {
    /// What it is, by the words it is known by: an exam is also the oral exam.
    what: Vec<String>,
    /// Whether it is of whoever speaks and still to come; else it was, is not, or is only spoken of.
    pub is_ahead: bool,
    pub sentence: String,
}

impl Awaited {
    /// Whether both speak of the same.
    pub(crate) fn is_about(&self, other: &Self) -> bool {
        self.what.iter().any(|word| other.what.contains(word))
    }
}

static AWAITS: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::of(&["awaited", "own", "ahead", "own ahead", "own awaited", "not ahead", "turning"])
});

/// Every sentence of a message that speaks of something people await.
pub(crate) fn awaited_in(text: &str) -> Vec<Awaited> {
    let awaited = |sentence: &str| {
        let folded = Folded::of(sentence);
        let found = AWAITS.find(&folded);
        let has = |section: usize| found.iter().any(|one| one.section == section);
        let of = found.iter().filter(|one| one.section == 0);
        let what: Vec<String> = of.map(|one| folded.text_of(one).trim().to_owned()).collect();
        let is_ahead =
            (has(3) || has(4) || has(1) && has(2)) && !has(5) && !has(6) && !has_question_mark(sentence);
        (!what.is_empty()).then(|| Awaited { what, is_ahead, sentence: sentence.to_owned() })
    };
    sentences_of(text).into_iter().filter_map(|sentence| awaited(sentence.trim())).collect()
}

/// A sentence with all that it says of time in English.
struct DatedSentence<'a> {
    words: &'a [String],
    /// The languages it may be in.
    languages: Languages,
    today: Date,
}

impl DatedSentence<'_> {
    fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", String::as_str)
    }

    /// The day that the words from `at` on mean.
    fn day_at(&self, at: usize) -> Option<Date> {
        let before = at.checked_sub(1).map_or("", |before| self.word(before));
        let counted = |at: usize| {
            let (count, unit) = (number_word(self.word(at))?, unit(self.word(at + 1))?);
            let tells_day = matches!(unit, TimeUnit::Day | TimeUnit::Week | TimeUnit::Fortnight);
            self.today.checked_add(unit.times(count).filter(|_| tells_day)?).ok()
        };
        match self.word(at) {
            "tomorrow" => {
                let days = if before == "after" { 2 } else { 1 };
                return self.today.checked_add(Span::new().days(days)).ok();
            }
            "in" if unit(self.word(at + 2)).is_some() => return counted(at + 1),
            _ if self.word(at + 2) == "later" => return counted(at),
            _ => {}
        }
        if let Some(named) = calendar::weekday(self.word(at)) {
            let leads = at == 0 || matches!(before, "on" | "this" | "next" | "in") || self.leads(before);
            return if leads { calendar::coming_weekday(self.today, named) } else { None };
        }
        Towards::Future.day(self.today, calendar::day_named(&self.words[at..])?)
    }

    /// Whether a word before a day of the week tells that the coming one is meant. Some languages name the day alone.
    fn leads(&self, before: &str) -> bool {
        let mut known =
            listed_phrases("before a weekday").filter(|(of, _)| of.overlaps(self.languages)).peekable();
        known.peek().is_none() || known.any(|(_, word)| fold(word) == before)
    }
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
            ("our trip is on 11/4/2026", "2026-04-11"),
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
            "金曜日に試験がある？",
            "I have not got anything on Friday",
            "the shop is open on Friday",
            "I have yoga every Friday",
            "ich bin am Morgen müde",
            "Ich fahre morgen nach Hamburg, falls Ana Zeit hat",
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
        for name in [
            "friday",
            "freitag",
            "viernes",
            "пятницу",
            "金曜日",
            "march",
            "марта",
            "2026",
            "tomorrow",
            "yarın",
        ] {
            assert!(words.split(' ').any(|word| fold(word) == fold(name)), "{name} in {words}");
        }
    }

    #[test]
    fn a24_events_are_read_in_every_language_and_what_was_is_none() {
        for (friday, tomorrow, none) in [
            ("my exam is on Friday", "I fly to Oslo tomorrow", "I had an exam on Friday"),
            (
                "meine Prüfung ist am Freitag",
                "ich fliege morgen nach Oslo",
                "ich hatte am Freitag eine Prüfung",
            ),
            ("mon examen est vendredi", "je pars demain pour Oslo", "j'avais un examen vendredi"),
            ("tengo un examen el viernes", "mañana viajo a Oslo", "los viernes tengo yoga"),
            ("tenho uma prova na sexta-feira", "amanhã viajo para Oslo", "toda sexta-feira tenho ioga"),
            ("ho un esame venerdì", "domani parto per Oslo", "ogni venerdì ho yoga"),
            ("ik heb op vrijdag een examen", "ik vlieg morgen naar Oslo", "ik heb elke vrijdag yoga"),
            ("w piątek mam egzamin", "jutro lecę do Oslo", "w każdy piątek mam jogę, zawsze"),
            ("у меня экзамен в пятницу", "завтра я лечу в Осло", "каждую пятницу у меня йога"),
            ("cuma günü sınavım var", "yarın Oslo'ya uçuyorum", "her cuma yogam var"),
            ("金曜日に試験がある", "明日オスロに行きます", "毎週金曜日にヨガがある"),
            ("星期五我有考试", "明天我要去奥斯陆", "每周星期五我有瑜伽"),
            ("금요일에 시험이 있어", "내일 오슬로에 갈 거야", "매주 금요일에 시험이 있어"),
        ] {
            assert_eq!(due(friday).as_deref(), Some("2026-03-20"), "{friday}");
            assert_eq!(due(tomorrow).as_deref(), Some("2026-03-19"), "{tomorrow}");
            assert_eq!(due(none), None, "{none}");
        }
        for (text, date) in [
            ("nous partons dans trois jours", "2026-03-21"),
            ("el examen que tengo es dentro de dos semanas", "2026-04-01"),
            ("мой экзамен через три дня", "2026-03-21"),
            ("三日後に試験がある", "2026-03-21"),
            ("三天后我有考试", "2026-03-21"),
            ("5月7日に試験があります", "2026-05-07"),
            ("mój egzamin jest 7 maja", "2026-05-07"),
        ] {
            assert_eq!(due(text).as_deref(), Some(date), "{text}");
        }
    }

    #[test]
    fn a24_what_is_awaited_without_a_day_is_known_in_every_language_and_what_was_is_not() {
        for (ahead, over) in [
            ("I have an exam coming up", "my exam went well"),
            ("I'm so nervous about my driving test!", "I passed the driving test"),
            ("bei mir steht bald eine Prüfung an", "die Prüfung war leicht"),
            ("j'ai bientôt un examen", "l'examen était facile"),
            ("tengo un examen pronto", "el examen fue fácil"),
            ("tenho uma prova em breve", "a prova foi fácil"),
            ("ho un esame tra poco", "ho avuto l'esame"),
            ("ik heb binnenkort een examen", "het examen was makkelijk"),
            ("mam niedługo egzamin", "egzamin był łatwy"),
            ("у меня скоро экзамен", "экзамен был лёгкий"),
            ("yakında sınavım var", "sınavım vardı, kolaydı"),
            ("もうすぐ試験です", "試験は簡単だった"),
            ("我快要考试了", "考试取消了"),
            ("곧 시험이 있어", "시험이 끝났어"),
        ] {
            let (first, then) = (awaited_in(ahead), awaited_in(over));
            assert!(first.len() == 1 && first[0].is_ahead, "{ahead}: {first:?}");
            assert!(then.len() == 1 && !then[0].is_ahead, "{over}: {then:?}");
            assert!(first[0].is_about(&then[0]), "{first:?}, {then:?}");
        }
        for text in [
            "do I have an exam?",
            "I don't have an exam",
            "I might have an exam",
            "exams are a plague",
            "I have soup",
            "",
        ] {
            assert!(awaited_in(text).iter().all(|one| !one.is_ahead), "{text}");
        }
    }
}
