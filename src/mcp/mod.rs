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

use std::time::Duration;

pub use connection::{Findings, McpTrouble, ServerFindings, check_up};
pub use offered::LeftOutTools;
pub use read_any::{ReadFrames, read_any_frames, read_any_message};
pub use servers::McpServers;

/// How long one call may take.
const CALL_WITHIN: Duration = Duration::from_secs(60);

/// How long a server may take from its start until it has said which tools it has. Package runners may fetch it first.
const CONNECT_WITHIN: Duration = Duration::from_secs(60);

/// How long a server that is let go may take to end by itself.
const END_WITHIN: Duration = Duration::from_secs(2);

/// What one message of a server may have at most, in bytes.
const FRAME_BYTES: usize = 4 * 1024 * 1024;
