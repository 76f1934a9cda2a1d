//! The pipeline itself: gather → ingest → screen → budget → render, each stage timed.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::time::{Instant, timeout};

use super::budget::{BudgetPlan, HistoryCut, PromptTooLarge, fit};
use super::chunk::Chunk;
use super::contribution::{Contribution, Need};
use super::filter::{self, Sieve, sifted};
use super::gather::{Gathered, Gatherer};
use super::ingest::ingest;
use super::layered;
use super::layout::LastPrompts;
use super::live_st;
use super::needed::{keep_needed, leave_out, leave_out_named, spared};
use super::outlets;
use super::plan::extra_content;
use super::providers::{
    AwarenessProvider, BranchedProvider, CharacterProvider, CompanyProvider, ContextProvider,
    ContradictedProvider, DocumentsProvider, FactsProvider, FormatProvider, HouseProvider, LessonsProvider,
    LiveStateProvider, LoreProvider, MeanwhileProvider, ModeProvider, MoodProvider, PeopleProvider,
    RecallProvider, RecentHistoryProvider, SafetyProvider, SkillsProvider, SpilledProvider, UnkeptProvider,
    WarmProvider, addressee_of, example_speaker, moment_of, turn_contributions,
};
use super::quality;
use super::recall::{PipelineParts, Recall};
use super::request::{Prompt, TurnRequest};
use super::screen::{Screened, screen};
use super::status;
use super::variables::CardVariables;
use super::warm::WarmCache;
use crate::clock::whole_micros;
use crate::config::SystemMessages;
use crate::domain::{
    AssemblyFigures, Author, ChunkFate, Layer, LayerFigures, Place, RenderMode, StageTiming, TurnId,
    WindowFigures,
};
use crate::familiar::LiveLore;
use crate::graph::Graph;
use crate::text::roles::{Instructions, alternate, merge_system_messages};
use familiar_cards::macros::volatile_macros;

/// Said of a prompt whose stable block is none.
const NOT_STEADY: &str = "the character or the mode reads the time or throws dice at the beginning of the prompt, so \
                          nothing of it is cached";

/// A single question may have fewer ways to be put than this; of more searches it is said how many there were.
const MANY_SEARCHES: u32 = 16;

/// What runs beside gathering and gives contributions of its own, such as a model that thinks first.
pub type Beside = futures::future::BoxFuture<'static, Vec<Contribution>>;

/// Assembles prompts. One per familiar, shared by all conversations.
#[derive(Debug)]
pub struct ContextPipeline {
    gatherer: Gatherer,
    awareness: Arc<AwarenessProvider>,
    graph: Arc<Graph>,
    lore: Arc<LoreProvider>,
    variables: Arc<CardVariables>,
    card: Arc<CharacterProvider>,
    parts: PipelineParts,
    recall: Arc<RecallProvider>,
    cache: Arc<WarmCache>,
    last_prompts: LastPrompts,
}

impl ContextPipeline {
    /// The pipeline of a familiar: every provider there is, their order the tie-break of placement and nothing
    /// else. What the program runs, the tests test and the benches time.
    pub fn standard(parts: PipelineParts) -> Self {
        let PipelineParts { character, config, history, memory, .. } = parts.clone();
        let variables = Arc::new(CardVariables::new(Arc::clone(&history)));
        let lore = Arc::new(LoreProvider::new(parts.clone(), Arc::clone(&variables)));
        let cache: Arc<WarmCache> = Arc::default();
        let graph = Arc::new(Graph::over(Arc::clone(&history), Arc::clone(&memory)));
        let recall = Arc::new(RecallProvider::new(
            Recall::of(&parts, &graph, lore.books(), Arc::new(parts.conversations())),
            parts.clone(),
        ));
        let card = Arc::new(CharacterProvider::new(parts.clone(), Arc::clone(&variables)));
        let awareness =
            Arc::new(AwarenessProvider { history: Arc::clone(&history), memory: Arc::clone(&memory) });
        let providers: Vec<Arc<dyn ContextProvider>> = vec![
            Arc::<CharacterProvider>::clone(&card),
            Arc::new(ModeProvider { character: Arc::clone(&character), config: Arc::clone(&config) }),
            Arc::new(HouseProvider { character: Arc::clone(&character), config: Arc::clone(&config) }),
            Arc::new(SkillsProvider { parts: parts.clone() }),
            Arc::new(RecentHistoryProvider { history: Arc::clone(&history) }),
            Arc::new(BranchedProvider { history: Arc::clone(&history) }),
            Arc::<LoreProvider>::clone(&lore),
            Arc::new(PeopleProvider { memory: Arc::clone(&memory), history: Arc::clone(&history) }),
            Arc::<RecallProvider>::clone(&recall),
            Arc::new(DocumentsProvider { history: Arc::clone(&history) }),
            Arc::new(CompanyProvider { graph: Arc::clone(&graph) }),
            Arc::new(WarmProvider { cache: Arc::clone(&cache) }),
            Arc::new(SpilledProvider { cache: Arc::clone(&cache), history: Arc::clone(&history) }),
            Arc::new(MeanwhileProvider { history: Arc::clone(&history) }),
            Arc::new(LiveStateProvider {
                history: Arc::clone(&history),
                memory: Arc::clone(&memory),
                character: Arc::clone(&character),
                config: Arc::clone(&config),
            }),
            Arc::<AwarenessProvider>::clone(&awareness),
            Arc::new(ContradictedProvider { parts: parts.clone() }),
            Arc::new(UnkeptProvider { character: Arc::clone(&character), config: Arc::clone(&config) }),
            Arc::new(FactsProvider { history: Arc::clone(&history), memory: Arc::clone(&memory) }),
            Arc::new(LessonsProvider),
            Arc::new(MoodProvider { history: Arc::clone(&history), config: Arc::clone(&config) }),
            Arc::new(FormatProvider { config: Arc::clone(&config) }),
            Arc::new(SafetyProvider { history: Arc::clone(&history), config: Arc::clone(&config) }),
        ];
        Self {
            gatherer: Gatherer::over(providers, Arc::clone(&cache)),
            awareness,
            graph,
            lore,
            variables,
            card,
            parts,
            recall,
            cache,
            last_prompts: LastPrompts::default(),
        }
    }

    /// Gets ready for the first question: reads everything that was said into the index. To be awaited in the background;
    /// a turn that comes meanwhile waits for it as long as for any search.
    pub fn warm_up(&self) -> impl Future<Output = ()> + Send + 'static {
        let recall = Arc::clone(&self.recall);
        async move { recall.warm_up().await }
    }

    /// How much of what was searched for this person in this company is still warm and about what is asked, in tokens.
    pub fn warm_tokens(&self, question: &str, place: &Place, author: Option<&Author>) -> u32 {
        self.cache.warm_tokens(question, place, author.map(|author| &author.account))
    }

    /// Fetches ahead what a turn of `request` would ask: somebody begins to type, or to speak (A3). Returns at once; the
    /// work goes on in the background, bounded.
    pub fn prefetch(&self, request: TurnRequest) {
        self.gatherer.prefetch(&Arc::new(request));
    }

    /// Waits until nothing is fetched ahead any more.
    pub async fn fetched(&self) {
        self.gatherer.idle().await;
    }

    /// Of whom something has come due in a place since the familiar last spoke there, which their prompt tells: a day that
    /// they spoke of, their birthday where they are answered. Nobody where that cannot be found out.
    pub async fn come_due(&self, request: &TurnRequest) -> Vec<Author> {
        self.awareness.come_due(request).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "what has come due could not be looked up");
            Vec::new()
        })
    }

    /// How people, topics and notes are connected.
    pub fn graph(&self) -> Arc<Graph> {
        Arc::clone(&self.graph)
    }

    /// Everything that can be looked up, as the prompt looks it up.
    pub fn recall(&self) -> Recall {
        self.recall.recall().clone()
    }

    pub fn lore(&self) -> Arc<LiveLore> {
        Arc::clone(self.lore.books())
    }

    /// A turn was answered, and nothing was forgotten meanwhile; what it set off in the lore, and what the card set, now lasts.
    pub async fn answered(&self, turn: TurnId) {
        self.lore.answered(turn).await;
        self.variables.answered(turn).await;
    }

    /// Forgets everything that is warm: something was edited or taken back. Wherever it was, for
    /// what was found of it may be warm for anybody who could see it.
    pub fn cool(&self) {
        self.cache.cool();
    }

    /// Forgets everything that is warm or had to leave a prompt: somebody is forgotten.
    pub fn forget_all(&self) {
        self.cache.forget_all();
    }

    /// Ends what goes on behind the turns. Turns still work, but nothing is fetched ahead any more.
    pub fn close(&self) {
        self.gatherer.close();
    }

    /// Assembles the prompt of one turn. A provider that is late or fails is left out and named in the figures.
    /// `beside` runs while the providers do and ends with the plan's deadline.
    ///
    /// # Errors
    /// When the character and the messages to answer do not fit the model's window.
    pub async fn assemble(
        &self,
        request: &TurnRequest,
        beside: Option<Beside>,
    ) -> Result<Prompt, PromptTooLarge> {
        self.assemble_with(request, beside, None).await
    }

    /// As [`Self::assemble`], with a side model that may look at what was found, within what the plan's deadline leaves.
    pub async fn assemble_with(
        &self,
        request: &TurnRequest,
        beside: Option<Beside>,
        sieve: Option<Sieve<'_>>,
    ) -> Result<Prompt, PromptTooLarge> {
        let started = Instant::now();
        let mut stages = Stages::start();
        let beside = async {
            match beside {
                Some(beside) => timeout(request.plan.deadline, beside).await.unwrap_or_default(),
                None => Vec::new(),
            }
        };
        let shared = Arc::new(request.clone());
        let (gathered, given) = tokio::join!(self.gatherer.gather(&shared), beside);
        let Gathered { mut contributions, moment, outcomes, notes } = gathered;
        let moment = moment_record(moment.iter().chain(&given), request);
        contributions.extend(given);
        add_missing_pending(&mut contributions, request);
        self.lore.leave_out_doubles(request.turn, &mut contributions);
        let open = outlets::fill(&mut contributions, &self.lore.take_outlets(request.turn));
        stages.done("gather");

        let config = self.parts.config.current();
        let ingested = ingest(contributions, &request.model, config.render.mode);
        let clips = ingested.clips;
        stages.done("ingest");
        let screened = screen(ingested, &request.place);
        let slot = request.plan.slot;
        let screened = match config.llm.slots.get(&slot).map(|slot| &slot.prompt) {
            Some(wanted) => leave_out(screened, slot, wanted),
            None => screened,
        };
        let screened = leave_out_named(screened, &request.without);
        let needed = self.needed(screened, request, sieve, started).await;
        stages.done("screen");
        let finds = found_tokens(&needed, request);
        let plan = self.plan(request, config.render.mode, config.providers.history.window_size, finds);
        let mut budgeted = fit(needed, &plan)?;
        budgeted.drop_doubles();
        budgeted.say_first_day(&request.display_tz);
        budgeted.notes.extend(budgeted.layers.iter().filter_map(LayerFigures::spill_note));
        status::add_status(&mut budgeted, &plan, &request.model, config.render.mode);
        let quality = quality::judge_context(&budgeted, &outcomes, clips);
        let packing_waste = quality::packing_waste(&budgeted, plan.prompt_limit());
        if request.as_of.is_none() {
            budgeted.spill_into(&self.cache, &request.place);
        }
        stages.done("budget");
        let messages = match config.render.mode {
            RenderMode::Layered => layered::render(&budgeted, &request.display_tz),
            RenderMode::St => live_st::render(&budgeted, &self.names_in(request)),
        };
        let mut messages = match config.render.system_messages {
            SystemMessages::Separate => messages,
            SystemMessages::Merged => {
                let names = self.names_in(request);
                merge_system_messages(messages, &names.example_user, &names.character)
            }
            SystemMessages::Alternate => {
                let names = self.names_in(request);
                alternate(messages, &names.example_user, &names.character, Instructions::First)
            }
        };
        if !self.is_steady(request) {
            messages.iter_mut().for_each(|message| message.cache_breakpoint = false);
            budgeted.notes.push(NOT_STEADY.to_owned());
        }
        stages.done("render");

        let (searches, reranked) = self.recall.take_figures(request.turn);
        budgeted.notes.extend(few_searches(searches.len(), request.plan.searches));
        let short_card = self.card.short_card_figures(request);
        let lore = self.lore.records(request.turn, &budgeted.records, &open);
        // What is run again follows no prompt, and none follows it.
        let layout = request.as_of.is_none().then(|| {
            let channel = &request.place.channel;
            let (tokens, began) = (budgeted.tokens, budgeted.began);
            self.last_prompts.compare(channel, &mut messages, &request.model, tokens, began)
        });
        let figures = AssemblyFigures {
            quality: Some(quality),
            layout,
            spared_tokens: spared(&budgeted.records)
                .saturating_add(short_card.map_or(0, |card| card.spared())),
            short_card,
            packing_waste: Some(packing_waste),
            moment,
            render: config.render.mode,
            providers: outcomes,
            chunks: std::mem::take(&mut budgeted.records),
            layers: std::mem::take(&mut budgeted.layers),
            budget_tokens: plan.prompt_limit(),
            prompt_tokens: budgeted.tokens,
            reserve_tokens: request.plan.reserve_tokens,
            stages: stages.timings,
            notes: [notes, std::mem::take(&mut budgeted.notes)].concat(),
            plan: Some(request.plan.as_ref().clone()),
            clips,
            lore,
            searches,
            reranked,
            window: None,
        };
        let figures = AssemblyFigures { window: window_figures(&figures), ..figures };
        Ok(Prompt { messages, figures })
    }

    /// Whether the stable block is what its name says, by what the operator wrote into it.
    fn is_steady(&self, request: &TurnRequest) -> bool {
        let note = request.channel.author_note();
        self.card.is_steady() && note.is_none_or(|note| volatile_macros(note).is_empty())
    }

    /// What there is room for of what was found, or what a side model says of it.
    async fn needed(
        &self,
        screened: Screened,
        request: &TurnRequest,
        sieve: Option<Sieve<'_>>,
        started: Instant,
    ) -> Screened {
        if let Some(sieve) = sieve.filter(|_| filter::is_for(request)) {
            let left = request.plan.deadline.saturating_sub(started.elapsed());
            let sifted = sifted(&screened.chunks, request, &sieve, &self.parts.memory, left).await;
            if let Some((answer, shown)) = sifted {
                // Of an exchange that was shown in part nothing stays either.
                let groups: BTreeSet<_> = screened
                    .chunks
                    .iter()
                    .filter(|chunk| shown.contains(&chunk.source))
                    .filter_map(|chunk| chunk.group.clone())
                    .collect();
                let is_shown = |chunk: &Chunk| {
                    let is_part = chunk.group.as_ref().is_some_and(|group| groups.contains(group));
                    chunk.need == Need::Search && (is_part || shown.contains(&chunk.source))
                };
                let kept = screened.without(|_, chunk| is_shown(chunk).then_some(ChunkFate::NotNeeded));
                return keep_needed(self.with(kept, answer, request), request.plan.found_tokens);
            }
        }
        keep_needed(screened, request.plan.found_tokens)
    }

    /// With one more piece, screened like the others.
    fn with(&self, mut screened: Screened, piece: Contribution, request: &TurnRequest) -> Screened {
        let layout = self.parts.config.current().render.mode;
        let more = screen(ingest(vec![piece], &request.model, layout), &request.place);
        screened.chunks.extend(more.chunks);
        screened.records.extend(more.records);
        screened
    }

    fn names_in(&self, request: &TurnRequest) -> live_st::PromptNames {
        let config = self.parts.config.current();
        let fallback = &config.render.user_fallback;
        live_st::PromptNames {
            character: self.parts.character.current().spoken_name().to_owned(),
            example_user: example_speaker(&addressee_of(request, fallback).name, fallback).to_owned(),
            in_company: !request.place.is_one_to_one(),
            moment: moment_of(request),
            display_tz: request.display_tz.clone(),
        }
    }

    fn plan(&self, request: &TurnRequest, render: RenderMode, history_window: u32, finds: u32) -> BudgetPlan {
        // What is run again follows no prompt.
        let last = request.as_of.is_none().then_some(&self.last_prompts);
        BudgetPlan {
            finds,
            began: last.and_then(|last| last.began(&request.place.channel, &request.model)),
            layers: request.channel.figures.layers.clone(),
            extra_content: extra_content(&request.channel, request.plan.intent.effort),
            total: request.plan.budget_tokens,
            window: request.model.context_window,
            reserve: request.plan.kept_free(),
            sections: request.channel.figures.sections.clone(),
            history: match render {
                RenderMode::Layered => HistoryCut::AtSteps { least_turns: history_window as usize },
                RenderMode::St => HistoryCut::Anywhere,
            },
        }
    }
}

/// Said where a message is worth many searches and gives no more to look for (A5).
fn few_searches(run: usize, allowed: u32) -> Option<String> {
    let is_few = run > 0 && allowed >= MANY_SEARCHES && run < allowed as usize;
    is_few.then(|| format!("{run} of {allowed} searches: the message gives no more to look for"))
}

/// What searches found for a message that may take more than an ordinary one, in tokens; of all others 0.
fn found_tokens(needed: &Screened, request: &TurnRequest) -> u32 {
    if extra_content(&request.channel, request.plan.intent.effort) == 0 {
        return 0;
    }
    let found = needed.chunks.iter().filter(|chunk| chunk.need == Need::Search);
    found.map(|chunk| chunk.tokens).fold(0, u32::saturating_add)
}

/// The messages being answered are in every prompt, also when the history provider failed.
fn add_missing_pending(contributions: &mut Vec<Contribution>, request: &TurnRequest) {
    let missing: Vec<_> = request
        .pending
        .iter()
        .filter(|turn| !contributions.iter().any(|c| c.turn.as_ref().is_some_and(|line| line.id == turn.id)))
        .cloned()
        .collect();
    if !missing.is_empty() {
        contributions.extend(turn_contributions(&missing, request));
    }
}

/// What a replay cannot find out again, as far as everybody here may see it.
fn moment_record<'a>(
    moment: impl Iterator<Item = &'a Contribution>,
    request: &TurnRequest,
) -> Vec<serde_json::Value> {
    let visible = request.visible();
    moment
        .filter(|piece| visible.includes(&piece.audience))
        // Plain data: what could not be written would only be missing from a replay.
        .filter_map(|piece| serde_json::to_value(piece).ok())
        .collect()
}

/// How full the room for the conversation is (Y6).
fn window_figures(figures: &AssemblyFigures) -> Option<WindowFigures> {
    let conversation = figures.layers.iter().find(|layer| layer.layer == Layer::RecentHistory)?;
    Some(WindowFigures::of(conversation.offered, conversation.cap.unwrap_or(figures.budget_tokens)))
}

struct Stages {
    last: Instant,
    timings: Vec<StageTiming>,
}

impl Stages {
    fn start() -> Self {
        Self { last: Instant::now(), timings: Vec::with_capacity(5) }
    }

    fn done(&mut self, stage: &str) {
        let now = Instant::now();
        self.timings.push(StageTiming { stage: stage.to_owned(), us: whole_micros(now - self.last) });
        self.last = now;
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod beside_tests;

#[cfg(test)]
mod ahead_tests;

#[cfg(test)]
mod floor_tests;

#[cfg(test)]
mod people_tests;

#[cfg(test)]
mod deadline_tests;

#[cfg(test)]
mod quorum_tests;

#[cfg(test)]
mod room_tests;
