//! What is said about learning from what people do with replies.

use std::collections::BTreeMap;

use crate::domain::{DAY_PARTS, Learned, LikedLength, TurnId};
use crate::text::short::counted;

/// Under `/privacy`.
pub(in crate::discord) const LET_LEARN: &str = "Let it learn";
pub(in crate::discord) const END_LEARNING: &str = "Stop learning";

/// Under `/memory`, for whoever may.
pub(in crate::discord) const UNLEARN: &str = "Forget what was learnt here";

/// In `/privacy`: that it may learn, or could.
pub(in crate::discord) fn whether_it_learns(familiar: &str, may: bool) -> String {
    if may {
        format!(
            "{familiar} learns from what you do with its replies; `/memory` shows what came of it. **{END_LEARNING}** ends that \
             and lets go of it."
        )
    } else {
        format!(
            "**{LET_LEARN}** lets {familiar} count what you do with its replies: reactions, wanting another one, correcting, \
             deleting or talking over it, and whether you take it up when it joins in. It then joins in sooner or later and \
             answers shorter or longer there. Counts, never your words; no model is trained."
        )
    }
}

/// Somebody lets it learn.
pub(in crate::discord) fn lets_learn(familiar: &str) -> String {
    format!(
        "{familiar} learns from now on from what you do with its replies, on every server and alone with you. `/memory` shows \
         what came of it where you are, `/privacy` ends it."
    )
}

/// It may learn no longer, and so many responses are gone.
pub(in crate::discord) fn ends_learning(familiar: &str, responses: usize) -> String {
    let gone = match responses {
        0 => String::new(),
        some => format!(" What it had counted of yours is gone ({some})."),
    };
    format!("{familiar} no longer learns from what you do with its replies.{gone}")
}

/// All that was learnt in a place is gone.
pub(in crate::discord) fn unlearned(familiar: &str, responses: usize) -> String {
    match responses {
        0 => format!("{familiar} has learnt nothing here."),
        some => format!("{familiar} has let go of what it learnt here ({some})."),
    }
}

/// In `/memory`: what it learnt here; `None` where nothing was counted.
pub(in crate::discord) fn learned(familiar: &str, learned: &Learned) -> Option<String> {
    if learned.counted == 0 {
        return None;
    }
    let counted = counted(learned.counted as u64, "response");
    let mut came: Vec<String> = Vec::new();
    if let Some(waits) = waits(learned) {
        came.push(format!("before it joins in it waits for {waits}{}", turns(&learned.joining_in_from)));
    }
    match learned.length {
        LikedLength::AsItIs => {}
        LikedLength::Shorter => {
            came.push(format!("its answers are to be shorter{}", turns(&learned.length_from)))
        }
        LikedLength::Longer => {
            came.push(format!("its answers are to be longer{}", turns(&learned.length_from)))
        }
    }
    let came = if came.is_empty() { "not enough to change anything yet".to_owned() } else { came.join("; ") };
    Some(format!("-# What {familiar} learnt here from what people did with its replies ({counted}): {came}."))
}

/// "120 % of the usual number of messages, from 0 to 4 o'clock 152 %"; `None` where it is as ever.
fn waits(learned: &Learned) -> Option<String> {
    let parts: [u32; DAY_PARTS] = std::array::from_fn(|part| learned.join_in_percent(part));
    if parts.iter().all(|percent| *percent == 100) {
        return None;
    }
    let mut often: BTreeMap<u32, usize> = BTreeMap::new();
    parts.iter().for_each(|percent| *often.entry(*percent).or_default() += 1);
    let (usual, _) = often.into_iter().max_by_key(|(_, times)| *times)?;
    let hours = 24 / DAY_PARTS;
    let others = parts.iter().enumerate().filter(|(_, percent)| **percent != usual);
    let others = others.map(|(part, percent)| {
        format!(", from {} to {} o'clock {percent} %", part * hours, (part + 1) * hours)
    });
    Some(format!("{usual} % of the usual number of messages{}", others.collect::<String>()))
}

fn turns(turns: &[TurnId]) -> String {
    if turns.is_empty() {
        return String::new();
    }
    let named: Vec<String> = turns.iter().map(ToString::to_string).collect();
    format!(" ({})", named.join(", "))
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use jiff::tz::TimeZone;

    use super::*;
    use crate::domain::{AccountId, Deed, Response, StoredId};

    #[test]
    fn every_sentence_about_learning() {
        let done = |reply: i64, deed, chars, at: &str| Response {
            reply: StoredId(reply),
            turn: Some(TurnId(reply.unsigned_abs())),
            by: AccountId::discord(1),
            deed,
            chars,
            at: at.parse().unwrap(),
        };
        let now: Timestamp = "2026-03-02T20:00:00Z".parse().unwrap();
        let of = |responses: &[Response]| learned("Ada", &Learned::from(responses, now, &TimeZone::UTC));
        let passed: Vec<_> =
            (1..=4).map(|reply| done(reply, Deed::PassedOver, 40, "2026-03-02T03:00:00Z")).collect();
        let cut: Vec<_> =
            (5..=8).map(|reply| done(reply, Deed::CutOff, 90, "2026-03-02T12:00:00Z")).collect();
        let all = [
            whether_it_learns("Ada", false),
            whether_it_learns("Ada", true),
            lets_learn("Ada"),
            ends_learning("Ada", 3),
            ends_learning("Ada", 0),
            unlearned("Ada", 0),
            unlearned("Ada", 7),
            of(&passed[..1]).unwrap(),
            of(&passed).unwrap(),
            of(&cut).unwrap(),
            [LET_LEARN, END_LEARNING, UNLEARN].join(" | "),
        ];
        assert_eq!(of(&[]), None);
        assert!(all.iter().all(|text| text.chars().count() < 700));
        insta::assert_snapshot!(all.join("\n----\n"));
    }
}
