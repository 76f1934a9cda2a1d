//! What the operator sees: the familiar's words as they stream, the program's own words apart from them.

use std::borrow::Cow;
use std::fmt::{self, Debug};
use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use async_trait::async_trait;
use parking_lot::{Mutex, RwLock};
use tokio::sync::watch;
use unicode_width::UnicodeWidthStr as _;

use super::confirm::TerminalActions;
use super::messages;
use super::wrap::Wrap;
use crate::domain::{LAYER_MARKER, TurnId};
use crate::session::{
    Delivered, Delivery, DeliveryError, DeliveryStyle, Notice, Outbox, PlaceActions, Settled, TypingGuard,
};
use crate::trace::logging::LogShown;

/// So many bytes wait for the end of a reply; what does not fit is shown at once.
const LATER: usize = 16 * 1024;

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
    page: Mutex<ScreenPage>,
    dress: Dress,
    columns: fn() -> Option<usize>,
    name: RwLock<String>,
    user_name: String,
}

/// What is written, and what stands in its last line.
struct ScreenPage {
    out: Box<dyn Write + Send>,
    line: LastLine,
    wrap: Wrap,
    /// What came while a reply was spoken, and is shown behind it.
    later: String,
    /// Takes what is to stand above the line that is being typed.
    above: Option<SyncSender<String>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LastLine {
    /// Nothing, behind a line with words.
    Fresh,
    /// Nothing, behind an empty line.
    SetOff,
    /// That the familiar is thinking.
    Thinking,
    /// A reply whose line has not ended yet.
    Speaking,
    /// What the person is typing; whoever reads it draws it too.
    Typing,
}

/// What the person is asked with: as it is measured, and as it is shown.
#[derive(Debug, Clone)]
pub(super) struct Prompt {
    pub(super) plain: String,
    pub(super) dressed: String,
}

impl Debug for Screen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Screen").field("name", &*self.name.read()).finish_non_exhaustive()
    }
}

impl Screen {
    /// A screen on which `name` talks with `user_name`.
    pub fn new(out: impl Write + Send + 'static, dress: Dress, name: &str, user_name: &str) -> Self {
        let page = ScreenPage {
            out: Box::new(out),
            line: LastLine::Fresh,
            wrap: Wrap::new(),
            later: String::new(),
            above: None,
        };
        Self {
            page: Mutex::new(page),
            dress,
            columns: || None,
            name: RwLock::new(harmless(name).into_owned()),
            user_name: harmless(user_name).into_owned(),
        }
    }

    /// Lines end between words, at as many columns as `columns` says there are. Plain text is left as it is.
    pub fn with_columns(self, columns: fn() -> Option<usize>) -> Self {
        Self { columns, ..self }
    }

    /// The program's own words, on lines of their own.
    pub fn note(&self, text: &str) {
        let text = self.own_words(text);
        let mut page = self.page.lock();
        if page.line == LastLine::Speaking {
            self.end_line_of(&mut page);
        }
        self.put_apart(&mut page, &text);
    }

    /// The program's own words that have nothing to do with what is being said: behind a reply that is spoken.
    pub fn remark(&self, text: &str) {
        self.log(&self.own_words(text));
    }

    fn own_words(&self, text: &str) -> String {
        let text = Wrap::whole(&harmless(text.trim_end()), self.columns());
        self.coloured(&text, "2") + "\n"
    }

    /// What is to be seen of the log.
    pub fn shows(&self, log: LogShown<'_>) {
        match log {
            LogShown::Line(line) => self.log(line),
            LogShown::Words(words) => self.remark(words),
        }
    }

    /// A line of the log, which ends with a line break. It is shown as it is, behind a reply that is spoken.
    pub(super) fn log(&self, line: &str) {
        let mut page = self.page.lock();
        if page.line == LastLine::Speaking && page.later.len() + line.len() <= LATER {
            page.later.push_str(line);
        } else {
            self.put_apart(&mut page, line);
        }
    }

    /// What is remembered is still being written at the end; whoever waits for it is told so.
    pub fn writes_memories(&self) {
        if self.is_prompted() {
            self.note(messages::WRITING);
        }
    }

    /// Who talks here.
    pub(super) fn name(&self) -> String {
        self.name.read().clone()
    }

    /// Somebody else talks here from now on.
    pub fn is_of(&self, name: &str) {
        *self.name.write() = harmless(name).into_owned();
    }

    /// Whether there is somebody to be asked for a line.
    pub(super) fn is_prompted(&self) -> bool {
        self.dress != Dress::Plain
    }

    /// Lines that were to stand above what is being typed. Gives them back while something is, and shows them otherwise.
    pub(super) fn unless_typing(&self, lines: String) -> Option<String> {
        let mut page = self.page.lock();
        if page.line == LastLine::Typing {
            return Some(lines);
        }
        self.put_apart(&mut page, &lines);
        None
    }

    /// Asks for a line, where somebody can see it.
    pub(super) fn prompt(&self) {
        if self.is_prompted() {
            let mut page = self.page.lock();
            let gap = self.gap(&mut page);
            page.write(&format!("{gap}{}", self.prompt_words().dressed));
            page.line = LastLine::Fresh;
        }
    }

    /// Somebody else draws the line that is being typed from here on, behind the words that are given back, and takes what
    /// is to stand above it. Until [`Self::typed`].
    pub(super) fn types(&self, above: SyncSender<String>) -> Prompt {
        let mut page = self.page.lock();
        let gap = self.gap(&mut page);
        page.write(gap);
        page.line = LastLine::Typing;
        page.above = Some(above);
        self.prompt_words()
    }

    /// Whether something was said over the line that is being typed. From here on it stands below that, as [`Self::types`] has it.
    pub(super) fn covers_line(&self, above: &SyncSender<String>) -> bool {
        let mut page = self.page.lock();
        if page.line == LastLine::Typing {
            return false;
        }
        let gap = self.gap(&mut page);
        page.write(gap);
        page.line = LastLine::Typing;
        page.above = Some(above.clone());
        true
    }

    /// The line that was being typed is over, and ended.
    pub(super) fn typed(&self) {
        let mut page = self.page.lock();
        page.line = LastLine::Fresh;
        page.above = None;
    }

    /// The line that was being typed is left as it is.
    pub(super) fn leaves_line(&self) {
        self.typed();
        // Whoever drew it had the terminal mark what is pasted.
        self.page.lock().write("\u{1b}[?2004l\n");
    }

    fn prompt_words(&self) -> Prompt {
        let name = &self.user_name;
        Prompt { plain: format!("{name}: "), dressed: format!("{}: ", self.coloured(name, "1;32")) }
    }

    /// Shows that it is thinking, where somebody can see it.
    fn thinks(&self) {
        let mut page = self.page.lock();
        if self.is_prompted() && matches!(page.line, LastLine::Fresh | LastLine::SetOff) {
            let gap = self.gap(&mut page);
            page.write(&format!("{gap}{}", self.coloured(&self.thinking(), "2")));
            page.line = LastLine::Thinking;
        }
    }

    fn no_longer_thinks(&self) {
        self.wipe(&mut self.page.lock());
    }

    fn thinking(&self) -> String {
        let words = messages::thinking(&self.name());
        // What does not fit on one line could not be wiped away again.
        if self.columns().is_some_and(|columns| words.width() >= columns) { "…".to_owned() } else { words }
    }

    fn wipe(&self, page: &mut ScreenPage) {
        if page.line == LastLine::Thinking {
            let blank = " ".repeat(self.thinking().width());
            page.write(&format!("\r{blank}\r"));
            page.line = LastLine::SetOff;
        }
    }

    fn begin_reply(&self) {
        let name = self.name();
        let coloured = self.coloured(&name, "1;36");
        let mut page = self.page.lock();
        let gap = self.gap(&mut page);
        page.write(&format!("{gap}{coloured}: "));
        page.wrap.goes_on_at(name.width() + 2);
        page.line = LastLine::Speaking;
    }

    fn say(&self, words: &str) {
        let columns = self.columns();
        let mut page = self.page.lock();
        if page.line != LastLine::Speaking {
            // Something else was shown in between.
            self.wipe(&mut page);
            page.wrap.goes_on_at(0);
            page.line = LastLine::Speaking;
        }
        let shown = page.wrap.push(&harmless(words), columns);
        page.write(&shown);
    }

    fn end_line(&self) {
        self.end_line_of(&mut self.page.lock());
    }

    fn end_line_of(&self, page: &mut ScreenPage) {
        if page.line == LastLine::Speaking {
            let rest = page.wrap.rest(self.columns());
            let later = std::mem::take(&mut page.later);
            page.write(&format!("{rest}\n{later}"));
            page.line = LastLine::Fresh;
        }
    }

    /// Replies and the prompt are set off by an empty line where somebody sees them.
    fn gap(&self, page: &mut ScreenPage) -> &'static str {
        self.wipe(page);
        if self.is_prompted() && page.line != LastLine::SetOff { "\n" } else { "" }
    }

    /// Whole lines that belong neither to a reply nor to what is being typed.
    fn put_apart(&self, page: &mut ScreenPage, lines: &str) {
        match page.line {
            LastLine::Typing => {
                // Where nobody takes them any more they are written all the same.
                let taken = page.above.as_ref().is_some_and(|above| above.try_send(lines.to_owned()).is_ok());
                if !taken {
                    page.write(lines);
                }
            }
            LastLine::Thinking => {
                self.wipe(page);
                page.write(&format!("{lines}{}", self.coloured(&self.thinking(), "2")));
                page.line = LastLine::Thinking;
            }
            LastLine::Speaking => {
                let end = if page.wrap.column() > 0 { "\n" } else { "" };
                page.write(&format!("{end}{lines}"));
                page.wrap.goes_on_at(0);
            }
            LastLine::Fresh | LastLine::SetOff => {
                page.write(lines);
                page.line = LastLine::Fresh;
            }
        }
    }

    fn columns(&self) -> Option<usize> {
        (self.columns)().filter(|_| self.is_prompted())
    }

    fn coloured(&self, text: &str, code: &str) -> String {
        match self.dress {
            Dress::Coloured => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            Dress::Plain | Dress::Prompted => text.to_owned(),
        }
    }
}

impl ScreenPage {
    /// A terminal that is gone cannot be told so, nor can the log, which may be shown here too; the conversation ends when
    /// its input does.
    fn write(&mut self, text: &str) {
        let _gone = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
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
    use super::*;
    use crate::domain::{ChannelId, ModelErrorClass, Place, TurnId};

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
