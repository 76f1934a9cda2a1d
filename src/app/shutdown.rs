//! Being asked to stop: the first SIGINT or SIGTERM asks for an orderly end, the second forces it.

use std::io;

use tokio_util::sync::CancellationToken;

/// Two levels of urgency.
#[derive(Debug, Clone, Default)]
pub struct StopRequest {
    /// Cancelled at the first signal: finish what you are doing.
    pub stop: CancellationToken,
    /// Cancelled at the second: break it off.
    pub force: CancellationToken,
}

/// Listens for signals until dropped.
#[derive(Debug)]
pub struct Signals {
    task: tokio::task::JoinHandle<()>,
}

impl Signals {
    /// Starts listening.
    ///
    /// # Errors
    /// When the operating system refuses the handlers.
    pub fn listen(request: StopRequest) -> io::Result<Self> {
        let mut signals = Source::new()?;
        let task = tokio::spawn(async move {
            signals.next().await;
            tracing::info!("stopping; once more forces it");
            request.stop.cancel();
            signals.next().await;
            request.force.cancel();
        });
        Ok(Self { task })
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        self.task.abort();
    }
}

#[cfg(unix)]
struct Source {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Source {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Source;

#[cfg(not(unix))]
impl Source {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
