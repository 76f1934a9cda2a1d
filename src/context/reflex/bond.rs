//! How long people have known each other, and what happened meanwhile.

use jiff::Timestamp;

use super::{Fact, ReflexInput};
use crate::context::moments::{day, gap, listed, span};
use crate::text::names::prompt_label;
use crate::text::short::counted;

pub(super) fn known(input: &ReflexInput<'_>) -> Option<Fact> {
    let first = first(input)?;
    let Some(first) = first else { return never(input) };
    Fact::of(format!(
        "You have known {} for {}, since {}.",
        input.asker(),
        span(gap(first, input.at())),
        on_day(first, input)
    ))
}

pub(super) fn first_met(input: &ReflexInput<'_>) -> Option<Fact> {
    let first = first(input)?;
    let Some(first) = first else { return never(input) };
    Fact::of(format!("{} first spoke here on {}.", input.asker(), on_day(first, input)))
}

pub(super) fn together(input: &ReflexInput<'_>) -> Option<Fact> {
    let known = input.kept.acquaintance.as_ref()?;
    Fact::of(format!(
        "{} has written {} where you can look from here, this one included.",
        input.asker(),
        counted(known.messages, "message")
    ))
}

pub(super) fn last_talk(input: &ReflexInput<'_>) -> Option<Fact> {
    let known = input.kept.acquaintance.as_ref()?;
    let Some(last) = known.last else {
        return Fact::of(format!("{} has not spoken here before this.", input.asker()));
    };
    Fact::of(format!(
        "Before this, {} last spoke {} ago, on {}.",
        input.asker(),
        span(gap(last, input.at())),
        on_day(last, input)
    ))
}

pub(super) fn missed(input: &ReflexInput<'_>) -> Option<Fact> {
    let missed = input.kept.missed.as_ref()?;
    let asker = input.asker();
    let Some(since) = missed.since else {
        return Fact::of(format!("{asker} has not written in this channel before."));
    };
    let pause = span(gap(since, input.at()));
    if missed.messages == 0 {
        return Fact::of(format!("Since {asker} last wrote here, {pause} ago, nobody else has written."));
    }
    let people: Vec<_> =
        missed.speakers.iter().map(|(name, count)| format!("{} {count}", prompt_label(name))).collect();
    Fact::of(format!(
        "Since {asker} last wrote here, {pause} ago, others wrote {}: {}.",
        counted(missed.messages, "message"),
        listed(&people, 6)
    ))
}

/// The first meeting; the outer nothing means it was not looked up.
fn first(input: &ReflexInput<'_>) -> Option<Option<Timestamp>> {
    input.kept.acquaintance.as_ref().map(|known| known.first)
}

fn never(input: &ReflexInput<'_>) -> Option<Fact> {
    Fact::of(format!("You have not met {} before, as far as can be seen from here.", input.asker()))
}

pub(super) fn on_day(at: Timestamp, input: &ReflexInput<'_>) -> String {
    day(&at.to_zoned(input.now.time_zone().clone()))
}
