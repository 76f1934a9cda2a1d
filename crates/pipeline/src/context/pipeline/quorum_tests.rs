//! Paused time: the searches of one question, of which some are slow. The pipeline is the program's own, but for what its
//! sources do and when.

use std::time::Duration;

use tokio::time::{advance, pause, resume, sleep};

use super::deadline_tests::{Canned, TICK};
use super::tests::{Scene, scene_of};
use super::*;
use crate::context::providers::ContextAsk;
use crate::context::recall::GraphSource;
use crate::context::recall::{
    Circumstances, ConversationSource, Found, NotesSource, QueryClass, RecallError, RecallQuery, RecallSource,
};
use crate::domain::{Modality, ProviderStatus, Visible};

const QUESTION: &str = "do you remember where the spare rope lies?";

/// What nobody waits for nowadays.
const LONG: Duration = Duration::from_millis(1_500);

/// Stands where another source stood and finds what that one found, which was asked when time did not stand still.
#[derive(Debug)]
struct Timed {
    instead_of: Arc<dyn RecallSource>,
    found: Vec<Found>,
    after: Option<Duration>,
}

#[async_trait::async_trait]
impl RecallSource for Timed {
    fn name(&self) -> &'static str {
        self.instead_of.name()
    }

    fn weight(&self, class: QueryClass) -> f32 {
        self.instead_of.weight(class)
    }

    fn takes(&self, query: &RecallQuery) -> bool {
        self.instead_of.takes(query)
    }

    async fn search(&self, _: &RecallQuery, _: &Visible) -> Result<Vec<Found>, RecallError> {
        match self.after {
            Some(after) => sleep(after).await,
            None => std::future::pending().await,
        }
        Ok(self.found.clone())
    }
}

/// The program's pipeline, and the turn it is asked about.
struct Rig {
    pipeline: ContextPipeline,
    scene: Scene,
}

impl Rig {
    /// Of the sources those that `slow` names take so long; `lines` stand in a note.
    async fn new(modality: Modality, lines: &[&str], slow: impl Fn(&str) -> Option<Duration> + Send) -> Self {
        let scene = scene_of(QUESTION, modality).await;
        let topics = scene.parts.config.home().memory_dir().join("topics");
        std::fs::create_dir_all(&topics).unwrap();
        let note: String = lines.iter().map(|line| format!("- {line} <!-- to=canon -->\n")).collect();
        std::fs::write(topics.join("ropes.md"), note).unwrap();
        let PipelineParts { history, memory, .. } = scene.parts.clone();
        let graph = Arc::new(Graph::over(Arc::clone(&history), Arc::clone(&memory)));
        let shipped: Vec<Arc<dyn RecallSource>> = vec![
            Arc::new(ConversationSource::new(Arc::clone(&history), None)),
            Arc::new(NotesSource { memory: Arc::clone(&memory) }),
            Arc::new(GraphSource { graph }),
        ];
        let request = &scene.request;
        let visible = request.visible();
        let circumstances = Circumstances {
            answered: request.pending.iter().map(|turn| turn.id).collect(),
            ..Circumstances::alone(request.now, 5)
        };
        let query = RecallQuery::new(QUESTION, circumstances);
        let mut sources: Vec<Arc<dyn RecallSource>> = Vec::new();
        for instead_of in shipped {
            let found = instead_of.search(&query, &visible).await.unwrap();
            let after = slow(instead_of.name());
            sources.push(Arc::new(Timed { instead_of, found, after }));
        }
        let recall = Arc::new(RecallProvider::new(
            Recall::over(sources, Duration::from_secs(10)),
            scene.parts.clone(),
        ));
        let mut pipeline = ContextPipeline::standard(scene.parts.clone());
        let cache: Arc<WarmCache> = Arc::default();
        let mut providers: Vec<Arc<dyn ContextProvider>> = Vec::new();
        for provider in pipeline.gatherer.providers() {
            providers.push(match provider.profile().name {
                "recall" => Arc::<RecallProvider>::clone(&recall),
                "warm" => Arc::new(WarmProvider { cache: Arc::clone(&cache) }),
                _ => {
                    let says =
                        Some(provider.contribute(&scene.request, &ContextAsk::everything()).await.unwrap());
                    Arc::new(Canned { instead_of: Arc::clone(provider), says })
                }
            });
        }
        pipeline.gatherer = Gatherer::over(providers, cache);
        pipeline.recall = recall;
        Self { pipeline, scene }
    }

    async fn assemble(&self) -> (Duration, Prompt) {
        let started = Instant::now();
        let prompt = self.pipeline.assemble(&self.scene.request, None).await.unwrap();
        (started.elapsed(), prompt)
    }
}

fn at_once_but(slow: &'static str, after: Option<Duration>) -> impl Fn(&str) -> Option<Duration> + Send {
    move |name| if name == slow { after } else { Some(Duration::from_millis(2)) }
}

fn sent(prompt: &Prompt) -> String {
    prompt.messages().iter().map(|message| message.content.as_str()).collect()
}

fn status(prompt: &Prompt) -> ProviderStatus {
    let outcomes = &prompt.figures().providers;
    outcomes.iter().find(|outcome| outcome.provider == "recall").unwrap().status.clone()
}

/// The sources that were not waited for.
fn left_out(prompt: &Prompt) -> Vec<&str> {
    let searches = prompt.figures().searches.iter();
    let mut names: Vec<&str> = searches
        .filter(|search| search.problem.as_deref() == Some("not waited for"))
        .map(|search| search.source.as_str())
        .collect();
    names.dedup();
    names
}

const ONE: [&str; 1] = ["The spare rope is blue and sixty feet long."];
const SURE: [&str; 3] = [
    "The spare rope lies under the bench; remember to look there first.",
    "Remember: the spare rope lies dry.",
    "Somebody lies about the spare rope, remember?",
];

#[tokio::test]
async fn a10_contradiction_14_what_the_others_found_is_in_the_prompt_when_one_search_hangs() {
    for modality in [Modality::Text, Modality::Voice] {
        let rig = Rig::new(modality, &ONE, at_once_but("history", None)).await;
        pause();
        let (took, prompt) = rig.assemble().await;
        resume();
        let limit = rig.scene.request.plan.deadline.min(Duration::from_millis(500));
        assert!(
            took >= limit && took <= limit + TICK,
            "{modality:?}: not sure enough to end before: {took:?}"
        );
        assert!(sent(&prompt).contains("sixty feet long"), "{modality:?}: {}", sent(&prompt));
        assert!(matches!(status(&prompt), ProviderStatus::Partly { contributions: 1.. }), "{modality:?}");
        assert_eq!(left_out(&prompt), ["history"], "{modality:?}");
        let notes = prompt.figures().searches.iter().find(|search| search.source == "notes").unwrap();
        assert!(notes.hits > 0 && notes.problem.is_none(), "{notes:?}");
    }
}

#[tokio::test]
async fn a10_contradiction_14_what_is_sure_enough_ends_the_wait_for_a_slow_search() {
    for modality in [Modality::Text, Modality::Voice] {
        let rig = Rig::new(modality, &SURE, at_once_but("history", Some(LONG))).await;
        pause();
        let (took, prompt) = rig.assemble().await;
        resume();
        let limit = rig.scene.request.plan.deadline.min(Duration::from_millis(500));
        let settled = Duration::from_millis(60).min(rig.scene.request.plan.deadline / 4);
        assert!(took <= settled + TICK && settled * 3 < limit, "{modality:?}: {took:?} of {limit:?}");
        assert!(sent(&prompt).contains("under the bench"), "{modality:?}: {}", sent(&prompt));
        assert_eq!(left_out(&prompt), ["history"], "{modality:?}");
    }
}

#[tokio::test]
async fn a10_all_are_waited_for_a_moment_however_much_the_first_has_found() {
    for order in [[5, 40], [40, 5]] {
        let [history, others] = order.map(Duration::from_millis);
        let slow = move |name: &str| Some(if name == "history" { history } else { others });
        let rig = Rig::new(Modality::Text, &SURE, slow).await;
        pause();
        let (took, prompt) = rig.assemble().await;
        resume();
        assert!(took <= Duration::from_millis(40) + TICK, "{took:?}");
        assert!(matches!(status(&prompt), ProviderStatus::Ok { .. }), "{:?}", status(&prompt));
        let figures = prompt.figures();
        let found: Vec<&str> = figures
            .chunks
            .iter()
            .map(|chunk| chunk.source.as_str())
            .filter(|source| source.starts_with("recalled/"))
            .collect();
        // The same finds in the same order, whoever was first.
        insta::allow_duplicates! { insta::assert_debug_snapshot!(found) };
        assert!(left_out(&prompt).is_empty());
    }
}

#[tokio::test]
async fn a10_what_comes_too_late_is_in_the_next_prompt() {
    for modality in [Modality::Text, Modality::Voice] {
        // One never comes: what is late must not wait for it.
        let slow = |name: &str| match name {
            "history" => None,
            "notes" => Some(LONG),
            _ => Some(Duration::from_millis(2)),
        };
        let mut rig = Rig::new(modality, &SURE, slow).await;
        pause();
        let (_, first) = rig.assemble().await;
        assert!(!sent(&first).contains("under the bench"), "{modality:?}");
        assert_eq!(left_out(&first), ["history", "notes"], "{modality:?}");
        advance(LONG).await;
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        let question = rig.scene.request.pending.last_mut().unwrap();
        question.content = "and what of the spare rope under the bench?".to_owned();
        let (_, next) = rig.assemble().await;
        resume();
        assert!(sent(&next).contains("under the bench; remember"), "{modality:?}: {}", sent(&next));
        let warm = next.figures().chunks.iter().find(|chunk| chunk.source.starts_with("warm/recalled/"));
        assert!(warm.is_some(), "{modality:?}: {:?}", next.figures().chunks);
    }
}
