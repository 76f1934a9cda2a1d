//! Gathering with providers that misbehave, in paused time.

use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use parking_lot::Mutex;
use proptest::prelude::*;
use tokio::time::sleep;

use super::*;
use crate::config::settled;
use crate::context::Lifetime;
use crate::context::contribution::TailPart;
use crate::context::plan::{Heard, HeardBy};
use crate::context::providers::{Pieces, WarmProvider};
use crate::context::reflex::tests::{harbour, request};
use crate::context::request::tests::request_of;
use crate::domain::{AccountId, Audience, Author, ChannelId, ExecutionPlan};

/// What a provider does when asked.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Does {
    Answers(f32),
    AnswersAfter(u64, f32),
    Hangs,
    Fails,
    Panics,
    TalksNonsense,
}

#[derive(Debug)]
struct Actor {
    name: &'static str,
    does: Does,
    says: String,
    need: Need,
    looks_again: bool,
    at_hand: bool,
    deadline: Duration,
    kept: Option<Lifetime>,
    refines: Option<&'static str>,
    asked: Arc<AtomicUsize>,
    about: Arc<Mutex<Vec<String>>>,
}

impl Actor {
    fn new(name: &'static str, need: Need, does: Does) -> Self {
        Self {
            name,
            does,
            says: format!("{name} says this"),
            need,
            looks_again: false,
            at_hand: false,
            deadline: Duration::from_millis(200),
            kept: None,
            refines: None,
            asked: Arc::default(),
            about: Arc::default(),
        }
    }

    fn piece(&self, relevance: f32, text: &str) -> Contribution {
        Contribution { tokens: Some(10), ..found(self.name, relevance, text) }
    }
}

fn found(source: &str, relevance: f32, text: &str) -> Contribution {
    Contribution { relevance, ..Contribution::looked_up(source, TailPart::Recalled, Audience::Canon, text) }
}

#[async_trait]
impl ContextProvider for Actor {
    fn profile(&self) -> Profile {
        let profile = Profile::floor(self.name, 0);
        let (need, deadline) = (self.need, self.deadline);
        Profile { need, deadline, looks_again: self.looks_again, at_hand: self.at_hand, ..profile }
    }

    fn kept(&self, request: &TurnRequest) -> Option<AnswerReuse> {
        self.kept.map(|lifetime| AnswerReuse { lifetime, key: request.utterance().to_owned() })
    }

    async fn contribute(&self, _: &TurnRequest, ask: &ContextAsk<'_>) -> Pieces {
        if let Some(open) = ask.open {
            self.about.lock().extend(open.iter().map(|facet| facet.words().to_owned()));
            return Ok(self.refines.map(|text| self.piece(0.9, text)).into_iter().collect());
        }
        self.asked.fetch_add(1, Ordering::SeqCst);
        match self.does {
            Does::Answers(relevance) => Ok(vec![self.piece(relevance, &self.says)]),
            Does::AnswersAfter(ms, relevance) => {
                sleep(Duration::from_millis(ms)).await;
                Ok(vec![self.piece(relevance, &self.says)])
            }
            Does::Hangs => std::future::pending().await,
            Does::Fails => Err(ProviderError("no index".to_owned())),
            Does::Panics => panic!("on purpose"),
            Does::TalksNonsense => Ok(vec![
                self.piece(f32::NAN, "odd"),
                self.piece(9e9, "sure"),
                self.piece(0.5, "  \n "),
                self.piece(-1.0, "gone"),
            ]),
        }
    }
}

/// A turn in the terminal that answers `text`.
fn asking(text: &str) -> TurnRequest {
    let channel = settled("").unwrap().1.channel(&ChannelId::from(1));
    let (names, speakers) = (["Mika".to_owned()], ["Ana".to_owned(), "Ben".to_owned()]);
    let said = Heard::said(text, HeardBy::Addressed, channel.mode);
    let heard = Heard { names: &names, speakers: &speakers, ..said };
    let author = Some(Author::called(AccountId::operator(), "Ana"));
    TurnRequest { author, ..request_of(heard, channel, 16_000) }
}

fn with_plan(request: TurnRequest, change: impl FnOnce(&mut ExecutionPlan)) -> Arc<TurnRequest> {
    let mut plan = request.plan.as_ref().clone();
    change(&mut plan);
    Arc::new(TurnRequest { plan: Arc::new(plan), ..request })
}

fn gatherer(actors: Vec<Actor>) -> Gatherer {
    Gatherer::new(actors.into_iter().map(|actor| Arc::new(actor) as Arc<dyn ContextProvider>).collect())
}

fn status_of<'a>(gathered: &'a Gathered, name: &str) -> &'a ProviderStatus {
    &gathered.outcomes.iter().find(|outcome| outcome.provider == name).unwrap().status
}

fn texts(gathered: &Gathered) -> Vec<&str> {
    gathered.contributions.iter().map(|piece| piece.text.as_str()).collect()
}

const QUESTION: &str = "do you remember what we did at the harbour?";

#[tokio::test(start_paused = true)]
async fn y1_whatever_a_provider_does_the_others_are_heard_and_it_is_named() {
    let all = [Does::Hangs, Does::Fails, Does::Panics, Does::TalksNonsense, Does::AnswersAfter(400, 0.3)];
    for does in all {
        let gatherer = gatherer(vec![
            Actor::new("before", Need::Floor, Does::Answers(1.0)),
            Actor::new("bad", Need::Search, does),
            Actor::new("after", Need::Floor, Does::AnswersAfter(5, 1.0)),
        ]);
        let started = Instant::now();
        let gathered = gatherer.gather(&Arc::new(asking(QUESTION))).await;
        // The bad one's own deadline is 200 ms; the clock of the test stands still otherwise.
        assert!(started.elapsed() <= Duration::from_millis(205), "{does:?}: {:?}", started.elapsed());
        let said = texts(&gathered);
        assert!(
            said.contains(&"before says this") && said.contains(&"after says this"),
            "{does:?}: {said:?}"
        );
        let expected = match does {
            Does::Hangs | Does::AnswersAfter(..) => ProviderStatus::Late,
            Does::Fails => ProviderStatus::Failed { error: "no index".to_owned() },
            Does::Panics => ProviderStatus::Failed { error: "it panicked".to_owned() },
            Does::TalksNonsense => ProviderStatus::Ok { contributions: 3 },
            Does::Answers(_) => unreachable!(),
        };
        assert_eq!(status_of(&gathered, "bad"), &expected, "{does:?}");
        assert!(gathered.contributions.iter().all(|piece| (0.0..=1.0).contains(&piece.relevance)));
    }
}

#[tokio::test(start_paused = true)]
async fn y1_who_waits_for_nothing_is_never_too_late() {
    let mut at_hand = Actor::new("at hand", Need::Floor, Does::Answers(1.0));
    // Before a task of its own could have begun, its time would be up.
    (at_hand.at_hand, at_hand.deadline) = (true, Duration::ZERO);
    let mut waits = Actor::new("waits", Need::Floor, Does::AnswersAfter(5, 1.0));
    waits.at_hand = true;
    let mut bad = Actor::new("bad", Need::Floor, Does::Panics);
    bad.at_hand = true;
    let gathered = gatherer(vec![at_hand, waits, bad]).gather(&Arc::new(asking(QUESTION))).await;
    assert_eq!(texts(&gathered), ["at hand says this", "waits says this"]);
    assert_eq!(status_of(&gathered, "at hand"), &ProviderStatus::Ok { contributions: 1 });
    let panicked = ProviderStatus::Failed { error: "it panicked".to_owned() };
    assert_eq!(status_of(&gathered, "bad"), &panicked);
}

#[tokio::test(start_paused = true)]
async fn a10_enough_found_ends_the_wait_for_searches_but_never_for_the_floor() {
    let gatherer = gatherer(vec![
        Actor::new("floor", Need::Floor, Does::AnswersAfter(100, 1.0)),
        Actor::new("quick", Need::Search, Does::AnswersAfter(10, 0.9)),
        Actor::new("slow", Need::Search, Does::AnswersAfter(150, 0.9)),
    ]);
    let started = Instant::now();
    let gathered = gatherer.gather(&Arc::new(asking(QUESTION))).await;
    assert_eq!(
        started.elapsed(),
        Duration::from_millis(100),
        "the floor was waited for, the slow search not"
    );
    assert_eq!(texts(&gathered), ["floor says this", "quick says this"]);
    assert_eq!(status_of(&gathered, "slow"), &ProviderStatus::NotAwaited);
}

#[tokio::test(start_paused = true)]
async fn a10_voice_is_content_with_less() {
    let actors = || {
        vec![
            Actor::new("quick", Need::Search, Does::AnswersAfter(10, 0.75)),
            Actor::new("slow", Need::Search, Does::AnswersAfter(150, 0.9)),
        ]
    };
    let waited = async |quorum: f32| {
        let request = with_plan(asking(QUESTION), |plan| plan.quorum = quorum);
        let started = Instant::now();
        gatherer(actors()).gather(&request).await;
        started.elapsed()
    };
    assert_eq!(waited(0.85).await, Duration::from_millis(150));
    assert_eq!(waited(0.70).await, Duration::from_millis(10));
}

#[tokio::test(start_paused = true)]
async fn a10_the_plans_deadline_ends_searching_and_the_floor_keeps_its_own() {
    let mut floor = Actor::new("floor", Need::Floor, Does::AnswersAfter(700, 1.0));
    floor.deadline = Duration::from_secs(15);
    let mut search = Actor::new("search", Need::Search, Does::Hangs);
    search.deadline = Duration::from_secs(15);
    let request = with_plan(asking(QUESTION), |plan| plan.deadline = Duration::from_millis(300));
    let started = Instant::now();
    let gathered = gatherer(vec![floor, search]).gather(&request).await;
    assert_eq!(started.elapsed(), Duration::from_millis(700));
    assert_eq!(texts(&gathered), ["floor says this"]);
    assert_eq!(status_of(&gathered, "search"), &ProviderStatus::Late);
}

#[tokio::test(start_paused = true)]
async fn a10_a_late_answer_is_offered_to_the_next_question_about_it() {
    let slow = Actor {
        kept: Some(Lifetime::Memory),
        says: "Ansel keeps the lighthouse lamp".to_owned(),
        ..Actor::new("slow", Need::Search, Does::AnswersAfter(400, 0.8))
    };
    let cache: Arc<WarmCache> = Arc::default();
    let warm = Arc::new(WarmProvider { cache: Arc::clone(&cache) });
    let gatherer = Gatherer::over(vec![Arc::new(slow), warm], cache);
    let first =
        gatherer.gather(&Arc::new(request(&harbour(), "do you remember who keeps the lighthouse?"))).await;
    assert_eq!(status_of(&first, "slow"), &ProviderStatus::Late);
    assert!(first.contributions.is_empty());
    sleep(Duration::from_millis(400)).await;
    let next = gatherer
        .gather(&Arc::new(request(&harbour(), "do you remember the lighthouse lamp and its flare?")))
        .await;
    assert_eq!(status_of(&next, "warm"), &ProviderStatus::Ok { contributions: 1 });
    let [piece] = &next.contributions[..] else { panic!("{next:?}") };
    assert_eq!(
        (piece.text.as_str(), piece.source.as_str()),
        ("Ansel keeps the lighthouse lamp", "warm/slow")
    );
    assert!(piece.relevance < 0.8, "it was found for another question");
}

#[tokio::test(start_paused = true)]
async fn a10_a_late_answer_is_there_for_the_next_turn() {
    let mut slow = Actor::new("slow", Need::Search, Does::AnswersAfter(500, 0.9));
    slow.kept = Some(Lifetime::Memory);
    let asked = Arc::clone(&slow.asked);
    let gatherer = gatherer(vec![Actor::new("floor", Need::Floor, Does::Answers(1.0)), slow]);
    let request = Arc::new(asking(QUESTION));
    let first = gatherer.gather(&request).await;
    assert_eq!(status_of(&first, "slow"), &ProviderStatus::Late);
    sleep(Duration::from_millis(400)).await;
    let second = gatherer.gather(&request).await;
    assert_eq!(status_of(&second, "slow"), &ProviderStatus::Cached { contributions: 1 });
    assert!(texts(&second).contains(&"slow says this"));
    assert_eq!(asked.load(Ordering::SeqCst), 1, "it was not asked again");
    sleep(Duration::from_secs(300)).await;
    gatherer.gather(&request).await;
    assert_eq!(asked.load(Ordering::SeqCst), 2, "after five minutes it is asked anew (A6)");
}

#[tokio::test(start_paused = true)]
async fn a10_what_may_not_be_kept_is_not_left_running() {
    let gatherer = gatherer(vec![Actor::new("hangs", Need::Search, Does::Hangs)]);
    gatherer.gather(&Arc::new(asking(QUESTION))).await;
    assert_eq!(gatherer.background.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn y1_what_goes_on_behind_turns_is_bounded_and_ends_with_the_familiar() {
    let many = || {
        (0..3).map(|_| {
            let mut hangs = Actor::new("hangs", Need::Search, Does::Hangs);
            hangs.kept = Some(Lifetime::Memory);
            hangs
        })
    };
    let gatherer = gatherer(many().collect());
    for _ in 0..20 {
        gatherer.gather(&Arc::new(asking(QUESTION))).await;
    }
    let running = gatherer.background.len();
    assert!(running > 0 && running <= BACKGROUND_MAX, "{running}");
    gatherer.close();
    tokio::task::yield_now().await;
    sleep(Duration::from_millis(1)).await;
    assert_eq!(gatherer.background.len(), 0);
    gatherer.gather(&Arc::new(asking(QUESTION))).await;
    assert_eq!(gatherer.background.len(), 0, "nothing begins after the end");
}

#[tokio::test(start_paused = true)]
async fn a14_what_the_first_wave_left_open_is_asked_about_again() {
    let text = "do you remember what Ana said about the Old Harbour?";
    let mut search = Actor::new("search", Need::Search, Does::Answers(0.6));
    search.says = "Ana likes tea".to_owned();
    search.looks_again = true;
    search.refines = Some("The Old Harbour burnt down.");
    let about = Arc::clone(&search.about);
    let plain = Actor::new("plain", Need::Search, Does::Answers(0.1));
    let gathered = gatherer(vec![search, plain]).gather(&Arc::new(asking(text))).await;
    assert_eq!(*about.lock(), ["Old Harbour"]);
    assert!(texts(&gathered).contains(&"The Old Harbour burnt down."));
    assert_eq!(gathered.notes, ["asked again about Old Harbour"]);
}

#[tokio::test(start_paused = true)]
async fn a14_there_is_no_second_wave_where_nothing_is_open_or_no_time_is_left() {
    let waves = async |text: &str, says: &str, deadline: u64| {
        let mut search = Actor::new("search", Need::Search, Does::AnswersAfter(50, 0.6));
        search.says = says.to_owned();
        search.looks_again = true;
        let about = Arc::clone(&search.about);
        let request = with_plan(asking(text), |plan| plan.deadline = Duration::from_millis(deadline));
        gatherer(vec![search]).gather(&request).await;
        about.lock().len()
    };
    assert_eq!(waves("do you remember Ana's boat?", "Ana's boat is red", 100).await, 0);
    assert_eq!(waves("do you remember Ana's boat?", "Theo's boat is red", 100).await, 1);
    assert_eq!(waves("do you remember Ana's boat?", "Theo's boat is red", 50).await, 0);
    let talk = "we should take Ana's boat out on sunday, when the wind has turned";
    assert_eq!(waves(talk, "Theo's boat is red", 100).await, 0, "talk asks nothing");
}

#[tokio::test(start_paused = true)]
async fn a4_a_greeting_gets_the_floor_and_no_search() {
    let search = Actor::new("search", Need::Search, Does::Answers(1.0));
    let asked = Arc::clone(&search.asked);
    let gatherer = gatherer(vec![Actor::new("floor", Need::Floor, Does::Answers(1.0)), search]);
    let gathered = gatherer.gather(&Arc::new(asking("hi Mika"))).await;
    assert_eq!((texts(&gathered), asked.load(Ordering::SeqCst)), (vec!["floor says this"], 0));
    gatherer.gather(&Arc::new(asking(QUESTION))).await;
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a3_what_was_fetched_ahead_is_not_asked_for_again() {
    let mut person = Actor::new("person", Need::Floor, Does::AnswersAfter(100, 1.0));
    person.kept = Some(Lifetime::Memory);
    let asked = Arc::clone(&person.asked);
    let gatherer = gatherer(vec![person]);
    let request = Arc::new(asking(QUESTION));
    gatherer.prefetch(&request);
    gatherer.prefetch(&request);
    sleep(Duration::from_millis(150)).await;
    gatherer.prefetch(&request);
    let started = Instant::now();
    let gathered = gatherer.gather(&request).await;
    assert_eq!(started.elapsed(), Duration::ZERO);
    assert_eq!(status_of(&gathered, "person"), &ProviderStatus::Cached { contributions: 1 });
    assert_eq!(asked.load(Ordering::SeqCst), 2, "both begun before either was done");
    gatherer.cache.forget_all();
    gatherer.gather(&request).await;
    assert_eq!(asked.load(Ordering::SeqCst), 3, "something was taken back there");
}

fn any_fault() -> impl Strategy<Value = Does> {
    prop_oneof![
        Just(Does::Answers(0.9)),
        Just(Does::Answers(0.1)),
        (1_u64..400).prop_map(|ms| Does::AnswersAfter(ms, 0.5)),
        Just(Does::Hangs),
        Just(Does::Fails),
        Just(Does::Panics),
        Just(Does::TalksNonsense),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Fail-open, provider by provider, for any combination of faults: it ends in time, the order is the providers'
    /// own, every provider has exactly one outcome, and a floor that answers in time is always there.
    #[test]
    fn y1_any_faults_leave_the_rest_standing(faults in proptest::collection::vec((any_fault(), any::<bool>()), 1..7)) {
        const NAMES: [&str; 7] = ["a", "b", "c", "d", "e", "f", "g"];
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let actors = faults.iter().zip(NAMES).map(|(&(does, is_floor), name)| {
                Actor::new(name, if is_floor { Need::Floor } else { Need::Search }, does)
            });
            let gatherer = gatherer(actors.collect());
            let started = Instant::now();
            let gathered = gatherer.gather(&Arc::new(asking(QUESTION))).await;
            prop_assert!(started.elapsed() <= Duration::from_millis(205));
            let named: Vec<&str> = gathered.outcomes.iter().map(|outcome| outcome.provider.as_str()).collect();
            prop_assert_eq!(&named, &NAMES[..faults.len()]);
            let sources: Vec<&str> = gathered.contributions.iter().map(|piece| piece.source.as_str()).collect();
            prop_assert!(sources.is_sorted());
            for (&(does, is_floor), name) in faults.iter().zip(NAMES) {
                let answers = match does {
                    Does::Answers(_) | Does::TalksNonsense => true,
                    Does::AnswersAfter(ms, _) => ms < 200,
                    Does::Hangs | Does::Fails | Does::Panics => false,
                };
                prop_assert!(!(answers && is_floor) || sources.contains(&name), "{name} {does:?}");
            }
            Ok(())
        })?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Providers work at the same time, and in what order they are done changes nothing.
    #[test]
    fn contradiction_4_work_is_done_at_once_and_placed_in_the_providers_order(delays in prop::collection::vec(1_u64..150, 6)) {
        const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let actors = NAMES.iter().zip(&delays);
            let actors = actors.map(|(name, ms)| Actor::new(name, Need::Floor, Does::AnswersAfter(*ms, 1.0))).collect();
            let started = Instant::now();
            let gathered = gatherer(actors).gather(&Arc::new(asking(QUESTION))).await;
            assert_eq!(started.elapsed(), Duration::from_millis(*delays.iter().max().unwrap()), "as long as the slowest");
            let sources: Vec<_> = gathered.contributions.iter().map(|piece| piece.source.as_str()).collect();
            assert_eq!(sources, NAMES);
        });
    }
}

#[test]
fn a10_confidence_is_the_saturating_sum_of_the_best_weighed_by_what_is_covered() {
    let sure = |pieces: &[Contribution], facets: &[Facet]| confidence(pieces, facets);
    let find = |relevance, text: &str| found("found", relevance, text);
    let ana = [Facet::Name("Ana".to_owned())];
    assert!(sure(&[], &[]) < 1e-6);
    assert!((sure(&[find(0.9, "x")], &[]) - 0.9).abs() < 1e-6);
    assert!((sure(&[find(0.5, "x"), find(0.4, "y")], &[]) - 0.9).abs() < 1e-6);
    let many: Vec<_> = (0..20).map(|_| find(0.2, "weak")).collect();
    assert!((sure(&many, &[]) - 0.6).abs() < 1e-6, "only three count");
    let line = |text| Contribution { group: Some("recalled/1".to_owned()), ..find(0.3, text) };
    assert!((sure(&[line("x"), line("y"), line("z")], &[]) - 0.3).abs() < 1e-6, "three lines, one find");
    assert!((sure(&[find(1.0, "about Ben")], &ana) - 0.5).abs() < 1e-6, "not about her");
    assert!((sure(&[find(1.0, "Ana's boat")], &ana) - 1.0).abs() < 1e-6);
    assert!(sure(&[find(1.0, "Anatol")], &ana) < 0.6, "another name");
}
