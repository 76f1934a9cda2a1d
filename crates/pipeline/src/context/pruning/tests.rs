use proptest::prelude::*;

use super::*;

fn count(text: &str) -> u32 {
    u32::try_from(text.chars().count().div_ceil(4)).unwrap()
}

fn did(tool: &str, of: &str, text: &str) -> PrunedCall {
    PrunedCall {
        tool: tool.to_owned(),
        intent: of.to_owned(),
        attempt: of.to_owned(),
        only_reads: false,
        has_failed: false,
        text: text.to_owned(),
        between: count(of),
    }
}

fn read(of: &str, text: &str) -> PrunedCall {
    PrunedCall { only_reads: true, ..did("read", of, text) }
}

fn failed(call: PrunedCall) -> PrunedCall {
    PrunedCall { has_failed: true, ..call }
}

fn pruned(calls: &[PrunedCall]) -> Vec<PrunedCall> {
    let mut calls = calls.to_vec();
    prune(&mut calls, &count);
    calls
}

#[test]
fn y7_a_failed_attempt_goes_only_when_the_same_was_done_later() {
    let trouble = format!("no such city: Gent. {}", "Did you mean one of these? ".repeat(20));
    let calls = [
        failed(read("ghent", &trouble)),
        failed(read("delft", &trouble)),
        did("remind", "ghent", "set"),
        read("ghent", "rain"),
        failed(read("ghent", &trouble)),
    ];
    let after = pruned(&calls);
    let brief = &after[0].text;
    assert!(brief.starts_with("[failed, done below: no such city: Gent. Did you"), "{brief:?}");
    assert_eq!(after[1..], calls[1..], "another city, another tool and a later failure stay");
}

#[test]
fn y10_reads_that_were_repeated_are_blanked_near_the_end() {
    let page = "the same page ".repeat(300);
    let other = "another page ".repeat(2_000);
    let mut calls = vec![
        read("far", &page),
        read("other", &other),
        read("near", &page),
        read("far", &page),
        read("near", &page),
    ];
    let blanked = |calls: &[PrunedCall]| -> Vec<usize> {
        let after = (1..).zip(pruned(calls));
        after.filter(|(_, call)| call.text == SUPERSEDED).map(|(at, _)| at).collect()
    };
    // Behind the first stand a page cut to 10,000 characters (2,500 tokens) and three of 1,050.
    assert_eq!(blanked(&calls), [1, 3]);
    calls.extend((6..12).map(|n| read(&format!("page {n}"), &page)));
    assert_eq!(blanked(&calls), [0; 0]);
}

#[test]
fn y10_small_transcripts_and_things_that_were_done_are_left_alone() {
    let small = vec![read("same", "short"); 4];
    assert_eq!(pruned(&small), small);
    let acts = vec![did("send", "alice", &"sent ".repeat(500)); 8];
    assert_eq!(pruned(&acts), acts);
}

#[test]
fn y4_a_long_result_keeps_its_head_and_its_tail_within_the_one_cap() {
    let long = format!("BEGIN{}END", "é".repeat(30_000));
    let after = pruned(&[read("x", &long)]);
    let text = &after[0].text;
    assert!(
        text.starts_with("BEGIN") && text.ends_with("END") && text.contains("characters left out"),
        "{text}"
    );
    assert!(text.chars().count() <= RESULT_MAX_CHARS);
    assert_eq!(pruned(&after), after, "and only once");
}

proptest! {
    #[test]
    fn y10_pruning_shrinks_results_and_leaves_everything_else(
        steps in prop::collection::vec((0_usize..3, 0_usize..3, any::<bool>(), any::<bool>(), 0_usize..15_000), 0..30),
    ) {
        let calls: Vec<PrunedCall> = steps
            .into_iter()
            .map(|(tool, of, only_reads, has_failed, size)| PrunedCall {
                only_reads,
                has_failed,
                ..did(&format!("t{tool}"), &format!("i{of}"), &"w ".repeat(size))
            })
            .collect();
        let after = pruned(&calls);
        for (after, before) in after.iter().zip(&calls) {
            prop_assert!(count(&after.text) <= count(&before.text));
            prop_assert!(after.text.chars().count() <= RESULT_MAX_CHARS);
            prop_assert_eq!(&PrunedCall { text: before.text.clone(), ..after.clone() }, before);
        }
    }
}
