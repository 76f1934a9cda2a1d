//! The graph is a fold of what stands, in whatever order it came.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::domain::Regard;
use crate::graph::fold::{Event, Fold};
use crate::graph::notes::NoteSeen;
use crate::graph::store::AudienceKey;
use crate::graph::turns::{Speaker, TurnSeen};
use crate::history::Regarded;
use crate::memory::store::NotePath;

const WORDS: [&str; 6] =
    ["thanks!", "exactly", "shut up", "I keep bees", "the ferry is late", "@ben see you"];

#[derive(Debug, Clone)]
enum Deed {
    Say { id: i64, channel: u8, who: u8, word: usize, audience: u8, answers: Option<i64>, gap: i64 },
    Remove(i64),
    Write { note: u8, lines: Vec<(u8, u8, u8)> },
    Erase(u8),
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        6 => (1..14_i64, 0..2_u8, 0..4_u8, 0..WORDS.len(), 0..2_u8, proptest::option::of(1..14_i64), 0..2_i64)
            .prop_map(|(id, channel, who, word, audience, answers, gap)| Deed::Say {
                id, channel, who, word, audience, answers, gap
            }),
        2 => (1..14_i64).prop_map(Deed::Remove),
        2 => (0..3_u8, proptest::collection::vec((0..6_u8, 0..4_u8, 0..2_u8), 0..5))
            .prop_map(|(note, lines)| Deed::Write { note, lines }),
        1 => (0..3_u8).prop_map(Deed::Erase),
    ]
}

/// Reactions to some of what is said.
fn regards(id: i64, who: u8, word: usize) -> Vec<Regarded> {
    let regard = Regard::ALL[word % Regard::ALL.len()];
    let by = AccountId::discord(u64::from(who % 3) + 1);
    if id % 3 == 0 { vec![Regarded { by, regard, at: moment(id * 60 + 5) }] } else { Vec::new() }
}

fn event(deed: &Deed) -> Event {
    match deed {
        Deed::Say { id, channel, who, word, audience, answers, gap } => {
            let heard = crate::history::Heard {
                channel: ChannelId::from(u64::from(*channel) + 1),
                channel_name: None,
                turn: crate::domain::StoredTurn {
                    id: StoredId(*id),
                    ordinal: id.unsigned_abs(),
                    role: if *who == 0 { Role::Assistant } else { Role::User },
                    author: (*who > 0).then(|| author(u64::from(*who))),
                    audience: guild(u64::from(*audience) + 7),
                    content: WORDS[*word].to_owned(),
                    at: moment(*id * 60 + gap * 50_000),
                    mode: ChannelMode::TextConversationRp,
                    message: None,
                    reply_to: None,
                    turn: None,
                    tokens: 0,
                },
                answers: answers.filter(|answered| answered != id).map(StoredId),
                regards: regards(*id, *who, *word),
            };
            Event::Turn(Box::new(TurnSeen::of(&heard)))
        }
        Deed::Remove(id) => Event::TurnGone { id: *id },
        Deed::Write { note, lines } => {
            let mut text = format!("---\naudience: guild:7\naliases: [Name{note}]\n---\n# Note {note}\n\n");
            for (number, (word, day, audience)) in lines.iter().enumerate() {
                let (word, day) = (
                    [
                        "Ana keeps bees in the garden",
                        "Bees of Ana in the garden",
                        "Rain",
                        "Ben plays cello",
                        "Ana sails to Ruk",
                        "Cleo sails to Ruk with Ana",
                    ][usize::from(*word)],
                    day + 1,
                );
                text.push_str(&format!(
                    "- {word}. <!-- f={}{number} to=guild:{} on=2026-03-0{day} from=t:{day} -->\n",
                    char::from(b'a' + note),
                    audience + 7
                ));
            }
            Event::Note(NoteSeen::of(&path(*note), &text, String::new()))
        }
        Deed::Erase(note) => Event::NoteGone { path: path(*note).as_str().into() },
    }
}

fn path(note: u8) -> NotePath {
    NotePath::new(format!("people/discord-{note}.md")).unwrap()
}

/// What of these still counts, in the order of keys.
fn standing(events: &[Event]) -> Vec<Event> {
    let mut newest: BTreeMap<String, Event> = BTreeMap::new();
    for event in events {
        newest.insert(event.key(), event.clone());
    }
    newest.into_values().filter(|event| !event.is_gone()).collect()
}

fn folded(pieces: impl IntoIterator<Item = Vec<Event>>) -> std::collections::BTreeSet<String> {
    let mut fold = Fold::default();
    for piece in pieces {
        fold.take(piece);
    }
    fold.store.said()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn g7_kept_up_to_date_is_made_anew_whatever_happened_in_whatever_order(
        deeds in proptest::collection::vec(deed(), 1..40),
        pieces in proptest::collection::vec(1..5_usize, 40),
        shuffle in any::<u64>(),
    ) {
        let events: Vec<Event> = deeds.iter().map(event).collect();
        let mut rest = events.as_slice();
        let mut cut: Vec<Vec<Event>> = Vec::new();
        for length in pieces {
            let (piece, behind) = rest.split_at(length.min(rest.len()));
            cut.push(piece.to_vec());
            rest = behind;
        }
        cut.push(rest.to_vec());
        let live = folded(cut);
        let mut anew = standing(&events);
        prop_assert_eq!(&live, &folded([anew.clone()]), "at once");
        // As a checkpoint hands them over: in any order, with a log behind it.
        let turn = usize::try_from(shuffle % (anew.len() as u64 + 1)).unwrap();
        anew.rotate_left(turn);
        anew.reverse();
        prop_assert_eq!(&live, &folded(anew.into_iter().map(|event| vec![event])), "in another order");
        // And everything can be taken back.
        let mut gone = events.clone();
        gone.extend((1..14).map(|id| Event::TurnGone { id }));
        gone.extend((0..3).map(|note| Event::NoteGone { path: path(note).as_str().into() }));
        prop_assert!(folded([gone]).is_empty());
    }

    #[test]
    fn g7_an_event_is_read_as_it_was_written(deed in deed()) {
        let event = event(&deed);
        let text = serde_json::to_string(&event).unwrap();
        prop_assert_eq!(serde_json::from_str::<Event>(&text).unwrap(), event);
    }
}

#[test]
fn g3_a_message_that_goes_takes_what_hung_on_it_along() {
    let turn = |id: i64, who: u64, answers: Option<i64>| {
        Event::Turn(Box::new(TurnSeen {
            id,
            channel: "1".into(),
            channel_name: None,
            ordinal: id.unsigned_abs(),
            at: START + id,
            who: Some(Speaker { slug: person(who).key, names: Vec::new() }),
            audience: AudienceKey(guild(7)),
            answers,
            stance: Default::default(),
            mentions: Vec::new(),
            topics: Vec::new(),
            knows: Vec::new(),
            regards: Vec::new(),
        }))
    };
    let mut fold = Fold::default();
    fold.take([turn(1, 1, None), turn(2, 2, None), turn(3, 3, Some(1))]);
    let bonds = |fold: &Fold| -> Vec<String> {
        let said = fold.store.said();
        let social = said.iter().filter(|one| one.contains("talked_with") || one.contains("answered"));
        social.map(|one| one.split(" to ").next().unwrap().to_owned()).collect()
    };
    let all = [
        "person/discord-2 talked_with person/discord-1",
        "person/discord-3 answered person/discord-1",
        "person/discord-3 talked_with person/discord-2",
    ];
    assert_eq!(bonds(&fold), all);
    fold.take([Event::TurnGone { id: 2 }]);
    let left =
        ["person/discord-3 answered person/discord-1", "person/discord-3 talked_with person/discord-1"];
    assert_eq!(bonds(&fold), left);
    fold.take([Event::TurnGone { id: 1 }]);
    assert!(bonds(&fold).is_empty());
}
