//! Tells what can be told from a line: `cargo run -p familiar-chat --example look -- NAME "WORDS THAT SOMEBODY SAYS"`.

#![allow(clippy::print_stdout, reason = "that is what it is for")]

use std::env;
use std::error::Error;

use familiar_chat::domain::TokenEncoding;
use familiar_chat::text::names::names_whole_word;
use familiar_chat::text::phrases::asks;
use familiar_chat::text::{keywords, secrets, tokens};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let name = arguments.next().ok_or("usage: look NAME WORDS THAT SOMEBODY SAYS")?;
    let line = arguments.collect::<Vec<_>>().join(" ");

    println!("{name} is named: {}", names_whole_word(&line, &name));
    println!("a question: {}", asks(&line));
    println!("searched by: {}", keywords::terms(&line).join(", "));
    println!("without secrets: {}", secrets::redact(&line).text);
    println!("tokens: {}", tokens::count(TokenEncoding::O200k, &line));
    Ok(())
}
