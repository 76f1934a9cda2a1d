//! How much of a reply was heard.
//!
//! Owns which words stand where in the sound, and so what had been said when somebody interrupted (voice 2.4). Must
//! not know where sound goes. Start reading at [`Ledger::until`].

use std::time::Duration;

use super::SpokenWord;
use crate::frame::{OUT_RATE, lasting};
use familiar_chat::text::names::is_unspaced;

/// Syllables a second of an ordinary voice, where nothing is known yet (LiveKit's figure).
const USUAL_RATE: f64 = 3.83;

/// How much of what was measured of a voice stays with each further phrase.
const KEEP: f64 = 0.7;

/// A pause inside a sentence and at its end, as so many syllables.
const SHORT_PAUSE: f64 = 1.0;
const LONG_PAUSE: f64 = 2.0;

/// Where a word ends, as a part of all.
#[derive(Debug, Clone, PartialEq)]
struct Word {
    text: String,
    weight: f64,
    /// No space is in front of it: scripts that write none are cut by their letters.
    is_joined: bool,
}

impl Word {
    fn new(text: &str, is_joined: bool) -> Self {
        Self { text: text.to_owned(), weight: syllables(text) + pause_behind(text), is_joined }
    }
}

/// Words, and of scripts without spaces letters, with the marks that follow them.
fn timed_words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    for spaced in text.split_whitespace() {
        let mut from = 0;
        let mut before: Option<char> = None;
        for (at, letter) in spaced.char_indices() {
            let begins = letter.is_alphanumeric()
                && before.is_some_and(|before| {
                    is_unspaced(letter) || is_unspaced(before) && before.is_alphanumeric()
                });
            if begins {
                words.push(Word::new(&spaced[from..at], from > 0));
                from = at;
            }
            before = Some(letter);
        }
        words.push(Word::new(&spaced[from..], from > 0));
    }
    words
}

/// As they are written.
fn joined<'a>(words: impl IntoIterator<Item = &'a Word>) -> String {
    let mut text = String::new();
    for word in words {
        add(&mut text, word);
    }
    text
}

fn add(text: &mut String, word: &Word) {
    if !text.is_empty() && !word.is_joined {
        text.push(' ');
    }
    text.push_str(&word.text);
}

#[derive(Debug, Clone, Default)]
struct PhraseSound {
    text: String,
    words: Vec<Word>,
    /// Where its sound begins, in samples at 48 kHz; none was made yet without.
    start: Option<u64>,
    samples: u64,
    done: bool,
    trimmed: Duration,
    times: Vec<SpokenWord>,
}

/// All phrases of a reply.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    pieces: Vec<PhraseSound>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpeakingRate(f64);

impl Default for SpeakingRate {
    fn default() -> Self {
        Self(USUAL_RATE)
    }
}

/// What was said and what was not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Split {
    pub heard: String,
    pub unsaid: String,
}

impl Ledger {
    /// A further phrase; gives its number.
    pub fn add(&mut self, text: &str) -> usize {
        self.pieces.push(PhraseSound::of(text));
        self.pieces.len() - 1
    }

    /// A phrase in front of all others, whose numbers grow by one.
    pub fn put_first(&mut self, text: &str) {
        self.pieces.insert(0, PhraseSound::of(text));
    }

    /// Sound of a phrase was put at `start`; gives the phrase where it begins with that.
    pub fn played(&mut self, piece: usize, start: u64, samples: usize) -> Option<String> {
        let piece = self.pieces.get_mut(piece)?;
        piece.samples += samples as u64;
        let begins = piece.start.is_none();
        piece.start.get_or_insert(start);
        begins.then(|| piece.text.clone())
    }

    /// So much was cut away before its first sound.
    pub fn trimmed(&mut self, piece: usize, trimmed: Duration) {
        if let Some(piece) = self.pieces.get_mut(piece) {
            piece.trimmed = trimmed;
        }
    }

    /// The engine says when words are spoken.
    pub fn timed(&mut self, piece: usize, words: Vec<SpokenWord>) {
        if let Some(piece) = self.pieces.get_mut(piece) {
            piece.times.extend(words);
        }
    }

    /// All sound of a phrase is there, without its first `trimmed`. The voice's pace is learnt from it.
    pub fn done(&mut self, piece: usize, trimmed: Duration, pace: &mut SpeakingRate) {
        if let Some(piece) = self.pieces.get_mut(piece) {
            piece.done = true;
            piece.trimmed = trimmed;
            let seconds = piece.samples as f64 / f64::from(OUT_RATE);
            let weight: f64 = piece.words.iter().map(|word| word.weight).sum();
            if seconds > 0.5 {
                pace.0 = (pace.0 * KEEP + weight / seconds * (1.0 - KEEP)).clamp(1.5, 12.0);
            }
        }
    }

    /// Where the sound of the first phrase begins.
    pub fn start(&self) -> Option<u64> {
        self.pieces.iter().find_map(|piece| piece.start)
    }

    pub fn text(&self) -> String {
        self.pieces.iter().map(|piece| piece.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// No more sound will be made: takes out the words for which there is none, and gives them.
    pub fn cut_from(&mut self, piece: usize, pace: SpeakingRate) -> String {
        let rest = self.pieces.split_off(piece.min(self.pieces.len()));
        let mut unspoken = Vec::new();
        for mut piece in rest {
            let spoken = piece.start.map_or(0, |start| piece.words_until(start + piece.samples, pace));
            let silent = piece.words.split_off(spoken.min(piece.words.len()));
            unspoken.extend(silent);
            if !piece.words.is_empty() {
                piece.text = joined(&piece.words);
                piece.times.truncate(piece.words.len());
                piece.done = true;
                self.pieces.push(piece);
            }
        }
        joined(&unspoken)
    }

    /// What had been heard when the playing reached `position`.
    pub fn until(&self, position: u64, pace: SpeakingRate) -> Split {
        let mut split = Split::default();
        for piece in &self.pieces {
            let heard = piece.words_until(position, pace);
            for (at, word) in piece.words.iter().enumerate() {
                let side = if at < heard { &mut split.heard } else { &mut split.unsaid };
                add(side, word);
            }
        }
        split
    }
}

impl PhraseSound {
    fn of(text: &str) -> Self {
        Self { text: text.to_owned(), words: timed_words(text), ..Self::default() }
    }

    fn words_until(&self, position: u64, pace: SpeakingRate) -> usize {
        let Some(start) = self.start.filter(|start| *start < position) else { return 0 };
        if self.done && position >= start + self.samples {
            return self.words.len();
        }
        let samples = usize::try_from(position - start).unwrap_or(usize::MAX);
        let time = lasting(samples, OUT_RATE) + self.trimmed;
        if !self.times.is_empty() {
            // A word counts once half of it was heard.
            let heard = self.times.iter().filter(|word| (word.start + word.end) / 2 <= time).count();
            if !self.done && self.times.len() < self.words.len() {
                // The others have no time yet, because they have no sound yet.
                return heard;
            }
            // Engines may count words otherwise, such as a number as several.
            return (heard * self.words.len()).div_ceil(self.times.len()).min(self.words.len());
        }
        let all: f64 = self.words.iter().map(|word| word.weight).sum();
        let made = self.samples as f64 / f64::from(OUT_RATE);
        let seconds = if self.done { made } else { made.max(all / pace.0) };
        let reached = samples as f64 / f64::from(OUT_RATE) / seconds.max(1e-3) * all;
        let mut passed = 0.0;
        self.words
            .iter()
            .take_while(|word| {
                let half = passed + word.weight / 2.0;
                passed += word.weight;
                half <= reached
            })
            .count()
    }
}

/// About how many syllables a word has: groups of vowels, digits as their names, each sign of scripts that write
/// syllables.
fn syllables(word: &str) -> f64 {
    let mut count: f64 = 0.0;
    let mut in_vowel = false;
    for letter in word.to_lowercase().chars() {
        let is_vowel = "aeiouyäöüéèáíóúåæø".contains(letter);
        if letter.is_ascii_digit() {
            count += 1.3;
        } else if is_vowel && !in_vowel || u32::from(letter) >= 0x0E00 && letter.is_alphabetic() {
            count += 1.0;
        }
        in_vowel = is_vowel;
    }
    // "time", "late": the last e is silent.
    let bare = word.trim_end_matches(|c: char| !c.is_alphanumeric());
    if count > 1.0 && bare.ends_with('e') && !bare.ends_with("le") && !bare.ends_with("ee") {
        count -= 1.0;
    }
    count.max(1.0)
}

fn pause_behind(word: &str) -> f64 {
    match word.chars().last() {
        Some(',' | ';' | ':' | '—' | '–' | '、' | '，') => SHORT_PAUSE,
        Some('.' | '!' | '?' | '…' | '。' | '！' | '？') => LONG_PAUSE,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn word(text: &str, start: u64, end: u64) -> SpokenWord {
        SpokenWord {
            text: text.to_owned(),
            start: Duration::from_millis(start),
            end: Duration::from_millis(end),
        }
    }

    fn samples(ms: u64) -> u64 {
        ms * 48
    }

    #[test]
    fn scripts_without_spaces_are_cut_by_their_letters() {
        let mut ledger = Ledger::default();
        let piece = ledger.add("はい、駅は川の向こうです。");
        ledger.played(piece, 0, samples(2_800) as usize);
        ledger.done(piece, Duration::ZERO, &mut SpeakingRate::default());
        let split = ledger.until(samples(1_400), SpeakingRate::default());
        assert_eq!(format!("{}{}", split.heard, split.unsaid), "はい、駅は川の向こうです。");
        let heard = split.heard.chars().count();
        assert!((4..=9).contains(&heard), "half of it: {split:?}");
        assert_eq!(joined(&timed_words("Die Fähre 渡し船、Sonntag 3回.")), "Die Fähre 渡し船、Sonntag 3回.");
    }

    #[test]
    fn with_word_times_it_is_exact() {
        let mut ledger = Ledger::default();
        let piece = ledger.add("The river is high.");
        ledger.timed(
            piece,
            vec![
                word("The", 100, 200),
                word("river", 200, 600),
                word("is", 600, 700),
                word("high.", 700, 1_100),
            ],
        );
        ledger.played(piece, samples(5_000), samples(1_200) as usize);
        ledger.done(piece, Duration::from_millis(80), &mut SpeakingRate::default());
        let at = |ms: u64| ledger.until(samples(5_000 + ms), SpeakingRate::default());
        assert_eq!(at(0), Split { heard: String::new(), unsaid: "The river is high.".to_owned() });
        assert_eq!(at(200).heard, "The", "80 ms were cut away: the river is heard by half at 320");
        assert_eq!(at(330), Split { heard: "The river".to_owned(), unsaid: "is high.".to_owned() });
        assert_eq!(at(1_200).unsaid, "");
    }

    #[test]
    fn what_was_cut_away_in_front_counts_while_the_rest_is_still_made() {
        let mut ledger = Ledger::default();
        let piece = ledger.add("The river is high.");
        ledger.trimmed(piece, Duration::from_millis(200));
        ledger.played(piece, 0, samples(500) as usize);
        ledger.timed(piece, vec![word("The", 200, 400), word("river", 400, 700)]);
        assert_eq!(ledger.until(samples(360), SpeakingRate::default()).heard, "The river");
    }

    #[test]
    fn without_word_times_words_are_spread_by_their_syllables() {
        let mut ledger = Ledger::default();
        let piece = ledger.add("One two extraordinarily long three.");
        ledger.played(piece, 0, samples(3_000) as usize);
        ledger.done(piece, Duration::ZERO, &mut SpeakingRate::default());
        let heard = |ms| ledger.until(samples(ms), SpeakingRate::default()).heard;
        assert_eq!(heard(300), "One");
        assert_eq!(heard(1_000), "One two");
        assert_eq!(heard(1_900), "One two extraordinarily");
        assert_eq!(heard(3_000), "One two extraordinarily long three.");
    }

    #[test]
    fn what_was_not_made_or_not_played_was_not_heard() {
        let mut ledger = Ledger::default();
        let first = ledger.add("Hello there.");
        ledger.add("How are you?");
        ledger.played(first, samples(100), samples(900) as usize);
        ledger.done(first, Duration::ZERO, &mut SpeakingRate::default());
        let split = ledger.until(samples(2_000), SpeakingRate::default());
        assert_eq!(split, Split { heard: "Hello there.".to_owned(), unsaid: "How are you?".to_owned() });
    }

    #[test]
    fn the_pace_of_a_voice_is_learnt() {
        let mut pace = SpeakingRate::default();
        for _ in 0..30 {
            let mut ledger = Ledger::default();
            let piece = ledger.add("one two three four five six");
            ledger.played(piece, 0, samples(1_000) as usize);
            ledger.done(piece, Duration::ZERO, &mut pace);
        }
        assert!((5.9..6.1).contains(&pace.0), "{pace:?}");
    }

    #[test]
    fn words_that_have_no_time_yet_were_not_heard() {
        let mut ledger = Ledger::default();
        let piece = ledger.add("Well umbrella dragon jacket barrel lantern");
        ledger.played(piece, 0, 28_800);
        ledger.timed(piece, vec![word("Well", 0, 300)]);
        ledger.timed(piece, vec![word("umbrella", 300, 600)]);
        let split = ledger.until(28_800, SpeakingRate::default());
        assert_eq!(split.heard, "Well umbrella", "the engine is still making the rest");
        let unspoken = ledger.cut_from(piece, SpeakingRate::default());
        assert_eq!(
            (unspoken.as_str(), ledger.text().as_str()),
            ("dragon jacket barrel lantern", "Well umbrella")
        );
    }

    proptest! {
        /// History equals the audible: what was heard and what was not is everything, in order, and grows with time.
        #[test]
        fn heard_and_unsaid_are_everything_and_only_grow(
            pieces in prop::collection::vec(("([a-z]{1,9}[,.]? ?){1,12}", 0_u64..3_000, any::<bool>()), 1..6),
            steps in prop::collection::vec(0_u64..1_500, 1..20),
        ) {
            let mut ledger = Ledger::default();
            let mut pace = SpeakingRate::default();
            let mut at = 0;
            for (text, ms, timed) in &pieces {
                let piece = ledger.add(text);
                if *ms > 0 {
                    ledger.played(piece, samples(at), samples(*ms) as usize);
                    if *timed {
                        let words: Vec<_> = text.split_whitespace().collect();
                        let each = ms / words.len().max(1) as u64;
                        let times = (0_u64..).zip(&words).map(|(n, text)| word(text, n * each, (n + 1) * each)).collect();
                        ledger.timed(piece, times);
                    }
                    ledger.done(piece, Duration::ZERO, &mut pace);
                    at += ms;
                }
            }
            let all = ledger.text().split_whitespace().count();
            let (mut now, mut before) = (0, 0);
            for step in steps {
                now += step;
                let split = ledger.until(samples(now), pace);
                let (heard, unsaid) = (split.heard.split_whitespace().count(), split.unsaid.split_whitespace().count());
                prop_assert_eq!(heard + unsaid, all);
                prop_assert!(heard >= before);
                before = heard;
            }
        }
    }
}
