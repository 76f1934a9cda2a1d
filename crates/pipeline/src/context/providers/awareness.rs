//! "Since you last spoke here": what went on without the familiar, and what has come due.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::civil::Date;
use jiff::{Span, Timestamp};
use tokio::time::timeout;

use super::{ContextAsk, ContextProvider, Pieces, Profile, ProviderError, quotable_line};
use crate::context::contribution::{Contribution, Importance, Placement, TailPart, Trust};
use crate::context::moments::{gap, names_in_a_row, span_in_words};
use crate::context::recall::{due_in, words_for};
use crate::context::reflex::line_on_birthday;
use crate::context::request::TurnRequest;
use crate::domain::{Audience, Author, Layer, Role, StoredTurn};
use crate::history::{History, Missed, SaidAhead, Since};
use crate::memory::Memory;
use crate::text::calendar;
use crate::text::keywords;
use crate::text::names::prompt_label;
use crate::text::short::counted;

/// So many messages are worth telling of, and so long a pause with any; fewer are seen in the chat itself.
const MANY: u64 = 8;
const LONG: Duration = Duration::from_secs(2 * 3600);

const NAMES: usize = 4;

/// Lines at most, all together (specs mechanisms A24: one to three).
const LINES: usize = 3;

/// How long notes are waited for; without them nobody's birthday is known.
const NOTES_DEADLINE: Duration = Duration::from_millis(30);

/// Something is due on its day and so many days after.
const DUE_DAYS: i64 = 2;

/// Something that has come due.
struct ComeDue {
    /// Of whom.
    of: Author,
    audience: Audience,
    /// As a prompt tells it.
    line: String,
}

/// Contributes one to three lines (specs mechanisms A24): what the familiar missed in a shared place, who came, what
/// somebody said would be on a day that has come since it last spoke there, and what whoever comes back had left open. That
/// day, and their return, are before its next word only once, so that each is told once in a place.
#[derive(Debug)]
pub(crate) struct AwarenessProvider {
    pub(in crate::context) history: Arc<History>,
    pub(in crate::context) memory: Arc<Memory>,
}

#[async_trait]
impl ContextProvider for AwarenessProvider {
    fn profile(&self) -> Profile {
        Profile::floor("awareness", 250).of_news().of_the_moment().reading_ahead()
    }

    async fn contribute(&self, request: &TurnRequest, _: &ContextAsk<'_>) -> Pieces {
        let newest = asked(request).next_back().map(|turn| turn.id);
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
        let due = self.due(request, since, LINES.saturating_sub(lines.len())).await?;
        let due = due.into_iter().chain(self.born(request, since).await);
        lines.extend(due.map(|due| (due.audience, due.line)).take(LINES.saturating_sub(lines.len())));
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

impl AwarenessProvider {
    /// Of whom something has come due since the familiar last spoke here.
    pub(in crate::context) async fn come_due(
        &self,
        request: &TurnRequest,
    ) -> Result<Vec<Author>, ProviderError> {
        let visible = request.visible();
        let seen = self.history.seen_by(&visible);
        let missed = seen.missed(&request.place.channel, Since::Familiar, None).await?;
        let Some(since) = missed.since else { return Ok(Vec::new()) };
        let due = self.due(request, since, LINES).await?;
        Ok(due.into_iter().chain(self.born(request, since).await).map(|due| due.of).collect())
    }

    /// That it is the birthday of whoever is answered, where that is noted and the day began since the familiar last spoke
    /// here.
    async fn born(&self, request: &TurnRequest, since: Timestamp) -> Option<ComeDue> {
        let (author, today) = (request.author.as_ref()?, request.today());
        if !days_begun_since(request, since).contains(&today) {
            return None;
        }
        let visible = request.visible();
        let people = timeout(NOTES_DEADLINE, self.memory.seen_by(&visible).people()).await.ok()?;
        let note = people.about(&author.account)?.note(today, &|turn| request.is_past(turn))?;
        let words: Vec<String> =
            keywords::words(&calendar::time_in_english(line_on_birthday(&note)?)).collect();
        let born = (0..words.len()).find_map(|at| calendar::day_named(&words[at..]));
        let is_today = born.is_some_and(|(_, month, day)| (month, day) == (today.month(), today.day()));
        is_today.then(|| {
            let line = format!("It is {}'s birthday today.", prompt_label(author.label()));
            ComeDue { of: author.clone(), audience: request.place.audience.clone(), line }
        })
    }
}

/// What people said that is answered. Where it goes on behind its own words, these are said and done with.
pub(super) fn asked(request: &TurnRequest) -> impl DoubleEndedIterator<Item = &StoredTurn> {
    request.pending.iter().filter(|turn| turn.role != Role::Assistant)
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
        before: asked(request).next().map(|turn| turn.id),
        words: words_for(days),
    }
}

impl AwarenessProvider {
    /// What was said to be on a day that began since the familiar last spoke here: of those who talk here, and of
    /// whoever is answered wherever they said it.
    async fn due(
        &self,
        request: &TurnRequest,
        since: Timestamp,
        most: usize,
    ) -> Result<Vec<ComeDue>, ProviderError> {
        let tz = &request.display_tz;
        let today = request.today();
        let days = days_begun_since(request, since);
        if days.is_empty() || most == 0 {
            return Ok(Vec::new());
        }
        let wanted = wanted(request, &days);
        let said =
            self.history.seen_by(&request.visible()).said_ahead(wanted, request.model.encoding).await?;
        let mut found: Vec<(Date, ComeDue)> = Vec::new();
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
            found.push((due.date, ComeDue { of: author.clone(), audience: turn.audience.clone(), line }));
        }
        // The newest day first, and of a day what was said last.
        found.sort_by(|(a, ..), (b, ..)| b.cmp(a));
        found.truncate(most);
        Ok(found.into_iter().map(|(_, due)| due).collect())
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
