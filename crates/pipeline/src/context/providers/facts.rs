//! What the program knows for certain: answers to what was asked, and a few counts.

use std::sync::Arc;

use async_trait::async_trait;

use super::{ContextAsk, ContextProvider, Pieces, Profile, ProviderError, acquaintance, topics_since};
use crate::context::contribution::{Contribution, Importance, TailPart, Trust};
use crate::context::moments::{gap, span_in_words};
use crate::context::reflex::{self, Detector, Fact, LookedUp, Needs, NotesKnown, ReflexInput};
use crate::context::request::TurnRequest;
use crate::domain::Depth;
use crate::history::{Acquaintance, History, Since};
use crate::memory::Memory;
use crate::text::names::prompt_label;
use crate::text::short::counted;

/// Facts of one prompt at most; a message asks for one, rarely two.
const FACTS: usize = 4;

/// Facts of one message before it that is answered as well.
const FACTS_BEFORE: usize = 2;

/// From here on the counts stand there unasked; who asks for one before gets it from a detector.
const COUNTS_FROM: Depth = Depth::FullGraph;

/// Contributes facts (A27) where the message asks for them, and a line of counts (A22) where the plan
/// lays everything out.
#[derive(Debug)]
pub(crate) struct FactsProvider {
    pub(in crate::context) history: Arc<History>,
    pub(in crate::context) memory: Arc<Memory>,
}

impl FactsProvider {
    /// The notes that everybody here may see.
    async fn notes(&self, request: &TurnRequest) -> NotesKnown {
        let people = self.memory.seen_by(&request.visible()).people().await;
        let today = request.today();
        let is_past = |turn| request.is_past(turn);
        let asker = request.author.as_ref().and_then(|author| people.about(&author.account));
        let asker = asker.and_then(|person| person.note(today, &is_past));
        let is_askers = |slug: &str| asker.as_ref().is_some_and(|own| own.slug == slug);
        let others = people.count().saturating_sub(u64::from(asker.is_some()));
        let named = people.named_in(request.utterance()).into_iter().filter(|slug| !is_askers(slug));
        let named = named.filter_map(|slug| people.note(slug)?.note(today, &is_past)).collect();
        NotesKnown { asker, named, others }
    }

    /// What the detectors that were asked need of the history and the notes.
    async fn look_up(
        &self,
        request: &TurnRequest,
        input: &ReflexInput<'_>,
    ) -> Result<LookedUp, ProviderError> {
        let needs: Vec<Needs> = reflex::askable_detectors(input).map(|detector| detector.needs).collect();
        let needs_any = |wanted: [Needs; 2]| wanted.iter().any(|one| needs.contains(one));
        let mut kept = LookedUp::default();
        if needs_any([Needs::Acquaintance, Needs::Inventory]) || request.plan.depth >= COUNTS_FROM {
            kept.acquaintance = acquaintance(&self.history, request).await?;
        }
        if let Some(author) = request.author.as_ref().filter(|_| needs.contains(&Needs::Missed)) {
            let newest = request.pending.last().map(|turn| turn.id);
            let since = Since::Person(author.account.clone());
            let visible = request.visible();
            let history = self.history.seen_by(&visible);
            let missed = history.missed(&request.place.channel, since, newest).await?;
            if let Some(since) = missed.since.filter(|_| missed.messages > 0) {
                kept.topics = topics_since(&self.history, request, since, Some(&author.account)).await?;
            }
            kept.missed = Some(missed);
        }
        if needs_any([Needs::Notes, Needs::Inventory]) {
            kept.notes = Some(self.notes(request).await);
        }
        Ok(kept)
    }
}

#[async_trait]
impl ContextProvider for FactsProvider {
    fn profile(&self) -> Profile {
        Profile::floor("facts", 250).of_the_moment()
    }

    async fn contribute(&self, request: &TurnRequest, _: &ContextAsk<'_>) -> Pieces {
        let mut given = Vec::new();
        for question in asked_before(request) {
            let mut input = ReflexInput::of(&question);
            input.kept = self.look_up(&question, &input).await?;
            let asker = question.author.as_ref().map(|author| prompt_label(author.label()));
            let begins = asker.map_or_else(|| "Fact".to_owned(), |name| format!("Fact, asked for by {name}"));
            let found = reflex::detected_facts(&input).into_iter().take(FACTS_BEFORE);
            given.extend(found.map(|(detector, fact)| fact_asked_for(request, detector, fact, &begins)));
        }
        let mut input = ReflexInput::of(request);
        input.kept = self.look_up(request, &input).await?;
        let found = reflex::detected_facts(&input).into_iter().take(FACTS);
        given.extend(found.map(|(detector, fact)| fact_asked_for(request, detector, fact, "Fact")));
        if request.plan.depth >= COUNTS_FROM
            && let Some(counts) = counts_asked_for(request, input.kept.acquaintance.as_ref())
        {
            let part = TailPart::Facts;
            given.push(request.tail(part, Importance::Low, Trust::Program, "facts/counts", counts));
        }
        Ok(given)
    }
}

/// What was asked before the newest message and is answered with it, as questions of their own, the oldest first.
fn asked_before(request: &TurnRequest) -> Vec<TurnRequest> {
    let earlier = request.pending.split_last().map_or(&[][..], |(_, earlier)| earlier);
    let asked = earlier.iter().filter(|turn| request.addressed.contains(&turn.id));
    asked
        .map(|turn| TurnRequest {
            pending: vec![turn.clone()],
            author: turn.author.clone(),
            ..request.clone()
        })
        .collect()
}

fn fact_asked_for(request: &TurnRequest, detector: &Detector, fact: Fact, begins: &str) -> Contribution {
    let source = format!("facts/{} (priority {})", detector.name, detector.priority);
    request.tail(TailPart::Facts, Importance::High, fact.trust, source, format!("{begins}: {}", fact.text))
}

/// Counts that may be asked for (A22); nothing about somebody who has only just come.
fn counts_asked_for(request: &TurnRequest, known: Option<&Acquaintance>) -> Option<String> {
    let view = request.world.for_place(&request.place);
    let mut parts = Vec::new();
    if let Some(members) = view.members().filter(|_| !request.place.is_one_to_one()) {
        parts.push(format!("{} here", counted(members, "member")));
    }
    if let (Some(author), Some(known)) = (&request.author, known)
        && let Some(first) = known.first.filter(|_| known.messages > 1)
    {
        let name = prompt_label(author.label());
        let since = span_in_words(gap(first, request.now));
        parts.push(format!("{name} known for {since}, {} by them", counted(known.messages, "message")));
    }
    parts.extend(tools_offered(view.bot().tools.len()));
    (!parts.is_empty()).then(|| format!("On record: {}.", parts.join("; ")))
}

/// "30 tools" alone could be anybody's, of any kind.
fn tools_offered(tools: usize) -> Option<String> {
    match tools {
        0 => None,
        1 => Some("1 tool is offered".to_owned()),
        tools => Some(format!("{tools} tools are offered")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_the_tools_it_is_said_what_they_are_counted_for() {
        let said = [0, 1, 30].map(tools_offered);
        assert_eq!(said, [None, Some("1 tool is offered".into()), Some("30 tools are offered".into())]);
    }
}
