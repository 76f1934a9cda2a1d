//! What was said in a call, as text in its chat, where that is switched on (specs voice 2.5, "Text mirror").
//!
//! Owns the messages: one that grows, edited at most once a second, until it is full. Words of people who do not agree to
//! be heard never get here. Whose words a message holds is written down before it is posted, so that it can be taken back
//! when they are forgotten. Must not know what else is posted. Start reading at [`Transcript::keep`].

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use serenity::all::{ChannelId, CreateAllowedMentions, CreateMessage, EditMessage, Http, MessageId};
use tokio::sync::{broadcast, mpsc};
use tokio::time::{Instant, sleep_until, timeout};

use crate::clock::{Clock as _, SystemClock};
use crate::config::{FamiliarHome, LiveConfig};
use crate::discord::link::{CALL_DEADLINE, DiscordLink, RestFailure, failure};
use crate::discord::messages;
use crate::domain::AccountId;
use crate::erase::posted;
use crate::text::keywords;

/// Discord allows 2,000; a line that does not fit begins a new message.
const FULL: usize = 1_900;

/// So many full pages wait at most for Discord to take them: hours of talk.
const PAGES: usize = 64;

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
    /// What is posted of it is not all of it.
    is_due: bool,
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
            (self.posted, self.is_due) = (None, true);
        }
    }
}

impl Transcript {
    /// Until nothing more is said.
    pub async fn keep(mut self, mut lines: mpsc::Receiver<Line>) {
        let mut pages = VecDeque::from([Page::default()]);
        let mut gone: BTreeMap<AccountId, Instant> = BTreeMap::new();
        let (mut due, mut last) = (None, Instant::now());
        loop {
            tokio::select! {
                biased;
                Ok(who) = self.forgotten.recv() => {
                    pages.iter_mut().for_each(|page| page.forget(&who));
                    // What they said before still waits to be written.
                    gone.insert(who, Instant::now());
                    due = pages.iter().any(|page| !page.lines.is_empty()).then_some(last + PAUSE);
                }
                () = until(due), if due.is_some() => {
                    let is_written = self.write_all(&mut pages).await;
                    last = Instant::now();
                    due = (!is_written).then_some(last + AGAIN);
                }
                line = lines.recv() => {
                    let Some(line) = line else { break };
                    let forgotten = line.who.as_ref().and_then(|who| gone.get(who));
                    if forgotten.is_some_and(|forgotten| line.at <= *forgotten) {
                        continue;
                    }
                    if pages.back().is_none_or(|page| !page.has_room(&line)) {
                        // What could not be written of the page before waits with it.
                        pages.push_back(Page::default());
                        if pages.len() > PAGES {
                            tracing::warn!(channel = %self.channel, "a page of the transcript is lost");
                            pages.pop_front();
                        }
                    }
                    if let Some(page) = pages.back_mut() {
                        page.lines.push(line);
                        page.is_due = true;
                    }
                    due = Some(last + PAUSE);
                }
            }
        }
        if due.is_some() && !self.write_all(&mut pages).await {
            tokio::time::sleep(PAUSE).await;
            self.write_all(&mut pages).await;
        }
    }

    /// Writes what is to be written, in order. `false` where some of it has to be tried again.
    async fn write_all(&self, pages: &mut VecDeque<Page>) -> bool {
        while let Some(page) = pages.front_mut() {
            if page.is_due && !page.lines.is_empty() {
                if !self.write(page).await {
                    return false;
                }
                page.is_due = false;
            }
            if pages.len() == 1 {
                break;
            }
            pages.pop_front();
        }
        true
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

/// Milliseconds since 1970 when Discord began to count.
const DISCORD_EPOCH_MS: u64 = 1_420_070_400_000;

/// When a message was posted: its number says so.
fn posted_at(message: &crate::domain::MessageId) -> Option<jiff::Timestamp> {
    let id: u64 = message.as_str().parse().ok()?;
    jiff::Timestamp::from_millisecond(((id >> 22) + DISCORD_EPOCH_MS).try_into().ok()?).ok()
}

/// Transcripts that are older than they are kept are to be taken back.
pub(super) fn give_up_old(home: &FamiliarHome, kept: Duration) -> std::io::Result<()> {
    let Ok(kept) = jiff::SignedDuration::try_from(kept) else { return Ok(()) };
    let Ok(oldest) = SystemClock.now().checked_sub(kept) else { return Ok(()) };
    let is_old = |message: &crate::domain::MessageId| posted_at(message).is_some_and(|at| at < oldest);
    let old: BTreeSet<_> =
        posted::known(home, None)?.into_iter().map(|one| one.message).filter(is_old).collect();
    if old.is_empty() { Ok(()) } else { posted::unwant(home, &old) }
}

/// Messages that hold all of these words in one line, among those that hold anything this person said, are to be taken
/// back. Of what Discord does not show now nothing is known, so it goes as well.
pub(super) async fn give_up_words(link: &DiscordLink, home: &FamiliarHome, who: AccountId, words: &str) {
    let wanted: BTreeSet<String> = keywords::terms(words).into_iter().collect();
    let known = {
        let home = home.clone();
        tokio::task::spawn_blocking(move || posted::known(&home, Some(&who))).await
    };
    let known = match known {
        Ok(Ok(known)) => known,
        Ok(Err(error)) => {
            return tracing::warn!(%error, "which transcripts hold words of theirs is not known");
        }
        Err(_) => return,
    };
    if wanted.is_empty() || known.is_empty() {
        return;
    }
    let Some(http) = link.http() else { return };
    let mut unwanted = BTreeSet::new();
    for one in known {
        let ids = (one.channel.as_str().parse::<u64>(), one.message.as_str().parse::<u64>());
        let (Ok(channel @ 1..), Ok(message @ 1..)) = ids else { continue };
        let read = in_time(ChannelId::new(channel).message(&http, MessageId::new(message))).await;
        let holds = read.map_or(true, |message| {
            message.content.lines().skip(1).any(|line| {
                let held: BTreeSet<String> = keywords::terms(line).into_iter().collect();
                wanted.is_subset(&held)
            })
        });
        if holds {
            unwanted.insert(one.message);
        }
    }
    let home = home.clone();
    let noted = tokio::task::spawn_blocking(move || posted::unwant(&home, &unwanted)).await;
    if let Ok(Err(error)) = noted {
        tracing::warn!(%error, "which transcripts to take back could not be written down");
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
