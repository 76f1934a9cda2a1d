//! A question's words, held against everything that was said: where they stand, what may stand for them, in whose names
//! and on which days they are. Start at [`Asked`].

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::index::Speaker;
use super::query::RecallQuery;
use crate::history::{Held, History, HistoryError, Visible};
use crate::text::calendar;
use crate::text::keywords;
use crate::text::names::{is_unspaced, names_whole_word};
use crate::text::phrases::Languages;
use crate::text::synonyms::{Synonym, synonyms_of};

/// So many rows of the index are looked at for one question, about a millisecond: of rare words all, of common ones the
/// newest turns they stand in.
const ENTRIES: usize = 10_000;

/// And so many where only what is worth this much is wanted at all: that holds the rare words, whatever the common ones.
const ENTRIES_OF_RARE_WORDS: usize = 3_000;
const WORTH_MUCH: f32 = 0.5;

/// Letters of a short form that names somebody: "Mel" for Melanie.
const SHORT_NAME: usize = 3;

/// A word that nobody ever said, of so many letters and more, may be one that is spelt nearly as it is; that counts so much
/// at most.
const SPELT: usize = 4;
const MISSPELT: f32 = 0.7;

/// Where a word of a question stands, by rows of the history.
#[derive(Debug, Default)]
pub(super) struct WordRows {
    own: Held,
    /// Words that may stand for it, and how much they count.
    synonyms: Vec<(Held, f32)>,
    /// Where nobody ever said any of these: words that are spelt nearly as it is.
    spelt: Vec<(Held, f32)>,
}

/// Looks up where the telling words of a question stand, in its order, as far as `visible` allows.
pub(super) async fn place_words(
    history: &History,
    query: &RecallQuery,
    visible: &Visible,
) -> Result<Vec<WordRows>, HistoryError> {
    let most = if query.circumstances.least >= WORTH_MUCH { ENTRIES_OF_RARE_WORDS } else { ENTRIES };
    let mut words = query.forms();
    let mut standing: Vec<WordRows> = words.iter().map(|_| WordRows::default()).collect();
    let mut of_kin: Vec<(usize, f32)> = Vec::new();
    for (at, stem) in query.terms.iter().enumerate() {
        // What the question asks for by itself stands for itself.
        let mut synonyms: Vec<&Synonym> = synonyms_of(stem).iter().collect();
        synonyms.retain(|(synonym, _)| !query.terms.contains(synonym));
        synonyms.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        for alike in synonyms.chunk_by(|(_, a), (_, b)| a == b) {
            words.push(alike.iter().map(|(synonym, _)| synonym.clone()).collect());
            of_kin.push((at, alike[0].1));
        }
    }
    let mut held = history.seen_by(visible).turns_holding(words, most).await?.into_iter();
    for (standing, own) in standing.iter_mut().zip(held.by_ref()) {
        standing.own = own;
    }
    for ((at, share), held) in of_kin.into_iter().zip(held) {
        standing[at].synonyms.push((held, share));
    }
    let (mut words, mut of_spelt) = (Vec::new(), Vec::new());
    for (at, stem) in query.terms.iter().enumerate() {
        let held =
            std::iter::once(&standing[at].own).chain(standing[at].synonyms.iter().map(|(held, _)| held));
        if stem.chars().count() >= SPELT && held.map(|held| held.rows.len()).sum::<usize>() == 0 {
            for (known, alike) in history.seen_by(visible).terms_resembling(stem.clone()).await? {
                words.push(vec![known]);
                of_spelt.push((at, MISSPELT * alike));
            }
        }
    }
    if !words.is_empty() {
        let held = history.seen_by(visible).turns_holding(words, most).await?;
        for ((at, share), held) in of_spelt.into_iter().zip(held) {
            standing[at].spelt.push((held, share));
        }
    }
    Ok(standing)
}

/// A word of the question.
pub(super) struct Asked<'a> {
    pub stem: &'a str,
    pub own: &'a Held,
    /// Where words stand that may stand for it, and how much each of them counts.
    pub synonyms: &'a [(Held, f32)],
    /// How often it stands in the name of each speaker, where it stands in any.
    pub in_names: Option<Vec<f32>>,
    /// Whether it may stand in a date.
    pub may_be_date: bool,
    /// Whether it is what the question is about, and not whom or when.
    pub is_topic: bool,
}

impl<'a> Asked<'a> {
    /// The telling words of a question, in its order.
    pub(super) fn all(query: &'a RecallQuery, standing: &'a [WordRows], names: &[Vec<String>]) -> Vec<Self> {
        let each = query.terms.iter().zip(standing);
        each.map(|(stem, standing)| Self::new(query, stem, standing, names)).collect()
    }

    fn new(query: &RecallQuery, stem: &'a str, standing: &'a WordRows, names: &[Vec<String>]) -> Self {
        let held = |name: &Vec<String>| name.iter().filter(|word| *word == stem).count() as f32;
        let in_names: Vec<f32> = names.iter().map(held).collect();
        let in_names = in_names.iter().any(|held| *held > 0.0).then_some(in_names);
        let may_be_date = is_in_dates(stem);
        let is_unheard = !standing.spelt.is_empty() && in_names.is_none() && !may_be_date;
        Self {
            stem,
            own: &standing.own,
            synonyms: if is_unheard { &standing.spelt } else { &standing.synonyms },
            is_topic: in_names.is_none()
                && !(may_be_date && query.window.is_some())
                && !query.named.iter().any(|name| is_short_for(name, stem, names)),
            in_names,
            may_be_date,
        }
    }

    /// Whether it may stand over turns, in their speaker's name or their date.
    pub(super) fn is_heading(&self) -> bool {
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
static MONTHS: LazyLock<Vec<String>> = LazyLock::new(|| {
    keywords::terms(&calendar::months_in(Languages::of("en")).collect::<Vec<_>>().join(" "))
});

fn is_in_dates(stem: &str) -> bool {
    stem.bytes().all(|byte| byte.is_ascii_digit()) || MONTHS.iter().any(|month| month == stem)
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
    pub(super) fn in_zone(tz: &'a TimeZone) -> Self {
        Self { tz, known: RefCell::default() }
    }

    /// How often a stem stands in the date of a moment.
    pub(super) fn holds(&self, stem: &str, at: Timestamp) -> f32 {
        let day = self.tz.to_datetime(at).date();
        let mut known = self.known.borrow_mut();
        let words =
            known.entry(day).or_insert_with(|| keywords::terms(&day.strftime("%-d %B %Y").to_string()));
        words.iter().filter(|word| *word == stem).count() as f32
    }
}
