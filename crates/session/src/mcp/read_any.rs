//! All that a server may say, for fuzzing: nothing of it may panic or take for ever, whatever comes.

use std::sync::Arc;

use futures::FutureExt as _;
use rmcp::model::{ServerJsonRpcMessage, ServerResult};
use serde_json::{Map, Value};
use tokio::io::AsyncReadExt as _;

use super::FRAME_BYTES;
use super::arguments::check_arguments;
use super::frames::{Frames, Trouble, complaints};
use super::schema::sound_schema;

/// What came of bytes that a program wrote.
#[derive(Debug, PartialEq, Eq)]
pub struct ReadFrames {
    /// Bytes that were let through.
    pub passed: usize,
    /// Why it was broken off, where it was.
    pub why: Option<String>,
    /// Bytes of the longest complaint that was told, were they complaints.
    pub longest_complaint: usize,
}

/// Reads bytes as what a program writes, in pieces of at most so many, each line of it a message.
pub fn read_any_frames(bytes: &[u8], piece: usize) -> ReadFrames {
    let trouble = Trouble::default();
    let mut frames = Frames::new(bytes, Arc::clone(&trouble));
    let (mut all, mut buffer) = (Vec::new(), vec![0; piece.clamp(1, FRAME_BYTES)]);
    // What is in memory keeps nobody waiting.
    while let Some(Ok(read @ 1..)) = frames.read(&mut buffer).now_or_never() {
        all.extend_from_slice(&buffer[..read]);
    }
    all.split(|byte| *byte == b'\n').for_each(read_any_message);
    let mut longest = 0;
    let _read = complaints(bytes, |line| longest = longest.max(line.len())).now_or_never();
    let why = trouble.lock().clone();
    ReadFrames { passed: all.len(), why, longest_complaint: longest }
}

/// Reads bytes as a message, as a list of tools, and as a schema with arguments that may fit it.
pub fn read_any_message(bytes: &[u8]) {
    if let Ok(ServerJsonRpcMessage::Response(response)) = serde_json::from_slice(bytes)
        && let ServerResult::ListToolsResult(list) = response.result
    {
        for tool in list.tools {
            read_schema(&tool.input_schema);
        }
    }
    if let Ok(Value::Object(schema)) = serde_json::from_slice(bytes) {
        read_schema(&schema);
        for part in schema.values() {
            if let Value::Object(part) = part {
                read_schema(part);
            }
        }
    }
}

fn read_schema(schema: &Map<String, Value>) {
    let mut of_object = schema.clone();
    of_object.insert("type".to_owned(), "object".into());
    for schema in [schema, &of_object] {
        if let Ok(sound) = sound_schema(schema) {
            // It fits or does not.
            let _either = check_arguments(&sound, &Value::Object(schema.clone()));
        }
    }
}
