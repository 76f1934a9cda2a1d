use std::collections::VecDeque;

use parking_lot::Mutex;

use super::super::deepgram;
use super::*;
use crate::voice::engines::cost::{PeoplesHours, Spoken};

/// Deepgram behind queues: each connection is handed to the test, which plays the service. The clock is paused.
#[derive(Debug)]
struct Wired {
    service: Service,
    coming: Mutex<VecDeque<Result<Link, EngineError>>>,
    dialled: Mutex<Vec<Instant>>,
}

/// The service's end of one connection.
struct Peer {
    from: mpsc::Receiver<Out>,
    to: mpsc::Sender<Result<String, EngineError>>,
}

fn wire() -> (Link, Peer) {
    let (to, from_client) = mpsc::channel(256);
    let (to_client, from) = mpsc::channel(256);
    (Link { to, from }, Peer { from: from_client, to: to_client })
}

fn unreachable() -> EngineError {
    EngineError::Unreachable { engine: "Deepgram", said: "gone".to_owned() }
}

#[async_trait]
impl LiveService for Wired {
    fn service(&self) -> &Service {
        &self.service
    }

    fn abilities(&self) -> TranscriberAbilities {
        TranscriberAbilities { partials: true, ends_turns: false, streaming: true }
    }

    async fn dial(&self, _: &TranscriptionHints) -> Result<Link, EngineError> {
        self.dialled.lock().push(Instant::now());
        self.coming.lock().pop_front().unwrap_or_else(|| Err(unreachable()))
    }

    fn session(&self, _: &TranscriptionHints) -> Box<dyn LiveSession> {
        Box::new(deepgram::DeepgramSession { service: self.service.clone(), is_flux: false })
    }
}

struct Play {
    service: Arc<Wired>,
    ear: Transcription,
    peers: VecDeque<Peer>,
}

/// One transcription over so many connections; those after them fail.
async fn play(connections: usize) -> Play {
    let (mut links, mut peers) = (VecDeque::new(), VecDeque::new());
    for _ in 0..connections {
        let (link, peer) = wire();
        links.push_back(Ok(link));
        peers.push_back(peer);
    }
    let service = Arc::new(Wired {
        service: Service::new("Deepgram", None),
        coming: Mutex::new(links),
        dialled: Mutex::default(),
    });
    let meter = Meter {
        engine: "Deepgram",
        spoken: Spoken::Heard,
        price: 0.0,
        daily_cap_usd: None,
        hourly_cap: None,
        ledger: None,
        hours: PeoplesHours::default(),
    };
    let live = Live { service: Arc::clone(&service), meter: Arc::new(meter) };
    let ear = live.open(&TranscriptionHints::default()).await.unwrap();
    Play { service, ear, peers }
}

impl Play {
    fn speak(&self, millis: usize) {
        for _ in 0..millis / 20 {
            self.ear.input.try_send(SpeechInput::Samples(vec![7; 320].into())).unwrap();
        }
    }

    fn finalize(&self) {
        self.ear.input.try_send(SpeechInput::Finalize).unwrap();
    }

    /// What comes next besides how sure the service is of it.
    async fn event(&mut self) -> TranscriptEvent {
        loop {
            let event = self.ear.events.recv().await.unwrap();
            if !matches!(event, TranscriptEvent::Sure { .. }) {
                return event;
            }
        }
    }
}

impl Peer {
    /// Samples that come until something else does, and that.
    async fn hears(&mut self) -> (usize, Option<String>) {
        let mut samples = 0;
        loop {
            match self.from.recv().await {
                Some(Out::Binary(bytes)) => samples += bytes.len() / 2,
                Some(Out::Text(text)) => return (samples, Some(text)),
                None => return (samples, None),
            }
        }
    }

    /// Until so many messages are here.
    async fn waits_for(&self, messages: usize) {
        while self.from.len() < messages {
            tokio::task::yield_now().await;
        }
    }

    async fn says(&self, message: &str) {
        self.to.send(Ok(message.to_owned())).await.unwrap();
    }
}

fn result(text: &str, start: f64, duration: f64, flags: &str) -> String {
    format!(
        r#"{{"type":"Results","channel_index":[0,1],"duration":{duration},"start":{start},{flags},"channel":
        {{"alternatives":[{{"transcript":"{text}","confidence":0.98,"words":[]}}]}}}}"#
    )
}

const PARTIAL: &str = r#""is_final":false,"speech_final":false"#;
const FINAL: &str = r#""is_final":true,"speech_final":true,"from_finalize":false"#;
const FINALIZED: &str = r#""is_final":true,"speech_final":false,"from_finalize":true"#;

fn final_of(text: &str, finalized: bool) -> TranscriptEvent {
    TranscriptEvent::Final { text: text.to_owned(), finalized }
}

fn said(text: &str) -> Option<String> {
    Some(format!(r#"{{"type":"{text}"}}"#))
}

#[tokio::test(start_paused = true)]
async fn a_quiet_connection_is_kept_alive_and_closed_after_half_a_minute() {
    let mut play = play(2).await;
    let mut first = play.peers.pop_front().unwrap();
    let begun = Instant::now();
    for beat in 1..10 {
        assert_eq!(first.hears().await, (0, said("KeepAlive")));
        assert_eq!(begun.elapsed(), Duration::from_secs(3 * beat));
    }
    assert_eq!(first.hears().await, (0, said("CloseStream")));
    assert_eq!(first.hears().await, (0, None));
    assert_eq!(begun.elapsed(), Duration::from_secs(30));
    play.speak(100);
    let mut second = play.peers.pop_front().unwrap();
    play.finalize();
    assert_eq!(
        second.hears().await,
        (1600, said("Finalize")),
        "the first words open a new one and are not lost"
    );
    second.says(&result("hello", 0.0, 0.1, FINALIZED)).await;
    assert_eq!(play.event().await, final_of("hello", true));
}

#[tokio::test(start_paused = true)]
async fn after_a_break_only_what_was_not_final_is_said_again() {
    let mut play = play(2).await;
    let first = play.peers.pop_front().unwrap();
    play.speak(2000);
    first.waits_for(100).await;
    first.says(&result("so far", 0.0, 1.5, FINAL)).await;
    assert_eq!(play.event().await, final_of("so far", false));
    first.to.send(Err(unreachable())).await.unwrap();
    let mut second = play.peers.pop_front().unwrap();
    let begun = Instant::now();
    let (again, then) = second.hears().await;
    assert_eq!(again, 8000, "half a second was not final");
    assert_eq!(then, said("Finalize"), "and nothing else will end it");
    assert_eq!(begun.elapsed(), Duration::from_secs(1), "as long as it lasts, and half a second");
    drop(first);
}

#[tokio::test(start_paused = true)]
async fn at_most_five_seconds_are_said_again_and_a_finalize_that_waits_follows_at_once() {
    let mut play = play(2).await;
    let mut first = play.peers.pop_front().unwrap();
    play.speak(4000);
    assert_eq!(first.from.recv().await, Some(Out::Binary([7, 0].repeat(320))));
    first.waits_for(199).await;
    play.speak(4000);
    play.finalize();
    assert_eq!(first.hears().await, (8000 * 16 - 320, said("Finalize")));
    first.to.send(Err(unreachable())).await.unwrap();
    let mut second = play.peers.pop_front().unwrap();
    let begun = Instant::now();
    assert_eq!(second.hears().await, (5000 * 16, said("Finalize")));
    assert_eq!(begun.elapsed(), Duration::ZERO);
    second.says(&result("the end of it", 0.0, 5.0, FINALIZED)).await;
    assert_eq!(play.event().await, final_of("the end of it", true));
}

#[tokio::test(start_paused = true)]
async fn it_tries_again_after_growing_waits_and_then_gives_up() {
    let mut play = play(1).await;
    let first = play.peers.pop_front().unwrap();
    play.speak(100);
    first.waits_for(5).await;
    let begun = Instant::now();
    first.to.send(Err(unreachable())).await.unwrap();
    assert_eq!(play.event().await, TranscriptEvent::Failed(unreachable()));
    assert_eq!(play.event().await, TranscriptEvent::Closed);
    let dialled = play.service.dialled.lock().clone();
    let after: Vec<u64> = dialled[1..].iter().map(|at| at.duration_since(begun).as_secs()).collect();
    assert_eq!(after, [0, 1, 3, 7, 15, 31]);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_in_the_middle_is_final() {
    let mut play = play(2).await;
    let first = play.peers.pop_front().unwrap();
    let refused = EngineError::Refused { engine: "Deepgram", said: "key".to_owned() };
    first.to.send(Err(refused.clone())).await.unwrap();
    assert_eq!(play.event().await, TranscriptEvent::Failed(refused));
    assert_eq!(play.event().await, TranscriptEvent::Closed);
    assert_eq!(play.service.dialled.lock().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_break_while_nobody_speaks_waits_for_the_next_words() {
    let mut play = play(2).await;
    let first = play.peers.pop_front().unwrap();
    first.to.send(Err(unreachable())).await.unwrap();
    tokio::time::advance(Duration::from_secs(60)).await;
    assert_eq!(play.service.dialled.lock().len(), 1);
    play.speak(20);
    play.finalize();
    assert_eq!(play.peers.pop_front().unwrap().hears().await, (320, said("Finalize")));
    drop(first);
}

#[tokio::test(start_paused = true)]
async fn a_finalize_is_answered_even_where_the_service_has_nothing_to_say() {
    let mut play = play(1).await;
    let mut first = play.peers.pop_front().unwrap();
    play.finalize();
    assert_eq!(play.event().await, final_of("", true), "nothing was said at all");
    play.speak(100);
    play.finalize();
    assert_eq!(first.hears().await, (1600, said("Finalize")));
    let asked = Instant::now();
    let stalled = EngineError::Stalled { engine: "Deepgram", waited: Duration::from_millis(2500) };
    assert_eq!(play.event().await, TranscriptEvent::Failed(stalled), "a short yes may be lost");
    assert_eq!(asked.elapsed(), Duration::from_millis(2500));
}

#[tokio::test(start_paused = true)]
async fn a_short_word_may_take_its_time_and_what_is_final_is_not_missing() {
    let mut play = play(1).await;
    let mut first = play.peers.pop_front().unwrap();
    play.speak(300);
    play.finalize();
    assert_eq!(first.hears().await, (4800, said("Finalize")));
    tokio::time::sleep(Duration::from_millis(1300)).await;
    first.says(&result("Yes.", 0.0, 0.3, FINALIZED)).await;
    assert_eq!(play.event().await, final_of("Yes.", true));
    play.speak(300);
    first.waits_for(15).await;
    first.says(&result("Again.", 0.3, 0.2, FINAL)).await;
    assert_eq!(play.event().await, final_of("Again.", false));
    play.finalize();
    assert_eq!(first.hears().await, (4800, said("Finalize")));
    assert_eq!(play.event().await, final_of("", true), "only silence came behind it");
}

#[tokio::test(start_paused = true)]
async fn pending_words_that_never_become_final_are_a_stall() {
    let mut play = play(2).await;
    let mut first = play.peers.pop_front().unwrap();
    play.speak(100);
    first.waits_for(5).await;
    first.says(&result("I was about to", 0.0, 0.1, PARTIAL)).await;
    assert_eq!(play.event().await, TranscriptEvent::Partial { text: "I was about to".to_owned() });
    play.finalize();
    assert_eq!(first.hears().await, (1600, said("Finalize")));
    let asked = Instant::now();
    let stalled = EngineError::Stalled { engine: "Deepgram", waited: Duration::from_millis(2500) };
    assert_eq!(play.event().await, TranscriptEvent::Failed(stalled));
    assert_eq!(asked.elapsed(), Duration::from_millis(2500));
    play.speak(20);
    play.finalize();
    assert_eq!(play.peers.pop_front().unwrap().hears().await, (320, said("Finalize")), "on a new connection");
}

/// A recording is handed over at once, and takes a service that listens live as long as it takes it.
#[tokio::test(start_paused = true)]
async fn what_was_handed_over_faster_than_it_was_spoken_is_waited_for() {
    let mut play = play(1).await;
    let mut first = play.peers.pop_front().unwrap();
    for _ in 0..60 {
        play.ear.input.send(SpeechInput::Samples(vec![7; 16_000].into())).await.unwrap();
    }
    play.finalize();
    assert_eq!(first.hears().await, (960_000, said("Finalize")));
    // In real time, a piece every five seconds.
    for piece in 0..12 {
        tokio::time::sleep(Duration::from_secs(5)).await;
        first.says(&result("and on", f64::from(piece) * 5.0, 5.0, FINAL)).await;
        assert_eq!(play.event().await, final_of("and on", false));
    }
    assert_eq!(
        play.event().await,
        final_of("", true),
        "all of it is final, and that is not waited for any longer"
    );
}

#[tokio::test(start_paused = true)]
async fn letting_go_says_goodbye() {
    let mut play = play(1).await;
    let mut first = play.peers.pop_front().unwrap();
    drop(play.ear);
    assert_eq!(first.hears().await, (0, said("CloseStream")));
    assert_eq!(first.hears().await, (0, None));
}

/// How a service takes a finalize.
#[derive(Debug, Clone, Copy)]
enum Manner {
    Answers,
    AnswersTwice,
    SaysPartOfIt,
    IsSilent,
    Breaks,
    TalksRubbish,
}

/// Plays the service on every connection, one manner per finalize.
async fn serve(mut peers: VecDeque<Peer>, mut manners: VecDeque<Manner>) {
    while let Some(mut peer) = peers.pop_front() {
        loop {
            let (_, Some(message)) = peer.hears().await else { break };
            if !message.contains("Finalize") {
                continue;
            }
            let answers: &[&str] = match manners.pop_front().unwrap_or(Manner::Answers) {
                Manner::Answers => &[FINALIZED],
                Manner::AnswersTwice => &[FINALIZED, FINALIZED],
                Manner::SaysPartOfIt => &[PARTIAL],
                Manner::IsSilent => &[],
                Manner::TalksRubbish => &["rubbish"],
                Manner::Breaks => {
                    // The client may have hung up by itself.
                    let _ = peer.to.send(Err(unreachable())).await;
                    break;
                }
            };
            for flags in answers {
                let _ = peer.to.send(Ok(result("words", 0.0, 0.1, flags))).await;
            }
        }
    }
}

proptest::proptest! {
    #[test]
    fn every_finalize_is_answered_once_whatever_the_service_does(
        manners in proptest::collection::vec(proptest::sample::select(vec![
            Manner::Answers, Manner::AnswersTwice, Manner::SaysPartOfIt, Manner::IsSilent, Manner::Breaks,
            Manner::TalksRubbish,
        ]), 0..12),
        turns in 1_usize..8,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let mut play = play(40).await;
            let serving = tokio::spawn(serve(std::mem::take(&mut play.peers), manners.into()));
            for turn in 0..turns {
                play.speak(100);
                play.finalize();
                let answer = async {
                    loop {
                        match play.event().await {
                            TranscriptEvent::Final { finalized: true, .. } | TranscriptEvent::Failed(_) => return,
                            TranscriptEvent::Closed => panic!("closed in turn {turn}"),
                            _ => {}
                        }
                    }
                };
                tokio::time::timeout(Duration::from_secs(100), answer).await.expect("an answer");
                // Nothing more answers what is answered.
                while let Ok(more) = tokio::time::timeout(Duration::from_secs(20), play.ear.events.recv()).await {
                    let more = more.expect("it goes on");
                    let answers = matches!(&more, TranscriptEvent::Final { finalized: true, .. });
                    assert!(!answers, "turn {turn}: {more:?}");
                }
            }
            drop(play.ear);
            serving.abort();
        });
    }
}
