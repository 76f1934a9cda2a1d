//! Transcripts of calls: written whole whatever Discord does, and taken back on request and when they are old.

use familiar_connect::discord::CallTimes;
use familiar_connect::voice::CallNotice;
use serde_json::json;

use super::hall::{Hall, Recorded, brisk};
use crate::support::discord::{Fault, Person};
use crate::support::stage::known_as;
use crate::support::voice::VoiceOptions;

/// A hall in which what is said is written down.
async fn hall(more: &str) -> Hall {
    hall_with(brisk(), more).await
}

async fn hall_with(times: CallTimes, more: &str) -> Hall {
    let hall = Hall::open_with(VoiceOptions::default(), times, |_| String::new()).await;
    hall.sets(&format!("transcript = true\n{more}"));
    hall
}

async fn says(call: &Recorded, person: &Person, text: &str) {
    let author = known_as(person.id(), "Alice");
    let at = jiff::Timestamp::from_second(1_772_395_200).unwrap();
    call.notices(CallNotice::Heard { author, at, text: text.to_owned() }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_page_that_could_not_be_written_is_not_lost() {
    let hall = hall("").await;
    let call = hall.alice_has_called().await;
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
    let call = hall.alice_has_called().await;
    hall.ben.joins(&hall.lounge, false);
    let notice = hall.lounge.next_message().await;
    hall.ben.presses_under(&notice, "Hear me").await;
    call.is_told_of_consent(&hall.ben, true).await;
    says(&call, &hall.alice, "My zebrafinches sing at night.").await;
    let page = hall.lounge.next_message().await;
    hall.lounge.message_becomes(page.id, "her line", |page| page.content.contains("zebrafinches")).await;
    says(&call, &hall.ben, "A zebrafinch?").await;
    hall.lounge.message_becomes(page.id, "his line", |page| page.content.contains("A zebrafinch?")).await;
    let forget = async |person: &Person, words: &str| {
        let asked = person.runs(&hall.general, "/forget what", json!({"words": words})).await;
        assert_eq!(asked.buttons(), ["Forget", "Forget for good", "Keep"], "{asked:?}");
        assert!(asked.content.contains("Transcripts of calls"), "{asked:?}");
        person.presses(&hall.general, &asked, "Keep").await;
        assert!(hall.lounge.messages().iter().all(|page| !page.is_deleted), "not before it is wished for");
        person.presses(&hall.general, &asked, "Forget").await
    };
    let searched =
        hall.world.requests(&format!("GET channels/{}/messages/{}", hall.lounge.id(), page.id)).len();
    forget(&hall.alice, "goldfish").await;
    let seen = format!("GET channels/{}/messages/{}", hall.lounge.id(), page.id);
    hall.world.sees_requests(&seen, searched + 1).await;
    let done = forget(&hall.alice, "zebrafinches").await;
    assert!(done.content.contains("are being deleted"), "{done:?}");
    hall.lounge.message_becomes(page.id, "its end", |page| page.is_deleted).await;
    // What he said is posted anew, and hers is not.
    let anew = hall.lounge.next_message().await;
    let anew =
        hall.lounge.message_becomes(anew.id, "his line", |page| page.content.contains("zebrafinch?")).await;
    assert!(!anew.content.contains("zebrafinches"), "{anew:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_waits_to_be_posted_is_forgotten_too() {
    let hall = hall("").await;
    let call = hall.alice_has_called().await;
    says(&call, &hall.alice, "The very first line.").await;
    let first = hall.lounge.next_message().await;
    hall.lounge.message_becomes(first.id, "a line", |page| page.content.contains("very first")).await;
    // This message takes no more; what comes in its place does.
    let line = format!("PATCH channels/{}/messages/{}", hall.lounge.id(), first.id);
    hall.world.fails(&line, Fault::Down(503));
    let tried = hall.world.requests(&line).len();
    says(&call, &hall.alice, "My zebrafinches sing at night.").await;
    says(&call, &hall.alice, "And the ferry is late.").await;
    hall.world.sees_requests(&line, tried + 1).await;
    let asked = hall.alice.runs(&hall.general, "/forget what", json!({"words": "zebrafinches"})).await;
    hall.alice.presses(&hall.general, &asked, "Forget").await;
    says(&call, &hall.alice, "The last line.").await;
    let page = hall.lounge.next_message().await;
    hall.lounge.message_becomes(page.id, "the rest", |page| page.content.contains("The last line.")).await;
    let all: Vec<String> = hall.lounge.messages().into_iter().map(|page| page.content).collect();
    assert!(all.iter().all(|page| !page.contains("zebrafinches")), "{all:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_said_after_a_page_was_deleted_is_posted_on_a_new_one() {
    let hall = hall("").await;
    let call = hall.alice_has_called().await;
    says(&call, &hall.alice, "The very first line.").await;
    let first = hall.lounge.next_message().await;
    hall.lounge.message_becomes(first.id, "a line", |page| page.content.contains("very first")).await;
    hall.alice.deletes(&hall.lounge, first.id);
    says(&call, &hall.alice, "The second line.").await;
    let second = hall.lounge.next_message().await;
    let page = hall
        .lounge
        .message_becomes(second.id, "the second", |page| page.content.contains("second line"))
        .await;
    assert!(!page.content.contains("very first"), "what somebody deleted does not come back");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn old_transcripts_go_while_the_program_runs() {
    let times = CallTimes { tidy: std::time::Duration::from_millis(20), ..brisk() };
    let hall = hall_with(times, "transcript_days = 30\n").await;
    let call = hall.alice_has_called().await;
    says(&call, &hall.alice, "Just now.").await;
    let page = hall.lounge.next_message().await;
    hall.lounge.message_becomes(page.id, "a line", |page| page.content.contains("Just now")).await;
    // By its number this one is of April 2016.
    const OLD: &str = "175928847299117063";
    let file = hall.rig.home.transcripts_json();
    let known = std::fs::read_to_string(&file).unwrap();
    let mut known: Vec<serde_json::Value> = serde_json::from_str(&known).unwrap();
    let mut old = known[0].clone();
    old["message"] = json!(OLD);
    known.push(old);
    // Whole, for it is read all the time.
    let beside = file.with_extension("new");
    std::fs::write(&beside, serde_json::to_string(&known).unwrap()).unwrap();
    std::fs::rename(beside, &file).unwrap();
    hall.world.sees_requests(&format!("messages/{OLD}"), 1).await;
    assert!(hall.lounge.messages().iter().all(|page| !page.is_deleted), "what is new stays");
}
