//! Gathering: every provider that the plan asks, at the same time, under one deadline and each under its own
//! (A10, A14, Y1, contradictions 4, 5 and 14).
//!
//! Owns the early exit when enough was found, the second look for what is still open, and what becomes of answers that
//! come too late. Fails open: a provider that hangs, fails, panics or talks nonsense is left out and named, and the turn
//! goes on with what that one had so far. Must not know what providers do. Start reading at [`Gatherer::gather`].

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::{AbortOnDropHandle, TaskTracker};

use super::contribution::{Contribution, Facet, Need};
use super::plan::is_asked;
use super::providers::{AnswerReuse, ContextAsk, ContextProvider, Profile, ProviderError, only_reminds};
use super::request::TurnRequest;
use super::warm::{WarmCache, WarmKey};
use crate::clock::whole_micros;
use crate::domain::{ProviderOutcome, ProviderStatus};
use crate::text::names::names_whole_word;

/// Only the best finds count towards the quorum: many weak ones are no answer.
const TOP: usize = 3;

/// Goes on behind the turns at once: answers that came too late for one, and answers fetched ahead for the next. What
/// comes when all places are taken is given up: it would only have been of use a little later.
const BACKGROUND_MAX: usize = 32;

/// Longer than this nothing goes on behind a turn; the next one asks anew.
const GRACE: Duration = Duration::from_secs(30);

/// Pieces of one provider, more than a prompt could ever hold; one piece, in bytes, larger than the largest window; and
/// the longest token, in bytes, but of runs of the same sign, which are counted then.
const PIECES_MAX: usize = 4096;
const PIECE_BYTES_MAX: usize = 4 * 1024 * 1024;
const TOKEN_BYTES_MAX: u32 = 64;

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
    cache: Arc<WarmCache>,
    background: TaskTracker,
    closing: CancellationToken,
}

#[derive(Debug)]
struct ProviderAtWork {
    profile: Profile,
    started: Instant,
    limit: Instant,
    progress: Arc<ProviderProgress>,
    /// The task, and whether its answer is of use to the next turn, too.
    work: Option<(AbortOnDropHandle<()>, bool)>,
}

/// What a provider said by now, and once it is done, how that ended and how long it took.
type SaidByNow = (Vec<Contribution>, Option<(ProviderStatus, Duration)>);

/// What a provider said by now; told whenever it changes.
#[derive(Debug)]
struct ProviderProgress {
    pieces: Mutex<SaidByNow>,
    changed: Arc<Notify>,
}

impl ProviderProgress {
    fn so_far(&self, pieces: Vec<Contribution>) {
        self.pieces.lock().0 = pieces;
        self.changed.notify_one();
    }

    fn end(&self, pieces: Vec<Contribution>, status: ProviderStatus, took: Duration) {
        *self.pieces.lock() = (pieces, Some((status, took)));
        self.changed.notify_one();
    }

    fn has_ended(&self) -> bool {
        self.pieces.lock().1.is_some()
    }
}

impl Gatherer {
    /// Answers that hold are kept in `cache`, which others look into, too.
    pub(super) fn over(providers: Vec<Arc<dyn ContextProvider>>, cache: Arc<WarmCache>) -> Self {
        Self { providers, cache, background: TaskTracker::new(), closing: CancellationToken::new() }
    }

    /// Everything the providers have for this turn. Returns when the floor is in and either enough was found, or
    /// everybody is done, or time is up.
    pub(super) async fn gather(&self, request: &Arc<TurnRequest>) -> Gathered {
        let deadline = Instant::now() + request.plan.deadline;
        let mut asked = self.ask(request, None, deadline).await;
        let mut notes = Vec::new();
        let found = found(&asked);
        let open = missing_facets(&found, &request.facets);
        let is_sure = confidence(&found, &request.facets) >= request.plan.quorum;
        // Talk that only reminds of something leaves no question open.
        let is_question = !only_reminds(&request.plan, request.utterance());
        if is_question && !open.is_empty() && !is_sure && Instant::now() < deadline {
            let words: Vec<&str> = open.iter().map(Facet::words).collect();
            let note = format!("asked again about {}", words.join(", "));
            let again = self.ask(request, Some(open.into()), deadline).await;
            notes.extend((!again.is_empty()).then_some(note));
            asked.extend(again);
        }
        let mut gathered = Gathered { notes, ..Gathered::default() };
        for ProviderAtWork { profile, progress, .. } in asked {
            let (pieces, Some((status, took))) = std::mem::take(&mut *progress.pieces.lock()) else {
                continue;
            };
            let pieces: Vec<_> =
                pieces.into_iter().map(|piece| Contribution { need: profile.need, ..piece }).collect();
            if profile.tells_the_moment {
                gathered.moment.extend(pieces.iter().cloned());
            }
            gathered.contributions.extend(pieces);
            let us = whole_micros(took);
            gathered.outcomes.push(ProviderOutcome { provider: profile.name.to_owned(), us, status });
        }
        // What the record of a turn that runs again says about its moment.
        gathered.contributions.extend(request.told.iter().flat_map(|told| told.iter()).cloned());
        gathered
    }

    /// Asks the providers about everything, or some of them about what is still open, and waits as long as it is worth
    /// it.
    async fn ask(
        &self,
        request: &Arc<TurnRequest>,
        open: Option<Arc<[Facet]>>,
        deadline: Instant,
    ) -> Vec<ProviderAtWork> {
        let changed = Arc::new(Notify::new());
        let mut asked: Vec<ProviderAtWork> = self
            .providers
            .iter()
            .map(|provider| (provider, provider.profile()))
            .filter(|(_, profile)| is_wanted(profile, request) && (open.is_none() || profile.looks_again))
            .map(|(provider, profile)| {
                self.start(provider, profile, request, open.clone(), deadline, &changed)
            })
            .collect();
        loop {
            let at_work: Vec<&ProviderAtWork> =
                asked.iter().filter(|one| !one.progress.has_ended()).collect();
            let Some(next_limit) = at_work.iter().map(|one| one.limit).min() else { break };
            let floor_is_in = at_work.iter().all(|one| one.profile.need == Need::Search);
            if floor_is_in && confidence(&found(&asked), &request.facets) >= request.plan.quorum {
                self.end(&mut asked, |_| true, &ProviderStatus::NotAwaited);
                break;
            }
            tokio::select! {
                biased;
                () = changed.notified() => {}
                () = sleep_until(next_limit) => {
                    let now = Instant::now();
                    self.end(&mut asked, |one| one.limit <= now, &ProviderStatus::Late);
                }
            }
        }
        asked
    }

    fn start(
        &self,
        provider: &Arc<dyn ContextProvider>,
        profile: Profile,
        request: &Arc<TurnRequest>,
        open: Option<Arc<[Facet]>>,
        deadline: Instant,
        changed: &Arc<Notify>,
    ) -> ProviderAtWork {
        let started = Instant::now();
        // The floor may take as long as the channel allows: a message that is worth little still gets its conversation.
        let most = match profile.need {
            Need::Floor => started + request.channel.figures.deadline,
            Need::Search => deadline,
        };
        let limit = most.min(started + profile.deadline);
        let kept = if open.is_none() { kept_of(provider.as_ref(), request) } else { None };
        let progress = Arc::new(ProviderProgress { pieces: Mutex::default(), changed: Arc::clone(changed) });
        let work = match self.warm(&profile, kept.as_ref(), request) {
            Some(pieces) => {
                let status = ProviderStatus::Cached { contributions: pieces.len() };
                progress.end(pieces.as_ref().clone(), status, started.elapsed());
                None
            }
            None => {
                let is_kept = kept.is_some();
                let mut work =
                    Box::pin(self.work(provider, request, open, kept, Some(Arc::clone(&progress))));
                // Who waits for nothing is done when asked; a task of its own could only come to run too late.
                let is_done = profile.at_hand && work.as_mut().now_or_never().is_some();
                (!is_done).then(|| (AbortOnDropHandle::new(tokio::spawn(work)), is_kept))
            }
        };
        ProviderAtWork { profile, started, limit, progress, work }
    }

    fn warm(
        &self,
        profile: &Profile,
        kept: Option<&AnswerReuse>,
        request: &TurnRequest,
    ) -> Option<Arc<Vec<Contribution>>> {
        self.cache.get(WarmKey::new(profile.name, kept?.key.as_str(), request), &request.place)
    }

    /// The work of one provider: what it says, looked over, kept where it may be; what it has so far is told on the way.
    /// A panic is an error like any other.
    fn work(
        &self,
        provider: &Arc<dyn ContextProvider>,
        request: &Arc<TurnRequest>,
        open: Option<Arc<[Facet]>>,
        kept: Option<AnswerReuse>,
        progress: Option<Arc<ProviderProgress>>,
    ) -> impl Future<Output = ()> + Send + 'static {
        let (cache, provider, request) = (Arc::clone(&self.cache), Arc::clone(provider), Arc::clone(request));
        async move {
            let (started, begun, profile) = (Instant::now(), cache.begin(), provider.profile());
            let keep = |behind: &str, pieces: &Vec<Contribution>| {
                if let Some(kept) = &kept {
                    let key = WarmKey::new(profile.name, format!("{}{behind}", kept.key), &request);
                    cache.put(begun, key, pieces.clone(), kept.lifetime, profile.need);
                }
            };
            let so_far = |pieces: Vec<Contribution>| {
                let pieces = looked_over(profile.name, pieces);
                // For the next turn it is an answer beside the whole one, which may never come.
                keep(" so far", &pieces);
                if let Some(progress) = &progress {
                    progress.so_far(pieces);
                }
            };
            let ask = ContextAsk { open: open.as_deref(), so_far: Some(&so_far) };
            let said = AssertUnwindSafe(provider.contribute(&request, &ask)).catch_unwind().await;
            let (pieces, status) = match said.unwrap_or_else(|_| Err(ProviderError("it panicked".to_owned())))
            {
                Ok(said) => {
                    let pieces = looked_over(profile.name, said);
                    keep("", &pieces);
                    let contributions = pieces.len();
                    (pieces, ProviderStatus::Ok { contributions })
                }
                Err(error) => {
                    tracing::warn!(provider = profile.name, %error, turn = %request.turn, "provider failed");
                    (Vec::new(), ProviderStatus::Failed { error: error.to_string() })
                }
            };
            if let Some(progress) = &progress {
                progress.end(pieces, status, started.elapsed());
            }
        }
    }

    /// Ends the wait for those that are still at work: what they have so far is their answer. Whose whole answer could
    /// be used by the next turn may go on.
    fn end(
        &self,
        asked: &mut [ProviderAtWork],
        which: impl Fn(&ProviderAtWork) -> bool,
        status: &ProviderStatus,
    ) {
        for one in asked.iter_mut().filter(|one| which(one) && !one.progress.has_ended()) {
            if *status == ProviderStatus::Late {
                tracing::debug!(provider = one.profile.name, "provider too late");
            }
            let pieces = std::mem::take(&mut one.progress.pieces.lock().0);
            let status = match pieces.len() {
                0 => status.clone(),
                contributions => ProviderStatus::Partly { contributions },
            };
            let ended =
                ProviderProgress { pieces: Mutex::default(), changed: Arc::clone(&one.progress.changed) };
            ended.end(pieces, status, one.started.elapsed());
            // What it says from now on is for the next turn.
            one.progress = Arc::new(ended);
            if let Some((work, true)) = one.work.take() {
                self.go_on(async move {
                    let _ended = work.await;
                });
            }
        }
    }

    /// Asks, ahead of a turn, everybody whose answer would still hold for it; and those who read much, whose answer is let go:
    /// what they read is in the memory of the stores by then (A3).
    pub(super) fn prefetch(&self, request: &Arc<TurnRequest>) {
        let mut reads = Vec::new();
        for provider in &self.providers {
            let profile = provider.profile();
            let kept = kept_of(provider.as_ref(), request);
            if kept.is_some() && self.warm(&profile, kept.as_ref(), request).is_none() {
                self.go_on(self.work(provider, request, None, kept, None));
            } else if kept.is_none() && profile.reads_ahead {
                reads.push(self.work(provider, request, None, None, None));
            }
        }
        self.go_on(futures::future::join_all(reads).map(drop));
    }

    /// Lets something go on behind the turns, if there is room.
    fn go_on(&self, work: impl Future<Output = ()> + Send + 'static) {
        if self.closing.is_cancelled() || self.background.len() >= BACKGROUND_MAX {
            return;
        }
        let closing = self.closing.clone();
        self.background.spawn(async move {
            tokio::select! {
                () = closing.cancelled() => {}
                _ended = timeout(GRACE, work) => {}
            }
        });
    }

    /// Waits until nothing is worked on behind the turns.
    pub(super) async fn idle(&self) {
        self.background.close();
        self.background.wait().await;
        self.background.reopen();
    }

    /// Ends everything that goes on behind turns.
    pub(super) fn close(&self) {
        self.closing.cancel();
    }

    #[cfg(test)]
    pub(super) fn new(providers: Vec<Arc<dyn ContextProvider>>) -> Self {
        Self::over(providers, Arc::default())
    }

    #[cfg(test)]
    pub(super) fn providers(&self) -> &[Arc<dyn ContextProvider>] {
        &self.providers
    }

    /// How many answers are still being worked on behind the turns.
    #[cfg(test)]
    pub(super) fn at_work_behind(&self) -> usize {
        self.background.len()
    }
}

impl Drop for Gatherer {
    fn drop(&mut self) {
        self.closing.cancel();
    }
}

/// What searches have found so far for this message. What was found for another, or had to make room, is no answer to
/// it: however much of that there is, its own search is waited for.
fn found(asked: &[ProviderAtWork]) -> Vec<Contribution> {
    let searches = |one: &&ProviderAtWork| one.profile.need == Need::Search && !one.profile.tells_the_moment;
    asked.iter().filter(searches).flat_map(|one| one.progress.pieces.lock().0.clone()).collect()
}

/// Whether the plan asks a provider, and the turn's record does not answer for it.
fn is_wanted(profile: &Profile, request: &TurnRequest) -> bool {
    let is_told = request.told.is_some() && profile.tells_the_moment;
    !is_told && is_asked(&request.plan, profile)
}

/// A provider that panics when asked how long its answer holds is asked every time.
/// A turn that looks at the past takes nothing from today and leaves nothing for it.
fn kept_of(provider: &dyn ContextProvider, request: &TurnRequest) -> Option<AnswerReuse> {
    if request.as_of.is_some() {
        return None;
    }
    catch_unwind(AssertUnwindSafe(|| provider.kept(request))).ok().flatten()
}

/// Whether enough was found, 0 to 1: the sum of the three highest relevances, saturating at 1; weighed in half by the
/// share of the facets that something found speaks about. Without facets the finds alone decide. An exchange of several
/// lines is one find.
fn confidence(found: &[Contribution], facets: &[Facet]) -> f32 {
    let mut groups = HashSet::new();
    let mut scores: Vec<f32> = found
        .iter()
        .filter(|piece| piece.group.as_deref().is_none_or(|group| groups.insert(group)))
        .map(|piece| piece.relevance)
        .collect();
    scores.sort_by(|a, b| b.total_cmp(a));
    let sum: f32 = scores.iter().take(TOP).sum();
    let open = missing_facets(found, facets).len();
    #[expect(clippy::cast_precision_loss, reason = "a handful of facets")]
    let coverage = if facets.is_empty() { 1.0 } else { (facets.len() - open) as f32 / facets.len() as f32 };
    sum.min(1.0) * f32::midpoint(1.0, coverage)
}

/// The facets that nothing found speaks about.
fn missing_facets(found: &[Contribution], facets: &[Facet]) -> Vec<Facet> {
    let is_open = |facet: &&Facet| !found.iter().any(|piece| speaks_about(piece, facet));
    facets.iter().filter(is_open).cloned().collect()
}

fn speaks_about(piece: &Contribution, facet: &Facet) -> bool {
    let quoted = piece.quoted.as_ref();
    let beside = match facet {
        // What is dated was looked for by its date.
        Facet::Time(_) => quoted.is_some_and(|quoted| quoted.at.is_some()),
        Facet::Name(name) => {
            let author = quoted.and_then(|quoted| quoted.author.as_deref());
            author.is_some_and(|author| names_whole_word(author, name))
        }
        Facet::Relation(_) => false,
    };
    beside || names_whole_word(&piece.text, facet.words())
}

/// The pieces that make sense: not empty, not endless, with a relevance that is a number from 0 to 1. Nonsense does not
/// get further than this.
fn looked_over(provider: &str, mut pieces: Vec<Contribution>) -> Vec<Contribution> {
    let before = pieces.len();
    pieces.retain(|piece| !piece.text.trim().is_empty() && piece.text.len() <= PIECE_BYTES_MAX);
    pieces.truncate(PIECES_MAX);
    if pieces.len() < before {
        let dropped = before - pieces.len();
        tracing::warn!(provider, dropped, "pieces that are empty or too many were dropped");
    }
    for piece in &mut pieces {
        // A count that cannot be right is made anew: one that is too high costs its place, one that is too low the others'.
        let bytes = u32::try_from(piece.text.len()).unwrap_or(u32::MAX);
        let plausible = (bytes / TOKEN_BYTES_MAX).max(1)..=bytes;
        piece.tokens = piece.tokens.filter(|tokens| plausible.contains(tokens));
        piece.relevance = if piece.relevance.is_nan() { 0.0 } else { piece.relevance.clamp(0.0, 1.0) };
    }
    pieces
}

#[cfg(test)]
mod tests;
