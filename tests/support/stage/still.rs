//! A clock that stands still: in a play no deadline passes because the machine is busy.

use std::sync::mpsc;
use std::time::Duration;

use tokio::task::JoinHandle;

/// Longer than this nothing stands still: then the deadlines of a test that waits in vain pass at once, and it fails.
const AT_MOST: Duration = Duration::from_secs(120);

/// Tokio's paused time goes on by itself whenever nothing runs, also while a database thread works. As long as this
/// lives it does not, because something blocking runs. Only for tests with `start_paused = true`.
#[derive(Debug)]
pub struct Still {
    _until_dropped: mpsc::Sender<()>,
    _blocking: JoinHandle<()>,
}

impl Still {
    pub fn hold() -> Self {
        let (until_dropped, dropped) = mpsc::channel::<()>();
        let blocking = tokio::task::spawn_blocking(move || {
            let _over = dropped.recv_timeout(AT_MOST);
        });
        Self { _until_dropped: until_dropped, _blocking: blocking }
    }
}
