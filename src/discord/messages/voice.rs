//! What people read about calls.

use std::time::Duration;

use crate::discord::Recogniser;
use crate::text::short::{counted, lasts, one_line};

/// The longest list of people in one sentence.
const NAMED: usize = 8;

/// On joining: whom it hears, and how to change that.
pub(in crate::discord) fn in_the_call(
    familiar: &str,
    heard: &[u64],
    everybody: bool,
    transcript: bool,
    by: Option<&Recogniser>,
) -> String {
    let heard = match heard {
        [] => "nobody yet".to_owned(),
        some => mentions(some),
    };
    let rule = if everybody {
        "It hears everybody who has read this and does not press **Do not hear me**."
    } else {
        "Others are not listened to unless they press **Hear me**."
    };
    format!(
        "**{familiar} is in this call and listens to {heard}.** {rule} {}{}; no sound is kept. `/unsubscribe-voice` ends it, \
         `/forget me` has it forget what you said.",
        becomes_text(by),
        written_here(transcript),
    )
}

/// To those who came later.
pub(in crate::discord) fn newcomers(
    familiar: &str,
    who: &[u64],
    everybody: bool,
    transcript: bool,
    by: Option<&Recogniser>,
) -> String {
    let rule = if everybody {
        "It hears you from now on unless you press **Do not hear me**."
    } else {
        "It does not listen to you unless you press **Hear me**, and **Do not hear me** ends that."
    };
    format!(
        "{}: **{familiar} is in this call and listens.** {rule} {}{}; no sound is kept. `/forget me` has it forget what you \
         said.",
        mentions(who),
        becomes_text(by),
        written_here(transcript),
    )
}

/// The line under the channel's name; at most 500 characters.
pub(in crate::discord) fn channel_status(familiar: &str) -> String {
    let name: String = familiar.chars().take(100).collect();
    format!("{name} is here and listens; to whom, it says in the chat")
}

/// What becomes of sound, and where.
fn becomes_text(by: Option<&Recogniser>) -> String {
    let where_to = match by {
        None => "becomes text".to_owned(),
        Some(Recogniser { name: Some(name), is_here: true }) => {
            format!("stays on its own machine, where {name} makes text of it")
        }
        Some(Recogniser { name: None, is_here: true }) => {
            "stays on its own machine, where it becomes text".to_owned()
        }
        Some(Recogniser { name: Some(name), is_here: false }) => {
            format!("is sent to {name}, which makes text of it")
        }
        Some(Recogniser { name: None, is_here: false }) => {
            "is sent to a speech server of its owner's, which makes text of it".to_owned()
        }
    };
    format!("What it hears {where_to} that it may remember")
}

/// Where a transcript is posted.
fn written_here(transcript: bool) -> &'static str {
    if transcript {
        ", and what people say who press **Hear me** or called it in is written into this chat for all who can read it"
    } else {
        ""
    }
}

/// The button to agree; at most 80 characters.
pub(in crate::discord) fn agree_label() -> &'static str {
    "Hear me"
}

/// The button to decline; at most 80 characters.
pub(in crate::discord) fn decline_label() -> &'static str {
    "Do not hear me"
}

/// `/subscribe-my-voice` by somebody who is in no call.
pub(in crate::discord) fn join_a_call_first() -> String {
    "You are in no voice channel that I can see. Join one, then use this command again.".to_owned()
}

pub(in crate::discord) fn called_in(familiar: &str, call: u64, grace: Duration) -> String {
    format!(
        "{familiar} is in <#{call}> and listens to you. It follows you to other calls of this server and leaves {} after \
         you. End it with `/unsubscribe-voice`.",
        patience(grace)
    )
}

/// `/subscribe-my-voice` or the button, where it is already in the call.
pub(in crate::discord) fn hears_you_too(familiar: &str) -> String {
    format!(
        "{familiar} hears you now too. Press **Do not hear me** under its notice in the call's chat to end that."
    )
}

/// `/subscribe-my-voice` where nothing was to be changed.
pub(in crate::discord) fn hears_you_already(familiar: &str) -> String {
    format!("{familiar} is in your call and hears you already.")
}

/// It is in another call of the server, with people.
pub(in crate::discord) fn is_elsewhere(familiar: &str, call: u64) -> String {
    format!("{familiar} is with others in <#{call}>, and can be in one call per server. Join them, or wait.")
}

/// It lacks permissions in the call.
pub(in crate::discord) fn lacks_permissions(call: u64, missing: &[&str]) -> String {
    format!(
        "I cannot join <#{call}> yet: I lack {}. Give my role {} in the channel's permissions, then try again.",
        super::list(missing),
        if missing.len() == 1 { "this permission" } else { "these permissions" },
    )
}

/// The call has no room.
pub(in crate::discord) fn call_is_full(call: u64) -> String {
    format!("<#{call}> is full. Raise its user limit or make room, then try again.")
}

/// A stage is no call.
pub(in crate::discord) fn no_stages(call: u64) -> String {
    format!("<#{call}> is a stage; I can only talk in voice channels.")
}

/// The call does not exist any more, or cannot be seen.
pub(in crate::discord) fn unknown_call() -> String {
    "I cannot see that voice channel. Give my role View Channel there, then try again.".to_owned()
}

/// Joining did not work.
pub(in crate::discord) fn not_joined(call: u64, why: &str) -> String {
    format!("I could not join <#{call}>: {why}. Try again in a minute.")
}

/// Calls are not possible on this machine.
pub(in crate::discord) fn no_calls() -> String {
    "Calls are switched off here. Whoever runs this bot can switch them on.".to_owned()
}

/// Only who manages channels may have everybody heard.
pub(in crate::discord) fn everybody_needs_manage_channels(call: u64) -> String {
    format!(
        "To have everybody heard you need Manage Channels in <#{call}>. Without `everybody` it listens to you alone."
    )
}

/// `every_call` says for how long `everybody` is to hold, and nothing by itself.
pub(in crate::discord) fn every_call_needs_everybody() -> String {
    "`every_call` keeps what `everybody` says: set `everybody` to True or False as well.".to_owned()
}

/// Only who manages the server says what holds in all of its calls.
pub(in crate::discord) fn every_call_needs_manage_server() -> String {
    "To say what holds in every call of this server you need Manage Server. Without `every_call` it holds in this call."
        .to_owned()
}

/// The server's switch is on.
pub(in crate::discord) fn everybody_in_every_call(familiar: &str) -> String {
    format!(
        "From now on {familiar} hears everybody in every call of this server who was told so and does not decline. \
         `/subscribe-my-voice everybody:False every_call:True` ends that."
    )
}

/// The server's switch is off.
pub(in crate::discord) fn nobody_unasked(familiar: &str) -> String {
    format!("In every call of this server {familiar} hears only who agrees.")
}

/// `/unsubscribe-voice` ended the call.
pub(in crate::discord) fn call_ended(familiar: &str) -> String {
    format!("{familiar} has left the call.")
}

/// `/unsubscribe-voice` by somebody who did not call it in, or the button.
pub(in crate::discord) fn hears_you_no_longer(familiar: &str) -> String {
    format!(
        "{familiar} does not listen to you any more. Whoever called it in, or somebody with Manage Channels, can make it \
         leave."
    )
}

/// The button to decline, or `/unsubscribe-voice`, by somebody it does not hear.
pub(in crate::discord) fn does_not_hear_you(familiar: &str) -> String {
    format!("{familiar} does not listen to you.")
}

/// `/unsubscribe-voice` or a button where it is in no call.
pub(in crate::discord) fn in_no_call(familiar: &str) -> String {
    format!("{familiar} is in no call on this server.")
}

/// Whom it was with has left.
pub(in crate::discord) fn left_behind(familiar: &str) -> String {
    format!("-# {familiar} has left: whoever called it in is gone. `/subscribe-my-voice` brings it back.")
}

pub(in crate::discord) fn left_alone(familiar: &str) -> String {
    format!("-# {familiar} has left: nobody was here. `/subscribe-my-voice` brings it back.")
}

/// Nobody said anything for long.
pub(in crate::discord) fn left_quiet(familiar: &str, quiet: Duration) -> String {
    format!(
        "-# {familiar} has left: nobody said anything for {}. `/subscribe-my-voice` brings it back.",
        patience(quiet)
    )
}

/// The connection is gone and does not come back.
pub(in crate::discord) fn gave_up(familiar: &str, why: &str) -> String {
    format!("-# {familiar} has lost the call: {why}. `/subscribe-my-voice` brings it back.")
}

/// It was to follow somebody where it may not go.
pub(in crate::discord) fn cannot_follow(familiar: &str, call: u64, why: &str) -> String {
    format!("-# {familiar} stays here and cannot come to <#{call}>. {why}")
}

/// Nothing of what is said can be decrypted.
pub(in crate::discord) fn deaf(familiar: &str) -> String {
    format!(
        "-# {familiar} could not make out what was said and connects again. What was said just now is lost."
    )
}

/// Nor after connecting again.
pub(in crate::discord) fn still_deaf(familiar: &str, user: &str) -> String {
    format!("-# {familiar} still cannot make out <@{user}>. It may help to leave the call and to come back.")
}

/// Somebody speaks, and Discord does not say who.
pub(in crate::discord) fn unplaced(familiar: &str) -> String {
    format!(
        "-# {familiar} gets sound from somebody it cannot place, and connects again. What they said just now is lost."
    )
}

/// Nor after connecting again.
pub(in crate::discord) fn still_unplaced(familiar: &str) -> String {
    format!(
        "-# {familiar} still gets sound from somebody it cannot place, and does not listen to it. Whoever speaks and is \
         not heard: leave the call and come back."
    )
}

/// There is no speech recognition.
pub(in crate::discord) fn hears_nothing(why: &str) -> String {
    format!("-# I can speak here but not hear: {why}. Write to me in this chat.")
}

/// What was just said was not understood.
pub(in crate::discord) fn misses_words(why: &str) -> String {
    format!(
        "-# I could not make out what was said just now: {why}. Say it again in a moment, or write to me in this chat."
    )
}

/// What people say is understood again.
pub(in crate::discord) fn hears_again() -> String {
    "-# I hear again.".to_owned()
}

/// There is no voice.
pub(in crate::discord) fn has_no_voice(why: &str) -> String {
    format!("-# I can hear here but not speak: {why}. I answer in this chat.")
}

/// There is a voice again.
pub(in crate::discord) fn speaks_again() -> String {
    "-# I speak again.".to_owned()
}

/// One person is not heard for now.
pub(in crate::discord) fn not_heard(who: &str, why: &str) -> String {
    format!("-# <@{who}>, I do not hear you for a while: {why}. Write to me in this chat.")
}

/// One person is answered in writing for now.
pub(in crate::discord) fn not_spoken_to(who: &str, why: &str) -> String {
    format!("-# <@{who}>, I answer you in this chat for a while: {why}.")
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
pub(in crate::discord) fn call_state(call: u64, heard: usize, packets: Packets) -> String {
    let Packets { taken, refused, unplaced, lost } = packets;
    let unplaced = match unplaced {
        0 => String::new(),
        some => format!(", {some} from nobody knows whom"),
    };
    let people = match heard {
        0 => "nobody".to_owned(),
        1 => "1 person".to_owned(),
        more => format!("{more} people"),
    };
    format!(
        "In call <#{call}>: hears {people}; packets: {taken} taken, {refused} refused unheard{unplaced}, {lost} lost"
    )
}

/// A transcript's message, with its lines.
pub(in crate::discord) fn transcript(lines: &[&str]) -> String {
    let heading = "-# What was said. `/forget me` takes your words out.";
    [heading].into_iter().chain(lines.iter().copied()).collect::<Vec<_>>().join("\n")
}

/// A line of a transcript; `at` in seconds since 1970, shown by each reader's own clock.
pub(in crate::discord) fn transcript_line(at: i64, who: &str, words: &str) -> String {
    let who: String =
        who.chars().filter(|letter| !matches!(letter, '*' | '_' | '`' | '~' | '|' | '\n')).collect();
    format!("<t:{at}:T> **{who}**: {}", one_line(words))
}

/// How long it is patient.
fn patience(long: Duration) -> String {
    match long.as_secs() {
        seconds if seconds < 120 => counted(seconds, "second"),
        _ => lasts(long),
    }
}

fn mentions(users: &[u64]) -> String {
    let named: Vec<String> = users.iter().take(NAMED).map(|user| format!("<@{user}>")).collect();
    let named: Vec<&str> = named.iter().map(String::as_str).collect();
    match users.len().saturating_sub(NAMED) {
        0 => super::list(&named),
        more => format!("{} and {more} more", named.join(", ")),
    }
}
