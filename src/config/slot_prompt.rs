//! `[llm.<slot>]`: what the model of a slot is told less of (specs mechanisms A26).

use std::collections::BTreeSet;

use super::error::Problem;
use super::read::View;
use super::schema::{Key, Kind};
use crate::domain::{Section, Slot};

/// The word for leaving it to the size of the card.
const AUTO: &str = "auto";

pub(super) const KEYS: &[Key] = &[
    Key {
        path: "llm.<slot>.skip_layers",
        kind: Kind::Sections,
        doc: "Parts of the prompt this model does without when it replies, for one that was trained on the character \
              or is small. Unset: none.",
    },
    Key {
        path: "llm.<slot>.short_card",
        kind: Kind::FlagOr(AUTO),
        doc: "Whether this model gets the short card: `memory/self/short.md`, else one that is made from the card's own \
              sentences. `\"auto\"`: where the whole card is more than the mode's `character` layer or than a third of \
              what the prompt may take. Unset: `false`.",
    },
];

/// What the model of one slot is told less of.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SlotPrompt {
    /// The sections it does without; of those that a prompt may go without.
    pub skip_layers: BTreeSet<Section>,
    /// Whether the short card stands for the whole one.
    pub short_card: ShortCard,
}

/// When the short card stands for the whole one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ShortCard {
    /// Never.
    #[default]
    Never,
    /// Always.
    Always,
    /// Where the whole one is too large for its layer or for the prompt.
    Auto,
}

impl SlotPrompt {
    pub(super) fn resolve(view: View<'_>, slot: Slot) -> Result<Self, Problem> {
        let key = |name: &str| format!("llm.{slot}.{name}");
        let skip_layers = view.words(&key("skip_layers"), Section::optional_from)?.into_iter().collect();
        let short_card = match view.optional_choice(&key("short_card"), |word| (word == AUTO).then_some(())) {
            Ok(Some(())) => ShortCard::Auto,
            _ if view.optional_flag(&key("short_card"))? == Some(true) => ShortCard::Always,
            _ => ShortCard::Never,
        };
        Ok(Self { skip_layers, short_card })
    }
}
