//! Every sentence a person can read on Discord that the program, not the character, says.
//!
//! Owns which sentence of the catalogue (`messages/words`, one file a language) is said of which facts, and to whom in which
//! language. Must not know serenity. Start reading at [`notice`].

mod commands;
mod learning;
mod life;
mod lore;
mod memory;
mod pairing;
mod persona;
mod privacy;
mod reminders;
mod repair;
mod say;
pub(super) mod tools;
pub(super) mod voice;

use std::fmt::Debug;
use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use self::say::{said, sentences};
use crate::config::{OwnMessagesConfig, Unwritable};
use crate::domain::{ChannelMode, ModelErrorClass, Outcome, SilenceReason, TurnId};
use crate::familiar::DayPart;
use crate::session::Notice;
use crate::text::short::{decimal_in, lasts_in, thousands_in, wait_for_in};
pub(super) use crate::text::tongue::Tongue;

pub(super) use commands::{described, in_other_tongues};
pub(super) use learning::*;
pub(super) use life::*;
pub(super) use lore::{lore_called_up, lore_entries, no_lore, no_such_entry};
pub(super) use memory::*;
pub(super) use pairing::*;
pub(super) use persona::{no_persona, persona_cleared, persona_set, persona_shown, too_many_personas};
pub(super) use privacy::*;
pub(super) use reminders::{choose_reminder, reminder_cancelled, reminder_gone, reminders};
pub(super) use repair::*;

sentences! {
    /// The one answer to a person who may not write DMs to the familiar.
    dm_refused(familiar: &str, account: u64);
    subscribed(familiar: &str, channel: u64);
    /// Told in a channel itself when it begins to be read there: whoever writes there has to know.
    begins_to_read(familiar: &str);
    /// Told once to whoever writes to it alone.
    begins_alone(familiar: &str);
    /// Told to somebody who mentioned it in a channel that it does not read, and who may change that.
    does_not_read(familiar: &str);
    joins_in_again(familiar: &str);
    /// `/wake` where nobody had it keep quiet.
    was_not_quiet(familiar: &str);
    /// The settings let somebody, or the place they are in, have nothing to do with it.
    not_let_in(familiar: &str);
    reset(familiar: &str);
    /// The button under that.
    undo_reset();
    reset_undone(familiar: &str);
    /// It was begun anew again since.
    reset_since();
    nothing_to_reset();
    /// `/quiet` or `/wake` in a direct message.
    alone_it_answers();
    /// `/quiet` or `/wake` where it neither reads nor listens.
    not_here_and_in_no_call(familiar: &str);
    /// Told to whoever asks it in a message to forget something.
    how_to_forget();
    /// The button under that.
    forget_me();
    already_subscribed(familiar: &str, channel: u64);
    /// `/subscribe-text` or `/unsubscribe-text` in a DM.
    dm_needs_no_subscription();
    unsubscribed(familiar: &str, channel: u64);
    not_subscribed(familiar: &str, channel: u64);
    /// The command was used in a place that cannot be seen or is of no use.
    unknown_place();
    /// The person may not decide about a channel they chose.
    needs_manage_channels(channel: u64);
    /// The title of the backdrop modal, the label of its field and an example in it.
    backdrop_title();
    backdrop_label();
    backdrop_placeholder();
    backdrop_set(channel: u64, chars: usize);
    backdrop_cleared(channel: u64);
    greeted();
    /// `/greet` in a place that is not read.
    greet_needs_subscription(familiar: &str);
    /// `/greet` with a number that the card does not have; `have` greetings exist.
    no_such_greeting(have: usize);
    /// `/context` without any turn of the caller.
    no_turn_yet();
    /// What stands above the attached x-ray of a turn. `summary`: how it ended.
    context_attached(turn: TurnId, summary: &str);
    /// `/context` for a turn of a place that not everybody who asks from here can see.
    turn_of_another_place(turn: TurnId);
    /// What stands above the answer to `/context why:`.
    why_attached(turn: TurnId);
    help(familiar: &str);
    /// It may not begin to speak where it does not read.
    does_not_speak_first(familiar: &str);
    /// Something unforeseen; the log has the rest.
    command_broke();
    failed_history();
    failed_pairing();
    failed_trace();
    failed_forget();
    failed_notes();
}

/// A failure line in the channel. One short line in small print, with the turn to look up.
pub(super) fn notice(to: Tongue, notice: Notice) -> String {
    match notice {
        Notice::ModelFailed { turn, class: ModelErrorClass::RateLimited, wait: Some(wait), .. } => {
            said!(to, notice_try_later, wait = wait_for_in(to, wait), turn)
        }
        Notice::ModelFailed { turn, class, .. } => {
            said!(to, notice_model_failed, class = case_name(class), turn)
        }
        Notice::NotStored { turn, .. } => said!(to, notice_not_stored, turn),
        Notice::TooMuchAtOnce => said!(to, notice_too_much_at_once),
        Notice::CutShort { turn } => said!(to, notice_cut_short, turn),
        Notice::KeepsQuiet => said!(to, notice_keeps_quiet),
        Notice::KeptBack { turn } => said!(to, notice_kept_back, turn),
        Notice::JoinsInAgain => said!(to, notice_joins_in_again),
        Notice::MessageTooLong { turn, tokens, fits } => said!(
            to,
            notice_message_too_long,
            tokens = thousands_in(to, tokens.into()),
            fits = thousands_in(to, fits.into()),
            turn
        ),
        Notice::PromptTooLarge { turn } => said!(to, notice_prompt_too_large, turn),
    }
}

pub(super) fn keeps_quiet(to: Tongue, familiar: &str, span: Option<Duration>) -> String {
    match span {
        Some(span) => said!(to, keeps_quiet_for, familiar, span = lasts_in(to, span)),
        None => said!(to, keeps_quiet, familiar),
    }
}

/// The bot lacks something where it is to talk. `missing`: names of permissions.
pub(super) fn bot_lacks_permissions(to: Tongue, channel: u64, missing: &[&str]) -> String {
    said!(to, bot_lacks_permissions, channel, missing = permissions(to, missing), count = missing.len())
}

fn permissions(to: Tongue, names: &[&str]) -> String {
    let named = |name: &&str| said!(to, permission, name = name.replace(' ', "_"), as_it_is = *name);
    list(to, &names.iter().map(named).collect::<Vec<_>>())
}

/// Confirmation of the `/channel-…` mode commands.
pub(super) fn mode_set(to: Tongue, channel: u64, mode: ChannelMode) -> String {
    said!(to, mode_set, channel, mode = case_name(mode))
}

/// `/context` for a turn that does not exist or is not the caller's; both read the same, so that nothing is told
/// about turns of others.
pub(super) fn no_such_turn(to: Tongue, given: &str) -> String {
    let given: String = given.chars().filter(|c| !c.is_control() && *c != '`').take(20).collect();
    said!(to, no_such_turn, given)
}

/// A moment, which Discord shows in a message by the clock of whoever reads it.
pub(super) fn moment(at: Timestamp) -> String {
    format!("<t:{}:f>", at.as_second())
}

/// A moment by that clock, for a list of choices: there Discord shows none.
pub(super) fn moment_in(zone: &TimeZone, at: Timestamp) -> String {
    at.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M %Z").to_string()
}

/// How a turn ended, in a few words with a full stop. What went wrong word for word is in the record. `tells` tells a moment.
pub(super) fn how_it_ended(to: Tongue, outcome: &Outcome, tells: impl FnOnce(Timestamp) -> String) -> String {
    match outcome {
        Outcome::Replied { messages } => said!(to, outcome_replied, messages = *messages),
        Outcome::Silent { reason: SilenceReason::NotAddressed { count, threshold } } => {
            let (reason, count, threshold) = ("NotAddressed", *count, *threshold);
            said!(to, outcome_silent, reason, count, threshold)
        }
        Outcome::Silent { reason: SilenceReason::KeptQuiet { until } } => match until {
            Some(until) => said!(to, outcome_silent, reason = "KeptQuiet", until = tells(*until)),
            None => said!(to, outcome_silent, reason = "KeptQuietUntilWoken"),
        },
        Outcome::Silent { reason } => said!(to, outcome_silent, reason = case_name(reason)),
        Outcome::Failed { class, .. } => said!(to, model_failure, class = case_name(class)),
        Outcome::Undelivered { messages, .. } => said!(to, outcome_undelivered, messages = *messages),
        Outcome::Cancelled { reason, messages } => {
            said!(to, outcome_cancelled, reason = case_name(reason), messages = *messages)
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Status {
    pub familiar: String,
    /// How it is in its own words, where it has some.
    pub own_words: Option<String>,
    /// What its day has it do, and its mood as far as it shows here.
    pub day: Option<DayPart>,
    pub mood: Option<&'static str>,
    /// The model and how long it has been up, for whoever runs it.
    pub engine: Option<(String, Duration)>,
    /// What is known about this channel.
    pub here: Here,
    /// Until when it speaks here only when spoken to.
    pub quiet_until: Option<Timestamp>,
    /// It may not write here.
    pub is_mute: bool,
    /// Channels read on this server.
    pub subscriptions: usize,
    pub mode: Option<ChannelMode>,
    /// The call on this server: which, how many people are heard, and what became of packets.
    pub call: Option<(u64, usize, voice::Packets)>,
    /// Answers begun early in calls, and how many of them were given.
    pub early: (u64, u64),
    /// From a message to the end of the reply, for the last reply here.
    pub last_reply: Option<Duration>,
    /// US dollars spent today and the cap, where known.
    pub spent_usd: Option<f64>,
    pub cap_usd: Option<f64>,
    /// Tokens of today whose price is not known, and how many of them there may be in a day.
    pub unpriced_tokens: u64,
    pub unpriced_cap: Option<u64>,
}

/// How a place is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Here {
    #[default]
    NotRead,
    Read,
    /// A thread of a channel that is read.
    ThroughParent,
    Dm,
}

pub(super) fn status(to: Tongue, status: &Status) -> String {
    let mode = status.mode.map_or_else(|| "none".to_owned(), case_name);
    let own = status.own_words.iter().map(|words| format!("> {words}"));
    let mut lines: Vec<String> = own.collect();
    lines.push(how_it_is(to, &status.familiar, status.day.as_ref(), status.mood));
    if let Some((model, uptime)) = &status.engine {
        lines.push(said!(to, status_up, uptime = lasts_in(to, *uptime), model));
    }
    lines.push(said!(to, status_here, here = case_name(status.here), mode));
    if status.is_mute {
        lines.push(said!(to, status_mute));
    } else if let Some(until) = status.quiet_until {
        let until = (until < Timestamp::MAX).then(|| until.as_second().to_string());
        lines.push(said!(to, status_quiet, until = until.unwrap_or_else(|| "wake".to_owned())));
    }
    if status.here != Here::Dm {
        lines.push(said!(to, status_subscriptions, count = status.subscriptions));
    }
    if let Some((call, heard, packets)) = status.call {
        lines.push(voice::call_state(to, call, heard, packets));
    }
    if let (begun @ 1.., given) = status.early {
        lines.push(said!(to, status_early, begun, given));
    }
    if let Some(latency) = status.last_reply {
        // Cut, not rounded: it took at least as long.
        let tenths = latency.as_millis() / 100;
        lines.push(said!(to, status_last_reply, seconds = decimal_in(to, tenths as f64 / 10.0, 1)));
    }
    let money = |usd| decimal_in(to, usd, 2);
    match (status.spent_usd.map(money), status.cap_usd.map(money)) {
        (Some(spent), Some(cap)) => lines.push(said!(to, status_budget, spent, cap)),
        (Some(spent), None) => lines.push(said!(to, status_spent, spent)),
        (None, Some(cap)) => lines.push(said!(to, status_cap, cap)),
        (None, None) => {}
    }
    if status.unpriced_tokens > 0 {
        let used = thousands_in(to, status.unpriced_tokens);
        lines.push(match status.unpriced_cap {
            Some(cap) => said!(to, status_unpriced_of, used, cap = thousands_in(to, cap)),
            None => said!(to, status_unpriced, used),
        });
    }
    lines.join("\n")
}

/// Whether it may begin to speak by itself in a place from now on.
pub(super) fn speaks_first(to: Tongue, familiar: &str, begins: bool, own: OwnMessagesConfig) -> String {
    let OwnMessagesConfig { per_day, from_hour, to_hour } = own;
    let (from_hour, to_hour) = (u32::from(from_hour), u32::from(to_hour));
    match (begins, per_day) {
        (false, _) => said!(to, speaks_first_no, familiar),
        (true, 0) => said!(to, speaks_first_nowhere, familiar),
        (true, _) => said!(to, speaks_first_yes, familiar, per_day, from_hour, to_hour),
    }
}

/// Whether it greets newcomers in a channel from now on.
pub(super) fn greets_newcomers(to: Tongue, familiar: &str, greets: bool) -> String {
    match greets {
        true => said!(to, greets_newcomers_yes, familiar),
        false => said!(to, greets_newcomers_no, familiar),
    }
}

/// A command ran into something of ours; `what` has no secrets in it.
pub(super) fn command_failed(to: Tongue, what: &str) -> String {
    let what: String = what.chars().take(300).collect();
    said!(to, command_failed, what)
}

/// What of a command did not work where settings were not saved: what there is to do, where the disk is why.
pub(super) fn failed_settings(to: Tongue, why: Option<Unwritable>) -> String {
    said!(to, failed_settings, why = why.map_or_else(|| "none".to_owned(), case_name))
}

/// The name of a case, by which the catalogue tells cases apart.
fn case_name(case: impl Debug) -> String {
    format!("{case:?}")
}

fn list(to: Tongue, items: &[String]) -> String {
    match items {
        [most @ .., before, last] => {
            let most: Vec<&str> = most.iter().chain([before]).map(String::as_str).collect();
            [&most.join(&said!(to, list_comma)), &said!(to, list_and), last].map(String::as_str).concat()
        }
        items => items.concat(),
    }
}

fn date(to: Tongue, date: Date) -> String {
    said!(to, date, day = date.day(), month = date.month(), year = date.year().to_string())
}

#[cfg(test)]
mod tests;
