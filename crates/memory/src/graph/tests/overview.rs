//! People and topics at a glance.

use super::*;

#[tokio::test]
async fn people_and_topics_come_with_their_ties_within_a_bound_and_as_far_as_they_may_be_seen() {
    let stage = Stage::new().await;
    stage.says(1, "How do I splice this rope?", 0, None).await;
    stage.says(2, "Tuck the rope strands under three times.", 30, Some(0)).await;
    stage.says(1, "Thanks Ben!", 60, Some(30)).await;
    let graph = stage.graph();
    let all = graph.ask(Viewer::everything(), |view| view.overview(100)).await.unwrap();
    let named = |one: usize| all.things[one].label.as_deref().unwrap_or("?");
    let strongest = all.ties[0];
    let mut two = [named(strongest.one), named(strongest.other)];
    two.sort_unstable();
    assert_eq!(two, ["Ana", "Ben"], "what says most about two comes first");
    assert!(all.things.iter().any(|thing| thing.id.kind == NodeKind::Topic), "{all:?}");
    let topics = all.things.iter().filter(|thing| thing.id.kind == NodeKind::Topic).count();
    assert_eq!(all.spoken_of.len(), topics, "of each topic there is a message in which it is spoken of");
    let rope = all.things.iter().position(|thing| &*thing.id.key == "rope").unwrap();
    assert_eq!(all.times.get(&rope), Some(&2), "as often as it was said");
    assert!(all.ties.iter().all(|tie| tie.one < tie.other && tie.other < all.things.len()));
    assert!(all.ties.is_sorted_by(|a, b| a.strength >= b.strength));
    let two = graph.ask(Viewer::everything(), |view| view.overview(2)).await.unwrap();
    assert_eq!((two.things.len(), two.ties.len()), (2, 1));
    let elsewhere = Viewer::of(Visible::only([guild(8)]));
    let none = graph.ask(elsewhere, |view| view.overview(100)).await.unwrap();
    assert!(none.things.is_empty() && none.ties.is_empty(), "{none:?}");
}
