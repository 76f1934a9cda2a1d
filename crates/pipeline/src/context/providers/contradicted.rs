//! "You told me something else before": what somebody just said of themselves and what is noted of them do not fit.
//!
//! Owns when that is told: only of what there can be only one of (where somebody lives, what their cat is called), only to the
//! person themselves, and only where what they said before may be seen. Must not know what becomes of the note: whoever
//! keeps notes may have set it right already. Start at [`ContradictedProvider`].

use async_trait::async_trait;

use super::{ContextAsk, ContextProvider, Pieces, Profile};
use crate::context::contribution::{Contribution, Quoted, TailPart};
use crate::context::recall::PipelineParts;
use crate::context::request::TurnRequest;
use crate::domain::Author;
use crate::familiar::names_of;
use crate::memory::facts::{By, FactData, PageBlock, Validity};
use crate::memory::people::SeenPerson;
use crate::memory::stated::{Statement, said_to, statements};
use crate::text::keywords;
use crate::text::names::prompt_label;
use crate::text::short::one_line;

/// Lines of one turn; more would be a cross-examination.
const LINES: usize = 1;

/// Contributes one quoted line where somebody contradicts what they said before (G5, the contradiction
/// edges' use).
#[derive(Debug)]
pub(crate) struct ContradictedProvider {
    pub(in crate::context) parts: PipelineParts,
}

#[async_trait]
impl ContextProvider for ContradictedProvider {
    fn profile(&self) -> Profile {
        Profile::floor("contradicted", 100)
    }

    async fn contribute(&self, request: &TurnRequest, _: &ContextAsk<'_>) -> Pieces {
        let Some(author) = request.author.as_ref().filter(|author| !author.is_bot) else {
            return Ok(Vec::new());
        };
        let PipelineParts { character, config, memory, .. } = &self.parts;
        let names = names_of(&character.current(), &config.current().aliases);
        let said = said_of_themselves(request, author, &names);
        if said.is_empty() {
            return Ok(Vec::new());
        }
        let people = memory.seen_by(&request.visible()).people().await;
        let Some(person) = people.about(&author.account) else { return Ok(Vec::new()) };
        let found = said.iter().flat_map(|statement| contradicted(&person, statement, request, author));
        Ok(found.take(LINES).collect())
    }
}

/// What they say of themselves in what is answered, without what they set right themselves.
fn said_of_themselves(request: &TurnRequest, author: &Author, names: &[String]) -> Vec<Statement> {
    let is_theirs = |by: &Option<Author>| by.as_ref().is_some_and(|by| by.account == author.account);
    let own = request.pending.iter().filter(|turn| is_theirs(&turn.author));
    let sentences = own.flat_map(|turn| said_to(names, &turn.content)).filter(|sentence| !sentence.amends);
    let stated = sentences.flat_map(|sentence| statements(&sentence));
    stated.filter(|statement| statement.slot.is_some() && !statement.ends).collect()
}

fn contradicted(
    person: &SeenPerson<'_>,
    statement: &Statement,
    request: &TurnRequest,
    author: &Author,
) -> Option<Contribution> {
    let name = prompt_label(author.label());
    let now = compared_words(&statement.words(&name));
    let own = By::Person(author.account.clone());
    let before = person.facts().map(|(_, block)| block).find(|block| {
        let Some(data) = &block.data else { return false };
        let is_of_slot =
            data.rest.iter().any(|(key, value)| key == "slot" && Some(value) == statement.slot.as_ref());
        is_of_slot
            && data.by.as_ref() == Some(&own)
            && !is_from(block, request)
            && held_until_now(person, block, request)
            && compared_words(&block.words) != now
    })?;
    let audience = before.audience.clone()?;
    let on = before.data.as_ref().and_then(|data| data.on);
    let when = on.map(|on| format!(" on {}", on.strftime("%-d %B %Y"))).unwrap_or_default();
    Some(Contribution {
        quoted: Some(Quoted::default()),
        ..Contribution::looked_up(
            "contradicted/told before".to_owned(),
            TailPart::People,
            audience,
            format!(
                "{name} told you otherwise before{when}: “{}” You may ask which is true now, if it matters.",
                one_line(&before.words)
            ),
        )
    })
}

fn compared_words(words: &str) -> Vec<String> {
    keywords::written_words(words).map(str::to_lowercase).collect()
}

/// Whether it was learnt from the very messages that are answered.
fn is_from(block: &PageBlock, request: &TurnRequest) -> bool {
    block.data.iter().flat_map(FactData::turns).any(|turn| request.is_pending(turn))
}

/// Whether it holds, or did until one of these messages took its place.
fn held_until_now(person: &SeenPerson<'_>, block: &PageBlock, request: &TurnRequest) -> bool {
    if block.standing(request.today()) == Validity::Holds {
        return true;
    }
    let now = block.data.as_ref().and_then(|data| data.now.as_ref());
    person.facts().any(|(id, later)| Some(id) == now && is_from(later, request))
}
