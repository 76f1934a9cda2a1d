//! What can come in from the outside: messages, and who comes and goes.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{AccountId, Author, GuildId, MessageId, Modality, Place, Reaction};

/// Everything an adapter can hand to a session.
#[derive(Debug, Clone)]
pub enum InboundEvent {
    Message(Box<InboundMessage>),
    /// A message that was already seen now reads differently.
    Edited {
        place: Place,
        message: MessageId,
        /// The new text, attachments and embeds rendered as in [`InboundMessage::text`].
        text: String,
        /// When it was edited.
        at: Timestamp,
    },
    /// Messages were taken back.
    Deleted {
        place: Place,
        messages: Vec<MessageId>,
        at: Timestamp,
    },
    /// Somebody reacted to a message, or took that away.
    Reacted {
        place: Place,
        /// Who, to what, and with which emoji.
        reaction: Reaction,
    },
    /// All reactions under a message were taken away at once, or all with one emoji.
    ReactionsCleared {
        place: Place,
        message: MessageId,
        emoji: Option<String>,
        at: Timestamp,
    },
}

impl InboundEvent {
    pub fn place(&self) -> &Place {
        match self {
            Self::Message(message) => &message.place,
            Self::Edited { place, .. }
            | Self::Deleted { place, .. }
            | Self::Reacted { place, .. }
            | Self::ReactionsCleared { place, .. } => place,
        }
    }

    /// Whose words or whose reaction it brings; `None` where it only changes or takes away what is there.
    pub fn by(&self) -> Option<&AccountId> {
        match self {
            Self::Message(message) => Some(&message.author.account),
            Self::Reacted { reaction, .. } => Some(&reaction.by),
            Self::Edited { .. } | Self::Deleted { .. } | Self::ReactionsCleared { .. } => None,
        }
    }

    /// The same, to be filled in.
    pub fn place_mut(&mut self) -> &mut Place {
        match self {
            Self::Message(message) => &mut message.place,
            Self::Edited { place, .. }
            | Self::Deleted { place, .. }
            | Self::Reacted { place, .. }
            | Self::ReactionsCleared { place, .. } => place,
        }
    }
}

/// One message by a person (or another bot), ready for the prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct InboundMessage {
    /// Where it was said.
    pub place: Place,
    pub author: Author,
    /// Its id on the platform, when it has one.
    pub message: Option<MessageId>,
    /// The words, with mentions written as names.
    pub text: String,
    /// Files and embeds, described; never their bytes.
    pub attachments: Vec<Attachment>,
    /// The message this one answers.
    pub reply_to: Option<MessageId>,
    pub modality: Modality,
    /// When it was said.
    pub at: Timestamp,
    /// What the adapter knows about who is meant.
    pub hints: TriggerHints,
}

impl InboundMessage {
    /// What the operator, known by `name`, writes where nobody else is.
    pub fn of_operator(place: Place, name: &str, message: MessageId, text: String, at: Timestamp) -> Self {
        Self {
            place,
            author: Author {
                account: AccountId::operator(),
                display_name: Some(name.to_owned()),
                username: None,
                is_bot: false,
            },
            message: Some(message),
            text,
            attachments: Vec::new(),
            reply_to: None,
            modality: Modality::Text,
            at,
            hints: TriggerHints::default(),
        }
    }

    /// The words, then one line for each attachment.
    pub fn content(&self) -> String {
        let mut content = self.text.clone();
        for attachment in &self.attachments {
            if !content.is_empty() {
                content.push('\n');
            }
            content.push_str(&attachment.line());
        }
        content
    }
}

/// Facts about a message that only the adapter can know, for the speak-or-stay-silent policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TriggerHints {
    /// The familiar was @mentioned.
    pub mentions_familiar: bool,
    /// It answers one of the familiar's own messages.
    pub replies_to_familiar: bool,
    /// It mentions or answers somebody else, and not the familiar.
    pub addresses_someone_else: bool,
    /// It is not sure that they were finished, or that the familiar was meant: it may look at it and not answer. Where it
    /// was not mentioned either, it looks at it because it may have been.
    pub is_unsure: bool,
    /// It was said while nobody listened, and was read afterwards.
    pub is_missed: bool,
}

/// A file or embed, as the prompt will know it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// What it is, in a word: `image`, `file`, `audio`, `video`, `embed`, `gif`, `sticker`, `poll`, `forwarded`.
    pub kind: String,
    /// File name or embed title.
    pub name: String,
    /// Size in bytes, where known.
    pub bytes: Option<u64>,
    /// Embed text or a described picture; already capped by the adapter.
    pub text: Option<String>,
    /// Where a file's bytes are, where they can be read. Kept nowhere.
    #[serde(skip)]
    pub address: Option<FileAt>,
}

/// Where a file's bytes are.
#[derive(Clone, PartialEq, Eq)]
pub enum FileAt {
    /// At an address, where the adapter vouches for the place.
    Address(String),
    /// They came with the message.
    Here(Arc<[u8]>),
}

impl fmt::Debug for FileAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(address) => f.debug_tuple("Address").field(address).finish(),
            Self::Here(bytes) => write!(f, "{} bytes", bytes.len()),
        }
    }
}

impl Attachment {
    /// One line for the prompt, quoted, since it is not the words of whoever sent it: `> [image: cat.png, 120 KB]`.
    /// Nothing in it can end it.
    pub fn line(&self) -> String {
        let mut inside = format!("{}: {}", self.kind, self.name);
        if let Some(bytes) = self.bytes {
            inside.push_str(", ");
            inside.push_str(&human_size(bytes));
        }
        if let Some(text) = &self.text {
            inside.push_str(" — ");
            inside.push_str(text);
        }
        let lines: Vec<&str> =
            inside.split(LINE_ENDS).map(str::trim).filter(|line| !line.is_empty()).collect();
        format!("> [{}]", lines.join(" / ").replace('[', "(").replace(']', ")"))
    }

    /// Kind and rest of a line that [`Self::line`] wrote, now or before it was quoted; `None` for any other.
    pub fn read(line: &str) -> Option<(&str, &str)> {
        let line = line.trim();
        let inside = line.strip_prefix("> ").unwrap_or(line).strip_prefix('[')?.strip_suffix(']')?;
        inside.split_once(": ").filter(|(kind, _)| KINDS.contains(kind))
    }
}

/// Whatever some reader may take for the end of a line.
const LINE_ENDS: [char; 7] = ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];

/// What attachments there are.
const KINDS: [&str; 9] = ["image", "file", "audio", "video", "embed", "gif", "sticker", "poll", "forwarded"];

fn human_size(bytes: u64) -> String {
    const KIB: u64 = 1024;
    match bytes {
        0..KIB => format!("{bytes} B"),
        KIB..1_048_576 => format!("{} KB", bytes.div_ceil(KIB)),
        _ => {
            let tenths = bytes.saturating_mul(10) / (KIB * KIB);
            format!("{}.{} MB", tenths / 10, tenths % 10)
        }
    }
}

/// Which way somebody went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Movement {
    /// They are a member from now on.
    Came,
    /// They are no longer.
    Left,
}

/// Somebody came to a guild, or left it. Everybody in the guild can see that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coming {
    pub guild: GuildId,
    pub account: AccountId,
    /// What they are called there.
    pub name: String,
    pub movement: Movement,
    pub at: Timestamp,
}
