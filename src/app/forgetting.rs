//! Forgetting in a program that runs: who is told, and that nothing begun is left unfinished.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use crate::config::LiveConfig;
use crate::domain::Coming;
use crate::erase::{Eraser, Forgotten, Living};
use crate::graph::Graph;
use crate::history::{CameBack, History};
use crate::identity::Pairing;
use crate::session::{Gone, SessionHandle, Then, Upkeep};
use crate::tools::ToolBox;
use crate::world::{Arrival, World};

/// How often copies that can no longer be undone are looked for.
const DAILY: Duration = Duration::from_secs(24 * 60 * 60);

/// Who came since is told of as a newcomer.
const NEWCOMERS: Duration = Duration::from_secs(14 * 24 * 60 * 60);

/// Everything that holds words of people in memory.
#[derive(Debug, Clone)]
pub struct Everywhere {
    /// The conversations, and what is kept warm for their prompts.
    pub session: SessionHandle,
    pub world: Arc<World>,
    /// Where summaries stand that are to be made anew.
    pub history: Arc<History>,
    pub upkeep: Upkeep,
    /// How it all hangs together.
    pub graph: Arc<Graph>,
    /// Who is known in which places by what they say alone.
    pub pairing: Arc<Pairing>,
    /// Where it stands who agreed to be heard in calls.
    pub config: Arc<LiveConfig>,
    /// What was brought from outside a while ago.
    pub tools: Arc<ToolBox>,
}

impl Everywhere {
    async fn tell(&self, forgotten: &Forgotten, then: Then) {
        let (turns, words) = (Arc::clone(&forgotten.turns), Arc::clone(&forgotten.words));
        let said = Arc::clone(&forgotten.said);
        self.session.forget(&Gone { turns, words, said }, then).await;
        self.tools.let_go();
        forgotten.people.iter().for_each(|person| self.world.forget(person));
    }

    /// What was emptied is made anew, from what is left.
    pub async fn mend(&self) {
        match self.history.whole().places_to_mend().await {
            Ok(places) => places.iter().for_each(|place| self.upkeep.wake(place)),
            Err(error) => tracing::warn!(%error, "which summaries are to be made anew cannot be read"),
        }
        self.upkeep.workers.catch_up().await;
        self.tell_of_newcomers().await;
    }

    /// Who came lately is known after a restart too.
    async fn tell_of_newcomers(&self) {
        let since = jiff::Timestamp::now().saturating_sub(NEWCOMERS).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        match self.history.whole().came_since(since).await {
            Ok(all) => {
                for CameBack { coming, away_since, .. } in all {
                    let Coming { guild, account, name, at, .. } = coming;
                    self.world.arrived(&guild, Arrival { account, name, at, away_since });
                }
            }
            Err(error) => tracing::warn!(%error, "who came lately cannot be read"),
        }
    }
}

#[async_trait]
impl Living for Everywhere {
    async fn let_go(&self, forgotten: &Forgotten) {
        self.tell(forgotten, Then::Wait).await;
    }

    async fn scrub(&self, forgotten: &Forgotten) -> io::Result<()> {
        let people = forgotten.people.clone();
        let (pairing, config) = (Arc::clone(&self.pairing), Arc::clone(&self.config));
        let forgotten = tokio::task::spawn_blocking(move || {
            people.iter().try_for_each(|person| {
                pairing.forget(person).map_err(io::Error::other)?;
                config.forget_in_calls(person).map_err(io::Error::other)
            })
        });
        forgotten.await.map_err(io::Error::other)??;
        self.graph.forgotten().await.map_err(io::Error::other)
    }

    async fn done(&self, forgotten: &Forgotten) {
        self.tell(forgotten, Then::GoOn).await;
        self.session.read_anew();
        self.mend().await;
    }
}

/// Once a day, for as long as the program runs.
pub(super) async fn keep_tidy(eraser: Arc<Eraser>) {
    loop {
        tokio::time::sleep(DAILY).await;
        if let Err(error) = eraser.tidy().await {
            tracing::warn!(%error, "what was forgotten could not be tidied up; it is tried again");
        }
    }
}
