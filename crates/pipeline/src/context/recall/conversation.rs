//! Everything that was said where the asker may hear it. What comes back are exchanges: the turn that was found, what
//! it answers, and its neighbours (A13).

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use async_trait::async_trait;
use tokio::task::spawn_blocking;

use super::asked;
use super::index::TurnIndex;
use super::meaning::{Meaning, Meant};
use super::query::{IN_OWN_WORDS, QueryClass, RecallQuery};
use super::signals::{self, RankedTurn};
use super::{Found, FoundLine, RecallError, RecallSource};
use crate::domain::StoredId;
use crate::history::{HeardMessage, History, HistoryError, Visible};

/// More are ranked than are asked for: finds of one exchange become one (Y14, "candidates 3x").
const CANDIDATES: usize = 3;

type Texts = HashMap<StoredId, HeardMessage>;

#[derive(Debug)]
pub struct ConversationSource {
    history: Arc<History>,
    index: Arc<TurnIndex>,
    meaning: Option<Arc<Meaning>>,
}

impl ConversationSource {
    /// Searches by `meaning` too where there is any, as far as its model has read.
    pub fn new(history: Arc<History>, meaning: Option<Arc<Meaning>>) -> Self {
        Self { history, index: Arc::default(), meaning }
    }

    /// The turns that may be meant, `query.circumstances.most` of them, without what stands around them: in the order in
    /// which exchanges are quoted, and by the same measure.
    ///
    /// # Errors
    /// When the history could not be read.
    pub async fn ranked(
        &self,
        query: &RecallQuery,
        visible: &Visible,
    ) -> Result<Vec<RankedTurn>, RecallError> {
        let most = query.circumstances.most;
        let (mut ranked, _) = self.looked_up(query, visible, most, most).await?;
        ranked.truncate(most);
        Ok(ranked)
    }

    /// The turns that may be meant, the best first, at least `most` if there are so many, and the texts of the best:
    /// `quoted` of them if they may be so many.
    async fn looked_up(
        &self,
        query: &RecallQuery,
        visible: &Visible,
        most: usize,
        quoted: usize,
    ) -> Result<(Vec<RankedTurn>, Texts), RecallError> {
        self.index.catch_up(&self.history).await?;
        let (meant, words) =
            tokio::join!(self.meant(query), asked::place_words(&self.history, query, visible));
        let words = words?;
        let (index, asked, seen) = (Arc::clone(&self.index), query.clone(), visible.clone());
        let (called_up, meant) = spawn_blocking(move || {
            let vectors = meant.as_ref().map(|(meaning, meant)| (meaning.read(), meant));
            let meant_by = vectors.as_ref().map(|(vectors, meant)| (&**vectors, *meant));
            let called_up = signals::called_up(&index.read(), &asked, &words, &seen, meant_by, most, quoted);
            drop(vectors);
            (called_up, meant)
        })
        .await?;
        let wanted = called_up.to_look_at();
        let texts = self.texts(wanted.clone(), visible).await?;
        let matches = match &meant {
            Some((meaning, meant)) => meaning.matches(meant, &called_up.weights, wanted, visible).await,
            None => HashMap::new(),
        };
        let asked = query.clone();
        let rank = move || (signals::ranked(called_up, &texts, &asked, &matches), texts);
        Ok(spawn_blocking(rank).await?)
    }

    /// The question as the model sees it. Other ways to put it are lists of words, which mean nothing to a model.
    async fn meant(&self, query: &RecallQuery) -> Option<(Arc<Meaning>, Meant)> {
        let meaning = self.meaning.as_ref().filter(|_| query.weight >= IN_OWN_WORDS)?;
        let meant = meaning.of_question(&query.text).await?;
        Some((Arc::clone(meaning), meant))
    }

    /// Reads turns, each once.
    async fn texts(&self, mut ids: Vec<StoredId>, visible: &Visible) -> Result<Texts, HistoryError> {
        ids.sort_unstable();
        ids.dedup();
        let heard = self.history.seen_by(visible).heard(ids).await?;
        Ok(heard.into_iter().map(|one| (one.turn.id, one)).collect())
    }
}

#[async_trait]
impl RecallSource for ConversationSource {
    fn name(&self) -> &'static str {
        "history"
    }

    fn weight(&self, class: QueryClass) -> f32 {
        match class {
            QueryClass::Time => 1.2,
            QueryClass::Fact | QueryClass::Person | QueryClass::Relation => 1.0,
        }
    }

    async fn search(&self, query: &RecallQuery, visible: &Visible) -> Result<Vec<Found>, RecallError> {
        let quoted = query.circumstances.most * CANDIDATES;
        let (mut ranked, texts) = self.looked_up(query, visible, 0, quoted).await?;
        ranked.truncate(quoted);
        // Of those whose texts were not looked at there is none among so many.
        Ok(ranked.iter().filter_map(|one| Some(exchange(one, texts.get(&one.turn)?))).collect())
    }

    /// What a hit answers and what stands next to it, and the messages that all of it was.
    async fn complete(
        &self,
        found: &mut [Found],
        query: &RecallQuery,
        visible: &Visible,
    ) -> Result<(), RecallError> {
        let beside: Vec<StoredId> = found.iter().flat_map(|one| one.beside.iter().copied()).collect();
        let hits = found.iter().flat_map(|one| &one.lines).filter_map(|line| line.turn);
        let quoted: Vec<StoredId> = hits.chain(beside.iter().copied()).collect();
        if quoted.is_empty() {
            return Ok(());
        }
        let (texts, messages) =
            tokio::try_join!(self.texts(beside, visible), self.history.seen_by(visible).messages_of(quoted))?;
        for one in found {
            let beside = std::mem::take(&mut one.beside);
            let beside = beside.iter().filter_map(|turn| texts.get(turn));
            one.lines
                .extend(beside.filter(|heard| is_news(heard, query)).map(|heard| found_line(heard, false)));
            one.lines.sort_by_key(|line| line.turn);
            for line in &mut one.lines {
                if let Some(message) = line.turn.and_then(|turn| messages.get(&turn)) {
                    let _ = write!(line.source, " id {message}");
                }
            }
        }
        Ok(())
    }

    async fn warm_up(&self) {
        if let Err(error) = self.index.catch_up(&self.history).await {
            tracing::warn!(%error, "what was said could not be indexed yet; the first search tries again");
        }
    }
}

/// Whether the prompt does not hold it already.
fn is_news(heard: &HeardMessage, query: &RecallQuery) -> bool {
    let circumstances = &query.circumstances;
    !circumstances.answered.contains(&heard.turn.id)
        && !circumstances.shown.as_ref().is_some_and(|shown| shown.holds(&heard.channel, &heard.turn))
}

/// A turn; what it answers and what stands next to it is to be quoted with it.
fn exchange(hit: &RankedTurn, heard: &HeardMessage) -> Found {
    let mut beside: Vec<StoredId> =
        [heard.answers, hit.before, hit.after].into_iter().flatten().filter(|id| *id != hit.turn).collect();
    beside.sort_unstable();
    beside.dedup();
    Found {
        key: format!("turn {}", hit.turn.0),
        lines: vec![found_line(heard, true)],
        beside,
        score: hit.likelihood,
    }
}

fn found_line(heard: &HeardMessage, is_hit: bool) -> FoundLine {
    let turn = &heard.turn;
    FoundLine {
        text: turn.content.clone(),
        author: turn.author.as_ref().map(|author| author.label().to_owned()),
        place: heard.channel_name.clone().map(|name| (heard.channel.clone(), name)),
        at: Some(turn.at),
        audience: turn.audience.clone(),
        source: format!("channel {} message {}", heard.channel, turn.ordinal),
        turn: Some(turn.id),
        is_hit,
    }
}
