//! Answers besides the one that stands.

use std::sync::Arc;

use super::*;
use crate::domain::StoredId;
use crate::history::{ANSWERED_MAX, AnswersTo};

fn day(day: i64) -> Timestamp {
    Timestamp::from_second(day * 24 * 3600).unwrap()
}

fn answers(asked: StoredId, texts: &[&str]) -> AnswersTo {
    AnswersTo { asked, texts: texts.iter().map(|text| (*text).to_owned()).collect(), at: 0 }
}

async fn keeps(history: &History, kept: &AnswersTo, on: i64) {
    let audience = guild_place(7).audience;
    history.keep_answers(kept.clone(), &audience, day(on)).await.unwrap();
}

async fn left(history: &History, on: i64) -> Vec<AnswersTo> {
    let here = Visible::at(&guild_place(7));
    history.seen_by(&here).answers_in(&channel(), day(on)).await.unwrap()
}

#[tokio::test]
async fn they_are_kept_where_they_may_be_seen_and_go_with_what_they_answer() {
    let history = scratch().await;
    let asked = history.append(said(1, "is the kettle on?")).await.unwrap().id;
    let kept = answers(asked, &["It sings.", "Not yet."]);
    keeps(&history, &kept, 1).await;
    assert_eq!(left(&history, 1).await, std::slice::from_ref(&kept));
    let server = GuildId::from(2);
    let elsewhere =
        Place { guild: Some(server.clone()), audience: Audience::Guild(server), ..guild_place(7) };
    let there = Visible::at(&elsewhere);
    assert_eq!(history.seen_by(&there).answers_in(&channel(), day(1)).await.unwrap(), []);

    // They were not said.
    let all = serde_json::to_string(&history.whole().kept_after(StoredId(0), 100).await.unwrap()).unwrap();
    assert!(!all.contains("Not yet."), "{all}");

    history.delete(&channel(), &[1.into()], day(1)).await.unwrap();
    assert_eq!(left(&history, 1).await, []);
    keeps(&history, &kept, 1).await;
    assert_eq!(left(&history, 1).await, [], "what is gone has no answers");
}

#[tokio::test]
async fn the_oldest_go_by_number_and_by_age() {
    let history = scratch().await;
    let mut all = Vec::new();
    for message in 1..=10 {
        let asked = history.append(said(message, "and now?")).await.unwrap().id;
        all.push(answers(asked, &["Yes.", "No."]));
        keeps(&history, &all[all.len() - 1], i64::try_from(message).unwrap()).await;
    }
    assert_eq!(left(&history, 10).await, all[10 - ANSWERED_MAX..]);
    assert_eq!(left(&history, 34).await.len(), 7, "those of the third day are too old");
    history.let_go_of_old_answers(day(100)).await.unwrap();
    assert_eq!(left(&history, 10).await, []);
}

#[tokio::test]
async fn contradiction_16_whatever_is_forgotten_none_of_them_is_left() {
    let history = scratch().await;
    let asked = history.append(said(1, "where is the marmalade?")).await.unwrap().id;
    let other = history.append(said(2, "and the bread?")).await.unwrap().id;
    keeps(&history, &answers(asked, &["Under the oak.", "Gone."]), 1).await;
    history.forget(vec![other], Default::default(), None, Arc::default()).await.unwrap();
    assert_eq!(left(&history, 1).await, []);
}
