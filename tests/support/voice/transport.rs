//! RTP between a voice server and a client: the header, and the encryption of what follows it (Discord's
//! documentation, "Voice Connections", transport encryption modes ending in `rtpsize`).

use aes_gcm::aead::AeadInPlace;
use aes_gcm::aead::generic_array::GenericArray;
use aes_gcm::{Aes256Gcm, KeyInit};
use chacha20poly1305::XChaCha20Poly1305;

/// Discord's payload type of audio.
const AUDIO: u8 = 120;

/// The bytes of the authentication tag.
const TAG: usize = 16;

/// The bytes of the counter behind the tag.
const COUNTER: usize = 4;

/// How packets are encrypted between client and server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// `aead_aes256_gcm_rtpsize`
    #[default]
    Aes256Gcm,
    /// `aead_xchacha20_poly1305_rtpsize`
    XChaCha20Poly1305,
}

impl Mode {
    /// The name in negotiations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Aes256Gcm => "aead_aes256_gcm_rtpsize",
            Self::XChaCha20Poly1305 => "aead_xchacha20_poly1305_rtpsize",
        }
    }
}

/// What is unusual about a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shape {
    /// Bytes of padding behind the payload, the last of which is this number; 0 for none.
    pub padding: u8,
    /// With a header extension, as Discord's clients send one (audio level).
    pub extension: bool,
    /// It says that it has more padding than it has bytes.
    pub lies: bool,
}

/// Where a packet stands in its stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub ssrc: u32,
    pub sequence: u16,
    pub timestamp: u32,
}

/// The key of one client's connection.
#[derive(Debug, Clone, Copy)]
pub struct Transport {
    pub mode: Mode,
    pub key: [u8; 32],
}

impl Transport {
    /// A packet on its way to the client. `counter` is never used twice.
    pub fn seal(&self, place: Place, shape: Shape, counter: u32, payload: &[u8]) -> Vec<u8> {
        let mut header = vec![0x80, AUDIO];
        header.extend(place.sequence.to_be_bytes());
        header.extend(place.timestamp.to_be_bytes());
        header.extend(place.ssrc.to_be_bytes());
        let mut body = Vec::new();
        if shape.extension {
            header[0] |= 0x10;
            // The extension's first four bytes are in clear, its content is not.
            header.extend([0xbe, 0xde, 0, 1]);
            body.extend([0x51, 0x01, 0x02, 0x00]);
        }
        body.extend(payload);
        if shape.padding > 0 {
            header[0] |= 0x20;
            body.extend(std::iter::repeat_n(0, usize::from(shape.padding) - 1));
            body.push(shape.padding);
        }
        if shape.lies {
            header[0] |= 0x20;
            body.push(u8::MAX);
        }
        let tag: Vec<u8> = match self.mode {
            Mode::Aes256Gcm => Aes256Gcm::new(GenericArray::from_slice(&self.key))
                .encrypt_in_place_detached(
                    GenericArray::from_slice(&nonce::<12>(counter)),
                    &header,
                    &mut body,
                )
                .unwrap()
                .to_vec(),
            Mode::XChaCha20Poly1305 => XChaCha20Poly1305::new(GenericArray::from_slice(&self.key))
                .encrypt_in_place_detached(
                    GenericArray::from_slice(&nonce::<24>(counter)),
                    &header,
                    &mut body,
                )
                .unwrap()
                .to_vec(),
        };
        [header, body, tag, counter.to_be_bytes().to_vec()].concat()
    }

    /// A packet that came from the client: where it stands and what it carries. `None` when it is no audio or does not
    /// decrypt.
    pub fn open(&self, packet: &[u8]) -> Option<(Place, Vec<u8>)> {
        if packet.len() < 12 || packet[0] >> 6 != 2 || packet[1] & 0x7f != AUDIO {
            return None;
        }
        let extension = packet[0] & 0x10 != 0;
        let header = 12 + 4 * usize::from(packet[0] & 0x0f) + if extension { 4 } else { 0 };
        let end = packet.len().checked_sub(TAG + COUNTER).filter(|end| *end >= header)?;
        let (sealed, counter) = packet.split_at(packet.len() - COUNTER);
        let counter = u32::from_be_bytes(counter.try_into().ok()?);
        let tag = &sealed[end..];
        let mut body = sealed[header..end].to_vec();
        let associated = &packet[..header];
        match self.mode {
            Mode::Aes256Gcm => Aes256Gcm::new(GenericArray::from_slice(&self.key)).decrypt_in_place_detached(
                GenericArray::from_slice(&nonce::<12>(counter)),
                associated,
                &mut body,
                GenericArray::from_slice(tag),
            ),
            Mode::XChaCha20Poly1305 => XChaCha20Poly1305::new(GenericArray::from_slice(&self.key))
                .decrypt_in_place_detached(
                    GenericArray::from_slice(&nonce::<24>(counter)),
                    associated,
                    &mut body,
                    GenericArray::from_slice(tag),
                ),
        }
        .ok()?;
        if extension {
            let words = u16::from_be_bytes([packet[header - 2], packet[header - 1]]);
            body.drain(..usize::from(words) * 4);
        }
        let place = Place {
            sequence: u16::from_be_bytes([packet[2], packet[3]]),
            timestamp: u32::from_be_bytes(packet[4..8].try_into().ok()?),
            ssrc: u32::from_be_bytes(packet[8..12].try_into().ok()?),
        };
        Some((place, body))
    }
}

fn nonce<const N: usize>(counter: u32) -> [u8; N] {
    let mut nonce = [0; N];
    nonce[..COUNTER].copy_from_slice(&counter.to_be_bytes());
    nonce
}
