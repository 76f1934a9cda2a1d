//! How well each tool fits what is being answered (G10): words weigh 0.4 and likeness of letters 0.6.
//!
//! A tool's document is its name, what the model is told about it and its arguments, and its cues: turns of phrase in thirteen
//! languages by which people ask for what it does, in sections `[tool: …]` of the phrases; a cue in angle brackets is a
//! [`LineSign`]. There is one vector of letters for each tool and language, so that a line is not diluted by twelve others.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use familiar_cards::fnv::{FNV_BASIS, fnv};
use serde_json::Value;

use super::signs::{LineSign, signs_of};
use crate::text::keywords::{fold, forms, is_unspaced_letter, words};
use crate::text::phrases::{Folded, Languages, Phrases, listed_phrases};

/// How much of a score the words are.
const WORDS_SHARE: f32 = 0.4;

/// What a found cue of one word counts, next to a word found in a document.
const CUE: f32 = 3.0;

/// What a sign counts that is one of a tool's cues.
const SIGN: f32 = 2.0;

/// Counts of words that sum up to this are half of what words can score.
const HALF: f32 = 6.0;

/// What a ranking knows of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolText {
    pub name: Arc<str>,
    /// What the model is told about it.
    pub description: Arc<str>,
    /// Its arguments, as a JSON schema.
    pub parameters: Value,
}

/// How a line goes with every tool, in the order the tools were given.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// From 0 to 1.
    pub scores: Vec<f32>,
    /// Only by words, cues and signs, from 0 to 1.
    pub(super) by_words: Vec<f32>,
    pub(super) signs: Vec<LineSign>,
}

/// The known tools, as they are compared with what people write.
#[derive(Debug)]
pub struct Ranking {
    tools: Vec<ToolText>,
    /// Terms with the tools whose documents they are in.
    terms: HashMap<String, Vec<u16>>,
    cues: Phrases,
    /// For each cue its tool, and what it counts.
    cue_counts: Vec<(u16, f32)>,
    signs: Vec<(LineSign, u16)>,
    pieces: Pieces,
    /// The tool of each document.
    documents: Vec<u16>,
}

impl Ranking {
    pub fn of(tools: Vec<ToolText>) -> Self {
        let mut reader = CueReader::default();
        for (at, tool) in (0..).zip(&tools) {
            reader.read(at, tool);
        }
        let CueReader { terms, cues, shared, signs, documents, texts } = reader;
        let cue_counts = cues.iter().map(|(tool, _, phrase)| {
            let tools = shared.get(&fold(phrase)).map_or(1, BTreeSet::len);
            (*tool, CUE * size_of(phrase).sqrt() / tools as f32)
        });
        let terms = terms.into_iter().map(|(term, of)| (term, of.into_iter().collect())).collect();
        Self {
            terms,
            cue_counts: cue_counts.collect(),
            cues: Phrases::grouped(
                cues.iter().enumerate().map(|(at, (_, language, phrase))| (at, *language, *phrase)),
            ),
            signs,
            pieces: Pieces::of(&texts, &documents, tools.len()),
            documents,
            tools,
        }
    }

    /// Whether it is of these tools, as they are now.
    pub fn is_of(&self, tools: &[ToolText]) -> bool {
        self.tools == tools
    }

    /// The names, in the order of the scores.
    pub fn names(&self) -> impl Iterator<Item = &Arc<str>> {
        self.tools.iter().map(|tool| &tool.name)
    }

    /// How a line goes with each tool.
    pub fn fit(&self, line: &str) -> Fit {
        let folded = Folded::of(line);
        let signs = signs_of(line, &folded);
        let by_words = self.by_words(line, &folded, &signs);
        let alike = self.alike(line);
        let both = by_words.iter().zip(&alike);
        let scores = both.map(|(words, alike)| WORDS_SHARE * words + (1.0 - WORDS_SHARE) * alike).collect();
        Fit { scores, by_words, signs }
    }

    fn by_words(&self, line: &str, folded: &Folded, signs: &[LineSign]) -> Vec<f32> {
        let all = (self.tools.len() as f32).max(2.0);
        let mut counts = vec![0.0_f32; self.tools.len()];
        let mut seen = HashSet::new();
        for forms in forms(line) {
            let known = forms.iter().filter_map(|form| self.terms.get_key_value(form));
            let Some((term, of)) = known.min_by_key(|(_, of)| of.len()) else { continue };
            if seen.insert(term) {
                let rarity = (all / of.len() as f32).ln() / all.ln();
                of.iter().for_each(|tool| counts[usize::from(*tool)] += rarity);
            }
        }
        let found: BTreeSet<usize> = self.cues.find(folded).into_iter().map(|found| found.section).collect();
        for cue in found {
            let (tool, count) = self.cue_counts[cue];
            counts[usize::from(tool)] += count;
        }
        for (_, tool) in self.signs.iter().filter(|(sign, _)| signs.contains(sign)) {
            counts[usize::from(*tool)] += SIGN;
        }
        counts.into_iter().map(|count| count / (count + HALF)).collect()
    }

    /// The cosine with each tool's nearest document.
    fn alike(&self, line: &str) -> Vec<f32> {
        let pieces = counted_pieces(line);
        let known = pieces.iter().filter_map(|(piece, times)| {
            let (rarity, of) = self.pieces.get(*piece)?;
            Some((weight_of(*times, rarity), of))
        });
        let known: Vec<_> = known.collect();
        let length = vector_length(known.iter().map(|(weight, _)| *weight));
        let mut by_document = vec![0.0_f32; self.documents.len()];
        for (weight, of) in known {
            of.iter()
                .for_each(|(document, there)| by_document[usize::from(*document)] += weight / length * there);
        }
        let mut best = vec![0.0_f32; self.tools.len()];
        for (tool, alike) in self.documents.iter().zip(by_document) {
            let best = &mut best[usize::from(*tool)];
            *best = best.max(alike);
        }
        best
    }
}

/// Documents as they are read.
#[derive(Debug, Default)]
struct CueReader {
    terms: HashMap<String, BTreeSet<u16>>,
    cues: Vec<(u16, Languages, &'static str)>,
    /// Cues with the tools that have them: one that several share says less.
    shared: HashMap<String, BTreeSet<u16>>,
    signs: Vec<(LineSign, u16)>,
    documents: Vec<u16>,
    texts: Vec<String>,
}

impl CueReader {
    fn read(&mut self, at: u16, tool: &ToolText) {
        let mut told = format!("{} {}", tool.name.replace('_', " "), tool.description);
        describe_arguments(&tool.parameters, &mut told);
        self.document(at, &told);
        let cues: Vec<_> = listed_phrases(&format!("tool: {}", tool.name)).collect();
        for of_language in cues.chunk_by(|a, b| a.0 == b.0) {
            let mut text = String::new();
            for (language, phrase) in of_language {
                if let Some(sign) = LineSign::of_phrase(phrase) {
                    self.signs.extend((!self.signs.contains(&(sign, at))).then_some((sign, at)));
                    continue;
                }
                self.shared.entry(fold(phrase)).or_default().insert(at);
                self.cues.push((at, *language, phrase));
                text.push_str(&phrase.replace('_', " "));
                text.push_str(". ");
            }
            self.document(at, &text);
        }
    }

    fn document(&mut self, at: u16, text: &str) {
        for term in forms(text).into_iter().flatten() {
            self.terms.entry(term).or_default().insert(at);
        }
        self.documents.push(at);
        self.texts.push(text.to_owned());
    }
}

/// The names and descriptions of arguments.
fn describe_arguments(schema: &Value, told: &mut String) {
    let Some(fields) = schema.get("properties").and_then(Value::as_object) else { return };
    for (name, field) in fields {
        told.push(' ');
        told.push_str(&name.replace('_', " "));
        if let Some(description) = field.get("description").and_then(Value::as_str) {
            told.push(' ');
            told.push_str(description);
        }
        describe_arguments(field, told);
    }
}

/// How many words a cue is; of scripts without spaces two letters count as one.
fn size_of(phrase: &str) -> f32 {
    if phrase.chars().any(is_unspaced_letter) {
        (phrase.chars().count() as f32 / 2.0).max(1.0)
    } else {
        phrase.split_whitespace().count() as f32
    }
}

/// Pieces of words by their numbers, in order: how rare each is, and the documents it is in with its weight there. Recall
/// holds letters against letters too, but against other texts for each question, so that it keeps no such table.
#[derive(Debug, Default)]
struct Pieces {
    numbers: Vec<u64>,
    rarity: Vec<f32>,
    /// Where the documents of each end.
    ends: Vec<usize>,
    of: Vec<(u16, f32)>,
}

impl Pieces {
    fn of(texts: &[String], documents: &[u16], tools: usize) -> Self {
        let mut all: Vec<(u64, u16, f32)> = Vec::new();
        for (document, text) in (0..).zip(texts) {
            all.extend(counted_pieces(text).into_iter().map(|(piece, times)| (piece, document, times)));
        }
        all.sort_unstable_by_key(|(piece, document, _)| (*piece, *document));
        let mut pieces = Self { of: Vec::with_capacity(all.len()), ..Self::default() };
        let mut squares = vec![0.0_f32; documents.len()];
        for one in all.chunk_by(|a, b| a.0 == b.0) {
            let tool = |document: u16| documents[usize::from(document)];
            let of = one.chunk_by(|a, b| tool(a.1) == tool(b.1)).count();
            let rarity = (1.0 + tools as f32 / of as f32).ln();
            for (_, document, times) in one {
                let weight = weight_of(*times, rarity);
                squares[usize::from(*document)] += weight * weight;
                pieces.of.push((*document, weight));
            }
            pieces.numbers.push(one[0].0);
            pieces.rarity.push(rarity);
            pieces.ends.push(pieces.of.len());
        }
        for (document, weight) in &mut pieces.of {
            *weight /= squares[usize::from(*document)].sqrt().max(f32::EPSILON);
        }
        pieces
    }

    fn get(&self, piece: u64) -> Option<(f32, &[(u16, f32)])> {
        let at = self.numbers.binary_search(&piece).ok()?;
        let begin = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some((self.rarity[at], &self.of[begin..self.ends[at]]))
    }
}

fn weight_of(times: f32, rarity: f32) -> f32 {
    (1.0 + times.ln()) * rarity
}

fn vector_length(weights: impl Iterator<Item = f32>) -> f32 {
    weights.map(|weight| weight * weight).sum::<f32>().sqrt().max(f32::EPSILON)
}

/// Words, pairs of words, and three and four letters in a row with the edges of words, each as a number with how often it
/// stands there. That two have the same number is as good as never.
fn counted_pieces(text: &str) -> Vec<(u64, f32)> {
    let mut pieces: Vec<u64> = Vec::new();
    let mut before = None;
    let mut edged: Vec<char> = Vec::new();
    for word in words(text) {
        let whole = fnv(WHOLE, word.chars());
        if let Some(before) = before.replace(whole) {
            pieces.push(fnv(before, word.chars()));
        }
        edged.clear();
        edged.push(' ');
        edged.extend(word.chars());
        edged.push(' ');
        // One letter alone says something only where a letter is a word.
        if edged.len() == 3 && !is_unspaced_letter(edged[1]) {
            continue;
        }
        pieces.push(whole);
        for size in [3, 4] {
            pieces.extend(edged.windows(size).map(|window| fnv(PART, window.iter().copied())));
        }
    }
    pieces.sort_unstable();
    pieces.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as f32)).collect()
}

/// What the numbers of whole words and of parts of words begin with, so that "the" in "other" is not the word.
const WHOLE: u64 = FNV_BASIS;
const PART: u64 = 0x6c62_272e_07bb_0142;
