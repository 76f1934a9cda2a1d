//! How much a text reads like an attempt to instruct a model, and by what signs.
//!
//! A label, not a lock: lexical filters catch what is crude and nothing that is indirect (specs memory 4.3). What holds
//! is structure, namely that looked-up text is never in a system role. Everything is compared in look-alike forms
//! ([`super::unicode::comparable`]), so that a disguised text is judged like the plain one. Playing a role is no
//! sign: "pretend you are a dragon" is ordinary talk here (specs mechanisms A16).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::unicode::comparable;

mod coded;
mod markup;
mod phrases;
mod scripts;

use phrases::Phrases;

/// From this score on a text is marked as reading like an instruction: one strong sign, or two weak ones.
pub const LABEL_FROM: f32 = 0.45;

/// From this score on a looked-up text is left out: two strong signs.
pub const DROP_FROM: f32 = 0.85;

/// Only this much of a text is looked at, in bytes; what is longer is cut long before it reaches a prompt.
const MAX_BYTES: usize = 200_000;

/// What a finding means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sign {
    /// Earlier instructions are to be dropped.
    Override,
    /// New ones take their place.
    Orders,
    /// Control tokens and role names of prompt formats.
    Role,
    /// The prompt is to be told.
    Leak,
    /// Something is to be sent out, in a link or a picture's address.
    Exfiltration,
    /// A tool call is imitated.
    Tool,
    /// The user is not to know.
    Secrecy,
    /// It is hidden in a code, or written backwards.
    Encoded,
    /// Rules are said to hold no longer.
    Unbound,
    /// Somebody poses as who is in charge.
    Authority,
    /// The answer is laid down word for word.
    Answer,
    /// A text speaks to the machine that reads it.
    Machine,
}

impl Sign {
    const ALL: [(Self, &'static str); 12] = [
        (Self::Override, "override"),
        (Self::Orders, "orders"),
        (Self::Role, "role"),
        (Self::Leak, "leak"),
        (Self::Exfiltration, "exfiltration"),
        (Self::Tool, "tool"),
        (Self::Secrecy, "secrecy"),
        (Self::Encoded, "encoded"),
        (Self::Unbound, "unbound"),
        (Self::Authority, "authority"),
        (Self::Answer, "answer"),
        (Self::Machine, "machine"),
    ];

    /// One word, as in the table of phrases and in traces.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(sign, _)| *sign == self).map_or("sign", |(_, name)| name)
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(sign, _)| *sign)
    }
}

/// What was found in a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// 0 to 1; signs are combined as if they were independent; of one sign, the strongest finding and a
    /// little for every further one.
    pub score: f32,
    /// The signs found, in the order of [`Sign`].
    pub signs: Vec<Sign>,
}

impl Verdict {
    /// Whether it is to be marked.
    #[must_use]
    pub fn is_suspect(&self) -> bool {
        self.score >= LABEL_FROM
    }

    /// Whether a looked-up text is to be left out.
    #[must_use]
    pub fn is_attack(&self) -> bool {
        self.score >= DROP_FROM
    }

    /// `0.86: override, leak`.
    #[must_use]
    pub fn words(&self) -> String {
        let signs: Vec<&str> = self.signs.iter().map(|sign| sign.as_str()).collect();
        format!("{:.2}: {}", self.score, signs.join(", "))
    }
}

static PHRASES: LazyLock<Option<Phrases>> =
    LazyLock::new(|| Phrases::read(include_str!("injection/phrases.txt")).ok());

/// Judges `text`.
#[must_use]
pub fn judge(text: &str) -> Verdict {
    let text = &text[..text.floor_char_boundary(MAX_BYTES)];
    let mut findings = Findings::default();
    let form = plain(&comparable(text));
    findings.read(&form);
    markup::find(&form, |sign, weight| findings.add(sign, weight));
    for hidden in coded::hidden_texts(text, &form) {
        let mut inner = Findings::default();
        inner.read(&plain(&comparable(&hidden)));
        if inner.score() >= LABEL_FROM {
            findings.add(Sign::Encoded, 0.7);
            for (sign, (weight, _)) in inner.strongest {
                findings.add(sign, weight);
            }
        }
    }
    Verdict { score: findings.score(), signs: findings.strongest.into_keys().collect() }
}

/// What a further finding adds to a sign that was found before.
const AGAIN: f32 = 0.1;

/// The most that one sign says by being found often: not enough to drop a text for it alone.
const MOST: f32 = 0.8;

#[derive(Default)]
struct Findings {
    strongest: BTreeMap<Sign, (f32, f32)>,
}

impl Findings {
    fn add(&mut self, sign: Sign, weight: f32) {
        let (strongest, more) = self.strongest.entry(sign).or_insert((0.0, -AGAIN));
        *strongest = strongest.max(weight);
        *more += AGAIN;
    }

    fn read(&mut self, form: &str) {
        if let Some(phrases) = PHRASES.as_ref() {
            phrases.find(form, |sign, weight| self.add(sign, weight));
        }
        scripts::find(form, |sign, weight| self.add(sign, weight));
    }

    fn score(&self) -> f32 {
        let said = |(strongest, more): &(f32, f32)| (strongest + more).min(strongest.max(MOST));
        1.0 - self.strongest.values().fold(1.0, |left, sign| left * (1.0 - said(sign)))
    }
}

/// A look-alike form with digits and signs read as the letters they stand for (`pr3vi0us`), and letters that were
/// spaced out (`i g n o r e`) brought together again.
fn plain(form: &str) -> String {
    let letters: Vec<char> = form
        .chars()
        .map(|c| match c {
            '3' => 'e',
            '4' | '@' => 'a',
            '5' | '$' => 's',
            '7' => 't',
            c => c,
        })
        .collect();
    let mut joined = String::with_capacity(form.len());
    let mut at = 0;
    while at < letters.len() {
        let end = spaced_run(&letters, at);
        if end > at {
            joined.extend(letters[at..end].iter().step_by(2));
            at = end;
        } else {
            joined.push(letters[at]);
            at += 1;
        }
    }
    joined
}

/// Fewest single letters in a row that are a word spaced out.
const SPACED: usize = 4;

/// Where a run of single letters with one separator between each ends that begins at `at`; `at` where there is none.
fn spaced_run(letters: &[char], at: usize) -> usize {
    let is_letter = |index: usize| letters.get(index).is_some_and(|c| c.is_alphanumeric());
    let starts_word = at == 0 || !is_letter(at - 1);
    if !starts_word || !is_letter(at) {
        return at;
    }
    let mut end = at + 1;
    let mut count = 1;
    while !is_letter(end)
        && letters.get(end).is_some_and(|c| *c != '\n')
        && is_letter(end + 1)
        && !is_letter(end + 2)
    {
        end += 2;
        count += 1;
    }
    if count >= SPACED { end } else { at }
}

#[cfg(test)]
mod tests;
