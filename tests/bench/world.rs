//! The live world and the reflexes (mechanisms, section 6: a read below 0.05 ms, all detectors below 0.2 ms).

use std::hint::black_box;
use std::sync::Arc;

use criterion::Criterion;
use familiar_connect::context::TurnRequest;
use familiar_connect::context::reflex::{DETECTORS, ReflexInput, detected_facts};
use familiar_connect::domain::{Place, TokenEncoding, TurnId};
use familiar_connect::history::{HistoryOptions, NewTurn};
use familiar_connect::world::World;
use tokio::runtime::Runtime;

use crate::busy::{fill, person, place};
use crate::corpus::{self, Shortener};
use crate::stage::{CARD, Stage};
use crate::table::{Table, micros, percentile};

/// A small talk, a question that a detector answers, and a long message full of numbers and questions.
const MESSAGES: [(&str, &str); 3] = [
    ("small talk", "did you see the moon yesterday? it was huge, we stood on the deck for an hour"),
    ("a question", "hey, what time is it in Tokyo?"),
    (
        "a long message",
        "So on the 3rd of May we sailed from 9 to 5, 12 miles in 4 hours, and who was there? Ben, who had lost 2 of 5 \
         games, and Cara, who spoke of the days until winter. How long is the river, what is it called, how many boats \
         were on it and why did nobody roll the rope in? I will tell you all of it in 20 minutes, or in 2 hours, when \
         I am back from the harbour and have eaten. What do you think of https://example.org/river?",
    ),
];

/// Everything a prompt reads of the world.
fn read(world: &World, place: &Place) -> usize {
    let seen = world.snapshot();
    let view = seen.for_place(place);
    let now = corpus::said_at(40);
    view.here(now).count()
        + view.calls().len()
        + view.typing(now).count()
        + view.topic().map_or(0, str::len)
        + usize::try_from(view.members().unwrap_or(0)).unwrap_or(0)
}

/// A familiar in a world in which much goes on.
async fn stage() -> Stage {
    let models = Arc::new(Shortener { encoding: TokenEncoding::Estimate });
    let history = HistoryOptions::new([models.encoding]);
    let stage = Stage::over(Stage::installed("", CARD), corpus::said_at(40), models, history).await;
    fill(&stage.world);
    stage
}

/// What a turn that answers `text` asks of the pipeline, as the session opens it.
async fn request(stage: &Stage, text: &str) -> TurnRequest {
    let mode = stage.config.channel_in(&place()).mode;
    let new = NewTurn::written(place(), Some(person(1)), text, stage.clock_now(), mode);
    let said = [stage.history.append(new).await.unwrap()];
    stage.session.request_for(TurnId(7), &place(), &said, 1).unwrap()
}

/// Criterion's view: mean times, kept between runs for comparison.
pub fn bench(criterion: &mut Criterion, runtime: &Runtime) {
    let stage = runtime.block_on(stage());
    let world = &stage.world;
    let mut group = criterion.benchmark_group("world");
    let here = place();
    group.bench_function("read", |bencher| bencher.iter(|| black_box(read(world, &here))));
    let mut second = 50;
    group.bench_function("a message is told", |bencher| {
        bencher.iter(|| {
            second += 1;
            world.spoke(&here, &person(second % 40), corpus::said_at(second));
        });
    });
    for (name, text) in MESSAGES {
        let request = runtime.block_on(request(&stage, text));
        group.bench_function(format!("{} detectors, {name}", DETECTORS.len()), |bencher| {
            bencher.iter(|| black_box(detected_facts(&ReflexInput::of(&request)).len()));
        });
    }
    group.finish();
}

/// Single calls, with their tails.
pub fn figures(runtime: &Runtime, rounds: usize) -> Table {
    let stage = runtime.block_on(stage());
    let world = &stage.world;
    let here = place();
    let mut table = Table::new("Live world and reflexes, single calls", &["what", "p50", "p95", "p99"]);
    let mut measure = |name: String, call: &mut dyn FnMut()| {
        let mut took = crate::timed(rounds, |_| call());
        let cells = [50, 95, 99].map(|share| micros(percentile(&mut took, share)));
        table.row(&[vec![name], cells.to_vec()].concat());
    };
    measure("everything a prompt reads of the world".to_owned(), &mut || {
        black_box(read(world, &here));
    });
    let mut second = 50;
    measure("telling the world of a message".to_owned(), &mut || {
        second += 1;
        world.spoke(&here, &person(second % 40), corpus::said_at(second));
    });
    for (name, text) in MESSAGES {
        let request = runtime.block_on(request(&stage, text));
        measure(format!("all {} detectors, {name}", DETECTORS.len()), &mut || {
            black_box(detected_facts(&ReflexInput::of(&request)).len());
        });
    }
    table
}
