//! The catalogue: what is said under each name, in each language.
//!
//! Owns reading it and putting facts into its sentences. What a language has no words for is said in English. Must not know
//! what is said when. Start reading at [`say`].

use std::sync::LazyLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};

use crate::domain::TurnId;
use crate::text::tongue::Tongue;

/// One file a language, in the order of [`Tongue::ALL`].
pub(super) const FILES: [(Tongue, &str); 6] = [
    (Tongue::English, include_str!("words/en.ftl")),
    (Tongue::German, include_str!("words/de.ftl")),
    (Tongue::Spanish, include_str!("words/es.ftl")),
    (Tongue::French, include_str!("words/fr.ftl")),
    (Tongue::Japanese, include_str!("words/ja.ftl")),
    (Tongue::Portuguese, include_str!("words/pt.ftl")),
];

static CATALOGUE: LazyLock<Vec<(Tongue, FluentBundle<FluentResource>)>> = LazyLock::new(|| {
    FILES.iter().map(|(tongue, words)| (*tongue, parse_catalogue(*tongue, words))).collect()
});

fn parse_catalogue(tongue: Tongue, words: &str) -> FluentBundle<FluentResource> {
    // A language that cannot be told counts as English in plurals only.
    let mut bundle = FluentBundle::new_concurrent(vec![tongue.code().parse().unwrap_or_default()]);
    // Marks of direction would stand in names and commands that people copy; all six are written from left to right.
    bundle.set_use_isolating(false);
    // A test holds the files to have no mistakes; with one, everything else in them is still said.
    let resource = FluentResource::try_new(words.to_owned()).unwrap_or_else(|(resource, _)| resource);
    bundle.add_resource_overriding(resource);
    bundle
}

/// What is said under a name, with these facts in it; in English where it is not translated.
pub(super) fn say(to: Tongue, id: &str, facts: &[(&str, FluentValue<'_>)]) -> String {
    let facts: FluentArgs<'_> = facts.iter().map(|(name, fact)| (*name, fact.clone())).collect();
    let in_tongue = |tongue| {
        let (_, bundle) = CATALOGUE.iter().find(|(of, _)| *of == tongue)?;
        let pattern = bundle.get_message(id)?.value()?;
        let mut wrong = Vec::new();
        let said = bundle.format_pattern(pattern, Some(&facts), &mut wrong);
        wrong.is_empty().then(|| said.into_owned())
    };
    in_tongue(to).or_else(|| in_tongue(Tongue::English)).unwrap_or_else(|| id.to_owned())
}

/// What can stand in a sentence. Numbers that words bend to are `usize` or `u32`; a `u64` is somebody's or something's id, too
/// large for Fluent's numbers.
pub(super) trait Fact<'a> {
    fn fact(self) -> FluentValue<'a>;
}

macro_rules! facts {
    ($($kind:ty: $it:ident => $told:expr;)*) => {
        $(impl<'a> Fact<'a> for $kind {
            fn fact(self) -> FluentValue<'a> {
                let $it = self;
                $told.into()
            }
        })*
    };
}

facts! {
    &'a str: it => it;
    String: it => it;
    &'a String: it => it.as_str();
    usize: it => it;
    u32: it => it;
    i8: it => it;
    u64: it => it.to_string();
    TurnId: it => it.to_string();
    bool: it => if it { "yes" } else { "no" };
}

/// What is said under a name, with facts that are named as in the catalogue.
macro_rules! said {
    (@ $name:ident = $fact:expr) => { $fact };
    (@ $name:ident) => { $name };
    ($to:expr, $id:ident $(, $name:ident $(= $fact:expr)?)* $(,)?) => {
        $crate::discord::messages::say::say(
            $to,
            stringify!($id),
            &[$((stringify!($name), $crate::discord::messages::say::Fact::fact(said!(@ $name $(= $fact)?)))),*],
        )
    };
}

/// Functions that say what stands in the catalogue under their own name.
macro_rules! sentences {
    ($($(#[$doc:meta])* $id:ident($($name:ident: $kind:ty),*);)*) => {$(
        $(#[$doc])*
        pub(in crate::discord) fn $id(to: $crate::text::tongue::Tongue, $($name: $kind),*) -> String {
            said!(to, $id $(, $name)*)
        }
    )*};
}

pub(super) use {said, sentences};

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use regex::Regex;

    use super::*;

    /// Each entry of a file, by its name, as it is written.
    fn entries(words: &str) -> BTreeMap<String, String> {
        let begins = Regex::new(r"^(-?[a-zA-Z][a-zA-Z0-9_-]*) =").unwrap();
        let mut all: Vec<(String, String)> = Vec::new();
        for line in words.lines().filter(|line| !line.starts_with('#')) {
            match (begins.captures(line), all.last_mut()) {
                (Some(found), _) => all.push((found[1].to_owned(), line.to_owned())),
                (None, Some((_, entry))) => entry.push_str(&format!("\n{line}")),
                (None, None) => {}
            }
        }
        let (count, all) = (all.len(), all.into_iter().collect::<BTreeMap<_, _>>());
        assert_eq!(all.len(), count, "a name stands twice");
        all
    }

    /// What an entry shows: facts, and other entries.
    fn shown(entry: &str) -> BTreeSet<String> {
        let shown = Regex::new(r"\{ (\$?-?[a-zA-Z][a-zA-Z0-9_-]*) \}").unwrap();
        shown.captures_iter(entry).map(|found| found[1].to_owned()).collect()
    }

    #[test]
    fn every_file_is_well_formed() {
        for (tongue, words) in FILES {
            let mistakes = FluentResource::try_new(words.to_owned()).err().map(|(_, mistakes)| mistakes);
            assert!(mistakes.is_none(), "{tongue:?}: {mistakes:?}");
        }
        assert_eq!(FILES.map(|(tongue, _)| tongue), Tongue::ALL);
    }

    #[test]
    fn every_sentence_stands_in_every_language_with_the_same_facts() {
        let english = entries(FILES[0].1);
        for (tongue, words) in FILES {
            let own = entries(words);
            assert_eq!(own.keys().collect::<Vec<_>>(), english.keys().collect::<Vec<_>>(), "{tongue:?}");
            for (id, entry) in &own {
                assert_eq!(shown(entry), shown(&english[id]), "{tongue:?}: {id}");
            }
        }
    }

    #[test]
    fn every_sentence_is_said_somewhere() {
        let sources = [
            include_str!("../messages.rs"),
            include_str!("learning.rs"),
            include_str!("life.rs"),
            include_str!("lore.rs"),
            include_str!("memory.rs"),
            include_str!("pairing.rs"),
            include_str!("persona.rs"),
            include_str!("privacy.rs"),
            include_str!("reminders.rs"),
            include_str!("repair.rs"),
            include_str!("tools.rs"),
            include_str!("voice.rs"),
            include_str!("../commands/definitions.rs"),
        ];
        let english = entries(FILES[0].1);
        let inside: BTreeSet<String> = english.values().flat_map(|entry| shown(entry)).collect();
        for id in english.keys().filter(|id| !inside.contains(*id)) {
            let (written, path) = (Regex::new(&format!(r"\b{id}\b")).unwrap(), id.strip_prefix("command_"));
            let command = path
                .map(|path| format!("\"{}\"", path.replace('_', " ")).replace("every call", "every_call"));
            let is_said = |source: &&str| {
                written.is_match(source) || command.as_ref().is_some_and(|path| source.contains(path))
            };
            assert!(sources.iter().any(is_said), "{id}");
        }
    }

    #[test]
    fn what_a_language_has_no_words_for_is_said_in_english() {
        let german = "greeted = Gegrüßt.\nsubscribed = { $unknown }";
        let bundle = parse_catalogue(Tongue::German, german);
        assert!(bundle.get_message("greeted").is_some() && bundle.get_message("kept").is_none());
        assert_eq!(say(Tongue::Japanese, "no such sentence", &[]), "no such sentence");
    }
}
