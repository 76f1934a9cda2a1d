//! An evening in many channels at once: everybody writes, the model is slow, refuses and breaks off, and in one channel its
//! stream hangs for as long as anybody writes; time is made up.
//!
//! `FAMILIAR_TEXT_SOAK=1 cargo test --release --test integration soak::text -- --nocapture` plays fifty channels of twenty people:
//! ten minutes at twenty messages a second, and two hours at a hundredth of that.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use familiar_connect::domain::*;
use familiar_connect::history::RecentQuery;
use familiar_connect::llm::SessionKey;
use familiar_connect::session::Notice;
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

use super::engines::WORDS;
use super::resident;
use crate::support::call::patiently;
use crate::support::stage::{Asked, MESSAGES, QUICK, Shown, Stage, UNADDRESSED, channel, person};

/// Time goes in such steps.
const TICK: Duration = Duration::from_millis(50);

/// The channel in which the stream hangs.
const HANGS: usize = 0;

/// Whatever goes on is over within so long after the last message.
const RESTS_WITHIN: Duration = Duration::from_secs(900);

/// In MiB, how much the process may grow from the middle of an evening, when everything was in use, to its end: what is
/// stored meanwhile stands in word indexes and the graph.
const GROWS_AT_MOST: u64 = 96;

/// What is played.
#[derive(Debug, Clone, Copy)]
struct Evening {
    channels: usize,
    people: usize,
    messages: usize,
    /// From one message to the next, wherever.
    every: Duration,
}

const SMOKE: Evening = Evening { channels: 6, people: 20, messages: 240, every: TICK };

/// At twenty messages a second, and at a hundredth of that.
const WHOLE: [Evening; 2] = [
    Evening { channels: 50, people: 20, messages: 12_000, every: TICK },
    Evening { channels: 50, people: 20, messages: 1_440, every: Duration::from_secs(5) },
];

/// How the model answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Manner {
    Whole,
    Slow,
    /// Too many requests, before the first word.
    Refuses,
    /// The stream is cut in the middle.
    BreaksOff,
    /// It ends at the limit of tokens.
    Ends,
    /// Nothing comes any more, before the first word or behind it, until the client has waited long enough.
    Hangs,
}

/// An answer that the model is writing.
struct Answering {
    asked: Option<Asked>,
    manner: Manner,
    /// What it says first, as soon as it may, and what then.
    pieces: [String; 2],
    begun: bool,
    next: Duration,
}

struct Soak {
    stage: Stage,
    evening: Evening,
    places: Vec<Place>,
    /// Which channel a request is for.
    keys: BTreeMap<String, usize>,
    /// What was written in each channel, in order.
    said: Vec<Vec<String>>,
    answering: Vec<Answering>,
    manners: BTreeMap<Manner, usize>,
    dice: StdRng,
    now: Duration,
    next_message: u64,
    replies: usize,
    /// Nothing fails or hangs any more.
    steady: bool,
    /// Keeps the clock from running on by itself.
    still: std::sync::mpsc::Sender<()>,
}

#[tokio::test(start_paused = true)]
async fn in_many_channels_nothing_is_lost_or_said_twice_and_one_whose_stream_hangs_holds_up_no_other() {
    let whole = std::env::var_os("FAMILIAR_TEXT_SOAK").is_some();
    let evenings = if whole { &WHOLE[..] } else { &[SMOKE][..] };
    for (seed, evening) in (1..).zip(evenings) {
        let mut soak = Soak::open(seed, *evening).await;
        let first = soak.talks(evening.messages / 2).await;
        let middle = resident();
        let second = soak.talks(evening.messages - evening.messages / 2).await;
        soak.rests().await;
        soak.still_answers().await;
        let end = resident();
        if whole {
            assert!(end <= middle + GROWS_AT_MOST, "memory grows: {middle} MiB, then {end}");
        }
        soak.ends(first, second, [middle, end]).await;
    }
}

impl Soak {
    async fn open(seed: u64, evening: Evening) -> Self {
        let (still, stands) = std::sync::mpsc::channel::<()>();
        let stage = Stage::with(QUICK, MESSAGES).await;
        // As long as something blocks, a paused clock does not move by itself.
        tokio::task::spawn_blocking(move || stands.recv().is_ok());
        let places: Vec<Place> =
            (0..evening.channels).map(|nth| channel(100 + nth as u64, &format!("#deck-{nth}"))).collect();
        let familiar = FamiliarId::new("mika").unwrap();
        let key = |place: &Place| {
            SessionKey::of(stage.history.salt(), &familiar, place.platform, &place.channel)
                .as_str()
                .to_owned()
        };
        let keys = places.iter().map(key).zip(0..).collect();
        Self {
            said: vec![Vec::new(); places.len()],
            places,
            keys,
            stage,
            evening,
            answering: Vec::new(),
            manners: BTreeMap::new(),
            dice: StdRng::seed_from_u64(seed),
            now: Duration::ZERO,
            next_message: 1_000_000,
            replies: 0,
            steady: false,
            still,
        }
    }

    /// So many messages, anywhere, from anybody. How many answers people got meanwhile where nothing hangs.
    async fn talks(&mut self, messages: usize) -> usize {
        let before = self.answers_elsewhere();
        let mut touched = BTreeSet::new();
        let mut stored = self.now;
        for _ in 0..messages {
            let at = self.dice.random_range(0..self.places.len());
            let is_to_it = self.dice.random_range(0..12) == 0;
            self.writes(at, is_to_it).await;
            touched.insert(at);
            let then = self.now + self.evening.every;
            while self.now < then {
                self.passes().await;
            }
            // The stores have no made-up time: nobody writes on before they have caught up with a second of it.
            if self.now >= stored + Duration::from_secs(1) {
                for at in std::mem::take(&mut touched) {
                    self.has_taken_in(at).await;
                }
                stored = self.now;
            }
        }
        self.answers_elsewhere() - before
    }

    async fn writes(&mut self, at: usize, is_to_it: bool) {
        let number = self.next_message;
        self.next_message += 1;
        let text = match self.dice.random_range(0..4) {
            _ if is_to_it => format!("Mika, what do you make of number {number}?"),
            0 => format!("number {number} lies on the quay"),
            1 => format!("has anybody seen number {number}?"),
            2 => format!("they moved number {number} to the north shore again, and the rope with it"),
            _ => format!("no, number {number}"),
        };
        self.said[at].push(text.clone());
        let author = person(&format!("person{}", self.dice.random_range(0..self.evening.people)));
        let hints = TriggerHints { mentions_familiar: is_to_it, ..UNADDRESSED };
        let message = InboundMessage {
            message: Some(MessageId::from(number)),
            hints,
            ..InboundMessage::said(self.places[at].clone(), author, text, self.stage.clock_now())
        };
        self.stage.world.spoke(&message.place, &message.author, message.at);
        let handed_in = self.stage.session.submit(InboundEvent::Message(Box::new(message)));
        patiently("a message is taken", handed_in).await.unwrap();
    }

    /// All that was written in a channel so far is stored.
    async fn has_taken_in(&self, at: usize) {
        let taken = self.stage.session.interrupt(&self.places[at], TurnId(u64::MAX));
        patiently("what was written is taken in", taken).await.unwrap();
    }

    async fn passes(&mut self) {
        self.answers().await;
        tokio::time::advance(TICK).await;
        self.stage.clock.advance(TICK);
        for _ in 0..60 {
            tokio::task::yield_now().await;
        }
        // The stores have threads of their own.
        std::thread::yield_now();
        self.now += TICK;
    }

    /// The model writes, as unfriendly as models are.
    async fn answers(&mut self) {
        while self.stage.models.was_asked_again().await {
            let asked = self.stage.models.next().await;
            let key = asked.request.session.as_ref().expect("every request is of a conversation");
            let at = self.keys[key.as_str()];
            let manner = match self.dice.random_range(0..100) {
                _ if self.steady => Manner::Whole,
                _ if at == HANGS => Manner::Hangs,
                0..4 => Manner::Refuses,
                4..8 => Manner::BreaksOff,
                8..10 => Manner::Ends,
                10..15 => Manner::Slow,
                _ => Manner::Whole,
            };
            *self.manners.entry(manner).or_default() += 1;
            let pieces = self.reply();
            let begun = manner == Manner::Hangs && self.dice.random_bool(0.5);
            let wait = match manner {
                Manner::Hangs => self.stage.config.current().llm.first_token_timeout,
                Manner::Slow => Duration::from_secs(self.dice.random_range(10..25)),
                _ => Duration::from_millis(self.dice.random_range(300..3_000)),
            };
            let mut answering =
                Answering { asked: Some(asked), manner, pieces, begun, next: self.now + wait };
            if begun && let Some(asked) = &mut answering.asked {
                asked.say(&answering.pieces[0]);
            }
            self.answering.push(answering);
        }
        let now = self.now;
        self.answering.iter_mut().for_each(|answering| answering.goes_on(now));
        self.answering.retain(|answering| answering.asked.is_some());
    }

    /// Words that nobody said before, in two pieces.
    fn reply(&mut self) -> [String; 2] {
        self.replies += 1;
        let words = |dice: &mut StdRng| {
            let count = dice.random_range(3..14);
            let words: Vec<&str> = (0..count).map(|_| WORDS[dice.random_range(1..WORDS.len())]).collect();
            words.join(" ")
        };
        [
            format!("Reply {}: {}", self.replies, words(&mut self.dice)),
            format!(" and {}.", words(&mut self.dice)),
        ]
    }

    /// Nobody writes any more, and everything comes to rest, the channel whose stream hangs as well.
    async fn rests(&mut self) {
        let (session, places) = (self.stage.session.clone(), self.places.clone());
        let resting = tokio::spawn(async move {
            for place in &places {
                session.settle(place).await.unwrap();
            }
        });
        let (first, began) = (self.now, std::time::Instant::now());
        while !resting.is_finished() {
            self.passes().await;
            let is_over = self.now > first + RESTS_WITHIN && began.elapsed() > Duration::from_secs(20);
            assert!(!is_over, "long after the last message something goes on: {:?}", self.manners);
        }
        resting.await.unwrap();
    }

    /// After all that it answers everywhere, where its stream hung too.
    async fn still_answers(&mut self) {
        self.steady = true;
        for at in 0..self.places.len() {
            self.writes(at, true).await;
        }
        self.rests().await;
    }

    /// Answers that were posted in channels where nothing hangs.
    fn answers_elsewhere(&self) -> usize {
        let hangs = &self.places[HANGS].channel;
        let shown = self.stage.outbox.shown();
        shown.iter().filter(|one| matches!(one, Shown::Said { to, .. } if to.place.channel != *hangs)).count()
    }

    async fn ends(self, first: usize, second: usize, memory: [u64; 2]) {
        let Self { mut stage, evening, places, said, manners, still, .. } = self;
        drop(still);
        stage.goes_on();
        stage.session.drain().await;
        let shown = stage.outbox.shown();
        let mut told: BTreeMap<String, usize> = BTreeMap::new();
        let mut late_in = BTreeSet::new();
        for one in &shown {
            let Shown::Notice { to, notice } = one else { continue };
            let name = match notice {
                Notice::ModelFailed { class, .. } => format!("{class:?}"),
                other => format!("{other:?}").split([' ', '{']).next().unwrap_or_default().to_owned(),
            };
            if matches!(notice, Notice::ModelFailed { class: ModelErrorClass::Timeout, .. }) {
                late_in.insert(to.place.channel.clone());
            }
            *told.entry(name).or_default() += 1;
        }
        println!(
            "{evening:?}\n  the model: {manners:?}\n  people were told: {told:?}\n  answers where nothing hangs: {first}, then \
             {second}; MiB in the middle and at the end: {memory:?}"
        );
        let query =
            RecentQuery { mode: None, max_turns: 100_000, until: None, encoding: TokenEncoding::CharsOver4 };
        for (place, said) in places.iter().zip(&said) {
            let turns = stage
                .history
                .seen_by(&Visible::at(place))
                .recent(&place.channel, query.clone())
                .await
                .unwrap();
            let (users, own): (Vec<&StoredTurn>, Vec<&StoredTurn>) =
                turns.iter().partition(|turn| turn.role == Role::User);
            let stored: Vec<&str> = users.iter().map(|turn| turn.content.as_str()).collect();
            assert_eq!(stored, *said, "each message once, and in order, in {}", place.channel);
            let posted = shown.iter().filter_map(|one| match one {
                Shown::Said { to, text, .. } if to.place.channel == place.channel => Some(text.as_str()),
                _ => None,
            });
            let (posted, kept) = (bare(posted), bare(own.iter().map(|turn| turn.content.as_str())));
            assert_eq!(kept, posted, "what is stored of its own is what was posted, in {}", place.channel);
            let last = turns.last().map(|turn| turn.role);
            assert_eq!(last, Some(Role::Assistant), "it still answers in {}", place.channel);
        }
        let all: Vec<&str> = shown
            .iter()
            .filter_map(|one| match one {
                Shown::Said { text, .. } => Some(text.as_str()),
                Shown::Notice { .. } => None,
            })
            .collect();
        let once: BTreeSet<&str> = all.iter().copied().collect();
        assert_eq!(once.len(), all.len(), "nothing is posted twice");
        assert_eq!(late_in, BTreeSet::from([places[HANGS].channel.clone()]), "it is said where it hangs");
        // One message in twelve is to it, and most of those are answered; how many by then is up to the machine as well.
        let least = evening.messages * (places.len() - 1) / places.len() / 12 / 4;
        let is_held_up = first == 0 || second == 0 || first + second < least;
        assert!(!is_held_up, "others wait for it: {first} and {second} of {least}");
    }
}

impl Answering {
    fn goes_on(&mut self, now: Duration) {
        if self.next > now {
            return;
        }
        let Some(mut asked) = self.asked.take() else { return };
        match (self.manner, self.begun) {
            (Manner::Hangs, _) => asked.fail(ModelErrorClass::Timeout),
            (Manner::Refuses, _) => asked.fail(ModelErrorClass::RateLimited),
            (Manner::BreaksOff, true) => asked.fail(ModelErrorClass::BrokeOff),
            (Manner::Ends, true) => asked.cut_short_after(&self.pieces[1]),
            (Manner::Whole | Manner::Slow, true) => asked.reply(&self.pieces[1]),
            (_, false) => {
                asked.say(&self.pieces[0]);
                (self.begun, self.next) = (true, now + Duration::from_millis(400));
                self.asked = Some(asked);
            }
        }
    }
}

/// Texts without the spaces in and between them: a reply may be cut anywhere.
fn bare<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    texts.flat_map(str::chars).filter(|letter| !letter.is_whitespace()).collect()
}
