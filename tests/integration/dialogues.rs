//! Days of talk by a script, and what reached the prompt: names, corrections, promises, a secret, two people of one name,
//! questions of time.

use std::time::Duration;

use familiar_connect::domain::*;

use crate::support::stage::{CALLED, MESSAGES, Stage, channel, dm, ferry, known_as, person};

/// Little room, so that what was said days ago is there only by memory.
const NARROW: &str = "text_lull_timeout = 0.01\n[typing_simulation]\nenabled = false\n\
                      [modes.text_conversation_rp.layers]\nrecent_history = 160\n";

struct Days {
    stage: Stage,
}

impl Days {
    async fn begin() -> Self {
        Self { stage: Stage::with(NARROW, MESSAGES).await }
    }

    /// Another day, and another start of the program.
    async fn later(self, hours: u64) -> Self {
        self.stage.clock.advance(Duration::from_secs(hours * 3600));
        Self { stage: self.stage.reopened().await }
    }

    /// Somebody says something the familiar answers; the prompt of the answer.
    async fn says(&mut self, place: &Place, who: &str, text: &str) -> String {
        self.says_as(place, person(who), text).await
    }

    async fn says_as(&mut self, place: &Place, author: Author, text: &str) -> String {
        let mut event = self.stage.message(place, "someone", text, CALLED);
        if let InboundEvent::Message(message) = &mut event {
            message.author = author;
        }
        self.stage.session.submit(event).await.unwrap();
        let asked = self.stage.next_request().await;
        let prompt = asked.transcript();
        self.stage.replied_in(place, asked, "I see.").await;
        self.stage.workers.idle().await;
        // Nobody writes in the same second.
        self.stage.clock.advance(Duration::from_secs(20));
        prompt
    }

    /// Talk of other things, so that what was said before is no longer in view.
    async fn small_talk(&mut self, place: &Place) {
        for number in 0..12 {
            self.says(place, "cleo", &format!("the {number}th gull of the morning sits on the rail")).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_week_on_the_ferry_is_remembered_as_it_was() {
    let mut days = Days::begin().await;
    // Sunday evening.
    days.says(&ferry(), "alice", "hello! my cat is called Biscuit").await;
    days.says(&ferry(), "ben", "I live in Ghent. My favourite colour is teal").await;
    days.says(&ferry(), "ben", "the lantern of the north pier went out last night").await;
    days.says(&ferry(), "alice", "my exam is on Thursday").await;
    days.says(
        &dm("alice"),
        "alice",
        "between us: I stole the harbour bell. remember that I hide it under the stairs",
    )
    .await;
    days.small_talk(&ferry()).await;

    // Monday: a correction, in another channel and another life of the program.
    let mut days = days.later(20).await;
    days.says(&channel(2, "#deck"), "ben", "I moved to Bruges").await;
    days.small_talk(&ferry()).await;

    // Tuesday: names, facts and the correction are there, the secret is not.
    let mut days = days.later(24).await;
    let prompt = days.says(&ferry(), "alice", "what was my cat called? and where does Ben live?").await;
    assert!(prompt.contains("Alice's cat is called Biscuit."), "{prompt}");
    assert!(prompt.contains("Ben lives in Bruges.") && !prompt.contains("Ben lives in Ghent."), "{prompt}");
    let prompt = days.says(&ferry(), "cleo", "what do you know about Alice, the bell and the stairs?").await;
    assert!(!prompt.contains("stole") && !prompt.contains("under the stairs"), "{prompt}");
    let prompt = days.says(&dm("alice"), "alice", "where did I say I hide it?").await;
    assert!(prompt.contains("under the stairs"), "{prompt}");

    // A question of time: what was said on Sunday, though much was said since.
    let prompt = days.says(&ferry(), "ben", "what did I say on Sunday about the lantern?").await;
    assert!(prompt.contains("the lantern of the north pier went out last night"), "{prompt}");

    // A wish to be called something else, and the file stays.
    days.says(&ferry(), "alice", "please call me Tove").await;
    let mut days = days.later(24).await;
    let prompt = days.says(&channel(2, "#deck"), "alice", "who am I?").await;
    assert!(prompt.contains("goes by Tove") && prompt.contains("cat is called Biscuit"), "{prompt}");

    // Friday: the exam was yesterday. It is brought up, once.
    let mut days = days.later(48).await;
    let told = days.says(&ferry(), "alice", "good morning").await;
    assert!(told.contains("my exam is on Thursday"), "{told}");
    let again = days.says(&ferry(), "alice", "and how are you?").await;
    assert!(
        again.matches("my exam is on Thursday").count() <= told.matches("my exam is on Thursday").count(),
        "{again}"
    );
}

#[tokio::test(start_paused = true)]
async fn two_people_of_one_name_are_never_taken_for_one_another() {
    let ana = |number: u64, username: &str| Author {
        username: Some(username.to_owned()),
        ..known_as(number, "Ana")
    };
    let (first, second) = (ana(501, "ana.maria"), ana(502, "anakin"));
    let mut days = Days::begin().await;
    days.says_as(&ferry(), first.clone(), "I live in Ghent. My cat is called Biscuit").await;
    days.says_as(&ferry(), second.clone(), "I live in Lisbon. My dog is called Rook").await;
    days.small_talk(&ferry()).await;
    let mut days = days.later(24).await;
    let lines = |prompt: &str, about: &str| {
        let start = prompt.find(about).unwrap_or_else(|| panic!("nothing {about}: {prompt}"));
        prompt[start..].lines().take(6).collect::<Vec<_>>().join("\n")
    };
    let prompt = days.says_as(&ferry(), second.clone(), "what do you know about me?").await;
    assert!(lines(&prompt, "About Ana (anakin)").contains("Lisbon"), "{prompt}");
    days.says_as(&ferry(), first.clone(), "and about me?").await;
    let prompt = days.says_as(&ferry(), second, "hm, and me?").await;
    // Both are here now: each note says whose it is.
    for (name, home, other) in [("Ana", "Ghent", "Lisbon"), ("Ana (anakin)", "Lisbon", "Ghent")] {
        let note = lines(&prompt, &format!("About {name}:"));
        let own = note.split("About Ana").nth(1).unwrap_or_default();
        assert!(own.contains(home) && !own.contains(other), "{name}: {prompt}");
    }
}
