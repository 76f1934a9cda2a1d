//! Being asked to stop (the first SIGINT or SIGTERM asks for an orderly end, the second forces it).

use std::io;

use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

/// Two levels of urgency.
#[derive(Debug, Clone, Default)]
pub struct StopRequest {
    /// Cancelled at the first signal: finish what you are doing.
    pub stop: CancellationToken,
    /// Cancelled at the second: break it off.
    pub force: CancellationToken,
}

/// Listens for signals until what it gives is dropped. `takes` is asked at every SIGINT: where it says yes, Ctrl-C was meant
/// for something else than the program. A signal that comes when the program is stopping already forces it.
///
/// # Errors
/// When the operating system refuses the handlers.
pub fn listen_for_signals(
    request: StopRequest,
    takes: impl Fn() -> bool + Send + 'static,
) -> io::Result<AbortOnDropHandle<()>> {
    let mut signals = StopSignals::new()?;
    Ok(AbortOnDropHandle::new(tokio::spawn(async move {
        while signals.next().await == OsSignal::Interrupt && takes() {}
        if !request.stop.is_cancelled() {
            tracing::info!("stopping; once more forces it");
            request.stop.cancel();
            signals.next().await;
        }
        request.force.cancel();
    })))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OsSignal {
    Interrupt,
    #[cfg(unix)]
    Terminate,
}

#[cfg(unix)]
struct StopSignals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl StopSignals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) -> OsSignal {
        tokio::select! {
            _ = self.interrupt.recv() => OsSignal::Interrupt,
            _ = self.terminate.recv() => OsSignal::Terminate,
        }
    }
}

#[cfg(not(unix))]
struct StopSignals;

#[cfg(not(unix))]
impl StopSignals {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> OsSignal {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        OsSignal::Interrupt
    }
}
