//! Every sentence a person can read on Discord that the program, not the character, says.
//!
//! Owns words and nothing else: functions from facts to text, snapshot-tested, so that tone is reviewed in one
//! place. Must not know serenity. Start reading at [`notice`].

mod learning;
mod life;
mod lore;
mod memory;
mod pairing;
mod persona;
mod privacy;
mod reminders;
mod repair;
pub(super) mod tools;
pub(super) mod voice;

use std::time::Duration;

use crate::config::{OwnMessagesConfig, SpeaksFirst};
use crate::domain::{ChannelMode, ModelErrorClass, TurnId};
use crate::familiar::DayPart;
use crate::session::Notice;
use crate::text::short::{counted, lasts, thousands, wait_for};

pub(super) use learning::{
    END_LEARNING, LET_LEARN, UNLEARN, ends_learning, learned, lets_learn, unlearned, whether_it_learns,
};
pub(super) use life::{
    BRANCH, ProfileChange, branched, branches_not_here, name_does_not_fit, needs_manage_nicknames,
    nicknames_are_of_servers, no_picture, not_branched, picture_too_large, profile_changed,
    profile_is_the_operators, profile_refused, status_words,
};
pub(super) use lore::{lore_called_up, lore_entries, no_lore, no_such_entry};
pub(super) use memory::{
    CHOOSE_FACT, CORRECT, CORRECT_LABEL, CORRECT_TITLE, FORGET, FORGET_FOR_GOOD, FactSource, KEEP, KnownFact,
    LooksThrough, Teller, corrected, fact_gone, forget_plan, forgotten, forgotten_for_good, kept,
    known_facts, not_corrected, nothing_known, nothing_to_forget, nothing_to_undo, one_fact,
    transcripts_searched, undone,
};
pub(super) use pairing::{pair_code, pair_refused, paired, past_only_alone, past_shared, unpaired};
pub(super) use persona::{no_persona, persona_cleared, persona_set, persona_shown, too_many_personas};
pub(super) use privacy::{
    COPY_OF_MINE, NOT_NOW, OPT_OUT, OPT_OUT_AND_FORGET, OPT_OUT_FOR_GOOD, TAKE_PART, copied, opted_out,
    opted_out_hint, opting_out, privacy, stays_out, takes_part, undo_while_opted_out,
};
pub(super) use reminders::{CHOOSE_REMINDER, reminder_cancelled, reminder_gone, reminders};
pub(super) use repair::{
    ANOTHER, DELETE, EARLIER, LATER, REPAIR, REWORD, REWORD_LABEL, REWORD_TITLE, TAKE_BACK, repaired,
    too_long_to_reword,
};

/// A failure line in the channel. One short line in small print, with the turn to look up.
pub(super) fn notice(notice: Notice) -> String {
    match notice {
        Notice::ModelFailed { turn, class: ModelErrorClass::RateLimited, wait: Some(wait) } => {
            format!("-# Too many requests to the model right now. Try again in {}. ({turn})", wait_for(wait))
        }
        Notice::ModelFailed { turn, class, .. } => format!("-# {} ({turn})", model_failure(class)),
        Notice::NotStored { turn } => {
            format!(
                "-# I could not write that down, so I did not answer. Tell whoever runs this bot. ({turn})"
            )
        }
        Notice::TooMuchAtOnce => {
            "-# That is more than I can answer at once. Give me a minute; what you write is read all the same.".to_owned()
        }
        Notice::CutShort { turn } => {
            format!("-# That is as long as an answer of mine may be. Ask me to go on for the rest. ({turn})")
        }
        Notice::KeepsQuiet => {
            "-# From now on I speak only when spoken to. `/wake` ends that; so does telling me that I may talk again."
                .to_owned()
        }
        Notice::JoinsInAgain => "-# I may join in again. `/quiet` ends that.".to_owned(),
        Notice::MessageTooLong { turn, tokens, fits } => format!(
            "-# That message is too long for me: it has {} tokens, and {} fit. Send it in parts. ({turn})",
            thousands(tokens.into()),
            thousands(fits.into())
        ),
        Notice::PromptTooLarge { turn } => {
            format!("-# The character is too large for its model. Tell whoever runs this bot. ({turn})")
        }
    }
}

fn model_failure(class: ModelErrorClass) -> &'static str {
    match class {
        ModelErrorClass::RateLimited => "Too many requests to the model right now. Try again in a minute.",
        ModelErrorClass::Server => "The model's provider has trouble. Try again in a minute.",
        ModelErrorClass::Network => "The model could not be reached. Try again in a minute.",
        ModelErrorClass::BrokeOff => "The answer broke off before its end. Try again.",
        ModelErrorClass::Timeout => "The model took too long. Try again.",
        ModelErrorClass::ModelMissing => "The configured model does not exist. Tell whoever runs this bot.",
        ModelErrorClass::Authentication => "The model's key was refused. Tell whoever runs this bot.",
        ModelErrorClass::KeyMissing => "The model wants a key and none is set. Tell whoever runs this bot.",
        ModelErrorClass::Quota => "There is no credit left for the model. Tell whoever runs this bot.",
        ModelErrorClass::ContextLength => {
            "This is longer than the model reads. Tell whoever runs this bot to set `context_window`."
        }
        ModelErrorClass::ContentFilter => "The model's provider refused this. Try to put it another way.",
        ModelErrorClass::Malformed => "The model's answer could not be read. Try again.",
        ModelErrorClass::Empty => "The model said nothing. Try again, or say it in another way.",
        ModelErrorClass::WebPage => "A web page came instead of an answer. Tell whoever runs this bot.",
        ModelErrorClass::BadRequest => "The model refused the request. Tell whoever runs this bot.",
        ModelErrorClass::CostCap | ModelErrorClass::TokenCap => {
            "Today's budget is used up. It starts again at midnight (UTC)."
        }
        ModelErrorClass::Cancelled => "That reply was stopped.",
    }
}

/// The one answer to a person who may not write DMs to the familiar.
pub(super) fn dm_refused(familiar: &str, account: u64) -> String {
    format!(
        "{familiar} reads direct messages only from people on a server where it reads along, and from those on its \
         allow-list, so this was not read. Talk to it on such a server, or ask whoever runs this bot to add your id \
         `{account}` to `dm_allowlist`."
    )
}

pub(super) fn subscribed(familiar: &str, channel: u64) -> String {
    format!("{familiar} now reads <#{channel}> and its threads. Stop with `/unsubscribe-text`.")
}

/// Told in a channel itself when it begins to be read there: whoever writes there has to know.
pub(super) fn begins_to_read(familiar: &str) -> String {
    format!(
        "-# {familiar} reads this channel and its threads from now on and remembers what is said there. `/help` says more, \
         `/privacy` what is stored of you; there you can also opt out."
    )
}

/// Told to somebody who mentioned it in a channel that it does not read, and who may change that.
pub(super) fn does_not_read(familiar: &str) -> String {
    format!(
        "-# {familiar} does not read this channel, so that was not read either. `/subscribe-text` here changes that."
    )
}

pub(super) fn keeps_quiet(familiar: &str, span: Option<Duration>) -> String {
    let long = span.map_or_else(String::new, |span| format!(" for {}", lasts(span)));
    format!(
        "{familiar} speaks only when spoken to{long}. `/wake` ends that; in a call it ends with the call."
    )
}

pub(super) fn joins_in_again(familiar: &str) -> String {
    format!("{familiar} may join in again. `/quiet` ends that.")
}

/// The settings let somebody, or the place they are in, have nothing to do with it.
pub(super) fn not_let_in(familiar: &str) -> String {
    format!(
        "{familiar} is not open to you here; whoever runs this bot decides that. `/privacy` shows what is stored of you, and \
         `/forget` takes it away."
    )
}

pub(super) fn reset(familiar: &str) -> String {
    format!(
        "The conversation here begins anew: {familiar} no longer has in view what was said before. It stays remembered, and can \
         come back to mind when it is spoken of; `/forget` is for what is to go."
    )
}

/// The button under that.
pub(super) const UNDO_RESET: &str = "Take that back";

pub(super) fn reset_undone(familiar: &str) -> String {
    format!("{familiar} has in view again what was said before.")
}

/// It was begun anew again since.
pub(super) fn reset_since() -> String {
    "The conversation was begun anew once more since, so this stays as it is.".to_owned()
}

pub(super) fn nothing_to_reset() -> String {
    "Nothing was said here that could be left behind.".to_owned()
}

/// `/quiet` or `/wake` in a direct message.
pub(super) fn alone_it_answers() -> String {
    "In direct messages there is nobody else to be quiet for.".to_owned()
}

/// `/quiet` or `/wake` where it neither reads nor listens.
pub(super) fn not_here_and_in_no_call(familiar: &str) -> String {
    format!("{familiar} does not read this channel and is in no call on this server.")
}

/// Told to whoever asks it in a message to forget something.
pub(super) fn how_to_forget() -> String {
    "-# To have something forgotten for good: `/forget what` takes what you said with certain words, `/forget me` everything; \
     `/memory` shows what is noted about you."
        .to_owned()
}

/// The button under that.
pub(super) const FORGET_ME: &str = "Forget everything of mine …";

/// `/subscribe-text` where there is a subscription.
pub(super) fn already_subscribed(familiar: &str, channel: u64) -> String {
    format!("{familiar} already reads <#{channel}>. Stop with `/unsubscribe-text`.")
}

/// `/subscribe-text` or `/unsubscribe-text` in a DM.
pub(super) fn dm_needs_no_subscription() -> String {
    "Direct messages need no subscription. Use this command on a server.".to_owned()
}

pub(super) fn unsubscribed(familiar: &str, channel: u64) -> String {
    format!("{familiar} no longer reads <#{channel}>. Start again with `/subscribe-text`.")
}

/// `/unsubscribe-text` where there is no subscription.
pub(super) fn not_subscribed(familiar: &str, channel: u64) -> String {
    format!("{familiar} does not read <#{channel}>. Start with `/subscribe-text`.")
}

/// The bot lacks something where it is to talk.
pub(super) fn bot_lacks_permissions(channel: u64, missing: &[&str]) -> String {
    format!(
        "I cannot talk in <#{channel}> yet: I lack {}. Give my role {} in the channel's permissions, then try again.",
        list(missing),
        if missing.len() == 1 { "this permission" } else { "these permissions" },
    )
}

/// The command was used in a place that cannot be seen or is of no use.
pub(super) fn unknown_place() -> String {
    "I cannot see this channel. Give my role View Channel here, then try again.".to_owned()
}

/// The person may not decide about a channel they chose.
pub(super) fn needs_manage_channels(channel: u64) -> String {
    format!("You need Manage Channels in <#{channel}> for this. Ask somebody who has it.")
}

/// Confirmation of the `/channel-…` mode commands.
pub(super) fn mode_set(channel: u64, mode: ChannelMode) -> String {
    format!("<#{channel}> is now in {} mode: {}", mode_name(mode), mode_words(mode))
}

fn mode_name(mode: ChannelMode) -> &'static str {
    match mode {
        ChannelMode::FullRp => "full role-play",
        ChannelMode::TextConversationRp => "text conversation",
        ChannelMode::ImitateVoice => "imitate voice",
    }
}

fn mode_words(mode: ChannelMode) -> &'static str {
    match mode {
        ChannelMode::FullRp => "long, novel-style replies in the third person.",
        ChannelMode::TextConversationRp => "chat-room style, a couple of short lines.",
        ChannelMode::ImitateVoice => "one or two short sentences, as if spoken.",
    }
}

/// The title of the backdrop modal; at most 45 characters.
pub(super) fn backdrop_title() -> &'static str {
    "Backdrop of this channel"
}

/// The label of its field; at most 45 characters.
pub(super) fn backdrop_label() -> &'static str {
    "What is going on here (empty clears it)"
}

/// The placeholder of its field; at most 100 characters.
pub(super) fn backdrop_placeholder() -> &'static str {
    "A tavern at the crossroads, late evening. Rain outside."
}

/// Confirmation of the backdrop modal.
pub(super) fn backdrop_set(channel: u64, chars: usize) -> String {
    format!("The backdrop of <#{channel}> is set ({chars} characters). It counts from the next reply on.")
}

/// Confirmation of an empty backdrop.
pub(super) fn backdrop_cleared(channel: u64) -> String {
    format!("The backdrop of <#{channel}> is cleared.")
}

pub(super) fn greeted() -> String {
    "Said hello.".to_owned()
}

/// `/greet` in a place that is not read.
pub(super) fn greet_needs_subscription(familiar: &str) -> String {
    format!("{familiar} does not read this channel. Use `/subscribe-text` first.")
}

/// `/greet` with a number that the card does not have; `have` greetings exist.
pub(super) fn no_such_greeting(have: usize) -> String {
    match have {
        0 => "The card has no greeting.".to_owned(),
        1 => "The card has one greeting: use `/greet` without a number.".to_owned(),
        _ => format!("The card has {have} greetings: use a number from 1 to {have}."),
    }
}

/// `/context` without any turn of the caller.
pub(super) fn no_turn_yet() -> String {
    "There is no turn of yours here yet. Say something first, then ask again.".to_owned()
}

/// `/context` for a turn that does not exist or is not the caller's; both read the same, so that nothing is told
/// about turns of others.
pub(super) fn no_such_turn(given: &str) -> String {
    let given: String = given.chars().filter(|c| !c.is_control() && *c != '`').take(20).collect();
    format!("There is no turn `{given}` that you took part in. Leave it out to see your last one.")
}

/// What stands above the attached x-ray of a turn. `summary` is one line.
pub(super) fn context_attached(turn: TurnId, summary: &str) -> String {
    format!("Turn {turn}: {summary}. The whole record is attached; only you can see this.")
}

/// `/context` for a turn of a place that not everybody who asks from here can see.
pub(super) fn turn_of_another_place(turn: TurnId) -> String {
    format!("Turn {turn} was in another channel. Ask there: only who can see that channel may read it.")
}

/// What stands above the answer to `/context why:`.
pub(super) fn why_attached(turn: TurnId) -> String {
    format!("What turn {turn} did with those words is attached; only you can see this.")
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Status {
    pub familiar: String,
    /// What its day has it do, and its mood as far as it shows here.
    pub day: Option<DayPart>,
    pub mood: Option<&'static str>,
    /// The model and how long it has been up, for whoever runs it.
    pub engine: Option<(String, Duration)>,
    /// What is known about this channel.
    pub here: Here,
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

pub(super) fn status(status: &Status) -> String {
    let mut lines = vec![life::how_it_is(&status.familiar, status.day.as_ref(), status.mood)];
    if let Some((model, uptime)) = &status.engine {
        lines.push(format!("Up {}, model: {model}", lasts(*uptime)));
    }
    lines.push(match status.here {
        Here::NotRead => "This channel: not read (`/subscribe-text`)".to_owned(),
        Here::Read => format!("This channel: read{}", in_mode(status.mode)),
        Here::ThroughParent => format!("This thread: read with its channel{}", in_mode(status.mode)),
        Here::Dm => format!("Direct messages: read{}", in_mode(status.mode)),
    });
    if status.here != Here::Dm {
        lines.push(format!("Channels read on this server: {}", status.subscriptions));
    }
    if let Some((call, heard, packets)) = status.call {
        lines.push(voice::call_state(call, heard, packets));
    }
    if let (begun @ 1.., given) = status.early {
        lines.push(format!("Answers begun early in calls: {begun}, of which {given} were given"));
    }
    if let Some(latency) = status.last_reply {
        lines.push(format!("Last reply here took {}", in_seconds(latency)));
    }
    match (status.spent_usd, status.cap_usd) {
        (Some(spent), Some(cap)) => lines.push(format!("Budget today: ${spent:.2} of ${cap:.2}")),
        (Some(spent), None) => lines.push(format!("Spent today: ${spent:.2}, no cap")),
        (None, Some(cap)) => lines.push(format!("Budget: ${cap:.2} a day")),
        (None, None) => {}
    }
    if status.unpriced_tokens > 0 {
        let cap = status.unpriced_cap.map(|cap| format!(" of {}", thousands(cap))).unwrap_or_default();
        let used = thousands(status.unpriced_tokens);
        lines.push(format!("Tokens today whose price is not known: {used}{cap}"));
    }
    lines.join("\n")
}

fn in_mode(mode: Option<ChannelMode>) -> String {
    mode.map(|mode| format!(", {} mode", mode_name(mode))).unwrap_or_default()
}

pub(super) fn help(familiar: &str) -> String {
    format!(
        "**{familiar}** reads the channels it is subscribed to and answers when spoken to: by name, by mention, by \
         reply. Now and then it joins in by itself. Editing or deleting a message changes what it remembers of it.\n\
         \n\
         For everybody:\n\
         `/memory` — what it has noted about you and may say here; correct or forget it\n\
         `/reminders` — what you asked to be reminded of, and cancelling it\n\
         `/forget me`, `/forget what` — make it forget what you said, everywhere; `/forget undo` takes that back\n\
         `/privacy` — what is stored of you, a copy of it, and opting out\n\
         `/context` — why it said what it said, for your own last turn\n\
         `/lore why` — which world lore your last turn called up, and why\n\
         `/greet` — let it say one of its greetings\n\
         `/pair`, `/pair-past`, `/unpair` — let it know you elsewhere as it does in direct messages, or no longer\n\
         `/status` — how it is, and how it writes here\n\
         `/branch`, *Apps → Go on in a thread* — the talk goes on in a thread of its own\n\
         *Apps → Repair this reply* on a reply to you — another answer, other words, or none\n\
         `/subscribe-my-voice`, `/unsubscribe-voice` — join your call and listen to you, or stop\n\
         `/quiet`, `/wake` — here and in this server's call, speak only when spoken to, or join in again\n\
         \n\
         With Manage Channels:\n\
         `/subscribe-text`, `/unsubscribe-text` — read this or another channel or forum, or stop\n\
         `/channel-full-rp`, `/channel-text-conversation-rp`, `/channel-imitate-voice` — how it writes here\n\
         `/channel-backdrop` — what is going on here\n\
         `/reset` — begin the conversation here anew; what was said stays remembered\n\
         `/speak-first` — let it begin to speak here by itself, or no longer\n\
         \n\
         Answers to commands are seen only by whoever used them."
    )
}

/// Whether it may begin to speak by itself in a place from now on.
pub(super) fn speaks_first(familiar: &str, begins: SpeaksFirst, own: OwnMessagesConfig) -> String {
    let OwnMessagesConfig { per_day, from_hour, to_hour } = own;
    match (begins, per_day) {
        (SpeaksFirst::No, _) => format!("{familiar} speaks here only after somebody else from now on."),
        (SpeaksFirst::Yes, 0) => format!(
            "{familiar} may begin to speak here by itself, but whoever runs this bot has set that it does so nowhere."
        ),
        (SpeaksFirst::Yes, _) => format!(
            "{familiar} may begin to speak here by itself, about days and birthdays that somebody told it of: between \
             {from_hour}:00 and {to_hour}:00, {} a day at most, and never again before somebody answered. \
             `/speak-first on:False` ends that.",
            counted(per_day.into(), "time")
        ),
    }
}

/// It may not, where it does not read.
pub(super) fn does_not_speak_first(familiar: &str) -> String {
    format!("{familiar} does not read here, so it says nothing here either. `/subscribe-text` changes that.")
}

/// A command ran into something of ours; `what` has no secrets in it.
pub(super) fn command_failed(what: &str) -> String {
    let what: String = what.chars().take(300).collect();
    format!("That did not work: {what}. If it happens again, tell whoever runs this bot.")
}

/// Something unforeseen; the log has the rest.
pub(super) fn command_broke() -> String {
    "That did not work. The log says why; tell whoever runs this bot if it happens again.".to_owned()
}

fn list(items: &[&str]) -> String {
    match items {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

fn in_seconds(duration: Duration) -> String {
    format!("{}.{} s", duration.as_secs(), duration.subsec_millis() / 100)
}

#[cfg(test)]
mod tests;
