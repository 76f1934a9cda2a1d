//! Who may be told what, by what Discord really says about people and channels: the real adapter and the real sessions, and
//! every request that leaves for a model (contradiction 8, M14).

mod worlds;

use std::time::Duration;

use familiar_connect::domain::AccountId;
use serde_json::json;

use super::rig::{Online, online_on_stage, place};
use crate::support::discord::{Channel, DiscordWorld, Guild, Person, Said};
use crate::support::provider::{ChatRequest, ProviderWorld, Reply};
use crate::support::stage::{CARD, Stage};

/// What everybody asks.
const QUESTION: &str = "what was said of the treasure near the old lighthouse?";

/// A familiar that lives on Discord and asks its models over the wire.
struct Whole {
    world: DiscordWorld,
    provider: ProviderWorld,
    stage: Stage,
    online: Online,
}

/// Thinks and looks things up before every answer; no thought is shorter than what it was shown.
fn settings(base_url: &str) -> String {
    let plan: String = ["1_2", "3_4", "5_6", "7_8", "9_10"]
        .iter()
        .map(|effort| {
            format!(
                "[plan.text.effort_{effort}]\nstepped_thinking = true\nrecast = false\ndepth = \"full\"\n\
                 searches_scale = 4.0\nfound_tokens = 900\ndeadline = 30\n"
            )
        })
        .collect();
    let thinks = "[llm.reasoning_context]\nmodel = \"fake/thinks\"\nfallbacks = []\n";
    let writes = "[llm.main_prose]\nmodel = \"fake/writes\"\nfallbacks = []\n";
    format!(
        "text_lull_timeout = 600\n[llm]\nbase_url = \"{base_url}\"\n{thinks}{writes}[typing_simulation]\n\
         enabled = false\n{plan}"
    )
}

fn answer(request: &ChatRequest) -> Reply {
    if request.model() == "fake/thinks" {
        let seen: Vec<String> =
            marked(&request.prompt()).into_iter().map(|mark| format!("secretword{mark}")).collect();
        return Reply::says(&format!("<thoughts>\n- I recall {}.\n</thoughts>", seen.join(" ")));
    }
    Reply::says("Aye.")
}

/// Every marked word in a text.
fn marked(text: &str) -> std::collections::BTreeSet<usize> {
    let words = text.split("secretword").skip(1);
    words.filter_map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()).collect()
}

fn secret(mark: usize) -> String {
    format!("the treasure secretword{mark} lies near the old lighthouse")
}

/// A server whose owner, who may do everything, is nobody of the test.
async fn owned() -> (DiscordWorld, Guild) {
    let (world, home) = DiscordWorld::with_home().await;
    home.member("keeper");
    (world, home)
}

impl Whole {
    async fn lives(world: &DiscordWorld, read: &[&Channel]) -> Self {
        let provider = ProviderWorld::start().await;
        provider.answers(answer);
        let stage = Stage::wired(&settings(&provider.openrouter_url()), CARD).await;
        let online = online_on_stage(world, &stage, read).await;
        Self { world: world.clone(), provider, stage, online }
    }

    /// Somebody says something to the familiar, which answers; the message, and every request that was made for it.
    async fn told(&self, channel: &Channel, who: &Person, text: &str) -> (u64, Vec<ChatRequest>) {
        let before = self.requests().len();
        let message = who.says(channel, Said::text(text).mentioning_the_bot());
        channel.next_message().await;
        self.stage.session.settle(&place(channel)).await.unwrap();
        (message, self.requests().split_off(before))
    }

    /// Everything that was asked for an answer, and not behind the scenes.
    fn requests(&self) -> Vec<ChatRequest> {
        self.provider.requests().into_iter().filter(|request| request.model().starts_with("fake/")).collect()
    }

    /// The marks that anything sent for an answer to the question holds.
    async fn shown(&self, channel: &Channel, who: &Person) -> Vec<usize> {
        let (_, requests) = self.told(channel, who, QUESTION).await;
        assert!(requests.len() >= 2, "it thinks, then it answers");
        let marks: std::collections::BTreeSet<usize> =
            requests.iter().flat_map(|request| marked(&request.prompt())).collect();
        marks.into_iter().collect()
    }

    /// Long enough for what was asked of Discord to be asked again.
    async fn a_while(&self) {
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(61)).await;
        tokio::time::resume();
    }

    async fn ends(self) {
        self.online.ends().await;
    }
}

#[tokio::test]
async fn what_is_said_in_an_age_restricted_channel_is_known_nowhere_else() {
    let (world, home) = owned().await;
    let (general, adult, alice) = (home.channel("general"), home.channel("adult"), home.member("alice"));
    adult.is_restricted(true);
    let whole = Whole::lives(&world, &[&general, &adult]).await;
    whole.told(&adult, &alice, &secret(0)).await;
    whole.told(&general, &alice, &secret(1)).await;
    assert_eq!(whole.shown(&general, &alice).await, [1]);
    assert_eq!(whole.shown(&alice.dm(), &alice).await, [1], "nor alone with somebody who was there");
    assert_eq!(whole.shown(&adult, &alice).await, [0, 1]);
    assert_eq!(whole.shown(&adult.thread("aside"), &alice).await, [0, 1], "its threads are its own");
    adult.is_restricted(false);
    assert_eq!(whole.shown(&adult, &alice).await, [1], "what was said under the restriction stays under it");
    whole.ends().await;
}

#[tokio::test]
async fn channels_that_the_same_roles_see_are_one_audience_and_follow_their_roles() {
    let (world, home) = owned().await;
    let (crew, officers) = (home.role("crew"), home.role("officers"));
    let (open, deck, hold, bridge) =
        (home.channel("open"), home.channel("deck"), home.channel("hold"), home.channel("bridge"));
    deck.is_for(&[crew]);
    hold.is_for(&[crew]);
    bridge.is_for(&[officers]);
    let (alice, ben) = (home.member("alice"), home.member("ben"));
    home.gives(&alice, &[crew, officers]);
    let whole = Whole::lives(&world, &[&open, &deck, &hold, &bridge]).await;
    whole.told(&deck, &alice, &secret(0)).await;
    assert_eq!(whole.shown(&hold, &alice).await, [0], "whoever is here could read it there");
    assert!(whole.shown(&bridge, &alice).await.is_empty(), "not every officer is of the crew");
    assert!(whole.shown(&open, &ben).await.is_empty());
    hold.is_for(&[crew, officers]);
    assert!(whole.shown(&hold, &alice).await.is_empty(), "officers were let in, who cannot see the deck");
    deck.is_for(&[crew, officers]);
    assert_eq!(whole.shown(&bridge, &alice).await, [0], "now every officer can");
    deck.is_for(&[]);
    assert!(whole.shown(&deck, &ben).await.is_empty(), "nor when the door is opened to all");
    whole.ends().await;
}

#[tokio::test]
async fn a_channel_that_was_closed_is_named_nowhere_else() {
    let (world, home) = owned().await;
    let crew = home.role("crew");
    let (closing, code, alice) = (home.channel("wheelhouse"), home.channel("code"), home.member("alice"));
    let whole = Whole::lives(&world, &[&closing, &code]).await;
    whole.told(&closing, &alice, &secret(0)).await;
    let names = |requests: &[ChatRequest]| requests.iter().any(|one| one.prompt().contains("wheelhouse"));
    let (_, before) = whole.told(&code, &alice, QUESTION).await;
    assert!(names(&before), "it is told where something was said");
    closing.is_for(&[crew]);
    let (_, after) = whole.told(&code, &alice, QUESTION).await;
    assert!(!names(&after));
    assert!(after.iter().any(|one| !marked(&one.prompt()).is_empty()), "everybody here heard it");
    let (_, alone) = whole.told(&alice.dm(), &alice, QUESTION).await;
    assert!(!names(&alone));
    whole.ends().await;
}

#[tokio::test]
async fn what_a_server_said_is_known_in_direct_messages_of_its_members_as_long_as_they_are() {
    let (world, home) = owned().await;
    let crew = home.role("crew");
    let (open, deck) = (home.channel("open"), home.channel("deck"));
    deck.is_for(&[crew]);
    let (alice, ben) = (home.member("alice"), home.member("ben"));
    home.gives(&alice, &[crew]);
    let whole = Whole::lives(&world, &[&open, &deck]).await;
    whole.told(&open, &alice, &secret(0)).await;
    whole.told(&deck, &alice, &secret(1)).await;
    whole.told(&ben.dm(), &ben, &secret(2)).await;
    assert_eq!(whole.shown(&alice.dm(), &alice).await, [0, 1]);
    assert_eq!(whole.shown(&ben.dm(), &ben).await, [0, 2], "he never saw the deck");
    assert_eq!(whole.shown(&open, &alice).await, [0], "never the other way");
    home.gives(&alice, &[]);
    whole.a_while().await;
    assert_eq!(whole.shown(&alice.dm(), &alice).await, [0], "of the crew no more");
    whole.ends().await;
}

#[tokio::test]
async fn whoever_left_a_server_is_parted_from_it_although_nobody_told() {
    let (world, home) = owned().await;
    let (open, alice, ben) = (home.channel("open"), home.member("alice"), home.member("ben"));
    let whole = Whole::lives(&world, &[&open]).await;
    let asked = whole.world.identifies()[0]["intents"].as_u64().unwrap();
    assert_eq!(asked & (1 << 1), 0, "the intent that tells who leaves is off");
    let made = alice.runs(&alice.dm(), "/pair", json!({})).await;
    let code = made.content.split("**").nth(1).unwrap().to_owned();
    alice.runs(&open, "/pair", json!({"code": code})).await;
    whole.told(&alice.dm(), &alice, &secret(0)).await;
    assert_eq!(whole.shown(&open, &ben).await, [0], "she wanted it known there");
    let account = AccountId::discord(alice.id());
    // Discord does not say: nothing is taken for granted, and nothing is parted either.
    whole.a_while().await;
    let members = format!("members/{}", alice.id());
    whole.world.fails(&members, crate::support::discord::Fault::Down(503));
    assert!(whole.shown(&open, &ben).await.is_empty());
    assert_eq!(whole.stage.pairing.joined_with(&account).len(), 1);
    whole.world.works_again(&members);
    assert_eq!(whole.shown(&open, &ben).await, [0]);
    home.loses(&alice);
    whole.a_while().await;
    assert!(whole.shown(&open, &ben).await.is_empty(), "she is gone");
    assert!(whole.stage.pairing.joined_with(&account).is_empty());
    home.takes_in(&alice);
    whole.a_while().await;
    assert!(whole.shown(&open, &ben).await.is_empty(), "coming back brings nothing back");
    whole.ends().await;
}

#[tokio::test]
async fn direct_messages_are_read_of_members_and_of_nobody_else() {
    let (world, home) = owned().await;
    let away = world.guild("away");
    let (open, _unread) = (home.channel("open"), away.channel("unread"));
    let (alice, ben, cleo) = (home.member("alice"), away.member("ben"), world.person("cleo"));
    let whole = Whole::lives(&world, &[&open]).await;
    whole.told(&alice.dm(), &alice, "hello").await;
    for stranger in [&ben, &cleo] {
        stranger.says(&stranger.dm(), "hello");
        let refusal = stranger.dm().next_message().await;
        assert!(refusal.content.contains("allow-list"));
    }
    let asked = whole.requests().len();
    home.loses(&alice);
    whole.a_while().await;
    alice.says(&alice.dm(), "and now?");
    let refusal = alice.dm().next_message().await;
    assert!(refusal.content.contains(&alice.id().to_string()), "{}", refusal.content);
    assert_eq!(whole.requests().len(), asked, "no model was asked");
    whole.ends().await;
}
