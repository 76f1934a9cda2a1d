use super::*;
use crate::domain::{AccountId, Audience, GuildId, NoPersona, Persona};
use crate::erase::Plan;
use crate::identity::{BondEnd, CodeRefusal, JoinedEnds};

#[test]
fn every_model_failure_is_one_short_line_with_its_turn() {
    let lines: Vec<String> = ModelErrorClass::ALL
        .map(|class| notice(Notice::ModelFailed { turn: TurnId(42), class, wait: None }))
        .to_vec();
    for line in &lines {
        assert!(!line.contains('\n') && line.chars().count() <= 100 && line.ends_with("(t42)"), "{line}");
    }
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn how_long_a_provider_wants_to_be_left_alone_is_said_as_it_is() {
    let said = |seconds| {
        let wait = Some(Duration::from_secs(seconds));
        notice(Notice::ModelFailed { turn: TurnId(42), class: ModelErrorClass::RateLimited, wait })
    };
    assert_eq!(said(3_600), "-# Too many requests to the model right now. Try again in 1 h 0 min. (t42)");
    assert_eq!(said(100), "-# Too many requests to the model right now. Try again in 2 min. (t42)");
    assert_eq!(said(20), "-# Too many requests to the model right now. Try again in 20 s. (t42)");
}

#[test]
fn every_answer_to_a_command() {
    let mut all = vec![
        dm_refused("Ada", 77),
        subscribed("Ada", 1),
        already_subscribed("Ada", 1),
        how_to_forget(),
        begins_to_read("Ada"),
        does_not_read("Ada"),
        keeps_quiet("Ada", None),
        keeps_quiet("Ada", Some(Duration::from_secs(30 * 60))),
        joins_in_again("Ada"),
        alone_it_answers(),
        not_here_and_in_no_call("Ada"),
        notice(Notice::TooMuchAtOnce),
        dm_needs_no_subscription(),
        unsubscribed("Ada", 1),
        not_subscribed("Ada", 1),
        bot_lacks_permissions(1, &["View Channel"]),
        bot_lacks_permissions(1, &["View Channel", "Send Messages", "Read Message History"]),
        unknown_place(),
        needs_manage_channels(1),
        backdrop_set(1, 120),
        backdrop_cleared(1),
        greeted(),
        greet_needs_subscription("Ada"),
        no_such_greeting(0),
        no_such_greeting(1),
        no_such_greeting(4),
        no_turn_yet(),
        no_such_turn("t9`` @everyone and much, much more"),
        context_attached(TurnId(9), "replied in 1 message"),
        pair_code("ABC234", &BondEnd::Alone(AccountId::discord(1))),
        pair_code("ABC234", &BondEnd::Guild(GuildId::from(7))),
        past_only_alone(),
        past_shared(&[]),
        past_shared(&[BondEnd::Guild(GuildId::from(7))]),
        past_shared(&[
            BondEnd::Guild(GuildId::from(7)),
            BondEnd::Guild(GuildId::from(8)),
            BondEnd::Alone(AccountId::discord(1)),
        ]),
        unpaired(true),
        unpaired(false),
        command_failed("the file channels/1.toml could not be written"),
        command_broke(),
        help("Ada"),
    ];
    let (alone, guild) = (BondEnd::Alone(AccountId::discord(1)), BondEnd::Guild(GuildId::from(7)));
    for (from, with) in [(&alone, &guild), (&guild, &alone), (&alone, &alone)] {
        all.push(paired(&JoinedEnds { from: from.clone(), with: with.clone() }));
    }
    let refusals = [
        CodeRefusal::NotHere,
        CodeRefusal::Wrong,
        CodeRefusal::TooManyTries,
        CodeRefusal::SamePlace,
        CodeRefusal::Already,
        CodeRefusal::TooMany,
    ];
    all.extend(refusals.map(pair_refused));
    all.extend(ChannelMode::ALL.map(|mode| mode_set(1, mode)));
    for text in &all {
        assert!(text.chars().count() < 2000, "{text}");
    }
    insta::assert_snapshot!(all.join("\n----\n"));
}

#[test]
fn every_word_about_calls() {
    use super::voice::*;
    let many: Vec<u64> = (1..=11).collect();
    let recogniser = |name: Option<&str>, is_here: bool| {
        Some(crate::discord::Recogniser { name: name.map(str::to_owned), is_here })
    };
    let all = [
        in_the_call("Ada", &[], false, false, None),
        in_the_call("Ada", &[1, 2], false, true, recogniser(Some("Deepgram"), false).as_ref()),
        in_the_call("Ada", &many, true, false, recogniser(None, true).as_ref()),
        channel_status("Ada"),
        newcomers("Ada", &[1], false, false, recogniser(Some("Whisper"), true).as_ref()),
        newcomers("Ada", &[1, 2], true, true, recogniser(None, false).as_ref()),
        join_a_call_first(),
        called_in("Ada", 1, Duration::from_secs(20)),
        called_in("Ada", 1, Duration::from_secs(1)),
        hears_you_too("Ada"),
        hears_you_already("Ada"),
        is_elsewhere("Ada", 1),
        lacks_permissions(1, &["Speak"]),
        lacks_permissions(1, &["Connect", "Speak"]),
        call_is_full(1),
        no_stages(1),
        unknown_call(),
        not_joined(1, "the voice server did not answer"),
        no_calls(),
        everybody_needs_manage_channels(1),
        every_call_needs_everybody(),
        every_call_needs_manage_server(),
        everybody_in_every_call("Ada"),
        nobody_unasked("Ada"),
        call_ended("Ada"),
        hears_you_no_longer("Ada"),
        does_not_hear_you("Ada"),
        in_no_call("Ada"),
        left_behind("Ada"),
        left_alone("Ada"),
        left_quiet("Ada", Duration::from_secs(1800)),
        gave_up("Ada", "the voice server did not answer"),
        cannot_follow("Ada", 1, &call_is_full(1)),
        deaf("Ada"),
        still_deaf("Ada", "1"),
        unplaced("Ada"),
        still_unplaced("Ada"),
        hears_nothing("no engine for hearing is set up: set DEEPGRAM_API_KEY"),
        misses_words("Deepgram cannot be reached; more is in the log of whoever runs me"),
        hears_again(),
        has_no_voice("espeak-ng is not installed"),
        speaks_again(),
        not_heard("1", "one person may use 20 minutes of Deepgram in an hour (stt.person_hour_minutes)"),
        not_spoken_to(
            "1",
            "one person may use 900 characters of Cartesia in an hour (tts.person_hour_characters)",
        ),
        transcript(&[&transcript_line(1_772_395_200, "Ana *the* `Bold`", "Late,\nI think.")]),
    ];
    for text in &all {
        assert!(text.chars().count() < 2000, "{text}");
    }
    assert!([agree_label(), decline_label()].iter().all(|label| label.chars().count() <= 80));
    insta::assert_snapshot!(all.join("\n----\n"));
}

#[test]
fn status_says_what_is_known_and_leaves_out_the_rest() {
    let full = Status {
        familiar: "Ada".to_owned(),
        day: None,
        mood: Some("cheerful"),
        engine: Some(("z-ai/glm-5.1".to_owned(), Duration::from_secs(93_784))),
        here: Here::Read,
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
        here: Here::ThroughParent,
        cap_usd: None,
        unpriced_cap: None,
        call: Some((1, 0, voice::Packets::default())),
        early: (0, 0),
        ..full.clone()
    };
    let bare = Status { familiar: "Ada".to_owned(), ..Status::default() };
    let dm = Status {
        here: Here::Dm,
        spent_usd: None,
        unpriced_tokens: 0,
        call: None,
        engine: Some(("rehearsal".to_owned(), Duration::from_secs(7200))),
        ..full.clone()
    };
    insta::assert_snapshot!([full, thread, bare, dm].map(|s| status(&s)).join("\n----\n"));
}

#[test]
fn every_sentence_about_remembering_and_forgetting() {
    let plan = Plan { messages: 12, replies: 1, facts: 3, notes: 1, ..Plan::default() };
    let others = Plan { traces: 3, transcripts: 1, ..Plan::default() };
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
        forget_plan("Ada", plan, LooksThrough::Nothing),
        forget_plan("Ada", Plan { messages: 1, ..Plan::default() }, LooksThrough::Transcripts),
        forget_plan("Ada", others, LooksThrough::Nothing),
        forget_plan("Ada", Plan::default(), LooksThrough::Transcripts),
        forget_plan("Ada", Plan { copies: 1, ..plan }, LooksThrough::Nothing),
        forget_plan("Ada", Plan { copies: 1, ..Plan::default() }, LooksThrough::Nothing),
        forgotten_for_good("Ada", Plan { copies: 2, ..Plan::default() }),
        forgotten_for_good("Ada", Plan { copies: 1, ..plan }),
        transcripts_searched("Ada"),
        nothing_to_forget("Ada"),
        forgotten("Ada", plan),
        forgotten("Ada", others),
        forgotten("Ada", Plan::default()),
        forgotten_for_good("Ada", Plan { facts: 1, messages: 2, ..Plan::default() }),
        kept(),
        undone("Ada", plan),
        undone("Ada", others),
        nothing_to_undo(),
        known_facts("Ada", &facts, 4),
        known_facts("Ada", &facts[..1], 30),
        known_facts("Ada", &sources, 3),
        nothing_known("Ada"),
        one_fact(&facts[3]),
        fact_gone(),
        corrected("Ada", "Alice lives in Bruges."),
        not_corrected(),
        [CHOOSE_FACT, CORRECT, CORRECT_TITLE, CORRECT_LABEL, FORGET, FORGET_FOR_GOOD, KEEP].join(" | "),
    ];
    for text in &all {
        assert!(text.chars().count() < 2000, "{text}");
    }
    assert!(CORRECT_TITLE.chars().count() <= 45 && CORRECT_LABEL.chars().count() <= 45);
    insta::assert_snapshot!(all.join("\n----\n"));
}

#[test]
fn every_sentence_about_privacy() {
    let plan = Plan { messages: 12, replies: 1, facts: 3, ..Plan::default() };
    let all = [
        privacy("Ada", plan),
        privacy("Ada", Plan::default()),
        opting_out("Ada", plan),
        opting_out("Ada", Plan::default()),
        opted_out("Ada", &forgotten("Ada", plan)),
        stays_out("Ada"),
        takes_part("Ada"),
        opted_out_hint("Ada"),
        undo_while_opted_out("Ada"),
        copied(12, true),
        copied(100_000, false),
        [COPY_OF_MINE, OPT_OUT, TAKE_PART, OPT_OUT_AND_FORGET, OPT_OUT_FOR_GOOD, NOT_NOW].join(" | "),
    ];
    for text in &all {
        assert!(text.chars().count() < 2000, "{text}");
    }
    insta::assert_snapshot!(all.join("\n----\n"));
}

#[test]
fn every_sentence_about_who_somebody_is_in_play() {
    let vane = Persona::new("Captain Vane", "A retired privateer.").unwrap();
    let bare = Persona::new("@everyone", "").unwrap();
    let long = Persona::new(&"V".repeat(60), &"a ".repeat(400)).unwrap();
    let all = [
        persona_set(&vane, false),
        persona_set(&bare, true),
        no_persona(NoPersona::LongName),
        too_many_personas(),
        persona_shown(None, None),
        persona_shown(Some(&vane), None),
        persona_shown(Some(&bare), Some(&bare)),
        persona_shown(Some(&vane), Some(&bare)),
        persona_cleared(true, None),
        persona_cleared(false, Some(&bare)),
    ];
    assert!(persona_shown(Some(&vane), Some(&long)).chars().count() < 2000);
    insta::assert_snapshot!(all.join("\n----\n"));
}

#[test]
fn the_modal_fits_discords_limits() {
    assert!(backdrop_title().chars().count() <= 45);
    assert!(backdrop_label().chars().count() <= 45);
    assert!(backdrop_placeholder().chars().count() <= 100);
}

#[test]
fn every_question_whether_something_shall_be_done() {
    use tools::ConfirmOutcome;

    let what = "open a poll for 24 h: “**Tea**\n# or [rum](x)?” (tea / <@5>)";
    let said = [
        ConfirmOutcome::Agreed,
        ConfirmOutcome::Declined,
        ConfirmOutcome::Unanswered,
        ConfirmOutcome::Unwanted,
    ]
    .map(|became| tools::was_asked(7, what, became));
    let mut all = vec![tools::may_i(7, what, false), tools::may_i(7, "pin your message", true)];
    all.extend(said);
    all.extend([tools::not_yours_to_answer(), tools::answered_already(), tools::too_late_to_answer()]);
    assert!(tools::may_i(u64::MAX, &"*".repeat(3_000), true).chars().count() < 2_000);
    insta::assert_snapshot!(all.join("\n----\n"), @r"
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
    That is answered already.
    ----
    -# It is too late to answer this. If it has not been done, ask me again.
    ");
}
