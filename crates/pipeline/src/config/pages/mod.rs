//! The Markdown files with settings on top that an operator adds to a familiar: prompt sections, skills, notes about
//! places. The settings are TOML between two lines of `+++`, the rest is text.
//!
//! Owns reading the folders, what lies over what, and keeping the last good version of a file that has a mistake. Must
//! not know how a prompt is laid out. Start reading at [`Pages`].

pub(super) mod condition;
mod shelf;

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;

pub(super) use condition::Condition;
pub(super) use shelf::PageShelf;

use super::check::{checked, schema_of};
use super::document::{Document, Layers, SourceText};
use super::error::{ConfigError, Problem};
use crate::domain::{AccountId, Audience, ChannelMode, GuildId, Place};
use crate::text::short::one_line;
use familiar_cards::macros::volatile_macros;
use familiar_cards::text::{FrontMatter, front_matter};

/// Everything of that kind, as it is in force.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pages {
    sections: BTreeMap<ChannelMode, Vec<Arc<PromptSection>>>,
    skills: Vec<Arc<Skill>>,
    places: Vec<Arc<PlaceNote>>,
}

impl Pages {
    /// The sections of a mode, in the order they stand.
    pub fn sections(&self, mode: ChannelMode) -> &[Arc<PromptSection>] {
        self.sections.get(&mode).map_or(&[], Vec::as_slice)
    }

    /// The skills, by name.
    pub fn skills(&self) -> &[Arc<Skill>] {
        &self.skills
    }

    /// What was settled with places, by name.
    pub fn places(&self) -> &[Arc<PlaceNote>] {
        &self.places
    }
}

/// A piece of the prompt that the operator adds, `prompts/sections/*.md` (Y3); its text is never blank.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct PromptSection {
    /// The name of its file, without `.md`.
    #[serde(skip)]
    pub name: Arc<str>,
    /// `false` switches it off; in a mode's folder, for that mode. So does a file without text. Unset: `true`.
    #[serde(default = "yes")]
    enabled: bool,
    /// What stands over it in the prompt. Unset: `Also`.
    #[schemars(length(max = 100))]
    pub title: Option<Arc<str>>,
    /// Sections stand in this order, then by the names of their files. Unset: 100.
    #[serde(default = "middle")]
    #[schemars(range(min = 0, max = 1000))]
    pub order: u32,
    /// What goes first when the prompt is full. Unset: `"normal"`.
    #[serde(rename = "importance", default)]
    pub weight: Weight,
    /// The most it may take; paragraphs that do not fit are left out whole. Unset: what its layer (`author_note`) has
    /// room for.
    #[schemars(range(min = 10, max = 100_000))]
    pub max_tokens: Option<u32>,
    /// Whether it stays or leaves as one, rather than paragraph by paragraph. Unset: `false`.
    #[serde(rename = "whole", default)]
    pub is_whole: bool,
    /// In which part of the prompt. Unset: in the stable part where nothing in it or in its `when` changes from message
    /// to message, else in the tail.
    #[serde(rename = "stands")]
    wish: Option<SectionPlace>,
    #[serde(skip)]
    pub stands: SectionPlace,
    /// When it is in the prompt: a table, all of which has to hold, or a list of tables, one of which has to. Unset:
    /// always.
    #[serde(rename = "when", default)]
    #[schemars(extend("x-words" = "a table of conditions, or a list of such tables"))]
    pub condition: Condition,
    /// Macros still raw.
    #[serde(skip)]
    pub text: Arc<str>,
}

/// What goes first when the prompt is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// among the first to go
    Low,
    /// goes before the channel's backdrop and the mode's instructions
    #[default]
    Normal,
    /// stays as long as they do
    High,
}

/// Where a section stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SectionPlace {
    /// before the conversation, the same in every prompt
    Stable,
    /// at the end, for this reply
    #[default]
    Tail,
}

/// The most a skill may take of a prompt, in tokens (Y5).
const SKILL_MAX_TOKENS: u32 = 2_000;

/// How to do something, `skills/*.md`, told when it is wanted (Y5).
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct Skill {
    /// The name of its file, without `.md`.
    #[serde(skip)]
    pub name: Arc<str>,
    /// `false` switches it off. Unset: `true`.
    #[serde(default = "yes")]
    enabled: bool,
    /// What it is for, on one line. With its name it is always in the prompt, so that the familiar knows what it knows.
    #[serde(default)]
    #[schemars(length(max = 200))]
    pub description: String,
    /// Words or phrases; one of them in what is said calls it up. Its name, written with spaces, always does.
    #[serde(default)]
    pub keywords: Vec<String>,
    /// For how many more messages, its own included, it stays once it was called up. Unset: 6.
    // A quiz has several rounds.
    #[serde(default = "six")]
    #[schemars(range(min = 0, max = 50))]
    pub stays: u32,
    /// The most it may take; the rest is kept aside and comes back by its words. Unset: 2000.
    #[serde(default = "most")]
    #[schemars(range(min = 10, max = SKILL_MAX_TOKENS))]
    pub max_tokens: u32,
    /// When it may be called up, as for sections. With `when` and without `keywords` it is there whenever that holds.
    #[serde(rename = "when", default)]
    #[schemars(extend("x-words" = "a table of conditions, or a list of such tables"))]
    pub condition: Condition,
    /// Whether nothing more than that is needed.
    #[serde(skip)]
    pub needs_no_word: bool,
    #[serde(skip)]
    pub origin: Origin,
    /// Macros still raw.
    #[serde(skip)]
    pub text: Arc<str>,
}

/// Who wrote a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Origin {
    #[default]
    Own,
    /// Somebody else: it came with a card or from the net (`skills/imported`). Never instructs.
    Imported,
}

/// What was settled with those who are in a place, `places/*.md` (A19, layer 2.5; A30).
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct PlaceNote {
    /// The name of its file, without `.md`.
    #[serde(skip)]
    pub name: Arc<str>,
    /// With whom, and so who may be told.
    #[serde(skip, default = "canon")]
    pub audience: Audience,
    /// `false` switches it off. Unset: `true`.
    #[serde(default = "yes")]
    enabled: bool,
    /// The most it may take; paragraphs that do not fit are left out whole. Unset: what its layer (`author_note`) has
    /// room for.
    #[schemars(range(min = 10, max = 100_000))]
    pub max_tokens: Option<u32>,
    /// Whether these are people's words rather than yours. They are then quoted at the end of the prompt and never
    /// instruct. Unset: `false`.
    #[serde(rename = "from_chat", default)]
    pub is_from_chat: bool,
    /// Whether it reads the same in every prompt.
    #[serde(skip)]
    pub is_steady: bool,
    /// Macros still raw.
    #[serde(skip)]
    pub text: Arc<str>,
}

fn yes() -> bool {
    true
}

fn middle() -> u32 {
    100
}

fn six() -> u32 {
    6
}

fn most() -> u32 {
    SKILL_MAX_TOKENS
}

fn canon() -> Audience {
    Audience::Canon
}

/// A file in its two parts.
struct SplitFile {
    front: Layers,
    /// Trimmed, with plain line ends.
    text: Arc<str>,
}

impl SplitFile {
    /// Reads a file whose settings are those of a `T`.
    fn read<T: DeserializeOwned + JsonSchema>(source: &Arc<SourceText>) -> Result<(Self, T), ConfigError> {
        let (settings, text) = parts(source)?;
        let front = checked(Document::parse_part(source, &settings)?, &schema_of::<T>())?;
        let layers = Layers::of(front);
        condition::check_range(&layers)?;
        let read = layers.read()?;
        Ok((Self { front: layers, text: Arc::from(text) }, read))
    }

    /// A contradiction, pointed at in the file.
    fn conflict(&self, key: &str, what: String) -> ConfigError {
        self.front.problem(key, what).labelled("this one").into()
    }
}

/// The settings, blank up to where they begin, and the text.
fn parts(source: &Arc<SourceText>) -> Result<(String, String), Problem> {
    const FENCE: &str = "+++";
    let whole = source.text.as_str();
    let plain = |text: &str| text.replace("\r\n", "\n").trim().to_owned();
    match front_matter(whole, FENCE) {
        FrontMatter::Missing => Ok((String::new(), plain(whole))),
        FrontMatter::Closed { fields, body } => {
            // Blanks as wide as the opening keep every place where it is in the file.
            let opening = whole[..fields.start].replace(FENCE, "   ");
            Ok((format!("{opening}{}", &whole[fields]), plain(&whole[body..])))
        }
        FrontMatter::Unclosed => {
            let message = "the settings that begin here never end; put a line `+++` under them";
            Err(Problem::syntax(source, 0..FENCE.len(), message))
        }
    }
}

impl PromptSection {
    /// Reads one; `None` where it is switched off.
    fn read(name: &str, source: &Arc<SourceText>) -> Result<Option<Self>, ConfigError> {
        let (page, section) = SplitFile::read::<Self>(source)?;
        // The axioms protect the people the familiar talks to.
        if name == "axioms" {
            let what = "the axioms are no section and cannot be replaced or switched off; what you write into \
                        prompts/axioms.md is added to them";
            return Err(page.conflict("enabled", what.to_owned()));
        }
        if !section.enabled || page.text.is_empty() {
            return Ok(None);
        }
        let stands = match (section.wish, passing(Some(&section.condition), &page.text)) {
            (Some(SectionPlace::Tail), _) | (None, Some(_)) => SectionPlace::Tail,
            (_, None) => SectionPlace::Stable,
            (Some(SectionPlace::Stable), Some(changing)) => {
                let what = format!(
                    "{changing} may change from message to message, so this cannot stand in the stable part; take \
                     `stands` out, or write \"tail\""
                );
                return Err(page.conflict("stands", what));
            }
        };
        let title = section.title.as_ref().map(|title| Arc::from(title.trim()));
        Ok(Some(Self { name: Arc::from(name), title, stands, text: page.text, ..section }))
    }
}

impl Skill {
    /// Reads one; `None` where it is switched off.
    fn read(name: &str, origin: Origin, source: &Arc<SourceText>) -> Result<Option<Self>, ConfigError> {
        let (page, skill) = SplitFile::read::<Self>(source)?;
        let skill = Self {
            name: Arc::from(name),
            description: one_line(&skill.description),
            needs_no_word: skill.keywords.is_empty() && page.front.rank("when").is_some(),
            origin,
            text: page.text,
            ..skill
        };
        Ok(Some(skill).filter(|skill| skill.enabled && !skill.text.is_empty()))
    }

    /// Its name as people say it.
    pub fn spoken_name(&self) -> String {
        self.name.replace(['_', '-'], " ")
    }
}

impl PlaceNote {
    /// Reads one; `None` where it is switched off.
    fn read(name: &str, source: &Arc<SourceText>) -> Result<Option<Self>, ConfigError> {
        let (page, note) = SplitFile::read::<Self>(source)?;
        let Some(audience) = audience_of(name) else {
            let what = format!(
                "`{name}.md` names no place; call it guild-<server id>.md, dm-<user id>.md or dm-operator.md"
            );
            return Err(page.conflict("enabled", what));
        };
        let is_steady = passing(None, &page.text).is_none();
        let note = Self { name: Arc::from(name), audience, is_steady, text: page.text, ..note };
        Ok(Some(note).filter(|note| note.enabled && !note.text.is_empty()))
    }

    /// Whether it is about those who are in `place`: a server's in all of its channels, a person's in their direct
    /// messages.
    pub fn is_for(&self, place: &Place) -> bool {
        match &self.audience {
            Audience::Guild(guild) => place.guild.as_ref() == Some(guild),
            audience => *audience == place.audience,
        }
    }
}

/// What in a page may change from message to message.
fn passing(condition: Option<&Condition>, text: &str) -> Option<String> {
    if let Some(name) = volatile_macros(text).first() {
        return Some(format!("`{{{{{name}}}}}`"));
    }
    // Whoever may open a thread chooses its name: other people's words do not stand among instructions.
    if text.contains("{{channel}}") {
        return Some("`{{channel}}`".to_owned());
    }
    condition?.passing().map(|key| format!("`when.{key}`"))
}

fn audience_of(name: &str) -> Option<Audience> {
    let digits = |id: &str| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    match name.split_once('-')? {
        ("guild", id) if digits(id) => GuildId::new(id).ok().map(Audience::Guild),
        ("dm", "operator") => Some(Audience::Dm(AccountId::operator())),
        ("dm", id) => id.parse().ok().map(|user| Audience::Dm(AccountId::discord(user))),
        _ => None,
    }
}
