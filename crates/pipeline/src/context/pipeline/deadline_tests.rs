//! Paused time: whatever hangs, the pipeline is back when its deadline says so.

use std::time::Duration;

use tokio::time::{advance, pause, resume};

use super::tests::{Scene, scene_of};
use super::*;
use crate::context::contribution::Need;
use crate::context::providers::{AnswerReuse, ContextAsk, Pieces, Profile};
use crate::domain::{Modality, ProviderStatus};

/// Tokio's timers tick in whole milliseconds; issue 3 allows five.
pub(super) const TICK: Duration = Duration::from_millis(5);

/// Messages of these efforts, by the words that are judged so.
const MESSAGES: [(&str, u8, u8); 4] = [
    ("hi", 1, 1),
    ("it rains again and my boots are old", 2, 4),
    ("do you remember the storm last winter?", 5, 6),
    ("tell me everything about everything we did this year, look back on all of it and plan the next", 8, 10),
];

/// What a provider said when it was asked for real: database threads know nothing of paused time.
#[derive(Debug)]
pub(super) struct Canned {
    pub(super) instead_of: Arc<dyn ContextProvider>,
    /// `None` hangs for ever.
    pub(super) says: Option<Vec<Contribution>>,
}

#[async_trait::async_trait]
impl ContextProvider for Canned {
    fn profile(&self) -> Profile {
        self.instead_of.profile()
    }

    fn kept(&self, _: &TurnRequest) -> Option<AnswerReuse> {
        None
    }

    async fn contribute(&self, _: &TurnRequest, ask: &ContextAsk<'_>) -> Pieces {
        match &self.says {
            Some(pieces) if ask.open.is_none() => Ok(pieces.clone()),
            Some(_) => Ok(Vec::new()),
            None => std::future::pending().await,
        }
    }
}

/// The program's pipeline with every answer at hand, and one provider that hangs.
async fn hanging(scene: &Scene, name: &str) -> ContextPipeline {
    let mut pipeline = ContextPipeline::standard(scene.parts.clone());
    let mut providers: Vec<Arc<dyn ContextProvider>> = Vec::new();
    for provider in pipeline.gatherer.providers() {
        let is_hanging = provider.profile().name == name;
        let says = if is_hanging {
            None
        } else {
            Some(provider.contribute(&scene.request, &ContextAsk::everything()).await.unwrap())
        };
        providers.push(Arc::new(Canned { instead_of: Arc::clone(provider), says }));
    }
    pipeline.gatherer = Gatherer::new(providers);
    pipeline
}

#[tokio::test]
async fn a10_the_prompt_is_there_at_the_deadline_whichever_provider_hangs() {
    for modality in [Modality::Text, Modality::Voice] {
        for (words, least, most) in MESSAGES {
            let scene = scene_of(words, modality).await;
            let (plan, channel) = (Arc::clone(&scene.request.plan), Arc::clone(&scene.request.channel));
            let effort = plan.intent.effort.level();
            let is_capped = plan.notes.iter().any(|note| note.contains("counts as"));
            assert!((least..=most).contains(&effort) || is_capped, "{words:?} is of effort {effort}");
            let whole = ContextPipeline::standard(scene.parts.clone());
            for provider in whole.gatherer.providers() {
                let name = provider.profile().name;
                let pipeline = hanging(&scene, name).await;
                let of_kind = match provider.profile().need {
                    Need::Floor => channel.figures.deadline,
                    Need::Search => plan.deadline,
                };
                let limit = of_kind.min(provider.profile().deadline);
                pause();
                let started = Instant::now();
                let prompt = pipeline.assemble(&scene.request, None).await.unwrap();
                let took = started.elapsed();
                resume();
                let told = format!("{name}, {modality:?}, effort {effort}: {took:?} of {limit:?}");
                let outcome = prompt.figures().providers.iter().find(|outcome| outcome.provider == name);
                match outcome.map(|outcome| &outcome.status) {
                    // A search that answers twice may be waited for twice, but never beyond the plan's deadline.
                    Some(ProviderStatus::Late) => {
                        let most = if provider.profile().looks_again { plan.deadline } else { limit };
                        assert!(took >= limit.min(plan.deadline) && took <= most + TICK, "{told}");
                    }
                    Some(ProviderStatus::NotAwaited) | None => assert!(took <= TICK, "{told}"),
                    status => panic!("{told}: {status:?}"),
                }
                let sent: String = prompt.messages().iter().map(|message| message.content.as_str()).collect();
                assert!(sent.contains(words), "{told}: the question itself");
            }
        }
    }
}

/// A search that finds what was asked for, now or after a while.
#[derive(Debug)]
struct Search {
    name: &'static str,
    after: Duration,
}

#[async_trait::async_trait]
impl ContextProvider for Search {
    fn profile(&self) -> Profile {
        Profile::search(self.name, 10_000)
    }

    fn kept(&self, _: &TurnRequest) -> Option<AnswerReuse> {
        Some(AnswerReuse { lifetime: crate::context::Lifetime::Memory, key: "the same".to_owned() })
    }

    async fn contribute(&self, request: &TurnRequest, _: &ContextAsk<'_>) -> Pieces {
        tokio::time::sleep(self.after).await;
        let found = Contribution::looked_up(
            format!("{}/1", self.name),
            crate::context::contribution::TailPart::Recalled,
            request.place.audience.clone(),
            "the storm last winter took the mast",
        );
        Ok(vec![found])
    }
}

#[tokio::test]
async fn a10_contradiction_14_enough_ends_the_wait_and_what_comes_late_is_there_for_the_next_turn() {
    for modality in [Modality::Text, Modality::Voice] {
        let scene = scene_of("do you remember the storm last winter?", modality).await;
        let slow = Duration::from_millis(2_000);
        let mut pipeline = ContextPipeline::standard(scene.parts.clone());
        pipeline.gatherer = Gatherer::new(vec![
            Arc::new(Search { name: "quick", after: Duration::from_millis(3) }),
            Arc::new(Search { name: "slow", after: slow }),
        ]);
        let status = |prompt: &Prompt, name: &str| {
            prompt.figures().providers.iter().find(|outcome| outcome.provider == name).unwrap().status.clone()
        };
        pause();
        let started = Instant::now();
        let first = pipeline.assemble(&scene.request, None).await.unwrap();
        assert!(started.elapsed() <= Duration::from_millis(3) + TICK, "{:?}", started.elapsed());
        assert_eq!(status(&first, "slow"), ProviderStatus::NotAwaited);
        advance(slow).await;
        while pipeline.gatherer.at_work_behind() > 0 {
            tokio::task::yield_now().await;
        }
        let started = Instant::now();
        let next = pipeline.assemble(&scene.request, None).await.unwrap();
        resume();
        assert!(started.elapsed() <= TICK, "{:?}", started.elapsed());
        assert_eq!(status(&next, "slow"), ProviderStatus::Cached { contributions: 1 });
    }
}
