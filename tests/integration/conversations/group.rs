//! Four people, most of it not for the familiar.

use familiar_connect::domain::*;

use super::{Cast, Play};
use crate::support::stage::{APART, CALLED, UNADDRESSED};

#[tokio::test(start_paused = true)]
async fn a_play_among_four() {
    let mut play = Play::open("").await;
    play.asks("alice", "Mika, is there room for four tonight?", "Four and a goat.").await;
    play.overhears_with("ben", "Alice, did you pack the lanterns?", APART).await;
    play.overhears_with("alice", "Ben, both of them, in the blue crate", APART).await;
    play.overhears("cleo", "my shoes are wet already").await;
    play.overhears("dora", "mine too, the quay floods at high water").await;
    let taken_up =
        play.takes_up("cleo", "does anybody know when high water is?", "Ten past nine, by my knees.").await;
    play.overhears("ben", "then we should hurry").await;
    play.overhears_with("dora", "Cleo, hold my bag", APART).await;
    play.overhears("ben", "the bakery on the other bank closes at ten").await;
    play.overhears_with("alice", "Dora, is your sister coming?", APART).await;
    play.overhears_with("dora", "Alice, she missed the tram, she comes tomorrow", APART).await;
    let asked = play
        .asks(
            "ben",
            "Mika, who is coming tomorrow, and where are the lanterns?",
            "Dora's sister. Blue crate.",
        )
        .await;
    let replied = TriggerHints { replies_to_familiar: true, ..UNADDRESSED };
    play.answered("cleo", "and what about my shoes?", replied, Cast::says("Stove. Left side.")).await;
    play.overhears("alice", "look, the lights of the other bank").await;
    play.overhears("dora", "it smells of bread").await;
    let joins_in = play
        .answered(
            "alice",
            "Mika, last question: who asked about high water?",
            CALLED,
            Cast::says("Cleo did."),
        )
        .await;
    let silent =
        play.turns().await.iter().filter(|turn| matches!(turn.outcome, Outcome::Silent { .. })).count();
    assert_eq!(silent, 12, "each with its reason");
    insta::assert_snapshot!("group_taken_up", taken_up);
    insta::assert_snapshot!("group_asked", asked);
    insta::assert_snapshot!("group_last", joins_in);
    insta::assert_snapshot!("group_turns", play.told().await);
}
