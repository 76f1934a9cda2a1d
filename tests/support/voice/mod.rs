//! A small Discord voice server on the loopback interface: what the real voice library joins, unmodified.
//!
//! It is opened in a [`DiscordWorld`](super::discord::DiscordWorld), whose people then talk in its calls:
//!
//! ```ignore
//! let world = DiscordWorld::start().await;
//! let voice = world.opens_voice(VoiceOptions::encrypted(Committer::People)).await;
//! let (home, alice) = …;
//! let lounge = home.call("Lounge");
//! alice.joins(&lounge, false);
//! // … the bot joins …
//! voice.bot_is_in(&lounge).await;
//! let said = voice.speaks(&alice, &lounge, &Sound::tone(1000.0, 0.4, 500), &Line::default()).await;
//! let probe = voice.hears(&lounge, "an answer", |probe| probe.audible_ms() > 400).await;
//! ```
//!
//! What is real: TLS, the websocket's dialect, IP discovery, both transport encryptions, DAVE with real members, RTP with
//! extensions and padding, the silence frames at the end of speech and the nothing after them. People send in real time.

#![allow(dead_code, reason = "a world has more in it than the tests of one moment use")]

mod dave;
mod gateway;
mod line;
mod probe;
mod room;
mod sound;
mod transport;
pub mod trust;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until, timeout};

pub use dave::{Committer, Hold};
pub use line::{Announced, Line};
pub use probe::{Heard, Probe};
pub use room::Garbled;
pub use sound::{Coding, FRAME, RATE, SILENCE, Sound, amplitude, decoded, espeak};
pub use transport::{Mode, Shape};

use self::dave::Delivery;
use self::room::{Out, Room, Sent};
use super::discord::{BOT, Channel, PATIENCE, Person};

/// The bot's SSRC in every call.
pub const BOT_SSRC: u32 = 1111;

/// What kind of voice server it is.
#[derive(Debug, Clone, Copy, Default)]
pub struct VoiceOptions {
    /// How packets are encrypted between client and server.
    pub mode: Mode,
    /// Whose commits count where members encrypt between them; `None` where they do not.
    pub members: Option<Committer>,
}

impl VoiceOptions {
    /// With end-to-end encryption.
    pub fn encrypted(committer: Committer) -> Self {
        Self { members: Some(committer), ..Self::default() }
    }
}

/// How the server is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Health {
    #[default]
    Well,
    /// It closes every new connection at once.
    Refusing,
    /// It takes new connections and says nothing.
    Mute,
}

/// What a person has sent.
#[derive(Debug, Clone)]
pub struct Spoken {
    pub ssrc: u32,
    /// The frames, without the silence at the end.
    pub frames: Vec<Vec<u8>>,
    /// When the first packet was sent.
    pub began: Instant,
    /// When the last packet with sound was sent.
    pub ended: Instant,
    /// When each packet was sent, silence included.
    pub sent: Vec<Instant>,
    /// Of each packet that was not lost: which one of all it is, its number on the line, and when it left for the bot.
    pub delivered: Vec<(usize, u16, Instant)>,
    /// Packets that were sent and not lost, silence included.
    pub arrived: usize,
}

/// Packets of a person that have not arrived yet.
pub struct OnTheirWay(Vec<Sent>);

/// Every call of one world. Cloning gives another handle to the same server.
#[derive(Clone)]
pub struct VoiceServer {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    changed: watch::Sender<u64>,
    port: u16,
}

struct State {
    options: VoiceOptions,
    rooms: BTreeMap<u64, Room>,
    /// Which call a token opens.
    tickets: HashMap<String, u64>,
    connections: u64,
    /// Connections that did not trust the certificate.
    strangers: usize,
    health: Health,
    held: Vec<TcpStream>,
}

impl VoiceServer {
    pub async fn start(options: VoiceOptions) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let state = State {
            options,
            rooms: BTreeMap::new(),
            tickets: HashMap::new(),
            connections: 0,
            strangers: 0,
            health: Health::Well,
            held: Vec::new(),
        };
        let shared = Shared {
            state: Mutex::new(state),
            changed: watch::Sender::new(0),
            port: listener.local_addr().unwrap().port(),
        };
        let server = Self { shared: Arc::new(shared) };
        tokio::spawn(gateway::take_connections(server.clone(), listener));
        server
    }

    /// What the main gateway tells a bot that joins a call: where, and with which token.
    pub fn invites(&self, channel: u64) -> (String, String) {
        let token = self.change(|state| {
            state.room(channel);
            let token = format!("voice-{channel}-{}", state.tickets.len());
            state.tickets.insert(token.clone(), channel);
            token
        });
        (format!("localhost:{}", self.shared.port), token)
    }

    pub(in crate::support) fn enters(&self, channel: u64, user: u64) {
        self.change(|state| state.room(channel).enters(user));
    }

    pub(in crate::support) fn leaves(&self, channel: u64, user: u64) {
        self.change(|state| state.room(channel).leaves(user));
    }

    /// A person's client connects to the call anew, with another stream, and is in the channel all the while.
    pub fn reconnects(&self, person: &Person, call: &Channel) {
        self.change(|state| {
            let room = state.room(call.id());
            room.leaves(person.id());
            room.enters(person.id());
        });
    }

    /// The bot is no longer in a call.
    pub(in crate::support) fn dismisses(&self, channel: u64) {
        self.close(channel, 4014);
    }

    /// Ends the bot's connection to a call with one of Discord's close codes.
    pub fn closes(&self, call: &Channel, code: u16) {
        self.close(call.id(), code);
    }

    fn close(&self, channel: u64, code: u16) {
        self.change(|state| {
            let room = state.room(channel);
            if let Some(link) = &room.link {
                link.say(Out::Close(code));
                let number = link.number;
                room.unlink(number);
            }
        });
    }

    /// From now on new connections fare so.
    pub fn becomes(&self, health: Health) {
        self.change(|state| state.health = health);
    }

    fn health(&self) -> Health {
        self.look(|state| state.health)
    }

    fn keep(&self, stream: TcpStream) {
        self.change(|state| state.held.push(stream));
    }

    /// From now on the bot cannot read what this person sends, or can again.
    pub fn garbles(&self, person: &Person, call: &Channel, garbled: Garbled) {
        self.change(|state| {
            if let Some(talker) = state.room(call.id()).people.get_mut(&person.id()) {
                talker.garbled = garbled;
            }
        });
    }

    /// Waits until the bot is connected to a call, and where members encrypt between them, until it is one.
    pub async fn bot_is_in(&self, call: &Channel) {
        self.wait("the bot in the call", |state| {
            let room = state.rooms.get(&call.id())?;
            let is_open = room.link.as_ref().is_some_and(|link| link.is_open && link.peer.is_some());
            let is_member = room.delivery.as_ref().is_none_or(|group| group.has_bot() && group.is_settled());
            (is_open && is_member).then_some(())
        })
        .await;
    }

    /// Waits until everybody in a call has the same keys.
    pub async fn is_settled(&self, call: &Channel) {
        self.wait("the same keys for all", |state| {
            let group = state.rooms.get(&call.id())?.delivery.as_ref()?;
            group.is_settled().then_some(())
        })
        .await;
    }

    /// From now on changes of a call's keys get no further than this; what was held back goes on as far as it may now.
    pub fn holds(&self, call: &Channel, hold: Hold) {
        self.changes_keys(call, |group| group.holds(hold));
    }

    /// The people in a call and the bot do without encryption between them from now on.
    pub fn downgrades(&self, call: &Channel) {
        self.changes_keys(call, Delivery::downgrades);
    }

    /// Everybody in a call founds a new group, and encrypts from then on.
    pub fn founds_anew(&self, call: &Channel) {
        self.changes_keys(call, Delivery::founds_anew);
    }

    fn changes_keys(&self, call: &Channel, change: impl FnOnce(&mut Delivery) -> Vec<dave::ToBot>) {
        self.change(|state| {
            let room = state.room(call.id());
            let out = change(room.delivery.as_mut().expect("a call with encryption between its members"));
            room.pass_on(out);
            room.listen();
        });
    }

    /// Waits until the bot is ready for a change of keys that is held back from the people.
    pub async fn bot_waits(&self, call: &Channel) {
        self.wait("the bot to be ready for other keys", |state| {
            let group = state.rooms.get(&call.id())?.delivery.as_ref()?;
            group.bot_waits().then_some(())
        })
        .await;
    }

    /// Waits until the bot has read all that the server has said to it so far.
    pub async fn bot_has_read(&self, call: &Channel) {
        let ping = self.change(|state| state.room(call.id()).link.as_mut().map(room::Link::ping));
        let Some(ping) = ping else { return };
        self.wait("the bot to have read all", |state| {
            state.rooms.get(&call.id())?.link.as_ref().is_none_or(|link| link.pongs >= ping).then_some(())
        })
        .await;
    }

    /// How often the keys of a call have changed, and how often the bot could not follow.
    pub fn key_changes(&self, call: &Channel) -> (usize, usize) {
        self.look(|state| {
            let group = state.rooms[&call.id()].delivery.as_ref().unwrap();
            (group.changes, group.refusals)
        })
    }

    /// How often the bot has connected to a call.
    pub fn connections(&self, call: &Channel) -> usize {
        self.look(|state| state.rooms.get(&call.id()).map_or(0, |room| room.connections))
    }

    /// Waits until the bot has connected to a call this many times.
    pub async fn has_connected(&self, call: &Channel, times: usize) {
        self.wait(&format!("{times} connection(s) to the call"), |state| {
            (state.rooms.get(&call.id())?.connections >= times).then_some(())
        })
        .await;
    }

    /// What the bot has sent into a call so far.
    pub fn probe(&self, call: &Channel) -> Probe {
        self.look(|state| state.probe(call.id()))
    }

    /// Everything that the bot sends into a call from now on, as it comes; [`Self::probe`] keeps nothing of it.
    pub fn taps(&self, call: &Channel) -> mpsc::UnboundedReceiver<Heard> {
        let (tap, heard) = mpsc::unbounded_channel();
        self.change(|state| state.room(call.id()).tap = Some(tap));
        heard
    }

    /// Waits until what the bot has sent is so.
    pub async fn hears(&self, call: &Channel, what: &str, so: impl Fn(&Probe) -> bool) -> Probe {
        self.wait(what, |state| Some(state.probe(call.id())).filter(&so)).await
    }

    /// The SSRC of a person.
    pub fn ssrc(&self, person: &Person, call: &Channel) -> u32 {
        self.look(|state| state.rooms[&call.id()].people[&person.id()].ssrc)
    }

    /// A person says something; returns when all of it is sent.
    pub async fn speaks(&self, person: &Person, call: &Channel, sound: &Sound, line: &Line) -> Spoken {
        self.sends(person, call, sound.frames(), line).await
    }

    /// A person sends these Opus frames.
    pub async fn sends(&self, person: &Person, call: &Channel, frames: Vec<Vec<u8>>, line: &Line) -> Spoken {
        let (channel, user) = (call.id(), person.id());
        let silence = std::iter::repeat_n(SILENCE.to_vec(), line.silence_frames);
        let all: Vec<Vec<u8>> = frames.iter().cloned().chain(silence).collect();
        if line.announced == Announced::First {
            self.announces(channel, user).await;
        }
        // A packet is made when it is sent, and arrives when the network has had its way with it.
        let arrivals = line.arrivals(all.len());
        let made = (0..all.len()).map(|at| (line.pace * u32::try_from(at).unwrap(), 0, at));
        let come = arrivals.iter().enumerate().filter_map(|(at, due)| Some(((*due)?, 1, at)));
        let mut steps: Vec<(Duration, u8, usize)> = made.chain(come).collect();
        steps.sort();
        let began = Instant::now();
        let mut under_way = HashMap::new();
        let (mut ended, mut arrived, mut sent) = (began, 0, Vec::with_capacity(all.len()));
        let mut delivered = Vec::with_capacity(all.len());
        for (due, step, at) in steps {
            sleep_until(began + due).await;
            if step == 0 {
                if line.announced == Announced::After(at) {
                    self.announces(channel, user).await;
                }
                let packet = self.change(|state| state.room(channel).packet(user, &all[at], line.shape));
                under_way.insert(at, packet);
                sent.push(Instant::now());
                if at < frames.len() {
                    ended = Instant::now();
                }
            } else if let Some(Some(packet)) = under_way.remove(&at) {
                packet.udp.send_to(&packet.bytes, packet.peer).await.unwrap();
                delivered.push((at, packet.place.sequence, Instant::now()));
                arrived += 1;
            }
        }
        Spoken { ssrc: self.ssrc(person, call), frames, began, ended, sent, delivered, arrived }
    }

    /// A person sends these frames with the keys they have now; they stay on their way until [`Self::arrive`].
    pub fn on_their_way(&self, person: &Person, call: &Channel, frames: &[Vec<u8>]) -> OnTheirWay {
        let made = frames.iter().filter_map(|frame| {
            self.change(|state| state.room(call.id()).packet(person.id(), frame, Shape::default()))
        });
        OnTheirWay(made.collect())
    }

    /// Packets that were on their way come to the bot.
    pub async fn arrive(&self, packets: OnTheirWay) {
        for packet in packets.0 {
            packet.udp.send_to(&packet.bytes, packet.peer).await.unwrap();
        }
    }

    /// Nothing is sent for a while: a client's clock goes on, its packets do not.
    pub fn pauses(&self, person: &Person, call: &Channel, ms: u32) {
        self.change(|state| state.room(call.id()).pause(person.id(), ms * (RATE / 1000)));
    }

    /// Tells the bot whose packets come with a person's SSRC, and waits until it knows.
    async fn announces(&self, channel: u64, user: u64) {
        let Some((told, ping)) = self.change(|state| state.room(channel).announce(user)) else { return };
        self.wait("the bot to know who speaks", |state| {
            let link = state.rooms.get(&channel)?.link.as_ref();
            // Of a connection that has ended meanwhile nothing comes any more.
            link.is_none_or(|link| link.number != told || link.pongs >= ping).then_some(())
        })
        .await;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look<T>(&self, look: impl FnOnce(&State) -> T) -> T {
        look(&self.lock())
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let done = change(&mut self.lock());
        self.shared.changed.send_modify(|count| *count += 1);
        done
    }

    async fn wait<T>(&self, what: &str, find: impl Fn(&State) -> Option<T>) -> T {
        let mut changed = self.shared.changed.subscribe();
        let found = timeout(PATIENCE, async {
            loop {
                changed.mark_unchanged();
                if let Some(found) = self.look(&find) {
                    return found;
                }
                changed.changed().await.expect("the server is there while it is waited for");
            }
        });
        match found.await {
            Ok(found) => found,
            Err(_) => panic!("waited in vain for {what}; {}", self.look(State::shown)),
        }
    }
}

impl State {
    fn room(&mut self, channel: u64) -> &mut Room {
        let members = self.options.members;
        self.rooms
            .entry(channel)
            .or_insert_with(|| Room::new(members.map(|committer| Delivery::new(channel, BOT, committer))))
    }

    fn probe(&self, channel: u64) -> Probe {
        let room = self.rooms.get(&channel);
        Probe {
            packets: room.map(|room| room.heard.clone()).unwrap_or_default(),
            unreadable: room.map_or(0, |room| room.unreadable),
        }
    }

    fn shown(&self) -> String {
        let rooms: Vec<String> = self
            .rooms
            .iter()
            .map(|(channel, room)| {
                let link = room.link.as_ref().map(|link| (link.is_open, link.peer.is_some()));
                let group = room.delivery.as_ref().map(|group| (group.has_bot(), group.is_settled()));
                format!(
                    "call {channel}: people {:?}, link (open, seen) {link:?}, group (bot, settled) {group:?}, {} packets sent, \
                     {} heard, {} unreadable, {} connections",
                    room.people.keys().collect::<Vec<_>>(),
                    room.sent,
                    room.heard.len(),
                    room.unreadable,
                    room.connections,
                )
            })
            .collect();
        format!("{} strangers; {}", self.strangers, rooms.join("; "))
    }
}
