use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// What a call may throw at the machine, sense or nonsense.
#[derive(Debug, Clone)]
enum Move {
    Wait(u64),
    Voice(usize, bool),
    Gate(usize, bool),
    Partial(usize, usize),
    Final(usize, usize, bool),
    Eager(usize, usize),
    Resumed(usize),
    Ended(usize, usize),
    Deafened(usize),
    Typed(usize, usize),
    Left(usize),
    Joined(usize),
    Opened(u64, usize),
    Saying(u64, usize),
    Audible(u64),
    Closed(u64),
    Mood(i32),
    Quiet(bool),
    /// The early answer that was begun so many before the newest.
    Ready(u64),
}

const PEOPLE: [&str; 3] = ["ana", "bob", "robot"];
const LINES: [&str; 9] = [
    "",
    "mm-hm",
    "stop",
    "what time is it?",
    "I went to the",
    "Mika, hold on",
    "the ferry will not run tonight",
    "Bob are you there",
    "yes",
];

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let (who, line, reply) = (0..PEOPLE.len(), 0..LINES.len(), 0_u64..4);
    let one = prop_oneof![
        6 => (0_u64..1_500).prop_map(Move::Wait),
        1 => (1_500_u64..20_000).prop_map(Move::Wait),
        6 => (who.clone(), any::<bool>()).prop_map(|(who, on)| Move::Voice(who, on)),
        1 => (who.clone(), any::<bool>()).prop_map(|(who, open)| Move::Gate(who, open)),
        3 => (who.clone(), line.clone()).prop_map(|(who, line)| Move::Partial(who, line)),
        3 => (who.clone(), line.clone(), any::<bool>()).prop_map(|(who, line, all)| Move::Final(who, line, all)),
        1 => (who.clone(), line.clone()).prop_map(|(who, line)| Move::Eager(who, line)),
        1 => who.clone().prop_map(Move::Resumed),
        1 => (who.clone(), line.clone()).prop_map(|(who, line)| Move::Ended(who, line)),
        1 => who.clone().prop_map(Move::Deafened),
        1 => (who.clone(), line.clone()).prop_map(|(who, line)| Move::Typed(who, line)),
        1 => who.clone().prop_map(Move::Left),
        1 => who.clone().prop_map(Move::Joined),
        2 => (reply.clone(), who).prop_map(|(reply, who)| Move::Opened(reply, who)),
        2 => (reply.clone(), line).prop_map(|(reply, line)| Move::Saying(reply, line)),
        2 => reply.clone().prop_map(Move::Audible),
        2 => reply.prop_map(Move::Closed),
        1 => (-150..150).prop_map(Move::Mood),
        1 => any::<bool>().prop_map(Move::Quiet),
        2 => (0_u64..3).prop_map(Move::Ready),
    ];
    prop::collection::vec(one, 1..120)
}

fn play(scene: &mut Scene, one: Move) {
    let who = |at: usize| account(PEOPLE[at]);
    let text = |at: usize| LINES[at].to_owned();
    match one {
        Move::Wait(ms) => scene.wait(ms),
        Move::Voice(at, true) => scene.begins(PEOPLE[at]),
        Move::Voice(at, false) => scene.stops(PEOPLE[at]),
        Move::Gate(at, open) => scene.tell(TurnEvent::Gate { who: who(at), open, pushes_to_talk: false }),
        Move::Partial(at, line) => scene.tell(TurnEvent::Partial { who: who(at), text: text(line) }),
        Move::Final(at, line, answers) => {
            scene.tell(TurnEvent::Final { who: who(at), text: text(line), answers });
        }
        Move::Eager(at, line) => scene.tell(TurnEvent::Eager { who: who(at), text: text(line) }),
        Move::Resumed(at) => scene.tell(TurnEvent::Resumed { who: who(at) }),
        Move::Ended(at, line) => scene.tell(TurnEvent::Ended { who: who(at), text: text(line) }),
        Move::Deafened(at) => scene.tell(TurnEvent::Deafened { who: who(at) }),
        Move::Typed(at, line) => scene.tell(TurnEvent::Typed { who: who(at), text: text(line) }),
        Move::Left(at) => scene.tell(TurnEvent::Left { who: who(at) }),
        Move::Joined(at) => scene.tell(TurnEvent::Joined {
            who: who(at),
            name: PEOPLE[at].to_owned(),
            is_bot: PEOPLE[at] == "robot",
            can_stop: false,
        }),
        Move::Opened(reply, at) => {
            scene.tell(TurnEvent::Opened { reply, whom: Some(who(at)), unasked: at == 2 });
        }
        Move::Saying(reply, line) => scene.tell(TurnEvent::Saying { reply, text: text(line) }),
        Move::Audible(reply) => scene.tell(TurnEvent::Audible { reply }),
        Move::Mood(mood) => scene.tell(TurnEvent::Mood(f64::from(mood) / 100.0)),
        Move::Quiet(is_quiet) => scene.tell(TurnEvent::Quiet(is_quiet)),
        Move::Ready(before) => {
            let begun = scene.count(|effect| matches!(effect, Effect::Speculate { .. })) as u64;
            let speculation = SpeculationId(begun.saturating_sub(1 + before));
            scene.tell(TurnEvent::Ready { speculation });
        }
        Move::Closed(reply) => scene.tell(TurnEvent::Closed { reply }),
    }
}

/// How often each utterance had an outcome, and how many there were.
fn outcomes(scene: &Scene) -> BTreeMap<UtteranceId, u32> {
    let mut ends = BTreeMap::new();
    for (_, effect) in &scene.done {
        match effect {
            Effect::Submit { said } => {
                for one in said {
                    *ends.entry(one.utterance).or_default() += 1;
                }
            }
            Effect::Dropped { utterance, .. } => *ends.entry(*utterance).or_default() += 1,
            _ => {}
        }
    }
    ends
}

/// More than usual, and as many as `PROPTEST_CASES` asks for.
fn many() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: usual.cases.max(1_000), ..usual }
}

proptest! {
    #![proptest_config(many())]

    #[test]
    fn whatever_happens_every_utterance_has_one_outcome_and_nothing_is_stuck(
        script in moves(),
        partials in any::<bool>(),
        quick in any::<bool>(),
        tolerance in 0.0..1.0_f64,
    ) {
        let mut scene = Scene::with(&PEOPLE, TurnSettings { hears_partials: partials, tolerance, ..settings() });
        scene.is_quick = quick;
        script.into_iter().for_each(|one| play(&mut scene, one));
        // Nothing comes any more, not even the end of what goes on.
        scene.wait(400_000);
        prop_assert!(scene.machine.is_idle(), "{:?}", scene.machine);
        let listened = scene.count(|effect| matches!(effect, Effect::Listen { .. }));
        let ends = outcomes(&scene);
        prop_assert_eq!(ends.len(), listened);
        prop_assert!(ends.values().all(|count| *count == 1), "{ends:?}");
        // Each early answer is kept once or dropped once.
        let mut speculations: BTreeMap<SpeculationId, i32> = BTreeMap::new();
        for (_, effect) in &scene.done {
            match effect {
                Effect::Speculate { speculation, .. } => *speculations.entry(*speculation).or_default() += 1,
                Effect::DropSpeculation { speculation } => *speculations.entry(*speculation).or_default() -= 1,
                Effect::Submit { said } => {
                    for speculation in said.iter().filter_map(|one| one.speculation) {
                        *speculations.entry(speculation).or_default() -= 1;
                    }
                }
                _ => {}
            }
        }
        prop_assert!(speculations.values().all(|open| *open == 0), "{speculations:?}");
        // A pause is followed by going on or giving up before the next pause.
        let mut paused = false;
        for (_, effect) in &scene.done {
            match effect {
                Effect::Pause => {
                    prop_assert!(!paused, "{:?}", scene.done);
                    paused = true;
                }
                Effect::Resume | Effect::Abandon { .. } => paused = false,
                _ => {}
            }
        }
        // Whose audio is not given to a recogniser any more was given to it before.
        let mut open: BTreeMap<AccountId, i32> = BTreeMap::new();
        for (_, effect) in &scene.done {
            match effect {
                Effect::Listen { who } => *open.entry(who.clone()).or_default() += 1,
                Effect::StopListening { who } => *open.entry(who.clone()).or_default() -= 1,
                _ => {}
            }
            prop_assert!(open.values().all(|count| (0..=1).contains(count)));
        }
    }

    #[test]
    fn a_turn_is_decided_in_time_though_nothing_more_comes(
        line in 3..LINES.len(),
        spoken in 200_u64..4_000,
        late in 0_u64..400,
        is_final in any::<bool>(),
    ) {
        let mut scene = Scene::of(&["ana"]);
        scene.talks("ana", spoken);
        scene.partial("ana", LINES[line]);
        scene.stops("ana");
        scene.wait(late);
        if is_final {
            scene.finally("ana", LINES[line]);
        }
        scene.wait(20_000);
        let submitted = scene.submitted();
        prop_assert_eq!(submitted.len(), 1);
        let waits = [270, 600, 1_500, 8_000];
        let wait = submitted[0].0 - spoken;
        // Words that may still change are taken for all once the recogniser has had its time.
        let grace = if is_final { 401 } else { 2_501 };
        prop_assert!(waits.iter().any(|most| (*most..=most + grace).contains(&wait)), "{wait}");
    }
}
