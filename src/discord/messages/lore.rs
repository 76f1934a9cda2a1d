//! What `/lore why` says.

use crate::domain::{LoreLevel, LoreRecord, LoreWhy, TurnId};

/// Discord takes 2,000 characters; the rest is for the last line.
const ROOM: usize = 1_800;

/// The last turn had no lore to look through.
pub(in crate::discord) fn no_lore(turn: TurnId) -> String {
    format!(
        "Turn {turn} had no lorebook to look through. Whoever runs this bot can add one with `familiar lore import`."
    )
}

/// No entry is called that.
pub(in crate::discord) fn no_such_entry(given: &str) -> String {
    format!("No lore entry is called “{}”. Leave it out to see what was called up.", shown(given, 100))
}

/// What a turn called up, and what nearly came in.
pub(in crate::discord) fn lore_called_up(turn: TurnId, records: &[LoreRecord]) -> String {
    let fired: Vec<&LoreRecord> = records.iter().filter(|record| record.fired).collect();
    let plain =
        |record: &LoreRecord| matches!(record.why, LoreWhy::NoKeyFound | LoreWhy::NoKeys | LoreWhy::Disabled);
    let nearly: Vec<&LoreRecord> = records.iter().filter(|record| !record.fired && !plain(record)).collect();
    let rest = records.len() - fired.len() - nearly.len();
    let mut lines = vec![match fired.len() {
        0 => format!("Turn {turn} called up none of {} lore entries.", records.len()),
        number => format!("Turn {turn} called up {number} of {} lore entries:", records.len()),
    }];
    lines.extend(fired.into_iter().map(lore_line));
    if !nearly.is_empty() {
        lines.push("Not called up:".to_owned());
        lines.extend(nearly.into_iter().map(lore_line));
    }
    if rest > 0 {
        lines.push(format!("{rest} more had nothing to do with it. `/lore why entry:` tells about one."));
    }
    fitted(lines)
}

/// Why these entries were called up or not.
pub(in crate::discord) fn lore_entries(turn: TurnId, found: &[&LoreRecord]) -> String {
    let mut lines = vec![format!("In turn {turn}:")];
    lines.extend(found.iter().map(|record| {
        let verdict = if record.fired { "was called up" } else { "was not called up" };
        let (name, book) = (shown(&record.name, 100), shown(&record.book, 60));
        format!("- **{name}** ({book}) {verdict}: {}{}", why(record), how_much(record))
    }));
    fitted(lines)
}

fn lore_line(record: &LoreRecord) -> String {
    format!("- **{}**: {}{}", shown(&record.name, 100), why(record), how_much(record))
}

fn why(record: &LoreRecord) -> String {
    shown(&record.why.to_string(), 300)
}

fn how_much(record: &LoreRecord) -> &'static str {
    match record.level.filter(|_| record.fired) {
        Some(LoreLevel::Line) => "; only its first sentence had room",
        Some(LoreLevel::Paragraph) => "; only its first paragraph had room",
        Some(LoreLevel::Full) | None => "",
    }
}

/// As many lines as fit, and how many do not.
fn fitted(lines: Vec<String>) -> String {
    let all = lines.len();
    let mut text = String::new();
    for (number, line) in lines.into_iter().enumerate() {
        if text.chars().count() + line.chars().count() > ROOM {
            text.push_str(&format!("\n… and {} more lines; `/context` has all of them.", all - number));
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
    use crate::domain::KeySource;

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
        insta::assert_snapshot!(lore_called_up(TurnId(7), &records), @r#"
        Turn t7 called up 2 of 4 lore entries:
        - **The river**: always on; only its first sentence had room
        - **The bell**: the key "bell" is in the newest message (A\*l)
        Not called up:
        - **The mill**: no room: with it the lore would take 1200 of 900 tokens
        1 more had nothing to do with it. `/lore why entry:` tells about one.
        "#);
        insta::assert_snapshot!(lore_entries(TurnId(7), &[&records[1], &records[3]]), @r#"
        In turn t7:
        - **The bell** (harbour) was called up: the key "bell" is in the newest message (A\*l)
        - **Fog** (harbour) was not called up: none of its keys is in what was read
        "#);
        insta::assert_snapshot!(no_lore(TurnId(7)), @"Turn t7 had no lorebook to look through. Whoever runs this bot can add one with `familiar lore import`.");
        insta::assert_snapshot!(no_such_entry("`x`\n"), @r"No lore entry is called “\`x\` ”. Leave it out to see what was called up.");
    }

    #[test]
    fn a_long_list_fits_one_message() {
        let records: Vec<LoreRecord> =
            (0..300).map(|n| record(&format!("entry {n} {}", "x".repeat(200)), true, key())).collect();
        let text = lore_called_up(TurnId(7), &records);
        assert!(text.chars().count() < 2_000, "{}", text.chars().count());
        assert!(text.ends_with("more lines; `/context` has all of them."), "{text}");
    }
}
