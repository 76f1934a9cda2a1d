//! Phrases: words in order with gaps between them, read from a table and matched over look-alike forms.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::Sign;
use crate::text::unicode::comparable;

/// How many words a full stop counts as when the gap between two steps is measured.
const STOP: usize = 3;

/// Shortest stem, in bytes. As long as what [`Phrases::beginnings`] looks at, or stems would be missed.
const MIN_STEM: usize = BEGINNING;

/// Bytes of a word that are looked at first.
const BEGINNING: usize = 3;

/// All phrases of the table, ready to be looked for.
#[derive(Debug)]
pub(super) struct Phrases {
    words: HashMap<String, Vec<StepId>>,
    stems: HashMap<String, Vec<StepId>>,
    longest_stem: usize,
    /// The first bytes of all of them: most words of a text begin otherwise and need not be looked up.
    beginnings: HashSet<[u8; BEGINNING]>,
    /// By the set of words they begin with.
    by_first: HashMap<StepId, Vec<Phrase>>,
}

/// A set of words that stands in a step.
type StepId = u16;

#[derive(Debug, Clone)]
struct Phrase {
    sign: Sign,
    weight: f32,
    not_behind: Option<StepId>,
    /// The steps after the first, each with the words that may stand before it.
    rest: Vec<(usize, StepId)>,
    /// Its place in the table.
    number: usize,
}

/// A word of a text and where it stands, full stops counted as words.
struct Token {
    at: usize,
    sets: Vec<StepId>,
}

impl Phrases {
    /// Reads the table; `Err` names the line that cannot be read.
    pub(super) fn read(table: &str) -> Result<Self, String> {
        let mut reader = Reader::default();
        for line in table.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            reader.line(line).ok_or_else(|| line.to_owned())?;
        }
        let mut words: HashMap<String, Vec<StepId>> = HashMap::new();
        let mut stems: HashMap<String, Vec<StepId>> = HashMap::new();
        for (id, members) in (0..).zip(&reader.sets) {
            for member in members {
                match member.strip_suffix('*') {
                    Some(stem) => {
                        let stem = form(stem);
                        if stem.len() < MIN_STEM {
                            return Err(format!("{stem}*: too short"));
                        }
                        stems.entry(stem).or_default().push(id);
                    }
                    None => words.entry(form(member)).or_default().push(id),
                }
            }
        }
        let longest_stem = stems.keys().map(String::len).max().unwrap_or_default();
        let beginnings = words.keys().chain(stems.keys()).filter_map(|known| beginning(known)).collect();
        Ok(Self { words, stems, longest_stem, beginnings, by_first: reader.by_first })
    }

    /// Every phrase found in a text of look-alike forms, once each, with what it weighs.
    pub(super) fn find(&self, form: &str, mut found: impl FnMut(Sign, f32)) {
        let tokens = self.tokens(form);
        let mut seen = BTreeSet::new();
        for (start, token) in tokens.iter().enumerate() {
            for phrase in token.sets.iter().filter_map(|set| self.by_first.get(set)).flatten() {
                let is_denied = phrase.not_behind.is_some_and(|set| {
                    start > 0 && tokens[start - 1].at + 1 == token.at && tokens[start - 1].sets.contains(&set)
                });
                if !is_denied && !seen.contains(&phrase.number) && goes_on(&tokens, start, &phrase.rest) {
                    seen.insert(phrase.number);
                    found(phrase.sign, phrase.weight);
                }
            }
        }
    }

    fn tokens(&self, form: &str) -> Vec<Token> {
        let mut tokens = Vec::new();
        let mut at = 0;
        let mut word = String::new();
        let mut characters = form.chars().chain([' ']).peekable();
        while let Some(character) = characters.next() {
            let ends_word = characters.peek().is_none_or(|next| !next.is_alphanumeric());
            match character {
                c if c.is_alphanumeric() => word.push(c),
                '\'' | '_' => {}
                c => {
                    if !word.is_empty() {
                        tokens.push(Token { at, sets: self.sets_of(&word) });
                        word.clear();
                        at += 1;
                    }
                    // A full stop inside an address ends no sentence.
                    if matches!(c, '\n' | '。') || (matches!(c, '.' | '!' | '?') && ends_word) {
                        at += STOP;
                    }
                }
            }
        }
        tokens
    }

    fn sets_of(&self, word: &str) -> Vec<StepId> {
        if beginning(word).is_some_and(|first| !self.beginnings.contains(&first)) {
            return Vec::new();
        }
        let mut sets = self.words.get(word).cloned().unwrap_or_default();
        let ends = word.char_indices().map(|(at, c)| at + c.len_utf8());
        for end in ends.skip_while(|end| *end < MIN_STEM).take_while(|end| *end <= self.longest_stem) {
            if let Some(more) = self.stems.get(&word[..end]) {
                sets.extend(more);
            }
        }
        sets
    }
}

/// Whether the steps follow the word at `start`; every place a step can stand is followed at once, so the work is
/// bounded by steps times gap.
fn goes_on(tokens: &[Token], start: usize, rest: &[(usize, StepId)]) -> bool {
    let mut reached = BTreeSet::from([start]);
    for (gap, set) in rest {
        let mut next = BTreeSet::new();
        for &from in &reached {
            let most = tokens[from].at + 1 + gap;
            let ahead = tokens.iter().enumerate().skip(from + 1).take_while(|(_, token)| token.at <= most);
            next.extend(ahead.filter(|(_, token)| token.sets.contains(set)).map(|(index, _)| index));
        }
        if next.is_empty() {
            return false;
        }
        reached = next;
    }
    true
}

/// The first bytes of a word that has them; shorter words are always looked up.
fn beginning(word: &str) -> Option<[u8; BEGINNING]> {
    word.as_bytes().first_chunk().copied()
}

/// A word of the table as it looks in a text.
fn form(word: &str) -> String {
    super::plain(&comparable(word))
}

#[derive(Default)]
struct Reader {
    groups: HashMap<String, Vec<String>>,
    sets: Vec<Vec<String>>,
    ids: HashMap<Vec<String>, StepId>,
    by_first: HashMap<StepId, Vec<Phrase>>,
    phrases: usize,
}

impl Reader {
    fn line(&mut self, line: &str) -> Option<()> {
        if let Some((name, members)) = line.split_once(" = ") {
            let members = members.split_whitespace().map(str::to_owned).collect();
            self.groups.insert(name.trim().to_owned(), members);
            return Some(());
        }
        let (head, steps) = line.split_once(':')?;
        let (sign, weight) = head.split_once(' ')?;
        let sign = Sign::named(sign)?;
        let weight: f32 = weight.trim().parse().ok().filter(|weight| (0.0..=1.0).contains(weight))?;
        let mut not_behind = None;
        let mut gap = 0;
        let mut read = Vec::new();
        for step in steps.split_whitespace() {
            if let Some(most) = step.strip_prefix('~') {
                gap = most.parse().ok()?;
            } else if let Some(set) = step.strip_prefix('^') {
                not_behind = Some(self.set(set)?);
            } else {
                read.push((gap, self.set(step)?));
                gap = 0;
            }
        }
        let mut read = read.into_iter();
        let (_, first) = read.next()?;
        let phrase = Phrase { sign, weight, not_behind, rest: read.collect(), number: self.phrases };
        self.phrases += 1;
        self.by_first.entry(first).or_default().push(phrase);
        Some(())
    }

    /// The id of a step's set of words.
    fn set(&mut self, step: &str) -> Option<StepId> {
        let mut members = Vec::new();
        for part in step.split('|') {
            match part.strip_prefix('{') {
                Some(name) => members.extend(self.groups.get(name.strip_suffix('}')?)?.iter().cloned()),
                None => members.push(part.to_owned()),
            }
        }
        if let Some(&known) = self.ids.get(&members) {
            return Some(known);
        }
        let id = StepId::try_from(self.sets.len()).ok()?;
        self.sets.push(members.clone());
        self.ids.insert(members, id);
        Some(id)
    }
}
