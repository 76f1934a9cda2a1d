//! What a turn's prompt tells of the moment: the volatile tail, through the real session and pipeline.

use std::time::Duration;

use familiar_connect::clock::Clock as _;
use familiar_connect::domain::{ChannelId, ChunkFate, LAYER_MARKER, Place, Role, TurnTrace};
use familiar_connect::world::{Arrival, BotState};

use crate::support::stage::{APART, Asked, CALLED, MESSAGES, Stage, UNADDRESSED, channel, dm, ferry, person};

/// The tail: the last message in the user's role, which is ours and carries our heading.
fn tail(asked: &Asked) -> String {
    let mut messages = asked.request.messages.iter().rev();
    let tail =
        messages.find(|message| message.role == Role::User && message.content.starts_with(LAYER_MARKER));
    tail.map(|message| message.content.clone()).unwrap_or_default()
}

/// Says something to the familiar in `#ferry`, answers it, and gives the tail of its prompt.
async fn tail_of(stage: &mut Stage, who: &str, text: &str) -> String {
    tail_in(stage, &ferry(), who, text).await
}

/// The same in another place.
async fn tail_in(stage: &mut Stage, place: &Place, who: &str, text: &str) -> String {
    let asked = stage.asked_in(place, who, text).await;
    let tail = tail(&asked);
    stage.replied_in(place, asked, "Aye.").await;
    tail
}

async fn newest_trace(stage: &Stage) -> TurnTrace {
    stage.traces.whole().latest(None).await.unwrap().unwrap().as_ref().clone()
}

#[tokio::test(start_paused = true)]
async fn a19_the_tail_in_a_guild_in_private_and_in_the_terminal() {
    let mut stage = Stage::new().await;
    stage.talk("ben", "who brought rope?", "I did.").await;
    insta::assert_snapshot!("tail_in_a_guild", tail_of(&mut stage, "alice", "hello").await);

    stage.says_in(&dm("alice"), "alice", "just us", UNADDRESSED).await;
    let asked = stage.next_request().await;
    insta::assert_snapshot!("tail_in_private", tail(&asked));
    stage.replied_in(&dm("alice"), asked, "Aye.").await;

    let terminal = Place::terminal(ChannelId::new("terminal").unwrap());
    stage.says_in(&terminal, "alice", "anybody aboard?", UNADDRESSED).await;
    let asked = stage.next_request().await;
    insta::assert_snapshot!("tail_in_the_terminal", tail(&asked));
    stage.replied_in(&terminal, asked, "Aye.").await;
}

#[tokio::test(start_paused = true)]
async fn a21_who_comes_back_after_days_is_back() {
    let mut stage = Stage::new().await;
    tail_of(&mut stage, "alice", "good night").await;
    stage.clock.advance(Duration::from_secs(9 * 86_400));
    let tail = tail_of(&mut stage, "alice", "hello again").await;
    assert!(tail.contains("Alice is back after 9 days"), "{tail}");
    let tail = tail_of(&mut stage, "alice", "so").await;
    assert!(!tail.contains("back after"), "{tail}");
}

#[tokio::test(start_paused = true)]
async fn a23_a_wish_holds_for_the_session_of_whoever_wished_and_no_longer() {
    let mut stage = Stage::new().await;
    let asked = stage.asked("alice", "shorter please, and call me Al").await;
    let first = tail(&asked);
    stage.replied(asked, "Aye.").await;
    assert!(first.contains("In this talk Alice asked for shorter answers."), "{first}");
    assert!(first.contains("In this talk Alice asked to be called Al."), "{first}");
    let trace = newest_trace(&stage).await;
    let sources: Vec<_> = trace.assembly.unwrap().chunks.into_iter().map(|chunk| chunk.source).collect();
    assert!(sources.iter().any(|source| source == "lessons/shorter (message 1001)"), "{sources:?}");

    let of_ben = tail_of(&mut stage, "ben", "evening").await;
    assert!(!of_ben.contains("asked for"), "{of_ben}");
    let later = tail_of(&mut stage, "alice", "you can write normal length, and stop calling me Al").await;
    assert!(!later.contains("asked for"), "{later}");
    tail_of(&mut stage, "alice", "no spoilers!").await;
    stage.clock.advance(Duration::from_secs(3600));
    let next_session = tail_of(&mut stage, "alice", "hello").await;
    assert!(!next_session.contains("spoilers"), "{next_session}");
}

#[tokio::test(start_paused = true)]
async fn a23_a_wish_outlives_the_program_and_not_the_session() {
    let mut stage = Stage::new().await;
    tail_of(&mut stage, "alice", "shorter please").await;
    tail_of(&mut stage, "ben", "evening").await;
    stage.says_in(&ferry(), "ben", "be serious, alice", APART).await;
    stage.settled().await;
    let mut stage = stage.reopened().await;
    let tail = tail_of(&mut stage, "alice", "still there?").await;
    assert!(tail.contains("In this talk Alice asked for shorter answers."), "{tail}");
    let of_ben = tail_of(&mut stage, "ben", "and for me?").await;
    assert!(!of_ben.contains("asked for"), "{of_ben}");
    let mut stage = stage.reopened().await;
    stage.clock.advance(Duration::from_secs(3600));
    let tail = tail_of(&mut stage, "alice", "still there?").await;
    assert!(!tail.contains("asked for"), "{tail}");
}

#[tokio::test(start_paused = true)]
async fn a23_wishes_among_people_are_not_for_the_familiar() {
    let mut stage = Stage::new().await;
    stage.says_in(&ferry(), "ben", "hi", CALLED).await;
    stage.answers("Aye.").await;
    stage.says_in(&ferry(), "ben", "be serious, alice", APART).await;
    let tail = tail_of(&mut stage, "ben", "hello").await;
    assert!(!tail.contains("asked for"), "{tail}");
}

#[tokio::test(start_paused = true)]
async fn a9_kind_words_warm_and_time_cools_and_a_restart_forgets_nothing() {
    let mut stage = Stage::new().await;
    let calm = tail_of(&mut stage, "alice", "hello").await;
    assert!(!calm.contains("You feel"), "{calm}");
    for _ in 0..3 {
        tail_of(&mut stage, "alice", "thank you, you're the best").await;
    }
    let mut stage = stage.reopened().await;
    let glad = tail_of(&mut stage, "alice", "so").await;
    assert!(glad.contains("warm towards Alice") && glad.contains("You feel"), "{glad}");
    assert_eq!(glad.matches("You feel").count(), 1);
    let to_ben = tail_of(&mut stage, "ben", "hello").await;
    assert!(to_ben.contains("You feel") && !to_ben.contains("warm towards"), "{to_ben}");
    stage.clock.advance(Duration::from_secs(3 * 86_400));
    let cooled = tail_of(&mut stage, "ben", "hello").await;
    assert!(!cooled.contains("You feel"), "{cooled}");
    let fond = tail_of(&mut stage, "alice", "hello").await;
    assert!(fond.contains("You feel warm towards Alice"), "warmth lasts longer: {fond}");
}

#[tokio::test(start_paused = true)]
async fn contradiction_8_a_mood_that_was_earned_alone_shows_on_no_server() {
    let mut stage = Stage::new().await;
    let alone = dm("alice");
    for _ in 0..6 {
        tail_in(&mut stage, &alone, "alice", "I hate you, shut up").await;
    }
    let own = tail_in(&mut stage, &alone, "alice", "so").await;
    assert!(own.contains("You feel") && own.contains("Alice"), "{own}");
    for who in ["alice", "ben"] {
        let there = tail_of(&mut stage, who, "hello").await;
        assert!(!there.contains("You feel"), "{who}: {there}");
    }
}

#[tokio::test(start_paused = true)]
async fn a9_without_affect_nothing_moves_it() {
    let settings =
        "text_lull_timeout = 0.01\n[typing_simulation]\nenabled = false\n[affect]\nenabled = false\n";
    let mut stage = Stage::with(settings, MESSAGES).await;
    for _ in 0..3 {
        let tail = tail_of(&mut stage, "alice", "I hate you, shut up").await;
        assert!(!tail.contains("You feel"), "{tail}");
    }
}

#[tokio::test(start_paused = true)]
async fn a9_reactions_to_its_words_count() {
    let mut stage = Stage::new().await;
    tail_of(&mut stage, "alice", "hello").await;
    for _ in 0..6 {
        stage.session.reacted(&ferry(), &person("alice"), "❤️").await;
    }
    let tail = tail_of(&mut stage, "alice", "so").await;
    assert!(tail.contains("warm towards Alice"), "{tail}");
}

#[tokio::test(start_paused = true)]
async fn a24_it_knows_what_went_on_since_it_last_spoke_and_who_came() {
    let mut stage = Stage::new().await;
    tail_of(&mut stage, "alice", "hello").await;
    for round in 0..12 {
        let who = if round % 3 == 0 { "cara" } else { "ben" };
        stage.says_in(&ferry(), who, &format!("aside {round}"), APART).await;
    }
    let arrival = Arrival {
        account: person("dora").account,
        name: "Dora".to_owned(),
        at: stage.clock.now(),
        away_since: None,
    };
    stage.world.arrived(&"7".parse().unwrap(), arrival);
    stage.clock.advance(Duration::from_secs(3600));
    let tail = tail_of(&mut stage, "alice", "back to you").await;
    assert!(
        tail.contains("Since you last spoke here, 1 hour ago: Ben and Cara about “aside” (12 messages)."),
        "{tail}"
    );
    assert!(tail.contains("New on the server since then: Dora."), "{tail}");
    let next = tail_of(&mut stage, "alice", "so").await;
    assert!(!next.contains("Since you last spoke"), "{next}");
}

#[tokio::test(start_paused = true)]
async fn a24_what_somebody_said_would_be_is_told_once_in_a_place_when_its_day_has_come() {
    let mut stage = Stage::new().await;
    let (deck, mast) = (channel(2, "#deck"), channel(3, "#mast"));
    let told = async |stage: &mut Stage, place: &Place, who: &str, text: &str| {
        let asked = stage.asked_in(place, who, text).await;
        let tail = asked.request.messages.iter().rfind(|message| message.content.contains("Now:")).cloned();
        stage.replied_in(place, asked, "Aye.").await;
        tail.unwrap().content
    };
    let day = |days: u64| Duration::from_secs(days * 24 * 3600);
    // A Sunday.
    for place in [&deck, &mast] {
        told(&mut stage, place, "ben", "hello").await;
    }
    told(&mut stage, &ferry(), "alice", "Hm. My exam is on Friday!").await;
    told(&mut stage, &dm("alice"), "alice", "my surgery is on Friday").await;
    let exam = "“My exam is on Friday!”.";
    stage.clock.advance(day(2));
    let tuesday = told(&mut stage, &ferry(), "ben", "hello").await;
    assert!(!tuesday.contains(exam), "{tuesday}");
    stage.clock.advance(day(3));
    let friday = told(&mut stage, &ferry(), "ben", "good evening").await;
    assert!(friday.contains("Alice said 5 days ago: ") && friday.contains(exam), "{friday}");
    assert!(friday.contains("That is today."), "{friday}");
    assert!(!friday.contains("surgery"), "said in private: {friday}");
    let hers = told(&mut stage, &ferry(), "alice", "so").await;
    assert!(hers.contains(exam) && hers.contains("That is today."), "not to her: {hers}");
    for who in ["alice", "ben"] {
        let again = told(&mut stage, &ferry(), who, "so").await;
        assert!(!again.contains("That is today"), "told already: {again}");
    }
    stage.clock.advance(day(1));
    let elsewhere = told(&mut stage, &deck, "alice", "hello").await;
    assert!(elsewhere.contains(exam) && elsewhere.contains("That was yesterday."), "{elsewhere}");
    assert!(!elsewhere.contains("surgery"), "{elsewhere}");
    let private = told(&mut stage, &dm("alice"), "alice", "hello").await;
    assert!(private.contains("“my surgery is on Friday”. That was yesterday."), "{private}");
    stage.clock.advance(day(2));
    let monday = told(&mut stage, &mast, "alice", "hello").await;
    assert!(!monday.contains(exam), "three days after: {monday}");
}

#[tokio::test(start_paused = true)]
async fn a24_a_birthday_that_is_noted_is_told_once_when_its_day_has_come() {
    let mut stage = Stage::new().await;
    let people = stage.config.home().memory_dir().join("people");
    std::fs::create_dir_all(&people).unwrap();
    let name = person("alice").account.to_string().replace(':', "-");
    std::fs::write(people.join(format!("{name}.md")), "Has her birthday on 3 March.\n").unwrap();
    let told = "It is Alice's birthday today.";
    for (days, who, is_told) in
        [(0, "alice", false), (2, "ben", false), (0, "alice", true), (0, "alice", false), (1, "alice", false)]
    {
        stage.clock.advance(Duration::from_secs(days * 24 * 3600));
        let tail = tail_of(&mut stage, who, "hello").await;
        assert_eq!(
            tail.contains(told),
            is_told,
            "she was answered here that day already, or it is another: {tail}"
        );
    }
    let deck = channel(2, "#deck");
    stage.clock.advance(Duration::from_secs(363 * 24 * 3600));
    tail_in(&mut stage, &deck, "alice", "hello").await;
    stage.clock.advance(Duration::from_secs(24 * 3600));
    let tail = tail_in(&mut stage, &deck, "alice", "hello").await;
    assert!(tail.contains(told), "{tail}");
}

#[tokio::test(start_paused = true)]
async fn a24_a_day_that_comes_back_every_year_is_told_of_from_its_second_time_on() {
    let mut stage = Stage::new().await;
    let people = stage.config.home().memory_dir().join("people");
    std::fs::create_dir_all(&people).unwrap();
    let name = person("alice").account.to_string().replace(':', "-");
    let year = stage.clock_now().to_zoned(jiff::tz::TimeZone::UTC).year();
    let notes: [&str; 4] = [
        "- Born on 4 March 1990.",
        &format!("- Got married on 3 March {}.", year - 4),
        &format!("- Moved in with Ben, their anniversary is 3 March {year}."),
        "- L'anniversaire de mariage de ses parents est le 3 mars.",
    ];
    std::fs::write(people.join(format!("{name}.md")), format!("{}\n", notes.join("\n"))).unwrap();
    tail_of(&mut stage, "alice", "hello").await;
    stage.clock.advance(Duration::from_secs(2 * 24 * 3600));
    let tail = tail_of(&mut stage, "alice", "hello").await;
    assert!(tail.contains("every year for Alice: “Got married on 3 March"), "{tail}");
    assert!(tail.contains("every year for Alice: “L'anniversaire de mariage"), "{tail}");
    assert!(!tail.contains("birthday today") && !tail.contains("every year for Alice: “Moved"), "{tail}");
}

#[tokio::test(start_paused = true)]
async fn a27_a_question_is_answered_for_certain_and_its_detector_is_in_the_x_ray() {
    let mut stage = Stage::new().await;
    let tail = tail_of(&mut stage, "alice", "what is 12*7?").await;
    assert!(tail.contains("Fact: 12 × 7 = 84."), "{tail}");
    let trace = newest_trace(&stage).await;
    let chunks = trace.assembly.unwrap().chunks;
    let fact = chunks.iter().find(|chunk| chunk.source.starts_with("facts/arithmetic")).unwrap();
    assert_eq!(fact.fate, ChunkFate::Kept);
    assert!(
        trace.request.iter().all(|message| message.role != Role::System || !message.content.contains("84"))
    );
    let tail = tail_of(&mut stage, "alice", "how many messages have we exchanged?").await;
    assert!(tail.contains("Fact: Alice has written 2 messages"), "{tail}");
    let plain = tail_of(&mut stage, "alice", "nice weather on the river").await;
    assert!(!plain.contains("Fact:"), "{plain}");
}

#[tokio::test(start_paused = true)]
async fn a27_who_asks_at_once_with_others_gets_the_facts_that_they_get_alone() {
    let mut stage = Stage::new().await;
    let first = stage.asked("alice", "Mika, what is 17*23?").await;
    stage.says("ben", "Mika, what is 12*7?").await;
    stage.restarts().await;
    let both = stage.next_request().await;
    first.abandoned().await;
    let tail = tail(&both);
    assert!(tail.contains("Fact, asked for by Alice: 17 × 23 = 391."), "{tail}");
    assert!(tail.contains("Fact: 12 × 7 = 84."), "{tail}");
    stage.replied(both, "391 and 84.").await;
}

#[tokio::test(start_paused = true)]
async fn a27_a_birthday_is_told_from_the_notes_that_everybody_here_may_see() {
    let mut stage = Stage::new().await;
    let folder = stage.dir.path().join("familiars/mika/memory/people");
    std::fs::create_dir_all(&folder).unwrap();
    let note = |who: &str, text: &str| {
        std::fs::write(folder.join(format!("{}.md", person(who).account.slug())), text).unwrap();
    };
    note("alice", "- Birthday: 3 May\n");
    note("ben", "---\naudience: dm:discord:99\naliases: [Ben]\n---\n- Birthday: 9 June\n");
    let tail = tail_of(&mut stage, "alice", "when is my birthday?").await;
    assert!(tail.contains("Noted about Alice: “Birthday: 3 May”"), "{tail}");
    let tail = tail_of(&mut stage, "alice", "how many notes do you have?").await;
    assert!(tail.contains("You have notes on Alice."), "{tail}");
    let tail = tail_of(&mut stage, "alice", "when is Ben's birthday?").await;
    assert!(!tail.contains("June"), "{tail}");
}

#[tokio::test(start_paused = true)]
async fn a27_nothing_said_in_private_is_counted_in_the_guild() {
    let mut stage = Stage::new().await;
    for _ in 0..3 {
        stage.says_in(&dm("alice"), "alice", "psst", UNADDRESSED).await;
        stage.next_request().await.reply("Aye.");
        stage.session.settle(&dm("alice")).await.unwrap();
    }
    let tail = tail_of(&mut stage, "alice", "how many messages have we exchanged?").await;
    assert!(tail.contains("Fact: Alice has written 1 message where"), "{tail}");
}

#[tokio::test(start_paused = true)]
async fn a22_what_the_program_knows_of_itself_is_told_when_asked() {
    let mut stage = Stage::new().await;
    stage.world.bot(BotState {
        model: Some("z-ai/glm-5.1".to_owned()),
        spent_usd: Some(0.5),
        cap_usd: Some(2.0),
        ..BotState::default()
    });
    let tail = tail_of(&mut stage, "alice", "how much do you cost?").await;
    assert!(tail.contains("the replies have cost $0.5000 of $2.00; $1.5000 is left"), "{tail}");
}

#[tokio::test(start_paused = true)]
async fn a25_each_place_has_the_format_it_can_show() {
    let settings =
        "default_mode = \"imitate_voice\"\ntext_lull_timeout = 0.01\n[typing_simulation]\nenabled = false\n";
    let mut stage = Stage::with(settings, MESSAGES).await;
    let asked = stage.asked("alice", "hello").await;
    let stable = &asked.request.messages[0].content;
    assert!(stable.contains("\nThe first sentence carries the point."), "{stable}");
    assert!(!tail(&asked).contains("Format:"), "it is the same every turn, so it stands where it is cached");
    stage.replied(asked, "Aye.").await;
}

#[tokio::test(start_paused = true)]
async fn a3_whoever_is_expected_is_answered_as_if_they_were_not() {
    let mut tails = Vec::new();
    for is_expected in [true, false] {
        let mut stage = Stage::new().await;
        tail_of(&mut stage, "alice", "hello").await;
        stage.clock.advance(std::time::Duration::from_secs(9 * 24 * 3600));
        if is_expected {
            stage.session.expect(&ferry(), &person("alice"));
            stage.session.fetched().await;
        }
        tails.push(tail_of(&mut stage, "alice", "hello again").await);
    }
    assert!(tails[0].contains("Alice is back after 9 days"), "{}", tails[0]);
    assert_eq!(tails[0], tails[1]);
}

#[tokio::test(start_paused = true)]
async fn a21_time_is_told_by_the_clock_of_whoever_is_answered_and_only_where_it_may_be_known() {
    let mut stage = Stage::new().await;
    let told = |tail: &str| tail.contains("For Alice it is Monday 05:00 (JST)");
    // The session forgets a wish; what is noted lasts.
    tail_of(&mut stage, "alice", "I live in Tokyo").await;
    stage.workers.idle().await;
    stage.clock.advance(std::time::Duration::from_secs(7 * 24 * 3600));
    let mut stage = stage.reopened().await;
    let tail = tail_of(&mut stage, "alice", "are you there?").await;
    assert!(told(&tail), "{tail}");
    // A clock that is named outweighs a home, also after a move.
    tail_of(&mut stage, "alice", "my time zone is UTC").await;
    stage.workers.idle().await;
    stage.clock.advance(std::time::Duration::from_secs(7 * 24 * 3600));
    let mut stage = stage.reopened().await;
    let tail = tail_of(&mut stage, "alice", "and now?").await;
    assert!(!tail.contains("For Alice it is"), "it is the clock that is told anyway: {tail}");
}

#[tokio::test(start_paused = true)]
async fn a21_a_clock_told_in_private_is_not_told_in_the_guild() {
    let mut stage = Stage::new().await;
    let alone = dm("alice");
    for (place, expected) in [(alone.clone(), None), (alone, Some(true)), (ferry(), Some(false))] {
        let text = if expected.is_none() { "I live in Tokyo" } else { "are you there?" };
        let asked = stage.asked_in(&place, "alice", text).await;
        if let Some(expected) = expected {
            assert_eq!(tail(&asked).contains("(JST)"), expected, "{}", tail(&asked));
        }
        stage.replied_in(&place, asked, "Aye.").await;
        stage.workers.idle().await;
    }
}

#[tokio::test(start_paused = true)]
async fn contradiction_22_the_time_stands_after_the_boundary_and_moves_nothing_before_it() {
    let mut stage = Stage::new().await;
    let mut blocks = Vec::new();
    for _ in 0..2 {
        let asked = stage.asked("alice", "hello").await;
        let text = tail(&asked);
        assert!(text.contains("Now:"), "{text}");
        let block = asked.request.messages[0].clone();
        assert!(block.cache_breakpoint && !block.content.contains("Now:"), "{}", block.content);
        blocks.push((block.content, text));
        stage.replied(asked, "Aye.").await;
        stage.clock.advance(std::time::Duration::from_secs(3 * 3600));
    }
    assert_eq!(blocks[0].0, blocks[1].0);
    assert_ne!(blocks[0].1, blocks[1].1);
}
