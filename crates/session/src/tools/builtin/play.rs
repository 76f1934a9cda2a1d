//! Dice and choices: what the reflexes know, for a model that asks by itself.

use async_trait::async_trait;
use rand::rngs::StdRng;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::context::reflex::chance::{MOST_DICE, MOST_SIDES, Throw, draw_one, lot};
use crate::tools::tool::{Shelf, Tool, ToolContext, ToolEntry, ToolError};

/// Randomness that belongs to one turn and one question, so that a replay tells what happened.
fn drawn_in(context: &ToolContext, question: &str) -> StdRng {
    lot(context.turn, context.place.channel.as_str(), question)
}

/// Throws dice. The same turn throws the same, so that a replay tells what happened.
#[derive(Debug)]
pub(super) struct RollDice;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DiceArguments {
    #[schemars(range(min = 1, max = MOST_DICE))]
    dice: Option<u32>,
    #[schemars(range(min = 2, max = MOST_SIDES))]
    sides: Option<u32>,
}

#[async_trait]
impl Tool for RollDice {
    type Arguments = DiceArguments;

    fn entry(&self) -> ToolEntry {
        ToolEntry::new("roll_dice", Shelf::Play, "Throws fair dice and gives each result and their sum.")
            .in_own_words()
    }

    async fn run(&self, given: DiceArguments, context: &ToolContext) -> Result<String, ToolError> {
        let DiceArguments { dice, sides } = given;
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

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Options {
    #[schemars(length(min = 2))]
    options: Vec<String>,
}

#[async_trait]
impl Tool for Choose {
    type Arguments = Options;

    fn entry(&self) -> ToolEntry {
        ToolEntry::new(
            "choose",
            Shelf::Play,
            "Picks one of several options at random, each as likely as the others.",
        )
        .in_own_words()
    }

    async fn run(&self, given: Options, context: &ToolContext) -> Result<String, ToolError> {
        let Options { options } = given;
        if options.len() < 2 {
            return Err(ToolError::Arguments("two options at least".to_owned()));
        }
        let drawn = draw_one(&options, &mut drawn_in(context, &options.join("\n")));
        Ok(drawn.cloned().unwrap_or_default())
    }
}
