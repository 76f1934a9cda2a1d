//! `roll_dice`: fair dice.

use async_trait::async_trait;
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::domain::ToolSpec;
use crate::tools::tool::{Category, Tool, ToolContext, ToolError, arguments};

const MOST_DICE: u32 = 100;
const MOST_SIDES: u32 = 1_000;

/// Throws dice. The same turn throws the same, so that a replay tells what happened.
#[derive(Debug)]
pub(super) struct RollDice;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    #[serde(default = "one")]
    dice: u32,
    #[serde(default = "six")]
    sides: u32,
}

fn one() -> u32 {
    1
}

fn six() -> u32 {
    6
}

#[async_trait]
impl Tool for RollDice {
    fn name(&self) -> &str {
        "roll_dice"
    }

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.name().to_owned(),
            description: "Throws fair dice and gives each result and their sum.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "dice": {"type": "integer", "minimum": 1, "maximum": MOST_DICE},
                    "sides": {"type": "integer", "minimum": 2, "maximum": MOST_SIDES},
                },
            }),
        }
    }

    fn category(&self) -> Category {
        Category::Play
    }

    async fn run(&self, given: Value, context: &ToolContext) -> Result<String, ToolError> {
        let Arguments { dice, sides } = arguments(given)?;
        if !(1..=MOST_DICE).contains(&dice) || !(2..=MOST_SIDES).contains(&sides) {
            return Err(ToolError::Arguments(format!("1 to {MOST_DICE} dice with 2 to {MOST_SIDES} sides")));
        }
        let mut random = seeded(context, &format!("{dice}d{sides}"));
        let thrown: Vec<u32> = (0..dice).map(|_| random.random_range(1..=sides)).collect();
        let sum: u32 = thrown.iter().sum();
        let each: Vec<_> = thrown.iter().map(u32::to_string).collect();
        Ok(format!("{dice}d{sides}: {} = {sum}", each.join(" + ")))
    }
}

/// Randomness that belongs to one turn and one question.
pub(super) fn seeded(context: &ToolContext, question: &str) -> StdRng {
    let seed = Sha256::digest(format!("{}/{}/{question}", context.turn, context.place.channel));
    StdRng::from_seed(seed.into())
}
