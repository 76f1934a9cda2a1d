//! Tells what is in a card: `cargo run -p familiar-cards --example inspect -- card.png`.

#![allow(clippy::print_stdout, reason = "that is what it is for")]

use std::env;
use std::error::Error;
use std::fs;

use familiar_cards::lore::{LoreLibrary, LoreScene, LoreSettings, SceneLine, Shelved};
use familiar_cards::macros::unknown_macros;
use familiar_cards::{TokenCount, read_card};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let file = arguments.next().ok_or("usage: inspect CARD [WORDS THAT SOMEBODY SAYS]")?;
    let said = arguments.collect::<Vec<_>>().join(" ");

    let card = read_card(&fs::read(&file)?)?;
    println!("{} ({} card in {} form)", card.name, card.spec.as_str(), card.container);
    for (field, text) in card.fields().into_iter().filter(|(_, text)| !text.is_empty()) {
        println!("  {field}: {} tokens, about", TokenCount::Quarters.of(text));
        for name in unknown_macros(text) {
            println!("    {{{{{name}}}}} leaves nothing");
        }
    }
    for warning in &card.warnings {
        println!("  read leniently: {warning}");
    }

    let Some(book) = card.book else { return Ok(()) };
    println!("  lorebook: {} entries", book.entries.len());
    for feature in book.features() {
        println!("    {} use {}", feature.entries, feature.name);
    }
    // What the words call up, by SillyTavern's settings as shipped.
    let library = LoreLibrary::new(&[Shelved { name: book.name.clone(), book, is_characters: true }]);
    let messages = [SceneLine::said("Somebody", &said)];
    let scene = LoreScene {
        messages: &messages,
        chat_length: 1,
        replies: 0,
        trigger: "normal",
        character: &[&card.name],
        card: Default::default(),
        seed: "1",
        budget: 1000,
        tokens: TokenCount::Quarters,
        expand: &str::to_owned,
    };
    let scan = library.scan(&LoreSettings::default(), &scene, &[]);
    for entry in scan.fired {
        println!("    called up: {} ({})", entry.name, entry.why);
    }
    for entry in scan.not_fired {
        println!("    not: {} ({})", entry.name, entry.why);
    }
    Ok(())
}
