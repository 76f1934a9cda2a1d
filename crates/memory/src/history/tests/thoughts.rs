use jiff::Timestamp;

use super::super::Thoughts;
use super::*;

fn thoughts(turn: u64) -> Thoughts {
    Thoughts { turn: TurnId(turn), answered: Some("Ada".to_owned()), content: format!("thought {turn}") }
}

async fn kept(scratch: &Scratch, place: &Place) -> Vec<u64> {
    let kept = scratch.seen_by(&Visible::at(place)).thoughts(place, 10).await.unwrap();
    kept.into_iter().map(|thoughts| thoughts.turn.0).collect()
}

#[tokio::test]
async fn only_the_last_few_thoughts_of_a_channel_are_kept() {
    let scratch = scratch().await;
    let (here, there) = (guild_place(1), guild_place(2));
    for (message, place) in (1..).zip([&here, &there]) {
        scratch.append(NewTurn { place: place.clone(), ..said(message, "x") }).await.unwrap();
    }
    for turn in 1..=4 {
        scratch.keep_thoughts(&here, thoughts(turn), Timestamp::UNIX_EPOCH, 2).await.unwrap();
    }
    scratch.keep_thoughts(&there, thoughts(9), Timestamp::UNIX_EPOCH, 2).await.unwrap();
    assert_eq!(kept(&scratch, &here).await, [3, 4]);
    assert_eq!(kept(&scratch, &there).await, [9]);
    assert_eq!(scratch.seen_by(&Visible::at(&here)).thoughts(&here, 1).await.unwrap(), [thoughts(4)]);
    let narrower = Place { audience: Audience::Private(1_u64.into()), ..here.clone() };
    assert!(kept(&scratch, &narrower).await.is_empty(), "thought when others could see the channel");
    scratch.keep_thoughts(&here, thoughts(5), Timestamp::UNIX_EPOCH, 0).await.unwrap();
    assert!(kept(&scratch, &here).await.is_empty());
}

#[tokio::test]
async fn thoughts_go_when_a_message_is_taken_back_or_says_something_else() {
    let scratch = scratch().await;
    let (here, message) = (guild_place(7), MessageId::from(77));
    scratch.append(said(77, "my secret")).await.unwrap();
    scratch.keep_thoughts(&here, thoughts(1), Timestamp::UNIX_EPOCH, 2).await.unwrap();
    let edit =
        |words: &'static str| scratch.edit(&here.channel, &message, words.to_owned(), Timestamp::UNIX_EPOCH);
    edit("my secret").await.unwrap();
    assert_eq!(kept(&scratch, &here).await, [1], "it still says the same");
    edit("my s").await.unwrap();
    assert!(kept(&scratch, &here).await.is_empty());
    scratch.keep_thoughts(&here, thoughts(2), Timestamp::UNIX_EPOCH, 2).await.unwrap();
    scratch.delete(&here.channel, std::slice::from_ref(&message), Timestamp::UNIX_EPOCH).await.unwrap();
    assert!(kept(&scratch, &here).await.is_empty());
}
