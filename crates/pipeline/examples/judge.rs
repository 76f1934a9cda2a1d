//! How hard a message is and why, without a model: `cargo run -p familiar-pipeline --example judge -- "Where is Ada?"`.

#![allow(clippy::print_stdout, reason = "that is what it is for")]

use familiar_chat::domain::ChannelMode;
use familiar_pipeline::context::{Heard, HeardBy, classify};

fn main() {
    let names = ["Pell".to_owned()];
    let mut given: Vec<String> = std::env::args().skip(1).collect();
    if given.is_empty() {
        given = ["Pell, when did we last talk about the ferry?", "lol"].map(str::to_owned).to_vec();
    }
    for text in given {
        let intent = classify(&Heard {
            names: &names,
            ..Heard::said(&text, HeardBy::Overheard, ChannelMode::TextConversationRp)
        });
        let (effort, meant) =
            (intent.effort.level(), if intent.addressed_to_me { "meant for it" } else { "overheard" });
        println!("{text:?}: effort {effort}, {:?}, {meant}; {}", intent.category, intent.signs.join(", "));
    }
}
