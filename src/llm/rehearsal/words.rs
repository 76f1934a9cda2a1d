//! Words of a line, as far as a rehearsal needs them: lower case, without the ones every line has.

use std::collections::BTreeSet;

use unicode_segmentation::UnicodeSegmentation as _;

use crate::text::short::one_line;

/// Words too common to say what a line is about.
const COMMON: &[&str] = &[
    "a", "about", "again", "all", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by",
    "can", "could", "did", "do", "does", "for", "from", "get", "go", "had", "has", "have", "he", "her",
    "here", "him", "his", "how", "i", "i'm", "if", "im", "in", "is", "it", "it's", "its", "just", "know",
    "let", "like", "me", "mine", "my", "no", "not", "now", "of", "on", "one", "or", "our", "out", "please",
    "really", "remember", "said", "say", "she", "so", "some", "tell", "that", "the", "their", "them", "then",
    "there", "they", "this", "to", "told", "too", "up", "us", "was", "we", "were", "what", "what's", "when",
    "where", "which", "who", "whom", "why", "will", "with", "would", "yes", "you", "your", "you're",
];

/// The telling words of a line. Scripts without spaces come out character by character, which is enough for
/// counting overlaps.
pub(super) fn telling(text: &str) -> BTreeSet<String> {
    text.unicode_words().map(str::to_lowercase).filter(|word| !COMMON.contains(&word.as_str())).collect()
}

/// How many telling words two lines share. An ending of up to three letters may differ (`cat`, `cats`).
pub(super) fn overlap(left: &BTreeSet<String>, right: &BTreeSet<String>) -> usize {
    left.iter().filter(|word| right.iter().any(|other| akin(word, other))).count()
}

fn akin(left: &str, right: &str) -> bool {
    if left == right {
        return true;
    }
    let (short, long) = if left.len() < right.len() { (left, right) } else { (right, left) };
    short.chars().count() >= 4 && long.strip_prefix(short).is_some_and(|ending| ending.chars().count() <= 3)
}

/// A line shortened for quoting: whitespace folded, at most `limit` characters, cut at a word.
pub(super) fn quote(text: &str, limit: usize) -> String {
    let folded = one_line(text);
    if folded.chars().count() <= limit {
        return folded;
    }
    let cut: String = folded.chars().take(limit).collect();
    let whole = cut.rsplit_once(' ').map_or(cut.as_str(), |(head, _)| head);
    format!("{whole}…")
}
