//! All servers of a familiar: kept connected, as the settings want it at the moment.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use parking_lot::Mutex;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::connection::McpConnection;
use super::offered::{Offered, stand_ins};
use super::{CONNECT_WITHIN, McpTrouble};
use crate::clock::doubled;
use crate::config::{LiveConfig, McpServer, Secrets};
use crate::text::short::counted;
use crate::tools::ToolBox;

/// The pause before it is tried again; each further one is twice as long, up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_secs(2);

const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// So often it is tried again; then a server rests until its settings change.
const TRIES_AGAIN: u32 = 5;

/// A connection that held so long was no failure: after it every pause is the first again.
const HOLDS: Duration = Duration::from_secs(120);

/// Lists that change all the time are asked for no more often.
const LIST_EVERY: Duration = Duration::from_secs(2);

/// How a server is at the moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum McpState {
    Connecting,
    /// It gives so many tools of so many that it has.
    Connected {
        given: usize,
        listed: usize,
    },
    /// It broke, and is tried again.
    Waits {
        why: String,
    },
    /// It broke too often, and rests until its settings change.
    Rests {
        why: String,
    },
}

/// How each server is, by name.
#[derive(Debug, Clone, Default)]
pub struct McpStates(Arc<Mutex<BTreeMap<String, McpState>>>);

impl McpStates {
    pub fn now(&self) -> BTreeMap<String, McpState> {
        self.0.lock().clone()
    }

    fn is(&self, server: &str, state: McpState) {
        self.0.lock().insert(server.to_owned(), state);
    }

    fn is_gone(&self, server: &str) {
        self.0.lock().remove(server);
    }
}

/// The servers of `[mcp.<name>]`, kept connected in the background; dropped, all are ended.
#[derive(Debug)]
pub struct McpServers {
    states: McpStates,
    stop: CancellationToken,
    following: Mutex<Option<AbortOnDropHandle<()>>>,
}

impl McpServers {
    /// Connects to all of them without waiting for any, and follows the settings.
    pub fn start(config: Arc<LiveConfig>, tools: Arc<ToolBox>, secrets: Secrets) -> Self {
        let (stop, states) = (CancellationToken::new(), McpStates::default());
        let following = follow_servers(config, (tools, states.clone()), secrets, stop.clone());
        let following = AbortOnDropHandle::new(tokio::spawn(following));
        Self { states, stop, following: Mutex::new(Some(following)) }
    }

    /// How they are, now and later.
    pub fn states(&self) -> McpStates {
        self.states.clone()
    }

    /// Takes leave of all of them, at once; takes a few seconds at most.
    pub async fn stop(&self) {
        self.stop.cancel();
        let following = self.following.lock().take();
        if let Some(following) = following {
            // It does not break, and if it did there were nobody left to take leave of.
            let _ended = following.await;
        }
    }
}

/// A server that is kept connected.
#[derive(Debug)]
struct KeptServer {
    settings: McpServer,
    stands_as: String,
    stop: CancellationToken,
    keeping: AbortOnDropHandle<()>,
}

impl KeptServer {
    async fn end(self) {
        self.stop.cancel();
        let _ended = self.keeping.await;
    }
}

async fn follow_servers(
    config: Arc<LiveConfig>,
    (tools, states): (Arc<ToolBox>, McpStates),
    secrets: Secrets,
    stop: CancellationToken,
) {
    let mut changes = config.changes();
    let mut kept: BTreeMap<String, KeptServer> = BTreeMap::new();
    loop {
        let current = config.current();
        let wanted: Vec<(&str, String)> = stand_ins(
            current.mcp.iter().filter(|(_, settings)| settings.enabled).map(|(name, _)| name.as_str()),
        );
        let holds = |name: &str, known: &KeptServer| {
            let stands =
                wanted.iter().any(|(wanted, stands_as)| *wanted == name && *stands_as == known.stands_as);
            stands && current.mcp.get(name) == Some(&known.settings)
        };
        let (stay, go): (BTreeMap<_, _>, BTreeMap<_, _>) =
            kept.into_iter().partition(|(name, known)| holds(name, known));
        join_all(go.into_values().map(KeptServer::end)).await;
        kept = stay;
        for (name, stands_as) in wanted {
            let Some(settings) = current.mcp.get(name).filter(|_| !kept.contains_key(name)) else { continue };
            let server = ServerTask {
                name: name.to_owned(),
                stands_as: stands_as.clone(),
                settings: settings.clone(),
                tools: Arc::clone(&tools),
                states: states.clone(),
                secrets: secrets.clone(),
            };
            let stop = stop.child_token();
            let keeping = AbortOnDropHandle::new(tokio::spawn(server.keep(stop.clone())));
            kept.insert(name.to_owned(), KeptServer { settings: settings.clone(), stands_as, stop, keeping });
        }
        drop(current);
        tokio::select! {
            () = stop.cancelled() => break,
            change = changes.recv() => if matches!(change, Err(RecvError::Closed)) { stop.cancelled().await; break },
        }
    }
    join_all(kept.into_values().map(KeptServer::end)).await;
}

/// What one server is kept by.
#[derive(Debug)]
struct ServerTask {
    name: String,
    stands_as: String,
    settings: McpServer,
    tools: Arc<ToolBox>,
    states: McpStates,
    secrets: Secrets,
}

impl ServerTask {
    async fn keep(self, stop: CancellationToken) {
        let server = self.name.as_str();
        for unset in self.settings.env.iter().filter(|variable| self.secrets.variable(variable).is_none()) {
            tracing::warn!(server, "{unset}, which this MCP server is to know, is not set");
        }
        let mut failures = 0;
        // Kept from one connection to the next, which a server may begin as often as it likes.
        let mut not_only_reading = BTreeSet::new();
        loop {
            self.states.is(server, McpState::Connecting);
            let begun = Instant::now();
            let Some(why) = self.once(&stop, &mut not_only_reading).await else {
                return self.states.is_gone(server);
            };
            failures = if begun.elapsed() >= HOLDS { 1 } else { failures + 1 };
            if failures > TRIES_AGAIN {
                tracing::warn!(server, why, "this MCP server is left alone until its settings change");
                self.states.is(server, McpState::Rests { why });
                stop.cancelled().await;
                return self.states.is_gone(server);
            }
            let pause = doubled(FIRST_PAUSE, failures, LONGEST_PAUSE);
            tracing::warn!(server, why, retry_in_s = pause.as_secs(), "this MCP server is not connected");
            self.states.is(server, McpState::Waits { why });
            tokio::select! {
                () = sleep(pause) => {}
                () = stop.cancelled() => return self.states.is_gone(server),
            }
        }
    }

    /// Connects and stays so, as long as it lasts: why it broke or could not be made, `None` where it was let go.
    async fn once(
        &self,
        stop: &CancellationToken,
        not_only_reading: &mut BTreeSet<String>,
    ) -> Option<String> {
        let opened = McpConnection::open(&self.name, &self.settings, &self.secrets);
        let opened = timeout(CONNECT_WITHIN, opened);
        let connection = tokio::select! {
            opened = opened => match opened.unwrap_or(Err(McpTrouble::Late(CONNECT_WITHIN))) {
                Ok(connection) => connection,
                Err(why) => return Some(why.to_string()),
            },
            () = stop.cancelled() => return None,
        };
        let ended = tokio::select! {
            why = self.offer(&connection, not_only_reading) => Some(why),
            () = connection.broken() => Some(connection.why()),
            () = stop.cancelled() => None,
        };
        // Nobody may call what is about to go.
        self.tools.connect(&self.name, Vec::new());
        connection.close().await;
        ended
    }

    /// Offers what the server has, and again whenever that changes; ends, with the reason, when it does not say what it has.
    async fn offer(&self, connection: &McpConnection, not_only_reading: &mut BTreeSet<String>) -> String {
        let mut is_first = true;
        loop {
            let names = (self.name.as_str(), self.stands_as.as_str());
            let listed = connection.offered(names, &self.settings, not_only_reading);
            let offered = match timeout(CONNECT_WITHIN, listed)
                .await
                .unwrap_or(Err(McpTrouble::Late(CONNECT_WITHIN)))
            {
                Ok(offered) => offered,
                Err(why) => return why.to_string(),
            };
            let server = self.name.as_str();
            // A list may change every few seconds for days.
            if is_first {
                tell_what_is_amiss(server, &offered);
            }
            is_first = false;
            let (given, listed) = (offered.tools.len(), offered.listed);
            self.states.is(server, McpState::Connected { given, listed });
            tracing::info!(
                server,
                "this MCP server is connected and gives {given} of its {}",
                counted(listed as u64, "tool")
            );
            self.tools.connect(&self.name, offered.tools);
            connection.changed.notified().await;
            sleep(LIST_EVERY).await;
        }
    }
}

/// Tells in the log which tools are wanted and not to be had.
fn tell_what_is_amiss(server: &str, offered: &Offered) {
    for (tool, why) in &offered.left_out.named {
        tracing::warn!(server, tool, "a tool of this MCP server is left out: {why}");
    }
    if offered.left_out.more > 0 {
        tracing::warn!(
            server,
            left_out = offered.left_out.more,
            "more tools of this MCP server are left out"
        );
    }
    for name in &offered.unknown {
        tracing::warn!(server, "the settings name a tool {name:?}, which this MCP server does not have");
    }
}
