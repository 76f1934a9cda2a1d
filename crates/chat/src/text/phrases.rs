//! Turns of phrase, one file a language, and where they stand in a text.
//!
//! Owns how files of phrases are written and how they are looked for. A line that begins with `#` is a comment, `[section]`
//! begins a section, and phrases are parted by commas and ends of lines, in any case, with accents and apostrophes as
//! people write them; `_` stands for any one word. Where a section says so, each line is about one thing: its name, a
//! colon and the phrases for it. Must not know what a phrase asks for.
//!
//! People mix languages, so a phrase of several words counts in any text. A single word counts only where the text is in its
//! language, as far as the words around it tell: "die" is no article in "I want to die". Start reading at [`Phrases`].

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;
use unicode_normalization::char::is_combining_mark;

use super::cues::Cues;
use super::names::is_unspaced;
use super::punctuation::{ends_sentence, has_question_mark};
use super::spelling::{fold, written_words};
use super::unicode::{lowered, nfkc};

/// The languages, in the order in which their phrases are looked for.
const LANGUAGES: [(&str, &str); 13] = [
    ("en", include_str!("phrases/en.txt")),
    ("de", include_str!("phrases/de.txt")),
    ("fr", include_str!("phrases/fr.txt")),
    ("es", include_str!("phrases/es.txt")),
    ("pt", include_str!("phrases/pt.txt")),
    ("it", include_str!("phrases/it.txt")),
    ("nl", include_str!("phrases/nl.txt")),
    ("pl", include_str!("phrases/pl.txt")),
    ("ru", include_str!("phrases/ru.txt")),
    ("tr", include_str!("phrases/tr.txt")),
    ("ja", include_str!("phrases/ja.txt")),
    ("zh", include_str!("phrases/zh.txt")),
    ("ko", include_str!("phrases/ko.txt")),
];

/// What every file holds: each section's language and text.
static SECTIONS: LazyLock<HashMap<&str, Vec<(Languages, &str)>>> = LazyLock::new(|| {
    let mut all: HashMap<&str, Vec<(Languages, &str)>> = HashMap::new();
    for (code, file) in LANGUAGES {
        let sections = file.split("\n[").skip(1).filter_map(|section| section.split_once("]\n"));
        sections.for_each(|(name, text)| all.entry(name).or_default().push((Languages::of(code), text)));
    }
    all
});

/// The codes of the languages, in their order.
pub fn language_codes() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().map(|(code, _)| *code)
}

/// The phrases of a section in every language, as [`Cues`] compares them; none where no language has the section.
pub fn phrases(section: &str) -> &'static [String] {
    static READ: LazyLock<HashMap<&str, Vec<String>>> = LazyLock::new(|| {
        let comparable = |section: &&'static str| {
            let phrases = listed_phrases(section).map(|(_, phrase)| Cues::of(phrase).text().to_owned());
            (*section, phrases.collect())
        };
        SECTIONS.keys().filter(|section| !is_only_listed(section)).map(comparable).collect()
    });
    READ.get(section).map_or(&[], Vec::as_slice)
}

/// Whether a section is never compared as [`Cues`] are: many, and asked for once.
fn is_only_listed(section: &str) -> bool {
    section.starts_with("said:") || section.starts_with("tool:")
}

/// Whether a word stands in a section, in any language.
pub fn is_listed(section: &str, word: &str) -> bool {
    // Most sections are never asked for a word.
    static WORDS: LazyLock<HashMap<&str, OnceLock<HashSet<String>>>> =
        LazyLock::new(|| SECTIONS.keys().map(|section| (*section, OnceLock::new())).collect());
    let listed = || listed_phrases(section).map(|(_, word)| fold(word)).collect();
    WORDS.get(section).is_some_and(|words| words.get_or_init(listed).contains(&fold(word)))
}

/// Whether a phrase of a section stands in what somebody wrote. A single word counts in a text of another language too, as
/// people borrow "thanks" and "sorry", but not where it is an everyday word of that one: "ty" is no thanks in Polish.
pub fn says(section: &str, cues: &Cues) -> bool {
    let mut languages = None;
    phrases(section).iter().filter(|phrase| cues.has(phrase)).any(|phrase| {
        let everyday = COMMON.get(&fold(phrase)).copied().unwrap_or_default();
        let own = languages.get_or_insert_with(|| Folded::of(cues.text()).languages());
        everyday.is_empty() || !everyday.overlaps(*own)
    })
}

/// The phrases of a section as they are written, each with its language.
pub fn listed_phrases(section: &str) -> impl Iterator<Item = (Languages, &'static str)> + use<> {
    let sections = SECTIONS.get(section).into_iter().flatten();
    sections.flat_map(|(language, text)| split_phrases(text).map(|phrase| (*language, phrase)))
}

/// A section's lines, each with its language, what stands before the colon, and the phrases behind it.
pub fn section_lines(section: &str) -> impl Iterator<Item = (Languages, &'static str, Vec<&'static str>)> {
    written_lines(section).map(|(language, line)| {
        let (name, phrases) = line.split_once(": ").unwrap_or(("", line));
        (language, name, split_phrases(phrases).collect())
    })
}

/// A section's lines as they are written, each with its language.
pub fn written_lines(section: &str) -> impl Iterator<Item = (Languages, &'static str)> + use<> {
    let texts = SECTIONS.get(section).into_iter().flatten();
    texts.flat_map(|(language, text)| {
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        lines.map(|line| (*language, line))
    })
}

/// The lines of a section in these languages, as they are written.
pub fn lines_in(section: &str, languages: Languages) -> impl Iterator<Item = &'static str> + use<> {
    let texts = SECTIONS.get(section).into_iter().flatten().filter(move |(of, _)| of.overlaps(languages));
    texts.flat_map(|(_, text)| text.lines().filter(|line| !line.is_empty()))
}

/// The first line of a section in the first of these languages that has one, as it is written; blank where none has.
pub fn line_in(section: &str, languages: Languages) -> &'static str {
    lines_in(section, languages).next().unwrap_or_default()
}

/// The same, in English where none has.
pub fn line_for(section: &str, languages: Languages) -> &'static str {
    match line_in(section, languages) {
        "" => line_in(section, Languages::of("en")),
        own => own,
    }
}

fn split_phrases(text: &'static str) -> impl Iterator<Item = &'static str> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(|line| line.split(',')).map(str::trim).filter(|phrase| !phrase.is_empty())
}

/// Any of some words, as a pattern for what is in lower case: the longest first.
pub fn either(words: &[&str]) -> String {
    let mut words: Vec<String> = words.iter().map(|word| regex::escape(&word.to_lowercase())).collect();
    words.sort_by_key(|word| Reverse(word.len()));
    words.join("|")
}

/// Some of the languages there is data for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Languages(u16);

impl Languages {
    /// The one of a locale such as `pt-BR` or `en`, whatever its region; none where there is no data for it.
    pub fn of(locale: &str) -> Self {
        let code = locale.split(['-', '_']).next().unwrap_or_default();
        Self(LANGUAGES.iter().position(|(known, _)| code.eq_ignore_ascii_case(known)).map_or(0, |at| 1 << at))
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn is_one(self) -> bool {
        self.0.is_power_of_two()
    }

    /// Whether a language is in both.
    pub fn overlaps(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Those of them that are among others, too.
    pub fn among(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }

    /// Those of them that are among others, too, where any is; else all of them.
    #[must_use]
    pub fn narrowed(self, others: Self) -> Self {
        if self.overlaps(others) { self.among(others) } else { self }
    }

    fn each(self) -> impl Iterator<Item = usize> {
        (0..LANGUAGES.len()).filter(move |at| self.0 & 1 << at != 0)
    }
}

/// What tells Chinese from Japanese that has no kana: hardly any such Japanese has it.
static OF_CHINESE: LazyLock<Vec<&str>> =
    LazyLock::new(|| listed_phrases("letters").map(|(_, letters)| letters).collect());

/// Words by the languages in which they are everyday words that carry little.
static COMMON: LazyLock<HashMap<String, Languages>> = LazyLock::new(|| {
    let mut common: HashMap<String, Languages> = HashMap::new();
    for (language, word) in listed_phrases("common") {
        common.entry(fold(word)).or_default().0 |= language.0;
    }
    common
});

/// Those of them in Latin letters that are written with accents, as they are written.
static ACCENTED: LazyLock<HashMap<String, Languages>> = LazyLock::new(|| {
    let mut accented: HashMap<String, Languages> = HashMap::new();
    let of_own_script = Languages(UNSPACED_OR_OWN);
    let latin = listed_phrases("common").filter(|(language, _)| !language.overlaps(of_own_script));
    for (language, word) in latin.filter(|(_, word)| !word.is_ascii()) {
        accented.entry(word.to_lowercase()).or_default().0 |= language.0;
    }
    accented
});

/// A text as phrases are looked for in it.
#[derive(Debug, Clone)]
pub struct Folded {
    /// Its words, with a space around each.
    text: String,
    /// Where each of them begins.
    starts: Vec<usize>,
    /// The languages it may be in, as far as can be told.
    languages: Languages,
    /// How many of its words are everyday words of the likeliest of them, and how many are in letters of no such language.
    common: usize,
    foreign: usize,
    /// Whether a Latin letter of it is in none of these languages' alphabets.
    has_other_letters: bool,
}

impl Folded {
    pub fn of(text: &str) -> Self {
        Self::of_words(written_words(text).map(fold)).written_as(text)
    }

    /// With what only the letters and marks as they were written tell of the language: "qué" is no French "que".
    pub fn written_as(self, text: &str) -> Self {
        let marked = if text.contains(['¿', '¡']) { Languages::of("es") } else { Languages::default() };
        let mut languages = self.languages.narrowed(marked);
        // Of those that their script tells, accents tell nothing.
        if languages.overlaps(Languages(!UNSPACED_OR_OWN)) {
            let accented = written_words(text).filter(|word| !word.is_ascii());
            let told = accented.filter_map(|word| ACCENTED.get(&*lowered(&nfkc(word))).copied());
            let of_own_script = self.languages.among(Languages(UNSPACED_OR_OWN));
            languages = told.fold(languages, Languages::narrowed).with(of_own_script);
        }
        Self { languages, has_other_letters: text.chars().any(is_latin_of_others), ..self }
    }

    /// The same as a part of a text that tells more of its language.
    pub fn of_one_language_with(self, whole: &Self) -> Self {
        Self { languages: whole.languages, ..self }
    }

    /// The same where a word counts, whichever language it is in.
    pub fn of_any_language(self) -> Self {
        Self { languages: Languages(u16::MAX), ..self }
    }

    /// Of words that are folded already.
    pub fn of_words<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> Self {
        let mut all = Self {
            text: " ".to_owned(),
            starts: Vec::new(),
            languages: Languages::default(),
            common: 0,
            foreign: 0,
            has_other_letters: false,
        };
        let mut counts = [0_usize; LANGUAGES.len()];
        let (mut script, mut of_numbers, mut is_latin) = (Languages::default(), Languages::default(), false);
        for word in words {
            let word = word.as_ref();
            all.starts.push(all.text.len());
            all.text.push_str(word);
            all.text.push(' ');
            COMMON.get(word).into_iter().flat_map(|of| of.each()).for_each(|at| counts[at] += 1);
            let (written, has_letters) = written_in(word);
            all.foreign += usize::from(written.is_empty());
            let told = if has_letters { &mut script } else { &mut of_numbers };
            told.0 |= written.0;
            is_latin |= has_letters && written.overlaps(Languages::of("en"));
        }
        // Ukrainian, Serbian and others are written in letters that look like Russian ones, and in some of their own.
        if all.text.chars().any(is_cyrillic_of_others) {
            all.foreign +=
                all.text.split(' ').filter(|word| written_in(word).0.overlaps(Languages::of("ru"))).count();
            script.0 &= !Languages::of("ru").0;
        }
        // Kanji beside kana are Japanese; without, some letters are hardly ever anything but Chinese.
        if script.overlaps(Languages::of("ja")) {
            if all.text.chars().any(|c| matches!(c, '\u{3040}'..='\u{30ff}')) {
                script.0 &= !Languages::of("zh").0;
            } else if OF_CHINESE.iter().any(|letters| all.text.contains(letters)) {
                script.0 &= !Languages::of("ja").0;
            }
        }
        all.common = counts.iter().copied().max().unwrap_or_default();
        all.languages = if script.is_empty() && all.foreign == 0 { of_numbers } else { script };
        if is_latin && all.common > 0 {
            let unlikely = counts.iter().zip(0..).filter(|(count, _)| **count < all.common);
            all.languages.0 &=
                unlikely.fold(u16::MAX, |likely, (_, at)| likely & !(1 << at)) | UNSPACED_OR_OWN;
        }
        all
    }

    /// The languages it may be in, as far as can be told.
    pub fn languages(&self) -> Languages {
        self.languages
    }

    /// Whether it is in none of the languages there is data for, as far as its words tell. Of two words nothing can be told.
    pub fn is_unknown(&self) -> bool {
        let (words, common) = (self.starts.len(), self.common);
        let is_own_script = self.languages.overlaps(Languages(UNSPACED_OR_OWN));
        self.foreign * 2 > words
            || (words >= 3 && self.has_other_letters && common * 3 <= words)
            || (words >= 4 && common * 6 < words && !is_own_script)
    }

    /// Its words, folded, in their order.
    pub fn each_word(&self) -> impl Iterator<Item = &str> {
        self.text.split_whitespace()
    }

    /// Whether its script sets no words apart, or hangs particles on them.
    pub fn is_unspaced(&self) -> bool {
        self.text.chars().any(is_unspaced)
    }

    /// How many words it has.
    pub fn words(&self) -> usize {
        self.starts.len()
    }

    /// A phrase as it stands in it.
    pub fn text_of(&self, found: &FoundPhrase) -> &str {
        &self.text[found.bytes.clone()]
    }

    pub fn before(&self, found: &FoundPhrase) -> &str {
        &self.text[..found.bytes.start]
    }

    pub fn behind(&self, found: &FoundPhrase) -> &str {
        &self.text[found.bytes.end..]
    }

    /// Where it goes on behind a phrase, in bytes.
    pub fn past(&self, found: &FoundPhrase) -> usize {
        found.bytes.end + usize::from(self.behind(found).starts_with(' '))
    }

    /// The same behind phrases of these sections, one behind the other, from a byte on.
    pub fn behind_leads(&self, found: &[FoundPhrase], from: usize, leads: impl Fn(usize) -> bool) -> usize {
        // Of those that begin there the longest stands last.
        let lead = |at: usize| found.iter().rfind(|one| leads(one.section) && one.bytes.start == at);
        let mut begins = from;
        while let Some(led) = lead(begins) {
            begins = self.past(led);
        }
        begins
    }

    /// Where its word of this number begins, in bytes; where it ends, if it has no more than so many.
    pub fn start_of(&self, word: usize) -> usize {
        self.starts.get(word).copied().unwrap_or(self.text.len())
    }

    fn word_at(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at).saturating_sub(1)
    }
}

/// Whether a word stands for what it is in these languages, with the rest of what was said. Where the rest tells nothing, a
/// word that is an everyday one in another language as well does not: "no" alone is not the Portuguese "in the".
pub fn is_of(word: &str, languages: Languages, rest: &str) -> bool {
    let rest = Folded::of(rest);
    if rest.common > 0 || !rest.languages.is_empty() && !rest.languages.overlaps(Languages::of("en")) {
        return languages.overlaps(rest.languages);
    }
    COMMON.get(&fold(word)).is_none_or(|of| of.0 & !languages.0 == 0)
}

/// Languages that their script alone tells: Russian, Japanese, Chinese, Korean.
const UNSPACED_OR_OWN: u16 = 1 << 8 | 1 << 10 | 1 << 11 | 1 << 12;

/// The languages whose letters a word has, and whether it has any; beside letters its digits tell nothing. A number counts as
/// written in Latin ones.
fn written_in(word: &str) -> (Languages, bool) {
    let latin = Languages(!UNSPACED_OR_OWN & ((1 << LANGUAGES.len()) - 1));
    let mut languages = Languages::default();
    let has_letters = word.contains(char::is_alphabetic);
    for letter in word.chars().filter(|letter| !has_letters || letter.is_alphabetic()) {
        languages.0 |= match letter {
            '\u{3040}'..='\u{30ff}' => Languages::of("ja").0,
            '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' => {
                Languages::of("ja").0 | Languages::of("zh").0
            }
            '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7af}' => Languages::of("ko").0,
            '\u{400}'..='\u{52f}' => Languages::of("ru").0,
            '\0'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => latin.0,
            _ => 0,
        };
    }
    (languages, has_letters)
}

/// Latin letters beside those of ASCII that the languages there is data for are written with.
const LATIN: &str = "àâäãáæçèéêëîïíìñòôöõóœùûüúÿßąćęłńśźżşğı";

/// Whether a letter is Latin and in no such alphabet: å, ř, ő, ă.
fn is_latin_of_others(letter: char) -> bool {
    let is_latin = matches!(letter, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}') && letter.is_alphabetic();
    is_latin && letter != 'İ' && !letter.to_lowercase().all(|small| LATIN.contains(small))
}

/// Whether a folded letter is Cyrillic and in no Russian word.
fn is_cyrillic_of_others(letter: char) -> bool {
    matches!(letter, '\u{400}'..='\u{52f}') && !matches!(letter, 'а'..='я')
}

/// Phrases of some sections, found all at once.
#[derive(Debug)]
pub struct Phrases {
    automaton: Option<AhoCorasick>,
    known: Vec<KnownPhrase>,
}

#[derive(Debug)]
struct KnownPhrase {
    section: usize,
    language: Languages,
    /// What follows its first words, where it has a word that may be any.
    rest: Vec<String>,
    is_one_word: bool,
}

/// Where a phrase stands in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundPhrase {
    /// Which of the sections, or of the groups.
    pub section: usize,
    /// Of whose file it is.
    pub language: Languages,
    pub at: usize,
    /// How many words it is in.
    pub len: usize,
    /// Where it stands in the folded text.
    pub bytes: Range<usize>,
}

/// A part of a text in which phrases were looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'t> {
    /// One of this section, or group.
    Phrase(usize),
    /// What is no phrase; may be blank.
    Rest(&'t str),
}

impl Phrases {
    /// Those of these sections.
    pub fn of(sections: &[&str]) -> Self {
        let each = sections.iter().enumerate();
        Self::grouped(each.flat_map(|(at, section)| {
            listed_phrases(section).map(move |(language, phrase)| (at, language, phrase))
        }))
    }

    /// Phrases by the number of their group.
    pub fn grouped(phrases: impl IntoIterator<Item = (usize, Languages, &'static str)>) -> Self {
        let (mut patterns, mut known) = (Vec::new(), Vec::new());
        for (section, language, phrase) in phrases {
            let words: Vec<String> = phrase
                .split(|c: char| !c.is_alphanumeric() && c != '_' && !is_combining_mark(c))
                .filter(|word| !word.is_empty())
                .map(fold)
                .collect();
            let open = words.iter().position(|word| word == "_").unwrap_or(words.len());
            let (head, rest) = words.split_at(open);
            if head.is_empty() {
                continue;
            }
            let head = head.join(" ");
            // Where no spaces part words, or particles hang on them, a phrase is found within others.
            let is_spaced = !head.chars().any(is_unspaced);
            let is_one_word = is_spaced && words.len() == 1;
            patterns.push(if is_spaced { format!(" {head} ") } else { head });
            known.push(KnownPhrase { section, language, rest: rest.to_vec(), is_one_word });
        }
        Self { automaton: AhoCorasick::new(patterns).ok(), known }
    }

    /// Every phrase in a text, in its order.
    pub fn find(&self, text: &Folded) -> Vec<FoundPhrase> {
        let mut found: Vec<FoundPhrase> = self.each_in(text).collect();
        found.sort_by_key(|one| (one.bytes.start, one.bytes.end));
        found
    }

    fn each_in(&self, text: &Folded) -> impl Iterator<Item = FoundPhrase> {
        let matches =
            self.automaton.iter().flat_map(move |automaton| automaton.find_overlapping_iter(&text.text));
        matches.filter_map(move |found| {
            let known = &self.known[found.pattern().as_usize()];
            let is_of_another = !text.languages.overlaps(known.language);
            if is_of_another && (known.is_one_word || text.text[found.range()].starts_with(is_unspaced)) {
                return None;
            }
            let matched = &text.text[found.range()];
            let start = found.start() + usize::from(matched.starts_with(' '));
            let mut end = found.end() - usize::from(matched.ends_with(' '));
            if !known.rest.is_empty() {
                let mut follows = text.text[found.end()..].split_inclusive(' ');
                for wanted in &known.rest {
                    let word = follows.next()?;
                    (wanted == "_" || *wanted == word.trim_end()).then_some(())?;
                }
                let length: usize =
                    text.text[found.end()..].split_inclusive(' ').take(known.rest.len()).map(str::len).sum();
                end = found.end() + length - 1;
            }
            let (at, last) = (text.word_at(start), text.word_at(end - 1));
            let len = last + 1 - at;
            Some(FoundPhrase { section: known.section, language: known.language, at, len, bytes: start..end })
        })
    }

    /// Whether any of them stands in a text.
    pub fn are_in(&self, text: &Folded) -> bool {
        self.each_in(text).next().is_some()
    }

    /// A text as its phrases, one by one from the left, the longest first, and what stands between them.
    pub fn pieces<'t>(&self, text: &'t Folded) -> Vec<Piece<'t>> {
        let mut found = self.find(text);
        found.sort_by_key(|one| (one.bytes.start, Reverse(one.bytes.end)));
        let (mut pieces, mut done) = (Vec::new(), 0);
        for one in found {
            if one.bytes.start >= done {
                pieces.push(Piece::Rest(&text.text[done..one.bytes.start]));
                pieces.push(Piece::Phrase(one.section));
                done = one.bytes.end;
            }
        }
        pieces.push(Piece::Rest(&text.text[done..]));
        pieces
    }

    /// Whether a text has a phrase of the first section, or group, and beside all phrases at most so many words, not counting those
    /// of `called`, which are folded.
    pub fn make_up(&self, text: &Folded, beside: usize, called: &[&str]) -> bool {
        let pieces = self.pieces(text);
        let words_beside = |piece: &Piece<'_>| match piece {
            Piece::Phrase(_) => 0,
            Piece::Rest(rest) => rest.split_whitespace().filter(|word| !called.contains(word)).count(),
        };
        pieces.contains(&Piece::Phrase(0)) && pieces.iter().map(words_beside).sum::<usize>() <= beside
    }

    /// A text in the words that its phrases stand for; what is no phrase stays.
    pub fn replaced(&self, text: &Folded, by: impl Fn(usize) -> &'static str) -> String {
        let pieces = self.pieces(text).into_iter();
        let words = pieces.flat_map(|piece| match piece {
            Piece::Rest(rest) => [rest, "", ""],
            Piece::Phrase(section) => [" ", by(section), " "],
        });
        words.collect()
    }
}

/// Of what stands in a text, each with its place, what stands within nothing longer: a grandmother is no mother.
pub fn longest<T: Copy>(found: &[(Range<usize>, T)]) -> impl Iterator<Item = T> {
    let is_within = move |inner: &Range<usize>| {
        let around = |outer: &Range<usize>| outer.start <= inner.start && inner.end <= outer.end;
        found.iter().any(|(outer, _)| outer != inner && around(outer))
    };
    found.iter().filter(move |(place, _)| !is_within(place)).map(|(_, what)| *what)
}

/// Whether a text asks something, by its mark or by its words, in any of the languages.
pub fn asks(text: &str) -> bool {
    static ASKING: LazyLock<Phrases> = LazyLock::new(|| {
        Phrases::of(&[
            "asked",
            "leads",
            "asking",
            "asked_at",
            "leading",
            "asks or joins",
            "tells",
            "asks with its accent",
            "greeting",
        ])
    });
    if has_question_mark(text) {
        return true;
    }
    text.split(ends_sentence).any(|sentence| {
        let mut follows_a_clause = false;
        // Behind a colon or a dash more is told than asked: "I'm tired — have to work". An emoji has its name between
        // colons.
        sentence.split([',', '，', '、']).any(|written| {
            let part = Folded::of(written);
            let found = ASKING.find(&part);
            let of = |section: usize| found.iter().filter(move |one| one.section == section);
            // Behind words that may stand in front of anything.
            let begins = part.behind_leads(&found, part.start_of(0), |section| section == 4);
            let is_begun = |one: &FoundPhrase| one.bytes.start == begins;
            let joins = follows_a_clause && of(5).any(is_begun);
            let tells = of(6).any(is_begun);
            follows_a_clause |= part.words() >= 3;
            // What also ends a question follows what it asks: first of all, "mi" is no Turkish.
            let follows = |one: &FoundPhrase| one.at == 0 && of(3).any(|last| last.bytes == one.bytes);
            // Spanish "que" asks nothing, and is everywhere.
            let lacks_accent = |one: &FoundPhrase| {
                of(7).any(|accented| accented.bytes == one.bytes)
                    && written_words(written).nth(one.at).is_some_and(str::is_ascii)
            };
            let is_foreign = |one: &FoundPhrase| belongs_elsewhere(one, &found, &part);
            let asks_nothing = |one: &FoundPhrase| follows(one) || lacks_accent(one) || is_foreign(one);
            of(2).any(|one| !(asks_nothing(one) || (tells && is_begun(one))))
                || of(3).any(|one| one.bytes.end + 1 == part.text.len() && !is_foreign(one))
                || (part.words() >= 3 && !joins && !tells && of(0).chain(of(1)).any(is_begun))
        })
    })
}

/// Whether a word is an everyday one in another language, too, and a phrase of that one stands beside it and none of its own:
/// in "hola mi amor" the "mi" is no Turkish.
fn belongs_elsewhere(one: &FoundPhrase, found: &[FoundPhrase], text: &Folded) -> bool {
    let everyday = COMMON.get(text.text_of(one)).copied().unwrap_or_default().among(text.languages);
    let mut beside = found.iter().filter(|other| other.bytes != one.bytes);
    let is_at_home = beside.clone().any(|other| other.language == one.language);
    everyday.overlaps(one.language) && !is_at_home && beside.any(|other| other.language.overlaps(everyday))
}

/// Whether what stands behind a name asks whoever bears it: "what is that", "can you come"; "is late" tells of them.
pub fn asks_behind_a_name(text: &str) -> bool {
    static TELLING: LazyLock<Phrases> =
        LazyLock::new(|| Phrases::of(&["tells behind a name", "asks behind a name"]));
    let found = TELLING.find(&Folded::of(text));
    let begins = |section: usize| found.iter().any(|one| one.section == section && one.at == 0);
    asks(text) && (!begins(0) || begins(1))
}

#[cfg(test)]
mod tests;
