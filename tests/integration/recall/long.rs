//! Long answers, as an assistant writes them: what stands in one passage goes before the same words scattered over a whole
//! text, and plain BM25 over words as written does worse (memory 2.4, the guard against fitting to short chats).

use std::collections::HashMap;

use familiar_connect::config::RecallMethod;
use familiar_connect::domain::StoredId;

use super::{Archive, query, seer};
use crate::support::stage::channel;

/// A question, the passage that answers it, and talk that holds the question's words without answering it.
const NEEDLES: [(&str, &str, [&str; 3]); 8] = [
    (
        "Which valve did we replace in the cellar boiler?",
        "In the cellar boiler we replaced the inlet valve, the brass one, because it dripped.",
        [
            "The cellar stays cool.",
            "A boiler needs a service every year.",
            "Replace a valve only when it is cold.",
        ],
    ),
    (
        "How long does the rye dough rest before baking?",
        "The rye dough rests eleven hours before baking, covered with a damp cloth.",
        ["Rye is hardy.", "Some dough freezes well.", "Before baking, heat the stone; rest the loaf after."],
    ),
    (
        "What was the deadline for the harbour survey report?",
        "The harbour survey report has its deadline on the ninth, and two copies are wanted.",
        ["The harbour silts up.", "A survey costs money.", "Every report is late and each deadline moves."],
    ),
    (
        "Which library parses the tide tables in our script?",
        "Our script parses the tide tables with the small csv library from the standard set.",
        ["The tide turns twice.", "Tables should be sorted.", "A library helps when a script parses much."],
    ),
    (
        "Where did the choir rehearse for the winter concert?",
        "For the winter concert the choir rehearsed in the old net loft above the chandler.",
        ["The choir is small.", "Winter is long.", "A concert needs a hall; rehearse where it echoes."],
    ),
    (
        "What dose of the blue tablets did the vet advise?",
        "The vet advised half a dose of the blue tablets, crushed into the evening meal.",
        [
            "Blue is calming.",
            "Tablets should be kept dry.",
            "Ask a vet to advise you; a dose depends on weight.",
        ],
    ),
    (
        "Who lent us the ladder for the lighthouse windows?",
        "Oskar lent us the ladder for the lighthouse windows, the aluminium one from his barn.",
        ["The lighthouse is shut.", "Windows salt up.", "A ladder that somebody lent wants to be returned."],
    ),
    (
        "Which budget line pays for the jetty railing?",
        "The jetty railing is paid from the budget line for public safety, not from repairs.",
        ["The jetty creaks.", "A railing rusts.", "Each budget has a line that pays for nothing."],
    ),
];

const FILLER: [&str; 12] = [
    "Here is an overview of the main points that are worth looking at first.",
    "It depends on the circumstances, so compare a few options side by side.",
    "Keep notes of what was tried, with the results, in the order it happened.",
    "In general the simplest approach is also the one that is easiest to repeat.",
    "Should anything remain unclear, a short example often says more than a rule.",
    "Most people underestimate how much time the preparation takes.",
    "There are exceptions, and they matter more in bad weather than in good.",
    "A second opinion never hurts, particularly where something cannot be undone.",
    "Tools of good quality last for decades when they are cleaned after use.",
    "The figures vary from source to source; the range given here is typical.",
    "Start with the part that is hardest to change later and leave room around it.",
    "As a last step, go through the list again and cross out what is settled.",
];

/// Sixty sentences of filler that begin at another one for each seed.
fn filler(seed: usize, sentences: usize) -> String {
    (0..sentences).map(|at| FILLER[(seed * 5 + at * 7) % FILLER.len()]).collect::<Vec<_>>().join(" ")
}

/// Five messages to each needle: the one that answers, among long ones that do not.
fn texts() -> Vec<(Option<usize>, String)> {
    let mut texts = Vec::new();
    for (number, (question, answer, apart)) in NEEDLES.iter().enumerate() {
        let seed = number * 11;
        texts.push((None, format!("Can you tell me more about this? {}", &apart[0])));
        let scattered: Vec<String> =
            (0..9).map(|at| format!("{} {}", apart[at % 3], filler(seed + at, 6))).collect();
        texts.push((None, scattered.join(" ")));
        texts.push((Some(number), format!("{} {answer} {}", filler(seed + 1, 14), filler(seed + 2, 14))));
        texts.push((None, format!("{} {}", filler(seed + 3, 20), question.split(' ').nth(1).unwrap_or(""))));
        texts.push((None, format!("Thanks, that helps. {}", apart[1])));
    }
    texts
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_lowercase).collect()
}

/// The place of the answer by BM25 over words as written, from 1 on.
fn plain_rank(texts: &[(Option<usize>, String)], needle: usize) -> usize {
    let bags: Vec<Vec<String>> = texts.iter().map(|(_, text)| words(text)).collect();
    let average = bags.iter().map(Vec::len).sum::<usize>() as f64 / bags.len() as f64;
    let mut scores = vec![0.0_f64; bags.len()];
    for word in words(NEEDLES[needle].0) {
        let standing_in = bags.iter().filter(|bag| bag.contains(&word)).count() as f64;
        let idf = (1.0 + (bags.len() as f64 - standing_in + 0.5) / (standing_in + 0.5)).ln();
        for (score, bag) in scores.iter_mut().zip(&bags) {
            let count = bag.iter().filter(|known| **known == word).count() as f64;
            *score += idf * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * bag.len() as f64 / average));
        }
    }
    let at = texts.iter().position(|(answers, _)| *answers == Some(needle)).unwrap();
    1 + scores.iter().filter(|score| **score > scores[at]).count()
}

#[tokio::test]
async fn long_answers_are_found_by_their_passages_and_no_worse_than_by_plain_words() {
    let mut archive = Archive::new().await;
    let place = channel(1, "#desk");
    let texts = texts();
    let mut at: jiff::Timestamp = "2026-02-01T09:00:00Z".parse().unwrap();
    let mut answers: HashMap<StoredId, usize> = HashMap::new();
    for (number, (answered, text)) in (1_i64..).zip(&texts) {
        let who = if number % 2 == 0 { "assistant" } else { "user" };
        archive.says_to(&place, who, text, at, None).await;
        at += jiff::SignedDuration::from_mins(4);
        answers.extend(answered.map(|needle| (StoredId(number), needle)));
    }
    let (mut ours, mut plain) = (0.0, 0.0);
    for (needle, (question, ..)) in NEEDLES.iter().enumerate() {
        let mut query = query(question, RecallMethod::Fused);
        query.circumstances.most = 100;
        let ranked = archive.conversations.ranked(&query, &seer(&place)).await.unwrap();
        let rank = ranked.iter().position(|one| answers.get(&one.turn) == Some(&needle));
        let rank = rank.unwrap_or_else(|| panic!("{question} is answered nowhere")) + 1;
        assert!(rank <= 3, "{question}: only the {rank}th");
        ours += 1.0 / rank as f64;
        plain += 1.0 / plain_rank(&texts, needle) as f64;
    }
    println!("long messages: mean reciprocal rank {:.3}, plain BM25 {:.3}", ours / 8.0, plain / 8.0);
    assert!(ours > plain, "{ours} against {plain}");
}
