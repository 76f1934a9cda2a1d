//! `who_was_here`: the people of this channel.

use std::sync::Arc;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::domain::ToolSpec;
use crate::history::History;
use crate::text::names::prompt_label;
use crate::tools::tool::{Category, Tool, ToolContext, ToolError, arguments};

/// People listed.
const MOST: usize = 30;

/// Lists who spoke in this channel lately.
#[derive(Debug)]
pub(super) struct WhoWasHere {
    history: Arc<History>,
}

impl WhoWasHere {
    pub(super) fn new(history: Arc<History>) -> Self {
        Self { history }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {}

#[async_trait]
impl Tool for WhoWasHere {
    fn name(&self) -> &str {
        "who_was_here"
    }

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.name().to_owned(),
            description: "Lists the people who wrote in this channel lately, newest first.".to_owned(),
            parameters: json!({"type": "object", "properties": {}}),
        }
    }

    fn category(&self) -> Category {
        Category::People
    }

    async fn run(&self, given: Value, context: &ToolContext) -> Result<String, ToolError> {
        let Arguments {} = arguments(given)?;
        let people = self
            .history
            .recent_authors(&context.place.channel, MOST, None)
            .await
            .map_err(|error| ToolError::Broken(error.to_string()))?;
        if people.is_empty() {
            return Ok("Nobody wrote here yet.".to_owned());
        }
        let names: Vec<_> = people.iter().map(|author| prompt_label(author.label())).collect();
        Ok(names.join(", "))
    }
}
