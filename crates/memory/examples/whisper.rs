//! What was said alone is found alone, and not in the server: `cargo run -p familiar-memory --example whisper`.

#![allow(clippy::print_stdout, reason = "that is what it is for")]

use std::error::Error;

use familiar_chat::domain::{
    AccountId, Audience, Author, ChannelMode, GuildId, MessageId, Place, PlaceKind, Platform, TokenEncoding,
    Visible,
};
use familiar_memory::history::{History, HistoryOptions, NewTurn};
use jiff::Timestamp;

fn place(channel: u64, kind: PlaceKind, guild: Option<GuildId>, audience: Audience) -> Place {
    Place { guild, ..Place::new(Platform::Discord, channel.into(), kind, audience) }
}

fn said(number: u64, place: &Place, words: &str) -> NewTurn {
    NewTurn {
        messages: vec![MessageId::from(number)],
        ..NewTurn::written(
            place.clone(),
            Some(Author::called(AccountId::discord(1), "Alice")),
            words,
            Timestamp::now(),
            ChannelMode::TextConversationRp,
        )
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let history = History::open(&folder.path().join("history.db"), HistoryOptions::new([])).await?;
    let guild = GuildId::from(1);
    let general = place(10, PlaceKind::GuildText, Some(guild.clone()), Audience::Guild(guild));
    let alone = place(20, PlaceKind::Dm, None, Audience::Dm(AccountId::discord(1)));
    history.append(said(1, &general, "My ferry leaves on Friday.")).await?;
    history.append(said(2, &alone, "Between us: I hate the ferry.")).await?;

    for (name, here) in [("in the server", &general), ("alone with Alice", &alone)] {
        println!("{name}, \"ferry\" finds:");
        for found in
            history.seen_by(&Visible::at(here)).search("the ferry", 10, TokenEncoding::Estimate).await?
        {
            println!("  {}", found.turn.content);
        }
    }
    history.close().await?;
    Ok(())
}
