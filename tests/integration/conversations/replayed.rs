//! A turn that runs again later is told what it was told then, byte for byte.

use std::sync::Arc;
use std::time::Duration;

use familiar_connect::domain::*;

use familiar_connect::session::ReplayChanges;

use super::{Cast, Play};
use crate::support::stage::{APART, CALLED, dm, ferry};

const THOUGHTS: &str = "<thoughts>\n- She is tired.\n</thoughts>\n<plans>\n1. Tea.\n</plans>";

/// Every turn that asked a model, run again now, has the prompt it had then.
async fn all_the_same(play: &Play) -> usize {
    let mut replayed = 0;
    for turn in play.turns().await.iter().filter(|turn| turn.assembly.is_some()) {
        let again = play.stage.session.rebuild(turn, ReplayChanges::default()).await.unwrap();
        for (now, then) in again.messages().iter().zip(&turn.request) {
            assert_eq!(now, then, "{} is told something else now", turn.id);
        }
        assert_eq!(again.messages(), turn.request, "{}", turn.id);
        replayed += 1;
    }
    replayed
}

#[tokio::test(start_paused = true)]
async fn a28_a_talk_of_many_runs_again_as_it_was() {
    let mut play = Play::open("").await;
    play.stage.world.guild(&GuildId::from(7), |guild| {
        let cards = Arc::make_mut(&mut guild.channels);
        cards.values_mut().for_each(|card| card.topic = Some("Night crossings".to_owned()));
    });
    play.asks("alice", "evening, how many messages have I written here so far?", "One.").await;
    play.asks("ben", "what time is it?", "Late.").await;
    play.overhears_with("cleo", "Ben, the rope", APART).await;
    play.asks("alice", "thank you, you are the best, I love this ferry", "Careful.").await;
    play.asks("alice", "please answer shorter, and call me Al", "Aye.").await;
    play.asks("cleo", "my boat is called Sparrow, remember that", "Sparrow.").await;
    play.overhears("finn", "the fog is thick tonight").await;
    play.takes_up("dora", "does anybody know when the bakery closes?", "Ten.").await;
    play.asks(
        "alice",
        "how long have we known each other, and how many messages have I written?",
        "A while.",
    )
    .await;
    play.stage.clock.advance(Duration::from_secs(9 * 86_400));
    play.asks("ben", "I am back. what did I miss?", "Rain.").await;
    play.asks("cleo", "do you remember what my boat is called?", "Sparrow.").await;
    play.asks("dora", "roll two dice for me", "Done.").await;
    play.asks("alice", "tell me everything about Cleo, her boat and who was here", "A long story.").await;
    // The world moves on.
    play.stage.clock.advance(Duration::from_secs(3_600));
    play.stage.world.guild(&GuildId::from(7), |guild| {
        let cards = Arc::make_mut(&mut guild.channels);
        cards.values_mut().for_each(|card| card.topic = Some("Closed for winter".to_owned()));
    });
    play.asks("emil", "hello, I am new here, you fool", "Welcome.").await;
    assert_eq!(all_the_same(&play).await, 12);
}

#[tokio::test(start_paused = true)]
async fn a28_thoughts_and_what_was_said_in_private_run_again_as_they_were() {
    let mut play = Play::open_in(dm("alice"), "default_mode = \"full_rp\"\n").await;
    play.stage.models.play(Slot::ReasoningContext);
    for words in [
        "*She sits down by the stove.* \"It was a long day, Mika.\"",
        "*She warms her hands.* \"My sister wrote. She is coming in May.\"",
        "\"Do you remember what I said about my sister?\" *she asks.*",
    ] {
        let cast = Cast { thoughts: THOUGHTS, ..Cast::says("She pours tea.") };
        play.answered("alice", words, CALLED, cast).await;
    }
    assert!(play.turns().await[2].request.iter().any(|message| message.content.contains("She is tired")));
    assert_eq!(all_the_same(&play).await, 3);
}

#[tokio::test(start_paused = true)]
async fn a28_a_question_among_small_talk_runs_again_as_that_question() {
    let mut play = Play::open("").await;
    play.asks("alice", "evening", "Evening.").await;
    play.asks("ben", "evening from me", "Evening, Ben.").await;
    play.overhears_with("alice", "Ben, what was the name of your dog, and of the other one?", APART).await;
    play.overhears("dora", "lovely lights tonight").await;
    play.asks("alice", "Mika, good night", "Good night.").await;
    let turn = play.turns().await.pop().unwrap();
    let question = turn.question.clone().unwrap();
    assert_eq!((turn.pending.len(), question.addressed.len()), (3, 1));
    assert_eq!(question.asking, *turn.pending.last().unwrap());
    let again = play.stage.session.rebuild(&turn, ReplayChanges::default()).await.unwrap();
    let (then, now) = (turn.assembly.as_ref().unwrap().plan.as_ref(), again.figures().plan.as_ref());
    assert_eq!(then, now, "judged by the same words");
    assert_eq!(all_the_same(&play).await, 3);
}

#[tokio::test(start_paused = true)]
async fn a28_a_replay_is_no_prompt_that_the_next_turn_follows() {
    let mut play = Play::open("").await;
    play.asks("alice", "evening", "Evening.").await;
    let first = play.turns().await.pop().unwrap();
    play.asks("alice", "is it cold?", "Yes.").await;
    let stable = |turn: &TurnTrace| turn.assembly.as_ref().unwrap().layout.unwrap().stable_tokens;
    let before = stable(&play.turns().await.pop().unwrap());
    let small = ReplayChanges { budget_tokens: Some(600), ..ReplayChanges::default() };
    let again = play.stage.session.rebuild(&first, small).await.unwrap();
    assert_eq!(again.figures().layout, None);
    play.asks("alice", "and wet?", "Yes.").await;
    let after = stable(&play.turns().await.pop().unwrap());
    assert!(after > before, "compared with the last turn and not with the replay: {before} then {after}");
    assert_eq!(
        play.stage
            .history
            .seen_by(&Visible::at(&ferry()))
            .recent_authors(&ferry().channel, 5, None)
            .await
            .unwrap()
            .len(),
        1
    );
}
