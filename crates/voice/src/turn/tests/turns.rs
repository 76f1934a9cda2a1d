use super::*;

#[test]
fn a_question_is_submitted_when_its_wait_is_over_and_listened_to_from_the_start() {
    let mut scene = Scene::of(&["ana"]);
    scene.says("ana", "What time is it?");
    scene.wait(1_000);
    assert_eq!(scene.submitted(), [(1_270, "What time is it?".to_owned(), true)]);
    assert_eq!(scene.when(&Effect::Listen { who: account("ana") }), Some(0));
    assert_eq!(scene.when(&Effect::Expect { who: account("ana") }), Some(0));
    assert_eq!(
        scene.when(&Effect::Finalize { who: account("ana") }),
        Some(1_100),
        "as soon as it looks finished"
    );
    assert_eq!(scene.when(&Effect::StopListening { who: account("ana") }), Some(1_270));
    assert!(scene.machine.is_idle());
}

#[test]
fn a_client_that_stops_sending_is_asked_for_its_words_sooner() {
    let mut scene = Scene::of(&["ana"]);
    scene.talks("ana", 1_000);
    scene.stops("ana");
    scene.tell(TurnEvent::Gate { who: account("ana"), open: false, pushes_to_talk: false });
    scene.wait(500);
    assert_eq!(scene.when(&Effect::Finalize { who: account("ana") }), Some(1_060));
}

#[test]
fn who_breaks_off_or_asks_for_time_gets_it() {
    let mut scene = Scene::of(&["ana"]);
    scene.says("ana", "I went to the");
    scene.wait(1_000);
    assert_eq!(scene.submitted(), []);
    scene.talks("ana", 500);
    scene.stops_and_is_understood("ana", 250, "market.");
    scene.wait(400);
    assert_eq!(scene.submitted().len(), 1);
    assert_eq!(scene.submitted()[0].1, "I went to the market.");
    let mut scene = Scene::of(&["ana"]);
    scene.says("ana", "hold on");
    scene.wait(7_000);
    assert_eq!(scene.submitted(), []);
    scene.wait(1_000);
    assert_eq!(scene.submitted().len(), 1);
}

#[test]
fn words_that_never_become_final_are_taken_as_they_are() {
    let mut scene = Scene::of(&["ana"]);
    scene.utters("ana", 1_000, "what time is it");
    scene.wait(3_000);
    assert_eq!(scene.submitted(), [(3_770, "what time is it".to_owned(), true)]);
    scene.finally("ana", "What time is it now?");
    scene.talks("ana", 500);
    scene.finally("ana", "thanks");
    scene.stops("ana");
    scene.wait(2_000);
    assert_eq!(scene.submitted()[1].1, "thanks", "the late words are of no one's turn");
}

#[test]
fn a_cough_is_no_turn_and_nothing_waits_for_it_long() {
    let mut scene = Scene::of(&["ana"]);
    scene.talks("ana", 150);
    scene.stops_and_is_understood("ana", 400, "");
    scene.wait(300);
    assert_eq!(scene.dropped(), [DropReason::NoWords]);
    assert!(scene.done.last().unwrap().0 <= 150 + 650);
}

#[test]
fn a_recogniser_that_breaks_loses_nothing_it_told() {
    let mut scene = Scene::of(&["ana"]);
    scene.talks("ana", 900);
    scene.partial("ana", "are you there");
    scene.tell(TurnEvent::Deafened { who: account("ana") });
    scene.stops("ana");
    scene.wait(700);
    assert_eq!(scene.submitted(), [(1_500, "are you there".to_owned(), true)]);
    scene.begins("ana");
    scene.tell(TurnEvent::Deafened { who: account("ana") });
    scene.stops("ana");
    scene.wait(700);
    assert_eq!(scene.dropped(), [DropReason::NoRecogniser]);
}

/// What it had heard of them is asked for, or it would come with what they say next.
#[test]
fn a_recogniser_that_failed_and_tells_words_again_is_asked_for_everything() {
    let mut scene = Scene::of(&["ana"]);
    scene.talks("ana", 900);
    scene.stops("ana");
    scene.wait(250);
    scene.tell(TurnEvent::Deafened { who: account("ana") });
    scene.utters("ana", 600, "where is the red one");
    scene.wait(300);
    let asked = |scene: &Scene| {
        scene.done.iter().filter(|(_, effect)| matches!(effect, Effect::Finalize { .. })).count()
    };
    assert_eq!(asked(&scene), 2, "before it failed, and since");
    assert!(scene.submitted().is_empty(), "its answer is waited for");
    scene.tell(TurnEvent::Final {
        who: account("ana"),
        text: "where is the red one?".to_owned(),
        answers: true,
    });
    scene.wait(700);
    assert_eq!(scene.submitted().len(), 1);
}

#[test]
fn an_answer_is_begun_early_and_kept_when_the_final_words_agree() {
    let mut scene = Scene::of(&["ana"]);
    scene.utters("ana", 1_000, "what time is it");
    scene.wait(200);
    let text = "what time is it".to_owned();
    let speculation =
        Effect::Speculate { speculation: SpeculationId(0), who: account("ana"), text, is_unsure: false };
    assert_eq!(scene.when(&speculation), Some(1_150));
    scene.wait(50);
    scene.finally("ana", "What time is it?");
    scene.wait(100);
    let Some((at, Effect::Submit { said })) = scene.done.last() else { panic!("{:?}", scene.done) };
    assert_eq!((*at, said[0].speculation), (1_270, Some(SpeculationId(0))));
    assert_eq!(scene.machine.speculations(), (1, 1));
}

#[test]
fn s2_3_until_the_answer_can_be_heard_they_may_go_on() {
    let pauses_for = |pause: u64, ready_after: u64| {
        let mut scene = Scene::of(&["ana"]);
        scene.is_quick = false;
        scene.utters("ana", 1_000, "The weather was awful.");
        scene.wait(100);
        scene.finally("ana", "The weather was awful.");
        if ready_after < pause {
            scene.wait(ready_after - 100);
            scene.tell(TurnEvent::Ready { speculation: SpeculationId(0) });
            scene.wait(pause - ready_after);
        } else {
            scene.wait(pause - 100);
        }
        scene.submitted()
    };
    assert_eq!(pauses_for(600, 700), [], "nothing is lost by listening on");
    let text = "The weather was awful.".to_owned();
    assert_eq!(pauses_for(800, 700), [(1_700, text.clone(), true)], "it is ready to be said");
    assert_eq!(pauses_for(800, 200), [(1_600, text.clone(), true)], "but not before they sound finished");
    assert_eq!(
        pauses_for(1_500, 3_000),
        [(2_000, text, true)],
        "nobody waits for a slow model to be taken seriously"
    );
}

#[test]
fn s2_3_who_goes_on_before_the_answer_can_be_heard_was_not_finished() {
    let mut scene = Scene::of(&["ana"]);
    scene.is_quick = false;
    scene.says("ana", "The weather was awful.");
    scene.wait(450);
    scene.says("ana", "But the food was great.");
    // Words come 250 ms after the end, the second answer is begun then.
    scene.tell(TurnEvent::Ready { speculation: SpeculationId(1) });
    scene.wait(1_000);
    let all = "The weather was awful. But the food was great.".to_owned();
    assert_eq!(scene.submitted().into_iter().map(|(_, text, _)| text).collect::<Vec<_>>(), [all]);
    assert_eq!(scene.machine.speculations(), (1, 2));
}

#[test]
fn an_early_answer_to_other_words_or_to_half_of_them_is_thrown_away() {
    let mut scene = Scene::of(&["ana"]);
    scene.utters("ana", 1_000, "what time is it");
    scene.wait(190);
    scene.begins("ana");
    assert!(scene.when(&Effect::DropSpeculation { speculation: SpeculationId(0) }).is_some());
    scene.finally("ana", "what time is it");
    scene.wait(500);
    scene.partial("ana", "in Oslo");
    scene.stops_and_is_understood("ana", 250, "in Osaka?");
    scene.wait(500);
    let kept: Vec<_> = scene
        .done
        .iter()
        .filter_map(|(_, effect)| match effect {
            Effect::Submit { said } => Some(said[0].speculation),
            _ => None,
        })
        .collect();
    assert_eq!(kept, [None], "Osaka is not Oslo");
    assert_eq!(scene.machine.speculations(), (0, 2));
    assert_eq!(scene.count(|effect| matches!(effect, Effect::DropSpeculation { .. })), 2);
}

#[test]
fn s2_3_an_utterance_is_tried_three_times_and_not_when_it_is_long() {
    let speculations = |scene: &Scene| scene.count(|effect| matches!(effect, Effect::Speculate { .. }));
    let mut scene = Scene::of(&["ana"]);
    for part in ["the red one", "or the blue one", "or the green one", "or the grey one", "or none"] {
        scene.talks("ana", 800);
        scene.stops("ana");
        scene.partial("ana", part);
        scene.wait(300);
    }
    assert_eq!(speculations(&scene), 3);

    let mut scene = Scene::of(&["ana"]);
    scene.utters("ana", 9_800, "the red one");
    scene.wait(400);
    assert_eq!(speculations(&scene), 1);
    let mut scene = Scene::of(&["ana"]);
    scene.utters("ana", 9_900, "the red one");
    scene.wait(400);
    assert_eq!(speculations(&scene), 0, "after ten seconds it is a tale");
}

#[test]
fn s2_5_two_who_finish_together_are_answered_together() {
    // (how long after Ana Bob stops, whether he still pauses or has his words when her turn is over)
    for later in [100, 300] {
        let mut scene = Scene::of(&["ana", "bob"]);
        scene.begins("ana");
        scene.talks("bob", 1_000);
        scene.partial("ana", "Mika what time is it?");
        scene.stops_and_is_understood("ana", 80, "Mika, what time is it?");
        scene.partial("bob", "Mika and is it late?");
        scene.wait(later - 80);
        scene.stops_and_is_understood("bob", 80, "Mika, and is it late?");
        scene.wait(1_000);
        let submits: Vec<(u64, usize)> = scene
            .done
            .iter()
            .filter_map(|(at, effect)| match effect {
                Effect::Submit { said } => Some((*at, said.len())),
                _ => None,
            })
            .collect();
        let [(at, 2)] = submits.as_slice() else { panic!("{later} ms: {submits:?}") };
        assert!(*at <= 1_670, "nobody waits longer than 400 ms: {at}");
    }
}

#[test]
fn s2_5_whoever_goes_on_talking_is_not_waited_for_longer() {
    let mut scene = Scene::of(&["ana", "bob"]);
    scene.begins("ana");
    scene.talks("bob", 1_000);
    scene.partial("ana", "Mika what time is it?");
    scene.stops_and_is_understood("ana", 80, "Mika, what time is it?");
    scene.wait(5_000);
    assert_eq!(scene.submitted().len(), 1);
    assert_eq!(scene.submitted()[0].0, 1_670);
}

#[test]
fn a_recogniser_that_ends_turns_is_given_the_time_to_and_what_it_ended_before_is_not_lost() {
    let mut scene = Scene::with(&["ana"], TurnSettings { ends_turns: true, ..settings() });
    let asked = |scene: &Scene| scene.count(|effect| matches!(effect, Effect::Finalize { .. }));
    scene.utters("ana", 1_000, "I went to the");
    scene.wait(1_000);
    assert_eq!(asked(&scene), 0, "it may say so itself");
    scene.wait(500);
    assert_eq!(asked(&scene), 1, "but not for ever");
    scene.finally("ana", "I went to the");
    assert_eq!(scene.submitted().len(), 1, "{:?}", scene.submitted());

    scene.wait(5_000);
    scene.talks("ana", 500);
    scene.tell(TurnEvent::Ended { who: account("ana"), text: "I went to the shop".to_owned() });
    scene.partial("ana", "and bought");
    scene.wait(500);
    scene.stops("ana");
    scene.tell(TurnEvent::Ended { who: account("ana"), text: "and bought milk.".to_owned() });
    scene.wait(100);
    let last = scene.submitted().pop().map(|(_, text, _)| text);
    assert_eq!(last.as_deref(), Some("I went to the shop and bought milk."));
}

#[test]
fn in_a_group_it_answers_who_means_it_and_keeps_listening_to_the_others() {
    let mut scene = Scene::of(&["ana", "bob"]);
    scene.says("ana", "did you see the game?");
    scene.wait(1_000);
    scene.says("bob", "yes it was great, they won.");
    scene.wait(1_000);
    scene.says("ana", "Mika, who won the game?");
    scene.wait(1_000);
    let addressed: Vec<bool> = scene.submitted().iter().map(|(_, _, addressed)| *addressed).collect();
    assert_eq!(addressed, [false, false, true], "who asks into the quiet asks the other one");
}

/// What becomes of a pause whose sound was heard: when their turn is over after it, and whether its early answer and the
/// turn may be left without an answer.
fn heard_pausing(pushes_to_talk: bool, text: &str, finished: bool) -> (u64, Vec<bool>) {
    let mut scene = Scene::of(&["ana"]);
    let who = account("ana");
    scene.tell(TurnEvent::Gate { who: who.clone(), open: true, pushes_to_talk });
    scene.talks("ana", 1_000);
    scene.partial("ana", text);
    scene.stops("ana");
    scene.tell(TurnEvent::Gate { who: who.clone(), open: false, pushes_to_talk });
    scene.tell(TurnEvent::Sounds { who, finished });
    scene.wait(100);
    scene.finally("ana", text);
    scene.wait(3_000);
    let unsure = scene.done.iter().filter_map(|(_, effect)| match effect {
        Effect::Speculate { is_unsure, .. } => Some(*is_unsure),
        Effect::Submit { said } => Some(said[0].is_unsure),
        _ => None,
    });
    let over = scene.done.iter().find_map(|(_, effect)| match effect {
        Effect::Submit { said } => Some(said[0].over),
        _ => None,
    });
    (over.unwrap().as_millis() as u64 - 1_000, unsure.collect())
}

#[test]
fn s2_2_how_a_pause_sounds_counts_the_same_for_an_early_answer_and_for_the_turn() {
    assert_eq!(heard_pausing(false, "What time is it?", false), (700, vec![true, true]));
    assert_eq!(heard_pausing(false, "What time is it?", true), (270, vec![false, false]));
    assert_eq!(heard_pausing(false, "the red one", true), (270, vec![false, false]));
}

#[test]
fn s2_2_whoever_lets_go_of_a_button_has_finished_however_it_sounds() {
    assert_eq!(heard_pausing(true, "I went to the market", false).0, 150);
}

#[test]
fn the_recognisers_own_end_of_turn_is_taken_at_once() {
    let mut scene = Scene::of(&["ana"]);
    scene.talks("ana", 800);
    scene.tell(TurnEvent::Eager { who: account("ana"), text: "how are you".to_owned() });
    scene.stops("ana");
    assert_eq!(
        scene.count(|effect| matches!(effect, Effect::Speculate { .. })),
        1,
        "no wait before a speculation"
    );
    scene.wait(100);
    scene.tell(TurnEvent::Ended { who: account("ana"), text: "How are you?".to_owned() });
    assert_eq!(scene.submitted(), [(900, "How are you?".to_owned(), true)]);
    let Some((_, Effect::Submit { said })) = scene.done.last() else { panic!() };
    assert_eq!(said[0].speculation, Some(SpeculationId(0)));
}

#[test]
fn the_recognisers_own_end_of_turn_counts_in_a_noisy_room_too() {
    let mut scene = Scene::of(&["ana"]);
    scene.talks("ana", 1_000);
    scene.tell(TurnEvent::Ended { who: account("ana"), text: "How are you?".to_owned() });
    scene.wait(2_000);
    assert_eq!(scene.submitted(), [(1_500, "How are you?".to_owned(), true)], "the fan does not stop");
}

#[test]
fn a_slow_model_is_covered_by_one_filler_and_twice_in_a_row_only_if_it_would_seem_to_be_gone() {
    let mut scene = Scene::of(&["ana"]);
    let mut fillers = Vec::new();
    for (reply, slow) in [(1, 4_000), (2, 2_400), (3, 4_000), (4, 4_000)] {
        let over = scene.now + 1_270;
        scene.says("ana", "What time is it?");
        scene.wait(20);
        scene.opens(reply, "ana");
        scene.done.clear();
        scene.wait(slow);
        fillers.push(scene.when(&Effect::Filler).map(|at| at - over));
        scene.tell(TurnEvent::Saying { reply, text: "Late.".to_owned() });
        scene.tell(TurnEvent::Audible { reply });
        scene.closes(reply);
        scene.wait(5_000);
    }
    assert_eq!(fillers, [Some(1_200), None, Some(1_200), Some(2_500)]);
}

#[test]
fn what_is_looked_up_for_longer_than_a_moment_is_covered_by_a_filler_unless_somebody_talks() {
    let mut scene = Scene::of(&["ana"]);
    scene.says("ana", "What did Ben say?");
    scene.wait(20);
    scene.opens(1, "ana");
    scene.done.clear();
    // The model is quick, and what it calls is not.
    let began = scene.now;
    scene.tell(TurnEvent::Works { reply: 1, on: true });
    scene.wait(600);
    assert_eq!(scene.when(&Effect::Filler), None);
    scene.wait(3_000);
    assert_eq!(scene.when(&Effect::Filler).map(|at| at - began), Some(700));
    assert_eq!(scene.done.iter().filter(|(_, effect)| *effect == Effect::Filler).count(), 1, "once");
    // What is done soon needs none.
    scene.done.clear();
    scene.tell(TurnEvent::Works { reply: 1, on: true });
    scene.wait(400);
    scene.tell(TurnEvent::Works { reply: 1, on: false });
    scene.wait(2_000);
    assert_eq!(scene.when(&Effect::Filler), None);
    // Nor does whoever talks.
    scene.tell(TurnEvent::Saying { reply: 1, text: "Let me look.".to_owned() });
    scene.tell(TurnEvent::Audible { reply: 1 });
    scene.begins("ana");
    scene.tell(TurnEvent::Works { reply: 1, on: true });
    scene.wait(900);
    assert_eq!(scene.when(&Effect::Filler), None);
}

#[test]
fn who_leaves_in_the_middle_of_a_sentence_has_said_half_of_it() {
    let mut scene = Scene::of(&["ana"]);
    scene.talks("ana", 500);
    scene.partial("ana", "Mika, tell Bob that I");
    scene.tell(TurnEvent::Left { who: account("ana") });
    scene.wait(10_000);
    let said: Vec<String> = scene.submitted().into_iter().map(|(_, text, _)| text).collect();
    assert_eq!(said, ["Mika, tell Bob that I"]);
    assert_eq!(scene.dropped(), []);
}

#[test]
fn who_withdraws_consent_is_forgotten_at_once() {
    let mut scene = Scene::of(&["ana"]);
    scene.talks("ana", 500);
    scene.partial("ana", "my secret is");
    scene.tell(TurnEvent::Withdrew { who: account("ana") });
    scene.wait(10_000);
    assert_eq!(scene.dropped(), [DropReason::Gone]);
    assert_eq!(scene.submitted(), []);
}

#[test]
fn what_was_said_to_the_end_is_not_lost_with_whoever_leaves() {
    let mut scene = Scene::of(&["ana", "bob"]);
    scene.begins("bob");
    scene.says("ana", "Mika, what time is it?");
    scene.wait(100);
    assert_eq!(scene.submitted(), [], "bob still speaks");
    scene.tell(TurnEvent::Left { who: account("ana") });
    assert_eq!(scene.submitted(), [(1_350, "Mika, what time is it?".to_owned(), true)]);
}

#[test]
fn words_that_may_be_only_the_first_are_not_taken_for_all_while_the_rest_is_asked_for() {
    let mut scene = Scene::of(&["ana"]);
    scene.talks("ana", 900);
    scene.stops("ana");
    scene.wait(700);
    scene.partial("ana", "Where");
    scene.wait(1_000);
    assert_eq!(scene.submitted(), [], "it answers what it was asked for yet");
    scene.partial("ana", "Where does the ferry go on a Sunday?");
    scene.wait(100);
    scene.tell(TurnEvent::Final {
        who: account("ana"),
        text: "Where does the ferry go on a Sunday?".to_owned(),
        answers: true,
    });
    scene.wait(100);
    let said: Vec<String> = scene.submitted().into_iter().map(|(_, text, _)| text).collect();
    assert_eq!(said, ["Where does the ferry go on a Sunday?"]);
}

#[test]
fn words_behind_the_recognisers_answer_are_asked_for_too() {
    let mut scene = Scene::of(&["ana"]);
    scene.utters("ana", 1_000, "I went to the");
    scene.wait(300);
    scene.finally("ana", "I went to the");
    scene.partial("ana", "harbour and saw the boats.");
    let finalized = |scene: &Scene| scene.count(|effect| matches!(effect, Effect::Finalize { .. }));
    assert_eq!(finalized(&scene), 2);
    scene.finally("ana", "harbour and saw the boats.");
    scene.wait(1_000);
    let said: Vec<String> = scene.submitted().into_iter().map(|(_, text, _)| text).collect();
    assert_eq!(said, ["I went to the harbour and saw the boats."]);
}

#[test]
fn its_own_voice_from_a_loudspeaker_is_no_turn() {
    let mut scene = Scene::of(&["ana"]);
    scene.speaks(1, "ana", "The river is high tonight, so the ferry will not run.");
    scene.wait(2_000);
    scene.closes(1);
    scene.says("ana", "high tonight so the ferry will not run");
    scene.wait(1_000);
    assert_eq!(scene.dropped(), [DropReason::Echo]);
}

#[test]
fn who_tells_something_long_hears_backchannels_rarely_and_only_in_the_middle() {
    let backchannels = |scene: &Scene| scene.count(|effect| *effect == Effect::Backchannel);
    let tells = |scene: &mut Scene, ms: u64, text: &str| {
        scene.talks("ana", ms);
        scene.partial("ana", text);
        scene.stops("ana");
        scene.wait(700);
    };
    let mut scene = Scene::of(&["ana"]);
    tells(&mut scene, 5_000, "so we went down to the");
    assert_eq!(backchannels(&scene), 0, "not for five seconds");
    tells(&mut scene, 2_000, "so we went down to the river and");
    assert_eq!(scene.when(&Effect::Backchannel), Some(8_000), "300 ms into the pause");
    tells(&mut scene, 5_000, "so we went down to the river and saw the");
    assert_eq!(backchannels(&scene), 1, "once in twelve seconds");
    tells(&mut scene, 8_000, "so we went down to the river and saw the ferry and");
    assert_eq!(backchannels(&scene), 2);
    let all = "so we went down to the river and saw the ferry and it was gone.";
    tells(&mut scene, 8_000, all);
    scene.finally("ana", all);
    scene.wait(700);
    assert_eq!((backchannels(&scene), scene.submitted().len()), (2, 1), "who is finished is answered");

    let mut scene = Scene::of(&["ana", "bob"]);
    tells(&mut scene, 8_000, "bob we went down to the");
    assert_eq!(backchannels(&scene), 0, "what is told to somebody else");
    let mut scene = Scene::with(&["ana"], TurnSettings { backchannels: false, ..settings() });
    tells(&mut scene, 8_000, "so we went down to the");
    assert_eq!(backchannels(&scene), 0);
}

/// Ana, and a familiar whose ears its name opens for ten seconds.
fn only_by_name() -> Scene {
    Scene::with(&["ana"], TurnSettings { wake_window: Some(Duration::from_secs(10)), ..settings() })
}

#[test]
fn s2_5_who_is_awake_may_add_something_and_interrupt() {
    let mut scene = only_by_name();
    scene.says("ana", "Mika, what time is it?");
    scene.wait(500);
    scene.says("ana", "And where is the ferry?");
    scene.wait(500);
    scene.speaks(1, "ana", "It is late, and the ferry is at the pier, where it always is.");
    scene.wait(30_000);
    scene.says("ana", "And who steers it tonight?");
    scene.wait(500);
    let answered: Vec<bool> = scene.submitted().iter().map(|(_, _, answered)| *answered).collect();
    assert_eq!(answered, [true; 3]);
}

#[test]
fn s2_3_a_turn_with_pauses_does_not_speak_against_early_answers() {
    let mut scene = Scene::of(&["ana"]);
    scene.is_quick = false;
    for turn in 0..12 {
        for part in ["The weather was awful.", "The food was great."] {
            scene.says("ana", part);
            scene.wait(350);
        }
        scene.says("ana", "What about you?");
        let newest = scene.count(|effect| matches!(effect, Effect::Speculate { .. })) as u64 - 1;
        scene.tell(TurnEvent::Ready { speculation: SpeculationId(newest) });
        scene.wait(30_000);
        assert_eq!(scene.submitted().len(), turn + 1);
    }
    assert_eq!(scene.machine.speculations(), (12, 36), "one of three was kept each time, and it goes on");
}

#[test]
fn s2_5_what_somebody_else_mutters_at_the_same_time_does_not_cost_the_early_answer() {
    let mut scene = Scene::of(&["ana", "bob", "cid"]);
    scene.begins("ana");
    scene.talks("bob", 1_000);
    scene.partial("ana", "Mika what time is it?");
    scene.stops_and_is_understood("ana", 80, "Mika, what time is it?");
    scene.partial("bob", "Cid it is late");
    scene.wait(120);
    scene.stops_and_is_understood("bob", 80, "Cid, it is late.");
    scene.wait(2_000);
    let submits: Vec<Vec<(&str, bool)>> = scene
        .done
        .iter()
        .filter_map(|(_, effect)| match effect {
            Effect::Submit { said } => {
                Some(said.iter().map(|one| (one.text.as_str(), one.speculation.is_some())).collect())
            }
            _ => None,
        })
        .collect();
    assert_eq!(submits, [vec![("Mika, what time is it?", true)], vec![("Cid, it is late.", false)]]);
}

#[test]
fn s2_5_in_wake_mode_only_its_name_opens_its_ears_for_a_while() {
    let mut scene = only_by_name();
    scene.says("ana", "What time is it?");
    scene.wait(2_000);
    scene.says("ana", "Mika, what time is it?");
    scene.wait(500);
    scene.speaks(1, "ana", "Late, I am afraid.");
    scene.wait(1_000);
    scene.closes(1);
    scene.wait(2_000);
    scene.says("ana", "How late?");
    scene.wait(20_000);
    scene.says("ana", "Never mind, then.");
    scene.wait(60_000);
    let answered: Vec<bool> = scene.submitted().iter().map(|(_, _, answered)| *answered).collect();
    assert_eq!(answered, [false, true, true, false]);
    assert_eq!(scene.count(|effect| *effect == Effect::JoinIn), 0, "nor does it speak unasked");
}
