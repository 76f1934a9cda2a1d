use super::{guild_place, said, scratch};
use crate::domain::{MessageId, StoredId};

#[tokio::test]
async fn y9_what_came_after_a_mark_is_unread_until_the_mark_moves() {
    let history = scratch().await;
    let mut ids = Vec::new();
    for number in 1..=5 {
        ids.push(history.append(said(number, &format!("line {number}"))).await.unwrap().id);
    }
    let channel = guild_place(7).channel;
    let all = history.whole().unread(&channel, None, 3).await.unwrap();
    assert_eq!((all.turns.len(), all.count), (3, 5));
    let words: Vec<_> = all.turns.iter().map(|turn| turn.content.as_str()).collect();
    assert_eq!(words, ["line 1", "line 2", "line 3"]);

    history.delete(&channel, &[MessageId::from(4)], jiff::Timestamp::UNIX_EPOCH).await.unwrap();
    let rest = history.whole().unread(&channel, Some(ids[2]), 10).await.unwrap();
    assert_eq!((rest.turns.len(), rest.count), (1, 1), "what was taken back is nothing to read");
    assert_eq!(rest.turns[0].id, ids[4]);
    let none = history.whole().unread(&channel, Some(ids[4]), 10).await.unwrap();
    assert_eq!(none.count, 0);
    let elsewhere = history.whole().unread(&guild_place(8).channel, Some(StoredId(99)), 10).await.unwrap();
    assert_eq!(elsewhere.count, 0);
}
