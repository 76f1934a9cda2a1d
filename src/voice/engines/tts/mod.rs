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

/// Phrases longer than this are cut by nobody sane; services refuse them.
pub(super) const PHRASE_CHARS: usize = 4_000;
