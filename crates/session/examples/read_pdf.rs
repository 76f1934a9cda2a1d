//! The text of a PDF file, as it is read when somebody sends one: `cargo run -p familiar-session --example read_pdf < file.pdf`.

use std::process::ExitCode;

use familiar_session::documents::read_pdf_here;

fn main() -> ExitCode {
    read_pdf_here()
}
