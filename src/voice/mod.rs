//! A call, whatever carries it: who is heard and what they said, whose turn it is, what is said back and how much of it
//! was heard. Owns sound from 16 kHz frames to spoken words and back; knows nothing of Discord, of packets' encryption
//! or of how the call was joined. Start reading at [`CallLine`].

#![allow(missing_docs)]

mod call;
pub mod end_of_turn;
pub mod endpoint;
pub mod engines;
pub mod frame;
pub mod measure;
mod playout;
pub mod receive;
mod speech_output;
pub mod turn;

pub use call::{
    Call, CallEvent, CallFigures, CallLine, CallNotice, CallParts, CallPort, CallTeller, Participant,
};
pub use playout::Playout;
pub use speech_output::{KnownVoice, SpeechOutput, SpeechOutputParts};
