//! `choose`: a fair pick.

use async_trait::async_trait;
use rand::Rng as _;
use serde::Deserialize;
use serde_json::{Value, json};

use super::roll_dice::seeded;
use crate::domain::ToolSpec;
use crate::tools::tool::{Category, Tool, ToolContext, ToolError, arguments};

/// Picks one of several.
#[derive(Debug)]
pub(super) struct Choose;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    options: Vec<String>,
}

#[async_trait]
impl Tool for Choose {
    fn name(&self) -> &str {
        "choose"
    }

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.name().to_owned(),
            description: "Picks one of several options at random, each as likely as the others.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {"options": {"type": "array", "items": {"type": "string"}, "minItems": 2}},
                "required": ["options"],
            }),
        }
    }

    fn category(&self) -> Category {
        Category::Play
    }

    async fn run(&self, given: Value, context: &ToolContext) -> Result<String, ToolError> {
        let Arguments { options } = arguments(given)?;
        if options.len() < 2 {
            return Err(ToolError::Arguments("two options at least".to_owned()));
        }
        let pick = seeded(context, &options.join("\n")).random_range(0..options.len());
        Ok(options[pick].clone())
    }
}
