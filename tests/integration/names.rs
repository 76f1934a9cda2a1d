//! By which names people stand in what a model is asked.

use std::collections::BTreeMap;

use familiar_connect::domain::*;
use familiar_connect::world::Sighting;

use crate::support::stage::{CALLED, Stage, dm, ferry, known_as};

/// Six people: how they are shown, and their handles.
const PEOPLE: [(u64, &str, &str); 8] = [
    (1, "Alice", "alice"),
    (2, "Alice", "alice_2"),
    (3, "Al\u{200b}ice", "alice_3"),
    (4, "Аlice", "cyrilla"),
    (5, "System", "sid"),
    (6, "Mika", "mick"),
    (7, "Μіka\u{2060}", "greek"),
    (8, "Alice (alice_2)", "eve"),
];

async fn says(stage: &mut Stage, place: &Place, (id, shown, handle): (u64, &str, &str)) {
    let mut event = stage.message(place, "someone", &format!("I am number{id}."), CALLED);
    let InboundEvent::Message(message) = &mut event else { unreachable!() };
    message.author = Author { username: Some(handle.to_owned()), ..known_as(id, shown) };
    stage.session.submit(event).await.unwrap();
}

/// Who stands over whose words in a request: `name`, and what stands before the colon.
fn speakers(messages: &[ChatMessage]) -> BTreeMap<u64, (Option<String>, String)> {
    let mut found = BTreeMap::new();
    for message in messages.iter().filter(|message| message.role == Role::User) {
        let Some((label, words)) = message.content.split_once(": I am number") else { continue };
        let label = label
            .trim_start_matches(|c: char| matches!(c, '[' | ':' | '-' | ' ') || c.is_ascii_digit())
            .trim_start_matches("] ");
        let id = words.trim_end_matches('.').parse().unwrap();
        found.insert(id, (message.name.clone(), label.to_owned()));
    }
    found
}

#[tokio::test]
async fn nobody_stands_in_a_request_by_a_name_that_looks_like_anothers() {
    let mut stage = Stage::new().await;
    for person in PEOPLE {
        says(&mut stage, &ferry(), person).await;
        stage.answers("Mind the rope.").await;
    }
    // Whoever came first keeps the name after a restart, and alone as well.
    let mut stage = stage.reopened().await;
    for person in [PEOPLE[1], PEOPLE[0]] {
        says(&mut stage, &ferry(), person).await;
        let asked = stage.next_request().await;
        let named = speakers(&asked.request.messages);
        assert_eq!(named.len(), PEOPLE.len(), "{named:#?}");
        for (id, name, label) in [
            (1, "Alice", "Alice"),
            (2, "Alice_alice_2", "Alice (alice_2)"),
            (3, "Alice_alice_3", "Alice (alice_3)"),
            (4, "lice_cyrilla", "Аlice (cyrilla)"),
            (5, "sid", "sid"),
            (6, "mick", "mick"),
            (7, "greek", "greek"),
            (8, "Alice_eve", "Alice (eve)"),
        ] {
            assert_eq!(named[&id], (Some(name.to_owned()), label.to_owned()));
        }
        stage.replied(asked, "Mind the rope.").await;
    }
    says(&mut stage, &dm("eve"), PEOPLE[1]).await;
    let asked = stage.next_request().await;
    assert!(asked.transcript().contains("Alice (alice_2): I am number2."), "{}", asked.transcript());
    stage.replied_in(&dm("eve"), asked, "Mind the rope.").await;
}

#[tokio::test]
async fn who_is_only_seen_has_a_name_of_their_own_too() {
    let mut stage = Stage::new().await;
    says(&mut stage, &ferry(), PEOPLE[0]).await;
    stage.answers("Mind the rope.").await;
    for (id, name) in [(2, "Alicе"), (3, "Mіka")] {
        let (account, name) = (AccountId::discord(id), name.to_owned());
        stage
            .world
            .typing(&ferry().channel, Sighting { account, name, is_bot: false, at: stage.clock_now() });
    }
    let seen = stage.world.snapshot();
    let place = ferry();
    let names: Vec<_> =
        seen.for_place(&place).typing(stage.clock_now()).map(|one| one.name.clone()).collect();
    assert!(names.contains(&"Alicе (2)".to_owned()) && names.contains(&"3".to_owned()), "{names:?}");
}
