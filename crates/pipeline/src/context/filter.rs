//! One look at the finds by a side model: it says what of them helps, or has the notes searched once more and says it then
//! (seed 004, tier 3; familiar-connect 1.7: ANSWER, or ESCALATE and GREP; two calls at most).
//!
//! Owns when it is asked, what it is shown and what of its answers is taken. What it says takes the place of what it was
//! shown, for the smallest circle that any of that is for; whatever else comes of it, the finds stay as they are. Must not
//! know which model is asked, nor how. Start reading at [`sifted`].

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::time::timeout;

use super::chunk::Chunk;
use super::contribution::{Contribution, Importance, Need, Quoted, TailPart};
use super::quote::attribution;
use super::request::TurnRequest;
use crate::domain::Modality;
use crate::history::Visible;
use crate::memory::Memory;
use crate::memory::grep::SeenLine;
use crate::text::short::{beginning, one_line};

/// Lines of the notes shown the second time, and letters of each.
const LINES: usize = 10;
const LINE_CHARS: usize = 400;

/// What is taken of an answer, in letters.
const ANSWER_CHARS: usize = 600;

/// Longest pattern, in letters.
const PATTERN_CHARS: usize = 200;

/// Asks a side model what of numbered finds helps, the second time with the lines of the notes that its pattern found.
/// `None` where nothing came of it. Given only where no other model is asked before the reply's first word.
pub type Sieve<'a> =
    Box<dyn Fn(String, Vec<String>, Option<Vec<String>>) -> BoxFuture<'a, Option<String>> + Send + Sync + 'a>;

/// What a side model's word means.
#[derive(Debug, Clone, PartialEq, Eq)]
enum FilterVerdict {
    Answer(String),
    /// Look for this in the notes.
    Grep(String),
}

/// Whether a turn's finds are looked at.
pub(super) fn is_for(request: &TurnRequest) -> bool {
    let looks_things_up = request.plan.found_tokens > 0 && request.as_of.is_none();
    looks_things_up && request.modality == Modality::Text
}

/// What the side model says of the finds, and in the place of which it comes, by their sources; `None` where they stay as they
/// are.
pub(super) async fn sifted(
    chunks: &[Chunk],
    request: &TurnRequest,
    sieve: &Sieve<'_>,
    memory: &Arc<Memory>,
    most: Duration,
) -> Option<(Contribution, BTreeSet<String>)> {
    let may_go = |chunk: &&Chunk| chunk.need == Need::Search && chunk.importance != Importance::Axiom;
    let finds = best(chunks.iter().filter(may_go));
    let excerpts: Vec<String> = finds.iter().map(|find| excerpt(find, request)).collect();
    let asked = async {
        let question = || request.utterance().to_owned();
        match verdict(&sieve(question(), excerpts.clone(), None).await?)? {
            FilterVerdict::Answer(words) => Some((words, Vec::new())),
            FilterVerdict::Grep(pattern) => {
                let lines = grepped(memory, pattern, request).await?;
                let shown: Vec<String> = lines.iter().map(seen_line).collect();
                match verdict(&sieve(question(), excerpts.clone(), Some(shown)).await?)? {
                    FilterVerdict::Answer(words) => Some((words, lines)),
                    FilterVerdict::Grep(_) => None,
                }
            }
        }
    };
    let (words, lines) = timeout(most, asked).await.ok()??;
    if finds.is_empty() && lines.is_empty() {
        // It rests on nothing.
        return None;
    }
    let source = match lines.len() {
        0 => format!("recalled/filtered from {}", finds.len()),
        lines => format!("recalled/filtered from {} and {lines} of the notes", finds.len()),
    };
    let words = format!("In short, of what was found: {words}");
    // Held text like what it rests on, for those who may see all of that.
    let learnt = finds.iter().map(|find| find.audience.clone());
    let learnt = learnt.chain(lines.into_iter().map(|line| line.audience));
    let audience = Visible::circle_of(learnt, &request.place.audience);
    let answer = Contribution {
        importance: Importance::High,
        relevance: finds.first().map_or(1.0, |best| best.relevance),
        quoted: Some(Quoted::default()),
        need: Need::Search,
        ..Contribution::looked_up(source, TailPart::Recalled, audience, words)
    };
    Some((answer, finds.into_iter().map(|find| find.source.clone()).collect()))
}

fn seen_line(line: &SeenLine) -> String {
    format!("{}: {}", line.note, beginning(&one_line(&line.words), LINE_CHARS))
}

async fn grepped(memory: &Arc<Memory>, pattern: String, request: &TurnRequest) -> Option<Vec<SeenLine>> {
    let visible = request.visible();
    let today = request.now.to_zoned(request.display_tz.clone()).date();
    match memory.seen_by(&visible).lines(pattern, today, LINES).await.ok()? {
        Ok(lines) => Some(lines),
        Err(error) => {
            tracing::info!(%error, "the notes are not searched for what a model wants");
            None
        }
    }
}

/// The first line that keeps to the form. Small models dress it up: bold, in quotes, in small letters.
fn verdict(answer: &str) -> Option<FilterVerdict> {
    answer.lines().find_map(|line| {
        let line = line.trim().trim_matches(['*', '`', '>', '#']).trim();
        if let Some(words) = after_word(line, "ANSWER") {
            let words = beginning(&one_line(words), ANSWER_CHARS).to_owned();
            let is_nothing = words.trim_matches(['.', '"', '*']).eq_ignore_ascii_case("nothing");
            return (!words.is_empty() && !is_nothing).then_some(FilterVerdict::Answer(words));
        }
        let rest = after_word(line, "ESCALATE")?;
        let at = rest.to_ascii_uppercase().rfind("GREP:")?;
        let pattern = rest[at..].get(5..)?.trim().trim_matches(['`', '"', '\'', '/']).trim();
        let fits = !pattern.is_empty() && pattern.chars().count() <= PATTERN_CHARS;
        fits.then(|| FilterVerdict::Grep(pattern.to_owned()))
    })
}

fn after_word<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let (head, rest) = line.split_at_checked(word.len())?;
    let rest = rest.trim_start_matches('*').trim_start().strip_prefix(':')?;
    head.eq_ignore_ascii_case(word).then(|| rest.trim_start_matches('*').trim())
}

/// Finds shown at once, and letters of each: some 150 tokens (familiar-connect 1.7), the first pass over them, for
/// which no model is needed (A14).
const SHOWN: usize = 24;
const EXCERPT_CHARS: usize = 600;

/// Those that are shown, the best first.
fn best<'c>(finds: impl Iterator<Item = &'c Chunk>) -> Vec<&'c Chunk> {
    let mut best: Vec<&Chunk> = finds.collect();
    best.sort_by(|a, b| b.relevance.total_cmp(&a.relevance).then_with(|| a.source.cmp(&b.source)));
    best.truncate(SHOWN);
    best
}

/// A find on one line, behind whose words it is, where and when, as far as somebody in particular said it.
fn excerpt(find: &Chunk, request: &TurnRequest) -> String {
    let line = one_line(&find.text);
    let words = beginning(&line, EXCERPT_CHARS);
    match find.quoted.as_ref().map(|quoted| attribution(quoted, &request.display_tz)) {
        Some(from) if !from.is_empty() => format!("{from}: {words}"),
        _ => words.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn seed_8_tier_3_an_answer_or_a_pattern_is_read_whatever_stands_around_it() {
        let answer = |words: &str| Some(FilterVerdict::Answer(words.to_owned()));
        let grep = |pattern: &str| Some(FilterVerdict::Grep(pattern.to_owned()));
        for (said, expected) in [
            ("ANSWER: Ana keeps bees.", answer("Ana keeps bees.")),
            ("Sure!\n**Answer:** Ana keeps   bees.", answer("Ana keeps bees.")),
            ("ESCALATE: no hive; GREP: bees?|hive", grep("bees?|hive")),
            ("escalate: too little; grep: `hive`", grep("hive")),
            ("ESCALATE: what is GREP: for; GREP: hive", grep("hive")),
            ("ANSWER: NOTHING", None),
            ("ANSWER:", None),
            ("ESCALATE: no idea", None),
            ("ESCALATE: no idea; GREP:", None),
            ("Ana keeps bees.", None),
            ("ANSWERS: none", None),
            ("", None),
        ] {
            assert_eq!(verdict(said), expected, "{said}");
        }
    }

    proptest! {
        #[test]
        fn seed_8_tier_3_no_answer_breaks_anything(said in "(ANSWER|ESCALATE|GREP|: ?|; |\\PC|\n|ä){0,40}") {
            if let Some(FilterVerdict::Grep(pattern)) = verdict(&said) {
                prop_assert!(pattern.chars().count() <= PATTERN_CHARS);
            }
        }
    }
}
