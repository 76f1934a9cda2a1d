//! From messages to the text of a summary: what a model is given, what is made of its answer, and what stands in when
//! there is no answer.
//!
//! Owns the promise that nothing which would be missed is silently lost: names, dates, times and numbers are looked for
//! in the finished text, and what is missing is added as far as the size allows (Y9, "enforced").

use std::fmt::Write as _;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::domain::{LAYER_MARKER, Role, StoredTurn, TokenEncoding};
use crate::text::calendar::is_unit_of_time;
use crate::text::keywords;
use crate::text::marks::without_emphasis;
use crate::text::names::{is_unspaced, prompt_label};
use crate::text::particulars::{Particular, ParticularKind, line_worth, lost, particulars};
use crate::text::secrets::redact;
use crate::text::sentences::{sentences_of, whole_within};
use crate::text::short::one_line;
use crate::text::tokens;
use crate::text::unicode::visible;

/// A message longer than this goes to the model shortened, in characters.
const MESSAGE_CHARS: usize = 4_000;

/// Longest piece of a message in excerpts, in characters.
const EXCERPT_CHARS: usize = 160;

/// Begins the line of what a summary would have lost.
pub(super) const ALSO: &str = "Also: ";

/// The share of a summary that the line of what it lost may take, in percent.
const ALSO_PERCENT: u32 = 45;

/// How many of the words of an answer must stem from what was asked about, in percent. Another language, a refusal or a
/// page of an error does not reach it.
const ABOUT_PERCENT: usize = 20;

/// One thing somebody said, or one line of an earlier summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WordedLine {
    /// `Alice: ` or nothing.
    pub prefix: String,
    pub text: String,
}

/// Messages as lines, speakers by name.
pub(super) fn worded_lines(turns: &[StoredTurn], own_name: &str) -> Vec<WordedLine> {
    turns
        .iter()
        .map(|turn| {
            let speaker = match (&turn.role, &turn.author) {
                (Role::Assistant, _) | (_, None) => own_name.to_owned(),
                (_, Some(author)) => prompt_label(author.label()),
            };
            WordedLine { prefix: format!("{speaker}: "), text: clean_line(&turn.content) }
        })
        .collect()
}

/// Earlier summaries as lines. Their lines of remainders are taken apart, so that each of them counts for itself.
pub(super) fn lines_of_notes<'a>(notes: impl IntoIterator<Item = &'a str>) -> Vec<WordedLine> {
    let mut lines = Vec::new();
    for note in notes {
        for line in note.lines().map(str::trim).filter(|line| !line.is_empty()) {
            match line.strip_prefix(ALSO) {
                Some(rest) => {
                    let items = rest.trim_end_matches('.').split("; ").filter(|item| !item.trim().is_empty());
                    lines.extend(
                        items
                            .map(|item| WordedLine { prefix: ALSO.to_owned(), text: item.trim().to_owned() }),
                    );
                }
                None => lines.extend(
                    summary_sentences(line)
                        .into_iter()
                        .map(|text| WordedLine { prefix: String::new(), text }),
                ),
            }
        }
    }
    lines
}

/// The names of those who speak.
pub(super) fn speaker_names(turns: &[StoredTurn], own_name: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for line in worded_lines(turns, own_name) {
        let name = line.prefix.trim_end_matches(": ").to_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// What a summary of these lines must not lose, the weightiest first.
pub(super) fn particulars_to_keep(lines: &[WordedLine], known: &[String]) -> Vec<Particular> {
    // A bare remainder is no sentence: a word before it keeps its capital from passing for a sentence's.
    let text = |line: &WordedLine| match line.prefix.as_str() {
        ALSO => format!("also {}", line.text),
        prefix => format!("{prefix}{}", line.text),
    };
    let texts: Vec<String> = lines.iter().map(text).collect();
    particulars(texts.iter().map(String::as_str), known)
}

/// The material for a model: messages with the time each was said.
pub(super) fn worded_transcript(turns: &[StoredTurn], own_name: &str, tz: &TimeZone) -> String {
    let mut transcript = DatedTranscript::new(tz.clone(), MESSAGE_CHARS);
    for (turn, line) in turns.iter().zip(worded_lines(turns, own_name)) {
        transcript.push("", turn.at, &line.prefix, &line.text);
    }
    transcript.text
}

/// Messages for a model: each on a line of its own with its time, under the day it was said on.
pub(super) struct DatedTranscript {
    pub text: String,
    tz: TimeZone,
    chars: usize,
    day: Option<Date>,
}

impl DatedTranscript {
    /// Of each message the first `chars` characters are shown.
    pub(super) fn new(tz: TimeZone, chars: usize) -> Self {
        Self { text: String::new(), tz, chars, day: None }
    }

    /// `mark` stands before the time, `who` before the words.
    pub(super) fn push(&mut self, mark: &str, at: Timestamp, who: &str, words: &str) {
        let at = at.to_zoned(self.tz.clone());
        if self.day.replace(at.date()) != Some(at.date()) {
            let _ = writeln!(self.text, "--- {}", at.strftime("%A %F"));
        }
        let words: String = words.chars().take(self.chars).collect();
        let _ = writeln!(self.text, "{mark}{} {who}{}", at.strftime("%H:%M"), one_line(&words));
    }
}

/// What a model answered as the text of a summary of at most `cap` tokens; `None` where the answer is of no use: empty,
/// or about something else.
pub(super) fn from_answer(
    answer: &str,
    lines: &[WordedLine],
    wanted: &[Particular],
    cap: u32,
    encoding: TokenEncoding,
) -> Option<String> {
    let text = tidy_answer(answer);
    if text.is_empty() || !is_about(&text, lines) {
        return None;
    }
    Some(with_lost(&text, wanted, cap, encoding))
}

/// A summary without a model: the lines that tell most, word for word, in their order.
pub(super) fn excerpts(lines: &[WordedLine], known: &[String], cap: u32, encoding: TokenEncoding) -> String {
    let wanted = particulars_to_keep(lines, known);
    let pieces: Vec<(u32, String)> = lines
        .iter()
        .filter(|line| line.prefix != ALSO)
        .flat_map(|line| {
            // A sentence out of an emphasised passage would open what nothing closes.
            summary_sentences(&without_emphasis(&line.text)).into_iter().map(move |sentence| {
                let piece = format!("{}{}", line.prefix, first_words(&sentence));
                (line_worth(&sentence, known), piece)
            })
        })
        .collect();
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    // Of two that are worth the same the earlier stays: the later one is still in newer notes, or word for word.
    order.sort_by_key(|&at| (std::cmp::Reverse(pieces[at].0), at));
    let room = cap.saturating_sub(cap * ALSO_PERCENT / 300);
    let mut used = 0;
    let mut kept: Vec<usize> = Vec::new();
    for at in order {
        let (worth, piece) = &pieces[at];
        let is_double = kept.iter().any(|&other| pieces[other].1 == *piece);
        if *worth == 0 || is_double {
            continue;
        }
        let takes = tokens::count(encoding, piece) + 1;
        if used + takes <= room {
            used += takes;
            kept.push(at);
        }
    }
    kept.sort_unstable();
    let body: Vec<&str> = kept.iter().map(|&at| pieces[at].1.as_str()).collect();
    with_lost(&body.join("\n"), &wanted, cap, encoding)
}

/// Cuts a text to its size at sentence ends and adds what it lost, weightiest first, as far as there is room.
fn with_lost(text: &str, wanted: &[Particular], cap: u32, encoding: TokenEncoding) -> String {
    let whole = whole_within(text, cap, |text| tokens::count(encoding, text)).to_owned();
    if lost(&whole, wanted).is_empty() {
        return whole;
    }
    // Something is missing: the line for it may take a part of the room from the words.
    let mut room = cap.saturating_mul(100 - ALSO_PERCENT) / 100;
    let all = also(&lost(&whole, wanted), cap, encoding);
    let needs = tokens::count(encoding, &all) + 1;
    if tokens::count(encoding, &whole) + needs <= cap {
        room = cap;
    } else if needs < cap - room {
        room = cap - needs;
    }
    let shorter = whole_within(text, room, |text| tokens::count(encoding, text)).to_owned();
    // A single long sentence is worth more than a list.
    let body = if shorter.is_empty() { whole } else { shorter };
    let left = cap.saturating_sub(tokens::count(encoding, &body)).saturating_sub(u32::from(!body.is_empty()));
    let also = also(&lost(&body, wanted), left, encoding);
    match (body.is_empty(), also.is_empty()) {
        (_, true) => body,
        (true, false) => also,
        (false, false) => format!("{body}\n{also}"),
    }
}

/// `Also: Noor; 14 June; 3 kg.` in at most `cap` tokens; empty when not even one fits.
fn also(missing: &[&Particular], cap: u32, encoding: TokenEncoding) -> String {
    let mut line = String::new();
    for one in missing.iter().filter(|one| !is_bare_number(one)) {
        let mut longer = if line.is_empty() { ALSO.to_owned() } else { format!("{line}; ") };
        longer.push_str(&one.text);
        // One more for the full stop.
        if tokens::count(encoding, &longer) + 1 > cap {
            continue;
        }
        line = longer;
    }
    if !line.is_empty() {
        line.push('.');
    }
    line
}

/// A number without a unit says nothing where its sentence is gone ("17 of" has none either), nor does a length of time, which
/// "22 h" may be as well as an hour of the day.
fn is_bare_number(one: &Particular) -> bool {
    let words: Vec<String> = keywords::words(&one.text).collect();
    let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit());
    match one.kind {
        ParticularKind::Number => words.iter().all(|word| {
            // "8分"
            let unit = word.trim_start_matches(|c: char| c.is_ascii_digit());
            is_number(word) || keywords::is_stop_word(word) || is_unit_of_time(unit)
        }),
        ParticularKind::Time => {
            words.iter().any(|word| is_unit_of_time(word))
                && words.iter().all(|word| is_number(word) || is_unit_of_time(word))
        }
        ParticularKind::Name | ParticularKind::Date => false,
    }
}

/// An answer without what models put around it.
fn tidy_answer(answer: &str) -> String {
    let text = clean_line(answer);
    let mut lines: Vec<&str> = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with("```") || line.is_empty() || line.starts_with("---") {
            continue;
        }
        let line = line.trim_start_matches(['#', '*', '-', '•']).trim_start();
        lines.extend((!line.is_empty()).then_some(line));
    }
    let text = lines.join("\n");
    let start =
        ["Summary:", "Here is the summary:", "Notes:"].into_iter().find_map(|label| text.strip_prefix(label));
    start.unwrap_or(&text).trim().to_owned()
}

/// Without what cannot be seen, without secrets (they would live on in notes, and go to another model), and without the
/// marks of our own headings.
pub(super) fn clean_line(text: &str) -> String {
    let seen = visible(text);
    redact(&seen).text.replace(LAYER_MARKER, "[").trim().to_owned()
}

fn is_about(answer: &str, lines: &[WordedLine]) -> bool {
    let source: std::collections::HashSet<String> = lines
        .iter()
        .flat_map(|line| stems(&line.prefix).chain(stems(&line.text)).collect::<Vec<_>>())
        .collect();
    let words: Vec<String> = stems(answer).collect();
    let shared = words.iter().filter(|word| source.contains(*word)).count();
    !words.is_empty() && shared * 100 >= words.len() * ABOUT_PERCENT
}

/// The beginnings of longer words, and every character of scripts that write no spaces. Short words are in every text.
fn stems(text: &str) -> impl Iterator<Item = String> + '_ {
    keywords::words(text)
        .filter(|word| word.chars().any(is_unspaced) || word.chars().count() >= 5)
        .map(|word| word.chars().take(5).collect())
}

/// Sentences and lines, without the white space around them.
fn summary_sentences(text: &str) -> Vec<String> {
    let pieces = sentences_of(text).into_iter().flat_map(|sentence| sentence.split('\n'));
    pieces.map(str::trim).filter(|piece| !piece.is_empty()).map(str::to_owned).collect()
}

fn first_words(sentence: &str) -> String {
    let line = one_line(sentence);
    if line.chars().count() <= EXCERPT_CHARS {
        return line;
    }
    let head: String = line.chars().take(EXCERPT_CHARS).collect();
    let end = head.rfind(' ').unwrap_or(head.len());
    format!("{}…", &head[..end])
}

#[cfg(test)]
mod tests;
