//! What the program knows for certain of people, of the place, of the time they have known each other, and of itself.

use jiff::{Timestamp, ToSpan as _};

use super::{Fact, NotesKnown, ReflexInput};
use crate::context::moments::{day_and_time, day_in_words, gap, names_in_a_row, span_in_words};
use crate::context::providers::{person_in_call, quotable_line};
use crate::domain::{Attachment, PlaceKind};
use crate::memory::people::SeenNote;
use crate::text::cues::{Cues, own_words};
use crate::text::names::prompt_label;
use crate::text::phrases::{asks, phrases};
use crate::text::short::counted;
use crate::world::{CallVoice, Sighting};

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
            format!(
                "Besides {asker}, within the last 15 minutes wrote here: {}.",
                names_in_a_row(&names, NAMES)
            )
        }
    })
}

pub(super) fn own_voice(input: &ReflexInput<'_>) -> Option<Fact> {
    input.place.guild.as_ref()?;
    let calls = input.world.calls();
    if calls.is_empty() {
        return Fact::of("Nobody is in a call that everybody here can see.");
    }
    let told: Vec<String> = calls
        .iter()
        .map(|call| {
            let people: Vec<_> = call.people.iter().map(|one| person_in_call(one)).collect();
            format!("In the call {} are {}.", prompt_label(call.name), names_in_a_row(&people, NAMES))
        })
        .map(|told| if told.contains(" and ") { told } else { told.replacen(" are ", " is ", 1) })
        .collect();
    Fact::of(told.join(" "))
}

pub(super) fn speaking(input: &ReflexInput<'_>) -> Option<Fact> {
    input.place.guild.as_ref()?;
    let calls = input.world.calls();
    let speaking: Vec<_> = calls
        .iter()
        .flat_map(|call| &call.people)
        .filter(|one| one.voice == CallVoice::Speaking)
        .map(|one| prompt_label(&one.name))
        .collect();
    Fact::of(match speaking.is_empty() {
        true => "Nobody is heard speaking in a call right now.".to_owned(),
        false => format!("Speaking in a call right now: {}.", names_in_a_row(&speaking, NAMES)),
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
            sighted_ago(seen, input)
        ),
        None => format!("Nobody but {} has been seen writing here.", input.asker()),
    })
}

/// "Have you seen Ben?", "When was Ben last here?"
pub(super) fn last_seen(input: &ReflexInput<'_>) -> Option<Fact> {
    if !input.says("seen lately") || !(asks(&own_words(input.utterance)) || input.says("have you seen")) {
        return None;
    }
    let own = input.author.map(|author| &author.account);
    let seen =
        input.world.speakers().iter().rev().filter(|seen| Some(&seen.account) != own).find(|seen| {
            let name = Cues::of(&seen.name);
            let first = name.text().split(' ').next().unwrap_or_default();
            !first.is_empty() && (input.cues.has(name.text()) || (first.len() > 2 && input.cues.has(first)))
        })?;
    Fact::of(format!("{} last wrote here {} ago.", prompt_label(&seen.name), sighted_ago(seen, input)))
}

pub(super) fn playing(input: &ReflexInput<'_>) -> Option<Fact> {
    let told: Vec<_> = input
        .world
        .activities()
        .iter()
        .map(|one| format!("{}: {}", prompt_label(&one.name), prompt_label(&one.doing)))
        .collect();
    (!told.is_empty()).then_some(())?;
    Fact::of(format!("What members are doing: {}.", names_in_a_row(&told, NAMES)))
}

pub(super) fn newest_people(input: &ReflexInput<'_>) -> Option<Fact> {
    input.place.guild.as_ref()?;
    let week = input.at().checked_sub((7 * 24).hours()).ok()?;
    let names: Vec<_> = input
        .world
        .arrivals_since(week)
        .map(|one| {
            let back =
                one.away_since.map(|since| format!(", back after {}", span_in_words(gap(since, one.at))));
            let (name, back) = (prompt_label(&one.name), back.unwrap_or_default());
            format!("{name} ({} ago{back})", span_in_words(gap(one.at, input.at())))
        })
        .collect();
    Fact::of(match names.is_empty() {
        true => "Nobody was seen joining the server in the last week.".to_owned(),
        false => format!("Joined the server in the last week: {}.", names_in_a_row(&names, NAMES)),
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

pub(super) fn name_of_asker(input: &ReflexInput<'_>) -> Option<Fact> {
    let author = input.author?;
    let handle = author.username.as_deref().map(prompt_label).filter(|handle| *handle != input.asker());
    let handle = handle.map_or_else(String::new, |handle| format!(" (account name {handle})"));
    Fact::of(format!("The one asking is shown here as {}{handle}.", input.asker()))
}

fn sighted_ago(seen: &Sighting, input: &ReflexInput<'_>) -> String {
    span_in_words(gap(seen.at, input.at()))
}

pub(super) fn topic(input: &ReflexInput<'_>) -> Option<Fact> {
    if input.place.is_one_to_one() {
        return None;
    }
    match input.world.topic() {
        Some(topic) => Fact::quoting(format!("The channel's topic reads: “{}”", quotable_line(topic))),
        None => Fact::of("The channel has no topic."),
    }
}

pub(super) fn whereabouts(input: &ReflexInput<'_>) -> Option<Fact> {
    match input.place.kind {
        PlaceKind::Dm => return Fact::of(format!("This is a private conversation with {}.", input.asker())),
        PlaceKind::Terminal if input.place.is_window() => {
            return Fact::of("This is the window: a page in a browser of the machine you run on.");
        }
        PlaceKind::Terminal => return Fact::of("This is the terminal of the machine you run on."),
        PlaceKind::GuildText | PlaceKind::Thread | PlaceKind::ForumPost => {}
    }
    let channel = input.place.channel_name.as_deref().or(input.world.channel_name()).map(prompt_label)?;
    let kind = match input.place.kind {
        PlaceKind::Thread => "thread",
        PlaceKind::ForumPost => "forum post",
        _ => "channel",
    };
    Fact::of(match input.world.guild_name() {
        Some(guild) => format!("This is the {kind} {channel} on the server {}.", prompt_label(guild)),
        None => format!("This is the {kind} {channel}."),
    })
}

pub(super) fn known_about(input: &ReflexInput<'_>) -> Option<Fact> {
    since_they_met(input, |first| {
        let span = span_in_words(gap(first, input.at()));
        format!("You have known {} for {span}, since {}.", input.asker(), on_day(first, input))
    })
}

pub(super) fn first_met(input: &ReflexInput<'_>) -> Option<Fact> {
    since_they_met(input, |first| format!("{} first spoke here on {}.", input.asker(), on_day(first, input)))
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
        span_in_words(gap(last, input.at())),
        on_day(last, input)
    ))
}

pub(super) fn missed(input: &ReflexInput<'_>) -> Option<Fact> {
    let missed = input.kept.missed.as_ref()?;
    let asker = input.asker();
    let Some(since) = missed.since else {
        return Fact::of(format!("{asker} has not written in this channel before."));
    };
    let pause = span_in_words(gap(since, input.at()));
    if missed.messages == 0 {
        return Fact::of(format!("Since {asker} last wrote here, {pause} ago, nobody else has written."));
    }
    let people: Vec<_> =
        missed.speakers.iter().map(|(name, count)| format!("{} {count}", prompt_label(name))).collect();
    let about = match input.kept.topics.as_str() {
        "" => String::new(),
        topics => format!(", about {topics}"),
    };
    let told = format!(
        "Since {asker} last wrote here, {pause} ago, others wrote {}{about}: {}.",
        counted(missed.messages, "message"),
        names_in_a_row(&people, 6)
    );
    if about.is_empty() { Fact::of(told) } else { Fact::quoting(told) }
}

/// What is told of the first meeting, or that there was none.
fn since_they_met(input: &ReflexInput<'_>, told: impl Fn(Timestamp) -> String) -> Option<Fact> {
    let never = || format!("You have not met {} before, as far as can be seen from here.", input.asker());
    Fact::of(input.kept.acquaintance.as_ref()?.first.map_or_else(never, told))
}

fn on_day(at: Timestamp, input: &ReflexInput<'_>) -> String {
    day_in_words(&at.to_zoned(input.now.time_zone().clone()))
}

pub(super) fn memory_size(input: &ReflexInput<'_>) -> Option<Fact> {
    let known = input.kept.acquaintance.as_ref()?;
    let since = known.first.map_or_else(String::new, |first| format!(" since {}", on_day(first, input)));
    let notes = input.kept.notes.as_ref().map_or_else(String::new, |notes| counted_notes(notes, input));
    Fact::of(format!(
        "What {} said is kept word for word: {}{since} that you can look at from here.{notes}",
        input.asker(),
        counted(known.messages, "message")
    ))
}

fn counted_notes(notes: &NotesKnown, input: &ReflexInput<'_>) -> String {
    let asker = input.asker();
    let others = counted(notes.others, "other person").replace("persons", "people");
    match (&notes.asker, notes.others) {
        (Some(_), 0) => format!(" You have notes on {asker}."),
        (Some(_), _) => format!(" You have notes on {asker} and on {others}."),
        (None, 0) => " You have no notes on people.".to_owned(),
        (None, _) => format!(" You have notes on {others}, none on {asker}."),
    }
}

/// "When is my birthday?", "when is Ben's birthday?": what the notes say, or that they say nothing.
pub(super) fn birthday(input: &ReflexInput<'_>) -> Option<Fact> {
    let notes = input.kept.notes.as_ref().filter(|_| input.says("birthday asked for"))?;
    let is_own = input.says("own birthday");
    let (name, note) = match notes.named.first() {
        Some(note) if !is_own => (note_subject(note), Some(note)),
        _ if is_own => (input.asker(), notes.asker.as_ref()),
        _ => return None,
    };
    match note.and_then(|note| line_on_birthday(note)) {
        Some(line) => Fact::quoting(format!("Noted about {name}: “{}”", quotable_line(line))),
        None => Fact::of(format!("It is not noted when {name} has their birthday.")),
    }
}

/// A name for whom a note is about; the file's where it holds none.
fn note_subject(note: &SeenNote) -> String {
    prompt_label(note.aliases.first().unwrap_or(&note.slug))
}

/// The first line that tells of a birthday, or that stands under a heading that does.
pub(in crate::context) fn line_on_birthday(note: &SeenNote) -> Option<&str> {
    // In some languages a wedding has birthdays too.
    let tells = |text: &str| Cues::of(text).any(phrases("birthday noted as")) && !is_on_anniversary(text);
    note.sections().find_map(|section| {
        let mut lines = section.text.lines().filter(|line| !line.trim().is_empty());
        let line = match section.heading.filter(|heading| tells(heading)) {
            Some(_) => lines.next(),
            None => lines.find(|line| tells(line)),
        }?;
        Some(line.trim_start_matches(['-', '*', '+', ' ', '\t']))
    })
}

/// The lines that tell of something that is thought of every year on its day, a wedding say.
pub(in crate::context) fn lines_on_anniversaries(note: &SeenNote) -> impl Iterator<Item = &str> {
    let lines = note.sections().flat_map(|section| section.text.lines());
    lines
        .filter(|line| is_on_anniversary(line))
        .map(|line| line.trim_start_matches(['-', '*', '+', ' ', '\t']))
}

fn is_on_anniversary(text: &str) -> bool {
    Cues::of(text).any(phrases("anniversary noted as"))
}

pub(super) fn tools(input: &ReflexInput<'_>) -> Option<Fact> {
    let tools: Vec<_> = input.world.bot().tools.iter().map(|tool| prompt_label(tool)).collect();
    Fact::of(match tools.is_empty() {
        true => "You have no tools: you can talk, remember, reckon and roll dice, but not open links, search the web or set \
                 reminders."
            .to_owned(),
        false => format!("You have {} tools: {}.", tools.len(), names_in_a_row(&tools, 30)),
    })
}

pub(super) fn model(input: &ReflexInput<'_>) -> Option<Fact> {
    let model = input.world.bot().model.as_deref()?;
    Fact::of(format!("The language model that writes your replies is {}.", plain_model_name(model)))
}

/// A model's name holds slashes, dots and colons, and nothing else that means anything.
fn plain_model_name(model: &str) -> String {
    model
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | ':' | '-' | '_' | ' '))
        .take(80)
        .collect()
}

pub(super) fn cost_so_far(input: &ReflexInput<'_>) -> Option<Fact> {
    let bot = input.world.bot();
    let Some(spent) = bot.spent_usd else {
        return Fact::of("The replies cost nothing: no paid model is in use.");
    };
    Fact::of(match bot.cap_usd {
        Some(cap) => format!(
            "Today (UTC) the replies have cost ${spent:.4} of ${cap:.2}; ${:.4} is left.",
            (cap - spent).max(0.0)
        ),
        None => format!("Today (UTC) the replies have cost ${spent:.4}; there is no daily limit."),
    })
}

pub(super) fn own_version(_: &ReflexInput<'_>) -> Option<Fact> {
    Fact::of(format!("The program is version {}.", env!("CARGO_PKG_VERSION")))
}

pub(super) fn uptime(input: &ReflexInput<'_>) -> Option<Fact> {
    let started = input.world.bot().started?;
    let at = started.to_zoned(input.now.time_zone().clone());
    Fact::of(format!(
        "You have been running for {}, since {}.",
        span_in_words(gap(started, input.at())),
        day_and_time(&at)
    ))
}

/// What is attached, as far as it is known: kinds, names and sizes.
pub(super) fn attachments(input: &ReflexInput<'_>) -> Option<Fact> {
    let attached: Vec<String> = input
        .utterance
        .lines()
        .filter_map(Attachment::read)
        .filter(|(kind, _)| ["image", "file", "audio", "video", "gif", "sticker"].contains(kind))
        .map(|(kind, name)| format!("{kind} {}", prompt_label(name.split(" — ").next().unwrap_or(name))))
        .collect();
    (!attached.is_empty()).then_some(())?;
    Fact::quoting(format!(
        "Attached to the message: {}. Its kind, name and size are all you know of it, unless you see it or a description stands beside it.",
        names_in_a_row(&attached, 5)
    ))
}
