//! What is noted about the people in the conversation, whoever speaks always, then the others; and who they are in play.

use std::collections::HashSet;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::civil::Date;

use super::{ContextAsk, ContextProvider, Pieces, Profile, ProviderError};
use crate::context::contribution::{Contribution, Importance, Quoted, TailPart};
use crate::context::request::TurnRequest;
use crate::domain::{AccountId, Author, InPlay};
use crate::history::History;
use crate::memory::Memory;
use crate::memory::people::{SeenNote, SeenPeople, SeenPerson};
use crate::text::keywords;
use crate::text::names::prompt_label;
use crate::text::tokens;

/// A note longer than this is clipped, in tokens (contradiction 1: people file 800).
pub(super) const NOTE_CLIP: u32 = 800;

/// Besides whoever is answered: so many who spoke here last (familiar-connect 1.7).
const RECENT_AUTHORS: usize = 5;

/// Facts of one note in small talk (M4).
const FACTS_CASUAL: usize = 3;

/// Notes that are never left out may take a quarter of the model's window together.
const FLOOR_SHARE: u32 = 4;

/// The most that one persona takes, in tokens.
const PERSONA_CLIP: u32 = 300;

/// People whose personas are told.
const PERSONAS_TOLD: usize = 6;

/// Contributes people's notes; the order in which they are chosen is the order in which they stay.
#[derive(Debug)]
pub(crate) struct PeopleProvider {
    pub(in crate::context) memory: Arc<Memory>,
    pub(in crate::context) history: Arc<History>,
}

/// Why somebody's note is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Because {
    Speaks,
    /// Their message waits too.
    Waits,
    /// They spoke here lately.
    SpokeLately,
    Named,
}

#[derive(Debug)]
pub(super) struct WantedPerson {
    pub note: SeenNote,
    pub label: Option<String>,
    pub because: Because,
    /// What they are called besides, to tell them from somebody else of that name.
    username: Option<String>,
}

/// Collects them, each once.
struct Choosing<'a> {
    chosen: Vec<WantedPerson>,
    today: Date,
    request: &'a TurnRequest,
    /// The stems of what is asked.
    asked: HashSet<String>,
    /// Facts of one note.
    facts: usize,
}

/// Whose notes a turn wants, the most wanted first, as far as everybody here may see them.
pub(super) async fn chosen(
    request: &TurnRequest,
    people: &SeenPeople,
    history: &History,
) -> Result<Vec<WantedPerson>, ProviderError> {
    let asked = request.pending.iter().flat_map(|turn| keywords::terms(&turn.content)).collect();
    let facts = facts_at(request.plan.intent.effort.level());
    let today = request.today();
    let mut choosing = Choosing { chosen: Vec::new(), today, request, asked, facts };
    for author in request.author.iter() {
        choosing.author(people, author, Because::Speaks);
        for other in &request.place.paired.accounts {
            choosing.other_account(people, author, other);
        }
    }
    for author in request.pending.iter().rev().filter_map(|turn| turn.author.as_ref()) {
        choosing.author(people, author, Because::Waits);
    }
    let channel = &request.place.channel;
    let lately = history
        .seen_by(&request.visible())
        .recent_authors(channel, RECENT_AUTHORS, request.last_row())
        .await?;
    for author in &lately {
        choosing.author(people, author, Because::SpokeLately);
    }
    for turn in request.pending.iter().rev() {
        for slug in people.named_in(&turn.content) {
            let Some(note) = people.note(slug) else { continue };
            choosing.push(&note, None, None, Because::Named);
        }
    }
    Ok(told_apart(choosing.chosen))
}

impl Choosing<'_> {
    fn author(&mut self, people: &SeenPeople, author: &Author, because: Because) {
        if let Some(note) = people.about(&author.account) {
            let username = author.username.as_deref().map(prompt_label);
            self.push(&note, Some(prompt_label(author.label())), username, because);
        }
    }

    /// What is noted about whoever is alone here with the familiar, under another account that they paired.
    fn other_account(&mut self, people: &SeenPeople, author: &Author, account: &AccountId) {
        if let Some(note) = people.about(account) {
            let label = format!("{}, from another account of theirs", prompt_label(author.label()));
            self.push(&note, Some(label), None, Because::Speaks);
        }
    }

    fn push(
        &mut self,
        note: &SeenPerson<'_>,
        label: Option<String>,
        username: Option<String>,
        because: Because,
    ) {
        if self.chosen.iter().any(|known| known.note.slug == note.slug) {
            return;
        }
        let is_past = |turn| self.request.is_past(turn);
        if let Some(note) = note.best(self.today, &is_past, self.facts, &self.asked) {
            self.chosen.push(WantedPerson { note, label, because, username });
        }
    }
}

/// How many facts of one note are told (M4): three in small talk, more the more is asked. What is not told
/// is still found when it is looked for.
fn facts_at(effort: u8) -> usize {
    match effort {
        0..=2 => FACTS_CASUAL,
        3..=4 => 4 * FACTS_CASUAL,
        5..=6 => 8 * FACTS_CASUAL,
        _ => usize::MAX,
    }
}

/// Two people of one name get a second one, so that nobody's note is taken for the other's.
fn told_apart(mut chosen: Vec<WantedPerson>) -> Vec<WantedPerson> {
    let name = |one: &WantedPerson| {
        let alias = one.note.aliases.first().map(|alias| prompt_label(alias));
        one.label.clone().or(alias).unwrap_or_default()
    };
    let names: Vec<String> = chosen.iter().map(|one| name(one).to_lowercase()).collect();
    for (at, one) in chosen.iter_mut().enumerate() {
        let is_shared = names.iter().enumerate().any(|(other, known)| other != at && *known == names[at]);
        if is_shared && !names[at].is_empty() {
            let own = one.username.clone().filter(|own| own.to_lowercase() != names[at]);
            let own = own.unwrap_or_else(|| one.note.slug.clone());
            one.label = Some(format!("{} ({own})", name(one)));
        }
    }
    chosen
}

#[async_trait]
impl ContextProvider for PeopleProvider {
    fn profile(&self) -> Profile {
        Profile::floor("people", 2000).reading_ahead()
    }

    async fn contribute(&self, request: &TurnRequest, _: &ContextAsk<'_>) -> Pieces {
        let people = self.memory.seen_by(&request.visible()).people().await;
        let chosen = chosen(request, &people, &self.history).await?;
        let mut floor_left = request.model.context_window / FLOOR_SHARE;
        let contributions = chosen.iter().enumerate().map(|(rank, one)| {
            let text = match &one.label {
                Some(label) => format!("About {label}:\n{}", one.note.text),
                None => one.note.text.clone(),
            };
            let size = request.model.scale(tokens::count(request.model.encoding, &text).min(NOTE_CLIP));
            let is_floor = one.because <= Because::Waits && size <= floor_left;
            let importance = match one.because {
                Because::Speaks | Because::Waits if is_floor => {
                    floor_left -= size;
                    Importance::Axiom
                }
                Because::Speaks | Because::Waits => Importance::High,
                Because::SpokeLately | Because::Named => Importance::Normal,
            };
            // A step down with every place in the order; nobody has hundreds of notes wanted at once.
            let relevance = (1.0 - 0.01 * f32::from(u16::try_from(rank).unwrap_or(u16::MAX))).max(0.0);
            Contribution {
                importance,
                relevance,
                quoted: Some(Quoted::default()),
                clip: Some(NOTE_CLIP),
                ..Contribution::looked_up(
                    format!("people/{}.md", one.note.slug),
                    TailPart::People,
                    one.note.audience.clone(),
                    text,
                )
            }
        });
        Ok(contributions.chain(personas(request)).collect())
    }
}

/// The personas of whoever is answered and of others who take part. What they say of themselves is quoted and orders nothing,
/// as whatever they write.
fn personas(request: &TurnRequest) -> impl Iterator<Item = Contribution> {
    let answered = request.author.as_ref().map(|author| &author.account);
    request.in_play.iter().take(PERSONAS_TOLD).filter_map(move |one| {
        let InPlay { account, player, persona } = one;
        let (player, name) = (prompt_label(player), prompt_label(&persona.name));
        // Who plays under their own name plays nobody else.
        let words = match (persona.description.as_str(), player == name) {
            ("", true) => return None,
            ("", false) => format!("{player} plays {name} here."),
            (description, true) => format!("{name}, in play here: {description}"),
            (description, false) => format!("{player} plays {name} here: {description}"),
        };
        let is_answered = answered == Some(account);
        Some(Contribution {
            importance: if is_answered { Importance::High } else { Importance::Useful },
            quoted: Some(Quoted::default()),
            clip: Some(PERSONA_CLIP),
            ..Contribution::looked_up(
                format!("persona/{account}"),
                TailPart::People,
                request.place.audience.clone(),
                words,
            )
        })
    })
}
