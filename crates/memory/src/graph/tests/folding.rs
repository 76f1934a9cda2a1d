//! The graph is a fold of what stands, in whatever order it came.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::domain::Stance;
use crate::history::ReactionStance;

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
fn stances(id: i64, who: u8, word: usize) -> Vec<ReactionStance> {
    let stance = Stance::ALL[word % Stance::ALL.len()];
    let by = AccountId::discord(u64::from(who % 3) + 1);
    if id % 3 == 0 { vec![ReactionStance { by, stance, at: moment(id * 60 + 5) }] } else { Vec::new() }
}

fn event(deed: &Deed) -> Event {
    match deed {
        Deed::Say { id, channel, who, word, audience, answers, gap } => {
            let by = (*who > 0).then(|| author(u64::from(*who)));
            let audience = guild(u64::from(*audience) + 7);
            let mut heard = heard(*id, u64::from(*channel) + 1, by, audience, WORDS[*word]);
            heard.turn.at = moment(*id * 60 + gap * 50_000);
            heard.answers = answers.filter(|answered| answered != id).map(StoredId);
            heard.stances = stances(*id, *who, *word);
            said(heard)
        }
        Deed::Remove(id) => unsaid(*id),
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
            written(&path(*note), text)
        }
        Deed::Erase(note) => removed(&path(*note)),
    }
}

fn path(note: u8) -> String {
    format!("people/discord-{note}.md")
}

/// What of these still counts, in the order of keys.
fn standing(events: &[Event]) -> Vec<Event> {
    let mut newest: BTreeMap<String, Event> = BTreeMap::new();
    for event in events {
        match event {
            Event::Turn(Told::Stands(heard)) => newest.insert(heard.turn.id.0.to_string(), event.clone()),
            Event::Turn(Told::Gone(id)) => newest.remove(&id.0.to_string()),
            Event::Note(NoteTold::Stands { path, .. }) => newest.insert(path.to_string(), event.clone()),
            Event::Note(NoteTold::Gone(path)) => newest.remove(path.as_str()),
        };
    }
    newest.into_values().collect()
}

fn said_after(pieces: impl IntoIterator<Item = Vec<Event>>) -> BTreeSet<String> {
    let mut tables = tables();
    for piece in pieces {
        taken(&mut tables, &piece);
    }
    fold::all_said(&tables.transaction().unwrap()).unwrap()
}

/// That nothing lies on in any table once nothing is said any more.
fn rows(tables: &mut Connection) -> i64 {
    let all =
        "SELECT (SELECT count(*) FROM nodes) + (SELECT count(*) FROM edges) + (SELECT count(*) FROM said)
               + (SELECT count(*) FROM turns) + (SELECT count(*) FROM notes) + (SELECT count(*) FROM moved)";
    tables.query_row(all, [], |row| row.get(0)).unwrap()
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
        let live = said_after(cut);
        let mut anew = standing(&events);
        prop_assert_eq!(&live, &said_after([anew.clone()]), "at once");
        let turn = usize::try_from(shuffle % (anew.len() as u64 + 1)).unwrap();
        anew.rotate_left(turn);
        anew.reverse();
        prop_assert_eq!(&live, &said_after(anew.into_iter().map(|event| vec![event])), "in another order");
        // And everything can be taken back.
        let mut gone = events.clone();
        gone.extend((1..14).map(unsaid));
        gone.extend((0..3).map(|note| removed(&path(note))));
        let mut tables = tables();
        taken(&mut tables, &gone);
        prop_assert_eq!(rows(&mut tables), 0);
    }
}

#[test]
fn g3_a_message_that_goes_takes_what_hung_on_it_along() {
    let turn = |id: i64, who: u64, answers: Option<i64>| {
        let heard = heard(id, 1, Some(author(who)), guild(7), "the ferry is late");
        said(HeardMessage { answers: answers.map(StoredId), ..heard })
    };
    let mut tables = tables();
    let mut bonds = |events: &[Event]| -> Vec<String> {
        taken(&mut tables, events);
        let said = fold::all_said(&tables.transaction().unwrap()).unwrap();
        let social = said.iter().filter(|one| one.contains("talked_with") || one.contains("answered"));
        social.map(|one| one.split(" to ").next().unwrap().to_owned()).collect()
    };
    let all = [
        "person/discord-2 talked_with person/discord-1",
        "person/discord-3 answered person/discord-1",
        "person/discord-3 talked_with person/discord-2",
    ];
    assert_eq!(bonds(&[turn(1, 1, None), turn(2, 2, None), turn(3, 3, Some(1))]), all);
    let left =
        ["person/discord-3 answered person/discord-1", "person/discord-3 talked_with person/discord-1"];
    assert_eq!(bonds(&[unsaid(2)]), left);
    assert!(bonds(&[unsaid(1)]).is_empty());
}
