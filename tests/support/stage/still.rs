//! A clock that stands still: in a play no deadline passes because the machine is busy.

use std::sync::mpsc;
use std::time::Duration;

use tokio::sync::oneshot;

/// Longer than this nothing stands still: then the deadlines of a test that waits in vain pass at once, and it fails.
const AT_MOST: Duration = Duration::from_secs(300);

/// Tokio's paused time goes on by itself whenever nothing runs, also while a database thread works. As long as this lives
/// it does not, because something blocking runs. Where time is not paused it goes on as ever.
#[derive(Debug)]
pub struct Still {
    _until_dropped: oneshot::Sender<()>,
}

impl Still {
    pub fn hold() -> Self {
        let (still, stands) = mpsc::channel::<()>();
        tokio::task::spawn_blocking(move || {
            let _over = stands.recv_timeout(AT_MOST);
        });
        let (until_dropped, dropped) = oneshot::channel();
        // A task holds it: tasks are let go of before the runtime waits for what blocks, also where a test has failed.
        tokio::spawn(async move {
            let _held = still;
            let _over = dropped.await;
        });
        Self { _until_dropped: until_dropped }
    }
}
