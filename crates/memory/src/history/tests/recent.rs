use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::domain::ReplyParent;

#[tokio::test]
async fn the_newest_turns_come_oldest_first() {
    let history = scratch().await;
    for message in 1..=9 {
        history.append(said(message, &message.to_string())).await.unwrap();
    }
    assert_eq!(
        contents(&history.seen_by(&here()).recent(&channel(), newest(3)).await.unwrap()),
        vec!["7", "8", "9"]
    );
    assert!(history.seen_by(&here()).recent(&channel(), newest(0)).await.unwrap().is_empty());
    assert!(history.seen_by(&here()).recent(&ChannelId::from(99), newest(5)).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_mode_sees_only_its_own_turns() {
    let history = scratch().await;
    for (message, mode) in
        (1..).zip([ChannelMode::FullRp, ChannelMode::TextConversationRp, ChannelMode::FullRp])
    {
        history.append(NewTurn { mode, ..said(message, &message.to_string()) }).await.unwrap();
    }
    let query = RecentQuery { mode: Some(ChannelMode::FullRp), ..newest(5) };
    assert_eq!(contents(&history.seen_by(&here()).recent(&channel(), query).await.unwrap()), vec!["1", "3"]);
}

#[tokio::test]
async fn a_reply_names_what_it_answers_in_at_most_80_characters() {
    let history = scratch().await;
    history.append(said(1, &"long words\nhere ".repeat(20))).await.unwrap();
    let own = history.append(replied(&[2, 3], "short")).await.unwrap();
    let to = |message: u64, parent: u64| NewTurn {
        reply_to: Some(MessageId::from(parent)),
        ..said(message, "answer")
    };
    history.append(to(4, 1)).await.unwrap();
    history.append(to(5, 3)).await.unwrap();
    history.append(to(6, 999)).await.unwrap();
    let turns = history.seen_by(&here()).recent(&channel(), newest(3)).await.unwrap();
    let first = turns[0].reply_to.as_ref().unwrap();
    assert_eq!(first.author.as_deref(), Some("Alice"));
    assert!(first.snippet.chars().count() <= 80 && first.snippet.ends_with('…'), "{}", first.snippet);
    assert!(!first.snippet.contains('\n'));
    let at = Timestamp::from_second(2).unwrap();
    let parent =
        ReplyParent { id: own.id, audience: own.audience, author: None, snippet: "short".to_owned(), at };
    assert_eq!(turns[1].reply_to, Some(parent));
    assert_eq!(turns[2].reply_to, None, "an answer to something never seen stands alone");
}

#[tokio::test]
async fn y4_each_encoding_is_counted_once_per_turn_and_never_again() {
    let calls = Arc::new(AtomicUsize::new(0));
    let heard = Arc::clone(&calls);
    let mut options = HistoryOptions::new([TokenEncoding::CharsOver4]);
    options.counter = Arc::new(move |encoding, text| {
        heard.fetch_add(1, Ordering::Relaxed);
        crate::text::tokens::count(encoding, text)
    });
    let history = scratch_with(options).await;
    for message in 1..=3 {
        history.append(said(message, "twelve chars")).await.unwrap();
    }
    assert_eq!(calls.load(Ordering::Relaxed), 3, "counted as they are stored");
    history.seen_by(&here()).recent(&channel(), newest(9)).await.unwrap();
    assert_eq!(calls.load(Ordering::Relaxed), 3, "stored counts are read");
    let other = RecentQuery { encoding: TokenEncoding::Estimate, ..newest(9) };
    let first = history.seen_by(&here()).recent(&channel(), other.clone()).await.unwrap();
    assert_eq!(calls.load(Ordering::Relaxed), 6, "a new encoding is counted when first asked for");
    let second = history.seen_by(&here()).recent(&channel(), other).await.unwrap();
    assert_eq!(calls.load(Ordering::Relaxed), 6, "and kept");
    assert_eq!(first, second);
    assert!(first.iter().all(|turn| turn.tokens > 0));
}
