//! Eviction: whole chunks leave until the prompt fits; no text is ever cut (contradiction 1).
//!
//! Room is given out in an order that keeps the beginning of the prompt the same from turn to turn: what is never
//! evicted, the stable block, the history, its summaries, and then the volatile tail. Within each, what is worth more
//! by [`score`] stays; a group stays or leaves as one. Caps of layers and sections hold on top.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::chunk::{Chunk, score};
use super::contribution::{Importance, Placement, SummaryStands};
use super::moments::{clock, is_clock_alone};
use super::screen::Screened;
use super::tail;
use super::warm::{RETURNED, WarmCache};
use crate::domain::{ChunkFate, ChunkRecord, Layer, LayerFigures, Place, Role, Section};
use crate::history::rough_tokens;

mod cut;

/// Kept free for the volatile tail when the history's room is measured, in percent of the prompt: of 8,000 tokens 640,
/// about what a question's finds take. Memory 3.3 measured with 1,130, which a ranked recall does not need.
const TAIL_PERCENT: u32 = 8;

/// What a word-for-word history gets before any piece of the card that is worth less than a turn, in percent of the
/// prompt.
const HISTORY_PERCENT: u32 = 30;

/// Kept free for summaries when the history's room is measured, in percent of the prompt.
const SUMMARY_PERCENT: u32 = 8;

/// What stays with the history when a piece of the card that is worth more than a turn, its scenario, goes beyond its layer's
/// cap, in percent of the prompt.
const LEAST_HISTORY_PERCENT: u32 = 15;

/// What no turn wants yet is lent in so many steps of the prompt, so that what it is lent to does not leave line by line.
const LENT_STEPS: u32 = 8;

/// What a stored turn is worth: full relevance, ordinary importance.
const TURN_SCORE: f32 = 1.0;

/// What the day takes that the first line shown says where another had said it, `2026-03-01 `, in tokens at most.
const DAY_TOKENS: u32 = 7;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BudgetPlan {
    /// Cap of each layer in tokens; `None` = only the total counts; a layer that is absent gets nothing.
    pub layers: BTreeMap<Layer, Option<u32>>,
    /// How much more than its cap the content layer may take this once, in tokens.
    pub extra_content: u32,
    /// Cap of each section that has one, in tokens.
    pub sections: BTreeMap<Section, u32>,
    /// The channel's total, in tokens.
    pub total: u32,
    /// The model's window, in tokens.
    pub window: u32,
    /// Kept free for the reply, and for tools and what they give, in tokens.
    pub reserve: u32,
    /// How a history that does not fit is cut.
    pub history: HistoryCut,
    /// Where it began in the last prompt here; `None` where nobody knows.
    pub began: Option<HistoryBegan>,
    /// What was found for a hard message, in tokens: for so much the history makes room this once, as far as its share of
    /// the prompt allows.
    pub finds: u32,
}

/// Where the history of a prompt began. It goes on from there until it is full again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryBegan {
    /// The first turn that was shown word for word.
    pub ordinal: u64,
    /// Since when it began there; `None` while nothing had to be cut.
    pub since: Option<Timestamp>,
}

/// How a history that does not fit is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HistoryCut {
    /// The newest turns that fit, re-cut every turn.
    Anywhere,
    /// To about a quarter at once, and then not again until it is full (memory 3.3).
    AtSteps {
        /// As far as they fit, at least this many turns stay.
        least_turns: usize,
    },
}

impl BudgetPlan {
    /// A plan in which only the total counts, and a history that does not fit is cut anywhere.
    pub fn uncapped(total: u32, window: u32, reserve: u32) -> Self {
        Self {
            layers: Layer::ALL.iter().copied().map(|layer| (layer, None)).collect(),
            extra_content: 0,
            sections: BTreeMap::new(),
            total,
            window,
            reserve,
            history: HistoryCut::Anywhere,
            began: None,
            finds: 0,
        }
    }

    /// The most a prompt may take: the channel's total, but never more than the window without the reserve.
    pub fn prompt_limit(&self) -> u32 {
        self.total.min(self.hard_limit())
    }

    /// What cannot be exceeded whatever the channel allows.
    pub fn hard_limit(&self) -> u32 {
        self.window.saturating_sub(self.reserve)
    }

    fn usual_cap(&self, layer: Layer) -> Option<u32> {
        self.layers.get(&layer).copied().unwrap_or(Some(0))
    }

    fn cap(&self, layer: Layer) -> Option<u32> {
        let more = if layer == Layer::Content { self.extra_content } else { 0 };
        self.usual_cap(layer).map(|cap| cap.saturating_add(more))
    }

    /// What the tail is left when the history's room is measured. The same every turn, whatever was found.
    fn tail_room(&self) -> u32 {
        let share = percent_of(self.prompt_limit(), TAIL_PERCENT);
        // Where a channel looks nothing up, only the time and a note have to fit.
        let caps =
            [Layer::Content, Layer::DepthInject].map(|layer| self.usual_cap(layer).unwrap_or(u32::MAX));
        share.min(caps.iter().fold(percent_of(self.prompt_limit(), 5), |sum, cap| sum.saturating_add(*cap)))
    }
}

/// How far, in a prompt of so many tokens, the card's scenario may reach beyond what its layer keeps for it: the tail and the
/// conversation keep their least.
pub fn room_of_scenario(prompt_tokens: u32) -> u32 {
    prompt_tokens.saturating_sub(percent_of(prompt_tokens, TAIL_PERCENT + LEAST_HISTORY_PERCENT))
}

/// What may never be evicted does not fit the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the character and the messages to answer take {needed} tokens, but the model leaves {limit} \
     (window {window}, {reserve} kept for the reply; the messages take {asked}): shorten what is too long of them, or choose a \
     model with a larger window"
)]
pub struct PromptTooLarge {
    /// Tokens of everything that is never evicted.
    pub needed: u32,
    /// Of these, the messages to answer.
    pub asked: u32,
    pub limit: u32,
    pub window: u32,
    /// Kept for the reply.
    pub reserve: u32,
}

impl PromptTooLarge {
    /// Tokens that the messages to answer may have, where they are what is too long; `None` where the character leaves next to
    /// no room for any.
    pub fn room(&self) -> Option<u32> {
        let room = self.limit.saturating_sub(self.needed.saturating_sub(self.asked));
        (room >= percent_of(self.limit, LEAST_ROOM_PERCENT)).then_some(room)
    }
}

/// Where the character leaves less for what is said to it, in percent of what a prompt may take, it is what is too long.
const LEAST_ROOM_PERCENT: u32 = 12;

/// What survived, and what did not. Only this can be rendered.
#[derive(Debug)]
pub struct Budgeted {
    pub(super) kept: Vec<Chunk>,
    /// What was evicted, the most worth first; the spillover store takes it up.
    pub(super) spilled: Vec<Chunk>,
    pub(super) records: Vec<ChunkRecord>,
    pub(super) layers: Vec<LayerFigures>,
    pub(super) tokens: u32,
    pub(super) notes: Vec<String>,
    /// Where the next prompt's history goes on.
    pub(super) began: Option<HistoryBegan>,
}

impl Budgeted {
    /// Hands what was evicted from a prompt in `place` over to the spillover, from where it can come back by its words
    /// (A7).
    pub fn spill_into(&mut self, cache: &WarmCache, place: &Place) {
        cache.take_up(place, std::mem::take(&mut self.spilled));
    }

    /// The first line that is still shown says its day, which one before it may have said.
    pub(super) fn say_first_day(&mut self, display_tz: &TimeZone) {
        let first = first_said(self.kept.iter().enumerate()).and_then(|first| self.kept.get_mut(first));
        let Some(first) = first.and_then(|chunk| chunk.piece.turn.as_mut()) else { return };
        let Some(at) = first.at.map(|at| at.to_zoned(display_tz.clone())) else { return };
        if let Some(rest) = first.prefix.strip_prefix(&clock(&at, false)) {
            first.prefix = clock(&at, true) + rest;
        }
    }

    /// What came back from the spillover stands in the tail only while it does not stand in its own place.
    pub(super) fn drop_doubles(&mut self) {
        let sources: BTreeSet<String> = self.kept.iter().map(|chunk| chunk.source.clone()).collect();
        let mut doubles = BTreeSet::new();
        self.kept.retain(|chunk| {
            let is_double = chunk.source.strip_prefix(RETURNED).is_some_and(|first| sources.contains(first));
            if is_double {
                self.tokens = self.tokens.saturating_sub(chunk.tokens);
                for layer in self.layers.iter_mut().filter(|figures| figures.layer == chunk.layer) {
                    layer.offered = layer.offered.saturating_sub(chunk.tokens);
                    layer.kept = layer.kept.saturating_sub(chunk.tokens);
                }
                doubles.insert(chunk.source.clone());
            }
            !is_double
        });
        for record in self.records.iter_mut().filter(|record| doubles.contains(&record.source)) {
            record.fate = ChunkFate::Duplicate;
        }
    }
}

/// Fits screened chunks into the plan.
///
/// # Errors
/// [`PromptTooLarge`] when chunks of importance 5 alone exceed the window without the reserve.
pub fn fit(screened: Screened, plan: &BudgetPlan) -> Result<Budgeted, PromptTooLarge> {
    let Screened { mut chunks, mut records, clipped } = screened;
    chunks.sort_by(score::keeps_before);
    let mut packing = Packing::new(&chunks, plan);
    packing.check_window()?;
    packing.pack();
    let Packing { fates, layers: used, tokens, began, .. } = packing;

    let mut offered: BTreeMap<Layer, u32> = BTreeMap::new();
    // A summary in whose place another stands is not missing from the prompt.
    let is_idle = |(_, fate): &(&Chunk, &Option<ChunkFate>)| **fate == Some(ChunkFate::ToldOtherwise);
    for (chunk, _) in chunks.iter().zip(&fates).filter(|each| !is_idle(each)) {
        let sum = offered.entry(chunk.layer).or_default();
        *sum = sum.saturating_add(chunk.tokens);
    }
    let layers = offered
        .into_iter()
        .map(|(layer, offered)| LayerFigures {
            layer,
            cap: plan.cap(layer),
            offered,
            kept: used.get(&layer).copied().unwrap_or(0),
        })
        .collect();
    let mut notes = overfull_layers(&chunks, plan);
    if tokens > plan.prompt_limit() {
        notes.push(format!(
            "what may not be evicted takes {tokens} tokens, more than the channel's {} (the window still holds it)",
            plan.prompt_limit()
        ));
    }
    let mut kept = Vec::with_capacity(chunks.len());
    let mut spilled = clipped;
    for (chunk, fate) in chunks.into_iter().zip(fates) {
        let fate = fate.unwrap_or(ChunkFate::PromptFull);
        records.push(chunk.record(fate.clone()));
        match fate {
            ChunkFate::Kept => kept.push(chunk),
            // What stands in the prompt as a turn need not come back.
            ChunkFate::Duplicate | ChunkFate::ToldOtherwise => {}
            _ => spilled.push(chunk),
        }
    }
    Ok(Budgeted { kept, spilled, records, layers, tokens, notes, began })
}

/// Words for the operator about layers whose immune part alone is too large.
fn overfull_layers(chunks: &[Chunk], plan: &BudgetPlan) -> Vec<String> {
    let mut immune: BTreeMap<Layer, u32> = BTreeMap::new();
    for chunk in chunks.iter().filter(|chunk| is_immune(chunk)) {
        *immune.entry(chunk.layer).or_default() += chunk.tokens;
    }
    immune
        .into_iter()
        .filter_map(|(layer, taken)| {
            let cap = plan.cap(layer).filter(|&cap| cap > 0 && taken > cap)?;
            Some(format!("{}: what may not be evicted takes {taken} of {cap} tokens", layer.as_str()))
        })
        .collect()
}

/// The state of one packing: who is in so far, and what that takes.
struct Packing<'a> {
    chunks: &'a [Chunk],
    plan: &'a BudgetPlan,
    fates: Vec<Option<ChunkFate>>,
    layers: BTreeMap<Layer, u32>,
    sections: BTreeMap<Section, u32>,
    shares: BTreeMap<&'a str, u32>,
    tokens: u32,
    /// Of them, what is lent until the history wants it.
    lent: u32,
    began: Option<HistoryBegan>,
}

/// Whether the caps of layers hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Caps {
    AsSet,
    /// Others lend what they do not use.
    Lent,
}

/// Chunks that stay or leave as one, by their places in the order of keeping.
type Unit = Vec<usize>;

impl<'a> Packing<'a> {
    /// With everything in that never leaves.
    fn new(chunks: &'a [Chunk], plan: &'a BudgetPlan) -> Self {
        let mut packing = Self {
            chunks,
            plan,
            fates: vec![None; chunks.len()],
            layers: BTreeMap::new(),
            sections: BTreeMap::new(),
            shares: BTreeMap::new(),
            tokens: 0,
            lent: 0,
            began: None,
        };
        if chunks.iter().any(|chunk| chunk.placement.is_volatile() || !chunk.trust.may_instruct()) {
            packing.tokens = tail::FRAME_TOKENS;
        }
        for (index, _) in chunks.iter().enumerate().filter(|(_, chunk)| is_immune(chunk)) {
            packing.keep(index);
        }
        packing
    }

    fn check_window(&self) -> Result<(), PromptTooLarge> {
        let limit = self.plan.hard_limit();
        if self.tokens <= limit {
            return Ok(());
        }
        let messages = self.chunks.iter().filter(|chunk| is_immune(chunk) && chunk.turn.is_some());
        Err(PromptTooLarge {
            needed: self.tokens,
            asked: messages.fold(0, |sum: u32, chunk| sum.saturating_add(chunk.tokens)),
            limit,
            window: self.plan.window,
            reserve: self.plan.reserve,
        })
    }

    fn pack(&mut self) {
        let (stable, rest): (Vec<Unit>, Vec<Unit>) =
            self.units().into_iter().partition(|unit| self.chunks[unit[0]].placement.is_stable());
        let (summaries, tail): (Vec<Unit>, Vec<Unit>) = rest
            .into_iter()
            .partition(|unit| matches!(self.chunks[unit[0]].placement, Placement::Summary(_)));
        let (lines, first, since) = match self.plan.history {
            HistoryCut::AtSteps { least_turns } => {
                self.take_stable(
                    &stable,
                    percent_of(self.plan.prompt_limit(), HISTORY_PERCENT),
                    self.plan.tail_room(),
                );
                let (lines, usual) = (self.lines(), self.usual_history_room());
                let room = cut::CutRoom { usual, most: self.most_for_history(), least_turns };
                let goes_on = self.beginning(&lines, room);
                let first = lines.get(goes_on.first);
                self.began = first.map(|line| HistoryBegan { ordinal: line.ordinal, since: goes_on.since });
                let most = self.most_beside_finds();
                let cut = if most < room.most {
                    self.beginning(&lines, cut::CutRoom { most, ..room })
                } else {
                    goes_on
                };
                (lines, cut.first, cut.since)
            }
            HistoryCut::Anywhere => {
                self.take_stable(&stable, u32::MAX, 0);
                self.drop_replaced_summaries(None);
                let worth_more = |score: f32| score > TURN_SCORE;
                self.take(&summaries, worth_more);
                self.take(&tail, worth_more);
                let lines = self.lines();
                let first = cut::newest_that_fit(&lines, self.most_for_history());
                (lines, first, None)
            }
        };
        self.take_turns(&lines, first);
        self.drop_repeats();
        self.drop_idle_summaries(since);
        self.take(&summaries, |_| true);
        self.take(&tail, |_| true);
        self.drop_companions_of_turns();
    }

    /// What can be evicted and is no turn, the most worth first; of a group its best member decides.
    fn units(&self) -> Vec<Unit> {
        let mut units: Vec<Unit> = Vec::new();
        let mut groups: BTreeMap<&str, usize> = BTreeMap::new();
        for (index, chunk) in self.chunks.iter().enumerate() {
            if is_immune(chunk) || chunk.turn.is_some() {
                continue;
            }
            match chunk.group.as_deref() {
                None => units.push(vec![index]),
                Some(group) => match groups.get(group) {
                    Some(&at) => units[at].push(index),
                    None => {
                        groups.insert(group, units.len());
                        units.push(vec![index]);
                    }
                },
            }
        }
        units
    }

    /// The stable block. What is worth less than a turn only gets what the history's share and the tail leave; no example
    /// stays where the scenario had no room.
    fn take_stable(&mut self, stable: &[Unit], history_share: u32, tail_room: u32) {
        let turns = self.chunks.iter().filter(|chunk| chunk.turn.is_some() && !is_immune(chunk));
        let offered = sum(turns.map(|chunk| chunk.tokens));
        let cap = self.plan.cap(Layer::RecentHistory).unwrap_or(u32::MAX);
        let spoken_for = history_share.min(offered).min(cap).saturating_add(tail_room);
        let wanted = offered.min(cap).saturating_add(tail_room);
        let mut without_scenario = None;
        for unit in stable {
            let chunk = &self.chunks[unit[0]];
            let is_worth_more = score::chunk_score(chunk) > TURN_SCORE;
            let is_example = matches!(chunk.placement, Placement::Example(_));
            let is_scenario = chunk.placement == Placement::Scenario;
            if let Some(fate) = without_scenario.as_ref().filter(|_| is_example) {
                self.settle(unit, fate);
                continue;
            }
            let limit = self.plan.prompt_limit().saturating_sub(if is_worth_more { 0 } else { spoken_for });
            let mut fate = self.fate_of(unit, limit, Caps::AsSet);
            if fate == ChunkFate::LayerFull && self.is_lent_room(unit, is_worth_more, wanted) {
                fate = ChunkFate::Kept;
                let taken = sum(unit.iter().map(|&index| self.chunks[index].tokens));
                self.lent = self.lent.saturating_add(if is_worth_more { 0 } else { taken });
            }
            if is_scenario && matches!(fate, ChunkFate::LayerFull | ChunkFate::PromptFull) {
                without_scenario = Some(fate.clone());
            }
            self.settle(unit, &fate);
        }
    }

    /// Whether a part of the card that is beyond its layer's cap has room that others do not use: the scenario always where
    /// the conversation keeps its least, examples what the turns do not want yet. A layer of nothing is lent nothing.
    fn is_lent_room(&self, unit: &[usize], is_worth_more: bool, wanted: u32) -> bool {
        let is_card = unit.iter().all(|&index| self.chunks[index].layer == Layer::Character);
        if !is_card || self.plan.cap(Layer::Character) == Some(0) {
            return false;
        }
        let limit = self.plan.prompt_limit();
        let room = if is_worth_more {
            room_of_scenario(limit)
        } else {
            let step = (limit / LENT_STEPS).max(1);
            limit.saturating_sub(wanted.div_ceil(step).saturating_mul(step))
        };
        self.fate_of(unit, room, Caps::Lent) == ChunkFate::Kept
    }

    /// Whatever of `units` is still undecided, fits and is wanted.
    fn take(&mut self, units: &[Unit], is_wanted: impl Fn(f32) -> bool) {
        for unit in units {
            if self.fates[unit[0]].is_none() && is_wanted(score::chunk_score(&self.chunks[unit[0]])) {
                let fate = self.fate_of(unit, self.plan.prompt_limit(), Caps::AsSet);
                self.settle(unit, &fate);
            }
        }
    }

    fn settle(&mut self, unit: &[usize], fate: &ChunkFate) {
        for (position, &index) in unit.iter().enumerate() {
            match (fate, position) {
                (ChunkFate::Kept, _) => self.keep(index),
                (fate, 0) => self.fates[index] = Some(fate.clone()),
                (_, _) => self.fates[index] = Some(ChunkFate::WithGroup),
            }
        }
    }

    fn fate_of(&self, unit: &[usize], limit: u32, caps: Caps) -> ChunkFate {
        let mut sections: BTreeMap<Section, u32> = BTreeMap::new();
        let mut layers: BTreeMap<Layer, u32> = BTreeMap::new();
        let mut shares: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
        let mut tokens = self.tokens;
        for chunk in unit.iter().map(|&index| &self.chunks[index]) {
            *sections.entry(chunk.placement.section()).or_default() += chunk.tokens;
            *layers.entry(chunk.layer).or_default() += chunk.tokens;
            if let Some(share) = &chunk.share {
                shares.entry(&share.of).or_insert((0, share.max_tokens)).0 += chunk.tokens;
            }
            tokens = tokens.saturating_add(chunk.tokens);
        }
        let is_over = |section: Section, more: u32| {
            let used = self.sections.get(&section).copied().unwrap_or(0);
            self.plan.sections.get(&section).is_some_and(|&cap| used + more > cap)
        };
        let is_share_over = |of: &str, (more, cap): (u32, u32)| {
            self.shares.get(of).copied().unwrap_or(0).saturating_add(more) > cap
        };
        if sections.iter().any(|(section, more)| is_over(*section, *more))
            || shares.iter().any(|(of, figures)| is_share_over(of, *figures))
        {
            return ChunkFate::SectionFull;
        }
        let is_over = |layer: Layer, more: u32| {
            self.plan.cap(layer).is_some_and(|cap| self.layers.get(&layer).copied().unwrap_or(0) + more > cap)
        };
        if caps == Caps::AsSet && layers.iter().any(|(layer, more)| is_over(*layer, *more)) {
            return ChunkFate::LayerFull;
        }
        if tokens > limit { ChunkFate::PromptFull } else { ChunkFate::Kept }
    }

    fn keep(&mut self, index: usize) {
        let chunk = &self.chunks[index];
        self.fates[index] = Some(ChunkFate::Kept);
        *self.layers.entry(chunk.layer).or_default() += chunk.tokens;
        *self.sections.entry(chunk.placement.section()).or_default() += chunk.tokens;
        if let Some(share) = &chunk.share {
            *self.shares.entry(&share.of).or_default() += chunk.tokens;
        }
        self.tokens = self.tokens.saturating_add(chunk.tokens);
    }

    /// What is in so far, with its places.
    fn kept(&self) -> impl Iterator<Item = (usize, &'a Chunk)> {
        let chunks = self.chunks.iter().enumerate();
        chunks.filter(move |(index, _)| self.fates[*index] == Some(ChunkFate::Kept))
    }

    /// The stored turns, oldest first.
    fn lines(&self) -> Vec<cut::CutTurn> {
        let turns = self.chunks.iter().enumerate();
        let mut turns: Vec<(u64, usize)> =
            turns.filter_map(|(index, chunk)| Some((ordinal(chunk)?, index))).collect();
        turns.sort_unstable();
        // Turns that nobody placed stand one after the other.
        let mut reached = 0;
        turns
            .into_iter()
            .map(|(ordinal, index)| {
                let chunk = &self.chunks[index];
                let said_before = chunk.turn.as_ref().and_then(|line| line.said_before).unwrap_or(reached);
                let rough = rough_tokens(&chunk.text);
                reached = said_before + rough;
                let tokens = chunk.tokens;
                let at = chunk.turn.as_ref().and_then(|line| line.at);
                let is_immune = is_immune(chunk);
                cut::CutTurn { index, ordinal, said_before, rough, tokens, at, is_immune }
            })
            .collect()
    }

    fn take_turns(&mut self, lines: &[cut::CutTurn], first: usize) {
        let is_narrow = |cap: u32| cap <= self.plan.prompt_limit() / 2;
        let out = match self.plan.history {
            HistoryCut::AtSteps { .. } => ChunkFate::CutAhead,
            HistoryCut::Anywhere if self.plan.cap(Layer::RecentHistory).is_some_and(is_narrow) => {
                ChunkFate::LayerFull
            }
            HistoryCut::Anywhere => ChunkFate::PromptFull,
        };
        for (position, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_immune) {
            if position >= first {
                self.keep(line.index);
            } else {
                self.fates[line.index] = Some(out.clone());
            }
        }
        if first_said(self.kept()).is_some_and(|first| lacks_day(&self.chunks[first])) {
            self.tokens = self.tokens.saturating_add(DAY_TOKENS);
        }
    }

    /// The history's room, immune turns included, as it is every turn: from what is stable and from the plan alone.
    fn usual_history_room(&self) -> u32 {
        let stable = |(_, chunk): &(usize, &Chunk)| chunk.turn.is_none() && !chunk.placement.is_volatile();
        let stable = sum(self.kept().filter(stable).map(|(_, chunk)| chunk.tokens));
        // What is lent comes back before the history is full.
        let stable = stable.saturating_sub(self.lent);
        let taken = stable.saturating_add(self.summary_room()).saturating_add(self.plan.tail_room());
        let room = self.plan.prompt_limit().saturating_sub(taken);
        self.plan.cap(Layer::RecentHistory).map_or(room, |cap| room.min(cap))
    }

    /// What the turns may take this time, those that are immune included.
    fn most_for_history(&self) -> u32 {
        let immune_turns =
            sum(self.chunks.iter().filter(|c| c.turn.is_some() && is_immune(c)).map(|c| c.tokens));
        let others = self.tokens.saturating_sub(immune_turns);
        let room = self.plan.prompt_limit().saturating_sub(others);
        let layer = Layer::RecentHistory;
        let beside = self.layers.get(&layer).copied().unwrap_or(0).saturating_sub(immune_turns);
        let room = self.plan.cap(layer).map_or(room, |cap| room.min(cap.saturating_sub(beside)));
        room.saturating_sub(if self.chunks.iter().any(lacks_day) { DAY_TOKENS } else { 0 })
    }

    /// The same, with room for what was found for a hard message. Where the steps lie does not move with it: with the next
    /// message the history begins where it did before.
    fn most_beside_finds(&self) -> u32 {
        let most = self.most_for_history();
        let limit = self.plan.prompt_limit();
        let finds = self.plan.cap(Layer::Content).map_or(self.plan.finds, |cap| self.plan.finds.min(cap));
        let beyond = finds.saturating_sub(self.plan.tail_room());
        most.saturating_sub(beyond).max(most.min(percent_of(limit, HISTORY_PERCENT)))
    }

    /// Summaries come one at a time; a room that grew with each of them would move the cut.
    fn summary_room(&self) -> u32 {
        let share = percent_of(self.plan.prompt_limit(), SUMMARY_PERCENT);
        self.plan.cap(Layer::HistorySummary).map_or(share, |cap| share.min(cap))
    }

    /// Where the history begins: where it did in the last prompt, as long as that goes on.
    fn beginning(&self, lines: &[cut::CutTurn], room: cut::CutRoom) -> cut::HistoryStart {
        let start = self.meeting_summaries(lines, cut::at_steps(lines, room), room);
        let Some(began) = self.plan.began else { return start };
        // A line that is not read any more, or was taken back, says nothing of where it began.
        let Some(held) = lines.iter().position(|line| line.ordinal == began.ordinal) else { return start };
        if held == start.first || !cut::goes_on(lines, held, start.first, room) {
            return start;
        }
        cut::HistoryStart { first: held, since: began.since.filter(|since| self.reach_as_far(*since)) }
    }

    /// Whether the summaries of a moment tell of as much of the past as all there are now. Where some of that moment are
    /// gone, because words under them were taken back, the others are made anew.
    fn reach_as_far(&self, since: Timestamp) -> bool {
        let all = || self.chunks.iter().filter_map(|chunk| chunk.stands.as_ref());
        let of_then = all().filter(|stands| stands.stood_at(Some(since)));
        of_then.map(|stands| stands.first).min() == all().map(|stands| stands.first).min()
    }

    /// Lets the history begin where the summaries end that there were when it was cut, so that nothing is missing
    /// between the two and no summary made since has to come in. Where that is too much, the cut stays as it is and
    /// goes with the summaries of now.
    fn meeting_summaries(
        &self,
        lines: &[cut::CutTurn],
        cut: cut::HistoryStart,
        room: cut::CutRoom,
    ) -> cut::HistoryStart {
        let as_it_is = cut::HistoryStart { since: None, ..cut };
        let Some(since) = cut.since.filter(|since| self.reach_as_far(*since)) else { return as_it_is };
        let summaries = self.chunks.iter().filter_map(|chunk| chunk.stands.as_ref());
        let of_then = summaries.filter(|stands| stands.since < since);
        let Some(covered) = of_then.map(|stands| stands.last).max() else { return as_it_is };
        let behind = lines.iter().position(|line| line.ordinal > covered);
        let first = cut.first.min(behind.unwrap_or(lines.len()));
        let fits = cut::tokens_from(lines, first) <= u64::from(room.most.min(room.usual));
        if fits { cut::HistoryStart { first, ..cut } } else { as_it_is }
    }

    /// Takes out the summaries that do not belong before this history: of turns that are all shown, and those in whose
    /// place others stood, or stand only since, at the moment of the cut; `None` for now.
    fn drop_idle_summaries(&mut self, moment: Option<Timestamp>) {
        self.drop_replaced_summaries(moment);
        let Some(first) = self.kept().filter_map(|(_, chunk)| ordinal(chunk)).min() else { return };
        self.leave_summaries(|stands| stands.first >= first);
    }

    fn drop_replaced_summaries(&mut self, moment: Option<Timestamp>) {
        self.leave_summaries(|stands| !stands.stood_at(moment));
    }

    fn leave_summaries(&mut self, is_idle: impl Fn(&SummaryStands) -> bool) {
        for (index, chunk) in self.chunks.iter().enumerate() {
            if chunk.stands.as_ref().is_some_and(&is_idle) && !is_immune(chunk) {
                self.leave(index, ChunkFate::ToldOtherwise);
            }
        }
    }

    /// A looked-up text all of whose turns are in the prompt says nothing new.
    fn drop_repeats(&mut self) {
        let shown: BTreeSet<u64> = self.kept().filter_map(|(_, chunk)| ordinal(chunk)).collect();
        for (index, chunk) in self.chunks.iter().enumerate() {
            if !is_immune(chunk) && chunk.repeats_shown(&shown) {
                self.leave(index, ChunkFate::Duplicate);
            }
        }
    }

    /// Takes a piece out again, if it was in.
    fn leave(&mut self, index: usize, fate: ChunkFate) {
        let chunk = &self.chunks[index];
        if self.fates[index] == Some(ChunkFate::Kept) {
            self.tokens -= chunk.tokens;
            *self.layers.entry(chunk.layer).or_default() -= chunk.tokens;
            *self.sections.entry(chunk.placement.section()).or_default() -= chunk.tokens;
            if let Some(share) = &chunk.share {
                *self.shares.entry(&share.of).or_default() -= chunk.tokens;
            }
        }
        self.fates[index] = Some(fate);
    }

    /// What belongs to a turn leaves with it.
    fn drop_companions_of_turns(&mut self) {
        let gone: Vec<&str> = self
            .chunks
            .iter()
            .zip(&self.fates)
            .filter(|(chunk, fate)| chunk.turn.is_some() && **fate != Some(ChunkFate::Kept))
            .filter_map(|(chunk, _)| chunk.group.as_deref())
            .collect();
        for (index, chunk) in self.chunks.iter().enumerate() {
            let is_left = chunk.group.as_deref().is_some_and(|group| gone.contains(&group));
            let is_in = self.fates[index] == Some(ChunkFate::Kept);
            if is_left && is_in && chunk.turn.is_none() && !is_immune(chunk) {
                self.leave(index, ChunkFate::WithGroup);
            }
        }
    }
}

pub(super) fn ordinal(chunk: &Chunk) -> Option<u64> {
    match chunk.placement {
        Placement::Turn(ordinal) => Some(ordinal),
        _ => None,
    }
}

/// Which of the lines that are shown somebody said first.
fn first_said<'c>(shown: impl Iterator<Item = (usize, &'c Chunk)>) -> Option<usize> {
    let said = shown.filter_map(|(index, chunk)| {
        let line = chunk.turn.as_ref().filter(|line| line.role == Role::User)?;
        ordinal(chunk).and(line.at).map(|at| (at, index))
    });
    said.min().map(|(_, index)| index)
}

/// Whether it begins with the time of a day that it does not name.
fn lacks_day(chunk: &Chunk) -> bool {
    chunk.turn.as_ref().is_some_and(|line| is_clock_alone(&line.prefix))
}

pub(super) fn is_immune(chunk: &Chunk) -> bool {
    chunk.importance == Importance::Axiom
}

fn percent_of(of: u32, percent: u32) -> u32 {
    u32::try_from(u64::from(of) * u64::from(percent) / 100).unwrap_or(u32::MAX)
}

fn sum(tokens: impl Iterator<Item = u32>) -> u32 {
    tokens.fold(0, u32::saturating_add)
}

#[cfg(test)]
mod tests;
