mod golden;
pub(super) mod sounds;

use opus2::{Application, Channels, Encoder};

use super::*;
use crate::frame::{FRAME, FRAME_TIME, SILENCE};

/// What a client sends of these samples.
fn packets(samples: &[i16]) -> Vec<Packet> {
    let mut encoder = Encoder::new(16_000, Channels::Mono, Application::Voip).unwrap();
    (0_u16..)
        .zip(samples.chunks_exact(FRAME))
        .map(|(sequence, frame)| {
            let mut payload = vec![0; 4_000];
            let length = encoder.encode(frame, &mut payload).unwrap();
            payload.truncate(length);
            Packet {
                ssrc: 1,
                sequence,
                timestamp: u32::from(sequence) * 960,
                opus: payload.into(),
                arrived: Instant::now(),
            }
        })
        .collect()
}

struct Ear {
    listener: Listener,
    now: Instant,
    began: Instant,
    out: Perception,
    samples: usize,
    /// (milliseconds since the beginning, what)
    noticed: Vec<(u128, Sensed)>,
}

impl Ear {
    fn new() -> Self {
        let now = Instant::now();
        Self {
            listener: Listener::default(),
            now,
            began: now,
            out: Perception::default(),
            samples: 0,
            noticed: Vec::new(),
        }
    }

    fn note(&mut self) {
        self.samples += self.out.samples.len();
        let at = self.now.duration_since(self.began).as_millis();
        self.noticed.extend(self.out.sensed.iter().map(|sensed| (at, *sensed)));
    }

    fn hear(&mut self, packet: Packet) {
        self.listener.packet(packet, self.now, &mut self.out);
        self.note();
    }

    fn wait(&mut self, time: Duration) {
        let until = self.now + time;
        while let Some(deadline) = self.listener.deadline().filter(|deadline| *deadline <= until) {
            self.now = deadline.max(self.now);
            self.listener.tick(self.now, &mut self.out);
            self.note();
        }
        self.now = until;
    }

    fn play(&mut self, packets: impl IntoIterator<Item = Packet>) {
        for packet in packets {
            self.hear(packet);
            self.wait(FRAME_TIME);
        }
    }

    fn edges(&self) -> Vec<bool> {
        let edge = |(_, sensed): &(u128, Sensed)| match sensed {
            Sensed::Voice { on, .. } => Some(*on),
            _ => None,
        };
        self.noticed.iter().filter_map(edge).collect()
    }
}

fn said(before: usize, spoken: usize, after: usize) -> Vec<i16> {
    let mut sound = sounds::quiet(before);
    sound.extend(sounds::speech(spoken));
    sound.extend(sounds::quiet(after));
    sound
}

#[test]
fn somebody_who_stops_sending_stops_speaking_without_another_sound() {
    let mut ear = Ear::new();
    ear.play(packets(&said(4_800, 19_200, 0)));
    ear.wait(Duration::from_millis(200));
    assert_eq!(ear.edges().first(), Some(&true));
    assert_eq!(ear.edges().last(), Some(&false), "{:?}", ear.noticed);
    let (closed, _) = ear.noticed.iter().find(|(_, s)| *s == Sensed::Gate { open: false }).unwrap();
    assert!((1_520..=1_560).contains(closed), "{closed}: 60 ms after the last packet");
    let Sensed::Voice { at, .. } =
        ear.noticed.iter().rev().map(|(_, s)| *s).find(|s| matches!(s, Sensed::Voice { .. })).unwrap()
    else {
        unreachable!()
    };
    let ended = at.duration_since(ear.began).as_millis();
    assert!(
        (1_350..=1_500).contains(&ended),
        "the end is where the voice ended, not where it was noticed: {ended}"
    );
}

#[test]
fn speech_is_noticed_within_a_tenth_of_a_second() {
    let mut ear = Ear::new();
    ear.play(packets(&said(8_000, 16_000, 0)));
    let (at, _) = ear.noticed.iter().find(|(_, s)| matches!(s, Sensed::Voice { on: true, .. })).unwrap();
    assert!((500..=680).contains(at), "{at}");
}

#[test]
fn frames_of_silence_close_the_gate_at_once() {
    let mut ear = Ear::new();
    let mut sent = packets(&said(0, 9_600, 0));
    let next = sent.len() as u16;
    sent.extend((0..5).map(|n| Packet {
        ssrc: 1,
        sequence: next + n,
        timestamp: 0,
        opus: SILENCE.into(),
        arrived: Instant::now(),
    }));
    ear.play(sent);
    let (closed, _) = ear.noticed.iter().find(|(_, s)| *s == Sensed::Gate { open: false }).unwrap();
    assert_eq!(*closed, 640, "with the third of them");
}

#[test]
fn what_the_network_loses_or_turns_around_keeps_its_time() {
    let sent = packets(&said(0, 32_000, 0));
    let mut ear = Ear::new();
    for pair in sent.chunks(2) {
        if let [first, second] = pair {
            // Every tenth is lost, the others come in the wrong order within a frame.
            if first.sequence % 20 != 0 {
                ear.hear(second.clone());
                ear.hear(first.clone());
            } else {
                ear.hear(second.clone());
            }
        }
        ear.wait(2 * FRAME_TIME);
    }
    ear.wait(Duration::from_millis(200));
    let frames = ear.samples / FRAME;
    assert!((sent.len() - 2..=sent.len()).contains(&frames), "{frames} of {}", sent.len());
    assert_eq!(ear.listener.figures().late, 0);
}

#[test]
fn rubbish_for_five_seconds_is_reported_once_in_five_seconds() {
    let mut ear = Ear::new();
    ear.play((0..1_100).map(|sequence| Packet {
        ssrc: 1,
        sequence,
        timestamp: 0,
        opus: Box::from([0xFF, 0xFF, 0xFF, 0, 1].as_slice()),
        arrived: Instant::now(),
    }));
    let deaf = ear.noticed.iter().filter(|(_, sensed)| *sensed == Sensed::Deaf).count();
    assert_eq!(deaf, 4, "in 22 seconds");
}

/// Fifteen rooms: three hangovers, and noise from what a client leaves that suppresses it to a fan beside the desk. In
/// half of them the client's suppression lets some of the room through again before it stops.
#[test]
fn in_no_room_is_somebody_with_a_hangover_taken_for_one_who_pushes_a_button() {
    let mut wrong = Vec::new();
    for hangover in [200, 300, 400_usize] {
        for (room, leaks) in [(0.0, false), (0.0, true), (12.0, false), (60.0, true), (250.0, false)] {
            let mut ear = Ear::new();
            let mut number = 0;
            for _ in 0..8 {
                let mut sound = sounds::speech(14_400);
                let behind = hangover * 16;
                if leaks {
                    sound.extend(vec![0; behind / 2]);
                    sound.extend(sounds::noise(behind / 2, f32::max(room, 30.0)));
                } else {
                    sound.extend(sounds::noise(behind, room));
                }
                number = burst(&mut ear, &sound, number);
            }
            if ear.listener.pushes_to_talk() {
                wrong.push((hangover, room, leaks));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
    let mut ear = Ear::new();
    (0..6).fold(0, |number, _| burst(&mut ear, &sounds::speech(14_400), number));
    assert!(ear.listener.pushes_to_talk(), "who lets go behind the last word");
}

/// They send this and stop as clients do, and are quiet for a second. Gives the number of the next packet.
fn burst(ear: &mut Ear, sound: &[i16], from: u16) -> u16 {
    let silence =
        Packet { ssrc: 1, sequence: 0, timestamp: 0, opus: SILENCE.into(), arrived: Instant::now() };
    let sent = packets(sound).into_iter().chain(vec![silence; 5]);
    let numbered: Vec<Packet> =
        (from..).zip(sent).map(|(sequence, packet)| Packet { sequence, ..packet }).collect();
    let next = from + u16::try_from(numbered.len()).unwrap();
    ear.play(numbered);
    ear.wait(Duration::from_secs(1));
    next
}
