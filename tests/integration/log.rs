//! What stands in the log of a familiar that is asked to log everything, and what does not.

use serde_json::json;

use crate::binary::{machine_with_mika, online};
use crate::support::discord::{BOT, DiscordWorld, Said};
use crate::support::provider::{ProviderWorld, Reply};

/// Nothing that anybody said, wherever it was said and whatever became of it.
#[tokio::test]
async fn a6_no_word_that_was_said_stands_in_the_log_however_much_is_logged() {
    // What `-v` logs `-vv` logs too, in the same words.
    for verbosity in [&["run"][..], &["run", "-vv"], &["run", "-vv", "--log-json"]] {
        let log = log_of_an_evening(verbosity).await;
        assert!(log.contains("online on Discord"), "{log}");
        let found: Vec<&str> = SAID.iter().copied().filter(|word| log.contains(word)).collect();
        assert!(found.is_empty(), "{verbosity:?}: {found:?} in\n{log}");
    }
}

const SAID: &[&str] = &[
    "zanzibar",
    "marzipan",
    "quokka",
    "bassoon",
    "xylophone",
    "glockenspiel",
    "tambourine",
    "hurdygurdy",
    "saxophone",
    "clavichord",
    "ocarina",
    "theremin",
    "kazoo",
    "vuvuzela",
    "didgeridoo",
];

async fn log_of_an_evening(verbosity: &[&str]) -> String {
    let machine = machine_with_mika().await;
    let (world, provider) = (DiscordWorld::start().await, ProviderWorld::start().await);
    let home = world.guild("home");
    let (general, other) = (home.channel("general"), home.channel("other"));
    let (alice, stranger) = (home.moderator("alice"), world.person("stranger"));
    let mut mika = online(&machine, verbosity, &world, &provider);
    world.bot_is_online().await;
    alice.runs(&general, "/subscribe-text", json!({})).await;
    general.is_announced().await;

    // Where she does not read, and where she does: with a mention in front, which some bots take for a command.
    let unread = alice.says(&other, Said::text(&format!("<@{BOT}> zanzibar")).mentioning_the_bot());
    alice.edits(&other, unread, &format!("<@{BOT}> quokka"));
    alice.deletes(&other, unread);
    stranger.says(&stranger.dm(), "bassoon");
    // What the library cannot read: an event, a frame, a number that is none, and a number too far ahead.
    world.tells("MESSAGE_CREATE", json!({"id": "1", "content": "xylophone"}));
    world.tells("MESSAGE_SUNG", json!({"content": "glockenspiel"}));
    let sung = json!({"id": "1", "content": "tambourine"});
    world.sends_frame(json!({"op": 0, "t": "MESSAGE_CREATE", "s": null, "d": sung}));
    world.sends_frame(json!({"op": 0, "t": "MESSAGE_CREATE", "s": "hurdygurdy", "d": sung}));
    world.sends_frame(json!({"op": "ocarina"}));
    world.sends_frame(json!({"op": 0, "t": "MESSAGE_SUNG", "s": 900, "d": {"content": "theremin"}}));

    provider.script(Reply::says("Have a clavichord."));
    let asked = alice.says(&general, Said::text(&format!("<@{BOT}> marzipan")).mentioning_the_bot());
    general.next_message().await;
    alice.edits(&general, asked, "vuvuzela");
    alice.deletes(&general, asked);
    alice.runs(&general, "/memory", json!({"about": "saxophone"})).await;
    alice.runs(&general, "/forget what", json!({"words": "kazoo"})).await;
    let form = alice.opens(&general, "/channel-backdrop").await;
    alice.submits(&form, "didgeridoo").await;
    mika.is_stopped().await;
    provider.assert_sound();
    mika.log()
}
