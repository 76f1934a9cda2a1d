//! All readers of foreign messages at once, for fuzzing: none may panic or loop, whatever comes.

use super::http::Service;
use super::stt::live::LiveSession;
use super::stt::{deepgram, flux, openai, realtime};
use super::tts::cartesia::Cartesia;
use super::tts::command;
use super::tts::contexts::SocketVoice as _;
use super::tts::elevenlabs::ElevenLabs;
use super::tts::gemini::Events;
use super::tts::stream::{Reading as _, WavOrPlain};

/// Reads bytes as every service's answers are read. Gives how many things were understood, which means nothing but that
/// the work was done.
#[must_use]
pub fn read_any(bytes: &[u8]) -> usize {
    let text = String::from_utf8_lossy(bytes);
    let service = Service::new("any", None);
    let mut understood = 0;
    let mut sessions: [Box<dyn LiveSession>; 3] = [
        Box::new(deepgram::Session { service: service.clone() }),
        Box::new(flux::Session { service: service.clone() }),
        Box::new(realtime::Session::bare(service.clone())),
    ];
    for session in &mut sessions {
        understood += session.read(&text).len();
    }
    understood += usize::from(openai::understood(&service, &text).is_ok());
    understood += usize::from(service.refused(400, None, &text).is_permanent());
    let cartesia = Cartesia {
        service: service.clone(),
        base: String::new(),
        model: String::new(),
        voice_id: String::new(),
        language: String::new(),
    };
    let elevenlabs = ElevenLabs {
        service: service.clone(),
        base: String::new(),
        model: String::new(),
        voice_id: String::new(),
    };
    understood += cartesia.read(&text).len() + elevenlabs.read(&text).len();
    let event = [b"data: ", bytes, b"\n"].concat();
    understood += Events::new(service).read(&event).map_or(0, |samples| samples.len());
    understood += WavOrPlain::new("any", 8_000).read(bytes).map_or(0, |samples| samples.len());
    understood + command::words(&text).map_or(0, |words| words.len())
}
