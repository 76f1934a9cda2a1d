use super::*;

const ENCODING: TokenEncoding = TokenEncoding::CharsOver4;

#[tokio::test]
async fn counted_is_what_was_said_after_the_last_reply() {
    let history = scratch_of(&[(1, "one"), (2, "two")]).await;
    assert_eq!(history.seen_by(&here()).count_since_last_reply(&channel()).await.unwrap(), 2);
    history.append(replied(&[3], "both")).await.unwrap();
    assert_eq!(history.seen_by(&here()).count_since_last_reply(&channel()).await.unwrap(), 0);
    history.append(said(4, "four")).await.unwrap();
    assert_eq!(history.seen_by(&here()).count_since_last_reply(&channel()).await.unwrap(), 1);
}

#[tokio::test]
async fn a_reply_that_was_taken_back_still_answered() {
    let history = scratch_of(&[(1, "question")]).await;
    history.append(replied(&[2], "answer")).await.unwrap();
    history.delete(&channel(), &[2.into()], Timestamp::UNIX_EPOCH).await.unwrap();
    assert_eq!(history.seen_by(&here()).count_since_last_reply(&channel()).await.unwrap(), 0);
    assert_eq!(history.seen_by(&here()).last_assistant(&channel(), ENCODING).await.unwrap(), None);
}

#[tokio::test]
async fn other_channels_do_not_answer_for_this_one() {
    let history = scratch_of(&[(1, "here")]).await;
    history.append(NewTurn { place: guild_place(8), ..replied(&[2], "there") }).await.unwrap();
    assert_eq!(history.seen_by(&here()).count_since_last_reply(&channel()).await.unwrap(), 1);
    assert_eq!(history.seen_by(&here()).last_assistant(&channel(), ENCODING).await.unwrap(), None);
    assert!(history.seen_by(&here()).last_assistant(&ChannelId::from(8), ENCODING).await.unwrap().is_some());
}

#[tokio::test]
async fn recent_authors_are_each_named_once_newest_first() {
    let history = scratch().await;
    for (message, who) in (1..).zip([1_u64, 2, 1, 3, 3]) {
        let author = Some(person(who, &format!("P{who}")));
        history.append(NewTurn { author, ..said(message, "x") }).await.unwrap();
    }
    let renamed = Some(person(1, "New Name"));
    history.append(NewTurn { author: renamed, ..said(9, "x") }).await.unwrap();
    let names = |authors: Vec<Author>| authors.iter().map(|a| a.label().to_owned()).collect::<Vec<_>>();
    let seen = Visible::only([said(1, "x").place.audience]);
    let hidden =
        history.seen_by(&Visible::only([Audience::Canon])).recent_authors(&channel(), 5, None).await.unwrap();
    assert!(hidden.is_empty(), "who wrote when fewer could see it is not named to others");
    assert_eq!(
        names(history.seen_by(&seen).recent_authors(&channel(), 5, None).await.unwrap()),
        ["New Name", "P3", "P2"]
    );
    assert_eq!(
        names(history.seen_by(&seen).recent_authors(&channel(), 2, None).await.unwrap()),
        ["New Name", "P3"]
    );
}

#[tokio::test]
async fn watermarks_only_move_forward() {
    use crate::domain::StoredId;
    let history = scratch().await;
    assert_eq!(history.watermark("summary", "7").await.unwrap(), None);
    for (done, expected) in [(5, 5), (9, 9), (2, 9)] {
        history.advance_watermark("summary", "7", StoredId(done), Timestamp::UNIX_EPOCH).await.unwrap();
        assert_eq!(history.watermark("summary", "7").await.unwrap(), Some(StoredId(expected)));
    }
    assert_eq!(history.watermark("summary", "8").await.unwrap(), None);
}
