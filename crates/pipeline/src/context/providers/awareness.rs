//! "Since you last spoke here": what went on without the familiar, and what has come due.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::civil::Date;
use jiff::{Span, Timestamp};

use super::{ContextAsk, ContextProvider, Pieces, Profile, ProviderError, quotable_line};
use crate::context::contribution::{Contribution, Importance, Placement, TailPart, Trust};
use crate::context::moments::{gap, names_in_a_row, span_in_words};
use crate::context::recall::{due_in, words_for};
use crate::context::request::TurnRequest;
use crate::domain::{Audience, Layer, ReminderKind};
use crate::history::{History, Missed, Reminder, SaidAhead, Since};
use crate::text::names::prompt_label;
use crate::text::short::counted;

/// So many messages are worth telling of, and so long a pause with any; fewer are seen in the chat itself.
const MANY: u64 = 8;
const LONG: Duration = Duration::from_secs(2 * 3600);

const NAMES: usize = 4;

/// Lines at most, all together (specs mechanisms A24: one to three).
const LINES: usize = 3;

/// Who was silent so long is asked how it went.
const AWAY: Duration = Duration::from_secs(6 * 3600);

/// Something is due on its day and so many days after.
const DUE_DAYS: i64 = 2;

/// Contributes one to three lines (specs mechanisms A24): what the familiar missed in a shared place, who came, what
/// somebody said would be on a day that has come since it last spoke there, and what whoever comes back had told of as
/// unfinished. That day is before its next word only once,
/// so that each is told once in a place.
#[derive(Debug)]
pub(crate) struct AwarenessProvider {
    pub(in crate::context) history: Arc<History>,
}

#[async_trait]
impl ContextProvider for AwarenessProvider {
    fn profile(&self) -> Profile {
        Profile::floor("awareness", 250).of_news().of_the_moment().reading_ahead()
    }

    async fn contribute(&self, request: &TurnRequest, _: &ContextAsk<'_>) -> Pieces {
        let newest = request.pending.last().map(|turn| turn.id);
        let missed = self
            .history
            .seen_by(&request.visible())
            .missed(&request.place.channel, Since::Familiar, newest)
            .await?;
        let Some(since) = missed.since else { return Ok(Vec::new()) };
        let here = request.place.audience.clone();
        let mut lines: Vec<(Audience, String)> = Vec::new();
        // Where two talk, nothing is missed.
        if !request.place.is_one_to_one() {
            lines.extend(went_on(&missed, gap(since, request.now)).map(|line| (here.clone(), line)));
            lines.extend(arrived(request, since).map(|line| (here, line)));
        }
        lines.extend(self.due(request, since, LINES.saturating_sub(lines.len())).await?);
        lines.extend(self.open(request, since, LINES.saturating_sub(lines.len())).await?);
        Ok(lines
            .into_iter()
            .enumerate()
            .map(|(number, (audience, line))| Contribution {
                importance: Importance::Useful,
                ..Contribution::new(
                    format!("awareness/{}", number + 1),
                    Layer::Core,
                    Placement::Tail(TailPart::Awareness),
                    Trust::Chat,
                    audience,
                    line,
                )
            })
            .collect())
    }
}

/// The days that began since a moment, of those that are told of.
fn days_begun_since(request: &TurnRequest, since: Timestamp) -> Vec<Date> {
    let (tz, today) = (&request.display_tz, request.today());
    let is_new = |day: &Date| day.to_zoned(tz.clone()).is_ok_and(|start| start.timestamp() > since);
    (0..=DUE_DAYS).filter_map(|back| today.checked_sub(Span::new().days(back)).ok()).filter(is_new).collect()
}

/// Of those who talk here, and of whoever is answered wherever they said it.
fn wanted(request: &TurnRequest, days: &[Date]) -> SaidAhead {
    SaidAhead {
        channel: request.place.channel.clone(),
        account: request.author.as_ref().map(|author| author.account.clone()),
        before: request.pending.first().map(|turn| turn.id),
        words: words_for(days),
    }
}

impl AwarenessProvider {
    /// What whoever comes back after a while had told of as unfinished, the longest first: what was told before the familiar
    /// last spoke here.
    async fn open(
        &self,
        request: &TurnRequest,
        since: Timestamp,
        most: usize,
    ) -> Result<Vec<(Audience, String)>, ProviderError> {
        let Some(author) = request.author.as_ref().filter(|_| most > 0 && request.as_of.is_none()) else {
            return Ok(Vec::new());
        };
        if gap(since, request.now) < AWAY {
            return Ok(Vec::new());
        }
        let visible = request.visible();
        let kept = self.history.seen_by(&visible).reminders(&author.account, None).await?;
        let is_open = |one: &Reminder| one.what.kind == ReminderKind::OpenLoop && one.what.made <= since;
        let line = |one: Reminder| {
            let line = format!(
                "{} told of this {} ago, and it was still open: “{}”.",
                prompt_label(author.label()),
                span_in_words(gap(one.what.made, request.now)),
                quotable_line(&one.what.words),
            );
            (one.what.place.audience, line)
        };
        Ok(kept.into_iter().filter(is_open).take(most).map(line).collect())
    }

    /// What was said to be on a day that began since the familiar last spoke here: of those who talk here, and of
    /// whoever is answered wherever they said it.
    async fn due(
        &self,
        request: &TurnRequest,
        since: Timestamp,
        most: usize,
    ) -> Result<Vec<(Audience, String)>, ProviderError> {
        let tz = &request.display_tz;
        let today = request.today();
        let days = days_begun_since(request, since);
        if days.is_empty() || most == 0 {
            return Ok(Vec::new());
        }
        let wanted = wanted(request, &days);
        let said =
            self.history.seen_by(&request.visible()).said_ahead(wanted, request.model.encoding).await?;
        let mut found: Vec<(Date, Audience, String)> = Vec::new();
        for turn in said {
            let Some(author) = turn.author.as_ref().filter(|author| !author.is_bot) else { continue };
            let Some(due) = due_in(&turn.content, turn.at, tz).filter(|due| days.contains(&due.date)) else {
                continue;
            };
            let when = match (today - due.date).get_days() {
                0 => "That is today",
                1 => "That was yesterday",
                _ => "That was the day before yesterday",
            };
            let line = format!(
                "{} said {} ago: “{}”. {when}.",
                prompt_label(author.label()),
                span_in_words(gap(turn.at, request.now)),
                quotable_line(&due.sentence),
            );
            found.push((due.date, turn.audience, line));
        }
        // The newest day first, and of a day what was said last.
        found.sort_by(|(a, ..), (b, ..)| b.cmp(a));
        found.truncate(most);
        Ok(found.into_iter().map(|(_, audience, line)| (audience, line)).collect())
    }
}

/// How much was said, where that is worth telling.
fn went_on(missed: &Missed, pause: Duration) -> Option<String> {
    if missed.messages < MANY && (missed.messages < 2 || pause < LONG) {
        return None;
    }
    let people: Vec<_> =
        missed.speakers.iter().map(|(name, count)| format!("{} {count}", prompt_label(name))).collect();
    Some(format!(
        "Since you last spoke here, {} ago: {} ({}).",
        span_in_words(pause),
        counted(missed.messages, "message"),
        names_in_a_row(&people, NAMES),
    ))
}

fn arrived(request: &TurnRequest, since: Timestamp) -> Option<String> {
    let view = request.world.for_place(&request.place);
    let arrived: Vec<_> = view
        .arrivals_since(since)
        .map(|one| {
            let away = one.away_since.and_then(|since| Duration::try_from(one.at.duration_since(since)).ok());
            let back = away.map(|away| format!(" (back after {})", span_in_words(away))).unwrap_or_default();
            format!("{}{back}", prompt_label(&one.name))
        })
        .collect();
    (!arrived.is_empty())
        .then(|| format!("New on the server since then: {}.", names_in_a_row(&arrived, NAMES)))
}
