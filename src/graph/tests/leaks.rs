//! Whatever is asked in whatever company, nothing is told that somebody there could not already see.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::graph::fold::{Event, Fold};
use crate::graph::notes::NoteSeen;
use crate::graph::sight::Sight;
use crate::graph::turns::TurnSeen;
use crate::memory::store::NotePath;

/// Each audience with words that stand nowhere else: found in an answer they say where it came from.
const CIRCLES: [(&str, &str); 4] =
    [("guild:7", "quince"), ("guild:8", "walnut"), ("private:41", "saffron"), ("dm:discord:1", "juniper")];

fn circle(number: usize) -> Audience {
    CIRCLES[number].0.parse().unwrap()
}

/// A line of a note: about, mentioned, circle, evidence.
type Line = (u8, u8, usize, i64);

#[derive(Debug, Clone)]
struct World {
    /// Who speaks in which circle, and whom they answer.
    turns: Vec<(u8, usize, Option<usize>)>,
    notes: Vec<Vec<Line>>,
    sees: BTreeSet<usize>,
}

fn world() -> impl Strategy<Value = World> {
    let turn = (1..5_u8, 0..CIRCLES.len(), proptest::option::of(0..20_usize));
    let line = (1..5_u8, 1..5_u8, 0..CIRCLES.len(), 0..20_i64);
    (
        proptest::collection::vec(turn, 1..20),
        proptest::collection::vec(proptest::collection::vec(line, 0..4), 4),
        proptest::collection::btree_set(0..CIRCLES.len(), 0..CIRCLES.len()),
    )
        .prop_map(|(turns, notes, sees)| World { turns, notes, sees })
}

fn fold(world: &World) -> Fold {
    let mut fold = Fold::default();
    for (number, (who, at, answers)) in world.turns.iter().enumerate() {
        let word = CIRCLES[*at].1;
        let id = i64::try_from(number).unwrap();
        let mut by = author(u64::from(*who));
        // In every circle they go by a name of its own.
        by.display_name = Some(format!("{} {word}", NAMES[usize::from(*who)]));
        fold.take([Event::Turn(Box::new(TurnSeen::of(&crate::history::Heard {
            channel: ChannelId::from(u64::try_from(*at).unwrap() + 1),
            channel_name: None,
            turn: crate::domain::StoredTurn {
                id: StoredId(id),
                ordinal: u64::try_from(number).unwrap(),
                role: Role::User,
                author: Some(by),
                audience: circle(*at),
                content: format!("thanks, exactly, I keep {word} @{}", NAMES[usize::from(*who % 4 + 1)]),
                at: moment(id * 60),
                mode: ChannelMode::TextConversationRp,
                message: None,
                reply_to: None,
                turn: None,
                tokens: 0,
            },
            answers: answers
                .filter(|answered| *answered < number)
                .map(|answered| StoredId(i64::try_from(answered).unwrap())),
            regards: vec![crate::history::Regarded {
                by: AccountId::discord(u64::from(*who % 4 + 1)),
                regard: crate::domain::Regard::ALL[number % 4],
                at: moment(id * 60 + 7),
            }],
        })))]);
    }
    for (number, lines) in world.notes.iter().enumerate() {
        let (own, mut text) = (number % CIRCLES.len(), String::new());
        text.push_str(&format!(
            "---\naudience: {}\naliases: [{}{}]\n---\n# Title {}\n\n",
            CIRCLES[own].0,
            NAMES[number + 1],
            CIRCLES[own].1,
            CIRCLES[own].1
        ));
        for (line, (about, mentioned, at, turn)) in lines.iter().enumerate() {
            text.push_str(&format!(
                "- {} is the {} of {}. <!-- f=l{number}x{line} to={} from=t:{turn} on=2026-03-01 -->\n",
                NAMES[usize::from(*about)],
                CIRCLES[*at].1,
                NAMES[usize::from(*mentioned)],
                CIRCLES[*at].0
            ));
        }
        let path = NotePath::new(format!("people/discord-{}.md", number + 1)).unwrap();
        fold.take([Event::Note(NoteSeen::of(&path, &text, String::new()))]);
    }
    fold
}

/// Everything an asker can get out of it, as text and as audiences.
fn all_that_is_told(fold: &Fold, sight: &Sight, told: &mut Vec<String>, audiences: &mut Vec<Audience>) {
    let store = &fold.store;
    let people: Vec<u32> = (1..5).filter_map(|who| store.find(&person(who))).collect();
    let mut bonds: Vec<Bond> = Vec::new();
    let mut names: Vec<Named> = Vec::new();
    for a in &people {
        names.extend(store.around(*a, 3, 500, sight).into_iter().map(|near| near.node));
        for b in people.iter().filter(|b| a != *b) {
            bonds.extend(store.between(*a, *b, sight));
            for path in store.paths(&[*a], &[*b], 3, sight) {
                audiences.push(path.narrowest());
                bonds.extend(path.steps.iter().flat_map(|step| step.bonds.clone()));
                names.extend(path.steps.into_iter().flat_map(|step| [step.from, step.to]));
            }
            bonds.extend(store.standing(*a, *b, moment(0), sight).into_iter().flat_map(|one| one.bonds));
        }
    }
    for kind in EdgeKind::ALL {
        bonds.extend(store.bonds(store.edges_of(*kind), sight));
    }
    for (_, word) in CIRCLES {
        let stems = keywords::terms(word);
        let topics: Vec<u32> = stems.iter().filter_map(|stem| store.find(&NodeId::topic(stem))).collect();
        for expert in store.experts(&topics, moment(0), 9, sight) {
            names.push(expert.person);
            audiences.extend(expert.audiences);
        }
        for hit in store.search(word, SearchClass::Plain, 50, sight) {
            told.push(hit.label.to_string());
            audiences.push(hit.audience);
        }
        for name in NAMES {
            let called = store.called(&format!("{name} {word}"), sight);
            names.extend(called.into_iter().filter_map(|at| store.named(at, sight)));
            // By a name from a note of a circle.
            let noted = store.called(&format!("{name}{word}"), sight);
            told.extend(noted.iter().map(|_| word.to_owned()));
        }
    }
    for bond in bonds {
        names.extend([bond.from, bond.to]);
        audiences.extend(bond.audiences);
    }
    // A topic is a word of its own; other keys are ids.
    let is_word = |id: &NodeId| matches!(id.kind, NodeKind::Topic | NodeKind::Alias);
    told.extend(names.iter().filter(|name| is_word(&name.id)).map(|name| name.id.key.to_string()));
    told.extend(names.into_iter().filter_map(|name| name.label).map(|label| label.to_string()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn contradiction_8_no_answer_tells_what_somebody_present_could_not_see(world in world()) {
        let fold = fold(&world);
        let visible = Visible::only(world.sees.iter().map(|number| circle(*number)));
        let sight = Lens::of(visible.clone()).sight(&fold.store);
        let (mut told, mut audiences) = (Vec::new(), Vec::new());
        all_that_is_told(&fold, &sight, &mut told, &mut audiences);
        for audience in &audiences {
            prop_assert!(visible.includes(audience), "{audience}");
        }
        for (number, (_, word)) in CIRCLES.iter().enumerate() {
            if !world.sees.contains(&number) {
                let leaked = told.iter().find(|text| text.to_lowercase().contains(&word[..5]));
                prop_assert!(leaked.is_none(), "{leaked:?} is known to {word} alone");
            }
        }
        // Whoever sees everything gets something, or the test above says nothing.
        let sight = Lens::everything().sight(&fold.store);
        all_that_is_told(&fold, &sight, &mut told, &mut audiences);
        prop_assert!(!told.is_empty());
    }

    #[test]
    fn contradiction_8_what_is_not_seen_changes_no_answer(world in world()) {
        // The same world without what the asker may not see gives the same answers to the letter.
        let sees = |number: &usize| world.sees.contains(number);
        let all = fold(&world);
        let visible = Visible::only(world.sees.iter().map(|number| circle(*number)));
        let lens = Lens::of(visible);
        let mut less = world.clone();
        for lines in &mut less.notes {
            lines.retain(|(_, _, at, _)| sees(at));
        }
        let seen = fold(&less);
        for (_, word) in CIRCLES {
            let ask = |fold: &Fold| -> Vec<(String, u32)> {
                let hits = fold.store.search(word, SearchClass::Plain, 50, &lens.sight(&fold.store));
                hits.into_iter().map(|hit| (hit.label.to_string(), hit.score.to_bits())).collect()
            };
            let (a, b) = (ask(&all), ask(&seen));
            let labels = |hits: &[(String, u32)]| {
                let mut labels: Vec<(String, u32)> = hits.to_vec();
                labels.sort();
                labels
            };
            prop_assert_eq!(labels(&a), labels(&b));
        }
    }
}
