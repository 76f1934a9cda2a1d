//! What was said in a call, as text in its chat, where that is switched on (specs voice 2.5, "Text mirror").
//!
//! Owns the messages: one that grows, edited at most once a second, until it is full. Words of people who do not agree to
//! be heard never get here. Whose words a message holds is written down before it is posted, so that it can be taken back
//! when they are forgotten. Must not know what else is posted. Start reading at [`Transcript::keep`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use serenity::all::{ChannelId, CreateAllowedMentions, CreateMessage, EditMessage, Http, MessageId};
use tokio::sync::{broadcast, mpsc};
use tokio::time::{Instant, sleep_until, timeout};

use crate::config::{FamiliarHome, LiveConfig};
use crate::discord::link::{CALL_DEADLINE, DiscordLink, RestFailure, failure};
use crate::discord::messages;
use crate::domain::AccountId;
use crate::erase::posted;

/// Discord allows 2,000; a line that does not fit begins a new message.
const FULL: usize = 1_900;

/// Between two edits.
const PAUSE: Duration = Duration::from_secs(1);

/// Before what could not be written is tried again.
const AGAIN: Duration = Duration::from_secs(10);

/// Something that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// Nobody for the familiar itself.
    pub who: Option<AccountId>,
    /// As it is to be read.
    pub text: String,
    /// When it was handed over.
    pub at: Instant,
}

/// Writes one call down.
#[derive(Debug)]
pub(super) struct Transcript {
    pub link: DiscordLink,
    pub config: Arc<LiveConfig>,
    pub channel: ChannelId,
    /// Tells of people who were forgotten.
    pub forgotten: broadcast::Receiver<AccountId>,
}

/// The message that grows.
#[derive(Debug, Default)]
struct Page {
    lines: Vec<Line>,
    posted: Option<MessageId>,
}

impl Page {
    fn text(&self) -> String {
        let lines: Vec<&str> = self.lines.iter().map(|line| line.text.as_str()).collect();
        messages::voice::transcript(&lines)
    }

    fn has_room(&self, line: &Line) -> bool {
        self.lines.is_empty() || self.text().chars().count() + line.text.chars().count() < FULL
    }

    fn people(&self) -> BTreeSet<AccountId> {
        self.lines.iter().filter_map(|line| line.who.clone()).collect()
    }

    /// Their words go, and with them the message that holds them; what others said is posted anew.
    fn forget(&mut self, who: &AccountId) {
        let before = self.lines.len();
        self.lines.retain(|line| line.who.as_ref() != Some(who));
        if self.lines.len() < before {
            self.posted = None;
        }
    }
}

impl Transcript {
    /// Until nothing more is said.
    pub async fn keep(mut self, mut lines: mpsc::Receiver<Line>) {
        let mut page = Page::default();
        let mut gone: BTreeMap<AccountId, Instant> = BTreeMap::new();
        let (mut due, mut last) = (None, Instant::now());
        loop {
            tokio::select! {
                biased;
                Ok(who) = self.forgotten.recv() => {
                    page.forget(&who);
                    // What they said before still waits to be written.
                    gone.insert(who, Instant::now());
                    due = (!page.lines.is_empty()).then_some(last + PAUSE);
                }
                () = until(due), if due.is_some() => {
                    let is_written = self.write(&mut page).await;
                    last = Instant::now();
                    due = (!is_written).then_some(last + AGAIN);
                }
                line = lines.recv() => {
                    let Some(line) = line else { break };
                    let forgotten = line.who.as_ref().and_then(|who| gone.get(who));
                    if forgotten.is_some_and(|forgotten| line.at <= *forgotten) {
                        continue;
                    }
                    if !page.has_room(&line) {
                        if due.is_some() {
                            sleep_until(last + PAUSE).await;
                            self.write(&mut page).await;
                            last = Instant::now();
                        }
                        page = Page::default();
                    }
                    page.lines.push(line);
                    due = Some(last + PAUSE);
                }
            }
        }
        if due.is_some() {
            self.write(&mut page).await;
        }
    }

    /// Posts the page, or edits what was posted of it. `false` where that has to be tried again.
    async fn write(&self, page: &mut Page) -> bool {
        let Some(http) = self.link.http() else { return false };
        let message = match page.posted {
            Some(message) => Ok(message),
            None => self.post(&http).await,
        };
        let written = match message {
            Ok(message) => {
                page.posted = Some(message);
                self.edit(&http, message, page.people(), page.text()).await
            }
            Err(why) => Err(why),
        };
        match written {
            Ok(()) => {}
            // Somebody deleted it, which is an answer.
            Err(why) if why.contains("Unknown Message") => *page = Page::default(),
            Err(why) => {
                tracing::warn!(channel = %self.channel, why, "the transcript was not posted");
                return false;
            }
        }
        true
    }

    /// First without a word of anybody: it must be on record before it holds one.
    async fn post(&self, http: &Http) -> Result<MessageId, String> {
        let empty = CreateMessage::new()
            .content(messages::voice::transcript(&[]))
            .allowed_mentions(CreateAllowedMentions::new());
        Ok(in_time(self.channel.send_message(http, empty)).await?.id)
    }

    async fn edit(
        &self,
        http: &Http,
        message: MessageId,
        people: BTreeSet<AccountId>,
        text: String,
    ) -> Result<(), String> {
        let home = self.config.home().clone();
        let (channel, id) = (self.channel.get().into(), message.get().into());
        let noted = tokio::task::spawn_blocking(move || posted::note(&home, &channel, &id, &people)).await;
        noted.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
        let edit = EditMessage::new().content(text).allowed_mentions(CreateAllowedMentions::new());
        in_time(self.channel.edit_message(http, message, edit)).await.map(drop)
    }
}

/// Takes back what holds words of people who were forgotten; what cannot be taken back now is tried again at the next
/// call.
pub(super) async fn take_back(link: &DiscordLink, home: FamiliarHome) {
    let known = home.clone();
    let unwanted = match tokio::task::spawn_blocking(move || posted::unwanted(&known)).await {
        Ok(Ok(unwanted)) => unwanted,
        Ok(Err(error)) => return tracing::warn!(%error, "which transcripts to take back is not known"),
        Err(_) => return,
    };
    let Some(http) = link.http().filter(|_| !unwanted.is_empty()) else { return };
    let mut gone = Vec::new();
    for one in unwanted {
        let ids = (one.channel.as_str().parse::<u64>(), one.message.as_str().parse::<u64>());
        let (Ok(channel @ 1..), Ok(message @ 1..)) = ids else {
            gone.push(one.message);
            continue;
        };
        let (channel, message) = (ChannelId::new(channel), MessageId::new(message));
        match in_time(channel.delete_message(&http, message)).await {
            Err(why) if !why.contains("Unknown") => {
                tracing::warn!(%channel, why, "a transcript could not be taken back yet");
            }
            _ => gone.push(one.message),
        }
    }
    let done = tokio::task::spawn_blocking(move || posted::taken_back(&home, &gone)).await;
    if let Ok(Err(error)) = done {
        tracing::warn!(%error, "which transcripts were taken back could not be written down");
    }
}

async fn in_time<T>(call: impl Future<Output = serenity::Result<T>>) -> Result<T, String> {
    match timeout(CALL_DEADLINE, call).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(error)) => Err(match failure(&error) {
            RestFailure::Unauthorised => "Discord no longer accepts the bot's token".to_owned(),
            RestFailure::Closed(why) | RestFailure::Passing(why) | RestFailure::Other(why) => why,
        }),
        Err(_) => Err("Discord did not answer in time".to_owned()),
    }
}

async fn until(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}
