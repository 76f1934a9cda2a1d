//! What a chunk is screened for, by whose words it holds.

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::context::chunk::Chunk;
use crate::context::contribution::{Importance, Placement, TailPart, Trust};
use crate::domain::LAYER_MARKER;
use crate::llm::ModelDescription;
use crate::text::defuse::defuse;
use crate::text::injection;
use crate::text::remembered::Remembered;
pub(super) use crate::text::screen::LABEL;
use crate::text::secrets;
use crate::text::tokens;
use crate::text::unicode::{visible, without_piles};

/// What the relevance of such a text is multiplied by: it stays findable and gives way to anything else.
const DOUBT: f32 = 0.5;

/// How much of the screen a text gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    /// The program's own words: none.
    Nothing,
    /// The operator's, and what somebody says right now: only what nobody can see is removed.
    Hidden,
    /// What was said in this chat before: secrets too.
    Secrets,
    /// What was looked up, and names and quotes of other people: everything.
    Everything,
}

impl Measure {
    fn of(chunk: &Chunk) -> Self {
        match (chunk.trust, &chunk.turn, chunk.importance) {
            (Trust::Program, ..) => Self::Nothing,
            (Trust::Canon, ..) | (Trust::Chat, Some(_), Importance::Axiom) => Self::Hidden,
            (Trust::Chat, Some(_), _) => Self::Secrets,
            (Trust::Held, ..) | (Trust::Chat, None, _) => Self::Everything,
        }
    }
}

/// Screens one chunk; `Err` is why it is left out.
pub(super) fn screen(chunk: &mut Chunk, model: &ModelDescription) -> Result<(), String> {
    let measure = Measure::of(chunk);
    if measure == Measure::Nothing {
        return Ok(());
    }
    let is_lore = is_lore(chunk);
    let view = measure as u8 * 2 + u8::from(is_lore);
    let looked_at = match SPOTLESS.of(view, &chunk.text) {
        Ok(true) => {
            clean_turn(chunk, model);
            return Ok(());
        }
        Ok(false) => None,
        Err(unknown) => Some(unknown),
    };
    let before = chunk.text.clone();
    clean(&mut chunk.text, measure, &mut chunk.altered);
    clean_turn(chunk, model);
    let remarks = chunk.altered.len();
    let judged = if chunk.text.trim().is_empty() {
        Err("nothing visible in it".to_owned())
    } else {
        match measure {
            Measure::Everything => judge(chunk),
            // An imported book can be poisoned as well. It is the operator's to decide; here it is only said.
            Measure::Hidden if is_lore => {
                remark(chunk);
                Ok(())
            }
            Measure::Nothing | Measure::Hidden | Measure::Secrets => Ok(()),
        }
    };
    if let Some(looked_at) = looked_at {
        let is_as_it_was = chunk.text == before && chunk.altered.len() == remarks;
        // Turns have our own marks taken out of them besides.
        looked_at.is(judged.is_ok() && is_as_it_was && !before.contains(LAYER_MARKER));
    }
    judged?;
    if chunk.text != before {
        chunk.measure(model);
    }
    Ok(())
}

/// Which texts nothing was found in lately, as nearly always; a few prompts' worth.
static SPOTLESS: LazyLock<Remembered<bool>> = LazyLock::new(|| Remembered::new(2_048));

/// How what a turn answers is looked at; no measure has this number.
const PREFIX: u8 = u8::MAX;

fn is_lore(chunk: &Chunk) -> bool {
    matches!(chunk.placement, Placement::LoreBefore | Placement::LoreAfter | Placement::Tail(TailPart::Lore))
}

/// A turn's own marks: our headings cannot be imitated in it, and what it answers is somebody else's words.
fn clean_turn(chunk: &mut Chunk, model: &ModelDescription) {
    let Some(line) = &mut chunk.turn else { return };
    if chunk.text.contains(LAYER_MARKER) {
        chunk.text = chunk.text.replace(LAYER_MARKER, "[");
    }
    if line.prefix.is_empty() {
        return;
    }
    let looked_at = match SPOTLESS.of(PREFIX, &line.prefix) {
        Ok(true) => return,
        Ok(false) => None,
        Err(unknown) => Some(unknown),
    };
    let before = line.prefix.clone();
    clean(&mut line.prefix, Measure::Everything, &mut chunk.altered);
    if !line.prefix.starts_with(LABEL) {
        let verdict = injection::judge(&line.prefix);
        if verdict.is_suspect() {
            note(
                &mut chunk.altered,
                format!("what it answers reads like instructions ({})", verdict.words()),
            );
            line.prefix.insert_str(0, LABEL);
        }
    }
    if let Some(looked_at) = looked_at {
        looked_at.is(line.prefix == before);
    }
    if line.prefix != before {
        // What the old one took is still counted: too much is safe, too little is not.
        chunk.around = chunk.around.saturating_add(tokens::count(model.encoding, &line.prefix));
        chunk.measure(model);
    }
}

fn clean(text: &mut String, measure: Measure, altered: &mut Vec<String>) {
    if let Cow::Owned(seen) = visible(text) {
        let length = |text: &str| text.chars().count();
        let plain = length(&without_piles(text));
        let (marks, hidden) = (length(text).saturating_sub(plain), plain.saturating_sub(length(&seen)));
        *text = seen;
        if hidden > 0 {
            note(altered, format!("{hidden} hidden characters removed"));
        }
        if marks > 0 {
            note(altered, format!("{marks} marks piled on letters removed"));
        }
        if hidden == 0 && marks == 0 {
            note(altered, "line separators made line breaks".to_owned());
        }
    }
    if matches!(measure, Measure::Secrets | Measure::Everything) {
        let secrets::Redacted { text: safe, kinds } = secrets::redact(text);
        if let Cow::Owned(safe) = safe {
            *text = safe;
            note(altered, format!("secrets removed: {}", kinds.join(", ")));
        }
    }
    if measure == Measure::Everything
        && let Cow::Owned(defused) = defuse(text)
    {
        *text = defused;
        note(altered, "mentions, invitations or markers taken apart".to_owned());
    }
}

/// Marks or refuses a text that reads like an instruction. What may never be left out, and a summary, is only marked.
fn judge(chunk: &mut Chunk) -> Result<(), String> {
    let words = chunk.text.strip_prefix(LABEL).unwrap_or(&chunk.text);
    let verdict = injection::judge(words);
    // A summary tells of many turns: who plants something in one of them must not have all of them forgotten.
    let must_stay = chunk.importance == Importance::Axiom || matches!(chunk.placement, Placement::Crystal(_));
    if verdict.is_attack() && !must_stay {
        return Err(format!("reads like planted instructions ({})", verdict.words()));
    }
    if verdict.is_suspect() {
        if chunk.suspicion == 0.0 {
            chunk.relevance *= DOUBT;
        }
        chunk.suspicion = verdict.score;
        if !chunk.text.starts_with(LABEL) {
            chunk.text.insert_str(0, LABEL);
        }
        note(&mut chunk.altered, format!("marked: reads like instructions ({})", verdict.words()));
    }
    Ok(())
}

fn remark(chunk: &mut Chunk) {
    let verdict = injection::judge(&chunk.text);
    if verdict.is_attack() {
        note(&mut chunk.altered, format!("left as it is, but reads like instructions ({})", verdict.words()));
    }
}

fn note(altered: &mut Vec<String>, what: String) {
    if !altered.contains(&what) {
        altered.push(what);
    }
}
