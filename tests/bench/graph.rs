//! What the graph costs (specs mechanisms section 6: a neighbourhood of two steps below 0.1 ms at 50,000 edges, a hybrid
//! search below 5 ms at 20,000 nodes).

use std::fs;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use familiar_connect::config::FamiliarHome;
use familiar_connect::domain::{
    AccountId, Audience, Author, ChannelId, ChannelMode, GuildId, MessageId, Modality, Place, Role, Visible,
};
use familiar_connect::graph::{Graph, Lens, NodeId, SearchClass};
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
        place: Place {
            channel: ChannelId::from(number / 20 % CHANNELS + 1),
            guild: Some(guild.clone()),
            audience: Audience::Guild(guild),
            ..corpus::place()
        },
        role: Role::User,
        author: Some(Author {
            account: AccountId::discord(1_000 + who),
            display_name: Some(format!("Person{who}")),
            username: None,
            is_bot: false,
        }),
        content: format!("{opening} {}", corpus::words(number, 3)),
        at: corpus::said_at(number),
        mode: ChannelMode::TextConversationRp,
        messages: vec![MessageId::from(number + 1)],
        reply_to: (number.is_multiple_of(3) && number > 3).then(|| MessageId::from(number - 1)),
        turn: None,
        modality: Modality::Text,
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

/// A graph of so many turns and notes.
async fn graph(folder: &std::path::Path, turns: u64, notes: u64) -> (Graph, Duration) {
    let home = FamiliarHome::new(folder, &"bench".parse().unwrap());
    fs::create_dir_all(home.memory_dir().join("people")).unwrap();
    for number in 0..notes {
        let file = home.memory_dir().join(format!("people/discord-{}.md", 1_000 + number));
        fs::write(file, note(number)).unwrap();
    }
    let history = History::open(&home.history_db(), HistoryOptions::default()).await.unwrap();
    history.store_all((0..turns).map(turn).collect()).await.unwrap();
    let graph = Graph::over(Arc::new(history), Arc::new(Memory::at(&home)));
    let started = Instant::now();
    graph.keep_up().await.unwrap();
    (graph, started.elapsed())
}

pub fn figures(runtime: &Runtime, rounds: usize) -> Table {
    let (turns, notes) = if crate::is_measuring() { (8_000, 130) } else { (60, 2) };
    let folder = tempfile::tempdir().unwrap();
    let (graph, built) = runtime.block_on(graph(folder.path(), turns, notes));
    let counts = graph.counts();
    let lens = Lens::of(Visible::only([Audience::Canon, Audience::Guild(GuildId::from(7))]));
    let person = |round: usize| NodeId::person(&AccountId::discord(1_000 + round as u64 * 7 % PEOPLE));
    let title = format!(
        "the graph: {} nodes, {} edges, of {turns} turns and {notes} notes",
        counts.nodes, counts.edges
    );
    let mut table = Table::new(&title, &["", "p50", "p95"]);
    let mut row = |name: &str, mut work: Box<dyn FnMut(usize) + '_>| {
        let mut took: Vec<Duration> = (0..rounds)
            .map(|round| {
                let started = Instant::now();
                work(round);
                started.elapsed()
            })
            .collect();
        let (p50, p95) = (percentile(&mut took, 50), percentile(&mut took, 95));
        table.row(&[name.to_owned(), micros(p50), micros(p95)]);
    };
    row(
        "around a person, 2 steps",
        Box::new(|round| drop(black_box(graph.around(&person(round), 2, 200, &lens)))),
    );
    row(
        "around a topic, 2 steps",
        Box::new(|round| {
            let topic = NodeId::topic(&corpus::word(round as u64 * 13 % 3_000 + 1));
            drop(black_box(graph.around(&topic, 2, 200, &lens)));
        }),
    );
    row(
        "a way between two people",
        Box::new(|round| drop(black_box(graph.paths(&[person(round)], &[person(round + 11)], 1, &lens)))),
    );
    let now = corpus::said_at(turns);
    row(
        "how two stand to each other",
        Box::new(|round| drop(black_box(graph.standing(&person(round), &person(round + 1), now, &lens)))),
    );
    row(
        "a hybrid search",
        Box::new(|round| {
            let question = corpus::words(round as u64 * 31, 4);
            drop(black_box(graph.search(&question, SearchClass::Plain, 10, &lens)));
        }),
    );
    row(
        "the same search again",
        Box::new(|_| {
            drop(black_box(graph.search("the same question", SearchClass::Plain, 10, &lens)));
        }),
    );
    row("nothing new to take in", Box::new(|_| runtime.block_on(graph.keep_up()).unwrap()));
    table.note(format!("made anew in {} ms", built.as_millis()));
    table
}
