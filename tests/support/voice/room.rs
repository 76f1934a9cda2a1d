//! One call: who is in it, what they send the bot and what the bot sends them.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::net::UdpSocket;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::dave::{Delivery, MARKER, ToBot};
use super::probe::Heard;
use super::sound::{RATE, SILENCE};
use super::transport::{Place, Shape, Transport};

/// What a connection is told to send.
#[derive(Debug)]
pub(super) enum Out {
    Json(Value),
    Bytes(Vec<u8>),
    Ping(u64),
    Close(u16),
}

/// The bot's connection to a call.
pub(super) struct Link {
    pub number: u64,
    pub tell: mpsc::UnboundedSender<Out>,
    pub udp: Arc<UdpSocket>,
    pub peer: Option<SocketAddr>,
    pub transport: Transport,
    /// Whether the bot has its key.
    pub is_open: bool,
    counter: u32,
    pings: u64,
    pub pongs: u64,
    decoder: opus2::Decoder,
    /// Packets of the bot that were not listened to yet, because the people lack the keys for the first of them.
    waiting: VecDeque<Arrived>,
}

/// A packet of the bot.
struct Arrived {
    at: Instant,
    place: Place,
    payload: Vec<u8>,
}

/// What becomes of a person's packets on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Garbled {
    #[default]
    No,
    /// They are encrypted for somebody else: the bot cannot read them.
    Speech,
}

/// Somebody in a call.
pub(super) struct Talker {
    pub ssrc: u32,
    sequence: u16,
    timestamp: u32,
    pub garbled: Garbled,
}

pub(super) struct Room {
    pub people: BTreeMap<u64, Talker>,
    pub delivery: Option<Delivery>,
    pub link: Option<Link>,
    pub heard: Vec<Heard>,
    /// Who is told of every packet of the bot; then none is kept.
    pub tap: Option<mpsc::UnboundedSender<Heard>>,
    /// Packets of the bot that did not decrypt, or carried something the people could not decrypt.
    pub unreadable: usize,
    /// Packets sent to the bot.
    pub sent: u64,
    /// How often the bot has connected.
    pub connections: usize,
    next_ssrc: u32,
}

/// One packet of a person.
pub(super) struct Sent {
    pub place: Place,
    pub bytes: Vec<u8>,
    pub udp: Arc<UdpSocket>,
    pub peer: SocketAddr,
}

impl Link {
    pub fn new(
        number: u64,
        tell: mpsc::UnboundedSender<Out>,
        udp: Arc<UdpSocket>,
        transport: Transport,
    ) -> Self {
        Self {
            number,
            tell,
            udp,
            peer: None,
            transport,
            is_open: false,
            counter: 0,
            pings: 0,
            pongs: 0,
            decoder: opus2::Decoder::new(RATE, opus2::Channels::Mono).unwrap(),
            waiting: VecDeque::new(),
        }
    }

    pub fn say(&self, out: Out) {
        self.tell.send(out).ok();
    }

    /// Asks the bot to answer when it has read all that was said so far; gives the number it answers with.
    pub fn ping(&mut self) -> u64 {
        self.pings += 1;
        self.say(Out::Ping(self.pings));
        self.pings
    }
}

impl Room {
    pub fn new(delivery: Option<Delivery>) -> Self {
        Self {
            people: BTreeMap::new(),
            delivery,
            link: None,
            heard: Vec::new(),
            tap: None,
            unreadable: 0,
            sent: 0,
            connections: 0,
            next_ssrc: 2000,
        }
    }

    pub fn enters(&mut self, user: u64) {
        if self.people.contains_key(&user) {
            return;
        }
        self.next_ssrc += 11;
        let ssrc = self.next_ssrc;
        self.people.insert(
            user,
            Talker { ssrc, sequence: 65_500, timestamp: u32::MAX - 9600, garbled: Garbled::No },
        );
        // Who is not announced before the group changes is not let into it.
        self.tell(Out::Json(json!({"op": 11, "d": {"user_ids": [user.to_string()]}})));
        let out = self.delivery.as_mut().map(|group| group.person_enters(user)).unwrap_or_default();
        self.pass_on(out);
    }

    pub fn leaves(&mut self, user: u64) {
        if self.people.remove(&user).is_none() {
            return;
        }
        self.tell(Out::Json(json!({"op": 13, "d": {"user_id": user.to_string()}})));
        let out = self.delivery.as_mut().map(|group| group.person_leaves(user)).unwrap_or_default();
        self.pass_on(out);
        // They may have ended a change without the bot.
        self.listen();
    }

    /// The bot's connection ends.
    pub fn unlink(&mut self, number: u64) {
        if self.link.take_if(|link| link.number == number).is_some()
            && let Some(group) = &mut self.delivery
        {
            group.bot_leaves();
        }
    }

    pub fn tell(&self, out: Out) {
        if let Some(link) = self.link.as_ref().filter(|link| link.is_open) {
            link.say(out);
        }
    }

    pub fn pass_on(&self, out: Vec<ToBot>) {
        for message in out {
            self.tell(match message {
                ToBot::Json(value) => Out::Json(value),
                ToBot::Bytes(bytes) => Out::Bytes(bytes),
            });
        }
    }

    /// The announcement that a person's packets come with their SSRC. Gives the connection that was told, and the number of
    /// the ping behind it.
    pub fn announce(&mut self, user: u64) -> Option<(u64, u64)> {
        let ssrc = self.people.get(&user)?.ssrc;
        let link = self.link.as_mut().filter(|link| link.is_open)?;
        link.say(Out::Json(
            json!({"op": 5, "d": {"user_id": user.to_string(), "ssrc": ssrc, "speaking": 1, "delay": 0}}),
        ));
        Some((link.number, link.ping()))
    }

    /// Time passes without a packet.
    pub fn pause(&mut self, user: u64, samples: u32) {
        if let Some(talker) = self.people.get_mut(&user) {
            talker.timestamp = talker.timestamp.wrapping_add(samples);
        }
    }

    /// The next packet of a person. `None` while the bot is not connected or has no keys.
    pub fn packet(&mut self, user: u64, frame: &[u8], shape: Shape) -> Option<Sent> {
        let talker = self.people.get_mut(&user)?;
        let place = Place { ssrc: talker.ssrc, sequence: talker.sequence, timestamp: talker.timestamp };
        talker.sequence = talker.sequence.wrapping_add(1);
        talker.timestamp = talker.timestamp.wrapping_add(960);
        let garbled = talker.garbled;
        let mut payload = match &mut self.delivery {
            Some(group) => group.encrypt(user, frame)?,
            None => frame.to_vec(),
        };
        if garbled == Garbled::Speech && frame != SILENCE {
            if !payload.ends_with(&MARKER) {
                return None;
            }
            let middle = payload.len() / 3;
            payload[middle] ^= 0xff;
        }
        let link = self.link.as_mut().filter(|link| link.is_open)?;
        let peer = link.peer?;
        link.counter += 1;
        self.sent += 1;
        let bytes = link.transport.seal(place, shape, link.counter, &payload);
        Some(Sent { place, bytes, udp: Arc::clone(&link.udp), peer })
    }

    /// A packet of the bot has arrived.
    pub fn hears(&mut self, number: u64, packet: &[u8]) {
        let at = Instant::now();
        let Some(link) = self.link.as_mut().filter(|link| link.number == number) else { return };
        match link.transport.open(packet) {
            Some((place, payload)) => link.waiting.push_back(Arrived { at, place, payload }),
            None => self.unreadable += 1,
        }
        self.listen();
    }

    /// The people listen to what has arrived, in its order, as far as they have the keys for it.
    pub fn listen(&mut self) {
        let Some(link) = &mut self.link else { return };
        while let Some(Arrived { at, place, payload }) = link.waiting.pop_front() {
            let is_encrypted = payload.len() >= 11 && payload.ends_with(&MARKER);
            let frame = match &mut self.delivery {
                Some(group) if is_encrypted => match group.decrypt(&payload) {
                    None if group.may_be_behind() => {
                        link.waiting.push_front(Arrived { at, place, payload });
                        return;
                    }
                    frame => frame,
                },
                _ => Some(payload),
            };
            let Some(frame) = frame else {
                self.unreadable += 1;
                continue;
            };
            let mut samples = vec![0_i16; 5760];
            let count = link.decoder.decode(&frame, &mut samples, false).unwrap_or_default();
            let samples = samples[..count].iter().map(|sample| f32::from(*sample) / 32_768.0).collect();
            let heard = Heard { at, place, frame, samples, is_encrypted };
            match &self.tap {
                // Nobody may listen any more.
                Some(tap) => drop(tap.send(heard)),
                None => self.heard.push(heard),
            }
        }
    }
}
