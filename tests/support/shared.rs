//! Data that is not part of this repository.
//!
//! A test that needs some of it is ignored, visibly, where it is not there (`build.rs`):
//! `#[cfg_attr(not(has_cards), ignore = "needs cards of FAMILIAR_SHARED_FIXTURES")]`.

use std::path::{Path, PathBuf};

/// A part of what is shared beside this repository, or where `FAMILIAR_SHARED_FIXTURES` says.
///
/// # Panics
/// When it is not there.
pub fn shared(part: &str) -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/fixtures");
    let folder = std::env::var_os("FAMILIAR_SHARED_FIXTURES").map_or_else(beside, PathBuf::from).join(part);
    assert!(folder.is_dir(), "there is nothing at {} (FAMILIAR_SHARED_FIXTURES)", folder.display());
    folder
}
