//! A second model that reads the question together with the finds: what it likes comes first, and whatever goes wrong with it,
//! the finds are told in the order they had.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use familiar_connect::context::recall::{
    Circumstances, ConversationSource, Found, Recall, RecallQuery, RecallSource,
};
use familiar_connect::domain::*;
use familiar_connect::embedding::{CrossEncoder, RerankError, Reranker, Reranking};
use familiar_connect::history::Visible;
use familiar_connect::trace::{Rights, render};

use crate::support::stage::{MESSAGES, Stage, channel, dm, ferry, long_ago};
use crate::support::tiny_model;

const QUESTION: &str = "who had the spare key of the shed?";

async fn on_a_stage(rerank: &str) -> Stage {
    let settings = format!("text_lull_timeout = 0.01\n[typing_simulation]\nenabled = false\n{rerank}");
    let stage = Stage::with(&settings, MESSAGES).await;
    let things = [
        "lantern", "kettle", "anchor", "ladder", "barrel", "basket", "compass", "bucket", "hammer", "oar",
        "rudder", "blanket", "mirror", "saddle", "candle", "shovel", "whistle", "pillow", "feather",
        "button", "wagon",
    ];
    // Of texts that are nearly the same only one is told.
    let told = (0_u32..).zip(things).map(|(number, thing)| {
        format!("plank{number} rope{number} tar{number} {thing}{number}, {thing} and the spare key of the shed paint{number}")
    });
    let said = told.chain((0..300).map(|_| "the tide table once more".to_owned()));
    let said = (0..).zip(said).map(|(number, text)| long_ago(&ferry(), "ben", &text, number));
    stage.history.store_all(said.collect()).await.unwrap();
    stage
}

fn settings(enabled: bool, folder: &Path) -> String {
    format!("[providers.recall.rerank]\nenabled = {enabled}\nfolder = {:?}\n", folder.display().to_string())
}

/// What is asked of the model, and the record of it.
async fn asked(mut stage: Stage) -> (String, Arc<TurnTrace>) {
    let transcript = stage.prompt("alice", QUESTION, "Aye.").await;
    let trace = stage.traces.whole().list(1).await.unwrap().remove(0);
    (transcript, trace)
}

#[tokio::test(start_paused = true)]
async fn y14_what_a_cross_encoder_likes_comes_first_and_the_x_ray_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let judge = folder.path().join("likes-lanterns");
    tiny_model::put_judge(&judge, "bert", "lantern");
    let (plain, trace) = asked(on_a_stage("").await).await;
    assert!(!render::markdown(&trace, Rights::Operator).contains("Reranked"));
    let (off, _) = asked(on_a_stage(&settings(false, &judge)).await).await;
    assert_eq!(off, plain, "switched off, nothing is another");
    let (_, trace) = asked(on_a_stage(&settings(true, &judge)).await).await;
    let figures = &trace.assembly.as_ref().unwrap().reranked[0];
    assert_eq!((figures.risen[0].to, &figures.problem), (1, &None));
    let x_ray = render::markdown(&trace, Rights::Operator);
    assert!(x_ray.contains("Reranked by likes-lanterns, "), "{x_ray}");
    assert!(
        x_ray.contains(&format!("of {} finds moved: {} from ", figures.finds, figures.risen[0].find)),
        "{x_ray}"
    );
}

/// Likes what is long, tells what it was given, and breaks on one question.
#[derive(Debug, Default)]
struct Spy(Mutex<Vec<String>>);

impl Reranker for Spy {
    fn name(&self) -> &str {
        "spy"
    }

    fn judge(&self, question: &str, texts: &[&str]) -> Result<Vec<f32>, RerankError> {
        if question.contains("broken") {
            return Err(RerankError::Failed("it broke".to_owned()));
        }
        self.0.lock().unwrap().extend(texts.iter().map(|text| (*text).to_owned()));
        Ok(texts.iter().map(|text| text.len() as f32).collect())
    }
}

#[tokio::test]
async fn m10_a_cross_encoder_reads_only_what_may_be_told_and_breaks_no_order() {
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
        || vec![Arc::new(ConversationSource::new(Arc::clone(&stage.history), None)) as Arc<dyn RecallSource>];
    let within = Duration::from_secs(60);
    let plain = Recall::over(source(), within);
    let judged = Recall::over(source(), within).reranked_by(Some(Reranking::with(
        Arc::clone(&spy) as Arc<dyn Reranker>,
        1,
        within,
    )));
    let seer = Visible::only([Audience::Canon, ferry().audience]);
    let query =
        |text: &str| RecallQuery::new(text, Circumstances::alone("2026-03-18T15:30:00Z".parse().unwrap(), 5));
    let found = judged.run(&query("where is the treasure?"), &seer, 8).await;
    let given = spy.0.lock().unwrap().clone();
    assert!(!given.is_empty() && given.iter().all(|text| text.ends_with("place0")), "{given:?}");
    // What was said one after another is one find, and read as one.
    let length = |one: &Found| one.lines.iter().filter(|line| line.is_hit).map(|line| line.text.len()).sum();
    let lengths: Vec<usize> = found.found.iter().map(length).collect();
    assert_eq!(lengths.first(), lengths.iter().max(), "{lengths:?}");
    assert!(found.reranked.unwrap().problem.is_none());
    let question = query("where is the broken treasure?");
    let (plain, judged) = (plain.run(&question, &seer, 8).await, judged.run(&question, &seer, 8).await);
    assert_eq!(judged.found, plain.found, "as if there were no model");
    assert_eq!(judged.reranked.unwrap().problem.unwrap(), "the model failed: it broke");
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
