//! What of every turn ranking goes by besides its words: when, where, by whom and next to what it was said (memory
//! section 5, "query latency"). Where words stand is on disk, beside the turns themselves.
//!
//! Follows the history, from which it is made anew with every start of the program. Takes about 100 bytes a turn. Must not
//! know questions or who may see what: whoever reads it asks [`TurnViewer`]. Start reading at [`TurnIndex`].

#[cfg(test)]
mod tests;
mod turn_viewer;

pub(super) use turn_viewer::TurnViewer;

use std::collections::HashMap;
use std::sync::LazyLock;

use jiff::{SignedDuration, Timestamp};
use parking_lot::{RwLock, RwLockReadGuard};
use tokio::sync::Mutex;

use super::time::is_time_word;
use crate::domain::{Audience, Author, ChannelId, ChannelMode, StoredId};
use crate::history::{HeardMessage, History, HistoryError, Mark, Told};
use crate::text::keywords;
use crate::text::phrases::{Folded, Phrases};
use crate::text::punctuation::{ends_as_question, has_question_mark};

/// After a silence like this people sit down anew.
const SESSION_GAP: SignedDuration = SignedDuration::from_hours(3);

/// Ordinals of deleted messages between two turns do not part them.
const HOLES: u64 = 3;

/// Turns followed at a time, some ten milliseconds' worth: a search that is broken off meanwhile loses no more.
const STRETCH: u32 = 2_000;

/// A turn's number in the index.
pub(super) type At = u32;

/// What ranking goes by, besides the words.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    pub id: StoredId,
    /// When it was said.
    pub at: Timestamp,
    pub mode: ChannelMode,
    /// Its number in the channel.
    pub ordinal: u64,
    pub channel: u32,
    /// The author's number, with these names; `None` for the familiar.
    pub author: Option<u32>,
    /// Which conversation session it belongs to: talk of one channel before one audience without a long silence.
    pub session: u32,
    /// How many telling words it has.
    pub length: u32,
    /// Whether it ends with a question mark.
    pub is_question: bool,
    /// Whether it asks anything anywhere.
    pub asks: bool,
    /// How much it speaks of whoever says it, 0 to 1.
    pub first_person: f32,
    /// Whether it names a day or a time.
    pub tells_time: bool,
    /// Whether it still stands.
    pub is_live: bool,
    /// How many telling words stand in its window: its own and, in fractions, those of the turns around it.
    pub window: f32,
    audience: u32,
    /// The turns next to it in its session.
    back: Option<At>,
    forth: Option<At>,
}

/// Somebody under the names they had.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Speaker {
    /// The name people see.
    pub label: String,
    pub names: [Option<String>; 2],
    /// Before whom they spoke under them.
    audience: u32,
}

/// Shares of a neighbour one and two turns away.
const NEIGHBOURS: [f32; 2] = [0.5, 0.25];
/// A neighbour counts for so many words at most; a turn above so many words needs no neighbours (memory 0.4).
const NEIGHBOUR_WORDS: f32 = 30.0;
const OWN_WORDS: f32 = 60.0;

impl Entry {
    /// What each word of this turn counts in the window of `other`, `distance` turns away.
    pub(super) fn share(&self, other: &Self, distance: usize) -> f32 {
        let cap = (NEIGHBOUR_WORDS / self.length.max(1) as f32).min(1.0);
        let fade = (OWN_WORDS / other.length.max(1) as f32).min(1.0);
        NEIGHBOURS[distance] * cap * fade
    }
}

/// How much was said before some audiences, of what still stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TurnTotals {
    pub turns: u32,
    /// Sessions that have any telling words.
    pub sessions: u32,
    words: u64,
}

impl TurnTotals {
    /// Telling words of a turn on the average, at least one.
    pub(super) fn average_turn(&self) -> f32 {
        (self.words as f32 / self.turns.max(1) as f32).max(1.0)
    }

    /// Telling words of a session on the average, at least one.
    pub(super) fn average_session(&self) -> f32 {
        (self.words as f32 / self.sessions.max(1) as f32).max(1.0)
    }

    fn add(&mut self, other: Self) {
        self.turns += other.turns;
        self.sessions += other.sessions;
        self.words += other.words;
    }
}

/// All turns, as far as they were followed.
#[derive(Debug, Default)]
pub(super) struct Turns {
    entries: Vec<Entry>,
    channels: Numbers<ChannelId>,
    /// The turns of each channel that stand, in order.
    lists: Vec<Vec<At>>,
    audiences: Numbers<Audience>,
    /// What was said before each audience.
    standing: Vec<TurnTotals>,
    speakers: Numbers<Speaker>,
    /// How many turns of each speaker still stand.
    spoken: Vec<u32>,
    /// Telling words of each session.
    sessions: Vec<u32>,
    /// By when they were said.
    by_time: Vec<At>,
}

/// Things under the numbers in which they came.
#[derive(Debug)]
struct Numbers<T> {
    each: Vec<T>,
    known: HashMap<T, u32>,
}

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Self { each: Vec::new(), known: HashMap::new() }
    }
}

impl<T: Clone + Eq + std::hash::Hash> Numbers<T> {
    fn of(&mut self, thing: &T) -> u32 {
        if let Some(known) = self.known.get(thing) {
            return *known;
        }
        let number = as_u32(self.each.len());
        self.each.push(thing.clone());
        self.known.insert(thing.clone(), number);
        number
    }
}

/// There are fewer than 2³² of anything here: a history of so many turns would fill the memory long before.
fn as_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl Turns {
    /// The turn of this number.
    pub(super) fn entry(&self, at: At) -> &Entry {
        &self.entries[at as usize]
    }

    /// One more than the greatest number of a turn.
    pub(super) fn end(&self) -> usize {
        self.entries.len()
    }

    /// Telling words of each session.
    pub(super) fn sessions(&self) -> &[u32] {
        &self.sessions
    }

    /// The turns said between two moments, both included, in order.
    pub(super) fn between(&self, from: Timestamp, to: Timestamp) -> impl Iterator<Item = At> + '_ {
        let first = self.by_time.partition_point(|turn| self.entry(*turn).at < from);
        self.by_time[first..].iter().copied().take_while(move |turn| self.entry(*turn).at <= to)
    }

    /// The turns that stand, the newest first.
    pub(super) fn newest(&self) -> impl Iterator<Item = At> + '_ {
        self.by_time.iter().rev().copied()
    }

    /// The number of a stored turn.
    pub(super) fn find(&self, id: StoredId) -> Option<At> {
        // Ids hardly ever have a gap, so it stands where it would without one, or before.
        let first = self.entries.first()?.id.0;
        let end = usize::try_from(id.0 - first).ok()?.saturating_add(1).min(self.entries.len());
        match self.entries[..end].last() {
            Some(last) if last.id == id => Some(as_u32(end - 1)),
            _ => self.entries[..end].binary_search_by_key(&id, |entry| entry.id).ok().map(as_u32),
        }
    }

    /// Takes in what happened. False where it cannot be fitted in, and everything has to be followed anew.
    fn take(&mut self, told: &Told) -> bool {
        match told {
            Told::Gone(id) => {
                if let Some(at) = self.find(*id) {
                    self.take_back(at);
                }
            }
            Told::Stands(heard) => match self.find(heard.turn.id) {
                Some(at) => {
                    let audience = self.audiences.of(&heard.turn.audience);
                    if self.entry(at).audience != audience || !self.entry(at).is_live {
                        return false;
                    }
                    self.unword(at);
                    self.word(at, &heard.turn.content);
                }
                None if self.entries.last().is_some_and(|last| last.id > heard.turn.id) => return false,
                None => self.append(heard),
            },
        }
        true
    }

    fn append(&mut self, heard: &HeardMessage) {
        let turn = &heard.turn;
        let at = as_u32(self.entries.len());
        let channel = self.channels.of(&heard.channel);
        let audience = self.audiences.of(&turn.audience);
        self.standing.resize(self.audiences.each.len(), TurnTotals::default());
        let author = turn.author.as_ref().map(|author| self.speaker(author, audience));
        self.lists.resize_with(self.channels.each.len(), Vec::new);
        let list = &mut self.lists[channel as usize];
        let last = list
            .last()
            .map(|last| (*last, &self.entries[*last as usize]))
            .filter(|(_, last)| last.audience == audience && turn.at.duration_since(last.at) <= SESSION_GAP);
        list.push(at);
        let session = last.map_or_else(|| as_u32(self.sessions.len()), |(_, last)| last.session);
        let back = last.filter(|(_, last)| turn.ordinal - last.ordinal <= HOLES);
        let back = back.map(|(at, _)| at);
        if session as usize == self.sessions.len() {
            self.sessions.push(0);
        }
        if self.entries.len() == self.entries.capacity() {
            // By an eighth, not twice as many: it is the largest thing in memory of a long history.
            self.entries.reserve_exact(self.entries.len() / 8 + 64);
        }
        self.entries.push(Entry {
            id: turn.id,
            at: turn.at,
            mode: turn.mode,
            ordinal: turn.ordinal,
            channel,
            author,
            session,
            length: 0,
            is_question: false,
            asks: false,
            first_person: 0.0,
            tells_time: false,
            is_live: true,
            window: 0.0,
            audience,
            back,
            forth: None,
        });
        if let Some(back) = back {
            self.entries[back as usize].forth = Some(at);
        }
        let later = self.by_time.partition_point(|other| self.entry(*other).at <= turn.at);
        self.by_time.insert(later, at);
        self.standing[audience as usize].turns += 1;
        if let Some(author) = author {
            self.spoken[author as usize] += 1;
        }
        self.word(at, &turn.content);
    }

    fn speaker(&mut self, author: &Author, audience: u32) -> u32 {
        let number = self.speakers.of(&Speaker {
            label: author.label().to_owned(),
            names: [author.display_name.clone(), author.username.clone()],
            audience,
        });
        self.spoken.resize(self.speakers.each.len(), 0);
        number
    }

    /// Notes what a turn's words tell of it.
    fn word(&mut self, at: At, content: &str) {
        let (mut length, mut tells_time) = (0, false);
        for word in keywords::words(content) {
            tells_time |= is_time_word(&word);
            length += u32::from(!keywords::is_stop_word(&word));
        }
        let entry = &mut self.entries[at as usize];
        entry.length = length;
        entry.is_question = ends_as_question(content);
        entry.asks = has_question_mark(content);
        entry.first_person = speaks_of_itself(content);
        entry.tells_time = tells_time;
        let session = &mut self.sessions[entry.session as usize];
        let standing = &mut self.standing[entry.audience as usize];
        standing.sessions += u32::from(*session == 0 && length > 0);
        standing.words += u64::from(length);
        *session += length;
        self.weigh_around(at);
    }

    /// The turns next to this one in its session, up to two on either side, with how many lie between.
    pub(super) fn around(&self, at: At) -> impl Iterator<Item = (usize, At)> + '_ {
        let walk = move |step: fn(&Entry) -> Option<At>| {
            std::iter::successors(step(self.entry(at)), move |at| step(self.entry(*at)))
                .take(NEIGHBOURS.len())
                .enumerate()
        };
        walk(|entry| entry.back).chain(walk(|entry| entry.forth))
    }

    /// Measures the windows anew in which this turn stands.
    fn weigh_around(&mut self, at: At) {
        let near: Vec<At> = std::iter::once(at).chain(self.around(at).map(|(_, near)| near)).collect();
        for at in near {
            let entry = self.entry(at);
            let share = |(distance, near): (usize, At)| {
                let near = self.entry(near);
                near.share(entry, distance) * near.length as f32
            };
            let window = entry.length as f32 + self.around(at).map(share).sum::<f32>();
            self.entries[at as usize].window = window;
        }
    }

    /// Forgets how many words a turn has.
    fn unword(&mut self, at: At) {
        let entry = &mut self.entries[at as usize];
        let session = &mut self.sessions[entry.session as usize];
        let standing = &mut self.standing[entry.audience as usize];
        *session -= entry.length;
        standing.sessions -= u32::from(*session == 0 && entry.length > 0);
        standing.words -= u64::from(entry.length);
        entry.length = 0;
    }

    fn take_back(&mut self, at: At) {
        if !self.entry(at).is_live {
            return;
        }
        self.unword(at);
        let entry = &mut self.entries[at as usize];
        entry.is_live = false;
        self.standing[entry.audience as usize].turns -= 1;
        if let Some(author) = entry.author {
            self.spoken[author as usize] -= 1;
        }
        let channel = entry.channel;
        let (back, forth) = (entry.back.take(), entry.forth.take());
        self.lists[channel as usize].retain(|known| *known != at);
        let near = |back: At, forth: At| self.entry(forth).ordinal - self.entry(back).ordinal <= HOLES;
        let are_linked = back.zip(forth).is_some_and(|(back, forth)| near(back, forth));
        if let Some(back) = back {
            self.entries[back as usize].forth = forth.filter(|_| are_linked);
        }
        if let Some(forth) = forth {
            self.entries[forth as usize].back = back.filter(|_| are_linked);
        }
        back.into_iter().chain(forth).for_each(|at| self.weigh_around(at));
        self.by_time.retain(|known| *known != at);
    }
}

/// The index of one history, kept in step with it.
#[derive(Debug, Default)]
pub(super) struct TurnIndex {
    mark: Mutex<Mark>,
    turns: RwLock<Turns>,
}

impl TurnIndex {
    /// Follows the history to its end: what was stored before the call is in the index after it (Y13).
    /// The first call reads everything, some five microseconds a turn; one that is dropped meanwhile is not lost.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub(super) async fn catch_up(&self, history: &History) -> Result<(), HistoryError> {
        let mut mark = self.mark.lock().await;
        loop {
            let followed = history.whole().follow(*mark, STRETCH).await?;
            if followed.told.is_empty() {
                *mark = followed.mark;
            } else {
                let mut turns = self.turns.write();
                if followed.told.iter().all(|told| turns.take(told)) {
                    *mark = followed.mark;
                } else {
                    *turns = Turns::default();
                    *mark = Mark::default();
                    continue;
                }
            }
            if followed.is_all {
                return Ok(());
            }
        }
    }

    /// The turns as they stand. Holds up whoever catches up, so not for long, and never on an async thread.
    pub(super) fn read(&self) -> RwLockReadGuard<'_, Turns> {
        self.turns.read()
    }
}

static OF_WHOM: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(&["own", "you"]));

/// How much a text speaks of whoever says it: the share of words for them among those for them and for whoever hears it, 0
/// to below 1; one of the latter is always taken to be there.
fn speaks_of_itself(text: &str) -> f32 {
    let mut found = OF_WHOM.find(&Folded::of(text));
    found.dedup_by_key(|one| (one.section, one.at));
    let count = |section: usize| {
        let count = found.iter().filter(|one| one.section == section).count();
        f32::from(u16::try_from(count).unwrap_or(u16::MAX))
    };
    count(0) / (count(0) + count(1) + 1.0)
}
