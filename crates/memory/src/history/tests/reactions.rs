//! What reactions say to those who wrote something.

use std::sync::Arc;

use super::*;
use crate::domain::{Coming, Movement, Reaction, Stance, Stands, StoredId};
use crate::history::{KeptUnder, Mark, Told};

/// An emoji that says it.
fn emoji(stance: Stance) -> &'static str {
    match stance {
        Stance::Agrees => "👍",
        Stance::Likes => "❤️",
        Stance::Thanks => "🙏",
        Stance::Against => "👎",
    }
}

fn by(account: u64, message: u64, stance: Stance, stands: Stands) -> Reaction {
    with(account, message, emoji(stance), stands)
}

fn with(account: u64, message: u64, emoji: &str, stands: Stands) -> Reaction {
    Reaction {
        message: MessageId::from(message),
        by: AccountId::discord(account),
        emoji: emoji.to_owned(),
        stands,
        at: Timestamp::from_second(100).unwrap(),
    }
}

/// Who says what to the first message, as whoever follows hears it.
async fn told(history: &History) -> Vec<(AccountId, Stance)> {
    let followed = history.whole().follow(Mark::default(), 100).await.unwrap();
    let first = followed.told.into_iter().find_map(|told| match told {
        Told::Stands(heard) if heard.turn.id == StoredId(1) => Some(heard),
        _ => None,
    });
    first.unwrap().stances.into_iter().map(|one| (one.by, one.stance)).collect()
}

#[tokio::test]
async fn g3_a_reaction_is_kept_under_what_somebody_else_said_and_whoever_follows_hears_of_it() {
    let history = scratch_of(&[(1, "the ferry is late")]).await;
    history.append(replied(&[2], "It is.")).await.unwrap();
    let mark = history.whole().follow(Mark::default(), 100).await.unwrap().mark;
    let (here, ben) = (channel(), AccountId::discord(2));
    let put = |account, message, stance| history.react(&here, by(account, message, stance, Stands::Put));
    assert!(put(2, 1, Stance::Agrees).await.unwrap());
    assert!(!put(2, 1, Stance::Agrees).await.unwrap(), "once is enough");
    assert!(!put(1, 1, Stance::Likes).await.unwrap(), "nobody's own");
    assert!(!put(2, 2, Stance::Likes).await.unwrap(), "the familiar has feelings of its own for that");
    assert!(!put(2, 9, Stance::Likes).await.unwrap(), "nothing that is not stored");
    assert_eq!(told(&history).await, [(ben.clone(), Stance::Agrees)]);
    let since = history.whole().follow(mark, 100).await.unwrap().told;
    assert!(matches!(&since[..], [Told::Stands(heard)] if heard.stances.len() == 1), "{since:?}");
    assert!(history.react(&here, by(2, 1, Stance::Agrees, Stands::TakenAway)).await.unwrap());
    assert_eq!(told(&history).await, []);
    // What was taken back takes them along.
    put(2, 1, Stance::Thanks).await.unwrap();
    history.delete(&here, &[MessageId::from(1)], Timestamp::UNIX_EPOCH).await.unwrap();
    assert!(!history.react(&here, by(2, 1, Stance::Thanks, Stands::TakenAway)).await.unwrap());
}

#[tokio::test]
async fn contradiction_16_a_person_who_is_forgotten_takes_their_reactions_along_and_a_turn_comes_back_with_others()
 {
    let history = scratch_of(&[(1, "the ferry is late")]).await;
    for account in [2, 3] {
        history.react(&channel(), by(account, 1, Stance::Agrees, Stands::Put)).await.unwrap();
    }
    history
        .forget(Vec::new(), Default::default(), Some(AccountId::discord(2)), Arc::default())
        .await
        .unwrap();
    let left = [(AccountId::discord(3), Stance::Agrees)];
    assert_eq!(told(&history).await, left);
    let kept = history.whole().kept(vec![StoredId(1)]).await.unwrap();
    history.forget(vec![StoredId(1)], Default::default(), None, Arc::default()).await.unwrap();
    assert!(history.whole().follow(Mark::default(), 100).await.unwrap().told.is_empty());
    history.put_back(kept).await.unwrap();
    assert_eq!(told(&history).await, left);
}

/// The log under the first message: whose, which emoji, put or taken away.
async fn log(history: &History) -> Vec<(String, String, bool)> {
    let kept = history.whole().kept(vec![StoredId(1)]).await.unwrap();
    kept[0].reactions.iter().map(|(who, emoji, is_put, _)| (who.clone(), emoji.clone(), *is_put)).collect()
}

#[tokio::test]
async fn every_reaction_is_kept_as_it_came_and_went() {
    let history = scratch_of(&[(1, "the ferry is late")]).await;
    history.append(replied(&[2], "It is.")).await.unwrap();
    let here = channel();
    for (emoji, stands) in [
        ("😂", Stands::Put),
        ("😂", Stands::Put),
        (":ferry:", Stands::Put),
        ("😂", Stands::TakenAway),
        ("😂", Stands::TakenAway),
        ("👀", Stands::TakenAway),
        ("😂", Stands::Put),
    ] {
        assert!(!history.react(&here, with(2, 1, emoji, stands)).await.unwrap(), "{emoji} says nothing");
    }
    let (ben, own) =
        ("discord:2".to_owned(), |emoji: &str, is_put| ("discord:2".to_owned(), emoji.to_owned(), is_put));
    let expected = [own("😂", true), own(":ferry:", true), own("😂", false), own("😂", true)];
    assert_eq!(log(&history).await, expected, "{ben} put and took away, each told once");
    // The familiar's own messages have theirs too, and what is not stored has none.
    history.react(&here, with(2, 2, "👍", Stands::Put)).await.unwrap();
    history.react(&here, with(2, 9, "👍", Stands::Put)).await.unwrap();
    assert_eq!(history.whole().kept(vec![StoredId(2)]).await.unwrap()[0].reactions.len(), 1);
    assert_eq!(told(&history).await, []);
}

#[tokio::test]
async fn g3_what_two_emojis_say_is_said_until_both_are_gone() {
    let history = scratch_of(&[(1, "the ferry is late")]).await;
    let here = channel();
    let agrees = [(AccountId::discord(2), Stance::Agrees)];
    for emoji in ["👍", "👏"] {
        history.react(&here, with(2, 1, emoji, Stands::Put)).await.unwrap();
    }
    assert!(!history.react(&here, with(2, 1, "👍", Stands::TakenAway)).await.unwrap());
    assert_eq!(told(&history).await, agrees);
    assert!(history.react(&here, with(2, 1, "👏", Stands::TakenAway)).await.unwrap());
    assert_eq!(told(&history).await, []);
}

#[tokio::test]
async fn reactions_cleared_at_once_are_each_taken_away() {
    let history = scratch_of(&[(1, "the ferry is late")]).await;
    let here = channel();
    for (account, emoji) in [(2, "👍"), (2, "👏"), (3, "👍"), (3, "😂"), (4, "❤️")] {
        history.react(&here, with(account, 1, emoji, Stands::Put)).await.unwrap();
    }
    let at = Timestamp::from_second(200).unwrap();
    let message = MessageId::from(1);
    history.clear_reactions(&here, &message, Some("👍".to_owned()), at).await.unwrap();
    let left = [(AccountId::discord(2), Stance::Agrees), (AccountId::discord(4), Stance::Likes)];
    assert_eq!(told(&history).await, left, "who clapped still agrees");
    history.clear_reactions(&here, &message, None, at).await.unwrap();
    assert_eq!(told(&history).await, []);
    let log = log(&history).await;
    assert_eq!(
        (log.len(), log.iter().filter(|(.., is_put)| !is_put).count()),
        (10, 5),
        "nothing is rewritten"
    );
    history.clear_reactions(&here, &message, None, at).await.unwrap();
    assert_eq!(self::log(&history).await.len(), 10);
}

#[tokio::test]
async fn contradiction_16_what_somebody_put_under_others_messages_comes_back_once() {
    let history = scratch_of(&[(1, "the ferry is late")]).await;
    for emoji in ["👍", "😂"] {
        history.react(&channel(), with(2, 1, emoji, Stands::Put)).await.unwrap();
    }
    let before = history.whole().kept(vec![StoredId(1)]).await.unwrap();
    let ben = AccountId::discord(2);
    let kept = history.whole().kept_share(Vec::new(), Some(ben.clone()), Default::default()).await.unwrap();
    let with_it =
        history.whole().kept_share(vec![StoredId(1)], Some(ben.clone()), Default::default()).await.unwrap();
    assert_eq!((&with_it.turns, with_it.under), (&before, KeptUnder::default()));
    history.forget(Vec::new(), Default::default(), Some(ben.clone()), Arc::default()).await.unwrap();
    assert!(history.whole().kept(vec![StoredId(1)]).await.unwrap()[0].reactions.is_empty());
    for _ in 0..2 {
        history.put_share(kept.clone()).await.unwrap();
        assert_eq!(history.whole().kept(vec![StoredId(1)]).await.unwrap(), before);
    }
}

#[tokio::test]
async fn who_came_and_who_is_back_is_known_after_a_restart() {
    let history = scratch().await;
    let (ana, day) = (AccountId::discord(2), 86_400);
    let moved = |who: &AccountId, movement, second| Coming {
        guild: "7".parse().unwrap(),
        account: who.clone(),
        name: "Ana".to_owned(),
        movement,
        at: Timestamp::from_second(second).unwrap(),
    };
    let came = |who: &AccountId, second| history.came(moved(who, Movement::Came, second));
    assert_eq!(came(&ana, 10).await.unwrap().unwrap().away_since, None);
    assert_eq!(came(&ana, 15).await.unwrap(), None, "told twice, she still came once");
    history.came(moved(&ana, Movement::Left, day)).await.unwrap();
    let since = async |second| {
        let all = history.whole().came_since(Timestamp::from_second(second).unwrap()).await.unwrap();
        all.into_iter()
            .map(|one| (one.coming.account, one.away_since.map(Timestamp::as_second)))
            .collect::<Vec<_>>()
    };
    assert_eq!(since(0).await, [], "who left is no newcomer");
    let back = came(&ana, 10 * day).await.unwrap().unwrap();
    assert_eq!(back.away_since.unwrap().as_second(), day);
    let ben = AccountId::discord(3);
    came(&ben, 11 * day).await.unwrap();
    assert_eq!(since(9 * day).await, [(ana.clone(), Some(day)), (ben.clone(), None)]);
    assert_eq!(since(11 * day).await, [(ben.clone(), None)]);
    // It goes with her, and only hers.
    assert_eq!(history.left_traces(&ana).await.unwrap(), [10, day, 10 * day].map(|second| second * 1_000));
    history.forget(Vec::new(), Default::default(), Some(ana.clone()), Arc::default()).await.unwrap();
    assert_eq!(history.left_traces(&ana).await.unwrap(), [0; 0]);
    assert_eq!(since(0).await, [(ben, None)]);
}
