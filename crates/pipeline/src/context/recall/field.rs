//! A question held against everything that was said, by numbers alone. What is hidden has no part in it: neither in what
//! is called up nor in how rare a word is. Start at [`Field`].

use std::ops::Range;

use super::asked::{Asked, DATE_WORDS, Dates, WordRows, is_named};
use super::index::{At, Entry, TurnTotals, TurnViewer, Turns};
use super::meaning::Meant;
use super::near::Near;
use super::query::RecallQuery;
use super::rank;
use super::weights::{Signal, Signals};
use crate::domain::StoredId;
use crate::embedding::TurnVectors;
use crate::history::{Held, Visible};
use crate::text::keywords;

/// Of what was said in the time that a question means, so many turns are called up whatever their words.
const BY_TIME: usize = 200;

/// Fewer turns than this are too few to choose from; then of whoever is named so many are called up.
const FOUND_ENOUGH: usize = 10;
const BY_NAME: usize = 50;

/// The familiar's own turns of fewer telling words than this say little by themselves ("Aye, noted."): what stands around
/// them is no merit of theirs.
const SAYS_SOMETHING: f32 = 6.0;

/// Of the turns that a question calls up by its words, those are weighed by every signal that have most of them around:
/// of what is not among so many, nothing ever was among the best. Who said them and when is part of that.
const SIFTED: usize = 2_000;

/// A turn of so many telling words says enough.
const LENGTH: f32 = 30.0;

/// Where turns have more telling words than this on the average, what stands around one tells little about it: nobody
/// chats there, and one turn is a text by itself (memory 0.4 and 2.4, long messages).
const CHATTY: f32 = 40.0;

/// A word of a question that is too common to tell anything still counts so much when words are held against words.
const COMMON_WORD: f32 = 1.0;

/// Among fewer turns than this nobody can tell how rare a word is: it is as rare as it would be among so many. Of two
/// turns, one of which answers, its words would otherwise tell less than any that nobody ever said.
const FEW: f32 = 10.0;

/// No place among the scores.
const NOWHERE: u32 = u32::MAX;

/// What of a question one turn has.
#[derive(Debug, Clone, Default)]
struct Score {
    at: At,
    /// BM25 over the turn and what stands around it.
    window: f32,
    /// BM25 over its own words, without synonyms.
    own: f32,
    /// How much of what the question tells is in the turn itself.
    held: f32,
    /// And in the turn, around it, or over it.
    around: f32,
    /// The part of the latter that is not whom or when.
    cover: f32,
    /// Of the word that is being counted: itself, and the nearest of its synonyms.
    count: f32,
    synonyms: f32,
    /// Called up whatever its words.
    is_called: bool,
}

/// Scores, of the turns that have any.
struct Scores {
    each: Vec<Score>,
    /// By turn: its place among them.
    places: Vec<u32>,
    sessions: Vec<f32>,
}

impl Scores {
    fn touch(&mut self, at: At) -> &mut Score {
        let place = &mut self.places[at as usize];
        if *place == NOWHERE {
            *place = u32::try_from(self.each.len()).unwrap_or(NOWHERE);
            self.each.push(Score { at, ..Score::default() });
        }
        &mut self.each[*place as usize]
    }

    fn of(&self, at: At) -> Option<&Score> {
        self.each.get(self.places[at as usize] as usize)
    }
}

/// The best of each score, for scaling.
#[derive(Debug, Clone, Copy)]
struct Best {
    window: f32,
    own: f32,
    session: f32,
}

/// A question, and what of everything that was said it calls up.
pub(super) struct Field<'a> {
    turns: &'a Turns,
    query: &'a RecallQuery,
    /// What may be seen.
    pub viewer: TurnViewer<'a>,
    standing: TurnTotals,
    asked: Vec<Asked<'a>>,
    /// How much each of the words tells.
    idf: Vec<f32>,
    /// By speaker: how many words their name has, and whether the question names them.
    speakers: Vec<(f32, bool)>,
    dates: Dates<'a>,
    scores: Scores,
    best: Best,
    /// How much what stands around a turn counts here, 0 to 1.
    chattiness: f32,
    /// By meaning, where there is a model.
    near: Option<Near>,
}

impl<'a> Field<'a> {
    /// Calls up what holds the question's words (which stand where `words` says), or stands next to it, or was said when
    /// it asks about.
    /// With a model, `meant` is the question as it sees it, and the turns' vectors; then also what means the same.
    pub(super) fn new(
        turns: &'a Turns,
        query: &'a RecallQuery,
        words: &'a [WordRows],
        visible: &Visible,
        meant: Option<(&TurnVectors, &Meant)>,
    ) -> Self {
        let circumstances = &query.circumstances;
        let viewer = TurnViewer::new(turns, visible, circumstances.until, circumstances.shown.as_ref());
        let standing = viewer.standing();
        let question: Vec<String> = keywords::words(&query.text).collect();
        let names: Vec<Vec<String>> = viewer
            .speakers()
            .map(|known| known.map(|speaker| keywords::terms(&speaker.label)).unwrap_or_default())
            .collect();
        let asked = Asked::all(query, words, &names);
        let speakers = viewer
            .speakers()
            .zip(&names)
            .map(|(speaker, label)| {
                let is_named = speaker.is_some_and(|speaker| is_named(speaker, query, &question));
                (label.len() as f32, is_named)
            })
            .collect();
        let mut field = Self {
            turns,
            query,
            viewer,
            standing,
            idf: vec![0.0; asked.len()],
            asked,
            speakers,
            dates: Dates::in_zone(&circumstances.tz),
            scores: Scores {
                each: Vec::new(),
                places: vec![NOWHERE; turns.end()],
                sessions: vec![0.0; turns.sessions().len()],
            },
            best: Best { window: f32::MIN_POSITIVE, own: f32::MIN_POSITIVE, session: f32::MIN_POSITIVE },
            chattiness: (CHATTY / standing.average_turn()).min(1.0),
            near: None,
        };
        let counted = field.look_up();
        field.weigh(&counted);
        if let Some((vectors, meant)) = meant {
            let near = Near::new(turns, &field.viewer, vectors, meant);
            for at in near.nearest() {
                field.scores.touch(at).is_called = true;
            }
            field.near = Some(near);
        }
        field
    }

    /// Whether a turn may be an answer, and not just stand next to one.
    pub(super) fn may_be_found(&self, at: At) -> bool {
        let entry = self.turns.entry(at);
        !self.viewer.is_shown(entry) && !self.query.circumstances.answered.contains(&entry.id)
    }

    /// The plain score of each turn: BM25 over its own words.
    pub(super) fn own(&self) -> Vec<(f32, At)> {
        self.scores.each.iter().map(|score| (score.own, score.at)).collect()
    }

    /// The weighted sum of the signals for each turn that may be among the best.
    pub(super) fn fused(&self) -> Vec<(f32, At)> {
        let (window, cover) = (Signal::Window.weight() / self.best.window, Signal::Cover.weight());
        let rough = |score: &Score| window * score.window + cover * score.cover;
        let sifted = best_by_words(&self.scores.each, rough, SIFTED);
        sifted.into_iter().map(|score| (self.signals_of(score).score(), score.at)).collect()
    }

    /// What speaks for a turn.
    pub(super) fn signals(&self, at: At) -> Signals {
        self.scores.of(at).map(|score| self.signals_of(score)).unwrap_or_default()
    }

    fn signals_of(&self, score: &Score) -> Signals {
        let entry = self.turns.entry(score.at);
        let before = self.viewer.before(score.at).map(|at| (at, self.turns.entry(at)));
        let own_of = |at: At| self.scores.of(at).map_or(0.0, |score| score.own / self.best.own);
        let after_question =
            before.filter(|(_, before)| before.is_question).map_or(0.0, |(at, _)| own_of(at));
        let is_named = self.is_named(entry);
        let flag = |holds: bool| f32::from(u8::from(holds));
        let mut signals = Signals::default();
        let says = self.says(score);
        signals.set(Signal::Window, says * score.window / self.best.window);
        signals.set(Signal::Cover, says * score.cover);
        let session = self.scores.sessions[entry.session as usize] / self.best.session;
        signals.set(Signal::Session, says * self.chattiness * session);
        signals.set(Signal::Speaker, flag(is_named));
        let near = self.query.window.map_or(0.0, |window| window.nearness(entry.at));
        signals.set(Signal::Date, self.query.sureness * near);
        signals.set(Signal::TimeWord, flag(self.query.asks_when && entry.tells_time));
        signals.set(Signal::AfterQuestion, says * self.chattiness * after_question);
        signals.set(Signal::Length, self.chattiness * (entry.length as f32 / LENGTH).min(1.0));
        signals.set(Signal::IsQuestion, flag(entry.is_question));
        signals.set(Signal::FirstPerson, if is_named { entry.first_person } else { 0.0 });
        let is_reply = before.is_some_and(|(_, before)| before.asks);
        signals.set(Signal::Reply, says * self.chattiness * flag(is_reply));
        if let Some(near) = &self.near {
            signals.set(Signal::Meaning, says * near.window(score.at));
            signals.set(Signal::MeaningOfSession, says * self.chattiness * near.session(entry.session));
        }
        signals
    }

    /// How near a turn comes to the question in meaning, as a cosine; `None` without a model.
    pub(super) fn cosine(&self, at: At) -> Option<f32> {
        self.near.as_ref().map(|near| near.cosine(at))
    }

    /// How much each token of the question tells: as much as the word it belongs to.
    pub(super) fn weights(&self, meant: &Meant) -> Vec<f32> {
        let weight = |span: &Range<usize>| {
            let word = word_at(&self.query.text, span.start)?;
            let stem = keywords::terms(word).into_iter().next();
            let asked = stem.and_then(|stem| self.asked.iter().position(|asked| asked.stem == stem));
            Some(asked.map_or(COMMON_WORD, |asked| self.idf[asked]))
        };
        meant.spans().iter().map(|span| weight(span).unwrap_or(0.0)).collect()
    }

    /// How much of what stands around a turn counts for it, 0 to 1. Less only for the familiar's own short replies, as far as
    /// they do not hold what is asked themselves.
    fn says(&self, score: &Score) -> f32 {
        let entry = self.turns.entry(score.at);
        if entry.author.is_some() {
            return 1.0;
        }
        (entry.length as f32 / SAYS_SOMETHING).max(score.own / self.best.own).min(1.0)
    }

    fn is_named(&self, entry: &Entry) -> bool {
        entry.author.is_some_and(|author| self.speakers[author as usize].1)
    }

    /// The share of what the question tells that stands in the turn and around it, with what speaks for it besides.
    pub(super) fn likelihood(&self, at: At) -> f32 {
        let entry = self.turns.entry(at);
        let (held, around) =
            self.scores.of(at).map_or((0.0, 0.0), |score| (score.held, self.says(score) * score.around));
        let all: f32 = self.idf.iter().sum();
        let share = if all > 0.0 { (0.6 * around + 0.4 * held) / all } else { 0.0 };
        let near = self.query.window.map_or(0.0, |window| window.nearness(entry.at));
        let named = f32::from(u8::from(self.is_named(entry)));
        let meant = self.near.as_ref().map_or(0.0, |near| near.likelihood(at));
        (0.75 * share + 0.15 * named * share.sqrt() + 0.35 * near).max(meant).clamp(0.0, 1.0)
    }

    /// Every word of the question, with how much it tells.
    pub(super) fn rarities(&self) -> Vec<(String, f32)> {
        self.asked.iter().zip(&self.idf).map(|(asked, idf)| (asked.stem.to_owned(), *idf)).collect()
    }

    /// Telling words of a turn on the average.
    pub(super) fn average_turn(&self) -> f32 {
        self.standing.average_turn()
    }

    /// The words that the question is about, with how much each tells.
    pub(super) fn topics(&self) -> Vec<(String, f32)> {
        let topics = self.asked.iter().zip(&self.idf).filter(|(asked, _)| asked.is_topic);
        topics.map(|(asked, idf)| (asked.stem.to_owned(), *idf)).collect()
    }

    /// How often a word stands in who said a turn and when, which are words of its window too.
    fn heading(&self, asked: &Asked<'_>, entry: &Entry) -> f32 {
        let in_name =
            asked.in_names.as_ref().zip(entry.author).map_or(0.0, |(names, who)| names[who as usize]);
        let in_date = if asked.may_be_date { self.dates.holds(asked.stem, entry.at) } else { 0.0 };
        in_name + in_date
    }

    /// Weighs the turns that hold the words. Gives how often each of them, or a synonym of it, stands in the windows of turns, by
    /// the turns' places among the scores.
    fn look_up(&mut self) -> Vec<Vec<(u32, f32)>> {
        let mut strengths = Strengths::over(self.turns.end());
        let mut in_sessions = Strengths::over(self.turns.sessions().len());
        let mut counted = Vec::with_capacity(self.asked.len());
        for number in 0..self.asked.len() {
            let standing_in = self.gather(number, &mut strengths);
            let held = strengths.take();
            let idf = self.rarity((held.len() as f32).max(standing_in));
            self.idf[number] = idf;
            let mut windows: Vec<u32> = Vec::new();
            for (at, strength) in held {
                let entry = self.turns.entry(at);
                self.scores.touch(at).held += idf * strength.min(1.0);
                in_sessions.add(entry.session, strength);
                self.count(at, strength, 1.0, &mut windows);
                for (distance, near) in self.turns.around(at) {
                    if let Some(other) = self.viewer.of(near) {
                        let share = entry.share(other, distance);
                        self.count(near, strength, share, &mut windows);
                    }
                }
            }
            let each = &mut self.scores.each;
            let take = |place: u32| {
                let score = &mut each[place as usize];
                (place, std::mem::take(&mut score.count).max(std::mem::take(&mut score.synonyms)))
            };
            counted.push(windows.into_iter().map(take).collect());
            let sessions = in_sessions.take();
            if self.asked[number].is_topic {
                self.weigh_sessions(&sessions);
            }
        }
        if let Some(window) = self.query.window {
            let then = self.turns.between(window.from, window.to).filter(|at| self.viewer.of(*at).is_some());
            for at in then.take(BY_TIME) {
                self.scores.touch(at).is_called = true;
            }
        }
        self.fall_back();
        counted
    }

    /// Where hardly anything holds a word of the question, or it is about nothing but somebody: what they said last whom it
    /// names. And where there is nothing else, what was said last of all: no question to a memory is left without an answer.
    fn fall_back(&mut self) {
        let is_of_somebody = !self.asked.iter().any(|asked| asked.is_topic);
        let found = self.scores.each.iter().filter(|score| self.may_be_found(score.at)).take(FOUND_ENOUGH);
        let missing = FOUND_ENOUGH - found.count();
        if missing == 0 && !is_of_somebody {
            return;
        }
        let (turns, mut called) = (self.turns, Vec::new());
        let seen = || turns.newest().filter(|at| self.viewer.of(*at).is_some() && self.may_be_found(*at));
        if self.speakers.iter().any(|(_, is_named)| *is_named) {
            called.extend(seen().filter(|at| self.is_named(turns.entry(*at))).take(BY_NAME));
        }
        if called.len() < missing {
            called.extend(seen().take(missing));
        }
        for at in called {
            self.scores.touch(at).is_called = true;
        }
    }

    /// How much a word tells that stands in so many turns.
    fn rarity(&self, standing_in: f32) -> f32 {
        rank::idf(standing_in, (self.standing.turns as f32).max(FEW))
    }

    /// A word adds up in a window. Its synonyms do not: however many words that may stand for it are about, the word itself
    /// says more.
    fn count(&mut self, at: At, strength: f32, share: f32, windows: &mut Vec<u32>) {
        let score = self.scores.touch(at);
        let is_first = score.count == 0.0 && score.synonyms == 0.0 && strength * share > 0.0;
        if strength < 1.0 {
            score.synonyms = score.synonyms.max(strength * share);
        } else {
            score.count += strength * share;
        }
        if is_first {
            windows.push(self.scores.places[at as usize]);
        }
    }

    /// Goes through the visible turns that a word or a synonym of it stands in, notes how strongly it does, and scores the former by
    /// their own words. Gives in how many turns the word itself stands, where there are more than were gone through.
    fn gather(&mut self, number: usize, strengths: &mut Strengths) -> f32 {
        let (held, synonyms) = (self.asked[number].own, self.asked[number].synonyms);
        let own = self.seen(held);
        let standing_in = if held.is_all { own.len() as f32 } else { self.estimated(&own) };
        let idf = self.rarity(standing_in);
        let average = self.standing.average_turn();
        for at in own {
            let length = self.turns.entry(at).length as f32;
            self.scores.touch(at).own += idf * rank::saturated(rank::B, 1.0, length, average);
            strengths.raise(at, 1.0);
        }
        for (held, share) in synonyms {
            self.seen(held).into_iter().for_each(|at| strengths.raise(at, *share));
        }
        if held.is_all { 0.0 } else { standing_in }
    }

    /// The turns of a word that may be seen, the newest first.
    fn seen(&self, held: &Held) -> Vec<At> {
        let turns = held.rows.iter().filter_map(|row| self.turns.find(StoredId(*row)));
        turns.filter(|at| self.viewer.of(*at).is_some()).collect()
    }

    /// In how many turns a word stands in all, which stands in these, the newest: as often before as since.
    fn estimated(&self, newest: &[At]) -> f32 {
        let Some(oldest) = newest.last() else { return 0.0 };
        let end = At::try_from(self.turns.end()).unwrap_or(At::MAX);
        let since = (*oldest..end).filter(|at| self.viewer.of(*at).is_some()).count().max(1);
        newest.len() as f32 * self.standing.turns as f32 / since as f32
    }

    /// Scores the sessions by how often a word stands in them.
    fn weigh_sessions(&mut self, counted: &[(u32, f32)]) {
        let idf = rank::idf(counted.len() as f32, self.standing.sessions as f32);
        let average = self.standing.average_session();
        for &(session, count) in counted {
            let length = self.turns.sessions()[session as usize] as f32;
            self.scores.sessions[session as usize] +=
                idf * rank::saturated(rank::B_LONG, count, length, average);
        }
    }

    /// Scores the windows, now that all turns are known that have one.
    fn weigh(&mut self, counted: &[Vec<(u32, f32)>]) {
        let mut each = std::mem::take(&mut self.scores.each);
        let lengths: Vec<f32> = each.iter().map(|score| self.window_length(score.at)).collect();
        let average = lengths.iter().sum::<f32>() / lengths.len().max(1) as f32;
        let mut counts = vec![0.0_f32; each.len()];
        for (number, counted) in counted.iter().enumerate() {
            let asked = &self.asked[number];
            let mut idf = self.idf[number];
            let weigh = |score: &mut Score, length: f32, idf: f32, inside: f32, heading: f32| {
                score.window += idf * rank::saturated(rank::B, inside + heading, length, average);
                score.around += idf * (inside + heading).min(1.0);
                score.cover += if asked.is_topic { idf * inside.min(1.0) } else { 0.0 };
            };
            if !asked.is_heading() {
                for &(place, count) in counted {
                    let place = place as usize;
                    weigh(&mut each[place], lengths[place], idf, count, 0.0);
                }
                continue;
            }
            // A name or date stands over every turn of its own, so it tells as little as the share of those.
            counted.iter().for_each(|(place, count)| counts[*place as usize] = *count);
            let headings: Vec<f32> =
                each.iter().map(|score| self.heading(asked, self.turns.entry(score.at))).collect();
            let headed = headings.iter().filter(|heading| **heading > 0.0).count();
            let live = (self.standing.turns as f32).max(FEW);
            idf = idf.min(self.rarity(live * headed as f32 / each.len().max(1) as f32));
            for (place, score) in each.iter_mut().enumerate() {
                if counts[place] + headings[place] > 0.0 {
                    weigh(score, lengths[place], idf, counts[place], headings[place]);
                }
            }
            counted.iter().for_each(|(place, _)| counts[*place as usize] = 0.0);
            self.idf[number] = idf;
        }
        let topics: f32 = self.topics().iter().map(|(_, idf)| idf).sum();
        for score in &mut each {
            score.cover = if topics > 0.0 { score.cover / topics } else { 0.0 };
            self.best.window = self.best.window.max(score.window);
            self.best.own = self.best.own.max(score.own);
        }
        self.best.session = self.scores.sessions.iter().copied().fold(self.best.session, f32::max);
        self.scores.each = each;
    }

    /// Words of a turn's window, who said it and when among them.
    fn window_length(&self, at: At) -> f32 {
        let entry = self.turns.entry(at);
        entry.window + entry.author.map_or(0.0, |author| self.speakers[author as usize].0) + DATE_WORDS
    }
}

/// The `most` turns that come first by their words, of equals the newest, and all that are called up otherwise.
fn best_by_words(scores: &[Score], rough: impl Fn(&Score) -> f32, most: usize) -> Vec<&Score> {
    let (mut sifted, by_words): (Vec<&Score>, Vec<&Score>) = scores.iter().partition(|score| score.is_called);
    let mut by_words: Vec<(f32, &Score)> = by_words.into_iter().map(|score| (rough(score), score)).collect();
    if by_words.len() > most {
        let best_first =
            |a: &(f32, &Score), b: &(f32, &Score)| b.0.total_cmp(&a.0).then_with(|| b.1.at.cmp(&a.1.at));
        by_words.select_nth_unstable_by(most, best_first);
        by_words.truncate(most);
    }
    sifted.extend(by_words.into_iter().map(|(_, score)| score));
    sifted
}

/// The word that stands at a byte of a text; `None` where no letter or digit does.
fn word_at(text: &str, at: usize) -> Option<&str> {
    let (before, after) = (text.get(..at)?, text.get(at..)?);
    let ends = |c: char| !c.is_alphanumeric();
    let last = before.rfind(ends);
    let start = last.map_or(0, |last| last + before[last..].chars().next().map_or(0, char::len_utf8));
    let length = after.find(ends).unwrap_or(after.len());
    if length == 0 { None } else { text.get(start..at + length) }
}

/// Numbers by number, most of which are nothing.
struct Strengths {
    each: Vec<f32>,
    noted: Vec<u32>,
}

impl Strengths {
    fn over(end: usize) -> Self {
        Self { each: vec![0.0; end], noted: Vec::new() }
    }

    fn note(&mut self, number: u32) -> &mut f32 {
        let known = &mut self.each[number as usize];
        if *known == 0.0 {
            self.noted.push(number);
        }
        known
    }

    fn add(&mut self, number: u32, strength: f32) {
        *self.note(number) += strength;
    }

    fn raise(&mut self, number: u32, strength: f32) {
        let known = self.note(number);
        *known = known.max(strength);
    }

    /// All of them, as they were noted; nothing is left.
    fn take(&mut self) -> Vec<(u32, f32)> {
        let each = &mut self.each;
        self.noted.drain(..).map(|number| (number, std::mem::take(&mut each[number as usize]))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a12_of_many_turns_the_best_by_their_words_are_weighed_and_all_that_are_called_up_otherwise() {
        let score = |(at, window): (At, f32)| Score { at, window, is_called: at == 4, ..Score::default() };
        let scores: Vec<Score> = (0..).zip([0.5, 0.9, 0.1, 0.5, 0.0]).map(score).collect();
        let sift = |most| {
            let mut at: Vec<At> = best_by_words(&scores, |score| score.window, most)
                .into_iter()
                .map(|score| score.at)
                .collect();
            at.sort_unstable();
            at
        };
        assert_eq!(sift(2), [1, 3, 4], "of equals the newest; what the time called up stays");
        assert_eq!(sift(4), [0, 1, 2, 3, 4]);
        assert_eq!(sift(100), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn y11_a_token_belongs_to_the_word_it_stands_in() {
        let text = "Wie heißt Ánas Katze?";
        let word = |part: &str| word_at(text, text.find(part).unwrap());
        assert_eq!(word("Wie"), Some("Wie"));
        assert_eq!(word("ßt"), Some("heißt"));
        assert_eq!(word("nas"), Some("Ánas"));
        assert_eq!(word("?"), None);
        assert_eq!(word_at(text, 1_000), None);
        assert_eq!(word_at("Ánas", 1), None, "within a letter");
    }
}
