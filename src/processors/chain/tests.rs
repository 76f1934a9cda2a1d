use std::sync::{LazyLock, Mutex};

use async_trait::async_trait;
use futures::FutureExt as _;
use proptest::prelude::*;

use super::*;
use crate::domain::{Audience, ChannelMode, ModelErrorClass};
use crate::processors::testing::{Does, Models, settings, source, turn_in};
use crate::processors::{Running, SentenceWork, Trouble, WholeWork, Work};

type Diary = Arc<Mutex<Vec<&'static str>>>;

/// Writes down that it ran, and gives what it is told to.
#[derive(Debug, Clone)]
struct Step {
    name: &'static str,
    diary: Diary,
    gives: Result<&'static str, Trouble>,
}

#[async_trait]
impl PreProcessor for Step {
    fn name(&self) -> &'static str {
        self.name
    }

    fn skips(&self, _: &TurnView) -> Option<String> {
        None
    }

    async fn notes(&self, _: &TurnView, _: &Running) -> Result<Vec<Note>, Trouble> {
        self.diary.lock().unwrap().push(self.name);
        self.gives
            .clone()
            .map(|text| vec![Note { earlier: None, text: text.to_owned(), audience: Audience::Canon }])
    }
}

impl PostProcessor for Step {
    fn name(&self) -> &'static str {
        self.name
    }

    fn begin(&self, _: &Arc<TurnView>) -> Work {
        Work::Whole(Box::new(self.clone()))
    }
}

#[async_trait]
impl WholeWork for Step {
    async fn rewrite(self: Box<Self>, text: String, _: &RunLog) -> String {
        self.diary.lock().unwrap().push(self.name);
        format!("{text}{}", self.gives.unwrap())
    }
}

/// Writes every sentence in capitals.
#[derive(Debug)]
struct Loud;

impl PostProcessor for Loud {
    fn name(&self) -> &'static str {
        "loud"
    }

    fn begin(&self, _: &Arc<TurnView>) -> Work {
        Work::Sentences(Box::new(Self))
    }
}

impl SentenceWork for Loud {
    fn sentence(&mut self, sentence: &str) -> String {
        sentence.to_uppercase()
    }
}

fn step(name: &'static str, diary: &Diary, gives: Result<&'static str, Trouble>) -> Arc<Step> {
    Arc::new(Step { name, diary: Arc::clone(diary), gives })
}

fn turn() -> Arc<TurnView> {
    static TURN: LazyLock<Arc<TurnView>> =
        LazyLock::new(|| Arc::new(turn_in(&settings("").live, ChannelMode::FullRp)));
    Arc::clone(&TURN)
}

#[tokio::test]
async fn before_in_order_and_one_that_fails_stops_no_other() {
    let diary = Diary::default();
    let broken = Err(Trouble::Failed("no idea".to_owned()));
    let chain = Processors::new(
        vec![step("first", &diary, Ok("a")), step("second", &diary, broken), step("third", &diary, Ok("c"))],
        Vec::new(),
    );
    let log = RunLog::default();
    let notes = chain.before(&turn(), &log).await;
    assert_eq!(notes.iter().map(|note| note.text.as_str()).collect::<Vec<_>>(), ["a", "c"]);
    assert_eq!(*diary.lock().unwrap(), ["first", "second", "third"]);
    let records = log.close();
    assert_eq!(records[1].status, ProcessorStatus::Failed { why: "no idea".to_owned() });
    assert_eq!((&records[2].status, records[2].made.as_deref()), (&ProcessorStatus::Ran, Some("c")));
}

#[tokio::test]
async fn a_contradiction_23_after_in_reverse_order_and_hidden_blocks_go_last() {
    let diary = Diary::default();
    let chain = Processors::new(
        Vec::new(),
        vec![
            step("first", &diary, Ok(" 1<thoughts>slip</thoughts>")),
            step("second", &diary, Ok(" 2")),
            step("third", &diary, Ok(" 3")),
        ],
    );
    let log = RunLog::default();
    let mut outlet = chain.outlet(&turn(), &log);
    assert_eq!(outlet.push("<think>hm</think>Mika: So. "), "", "held back for those that want it whole");
    let end = outlet.finish().await;
    assert_eq!(*diary.lock().unwrap(), ["third", "second", "first"]);
    assert_eq!(end.rest, "So.  3 2 1");
    assert_eq!(end.written.as_deref(), Some("So. "));
}

#[tokio::test]
async fn sentence_by_sentence_a_reply_still_streams() {
    let chain = Processors::new(Vec::new(), vec![Arc::new(Loud)]);
    let log = RunLog::default();
    let mut outlet = chain.outlet(&turn(), &log);
    assert_eq!(outlet.push("One here. Two"), "ONE HERE. ");
    assert_eq!(outlet.push(" there.<thoughts>x"), "");
    let end = outlet.finish().await;
    assert_eq!((end.rest.as_str(), end.written.as_deref()), ("TWO THERE.", Some("One here. Two there.")));
    assert_eq!(log.close()[0].status, ProcessorStatus::Ran);
}

#[tokio::test]
async fn without_processors_a_reply_passes_as_it_comes() {
    let log = RunLog::default();
    let mut outlet = Processors::default().outlet(&turn(), &log);
    assert_eq!(outlet.push("One <pl"), "One ");
    assert_eq!(outlet.push("ans>x</plans>two"), "two");
    let end = outlet.finish().await;
    assert_eq!((end.rest.as_str(), end.written), ("", None));
    assert!(log.close().is_empty());
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
            let mut outlet = Processors::default().outlet(&turn(), &RunLog::default());
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
    let settings = settings("");
    let models = Models::that([]);
    let chain = Processors::standard(&settings.live, &source(&models));
    let turn = Arc::new(turn_in(&settings.live, ChannelMode::ImitateVoice));
    let log = RunLog::default();
    let mut outlet = chain.outlet(&turn, &log);
    let mut said = outlet.push("**Well** 😀, see [this](https://a.example). Next");
    assert_eq!(said, "Well, see this.", "it streams");
    said.push_str(&outlet.push(" one."));
    said.push_str(&outlet.finish().await.rest);
    assert_eq!(said, "Well, see this. Next one.");
    let emoji = chain.outlet(&turn, &log);
    let mut outlet = emoji;
    outlet.push("👍");
    assert_eq!(outlet.finish().await.rest, "👍", "better than nothing");
    assert!(models.asked().is_empty());
}

#[tokio::test]
async fn what_never_ended_is_named_too() {
    let settings = settings("");
    let models = Models::that([Does::Hangs, Does::Fails(ModelErrorClass::Server)]);
    let chain = Processors::standard(&settings.live, &source(&models));
    let turn = turn_in(&settings.live, ChannelMode::FullRp);
    let log = RunLog::default();
    assert!(chain.before(&turn, &log).now_or_never().is_none());
    assert_eq!(log.calls_begun(), 1);
    log.give_up();
    let late = log.close();
    assert_eq!((late[0].status.clone(), late[0].calls), (ProcessorStatus::Late, 1));
    assert!(chain.before(&turn, &log).now_or_never().is_some());
    assert!(matches!(log.close()[0].status, ProcessorStatus::Failed { .. }));
}
