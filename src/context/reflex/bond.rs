//! How long people have known each other, and what happened meanwhile.

use jiff::Timestamp;

use super::{Fact, ReflexInput};
use crate::context::moments::{counted, day, gap, listed, span};
use crate::text::names::prompt_label;

pub(super) const KNOWN: &[&str] = &[
    "how long have we known each other",
    "how long have you known me",
    "how long do you know me",
    "how long have we been friends",
    "how long have we been talking",
    "since when do we know",
    "since when do you know me",
    "wie lange kennen wir uns",
    "wie lange kennst du mich",
    "seit wann kennen wir uns",
    "seit wann kennst du mich",
];

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

pub(super) const FIRST_MET: &[&str] = &[
    "when did we meet",
    "when did we first meet",
    "when did you meet me",
    "when did we first talk",
    "first time we talked",
    "first time we met",
    "wann haben wir uns kennengelernt",
    "wann haben wir uns getroffen",
    "wann haben wir das erste mal",
];

pub(super) fn first_met(input: &ReflexInput<'_>) -> Option<Fact> {
    let first = first(input)?;
    let Some(first) = first else { return never(input) };
    Fact::of(format!("{} first spoke here on {}.", input.asker(), on_day(first, input)))
}

pub(super) const TOGETHER: &[&str] = &[
    "how many messages have we",
    "how many messages have i",
    "how many messages did i",
    "how often have we talked",
    "how often do we talk",
    "how much have we talked",
    "how many times have we talked",
    "wie viele nachrichten haben wir",
    "wie viele nachrichten habe ich",
    "wie oft haben wir",
];

pub(super) fn together(input: &ReflexInput<'_>) -> Option<Fact> {
    let known = input.kept.acquaintance.as_ref()?;
    Fact::of(format!(
        "{} has written {} where you can look from here, this one included.",
        input.asker(),
        counted(known.messages, "message")
    ))
}

pub(super) const LAST_TALK: &[&str] = &[
    "when did we last talk",
    "when did we last speak",
    "when did we talk last",
    "when was i last here",
    "when did i last write",
    "when was the last time we",
    "how long has it been since we",
    "last time we talked",
    "last time we spoke",
    "wann haben wir zuletzt",
    "wann haben wir das letzte mal",
    "wann war ich zuletzt hier",
];

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

pub(super) const MISSED: &[&str] = &[
    "what did i miss",
    "what have i missed",
    "did i miss anything",
    "did i miss something",
    "what happened while i was",
    "catch me up",
    "what happened here",
    "fill me in",
    "was habe ich verpasst",
    "hab ich was verpasst",
    "habe ich etwas verpasst",
    "was ist passiert",
    "was war hier los",
];

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
