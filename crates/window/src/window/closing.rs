//! Closing a connection so that a browser reads its answer. Where it still sends what nobody wants, and the connection is
//! closed on it, its system throws the answer away and it can only say that the connection broke.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

/// So long, and so many bytes, a browser may go on sending after its answer.
const GOES_ON_FOR: Duration = Duration::from_secs(10);
const GOES_ON_BYTES: usize = 256 * 1024 * 1024;

/// A browser's connection. Once the answer is out, what still comes in is let go by, within bounds.
pub(super) struct BrowserStream {
    stream: TcpStream,
    /// Until when, once it is closing, and how much more.
    until: Option<Pin<Box<Sleep>>>,
    left: usize,
}

impl BrowserStream {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self { stream, until: None, left: GOES_ON_BYTES }
    }
}

impl AsyncRead for BrowserStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, into)
    }
}

impl AsyncWrite for BrowserStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_shutdown(cx))?;
        loop {
            let until = self.until.get_or_insert_with(|| Box::pin(sleep(GOES_ON_FOR)));
            if until.as_mut().poll(cx).is_ready() || self.left == 0 {
                return Poll::Ready(Ok(()));
            }
            let mut space = [0; 16 * 1024];
            let mut unwanted = ReadBuf::new(&mut space);
            ready!(Pin::new(&mut self.stream).poll_read(cx, &mut unwanted))?;
            match unwanted.filled().len() {
                0 => return Poll::Ready(Ok(())),
                read => self.left = self.left.saturating_sub(read),
            }
        }
    }
}
