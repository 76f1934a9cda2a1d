//! What is of importance 5 is in every prompt, through all stages: doubles, screening, left-out layers, what was needed, the
//! budget (A17: never evicted).

use async_trait::async_trait;
use proptest::prelude::*;

use super::tests::{Scene, scene_of};
use super::*;
use crate::context::contribution::{Importance, Need, Placement, Quoted, TailPart, Trust};
use crate::context::providers::{ContextAsk, ContextProvider, Pieces, Profile};
use crate::domain::{ChunkFate, ExecutionPlan, Modality};

/// Says what a test made up.
#[derive(Debug)]
struct MadeUp {
    pieces: Vec<Contribution>,
    need: Need,
}

#[async_trait]
impl ContextProvider for MadeUp {
    fn profile(&self) -> Profile {
        match self.need {
            Need::Floor => Profile::floor("made up", 5_000),
            Need::Search => Profile::search("made up search", 5_000),
        }
    }

    async fn contribute(&self, _: &TurnRequest, _: &ContextAsk<'_>) -> Pieces {
        Ok(self.pieces.clone())
    }
}

/// A piece by its number: words that are its own, and some that all of them share, so that there are doubles.
fn piece() -> impl Strategy<Value = (bool, u8, usize, usize, bool)> {
    (prop::bool::weighted(0.3), 1..5_u8, 0..4_usize, 1..60_usize, any::<bool>())
}

fn made(
    number: usize,
    (is_floor, importance, place, words, is_double): (bool, u8, usize, usize, bool),
) -> Contribution {
    let own = if is_double { "everybody".to_owned() } else { format!("mark{number}x") };
    let text = format!("{own} {}", "the rope lies on the quay and dries ".repeat(words));
    let (placement, trust) = match place {
        0 => (Placement::Tail(TailPart::Recalled), Trust::Held),
        1 => (Placement::Tail(TailPart::People), Trust::Held),
        2 => (Placement::Tail(TailPart::Facts), Trust::Program),
        _ => (Placement::Mode, Trust::Canon),
    };
    let importance = match (is_floor, importance) {
        (true, _) => Importance::Axiom,
        (false, 1) => Importance::Low,
        (false, 2) => Importance::Useful,
        (false, 3) => Importance::Normal,
        (false, _) => Importance::High,
    };
    Contribution {
        importance,
        relevance: 0.5,
        quoted: (trust == Trust::Held).then(Quoted::default),
        ..Contribution::anywhere(format!("made up/{number:02}"), Layer::Content, placement, trust, text)
    }
}

/// Assembles with these pieces; nothing where they are too much for the model, which is the only way to lose one.
async fn assembled(scene: &Scene, pieces: Vec<Contribution>, needs: &[Need]) -> Option<Prompt> {
    let mut pipeline = ContextPipeline::standard(scene.parts.clone());
    let mut providers: Vec<Arc<dyn ContextProvider>> = pipeline.gatherer.providers().to_vec();
    for need in needs {
        let of_need = pieces.iter().zip(needs.iter().cycle()).filter(|(_, one)| *one == need);
        let pieces = of_need.map(|(piece, _)| piece.clone()).collect();
        providers.push(Arc::new(MadeUp { pieces, need: *need }));
    }
    pipeline.gatherer = Gatherer::new(providers);
    pipeline.assemble(&scene.request, None).await.ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a17_importance_five_is_in_the_prompt_whatever_else_is_offered(
        specs in prop::collection::vec(piece(), 1..24),
        found_tokens in prop_oneof![Just(0_u32), 100..4_000_u32],
        budget in 600..9_000_u32,
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async move {
            let mut scene = scene_of("do you remember the storm last winter?", Modality::Text).await;
            let plan = ExecutionPlan { found_tokens, budget_tokens: budget, ..scene.request.plan.as_ref().clone() };
            scene.request.plan = Arc::new(plan);
            let pieces: Vec<Contribution> =
                specs.iter().enumerate().map(|(number, spec)| made(number, *spec)).collect();
            let Some(prompt) = assembled(&scene, pieces.clone(), &[Need::Floor, Need::Search]).await else {
                return;
            };
            let sent: String =
                prompt.messages().iter().map(|message| format!("{}\n", message.content)).collect();
            for piece in pieces.iter().filter(|piece| piece.importance == Importance::Axiom) {
                let own = piece.text.split_whitespace().next().unwrap();
                assert!(sent.contains(own), "{} is lost: {:#?}", piece.source, prompt.figures().chunks);
            }
            for chunk in prompt.figures().chunks.iter().filter(|chunk| chunk.importance == 5) {
                let is_there = matches!(chunk.fate, ChunkFate::Kept | ChunkFate::Duplicate);
                assert!(is_there, "{chunk:?}");
            }
        });
    }
}
