//! Keys, passwords and card numbers in what people write: found by their form and taken out.
//!
//! Only forms that ordinary talk does not have: a rule either names its issuer's own prefix, or is checked by the
//! form's own checksum, or needs a word such as `password =` before it. All patterns are matched in linear time.

use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};

use regex::{Captures, Regex, RegexSet};

mod proof;
mod rules;

use rules::{RULES, Rule, with_words};

/// Passes after which nothing new can appear: a mark is no secret, and marks only take text away.
const PASSES: usize = 3;

struct CompiledRules {
    /// Which forms a text may hold.
    all: RegexSet,
    /// As it is written. Compiled once a text holds what it may be: most forms are never met.
    each: Vec<(String, OnceLock<Option<Regex>>)>,
}

static COMPILED: LazyLock<Option<CompiledRules>> = LazyLock::new(|| {
    let counts = Regex::new(r"\{([0-9]+)(?:,[0-9]*)?\}").ok()?;
    let each: Vec<_> = RULES.iter().map(|rule| (with_words(rule.pattern), OnceLock::new())).collect();
    let all = RegexSet::new(each.iter().map(|(pattern, _)| roughly(&counts, pattern))).ok()?;
    Some(CompiledRules { all, each })
});

/// A form however long its parts are: fits whatever the form fits, and some more, for a fraction of the memory that counting
/// takes.
fn roughly(counts: &Regex, pattern: &str) -> String {
    let any = |count: &Captures<'_>| if &count[1] == "0" { "*" } else { "+" };
    counts.replace_all(pattern, any).into_owned()
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted<'t> {
    /// The text; where a secret stood, `[secret removed: kind]`.
    pub text: Cow<'t, str>,
    /// The kinds that were found, each once, in the order of the rules.
    pub kinds: Vec<&'static str>,
}

/// Takes every secret out of `text`, which should have been freed of invisible characters before
/// ([`super::unicode::visible`]): a key with a hidden character in it has not the form of a key.
pub fn redact(text: &str) -> Redacted<'_> {
    let mut clean = Cow::Borrowed(text);
    let mut kinds = Vec::new();
    let Some(compiled) = COMPILED.as_ref() else { return Redacted { text: clean, kinds } };
    for _ in 0..PASSES {
        let found = compiled.all.matches(&clean);
        let mut was_changed = false;
        for index in found {
            let (rule, (written, pattern)) = (&RULES[index], &compiled.each[index]);
            let Some(pattern) = pattern.get_or_init(|| Regex::new(written).ok()) else { continue };
            let mut is_hit = false;
            let changed = pattern.replace_all(&clean, |captures: &Captures<'_>| {
                let replaced = replacement(captures, rule);
                is_hit |= replaced.is_some();
                replaced.unwrap_or_else(|| captures[0].to_owned())
            });
            if is_hit {
                clean = Cow::Owned(changed.into_owned());
                was_changed = true;
                if !kinds.contains(&rule.kind) {
                    kinds.push(rule.kind);
                }
            }
        }
        if !was_changed {
            break;
        }
    }
    Redacted { text: clean, kinds }
}

/// The match with its secret part exchanged; `None` when it turns out to be something else.
fn replacement(captures: &Captures<'_>, rule: &Rule) -> Option<String> {
    let whole = captures.get(0)?;
    let secret = captures.name("secret").unwrap_or(whole);
    if !rule.proof.holds(secret.as_str()) {
        return None;
    }
    let (from, to) = (secret.start() - whole.start(), secret.end() - whole.start());
    let (before, after) = (whole.as_str().get(..from)?, whole.as_str().get(to..)?);
    Some(format!("{before}[secret removed: {}]{after}", rule.kind))
}

#[cfg(test)]
mod tests;
