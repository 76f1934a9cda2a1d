//! A question held against everything that was said, by numbers alone. Start at [`Field`].

use std::cell::RefCell;
use std::collections::HashMap;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::index::{At, Postings, Sight, Turns};
use super::query::RecallQuery;
use super::rank;
use crate::history::Visible;
use crate::text::keywords;

/// The words of the turn and, in fractions, of those around it.
const WINDOW: f32 = 3.1;
/// The words of the whole sitting.
const SITTING: f32 = 1.9;
/// Said by somebody the question names.
const SPEAKER: f32 = 2.2;
/// Said near the time the question means.
const DATE: f32 = 2.0;
/// Tells a time where the question asks for one.
const TIME_WORD: f32 = 1.8;
/// Follows a question in the same words.
const AFTER_QUESTION: f32 = 1.5;
/// Says something at length, up to thirty words.
const LENGTH: f32 = 1.6;
/// Is itself a question.
const IS_QUESTION: f32 = -0.6;

/// So many entries of the index are looked at for one question at most, about a millisecond; the rarest words first,
/// and of a word that is too common by itself the newest turns it stands in.
const ENTRIES: usize = 10_000;

/// Of what was said in the time that a question means, so many turns are called up whatever their words.
const BY_TIME: usize = 200;

/// Words of a date that stands over each turn.
const DATE_WORDS: f32 = 3.0;

/// A word of the question.
struct Asked<'a> {
    stem: &'a str,
    /// How much it tells.
    idf: f32,
    postings: Option<&'a Postings>,
    /// How often it stands in the name of each speaker, where it stands in any.
    in_names: Option<Vec<f32>>,
    /// Whether it may stand in a date.
    may_be_date: bool,
}

impl Asked<'_> {
    fn is_heading(&self) -> bool {
        self.in_names.is_some() || self.may_be_date
    }
}

/// Scores of turns by their numbers, and which have any.
struct Scores {
    window: Vec<f32>,
    own: Vec<f32>,
    sitting: Vec<f32>,
    touched: Vec<At>,
    is_touched: Vec<bool>,
}

impl Scores {
    fn touch(&mut self, at: At) {
        if !std::mem::replace(&mut self.is_touched[at as usize], true) {
            self.touched.push(at);
        }
    }
}

/// A question, and what of everything that was said it calls up.
pub(super) struct Field<'a> {
    turns: &'a Turns,
    query: &'a RecallQuery,
    /// What may be seen.
    pub sight: Sight<'a>,
    asked: Vec<Asked<'a>>,
    /// By speaker: how many words their name has, and whether the question names them.
    speakers: Vec<(f32, bool)>,
    dates: Dates<'a>,
    scores: Scores,
}

impl<'a> Field<'a> {
    /// Calls up what holds the question's words, or stands next to it, or was said when it asks about.
    pub fn new(turns: &'a Turns, query: &'a RecallQuery, visible: &Visible) -> Self {
        let circumstances = &query.circumstances;
        let sight = Sight::new(turns, visible, circumstances.until, circumstances.shown.as_ref());
        let words: Vec<String> = keywords::words(&query.text).collect();
        let names: Vec<Vec<String>> =
            turns.speakers().map(|(speaker, _)| keywords::terms(&speaker.label)).collect();
        let asked = query.terms.iter().map(|term| asked(turns, term, &names)).collect();
        let speakers = turns
            .speakers()
            .zip(&names)
            .map(|((speaker, _), label)| (label.len() as f32, is_named(&speaker.names, &words)))
            .collect();
        let mut field = Self {
            turns,
            query,
            sight,
            asked,
            speakers,
            dates: Dates { tz: &circumstances.tz, known: RefCell::default() },
            scores: Scores {
                window: vec![0.0; turns.end()],
                own: vec![0.0; turns.end()],
                sitting: vec![0.0; turns.sittings().len()],
                touched: Vec::new(),
                is_touched: vec![false; turns.end()],
            },
        };
        field.look_up();
        field
    }

    /// Whether a turn may be an answer, and not just stand next to one.
    pub fn may_be_found(&self, at: At) -> bool {
        let entry = self.turns.entry(at);
        !self.sight.is_shown(entry) && !self.query.circumstances.answered.contains(&entry.id)
    }

    /// The plain score of each turn: BM25 over its own words.
    pub fn own(&self) -> Vec<(f32, At)> {
        self.scores.touched.iter().map(|at| (self.scores.own[*at as usize], *at)).collect()
    }

    /// The sum of the signals for each turn.
    pub fn fused(&self) -> Vec<(f32, At)> {
        let best = |scores: &[f32]| scores.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
        let (window, own) = (best(&self.scores.window), best(&self.scores.own));
        let sitting = best(&self.scores.sitting);
        self.scores
            .touched
            .iter()
            .map(|&at| {
                let entry = self.turns.entry(at);
                let before = self.sight.before(at);
                let after_question = before
                    .filter(|before| self.turns.entry(*before).is_question)
                    .map_or(0.0, |before| self.scores.own[before as usize] / own);
                let is_named = entry.author.is_some_and(|author| self.speakers[author as usize].1);
                let near = self.query.window.map_or(0.0, |window| window.nearness(entry.at));
                let tells_time = self.query.asks_when && entry.tells_time;
                let score = WINDOW * self.scores.window[at as usize] / window
                    + SITTING * self.scores.sitting[entry.sitting as usize] / sitting
                    + SPEAKER * f32::from(u8::from(is_named))
                    + DATE * near
                    + TIME_WORD * f32::from(u8::from(tells_time))
                    + AFTER_QUESTION * after_question
                    + LENGTH * (entry.length as f32 / 30.0).min(1.0)
                    + IS_QUESTION * f32::from(u8::from(entry.is_question));
                (score, at)
            })
            .collect()
    }

    /// The share of what the question tells that stands in the turn and around it, with what speaks for it besides.
    pub fn likelihood(&self, at: At) -> f32 {
        let entry = self.turns.entry(at);
        let holds = |asked: &Asked<'_>, at: At| asked.postings.map_or(0.0, |p| f32::from(p.count(at)));
        let (mut all, mut around, mut own) = (0.0, 0.0, 0.0);
        for asked in &self.asked {
            all += asked.idf;
            let mine = holds(asked, at);
            own += asked.idf * mine.min(1.0);
            let near = self.turns.around(at).filter(|(_, near)| self.sight.of(*near).is_some());
            let theirs: f32 = near
                .map(|(distance, near)| self.turns.entry(near).share(entry, distance) * holds(asked, near))
                .sum();
            around += asked.idf * (mine + theirs + self.heading(asked, at)).min(1.0);
        }
        let share = if all > 0.0 { 0.6 * around / all + 0.4 * own / all } else { 0.0 };
        let near = self.query.window.map_or(0.0, |window| window.nearness(entry.at));
        let named = entry.author.is_some_and(|author| self.speakers[author as usize].1);
        let named = f32::from(u8::from(named));
        (0.75 * share + 0.15 * named * share.sqrt() + 0.35 * near).clamp(0.0, 1.0)
    }

    /// How often a word stands in who said a turn and when, which are words of its window too.
    fn heading(&self, asked: &Asked<'_>, at: At) -> f32 {
        let entry = self.turns.entry(at);
        let in_name =
            asked.in_names.as_ref().zip(entry.author).map_or(0.0, |(names, who)| names[who as usize]);
        let in_date = if asked.may_be_date { self.dates.holds(asked.stem, entry.at) } else { 0.0 };
        in_name + in_date
    }
}

/// A word, held against how often it is used, and in whose names it stands.
fn asked<'a>(turns: &'a Turns, stem: &'a str, names: &[Vec<String>]) -> Asked<'a> {
    let postings = turns.term(stem).map(|term| turns.postings(term));
    let held = |name: &Vec<String>| name.iter().filter(|word| *word == stem).count() as f32;
    let in_names: Vec<f32> = names.iter().map(held).collect();
    // A speaker's name stands over all they say, so it tells as little as the share of turns that are theirs.
    let headed: u32 =
        turns.speakers().zip(&in_names).filter(|(_, held)| **held > 0.0).map(|((_, spoken), _)| spoken).sum();
    let in_texts = postings.map_or(0, |postings| postings.turns.len()) as f32;
    Asked {
        stem,
        idf: rank::idf(in_texts.max(headed as f32), turns.live().max(1) as f32),
        postings,
        in_names: in_names.iter().any(|held| *held > 0.0).then_some(in_names),
        may_be_date: stem.bytes().all(|byte| byte.is_ascii_digit()) || MONTHS.contains(&stem),
    }
}

/// Whether a question's words name somebody.
fn is_named(names: &[Option<String>], question: &[String]) -> bool {
    let words = names.iter().flatten().flat_map(|name| keywords::words(name).collect::<Vec<_>>());
    words
        .filter(|word| word.chars().count() > 1 && !keywords::is_stop_word(word))
        .any(|word| question.contains(&word))
}

impl Field<'_> {
    fn look_up(&mut self) {
        let mut rarest: Vec<usize> = (0..self.asked.len()).collect();
        rarest.sort_by_key(|asked| self.asked[*asked].postings.map_or(0, |postings| postings.turns.len()));
        let mut left = ENTRIES;
        let mut windows = Counts::over(self.turns.end());
        let mut sittings = Counts::over(self.turns.sittings().len());
        let mut counted: Vec<Vec<(At, f32)>> = vec![Vec::new(); self.asked.len()];
        for asked in rarest {
            let Asked { idf, postings: Some(postings), .. } = self.asked[asked] else { continue };
            left -= self.count(postings, left, idf, &mut windows, &mut sittings);
            counted[asked] = windows.take();
            let lengths = self.turns.sittings();
            let average =
                self.turns.average_length() * self.turns.live() as f32 / lengths.len().max(1) as f32;
            for (sitting, count) in sittings.take() {
                let length = lengths[sitting as usize] as f32;
                self.scores.sitting[sitting as usize] += idf * rank::saturated(count, length, average);
            }
        }
        if let Some(window) = self.query.window {
            let then = self.turns.between(window.from, window.to).filter(|at| self.sight.of(*at).is_some());
            then.take(BY_TIME).for_each(|at| self.scores.touch(at));
        }
        self.weigh(&counted, &mut windows);
    }

    /// Goes through the newest turns a word stands in, `most` of those that may be seen: scores them by it, and counts it
    /// in windows and sittings. Gives how many they were. What is hidden takes nobody's place.
    fn count(
        &mut self,
        postings: &Postings,
        most: usize,
        idf: f32,
        windows: &mut Counts,
        sittings: &mut Counts,
    ) -> usize {
        let average = self.turns.average_length();
        let newest = postings.turns.iter().zip(&postings.counts).rev();
        let seen = newest.filter_map(|(at, count)| self.sight.of(*at).map(|entry| (*at, *count, entry)));
        let mut gone_through = 0;
        for (at, count, entry) in seen.take(most) {
            gone_through += 1;
            let count = f32::from(count);
            self.scores.touch(at);
            self.scores.own[at as usize] += idf * rank::saturated(count, entry.length as f32, average);
            sittings.add(entry.sitting, count);
            windows.add(at, count);
            for (distance, near) in self.turns.around(at) {
                let Some(other) = self.sight.of(near) else { continue };
                self.scores.touch(near);
                windows.add(near, count * entry.share(other, distance));
            }
        }
        gone_through
    }

    /// Scores the windows, now that all turns are known that have one.
    fn weigh(&mut self, counted: &[Vec<(At, f32)>], windows: &mut Counts) {
        let touched = std::mem::take(&mut self.scores.touched);
        let length = |at: At| {
            let entry = self.turns.entry(at);
            entry.window + entry.author.map_or(0.0, |author| self.speakers[author as usize].0) + DATE_WORDS
        };
        let average = touched.iter().map(|at| length(*at)).sum::<f32>() / touched.len().max(1) as f32;
        let mut scores = std::mem::take(&mut self.scores.window);
        for (number, counts) in counted.iter().enumerate() {
            let asked = &self.asked[number];
            if !asked.is_heading() {
                for &(at, count) in counts {
                    scores[at as usize] += asked.idf * rank::saturated(count, length(at), average);
                }
                continue;
            }
            counts.iter().for_each(|(at, count)| windows.add(*at, *count));
            let mut headed = 0_u32;
            for &at in &touched {
                let heading = self.heading(asked, at);
                headed += u32::from(heading > 0.0);
                windows.add(at, heading);
            }
            let live = self.turns.live().max(1) as f32;
            let idf = asked.idf.min(rank::idf(live * headed as f32 / touched.len().max(1) as f32, live));
            for (at, count) in windows.take() {
                scores[at as usize] += idf * rank::saturated(count, length(at), average);
            }
            self.asked[number].idf = idf;
        }
        self.scores.window = scores;
        self.scores.touched = touched;
    }
}

/// Sums by number, most of which are nothing.
struct Counts {
    each: Vec<f32>,
    counted: Vec<u32>,
}

impl Counts {
    fn over(end: usize) -> Self {
        Self { each: vec![0.0; end], counted: Vec::new() }
    }

    fn add(&mut self, number: u32, count: f32) {
        let sum = &mut self.each[number as usize];
        if *sum == 0.0 && count > 0.0 {
            self.counted.push(number);
        }
        *sum += count;
    }

    /// The sums; nothing is left.
    fn take(&mut self) -> Vec<(u32, f32)> {
        let each = &mut self.each;
        self.counted.drain(..).map(|number| (number, std::mem::take(&mut each[number as usize]))).collect()
    }
}

/// Stems of the months' English names, as they stand in a date.
const MONTHS: [&str; 12] = [
    "januari", "februari", "march", "april", "mai", "june", "juli", "august", "septemb", "octob", "novemb",
    "decemb",
];

/// The words of the days on which turns were said.
struct Dates<'a> {
    tz: &'a TimeZone,
    known: RefCell<HashMap<Date, Vec<String>>>,
}

impl Dates<'_> {
    /// How often a stem stands in the date of a moment.
    fn holds(&self, stem: &str, at: Timestamp) -> f32 {
        let day = self.tz.to_datetime(at).date();
        let mut known = self.known.borrow_mut();
        let words =
            known.entry(day).or_insert_with(|| keywords::terms(&day.strftime("%-d %B %Y").to_string()));
        words.iter().filter(|word| *word == stem).count() as f32
    }
}
