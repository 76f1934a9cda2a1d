//! What goes over the wire, held against every provider's cache rules: conversations through the whole program, per
//! family, mode and layout (memory 3.1 and its goal "provider-rule conformance").

mod validator;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use familiar_connect::domain::*;
use familiar_connect::trace::{Rights, render};
use futures::future::join_all;
use serde_json::json;

use crate::support::provider::cache_rules::{Family, ProviderCache, Recorded, Served, broken};
use crate::support::provider::{ChatRequest, ProviderWorld, Reply};
use crate::support::stage::{CARD, Stage, UNADDRESSED, ferry, is_late};

const SONNET: &str = "anthropic/claude-sonnet-4.6";
const HAIKU: &str = "anthropic/claude-haiku-4.5";
const GEMINI: &str = "google/gemini-3-flash-preview";
const OPENAI: &str = "openai/gpt-4o-mini";
const DEEPSEEK: &str = "deepseek/deepseek-v3.2";
const OWN: &str = "own-model";

/// Who caches by itself and takes no marker (memory 3.1), besides OpenAI and DeepSeek: the rule is one for all.
const BY_ITSELF: [&str; 4] =
    ["x-ai/grok-4.1-fast", "moonshotai/kimi-k2.5", "groq/llama-4-scout", "z-ai/glm-5.1"];

/// Turns of one conversation whose history is cut for its length, of one that is cut for the crowd, and of one that is not.
const TURNS: usize = 60;
const MIDDLING: usize = CROWD + 5;
const SHORT: usize = 8;

/// The turn before which a whole crowd talks.
const CROWD: usize = 33;

/// Temperatures tell the jobs apart on the wire.
const MAIN: f64 = 0.7;
const STYLE: f64 = 0.5;
const THINKING: f64 = 0.3;
const SUMMARIES: f64 = 0.4;

const LINES: [&str; 9] = [
    "The rope on the second bollard is frayed again, somebody should look at it before the storm.",
    "Did the late boat bring the crates from Varn? I was promised two of them last week.",
    "I had soup. It was mostly water, but it was warm.",
    "My cousin swears the lighthouse blinked twice last night, and nobody was in it.",
    "Could you keep a seat for me on the last crossing? I will be late, and I will be wet.",
    "No.",
    "They want to move the landing stage to the north shore, where the current is worse in spring and the road is not \
     even paved, and then they wonder why the fishermen laugh at them.",
    "What do you say when somebody offers you tea at this hour?",
    "Bring the lantern, please, the small one with the dent.",
];

/// A conversation to play.
#[derive(Debug, Clone, Copy)]
struct Play {
    model: &'static str,
    mode: ChannelMode,
    layout: &'static str,
    system_messages: &'static str,
    /// Words of the card's description beside its own.
    card_words: usize,
    turns: usize,
}

impl Play {
    fn layered(model: &'static str, mode: ChannelMode, card_words: usize) -> Self {
        Self { model, mode, layout: "layered", system_messages: "separate", card_words, turns: TURNS }
    }

    fn card(&self) -> String {
        let mut card: serde_json::Value = serde_json::from_str(CARD).unwrap();
        let mut description = card["data"]["description"].as_str().unwrap().to_owned();
        for word in 0..self.card_words {
            description
                .push_str([" ferry", " tide", " lantern", " rope", " dry", " river", " toll"][word * 5 % 7]);
        }
        card["data"]["description"] = description.into();
        card.to_string()
    }

    fn settings(&self, base_url: &str) -> String {
        let Self { model, mode, layout, system_messages, .. } = self;
        let slots: String =
            Slot::ALL.iter().map(|slot| format!("[llm.{slot}]\nmodel = \"{model}\"\n")).collect();
        let worth_it: String = ["1_2", "3_4"]
            .iter()
            .map(|effort| format!("[plan.text.effort_{effort}]\nstepped_thinking = true\nrecast = true\n"))
            .collect();
        format!(
            "default_mode = \"{mode}\"\ntext_lull_timeout = 600\n[llm]\nbase_url = \"{base_url}\"\n{slots}[render]\n\
             mode = \"{layout}\"\nsystem_messages = \"{system_messages}\"\n[typing_simulation]\nenabled = false\n\
             [memory_writer]\nturn_threshold = 10000\n{worth_it}"
        )
    }
}

/// What one conversation came to.
struct Played {
    play: Play,
    /// The requests for the reply, in order, with what the provider's cache made of them.
    main: Vec<(Recorded, Served)>,
    /// Those of every side job.
    thinking: Vec<Recorded>,
    style: Vec<Recorded>,
    summaries: Vec<Recorded>,
    traces: Vec<Arc<TurnTrace>>,
}

/// The provider: answers every job, keeps a cache, reports what it made of it.
#[derive(Default)]
struct Upstream {
    cache: ProviderCache,
    main: Vec<(Recorded, Served)>,
    replies: usize,
}

impl Upstream {
    fn answer(&mut self, request: &ChatRequest) -> Reply {
        let job = request.body["temperature"].as_f64().unwrap();
        let recorded = Recorded::new(request.clone());
        let served = self.cache.serve(&recorded);
        let usage = json!({
            "prompt_tokens": served.prompt, "completion_tokens": 30, "cost": 0.001,
            "prompt_tokens_details": {"cached_tokens": served.cached, "cache_write_tokens": served.written},
            "cache_discount": f64::from(served.cached) * 0.000_002,
        });
        if job != MAIN {
            let words = if job == THINKING {
                "<thoughts>\n- They want to be seen.\n</thoughts>\n<plans>\n1. Look up.\n</plans>"
            } else {
                "Alice, Ben and Carol talked of ropes, crates from Varn and the last crossing."
            };
            return Reply::stream().text(words).finish_with("stop", &usage);
        }
        self.main.push((recorded, served));
        let has_searched = request.messages().last().is_some_and(|message| message["role"] == "tool");
        if request.body.get("tools").is_some() && !has_searched && self.replies % 6 == 4 {
            let call = json!({"index": 0, "id": format!("call{}", self.replies), "type": "function",
                "function": {"name": "memory_search", "arguments": "{\"query\": \"crates from Varn\"}"}});
            return Reply::stream()
                .delta(&json!({"role": "assistant", "tool_calls": [call]}))
                .finish_with("tool_calls", &usage);
        }
        self.replies += 1;
        let line = LINES[self.replies * 4 % LINES.len()];
        let words = format!(
            "She coils the rope, turn by turn. \"{line}\" she says, for the {}th time.",
            self.replies
        );
        Reply::stream().text(&words).finish_with("stop", &usage)
    }
}

async fn perform(play: Play) -> Played {
    let world = ProviderWorld::start().await;
    let upstream = Arc::new(Mutex::new(Upstream::default()));
    let answering = Arc::clone(&upstream);
    world.answers(move |request| answering.lock().unwrap().answer(request));
    let base_url = if play.model == OWN { world.base_url() } else { world.openrouter_url() };
    let mut stage = Stage::wired(&play.settings(&base_url), &play.card()).await;
    let mut said = 0;
    for turn in 0..play.turns {
        let others = if turn == CROWD { 30 } else { [0, 0, 1, 2, 0, 3, 0, 1][turn % 8] };
        for other in 0..others {
            said += 1;
            let who = ["ben", "carol", "dora"][other % 3];
            let line = format!("{} ({said})", LINES[said * 7 % LINES.len()]);
            stage.says_in(&ferry(), who, &line, UNADDRESSED).await;
        }
        said += 1;
        stage
            .says(["alice", "ben"][turn % 2], &format!("Mika, {} ({said})", LINES[said * 5 % LINES.len()]))
            .await;
        stage.settled().await;
        stage.workers.idle().await;
    }
    let mut traces = stage.traces.whole().list(1000).await.unwrap();
    traces.sort_by_key(|trace| trace.id);
    let replied = |trace: &&Arc<TurnTrace>| matches!(trace.outcome, Outcome::Replied { .. });
    assert!(traces.iter().filter(replied).count() >= play.turns, "{play:?}");
    let requests = world.requests();
    let of = |job: f64| -> Vec<Recorded> {
        let asked = requests.iter().filter(|request| request.body["temperature"] == job);
        asked.map(|request| Recorded::new(request.clone())).collect()
    };
    let mut main = std::mem::take(&mut upstream.lock().unwrap().main);
    declare_cuts(&mut main, &traces);
    Played { play, main, thinking: of(THINKING), style: of(STYLE), summaries: of(SUMMARIES), traces }
}

/// Which requests follow a cut is said by the traces: their history begins elsewhere, or they have other summaries.
fn declare_cuts(main: &mut [(Recorded, Served)], traces: &[Arc<TurnTrace>]) {
    let mut before = None;
    for (recorded, _) in main {
        let words = || {
            let blocks = recorded.blocks.iter().filter(|block| block.role != "tool");
            blocks.map(|block| &block.words)
        };
        let sent = |trace: &&Arc<TurnTrace>| {
            let messages = trace.request.iter().map(|message| &message.content);
            !trace.request.is_empty()
                && words().count() >= messages.len()
                && messages.zip(words()).all(|(a, b)| a == b)
        };
        let trace = traces.iter().rev().find(sent).expect("every request has its trace");
        let now = epoch(trace);
        recorded.cut = before.replace(now.clone()).is_some_and(|before| before != now);
    }
}

/// Where the history begins, what summaries there are, how many examples of the card have not made room for talk, and who
/// did not answer in time (a busy machine).
type Epoch = (Option<u64>, BTreeSet<String>, usize, BTreeSet<String>);

fn epoch(trace: &TurnTrace) -> Epoch {
    let assembly = trace.assembly.as_ref().unwrap();
    let kept = || assembly.chunks.iter().filter(|chunk| chunk.fate == ChunkFate::Kept);
    let ordinal = |chunk: &ChunkRecord| chunk.source.strip_prefix("history/")?.parse().ok();
    let summaries = kept().map(|chunk| chunk.source.clone()).filter(|source| source.starts_with("summary/"));
    let is_missing =
        |one: &&ProviderOutcome| is_late(one) || matches!(one.status, ProviderStatus::Failed { .. });
    let missing = assembly.providers.iter().filter(is_missing);
    (
        kept().filter_map(ordinal).min(),
        summaries.collect(),
        kept().filter(|chunk| chunk.source == "character/mes_example").count(),
        missing.map(|provider| provider.provider.clone()).collect(),
    )
}

/// Holds a conversation against the rules.
fn check(played: &Played) {
    let play = played.play;
    let private = ["mika", "ferry", "Harbour", "alice"];
    let volatile = ["Stay on the ferry."];
    let main: Vec<Recorded> = played.main.iter().map(|(recorded, _)| recorded.clone()).collect();
    for jobs in [&main, &played.thinking, &played.style, &played.summaries] {
        let broken = broken(jobs, &volatile, &private);
        assert!(
            broken.is_empty(),
            "{play:?}: {} rules broken: {:#?}",
            broken.len(),
            &broken[..broken.len().min(5)]
        );
    }
    let all = [&main, &played.thinking, &played.style, &played.summaries];
    let keys: BTreeSet<String> = all
        .iter()
        .flat_map(|jobs| jobs.iter())
        .map(|one| one.request.body["session_id"].to_string())
        .collect();
    assert_eq!(keys.len(), 1, "{play:?}: one conversation, one key, whatever the job: {keys:?}");
    // GLM thinks by itself.
    let is_without = play.mode == ChannelMode::ImitateVoice || play.model.starts_with("z-ai/");
    assert_eq!(played.thinking.is_empty(), is_without, "{play:?}");
    hits(played);
}

/// Without a cut the provider finds what it was told to keep.
fn hits(played: &Played) {
    for (before, now) in played.main.iter().zip(&played.main[1..]) {
        if now.0.cut {
            continue;
        }
        let (was, is) = (before.0.newest(), now.0.newest());
        match (Family::of(&now.0.request), was, is) {
            (Family::Anthropic, Some(was), _) => {
                assert!(now.1.cached >= now.0.up_to(was), "{:?}: {:?}", played.play, now.1);
            }
            (Family::Gemini, Some(was), Some(is)) if was == is => {
                assert_eq!((now.1.cached, now.1.written), (now.0.up_to(is), 0), "{:?}", played.play);
            }
            (Family::OpenAi | Family::Automatic, _, _) => {
                let common = before.0.common(&now.0).checked_sub(1).map_or(0, |last| now.0.up_to(last));
                let minimum = Family::of(&now.0.request).minimum(played.play.model);
                assert!(
                    common < minimum || now.1.cached >= common,
                    "{:?}: {:?} of {common}",
                    played.play,
                    now.1
                );
            }
            _ => {}
        }
    }
}

/// The share of all prompt tokens that came from the cache.
fn share(played: &Played) -> f64 {
    let sum =
        |of: fn(&Served) -> u32| played.main.iter().map(|(_, served)| f64::from(of(served))).sum::<f64>();
    sum(|served| served.cached) / sum(|served| served.prompt)
}

/// Performs them at once, since most of a conversation's time is waiting, and holds each against the rules.
async fn perform_all(plays: impl IntoIterator<Item = Play>) -> Vec<Played> {
    let all = join_all(plays.into_iter().map(perform)).await;
    for played in &all {
        println!("{:?}: {:.3} of the prompt cached", played.play, share(played));
        check(played);
    }
    all
}

async fn every_mode(model: &'static str, turns: usize, small: usize, large: usize) -> Vec<Played> {
    let modes = [
        (ChannelMode::FullRp, large),
        (ChannelMode::TextConversationRp, small),
        (ChannelMode::ImitateVoice, large),
    ];
    perform_all(modes.map(|(mode, card_words)| Play { turns, ..Play::layered(model, mode, card_words) }))
        .await
}

fn marks(played: &Played) -> usize {
    played
        .main
        .iter()
        .flat_map(|(recorded, _)| &recorded.blocks)
        .filter(|block| block.marked.is_some())
        .count()
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_3_1_claude_is_marked_by_its_rules_in_every_mode() {
    let all = every_mode(SONNET, TURNS, 0, 1_200).await;
    assert!(all.iter().all(|played| marks(played) > 0));
    assert!(all.iter().any(|played| played.main.iter().any(|(one, _)| one.cut)), "the history was cut");
    assert!(all.iter().flat_map(|played| &played.traces).any(|trace| !trace.processing.rounds.is_empty()));
    assert!(!all[0].style.is_empty(), "novel style is polished");
    assert!(all.iter().any(|played| !played.summaries.is_empty()));
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_3_1_a_larger_minimum_is_kept_and_the_x_ray_says_what_is_missing() {
    let all = every_mode(HAIKU, MIDDLING, 0, 2_200).await;
    assert!(marks(&all[0]) > 0, "a large card with its history is long enough");
    let first = render::markdown(&all[1].traces[0], Rights::Operator);
    let line = first.lines().find(|line| line.starts_with("Cache of `main_prose`: not cached")).unwrap();
    assert!(line.contains(" of 4,096 tokens needed"), "{line}");
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_3_1_gemini_gets_one_resting_marker_and_its_tail_from_a_person() {
    let all = every_mode(GEMINI, TURNS, 0, 1_200).await;
    assert!(all.iter().all(|played| marks(played) > 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_3_1_openai_gets_a_key_and_no_markers() {
    every_mode(OPENAI, MIDDLING, 0, 1_200).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_3_1_who_caches_by_itself_gets_no_markers() {
    let mut all = every_mode(DEEPSEEK, MIDDLING, 0, 1_200).await;
    let short = |model| Play { turns: SHORT, ..Play::layered(model, ChannelMode::FullRp, 1_200) };
    all.extend(perform_all(BY_ITSELF.map(short)).await);
    for played in all {
        assert_eq!(marks(&played), 0, "{:?}", played.play);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_3_1_a_server_of_ones_own_gets_nothing_it_does_not_know() {
    let all = every_mode(OWN, MIDDLING, 0, 1_200).await;
    assert!(
        all.iter()
            .flat_map(|played| &played.traces)
            .flat_map(|trace| &trace.calls)
            .all(|call| call.cache.is_none())
    );
}

async fn every_family(layout: &'static str, system_messages: &'static str, mode: ChannelMode) {
    let long = [(SONNET, MIDDLING), (GEMINI, MIDDLING)];
    let short = [HAIKU, OPENAI, OWN, DEEPSEEK].map(|model| (model, SHORT));
    let play = |(model, turns)| Play { model, mode, layout, system_messages, card_words: 1_200, turns };
    perform_all(long.into_iter().chain(short).map(play)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_3_1_sillytaverns_order_keeps_the_rules() {
    every_family("st", "separate", ChannelMode::FullRp).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_3_1_one_merged_system_message_keeps_the_rules() {
    every_family("layered", "merged", ChannelMode::TextConversationRp).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_3_1_sillytaverns_order_merged_keeps_the_rules() {
    every_family("st", "merged", ChannelMode::TextConversationRp).await;
}

#[tokio::test]
async fn memory_3_1_a_card_that_reads_the_clock_is_not_marked_and_the_x_ray_says_so() {
    let world = ProviderWorld::start().await;
    let play = Play::layered(SONNET, ChannelMode::TextConversationRp, 1_200);
    let card = play.card().replace("keeps the night ferry", "looks at the clock ({{time}})");
    let mut stage = Stage::wired(&play.settings(&world.openrouter_url()), &card).await;
    for line in 0..3 {
        stage.says("alice", &format!("Mika, what time is it? ({line})")).await;
        stage.settled().await;
    }
    let requests = world.requests();
    assert!(requests.len() >= 3);
    let markers = |request: &ChatRequest| request.body["messages"].to_string().contains("cache_control");
    let mut main = requests.iter().filter(|request| request.body["temperature"] == MAIN);
    assert!(!main.any(markers));
    let trace = stage.traces.whole().latest(None).await.unwrap().unwrap();
    let note = "the character or the mode reads the time or throws dice at the beginning of the prompt, so nothing of it \
                is cached";
    assert!(render::markdown(&trace, Rights::Operator).contains(note));
}
