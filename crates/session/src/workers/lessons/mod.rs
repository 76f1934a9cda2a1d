//! What is learnt from a session once it is over: what people asked of the familiar's manner, and where they set it right
//! (A23, G6, M17). Three lessons of one sort, from three sessions, become something known about the
//! person; until then they are in no prompt. Needs no model.
//!
//! Owns when a session is over, what of it is a lesson, and when lessons are enough. Must not know prompts. Start reading
//! at [`LearnLessons`].

#[cfg(test)]
mod tests;

use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use jiff::civil::Date;

use crate::domain::{Audience, Author, Place, Role, StoredId, StoredTurn};
use crate::history::HistoryError;
use crate::identity::caller_in;
use crate::memory::change::{NoteChange, PageChange};
use crate::memory::facts::{By, Evidence, FactData, FactId, FactKind, NotePage, Validity};
use crate::memory::store::{MemoryStore, NotePath};
use crate::text::cues::Cues;
use crate::text::keywords;
use crate::text::names::prompt_label;
use crate::text::phrases::says;
use crate::workers::job::{Due, Job, JobEnd, WorkerParts, pause};
use crate::workers::noting::NotingHand;
use crate::world::{self, StylePreference, StyleSort, style_changes};

/// The name of this job's marks.
const WATERMARK: &str = "lessons";

/// Turns looked at in one step; a longer session is read in pieces.
const READ: u32 = 400;

/// So many lessons of one sort, each of another day, are enough (G6).
pub(super) const ENOUGH: usize = 3;

/// The key of what a lesson is about.
const ABOUT: &str = "lesson";

#[derive(Debug)]
pub(in crate::workers) struct LearnLessons {
    parts: WorkerParts,
}

impl LearnLessons {
    pub(in crate::workers) fn new(parts: WorkerParts) -> Self {
        Self { parts }
    }
}

/// How many turns belong to a session that is over.
fn over(turns: &[StoredTurn], quiet: Duration, now: Timestamp) -> Due {
    let Some(newest) = turns.last() else { return Due::Never };
    let ended = turns.windows(2).position(|pair| pause(pair[0].at, pair[1].at) >= quiet);
    let since = pause(newest.at, now);
    match ended {
        Some(at) => Due::Now(at + 1),
        None if since >= quiet || turns.len() >= READ as usize => Due::Now(turns.len()),
        None => Due::In((quiet - since).max(Duration::from_secs(1))),
    }
}

/// Writes a lesson down, and in the note about its `person` what it comes to with others. Blocks.
fn keep(store: &MemoryStore, lesson: &Learnt, person: &str, day: Date, hand: &NotingHand) {
    let slug = lesson.author.account.slug();
    let label = prompt_label(lesson.author.label());
    let (Ok(note), Ok(person)) =
        (NotePath::new(format!("sessions/lessons-{slug}.md")), NotePath::new(format!("people/{person}.md")))
    else {
        return;
    };
    let before = earlier(store, &note, lesson);
    // Of one day one is enough: three of one evening are one lesson.
    if before.iter().any(|(_, on)| *on == Some(day)) {
        return;
    }
    let id = FactId::random();
    let data = FactData {
        id: Some(id.clone()),
        to: Some(lesson.audience.clone()),
        by: Some(By::Person(lesson.author.account.clone())),
        on: Some(day),
        from: lesson.turns.iter().map(|turn| Evidence::Turn(*turn)).collect(),
        // It holds for the session it is of; whoever asks later is told what it came to.
        until: Some(day),
        kind: FactKind::Lesson,
        rest: vec![(ABOUT.to_owned(), lesson.about.clone())],
        ..FactData::default()
    };
    let learning = lesson_change(
        &note,
        &format!("Lessons from {label}"),
        &lesson.audience,
        PageChange::Add { words: lesson.words(&label, day), data },
    );
    hand.note(store, vec![learning], day);
    let mut parts: Vec<FactId> = before.into_iter().map(|(id, _)| id).collect();
    parts.push(id);
    if parts.len() >= ENOUGH {
        hand.note(store, vec![synthesis(store, &note, &person, &label, lesson, &parts, day)], day);
    }
}

/// The lessons of this sort from this person before the same people.
fn earlier(store: &MemoryStore, note: &NotePath, lesson: &Learnt) -> Vec<(FactId, Option<Date>)> {
    let Ok((text, _)) = store.read_or_none(note) else { return Vec::new() };
    let Ok(page) = NotePage::parse(&text) else { return Vec::new() };
    page.facts()
        .filter(|(_, block)| block.audience.as_ref() == Some(&lesson.audience))
        .filter_map(|(id, block)| {
            let data = block.data.as_ref()?;
            let is_it = data.kind == FactKind::Lesson && is_about(data, &lesson.about);
            (is_it && data.gone.is_none()).then(|| (id.clone(), data.on))
        })
        .collect()
}

fn is_about(data: &FactData, about: &str) -> bool {
    data.rest.iter().any(|(key, value)| key == ABOUT && value == about)
}

/// What lessons came to, in the note about the person: in the place of what they came to before.
fn synthesis(
    store: &MemoryStore,
    note: &NotePath,
    person: &NotePath,
    label: &str,
    lesson: &Learnt,
    parts: &[FactId],
    day: Date,
) -> NoteChange {
    let newest = parts.iter().rev().take(12).rev();
    let data = FactData {
        id: Some(FactId::random()),
        to: Some(lesson.audience.clone()),
        by: Some(By::Person(lesson.author.account.clone())),
        on: Some(day),
        from: newest.map(|id| Evidence::Other(format!("f:{note}#{id}"))).collect(),
        importance: Some(4),
        kind: FactKind::Preference,
        rest: vec![(ABOUT.to_owned(), lesson.sort.clone())],
        ..FactData::default()
    };
    let words = lesson.synthesis(label, parts.len());
    let page = store.read_or_none(person).ok().and_then(|(text, _)| NotePage::parse(&text).ok());
    let known = page.as_ref().and_then(|page| {
        page.facts().find(|(_, block)| {
            let data = block.data.as_ref();
            block.audience.as_ref() == Some(&lesson.audience)
                && data.is_some_and(|data| is_about(data, &lesson.sort) && data.kind == FactKind::Preference)
                && !matches!(block.standing(day), Validity::Until(_))
        })
    });
    let what = match known {
        Some((old, block)) => {
            PageChange::Supersede { old: old.clone(), seen: block.words.clone(), words, data }
        }
        None => PageChange::Add { words, data },
    };
    lesson_change(person, label, &lesson.audience, what)
}

fn lesson_change(note: &NotePath, title: &str, audience: &Audience, what: PageChange) -> NoteChange {
    NoteChange { note: note.clone(), title: title.to_owned(), audience: audience.clone(), what }
}

#[async_trait]
impl Job for LearnLessons {
    fn name(&self) -> &'static str {
        "lessons"
    }

    async fn look(&self, place: &Place, end: &mut JobEnd) -> Result<(), HistoryError> {
        loop {
            let turns = self.parts.unread(WATERMARK, place, READ).await?.turns;
            let config = self.parts.config.current();
            let quiet = config.memory_writer.idle_timeout;
            let over = match over(&turns, quiet, self.parts.clock.now()) {
                Due::Never => return Ok(()),
                Due::In(wait) => {
                    end.again = Some(wait);
                    return Ok(());
                }
                Due::Now(count) => &turns[..count],
            };
            let Some(last) = over.last().map(|turn| turn.id) else { return Ok(()) };
            let own_name = self.parts.character.current().spoken_name().to_owned();
            for lesson in lessons_of(over, &own_name) {
                // Of strangers nothing is noted.
                let caller = caller_in(&config, place, Some(&lesson.author));
                let Some(pass) = caller.change(&lesson.audience) else { continue };
                let day = lesson.at.to_zoned(config.display_tz.clone()).date();
                let hand = self.parts.hand(&pass, "what sessions taught");
                let person = self.parts.memory.person_of(&lesson.author.account).await;
                let keep = move |store: &MemoryStore| keep(store, &lesson, &person, day, &hand);
                self.parts.with_notes("keeping a lesson", keep).await;
            }
            self.parts.is_done(WATERMARK, place, last).await?;
        }
    }
}

/// Messages that one lesson is shown to come from.
const TURNS: usize = 8;

/// What was learnt from one person in one session.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Learnt {
    pub author: Author,
    pub audience: Audience,
    /// What exactly: `shorter`. Lessons of one kind count together.
    pub about: String,
    /// What sort of thing: of each, only the newest holds.
    pub sort: String,
    what: LessonTopic,
    pub turns: Vec<StoredId>,
    pub at: Timestamp,
}

#[derive(Debug, Clone, PartialEq)]
enum LessonTopic {
    Asked(StylePreference),
    Corrected,
}

impl Learnt {
    /// The lesson in the program's own words.
    pub(super) fn words(&self, label: &str, day: Date) -> String {
        let day = day.strftime("%-d %B %Y");
        match &self.what {
            LessonTopic::Asked(preference) => {
                format!("On {day} {label} asked {}.", preference.asked().unwrap_or_default())
            }
            LessonTopic::Corrected => format!("On {day} {label} set right what was said to them."),
        }
    }

    /// What lessons of this sort come to.
    pub(super) fn synthesis(&self, label: &str, times: usize) -> String {
        match &self.what {
            LessonTopic::Asked(preference) => format!(
                "{label} prefers {} (asked for it in {times} talks).",
                preference.words().unwrap_or_default()
            ),
            LessonTopic::Corrected => {
                format!("{label} set things right in {times} talks: better ask {label} than guess.")
            }
        }
    }
}

/// What a session teaches, one lesson a person and thing, in the order in which it was first said. A preference that was taken
/// back in the same session is none.
pub(super) fn lessons_of(turns: &[StoredTurn], own_name: &str) -> Vec<Learnt> {
    let mut lessons: Vec<Learnt> = Vec::new();
    for (at, turn) in turns.iter().enumerate() {
        let Some(author) = turn.author.as_ref().filter(|author| turn.role == Role::User && !author.is_bot)
        else {
            continue;
        };
        if !is_meant(turns, at, own_name) {
            continue;
        }
        for change in style_changes(&turn.content) {
            match change {
                world::StyleChange::Ask(preference) => {
                    // What somebody wants to be called, and their clock, are facts and not manners.
                    let is_manner = !matches!(preference.sort(), StyleSort::Name | StyleSort::Zone)
                        && preference.words().is_some();
                    if is_manner {
                        take_lesson(&mut lessons, author, turn, LessonTopic::Asked(preference));
                    }
                }
                world::StyleChange::Undo(sort) => {
                    lessons.retain(|known| !(is_by(known, author, turn) && known.sort == sort.to_string()));
                }
                world::StyleChange::UndoAll => lessons.retain(|known| {
                    !(is_by(known, author, turn) && matches!(known.what, LessonTopic::Asked(_)))
                }),
            }
        }
        if says("corrected", &Cues::of(&turn.content)) && answers_familiar(turns, at) {
            take_lesson(&mut lessons, author, turn, LessonTopic::Corrected);
        }
    }
    lessons
}

fn take_lesson(lessons: &mut Vec<Learnt>, author: &Author, turn: &StoredTurn, what: LessonTopic) {
    let (about, sort) = match &what {
        LessonTopic::Asked(preference) => (preference.name().to_owned(), preference.sort().to_string()),
        LessonTopic::Corrected => ("corrected".to_owned(), "corrected".to_owned()),
    };
    // Of two preferences of one sort the newer one holds.
    lessons.retain(|known| !(is_by(known, author, turn) && known.sort == sort && known.about != about));
    match lessons.iter_mut().find(|known| is_by(known, author, turn) && known.about == about) {
        Some(known) if known.turns.len() < TURNS => known.turns.push(turn.id),
        Some(_) => {}
        None => lessons.push(Learnt {
            author: author.clone(),
            audience: turn.audience.clone(),
            about,
            sort,
            what,
            turns: vec![turn.id],
            at: turn.at,
        }),
    }
}

fn is_by(known: &Learnt, author: &Author, turn: &StoredTurn) -> bool {
    known.author.account == author.account && known.audience == turn.audience
}

/// Whether a message was meant for the familiar: it is named, it answers it, or it was answered by it.
fn is_meant(turns: &[StoredTurn], at: usize, own_name: &str) -> bool {
    let first: Vec<String> = keywords::words(own_name).take(1).collect();
    let named = !first.is_empty() && keywords::words(&turns[at].content).any(|word| word == first[0]);
    let answered = turns.get(at + 1).is_some_and(|next| next.role == Role::Assistant);
    named || answered || answers_familiar(turns, at)
}

fn answers_familiar(turns: &[StoredTurn], at: usize) -> bool {
    at.checked_sub(1)
        .and_then(|before| turns.get(before))
        .is_some_and(|before| before.role == Role::Assistant)
}
