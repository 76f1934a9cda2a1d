//! How well the composed recall finds what answers a question: long conversations of other people's making, with the
//! messages that hold the answers named. They are not ours to ship, so the tests are ignored without them.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use familiar_connect::config::RecallMethod;
use familiar_connect::context::recall::{Circumstances, RecallQuery};
use familiar_connect::embedding::TextModel;
use jiff::Timestamp;
use serde_json::Value;

use super::{Archive, query, seer};
use crate::embedding::real_model;
use crate::support::binary::Machine;
use crate::support::shared::shared;
use crate::support::stage::channel;

/// What is measured on these conversations is a little more than this (docs reference/performance.md): of single
/// questions, ten finds, with one search and with eight.
const FLOORS: [f64; 2] = [0.765, 0.80];

/// The least that several questions at once have to gain by being searched for each.
const GAIN_OF_TWO: f64 = 0.08;
const GAIN_OF_THREE: f64 = 0.15;

/// How something is looked up: by which method, with how many searches, and how many finds are taken that are how likely.
#[derive(Debug, Clone, Copy)]
struct How {
    method: RecallMethod,
    searches: u32,
    most: usize,
    least: f32,
}

const fn ten(method: RecallMethod, searches: u32) -> How {
    How { method, searches, most: 10, least: 0.25 }
}

/// What messages may look for that are told whole exchanges alone, from several topics to a look back
/// (`providers/recalled.rs`).
const AS_A_MESSAGE: [How; 3] = [
    How { least: 0.15, ..ten(RecallMethod::Fused, 16) },
    How { most: 16, least: 0.1, ..ten(RecallMethod::Fused, 24) },
    How { most: 24, least: 0.1, ..ten(RecallMethod::Fused, 32) },
];

/// What the program's own output has to hold of the evidence: among its first ten, and within so many tokens.
const AMONG_TEN: f64 = 0.841;
const PACKED: [(&str, f64); 3] = [("500", 0.83), ("1000", 0.865), ("2000", 0.905)];

fn lines(file: &Path) -> Vec<Value> {
    fs::read_to_string(file).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn text<'a>(line: &'a Value, key: &str) -> &'a str {
    line[key].as_str().unwrap()
}

/// Averages over questions.
#[derive(Debug, Default, Clone, Copy)]
struct Quality {
    recall_at_10: f64,
    reciprocal_rank: f64,
    ndcg_at_10: f64,
    /// The share of the evidence that is quoted, its neighbours included.
    quoted: f64,
    questions: f64,
}

impl Quality {
    fn add(&mut self, hits: &[String], shown: &[String], evidence: &[String]) {
        let top = &hits[..hits.len().min(10)];
        let held = |list: &[String]| evidence.iter().filter(|one| list.contains(one)).count() as f64;
        let gain = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
        let ideal: f64 = (0..evidence.len().min(10)).map(gain).sum();
        let reached: f64 = top
            .iter()
            .enumerate()
            .filter(|(_, hit)| evidence.contains(hit))
            .map(|(rank, _)| gain(rank))
            .sum();
        self.recall_at_10 += held(top) / evidence.len() as f64;
        self.quoted += held(shown) / evidence.len() as f64;
        self.ndcg_at_10 += reached / ideal;
        let first = hits.iter().position(|hit| evidence.contains(hit));
        self.reciprocal_rank += first.map_or(0.0, |rank| 1.0 / (rank as f64 + 1.0));
        self.questions += 1.0;
    }

    fn mean(self) -> Self {
        Self {
            recall_at_10: self.recall_at_10 / self.questions,
            reciprocal_rank: self.reciprocal_rank / self.questions,
            ndcg_at_10: self.ndcg_at_10 / self.questions,
            quoted: self.quoted / self.questions,
            questions: self.questions,
        }
    }
}

#[tokio::test]
#[cfg_attr(not(has_chats), ignore = "needs locomo of FAMILIAR_SHARED_FIXTURES")]
async fn y14_recall_finds_the_evidence_of_long_conversations() {
    let folder = shared("locomo");
    let eight = How { least: 0.2, ..ten(RecallMethod::Fused, 8) };
    let methods = [ten(RecallMethod::Fused, 1), eight, ten(RecallMethod::Text, 1)];
    let [one, eight, words] = measured(&folder, 1, methods, None).await;
    for (quality, floor) in [one, eight].into_iter().zip(FLOORS) {
        assert!(quality.recall_at_10 >= floor, "{quality:?}");
    }
    assert!(one.reciprocal_rank >= 0.50, "{one:?}");
    assert!(eight.quoted >= 0.82, "{eight:?}");
    assert!(one.recall_at_10 > words.recall_at_10 + 0.05, "{one:?}");
}

#[tokio::test]
#[cfg_attr(not(has_chats), ignore = "needs locomo of FAMILIAR_SHARED_FIXTURES")]
async fn a5_more_searches_find_more_of_what_several_questions_at_once_ask_for() {
    let folder = shared("locomo");
    for (together, gain) in [(2, GAIN_OF_TWO), (3, GAIN_OF_THREE)] {
        let methods = [1, 8].map(|searches| ten(RecallMethod::Fused, searches));
        let [one, eight] = measured(&folder, together, methods, None).await;
        assert!(eight.recall_at_10 > one.recall_at_10 + gain, "{together} at once: {one:?} {eight:?}");
    }
}

#[tokio::test]
#[cfg_attr(not(has_chats), ignore = "needs locomo of FAMILIAR_SHARED_FIXTURES")]
async fn a2_a5_the_more_a_message_may_look_for_the_more_of_the_evidence_is_quoted() {
    let folder = shared("locomo");
    for together in 1..=3 {
        let measured = measured(&folder, together, AS_A_MESSAGE, None).await;
        let quoted = measured.map(|quality| quality.quoted);
        assert!(quoted.is_sorted_by(|less, more| less < more), "{together} at once: {quoted:?}");
    }
}

#[tokio::test]
#[cfg_attr(not(has_chats), ignore = "needs locomo of FAMILIAR_SHARED_FIXTURES")]
async fn y14_the_program_itself_finds_the_evidence_among_ten_and_packs_it_into_few_tokens() {
    let folder = shared("locomo");
    let gold = gold(&folder);
    let machine = Machine::new();
    let mut door = machine.start(&["recall", "--stdio", "--embeddings", "off"], &[]);
    let told = |mut line: Value, op: &str| {
        line["op"] = op.into();
        line
    };
    for conversation in CONVERSATIONS {
        for line in lines(&folder.join("convs").join(format!("{conversation}.jsonl"))) {
            door.types(&told(line, "ingest").to_string()).await;
        }
    }
    door.types(r#"{"op": "ready"}"#).await;
    for mut question in lines(&folder.join("queries.jsonl")) {
        question["budgets"] = PACKED.map(|(budget, _)| budget.parse::<u32>().unwrap()).to_vec().into();
        door.types(&told(question, "query").to_string()).await;
    }
    door.types(r#"{"op": "query", "qid": "the end", "conv": "none", "query": "end?"}"#).await;
    door.shows("\"the end\"").await;
    door.leaves().await;
    let answers: Vec<Value> = door.screen().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let asked = answers
        .iter()
        .filter(|answer| answer["qid"].is_string())
        .filter_map(|answer| Some((answer, gold.get(text(answer, "qid")).and_then(evidence)?)));
    let asked: Vec<(&Value, Vec<String>)> = asked.collect();
    assert_eq!(asked.len(), gold.values().filter_map(evidence).count(), "every question is answered");

    let among_ten = mean_share(&asked, |answer| {
        let ranked = answer["ranked"].as_array().unwrap();
        &ranked[..ranked.len().min(10)]
    });
    println!("{} questions: recall among ten {among_ten:.3}", asked.len());
    assert!(among_ten >= AMONG_TEN, "among ten: {among_ten:.4}");
    for (budget, least) in PACKED {
        let mean = mean_share(&asked, |answer| answer["packs"][budget].as_array().unwrap());
        println!("{} questions: recall within {budget} tokens {mean:.3}", asked.len());
        assert!(mean >= least, "within {budget} tokens: {mean:.3}");
    }
}

/// The share of the evidence that is in a list of each answer, on average over the questions.
fn mean_share(asked: &[(&Value, Vec<String>)], list: impl Fn(&Value) -> &[Value]) -> f64 {
    let shares = asked.iter().map(|(answer, evidence)| {
        let list = list(answer);
        let found = evidence.iter().filter(|one| list.iter().any(|id| id == one.as_str())).count();
        found as f64 / evidence.len() as f64
    });
    shares.sum::<f64>() / asked.len() as f64
}

const CONVERSATIONS: [&str; 3] = ["conv-26", "conv-30", "conv-41"];

fn gold(folder: &Path) -> HashMap<String, Value> {
    let gold = lines(&folder.join("gold.jsonl")).into_iter();
    gold.map(|line| (text(&line, "qid").to_owned(), line)).collect()
}

/// The messages that hold a question's answer; of a question that has none, nothing.
fn evidence(gold: &Value) -> Option<Vec<String>> {
    if text(gold, "category") == "adversarial" {
        return None;
    }
    let ids = gold["evidence"].as_array().unwrap().iter();
    Some(ids.map(|id| id.as_str().unwrap().to_owned()).collect())
}

/// So many questions of one conversation put at once, from different ends of it: the words, and all their evidence.
fn at_once(questions: &[(String, Vec<String>)], together: usize) -> Vec<(String, Vec<String>)> {
    let stride = questions.len() / together;
    let group = |first: usize| {
        let chosen = || (0..together).map(|at| &questions[first + at * stride]);
        let words: Vec<&str> = chosen().map(|(words, _)| words.as_str()).collect();
        let mut ids: Vec<String> = chosen().flat_map(|(_, ids)| ids.iter().cloned()).collect();
        ids.sort();
        ids.dedup();
        (words.join(" "), ids)
    };
    (0..stride).map(group).collect()
}

#[tokio::test]
#[cfg_attr(
    not(all(has_chats, has_model)),
    ignore = "needs locomo of FAMILIAR_SHARED_FIXTURES, and FAMILIAR_TEST_MODEL"
)]
async fn y11_a_real_model_finds_more_of_the_evidence() {
    let (folder, model) = (shared("locomo"), real_model());
    let fused = [ten(RecallMethod::Fused, 1)];
    let [words] = measured(&folder, 1, fused, None).await;
    let [meant] = measured(&folder, 1, fused, Some(&model)).await;
    assert!(meant.recall_at_10 > words.recall_at_10 + 0.015, "{meant:?} {words:?}");
}

async fn measured<const N: usize>(
    folder: &Path,
    together: usize,
    methods: [How; N],
    model: Option<&Path>,
) -> [Quality; N] {
    let gold = gold(folder);
    let questions = lines(&folder.join("queries.jsonl"));
    let mut measured = methods.map(|_| Quality::default());
    for conversation in CONVERSATIONS {
        let mut archive = match model {
            Some(model) => Archive::with_model(TextModel::open(model).unwrap()).await,
            None => Archive::new().await,
        };
        let place = channel(1, "#two");
        let mut names: HashMap<i64, String> = HashMap::new();
        for line in lines(&folder.join("convs").join(format!("{conversation}.jsonl"))) {
            let at: Timestamp = format!("{}Z", text(&line, "ts")).parse().unwrap();
            let speaker = text(&line, "speaker").to_lowercase();
            archive.says_to(&place, &speaker, text(&line, "text"), at, None).await;
            let number = i64::try_from(names.len()).unwrap() + 1;
            names.insert(number, text(&line, "id").to_owned());
        }
        if model.is_some() {
            archive.read_by_model().await;
        }
        let asked = questions.iter().filter(|question| text(question, "conv") == conversation);
        let asked_at = asked.clone().map(|question| text(question, "asked_at")).next().unwrap();
        let asked: Vec<(String, Vec<String>)> = asked
            .filter_map(|question| {
                Some((text(question, "query").to_owned(), evidence(&gold[text(question, "qid")])?))
            })
            .collect();
        for (words, evidence) in at_once(&asked, together) {
            for (how, quality) in methods.iter().zip(&mut measured) {
                let now = format!("{asked_at}Z").parse().unwrap();
                let circumstances = query("", how.method).circumstances;
                let query = RecallQuery::new(
                    &words,
                    Circumstances { now, most: how.most, least: how.least, ..circumstances },
                );
                let found = archive.recall.run(&query, &seer(&place), how.searches).await.found;
                let lines: Vec<_> = found.iter().flat_map(|found| &found.lines).collect();
                let name = |line: &&familiar_connect::context::recall::FoundLine| {
                    names[&line.turn?.0].clone().into()
                };
                let hits: Vec<String> = lines.iter().filter(|line| line.is_hit).filter_map(&name).collect();
                let shown: Vec<String> = lines.iter().filter_map(&name).collect();
                quality.add(&hits, &shown, &evidence);
            }
        }
    }
    for (How { method, searches, most, .. }, quality) in methods.iter().zip(measured) {
        let Quality { recall_at_10, reciprocal_rank, ndcg_at_10, quoted, questions } = quality.mean();
        println!(
            "{method:?} ({together} at once, {searches} searches, {most} finds, model {}, {questions} asked): recall@10 {recall_at_10:.3}, MRR {reciprocal_rank:.3}, \
             nDCG@10 {ndcg_at_10:.3}, evidence quoted {quoted:.3}",
            model.is_some()
        );
    }
    measured.map(Quality::mean)
}
