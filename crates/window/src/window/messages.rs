//! Every sentence the window says by itself, outside the character and outside its templates.

mod busy;
mod commands;
mod health;
mod memory;
mod names;
mod rooms;

use std::fmt::Display;

use axum::http::StatusCode;
use jiff::civil::Date;

use crate::domain::NoPersona;
use crate::familiar::{Refusal, RefusalKind};
use crate::trace::render::as_dollars;

pub(super) use busy::*;
pub(super) use commands::*;
pub(super) use health::*;
pub(super) use memory::*;
pub(super) use names::*;
pub(super) use rooms::*;

/// At a start: where somebody who sits there comes in.
pub fn window_opened(address: &str) -> String {
    format!("The window: {address} (opens it once; `familiar window` gives another address)")
}

/// The same where it comes up in a browser by itself.
pub fn window_comes_up(address: &str) -> String {
    format!(
        "The window opens in your browser. If it does not: {address} (`familiar window` gives another address)"
    )
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

/// To whoever writes something else at the keyboard meanwhile.
pub fn enter_or_window(first: &str) -> String {
    format!("Nobody lives here yet. Press Enter and {first} moves in, or choose in the window; /quit leaves.")
}

/// At a start where another program has the port that is set.
pub(super) fn port_taken(wanted: u16, other: u16) -> String {
    format!(
        "Another program has port {wanted}, so the window is at port {other} this time; [window] port in character.toml sets \
         another."
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
        StatusCode::CONFLICT => (
            "A file of settings has a mistake",
            "It is character.toml, the file of a channel or .env: `familiar doctor` names the line, as does the log of the \
             program. Mend it there, then load this page anew.",
        ),
        StatusCode::INSUFFICIENT_STORAGE => (
            "The disk did not take that",
            "It is full, or the program may not read and write there; the log of the program names the file. Make room or \
             let it write, go back, and send it once more: what you wrote still stands there.",
        ),
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

/// The same of a message that was edited.
pub(super) fn edit_too_long(chars: usize, most: usize) -> String {
    format!("That was not saved: it has {chars} characters, and {most} fit. What you wrote is still below.")
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
    as_sentence(&why)
}

/// A sentence of another room, which begins small and ends without a full stop, as one that stands alone.
pub(super) fn as_sentence(said: &impl Display) -> String {
    let said = said.to_string();
    let mut letters = said.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", letters.as_str().trim_end_matches('.'))
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
    const COUNTS: &str = "That counts towards today's costs.";
    let costs = match usd {
        None => format!("What that costs is not known. {COUNTS}"),
        Some([_, most]) if most <= 0.0 => "That costs nothing.".to_owned(),
        Some(usd) => {
            let [prompt, most] = usd.map(as_dollars);
            format!("The prompt costs about {prompt}; with the longest answer it is {most} at most. {COUNTS}")
        }
    };
    format!("{costs} Nothing of it is posted or remembered, and no tool runs.")
}

pub(super) const IS_ASKED_ALREADY: &str = "A model is being asked already; try again when it has answered.";

pub(super) fn model_failed(why: &str) -> String {
    format!("It gave no answer: {why}")
}

pub(super) const NO_BUDGET: &str =
    "A budget is a whole number of tokens from 500 to 1,000,000; it was made with the one that is set.";

pub(super) const NO_EFFORT: &str = "An effort is a whole number from 1 to 10; it was made with the one that the message is judged to be worth.";

pub(super) const NO_MODEL: &str =
    "A model's name is one line of at most 200 characters; it was made for the model that is set.";

/// Of two turns, where something was to be different.
pub(super) const AS_THEY_WERE: &str =
    "Two turns are compared as they were. To change something, leave out the other turn.";

/// Of one of two, where the other was answered.
pub(super) fn said_nothing(name: &str) -> String {
    let mut letters = name.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}: it said nothing.", letters.as_str())
}

pub(super) const NOTHING_SAID: &str = "It said nothing either time.";

pub(super) fn only_in(name: &str) -> String {
    format!("Only in {name}")
}

pub(super) fn kept_of_offered(kept: &str, offered: &str) -> String {
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

/// A stretch of a turn, by the record's word for it; what has no words here goes by that.
pub(super) fn stage_name(stage: &str) -> String {
    match stage {
        "ingest" => "Taking it in",
        "screen" => "Keeping out what is not for here",
        "render" => "Putting the prompt together",
        "assemble" => "Making the prompt",
        "gather" => "Asking the sources",
        "budget" => "Choosing what fits",
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

/// Why a card was not taken, with what helps in a browser.
pub(super) fn card_refused(refused: &Refusal) -> String {
    let why = match refused.kind {
        RefusalKind::Taken => {
            "Somebody of its name lives here already, with another card. Choose somebody else, or change the name in the \
             card's file; or end the program and start it again, to talk with who is here."
                .to_owned()
        }
        RefusalKind::NoId => {
            "No folder can be called by its name, nor by that of its file. Rename the file, and choose it again."
                .to_owned()
        }
        _ => as_sentence(refused),
    };
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

/// Of a key that OpenRouter could not be asked about.
pub(super) const NO_OPENROUTER_KEY: &str = "OpenRouter could not be asked about this key, and it cannot be one of theirs, which begin with sk-or-. So it was not \
     kept. Copy it again.";

/// What a long evening costs, before providers keep anything of prompts.
pub(super) fn evening_costs(model: &str, replies: u32, cost: &str) -> String {
    format!(
        "A long evening of {replies} replies by {model} costs about {cost}, and less where the provider keeps what it has read \
         before."
    )
}

pub(super) const EVENING_IS_FREE: &str = "This model costs nothing but electricity.";

pub(super) const ON_DISCORD: &str = "Where it is met";

/// What was entered for a token and is none; said as it is pasted, and where it was sent all the same.
pub(super) const NO_TOKEN: &str =
    "That does not look like a bot token: it has three parts with full stops between them.";

pub(super) const AN_ID: &str =
    "That is an id, such as the application’s. The token is on the page Bot: press Reset Token, then Copy.";

pub(super) const PUBLIC_KEY: &str =
    "That is the application’s public key. The token is on the page Bot: press Reset Token, then Copy.";

pub(super) const CLIENT_SECRET: &str =
    "That is the client secret of OAuth2. The token is on the page Bot: press Reset Token, then Copy.";

pub(super) const AN_ADDRESS: &str =
    "That is an address. The token is on the page Bot: press Reset Token, then Copy.";

pub(super) fn not_kept(why: &str) -> String {
    format!("{why} Nothing was kept.")
}

pub(super) const TOKEN_REFUSED: &str = "Discord does not take this token, so it was not kept. Copy it again, or press Reset Token there for a new one.";

/// Of a model that was chosen from its server's list.
pub(super) fn model_chosen(model: &str) -> String {
    format!("It thinks with {model} now, for every job that names no other model.")
}

pub(super) fn model_let_go(model: &str) -> String {
    format!("This server does not have {model}, so that was taken out of character.toml.")
}

pub(super) const MODEL_NOT_CHOSEN: &str =
    "The settings were changed at this moment, so no model was chosen. Try it again.";

pub(super) const MODEL_UNFIT: &str =
    "The settings cannot take a model of that name here, so none was chosen. Write it in the file yourself.";

/// What was kept: that it is [untried](KEPT_UNTRIED), or nothing, and from when on it is used.
pub(super) fn secret_kept(name: &str, untried: &str, used: &str) -> String {
    format!("{name} stands in .env now, and is shown nowhere.{untried} {used}")
}

pub(super) const KEPT_UNTRIED: &str =
    " It could not be tried, so nobody knows yet whether it is taken: try it again later, or enter another.";

/// Where nobody runs yet.
pub(super) const USED_AT_FIRST: &str = "It is used as soon as you talk with it.";

/// Keys and tokens are read at a start.
pub(super) const USED_ANEW: &str = "It is used once you start it anew, at the end of this page.";

pub(super) fn secret_not_kept(name: &str, why: &str) -> String {
    format!("{name} could not be kept. {why} Once that is mended, enter it here again.")
}
