//! A long call with four people who talk as they like, engines that fail, and people who come and go; time is made up.
//!
//! `FAMILIAR_SOAK=60 cargo test --test integration soak -- --nocapture` plays an hour and prints what happened.

mod audible;
mod engines;
mod people;
mod text;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use familiar_connect::clock::SharedClock;
use familiar_connect::domain::*;
use familiar_connect::history::RecentQuery;
use familiar_connect::voice::end_of_turn::EndOfTurn;
use familiar_connect::voice::engines::{Synthesizer, Transcriber};
use familiar_connect::voice::frame::{FRAME_TIME, OUT_FRAME};
use familiar_connect::voice::{
    Call, CallEvent, CallLine, CallNotice, CallParts, CallTeller, KnownVoice, Participant, Playout,
};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

use self::audible::{Audible, compare, replies_in};
use self::engines::{Ears, Fault, Voice, WORDS};
use self::people::{Presence, Talker};
use crate::support::call::{patiently, wheelhouse};
use crate::support::stage::{Asked, MESSAGES, Stage, UNADDRESSED};

const PEOPLE: [&str; 4] = ["ana", "bob", "cleo", "dora"];

/// Minutes of call, where nobody asks for more.
const MINUTES: u64 = 2;

/// Frames of a minute.
const MINUTE: u64 = 3_000;

/// How often everybody holds their tongue, to see that everything comes to rest, in minutes.
const REST_EVERY: u64 = 4;

/// An answer that a model is writing.
struct Answering {
    asked: Option<Asked>,
    pieces: VecDeque<String>,
    /// The frame of the next piece.
    next: u64,
    /// With so many pieces left it fails.
    fails_at: Option<usize>,
}

#[derive(Debug, Default)]
struct Counts {
    utterances: usize,
    nods_and_coughs: usize,
    typed: usize,
    requests: usize,
    model_failures: usize,
    leavings: usize,
    withdrawals: usize,
    outages: usize,
}

struct Soak {
    stage: Stage,
    playout: Arc<Playout>,
    teller: CallTeller,
    ears: Arc<Ears>,
    voice: Arc<Voice>,
    written: Arc<Mutex<Vec<String>>>,
    people: Vec<Talker>,
    answering: Vec<Answering>,
    audible: Audible,
    dice: StdRng,
    /// About how many seconds the voice holds.
    breaks: u64,
    frame: u64,
    /// Nothing fails for now.
    steady: bool,
    next_line: usize,
    /// Every line that was said.
    said: BTreeSet<String>,
    /// Lines of people who left or withdrew meanwhile: they may be stored or not.
    excused: BTreeSet<String>,
    counts: Counts,
    /// Keeps the clock from running on by itself.
    still: std::sync::mpsc::Sender<()>,
}

#[tokio::test(start_paused = true)]
async fn s6_in_a_long_call_no_turn_is_lost_and_nothing_gets_stuck() {
    let minutes = std::env::var("FAMILIAR_SOAK").ok().and_then(|m| m.parse().ok()).unwrap_or(MINUTES);
    for (seed, settings) in [(1, "answer_ahead = false\n"), (2, "answer_ahead = true\n")] {
        soak(seed, minutes, settings, 60).await;
    }
}

/// Nearly every reply is finished in writing: what was heard of each of them is remembered with what was written.
#[tokio::test(start_paused = true)]
async fn s6_with_a_voice_that_fails_all_the_time_nothing_is_lost_either() {
    soak(3, 2, "", 3).await;
}

/// `breaks`: about how many seconds the voice holds.
async fn soak(seed: u64, minutes: u64, settings: &str, breaks: u64) {
    let (mut soak, call) = Soak::open(seed, settings, breaks).await;
    for who in 0..PEOPLE.len() {
        soak.joins(who).await;
    }
    let mut at_rest = Vec::new();
    for minute in 1..=minutes {
        soak.steady = false;
        for _ in 0..MINUTE {
            soak.chance().await;
            soak.pass().await;
        }
        if minute % REST_EVERY == 0 || minute == minutes {
            at_rest.push(soak.rest().await);
            soak.still_answers().await;
        }
    }
    let (first, _) = at_rest[0];
    assert!(at_rest.iter().all(|(tasks, _)| *tasks <= first + PEOPLE.len()), "tasks pile up: {at_rest:?}");
    // What is kept is full by then: in the last quarter of an hour nothing may grow (voice 6).
    if minutes >= 60 {
        let (before, after) = (at_rest[at_rest.len() * 3 / 4].1, at_rest[at_rest.len() - 1].1);
        assert!(after <= before + before / 50, "memory grows: {at_rest:?}");
    }
    soak.rest().await;
    soak.ends(call, minutes, at_rest).await;
}

impl Soak {
    async fn open(seed: u64, settings: &str, breaks: u64) -> (Self, Call) {
        let (still, stands) = std::sync::mpsc::channel::<()>();
        let settings = format!("[voice]\nfillers = []\n{settings}\n[typing_simulation]\nenabled = false\n");
        let stage = Stage::with(&settings, MESSAGES).await;
        // As long as something blocks, a paused clock does not move by itself.
        tokio::task::spawn_blocking(move || stands.recv().is_ok());
        let (line, port) = CallLine::open();
        let (ears, voice) = (Arc::new(Ears::default()), Arc::new(Voice::default()));
        let clock: SharedClock = Arc::new(stage.clock.clone());
        let transcriber: Arc<dyn Transcriber> = Arc::<Ears>::clone(&ears);
        let synthesizer: Arc<dyn Synthesizer> = Arc::<Voice>::clone(&voice);
        let teller = line.teller();
        let playout = Arc::clone(&line.playout);
        let parts = CallParts {
            why_not: [None, None],
            known: KnownVoice::default(),
            session: stage.session.clone(),
            config: Arc::clone(&stage.config),
            clock,
            place: wheelhouse(),
            transcriber: Some(transcriber),
            synthesizer: Some(synthesizer),
            end_of_turn: EndOfTurn::default(),
            greeting: None,
            seed,
            now: Arc::default(),
        };
        let call = Call::start(port, parts);
        let written = Arc::new(Mutex::new(Vec::new()));
        let (kept, mut notices) = (Arc::clone(&written), line.notices);
        tokio::spawn(async move {
            // As Discord does, it gives every message a number of its own: what has one that is known is not stored again.
            let mut next = 77_u64;
            while let Some(notice) = notices.recv().await {
                if let CallNotice::Written { text, posted, .. } = notice {
                    kept.lock().unwrap().push(text);
                    let _gone = posted.send(Ok(vec![MessageId::from(next)]));
                    next += 1;
                }
            }
        });
        let people = (0..).zip(PEOPLE).map(|(nth, who)| Talker::new(nth, who)).collect();
        let soak = Self {
            stage,
            playout,
            teller,
            ears,
            voice,
            written,
            people,
            answering: Vec::new(),
            audible: Audible::default(),
            dice: StdRng::seed_from_u64(seed),
            breaks,
            frame: 0,
            steady: false,
            next_line: 0,
            said: BTreeSet::new(),
            excused: BTreeSet::new(),
            counts: Counts::default(),
            still,
        };
        (soak, call)
    }

    /// Whether something happens about once in so many seconds.
    fn once_in(&mut self, seconds: u64) -> bool {
        self.dice.random_range(0..seconds * 50) == 0
    }

    async fn joins(&mut self, nth: usize) {
        let talker = &mut self.people[nth];
        talker.presence = Presence::Here;
        let author = talker.author.clone();
        let participant = Participant { author, consents: true, can_stop: nth == 0 };
        self.teller.tell(CallEvent::Joined(participant)).await;
    }

    /// They are gone, or do not want to be heard: what they were about to say need not arrive.
    async fn withdraws(&mut self, nth: usize, leaves: bool) {
        let until = self.frame + self.dice.random_range(100..1_000);
        let talker = &mut self.people[nth];
        let account = talker.author.account.clone();
        talker.presence = if leaves { Presence::Away { until } } else { Presence::Unheard { until } };
        let recent = talker.recent.drain(..).map(|(_, text)| text);
        self.excused.extend(recent);
        self.ears.forget(&account);
        let event = if leaves {
            self.people[nth].falls_silent();
            self.counts.leavings += 1;
            CallEvent::Left(account)
        } else {
            self.counts.withdrawals += 1;
            CallEvent::ConsentChanged { account, consents: false }
        };
        self.teller.tell(event).await;
    }

    /// What may happen at any moment.
    async fn chance(&mut self) {
        for nth in 0..self.people.len() {
            match self.people[nth].presence {
                Presence::Here if self.people[nth].is_silent() => {
                    // An answer invites to talk over it.
                    let often = if self.playout.is_idle() { 14 } else { 7 };
                    if self.once_in(often) {
                        self.begins(nth);
                    } else if self.once_in(240) {
                        self.withdraws(nth, true).await;
                    }
                }
                Presence::Here => {
                    if self.once_in(60) {
                        let leaves = self.dice.random_bool(0.5);
                        self.withdraws(nth, leaves).await;
                    }
                }
                Presence::Away { until } if until <= self.frame => self.joins(nth).await,
                Presence::Unheard { until } if until <= self.frame => {
                    self.people[nth].presence = Presence::Here;
                    let account = self.people[nth].author.account.clone();
                    self.teller.tell(CallEvent::ConsentChanged { account, consents: true }).await;
                }
                Presence::Away { .. } | Presence::Unheard { .. } => {}
            }
        }
        let fault = [Fault::Fails, Fault::Closes, Fault::Slow][self.dice.random_range(0..3)];
        if self.once_in(45) {
            self.ears.breaks(fault);
        }
        if self.once_in(self.breaks) {
            self.voice.breaks(fault);
        }
        if self.once_in(150) {
            self.ears.refuses(true);
        } else if self.once_in(5) {
            self.ears.refuses(false);
        }
        if self.once_in(200) {
            self.counts.outages += 1;
            self.teller.tell(CallEvent::Disconnected { reason: "the soak".to_owned() }).await;
            self.teller.tell(CallEvent::Reconnected).await;
        }
        if self.once_in(90) {
            self.types().await;
        }
    }

    /// Somebody begins to say something, or coughs, or nods.
    fn begins(&mut self, nth: usize) {
        let number = self.next_line;
        self.next_line += 1;
        let text = match self.dice.random_range(0..12) {
            0..=2 => format!("Mika what do you know about number {number}?"),
            3 | 4 => format!("do you remember number {number}?"),
            5 | 6 => format!("I put number {number} on the long list."),
            7 => format!("and number {number} was the"),
            8 => format!("Bob have you seen number {number}?"),
            9 => format!("Mika stop, number {number} comes first."),
            10 => "Mm-hm.".to_owned(),
            _ => String::new(),
        };
        let is_line = text.contains("number");
        let (frame, talker) = (self.frame, &mut self.people[nth]);
        talker.recent.retain(|(at, _)| at + 750 > frame);
        if is_line {
            self.said.insert(text.clone());
            talker.recent.push((frame, text.clone()));
            self.counts.utterances += 1;
        } else {
            self.counts.nods_and_coughs += 1;
        }
        if !text.is_empty() {
            self.ears.will_hear(&talker.author.account, text);
        }
        let parts = if is_line { self.dice.random_range(1..4) } else { 1 };
        let long = if is_line { 40..140 } else { 8..30 };
        for _ in 0..parts {
            let (voiced, pause) = (self.dice.random_range(long.clone()), self.dice.random_range(5..45));
            self.people[nth].plan.push((voiced, pause));
        }
    }

    async fn types(&mut self) {
        self.counts.typed += 1;
        let text = format!("typed number {}", self.next_line);
        self.next_line += 1;
        let hints = UNADDRESSED;
        let event = self.stage.message(&wheelhouse(), PEOPLE[self.dice.random_range(0..4)], &text, hints);
        if let InboundEvent::Message(message) = event {
            self.teller.tell(CallEvent::Typed(message)).await;
        }
    }

    /// Twenty milliseconds.
    async fn pass(&mut self) {
        for talker in &mut self.people {
            for packet in talker.sends() {
                self.teller.packet(talker.author.account.clone(), packet);
            }
        }
        let mut frame = [0.0; OUT_FRAME];
        self.playout.pull(&mut frame);
        self.audible.hear(&frame);
        self.answer().await;
        tokio::time::advance(FRAME_TIME).await;
        self.stage.clock.advance(FRAME_TIME);
        for _ in 0..60 {
            tokio::task::yield_now().await;
        }
        // The stores have threads of their own, and no time of their own.
        std::thread::yield_now();
        self.frame += 1;
    }

    /// The model writes, at its own speed; now and then it fails.
    async fn answer(&mut self) {
        while self.stage.models.was_asked_again().await {
            let asked = self.stage.models.next().await;
            self.counts.requests += 1;
            let pieces = self.reply();
            let starts = self.frame + self.dice.random_range(10..50);
            let fails = !self.steady && self.dice.random_bool(0.04);
            let fails_at = fails.then(|| self.dice.random_range(0..pieces.len()));
            self.answering.push(Answering {
                asked: Some(asked),
                pieces: pieces.into(),
                next: starts,
                fails_at,
            });
        }
        for answering in &mut self.answering {
            if answering.next > self.frame {
                continue;
            }
            answering.next = self.frame + self.dice.random_range(3..15);
            let Some(mut asked) = answering.asked.take() else { continue };
            if answering.fails_at == Some(answering.pieces.len()) {
                self.counts.model_failures += 1;
                asked.fail(ModelErrorClass::Server);
            } else if let Some(piece) = answering.pieces.pop_front() {
                asked.say(&piece);
                answering.asked = Some(asked);
            } else {
                asked.end();
            }
        }
        self.answering.retain(|answering| answering.asked.is_some());
    }

    /// Some words of its own, in pieces of three.
    fn reply(&mut self) -> Vec<String> {
        let mut text = "Well".to_owned();
        let (mut last, mut is_new) = (0, false);
        for _ in 0..self.dice.random_range(4..24) {
            let mut word = self.dice.random_range(1..WORDS.len());
            if word == last {
                word = word % (WORDS.len() - 1) + 1;
            }
            last = word;
            let mut next = WORDS[word].to_owned();
            if is_new {
                next[..1].make_ascii_uppercase();
            }
            text.push(' ');
            text.push_str(&next);
            let end = self.dice.random_range(0..10);
            is_new = end == 0;
            text.push_str(match end {
                0 => ".",
                1 => ",",
                _ => "",
            });
        }
        let text = format!("{}.", text.trim_end_matches([',', '.']));
        let words: Vec<&str> = text.split_inclusive(' ').collect();
        words.chunks(3).map(<[&str]>::concat).collect()
    }

    /// Everybody holds their tongue and every engine works: it must come to rest. Gives how many tasks are left, and the
    /// memory of the whole test binary in MiB, where the system tells.
    async fn rest(&mut self) -> (usize, u64) {
        self.steady = true;
        self.ears.refuses(false);
        self.ears.heals();
        self.voice.heals();
        for nth in 0..self.people.len() {
            if self.people[nth].presence != Presence::Here {
                self.joins(nth).await;
                let account = self.people[nth].author.account.clone();
                self.teller.tell(CallEvent::ConsentChanged { account, consents: true }).await;
            }
        }
        // Longer than a broken voice is left alone, and than it takes to join in.
        let mut calm = 0;
        for _ in 0..10 * MINUTE {
            self.pass().await;
            let is_calm = self.people.iter().all(Talker::is_silent)
                && self.answering.is_empty()
                && self.playout.queued() == 0;
            calm = if is_calm { calm + 1 } else { 0 };
            if calm > MINUTE / 2 {
                patiently("rest", self.stage.session.settle(&wheelhouse())).await.unwrap();
                return (tokio::runtime::Handle::current().metrics().num_alive_tasks(), resident());
            }
        }
        panic!("minutes after the last word something still goes on: {:?}", self.counts);
    }

    /// After all that it hears and speaks.
    async fn still_answers(&mut self) {
        let (asked, heard) = (self.counts.requests, self.audible.frames);
        let text = format!("Mika what do you know about number {}?", self.next_line);
        self.next_line += 1;
        self.said.insert(text.clone());
        self.ears.will_hear(&self.people[1].author.account, text.clone());
        self.people[1].plan.push((70, 5));
        let (began, first) = (std::time::Instant::now(), self.frame);
        while self.audible.frames <= heard + 20
            && (self.frame < first + MINUTE || began.elapsed() < Duration::from_secs(20))
        {
            self.pass().await;
        }
        if self.counts.requests == asked {
            let stored = self.stage.stored_in(&wheelhouse()).await;
            let last: Vec<&str> = stored.iter().rev().take(4).map(|turn| turn.content.as_str()).collect();
            let outcomes = self.stage.outcomes().await;
            let ended = &outcomes[outcomes.len().saturating_sub(4)..];
            let heard = self.ears.around(&text);
            panic!(
                "frame {}: it is deaf: {:?}, stored last {last:#?}, ended {ended:#?}, recognised {heard:#?}, answering {}",
                self.frame,
                self.counts,
                self.answering.len()
            );
        }
        assert!(self.audible.frames > heard, "it is mute: {:?}", self.counts);
    }

    async fn ends(self, call: Call, minutes: u64, at_rest: Vec<(usize, u64)>) {
        let Self { mut stage, teller, ears, voice, written, audible, said, excused, counts, still, .. } =
            self;
        teller.tell(CallEvent::Close).await;
        let figures = patiently("the end", call.ended()).await;
        drop(still);
        stage.goes_on();
        stage.session.drain().await;
        let query =
            RecentQuery { mode: None, max_turns: 100_000, until: None, encoding: TokenEncoding::CharsOver4 };
        let turns = stage
            .history
            .seen_by(&Visible::at(&wheelhouse()))
            .recent(&wheelhouse().channel, query)
            .await
            .unwrap();
        let (users, own): (Vec<&StoredTurn>, Vec<&StoredTurn>) =
            turns.iter().partition(|turn| turn.role == Role::User);
        let spoken: Vec<&StoredTurn> = users.iter().copied().filter(|turn| turn.message.is_none()).collect();
        let remembered: Vec<Vec<usize>> = own
            .iter()
            .filter_map(|turn| match (&turn.message, turn.content.split_once('\n')) {
                (None, _) => Some(turn.content.as_str()),
                (Some(_), Some((spoken, _))) => Some(spoken),
                (Some(_), None) => None,
            })
            .flat_map(replies_in)
            .collect();
        let frames = audible.frames;
        let heard = audible.replies();
        let fit = compare(&remembered, &heard);
        let (told, lost, ear_faults) = ears.figures();
        let times = |text: &str| spoken.iter().filter(|turn| turn.content.contains(text)).count();
        let mut outcomes: BTreeMap<String, usize> = BTreeMap::new();
        let mut replies = 0;
        for trace in stage.traces.whole().list(100_000).await.unwrap() {
            replies += usize::from(trace.reply.is_some());
            let name = format!("{:?}", trace.outcome);
            let name = name.split([' ', '(', '{']).next().unwrap_or_default().to_owned();
            *outcomes.entry(name).or_default() += 1;
        }
        let (phrases, broken) = *voice.spoken.lock().unwrap();
        println!(
            "{minutes} minutes: {counts:?}\n  {figures:?}\n  faults: {ear_faults} of the ears, {} of {} phrases\n  \
             remembered: {} spoken and {} typed by people, {} of its own ({} written)\n  \
             audible {} s in {} replies: {fit:?}\n  outcomes: {outcomes:?}\n  when at rest (tasks, MiB): {at_rest:?}",
            broken,
            phrases,
            spoken.len(),
            users.len() - spoken.len(),
            own.len(),
            written.lock().unwrap().len(),
            frames / 50,
            heard.len(),
        );
        let twice: Vec<&String> = said.iter().filter(|text| times(text) > 1).collect();
        let story =
            |texts: &[&String]| texts.first().map(|text| ears.around(text).join("\n")).unwrap_or_default();
        assert!(twice.is_empty(), "stored twice: {twice:?}\n{}", story(&twice));
        let gone: Vec<&String> = said
            .iter()
            .filter(|text| times(text) == 0 && told.contains(*text) && !excused.contains(*text))
            .collect();
        assert!(gone.is_empty(), "understood, and lost: {gone:?}\n{}", story(&gone));
        let never: Vec<&String> = said
            .iter()
            .filter(|text| !told.contains(*text) && !lost.contains(*text) && !excused.contains(*text))
            .collect();
        assert!(never.len() <= PEOPLE.len(), "said, and never understood: {never:?}");
        assert_eq!(figures.said, spoken.len() as u64, "what was handed in is what is stored: {figures:?}");
        assert_eq!(own.len(), replies, "whatever reached anybody is remembered, once: {outcomes:?}");
        assert_eq!(users.len() - spoken.len(), counts.typed, "what was typed is stored");
        assert!(fit.wrong.is_empty() && fit.missing == 0, "{fit:?}");
        assert!(fit.exact > 0, "nothing was said: {fit:?}");
        // What was on its way to a recogniser whose connection ended found no room; nothing else.
        assert!(figures.dropped <= ear_faults as u64 * 50, "{figures:?}");
    }
}

/// The memory of the whole test binary in MiB, where the system tells.
fn resident() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").ok();
    let pages = pages.and_then(|text| text.split(' ').nth(1)?.parse::<u64>().ok());
    pages.unwrap_or_default() * 4 / 1024
}
