//! What a model is shown to write memories from: messages of one audience, and the facts of that audience it may change.

use std::collections::HashSet;
use std::fmt::Write as _;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::domain::{AccountId, Audience, Place, Role, StoredTurn, Visible};
use crate::memory::facts::{FactData, FactId, NotePage, Validity};
use crate::memory::people::SeenPeople;
use crate::memory::store::{InvalidPath, MemoryStore, NotePath, StoreError};
use crate::text::keywords::terms;
use crate::text::names::prompt_label;
use crate::workers::job::WorkerParts;
use crate::workers::wording::{self, DatedTranscript};

/// People whose notes are shown: those who speak before those who are named.
const PEOPLE: usize = 10;

/// Topics whose notes are shown.
const TOPICS: usize = 4;

/// Facts of one note that are shown, the newest.
const FACTS_OF_ONE: usize = 40;

/// Characters of known facts that are shown together, about 2,000 tokens.
const FACTS_CHARS: usize = 8_000;

/// Characters of one message that are shown.
const MESSAGE_CHARS: usize = 1_500;

/// Somebody whose note may be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShownPerson {
    pub note: NotePath,
    /// No two have the same.
    pub label: String,
    /// The plain name, for the title of a new note.
    pub name: String,
    /// Who speaks; `None` for who is only named.
    pub account: Option<AccountId>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WriterFact {
    pub note: NotePath,
    pub id: FactId,
    pub words: String,
    pub data: FactData,
    /// It was learnt before the same audience, so it may be changed.
    pub is_ours: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct ShownNotes {
    pub audience: Audience,
    /// In the order they were said; their numbers begin at 1.
    pub turns: Vec<StoredTurn>,
    pub people: Vec<ShownPerson>,
    pub topics: Vec<NotePath>,
    pub facts: Vec<WriterFact>,
    /// Where what happened is told.
    pub session: NotePath,
    pub session_title: String,
    pub own_name: String,
    pub today: Date,
    pub tz: TimeZone,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum ShowError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the look at the notes was broken off")]
    BrokenOff,
}

/// Who looks, and when.
#[derive(Debug, Clone)]
struct Viewpoint {
    place: Place,
    own_name: String,
    tz: TimeZone,
    today: Date,
}

/// Collects what belongs to turns of one audience.
pub(super) async fn gather(
    parts: &WorkerParts,
    place: &Place,
    audience: Audience,
    turns: Vec<StoredTurn>,
    now: Timestamp,
) -> Result<ShownNotes, ShowError> {
    let visible = visible(&audience, place);
    let noted = parts.memory.seen_by(&visible).people().await;
    let tz = parts.config.current().display_tz.clone();
    let from = Viewpoint {
        place: place.clone(),
        own_name: parts.character.current().spoken_name().to_owned(),
        today: now.to_zoned(tz.clone()).date(),
        tz,
    };
    let gathered = parts.with_notes("the look at the notes", move |store| {
        gathered(store, &noted, &visible, audience, turns, from)
    });
    Ok(gathered.await.ok_or(ShowError::BrokenOff)??)
}

fn gathered(
    store: &MemoryStore,
    noted: &SeenPeople,
    visible: &Visible,
    audience: Audience,
    turns: Vec<StoredTurn>,
    from: Viewpoint,
) -> Result<ShownNotes, StoreError> {
    let Viewpoint { place, own_name, tz, today } = from;
    let people = shown_people(noted, &turns)?;
    let topics = topics(store, &turns)?;
    let mut facts = Vec::new();
    let mut room = FACTS_CHARS;
    for note in people.iter().map(|person| &person.note).chain(&topics) {
        let text = match store.read(note) {
            Ok(note) => note.text,
            Err(StoreError::NotFound { .. }) => continue,
            Err(error) => {
                tracing::warn!(%error, "a note is not shown to the writer of memories");
                continue;
            }
        };
        let Ok(page) = NotePage::parse(&text) else { continue };
        let known = page.facts().filter(|(_, block)| {
            block.is_for(visible) && !matches!(block.standing(today), Validity::Until(_))
        });
        let mut known: Vec<WriterFact> = known
            .map(|(id, block)| WriterFact {
                note: note.clone(),
                id: id.clone(),
                words: block.words.clone(),
                data: block.data.clone().unwrap_or_default(),
                is_ours: block.audience.as_ref() == Some(&audience),
            })
            .collect();
        known.drain(..known.len().saturating_sub(FACTS_OF_ONE));
        for fact in known {
            if fact.words.len() <= room {
                room -= fact.words.len();
                facts.push(fact);
            }
        }
    }
    let at = turns.last().map(|turn| turn.at.to_zoned(tz.clone()));
    let (day, hour) = at.map_or((today, 12), |at| (at.date(), at.hour()));
    let slot = match hour {
        0..6 => "night",
        6..12 => "morning",
        12..18 => "afternoon",
        _ => "evening",
    };
    let session = NotePath::new(format!("sessions/{day}-{}-{slot}.md", place.channel))?;
    let where_to = place.channel_name.as_deref().map(prompt_label).unwrap_or_else(|| "alone".to_owned());
    let session_title = format!("{day}, {slot}, {where_to}");
    Ok(ShownNotes { audience, turns, people, topics, facts, session, session_title, own_name, today, tz })
}

/// Whatever everybody of that audience may see.
fn visible(audience: &Audience, place: &Place) -> Visible {
    // Whoever is in one of a guild's closed channels is in the guild.
    let guild = match audience {
        Audience::Private(_) | Audience::Restricted(_) => place.guild.clone().map(Audience::Guild),
        Audience::Canon | Audience::Guild(_) | Audience::Dm(_) | Audience::Shared(_) => None,
    };
    Visible::only([Audience::Canon, audience.clone()].into_iter().chain(guild))
}

fn shown_people(noted: &SeenPeople, turns: &[StoredTurn]) -> Result<Vec<ShownPerson>, InvalidPath> {
    let mut people: Vec<ShownPerson> = Vec::new();
    for author in turns.iter().rev().filter_map(|turn| turn.author.as_ref()).filter(|author| !author.is_bot) {
        let note = note_of(&noted.slug_of(&author.account))?;
        if people.len() < PEOPLE && people.iter().all(|known| known.note != note) {
            let name = prompt_label(author.label());
            let label = unused(&people, &name, author.username.as_deref().unwrap_or(author.account.id()));
            people.push(ShownPerson { note, label, name, account: Some(author.account.clone()) });
        }
    }
    for turn in turns.iter().rev() {
        for slug in noted.named_in(&turn.content) {
            let note = note_of(slug)?;
            let Some(known) = noted.note(slug) else { continue };
            // Somebody of whom nothing may be seen here is nobody here.
            if people.len() < PEOPLE && people.iter().all(|known| known.note != note) && known.is_known() {
                let name = known.aliases().first().map_or_else(|| slug.to_owned(), |name| prompt_label(name));
                let label = unused(&people, &name, slug);
                people.push(ShownPerson { note, label, name, account: None });
            }
        }
    }
    Ok(people)
}

fn note_of(slug: &str) -> Result<NotePath, InvalidPath> {
    NotePath::new(format!("people/{slug}.md"))
}

/// Two of one name are told apart.
fn unused(people: &[ShownPerson], name: &str, besides: &str) -> String {
    let is_taken = people.iter().any(|known| known.name.to_lowercase() == name.to_lowercase());
    if is_taken { format!("{name} ({})", prompt_label(besides)) } else { name.to_owned() }
}

/// Notes on topics all words of whose name are said.
fn topics(store: &MemoryStore, turns: &[StoredTurn]) -> Result<Vec<NotePath>, StoreError> {
    let said: HashSet<String> = turns.iter().flat_map(|turn| terms(&turn.content)).collect();
    let listing = store.list(Some(&NotePath::new("topics")?), None)?;
    let is_named = |note: &NotePath| {
        let words = terms(&note.stem().replace(['-', '_'], " "));
        !words.is_empty() && words.iter().all(|word| said.contains(word))
    };
    let named =
        listing.files.into_iter().map(|file| file.path).filter(|note| note.is_markdown() && is_named(note));
    Ok(named.take(TOPICS).collect())
}

impl ShownNotes {
    /// Whether anybody but the familiar and other programs spoke.
    pub(super) fn has_people(&self) -> bool {
        self.turns.iter().any(|turn| turn.author.as_ref().is_some_and(|author| !author.is_bot))
    }

    /// What somebody is called in what is shown.
    pub(super) fn label(&self, turn: &StoredTurn) -> String {
        match (&turn.role, &turn.author) {
            (Role::Assistant, _) | (_, None) => self.own_name.clone(),
            (_, Some(author)) => {
                let known =
                    self.people.iter().find(|person| person.account.as_ref() == Some(&author.account));
                known.map_or_else(|| prompt_label(author.label()), |person| person.label.clone())
            }
        }
    }

    /// All of it as text.
    pub(super) fn material(&self) -> String {
        let mut text =
            format!("Today is {}. You are {}.\n\nFiles:\n", self.today.strftime("%A %F"), self.own_name);
        for person in &self.people {
            let _ = writeln!(text, "{} - about {}", person.note, person.label);
        }
        for topic in &self.topics {
            let _ = writeln!(text, "{topic}");
        }
        text.push_str("\nKnown already:\n");
        if self.facts.is_empty() {
            text.push_str("(nothing)\n");
        }
        for fact in &self.facts {
            let mark = if fact.is_ours { fact.id.as_str() } else { "-" };
            let _ = writeln!(text, "{mark}: {} ({})", wording::clean_line(&fact.words), fact.note);
        }
        text.push_str("\nMessages:\n");
        let mut messages = DatedTranscript::new(self.tz.clone(), MESSAGE_CHARS);
        for (number, turn) in (1..).zip(&self.turns) {
            let (mark, who) = (format!("[{number}] "), format!("{}: ", self.label(turn)));
            messages.push(&mark, turn.at, &who, &wording::clean_line(&turn.content));
        }
        text.push_str(&messages.text);
        text
    }
}
