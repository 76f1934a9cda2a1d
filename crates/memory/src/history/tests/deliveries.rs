use jiff::Timestamp;

use super::super::{Appended, Delivering};
use super::*;
use crate::domain::StoredId;

fn on_its_way(turn: u64, arrived: &str, messages: &[u64], being_sent: Option<&str>) -> Delivering {
    let reply = NewTurn {
        role: Role::Assistant,
        author: None,
        messages: messages.iter().copied().map(MessageId::from).collect(),
        turn: Some(TurnId(turn)),
        ..said(0, arrived)
    };
    let being_sent = being_sent.map(str::to_owned);
    Delivering { reply, answers: vec![StoredId(1)], being_sent, grows: false }
}

async fn own_words(scratch: &Scratch) -> Vec<String> {
    let turns = scratch.seen_by(&here()).recent(&channel(), newest(50)).await.unwrap();
    turns.into_iter().filter(|turn| turn.role == Role::Assistant).map(|turn| turn.content).collect()
}

async fn left(scratch: &Scratch) -> i64 {
    let count =
        scratch.database.read(|tx| tx.query_row("SELECT count(*) FROM deliveries", [], |row| row.get(0)));
    count.await.unwrap()
}

#[tokio::test]
async fn what_a_killed_program_had_posted_is_what_it_said() {
    let scratch = scratch().await;
    scratch.append(said(1, "Mika?")).await.unwrap();
    for now in [
        on_its_way(9, "", &[], Some("One.")),
        on_its_way(9, "One.", &[11], None),
        on_its_way(9, "One.", &[11], Some("Two.")),
        on_its_way(9, "One.\n\nTwo.", &[11, 12], None),
    ] {
        scratch.delivering(now).await.unwrap();
        assert!(own_words(&scratch).await.is_empty(), "a reply that goes on is not yet said");
    }
    let closed = scratch.close_deliveries().await.unwrap();
    assert_eq!(closed.len(), 1);
    let reply = &closed[0];
    assert_eq!((reply.turn, reply.messages, reply.text.as_str()), (TurnId(9), 2, "One.\n\nTwo."));
    assert_eq!((reply.answers.as_slice(), reply.place.channel.as_str()), (&[StoredId(1)][..], "7"));
    assert_eq!(reply.authors, [person(1, "").account]);
    assert_eq!(reply.at, said(0, "").at, "of then, not of the start that found it");
    assert_eq!(own_words(&scratch).await, ["One.\n\nTwo."]);
    assert_eq!(scratch.close_deliveries().await.unwrap(), [], "once");
    assert_eq!(left(&scratch).await, 0);
    // Both messages are known: what is done about one of them reaches the reply.
    let gone = scratch
        .delete(&channel(), &[MessageId::from(11), MessageId::from(12)], Timestamp::UNIX_EPOCH)
        .await
        .unwrap();
    assert_eq!(gone.len(), 1);
}

#[tokio::test]
async fn a_reply_that_is_stored_or_given_up_leaves_nothing_to_close() {
    let scratch = scratch().await;
    let reply = on_its_way(9, "One.", &[11], None);
    scratch.delivering(reply.clone()).await.unwrap();
    assert!(matches!(scratch.store(reply.reply).await.unwrap(), Appended::New(_)));
    scratch.delivering(on_its_way(10, "", &[], Some("Two."))).await.unwrap();
    scratch.not_delivered(TurnId(10)).await.unwrap();
    scratch.delivering(on_its_way(11, "my secret", &[12], None)).await.unwrap();
    scratch.forget(Vec::new(), Default::default(), None, std::sync::Arc::default()).await.unwrap();
    assert_eq!(left(&scratch).await, 0);
    assert_eq!(scratch.close_deliveries().await.unwrap(), []);
    assert_eq!(own_words(&scratch).await, ["One."]);
}

#[tokio::test]
async fn the_part_that_was_being_posted_counts_when_it_is_found_there() {
    let scratch = scratch().await;
    scratch.delivering(on_its_way(9, "One.", &[11], Some("Two.\n"))).await.unwrap();
    scratch.delivering(on_its_way(10, "", &[], Some("Alone."))).await.unwrap();
    assert_eq!(scratch.close_deliveries().await.unwrap().len(), 1);
    assert_eq!(own_words(&scratch).await, ["One."], "nobody knows whether the rest arrived");
    let here = channel();
    let arrived = |id: u64, text: &str| {
        scratch.arrived_after_all(&here, MessageId::from(id), text.to_owned(), Timestamp::UNIX_EPOCH)
    };
    assert!(!arrived(20, "I could not reach my model.").await.unwrap(), "a notice is no reply");
    assert!(!arrived(11, "One.").await.unwrap(), "known already");
    assert!(arrived(12, "Two.").await.unwrap());
    assert!(!arrived(12, "Two.").await.unwrap());
    assert!(arrived(13, "Alone.").await.unwrap());
    assert_eq!(own_words(&scratch).await, ["One.\n\nTwo.", "Alone."]);
    assert_eq!(left(&scratch).await, 0);
    // What was not found by the next start never arrived.
    scratch.delivering(on_its_way(14, "", &[], Some("Lost."))).await.unwrap();
    scratch.close_deliveries().await.unwrap();
    assert_eq!(left(&scratch).await, 1);
    scratch.close_deliveries().await.unwrap();
    assert_eq!(left(&scratch).await, 0);
}

#[tokio::test]
async fn a_message_that_was_growing_is_to_read_what_is_stored() {
    let scratch = scratch().await;
    let growing = |turn, arrived, message: u64| Delivering {
        grows: true,
        ..on_its_way(turn, arrived, &[message], None)
    };
    // One that is stored leaves nothing to do; nor does one that grew no further than its first piece.
    let whole = growing(9, "One. Two.", 11);
    scratch.delivering(whole.clone()).await.unwrap();
    scratch.store(whole.reply).await.unwrap();
    scratch.delivering(on_its_way(10, "Three.", &[12], None)).await.unwrap();
    scratch.delivering(growing(11, "Four. Five.", 13)).await.unwrap();
    assert_eq!(scratch.close_deliveries().await.unwrap().len(), 2);
    let repairs = scratch.open_repairs().await.unwrap();
    let [repair] = repairs.as_slice() else { panic!("{repairs:?}") };
    assert_eq!(
        (repair.pieces.as_slice(), repair.messages.as_slice()),
        (&["Four. Five.".to_owned()][..], &[MessageId::from(13)][..])
    );
}
