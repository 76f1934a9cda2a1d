//! The program's own words to models, each a file that people can replace (specs mechanisms Y3, "user-overridable
//! files").
//!
//! Owns the names and which file holds: `familiars/_default/prompts/<name>.md` is built in, an operator's `_default`
//! folder is laid over it, `data/familiars/<id>/prompts/<name>.md` over both. Must not know what a text is for; a new
//! text is one line in the list of [`PromptName`] and one file.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::defaults::Defaults;
use super::error::ConfigError;
use super::files::read_optional;
use super::home::FamiliarHome;

macro_rules! prompt_names {
    ($($variant:ident = $name:literal, $doc:literal;)+) => {
        /// One of the program's own texts.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum PromptName {
            $(#[doc = $doc] $variant,)+
        }

        impl PromptName {
            /// All of them, in the order they are documented.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// The name of its file, without `.md`.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// What it is for, for people.
            #[must_use]
            pub fn doc(self) -> &'static str {
                match self {
                    $(Self::$variant => $doc,)+
                }
            }

            /// The text built into the program, without the line end of its file.
            #[must_use]
            pub fn built_in(self) -> &'static str {
                let text = match self {
                    $(Self::$variant => {
                        include_str!(concat!("../../familiars/_default/prompts/", $name, ".md"))
                    })+
                };
                text.trim_end()
            }
        }
    };
}

prompt_names! {
    Axioms = "axioms", "What holds for every familiar. A file of yours is added to it, never put in its place.";
    Main = "main", "What a character without a system prompt of its own is told first.";
    Obligations = "obligations", "What a character without post-history instructions is told last.";
    Verdict = "verdict", "How the model may decide in a call not to answer, or not yet. The words in angle brackets are fixed.";
    Thinking = "thinking", "How a character is asked to think before it answers.";
    Thoughts = "thoughts", "The first thing it thinks about: what goes through its head.";
    Plans = "plans", "The second: what it means to do.";
    RecastBehaviour = "recast_behaviour", "The first pass over a reply: would this character say it so?";
    RecastRhythm = "recast_rhythm", "The second pass over a reply: the rhythm of its sentences.";
    Condense = "condense", "How finds that have no room in the prompt are told in short.";
    Filter = "filter", "How what was found is looked at once more: what of it helps, or what to look for in the notes.";
    Summary = "summary", "How older messages are summed up.";
    Digest = "digest", "How the talk of one channel is told in another.";
    MemoryWriter = "memory_writer", "How memories are written: what of a conversation is kept, and in which form.";
}

impl PromptName {
    /// Whether a file of the operator's is added to what is built in. The axioms protect the people the familiar talks
    /// to, so no file can take them away (specs mechanisms Y3).
    fn only_grows(self) -> bool {
        self == Self::Axioms
    }
}

/// The texts in force.
pub(super) type Prompts = BTreeMap<PromptName, Arc<str>>;

/// Reads every text: the familiar's own file, else the defaults' folder's, else the one built in. A blank file counts
/// as none.
pub(super) fn read(home: &FamiliarHome, defaults: &Defaults) -> Result<Prompts, ConfigError> {
    let mut prompts = Prompts::new();
    for &name in PromptName::ALL {
        let file = format!("{}.md", name.as_str());
        let of_dir = match defaults.dir() {
            Some(dir) => read_optional(&dir.join("prompts").join(&file))?,
            None => None,
        };
        let own = read_optional(&home.prompts_dir().join(&file))?;
        let written: Vec<String> =
            [of_dir, own].into_iter().flatten().filter(|text| !text.trim().is_empty()).collect();
        prompts.insert(name, Arc::from(in_force(name, &written)));
    }
    Ok(prompts)
}

fn in_force(name: PromptName, written: &[String]) -> String {
    let built_in = name.built_in();
    if !name.only_grows() {
        return written.last().map_or(built_in, |text| text.trim_end()).to_owned();
    }
    let mut all = vec![built_in];
    for text in written {
        let text = text.trim();
        // A folder of defaults is usually a copy of what is built in.
        if !all.contains(&text) {
            all.push(text);
        }
    }
    all.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn y3_the_axioms_only_grow_and_every_other_text_is_replaced() {
        let rules = PromptName::Axioms.built_in();
        let copy = format!("{rules}\n");
        let more = "  Speak Welsh on Sundays.\n".to_owned();
        assert_eq!(in_force(PromptName::Axioms, &[]), rules);
        assert_eq!(
            in_force(PromptName::Axioms, &[copy, more]),
            format!("{rules}\n\nSpeak Welsh on Sundays.")
        );
        assert_eq!(in_force(PromptName::Main, &["a\n".to_owned(), "b\n".to_owned()]), "b");
        assert_eq!(in_force(PromptName::Main, &[]), PromptName::Main.built_in());
    }

    #[test]
    fn y3_no_built_in_text_is_blank_and_no_name_comes_twice() {
        let mut names: Vec<_> = PromptName::ALL.iter().map(|name| name.as_str()).collect();
        assert!(
            PromptName::ALL.iter().all(|name| !name.built_in().trim().is_empty() && !name.doc().is_empty())
        );
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), PromptName::ALL.len());
    }
}
