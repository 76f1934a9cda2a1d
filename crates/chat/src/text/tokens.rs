//! Counting tokens: one function for the whole program (Y4).

use std::sync::LazyLock;

use crate::domain::TokenEncoding;

use super::estimate;
use super::remembered::Remembered;

/// From this length on counting takes longer than looking up what was counted, in bytes.
const WORTH_KEEPING: usize = 64;

/// Counts that are kept: a few prompts' worth.
static COUNTED: LazyLock<Remembered<u32>> = LazyLock::new(|| Remembered::new(4_096));

/// Tokens of `text` under `encoding`. Of longer texts that were counted lately it is known.
///
/// `O200k` and `Cl100k` are exact and load their vocabulary on first use (about 0.3 s); call [`warm`] from a
/// blocking thread at start so that no turn waits for it. Control strings such as `<|endoftext|>` count as the
/// plain text they are.
pub fn count(encoding: TokenEncoding, text: &str) -> u32 {
    let is_exact = matches!(encoding, TokenEncoding::O200k | TokenEncoding::Cl100k);
    if is_exact && text.len() >= WORTH_KEEPING {
        return COUNTED.or_work_out(encoding as u8, text, || count_anew(encoding, text));
    }
    count_anew(encoding, text)
}

/// [`count`], whatever was counted before.
pub fn count_anew(encoding: TokenEncoding, text: &str) -> u32 {
    let tokens = match encoding {
        TokenEncoding::O200k => tiktoken_rs::o200k_base_singleton().count_ordinary(text),
        TokenEncoding::Cl100k => tiktoken_rs::cl100k_base_singleton().count_ordinary(text),
        TokenEncoding::Estimate => return estimate::estimated_tokens(text),
        TokenEncoding::CharsOver4 => text.encode_utf16().count().div_ceil(4),
    };
    u32::try_from(tokens).unwrap_or(u32::MAX)
}

/// Loads what `encoding` needs. Blocks for up to a third of a second the first time: call it from
/// `spawn_blocking`.
pub fn warm(encoding: TokenEncoding) {
    let _ = count(encoding, "warm");
}

/// How to count for a model, by its name on the wire, with or without `openai/` in front. Exact where the
/// vocabulary is public; [`TokenEncoding::Estimate`] for every other model.
pub fn encoding_for_model(model: &str) -> TokenEncoding {
    use tiktoken_rs::tokenizer::{Tokenizer, get_tokenizer};
    let name = model.strip_prefix("openai/").unwrap_or(model);
    // OpenRouter marks variants behind a colon (`:free`, `:nitro`); the model is the same.
    let name = name.split_once(':').map_or(name, |(name, _)| name);
    match get_tokenizer(name) {
        Some(Tokenizer::O200kBase | Tokenizer::O200kHarmony) => TokenEncoding::O200k,
        Some(Tokenizer::Cl100kBase) => TokenEncoding::Cl100k,
        _ => TokenEncoding::Estimate,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn y4_exact_encodings_count_what_the_vocabulary_says() {
        // As in OpenAI's own cookbook.
        assert_eq!(count(TokenEncoding::Cl100k, "tiktoken is great!"), 6);
        assert_eq!(count(TokenEncoding::O200k, "tiktoken is great!"), 6);
        assert_eq!(count(TokenEncoding::O200k, ""), 0);
    }

    #[test]
    fn control_strings_in_a_message_are_plain_text() {
        assert!(count(TokenEncoding::O200k, "<|endoftext|>") > 1);
    }

    #[test]
    fn characters_over_four_count_utf16_units() {
        assert_eq!(count(TokenEncoding::CharsOver4, "😀😀😀"), 2);
        assert_eq!(count(TokenEncoding::CharsOver4, "12345"), 2);
    }

    #[test]
    fn a_wall_of_anything_is_counted_without_harm() {
        for wall in [" ".repeat(200_000), "a".repeat(200_000), "\n \n".repeat(60_000), "!".repeat(200_000)] {
            for encoding in [TokenEncoding::O200k, TokenEncoding::Cl100k, TokenEncoding::Estimate] {
                assert!(count(encoding, &wall) > 0);
            }
        }
    }

    #[test]
    fn public_vocabularies_are_known_by_model_name() {
        for (model, encoding) in [
            ("gpt-4o", TokenEncoding::O200k),
            ("openai/gpt-4o-mini", TokenEncoding::O200k),
            ("openai/gpt-5", TokenEncoding::O200k),
            ("openai/gpt-4.1-mini", TokenEncoding::O200k),
            ("openai/gpt-oss-120b:free", TokenEncoding::O200k),
            ("openai/gpt-3.5-turbo", TokenEncoding::Cl100k),
            ("gpt-4-turbo", TokenEncoding::Cl100k),
            ("z-ai/glm-5.2", TokenEncoding::Estimate),
            ("anthropic/claude-sonnet-4.5", TokenEncoding::Estimate),
            ("somebody/gpt-4o-tune", TokenEncoding::Estimate),
            ("", TokenEncoding::Estimate),
        ] {
            assert_eq!(encoding_for_model(model), encoding, "{model}");
        }
    }
}
