//! What answering each person has cost lately, whichever of their accounts they used.

use std::collections::{BTreeMap, HashMap};

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};

use super::messages;
use super::shared::Shared;
use crate::domain::{AccountId, Visible};
use crate::memory::people::SeenPeople;
use crate::text::short::thousands;
use crate::trace::render::as_dollars;
use crate::trace::{Spent, TraceError};

/// So many people are told of by name, those who cost most; the others in one row.
const PEOPLE: usize = 10;

/// Days, with today, whose costs are told.
const WEEK: i32 = 7;
const MONTH: i32 = 30;

/// A person's part.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SpentRow {
    pub name: String,
    /// Of the month; `–` for what no turn is.
    pub turns: String,
    pub week: String,
    pub month: String,
}

#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    turns: u64,
    week: f64,
    month: f64,
}

impl Sums {
    fn add(mut self, other: Self) -> Self {
        self.turns += other.turns;
        self.week += other.week;
        self.month += other.month;
        self
    }

    fn row(self, name: String) -> SpentRow {
        let turns = if self.turns == 0 { "–".to_owned() } else { thousands(self.turns) };
        SpentRow { name, turns, week: as_dollars(self.week), month: as_dollars(self.month) }
    }
}

/// By person, the dearest first; then the others together, what it did of its own accord, and what was done behind the scenes,
/// which `behind` tells by day.
///
/// # Errors
/// When the record of turns cannot be read.
pub(super) async fn spent_by_person(
    shared: &Shared,
    behind: &[(Date, f64)],
    names: &HashMap<AccountId, String>,
) -> Result<Vec<SpentRow>, TraceError> {
    let today = shared.parts.clock.now().to_zoned(TimeZone::UTC).date();
    let (week, month) = (first_of(today, WEEK), first_of(today, MONTH));
    let traces = &shared.parts.traces;
    let (in_week, in_month) =
        (traces.spent_since(midnight(week)).await?, traces.spent_since(midnight(month)).await?);
    let nobody = Visible::default();
    let people = shared.parts.memory.seen_by(&nobody).people().await;
    let behind_since =
        |since: Date| behind.iter().filter(|(day, _)| *day >= since).map(|(_, usd)| usd).sum::<f64>();
    let behind = Sums { turns: 0, week: behind_since(week), month: behind_since(month) };
    Ok(rows(&by_person(&in_week, &in_month, &people), behind, names))
}

/// The first of so many days that end with today.
fn first_of(today: Date, days: i32) -> Date {
    today.saturating_sub((days - 1).days())
}

fn midnight(day: Date) -> Timestamp {
    day.to_zoned(TimeZone::UTC).map_or(Timestamp::MIN, |at| at.timestamp())
}

/// Two accounts of one person are one; by the name of the note about them.
fn by_person(week: &[Spent], month: &[Spent], people: &SeenPeople) -> BTreeMap<Option<String>, Sums> {
    let mut sums: BTreeMap<Option<String>, Sums> = BTreeMap::new();
    let of_week = week.iter().map(|one| (one, Sums { week: one.usd, ..Sums::default() }));
    let of_month =
        month.iter().map(|one| (one, Sums { turns: one.turns, month: one.usd, ..Sums::default() }));
    for (one, part) in of_week.chain(of_month) {
        let person = one.account.as_ref().map(|account| people.slug_of(account));
        let sum = sums.entry(person).or_default();
        *sum = sum.add(part);
    }
    sums
}

fn rows(
    sums: &BTreeMap<Option<String>, Sums>,
    behind: Sums,
    names: &HashMap<AccountId, String>,
) -> Vec<SpentRow> {
    let mut people: Vec<(&String, Sums)> =
        sums.iter().filter_map(|(person, sum)| Some((person.as_ref()?, *sum))).collect();
    people.sort_by(|(_, one), (_, other)| other.month.total_cmp(&one.month));
    let others = people.split_off(people.len().min(PEOPLE));
    let name = |slug: &String| {
        let known = AccountId::of_slug(slug).and_then(|account| names.get(&account).cloned());
        known.unwrap_or_else(|| slug.clone())
    };
    let mut rows: Vec<SpentRow> = people.into_iter().map(|(person, sum)| sum.row(name(person))).collect();
    if !others.is_empty() {
        let rest = others.iter().fold(Sums::default(), |all, (_, sum)| all.add(*sum));
        rows.push(rest.row(messages::other_people(others.len())));
    }
    rows.extend(sums.get(&None).map(|unasked| unasked.row(messages::UNASKED.to_owned())));
    if behind.month > 0.0 {
        rows.push(behind.row(messages::BEHIND_THE_SCENES.to_owned()));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ten_who_cost_most_are_named_and_the_rest_is_one_row() {
        let person = |number: u32| {
            let sum = Sums { turns: 1, week: 0.0, month: f64::from(number) };
            (Some(format!("discord-{number}")), sum)
        };
        let mut sums: BTreeMap<Option<String>, Sums> = (1..=12).map(person).collect();
        sums.insert(None, Sums { turns: 3, week: 0.25, month: 0.5 });
        let names = HashMap::from([(AccountId::discord(12), "Ada".to_owned())]);
        let behind = Sums { turns: 0, week: 0.125, month: 0.25 };
        let rows = rows(&sums, behind, &names);
        assert_eq!(rows.len(), PEOPLE + 3);
        assert_eq!((rows[0].name.as_str(), rows[1].name.as_str()), ("Ada", "discord-11"));
        assert_eq!((rows[10].name.as_str(), rows[10].turns.as_str()), ("2 others", "2"));
        assert_eq!(rows[10].month, as_dollars(3.0));
        assert_eq!(rows[11], Sums { turns: 3, week: 0.25, month: 0.5 }.row("Of its own accord".to_owned()));
        assert_eq!((rows[12].name.as_str(), rows[12].turns.as_str()), ("Behind the scenes", "–"));
    }

    #[test]
    fn a_week_has_seven_days_with_today() {
        let today = "2026-03-01".parse().unwrap();
        assert_eq!(first_of(today, WEEK), "2026-02-23".parse::<Date>().unwrap());
    }
}
