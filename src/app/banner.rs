//! What is said when a familiar comes up.

use crate::llm::{ModelChoice, ModelSlots};

/// The lines about the model: which one, from where, and what would get a better one.
#[must_use]
pub fn start_lines(choice: &ModelChoice) -> Vec<String> {
    std::iter::once(format!("Model: {choice}")).chain(choice.advice.clone()).collect()
}

/// The line about a model server of this machine that is not there.
pub async fn model_away(models: &ModelSlots) -> Option<String> {
    let base_url = models.choice().base_url?;
    models.is_away().await.then(|| {
        format!(
            "No model server answers at {base_url}: start it. Until then nothing that is said is answered."
        )
    })
}
