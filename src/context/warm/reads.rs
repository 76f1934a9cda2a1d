//! What a prompt reads of the history about whoever is answered, read already while they still type or begin to speak
//! (specs mechanisms A3).
//!
//! Owns what is read ahead, and until when it holds: never once anything was edited, taken back, forgotten or said about
//! it since, but for what the turn answers. So an answer from here is, word for word, the one the history would give. A
//! request that has no message yet reads ahead; one that has takes what is there. Must not know what prompts say of it.
//! Start reading at [`ReadAhead`].

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use parking_lot::Mutex;
use tokio::time::Instant;

use super::{Lifetime, StoredKey, Warm, WarmCache, WarmKey};
use crate::context::contribution::Contribution;
use crate::context::request::TurnRequest;
use crate::domain::{AccountId, Affect, Audience, Author, ChannelId, Modality, Place, StoredId, StoredTurn};
use crate::history::{
    Acquaintance, AsOf, ConversationAt, History, HistoryError, Missed, PlacedTurn, ReadAbout, SaidAhead,
    Since, WindowQuery, rough_tokens,
};
use crate::text::tokens;

/// Somebody is expected for so long after they were last seen to type or speak, and so many are at once.
const EXPECTED: Duration = Duration::from_secs(60);
const EXPECTED_MAX: usize = 64;

/// What a read of some length weighs in the cache, in bytes.
const READ_BYTES: usize = 4_096;

const STANDINGS: &str = "read/standings";

tokio::task_local! {
    /// Whether everything that was read so far in this task was there already; nothing where nothing was read.
    static ALL_WARM: Cell<Option<bool>>;
}

/// Does some work, and says whether all that it read of the history was read ahead.
pub(in crate::context) async fn watch_reads<F: Future>(work: F) -> (F::Output, bool) {
    ALL_WARM.scope(Cell::new(None), async { (work.await, ALL_WARM.get().get() == Some(true)) }).await
}

fn has_read(is_warm: bool) {
    // Outside of gathering nobody asks.
    let _unasked = ALL_WARM.try_with(|all| all.set(Some(all.get().unwrap_or(true) && is_warm)));
}

/// Reads of the history, some of them done before they are needed.
#[derive(Debug)]
pub struct ReadAhead {
    history: Arc<History>,
    cache: Arc<WarmCache>,
    expected: Mutex<Vec<Expected>>,
}

/// Who types or begins to speak, so that what was read for them is read again when the place changes under it.
#[derive(Debug)]
struct Expected {
    who: Author,
    audience: Audience,
    channel: ChannelId,
    modality: Modality,
    until: Instant,
}

impl ReadAhead {
    /// Reads from `history`; what is read ahead lies in `cache`.
    pub fn of(history: Arc<History>, cache: Arc<WarmCache>) -> Self {
        Self { history, cache, expected: Mutex::default() }
    }

    /// What was read ahead and its moment, if it still holds for this turn: the same person among the same people, and
    /// nothing about it was said since but what the turn answers. A turn that looks at the past gets nothing of today.
    fn held<V: Clone + Send + Sync + 'static>(
        &self,
        request: &TurnRequest,
        what: &'static str,
        about: &[ReadAbout<'_>],
    ) -> Option<(V, AsOf)> {
        if request.as_of.is_some() {
            return None;
        }
        let key = StoredKey::Asked(WarmKey::new(what, request.place.channel.as_str(), request));
        let kept = self.cache.holding(&key)?;
        let Warm::Read(read) = &kept.is else { return None };
        let (value, as_of) = read.downcast_ref::<(V, AsOf)>()?;
        let holds = about.iter().all(|about| self.history.still(*as_of, *about, &request.pending));
        holds.then(|| (value.clone(), *as_of))
    }

    /// Before something is read of the history: the moment, where it is read ahead of a turn and is to be kept.
    async fn begin(&self, request: &TurnRequest) -> Result<Option<AsOf>, HistoryError> {
        has_read(false);
        if is_ahead(request) { self.history.as_of().await.map(Some) } else { Ok(None) }
    }

    /// Keeps what was read ahead; not where something was said about it while it was read, which would count twice.
    fn hold<V: Send + Sync + 'static>(
        &self,
        request: &TurnRequest,
        what: &'static str,
        about: &[ReadAbout<'_>],
        value: V,
        as_of: Option<AsOf>,
    ) {
        let Some(as_of) = as_of else { return };
        if about.iter().all(|about| self.history.still(as_of, *about, &[])) {
            let key = StoredKey::Asked(WarmKey::new(what, request.place.channel.as_str(), request));
            // Who is here changes without a word.
            let lifetime = if what == STANDINGS { Lifetime::Flux } else { Lifetime::Memory };
            let read = Warm::Read(Arc::new((value, as_of)));
            self.cache.keep(self.cache.begin(), key, lifetime, READ_BYTES, read);
        }
    }

    /// How well whoever is answered is known; nothing where nobody is.
    pub(in crate::context) async fn acquaintance(
        &self,
        request: &TurnRequest,
    ) -> Result<Option<Acquaintance>, HistoryError> {
        const WHAT: &str = "read/acquaintance";
        let Some(account) = request.author.as_ref().map(|author| &author.account) else { return Ok(None) };
        let about = [ReadAbout::Account(account)];
        let held = self.held::<Acquaintance>(request, WHAT, &about);
        if let Some((known, _)) = held.filter(|(_, as_of)| is_before(*as_of, request)) {
            has_read(true);
            // What the turn answers is counted in.
            let is_theirs =
                |turn: &&StoredTurn| turn.author.as_ref().is_some_and(|by| by.account == *account);
            let theirs = || request.pending.iter().filter(is_theirs);
            return Ok(Some(Acquaintance {
                messages: known.messages + theirs().count() as u64,
                first: known.first.or_else(|| theirs().map(|turn| turn.at).min()),
                last: known.last,
            }));
        }
        let as_of = self.begin(request).await?;
        let oldest = as_of.map(row_after).or(request.pending.first().map(|turn| turn.id));
        let known = self
            .history
            .seen_by(&request.visible())
            .acquaintance(account, oldest, request.last_row())
            .await?;
        self.hold(request, WHAT, &about, known.clone(), as_of);
        Ok(Some(known))
    }

    /// Who spoke here last, the newest first.
    pub(in crate::context) async fn authors(
        &self,
        request: &TurnRequest,
        most: usize,
    ) -> Result<Vec<Author>, HistoryError> {
        const WHAT: &str = "read/authors";
        let channel = &request.place.channel;
        let about = [ReadAbout::Channel(channel)];
        if let Some((before, as_of)) = self.held::<Vec<Author>>(request, WHAT, &about) {
            has_read(true);
            let new = request.pending.iter().rev().filter(|turn| turn.id > as_of.row());
            let mut authors: Vec<Author> = Vec::new();
            for author in new.filter_map(|turn| turn.author.as_ref()).chain(before.iter()) {
                if authors.len() < most && authors.iter().all(|known| known.account != author.account) {
                    authors.push(author.clone());
                }
            }
            return Ok(authors);
        }
        let as_of = self.begin(request).await?;
        let last = as_of.map(|as_of| as_of.row()).or(request.last_row());
        let authors = self.history.seen_by(&request.visible()).recent_authors(channel, most, last).await?;
        self.hold(request, WHAT, &about, authors.clone(), as_of);
        Ok(authors)
    }

    /// How the familiar feels now.
    pub(in crate::context) async fn affect(
        &self,
        request: &TurnRequest,
        half_life: Duration,
    ) -> Result<Affect, HistoryError> {
        const WHAT: &str = "read/affect";
        let about = [ReadAbout::Feelings];
        let held = self.held::<(Affect, Timestamp, Duration)>(request, WHAT, &about);
        if let Some(((affect, at, _), _)) = held.filter(|((_, _, lasting), _)| *lasting == half_life) {
            has_read(true);
            // A clock that was set back lets nothing fade.
            let gap = Duration::try_from(request.now.duration_since(at)).unwrap_or_default();
            return Ok(affect.after(gap, half_life));
        }
        let as_of = self.begin(request).await?;
        let towards = request.author.as_ref().map(|author| &author.account);
        let affect = self.history.seen_by(&request.visible()).affect(towards, half_life, request.now).await?;
        self.hold(request, WHAT, &about, (affect, request.now, half_life), as_of);
        Ok(affect)
    }

    /// What was said here since the familiar last spoke, without what it answers last.
    pub(in crate::context) async fn missed(&self, request: &TurnRequest) -> Result<Missed, HistoryError> {
        const WHAT: &str = "read/missed";
        let channel = &request.place.channel;
        let about = [ReadAbout::Channel(channel)];
        if let Some((missed, as_of)) = self.held::<Missed>(request, WHAT, &about) {
            // Counted is what was there then. What is answered last does not count, and of several the earlier ones do.
            let is_newer = |turn: &&StoredTurn| turn.id > as_of.row();
            let newer = request.pending.iter().filter(is_newer).count();
            if request.pending.last().is_none_or(|last| is_newer(&last)) && newer <= 1 {
                has_read(true);
                return Ok(missed);
            }
        }
        let as_of = self.begin(request).await?;
        let before = as_of.map(row_after).or(request.pending.last().map(|turn| turn.id));
        let missed =
            self.history.seen_by(&request.visible()).missed(channel, Since::Familiar, before).await?;
        self.hold(request, WHAT, &about, missed.clone(), as_of);
        Ok(missed)
    }

    /// What people said of days, as [`History::said_ahead`].
    pub(in crate::context) async fn said_ahead(
        &self,
        request: &TurnRequest,
        wanted: SaidAhead,
    ) -> Result<Vec<StoredTurn>, HistoryError> {
        const WHAT: &str = "read/said of days";
        let about = request.author.as_ref().map(|author| ReadAbout::Account(&author.account));
        let about: Vec<ReadAbout<'_>> =
            [ReadAbout::Channel(&request.place.channel)].into_iter().chain(about).collect();
        let held = self.held::<(String, Vec<StoredTurn>)>(request, WHAT, &about);
        let said = held.filter(|((words, _), as_of)| *words == wanted.words && is_before(*as_of, request));
        if let Some(((_, said), _)) = said {
            has_read(true);
            return Ok(said);
        }
        let as_of = self.begin(request).await?;
        let words = wanted.words.clone();
        let wanted = SaidAhead { before: as_of.map(row_after).or(wanted.before), ..wanted };
        let said =
            self.history.seen_by(&request.visible()).said_ahead(wanted, request.model.encoding).await?;
        self.hold(request, WHAT, &about, (words, said.clone()), as_of);
        Ok(said)
    }

    /// The newest part of the conversation.
    pub(in crate::context) async fn conversation(
        &self,
        request: &TurnRequest,
        query: WindowQuery,
    ) -> Result<ConversationAt, HistoryError> {
        const WHAT: &str = "read/conversation";
        let channel = &request.place.channel;
        let about = [ReadAbout::Channel(channel)];
        let held = self.held::<Arc<(WindowQuery, ConversationAt)>>(request, WHAT, &about);
        if let Some(now) = held.and_then(|(window, as_of)| up_to_the_turn(&window, query, request, as_of)) {
            has_read(true);
            return Ok(now);
        }
        let as_of = self.begin(request).await?;
        let conversation = self.history.seen_by(&request.visible()).conversation(channel, query).await?;
        if as_of.is_some() {
            self.hold(request, WHAT, &about, Arc::new((query, conversation.clone())), as_of);
        }
        Ok(conversation)
    }

    /// How people here stand to whoever is answered, as it was looked at ahead.
    pub(in crate::context) fn standings(&self, request: &TurnRequest) -> Option<Vec<Contribution>> {
        let here = ReadAbout::Channel(&request.place.channel);
        let held = self.held::<Vec<Contribution>>(request, STANDINGS, &[here]);
        let standings = held.filter(|(_, as_of)| is_before(*as_of, request)).map(|(standings, _)| standings);
        has_read(standings.is_some());
        standings
    }

    /// Keeps them; `as_of` is from before they were looked at.
    pub(in crate::context) fn keep_standings(
        &self,
        request: &TurnRequest,
        standings: &[Contribution],
        as_of: Option<AsOf>,
    ) {
        let here = ReadAbout::Channel(&request.place.channel);
        self.hold(request, STANDINGS, &[here], standings.to_vec(), as_of);
    }

    /// Now, for [`Self::keep_standings`]; nothing for a turn that reads nothing ahead.
    pub(in crate::context) async fn as_of(
        &self,
        request: &TurnRequest,
    ) -> Result<Option<AsOf>, HistoryError> {
        self.begin(request).await
    }

    /// Somebody begins to type or to speak.
    pub(in crate::context) fn expect(&self, request: &TurnRequest) {
        let Some(who) = request.author.clone() else { return };
        let now = Instant::now();
        let mut expected = self.expected.lock();
        let channel = request.place.channel.clone();
        let is_same = |one: &Expected| one.who.account == who.account && one.channel == channel;
        expected.retain(|one| one.until > now && !is_same(one));
        if expected.len() >= EXPECTED_MAX {
            expected.remove(0);
        }
        let audience = request.place.audience.clone();
        expected.push(Expected { who, audience, channel, modality: request.modality, until: now + EXPECTED });
    }

    /// Who is expected in a place, and how they will be answered.
    pub(in crate::context) fn expected(&self, place: &Place) -> Vec<(Author, Modality)> {
        let now = Instant::now();
        let expected = self.expected.lock();
        let here = expected
            .iter()
            .filter(|one| one.until > now && one.channel == place.channel && one.audience == place.audience);
        here.map(|one| (one.who.clone(), one.modality)).collect()
    }

    /// Whoever was expected has said it.
    pub(in crate::context) fn arrived(&self, place: &Place, who: &AccountId) {
        self.expected.lock().retain(|one| one.channel != place.channel || one.who.account != *who);
    }
}

/// Whether a request reads ahead: nothing was said yet that it could answer.
pub(in crate::context) fn is_ahead(request: &TurnRequest) -> bool {
    request.pending.is_empty() && request.as_of.is_none()
}

/// Whether nothing of what the turn answers had been said by then: what is read about whoever is answered leaves it out.
fn is_before(as_of: AsOf, request: &TurnRequest) -> bool {
    request.pending.iter().all(|turn| turn.id > as_of.row())
}

/// The row behind the last one of a moment.
fn row_after(as_of: AsOf) -> StoredId {
    StoredId(as_of.row().0.saturating_add(1))
}

/// What the history would say to `wanted` now of a conversation that was read ahead, when nothing but the turns being
/// answered was said since; `None` where that cannot be told without asking it.
fn up_to_the_turn(
    (query, read): &(WindowQuery, ConversationAt),
    wanted: WindowQuery,
    request: &TurnRequest,
    as_of: AsOf,
) -> Option<ConversationAt> {
    let fits = query.mode == wanted.mode
        && query.encoding == wanted.encoding
        && query.rough_tokens >= wanted.rough_tokens
        && query.max_turns >= wanted.max_turns
        && wanted.until.is_none();
    let is_new = |turn: &&StoredTurn| {
        turn.id > as_of.row() && !read.turns.iter().any(|placed| placed.turn.id == turn.id)
    };
    let mut new: Vec<&StoredTurn> = request.pending.iter().filter(is_new).collect();
    new.sort_by_key(|turn| turn.ordinal);
    if !fits || new.iter().any(|turn| turn.mode != wanted.mode) {
        return None;
    }
    let mut said = read.said;
    let fresh: Vec<PlacedTurn> = new
        .into_iter()
        .map(|turn| {
            let said_before = said;
            said += rough_tokens(&turn.content);
            // A turn to be answered was counted under another model's encoding, perhaps.
            let tokens = tokens::count(wanted.encoding, &turn.content);
            PlacedTurn { turn: StoredTurn { tokens, ..turn.clone() }, said_before }
        })
        .collect();
    let all = || read.turns.iter().chain(&fresh);
    let reach = all().last().map_or(0, |newest| {
        let end = newest.said_before + rough_tokens(&newest.turn.content);
        end.saturating_sub(wanted.rough_tokens)
    });
    // As the history walks back: to the first turn that begins before the reach, and no further.
    let reached = all().rev().take_while(|placed| placed.said_before >= reach).count() + 1;
    let count = all().count();
    let from = count.saturating_sub(reached.min(wanted.max_turns as usize));
    let uncovered = read.uncovered.saturating_add(u32::try_from(fresh.len()).unwrap_or(u32::MAX));
    Some(ConversationAt {
        summaries: read.summaries.clone(),
        hidden: read.hidden,
        covered_to: read.covered_to,
        uncovered,
        turns: all().skip(from).cloned().collect(),
        said,
    })
}
