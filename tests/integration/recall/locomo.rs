//! How well the composed recall finds what answers a question: long conversations of other people's making, with the
//! messages that hold the answers named. They are not ours to ship, so the test is skipped, visibly, without them.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use familiar_connect::config::RecallMethod;
use familiar_connect::embedding::TextModel;
use jiff::Timestamp;
use serde_json::Value;

use super::{Archive, query, seer};
use crate::embedding::real_model;
use crate::support::stage::channel;

/// Stemmed BM25 over single messages, all ten conversations (specs memory 2.3).
const PLAIN_BM25: f64 = 0.575;

fn fixtures() -> Option<PathBuf> {
    let given = std::env::var_os("FAMILIAR_SHARED_FIXTURES").map(PathBuf::from);
    let folder = given
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/fixtures"))
        .join("locomo");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("SKIPPED: no conversations at {} (set FAMILIAR_SHARED_FIXTURES)", folder.display());
    None
}

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
async fn y14_recall_finds_the_evidence_of_long_conversations() {
    let Some(folder) = fixtures() else { return };
    let methods = [(RecallMethod::Fused, 1), (RecallMethod::Fused, 6), (RecallMethod::Text, 1)];
    let [fused, composed, words] = measured(&folder, methods, None).await;
    assert!(composed.recall_at_10 >= PLAIN_BM25 + 0.125, "{composed:?}");
    assert!(composed.reciprocal_rank >= 0.42, "{composed:?}");
    assert!(fused.recall_at_10 > words.recall_at_10, "{fused:?}");
}

#[tokio::test]
async fn y11_a_real_model_finds_more_of_the_evidence() {
    let (Some(folder), Some(model)) = (fixtures(), real_model()) else { return };
    let fused = [(RecallMethod::Fused, 1)];
    let [words] = measured(&folder, fused, None).await;
    let [meant] = measured(&folder, fused, Some(&model)).await;
    assert!(meant.recall_at_10 > words.recall_at_10 + 0.015, "{meant:?} {words:?}");
}

async fn measured<const N: usize>(
    folder: &Path,
    methods: [(RecallMethod, u32); N],
    model: Option<&Path>,
) -> [Quality; N] {
    let gold: HashMap<String, Value> = lines(&folder.join("gold.jsonl"))
        .into_iter()
        .map(|line| (text(&line, "qid").to_owned(), line))
        .collect();
    let questions = lines(&folder.join("queries.jsonl"));
    let mut measured = methods.map(|_| Quality::default());
    for conversation in ["conv-26", "conv-30", "conv-41"] {
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
        for question in questions.iter().filter(|question| text(question, "conv") == conversation) {
            let gold = &gold[text(question, "qid")];
            if text(gold, "category") == "adversarial" {
                continue;
            }
            let evidence: Vec<String> = gold["evidence"]
                .as_array()
                .unwrap()
                .iter()
                .map(|id| id.as_str().unwrap().to_owned())
                .collect();
            for ((method, searches), quality) in methods.iter().zip(&mut measured) {
                let mut query = query(text(question, "query"), *method);
                query.circumstances.now = format!("{}Z", text(question, "asked_at")).parse().unwrap();
                query.circumstances.most = 10;
                let found = archive.recall.run(&query, &seer(&place), *searches).await.found;
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
    for ((method, searches), quality) in methods.iter().zip(measured) {
        let Quality { recall_at_10, reciprocal_rank, ndcg_at_10, quoted, questions } = quality.mean();
        println!(
            "{method} ({searches} searches, model {}, {questions} questions): recall@10 {recall_at_10:.3}, MRR {reciprocal_rank:.3}, \
             nDCG@10 {ndcg_at_10:.3}, evidence quoted {quoted:.3}",
            model.is_some()
        );
    }
    measured.map(Quality::mean)
}
