use super::*;

/// By `interjection`, the most willing first.
const TIERS: [u32; 5] = [3, 6, 9, 12, 15];

fn of_tier(interjection: u32, seed: u64) -> Scene {
    Scene::by_chance(&["ana", "bob"], TurnSettings { interjection: Some(interjection), ..settings() }, seed)
}

fn joins(scene: &Scene) -> usize {
    scene.count(|effect| *effect == Effect::JoinIn)
}

/// Two people talk with each other, and then nobody says anything for so long.
fn chat(scene: &mut Scene, quiet: u64) {
    scene.says("ana", "the weather is awful today.");
    scene.wait(800);
    scene.says("bob", "it rained all night.");
    scene.wait(quiet);
}

/// It takes up what it was asked to join in with.
fn joined(scene: &mut Scene, reply: u64) {
    scene.tell(TurnEvent::Opened { reply, whom: None, unasked: true });
    scene.tell(TurnEvent::Saying { reply, text: "Rain suits the river.".to_owned() });
    scene.tell(TurnEvent::Audible { reply });
    scene.wait(1_500);
    scene.closes(reply);
}

#[test]
fn where_it_is_told_never_to_join_in_it_does_not_and_without_a_quiet_only_after_many_words() {
    for (interjection, joins_in_after, expected) in
        [(None, settings().joins_in_after, false), (Some(15), None, false), (Some(3), None, true)]
    {
        let told = TurnSettings { interjection, joins_in_after, ..settings() };
        let mut scene = Scene::by_chance(&["ana", "bob"], told, 1);
        for _ in 0..6 {
            chat(&mut scene, 50_000);
        }
        assert_eq!(joins(&scene) > 0, expected, "{interjection:?} {joins_in_after:?}");
    }
}

#[test]
fn it_joins_in_when_it_is_quiet_but_rarely() {
    let mut scene = Scene::of(&["ana", "bob"]);
    chat(&mut scene, 6_000);
    let first = scene.when(&Effect::JoinIn).unwrap();
    assert!(first < 10_000, "{first}");
    joined(&mut scene, 1);
    scene.wait(50_000);
    assert_eq!(joins(&scene), 1, "once for one quiet");
    chat(&mut scene, 50_000);
    assert_eq!(joins(&scene), 1, "and not again within two minutes");
}

#[test]
fn how_often_it_takes_up_a_quiet_is_a_matter_of_character() {
    let often = TIERS.map(|tier| {
        let joined = (0..200).filter(|seed| {
            let mut scene = of_tier(tier, *seed);
            chat(&mut scene, 60_000);
            joins(&scene) == 1
        });
        joined.count()
    });
    assert_eq!(often[0], 200, "the most willing always do");
    assert!(often.windows(2).all(|pair| pair[0] > pair[1]), "{often:?}");
    assert!((20..=60).contains(&often[4]), "about one in five: {often:?}");
}

#[test]
fn whoever_has_listened_long_enough_takes_the_next_gap() {
    for tier in TIERS {
        let mut scene = of_tier(tier, 5);
        let mut said = 0;
        while joins(&scene) == 0 {
            // There is a gap behind each, and never a quiet.
            scene.says(["ana", "bob"][said % 2], "the weather is awful today.");
            scene.wait(3_000);
            said += 1;
            assert!(said <= 20, "after {tier}");
        }
        let (least, most) = ((tier - 2).max(3), tier + 2);
        assert!((least..=most).contains(&u32::try_from(said).unwrap()), "{said} for {tier}");
    }
}

#[test]
fn who_has_nothing_to_say_listens_on_and_is_asked_again_sooner_but_not_at_once() {
    let mut scene = of_tier(9, 5);
    let mut after = Vec::new();
    let mut said = 0;
    for reply in 1..=3 {
        let before = joins(&scene);
        said = 0;
        while joins(&scene) == before {
            scene.says(["ana", "bob"][said % 2], "the weather is awful today.");
            scene.wait(3_000);
            said += 1;
            assert!(said <= 60);
        }
        after.push(scene.done.iter().rfind(|(_, effect)| *effect == Effect::JoinIn).unwrap().0);
        scene.tell(TurnEvent::Opened { reply, whom: None, unasked: true });
        scene.wait(300);
        scene.closes(reply);
    }
    assert!(said > 0);
    assert!(after.windows(2).all(|pair| pair[1] - pair[0] >= 120_000), "{after:?}");
}

#[test]
fn it_never_joins_in_over_an_open_microphone_nor_where_it_is_to_be_quiet() {
    let mut scene = Scene::of(&["ana", "bob", "cleo"]);
    scene.tell(TurnEvent::Gate { who: account("cleo"), open: true, pushes_to_talk: false });
    chat(&mut scene, 60_000);
    assert_eq!(joins(&scene), 0);
    scene.tell(TurnEvent::Gate { who: account("cleo"), open: false, pushes_to_talk: false });
    scene.wait(10_000);
    assert_eq!(joins(&scene), 1);

    let mut scene = Scene::of(&["ana", "bob"]);
    scene.tell(TurnEvent::Quiet(true));
    for _ in 0..5 {
        chat(&mut scene, 20_000);
    }
    assert_eq!(joins(&scene), 0);
    scene.tell(TurnEvent::Quiet(false));
    chat(&mut scene, 20_000);
    assert_eq!(joins(&scene), 1);
}

#[test]
fn it_does_not_go_on_by_itself() {
    let mut scene = Scene::of(&["ana", "bob"]);
    chat(&mut scene, 6_000);
    joined(&mut scene, 1);
    scene.wait(600_000);
    assert_eq!(joins(&scene), 1, "nobody has said anything since");
}
