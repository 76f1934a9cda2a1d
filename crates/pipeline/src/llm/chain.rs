//! A slot's chain: its model, then its fallbacks, behind the one [`CompletionModel`] that other rooms see.
//!
//! A failed attempt gives way to the next model only as long as no word was handed out; after that the failure
//! surfaces, because nobody wants two beginnings. Trouble that passes at once (no connection, 5xx before the first
//! byte, a limit that is short or of which nobody says how long it lasts) is retried on the same model: once, a limit some
//! more times where no other model is left. Everything else has it left alone for a while.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::{FutureExt as _, StreamExt as _, stream};
use rand::Rng as _;

use super::attempt::{Attempt, AttemptPatience, AttemptStep};
use super::circuit_breaker::{MayAsk, ModelBreakers, OpenModel, Passes};
use super::decode::Ending;
use super::permits::Permit;
use super::request::{self, body};
use super::sampling::{Takes, ToolForm};
use super::server::{Counted, LIST_PATIENCE, Server, slot_models, slot_settings};
use super::text_tools::TextCalls;
use super::{
    CompletionModel, CompletionRequest, CompletionStream, Delta, ModelDescription, ModelError, ToldRequest,
};
use crate::clock::doubled;
use crate::config::{LlmConfig, SlotConfig};
use crate::domain::{ModelCall, ModelErrorClass, Slot, TurnTrace, Usage};

/// The longest `Retry-After` that is waited for instead of giving way.
const SHORT_WAIT: Duration = Duration::from_secs(5);

/// A limit of which nobody says how long it lasts is waited for so long, then twice as long …
const LIMIT_WAIT: Duration = Duration::from_millis(500);
/// … so many times where no other model is left: some four seconds in all.
const LIMIT_RETRIES: u32 = 3;

/// A retry comes after this many milliseconds, at random so that several turns do not return together.
const JITTER_MS: std::ops::Range<u64> = 50..250;

/// The model of one slot, with its fallbacks.
#[derive(Debug)]
pub(super) struct SlotModel {
    pub(super) server: Arc<Server>,
    pub(super) slot: Slot,
    /// Asked in place of the slot's own, and alone.
    pub(super) other: Option<String>,
}

impl SlotModel {
    /// The slot's settings as they hold for whoever is asked.
    fn settings(&self, settings: &LlmConfig) -> SlotConfig {
        let slot = slot_settings(settings, self.slot);
        match &self.other {
            Some(other) if *other != slot.model => SlotConfig {
                model: other.clone(),
                is_named: true,
                fallbacks: Vec::new(),
                fallbacks_are_named: true,
                // That of the slot's own model says nothing about it.
                context_window: None,
                ..slot
            },
            Some(_) => SlotConfig { fallbacks: Vec::new(), ..slot },
            None => slot,
        }
    }

    /// A request as it would be sent; of its shape only what becomes of tools.
    pub(super) fn told(&self, request: &CompletionRequest) -> ToldRequest {
        let settings = self.server.settings.load();
        let slot = self.settings(&settings);
        let model = self.leading(&slot);
        let told = self.server.takes(&model).with_tools_told(request);
        let dialect = self.server.client.endpoint().dialect();
        let mut parameters = request::parameters(&told, &slot, &model, dialect);
        if told.messages.len() > request.messages.len()
            && let Some(fields) = parameters.as_object_mut()
        {
            fields.insert(
                TurnTrace::TOOLS_IN_WORDS.to_owned(),
                request.tools.iter().map(request::tool).collect(),
            );
        }
        ToldRequest { messages: told.into_owned().messages, parameters }
    }

    /// The model that would be asked first now.
    fn leading(&self, slot: &SlotConfig) -> String {
        slot_models(slot)
            .find(|model| self.server.breakers.may_ask(model) == MayAsk::Yes)
            .unwrap_or(&slot.model)
            .clone()
    }
}

#[async_trait]
impl CompletionModel for SlotModel {
    fn describe(&self) -> ModelDescription {
        let slot = self.settings(&self.server.settings.load());
        self.server.describe(&self.leading(&slot), &slot)
    }

    async fn complete(&self, request: CompletionRequest) -> Result<CompletionStream, ModelError> {
        let request = request.redacted();
        self.server.know_models(LIST_PATIENCE).await;
        let settings = self.server.settings.load_full();
        let slot = self.settings(&settings);
        let allowed = || {
            self.server.ledger.check_cost(settings.daily_cost_cap_usd)?;
            let plan = plan(&self.server.breakers, &slot)?;
            if plan.front().is_some_and(|model| self.server.prices(model).is_none()) {
                self.server.ledger.check_tokens(settings.unpriced_token_cap())?;
            }
            Ok::<_, ModelError>(plan)
        };
        // A refusal need not wait for its turn; what was allowed before a long wait may not be allowed after it.
        allowed()?;
        let permit = self.server.permits.acquire().await;
        let plan = allowed()?;
        let mut run = CompletionRun {
            server: self.server.clone(),
            patience: AttemptPatience {
                first: settings.first_token_timeout,
                between: settings.chunk_timeout,
                whole: settings.answer_timeout,
            },
            slot_config: slot,
            request,
            plan,
            current: None,
            takes: Takes::default(),
            text_calls: None,
            ready: VecDeque::new(),
            counted: Counted::default(),
            retries: 0,
            spoke: false,
            over: false,
            attempts: Vec::new(),
            permit: Some(permit),
        };
        // The caller learns of a failure as an error as long as nothing was handed out.
        let mut opening = Vec::new();
        while let Some(item) = run.next().await {
            match item {
                Err(error) => return Err(error),
                Ok(delta) => {
                    let failed = matches!(delta, Delta::AttemptFailed(_));
                    opening.push(Ok(delta));
                    if !failed {
                        break;
                    }
                }
            }
        }
        let rest = stream::unfold(run, |mut run| async move { run.next().await.map(|item| (item, run)) });
        Ok(stream::iter(opening).chain(rest).boxed())
    }
}

/// The models to ask, in order: those that are free; when none is, the first that may be tried.
fn plan(breakers: &ModelBreakers, slot: &SlotConfig) -> Result<VecDeque<String>, ModelError> {
    let mut free = VecDeque::new();
    let mut trial = None;
    let mut soonest: Option<OpenModel> = None;
    for model in slot_models(slot) {
        match breakers.may_ask(model) {
            MayAsk::Yes if !free.contains(model) => free.push_back(model.clone()),
            MayAsk::Yes => {}
            MayAsk::Trial => {
                trial.get_or_insert_with(|| model.clone());
            }
            MayAsk::No(open) => {
                if soonest.as_ref().is_none_or(|known| open.1.trial_from < known.1.trial_from) {
                    soonest = Some(open);
                }
            }
        }
    }
    if free.is_empty() {
        free.extend(trial);
    }
    match (free.is_empty(), soonest) {
        (true, Some((_, open))) => {
            let words = format!(
                "left alone until {}: {}",
                open.trial_from.strftime("%H:%M:%S UTC"),
                open.why.message
            );
            let retry_after = breakers.until(open.trial_from);
            let (retry_after, key_for) = (Some(retry_after), open.why.key_for);
            Err(ModelError { retry_after, key_for, ..ModelError::new(open.why.class, words) })
        }
        _ => Ok(free),
    }
}

/// A completion under way, over as many attempts as it takes.
struct CompletionRun {
    server: Arc<Server>,
    request: CompletionRequest,
    slot_config: SlotConfig,
    patience: AttemptPatience,
    plan: VecDeque<String>,
    current: Option<Attempt>,
    /// What the current model was taken to take.
    takes: Takes,
    /// Takes calls out of its words, where it is told of tools in words.
    text_calls: Option<TextCalls>,
    /// What is handed out next.
    ready: VecDeque<Delta>,
    /// The request as the current model counts it.
    counted: Counted,
    /// How often the current model was asked again after trouble of the moment.
    retries: u32,
    /// Words were handed out.
    spoke: bool,
    over: bool,
    attempts: Vec<ModelCall>,
    /// Held until the end, so that a stream counts against the limit as long as it runs.
    permit: Option<Permit>,
}

impl CompletionRun {
    async fn next(&mut self) -> Option<Result<Delta, ModelError>> {
        if self.over {
            return None;
        }
        let item = match self.step().await {
            Ok(delta) => Ok(delta),
            Err(mut error) => {
                error.attempts = std::mem::take(&mut self.attempts);
                Err(error)
            }
        };
        if matches!(item, Err(_) | Ok(Delta::Finished(_))) {
            self.over = true;
            self.current = None;
            self.permit = None;
        }
        Some(item)
    }

    async fn step(&mut self) -> Result<Delta, ModelError> {
        loop {
            if let Some(delta) = self.ready.pop_front() {
                self.spoke |= matches!(delta, Delta::Text(_) | Delta::ToolCall(_));
                return Ok(delta);
            }
            let Some(attempt) = &mut self.current else {
                self.start()?;
                continue;
            };
            match attempt.next(self.server.client.endpoint()).await {
                Ok(AttemptStep::Delta(Delta::Text(words))) => {
                    let words = self.text_calls.as_mut().map(|calls| calls.push(&words)).unwrap_or(words);
                    self.ready.extend((!words.is_empty()).then_some(Delta::Text(words)));
                }
                Ok(AttemptStep::Delta(Delta::ThoughtAloud)) => {
                    self.text_calls = self.text_calls.as_ref().map(|_| TextCalls::default());
                    self.ready.push_back(Delta::ThoughtAloud);
                }
                Ok(AttemptStep::Delta(delta)) => self.ready.push_back(delta),
                Ok(AttemptStep::Done(ending)) => {
                    let model = attempt.model().to_owned();
                    if let Some(end) = self.text_calls.take().map(TextCalls::finish) {
                        if end.is_broken || end.call.is_some() {
                            self.server.takes.learn_call(&model, end.is_broken);
                        }
                        self.ready.extend((!end.words.is_empty()).then_some(Delta::Text(end.words)));
                        self.ready.extend(end.call.map(Delta::ToolCall));
                    }
                    let finished = self.finished(&ending);
                    self.ready.push_back(Delta::Finished(finished));
                }
                Err(error) => return self.failed(error).await.map(Delta::AttemptFailed),
            }
        }
    }

    fn start(&mut self) -> Result<(), ModelError> {
        let Some(model) = self.plan.pop_front() else {
            return Err(ModelError::new(ModelErrorClass::BadRequest, "no model is configured"));
        };
        let dialect = self.server.client.endpoint().dialect();
        self.takes = self.server.takes(&model);
        let has_text_tools = self.takes.form() == ToolForm::Text && !self.request.tools.is_empty();
        self.text_calls = has_text_tools.then(TextCalls::default);
        let request = self.takes.shape(&self.request);
        self.counted = self.server.count(&request, &model);
        let plan = self.server.cache_plan(&request, &model, &self.counted);
        let spared = self.server.spares_thoughts(&request, &model, &self.slot_config);
        let slot_config = spared.as_ref().unwrap_or(&self.slot_config);
        let body = body(&request, slot_config, &model, dialect, &plan.marked);
        let (client, time) = (self.server.client.clone(), self.patience.whole);
        let opening = async move { client.open(&body, time).await }.boxed();
        self.current = Some(Attempt::new(opening, self.request.slot, model, plan.figures, self.patience));
        Ok(())
    }

    fn finished(&mut self, ending: &Ending) -> ModelCall {
        let Some(attempt) = self.current.take() else { return ModelCall::new(self.request.slot, "") };
        let report = attempt.report(Some(ending), None);
        let server = &self.server;
        server.breakers.succeeded(attempt.model());
        match &ending.usage {
            Some(usage) => {
                let cost = usage.cost_usd.or_else(|| Some(server.prices(attempt.model())?.cost(usage)));
                server.ledger.record(self.request.slot, usage, cost);
                if usage.cached_tokens > 0 {
                    server.keeping.lock().insert(attempt.model().to_owned());
                }
                // What tools gave is not among what was counted.
                if self.request.rounds.is_empty() {
                    server.ratios.observe(attempt.model(), usage.prompt_tokens, self.counted.text());
                    server.ratios.measure(attempt.model(), usage.prompt_tokens, self.counted.whole());
                }
            }
            None => self.record_unreported(&attempt),
        }
        server.pulse.lock().answered(&report);
        report
    }

    /// What follows a failure: a retry, the next model, or the failure itself.
    async fn failed(&mut self, error: ModelError) -> Result<ModelCall, ModelError> {
        let Some(attempt) = self.current.take() else { return Err(error) };
        let report = attempt.report(None, Some(&error));
        self.attempts.push(report.clone());
        if !self.spoke
            && let Some(refusal) = error.refusal
            && self.server.takes.learn(attempt.model(), self.takes, refusal)
        {
            tracing::info!(model = attempt.model(), ?refusal, "asked again in another shape");
            self.plan.push_front(attempt.model().to_owned());
            return Ok(report);
        }
        if error.class == ModelErrorClass::ContextLength {
            self.learn_window(attempt.model(), &error);
        }
        self.server.pulse.lock().failed(&error);
        if attempt.was_answered() {
            self.record_unreported(&attempt);
        }
        // What was heard of an answer that is paid for is asked for again only where the line failed, not the model.
        let may_retry = !attempt.was_answered() || error.class == ModelErrorClass::BrokeOff;
        if may_retry
            && !self.spoke
            && self.retries < most_retries(&error, self.plan.is_empty())
            && let Some(wait) = wait_before_retry(&error, self.retries)
        {
            self.retries += 1;
            self.plan.push_front(attempt.model().to_owned());
            tokio::time::sleep(wait).await;
            return Ok(report);
        }
        self.server.breakers.failed(attempt.model(), self.request.slot, &error);
        self.retries = 0;
        if self.spoke || self.plan.is_empty() || error.concerns_provider() {
            return Err(error);
        }
        // Whoever asked does not hear of this failure.
        tracing::warn!(model = attempt.model(), class = ?error.class, "another model is asked: {error}");
        Ok(report)
    }

    fn learn_window(&self, model: &str, error: &ModelError) {
        let description = self.server.describe(model, &self.slot_config);
        let reply = self.request.max_tokens.unwrap_or_default();
        let sent = description.scale(self.counted.whole()).saturating_add(reply);
        self.server.windows.refused(model, description.context_window, sent, error.window);
    }

    /// An answer without usage still cost something: the ledger gets our own count of it.
    fn record_unreported(&self, attempt: &Attempt) {
        let description = self.server.describe(attempt.model(), &self.slot_config);
        let usage = Usage {
            prompt_tokens: description.scale(self.counted.text()),
            completion_tokens: u32::try_from(attempt.characters().div_ceil(4)).unwrap_or(u32::MAX),
            ..Usage::default()
        };
        let cost = self.server.prices(attempt.model()).map(|prices| prices.cost(&usage));
        self.server.ledger.record(self.request.slot, &usage, cost);
    }
}

impl Drop for CompletionRun {
    /// Cancelled: what was read and generated until then was charged for all the same, also where nothing had come yet.
    fn drop(&mut self) {
        if let Some(attempt) = self.current.take() {
            self.record_unreported(&attempt);
        }
    }
}

/// Whether the model is asked too often and nobody says for how long.
fn is_unnamed_limit(error: &ModelError) -> bool {
    error.class == ModelErrorClass::RateLimited && error.retry_after.is_none()
}

/// How often the same model is asked again: where it is the last, a limit gets the time that such limits take.
fn most_retries(error: &ModelError, is_last: bool) -> u32 {
    if is_last && is_unnamed_limit(error) { LIMIT_RETRIES } else { 1 }
}

/// How long to wait before asking the same model again, after so many retries; `None` where that would not help.
fn wait_before_retry(error: &ModelError, retries: u32) -> Option<Duration> {
    // What a server complains of in the middle of an answer may last.
    let is_brief = match error.class {
        ModelErrorClass::Server => error.status.is_some(),
        _ => error.passes() == Passes::Soon,
    };
    let wait = if is_unnamed_limit(error) {
        doubled(LIMIT_WAIT, retries + 1, SHORT_WAIT)
    } else {
        error.retry_after.unwrap_or_default()
    };
    let jitter = Duration::from_millis(rand::rng().random_range(JITTER_MS));
    (is_brief && wait <= SHORT_WAIT).then(|| wait + jitter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_without_a_time_is_tried_again_after_pauses_that_grow_and_oftener_where_no_other_model_is_left()
    {
        let limit = ModelError::new(ModelErrorClass::RateLimited, "slow down");
        let waits = [0, 1, 2].map(|retries| wait_before_retry(&limit, retries).unwrap().as_millis() / 500);
        assert_eq!(waits, [1, 2, 4]);
        assert_eq!((most_retries(&limit, true), most_retries(&limit, false)), (3, 1));
        let named = ModelError { retry_after: Some(Duration::from_secs(90)), ..limit };
        assert_eq!((wait_before_retry(&named, 0), most_retries(&named, true)), (None, 1));
        let server = ModelError { status: Some(500), ..ModelError::new(ModelErrorClass::Server, "boom") };
        assert!(wait_before_retry(&server, 0).is_some());
        assert_eq!(most_retries(&server, true), 1);
    }
}
