//! Screening: what must not reach a prompt is taken out, and everything that passes has been looked at (A16).
//!
//! In this order: the audience gate, hidden characters, secrets, what means something to Discord. Fails closed. Nobody's
//! own message is blocked or reworded, and nothing is left out for what it says: who may instruct is decided by where a
//! text stands. Start reading at [`screen`].

use std::borrow::Cow;
use std::sync::LazyLock;

use super::chunk::{Chunk, Chunks};
use super::contribution::{Importance, Trust};
use crate::domain::{Audience, ChunkFate, ChunkRecord, LAYER_MARKER, Place};
use crate::history::Visible;
use crate::llm::ModelDescription;
use crate::text::defuse::defuse;
use crate::text::remembered::Remembered;
use crate::text::unicode::{visible, without_piles};
use crate::text::{secrets, tokens};

/// Chunks that passed the audience gate and were screened. Only these can be budgeted.
#[derive(Debug, Clone)]
pub struct Screened {
    pub(super) chunks: Vec<Chunk>,
    pub(super) records: Vec<ChunkRecord>,
    /// Screened like the others, but cut off at ingest: for the spillover only.
    pub(super) clipped: Vec<Chunk>,
}

impl Screened {
    /// The same without some pieces: what was screened can only become less. `out` says, by a piece's number and itself,
    /// why it goes.
    pub(super) fn without(self, mut out: impl FnMut(usize, &Chunk) -> Option<ChunkFate>) -> Self {
        let Self { chunks, mut records, clipped } = self;
        let mut kept = Vec::with_capacity(chunks.len());
        for (at, chunk) in chunks.into_iter().enumerate() {
            match out(at, &chunk) {
                Some(fate) => records.push(chunk.record(fate)),
                None => kept.push(chunk),
            }
        }
        Self { chunks: kept, records, clipped }
    }
}

/// Passes chunks that may be used in `place`, screened.
pub fn screen(ingested: Chunks, place: &Place) -> Screened {
    let Chunks { chunks, dropped: mut records, clipped, model, .. } = ingested;
    let visible = Visible::at(place);
    let mut pass = |mut chunk: Chunk| {
        if !visible.includes(&chunk.audience) {
            let audience = chunk.audience.clone();
            records.push(chunk.record(ChunkFate::NotForHere { audience }));
            return None;
        }
        match clean(&mut chunk, &model) {
            Ok(()) => Some(chunk),
            Err(reason) => {
                records.push(chunk.record(ChunkFate::Screened { reason }));
                None
            }
        }
    };
    let chunks = chunks.into_iter().filter_map(&mut pass).collect();
    let clipped: Vec<Chunk> = clipped.into_iter().filter_map(&mut pass).collect();
    records.extend(clipped.iter().map(|chunk| chunk.record(ChunkFate::Clipped)));
    Screened { chunks, records, clipped }
}

/// Whether something learnt before `audience` may be said in `place`: the rule of [`Visible::at`].
pub fn may_be_used(audience: &Audience, place: &Place) -> bool {
    Visible::at(place).includes(audience)
}

/// How much of the screen a text gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ScreenMeasure {
    /// The program's own words: none.
    Nothing,
    /// The operator's, and what somebody says right now: only what nobody can see is removed.
    Hidden,
    /// What was said in this chat before: secrets too.
    Secrets,
    /// What was looked up, and names and quotes of other people: everything.
    Everything,
}

impl ScreenMeasure {
    fn of(chunk: &Chunk) -> Self {
        match (chunk.trust, &chunk.turn, chunk.importance) {
            (Trust::Program, ..) => Self::Nothing,
            (Trust::Canon, ..) | (Trust::Chat, Some(_), Importance::Axiom) => Self::Hidden,
            (Trust::Chat, Some(_), _) => Self::Secrets,
            (Trust::Held, ..) | (Trust::Chat, None, _) => Self::Everything,
        }
    }
}

/// Screens one chunk; `Err` is why it is left out: nothing of it is left.
fn clean(chunk: &mut Chunk, model: &ModelDescription) -> Result<(), String> {
    let measure = ScreenMeasure::of(chunk);
    if measure == ScreenMeasure::Nothing {
        return Ok(());
    }
    let mut is_changed = clean_once(&mut chunk.piece.text, measure as u8, measure, &mut chunk.altered);
    if chunk.turn.is_some() && chunk.text.contains(LAYER_MARKER) {
        // Our headings cannot be imitated in a turn.
        chunk.piece.text = chunk.piece.text.replace(LAYER_MARKER, "[");
        is_changed = true;
    }
    clean_prefix(chunk, model);
    if chunk.text.trim().is_empty() {
        return Err("nothing visible in it".to_owned());
    }
    if is_changed {
        chunk.measure(model);
    }
    Ok(())
}

/// Which texts nothing was found in lately, as nearly always; a few prompts' worth.
static SPOTLESS: LazyLock<Remembered<bool>> = LazyLock::new(|| Remembered::new(4_096));

/// How what a turn answers is looked at; no measure has this number.
const PREFIX: u8 = u8::MAX;

/// What a turn answers is somebody else's words.
fn clean_prefix(chunk: &mut Chunk, model: &ModelDescription) {
    let Some(line) = chunk.piece.turn.as_mut().filter(|line| !line.prefix.is_empty()) else { return };
    if clean_once(&mut line.prefix, PREFIX, ScreenMeasure::Everything, &mut chunk.altered) {
        // What the old one took is still counted: too much is safe, too little is not.
        chunk.around = chunk.around.saturating_add(tokens::count(model.encoding, &line.prefix));
        chunk.measure(model);
    }
}

/// Cleans a text that is not known to be spotless, looked at as `kind` says; whether anything changed.
fn clean_once(text: &mut String, kind: u8, measure: ScreenMeasure, altered: &mut Vec<String>) -> bool {
    let looked_at = match SPOTLESS.of(kind, text) {
        Ok(true) => return false,
        Ok(false) => None,
        Err(unknown) => Some(unknown),
    };
    let before = text.clone();
    clean_text(text, measure, altered);
    let is_changed = *text != before;
    if let Some(looked_at) = looked_at {
        // Turns have our own marks taken out of them besides.
        looked_at.is(!is_changed && !text.trim().is_empty() && !text.contains(LAYER_MARKER));
    }
    is_changed
}

fn clean_text(text: &mut String, measure: ScreenMeasure, altered: &mut Vec<String>) {
    if let Cow::Owned(seen) = visible(text) {
        let length = |text: &str| text.chars().count();
        let plain = length(&without_piles(text));
        let (marks, hidden) = (length(text).saturating_sub(plain), plain.saturating_sub(length(&seen)));
        *text = seen;
        if hidden > 0 {
            note_altered(altered, format!("{hidden} hidden characters removed"));
        }
        if marks > 0 {
            note_altered(altered, format!("{marks} marks piled on letters removed"));
        }
        if hidden == 0 && marks == 0 {
            note_altered(altered, "line separators made line breaks".to_owned());
        }
    }
    if matches!(measure, ScreenMeasure::Secrets | ScreenMeasure::Everything) {
        let secrets::Redacted { text: safe, kinds } = secrets::redact(text);
        if let Cow::Owned(safe) = safe {
            *text = safe;
            note_altered(altered, format!("secrets removed: {}", kinds.join(", ")));
        }
    }
    if measure == ScreenMeasure::Everything
        && let Cow::Owned(defused) = defuse(text)
    {
        *text = defused;
        note_altered(altered, "mentions, invitations or markers taken apart".to_owned());
    }
}

fn note_altered(altered: &mut Vec<String>, what: String) {
    if !altered.contains(&what) {
        altered.push(what);
    }
}

#[cfg(test)]
mod tests;
