//! What the program says about itself while it runs: on standard error, without secrets.

use std::collections::VecDeque;
use std::fmt::{self, Debug};
use std::io::{self, IsTerminal as _, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Mutex, RwLock};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::{Context, Layer, Layered, SubscriberExt as _};

use crate::config::Redactor;
use crate::text::short::beginning;

/// The target of lines about what is also told, in other words, to whoever sits where the log is shown.
pub const TOLD: &str = "familiar_connect::told";

/// The targets of lines about settings: they answer whoever edited a file.
const SETTINGS: &str = "familiar_pipeline::config";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogFormat {
    /// For people; coloured on a terminal unless `NO_COLOR` is set.
    #[default]
    Human,
    /// One JSON object a line, for machines.
    Json,
}

/// What is worth a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verbosity {
    /// Warnings, and what the program itself did.
    #[default]
    Normal,
    /// `-v`: why it did so.
    Verbose,
    /// `-vv`: everything of ours, and what the libraries say.
    VeryVerbose,
}

impl Verbosity {
    /// From how often `-v` was given.
    pub fn from_count(count: u8) -> Self {
        match count {
            0 => Self::Normal,
            1 => Self::Verbose,
            _ => Self::VeryVerbose,
        }
    }

    fn directives(self) -> &'static str {
        match self {
            // `familiar` is the bot and its crates. Serenity puts whole events and requests, with people's words and
            // interactions' tokens, into the spans around its lines, and frames that it cannot read into warnings. What goes
            // wrong with a server of tools the room of that name says itself.
            Self::Normal => "warn,familiar=info,serenity=error,rmcp=off",
            Self::Verbose => "info,familiar=debug,serenity=error,rmcp=warn",
            Self::VeryVerbose => {
                "debug,familiar=trace,serenity=error,serenity::gateway::bridge::shard_queuer=debug,\
                 hyper_util=info,h2=info,rustls=info"
            }
        }
    }
}

#[derive(Debug, Clone, Default)]
pub struct LogOptions {
    pub format: LogFormat,
    pub verbosity: Verbosity,
    /// Takes secrets out of every line.
    pub redact: Redactor,
}

/// Logging was already set up in this process.
#[derive(Debug, thiserror::Error)]
#[error("logging is already set up")]
pub struct AlreadySetUp;

/// What is handed to whoever has something else to show where the log would stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogShown<'a> {
    /// A line of the log, which ends with a line break.
    Line(&'a str),
    /// What went wrong, in plain words. Where nobody asked for more of the log, this is all that is shown of it.
    Words(&'a str),
}

/// Takes what is to be shown of the log. Must not log anything itself.
type TakeLine = Arc<dyn Fn(LogShown<'_>) + Send + Sync>;

/// The newest lines that are kept at hand, and so much of each, in characters.
const NEWEST: usize = 200;
const NEWEST_CHARS: usize = 1_000;

/// Where log lines go: to standard error, or to whoever has something else to show there. The newest stay at hand. Cheap to
/// clone.
#[derive(Clone, Default)]
pub struct LogLines(Arc<Log>);

#[derive(Default)]
struct Log {
    to: RwLock<Option<TakeLine>>,
    /// Whether it is told in words instead of lines while somebody else takes it.
    is_in_words: AtomicBool,
    newest: Mutex<VecDeque<String>>,
}

impl Debug for LogLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LogLines")
    }
}

impl LogLines {
    /// Hands it over instead of writing it, until the guard is dropped: lines, or without `-v` only what went wrong, in
    /// plain words. What takes it must not log itself. Where standard error is no terminal nothing changes: whoever keeps
    /// it in a file wants all of it there.
    pub fn divert(&self, to: impl Fn(LogShown<'_>) + Send + Sync + 'static) -> DivertedLog {
        if io::stderr().is_terminal() {
            self.hand_to(Some(Arc::new(to)));
        }
        DivertedLog(self.clone())
    }

    fn hand_to(&self, to: Option<TakeLine>) {
        *self.0.to.write() = to;
    }

    /// The newest 200 lines, oldest first: the beginning of each, without secrets, with the colours that it was written in.
    pub fn newest(&self) -> Vec<String> {
        self.0.newest.lock().iter().cloned().collect()
    }

    fn keep(&self, line: &str) {
        let mut newest = self.0.newest.lock();
        while newest.len() >= NEWEST {
            newest.pop_front();
        }
        newest.push_back(beginning(line.trim_end(), NEWEST_CHARS).to_owned());
    }
}

/// Keeps log lines away from standard error until dropped.
#[derive(Debug)]
pub struct DivertedLog(LogLines);

impl Drop for DivertedLog {
    fn drop(&mut self) {
        self.0.hand_to(None);
    }
}

/// Takes secrets out of log lines on their way.
#[derive(Clone)]
struct LineWriter {
    lines: LogLines,
    redact: Redactor,
    is_told: bool,
}

impl<'w> MakeWriter<'w> for LineWriter {
    type Writer = Self;

    fn make_writer(&'w self) -> Self {
        self.clone()
    }

    fn make_writer_for(&'w self, line: &Metadata<'_>) -> Self {
        Self { is_told: line.target() == TOLD, ..self.clone() }
    }
}

impl Write for LineWriter {
    /// Every line arrives here in one piece.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let to = self.lines.0.to.read().clone();
        let text = String::from_utf8_lossy(line);
        let text = self.redact.redact(&text);
        self.lines.keep(&text);
        match to {
            Some(_) if self.is_told || self.lines.0.is_in_words.load(Ordering::Relaxed) => {}
            Some(to) => to(LogShown::Line(&text)),
            None => io::stderr().write_all(text.as_bytes())?,
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Sends the process's log lines there from now on.
pub fn init_logging(options: &LogOptions, lines: LogLines) -> Result<(), AlreadySetUp> {
    let colours = if io::stderr().is_terminal() { Colours::UnlessRefused } else { Colours::Never };
    tracing::subscriber::set_global_default(with_words(options, colours, lines)).map_err(|_| AlreadySetUp)
}

/// Whoever asked for more of the log, or for it as JSON, wants its lines.
fn with_words(
    options: &LogOptions,
    colours: Colours,
    lines: LogLines,
) -> Layered<InWords, Box<dyn Subscriber + Send + Sync>> {
    let is_in_words = options.verbosity == Verbosity::Normal && options.format == LogFormat::Human;
    lines.0.is_in_words.store(is_in_words, Ordering::Relaxed);
    let words = InWords { lines: lines.clone(), redact: options.redact.clone() };
    subscriber(options, colours, lines).with(words)
}

/// Says what went wrong in plain words, without time, level and figures, to whoever takes the log in that way.
struct InWords {
    lines: LogLines,
    redact: Redactor,
}

impl<S: Subscriber> Layer<S> for InWords {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let line = event.metadata();
        // Of what is less than a warning, nobody who talks has to know anything but what became of their own edits; the
        // window shows the rest.
        let concerns_them = *line.level() <= Level::WARN
            || *line.level() == Level::INFO && line.target().starts_with(SETTINGS);
        let is_shown = concerns_them && line.target() != TOLD;
        if !is_shown || !self.lines.0.is_in_words.load(Ordering::Relaxed) {
            return;
        }
        let Some(to) = self.lines.0.to.read().clone() else { return };
        let mut said = Sentence::default();
        event.record(&mut said);
        to(LogShown::Words(&self.redact.redact(&said.text())));
    }
}

/// The fields that say why, and of what it is said.
const WHY: [&str; 4] = ["error", "reason", "why", "trouble"];
const OF: [&str; 3] = ["file", "book", "setting"];

/// What a line of the log says to people.
#[derive(Default)]
struct Sentence {
    message: String,
    of: Option<String>,
    why: Option<String>,
}

impl Sentence {
    fn text(&self) -> String {
        let mut letters = self.message.chars();
        let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
        let of = self.of.as_ref().map(|of| format!(" ({of})")).unwrap_or_default();
        let why = self.why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
        format!("{first}{}{of}{why}", letters.as_str())
    }

    fn take(&mut self, field: &Field, value: String) {
        match field.name() {
            "message" => self.message = value,
            name if WHY.contains(&name) => self.why = Some(value),
            name if OF.contains(&name) => self.of = Some(value),
            _ => {}
        }
    }
}

impl Visit for Sentence {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.take(field, value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.take(field, format!("{value:?}"));
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Colours {
    /// The library looks at `NO_COLOR`.
    UnlessRefused,
    Never,
}

fn subscriber(options: &LogOptions, colours: Colours, lines: LogLines) -> Box<dyn Subscriber + Send + Sync> {
    let builder = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(options.verbosity.directives()))
        .with_writer(LineWriter { lines, redact: options.redact.clone(), is_told: false })
        .with_target(options.verbosity != Verbosity::Normal);
    match options.format {
        LogFormat::Json => Box::new(builder.json().flatten_event(true).with_target(true).finish()),
        LogFormat::Human if colours == Colours::Never => Box::new(builder.with_ansi(false).finish()),
        LogFormat::Human => Box::new(builder.finish()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logged(format: LogFormat, verbosity: Verbosity) -> String {
        let (lines, written) = (LogLines::default(), Arc::new(Mutex::new(String::new())));
        let to = Arc::clone(&written);
        lines.hand_to(Some(Arc::new(move |what| {
            if let LogShown::Line(line) = what {
                to.lock().push_str(line);
            }
        })));
        let options = LogOptions { format, verbosity, redact: Redactor::new(["hunter2-token".to_owned()]) };
        let subscriber = subscriber(&options, Colours::Never, lines);
        tracing::subscriber::with_default(subscriber, || {
            tracing::info!(key = "hunter2-token", "connected with hunter2-token");
            tracing::debug!("a detail");
            tracing::info!(target: "familiar_memory::history", "remembered");
            let request =
                tracing::info_span!(target: "serenity::http::client", "request", words = "whispered");
            request.in_scope(|| tracing::info!("connecting"));
            let event = tracing::info_span!(target: "serenity::gateway::shard", "event", words = "whispered");
            event.in_scope(|| tracing::warn!(target: "serenity::gateway::shard", "sequence off"));
            tracing::warn!(target: "serenity::gateway::ws", "not understood: whispered");
            tracing::debug!(target: "serenity::client::dispatch", "an unknown event: whispered");
        });
        let written = written.lock();
        written.clone()
    }

    #[test]
    fn secrets_never_reach_a_line() {
        for format in [LogFormat::Human, LogFormat::Json] {
            let lines = logged(format, Verbosity::Normal);
            assert!(lines.contains("connected with [redacted]"), "{lines}");
            assert!(!lines.contains("hunter2"), "{lines}");
        }
    }

    #[test]
    fn the_newest_lines_are_at_hand_without_secrets() {
        let lines = LogLines::default();
        // Nothing of it is to stand among the test's own output.
        lines.hand_to(Some(Arc::new(|_| ())));
        let redact = Redactor::new(["hunter2-token".to_owned()]);
        let options = LogOptions { redact, ..LogOptions::default() };
        tracing::subscriber::with_default(subscriber(&options, Colours::Never, lines.clone()), || {
            for number in 0..=NEWEST {
                tracing::info!("line {number} with hunter2-token {}", "x".repeat(2 * NEWEST_CHARS));
            }
        });
        let newest = lines.newest();
        assert_eq!(newest.len(), NEWEST);
        assert!(newest[0].contains("line 1 with [redacted]") && newest[NEWEST - 1].contains("line 200 with"));
        assert!(newest.iter().all(|line| line.chars().count() <= NEWEST_CHARS && !line.contains("hunter2")));
    }

    /// What somebody who talks is shown of the log.
    fn shown(verbosity: Verbosity) -> (Vec<String>, LogLines) {
        let (lines, shown) = (LogLines::default(), Arc::new(Mutex::new(Vec::new())));
        let to = Arc::clone(&shown);
        lines.hand_to(Some(Arc::new(move |what| {
            to.lock().push(match what {
                LogShown::Line(line) => format!("line: {line}"),
                LogShown::Words(words) => format!("words: {words}"),
            });
        })));
        let redact = Redactor::new(["hunter2-token".to_owned()]);
        let options = LogOptions { verbosity, redact, ..LogOptions::default() };
        let subscriber = with_words(&options, Colours::Never, lines.clone());
        tracing::subscriber::with_default(subscriber, || {
            tracing::info!(files = 3, "removed what kills had left");
            tracing::warn!(tries = 2, file = "a.md", reason = "hunter2-token is old", "no model; it goes on");
            tracing::warn!(target: TOLD, "no embedding model");
            tracing::info!(target: "familiar_pipeline::config::live", "settings are in order again");
        });
        let shown = shown.lock().clone();
        (shown, lines)
    }

    #[test]
    fn whoever_talks_is_shown_in_words_what_went_wrong_and_nothing_that_is_told_them_anyway() {
        let (shown, lines) = shown(Verbosity::Normal);
        assert_eq!(
            shown,
            ["words: No model; it goes on (a.md): [redacted] is old", "words: Settings are in order again"]
        );
        assert_eq!(lines.newest().len(), 4, "the window shows all of it");
    }

    #[test]
    fn whoever_asks_for_more_of_the_log_is_shown_its_lines() {
        let (shown, _) = shown(Verbosity::Verbose);
        assert_eq!(shown.len(), 3, "{shown:?}");
        assert!(shown.iter().all(|shown| shown.starts_with("line: ") && shown.ends_with('\n')), "{shown:?}");
    }

    #[test]
    fn what_comes_from_discord_and_goes_there_is_never_written_out() {
        for verbosity in [Verbosity::Normal, Verbosity::Verbose, Verbosity::VeryVerbose] {
            for format in [LogFormat::Human, LogFormat::Json] {
                let lines = logged(format, verbosity);
                assert!(lines.contains("connecting") && !lines.contains("whispered"), "{lines}");
            }
        }
    }

    #[test]
    fn details_come_only_when_asked_for() {
        assert!(!logged(LogFormat::Human, Verbosity::Normal).contains("a detail"));
        assert!(logged(LogFormat::Human, Verbosity::from_count(1)).contains("a detail"));
    }

    #[test]
    fn what_a_crate_beside_the_bot_says_is_let_through() {
        for verbosity in [Verbosity::Normal, Verbosity::Verbose, Verbosity::VeryVerbose] {
            assert!(logged(LogFormat::Human, verbosity).contains("remembered"), "{verbosity:?}");
        }
    }

    #[test]
    fn json_lines_are_objects() {
        for line in logged(LogFormat::Json, Verbosity::VeryVerbose).lines() {
            assert!(serde_json::from_str::<serde_json::Value>(line).unwrap().is_object());
        }
    }
}
