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
    let named = |one: usize| all.things[one].named.label.as_deref().unwrap_or("?");
    let strongest = all.ties[0];
    let mut two = [named(strongest.one), named(strongest.other)];
    two.sort_unstable();
    assert_eq!(two, ["Ana", "Ben"], "what says most about two comes first");
    assert!(all.things.iter().any(|thing| thing.named.id.kind == NodeKind::Topic), "{all:?}");
    let is_told = |thing: &Thing| (thing.named.id.kind == NodeKind::Topic) == thing.spoken_of.is_some();
    assert!(all.things.iter().all(is_told), "of each topic there is a message in which it is spoken of");
    let rope = all.things.iter().find(|thing| &*thing.named.id.key == "rope").unwrap();
    assert_eq!(rope.times, 2, "as often as it was said");
    assert!(all.ties.iter().all(|tie| tie.one < tie.other && tie.other < all.things.len()));
    assert!(all.ties.is_sorted_by(|a, b| a.strength >= b.strength));
    let two = graph.ask(Viewer::everything(), |view| view.overview(2)).await.unwrap();
    assert_eq!((two.things.len(), two.ties.len()), (2, 1));
    let elsewhere = Viewer::of(Visible::only([guild(8)]));
    let none = graph.ask(elsewhere, |view| view.overview(100)).await.unwrap();
    assert!(none.things.is_empty() && none.ties.is_empty(), "{none:?}");
}

#[tokio::test]
async fn two_accounts_of_one_person_are_one_from_the_moment_they_are_joined_until_they_are_parted() {
    let stage = Stage::new().await;
    stage.says(1, "How do I splice this rope?", 0, None).await;
    stage.says(2, "Tuck the rope strands under three times.", 30, Some(0)).await;
    stage.says(3, "Thanks Ben!", 60, Some(30)).await;
    stage.says(1, "Is that me?", 90, Some(60)).await;
    let people = async |graph: &Graph| -> Vec<NodeId> {
        let all = graph.ask(Viewer::everything(), |view| view.overview(100)).await.unwrap();
        let mut people: Vec<NodeId> = all.things.into_iter().map(|thing| thing.named.id).collect();
        people.retain(|id| id.kind == NodeKind::Person);
        people.sort();
        people
    };
    let graph = stage.kept().await;
    assert_eq!(people(&graph).await, [person(1), person(2), person(3)]);
    let joined =
        "---\naudience: guild:7\naccounts: [\"discord:3\"]\n---\n- Ana keeps bees. <!-- f=a to=guild:7 -->\n";
    stage.note("people/discord-1.md", joined);
    assert_eq!(people(&graph).await, [person(1), person(2)]);
    let (same, thanked) = graph
        .ask(Viewer::everything(), |view| {
            assert_eq!(view.person(&AccountId::discord(3))?, person(1));
            let now = moment(100);
            Ok((view.standing(&person(1), &person(3), now)?, view.standing(&person(3), &person(2), now)?))
        })
        .await
        .unwrap();
    assert!(same.is_none(), "nobody stands to themselves somehow: {same:?}");
    assert!(thanked.is_some_and(|standing| standing.bonds.iter().any(|bond| bond.kind == EdgeKind::Helped)));
    assert!(graph.verify().await.unwrap().is_empty());
    graph.close().await.unwrap();

    // Also where nobody followed it: the tables are those of another day.
    stage.note("people/discord-1.md", "- Ana keeps bees. <!-- f=a to=guild:7 -->\n");
    let parted = stage.kept().await;
    assert_eq!(people(&parted).await, [person(1), person(2), person(3)]);
    assert!(parted.verify().await.unwrap().is_empty());
}
