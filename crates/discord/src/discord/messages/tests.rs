use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::*;
use crate::discord::refused::Refused;
use crate::domain::{
    AccountId, Audience, CancelReason, Deed, GuildId, Learned, NoPersona, Persona, Response, StoredId,
};
use crate::erase::Plan;
use crate::identity::{BondEnd, CodeRefusal, JoinedEnds};
use crate::session::{Every, MeantMessage, Proposed};

fn failures(to: Tongue) -> Vec<String> {
    ModelErrorClass::ALL
        .iter()
        .map(|class| {
            notice(to, Notice::ModelFailed { turn: TurnId(42), class: *class, wait: None, key_for: None })
        })
        .collect()
}

#[test]
fn every_model_failure_is_one_short_line_with_its_turn() {
    for line in Tongue::ALL.into_iter().flat_map(failures) {
        assert!(!line.contains('\n') && line.chars().count() <= 110 && line.ends_with("(t42)"), "{line}");
    }
    assert!(failures(Tongue::English).iter().all(|line| line.chars().count() <= 100));
    insta::assert_snapshot!(failures(Tongue::English).join("\n"));
}

#[test]
fn how_long_a_provider_wants_to_be_left_alone_is_said_as_it_is() {
    let to = Tongue::English;
    let said = |seconds| {
        let wait = Some(Duration::from_secs(seconds));
        let (class, key_for) = (ModelErrorClass::RateLimited, None);
        notice(to, Notice::ModelFailed { turn: TurnId(42), class, wait, key_for })
    };
    assert_eq!(said(3_600), "-# Too many requests to the model right now. Try again in 1 h 0 min. (t42)");
    assert_eq!(said(100), "-# Too many requests to the model right now. Try again in 2 min. (t42)");
    assert_eq!(said(20), "-# Too many requests to the model right now. Try again in 20 s. (t42)");
}

/// How turns end, each way once.
fn every_end(to: Tongue) -> Vec<String> {
    let silences = [
        SilenceReason::NotAddressed { count: 2, threshold: 8 },
        SilenceReason::OnlyWhenAddressed,
        SilenceReason::AddressedToSomeoneElse,
        SilenceReason::FromBot,
        SilenceReason::NotStored,
        SilenceReason::SaidMeanwhile,
        SilenceReason::EnoughForNow,
        SilenceReason::TooMuchAtOnce,
        SilenceReason::SomebodyInDistress,
        SilenceReason::Asleep,
        SilenceReason::ToldToBeQuiet,
        SilenceReason::KeptQuiet { until: Some(Timestamp::UNIX_EPOCH) },
        SilenceReason::KeptQuiet { until: None },
        SilenceReason::FoundNothingToSay,
        SilenceReason::Reacted,
        SilenceReason::WaitsForTheRest,
    ];
    let cancelled = [
        (CancelReason::Superseded, 0),
        (CancelReason::Interrupted, 1),
        (CancelReason::StoppedByHand, 2),
        (CancelReason::Withdrawn, 0),
        (CancelReason::Shutdown, 0),
        (CancelReason::Killed, 0),
    ];
    let error = || "the socket was closed".to_owned();
    let mut all = vec![Outcome::Replied { messages: 1 }, Outcome::Replied { messages: 3 }];
    all.extend(silences.map(|reason| Outcome::Silent { reason }));
    all.push(Outcome::Failed { class: ModelErrorClass::Timeout, error: error() });
    all.extend([0, 1, 2].map(|messages| Outcome::Undelivered { messages, error: error() }));
    all.extend(cancelled.map(|(reason, messages)| Outcome::Cancelled { reason, messages }));
    all.iter().map(|outcome| how_it_ended(to, outcome, moment)).collect()
}

#[test]
fn how_a_turn_ended_is_said_without_english_elsewhere() {
    let english = every_end(Tongue::English);
    for to in Tongue::ALL.into_iter().skip(1) {
        for (said, in_english) in every_end(to).iter().zip(&english) {
            assert!(said != in_english && said.ends_with(['.', '。']), "{to:?}: {said}");
        }
    }
}

#[test]
fn until_when_it_keeps_quiet_is_told_in_a_list_by_the_clock_of_the_settings() {
    let zone = TimeZone::get("Europe/Berlin").unwrap();
    let kept = Outcome::Silent { reason: SilenceReason::KeptQuiet { until: Some(Timestamp::UNIX_EPOCH) } };
    let told = how_it_ended(Tongue::English, &kept, |at| moment_in(&zone, at));
    assert!(told.ends_with(" until 1970-01-01 01:00 CET."), "{told}");
}

fn answers(to: Tongue) -> Vec<String> {
    let mut all = vec![
        dm_refused(to, "Ada", 77),
        subscribed(to, "Ada", 1),
        already_subscribed(to, "Ada", 1),
        how_to_forget(to),
        begins_to_read(to, "Ada"),
        begins_alone(to, "Ada"),
        does_not_read(to, "Ada"),
        keeps_quiet(to, "Ada", None),
        keeps_quiet(to, "Ada", Some(Duration::from_secs(30 * 60))),
        joins_in_again(to, "Ada"),
        was_not_quiet(to, "Ada"),
        alone_it_answers(to),
        not_here_and_in_no_call(to, "Ada"),
        notice(to, Notice::TooMuchAtOnce),
        dm_needs_no_subscription(to),
        unsubscribed(to, "Ada", 1),
        not_subscribed(to, "Ada", 1),
        bot_lacks_permissions(to, 1, &["View Channel"]),
        bot_lacks_permissions(to, 1, &["View Channel", "Send Messages", "Read Message History"]),
        unknown_place(to),
        needs_manage_channels(to, 1),
        backdrop_set(to, 1, 120),
        backdrop_cleared(to, 1),
        greeted(to),
        greet_needs_subscription(to, "Ada"),
        no_such_greeting(to, 0),
        no_such_greeting(to, 1),
        no_such_greeting(to, 4),
        no_turn_yet(to),
        no_such_turn(to, "t9`` @everyone and much, much more"),
        context_attached(to, TurnId(9), &how_it_ended(to, &Outcome::Replied { messages: 1 }, moment)),
        every_end(to).join("\n"),
        pair_code(to, "ABC234", &BondEnd::Alone(AccountId::discord(1))),
        pair_code(to, "ABC234", &BondEnd::Guild(GuildId::from(7))),
        past_only_alone(to),
        past_shared(to, &[]),
        past_shared(to, &[BondEnd::Guild(GuildId::from(7))]),
        past_shared(
            to,
            &[
                BondEnd::Guild(GuildId::from(7)),
                BondEnd::Guild(GuildId::from(8)),
                BondEnd::Alone(AccountId::discord(1)),
            ],
        ),
        unpaired(to, true),
        unpaired(to, false),
        command_failed(to, "the file channels/1.toml could not be written"),
        command_broke(to),
        help(to, "Ada"),
    ];
    let (alone, guild) = (BondEnd::Alone(AccountId::discord(1)), BondEnd::Guild(GuildId::from(7)));
    for (from, with) in [(&alone, &guild), (&guild, &alone), (&alone, &alone)] {
        all.push(paired(to, &JoinedEnds { from: from.clone(), with: with.clone() }));
    }
    let refusals = [
        CodeRefusal::NotHere,
        CodeRefusal::Wrong,
        CodeRefusal::TooManyTries,
        CodeRefusal::SamePlace,
        CodeRefusal::Already,
        CodeRefusal::TooMany,
        CodeRefusal::OptedOut,
    ];
    all.extend(refusals.map(|why| pair_refused(to, why)));
    all.extend(ChannelMode::ALL.map(|mode| mode_set(to, 1, mode)));
    all
}

#[test]
fn a_disk_that_keeps_settings_from_being_saved_is_named_in_every_language() {
    for to in Tongue::ALL {
        let told =
            [None, Some(Unwritable::Full), Some(Unwritable::Locked)].map(|why| failed_settings(to, why));
        let [plain, full, locked] = &told;
        assert!(plain != full && full != locked && plain != locked, "{told:?}");
        assert!(told.iter().all(|words| !words.contains('\u{2068}') && !words.contains("none")), "{told:?}");
    }
}

#[test]
fn every_answer_to_a_command() {
    insta::assert_snapshot!(answers(Tongue::English).join("\n----\n"));
}

fn about_calls(to: Tongue) -> Vec<String> {
    use super::voice::*;
    let many: Vec<u64> = (1..=11).collect();
    let recogniser = |name: Option<&str>, is_here: bool| {
        Some(crate::discord::Recogniser { name: name.map(str::to_owned), is_here })
    };
    let all = [
        in_the_call(to, "Ada", &[], Listens { everybody: false, transcript: false, by: None }),
        in_the_call(
            to,
            "Ada",
            &[1, 2],
            Listens { everybody: false, transcript: true, by: recogniser(Some("Deepgram"), false).as_ref() },
        ),
        in_the_call(
            to,
            "Ada",
            &many,
            Listens { everybody: true, transcript: false, by: recogniser(None, true).as_ref() },
        ),
        channel_status(to, "Ada"),
        newcomers(
            to,
            "Ada",
            &[1],
            Listens { everybody: false, transcript: false, by: recogniser(Some("Whisper"), true).as_ref() },
        ),
        newcomers(
            to,
            "Ada",
            &[1, 2],
            Listens { everybody: true, transcript: true, by: recogniser(None, false).as_ref() },
        ),
        join_a_call_first(to),
        called_in(to, "Ada", 1, Duration::from_secs(20)),
        called_in(to, "Ada", 1, Duration::from_secs(1)),
        hears_you_too(to, "Ada"),
        hears_you_already(to, "Ada"),
        is_elsewhere(to, "Ada", 1),
        lacks_permissions(to, 1, &["Speak"]),
        lacks_permissions(to, 1, &["Connect", "Speak"]),
        call_is_full(to, 1),
        no_stages(to, 1),
        unknown_call(to),
        not_joined(to, 1, "the voice server did not answer"),
        no_calls(to),
        everybody_needs_manage_channels(to, 1),
        every_call_needs_everybody(to),
        every_call_needs_manage_server(to),
        everybody_in_every_call(to, "Ada"),
        nobody_unasked(to, "Ada"),
        call_ended(to, "Ada"),
        hears_you_no_longer(to, "Ada"),
        does_not_hear_you(to, "Ada"),
        in_no_call(to, "Ada"),
        left_behind(to, "Ada"),
        left_alone(to, "Ada"),
        left_quiet(to, "Ada", Duration::from_secs(1800)),
        gave_up(to, "Ada", "the voice server did not answer"),
        cannot_follow(to, "Ada", 1, &call_is_full(to, 1)),
        deaf(to, "Ada"),
        still_deaf(to, "Ada", "1"),
        unplaced(to, "Ada"),
        still_unplaced(to, "Ada"),
        hears_nothing(to, "no engine for hearing is set up: set DEEPGRAM_API_KEY"),
        misses_words(to, "Deepgram cannot be reached; more is in the log of whoever runs me"),
        hears_again(to),
        has_no_voice(to, "espeak-ng is not installed"),
        speaks_again(to),
        not_heard(to, "1", "one person may use 20 minutes of Deepgram in an hour (stt.person_hour_minutes)"),
        not_spoken_to(
            to,
            "1",
            "one person may use 900 characters of Cartesia in an hour (tts.person_hour_characters)",
        ),
        transcript(to, &[&transcript_line(1_772_395_200, "Ana *the* `Bold`", "Late,\nI think.")]),
    ];
    all.to_vec()
}

#[test]
fn every_word_about_calls() {
    insta::assert_snapshot!(about_calls(Tongue::English).join("\n----\n"));
}

fn statuses(to: Tongue) -> Vec<String> {
    let full = Status {
        familiar: "Ada".to_owned(),
        own_words: Some("Never better, and the tea is hot.".to_owned()),
        day: None,
        mood: Some("cheerful"),
        engine: Some(("z-ai/glm-5.1".to_owned(), Duration::from_secs(93_784))),
        here: Here::Read,
        quiet_until: Some("2026-03-01T20:00:00Z".parse().unwrap()),
        is_mute: false,
        subscriptions: 3,
        mode: Some(ChannelMode::FullRp),
        call: Some((1, 2, voice::Packets { taken: 31_000, refused: 120, unplaced: 70, lost: 4 })),
        early: (12, 9),
        last_reply: Some(Duration::from_millis(2340)),
        spent_usd: Some(0.123),
        cap_usd: Some(2.0),
        unpriced_tokens: 1_234_567,
        unpriced_cap: Some(2_000_000),
    };
    let thread = Status {
        own_words: None,
        here: Here::ThroughParent,
        quiet_until: None,
        is_mute: true,
        cap_usd: None,
        unpriced_cap: None,
        call: Some((1, 0, voice::Packets::default())),
        early: (0, 0),
        ..full.clone()
    };
    let bare = Status { familiar: "Ada".to_owned(), ..Status::default() };
    let dm = Status {
        own_words: None,
        here: Here::Dm,
        quiet_until: Some(Timestamp::MAX),
        spent_usd: None,
        unpriced_tokens: 0,
        call: None,
        engine: Some(("rehearsal".to_owned(), Duration::from_secs(7200))),
        ..full.clone()
    };
    [full, thread, bare, dm].map(|s| status(to, &s)).to_vec()
}

#[test]
fn status_says_what_is_known_and_leaves_out_the_rest() {
    insta::assert_snapshot!(statuses(Tongue::English).join("\n----\n"));
}

fn about_memory(to: Tongue) -> Vec<String> {
    let plan = Plan { messages: 12, replies: 1, facts: 3, notes: 1, ..Plan::default() };
    let others = Plan { traces: 3, transcripts: 1, unread: 1, ..Plan::default() };
    let fact = |id: &str, audience, is_past| KnownFact {
        id: id.to_owned(),
        words: "Alice lives in Ghent.".to_owned(),
        on: Some(jiff::civil::date(2026, 3, 1)),
        audience,
        is_past,
        source: FactSource { by: Teller::You, messages: 2, notes: 0 },
    };
    let of = |by, messages, notes| KnownFact {
        source: FactSource { by, messages, notes },
        ..fact("e", Audience::Guild(7.into()), false)
    };
    let sources = [of(Teller::Other(9), 1, 0), of(Teller::Familiar, 0, 1), of(Teller::Unknown, 0, 3)];
    let facts = [
        fact("a", Audience::Canon, false),
        KnownFact { words: "x ".repeat(200), on: None, ..fact("b", Audience::Guild(7.into()), false) },
        fact("c", Audience::Private(7.into()), true),
        fact("d", Audience::Dm(AccountId::discord(7)), false),
    ];
    let all = [
        forget_plan(to, "Ada", plan, LooksThrough::Nothing),
        forget_plan(to, "Ada", Plan { messages: 1, ..Plan::default() }, LooksThrough::Transcripts),
        forget_plan(to, "Ada", others, LooksThrough::Nothing),
        forget_plan(to, "Ada", Plan::default(), LooksThrough::Transcripts),
        forget_plan(to, "Ada", Plan { copies: 1, ..plan }, LooksThrough::Nothing),
        forget_plan(to, "Ada", Plan { copies: 1, ..Plan::default() }, LooksThrough::Nothing),
        forgotten_for_good(to, "Ada", Plan { copies: 2, ..Plan::default() }),
        forgotten_for_good(to, "Ada", Plan { copies: 1, ..plan }),
        facts_going(to, &["Alice lives in Ghent.".to_owned()], 3).unwrap_or_default(),
        transcripts_searched(to, "Ada"),
        nothing_to_forget(to, "Ada"),
        forgotten(to, "Ada", plan),
        forgotten(to, "Ada", others),
        forgotten(to, "Ada", Plan::default()),
        forgotten_for_good(to, "Ada", Plan { facts: 1, messages: 2, ..Plan::default() }),
        kept(to),
        undone(to, "Ada", plan),
        undone(to, "Ada", others),
        nothing_to_undo(to),
        known_facts(to, "Ada", &facts, 4),
        known_facts(to, "Ada", &facts[..1], 30),
        known_facts(to, "Ada", &sources, 3),
        nothing_known(to, "Ada"),
        nothing_with_these_words(to, "Ada", 3),
        one_fact(to, &facts[3]),
        fact_gone(to),
        corrected(to, "Ada", "Alice lives in Bruges."),
        not_corrected(to),
        [
            choose_fact(to),
            correct(to),
            correct_title(to),
            correct_label(to),
            forget(to),
            forget_for_good(to),
            keep(to),
        ]
        .join(" | "),
    ];
    all.to_vec()
}

#[test]
fn what_was_plainly_said_is_read_in_ones_own_language() {
    for words in [
        "Ana goes by Noor.",
        "Ana lives in Ghent.",
        "Ana is from Ghent.",
        "Ana's birthday is 14 June.",
        "Ana is allergic to nuts.",
        "Ana's favourite colour is teal.",
        "Ana's cat is called Biscuit.",
        "Ana works as a nurse.",
        "Ana works at Airbus.",
        "Ana works for Airbus.",
        "Ana's pronouns are they/them.",
        "Ana's time zone is Europe/Brussels.",
        "Ana is vegan.",
    ] {
        assert_eq!(noted_fact(Tongue::English, words), words);
        let mut others = Tongue::ALL.into_iter().skip(1).map(|to| noted_fact(to, words));
        assert!(others.all(|said| said.contains("Ana") && said != words), "{words}");
    }
    for (to, words, said) in [
        (Tongue::Japanese, "ハルト lives in 東京.", "ハルトは東京に住んでいます。"),
        (Tongue::Japanese, "ハルト's cat is called タマ.", "ハルトの猫の名前はタマです。"),
        (Tongue::German, "Old Tom's cat is called Mimi.", "Name (Katze von Old Tom): Mimi."),
        (Tongue::Spanish, "Lola lives in Madrid.", "Lola vive en Madrid."),
    ] {
        assert_eq!(noted_fact(to, words), said);
    }
    for as_written in ["Ana says her mother lives in Ghent.", "Ana keeps two hens.", "Ana is late."] {
        assert_eq!(noted_fact(Tongue::German, as_written), as_written);
    }
}

#[test]
fn every_sentence_about_remembering_and_forgetting() {
    insta::assert_snapshot!(about_memory(Tongue::English).join("\n----\n"));
}

fn about_privacy(to: Tongue) -> Vec<String> {
    let plan = Plan { messages: 12, replies: 1, facts: 3, ..Plan::default() };
    let all = [
        privacy(to, "Ada", plan),
        privacy(to, "Ada", Plan::default()),
        opting_out(to, "Ada", plan),
        opting_out(to, "Ada", Plan::default()),
        opted_out(to, "Ada", &forgotten(to, "Ada", plan)),
        stays_out(to, "Ada"),
        takes_part(to, "Ada"),
        opted_out_hint(to, "Ada"),
        undo_while_opted_out(to, "Ada"),
        copied(to, 12, true),
        copied(to, 100_000, false),
        [
            copy_of_mine(to),
            opt_out(to),
            take_part(to),
            opt_out_and_forget(to),
            opt_out_for_good(to),
            not_now(to),
        ]
        .join(" | "),
    ];
    all.to_vec()
}

#[test]
fn every_sentence_about_privacy() {
    insta::assert_snapshot!(about_privacy(Tongue::English).join("\n----\n"));
}

fn about_learning(to: Tongue) -> Vec<String> {
    let done = |reply: i64, deed, chars, at: &str| Response {
        reply: StoredId(reply),
        turn: Some(TurnId(reply.unsigned_abs())),
        by: AccountId::discord(1),
        deed,
        chars,
        tools: Vec::new(),
        at: at.parse().unwrap(),
    };
    let now: Timestamp = "2026-03-02T20:00:00Z".parse().unwrap();
    let of = |responses: &[Response]| learned(to, "Ada", &Learned::from(responses, now, &TimeZone::UTC));
    let passed: Vec<_> =
        (1..=4).map(|reply| done(reply, Deed::PassedOver, 40, "2026-03-02T03:00:00Z")).collect();
    let cut: Vec<_> = (5..=8).map(|reply| done(reply, Deed::CutOff, 90, "2026-03-02T12:00:00Z")).collect();
    let polled: Vec<_> = (9..=12)
        .map(|reply| {
            let tools = vec!["poll".to_owned()];
            Response { tools, ..done(reply, Deed::Liked, 90, "2026-03-02T12:00:00Z") }
        })
        .collect();
    assert_eq!(of(&[]), None);
    let all = [
        whether_it_learns(to, "Ada", false),
        whether_it_learns(to, "Ada", true),
        lets_learn(to, "Ada"),
        ends_learning(to, "Ada", 3),
        ends_learning(to, "Ada", 0),
        unlearned(to, "Ada", 0),
        unlearned(to, "Ada", 7),
        of(&passed[..1]).unwrap(),
        of(&passed).unwrap(),
        of(&cut).unwrap(),
        of(&polled).unwrap(),
        [let_learn(to), end_learning(to), unlearn(to)].join(" | "),
    ];
    assert!(all.iter().all(|text| text.chars().count() < 700));
    all.to_vec()
}

#[test]
fn every_sentence_about_learning() {
    insta::assert_snapshot!(about_learning(Tongue::English).join("\n----\n"));
}

fn not_done_at_all(to: Tongue) -> Vec<String> {
    let all = [
        Refused::BotLacks(vec!["Send Messages", "Create Public Threads"]),
        Refused::AskerLacks(vec!["Change Nickname"]),
        Refused::AskerUnseen,
        Refused::NoThreadsHere,
        Refused::NotConnected,
        Refused::Late,
        Refused::MessageGone,
        Refused::HasThread,
        Refused::Locked,
        Refused::ChannelGone,
        Refused::NotAccepted,
        Refused::Closed("Missing Access".to_owned()),
        Refused::Said("Invalid Form Body".to_owned()),
    ];
    all.iter().map(|why| not_done(to, why)).collect()
}

#[test]
fn every_reason_why_a_command_was_not_carried_out() {
    insta::assert_snapshot!(not_done_at_all(Tongue::English).join("\n"));
}

fn about_personas(to: Tongue) -> Vec<String> {
    let vane = Persona::new("Captain Vane", "A retired privateer.").unwrap();
    let bare = Persona::new("@everyone", "").unwrap();
    let all = [
        persona_set(to, &vane, false),
        persona_set(to, &bare, true),
        no_persona(to, NoPersona::LongName),
        no_persona(to, NoPersona::Taken),
        too_many_personas(to),
        persona_shown(to, None, None),
        persona_shown(to, Some(&vane), None),
        persona_shown(to, Some(&bare), Some(&bare)),
        persona_shown(to, Some(&vane), Some(&bare)),
        persona_cleared(to, true, None),
        persona_cleared(to, false, Some(&bare)),
    ];
    all.to_vec()
}

#[test]
fn every_sentence_about_who_somebody_is_in_play() {
    insta::assert_snapshot!(about_personas(Tongue::English).join("\n----\n"));
}

#[test]
fn forms_buttons_and_menus_fit_discords_limits_in_every_language() {
    for to in Tongue::ALL {
        let fits = |most: usize, all: &[String]| {
            all.iter().for_each(|words| assert!(words.chars().count() <= most, "{words}"));
        };
        fits(32, &[repair(to), branch(to)]);
        let titles = [backdrop_title(to), correct_title(to), reword_title(to)];
        fits(45, &titles);
        fits(45, &[backdrop_label(to), correct_label(to), reword_label(to)]);
        fits(100, &[backdrop_placeholder(to), choose_fact(to), choose_reminder(to)]);
        fits(80, &[voice::agree(to), voice::decline(to), tools::yes(to), tools::no(to), undo_reset(to)]);
        fits(80, &[forget(to), forget_for_good(to), keep(to), correct(to), forget_me(to), another(to)]);
        fits(80, &[copy_of_mine(to), opt_out(to), take_part(to), opt_out_and_forget(to), not_now(to)]);
        fits(80, &[opt_out_for_good(to), reword(to), delete(to), take_back(to)]);
        fits(80, &[let_learn(to), end_learning(to), unlearn(to)]);
        fits(500, &[voice::channel_status(to, &"A".repeat(300))]);
        let vane = Persona::new(&"V".repeat(60), &"a ".repeat(400)).unwrap();
        let other = Persona::new("Vane", &"b ".repeat(400)).unwrap();
        let question = tools::may_i(to, u64::MAX, &Proposed::Told("*".repeat(3_000)), true);
        fits(1_999, &[persona_shown(to, Some(&vane), Some(&other)), question]);
    }
}

#[test]
fn every_sentence_in_every_other_language() {
    for to in Tongue::ALL.into_iter().skip(1) {
        let groups = [
            failures,
            answers,
            about_calls,
            statuses,
            about_memory,
            about_privacy,
            about_learning,
            about_personas,
            not_done_at_all,
        ];
        let asked = everything_asked().into_iter().map(|what| tools::may_i(to, 7, &what, false));
        let said = groups.into_iter().flat_map(|group| group(to));
        let all: Vec<String> = said.chain(questions(to)).chain(asked).collect();
        for text in &all {
            assert!(text.chars().count() < 2_000, "{text}");
        }
        insta::assert_snapshot!(format!("every_sentence_in_{}", to.code()), all.join("\n----\n"));
    }
}

fn questions(to: Tongue) -> Vec<String> {
    use tools::ConfirmOutcome;

    let what = &Proposed::Poll {
        hours: 24,
        question: "**Tea**\n# or [rum](x)?".to_owned(),
        answers: vec!["tea".to_owned(), "<@5>".to_owned()],
        several: false,
    };
    let said = [
        ConfirmOutcome::Agreed,
        ConfirmOutcome::Declined,
        ConfirmOutcome::Unanswered,
        ConfirmOutcome::Unwanted,
    ]
    .map(|became| tools::was_asked(to, 7, what, became));
    let mut all = vec![
        tools::may_i(to, 7, what, false),
        tools::may_i(to, 7, &Proposed::Pin(MeantMessage::Asked), true),
    ];
    all.extend(said);
    all.extend([tools::not_yours_to_answer(to), tools::answered_already(to), tools::too_late_to_answer(to)]);
    all
}

/// What else may be asked about.
fn everything_asked() -> Vec<Proposed> {
    let words = || "the *cat*".to_owned();
    let (when, whom) = ("every Friday at 8".to_owned(), "Ana".to_owned());
    let theirs = MeantMessage::Theirs(words());
    vec![
        Proposed::Connected {
            program: "calendar".to_owned(),
            tool: "add".to_owned(),
            arguments: "{}".to_owned(),
        },
        Proposed::React { emoji: "👍".to_owned(), under: MeantMessage::Of { whom, words: words() } },
        Proposed::Thread { name: words(), under: None },
        Proposed::Thread { name: words(), under: Some(MeantMessage::Own(words())) },
        Proposed::Pin(theirs),
        Proposed::OfferToForget,
        Proposed::JoinCall,
        Proposed::LeaveCall,
        Proposed::PlaySound(words()),
        Proposed::Remind { words: words(), when: when.clone(), again: Some(Every::Weekly) },
        Proposed::Announce { words: words(), when, again: None },
        Proposed::Timer { minutes: 4, seconds: 0, label: Some(words()) },
        Proposed::Timer { minutes: 1, seconds: 30, label: None },
        Proposed::KeepInMind(words()),
        Proposed::Cancel(words()),
        Proposed::Close(words()),
        Proposed::BetterMood,
        Proposed::WorseMood,
        Proposed::Note { words: words(), about: None },
        Proposed::Note { words: words(), about: Some(words()) },
        Proposed::OpenPage("https://example.org/".to_owned()),
        Proposed::OpenPicture("https://example.org/".to_owned()),
        Proposed::MakePicture(words()),
    ]
}

#[test]
fn what_is_asked_in_english_reads_as_where_nobody_says_it_in_their_language() {
    for what in everything_asked() {
        let asked = tools::may_i(Tongue::English, 7, &what, false).replace('\\', "");
        assert!(asked.starts_with(&format!("<@7>, shall I {what}?")), "{asked}");
    }
}

#[test]
fn what_is_asked_has_no_english_in_it_elsewhere() {
    let english = ["shall I", " the ", "your ", "open ", "remind"];
    for to in Tongue::ALL.into_iter().skip(1) {
        for what in everything_asked() {
            let asked = tools::may_i(to, 7, &what, false)
                .replace("the \\*cat\\*", "")
                .replace("every Friday at 8", "");
            assert!(english.iter().all(|word| !asked.contains(word)), "{to:?}: {asked}");
        }
    }
}

#[test]
fn in_portuguese_an_article_is_one_word_with_what_stands_before_it() {
    for what in everything_asked() {
        let asked = tools::may_i(Tongue::Portuguese, 7, &what, false);
        let apart = [" de a ", " de o ", " em a ", " em o "];
        assert!(apart.iter().all(|apart| !asked.contains(apart)), "{asked}");
    }
}

#[test]
fn every_question_whether_something_shall_be_done() {
    insta::assert_snapshot!(questions(Tongue::English).join("\n----\n"), @r"
    <@7>, shall I open a poll for 24 h: “\*\*Tea\*\* \# or \[rum\](x)?” (tea / \<@5\>)?
    -# Only you can answer, within two minutes.
    ----
    <@7>, shall I pin your message?
    -# I have just read what others wrote, so I ask first. Only you can answer, within two minutes.
    ----
    -# <@7> said yes: open a poll for 24 h: “\*\*Tea\*\* \# or \[rum\](x)?” (tea / \<@5\>).
    ----
    -# <@7> said no, so I did not open a poll for 24 h: “\*\*Tea\*\* \# or \[rum\](x)?” (tea / \<@5\>).
    ----
    -# <@7> did not answer in time, so I did not open a poll for 24 h: “\*\*Tea\*\* \# or \[rum\](x)?” (tea / \<@5\>).
    ----
    -# That is no longer wanted, so I did not open a poll for 24 h: “\*\*Tea\*\* \# or \[rum\](x)?” (tea / \<@5\>).
    ----
    That is for somebody else to answer.
    ----
    That has been answered already.
    ----
    -# It is too late to answer this. If it has not been done, ask me again.
    ");
}
