//! What is learnt of people and what a character is like shows in what the machine does, not only in the parts it asks.

use super::*;

/// In how many of 300 calls it falls silent for somebody who makes a sound over it for a second and a half.
fn gives_way(mood: f64, unasked: bool) -> usize {
    let yields = |seed: &u64| {
        let mut scene = Scene::by_chance(
            &["ana"],
            TurnSettings { tolerance: 0.4, speculations: false, ..settings() },
            *seed,
        );
        scene.tell(TurnEvent::Mood(mood));
        scene.tell(TurnEvent::Opened { reply: 1, whom: Some(account("ana")), unasked });
        scene.tell(TurnEvent::Saying { reply: 1, text: "The river is high tonight.".to_owned() });
        scene.tell(TurnEvent::Audible { reply: 1 });
        scene.wait(4_000);
        scene.talks("ana", 1_500);
        scene.count(|effect| *effect == Effect::Pause) == 1
    };
    (0..300).filter(yields).count()
}

#[test]
fn a_good_mood_gives_way_more_often_and_a_bad_one_less() {
    let [glad, even, gloomy] = [1.0, 0.0, -1.0].map(|mood| gives_way(mood, false));
    // It goes on in 25, 40 and 55 of a hundred.
    for (found, expected) in [(glad, 225), (even, 180), (gloomy, 135)] {
        assert!(found.abs_diff(expected) <= 25, "{glad} {even} {gloomy}");
    }
}

#[test]
fn what_nobody_asked_for_is_clung_to() {
    let (asked, unasked) = (gives_way(0.0, false), gives_way(0.0, true));
    assert!(asked.abs_diff(180) <= 25 && unasked.abs_diff(75) <= 25, "{asked} {unasked}");
}

#[test]
fn whoever_says_something_is_given_way_whatever_it_feels_like() {
    for seed in 0..40 {
        let stubborn = TurnSettings { tolerance: 0.6, speculations: false, ..settings() };
        let mut scene = Scene::by_chance(&["ana"], stubborn, seed);
        scene.tell(TurnEvent::Mood(-1.0));
        scene.tell(TurnEvent::Opened { reply: 1, whom: Some(account("ana")), unasked: true });
        scene.tell(TurnEvent::Saying { reply: 1, text: "The river is high tonight.".to_owned() });
        scene.tell(TurnEvent::Audible { reply: 1 });
        scene.wait(1_000);
        scene.talks("ana", 250);
        scene.partial("ana", "no it isn't");
        assert_eq!(scene.count(|effect| *effect == Effect::Pause), 1, "seed {seed}");
    }
}

/// How long after they stop a turn with these words is over.
fn taken_after(scene: &mut Scene, text: &str) -> u64 {
    let before = scene.submitted().len();
    scene.talks("ana", 1_000);
    scene.partial("ana", text);
    scene.stops("ana");
    let stopped = scene.now;
    scene.tell(TurnEvent::Gate { who: account("ana"), open: false, pushes_to_talk: scene.pushes });
    scene.wait(80);
    scene.finally("ana", text);
    scene.wait(3_000);
    let submitted = scene.submitted();
    assert_eq!(submitted.len(), before + 1, "{submitted:?}");
    submitted[before].0 - stopped
}

#[test]
fn whoever_lets_go_of_a_button_has_finished() {
    let mut scene = Scene::of(&["ana"]);
    assert_eq!(taken_after(&mut scene, "the red one"), 700);
    scene.pushes = true;
    assert_eq!(taken_after(&mut scene, "the red one"), 150);
    assert_eq!(taken_after(&mut scene, "I went to the"), 600, "but they may think with the button up");
}

#[test]
fn who_was_cut_off_gets_more_time_and_who_was_finished_less_again() {
    let mut scene = Scene::of(&["ana"]);
    assert_eq!(taken_after(&mut scene, "the red one"), 700);
    scene.wait(5_000);
    scene.utters("ana", 1_000, "the red one");
    scene.wait(250);
    scene.finally("ana", "the red one");
    scene.wait(600);
    assert_eq!(scene.submitted().len(), 2);
    // They go on at once: that was too early.
    let longer = taken_after(&mut scene, "and the blue one");
    assert!((850..=900).contains(&longer), "{longer}");
    for _ in 0..40 {
        scene.wait(5_000);
        taken_after(&mut scene, "the red one");
    }
    scene.wait(5_000);
    let again = taken_after(&mut scene, "the red one");
    assert!(again < longer - 50, "{again} after {longer}");
}

#[test]
fn who_pauses_long_in_the_middle_is_waited_for_at_the_end() {
    let mut scene = Scene::of(&["ana"]);
    for _ in 0..30 {
        scene.utters("ana", 600, "I went to the");
        scene.wait(1_400);
        scene.utters("ana", 600, "I went to the harbour.");
        scene.wait(250);
        scene.finally("ana", "I went to the harbour.");
        scene.wait(10_000);
    }
    let waited = taken_after(&mut scene, "the red one");
    assert!((1_200..=1_600).contains(&waited), "as long as they pause, and not 700 ms: {waited}");
}

#[test]
fn it_stops_answering_early_where_that_was_in_vain() {
    let mut scene = Scene::of(&["ana"]);
    let speculations = |scene: &Scene| scene.count(|effect| matches!(effect, Effect::Speculate { .. }));
    let in_vain = |scene: &mut Scene| {
        scene.utters("ana", 1_000, "what lime is it");
        scene.wait(250);
        scene.finally("ana", "What time is it?");
        scene.wait(5_000);
    };
    for _ in 0..10 {
        in_vain(&mut scene);
    }
    assert_eq!(scene.machine.speculations().0, 0);
    let tried = speculations(&scene);
    assert!(tried >= 10, "{tried}");
    for _ in 0..10 {
        in_vain(&mut scene);
    }
    assert_eq!(speculations(&scene), tried, "none of them was kept");
    scene.wait(600_000);
    in_vain(&mut scene);
    assert!(speculations(&scene) > tried, "after ten minutes it tries again");
}
