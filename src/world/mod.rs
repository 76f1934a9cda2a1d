//! What is true right now: who is here, what goes on, how the program itself does.
//!
//! Owns the live state that rims and workers report and prompts read, as lock-free snapshots (specs mechanisms A3,
//! A8). Must not know how anything is sent, stored or phrased. Start reading at [`World`].

use std::sync::Arc;

use arc_swap::ArcSwap;

/// The live world, shared by whoever reports and whoever reads.
#[derive(Debug, Default)]
pub struct World {
    now: ArcSwap<WorldSnapshot>,
}

/// The world at one moment; never changes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WorldSnapshot {}

impl World {
    /// The world as last reported.
    #[must_use]
    pub fn snapshot(&self) -> Arc<WorldSnapshot> {
        self.now.load_full()
    }
}
