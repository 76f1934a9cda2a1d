//! Synthesizers: what turns text into samples.
//!
//! Three kinds: one answer per phrase over HTTP ([`http`]), a socket that speaks several phrases at once ([`contexts`], [`socket_voices`]), and
//! programs on this machine ([`command`]).

pub(super) mod command;
pub(super) mod contexts;
pub(super) mod http;
pub(super) mod socket_voices;
pub(super) mod stream;

use std::time::Duration;

use super::cost::Meter;
use super::service::Service;
use super::{EngineError, Phrase};
use crate::net::Bounds;

/// Phrases longer than this are cut by nobody sane; services refuse them.
const PHRASE_CHARS: usize = 4_000;

/// A second of sound as it is read: 48,000 samples of two bytes, and as much again for what wraps them.
const SECOND_BYTES: u64 = 192_000;

/// How much sound a phrase of so many characters can come to: the slowest voices say four of them in a second, and a phrase
/// may begin with a while of silence. Its time is that of whoever listens, phrases before it included.
fn sound_bounds(chars: usize) -> Bounds {
    let seconds = 20 + chars.min(PHRASE_CHARS) as u64 / 4;
    Bounds { bytes: (seconds * SECOND_BYTES).min(64 * 1024 * 1024), time: Duration::from_secs(900) }
}

/// Whether a phrase may be spoken, and how many characters it is.
fn ready(service: &Service, meter: &Meter, phrase: &Phrase) -> Result<usize, EngineError> {
    let chars = phrase.text.chars().count();
    if phrase.text.trim().is_empty() {
        return Err(service.unsupported("a phrase without words"));
    }
    if chars > PHRASE_CHARS {
        let said = format!("a phrase of {chars} characters; {PHRASE_CHARS} is the most");
        return Err(service.unsupported(said));
    }
    meter.allow(phrase.listener.as_ref())?;
    Ok(chars)
}

/// Writes a phrase down.
#[expect(clippy::cast_precision_loss, reason = "a phrase has a few thousand characters at most")]
fn count_phrase(meter: &Meter, phrase: &Phrase, chars: usize) {
    meter.count(phrase.listener.as_ref(), chars as f64, None);
}
