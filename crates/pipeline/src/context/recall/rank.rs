//! Orders of candidates: five ways to score them, one way to join orders, one way to keep them from repeating
//! themselves (Y11, Y14). Numbers in, numbers out.

use std::collections::{BTreeMap, HashMap, HashSet};

/// BM25's saturation and length normalisation, the latter for single messages (memory 2.3) and for long texts.
const K1: f32 = 1.2;
pub(super) const B: f32 = 0.5;
pub(super) const B_LONG: f32 = 0.75;

/// The hybrid's shares of words and vectors (Y11).
const TEXT_SHARE: f32 = 0.4;
const VECTOR_SHARE: f32 = 0.6;

/// After so many days what was said counts half in the time-weighted order.
const HALF_LIFE_DAYS: f32 = 30.0;

/// Reciprocal rank fusion's constant (Y14).
const RRF_K: f32 = 60.0;

/// How much being good counts against being new (Y11).
const MMR_LAMBDA: f32 = 0.7;

/// How much a term tells, from the number of texts it stands in.
pub(super) fn idf(standing_in: f32, total: f32) -> f32 {
    let standing_in = standing_in.min(total);
    (1.0 + (total - standing_in + 0.5) / (standing_in + 0.5)).ln()
}

/// How much of a question each text holds, 0 to 1, the most first, of equals the newer, at most so many; and how rare each of
/// its words is. `standing` are the texts that each word stands in, `total` how many texts there are.
pub(super) fn shares<K: Ord + Copy>(
    standing: &[Vec<K>],
    total: usize,
    most: usize,
) -> (Vec<(K, f32)>, Vec<f32>) {
    let total = total.max(10) as f32;
    let idf: Vec<f32> = standing.iter().map(|texts| idf(texts.len() as f32, total)).collect();
    let asked: f32 = idf.iter().sum();
    let mut held: BTreeMap<K, f32> = BTreeMap::new();
    for (texts, idf) in standing.iter().zip(&idf) {
        for text in texts {
            *held.entry(*text).or_default() += idf / asked.max(f32::EPSILON);
        }
    }
    let mut held: Vec<(K, f32)> = held.into_iter().collect();
    held.sort_by(|(a, x), (b, y)| y.total_cmp(x).then_with(|| b.cmp(a)));
    held.truncate(most);
    (held, idf)
}

/// What one term adds to BM25 before its idf: how often it stands in a text of so many words, where texts have `average`
/// words.
pub(super) fn saturated(b: f32, count: f32, length: f32, average: f32) -> f32 {
    count * (K1 + 1.0) / (count + K1 * (1.0 - b + b * length / average.max(1.0)))
}

/// Scaled so that the best is 1; nothing stays nothing.
pub(super) fn normalised(mut scores: Vec<f32>) -> Vec<f32> {
    let best = scores.iter().copied().fold(0.0, f32::max);
    if best > 0.0 {
        scores.iter_mut().for_each(|score| *score /= best);
    }
    scores
}

/// Stretched over 0 to 1: ranks that were joined lie close together, and likeness would drown them.
pub(super) fn spread(scores: &[f32]) -> Vec<f32> {
    let best = scores.iter().copied().fold(f32::MIN, f32::max);
    let least = scores.iter().copied().fold(f32::MAX, f32::min);
    let range = best - least;
    scores.iter().map(|score| if range > 0.0 { (score - least) / range } else { 1.0 }).collect()
}

/// The hybrid method: 0.4 words, 0.6 vectors.
pub(super) fn hybrid(text: &[f32], vector: &[f32]) -> Vec<f32> {
    let (text, vector) = (normalised(text.to_vec()), normalised(vector.to_vec()));
    text.iter().zip(&vector).map(|(text, vector)| TEXT_SHARE * text + VECTOR_SHARE * vector).collect()
}

/// The time-weighted method: the words' score, halved with every month; never quite nothing.
pub(super) fn time_weighted(text: &[f32], age_days: &[f32]) -> Vec<f32> {
    let fresh = |days: &f32| 0.1 + 0.9 * (-days.max(0.0) / HALF_LIFE_DAYS).exp2();
    text.iter().zip(age_days).map(|(text, days)| text * fresh(days)).collect()
}

/// The importance method: the words' score, lifted by how much a text matters in itself.
pub(super) fn by_importance(text: &[f32], importance: &[f32]) -> Vec<f32> {
    text.iter().zip(importance).map(|(text, importance)| text * (0.25 + 0.75 * importance)).collect()
}

/// A question's orders of keys, each with its weight.
pub(super) type Orders<'a> = Vec<(f32, Vec<&'a str>)>;

/// Joins the orders of one question or several, each with its reach. Within a question each list's share falls with the
/// rank, times the list's weight: reciprocal rank fusion. Questions take turns: what one of them has at its head stands
/// beside what another has there, as far to the front as its reach lets it; that two questions have it is no merit. 1 is
/// the best there is.
pub(super) fn taking_turns<'a>(questions: &[(f32, Orders<'a>)]) -> HashMap<&'a str, f32> {
    let mut best: HashMap<&str, f32> = HashMap::new();
    for (reach, lists) in questions {
        let mut fused: HashMap<&str, f32> = HashMap::new();
        for (weight, keys) in lists {
            for (rank, key) in (1_u16..).zip(keys) {
                *fused.entry(key).or_default() += weight / (RRF_K + f32::from(rank));
            }
        }
        for (key, share) in fused {
            let known = best.entry(key).or_default();
            *known = known.max(reach * share);
        }
    }
    let most = best.values().copied().fold(f32::EPSILON, f32::max);
    best.values_mut().for_each(|share| *share /= most);
    best
}

/// The order in which to take `most` of these, so that what says the same as something taken comes later: maximal
/// marginal relevance over the texts' terms.
pub(super) fn diverse(relevance: &[f32], terms: &[HashSet<String>], most: usize) -> Vec<usize> {
    let mut left: Vec<usize> = (0..relevance.len()).collect();
    let mut alike = vec![0.0_f32; relevance.len()];
    let mut taken = Vec::new();
    while taken.len() < most && !left.is_empty() {
        let value = |at: usize| MMR_LAMBDA * relevance[at] - (1.0 - MMR_LAMBDA) * alike[at];
        // The first of equals, so that the order is always the same.
        let best = left.iter().copied().reduce(|a, b| if value(b) > value(a) { b } else { a });
        let Some(best) = best else { break };
        left.retain(|at| *at != best);
        for &other in &left {
            alike[other] = alike[other].max(jaccard(&terms[other], &terms[best]));
        }
        taken.push(best);
    }
    taken
}

/// The share of terms two texts have in common.
pub(super) fn jaccard(a: &HashSet<String>, b: &HashSet<String>) -> f32 {
    let both = a.intersection(b).count();
    let any = a.len() + b.len() - both;
    if any == 0 { 0.0 } else { both as f32 / any as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(scores: &[f32]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        order
    }

    #[test]
    fn y11_five_methods_give_five_orders() {
        // Words favour 0, then 1, 2, 3; vectors favour 3; 2 is fresh; 1 matters.
        let counts: [[f32; 2]; 4] = [[2.0, 1.0], [2.0, 0.5], [1.0, 0.5], [1.0, 0.0]];
        let bm25 = |[one, two]: [f32; 2]| saturated(B, one, 8.0, 8.0) + 2.0 * saturated(B, two, 8.0, 8.0);
        let text = counts.map(bm25);
        assert_eq!(order(&text), [0, 1, 2, 3]);
        let vector = [0.1, 0.2, 0.3, 0.9];
        let hybrid = hybrid(&text, &vector);
        let timely = time_weighted(&text, &[400.0, 300.0, 1.0, 300.0]);
        let weighty = by_importance(&text, &[0.2, 1.0, 0.1, 0.1]);
        let orders: HashSet<Vec<usize>> =
            [order(&text), order(&vector), order(&hybrid), order(&timely), order(&weighty)]
                .into_iter()
                .collect();
        assert_eq!(orders.len(), 5, "{orders:?}");
        assert_eq!(order(&timely)[0], 2);
        assert_eq!(order(&weighty)[0], 1);
        assert_eq!(order(&vector)[0], 3);
    }

    #[test]
    fn y11_contradiction_13_the_hybrid_weighs_words_four_to_six() {
        let scores = hybrid(&[10.0, 0.0], &[0.0, 0.5]);
        assert!((scores[0] - 0.4).abs() < 1e-6 && (scores[1] - 0.6).abs() < 1e-6, "{scores:?}");
    }

    #[test]
    fn y14_contradiction_13_a_hit_of_one_list_is_not_thrown_away_and_weights_count() {
        let fused =
            taking_turns(&[(1.0, vec![(1.0, vec!["both", "words"]), (2.0, vec!["vectors", "both"])])]);
        assert!(fused["both"] > fused["vectors"] && fused["vectors"] > fused["words"], "{fused:?}");
        assert!(fused.values().all(|score| (0.0..=1.0).contains(score)));
        assert!((fused["both"] - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a5_questions_take_turns_and_a_looser_one_only_fills_up() {
        let keys: Vec<String> = (0..12).map(|at| format!("k{at}")).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let order = |questions: &[(f32, Orders<'_>)]| {
            let fused = taking_turns(questions);
            let mut all: Vec<(String, f32)> =
                fused.into_iter().map(|(key, share)| (key.to_owned(), share)).collect();
            all.sort_by(|(a, x), (b, y)| y.total_cmp(x).then_with(|| a.cmp(b)));
            all.into_iter().map(|(key, _)| key).collect::<Vec<_>>()
        };
        let both =
            order(&[(1.0, vec![(1.0, vec!["a", "b", "k"])]), (0.99, vec![(1.0, vec!["x", "y", "k"])])]);
        assert_eq!(both, ["a", "x", "b", "y", "k"]);
        let loosely = order(&[(1.0, vec![(1.0, keys.clone())]), (0.9, vec![(1.0, vec!["new"])])]);
        assert_eq!(loosely.iter().position(|key| key == "new"), Some(7), "{loosely:?}");
    }

    #[test]
    fn y11_the_same_thing_twice_makes_room_for_another() {
        let set = |text: &str| text.split(' ').map(str::to_owned).collect::<HashSet<_>>();
        let terms = [set("ferry late again"), set("ferry late again"), set("tea lemon")];
        assert_eq!(diverse(&[1.0, 0.95, 0.8], &terms, 3), [0, 2, 1]);
        assert_eq!(diverse(&[1.0, 0.95, 0.2], &terms, 2), [0, 1], "but not for just anything");
    }

    #[test]
    fn y11_near_ranks_are_told_apart_and_equal_ones_are_not() {
        assert_eq!(spread(&[0.9, 0.8, 0.7]).first(), Some(&1.0));
        assert_eq!(spread(&[0.9, 0.8, 0.7]).last(), Some(&0.0));
        assert_eq!(spread(&[0.5, 0.5]), [1.0, 1.0]);
        assert!(spread(&[]).is_empty());
    }

    #[test]
    fn rare_words_tell_more() {
        assert!(idf(1.0, 1000.0) > idf(100.0, 1000.0));
        assert!(idf(5000.0, 1000.0) >= 0.0);
    }
}
