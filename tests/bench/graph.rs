//! What the graph costs (mechanisms, section 6: a neighbourhood of two steps below 0.1 ms at 50,000 edges, a search
//! below 5 ms at 20,000 nodes). Every question is asked as a turn asks it: what happened since is taken in first.

use std::fs;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use familiar_connect::config::FamiliarHome;
use familiar_connect::domain::{
    AccountId, Audience, Author, ChannelId, ChannelMode, GuildId, MessageId, Place, Visible,
};
use familiar_connect::graph::{Graph, GraphError, NodeId, View, Viewer};
use familiar_connect::history::{History, HistoryOptions, NewTurn};
use familiar_connect::memory::Memory;
use tokio::runtime::Runtime;

use crate::corpus;
use crate::table::{Table, micros, percentile};

/// People, channels, and facts of one note.
const PEOPLE: u64 = 300;
const CHANNELS: u64 = 40;
const FACTS: u64 = 100;

const OPENINGS: [&str; 5] = ["thanks!", "exactly,", "and then", "look:", "well,"];

fn turn(number: u64) -> NewTurn {
    let guild = GuildId::from(7);
    let who = number.wrapping_mul(2_654_435_761) % PEOPLE;
    let opening = OPENINGS[usize::try_from(number % 5).unwrap()];
    NewTurn {
        messages: vec![MessageId::from(number + 1)],
        reply_to: (number.is_multiple_of(3) && number > 3).then(|| MessageId::from(number - 1)),
        ..NewTurn::written(
            Place {
                channel: ChannelId::from(number / 20 % CHANNELS + 1),
                guild: Some(guild.clone()),
                audience: Audience::Guild(guild),
                ..corpus::place()
            },
            Some(Author::called(AccountId::discord(1_000 + who), format!("Person{who}"))),
            format!("{opening} {}", corpus::words(number, 3)),
            corpus::said_at(number),
            ChannelMode::TextConversationRp,
        )
    }
}

fn note(number: u64) -> String {
    let mut text = format!("---\naudience: guild:7\naliases: [Person{number}]\n---\n# Person{number}\n\n");
    for fact in 0..FACTS {
        let words = corpus::words(1_000_000 + number * FACTS + fact, 7);
        text.push_str(&format!(
            "- {words}. <!-- f=f{number}x{fact} to=guild:7 on=2026-{:02}-{:02} -->\n",
            fact % 12 + 1,
            number % 28 + 1
        ));
    }
    text
}

fn home_of(folder: &std::path::Path) -> FamiliarHome {
    FamiliarHome::new(folder, &"bench".parse().unwrap())
}

fn asked<R, Q>(runtime: &Runtime, graph: &Graph, viewer: &Viewer, question: Q)
where
    R: Send + 'static,
    Q: FnOnce(&View<'_>) -> Result<R, GraphError> + Send + 'static,
{
    drop(black_box(runtime.block_on(graph.ask(viewer.clone(), question)).unwrap()));
}

/// A graph of so many turns and notes.
async fn graph(folder: &std::path::Path, turns: u64, notes: u64) -> (Graph, Duration) {
    let home = home_of(folder);
    fs::create_dir_all(home.memory_dir().join("people")).unwrap();
    for number in 0..notes {
        let file = home.memory_dir().join(format!("people/discord-{}.md", 1_000 + number));
        fs::write(file, note(number)).unwrap();
    }
    let history = History::open(&home.history_db(), HistoryOptions::default()).await.unwrap();
    history.store_all((0..turns).map(turn).collect()).await.unwrap();
    let graph = Graph::over(Arc::new(history), Arc::new(Memory::at(&home)));
    graph.keep().await;
    let started = Instant::now();
    graph.keep_up().await.unwrap();
    (graph, started.elapsed())
}

pub fn figures(runtime: &Runtime, rounds: usize) -> Table {
    let (turns, notes) = if crate::is_measuring() { (8_000, 130) } else { (60, 2) };
    let folder = tempfile::tempdir().unwrap();
    let (graph, built) = runtime.block_on(graph(folder.path(), turns, notes));
    let counts = runtime.block_on(graph.counts()).unwrap();
    let viewer = Viewer::of(Visible::only([Audience::Canon, Audience::Guild(GuildId::from(7))]));
    let person = |round: usize| NodeId::person(&AccountId::discord(1_000 + round as u64 * 7 % PEOPLE));
    let title = format!(
        "the graph: {} nodes, {} edges, of {turns} turns and {notes} notes",
        counts.nodes, counts.edges
    );
    let mut table = Table::new(&title, &["", "p50", "p95"]);
    let mut row = |name: &str, work: &dyn Fn(usize)| {
        let mut took = crate::timed(rounds, work);
        let (p50, p95) = (percentile(&mut took, 50), percentile(&mut took, 95));
        table.row(&[name.to_owned(), micros(p50), micros(p95)]);
    };
    row("around a person, 2 steps", &|round| {
        asked(runtime, &graph, &viewer, move |view| view.around(&person(round), 2, 200));
    });
    row("around a topic, 2 steps", &|round| {
        let topic = NodeId::topic(&corpus::word(round as u64 * 13 % 3_000 + 1));
        asked(runtime, &graph, &viewer, move |view| view.around(&topic, 2, 200));
    });
    row("a way between two people", &|round| {
        asked(runtime, &graph, &viewer, move |view| view.paths(&[person(round)], &[person(round + 11)], 1));
    });
    let now = corpus::said_at(turns);
    row("how two stand to each other", &|round| {
        asked(runtime, &graph, &viewer, move |view| view.standing(&person(round), &person(round + 1), now));
    });
    row("what is noted about somebody", &|round| {
        let question = corpus::words(round as u64 * 31, 4);
        asked(runtime, &graph, &viewer, move |view| view.noted(&person(round), &question, 10));
    });
    row("whom a name means", &|round| {
        let name = format!("Person{}", round as u64 % PEOPLE);
        asked(runtime, &graph, &viewer, move |view| view.called(&name));
    });
    let history =
        runtime.block_on(History::open(&home_of(folder.path()).history_db(), HistoryOptions::default()));
    let history = history.unwrap();
    row("a message taken in, and asked", &|round| {
        runtime.block_on(history.store_all(vec![turn(turns + round as u64)])).unwrap();
        asked(runtime, &graph, &viewer, move |view| view.called("Person1"));
    });
    row("nothing new to take in", &|_| runtime.block_on(graph.keep_up()).unwrap());
    table.note(format!("made anew in {} ms", built.as_millis()));
    table
}
