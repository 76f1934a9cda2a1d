//! How two people who are named know each other, from where they spoke together (specs mechanisms A11).

use std::fmt::Write as _;
use std::sync::Arc;

use async_trait::async_trait;
use futures::future::try_join_all;

use super::query::{AS_THEY_WERE_SAID, QueryClass, RecallQuery};
use super::{Found, RecallError, RecallSource};
use crate::domain::{AccountId, Audience, Author};
use crate::history::{Acquaintances, History, Visible};
use crate::memory::Memory;
use crate::text::keywords;
use crate::text::names::prompt_label;

/// Of three who are named there are three pairs; of more, the first three people's.
const PEOPLE_MAX: usize = 3;

/// Channels that are told by name.
const PLACES_TOLD: usize = 3;

/// Looks up what two people have to do with each other.
#[derive(Debug)]
pub struct RelationSource {
    history: Arc<History>,
    memory: Arc<Memory>,
}

impl RelationSource {
    /// Names come from the notes and from who spoke; what they did together from `history`.
    pub fn new(history: Arc<History>, memory: Arc<Memory>) -> Self {
        Self { history, memory }
    }

    /// The accounts a question names, in its order, each with the name it used.
    async fn named(
        &self,
        query: &RecallQuery,
        visible: &Visible,
    ) -> Result<Vec<(AccountId, String)>, RecallError> {
        let noted = self.memory.seen_by(visible).people().await;
        let people = self.history.seen_by(visible).people().await?;
        let words: Vec<String> = keywords::words(&query.text).collect();
        let mut named: Vec<(usize, AccountId, String)> = Vec::new();
        let slugs = noted.named_in(&query.text);
        for author in &people {
            let by_alias = slugs.contains(&author.account.slug().as_str());
            let at = name_position(author, &words).or_else(|| by_alias.then_some(words.len()));
            if let Some(at) = at.filter(|_| !author.is_bot) {
                named.push((at, author.account.clone(), author.label().to_owned()));
            }
        }
        named.sort();
        named.truncate(PEOPLE_MAX);
        Ok(named.into_iter().map(|(_, account, name)| (account, name)).collect())
    }
}

/// Where a text first names somebody, by a whole name of one word or more.
fn name_position(author: &Author, words: &[String]) -> Option<usize> {
    author
        .names()
        .filter_map(|name| {
            let name: Vec<String> = keywords::words(name).collect();
            let first = name.first()?;
            // "Ana Maria" is also called Ana.
            let tells = !keywords::is_stop_word(first) && first.chars().count() > 1;
            words.iter().position(|word| tells && word == first)
        })
        .min()
}

#[async_trait]
impl RecallSource for RelationSource {
    fn name(&self) -> &'static str {
        "relations"
    }

    fn weight(&self, class: QueryClass) -> f32 {
        match class {
            QueryClass::Relation => 1.5,
            QueryClass::Person => 0.4,
            QueryClass::Fact | QueryClass::Time => 0.2,
        }
    }

    /// Another way to put it names the same people.
    fn takes(&self, query: &RecallQuery) -> bool {
        query.weight >= AS_THEY_WERE_SAID
    }

    async fn search(&self, query: &RecallQuery, visible: &Visible) -> Result<Vec<Found>, RecallError> {
        if query.named.len() < 2 && query.class != QueryClass::Relation {
            return Ok(Vec::new());
        }
        let named = self.named(query, visible).await?;
        let pairs = named
            .iter()
            .enumerate()
            .flat_map(|(at, one)| named[at + 1..].iter().map(move |other| (one, other)));
        let looked_up = pairs.map(async |((first, name), (second, other))| {
            let known = self.history.seen_by(visible).relation(first, second).await?;
            let told = known.map(|known| {
                render_relation(&known, (first, name), (second, other), visible.narrowest(), query)
            });
            Ok::<_, RecallError>(told)
        });
        Ok(try_join_all(looked_up).await?.into_iter().flatten().collect())
    }
}

fn render_relation(
    known: &Acquaintances,
    (first, name): (&AccountId, &str),
    (second, other): (&AccountId, &str),
    audience: Audience,
    query: &RecallQuery,
) -> Found {
    let (name, other) = (prompt_label(name), prompt_label(other));
    let day =
        |at: jiff::Timestamp| at.to_zoned(query.circumstances.tz.clone()).strftime("%-d %B %Y").to_string();
    let mut text = format!("What {name} and {other} have to do with each other, from what was said here: ");
    let mut told_places = Vec::new();
    for place in known.places.iter().take(PLACES_TOLD) {
        let where_at = place.name.as_deref().map_or_else(|| "a channel".to_owned(), prompt_label);
        told_places.push(match place.together {
            Some((from, to)) if day(from) == day(to) => {
                format!("in {where_at} they talked on {} ({} exchanges)", day(from), place.exchanges)
            }
            Some((from, to)) => {
                format!(
                    "in {where_at} they talked between {} and {} ({} exchanges)",
                    day(from),
                    day(to),
                    place.exchanges
                )
            }
            None => format!("both wrote in {where_at}, at different times"),
        });
    }
    text.push_str(&told_places.join("; "));
    if known.first_answered + known.second_answered > 0 {
        let _ = write!(
            text,
            "; {name} answered {other} {} times, {other} answered {name} {} times",
            known.first_answered, known.second_answered
        );
    }
    text.push('.');
    let source = format!("relations/{}+{}", first.slug(), second.slug());
    let has_talked = known.places.iter().any(|place| place.together.is_some());
    let asked = if query.class == QueryClass::Relation { 0.9 } else { 0.5 };
    Found::known(source.clone(), text, audience, source, if has_talked { asked } else { asked * 0.6 })
}
