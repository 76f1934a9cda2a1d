//! What is forgotten leaves no byte, and comes back row for row.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::sync::Arc;

use super::*;
use crate::domain::StoredId;
use crate::history::{
    Added, Hindrance, KeptMessage, KeptTurn, NewSummary, PassedOver, SaidWords, Summary, SummaryLevel,
    fingerprint_of_turns,
};
use crate::text::echo::Echoes;

fn by(number: u64, name: &str, message: u64, content: &str) -> NewTurn {
    NewTurn { author: Some(person(number, name)), ..said(message, content) }
}

fn alone_with_alice() -> Place {
    let audience = Audience::Dm(AccountId::discord(1));
    Place { guild: None, kind: PlaceKind::Dm, audience, ..guild_place(9) }
}

/// Alice (1), Ben (2) and the familiar's answers to each.
async fn talk() -> Scratch {
    let history = scratch().await;
    history.append(by(1, "Alice", 1, "my zebrafinch is called Quillon")).await.unwrap();
    history.append(replied(&[2], "Quillon, then. A fine bird.")).await.unwrap();
    history.append(by(2, "Ben", 3, "the harbour freezes over tonight")).await.unwrap();
    history.append(replied(&[4], "Then we stay in.")).await.unwrap();
    history.append(by(1, "Alice", 5, "I buried the marmalade under the oak")).await.unwrap();
    history.edit(&channel(), &MessageId::from(5), "I burned the marmalade".to_owned(), at(6)).await.unwrap();
    history.append(by(2, "Ben", 7, "has anybody seen my gloves?")).await.unwrap();
    history.append(replied(&[8], "You said it yourself: my zebrafinch is called Quillon.")).await.unwrap();
    history
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

async fn all(history: &History) -> Vec<KeptTurn> {
    history.whole().kept_after(StoredId(0), 1_000).await.unwrap()
}

async fn everything_of_alice(history: &History) -> (Vec<StoredId>, Arc<Echoes>) {
    let alice = AccountId::discord(1);
    let chosen =
        history.chosen(Some(SaidWords::By(alice)), BTreeSet::new(), HashSet::new(), at(100)).await.unwrap();
    let turns: Vec<StoredId> = chosen.turns().collect();
    let echoes = history.whole().echoes_of(turns.clone()).await.unwrap();
    (turns, Arc::new(echoes))
}

async fn counts(history: &History) -> (usize, usize) {
    let all = all(history).await;
    let standing = all.iter().filter(|turn| turn.deleted_at_ms.is_none()).count();
    (standing, all.iter().map(|turn| turn.events.len()).sum())
}

fn bytes(scratch: &Scratch) -> String {
    let files = fs::read_dir(scratch.folder.path()).unwrap();
    files.map(|file| String::from_utf8_lossy(&fs::read(file.unwrap().path()).unwrap()).into_owned()).collect()
}

#[tokio::test]
async fn contradiction_16_what_a_platform_still_shows_of_the_forgotten_is_known_elsewhere_too() {
    let history = talk().await;
    let message = |id: u64| MessageId::from(id);
    assert_eq!(history.newest_message(&channel()).await.unwrap(), Some(message(8)));
    let (turns, echoes) = everything_of_alice(&history).await;
    history.forget(turns, Default::default(), Some(AccountId::discord(1)), echoes).await.unwrap();
    let is_forgotten =
        async |of: &History, id| of.afterwards(&channel(), &message(id)).await.unwrap().is_forgotten;
    assert!(is_forgotten(&history, 5).await && !is_forgotten(&history, 9).await);
    assert!(!is_forgotten(&history, 7).await, "Ben's stands");

    // Elsewhere, where the turns of others are there already, and where nothing is.
    let elsewhere = scratch().await;
    elsewhere.append(by(2, "Ben", 7, "has anybody seen my gloves?")).await.unwrap();
    let empty = scratch().await;
    for other in [&elsewhere, &empty] {
        other.put_state(history.whole().kept_channels().await.unwrap(), Default::default()).await.unwrap();
        assert!(is_forgotten(other, 5).await);
        let is_empty = all(other).await.is_empty();
        assert_eq!(is_forgotten(other, 7).await, is_empty);
        assert_eq!(other.newest_message(&channel()).await.unwrap(), Some(message(8)));
    }
    assert!(is_forgotten(&empty, 9).await, "nobody knows any more who could hear what was said since");
}

#[tokio::test]
async fn what_was_passed_over_goes_with_the_last_of_its_channel() {
    let history = talk().await;
    let stretch = PassedOver {
        worker: "writer".to_owned(),
        channel: channel(),
        first: StoredId(1),
        last: StoredId(4),
        why: Hindrance::Empty,
        tries: 0,
        not_before: Some(at(50)),
        since: at(50),
        answer: None,
    };
    history.pass_over(stretch.clone(), at(50)).await.unwrap();
    let left = async || history.passed_over("writer", &channel()).await.unwrap();
    history.forget(vec![StoredId(1)], Default::default(), None, Arc::default()).await.unwrap();
    assert_eq!(left().await, [stretch], "the rest is still to be read");
    let rest = (2..8).map(StoredId).collect();
    history.forget(rest, Default::default(), None, Arc::default()).await.unwrap();
    assert_eq!(left().await, []);
}

#[tokio::test]
async fn contradiction_16_a_persons_words_leave_no_byte_and_others_stay() {
    let history = talk().await;
    assert!(bytes(&history).contains("marmalade"));
    let (turns, echoes) = everything_of_alice(&history).await;
    assert_eq!(turns.len(), 4, "two of hers, the answer, and the one that repeats her: {turns:?}");
    history.forget(turns, Default::default(), Some(AccountId::discord(1)), echoes).await.unwrap();
    history.scrub().await.unwrap();
    let left: Vec<String> = all(&history).await.into_iter().map(|turn| turn.content).collect();
    assert_eq!(left, ["the harbour freezes over tonight", "Then we stay in.", "has anybody seen my gloves?"]);
    let bytes = bytes(&history).to_lowercase();
    for word in ["marmalad", "zebrafinch", "quillon", "buri", "alice", "discord:1\u{0}"] {
        assert!(!bytes.contains(word), "{word} is still in the files");
    }
    assert!(bytes.contains("harbour freezes"));
    let alice = AccountId::discord(1);
    let here = crate::domain::Visible::at(&guild_place(7));
    assert_eq!(history.seen_by(&here).acquaintance(&alice, None, None).await.unwrap().messages, 0);
}

#[tokio::test]
async fn contradiction_16_what_is_put_back_is_row_for_row_what_it_was() {
    let history = talk().await;
    history.delete(&channel(), &[MessageId::from(7)], at(9)).await.unwrap();
    let before = all(&history).await;
    let counted = counts(&history).await;
    let alice = AccountId::discord(1);
    let here = crate::domain::Visible::at(&guild_place(7));
    let known = history.seen_by(&here).acquaintance(&alice, None, None).await.unwrap();
    let (turns, echoes) = everything_of_alice(&history).await;
    let kept = history.whole().kept(turns.clone()).await.unwrap();
    history.forget(turns, Default::default(), Some(alice.clone()), echoes).await.unwrap();
    assert_eq!(history.put_back(kept.clone()).await.unwrap(), 4);
    assert_eq!(history.put_back(kept).await.unwrap(), 0, "twice is once");
    assert_eq!(all(&history).await, before);
    assert_eq!(counts(&history).await, counted);
    assert_eq!(history.seen_by(&here).acquaintance(&alice, None, None).await.unwrap(), known);
    let found = history.seen_by(&here).search("marmalade", 5, TokenEncoding::CharsOver4).await.unwrap();
    assert_eq!(found.len(), 1);
}

#[tokio::test]
async fn contradiction_16_of_a_reply_that_came_back_one_message_still_goes_alone() {
    let history = scratch().await;
    let words = "Tide is out.\n\nGulls sit.";
    let reply = history.store_reply(replied(&[10, 11], words), vec![0, 14]).await.unwrap().into_turn();
    let share = history.whole().kept_share(vec![reply.id], None, Arc::default()).await.unwrap();
    history.forget(vec![reply.id], Default::default(), None, Arc::default()).await.unwrap();
    // As it lies sealed until then.
    let share = serde_json::from_str(&serde_json::to_string(&share).unwrap()).unwrap();
    history.put_share(share).await.unwrap();
    history.delete(&channel(), &[10.into()], at(9)).await.unwrap();
    let left = all(&history).await.remove(0);
    assert_eq!((left.content.as_str(), left.deleted_at_ms), ("Gulls sit.", None));
    // A copy from before it was known where they begin is read as well.
    assert_eq!(serde_json::from_str::<KeptMessage>(r#"["10",0,null]"#).unwrap().3, None);
}

#[tokio::test]
async fn contradiction_16_summaries_over_forgotten_words_are_emptied_and_later_ones_that_repeat_them() {
    let history = talk().await;
    for (first, last, text) in [(1, 3, "Alice has a zebrafinch called Quillon."), (4, 6, "Quillon again.")] {
        let turns =
            history.whole().stretch(&channel(), first, last, TokenEncoding::CharsOver4).await.unwrap();
        let leaf = NewSummary {
            channel: channel(),
            summary: Summary {
                level: SummaryLevel::Leaf,
                audience: Audience::Guild(GuildId::from(1)),
                first_ordinal: first,
                last_ordinal: last,
                first_at: at(0),
                last_at: at(0),
                source_tokens: 10,
                tokens: 5,
                text: text.to_owned(),
                writer: "a model".to_owned(),
                made_at: at(0),
            },
            parts: Vec::new(),
            inputs: fingerprint_of_turns(&turns),
        };
        assert_eq!(history.add_summary(leaf).await.unwrap(), Added::Stored);
    }
    let chosen = history.chosen(None, [StoredId(1)].into(), HashSet::new(), at(100)).await.unwrap();
    let turns: Vec<StoredId> = chosen.turns().collect();
    let echoes = history.whole().echoes_of(turns.clone()).await.unwrap();
    assert!(echoes.are_in("It says: Alice has a zebrafinch called Quillon."), "what a model made of it");
    history.forget(turns, Default::default(), None, Arc::new(echoes)).await.unwrap();
    let chain = history.whole().summaries(&channel()).await.unwrap();
    assert!(chain[0].stale && chain[0].text.is_empty(), "{chain:?}");
    let places = history.whole().places_to_mend().await.unwrap();
    assert_eq!(places, [guild_place(7)]);
}

#[tokio::test]
async fn contradiction_16_what_was_said_alone_with_somebody_goes_whole_and_later_words_are_not_covered() {
    let history = scratch().await;
    let alone = alone_with_alice();
    history.append(NewTurn { place: alone.clone(), ..by(1, "Alice", 1, "one") }).await.unwrap();
    history.append(NewTurn { place: alone.clone(), ..replied(&[2], "two") }).await.unwrap();
    history.append(NewTurn { place: alone, ..by(1, "Alice", 50, "three") }).await.unwrap();
    let chosen = history
        .chosen(Some(SaidWords::By(AccountId::discord(1))), BTreeSet::new(), HashSet::new(), at(10))
        .await
        .unwrap();
    assert_eq!((chosen.said, chosen.replies), ([StoredId(1)].into(), [StoredId(2)].into()));
    let with = SaidWords::with(AccountId::discord(1), "threes");
    let chosen = history.chosen(Some(with), BTreeSet::new(), HashSet::new(), at(90)).await.unwrap();
    assert_eq!(chosen.said, [StoredId(3)].into());
}

#[tokio::test]
async fn contradiction_16_words_go_from_what_was_answered_to_whoever_said_them_however_shortly() {
    let history = scratch().await;
    for turn in [
        by(1, "Alice", 1, "my grandmother is Quillon"),
        replied(&[2], "Lovely."),
        by(1, "Alice", 3, "who is my grandmother?"),
        replied(&[4], "Quillon."),
        by(1, "Alice", 5, "thanks"),
        replied(&[6], "Any time."),
        by(2, "Ben", 7, "and who is Quillon?"),
        replied(&[8], "Quillon is a name."),
    ] {
        history.append(turn).await.unwrap();
    }
    let with = SaidWords::with(AccountId::discord(1), "Quillon");
    let chosen = history.chosen(Some(with), BTreeSet::new(), HashSet::new(), at(100)).await.unwrap();
    assert_eq!(chosen.said, [StoredId(1)].into());
    assert_eq!(chosen.replies, [StoredId(2), StoredId(4)].into(), "what others are told is theirs");
}

/// The familiar's own that go where Alice wants this name forgotten.
async fn told_again(history: &History) -> BTreeSet<StoredId> {
    let with = SaidWords::with(AccountId::discord(1), "Quillon");
    history.chosen(Some(with), BTreeSet::new(), HashSet::new(), at(10_000)).await.unwrap().replies
}

#[tokio::test]
async fn contradiction_16_words_go_from_answers_that_others_spoke_before_and_stay_where_others_told_them() {
    let history = scratch().await;
    for turn in [
        by(1, "Alice", 1, "my grandmother is Quillon"),
        by(2, "Ben", 3, "hm"),
        replied(&[4], "Quillon, lovely."),
        by(1, "Alice", 5, "and who is my grandmother?"),
        by(2, "Ben", 7, "hm"),
        replied(&[8], "Quillon."),
        by(2, "Ben", 9, "my hamster is Quillon too"),
        replied(&[10], "Quillon the hamster."),
        by(1, "Alice", 11, "nice"),
        NewTurn { reply_to: Some(MessageId::from(9)), ..replied(&[12], "A second Quillon.") },
    ] {
        history.append(turn).await.unwrap();
    }
    assert_eq!(told_again(&history).await, [StoredId(3), StoredId(6)].into());
}

#[tokio::test]
async fn contradiction_16_words_go_from_answers_as_far_as_an_exchange_reaches_and_from_replies_and_edits_wherever()
 {
    let history = scratch().await;
    history.append(by(1, "Alice", 1, "who is my grandmother?")).await.unwrap();
    for message in 2..11 {
        history.append(by(2, "Ben", message, "hm")).await.unwrap();
    }
    history.append(replied(&[11], "Quillon.")).await.unwrap();
    history.append(replied(&[12], "Quillon, again.")).await.unwrap();
    history
        .append(NewTurn { reply_to: Some(MessageId::from(1)), ..replied(&[13], "Quillon, to be clear.") })
        .await
        .unwrap();
    history.append(by(1, "Alice", 14, "thanks")).await.unwrap();
    history.append(by(2, "Ben", 15, "hm")).await.unwrap();
    history.append(replied(&[16], "It is Quillon.")).await.unwrap();
    history.edit(&channel(), &MessageId::from(16), "It is nobody.".to_owned(), at(17)).await.unwrap();
    assert_eq!(told_again(&history).await, [StoredId(11), StoredId(13), StoredId(16)].into());
    let greeted = history
        .append(NewTurn { place: alone_with_alice(), ..replied(&[18], "How is Quillon?") })
        .await
        .unwrap();
    assert!(told_again(&history).await.contains(&greeted.id), "said to her alone, though she did not speak");
}

/// Somebody passes a message of the channel on there.
async fn passes_on(history: &History, who: u64, message: u64, of: u64) -> StoredId {
    let turn = by(who, "Cem", message, &format!("> [forwarded: message — number {of}]"));
    let of = Some((channel(), MessageId::from(of)));
    history.store_said(turn, of).await.unwrap().into_turn().id
}

#[tokio::test]
async fn contradiction_16_whoever_only_passes_words_on_has_not_told_them() {
    let history = scratch().await;
    history.append(by(1, "Alice", 1, "my grandmother is Quillon")).await.unwrap();
    let passed_on = by(2, "Ben", 2, "> [forwarded: my grandmother is Quillon]");
    history.store_said(passed_on, Some((channel(), MessageId::from(1)))).await.unwrap();
    history.append(by(2, "Ben", 3, "hm")).await.unwrap();
    let answer = history.append(replied(&[4], "Quillon.")).await.unwrap();
    assert_eq!(told_again(&history).await, [answer.id].into());
}

#[tokio::test]
async fn contradiction_16_what_was_passed_on_goes_though_it_was_stored_before_what_it_passes_on() {
    let history = scratch().await;
    // As after a stop: the channel with these is read before hers.
    let (again, early) = (passes_on(&history, 3, 21, 20).await, passes_on(&history, 2, 20, 1).await);
    let hers = history.append(by(1, "Alice", 1, "my zebrafinch is called Quillon")).await.unwrap().id;
    assert_eq!(everything_of_alice(&history).await.0, [again, early, hers]);
}

#[tokio::test]
async fn contradiction_16_an_answer_that_goes_takes_with_it_what_passes_it_on() {
    let history = talk().await;
    let (answer, repeated) = (passes_on(&history, 2, 20, 2).await, passes_on(&history, 2, 21, 8).await);
    let (again, to_ben) = (passes_on(&history, 3, 22, 21).await, passes_on(&history, 3, 23, 4).await);
    let (turns, _) = everything_of_alice(&history).await;
    assert!([answer, repeated, again].iter().all(|turn| turns.contains(turn)), "{turns:?}");
    assert!(!turns.contains(&to_ben), "{turns:?}");
}

#[tokio::test]
async fn contradiction_16_what_others_passed_on_goes_with_whoever_said_it_and_comes_back_with_them() {
    let history = talk().await;
    let (hers, again) = (passes_on(&history, 2, 20, 1).await, passes_on(&history, 3, 21, 20).await);
    let (his, of_nobody) = (passes_on(&history, 3, 22, 3).await, passes_on(&history, 2, 23, 999).await);
    let before = all(&history).await;
    let (turns, echoes) = everything_of_alice(&history).await;
    assert!(turns.contains(&hers) && turns.contains(&again), "{turns:?}");
    assert!(!turns.contains(&his) && !turns.contains(&of_nobody), "{turns:?}");
    let kept = history.whole().kept(turns.clone()).await.unwrap();
    history.forget(turns.clone(), Default::default(), None, echoes).await.unwrap();
    assert_eq!(history.put_back(kept).await.unwrap(), turns.len());
    assert_eq!(all(&history).await, before);
    assert_eq!(everything_of_alice(&history).await.0, turns, "and it is still known what they pass on");
}

#[tokio::test]
async fn contradiction_16_words_that_were_edited_or_taken_back_are_found_and_leave_no_byte() {
    let history = talk().await;
    history.delete(&channel(), &[MessageId::from(1)], at(9)).await.unwrap();
    let with = async |words: &str| {
        let with = SaidWords::with(AccountId::discord(1), words);
        history.chosen(Some(with), BTreeSet::new(), HashSet::new(), at(100)).await.unwrap()
    };
    assert_eq!(with("buried under the oak").await.said, [StoredId(5)].into(), "she edited it");
    assert_eq!(with("zebrafinch").await.said, [StoredId(1)].into(), "she took it back");
    assert!(with("harbour").await.said.is_empty(), "Ben said it");
    let turns: Vec<StoredId> = with("buried").await.turns().collect();
    history.forget(turns, Default::default(), None, Arc::default()).await.unwrap();
    history.scrub().await.unwrap();
    assert!(!bytes(&history).to_lowercase().contains("buri"));
}

#[tokio::test]
async fn what_was_said_while_the_clock_was_fast_is_forgotten_too() {
    let history = scratch().await;
    let fast = history.append(said(5000, "my secret lover is Otto")).await.unwrap();
    let by = || Some(SaidWords::By(AccountId::discord(1)));
    let until = crate::history::ForgetUntil { at: at(100), newest: fast.id.0, newest_pin: 0 };
    let chosen = history.chosen(by(), BTreeSet::new(), HashSet::new(), until).await.unwrap();
    assert!(chosen.said.contains(&fast.id));
    let replayed = history.chosen(by(), BTreeSet::new(), HashSet::new(), at(100)).await.unwrap();
    assert!(replayed.said.is_empty(), "of a backup the time alone counts");
}
