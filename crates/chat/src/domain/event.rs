//! What can come in from the outside: messages, and who comes and goes.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{AccountId, Author, ChannelId, GuildId, MessageId, Modality, Place, Reaction};

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
    pub place: Place,
    pub author: Author,
    /// Its id on the platform, when it has one.
    pub message: Option<MessageId>,
    /// The words, with mentions written as names.
    pub text: String,
    /// Files and embeds, described; never their bytes.
    pub attachments: Vec<Attachment>,
    pub reply_to: Option<MessageId>,
    /// The message that this one passes on, in whichever channel.
    pub forwards: Option<(ChannelId, MessageId)>,
    pub modality: Modality,
    /// When it was said.
    pub at: Timestamp,
    /// What the adapter knows about who is meant.
    pub hints: TriggerHints,
}

impl InboundMessage {
    /// What somebody writes that answers nothing and has no id on its platform.
    pub fn said(place: Place, author: Author, text: impl Into<String>, at: Timestamp) -> Self {
        Self {
            place,
            author,
            message: None,
            text: text.into(),
            attachments: Vec::new(),
            reply_to: None,
            forwards: None,
            modality: Modality::Text,
            at,
            hints: TriggerHints::default(),
        }
    }

    /// What the operator, known by `name`, writes where nobody else is.
    pub fn of_operator(place: Place, name: &str, message: MessageId, text: String, at: Timestamp) -> Self {
        let author = Author::called(AccountId::operator(), name);
        Self { message: Some(message), ..Self::said(place, author, text, at) }
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
    /// One of which nothing else is known.
    pub fn named(kind: impl Into<String>, name: impl Into<String>) -> Self {
        Self { kind: kind.into(), name: name.into(), bytes: None, text: None, address: None }
    }

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
        format!("> [{}]", in_one_line(&inside))
    }

    /// A message's content with what is said in the sound of this name told in that one's line. `None` where there is no such
    /// line, or it is told there already.
    pub fn with_said(content: &str, name: &str, said: &str) -> Option<String> {
        let name = in_one_line(name);
        let is_it = |line: &&str| {
            Self::read(line)
                .is_some_and(|(kind, rest)| kind == SOUND && rest.starts_with(&name) && !rest.contains(SAID))
        };
        let mut lines: Vec<&str> = content.split('\n').collect();
        // People write what they like; lines of attachments come last.
        let at = lines.iter().rposition(is_it)?;
        let told = format!("{}{SAID}{}]", lines[at].trim_end().strip_suffix(']')?, in_one_line(said));
        lines[at] = &told;
        Some(lines.join("\n"))
    }

    /// How a message reads now, with what was heard in the sounds that it still has. Its platform knows nothing of that.
    pub fn keep_said(before: &str, content: &str) -> String {
        let as_heard = content.split('\n').map(|line| {
            let sound = Self::read(line).filter(|(kind, _)| *kind == SOUND);
            let Some(open) = sound.and_then(|_| line.strip_suffix(']')) else { return line };
            let is_told = |told: &&str| told.strip_prefix(open).is_some_and(|rest| rest.starts_with(SAID));
            before.split('\n').find(is_told).unwrap_or(line)
        });
        as_heard.collect::<Vec<_>>().join("\n")
    }

    /// Kind and rest of a line that [`Self::line`] wrote, now or before it was quoted; `None` for any other.
    pub fn read(line: &str) -> Option<(&str, &str)> {
        let line = line.trim();
        let inside = line.strip_prefix("> ").unwrap_or(line).strip_prefix('[')?.strip_suffix(']')?;
        inside.split_once(": ").filter(|(kind, _)| KINDS.contains(kind))
    }
}

/// The kind of a sound, and what stands in its line before what is said in it.
const SOUND: &str = "audio";
const SAID: &str = " — said: ";

/// Words as they may stand in an attachment's line, which they cannot end.
fn in_one_line(words: &str) -> String {
    let lines: Vec<&str> = words.split(LINE_ENDS).map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join(" / ").replace('[', "(").replace(']', ")")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_in_a_sound_stands_in_its_line_and_stays_there_when_the_message_changes() {
        let content = "listen\n> [image: bell.png, 1 KB]\n> [audio: voice-message.ogg, 4 KB — 2 s long]";
        let told = Attachment::with_said(content, "voice-message.ogg", "It rings\n> [twice]").unwrap();
        let line = "> [audio: voice-message.ogg, 4 KB — 2 s long — said: It rings / > (twice)]";
        assert_eq!(told, format!("listen\n> [image: bell.png, 1 KB]\n{line}"));
        assert_eq!(Attachment::with_said(&told, "voice-message.ogg", "again"), None);
        assert_eq!(Attachment::with_said(content, "bell.png", "a picture"), None);
        assert_eq!(Attachment::keep_said(&told, content), told, "its platform tells it as it was");
        assert_eq!(
            Attachment::keep_said(&told, &content.replace("listen", "hush")),
            told.replace("listen", "hush")
        );
        assert_eq!(Attachment::keep_said(&told, "listen"), "listen", "the sound is gone");
    }
}
