//! Dice, choices and clocks: what the reflexes know, for a model that asks by itself.

use async_trait::async_trait;
use jiff::tz::TimeZone;
use rand::Rng as _;
use rand::rngs::StdRng;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::context::reflex::chance::{MOST_DICE, MOST_SIDES, Throw, lot};
use crate::tools::tool::{Shelf, Tool, ToolContext, ToolEntry, ToolError, arguments};

/// Randomness that belongs to one turn and one question, so that a replay tells what happened.
fn drawn_in(context: &ToolContext, question: &str) -> StdRng {
    lot(context.turn, context.place.channel.as_str(), question)
}

/// Throws dice. The same turn throws the same, so that a replay tells what happened.
#[derive(Debug)]
pub(super) struct RollDice;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Dice {
    dice: Option<u32>,
    sides: Option<u32>,
}

#[async_trait]
impl Tool for RollDice {
    fn entry(&self) -> ToolEntry {
        ToolEntry {
            name: "roll_dice",
            shelf: Shelf::Play,
            is_at_hand: false,
            description: "Throws fair dice and gives each result and their sum.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "dice": {"type": "integer", "minimum": 1, "maximum": MOST_DICE},
                    "sides": {"type": "integer", "minimum": 2, "maximum": MOST_SIDES},
                },
            }),
        }
    }

    async fn run(&self, given: Value, context: &ToolContext) -> Result<String, ToolError> {
        let Dice { dice, sides } = arguments(given)?;
        let (dice, sides) = (dice.unwrap_or(1), sides.unwrap_or(6));
        let throw = Throw { count: dice, sides, plus: 0 };
        if !throw.is_possible() {
            return Err(ToolError::Arguments(format!("1 to {MOST_DICE} dice with 2 to {MOST_SIDES} sides")));
        }
        Ok(throw.fall(&mut drawn_in(context, &format!("{dice}d{sides}"))))
    }
}

/// Picks one of several.
#[derive(Debug)]
pub(super) struct Choose;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    options: Vec<String>,
}

#[async_trait]
impl Tool for Choose {
    fn entry(&self) -> ToolEntry {
        ToolEntry {
            name: "choose",
            shelf: Shelf::Play,
            is_at_hand: false,
            description: "Picks one of several options at random, each as likely as the others.",
            parameters: json!({
                "type": "object",
                "properties": {"options": {"type": "array", "items": {"type": "string"}, "minItems": 2}},
                "required": ["options"],
            }),
        }
    }

    async fn run(&self, given: Value, context: &ToolContext) -> Result<String, ToolError> {
        let Options { options } = arguments(given)?;
        if options.len() < 2 {
            return Err(ToolError::Arguments("two options at least".to_owned()));
        }
        let pick = drawn_in(context, &options.join("\n")).random_range(0..options.len());
        Ok(options[pick].clone())
    }
}

/// Tells the time in any zone.
#[derive(Debug)]
pub(super) struct TimeIn;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct InZone {
    zone: String,
}

#[async_trait]
impl Tool for TimeIn {
    fn entry(&self) -> ToolEntry {
        ToolEntry {
            name: "time_in",
            shelf: Shelf::Time,
            is_at_hand: false,
            description: "Tells the date and time in a time zone.",
            parameters: json!({
                "type": "object",
                "properties": {"zone": {"type": "string", "description": "IANA name, such as Asia/Tokyo"}},
                "required": ["zone"],
            }),
        }
    }

    async fn run(&self, given: Value, context: &ToolContext) -> Result<String, ToolError> {
        let InZone { zone } = arguments(given)?;
        let there = TimeZone::get(zone.trim()).map_err(|_| {
            ToolError::Arguments(format!("{zone:?} is no IANA time zone; try one like Europe/Berlin"))
        })?;
        let now = context.now.to_zoned(there);
        Ok(now.strftime("%A %-d %B %Y, %H:%M %Z").to_string())
    }
}
