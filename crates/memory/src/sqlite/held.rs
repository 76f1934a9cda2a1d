//! Paused time stands still while something outside of its runtime works.
//!
//! Tokio's paused time goes on by itself when a runtime has nothing to do, and a database that works on a thread of its own
//! looks like nothing to do. Must not know who has time paused. Start reading at [`hold_time`].

use std::cell::Cell;
use std::sync::mpsc;
use std::time::Duration;

use tokio::runtime::Handle;

/// Longer than this nothing is held up: what hangs then meets its deadlines.
const HELD_AT_MOST: Duration = Duration::from_secs(180);

thread_local! {
    static STANDS_STILL: Cell<bool> = const { Cell::new(false) };
}

/// From now on [`hold_time`] has an effect on this thread, whose runtime has one thread and its time paused. Everywhere else it
/// has none.
pub fn stand_still_here() {
    STANDS_STILL.set(true);
}

/// Holds paused time until it is dropped, three minutes of real time at most.
#[derive(Debug)]
pub struct HeldTime(#[expect(dead_code, reason = "held for its Drop")] Option<mpsc::Sender<()>>);

/// Paused time stands still from now on.
pub fn hold_time() -> HeldTime {
    let runtime = STANDS_STILL.get().then(Handle::try_current).and_then(Result::ok);
    HeldTime(runtime.map(|runtime| {
        let (held, dropped) = mpsc::channel::<()>();
        // As long as something blocking runs, paused time does not go on by itself.
        drop(runtime.spawn_blocking(move || dropped.recv_timeout(HELD_AT_MOST).is_ok()));
        held
    }))
}
