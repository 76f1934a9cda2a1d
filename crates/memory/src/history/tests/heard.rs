//! What is told to those who follow, and what no prompt has to count.

use super::*;
use crate::domain::StoredId;
use crate::history::{Mark, Told, Visible, WindowQuery};

fn guild() -> Visible {
    Visible::only([Audience::Guild(GuildId::from(1))])
}

fn alone() -> Audience {
    Audience::Dm(AccountId::discord(1))
}

/// Stores `count` turns in channel `number`, quicker than through the door.
async fn put(
    history: &Scratch,
    number: u64,
    audience: &'static [&'static str; 2],
    count: u32,
    content: &str,
) {
    history.append(NewTurn { place: guild_place(number), ..said(1, content) }).await.unwrap();
    let content = content.to_owned();
    let stored = history.write(move |tx| {
        tx.execute(
            "WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
             INSERT INTO turns (channel, ordinal, platform, audience_kind, audience_key, role, content, at_ms,
                                mode, modality)
             SELECT ?2, i, 'discord', ?3, ?4, 'user', ?5, 0, 'text_conversation_rp', 'text' FROM n",
            (count, number.to_string(), audience[0], audience[1], content),
        )
    });
    stored.await.unwrap();
}

fn words(told: &[Told]) -> Vec<String> {
    let word = |told: &Told| match told {
        Told::Stands(heard) => heard.turn.content.clone(),
        Told::Gone(id) => format!("{} is gone", id.0),
    };
    told.iter().map(word).collect()
}

#[tokio::test]
async fn y13_what_happened_is_followed_from_where_one_stopped() {
    let history = scratch().await;
    for number in 1..=5 {
        history.append(said(number, &format!("m{number}"))).await.unwrap();
    }
    let at = Timestamp::from_second(9).unwrap();
    history.delete(&channel(), &[MessageId::from(2)], at).await.unwrap();
    let first = history.whole().follow(Mark::default(), 3).await.unwrap();
    assert_eq!((words(&first.told), first.is_all), (vec!["m1".to_owned(), "m3".to_owned()], false));
    let second = history.whole().follow(first.mark, 3).await.unwrap();
    assert_eq!((words(&second.told), second.is_all), (vec!["m4".to_owned(), "m5".to_owned()], true));
    let nothing = history.whole().follow(second.mark, 3).await.unwrap();
    assert_eq!((nothing.told, nothing.mark, nothing.is_all), (Vec::new(), second.mark, true));
    history.edit(&channel(), &MessageId::from(1), "edited".to_owned(), at).await.unwrap();
    history.delete(&channel(), &[MessageId::from(4)], at).await.unwrap();
    history.append(said(6, "m6")).await.unwrap();
    history.write(|tx| tx.execute("DELETE FROM turns WHERE id = 5", [])).await.unwrap();
    let changed = history.whole().follow(second.mark, 3).await.unwrap();
    assert_eq!(words(&changed.told), ["m6", "edited", "4 is gone", "5 is gone"]);
}

#[tokio::test]
async fn y14_turns_are_read_singly_only_where_they_may_be_seen() {
    let history = scratch().await;
    let dm = Place { guild: None, kind: PlaceKind::Dm, audience: alone(), ..guild_place(8) };
    history.append(said(1, "where is it?")).await.unwrap();
    history.append(NewTurn { place: dm, ..said(2, "the lantern is a secret") }).await.unwrap();
    let answer = NewTurn { reply_to: Some(1.into()), ..said(3, "the lantern is in the shed") };
    history.append(answer).await.unwrap();
    let heard = history.seen_by(&guild()).heard([1, 2, 3, 4].map(StoredId).to_vec()).await.unwrap();
    let words: Vec<&str> = heard.iter().map(|heard| heard.turn.content.as_str()).collect();
    assert_eq!(words, ["where is it?", "the lantern is in the shed"]);
    assert_eq!(heard[1].answers, Some(heard[0].turn.id));
    let messages = history.seen_by(&guild()).messages_of(vec![heard[1].turn.id]).await.unwrap();
    assert_eq!(messages[&heard[1].turn.id], MessageId::from(3));
}

#[tokio::test]
async fn what_no_summary_covers_is_counted_rightly_beyond_a_thousand() {
    let history = scratch().await;
    put(&history, 7, &["guild", "1"], 2_500, "la").await;
    let query = WindowQuery {
        mode: ChannelMode::TextConversationRp,
        rough_tokens: 100,
        max_turns: 10,
        until: None,
        encoding: TokenEncoding::CharsOver4,
    };
    let uncovered =
        || async { history.seen_by(&here()).conversation(&channel(), query).await.unwrap().uncovered };
    assert_eq!(uncovered().await, 2_500);
    let take_back = "UPDATE turns SET deleted_at_ms = 1 WHERE ordinal BETWEEN 990 AND 1010";
    history.write(move |tx| tx.execute(take_back, [])).await.unwrap();
    history.write(|tx| tx.execute("DELETE FROM turns WHERE ordinal > 2400", [])).await.unwrap();
    assert_eq!(uncovered().await, 2_400 - 21);
}
