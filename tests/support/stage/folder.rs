//! A folder of a test that stays away once the test is over.

use std::cell::RefCell;
use std::path::PathBuf;

use tempfile::TempDir;

thread_local! {
    static GONE: RefCell<Gone> = const { RefCell::new(Gone(Vec::new())) };
}

/// Folders of tests that ran on this thread.
struct Gone(Vec<PathBuf>);

impl Drop for Gone {
    fn drop(&mut self) {
        for folder in &self.0 {
            // Nearly all are gone already.
            drop(std::fs::remove_dir_all(folder));
        }
    }
}

/// A temporary folder of the test that runs on this thread. What is still being written when a test ends makes its folder
/// anew. It is removed once more when the thread ends: behind the test's runtime, which waits for such writes.
pub fn tempdir() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    GONE.with_borrow_mut(|gone| gone.0.push(folder.path().to_owned()));
    folder
}
