//! A call, whatever carries it: the speech engines, and what ties hearing, turns and speaking to a session. How packets
//! are heard, whose turn it is and how sound is played is the crate `familiar-voice`. Knows nothing of Discord, of
//! packets' encryption or of how the call was joined. Start reading at [`CallLine`].

mod call;
pub mod engines;
mod speech_engines;
mod speech_output;
pub mod voice_message;

pub use call::{
    Call, CallDid, CallEvent, CallFigures, CallLine, CallMoment, CallNotice, CallNow, CallParts, CallPort,
    CallTeller, CallTurn, CallsNow, Participant, hints_of, turn_settings,
};
pub use familiar_voice::speech::Chunker;
pub use familiar_voice::{Playout, end_of_turn, endpoint, frame, receive, turn};
pub use speech_engines::{ChosenEngines, SpeechEngines};
pub use speech_output::{KnownVoice, SpeechOutput, SpeechOutputParts};
