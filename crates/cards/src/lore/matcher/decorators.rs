//! The lines `@@name value` that a content begins with (cards-and-lore 2.4).
//!
//! Owns which are understood and what is left of the content. Must not know how they are applied.

use serde_json::Value;

use crate::Role;
use crate::coerce;
use crate::lore::{LorePosition, Support};

/// Lines read at most; real entries have a handful.
const MAX_LINES: usize = 64;

/// How far from the end an entry stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DepthRule {
    /// Messages from the end.
    FromEnd(u32),
    /// Messages from the start of what is read.
    FromStart(u32),
}

/// What an entry's own lines ask for.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Decorators {
    pub forced: bool,
    pub never: bool,
    pub depth: Option<DepthRule>,
    pub role: Option<Role>,
    pub position: Option<LorePosition>,
    pub scan_depth: Option<u32>,
    /// One of each list has to be there.
    pub additional: Vec<Vec<String>>,
    /// None of these may be there.
    pub exclude_any: Vec<String>,
    /// Not all of a list may be there.
    pub exclude_all: Vec<Vec<String>>,
    pub only_after: Option<u64>,
    pub only_every: Option<u64>,
    pub keep_after_match: bool,
    pub off_after_match: bool,
    pub yields: bool,
    pub probability: Option<f64>,
    pub whole_words: Option<bool>,
    pub prevent_recursion: Option<bool>,
    pub exclude_recursion: Option<bool>,
}

/// Every decorator that is acted on, those of the V3 spec first, then Risu's.
const HONOURED: [&str; 22] = [
    "activate",
    "dont_activate",
    "depth",
    "reverse_depth",
    "role",
    "position",
    "scan_depth",
    "additional_keys",
    "exclude_keys",
    "activate_only_after",
    "activate_only_every",
    "keep_activate_after_match",
    "dont_activate_after_match",
    "ignore_on_max_context",
    "end",
    "probability",
    "match_full_word",
    "match_partial_word",
    "recursive",
    "unrecursive",
    "no_recursive_search",
    "exclude_keys_all",
];

/// Those of them that say where an entry stands, or as whom.
const PLACES: [&str; 5] = ["depth", "reverse_depth", "role", "position", "end"];

/// What becomes of a decorator of that name: one that is not acted on is taken out of the text all the same.
pub(in crate::lore) fn standing_of(name: &str) -> Support {
    if PLACES.contains(&name) {
        Support::HonouredInStOrder
    } else if HONOURED.contains(&name) {
        Support::Honoured
    } else {
        Support::Preserved
    }
}

/// Reads the lines a content begins with, and gives what is left. A line `@@@name` counts only where the line before
/// was not understood; of a name the first counts, except lists of keys.
pub(super) fn read_decorators(content: &str) -> (Decorators, &str) {
    let mut found = Decorators::default();
    let mut rest = content.trim_start_matches('\n');
    if !rest.starts_with("@@") {
        return (found, content);
    }
    let mut understood_before = true;
    for _ in 0..MAX_LINES {
        if !rest.starts_with("@@") {
            break;
        }
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        rest = after;
        let line = line.trim_end();
        match line.strip_prefix("@@@") {
            Some(fallback) => {
                if !understood_before {
                    understood_before = found.take(fallback);
                }
            }
            None => understood_before = found.take(&line[2..]),
        }
    }
    (found, rest.trim_start_matches('\n'))
}

impl Decorators {
    /// Takes one line, without its `@@`; `false` when it says nothing to us.
    fn take(&mut self, line: &str) -> bool {
        let (name, value) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let value = value.trim();
        let number = || value.parse::<u32>().ok();
        match name {
            "activate" => self.forced = true,
            "dont_activate" => self.never = true,
            "end" => return first(&mut self.depth, Some(DepthRule::FromEnd(0))),
            "depth" => return first(&mut self.depth, number().map(DepthRule::FromEnd)),
            "reverse_depth" => return first(&mut self.depth, number().map(DepthRule::FromStart)),
            "role" => return first(&mut self.role, coerce::as_role(&Value::from(value))),
            "position" => return first(&mut self.position, decorated_position(value)),
            "scan_depth" => return first(&mut self.scan_depth, number()),
            "additional_keys" => return take_list(value, |keys| self.additional.push(keys)),
            "exclude_keys" => return take_list(value, |keys| self.exclude_any.extend(keys)),
            "exclude_keys_all" => return take_list(value, |keys| self.exclude_all.push(keys)),
            "activate_only_after" => return first(&mut self.only_after, number().map(u64::from)),
            "activate_only_every" => {
                return first(&mut self.only_every, number().filter(|n| *n > 0).map(u64::from));
            }
            "keep_activate_after_match" => self.keep_after_match = true,
            "dont_activate_after_match" => self.off_after_match = true,
            "ignore_on_max_context" => self.yields = true,
            "probability" => {
                let chance = value.parse::<f64>().ok().filter(|chance| (0.0..=100.0).contains(chance));
                return first(&mut self.probability, chance);
            }
            "match_full_word" => return first(&mut self.whole_words, Some(true)),
            "match_partial_word" => return first(&mut self.whole_words, Some(false)),
            "recursive" => return first(&mut self.prevent_recursion, Some(false)),
            "unrecursive" => return first(&mut self.prevent_recursion, Some(true)),
            "no_recursive_search" => return first(&mut self.exclude_recursion, Some(true)),
            _ => return false,
        }
        true
    }
}

/// Keeps the first value of a name; a value that cannot be read is one that was not understood.
fn first<T>(slot: &mut Option<T>, value: Option<T>) -> bool {
    let is_readable = value.is_some();
    if slot.is_none() {
        *slot = value;
    }
    is_readable
}

fn take_list(value: &str, take: impl FnOnce(Vec<String>)) -> bool {
    let keys = coerce::short_texts(&Value::from(value));
    let says_something = !keys.is_empty();
    if says_something {
        take(keys);
    }
    says_something
}

/// The places of the spec. Personality and scenario have no slot of their own for lore; both stand behind the
/// description.
fn decorated_position(word: &str) -> Option<LorePosition> {
    match word {
        "before_desc" => Some(LorePosition::Before),
        "after_desc" | "personality" | "scenario" => Some(LorePosition::After),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_in_front_are_taken_out_and_the_rest_stays() {
        let (found, rest) = read_decorators(
            "@@depth 3\n@@role user\n@@additional_keys a, b\n@@additional_keys c\n\nWords.\n@@depth 9",
        );
        assert_eq!(found.depth, Some(DepthRule::FromEnd(3)));
        assert_eq!(found.role, Some(Role::User));
        assert_eq!(found.additional, [vec!["a".to_owned(), "b".to_owned()], vec!["c".to_owned()]]);
        assert_eq!(rest, "Words.\n@@depth 9");
        assert_eq!(read_decorators("plain").1, "plain");
        assert_eq!(read_decorators("@@activate").1, "");
    }

    #[test]
    fn a_fallback_counts_only_where_the_line_before_was_not_understood() {
        assert_eq!(read_decorators("@@unheard_of\n@@@depth 2\nx").0.depth, Some(DepthRule::FromEnd(2)));
        assert_eq!(read_decorators("@@depth 5\n@@@depth 2\nx").0.depth, Some(DepthRule::FromEnd(5)));
        assert_eq!(read_decorators("@@depth many\n@@@depth 2\nx").0.depth, Some(DepthRule::FromEnd(2)));
        assert_eq!(
            read_decorators("@@unheard_of\n@@@unheard_too\n@@@end\nx").0.depth,
            Some(DepthRule::FromEnd(0))
        );
    }

    #[test]
    fn the_first_of_a_name_counts() {
        assert_eq!(read_decorators("@@depth 5\n@@depth 2\nx").0.depth, Some(DepthRule::FromEnd(5)));
    }

    #[test]
    fn every_honoured_name_is_understood() {
        for name in HONOURED {
            let value = match name {
                "role" => "user",
                "position" => "after_desc",
                _ => "1",
            };
            assert!(Decorators::default().take(&format!("{name} {value}")), "{name}");
            let standing =
                if PLACES.contains(&name) { Support::HonouredInStOrder } else { Support::Honoured };
            assert_eq!(standing_of(name), standing);
        }
        assert_eq!(standing_of("is_user_icon"), Support::Preserved);
    }
}
