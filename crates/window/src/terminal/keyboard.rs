//! Where the person's lines come from, and Ctrl-C.

use std::fmt::{self, Debug};
use std::io;

use futures::StreamExt as _;
use tokio::io::AsyncRead;
use tokio::sync::watch;
use tokio_util::codec::{AnyDelimiterCodec, AnyDelimiterCodecError, FramedRead};

use super::editor::{Editor, Typed};
use super::screen::Screen;
use crate::session::MESSAGE_CHARS_MAX;

/// The longest line that is read whole, in bytes: a message may be as long in letters of any script.
const LINE_BYTES: usize = 4 * MESSAGE_CHARS_MAX;

/// Where the person's lines come from.
pub enum Keyboard {
    /// Line by line, as they come: a pipe, or a terminal that can do no more.
    Lines(Lines),
    /// A terminal in which a line can be edited, and stays whole whatever else is shown.
    Editor(Box<Editor>),
}

impl Debug for Keyboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lines(_) => "Lines",
            Self::Editor(_) => "Editor",
        })
    }
}

impl Keyboard {
    /// Standard input: with a line editor where somebody sees `screen` and the terminal can do that.
    pub fn standard(screen: &std::sync::Arc<Screen>) -> Self {
        if screen.is_prompted()
            && let Ok(editor) = Editor::begin(screen)
        {
            return Self::Editor(Box::new(editor));
        }
        Self::Lines(input_lines(Box::new(tokio::io::stdin())))
    }

    /// What is typed next; asks for it on `screen`. Given up, it can be called again, and nothing is lost.
    ///
    /// # Errors
    /// When the terminal or pipe cannot be read.
    pub async fn next(&mut self, screen: &Screen) -> io::Result<Typed> {
        match self {
            Self::Lines(input) => {
                screen.prompt();
                next_line(input).await
            }
            Self::Editor(editor) => editor.next().await,
        }
    }
}

/// Lines as they come. What was read of one stays in here, whoever gives up waiting for its end.
type Lines = FramedRead<Box<dyn AsyncRead + Send + Unpin>, AnyDelimiterCodec>;

fn input_lines(input: Box<dyn AsyncRead + Send + Unpin>) -> Lines {
    let ends = AnyDelimiterCodec::new_with_max_length(b"\n".to_vec(), Vec::new(), LINE_BYTES);
    FramedRead::new(input, ends)
}

/// The next line. Bytes that are no UTF-8 become `�`: a slip of the keyboard or a file in another encoding ends no
/// conversation. Of a line that is too long nothing is kept.
async fn next_line(lines: &mut Lines) -> io::Result<Typed> {
    match lines.next().await {
        None => Ok(Typed::Closed),
        Some(Ok(line)) => Ok(Typed::Line(String::from_utf8_lossy(&line).into_owned())),
        Some(Err(AnyDelimiterCodecError::MaxChunkLengthExceeded)) => {
            // A mistake counts as the end until it was asked once more.
            let _end = lines.next().await;
            Ok(Typed::TooLong)
        }
        Some(Err(AnyDelimiterCodecError::Io(error))) => Err(error),
    }
}

/// Ctrl-C, from whoever hears the process's signals to the conversation in the terminal. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct CtrlC(watch::Sender<u64>);

impl CtrlC {
    /// It was pressed. Says whether a conversation takes it; else it is meant for the program.
    pub fn press(&self) -> bool {
        let is_heard = self.0.receiver_count() > 0;
        if is_heard {
            self.0.send_modify(|times| *times += 1);
        }
        is_heard
    }

    pub(super) fn listen(&self) -> Pressed {
        Pressed(self.0.subscribe())
    }
}

/// Hears Ctrl-C until dropped.
#[derive(Debug)]
pub(super) struct Pressed(watch::Receiver<u64>);

impl Pressed {
    /// Returns when it was pressed since the last time.
    pub(super) async fn next(&mut self) {
        if self.0.changed().await.is_err() {
            std::future::pending().await
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn bytes_that_are_no_text_do_not_end_the_conversation() {
        let mut lines = input_lines(Box::new(&b"caf\xe9?\nstill here"[..]));
        assert_eq!(next_line(&mut lines).await.unwrap(), Typed::Line("caf\u{fffd}?".to_owned()));
        assert_eq!(next_line(&mut lines).await.unwrap(), Typed::Line("still here".to_owned()));
        assert_eq!(next_line(&mut lines).await.unwrap(), Typed::Closed);
    }

    #[tokio::test]
    async fn a_line_without_end_is_read_away_and_the_next_is_taken() {
        use tokio::io::AsyncReadExt as _;
        let endless = tokio::io::repeat(b'a').take(50_000_000).chain(&b"\nhello\n"[..]);
        let mut lines = input_lines(Box::new(endless));
        assert_eq!(next_line(&mut lines).await.unwrap(), Typed::TooLong);
        assert!(lines.read_buffer().capacity() < 2 * LINE_BYTES, "{}", lines.read_buffer().capacity());
        assert_eq!(next_line(&mut lines).await.unwrap(), Typed::Line("hello".to_owned()));
        assert_eq!(next_line(&mut lines).await.unwrap(), Typed::Closed);
    }

    #[tokio::test]
    async fn ctrl_c_is_the_programs_unless_a_conversation_hears_it() {
        let ctrl_c = CtrlC::default();
        assert!(!ctrl_c.press());
        let mut pressed = ctrl_c.listen();
        assert!(ctrl_c.press());
        pressed.next().await;
        drop(pressed);
        assert!(!ctrl_c.press());
    }
}
