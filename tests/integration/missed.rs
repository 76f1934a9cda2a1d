//! What is said while nobody listens is read afterwards, and what nobody answered is answered, if it is not too old.

use std::time::Duration;

use familiar_connect::config::FamiliarHome;
use familiar_connect::domain::*;
use familiar_connect::history::{History, HistoryOptions, RecentQuery};

use super::binary::{Evening, mika_online, replied};
use crate::support::binary::Machine;
use crate::support::discord::{Channel, Fault};
use crate::support::provider::{ChatRequest, Gate, Reply};

/// What is known of a channel, oldest first.
pub async fn known(machine: &Machine, channel: &Channel) -> Vec<String> {
    let channel = ChannelId::from(channel.id());
    turns_of(machine, &channel).await.into_iter().map(|turn| turn.content).collect()
}

pub async fn turns_of(machine: &Machine, channel: &ChannelId) -> Vec<StoredTurn> {
    let home = FamiliarHome::new(&machine.data(), &FamiliarId::new("mika").unwrap());
    let encoding = TokenEncoding::CharsOver4;
    let history = History::open(&home.history_db(), HistoryOptions::new([encoding])).await.unwrap();
    let visible = history.whole().visible().await.unwrap();
    let everything = RecentQuery { mode: None, max_turns: u32::MAX, until: None, encoding };
    let turns = history.seen_by(&visible).recent(channel, everything).await.unwrap();
    history.close().await.unwrap();
    turns
}

/// She comes back and is asked; no word of the bell's code is in her prompt. What is known of the channel then.
async fn known_without_halyard(evening: &Evening, question: &str) -> Vec<String> {
    let Evening { machine, world, provider, general, alice, .. } = evening;
    let mut mika = mika_online(machine, world, provider);
    world.has_identified(2).await;
    // What is still being read back may have it asked once more.
    provider.otherwise(Reply::says("Yes."));
    replied(provider, alice, general, question, "Yes.").await;
    let asked = provider.requests();
    assert!(!asked.last().unwrap().prompt().contains("halyard"), "{}", asked.last().unwrap().prompt());
    mika.is_stopped().await;
    provider.assert_sound();
    known(machine, general).await
}

#[tokio::test]
async fn what_was_said_while_it_was_down_is_known_in_order_and_a_question_to_it_is_answered() {
    let Evening { machine, world, provider, general, alice, mut mika, .. } = Evening::begins().await;
    replied(&provider, &alice, &general, "hello Mika", "Evening.").await;
    mika.is_stopped().await;
    // More than Discord gives at once.
    let meanwhile: Vec<String> = (1..=120).map(|number| format!("the tide table says {number}")).collect();
    for words in &meanwhile {
        alice.says(&general, words.as_str());
    }
    alice.says(&general, "Mika, are you there?");
    alice.says(&general, "well");
    let asks = |asked: &ChatRequest| asked.prompt().contains("Mika, are you there?");
    // What is said that much is also summed up.
    provider.script_when(asks, Reply::says("I am back."));
    mika = mika_online(&machine, &world, &provider);
    assert_eq!(general.next_message().await.content, "I am back.");
    let asked: Vec<ChatRequest> = provider.requests().into_iter().filter(asks).collect();
    assert_eq!(asked.len(), 1);
    assert!(
        asked[0].prompt().contains("the tide table says 120"),
        "all is stored before any of it is answered"
    );
    mika.is_stopped().await;
    provider.assert_sound();
    let mut all = vec!["hello Mika".to_owned(), "Evening.".to_owned()];
    all.extend(meanwhile);
    all.extend(["Mika, are you there?", "well", "I am back."].map(str::to_owned));
    assert_eq!(known(&machine, &general).await, all);
}

#[tokio::test]
async fn what_is_too_old_is_known_and_not_answered() {
    let Evening { machine, world, provider, general, alice, mut mika, .. } = Evening::begins().await;
    replied(&provider, &alice, &general, "hello Mika", "Evening.").await;
    mika.is_stopped().await;
    let settings = machine.data().join("familiars/mika/character.toml");
    std::fs::write(settings, "[discord]\nanswer_missed_within_s = 0\n").unwrap();
    alice.says(&general, "Mika, are you there?");
    let asked = provider.requests().len();
    mika = mika_online(&machine, &world, &provider);
    world.has_identified(2).await;
    replied(&provider, &alice, &general, "Mika, and now?", "Here now.").await;
    assert_eq!(provider.requests().len(), asked + 1, "the older question was not answered");
    mika.is_stopped().await;
    provider.assert_sound();
    assert_eq!(
        known(&machine, &general).await,
        ["hello Mika", "Evening.", "Mika, are you there?", "Mika, and now?", "Here now."]
    );
}

#[tokio::test]
async fn what_was_said_while_discord_had_forgotten_the_session_is_known() {
    let Evening { machine, world, provider, general, alice, mut mika, .. } = Evening::begins().await;
    replied(&provider, &alice, &general, "hello Mika", "Evening.").await;
    world.invalidate_session();
    alice.says(&general, "nobody is told of this");
    world.has_identified(2).await;
    replied(&provider, &alice, &general, "Mika?", "Yes.").await;
    mika.is_stopped().await;
    provider.assert_sound();
    assert_eq!(
        known(&machine, &general).await,
        ["hello Mika", "Evening.", "nobody is told of this", "Mika?", "Yes."]
    );
}

#[tokio::test]
async fn what_was_forgotten_is_not_read_back() {
    let mut evening = Evening::begins().await;
    let Evening { provider, general, alice, mika, .. } = &mut evening;
    replied(provider, alice, general, "hello Mika", "Evening.").await;
    replied(provider, alice, general, "Mika, the bell code is halyard", "I know it now.").await;
    let asked = alice.runs(general, "/forget what", serde_json::json!({"words": "halyard"})).await;
    alice.presses(general, &asked, "Forget for good").await;
    mika.is_stopped().await;
    alice.says(general, "the fog came in");
    let all = known_without_halyard(&evening, "Mika?").await;
    assert!(all.contains(&"the fog came in".to_owned()) && !all.concat().contains("halyard"), "{all:?}");
}

#[tokio::test]
async fn what_was_said_before_a_channel_was_opened_stays_with_those_who_could_see_it() {
    let mut evening = Evening::begins().await;
    let Evening { provider, home, general, alice, mika, .. } = &mut evening;
    let crew = home.role("crew");
    home.gives(alice, &[crew]);
    general.is_for(&[crew]);
    replied(provider, alice, general, "hello Mika", "Evening.").await;
    mika.is_stopped().await;
    alice.says(general, "the bell code is halyard");
    general.is_for(&[]);
    let all = known_without_halyard(&evening, "Mika, what is the bell code?").await;
    assert!(all.contains(&"the bell code is halyard".to_owned()), "it is known all the same: {all:?}");
}

#[tokio::test]
async fn a_question_that_a_killed_program_left_is_answered_once() {
    let Evening { machine, world, provider, general, alice, mut mika, .. } = Evening::begins().await;
    provider.script(Reply::says("Evening."));
    // What is asked meanwhile is stored before it.
    world.fail_next(&format!("POST channels/{}/messages", general.id()), Fault::Late(Duration::from_secs(1)));
    alice.says(&general, "hello Mika");
    general.next_message().await;
    let gate = Gate::closed();
    provider.script(Reply::says("Nobody hears this.").held(&gate));
    alice.says(&general, "Mika, what time does the ferry leave?");
    gate.reached().await;
    mika.is_killed_within(Duration::ZERO).await;
    provider.script(Reply::says("At nine."));
    mika = mika_online(&machine, &world, &provider);
    assert_eq!(general.next_message().await.content, "At nine.");
    mika.is_stopped().await;
    let asked = provider.requests().len();
    mika = mika_online(&machine, &world, &provider);
    world.has_identified(3).await;
    replied(&provider, &alice, &general, "Mika?", "Yes.").await;
    assert_eq!(provider.requests().len(), asked + 1);
    mika.is_stopped().await;
    provider.assert_sound();
    assert_eq!(
        known(&machine, &general).await,
        ["hello Mika", "Mika, what time does the ferry leave?", "Evening.", "At nine.", "Mika?", "Yes."]
    );
}
