//! Every sentence the window says by itself, outside the character and outside its templates.

mod busy;
mod names;

use axum::http::StatusCode;
use jiff::civil::Date;

use super::health::Job;
use crate::config::SettingFrom;
use crate::domain::{AccountId, Modality, NoPersona, Slot, TurnId};
use crate::erase::ForgetWhat;
use crate::memory::change::{ChangeFate, PageChange};
use crate::trace::render::as_dollars;
use crate::voice::turn::{DropReason, Verdict};
use crate::voice::{CallDid, CallTurn};

pub(super) use busy::*;
pub(super) use names::*;

/// At a start: where somebody who sits there comes in.
pub fn window_opened(address: &str) -> String {
    format!("The window: {address} (opens it once; `familiar window` gives another address)")
}

/// At a start where nobody sits: the way in stands in no log.
pub fn where_to_open(address: &str) -> String {
    format!("The window is at {address}; `familiar window` gives the address that opens it.")
}

/// At a start where nobody lives yet: where to choose somebody, and who comes otherwise.
pub fn nobody_lives_here(where_it_is: &str, first: &str) -> String {
    format!(
        "Nobody lives here yet. {where_it_is}\nChoose there who it is to be. Or press Enter here, and {first} moves in, who \
         comes with the program."
    )
}

/// At a start where it could not be opened.
pub fn not_open(reason: &str) -> String {
    format!("The window stays closed, everything else works: {reason}")
}

/// Why the window could not be opened.
pub(super) const TOKEN_WANTED: &str = "others can reach window.address, so FAMILIAR_WINDOW_TOKEN must be set in .env, with \
                                       at least 20 characters; without it keep to 127.0.0.1";

pub(super) const SIGN_IN: &str = "Open the window";

pub(super) const TOKEN_UNKNOWN: &str =
    "This address was used already, or it is from an earlier start of the program.";

pub(super) const TOKEN_WRONG: &str = "That is not the token.";

pub(super) const TOO_MANY_TOKENS: &str = "Too many wrong tokens came in. Wait a minute.";

/// Why something was refused: a heading, and what to do.
pub(super) fn refusal_words(status: StatusCode) -> (&'static str, &'static str) {
    match status {
        StatusCode::BAD_REQUEST => ("That cannot be read", "What was sent is not what this page sends."),
        StatusCode::FORBIDDEN => (
            "That came from elsewhere",
            "The window takes only what its own pages send. Load the page anew and try once more.",
        ),
        StatusCode::NOT_FOUND => (
            "There is nothing here",
            "It may be gone, or never have been: of turns only the newest are kept.",
        ),
        StatusCode::METHOD_NOT_ALLOWED => {
            ("That cannot be done here", "Go back and use the page's own buttons.")
        }
        StatusCode::PAYLOAD_TOO_LARGE => {
            ("That is too much at once", "What is sent there has a limit, which the page before it names.")
        }
        StatusCode::REQUEST_TIMEOUT => ("That took too long", "Try it once more."),
        StatusCode::MISDIRECTED_REQUEST => (
            "The window is not called that",
            "Open it by the address that the program printed, with numbers in it or with localhost.",
        ),
        StatusCode::TOO_MANY_REQUESTS => ("Too many wrong tokens", TOO_MANY_TOKENS),
        StatusCode::SERVICE_UNAVAILABLE => {
            ("Not now", "The familiar is shutting down, or too many pages are open.")
        }
        _ => ("That did not work", "The log of the program says why."),
    }
}

/// To an assistant without the right token.
pub(super) const ASSISTANT_TOKEN_WANTED: &str =
    "Send FAMILIAR_MCP_TOKEN of .env as \"Authorization: Bearer …\".\n";

/// Above the talk: where the familiar's stores cannot be read.
pub(super) const UNREADABLE: &str = "What was said cannot be read; the log of the program says why.";

pub(super) fn message_too_long(chars: usize, most: usize) -> String {
    format!("That was not sent: it has {chars} characters, and {most} fit.")
}

/// Where somebody would send a picture.
pub(super) const NOBODY_SEES: &str = "Pictures are not sent: nothing looks at them here. In character.toml, vision_model under [tools] names a \
     model that describes them; sees_pictures = true under [llm.main_prose] says that the model which answers sees them.";

pub(super) fn no_picture(name: &str, most_bytes: usize) -> String {
    let most = most_bytes / (1024 * 1024);
    format!("{name} was not sent: what is looked at is a PNG, JPEG, GIF or WebP of at most {most} MiB.")
}

pub(super) fn too_many_pictures(most: usize) -> String {
    format!("Only the first {most} pictures were sent.")
}

/// Over whom the operator may be in play.
pub(super) const PERSONAS: &str = "Who you are";

pub(super) fn no_persona(why: NoPersona) -> String {
    let why = why.to_string();
    let mut letters = why.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", letters.as_str())
}

/// A character can only say that it forgets.
pub(super) const HOW_TO_FORGET: &str = "To have something forgotten for good, choose Forget beside a person or a topic under Memory, or beside a room under \
     Rooms; you see first what it reaches.";

/// Over what would be done, with two buttons below it.
pub(super) fn confirm_question(name: &str, after_others_words: bool) -> String {
    let why = if after_others_words { ", after it read what others wrote" } else { "" };
    format!("{name} wants to do this{why}. Without an answer within two minutes it is not done.")
}

pub(super) const NOTHING_TO_SAY_ALOUD: &str = "there was nothing in it that can be said";

pub(super) const SPEAKS_TOO_SLOWLY: &str = "it took too long";

/// Of a reply that somebody wanted to hear.
pub(super) fn not_said_aloud(engine: &str, why: &str) -> String {
    format!("{engine} did not say that aloud: {why}.")
}

/// What came of looking for what wants tidying.
pub(super) fn tidied(proposed: usize, known: usize, left: usize) -> String {
    let mut told = match proposed {
        0 => "Nothing more in the notes wants tidying.".to_owned(),
        1 => "One thing wants tidying, and waits below.".to_owned(),
        many => format!("{many} things want tidying, and wait below."),
    };
    if known > 0 {
        told.push_str(&format!(" {known} of what was found had been proposed before."));
    }
    if left > 0 {
        told.push_str(&format!(" {left} more are for another time."));
    }
    told
}

pub(super) const STOPPED: &str = "Stopped.";

pub(super) const EDIT_MESSAGE: &str = "Edit what was said";

pub(super) const NO_GREETING: &str = "This card has no greeting.";

pub(super) const PROGRAM: &str = "Familiar";

/// Of a message beside which a turn's record stands.
pub(super) fn more_in_xray(turn: &str) -> String {
    format!("The x-ray of {turn} says more.")
}

pub(super) fn turn_title(turn: &str) -> String {
    format!("Turn {turn}")
}

/// Over two prompts.
pub(super) fn compared(one: &str, other: &str) -> String {
    format!("{one} beside {other}")
}

/// The name of a prompt that was only made to look at it, with what is different about it.
pub(super) fn made_now(effort: Option<u8>, without: &[String], model: Option<&str>) -> String {
    let mut name = "its prompt made now".to_owned();
    if let Some(model) = model {
        name.push_str(&format!(" for {model}"));
    }
    if let Some(effort) = effort {
        name.push_str(&format!(" with effort {effort}"));
    }
    if !without.is_empty() {
        name.push_str(&format!(" without {}", without.join(", ")));
    }
    name
}

/// Of a piece that was to be left out of a prompt and was not.
pub(super) fn not_left_out(source: &str, is_kept: bool) -> String {
    if is_kept {
        format!("{source} can never be left out.")
    } else {
        format!("{source} is not offered for this prompt now, so nothing is left out.")
    }
}

pub(super) fn not_made_now(why: &str) -> String {
    format!("Its prompt cannot be made now: {why}.")
}

/// Before a model is asked: what its prompt costs, and with the longest answer, in US dollars.
pub(super) fn asking_costs(usd: Option<[f64; 2]>) -> String {
    let costs = match usd {
        None => "What that costs is not known.".to_owned(),
        Some([_, most]) if most <= 0.0 => "That costs nothing.".to_owned(),
        Some(usd) => {
            let [prompt, most] = usd.map(as_dollars);
            format!("The prompt costs about {prompt}; with the longest answer it is {most} at most.")
        }
    };
    format!(
        "{costs} It counts among what today costs. Nothing of it is posted or remembered, and no tool runs."
    )
}

pub(super) const IS_ASKED_ALREADY: &str = "A model is being asked already; try again when it has answered.";

pub(super) fn model_failed(why: &str) -> String {
    format!("It gave no answer: {why}")
}

pub(super) const NO_BUDGET: &str =
    "A budget is a whole number of tokens from 500 to 1,000,000; it was made with the one that is set.";

pub(super) fn only_in(name: &str) -> String {
    format!("Only in {name}")
}

pub(super) fn kept_of(kept: &str, offered: &str) -> String {
    format!("{kept} of {offered}")
}

pub(super) const MODEL: &str = "Model";
pub(super) const EFFORT: &str = "Effort";
pub(super) const PROMPT_TOKENS: &str = "Prompt, in tokens";
pub(super) const BUDGET_TOKENS: &str = "Budget, in tokens";

/// Over the turns of a day.
pub(super) fn day_heading(day: Date, today: Date) -> String {
    if day == today {
        "Today".to_owned()
    } else if today.yesterday().is_ok_and(|yesterday| day == yesterday) {
        "Yesterday".to_owned()
    } else {
        day.strftime("%-d %B %Y").to_string()
    }
}

/// Over the places that are on no server.
pub(super) const NO_SERVER: &str = "Alone with it";

/// What sort of place it is, by the word that the history has for it.
pub(super) fn kind_of_place(kind: &str) -> &'static str {
    match kind {
        "thread" => "thread",
        "forum_post" => "forum post",
        "dm" => "direct messages",
        "terminal" => "on this machine",
        _ => "channel",
    }
}

pub(super) fn spoke_because(trigger: &str) -> String {
    format!("Spoke because: {trigger}.")
}

pub(super) fn silent_because(reason: &str) -> String {
    format!("Stayed silent because {reason}.")
}

/// Who is writing something at this moment.
pub(super) fn typing(names: &[&str], most: usize) -> String {
    match names {
        [one] => format!("{one} is typing."),
        _ if names.len() <= most => format!("{} are typing.", names.join(", ")),
        _ => format!("{} people are typing.", names.len()),
    }
}

/// Of somebody in a call.
pub(super) const SPEAKS: &str = "speaks";
pub(super) const MUTED: &str = "muted";
pub(super) const HEARS_NOTHING: &str = "hears nothing";

/// Of whom in a call no name is known any more.
pub(super) const SOMEBODY_IN_CALL: &str = "Somebody";

/// Whose turn it is in a call.
pub(super) fn call_turn(turn: CallTurn) -> &'static str {
    match turn {
        CallTurn::Listens => "It listens.",
        CallTurn::Prepares => "It prepares an answer.",
        CallTurn::Works => "It looks something up, or does it.",
        CallTurn::Speaks => "It speaks.",
        CallTurn::Waits => "It fell silent, and keeps the rest of what it was saying.",
    }
}

/// What happened in a call.
pub(super) fn call_moment<'a>(did: &CallDid, name_of: impl Fn(&AccountId) -> &'a str) -> String {
    match did {
        CallDid::Heard { who, whom, is_sure } => {
            let (who, sure) = (name_of(who), if *is_sure { "" } else { " It is not sure of that." });
            match whom {
                Verdict::Familiar(why) => format!("{who} spoke to it: {why}.{sure}"),
                Verdict::Perhaps => format!("{who} perhaps spoke to it; the model decides.{sure}"),
                Verdict::SomeoneElse => format!("{who} spoke to somebody else.{sure}"),
                Verdict::Unclear => format!("To whom {who} spoke cannot be told; it listens.{sure}"),
            }
        }
        CallDid::HardlyUnderstands { who, percent } => {
            format!("What {} said was hardly understood: {percent} % sure of the words.", name_of(who))
        }
        CallDid::Passed { who, why } => {
            let who = name_of(who);
            match why {
                DropReason::NoWords => format!("{who} was heard, but no words."),
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
        CallDid::Nods => "It showed that it listens.".to_owned(),
        CallDid::JoinsIn => "It was quiet for a while: it joins in.".to_owned(),
    }
}

/// What was done in a room, by the word in its address.
pub(super) fn room_done(done: &str) -> Option<&'static str> {
    Some(match done {
        "quiet" => "It speaks here only when it is spoken to.",
        "wake" => "It may join in here again.",
        "greet" => "It has said that.",
        "answers" => "It answers what was said last; that appears below.",
        "goes-on" => "It had the last word, and goes on with it; that appears below.",
        "nothing" => "Nothing was said here that it could speak to.",
        "unsaid" => "That could not be said: it cannot speak there now. The log of the program says why.",
        _ => return None,
    })
}

/// That it speaks in a room only when spoken to; until when, where that ends by itself.
pub(super) fn keeps_quiet(until: Option<&str>) -> String {
    match until {
        Some(until) => format!("Quiet until {until}: it speaks only when it is spoken to."),
        None => "Quiet until it is woken: it speaks only when it is spoken to.".to_owned(),
    }
}

/// Which file says what a setting is.
pub(super) fn setting_from(from: SettingFrom) -> &'static str {
    match from {
        SettingFrom::Default => "by default",
        SettingFrom::Familiar => "by character.toml",
        SettingFrom::Channel => "by this channel's own file",
        SettingFrom::Parent => "by the file of the channel it belongs to",
    }
}

/// Over the channels of the servers it is in.
pub(super) const WHERE_IT_LISTENS: &str = "Where it listens";

/// Why a channel is as it was.
pub(super) fn not_listening(channel: &str, why: &str) -> String {
    format!("{channel} stays as it was: {why}.")
}

/// Beside a channel in which it could not talk.
pub(super) fn lacks_there(permissions: &[&str]) -> String {
    format!("lacks {} there", permissions.join(", "))
}

/// Who may see what nobody can tell it of.
pub(super) const NOBODY: &str = "nobody, until it is mended";

pub(super) const ITS_OWN_WORD: &str = "Its own word";

pub(super) fn says_so(name: &str) -> String {
    format!("{name} said so")
}

pub(super) fn day_in_full(day: Date) -> String {
    day.strftime("%-d %B %Y").to_string()
}

pub(super) fn from_day(from: Date) -> String {
    format!("From {}", day_in_full(from))
}

pub(super) fn until_day(until: Date) -> String {
    format!("Until {}", day_in_full(until))
}

/// What is listed in Memory.
pub(super) const NOTES: &str = "Notes";
pub(super) const THE_CHARACTER: &str = "The character";
pub(super) const LORE: &str = "Lore";

/// Over the notes of a folder.
pub(super) fn group_of_notes(folder: Option<&str>) -> &'static str {
    match folder {
        Some("people") => "People",
        Some("topics") => "Topics",
        Some("sessions") => "Talks",
        Some("self") => THE_CHARACTER,
        Some("lore") => LORE,
        _ => "Yours",
    }
}

/// A stretch of a turn, by the record's word for it; what has no words here goes by that.
pub(super) fn stage_name(stage: &str) -> String {
    match stage {
        "assemble" => "Making the prompt",
        "gather" => "Asking the sources",
        "ingest" => "Reading what they gave",
        "screen" => "Removing what must not be used",
        "budget" => "Choosing what fits",
        "render" => "Writing the request",
        "first_token" => "To the first token",
        "first_piece" => "To the first words",
        "model" => "To the end of the answer",
        "tools" => "Tools",
        "stored" => "Keeping it",
        "stt_final" => "Words understood",
        "turn_over" => "Taken as finished",
        "turn_begun" => "Answer begun",
        "llm_first_words" => "First words written",
        "tts_first_audio" => "First sound made",
        "playback_start" => "First sound played",
        other => return other.replace('_', " "),
    }
    .to_owned()
}

pub(super) fn part_of_stage(stage: &str) -> String {
    format!("part of “{}”", stage_name(stage))
}

/// Over the field in which a note is edited.
pub(super) fn edit_title(note: &str) -> String {
    format!("Edit {note}")
}

/// Before a line that comes or goes, for whoever does not see its sign.
pub(super) const ADDED: &str = "added: ";
pub(super) const REMOVED: &str = "removed: ";

pub(super) fn lines_changed(added: usize, removed: usize) -> String {
    let lines = |count: usize| if count == 1 { "1 line".to_owned() } else { format!("{count} lines") };
    match (added, removed) {
        (added, 0) => format!("{} added", lines(added)),
        (0, removed) => format!("{} removed", lines(removed)),
        (added, removed) => format!("{} added, {} removed", lines(added), lines(removed)),
    }
}

pub(super) const NOTE_UNCHANGED: &str = "Nothing is different yet: what you see is what is kept.";

pub(super) const NOTE_EDITED_MEANWHILE: &str = "This note was changed since you opened it, by the familiar or in its file. Nothing was saved and what you wrote is \
     still below. The lines show what saving would make of the note as it is now.";

pub(super) const NOTE_GONE_MEANWHILE: &str = "This note was removed since you opened it. Nothing was saved and what you wrote is still below. Saving makes \
     the note anew.";

pub(super) const LOOK_AGAIN: &str =
    "You went on writing. Nothing was saved: look at the lines once more, then save.";

pub(super) const ONLY_IN_THE_FILE: &str = "What starts programs ([mcp], commands), addresses that keys are sent to, and [window] itself are changed only in the file \
     on the machine, and not here.";

/// Why what was written could not be kept.
pub(super) fn not_saved(reason: &str) -> String {
    format!("That was not saved: {reason}. What you wrote is still below.")
}

/// Of a whole note whose head cannot be read.
pub(super) fn nobody_would_see(reason: &str) -> String {
    format!("Saved like this, nobody would see any of this note: {reason}.")
}

/// Of one line of it.
pub(super) fn nobody_would_see_line(line: u32, reason: &str) -> String {
    format!("Saved like this, nobody would see line {line}: {reason}.")
}

/// Over the page that says how it does.
pub(super) fn health_verdict(failing: usize, worrying: usize) -> String {
    let things = |count: usize| if count == 1 { "One thing".to_owned() } else { format!("{count} things") };
    match (failing, worrying) {
        (0, 0) => "Everything is as it should be, as far as can be seen from here.".to_owned(),
        (0, 1) => "It works. One thing is worth a look.".to_owned(),
        (0, worrying) => format!("It works. {} are worth a look.", things(worrying)),
        (1, 0) => "One thing does not work.".to_owned(),
        (failing, 0) => format!("{} do not work.", things(failing)),
        (failing, worrying) => {
            let does = if failing == 1 { "does" } else { "do" };
            format!("{} {does} not work, and {worrying} more to look at.", things(failing))
        }
    }
}

pub(super) const NO_BOT: &str = "no bot is set up, so nobody on Discord can reach it";

pub(super) const CONNECTED: &str = "connected";

pub(super) fn not_connected(why: &str) -> String {
    format!("not connected: {why}")
}

pub(super) const LOOK_NOW: &str = "“Look now” below asks Discord what is wrong.";

pub(super) const REHEARSES: &str =
    "no model is set: it rehearses, which means it speaks in the card's own lines";

pub(super) const GIVE_A_MODEL: &str = "Give it a model";
pub(super) const CHOOSE_A_MODEL: &str = "Choose another model";
pub(super) const SET_UP_DISCORD: &str = "Set up its bot on Discord";
pub(super) const MEND_SETTINGS: &str = "Mend the settings";

pub(super) fn look_at_turn(turn: TurnId) -> String {
    format!("See what {turn} did")
}

pub(super) fn asks_server(server: &str) -> String {
    format!("asks {server}")
}

/// A model that failed, `None` for all of its server.
pub(super) fn left_alone(model: Option<&str>, until: &str, why: &str) -> String {
    match model {
        Some(model) => format!("{model} is not asked until {until}: {why}"),
        None => format!("the whole server is not asked until {until}: {why}"),
    }
}

pub(super) fn last_answer(at: &str, model: &str, millis: u64) -> String {
    format!("{model} answered at {at}, in {} s", tenths(millis))
}

fn tenths(millis: u64) -> String {
    format!("{}.{}", millis / 1_000, millis % 1_000 / 100)
}

pub(super) fn takes_memory(megabytes: &str) -> String {
    format!("the program takes {megabytes} MB")
}

/// Under the times of turns.
pub(super) fn turns_timed(turns: usize) -> String {
    match turns {
        0 => "no turn was answered yet".to_owned(),
        1 => "of the one turn that was answered lately".to_owned(),
        turns => format!("of the newest {turns} turns that were answered"),
    }
}

/// A moment of a turn by which something was there.
pub(super) fn moment_name(stage: &str) -> &'static str {
    match stage {
        "assemble" => "The prompt is made",
        "first_token" => "The first token is there",
        "first_piece" => "The first words are shown",
        "model" => "The answer is whole",
        _ => "The turn is over",
    }
}

pub(super) fn modality_name(modality: Modality) -> &'static str {
    match modality {
        Modality::Text => "written",
        Modality::Voice => "spoken",
    }
}

/// What a model is asked for.
pub(super) fn job_name(slot: Slot) -> &'static str {
    match slot {
        Slot::MainProse => "Replies",
        Slot::PostProcessStyle => "Polishing replies",
        Slot::ReasoningContext => "Thinking first",
        Slot::HistorySummary => "Summaries",
        Slot::MemorySearch => "Looking through finds",
        Slot::MemoryWriter => "Writing memories",
        Slot::InterjectionDecision => "Whether to join in",
        Slot::MoodEval => "Its mood",
    }
}

pub(super) fn job_of_costs(job: Job) -> &'static str {
    match job {
        Job::Model(slot) => job_name(slot),
        Job::Hearing => "Hearing",
        Job::Speaking => "Speaking",
        Job::Pictures => "Pictures",
    }
}

/// Whom turns cost something that nobody asked for.
pub(super) const UNASKED: &str = "Nobody in particular";

/// The drawing of costs, in a sentence.
pub(super) fn costs_told(days: usize, sum: &str, most: &str) -> String {
    format!("Costs of the last {days} days: {sum} together, {most} at most on a day.")
}

pub(super) fn forget_title(called: &str) -> String {
    format!("Forget {called}?")
}

pub(super) fn room_to_forget(room: &str) -> String {
    format!("what was said in “{room}”")
}

/// Over what it reaches.
pub(super) fn what_forgetting_is(what: &ForgetWhat) -> &'static str {
    match what {
        ForgetWhat::Person(_) => {
            "Everything they said goes, what was answered to it, and what is noted of them and of it, in every store and every \
             record of a turn. If they speak again, they are new to it."
        }
        ForgetWhat::Fact(_) => {
            "It goes with those whose place it took, the messages it was learnt from, what was answered to them, and what else \
             was made of them alone, in every store and every record of a turn."
        }
        ForgetWhat::Note(_) => {
            "The note goes with the messages its facts were learnt from, what was answered to them, and what else was made of them \
             alone, in every store and every record of a turn."
        }
        _ => {
            "What was said goes, what was answered to it, and what is noted of it, in every store and every record of a turn."
        }
    }
}

pub(super) const THIS_FACT: &str = "this fact";

/// Where a message was said from which a fact comes.
pub(super) fn said_in(place: &str, on: &str) -> String {
    format!("{place}, {on}")
}

/// The familiar, where it is among those who spoke.
pub(super) const ITSELF: &str = "It";

/// Over the drawing of people and topics.
pub(super) const MAP: &str = "How everything is connected";

pub(super) const PEOPLE: &str = "People";
pub(super) const TOPICS: &str = "Topics";

/// Of whom no name is known.
pub(super) const SOMEBODY: &str = "somebody";

/// Over what waits for a yes.
pub(super) const PROPOSED: &str = "What it would note";

/// When something was proposed, by its name.
pub(super) fn proposed_at(name: &str) -> String {
    let at = jiff::civil::DateTime::strptime("%Y%m%d-%H%M%S", name.get(..15).unwrap_or(name));
    at.map_or_else(|_| name.to_owned(), |at| at.strftime("%-d %B %Y, %H:%M UTC").to_string())
}

/// What a change would do to a note.
pub(super) fn change_name(change: &PageChange) -> &'static str {
    match change {
        PageChange::Add { .. } => "New",
        PageChange::Supersede { .. } => "Instead",
        PageChange::End { .. } => "No longer",
    }
}

/// What became of a change that somebody said yes to.
pub(super) fn fate_of_change(note: &str, fate: &ChangeFate) -> String {
    match fate {
        ChangeFate::Written => format!("{note}: written."),
        ChangeFate::Known => format!("{note}: known already."),
        ChangeFate::Overtaken => format!("{note}: left out, the note was changed since."),
        ChangeFate::Refused(why) => format!("{note}: cannot be written, {why}."),
    }
}

pub(super) const REJECTED: &str = "It is thrown away.";

pub(super) const DECIDED_ALREADY: &str =
    "Somebody has decided that already, or changed it; nothing was done.";

/// What is counted, in the order of a plan.
pub(super) const REACHED: [&str; 7] = [
    "messages",
    "replies to them",
    "facts in notes",
    "whole notes",
    "other traces: reactions, comings and goings, what is felt, names",
    "transcripts on Discord, which do not come back",
    "sealed copies of what was forgotten before",
];

pub(super) const FORGET: &str = "Forget it everywhere";

pub(super) const NOTHING_TO_FORGET: &str = "Nothing is kept of it, so there is nothing to forget.";

pub(super) const FORGOTTEN: &str = "Forgotten";

pub(super) const WHAT_UNDOING_IS: &str = "What you had forgotten last can still come back. Summaries are made anew then; records of turns stay gone.";

pub(super) const NOTHING_TO_TAKE_BACK: &str = "There is nothing to take back: nothing was forgotten from here in the last seven days, or it was for good.";

pub(super) const TAKE_BACK: &str = "Take it back";

/// Of a setting that says nothing.
pub(super) const UNSET: &str = "unset";

/// Over the settings that stand in no table.
pub(super) const AT_THE_TOP: &str = "At the top of the file";

pub(super) const MODELS: &str = "Models to choose from";

pub(super) const EDIT_SETTINGS: &str = "Edit the settings";

pub(super) const SETTINGS_EDITED_MEANWHILE: &str = "The file was changed since you opened it. Nothing was saved and what you wrote is still below. The lines show what \
     saving would make of the file as it is now.";

/// Why a file cannot be saved, with the lines to mend.
pub(super) fn settings_wrong(lines: &[String]) -> String {
    format!("It cannot be saved like this. {}", lines.join(" "))
}

pub(super) const WHO_IS_IT: &str = "Who is it to be?";

pub(super) fn moved_in(name: &str) -> String {
    format!("{name} moves in")
}

/// Why a card was not taken.
pub(super) fn card_refused(why: &str) -> String {
    format!("That card was not taken in. {why}")
}

pub(super) const BENT: &str = "What had to be bent";
pub(super) const MACROS_LEFT: &str = "Macros that leave nothing";
pub(super) const MACROS_UNCACHED: &str = "Macros that keep the prompt from being cached";
pub(super) const LORE_WANTS: &str = "What its lorebook asks for";

pub(super) const ITS_MODEL: &str = "What it thinks with";

pub(super) const NO_KEY: &str = "That is no key: a key is one word, without spaces. Nothing was kept.";

pub(super) const KEY_REFUSED: &str =
    "The server does not take this key, so it was not kept. Copy it again, or make a new one.";

/// What a long evening costs, before providers keep anything of prompts.
pub(super) fn evening_costs(model: &str, replies: u32, cost: &str) -> String {
    format!(
        "A long evening of {replies} replies by {model} costs about {cost}, and less where the provider keeps what it has read \
         before."
    )
}

pub(super) const EVENING_IS_FREE: &str = "This model costs nothing but electricity.";

pub(super) const ON_DISCORD: &str = "Where it is met";

pub(super) const NO_TOKEN: &str =
    "That does not look like a bot token: it has three parts with full stops between them. Nothing was kept.";

pub(super) const TOKEN_REFUSED: &str = "Discord does not take this token, so it was not kept. Copy it again, or press Reset Token there for a new one.";

pub(super) fn secret_kept(name: &str) -> String {
    format!("{name} stands in .env now, and is shown nowhere. It is used from the next start.")
}

pub(super) fn secret_there(name: &str) -> String {
    format!(".env has a {name} already, and it stays. To change it, open that file on the machine.")
}

pub(super) fn secret_not_kept(name: &str, why: &str) -> String {
    format!("{name} could not be kept. {why}")
}
