//! How much of what was found reaches a prompt, from the easiest question to the hardest (A2).

use std::time::Duration;

use super::tests::{Scene, scene_after};
use super::*;
use crate::context::plan::{Means, plan_for};
use crate::context::recall::{Found, QueryClass, RecallError, RecallQuery, RecallSource};
use crate::domain::{Audience, Category, ChunkFate, ChunkRecord, Effort, Intent, Modality, Visible};

/// Finds that say different things, in so many words each.
const WORDS: usize = 60;

/// There is more of everything than any prompt has room for.
#[derive(Debug)]
struct Plenty;

#[async_trait::async_trait]
impl RecallSource for Plenty {
    fn name(&self) -> &'static str {
        "plenty"
    }

    fn weight(&self, _: QueryClass) -> f32 {
        1.0
    }

    async fn search(&self, query: &RecallQuery, _: &Visible) -> Result<Vec<Found>, RecallError> {
        let one = |number: usize| {
            let words: Vec<String> =
                (0..WORDS).map(|at| format!("w{:x}", number * 7_919 + at * 104_729)).collect();
            let source = format!("plenty {number}");
            Found::known(format!("plenty {number:03}"), words.join(" "), Audience::Canon, source, 0.8)
        };
        Ok((0..query.circumstances.most * 3).map(one).collect())
    }
}

/// A long talk, so that the prompt is full.
async fn talked(turns: usize) -> Scene {
    let earlier: Vec<String> = (0..turns)
        .map(|at| format!("on watch {at} we sailed past buoy {}, and the wind was fresh", at * 7))
        .collect();
    let earlier: Vec<&str> = earlier.iter().map(String::as_str).collect();
    scene_after(&earlier, "what was the name of that boat?", Modality::Text).await
}

/// The pieces of a prompt for a question of this sort, and what it may take.
async fn assembled(scene: &Scene, effort: u8, category: Category) -> Vec<ChunkRecord> {
    let intent = Intent { effort: Effort::new(effort), category, ..scene.request.plan.intent.clone() };
    assembled_for(scene, intent).await
}

/// The same for any judgement.
async fn assembled_for(scene: &Scene, intent: Intent) -> Vec<ChunkRecord> {
    let mut pipeline = ContextPipeline::standard(scene.parts.clone());
    let sources: Vec<Arc<dyn RecallSource>> = vec![Arc::new(Plenty)];
    let recall =
        Arc::new(RecallProvider::new(Recall::over(sources, Duration::from_secs(10)), scene.parts.clone()));
    let providers = pipeline.gatherer.providers().iter().map(|provider| match provider.profile().name {
        "recall" => Arc::<RecallProvider>::clone(&recall) as Arc<dyn ContextProvider>,
        _ => Arc::clone(provider),
    });
    pipeline.gatherer = Gatherer::new(providers.collect());
    pipeline.recall = recall;
    let means = Means::plain(&scene.request.channel, 16_000);
    let plan = Arc::new(plan_for(intent, &means));
    let limit = plan.budget_tokens;
    let request = TurnRequest { plan, ..scene.request.clone() };
    let prompt = pipeline.assemble(&request, None).await.unwrap();
    let figures = prompt.figures();
    assert!(figures.prompt_tokens <= limit, "{} of {limit}", figures.prompt_tokens);
    let asked = scene.request.utterance();
    assert!(prompt.messages().iter().any(|message| message.content.contains(asked)));
    figures.chunks.iter().filter(|chunk| chunk.fate == ChunkFate::Kept).cloned().collect()
}

fn tokens(kept: &[ChunkRecord], of: &str) -> u32 {
    kept.iter().filter(|chunk| chunk.source.starts_with(of)).map(|chunk| chunk.tokens).sum()
}

#[tokio::test]
async fn a2_the_harder_the_question_the_more_of_what_was_found_is_in_the_prompt() {
    let scene = talked(240).await;
    let mut found = Vec::new();
    for (effort, category) in [
        (3, Category::SmallTalk),
        (5, Category::Recall),
        (7, Category::Several),
        (9, Category::Retrospective),
    ] {
        let kept = assembled(&scene, effort, category).await;
        let turns = kept.iter().filter(|chunk| chunk.source.starts_with("history/")).count();
        assert!(turns >= 10, "effort {effort}: the talk itself is still there: {turns} turns");
        found.push(tokens(&kept, "recalled/"));
    }
    assert!(found.is_sorted_by(|less, more| less < more), "{found:?}");
    let [easy, .., hard] = found[..] else { unreachable!() };
    assert!(hard > 2 * easy, "{found:?}");
}

#[tokio::test]
async fn a5_a_question_is_told_as_much_as_there_is_room_for_and_a_remark_one_thing() {
    let scene = talked(240).await;
    let asked = scene.request.plan.intent.clone();
    for (effort, category, room) in
        [(4, Category::SmallTalk, 900), (5, Category::Roleplay, 1_000), (6, Category::Recall, 1_100)]
    {
        let intent = Intent { effort: Effort::new(effort), category, asks: true, ..asked.clone() };
        let told = tokens(&assembled_for(&scene, intent).await, "recalled/");
        // One find more would not have fitted.
        assert!((room - 200..=room).contains(&told), "{category:?}: {told} of {room}");
    }
    for category in [Category::SmallTalk, Category::Roleplay] {
        let remark = Intent { effort: Effort::new(5), category, asks: false, ..asked.clone() };
        let told = assembled_for(&scene, remark).await;
        let finds = told.iter().filter(|chunk| chunk.source.starts_with("recalled/")).count();
        assert_eq!(finds, 1, "{category:?}");
    }
}

#[tokio::test]
async fn a20_a_hard_question_moves_the_conversation_only_for_itself() {
    let mut made_room = 0;
    // Just cut, half full and nearly full again, wherever that is.
    for turns in [240, 265, 290, 315] {
        made_room += one_after_the_other(&talked(turns).await).await;
    }
    assert!(made_room > 0, "nowhere");
}

/// How many turns fewer there are beside a hard question than beside the ordinary ones before and after it.
async fn one_after_the_other(scene: &Scene) -> usize {
    let first = async |effort, category| -> Vec<String> {
        let kept = assembled(scene, effort, category).await;
        let turns = kept.iter().filter(|chunk| chunk.source.starts_with("history/"));
        turns.map(|chunk| chunk.source.clone()).collect()
    };
    let before = first(3, Category::SmallTalk).await;
    let hard = first(9, Category::Retrospective).await;
    assert_eq!(first(5, Category::Recall).await, before, "an ordinary question has all of it again");
    before.len() - hard.len()
}
