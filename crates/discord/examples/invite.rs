//! The link that adds a bot to a server, from its application's id:
//! `cargo run -p familiar-discord --example invite -- 123456789012345678`.

#![allow(clippy::print_stdout, reason = "that is what it is for")]

use familiar_discord::discord::invite_link;

fn main() {
    match std::env::args().nth(1).as_deref().map(str::parse) {
        Some(Ok(application)) => println!("{}", invite_link(application)),
        _ => println!("Name the application's id, a number: it stands on the application's page at Discord."),
    }
}
