//! What models were sent and what they answered, folded: the reply's own request, and that of each job around it.
//!
//! Owns how a request is told. Must not know the rest of a turn's page. Start at [`asked_rows`].

use super::messages;
use crate::domain::{ChatMessage, ModelCall, TurnTrace, Usage};
use crate::text::short::{one_line, shortened, thousands};
use crate::trace::render::{as_dollars, call_end};

/// So much of a text stands in a row, in characters.
pub(super) const EXCERPT_CHARS: usize = 160;

/// One message of a request, or an answer.
#[derive(Debug)]
pub(super) struct RequestPart {
    pub number: usize,
    pub role: &'static str,
    pub begins: String,
    pub text: String,
    pub chars: String,
    pub is_open: bool,
    pub is_first_change: bool,
}

impl RequestPart {
    fn of(number: usize, role: &'static str, text: &str) -> Self {
        Self {
            number,
            role,
            begins: shortened(&one_line(text), EXCERPT_CHARS),
            chars: thousands(text.chars().count() as u64),
            text: text.to_owned(),
            is_open: false,
            is_first_change: false,
        }
    }

    fn message((at, message): (usize, &ChatMessage)) -> Self {
        Self::of(at + 1, message.role.as_str(), &message.content)
    }
}

/// What a job around the reply, or behind the scenes, asked and was answered.
#[derive(Debug)]
pub(super) struct AskedRow {
    pub number: usize,
    pub job: String,
    pub model: String,
    /// Tokens, what of them was cached, cost and time, as far as they are known.
    pub figures: String,
    pub end: Option<String>,
    pub has_failed: bool,
    pub is_cut: bool,
    pub asked: Vec<RequestPart>,
    pub answered: Option<RequestPart>,
}

/// Each question of a job, in the order of their answers; what was done behind the scenes comes last.
pub(super) fn asked_rows(trace: &TurnTrace) -> Vec<AskedRow> {
    let around = trace.calls.iter().map(|call| (messages::job_name(call.slot).to_owned(), call));
    let behind = trace.background.iter().flat_map(|run| {
        let job = messages::behind_the_scenes(&run.worker);
        run.calls.iter().map(move |call| (job.clone(), call))
    });
    (1..).zip(around.chain(behind)).filter_map(|(number, (job, call))| asked_row(number, job, call)).collect()
}

/// `None` for a call of the reply's own: its request stands beneath, word for word.
fn asked_row(number: usize, job: String, call: &ModelCall) -> Option<AskedRow> {
    let exchange = call.exchange.as_ref()?;
    let answered = Some(&exchange.answered).filter(|answered| !answered.trim().is_empty());
    Some(AskedRow {
        number,
        job,
        model: call.model.clone(),
        figures: figures(call),
        end: call_end(call),
        has_failed: call.error.is_some(),
        is_cut: exchange.is_cut,
        asked: exchange.asked.iter().enumerate().map(RequestPart::message).collect(),
        answered: answered.map(|answered| RequestPart::of(0, "answer", answered)),
    })
}

fn figures(call: &ModelCall) -> String {
    let usage = call.usage.as_ref();
    let tokens = usage.map(|usage| {
        let (sent, said) = (usage.prompt_tokens.into(), usage.completion_tokens.into());
        messages::tokens_of_call(&thousands(sent), cached_percent(usage), &thousands(said))
    });
    let cost = usage.and_then(|usage| usage.cost_usd).map(as_dollars);
    let time = format!("{} ms", thousands(call.total_ms));
    [tokens, cost, Some(time)].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// How much of what was sent came from a provider's cache.
fn cached_percent(usage: &Usage) -> u64 {
    let percent = u64::from(usage.cached_tokens) * 100;
    percent.checked_div(u64::from(usage.prompt_tokens)).unwrap_or_default()
}

/// The reply's own request.
pub(super) fn request_parts(trace: &TurnTrace) -> Vec<RequestPart> {
    let layout = trace.assembly.as_ref().and_then(|assembly| assembly.layout);
    let change = layout.and_then(|layout| layout.differs_at).map(|(message, _)| message as usize);
    let part = |(at, message)| RequestPart {
        is_first_change: change == Some(at),
        ..RequestPart::message((at, message))
    };
    trace.request.iter().enumerate().map(part).collect()
}
