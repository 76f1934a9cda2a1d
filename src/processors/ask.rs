//! Asking a side model and collecting what it says.

use futures::StreamExt as _;

use super::log::Running;
use super::seam::Trouble;
use super::tags::strip_hidden;
use crate::domain::{FinishReason, ModelErrorClass};
use crate::llm::{CompletionRequest, Delta, ModelDescription, ModelError, SharedModel};

/// Longest answer that is listened to, in bytes per token asked for. Nobody writes longer tokens than this; a server
/// that ignores its limit is hung up on.
const BYTES_PER_TOKEN: usize = 16;

/// What a side model said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    pub text: String,
    /// It ran into its token limit.
    pub is_cut_short: bool,
}

/// Whether side jobs can be done at all.
pub(super) fn unusable(model: &ModelDescription) -> Option<String> {
    model.is_rehearsal().then(|| "there is no language model for it".to_owned())
}

/// Asks, and listens to the end. Dropping the future hangs up.
pub(super) async fn ask(
    model: &SharedModel,
    request: CompletionRequest,
    run: &Running,
) -> Result<Answer, Trouble> {
    let most = usize::try_from(request.max_tokens.unwrap_or(u32::MAX)).unwrap_or(usize::MAX);
    let most = most.saturating_mul(BYTES_PER_TOKEN);
    run.calling();
    let mut stream = match model.complete(request).await {
        Ok(stream) => stream,
        Err(error) => return Err(trouble(error, run)),
    };
    let mut answer = Answer { text: String::new(), is_cut_short: false };
    while let Some(delta) = stream.next().await {
        match delta {
            Ok(Delta::Text(words)) => answer.text.push_str(&words),
            Ok(Delta::ThoughtAloud) => answer.text.clear(),
            Ok(Delta::Reasoning(_) | Delta::ToolCall(_)) => {}
            Ok(Delta::AttemptFailed(report)) => run.called(report),
            Ok(Delta::Finished(report)) => {
                answer.is_cut_short |= report.finish == Some(FinishReason::Length);
                run.called(report);
                break;
            }
            Err(error) => return Err(trouble(error, run)),
        }
        if answer.text.len() > most {
            answer.is_cut_short = true;
            break;
        }
    }
    // A side model may think aloud too; its own thinking is nobody's.
    answer.text = strip_hidden(&answer.text, &["think", "thinking", "reasoning"]);
    Ok(answer)
}

fn trouble(error: ModelError, run: &Running) -> Trouble {
    for attempt in error.attempts {
        run.called(attempt);
    }
    match error.class {
        ModelErrorClass::CostCap => Trouble::Skipped("today's cost cap is reached".to_owned()),
        ModelErrorClass::RateLimited => Trouble::Skipped("the provider wants fewer requests".to_owned()),
        ModelErrorClass::Timeout => Trouble::Late,
        _ => Trouble::Failed(error.message),
    }
}
