//! All readers of foreign messages at once, for fuzzing: none may panic or loop, whatever comes.

use serde_json::Value;

use super::service::Service;
use super::stt::live::LiveSession;
use super::stt::{deepgram, realtime, whole};
use super::tts::contexts::SocketVoice;
use super::tts::socket_voices::{Cartesia, ElevenLabs};
use super::tts::stream::WavOrPlain;
use super::tts::{command, http};

/// Reads bytes as every service's answers are read. Gives how many things were understood, which means nothing but that
/// the work was done.
pub fn read_any(bytes: &[u8]) -> usize {
    let text = String::from_utf8_lossy(bytes);
    let value = serde_json::from_str(&text).unwrap_or(Value::Null);
    let service = Service::new("any", None);
    let word = String::new;
    let mut sessions: [Box<dyn LiveSession>; 3] = [
        Box::new(deepgram::DeepgramSession { service: service.clone(), is_flux: false }),
        Box::new(deepgram::DeepgramSession { service: service.clone(), is_flux: true }),
        Box::new(realtime::RealtimeSession::new(service.clone(), Value::Null)),
    ];
    let cartesia = Cartesia {
        service: service.clone(),
        base: word(),
        model: word(),
        voice_id: word(),
        language: word(),
    };
    let elevenlabs = ElevenLabs { service: service.clone(), base: word(), model: word(), voice_id: word() };
    let mut understood: usize = sessions.iter_mut().map(|session| session.read(&value).len()).sum();
    understood += usize::from(whole::read_answer(&service, &text).is_ok());
    understood += usize::from(!service.refused(400, None, &text).may_pass());
    understood += cartesia.read(&value).len() + elevenlabs.read(&value).len();
    understood += http::sound_of_event(&service, &text).map_or(0, |sound| sound.len());
    understood += WavOrPlain::new(service, 8_000).read(bytes).map_or(0, |samples| samples.len());
    understood + command::command_words(&text).map_or(0, |words| words.len())
}
