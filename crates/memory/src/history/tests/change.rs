use super::*;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

async fn events(history: &Scratch) -> Vec<(String, Option<String>)> {
    history
        .read(|tx| {
            tx.prepare("SELECT kind, old_content FROM events ORDER BY id")?
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        })
        .await
        .unwrap()
}

#[tokio::test]
async fn an_edit_replaces_the_words_and_the_log_keeps_the_old_ones() {
    let history = scratch_of(&[(1, "I like cats")]).await;
    let edited = history.edit(&channel(), &1.into(), "I like very large dogs".into(), at(9)).await.unwrap();
    assert_eq!(edited.unwrap().tokens, 6, "counted anew");
    assert_eq!(
        contents(&history.seen_by(&here()).recent(&channel(), newest(5)).await.unwrap()),
        ["I like very large dogs"]
    );
    assert_eq!(events(&history).await, [("edited".to_owned(), Some("I like cats".to_owned()))]);
}

#[tokio::test]
async fn an_edit_that_says_the_same_leaves_no_event() {
    let history = scratch_of(&[(1, "a link")]).await;
    let edited = history.edit(&channel(), &1.into(), "a link".into(), at(9)).await.unwrap();
    assert_eq!(edited, None, "what was noted of it stays, too");
    assert!(events(&history).await.is_empty());
}

#[tokio::test]
async fn what_was_heard_in_a_voice_message_stays_in_it_and_is_no_edit() {
    let history = scratch().await;
    let sent = "> [audio: voice-message.ogg, 4 KB — 2 s long]";
    let turn = history.append(said(1, sent)).await.unwrap().id;
    history.tell_said(turn, "voice-message.ogg", "The bell rings twice.").await.unwrap();
    let told = "> [audio: voice-message.ogg, 4 KB — 2 s long — said: The bell rings twice.]";
    let now = || async {
        let turns = history.seen_by(&here()).recent(&channel(), newest(5)).await.unwrap();
        turns.into_iter().map(|turn| turn.content).collect::<Vec<_>>()
    };
    assert_eq!(now().await, [told]);
    assert_eq!(
        history.edit(&channel(), &1.into(), sent.to_owned(), at(9)).await.unwrap(),
        None,
        "it was pinned"
    );
    assert_eq!(now().await, [told]);
    assert!(events(&history).await.is_empty());
    assert_eq!(history.verify().await.unwrap(), [], "the index has followed");
    history.delete(&channel(), &[1.into()], at(9)).await.unwrap();
    history.tell_said(turn, "voice-message.ogg", "again").await.unwrap();
    assert!(now().await.is_empty());
}

#[tokio::test]
async fn unknown_and_deleted_messages_cannot_be_edited() {
    let history = scratch_of(&[(1, "words")]).await;
    assert_eq!(history.edit(&channel(), &2.into(), "x".into(), at(9)).await.unwrap(), None);
    assert_eq!(history.edit(&ChannelId::from(8), &1.into(), "x".into(), at(9)).await.unwrap(), None);
    history.delete(&channel(), &[1.into()], at(9)).await.unwrap();
    assert_eq!(history.edit(&channel(), &1.into(), "x".into(), at(10)).await.unwrap(), None);
}

#[tokio::test]
async fn a_deleted_turn_is_absent_but_its_number_stays_taken() {
    let history = scratch().await;
    let gone = history.append(said(1, "oops, my address")).await.unwrap();
    assert_eq!(history.delete(&channel(), &[1.into(), 77.into()], at(9)).await.unwrap(), [gone.id]);
    assert!(history.seen_by(&here()).recent(&channel(), newest(5)).await.unwrap().is_empty());
    assert_eq!(history.append(said(2, "next")).await.unwrap().ordinal, 2);
    assert_eq!(events(&history).await, [("deleted".to_owned(), Some("oops, my address".to_owned()))]);
    assert!(history.delete(&channel(), &[1.into()], at(10)).await.unwrap().is_empty(), "only once");
}

#[tokio::test]
async fn deleted_words_stand_only_in_the_event_log() {
    let history = scratch_of(&[(1, "xylophone")]).await;
    history.append(NewTurn { reply_to: Some(1.into()), ..said(2, "what?") }).await.unwrap();
    history.delete(&channel(), &[1.into()], at(9)).await.unwrap();
    assert_eq!(history.seen_by(&here()).recent(&channel(), newest(5)).await.unwrap()[0].reply_to, None);
    let left: u32 = history
        .read(|tx| {
            tx.query_row("SELECT count(*) FROM turns WHERE content LIKE '%xylophone%'", [], |row| row.get(0))
        })
        .await
        .unwrap();
    assert_eq!(left, 0);
}

#[tokio::test]
async fn a_replay_of_a_deleted_message_does_not_bring_it_back() {
    let history = scratch_of(&[(1, "gone")]).await;
    history.delete(&channel(), &[1.into()], at(9)).await.unwrap();
    history.append(said(1, "gone")).await.unwrap();
    assert!(history.seen_by(&here()).recent(&channel(), newest(5)).await.unwrap().is_empty());
}

#[tokio::test]
async fn the_words_of_one_message_of_a_reply_go_with_it() {
    let history = scratch().await;
    let words = "Tide is out.\n\nYou \u{fc}gly xylophone.\n\nGulls sit.";
    let reply = replied(&[10, 11, 12], words);
    let reply = history.store_reply(reply, vec![0, 14, 36]).await.unwrap().into_turn();
    assert_eq!(history.delete(&channel(), &[11.into()], at(19)).await.unwrap(), [reply.id]);
    let left = history.seen_by(&here()).recent(&channel(), newest(5)).await.unwrap();
    assert_eq!(contents(&left), ["Tide is out.\n\nGulls sit."]);
    assert_eq!(left[0].tokens, 6, "counted anew");
    assert_eq!(history.delete(&channel(), &[10.into()], at(20)).await.unwrap(), [reply.id]);
    let left = history.seen_by(&here()).recent(&channel(), newest(5)).await.unwrap();
    assert_eq!(contents(&left), ["Gulls sit."]);
    assert_eq!(left[0].message, Some(12.into()), "the first message that still stands");
    assert_eq!(history.verify().await.unwrap(), [], "the index has followed");
    history.delete(&channel(), &[12.into()], at(21)).await.unwrap();
    assert!(history.seen_by(&here()).recent(&channel(), newest(5)).await.unwrap().is_empty());
    let kept: Vec<_> = events(&history).await.into_iter().filter_map(|(_, old)| old).collect();
    assert_eq!(kept, ["You \u{fc}gly xylophone.", "Tide is out.", "Gulls sit."]);
}

#[tokio::test]
async fn a_reply_whose_messages_all_go_is_logged_once() {
    let history = scratch().await;
    let reply = history.store_reply(replied(&[10, 11], "one\ntwo"), vec![0, 4]).await.unwrap().into_turn();
    assert_eq!(history.delete(&channel(), &[10.into(), 11.into()], at(19)).await.unwrap(), [reply.id]);
    let kept: Vec<_> = events(&history).await.into_iter().map(|(_, old)| old).collect();
    assert_eq!(kept, [None, Some("one\ntwo".to_owned())]);
}

#[tokio::test]
async fn where_nobody_knows_which_words_went_all_of_the_reply_goes() {
    let history = scratch().await;
    let reply = history.append(replied(&[10, 11], "part one part two")).await.unwrap();
    assert_eq!(history.delete(&channel(), &[10.into()], at(19)).await.unwrap(), [reply.id]);
    assert!(history.seen_by(&here()).recent(&channel(), newest(5)).await.unwrap().is_empty());
    assert!(history.delete(&channel(), &[11.into()], at(20)).await.unwrap().is_empty(), "only once");
}

#[tokio::test]
async fn a_message_that_goes_while_its_reply_is_repaired_takes_nothing_else_along() {
    let history = scratch().await;
    let reply = history.append(replied(&[10, 11], "part one part two")).await.unwrap();
    let sql = "INSERT INTO repairs SELECT id, '{}', '[]', '' FROM turns";
    history.write(move |tx| tx.execute(sql, [])).await.unwrap();
    assert!(history.delete(&channel(), &[11.into()], at(19)).await.unwrap().is_empty());
    let recent = history.seen_by(&here()).recent(&channel(), newest(5)).await.unwrap();
    assert_eq!(recent.iter().map(|turn| turn.id).collect::<Vec<_>>(), [reply.id]);
}

#[tokio::test]
async fn a_reply_that_was_to_be_replaced_comes_back_unless_some_of_the_new_one_stands() {
    for is_replaced in [false, true] {
        let history = scratch_of(&[(1, "is the kettle on?")]).await;
        let first = history.append(replied(&[2], "It sings.")).await.unwrap();
        history.begin_replacing(first.id).await.unwrap();
        history.delete(&channel(), &[2.into()], at(3)).await.unwrap();
        if is_replaced {
            history.append(replied(&[4], "Not y")).await.unwrap();
        }
        assert_eq!(history.bring_back_replaced().await.unwrap(), usize::from(!is_replaced));
        let here = Visible::at(&guild_place(7));
        let last = history.seen_by(&here).last_assistant(&channel(), TokenEncoding::O200k).await.unwrap();
        assert_eq!(last.unwrap().content, if is_replaced { "Not y" } else { "It sings." });
    }
}
