//! What the program itself adds to a reply, through the real session: from a message to the model's being asked, and
//! from the model's first words to the adapter's having them. The model is scripted, so no time of it is in the figures.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use criterion::Criterion;
use familiar_connect::domain::{MessageId, Platform};
use familiar_connect::session::{
    Delivered, Delivery, DeliveryError, DeliveryStyle, Notice, Outbox, TypingGuard,
};
use tokio::runtime::Runtime;
use tokio::sync::mpsc;

use crate::stage::Stage;
use crate::table::{Table, micros, percentile};

/// Typing with its pieces but without its pauses.
const TYPED: &str = "text_lull_timeout = 0.01\n[typing_simulation]\nenabled = true\nmin_delay_s = 0.0\n\
                     max_delay_s = 0.0\ninter_line_pause_s = 0.0\n";
const REST: &str = "It never dries on this side of the river, and I have stopped asking it to.";

/// What is measured, and how the adapter takes replies.
const CASES: [(&str, &str, DeliveryStyle); 3] = [
    ("live, first delta to first piece", "", DeliveryStyle::Live),
    ("typed, first paragraph to first message", TYPED, DeliveryStyle::Messages { max_chars: 2000 }),
    ("whole, end of reply to its message", "", DeliveryStyle::Messages { max_chars: 2000 }),
];

/// A adapter that only notes when words reach it.
#[derive(Debug)]
struct Probe {
    style: DeliveryStyle,
    next: AtomicU64,
    arrived: mpsc::UnboundedSender<Instant>,
}

#[async_trait]
impl Outbox for Probe {
    fn style(&self) -> DeliveryStyle {
        self.style
    }

    fn typing(&self, _to: &Delivery) -> TypingGuard {
        TypingGuard::none()
    }

    async fn deliver(&self, _to: &Delivery, _text: &str, _first: bool) -> Result<Delivered, DeliveryError> {
        self.arrived.send(Instant::now()).unwrap();
        let id = 5_000_000 + self.next.fetch_add(1, Ordering::Relaxed);
        Ok(Delivered { message: Some(MessageId::from(id)) })
    }

    async fn notice(&self, _to: &Delivery, notice: Notice) -> Result<(), DeliveryError> {
        panic!("{notice:?}");
    }
}

struct Rig {
    stage: Stage,
    style: DeliveryStyle,
    typed: bool,
    arrivals: mpsc::UnboundedReceiver<Instant>,
    said: usize,
}

/// How one reply went.
struct Took {
    until_asked: Duration,
    until_shown: Duration,
}

impl Rig {
    async fn new(settings: &str, style: DeliveryStyle) -> Self {
        let stage = Stage::with(settings, style).await;
        let (arrived, arrivals) = mpsc::unbounded_channel();
        stage.session.connect(Platform::Discord, Arc::new(Probe { style, next: AtomicU64::new(0), arrived }));
        Self { stage, style, typed: !settings.is_empty(), arrivals, said: 0 }
    }

    async fn reply(&mut self) -> Took {
        let said = Instant::now();
        self.stage.says("alice", "Is the rope dry yet?").await;
        let mut asked = self.stage.next_request().await;
        let until_asked = said.elapsed();
        // The same words for the third time would be held back.
        self.said += 1;
        let first = format!("The rope is wet for the {}th time.\n\n", self.said);
        let spoken = match (self.style, self.typed) {
            (DeliveryStyle::Messages { .. }, false) => {
                let spoken = Instant::now();
                asked.reply(&format!("{first}{REST}"));
                spoken
            }
            _ => {
                let spoken = Instant::now();
                asked.say(&first);
                asked.say(REST);
                asked.end();
                spoken
            }
        };
        let shown = self.arrivals.recv().await.unwrap();
        self.stage.settled().await;
        while self.arrivals.try_recv().is_ok() {}
        Took { until_asked, until_shown: shown.duration_since(spoken) }
    }
}

pub fn bench(criterion: &mut Criterion, runtime: &Runtime) {
    let mut group = criterion.benchmark_group("reply");
    for (name, settings, style) in CASES {
        let mut rig = runtime.block_on(Rig::new(settings, style));
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|rounds| {
                runtime.block_on(async {
                    let mut took = Duration::ZERO;
                    for _ in 0..rounds {
                        took += rig.reply().await.until_shown;
                    }
                    took
                })
            });
        });
    }
    group.finish();
}

pub fn figures(runtime: &Runtime, rounds: usize) -> Table {
    let mut table = Table::new("One reply through the session", &["", "p50", "p95"]);
    let mut until_asked = Vec::new();
    for (name, settings, style) in CASES {
        let mut rig = runtime.block_on(Rig::new(settings, style));
        let mut shown = Vec::new();
        for _ in 0..rounds {
            let took = runtime.block_on(rig.reply());
            until_asked.push(took.until_asked);
            shown.push(took.until_shown);
        }
        table.row(&[name.to_owned(), micros(percentile(&mut shown, 50)), micros(percentile(&mut shown, 95))]);
    }
    table.row(&[
        "message taken, stored, prompt made, model asked".to_owned(),
        micros(percentile(&mut until_asked, 50)),
        micros(percentile(&mut until_asked, 95)),
    ]);
    table
}
