//! What is said of places and of calls in them.

use crate::config::SettingFrom;
use crate::domain::{AccountId, ChannelMode};
use crate::text::short::thousands;
use crate::voice::turn::{DropReason, Verdict};
use crate::voice::{CallDid, CallTurn};

/// Over the places that are on no server.
pub(in crate::window) const NO_SERVER: &str = "Alone with it";

/// What sort of place it is, by the word that the history has for it.
pub(in crate::window) fn kind_of_place(kind: &str) -> &'static str {
    match kind {
        "thread" => "thread",
        "forum_post" => "forum post",
        "dm" => "direct messages",
        "terminal" => "on this machine",
        _ => "channel",
    }
}

/// In which mode it talks somewhere.
pub(in crate::window) fn how_it_talks(mode: ChannelMode) -> &'static str {
    match mode {
        ChannelMode::FullRp => "as in a novel",
        ChannelMode::TextConversationRp => "as in a chat",
        ChannelMode::ImitateVoice => "as if spoken",
    }
}

/// How long a prompt may be somewhere.
pub(in crate::window) fn budget_here(tokens: u32) -> String {
    format!("prompts of {} tokens at most", thousands(tokens.into()))
}

pub(in crate::window) fn spoke_because(trigger: &str) -> String {
    format!("Spoke because: {trigger}.")
}

pub(in crate::window) fn silent_because(reason: &str) -> String {
    format!("Stayed silent because {reason}.")
}

/// Who is writing something at this moment.
pub(in crate::window) fn typing(names: &[&str], most: usize) -> String {
    match names {
        [one] => format!("{one} is typing."),
        _ if names.len() <= most => format!("{} are typing.", names.join(", ")),
        _ => format!("{} people are typing.", names.len()),
    }
}

/// Of somebody in a call.
pub(in crate::window) const SPEAKS: &str = "speaks";
pub(in crate::window) const MUTED: &str = "muted";
pub(in crate::window) const HEARS_NOTHING: &str = "hears nothing";

/// Of whom in a call no name is known any more.
pub(in crate::window) const SOMEBODY_IN_CALL: &str = "Somebody";

/// Whose turn it is in a call.
pub(in crate::window) fn call_turn(turn: CallTurn) -> &'static str {
    match turn {
        CallTurn::Listens => "It listens.",
        CallTurn::Prepares => "It prepares an answer.",
        CallTurn::Works => "It looks something up, or does it.",
        CallTurn::Speaks => "It speaks.",
        CallTurn::Waits => "It fell silent, and keeps the rest of what it was saying.",
    }
}

/// What happened in a call.
pub(in crate::window) fn call_moment<'a>(did: &CallDid, name_of: impl Fn(&AccountId) -> &'a str) -> String {
    match did {
        CallDid::Heard { who, whom, is_sure, words_percent } => {
            let (who, sure) = (name_of(who), if *is_sure { "" } else { " It is not sure of that." });
            let words = words_percent.map(|percent| format!(" {percent} % sure of the words."));
            let told = match whom {
                Verdict::Familiar(why) => format!("{who} spoke to it: {why}.{sure}"),
                Verdict::Perhaps => format!("{who} perhaps spoke to it; the model decides.{sure}"),
                Verdict::SomeoneElse => format!("{who} spoke to somebody else.{sure}"),
                Verdict::Unclear => format!("To whom {who} spoke cannot be told; it listens.{sure}"),
            };
            told + &words.unwrap_or_default()
        }
        CallDid::HardlyUnderstands { who, percent } => {
            format!("What {} said was hardly understood: {percent} % sure of the words.", name_of(who))
        }
        CallDid::Passed { who, why } => {
            let who = name_of(who);
            match why {
                DropReason::NoWords => format!("{who} made a sound, but said no words."),
                DropReason::NoRecogniser => {
                    format!("{who} was not understood: nothing recognises speech now.")
                }
                DropReason::Backchannel => format!("{who} showed that they listen."),
                DropReason::Echo => "It heard itself.".to_owned(),
                DropReason::Gone => format!("{who} left, or no longer wants to be heard."),
                DropReason::CallEnded => "The call ended.".to_owned(),
            }
        }
        CallDid::Begins { who } => format!("It began an answer before {} had surely finished.", name_of(who)),
        CallDid::DropsEarly => "The answer that it began early is not wanted.".to_owned(),
        CallDid::Ducks => "Somebody spoke over it: it grew quieter.".to_owned(),
        CallDid::Rises => "It is as loud as before.".to_owned(),
        CallDid::FallsSilent => "It fell silent, and kept the rest.".to_owned(),
        CallDid::GoesOn => "It went on where it fell silent.".to_owned(),
        CallDid::BreaksOff => "It broke off: what was heard is what it said.".to_owned(),
        CallDid::Fills => "It said something short: the answer takes its time.".to_owned(),
        CallDid::Backchannels => "It showed that it listens.".to_owned(),
        CallDid::JoinsIn => "It was quiet for a while: it joins in.".to_owned(),
    }
}

/// What was done in a room, by the word in its address.
pub(in crate::window) fn room_done(done: &str) -> Option<&'static str> {
    Some(match done {
        "quiet" => "It speaks here only when it is spoken to.",
        "wake" => "It may join in here again.",
        "greet" => "It has said that.",
        "unlearned" => "What it learnt here is gone; it begins anew.",
        "answers" => "It answers what was said last; that appears below.",
        "goes-on" => "It had the last word, and goes on with it; that appears below.",
        "nothing" => "Nothing was said here that it could speak to.",
        "branched" => "A thread is open there, and what was said here goes with it.",
        "unbranched" => "No thread could be opened there now. The log of the program says why.",
        "unsaid" => "That could not be said: it cannot speak there now. The log of the program says why.",
        _ => return None,
    })
}

/// That it speaks in a room only when spoken to; until when, where that ends by itself.
pub(in crate::window) fn keeps_quiet(until: Option<&str>) -> String {
    match until {
        Some(until) => format!("Quiet until {until}: it speaks only when it is spoken to."),
        None => "Quiet until it is woken: it speaks only when it is spoken to.".to_owned(),
    }
}

/// Which file says what a setting is.
pub(in crate::window) fn setting_from(from: SettingFrom) -> &'static str {
    match from {
        SettingFrom::Default => "by default",
        SettingFrom::Familiar => "by character.toml",
        SettingFrom::Channel => "by this channel's own file",
        SettingFrom::Parent => "by the file of the channel it belongs to",
    }
}

/// Of a channel that it reads, in which nobody spoke yet, or everything was forgotten.
pub(in crate::window) const NOTHING_KEPT: &str = "It listens; nothing of it is kept.";

/// Over the channels of the servers it is in.
pub(in crate::window) const WHERE_IT_LISTENS: &str = "Where it listens";

/// Why a channel is as it was.
pub(in crate::window) fn not_listening(channel: &str, why: &str) -> String {
    format!("{channel} stays as it was: {why}.")
}

/// Beside a channel in which it could not talk.
pub(in crate::window) fn lacks_there(permissions: &[&str]) -> String {
    format!("lacks {} there", permissions.join(", "))
}
