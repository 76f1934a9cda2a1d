//! How much a model reads, where its server says so only by refusing what is longer.
//!
//! Owns what a refusal says of the window, and what was learned of it while the process runs. Start reading at
//! [`LearnedWindows`].

use std::collections::BTreeMap;

use parking_lot::Mutex;

/// Where servers name their window, lowercase: the number follows. OpenAI, vLLM and OpenRouter; llama.cpp; LM Studio;
/// Google; TGI; Anthropic.
const NAMED_BEHIND: [&str; 8] = [
    "maximum context length is ",
    "maximum context length of ",
    "available context size (",
    "context length of only ",
    "maximum number of tokens allowed (",
    "context window of ",
    "must be <= ",
    "tokens > ",
];

/// A smaller number is something else than a window, and no prompt would fit into it.
const LEAST: u32 = 1_024;

/// The window that a refusal names, in tokens.
pub(crate) fn named_window(words: &str) -> Option<u32> {
    let words = words.to_lowercase();
    NAMED_BEHIND.iter().find_map(|cue| {
        let behind = words.split_once(cue)?.1;
        let digits: String = behind
            .chars()
            .take_while(|c| c.is_ascii_digit() || *c == ',')
            .filter(char::is_ascii_digit)
            .collect();
        digits.parse().ok().filter(|tokens| *tokens >= LEAST)
    })
}

/// Models that refused what should have fitted. Forgotten with the process: servers are started anew with other windows.
#[derive(Debug, Default)]
pub(crate) struct LearnedWindows {
    at_most: Mutex<BTreeMap<String, u32>>,
}

impl LearnedWindows {
    /// What a model reads of the tokens that are assumed.
    pub(crate) fn within(&self, model: &str, assumed: u32) -> u32 {
        self.at_most.lock().get(model).map_or(assumed, |learned| assumed.min(*learned))
    }

    /// A request of so many tokens, the reply's among them, was refused as too long. Where the server names no smaller
    /// window, it is taken to be a good deal less than was sent, as counts differ; what was longer than assumed says nothing.
    pub(crate) fn refused(&self, model: &str, assumed: u32, sent: u32, named: Option<u32>) {
        let learned = match named {
            Some(named) if named < assumed => named,
            _ if sent <= assumed => (sent - sent / 4).max(LEAST),
            _ => return,
        };
        if learned < assumed {
            tracing::info!(model, learned, assumed, "the model reads less than was assumed");
            self.at_most.lock().insert(model.to_owned(), learned);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_is_read_from_what_servers_say() {
        let rows = [
            (
                "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens",
                Some(4_096),
            ),
            (
                "request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it",
                Some(4_096),
            ),
            ("the model is loaded with context length of only 4,096 tokens", Some(4_096)),
            ("prompt is too long: 210000 tokens > 200000 maximum", Some(200_000)),
            ("exceeds the maximum number of tokens allowed (1048576).", Some(1_048_576)),
            ("`inputs` tokens + `max_new_tokens` must be <= 8192", Some(8_192)),
            ("context_length_exceeded", None),
            ("the maximum context length is 3", None),
        ];
        for (words, window) in rows {
            assert_eq!(named_window(words), window, "{words}");
        }
    }

    #[test]
    fn what_was_refused_though_it_should_have_fitted_makes_the_window_smaller() {
        let windows = LearnedWindows::default();
        assert_eq!(windows.within("m", 8_192), 8_192);
        windows.refused("m", 8_192, 9_000, None);
        assert_eq!(windows.within("m", 8_192), 8_192, "it was longer than anybody thought it could be");
        windows.refused("m", 8_192, 8_000, None);
        assert_eq!(windows.within("m", 8_192), 6_000);
        windows.refused("m", 6_000, 5_000, Some(4_096));
        assert_eq!((windows.within("m", 8_192), windows.within("m", 2_048)), (4_096, 2_048));
        assert_eq!(windows.within("other", 8_192), 8_192);
    }
}
