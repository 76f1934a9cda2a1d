//! A familiar for `.ci/window.mjs`, on a Discord that is made up: what is to be seen in a browser while people talk there.

use familiar_connect::config::Secrets;
use familiar_connect::trace::logging::LogLines;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::support::talk::{Talk, TalkOptions};
use crate::voice::whole::brisk;

/// So long the script may take for its next word: whoever forgot to end this leaves nothing behind.
const NEXT_WORD_WITHIN: std::time::Duration = std::time::Duration::from_secs(300);

/// What is said in the call, in one breath: so long that whoever looks once a second sees somebody speak.
const QUESTION: &str =
    "What time is it and does the late ferry still go tonight or do I have to row over by myself?";

/// What is asked of this world, line by line until its input ends.
fn words() -> UnboundedReceiver<String> {
    let (tell, told) = unbounded_channel();
    // Nobody waits for this thread: it sits in a read until the input ends, or the process does.
    std::thread::spawn(move || {
        for line in std::io::stdin().lines().map_while(Result::ok) {
            if tell.send(line.trim().to_owned()).is_err() {
                break;
            }
        }
    });
    told
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a world that .ci/window starts and speaks to; it asserts nothing by itself"]
async fn a_world_for_the_browser() {
    let talk = Talk::start(TalkOptions { profile: brisk(), ..TalkOptions::default() }).await;
    let folder = tempfile::tempdir().unwrap();
    let (setup, secrets) = (crate::support::window::setup_in(folder.path()), Secrets::default());
    let opened = talk.app.open_window("Ada".to_owned(), &secrets, setup, None, None, LogLines::default());
    let window = opened.await.unwrap().unwrap();
    let alice = talk.home.moderator("alice");
    alice.runs(&talk.general, "/subscribe-text", serde_json::json!({})).await;
    talk.general.is_announced().await;
    talk.model_says("is the lamp lit?", "Aye, the lamp is lit.");
    talk.model_says("who sails tonight?", "The Wren sails alone.");

    let mut asked = words();
    // The harness may have begun a line of its own.
    println!("\naddress {}", window.opening_address());
    println!("rooms {} {}", talk.general.id(), talk.lounge.id());
    while let Some(word) = tokio::time::timeout(NEXT_WORD_WITHIN, asked.recv()).await.expect("a word in time")
    {
        match word.as_str() {
            "say" => _ = alice.says(&talk.general, "Mika, is the lamp lit?"),
            "ask" => _ = alice.says(&talk.general, "Mika, who sails tonight?"),
            "call" => talk.ana_calls().await,
            "speak" => {
                talk.model_says_only("What time is it", "It is late, very late.");
                talk.says(&talk.ana, QUESTION).await;
                talk.until_heard("It is late, very late.").await;
                talk.settled().await;
            }
            "leave" => talk.ana.person.leaves(&talk.lounge),
            other => panic!("{other:?} is no word of this world"),
        }
        println!("done {word}");
    }
    window.close().await;
    talk.ends().await;
}
