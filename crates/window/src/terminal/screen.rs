//! What the operator sees: the familiar's words as they stream, the program's own words apart from them.

use std::borrow::Cow;
use std::fmt::{self, Debug};
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;

use parking_lot::{Mutex, RwLock};
use unicode_width::UnicodeWidthStr as _;

use super::messages;
use super::wrap::Wrap;
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
    /// Whether there is somebody to talk with: until then nobody is asked for their words.
    has_somebody: Arc<AtomicBool>,
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
    /// Why something could not be written, the first time.
    lost: Option<io::Error>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LastLine {
    /// Nothing, behind a line with words.
    Fresh,
    /// Nothing, behind an empty line.
    SetOff,
    Thinking,
    /// A reply whose line has not ended yet.
    Speaking,
    /// What the person is typing; whoever reads it draws it too.
    Typing,
}

/// What the person is asked with: as it is measured, and as it is shown. It may change while a line is being typed, when
/// somebody was chosen elsewhere; a line editor measures it once, so that it is as wide before.
#[derive(Debug, Clone)]
pub(super) struct Prompt {
    plain: String,
    dressed: String,
    /// While there is nobody to talk with.
    before: String,
    has_somebody: Arc<AtomicBool>,
}

impl Prompt {
    pub(super) fn plain(&self) -> &str {
        self.now(&self.plain)
    }

    pub(super) fn dressed(&self) -> &str {
        self.now(&self.dressed)
    }

    fn now<'p>(&'p self, to_somebody: &'p str) -> &'p str {
        if self.has_somebody.load(Ordering::Relaxed) { to_somebody } else { &self.before }
    }
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
            lost: None,
        };
        Self {
            page: Mutex::new(page),
            dress,
            columns: || None,
            name: RwLock::new(harmless(name).into_owned()),
            user_name: harmless(user_name).into_owned(),
            has_somebody: Arc::new(AtomicBool::new(true)),
        }
    }

    /// There is nobody to talk with yet, until [`Self::is_of`] names them.
    pub fn of_nobody(self) -> Self {
        Self { has_somebody: Arc::new(AtomicBool::new(false)), ..self }
    }

    /// Lines end between words, at as many columns as `columns` says there are. Plain text is left as it is.
    pub fn with_columns(self, columns: fn() -> Option<usize>) -> Self {
        Self { columns, ..self }
    }

    /// The program's own words, on lines of their own.
    pub fn note(&self, text: &str) {
        self.note_lines(&self.own_words(text));
    }

    /// The same of lines that have two columns each.
    pub(super) fn list(&self, text: &str) {
        self.note_lines(&self.dimmed(&Wrap::list(text, self.columns())));
    }

    fn note_lines(&self, text: &str) {
        let mut page = self.page.lock();
        if page.line == LastLine::Speaking {
            self.end_line_of(&mut page);
        }
        self.put_apart(&mut page, text);
    }

    /// The program's own words that have nothing to do with what is being said: behind a reply that is spoken.
    pub fn remark(&self, text: &str) {
        self.log(&self.own_words(text));
    }

    fn own_words(&self, text: &str) -> String {
        self.dimmed(&Wrap::whole(&harmless(text.trim_end()), self.columns()))
    }

    fn dimmed(&self, text: &str) -> String {
        self.coloured(text, "2") + "\n"
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

    pub(super) fn name(&self) -> String {
        self.name.read().clone()
    }

    /// Somebody else talks here from now on.
    pub fn is_of(&self, name: &str) {
        *self.name.write() = harmless(name).into_owned();
        self.has_somebody.store(true, Ordering::Relaxed);
    }

    /// Why a file or program did not take all that was said; `None` where it did, or wanted no more, or somebody sat here.
    pub fn lost(&self) -> Option<io::Error> {
        let lost = self.page.lock().lost.take();
        lost.filter(|error| !self.is_prompted() && error.kind() != io::ErrorKind::BrokenPipe)
    }

    /// Whether there is somebody to be asked for a line.
    pub fn is_prompted(&self) -> bool {
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
            page.write(&format!("{gap}{}", self.prompt_words().dressed()));
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
        Prompt {
            plain: format!("{name}: "),
            dressed: format!("{}: ", self.coloured(name, "1;32")),
            before: format!("{}> ", " ".repeat(name.width())),
            has_somebody: Arc::clone(&self.has_somebody),
        }
    }

    /// Shows that it is thinking, where somebody can see it.
    pub(super) fn thinks(&self) {
        let mut page = self.page.lock();
        if self.is_prompted() && matches!(page.line, LastLine::Fresh | LastLine::SetOff) {
            let gap = self.gap(&mut page);
            page.write(&format!("{gap}{}", self.coloured(&self.thinking(), "2")));
            page.line = LastLine::Thinking;
        }
    }

    pub(super) fn no_longer_thinks(&self) {
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

    pub(super) fn begin_reply(&self) {
        let name = self.name();
        let coloured = self.coloured(&name, "1;36");
        let mut page = self.page.lock();
        let gap = self.gap(&mut page);
        page.write(&format!("{gap}{coloured}: "));
        page.wrap.goes_on_at(name.width() + 2);
        page.line = LastLine::Speaking;
    }

    pub(super) fn say(&self, words: &str) {
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

    pub(super) fn end_line(&self) {
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
        if let Err(error) = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush()) {
            self.lost.get_or_insert(error);
        }
    }
}

/// Without control characters: what a card, a model or somebody on Discord wrote must not drive the terminal.
fn harmless(text: &str) -> Cow<'_, str> {
    let drives = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if text.contains(drives) { Cow::Owned(text.replace(drives, "")) } else { Cow::Borrowed(text) }
}
