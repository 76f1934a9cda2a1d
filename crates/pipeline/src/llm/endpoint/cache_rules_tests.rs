//! What of a prompt each provider is told to keep.

use super::*;
use crate::domain::Role;

const SONNET: &str = "anthropic/claude-sonnet-4.6";

fn minimum(model: &str) -> u32 {
    CacheRules::of(model, ServerDialect::OpenRouter).minimum
}

/// Messages of ten tokens, the stable block at `first` and the newest that comes again at `newest`.
fn plan(model: &str, first: usize, newest: usize, first_tokens: u32) -> CachePlan {
    plan_behind(model, first, newest, first_tokens, 0)
}

fn plan_behind(model: &str, first: usize, newest: usize, first_tokens: u32, tools: u32) -> CachePlan {
    let messages: Vec<ChatMessage> = (0..newest + 3)
        .map(|at| ChatMessage {
            cache_breakpoint: at == first || at == newest,
            ..ChatMessage::new(Role::User, "x")
        })
        .collect();
    let tokens: Vec<u32> =
        (0..messages.len()).map(|at| if at == first { first_tokens } else { 10 }).collect();
    CacheRules::of(model, ServerDialect::OpenRouter).plan(&messages, &sizes(&tokens, tools))
}

fn sizes(messages: &[u32], before: u32) -> PromptSizes<'_> {
    PromptSizes { messages, before, ratio: 1.0 }
}

#[test]
fn every_model_has_the_minimum_of_its_line() {
    for (tokens, models) in [
        (
            4_096,
            &["claude-opus-4.5", "claude-opus-4.8", "claude-opus-4-7", "claude-haiku-4.5", "claude-next"][..],
        ),
        (
            2_048,
            &["claude-3.5-haiku", "claude-3-haiku", "claude-3-5-haiku-20241022", "claude-3.5-haiku:beta"],
        ),
        (1_024, &["claude-sonnet-4", "claude-sonnet-4.5", "claude-sonnet-4.6", "claude-sonnet-4-20250514"]),
        (1_024, &["claude-opus-4", "claude-opus-4.1", "claude-opus-4-1", "claude-3.7-sonnet:thinking"]),
    ] {
        for model in models {
            assert_eq!(minimum(&format!("anthropic/{model}")), tokens, "{model}");
        }
    }
    assert_eq!(minimum("google/gemini-3-flash-preview"), 1_024);
    assert_eq!(minimum("google/gemini-2.5-pro"), 4_096);
    assert_eq!(minimum("openai/gpt-5-mini"), 1_024);
}

#[test]
fn keys_go_only_where_they_are_known() {
    let keys = |model, dialect| {
        let rules = CacheRules::of(model, dialect);
        (rules.takes_session, rules.takes_cache_key)
    };
    assert_eq!(keys("openai/gpt-5", ServerDialect::OpenRouter), (true, true));
    assert_eq!(keys(SONNET, ServerDialect::OpenRouter), (true, false));
    assert_eq!(keys("gpt-5", ServerDialect::OpenAi), (false, true));
    assert_eq!(keys("openai/gpt-5", ServerDialect::Compatible), (false, false));
    assert_eq!(keys("gpt-oss", ServerDialect::Local), (false, false));
}

#[test]
fn a_short_conversation_marks_its_stable_block_and_its_newest_message() {
    assert_eq!(plan(SONNET, 0, 5, 1_100).marked, [0, 5]);
    assert_eq!(plan(SONNET, 0, 0, 1_100).marked, [0]);
}

#[test]
fn nothing_is_marked_that_is_too_short_to_be_kept() {
    let short = plan(SONNET, 0, 2, 1_000);
    assert!(short.marked.is_empty());
    let figures = short.figures.unwrap();
    assert_eq!((figures.repeatable_tokens, figures.minimum_tokens), (1_020, 1_024));
    assert_eq!(
        plan(SONNET, 0, 3, 1_000).marked,
        [3],
        "the block alone is too short, with the chat it is not"
    );
    assert_eq!(plan_behind(SONNET, 0, 2, 1_000, 50).marked, [0, 2], "tools stand in front and count");
    assert!(plan("anthropic/claude-haiku-4.5", 0, 9, 4_000).marked.is_empty());
}

#[test]
fn a_long_conversation_is_found_again_however_much_is_said_in_between() {
    let earlier = plan(SONNET, 0, 100, 2_000).marked;
    for said in 1..=3 * LOOKBACK {
        let later = plan(SONNET, 0, 100 + said, 2_000).marked;
        assert!(later.len() <= MOST_MARKERS);
        let found = later.iter().any(|at| (at.saturating_sub(LOOKBACK)..=*at).contains(&earlier[3]));
        assert!(found, "{said} messages later: {later:?} do not find {earlier:?}");
    }
}

#[test]
fn a_marker_that_is_only_found_where_it_stood_rests() {
    let at = |newest| plan("google/gemini-2.5-flash", 1, newest, 2_000).marked;
    assert_eq!(at(3), [1]);
    assert_eq!(at(16), [1]);
    assert_eq!(at(17), [17]);
    assert_eq!(at(32), [17]);
    assert!(plan("google/gemini-2.5-pro", 1, 40, 2_000).marked.is_empty());
}

#[test]
fn who_caches_by_itself_gets_no_markers_and_the_trace_says_so() {
    for model in
        ["openai/gpt-5", "deepseek/deepseek-v3.2", "x-ai/grok-4", "moonshotai/kimi-k2", "z-ai/glm-5.1"]
    {
        let plan = plan(model, 0, 5, 9_000);
        assert!(plan.marked.is_empty(), "{model}");
        assert_eq!(plan.figures.unwrap().by, CachedBy::Itself, "{model}");
    }
    assert_eq!(plan("mistralai/mistral-small-2603", 0, 5, 9_000), CachePlan::default());
    let local = CacheRules::of(SONNET, ServerDialect::Local);
    let marked = ChatMessage { cache_breakpoint: true, ..ChatMessage::new(Role::System, "x") };
    assert_eq!(local.plan(&[marked], &sizes(&[90_000], 0)), CachePlan::default());
}

#[test]
fn a_message_without_words_is_not_marked() {
    let empty = ChatMessage { cache_breakpoint: true, ..ChatMessage::new(Role::System, "") };
    let rules = CacheRules::of(SONNET, ServerDialect::OpenRouter);
    assert!(rules.plan(&[empty], &sizes(&[5_000], 0)).marked.is_empty());
}

#[test]
fn tokens_are_the_models_own() {
    let rules = CacheRules::of(SONNET, ServerDialect::OpenRouter);
    let marked = [ChatMessage { cache_breakpoint: true, ..ChatMessage::new(Role::System, "x") }];
    let plan = |ratio| rules.plan(&marked, &PromptSizes { messages: &[1_000], before: 0, ratio });
    assert!(plan(1.0).marked.is_empty());
    assert_eq!(plan(1.1).figures.unwrap().marked, [1_100]);
    assert_eq!(plan(0.999_999_9).figures.unwrap().repeatable_tokens, 1_000);
}
