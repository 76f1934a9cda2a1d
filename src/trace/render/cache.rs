//! What providers could keep of the requests, in words.

use std::fmt::Write as _;

use crate::domain::{CacheFigures, CachedBy, ModelCall};

use super::figures::{cost, thousands};

/// One line for every call of which something comes again.
pub(super) fn told(text: &mut String, calls: &[ModelCall]) {
    for call in calls {
        let saved = call.usage.and_then(|usage| usage.cache_discount_usd).map(saved);
        let parts: Vec<String> = call.cache.as_ref().map(words).into_iter().chain(saved).collect();
        if !parts.is_empty() {
            let _ = writeln!(text, "\nCache of `{}`: {}.", call.slot, parts.join("; "));
        }
    }
}

fn words(cache: &CacheFigures) -> String {
    let tokens = |tokens: u32| thousands(tokens.into());
    if cache.repeatable_tokens < cache.minimum_tokens {
        return format!(
            "not cached: {} of {} tokens needed",
            tokens(cache.repeatable_tokens),
            tokens(cache.minimum_tokens)
        );
    }
    match (cache.by, cache.marked.as_slice()) {
        (CachedBy::Itself, _) => {
            format!("left to the provider; {} tokens come again", tokens(cache.repeatable_tokens))
        }
        (CachedBy::Markers, []) => "not cached yet: too few tokens up to where the marker rests".to_owned(),
        (CachedBy::Markers, [only]) => format!("marked at {} tokens", tokens(*only)),
        (CachedBy::Markers, marked) => {
            let marked: Vec<String> = marked.iter().map(|at| tokens(*at)).collect();
            let (last, others) = marked.split_last().map_or(("", &[][..]), |(last, others)| (last, others));
            format!("marked at {} and {last} tokens", others.join(", "))
        }
    }
}

/// What the cache saved, or cost where writing to it was dearer.
fn saved(dollars: f64) -> String {
    if dollars < 0.0 {
        format!("it cost {} more", cost(-dollars))
    } else {
        format!("it saved {}", cost(dollars))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(by: CachedBy, marked: &[u32], repeatable_tokens: u32, minimum_tokens: u32) -> CacheFigures {
        CacheFigures { by, marked: marked.to_vec(), repeatable_tokens, minimum_tokens }
    }

    #[test]
    fn every_case_has_its_words() {
        let said = [
            figures(CachedBy::Markers, &[], 2_310, 4_096),
            figures(CachedBy::Itself, &[], 700, 1_024),
            figures(CachedBy::Itself, &[], 3_900, 1_024),
            figures(CachedBy::Markers, &[1_510], 1_510, 1_024),
            figures(CachedBy::Markers, &[1_510, 3_900, 4_120], 4_120, 1_024),
            figures(CachedBy::Markers, &[], 1_200, 1_024),
        ]
        .map(|cache| words(&cache));
        let expected = [
            "not cached: 2,310 of 4,096 tokens needed",
            "not cached: 700 of 1,024 tokens needed",
            "left to the provider; 3,900 tokens come again",
            "marked at 1,510 tokens",
            "marked at 1,510, 3,900 and 4,120 tokens",
            "not cached yet: too few tokens up to where the marker rests",
        ];
        assert_eq!(said, expected);
        assert_eq!([saved(0.0123), saved(-0.0004)], ["it saved $0.01230", "it cost $0.00040 more"]);
    }
}
