//! Expiry, the bound and the audience check.

use std::time::Duration;

use proptest::prelude::*;
use tokio::time::advance;

use super::*;
use crate::context::contribution::{Placement, TailPart};
use crate::domain::{ChannelId, GuildId, PlaceKind, Platform};

fn audience(which: u64) -> Audience {
    match which % 3 {
        0 => Audience::Guild(GuildId::from(1 + which)),
        1 => Audience::Private(ChannelId::from(1 + which)),
        _ => Audience::Dm(AccountId::discord(1 + which)),
    }
}

fn place(audience: Audience) -> Place {
    Place::new(Platform::Discord, ChannelId::from(9), PlaceKind::GuildText, audience)
}

fn piece(audience: Audience, text: &str) -> Contribution {
    Contribution { tokens: Some(7), ..Contribution::looked_up("memory", TailPart::Recalled, audience, text) }
}

fn key(audience: Audience, caller: u64, question: &str) -> WarmKey {
    WarmKey {
        visible: Visible::at(&place(audience.clone())),
        audience,
        source: "memory",
        caller: Some(AccountId::discord(caller)),
        encoding: TokenEncoding::CharsOver4,
        question: question.to_owned(),
    }
}

/// What is warm of a lighthouse for somebody in some company.
fn warm(cache: &WarmCache, company: u64, caller: u64) -> u32 {
    let place = place(audience(company));
    cache.warm_tokens("which lighthouse?", &place, Some(&AccountId::discord(caller)))
}

#[tokio::test(start_paused = true)]
async fn a6_each_lifetime_is_as_given_and_expiry_is_seen_at_reading() {
    for (lifetime, seconds) in [(Lifetime::Memory, 300), (Lifetime::Axioms, 3600)] {
        let cache = WarmCache::default();
        let here = place(audience(0));
        let key = key(audience(0), 1, "q");
        cache.put(
            cache.begin(),
            key.clone(),
            vec![piece(audience(0), "the lighthouse")],
            lifetime,
            Need::Search,
        );
        advance(Duration::from_millis(seconds * 1000 - 1)).await;
        assert!(cache.get(key.clone(), &here).is_some(), "{lifetime:?}");
        assert_eq!(warm(&cache, 0, 1), 7);
        advance(Duration::from_millis(1)).await;
        assert_eq!(warm(&cache, 0, 1), 0);
        assert!(cache.get(key.clone(), &here).is_none(), "{lifetime:?}");
        assert_eq!(cache.kept.len(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a6_the_cache_is_bounded_and_what_is_used_stays() {
    let cache = WarmCache::default();
    let here = place(audience(0));
    let words = "the lighthouse ".repeat(500);
    let put = |question: usize, need: Need| {
        let pieces = vec![piece(audience(0), &words)];
        cache.put(cache.begin(), key(audience(0), 1, &question.to_string()), pieces, Lifetime::Memory, need);
    };
    let has = |question: usize| cache.get(key(audience(0), 1, &question.to_string()), &here).is_some();
    put(0, Need::Floor);
    for question in 1..10_000 {
        put(question, Need::Search);
        assert!(has(question), "the newest is there");
        assert!(has(0), "what every turn asks for stays");
    }
    assert!(cache.kept.weight() <= BYTES_MAX);
    assert!(!(1..10_000).all(has), "others had to make room");
}

#[tokio::test(start_paused = true)]
async fn a6_searches_have_a_bound_of_their_own_and_push_nothing_else_out() {
    let cache = WarmCache::default();
    let here = place(audience(0));
    cache.put(
        cache.begin(),
        key(audience(0), 1, "card"),
        vec![piece(audience(0), "x")],
        Lifetime::Axioms,
        Need::Floor,
    );
    for number in 0..10_000 {
        let found = vec![piece(audience(0), &"the lighthouse ".repeat(500))];
        let key = key(audience(0), 1, &number.to_string());
        cache.put(cache.begin(), key, found, Lifetime::Memory, Need::Search);
    }
    assert!(cache.get(key(audience(0), 1, "card"), &here).is_some());
}

#[tokio::test(start_paused = true)]
async fn a6_only_the_floor_is_not_counted_as_warm() {
    let cache = WarmCache::default();
    cache.put(
        cache.begin(),
        key(audience(0), 1, "floor"),
        vec![piece(audience(0), "the lighthouse")],
        Lifetime::Memory,
        Need::Floor,
    );
    assert_eq!(warm(&cache, 0, 1), 0);
    cache.put(
        cache.begin(),
        key(audience(0), 1, "found"),
        vec![piece(audience(0), "the lighthouse")],
        Lifetime::Memory,
        Need::Search,
    );
    assert_eq!(warm(&cache, 0, 1), 7);
    assert_eq!(warm(&cache, 0, 2), 0, "somebody else's");
    assert_eq!(warm(&cache, 1, 1), 0, "in other company");
}

#[tokio::test(start_paused = true)]
async fn a5_only_what_is_about_the_question_is_warm_and_no_note_is() {
    let cache = WarmCache::default();
    let here = place(audience(0));
    let grouped = |text: &str| Contribution { group: Some("one".to_owned()), ..piece(audience(0), text) };
    let note = Contribution {
        placement: Placement::Tail(TailPart::People),
        ..piece(audience(0), "keeps the lighthouse lamp")
    };
    let said = vec![
        grouped("who keeps the lamp?"),
        grouped("Ansel, at the lighthouse"),
        note,
        piece(audience(0), "the ferry is late"),
        piece(audience(1), "the lighthouse lamp is a secret"),
    ];
    cache.put(cache.begin(), key(audience(0), 1, "q"), said, Lifetime::Memory, Need::Search);
    let found = |question: &str| {
        let warm = cache.about(question, &here, Some(&AccountId::discord(1)));
        warm.into_iter().map(|warm| (warm.pieces.len(), warm.share)).collect::<Vec<_>>()
    };
    assert_eq!(found("the lamp of the lighthouse"), [(2, 1.0)], "a find stays whole");
    assert_eq!(found("a lamp for my bicycle"), [(2, 0.5)]);
    assert_eq!(found("my bicycle"), []);
    assert_eq!(found("and what about it?"), []);
    cache.cool();
    assert_eq!(found("the lamp of the lighthouse"), []);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whatever is put in by whom, nothing comes out that was learnt before another audience.
    #[test]
    fn a6_nothing_is_read_in_other_company(
        puts in proptest::collection::vec((0_u64..6, 0_u64..6, 0_u64..3, 0_u8..3), 1..40),
        reads in proptest::collection::vec((0_u64..6, 0_u64..6, 0_u64..3, 0_u8..3), 1..40),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let _inside = runtime.enter();
        let cache = WarmCache::default();
        for (scope, learnt, caller, question) in puts {
            let text = format!("{learnt}");
            let key = key(audience(scope), caller, &question.to_string());
            cache.put(cache.begin(), key, vec![piece(audience(learnt), &text)], Lifetime::Memory, Need::Search);
        }
        for (scope, here, caller, question) in reads {
            let found = cache.get(key(audience(scope), caller, &question.to_string()), &place(audience(here)));
            for piece in found.iter().flat_map(|pieces| pieces.iter()) {
                prop_assert!(crate::context::may_be_used(&piece.audience, &place(audience(here))));
            }
        }
    }
}

#[test]
fn a6_what_was_read_before_something_was_taken_back_is_not_kept_after_it() {
    let cache = WarmCache::default();
    let begun = cache.begin();
    cache.forget_all();
    let said = vec![piece(audience(0), "the lighthouse")];
    cache.put(begun, key(audience(0), 1, "found"), said.clone(), Lifetime::Memory, Need::Search);
    assert_eq!(cache.kept.len(), 0, "the words may be the ones that were taken back");
    cache.put(cache.begin(), key(audience(0), 1, "found"), said, Lifetime::Memory, Need::Search);
    assert_eq!(cache.kept.len(), 1);
}
