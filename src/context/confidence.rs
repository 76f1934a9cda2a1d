//! Whether enough was found: how much the best pieces matter, and what the message asks about that none of them
//! mentions (specs mechanisms A10, A14).

use std::collections::HashSet;

use super::contribution::Contribution;
use super::providers::Facet;
use crate::text::names::names_whole_word;

/// Only the best count: many weak finds are no answer.
const TOP: usize = 3;

/// 0 to 1: the sum of the three highest relevances, saturating at 1; weighed in half by the share of the facets that
/// something found speaks about. Without facets the finds alone decide. An exchange of several lines is one find.
pub(super) fn confidence<'a>(found: impl Iterator<Item = &'a Contribution> + Clone, facets: &[Facet]) -> f32 {
    let mut groups = HashSet::new();
    let is_new = |piece: &&'a Contribution| piece.group.as_deref().is_none_or(|group| groups.insert(group));
    let mut scores: Vec<f32> = found.clone().filter(is_new).map(|piece| piece.relevance).collect();
    scores.sort_by(|a, b| b.total_cmp(a));
    let sum: f32 = scores.iter().take(TOP).sum();
    let open = missing(found, facets).len();
    #[expect(clippy::cast_precision_loss, reason = "a handful of facets")]
    let coverage = if facets.is_empty() { 1.0 } else { (facets.len() - open) as f32 / facets.len() as f32 };
    sum.min(1.0) * f32::midpoint(1.0, coverage)
}

/// The facets that nothing found speaks about.
pub(super) fn missing<'a>(
    found: impl Iterator<Item = &'a Contribution> + Clone,
    facets: &[Facet],
) -> Vec<Facet> {
    facets.iter().filter(|facet| !found.clone().any(|piece| speaks_about(piece, facet))).cloned().collect()
}

fn speaks_about(piece: &Contribution, facet: &Facet) -> bool {
    let quoted = piece.quoted.as_ref();
    match facet {
        // What is dated was looked for by its date.
        Facet::Time(words) => {
            quoted.is_some_and(|quoted| quoted.at.is_some()) || names_whole_word(&piece.text, words)
        }
        Facet::Name(words) => {
            names_whole_word(&piece.text, words)
                || quoted
                    .and_then(|quoted| quoted.author.as_deref())
                    .is_some_and(|author| names_whole_word(author, words))
        }
        Facet::Relation(words) => names_whole_word(&piece.text, words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::contribution::{Placement, TailPart, Trust};
    use crate::domain::{Audience, Layer};

    fn found(relevance: f32, text: &str) -> Contribution {
        let placement = Placement::Tail(TailPart::Recalled);
        Contribution {
            relevance,
            ..Contribution::new("found", Layer::Content, placement, Trust::Held, Audience::Canon, text)
        }
    }

    #[test]
    fn a10_confidence_is_the_saturating_sum_of_the_best_weighed_by_what_is_covered() {
        let sure = |pieces: &[Contribution], facets: &[Facet]| confidence(pieces.iter(), facets);
        let ana = [Facet::Name("Ana".to_owned())];
        assert!(sure(&[], &[]) < 1e-6);
        assert!((sure(&[found(0.9, "x")], &[]) - 0.9).abs() < 1e-6);
        assert!((sure(&[found(0.5, "x"), found(0.4, "y")], &[]) - 0.9).abs() < 1e-6);
        let many: Vec<_> = (0..20).map(|_| found(0.2, "weak")).collect();
        assert!((sure(&many, &[]) - 0.6).abs() < 1e-6, "only three count");
        let line = |text| Contribution { group: Some("recalled/1".to_owned()), ..found(0.3, text) };
        assert!((sure(&[line("x"), line("y"), line("z")], &[]) - 0.3).abs() < 1e-6, "three lines, one find");
        assert!((sure(&[found(1.0, "about Ben")], &ana) - 0.5).abs() < 1e-6, "not about her");
        assert!((sure(&[found(1.0, "Ana's boat")], &ana) - 1.0).abs() < 1e-6);
        assert!(sure(&[found(1.0, "Anatol")], &ana) < 0.6, "another name");
    }
}
