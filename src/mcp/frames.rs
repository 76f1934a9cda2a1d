//! What a program writes, within bounds.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use parking_lot::Mutex;
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

/// The output of a program as lines of bounded length and number. What goes beyond ends it.
#[derive(Debug)]
pub(super) struct Frames<R> {
    inner: R,
    /// Bytes since the last line's end.
    line: usize,
    /// Bytes since the minute began.
    read: usize,
    begun: Instant,
    trouble: Trouble,
}

impl<R> Frames<R> {
    pub(super) fn new(inner: R, trouble: Trouble) -> Self {
        Self { inner, line: 0, read: 0, begun: Instant::now(), trouble }
    }

    /// Counts what came; the reason to stop where it is too much.
    fn count(&mut self, came: &[u8]) -> Option<String> {
        if self.begun.elapsed() >= MINUTE {
            (self.begun, self.read) = (Instant::now(), 0);
        }
        self.read += came.len();
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
        (self.read > MINUTE_BYTES)
            .then(|| format!("it wrote more than {} MiB in a minute", MINUTE_BYTES / (1024 * 1024)))
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
