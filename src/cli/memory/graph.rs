//! `familiar memory graph`: how people, topics and notes hang together, as the operator sees it.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::bail;
use clap::Subcommand;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::cli::report::{self, plain};
use crate::config::FamiliarHome;
use crate::graph::{Counts, Graph, Lens, NodeId, NodeKind, Teller, name};
use crate::history::{History, HistoryOptions};
use crate::memory::Memory;

/// Ways told of two.
const WAYS: usize = 3;

/// Differences that are printed of a graph that is not as it should be.
const DIFFERENCES: usize = 20;

/// People told of a topic, and what is told around one thing.
const EXPERTS: usize = 10;
const AROUND: usize = 40;

/// What `familiar memory graph` takes. A person is given by name or as `person/discord-42`, anything else by its node
/// as other answers print it: `topic/bee`, `message/1841`, `fact/people/discord-42.md#k3v9q2xy`.
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum GraphVerb {
    /// Print how two people or things hang together, with what it was read from
    Path {
        /// One of them
        first: String,
        /// The other
        second: String,
    },
    /// Print what lies around a person or thing
    Around {
        /// Whom or what
        of: String,
        /// Over how many steps
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=4))]
        hops: u8,
    },
    /// Print who knows about a topic
    Who {
        /// Which
        topic: String,
    },
    /// Print everything that depends on a note, a message, a person or a fact
    Dependents {
        /// A note's path (`people/discord-42.md`), a message (`t:1841`), a person, or a node
        of: String,
    },
    /// Print how large the graph is
    Size,
}

/// Runs the verb. Exit code 1 when there is nothing to tell.
pub(in crate::cli) async fn run(home: &FamiliarHome, verb: &GraphVerb) -> anyhow::Result<ExitCode> {
    let graph = read(home).await?;
    let told = match verb {
        GraphVerb::Path { first, second } => path(&graph, first, second)?,
        GraphVerb::Around { of, hops } => around(&graph, of, *hops)?,
        GraphVerb::Who { topic } => who(&graph, topic),
        GraphVerb::Dependents { of } => dependents(&graph, of)?,
        GraphVerb::Size => vec![size(graph.counts())],
    };
    for line in &told {
        report::line(&plain(line))?;
    }
    if told.is_empty() {
        report::line("nothing is known about that")?;
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// Made anew, so that it can be asked beside the familiar that runs; its log is not touched.
async fn read(home: &FamiliarHome) -> anyhow::Result<Graph> {
    let history = Arc::new(History::open(&home.history_db(), HistoryOptions::default()).await?);
    let graph = Graph::over(history, Arc::new(Memory::at(home)));
    graph.keep_up().await?;
    Ok(graph)
}

/// Makes the graph anew, its log included.
pub(super) async fn rebuild(home: &FamiliarHome) -> anyhow::Result<ExitCode> {
    let _lock = crate::familiar::lock(home)?;
    let graph = open(home).await?;
    let counts = graph.rebuild().await?;
    graph.close().await?;
    report::line(&format!("graph: {}", size(counts)))?;
    Ok(ExitCode::SUCCESS)
}

/// Whether the graph as its log tells it is the graph made anew; without a log there is nothing to compare. A log that is
/// in use is left to the familiar that runs. With `mend` it becomes so.
pub(super) async fn verify(home: &FamiliarHome, mend: bool) -> anyhow::Result<bool> {
    if !has_log(home) {
        return Ok(true);
    }
    let Ok(_lock) = crate::familiar::lock(home) else {
        report::line("graph: not looked at while the familiar runs")?;
        return Ok(true);
    };
    let graph = open(home).await?;
    let differences = graph.verify().await?;
    if differences.is_empty() {
        report::line("graph: the same as made anew")?;
    }
    for one in differences.iter().take(DIFFERENCES) {
        let what = if one.is_kept { "should not be there" } else { "is missing" };
        report::line(&format!("graph: {what}: {}", plain(&one.said)))?;
    }
    if !differences.is_empty() && mend {
        graph.rebuild().await?;
        report::line("graph: made anew")?;
    } else if !differences.is_empty() {
        report::line("to make it anew: familiar memory rebuild")?;
    }
    graph.close().await?;
    Ok(differences.is_empty() || mend)
}

/// With its log: as the familiar that runs keeps it.
async fn open(home: &FamiliarHome) -> anyhow::Result<Graph> {
    let history = Arc::new(History::open(&home.history_db(), HistoryOptions::default()).await?);
    let graph = Graph::over(history, Arc::new(Memory::at(home)));
    graph.keep_log().await;
    Ok(graph)
}

/// Whether a graph was ever kept.
fn has_log(home: &FamiliarHome) -> bool {
    home.memory_dir().join(".index").join("graph.sqlite").exists()
}

/// `41 things, 96 links, made of 120 messages and 7 notes`.
fn size(counts: Counts) -> String {
    let Counts { nodes, edges, messages, notes } = counts;
    format!("{nodes} things, {edges} links, made of {messages} messages and {notes} notes")
}

/// The nodes that are meant by a word.
fn meant(graph: &Graph, word: &str) -> anyhow::Result<Vec<NodeId>> {
    let lens = Lens::everything();
    if let Some(turn) = word.strip_prefix("t:") {
        return Ok(vec![NodeId::new(NodeKind::Message, turn)]);
    }
    if word.ends_with(".md") {
        let kind = if word.starts_with("lore/") { NodeKind::Lore } else { NodeKind::Note };
        return Ok(vec![NodeId::new(kind, word)]);
    }
    if let Ok(node) = word.parse::<NodeId>() {
        return Ok(vec![node]);
    }
    let people = graph.called(word, &lens);
    if !people.is_empty() {
        return Ok(people.into_iter().map(|one| one.id).collect());
    }
    let stems = crate::text::keywords::terms(word);
    let topics: Vec<NodeId> = stems
        .iter()
        .map(|stem| NodeId::topic(stem))
        .filter(|topic| graph.named(topic, &lens).is_some())
        .collect();
    if topics.is_empty() {
        bail!("nobody and nothing is known by the name {word:?}");
    }
    Ok(topics)
}

fn path(graph: &Graph, first: &str, second: &str) -> anyhow::Result<Vec<String>> {
    let (from, to) = (meant(graph, first)?, meant(graph, second)?);
    let teller = Teller::in_zone(TimeZone::system());
    let mut told = Vec::new();
    for (number, way) in (1..).zip(graph.paths(&from, &to, WAYS, &Lens::everything())) {
        told.push(format!("{number}. {}", teller.path(&way).join("; ")));
        for step in &way.steps {
            for bond in &step.bonds {
                let from: Vec<String> = bond.evidence.iter().map(ToString::to_string).collect();
                let seen: Vec<String> = bond.audiences.iter().map(ToString::to_string).collect();
                told.push(format!(
                    "   {} {} {}  ({} times; from {}; seen by {})",
                    bond.from.id,
                    bond.kind,
                    bond.to.id,
                    bond.count,
                    from.join(", "),
                    seen.join(", ")
                ));
            }
        }
    }
    Ok(told)
}

fn around(graph: &Graph, of: &str, hops: u8) -> anyhow::Result<Vec<String>> {
    let lens = Lens::everything();
    let mut told = Vec::new();
    for node in meant(graph, of)? {
        for near in graph.around(&node, hops, AROUND, &lens) {
            told.push(format!("{}  {}  {}", near.hops, near.node.id, name(&near.node)));
        }
    }
    Ok(told)
}

fn who(graph: &Graph, topic: &str) -> Vec<String> {
    let teller = Teller::in_zone(TimeZone::system());
    let experts = graph.experts(topic, Timestamp::now(), EXPERTS, &Lens::everything());
    experts
        .iter()
        .map(|expert| {
            let from: Vec<String> = expert.evidence.iter().map(ToString::to_string).collect();
            format!("{}  ({}; from {})", teller.expert(expert, topic), expert.person.id, from.join(", "))
        })
        .collect()
}

fn dependents(graph: &Graph, of: &str) -> anyhow::Result<Vec<String>> {
    let mut told = Vec::new();
    for node in meant(graph, of)? {
        for one in graph.dependents(&node) {
            let on = if one.on == node { String::new() } else { format!(", over {}", one.on) };
            told.push(format!("{}  {} ({}{on})", one.node.id, name(&one.node), one.via));
        }
    }
    Ok(told)
}
