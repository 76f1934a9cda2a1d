//! Whether two texts say the same thing in nearly the same words.

use std::sync::{Arc, LazyLock};

use super::fixed_hash::fixed_hash;
use super::names::is_unspaced;
use super::phrases::{is_listed, listed_phrases};
use super::remembered::Remembered;
use super::spelling::written_words;
use super::unicode::{nfkc, visible};

/// Words in a row that are compared as one.
const SHINGLE: usize = 3;

/// From this share of common shingles on, two texts are doubles. One other word in the middle of a sentence of
/// fewer than 24 words is enough to fall below it.
const SAME: f64 = 0.8;

/// A text of at least this many words with which another begins is a shortened copy of that other.
const PREFIX_WORDS: usize = 8;

/// Whether a word turns a sentence round, in whatever language: texts that differ in one of them are never doubles.
fn turns_round(word: &str) -> bool {
    static WITHIN: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let all = listed_phrases("turning").map(|(_, phrase)| phrase);
        all.filter(|phrase| phrase.chars().any(is_unspaced)).collect()
    });
    match word.chars().any(is_unspaced) {
        true => WITHIN.iter().any(|phrase| word.contains(phrase)),
        false => is_listed("turning", word),
    }
}

/// A text prepared for comparing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Likeness {
    words: Vec<u64>,
    shingles: Vec<u64>,
    decisive: Vec<u64>,
}

impl Likeness {
    /// Looks at the words of `text`: case, punctuation and what is invisible do not count.
    pub fn of(text: &str) -> Self {
        let plain = comparable(text);
        let words: Vec<&str> = written_words(&plain).collect();
        let mut decisive: Vec<u64> = words
            .iter()
            .filter(|word| word.chars().any(char::is_numeric) || turns_round(word))
            .map(fixed_hash)
            .collect();
        decisive.sort_unstable();
        let words: Vec<u64> = words.iter().map(fixed_hash).collect();
        let mut shingles: Vec<u64> = words.windows(SHINGLE.min(words.len()).max(1)).map(fixed_hash).collect();
        shingles.sort_unstable();
        shingles.dedup();
        Self { words, shingles, decisive }
    }

    /// Runs of three words, hashed, in order and each once; of a shorter text the whole.
    pub fn shingles(&self) -> &[u64] {
        &self.shingles
    }

    /// Whether the two are doubles: eight of ten shingles in common (Jaccard), and the same numbers and negations,
    /// since a date that was put right is no double.
    pub fn is_double_of(&self, other: &Self) -> bool {
        if self.shingles.is_empty() || self.decisive != other.decisive {
            return false;
        }
        let common = self.common(&other.shingles);
        let all = self.shingles.len() + other.shingles.len() - common;
        #[expect(clippy::cast_precision_loss, reason = "texts have far fewer than 2^52 words")]
        let share = common as f64 / all as f64;
        share >= SAME
    }

    /// Whether this is the beginning of `other`, word for word, and long enough for that not to be chance.
    pub fn begins(&self, other: &Self) -> bool {
        self.words.len() >= PREFIX_WORDS && other.words.starts_with(&self.words)
    }

    fn common(&self, others: &[u64]) -> usize {
        self.shingles.iter().filter(|shingle| others.binary_search(shingle).is_ok()).count()
    }
}

/// The runs of lines that were asked for lately; a few prompts' worth.
static OF_LINES: LazyLock<Remembered<Arc<[u64]>>> = LazyLock::new(|| Remembered::new(4_096));

/// Runs of three words of a text that somebody says, hashed, with repetitions: of the words alone where there are fewer
/// than three, and of the words behind the speaker's name.
pub fn shingles_of_line(speaker: Option<&str>, text: &str) -> Arc<[u64]> {
    // No label has a line break in it.
    let line = format!("{}\n{text}", speaker.unwrap_or_default());
    OF_LINES.or_work_out(u8::from(speaker.is_some()), &line, || runs_of_line(speaker, text).into())
}

fn runs_of_line(speaker: Option<&str>, text: &str) -> Vec<u64> {
    let (name, text) = (speaker.map(comparable).unwrap_or_default(), comparable(text));
    let name: Vec<u64> = written_words(&name).map(fixed_hash).collect();
    let text: Vec<u64> = written_words(&text).map(fixed_hash).collect();
    let mut runs = Vec::new();
    if text.len() < SHINGLE && !text.is_empty() {
        runs.push(fixed_hash(text.as_slice()));
    }
    let all = [name, text].concat();
    runs.extend(all.windows(SHINGLE.min(all.len()).max(1)).map(fixed_hash));
    runs
}

/// Without what makes no difference, save for the ends of words.
fn comparable(text: &str) -> String {
    // Nothing in plain letters is hidden or composed.
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n'));
    let lower = if is_plain { text.to_ascii_lowercase() } else { nfkc(&visible(text)).to_lowercase() };
    lower.replace(['\'', '’'], "")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn are_doubles(a: &str, b: &str) -> bool {
        Likeness::of(a).is_double_of(&Likeness::of(b))
    }

    const LONG: &str = "On the third evening of the regatta Ana told everybody on the pier that she had sold the \
                        old boat to a man from the north who wanted it for his daughter and her two small dogs";

    #[test]
    fn a15_case_punctuation_and_hidden_characters_make_no_difference() {
        assert!(are_doubles("Ben likes tea.", "ben LIKES te\u{200b}a!"));
        assert!(are_doubles(LONG, &LONG.replace("regatta Ana", "regatta, Ana")));
        assert!(are_doubles(LONG, &format!("{LONG} too")));
    }

    #[test]
    fn a15_a_line_has_the_runs_of_its_words_with_and_without_its_speaker() {
        for text in ["", "Yes.", "Yes, Ana!", LONG, "naïve\u{200b}té: ﬁne, Ben’s"] {
            for speaker in [None, Some("Ana"), Some("Ana Maria de la O")] {
                let named = speaker.map(|speaker| format!("{speaker}: {text}"));
                let each = named.iter().map(String::as_str).chain([text]);
                let expected: BTreeSet<u64> = each.flat_map(|text| Likeness::of(text).shingles).collect();
                let runs: BTreeSet<u64> = shingles_of_line(speaker, text).iter().copied().collect();
                assert_eq!(runs, expected, "{speaker:?} {text}");
            }
        }
    }

    #[test]
    fn a15_another_name_number_or_a_negation_makes_another_text() {
        assert!(!are_doubles("Ben likes tea", "Ana likes tea"));
        assert!(!are_doubles("Ben likes tea", "Ben does not like tea"));
        assert!(!are_doubles(LONG, &LONG.replace("had sold", "had not sold")));
        let dated = |day: u32| format!("{LONG} and it all happened on {day} May");
        assert!(are_doubles(&dated(3), &dated(3)));
        assert!(!are_doubles(&dated(3), &dated(4)));
        assert!(!are_doubles("", ""));
    }

    #[test]
    fn a15_a_shortened_copy_is_the_beginning_of_the_whole() {
        let short = &LONG[..60];
        assert!(Likeness::of(&short[..short.rfind(' ').unwrap()]).begins(&Likeness::of(LONG)));
        assert!(!Likeness::of("On the third evening").begins(&Likeness::of(LONG)), "too short to tell");
        assert!(!Likeness::of(LONG).begins(&Likeness::of(short)));
    }

    #[test]
    fn a15_a_negation_makes_another_text_in_every_language() {
        for (word, other) in [
            ("never", "often"),
            ("niemals", "oft"),
            ("jamais", "souvent"),
            ("nunca", "muchas"),
            ("não", "muito"),
            ("mai", "spesso"),
            ("nooit", "vaak"),
            ("nigdy", "często"),
            ("никогда", "часто"),
            ("asla", "sık"),
            ("飲まない", "飲みたい"),
            ("不喜欢", "很喜欢"),
            ("않아", "좋아"),
        ] {
            assert!(turns_round(word) && !turns_round(other), "{word} {other}");
            assert!(!are_doubles(LONG, &LONG.replace("north", word)), "{word}");
        }
    }
}
