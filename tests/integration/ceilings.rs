//! What a reply costs, in figures that are the same on every machine: a made-up chat of two evenings is played, and what
//! its prompts come to may not get worse. Times are measured elsewhere (`cargo bench`); heap allocations have their
//! ceiling in `tests/ceilings.rs`.
//!
//! A ceiling stands a little above what was measured when it was last set. Whoever makes a prompt dearer on purpose sets
//! it anew, and says in the commit what for.

use std::sync::Arc;
use std::time::Duration;

use familiar_connect::domain::*;

use crate::support::stage::{MESSAGES, Stage};

/// Lines as people write them in the evening, with a question now and then.
const LINES: [&str; 12] = [
    "the rope on the second bollard is frayed again, somebody should look at it before the storm",
    "did the late boat bring the crates from Varn? I was promised two of them last week",
    "I had soup. it was mostly water, but it was warm",
    "my cousin swears the lighthouse blinked twice last night, and nobody was in it",
    "do you remember what I said about the crates?",
    "no",
    "they want to move the landing stage to the north shore, where the current is worse in spring",
    "what do you say when somebody offers you tea at this hour?",
    "bring the lantern, please, the small one with the dent",
    "who was it that laughed at the fishermen, Ben or Cleo?",
    "good night then, the fog is coming in and I can hardly see the other bank any more",
    "what did we talk about when the lighthouse came up, and who else was there when it did?",
];

/// Turns of the chat, and those at its beginning that are not counted: nothing is known yet.
const TURNS: usize = 72;
const SETTLING: usize = 12;

/// What the counted replies came to.
#[derive(Debug, Default)]
struct Came {
    turns: u64,
    prompt: u64,
    stable: u64,
    fresh: u64,
    searches: u64,
}

/// What a reply may come to, on average.
struct Ceilings {
    /// The least share of a prompt that is the beginning of the one before.
    stable_share: f64,
    /// Tokens that are not.
    fresh: f64,
    /// Tokens of a prompt.
    prompt: f64,
    /// Searches.
    searches: f64,
}

impl Came {
    #[track_caller]
    fn is_within(&self, most: &Ceilings) {
        assert!(self.stable_share() >= most.stable_share, "{:.3} of {self:?}", self.stable_share());
        assert!(self.each(self.fresh) <= most.fresh, "{self:?}");
        assert!(self.each(self.prompt) <= most.prompt, "{self:?}");
        assert!(self.each(self.searches) <= most.searches, "{self:?}");
    }

    fn of(traces: &[Arc<TurnTrace>]) -> Self {
        let mut came = Self::default();
        for assembly in traces.iter().filter_map(|trace| trace.assembly.as_ref()) {
            let layout = assembly.layout.as_ref().unwrap();
            came.turns += 1;
            came.prompt += u64::from(assembly.prompt_tokens);
            came.stable += u64::from(layout.stable_tokens);
            came.fresh += u64::from(layout.fresh_tokens);
            came.searches += assembly.searches.len() as u64;
        }
        came
    }

    fn stable_share(&self) -> f64 {
        self.stable as f64 / (self.stable + self.fresh) as f64
    }

    fn each(&self, sum: u64) -> f64 {
        sum as f64 / self.turns as f64
    }
}

/// Plays the chat.
async fn played(mode: ChannelMode) -> Came {
    let settings = format!(
        "default_mode = \"{mode}\"\ntext_lull_timeout = 0.01\n[typing_simulation]\nenabled = false\n\
         [memory_writer]\nturn_threshold = 10000\n[plan.text.effort_1_2]\nstepped_thinking = false\nrecast = false\n"
    );
    let off: String = ["3_4", "5_6", "7_8", "9_10"]
        .iter()
        .map(|effort| format!("[plan.text.effort_{effort}]\nstepped_thinking = false\nrecast = false\n"))
        .collect();
    let mut stage = Stage::with(&format!("{settings}{off}"), MESSAGES).await;
    for turn in 0..TURNS {
        let who = ["alice", "ben", "alice", "cleo"][turn % 4];
        stage.says(who, &format!("{} ({turn})", LINES[turn * 5 % LINES.len()])).await;
        let reply = format!("She coils the rope, turn by turn, and says so for the {turn}th time.");
        stage.answers(&reply).await;
        if turn == TURNS / 2 {
            stage.clock.advance(Duration::from_secs(20 * 3600));
        }
    }
    let mut traces = stage.traces.whole().list(1_000).await.unwrap();
    traces.sort_by_key(|trace| trace.id);
    assert_eq!(traces.len(), TURNS);
    Came::of(&traces[SETTLING..])
}

#[tokio::test(start_paused = true)]
async fn a20_a_reply_in_a_text_conversation_costs_no_more_than_it_did() {
    let came = played(ChannelMode::TextConversationRp).await;
    println!("{came:?}, stable {:.3}", came.stable_share());
    came.is_within(&Ceilings { stable_share: 0.95, fresh: 115.0, prompt: 2_600.0, searches: 4.5 });
}

#[tokio::test(start_paused = true)]
async fn a20_a_reply_in_role_play_costs_no_more_than_it_did() {
    let came = played(ChannelMode::FullRp).await;
    println!("{came:?}, stable {:.3}", came.stable_share());
    came.is_within(&Ceilings { stable_share: 0.95, fresh: 115.0, prompt: 2_600.0, searches: 6.5 });
}
