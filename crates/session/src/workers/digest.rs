//! What goes on in the channels that the people of a place may hear of, in a sentence or two (familiar-connect
//! 1.7). Made when somebody speaks in the place that would hear of it, so that silent places cost nothing.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::ask::{HourlyAllowance, SideQuestion, ask_worker_model};
use super::job::{Job, JobEnd, WorkerParts};
use super::summaries::EXCERPTS;
use super::wording;
use crate::config::PromptName;
use crate::domain::{Audience, Place, Platform, Slot, WorkerRun};
use crate::history::{DigestChannel, HistoryError, NewDigest, Visible, fingerprint_of_turns};
use crate::text::short::one_line;

/// Channels told of in one place at most (familiar-connect 1.7).
const CHANNELS: usize = 2;

/// Talk older than this is no news.
const NEWS: Duration = Duration::from_secs(24 * 3600);

/// Messages a digest is made of at most.
const TURNS: u32 = 12;

/// Fewer than this are no talk worth telling of.
const TURNS_LEAST: usize = 3;

/// A channel where everybody keeps talking is told of anew after this many messages, not after every one.
const NEW_TURNS: usize = 5;

/// Longest digest, in tokens: a sentence or two.
const TOKENS: u32 = 60;

#[derive(Debug)]
pub(super) struct TellElsewhere {
    parts: WorkerParts,
    allowance: Arc<HourlyAllowance>,
}

impl TellElsewhere {
    pub(super) fn new(parts: WorkerParts, allowance: Arc<HourlyAllowance>) -> Self {
        Self { parts, allowance }
    }

    async fn tell(
        &self,
        platform: Platform,
        source: &DigestChannel,
    ) -> Result<Option<WorkerRun>, HistoryError> {
        let started = self.parts.started(self.name());
        let history = &self.parts.history;
        let encoding = self.parts.models.slot(Slot::MainProse).describe().encoding;
        let turns =
            history.whole().newest_heard_by(&source.channel, &source.audience, TURNS, encoding).await?;
        let new = turns.iter().filter(|turn| source.told.is_none_or(|told| turn.id > told)).count();
        let wanted_new = if source.told.is_some() { NEW_TURNS } else { TURNS_LEAST };
        let (Some(first), Some(last)) = (turns.first(), turns.last()) else { return Ok(None) };
        if turns.len() < TURNS_LEAST || new < wanted_new {
            return Ok(None);
        }
        let (first_ordinal, last_ordinal) = (first.ordinal, last.ordinal);
        let inputs = fingerprint_of_turns(&turns);
        let own_name = self.parts.character.current().spoken_name().to_owned();
        let lines = wording::worded_lines(&turns, &own_name);
        let known = wording::speaker_names(&turns, &own_name);
        let tz = self.parts.config.current().display_tz.clone();
        let question = SideQuestion {
            slot: Slot::HistorySummary,
            instructions: self.parts.config.prompt(PromptName::Digest).to_string(),
            material: format!("The messages:\n{}\n", wording::worded_transcript(&turns, &own_name, &tz)),
            tokens: TOKENS,
        };
        let session = self.parts.session_key(platform, &source.channel);
        let answer = ask_worker_model(self.parts.models.as_ref(), &self.allowance, &question, session).await;
        let calls = answer.calls;
        let written =
            answer.text.ok().and_then(|text| wording::from_answer(&text, &lines, &[], TOKENS, encoding));
        let (text, writer) = written
            .map(|text| (text, answer.model))
            .unwrap_or_else(|| (wording::excerpts(&lines, &known, TOKENS, encoding), EXCERPTS.to_owned()));
        let text = one_line(&text);
        let kept = history
            .add_digest(NewDigest {
                channel: source.channel.clone(),
                audience: source.audience.clone(),
                first_ordinal,
                last_ordinal,
                last_turn: last.id,
                last_at: last.at,
                text,
                writer: writer.clone(),
                inputs,
                made_at: started.at,
            })
            .await?;
        let fate = if kept { "told" } else { "changed while it was told; thrown away" };
        let did =
            format!("the last {} messages of channel {}: {fate}, by {writer}", turns.len(), source.channel);
        Ok(Some(started.ended(did, calls)))
    }
}

#[async_trait]
impl Job for TellElsewhere {
    fn name(&self) -> &'static str {
        "elsewhere"
    }

    async fn look(&self, place: &Place, end: &mut JobEnd) -> Result<(), HistoryError> {
        // Whoever is in a guild's channel, also behind a closed door, can see what the whole guild can. Who of a guild
        // somebody in a direct message is, is not known here.
        let Some(guild) = place.guild.clone() else { return Ok(()) };
        let visible = Visible::only([Audience::Guild(guild)]);
        let now = self.parts.clock.now();
        let since = now.checked_sub(NEWS).unwrap_or(now);
        let sources =
            self.parts.history.seen_by(&visible).active_elsewhere(&place.channel, since, CHANNELS).await?;
        for source in sources {
            if source.told != Some(source.newest)
                && let Some(run) = self.tell(place.platform, &source).await?
            {
                end.runs.push(run);
            }
        }
        Ok(())
    }
}
