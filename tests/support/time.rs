//! Time that passes at once, on a runtime of one thread: deadlines are met without waiting, and none because the machine
//! is busy.

use std::pin::pin;
use std::time::Duration;

/// Longer than any test takes: a deadline that is not met unless [`passes`] moves the clock.
pub const NEVER: Duration = Duration::from_secs(3600);

/// Moves the clock of pauses and deadlines on; the network runs as it did.
pub async fn passes(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

/// Waits for what only the end of somebody's patience can bring, [`NEVER`] at most, and lets it end.
///
/// # Panics
/// When nobody loses patience.
pub async fn gives_up<T>(waits: impl Future<Output = T>) -> T {
    let mut waits = pin!(waits);
    // Behind one deadline there may be another one.
    for _ in 0..10 {
        if let std::task::Poll::Ready(done) = futures::poll!(&mut waits) {
            return done;
        }
        passes(NEVER).await;
    }
    panic!("nobody loses patience");
}
