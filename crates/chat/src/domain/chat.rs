//! Turns as they are stored, and the tools a model calls.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Audience, Author, ChannelMode, MessageId, Role, StoredId, TurnId};

/// Opens every heading the program itself writes into a prompt (design, rule 7). Text by people may not carry it into
/// a prompt, and no outbox lets a reply with it out: that would be the prompt leaking, not the character speaking.
pub const LAYER_MARKER: &str = "⟦fc:";

/// What the part of a prompt is called that says how somebody is answered who is in distress.
pub const SAFETY_LABEL: &str = "Before everything else";

/// What stands in that part before the operator's helpline, on the same line.
pub const HELPLINE_LABEL: &str =
    "Say this too, in the language they write in, with numbers and addresses as they stand:";

/// What a prompt says of the window, and of no other place.
pub const WINDOW_FORMAT: &str =
    "This is a page in a browser: Markdown works, also tables; pictures are not shown.";

/// What a reply answered, shortened for the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyParent {
    pub id: StoredId,
    /// Who could hear it when it was said; not always who can hear the answer.
    pub audience: Audience,
    /// Who wrote the answered message; `None` for the familiar itself.
    pub author: Option<String>,
    pub snippet: String,
    /// When it was said.
    pub at: Timestamp,
}

/// One message as the history knows it: what was really said or really delivered.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredTurn {
    pub id: StoredId,
    /// The channel's own running number of this message, from 1 without gaps; history windows are cut at
    /// multiples of a block of it, so that the window's start moves rarely (memory 3.3).
    pub ordinal: u64,
    /// `User` for people, `Assistant` for the familiar.
    pub role: Role,
    pub author: Option<Author>,
    /// Who could hear it when it was said, whatever the channel's permissions are now.
    pub audience: Audience,
    /// The words, attachments appended as lines.
    pub content: String,
    /// When it was said.
    pub at: Timestamp,
    /// The mode the channel had.
    pub mode: ChannelMode,
    /// The id on the platform of the (first) message.
    pub message: Option<MessageId>,
    pub reply_to: Option<ReplyParent>,
    /// The turn that produced it, for the familiar's own.
    pub turn: Option<TurnId>,
    /// Tokens of `content` under the encoding that was asked for; counted once, when stored.
    pub tokens: u32,
}

/// What a model is told about a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    pub name: String,
    /// What it does and when it helps, in a sentence or two.
    pub description: String,
    /// The JSON schema of its arguments.
    pub parameters: serde_json::Value,
}

/// A call, as the model wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The provider's id; the result refers to it.
    pub id: String,
    pub name: String,
    /// Its arguments, as JSON text; not necessarily valid.
    pub arguments: String,
}

/// What a call gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    pub call: String,
    /// What the model reads.
    pub content: String,
    /// It did not work; `content` says why.
    pub failed: bool,
}

/// One exchange between the model and its tools: what it said and called, and what came back, in the calls' order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ToolRound {
    /// Words beside the calls; often none.
    pub said: String,
    pub calls: Vec<ToolCall>,
    /// One result for each call.
    pub results: Vec<ToolResult>,
}
