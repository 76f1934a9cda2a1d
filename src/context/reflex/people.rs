//! Who is here, who was, who came, who is in a call.

use jiff::ToSpan as _;

use super::{Fact, ReflexInput};
use crate::context::moments::{counted, gap, listed, span};
use crate::text::names::prompt_label;
use crate::world::{Headphones, InCall, Microphone, Seen, Voice};

const NAMES: usize = 8;

pub(super) const HERE: &[&str] = &[
    "who is here",
    "whos here",
    "who else is here",
    "who is around",
    "whos around",
    "anyone here",
    "anybody here",
    "anyone around",
    "is anyone there",
    "who is online",
    "whos online",
    "wer ist hier",
    "wer ist da",
    "wer ist noch da",
    "ist jemand da",
    "ist jemand hier",
];

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

pub(super) const VOICE: &[&str] = &[
    "who is in voice",
    "whos in voice",
    "who is in the voice",
    "whos in the voice",
    "who is in the call",
    "whos in the call",
    "who is on the call",
    "whos on call",
    "who is in call",
    "whos in call",
    "who is in vc",
    "whos in vc",
    "who is in the vc",
    "anyone in voice",
    "anyone in vc",
    "is anyone in the call",
    "anybody in voice",
    "who is muted",
    "whos muted",
    "wer ist im voice",
    "wer ist im call",
    "wer ist im sprachkanal",
    "ist jemand im voice",
    "ist jemand im call",
];

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

pub(super) const SPEAKING: &[&str] = &[
    "who is speaking",
    "whos speaking",
    "who is talking right now",
    "whos talking right now",
    "wer spricht gerade",
    "wer redet gerade",
];

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

pub(super) const LAST_SPOKE: &[&str] = &[
    "who spoke last",
    "who wrote last",
    "who talked last",
    "who was the last to speak",
    "who was the last to write",
    "who was here last",
    "who said something last",
    "wer hat zuletzt geschrieben",
    "wer hat zuletzt gesprochen",
    "wer war zuletzt hier",
];

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

pub(super) const TYPING: &[&str] =
    &["who is typing", "whos typing", "is someone typing", "is anyone typing", "wer tippt", "tippt jemand"];

pub(super) fn typing(input: &ReflexInput<'_>) -> Option<Fact> {
    let names: Vec<_> = input.world.typing(input.at()).map(|seen| prompt_label(&seen.name)).collect();
    Fact::of(match names.is_empty() {
        true => "Nobody is typing here.".to_owned(),
        false => format!("Typing here: {}.", listed(&names, NAMES)),
    })
}

pub(super) const SEEN: &[&str] = &[
    "have you seen",
    "has anyone seen",
    "did you see",
    "seen",
    "when was",
    "when did",
    "last seen",
    "is",
    "where is",
    "wheres",
    "who is",
    "hast du",
    "wann war",
    "wann hat",
    "wo ist",
    "ist",
];

/// "Have you seen Ben?", "When was Ben last here?"
pub(super) fn last_seen(input: &ReflexInput<'_>) -> Option<Fact> {
    let asks = input.cues.any(&[
        "have you seen",
        "has anyone seen",
        "seen lately",
        "last here",
        "last seen",
        "last speak",
        "last write",
        "last talk",
        "around",
        "here",
        "online",
        "gone",
        "there",
        "hast du",
        "zuletzt",
        "da",
        "hier",
        "online heute",
    ]);
    if !asks || !(input.cues.asks() || input.cues.any(&["have you seen", "hast du"])) {
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

pub(super) const PLAYING: &[&str] = &[
    "who is playing",
    "whos playing",
    "what is everyone playing",
    "whats everyone playing",
    "what are people playing",
    "is anyone playing",
    "what is everybody playing",
    "wer spielt",
    "was spielen alle",
    "spielt jemand",
];

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

pub(super) const NEWCOMERS: &[&str] = &[
    "who is new",
    "whos new",
    "who joined",
    "who just joined",
    "any new members",
    "any new people",
    "anyone new",
    "new here lately",
    "wer ist neu",
    "wer ist dazugekommen",
    "neue mitglieder",
    "gibt es neue",
];

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

pub(super) const MEMBERS: &[&str] = &[
    "how many members",
    "how many people are on this server",
    "how many people are in this server",
    "how many people are here",
    "how many people are on the server",
    "how many of us are there",
    "how big is this server",
    "member count",
    "wie viele mitglieder",
    "wie viele leute sind auf dem server",
    "wie viele leute sind hier",
    "wie groß ist der server",
];

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

pub(super) const REACTIONS: &[&str] = &[
    "who reacted",
    "did anyone react",
    "any reactions",
    "what reactions",
    "who liked it",
    "wer hat reagiert",
    "hat jemand reagiert",
];

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

pub(super) const NAME: &[&str] = &[
    "what is my name",
    "whats my name",
    "do you know my name",
    "who am i",
    "what am i called",
    "say my name",
    "wie heiße ich",
    "wer bin ich",
    "weißt du wie ich heiße",
    "mein name",
];

pub(super) fn own_name(input: &ReflexInput<'_>) -> Option<Fact> {
    let author = input.author?;
    let handle = author.username.as_deref().map(prompt_label).filter(|handle| *handle != input.asker());
    let handle = handle.map_or_else(String::new, |handle| format!(" (account name {handle})"));
    Fact::of(format!("The one asking is shown here as {}{handle}.", input.asker()))
}

pub(super) const ID: &[&str] = &[
    "what is my id",
    "whats my id",
    "my user id",
    "my discord id",
    "my account id",
    "was ist meine id",
    "meine user id",
    "meine discord id",
];

pub(super) fn own_id(input: &ReflexInput<'_>) -> Option<Fact> {
    Fact::of(format!("{}'s account id is {}.", input.asker(), input.author?.account.id()))
}

fn ago(seen: &Seen, input: &ReflexInput<'_>) -> String {
    span(gap(seen.at, input.at()))
}
