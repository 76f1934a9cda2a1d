//! The conversation here: summaries of what is older, then the newest turns, word for word.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::{SpanRound, Timestamp, Unit};

use super::crystals::{crystal_contributions, hidden_turns};
use super::meanwhile::{MEANWHILE_CHANNELS, meanwhile_line};
use super::{ContextProvider, ProviderError};
use crate::config::{HistoryStyle, LiveConfig};
use crate::context::contribution::{Contribution, Importance, Placement, TailPart, Trust, TurnLine};
use crate::context::request::TurnRequest;
use crate::context::weed::may_be_used;
use crate::domain::{Layer, Role, StoredTurn};
use crate::history::{Digest, History, RecentQuery};
use crate::text::names::prompt_label;

/// Spoken style tells pauses from this length on, novel style from [`LONG_GAP`] on (specs familiar-connect 1.4).
const SHORT_GAP: Duration = Duration::from_secs(30);
const LONG_GAP: Duration = Duration::from_secs(300);

/// Turns that can gather between two summaries, and some that come while one is made (specs mechanisms M3).
const BETWEEN_SUMMARIES: u32 = 40;

/// Contributes the summaries of the channel and the recent window of the channel and mode (the mode filter keeps one mode's style out of another;
/// specs familiar-connect 1.7).
#[derive(Debug)]
pub struct RecentHistoryProvider {
    history: Arc<History>,
    config: Arc<LiveConfig>,
}

impl RecentHistoryProvider {
    /// Reads from `history`; the window size comes from the live configuration.
    #[must_use]
    pub fn new(history: Arc<History>, config: Arc<LiveConfig>) -> Self {
        Self { history, config }
    }
}

#[async_trait]
impl ContextProvider for RecentHistoryProvider {
    fn name(&self) -> &'static str {
        "recent_history"
    }

    fn deadline(&self) -> Duration {
        Duration::from_secs(15)
    }

    async fn contribute(&self, request: &TurnRequest) -> Result<Vec<Contribution>, ProviderError> {
        let window = self.config.current().history_window.max(1);
        let query = RecentQuery {
            mode: Some(request.channel.mode),
            max_turns: shown_most(window),
            until: request.as_of,
            encoding: request.model.encoding,
        };
        // Summaries and turns of one moment: a turn is in the one or the other.
        let conversation = self
            .history
            .conversation(&request.place.channel, query)
            .await
            .map_err(|error| ProviderError(error.to_string()))?;
        let mut turns = conversation.turns;
        let read = turns.len();
        if conversation.covered_to == 0 || turns.len() >= shown_most(window) as usize {
            keep_whole_blocks(&mut turns, u64::from(window));
        }
        let left_out = read.saturating_sub(turns.len())
            + conversation.left_out as usize
            + hidden_turns(&conversation.crystals, request);
        let elsewhere = match request.channel.history_style {
            HistoryStyle::Breadcrumbs => elsewhere(&self.history, request, turns.first()).await,
            HistoryStyle::Clock | HistoryStyle::GapHints => Vec::new(),
        };
        for pending in &request.pending {
            if !turns.iter().any(|turn| turn.id == pending.id) {
                turns.push(pending.clone());
            }
        }
        turns.sort_by_key(|turn| turn.ordinal);
        let mut given = crystal_contributions(&conversation.crystals, request);
        given.extend(turn_contributions_among(&turns, request, &elsewhere));
        given.extend(not_shown(left_out, request));
        Ok(given)
    }
}

/// How many turns are neither shown nor summed up yet: the model is told, and the trace counts them.
fn not_shown(count: usize, request: &TurnRequest) -> Option<Contribution> {
    (count > 0).then(|| {
        Contribution::new(
            format!("history/{count} not shown"),
            Layer::RecentHistory,
            Placement::Tail(TailPart::Status),
            Trust::Program,
            request.place.audience.clone(),
            format!("{count} earlier messages here are not shown."),
        )
    })
}

/// How many turns are read: twice the window, and at least what can gather between two summaries (10 that stay, 20 more
/// that start one) and while one is made.
fn shown_most(window: u32) -> u32 {
    window.saturating_mul(2).max(BETWEEN_SUMMARIES)
}

/// Shows at least `window` turns and less than twice as many, starting at a multiple of `window`: the first message
/// of the prompt's history then moves once per `window` turns, not with every turn (specs memory 3.3).
fn keep_whole_blocks(turns: &mut Vec<StoredTurn>, window: u64) {
    let Some(newest) = turns.last().map(|turn| turn.ordinal) else { return };
    let start = window_start(newest, window);
    turns.retain(|turn| turn.ordinal > start);
}

/// The ordinal above which turns are shown when `newest` is the last.
pub(in crate::context) fn window_start(newest: u64, window: u64) -> u64 {
    newest.saturating_sub(window) / window * window
}

/// Turns as contributions: the pending ones are never evicted, the others go oldest first.
pub(in crate::context) fn turn_contributions(
    turns: &[StoredTurn],
    request: &TurnRequest,
) -> Vec<Contribution> {
    turn_contributions_among(turns, request, &[])
}

/// The same, with what went on elsewhere told in the gaps.
fn turn_contributions_among(
    turns: &[StoredTurn],
    request: &TurnRequest,
    elsewhere: &[Digest],
) -> Vec<Contribution> {
    let mut previous: Option<Timestamp> = None;
    let mut contributions = Vec::with_capacity(turns.len());
    for turn in turns {
        let is_pending = request.pending.iter().any(|pending| pending.id == turn.id);
        let mut prefix = prefix(turn, previous, request);
        if let Some(crumb) = breadcrumb(turn, previous, elsewhere) {
            prefix.insert_str(0, &crumb);
        }
        previous = Some(turn.at);
        contributions.push(Contribution {
            importance: if is_pending { Importance::Axiom } else { Importance::Normal },
            tokens: Some(turn.tokens),
            turn: Some(TurnLine {
                id: turn.id,
                role: turn.role,
                label: turn.author.as_ref().map(|author| prompt_label(author.label())),
                prefix,
            }),
            ..Contribution::new(
                format!("history/{}", turn.ordinal),
                Layer::RecentHistory,
                Placement::Turn(turn.ordinal),
                Trust::Chat,
                // What is being answered stands in this very place; what came before is for those who heard it.
                if is_pending { request.place.audience.clone() } else { turn.audience.clone() },
                turn.content.clone(),
            )
        });
    }
    contributions
}

fn prefix(turn: &StoredTurn, previous: Option<Timestamp>, request: &TurnRequest) -> String {
    let style = request.channel.history_style;
    let gap = previous.and_then(|previous| Duration::try_from(turn.at.duration_since(previous)).ok());
    let mut prefix = match (style, gap) {
        // The familiar's own lines stay bare: what it reads in front of them it would write itself.
        (HistoryStyle::Clock, _) if turn.role == Role::User => {
            format!("[{}] ", turn.at.to_zoned(request.display_tz.clone()).strftime("%H:%M"))
        }
        (HistoryStyle::GapHints, Some(gap)) if gap >= SHORT_GAP => gap_hint(gap),
        (HistoryStyle::Breadcrumbs, Some(gap)) if gap >= LONG_GAP => gap_hint(gap),
        _ => String::new(),
    };
    if turn.role == Role::Assistant {
        return String::new();
    }
    if let Some(parent) = turn.reply_to.as_ref().filter(|to| may_be_used(&to.audience, &request.place)) {
        let whom = parent.author.as_deref().map_or_else(|| "you".to_owned(), prompt_label);
        let snippet = parent.snippet.replace(['\n', '\r'], " ");
        prefix.push_str(&format!("(answering {whom}: “{snippet}”) "));
    }
    prefix
}

/// What went on elsewhere while nothing was said here for five minutes and more (specs familiar-connect 1.4).
async fn elsewhere(history: &History, request: &TurnRequest, oldest: Option<&StoredTurn>) -> Vec<Digest> {
    let Some(oldest) = oldest else { return Vec::new() };
    let read = history.digests(&request.place.channel, &request.visible(), oldest.at).await;
    read.unwrap_or_else(|error| {
        tracing::warn!(%error, "what went on elsewhere could not be read");
        Vec::new()
    })
}

/// The last that was told of every channel in the gap before a person's turn, in that turn's own message.
fn breadcrumb(turn: &StoredTurn, previous: Option<Timestamp>, elsewhere: &[Digest]) -> Option<String> {
    let previous = previous?;
    let gap = Duration::try_from(turn.at.duration_since(previous)).ok()?;
    if gap < LONG_GAP || turn.role != Role::User {
        return None;
    }
    let mut told: Vec<&Digest> = Vec::new();
    for digest in elsewhere.iter().filter(|digest| digest.last_at > previous && digest.last_at < turn.at) {
        told.retain(|known| known.channel != digest.channel);
        told.push(digest);
    }
    let told = &told[told.len().saturating_sub(MEANWHILE_CHANNELS)..];
    let lines: Vec<String> = told.iter().map(|digest| meanwhile_line(digest)).collect();
    (!lines.is_empty()).then(|| format!("({}) ", lines.join(" ")))
}

fn gap_hint(gap: Duration) -> String {
    let span = jiff::SignedDuration::try_from(gap)
        .ok()
        .and_then(|gap| jiff::Span::try_from(gap).ok())
        .and_then(|span| {
            let largest = SpanRound::new().largest(Unit::Hour).smallest(Unit::Minute);
            span.round(largest).ok()
        });
    let Some(span) = span else { return String::new() };
    let (hours, minutes) = (span.get_hours(), span.get_minutes());
    let words = match (hours, minutes) {
        (0, 0) => "a little".to_owned(),
        (0, 1) => "about a minute".to_owned(),
        (0, minutes) => format!("about {minutes} minutes"),
        (1, _) => "about an hour".to_owned(),
        (2..48, _) => format!("about {hours} hours"),
        _ => format!("about {} days", hours / 24),
    };
    format!("({words} later) ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{ChannelMode, StoredId};

    fn turn(ordinal: u64) -> StoredTurn {
        StoredTurn {
            id: StoredId(i64::try_from(ordinal).unwrap()),
            ordinal,
            role: Role::User,
            author: None,
            audience: crate::domain::Audience::Canon,
            content: format!("m{ordinal}"),
            at: Timestamp::UNIX_EPOCH,
            mode: ChannelMode::FullRp,
            message: None,
            reply_to: None,
            turn: None,
            tokens: 1,
        }
    }

    fn shown(newest: u64, window: u64) -> (u64, usize) {
        let oldest = newest.saturating_sub(2 * window - 1).max(1);
        let mut turns: Vec<_> = (oldest..=newest).map(turn).collect();
        keep_whole_blocks(&mut turns, window);
        (turns.first().unwrap().ordinal, turns.len())
    }

    #[test]
    fn a20_history_start_moves_once_per_window_and_never_shows_less_than_one() {
        let mut starts = Vec::new();
        for newest in 1..=200 {
            let (start, len) = shown(newest, 20);
            assert!(len >= usize::try_from(newest.min(20)).unwrap(), "{newest}: {len}");
            assert!(len < 40, "{newest}: {len}");
            starts.push(start);
        }
        starts.dedup();
        assert_eq!(starts, [1, 21, 41, 61, 81, 101, 121, 141, 161, 181]);
    }

    #[test]
    fn gaps_are_told_in_words() {
        let hint = |secs| gap_hint(Duration::from_secs(secs));
        assert_eq!(hint(10), "(a little later) ");
        assert_eq!(hint(60), "(about a minute later) ");
        assert_eq!(hint(600), "(about 10 minutes later) ");
        assert_eq!(hint(3600), "(about an hour later) ");
        assert_eq!(hint(5 * 3600), "(about 5 hours later) ");
        assert_eq!(hint(9 * 86400), "(about 9 days later) ");
    }
}
