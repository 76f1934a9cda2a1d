//! Documents and pins: they live and go with their messages, and nobody finds what they could not see.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::domain::{BondId, StoredId};
use crate::history::{
    Begun, DOCUMENTS_A_DAY, DocumentText, NewDocument, NewPassage, NewPin, OwnFile, SaidWords, SourceId,
    SourceKind, SourceState,
};
use crate::text::keywords;

fn text(paragraphs: &[&str]) -> DocumentText {
    let one = |text: &&str| NewPassage { heading: "Rules".to_owned(), text: (*text).to_owned() };
    DocumentText { passages: paragraphs.iter().map(one).collect(), hash: "ab".to_owned(), left_out: 0 }
}

async fn begun(history: &History, turn: StoredId, name: &str) -> Begun {
    let now = Timestamp::from_second(100).unwrap();
    history.begin_document(NewDocument { turn, name: name.to_owned(), bytes: 2_048, now }).await.unwrap()
}

async fn uploaded(history: &History, turn: NewTurn, paragraphs: &[&str]) -> (StoredId, SourceId) {
    let turn = history.append(turn).await.unwrap().id;
    let Begun::Reading(id) = begun(history, turn, "rules.md").await else { panic!() };
    history.finish_document(id, Ok(text(paragraphs))).await.unwrap();
    (turn, id)
}

fn with_file(message: u64) -> NewTurn {
    said(message, "here is our rulebook\n> [file: rules.md, 2 KB]")
}

async fn found(history: &History, visible: &Visible, words: &str) -> Vec<String> {
    let seen = history.seen_by(visible);
    let (rows, _) = seen.passages_holding(keywords::forms(words), 100).await.unwrap();
    let rows: BTreeSet<i64> = rows.into_iter().flatten().collect();
    let passages = seen.passages(rows.into_iter().collect()).await.unwrap();
    passages.into_iter().map(|(_, passage)| passage.text).collect()
}

fn bytes(scratch: &Scratch) -> String {
    let files = fs::read_dir(scratch.folder.path()).unwrap();
    files.map(|file| String::from_utf8_lossy(&fs::read(file.unwrap().path()).unwrap()).into_owned()).collect()
}

#[tokio::test]
async fn a_document_is_found_paragraph_by_paragraph_in_whatever_language_it_is() {
    let history = scratch().await;
    let (turn, id) = uploaded(
        &history,
        with_file(1),
        &[
            "Grappling costs two actions.",
            "日本語の規則では、剣は毎朝磨かれる。",
            "Маяк зажигают с наступлением темноты.",
        ],
    )
    .await;
    assert_eq!(found(&history, &here(), "grappling").await, ["Grappling costs two actions."]);
    assert_eq!(found(&history, &here(), "маяки").await.len(), 1, "by its stem");
    assert_eq!(found(&history, &here(), "規則").await.len(), 1);
    let known = history.seen_by(&here()).documents_of(vec![turn]).await.unwrap();
    assert_eq!((known[0].id, known[0].kind, known[0].state), (id, SourceKind::Document, SourceState::Read));
    assert_eq!((known[0].author.as_deref(), known[0].passages), (Some("Alice"), 3));
    let rest = history.seen_by(&here()).passages_of(id, 1, 10).await.unwrap();
    assert_eq!(rest.iter().map(|one| one.ordinal).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(history.verify().await.unwrap(), []);
    history.spoil("DELETE FROM source_words WHERE rowid = 2").await;
    assert_eq!(history.verify().await.unwrap().len(), 1);
    history.rebuild().await.unwrap();
    assert_eq!(history.verify().await.unwrap(), []);
    assert_eq!(found(&history, &here(), "規則").await.len(), 1);
}

#[tokio::test]
async fn whoever_sent_a_file_is_handed_what_is_kept_of_it_with_their_message() {
    let history = scratch().await;
    let paragraphs = ["Grappling costs two actions.", "Nobody runs on deck."];
    let (turn, _) = uploaded(&history, with_file(1), &paragraphs).await;
    history.append(said(2, "no file here")).await.unwrap();
    let stored = history.seen_by(&here()).heard(vec![turn]).await.unwrap();
    let alice = stored[0].turn.author.clone().unwrap().account;
    let own = history.whole().own_turns(&alice, 10, 10_000).await.unwrap().turns;
    assert_eq!(own[0].files, []);
    let file = OwnFile { name: "rules.md".to_owned(), words: paragraphs.join("\n"), left_out: false };
    assert_eq!(own[1].files, [file]);
}

#[tokio::test]
async fn a_file_for_which_a_copy_has_no_room_is_named_in_it_and_takes_no_message_with_it() {
    let history = scratch_of(&[(1, "the oldest")]).await;
    let long = "Grappling costs two actions. ".repeat(200);
    for (message, words) in [(2, "Nobody runs on deck."), (3, long.as_str())] {
        uploaded(&history, with_file(message), &[words]).await;
    }
    let alice = AccountId::discord(1);
    let own = history.whole().own_turns(&alice, 10, 1_500).await.unwrap();
    assert!(own.is_all);
    let files: Vec<_> = own.turns.iter().flat_map(|turn| &turn.files).collect();
    let file =
        |words: &str, left_out| OwnFile { name: "rules.md".to_owned(), words: words.to_owned(), left_out };
    assert_eq!(files, [&file("", true), &file("Nobody runs on deck.", false)]);
    assert_eq!(own.turns[2].words, "the oldest");
    for (most, bytes, read) in [(10, 500, 1), (2, 1_500, 2)] {
        let some = history.whole().own_turns(&alice, most, bytes).await.unwrap();
        assert_eq!((some.turns.len(), some.is_all), (read, false), "{most}, {bytes}");
    }
}

#[tokio::test]
async fn a_document_goes_with_its_message_and_with_its_line() {
    let history = scratch().await;
    uploaded(&history, with_file(1), &["Grappling costs two actions."]).await;
    let at = Timestamp::from_second(200).unwrap();
    history.edit(&channel(), &1_u64.into(), "still > [file: rules.md, 2 KB]".to_owned(), at).await.unwrap();
    assert_eq!(found(&history, &here(), "grappling").await.len(), 1, "the words around it do not matter");
    history.edit(&channel(), &1_u64.into(), "the rulebook: rules.md, as was".to_owned(), at).await.unwrap();
    assert!(found(&history, &here(), "grappling").await.is_empty(), "whatever the text names");
    uploaded(&history, with_file(2), &["Grappling costs two actions."]).await;
    history.delete(&channel(), &[2_u64.into()], at).await.unwrap();
    assert!(found(&history, &here(), "grappling").await.is_empty());
    assert_eq!(history.verify().await.unwrap(), []);
}

#[tokio::test]
async fn what_is_read_after_its_message_went_is_not_kept() {
    let history = scratch().await;
    let turn = history.append(with_file(1)).await.unwrap().id;
    let Begun::Reading(id) = begun(&history, turn, "rules.md").await else { panic!() };
    assert_eq!(begun(&history, turn, "rules.md").await, Begun::Known);
    history.delete(&channel(), &[1_u64.into()], Timestamp::from_second(3).unwrap()).await.unwrap();
    history.finish_document(id, Ok(text(&["Grappling costs two actions."]))).await.unwrap();
    assert!(found(&history, &here(), "grappling").await.is_empty());
    assert_eq!(begun(&history, turn, "rules.md").await, Begun::Gone);
}

#[tokio::test]
async fn m9_a_forgotten_document_leaves_no_byte_and_comes_back_when_that_is_undone() {
    let history = scratch().await;
    uploaded(&history, with_file(1), &["The zebrafinch is called Quillon and sings at dawn."]).await;
    history.append(NewTurn { author: Some(person(2, "Ben")), ..said(2, "gloves?") }).await.unwrap();
    history.append(replied(&[3], "The book says: the zebrafinch is called Quillon.")).await.unwrap();
    let alice = AccountId::discord(1);
    let until = Timestamp::from_second(1_000).unwrap();
    let said = Some(SaidWords::By(alice.clone()));
    let chosen = history.chosen(said, BTreeSet::new(), HashSet::new(), until).await.unwrap();
    assert_eq!(chosen.replies.len(), 1, "what repeats the document is covered");
    let turns: Vec<StoredId> = chosen.turns().collect();
    let share =
        history.whole().kept_share(turns.clone(), Some(alice.clone()), Default::default()).await.unwrap();
    let words = history.whole().echoes_of(turns.clone()).await.unwrap();
    history.forget(turns, Default::default(), Some(alice), Arc::new(words)).await.unwrap();
    history.scrub().await.unwrap();
    assert!(found(&history, &here(), "zebrafinch").await.is_empty());
    assert!(!bytes(&history).contains("Quillon") && !bytes(&history).contains("rules.md"));
    history.put_share(share).await.unwrap();
    assert_eq!(found(&history, &here(), "zebrafinch").await.len(), 1);
    assert_eq!(history.verify().await.unwrap(), []);
}

/// Others may have been told of a file before it went, and who sent it may be forgotten long after.
#[tokio::test]
async fn m9_the_words_of_a_file_that_went_first_are_still_looked_for_when_its_message_is_forgotten() {
    let history = scratch().await;
    let words = "The zebrafinch is called Quillon and sings at dawn.";
    let at = Timestamp::from_second(200).unwrap();
    let (deleted, _) = uploaded(&history, with_file(1), &[words]).await;
    history.delete(&channel(), &[1_u64.into()], at).await.unwrap();
    let (edited, _) = uploaded(&history, with_file(2), &[words]).await;
    history.edit(&channel(), &2_u64.into(), "no file any more".to_owned(), at).await.unwrap();
    for turn in [deleted, edited] {
        let echoes = history.whole().echoes_of(vec![turn]).await.unwrap();
        assert!(echoes.are_in("The book says: the zebrafinch is called Quillon and sings."));
    }
    history.forget(vec![deleted, edited], Default::default(), None, Arc::default()).await.unwrap();
    history.scrub().await.unwrap();
    assert!(!bytes(&history).contains("Quillon"));
}

#[tokio::test]
async fn m9_words_are_looked_for_in_what_came_with_a_message_too() {
    let history = scratch().await;
    let (turn, _) =
        uploaded(&history, with_file(1), &["The zebrafinch is called Quillon.", "It sings at dawn."]).await;
    let until = Timestamp::from_second(1_000).unwrap();
    for (words, covered) in [("quillon zebrafinch", 1), ("quillon dawn", 0)] {
        let said = Some(SaidWords::with(AccountId::discord(1), words));
        let chosen = history.chosen(said, BTreeSet::new(), HashSet::new(), until).await.unwrap();
        assert_eq!(chosen.said.len(), covered, "{words}");
        assert!(chosen.said.iter().all(|one| *one == turn));
    }
}

fn pin(message: u64, by: u64, text: &str) -> NewPin {
    let at = Timestamp::from_second(1).unwrap();
    NewPin { message: message.into(), author: person(by, "Cem"), text: text.to_owned(), at }
}

#[tokio::test]
async fn pins_are_those_that_are_pinned_now() {
    let history = scratch_of(&[(5, "the harbour freezes tonight")]).await;
    let both = vec![pin(1, 3, "the marmalade is under the oak"), pin(5, 1, "the harbour freezes tonight")];
    history.put_pins(guild_place(7), both.clone()).await.unwrap();
    history.put_pins(guild_place(7), both.clone()).await.unwrap();
    assert_eq!(found(&history, &here(), "marmalade").await.len(), 1);
    history.put_pins(guild_place(7), both[1..].to_vec()).await.unwrap();
    assert!(found(&history, &here(), "marmalade").await.is_empty());
    let at = Timestamp::from_second(200).unwrap();
    history.edit(&channel(), &5_u64.into(), "the harbour thaws".to_owned(), at).await.unwrap();
    assert!(found(&history, &here(), "freezes").await.is_empty(), "what it said before is not told");
    history.put_pins(guild_place(7), both).await.unwrap();
    history.delete(&channel(), &[1_u64.into()], at).await.unwrap();
    assert!(found(&history, &here(), "marmalade").await.is_empty(), "also where it was never stored");
}

#[tokio::test]
async fn m9_what_somebody_said_that_is_pinned_is_forgotten_and_not_taken_in_again() {
    let history = scratch_of(&[(5, "the harbour freezes tonight")]).await;
    let pins = vec![pin(1, 3, "the marmalade is under the oak")];
    history.put_pins(guild_place(7), pins.clone()).await.unwrap();
    let cem = AccountId::discord(3);
    let until = Timestamp::from_second(1_000).unwrap();
    let said = Some(SaidWords::By(cem.clone()));
    let chosen = history.chosen(said, BTreeSet::new(), HashSet::new(), until).await.unwrap();
    history.forget(Vec::new(), chosen.pins, Some(cem), Arc::default()).await.unwrap();
    history.put_pins(guild_place(7), pins).await.unwrap();
    assert!(found(&history, &here(), "marmalade").await.is_empty());
}

#[tokio::test]
async fn m9_a_pin_that_was_never_stored_goes_with_every_request_that_covers_it_where_nothing_else_was_said() {
    let cem = AccountId::discord(3);
    let until = Timestamp::from_second(1_000).unwrap();
    let pins = vec![pin(1, 3, "the marmalade is under the old oak behind the chapel")];
    for said in
        [SaidWords::By(cem.clone()), SaidWords::with(cem.clone(), "marmalade oak"), SaidWords::In(channel())]
    {
        let history = scratch().await;
        history.put_pins(guild_place(7), pins.clone()).await.unwrap();
        let other = SaidWords::with(cem.clone(), "honey");
        let chosen = history.chosen(Some(other), BTreeSet::new(), HashSet::new(), until).await.unwrap();
        assert!(chosen.pins.is_empty());
        let chosen =
            history.chosen(Some(said.clone()), BTreeSet::new(), HashSet::new(), until).await.unwrap();
        let words = history.whole().pinned_words(chosen.pins.clone()).await.unwrap();
        assert_eq!(words, ["the marmalade is under the old oak behind the chapel"], "{said:?}");
        history.forget(Vec::new(), chosen.pins, None, Arc::default()).await.unwrap();
        assert!(found(&history, &here(), "marmalade").await.is_empty(), "{said:?}");
        history.put_pins(guild_place(7), pins.clone()).await.unwrap();
        assert!(found(&history, &here(), "marmalade").await.is_empty(), "it is not taken in again: {said:?}");
    }
    let history = scratch().await;
    history.put_pins(guild_place(7), pins).await.unwrap();
    history
        .append(replied(&[9], "As pinned: the marmalade is under the old oak behind the chapel."))
        .await
        .unwrap();
    let said = Some(SaidWords::By(cem));
    let chosen = history.chosen(said, BTreeSet::new(), HashSet::new(), until).await.unwrap();
    assert_eq!(chosen.replies.len(), 1, "what repeats it is covered");
}

#[tokio::test]
async fn no_more_documents_of_a_channel_are_read_in_a_day_than_may_be() {
    let history = scratch().await;
    for message in 1..=u64::from(DOCUMENTS_A_DAY) {
        uploaded(&history, with_file(message), &["words"]).await;
    }
    let one_more = history.append(with_file(90)).await.unwrap().id;
    assert_eq!(begun(&history, one_more, "rules.md").await, Begun::TooMany);
}

fn audience(number: u8) -> Audience {
    match number % 5 {
        0 => Audience::Guild(GuildId::from(1)),
        1 => Audience::Private(ChannelId::from(3)),
        2 => Audience::Dm(AccountId::discord(1)),
        3 => Audience::Shared(BondId(1)),
        _ => Audience::Guild(GuildId::from(2)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn contradiction_8_a_document_is_found_by_those_who_saw_its_message_and_by_nobody_else(
        sent in proptest::collection::vec(any::<u8>(), 1..8), sees in proptest::collection::vec(any::<u8>(), 0..4),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let history = scratch().await;
            let visible = Visible::only(sees.into_iter().map(audience));
            let mut expected = 0;
            let mut turns = Vec::new();
            for (message, number) in (1_u64..).zip(sent) {
                let place = Place { audience: audience(number), ..guild_place(100 + u64::from(number % 5)) };
                expected += usize::from(visible.includes(&place.audience));
                let sent = NewTurn { place, ..with_file(message) };
                turns.push(uploaded(&history, sent, &["the lighthouse keeper"]).await);
            }
            let seen = history.seen_by(&visible);
            assert_eq!(found(&history, &visible, "lighthouse").await.len(), expected);
            let (_, count) = seen.passages_holding(keywords::forms("lighthouse"), 100).await.unwrap();
            assert_eq!(count, expected, "not even by how many there are");
            assert_eq!(seen.sources(&channel(), 100).await.unwrap().len(), expected);
            let all = turns.iter().map(|(turn, _)| *turn).collect();
            assert_eq!(seen.documents_of(all).await.unwrap().len(), expected);
            for (_, id) in &turns {
                expected -= seen.passages_of(*id, 0, 9).await.unwrap().len();
            }
            assert_eq!(expected, 0);
        });
    }
}
