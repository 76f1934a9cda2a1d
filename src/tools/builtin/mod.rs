//! The tools, one file each.

mod catch_me_up;
mod choose;
mod memory_search;
mod roll_dice;
mod skill_load;
mod time_in;
mod who_was_here;

use std::sync::Arc;

use super::Tool;
use crate::config::LiveConfig;
use crate::domain::StoredTurn;
use crate::history::History;
use crate::text::names::prompt_label;
use crate::text::unicode;

/// All of them, in the order they are offered.
pub(super) fn all(history: &Arc<History>, config: &Arc<LiveConfig>) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(memory_search::MemorySearch::new(Arc::clone(history))),
        Arc::new(skill_load::SkillLoad::new(Arc::clone(config))),
        Arc::new(catch_me_up::CatchMeUp::new(Arc::clone(history))),
        Arc::new(who_was_here::WhoWasHere::new(Arc::clone(history))),
        Arc::new(time_in::TimeIn),
        Arc::new(roll_dice::RollDice),
        Arc::new(choose::Choose),
    ]
}

/// Characters of one message in a result.
const QUOTE_CHARS: usize = 300;

/// A stored message as one line of quoted data: when, where unless it was here, who, what.
fn quote(turn: &StoredTurn, place: Option<&str>) -> String {
    let who = turn.author.as_ref().map_or_else(|| "you".to_owned(), |author| prompt_label(author.label()));
    let place = place.map_or_else(String::new, |place| format!(" {}", prompt_label(place)));
    format!("[{}{place}] {who}: {}", turn.at.strftime("%F %H:%M"), one_line(&turn.content))
}

/// Words of people on one line, without what cannot be seen.
fn one_line(text: &str) -> String {
    let flat = unicode::visible(text).split_whitespace().collect::<Vec<_>>().join(" ");
    if flat.chars().count() <= QUOTE_CHARS {
        return flat;
    }
    let cut: String = flat.chars().take(QUOTE_CHARS).collect();
    format!("{cut}…")
}

#[cfg(test)]
mod tests;
