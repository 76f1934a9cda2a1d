//! Programs of a few lines, as they stand in somebody's path.
#![cfg(unix)]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Writes a program for the shell into a folder.
///
/// Another process writes it: what this one has open for writing is for a moment open in every process that another test
/// starts meanwhile, and what is open for writing cannot be started ("Text file busy").
pub fn program(folder: &Path, name: &str, script: &str) -> PathBuf {
    let path = folder.join(name);
    let mut writer = Command::new("sh")
        .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
        .arg(&path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut content = writer.stdin.take().unwrap();
    content.write_all(format!("#!/bin/sh\n{script}\n").as_bytes()).unwrap();
    drop(content);
    assert!(writer.wait().unwrap().success());
    path
}
