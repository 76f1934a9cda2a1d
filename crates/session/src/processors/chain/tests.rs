use std::sync::LazyLock;

use futures::FutureExt as _;
use proptest::prelude::*;

use super::*;
use crate::domain::{ChannelMode, ModelErrorClass};
use crate::processors::testing::{Does, Models, Settings, settings, source, turn_in};

static SETTINGS: LazyLock<Settings> = LazyLock::new(|| settings(""));

fn chain(does: impl IntoIterator<Item = Does>) -> Processors {
    Processors::new(Arc::clone(&SETTINGS.live), source(&Models::that(does)))
}

fn turn(mode: ChannelMode, recast: bool) -> Arc<TurnView> {
    let mut turn = turn_in(&SETTINGS.live, mode);
    Arc::make_mut(&mut turn.channel).figures.recast = recast;
    Arc::new(turn)
}

#[tokio::test]
async fn a_contradiction_23_after_in_reverse_order_and_hidden_blocks_go_last() {
    let log = RunLog::default();
    let turn = turn(ChannelMode::ImitateVoice, true);
    let mut outlet = chain([]).outlet(&turn, &log);
    let mut said = outlet.push("<think>hm</think>Mika: So. `<thoughts>` slip `</thoughts>` Aye.");
    let end = outlet.finish().await;
    said.push_str(&end.rest);
    let words: Vec<_> = said.split_whitespace().collect();
    assert_eq!(words, ["So.", "Aye."], "what only making it speakable turned into a block goes too");
    assert_eq!(end.written.as_deref(), Some("So. `<thoughts>` slip `</thoughts>` Aye."));
    let names: Vec<_> = log.close().into_iter().map(|run| run.processor).collect();
    assert_eq!(names, ["speech form"]);
}

#[tokio::test]
async fn without_processors_a_reply_passes_as_it_comes() {
    let log = RunLog::default();
    let mut outlet = chain([]).outlet(&turn(ChannelMode::FullRp, false), &log);
    assert_eq!(outlet.push("One <pl"), "One ");
    assert_eq!(outlet.push("ans>x</plans>two"), "two");
    let end = outlet.finish().await;
    assert_eq!((end.rest.as_str(), end.written), ("", None));
    assert!(matches!(log.close()[0].status, ProcessorStatus::Skipped { .. }));
}

#[tokio::test]
async fn a_reply_that_is_recast_is_held_back_until_it_is_whole() {
    let log = RunLog::default();
    let mut outlet = chain([]).outlet(&turn(ChannelMode::FullRp, true), &log);
    assert_eq!(outlet.push("<think>hm</think>Mika: So."), "");
    assert_eq!(outlet.finish().await.rest, "So.", "too short to be worth it");
    assert!(matches!(log.close()[0].status, ProcessorStatus::Skipped { .. }));
}

proptest! {
    #[test]
    fn a_reply_streams_the_same_however_it_is_chopped_and_never_shows_a_thought(
        pieces in prop::collection::vec(
            prop_oneof![
                Just("<thoughts>SECRET</thoughts>".to_owned()), Just("<think>SECRET</think>\n".to_owned()),
                Just("Mika: ".to_owned()), Just("\nAlice: ".to_owned()), "[a-z .\n<]{0,8}",
            ],
            0..10
        ),
        cuts in prop::collection::vec(0_usize..200, 0..20)
    ) {
        let whole = pieces.concat();
        let streamed = |at: &[usize]| {
            let turn = turn(ChannelMode::FullRp, false);
            let mut outlet = chain([]).outlet(&turn, &RunLog::default());
            let mut shown: String =
                at.windows(2).map(|pair| outlet.push(&whole[pair[0]..pair[1]])).collect();
            shown.push_str(&outlet.finish().now_or_never().unwrap().rest);
            shown
        };
        let mut at: Vec<usize> = cuts.iter().map(|cut| cut % (whole.len() + 1)).collect();
        at.extend([0, whole.len()]);
        at.sort_unstable();
        let shown = streamed(&at);
        prop_assert_eq!(&shown, &streamed(&[0, whole.len()]));
        prop_assert!(!shown.contains("SECRET") && !shown.contains("Alice:"), "{}", shown);
    }
}

#[tokio::test]
async fn a_spoken_mode_is_made_speakable_without_asking_a_model() {
    let models = Models::that([]);
    let chain = Processors::new(Arc::clone(&SETTINGS.live), source(&models));
    let turn = turn(ChannelMode::ImitateVoice, true);
    let log = RunLog::default();
    let mut outlet = chain.outlet(&turn, &log);
    let mut said = outlet.push("**Well** 😀, see [this](https://a.example). Next");
    assert_eq!(said, "Well, see this.", "it streams");
    said.push_str(&outlet.push(" one."));
    said.push_str(&outlet.finish().await.rest);
    assert_eq!(said, "Well, see this. Next one.");
    let mut outlet = chain.outlet(&turn, &log);
    outlet.push("👍");
    assert_eq!(outlet.finish().await.rest, "👍", "better than nothing");
    assert!(models.asked().is_empty());
}

#[tokio::test(start_paused = true)]
async fn what_a_model_was_asked_that_did_not_answer_in_time_is_kept() {
    let log = RunLog::default();
    chain([Does::Hangs]).before(&turn(ChannelMode::FullRp, true), &log).await;
    let calls = log.take_calls();
    assert_eq!(calls.len(), 1, "{calls:?}");
    let exchange = calls[0].exchange.as_ref().unwrap();
    assert!(!exchange.asked.is_empty() && exchange.answered.is_empty(), "{exchange:?}");
    assert!(calls[0].usage.is_none() && calls[0].error.is_none(), "what it cost nobody knows: {calls:?}");
}

#[tokio::test]
async fn what_never_ended_is_named_too() {
    let chain = chain([Does::Hangs, Does::Fails(ModelErrorClass::Server)]);
    let turn = turn(ChannelMode::FullRp, true);
    let log = RunLog::default();
    assert!(chain.before(&turn, &log).now_or_never().is_none());
    assert_eq!(log.calls_begun(), 1);
    log.give_up();
    let late = log.close();
    assert_eq!((late[0].status.clone(), late[0].calls), (ProcessorStatus::Late, 1));
    assert!(chain.before(&turn, &log).now_or_never().is_some());
    assert!(matches!(log.close()[0].status, ProcessorStatus::Failed { .. }));
}
