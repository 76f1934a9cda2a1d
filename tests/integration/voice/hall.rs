//! A familiar that can be called in, with a listener that writes down what it is told where the voice room would be.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use familiar_connect::discord::{CallDeps, CallHost, CallTimes};
use familiar_connect::domain::{AccountId, Place};
use familiar_connect::voice::{CallEvent, CallNotice, CallPort, Playout};
use serde_json::json;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use crate::discord::rig::Rig;
use crate::support::discord::{Answer, Channel, DiscordWorld, Guild, PATIENCE, Person};
use crate::support::voice::{SILENCE, Spoken, VoiceOptions, VoiceServer};

/// Writes down every call.
#[derive(Debug)]
pub struct Recorder {
    calls: Mutex<Vec<Arc<Recorded>>>,
    changed: watch::Sender<u64>,
}

/// One call, as whoever listens there is told of it.
#[derive(Debug)]
pub struct Recorded {
    pub place: Place,
    pub playout: Arc<Playout>,
    events: Mutex<Vec<CallEvent>>,
    notices: Mutex<Option<mpsc::Sender<CallNotice>>>,
    changed: watch::Sender<u64>,
}

impl CallHost for Recorder {
    fn begins(&self, place: Place, mut port: CallPort) {
        let call = Arc::new(Recorded {
            place,
            playout: port.playout,
            events: Mutex::default(),
            notices: Mutex::new(Some(port.notices)),
            changed: self.changed.clone(),
        });
        self.calls.lock().unwrap().push(Arc::clone(&call));
        self.changed.send_modify(|count| *count += 1);
        tokio::spawn(async move {
            while let Some(event) = port.events.recv().await {
                let closes = matches!(event, CallEvent::Close);
                call.events.lock().unwrap().push(event);
                if closes {
                    call.notices.lock().unwrap().take();
                }
                call.changed.send_modify(|count| *count += 1);
            }
        });
    }
}

impl Recorder {
    fn new() -> Self {
        Self { calls: Mutex::default(), changed: watch::Sender::new(0) }
    }

    /// The calls there were and are, oldest first.
    pub fn calls(&self) -> Vec<Arc<Recorded>> {
        self.calls.lock().unwrap().clone()
    }

    /// Waits for the call of this number, counted from 0.
    pub async fn call(&self, number: usize) -> Arc<Recorded> {
        until(&self.changed, "a call", || self.calls().get(number).cloned()).await
    }
}

impl Recorded {
    pub fn events(&self) -> Vec<CallEvent> {
        self.events.lock().unwrap().clone()
    }

    /// Tells the bridge something.
    pub async fn notices(&self, notice: CallNotice) {
        let sender = self.notices.lock().unwrap().clone().expect("the call goes on");
        sender.send(notice).await.unwrap();
    }

    /// Waits until the events are so.
    pub async fn tells<T>(&self, what: &str, find: impl Fn(&[CallEvent]) -> Option<T>) -> T {
        let found = until(&self.changed, what, || find(&self.events.lock().unwrap()));
        found.await
    }

    /// Waits for an event.
    pub async fn tells_of(&self, what: &str, is_it: impl Fn(&CallEvent) -> bool) {
        self.tells(what, |events| events.iter().any(&is_it).then_some(())).await;
    }

    /// The Opus frames with sound that came with an SSRC.
    pub fn frames(&self, ssrc: u32) -> Vec<Vec<u8>> {
        frames(&self.events.lock().unwrap(), ssrc)
    }

    /// Waits until all that was said is there, the silence at its end included; gives the frames with sound.
    pub async fn hears(&self, said: &Spoken) -> Vec<Vec<u8>> {
        let what = format!("{} frames of {}", said.frames.len(), said.ssrc);
        let arrived = |events: &[CallEvent]| {
            let frames = frames(events, said.ssrc);
            let last = events.iter().rev().find_map(|event| match event {
                CallEvent::Packet { packet, .. } if packet.ssrc == said.ssrc => Some(packet.is_silence()),
                _ => None,
            });
            (frames.len() >= said.frames.len() && last == Some(true)).then_some(frames)
        };
        self.tells(&what, arrived).await
    }

    /// Whose an SSRC is said to be.
    pub fn owner(&self, ssrc: u32) -> Option<AccountId> {
        self.events.lock().unwrap().iter().rev().find_map(|event| match event {
            CallEvent::Packet { account, packet } if packet.ssrc == ssrc => Some(account.clone()),
            _ => None,
        })
    }

    /// Whether somebody is said to agree to be heard.
    pub fn consents(&self, person: &Person) -> Option<bool> {
        consents(&self.events.lock().unwrap(), person)
    }

    /// Waits until somebody is said to agree to be heard, or to decline.
    pub async fn is_told_of_consent(&self, person: &Person, consents: bool) {
        self.tells("word of consent", |events| {
            (self::consents(events, person) == Some(consents)).then_some(())
        })
        .await;
    }
}

fn consents(events: &[CallEvent], person: &Person) -> Option<bool> {
    let wanted = AccountId::discord(person.id());
    events.iter().rev().find_map(|event| match event {
        CallEvent::Joined(participant) if participant.author.account == wanted => Some(participant.consents),
        CallEvent::ConsentChanged { account, consents } if *account == wanted => Some(*consents),
        _ => None,
    })
}

/// The Opus frames with sound that came with an SSRC.
pub fn frames(events: &[CallEvent], ssrc: u32) -> Vec<Vec<u8>> {
    let packets = events.iter().filter_map(|event| match event {
        CallEvent::Packet { packet, .. } if packet.ssrc == ssrc && *packet.opus != SILENCE => Some(packet),
        _ => None,
    });
    packets.map(|packet| packet.opus.to_vec()).collect()
}

async fn until<T>(changed: &watch::Sender<u64>, what: &str, find: impl Fn() -> Option<T>) -> T {
    let mut changed = changed.subscribe();
    let found = timeout(PATIENCE, async {
        loop {
            changed.mark_unchanged();
            if let Some(found) = find() {
                return found;
            }
            changed.changed().await.unwrap();
        }
    });
    found.await.unwrap_or_else(|_| panic!("waited in vain for {what}"))
}

/// A guild with a call, people, and a familiar that can be called in.
pub struct Hall {
    pub world: DiscordWorld,
    pub voice: VoiceServer,
    pub home: Guild,
    pub general: Channel,
    pub lounge: Channel,
    pub alice: Person,
    pub ben: Person,
    pub recorder: Arc<Recorder>,
    pub rig: Rig,
}

/// As in life, but nothing that a test waits for takes long.
pub fn brisk() -> CallTimes {
    CallTimes {
        grace: Duration::from_millis(40),
        alone: Duration::from_millis(40),
        again: Duration::from_millis(10),
        rewrite: Duration::from_millis(20),
        ..CallTimes::default()
    }
}

impl Hall {
    pub async fn open(options: VoiceOptions) -> Self {
        Self::open_with(options, CallTimes::default(), |_| String::new()).await
    }

    /// With other times, and what a run before has left behind. Alice is in the lounge.
    pub async fn open_with(
        options: VoiceOptions,
        times: CallTimes,
        before: impl FnOnce(&Beforehand) -> String,
    ) -> Self {
        let world = DiscordWorld::start().await;
        let voice = world.opens_voice(options).await;
        let home = world.guild("home");
        let (general, lounge) = (home.channel("general"), home.call("Lounge"));
        let (alice, ben) = (home.member("alice"), home.member("ben"));
        alice.joins(&lounge, false);
        let recorder = Arc::new(Recorder::new());
        let host: Arc<dyn CallHost> = Arc::<Recorder>::clone(&recorder);
        let before = before(&Beforehand {
            home: home.clone(),
            lounge: lounge.clone(),
            alice: alice.clone(),
            ben: ben.clone(),
        });
        let rig = Rig::calling(&world, &before, CallDeps { host, times: Some(times) }).await;
        Self { world, voice, home, general, lounge, alice, ben, recorder, rig }
    }

    /// Alice calls the familiar in.
    pub async fn alice_calls(&self) -> Arc<Recorded> {
        let answer = self.runs(&self.alice, "/subscribe-my-voice").await;
        assert!(answer.content.contains("listens to you"), "{answer:?}");
        self.voice.bot_is_in(&self.lounge).await;
        self.recorder.call(0).await
    }

    /// The same, and what is told there of it has been read.
    pub async fn alice_has_called(&self) -> Arc<Recorded> {
        let call = self.alice_calls().await;
        self.lounge.next_message().await;
        call
    }

    /// More of what is set of voices, from now on.
    pub fn sets(&self, more: &str) {
        let settings = self.rig.home.character_toml();
        let before = std::fs::read_to_string(&settings).unwrap();
        std::fs::write(&settings, format!("{before}\n[voice]\n{more}")).unwrap();
        self.rig.config.reload();
    }

    pub async fn runs(&self, person: &Person, command: &str) -> Answer {
        person.runs(&self.general, command, json!({})).await
    }
}

/// What there is before the familiar starts.
pub struct Beforehand {
    pub home: Guild,
    pub lounge: Channel,
    pub alice: Person,
    pub ben: Person,
}
