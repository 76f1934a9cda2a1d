//! One connection to one server: made, asked for its tools, closed.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::ClientHandler;
use rmcp::model::{ClientCapabilities, ClientConfig, Implementation, PaginatedRequestParams, Tool};
use rmcp::service::{
    ClientInitializeError, MaybeSendFuture, NotificationContext, Peer, RoleClient, serve_client_with_ct,
};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use secrecy::ExposeSecret as _;
use tokio::sync::Notify;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::frames::{Messages, Trouble};
use super::offered::{LeftOutTools, Offered, offered};
use super::process::Program;
use super::{END_WITHIN, FRAME_BYTES, McpTrouble};
use crate::config::{McpReach, McpServer, Secrets};
use crate::net::client_builder;
use crate::text::short::{one_line, shortened};
use crate::text::unicode::visible;

/// Pages of a list of tools that are read.
const PAGES_MAX: usize = 8;

/// How long a server's address may take to answer at all.
const REACHED_WITHIN: Duration = Duration::from_secs(10);

/// Characters of what a server says of its trouble.
const SAID_CHARS: usize = 200;

/// Listens to what a server says by itself.
#[derive(Debug)]
struct ChangeListener {
    /// Told when the server has other tools than before.
    changed: Arc<Notify>,
}

impl ClientHandler for ChangeListener {
    fn on_tool_list_changed(
        &self,
        _context: NotificationContext<RoleClient>,
    ) -> impl Future<Output = ()> + MaybeSendFuture + '_ {
        self.changed.notify_one();
        std::future::ready(())
    }

    fn get_info(&self) -> ClientConfig {
        // Nothing is offered to servers: neither folders nor the model nor a form that somebody fills in.
        let us = Implementation::new("familiar-connect", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), us)
    }
}

#[derive(Debug)]
pub(super) struct McpConnection {
    peer: Peer<RoleClient>,
    /// Lets go of it.
    leave: CancellationToken,
    /// It is over, by whomever.
    over: CancellationToken,
    _running: AbortOnDropHandle<()>,
    program: Option<Program>,
    trouble: Trouble,
    /// Told when the server has other tools than before.
    pub(super) changed: Arc<Notify>,
}

impl McpConnection {
    /// Starts the program, or reaches the address, and greets it.
    ///
    /// # Errors
    /// See [`McpTrouble`].
    pub(super) async fn open(
        name: &str,
        settings: &McpServer,
        secrets: &Secrets,
    ) -> Result<Self, McpTrouble> {
        let changed = Arc::new(Notify::new());
        let listener = ChangeListener { changed: Arc::clone(&changed) };
        let trouble = Trouble::default();
        let leave = CancellationToken::new();
        let (served, program) = match settings.reach().ok_or(McpTrouble::Nowhere)? {
            McpReach::Program(command) => {
                let (program, pipes) =
                    Program::start(name, command, settings, secrets, Arc::clone(&trouble))?;
                (serve_client_with_ct(listener, pipes, leave.clone()).await, Some(program))
            }
            McpReach::Url(url) => {
                let transport = StreamableHttpClientTransport::with_client(
                    http()?,
                    transport_to(url, settings, secrets)?,
                );
                let messages = Messages::new(transport, Arc::clone(&trouble));
                (serve_client_with_ct(listener, messages, leave.clone()).await, None)
            }
        };
        let running = match served {
            Ok(running) => running,
            Err(error) => return Err(McpTrouble::Said(why_no_server(&error, &trouble, program).await)),
        };
        let (peer, over) = (running.peer().clone(), CancellationToken::new());
        let ended = over.clone();
        let running = AbortOnDropHandle::new(tokio::spawn(async move {
            let _reason = running.waiting().await;
            ended.cancel();
        }));
        Ok(Self { peer, leave, over, _running: running, program, trouble, changed })
    }

    /// What the server has and what of it is offered, by its name and by how it stands in those of its tools; see
    /// [`offered`] for the rest.
    ///
    /// # Errors
    /// When it does not tell.
    pub(super) async fn offered(
        &self,
        names: (&str, &str),
        settings: &McpServer,
        not_only_reading: &mut BTreeSet<String>,
    ) -> Result<Offered, McpTrouble> {
        let peer = &self.peer;
        // One that only has resources or prompts has no list to ask for.
        let has_tools = peer.peer_info().is_none_or(|info| info.capabilities.tools.is_some());
        let listed = if has_tools { list_tools(peer).await? } else { Vec::new() };
        Ok(offered(names, settings, listed, peer, not_only_reading))
    }

    /// What the server has besides tools, of which nothing is made.
    pub(super) fn ignored(&self) -> Vec<&'static str> {
        let Some(info) = self.peer.peer_info() else { return Vec::new() };
        let has = [
            (info.capabilities.resources.is_some(), "resources"),
            (info.capabilities.prompts.is_some(), "prompts"),
        ];
        has.into_iter().filter_map(|(is_there, what)| is_there.then_some(what)).collect()
    }

    /// Waits until it is broken off.
    pub(super) async fn broken(&self) {
        self.over.cancelled().await;
    }

    /// Why it was broken off, as far as anybody knows.
    pub(super) fn why(&self) -> String {
        let complaint = self.program.as_ref().and_then(Program::last_complaint);
        why_it_ended(self.trouble.lock().clone(), complaint)
            .unwrap_or_else(|| "it ended the connection".to_owned())
    }

    /// Takes leave: closes its input, waits for a while, then ends it.
    pub(super) async fn close(self) {
        self.leave.cancel();
        let _closed_or_late = timeout(END_WITHIN, self.over.cancelled()).await;
        if let Some(program) = self.program {
            program.end().await;
        }
    }
}

async fn list_tools(peer: &Peer<RoleClient>) -> Result<Vec<Tool>, McpTrouble> {
    let mut tools = Vec::new();
    let mut cursor = None;
    for _ in 0..PAGES_MAX {
        let page = PaginatedRequestParams::default().with_cursor(cursor.take());
        let page = peer
            .list_tools(Some(page))
            .await
            .map_err(|error| McpTrouble::Said(line_of_server(&error.to_string())))?;
        tools.extend(page.tools);
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    Ok(tools)
}

fn http() -> Result<reqwest::Client, McpTrouble> {
    let client = client_builder(REACHED_WITHIN).build();
    client.map_err(|error| McpTrouble::Said(line_of_server(&error.to_string())))
}

fn transport_to(
    url: &str,
    settings: &McpServer,
    secrets: &Secrets,
) -> Result<StreamableHttpClientTransportConfig, McpTrouble> {
    let mut headers = HashMap::new();
    for (header, variable) in &settings.headers {
        let value = secrets
            .variable(variable)
            .ok_or_else(|| McpTrouble::NoVariable { variable: variable.clone() })?;
        let name = HeaderName::try_from(header.as_str());
        let value = HeaderValue::try_from(value.expose_secret().trim());
        let (Ok(name), Ok(mut value)) = (name, value) else {
            return Err(McpTrouble::NotAHeader { header: header.clone() });
        };
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(StreamableHttpClientTransportConfig::with_uri(url)
        .custom_headers(headers)
        .max_sse_event_size(FRAME_BYTES)
        .max_json_response_size(FRAME_BYTES))
}

/// Why nobody answered as an MCP server does.
async fn why_no_server(error: &ClientInitializeError, trouble: &Trouble, program: Option<Program>) -> String {
    let complaint = match program {
        Some(program) => program.last_words().await,
        None => None,
    };
    let known = trouble.lock().clone();
    why_it_ended(known, complaint).unwrap_or_else(|| line_of_server(&with_causes(error)))
}

/// What is known of a connection's end, the surest first.
fn why_it_ended(trouble: Option<String>, complaint: Option<String>) -> Option<String> {
    trouble.or_else(|| {
        complaint.map(|words| format!("it ended; its last words were: {}", line_of_server(&words)))
    })
}

/// The words of an error and of what caused it.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !words.contains(&more) {
            words = format!("{words}: {more}");
        }
        cause = error.source();
    }
    words
}

fn line_of_server(words: &str) -> String {
    shortened(&one_line(&visible(words)), SAID_CHARS)
}

/// What was found out about a server.
#[derive(Debug)]
pub struct Findings {
    /// As the settings call it.
    pub name: String,
    /// Variables that it is to know and that are not set.
    pub unset: Vec<String>,
    pub outcome: Result<ServerFindings, McpTrouble>,
}

#[derive(Debug)]
pub struct ServerFindings {
    /// How many tools it has, and how many of them are offered.
    pub listed: usize,
    pub offered: usize,
    pub left_out: LeftOutTools,
    /// Names in the settings that no tool of it has.
    pub unknown: Vec<String>,
    /// What it has besides tools, of which nothing is made.
    pub ignored: Vec<&'static str>,
}

/// Connects to each server for a moment, all at once, and takes leave again.
pub async fn check_up<'s>(
    servers: impl IntoIterator<Item = (&'s String, &'s McpServer)>,
    secrets: &Secrets,
    deadline: Duration,
) -> Vec<Findings> {
    let looks =
        servers.into_iter().filter(|(_, settings)| settings.enabled).map(|(name, settings)| async move {
            let unset = settings.env.iter().filter(|variable| secrets.variable(variable).is_none()).cloned();
            let look = timeout(deadline, look_at_server(name, settings, secrets));
            let outcome = look.await.unwrap_or(Err(McpTrouble::Late(deadline)));
            Findings { name: name.clone(), unset: unset.collect(), outcome }
        });
    join_all(looks).await
}

async fn look_at_server(
    name: &str,
    settings: &McpServer,
    secrets: &Secrets,
) -> Result<ServerFindings, McpTrouble> {
    let connection = McpConnection::open(name, settings, secrets).await?;
    let offered = connection.offered((name, name), settings, &mut BTreeSet::new()).await;
    let ignored = connection.ignored();
    connection.close().await;
    let offered = offered?;
    Ok(ServerFindings {
        listed: offered.listed,
        offered: offered.tools.len(),
        left_out: offered.left_out,
        unknown: offered.unknown,
        ignored,
    })
}
