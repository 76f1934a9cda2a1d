//! A familiar that is talked with: the bundled example in the real session, with a scripted model, over a history, summaries
//! and notes on the disk and a world in which much goes on.

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use familiar_connect::cli::bundled;
use familiar_connect::clock::Clock as _;
use familiar_connect::config::FamiliarHome;
use familiar_connect::domain::{InboundEvent, InboundMessage, MessageId, TriggerHints, TurnTrace};
use familiar_connect::session::DeliveryStyle;
use familiar_connect::sqlite::statements_run;
use tempfile::TempDir;

use crate::corpus::{rank, word};
use crate::stage::Stage;
use crate::{busy, corpus, notes};

/// Nothing is asked of a model before the reply, and nobody is answered slower because much was said.
const SETTINGS: &str = "text_lull_timeout = 0.0\n[typing_simulation]\nenabled = false\n\
                        [limits]\nperson_per_minute = 0\nchannel_per_minute = 0\nguild_per_minute = 0\n\
                        [memory_writer]\nturn_threshold = 10000\n\
                        [window]\nport = 0\n\
                        [plan.text.effort_1_2]\nstepped_thinking = false\nrecast = false\n\
                        [plan.text.effort_3_4]\nstepped_thinking = false\nrecast = false\n\
                        [plan.text.effort_5_6]\nstepped_thinking = false\nrecast = false\n\
                        [plan.text.effort_7_8]\nstepped_thinking = false\nrecast = false\n\
                        [plan.text.effort_9_10]\nstepped_thinking = false\nrecast = false\n";

/// The familiar of a stage.
const NAME: &str = "mika";

/// A message of each effort that is measured; the words are those of a round.
pub const MESSAGES: [(u8, &str); 5] = [
    (1, "hi Pell!"),
    (3, "we should go to the {} on sunday, Gwen says the {} looks fine from up there"),
    (5, "*leans on the railing and looks for the {}* Did the {} ever come back, I wonder."),
    (6, "do you remember what Chiyo said about the {} and the {} last winter?"),
    (9, "summarise everything that happened with the {}, the {} and Gwen since Farid and Alice met"),
];

/// The message as a round says it.
pub fn message(template: &str, round: u64) -> String {
    let mut parts = template.split("{}");
    let mut said = parts.next().unwrap_or_default().to_owned();
    for (at, part) in (0..).zip(parts) {
        // Not the commonest words: people ask about things.
        said.push_str(&word(rank(round * 8 + at + 77_000_000).max(30)));
        said.push_str(part);
    }
    said
}

/// A data folder in which the bundled example is the familiar of a stage, and where the familiar is.
pub fn installed(settings: &str) -> (TempDir, FamiliarHome) {
    let folder = tempfile::tempdir().unwrap();
    let installed = bundled::FIRST.install(folder.path()).unwrap();
    let home = FamiliarHome::new(folder.path(), &NAME.parse().unwrap());
    fs::rename(FamiliarHome::new(folder.path(), &installed.id).root(), home.root()).unwrap();
    fs::write(home.character_toml(), settings).unwrap();
    (folder, home)
}

pub struct Chat {
    pub stage: Stage,
    said: u64,
}

/// What one message came to.
pub struct Told {
    /// From the message to the model's being asked.
    pub until_asked: Duration,
    /// SQL statements until then.
    pub statements: u64,
    pub trace: Arc<TurnTrace>,
}

impl Chat {
    /// Over so many turns and notes. Everything there is has been read.
    pub async fn new(turns: u64, notes: u64) -> Self {
        let (folder, home) = installed(SETTINGS);
        if turns > 0 {
            corpus::put_history(turns, &home).await;
        }
        notes::put(notes, &home);
        let stage = Stage::of(Arc::new(folder), DeliveryStyle::Messages { max_chars: 2000 }).await;
        let last = corpus::said_at(turns + 1).duration_since(stage.clock_now());
        stage.clock.advance(last.try_into().unwrap_or_default());
        busy::fill(&stage.world);
        stage.graph.keep().await;
        stage.recall.warm_up().await;
        Self { stage, said: turns }
    }

    /// Somebody says something to the familiar, and it answers.
    pub async fn says(&mut self, text: &str) -> Told {
        self.says_until(text, || ()).await.0
    }

    /// The same; `asked` is called when the model is asked.
    pub async fn says_until<T>(&mut self, text: &str, asked: impl FnOnce() -> T) -> (Told, T) {
        self.said += 1;
        self.stage.clock.advance(Duration::from_secs(20));
        let message = InboundMessage {
            message: Some(MessageId::from(10_000_000 + self.said)),
            hints: TriggerHints { mentions_familiar: true, ..TriggerHints::default() },
            ..InboundMessage::said(corpus::place(), corpus::person(self.said), text, self.stage.clock.now())
        };
        let (began, before) = (Instant::now(), statements_run());
        self.stage.session.submit(InboundEvent::Message(Box::new(message))).await.unwrap();
        let request = self.stage.next_request().await;
        let (until_asked, statements, seen) = (began.elapsed(), statements_run() - before, asked());
        request.reply(&format!("She coils the rope and says so for the {}th time.", self.said));
        self.stage.settled_in(&corpus::place()).await;
        let trace = self.stage.traces.whole().list(1).await.unwrap().remove(0);
        (Told { until_asked, statements, trace }, seen)
    }

    /// Whoever speaks next is seen to type, and what can be read for them is.
    pub async fn types(&self) {
        self.stage.session.expect(&corpus::place(), &corpus::person(self.said + 1));
        self.stage.session.fetched().await;
    }
}
