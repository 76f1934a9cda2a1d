//! Voice messages: sound in a file, as Discord's apps record it (Opus in Ogg), as samples and as words.
//!
//! Must not know who sent it or where it lies. Start reading at [`hear`].

use std::io::Cursor;
use std::time::Duration;

use ogg::PacketReader;
use opus2::{Channels, Decoder};
use tokio::time::timeout;

use super::engines::{EngineError, SpeechInput, Transcriber, TranscriptEvent, TranscriptionHints};
use crate::voice::frame::RATE;

/// The longest voice message that is heard. Engines that take whole utterances take no longer ones.
const LONGEST: Duration = Duration::from_secs(120);

/// How long an engine may take with one.
const HEARD_WITHIN: Duration = Duration::from_secs(60);

/// The longest sound of one packet, in milliseconds (RFC 6716, section 2.1.4).
const PACKET_MILLIS: u32 = 120;

/// Samples that an engine is handed at once.
const AT_ONCE: usize = RATE as usize / 2;

/// What a packet of Opus says in front of the others counts samples at this rate (RFC 7845, section 5.1).
const HEADER_RATE: u32 = 48_000;

/// Why a voice message was not heard, for the model.
#[derive(Debug, thiserror::Error)]
pub enum NotHeard {
    #[error("it is no voice message, or a broken one")]
    Broken,
    #[error("it is longer than two minutes")]
    TooLong,
    #[error("no word was understood in it")]
    NoWord,
    #[error("that took too long")]
    Late,
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// What is said in a voice message.
///
/// # Errors
/// When it is none, when it is longer than two minutes, and when the engine failed or took longer than a minute.
pub async fn hear(
    engine: &dyn Transcriber,
    message: Vec<u8>,
    hints: &TranscriptionHints,
) -> Result<String, NotHeard> {
    let samples = tokio::task::spawn_blocking(move || samples_of(&message));
    let samples = samples.await.map_err(|_| NotHeard::Broken)??;
    let words = timeout(HEARD_WITHIN, transcribe_samples(engine, &samples, hints)).await;
    let words = words.map_err(|_| NotHeard::Late)??;
    if words.is_empty() { Err(NotHeard::NoWord) } else { Ok(words) }
}

/// A voice message as samples at [`RATE`], of one channel.
fn samples_of(message: &[u8]) -> Result<Vec<i16>, NotHeard> {
    let mut packets = PacketReader::new(Cursor::new(message));
    let mut next = || packets.read_packet().map_err(|_| NotHeard::Broken);
    let head = next()?.ok_or(NotHeard::Broken)?.data;
    let skip = match head.strip_prefix(b"OpusHead") {
        Some([_version, _channels, low, high, ..]) => u32::from(u16::from_le_bytes([*low, *high])),
        _ => return Err(NotHeard::Broken),
    };
    // Titles and the like.
    next()?.ok_or(NotHeard::Broken)?;
    let mut decoder = Decoder::new(RATE, Channels::Mono).map_err(|_| NotHeard::Broken)?;
    let mut sound = vec![0; (RATE * PACKET_MILLIS / 1_000) as usize];
    let most = LONGEST.as_secs() * u64::from(RATE);
    let mut samples: Vec<i16> = Vec::new();
    while let Some(packet) = next()? {
        // A packet that is damaged on its own is a gap in what is said.
        let count = decoder.decode(&packet.data, &mut sound, false).unwrap_or_default();
        samples.extend_from_slice(&sound[..count]);
        if samples.len() as u64 > most {
            return Err(NotHeard::TooLong);
        }
    }
    samples.drain(..samples.len().min((skip / (HEADER_RATE / RATE)) as usize));
    Ok(samples)
}

/// All that an engine understands of them.
async fn transcribe_samples(
    engine: &dyn Transcriber,
    samples: &[i16],
    hints: &TranscriptionHints,
) -> Result<String, NotHeard> {
    let mut ear = engine.open(hints).await?;
    let mut pieces = samples.chunks(AT_ONCE).map(|piece| SpeechInput::Samples(piece.into()));
    let mut waiting = pieces.next();
    let (mut turns, mut said) = (Vec::new(), Vec::new());
    let mut is_handed_over = false;
    loop {
        // An engine that says something while it listens is heard, so that neither waits for the other.
        let event = tokio::select! {
            permit = ear.input.reserve(), if !is_handed_over => {
                let Ok(permit) = permit else { break };
                match waiting.take() {
                    Some(piece) => {
                        permit.send(piece);
                        waiting = pieces.next();
                    }
                    None => {
                        permit.send(SpeechInput::Finalize);
                        is_handed_over = true;
                    }
                }
                continue;
            }
            event = ear.events.recv() => event,
        };
        match event {
            Some(TranscriptEvent::Final { text, finalized }) => {
                said.push(text);
                if finalized && is_handed_over {
                    break;
                }
            }
            Some(TranscriptEvent::EndOfTurn { text }) => {
                said.clear();
                turns.push(text);
            }
            Some(TranscriptEvent::Failed(error)) => return Err(error.into()),
            Some(
                TranscriptEvent::Partial { .. }
                | TranscriptEvent::Sure { .. }
                | TranscriptEvent::EagerEndOfTurn { .. }
                | TranscriptEvent::TurnResumed,
            ) => {}
            Some(TranscriptEvent::Closed) | None => break,
        }
    }
    turns.append(&mut said);
    let spoken: Vec<&str> =
        turns.iter().map(|words| words.trim()).filter(|words| !words.is_empty()).collect();
    Ok(spoken.join(" "))
}
