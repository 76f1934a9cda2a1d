//! Whether calls would work, as far as that can be tried alone and at once (specs voice 5, "start-up self-checks").
//!
//! Owns the trial of the track and of the encryption between members. Must not join anything. Start reading at
//! [`track_works`].

use std::num::NonZeroU16;
use std::sync::Arc;

use davey::DaveSession;
use songbird::input::codecs::{get_codec_registry, get_probe};

use super::source::{Microphone, Source};
use crate::voice::Playout;

/// A user and a channel that nobody has.
const NOBODY: u64 = 1;

/// Whether the voice library takes the track that everything is said on. Without its reader of plain samples it would refuse
/// each one in the middle of a call.
///
/// # Errors
/// In words, when it does not.
pub async fn track_works() -> Result<(), String> {
    let source = Source::new(Arc::new(Playout::new()), Microphone::open());
    let playable = source.into_input().make_playable_async(get_codec_registry(), get_probe()).await;
    playable.map(drop).map_err(|error| error.to_string())
}

/// Whether a call that is encrypted between its members (DAVE) could be joined: makes the keys that the bot would come with.
/// Gives the protocol's version.
///
/// # Errors
/// In words, when they cannot be made.
pub fn dave_works() -> Result<u16, String> {
    let version = davey::DAVE_PROTOCOL_VERSION;
    let spoken = NonZeroU16::new(version).ok_or("this build speaks no version of it")?;
    let mut session = DaveSession::new(spoken, NOBODY, NOBODY, None).map_err(|error| error.to_string())?;
    session.create_key_package().map_err(|error| error.to_string())?;
    Ok(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_track_and_the_encryption_of_this_build_work() {
        assert_eq!(track_works().await, Ok(()));
        assert_eq!(dave_works(), Ok(1));
    }
}
