use super::*;
use crate::history::{PlacedTurn, WindowQuery, rough_tokens};

fn query(rough_tokens: u64) -> WindowQuery {
    WindowQuery {
        mode: ChannelMode::FullRp,
        rough_tokens,
        max_turns: 1_000,
        until: None,
        encoding: TokenEncoding::CharsOver4,
    }
}

async fn window(history: &Scratch, query: WindowQuery) -> Vec<PlacedTurn> {
    history.seen_by(&here()).conversation(&channel(), query).await.unwrap().turns
}

fn in_mode(message: u64, text: &str) -> NewTurn {
    NewTurn { mode: ChannelMode::FullRp, ..said(message, text) }
}

#[tokio::test]
async fn a20_every_turn_knows_how_much_was_said_before_it_for_good() {
    let history = scratch().await;
    for message in 1..=6 {
        history.append(in_mode(message, &"é".repeat(20 * usize::try_from(message).unwrap()))).await.unwrap();
    }
    let all = window(&history, query(u64::MAX)).await;
    let mut sum = 0;
    for placed in &all {
        assert_eq!(placed.said_before, sum, "the SQL and the Rust formula agree");
        sum += rough_tokens(&placed.turn.content);
    }
    let places =
        |turns: &[PlacedTurn]| -> Vec<u64> { turns.iter().map(|placed| placed.said_before).collect() };
    history.edit(&channel(), &MessageId::from(2), "short now".to_owned(), said(2, "").at).await.unwrap();
    let edited = window(&history, query(u64::MAX)).await;
    assert_eq!(places(&edited), places(&all), "an edit moves no cut");
    assert_eq!(edited[1].turn.content, "short now");
}

#[tokio::test]
async fn a20_a_window_ends_one_turn_beyond_what_was_asked_for() {
    let history = scratch().await;
    for message in 1..=20 {
        history.append(in_mode(message, "four")).await.unwrap();
    }
    let each = rough_tokens("four");
    let found = window(&history, query(5 * each)).await;
    let ordinals: Vec<u64> = found.iter().map(|placed| placed.turn.ordinal).collect();
    assert_eq!(ordinals, [15, 16, 17, 18, 19, 20]);
    let few = WindowQuery { max_turns: 2, ..query(5 * each) };
    assert_eq!(window(&history, few).await.len(), 2);
    let other = WindowQuery { mode: ChannelMode::ImitateVoice, ..query(5 * each) };
    assert!(window(&history, other).await.is_empty());
}

#[tokio::test]
async fn a20_how_much_no_summary_covers_is_looked_at_no_further_than_is_asked_for() {
    let history = scratch().await;
    for message in 1..=20 {
        history.append(in_mode(message, if message > 15 { "four" } else { "a long one" })).await.unwrap();
    }
    let weight = async |at_most| {
        history.whole().uncovered_weight(&channel(), TokenEncoding::CharsOver4, at_most).await.unwrap()
    };
    assert_eq!(weight(5).await, (5, 5), "the newest");
    assert_eq!(weight(100).await, (20, 5 + 15 * 3));
}
