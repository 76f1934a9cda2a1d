//! What a prompt is built from, and the messages that come out.

use serde::{Deserialize, Serialize};

use crate::macros::Moment;
use crate::{Character, Role, TokenCount};

use super::ExampleRule;

/// SillyTavern's default main prompt: what a card's `system_prompt` replaces and `{{original}}` stands for.
pub const DEFAULT_MAIN_PROMPT: &str =
    "Write {{char}}'s next reply in a fictional chat between {{charIfNotGroup}} and {{user}}.";

/// One line of the chat as it stands in the history. Never expanded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StLine {
    /// Who, as a role: a person is the user, the familiar the assistant.
    pub role: Role,
    /// Who, by name.
    pub name: String,
    /// What was said, without the name.
    pub text: String,
}

/// Where names of speakers go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NamesBehaviour {
    /// Nowhere (−1).
    None,
    /// Before everyone's words but the current person's, and only in groups (0).
    #[default]
    Default,
    /// Into the message's `name`, reduced to `[A-Za-z0-9_]{1,64}` (1).
    NameField,
    /// Before everyone's words (2).
    InContent,
    /// Before people's words, never before the familiar's own: what a channel with several people needs and
    /// SillyTavern lacks (cards-and-lore 5, "Discord mapping").
    People,
}

/// Whether example dialogue may be left out to make room for history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExamplePinning {
    /// History first, then whole example blocks while they fit.
    #[default]
    Yielding,
    /// Examples first, then history while it fits.
    Pinned,
}

/// A text inserted a number of messages from the end: lore at depth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DepthEntry {
    /// Messages from the end, 0 = after the last. Deeper than the history means before its first message;
    /// deeper than 10 000 is left out, as in SillyTavern.
    pub depth: u32,
    /// The role it is sent as.
    pub role: Role,
    /// The text; macros are expanded.
    pub text: String,
}

/// Where the author's note stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotePlace {
    /// Right after the main prompt (0).
    AfterMain,
    /// In the chat, this many messages from the end (1).
    InChat {
        /// As in [`DepthEntry::depth`].
        depth: u32,
    },
    /// Right before the main prompt (2).
    BeforeMain,
}

/// What SillyTavern calls the author's note: a text with a fixed place in the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorNote {
    /// The text; macros are expanded.
    pub text: String,
    /// Where in the prompt it stands.
    pub place: NotePlace,
    /// The role it is sent as.
    pub role: Role,
}

/// Everything a prompt is built from.
pub struct StInput<'a> {
    /// The card. Its `nickname` is not read: `char_name` decides.
    pub character: &'a Character,
    /// `{{char}}`. SillyTavern knows no nicknames; live turns pass [`Character::spoken_name`].
    pub char_name: &'a str,
    /// `{{user}}` and the name of examples' user lines; made safe by the caller.
    pub user: &'a str,
    /// What is known of the person spoken to.
    pub persona: &'a str,
    /// The chat, oldest first.
    pub chat: &'a [StLine],
    /// Lore before the description.
    pub lore_before: &'a str,
    /// Lore after the description.
    pub lore_after: &'a str,
    /// Lore in the chat.
    pub depth_entries: &'a [DepthEntry],
    /// The author's note, where there is one.
    pub author_note: Option<&'a AuthorNote>,
    /// Which messages name their speaker, and how.
    pub names: NamesBehaviour,
    /// Whether examples yield to history.
    pub examples: ExamplePinning,
    /// How example blocks are read.
    pub example_rule: ExampleRule,
    /// The context size, in tokens.
    pub context_tokens: u32,
    /// What of it is kept for the reply, in tokens.
    pub reply_tokens: u32,
    /// The members of a group chat, the character among them; `None` outside groups.
    pub group: Option<&'a [String]>,
    /// The main prompt that a card may override; [`DEFAULT_MAIN_PROMPT`] is SillyTavern's.
    pub main_prompt: &'a str,
    /// Counts the tokens of a text. The four tokens every message costs are added here, not there.
    pub tokens: TokenCount<'a>,
    /// Time, dice and last messages for macros.
    pub moment: &'a Moment,
}

impl std::fmt::Debug for StInput<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StInput")
            .field("char_name", &self.char_name)
            .field("user", &self.user)
            .field("chat", &self.chat.len())
            .field("context_tokens", &self.context_tokens)
            .field("reply_tokens", &self.reply_tokens)
            .finish_non_exhaustive()
    }
}

/// One message of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatMessage {
    /// Who speaks.
    pub role: Role,
    /// The speaker's name, `[A-Za-z0-9_]{1,64}`, where one is sent.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub name: Option<String>,
    /// The words as they are sent.
    pub content: String,
    /// This message ends a part of the prompt that comes again on the next turn, byte for byte and with all that stands
    /// before it. The first one ends what stays longest, the last one ends all that comes again; where between them a
    /// provider's markers go depends on the provider.
    #[serde(skip)]
    pub cache_breakpoint: bool,
}

impl ChatMessage {
    /// A message without name or cache marker.
    #[must_use]
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self { role, name: None, content: content.into(), cache_breakpoint: false }
    }
}
