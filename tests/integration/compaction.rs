//! Long conversations in small prompts: summaries instead of old turns, through the session and the whole pipeline.

use std::time::Duration;

use familiar_connect::domain::*;
use familiar_connect::history::{NewTurn, SummaryLevel};
use proptest::prelude::*;

use crate::support::log::Log;
use crate::support::stage::{
    APART, Asked, MESSAGES, QUICK, Stage, channel, dm, ferry, in_guild, person, said_at,
};

/// What a prompt may take in the claim of M3, in tokens.
const FOUR_K: u32 = 4_096;

/// What Alice says in the third turn.
const FACT: &str = "My sister Noor gets married on 14 June in Ghent.";

/// Small talk, with a name or a number now and then, as people do.
fn small_talk(n: usize) -> String {
    const TALK: [&str; 12] = [
        "the river is high again today",
        "did anybody see where the blue rope went?",
        "I had soup, it was fine, a bit salty maybe",
        "hm, that sounds about right",
        "we crossed with almost nobody on board this morning, quiet as a church",
        "the bell needs oil, I keep saying it",
        "who left the lamp burning all night?",
        "ha, typical",
        "there was fog till noon and then it cleared up all of a sudden",
        "can you hear the gulls from your side as well?",
        "no idea, ask the others when they are back",
        "good, then we do it like that",
    ];
    match n % 29 {
        7 => format!("Captain Brandt came by with {} crates", n % 7 + 2),
        19 => format!("the one at {}:15 was late", n % 12 + 7),
        _ => TALK[n % TALK.len()].to_owned(),
    }
}

/// Puts turns into `#ferry` without asking a model: people and the familiar in turn, the fact in the third.
async fn talked(stage: &Stage, turns: usize) {
    let start = stage.clock_now();
    let turn = |n: usize| {
        let by_familiar = n.is_multiple_of(3) && n != 3;
        let content = if n == 3 { FACT.to_owned() } else { small_talk(n) };
        let at = start + Duration::from_secs(40 * n as u64);
        let who = ["alice", "ben"][n % 2];
        NewTurn {
            role: if by_familiar { Role::Assistant } else { Role::User },
            author: (!by_familiar).then(|| person(if n == 3 { "alice" } else { who })),
            ..said_at(&ferry(), who, &content, at, MessageId::from(100_000 + n as u64))
        }
    };
    stage.history.store_all((1..=turns).map(turn).collect()).await.unwrap();
    stage.clock.advance(Duration::from_secs(40 * turns as u64 + 40));
}

/// Says something, lets everything settle behind the scenes, and gives what a second message's prompt is.
async fn prompt_after_rest(stage: &mut Stage) -> Asked {
    stage.talk("alice", "are you there?", "Where else.").await;
    stage.workers.idle().await;
    stage.says("alice", "good. and what was it about my sister?").await;
    stage.next_request().await
}

/// Ends a turn and gives its trace.
async fn finish(stage: &Stage, asked: Asked) -> std::sync::Arc<TurnTrace> {
    stage.replied(asked, "As I said.").await;
    let traces = stage.traces.whole().list(1).await.unwrap();
    traces.into_iter().next().unwrap()
}

/// A channel whose whole prompt may take the 4,096 tokens of the claim.
const SMALL: &str = "text_lull_timeout = 0.01\n[typing_simulation]\nenabled = false\n\
    [modes.text_conversation_rp]\nbudget_tokens = 4096\n";

async fn fits_four_thousand_tokens(turns: usize) {
    let mut stage = Stage::with(SMALL, MESSAGES).await;
    talked(&stage, turns).await;
    let asked = prompt_after_rest(&mut stage).await;
    let text = asked.transcript();
    assert!(text.contains("Noor") && text.contains("14 June"), "{text}");
    let remembered = stage.remembered().await;
    for (_, words) in remembered.iter().rev().take(10) {
        assert!(text.contains(words.as_str()), "{words} is not word for word in\n{text}");
    }
    let total: u32 = asked
        .request
        .messages
        .iter()
        .map(|message| familiar_connect::text::tokens::count(TokenEncoding::O200k, &message.content) + 4)
        .sum();
    assert!(total <= FOUR_K, "{total} tokens by the exact count");
    for message in &asked.request.messages {
        assert!(
            message.role != Role::System || !message.content.contains("Noor"),
            "held text in a system role"
        );
    }
    let trace = finish(&stage, asked).await;
    let figures = trace.assembly.as_ref().unwrap();
    assert!(figures.prompt_tokens <= FOUR_K, "{}", figures.prompt_tokens);
    assert!(
        figures.chunks.iter().any(|chunk| chunk.source.starts_with("summary/1-")),
        "{:#?}",
        figures.chunks
    );
    // Every turn is word for word in the prompt or under a summary in it.
    assert!(!figures.chunks.iter().any(|chunk| chunk.source.contains("not shown")), "{:#?}", figures.chunks);
}

#[tokio::test(start_paused = true)]
async fn m3_two_hundred_turns_fit_four_thousand_tokens() {
    fits_four_thousand_tokens(200).await;
}

#[tokio::test(start_paused = true)]
async fn m3_five_thousand_turns_fit_four_thousand_tokens() {
    fits_four_thousand_tokens(5_000).await;
}

/// Twenty-nine turns have been said, and a model sums up.
async fn summed_up() -> Stage {
    let stage = Stage::new().await;
    stage.models.write_summaries();
    talked(&stage, 29).await;
    stage
}

/// From now on the past is in notes alone: word for word only what is said in the mode the channel has.
fn only_what_is_new_word_for_word(stage: &Stage) {
    stage.config.set_mode(&ferry(), ChannelMode::ImitateVoice).unwrap();
}

#[tokio::test(start_paused = true)]
async fn y9_a_model_sums_up_what_is_beyond_the_last_ten_and_nobody_waits() {
    let mut stage = summed_up().await;
    stage.says("alice", "still there?").await;
    let summary = stage.models.next_summary().await;
    assert_eq!(summary.request.slot, Slot::HistorySummary);
    let material = summary.transcript();
    assert!(material.contains("Alice: My sister Noor") && material.contains("At most"), "{material}");
    assert!(!material.contains("still there?"), "the last ten stay as they are:\n{material}");
    // The summary is being written; the reply does not wait for it.
    let first = stage.next_request().await;
    assert!(first.transcript().contains(FACT));
    stage.replied(first, "I am.").await;
    summary.reply("Alice told about her sister's wedding in Ghent. Ben spoke of soup and ropes.");
    stage.workers.idle().await;
    only_what_is_new_word_for_word(&stage);
    let asked = stage.asked("alice", "good").await;
    let text = asked.transcript();
    assert!(text.contains("Alice told about her sister's wedding in Ghent."), "{text}");
    assert!(
        text.contains("Also: ") && text.contains("Noor") && text.contains("14 June"),
        "what it lost is there:\n{text}"
    );
    assert!(!text.contains(FACT), "{text}");
    let trace = finish(&stage, asked).await;
    let run = trace.background.iter().find(|run| run.worker == "crystallise").unwrap();
    assert!(run.did.starts_with("messages 1–20 ("), "{}", run.did);
    assert_eq!(run.calls.len(), 1);
    let summary = &stage.history.whole().summaries(&ferry().channel).await.unwrap()[0];
    assert!(summary.tokens <= 800 && summary.tokens <= summary.source_tokens / 10, "{summary:?}");
    let shown = familiar_connect::trace::render::markdown(&trace, familiar_connect::trace::Rights::Operator);
    assert!(shown.contains("summary/1-20 by scripted") && shown.contains("## Behind the scenes"), "{shown}");
    assert!(shown.contains("The conversation takes"), "{shown}");
}

#[tokio::test(start_paused = true)]
async fn y9_useless_answers_are_replaced_by_excerpts() {
    for useless in ["", "I'm sorry, but I cannot help with that.", "{\"error\":1}", "<think>so many messages"]
    {
        let mut stage = summed_up().await;
        stage.says("alice", "well?").await;
        stage.models.next_summary().await.reply(useless);
        stage.answers("Well.").await;
        stage.workers.idle().await;
        let chain = stage.history.whole().summaries(&ferry().channel).await.unwrap();
        assert_eq!((chain.len(), chain[0].writer.as_str()), (1, "excerpts"), "{useless:?}");
        assert!(chain[0].text.contains("Noor"), "{}", chain[0].text);
    }
}

#[tokio::test(start_paused = true)]
async fn y9_that_a_model_sums_nothing_up_is_said_with_what_to_do_and_of_a_rehearsal_it_is_not() {
    for is_rehearsal in [false, true] {
        let (log, _logged) = Log::of_this_thread();
        let mut stage = Stage::new().await;
        if !is_rehearsal {
            stage.models.write_summaries();
        }
        talked(&stage, 29).await;
        stage.says("alice", "well?").await;
        if !is_rehearsal {
            stage.models.next_summary().await.reply("");
        }
        stage.answers("Well.").await;
        stage.workers.idle().await;
        let chain = stage.history.whole().summaries(&ferry().channel).await.unwrap();
        assert_eq!(chain[0].writer, "excerpts");
        assert_eq!(log.text().contains("[llm.history_summary] model"), !is_rehearsal, "{}", log.text());
    }
}

#[tokio::test(start_paused = true)]
async fn y9_an_answer_that_is_too_long_is_cut_at_a_sentence() {
    let mut stage = summed_up().await;
    stage.says("alice", "well?").await;
    let long = "Alice and Ben spoke of the river. ".repeat(400);
    stage.models.next_summary().await.reply(&long);
    stage.answers("Well.").await;
    stage.workers.idle().await;
    let summary = stage.history.whole().summaries(&ferry().channel).await.unwrap().remove(0);
    assert!(summary.tokens <= summary.source_tokens / 10, "{summary:?}");
    let body = summary.text.split("\nAlso: ").next().unwrap();
    assert!(body.ends_with('.') && summary.text.contains("Noor"), "{}", summary.text);
}

#[tokio::test(start_paused = true)]
async fn y9_a_failing_model_is_tried_four_times_and_then_done_without() {
    let mut stage = summed_up().await;
    stage.says("alice", "well?").await;
    let first = stage.models.next_summary().await;
    stage.answers("Well.").await;
    first.fail(ModelErrorClass::Server);
    for back_off in [10, 20, 40] {
        stage.workers.idle().await;
        assert!(!stage.models.summary_is_asked().await, "it waits {back_off} s first");
        tokio::time::advance(Duration::from_secs(back_off)).await;
        stage.models.next_summary().await.fail(ModelErrorClass::Server);
    }
    stage.workers.idle().await;
    assert_eq!(stage.history.whole().summaries(&ferry().channel).await.unwrap()[0].writer, "excerpts");
    assert!(!stage.models.summary_is_asked().await);
    let mark = stage.history.watermark("crystallise", ferry().channel.as_str()).await.unwrap();
    assert!(mark.is_some(), "the mark moves on every way out");
}

#[tokio::test(start_paused = true)]
async fn y9_a_refusal_is_not_asked_for_again() {
    let mut stage = summed_up().await;
    stage.says("alice", "well?").await;
    stage.models.next_summary().await.fail(ModelErrorClass::ContentFilter);
    stage.answers("Well.").await;
    stage.workers.idle().await;
    assert_eq!(stage.history.whole().summaries(&ferry().channel).await.unwrap()[0].writer, "excerpts");
    assert!(!stage.models.summary_is_asked().await);
}

#[tokio::test(start_paused = true)]
async fn y9_words_that_change_while_they_are_summed_up_make_the_summary_worthless() {
    let mut stage = summed_up().await;
    stage.says("alice", "well?").await;
    let first = stage.models.next_summary().await;
    stage.answers("Well.").await;
    let third = MessageId::from(100_003);
    stage.deletes(&ferry(), &third).await;
    stage.settled().await;
    first.reply("Alice's sister Noor gets married in Ghent.");
    let second = stage.models.next_summary().await;
    assert!(!second.transcript().contains("Noor"), "{}", second.transcript());
    second.reply("Alice and Ben spoke of the river.");
    stage.workers.idle().await;
    let chain = stage.history.whole().summaries(&ferry().channel).await.unwrap();
    assert!(chain.len() == 1 && !chain[0].text.contains("Noor"), "{chain:?}");
}

#[tokio::test(start_paused = true)]
async fn y9_words_that_are_taken_back_do_not_live_on_in_a_summary() {
    let mut stage = Stage::new().await;
    talked(&stage, 400).await;
    let asked = prompt_after_rest(&mut stage).await;
    assert!(asked.transcript().contains("Noor"));
    finish(&stage, asked).await;
    let before = stage.history.whole().summaries(&ferry().channel).await.unwrap();
    assert!(before.iter().any(|summary| summary.level == SummaryLevel::Fold), "{before:?}");
    let third = MessageId::from(100_003);
    stage.deletes(&ferry(), &third).await;
    stage.settled().await;
    // From the same moment on, not only once it is made anew.
    for summary in stage.history.whole().summaries(&ferry().channel).await.unwrap() {
        assert!(!summary.text.contains("Noor") && !summary.text.contains("Ghent"), "{summary:?}");
    }
    let asked = prompt_after_rest(&mut stage).await;
    let text = asked.transcript();
    assert!(!text.contains("Noor") && !text.contains("Ghent"), "{text}");
    finish(&stage, asked).await;
    let after = stage.history.whole().summaries(&ferry().channel).await.unwrap();
    assert!(
        after.iter().any(|c| c.level == SummaryLevel::Fold) && after.iter().all(|c| !c.stale),
        "{after:?}"
    );
    stage.edits(&ferry(), &MessageId::from(100_007), "My daughter Ines was born on 3 March.").await;
    stage.settled().await;
    let asked = prompt_after_rest(&mut stage).await;
    let chain = stage.history.whole().summaries(&ferry().channel).await.unwrap();
    assert!(asked.transcript().contains("Ines"), "{chain:#?} {}", asked.transcript());
}

#[tokio::test(start_paused = true)]
async fn y9_a_summary_stays_the_same_bytes_until_the_next_one() {
    let mut stage = Stage::new().await;
    talked(&stage, 45).await;
    let asked = prompt_after_rest(&mut stage).await;
    finish(&stage, asked).await;
    only_what_is_new_word_for_word(&stage);
    let first = prompt_after_rest(&mut stage).await;
    let summaries = |asked: &Asked| -> Vec<String> {
        let messages = asked
            .request
            .messages
            .iter()
            .filter(|message| message.content.contains("Notes on what was said"));
        messages.map(|message| message.content.clone()).collect()
    };
    let chat_start = |asked: &Asked| {
        asked.request.messages.iter().position(|message| message.content.contains("Notes")).unwrap()
    };
    let (was, start) = (summaries(&first), chat_start(&first));
    let mut before: Vec<String> =
        first.request.messages[..start + 2].iter().map(|m| m.content.clone()).collect();
    assert!(!was.is_empty());
    finish(&stage, first).await;
    for _ in 0..4 {
        let asked = stage.asked("ben", "and now?").await;
        assert_eq!(summaries(&asked), was);
        let now: Vec<String> =
            asked.request.messages[..start + 2].iter().map(|m| m.content.clone()).collect();
        assert_eq!(now, before, "the history begins where it began");
        before = now;
        finish(&stage, asked).await;
    }
}

#[tokio::test(start_paused = true)]
async fn y9_a_stop_in_the_middle_leaves_what_there_was_and_is_made_good() {
    let mut stage = Stage::new().await;
    talked(&stage, 45).await;
    let asked = prompt_after_rest(&mut stage).await;
    finish(&stage, asked).await;
    let before = stage.history.whole().summaries(&ferry().channel).await.unwrap();
    assert!(!before.is_empty());
    stage.models.write_summaries();
    for n in 0..24 {
        stage.says_in(&ferry(), "ben", &small_talk(n), APART).await;
    }
    let started = stage.models.next_summary().await;
    stage = stage.reopened().await;
    started.abandoned().await;
    assert_eq!(stage.history.whole().summaries(&ferry().channel).await.unwrap(), before);
    only_what_is_new_word_for_word(&stage);
    let asked = prompt_after_rest(&mut stage).await;
    assert!(asked.transcript().contains("Notes on what was said"));
    let after = stage.history.whole().summaries(&ferry().channel).await.unwrap();
    assert!(after.last().unwrap().last_ordinal > before.last().unwrap().last_ordinal, "{after:?}");
}

/// A window that 20 messages fill.
const TIGHT: &str = "text_lull_timeout = 0.01\n[typing_simulation]\nenabled = false\n\
    [modes.text_conversation_rp.layers]\nrecent_history = 400\n";

#[tokio::test(start_paused = true)]
async fn y6_only_where_there_is_no_room_a_reply_waits_and_never_for_long() {
    let mut stage = Stage::with(TIGHT, MESSAGES).await;
    stage.models.write_summaries();
    for n in 0..18 {
        stage.says_in(&ferry(), "ben", &small_talk(n), APART).await;
        stage.settled().await;
    }
    // Three quarters full: a summary is begun.
    let begun = stage.models.next_summary().await;
    stage.says("alice", &"a long line about the river and the rope. ".repeat(8)).await;
    stage.stays_unasked("the reply waits for room").await;
    tokio::time::advance(Duration::from_secs(11)).await;
    stage.stays_unasked("there is still time").await;
    tokio::time::advance(Duration::from_secs(1)).await;
    let asked = stage.next_request().await;
    let trace = finish(&stage, asked).await;
    let window = trace.assembly.as_ref().unwrap().window.unwrap();
    assert!(window.verdict >= WindowVerdict::Overflow, "{window:?}");
    begun.reply("Ben spoke of the river and the rope.");
}

#[tokio::test(start_paused = true)]
async fn y9_summaries_are_composed_for_who_is_there() {
    let mut stage = Stage::new().await;
    let closed = Place { audience: Audience::Private(ChannelId::from(1_u64)), ..ferry() };
    for n in 0..45 {
        let (place, words) = if n < 25 {
            (&closed, format!("The vault code is 4711, said Orla. {n}"))
        } else {
            (&ferry(), small_talk(n))
        };
        stage.says_in(place, "ben", &words, APART).await;
    }
    let asked = prompt_after_rest(&mut stage).await;
    let chain = stage.history.whole().summaries(&ferry().channel).await.unwrap();
    assert!(
        chain.iter().any(|summary| summary.audience == closed.audience && summary.text.contains("4711")),
        "{chain:?}"
    );
    let notes =
        asked.request.messages.iter().filter(|message| message.content.contains("Notes on what was said"));
    assert!(notes.clone().all(|message| !message.content.contains("4711")), "{}", asked.transcript());
    assert!(asked.transcript().contains("earlier messages here are not shown."), "{}", asked.transcript());
    finish(&stage, asked).await;
}

#[tokio::test(start_paused = true)]
async fn meanwhile_tells_of_two_channels_of_the_same_guild_and_of_nothing_else() {
    let mut stage = Stage::new().await;
    let market = channel(2, "#market");
    let other_guild = in_guild(8, channel(3, "#elsewhere"));
    let closed = Place { audience: Audience::Private(ChannelId::from(4_u64)), ..channel(4, "#closed") };
    for (place, words) in [
        (&market, "Cara sells the red boat on Friday."),
        (&other_guild, "Dora knows a secret about Delft."),
        (&closed, "Emil knows a secret about Essen."),
        (&dm("fay"), "My secret is about Fulda."),
    ] {
        for n in 0..4 {
            stage.says_in(place, "ben", &format!("{words} {n}"), APART).await;
            if place.is_one_to_one() {
                stage.next_request().await.reply("Mm.");
            }
            stage.session.settle(place).await.unwrap();
        }
    }
    stage.clock.advance(Duration::from_secs(600));
    let asked = prompt_after_rest(&mut stage).await;
    let text = asked.transcript();
    assert!(text.contains("Meanwhile in market: “") && text.contains("Friday"), "{text}");
    for secret in ["secret", "Delft", "Essen", "Fulda"] {
        assert!(!text.contains(secret), "{secret} in\n{text}");
    }
    let place = asked.request.messages.iter().find(|message| message.content.contains("Meanwhile")).unwrap();
    assert_eq!(place.role, Role::User);
    finish(&stage, asked).await;
    // Nor does a private place hear of the guild by this way.
    stage.says_in(&dm("fay"), "fay", "what is new?", APART).await;
    let asked = stage.next_request().await;
    assert!(!asked.transcript().contains("Meanwhile"), "{}", asked.transcript());
    asked.reply("Nothing.");
}

#[tokio::test(start_paused = true)]
async fn meanwhile_stands_in_the_gaps_of_a_scene() {
    let mut stage = Stage::new().await;
    stage.config.set_mode(&ferry(), ChannelMode::FullRp).unwrap();
    let market = channel(2, "#market");
    stage.talk("alice", "I wait at the quay.", "So do I.").await;
    stage.clock.advance(Duration::from_secs(60));
    for n in 0..4 {
        stage.says_in(&market, "ben", &format!("Cara sells the red boat on Friday. {n}"), APART).await;
        stage.session.settle(&market).await.unwrap();
    }
    stage.clock.advance(Duration::from_secs(1200));
    let asked = prompt_after_rest(&mut stage).await;
    let text = asked.transcript();
    let line = text.lines().find(|line| line.contains("are you there?")).unwrap();
    assert!(line.contains("(Meanwhile in market: “") && line.contains("Friday"), "{text}");
    assert_eq!(text.matches("Meanwhile").count(), 1, "only in the gap:\n{text}");
    finish(&stage, asked).await;
}

/// Places of every sort, some of them of one guild.
fn places() -> Vec<Place> {
    let guild = |id: u64, of: u64| in_guild(of, channel(id, &format!("#c{id}")));
    let closed = |id: u64| Place {
        audience: Audience::Private(ChannelId::from(id)),
        ..channel(id, &format!("#p{id}"))
    };
    vec![guild(21, 7), guild(22, 7), guild(23, 8), guild(24, 8), closed(25), closed(26), dm("fay"), dm("gus")]
}

fn may_hear(here: &Place, source: &Place) -> bool {
    // What a whole guild can see, all of its members can, also those behind a closed door.
    let open_guild = match &source.audience {
        Audience::Guild(guild) => Some(guild),
        _ => None,
    };
    here.channel == source.channel || (open_guild.is_some() && open_guild == here.guild.as_ref())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Whoever speaks where, in whatever order: no prompt holds a word from a place whose people were not all there.
    #[test]
    fn y9_no_prompt_tells_what_was_said_where_not_everybody_here_could_hear(
        said in prop::collection::vec(0_usize..8, 20..60),
        roleplay in any::<bool>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut stage = Stage::new().await;
            let places = places();
            if roleplay {
                for place in &places {
                    stage.config.set_mode(place, ChannelMode::FullRp).unwrap();
                }
            }
            for (n, &at) in said.iter().enumerate() {
                let words = format!("Zebra{at} said we meet on {} May in Town{at}.", n % 28 + 1);
                stage.clock.advance(Duration::from_secs(200));
                stage.says_in(&places[at], "ben", &words, APART).await;
                if places[at].is_one_to_one() {
                    stage.next_request().await.reply("Mm.");
                }
                stage.session.settle(&places[at]).await.unwrap();
            }
            for (here_at, here) in places.iter().enumerate() {
                for _ in 0..2 {
                    stage.workers.idle().await;
                    let text = stage.prompt_in(here, "ben", "so?", "So.").await;
                    for (at, source) in places.iter().enumerate().filter(|(at, _)| *at != here_at) {
                        let leaks = text.contains(&format!("Zebra{at}")) || text.contains(&format!("Town{at}"));
                        assert!(!leaks || may_hear(here, source), "{at} in {here_at}:\n{text}");
                    }
                }
            }
        });
    }

    /// Whatever the sizes: every turn that stands is word for word in the prompt, under a summary, or counted as left out.
    #[test]
    fn y9_no_turn_is_lost_between_summaries_and_words(
        sizes in prop::collection::vec(1_usize..60, 1..90),
        switches in prop::collection::vec(any::<bool>(), 90),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut stage = Stage::new().await;
            for (n, size) in sizes.iter().enumerate() {
                if switches[n] && n % 17 == 0 {
                    let mode = ChannelMode::ALL[n % 3];
                    stage.config.set_mode(&ferry(), mode).unwrap();
                }
                stage.says_in(&ferry(), "ben", &format!("w{n} {}", "word ".repeat(*size)), APART).await;
            }
            stage.settled().await;
            if sizes.len() % 2 == 0 {
                stage.workers.idle().await;
            }
            let asked = stage.asked("alice", "and?").await;
            let trace = finish(&stage, asked).await;
            let chunks = &trace.assembly.as_ref().unwrap().chunks;
            let mut covered = vec![false; sizes.len() + 2];
            let mut left_out = 0;
            for chunk in chunks {
                let of = chunk.source.split('/').nth(1).unwrap_or_default();
                if chunk.source.starts_with("summary/") {
                    let (first, rest) = of.split_once('-').unwrap();
                    let last: usize = rest.split(' ').next().unwrap().parse().unwrap();
                    covered[first.parse().unwrap()..=last].fill(true);
                } else if let Ok(ordinal) = of.parse::<usize>() {
                    covered[ordinal] = true;
                } else if let Some(count) = of.strip_suffix(" not shown") {
                    left_out = count.parse().unwrap();
                }
            }
            let missing = covered[1..].iter().filter(|covered| !**covered).count();
            assert!(missing <= left_out, "{missing} turns are nowhere, {left_out} are said to be left out");
        });
    }
}

#[tokio::test(start_paused = true)]
async fn y6_in_soft_mode_the_model_says_when_and_in_auto_mode_nobody_asks_it() {
    let soft = format!("{QUICK}[providers.history]\ncompaction = \"soft\"\n");
    let mut stage = Stage::with(&soft, MESSAGES).await;
    stage.models.take_tools();
    for number in 0..18 {
        stage.talk("alice", &format!("rope {number} lies on the deck"), "Aye.").await;
    }
    stage.workers.idle().await;
    let channel = ferry().channel;
    assert!(
        stage.history.whole().summaries(&channel).await.unwrap().is_empty(),
        "36 messages, and nobody asked"
    );
    let asked = stage.asked("alice", "that was a lot").await;
    assert!(asked.request.tools.iter().any(|tool| tool.name == "make_room"), "{:?}", asked.request.tools);
    let again = stage.calls(asked, "make_room", serde_json::json!({})).await;
    let result = &again.request.rounds[0].results[0];
    assert!(!result.failed && result.content.contains("being summed up"), "{result:?}");
    stage.replied(again, "Aye, noted.").await;
    stage.workers.idle().await;
    let made = stage.history.whole().summaries(&channel).await.unwrap();
    // The reply may be stored while it is being done.
    let last = made.iter().map(|summary| summary.last_ordinal).max().unwrap();
    assert!((27..=28).contains(&last), "all but the last ten: {made:?}");

    let mut stage = Stage::with(QUICK, MESSAGES).await;
    stage.models.take_tools();
    let asked = stage.asked("alice", "hello").await;
    assert!(asked.request.tools.iter().all(|tool| tool.name != "make_room"));
    stage.replied(asked, "Aye.").await;
}
