//! Tools as a model sees them, and what becomes of its calls.

use serde::{Deserialize, Serialize};

/// What a model is told about a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// `[a-z_]{1,64}`.
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
    /// Which tool.
    pub name: String,
    /// Its arguments, as JSON text; not necessarily valid.
    pub arguments: String,
}

/// What a call gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// Which call.
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
    /// The calls.
    pub calls: Vec<ToolCall>,
    /// One result for each call.
    pub results: Vec<ToolResult>,
}
