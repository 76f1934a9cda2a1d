//! Transcripts of calls: written whole whatever Discord does, and taken back on request and when they are old.

use familiar_connect::domain::{AccountId, Author};
use familiar_connect::voice::CallNotice;
use serde_json::json;

use super::hall::{Hall, Recorded, brisk};
use crate::support::discord::{Fault, Person};
use crate::support::voice::VoiceOptions;

/// A hall in which what is said is written down.
async fn hall(more: &str) -> Hall {
    let hall = Hall::open_with(VoiceOptions::default(), brisk(), |_| String::new()).await;
    let settings = hall.rig.home.character_toml();
    let before = std::fs::read_to_string(&settings).unwrap();
    std::fs::write(&settings, format!("{before}\n[voice]\ntranscript = true\n{more}")).unwrap();
    hall.rig.config.reload();
    hall
}

async fn says(call: &Recorded, person: &Person, text: &str) {
    let author = Author {
        account: AccountId::discord(person.id()),
        display_name: Some("Alice".to_owned()),
        username: None,
        is_bot: false,
    };
    let at = jiff::Timestamp::from_second(1_772_395_200).unwrap();
    call.notices(CallNotice::Heard { author, at, text: text.to_owned() }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_page_that_could_not_be_written_is_not_lost() {
    let hall = hall("").await;
    let call = hall.alice_calls().await;
    hall.lounge.next_message().await;
    says(&call, &hall.alice, "The very first line.").await;
    let first = hall.lounge.next_message().await;
    hall.lounge.message_becomes(first.id, "a line", |page| page.content.contains("very first")).await;
    // Discord is away while the page is filled, and the next one begins.
    for _ in 0..2 {
        hall.world.fail_next(&format!("/messages/{}", first.id), Fault::Down(503));
    }
    let long = "and so on ".repeat(60);
    for line in 0..4 {
        says(&call, &hall.alice, &format!("line {line} {long}")).await;
    }
    let second = hall.lounge.next_message().await;
    hall.lounge.message_becomes(second.id, "the last line", |page| page.content.contains("line 3")).await;
    let pages: Vec<String> = hall.lounge.messages().into_iter().map(|page| page.content).collect();
    for line in ["very first", "line 0", "line 1", "line 2", "line 3"] {
        let holding = pages.iter().filter(|page| page.contains(line)).count();
        assert_eq!(holding, 1, "{line}: {pages:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_somebody_wants_forgotten_is_taken_back_where_it_was_written_down() {
    let hall = hall("").await;
    let call = hall.alice_calls().await;
    hall.lounge.next_message().await;
    says(&call, &hall.alice, "My zebrafinches sing at night.").await;
    let page = hall.lounge.next_message().await;
    hall.lounge.message_becomes(page.id, "her line", |page| page.content.contains("zebrafinches")).await;
    hall.ben.runs(&hall.general, "/forget what", json!({"words": "zebrafinches"})).await;
    hall.alice.runs(&hall.general, "/forget what", json!({"words": "goldfish"})).await;
    assert!(hall.lounge.messages().iter().all(|page| !page.is_deleted), "not his, and not those words");
    hall.alice.runs(&hall.general, "/forget what", json!({"words": "zebrafinches"})).await;
    hall.lounge.message_becomes(page.id, "its end", |page| page.is_deleted).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn old_transcripts_go_at_the_next_call() {
    let hall = hall("transcript_days = 30\n").await;
    let call = hall.alice_calls().await;
    hall.lounge.next_message().await;
    says(&call, &hall.alice, "Just now.").await;
    let page = hall.lounge.next_message().await;
    hall.lounge.message_becomes(page.id, "a line", |page| page.content.contains("Just now")).await;
    hall.runs(&hall.alice, "/unsubscribe-voice").await;
    hall.lounge.shows_bot(false).await;
    // By its number this one is of April 2016.
    const OLD: &str = "175928847299117063";
    let file = hall.rig.home.transcripts_json();
    let known = std::fs::read_to_string(&file).unwrap();
    let mut known: Vec<serde_json::Value> = serde_json::from_str(&known).unwrap();
    let mut old = known[0].clone();
    old["message"] = json!(OLD);
    known.push(old);
    std::fs::write(&file, serde_json::to_string(&known).unwrap()).unwrap();
    hall.runs(&hall.alice, "/subscribe-my-voice").await;
    hall.world.sees_requests(&format!("messages/{OLD}"), 1).await;
    assert!(hall.lounge.messages().iter().all(|page| !page.is_deleted), "what is new stays");
}
