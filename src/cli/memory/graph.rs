//! `familiar memory graph`: how people, topics and notes are connected, as the operator sees it.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::bail;
use clap::Subcommand;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::app::open_history;
use crate::cli::report::{self, without_control};
use crate::config::FamiliarHome;
use crate::graph::{
    Counts, DayTeller, Graph, NodeId, NodeKind, Path, SourceId, View, Viewer, name_or_somebody,
};
use crate::history::HistoryOptions;
use crate::home::Commands;
use crate::memory::Memory;
use crate::text::short::counted;

/// Ways told of two.
const WAYS: usize = 3;

/// Differences that are printed of a graph that is not as it should be.
const DIFFERENCES: usize = 20;

/// People told of a topic, and what is told around one thing.
const EXPERTS: usize = 10;
const AROUND: usize = 40;

/// What `familiar memory graph` takes. A person is given by name or as `person/discord-42`, anything else by its node
/// as other answers print it: `topic/bee`, `message/1841`, `fact/people/discord-42.md#k3v9q2xy`.
#[derive(Debug, Clone, Subcommand)]
pub(in crate::cli) enum GraphVerb {
    /// Print how two people or things are connected, with what it was read from
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

pub(in crate::cli) async fn run_graph(home: &FamiliarHome, verb: &GraphVerb) -> anyhow::Result<ExitCode> {
    // Made anew, so that it can be asked beside the familiar that runs; its tables are not touched.
    let graph = over(home).await?;
    let told = match verb.clone() {
        GraphVerb::Size => vec![graph_size(graph.counts().await?)],
        GraphVerb::Path { first, second } => path(&graph, first, second).await?,
        GraphVerb::Around { of, hops } => asked(&graph, move |view| neighbours(view, &of, hops)).await?,
        GraphVerb::Who { topic } => asked(&graph, move |view| who_speaks_of(view, &topic)).await?,
        GraphVerb::Dependents { of } => asked(&graph, move |view| dependents(view, &of)).await?,
    };
    for line in &told {
        report::write_line(&without_control(line))?;
    }
    if told.is_empty() {
        report::write_line("nothing is known about that")?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn over(home: &FamiliarHome) -> anyhow::Result<Graph> {
    let history = Arc::new(open_history(home, HistoryOptions::default()).await?);
    Ok(Graph::over(history, Arc::new(Memory::at(home))))
}

/// Makes the graph anew, as the familiar that runs keeps it.
pub(super) async fn rebuild_graph(home: &FamiliarHome) -> anyhow::Result<ExitCode> {
    let _lock = crate::familiar::lock_familiar(home)?;
    let graph = over(home).await?;
    graph.keep().await;
    let counts = graph.rebuild().await?;
    graph.close().await?;
    report::write_line(&format!("graph: {}", graph_size(counts)))?;
    Ok(ExitCode::SUCCESS)
}

/// Whether the graph as it is kept is the graph made anew; where none is kept there is nothing to compare. One that is in
/// use is left to the familiar that runs. With `mend` it becomes so.
pub(super) async fn verify(home: &FamiliarHome, mend: bool, commands: &Commands) -> anyhow::Result<bool> {
    if !home.memory_dir().join(".index").join("graph.sqlite").exists() {
        return Ok(true);
    }
    let Ok(_lock) = crate::familiar::lock_familiar(home) else {
        report::write_line("graph: not looked at while the familiar runs")?;
        return Ok(true);
    };
    let graph = over(home).await?;
    graph.keep().await;
    let differences = graph.verify().await?;
    if differences.is_empty() {
        report::write_line("graph: the same as made anew")?;
    }
    for one in differences.iter().take(DIFFERENCES) {
        let what = if one.is_kept { "should not be there" } else { "is missing" };
        report::write_line(&format!("graph: {what}: {}", without_control(&one.said)))?;
    }
    if !differences.is_empty() && mend {
        graph.rebuild().await?;
        report::write_line("graph: made anew")?;
    } else if !differences.is_empty() {
        report::write_line(&commands.in_text("to make it anew: familiar memory rebuild"))?;
    }
    graph.close().await?;
    Ok(differences.is_empty() || mend)
}

/// `41 things, 96 links, made of 120 messages and 7 notes`.
fn graph_size(counts: Counts) -> String {
    let Counts { nodes, edges, messages, notes } = counts;
    format!(
        "{}, {}, made of {} and {}",
        counted(nodes.into(), "thing"),
        counted(edges.into(), "link"),
        counted(messages.into(), "message"),
        counted(notes.into(), "note")
    )
}

/// What the graph answers the operator.
async fn asked<R: Send + 'static>(
    graph: &Graph,
    question: impl FnOnce(&View<'_>) -> anyhow::Result<R> + Send + 'static,
) -> anyhow::Result<R> {
    graph.ask(Viewer::everything(), move |view| Ok(question(view))).await?
}

/// The nodes that are meant by a word.
fn meant_nodes(view: &View<'_>, word: &str) -> anyhow::Result<Vec<NodeId>> {
    if let Some(turn) = word.strip_prefix("t:") {
        return Ok(vec![NodeId::new(NodeKind::Message, turn)]);
    }
    if word.ends_with(".md") {
        return Ok(vec![NodeId::note(word)]);
    }
    if let Ok(node) = word.parse::<NodeId>() {
        return Ok(vec![node]);
    }
    let meant = view.meant(word)?;
    if meant.is_empty() {
        bail!("nobody and nothing is known by the name {word:?}");
    }
    Ok(meant.into_iter().map(|one| one.id).collect())
}

async fn path(graph: &Graph, first: String, second: String) -> anyhow::Result<Vec<String>> {
    let ways = asked(graph, move |view| ways(view, &first, &second)).await?;
    let teller = DayTeller::in_zone(TimeZone::system());
    let mut told = Vec::new();
    for (number, way) in (1..).zip(ways) {
        let (way, _) = graph.as_written(way).await?;
        told.push(format!("{number}. {}", teller.path(&way).join("; ")));
        for bond in way.steps.iter().flat_map(|step| &step.bonds) {
            let seen: Vec<String> = bond.audiences.iter().map(ToString::to_string).collect();
            told.push(format!(
                "   {} {} {}  ({}; from {}; seen by {})",
                bond.from.id,
                bond.kind,
                bond.to.id,
                counted(bond.count.into(), "time"),
                sources(&bond.evidence),
                seen.join(", ")
            ));
        }
    }
    Ok(told)
}

fn ways(view: &View<'_>, first: &str, second: &str) -> anyhow::Result<Vec<Path>> {
    let (from, to) = (meant_nodes(view, first)?, meant_nodes(view, second)?);
    Ok(view.paths(&from, &to, WAYS)?)
}

fn sources(evidence: &[SourceId]) -> String {
    evidence.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn neighbours(view: &View<'_>, of: &str, hops: u8) -> anyhow::Result<Vec<String>> {
    let mut told = Vec::new();
    for node in meant_nodes(view, of)? {
        for near in view.around(&node, hops, AROUND)? {
            told.push(format!("{}  {}  {}", near.hops, near.node.id, name_or_somebody(&near.node)));
        }
    }
    Ok(told)
}

fn who_speaks_of(view: &View<'_>, topic: &str) -> anyhow::Result<Vec<String>> {
    let teller = DayTeller::in_zone(TimeZone::system());
    let experts = view.experts(topic, Timestamp::now(), EXPERTS)?.into_iter().map(|expert| {
        let from = sources(&expert.evidence);
        format!("{}  ({}; from {from})", teller.expert(&expert, topic), expert.person.id)
    });
    Ok(experts.collect())
}

fn dependents(view: &View<'_>, of: &str) -> anyhow::Result<Vec<String>> {
    let mut told = Vec::new();
    for node in meant_nodes(view, of)? {
        for one in view.dependents(&node)? {
            let on = if one.on == node { String::new() } else { format!(", over {}", one.on) };
            told.push(format!("{}  {} ({}{on})", one.node.id, name_or_somebody(&one.node), one.via));
        }
    }
    Ok(told)
}
