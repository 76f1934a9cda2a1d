//! One question to a side model, answered whole: how everything but the reply itself asks (thinking, recast, looks at finds,
//! summaries, digests, memories).
//!
//! Owns the deadline and the bound of an answer. Must not know what is asked. Start reading at [`ask_side`].

use std::sync::Arc;

use futures::StreamExt as _;
use tokio::time::{Instant, timeout_at};

use super::{CompletionRequest, Delta, ModelError, SharedModel, strip_hidden};
use crate::clock::whole_millis;
use crate::domain::{Exchange, FinishReason, ModelCall, ModelErrorClass};

/// Longest answer that is listened to, in bytes per token asked for. Nobody writes longer tokens than this; a server
/// that ignores its limit is hung up on.
const BYTES_PER_TOKEN: usize = 16;

/// A side model may think aloud whatever it was told; its own thinking is nobody's.
const THOUGHTS: &[&str] = &["think", "thinking", "reasoning"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideAnswer {
    /// Without what it thought aloud.
    pub text: String,
    /// It ran into its token limit.
    pub is_cut_short: bool,
    /// The model that answered in the end.
    pub model: Option<String>,
}

/// Asks, and listens to the end, until `deadline`. Every call that was made is told to `called`, whatever comes of it; the
/// last of them with what was asked and answered. Dropping the future hangs up.
pub async fn ask_side(
    model: &SharedModel,
    request: CompletionRequest,
    deadline: Instant,
    mut called: impl FnMut(ModelCall),
) -> Result<SideAnswer, ModelError> {
    let most = usize::try_from(request.max_tokens.unwrap_or(u32::MAX)).unwrap_or(usize::MAX);
    let most = most.saturating_mul(BYTES_PER_TOKEN);
    let (slot, mut exchange) = (request.slot, Exchange::asks(&request.messages));
    let whole = async {
        let mut stream = model.complete(request).await?;
        let mut answer = SideAnswer { text: String::new(), is_cut_short: false, model: None };
        while let Some(delta) = stream.next().await {
            match delta? {
                Delta::Text(words) => answer.text.push_str(&words),
                Delta::ThoughtAloud => answer.text.clear(),
                Delta::Reasoning(_) | Delta::ToolCall(_) => {}
                Delta::AttemptFailed(report) => called(report),
                Delta::Finished(mut report) => {
                    answer.is_cut_short |= report.finish == Some(FinishReason::Length);
                    answer.model = report.error.is_none().then(|| report.model.clone());
                    exchange.hears(&strip_hidden(&answer.text, THOUGHTS));
                    report.exchange = Some(Arc::new(std::mem::take(&mut exchange)));
                    called(report);
                    break;
                }
            }
            if answer.text.len() > most {
                answer.is_cut_short = true;
                break;
            }
        }
        Ok::<_, ModelError>(answer)
    };
    let asked = Instant::now();
    let Ok(answer) = timeout_at(deadline, whole).await else {
        let late = format!("no answer in {} s", deadline.duration_since(asked).as_secs());
        // Whose trouble it is, whoever asked says.
        called(ModelCall {
            total_ms: whole_millis(asked.elapsed()),
            finish: Some(FinishReason::Other("no answer in time".to_owned())),
            exchange: Some(Arc::new(exchange)),
            ..ModelCall::new(slot, model.describe().model)
        });
        return Err(ModelError::new(ModelErrorClass::Timeout, late));
    };
    match answer {
        Ok(answer) => Ok(SideAnswer { text: strip_hidden(&answer.text, THOUGHTS), ..answer }),
        Err(mut error) => {
            if let Some(last) = error.attempts.last_mut() {
                last.exchange = Some(Arc::new(exchange));
            }
            error.attempts.drain(..).for_each(called);
            Err(error)
        }
    }
}
