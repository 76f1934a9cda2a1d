//! Programs and addresses that give the familiar tools, by the Model Context Protocol (MCP).
//!
//! Owns the connections that `[mcp.<name>]` asks for: starting and ending such programs, what is believed of what they say
//! about their tools, and the way of a call. What a server says is somebody else's word throughout: it is bounded, checked
//! and quoted, and whatever a server does, no turn comes to harm. Must not know sessions or platforms. Start reading at
//! [`McpServers`].

mod arguments;
mod connection;
mod frames;
mod offered;
mod process;
mod read_any;
mod schema;
mod servers;

use std::io;
use std::time::Duration;

pub use connection::{Findings, ServerFindings, check_up};
pub use offered::LeftOutTools;
pub use read_any::{ReadFrames, read_any_frames, read_any_message};
pub use servers::{McpServers, McpState, McpStates};

/// How long one call may take.
const CALL_WITHIN: Duration = Duration::from_secs(60);

/// How long a server may take from its start until it has said which tools it has. Package runners may fetch it first.
const CONNECT_WITHIN: Duration = Duration::from_secs(60);

/// How long a server that is let go may take to end by itself.
const END_WITHIN: Duration = Duration::from_secs(2);

/// What one message of a server may have at most, in bytes.
const FRAME_BYTES: usize = 4 * 1024 * 1024;

/// Why a server is not connected.
#[derive(Debug, thiserror::Error)]
pub enum McpTrouble {
    #[error("there is no program {command:?}")]
    NotFound { command: String },
    #[error("{command:?} cannot be started: {error}")]
    NotStarted { command: String, error: io::Error },
    #[error("{variable} is not set, which its headers need")]
    NoVariable { variable: String },
    #[error("{header:?} cannot be sent as a header")]
    NotAHeader { header: String },
    /// In its words, or in those of whoever could not reach it.
    #[error("{0}")]
    Said(String),
    #[error("it did not say within {} s which tools it has", .0.as_secs())]
    Late(Duration),
    #[error("it says neither what to start nor where it is")]
    Nowhere,
}
