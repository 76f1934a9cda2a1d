//! Who is here, who was, who came, who is in a call.

use jiff::ToSpan as _;

use super::{Fact, ReflexInput};
use crate::context::moments::{gap, listed, span};
use crate::text::names::prompt_label;
use crate::text::short::counted;
use crate::world::{Headphones, InCall, Microphone, Seen, Voice};

const NAMES: usize = 8;

pub(super) fn here(input: &ReflexInput<'_>) -> Option<Fact> {
    let names: Vec<_> = input
        .world
        .here(input.at())
        .filter(|seen| Some(&seen.account) != input.author.map(|author| &author.account))
        .map(|seen| prompt_label(&seen.name))
        .collect();
    let asker = input.asker();
    Fact::of(match names.is_empty() {
        true => format!("Besides {asker} nobody has written here within the last 15 minutes."),
        false => {
            format!("Besides {asker}, within the last 15 minutes wrote here: {}.", listed(&names, NAMES))
        }
    })
}

pub(super) fn voice(input: &ReflexInput<'_>) -> Option<Fact> {
    input.place.guild.as_ref()?;
    let calls = input.world.calls();
    if calls.is_empty() {
        return Fact::of("Nobody is in a call that everybody here can see.");
    }
    let told: Vec<String> = calls
        .iter()
        .map(|call| {
            let people: Vec<_> = call.people.iter().map(|one| in_call(one)).collect();
            format!("In the call {} are {}.", prompt_label(call.name), listed(&people, NAMES))
        })
        .map(|told| if told.contains(" and ") { told } else { told.replacen(" are ", " is ", 1) })
        .collect();
    Fact::of(told.join(" "))
}

fn in_call(one: &InCall) -> String {
    let state = match (one.voice, one.headphones, one.microphone) {
        (Voice::Speaking, ..) => " (speaking)",
        (_, Headphones::Off, _) => " (deafened)",
        (_, _, Microphone::Muted) => " (muted)",
        _ => "",
    };
    format!("{}{state}", prompt_label(&one.name))
}

pub(super) fn speaking(input: &ReflexInput<'_>) -> Option<Fact> {
    input.place.guild.as_ref()?;
    let calls = input.world.calls();
    let speaking: Vec<_> = calls
        .iter()
        .flat_map(|call| &call.people)
        .filter(|one| one.voice == Voice::Speaking)
        .map(|one| prompt_label(&one.name))
        .collect();
    Fact::of(match speaking.is_empty() {
        true => "Nobody is heard speaking in a call right now.".to_owned(),
        false => format!("Speaking in a call right now: {}.", listed(&speaking, NAMES)),
    })
}

pub(super) fn last_spoke(input: &ReflexInput<'_>) -> Option<Fact> {
    let own = input.author.map(|author| &author.account);
    let last = input.world.speakers().iter().rev().find(|seen| Some(&seen.account) != own);
    Fact::of(match last {
        Some(seen) => format!(
            "Before {}, {} wrote here last, {} ago.",
            input.asker(),
            prompt_label(&seen.name),
            ago(seen, input)
        ),
        None => format!("Nobody but {} has been seen writing here.", input.asker()),
    })
}

pub(super) fn typing(input: &ReflexInput<'_>) -> Option<Fact> {
    let names: Vec<_> = input.world.typing(input.at()).map(|seen| prompt_label(&seen.name)).collect();
    Fact::of(match names.is_empty() {
        true => "Nobody is typing here.".to_owned(),
        false => format!("Typing here: {}.", listed(&names, NAMES)),
    })
}

/// "Have you seen Ben?", "When was Ben last here?"
pub(super) fn last_seen(input: &ReflexInput<'_>) -> Option<Fact> {
    let asks = input.says("seen lately");
    if !asks || !(input.cues.asks() || input.says("have you seen")) {
        return None;
    }
    let own = input.author.map(|author| &author.account);
    let seen =
        input.world.speakers().iter().rev().filter(|seen| Some(&seen.account) != own).find(|seen| {
            let name = crate::text::cues::Cues::of(&seen.name);
            let first = name.text().split(' ').next().unwrap_or_default();
            !first.is_empty() && (input.cues.has(name.text()) || (first.len() > 2 && input.cues.has(first)))
        })?;
    Fact::of(format!("{} last wrote here {} ago.", prompt_label(&seen.name), ago(seen, input)))
}

pub(super) fn playing(input: &ReflexInput<'_>) -> Option<Fact> {
    let told: Vec<_> = input
        .world
        .activities()
        .iter()
        .map(|one| format!("{}: {}", prompt_label(&one.name), prompt_label(&one.doing)))
        .collect();
    (!told.is_empty()).then_some(())?;
    Fact::of(format!("What members are doing: {}.", listed(&told, NAMES)))
}

pub(super) fn newcomers(input: &ReflexInput<'_>) -> Option<Fact> {
    input.place.guild.as_ref()?;
    let week = input.at().checked_sub((7 * 24).hours()).ok()?;
    let names: Vec<_> = input
        .world
        .arrivals_since(week)
        .map(|one| {
            let back = one.away_since.map(|since| format!(", back after {}", span(gap(since, one.at))));
            let (name, back) = (prompt_label(&one.name), back.unwrap_or_default());
            format!("{name} ({} ago{back})", span(gap(one.at, input.at())))
        })
        .collect();
    Fact::of(match names.is_empty() {
        true => "Nobody was seen joining the server in the last week.".to_owned(),
        false => format!("Joined the server in the last week: {}.", listed(&names, NAMES)),
    })
}

pub(super) fn members(input: &ReflexInput<'_>) -> Option<Fact> {
    if input.place.is_one_to_one() {
        return Fact::of(format!("Only {} and you are here.", input.asker()));
    }
    let members = input.world.members()?;
    let name = input
        .world
        .guild_name()
        .map_or_else(|| "The server".to_owned(), |name| format!("The server {}", prompt_label(name)));
    Fact::of(format!("{name} has {}, you included.", counted(members, "member")))
}

pub(super) fn reactions(input: &ReflexInput<'_>) -> Option<Fact> {
    let told: Vec<_> = input
        .world
        .reactions()
        .iter()
        .rev()
        .take(6)
        .map(|one| {
            let whose = if one.to_familiar { " to your message" } else { "" };
            format!("{} with {}{whose}", prompt_label(&one.name), reaction(&one.emoji))
        })
        .collect();
    Fact::of(match told.is_empty() {
        true => "No reactions were seen here lately.".to_owned(),
        false => format!("The newest reactions here: {}.", listed(&told, 6)),
    })
}

/// An emoji, or the name of a server's own without its colons.
fn reaction(emoji: &str) -> String {
    if emoji.is_ascii() { prompt_label(emoji) } else { emoji.chars().take(8).collect() }
}

pub(super) fn own_name(input: &ReflexInput<'_>) -> Option<Fact> {
    let author = input.author?;
    let handle = author.username.as_deref().map(prompt_label).filter(|handle| *handle != input.asker());
    let handle = handle.map_or_else(String::new, |handle| format!(" (account name {handle})"));
    Fact::of(format!("The one asking is shown here as {}{handle}.", input.asker()))
}

fn ago(seen: &Seen, input: &ReflexInput<'_>) -> String {
    span(gap(seen.at, input.at()))
}
