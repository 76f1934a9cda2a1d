//! What is wrong with the settings, where, and what to do about it.

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};

use super::source::{SourceSpan, SourceText};

/// Settings could not be read, understood or written.
#[derive(Debug, Clone)]
pub enum ConfigError {
    /// One or more mistakes in what somebody wrote.
    Invalid(Vec<Problem>),
    /// A file could not be read or written.
    Io {
        /// `read`, `write`, `watch` or `create`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        error: Arc<io::Error>,
    },
    /// A command asked for something that the settings do not allow; nothing was written.
    Refused {
        /// Why, as a sentence for people.
        reason: String,
    },
}

/// Why a file cannot be written, as far as whoever runs the program can mend it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unwritable {
    /// There is no room left on the disk, or none for this user.
    Full,
    /// The disk, the folder or the file is not for this program to write.
    Locked,
}

impl Unwritable {
    /// `None` where an error says nothing of the disk.
    pub fn of(error: &io::Error) -> Option<Self> {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Some(Self::Full),
            io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => Some(Self::Locked),
            _ => None,
        }
    }

    /// What to do about it, in half a sentence.
    pub fn advice(self) -> &'static str {
        match self {
            Self::Full => "make room on that disk",
            Self::Locked => "let the user that the program runs as write there",
        }
    }
}

impl ConfigError {
    /// Where a file could not be written: why, if that can be mended.
    pub fn unwritable(&self) -> Option<Unwritable> {
        match self {
            Self::Io { action: "write" | "create", error, .. } => Unwritable::of(error),
            _ => None,
        }
    }

    pub(super) fn io(action: &'static str, path: &Path, error: io::Error) -> Self {
        Self::Io { action, path: path.to_owned(), error: Arc::new(error) }
    }

    /// One line per mistake, `file:line:column: what is wrong; what to do`, for logs and machines.
    pub fn lines(&self) -> Vec<String> {
        match self {
            Self::Invalid(problems) => problems.iter().map(Problem::line).collect(),
            other => {
                let advice = other.unwritable().map(|why| format!("; {}", why.advice()));
                vec![format!("{other}{}", advice.unwrap_or_default())]
            }
        }
    }

    /// The whole report as people see it: snippets, arrows, advice. Plain text without colours.
    pub fn report(&self) -> String {
        let mut out = String::new();
        let handler = miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::unicode_nocolor())
            .with_width(100)
            .with_links(false);
        match handler.render_report(&mut out, self) {
            Ok(()) => out,
            Err(fmt::Error) => self.lines().join("\n"),
        }
    }

    /// The same for the terminal this runs in: its width, and colours unless `NO_COLOR` or a pipe forbids them.
    pub fn terminal_report(&self) -> String {
        format!("{:?}", miette::Report::new(self.clone()))
    }

    /// The mistake itself, where there is exactly one: it is shown without a heading above it.
    fn only(&self) -> Option<&Problem> {
        match self {
            Self::Invalid(problems) if problems.len() == 1 => problems.first(),
            _ => None,
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(problems) => match problems.as_slice() {
                [only] => write!(f, "{only}"),
                many => write!(f, "{} mistakes in the settings", many.len()),
            },
            Self::Io { action, path, error } => write!(f, "could not {action} {}: {error}", path.display()),
            Self::Refused { reason } => f.write_str(reason),
        }
    }
}

/// Without a source: the reason stands in the words, and reports would show it once more.
impl std::error::Error for ConfigError {}

/// Without codes: there is nothing that they could be looked up in, and the words say what to do.
impl Diagnostic for ConfigError {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        match self.unwritable() {
            Some(why) => Some(Box::new(why.advice())),
            None => self.only().and_then(Diagnostic::help),
        }
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.only().and_then(Diagnostic::source_code)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.only().and_then(Diagnostic::labels)
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        match self {
            Self::Invalid(problems) if problems.len() > 1 => {
                Some(Box::new(problems.iter().map(|problem| problem as &dyn Diagnostic)))
            }
            _ => None,
        }
    }
}

impl From<Problem> for ConfigError {
    fn from(problem: Problem) -> Self {
        Self::Invalid(vec![problem])
    }
}

/// One mistake and where it stands.
#[derive(Debug, Clone, Diagnostic)]
pub struct Problem {
    what: String,
    #[help]
    advice: Option<String>,
    /// The word under the arrow.
    label: &'static str,
    place: SourceSpan,
    /// The file, for the snippet in a report; none where the value is likely to be a secret that somebody wrote into the
    /// wrong file.
    #[source_code]
    shown: Option<Arc<NamedSource<Arc<str>>>>,
    /// What the arrow in the snippet points at.
    #[label("{label}")]
    arrow: Option<miette::SourceSpan>,
}

impl Problem {
    pub(super) fn at(place: &SourceSpan, what: String) -> Self {
        let code = NamedSource::new(&place.source.name, Arc::<str>::from(place.source.text.as_str()));
        Self {
            what,
            advice: None,
            label: "this value",
            place: place.clone(),
            shown: Some(Arc::new(code)),
            arrow: Some(place.first_line().into()),
        }
    }

    /// The file is not TOML.
    pub(super) fn syntax(source: &Arc<SourceText>, span: Range<usize>, message: &str) -> Self {
        let place = SourceSpan { source: source.clone(), span };
        Self::at(&place, format!("this is not valid TOML: {message}")).labelled("here")
    }

    pub(super) fn labelled(self, label: &'static str) -> Self {
        Self { label, ..self }
    }

    pub(super) fn advised(self, advice: String) -> Self {
        Self { advice: Some(advice), ..self }
    }

    /// Reports end up in logs and bug reports; a secret in the wrong file must not follow it there.
    pub(super) fn of_secret(self) -> Self {
        let advice = "secrets do not belong here; put them into .env (see .env.example)";
        Self { shown: None, arrow: None, ..self.advised(advice.to_owned()) }
    }

    /// Line and column, from 1; columns count characters.
    pub(super) fn line_column(&self) -> (usize, usize) {
        self.place.line_column()
    }

    /// `file:line:column: what is wrong; what to do`.
    fn line(&self) -> String {
        let advice = self.advice.as_ref().map(|advice| format!("; {advice}")).unwrap_or_default();
        format!("{}{}{advice}", self.named_place(), self.what)
    }

    fn named_place(&self) -> String {
        let (row, column) = self.line_column();
        format!("{}:{row}:{column}: ", self.place.source.name)
    }
}

impl fmt::Display for Problem {
    /// What is wrong; with the place only where the report shows no snippet.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.shown.is_none() { self.named_place() } else { String::new() };
        write!(f, "{place}{}", self.what)
    }
}

impl std::error::Error for Problem {}

/// The name closest to what was written, when it is close enough to be a slip.
pub(super) fn closest<'n>(written: &str, names: impl IntoIterator<Item = &'n str>) -> Option<String> {
    let written = written.to_lowercase().replace('-', "_");
    likest(&written, names, 0.8).map(str::to_owned)
}

/// What to do about a name that is not known: the one that was probably meant, else all that there are, behind `all_are`.
pub(super) fn advice_on(written: &str, all_are: &str, names: &[&str]) -> String {
    meant_or_all(closest(written, names.iter().copied()), all_are, names)
}

/// The same where it is known which was probably meant.
pub(super) fn meant_or_all(meant: Option<String>, all_are: &str, names: &[&str]) -> String {
    match meant {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("{all_are} {}", names.join(", ")),
    }
}

/// The names likest to a word, the likest first, at most so many.
pub fn likest_names<'n>(word: &str, names: impl IntoIterator<Item = &'n str>, most: usize) -> Vec<&'n str> {
    let mut names: Vec<_> = names.into_iter().map(|name| (strsim::jaro_winkler(word, name), name)).collect();
    names.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    names.into_iter().take(most).map(|(_, name)| name).collect()
}

/// The name likest to a word, if it is as like as `least` (Jaro-Winkler, 0 to 1).
pub(super) fn likest<'n>(
    word: &str,
    names: impl IntoIterator<Item = &'n str>,
    least: f64,
) -> Option<&'n str> {
    names
        .into_iter()
        .map(|name| (strsim::jaro_winkler(word, name), name))
        .filter(|(likeness, _)| *likeness >= least)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests;
