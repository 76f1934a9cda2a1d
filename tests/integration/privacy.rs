//! `/privacy`: a copy of what is stored, and opting out, in the running program.

use serde_json::json;

use super::binary::Evening;
use super::missed::known;
use crate::support::discord::Said;
use crate::support::provider::Reply;

#[tokio::test]
async fn nothing_of_whoever_opted_out_is_stored_or_sent_until_they_take_part_again() {
    let evening = Evening::begins().await;
    let Evening { machine, provider, home, general, alice, .. } = &evening;
    let bea = home.member("bea");
    provider.script(Reply::says("I know it now."));
    alice.says(general, "Mika, the bell code is halyard");
    general.next_message().await;

    let told = alice.runs(general, "/privacy", json!({})).await;
    assert!(told.ephemeral && told.content.contains("1 message of yours"), "{told:?}");
    let copy = alice.presses(general, &told, "Copy of my data").await;
    let [(name, text)] = copy.files.as_slice() else { panic!("{copy:?}") };
    assert_eq!(name, "mine.json");
    let copy: serde_json::Value = serde_json::from_str(text).unwrap();
    assert_eq!(copy["messages"][0]["words"], "Mika, the bell code is halyard");
    assert_eq!(copy["account"], format!("discord:{}", alice.id()));

    let asked = alice.presses(general, &told, "Opt out …").await;
    assert_eq!(asked.buttons(), ["Opt out and forget", "Opt out and forget for good", "Not now"]);
    let kept = alice.presses(general, &asked, "Not now").await;
    assert_eq!(kept.content, "Nothing was forgotten.");
    let out = alice.presses(general, &asked, "Opt out and forget").await;
    assert!(out.content.contains("reads nothing of yours") && out.content.contains("1 message"), "{out:?}");
    assert!(known(machine, general).await.is_empty());

    let before = provider.requests().len();
    let spoken = alice.says(general, Said::text("are you there? It is the zebra.").mentioning_the_bot());
    let hint = general.next_message().await;
    assert!(hint.content.contains("You opted out") && hint.allowed_mentions_are_empty(), "{hint:?}");
    alice.edits(general, spoken, "It is the other zebra.");
    alice.types(general);
    alice.plays(home, "Zebra Racing");
    let hers = bea.says(general, "how calm the harbour is");
    alice.reacts(general, hers, bea.id(), "🦓");
    // An answer may be begun anew before it is said.
    provider.answers(|_| Reply::says("Calm indeed."));
    bea.says(general, "Mika, isn't it?");
    assert_eq!(general.next_message().await.content, "Calm indeed.");
    for request in &provider.requests()[before..] {
        let prompt = request.prompt().to_lowercase();
        let found: Vec<&str> =
            ["halyard", "zebra", "🦓", "alice"].into_iter().filter(|word| prompt.contains(word)).collect();
        assert_eq!(found, [""; 0], "{prompt}");
    }
    // A reply is stored once it is delivered, which may be a moment later.
    assert_eq!(known(machine, general).await[..2], ["how calm the harbour is", "Mika, isn't it?"]);

    let undone = alice.runs(general, "/forget undo", json!({})).await;
    assert!(undone.content.contains("You opted out"), "{undone:?}");
    let stays = alice.runs(general, "/privacy", json!({})).await;
    assert_eq!(stays.buttons(), ["Take part again"]);
    alice.presses(general, &stays, "Take part again").await;
    provider.script(Reply::says("Evening."));
    alice.says(general, "Mika, hello again");
    assert_eq!(general.next_message().await.content, "Evening.");
    evening.ends().await;
}
