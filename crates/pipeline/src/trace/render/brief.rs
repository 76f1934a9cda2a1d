//! The x-ray of a turn on one screen.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Rights, cell, lost, outcome, sections, short, thousands, trigger};
use crate::domain::{AssemblyFigures, ChunkFate, ChunkRecord, ProviderStatus, TurnTrace};
use crate::text::short::{and_more, counted, shortened};

/// So many pieces are named of those that went in, and so many of those that did not.
const KEPT_NAMED: usize = 8;
const DROPPED_NAMED: usize = 5;

/// So many reasons are named for which pieces did not go in.
const REASONS_NAMED: usize = 4;

/// So many remarks are repeated.
const NOTES_NAMED: usize = 2;

/// A line that names a piece is at most so long, in characters.
const LINE_CHARS: usize = 110;

/// What a turn was made of, in at most 40 lines: what came of it, how full each layer is, how many pieces were kept and dropped
/// and why, and the weightiest of both. [`markdown`](super::markdown) has all of it.
pub fn brief(trace: &TurnTrace, reader: Rights) -> String {
    let outcome = cell(&outcome(trace));
    let mut text =
        format!("# Turn {}: {outcome}\n{}\nWhy: {}\n", trace.id, short(trace), cell(trigger(trace)));
    let lost = lost(trace);
    if let Some(assembly) = &trace.assembly {
        assembled(&mut text, assembly);
        if lost.is_none() {
            pieces(&mut text, assembly, reader);
        }
    }
    match (lost, &trace.assembly) {
        (Some(lost), _) => {
            let _ = writeln!(text, "What it was told is not known: {lost}.");
        }
        (None, None) => text.push_str("No model was asked, so nothing was put together.\n"),
        (None, Some(_)) => {}
    }
    let _ = write!(text, "\n/context {} all shows everything, with the request word for word.", trace.id);
    text
}

fn assembled(text: &mut String, assembly: &AssemblyFigures) {
    let _ = writeln!(
        text,
        "Prompt: {} of at most {} tokens",
        thousands(assembly.prompt_tokens.into()),
        thousands(assembly.budget_tokens.into())
    );
    text.push_str("\nLayer, in tokens         sent  offered\n");
    for layer in assembly.layers.iter().filter(|layer| layer.offered > 0) {
        let (kept, offered) = (thousands(layer.kept.into()), thousands(layer.offered.into()));
        let _ = writeln!(text, "  {:<20} {kept:>6} {offered:>8}", layer.layer.as_str());
    }
}

fn pieces(text: &mut String, assembly: &AssemblyFigures, reader: Rights) {
    let readable = assembly.chunks.iter().filter(|chunk| reader.may_read_piece(chunk));
    let (mut kept, mut dropped): (Vec<_>, Vec<_>) = readable.partition(|chunk| chunk.fate == ChunkFate::Kept);
    let _ = writeln!(text, "\nIn the prompt: {}", counted(kept.len() as u64, "piece"));
    // Of what is in by rule nobody asks why; a find is worth what it was found for.
    kept.sort_by(|a, b| (a.importance == 5).cmp(&(b.importance == 5)).then(b.score.total_cmp(&a.score)));
    named(text, &kept, KEPT_NAMED);
    let _ = writeln!(text, "Left out: {}", counted(dropped.len() as u64, "piece"));
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for chunk in &dropped {
        *reasons.entry(sections::render_fate(&chunk.fate)).or_default() += 1;
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, count)| Reverse(*count));
    for (reason, count) in reasons.iter().take(REASONS_NAMED) {
        let _ = writeln!(text, "  {count} because {}", shortened(reason, LINE_CHARS));
    }
    dropped.sort_by(|a, b| b.score.total_cmp(&a.score));
    named(text, &dropped, DROPPED_NAMED);
    let late: Vec<&str> = assembly
        .providers
        .iter()
        .filter(|provider| matches!(provider.status, ProviderStatus::Late | ProviderStatus::Failed { .. }))
        .map(|provider| provider.provider.as_str())
        .collect();
    if !late.is_empty() {
        let _ = writeln!(text, "Too late or failed: {}", shortened(&late.join(", "), LINE_CHARS));
    }
    for note in assembly.notes.iter().take(NOTES_NAMED) {
        let _ = writeln!(text, "Note: {}", shortened(&cell(note), LINE_CHARS));
    }
}

/// The first so many pieces, a line each, and how many more there are.
fn named(text: &mut String, chunks: &[&ChunkRecord], most: usize) {
    for chunk in chunks.iter().take(most) {
        piece_line(text, chunk);
    }
    if let Some(more) = and_more(most, chunks.len()) {
        let _ = writeln!(text, "  {more}");
    }
}

fn piece_line(text: &mut String, chunk: &ChunkRecord) {
    let tokens = format!("{} tokens", thousands(chunk.tokens.into()));
    let what = match (&chunk.fate, &chunk.excerpt) {
        (ChunkFate::Kept, _) => {
            format!("importance {} of 5, score {:.2}, {tokens}", chunk.importance, chunk.score)
        }
        (fate, Some(excerpt)) => format!("{tokens}: {}: {}", sections::render_fate(fate), cell(excerpt)),
        (fate, None) => format!("{tokens}: {}", sections::render_fate(fate)),
    };
    let line = format!("{} ({}), {what}", cell(&chunk.source), chunk.layer.as_str());
    let _ = writeln!(text, "  {}", shortened(&line, LINE_CHARS));
}
