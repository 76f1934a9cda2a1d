//! What is fetched ahead (A3): an answer that would still hold is at hand, and the prompt is the one that it
//! would have been.

use jiff::Timestamp;

use super::tests::{Scene, scene_of};
use super::*;
use crate::domain::{AccountId, MessageId, Modality, ProviderStatus};
use crate::history::NewTurn;

/// Paused time does not go on by itself as long as this lives, because something blocking runs. So nothing that is read is
/// late because the machine is busy: the stores have threads of their own, of which a paused clock knows nothing.
struct Still {
    _until_dropped: std::sync::mpsc::Sender<()>,
}

impl Still {
    fn hold() -> Self {
        let (until_dropped, dropped) = std::sync::mpsc::channel::<()>();
        tokio::task::spawn_blocking(move || dropped.recv().is_ok());
        Self { _until_dropped: until_dropped }
    }
}

/// A pipeline that has fetched for whoever asks, before they ask; with a question as long as it is not stored yet.
async fn expecting(scene: &Scene) -> (ContextPipeline, TurnRequest) {
    let pipeline = ContextPipeline::standard(scene.parts.clone());
    let request = TurnRequest { pending: Vec::new(), ..scene.request.clone() };
    pipeline.prefetch(request.clone());
    pipeline.fetched().await;
    (pipeline, request)
}

async fn ask(scene: &Scene, request: &TurnRequest) -> TurnRequest {
    let turn = NewTurn {
        messages: vec![MessageId::from(21)],
        ..NewTurn::written(
            request.place.clone(),
            Some(Author::called(AccountId::operator(), "Ana")),
            "number 21: the rope is dry",
            Timestamp::from_second(2210).unwrap(),
            request.channel.mode,
        )
    };
    let asked = scene.parts.history.append(turn).await.unwrap();
    TurnRequest { pending: vec![asked], ..request.clone() }
}

/// The providers that did not have to read anything.
fn at_hand(prompt: &Prompt) -> Vec<&str> {
    let outcomes = prompt.figures().providers.iter();
    let cached = outcomes.filter(|outcome| matches!(outcome.status, ProviderStatus::Cached { .. }));
    cached.map(|outcome| outcome.provider.as_str()).collect()
}

fn words(prompt: &Prompt) -> String {
    prompt.messages().iter().map(|message| message.content.as_str()).collect::<Vec<_>>().join("\n")
}

#[tokio::test(start_paused = true)]
async fn a3_who_the_familiar_is_is_at_hand_and_the_prompt_is_the_same() {
    let _still = Still::hold();
    let scene = scene_of("do you remember the storm last winter?", Modality::Text).await;
    let (pipeline, request) = expecting(&scene).await;
    let asked = ask(&scene, &request).await;
    let fetched = pipeline.assemble(&asked, None).await.unwrap();
    assert_eq!(at_hand(&fetched), ["character"]);
    let cold = ContextPipeline::standard(scene.parts.clone());
    let read = cold.assemble(&asked, None).await.unwrap();
    assert_eq!(at_hand(&read), Vec::<&str>::new(), "nothing was fetched for this one");
    assert_eq!(words(&fetched), words(&read));
}

#[tokio::test(start_paused = true)]
async fn a3_a_note_that_was_edited_since_holds_at_once() {
    let _still = Still::hold();
    let scene = scene_of("do you remember the storm last winter?", Modality::Text).await;
    let note = scene.parts.config.home().memory_dir().join("people/terminal-operator.md");
    std::fs::create_dir_all(note.parent().unwrap()).unwrap();
    std::fs::write(&note, "Has a goat called Ida.").unwrap();
    let (pipeline, request) = expecting(&scene).await;
    std::fs::write(&note, "Has a mule called Otto.").unwrap();
    let prompt = pipeline.assemble(&ask(&scene, &request).await, None).await.unwrap();
    let words = words(&prompt);
    assert!(words.contains("Otto") && !words.contains("Ida"), "{words}");
}

#[tokio::test(start_paused = true)]
async fn a3_what_was_fetched_is_dropped_where_something_was_taken_back() {
    let _still = Still::hold();
    let scene = scene_of("do you remember the storm last winter?", Modality::Text).await;
    let (pipeline, request) = expecting(&scene).await;
    pipeline.cool();
    let prompt = pipeline.assemble(&ask(&scene, &request).await, None).await.unwrap();
    assert_eq!(at_hand(&prompt), Vec::<&str>::new());
}
