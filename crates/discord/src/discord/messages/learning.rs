//! What is said about learning from what people do with replies.

use std::collections::BTreeMap;

use super::say::{said, sentences};
use super::{Tongue, list};
use crate::domain::{DAY_PARTS, Learned, LikedLength, TurnId};

sentences! {
    /// Under `/privacy`.
    let_learn();
    end_learning();
    /// Under `/memory`, for whoever may.
    unlearn();
    /// Somebody lets it learn.
    lets_learn(familiar: &str);
    /// It may learn no longer, and so many responses are gone.
    ends_learning(familiar: &str, responses: usize);
    /// All that was learnt in a place is gone.
    unlearned(familiar: &str, responses: usize);
}

/// In `/privacy`: that it may learn, or could.
pub(in crate::discord) fn whether_it_learns(to: Tongue, familiar: &str, may: bool) -> String {
    if may { said!(to, learns, familiar) } else { said!(to, learns_not, familiar) }
}

/// In `/memory`: what it learnt here; `None` where nothing was counted.
pub(in crate::discord) fn learned(to: Tongue, familiar: &str, learned: &Learned) -> Option<String> {
    if learned.counted == 0 {
        return None;
    }
    let mut came: Vec<String> = Vec::new();
    if let Some((percent, hours)) = waits(to, learned) {
        came.push(said!(to, learned_waits, percent, hours) + &turns(&learned.joining_in_from));
    }
    match learned.length {
        LikedLength::AsItIs => {}
        LikedLength::Shorter => came.push(said!(to, learned_shorter) + &turns(&learned.length_from)),
        LikedLength::Longer => came.push(said!(to, learned_longer) + &turns(&learned.length_from)),
    }
    if !learned.tools.is_empty() {
        let tools = learned.tools.iter().map(|(name, percent)| format!("`{name}` {percent} %"));
        let tools = list(to, &tools.collect::<Vec<_>>());
        came.push(said!(to, learned_tools, tools) + &turns(&learned.tools_from));
    }
    let came = if came.is_empty() { said!(to, learned_nothing) } else { came.join("; ") };
    Some(said!(to, learned, familiar, counted = learned.counted, came))
}

/// How many percent of the usual number of messages it waits for, and at which hours for how many else; `None` where it is
/// as ever.
fn waits(to: Tongue, learned: &Learned) -> Option<(u32, String)> {
    let parts: [u32; DAY_PARTS] = std::array::from_fn(|part| learned.join_in_percent(part));
    if parts.iter().all(|percent| *percent == 100) {
        return None;
    }
    let mut often: BTreeMap<u32, usize> = BTreeMap::new();
    parts.iter().for_each(|percent| *often.entry(*percent).or_default() += 1);
    let (usual, _) = often.into_iter().max_by_key(|(_, times)| *times)?;
    let hours = 24 / DAY_PARTS;
    let others = parts.into_iter().enumerate().filter(|(_, percent)| *percent != usual);
    let others = others.map(|(part, percent)| {
        said!(to, learned_hours, from = part * hours, to = (part + 1) * hours, percent)
    });
    Some((usual, others.collect()))
}

fn turns(turns: &[TurnId]) -> String {
    if turns.is_empty() {
        return String::new();
    }
    let named: Vec<String> = turns.iter().map(ToString::to_string).collect();
    format!(" ({})", named.join(", "))
}
