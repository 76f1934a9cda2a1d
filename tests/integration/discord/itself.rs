//! The bot that people run: it is given no other address than Discord's own, so the rate limiter is serenity's.

use std::time::Duration;

use serde_json::json;

use crate::binary::machine_with_mika;
use crate::support::discord::{Allowed, DiscordWorld};
use crate::support::provider::{ProviderWorld, Reply};
use crate::support::voice::trust;

#[tokio::test]
async fn g37_the_limiter_of_production_asks_nothing_that_would_be_refused() {
    let machine = machine_with_mika().await;
    let (world, provider) = (DiscordWorld::start().await, ProviderWorld::start().await);
    let home = world.guild("home");
    let (general, alice) = (home.channel("general"), home.moderator("alice"));
    let proxy = world.opens_front_door().await;
    let mut mika = machine.start(
        &["run"],
        &[
            ("DISCORD_TOKEN", world.token()),
            ("HTTPS_PROXY", &proxy),
            ("SSL_CERT_FILE", trust::certificate_file().to_str().unwrap()),
            ("FAMILIAR_LLM_BASE_URL", &provider.base_url()),
            ("OPENROUTER_API_KEY", "sk-test-only-0123456789"),
        ],
    );
    mika.hangs_up();
    world.bot_is_online().await;
    alice.runs(&general, "/subscribe-text", json!({})).await;
    general.is_announced().await;
    let posts = Allowed { requests: 1, within: Duration::from_millis(700) };
    world.limits(Some(posts), None, true);
    for number in 0..4 {
        provider.script(Reply::says(&format!("Line {number}.")));
        alice.says(&general, format!("Mika, line {number}?").as_str());
        assert_eq!(general.next_message().await.content, format!("Line {number}."));
    }
    let refused = world.requests("/messages").iter().filter(|one| one.status == 429).count();
    assert_eq!(refused, 0, "it was told when it might post again");
    mika.is_stopped().await;
}
