use std::collections::BTreeSet;

use super::*;

/// What is said in thirteen languages, by behaviour, language and words.
const LANGUAGES: &str = include_str!("../../../../../tests/fixtures/languages/table.tsv");

fn is_silent(effect: &Effect) -> bool {
    matches!(effect, Effect::Pause | Effect::Abandon { .. })
}

#[test]
fn whoever_is_answered_is_given_way_in_two_steps() {
    let mut scene = Scene::answering_ana(&["ana", "bob"]);
    scene.begins("ana");
    assert_eq!(scene.when(&Effect::Duck(true)), Some(1_000), "quieter at once");
    scene.wait(300);
    scene.partial("ana", "no");
    scene.wait(200);
    assert_eq!(scene.when(&Effect::Pause), Some(1_400));
    scene.partial("ana", "no I meant the other one");
    scene.wait(200);
    scene.stops_and_is_understood("ana", 250, "No, I meant the other one.");
    scene.wait(500);
    let abandoned = scene.when(&Effect::Abandon { reply: 1 }).unwrap();
    assert!(
        abandoned <= scene.submitted()[0].0,
        "what was heard is settled before the answer to it is asked for"
    );
    assert_eq!(scene.count(|effect| *effect == Effect::Resume), 0);
}

#[test]
fn two_words_are_enough_and_a_stop_word_is_obeyed_at_once() {
    let mut scene = Scene::answering_ana(&["ana"]);
    scene.talks("ana", 250);
    scene.partial("ana", "but why");
    assert_eq!(scene.when(&Effect::Pause), Some(1_250));
    let mut scene = Scene::with(&["ana", "bob"], TurnSettings { tolerance: 1.0, ..settings() });
    scene.speaks(1, "ana", "The river is high tonight.");
    scene.wait(1_000);
    scene.talks("bob", 250);
    scene.partial("bob", "Mika stop");
    assert_eq!(
        scene.when(&Effect::Abandon { reply: 1 }),
        Some(1_250),
        "whoever says it, and however stubborn it is"
    );
}

#[test]
fn a_reply_that_is_spoken_is_stopped_in_every_language() {
    let mut languages = BTreeSet::new();
    for (language, said) in LANGUAGES.lines().filter_map(|row| row.strip_prefix("stop\t")?.split_once('\t')) {
        let settings = TurnSettings { names: vec!["Pell".to_owned()], ..settings() };
        let mut scene = Scene::with(&["ana"], settings);
        scene.speaks(1, "ana", "The river is high tonight.");
        scene.wait(1_000);
        scene.talks("ana", 250);
        scene.partial("ana", said);
        assert_eq!(scene.when(&Effect::Abandon { reply: 1 }), Some(1_250), "{language}: {said}");
        languages.insert(language);
    }
    assert_eq!(languages.len(), 13);
}

#[test]
fn a_nod_a_cough_and_side_talk_do_not_stop_it() {
    let mut scene = Scene::of(&["ana", "bob"]);
    scene.speaks(1, "ana", "The river is high tonight, and so on and on.");
    scene.wait(1_000);
    // A backchannel that the recogniser knows in time.
    scene.talks("ana", 300);
    scene.partial("ana", "Mm-hm.");
    scene.wait(250);
    scene.stops_and_is_understood("ana", 250, "Mm-hm.");
    scene.wait(1_000);
    // A cough.
    scene.talks("ana", 200);
    scene.stops_and_is_understood("ana", 250, "");
    scene.wait(1_000);
    // Bob talks with somebody in his room.
    scene.utters("bob", 1_400, "mum can you bring me the salt please");
    scene.wait(250);
    scene.finally("bob", "Mum, can you bring me the salt, please?");
    scene.wait(2_000);
    assert_eq!(scene.count(is_silent), 0, "{:?}", scene.done);
    let ducks = scene.count(|effect| *effect == Effect::Duck(true));
    assert_eq!((ducks, scene.count(|effect| *effect == Effect::Duck(false))), (3, 3));
    assert_eq!(scene.dropped(), [DropReason::Backchannel, DropReason::NoWords]);
}

#[test]
fn a_pause_for_nothing_is_taken_back() {
    let mut scene = Scene::of(&["ana"]);
    scene.speaks(1, "ana", "The river is high tonight.");
    scene.wait(4_000);
    scene.talks("ana", 1_200);
    scene.stops_and_is_understood("ana", 250, "mm-hm");
    scene.wait(1_000);
    assert_eq!(
        scene.when(&Effect::Pause),
        Some(5_100),
        "a sigh is not so long, nor does a word take so long"
    );
    let resumed = scene.when(&Effect::Resume).unwrap();
    assert!(resumed <= 5_200 + 650, "{resumed}");
    assert_eq!(scene.count(|effect| matches!(effect, Effect::Abandon { .. })), 0);
    assert_eq!(scene.dropped(), [DropReason::Backchannel]);
}

#[test]
fn where_no_words_are_told_while_they_are_spoken_their_length_decides() {
    let mut scene = Scene::with(&["ana"], TurnSettings { hears_partials: false, ..settings() });
    scene.speaks(1, "ana", "The river is high tonight.");
    scene.wait(4_000);
    scene.talks("ana", 500);
    assert_eq!(scene.when(&Effect::Pause), Some(4_400));
}

#[test]
fn whoever_talks_with_somebody_else_over_it_only_makes_it_quieter() {
    let mut scene = Scene::answering_ana(&["ana", "bob"]);
    scene.talks("ana", 300);
    scene.partial("ana", "bob can you");
    scene.wait(900);
    scene.partial("ana", "bob can you close the window");
    scene.stops_and_is_understood("ana", 250, "Bob, can you close the window?");
    scene.wait(2_000);
    assert_eq!(scene.count(is_silent), 0, "{:?}", scene.done);
    assert_eq!(scene.submitted().len(), 1, "it is still remembered");
}

/// Somebody speaks over the reply to Ana, and how it ends; the effects of that alone.
fn says_over(scene: &mut Scene, who: &str, text: &str) -> Vec<Effect> {
    scene.speaks(scene.now, "ana", "The river is high tonight.");
    scene.wait(1_000);
    let before = scene.done.len();
    scene.talks(who, 900);
    scene.partial(who, text);
    scene.wait(100);
    scene.stops(who);
    scene.wait(250);
    scene.finally(who, text);
    scene.wait(2_000);
    scene.done[before..].iter().map(|(_, effect)| effect.clone()).collect()
}

fn gives_way(effects: &[Effect]) -> bool {
    effects.iter().any(|effect| matches!(effect, Effect::Abandon { .. }))
}

#[test]
fn whoever_really_says_something_over_it_is_given_way_and_may_have_meant_it() {
    for text in
        ["I was there once in the winter", "¿cuánto cuesta eso?", "das stimmt doch nicht", "这个 多少钱"]
    {
        let mut scene = Scene::of(&["ana", "bob", "cid"]);
        let effects = says_over(&mut scene, "bob", text);
        assert!(effects.contains(&Effect::Pause) && gives_way(&effects), "{text}: {effects:?}");
        let is_asked = |effect: &Effect| matches!(effect, Effect::Submit { said } if said[0].verdict == Verdict::Perhaps);
        assert!(effects.iter().any(is_asked), "the model is asked: {text}: {effects:?}");
    }
    for text in [
        "what a",
        "old boats",
        "oh wow",
        "Cid, can you hear me?",
        "Lena hast du die Karte",
        "mamma arrivo subito",
    ] {
        let mut scene = Scene::of(&["ana", "bob", "cid"]);
        let effects = says_over(&mut scene, "bob", text);
        assert!(!effects.iter().any(is_silent), "{text}: {effects:?}");
    }
}

#[test]
fn whom_it_was_said_to_may_come_last_and_then_it_goes_on() {
    let mut scene = Scene::answering_ana(&["ana", "bob", "cid"]);
    scene.talks("bob", 900);
    scene.partial("bob", "I left it on the");
    scene.wait(2_500);
    assert!(!gives_way(&scene.done.iter().map(|(_, effect)| effect.clone()).collect::<Vec<_>>()));
    scene.partial("bob", "I left it on the table mum");
    assert_eq!((scene.when(&Effect::Pause), scene.when(&Effect::Resume)), (Some(1_900), Some(4_400)));
}

#[test]
fn whoever_was_speaking_before_it_does_not_stop_it() {
    let mut scene = Scene::of(&["ana", "bob"]);
    scene.talks("bob", 1_000);
    scene.partial("bob", "would you like that one more");
    scene.speaks(1, "ana", "The river is high tonight.");
    scene.wait(200);
    scene.stops_and_is_understood("bob", 250, "Would you like that one more?");
    scene.wait(2_000);
    assert_eq!(scene.count(is_silent), 0, "{:?}", scene.done);
    assert_eq!(scene.submitted().len(), 1);
}

#[test]
fn two_who_chat_across_it_silence_it_once() {
    let mut scene = Scene::of(&["ana", "bob", "cid"]);
    assert!(gives_way(&says_over(&mut scene, "bob", "we could take the car on Friday")));
    let again = says_over(&mut scene, "bob", "or we take the bus instead");
    assert!(!again.iter().any(is_silent), "that was not for it, so this is not: {again:?}");
    let named = says_over(&mut scene, "bob", "Mika what does the bus cost");
    assert!(gives_way(&named));
    // Whoever speaks behind somebody who called them over it answers them.
    let mut scene = Scene::answering_ana(&["ana", "bob", "cid"]);
    for (who, text) in [("bob", "Cid, are you coming on Friday?"), ("cid", "I would love to come")] {
        scene.says(who, text);
        scene.wait(500);
    }
    assert_eq!(scene.count(is_silent), 0, "{:?}", scene.done);
}

#[test]
fn only_who_answers_side_talk_is_taken_for_side_talk() {
    let objects = |scene: &mut Scene| {
        let before = scene.done.len();
        scene.utters("bob", 900, "no that is wrong it closed in May");
        scene.wait(250);
        scene.finally("bob", "No, that is wrong, it closed in May.");
        scene.wait(2_000);
        gives_way(&scene.done[before..].iter().map(|(_, effect)| effect.clone()).collect::<Vec<_>>())
    };
    let opened = || Scene::answering_ana(&["ana", "bob", "cid"]);
    // Somebody only listens.
    let mut scene = opened();
    scene.talks("ana", 300);
    scene.stops("ana");
    scene.wait(50);
    assert!(objects(&mut scene), "{:?}", scene.done);
    // Somebody types.
    let mut scene = opened();
    scene.tell(TurnEvent::Typed { who: account("cid"), text: "lol".to_owned() });
    scene.wait(3_000);
    assert!(objects(&mut scene), "{:?}", scene.done);
    // Somebody talked with somebody else, a while ago.
    let mut scene = opened();
    scene.says("cid", "Ana, the salt please");
    scene.wait(20_000);
    assert!(objects(&mut scene), "{:?}", scene.done);
}

#[test]
fn what_others_say_is_not_taken_for_a_call_because_of_how_it_begins() {
    for text in [
        "maybe you should tell us about the harbour",
        "Earlier you said it was closed",
        "Honestly, do you believe that?",
        "vorhin hast du neun gesagt",
        "아니야 그거 틀렸어",
    ] {
        let mut scene = Scene::of(&["ana", "bob", "cid"]);
        let effects = says_over(&mut scene, "bob", text);
        assert!(gives_way(&effects), "{text}: {effects:?}");
    }
    // Whom it answers may speak of whomever they like.
    for text in ["wait what did you say about mum", "Mama sagt das stimmt nicht", "no I meant Anne"] {
        let mut scene = Scene::of(&["ana", "bob", "cid"]);
        let effects = says_over(&mut scene, "ana", text);
        assert!(gives_way(&effects), "{text}: {effects:?}");
    }
}

#[test]
fn a_short_question_over_it_is_a_turn_though_it_was_too_short_to_stop_it() {
    let mut scene = Scene::answering_ana(&["ana"]);
    scene.talks("ana", 250);
    scene.stops_and_is_understood("ana", 200, "What?");
    scene.wait(500);
    let abandoned = scene.when(&Effect::Abandon { reply: 1 }).unwrap();
    assert!(abandoned <= scene.submitted()[0].0);
}

#[test]
fn who_names_it_late_is_still_heard() {
    let mut scene = Scene::answering_ana(&["ana", "bob"]);
    scene.talks("bob", 900);
    scene.partial("bob", "thanks just put it there");
    assert_eq!(scene.when(&Effect::Duck(false)), Some(1_700), "it was no matter");
    scene.partial("bob", "thanks just put it there Mika");
    assert_eq!(scene.when(&Effect::Pause), Some(1_900));
}

#[test]
fn a_stubborn_one_talks_on_through_a_short_sound_but_not_for_long_and_not_through_words() {
    let stubborn = TurnSettings { tolerance: 1.0, speculations: false, ..settings() };
    let mut scene = Scene::with(&["ana"], stubborn);
    // Chances are capped at 90 %: this seed rolls lower.
    scene.speaks(1, "ana", "The river is high tonight.");
    scene.wait(1_000);
    scene.talks("ana", 1_500);
    assert_eq!(scene.count(is_silent), 0);
    scene.wait(1_000);
    assert_eq!(scene.when(&Effect::Pause), Some(3_000), "two seconds are no short interruption any more");
    let stubborn = TurnSettings { tolerance: 1.0, speculations: false, ..settings() };
    let mut scene = Scene::with(&["ana"], stubborn);
    scene.speaks(1, "ana", "The river is high tonight.");
    scene.wait(1_000);
    scene.says("ana", "but why is that?");
    scene.wait(1_000);
    assert_eq!(scene.submitted().len(), 1);
    assert!(scene.count(is_silent) > 0, "a question is no matter of luck");
}

#[test]
fn two_who_talk_over_it_are_given_way() {
    let mut scene = Scene::answering_ana(&["ana", "bob", "cid"]);
    scene.begins("bob");
    scene.talks("cid", 2_000);
    assert_eq!(scene.when(&Effect::Abandon { reply: 1 }), Some(2_500));
}

#[test]
fn an_answer_waits_for_a_gap_and_noise_does_not_kill_it() {
    let mut scene = Scene::of(&["ana", "bob"]);
    scene.says("ana", "Mika, what time is it?");
    scene.wait(50);
    scene.opens(1, "ana");
    scene.wait(100);
    scene.begins("ana");
    assert!(scene.done.iter().any(|(_, effect)| *effect == Effect::Hold(true)));
    scene.wait(200);
    scene.stops_and_is_understood("ana", 250, "");
    scene.wait(500);
    assert!(scene.done.iter().any(|(_, effect)| *effect == Effect::Hold(false)));
    assert_eq!(scene.count(is_silent), 0);
    // Others are waited for, but not for ever.
    scene.done.clear();
    scene.begins("bob");
    let held = scene.when(&Effect::Hold(true)).unwrap();
    scene.wait(5_000);
    assert_eq!(scene.when(&Effect::Hold(false)), Some(held + 1_500));
}

#[test]
fn who_talks_for_half_a_minute_gets_another_answer() {
    let mut scene = Scene::of(&["ana"]);
    scene.says("ana", "What time is it?");
    scene.wait(50);
    scene.opens(1, "ana");
    scene.begins("ana");
    for _ in 0..40 {
        scene.wait(1_000);
        scene.partial("ana", "and another thing");
    }
    assert_eq!(scene.count(|effect| *effect == Effect::Abandon { reply: 1 }), 1);
}

#[test]
fn a_reply_that_never_ends_is_let_go() {
    let mut scene = Scene::of(&["ana"]);
    scene.says("ana", "What time is it?");
    scene.wait(50);
    scene.opens(1, "ana");
    scene.wait(130_000);
    assert_eq!(scene.count(|effect| matches!(effect, Effect::Abandon { .. })), 1);
    assert!(scene.machine.is_idle());
}

#[test]
fn what_stopped_one_reply_does_not_stop_the_next() {
    for old_is_closed in [true, false] {
        let mut scene = Scene::answering_ana(&["ana", "bob"]);
        scene.talks("ana", 300);
        scene.partial("ana", "no");
        scene.wait(200);
        assert_eq!(scene.when(&Effect::Pause), Some(1_400));
        if old_is_closed {
            scene.closes(1);
        }
        scene.opens(2, "bob");
        assert_eq!(scene.when(&Effect::Resume), Some(1_500), "closed: {old_is_closed}");
        assert_eq!(scene.when(&Effect::Duck(false)), Some(1_500), "closed: {old_is_closed}");
    }
}

#[test]
fn a_reply_that_comes_to_nothing_holds_nothing_back() {
    let mut scene = Scene::of(&["ana", "bob"]);
    scene.opens(1, "ana");
    scene.begins("bob");
    assert_eq!(scene.when(&Effect::Hold(true)), Some(0));
    scene.closes(1);
    assert_eq!(scene.when(&Effect::Hold(false)), Some(0));
}

#[test]
fn s2_4_a_murmur_right_behind_its_words_is_no_turn_unless_it_asked_something() {
    let behind = |said: &str, after: u64, text: &str| {
        let mut scene = Scene::of(&["ana"]);
        scene.speaks(1, "ana", said);
        scene.wait(5_000);
        scene.closes(1);
        scene.wait(after);
        scene.says("ana", text);
        scene.wait(3_000);
        scene.submitted().len()
    };
    assert_eq!(behind("The ferry is late.", 300, "Mm-hm."), 0);
    assert_eq!(behind("The ferry is late.", 3_000, "Mm-hm."), 1, "long after it is something else");
    assert_eq!(behind("Is the ferry late?", 300, "Mm-hm."), 1, "that means yes");
    assert_eq!(behind("The ferry is late.", 300, "Okay."), 1, "that may want more");
}

#[test]
fn s2_4_when_it_is_first_heard_sound_without_words_does_not_stop_it() {
    let stops_at = |seconds: u64| {
        let mut scene = Scene::of(&["ana"]);
        scene.speaks(1, "ana", "The river is very old and very slow.");
        scene.wait(seconds * 1_000);
        scene.talks("ana", 1_900);
        scene.count(is_silent)
    };
    assert_eq!(stops_at(0), 0, "that may be its own echo");
    assert_eq!(stops_at(4), 1);
}

#[test]
fn who_is_not_waited_for_after_the_button_may_be_switched_off() {
    let mut scene = Scene::with(&["ana"], TurnSettings { notices_buttons: false, ..settings() });
    scene.talks("ana", 1_000);
    scene.stops("ana");
    scene.tell(TurnEvent::Gate { who: account("ana"), open: false, pushes_to_talk: true });
    scene.wait(100);
    scene.finally("ana", "the red one");
    scene.wait(3_000);
    assert_eq!(scene.submitted()[0].0, 1_700);
}
