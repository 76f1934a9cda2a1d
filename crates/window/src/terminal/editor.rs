//! A line that is edited in a terminal. While one is being typed the terminal belongs to a thread; in between nothing that
//! is typed is shown, and all of it stands at the next prompt.

#[cfg(unix)]
mod silence;

use std::cell::Cell;
use std::fmt::{self, Debug};
use std::io;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{Config, Context, ExternalPrinter, Helper};

use super::screen::{Prompt, Screen};

/// Texts that can wait to be shown above the line that is being typed. What comes beyond them is written at once.
const WAITING_ABOVE: usize = 256;

/// Lines that were typed and can be had again with the arrow keys.
const REMEMBERED: usize = 100;

type LineEditor = rustyline::Editor<TypingWatch, MemHistory>;

/// What the person did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Typed {
    /// A line, perhaps of nothing.
    Line(String),
    /// A line that is longer than what is read.
    TooLong,
    /// What was typed is thrown away, by a Ctrl-C or a slip of the keyboard; somebody goes on typing.
    Dropped,
    /// Ctrl-C, with nothing typed.
    CtrlC,
    /// The end of the input.
    Closed,
}

/// Reads lines from the terminal that this process runs in, one at a time. Gives the terminal back when dropped.
pub struct Editor {
    screen: Arc<Screen>,
    ask: mpsc::SyncSender<Prompt>,
    typed: tokio::sync::mpsc::Receiver<io::Result<Typed>>,
    above: mpsc::SyncSender<String>,
    is_asked: bool,
    #[cfg(unix)]
    silence: silence::Silence,
}

impl Debug for Editor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Editor").field("is_asked", &self.is_asked).finish_non_exhaustive()
    }
}

impl Editor {
    /// Takes the terminal over.
    ///
    /// # Errors
    /// When it cannot do what that needs.
    pub(super) fn begin(screen: &Arc<Screen>) -> io::Result<Self> {
        let config = Config::builder().max_history_size(REMEMBERED).map_err(io::Error::other)?.build();
        let history = MemHistory::with_config(&config);
        let mut editor = LineEditor::with_history(config, history).map_err(io::Error::other)?;
        editor.set_helper(Some(TypingWatch::default()));
        let printer = editor.create_external_printer().map_err(io::Error::other)?;
        let (ask, asked) = mpsc::sync_channel(1);
        let (tell, typed) = tokio::sync::mpsc::channel(1);
        let (above, to_print) = mpsc::sync_channel(WAITING_ABOVE);
        #[cfg(unix)]
        let silence = silence::Silence::begin()?;
        #[cfg(unix)]
        let until_read = silence.clone();
        // Two threads: both wait for the keyboard, or for each other, and neither may hold up the program.
        thread::Builder::new().name("line editor".to_owned()).spawn(move || {
            // A line that ends when the terminal was given back already puts back the silence that it found.
            #[cfg(unix)]
            let _given_back_again = until_read;
            read_typed_lines(editor, &asked, &tell);
        })?;
        let shown_on = Arc::clone(screen);
        thread::Builder::new()
            .name("above the line".to_owned())
            .spawn(move || print(printer, &to_print, &shown_on))?;
        Ok(Self {
            screen: Arc::clone(screen),
            ask,
            typed,
            above,
            is_asked: false,
            #[cfg(unix)]
            silence,
        })
    }

    /// Asks for a line, unless one is being typed already.
    pub(super) async fn next(&mut self) -> io::Result<Typed> {
        if !self.is_asked {
            // A program that was stopped and goes on may find its terminal changed.
            #[cfg(unix)]
            self.silence.keep()?;
            let prompt = self.screen.types(self.above.clone());
            self.is_asked = true;
            self.ask.send(prompt).map_err(io::Error::other)?;
        } else if self.screen.covers_line(&self.above) {
            // Whatever stands above it, the line is drawn below.
            let _drawn_with_what_waits = self.above.try_send(String::new());
        }
        let typed = self.typed.recv().await;
        self.is_asked = false;
        self.screen.typed();
        typed.unwrap_or_else(|| Err(io::Error::other("the line editor broke off")))
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        if self.is_asked {
            self.screen.leaves_line();
        }
    }
}

impl rustyline::Prompt for Prompt {
    fn raw(&self) -> &str {
        self.plain()
    }

    fn styled(&self) -> &str {
        self.dressed()
    }
}

/// For as long as lines are asked for.
fn read_typed_lines(
    mut editor: LineEditor,
    asked: &mpsc::Receiver<Prompt>,
    tell: &tokio::sync::mpsc::Sender<io::Result<Typed>>,
) {
    while let Ok(prompt) = asked.recv() {
        let typed = match editor.readline(&prompt) {
            Ok(line) => {
                // A line that cannot be had again is no reason to stop.
                let _not_kept = editor.add_history_entry(line.as_str());
                Ok(Typed::Line(line))
            }
            Err(ReadlineError::Eof) => Ok(Typed::Closed),
            // With something typed it only throws that away.
            Err(ReadlineError::Interrupted) if editor.helper().is_some_and(TypingWatch::has_words) => {
                Ok(Typed::Dropped)
            }
            Err(ReadlineError::Interrupted) => Ok(Typed::CtrlC),
            // The terminal became larger or smaller in the middle of a key.
            Err(ReadlineError::Signal(_)) => Ok(Typed::Dropped),
            // A slip of the keyboard ends no conversation.
            Err(ReadlineError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => Ok(Typed::Dropped),
            Err(error) => Err(io::Error::other(error)),
        };
        if tell.blocking_send(typed).is_err() {
            return;
        }
    }
}

/// For as long as lines are asked for. It may have to wait for the next one.
fn print(mut printer: impl ExternalPrinter, waiting: &mpsc::Receiver<String>, screen: &Screen) {
    while let Ok(text) = waiting.recv() {
        // The printer knows nothing of what stands on the screen when the line has ended meanwhile.
        if let Some(text) = screen.unless_typing(text)
            && printer.print(text).is_err()
        {
            return;
        }
    }
}

/// Knows whether anything is typed: the editor shows what it holds to whoever would give a hint.
#[derive(Default)]
struct TypingWatch(Cell<bool>);

impl TypingWatch {
    fn has_words(&self) -> bool {
        self.0.get()
    }
}

impl Hinter for TypingWatch {
    type Hint = String;

    fn hint(&self, line: &str, _at: usize, _context: &Context<'_>) -> Option<String> {
        self.0.set(!line.is_empty());
        None
    }
}

impl Completer for TypingWatch {
    type Candidate = String;
}

impl Highlighter for TypingWatch {}
impl Validator for TypingWatch {}
impl Helper for TypingWatch {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::Dress;

    struct Printer(mpsc::Sender<String>);

    impl ExternalPrinter for Printer {
        fn print(&mut self, text: String) -> rustyline::Result<()> {
            self.0.send(text).map_err(|error| io::Error::other(error).into())
        }
    }

    #[test]
    fn what_came_too_late_for_the_line_is_shown_by_the_screen() {
        for has_ended in [false, true] {
            let screen = Screen::new(io::sink(), Dress::Prompted, "Pell", "You");
            let (above, waiting) = mpsc::sync_channel(1);
            screen.types(above);
            screen.log("INFO one\n");
            if has_ended {
                screen.typed();
            }
            let (tell, printed) = mpsc::channel();
            let still_typing = waiting.try_recv().map(|text| {
                let (again, waiting) = mpsc::sync_channel(1);
                again.send(text).unwrap();
                waiting
            });
            print(Printer(tell), &still_typing.unwrap(), &screen);
            assert_eq!(printed.try_recv().is_ok(), !has_ended);
        }
    }
}
