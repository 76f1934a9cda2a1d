//! The places in which something was said.

use super::*;
use crate::history::{Room, RoomPage};

#[tokio::test]
async fn places_come_with_what_was_said_last_there_the_newest_first_and_within_a_bound() {
    let history = scratch().await;
    for (message, channel) in [(10, 7), (11, 8), (12, 9)] {
        history
            .append(NewTurn { place: guild_place(channel), ..said(message, "früh am Morgen") })
            .await
            .unwrap();
    }
    history.append(said(20, "taken back")).await.unwrap();
    history.delete(&channel(), &[MessageId::from(20)], Timestamp::from_second(21).unwrap()).await.unwrap();
    let alone = Place { audience: Audience::Private(8.into()), ..guild_place(8) };
    history.append(NewTurn { place: alone.clone(), ..said(30, "und spät am Abend") }).await.unwrap();

    let RoomPage { rooms, more } = history.whole().rooms(None, 2, 8).await.unwrap();
    let newest = Room {
        place: alone.clone(),
        last: "und spät".to_owned(),
        at: Timestamp::from_second(30).unwrap(),
        newest: rooms[0].newest,
    };
    assert_eq!((rooms.len(), more), (2, Some(rooms[1].newest)));
    assert_eq!(rooms[0], newest);
    assert_eq!((rooms[1].place.channel.as_str(), rooms[1].last.as_str()), ("9", "früh am "));
    let behind = history.whole().rooms(more, 9, 8).await.unwrap();
    assert_eq!(behind.more, None);
    let behind: Vec<&str> = behind.rooms.iter().map(|room| room.place.channel.as_str()).collect();
    assert_eq!(behind, ["7"], "the page behind these");
    assert_eq!(
        history.whole().rooms(None, 9, 99).await.unwrap().rooms[2].last,
        "früh am Morgen",
        "what was taken back is not told"
    );
    assert_eq!(history.whole().place_of(&8.into()).await.unwrap(), Some(alone));
    assert_eq!(history.whole().place_of(&99.into()).await.unwrap(), None);
}

#[tokio::test]
async fn a_place_that_cannot_be_read_does_not_end_the_pages() {
    let history = scratch().await;
    for (message, channel) in [(10, 7), (11, 8), (12, 9)] {
        history.append(NewTurn { place: guild_place(channel), ..said(message, "hello") }).await.unwrap();
    }
    let unread = "UPDATE channels SET platform = 'of-a-later-version' WHERE channel = '8'";
    history.write(move |tx| tx.execute(unread, [])).await.unwrap();
    let mut pages = Vec::new();
    let mut before = None;
    loop {
        let page = history.whole().rooms(before, 1, 9).await.unwrap();
        let channels = page.rooms.iter().map(|room| room.place.channel.as_str().to_owned());
        pages.push(channels.collect::<Vec<_>>());
        before = page.more;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(pages, [vec!["9"], vec![], vec!["7"]]);
}
