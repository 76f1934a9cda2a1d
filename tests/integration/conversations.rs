//! Whole conversations by a script: what the model was told word for word, and what every turn left behind.
//!
//! Time stands still while a play runs, so that its snapshots do not depend on how busy the machine is.

mod flood;
mod group;
mod injection;
mod kept;
mod replayed;
mod roleplay;
mod text;
mod told;
mod voice;

use std::time::Duration;

use familiar_connect::domain::*;
use serde_json::Value;

use crate::support::call::patiently;
use crate::support::stage::{Asked, CALLED, MESSAGES, Stage, UNADDRESSED, ferry};

/// A question into the room is taken up after so long.
const LULL: Duration = Duration::from_millis(10);

/// What the models say to one message.
#[derive(Debug, Clone, Default)]
struct Cast<'a> {
    /// What a side model thinks first, where it is asked.
    thoughts: &'a str,
    /// A tool that is called before the reply.
    call: Option<(&'a str, Value)>,
    reply: &'a str,
    /// What polishing makes of the reply, where it is asked for.
    polished: &'a str,
}

impl<'a> Cast<'a> {
    fn says(reply: &'a str) -> Self {
        Self { reply, ..Self::default() }
    }
}

/// A conversation in one place.
struct Play {
    stage: Stage,
    place: Place,
    modality: Modality,
}

impl Play {
    /// In `#ferry`, with these settings before the usual ones.
    async fn open(settings: &str) -> Self {
        Self::open_in(ferry(), settings).await
    }

    async fn open_in(place: Place, settings: &str) -> Self {
        let settings =
            format!("text_lull_timeout = 0.01\n{settings}\n[typing_simulation]\nenabled = false\n");
        let stage = Stage::with(&settings, MESSAGES).await;
        Self { stage, place, modality: Modality::Text }
    }

    /// The same in a new process, which finds files at once that were put there meanwhile.
    async fn reopened(self) -> Self {
        Self { stage: self.stage.reopened().await, ..self }
    }

    /// Somebody speaks to it and is answered; gives the prompt of the reply.
    async fn asks(&mut self, who: &str, words: &str, reply: &str) -> String {
        self.answered(who, words, CALLED, Cast::says(reply)).await
    }

    /// Somebody says something, and it has to answer.
    async fn answered(&mut self, who: &str, words: &str, hints: TriggerHints, cast: Cast<'_>) -> String {
        self.hands_in(who, words, hints).await;
        let prompt = self.plays(&cast).await;
        prompt.unwrap_or_else(|| panic!("nobody asked for an answer to {words:?}"))
    }

    /// Somebody says something, and it has to stay silent.
    async fn overhears(&mut self, who: &str, words: &str) {
        self.overhears_with(who, words, UNADDRESSED).await;
    }

    async fn overhears_with(&mut self, who: &str, words: &str, hints: TriggerHints) {
        self.hands_in(who, words, hints).await;
        self.stage.settled_in(&self.place).await;
    }

    /// A question to nobody in particular, which it takes up once it is quiet.
    async fn takes_up(&mut self, who: &str, words: &str, reply: &str) -> String {
        let before = self.stage.traces.whole().list(1000).await.unwrap().len();
        self.hands_in(who, words, UNADDRESSED).await;
        // That it stays silent for now is on record once its waiting has begun.
        patiently("its silence to be on record", async {
            while self.stage.traces.whole().list(1000).await.unwrap().len() == before {
                tokio::task::yield_now().await;
            }
        })
        .await;
        tokio::time::advance(LULL * 2).await;
        let prompt = self.plays(&Cast::says(reply)).await;
        prompt.unwrap_or_else(|| panic!("the question {words:?} was not taken up"))
    }

    async fn hands_in(&mut self, who: &str, words: &str, hints: TriggerHints) {
        let mut event = self.stage.message(&self.place, who, words, hints);
        if let InboundEvent::Message(message) = &mut event {
            message.modality = self.modality;
        }
        self.stage.session.submit(event).await.unwrap();
    }

    /// Plays every model that is asked until the place is settled; gives the prompt of the reply.
    async fn plays(&self, cast: &Cast<'_>) -> Option<String> {
        let mut prompt = None;
        let mut call = cast.call.clone();
        let settled = self.stage.session.settle(&self.place);
        tokio::pin!(settled);
        loop {
            let asked: Asked = tokio::select! {
                biased;
                settled = &mut settled => {
                    settled.unwrap();
                    break;
                }
                asked = self.stage.models.unexpected() => asked,
            };
            match asked.request.slot {
                Slot::ReasoningContext => asked.reply(cast.thoughts),
                Slot::PostProcessStyle => asked.reply(cast.polished),
                Slot::MainProse if prompt.is_none() || !asked.request.rounds.is_empty() => {
                    if asked.request.rounds.is_empty() {
                        prompt = Some(asked.transcript());
                    }
                    match call.take() {
                        Some((tool, arguments)) => asked.call(tool, arguments),
                        None => asked.reply(cast.reply),
                    }
                }
                _ => panic!("the script has no words for {}", asked.gist()),
            }
        }
        self.stage.workers.idle().await;
        prompt
    }

    /// Every turn's record, oldest first.
    async fn turns(&self) -> Vec<TurnTrace> {
        let mut traces = self.stage.traces.whole().list(1000).await.unwrap();
        traces.sort_by_key(|trace| trace.id);
        traces.iter().map(|trace| (**trace).clone()).collect()
    }

    /// Every turn's record for people, without times.
    async fn told(&self) -> String {
        self.turns().await.iter().map(told::turn).collect::<Vec<_>>().join("\n")
    }
}

#[tokio::test(start_paused = true)]
#[should_panic(expected = "the model was asked this and nobody answers: main_prose")]
async fn a_request_that_no_script_answers_fails_the_test_instead_of_hanging_it() {
    let mut play = Play::open("").await;
    // With one person in the channel everything is for the familiar, also what names nobody.
    play.overhears("alice", "the tide is out").await;
}
