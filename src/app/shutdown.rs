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
    /// Starts listening. `takes` is asked at every SIGINT: where it says yes, Ctrl-C was meant for something else than
    /// the program. A signal that comes when the program is stopping already forces it.
    ///
    /// # Errors
    /// When the operating system refuses the handlers.
    pub fn listen(request: StopRequest, takes: impl Fn() -> bool + Send + 'static) -> io::Result<Self> {
        let mut signals = Source::new()?;
        let task = tokio::spawn(async move {
            while signals.next().await == Signal::Interrupt && takes() {}
            if !request.stop.is_cancelled() {
                tracing::info!("stopping; once more forces it");
                request.stop.cancel();
                signals.next().await;
            }
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Signal {
    /// SIGINT, Ctrl-C.
    Interrupt,
    /// SIGTERM.
    #[cfg(unix)]
    Terminate,
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

    async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.terminate.recv() => Signal::Terminate,
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

    async fn next(&mut self) -> Signal {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        Signal::Interrupt
    }
}
