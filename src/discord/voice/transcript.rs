//! What was said in a call, as text in its chat, where that is switched on (specs voice 2.5, "Text mirror").
//!
//! Owns the messages: one that grows, edited at most once a second, until it is full. Words of people who do not agree to
//! be heard never get here. Whose words a message holds is written down before it is posted, so that it can be taken back
//! when they are forgotten. Must not know what else is posted. Start reading at [`Transcript::keep`].

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serenity::all::{ChannelId, CreateAllowedMentions, CreateMessage, EditMessage, Http, MessageId};
use tokio::sync::{broadcast, mpsc};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

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

/// How long looking through transcripts for words may take altogether: Discord shows a few messages a second.
const SEARCH: Duration = Duration::from_secs(10 * 60);

/// Something that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// Nobody for the familiar itself.
    pub who: Option<AccountId>,
    /// As it is to be read.
    pub text: String,
    /// When it was said.
    pub said: Timestamp,
    /// When it was handed over.
    pub at: Instant,
}

/// What is not to stand in transcripts any more: everything somebody said, or what holds certain words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unwanted {
    who: AccountId,
    words: Option<BTreeSet<String>>,
}

impl Unwanted {
    pub fn all_of(who: AccountId) -> Self {
        Self { who, words: None }
    }

    /// Lines of theirs that hold all of these words; `None` where these say nothing.
    pub fn with(who: AccountId, words: &str) -> Option<Self> {
        let words: BTreeSet<String> = keywords::terms(words).into_iter().collect();
        (!words.is_empty()).then_some(Self { who, words: Some(words) })
    }

    fn covers(&self, line: &Line) -> bool {
        line.who.as_ref() == Some(&self.who) && self.is_in(&line.text)
    }

    /// Whether a line of text holds all of the words, whoever said it.
    fn is_in(&self, text: &str) -> bool {
        self.words.as_ref().is_none_or(|words| {
            let held: BTreeSet<String> = keywords::terms(text).into_iter().collect();
            words.is_subset(&held)
        })
    }
}

/// Writes one call down.
#[derive(Debug)]
pub(super) struct Transcript {
    pub link: DiscordLink,
    pub config: Arc<LiveConfig>,
    pub channel: ChannelId,
    /// How long before what could not be written is tried again.
    pub again: Duration,
    /// Tells of what was forgotten.
    pub forgotten: broadcast::Receiver<Unwanted>,
}

/// The message that grows.
#[derive(Debug, Default)]
struct Page {
    lines: Vec<Line>,
    posted: Option<MessageId>,
    /// So many lines stand in what is posted, as Discord says.
    stand: usize,
    /// So many may: whether an edit arrived is not always known.
    may_stand: usize,
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

    /// When the first and the last of it was said.
    fn span(&self) -> Option<(Timestamp, Timestamp)> {
        let said = || self.lines.iter().map(|line| line.said);
        said().min().zip(said().max())
    }

    /// The words go, and with them the message that may hold them, which is returned; what else stood there is posted
    /// anew.
    fn forget(&mut self, unwanted: &Unwanted) -> Option<MessageId> {
        let may_stand = self.lines.iter().take(self.may_stand).any(|line| unwanted.covers(line));
        self.lines.retain(|line| !unwanted.covers(line));
        if !may_stand {
            return None;
        }
        let message = self.posted.take();
        *self = Self { lines: std::mem::take(&mut self.lines), is_due: true, ..Self::default() };
        message
    }

    /// Somebody deleted the message, which is an answer: what stood there is not posted again.
    fn is_deleted(&mut self) {
        let lines = self.lines.split_off(self.stand.min(self.lines.len()));
        *self = Self { is_due: !lines.is_empty(), lines, ..Self::default() };
    }

    fn waits(&self) -> bool {
        self.is_due && !self.lines.is_empty()
    }
}

/// When to write next.
#[derive(Debug)]
struct Pace {
    due: Option<Instant>,
    last: Instant,
    again: Duration,
}

impl Pace {
    /// There is something to write. What failed before is not tried any sooner for it.
    fn wants(&mut self) {
        self.due.get_or_insert(self.last + PAUSE);
    }

    fn wrote(&mut self) {
        (self.due, self.last) = (None, Instant::now());
    }

    fn failed(&mut self) {
        self.last = Instant::now();
        self.due = Some(self.last + self.again);
    }
}

/// Why Discord did not do it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum Refused {
    #[error("the message is no longer there")]
    NoMessage,
    #[error("the channel is no longer there")]
    NoChannel,
    /// It will not work however often it is tried.
    #[error("{0}")]
    Closed(String),
    #[error("{0}")]
    Passing(String),
}

impl Refused {
    fn of(error: &serenity::Error) -> Self {
        match failure(error) {
            RestFailure::Unauthorised => Self::Closed("Discord no longer accepts the bot's token".to_owned()),
            RestFailure::Closed(why) => Self::Closed(why),
            RestFailure::Other(why) if why.contains("Unknown Message") => Self::NoMessage,
            RestFailure::Other(why) if why.contains("Unknown Channel") => Self::NoChannel,
            RestFailure::Passing(why) | RestFailure::Other(why) => Self::Passing(why),
        }
    }

    fn is_lasting(&self) -> bool {
        matches!(self, Self::NoChannel | Self::Closed(_))
    }
}

impl Transcript {
    /// Until nothing more is said, or it cannot be written there any more.
    pub async fn keep(mut self, mut lines: mpsc::Receiver<Line>) {
        let mut pages = VecDeque::from([Page::default()]);
        let mut gone: Vec<(Unwanted, Instant)> = Vec::new();
        let mut pace = Pace { due: None, last: Instant::now(), again: self.again };
        loop {
            tokio::select! {
                biased;
                Ok(unwanted) = self.forgotten.recv() => {
                    let messages: BTreeSet<_> = pages.iter_mut().filter_map(|page| page.forget(&unwanted)).collect();
                    // What they said before still waits to be written.
                    gone.push((unwanted, Instant::now()));
                    self.withdraw(messages).await;
                    if pages.iter().any(Page::waits) {
                        pace.wants();
                    }
                }
                () = until(pace.due), if pace.due.is_some() => match self.write_all(&mut pages).await {
                    Ok(()) => pace.wrote(),
                    Err(why) if why.is_lasting() => {
                        tracing::warn!(channel = %self.channel, %why, "the transcript ends");
                        return;
                    }
                    Err(_) => pace.failed(),
                },
                line = lines.recv() => {
                    let Some(line) = line else { break };
                    if gone.iter().any(|(unwanted, when)| line.at <= *when && unwanted.covers(&line)) {
                        continue;
                    }
                    // Lines come in the order in which they were handed over.
                    gone.retain(|(_, when)| line.at <= *when);
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
                    pace.wants();
                }
            }
        }
        if pace.due.is_some() && self.write_all(&mut pages).await.is_err_and(|why| !why.is_lasting()) {
            tokio::time::sleep(PAUSE).await;
            self.write_all(&mut pages).await.ok();
        }
    }

    /// Takes back messages whose words are not wanted any more.
    async fn withdraw(&self, messages: BTreeSet<MessageId>) {
        if messages.is_empty() {
            return;
        }
        let messages: BTreeSet<_> = messages.into_iter().map(|id| id.get().into()).collect();
        unwant(self.config.home(), messages).await;
        take_back(&self.link, self.config.home().clone()).await;
    }

    /// Writes what is to be written, in order. What could not be is to be tried again, unless that is lasting.
    async fn write_all(&self, pages: &mut VecDeque<Page>) -> Result<(), Refused> {
        while let Some(page) = pages.front_mut() {
            if page.waits() {
                match self.write(page).await {
                    Ok(()) => page.is_due = false,
                    Err(Refused::NoMessage) if page.stand > 0 => {
                        page.is_deleted();
                        continue;
                    }
                    Err(why) => {
                        if why == Refused::NoMessage {
                            page.is_deleted();
                        }
                        tracing::warn!(channel = %self.channel, %why, "the transcript was not posted");
                        return Err(why);
                    }
                }
            }
            if pages.len() == 1 {
                break;
            }
            pages.pop_front();
        }
        Ok(())
    }

    /// Posts the page, or edits what was posted of it.
    async fn write(&self, page: &mut Page) -> Result<(), Refused> {
        let http = self.link.http().ok_or_else(|| Refused::Passing("not connected to Discord".to_owned()))?;
        let Some(said) = page.span() else { return Ok(()) };
        let message = match page.posted {
            Some(message) => message,
            None => self.post(&http).await?,
        };
        page.posted = Some(message);
        self.note(message, page.people(), said).await?;
        page.may_stand = page.lines.len();
        let edit = EditMessage::new().content(page.text()).allowed_mentions(CreateAllowedMentions::new());
        in_time(self.channel.edit_message(http, message, edit)).await?;
        page.stand = page.lines.len();
        Ok(())
    }

    /// First without a word of anybody: it must be on record before it holds one.
    async fn post(&self, http: &Http) -> Result<MessageId, Refused> {
        let empty = CreateMessage::new()
            .content(messages::voice::transcript(&[]))
            .allowed_mentions(CreateAllowedMentions::new());
        Ok(in_time(self.channel.send_message(http, empty)).await?.id)
    }

    async fn note(
        &self,
        message: MessageId,
        people: BTreeSet<AccountId>,
        said: (Timestamp, Timestamp),
    ) -> Result<(), Refused> {
        let home = self.config.home().clone();
        let (channel, id) = (self.channel.get().into(), message.get().into());
        let noted =
            tokio::task::spawn_blocking(move || posted::note(&home, &channel, &id, &people, said)).await;
        let why = match noted {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        };
        Err(Refused::Passing(why))
    }
}

/// Milliseconds since 1970 when Discord began to count.
const DISCORD_EPOCH_MS: u64 = 1_420_070_400_000;

/// When a message was posted: its number says so.
fn posted_at(message: &crate::domain::MessageId) -> Option<Timestamp> {
    let id: u64 = message.as_str().parse().ok()?;
    Timestamp::from_millisecond(((id >> 22) + DISCORD_EPOCH_MS).try_into().ok()?).ok()
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

/// Whether there are messages with anything this person said.
pub(super) async fn may_hold(home: &FamiliarHome, who: AccountId) -> bool {
    let home = home.clone();
    let known = tokio::task::spawn_blocking(move || posted::known(&home, Some(&who))).await;
    // Of a list that cannot be read nothing is known.
    known.is_ok_and(|known| known.map_or(true, |known| !known.is_empty()))
}

/// Messages that hold all of the words in one line, among those that hold anything this person said, are to be taken
/// back. Of what Discord does not show by the deadline nothing is known, so it goes as well.
pub(super) async fn give_up_words(link: &DiscordLink, home: &FamiliarHome, wanted: &Unwanted) {
    let known = {
        let (home, who) = (home.clone(), wanted.who.clone());
        tokio::task::spawn_blocking(move || posted::known(&home, Some(&who))).await
    };
    let known = match known {
        Ok(Ok(known)) => known,
        Ok(Err(error)) => {
            return tracing::warn!(%error, "which transcripts hold words of theirs is not known");
        }
        Err(_) => return,
    };
    let Some(http) = link.http() else { return };
    let deadline = Instant::now() + SEARCH;
    let mut unwanted = BTreeSet::new();
    for one in known {
        let ids = (one.channel.as_str().parse::<u64>(), one.message.as_str().parse::<u64>());
        let (Ok(channel @ 1..), Ok(message @ 1..)) = ids else { continue };
        let read = in_time(ChannelId::new(channel).message(&http, MessageId::new(message)));
        let holds = match timeout_at(deadline, read).await {
            Ok(Ok(message)) => message.content.lines().skip(1).any(|line| wanted.is_in(line)),
            Ok(Err(_)) | Err(_) => true,
        };
        if holds {
            unwanted.insert(one.message);
        }
    }
    unwant(home, unwanted).await;
}

async fn unwant(home: &FamiliarHome, messages: BTreeSet<crate::domain::MessageId>) {
    let home = home.clone();
    let noted = tokio::task::spawn_blocking(move || posted::unwant(&home, &messages)).await;
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
            Ok(()) | Err(Refused::NoMessage | Refused::NoChannel) => gone.push(one.message),
            Err(why) => tracing::warn!(%channel, %why, "a transcript could not be taken back yet"),
        }
    }
    let done = tokio::task::spawn_blocking(move || posted::taken_back(&home, &gone)).await;
    if let Ok(Err(error)) = done {
        tracing::warn!(%error, "which transcripts were taken back could not be written down");
    }
}

async fn in_time<T>(call: impl Future<Output = serenity::Result<T>>) -> Result<T, Refused> {
    match timeout(CALL_DEADLINE, call).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(error)) => Err(Refused::of(&error)),
        Err(_) => Err(Refused::Passing("Discord did not answer in time".to_owned())),
    }
}

async fn until(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(who: u64, text: &str) -> Line {
        let who = Some(AccountId::discord(who));
        Line { who, text: text.to_owned(), said: Timestamp::UNIX_EPOCH, at: Instant::now() }
    }

    fn texts(page: &Page) -> Vec<&str> {
        page.lines.iter().map(|line| line.text.as_str()).collect()
    }

    fn page(stand: usize, may_stand: usize) -> Page {
        let lines = vec![line(1, "my zebrafinch sings"), line(2, "a zebrafinch?"), line(1, "at night")];
        Page { lines, posted: Some(MessageId::new(7)), stand, may_stand, is_due: true }
    }

    #[test]
    fn what_stood_in_a_deleted_message_is_not_posted_again_and_the_rest_is() {
        let mut grown = page(2, 3);
        grown.is_deleted();
        assert_eq!((texts(&grown), grown.posted, grown.waits()), (vec!["at night"], None, true));
        let mut whole = page(3, 3);
        whole.is_deleted();
        assert!(whole.lines.is_empty() && !whole.waits());
    }

    #[test]
    fn words_go_from_what_is_posted_and_from_what_waits() {
        let ana = AccountId::discord(1);
        let words = Unwanted::with(ana.clone(), "zebrafinches").unwrap();
        assert_eq!(Unwanted::with(ana.clone(), "the"), None);
        let mut waiting = page(0, 0);
        assert_eq!(waiting.forget(&words), None, "the message holds no word of it yet");
        assert_eq!((texts(&waiting), waiting.posted.is_some()), (vec!["a zebrafinch?", "at night"], true));
        let mut sent = page(0, 1);
        assert_eq!(sent.forget(&words), Some(MessageId::new(7)), "it may hold it");
        assert_eq!(
            (texts(&sent), sent.posted, sent.waits()),
            (vec!["a zebrafinch?", "at night"], None, true)
        );
        let mut all = page(3, 3);
        assert_eq!(all.forget(&Unwanted::all_of(ana)), Some(MessageId::new(7)));
        assert_eq!(texts(&all), ["a zebrafinch?"]);
        assert_eq!(all.forget(&Unwanted::all_of(AccountId::discord(3))), None);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_said_meanwhile_does_not_hurry_what_failed() {
        let mut pace = Pace { due: None, last: Instant::now(), again: PAUSE * 9 };
        pace.wants();
        assert_eq!(pace.due, Some(Instant::now() + PAUSE));
        pace.failed();
        let again = Some(Instant::now() + PAUSE * 9);
        tokio::time::advance(PAUSE).await;
        pace.wants();
        assert_eq!(pace.due, again);
        pace.wrote();
        assert_eq!(pace.due, None);
    }
}
