//! How the people in a conversation stand to each other, and whoever it asks for.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::whoever::{Known, asks_for_somebody, whoever};
use super::{ContextProvider, Facet, Need, Part, ProviderError, Wave};
use crate::context::contribution::{Contribution, Importance, Placement, Quoted, TailPart, Trust};
use crate::context::read_ahead::ReadAhead;
use crate::context::request::TurnRequest;
use crate::domain::{AccountId, Audience, Depth, Layer, Visible};
use crate::graph::{Bond, EdgeKind, Graph, Lens, Named, Near, NodeId, NodeKind, Teller, name};

/// The graph answers in microseconds; what takes longer is bringing it up to date after a start, and no voice waits for
/// that.
const DEADLINE: Duration = Duration::from_millis(150);

/// From here on it is told unasked who gets on with whom.
const COMPANY_FROM: Depth = Depth::Full;

/// People here whose standing with whoever is answered is looked at, and lines that are told of it.
const PEOPLE: usize = 8;
const LINES: usize = 2;

/// What lies around a name that is still open: so many notes, within so many steps.
const AROUND: usize = 3;
const TRIED: usize = 12;
const HOPS: u8 = 2;
const LOOKED_AT: usize = 200;

/// The most one line may take, in tokens.
const CLIP: u32 = 120;

/// Contributes a line on who gets on with whom, and on whom it is tense between (specs mechanisms G3), where that is
/// plain; whoever a question means by what they do (G4); and in the second wave what lies around names and relations that are still open (A11, A14). Quoted, as it is
/// made of what people said and what is noted.
#[derive(Debug)]
pub struct CompanyProvider {
    graph: Arc<Graph>,
    reads: Arc<ReadAhead>,
}

impl CompanyProvider {
    /// Asks this graph.
    #[must_use]
    pub fn new(graph: Arc<Graph>, reads: Arc<ReadAhead>) -> Self {
        Self { graph, reads }
    }

    async fn lens(&self, request: &TurnRequest) -> Result<Lens, ProviderError> {
        self.graph.keep_up().await.map_err(|error| ProviderError(error.to_string()))?;
        let answered = request.pending.iter().map(|turn| turn.id).collect();
        Ok(Lens::of(request.visible()).until(request.as_of).without(answered))
    }

    /// Lines of other notes that name somebody. What stands in their own note is told with it, and what the card and
    /// lore say has its own ways into a prompt.
    fn noted_elsewhere(&self, person: &Named, lens: &Lens) -> Vec<Contribution> {
        let near = self.graph.around(&person.id, HOPS, LOOKED_AT, lens);
        let is_elsewhere = |near: &Near| {
            let key = &near.node.id.key;
            near.node.id.kind == NodeKind::Fact
                && !key.starts_with("self/")
                && !key.starts_with("lore/")
                && !key.starts_with(&format!("people/{}.md", person.id.key))
        };
        let facts = near.into_iter().filter(is_elsewhere).take(TRIED).filter_map(|near| {
            let words = near.node.label.clone()?;
            let (from, to) = (std::slice::from_ref(&person.id), std::slice::from_ref(&near.node.id));
            // By the way that leads there, whoever may see this must see all of it.
            let way = self.graph.paths(from, to, 1, lens).into_iter().next()?;
            let names =
                |bond: &Bond| matches!(bond.kind, EdgeKind::About | EdgeKind::Mentions | EdgeKind::Called);
            if !way.steps.iter().all(|step| step.bonds.iter().any(names)) {
                return None;
            }
            let called = name(&way.steps.first()?.from);
            let source = format!("company/{} {}", person.id.key, near.node.id);
            let text = format!("Noted where {called} comes in: “{words}”");
            Some(contribution(source, way.narrowest(), text, 0.5))
        });
        facts.take(AROUND).collect()
    }

    /// How whoever is answered stands to those who spoke here lately, where that is plain.
    fn standings(&self, request: &TurnRequest, lens: &Lens, teller: &Teller) -> Vec<Contribution> {
        let Some(author) = request.author.as_ref().filter(|_| !request.place.is_one_to_one()) else {
            return Vec::new();
        };
        let view = request.world.for_place(&request.place);
        let mut others: Vec<(AccountId, String)> = Vec::new();
        for seen in view.speakers().iter().rev() {
            let is_new =
                seen.account != author.account && !others.iter().any(|(known, _)| *known == seen.account);
            if is_new && !seen.is_bot && others.len() < PEOPLE {
                others.push((seen.account.clone(), seen.name.clone()));
            }
        }
        if others.is_empty() {
            return Vec::new();
        }
        let me = NodeId::person(&author.account);
        let mut told: Vec<(f64, Contribution)> = Vec::new();
        for (account, label) in others {
            let other = NodeId::person(&account);
            let Some(standing) = self.graph.standing(&me, &other, request.now, lens) else { continue };
            let Some(text) = teller.standing(author.label(), &label, &standing) else { continue };
            let audiences = standing.bonds.iter().flat_map(|bond| bond.audiences.iter().cloned());
            // By the names they have here.
            let audience = Visible::only(audiences.chain([request.place.audience.clone()])).narrowest();
            let source = format!("company/{}+{}", me.key, other.key);
            told.push((standing.warm + standing.tense, contribution(source, audience, text, 0.6)));
        }
        told.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        told.into_iter().take(LINES).map(|(_, line)| line).collect()
    }
}

#[async_trait]
impl ContextProvider for CompanyProvider {
    fn name(&self) -> &'static str {
        "company"
    }

    fn deadline(&self) -> Duration {
        DEADLINE
    }

    fn part(&self) -> Part {
        Part::Spirit
    }

    fn need(&self) -> Need {
        // It takes no time worth mentioning; a search that finds enough must not end the wait for it.
        Need::Floor
    }

    fn wave(&self) -> Wave {
        Wave::Both
    }

    fn tells_the_moment(&self) -> bool {
        true
    }

    async fn fetch(&self, request: &TurnRequest) -> Result<(), ProviderError> {
        if self.reads.standings(request).is_none() {
            let as_of = self.reads.as_of().await?;
            let lens = self.lens(request).await?;
            let teller = Teller::in_zone(request.display_tz.clone());
            self.reads.keep_standings(request, self.standings(request, &lens, &teller), as_of);
        }
        Ok(())
    }

    fn is_at_hand(&self, request: &TurnRequest) -> bool {
        request.plan.depth >= COMPANY_FROM
            && !asks_for_somebody(request.utterance())
            && self.reads.standings(request).is_some()
    }

    async fn contribute(&self, request: &TurnRequest) -> Result<Vec<Contribution>, ProviderError> {
        if request.plan.depth < COMPANY_FROM && !asks_for_somebody(request.utterance()) {
            return Ok(Vec::new());
        }
        let teller = Teller::in_zone(request.display_tz.clone());
        let fetched = self.reads.standings(request);
        if let Some(standings) = fetched.as_ref().filter(|_| !asks_for_somebody(request.utterance())) {
            return Ok(standings.as_ref().clone());
        }
        let lens = self.lens(request).await?;
        let mut told = self.standings(request, &lens, &teller);
        let known = whoever(&self.graph, request.utterance(), request.now, &lens, &teller);
        told.extend(known.into_iter().map(|Known { text, audience, source, score }| {
            contribution(format!("company/{source}"), audience, text, score)
        }));
        Ok(told)
    }

    async fn refine(
        &self,
        request: &TurnRequest,
        missing: &[Facet],
    ) -> Result<Vec<Contribution>, ProviderError> {
        let names: Vec<&str> = missing
            .iter()
            .filter_map(|facet| match facet {
                Facet::Name(name) => Some(name.as_str()),
                Facet::Time(_) | Facet::Relation(_) => None,
            })
            .collect();
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let lens = self.lens(request).await?;
        let mut told = Vec::new();
        for wanted in names {
            if let Some(person) = self.graph.called(wanted, &lens).into_iter().next() {
                told.extend(self.noted_elsewhere(&person, &lens));
            }
        }
        Ok(told)
    }
}

fn contribution(source: String, audience: Audience, text: String, relevance: f32) -> Contribution {
    Contribution {
        importance: Importance::Useful,
        relevance,
        quoted: Some(Quoted::default()),
        clip: Some(CLIP),
        ..Contribution::new(
            source,
            Layer::Content,
            Placement::Tail(TailPart::People),
            Trust::Held,
            audience,
            text,
        )
    }
}
