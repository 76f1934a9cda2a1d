//! Answers that are begun early: in whatever order they are begun, dropped, wanted and overtaken, nobody notices those
//! that were not kept.

use std::collections::BTreeSet;

use familiar_connect::domain::*;
use proptest::prelude::*;

use crate::support::stage::{APART, Asked, CALLED, MESSAGES, Stage, ferry};

#[derive(Debug, Clone)]
enum Step {
    /// Somebody may have finished.
    Guess,
    /// They had not.
    Drop,
    /// They had: with these words, or with others.
    Say {
        as_guessed: bool,
    },
    /// Something is said to somebody else.
    Overheard,
    /// Whoever is being answered interrupts.
    Interrupt,
    /// The model answers one of the open requests, whole or in part.
    Reply(usize),
    Part(usize),
    Fail(usize),
}

fn a_step() -> impl Strategy<Value = Step> {
    let request = 0_usize..3;
    prop_oneof![
        5 => Just(Step::Guess),
        2 => Just(Step::Drop),
        5 => any::<bool>().prop_map(|as_guessed| Step::Say { as_guessed }),
        2 => Just(Step::Overheard),
        1 => Just(Step::Interrupt),
        3 => request.clone().prop_map(Step::Reply),
        2 => request.clone().prop_map(Step::Part),
        1 => request.prop_map(Step::Fail),
    ]
}

struct World {
    stage: Stage,
    /// The newest early answer and its words.
    speculation: Option<(u64, String)>,
    guesses: u64,
    /// What was really said, in order.
    said: Vec<String>,
    /// Whether anything was said that wants an answer.
    is_asked: bool,
    open: Vec<(usize, Asked)>,
    /// What each request held of what was said or guessed.
    requests: Vec<BTreeSet<String>>,
}

impl World {
    fn message(&mut self, words: &str, hints: TriggerHints) -> InboundMessage {
        let event = self.stage.message(&ferry(), "ana", words, hints);
        let InboundEvent::Message(message) = event else { unreachable!() };
        InboundMessage { modality: Modality::Voice, ..*message }
    }

    async fn step(&mut self, step: Step) {
        match step {
            Step::Guess => {
                self.guesses += 1;
                let words = format!("speculation{}end", self.guesses);
                let message = self.message(&words, CALLED);
                self.stage.session.speculate(self.guesses, message).await.unwrap();
                self.speculation = Some((self.guesses, words));
            }
            Step::Drop => {
                if let Some((speculation, _)) = self.speculation.take() {
                    self.stage.session.drop_speculation(&ferry(), speculation).await.unwrap();
                }
            }
            Step::Say { as_guessed } => {
                let speculation = self.speculation.take().filter(|_| as_guessed);
                let number = speculation.as_ref().map(|(number, _)| *number);
                let words =
                    speculation.map_or_else(|| format!("said{}end", self.said.len()), |(_, words)| words);
                self.say(words, CALLED, number).await;
                self.is_asked = true;
            }
            Step::Overheard => {
                self.say(format!("overheard{}end", self.said.len()), APART, None).await;
            }
            Step::Interrupt => {
                if let Some(turn) = self.stage.outbox.turns().last() {
                    self.stage.session.interrupt(&ferry(), *turn).await.unwrap();
                }
            }
            Step::Reply(nth) => {
                if let Some((number, asked)) = self.request(nth).await {
                    asked.reply(&format!("reply{number}"));
                }
            }
            Step::Part(nth) => {
                if let Some((number, mut asked)) = self.request(nth).await {
                    asked.say(&format!("reply{number}\n\n"));
                    self.open.push((number, asked));
                }
            }
            Step::Fail(nth) => {
                if let Some((_, asked)) = self.request(nth).await {
                    asked.fail(ModelErrorClass::Server);
                }
            }
        }
        if !self.is_asked {
            assert_eq!(self.stage.outbox.shown(), [], "nothing was said to it yet");
            assert_eq!(self.stage.outbox.turns(), [], "nor does it seem to write");
        }
    }

    async fn say(&mut self, words: String, hints: TriggerHints, speculation: Option<u64>) {
        let event = InboundEvent::Message(Box::new(self.message(&words, hints)));
        self.said.push(words);
        self.stage.session.submit_together(&ferry(), vec![event], speculation).await.unwrap();
    }

    fn note(&mut self, asked: Asked) -> (usize, Asked) {
        let transcript = asked.transcript();
        let words = transcript.split(|letter: char| !letter.is_alphanumeric());
        let held = words.filter(|word| word.ends_with("end") && word.contains(char::is_numeric));
        self.requests.push(held.map(str::to_owned).collect());
        (self.requests.len() - 1, asked)
    }

    async fn request(&mut self, nth: usize) -> Option<(usize, Asked)> {
        if let Some(asked) = self.stage.models.soon().await {
            let noted = self.note(asked);
            self.open.push(noted);
        }
        (!self.open.is_empty()).then(|| self.open.remove(nth % self.open.len()))
    }

    async fn end(&mut self) {
        for (number, asked) in std::mem::take(&mut self.open) {
            asked.reply(&format!("reply{number}"));
        }
        let session = self.stage.session.clone();
        let mut draining = tokio::spawn(async move { session.drain().await });
        loop {
            tokio::select! {
                ended = &mut draining => {
                    ended.unwrap();
                    break;
                }
                asked = self.stage.next_request() => {
                    let (number, asked) = self.note(asked);
                    asked.reply(&format!("reply{number}"));
                }
            }
        }
        // What was begun and not wanted by the end.
        while self.stage.models.was_asked_again().await {
            let asked = self.stage.next_request().await;
            self.note(asked);
        }
    }

    async fn check(&self) {
        let (own, others): (Vec<_>, Vec<_>) =
            self.stage.remembered().await.into_iter().partition(|(who, _)| who == "Mika");
        let others: Vec<String> = others.into_iter().map(|(_, words)| words).collect();
        assert_eq!(others, self.said, "what was only guessed is not stored");

        let said: BTreeSet<&String> = self.said.iter().collect();
        let mut delivered = BTreeSet::new();
        for text in self.stage.outbox.delivered() {
            for number in text.split("reply").filter_map(|rest| rest.trim().parse::<usize>().ok()) {
                delivered.insert(number);
                let unsaid: Vec<_> =
                    self.requests[number].iter().filter(|words| !said.contains(words)).collect();
                assert!(unsaid.is_empty(), "reply{number} answers what nobody said: {unsaid:?}");
            }
        }
        assert!(own.len() <= delivered.len(), "{own:?} of {delivered:?}");
        assert_eq!(self.stage.outbox.typing_now(), 0);

        let traces = self.stage.traces.whole().list(1000).await.unwrap();
        let turns =
            traces.iter().filter(|trace| !matches!(trace.outcome, Outcome::Silent { .. })).count() as u64;
        let early = self.stage.session.early_answers();
        assert!(early.kept <= early.begun && early.begun <= self.guesses, "{early:?} of {}", self.guesses);
        let most = turns + early.begun - early.kept;
        let asked = self.requests.len() as u64;
        assert!(asked <= most, "{asked} requests for {turns} turns: {early:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 100, ..ProptestConfig::default() })]

    #[test]
    fn of_early_answers_only_the_kept_ones_are_noticed_and_each_takes_one_request(
        steps in proptest::collection::vec(a_step(), 1..24),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async move {
            let settings = "[typing_simulation]\nenabled = false\n";
            let mut world = World {
                stage: Stage::with(settings, MESSAGES).await,
                speculation: None,
                guesses: 0,
                said: Vec::new(),
                is_asked: false,
                open: Vec::new(),
                requests: Vec::new(),
            };
            for step in steps {
                world.step(step).await;
            }
            world.end().await;
            world.check().await;
        });
    }
}
