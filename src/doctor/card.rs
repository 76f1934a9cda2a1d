//! The card against the modes' shares and the model's window.

use std::collections::BTreeSet;

use super::home::sidecars;
use super::messages::{self, InUse, LeftOut};
use super::report::Check;
use crate::config::LiveConfig;
use crate::context::{CharacterSizes, character_sizes};
use crate::domain::{ChannelMode, Layer, TokenEncoding};
use crate::familiar::Character;
use crate::llm::ModelFinding;
use crate::text::tokens;

/// Counts with the encoding of the model that will answer, which takes a moment: for a blocking thread.
pub(super) fn judge(character: &Character, config: &LiveConfig, model: Option<ModelFinding>) -> Vec<Check> {
    let encoding =
        model.as_ref().map_or(TokenEncoding::Estimate, |model| tokens::encoding_for_model(&model.model));
    let sizes = character_sizes(character, encoding);
    let used = modes_in_use(config);
    let mut checks: Vec<Check> =
        ChannelMode::ALL.into_iter().map(|mode| size(mode, sizes, config, &used)).collect();
    if let Some(model) = model {
        checks.extend(window(&model, sizes, config, &used));
    }
    checks
}

/// The default mode, and those of the channels that have one of their own.
fn modes_in_use(config: &LiveConfig) -> BTreeSet<ChannelMode> {
    let own = sidecars(config.home()).into_iter().map(|channel| config.channel(&channel).mode);
    own.chain([config.current().default_mode]).collect()
}

fn size(
    mode: ChannelMode,
    sizes: CharacterSizes,
    config: &LiveConfig,
    used: &BTreeSet<ChannelMode>,
) -> Check {
    let current = config.current();
    let cap = current
        .modes
        .get(&mode)
        .map_or(Some(0), |figures| figures.layers.get(&Layer::Character).copied().unwrap_or(Some(0)));
    let total = sizes.pinned + sizes.scenario + sizes.examples;
    let left = match cap {
        Some(cap) if sizes.pinned > cap => LeftOut::Overfull,
        Some(cap) if sizes.pinned + sizes.scenario > cap => LeftOut::ScenarioAndExamples,
        Some(cap) if total > cap => LeftOut::Examples,
        _ => LeftOut::Nothing,
    };
    messages::card_size(mode, total, cap, left, if used.contains(&mode) { InUse::Yes } else { InUse::No })
}

fn window(
    model: &ModelFinding,
    sizes: CharacterSizes,
    config: &LiveConfig,
    used: &BTreeSet<ChannelMode>,
) -> Vec<Check> {
    let current = config.current();
    let figures = || used.iter().filter_map(|mode| current.modes.get(mode));
    let card = sizes.pinned + sizes.program;
    if let Some(tight) = figures().find(|mode| card.saturating_add(mode.reserve_tokens) > model.window) {
        return vec![messages::window_below_card(
            &model.model,
            model.window,
            tight.mode,
            card,
            tight.reserve_tokens,
        )];
    }
    let mut checks = Vec::new();
    if model.window_is_guessed {
        checks.push(messages::window_guessed(&model.model, model.window));
    }
    let wanted = |mode: &crate::config::ModeConfig| mode.budget_tokens.saturating_add(mode.reserve_tokens);
    match figures().max_by_key(|mode| wanted(mode)).filter(|mode| wanted(mode) > model.window) {
        Some(mode) => {
            checks.push(messages::window_below_budget(&model.model, model.window, mode.mode, wanted(mode)));
        }
        None if checks.is_empty() => checks.push(messages::window(&model.model, model.window)),
        None => {}
    }
    checks
}
