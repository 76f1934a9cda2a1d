//! What is kept of a turn to learn which tools are used: its shape, and none of its words.

use std::collections::BTreeSet;

use familiar_cards::fnv::{FNV_BASIS, fnv};

use super::signs::LineSign;

/// The tools whose cues a shape tells of.
const CLASSES: usize = 3;

/// Tools count as called for by a line's words from this score on.
const IS_CALLED_FOR: f32 = 0.2;

/// The parts of a turn: where it is, its [`LineSign`]s, and the tools that its words call for. Each is a word of the program's own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::tools) struct TurnShape(pub(super) Vec<String>);

impl TurnShape {
    /// `by_words` are all tools with how well they go with the line's words.
    pub(super) fn of<'n>(
        is_private: bool,
        signs: &[LineSign],
        by_words: impl Iterator<Item = (&'n str, f32)>,
    ) -> Self {
        let mut called_for: Vec<(&str, f32)> =
            by_words.filter(|(_, score)| *score >= IS_CALLED_FOR).collect();
        called_for.sort_by(|(a, x), (b, y)| y.total_cmp(x).then_with(|| a.cmp(b)));
        let classes: BTreeSet<&str> = called_for.into_iter().take(CLASSES).map(|(name, _)| name).collect();
        let shown = LineSign::ALL.iter().filter(|(sign, _)| signs.contains(sign));
        let place = if is_private { "@private" } else { "@shared" }.to_owned();
        let parts = [place].into_iter().chain(shown.map(|(_, name)| format!("<{name}>")));
        Self(parts.chain(classes.into_iter().map(str::to_owned)).collect())
    }

    /// As it is written down.
    pub(super) fn told(&self) -> String {
        self.0.join(" ")
    }

    pub(super) fn read(told: &str) -> Self {
        Self(told.split(' ').filter(|part| !part.is_empty()).map(str::to_owned).collect())
    }

    /// The same for the same shape on every machine.
    pub(super) fn number(&self) -> u64 {
        fnv(FNV_BASIS, self.0.iter().flat_map(|part| part.bytes().chain([b' '])))
    }
}
