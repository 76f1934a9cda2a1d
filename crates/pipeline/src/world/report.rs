//! The way in: who reports what to the world.
//!
//! Owns the one writer's lock and the bounds of every list. Must not know where a report comes from. Start reading at
//! [`World`].

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use jiff::Timestamp;
use parking_lot::Mutex;

use super::names::TakenNames;
use super::state::{
    self, Arrival, BotState, CallVoice, ChannelNow, GuildState, InCall, Lesson, Reacted, Sighting,
    WorldSnapshot,
};
use super::style::style_changes;
use crate::domain::{AccountId, Author, ChannelId, GuildId, Learned, MessageId, Place};
use crate::text::names::prompt_label;

/// What adapters call somebody whose name they do not know.
pub const NAMELESS: &str = "someone";

const SPEAKERS: usize = 32;
const TYPING: usize = 16;
const REACTIONS: usize = 16;
const ARRIVALS: usize = 16;
const CALLS: usize = 200;
const ACTIVITIES: usize = 200;

/// After this long without a word a channel's session is over, and what was asked for in it is forgotten (A23). The
/// same as a conversation's way to sleep.
pub(super) const SESSION: Duration = Duration::from_secs(1800);

/// The live world, shared by whoever reports and whoever reads. Reading takes no lock; writers take turns.
#[derive(Debug, Default)]
pub struct World {
    now: ArcSwap<WorldSnapshot>,
    /// Counts changes; held while one is made.
    changes: Mutex<u64>,
    names: Mutex<TakenNames>,
}

impl World {
    /// The world as last reported.
    pub fn snapshot(&self) -> Arc<WorldSnapshot> {
        self.now.load_full()
    }

    /// The author by a name that nobody else has, nor the familiar, nor a role: what they are called from here on. The
    /// first to have a name keeps it; what cannot be told apart by looking is one name.
    pub fn introduced(&self, author: Author) -> Author {
        let name = self.names.lock().called(&author);
        if name == prompt_label(author.label()) {
            author
        } else {
            Author { display_name: Some(name), ..author }
        }
    }

    /// The names the familiar answers to are nobody else's.
    pub fn answers_to(&self, names: Vec<String>) {
        self.names.lock().reserve(names);
    }

    /// A guild is to read as `edit` says. Whatever `edit` looks at is read under the lock, so that of two reports the
    /// later one stands.
    pub fn guild(&self, guild: &GuildId, edit: impl FnOnce(&mut GuildState)) {
        self.change(|next, stamp| {
            next.guilds.edit(guild, stamp, |state| {
                let (calls, activities) = (Arc::clone(&state.calls), Arc::clone(&state.activities));
                edit(state);
                if state.calls.len() > CALLS {
                    Arc::make_mut(&mut state.calls).truncate(CALLS);
                }
                trim(&mut state.activities, ACTIVITIES);
                if !Arc::ptr_eq(&calls, &state.calls) {
                    for one in Arc::make_mut(&mut state.calls) {
                        one.name = self.called(&one.account, &one.name);
                    }
                }
                if !Arc::ptr_eq(&activities, &state.activities) {
                    for one in Arc::make_mut(&mut state.activities) {
                        one.name = self.called(&one.account, &one.name);
                    }
                }
            });
        });
    }

    /// The familiar is no longer in a guild.
    pub fn left(&self, guild: &GuildId) {
        self.change(|next, _| next.guilds.remove(guild));
    }

    /// Somebody came to a guild. Told twice, they still came once.
    pub fn arrived(&self, guild: &GuildId, mut arrival: Arrival) {
        arrival.name = self.called(&arrival.account, &arrival.name);
        self.change(|next, stamp| {
            next.guilds.edit(guild, stamp, |state| {
                let arrivals = Arc::make_mut(&mut state.arrivals);
                let known = arrivals.iter().find(|known| known.account == arrival.account);
                arrival.away_since = arrival.away_since.or(known.and_then(|known| known.away_since));
                arrivals.retain(|known| known.account != arrival.account);
                arrivals.push(arrival);
                trim(&mut state.arrivals, ARRIVALS);
            });
        });
    }

    /// Somebody in a call began or ended to speak.
    pub fn speaking(&self, guild: &GuildId, account: &AccountId, voice: CallVoice) {
        self.change(|next, stamp| {
            next.guilds.edit(guild, stamp, |state| {
                let calls: &mut Vec<InCall> = Arc::make_mut(&mut state.calls);
                calls.iter_mut().filter(|one| one.account == *account).for_each(|one| one.voice = voice);
            });
        });
    }

    /// Whether somebody may appear by a name that they chose: nobody else's, not the familiar's, no role's.
    pub fn may_appear_as(&self, account: &AccountId, name: &str) -> bool {
        self.names.lock().is_free(account, name)
    }

    /// Somebody said something. After half an hour of quiet this begins a new session.
    pub fn spoke(&self, place: &Place, author: &Author, at: Timestamp) {
        self.channel(&place.channel, |state| {
            if state.heard_at.is_some_and(|last| is_longer_ago(last, at, SESSION)) {
                state.lessons = Arc::default();
            }
            state.heard_at = state.heard_at.max(Some(at));
            let seen = Sighting {
                account: author.account.clone(),
                name: author.label().to_owned(),
                is_bot: author.is_bot,
                at,
            };
            if state.typing.iter().any(|one| one.account == seen.account) {
                Arc::make_mut(&mut state.typing).retain(|one| one.account != seen.account);
            }
            push_sighting(&mut state.speakers, seen, SPEAKERS);
        });
    }

    /// Words that were meant for the familiar: what they ask of it in this session is kept. Says how many preferences were
    /// taken in or back.
    pub fn wished(
        &self,
        place: &Place,
        author: &Author,
        text: &str,
        message: Option<&MessageId>,
        at: Timestamp,
    ) -> usize {
        let changes = style_changes(text);
        let count = changes.len();
        if count > 0 {
            self.channel(&place.channel, |state| {
                let known: &mut Vec<Lesson> = Arc::make_mut(&mut state.lessons);
                for change in changes {
                    state::apply(known, &author.account, change, message, at);
                }
            });
        }
        count
    }

    pub fn typing(&self, channel: &ChannelId, mut seen: Sighting) {
        seen.name = self.called(&seen.account, &seen.name);
        self.channel(channel, |state| push_sighting(&mut state.typing, seen, TYPING));
    }

    /// What was learnt of how long answers, and which tools, are liked best in a channel.
    pub fn likes(&self, channel: &ChannelId, learned: &Learned) {
        self.channel(channel, |state| {
            state.liked_length = learned.length;
            state.liked_tools = Arc::clone(&learned.tools);
        });
    }

    pub fn reacted(&self, channel: &ChannelId, reacted: Reacted) {
        self.channel(channel, |state| {
            Arc::make_mut(&mut state.reactions).push(reacted);
            trim(&mut state.reactions, REACTIONS);
        });
    }

    /// Somebody is forgotten: that they spoke, typed, came and did something, and what they asked for. Who is in a call
    /// stays, as long as they are.
    pub fn forget(&self, account: &AccountId) {
        self.names.lock().forget(account);
        let is_theirs = |seen: &Sighting| seen.account == *account;
        self.change(|next, _| {
            next.channels.edit_where(
                |state| {
                    let wished = state.lessons.iter().any(|lesson| lesson.account == *account);
                    wished || state.speakers.iter().chain(state.typing.iter()).any(is_theirs)
                },
                |state| {
                    // Whose reactions these are is known by name only.
                    state.reactions = Arc::default();
                    Arc::make_mut(&mut state.speakers).retain(|seen| !is_theirs(seen));
                    Arc::make_mut(&mut state.typing).retain(|seen| !is_theirs(seen));
                    let lessons: &mut Vec<Lesson> = Arc::make_mut(&mut state.lessons);
                    lessons.retain(|lesson| lesson.account != *account);
                },
            );
            next.guilds.edit_where(
                |state| {
                    let does = state.activities.iter().any(|one| one.account == *account);
                    does || state.arrivals.iter().any(|one| one.account == *account)
                },
                |state| {
                    Arc::make_mut(&mut state.arrivals).retain(|one| one.account != *account);
                    Arc::make_mut(&mut state.activities).retain(|one| one.account != *account);
                },
            );
        });
    }

    /// How the program does.
    pub fn bot(&self, bot: BotState) {
        if *self.now.load().bot != bot {
            self.change(|next, _| next.bot = Arc::new(bot));
        }
    }

    /// What somebody is called of whom an adapter shows no more than a name. Whom it cannot name has none to take.
    fn called(&self, account: &AccountId, name: &str) -> String {
        if name == NAMELESS {
            return name.to_owned();
        }
        let shown = Some(name.to_owned());
        let author = Author { account: account.clone(), display_name: shown, username: None, is_bot: false };
        self.names.lock().called(&author)
    }

    fn channel(&self, channel: &ChannelId, edit: impl FnOnce(&mut ChannelNow)) {
        self.change(|next, stamp| next.channels.edit(channel, stamp, edit));
    }

    fn change(&self, edit: impl FnOnce(&mut WorldSnapshot, u64)) {
        let mut changes = self.changes.lock();
        *changes += 1;
        let mut next = WorldSnapshot::clone(&self.now.load());
        edit(&mut next, *changes);
        self.now.store(Arc::new(next));
    }
}

/// The newest sight of somebody, at the end.
fn push_sighting(list: &mut Arc<Vec<Sighting>>, seen: Sighting, most: usize) {
    let people = Arc::make_mut(list);
    people.retain(|one| one.account != seen.account);
    people.push(seen);
    trim(list, most);
}

fn trim<T: Clone>(list: &mut Arc<Vec<T>>, most: usize) {
    if list.len() > most {
        let list = Arc::make_mut(list);
        list.drain(..list.len() - most);
    }
}

/// Whether `then` lies more than `span` before `now`.
pub(super) fn is_longer_ago(then: Timestamp, now: Timestamp, span: Duration) -> bool {
    Duration::try_from(now.duration_since(then)).is_ok_and(|gap| gap > span)
}
