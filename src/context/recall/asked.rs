//! A question's words, held against everything that was said: where they stand, what may stand for them, in whose names
//! and on which days they are. Start at [`Asked`].

use std::cell::RefCell;
use std::collections::HashMap;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::index::{Postings, Sight, Speaker, Turns};
use super::query::RecallQuery;
use crate::text::names::{is_unspaced, names_whole_word};
use crate::text::{keywords, kin};

/// Letters of a short form that names somebody: "Mel" for Melanie.
const SHORT_NAME: usize = 3;

/// A word that nobody ever said, of so many letters and more, may be one that is spelt nearly as it is; that counts so much
/// at most.
const SPELT: usize = 4;
const MISSPELT: f32 = 0.7;

/// A word of the question.
pub(super) struct Asked<'a> {
    /// Its stem.
    pub stem: &'a str,
    /// Where it stands.
    pub postings: Option<&'a Postings>,
    /// Where words stand that may stand for it, and how much each of them counts.
    pub kin: Vec<(&'a Postings, f32)>,
    /// How often it stands in the name of each speaker, where it stands in any.
    pub in_names: Option<Vec<f32>>,
    /// Whether it may stand in a date.
    pub may_be_date: bool,
    /// Whether it is what the question is about, and not whom or when.
    pub is_topic: bool,
}

impl<'a> Asked<'a> {
    /// The telling words of a question, in its order.
    pub fn all(
        turns: &'a Turns,
        query: &'a RecallQuery,
        sight: &Sight<'_>,
        names: &[Vec<String>],
    ) -> Vec<Self> {
        query.terms.iter().map(|stem| Self::new(turns, query, stem, sight, names)).collect()
    }

    fn new(
        turns: &'a Turns,
        query: &RecallQuery,
        stem: &'a str,
        sight: &Sight<'_>,
        names: &[Vec<String>],
    ) -> Self {
        let postings = |stem: &str| turns.term(stem).map(|term| turns.postings(term));
        let held = |name: &Vec<String>| name.iter().filter(|word| *word == stem).count() as f32;
        let in_names: Vec<f32> = names.iter().map(held).collect();
        let in_names = in_names.iter().any(|held| *held > 0.0).then_some(in_names);
        let may_be_date = is_in_dates(stem);
        // What the question asks for by itself stands for itself.
        let kin = kin::of(stem).iter().filter(|(kin, _)| !query.terms.contains(kin));
        // What is hidden makes no word a known one.
        let is_seen = |known: &Postings| known.turns.iter().any(|at| sight.of(*at).is_some());
        let own = postings(stem).filter(|own| is_seen(own));
        let mut kin: Vec<(&Postings, f32)> =
            kin.filter_map(|(kin, share)| Some((postings(kin)?, *share))).collect();
        let is_unheard = own.is_none() && in_names.is_none() && !may_be_date;
        if is_unheard && stem.chars().count() >= SPELT && !kin.iter().any(|(kin, _)| is_seen(kin)) {
            kin.extend(turns.resembling(stem).map(|(known, alike)| (known, MISSPELT * alike)));
        }
        Self {
            stem,
            postings: own,
            kin,
            is_topic: in_names.is_none()
                && !(may_be_date && query.window.is_some())
                && !query.named.iter().any(|name| is_short_for(name, stem, names)),
            in_names,
            may_be_date,
        }
    }

    /// Whether it may stand over turns, in their speaker's name or their date.
    pub fn is_heading(&self) -> bool {
        self.in_names.is_some() || self.may_be_date
    }
}

/// Whether `name`, which comes to `stem`, is the beginning of somebody's name.
fn is_short_for(name: &str, stem: &str, names: &[Vec<String>]) -> bool {
    let folded = keywords::fold(name);
    folded.chars().count() >= SHORT_NAME
        && keywords::index_word(name) == stem
        && names.iter().flatten().any(|known| known.starts_with(&folded))
}

/// Whether the question names this speaker, by a whole word of one of their names or the beginning of one. A name in a
/// script that sets no words apart, or hangs particles on them, stands anywhere.
pub(super) fn is_named(speaker: &Speaker, query: &RecallQuery, question: &[String]) -> bool {
    let is_unspaced = |name: &&String| name.chars().count() > 1 && name.chars().any(is_unspaced);
    let mut unspaced = speaker.names.iter().flatten().filter(is_unspaced);
    if unspaced.any(|name| names_whole_word(&query.text, name)) {
        return true;
    }
    let short: Vec<String> = query.named.iter().map(|name| keywords::fold(name)).collect();
    let words = speaker.names.iter().flatten().flat_map(|name| keywords::words(name).collect::<Vec<_>>());
    words.filter(|word| word.chars().count() > 1 && !keywords::is_stop_word(word)).any(|word| {
        question.contains(&word)
            || short.iter().any(|short| short.chars().count() >= SHORT_NAME && word.starts_with(short))
    })
}

/// Stems of the months' English names, as they stand in a date.
const MONTHS: [&str; 12] = [
    "januari", "februari", "march", "april", "mai", "june", "juli", "august", "septemb", "octob", "novemb",
    "decemb",
];

fn is_in_dates(stem: &str) -> bool {
    stem.bytes().all(|byte| byte.is_ascii_digit()) || MONTHS.contains(&stem)
}

/// Words of a date that stands over each turn.
pub(super) const DATE_WORDS: f32 = 3.0;

/// The words of the days on which turns were said.
pub(super) struct Dates<'a> {
    tz: &'a TimeZone,
    known: RefCell<HashMap<Date, Vec<String>>>,
}

impl<'a> Dates<'a> {
    /// By the clocks of this zone.
    pub fn in_zone(tz: &'a TimeZone) -> Self {
        Self { tz, known: RefCell::default() }
    }

    /// How often a stem stands in the date of a moment.
    pub fn holds(&self, stem: &str, at: Timestamp) -> f32 {
        let day = self.tz.to_datetime(at).date();
        let mut known = self.known.borrow_mut();
        let words =
            known.entry(day).or_insert_with(|| keywords::terms(&day.strftime("%-d %B %Y").to_string()));
        words.iter().filter(|word| *word == stem).count() as f32
    }
}
