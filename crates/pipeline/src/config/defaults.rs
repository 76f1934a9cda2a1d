//! The defaults: `familiars/_default`, built into the program and optionally laid over from a folder; and the program's own
//! words to models, each a file that people can replace (Y3, "user-overridable files").
//!
//! `familiars/_default/prompts/<name>.md` is built in, an operator's `_default` folder is laid over it,
//! `data/familiars/<id>/prompts/<name>.md` over both. Must not know what a text is for; a new text is one line in the
//! list of [`PromptName`] and one file.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use super::FamiliarHome;
use super::check::{checked_document, schema_of};
use super::document::{Document, Layers, Rank, SourceText};
use super::error::ConfigError;
use super::file::read_optional;
use super::settings::Config;
use crate::domain::ChannelMode;

/// The embedded defaults, word for word.
pub const CHARACTER_TOML: &str = include_str!("../../../../familiars/_default/character.toml");

/// Where defaults come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defaults {
    dir: Option<PathBuf>,
}

impl Defaults {
    /// The ones built into the program.
    pub fn embedded() -> Self {
        Self { dir: None }
    }

    /// A `_default` folder, laid over the ones built in. Files it does not hold are not missed.
    pub fn from_dir(dir: impl Into<PathBuf>) -> Self {
        Self { dir: Some(dir.into()) }
    }

    /// The folder, where there is one.
    pub fn dir(&self) -> Option<&Path> {
        self.dir.as_deref()
    }

    pub(super) fn layers(&self) -> Result<Layers, ConfigError> {
        let embedded =
            character("familiars/_default/character.toml (built in)", CHARACTER_TOML, Rank::Embedded)?;
        let embedded = Layers::of(embedded);
        let Some(path) = self.dir.as_ref().map(|dir| dir.join("character.toml")) else { return Ok(embedded) };
        Ok(match read_optional(&path)? {
            Some(text) => embedded.with(&Arc::new(character(path.display(), text, Rank::Defaults)?)),
            None => embedded,
        })
    }

    /// The default instructions of a mode.
    pub(super) fn mode_instructions(&self, mode: ChannelMode) -> Result<String, ConfigError> {
        let embedded = match mode {
            ChannelMode::FullRp => include_str!("../../../../familiars/_default/modes/full_rp.md"),
            ChannelMode::TextConversationRp => {
                include_str!("../../../../familiars/_default/modes/text_conversation_rp.md")
            }
            ChannelMode::ImitateVoice => {
                include_str!("../../../../familiars/_default/modes/imitate_voice.md")
            }
        };
        let of_dir = match &self.dir {
            Some(dir) => read_optional(&dir.join("modes").join(format!("{mode}.md")))?,
            None => None,
        };
        Ok(of_dir.unwrap_or_else(|| embedded.to_owned()))
    }
}

/// The schema of `character.toml`.
pub(super) static CHARACTER: LazyLock<serde_json::Value> = LazyLock::new(schema_of::<Config>);

/// Parses and checks a `character.toml`.
pub(super) fn character(
    name: impl fmt::Display,
    text: impl Into<String>,
    rank: Rank,
) -> Result<Document, ConfigError> {
    checked_document(&SourceText::of(name, text, rank), &CHARACTER)
}

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
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// The text built into the program, without the line end of its file.
            pub fn built_in(self) -> &'static str {
                let text = match self {
                    $(Self::$variant => {
                        include_str!(concat!("../../../../familiars/_default/prompts/", $name, ".md"))
                    })+
                };
                text.trim_end()
            }
        }
    };
}

prompt_names! {
    Axioms = "axioms", "What holds for every familiar. A file of yours is added to it, never put in its place.";
    OpenPlace = "open_place", "What holds beside them where people of any age may read. A file of yours is added to it too.";
    Main = "main", "What a character without a system prompt of its own is told first.";
    Obligations = "obligations", "What a character without post-history instructions is told last.";
    Verdict = "verdict", "How the model may decide in a call not to answer, or not yet. The words in angle brackets are fixed.";
    Thinking = "thinking", "How a character is asked to think before it answers.";
    Thoughts = "thoughts", "The first thing it thinks about: what goes through its head.";
    Plans = "plans", "The second: what it means to do.";
    RecastBehaviour = "recast_behaviour", "The first pass over a reply: would this character say it so?";
    RecastRhythm = "recast_rhythm", "The second pass over a reply: the rhythm of its sentences.";
    Distress = "distress", "How somebody is answered who says that they want to die.";
    Filter = "filter", "How what was found is looked at once more: what of it helps, or what to look for in the notes.";
    Summary = "summary", "How older messages are summed up.";
    Digest = "digest", "How the talk of one channel is told in another.";
    Journal = "journal", "How an entry of a day is written into its own journal.";
    MemoryWriter = "memory_writer", "How memories are written: what of a conversation is kept, and in which form.";
}

impl PromptName {
    /// Whether a file of the operator's is added to what is built in. These protect the people the familiar talks to, so no
    /// file can take them away (Y3).
    fn only_grows(self) -> bool {
        matches!(self, Self::Axioms | Self::OpenPlace)
    }
}

/// The texts in force.
pub(super) type Prompts = BTreeMap<PromptName, Arc<str>>;

/// Reads every text: the familiar's own file, else the defaults' folder's, else the one built in. A blank file counts
/// as none.
pub(super) fn read_prompts(home: &FamiliarHome, defaults: &Defaults) -> Result<Prompts, ConfigError> {
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
        assert!(PromptName::ALL.iter().all(|name| !name.built_in().trim().is_empty()));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), PromptName::ALL.len());
    }
}
