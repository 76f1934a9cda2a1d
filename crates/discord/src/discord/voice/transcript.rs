//! What was said in a call, as text in its chat, where that is switched on (voice 2.5, "Text mirror").
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
use tokio::time::Instant;

use super::taking_back::{Unwanted, take_back_these, unwant_posted};
use crate::config::LiveConfig;
use crate::discord::link::DiscordLink;
use crate::discord::messages::{self, Tongue};
use crate::discord::refused::{Refused, await_discord};
use crate::domain::AccountId;
use crate::erase::posted;
use crate::session::reached;

/// Discord allows 2,000; a line that does not fit begins a new message.
const FULL: usize = 1_900;

/// So many full pages wait at most for Discord to take them: hours of talk.
const PAGES: usize = 64;

const PAUSE: Duration = Duration::from_secs(1);

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

impl Line {
    fn is(&self, unwanted: &Unwanted) -> bool {
        unwanted.covers(self.who.as_ref(), &self.text)
    }
}

/// Writes one call down.
#[derive(Debug)]
pub(super) struct Transcript {
    pub link: DiscordLink,
    pub config: Arc<LiveConfig>,
    pub channel: ChannelId,
    /// The language it is headed in.
    pub tongue: Tongue,
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
    fn text(&self, to: Tongue) -> String {
        let lines: Vec<&str> = self.lines.iter().map(|line| line.text.as_str()).collect();
        messages::voice::transcript(to, &lines)
    }

    fn has_room(&self, line: &Line, to: Tongue) -> bool {
        self.lines.is_empty() || self.text(to).chars().count() + line.text.chars().count() < FULL
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
        let may_stand = self.lines.iter().take(self.may_stand).any(|line| line.is(unwanted));
        self.lines.retain(|line| !line.is(unwanted));
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

#[derive(Debug)]
struct WriteTimer {
    due: Option<Instant>,
    last: Instant,
    again: Duration,
}

impl WriteTimer {
    /// There is something to write. What failed before is not tried any sooner for it.
    fn wants(&mut self) {
        self.due.get_or_insert(self.last + PAUSE);
    }

    /// `has_more`: another page waits.
    fn wrote(&mut self, has_more: bool) {
        self.last = Instant::now();
        self.due = has_more.then_some(self.last);
    }

    fn failed(&mut self) {
        self.last = Instant::now();
        self.due = Some(self.last + self.again);
    }
}

impl Transcript {
    /// Until nothing more is said, or it cannot be written there any more.
    pub(super) async fn keep(mut self, mut lines: mpsc::Receiver<Line>) {
        let mut pages = VecDeque::from([Page::default()]);
        let mut gone: Vec<(Unwanted, Instant)> = Vec::new();
        let mut pace = WriteTimer { due: None, last: Instant::now(), again: self.again };
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
                () = reached(pace.due) => match self.write_next(&mut pages).await {
                    Ok(()) => pace.wrote(pages.iter().any(Page::waits)),
                    Err(why) if why.is_lasting() => {
                        tracing::warn!(channel = %self.channel, %why, "the transcript ends");
                        return;
                    }
                    Err(_) => pace.failed(),
                },
                line = lines.recv() => {
                    let Some(line) = line else { break };
                    if gone.iter().any(|(unwanted, when)| line.at <= *when && line.is(unwanted)) {
                        continue;
                    }
                    // Lines come in the order in which they were handed over.
                    gone.retain(|(_, when)| line.at <= *when);
                    if pages.back().is_none_or(|page| !page.has_room(&line, self.tongue)) {
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
        let mut may_fail = true;
        while pages.iter().any(Page::waits) {
            match self.write_next(&mut pages).await {
                Ok(()) => {}
                Err(why) if may_fail && !why.is_lasting() => {
                    may_fail = false;
                    tokio::time::sleep(PAUSE).await;
                }
                Err(_) => return,
            }
        }
    }

    /// Takes back messages whose words are not wanted any more.
    async fn withdraw(&self, messages: BTreeSet<MessageId>) {
        if messages.is_empty() {
            return;
        }
        let messages: BTreeSet<_> = messages.into_iter().map(|id| id.get().into()).collect();
        unwant_posted(self.config.home(), messages.clone()).await;
        take_back_these(&self.link, self.config.home().clone(), &messages).await;
    }

    /// Writes the first page that waits. What is written stays at hand until the next one is: it may be unwanted by then.
    async fn write_next(&self, pages: &mut VecDeque<Page>) -> Result<(), Refused> {
        while pages.len() > 1 && pages.front().is_some_and(|page| !page.waits()) {
            pages.pop_front();
        }
        let Some(page) = pages.front_mut().filter(|page| page.waits()) else { return Ok(()) };
        match self.write(page).await {
            Ok(()) => page.is_due = false,
            Err(why) => {
                let had_lines = page.stand > 0;
                if why == Refused::MessageGone {
                    page.is_deleted();
                }
                if why != Refused::MessageGone || !had_lines {
                    tracing::warn!(channel = %self.channel, %why, "the transcript was not posted");
                    return Err(why);
                }
            }
        }
        Ok(())
    }

    /// Posts the page, or edits what was posted of it.
    async fn write(&self, page: &mut Page) -> Result<(), Refused> {
        let http = self.link.http().ok_or(Refused::NotConnected)?;
        let Some(said) = page.span() else { return Ok(()) };
        let message = match page.posted {
            Some(message) => message,
            None => self.post(&http).await?,
        };
        page.posted = Some(message);
        self.note(message, page.people(), said).await?;
        page.may_stand = page.lines.len();
        let edit =
            EditMessage::new().content(page.text(self.tongue)).allowed_mentions(CreateAllowedMentions::new());
        await_discord("", self.channel.edit_message(http, message, edit)).await?;
        page.stand = page.lines.len();
        Ok(())
    }

    /// First without a word of anybody: it must be on record before it holds one.
    async fn post(&self, http: &Http) -> Result<MessageId, Refused> {
        let empty = CreateMessage::new()
            .content(messages::voice::transcript(self.tongue, &[]))
            .allowed_mentions(CreateAllowedMentions::new());
        Ok(await_discord("", self.channel.send_message(http, empty)).await?.id)
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
            tokio::task::spawn_blocking(move || posted::note_posted(&home, &channel, &id, &people, said))
                .await;
        let why = match noted {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        };
        Err(Refused::Passing(why))
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
        let mut pace = WriteTimer { due: None, last: Instant::now(), again: PAUSE * 9 };
        pace.wants();
        assert_eq!(pace.due, Some(Instant::now() + PAUSE));
        pace.failed();
        let again = Some(Instant::now() + PAUSE * 9);
        tokio::time::advance(PAUSE).await;
        pace.wants();
        assert_eq!(pace.due, again);
        pace.wrote(false);
        assert_eq!(pace.due, None);
    }
}
