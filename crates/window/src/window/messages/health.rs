//! What is said of how the program does.

use crate::domain::{Modality, Slot, TurnId};
use crate::window::health::Job;

/// Over the page that says how it does.
pub(in crate::window) fn health_verdict(failing: usize, worrying: usize) -> String {
    let things = |count: usize| if count == 1 { "One thing".to_owned() } else { format!("{count} things") };
    match (failing, worrying) {
        (0, 0) => "Everything is as it should be, as far as can be seen from here.".to_owned(),
        (0, 1) => "It works. One thing is worth a look.".to_owned(),
        (0, worrying) => format!("It works. {} are worth a look.", things(worrying)),
        (1, 0) => "One thing does not work.".to_owned(),
        (failing, 0) => format!("{} do not work.", things(failing)),
        (failing, worrying) => {
            let does = if failing == 1 { "does" } else { "do" };
            let more = if worrying == 1 { "one more is".to_owned() } else { format!("{worrying} more are") };
            format!("{} {does} not work, and {more} worth a look.", things(failing))
        }
    }
}

pub(in crate::window) const NO_BOT: &str = "no bot is set up, so nobody on Discord can reach it";

pub(in crate::window) const CONNECTED: &str = "connected";

pub(in crate::window) fn not_connected(why: &str) -> String {
    format!("not connected: {why}")
}

pub(in crate::window) const LOOK_NOW: &str = "“Look now” below asks Discord what is wrong.";

pub(in crate::window) const REHEARSES: &str =
    "no model is set: it rehearses, which means it speaks in the card's own lines";

pub(in crate::window) const GIVE_A_MODEL: &str = "Give it a model";
pub(in crate::window) const CHOOSE_A_MODEL: &str = "Choose another model";
pub(in crate::window) const CHECK_NETWORK: &str =
    "Check this machine's network, and whether the server runs.";
pub(in crate::window) const SET_UP_DISCORD: &str = "Set up its bot on Discord";
pub(in crate::window) const MEND_NOTE: &str = "Mend that note: until then it is kept from everybody";

pub(in crate::window) const MEND_SETTINGS: &str = "Mend the settings";

pub(in crate::window) fn look_at_turn(turn: TurnId) -> String {
    format!("See what {turn} did")
}

pub(in crate::window) fn asks_server(server: &str) -> String {
    format!("asks {server}")
}

/// A model that failed, `None` for all of its server.
pub(in crate::window) fn left_alone(model: Option<&str>, until: &str, why: &str) -> String {
    match model {
        Some(model) => format!("{model} is not asked until {until}: {why}"),
        None => format!("the whole server is not asked until {until}: {why}"),
    }
}

pub(in crate::window) fn last_answer(at: &str, model: &str, millis: u64) -> String {
    format!("{model} answered at {at}, in {} s", tenths(millis))
}

fn tenths(millis: u64) -> String {
    format!("{}.{}", millis / 1_000, millis % 1_000 / 100)
}

pub(in crate::window) fn takes_memory(megabytes: &str) -> String {
    format!("the program takes {megabytes} MB")
}

/// Under the times of turns.
pub(in crate::window) fn turns_timed(turns: usize) -> String {
    match turns {
        0 => "no turn was answered yet".to_owned(),
        1 => "of the one turn that was answered lately".to_owned(),
        turns => format!("of the newest {turns} turns that were answered"),
    }
}

/// A moment of a turn by which something was there.
pub(in crate::window) fn moment_name(stage: &str) -> &'static str {
    match stage {
        "assemble" => "The prompt is made",
        "first_token" => "The first token is there",
        "first_piece" => "The first words are shown",
        "model" => "The answer is whole",
        _ => "The turn is over",
    }
}

pub(in crate::window) fn modality_name(modality: Modality) -> &'static str {
    match modality {
        Modality::Text => "written",
        Modality::Voice => "spoken",
    }
}

/// What a model is asked for.
pub(in crate::window) fn job_name(slot: Slot) -> &'static str {
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

/// A job of no turn, by its name in the records.
pub(in crate::window) fn behind_the_scenes(worker: &str) -> String {
    format!("{BEHIND_THE_SCENES}: {worker}")
}

/// What a question to a model took.
pub(in crate::window) fn tokens_of_call(sent: &str, cached_percent: u64, said: &str) -> String {
    format!("{sent} in ({cached_percent} % cached), {said} out")
}

pub(in crate::window) fn job_of_costs(job: Job) -> &'static str {
    match job {
        Job::Model(slot) => job_name(slot),
        Job::Hearing => "Hearing",
        Job::Speaking => "Speaking",
        Job::Pictures => "Pictures",
    }
}

/// What turns cost that nobody asked for.
pub(in crate::window) const UNASKED: &str = "Of its own accord";

/// What jobs cost that nobody waits for.
pub(in crate::window) const BEHIND_THE_SCENES: &str = "Behind the scenes";

/// The people who are not told of by name.
pub(in crate::window) fn other_people(count: usize) -> String {
    if count == 1 { "One other".to_owned() } else { format!("{count} others") }
}

/// The drawing of costs, in a sentence.
pub(in crate::window) fn costs_told(days: usize, sum: &str, most: &str) -> String {
    format!("Costs of the last {days} days: {sum} together, {most} at most on a day.")
}
