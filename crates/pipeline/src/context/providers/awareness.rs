//! "Since you last spoke here": what went on without the familiar, and what has come due.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::civil::Date;
use jiff::{Span, Timestamp};
use tokio::time::timeout;

use super::{ContextAsk, ContextProvider, Pieces, Profile, ProviderError, quotable_line};
use crate::context::contribution::{Contribution, Importance, TailPart, Trust};
use crate::context::moments::{gap, names_in_a_row, span_in_words};
use crate::context::recall::{Due, due_in, words_for};
use crate::context::reflex::{line_on_birthday, lines_on_anniversaries};
use crate::context::request::TurnRequest;
use crate::domain::{AccountId, Audience, Author, Role, StoredId, StoredTurn};
use crate::history::{History, Missed, RecentQuery, SaidAhead, Since};
use crate::memory::Memory;
use crate::text::calendar;
use crate::text::keywords;
use crate::text::names::prompt_label;
use crate::text::short::counted;
use crate::text::topics::topics;

/// So many messages are worth telling of, and so long a pause with any; fewer are seen in the chat itself.
const MANY: u64 = 8;
const LONG: Duration = Duration::from_secs(2 * 3600);

const NAMES: usize = 4;

/// So many words say what they talked about, of so many messages, the newest.
const TOPICS: usize = 3;
const LOOKED_THROUGH: u32 = 200;

/// Lines at most, all together (A24: one to three).
const LINES: usize = 3;

/// How long notes are waited for; without them nobody's birthday is known.
const NOTES_DEADLINE: Duration = Duration::from_millis(30);

/// Something is due on its day and so many days after.
const DUE_DAYS: i64 = 2;

/// When what has come due was last told of in a place: with every answer, of those who talk there; of whoever is answered now
/// with an answer to them, as what is told to others they may not have heard.
#[derive(Debug, Clone, Copy)]
struct LastTold {
    anybody: Timestamp,
    asker: Timestamp,
}

/// Something that has come due.
struct ComeDue {
    of: Author,
    audience: Audience,
    /// As a prompt tells it.
    line: String,
}

/// Contributes one to three lines (A24): what the familiar missed in a shared place, who came, what
/// somebody said would be on a day that has come since it last answered there, and what whoever comes back had left open. That
/// day, and their return, are before its next answer only once, so that each is told once in a place, and to whom it is about.
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
        let newest = answered_turns(request).next_back().map(|turn| turn.id);
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
            let went_on = self.went_on(request, &missed, since).await?;
            lines.extend(went_on.map(|line| (here.clone(), line)));
            lines.extend(arrived(request, since).map(|line| (here, line)));
        }
        let told = self.last_told(request, newest).await?;
        let due = self.due(request, told, LINES.saturating_sub(lines.len())).await?;
        let due = due.into_iter().chain(self.of_every_year(request, told.asker).await);
        lines.extend(due.map(|due| (due.audience, due.line)).take(LINES.saturating_sub(lines.len())));
        lines.extend(self.open(request, since, LINES.saturating_sub(lines.len())).await?);
        Ok(lines
            .into_iter()
            .enumerate()
            .map(|(number, (audience, line))| {
                let (part, source) = (TailPart::Awareness, format!("awareness/{}", number + 1));
                let piece = request.tail(part, Importance::Useful, Trust::Chat, source, line);
                Contribution { audience, ..piece }
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
        if missed.since.is_none() {
            return Ok(Vec::new());
        }
        // What it began with by itself told of it, though nobody was answered.
        let LastTold { anybody, .. } = self.last_told(request, None).await?;
        let due = self.due(request, LastTold { anybody, asker: anybody }, LINES).await?;
        Ok(due.into_iter().chain(self.of_every_year(request, anybody).await).map(|due| due.of).collect())
    }

    /// From when on what has come due is told of, in what is answered before a row.
    async fn last_told(
        &self,
        request: &TurnRequest,
        before: Option<StoredId>,
    ) -> Result<LastTold, ProviderError> {
        let asker = request.author.as_ref().map(|author| &author.account);
        let visible = request.visible();
        let seen = self.history.seen_by(&visible);
        let answered = seen.answered_here(&request.place.channel, asker, before).await?;
        let anybody = answered.anybody.unwrap_or(Timestamp::MIN);
        let asker = if asker.is_some() { answered.them.unwrap_or(Timestamp::MIN) } else { anybody };
        Ok(LastTold { anybody, asker })
    }

    /// That it is the birthday of whoever is answered, or another day that they think of every year, where that is noted and the
    /// day began since they were last answered here.
    async fn of_every_year(&self, request: &TurnRequest, since: Timestamp) -> Vec<ComeDue> {
        let today = request.today();
        let Some(author) =
            request.author.as_ref().filter(|_| days_begun_since(request, since).contains(&today))
        else {
            return Vec::new();
        };
        let visible = request.visible();
        let people = timeout(NOTES_DEADLINE, self.memory.seen_by(&visible).people()).await;
        let Ok(people) = people else { return Vec::new() };
        let note =
            people.about(&author.account).and_then(|about| about.note(today, &|turn| request.is_past(turn)));
        let Some(note) = note else { return Vec::new() };
        let whose = prompt_label(author.label());
        let birthday = line_on_birthday(&note).filter(|line| is_of_day(line, today, Years::Any));
        let birthday = birthday.map(|_| format!("It is {whose}'s birthday today."));
        let others = lines_on_anniversaries(&note).filter(|line| is_of_day(line, today, Years::Before));
        let others = others
            .map(|line| format!("This day comes back every year for {whose}: “{}”.", quotable_line(line)));
        let due = |line| ComeDue { of: author.clone(), audience: request.place.audience.clone(), line };
        birthday.into_iter().chain(others).map(due).collect()
    }
}

/// Of which years a day may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Years {
    Any,
    /// Where its year is said, it is over: the first time is no anniversary.
    Before,
}

/// Whether the day that a line names is this one, in whatever year.
fn is_of_day(line: &str, today: Date, years: Years) -> bool {
    let words: Vec<String> = keywords::words(&calendar::time_in_english(line)).collect();
    let named = (0..words.len()).find_map(|at| calendar::day_named(&words[at..]));
    named.is_some_and(|(year, month, day)| {
        let is_over = years == Years::Any || year.is_none_or(|year| year < today.year());
        is_over && (month, day) == (today.month(), today.day())
    })
}

impl AwarenessProvider {
    /// What was talked about, by whom and how much, where that is worth telling.
    async fn went_on(
        &self,
        request: &TurnRequest,
        missed: &Missed,
        since: Timestamp,
    ) -> Result<Option<String>, ProviderError> {
        let pause = gap(since, request.now);
        if missed.messages < MANY && (missed.messages < 2 || pause < LONG) {
            return Ok(None);
        }
        let about = topics_since(&self.history, request, since, None).await?;
        let (ago, messages) = (span_in_words(pause), counted(missed.messages, "message"));
        let people = missed.speakers.iter();
        Ok(Some(if about.is_empty() {
            let people: Vec<_> =
                people.map(|(name, count)| format!("{} {count}", prompt_label(name))).collect();
            format!("Since you last spoke here, {ago} ago: {messages} ({}).", names_in_a_row(&people, NAMES))
        } else {
            let people: Vec<_> = people.map(|(name, _)| prompt_label(name)).collect();
            let people = names_in_a_row(&people, NAMES);
            format!("Since you last spoke here, {ago} ago: {people} about {about} ({messages}).")
        }))
    }
}

/// What others than `but` have talked about here since a moment, in their own words, quoted; empty where no word came up again.
pub(super) async fn topics_since(
    history: &History,
    request: &TurnRequest,
    since: Timestamp,
    but: Option<&AccountId>,
) -> Result<String, ProviderError> {
    let encoding = request.model.encoding;
    let query = RecentQuery { mode: None, max_turns: LOOKED_THROUGH, until: request.as_of, encoding };
    let visible = request.visible();
    let turns = history.seen_by(&visible).recent(&request.place.channel, query).await?;
    let since_then = turns.iter().filter(|turn| turn.at > since && !request.is_pending(turn.id));
    let said = since_then.filter_map(|turn| {
        let author = turn.author.as_ref().filter(|author| Some(&author.account) != but && !author.is_bot)?;
        Some((author.label(), turn.content.as_str()))
    });
    let words: Vec<_> = topics(said, TOPICS).iter().map(|word| format!("“{}”", prompt_label(word))).collect();
    Ok(names_in_a_row(&words, TOPICS))
}

/// What people said that is answered. Where it goes on behind its own words, these are said and done with.
pub(super) fn answered_turns(request: &TurnRequest) -> impl DoubleEndedIterator<Item = &StoredTurn> {
    request.pending.iter().filter(|turn| turn.role != Role::Assistant)
}

/// The days that began since a moment, of those that are told of.
fn days_begun_since(request: &TurnRequest, since: Timestamp) -> Vec<Date> {
    let days = (0..=DUE_DAYS).filter_map(|back| request.today().checked_sub(Span::new().days(back)).ok());
    days.filter(|day| has_begun_since(request, since, *day)).collect()
}

fn has_begun_since(request: &TurnRequest, since: Timestamp, day: Date) -> bool {
    day.to_zoned(request.display_tz.clone()).is_ok_and(|start| start.timestamp() > since)
}

/// Of those who talk here, and of whoever is answered wherever they said it.
fn ahead_query(request: &TurnRequest, days: &[Date]) -> SaidAhead {
    SaidAhead {
        channel: request.place.channel.clone(),
        account: request.author.as_ref().map(|author| author.account.clone()),
        before: answered_turns(request).next().map(|turn| turn.id),
        words: words_for(days),
    }
}

impl AwarenessProvider {
    /// What was said to be on a day that began since the familiar last answered here, or whoever is answered now: of those
    /// who talk here, and of them wherever they said it.
    async fn due(
        &self,
        request: &TurnRequest,
        told: LastTold,
        most: usize,
    ) -> Result<Vec<ComeDue>, ProviderError> {
        let tz = &request.display_tz;
        let today = request.today();
        let days = days_begun_since(request, told.anybody.min(told.asker));
        if days.is_empty() || most == 0 {
            return Ok(Vec::new());
        }
        let wanted = ahead_query(request, &days);
        let said =
            self.history.seen_by(&request.visible()).said_ahead(wanted, request.model.encoding).await?;
        let mut found: Vec<(Date, ComeDue)> = Vec::new();
        for turn in said {
            let Some(author) = turn.author.as_ref().filter(|author| !author.is_bot) else { continue };
            let asker = request.author.as_ref().map(|asker| &asker.account);
            let since = if asker == Some(&author.account) { told.asker } else { told.anybody };
            let is_new = |due: &Due| days.contains(&due.date) && has_begun_since(request, since, due.date);
            let Some(due) = due_in(&turn.content, turn.at, tz).filter(is_new) else { continue };
            let when = match (today - due.date).get_days() {
                0 => "That is today",
                1 => "That was yesterday",
                _ => "That was the day before yesterday",
            };
            let line = format!("{} {when}.", said_ago(request, author, turn.at, &due.sentence));
            found.push((due.date, ComeDue { of: author.clone(), audience: turn.audience.clone(), line }));
        }
        // The newest day first, and of a day what was said last.
        found.sort_by(|(a, ..), (b, ..)| b.cmp(a));
        found.truncate(most);
        Ok(found.into_iter().map(|(_, due)| due).collect())
    }
}

/// `Ana said 3 days ago: “My exam is on Friday”.`
pub(super) fn said_ago(request: &TurnRequest, author: &Author, at: Timestamp, sentence: &str) -> String {
    format!(
        "{} said {} ago: “{}”.",
        prompt_label(author.label()),
        span_in_words(gap(at, request.now)),
        quotable_line(sentence)
    )
}

fn arrived(request: &TurnRequest, since: Timestamp) -> Option<String> {
    let view = request.world.for_place(&request.place);
    let arrived: Vec<_> = view
        .arrivals_since(since)
        .map(|one| {
            // Clocks differ: who came before they left was not away.
            let away = one.away_since.filter(|since| *since < one.at);
            let away = away.map(|since| span_in_words(gap(since, one.at)));
            let back = away.map(|away| format!(" (back after {away})")).unwrap_or_default();
            format!("{}{back}", prompt_label(&one.name))
        })
        .collect();
    (!arrived.is_empty())
        .then(|| format!("New on the server since then: {}.", names_in_a_row(&arrived, NAMES)))
}
