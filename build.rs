//! Which data there is that is not part of this repository: a test that needs what is not there is ignored, and says so.
//!
//! Where `CI` is set and the folder of shared data is there, every test that needs a part of it runs, and fails without. And how
//! the program is linked.

#![allow(clippy::print_stdout, reason = "cargo listens there")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// What a test can ask for (`#[cfg_attr(not(has_cards), ignore = "…")]`), and where it is in the folder of shared data.
const SHARED: [(&str, &str); 4] = [
    ("has_cards", "cards"),
    ("has_chats", "locomo"),
    ("has_recordings", "openrouter"),
    ("has_prompts", "prompts"),
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Who runs the program from another shell does not wait for a build: tests are of the other profile.
    if env::var("PROFILE").as_deref() != Ok("release") {
        for variable in ["FAMILIAR_SHARED_FIXTURES", "FAMILIAR_TEST_MODEL", "CI", "PATH"] {
            println!("cargo::rerun-if-env-changed={variable}");
        }
    }
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/fixtures");
    let shared = env::var_os("FAMILIAR_SHARED_FIXTURES").map_or_else(beside, PathBuf::from);
    let wants_all = env::var_os("CI").is_some() && shared.is_dir();
    for (name, part) in SHARED {
        let has = fs::read_dir(shared.join(part)).is_ok_and(|mut files| files.next().is_some());
        tell(name, has || wants_all);
    }
    tell("has_model", env::var_os("FAMILIAR_TEST_MODEL").is_some());
    let programs = env::var_os("PATH").unwrap_or_default();
    tell("has_espeak", env::split_paths(&programs).any(|folder| folder.join("espeak-ng").is_file()));
    // What has to be put right at the start wherever the program comes to lie takes 50 KB in this form, and 5 MB otherwise. An
    // older C library does not start such a program; which other linkers take the option, nobody knows.
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let is_usual = env::var_os("RUSTC_LINKER").is_none() && !flags.contains("link");
    let is_for_here = env::var("TARGET") == env::var("HOST");
    if is_usual && is_for_here && glibc().is_some_and(|version| version >= (2, 36)) {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// The version of the GNU C library of this machine, if that is its C library.
fn glibc() -> Option<(u32, u32)> {
    let asked = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let said = String::from_utf8(asked.stdout).ok()?;
    let (major, minor) = said.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

fn tell(name: &str, has: bool) {
    println!("cargo::rustc-check-cfg=cfg({name})");
    if has {
        println!("cargo::rustc-cfg={name}");
    }
}
