//! Finding what means the same in other words, with a model that knows a few synonyms; and nothing more than that.

use familiar_connect::config::RecallMethod;
use familiar_connect::context::recall::{Meaning, Pace};
use familiar_connect::domain::*;
use familiar_connect::embedding::Embeddings;

use std::sync::Arc;

use super::leaks::{may_see, places};
use super::{Archive, query, seer, words};
use crate::support::embedder::WordHashes;
use crate::support::stage::ferry;

const AT: &str = "2026-03-01T10:00:00Z";

async fn talk(archive: &mut Archive) -> MessageId {
    let quay = ferry();
    let message = archive.says(&quay, "ben", "ferry at nine", AT).await;
    for (number, said) in
        ["tea with lemon please", "rain again all week", "who has the red lantern", "good night"]
            .iter()
            .enumerate()
    {
        archive.says(&quay, "cleo", said, &format!("2026-03-0{}T10:00:00Z", number + 2)).await;
    }
    message
}

#[tokio::test]
async fn y11_what_means_the_same_is_found_in_other_words() {
    let mut plain = Archive::new().await;
    talk(&mut plain).await;
    assert_eq!(words(&plain.ask("vessel?", &ferry()).await), "");
    let mut archive = Archive::with_model(WordHashes::named("words")).await;
    talk(&mut archive).await;
    archive.read_by_model().await;
    let found = words(&archive.ask("vessel?", &ferry()).await);
    assert!(found.starts_with("ferry at nine"), "{found}");
    assert!(!found.contains("good night"), "{found}");
}

#[tokio::test]
async fn y11_the_vector_method_goes_by_the_model_where_there_is_one() {
    let mut archive = Archive::with_model(WordHashes::named("words")).await;
    talk(&mut archive).await;
    for number in 0..60 {
        let said = format!("tonight there is page {number} of the long tide table to copy out for the mate");
        archive.says(&ferry(), "cleo", &said, "2026-03-08T10:00:00Z").await;
    }
    archive.read_by_model().await;
    let mut query = query("vessel tonight?", RecallMethod::Vector);
    query.circumstances.least = 0.0;
    let found = words(&archive.recall.run(&query, &seer(&ferry()), 1).await);
    assert!(found.starts_with("ferry at nine"), "{found}");
}

#[tokio::test]
async fn y11_until_the_model_has_read_a_turn_its_words_find_it() {
    let mut archive = Archive::with_model(WordHashes::named("words")).await;
    talk(&mut archive).await;
    archive.read_by_model().await;
    archive.says(&ferry(), "ben", "the blue lantern hangs in the hold", "2026-03-09T10:00:00Z").await;
    let found = words(&archive.ask("where is the blue lantern?", &ferry()).await);
    assert!(found.contains("hangs in the hold"), "{found}");
}

#[tokio::test]
async fn y11_what_was_taken_back_or_reads_differently_means_nothing_any_more() {
    let mut archive = Archive::with_model(WordHashes::named("words")).await;
    let message = talk(&mut archive).await;
    archive.read_by_model().await;
    let (channel, at) = (ferry().channel, "2026-03-10T10:00:00Z".parse().unwrap());
    archive.history.edit(&channel, &message, "kitten at nine".to_owned(), at).await.unwrap();
    assert_eq!(archive.read_by_model().await, 1);
    assert_eq!(words(&archive.ask("vessel?", &ferry()).await), "");
    assert!(words(&archive.ask("feline?", &ferry()).await).contains("kitten"));
    archive.history.delete(&channel, &[message], at).await.unwrap();
    archive.read_by_model().await;
    assert_eq!(words(&archive.ask("feline?", &ferry()).await), "");
}

#[tokio::test]
async fn m10_what_was_said_before_few_is_not_found_by_its_meaning_either() {
    let mut archive = Archive::with_model(WordHashes::named("words")).await;
    for (number, place) in places().iter().enumerate() {
        archive.says(place, "ben", &format!("ferry sank place{number}"), AT).await;
    }
    archive.read_by_model().await;
    for here in places() {
        let found = words(&archive.ask("vessel?", &here).await);
        for (number, place) in places().iter().enumerate() {
            let is_found = found.contains(&format!("place{number}"));
            assert!(!is_found || may_see(&place.audience, &here), "{place:?} in {here:?}: {found}");
            assert!(is_found || place.audience != here.audience, "{place:?} in {here:?}: {found}");
        }
    }
}

#[tokio::test]
async fn y11_the_model_reads_each_turn_once_and_another_model_all_of_them() {
    let mut archive = Archive::with_model(WordHashes::named("words")).await;
    talk(&mut archive).await;
    assert_eq!(archive.read_by_model().await, 5);
    assert_eq!(archive.read_by_model().await, 0);
    let file = archive.home.embeddings_db();
    for (name, expected) in [("words", 0), ("others", 5), ("others", 0), ("words", 5)] {
        let model = Arc::new(WordHashes::named(name));
        let meaning = Meaning::new(Embeddings::with(Arc::clone(&model) as _, 1), file.clone());
        meaning.catch_up(&archive.history, Pace::Full).await.unwrap();
        assert_eq!(model.given(), expected, "{name}");
    }
}

#[tokio::test]
async fn what_the_model_once_made_of_messages_is_what_it_would_make_of_them() {
    let mut archive = Archive::with_model(WordHashes::named("words")).await;
    let message = talk(&mut archive).await;
    archive.read_by_model().await;
    assert_eq!(archive.compared(3).await, (3, 0), "a sample");
    assert_eq!(archive.compared(100).await, (5, 0));
    // A message that reads differently, and the model has not read it since.
    let (channel, at) = (ferry().channel, "2026-03-10T10:00:00Z".parse().unwrap());
    archive.history.edit(&channel, &message, "kitten at nine".to_owned(), at).await.unwrap();
    assert_eq!(archive.compared(100).await, (5, 1));
}
