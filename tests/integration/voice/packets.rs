//! The fuzz target of what voice servers send, on packets as they are and damaged, without a fuzzer.

use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

use crate::cards::fuzz::entry;
use crate::support::voice::{SILENCE, Sound};

/// A burst in RTP as the target reads it: a length, no bounds, the packet.
fn burst() -> Vec<u8> {
    let frames = Sound::voiced(3, 300).frames().into_iter().chain(vec![SILENCE.to_vec(); 5]);
    let packet = |(number, opus): (u16, Vec<u8>)| {
        let mut packet = vec![0x80, 0x78];
        packet.extend(number.to_be_bytes());
        packet.extend((u32::from(number) * 960).to_be_bytes());
        packet.extend(7_u32.to_be_bytes());
        packet.extend(opus);
        packet.truncate(255);
        let mut record = vec![u8::try_from(packet.len()).unwrap(), 0];
        record.extend(packet);
        record
    };
    (0_u16..).zip(frames).flat_map(packet).collect()
}

#[test]
fn whatever_a_voice_server_sends_is_heard_or_dropped() {
    let burst = burst();
    entry::packets(&burst);
    let mut chance = StdRng::seed_from_u64(36);
    for _ in 0..60 {
        let mut damaged = burst.clone();
        for _ in 0..chance.random_range(1..40) {
            let at = chance.random_range(0..damaged.len());
            damaged[at] = chance.random();
        }
        entry::packets(&damaged[chance.random_range(0..damaged.len() / 2)..]);
        // Nothing but noise.
        let noise: Vec<u8> = (0..400).map(|_| chance.random()).collect();
        entry::packets(&noise);
    }
}
