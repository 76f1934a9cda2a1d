//! What the scenes that were played would have cost, by model.
//!
//! Start reading at [`cost_of`].

use std::collections::BTreeMap;

use serde::Serialize;

use super::play::Played;
use crate::domain::{TokenEncoding, Usage};
use crate::llm::{Prices, STARTING_RATIO};
use crate::text::tokens;

/// How many answers an evening is taken to have.
const EVENING: u32 = 100;

/// What some scenes would have cost. Its JSON is an interface: names stay.
#[derive(Debug, Clone, Serialize)]
pub struct EveningCost {
    /// How many answers people got in them.
    pub answers: usize,
    /// How many answers the figures are for.
    #[serde(rename = "evening_answers")]
    pub evening: u32,
    /// By model, the cheapest first.
    #[serde(rename = "models")]
    pub rows: Vec<CostRow>,
}

/// What they would have cost with one model.
#[derive(Debug, Clone, Serialize)]
pub struct CostRow {
    pub model: String,
    /// Tokens that it read in the scenes, by our count.
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    /// US dollars for the scenes as they were played.
    pub scenes_usd: f64,
    /// US dollars for an evening of such answers; `None` where none was given.
    pub evening_usd: Option<f64>,
}

/// Counts what was asked in the scenes with each model's tokenizer, and adds up what that costs by these prices.
pub fn cost_of(scenes: &[Played], prices: &BTreeMap<String, Prices>) -> EveningCost {
    let answers = scenes.iter().map(|played| played.answers).sum();
    let mut counted = BTreeMap::new();
    let mut rows: Vec<CostRow> = Vec::new();
    for (model, price) in prices {
        let encoding = tokens::encoding_for_model(model);
        let (read, wrote) = *counted.entry(encoding).or_insert_with(|| {
            let asked = scenes.iter().flat_map(|played| &played.asked);
            asked.fold((0_u64, 0_u64), |(read, wrote), asked| {
                let told =
                    tokens::count(encoding, &asked.prompt) + tokens::count(encoding, &asked.told_tools);
                (read + u64::from(told), wrote + u64::from(tokens::count(encoding, &asked.said.lock())))
            })
        });
        let ratio = if encoding == TokenEncoding::Estimate { STARTING_RATIO } else { 1.0 };
        let (read, wrote) = (scaled(read, ratio), scaled(wrote, ratio));
        let usage =
            Usage { prompt_tokens: narrow(read), completion_tokens: narrow(wrote), ..Usage::default() };
        let scenes_usd = price.cost(&usage);
        let share = u32::try_from(answers).ok().filter(|answers| *answers > 0);
        rows.push(CostRow {
            model: model.clone(),
            prompt_tokens: read,
            completion_tokens: wrote,
            scenes_usd,
            evening_usd: share.map(|answers| scenes_usd / f64::from(answers) * f64::from(EVENING)),
        });
    }
    rows.sort_by(|one, other| {
        one.scenes_usd.total_cmp(&other.scenes_usd).then_with(|| one.model.cmp(&other.model))
    });
    EveningCost { answers, evening: EVENING, rows }
}

fn narrow(tokens: u64) -> u32 {
    u32::try_from(tokens).unwrap_or(u32::MAX)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "counts of tokens are far below 2^52, and positive"
)]
fn scaled(tokens: u64, ratio: f64) -> u64 {
    (tokens as f64 * ratio).ceil() as u64
}
