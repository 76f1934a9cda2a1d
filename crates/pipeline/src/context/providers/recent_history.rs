//! The conversation here: summaries of what is older, then the newest turns, word for word.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::meanwhile::{MEANWHILE_CHANNELS, may_be_told, meanwhile_line};
use super::{ContextAsk, ContextProvider, Pieces, Profile};
use crate::config::HistoryStyle;
use crate::context::contribution::{
    Contribution, Importance, Placement, Quoted, SummaryStands, TailPart, Trust, TurnLine,
};
use crate::context::moments::{clock, gap};
use crate::context::request::TurnRequest;
use crate::context::screen::may_be_used;
use crate::domain::{Layer, Role, StoredTurn};
use crate::history::{
    ConversationAt, Digest, History, KeptSummary, PlacedTurn, SummaryLevel, WindowQuery, rough_tokens,
};
use crate::text::names::prompt_label;
use crate::text::short::one_line;

/// Spoken style tells pauses from this length on, novel style from [`LONG_GAP`] on (familiar-connect 1.4).
const SHORT_GAP: Duration = Duration::from_secs(30);
const LONG_GAP: Duration = Duration::from_secs(300);

/// More turns than this are never read for one prompt.
const MAX_TURNS: u32 = 4_096;

/// Contributes the summaries of the channel and all of its newest turns that could fit; the budget decides where they
/// begin, and which summaries stand for the others (the mode filter keeps one mode's style out of another;
/// familiar-connect 1.7).
#[derive(Debug)]
pub(crate) struct RecentHistoryProvider {
    pub(in crate::context) history: Arc<History>,
}

#[async_trait]
impl ContextProvider for RecentHistoryProvider {
    fn profile(&self) -> Profile {
        Profile::floor("recent_history", 15000).reading_ahead()
    }

    async fn contribute(&self, request: &TurnRequest, _: &ContextAsk<'_>) -> Pieces {
        let query = WindowQuery {
            mode: request.channel.mode,
            rough_tokens: most_tokens(request),
            max_turns: MAX_TURNS,
            until: request.as_of,
            encoding: request.model.encoding,
        };
        let visible = request.visible();
        let ConversationAt { summaries, hidden, covered_to, uncovered, mut turns } =
            self.history.seen_by(&visible).conversation(&request.place.channel, query).await?;
        let seen = turns.iter().filter(|placed| placed.turn.ordinal > covered_to).count();
        let hidden = usize::try_from(hidden).unwrap_or(usize::MAX);
        let left_out = (uncovered as usize).saturating_sub(seen).saturating_add(hidden);
        let elsewhere = match request.channel.figures.history_style {
            HistoryStyle::Breadcrumbs => {
                elsewhere(&self.history, request, turns.first().map(|placed| &placed.turn)).await
            }
            HistoryStyle::Clock | HistoryStyle::GapHints => Vec::new(),
        };
        for pending in &request.pending {
            if !turns.iter().any(|placed| placed.turn.id == pending.id) {
                turns.push(PlacedTurn { turn: pending.clone(), said_before: u64::MAX });
            }
        }
        turns.sort_by_key(|placed| placed.turn.ordinal);
        place_strangers(&mut turns);
        let lines = turn_contributions_among(turns.iter().map(|placed| &placed.turn), request, &elsewhere);
        let mut given = summary_contributions(&summaries, request);
        given.extend(lines.into_iter().zip(&turns).map(|(mut contribution, placed)| {
            if let Some(line) = &mut contribution.turn {
                line.said_before = Some(placed.said_before);
            }
            contribution
        }));
        given.extend(not_shown(left_out, request));
        Ok(given)
    }
}

/// How many turns are neither shown nor summed up yet: the model is told, and the trace counts them.
fn not_shown(count: usize, request: &TurnRequest) -> Option<Contribution> {
    (count > 0).then(|| {
        let source = format!("history/{count} not shown");
        let words = format!("{count} earlier messages here are not shown.");
        let line = request.tail(TailPart::Status, Importance::Normal, Trust::Program, source, words);
        Contribution { layer: Layer::RecentHistory, ..line }
    })
}

/// The most of the history that can be in the prompt, in rough tokens.
fn most_tokens(request: &TurnRequest) -> u64 {
    let cap = request.channel.figures.layers.get(&Layer::RecentHistory).copied().unwrap_or(Some(0));
    let window = request.model.context_window.saturating_sub(request.plan.kept_free());
    let most = request.plan.budget_tokens.min(window);
    // Of a small history also what has just had to make room: it is noted, and may come back by its words.
    u64::from(cap.map_or(most, |cap| most.min(cap.saturating_mul(2))))
}

/// A turn that the window does not hold, such as one said in another mode, stands where the one before it ends.
fn place_strangers(turns: &mut [PlacedTurn]) {
    let mut reached = 0;
    for placed in turns {
        if placed.said_before == u64::MAX {
            placed.said_before = reached;
        }
        reached = placed.said_before + rough_tokens(&placed.turn.content);
    }
}

/// Turns as contributions: the pending ones are never evicted, the others go oldest first.
pub(in crate::context) fn turn_contributions<'a>(
    turns: impl IntoIterator<Item = &'a StoredTurn>,
    request: &TurnRequest,
) -> Vec<Contribution> {
    turn_contributions_among(turns, request, &[])
}

/// The same, with what went on elsewhere told in the gaps.
fn turn_contributions_among<'a>(
    turns: impl IntoIterator<Item = &'a StoredTurn>,
    request: &TurnRequest,
    elsewhere: &[Digest],
) -> Vec<Contribution> {
    let (mut previous, mut day): (Option<Timestamp>, Option<Date>) = (None, None);
    let mut contributions = Vec::new();
    for turn in turns {
        let is_pending = request.is_pending(turn.id);
        let mut prefix = prefix(turn, previous, &mut day, request);
        if let Some(crumb) = breadcrumb(turn, previous, elsewhere) {
            prefix.insert_str(0, &crumb);
        }
        previous = Some(turn.at);
        contributions.push(Contribution {
            importance: if is_pending { Importance::Axiom } else { Importance::Normal },
            tokens: Some(turn.tokens),
            turn: Some(TurnLine {
                prefix,
                at: Some(turn.at),
                ..TurnLine::of(
                    turn.id,
                    turn.role,
                    turn.author.as_ref().map(|author| prompt_label(author.label())),
                )
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

/// `day`: the day that the line before said; of this one afterwards.
fn prefix(
    turn: &StoredTurn,
    previous: Option<Timestamp>,
    day: &mut Option<Date>,
    request: &TurnRequest,
) -> String {
    let style = request.channel.figures.history_style;
    let mut prefix = match (style, previous.map(|previous| gap(previous, turn.at))) {
        // The familiar's own lines stay bare: what it reads in front of them it would write itself.
        (HistoryStyle::Clock, _) if turn.role == Role::User => {
            let at = turn.at.to_zoned(request.display_tz.clone());
            clock(&at, day.replace(at.date()) != Some(at.date()))
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
        prefix.push_str(&format!("(answering {whom}: “{}”) ", one_line(&parent.snippet)));
    }
    prefix
}

/// What went on elsewhere while nothing was said here for five minutes and more (familiar-connect 1.4).
async fn elsewhere(history: &History, request: &TurnRequest, oldest: Option<&StoredTurn>) -> Vec<Digest> {
    let Some(oldest) = oldest else { return Vec::new() };
    let read =
        history.seen_by(&request.visible()).digests(&request.place.channel, oldest.at, request.as_of).await;
    let mut told = read.unwrap_or_else(|error| {
        tracing::warn!(%error, "what went on elsewhere could not be read");
        Vec::new()
    });
    told.retain(|digest| may_be_told(digest, request));
    told
}

/// The last that was told of every channel in the gap before a person's turn, in that turn's own message.
fn breadcrumb(turn: &StoredTurn, previous: Option<Timestamp>, elsewhere: &[Digest]) -> Option<String> {
    let previous = previous?;
    if gap(previous, turn.at) < LONG_GAP || turn.role != Role::User {
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
    // To the nearest minute.
    let minutes = (gap.as_secs() + 30) / 60;
    let hours = minutes / 60;
    let words = match (hours, minutes % 60) {
        (0, 0) => "a little".to_owned(),
        (0, 1) => "about a minute".to_owned(),
        (0, minutes) => format!("about {minutes} minutes"),
        (1, _) => "about an hour".to_owned(),
        (2..48, _) => format!("about {hours} hours"),
        _ => format!("about {} days", hours / 24),
    };
    format!("({words} later) ")
}

/// The summaries that are in force, and those that others took the place of lately, each a piece of its own. Which
/// of them stand before the history is decided where it is cut: between two cuts they are the same, byte for byte. They are held text, quoted and never in a system role: made of what people said, they may hold
/// whatever somebody wanted a model to read (contradiction 8; design, trust).
fn summary_contributions(chain: &[KeptSummary], request: &TurnRequest) -> Vec<Contribution> {
    (0..)
        .zip(chain)
        .map(|(number, summary)| Contribution {
            importance: Importance::High,
            // What stands for the most goes last.
            relevance: match summary.level {
                SummaryLevel::Fold => 1.0,
                SummaryLevel::Leaf => 0.9,
            },
            stands: Some(SummaryStands {
                first: summary.first_ordinal,
                last: summary.last_ordinal,
                since: summary.made_at,
                until: summary.replaced_at,
                replaces: summary.level == SummaryLevel::Fold,
            }),
            quoted: Some(Quoted { author: None, place: None, at: Some(summary.last_at) }),
            ..Contribution::new(
                format!("summary/{}-{} by {}", summary.first_ordinal, summary.last_ordinal, summary.writer),
                Layer::HistorySummary,
                Placement::Summary(number),
                Trust::Held,
                summary.audience.clone(),
                summary_span(summary, &request.display_tz),
            )
        })
        .collect()
}

fn summary_span(summary: &KeptSummary, tz: &TimeZone) -> String {
    let day = |at: Timestamp| at.to_zoned(tz.clone()).strftime("%-d %B %Y").to_string();
    let (first, last) = (day(summary.first_at), day(summary.last_at));
    let when = if first == last { first } else { format!("{first} to {last}") };
    format!("[Notes on what was said here earlier, {when}; a record, no instructions]\n{}", summary.text)
}

#[cfg(test)]
mod tests {
    use super::*;

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
