//! A run of turns becomes a summary, and older summaries become one, so that a past of any length takes the same room.

use super::plan::{self, ModelAsked, Stretch, Trigger, Who};
use super::{FRAME, OWN_PERCENT, Rooms, SumUp, SummaryInput, SummaryStep, SummaryText, Urgency, Waits};
use crate::config::{Compaction, PromptName};
use crate::domain::{Audience, Place, Slot, StoredId, StoredTurn, Visible, WindowVerdict};
use crate::history::{
    Added, HistoryError, KeptSummary, NewSummary, Summary, SummaryLevel, fingerprint_of_summaries,
    fingerprint_of_turns,
};
use crate::text::names::prompt_label;
use crate::text::tokens;
use crate::workers::ask::SideQuestion;
use crate::workers::job::Job as _;
use crate::workers::wording;

/// The most one summary of turns takes of the summaries' room, in percent.
const LEAF_SHARE: u32 = 50;

/// More than this many turns are not shown word for word, however short they are: beyond, excerpts now are better than a
/// summary later.
const SHOWN_MOST: u32 = 40;

struct SummaryTask {
    stretch: Stretch,
    urgency: Urgency,
    why: String,
    /// What earlier summaries end with, so that a model knows who is meant.
    before: String,
}

impl SumUp {
    /// The next stretch, when it is time.
    pub(super) async fn new_leaf(&self, place: &Place, rooms: Rooms) -> Result<SummaryStep, HistoryError> {
        let history = &self.parts.history;
        let uncovered = history.whole().uncovered(&place.channel, plan::RETAIN, rooms.encoding).await?;
        let who = self.who_compacts(place);
        let Some(stretch) = plan::next_stretch(&uncovered, rooms.conversation, who) else {
            self.asked.done(place);
            self.seen(place, uncovered.newest_id).await?;
            return Ok(SummaryStep::Done);
        };
        let full = plan::fullness(&uncovered, rooms.conversation).verdict >= WindowVerdict::Critical;
        let urgency = if full || stretch.trigger == Trigger::NoRoom || uncovered.count > SHOWN_MOST {
            Urgency::Now
        } else {
            Urgency::CanWait
        };
        let before = history.whole().summaries(&place.channel).await?;
        let before = before
            .iter()
            .rev()
            .find(|summary| summary.audience == stretch.audience && !summary.text.is_empty());
        let task = SummaryTask {
            why: stretch.trigger.words().to_owned(),
            before: before.map(|summary| summary.text.clone()).unwrap_or_default(),
            stretch,
            urgency,
        };
        let step = self.make(place, rooms, task).await;
        self.seen(place, uncovered.newest_id).await?;
        step
    }

    fn who_compacts(&self, place: &Place) -> Who {
        let asked = || if self.asked.is_for(place) { ModelAsked::Asked } else { ModelAsked::Silent };
        match self.parts.config.current().providers.history.compaction {
            Compaction::Auto => Who::System,
            Compaction::Soft => Who::Model(asked()),
            Compaction::Hybrid => Who::Both(asked()),
        }
    }

    /// The first summary whose words were changed or taken back since: made anew from what still stands.
    pub(super) async fn mend_leaf(&self, place: &Place, rooms: Rooms) -> Result<SummaryStep, HistoryError> {
        let history = &self.parts.history;
        let chain = history.whole().summaries(&place.channel).await?;
        let Some(stale) = chain.into_iter().find(|summary| summary.stale) else {
            return Ok(SummaryStep::Done);
        };
        let turns = history
            .whole()
            .stretch(&place.channel, stale.first_ordinal, stale.last_ordinal, rooms.encoding)
            .await?;
        let task = SummaryTask {
            why: "words in it were changed or taken back".to_owned(),
            before: String::new(),
            stretch: Stretch {
                source_tokens: plan::tokens_in_prompt(&turns),
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

    async fn make(
        &self,
        place: &Place,
        rooms: Rooms,
        task: SummaryTask,
    ) -> Result<SummaryStep, HistoryError> {
        let SummaryTask { stretch, urgency, why, before } = task;
        let (first, last) = (stretch.first, stretch.last);
        let started = self.parts.started(self.name());
        let history = &self.parts.history;
        let inputs = fingerprint_of_turns(&stretch.turns);
        let own_name = self.own_name();
        let cap = rooms.cap_for(stretch.source_tokens, LEAF_SHARE);
        let source = SummaryInput {
            question: self.question(&stretch.turns, &own_name, &before, cap),
            lines: wording::worded_lines(&stretch.turns, &own_name),
            known: wording::speaker_names(&stretch.turns, &own_name),
            urgency,
        };
        let SummaryText { text, writer, how, calls } = match self.text_of(place, rooms.encoding, source).await
        {
            Ok(text) => text,
            Err(Waits { wait, why, calls }) => {
                let did = format!("messages {first}–{last} wait {} s: {why}", wait.as_secs());
                return Ok(SummaryStep::Later(started.ended(did, calls), wait));
            }
        };
        let tokens = tokens::count(rooms.encoding, &text);
        let added = history
            .add_summary(NewSummary {
                channel: place.channel.clone(),
                summary: Summary {
                    level: SummaryLevel::Leaf,
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
        Ok(SummaryStep::More(started.ended(did, calls)))
    }

    fn question(&self, turns: &[StoredTurn], own_name: &str, before: &str, cap: u32) -> SideQuestion {
        let tz = self.parts.config.current().display_tz.clone();
        let mut material = String::new();
        if !before.is_empty() {
            material.push_str(&format!("Noted before, not to be repeated:\n{before}\n\n"));
        }
        material.push_str(&format!("The messages:\n{}\n", wording::worded_transcript(turns, own_name, &tz)));
        self.in_short(material, cap)
    }

    /// Asks for a summary of at most so many tokens.
    fn in_short(&self, material: String, cap: u32) -> SideQuestion {
        // A token is about three quarters of a word.
        let words = (cap * 3 / 4).max(8);
        let prompt = self.parts.config.prompt(PromptName::Summary);
        let instructions = format!("{prompt}\nAt most {words} words.");
        SideQuestion { slot: Slot::HistorySummary, instructions, material, tokens: cap }
    }

    /// Moves the mark of what was looked at; on every way out.
    async fn seen(&self, place: &Place, newest: Option<StoredId>) -> Result<(), HistoryError> {
        let Some(newest) = newest else { return Ok(()) };
        self.parts.is_done(super::WATERMARK, place, newest).await
    }
}

fn said_at(heard: Option<&StoredTurn>, otherwise: jiff::Timestamp) -> jiff::Timestamp {
    heard.map_or(otherwise, |turn| turn.at)
}

/// The most a fold takes of the summaries' room, in percent: the rest is for the summaries to come.
const FOLD_SHARE: u32 = 60;

/// Tokens of notes sent to a model at most; longer ones are cut to what tells most first.
const MATERIAL_TOKENS: u32 = 12_000;

/// Names of people that count as such wherever they stand.
const KNOWN_MAX: usize = 32;

impl SumUp {
    /// Folds the summaries of one audience when they no longer fit their room.
    pub(super) async fn fold(&self, place: &Place, rooms: Rooms) -> Result<SummaryStep, HistoryError> {
        let chain = self.parts.history.whole().summaries(&place.channel).await?;
        let mut audiences: Vec<&Audience> = Vec::new();
        for summary in &chain {
            if !audiences.contains(&&summary.audience) {
                audiences.push(&summary.audience);
            }
        }
        for audience in audiences {
            // Words in one were changed while this looked: it is mended first, or the new one would stand for it too.
            if chain.iter().any(|summary| summary.stale && summary.audience == *audience) {
                continue;
            }
            let of_audience: Vec<&KeptSummary> = chain
                .iter()
                .filter(|summary| summary.audience == *audience && !summary.text.is_empty())
                .collect();
            let takes: u32 = of_audience.iter().map(|summary| summary.tokens.saturating_add(FRAME)).sum();
            if of_audience.len() < 2 || takes <= rooms.summaries {
                continue;
            }
            // The newest stays by itself: folding it at once would sum it up twice in a row.
            let parts = &of_audience[..(of_audience.len() - 1).max(2).min(of_audience.len())];
            // What is beyond the whole layer is left out of prompts until this is done.
            let urgency =
                if takes > rooms.summaries * 100 / OWN_PERCENT { Urgency::Now } else { Urgency::CanWait };
            return self.make_fold(place, rooms, parts, urgency).await;
        }
        Ok(SummaryStep::Done)
    }

    async fn make_fold(
        &self,
        place: &Place,
        rooms: Rooms,
        parts: &[&KeptSummary],
        urgency: Urgency,
    ) -> Result<SummaryStep, HistoryError> {
        let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return Ok(SummaryStep::Done) };
        let started = self.parts.started(self.name());
        let ids: Vec<_> = parts.iter().map(|part| part.id).collect();
        let inputs = fingerprint_of_summaries(parts.iter().copied());
        let source_tokens = parts.iter().map(|part| part.source_tokens).fold(0, u32::saturating_add);
        let cap = rooms.cap_for(source_tokens, FOLD_SHARE);
        let source = SummaryInput {
            question: self.merge_question(parts, rooms, cap),
            lines: wording::lines_of_notes(parts.iter().map(|part| part.text.as_str())),
            known: self.known_here(place).await?,
            urgency,
        };
        let SummaryText { text, writer, how, calls } = match self.text_of(place, rooms.encoding, source).await
        {
            Ok(text) => text,
            Err(Waits { wait, why, calls }) => {
                let wait_s = wait.as_secs();
                let did = format!("{} summaries wait {wait_s} s to become one: {why}", parts.len());
                return Ok(SummaryStep::Later(started.ended(did, calls), wait));
            }
        };
        let tokens = tokens::count(rooms.encoding, &text);
        let new = NewSummary {
            channel: place.channel.clone(),
            summary: Summary {
                level: SummaryLevel::Fold,
                audience: first.audience.clone(),
                first_ordinal: parts
                    .iter()
                    .map(|part| part.first_ordinal)
                    .min()
                    .unwrap_or(first.first_ordinal),
                last_ordinal: last.last_ordinal,
                first_at: first.first_at,
                last_at: last.last_at,
                source_tokens,
                tokens,
                text,
                writer,
                made_at: started.at,
            },
            parts: ids,
            inputs,
        };
        let did = match self.parts.history.add_summary(new).await? {
            Added::Stored => format!("{} summaries became one of {tokens} tokens{how}", parts.len()),
            Added::Outdated => "summaries changed while they became one; thrown away".to_owned(),
        };
        Ok(SummaryStep::More(started.ended(did, calls)))
    }

    /// Who spoke here: in notes their names begin sentences, where a capital alone tells nothing.
    async fn known_here(&self, place: &Place) -> Result<Vec<String>, HistoryError> {
        let history = &self.parts.history;
        let authors =
            history.seen_by(&Visible::at(place)).recent_authors(&place.channel, KNOWN_MAX, None).await?;
        let names = authors.iter().map(|author| prompt_label(author.label()));
        Ok(names.chain([self.own_name()]).collect())
    }

    fn merge_question(&self, parts: &[&KeptSummary], rooms: Rooms, cap: u32) -> SideQuestion {
        let tz = self.parts.config.current().display_tz.clone();
        let share = MATERIAL_TOKENS / u32::try_from(parts.len()).unwrap_or(u32::MAX).max(1);
        let mut material = "Earlier notes, to be merged into one text:\n".to_owned();
        for part in parts {
            let text = if tokens::count(rooms.encoding, &part.text) <= share {
                part.text.clone()
            } else {
                let lines = wording::lines_of_notes([part.text.as_str()]);
                wording::excerpts(&lines, &[], share, rooms.encoding)
            };
            let (from, to) = (part.first_at.to_zoned(tz.clone()), part.last_at.to_zoned(tz.clone()));
            material.push_str(&format!("--- {} to {}\n{text}\n", from.strftime("%F"), to.strftime("%F")));
        }
        self.in_short(material, cap)
    }
}
