//! One question over all sources at once: the memory bus (A12).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::join_all;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use super::query::{IN_OWN_WORDS, RecallQuery};
use super::rank;
use super::{Found, FoundLine, RecallSource};
use crate::clock::whole_micros;
use crate::domain::{FINDS_NAMED, RerankFigures, RisenFind, SearchFigures, Visible};
use crate::embedding::Reranking;
use crate::text::keywords;

/// Finds that begin with the same so many letters are the same (Y14).
const FINGERPRINT: usize = 100;

/// So many of the best finds a second model reads.
pub const RERANKED: usize = 32;

/// More of a question and of a find it does not read, in letters.
const QUESTION_CHARS: usize = 400;
const TEXT_CHARS: usize = 800;

/// Finds that came up so far to the front are told of.
const TOLD_RISEN: usize = 5;

/// Said of a search that is still going on.
const GOES_ON: &str = "not waited for";

/// What a question called up.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recalled {
    /// The finds, best first.
    pub found: Vec<Found>,
    /// What each search came to.
    pub searches: Vec<SearchFigures>,
    /// What a second model made of their order, where one was to.
    pub reranked: Option<RerankFigures>,
}

/// Everything that can be searched.
#[derive(Debug, Clone)]
pub struct Recall {
    sources: Vec<Arc<dyn RecallSource>>,
    deadline: Duration,
    reranking: Option<Reranking>,
}

impl Recall {
    /// Searches these. A search that takes longer than `deadline` is left out, the others count.
    pub fn over(sources: Vec<Arc<dyn RecallSource>>, deadline: Duration) -> Self {
        Self { sources, deadline, reranking: None }
    }

    /// Has the best finds put in order once more, where something does that.
    pub fn reranked_by(self, reranking: Option<Reranking>) -> Self {
        Self { reranking, ..self }
    }

    /// Gets every source ready for its first question.
    pub async fn warm_up(&self) {
        join_all(self.sources.iter().map(|source| source.warm_up())).await;
    }

    /// Looks a question up: at most as many (way to put it × source) searches as are allowed, the most promising, all at
    /// the same time, and those that take no place beside; their orders joined, doubles merged, at most `query.most` finds.
    /// A source that fails or is late is named in the figures.
    pub async fn run(&self, query: &RecallQuery, visible: &Visible, searches: u32) -> Recalled {
        let mut searching = self.begin(query, visible, searches);
        while searching.step().await {}
        let mut recalled = searching.reranked(self.deadline).await;
        searching.complete(&mut recalled.found).await;
        recalled
    }

    /// As [`Self::run`], but after `most` what is there then counts, and the searches that still go on are named.
    pub async fn run_within(
        &self,
        query: &RecallQuery,
        visible: &Visible,
        searches: u32,
        most: Duration,
    ) -> Recalled {
        let mut searching = self.begin(query, visible, searches);
        let _in_time = timeout(most, async { while searching.step().await {} }).await;
        let mut recalled = searching.reranked(most).await;
        let _in_time = timeout(most, searching.complete(&mut recalled.found)).await;
        recalled
    }

    /// Begins to look a question up, for whoever may not want to wait for all searches.
    pub(in crate::context) fn begin(
        &self,
        query: &RecallQuery,
        visible: &Visible,
        searches: u32,
    ) -> Searching {
        let variants: Vec<Arc<RecallQuery>> = query.variants().into_iter().map(Arc::new).collect();
        let mut planned: Vec<(f32, &Arc<RecallQuery>, &Arc<dyn RecallSource>)> = variants
            .iter()
            .flat_map(|variant| {
                self.sources
                    .iter()
                    .filter(|source| source.takes(variant))
                    .map(move |source| (variant.weight * source.weight(variant.class), variant, source))
            })
            .collect();
        planned.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (mut planned, mut beside): (Vec<_>, Vec<_>) =
            planned.into_iter().partition(|(.., source)| source.takes_a_place());
        // The place of a source that has nothing for such a question goes to what was said, its parts or what was said before
        // it, or to nothing: the question in fewer words finds more that was not meant than that was.
        let places = usize::try_from(searches).unwrap_or(usize::MAX);
        let idle =
            self.sources.iter().filter(|source| source.takes_a_place() && !source.takes(query)).count();
        let as_said = planned.iter().filter(|(_, variant, _)| variant.weight >= IN_OWN_WORDS).count();
        planned.truncate(places.min(as_said.max(places.saturating_sub(idle))));
        // Of each in one way, the most promising; where nothing is searched, nothing is searched beside.
        beside.dedup_by_key(|(.., source)| source.name());
        if !planned.is_empty() {
            planned.append(&mut beside);
            planned.sort_by(|a, b| b.0.total_cmp(&a.0));
        }
        let mut going_on = JoinSet::new();
        let searches = planned
            .into_iter()
            .enumerate()
            .map(|(at, (weight, variant, source))| {
                let search = search(Arc::clone(source), Arc::clone(variant), visible.clone(), self.deadline);
                going_on.spawn(async move { (at, search.await) });
                let figures = SearchFigures {
                    query: variant.text.clone(),
                    source: source.name().to_owned(),
                    hits: 0,
                    best: 0.0,
                    us: 0,
                    problem: Some(GOES_ON.to_owned()),
                    found: Vec::new(),
                };
                // What a part is worth says when it is searched for; in its own order its searches count whole.
                let whole = if variant.part == 0 { 1.0 } else { variant.weight };
                Search {
                    part: variant.part,
                    reach: variant.reach,
                    weight: weight / whole,
                    found: Vec::new(),
                    figures,
                    is_done: false,
                }
            })
            .collect();
        Searching {
            recall: self.clone(),
            query: query.clone(),
            visible: visible.clone(),
            started: Instant::now(),
            searches,
            going_on,
        }
    }
}

/// The best of what was found, for the record.
fn best_finds(found: &[Found]) -> Vec<(String, f32)> {
    let order = |one: &(usize, &Found), other: &(usize, &Found)| {
        other.1.score.total_cmp(&one.1.score).then(one.0.cmp(&other.0))
    };
    let mut best: Vec<(usize, &Found)> = found.iter().enumerate().collect();
    // Far more is found than named: only what is named is put in order.
    if best.len() > FINDS_NAMED {
        best.select_nth_unstable_by(FINDS_NAMED, order);
        best.truncate(FINDS_NAMED);
    }
    best.sort_unstable_by(order);
    let from = |one: &Found| one.lines.first().map_or_else(|| one.key.clone(), |line| line.source.clone());
    best.into_iter().map(|(_, one)| (from(one), one.score)).collect()
}

/// One search, planned or done.
#[derive(Debug)]
struct Search {
    part: u32,
    reach: f32,
    weight: f32,
    found: Vec<Found>,
    figures: SearchFigures,
    is_done: bool,
}

type Ended = (Vec<Found>, Option<String>, Duration);

/// A question that is being looked up. Ends with all its searches when it is dropped.
#[derive(Debug)]
pub(in crate::context) struct Searching {
    recall: Recall,
    query: RecallQuery,
    visible: Visible,
    started: Instant,
    /// In the order of their weights, whatever order they are done in.
    searches: Vec<Search>,
    going_on: JoinSet<(usize, Ended)>,
}

impl Searching {
    /// Waits until one more search is done; false when all are. May be broken off and asked again.
    pub(in crate::context) async fn step(&mut self) -> bool {
        // A search that panics says so itself; a task is only ever cancelled with all of this.
        let Some(ended) = self.going_on.join_next().await else { return false };
        let Ok((at, (found, problem, took))) = ended else { return true };
        let search = &mut self.searches[at];
        search.figures = SearchFigures {
            hits: u32::try_from(found.len()).unwrap_or(u32::MAX),
            best: found.iter().map(|one| one.score).fold(0.0, f32::max),
            us: whole_micros(took),
            problem,
            found: best_finds(&found),
            ..search.figures.clone()
        };
        search.found = found;
        search.is_done = true;
        true
    }

    /// Whether a search is still going on.
    pub(in crate::context) fn goes_on(&self) -> bool {
        !self.going_on.is_empty()
    }

    /// What the searches that are done have found, joined as if there were no others; those are named in the figures.
    /// What belongs beside the finds is not read yet.
    pub(in crate::context) fn so_far(&self) -> Recalled {
        self.recalled(self.pooled(), None)
    }

    /// The same, the best finds in the order in which a second model puts them, where there is one and it takes no longer
    /// than `most`. It reads what the sources gave to whoever asks, and nothing else.
    pub(in crate::context) async fn reranked(&self, most: Duration) -> Recalled {
        let mut pool = self.pooled();
        let figures = match &self.recall.reranking {
            Some(reranking) if pool.len() > 1 => {
                Some(rerank(reranking, &self.query.text, &mut pool, most).await)
            }
            _ => None,
        };
        self.recalled(pool, figures)
    }

    /// One order out of many, without repetitions.
    fn pooled(&self) -> Vec<Pooled> {
        let mut questions: BTreeMap<u32, (f32, rank::Orders<'_>)> = BTreeMap::new();
        for search in &self.searches {
            let keys = search.found.iter().map(|one| one.key.as_str()).collect();
            let question = questions.entry(search.part).or_insert_with(|| (search.reach, Vec::new()));
            question.1.push((search.weight, keys));
        }
        let fused = rank::taking_turns(&questions.into_values().collect::<Vec<_>>());
        let mut best: HashMap<&str, &Found> = HashMap::new();
        for one in self.searches.iter().flat_map(|search| &search.found) {
            let known = best.entry(one.key.as_str()).or_insert(one);
            if one.score > known.score {
                *known = one;
            }
        }
        let mut ordered: Vec<&Found> =
            best.into_values().filter(|one| one.score >= self.query.circumstances.least).collect();
        let rank_of = |one: &Found| fused.get(one.key.as_str()).copied().unwrap_or(0.0);
        ordered.sort_by(|a, b| rank_of(b).total_cmp(&rank_of(a)).then_with(|| a.key.cmp(&b.key)));
        let whole = join_finds(&ordered).into_iter();
        whole.map(|found| Pooled { rank: rank_of(&found), found }).collect()
    }

    fn recalled(&self, pool: Vec<Pooled>, reranked: Option<RerankFigures>) -> Recalled {
        let waited = whole_micros(self.started.elapsed());
        let figures = self.searches.iter().map(|search| match search.is_done {
            true => search.figures.clone(),
            false => SearchFigures { us: waited, ..search.figures.clone() },
        });
        let searches = figures.collect();
        Recalled { found: varied(pool, self.query.circumstances.most), searches, reranked }
    }

    /// Reads what else is to be quoted with finds.
    pub(in crate::context) async fn complete(&self, found: &mut [Found]) {
        for source in &self.recall.sources {
            let completed = source.complete(found, &self.query, &self.visible);
            match timeout(self.recall.deadline, completed).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::warn!(source = source.name(), %error, "finds are quoted alone"),
                Err(_) => tracing::warn!(source = source.name(), "finds are quoted alone: too late"),
            }
        }
    }
}

/// One search: what it found, and what is wrong where it found nothing for that.
async fn search(
    source: Arc<dyn RecallSource>,
    query: Arc<RecallQuery>,
    visible: Visible,
    deadline: Duration,
) -> Ended {
    let started = Instant::now();
    let looked = AssertUnwindSafe(source.search(&query, &visible)).catch_unwind();
    let (found, problem) = match timeout(deadline, looked).await {
        Ok(Ok(Ok(found))) => (found, None),
        Ok(Ok(Err(error))) => {
            tracing::warn!(source = source.name(), %error, "a search failed");
            (Vec::new(), Some(error.to_string()))
        }
        Ok(Err(_)) => (Vec::new(), Some("it panicked".to_owned())),
        Err(_) => (Vec::new(), Some("too late".to_owned())),
    };
    (found, problem, started.elapsed())
}

/// A find in its place, and what the place is worth.
#[derive(Debug)]
struct Pooled {
    found: Found,
    rank: f32,
}

/// The best of them, what says the same as something taken coming later.
fn varied(pool: Vec<Pooled>, most: usize) -> Vec<Found> {
    let terms: Vec<HashSet<String>> = pool.iter().map(|one| hit_terms(&one.found)).collect();
    let relevance = rank::spread(&pool.iter().map(|one| one.rank).collect::<Vec<f32>>());
    let order = rank::diverse(&relevance, &terms, most);
    order.into_iter().map(|at| pool[at].found.clone()).collect()
}

/// Puts the best of the pool in the order in which a model says they answer the question. What a place is worth, and how
/// likely somebody is to be meant who stands there, belongs to the place: the model says which finds are better, not how
/// good any of them is.
async fn rerank(reranking: &Reranking, question: &str, pool: &mut [Pooled], most: Duration) -> RerankFigures {
    let started = Instant::now();
    let head = pool.len().min(RERANKED);
    let texts = pool[..head].iter().map(|one| judged_text(&one.found)).collect();
    let question = question.chars().take(QUESTION_CHARS).collect();
    let judged = reranking.judge(question, texts, most).await;
    let mut figures = RerankFigures {
        model: reranking.name().unwrap_or_default().to_owned(),
        finds: u32::try_from(head).unwrap_or(u32::MAX),
        ..RerankFigures::default()
    };
    match judged {
        Ok(scores) => {
            let mut order: Vec<usize> = (0..head).collect();
            order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then_with(|| a.cmp(b)));
            let mut likely: Vec<f32> = pool[..head].iter().map(|one| one.found.score).collect();
            likely.sort_by(|a, b| b.total_cmp(a));
            let finds: Vec<Found> = pool[..head].iter().map(|one| one.found.clone()).collect();
            for (to, (from, score)) in order.into_iter().zip(likely).enumerate() {
                pool[to].found = Found { score, ..finds[from].clone() };
                figures.moved += u32::from(from != to);
                if to < from && to < TOLD_RISEN {
                    let place = |at: usize| u32::try_from(at + 1).unwrap_or(u32::MAX);
                    let find = finds[from].key.clone();
                    figures.risen.push(RisenFind { find, from: place(from), to: place(to) });
                }
            }
        }
        Err(error) => {
            tracing::debug!(%error, "finds stay in the order that their signals give");
            figures.problem = Some(error.to_string());
        }
    }
    figures.us = whole_micros(started.elapsed());
    figures
}

/// A find as it is read together with the question: what was found in it, and who says so.
fn judged_text(found: &Found) -> String {
    let hits = found.lines.iter().filter(|line| line.is_hit).map(|line| match &line.author {
        Some(author) => format!("{author}: {}", line.text),
        None => line.text.clone(),
    });
    hits.collect::<Vec<_>>().join("\n").chars().take(TEXT_CHARS).collect()
}

/// Finds that lie in one exchange become one; finds of the same words too.
fn join_finds(ordered: &[&Found]) -> Vec<Found> {
    let mut whole: Vec<Found> = Vec::new();
    let mut fingerprints: HashSet<String> = HashSet::new();
    for found in ordered {
        let hits: Vec<_> = found.lines.iter().filter_map(|line| line.turn).collect();
        let within = whole.iter_mut().find(|known| {
            let holds =
                |hit| known.beside.contains(hit) || known.lines.iter().any(|line| line.turn == Some(*hit));
            !hits.is_empty() && hits.iter().all(holds)
        });
        if let Some(known) = within {
            known.lines.extend(found.lines.iter().cloned());
            known.beside.retain(|turn| !hits.contains(turn));
            continue;
        }
        if fingerprints.insert(lines_fingerprint(&found.lines)) {
            whole.push((*found).clone());
        }
    }
    whole
}

fn lines_fingerprint(lines: &[FoundLine]) -> String {
    let hit = lines.iter().find(|line| line.is_hit).map_or("", |line| line.text.as_str());
    hit.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).take(FINGERPRINT).collect()
}

fn hit_terms(found: &Found) -> HashSet<String> {
    found.lines.iter().filter(|line| line.is_hit).flat_map(|line| keywords::terms(&line.text)).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use async_trait::async_trait;
    use jiff::Timestamp;
    use tempfile::TempDir;

    use super::*;
    use crate::config::FamiliarHome;
    use crate::context::recall::{
        Circumstances, ConversationSource, DocumentSource, GraphSource, NotesSource, QueryClass, RecallError,
    };
    use crate::domain::Audience;
    use crate::graph::Graph;
    use crate::history::{History, HistoryOptions};
    use crate::memory::Memory;

    /// Counts as much as one of the program's own sources, and always finds one thing, called by its name.
    #[derive(Debug)]
    struct Weighed(Arc<dyn RecallSource>);

    #[async_trait]
    impl RecallSource for Weighed {
        fn name(&self) -> &'static str {
            self.0.name()
        }

        fn weight(&self, class: QueryClass) -> f32 {
            self.0.weight(class)
        }

        async fn search(&self, _: &RecallQuery, _: &Visible) -> Result<Vec<Found>, RecallError> {
            let name = || self.name().to_owned();
            Ok(vec![Found::known(name(), name(), Audience::Canon, name(), 0.5)])
        }
    }

    /// A history and notes with nothing in them.
    async fn stores_in(folder: &Path) -> (Arc<History>, Arc<Memory>) {
        let home = FamiliarHome::new(folder, &"mika".parse().unwrap());
        let history = History::open(&folder.join("history.db"), HistoryOptions::default()).await;
        (Arc::new(history.unwrap()), Arc::new(Memory::at(&home)))
    }

    #[tokio::test]
    async fn a12_what_is_asked_says_which_sources_are_drawn_on_first() {
        let folder = TempDir::new().unwrap();
        let (history, memory) = stores_in(folder.path()).await;
        let sources: [Arc<dyn RecallSource>; 4] = [
            Arc::new(NotesSource { memory: Arc::clone(&memory) }),
            Arc::new(DocumentSource { history: Arc::clone(&history) }),
            Arc::new(GraphSource { graph: Arc::new(Graph::over(Arc::clone(&history), memory)) }),
            Arc::new(ConversationSource::new(history, None)),
        ];
        let weighed = sources.map(|source| Arc::new(Weighed(source)) as Arc<dyn RecallSource>);
        let recall = Recall::over(weighed.into(), Duration::from_secs(10));
        // Of equals the search of the source that stands first is made, and the find comes first whose key does.
        for (question, one_search, order) in [
            ("what does Ana like?", "notes", ["history", "notes", "documents", "graph"]),
            ("when did we sail?", "history", ["history", "documents", "notes", "graph"]),
            ("which rope was it?", "history", ["history", "documents", "notes", "graph"]),
            ("how do Ana and Ben know each other?", "graph", ["graph", "history", "notes", "documents"]),
        ] {
            let query = RecallQuery::new(question, Circumstances::alone(Timestamp::UNIX_EPOCH, 10));
            let visible = Visible::of_canon();
            let recalled = recall.run(&query, &visible, 1).await;
            let searched: Vec<_> = recalled.searches.iter().map(|search| search.source.as_str()).collect();
            assert_eq!(searched, [one_search], "{question}");
            let recalled = recall.run(&query, &visible, 32).await;
            let found: Vec<_> = recalled.found.iter().map(|found| found.key.as_str()).collect();
            assert_eq!(found, order, "{question}");
        }
    }

    #[tokio::test]
    async fn a5_what_has_nothing_for_a_question_leaves_no_place_to_the_question_in_fewer_words() {
        let folder = TempDir::new().unwrap();
        let (history, memory) = stores_in(folder.path()).await;
        let sources: [Arc<dyn RecallSource>; 2] = [
            Arc::new(GraphSource { graph: Arc::new(Graph::over(Arc::clone(&history), memory)) }),
            Arc::new(ConversationSource::new(history, None)),
        ];
        let recall = Recall::over(sources.into(), Duration::from_secs(10));
        for (question, searches, searched) in [
            ("what does Ana like about the boat?", 2, vec!["history"]),
            ("what does Ana like about the boat?", 3, vec!["history", "history"]),
            ("how do Ana and Ben know each other?", 2, vec!["graph", "history"]),
        ] {
            let query = RecallQuery::new(question, Circumstances::alone(Timestamp::UNIX_EPOCH, 10));
            let recalled = recall.run(&query, &Visible::of_canon(), searches).await;
            let sources: Vec<_> = recalled.searches.iter().map(|search| search.source.as_str()).collect();
            assert_eq!(sources, searched, "{question} {searches}");
        }
    }
}
