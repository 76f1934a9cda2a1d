//! Where it listens: the channels of the servers it is in, each with a tick.

use std::collections::BTreeMap;
use std::sync::Arc;

use askama::Template;
use axum::extract::{Extension, State};
use axum::response::{IntoResponse as _, Redirect, Response};

use super::door::SentForm;
use super::messages;
use super::pages::{PageHead, Refusal, Visitor, html_page};
use super::shared::Shared;
use crate::discord::{ChannelListed, Listening, ServerListed};
use crate::domain::ChannelId;

/// Before the id of a channel: that it is ticked, and that it was when the page was made.
const TICKED: &str = "read ";
const WAS: &str = "was ";

#[derive(Debug, Template)]
#[template(path = "listening.html")]
struct ListeningPage {
    page: PageHead,
    problems: Vec<String>,
    is_saved: bool,
    servers: Vec<Server>,
}

#[derive(Debug)]
struct Server {
    name: String,
    channels: Vec<Channel>,
}

#[derive(Debug)]
struct Channel {
    id: ChannelId,
    name: String,
    is_read: bool,
    lacks: Option<String>,
}

impl Server {
    fn of(listed: ServerListed) -> Self {
        let channel = |one: ChannelListed| Channel {
            lacks: (!one.lacking.is_empty()).then(|| messages::lacks_there(&one.lacking)),
            id: one.id,
            name: one.name,
            is_read: one.is_read,
        };
        Self { name: listed.name, channels: listed.channels.into_iter().map(channel).collect() }
    }
}

pub(super) async fn listening_page(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
) -> Response {
    let head = shared.door.head(messages::WHERE_IT_LISTENS, "/rooms", &visitor);
    page(&shared, head, Vec::new(), false)
}

fn page(shared: &Shared, page: PageHead, problems: Vec<String>, is_saved: bool) -> Response {
    let servers = shared.parts.discord.servers().into_iter().map(Server::of).collect();
    html_page(&ListeningPage { page, problems, is_saved, servers })
}

/// Makes each channel as it is ticked, where the tick was changed: what somebody did on Discord meanwhile stays.
pub(super) async fn post_listening(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    form: SentForm,
) -> Result<Response, Refusal> {
    let wanted = changed_channels(&form.0);
    if wanted.is_empty() {
        return Ok(Redirect::to("/listening").into_response());
    }
    let names: BTreeMap<ChannelId, String> = shared
        .parts
        .discord
        .servers()
        .into_iter()
        .flat_map(|server| server.channels)
        .map(|one| (one.id, one.name))
        .collect();
    let mut problems = Vec::new();
    for (channel, listening) in wanted {
        if let Err(error) = shared.parts.discord.listen(&channel, listening).await {
            tracing::warn!(%channel, %error, "where it listens was not changed from the window");
            let name = names.get(&channel).map_or(channel.as_str(), String::as_str);
            problems.push(messages::not_listening(name, &error.to_string()));
        }
    }
    let head = shared.door.head(messages::WHERE_IT_LISTENS, "/rooms", &visitor);
    let is_saved = problems.is_empty();
    Ok(page(&shared, head, problems, is_saved))
}

/// What is to change, of what a page showed.
fn changed_channels(fields: &BTreeMap<String, String>) -> Vec<(ChannelId, Listening)> {
    let shown = fields.iter().filter_map(|(name, was)| Some((name.strip_prefix(WAS)?, was == "read")));
    let changed = shown.filter_map(|(id, was_read)| {
        let is_ticked = fields.contains_key(&format!("{TICKED}{id}"));
        let wanted = if is_ticked { Listening::Reads } else { Listening::ReadsNot };
        Some((ChannelId::new(id).ok()?, wanted)).filter(|_| is_ticked != was_read)
    });
    changed.collect()
}
