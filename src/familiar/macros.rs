//! Which macros a text holds, for the import report. Nothing is expanded here.

use std::collections::BTreeSet;

/// Macros that are rendered (specs cards-and-lore 2.5).
const RENDERED: &[&str] = &[
    "char",
    "user",
    "original",
    "random",
    "pick",
    "roll",
    "comment",
    "hidden_key",
    "noop",
    "reverse",
    "newline",
    "trim",
    "description",
    "personality",
    "scenario",
    "persona",
    "mesexamples",
    "charversion",
    "lastmessage",
    "lastusermessage",
];

/// Macros whose value changes by itself: in the stable part of a prompt they break caching.
const VOLATILE: &[&str] =
    &["time", "date", "weekday", "isotime", "isodate", "datetimeformat", "idle_duration", "random", "roll"];

/// What a set of texts asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct MacroUse {
    /// Macros that break prompt caching, with the field they stand in.
    pub volatile: BTreeSet<(String, String)>,
    /// Macros that stay as written, with the field they stand in.
    pub unsupported: BTreeSet<(String, String)>,
}

/// Looks through texts, given with their field names.
pub(crate) fn scan<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> MacroUse {
    let mut found = MacroUse::default();
    for (field, text) in texts {
        for name in names(text) {
            if VOLATILE.contains(&name.as_str()) {
                found.volatile.insert((name.clone(), field.to_owned()));
            }
            if !RENDERED.contains(&name.as_str()) && !VOLATILE.contains(&name.as_str()) {
                found.unsupported.insert((name, field.to_owned()));
            }
        }
    }
    found
}

/// The lower-case names of every `{{name…}}`, comments left out.
fn names(text: &str) -> impl Iterator<Item = String> {
    // Looked for once: a text of nothing but opening braces must not be searched to its end for each of them.
    let last_close = text.rfind("}}").unwrap_or(0);
    text.match_indices("{{").filter(move |(at, _)| *at < last_close).filter_map(|(at, _)| {
        let inner = text[at + 2..].trim_start_matches(' ');
        let name: String = inner
            .trim_start_matches(['#', '/', '!', '?'])
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_' || *c == '-')
            .take(40)
            .collect();
        let comment = inner.starts_with("//");
        (!name.is_empty() && !comment).then(|| name.to_lowercase())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_that_break_caching_and_unknown_ones_are_told_apart() {
        let found = scan([(
            "description",
            "{{char}} {{ Time }} {{random::a::b}} {{getvar::x}} {{// note}} {{unclosed",
        )]);
        let names = |set: &BTreeSet<(String, String)>| set.iter().map(|(n, _)| n.clone()).collect::<Vec<_>>();
        assert_eq!(names(&found.volatile), ["random", "time"]);
        assert_eq!(names(&found.unsupported), ["getvar"]);
    }
}
