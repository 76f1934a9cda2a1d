//! The fuzz targets' entry functions on whole seeds and on seeds that were damaged, without a fuzzer.

use proptest::prelude::*;

use super::stable::seeds;

#[path = "../../fuzz/entry.rs"]
pub mod entry;

const ENTRIES: [fn(&[u8]); 6] =
    [entry::png_card, entry::json_card, entry::charx, entry::webp, entry::yaml, entry::lorebook];

#[test]
fn every_target_takes_every_whole_seed() {
    for seed in seeds() {
        for entry in ENTRIES {
            entry(&seed);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_target_takes_damaged_seeds(
        seed in 0..9_usize,
        from in any::<prop::sample::Index>(),
        to in any::<prop::sample::Index>(),
        noise in prop::collection::vec(any::<u8>(), 0..12),
    ) {
        let whole = seeds().swap_remove(seed);
        let (from, to) = (from.index(whole.len()), to.index(whole.len()));
        // A piece is taken out, doubled or replaced by noise, depending on how the two places fall.
        let bytes = [&whole[..from], &noise, &whole[to..]].concat();
        for entry in ENTRIES {
            entry(&bytes);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_scan_target_takes_damaged_books(
        from in any::<prop::sample::Index>(),
        to in any::<prop::sample::Index>(),
        noise in "[/()+*?.a-z@{}\\[\\]\\\\]{0,12}",
    ) {
        let whole = BOOK.as_bytes();
        entry::lore_scan(whole);
        // Only what is inside the keys and texts is damaged, or there would be no book left to scan.
        let (low, high) = (BOOK.find("gate").unwrap(), BOOK.find("end of it").unwrap());
        let span = high - low;
        let (from, to) = (low + from.index(span), low + to.index(span));
        entry::lore_scan(&[&whole[..from.min(to)], noise.replace('\\', "\\\\").as_bytes(), &whole[from.max(to)..]].concat());
    }
}

/// A book with patterns, groups, decorators and effects, and a chat behind it.
const BOOK: &str = concat!(
    r#"{"entries":{"0":{"uid":0,"key":["gate","/(g+)+a\\1?/i","{{char}}"],"content":"@@depth 2\n@@exclude_keys moon\nA gate. Old.","#,
    r#""sticky":2,"cooldown":1,"group":"a,b"},"1":{"uid":1,"key":["old"],"keysecondary":["gate","moon"],"selective":true,"#,
    r#""selectiveLogic":3,"content":"The moon. end of it","probability":50,"group":"a","matchCharacterDescription":true}}}"#,
    "\0Alice: the old gate\nBob: the moon, Ada",
);

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_stream_target_takes_damaged_streams(
        order in prop::collection::vec(0..STREAM.len(), 0..12),
        from in any::<prop::sample::Index>(),
        to in any::<prop::sample::Index>(),
        noise in prop::collection::vec(any::<u8>(), 0..12),
    ) {
        let whole = order.iter().map(|&line| STREAM[line]).collect::<Vec<_>>().join("\n").into_bytes();
        entry::stream(&whole);
        let (from, to) = (from.index(whole.len() + 1), to.index(whole.len() + 1));
        entry::stream(&[&whole[..from], &noise, &whole[to..]].concat());
    }
}

/// Payloads of every kind that a stream can carry.
const STREAM: [&str; 8] = [
    r#"{"id":"1","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"}}]}"#,
    r#"{"choices":[{"index":0,"delta":{"content":"<think>hm</think>\u00e9 \ud83d\ude00"}}]}"#,
    r#"{"choices":[{"index":0,"delta":{"reasoning":"so","reasoning_details":[{"text":"so"}]}}]}"#,
    r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{"}}]}}]}"#,
    r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
    r#"{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2,"cost":0.1}}"#,
    r#"{"error":{"code":502,"message":"gone"},"choices":[]}"#,
    "[DONE]",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_mcp_target_takes_damaged_lists_of_tools(
        from in any::<prop::sample::Index>(),
        to in any::<prop::sample::Index>(),
        noise in prop::collection::vec(any::<u8>(), 0..12),
    ) {
        let whole = TOOLS.as_bytes();
        entry::mcp(whole);
        let (from, to) = (from.index(whole.len() + 1), to.index(whole.len() + 1));
        entry::mcp(&[&whole[..from], &noise, &whole[to..]].concat());
    }
}

/// A server's list of tools.
const TOOLS: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"edit","description":"Edits.","inputSchema":{"type":"object","#,
    r##""properties":{"path":{"type":"string","maxLength":9},"edits":{"type":"array","items":{"$ref":"#/$defs/Edit"}}},"##,
    r#""required":["path"],"$defs":{"Edit":{"anyOf":[{"type":"string","enum":["a"]},{"type":"null"}]}}}}]}}"#,
);

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_frames_target_takes_damaged_lines(
        from in any::<prop::sample::Index>(),
        to in any::<prop::sample::Index>(),
        noise in prop::collection::vec(any::<u8>(), 0..12),
    ) {
        let whole = [TOOLS, "\r\n\n{}\nwarning: \u{1b}[1mslow\n"].concat();
        let whole = whole.as_bytes();
        entry::mcp_frames(whole);
        let (from, to) = (from.index(whole.len() + 1), to.index(whole.len() + 1));
        entry::mcp_frames(&[&whole[..from], &noise, &whole[to..]].concat());
    }

    #[test]
    fn the_arguments_target_takes_damaged_arguments(
        which in 0..ARGUMENTS.len(),
        from in any::<prop::sample::Index>(),
        to in any::<prop::sample::Index>(),
        noise in prop::collection::vec(any::<u8>(), 0..12),
    ) {
        let whole = ARGUMENTS[which].as_bytes();
        entry::tool_arguments(whole);
        let (from, to) = (from.index(whole.len() + 1), to.index(whole.len() + 1));
        entry::tool_arguments(&[&whole[..from], &noise, &whole[to..]].concat());
    }
}

/// Arguments as models write them, and a time that somebody named.
const ARGUMENTS: [&str; 7] = [
    r#"{"query":"the ferry","limit":5}"#,
    r#"{"question":"Tea?","answers":["yes","no"],"hours":24,"several":false}"#,
    r#"{"text":"feed the cat","when":"tomorrow at 8"}"#,
    r#"{"dice":2,"sides":1e3,"bonus":-1}"#,
    r#"{"amount":1e308,"from":"km","to":"\u00b0F"}"#,
    "every Monday at 9:15",
    "2026-11-27T18:30:00+01:00[Europe/Berlin]",
];
