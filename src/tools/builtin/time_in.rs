//! `time_in`: what time it is elsewhere.

use async_trait::async_trait;
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::domain::ToolSpec;
use crate::tools::tool::{Category, Tool, ToolContext, ToolError, arguments};

/// Tells the time in any zone.
#[derive(Debug)]
pub(super) struct TimeIn;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    zone: String,
}

#[async_trait]
impl Tool for TimeIn {
    fn name(&self) -> &str {
        "time_in"
    }

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.name().to_owned(),
            description: "Tells the date and time in a time zone.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {"zone": {"type": "string", "description": "IANA name, such as Asia/Tokyo"}},
                "required": ["zone"],
            }),
        }
    }

    fn category(&self) -> Category {
        Category::Time
    }

    async fn run(&self, given: Value, context: &ToolContext) -> Result<String, ToolError> {
        let Arguments { zone } = arguments(given)?;
        let there = TimeZone::get(zone.trim()).map_err(|_| {
            ToolError::Arguments(format!("{zone:?} is no IANA time zone; try one like Europe/Berlin"))
        })?;
        let now = context.now.to_zoned(there);
        Ok(now.strftime("%A %-d %B %Y, %H:%M %Z").to_string())
    }
}
