//! What is said of notes: whom they show, what waits for a yes, what forgetting reaches.

use jiff::civil::Date;

use crate::erase::ForgetWhat;
use crate::memory::change::{ChangeFate, PageChange};

/// What came of looking for what wants tidying.
pub(in crate::window) fn tidied(proposed: usize, known: usize, left: usize) -> String {
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

/// Who may see what nobody can tell it of.
pub(in crate::window) const NOBODY: &str = "nobody, until it is mended";

pub(in crate::window) const ITS_OWN_WORD: &str = "Its own word";

pub(in crate::window) fn says_so(name: &str) -> String {
    format!("{name} said so")
}

pub(in crate::window) fn day_in_full(day: Date) -> String {
    day.strftime("%-d %B %Y").to_string()
}

pub(in crate::window) fn from_day(from: Date) -> String {
    format!("From {}", day_in_full(from))
}

pub(in crate::window) fn until_day(until: Date) -> String {
    format!("Until {}", day_in_full(until))
}

/// What is listed in Memory.
pub(in crate::window) const NOTES: &str = "Notes";
pub(in crate::window) const THE_CHARACTER: &str = "The character";
pub(in crate::window) const LORE: &str = "Lore";

/// Over the notes of a folder.
pub(in crate::window) fn group_of_notes(folder: Option<&str>) -> &'static str {
    match folder {
        Some("people") => "People",
        Some("topics") => "Topics",
        Some("sessions") => "Talks",
        Some("self") => THE_CHARACTER,
        Some("lore") => LORE,
        _ => "Yours",
    }
}

pub(in crate::window) fn forget_title(called: &str) -> String {
    format!("Forget {called}?")
}

pub(in crate::window) fn room_to_forget(room: &str) -> String {
    format!("what was said in “{room}”")
}

/// Over what it reaches.
pub(in crate::window) fn what_forgetting_is(what: &ForgetWhat) -> &'static str {
    match what {
        ForgetWhat::Person(_) => {
            "Everything they said goes, what was answered to it, and what is noted of them and of it, in every store and every \
             record of a turn. If they speak again, they are new to it."
        }
        ForgetWhat::Fact(_) => {
            "It goes with those whose place it took, the messages it was learnt from, what was answered to them, and what else \
             is noted of them in the same words, in every store and every record of a turn."
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

pub(in crate::window) fn accounts_of(called: &str) -> String {
    format!("The accounts of {called}")
}

/// What making two accounts one person's reaches.
pub(in crate::window) const FACTS_COME: &str = "facts that come into this note";
pub(in crate::window) const FACTS_KNOWN: &str = "of them stand here already";

pub(in crate::window) fn messages_by(called: &str) -> String {
    format!("messages by {called}")
}

pub(in crate::window) const NO_ACCOUNT: &str =
    "That is no account. Choose one from the list, or write it as it stands beside notes: discord:1234.";

pub(in crate::window) fn has_opted_out(called: &str) -> String {
    format!(
        "{called} has opted out of everything, so nothing about them is put together. Only they can change that."
    )
}

pub(in crate::window) fn is_somebody_elses(called: &str) -> String {
    format!("{called} belongs to somebody else already. Take that apart on their page first.")
}

pub(in crate::window) fn not_one_person(why: &str) -> String {
    format!("They cannot be made one person: {why}.")
}

/// What became of having it write down its hours, by the word in the address.
pub(in crate::window) fn hours_told(told: &str) -> Option<&'static str> {
    Some(match told {
        "made" => {
            "These are its hours from now on. They are a file like any other of its: edit them as you like."
        }
        "there" => "It has hours already, and they stay. Edit the file, or move it away first.",
        "unreadable" => {
            "What the model wrote are no hours that can be read, so nothing was kept. Ask once more."
        }
        "rehearses" => {
            "There is no language model to write them. Give it one first, or write the file yourself."
        }
        "unanswered" => "The model gave no answer, so nothing was kept. The log of the program says why.",
        "unwritten" => {
            "The hours could not be written down: is the disk full or read-only? The log of the program names the file."
        }
        "busy" => super::IS_ASKED_ALREADY,
        _ => return None,
    })
}

/// Over a note that is begun.
pub(in crate::window) const NEW_NOTE: &str = "A new note";

pub(in crate::window) fn no_note_of_that_name(why: &str) -> String {
    format!("No note can be called that: {why}.")
}

pub(in crate::window) fn note_is_there(called: &str) -> String {
    format!("There is a note about {called} already.")
}

/// Above a note that is not kept yet.
pub(in crate::window) fn note_begins(who: &str) -> String {
    format!(
        "This note is new: nothing of it is kept until you save it. It is for {who}, as its head says; change that there."
    )
}

/// Of a note that is for others after an edit than it was.
pub(in crate::window) fn note_is_for(who: &str, so_far: &str, is_wider: bool) -> String {
    let careful = if is_wider { "Careful: saved" } else { "Saved" };
    format!("{careful} like this, this note is for {who}. So far it is for {so_far}.")
}

/// Of a note in the list.
pub(in crate::window) const HEAD_UNREADABLE: &str = "Its head cannot be read, so it has to be mended.";

pub(in crate::window) const HEAD_LOST: &str = "Saved like this, the note has no head any more: that stands on top, between two lines of three hyphens, and says whom \
     the note is for.";

pub(in crate::window) const THIS_FACT: &str = "this fact";

/// Where a message was said from which a fact comes.
pub(in crate::window) fn said_in(place: &str, on: &str) -> String {
    format!("{place}, {on}")
}

/// The familiar, where it is among those who spoke.
pub(in crate::window) const ITSELF: &str = "It";

/// Over the drawing of people and topics.
pub(in crate::window) const MAP: &str = "How everything is connected";

pub(in crate::window) const PEOPLE: &str = "People";
pub(in crate::window) const TOPICS: &str = "Topics";

/// Of whom no name is known.
pub(in crate::window) const SOMEBODY: &str = "somebody";

/// Over what waits for a yes.
pub(in crate::window) const PROPOSED: &str = "What it would note";

/// When something was proposed, by its name.
pub(in crate::window) fn proposed_at(name: &str) -> String {
    let at = jiff::civil::DateTime::strptime("%Y%m%d-%H%M%S", name.get(..15).unwrap_or(name));
    at.map_or_else(|_| name.to_owned(), |at| at.strftime("%-d %B %Y, %H:%M UTC").to_string())
}

/// What a change would do to a note.
pub(in crate::window) fn change_name(change: &PageChange) -> &'static str {
    match change {
        PageChange::Add { .. } => "New",
        PageChange::Supersede { .. } => "Instead",
        PageChange::End { .. } => "No longer",
    }
}

/// What became of a change that somebody said yes to.
pub(in crate::window) fn fate_of_change(note: &str, fate: &ChangeFate) -> String {
    match fate {
        ChangeFate::Written => format!("{note}: written."),
        ChangeFate::Known => format!("{note}: known already."),
        ChangeFate::Overtaken => format!("{note}: left out, the note was changed since."),
        ChangeFate::Refused(why) => format!("{note}: cannot be written, {why}."),
    }
}

pub(in crate::window) const REJECTED: &str = "It is thrown away.";

pub(in crate::window) const DECIDED_ALREADY: &str =
    "Somebody has decided that already, or changed it; nothing was done.";

/// What is counted, in the order of a plan: where there is one of it, and where there are several.
pub(in crate::window) const REACHED: [(&str, &str); 8] = [
    ("message", "messages"),
    ("reply", "replies to them"),
    ("fact in notes", "facts in notes"),
    ("whole note", "whole notes"),
    (
        "answer of a model that cannot be read and mentions it",
        "answers of a model that cannot be read and mention it",
    ),
    (
        "other trace: a reaction, coming or going, what is felt, a name",
        "other traces: reactions, comings and goings, what is felt, names",
    ),
    ("transcript on Discord, which does not come back", "transcripts on Discord, which do not come back"),
    ("sealed copy of what was forgotten before", "sealed copies of what was forgotten before"),
];

/// Over some of what goes, in the order of a preview.
pub(in crate::window) const FIRST_OF: [&str; 5] = [
    "The newest messages",
    "The newest replies to them",
    "Facts in notes",
    "Whole notes",
    "What was settled with them",
];

pub(in crate::window) const FORGET: &str = "Forget it everywhere";

pub(in crate::window) const NOTHING_TO_FORGET: &str = "Nothing is kept of it, so there is nothing to forget.";

pub(in crate::window) const FORGOTTEN: &str = "Forgotten";

pub(in crate::window) const WHAT_UNDOING_IS: &str = "What you had forgotten last can still come back. Summaries are made anew then; records of turns stay gone.";

pub(in crate::window) const NOTHING_TO_TAKE_BACK: &str = "There is nothing to take back: nothing was forgotten from here in the last seven days, or it was for good.";

pub(in crate::window) const TAKE_BACK: &str = "Take it back";
