//! Two who know each other: small talk, a sum, a wish, an absence, something from before.

use std::time::Duration;

use familiar_connect::domain::Outcome;

use super::Play;

#[tokio::test(start_paused = true)]
async fn a_play_in_writing() {
    let mut play = Play::open("").await;
    let first = play
        .asks("alice", "evening! is the last boat still running?", "It runs until the river says no.")
        .await;
    play.asks(
        "alice",
        "good. I brought my brother's accordion, it is called Rosalind",
        "Then she sails free.",
    )
    .await;
    play.asks("alice", "what is 17 times 23? I need it for the fares", "391. Round it down for friends.")
        .await;
    play.asks("alice", "shorter answers please, my hands are freezing", "Aye.").await;
    play.asks("alice", "do you like accordions?", "From the other bank.").await;
    play.asks("alice", "haha, thank you, you are kind", "Don't tell the harbour master.").await;
    play.stage.clock.advance(Duration::from_secs(9 * 86_400));
    let back =
        play.asks("alice", "I am back from the mountains. did anything happen?", "The kettle died.").await;
    let recalled =
        play.asks("alice", "do you remember what I called my brother's accordion?", "Rosalind.").await;
    play.asks("alice", "and when does the morning boat leave?", "Six, when I am awake.").await;
    play.asks("alice", "good night", "Mind the rope.").await;
    assert!(recalled.contains("Rosalind"));
    assert!(play.turns().await.iter().all(|turn| matches!(turn.outcome, Outcome::Replied { messages: 1 })));
    insta::assert_snapshot!("text_first_prompt", first);
    insta::assert_snapshot!("text_back_after_days", back);
    insta::assert_snapshot!("text_recalled", recalled);
    insta::assert_snapshot!("text_turns", play.told().await);
}
