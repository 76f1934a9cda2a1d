//! What reactions say to those who wrote something.

use std::sync::Arc;

use super::*;
use crate::domain::{Reaction, Regard, Stands, StoredId};
use crate::history::{Mark, Told};

fn by(account: u64, message: u64, regard: Regard, stands: Stands) -> Reaction {
    Reaction {
        message: MessageId::from(message),
        by: AccountId::discord(account),
        regard,
        stands,
        at: Timestamp::from_second(100).unwrap(),
    }
}

/// Who says what to the first message, as whoever follows hears it.
async fn told(history: &History) -> Vec<(AccountId, Regard)> {
    let followed = history.follow(Mark::default(), 100).await.unwrap();
    let first = followed.told.into_iter().find_map(|told| match told {
        Told::Stands(heard) if heard.turn.id == StoredId(1) => Some(heard),
        _ => None,
    });
    first.unwrap().regards.into_iter().map(|one| (one.by, one.regard)).collect()
}

#[tokio::test]
async fn g3_a_reaction_is_kept_under_what_somebody_else_said_and_whoever_follows_hears_of_it() {
    let history = scratch().await;
    history.append(said(1, "the ferry is late")).await.unwrap();
    history.append(replied(&[2], "It is.")).await.unwrap();
    let mark = history.follow(Mark::default(), 100).await.unwrap().mark;
    let (here, ben) = (channel(), AccountId::discord(2));
    let put = |account, message, regard| history.regard(&here, by(account, message, regard, Stands::Put));
    assert!(put(2, 1, Regard::Agrees).await.unwrap());
    assert!(!put(2, 1, Regard::Agrees).await.unwrap(), "once is enough");
    assert!(!put(1, 1, Regard::Likes).await.unwrap(), "nobody's own");
    assert!(!put(2, 2, Regard::Likes).await.unwrap(), "the familiar has feelings of its own for that");
    assert!(!put(2, 9, Regard::Likes).await.unwrap(), "nothing that is not stored");
    assert_eq!(told(&history).await, [(ben.clone(), Regard::Agrees)]);
    let since = history.follow(mark, 100).await.unwrap().told;
    assert!(matches!(&since[..], [Told::Stands(heard)] if heard.regards.len() == 1), "{since:?}");
    assert!(history.regard(&here, by(2, 1, Regard::Agrees, Stands::TakenAway)).await.unwrap());
    assert_eq!(told(&history).await, []);
    // What was taken back takes them along.
    put(2, 1, Regard::Thanks).await.unwrap();
    history.delete(&here, &[MessageId::from(1)], Timestamp::UNIX_EPOCH).await.unwrap();
    assert!(!history.regard(&here, by(2, 1, Regard::Thanks, Stands::TakenAway)).await.unwrap());
}

#[tokio::test]
async fn contradiction_16_a_person_who_is_forgotten_takes_their_reactions_along_and_a_turn_comes_back_with_others()
 {
    let history = scratch().await;
    history.append(said(1, "the ferry is late")).await.unwrap();
    for account in [2, 3] {
        history.regard(&channel(), by(account, 1, Regard::Agrees, Stands::Put)).await.unwrap();
    }
    history.forget(Vec::new(), Some(AccountId::discord(2)), Arc::default()).await.unwrap();
    let left = [(AccountId::discord(3), Regard::Agrees)];
    assert_eq!(told(&history).await, left);
    let kept = history.kept(vec![StoredId(1)]).await.unwrap();
    history.forget(vec![StoredId(1)], None, Arc::default()).await.unwrap();
    assert!(history.follow(Mark::default(), 100).await.unwrap().told.is_empty());
    history.put_back(kept).await.unwrap();
    assert_eq!(told(&history).await, left);
}
