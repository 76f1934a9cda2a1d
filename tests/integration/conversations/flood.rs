//! Two hundred messages of many people before it can say a word.

use familiar_connect::domain::*;

use super::Play;
use crate::support::stage::{APART, CALLED, ferry};

const PEOPLE: [&str; 12] =
    ["alice", "ben", "cleo", "dora", "emil", "fay", "gus", "hana", "ivo", "june", "kit", "lou"];

/// The words of message `number`: pastes, doubles, zalgo, mentions and ordinary talk.
fn words(number: usize) -> String {
    match number % 10 {
        0 => format!("log {number}: {}", "error at 0x7f3a in ferry_engine::pump, retrying; ".repeat(60)),
        1 | 2 => "FIRST!!!".to_owned(),
        3 => format!(
            "t\u{35c}\u{321}h\u{334}\u{489}e r\u{337}i\u{338}v\u{489}e\u{336}r {}",
            "\u{489}".repeat(200)
        ),
        4 => "@everyone @here <@&42> <@7> look at this".to_owned(),
        5 => "😂".repeat(80),
        6 => format!("number {number}: the queue at the quay is {number} people long"),
        7 => "a".repeat(1_900),
        8 => "\n\n\n.\n\n\n".to_owned(),
        _ => format!("does anybody have a spare ticket for crossing {number}"),
    }
}

/// The message that the newest record is about.
async fn newest_about(play: &Play) -> Option<StoredId> {
    let newest = play.stage.traces.whole().latest(Some(&ferry().channel)).await.unwrap();
    newest.and_then(|turn| turn.pending.last().copied())
}

#[tokio::test(start_paused = true)]
async fn a_play_in_a_flood() {
    let mut play = Play::open("").await;
    play.asks("alice", "Mika, big crowd tonight, are you ready?", "As ready as the boat.").await;
    // All of it comes while the first answer is being thought of: one batch.
    let mut event = play.stage.message(&ferry(), "ben", "Mika, is this the queue?", CALLED);
    play.stage.session.submit(event).await.unwrap();
    let held = play.stage.next_request().await;
    for number in 0..200 {
        let who = PEOPLE[number % PEOPLE.len()];
        event = play.stage.message(&ferry(), who, &words(number), APART);
        play.stage.session.submit(event).await.unwrap();
        // Where a summary ends depends on what is stored when it is made: each message is taken whole, up to the record
        // of the silence about it, before the next one comes.
        let row = StoredId(2 + 1 + i64::try_from(number).unwrap() + 1);
        while newest_about(&play).await != Some(row) {
            tokio::task::yield_now().await;
        }
        play.stage.workers.idle().await;
    }
    play.stage.replied(held, "It is all of Harbour.").await;
    play.stage.workers.idle().await;
    let prompt = play.asks("cleo", "Mika, how long is the queue at the quay now?", "Long.").await;
    play.asks("dora", "are you tired, Mika?", "Never.").await;
    play.asks("emil", "good night all", "Good night.").await;

    let remembered = play.stage.remembered().await;
    assert_eq!(remembered.len(), 200 + 5 + 5, "nothing is lost");
    for number in [0, 5, 7, 99, 199] {
        let (_, said) = &remembered[3 + number];
        assert_eq!(said, &words(number), "word for word");
    }
    let turns = play.turns().await;
    let assembled: Vec<_> = turns.iter().filter_map(|turn| Some((turn, turn.assembly.as_ref()?))).collect();
    for (turn, figures) in &assembled {
        assert!(figures.prompt_tokens <= figures.budget_tokens, "{}", turn.id);
        assert!(turn.request.len() < 300, "{}", turn.id);
    }
    let (_, first_after) =
        assembled.iter().find(|(turn, _)| turn.trigger == "it was mentioned" && turn.id.0 > 200).unwrap();
    assert!(
        first_after.notes.iter().any(|note| note.contains("tokens spilled")),
        "what had to go is said: {:?}",
        first_after.notes
    );
    assert!(first_after.packing_waste.unwrap() < 0.75, "{:?}", first_after.packing_waste);
    let of_replies: Vec<_> = turns
        .iter()
        .filter(|turn| !matches!(turn.outcome, Outcome::Silent { .. }))
        .map(super::told::turn)
        .collect();
    insta::assert_snapshot!("flood_prompt", prompt);
    insta::assert_snapshot!("flood_turns", of_replies.join("\n"));
}
