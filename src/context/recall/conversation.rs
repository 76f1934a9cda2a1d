//! Everything that was said where the asker may hear it. What comes back are exchanges: the turn that was found, what
//! it answers, and its neighbours (specs mechanisms A13).

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::sync::Arc;

use async_trait::async_trait;
use tokio::task::spawn_blocking;

use super::index::TurnIndex;
use super::meaning::{Meaning, Meant};
use super::query::{QueryClass, RecallQuery};
use super::signals::{self, Candidate, LOOKED_AT};
use super::vectors::Encoder;
use super::weights::{Signal, Signals};
use super::{Found, FoundLine, RecallError, RecallSource, Seer};
use crate::domain::StoredId;
use crate::history::{Heard, History, Visible};

/// More are ranked than are asked for: finds of one exchange become one (specs mechanisms Y14, "candidates 3x").
const CANDIDATES: usize = 3;

/// A way to put the question that counts so much is in somebody's own words.
const AS_SAID: f32 = 0.3;

type Texts = HashMap<StoredId, Heard>;

/// Searches the history.
#[derive(Debug)]
pub struct ConversationSource {
    history: Arc<History>,
    index: Arc<TurnIndex>,
    encoder: Arc<dyn Encoder>,
    meaning: Option<Arc<Meaning>>,
}

impl ConversationSource {
    /// Searches `history`; `encoder` says how alike texts are.
    #[must_use]
    pub fn new(history: Arc<History>, encoder: Arc<dyn Encoder>) -> Self {
        Self { history, index: Arc::default(), encoder, meaning: None }
    }

    /// Searches by meaning too, as far as the model has read.
    #[must_use]
    pub fn with_meaning(mut self, meaning: Arc<Meaning>) -> Self {
        self.meaning = Some(meaning);
        self
    }

    /// The turns that may be meant, `query.circumstances.most` of them, without what stands around them: in the order in
    /// which exchanges are quoted, and by the same measure.
    ///
    /// # Errors
    /// When the history could not be read.
    pub async fn ranked(&self, query: &RecallQuery, seer: &Seer) -> Result<Vec<RankedTurn>, RecallError> {
        let most = query.circumstances.most;
        let (mut ranked, _) = self.looked_up(query, seer, most).await?;
        ranked.truncate(most);
        let turn = |one: Candidate| RankedTurn {
            turn: one.id,
            score: one.score,
            likelihood: one.likelihood,
            signals: one.signals,
        };
        Ok(ranked.into_iter().map(turn).collect())
    }

    /// The turns that may be meant, the best first, at least `most` if there are so many, and the texts of the best.
    async fn looked_up(
        &self,
        query: &RecallQuery,
        seer: &Seer,
        most: usize,
    ) -> Result<(Vec<Candidate>, Texts), RecallError> {
        let mut texts = Texts::new();
        if query.terms.is_empty() && query.window.is_none() {
            return Ok((Vec::new(), texts));
        }
        self.index.catch_up(&self.history).await?;
        let meant = self.meant(query).await;
        let (index, asked, visible) = (Arc::clone(&self.index), query.clone(), seer.visible().clone());
        let (called_up, meant) = spawn_blocking(move || {
            let vectors = meant.as_ref().map(|(meaning, meant)| (meaning.read(), meant));
            let meant_by = vectors.as_ref().map(|(vectors, meant)| (&**vectors, *meant));
            let called_up = signals::called_up(&index.read(), &asked, &visible, meant_by, most);
            drop(vectors);
            (called_up, meant)
        })
        .await
        .map_err(|_| RecallError::BrokenOff)?;
        let wanted: Vec<StoredId> = called_up.candidates.iter().take(LOOKED_AT).map(|one| one.id).collect();
        self.read(&mut texts, wanted.clone(), seer.visible()).await?;
        let matches = match &meant {
            Some((meaning, meant)) => {
                meaning.matches(meant, &called_up.weights, wanted, seer.visible()).await
            }
            None => HashMap::new(),
        };
        let (asked, encoder) = (query.clone(), Arc::clone(&self.encoder));
        let rank = move || (signals::ranked(called_up, &texts, &asked, encoder.as_ref(), &matches), texts);
        spawn_blocking(rank).await.map_err(|_| RecallError::BrokenOff)
    }

    /// The question as the model sees it. Other ways to put it are lists of words, which mean nothing to a model.
    async fn meant(&self, query: &RecallQuery) -> Option<(Arc<Meaning>, Meant)> {
        let meaning = self.meaning.as_ref().filter(|_| query.weight >= AS_SAID)?;
        let meant = meaning.of_question(&query.text).await?;
        Some((Arc::clone(meaning), meant))
    }

    /// Reads the texts of turns that are not at hand yet.
    async fn read(
        &self,
        texts: &mut Texts,
        ids: Vec<StoredId>,
        visible: &Visible,
    ) -> Result<(), RecallError> {
        let mut wanted: Vec<StoredId> = ids.into_iter().filter(|id| !texts.contains_key(id)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        if !wanted.is_empty() {
            let heard = self.history.heard(wanted, visible).await?;
            texts.extend(heard.into_iter().map(|one| (one.turn.id, one)));
        }
        Ok(())
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

    async fn search(&self, query: &RecallQuery, seer: &Seer) -> Result<Vec<Found>, RecallError> {
        let (mut ranked, mut texts) = self.looked_up(query, seer, 0).await?;
        ranked.truncate(query.circumstances.most * CANDIDATES);
        let around = ranked.iter().flat_map(|one| [one.before, one.after, texts[&one.id].answers]);
        let around = around.flatten().collect();
        self.read(&mut texts, around, seer.visible()).await?;
        let quoted = ranked.iter().flat_map(|one| members(one, &texts)).collect();
        let messages = self.history.messages_of(quoted).await?;
        let mut found: Vec<Found> = ranked.iter().map(|one| exchange(one, &texts, query)).collect();
        for line in found.iter_mut().flat_map(|one| &mut one.lines) {
            if let Some(message) = line.turn.and_then(|turn| messages.get(&turn)) {
                let _ = write!(line.source, " message {message}");
            }
        }
        Ok(found)
    }

    async fn warm_up(&self) {
        if let Err(error) = self.index.catch_up(&self.history).await {
            tracing::warn!(%error, "what was said could not be indexed yet; the first search tries again");
        }
    }
}

/// A turn that may be meant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankedTurn {
    /// The turn.
    pub turn: StoredId,
    /// For ordering; comparable within one question.
    pub score: f32,
    /// How likely it is meant, 0 to 1; comparable between questions.
    pub likelihood: f32,
    signals: Signals,
}

impl RankedTurn {
    /// What speaks for it: each signal's name, its value from 0 to 1, and its weight in the score.
    pub fn why(&self) -> impl Iterator<Item = (&'static str, f32, f32)> + '_ {
        Signal::TABLE.iter().map(|(signal, name, weight)| (*name, self.signals.get(*signal), *weight))
    }
}

/// Whether the prompt does not hold it already.
fn is_news(heard: &Heard, query: &RecallQuery) -> bool {
    let circumstances = &query.circumstances;
    !circumstances.answered.contains(&heard.turn.id)
        && !circumstances.shown.as_ref().is_some_and(|shown| shown.holds(&heard.channel, &heard.turn))
}

/// A turn with what it answers and what stands next to it, in order.
fn members(hit: &Candidate, texts: &Texts) -> Vec<StoredId> {
    let answers = texts[&hit.id].answers;
    let each = [answers, hit.before, Some(hit.id), hit.after].into_iter().flatten();
    let known: HashSet<StoredId> = each.filter(|id| texts.contains_key(id)).collect();
    let mut members: Vec<StoredId> = known.into_iter().collect();
    members.sort_unstable();
    members
}

fn exchange(hit: &Candidate, texts: &Texts, query: &RecallQuery) -> Found {
    let lines = members(hit, texts)
        .into_iter()
        .map(|id| &texts[&id])
        .filter(|heard| heard.turn.id == hit.id || is_news(heard, query))
        .map(|heard| line(heard, heard.turn.id == hit.id))
        .collect();
    Found { key: format!("turn {}", hit.id.0), lines, score: hit.likelihood }
}

fn line(heard: &Heard, is_hit: bool) -> FoundLine {
    let turn = &heard.turn;
    FoundLine {
        text: turn.content.clone(),
        author: turn.author.as_ref().map(|author| author.label().to_owned()),
        place: heard.channel_name.clone(),
        at: Some(turn.at),
        audience: turn.audience.clone(),
        source: format!("channel {} turn {}", heard.channel, turn.ordinal),
        turn: Some(turn.id),
        is_hit,
    }
}
