//! What is written down about people: how much, and their birthdays.

use super::bond::on_day;
use super::{Fact, NotesKnown, ReflexInput};
use crate::context::providers::quotable_line;
use crate::memory::people::SeenNote;
use crate::text::cues::Cues;
use crate::text::names::prompt_label;
use crate::text::phrases::phrases;
use crate::text::short::counted;

pub(super) fn memory(input: &ReflexInput<'_>) -> Option<Fact> {
    let known = input.kept.acquaintance.as_ref()?;
    let since = known.first.map_or_else(String::new, |first| format!(" since {}", on_day(first, input)));
    let notes = input.kept.notes.as_ref().map_or_else(String::new, |notes| counted_notes(notes, input));
    Fact::of(format!(
        "What {} said is kept word for word: {}{since} that you can look at from here.{notes}",
        input.asker(),
        counted(known.messages, "message")
    ))
}

fn counted_notes(notes: &NotesKnown, input: &ReflexInput<'_>) -> String {
    let asker = input.asker();
    let others = counted(notes.others, "other person").replace("persons", "people");
    match (&notes.asker, notes.others) {
        (Some(_), 0) => format!(" You have notes on {asker}."),
        (Some(_), _) => format!(" You have notes on {asker} and on {others}."),
        (None, 0) => " You have no notes on people.".to_owned(),
        (None, _) => format!(" You have notes on {others}, none on {asker}."),
    }
}

/// "When is my birthday?", "when is Ben's birthday?": what the notes say, or that they say nothing.
pub(super) fn birthday(input: &ReflexInput<'_>) -> Option<Fact> {
    let notes = input.kept.notes.as_ref().filter(|_| input.says("birthday asked for"))?;
    let is_own = input.says("own birthday");
    let (name, note) = match notes.named.first() {
        Some(note) if !is_own => (called(note), Some(note)),
        _ if is_own => (input.asker(), notes.asker.as_ref()),
        _ => return None,
    };
    match note.and_then(|note| line_on_birthday(note)) {
        Some(line) => Fact::quoting(format!("Noted about {name}: “{}”", quotable_line(line))),
        None => Fact::of(format!("It is not noted when {name} has their birthday.")),
    }
}

/// A name for whom a note is about; the file's where it holds none.
fn called(note: &SeenNote) -> String {
    prompt_label(note.aliases.first().unwrap_or(&note.slug))
}

/// The first line that tells, or that stands under a heading that does.
fn line_on_birthday(note: &SeenNote) -> Option<&str> {
    let tells = |text: &str| Cues::of(text).any(phrases("birthday noted as"));
    note.sections().find_map(|section| {
        let mut lines = section.text.lines().filter(|line| !line.trim().is_empty());
        let line = match section.heading.filter(|heading| tells(heading)) {
            Some(_) => lines.next(),
            None => lines.find(|line| tells(line)),
        }?;
        Some(line.trim_start_matches(['-', '*', '+', ' ', '\t']))
    })
}
