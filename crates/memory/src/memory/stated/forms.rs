//! The patterns by which people state things and set them right, in every language there is data for.
//!
//! Owns how the sections of `text/phrases` that begin with `said:` are read where they are patterns, one a line, each a
//! regular expression over a whole sentence without its full stop, in any case. `{v}` is the value, `{V}` one that begins with
//! a capital, `{k}` whose name it is or what is liked, `{mine}` "with my sister", `{one}` one word; `said: parts` has the
//! rest. The first that fits holds, section by section, then language by language. Must not know what becomes of a
//! statement. Start at [`Forms`].

use std::sync::{LazyLock, OnceLock};

use regex::Regex;
use regex::bytes::{RegexSet, RegexSetBuilder};

use super::slots::StatedSlot;
use super::words::{kin_words, said_words};
use crate::text::phrases::{Languages, either, language_codes, written_lines};
use crate::text::unicode::lowered;

/// Sections of patterns besides those of what somebody can say of themselves.
const PATTERNS: [&str; 11] = [
    "not home",
    "not work",
    "not allergy",
    "not diet",
    "remember",
    "remember asked",
    "instead",
    "called so",
    "it is so of",
    "it is so",
    "rather",
];

/// All patterns at once take up at most so many bytes when they are compiled.
const SET_BYTES: usize = 2 << 20;

/// What stands in the file.
pub(super) struct Forms {
    /// Says which patterns may fit a sentence in lower case; most fit none.
    set: RegexSet,
    patterns: Vec<FormPattern>,
}

struct FormPattern {
    section: &'static str,
    language: Languages,
    source: String,
    /// Compiled once a sentence fits it.
    ready: OnceLock<Option<Regex>>,
}

/// A pattern that a sentence fits.
pub(super) struct FittingForm<'a> {
    pub section: &'static str,
    /// The one in which it stands.
    pub language: Languages,
    pub pattern: &'a Regex,
}

/// The forms, read once.
static READY: LazyLock<Option<Forms>> = LazyLock::new(Forms::read);

impl Forms {
    /// The forms; `None` only if the file is broken, which a test rules out.
    pub(super) fn get() -> Option<&'static Self> {
        READY.as_ref()
    }

    fn read() -> Option<Self> {
        let lists = WordLists {
            diets: either(&said_words("diets")),
            kin: language_codes()
                .map(Languages::of)
                .map(|language| (language, either(&kin_words(language))))
                .collect(),
            mine: either(&said_words("with mine")),
            parts: sentence_parts(),
        };
        let lines = StatedSlot::sections().chain(PATTERNS).flat_map(|section| {
            written_lines(&format!("said: {section}")).map(move |(language, line)| (section, language, line))
        });
        let (patterns, roughly): (Vec<FormPattern>, Vec<String>) = lines
            .map(|(section, language, line)| {
                let source = format!("(?i){}", expanded(line, language, &lists));
                let pattern = FormPattern { section, language, source, ready: OnceLock::new() };
                (pattern, expanded(&without_values(line, &lists), language, &lists))
            })
            .unzip();
        let set = RegexSetBuilder::new(roughly).size_limit(SET_BYTES).build().ok()?;
        Some(Self { set, patterns })
    }

    /// The patterns that a sentence fits, in the order of the file.
    pub(super) fn fitting<'a>(&'a self, body: &'a str) -> impl Iterator<Item = FittingForm<'a>> + 'a {
        let matched = self.set.matches(lowered(body).as_bytes());
        matched.into_iter().filter_map(move |at| {
            let form = &self.patterns[at];
            let ready = form.ready.get_or_init(|| Regex::new(&form.source).ok());
            let pattern = ready.as_ref().filter(|ready| ready.is_match(body))?;
            Some(FittingForm { section: form.section, language: form.language, pattern })
        })
    }
}

/// What stands for a part of a sentence in languages that put no space, or no verb, between a subject and what is said of
/// it: each part in braces, and its pattern. `whose` is where it is said that it is about whoever speaks.
fn sentence_parts() -> Vec<(String, &'static str)> {
    let lines = written_lines("said: parts").filter_map(|(_, line)| line.split_once(": "));
    lines.map(|(name, pattern)| (format!("{{{name}}}"), pattern)).collect()
}

/// A line of the file with anything at all in the place of its values: fits whatever the line fits, and some more, for a
/// fraction of the memory that telling letters apart takes.
fn without_values(line: &str, WordLists { parts, .. }: &WordLists) -> String {
    let values = ["{v}", "{V}", "{k}", "{wrong}", "{right}", "{kin}", "{diet}", "{mine}", "{one}"];
    let is_value = |pattern: &str| pattern.contains("?P<v>") || pattern.contains("?P<k>");
    let of_languages = parts.iter().filter(|(_, pattern)| is_value(pattern)).map(|(part, _)| part.as_str());
    values.into_iter().chain(of_languages).fold(line.to_owned(), |line, part| line.replace(part, "(?-u:.+?)"))
}

/// What patterns hold whole lists of.
struct WordLists {
    diets: String,
    /// Somebody or something of theirs, language by language.
    kin: Vec<(Languages, String)>,
    /// With whom somebody is somewhere: "with my".
    mine: String,
    /// Parts of sentences, each with its pattern.
    parts: Vec<(String, &'static str)>,
}

/// A line of a language's file as a regular expression over a whole sentence.
fn expanded(line: &str, language: Languages, WordLists { diets, kin, mine, parts }: &WordLists) -> String {
    let kin = kin.iter().find(|(of, _)| *of == language).map_or("", |(_, words)| words.as_str());
    let parts = parts.iter().fold(line.to_owned(), |line, (part, pattern)| line.replace(part, pattern));
    let pattern = parts
        .replace("{kin}", &format!("(?P<k>{kin})"))
        .replace("{v}", "(?P<v>.+?)")
        // A value that begins with a capital.
        .replace("{V}", r"(?P<v>(?-i:\p{Lu}).*?)")
        .replace("{k}", r"(?P<k>[^\s,;.!?]+?(?: [^\s,;.!?]+?){0,2})")
        .replace("{diet}", &format!("(?P<v>{diets})"))
        .replace("{mine}", &format!(r"(?:(?:{mine})(?: [^\s,;.!?]+){{1,2}}?)"))
        .replace("{one}", r"[^\s,;.!?]+")
        .replace("{wrong}", "(?P<wrong>.+?)")
        .replace("{right}", "(?P<right>.+?)");
    format!("(?s)^(?:{pattern})$")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_can_be_read_and_has_what_its_section_needs() {
        let forms = Forms::get().unwrap();
        for pattern in &forms.patterns {
            let ready = Regex::new(&pattern.source).unwrap();
            let names: Vec<&str> = ready.capture_names().flatten().collect();
            let needed: &[&str] = match pattern.section {
                "instead" => &["wrong", "right"],
                "called" | "favourite" | "it is so of" => &["k", "v"],
                _ => &["v"],
            };
            assert!(needed.iter().all(|name| names.contains(name)), "{}", pattern.source);
        }
    }
}
