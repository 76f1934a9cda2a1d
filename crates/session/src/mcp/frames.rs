//! What a program writes and what an address answers, within bounds.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use parking_lot::Mutex;
use rmcp::service::{RoleClient, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncReadExt as _, ReadBuf};
use tokio::time::Instant;

use super::FRAME_BYTES;

/// What a program may write in a minute; more of it is a flood.
const MINUTE_BYTES: usize = 64 * 1024 * 1024;

const MINUTE: Duration = Duration::from_secs(60);

/// Bytes of a line of complaints that are read.
const LINE_BYTES: usize = 500;

/// Complaints that are told in a minute.
const MINUTE_LINES: usize = 100;

/// Why a connection was broken off, for whoever says that it ended.
pub(super) type Trouble = Arc<Mutex<Option<String>>>;

/// What came within a minute.
#[derive(Debug)]
struct Minute {
    bytes: usize,
    begun: Instant,
}

impl Minute {
    fn begins() -> Self {
        Self { bytes: 0, begun: Instant::now() }
    }

    /// Counts what came; the reason to stop where it is too much.
    fn count(&mut self, bytes: usize) -> Option<String> {
        if self.begun.elapsed() >= MINUTE {
            *self = Self::begins();
        }
        self.bytes += bytes;
        (self.bytes > MINUTE_BYTES)
            .then(|| format!("it wrote more than {} MiB in a minute", MINUTE_BYTES / (1024 * 1024)))
    }
}

/// The output of a program as lines of bounded length and number. What goes beyond ends it.
#[derive(Debug)]
pub(super) struct Frames<R> {
    inner: R,
    /// Bytes since the last line's end.
    line: usize,
    minute: Minute,
    trouble: Trouble,
}

impl<R> Frames<R> {
    pub(super) fn new(inner: R, trouble: Trouble) -> Self {
        Self { inner, line: 0, minute: Minute::begins(), trouble }
    }

    /// Counts what came; the reason to stop where it is too much.
    fn count(&mut self, came: &[u8]) -> Option<String> {
        let too_much = self.minute.count(came.len());
        let mut longest = 0;
        for piece in came.split_inclusive(|byte| *byte == b'\n') {
            self.line += piece.len();
            longest = longest.max(self.line);
            if piece.ends_with(b"\n") {
                self.line = 0;
            }
        }
        if longest > FRAME_BYTES {
            return Some(format!("it wrote a message of more than {} MiB", FRAME_BYTES / (1024 * 1024)));
        }
        too_much
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Frames<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(context, into))?;
        let why = self.count(into.filled().get(before..).unwrap_or_default());
        Poll::Ready(match why {
            None => Ok(()),
            Some(why) => {
                // Whoever is told of an error is given nothing with it.
                into.set_filled(before);
                *self.trouble.lock() = Some(why.clone());
                Err(io::Error::other(why))
            }
        })
    }
}

/// What comes from an address, within the same bound in a minute. What goes beyond ends it.
pub(super) struct Messages<T> {
    inner: T,
    minute: Minute,
    trouble: Trouble,
}

impl<T> Messages<T> {
    pub(super) fn new(inner: T, trouble: Trouble) -> Self {
        Self { inner, minute: Minute::begins(), trouble }
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Messages<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = self.inner.receive().await?;
        let bytes = serde_json::to_vec(&message).map_or(FRAME_BYTES, |written| written.len());
        match self.minute.count(bytes) {
            None => Some(message),
            Some(why) => {
                *self.trouble.lock() = Some(why);
                None
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

/// Reads complaints to their end and tells each line, cut to its length; of a flood only the first lines.
pub(super) async fn complaints(mut from: impl AsyncRead + Unpin, mut tell: impl FnMut(&str)) {
    let (mut line, mut piece) = (Vec::new(), vec![0; 4096]);
    let (mut begun, mut told) = (Instant::now(), 0);
    while let Ok(read @ 1..) = from.read(&mut piece).await {
        for byte in &piece[..read] {
            if *byte != b'\n' {
                if line.len() < LINE_BYTES {
                    line.push(*byte);
                }
                continue;
            }
            if begun.elapsed() >= MINUTE {
                (begun, told) = (Instant::now(), 0);
            }
            told += 1;
            if told <= MINUTE_LINES {
                tell(String::from_utf8_lossy(&line).trim_end());
            }
            line.clear();
        }
    }
    if !line.is_empty() && told < MINUTE_LINES {
        tell(String::from_utf8_lossy(&line).trim_end());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(written: &[u8]) -> (usize, Option<String>) {
        let trouble = Trouble::default();
        let mut frames = Frames::new(written, Arc::clone(&trouble));
        let mut all = Vec::new();
        let read = frames.read_to_end(&mut all).await;
        let why = trouble.lock().clone();
        assert_eq!(read.is_err(), why.is_some());
        (all.len(), why)
    }

    #[tokio::test]
    async fn lines_of_any_number_pass_and_one_without_end_ends_it() {
        let mut fits = vec![b'x'; FRAME_BYTES - 1];
        fits.push(b'\n');
        let twice = [fits.clone(), fits].concat();
        assert_eq!(read(&twice).await, (twice.len(), None));
        let endless = vec![b'x'; FRAME_BYTES + 1];
        assert_eq!(read(&endless).await.1.unwrap(), "it wrote a message of more than 4 MiB");
    }

    #[tokio::test(start_paused = true)]
    async fn a_flood_of_short_lines_ends_it_unless_it_takes_its_time() {
        let trouble = Trouble::default();
        let mut frames = Frames::new(tokio::io::empty(), trouble);
        let lines = b"{}\n".repeat(1024 * 1024);
        let much = MINUTE_BYTES / lines.len();
        for _ in 0..much {
            assert_eq!(frames.count(&lines), None);
        }
        assert_eq!(frames.count(&lines).unwrap(), "it wrote more than 64 MiB in a minute");
        tokio::time::advance(MINUTE).await;
        assert_eq!(frames.count(&lines), None);
    }

    /// An address that sends the same over and over.
    struct Repeats(RxJsonRpcMessage<RoleClient>);

    impl Transport<RoleClient> for Repeats {
        type Error = io::Error;

        fn send(
            &mut self,
            _: TxJsonRpcMessage<RoleClient>,
        ) -> impl Future<Output = io::Result<()>> + Send + 'static {
            std::future::ready(Ok(()))
        }

        async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
            Some(self.0.clone())
        }

        async fn close(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_flood_of_messages_from_an_address_ends_it_as_well() {
        let note = serde_json::json!({
            "jsonrpc": "2.0", "method": "notifications/message",
            "params": {"level": "info", "data": "x".repeat(1024 * 1024)}
        });
        let trouble = Trouble::default();
        let note = serde_json::from_value(note).unwrap();
        let mut messages = Messages::new(Repeats(note), Arc::clone(&trouble));
        let fit = MINUTE_BYTES / (1024 * 1024) - 1;
        for _ in 0..2 {
            for _ in 0..fit {
                assert!(messages.receive().await.is_some());
            }
            assert_eq!(*trouble.lock(), None);
            tokio::time::advance(MINUTE).await;
        }
        for _ in 0..fit {
            messages.receive().await.unwrap();
        }
        assert!(messages.receive().await.is_none());
        assert_eq!(trouble.lock().as_deref(), Some("it wrote more than 64 MiB in a minute"));
    }

    #[tokio::test]
    async fn complaints_are_told_line_by_line_cut_and_of_a_flood_the_first() {
        let mut told = Vec::new();
        let long = "y".repeat(9_000);
        let written = format!("one\r\n{long}\n\u{1b}three");
        complaints(written.as_bytes(), |line| told.push(line.to_owned())).await;
        assert_eq!(told.len(), 3);
        assert_eq!((told[0].as_str(), told[1].len(), told[2].as_str()), ("one", LINE_BYTES, "\u{1b}three"));
        told.clear();
        complaints("z\n".repeat(5_000).as_bytes(), |line| told.push(line.to_owned())).await;
        assert_eq!(told.len(), MINUTE_LINES);
    }
}
