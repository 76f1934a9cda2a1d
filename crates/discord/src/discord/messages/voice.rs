//! What people read about calls.

use std::time::Duration;

use super::say::{said, sentences};
use super::{Tongue, list, permissions};
use crate::discord::Recogniser;
use crate::text::short::{lasts_in, one_line};

/// The longest list of people in one sentence.
const NAMED: usize = 8;

sentences! {
    /// The buttons to agree and to decline; at most 80 characters.
    agree();
    decline();
    /// `/subscribe-my-voice` by somebody who is in no call.
    join_a_call_first();
    /// `/subscribe-my-voice` or the button, where it is already in the call.
    hears_you_too(familiar: &str);
    /// `/subscribe-my-voice` where nothing was to be changed.
    hears_you_already(familiar: &str);
    /// It is in another call of the server, with people.
    is_elsewhere(familiar: &str, call: u64);
    /// The call has no room.
    call_is_full(call: u64);
    /// A stage is no call.
    no_stages(call: u64);
    /// The call does not exist any more, or cannot be seen.
    unknown_call();
    /// Joining did not work.
    not_joined(call: u64, why: &str);
    /// Calls are not possible on this machine.
    no_calls();
    /// Only who manages channels may have everybody heard.
    everybody_needs_manage_channels(call: u64);
    /// `every_call` says for how long `everybody` is to hold, and nothing by itself.
    every_call_needs_everybody();
    /// Only who manages the server says what holds in all of its calls.
    every_call_needs_manage_server();
    /// The server's switch is on.
    everybody_in_every_call(familiar: &str);
    /// The server's switch is off.
    nobody_unasked(familiar: &str);
    /// `/unsubscribe-voice` ended the call.
    call_ended(familiar: &str);
    /// `/unsubscribe-voice` by somebody who did not call it in, or the button.
    hears_you_no_longer(familiar: &str);
    /// The button to decline, or `/unsubscribe-voice`, by somebody it does not hear.
    does_not_hear_you(familiar: &str);
    /// `/unsubscribe-voice` or a button where it is in no call.
    in_no_call(familiar: &str);
    /// Whom it was with has left.
    left_behind(familiar: &str);
    left_alone(familiar: &str);
    /// The connection is gone and does not come back.
    gave_up(familiar: &str, why: &str);
    /// It was to follow somebody where it may not go.
    cannot_follow(familiar: &str, call: u64, why: &str);
    /// Nothing of what is said can be decrypted; nor after connecting again.
    deaf(familiar: &str);
    still_deaf(familiar: &str, user: &str);
    /// Somebody speaks, and Discord does not say who; nor after connecting again.
    unplaced(familiar: &str);
    still_unplaced(familiar: &str);
    /// There is no speech recognition.
    hears_nothing(why: &str);
    /// What was just said was not understood.
    misses_words(why: &str);
    hears_again();
    /// There is no voice.
    has_no_voice(why: &str);
    speaks_again();
    /// One person is not heard for now.
    not_heard(who: &str, why: &str);
    /// One person is answered in writing for now.
    not_spoken_to(who: &str, why: &str);
}

/// How it listens in a call, as its people are told.
#[derive(Debug, Clone, Copy)]
pub(in crate::discord) struct Listens<'a> {
    /// It hears whoever does not decline.
    pub everybody: bool,
    /// What is heard is written into the call's chat.
    pub transcript: bool,
    pub by: Option<&'a Recogniser>,
}

/// On joining: whom it hears, and how to change that.
pub(in crate::discord) fn in_the_call(
    to: Tongue,
    familiar: &str,
    heard: &[u64],
    listens: Listens<'_>,
) -> String {
    let heard = if heard.is_empty() { said!(to, nobody_yet) } else { mentions(to, heard) };
    let (everybody, transcript) = (listens.everybody, listens.transcript);
    let (by, recogniser) = recognised_by(listens.by);
    said!(to, in_the_call, familiar, heard, everybody, transcript, by, recogniser)
}

/// To those who came later.
pub(in crate::discord) fn newcomers(to: Tongue, familiar: &str, who: &[u64], listens: Listens<'_>) -> String {
    let (everybody, transcript) = (listens.everybody, listens.transcript);
    let (by, recogniser) = recognised_by(listens.by);
    said!(to, newcomers, familiar, who = mentions(to, who), everybody, transcript, by, recogniser)
}

/// Where sound becomes text, and by what.
fn recognised_by(by: Option<&Recogniser>) -> (&'static str, &str) {
    match by {
        None => ("unknown", ""),
        Some(Recogniser { name: Some(name), is_here: true }) => ("here", name),
        Some(Recogniser { name: None, is_here: true }) => ("somewhere_here", ""),
        Some(Recogniser { name: Some(name), is_here: false }) => ("elsewhere", name),
        Some(Recogniser { name: None, is_here: false }) => ("somewhere_else", ""),
    }
}

/// The line under the channel's name; at most 500 characters.
pub(in crate::discord) fn channel_status(to: Tongue, familiar: &str) -> String {
    let familiar: String = familiar.chars().take(100).collect();
    said!(to, channel_status, familiar)
}

pub(in crate::discord) fn called_in(to: Tongue, familiar: &str, call: u64, grace: Duration) -> String {
    said!(to, called_in, familiar, call, grace = patience(to, grace))
}

/// It lacks permissions in the call.
pub(in crate::discord) fn lacks_permissions(to: Tongue, call: u64, missing: &[&str]) -> String {
    said!(to, lacks_permissions, call, missing = permissions(to, missing), count = missing.len())
}

pub(in crate::discord) fn left_quiet(to: Tongue, familiar: &str, quiet: Duration) -> String {
    said!(to, left_quiet, familiar, quiet = patience(to, quiet))
}

/// What became of packets of sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::discord) struct Packets {
    /// Of people who are heard.
    pub taken: u64,
    /// Of people who are not.
    pub refused: u64,
    /// Of nobody knows whom.
    pub unplaced: u64,
    /// Lost for lack of room.
    pub lost: u64,
}

/// A line of `/status`. `heard`: people.
pub(in crate::discord) fn call_state(to: Tongue, call: u64, heard: usize, packets: Packets) -> String {
    let Packets { taken, refused, unplaced, lost } = packets;
    let unplaced = usize::try_from(unplaced).unwrap_or(usize::MAX);
    said!(to, call_state, call, heard, taken, refused, unplaced, lost)
}

/// A transcript's message, with its lines.
pub(in crate::discord) fn transcript(to: Tongue, lines: &[&str]) -> String {
    let heading = said!(to, transcript_heading);
    [heading.as_str()].into_iter().chain(lines.iter().copied()).collect::<Vec<_>>().join("\n")
}

/// A line of a transcript; `at` in seconds since 1970, shown by each reader's own clock.
pub(in crate::discord) fn transcript_line(at: i64, who: &str, words: &str) -> String {
    let who: String =
        who.chars().filter(|letter| !matches!(letter, '*' | '_' | '`' | '~' | '|' | '\n')).collect();
    format!("<t:{at}:T> **{who}**: {}", one_line(words))
}

/// How long it is patient.
fn patience(to: Tongue, long: Duration) -> String {
    match usize::try_from(long.as_secs()) {
        Ok(count) if count < 120 => said!(to, seconds, count),
        _ => lasts_in(to, long),
    }
}

fn mentions(to: Tongue, users: &[u64]) -> String {
    let named: Vec<String> = users.iter().take(NAMED).map(|user| format!("<@{user}>")).collect();
    match users.len().saturating_sub(NAMED) {
        0 => list(to, &named),
        count => said!(to, and_more, named = named.join(&said!(to, list_comma)), count),
    }
}
