//! Whatever is asked in whatever company, nothing is told that somebody there could not already see.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

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

fn told_of(world: &World) -> Connection {
    let mut events = Vec::new();
    for (number, (who, at, answers)) in world.turns.iter().enumerate() {
        let word = CIRCLES[*at].1;
        let id = i64::try_from(number).unwrap();
        let mut by = author(u64::from(*who));
        // In every circle they go by a name of its own.
        by.display_name = Some(format!("{} {word}", NAMES[usize::from(*who)]));
        let words = format!("thanks, exactly, I keep {word} @{}", NAMES[usize::from(*who % 4 + 1)]);
        let mut heard = heard(id, u64::try_from(*at).unwrap() + 1, Some(by), circle(*at), &words);
        let answered = answers.filter(|answered| *answered < number);
        heard.answers = answered.map(|answered| StoredId(i64::try_from(answered).unwrap()));
        heard.stances = vec![crate::history::ReactionStance {
            by: AccountId::discord(u64::from(*who % 4 + 1)),
            stance: crate::domain::Stance::ALL[number % 4],
            at: moment(id * 60 + 7),
        }];
        events.push(said(heard));
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
        events.push(written(&format!("people/discord-{}.md", number + 1), text));
    }
    let mut tables = tables();
    taken(&mut tables, &events);
    tables
}

/// Everything an asker can get out of it, as text and as audiences.
fn all_that_is_told(view: &View<'_>, told: &mut Vec<String>, audiences: &mut Vec<Audience>) {
    let mut bonds: Vec<Bond> = Vec::new();
    let mut names: Vec<NamedNode> = Vec::new();
    let people: Vec<NodeId> = (1..5).map(person).collect();
    for a in &people {
        names.extend(view.around(a, 3, 500).unwrap().into_iter().map(|near| near.node));
        names.extend(view.named(a).unwrap());
        for b in people.iter().filter(|b| a != *b) {
            bonds.extend(between(view, a, b).unwrap());
            for path in view.paths(std::slice::from_ref(a), std::slice::from_ref(b), 3).unwrap() {
                audiences.extend(path.audiences());
                assert!(path.steps.iter().all(|step| !step.bonds.is_empty()));
                bonds.extend(path.steps.iter().flat_map(|step| step.bonds.clone()));
                names.extend(path.steps.into_iter().flat_map(|step| [step.from, step.to]));
            }
            bonds.extend(view.standing(a, b, moment(0)).unwrap().into_iter().flat_map(|one| one.bonds));
        }
    }
    let all = view.edges("e.id > ?1", [0]).unwrap();
    bonds.extend(view.bonds(all).unwrap());
    for (_, word) in CIRCLES {
        for expert in view.experts(word, moment(0), 9).unwrap() {
            names.push(expert.person);
            audiences.extend(expert.audiences);
        }
        for person in &people {
            for noted in view.noted(person, word, 50).unwrap() {
                told.push(noted.label.to_string());
                audiences.push(noted.audience);
            }
        }
        for name in NAMES {
            names.extend(view.meant(&format!("{name} {word}")).unwrap());
            // By a name from a note of a circle.
            let noted = view.called(&format!("{name}{word}")).unwrap();
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
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]

    #[test]
    fn contradiction_8_no_answer_tells_what_somebody_present_could_not_see(world in world()) {
        let mut tables = told_of(&world);
        let tx = tables.transaction().unwrap();
        let visible = Visible::only(world.sees.iter().map(|number| circle(*number)));
        let view = View::of(&tx, Viewer::of(visible.clone())).unwrap();
        let (mut told, mut audiences) = (Vec::new(), Vec::new());
        all_that_is_told(&view, &mut told, &mut audiences);
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
        all_that_is_told(&View::of(&tx, Viewer::everything()).unwrap(), &mut told, &mut audiences);
        prop_assert!(!told.is_empty());
    }

    #[test]
    fn contradiction_8_what_is_not_seen_changes_no_answer(world in world()) {
        // The same world without what the asker may not see gives the same answers to the letter.
        let mut less = world.clone();
        for lines in &mut less.notes {
            lines.retain(|(_, _, at, _)| world.sees.contains(at));
        }
        let viewer = Viewer::of(Visible::only(world.sees.iter().map(|number| circle(*number))));
        let answers = |world: &World| -> Vec<NotedAbout> {
            let mut tables = told_of(world);
            let tx = tables.transaction().unwrap();
            let view = View::of(&tx, viewer.clone()).unwrap();
            let asked = CIRCLES.iter().flat_map(|(_, word)| (1..5).map(move |who| (*word, person(who))));
            asked.flat_map(|(word, person)| view.noted(&person, word, 50).unwrap()).collect()
        };
        let labels = |world: &World| -> Vec<String> {
            let mut labels: Vec<String> = answers(world).iter().map(|one| one.label.to_string()).collect();
            labels.sort();
            labels
        };
        prop_assert_eq!(labels(&world), labels(&less));
    }
}
