//! What the operator sees: the familiar's words as they stream, the program's own words apart from them.

use std::borrow::Cow;
use std::fmt::{self, Debug};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;

use super::messages;
use crate::domain::LAYER_MARKER;
use crate::session::{
    Delivered, Delivery, DeliveryError, DeliveryStyle, Notice, Outbox, Settled, TypingGuard,
};

/// How what is shown is dressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dress {
    /// Plain text and no prompt: for pipes and scripts.
    Plain,
    /// Plain text with a prompt: a terminal under NO_COLOR.
    Prompted,
    /// Colours and a prompt.
    Coloured,
}

/// The place words are written to. Shared by everything that may write to it.
pub struct Screen {
    out: Mutex<Box<dyn Write + Send>>,
    dress: Dress,
    name: String,
    user_name: String,
    /// A reply is being shown whose line has not ended yet.
    mid_line: AtomicBool,
}

impl Debug for Screen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Screen").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Screen {
    /// A screen on which `name` talks with `user_name`.
    pub fn new(out: impl Write + Send + 'static, dress: Dress, name: &str, user_name: &str) -> Self {
        Self {
            out: Mutex::new(Box::new(out)),
            dress,
            name: name.to_owned(),
            user_name: user_name.to_owned(),
            mid_line: AtomicBool::new(false),
        }
    }

    /// The program's own words, on lines of their own.
    pub fn note(&self, text: &str) {
        self.end_line();
        let text = self.coloured(&harmless(text.trim_end()), "2");
        self.write(&format!("{text}\n"));
    }

    fn end_line(&self) {
        if self.mid_line.swap(false, Ordering::AcqRel) {
            self.write("\n");
        }
    }

    /// Asks for a line, where somebody can see it.
    pub(super) fn prompt(&self) {
        if self.dress != Dress::Plain {
            let name = self.coloured(&self.user_name, "1;32");
            self.write(&format!("\n{name}: "));
        }
    }

    fn begin_line(&self) {
        let name = self.coloured(&self.name, "1;36");
        let gap = if self.dress == Dress::Plain { "" } else { "\n" };
        self.write(&format!("{gap}{name}: "));
        self.mid_line.store(true, Ordering::Release);
    }

    fn coloured(&self, text: &str, code: &str) -> String {
        match self.dress {
            Dress::Coloured => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            Dress::Plain | Dress::Prompted => text.to_owned(),
        }
    }

    /// A terminal that is gone cannot be told so; the conversation ends when its input does.
    fn write(&self, text: &str) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            tracing::debug!(%error, "the terminal cannot be written to");
        }
    }
}

/// Without control characters: what a card, a model or somebody on Discord wrote must not drive the terminal.
fn harmless(text: &str) -> Cow<'_, str> {
    let drives = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if text.contains(drives) { Cow::Owned(text.replace(drives, "")) } else { Cow::Borrowed(text) }
}

/// Speaks on a [`Screen`].
#[derive(Debug)]
pub struct TerminalOutbox {
    screen: Arc<Screen>,
}

impl TerminalOutbox {
    pub(super) fn new(screen: Arc<Screen>) -> Self {
        Self { screen }
    }
}

#[async_trait]
impl Outbox for TerminalOutbox {
    fn style(&self) -> DeliveryStyle {
        DeliveryStyle::Live
    }

    fn typing(&self, _to: &Delivery) -> TypingGuard {
        TypingGuard::none()
    }

    async fn deliver(&self, _to: &Delivery, text: &str, first: bool) -> Result<Delivered, DeliveryError> {
        if text.contains(LAYER_MARKER) {
            return Err(DeliveryError::Refused("it repeats a heading of the prompt".to_owned()));
        }
        if first {
            self.screen.begin_line();
        }
        self.screen.write(&harmless(text));
        Ok(Delivered::default())
    }

    async fn finish(&self, _to: &Delivery, _spoke: bool) -> Settled {
        self.screen.end_line();
        Settled::AsDelivered
    }

    async fn notice(&self, _to: &Delivery, notice: Notice) -> Result<(), DeliveryError> {
        self.screen.note(&messages::notice(&notice));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{ChannelId, ModelErrorClass, Place, TurnId};

    #[derive(Clone, Default)]
    struct Paper(Arc<Mutex<Vec<u8>>>);

    impl Write for Paper {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn stage() -> (Paper, TerminalOutbox, Delivery) {
        let paper = Paper::default();
        let screen = Arc::new(Screen::new(paper.clone(), Dress::Plain, "Pell", "You"));
        let place = Place::terminal(ChannelId::new("terminal").unwrap());
        (paper, TerminalOutbox::new(screen), Delivery::to(TurnId(1), place))
    }

    fn shown(paper: &Paper) -> String {
        String::from_utf8(paper.0.lock().unwrap().clone()).unwrap()
    }

    #[tokio::test]
    async fn a_notice_in_the_middle_of_a_reply_has_a_line_of_its_own() {
        let (paper, outbox, to) = stage();
        outbox.deliver(&to, "The river", true).await.unwrap();
        let failed = Notice::ModelFailed { turn: TurnId(1), class: ModelErrorClass::Server, wait: None };
        outbox.notice(&to, failed).await.unwrap();
        outbox.finish(&to, true).await;
        outbox.deliver(&to, "Again.", true).await.unwrap();
        outbox.finish(&to, true).await;
        let shown = shown(&paper);
        assert!(shown.starts_with("Pell: The river\nThe model"), "{shown}");
        assert!(shown.ends_with("more)\nPell: Again.\n"), "{shown}");
    }

    #[tokio::test]
    async fn no_words_drive_the_terminal() {
        let (paper, outbox, to) = stage();
        outbox.deliver(&to, "a\u{1b}]52;c;ZXZpbA==\u{7}b\tc\r\n", true).await.unwrap();
        outbox.finish(&to, true).await;
        assert_eq!(shown(&paper), "Pell: a]52;c;ZXZpbA==b\tc\n\n");
    }
}
