//! What of a turn's own tool use is sent again: the calls a model made and what came back (Y7, Y10).
//!
//! Pure functions from results to smaller ones that say the same: failed attempts that later succeeded become one
//! line, reads that were repeated are blanked where they stand, long results keep their head and their tail. Must not
//! know what a tool does. Start reading at [`prune`].
//!
//! Two things of Y10 do not arise here. Thinking is never sent again, because it never gets into a round: the stream's
//! reasoning is dropped as it comes. And the provider's cache is never cold: a transcript lives as long as one reply,
//! whose requests follow each other within minutes.

use std::collections::HashSet;

use crate::text::short::{one_line, shortened};

/// The longest result of a tool that is sent, in characters: the one cap there is (Y4, Y10).
pub const RESULT_MAX_CHARS: usize = 10_000;

/// What is blanked may have at most this many tokens behind it: everything behind a change is paid for in full again
/// (Y10).
const SUFFIX_TOKENS: u32 = 8_000;

/// Blanking starts once the transcript takes this many tokens (Y10); below, the cache is worth more.
const BLANK_FROM_TOKENS: u32 = 3_000;

/// Most results blanked at once (Y10).
const BLANK_MAX: usize = 5;

/// So much is told of an attempt that failed where a later one did not, in characters.
const FAILED_CHARS: usize = 80;

/// Stands in the place of a result that a later one made obsolete.
const SUPERSEDED: &str = "[read again below]";

/// A call of a tool with what came of it, in the order it happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrunedCall {
    pub tool: String,
    /// What the call asks for. What two calls of one tool with the same intent read is the same.
    pub intent: String,
    /// What the call was for, whatever the other arguments: the file, the query, the person. Two calls of one tool with the
    /// same are attempts at the same thing.
    pub attempt: String,
    /// It only looks something up, so that a later look makes it obsolete. What changes something is never blanked.
    pub only_reads: bool,
    /// It did not do what it was for.
    pub has_failed: bool,
    pub text: String,
    /// What stands between this and the result before it, in tokens: the model's words and its calls.
    pub between: u32,
}

/// All of it, in the order that leaves most to the later steps. `count` counts tokens.
pub fn prune(calls: &mut [PrunedCall], count: &dyn Fn(&str) -> u32) {
    shorten_failed_attempts(calls, count);
    // A long result keeps its beginning and its end: what a listing is and how it ends say more than its middle.
    for call in &mut *calls {
        if let Some(text) = head_and_tail(&call.text, RESULT_MAX_CHARS) {
            call.text = text;
        }
    }
    blank_superseded(calls, count);
}

/// A failed attempt goes when a later one of the same tool at the same thing succeeded. Its result keeps one line in
/// its place, so that the model knows what not to try again (Y7).
fn shorten_failed_attempts(calls: &mut [PrunedCall], count: &dyn Fn(&str) -> u32) {
    let mut succeeded: HashSet<(&str, &str)> = HashSet::new();
    // From the end: a success only makes what came before it obsolete.
    for PrunedCall { tool, attempt, has_failed, text, .. } in calls.iter_mut().rev() {
        let key = (tool.as_str(), attempt.as_str());
        if !*has_failed {
            succeeded.insert(key);
        } else if succeeded.contains(&key) {
            let brief = format!("[failed, done below: {}]", shortened(&one_line(text), FAILED_CHARS));
            if count(&brief) < count(text) {
                *text = brief;
            }
        }
    }
}

/// Reads that a later read of the same repeats are blanked where they stand, so that everything before them stays the
/// same bytes. Only near the end: what stands behind is paid for again (Y10).
fn blank_superseded(calls: &mut [PrunedCall], count: &dyn Fn(&str) -> u32) {
    let sizes: Vec<u32> = calls.iter().map(|call| count(&call.text)).collect();
    let all = calls.iter().map(|call| call.between).chain(sizes.iter().copied());
    if all.fold(0, u32::saturating_add) < BLANK_FROM_TOKENS {
        return;
    }
    let mut read_later: HashSet<(&str, &str)> = HashSet::new();
    let (mut suffix, mut blanked) = (0_u32, 0);
    let blank_tokens = count(SUPERSEDED);
    for (call, size) in calls.iter_mut().zip(sizes).rev() {
        let PrunedCall { tool, intent, only_reads, has_failed, text, between, .. } = call;
        if *only_reads
            && !*has_failed
            && !read_later.insert((tool.as_str(), intent.as_str()))
            && suffix <= SUFFIX_TOKENS
            && size > blank_tokens
            && blanked < BLANK_MAX
        {
            SUPERSEDED.clone_into(text);
            blanked += 1;
        }
        suffix = suffix.saturating_add(size).saturating_add(*between);
    }
}

/// A text of more than `most` characters as its head and its tail with a word on what is missing; `None` when it is not
/// longer. The whole is never longer than `most`, as far as `most` holds the word.
pub fn head_and_tail(text: &str, most: usize) -> Option<String> {
    const MARK_CHARS: usize = 48;
    let length = text.chars().count();
    if length <= most {
        return None;
    }
    let room = most.saturating_sub(MARK_CHARS);
    let (head, tail) = (room * 2 / 3, room - room * 2 / 3);
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(length - tail).collect();
    // Every line of a quotation has its mark.
    let is_quoted = text.starts_with("> ") || text.contains("\n> ");
    let end = end.split_once('\n').filter(|_| is_quoted).map_or(&*end, |(_, lines)| lines);
    let mark = if is_quoted && !end.starts_with("> ") { "> " } else { "" };
    Some(format!("{start}\n[… {} characters left out …]\n{mark}{end}", length - head - end.chars().count()))
}

#[cfg(test)]
mod tests;
