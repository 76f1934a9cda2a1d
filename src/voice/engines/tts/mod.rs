//! Synthesizers: what turns text into samples.
//!
//! Three kinds: one answer per phrase over HTTP ([`stream`]), a socket that speaks several phrases at once
//! ([`contexts`]), and programs on this machine ([`command`]). Each service is one file that knows its wire format and
//! nothing else.

pub(super) mod azure;
pub(super) mod cartesia;
pub(super) mod command;
pub(super) mod contexts;
pub(super) mod elevenlabs;
pub(super) mod gemini;
pub(super) mod openai;
pub(super) mod piper;
pub(super) mod stream;

use std::time::Duration;

use crate::net::Bounds;

/// Phrases longer than this are cut by nobody sane; services refuse them.
pub(super) const PHRASE_CHARS: usize = 4_000;

/// A second of sound as it is read: 48,000 samples of two bytes, and as much again for what wraps them.
const SECOND_BYTES: u64 = 192_000;

/// How much sound a phrase of so many characters can come to: the slowest voices say four of them in a second, and a phrase
/// may begin with a while of silence. Its time is that of whoever listens, phrases before it included.
fn sound_bounds(chars: usize) -> Bounds {
    let seconds = 20 + chars.min(PHRASE_CHARS) as u64 / 4;
    Bounds { bytes: (seconds * SECOND_BYTES).min(64 * 1024 * 1024), time: Duration::from_secs(900) }
}
