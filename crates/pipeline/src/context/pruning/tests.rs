use proptest::prelude::*;

use super::*;

fn count(text: &str) -> u32 {
    u32::try_from(text.chars().count().div_ceil(4)).unwrap()
}

fn call(id: usize, tool: &str, intent: &str, effect: CallEffect) -> TranscriptEntry {
    TranscriptEntry::Call(PrunedCall {
        id: id.to_string(),
        tool: tool.to_owned(),
        intent: intent.to_owned(),
        attempt: intent.to_owned(),
        effect,
    })
}

fn result(id: usize, ended: CallOutcome, text: &str) -> TranscriptEntry {
    TranscriptEntry::Result(PrunedResult {
        call: id.to_string(),
        ended,
        text: text.to_owned(),
        tokens: count(text),
    })
}

fn read(id: usize, of: &str, text: &str) -> [TranscriptEntry; 2] {
    [call(id, "read", of, CallEffect::Reads), result(id, CallOutcome::Well, text)]
}

fn texts(transcript: &[TranscriptEntry]) -> Vec<&str> {
    transcript
        .iter()
        .filter_map(|entry| match entry {
            TranscriptEntry::Result(result) => Some(result.text.as_str()),
            _ => None,
        })
        .collect()
}

#[test]
fn y7_a_failed_attempt_goes_only_when_the_same_was_done_later() {
    let trouble = format!("no such city: Gent. {}", "Did you mean one of these? ".repeat(20));
    let transcript = vec![
        call(1, "weather", "ghent", CallEffect::Reads),
        result(1, CallOutcome::Badly, &trouble),
        call(2, "weather", "delft", CallEffect::Reads),
        result(2, CallOutcome::Badly, &trouble),
        call(3, "remind", "ghent", CallEffect::Acts),
        result(3, CallOutcome::Well, "set"),
        call(4, "weather", "ghent", CallEffect::Reads),
        result(4, CallOutcome::Well, "rain"),
        call(5, "weather", "ghent", CallEffect::Reads),
        result(5, CallOutcome::Badly, &trouble),
    ];
    let after = prune(transcript.clone(), &count);
    assert!(
        texts(&after)[0].starts_with("[failed, done below: no such city: Gent. Did you"),
        "{:?}",
        texts(&after)[0]
    );
    assert_eq!(after[2..], transcript[2..], "another city, another tool and a later failure stay");
}

#[test]
fn y8_every_call_keeps_a_result_and_the_words_around_stay() {
    let transcript = vec![
        TranscriptEntry::Text("what is it like in Ghent?".to_owned()),
        call(1, "weather", "ghent", CallEffect::Reads),
        result(1, CallOutcome::Badly, &"timeout ".repeat(40)),
        call(2, "weather", "ghent", CallEffect::Reads),
        result(2, CallOutcome::Well, "rain"),
        TranscriptEntry::Text("It rains.".to_owned()),
    ];
    let after = prune(transcript, &count);
    assert!(texts(&after)[0].starts_with("[failed, done below: timeout"), "{:?}", texts(&after)[0]);
    let kinds: Vec<&str> = after
        .iter()
        .map(|entry| match entry {
            TranscriptEntry::Call(_) => "call",
            TranscriptEntry::Result(_) => "result",
            TranscriptEntry::Text(_) => "text",
        })
        .collect();
    assert_eq!(kinds, ["text", "call", "result", "call", "result", "text"]);
}

#[test]
fn y10_reads_that_were_repeated_are_blanked_near_the_end() {
    let page = "the same page ".repeat(300);
    let mut transcript = Vec::new();
    transcript.extend(read(1, "far", &page));
    transcript.extend(read(2, "other", &"another page ".repeat(2_000)));
    transcript.extend(read(3, "near", &page));
    transcript.extend(read(4, "far", &page));
    transcript.extend(read(5, "near", &page));
    let blanked = |transcript: &[TranscriptEntry]| -> Vec<usize> {
        let after = prune(transcript.to_vec(), &count);
        let results = (1..).zip(texts(&after));
        results.filter(|(_, text)| *text == SUPERSEDED).map(|(at, _)| at).collect()
    };
    // Behind the first stand a page cut to 10,000 characters (2,500 tokens) and three of 1,050.
    assert_eq!(blanked(&transcript), [1, 3]);
    for n in 6..12 {
        transcript.extend(read(n, &format!("page {n}"), &page));
    }
    assert_eq!(blanked(&transcript), [0; 0]);
}

#[test]
fn y10_small_transcripts_and_things_that_were_done_are_left_alone() {
    let mut transcript = Vec::new();
    for id in 0..4 {
        transcript.extend(read(id, "same", "short"));
    }
    assert_eq!(prune(transcript.clone(), &count), transcript);
    let mut acts = Vec::new();
    for id in 0..8 {
        acts.push(call(id, "send", "alice", CallEffect::Acts));
        acts.push(result(id, CallOutcome::Well, &"sent ".repeat(500)));
    }
    assert_eq!(prune(acts.clone(), &count), acts);
}

#[test]
fn y4_a_long_result_keeps_its_head_and_its_tail_within_the_one_cap() {
    let long = format!("BEGIN{}END", "é".repeat(30_000));
    let after = prune(read(1, "x", &long).into(), &count);
    let text = texts(&after)[0];
    assert!(
        text.starts_with("BEGIN") && text.ends_with("END") && text.contains("characters left out"),
        "{text}"
    );
    assert!(text.chars().count() <= RESULT_MAX_CHARS);
    assert_eq!(prune(after.clone(), &count), after, "and only once");
}

proptest! {
    #[test]
    fn y10_pruning_keeps_every_call_with_its_result_shrinks_and_is_done_after_one_pass(
        steps in prop::collection::vec((0_usize..3, 0_usize..3, any::<bool>(), any::<bool>(), 0_usize..15_000), 0..30),
    ) {
        let mut transcript = Vec::new();
        for (id, (tool, intent, reads, well, size)) in steps.into_iter().enumerate() {
            let effect = if reads { CallEffect::Reads } else { CallEffect::Acts };
            transcript.push(call(id, &format!("t{tool}"), &format!("i{intent}"), effect));
            transcript.push(result(id, if well { CallOutcome::Well } else { CallOutcome::Badly }, &"w ".repeat(size)));
        }
        let tokens = |entries: &[TranscriptEntry]| texts(entries).iter().map(|text| count(text)).sum::<u32>();
        let after = prune(transcript.clone(), &count);
        prop_assert!(tokens(&after) <= tokens(&transcript));
        let ids = |entries: &[TranscriptEntry]| -> Vec<String> {
            entries.iter().filter_map(|entry| match entry {
                TranscriptEntry::Call(call) => Some(call.id.clone()),
                TranscriptEntry::Result(result) => Some(result.call.clone()),
                _ => None,
            }).collect()
        };
        prop_assert_eq!(ids(&after), ids(&transcript));
        for entry in &after {
            if let TranscriptEntry::Result(result) = entry {
                prop_assert!(result.text.chars().count() <= RESULT_MAX_CHARS);
                prop_assert_eq!(result.tokens, count(&result.text));
            }
        }
    }
}
