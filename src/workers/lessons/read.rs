//! What of a session is a lesson, read from turns of phrase.
//!
//! Owns the signs and the program's own words; people's words never leave it. Start reading at [`learnt`].

use jiff::Timestamp;
use jiff::civil::Date;

use crate::domain::{Audience, Author, Role, StoredId, StoredTurn};
use crate::text::cues::Cues;
use crate::text::keywords;
use crate::world::{Change, Sort, Wish, wishes};

/// Where somebody sets right what the familiar said.
const CORRECTS: &[&str] = &[
    "thats wrong",
    "that is wrong",
    "thats not right",
    "that is not right",
    "thats not true",
    "youre wrong",
    "you are wrong",
    "no i meant",
    "thats not what i said",
    "thats not what i asked",
    "thats not what i meant",
    "you got that wrong",
    "you misunderstood",
    "das stimmt nicht",
    "das ist falsch",
    "so war das nicht",
    "das meinte ich nicht",
    "du irrst dich",
];

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
    what: What,
    pub turns: Vec<StoredId>,
    pub at: Timestamp,
}

#[derive(Debug, Clone, PartialEq)]
enum What {
    Asked(Wish),
    Corrected,
}

impl Learnt {
    /// The lesson in the program's own words.
    pub(super) fn words(&self, label: &str, day: Date) -> String {
        let day = day.strftime("%-d %B %Y");
        match &self.what {
            What::Asked(wish) => {
                format!("On {day} {label} asked for {}.", wish.words().unwrap_or_default())
            }
            What::Corrected => format!("On {day} {label} set right what was said to them."),
        }
    }

    /// What lessons of this sort come to.
    pub(super) fn synthesis(&self, label: &str, times: usize) -> String {
        match &self.what {
            What::Asked(wish) => format!(
                "{label} prefers {} (asked for it in {times} talks).",
                wish.words().unwrap_or_default()
            ),
            What::Corrected => {
                format!("{label} set things right in {times} talks: better ask {label} than guess.")
            }
        }
    }
}

/// What a session teaches, one lesson a person and thing, in the order in which it was first said. A wish that was taken
/// back in the same session is none.
pub(super) fn learnt(turns: &[StoredTurn], own_name: &str) -> Vec<Learnt> {
    let mut lessons: Vec<Learnt> = Vec::new();
    for (at, turn) in turns.iter().enumerate() {
        let Some(author) = turn.author.as_ref().filter(|author| turn.role == Role::User && !author.is_bot)
        else {
            continue;
        };
        if !is_meant(turns, at, own_name) {
            continue;
        }
        for change in wishes(&turn.content) {
            match change {
                Change::Ask(wish) => {
                    // What somebody wants to be called, and their clock, are facts and not manners.
                    let is_manner = !matches!(wish.sort(), Sort::Name | Sort::Zone) && wish.words().is_some();
                    if is_manner {
                        take(&mut lessons, author, turn, What::Asked(wish));
                    }
                }
                Change::Undo(sort) => {
                    lessons.retain(|known| !(is_by(known, author, turn) && known.sort == name(sort)));
                }
                Change::UndoAll => lessons
                    .retain(|known| !(is_by(known, author, turn) && matches!(known.what, What::Asked(_)))),
            }
        }
        if Cues::of(&turn.content).any(CORRECTS) && answers_familiar(turns, at) {
            take(&mut lessons, author, turn, What::Corrected);
        }
    }
    lessons
}

fn take(lessons: &mut Vec<Learnt>, author: &Author, turn: &StoredTurn, what: What) {
    let (about, sort) = match &what {
        What::Asked(wish) => (wish.name().to_owned(), name(wish.sort())),
        What::Corrected => ("corrected".to_owned(), "corrected".to_owned()),
    };
    // Of two wishes of one sort the newer one holds.
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

fn name(sort: Sort) -> String {
    match sort {
        Sort::Length => "length",
        Sort::Wording => "wording",
        Sort::Emoji => "emoji",
        Sort::Markup => "markup",
        Sort::Language => "language",
        Sort::Name => "name",
        Sort::Spoilers => "spoilers",
        Sort::Pace => "pace",
        Sort::Tone => "tone",
        Sort::Questions => "questions",
        Sort::Zone => "zone",
    }
    .to_owned()
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
