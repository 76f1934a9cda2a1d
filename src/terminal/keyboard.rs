//! Where the person's lines come from, and Ctrl-C.

use std::fmt::{self, Debug};
use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt as _};
use tokio::sync::watch;

use super::editor::{Editor, Typed};
use super::screen::Screen;

/// Where the person's lines come from.
pub enum Keyboard {
    /// Line by line, as they come: a pipe, or a terminal that can do no more.
    Lines(Box<dyn AsyncBufRead + Send + Unpin>),
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
        Self::Lines(Box::new(tokio::io::BufReader::new(tokio::io::stdin())))
    }

    /// What is typed next; asks for it on `screen`. Given up, it can be called again, and nothing is lost.
    ///
    /// # Errors
    /// When the terminal or pipe cannot be read.
    pub async fn next(&mut self, screen: &Screen) -> io::Result<Typed> {
        match self {
            Self::Lines(input) => {
                screen.prompt();
                Ok(next_line(input).await?.map_or(Typed::Closed, Typed::Line))
            }
            Self::Editor(editor) => editor.next().await,
        }
    }
}

/// The next line, `None` at the end. Bytes that are no UTF-8 become `�`: a slip of the keyboard or a file in another
/// encoding ends no conversation.
async fn next_line(input: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let read = input.read_until(b'\n', &mut line).await?;
    Ok((read > 0).then(|| String::from_utf8_lossy(&line).into_owned()))
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
        Pressed(Some(self.0.subscribe()))
    }
}

/// Hears Ctrl-C until dropped.
#[derive(Debug)]
pub(super) struct Pressed(Option<watch::Receiver<u64>>);

impl Pressed {
    /// Leaves it to the program.
    pub(super) fn never() -> Self {
        Self(None)
    }

    /// Returns when it was pressed since the last time.
    pub(super) async fn next(&mut self) {
        let heard = match &mut self.0 {
            Some(times) => times.changed().await.is_ok(),
            None => false,
        };
        if !heard {
            std::future::pending().await
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn bytes_that_are_no_text_do_not_end_the_conversation() {
        let mut input = &b"caf\xe9?\nstill here"[..];
        assert_eq!(next_line(&mut input).await.unwrap().as_deref(), Some("caf\u{fffd}?\n"));
        assert_eq!(next_line(&mut input).await.unwrap().as_deref(), Some("still here"));
        assert_eq!(next_line(&mut input).await.unwrap(), None);
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
