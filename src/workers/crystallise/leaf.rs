//! A run of turns becomes a summary.

use super::plan::{self, Model, Stretch, Trigger, Who};
use super::{Crystallise, EXCERPTS, Rooms, Step, Urgency, Written};
use crate::config::{Compaction, PromptName};
use crate::domain::{Place, Slot, StoredId, WindowVerdict};
use crate::history::{
    Added, CrystalLevel, HeardTurn, HistoryError, NewCrystal, Summary, fingerprint_of_turns,
};
use crate::workers::ask::Question;
use crate::workers::wording;

/// The most one summary of turns takes of the summaries' room, in percent.
const SHARE: u32 = 50;

/// More than this many turns are not shown word for word, however short they are: beyond, excerpts now are better than a
/// summary later.
const SHOWN_MOST: u32 = 40;

/// A summary to be made.
struct Task {
    stretch: Stretch,
    urgency: Urgency,
    why: String,
    /// What earlier summaries end with, so that a model knows who is meant.
    before: String,
}

impl Crystallise {
    /// The next stretch, when it is time.
    pub(super) async fn new_leaf(&self, place: &Place, rooms: Rooms) -> Result<Step, HistoryError> {
        let history = &self.parts.history;
        let uncovered = history.uncovered(&place.channel, plan::RETAIN, rooms.measure.encoding).await?;
        let who = self.who_compacts(place);
        let Some(stretch) = plan::next(&uncovered, rooms.conversation, who) else {
            self.asked.done(place);
            self.seen(place, uncovered.newest_id).await?;
            return Ok(Step::Done);
        };
        let full = plan::fullness(&uncovered, rooms.conversation).verdict >= WindowVerdict::Critical;
        let urgency = if full || stretch.trigger == Trigger::NoRoom || uncovered.count > SHOWN_MOST {
            Urgency::Now
        } else {
            Urgency::CanWait
        };
        let before = history.crystals(&place.channel).await?;
        let before = before
            .iter()
            .rev()
            .find(|crystal| crystal.audience == stretch.audience && !crystal.text.is_empty());
        let task = Task {
            why: stretch.trigger.words().to_owned(),
            before: before.map(|crystal| crystal.text.clone()).unwrap_or_default(),
            stretch,
            urgency,
        };
        let step = self.make(place, rooms, task).await;
        self.seen(place, uncovered.newest_id).await?;
        step
    }

    fn who_compacts(&self, place: &Place) -> Who {
        let asked = || if self.asked.is_for(place) { Model::Asked } else { Model::Silent };
        match self.parts.config.current().providers.history.compaction {
            Compaction::Auto => Who::System,
            Compaction::Soft => Who::Model(asked()),
            Compaction::Hybrid => Who::Both(asked()),
        }
    }

    /// The first summary whose words were changed or taken back since: made anew from what still stands.
    pub(super) async fn mend_leaf(&self, place: &Place, rooms: Rooms) -> Result<Step, HistoryError> {
        let history = &self.parts.history;
        let chain = history.crystals(&place.channel).await?;
        let Some(stale) = chain.into_iter().find(|crystal| crystal.stale) else { return Ok(Step::Done) };
        let turns = history
            .stretch(&place.channel, stale.first_ordinal, stale.last_ordinal, rooms.measure.encoding)
            .await?;
        let task = Task {
            why: "words in it were changed or taken back".to_owned(),
            before: String::new(),
            stretch: Stretch {
                source_tokens: plan::weight(&turns),
                turns,
                first: stale.first_ordinal,
                last: stale.last_ordinal,
                trigger: Trigger::Turns,
                audience: stale.summary.audience,
            },
            urgency: Urgency::CanWait,
        };
        self.make(place, rooms, task).await
    }

    async fn make(&self, place: &Place, rooms: Rooms, task: Task) -> Result<Step, HistoryError> {
        let Task { stretch, urgency, why, before } = task;
        let (first, last) = (stretch.first, stretch.last);
        let started = self.started();
        let history = &self.parts.history;
        let inputs = fingerprint_of_turns(&stretch.turns);
        let own_name = self.own_name();
        let cap = rooms.cap_for(stretch.source_tokens, SHARE);
        let lines = wording::lines_of(&stretch.turns, &own_name);
        let known = wording::speakers(&stretch.turns, &own_name);
        let question = self.question(&stretch.turns, &own_name, &before, cap);
        let written = if lines.is_empty() {
            Written::excerpts("nothing of it still stands", Vec::new())
        } else {
            self.written(place, &question, urgency).await
        };
        let excerpts = || wording::excerpts(&lines, &known, cap, rooms.measure);
        let (text, writer, how, calls) = match written {
            Written::Later(wait, failed) => {
                let (words, calls) =
                    failed.unwrap_or_else(|| ("the hour's model calls are spent".to_owned(), Vec::new()));
                let did = format!("messages {first}–{last} wait {} s: {words}", wait.as_secs());
                return Ok(Step::Later(self.run_of(started, did, calls), wait));
            }
            Written::Excerpts { why, calls } => {
                (excerpts(), EXCERPTS.to_owned(), format!(", in excerpts: {why}"), calls)
            }
            Written::Answer { text, model, calls } => {
                let wanted = wording::wanted(&lines, &known);
                match wording::from_answer(&text, &lines, &wanted, cap, rooms.measure) {
                    Some(text) => (text, model.clone(), format!(" by {model}"), calls),
                    None => {
                        let how = format!(", in excerpts: the answer of {model} was of no use");
                        (excerpts(), EXCERPTS.to_owned(), how, calls)
                    }
                }
            }
        };
        let tokens = rooms.measure.of(&text);
        let added = history
            .add_crystal(NewCrystal {
                channel: place.channel.clone(),
                summary: Summary {
                    level: CrystalLevel::Leaf,
                    audience: stretch.audience.clone(),
                    first_ordinal: first,
                    last_ordinal: last,
                    first_at: said_at(stretch.turns.first(), started.at),
                    last_at: said_at(stretch.turns.last(), started.at),
                    source_tokens: stretch.source_tokens,
                    tokens,
                    text,
                    writer,
                    made_at: started.at,
                },
                parts: Vec::new(),
                inputs,
            })
            .await?;
        let did = match added {
            Added::Stored => format!(
                "messages {first}–{last} ({} tokens) summed up in {tokens}{how}; {why}",
                stretch.source_tokens
            ),
            Added::Outdated => {
                format!("messages {first}–{last} changed while they were summed up; thrown away")
            }
        };
        Ok(Step::More(self.run_of(started, did, calls)))
    }

    fn question(&self, turns: &[HeardTurn], own_name: &str, before: &str, cap: u32) -> Question {
        let tz = self.parts.config.current().display_tz.clone();
        let mut material = String::new();
        if !before.is_empty() {
            material.push_str(&format!("Noted before, not to be repeated:\n{before}\n\n"));
        }
        material.push_str(&format!("The messages:\n{}\n", wording::transcript(turns, own_name, &tz)));
        Question { slot: Slot::HistorySummary, instructions: self.instructions(cap), material, tokens: cap }
    }

    pub(super) fn instructions(&self, cap: u32) -> String {
        // A token is about three quarters of a word.
        let words = (cap * 3 / 4).max(8);
        let prompt = self.parts.config.prompt(PromptName::Summary);
        format!("{prompt}\nAt most {words} words.")
    }

    /// Moves the mark of what was looked at; on every way out.
    async fn seen(&self, place: &Place, newest: Option<StoredId>) -> Result<(), HistoryError> {
        let Some(newest) = newest else { return Ok(()) };
        let now = self.parts.clock.now();
        self.parts.history.advance_watermark(super::WATERMARK, place.channel.as_str(), newest, now).await
    }
}

fn said_at(heard: Option<&HeardTurn>, otherwise: jiff::Timestamp) -> jiff::Timestamp {
    heard.map_or(otherwise, |heard| heard.turn.at)
}
