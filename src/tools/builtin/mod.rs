//! The tools, one file each.

mod about_person;
mod catch_me_up;
mod choose;
mod how_related;
mod lore_read;
mod make_room;
mod memory_search;
mod roll_dice;
mod skill_load;
mod time_in;
mod who_was_here;

use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::{Tool, ToolBoxParts};
use crate::domain::StoredTurn;
use crate::text::names::prompt_label;
use crate::text::screen::held;
use crate::text::short::{one_line, shortened};

/// By this name a model asks for room.
pub(crate) const MAKE_ROOM: &str = "make_room";

/// All of them, in the order they are offered.
pub(super) fn all(parts: &ToolBoxParts) -> Vec<Arc<dyn Tool>> {
    let ToolBoxParts { config, character, history, memory, graph, lore, recall } = parts;
    let history = || Arc::clone(history);
    vec![
        Arc::new(memory_search::MemorySearch::new(recall.clone(), Arc::clone(config))),
        Arc::new(skill_load::SkillLoad::new(Arc::clone(config))),
        Arc::new(catch_me_up::CatchMeUp::new(history())),
        Arc::new(who_was_here::WhoWasHere::new(history())),
        Arc::new(about_person::AboutPerson::new(history(), Arc::clone(memory))),
        Arc::new(how_related::HowRelated::new(Arc::clone(graph))),
        Arc::new(lore_read::LoreRead::new(Arc::clone(lore), Arc::clone(character), Arc::clone(config))),
        Arc::new(make_room::MakeRoom::new(Arc::clone(config))),
        Arc::new(time_in::TimeIn),
        Arc::new(roll_dice::RollDice),
        Arc::new(choose::Choose),
    ]
}

/// Characters of one message in a result.
const QUOTE_CHARS: usize = 300;

/// A stored message as one line of quoted data: when, where unless it was here, who, what.
fn quote(turn: &StoredTurn, place: Option<&str>, display_tz: &TimeZone) -> String {
    let who = turn.author.as_ref().map_or_else(|| "you".to_owned(), |author| prompt_label(author.label()));
    let place = place.map_or_else(String::new, |place| format!(" {}", prompt_label(place)));
    format!("[{}{place}] {who}: {}", told(turn.at, display_tz), quoted_line(&turn.content))
}

/// A moment as the familiar tells the time.
fn told(at: Timestamp, display_tz: &TimeZone) -> String {
    at.to_zoned(display_tz.clone()).strftime("%F %H:%M").to_string()
}

/// Words of people on one line, screened as they are in a prompt.
fn quoted_line(text: &str) -> String {
    shortened(&one_line(&held(text)), QUOTE_CHARS)
}

/// Text over several lines, each marked as quoted: none of it can pass for a line of the result.
fn quoted_lines(text: &str, most: usize) -> String {
    let lines: Vec<String> = text
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.trim().is_empty())
        .map(|line| format!("> {line}"))
        .collect();
    shortened(&lines.join("\n"), most)
}

#[cfg(test)]
mod tests;
