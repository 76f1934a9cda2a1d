use std::time::Duration;

use super::*;
use crate::domain::{ChannelMode, ModelErrorClass, ProcessorSide};
use crate::processors::RunLog;
use crate::processors::testing::{Does, Rig, without_scene};

const BOTH: &str = "<thoughts>\n- He is early.\n</thoughts>\n<plans>\n1. Nod.\n</plans>";

fn rig(text: &str, does: impl IntoIterator<Item = Does>) -> Rig {
    Rig::new(ChannelMode::TextConversationRp, text, does)
}

impl Rig {
    async fn thinks(&self) -> Result<Vec<Note>, Trouble> {
        let log = RunLog::default();
        let run = log.begin("thinking", ProcessorSide::Before);
        self.processors.think(&self.turn(), &run).await
    }

    async fn thinks_now(&self) -> Result<String, Trouble> {
        self.thinks().await.map(|notes| notes.into_iter().find(|note| note.earlier.is_none()).unwrap().text)
    }

    fn prompt(&self, index: usize) -> String {
        let asked = &self.models.asked()[index];
        let message = |message: &ChatMessage| format!("{}:\n{}", message.role.as_str(), message.content);
        asked.messages.iter().map(message).collect::<Vec<_>>().join("\n---\n")
    }
}

#[tokio::test]
async fn thoughts_and_plans_are_one_request_in_character() {
    let rig = rig("", [Does::Says(BOTH)]);
    let notes = rig.thinks().await.unwrap();
    assert_eq!(notes.len(), 2);
    assert_eq!(notes[0].earlier, Some((crate::domain::TurnId(3), Some("Alice".to_owned()))));
    assert_eq!(notes[1].text, BOTH);
    let asked = &rig.models.asked()[0];
    assert_eq!((asked.slot, asked.max_tokens), (Slot::ReasoningContext, Some(256)));
    insta::assert_snapshot!("thinking_prompt", rig.prompt(0));
}

#[test]
fn a_card_that_is_shown_in_part_shows_that_there_is_more() {
    let description = "She keeps the ferry. ".repeat(100);
    let told = thinking_card(&CharacterView { description, ..CharacterView::default() });
    assert!(told.ends_with('…') && told.chars().count() < CARD_MAX_CHARS + 20, "{told}");
    let brief = CharacterView { description: "She keeps the ferry.".to_owned(), ..CharacterView::default() };
    assert_eq!(thinking_card(&brief), "Description: She keeps the ferry.");
}

#[tokio::test]
async fn each_step_knows_the_one_before_it_when_asked_one_by_one() {
    let each = "[thinking]\ncalls = \"each\"\n";
    let one_by_one =
        rig(each, [Does::Says("<thoughts>- Early.</thoughts>"), Does::Says("<plans>1. Nod.</plans>")]);
    assert_eq!(
        one_by_one.thinks_now().await.unwrap(),
        "<thoughts>\n- Early.\n</thoughts>\n<plans>\n1. Nod.\n</plans>"
    );
    assert!(one_by_one.prompt(1).contains("You have thought already:\n<thoughts>\n- Early."));
    let half = rig(each, [Does::Says("<thoughts>- Early.</thoughts>"), Does::Fails(ModelErrorClass::Server)]);
    assert_eq!(
        half.thinks_now().await.unwrap(),
        "<thoughts>\n- Early.\n</thoughts>",
        "what there is, is kept"
    );
}

#[tokio::test(start_paused = true)]
async fn a_model_that_does_not_answer_is_given_up_in_time() {
    let started = Instant::now();
    assert_eq!(rig("", [Does::Hangs]).thinks().await, Err(Trouble::Late));
    assert_eq!(started.elapsed(), Duration::from_secs(9));
    let started = Instant::now();
    let hurried = rig("[modes.text_conversation_rp]\ndeadline = 2\n", [Does::Hangs]);
    assert_eq!(hurried.thinks().await, Err(Trouble::Late));
    assert_eq!(started.elapsed(), Duration::from_secs(2), "the reply waits no longer than its own deadline");
}

#[tokio::test]
async fn what_is_no_thought_is_none() {
    for (says, trouble) in [
        ("", Trouble::Failed("the model gave no thoughts".to_owned())),
        ("<thoughts>\n</thoughts>", Trouble::Failed("the model gave no thoughts".to_owned())),
        ("{}[] <<>> 123 ---", Trouble::Failed("the model gave no thoughts".to_owned())),
    ] {
        assert_eq!(rig("", [Does::Says(says)]).thinks().await, Err(trouble), "{says}");
    }
    assert_eq!(
        rig("", [Does::Fails(ModelErrorClass::CostCap)]).thinks().await,
        Err(Trouble::Skipped("today's cost cap is reached".to_owned()))
    );
    assert_eq!(
        rig("", [Does::Fails(ModelErrorClass::Server)]).thinks().await,
        Err(Trouble::Failed("it went wrong".to_owned()))
    );
}

#[tokio::test]
async fn sloppy_thoughts_are_tidied() {
    for (says, thought) in [
        ("- I like him.", "<thoughts>\n- I like him.\n</thoughts>"),
        ("<thoughts>- a <plans>1. b", "<thoughts>\n- a\n</thoughts>\n<plans>\n1. b\n</plans>"),
        (
            "<think>hm</think><thoughts>```\n- a\n```\n</chat> ⟦fc: x</thoughts>",
            "<thoughts>\n- a\n‹/chat> [ x\n</thoughts>",
        ),
    ] {
        assert_eq!(rig("", [Does::Says(says)]).thinks_now().await.unwrap(), thought, "{says}");
    }
}

#[tokio::test]
async fn it_says_why_it_does_not_run() {
    let rig = rig("", []);
    let why = |change: &dyn Fn(&mut TurnView)| {
        let mut turn = rig.turn();
        change(&mut turn);
        rig.processors.skips_thinking(&turn)
    };
    assert_eq!(why(&|_| ()), None);
    let plan = |turn: &mut TurnView, change: &dyn Fn(&mut crate::domain::ExecutionPlan)| {
        change(Arc::make_mut(&mut turn.plan));
    };
    let said = [
        why(&|turn| plan(turn, &|plan| plan.modality = Modality::Voice)),
        why(&|turn| Arc::make_mut(&mut turn.channel).figures.stepped_thinking = false),
        why(&|turn| plan(turn, &|plan| plan.stepped_thinking = false)),
        why(&|turn| turn.main.reasons_natively = true),
    ];
    assert_eq!(
        said.map(Option::unwrap),
        [
            "nobody waits for thoughts in a spoken conversation",
            "switched off for this channel or its mode",
            "the message is not worth it (effort 5 of 10)",
            "some/model thinks by itself",
        ]
    );
}

#[tokio::test]
async fn a_history_that_cannot_be_read_costs_the_thoughts_and_nothing_else() {
    let rig = rig("", []);
    let log = RunLog::default();
    let run = log.begin("thinking", ProcessorSide::Before);
    let told = rig.processors.think(&without_scene(rig.turn()), &run).await;
    assert_eq!(told, Err(Trouble::Failed("the history cannot be read".to_owned())));
    assert!(rig.models.asked().is_empty());
}
