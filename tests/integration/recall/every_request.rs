//! What was said before few reaches no request that is made for the many, whatever model it is for, and nothing else
//! that is read by people: random talk over the wire, with models that repeat whatever they are shown
//! (contradiction 8); and each request for an answer says what holds where people of any age read.

use std::collections::BTreeSet;

use familiar_connect::archive::{Span, export};
use familiar_connect::config::PromptName;
use familiar_connect::domain::*;
use familiar_connect::trace::{Rights, render};
use proptest::prelude::*;

use super::leaks::{marked, may_see, places};
use crate::support::log::Log;
use crate::support::provider::{ChatRequest, ProviderWorld, Reply};
use crate::support::stage::{CALLED, CARD, Stage};

/// What is done before the reply besides gathering: only one of the two ever is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    Thinking,
    LookingAtFinds,
}

/// Whose requests are made at any time, for whatever place.
const BEHIND_THE_SCENES: [&str; 2] = ["fake/history_summary", "fake/memory_writer"];

/// Each slot has a model of its own name, so that jobs are told apart on the wire.
fn settings(base_url: &str, before: Before) -> String {
    let slots: String = Slot::ALL
        .iter()
        .map(|slot| format!("[llm.{slot}]\nmodel = \"fake/{slot}\"\nfallbacks = []\n"))
        .collect();
    let (thinks, looks) = (before == Before::Thinking, before == Before::LookingAtFinds);
    let plan: String = ["1_2", "3_4", "5_6", "7_8", "9_10"]
        .iter()
        .map(|effort| {
            format!(
                "[plan.text.effort_{effort}]\nstepped_thinking = {thinks}\nrecast = true\nsearches_scale = 4.0\n\
                 found_tokens = 600\ndeadline = 30\n"
            )
        })
        .collect();
    format!(
        "default_mode = \"full_rp\"\ntext_lull_timeout = 600\n[llm]\nbase_url = \"{base_url}\"\n{slots}\
         [typing_simulation]\nenabled = false\n[memory_writer]\nturn_threshold = 4\n\
         [providers.recall]\nfilter = {looks}\n\
         [modes.full_rp.layers]\nrecent_history = 120\n{plan}"
    )
}

/// Models that keep nothing to themselves: whatever marked word they see stands in what they say.
fn repeats(request: &ChatRequest) -> Reply {
    let seen: BTreeSet<usize> = marked(&request.prompt()).into_iter().collect();
    let seen: String = seen.iter().map(|mark| format!("secretword{mark} ")).collect();
    Reply::says(&match request.model() {
        "fake/reasoning_context" => {
            format!("<thoughts>\n- They hide {seen}.\n</thoughts>\n<plans>\n1. Tell of {seen}.\n</plans>")
        }
        "fake/memory_writer" => {
            format!("{{\"do\":\"topic\",\"name\":\"the treasure\",\"text\":\"It is {seen}.\",\"from\":[1]}}")
        }
        "fake/memory_search" => format!("[1] The treasure is {seen}.\nANSWER: It is {seen}."),
        _ => format!(
            "She coils the rope, turn by turn, looks over to the other bank and tells of {seen} at last."
        ),
    })
}

/// The place where a mark was learnt, and whether a request for a place may hold it.
fn check(learnt: &[Audience], text: &str, here: &Place, what: &str) {
    for mark in marked(text) {
        let audience = &learnt[mark];
        assert!(
            may_see(audience, here),
            "secretword{mark} of {audience} in {what} for {}:\n{text}",
            here.audience
        );
    }
}

async fn plays(sayings: Vec<(usize, usize)>, before: Before) -> BTreeSet<String> {
    let (log, _logged) = Log::of_this_thread();
    let world = ProviderWorld::start().await;
    world.answers(repeats);
    let mut stage = Stage::wired(&settings(&world.openrouter_url(), before), CARD).await;
    let places = places();
    let key = format!("ghp_{}", "aB3dE6gH9".repeat(4));
    let mut learnt: Vec<Audience> = Vec::new();
    let mut models = BTreeSet::new();
    let mut looked = 0;
    for (place, who) in &sayings {
        let here = &places[*place];
        let mark = learnt.len();
        learnt.push(here.audience.clone());
        let text = format!(
            "the treasure secretword{mark} lies near the old lighthouse, {key}, so tell me everything about it?"
        );
        stage.says_in(here, ["alice", "ben", "cleo"][*who], &text, CALLED).await;
        stage.settled_in(here).await;
        // Who reads the record of a turn sees no more than the place did.
        let trace = stage.traces.whole().latest(Some(&here.channel)).await.unwrap().unwrap();
        check(&learnt, &render::markdown(&trace, Rights::Person), here, "the record");
        stage.workers.idle().await;
        let requests = world.requests();
        for request in &requests[looked..] {
            models.insert(request.model().to_owned());
            let prompt = request.prompt();
            let said_now = usize::from(request.model() == "fake/main_prose");
            assert!(prompt.matches(&key).count() <= said_now, "{} is sent a key:\n{prompt}", request.model());
            if request.model() == "fake/main_prose" {
                let is_told = prompt.contains(PromptName::OpenPlace.built_in().split(':').next().unwrap());
                assert_eq!(is_told, !here.audience.is_age_restricted(), "in {}:\n{prompt}", here.audience);
            }
            if !BEHIND_THE_SCENES.contains(&request.model()) {
                check(&learnt, &prompt, here, request.model());
                continue;
            }
            // What is made behind the scenes is for some circle that could see all of it.
            let marks = marked(&prompt);
            let fits = |place: &&Place| marks.iter().all(|mark| may_see(&learnt[*mark], place));
            assert!(places.iter().any(|place| fits(&place)), "{}:\n{prompt}", request.model());
        }
        looked = requests.len();
    }
    let mut exported = Vec::new();
    export(&stage.history, &stage.memory, Span::Everything, &mut exported).await.unwrap();
    let exported = String::from_utf8(exported).unwrap();
    let mut told = 0;
    for line in exported.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()) {
        // A line is what it tells of, by its kind.
        let Some(of) = line.as_object().and_then(|line| line.values().find(|of| of["audience"].is_array()))
        else {
            continue;
        };
        let parts: Vec<&str> =
            of["audience"].as_array().unwrap().iter().filter_map(|part| part.as_str()).collect();
        let audience: Audience = parts.join(":").trim_end_matches(':').parse().unwrap();
        let place = places.iter().find(|place| place.audience == audience).unwrap();
        told += marked(&line.to_string()).len();
        check(&learnt, &line.to_string(), place, "the export");
    }
    assert!(told >= learnt.len(), "every message is exported with its audience: {told}");
    let logged = log.text();
    assert!(logged.contains("DEBUG") || logged.contains("INFO"), "nothing was logged");
    assert!(marked(&logged).is_empty() && !logged.contains(&key), "words in the log:\n{logged}");
    models
}

fn play(sayings: Vec<(usize, usize)>, before: Before) -> BTreeSet<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(plays(sayings, before))
}

/// A channel that was closed is opened, closed again and opened again.
#[test]
fn contradiction_8_a_thought_of_what_was_said_behind_closed_doors_stays_there() {
    let (open, closed) = (0, 1);
    let sayings = [closed, closed, open, open, closed, open].map(|place| (place, 0));
    let models = play(sayings.to_vec(), Before::Thinking);
    assert!(models.contains("fake/reasoning_context"), "{models:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2, max_shrink_iters: 8, ..ProptestConfig::default() })]

    #[test]
    fn contradiction_8_no_request_of_any_slot_holds_what_not_everybody_there_could_see(
        sayings in prop::collection::vec((0..8usize, 0..3usize), 36..40),
    ) {
        let mut models = play(sayings.clone(), Before::Thinking);
        models.extend(play(sayings, Before::LookingAtFinds));
        for slot in ["main_prose", "reasoning_context", "post_process_style", "history_summary", "memory_writer",
            "memory_search"] {
            prop_assert!(models.contains(&format!("fake/{slot}")), "{} was not asked: {:?}", slot, models);
        }
    }
}
