//! What is said when a familiar comes up.

use crate::llm::ModelChoice;

/// The lines about the model: which one, from where, and what would get a better one.
#[must_use]
pub fn start_lines(choice: &ModelChoice) -> Vec<String> {
    std::iter::once(format!("Model: {choice}")).chain(choice.advice.clone()).collect()
}
