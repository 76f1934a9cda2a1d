//! What whoever decides about turns is told of the settings, and the session of what was decided.
//!
//! Owns both, for calls that are heard and for those of scenes. Must not know what carries a call. Start reading at
//! [`turn_settings`].

use crate::config::{Answers, Config};
use crate::domain::TriggerHints;
use crate::voice::engines::TranscriberAbilities;
use crate::voice::turn::{FinishedUtterance, TurnSettings, Verdict};

/// How turns are taken. `hears`: what its recogniser can, where it has one; `speaks`: whether it has a voice.
pub fn turn_settings(
    config: &Config,
    names: Vec<String>,
    hears: Option<TranscriberAbilities>,
    speaks: bool,
) -> TurnSettings {
    TurnSettings {
        names,
        tolerance: config.call.interruption.tolerance.keep_talking(),
        min_interruption: config.call.interruption.min_interruption,
        short_long_boundary: config.call.interruption.short_long_boundary,
        joins_in_after: config.voice_lull_timeout,
        interjection: config.interjection.messages().filter(|_| config.answers != Answers::Addressed),
        speculations: config.call.answer_ahead,
        fillers: !config.fillers().is_empty() && speaks,
        backchannels: !config.call.backchannels.is_empty() && speaks,
        notices_buttons: config.call.push_to_talk,
        wake_window: config.call.wake_window,
        ends_turns: hears.is_some_and(|abilities| abilities.ends_turns),
        hears_words: hears.is_some(),
        hears_partials: hears.is_some_and(|abilities| abilities.partials || abilities.ends_turns),
    }
}

/// For whom something was that was said in a call.
pub fn hints_of(said: &FinishedUtterance) -> TriggerHints {
    TriggerHints {
        mentions_familiar: said.verdict.is_for_familiar(),
        addresses_someone_else: said.verdict == Verdict::SomeoneElse,
        is_unsure: said.is_unsure,
        ..TriggerHints::default()
    }
}
