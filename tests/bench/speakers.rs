//! What it costs to listen to people: their packets put into order, decoded, looked through for speech, kept for a
//! recogniser. Sound is the tests' synthetic voice, coded as Discord's clients code microphones.

use std::hint::black_box;
use std::time::{Duration, Instant};

use familiar_connect::voice::frame::{FRAME, FRAME_TIME, Packet};
use familiar_connect::voice::receive::{Feed, Listener, Perception};

use crate::sound::Sound;
#[allow(unused_imports, reason = "only one of the two binaries prints times")]
use crate::table::{Table, percentile};

/// How much of a voice is coded; it is heard over and over.
pub const CODED_SECONDS: usize = 4;

/// Frames that are made ready at once, so that making them is not measured: a second.
pub const BATCH: usize = 50;

/// What a call holds of one person to hear them.
#[derive(Default)]
pub struct Ear {
    listener: Listener,
    feed: Feed,
    out: Perception,
}

impl Ear {
    /// A packet comes; gives how many frames could be heard with it.
    pub fn hears(&mut self, packet: Packet) -> usize {
        let now = packet.arrived;
        self.listener.packet(packet, now, &mut self.out);
        black_box(self.feed.push(&self.out.samples));
        self.out.samples.len() / FRAME
    }

    /// From now on a recogniser is given what they say.
    #[allow(dead_code, reason = "only allocations are counted for it")]
    pub fn is_listened_to(&mut self) {
        black_box(self.feed.begin());
    }
}

/// One person's client.
pub struct Client {
    coded: Vec<Vec<u8>>,
    sequence: u16,
    now: tokio::time::Instant,
    ready: Vec<Packet>,
}

impl Client {
    /// A voice of its own for each.
    pub fn new(nth: u64) -> Self {
        Self {
            coded: Sound::voiced(11 + nth, CODED_SECONDS as u32 * 1_000).frames(),
            sequence: 0,
            now: tokio::time::Instant::now(),
            ready: Vec::with_capacity(BATCH),
        }
    }

    /// The next second, in which two packets change places, as networks do.
    pub fn prepare(&mut self) {
        self.ready.clear();
        for _ in 0..BATCH {
            let opus = &self.coded[usize::from(self.sequence) % self.coded.len()];
            self.now += FRAME_TIME;
            self.ready.push(Packet {
                ssrc: 1,
                sequence: self.sequence,
                timestamp: u32::from(self.sequence).wrapping_mul(960),
                opus: opus.as_slice().into(),
                arrived: self.now,
            });
            self.sequence = self.sequence.wrapping_add(1);
        }
        self.ready.swap(20, 21);
        self.ready.reverse();
    }

    pub fn send(&mut self) -> Option<Packet> {
        self.ready.pop()
    }
}

/// How long one frame of one speaker takes, by how many speak at once.
#[allow(dead_code, reason = "the binary that counts allocations does not time anything")]
pub fn figures(seconds: usize) -> Table {
    let mut table = Table::new(
        &format!("Listening, one frame of 20 ms of one speaker ({seconds} s each)"),
        &["speakers", "p50", "p95", "mean", "of a core, each (aim: 1.5 %)", "of a core, all"],
    );
    for count in [1_u32, 2, 4, 8] {
        let mut people: Vec<(Client, Ear)> =
            (0..count).map(|nth| (Client::new(u64::from(nth)), Ear::default())).collect();
        let mut took = Vec::new();
        // The first second fills what is kept.
        for round in 0..=seconds {
            people.iter_mut().for_each(|(client, _)| client.prepare());
            for _ in 0..BATCH {
                for (client, ear) in &mut people {
                    let Some(packet) = client.send() else { continue };
                    let began = Instant::now();
                    black_box(ear.hears(packet));
                    if round > 0 {
                        took.push(began.elapsed());
                    }
                }
            }
        }
        let mean = took.iter().sum::<Duration>() / u32::try_from(took.len()).unwrap().max(1);
        let share = mean.as_secs_f64() / FRAME_TIME.as_secs_f64() * 100.0;
        let tenths = |time: Duration| format!("{:.1} us", time.as_secs_f64() * 1e6);
        table.row(&[
            count.to_string(),
            tenths(percentile(&mut took, 50)),
            tenths(percentile(&mut took, 95)),
            tenths(mean),
            format!("{share:.2} %"),
            format!("{:.2} %", share * f64::from(count)),
        ]);
    }
    table.note(
        "one thread; from the packet to the detector's answer and the half second kept for a recogniser"
            .to_owned(),
    );
    table
}
