//! What the operator sees: the familiar's words as they stream, the program's own words apart from them.

use std::fmt::{self, Debug};
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;

use super::messages;
use crate::domain::LAYER_MARKER;
use crate::session::{Delivered, Delivery, DeliveryError, DeliveryStyle, Notice, Outbox, TypingGuard};

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
}

impl Debug for Screen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Screen").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Screen {
    /// A screen on which `name` talks with `user_name`.
    pub fn new(out: impl Write + Send + 'static, dress: Dress, name: &str, user_name: &str) -> Self {
        Self { out: Mutex::new(Box::new(out)), dress, name: name.to_owned(), user_name: user_name.to_owned() }
    }

    /// The program's own words, on lines of their own.
    pub fn note(&self, text: &str) {
        let text = self.coloured(text.trim_end(), "2");
        self.write(&format!("{text}\n"));
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
        self.screen.write(text);
        Ok(Delivered::default())
    }

    async fn finish(&self, _to: &Delivery, spoke: bool) {
        if spoke {
            self.screen.write("\n");
        }
    }

    async fn notice(&self, _to: &Delivery, notice: Notice) -> Result<(), DeliveryError> {
        self.screen.note(&messages::notice(&notice));
        Ok(())
    }
}
