//! A second model that reads the question together with the finds: what it likes comes first, and whatever goes wrong with it,
//! the finds are told in the order they had.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use familiar_connect::context::recall::{
    Circumstances, ConversationSource, Recall, RecallQuery, RecallSource, Seer,
};
use familiar_connect::domain::*;
use familiar_connect::embedding::{CrossEncoder, RerankError, Reranker, Reranking};
use familiar_connect::history::Visible;

use crate::support::stage::{Stage, channel, dm, ferry, long_ago, person};
use crate::support::tiny_model;

/// Likes what is long, and tells what it was given.
#[derive(Debug, Default)]
struct Spy(Mutex<Vec<String>>);

impl Reranker for Spy {
    fn name(&self) -> &str {
        "spy"
    }

    fn judge(&self, _: &str, texts: &[&str]) -> Result<Vec<f32>, RerankError> {
        self.0.lock().unwrap().extend(texts.iter().map(|text| (*text).to_owned()));
        Ok(texts.iter().map(|text| text.len() as f32).collect())
    }
}

#[tokio::test]
async fn m10_a_cross_encoder_reads_only_what_may_be_told() {
    let stage = Stage::new().await;
    let places = [
        ferry(),
        Place { audience: Audience::Private(channel(2, "#deck").channel), ..channel(2, "#deck") },
        dm("ben"),
    ];
    let long = ["treasure", "treasure lies in the lighthouse", "treasure lies behind the old lighthouse"];
    for (number, text) in (0_u64..).zip(long.repeat(places.len())) {
        let at = usize::try_from(number).unwrap() / long.len();
        let text = format!("{text} place{at}");
        stage.history.append(long_ago(&places[at], "ben", &text, number)).await.unwrap();
    }
    let spy = Arc::new(Spy::default());
    let source =
        || vec![Arc::new(ConversationSource::new(Arc::clone(&stage.history))) as Arc<dyn RecallSource>];
    let within = Duration::from_secs(60);
    let judged = Recall::over(source(), within).reranked_by(Some(Reranking::with(
        Arc::clone(&spy) as Arc<dyn Reranker>,
        1,
        within,
    )));
    let seer = Seer::person(person("alice").account, Visible::only([Audience::Canon, ferry().audience]));
    let query =
        |text: &str| RecallQuery::new(text, Circumstances::alone("2026-03-18T15:30:00Z".parse().unwrap(), 5));
    judged.run(&query("where is the treasure?"), &seer, 8).await;
    let given = spy.0.lock().unwrap().clone();
    assert!(!given.is_empty() && given.iter().all(|text| text.ends_with("place0")), "{given:?}");
}

#[test]
fn y14_a_judge_of_either_kind_likes_what_it_was_made_to_like() {
    let folder = tempfile::tempdir().unwrap();
    let texts = ["the kettle is on", "the lantern is lit", "lantern", ""];
    for kind in ["bert", "xlm-roberta"] {
        let path = folder.path().join(kind);
        tiny_model::put_judge(&path, kind, "lantern");
        let judge = CrossEncoder::open(&path).unwrap();
        let scores = judge.judge("where is it?", &texts).unwrap();
        assert!(scores[1] > scores[0] && scores[2] > scores[1], "{kind}: {scores:?}");
        let alone = judge.judge("where is it?", &texts[1..2]).unwrap();
        assert!((alone[0] - scores[1]).abs() < 1e-5, "the company it is in says nothing: {scores:?}");
    }
    let path = folder.path().join("length");
    tiny_model::put_judge_of_length(&path);
    let judge = CrossEncoder::open(&path).unwrap();
    let scores =
        judge.judge("one two three four five", &["one", "one two three", "one two three four"]).unwrap();
    assert!(scores[0] < scores[1] && scores[1] < scores[2], "the text is told from the question: {scores:?}");
}

#[test]
fn y14_a_folder_without_a_judge_says_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let error = CrossEncoder::open(folder.path()).unwrap_err().to_string();
    assert!(error.contains("config.json"), "{error}");
    tiny_model::put(folder.path());
    let error = CrossEncoder::open(folder.path()).unwrap_err().to_string();
    assert!(error.contains("it embeds and does not judge"), "{error}");
}
