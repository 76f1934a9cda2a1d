//! `make_room`: the model has what was said longer ago summed up.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};

use crate::config::{Compaction, LiveConfig};
use crate::domain::ToolSpec;
use crate::tools::tool::{Category, Tool, ToolContext, ToolError, arguments};

/// Says that it is done; the session has it done, since no tool knows the jobs behind the scenes (specs mechanisms Y6).
#[derive(Debug)]
pub(super) struct MakeRoom {
    config: Arc<LiveConfig>,
}

impl MakeRoom {
    pub(super) fn new(config: Arc<LiveConfig>) -> Self {
        Self { config }
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[async_trait]
impl Tool for MakeRoom {
    fn name(&self) -> &str {
        super::MAKE_ROOM
    }

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: super::MAKE_ROOM.to_owned(),
            description:
                "Has the older messages of this conversation summed up, so that there is room for new ones. \
                          For when little room is left, or a topic is done with."
                    .to_owned(),
            parameters: json!({"type": "object", "properties": {}}),
        }
    }

    fn category(&self) -> Category {
        Category::Channel
    }

    fn exists(&self) -> bool {
        self.config.current().providers.history.compaction != Compaction::Auto
    }

    fn is_at_hand(&self) -> bool {
        true
    }

    async fn run(&self, given: Value, _: &ToolContext) -> Result<String, ToolError> {
        let Nothing {} = arguments(given)?;
        Ok("What was said longer ago is being summed up. It has more room from the next message on."
            .to_owned())
    }
}
