//! How many days it is to a date.

use async_trait::async_trait;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::context::reflex::days::how_far;
use crate::tools::tool::{Shelf, Tool, ToolContext, ToolEntry, ToolError};

/// Counts them by the familiar's own calendar.
#[derive(Debug)]
pub(super) struct DaysUntil;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Until {
    /// Such as 2026-12-24.
    date: String,
}

#[async_trait]
impl Tool for DaysUntil {
    type Arguments = Until;

    fn entry(&self) -> ToolEntry {
        ToolEntry::new("days_until", Shelf::Time, "Counts the days until a date.").in_own_words()
    }

    async fn run(&self, given: Until, context: &ToolContext) -> Result<String, ToolError> {
        let wrong = || ToolError::Arguments("a date is written like 2026-12-24".to_owned());
        let date: Date = given.date.trim().parse().map_err(|_| wrong())?;
        how_far("", date, &context.now.to_zoned(context.display_tz.clone())).ok_or_else(wrong)
    }
}
