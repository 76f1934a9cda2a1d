//! The `familiar` binary: nothing but a door into the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    familiar_connect::cli::main()
}
