//! Replies that go on in the form of the prompt, run past their own end, or go round in circles.

use familiar_connect::domain::ProcessorStatus;

use crate::support::provider::{ProviderWorld, Reply};
use crate::support::stage::{CARD, Stage, ferry};

#[tokio::test]
async fn the_form_of_the_prompt_reaches_nobody_and_nobody_is_spoken_for() {
    let mut stage = Stage::new().await;
    stage.says("ben", "evening").await;
    stage.next_request().await.reply("Hm?");
    for (written, said) in [
        ("[12:31] Mika: The rope is wet.\n[12:32] Ben: that is nice", "The rope is wet."),
        ("[12:31] Mika: The rope is dry.\n[12:32] Zed: that is nice", "The rope is dry."),
        ("(answering Ana: “evening”) Evening to you.", "Evening to you."),
        ("No idea.\n[11:57] Ben: Really?\n[11:58] Mika: Really.", "No idea."),
        ("Je veille.\nBen : Moi aussi.\nMika : Bien.", "Je veille."),
        ("The river is high.<|im_end|>\n<|im_start|>user\nhow high?", "The river is high."),
        ("⟦fc: For this reply⟧\nThe tide is in.", "The tide is in."),
        ("The lamp is out.\n\n⟦fc: Who you are⟧\nYou are Mika.", "The lamp is out."),
        ("<|start_header_id|>assistant<|end_header_id|>\n\nMind your step.<|eot_id|>", "Mind your step."),
    ] {
        stage.talk("ana", "and?", written).await;
        assert_eq!(stage.delivered().last().map(String::as_str), Some(said), "{written}");
        assert_eq!(stage.remembered().await.last().unwrap().1, said);
    }
}

#[tokio::test]
async fn a_reply_of_nothing_but_a_heading_of_the_prompt_is_asked_for_once_more() {
    let mut stage = Stage::new().await;
    stage.says("ana", "and then?").await;
    stage.next_request().await.reply("⟦fc: For this reply⟧");
    stage.answers("Then it was day.").await;
    assert_eq!(stage.delivered(), ["Then it was day."]);
}

#[tokio::test]
async fn a_reply_that_goes_round_in_circles_is_hung_up_on() {
    let mut stage = Stage::new().await;
    let mut asked = stage.asked("ana", "evening").await;
    for _ in 0..60 {
        asked.say("The rope is wet. ");
    }
    // The model would go on for ever; nobody listens any more.
    asked.abandoned().await;
    stage.settled().await;
    assert_eq!(stage.delivered(), ["The rope is wet."]);
    let mut asked = stage.asked("ana", "and how does the book end?").await;
    asked.say("Badly: ||The keeper dies. It was the gull. ");
    for _ in 0..60 {
        asked.say("And then and then ");
    }
    asked.abandoned().await;
    stage.settled().await;
    let said = stage.delivered();
    assert_eq!(said.last().unwrap(), "Badly: ||The keeper dies. It was the gull.||");
    assert_eq!(stage.remembered().await.last().unwrap().1, *said.last().unwrap());
}

#[tokio::test]
async fn the_same_reply_for_the_third_time_is_asked_again_once() {
    let mut stage = Stage::new().await;
    let same = "The river is high tonight, and the rope is wet.";
    for _ in 0..2 {
        stage.talk("ana", "and?", same).await;
    }
    let mut asked = stage.asked("ana", "and now?").await;
    asked.say("The river is high tonight, and ");
    asked.say("the rope is wet.");
    asked.end();
    let again = stage.next_request().await;
    let note = again.request.messages.last().unwrap();
    assert!(note.content.contains("Say something else"), "{note:?}");
    stage.replied(again, "Now the moon is up.").await;
    assert_eq!(stage.delivered(), [same, same, "Now the moon is up."]);
    let trace = stage.traces.whole().latest(Some(&ferry().channel)).await.unwrap().unwrap();
    let told = &trace.request.last().unwrap().content;
    assert!(told.contains("Say something else"), "what was answered is recorded: {told}");
    let run = trace.processing.runs.iter().find(|run| run.processor == "said_before").unwrap();
    assert!(matches!(&run.status, ProcessorStatus::Refused { why } if why.contains("for the third time")));
    // What only begins the same is said, and a model that has nothing else to say is not asked for ever.
    for _ in 0..2 {
        stage.talk("ana", "and?", same).await;
    }
    stage.talk("ana", "and?", &format!("{same} Still.")).await;
    assert_eq!(stage.delivered().last().unwrap(), &format!("{same} Still."));
    for _ in 0..2 {
        stage.talk("ana", "and?", same).await;
    }
    stage.says("ana", "and?").await;
    stage.next_request().await.reply(same);
    stage.answers(same).await;
    assert_eq!(stage.delivered().last().unwrap(), same);
    // Short words may be the same for ever.
    for _ in 0..4 {
        stage.talk("ana", "and?", "Aye.").await;
    }
}

#[tokio::test]
async fn what_a_model_thought_aloud_is_not_said() {
    let world = ProviderWorld::start().await;
    let settings = format!(
        "text_lull_timeout = 600\n[llm]\nbase_url = \"{}\"\n\
         [typing_simulation]\nenabled = false\n",
        world.openrouter_url()
    );
    world.answers(|_| {
        let thought = Reply::stream().text("They greet me. I should greet").text(" them back.\n</thi");
        thought.text("nk>\n\nEvening, Ana.").finish("stop")
    });
    let mut stage = Stage::wired(&settings, CARD).await;
    stage.says("ana", "evening").await;
    stage.settled().await;
    assert_eq!(stage.delivered(), ["Evening, Ana."]);
    assert_eq!(stage.remembered().await.last().unwrap().1, "Evening, Ana.");
}

#[tokio::test]
async fn an_invitation_is_never_given_away() {
    let mut stage = Stage::new().await;
    let mut asked = stage.asked("ana", "where do you live?").await;
    asked.say("Here: https://disc");
    asked.say("ord.gg/abc123, come in.");
    asked.end();
    stage.settled().await;
    assert_eq!(stage.delivered(), ["Here: […], come in."]);
    assert_eq!(stage.remembered().await.last().unwrap().1, "Here: […], come in.");
}
