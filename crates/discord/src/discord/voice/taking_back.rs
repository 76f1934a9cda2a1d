//! Taking transcripts back: what somebody wants forgotten, and what is old.
//!
//! Owns which messages those are, as far as only Discord knows what stands in them, and deleting them there. Must not know
//! how a transcript grows. Start reading at [`take_back_posted`].

use std::collections::BTreeSet;
use std::time::Duration;

use serenity::all::{ChannelId, MessageId};
use tokio::time::{Instant, timeout_at};

use crate::clock::{Clock as _, SystemClock};
use crate::config::FamiliarHome;
use crate::discord::link::DiscordLink;
use crate::discord::refused::{Refused, await_discord};
use crate::domain::{AccountId, made_on_discord};
use crate::erase::posted;
use crate::text::keywords;

/// How long looking through transcripts for words may take altogether: Discord shows a few messages a second.
const SEARCH: Duration = Duration::from_secs(10 * 60);

/// What is not to stand in transcripts any more: everything somebody said, or what holds certain words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unwanted {
    who: AccountId,
    words: Option<BTreeSet<String>>,
}

impl Unwanted {
    pub(super) fn all_of(who: AccountId) -> Self {
        Self { who, words: None }
    }

    /// Lines of theirs that hold all of these words; `None` where these say nothing.
    pub(super) fn with(who: AccountId, words: &str) -> Option<Self> {
        let words: BTreeSet<String> = keywords::terms(words).into_iter().collect();
        (!words.is_empty()).then_some(Self { who, words: Some(words) })
    }

    /// Whether a line is what somebody said, or the familiar's words (of nobody) that repeat it.
    pub(super) fn covers(&self, who: Option<&AccountId>, line: &str) -> bool {
        let may_repeat = who.is_none() && self.words.is_some();
        (who == Some(&self.who) || may_repeat) && self.is_in(line)
    }

    /// Whether a line holds all of the words, whoever said it. Their name in front of it is none of them.
    fn is_in(&self, line: &str) -> bool {
        let said = line.split_once("**: ").map_or(line, |(_, said)| said);
        self.words.as_ref().is_none_or(|words| {
            let held: BTreeSet<String> = keywords::terms(said).into_iter().collect();
            words.is_subset(&held)
        })
    }
}

/// Transcripts that are older than they are kept are to be taken back.
pub(super) fn give_up_old(home: &FamiliarHome, kept: Duration) -> std::io::Result<()> {
    let Ok(kept) = jiff::SignedDuration::try_from(kept) else { return Ok(()) };
    let Ok(oldest) = SystemClock.now().checked_sub(kept) else { return Ok(()) };
    let is_old =
        |message: &crate::domain::MessageId| made_on_discord(message.as_str()).is_some_and(|at| at < oldest);
    let old: BTreeSet<_> =
        posted::known_posted(home, None)?.into_iter().map(|one| one.message).filter(is_old).collect();
    if old.is_empty() { Ok(()) } else { posted::unwant(home, &old) }
}

/// Whether there are messages with anything this person said.
pub(super) async fn may_hold(home: &FamiliarHome, who: AccountId) -> bool {
    let home = home.clone();
    let known = tokio::task::spawn_blocking(move || posted::known_posted(&home, Some(&who))).await;
    // Of a list that cannot be read nothing is known.
    known.is_ok_and(|known| known.map_or(true, |known| !known.is_empty()))
}

/// Messages that hold all of the words in one line, among those that hold anything this person said, are to be taken
/// back. Of what Discord does not show by the deadline nothing is known, so it goes as well.
pub(super) async fn give_up_words(link: &DiscordLink, home: &FamiliarHome, wanted: &Unwanted) {
    let known = {
        let (home, who) = (home.clone(), wanted.who.clone());
        tokio::task::spawn_blocking(move || posted::known_posted(&home, Some(&who))).await
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
    for one in known {
        let ids = (one.channel.as_str().parse::<u64>(), one.message.as_str().parse::<u64>());
        let (Ok(channel @ 1..), Ok(message @ 1..)) = ids else { continue };
        let read = await_discord("", ChannelId::new(channel).message(&http, MessageId::new(message)));
        let holds = match timeout_at(deadline, read).await {
            Ok(Ok(message)) => message.content.lines().skip(1).any(|line| wanted.is_in(line)),
            Ok(Err(_)) | Err(_) => true,
        };
        if holds {
            // At once: what was found by then is known also if the program ends.
            unwant_posted(home, BTreeSet::from([one.message])).await;
        }
    }
}

pub(super) async fn unwant_posted(home: &FamiliarHome, messages: BTreeSet<crate::domain::MessageId>) {
    let home = home.clone();
    let noted = tokio::task::spawn_blocking(move || posted::unwant(&home, &messages)).await;
    if let Ok(Err(error)) = noted {
        tracing::warn!(%error, "which transcripts to take back could not be written down");
    }
}

/// Takes back what holds words of people who were forgotten; what cannot be taken back now is tried again at the next
/// call.
pub(super) async fn take_back_posted(link: &DiscordLink, home: FamiliarHome) {
    take_back_of(link, home, |_| true).await;
}

/// Takes back these of them.
pub(super) async fn take_back_these(
    link: &DiscordLink,
    home: FamiliarHome,
    messages: &BTreeSet<crate::domain::MessageId>,
) {
    take_back_of(link, home, |message| messages.contains(message)).await;
}

async fn take_back_of(
    link: &DiscordLink,
    home: FamiliarHome,
    is_meant: impl Fn(&crate::domain::MessageId) -> bool,
) {
    let known = home.clone();
    let unwanted = match tokio::task::spawn_blocking(move || posted::unwanted(&known)).await {
        Ok(Ok(unwanted)) => unwanted.into_iter().filter(|one| is_meant(&one.message)).collect::<Vec<_>>(),
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
        match await_discord("", channel.delete_message(&http, message)).await {
            Ok(()) | Err(Refused::MessageGone | Refused::ChannelGone) => gone.push(one.message),
            Err(why) => tracing::warn!(%channel, %why, "a transcript could not be taken back yet"),
        }
    }
    let done = tokio::task::spawn_blocking(move || posted::taken_back(&home, &gone)).await;
    if let Ok(Err(error)) = done {
        tracing::warn!(%error, "which transcripts were taken back could not be written down");
    }
}
