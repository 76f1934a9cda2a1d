//! Older turns become summaries, older summaries become one (contradiction 9, M3, Y9).
//!
//! Every look ends with its watermark moved: what a model could not sum up after four tries is kept in excerpts, so no
//! stretch is ever sent a fifth time.

mod plan;
mod write;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::Mutex;
use tokio::time::Instant;

use super::ask::{AskError, HourlyAllowance, Retries, SideQuestion, ask_worker_model};
use super::job::{Job, JobEnd, WorkerParts};
use super::wording;
use crate::config::ChannelConfig;
use crate::domain::{ChannelId, Layer, ModelCall, Place, Slot, TokenEncoding, WindowFigures, WorkerRun};
use crate::history::HistoryError;
use crate::llm::ModelDescription;

/// The most a summary takes, in tokens (M3).
const MOST_TOKENS: u32 = 800;

/// A summary takes at most this part of what it stands for.
const PART: u32 = 10;

/// The least a summary may take, however little it stands for: who spoke.
const LEAST_TOKENS: u32 = 12;

/// What a summary takes in a prompt besides its words: the message's frame and the line over it.
const FRAME: u32 = 40;

/// The part of the summaries' layer that is for this channel's own past, in percent; the rest is for what goes on
/// elsewhere.
const OWN_PERCENT: u32 = 75;

/// The summaries' room where their layer has no cap of its own, in tokens.
const OWN_UNCAPPED: u32 = 1_600;

/// How long to wait before a try that failed is made again; each further wait is twice as long …
const FIRST_WAIT: Duration = Duration::from_secs(10);
/// … and there are so many; then excerpts.
const TRIES_AGAIN: u32 = 3;

/// Summaries made in one look; the rest is for the next.
const STEPS_MAX: usize = 200;

/// How long until that next look.
const PAUSE: Duration = Duration::from_secs(5);

/// The name of this job's marks, as it stands in databases and records.
const WATERMARK: &str = "crystallise";

/// Who wrote a summary that no model did.
pub(super) const EXCERPTS: &str = "excerpts";

/// How full the room for the conversation's newest part is; empty when it cannot be read.
pub(super) async fn pressure(parts: &WorkerParts, place: &Place) -> WindowFigures {
    let rooms = Rooms::of(parts, place);
    // More turns than these cannot make it fuller than twice full, however short they are.
    let enough = rooms.conversation.saturating_mul(2) / plan::TURN_FRAME + 1;
    let weight = parts.history.whole().uncovered_weight(&place.channel, rooms.encoding, enough).await;
    let (turns, tokens) = weight.unwrap_or_default();
    WindowFigures::of(tokens.saturating_add(turns.saturating_mul(plan::TURN_FRAME)), rooms.conversation)
}

/// The room there is in a place, in tokens as they are counted here.
#[derive(Debug, Clone, Copy)]
struct Rooms {
    /// For turns word for word.
    conversation: u32,
    summaries: u32,
    encoding: TokenEncoding,
}

impl Rooms {
    fn of(parts: &WorkerParts, place: &Place) -> Self {
        let channel = parts.config.channel_in(place);
        let model = parts.models.slot(Slot::MainProse).describe();
        Self {
            conversation: unscaled(
                layer(&channel, Layer::RecentHistory, channel.figures.budget_tokens / 2),
                &model,
            ),
            summaries: unscaled(
                layer(&channel, Layer::HistorySummary, OWN_UNCAPPED) * OWN_PERCENT / 100,
                &model,
            ),
            encoding: model.encoding,
        }
    }

    /// What a summary of so much may take.
    fn cap_for(self, source_tokens: u32, share_percent: u32) -> u32 {
        let share = (self.summaries * share_percent / 100).saturating_sub(FRAME);
        (source_tokens / PART).clamp(LEAST_TOKENS, MOST_TOKENS).min(share)
    }
}

fn layer(channel: &ChannelConfig, layer: Layer, uncapped: u32) -> u32 {
    match channel.figures.layers.get(&layer) {
        Some(Some(cap)) => *cap,
        Some(None) => uncapped,
        None => 0,
    }
}

/// The budget counts the model's own tokens; here they are counted before they are scaled.
fn unscaled(tokens: u32, model: &ModelDescription) -> u32 {
    let scaled = f64::from(tokens) / model.token_ratio.max(0.1);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cap divided by at least a tenth"
    )]
    let scaled = scaled.floor().clamp(0.0, f64::from(u32::MAX)) as u32;
    scaled
}

/// Where one look has come to.
enum SummaryStep {
    /// There is nothing (more) to do.
    Done,
    /// Something was done; look again.
    More(WorkerRun),
    Later(WorkerRun, Duration),
}

#[derive(Debug)]
pub(super) struct SumUp {
    parts: WorkerParts,
    allowance: Arc<HourlyAllowance>,
    asked: Arc<SummaryRequests>,
    retries: Retries<Instant>,
    /// It was said in the log that a model's summaries are of no use.
    is_useless_told: AtomicBool,
}

impl SumUp {
    pub(super) fn new(
        parts: WorkerParts,
        allowance: Arc<HourlyAllowance>,
        asked: Arc<SummaryRequests>,
    ) -> Self {
        let is_useless_told = AtomicBool::new(false);
        Self { parts, allowance, asked, retries: Retries::after(FIRST_WAIT, TRIES_AGAIN), is_useless_told }
    }

    /// The text of a summary: a model's, or excerpts where none can be had. Where there is time, it waits instead for the
    /// hour and for a model that failed.
    async fn text_of(
        &self,
        place: &Place,
        encoding: TokenEncoding,
        source: SummaryInput,
    ) -> Result<SummaryText, Waits> {
        let SummaryInput { question, lines, known, urgency } = source;
        let cap = question.tokens;
        let excerpts = |why: &str, calls| SummaryText {
            text: wording::excerpts(&lines, &known, cap, encoding),
            writer: EXCERPTS.to_owned(),
            how: format!(", in excerpts: {why}"),
            calls,
        };
        let spent = || "the hour's model calls are spent".to_owned();
        if lines.is_empty() {
            return Ok(excerpts("nothing of it still stands", Vec::new()));
        }
        let now = Instant::now();
        if let Some(until) = self.retries.not_before(&place.channel, now) {
            let wait = until.duration_since(now);
            let why = "waiting for a model that failed";
            return match urgency {
                Urgency::Now => Ok(excerpts(why, Vec::new())),
                Urgency::CanWait => Err(Waits { wait, why: why.to_owned(), calls: Vec::new() }),
            };
        }
        let session = self.parts.session_key(place.platform, &place.channel);
        let answer = ask_worker_model(self.parts.models.as_ref(), &self.allowance, &question, session).await;
        let (calls, model) = (answer.calls, answer.model);
        let why = match answer.text {
            Ok(text) => {
                self.retries.forget(&place.channel);
                let wanted = wording::particulars_to_keep(&lines, &known);
                match wording::from_answer(&text, &lines, &wanted, cap, encoding) {
                    Some(text) => {
                        let how = format!(" by {model}");
                        return Ok(SummaryText { text, writer: model, how, calls });
                    }
                    None => {
                        self.tell_useless(&model, question.slot);
                        format!("the answer of {model} was of no use")
                    }
                }
            }
            Err(AskError::Spent(wait)) => match urgency {
                Urgency::Now => spent(),
                Urgency::CanWait => return Err(Waits { wait, why: spent(), calls }),
            },
            Err(AskError::Transient(why)) => {
                if urgency == Urgency::CanWait
                    && let Some(wait) = self.retries.failed(&place.channel, now)
                {
                    return Err(Waits { wait, why, calls });
                }
                self.retries.forget(&place.channel);
                why
            }
            Err(AskError::Deterministic(why)) => {
                self.retries.forget(&place.channel);
                why
            }
        };
        Ok(excerpts(&why, calls))
    }

    /// Says it in the log, once: such a model goes on so, and each summary says it in its own record. That a rehearsal writes
    /// none is no news.
    fn tell_useless(&self, model: &str, slot: Slot) {
        if self.parts.models.slot(slot).describe().is_rehearsal()
            || self.is_useless_told.swap(true, Ordering::Relaxed)
        {
            return;
        }
        tracing::warn!(
            model,
            "its summaries are empty, or not about what was said; excerpts stand in for them. Choose another model for \
             them: [llm.history_summary] model in character.toml"
        );
    }

    fn own_name(&self) -> String {
        self.parts.character.current().spoken_name().to_owned()
    }
}

/// Whether there is time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Urgency {
    /// There is room; a summary is worth waiting for.
    CanWait,
    /// Messages are being left out of prompts.
    Now,
}

/// What a summary is made of.
struct SummaryInput {
    question: SideQuestion,
    lines: Vec<wording::WordedLine>,
    /// Names of people that count as such wherever they stand.
    known: Vec<String>,
    urgency: Urgency,
}

/// A summary's text, who wrote it, and how that came about.
struct SummaryText {
    text: String,
    writer: String,
    how: String,
    calls: Vec<ModelCall>,
}

/// There is none yet.
struct Waits {
    wait: Duration,
    why: String,
    calls: Vec<ModelCall>,
}

#[async_trait]
impl Job for SumUp {
    fn name(&self) -> &'static str {
        WATERMARK
    }

    async fn look(&self, place: &Place, end: &mut JobEnd) -> Result<(), HistoryError> {
        let rooms = Rooms::of(&self.parts, place);
        if rooms.summaries == 0 {
            // The operator wants no summaries: turns stay turns.
            return Ok(());
        }
        for _ in 0..STEPS_MAX {
            // What is stale is emptied already; it comes first, so that holes close.
            let step = match self.mend_leaf(place, rooms).await? {
                SummaryStep::Done => match self.new_leaf(place, rooms).await? {
                    SummaryStep::Done => self.fold(place, rooms).await?,
                    step => step,
                },
                step => step,
            };
            match step {
                SummaryStep::Done => return Ok(()),
                SummaryStep::More(run) => end.runs.push(run),
                SummaryStep::Later(run, wait) => {
                    end.runs.push(run);
                    end.again = Some(wait);
                    return Ok(());
                }
            }
        }
        end.again = Some(PAUSE);
        Ok(())
    }
}

/// Channels that are remembered; one more can be asked for again.
const ASKED_MAX: usize = 1_024;

/// The channels of which older messages are to be summed up once, because a model asked for it (Y6).
#[derive(Debug, Default)]
pub(super) struct SummaryRequests {
    channels: Mutex<HashSet<ChannelId>>,
}

impl SummaryRequests {
    pub(super) fn add(&self, place: &Place) {
        let mut channels = self.channels.lock();
        if channels.len() < ASKED_MAX {
            channels.insert(place.channel.clone());
        }
    }

    /// Whether one did and nothing was made of it yet.
    fn is_for(&self, place: &Place) -> bool {
        self.channels.lock().contains(&place.channel)
    }

    /// What was asked for is there, or there is nothing to make it of.
    fn done(&self, place: &Place) {
        self.channels.lock().remove(&place.channel);
    }
}
