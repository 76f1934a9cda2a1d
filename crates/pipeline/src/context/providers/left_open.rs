//! What whoever comes back had left open: what it was asked to keep in mind, and what they said they await without saying
//! when.

use std::ops::Range;
use std::time::Duration;

use jiff::Timestamp;

use super::awareness::{AwarenessProvider, answered_turns, said_ago};
use super::{ProviderError, quotable_line};
use crate::context::moments::{gap, span_in_words};
use crate::context::recall::{Awaited, awaited_in, due_in};
use crate::context::request::TurnRequest;
use crate::domain::{Audience, Author, ReminderKind, StoredTurn};
use crate::history::{AlsoOf, Reminder};
use crate::text::names::prompt_label;

/// Whoever was silent so long comes back.
const AWAY: Duration = Duration::from_secs(6 * 3600);

impl AwarenessProvider {
    /// What whoever comes back had left open when they went, what was to be kept in mind first. `since` is when the familiar
    /// last spoke here.
    pub(super) async fn open(
        &self,
        request: &TurnRequest,
        since: Timestamp,
        most: usize,
    ) -> Result<Vec<(Audience, String)>, ProviderError> {
        let Some(author) = request.author.as_ref().filter(|_| most > 0 && request.as_of.is_none()) else {
            return Ok(Vec::new());
        };
        let Some(newest) = answered_turns(request).next_back().map(|turn| turn.id) else {
            return Ok(Vec::new());
        };
        let visible = request.visible();
        let seen = self.history.seen_by(&visible);
        let spoke = seen.spoke_at(&author.account, newest).await?;
        let Some(longest) = before_return(&spoke, since) else { return Ok(Vec::new()) };
        // Whoever came back somewhere else first was told of there what they had left open before the same people, and before
        // those of this place what is known here.
        let answered = seen.answered_at(&author.account, newest).await?;
        let while_here = |audience: &Audience| {
            let was_told = |before: &Audience| before == audience || *before == request.place.audience;
            let told = answered.iter().filter(|(before, _)| was_told(before)).map(|(_, at)| *at).max();
            before_return(&spoke, told.map_or(since, |at| since.max(at)))
        };
        let is_open = |one: &Reminder| {
            one.what.kind == ReminderKind::OpenLoop
                && while_here(&one.what.place.audience).is_some_and(|here| here.contains(&one.what.made))
        };
        let kept = seen.reminders(&author.account, AlsoOf::Nobody).await?;
        let kept = kept.into_iter().filter(is_open).map(|one| kept_open(request, author, one));
        let said = seen.said_by(&author.account, longest.start, newest, request.model.encoding).await?;
        let awaited = awaited(request, author, &said, |turn| {
            while_here(&turn.audience).is_some_and(|here| here.contains(&turn.at))
        });
        Ok(kept.chain(awaited).take(most).collect())
    }
}

/// What they said they await and have not spoken of since.
fn awaited(
    request: &TurnRequest,
    author: &Author,
    said: &[StoredTurn],
    is_open: impl Fn(&StoredTurn) -> bool,
) -> Vec<(Audience, String)> {
    let mut open: Vec<(&StoredTurn, Awaited)> = Vec::new();
    for turn in said {
        for one in awaited_in(&turn.content) {
            open.retain(|(_, known)| !known.is_about(&one));
            // What has a day is told when it has come.
            let has_no_day = || due_in(&one.sentence, turn.at, &request.display_tz).is_none();
            if one.is_ahead && is_open(turn) && has_no_day() {
                open.push((turn, one));
            }
        }
    }
    let line = |(turn, one): (&StoredTurn, Awaited)| {
        let said = said_ago(request, author, turn.at, &one.sentence);
        (turn.audience.clone(), format!("{said} You have not heard since how that went."))
    };
    open.into_iter().map(line).collect()
}

fn kept_open(request: &TurnRequest, author: &Author, one: Reminder) -> (Audience, String) {
    let line = format!(
        "{} told of this {} ago, and it was still open: “{}”.",
        prompt_label(author.label()),
        span_in_words(gap(one.what.made, request.now)),
        quotable_line(&one.what.words),
    );
    (one.what.place.audience, line)
}

/// From when on somebody was here before they came back, where the familiar has not spoken since they did. What they left
/// open before that was told when they came back then. `spoke` is when they spoke, the oldest first.
fn before_return(spoke: &[Timestamp], since: Timestamp) -> Option<Range<Timestamp>> {
    let mut returns = spoke.windows(2).filter(|two| gap(two[0], two[1]) >= AWAY).map(|two| two[1]);
    let back = returns.clone().next_back().filter(|back| *back > since)?;
    let from = returns.rfind(|back| *back <= since).or_else(|| spoke.first().copied())?;
    Some(from..back)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(hours: i64) -> Timestamp {
        Timestamp::from_second(hours * 3600).unwrap()
    }

    #[test]
    fn a24_what_was_left_open_is_of_the_time_before_the_return_and_told_once() {
        let spoke = [0, 1, 2, 10, 11].map(at);
        assert_eq!(before_return(&spoke, at(2)), Some(at(0)..at(10)));
        assert_eq!(before_return(&spoke, at(10)), None, "it has spoken since they came back");
        // Nothing was said to them when they came back before: what was open then still is.
        let spoke = [0, 10, 20].map(at);
        assert_eq!(before_return(&spoke, at(1)), Some(at(0)..at(20)));
        assert_eq!(before_return(&spoke, at(12)), Some(at(10)..at(20)), "told when they came back at ten");
        assert_eq!(before_return(&[0, 1, 2].map(at), at(0)), None, "they were never away");
        assert_eq!(before_return(&[], at(0)), None);
    }
}
