//! What `/lore why` says.

use super::Tongue;
use super::say::{said, sentences};
use crate::domain::{KeySource, LoreLevel, LoreRecord, LoreWhy, TurnId};
use crate::text::short::decimal_in;

/// Discord takes 2,000 characters; the rest is for the last line.
const ROOM: usize = 1_800;

sentences! {
    /// The last turn had no lore to look through.
    no_lore(turn: TurnId);
}

pub(in crate::discord) fn no_such_entry(to: Tongue, given: &str) -> String {
    said!(to, no_such_entry, given = shown(given, 100))
}

/// What a turn called up, and what nearly came in.
pub(in crate::discord) fn lore_called_up(to: Tongue, turn: TurnId, records: &[LoreRecord]) -> String {
    let fired: Vec<&LoreRecord> = records.iter().filter(|record| record.fired).collect();
    let plain =
        |record: &LoreRecord| matches!(record.why, LoreWhy::NoKeyFound | LoreWhy::NoKeys | LoreWhy::Disabled);
    let nearly: Vec<&LoreRecord> = records.iter().filter(|record| !record.fired && !plain(record)).collect();
    let rest = records.len() - fired.len() - nearly.len();
    let line = |record: &LoreRecord| {
        said!(to, lore_line, name = shown(&record.name, 100), why = why(to, record), level = level(record))
    };
    let mut lines = vec![said!(to, lore_called_up, turn, fired = fired.len(), all = records.len())];
    lines.extend(fired.into_iter().map(line));
    if !nearly.is_empty() {
        lines.push(said!(to, lore_not_called_up));
        lines.extend(nearly.into_iter().map(line));
    }
    if rest > 0 {
        lines.push(said!(to, lore_rest, rest));
    }
    fitted(to, lines)
}

/// Why these entries were called up or not.
pub(in crate::discord) fn lore_entries(to: Tongue, turn: TurnId, found: &[&LoreRecord]) -> String {
    let mut lines = vec![said!(to, lore_in_turn, turn)];
    lines.extend(found.iter().map(|record| {
        let (name, book) = (shown(&record.name, 100), shown(&record.book, 60));
        let (fired, why, level) = (record.fired, why(to, record), level(record));
        said!(to, lore_entry, fired, name, book, why, level)
    }));
    fitted(to, lines)
}

fn why(to: Tongue, record: &LoreRecord) -> String {
    shown(&reason(to, &record.why), 300)
}

/// One clause without a full stop.
fn reason(to: Tongue, why: &LoreWhy) -> String {
    match why {
        LoreWhy::Constant => said!(to, lore_constant),
        LoreWhy::Forced => said!(to, lore_by_text, by = "activate"),
        LoreWhy::Key { key, filter: None, at } => said!(to, lore_key, key, at = key_source(to, at)),
        LoreWhy::Key { key, filter: Some(filter), at } => {
            said!(to, lore_key_and_filter, key, at = key_source(to, at), filter)
        }
        LoreWhy::Sticky { left } => said!(to, lore_lasts, what = "Sticky", left = messages(*left)),
        LoreWhy::Delay { left } => said!(to, lore_lasts, what = "Delay", left = messages(*left)),
        LoreWhy::Cooldown { left } => said!(to, lore_lasts, what = "Cooldown", left = messages(*left)),
        LoreWhy::Latched => said!(to, lore_latched),
        LoreWhy::Retrieved { score } => {
            said!(to, lore_retrieved, score = decimal_in(to, f64::from(*score), 2))
        }
        LoreWhy::NoKeyFound => said!(to, lore_no_key_found),
        LoreWhy::NoKeys => said!(to, lore_no_keys),
        LoreWhy::FilterKeys { key, logic } => said!(to, lore_filter_keys, key, logic),
        LoreWhy::Disabled => said!(to, lore_disabled),
        LoreWhy::HeldBack { by } => said!(to, lore_by_text, by),
        LoreWhy::OtherCharacter => said!(to, lore_other_character),
        LoreWhy::OtherTrigger { trigger } => said!(to, lore_other_trigger, trigger),
        LoreWhy::WaitsForRecursion { level } => said!(to, lore_waits_for_others, level = *level),
        LoreWhy::NotByEntries { key } => said!(to, lore_not_by_entries, key),
        LoreWhy::Roll { chance, rolled } => {
            let (chance, rolled) = (decimal_in(to, *chance, 0), decimal_in(to, *rolled, 1));
            said!(to, lore_roll, rolled, chance)
        }
        LoreWhy::Group { group, winner: Some(winner) } => said!(to, lore_group, winner, group),
        LoreWhy::Group { group, winner: None } => said!(to, lore_group_served, group),
        LoreWhy::Budget { needed, limit } => {
            said!(to, lore_budget, needed = needed.to_string(), limit = limit.to_string())
        }
        LoreWhy::LeftOut { .. } => said!(to, lore_left_out),
        LoreWhy::Empty => said!(to, lore_empty),
        LoreWhy::NoOutlet { outlet } => said!(to, lore_no_outlet, outlet),
    }
}

fn key_source(to: Tongue, at: &KeySource) -> String {
    match at {
        KeySource::Message { back: 1, speaker } => said!(to, lore_in_newest, speaker),
        KeySource::Message { back, speaker } => said!(to, lore_in_message, back = *back, speaker),
        KeySource::Card { field } => said!(to, lore_in_card, field),
        KeySource::Entry { name, .. } => said!(to, lore_in_entry, name),
    }
}

fn messages(left: u64) -> usize {
    usize::try_from(left).unwrap_or(usize::MAX)
}

fn level(record: &LoreRecord) -> String {
    super::case_name(record.level.filter(|_| record.fired).unwrap_or(LoreLevel::Full))
}

/// As many lines as fit, and how many do not.
fn fitted(to: Tongue, lines: Vec<String>) -> String {
    let all = lines.len();
    let mut text = String::new();
    for (number, line) in lines.into_iter().enumerate() {
        if text.chars().count() + line.chars().count() > ROOM {
            text.push('\n');
            text.push_str(&said!(to, lore_more, rest = all - number));
            break;
        }
        if number > 0 {
            text.push('\n');
        }
        text.push_str(&line);
    }
    text
}

/// Somebody's words on one line, their marks harmless.
fn shown(text: &str, most: usize) -> String {
    let mut out = String::new();
    for letter in text.chars().take(most) {
        match letter {
            '*' | '_' | '~' | '|' | '`' | '>' | '<' | '\\' | '[' | ']' | '#' => {
                out.push('\\');
                out.push(letter);
            }
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
    }
    if text.chars().nth(most).is_some() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(name: &str, fired: bool, why: LoreWhy) -> LoreRecord {
        let level = fired.then_some(LoreLevel::Full);
        LoreRecord { book: "harbour".to_owned(), uid: 0, name: name.to_owned(), fired, why, level, tokens: 9 }
    }

    fn key() -> LoreWhy {
        let at = KeySource::Message { back: 1, speaker: "A*l".to_owned() };
        LoreWhy::Key { key: "bell".to_owned(), filter: None, at }
    }

    #[test]
    fn what_was_called_up_and_what_nearly_was_is_told() {
        let budget = LoreWhy::Budget { needed: 1_200, limit: 900 };
        let mut short = record("The river", true, LoreWhy::Constant);
        short.level = Some(LoreLevel::Line);
        let records = [
            short,
            record("The bell", true, key()),
            record("The mill", false, budget),
            record("Fog", false, LoreWhy::NoKeyFound),
        ];
        insta::assert_snapshot!(lore_called_up(Tongue::English, TurnId(7), &records), @r#"
        Turn t7 called up 2 of 4 lore entries:
        - **The river**: always on; only its first sentence had room
        - **The bell**: the key "bell" is in the newest message (A\*l)
        Not called up:
        - **The mill**: no room: with it the lore would take 1200 of 900 tokens
        1 more had nothing to do with it. `/lore why entry:` tells about one.
        "#);
        insta::assert_snapshot!(lore_entries(Tongue::English, TurnId(7), &[&records[1], &records[3]]), @r#"
        In turn t7:
        - **The bell** (harbour) was called up: the key "bell" is in the newest message (A\*l)
        - **Fog** (harbour) was not called up: none of its keys is in what was read
        "#);
        insta::assert_snapshot!(no_lore(Tongue::English, TurnId(7)), @"Turn t7 had no lorebook to look through. Whoever runs this bot can add one with `familiar lore import`.");
        insta::assert_snapshot!(no_such_entry(Tongue::English, "`x`\n"), @r"No lore entry is called “\`x\` ”. Leave it out to see what was called up.");
    }

    fn every_reason() -> Vec<LoreWhy> {
        let text = || "gate".to_owned();
        let in_card =
            LoreWhy::Key { key: text(), filter: Some(text()), at: KeySource::Card { field: text() } };
        let in_entry = KeySource::Entry { book: text(), name: text() };
        let in_message = KeySource::Message { back: 3, speaker: "Al".to_owned() };
        vec![
            LoreWhy::Constant,
            LoreWhy::Forced,
            key(),
            in_card,
            LoreWhy::Key { key: text(), filter: None, at: in_entry },
            LoreWhy::Key { key: text(), filter: None, at: in_message },
            LoreWhy::Sticky { left: 1 },
            LoreWhy::Latched,
            LoreWhy::Retrieved { score: 0.5 },
            LoreWhy::NoKeyFound,
            LoreWhy::NoKeys,
            LoreWhy::FilterKeys { key: text(), logic: "not_any".to_owned() },
            LoreWhy::FilterKeys { key: text(), logic: "and_any".to_owned() },
            LoreWhy::Disabled,
            LoreWhy::HeldBack { by: "dont".to_owned() },
            LoreWhy::OtherCharacter,
            LoreWhy::OtherTrigger { trigger: text() },
            LoreWhy::Delay { left: 2 },
            LoreWhy::Cooldown { left: 5 },
            LoreWhy::WaitsForRecursion { level: 2 },
            LoreWhy::NotByEntries { key: text() },
            LoreWhy::Roll { chance: 40.0, rolled: 62.5 },
            LoreWhy::Group { group: text(), winner: Some(text()) },
            LoreWhy::Group { group: text(), winner: None },
            LoreWhy::Budget { needed: 1_200, limit: 900 },
            LoreWhy::Empty,
            LoreWhy::NoOutlet { outlet: text() },
        ]
    }

    #[test]
    fn reasons_are_told_in_english_as_in_the_record_and_in_no_other_language_in_english() {
        for why in every_reason() {
            assert_eq!(reason(Tongue::English, &why), why.to_string());
            for to in Tongue::ALL.into_iter().skip(1) {
                let told = reason(to, &why);
                let is_english =
                    [" the ", " its ", " keys", " message"].iter().any(|word| told.contains(word));
                assert!(!is_english || to == Tongue::French, "{to:?}: {told}");
            }
        }
    }

    #[test]
    fn a_long_list_fits_one_message() {
        let records: Vec<LoreRecord> =
            (0..300).map(|n| record(&format!("entry {n} {}", "x".repeat(200)), true, key())).collect();
        let text = lore_called_up(Tongue::English, TurnId(7), &records);
        assert!(text.chars().count() < 2_000, "{}", text.chars().count());
        assert!(text.ends_with("more lines; `/context` has all of them."), "{text}");
    }
}
