//! A sentence in which somebody sets right what they said before: "no, it's Saturday", "her name is Ana, not Eva", "*Ana".
//!
//! Only where it is certain what is meant: one exact word for another, the one day, time or number of a fact for another of
//! its sort, or, right after something was stated, another value of the same look.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::forms::{FittingForm, Forms};
use super::said::Sentence;
use super::sentence::message_sentences;
use super::slots::StatedReading;
use super::state::statements;
use super::words::begins_with;
use crate::text::calendar::{
    DatePart, has_date_sign, is_month, is_weekday, month, signed_date, weekday_names,
};
use crate::text::clock_time::clock_times;
use crate::text::keywords;
use crate::text::names::is_unspaced;
use crate::text::phrases::either;

/// Longest thing that is put in another's place, in words.
const WORDS_MAX: usize = 4;

/// So much alike is a word to the one it mends, as Jaro and Winkler measure it.
const MENDS: f64 = 0.8;

/// A word within a name that is written small has at most so many letters: "Rio de Janeiro".
const PARTICLE: usize = 3;

/// What something is called has at least so many letters.
const SUBJECT_MIN: usize = 3;

/// What is set right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// What stood there and is wrong, where it is said.
    wrong: Option<String>,
    right: String,
    /// What that is said of, where it is: the exam is on the 4th. A fact has to name it.
    subject: Option<String>,
    manner: CorrectionManner,
    /// Whether it can hardly be anything else than a correction.
    is_plain: bool,
}

/// How what is right was put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CorrectionManner {
    /// "her name is Ana"
    Called,
    So,
    Rather,
    Bare,
    Starred,
}

/// How long before a correction something was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Nearness {
    Next,
    Near,
    Far,
}

/// What a sentence sets right, where it does. Whoever neither says "no", "actually" or "I meant" nor names what is wrong
/// is not taken to.
pub fn correction(sentence: &Sentence) -> Option<Correction> {
    let forms = Forms::get()?;
    let body = sentence.body.trim();
    let fitting: Vec<FittingForm<'_>> = forms.fitting(body).collect();
    let instead = fitting.iter().filter(|form| form.section == "instead");
    let instead = instead.filter_map(|form| {
        let found = form.pattern.captures(body)?;
        let wrong = tidy_correction(found.name("wrong")?.as_str());
        let (right, manner) = corrected_words(forms, found.name("right")?.as_str().trim());
        let is_one = is_short(&wrong) && is_short(&right) && wrong != right && is_alike(&wrong, &right);
        let is_plain = sentence.amends || manner == CorrectionManner::Called || found.name("k").is_some();
        is_one.then_some(Correction { wrong: Some(wrong), right, subject: None, manner, is_plain })
    });
    // "Ich wohne nicht in Kiel" puts nothing in its place.
    let only_ends = || statements(sentence).iter().any(|one| one.ends);
    if let Some(first) = instead.into_iter().next().filter(|_| !only_ends()) {
        return Some(first);
    }
    let is_rather = fitting.iter().any(|form| form.section == "rather");
    if !sentence.amends && !is_rather {
        return None;
    }
    let mut named = fitting.iter().filter(|form| form.section == "it is so of");
    if let Some(one) = named.find_map(|form| said_of(&form.pattern.captures(body)?)) {
        return Some(one);
    }
    let (right, manner) = corrected_words(forms, body);
    let manner = if sentence.is_starred { CorrectionManner::Starred } else { manner };
    is_short(&right).then_some(Correction { wrong: None, right, subject: None, manner, is_plain: true })
}

/// "The exam is on the 4th of December": one day, time or number of something that is named.
fn said_of(found: &Captures<'_>) -> Option<Correction> {
    let subject = found.name("k")?.as_str().to_lowercase();
    let right = tidy_correction(found.name("v")?.as_str());
    // Small words name nothing; words that nothing sets apart are short.
    let is_named = subject.chars().count() >= SUBJECT_MIN || subject.contains(is_unspaced);
    let is_one = is_named && is_short(&right) && sorts(&right).len() == 1;
    is_one.then_some(Correction {
        wrong: None,
        right,
        subject: Some(subject),
        manner: CorrectionManner::So,
        is_plain: true,
    })
}

/// What is right without the words it is put in.
fn corrected_words(forms: &Forms, body: &str) -> (String, CorrectionManner) {
    // "my sister is called Ana, not Eva"
    let whole = message_sentences(body);
    if let [stated] = whole.iter().flat_map(statements).collect::<Vec<_>>().as_slice()
        && !stated.ends
    {
        return (stated.value.clone(), CorrectionManner::Called);
    }
    let fitting: Vec<FittingForm<'_>> = forms.fitting(body).collect();
    let manners = [
        ("rather", CorrectionManner::Rather),
        ("called so", CorrectionManner::Called),
        ("it is so", CorrectionManner::So),
    ];
    let found = manners.iter().find_map(|(section, manner)| {
        let form = fitting.iter().find(|form| form.section == *section)?;
        Some((tidy_correction(form.pattern.captures(body)?.name("v")?.as_str()), *manner))
    });
    found.unwrap_or_else(|| (tidy_correction(body), CorrectionManner::Bare))
}

impl Correction {
    /// How long before it what it sets right may have been said.
    pub fn reaches(&self) -> Nearness {
        let says_of_what = self.wrong.is_some() || self.subject.is_some();
        if says_of_what && self.is_plain { Nearness::Far } else { Nearness::Near }
    }

    /// Whether it names what is wrong: then one fact alone can be meant, whenever it was said.
    pub fn names_the_wrong(&self) -> bool {
        self.wrong.is_some()
    }

    /// The words of a fact, set right; `None` where it does not say exactly one such thing.
    pub fn applied(&self, words: &str, nearness: Nearness) -> Option<String> {
        let is_of_another = |subject: &String| !words.to_lowercase().contains(subject.as_str());
        if nearness > self.reaches() || self.subject.as_ref().is_some_and(is_of_another) {
            return None;
        }
        let reading = StatedReading::of(words);
        if let Some(wrong) = &self.wrong {
            return match reading {
                Some(reading) => reading.with(&replaced(reading.value(), wrong, &self.right)?),
                None => replaced(words, wrong, &self.right),
            };
        }
        let sorts_of_right = sorts(&self.right);
        if let [(sort, new)] = sorts_of_right.as_slice() {
            let mut old = sorts(words).into_iter().filter(|(other, _)| other == sort);
            let ((_, mut only), right) = (old.next()?, &self.right[new.clone()]);
            if half_before(right) == 0 {
                only.start += half_before(&words[only.clone()]);
            }
            if old.next().is_some() || words[only.clone()].eq_ignore_ascii_case(right) {
                return None;
            }
            return Some(format!("{}{right}{}", &words[..only.start], &words[only.end..]));
        }
        if !sorts_of_right.is_empty() {
            return None;
        }
        self.restated(&reading?, nearness)
    }

    /// A fact of a known sort with another value.
    fn restated(&self, fact: &StatedReading, nearness: Nearness) -> Option<String> {
        let right = self.right.as_str();
        if self.manner == CorrectionManner::Starred {
            let mended = fact.value().split_whitespace().find(|word| {
                let (word, right) = (word.to_lowercase(), right.to_lowercase());
                strsim::jaro_winkler(&word, &right) >= MENDS
            });
            if let Some(mended) = mended.filter(|_| right.split_whitespace().count() == 1) {
                return fact.with(&fact.value().replacen(mended, right, 1));
            }
        }
        let has_case = |text: &str| text.chars().any(|c| c.is_lowercase() || c.is_uppercase());
        let words: Vec<&str> = right.split_whitespace().collect();
        let is_high = |word: &&str| word.chars().next().is_some_and(|first| !first.is_lowercase());
        let is_proper = words.first().is_some_and(is_high)
            && words.iter().all(|word| is_high(word) || word.chars().count() <= PARTICLE);
        let is_dull = begins_with(right, "no value")
            || words.first().is_some_and(|word| keywords::is_stop_word(&keywords::fold(word)));
        let is_next = nearness == Nearness::Next;
        let may_be = match self.manner {
            CorrectionManner::Rather => false,
            CorrectionManner::Called => fact.names_another(),
            // Where nothing tells a name from a word, it has to be said that it is one.
            CorrectionManner::Bare if !has_case(right) => false,
            CorrectionManner::So | CorrectionManner::Bare | CorrectionManner::Starred
                if fact.is_particular() =>
            {
                !is_dull && is_proper && (has_case(right) || is_next)
                    || is_next
                        && !is_dull
                        && words.len() == 1
                        && !fact.value().chars().any(char::is_uppercase)
            }
            CorrectionManner::So => is_next && !is_dull && fact.is_something(),
            CorrectionManner::Bare | CorrectionManner::Starred => is_next && !is_dull,
        };
        if may_be { fact.with(right) } else { None }
    }
}

/// A text with one word for another that stands there once.
fn replaced(words: &str, wrong: &str, right: &str) -> Option<String> {
    let escaped = regex::escape(wrong);
    // Where no spaces part words, nothing tells where one ends.
    let is_parted = wrong.chars().any(|c| c.is_lowercase() || c.is_uppercase() || c.is_ascii_digit());
    let whole = Regex::new(&if is_parted { format!(r"(?i)\b{escaped}\b") } else { escaped }).ok()?;
    let mut found = whole.find_iter(words);
    let only = found.next()?;
    if found.next().is_some() {
        return None;
    }
    Some(format!("{}{right}{}", &words[..only.start()], &words[only.end()..]))
}

/// Whether one can stand in the other's place: a name for a name, a number for a number.
fn is_alike(wrong: &str, right: &str) -> bool {
    let begins_high = |text: &str| text.chars().next().is_some_and(|c| c.is_uppercase() || c.is_numeric());
    let has_digit = |text: &str| text.chars().any(|c| c.is_ascii_digit());
    let is_pointing = begins_with(right, "pointing");
    !is_pointing && (begins_high(right) || !begins_high(wrong)) && has_digit(wrong) == has_digit(right)
}

/// Sorts of things of which one can stand for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CorrectionSort {
    Weekday,
    Day,
    Time,
    Number,
}

static SORTS: LazyLock<Vec<(CorrectionSort, Regex)>> = LazyLock::new(|| {
    // What no spaces set apart ends where it ends.
    let days: Vec<&str> = (1..=7).flat_map(weekday_names).filter(|name| name.contains(is_unspaced)).collect();
    let patterns = [
        (CorrectionSort::Day, signed_date("month", "day")),
        (CorrectionSort::Day, r"(?i)\b\d{1,2}(?:st|nd|rd|th|\.)?(?: of| de)? \p{L}+\b".to_owned()),
        (CorrectionSort::Day, r"(?i)\b\p{L}+ \d{1,2}(?:st|nd|rd|th)?\b".to_owned()),
        (CorrectionSort::Weekday, either(&days)),
        (CorrectionSort::Weekday, r"\b\p{L}{4,12}\b".to_owned()),
        (CorrectionSort::Number, r"\b\d+\b".to_owned()),
    ];
    let compiled =
        patterns.into_iter().map(|(sort, pattern)| Regex::new(&pattern).map(|pattern| (sort, pattern)));
    compiled.collect::<Result<_, _>>().unwrap_or_default()
});

/// How much of an hour tells the half of the day before it, which stays unless another is said: "午後" of "午後7時".
fn half_before(hour: &str) -> usize {
    clock_times(hour).first().map_or(0, |one| one.figures.start)
}

/// The days, times and numbers in a text, none of which is part of another.
fn sorts(text: &str) -> Vec<(CorrectionSort, std::ops::Range<usize>)> {
    let times = clock_times(text).into_iter().map(|one| (CorrectionSort::Time, one.bytes));
    let mut found: Vec<(CorrectionSort, std::ops::Range<usize>)> = times.collect();
    for (sort, pattern) in SORTS.iter() {
        for one in pattern.find_iter(text) {
            let words = || one.as_str().split([' ', '.']).map(str::to_lowercase);
            let is_one = match sort {
                CorrectionSort::Time | CorrectionSort::Number => true,
                CorrectionSort::Day if has_date_sign(one.as_str(), DatePart::Month) => true,
                // Behind a number the month has other forms, and short ones.
                CorrectionSort::Day if one.as_str().starts_with(|c: char| c.is_ascii_digit()) => {
                    words().any(|word| month(&word).is_some())
                }
                CorrectionSort::Day => words().any(|word| is_month(&word)),
                CorrectionSort::Weekday => words().all(|word| is_weekday(&word)),
            };
            let is_free = found.iter().all(|(_, taken)| taken.end <= one.start() || one.end() <= taken.start);
            if is_one && is_free {
                found.push((*sort, one.range()));
            }
        }
    }
    found
}

fn tidy_correction(text: &str) -> String {
    text.trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
}

fn is_short(text: &str) -> bool {
    (1..=WORDS_MAX).contains(&text.split_whitespace().count()) && !text.contains(['{', '}', '<', '>'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corrected(said: &str, fact: &str) -> Option<String> {
        message_sentences(said).iter().find_map(correction)?.applied(fact, Nearness::Next)
    }

    #[test]
    fn m5_one_thing_is_put_in_the_place_of_another_of_its_sort() {
        let party = "Ana asked to remember: \u{201c}the party is on Friday at 7pm\u{201d}";
        assert_eq!(corrected("no, it's Saturday", party), Some(party.replace("Friday", "Saturday")));
        assert_eq!(corrected("Actually, make that 8pm.", party), Some(party.replace("7pm", "8pm")));
        assert_eq!(
            corrected("sorry, I meant Saturday, not Friday", party),
            Some(party.replace("Friday", "Saturday"))
        );
        let home = "Ana lives in Ghent.";
        assert_eq!(corrected("no, not Ghent, it's Bruges", home).as_deref(), Some("Ana lives in Bruges."));
        let birthday = "Ana's birthday is 14 June.";
        assert_eq!(corrected("no, it's 15 June", birthday).as_deref(), Some("Ana's birthday is 15 June."));
    }

    #[test]
    fn m5_hours_and_days_are_set_right_as_each_language_writes_them() {
        for (fact, said, wrong, right) in [
            ("la fête est vendredi à 19h", "non, à 20h", "19h", "20h"),
            ("la fête est vendredi à 19h30", "non, c'est samedi", "vendredi", "samedi"),
            ("das Fest ist am Freitag um 19 Uhr", "nein, um 20 Uhr", "19 Uhr", "20 Uhr"),
            ("la fiesta es el viernes a las 7 horas", "no, es el sábado", "viernes", "sábado"),
            ("праздник в пятницу в 7 часов", "нет, в субботу", "пятницу", "субботу"),
            ("パーティーは金曜日の7時", "違う、8時です", "7時", "8時"),
            ("パーティーは5月7日", "違う、5月8日です", "5月7日", "5月8日"),
            ("聚会在周五7点", "不对，是周六", "周五", "周六"),
            ("la fête est vendredi à 19h", "non, 20h", "19h", "20h"),
            ("パーティーは金曜日の午後7時", "いや、8時", "7時", "8時"),
            ("パーティーは金曜日の午後7時", "いや、午前10時", "午後7時", "午前10時"),
            ("聚会在下午7点", "不对，8点", "7点", "8点"),
            ("파티는 금요일 오후 7시", "아니요, 8시", "7시", "8시"),
            ("праздник 7 мая", "нет, 8 июня", "7 мая", "8 июня"),
            ("la fiesta es el 7 de mayo", "no, el 8 de junio", "7 de mayo", "8 de junio"),
            ("het feest is om 19.30 uur", "nee, om 20.30 uur", "19.30 uur", "20.30 uur"),
            ("파티는 금요일 7시", "아니요, 토요일이에요", "금요일", "토요일"),
        ] {
            assert_eq!(corrected(said, fact), Some(fact.replace(wrong, right)), "{said}");
        }
    }

    #[test]
    fn m5_what_is_named_is_set_right_and_nothing_else() {
        for (fact, said, wrong, right) in [
            (
                "ich am 2. Dezember Prüfung habe",
                "Quatsch, die Prüfung ist am 4. Dezember",
                "2. Dezember",
                "4 Dezember",
            ),
            ("die Prüfung am Freitag ist", "nee, die Prüfung ist am Montag", "Freitag", "Montag"),
            ("the exam is on Friday at 9", "no, the exam is on Monday", "Friday", "Monday"),
            ("l'examen est vendredi", "mais non, l'examen est lundi", "vendredi", "lundi"),
            ("el examen es el viernes", "no, el examen es el lunes", "viernes", "lunes"),
            ("試験は金曜日", "違うよ、試験は月曜日だよ", "金曜日", "月曜日"),
            ("考试在周五", "不对，考试是周一", "周五", "周一"),
            ("시험은 금요일", "아니, 시험은 월요일이야", "금요일", "월요일"),
            ("экзамен в пятницу", "нет, экзамен в понедельник", "пятницу", "понедельник"),
        ] {
            assert_eq!(corrected(said, fact), Some(fact.replace(wrong, right)), "{said}");
        }
        let exam = "die Prüfung am Freitag ist";
        for said in
            ["nein, das Konzert ist am Montag", "die Prüfung ist am Montag", "nein, die Prüfung ist schwer"]
        {
            assert_eq!(corrected(said, exam), None, "{said}");
        }
    }

    #[test]
    fn what_only_holds_no_longer_is_put_in_no_place() {
        for (fact, said) in [
            ("Ana lives in Hamburg.", "Ich wohne nicht in Hamburg"),
            ("Ana is vegan.", "я больше не vegan"),
            ("Ana is végétarienne.", "je suis pas végétarienne"),
        ] {
            assert_eq!(corrected(said, fact), None, "{said}");
        }
    }

    #[test]
    fn where_it_is_not_certain_nothing_is_set_right() {
        let party = "Ana asked to remember: \u{201c}the party is on Friday\u{201d}";
        for said in [
            "it's Saturday",
            "no, it's lovely",
            "actually I like Saturday more than any other day",
            "no, it's Friday",
            "no, it's 8pm",
            "no way",
            "no, not Monday, it's Saturday",
        ] {
            assert_eq!(corrected(said, party), None, "{said}");
        }
        assert_eq!(corrected("no, it's Saturday", "From Friday to Sunday."), None);
        let home = "Ana lives in Ghent.";
        for said in
            ["no, it's lovely", "no, thanks", "no way", "actually it's not Ghent", "no, it's Saturday"]
        {
            assert_eq!(corrected(said, home), None, "{said}");
        }
        let work = "Ana works as nurse.";
        for said in ["no, it's raining", "no, thanks", "make it short", "*their", "no, not yet"] {
            assert_eq!(corrected(said, work), None, "{said}");
        }
        let far =
            |said: &str| message_sentences(said).iter().find_map(correction)?.applied(home, Nearness::Far);
        assert_eq!((far("no, Bruges"), far("Bruges, not Ghent")), (None, None), "long after");
        assert_eq!(far("no, Bruges, not Ghent").as_deref(), Some("Ana lives in Bruges."));
    }
}
