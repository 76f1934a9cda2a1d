//! What was forgotten before and is kept sealed is forgotten for good.

use super::*;

fn copies(world: &World) -> usize {
    let names = fs::read_dir(world.stores.home.forgotten_dir()).unwrap();
    names.filter(|name| name.as_ref().unwrap().path().extension().is_some_and(|end| end == "sealed")).count()
}

/// Stores what was said one after another in a channel, as messages from 900 on; the familiar's own has no author.
async fn store_lines(world: &World, lines: &[(Option<&AccountId>, &str)]) {
    for (message, &(by, words)) in (900_u64..).zip(lines) {
        let by = by.cloned().map(Author::new);
        let turn = NewTurn {
            messages: vec![MessageId::from(message)],
            ..NewTurn::written(place(1), by, words, world.clock.now(), ChannelMode::FullRp)
        };
        world.stores.history.append(turn).await.unwrap();
    }
}

#[test]
fn contradiction_16_for_good_reaches_what_was_forgotten_before_and_is_kept_sealed() {
    let (ana, canary) = (AccountId::discord(1), "canary0x".to_owned());
    for (what, by, and_then) in [
        (ForgetWhat::Person(ana.clone()), Asker::Person(ana.clone()), Asker::Person(ana.clone())),
        (ForgetWhat::Person(ana.clone()), Asker::Operator, Asker::Person(ana.clone())),
        (ForgetWhat::Person(ana.clone()), Asker::Person(ana.clone()), Asker::Operator),
        (ForgetWhat::Channel(ChannelId::from(1)), Asker::Operator, Asker::Operator),
        (ForgetWhat::Topic("t0".to_owned()), Asker::Operator, Asker::Operator),
        (ForgetWhat::Note(NotePath::new("topics/t0.md").unwrap()), Asker::Operator, Asker::Operator),
        (ForgetWhat::Fact("fact0".to_owned()), Asker::Person(ana.clone()), Asker::Person(ana.clone())),
        (
            ForgetWhat::Words { person: ana.clone(), words: canary },
            Asker::Person(ana.clone()),
            Asker::Operator,
        ),
    ] {
        run(async {
            let world = World::empty().await;
            // She says it, and is answered.
            world.live(&[noted(1), Said { noted: false, ..noted(0) }]).await;
            let softly = ForgetRequest { what: what.clone(), by: by.clone(), keep: KeepCopy::SevenDays };
            let plan = world.eraser().forget(softly.clone()).await.unwrap();
            assert!(plan.messages == 1 && plan.replies == 1 && plan.copies == 0, "{what:?}: {plan:?}");
            assert_eq!(world.eraser().plan(&softly).await.unwrap().copies, 0, "it would keep one itself");
            let hard = ForgetRequest { what: what.clone(), by: and_then, keep: KeepCopy::Nothing };
            let only_the_copy = Plan { copies: 1, ..Plan::default() };
            assert_eq!(world.eraser().plan(&hard).await.unwrap(), only_the_copy, "{what:?}");
            assert_eq!(copies(&world), 1, "a look changes nothing");
            assert_eq!(world.eraser().forget(hard.clone()).await.unwrap(), only_the_copy);
            assert_eq!(copies(&world), 0, "{what:?}");
            assert!(world.eraser().undo(&by).await.unwrap().is_none(), "{what:?}");
            assert!(world.eraser().plan(&hard).await.unwrap().is_empty());
        });
    }
}

#[test]
fn contradiction_16_words_from_before_an_edit_are_found_in_the_stores_and_in_copies() {
    run(async {
        let world = World::empty().await;
        world.live(&[Said { noted: false, ..noted(1) }]).await;
        let (channel, message, now) = (ChannelId::from(1), MessageId::from(100), world.clock.now());
        let history = &world.stores.history;
        history.edit(&channel, &message, "never mind".to_owned(), now).await.unwrap();
        let ana = AccountId::discord(1);
        let what = ForgetWhat::Words { person: ana.clone(), words: canary(0) };
        for (keep, plan) in [
            (KeepCopy::SevenDays, Plan { messages: 1, ..Plan::default() }),
            (KeepCopy::Nothing, Plan { copies: 1, ..Plan::default() }),
        ] {
            let request = ForgetRequest { what: what.clone(), by: Asker::Person(ana.clone()), keep };
            assert_eq!(world.eraser().forget(request).await.unwrap(), plan);
            assert_eq!(world.rows().await, []);
        }
        assert_eq!(copies(&world), 0);
    });
}

#[test]
fn contradiction_16_a_copy_that_holds_others_words_too_keeps_those_alone() {
    run(async {
        let world = World::empty().await;
        // Of the same topic: the first and the fourth.
        world.live(&[noted(1), noted(2), Said { noted: false, ..noted(0) }, noted(2)]).await;
        let rows = world.rows().await;
        let lounge = ForgetWhat::Channel(ChannelId::from(1));
        let softly = ForgetRequest { what: lounge, by: Asker::Operator, keep: KeepCopy::SevenDays };
        world.eraser().forget(softly).await.unwrap();
        assert_eq!(world.rows().await, []);
        let plan = world.eraser().forget(request(KeepCopy::Nothing)).await.unwrap();
        assert_eq!((plan.messages, plan.copies), (0, 1), "{plan:?}");
        let undone = world.eraser().undo(&Asker::Operator).await.unwrap().unwrap();
        assert_eq!((undone.messages, undone.replies, undone.facts), (2, 1, 2));
        assert_eq!(world.rows().await, rows[1..]);
        let bytes = world.bytes();
        assert!(!bytes.contains("canary0x") && !bytes.contains("fact0"), "nothing of hers came back");
        let notes = world.notes();
        let topic = &notes.iter().find(|(path, _)| path == "topics/t0.md").unwrap().1;
        assert!(topic.contains("fact3") && !topic.contains("fact0"), "{topic}");
        assert_eq!(world.eraser().tidy().await.unwrap(), 0, "and what came back stays");
        assert_eq!(world.rows().await, rows[1..]);
    });
}

#[test]
fn contradiction_16_for_good_reaches_what_others_copies_pass_on_by_however_many_hands() {
    run(async {
        let world = World::empty().await;
        world.live(&[Said { noted: false, ..noted(1) }]).await;
        // Of hers, and each of the one before: the last is in another copy than what it passes on.
        for (by, message, of) in [(2, 900, 100), (2, 901, 900), (3, 902, 901)] {
            let forward = NewTurn {
                messages: vec![MessageId::from(message)],
                ..NewTurn::written(
                    place(1),
                    Some(Author::new(AccountId::discord(by))),
                    format!("> [forwarded: message — {}]", canary(0)),
                    world.clock.now(),
                    ChannelMode::FullRp,
                )
            };
            let of = Some((ChannelId::from(1), MessageId::from(of)));
            world.stores.history.store_said(forward, of).await.unwrap();
        }
        let others = [3, 2].map(AccountId::discord);
        for other in &others {
            let theirs = ForgetRequest {
                what: ForgetWhat::Person(other.clone()),
                by: Asker::Person(other.clone()),
                keep: KeepCopy::SevenDays,
            };
            world.eraser().forget(theirs).await.unwrap();
        }
        let plan = world.eraser().forget(request(KeepCopy::Nothing)).await.unwrap();
        assert_eq!((plan.messages, plan.copies), (1, 2), "{plan:?}");
        for other in others {
            world.eraser().undo(&Asker::Person(other)).await.unwrap();
        }
        assert_eq!(world.rows().await, []);
    });
}

#[test]
fn contradiction_16_for_good_reaches_what_others_copies_repeat_of_what_is_in_the_stores() {
    run(async {
        let world = World::empty().await;
        let (ana, ben) = (AccountId::discord(1), AccountId::discord(2));
        let said = [
            (Some(&ana), "my heron sails north tomorrow morning"),
            (Some(&ben), "what did she tell you?"),
            (None, "She told me: my heron sails north tomorrow morning."),
        ];
        store_lines(&world, &said).await;
        let by = Asker::Person(ben.clone());
        let bens = ForgetRequest { what: ForgetWhat::Person(ben), by: by.clone(), keep: KeepCopy::SevenDays };
        assert_eq!(world.eraser().forget(bens).await.unwrap().replies, 1);
        let plan = world.eraser().forget(request(KeepCopy::Nothing)).await.unwrap();
        assert_eq!((plan.messages, plan.copies), (1, 1), "{plan:?}");
        world.eraser().undo(&by).await.unwrap();
        let left: Vec<String> = world.rows().await.into_iter().map(|turn| turn.content).collect();
        assert_eq!(left, ["what did she tell you?"]);
    });
}

#[test]
fn contradiction_16_the_same_answer_to_somebody_else_stays_in_their_copy() {
    run(async {
        let world = World::empty().await;
        let (ana, ben) = (AccountId::discord(1), AccountId::discord(2));
        let welcome = "Welcome aboard the Heron, brave traveller, mind the wet steps!";
        let said = [
            (Some(&ben), "hello, Ben here"),
            (None, welcome),
            (Some(&ana), "good evening, Ana here"),
            (None, welcome),
        ];
        store_lines(&world, &said).await;
        let words = ForgetWhat::Words { person: ben.clone(), words: "hello".to_owned() };
        let by = Asker::Person(ben);
        let bens = ForgetRequest { what: words, by: by.clone(), keep: KeepCopy::SevenDays };
        assert_eq!(world.eraser().forget(bens).await.unwrap().replies, 1);
        assert_eq!(world.eraser().forget(request(KeepCopy::Nothing)).await.unwrap().copies, 0);
        assert_eq!(world.eraser().undo(&by).await.unwrap().unwrap().replies, 1);
    });
}

#[test]
fn contradiction_16_words_that_were_told_again_leave_the_copy_though_the_question_stays() {
    run(async {
        let world = World::empty().await;
        let ben = AccountId::discord(2);
        let said = [
            (Some(&ben), "my grandmother is Quillon"),
            (None, "Lovely."),
            (Some(&ben), "who is my grandmother?"),
            (None, "Quillon."),
        ];
        store_lines(&world, &said).await;
        let request = |keep| ForgetRequest {
            what: ForgetWhat::Words { person: ben.clone(), words: "Quillon".to_owned() },
            by: Asker::Person(ben.clone()),
            keep,
        };
        let plan = world.eraser().forget(request(KeepCopy::SevenDays)).await.unwrap();
        assert_eq!((plan.messages, plan.replies, copies(&world)), (1, 2, 1), "{plan:?}");
        let left: Vec<String> = world.rows().await.into_iter().map(|turn| turn.content).collect();
        assert_eq!(left, ["who is my grandmother?"]);
        world.eraser().forget(request(KeepCopy::Nothing)).await.unwrap();
        assert_eq!(copies(&world), 0);
    });
}

#[test]
fn contradiction_16_words_that_were_told_again_leave_the_copy_of_whoever_spoke_in_between() {
    run(async {
        let world = World::empty().await;
        let (ana, ben) = (AccountId::discord(1), AccountId::discord(2));
        let said = [
            (Some(&ana), "my grandmother is Quillon"),
            (None, "Lovely."),
            (Some(&ana), "who is my grandmother?"),
            (Some(&ben), "hm"),
            (None, "Quillon."),
        ];
        store_lines(&world, &said).await;
        let by = Asker::Person(ben.clone());
        let bens = ForgetRequest { what: ForgetWhat::Person(ben), by: by.clone(), keep: KeepCopy::SevenDays };
        assert_eq!(world.eraser().forget(bens).await.unwrap().replies, 1);
        let words = ForgetWhat::Words { person: ana.clone(), words: "Quillon".to_owned() };
        let hers = ForgetRequest { what: words, by: Asker::Person(ana), keep: KeepCopy::Nothing };
        let plan = world.eraser().forget(hers).await.unwrap();
        assert_eq!((plan.messages, plan.replies, plan.copies), (1, 1, 1), "{plan:?}");
        world.eraser().undo(&by).await.unwrap();
        let left: Vec<String> = world.rows().await.into_iter().map(|turn| turn.content).collect();
        assert_eq!(left, ["who is my grandmother?", "hm"]);
    });
}

#[test]
fn contradiction_16_for_good_reaches_what_was_said_alone_with_somebody_in_others_copies() {
    run(async {
        let world = World::empty().await;
        world.live(&[Said { channel: 3, noted: false, ..noted(0) }]).await;
        let alone = ForgetWhat::Channel(ChannelId::from(3));
        let softly = ForgetRequest { what: alone, by: Asker::Operator, keep: KeepCopy::SevenDays };
        world.eraser().forget(softly).await.unwrap();
        assert_eq!(copies(&world), 1);
        assert_eq!(world.eraser().forget(request(KeepCopy::Nothing)).await.unwrap().copies, 1);
        assert_eq!(copies(&world), 0);
    });
}

#[test]
fn contradiction_16_somebody_elses_copy_is_left_as_it_is() {
    run(async {
        let world = World::empty().await;
        world.live(&[noted(1), noted(2)]).await;
        let ben = AccountId::discord(2);
        let bens = ForgetRequest {
            what: ForgetWhat::Person(ben.clone()),
            by: Asker::Person(ben.clone()),
            keep: KeepCopy::SevenDays,
        };
        world.eraser().forget(bens).await.unwrap();
        let plan = world.eraser().forget(request(KeepCopy::Nothing)).await.unwrap();
        assert_eq!((plan.messages, plan.copies), (1, 0));
        let undone = world.eraser().undo(&Asker::Person(ben)).await.unwrap().unwrap();
        assert_eq!(undone.messages, 1);
        assert_eq!(world.rows().await.len(), 1);
    });
}
