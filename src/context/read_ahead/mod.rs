//! What a prompt reads of the history about whoever is answered, fetched while they still type or begin to speak
//! (specs mechanisms A3).
//!
//! Owns what is fetched, for whom it may be used and until when: never for anybody else, never in other company, and
//! never once anything was edited, taken back, forgotten or said about it since, but for what the turn answers. So an
//! answer from here is, word for word, the one the history would give. Must not know what prompts say of it. Start
//! reading at [`ReadAhead`].

mod expected;
mod warm;
mod window;

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::contribution::Contribution;
use super::providers::Lifetime;
use super::request::TurnRequest;
use crate::domain::{Affect, Author, StoredId, StoredTurn};
use crate::history::{
    About, Acquaintance, AsOf, Conversation, History, HistoryError, Missed, SaidAhead, Since, WindowQuery,
};
use expected::Awaited;
use warm::Warm;
use window::Window;

/// How the familiar felt at a moment.
#[derive(Debug, Clone, Copy)]
struct Felt {
    affect: Affect,
    at: Timestamp,
    half_life: Duration,
}

/// What was found to these words.
#[derive(Debug, Clone)]
struct Said {
    words: String,
    turns: Arc<Vec<StoredTurn>>,
}

/// Reads of the history, some of them done before they are needed.
#[derive(Debug)]
pub struct ReadAhead {
    history: Arc<History>,
    acquaintances: Warm<Acquaintance>,
    authors: Warm<Arc<Vec<Author>>>,
    feelings: Warm<Felt>,
    missed: Warm<Missed>,
    said: Warm<Said>,
    windows: Warm<Arc<Window>>,
    standings: Warm<Arc<Vec<Contribution>>>,
    expected: Awaited,
}

impl ReadAhead {
    /// Nothing is fetched yet.
    #[must_use]
    pub fn of(history: Arc<History>) -> Self {
        Self {
            history,
            acquaintances: Warm::default(),
            authors: Warm::default(),
            feelings: Warm::default(),
            missed: Warm::default(),
            said: Warm::default(),
            windows: Warm::default(),
            standings: Warm::default(),
            expected: Awaited::default(),
        }
    }

    /// How well whoever is answered is known; nothing where nobody is.
    pub(super) async fn acquaintance(
        &self,
        request: &TurnRequest,
    ) -> Result<Option<Acquaintance>, HistoryError> {
        let Some(author) = &request.author else { return Ok(None) };
        if let Some(known) = self.known(request) {
            return Ok(Some(known));
        }
        let oldest = request.pending.first().map(|turn| turn.id);
        let visible = request.visible();
        self.history.acquaintance(&author.account, &visible, oldest, request.last_row()).await.map(Some)
    }

    /// The acquaintance that is at hand, with what the turn answers counted in.
    pub(super) fn known(&self, request: &TurnRequest) -> Option<Acquaintance> {
        let account = &request.author.as_ref()?.account;
        let (known, as_of) = self.acquaintances.get(request, &self.history, &[About::Account(account)])?;
        is_before(as_of, request).then_some(())?;
        let is_theirs =
            |turn: &&StoredTurn| turn.author.as_ref().is_some_and(|author| author.account == *account);
        let new = || request.pending.iter().filter(|turn| turn.id > as_of.row()).filter(is_theirs);
        Some(Acquaintance {
            messages: known.messages + new().count() as u64,
            first: known.first.or_else(|| new().map(|turn| turn.at).min()),
            last: known.last,
        })
    }

    /// Reads it ahead.
    pub(super) async fn fetch_acquaintance(&self, request: &TurnRequest) -> Result<(), HistoryError> {
        let Some(author) = &request.author else { return Ok(()) };
        if self.known(request).is_some() {
            return Ok(());
        }
        let as_of = self.history.as_of().await?;
        let visible = request.visible();
        let before = Some(after(as_of));
        let known = self.history.acquaintance(&author.account, &visible, before, None).await?;
        // What was said while it was read would be counted twice.
        if self.history.still(as_of, About::Account(&author.account), &[]) {
            self.acquaintances.put(request, known, as_of, Lifetime::Memory);
        }
        Ok(())
    }

    /// Who spoke here last, the newest first.
    pub(super) async fn authors(
        &self,
        request: &TurnRequest,
        most: usize,
    ) -> Result<Vec<Author>, HistoryError> {
        match self.authors_at_hand(request, most) {
            Some(authors) => Ok(authors),
            None => self.history.recent_authors(&request.place.channel, most, request.last_row()).await,
        }
    }

    pub(super) fn authors_at_hand(&self, request: &TurnRequest, most: usize) -> Option<Vec<Author>> {
        let here = About::Channel(&request.place.channel);
        let (before, as_of) = self.authors.get(request, &self.history, &[here])?;
        let new = request.pending.iter().rev().filter(|turn| turn.id > as_of.row());
        let mut authors: Vec<Author> = Vec::new();
        for author in new.filter_map(|turn| turn.author.as_ref()).chain(before.iter()) {
            if authors.len() < most && authors.iter().all(|known| known.account != author.account) {
                authors.push(author.clone());
            }
        }
        Some(authors)
    }

    /// Reads them ahead.
    pub(super) async fn fetch_authors(&self, request: &TurnRequest, most: usize) -> Result<(), HistoryError> {
        if self.authors_at_hand(request, most).is_some() {
            return Ok(());
        }
        let as_of = self.history.as_of().await?;
        let authors = self.history.recent_authors(&request.place.channel, most, Some(as_of.row())).await?;
        self.authors.put(request, Arc::new(authors), as_of, Lifetime::Memory);
        Ok(())
    }

    /// How the familiar feels now.
    pub(super) async fn affect(
        &self,
        request: &TurnRequest,
        half_life: Duration,
    ) -> Result<Affect, HistoryError> {
        match self.affect_at_hand(request, half_life) {
            Some(affect) => Ok(affect),
            None => {
                let towards = request.author.as_ref().map(|author| &author.account);
                self.history.affect(towards, half_life, request.now).await
            }
        }
    }

    pub(super) fn affect_at_hand(&self, request: &TurnRequest, half_life: Duration) -> Option<Affect> {
        let (felt, _) = self.feelings.get(request, &self.history, &[About::Feelings])?;
        if felt.half_life != half_life {
            return None;
        }
        // A clock that was set back lets nothing fade.
        let gap = Duration::try_from(request.now.duration_since(felt.at)).unwrap_or_default();
        Some(felt.affect.after(gap, half_life))
    }

    /// Reads it ahead.
    pub(super) async fn fetch_affect(
        &self,
        request: &TurnRequest,
        half_life: Duration,
    ) -> Result<(), HistoryError> {
        if self.affect_at_hand(request, half_life).is_some() {
            return Ok(());
        }
        let as_of = self.history.as_of().await?;
        let towards = request.author.as_ref().map(|author| &author.account);
        let affect = self.history.affect(towards, half_life, request.now).await?;
        self.feelings.put(request, Felt { affect, at: request.now, half_life }, as_of, Lifetime::Memory);
        Ok(())
    }

    /// What was said here since the familiar last spoke, without what it answers last.
    pub(super) async fn missed(&self, request: &TurnRequest) -> Result<Missed, HistoryError> {
        if let Some(missed) = self.missed_at_hand(request) {
            return Ok(missed);
        }
        let newest = request.pending.last().map(|turn| turn.id);
        self.history.missed(&request.place.channel, Since::Familiar, &request.visible(), newest).await
    }

    pub(super) fn missed_at_hand(&self, request: &TurnRequest) -> Option<Missed> {
        let here = About::Channel(&request.place.channel);
        let (missed, as_of) = self.missed.get(request, &self.history, &[here])?;
        // Counted is what was there then. What is answered last does not count, and of several the earlier ones do.
        let is_newer = |turn: &&StoredTurn| turn.id > as_of.row();
        let newer = request.pending.iter().filter(is_newer).count();
        let fits = request.pending.last().is_none_or(|last| is_newer(&last)) && newer <= 1;
        fits.then_some(missed)
    }

    /// What people said of days, as [`History::said_ahead`].
    pub(super) async fn said_ahead(
        &self,
        request: &TurnRequest,
        wanted: SaidAhead,
    ) -> Result<Vec<StoredTurn>, HistoryError> {
        if let Some(said) = self.said_at_hand(request).filter(|said| said.words == wanted.words) {
            return Ok(said.turns.as_ref().clone());
        }
        self.history.said_ahead(wanted, &request.visible(), request.model.encoding).await
    }

    fn said_at_hand(&self, request: &TurnRequest) -> Option<Said> {
        let here = About::Channel(&request.place.channel);
        let about = request.author.as_ref().map(|author| About::Account(&author.account));
        let about: Vec<About<'_>> = [here].into_iter().chain(about).collect();
        let (said, as_of) = self.said.get(request, &self.history, &about)?;
        is_before(as_of, request).then_some(said)
    }

    /// Whether the words of these days were looked for ahead.
    pub(super) fn has_said_ahead(&self, request: &TurnRequest, words: &str) -> bool {
        self.said_at_hand(request).is_some_and(|said| said.words == words)
    }

    /// Reads ahead what was missed.
    pub(super) async fn fetch_missed(&self, request: &TurnRequest) -> Result<Missed, HistoryError> {
        if let Some(missed) = self.missed_at_hand(request) {
            return Ok(missed);
        }
        let as_of = self.history.as_of().await?;
        let before = Some(after(as_of));
        let visible = request.visible();
        let missed = self.history.missed(&request.place.channel, Since::Familiar, &visible, before).await?;
        self.missed.put(request, missed.clone(), as_of, Lifetime::Memory);
        Ok(missed)
    }

    /// Reads ahead what people said of days.
    pub(super) async fn fetch_said_ahead(
        &self,
        request: &TurnRequest,
        wanted: SaidAhead,
    ) -> Result<(), HistoryError> {
        if self.has_said_ahead(request, &wanted.words) {
            return Ok(());
        }
        let as_of = self.history.as_of().await?;
        let words = wanted.words.clone();
        let wanted = SaidAhead { before: Some(after(as_of)), ..wanted };
        let turns = self.history.said_ahead(wanted, &request.visible(), request.model.encoding).await?;
        self.said.put(request, Said { words, turns: Arc::new(turns) }, as_of, Lifetime::Memory);
        Ok(())
    }

    /// The newest part of the conversation.
    pub(super) async fn conversation(
        &self,
        request: &TurnRequest,
        query: WindowQuery,
    ) -> Result<Conversation, HistoryError> {
        match self.conversation_at_hand(request, query) {
            Some(conversation) => Ok(conversation),
            None => self.history.conversation(&request.place.channel, query).await,
        }
    }

    pub(super) fn conversation_at_hand(
        &self,
        request: &TurnRequest,
        query: WindowQuery,
    ) -> Option<Conversation> {
        let here = About::Channel(&request.place.channel);
        let (window, as_of) = self.windows.get(request, &self.history, &[here])?;
        window.at_turn(query, request, as_of)
    }

    /// Reads it ahead.
    pub(super) async fn fetch_conversation(
        &self,
        request: &TurnRequest,
        query: WindowQuery,
    ) -> Result<(), HistoryError> {
        if self.conversation_at_hand(request, query).is_some() {
            return Ok(());
        }
        let as_of = self.history.as_of().await?;
        let read = self.history.conversation(&request.place.channel, query).await?;
        self.windows.put(request, Arc::new(Window { query, read }), as_of, Lifetime::Memory);
        Ok(())
    }

    /// How people here stand to whoever is answered. Who is here changes without a word, so that it holds for moments
    /// only.
    pub(super) fn standings(&self, request: &TurnRequest) -> Option<Arc<Vec<Contribution>>> {
        let here = About::Channel(&request.place.channel);
        let (standings, as_of) = self.standings.get(request, &self.history, &[here])?;
        is_before(as_of, request).then_some(standings)
    }

    /// Keeps them.
    pub(super) fn keep_standings(&self, request: &TurnRequest, standings: Vec<Contribution>, as_of: AsOf) {
        self.standings.put(request, Arc::new(standings), as_of, Lifetime::Flux);
    }

    /// Now, for [`Self::keep_standings`].
    pub(super) async fn as_of(&self) -> Result<AsOf, HistoryError> {
        self.history.as_of().await
    }

    /// Drops everything.
    pub(super) fn forget_all(&self) {
        self.acquaintances.clear();
        self.authors.clear();
        self.feelings.clear();
        self.missed.clear();
        self.said.clear();
        self.windows.clear();
        self.standings.clear();
    }
}

/// Whether nothing of what the turn answers had been said by then: what is read about whoever is answered leaves it out.
fn is_before(as_of: AsOf, request: &TurnRequest) -> bool {
    request.pending.iter().all(|turn| turn.id > as_of.row())
}

/// The row behind the last one of a moment.
fn after(as_of: AsOf) -> StoredId {
    StoredId(as_of.row().0.saturating_add(1))
}
