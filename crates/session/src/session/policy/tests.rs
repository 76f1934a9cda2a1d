use jiff::SignedDuration;

use super::*;
use crate::domain::{
    Audience, Author, ChannelId, ChannelMode, GuildId, Modality, Place, PlaceKind, Platform, Role, StoredId,
    TriggerHints,
};
use crate::text::quiet::asked_for_quiet;

fn at(seconds: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_secs(1_000_000 + seconds)
}

fn person(id: u64) -> Author {
    Author::called(AccountId::discord(id), format!("p{id}"))
}

fn channel() -> Place {
    Place {
        guild: Some(GuildId::from(2)),
        ..Place::new(
            Platform::Discord,
            ChannelId::from(1),
            PlaceKind::GuildText,
            Audience::Guild(GuildId::from(2)),
        )
    }
}

fn message(author: u64, text: &str) -> InboundMessage {
    InboundMessage::said(channel(), person(author), text, at(0))
}

fn said(author: u64, seconds_ago: i64) -> StoredTurn {
    StoredTurn {
        id: StoredId(1),
        ordinal: 1,
        role: Role::User,
        author: Some(person(author)),
        audience: crate::domain::Audience::Canon,
        content: "x".to_owned(),
        at: at(-seconds_ago),
        mode: ChannelMode::TextConversationRp,
        message: None,
        reply_to: None,
        turn: None,
        tokens: 1,
    }
}

/// Alice (1) and Ben (2) are talking.
fn company() -> Vec<StoredTurn> {
    vec![said(1, 60), said(2, 30)]
}

fn decide_in(message: &InboundMessage, recent: &[StoredTurn], unanswered: u32) -> Decision {
    decide_with(message, recent, |situation| situation.unanswered = unanswered)
}

fn decide_with<'a>(
    message: &InboundMessage,
    recent: &'a [StoredTurn],
    change: impl FnOnce(&mut Situation<'a>),
) -> Decision {
    let names: &'static [String] = Vec::leak(vec!["Mika".to_owned(), "爱".to_owned()]);
    let spoken_to: &'static SpokenTo = Box::leak(Box::default());
    let quiet_asked = asked_for_quiet(&message.text, names);
    let quiet_asked: Option<&'static QuietAsked> = quiet_asked.map(|asked| &*Box::leak(Box::new(asked)));
    let mut situation = Situation {
        recent,
        unanswered: 1,
        threshold: Some(9),
        answers: Answers::Conversation,
        is_novel: false,
        quiet_asked,
        kept_quiet_since: None,
        quiet_until: None,
        names,
        answer_bots: false,
        spoken_to,
        is_answering: None,
    };
    change(&mut situation);
    decide(message, &situation)
}

/// The familiar answered Alice.
fn spoke_to_alice(seconds_ago: i64) -> &'static SpokenTo {
    let mut spoken_to = SpokenTo::default();
    spoken_to.put(AccountId::discord(1), at(-seconds_ago), at(-seconds_ago));
    Box::leak(Box::new(spoken_to))
}

/// The familiar answered somebody.
fn answered(seconds_ago: i64) -> StoredTurn {
    StoredTurn { role: Role::Assistant, author: None, ..said(0, seconds_ago) }
}

#[test]
fn a_direct_message_is_always_answered() {
    let mut dm = message(1, "hm");
    dm.place.kind = PlaceKind::Dm;
    assert_eq!(decide_in(&dm, &company(), 1), Decision::Speak(Call::Addressed("a one-to-one conversation")));
}

#[test]
fn a_mention_a_reply_and_a_name_are_always_answered() {
    let mut mention = message(1, "hey");
    mention.hints.mentions_familiar = true;
    assert!(matches!(decide_in(&mention, &company(), 1), Decision::Speak(_)));
    let mut reply = message(1, "yes");
    reply.hints.replies_to_familiar = true;
    assert!(matches!(decide_in(&reply, &company(), 1), Decision::Speak(_)));
    let said = Call::Addressed("its name was said");
    for text in [
        "mika?",
        "Mika, look",
        "mika what is that?",
        "mika what time is it",
        "Mika can you help me",
        "Mika wann kommst du",
        "mika qué hora es",
        "mika これは何ですか",
        "ミカ、見て",
        "ミカさん、見て",
        "ミカちゃん、聞いて",
        "look, Mika!",
        "MIKAAAA",
        "@mika look",
    ] {
        assert_eq!(decide_in(&message(1, text), &company(), 1), Decision::Speak(said), "{text}");
    }
    // Called, or spoken of: the model may find that it is the latter.
    for text in [
        "what about MIKA",
        "mika said so",
        "mika can be so funny",
        "Mika ist heute so lustig",
        "ask mika",
        "hi mika",
        "is mika here?",
        "ミカさんかわいい",
        "我爱猫",
    ] {
        assert_eq!(decide_in(&message(1, text), &company(), 1), Decision::MayPass(said), "{text}");
    }
    let mut other = message(1, "Mika, is that right?");
    other.hints.addresses_someone_else = true;
    assert_eq!(decide_in(&other, &company(), 1), Decision::Speak(said), "an answer to somebody, shown to it");
}

#[test]
fn a_name_inside_another_word_is_not_an_address() {
    assert!(matches!(decide_in(&message(1, "mikado is a game"), &company(), 1), Decision::Silent(_)));
}

#[test]
fn one_person_alone_is_answered_without_being_formal() {
    let alone = Decision::MayPass(Call::Addressed("only one person is writing here"));
    assert_eq!(decide_in(&message(1, "so"), &[said(1, 20)], 1), alone);
    assert_eq!(decide_in(&message(1, "so"), &[said(2, 7200)], 1), alone, "Ben left long ago");
    let in_conversation = decide_with(&message(1, "so"), &[said(1, 40), answered(20)], |situation| {
        situation.spoken_to = spoke_to_alice(20);
    });
    assert_eq!(in_conversation, Decision::Speak(Call::Addressed("they were just talking with it")));
}

#[test]
fn what_somebody_adds_before_they_have_an_answer_is_part_of_their_question() {
    let alice = AccountId::discord(1);
    let adds = |recent: &[StoredTurn]| {
        let recent = recent.to_vec().leak();
        decide_with(&message(1, "and some soup"), recent, |situation| {
            situation.is_answering = Some(&alice);
        })
    };
    let goes_on = Decision::Speak(Call::Addressed("they go on with what is being answered"));
    assert_eq!(adds(&[said(2, 60), said(1, 5)]), goes_on);
    assert!(matches!(adds(&[said(1, 60), said(2, 5)]), Decision::Silent(_)), "Ben wrote in between");
    assert!(matches!(adds(&[said(2, 300), said(1, 200)]), Decision::Silent(_)), "that was long ago");
}

#[test]
fn people_among_themselves_are_left_alone_until_the_threshold() {
    let silent = Decision::Silent(SilenceReason::NotAddressed { count: 4, threshold: 9 });
    assert_eq!(decide_in(&message(1, "so I said"), &company(), 4), silent);
    assert_eq!(
        decide_in(&message(1, "so I said"), &company(), 9),
        Decision::Speak(Call::JoinIn("it has listened long enough"))
    );
}

#[test]
fn a_question_to_nobody_is_answered_when_it_goes_quiet_and_other_words_once_it_has_listened() {
    for question in ["who knows the way?", "who knows the way", "誰か知ってる？", "هل يعرف أحد الطريق؟"]
    {
        assert!(
            matches!(decide_in(&message(1, question), &company(), 2), Decision::IfQuiet(_)),
            "{question}"
        );
    }
    assert!(matches!(decide_in(&message(1, "the way is long"), &company(), 4), Decision::Silent(_)));
    assert!(matches!(decide_in(&message(1, "the way is long"), &company(), 5), Decision::IfQuiet(_)));
}

#[test]
fn a_message_for_somebody_else_is_not_taken_up_even_in_conversation() {
    let recent = [said(2, 30), said(1, 20), answered(10)];
    let decided = |message: &InboundMessage| {
        decide_with(message, &recent, |situation| situation.spoken_to = spoke_to_alice(10))
    };
    let mut other = message(1, "and you?");
    other.hints.addresses_someone_else = true;
    let to_another = Decision::Silent(SilenceReason::AddressedToSomeoneElse);
    assert_eq!(decided(&other), to_another);
    for text in ["p2, and you?", "p2: come here", "@p2 come", "and you, p2?", "p2"] {
        assert_eq!(decided(&message(1, text)), to_another, "{text}");
    }
    let named = Call::Addressed("its name was said");
    for text in ["Mika, ask p2", "what does p2 say, Mika?"] {
        assert_eq!(decided(&message(1, text)), Decision::Speak(named), "{text}");
    }
    for text in ["p2: ask Mika", "p2, Mika, which is it", "p2 and Mika are late"] {
        assert_eq!(decided(&message(1, text)), Decision::MayPass(named), "{text}");
    }
    let unsure = Decision::MayPass(Call::Addressed("they were just talking with it"));
    for text in ["and then?", "I saw p2 there", "P2 and you?"] {
        assert_eq!(decided(&message(1, text)), unsure, "{text}");
    }
}

#[test]
fn a_sentence_that_begins_with_somebody_s_name_may_still_go_on_with_the_conversation() {
    let mut recent = vec![said(2, 30), said(1, 20), answered(10)];
    recent[0].author.as_mut().unwrap().display_name = Some("Hope".to_owned());
    let decided = |text: &str, is_talking: bool| {
        decide_with(&message(1, text), &recent, |situation| {
            if is_talking {
                situation.spoken_to = spoke_to_alice(10);
            }
        })
    };
    let to_another = Decision::Silent(SilenceReason::AddressedToSomeoneElse);
    let unsure = Decision::MayPass(Call::Addressed("they were just talking with it"));
    assert_eq!(decided("Hope you slept well", true), unsure);
    assert_eq!(decided("Hope you slept well", false), to_another);
    assert_eq!(decided("Hope, did you sleep well?", true), to_another);
}

#[test]
fn a_name_that_is_an_everyday_word_turns_to_somebody_only_where_it_is_set_apart() {
    let mut recent = company();
    for turn in &mut recent {
        turn.author.as_mut().unwrap().display_name = Some("What".to_owned());
    }
    assert!(matches!(decide_in(&message(1, "What is that?"), &recent, 1), Decision::IfQuiet(_)));
    let to_another = Decision::Silent(SilenceReason::AddressedToSomeoneElse);
    assert_eq!(decide_in(&message(1, "What, come here"), &recent, 1), to_another);
}

#[test]
fn a_conversation_ends_when_others_have_the_word_and_after_a_minute_and_a_half() {
    let decided = |recent: &[StoredTurn], ago: i64| {
        decide_with(&message(1, "and then?"), recent, |situation| {
            situation.spoken_to = spoke_to_alice(ago);
        })
        .call()
    };
    let earlier = || vec![said(2, 300), said(1, 200)];
    let with = |more: Vec<StoredTurn>| [earlier(), more].concat();
    assert!(decided(&with(vec![answered(90)]), 90).is_some());
    assert_eq!(decided(&with(vec![answered(91)]), 91), None);
    let others = |count: i64| (0..count).map(|at| said(2, 20 - at)).collect::<Vec<_>>();
    assert!(decided(&with([vec![answered(30)], others(4)].concat()), 30).is_some());
    assert_eq!(decided(&with([vec![answered(30)], others(5)].concat()), 30), None);
    let mut bot = said(3, 20);
    bot.author.as_mut().unwrap().is_bot = true;
    assert!(decided(&with(vec![answered(30), bot, said(1, 10)]), 30).is_some(), "a bot ends none");
}

#[test]
fn who_was_asked_something_may_take_their_time_and_say_one_thing_to_others_first() {
    let asks = |seconds_ago: i64| StoredTurn { content: "And you?".to_owned(), ..answered(seconds_ago) };
    let decided = |recent: &[StoredTurn], ago: i64| {
        decide_with(&message(1, "only sheep"), recent, |situation| {
            situation.spoken_to = spoke_to_alice(ago);
        })
    };
    let others = |count: i64| (0..count).map(|at| said(2, 60 - at)).collect::<Vec<_>>();
    let with = |reply: StoredTurn, since: Vec<StoredTurn>| [company(), vec![reply], since].concat();
    let answers = Decision::MayPass(Call::Addressed("they were just talking with it"));
    assert_eq!(decided(&with(asks(600), others(8)), 600), answers);
    assert_ne!(decided(&with(asks(600), others(9)), 600), answers, "the talk has gone on");
    assert_ne!(decided(&with(asks(901), others(1)), 901), answers, "a quarter of an hour");
    assert_ne!(decided(&with(answered(600), others(1)), 600), answers, "it asked nothing");
    let first = [others(1), vec![said(1, 30)]].concat();
    assert_eq!(decided(&with(asks(600), first.clone()), 600), answers);
    let has_answered = [first, vec![said(1, 20)]].concat();
    assert_ne!(decided(&with(asks(600), has_answered), 600), answers);
    // Who turned to others comes back to what was asked, and to nothing else.
    let alice = AccountId::discord(1);
    let mut turned = SpokenTo::default();
    turned.put(alice.clone(), at(-30), at(-30));
    turned.turns_away(&alice);
    let turned: &'static SpokenTo = Box::leak(Box::new(turned));
    let decided = |reply: StoredTurn| {
        let recent = with(reply, vec![said(1, 20), said(2, 10)]);
        decide_with(&message(1, "only sheep"), &recent, |situation| situation.spoken_to = turned)
    };
    assert_eq!(decided(asks(30)), answers);
    assert!(matches!(decided(answered(30)), Decision::Silent(_)));
}

/// Alice was answered, and Ben, to whom nothing was said, writes right behind that.
#[test]
fn whoever_takes_up_what_it_has_just_said_may_mean_it() {
    let behind = |reply: &str, ago: i64, text: &str| {
        let reply = StoredTurn { content: reply.to_owned(), ..answered(ago) };
        let recent = [company(), vec![said(1, ago + 5), reply]].concat();
        decide_with(&message(2, text), &recent, |situation| situation.spoken_to = spoke_to_alice(ago))
    };
    let may_be_meant = Decision::MayPass(Call::TakenUp("it had just spoken"));
    assert!(may_be_meant.is_unasked(), "nobody spoke to it");
    for (reply, text) in [
        // It asked, and anybody may know.
        ("What has a bed and never sleeps?", "a river, easy"),
        ("Was hat ein Bett und schläft nie?", "ein fluss"),
        // They ask.
        ("He ate my herring and left.", "and did he ever come back?"),
        ("二十一日か。晴れにしておこう。", "ほんまに？"),
        // They say a word of it again.
        ("String, candle ends, and a toffee.", "dont eat the toffee"),
        ("Verde, descascada.", "descascada pq é velha né"),
        ("Маяк старый.", "маяк как маяк"),
        ("灯台の猫はブイだ。", "猫なら膝の上で、灯台にもいる"),
    ] {
        assert_eq!(behind(reply, 20, text), may_be_meant, "{text}");
        assert_ne!(behind(reply, 100, text), may_be_meant, "that was a while ago: {text}");
    }
    for (reply, text) in [
        ("The lamp is lit.", "so cold"),
        ("海が荒れている。", "寒くなってきている"),
        ("What has a bed and never sleeps?", "where did p1 get stuck"),
        ("The lamp is lit.", "did you see that p1?"),
    ] {
        assert!(behind(reply, 20, text).call().is_none(), "{text}");
    }
    let reply = StoredTurn { content: "And the soup?".to_owned(), ..answered(20) };
    let others = [company(), vec![reply, said(1, 10)]].concat();
    let decided =
        decide_with(&message(2, "the soup"), &others, |situation| situation.spoken_to = spoke_to_alice(20));
    assert!(decided.call().is_none(), "somebody wrote in between");
    let reply = StoredTurn { content: "And the soup?".to_owned(), ..answered(20) };
    let never = decide_with(&message(2, "the soup"), &[said(1, 25), reply], |situation| {
        situation.threshold = None;
    });
    assert_eq!(never, Decision::Silent(SilenceReason::OnlyWhenAddressed), "where it never joins in");
}

#[test]
fn a_word_of_its_reply_comes_back_to_it_for_five_minutes() {
    let after = |ago: i64, text: &str, between: i64| {
        let reply = StoredTurn { content: "Then the product: x times e.".to_owned(), ..answered(ago) };
        let between = (0..between).map(|at| said(2, 60 - at)).collect();
        let recent = [company(), vec![reply], between].concat();
        decide_with(&message(1, text), &recent, |situation| situation.spoken_to = spoke_to_alice(ago))
    };
    let goes_on = Decision::MayPass(Call::Addressed("they were just talking with it"));
    assert_eq!(after(240, "so the product is zero", 2), goes_on);
    assert_ne!(after(301, "so the product is zero", 2), goes_on);
    assert_ne!(after(240, "so the product is zero", 5), goes_on, "the others talk of something else");
    assert_ne!(after(240, "so it is zero", 2), goes_on);
    assert_ne!(after(240, "p2 the product is zero", 2), goes_on, "that is for somebody else");
}

#[test]
fn what_it_answers_can_be_less_and_more() {
    let decided = |answers: Answers, text: &str, recent: &[StoredTurn]| {
        decide_with(&message(1, text), recent, |situation| {
            situation.answers = answers;
            situation.unanswered = 99;
            situation.spoken_to = spoke_to_alice(10);
        })
    };
    let only = Decision::Silent(SilenceReason::OnlyWhenAddressed);
    for recent in [company(), vec![said(1, 20), answered(10)]] {
        assert_eq!(decided(Answers::Addressed, "and then?", &recent), only);
        assert!(decided(Answers::Addressed, "and then, Mika?", &recent).call().is_some());
        let everything = Decision::Speak(Call::Addressed("it answers everything here"));
        assert_eq!(decided(Answers::All, "so cold", &recent), everything);
    }
    let to_another = Decision::Silent(SilenceReason::AddressedToSomeoneElse);
    assert_eq!(decided(Answers::All, "p2, and you?", &company()), to_another);
    let mut dm = message(1, "hm");
    dm.place.kind = PlaceKind::Dm;
    assert!(decide_with(&dm, &[], |situation| situation.answers = Answers::Addressed).call().is_some());
}

#[test]
fn where_it_never_joins_in_neither_many_words_nor_quiet_are_a_reason() {
    let never = |text: &str| {
        decide_with(&message(1, text), &company(), |situation| {
            situation.threshold = None;
            situation.unanswered = 99;
        })
    };
    for text in ["who knows the way?", "so cold"] {
        assert_eq!(never(text), Decision::Silent(SilenceReason::OnlyWhenAddressed), "{text}");
    }
    assert!(matches!(never("Mika?"), Decision::Speak(_)));
}

#[test]
fn bots_are_answered_only_by_rule_and_when_they_address_it() {
    let mut bot = message(3, "Mika!");
    bot.author.is_bot = true;
    assert_eq!(decide_in(&bot, &company(), 1), Decision::Silent(SilenceReason::FromBot));
    bot.hints.mentions_familiar = true;
    let decided = decide_with(&bot, &company(), |situation| situation.answer_bots = true);
    assert_eq!(decided, Decision::Speak(Call::Addressed("it was mentioned")));
}

#[test]
fn a_bot_is_no_company() {
    let mut feed = said(3, 10);
    feed.author.as_mut().unwrap().is_bot = true;
    let alone = Decision::MayPass(Call::Addressed("only one person is writing here"));
    assert_eq!(decide_in(&message(1, "so"), &[said(1, 20), feed], 1), alone);
}

#[test]
fn bots_that_answer_each_other_are_left_after_three_rounds() {
    let mut bot = message(3, "Mika, again!");
    bot.author.is_bot = true;
    bot.hints.mentions_familiar = true;
    let decide_after = |rounds: usize| {
        let mut recent = vec![said(1, 600)];
        for _ in 0..rounds {
            let mut turn = said(3, 30);
            if let Some(author) = turn.author.as_mut() {
                author.is_bot = true;
            }
            recent.push(turn);
        }
        decide_with(&bot, &recent, |situation| situation.answer_bots = true)
    };
    assert!(matches!(decide_after(2), Decision::Speak(_)));
    assert_eq!(decide_after(3), Decision::Silent(SilenceReason::FromBot));
}

/// Who was meant in a call was decided where it was heard; nobody is answered because they were the only one to write.
#[test]
fn what_was_heard_is_answered_as_it_was_heard() {
    let spoken =
        |hints| InboundMessage { modality: Modality::Voice, hints, ..message(1, "what do you think, Mika?") };
    let alone = vec![said(1, 30)];
    let to_it = TriggerHints { mentions_familiar: true, ..TriggerHints::default() };
    assert_eq!(
        decide_in(&spoken(to_it), &company(), 1),
        Decision::Speak(Call::Addressed("it was spoken to"))
    );
    let overheard = decide_in(&spoken(TriggerHints::default()), &alone, 1);
    assert_eq!(overheard, Decision::Silent(SilenceReason::NotAddressed { count: 1, threshold: 9 }));
    let to_another = TriggerHints { addresses_someone_else: true, ..TriggerHints::default() };
    assert_eq!(
        decide_in(&spoken(to_another), &alone, 20),
        Decision::Silent(SilenceReason::AddressedToSomeoneElse)
    );
    let perhaps = TriggerHints { is_unsure: true, ..TriggerHints::default() };
    assert_eq!(
        decide_in(&spoken(perhaps), &company(), 1),
        Decision::Speak(Call::Perhaps("it may have been spoken to"))
    );
    let long = decide_in(&spoken(TriggerHints::default()), &company(), 99);
    assert!(
        matches!(long, Decision::Silent(_)),
        "when to join in is heard where the quiet is heard: {long:?}"
    );
}

#[test]
fn told_to_be_quiet_it_is_where_it_is_it_who_is_told() {
    let quiet = Decision::Silent(SilenceReason::ToldToBeQuiet);
    let (company, recent) = (company(), vec![said(2, 30), said(1, 10), answered(5)]);
    let mut mention = message(1, "@Mika be quiet");
    mention.hints.mentions_familiar = true;
    let mut reply = message(2, "stop talking for ten minutes");
    reply.hints.replies_to_familiar = true;
    for (told, recent) in [
        (message(1, "Mika, be quiet"), &company),
        (mention, &company),
        (reply, &company),
        // In its line of talk, and by somebody else right behind what it said.
        (message(1, "be quiet please"), &recent),
        (message(2, "sei still"), &recent),
    ] {
        let decision = decide_with(&told, recent, |situation| situation.spoken_to = spoke_to_alice(5));
        assert_eq!(decision, quiet, "{}", told.text);
    }
    let mut dm = message(1, "be quiet");
    dm.place.kind = PlaceKind::Dm;
    let mut bot = message(1, "Mika, be quiet");
    (bot.author.is_bot, bot.hints.mentions_familiar) = (true, true);
    for (other, recent) in [
        (message(1, "be quiet, p2"), &recent),
        (message(1, "be quiet"), &company),
        (message(1, "Mika, I told my dog to be quiet"), &recent),
        (dm, &recent),
        (bot, &recent),
    ] {
        assert_ne!(decide_in(&other, recent, 1), quiet, "{}", other.text);
    }
    let novel = decide_with(&message(1, "Mika, be quiet"), &company, |situation| situation.is_novel = true);
    assert_ne!(novel, quiet);
}

#[test]
fn where_it_is_kept_quiet_anybody_may_say_that_it_is_over() {
    let over = message(1, "ok you can talk again");
    let decided = |is_kept_quiet: bool, is_novel| {
        decide_with(&over, &company(), |situation| {
            if !is_kept_quiet {
                situation.answers = Answers::Addressed;
            }
            situation.kept_quiet_since = is_kept_quiet.then_some(Timestamp::MIN);
            situation.is_novel = is_novel;
        })
    };
    assert!(matches!(decided(true, false), Decision::MayPass(_)));
    let only = Decision::Silent(SilenceReason::OnlyWhenAddressed);
    let kept = Decision::Silent(SilenceReason::KeptQuiet { until: None });
    assert_eq!((decided(false, false), decided(true, true)), (only, kept));
}

proptest::proptest! {
    /// Whatever it found before, it waits for at least three messages, and never longer than it was told to and two more.
    #[test]
    fn fc_1_8_it_looks_again_sooner_every_time_and_not_to_the_message(
        start in 3..16_u32, passes in 0..9_u32, turn in proptest::prelude::any::<u64>(),
    ) {
        let at = join_in_at(start, passes, TurnId(turn));
        let step = start.saturating_sub(3 * passes).max(3);
        if passes == 0 {
            proptest::prop_assert_eq!(at, start);
        } else {
            proptest::prop_assert!(at >= 3 && at + 2 >= step && at <= step + 2, "{}", at);
        }
    }
}

#[test]
fn fc_1_8_the_spread_takes_all_five_values() {
    let seen: std::collections::BTreeSet<u32> = (1..60).map(|turn| join_in_at(15, 1, TurnId(turn))).collect();
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [10, 11, 12, 13, 14]);
}
