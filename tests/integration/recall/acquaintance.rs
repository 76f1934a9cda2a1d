//! How two people know each other.

use familiar_connect::domain::*;

use super::{Archive, words};
use crate::support::stage::{channel, dm, ferry};

#[tokio::test]
async fn a11_how_two_people_know_each_other_is_told_from_what_they_said() {
    let mut archive = Archive::new().await;
    let asked = archive.says(&ferry(), "ana", "anybody here?", "2026-01-05T10:00:00Z").await;
    archive.says_to(&ferry(), "ben", "me!", "2026-01-05T10:01:00Z".parse().unwrap(), Some(asked)).await;
    archive.says(&ferry(), "ana", "hello then", "2026-01-05T10:02:00Z").await;
    archive.says(&channel(2, "#deck"), "ana", "tea", "2026-02-05T10:00:00Z").await;
    archive.says(&channel(2, "#deck"), "ben", "please", "2026-02-05T10:05:00Z").await;
    archive.says(&channel(2, "#deck"), "chiyo", "me too", "2026-02-05T20:05:00Z").await;
    let recalled = archive.ask("how do Ana and Ben know each other?", &ferry()).await;
    let found = words(&recalled);
    assert_eq!(recalled.found[0].key.split('/').next(), Some("graph"), "{found}");
    assert!(found.contains("Ben answered Ana on 5 January 2026"), "{found}");
    assert!(found.contains("Ben spoke right after Ana 2 times, last on 5 February 2026"), "{found}");
    assert!(found.contains("in deck, ferry."), "{found}");
}

#[tokio::test]
async fn a11_people_who_never_met_are_not_put_together() {
    let mut archive = Archive::new().await;
    archive.says(&ferry(), "ana", "hello", "2026-01-05T10:00:00Z").await;
    archive.says(&channel(2, "#deck"), "ben", "rain again", "2026-01-05T10:00:00Z").await;
    let found = archive.ask("how do Ana and Ben know each other?", &ferry()).await.found;
    assert!(!found.iter().any(|one| one.key.starts_with("graph")), "{found:?}");
}

#[tokio::test]
async fn a11_where_two_met_in_private_stays_private() {
    let mut archive = Archive::new().await;
    let hidden = Place { audience: Audience::Private(ChannelId::from(3)), ..channel(3, "#moderators") };
    archive.says(&hidden, "ana", "hello", "2026-01-05T10:00:00Z").await;
    archive.says(&hidden, "ben", "hello", "2026-01-05T10:00:30Z").await;
    archive.says(&ferry(), "ana", "nice weather", "2026-01-06T10:00:00Z").await;
    let question = "how do Ana and Ben know each other?";
    for place in [ferry(), dm("alice"), channel(4, "#other")] {
        let found = words(&archive.ask(question, &place).await);
        assert!(!found.contains("moderators") && !found.contains("spoke right after"), "{found}");
    }
    assert!(words(&archive.ask(question, &hidden).await).contains("moderators"));
}
