//! Summaries in the history: in force whole or not at all, and never over words that changed.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::domain::StoredId;
use crate::history::{
    Added, KeptState, NewSummary, Summary, SummaryLevel, Visible, WindowQuery, fingerprint_of_summaries,
    fingerprint_of_turns,
};

const ENCODING: TokenEncoding = TokenEncoding::CharsOver4;

async fn leaf(history: &Scratch, first: u64, last: u64, text: &str) -> NewSummary {
    let turns = history.whole().stretch(&channel(), first, last, ENCODING).await.unwrap();
    NewSummary {
        channel: channel(),
        summary: Summary {
            level: SummaryLevel::Leaf,
            audience: Audience::Guild(GuildId::from(1)),
            first_ordinal: first,
            last_ordinal: last,
            first_at: Timestamp::UNIX_EPOCH,
            last_at: Timestamp::UNIX_EPOCH,
            source_tokens: 100,
            tokens: 5,
            text: text.to_owned(),
            writer: "test".to_owned(),
            made_at: Timestamp::UNIX_EPOCH,
        },
        parts: Vec::new(),
        inputs: fingerprint_of_turns(&turns),
    }
}

fn fold_of(leaf: NewSummary) -> NewSummary {
    NewSummary { summary: Summary { level: SummaryLevel::Fold, ..leaf.summary }, ..leaf }
}

fn made_at(at: Timestamp, new: NewSummary) -> NewSummary {
    NewSummary { summary: Summary { made_at: at, ..new.summary }, ..new }
}

async fn talk(turns: u64) -> Scratch {
    let history = scratch().await;
    for n in 1..=turns {
        history.append(said(n, &format!("m{n}"))).await.unwrap();
    }
    history
}

fn newest_two() -> WindowQuery {
    WindowQuery {
        mode: said(1, "").mode,
        rough_tokens: u64::MAX,
        max_turns: 2,
        until: None,
        encoding: ENCODING,
    }
}

async fn texts(history: &Scratch) -> Vec<(String, bool)> {
    let chain = history.whole().summaries(&channel()).await.unwrap();
    chain.into_iter().map(|kept| (kept.summary.text, kept.stale)).collect()
}

#[tokio::test]
async fn y9_a_summary_of_changed_words_is_thrown_away_and_none_covers_a_turn_twice() {
    let history = talk(9).await;
    let first = leaf(&history, 1, 3, "one").await;
    history.edit(&channel(), &MessageId::from(2), "else".to_owned(), Timestamp::UNIX_EPOCH).await.unwrap();
    assert_eq!(history.add_summary(first).await.unwrap(), Added::Outdated);
    assert_eq!(history.add_summary(leaf(&history, 1, 3, "one").await).await.unwrap(), Added::Stored);
    assert_eq!(history.add_summary(leaf(&history, 1, 3, "again").await).await.unwrap(), Added::Outdated);
    assert_eq!(history.add_summary(leaf(&history, 5, 6, "a hole").await).await.unwrap(), Added::Outdated);
    assert_eq!(history.add_summary(leaf(&history, 4, 6, "two").await).await.unwrap(), Added::Stored);
    let conversation = history.seen_by(&here()).conversation(&channel(), newest_two()).await.unwrap();
    assert_eq!((conversation.covered_to, conversation.uncovered), (6, 3));
    let turns: Vec<_> = conversation.turns.into_iter().map(|placed| placed.turn.content).collect();
    assert_eq!(turns, ["m8", "m9"]);
}

#[tokio::test]
async fn y9_a_deletion_empties_every_summary_over_it_at_once() {
    let history = talk(6).await;
    for (first, last, text) in [(1, 3, "one"), (4, 6, "two")] {
        history.add_summary(leaf(&history, first, last, text).await).await.unwrap();
    }
    let parts = history.whole().summaries(&channel()).await.unwrap();
    let fold = NewSummary {
        parts: parts.iter().map(|part| part.id).collect(),
        inputs: fingerprint_of_summaries(&parts),
        ..fold_of(leaf(&history, 1, 6, "both").await)
    };
    assert_eq!(history.add_summary(fold.clone()).await.unwrap(), Added::Stored);
    assert_eq!(texts(&history).await, [("both".to_owned(), false)]);
    history.delete(&channel(), &[MessageId::from(5)], Timestamp::UNIX_EPOCH).await.unwrap();
    assert_eq!(texts(&history).await, [("one".to_owned(), false), (String::new(), true)]);
    assert_eq!(
        history.add_summary(fold).await.unwrap(),
        Added::Outdated,
        "its parts are no longer what they were"
    );
    assert_eq!(history.add_summary(leaf(&history, 4, 6, "mended").await).await.unwrap(), Added::Stored);
    assert_eq!(texts(&history).await, [("one".to_owned(), false), ("mended".to_owned(), false)]);
}

#[tokio::test]
async fn y9_nothing_stands_for_a_summary_that_waits_to_be_made_anew() {
    let history = talk(9).await;
    for (first, last, text) in [(1, 3, "one"), (4, 6, "two"), (7, 9, "three")] {
        history.add_summary(leaf(&history, first, last, text).await).await.unwrap();
    }
    history.edit(&channel(), &MessageId::from(2), "else".to_owned(), Timestamp::UNIX_EPOCH).await.unwrap();
    let parts: Vec<_> =
        history.whole().summaries(&channel()).await.unwrap().into_iter().filter(|part| !part.stale).collect();
    let fold = NewSummary {
        parts: parts.iter().map(|part| part.id).collect(),
        inputs: fingerprint_of_summaries(&parts),
        ..fold_of(leaf(&history, 4, 9, "two and three").await)
    };
    assert_eq!(history.add_summary(fold.clone()).await.unwrap(), Added::Outdated);
    assert_eq!(history.add_summary(leaf(&history, 1, 3, "else").await).await.unwrap(), Added::Stored);
    let said: Vec<String> = texts(&history).await.into_iter().map(|(text, _)| text).collect();
    assert_eq!(said, ["else", "two", "three"]);
}

#[tokio::test]
async fn y9_a_prompt_that_was_cut_before_a_fold_still_finds_what_stood_there() {
    let history = talk(60).await;
    let at = |second: u64| Timestamp::from_second(i64::try_from(second).unwrap()).unwrap();
    let mut folded = Vec::new();
    for number in 1..=6 {
        let (first, last) = (number * 10 - 9, number * 10);
        let made = leaf(&history, first, last, &format!("leaf {number}")).await;
        let made = made_at(at(last), made);
        assert_eq!(history.add_summary(made).await.unwrap(), Added::Stored);
        let parts = history.whole().summaries(&channel()).await.unwrap();
        let fold = NewSummary {
            parts: parts.iter().map(|part| part.id).collect(),
            inputs: fingerprint_of_summaries(&parts),
            ..made_at(at(last + 1), fold_of(leaf(&history, 1, last, &format!("fold {number}")).await))
        };
        assert_eq!(history.add_summary(fold).await.unwrap(), Added::Stored);
        folded.push(at(last + 1));
        if number == 2 {
            let chain =
                history.seen_by(&here()).conversation(&channel(), newest_two()).await.unwrap().summaries;
            let kept: Vec<_> = chain.iter().map(|summary| summary.text.as_str()).collect();
            assert_eq!(kept, ["leaf 1", "fold 1", "leaf 2", "fold 2"], "what stood before the first fold");
        }
    }
    assert_eq!(texts(&history).await, [("fold 6".to_owned(), false)], "one is in force");
    let chain = history.seen_by(&here()).conversation(&channel(), newest_two()).await.unwrap().summaries;
    let kept: Vec<_> = chain.iter().map(|summary| (summary.text.as_str(), summary.replaced_at)).collect();
    assert_eq!(
        kept,
        [
            ("fold 2", Some(folded[2])),
            ("leaf 3", Some(folded[2])),
            ("fold 3", Some(folded[3])),
            ("leaf 4", Some(folded[3])),
            ("fold 4", Some(folded[4])),
            ("leaf 5", Some(folded[4])),
            ("fold 5", Some(folded[5])),
            ("leaf 6", Some(folded[5])),
            ("fold 6", None),
        ]
    );
    history.delete(&channel(), &[MessageId::from(3)], Timestamp::UNIX_EPOCH).await.unwrap();
    let chain = history.seen_by(&here()).conversation(&channel(), newest_two()).await.unwrap().summaries;
    assert!(
        chain.iter().all(|summary| !summary.text.starts_with("fold")),
        "words that were taken back are in none"
    );
}

#[tokio::test]
async fn m3_what_was_said_long_ago_and_is_summed_up_is_still_found() {
    let history = talk(6).await;
    history.append(said(7_000_000, "months later")).await.unwrap();
    history.add_summary(leaf(&history, 1, 6, "old talk").await).await.unwrap();
    let everyone = Visible::only([Audience::Guild(GuildId::from(1))]);
    let found = history.seen_by(&everyone).search("m3", 5, ENCODING).await.unwrap();
    assert_eq!(found[0].turn.content, "m3", "older than 30 days, under a summary, and as it was");
}

/// What a summary of these turns reads like: it can be made anew from them and from nothing else.
async fn made_from_turns(history: &Scratch, first: u64, last: u64) -> NewSummary {
    let turns = history.whole().stretch(&channel(), first, last, ENCODING).await.unwrap();
    let said: Vec<&str> = turns.iter().map(|turn| turn.content.as_str()).collect();
    leaf(history, first, last, &format!("({})", said.join(" "))).await
}

/// Every summary that is kept: level, first, last, words, what it was made from, whether it waits to be made anew.
type Row = (i64, u64, u64, String, String, bool);

async fn rows(history: &Scratch) -> Vec<Row> {
    let read = history.read(|tx| {
        tx.prepare(
            "SELECT level, first_ordinal, last_ordinal, text, inputs, stale FROM crystals
             WHERE channel = '7' ORDER BY level, first_ordinal, last_ordinal",
        )?
        .query_map([], |row| {
            let ordinal = |at: usize| row.get::<_, i64>(at).map(i64::unsigned_abs);
            Ok((row.get(0)?, ordinal(1)?, ordinal(2)?, row.get(3)?, row.get(4)?, row.get(5)?))
        })?
        .collect()
    });
    read.await.unwrap()
}

async fn mend(history: &Scratch) {
    for (level, first, last, _, _, is_stale) in rows(history).await {
        if level == 0 && is_stale {
            let anew = made_from_turns(history, first, last).await;
            assert_eq!(history.add_summary(anew).await.unwrap(), Added::Stored);
        }
    }
}

/// One text for all that is summed up so far.
async fn fold(history: &Scratch) {
    let parts = history.whole().summaries(&channel()).await.unwrap();
    if parts.len() < 2 || parts.iter().any(|part| part.stale) {
        return;
    }
    let words: String = parts.iter().map(|part| part.text.as_str()).collect();
    let last = parts.iter().map(|part| part.last_ordinal).max().unwrap();
    let made = NewSummary {
        parts: parts.iter().map(|part| part.id).collect(),
        inputs: fingerprint_of_summaries(&parts),
        ..fold_of(leaf(history, 1, last, &words).await)
    };
    assert_eq!(history.add_summary(made).await.unwrap(), Added::Stored);
}

#[derive(Debug, Clone)]
enum Act {
    Say(u8),
    Edit(u64, u8),
    TakeBack(u64),
    Forget(i64),
    PutBack,
    SumUp(u64),
    Fold,
    Mend,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        8 => any::<u8>().prop_map(Act::Say),
        2 => (1_u64..30, any::<u8>()).prop_map(|(which, words)| Act::Edit(which, words)),
        1 => (1_u64..30).prop_map(Act::TakeBack),
        2 => (1_i64..30).prop_map(Act::Forget),
        1 => Just(Act::PutBack),
        4 => (1_u64..5).prop_map(Act::SumUp),
        2 => Just(Act::Fold),
        1 => Just(Act::Mend),
    ]
}

async fn lived(acts: Vec<Act>) -> Scratch {
    let history = scratch().await;
    let (mut next, mut forgotten) = (1, Vec::new());
    for act in acts {
        match act {
            Act::Say(words) => {
                history.append(said(next, &format!("said {words}"))).await.unwrap();
                next += 1;
            }
            Act::Edit(which, words) => {
                let words = format!("edited {words}");
                history.edit(&channel(), &which.into(), words, Timestamp::UNIX_EPOCH).await.unwrap();
            }
            Act::TakeBack(which) => {
                history.delete(&channel(), &[which.into()], Timestamp::UNIX_EPOCH).await.unwrap();
            }
            Act::Forget(row) => {
                forgotten.extend(history.whole().kept(vec![StoredId(row)]).await.unwrap());
                history.forget(vec![StoredId(row)], Default::default(), None, Arc::default()).await.unwrap();
            }
            Act::PutBack => {
                history.put_back(std::mem::take(&mut forgotten)).await.unwrap();
            }
            Act::SumUp(turns) => {
                let covered = rows(&history).await.iter().filter(|row| row.0 == 0).map(|row| row.2).max();
                let first = covered.unwrap_or(0) + 1;
                let made = made_from_turns(&history, first, first + turns - 1).await;
                if first + turns <= next {
                    assert_eq!(history.add_summary(made).await.unwrap(), Added::Stored);
                }
            }
            Act::Fold => fold(&history).await,
            Act::Mend => mend(&history).await,
        }
        // At every moment, also while some wait to be made anew.
        assert_eq!(history.verify().await.unwrap(), []);
    }
    history
}

async fn compared(acts: Vec<Act>) {
    let history = lived(acts).await;
    mend(&history).await;
    let anew = scratch().await;
    anew.put_state(history.whole().kept_channels().await.unwrap(), KeptState::default()).await.unwrap();
    anew.put_back(history.whole().kept_after(StoredId(0), 1_000).await.unwrap()).await.unwrap();
    let kept = rows(&history).await;
    let leaves: Vec<Row> = kept.iter().filter(|row| row.0 == 0).cloned().collect();
    for (_, first, last, ..) in &leaves {
        let made = made_from_turns(&anew, *first, *last).await;
        assert_eq!(anew.add_summary(made).await.unwrap(), Added::Stored);
    }
    assert_eq!(leaves, rows(&anew).await);
    for (_, _, last, text, _, _) in kept.iter().filter(|row| row.0 == 1) {
        let under: String =
            leaves.iter().filter(|leaf| leaf.2 <= *last).map(|leaf| leaf.3.as_str()).collect();
        assert_eq!(*text, under, "a summary of summaries is that of what they read now");
    }
    assert_eq!((history.verify().await.unwrap(), anew.verify().await.unwrap()), (vec![], vec![]));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn contradiction_2_summaries_kept_up_with_every_change_are_those_made_anew(
        acts in proptest::collection::vec(act(), 1..40)
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        runtime.block_on(compared(acts));
    }
}
