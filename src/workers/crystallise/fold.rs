//! Older summaries become one, so that a past of any length takes the same room.

use super::{Crystallise, EXCERPTS, FRAME, OWN_PERCENT, Rooms, Step, Urgency, Written};
use crate::domain::{Audience, Place, Slot};
use crate::history::{
    Added, Crystal, CrystalLevel, HistoryError, NewCrystal, Summary, fingerprint_of_crystals,
};
use crate::text::names::prompt_label;
use crate::workers::ask::Question;
use crate::workers::wording;

/// The most a fold takes of the summaries' room, in percent: the rest is for the summaries to come.
const SHARE: u32 = 60;

/// Tokens of notes sent to a model at most; longer ones are cut to what tells most first.
const MATERIAL_TOKENS: u32 = 12_000;

/// Names of people that count as such wherever they stand.
const KNOWN_MAX: usize = 32;

impl Crystallise {
    /// Folds the summaries of one audience when they no longer fit their room.
    pub(super) async fn fold(&self, place: &Place, rooms: Rooms) -> Result<Step, HistoryError> {
        let chain = self.parts.history.crystals(&place.channel).await?;
        let mut audiences: Vec<&Audience> = Vec::new();
        for crystal in &chain {
            if !audiences.contains(&&crystal.audience) {
                audiences.push(&crystal.audience);
            }
        }
        for audience in audiences {
            // Words in one were changed while this looked: it is mended first, or the new one would stand for it too.
            if chain.iter().any(|crystal| crystal.stale && crystal.audience == *audience) {
                continue;
            }
            let of_audience: Vec<&Crystal> = chain
                .iter()
                .filter(|crystal| crystal.audience == *audience && !crystal.text.is_empty())
                .collect();
            let takes: u32 = of_audience.iter().map(|crystal| crystal.tokens.saturating_add(FRAME)).sum();
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
        Ok(Step::Done)
    }

    async fn make_fold(
        &self,
        place: &Place,
        rooms: Rooms,
        parts: &[&Crystal],
        urgency: Urgency,
    ) -> Result<Step, HistoryError> {
        let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return Ok(Step::Done) };
        let started = self.started();
        let ids: Vec<_> = parts.iter().map(|part| part.id).collect();
        let inputs = fingerprint_of_crystals(parts.iter().copied());
        let source_tokens = parts.iter().map(|part| part.source_tokens).fold(0, u32::saturating_add);
        let cap = rooms.cap_for(source_tokens, SHARE);
        let lines = wording::lines_of_notes(parts.iter().map(|part| part.text.as_str()));
        let known = self.known_here(place).await?;
        let wanted = wording::wanted(&lines, &known);
        let question = self.merge_question(parts, rooms, cap);
        let excerpts = || wording::excerpts(&lines, &known, cap, rooms.measure);
        let (text, writer, how, calls) = match self.written(place, &question, urgency).await {
            Written::Later(wait, failed) => {
                let (words, calls) =
                    failed.unwrap_or_else(|| ("the hour's model calls are spent".to_owned(), Vec::new()));
                let did =
                    format!("{} summaries wait {} s to become one: {words}", parts.len(), wait.as_secs());
                return Ok(Step::Later(self.run_of(started, did, calls), wait));
            }
            Written::Excerpts { why, calls } => {
                (excerpts(), EXCERPTS.to_owned(), format!(", in excerpts: {why}"), calls)
            }
            Written::Answer { text, model, calls } => {
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
        let new = NewCrystal {
            channel: place.channel.clone(),
            summary: Summary {
                level: CrystalLevel::Fold,
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
        let did = match self.parts.history.add_crystal(new).await? {
            Added::Stored => format!("{} summaries became one of {tokens} tokens{how}", parts.len()),
            Added::Outdated => "summaries changed while they became one; thrown away".to_owned(),
        };
        Ok(Step::More(self.run_of(started, did, calls)))
    }

    /// Who spoke here: in notes their names begin sentences, where a capital alone tells nothing.
    async fn known_here(&self, place: &Place) -> Result<Vec<String>, HistoryError> {
        let authors = self.parts.history.recent_authors(&place.channel, KNOWN_MAX, None).await?;
        let names = authors.iter().map(|author| prompt_label(author.label()));
        Ok(names.chain([self.own_name()]).collect())
    }

    fn merge_question(&self, parts: &[&Crystal], rooms: Rooms, cap: u32) -> Question {
        let tz = self.parts.config.current().display_tz.clone();
        let share = MATERIAL_TOKENS / u32::try_from(parts.len()).unwrap_or(u32::MAX).max(1);
        let mut material = "Earlier notes, to be merged into one text:\n".to_owned();
        for part in parts {
            let text = if rooms.measure.of(&part.text) <= share {
                part.text.clone()
            } else {
                let lines = wording::lines_of_notes([part.text.as_str()]);
                wording::excerpts(&lines, &[], share, rooms.measure)
            };
            let (from, to) = (part.first_at.to_zoned(tz.clone()), part.last_at.to_zoned(tz.clone()));
            material.push_str(&format!("--- {} to {}\n{text}\n", from.strftime("%F"), to.strftime("%F")));
        }
        Question { slot: Slot::HistorySummary, instructions: self.instructions(cap), material, tokens: cap }
    }
}
