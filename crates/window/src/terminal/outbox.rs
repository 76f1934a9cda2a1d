//! How a turn's words reach the terminal.

use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::watch;

use super::confirm::TerminalActions;
use super::messages;
use super::screen::Screen;
use crate::domain::{LAYER_MARKER, TurnId};
use crate::session::{
    Delivered, Delivery, DeliveryError, DeliveryStyle, Notice, Outbox, PlaceActions, Settled, TypingGuard,
};

/// Speaks on a [`Screen`].
#[derive(Debug)]
pub struct TerminalOutbox {
    screen: Arc<Screen>,
    /// The turn that is being answered.
    underway: watch::Sender<Option<TurnId>>,
    actions: Arc<TerminalActions>,
}

impl TerminalOutbox {
    pub(super) fn new(screen: Arc<Screen>, actions: Arc<TerminalActions>) -> Self {
        Self { screen, underway: watch::Sender::new(None), actions }
    }

    /// Tells which turn is being answered.
    pub(super) fn underway(&self) -> watch::Receiver<Option<TurnId>> {
        self.underway.subscribe()
    }
}

/// While it lives, the screen shows that the familiar thinks, if it has said nothing yet.
struct Thinking(Arc<Screen>);

impl Drop for Thinking {
    fn drop(&mut self) {
        self.0.no_longer_thinks();
    }
}

#[async_trait]
impl Outbox for TerminalOutbox {
    fn style(&self) -> DeliveryStyle {
        DeliveryStyle::Live
    }

    fn typing(&self, to: &Delivery) -> TypingGuard {
        self.underway.send_replace(Some(to.turn));
        self.screen.thinks();
        TypingGuard::holding(Thinking(Arc::clone(&self.screen)))
    }

    async fn deliver(&self, to: &Delivery, text: &str, first: bool) -> Result<Delivered, DeliveryError> {
        if text.contains(LAYER_MARKER) {
            return Err(DeliveryError::Refused("it repeats a heading of the prompt".to_owned()));
        }
        if first {
            self.screen.begin_reply();
        }
        self.screen.say(text);
        Ok(if first { Delivered::of_turn(to.turn) } else { Delivered::default() })
    }

    async fn finish(&self, _to: &Delivery, _spoke: bool) -> Settled {
        self.screen.end_line();
        self.underway.send_replace(None);
        Settled::AsDelivered
    }

    async fn notice(&self, _to: &Delivery, notice: Notice) -> Result<(), DeliveryError> {
        self.screen.note(&messages::terminal_notice(&notice));
        Ok(())
    }

    fn actions(&self) -> Option<Arc<dyn PlaceActions>> {
        Some(Arc::clone(&self.actions) as Arc<dyn PlaceActions>)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use parking_lot::Mutex;

    use super::*;
    use crate::domain::{ChannelId, ModelErrorClass, Place};
    use crate::terminal::screen::Dress;

    #[derive(Clone, Default)]
    struct Paper(Arc<Mutex<Vec<u8>>>);

    impl Write for Paper {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn stage() -> (Paper, TerminalOutbox, Delivery) {
        dressed(Dress::Plain)
    }

    fn dressed(dress: Dress) -> (Paper, TerminalOutbox, Delivery) {
        let paper = Paper::default();
        let screen = Screen::new(paper.clone(), dress, "Pell", "You").with_columns(|| Some(20));
        let screen = Arc::new(screen);
        let place = Place::terminal(ChannelId::new("terminal").unwrap());
        (
            paper,
            TerminalOutbox::new(Arc::clone(&screen), TerminalActions::new(screen).0),
            Delivery::to(TurnId(1), place),
        )
    }

    fn shown(paper: &Paper) -> String {
        String::from_utf8(paper.0.lock().clone()).unwrap()
    }

    #[tokio::test]
    async fn a_notice_in_the_middle_of_a_reply_has_a_line_of_its_own() {
        let (paper, outbox, to) = stage();
        outbox.deliver(&to, "The river", true).await.unwrap();
        let failed = Notice::ModelFailed {
            turn: TurnId(1),
            class: ModelErrorClass::Server,
            wait: None,
            key_for: None,
        };
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

    #[tokio::test]
    async fn plain_text_is_handed_on_as_it_comes_without_any_sign_of_thinking() {
        let (paper, outbox, to) = stage();
        let _thinking = outbox.typing(&to);
        outbox.deliver(&to, "The river is wide and nob", true).await.unwrap();
        assert_eq!(shown(&paper), "Pell: The river is wide and nob");
    }

    #[tokio::test]
    async fn a_log_line_waits_for_the_end_of_a_reply() {
        let (paper, outbox, to) = dressed(Dress::Prompted);
        let thinking = outbox.typing(&to);
        outbox.screen.log("INFO one\n");
        outbox.deliver(&to, "The riv", true).await.unwrap();
        outbox.screen.log("INFO two\n");
        outbox.deliver(&to, "er is wide tonight.", false).await.unwrap();
        outbox.finish(&to, true).await;
        drop(thinking);
        outbox.screen.prompt();
        let wiped = format!("\r{}\r", " ".repeat(18));
        assert_eq!(
            shown(&paper),
            format!(
                "\nPell is thinking …{wiped}INFO one\nPell is thinking …{wiped}\
                 Pell: The river is \nwide tonight.\nINFO two\n\nYou: "
            )
        );
    }

    #[tokio::test]
    async fn a_log_line_that_waited_for_the_end_of_what_is_typed_stays_out_of_the_reply() {
        let (paper, outbox, to) = dressed(Dress::Prompted);
        let (above, waiting) = std::sync::mpsc::sync_channel(1);
        outbox.screen.types(above);
        outbox.screen.log("INFO one\n");
        outbox.screen.typed();
        let thinking = outbox.typing(&to);
        let late = waiting.recv().unwrap();
        assert_eq!(outbox.screen.unless_typing(late), None);
        outbox.deliver(&to, "Yes.", true).await.unwrap();
        outbox.finish(&to, true).await;
        drop(thinking);
        let wiped = format!("\r{}\r", " ".repeat(18));
        assert_eq!(
            shown(&paper),
            format!("\n\nPell is thinking …{wiped}INFO one\nPell is thinking …{wiped}Pell: Yes.\n")
        );
    }

    #[tokio::test]
    async fn where_nothing_was_said_only_the_sign_goes() {
        let (paper, outbox, to) = dressed(Dress::Prompted);
        drop(outbox.typing(&to));
        let failed = Notice::TooMuchAtOnce;
        outbox.notice(&to, failed).await.unwrap();
        assert!(shown(&paper).ends_with("\rThat is more than \ncan be answered at \nonce. Wait a minute.\n"));
    }
}
