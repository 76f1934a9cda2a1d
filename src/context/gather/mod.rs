//! Gathering: every provider that the plan asks, at the same time, each under its own deadline (specs mechanisms A10,
//! A14, Y1, 4 rows 4, 5, 14).
//!
//! Owns waves, the quorum, and what becomes of answers that come too late. Fails open: a provider that hangs, fails,
//! panics or talks nonsense is left out and named, and the turn goes on with what that one had so far. Must not know what providers do.
//! Start reading at [`Gatherer::gather`].

mod background;
mod sane;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};
use tokio_util::task::AbortOnDropHandle;

use super::active_cache::{ActiveCache, AnswerKey};
use super::confidence::{confidence, missing};
use super::contribution::Contribution;
use super::plan::is_asked;
use super::providers::{ContextProvider, Facet, Kept, Need, ProviderError, SoFar, Wave, only_reminds};
use super::request::TurnRequest;
use crate::domain::{ProviderOutcome, ProviderStatus};
use background::Background;

/// What the providers gave.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    /// In the providers' order, whatever order they were done in.
    pub contributions: Vec<Contribution>,
    /// What of them is true for this turn only.
    pub moment: Vec<Contribution>,
    pub outcomes: Vec<ProviderOutcome>,
    pub notes: Vec<String>,
}

/// Asks the providers of one familiar.
#[derive(Debug)]
pub(super) struct Gatherer {
    providers: Vec<Arc<dyn ContextProvider>>,
    cache: Arc<ActiveCache>,
    background: Background,
}

/// What a provider is asked.
#[derive(Debug, Clone)]
enum Question {
    Everything,
    /// Only about what is still open.
    About(Arc<[Facet]>),
}

/// One provider at work.
#[derive(Debug)]
struct Run {
    provider: Arc<dyn ContextProvider>,
    started: Instant,
    limit: Instant,
    kept: Option<Kept>,
    /// Everything it reads was fetched ahead.
    is_at_hand: bool,
    state: State,
    /// What it had so far when it last said so.
    so_far: Vec<Contribution>,
}

#[derive(Debug)]
enum State {
    Working(AbortOnDropHandle<()>),
    Done(ProviderStatus, Duration, Vec<Contribution>),
}

/// What a provider at work says.
#[derive(Debug)]
enum Said {
    SoFar(Vec<Contribution>),
    Ended(Result<Vec<Contribution>, ProviderError>),
}

type Told = (usize, Said);

impl Gatherer {
    /// Answers that hold are kept in `cache`, which others look into, too.
    pub(super) fn over(providers: Vec<Arc<dyn ContextProvider>>, cache: Arc<ActiveCache>) -> Self {
        Self { providers, cache, background: Background::default() }
    }

    /// Everything the providers have for this turn. Returns when the floor is in and either enough was found, or
    /// everybody is done, or time is up.
    pub(super) async fn gather(&self, request: &Arc<TurnRequest>) -> Gathered {
        let deadline = Instant::now() + request.plan.deadline;
        let asked = |provider: &&Arc<dyn ContextProvider>| {
            provider.wave() != Wave::Second && is_wanted(provider.as_ref(), request)
        };
        let first: Vec<_> = self.providers.iter().filter(asked).cloned().collect();
        let mut runs = self.ask(first, request, &Question::Everything, deadline).await;
        let mut notes = Vec::new();
        let open = missing(found(&runs), &request.facets);
        let is_sure = confidence(found(&runs), &request.facets) >= request.plan.quorum;
        // Talk that only reminds of something leaves no question open.
        let is_asked = !only_reminds(&request.plan, request.utterance());
        if is_asked && !open.is_empty() && !is_sure && Instant::now() < deadline {
            let again: Vec<_> = self
                .providers
                .iter()
                .filter(|provider| provider.wave() != Wave::First && is_wanted(provider.as_ref(), request))
                .cloned()
                .collect();
            if !again.is_empty() {
                let words: Vec<&str> = open.iter().map(Facet::words).collect();
                notes.push(format!("asked again about {}", words.join(", ")));
                let question = Question::About(open.into());
                runs.extend(self.ask(again, request, &question, deadline).await);
            }
        }
        let mut gathered = Gathered { notes, ..Gathered::default() };
        for run in runs {
            let need = run.provider.need();
            let State::Done(status, took, pieces) = run.state else { continue };
            let pieces: Vec<_> = pieces.into_iter().map(|piece| Contribution { need, ..piece }).collect();
            if run.provider.tells_the_moment() {
                gathered.moment.extend(pieces.iter().cloned());
            }
            gathered.contributions.extend(pieces);
            let us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
            gathered.outcomes.push(ProviderOutcome { provider: run.provider.name().to_owned(), us, status });
        }
        gathered.contributions.extend(told(request).cloned());
        gathered
    }

    /// Asks some providers and waits as long as it is worth it.
    async fn ask(
        &self,
        providers: Vec<Arc<dyn ContextProvider>>,
        request: &Arc<TurnRequest>,
        question: &Question,
        deadline: Instant,
    ) -> Vec<Run> {
        let (tell, mut told) = mpsc::channel(providers.len().max(1));
        let mut runs: Vec<Run> = providers
            .into_iter()
            .enumerate()
            .map(|(index, provider)| self.start(index, provider, request, question, deadline, &tell))
            .collect();
        drop(tell);
        loop {
            let working = || runs.iter().filter(|run| matches!(run.state, State::Working(_)));
            let Some(next_limit) = working().map(|run| run.limit).min() else { break };
            let floor_is_in = working().all(|run| run.provider.need() == Need::Search);
            if floor_is_in && confidence(found(&runs), &request.facets) >= request.plan.quorum {
                self.end(&mut runs, |_| true, &ProviderStatus::NotAwaited);
                break;
            }
            tokio::select! {
                biased;
                Some((index, said)) = told.recv() => match said {
                    Said::SoFar(pieces) => runs[index].so_far = pieces,
                    Said::Ended(result) => finish(&mut runs[index], result, request),
                },
                () = sleep_until(next_limit) => {
                    let now = Instant::now();
                    for run in runs.iter().filter(|run| matches!(run.state, State::Working(_)) && run.limit <= now) {
                        tracing::warn!(provider = run.provider.name(), turn = %request.turn, "provider too late");
                    }
                    self.end(&mut runs, |run| run.limit <= now, &ProviderStatus::Late);
                }
            }
        }
        runs
    }

    fn start(
        &self,
        index: usize,
        provider: Arc<dyn ContextProvider>,
        request: &Arc<TurnRequest>,
        question: &Question,
        deadline: Instant,
        tell: &mpsc::Sender<Told>,
    ) -> Run {
        let started = Instant::now();
        // The floor may take as long as the channel allows: a message that is worth little still gets its conversation.
        let most = match provider.need() {
            Need::Floor => started + request.channel.deadline,
            Need::Search => deadline,
        };
        let limit = most.min(started + provider.deadline());
        let kept = match question {
            Question::Everything => kept_of(provider.as_ref(), request),
            Question::About(_) => None,
        };
        let mut is_at_hand = false;
        let state = match self.warm(provider.as_ref(), kept.as_ref(), request) {
            Some(pieces) => {
                let contributions = pieces.len();
                State::Done(
                    ProviderStatus::Cached { contributions },
                    started.elapsed(),
                    pieces.as_ref().clone(),
                )
            }
            None => {
                is_at_hand = matches!(question, Question::Everything) && at_hand(provider.as_ref(), request);
                let told = Some((index, tell.clone()));
                let (provider, request) = (Arc::clone(&provider), Arc::clone(request));
                let work = self.work(provider, request, question.clone(), kept.clone(), told);
                let tell = tell.clone();
                State::Working(AbortOnDropHandle::new(tokio::spawn(async move {
                    // Nobody listens any more when the turn has gone on without it.
                    let _unheard = tell.send((index, Said::Ended(work.await))).await;
                })))
            }
        };
        Run { provider, started, limit, kept, is_at_hand, state, so_far: Vec::new() }
    }

    fn warm(
        &self,
        provider: &dyn ContextProvider,
        kept: Option<&Kept>,
        request: &TurnRequest,
    ) -> Option<Arc<Vec<Contribution>>> {
        let key = AnswerKey::new(provider.name(), kept?, request);
        self.cache.get(&key, &request.place)
    }

    /// The work of one provider: what it says, looked over, kept where it may be; what it has so far is told on the way.
    /// A panic is an error like any other.
    fn work(
        &self,
        provider: Arc<dyn ContextProvider>,
        request: Arc<TurnRequest>,
        question: Question,
        kept: Option<Kept>,
        told: Option<(usize, mpsc::Sender<Told>)>,
    ) -> impl Future<Output = Result<Vec<Contribution>, ProviderError>> + Send + 'static {
        let cache = Arc::clone(&self.cache);
        async move {
            let begun = cache.begin();
            let keep = |kept: &Kept, pieces: &Vec<Contribution>| {
                let key = AnswerKey::new(provider.name(), kept, &request);
                cache.put(begun, key, pieces.clone(), kept.lifetime, provider.need());
            };
            let (tell, mut heard) = mpsc::channel(1);
            let so_far = SoFar::heard_by(tell);
            let open = match &question {
                Question::Everything => None,
                Question::About(open) => Some(open.as_ref()),
            };
            let mut said =
                std::pin::pin!(AssertUnwindSafe(provider.answer(&request, open, &so_far)).catch_unwind());
            let said = loop {
                tokio::select! {
                    biased;
                    said = &mut said => break said,
                    Some(pieces) = heard.recv() => {
                        let pieces = sane::looked_over(provider.name(), pieces);
                        // For the next turn it is an answer beside the whole one, which may never come.
                        if let Some(kept) = &kept {
                            keep(&Kept { key: format!("{} so far", kept.key), ..kept.clone() }, &pieces);
                        }
                        if let Some((index, tell)) = &told {
                            let _unheard = tell.send((*index, Said::SoFar(pieces))).await;
                        }
                    }
                }
            };
            let said = said.unwrap_or_else(|_| Err(ProviderError("it panicked".to_owned())))?;
            let pieces = sane::looked_over(provider.name(), said);
            if let Some(kept) = &kept {
                keep(kept, &pieces);
            }
            Ok(pieces)
        }
    }

    /// Ends the wait for those that are still at work: what they have so far is their answer. Whose whole answer could
    /// be used by the next turn may go on.
    fn end(&self, runs: &mut [Run], which: impl Fn(&Run) -> bool, status: &ProviderStatus) {
        for run in runs.iter_mut().filter(|run| which(run)) {
            if !matches!(run.state, State::Working(_)) {
                continue;
            }
            let pieces = std::mem::take(&mut run.so_far);
            let status = match pieces.len() {
                0 => status.clone(),
                contributions => ProviderStatus::Partly { contributions },
            };
            let done = State::Done(status, run.started.elapsed(), pieces);
            if let (State::Working(work), Some(_)) = (std::mem::replace(&mut run.state, done), &run.kept) {
                self.background.go_on(work);
            }
        }
    }

    /// Asks, ahead of a turn, everybody whose answer would still hold for it (A3).
    pub(super) fn prefetch(&self, request: &Arc<TurnRequest>) {
        for provider in &self.providers {
            let kept = kept_of(provider.as_ref(), request);
            if kept.is_none() || self.warm(provider.as_ref(), kept.as_ref(), request).is_some() {
                continue;
            }
            let work = self.work(Arc::clone(provider), Arc::clone(request), Question::Everything, kept, None);
            self.background.run(async move {
                if let Err(error) = work.await {
                    tracing::debug!(%error, "nothing was fetched ahead");
                }
            });
        }
        let fetches = self.providers.iter().map(|provider| {
            let (provider, request) = (Arc::clone(provider), Arc::clone(request));
            async move {
                let fetched = AssertUnwindSafe(async { provider.fetch(&request).await }).catch_unwind().await;
                if !matches!(fetched, Ok(Ok(()))) {
                    tracing::debug!(provider = provider.name(), ?fetched, "nothing was fetched ahead");
                }
            }
        });
        let fetches: Vec<_> = fetches.collect();
        self.background.run(async move {
            futures::future::join_all(fetches).await;
        });
    }

    #[cfg(test)]
    pub(super) fn providers(&self) -> &[Arc<dyn ContextProvider>] {
        &self.providers
    }

    /// Waits until nothing is worked on behind the turns.
    pub(super) async fn idle(&self) {
        self.background.idle().await;
    }

    /// How many answers are still being worked on behind the turns.
    #[cfg(test)]
    pub(super) fn at_work_behind(&self) -> usize {
        self.background.len()
    }

    pub(super) fn cache(&self) -> &ActiveCache {
        &self.cache
    }

    /// Forgets everything that is warm.
    pub(super) fn forget_all(&self) {
        self.cache.forget_all();
    }

    /// Ends everything that goes on behind turns.
    pub(super) fn close(&self) {
        self.background.close();
    }
}

fn finish(run: &mut Run, result: Result<Vec<Contribution>, ProviderError>, request: &TurnRequest) {
    let took = run.started.elapsed();
    let (status, pieces) = match result {
        Ok(pieces) => {
            let contributions = pieces.len();
            let status = if run.is_at_hand {
                ProviderStatus::Cached { contributions }
            } else {
                ProviderStatus::Ok { contributions }
            };
            (status, pieces)
        }
        Err(error) => {
            tracing::warn!(provider = run.provider.name(), %error, turn = %request.turn, "provider failed");
            (ProviderStatus::Failed { error: error.to_string() }, Vec::new())
        }
    };
    if matches!(run.state, State::Working(_)) {
        run.state = State::Done(status, took, pieces);
    }
}

/// What searches have found so far for this message. What was found for another, or had to make room, is no answer to
/// it: however much of that there is, its own search is waited for.
fn found(runs: &[Run]) -> impl Iterator<Item = &Contribution> + Clone {
    runs.iter().filter(|run| searches(run.provider.as_ref())).flat_map(|run| match &run.state {
        State::Done(_, _, pieces) => pieces.as_slice(),
        State::Working(_) => run.so_far.as_slice(),
    })
}

fn searches(provider: &dyn ContextProvider) -> bool {
    provider.need() == Need::Search && !provider.tells_the_moment()
}

/// What the record of a turn that runs again says about its moment.
fn told(request: &TurnRequest) -> impl Iterator<Item = &Contribution> + Clone {
    request.told.iter().flat_map(|told| told.iter())
}

/// Whether the plan asks a provider, and the turn's record does not answer for it.
fn is_wanted(provider: &dyn ContextProvider, request: &TurnRequest) -> bool {
    let is_told = request.told.is_some() && provider.tells_the_moment();
    !is_told && is_asked(&request.plan, provider.part(), provider.need())
}

/// A provider that panics when asked how long its answer holds is asked every time.
/// A turn that looks at the past takes nothing from today and leaves nothing for it.
fn kept_of(provider: &dyn ContextProvider, request: &TurnRequest) -> Option<Kept> {
    if request.as_of.is_some() {
        return None;
    }
    catch_unwind(AssertUnwindSafe(|| provider.kept(request))).ok().flatten()
}

/// As [`kept_of`]: whoever panics has nothing at hand.
fn at_hand(provider: &dyn ContextProvider, request: &TurnRequest) -> bool {
    request.as_of.is_none()
        && catch_unwind(AssertUnwindSafe(|| provider.is_at_hand(request))).unwrap_or(false)
}

#[cfg(test)]
impl Gatherer {
    pub(super) fn new(providers: Vec<Arc<dyn ContextProvider>>) -> Self {
        Self::over(providers, Arc::default())
    }
}

#[cfg(test)]
mod tests;
