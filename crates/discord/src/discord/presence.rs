//! What Discord shows beside its name: whether it is about, and a line on what it is doing.
//!
//! Owns when that is sent, far more seldom than Discord allows (five times in twenty seconds). Must not know how a mood comes
//! about. Start reading at [`keep_presence`].

use std::time::Duration;

use serenity::all::{ActivityData, Cache, ConnectionStage, OnlineStatus, ShardManager};
use tokio::time::{Instant, sleep};

use super::adapter::Adapter;
use super::messages;
use crate::clock::{Clock as _, SystemClock};
use crate::domain::{Audience, Visible};
use crate::familiar::{DayPart, Wakefulness};

/// It is looked so often whether something has changed, and until the connection stands whether it does. Nobody could tell of
/// it: a mood fades and a day goes on with the time, and what its schedule says is in a file.
const LOOK_EVERY: Duration = Duration::from_secs(60);
const LOOK_SOON: Duration = Duration::from_secs(1);

/// Two changes are at least so far apart.
const BETWEEN: Duration = Duration::from_secs(300);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Shown {
    line: Option<String>,
    is_asleep: bool,
}

impl Adapter {
    /// What its day has it do now.
    pub(super) fn day_part(&self) -> Option<DayPart> {
        let config = self.deps.config.current();
        self.deps.character.day_part(&config, config.default_mode, SystemClock.now())
    }
}

/// Keeps what is shown as it is, for as long as the connection lasts.
pub(super) async fn keep_presence(adapter: &Adapter, cache: &Cache, shards: &ShardManager) {
    let mut shown = Shown { line: None, is_asleep: false };
    let mut changed: Option<Instant> = None;
    loop {
        let now = shown_now(adapter, cache).await;
        let may_change = changed.is_none_or(|changed| changed.elapsed() >= BETWEEN);
        let mut again = LOOK_EVERY;
        if now != shown && may_change {
            if is_sent(&now, shards).await {
                (shown, changed) = (now, Some(Instant::now()));
            } else {
                again = LOOK_SOON;
            }
        }
        sleep(again).await;
    }
}

async fn shown_now(adapter: &Adapter, cache: &Cache) -> Shown {
    adapter.deps.character.look_again().await;
    if !adapter.deps.config.current().discord.status_line {
        return Shown { line: None, is_asleep: false };
    }
    // Everybody who shares a server with it sees the line: a mood that comes of one shows where there is no other.
    let audience = match cache.guilds()[..] {
        [only] => Audience::Guild(only.get().into()),
        _ => Audience::Canon,
    };
    let mood = adapter.deps.session.mood_word(&Visible::only([audience])).await;
    let part = adapter.day_part();
    let is_asleep = part.as_ref().is_some_and(|part| part.wakefulness == Wakefulness::Asleep);
    Shown { line: messages::status_words(adapter.tongue_everywhere(), part.as_ref(), mood), is_asleep }
}

/// Tells every shard that is connected; whether there was any.
async fn is_sent(now: &Shown, shards: &ShardManager) -> bool {
    let status = if now.is_asleep { OnlineStatus::Idle } else { OnlineStatus::Online };
    let runners = shards.runners.lock().await;
    let connected = runners.values().filter(|shard| shard.stage == ConnectionStage::Connected);
    let mut is_any = false;
    for shard in connected {
        shard.runner_tx.set_presence(now.line.as_deref().map(ActivityData::custom), status);
        is_any = true;
    }
    is_any
}
