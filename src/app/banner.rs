//! What is said when a familiar comes up.

use crate::llm::{ChosenSource, ModelChoice};

/// The lines about the model: which one, from where, and what would get a better one.
#[must_use]
pub fn start_lines(choice: &ModelChoice) -> Vec<String> {
    let mut lines = vec![format!("Model: {choice}")];
    if choice.source == ChosenSource::Rehearsal {
        lines.push("This is a rehearsal, not a language model: it repeats the card's own lines.".to_owned());
    }
    lines.extend(choice.advice.clone());
    lines
}
