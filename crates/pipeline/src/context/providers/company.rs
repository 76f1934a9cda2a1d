//! How the people in a conversation stand to each other, and whoever it asks for.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;

use super::whoever::{asks_for_somebody, company_contribution, whoever};
use super::{ContextAsk, ContextProvider, Pieces, Profile, ProviderError};
use crate::context::contribution::{Contribution, Facet};
use crate::context::recall::is_lore;
use crate::context::request::TurnRequest;
use crate::domain::{AccountId, Audience, Author, Depth, Visible};
use crate::graph::{
    Bond, DayTeller, EdgeKind, Graph, GraphError, NamedNode, Neighbour, NodeId, NodeKind, View, Viewer,
    name_or_somebody,
};

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

/// Contributes a line on who gets on with whom, and on whom it is tense between (G3), where that is
/// plain; whoever a question means by what they do (G4); and in the second wave what lies around names and relations that are still open (A11, A14). Quoted, as it is
/// made of what people said and what is noted.
#[derive(Debug)]
pub(crate) struct CompanyProvider {
    pub(in crate::context) graph: Arc<Graph>,
}

impl CompanyProvider {
    async fn ask<T, Q>(&self, request: &TurnRequest, question: Q) -> Result<T, ProviderError>
    where
        T: Send + 'static,
        Q: FnOnce(&View<'_>) -> Result<T, GraphError> + Send + 'static,
    {
        let answered = request.pending.iter().map(|turn| turn.id).collect();
        let viewer = Viewer::of(request.visible()).until(request.as_of).without(answered);
        self.graph.ask(viewer, question).await.map_err(|error| ProviderError(error.to_string()))
    }
}

/// Lines of other notes that name somebody. What stands in their own note is told with it, and what the card and lore
/// say has its own ways into a prompt.
fn noted_elsewhere(
    view: &View<'_>,
    person: &NamedNode,
    here: &Audience,
) -> Result<Vec<Contribution>, GraphError> {
    let is_elsewhere = |near: &Neighbour| {
        let key = &near.node.id.key;
        near.node.id.kind == NodeKind::Fact
            && !key.starts_with("self/")
            && !is_lore(key)
            && !key.starts_with(&format!("people/{}.md", person.id.key))
    };
    let names = |bond: &Bond| matches!(bond.kind, EdgeKind::About | EdgeKind::Mentions | EdgeKind::Called);
    let mut told = Vec::new();
    for near in view.around(&person.id, HOPS, LOOKED_AT)?.into_iter().filter(is_elsewhere).take(TRIED) {
        // By the way that leads there, whoever may see this must see all of it.
        let way = view.paths(std::slice::from_ref(&person.id), std::slice::from_ref(&near.node.id), 1)?;
        let Some((way, words)) = way.into_iter().next().zip(near.node.label) else { continue };
        if told.len() < AROUND && way.steps.iter().all(|step| step.bonds.iter().any(names)) {
            let called = way.steps.first().map(|first| name_or_somebody(&first.from)).unwrap_or_default();
            let source = format!("company/{} {}", person.id.key, near.node.id);
            let text = format!("Noted where {called} comes in: “{words}”");
            let audience = Visible::circle_of(way.audiences(), here);
            told.push(company_contribution(source, audience, text, 0.5));
        }
    }
    Ok(told)
}

/// Whoever is answered, and those who spoke here lately.
struct PresentPeople {
    author: Author,
    others: Vec<(AccountId, String)>,
    here: Audience,
    now: Timestamp,
    teller: DayTeller,
}

impl PresentPeople {
    fn of(request: &TurnRequest) -> Option<Self> {
        let author = request.author.as_ref().filter(|_| !request.place.is_one_to_one())?;
        let mut others: Vec<(AccountId, String)> = Vec::new();
        for seen in request.world.for_place(&request.place).speakers().iter().rev() {
            let is_new =
                seen.account != author.account && !others.iter().any(|(known, _)| *known == seen.account);
            if is_new && !seen.is_bot && others.len() < PEOPLE {
                others.push((seen.account.clone(), seen.name.clone()));
            }
        }
        let teller = DayTeller::in_zone(request.display_tz.clone());
        let (here, now) = (request.place.audience.clone(), request.now);
        Some(Self { author: author.clone(), others, here, now, teller })
    }

    /// How whoever is answered stands to the others, where that is plain.
    fn standings(&self, view: &View<'_>) -> Result<Vec<Contribution>, GraphError> {
        let me = view.person(&self.author.account)?;
        let mut told: Vec<(f64, Contribution)> = Vec::new();
        let mut looked_at: Vec<NodeId> = Vec::new();
        for (account, label) in &self.others {
            let other = view.person(account)?;
            // Of two accounts of one person the one that spoke last is told of.
            if looked_at.contains(&other) {
                continue;
            }
            looked_at.push(other.clone());
            let Some(standing) = view.standing(&me, &other, self.now)? else { continue };
            let Some(text) = self.teller.standing(self.author.label(), label, &standing) else { continue };
            let audiences = standing.bonds.iter().flat_map(|bond| bond.audiences.iter().cloned());
            // By the names they have here.
            let audience = Visible::circle_of(audiences.chain([self.here.clone()]), &self.here);
            let source = format!("company/{}+{}", me.key, other.key);
            told.push((standing.warm + standing.tense, company_contribution(source, audience, text, 0.6)));
        }
        told.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        Ok(told.into_iter().take(LINES).map(|(_, line)| line).collect())
    }
}

#[async_trait]
impl ContextProvider for CompanyProvider {
    fn profile(&self) -> Profile {
        // The graph answers in a millisecond or two: what takes longer is bringing it up to date after a start, and no
        // voice waits for that. A search that finds enough must not end the wait for it.
        Profile { looks_again: true, ..Profile::floor("company", 150).of_the_moment() }
    }

    async fn contribute(&self, request: &TurnRequest, ask: &ContextAsk<'_>) -> Pieces {
        if let Some(open) = ask.open {
            return self.look_again(request, open).await;
        }
        if request.plan.depth < COMPANY_FROM && !asks_for_somebody(request.utterance()) {
            return Ok(Vec::new());
        }
        let (company, utterance) = (PresentPeople::of(request), request.utterance().to_owned());
        let (now, teller) = (request.now, DayTeller::in_zone(request.display_tz.clone()));
        let here = request.place.audience.clone();
        let answered = self.ask(request, move |view| {
            let standings = company.map_or_else(|| Ok(Vec::new()), |company| company.standings(view))?;
            Ok((standings, whoever(view, &utterance, now, &teller, &here)?))
        });
        let (standings, known) = answered.await?;
        Ok([standings, known].concat())
    }
}

impl CompanyProvider {
    /// What lies around names that are still open.
    async fn look_again(&self, request: &TurnRequest, missing: &[Facet]) -> Pieces {
        let names: Vec<String> = missing
            .iter()
            .filter_map(|facet| match facet {
                Facet::Name(name) => Some(name.clone()),
                Facet::Time(_) | Facet::Relation(_) => None,
            })
            .collect();
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let here = request.place.audience.clone();
        let told = self.ask(request, move |view| {
            let mut told = Vec::new();
            for wanted in &names {
                if let Some(person) = view.called(wanted)?.into_iter().next() {
                    told.extend(noted_elsewhere(view, &person, &here)?);
                }
            }
            Ok(told)
        });
        told.await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::FamiliarHome;
    use crate::domain::{ChannelMode, FamiliarId, GuildId, MessageId, Place, PlaceKind, Platform};
    use crate::history::{History, HistoryOptions, NewTurn};
    use crate::memory::Memory;

    #[tokio::test]
    async fn what_is_noted_of_a_joined_person_is_not_told_as_somebody_elses() {
        let folder = tempfile::tempdir().unwrap();
        let home = FamiliarHome::new(folder.path(), &FamiliarId::new("mika").unwrap());
        let note = |path: &str, text: &str| {
            let path = home.memory_dir().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        note(
            "people/discord-1.md",
            "---\naudience: guild:7\naliases: [Ana]\naccounts: [\"discord:2\"]\n---\n# Ana\n\n\
             - Her friend Ana keeps bees on the roof. <!-- f=a to=guild:7 -->\n",
        );
        let hives = "---\naudience: guild:7\n---\n# Hives\n\n- It was Ana who sold two hives. <!-- f=b to=guild:7 -->\n";
        note("topics/hives.md", hives);
        let history = History::open(&home.history_db(), HistoryOptions::default()).await.unwrap();
        let here = Audience::Guild(GuildId::from(7));
        let said = NewTurn {
            messages: vec![MessageId::from(1_u64)],
            ..NewTurn::written(
                Place {
                    guild: Some(GuildId::from(7)),
                    ..Place::new(Platform::Discord, 1.into(), PlaceKind::GuildText, here.clone())
                },
                Some(Author::called(AccountId::discord(2), "Anouk")),
                "Most people call me @ana here.",
                "2026-03-01T20:00:00Z".parse().unwrap(),
                ChannelMode::TextConversationRp,
            )
        };
        history.append(said).await.unwrap();
        let graph = Graph::over(Arc::new(history), Arc::new(Memory::at(&home)));
        let told = graph.ask(Viewer::everything(), move |view| {
            let people = view.called("Anouk")?;
            assert_eq!(people.len(), 1, "{people:?}");
            noted_elsewhere(view, &people[0], &here)
        });
        let told: Vec<String> = told.await.unwrap().into_iter().map(|line| line.text).collect();
        assert!(told.iter().any(|line| line.contains("two hives")), "{told:?}");
        assert!(!told.iter().any(|line| line.contains("bees")), "it stands in their own note: {told:?}");
    }
}
