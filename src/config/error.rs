//! What is wrong with the settings, where, and what to do about it.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};

use super::source::Place;

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
        /// The system's reason.
        error: Arc<io::Error>,
    },
    /// A command asked for something that the settings do not allow; nothing was written.
    Refused {
        /// Why, as a sentence for people.
        reason: String,
    },
}

impl ConfigError {
    pub(super) fn io(action: &'static str, path: &Path, error: io::Error) -> Self {
        Self::Io { action, path: path.to_owned(), error: Arc::new(error) }
    }

    /// One line per mistake, `file:line:column: what is wrong; what to do`, for logs and machines.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        match self {
            Self::Invalid(problems) => problems.iter().map(Problem::line).collect(),
            other => vec![other.to_string()],
        }
    }

    /// The whole report as people see it: snippets, arrows, advice. Plain text without colours.
    #[must_use]
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
}

impl ConfigError {
    /// The same for the terminal this runs in: its width, and colours unless `NO_COLOR` or a pipe forbids them.
    #[must_use]
    pub fn terminal_report(&self) -> String {
        format!("{:?}", miette::Report::new(self.clone()))
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

impl std::error::Error for ConfigError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { error, .. } => Some(error.as_ref()),
            _ => None,
        }
    }
}

impl ConfigError {
    /// The mistake itself, where there is exactly one: it is shown without a heading above it.
    fn only(&self) -> Option<&Problem> {
        match self {
            Self::Invalid(problems) => match problems.as_slice() {
                [only] => Some(only),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Diagnostic for ConfigError {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(match self {
            Self::Invalid(_) => "config",
            Self::Io { .. } => "config::io",
            Self::Refused { .. } => "config::refused",
        }))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.only().and_then(Diagnostic::help)
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
#[derive(Debug, Clone)]
pub struct Problem {
    /// What is wrong.
    pub kind: Box<ProblemKind>,
    named: Box<Named>,
}

/// The file a mistake stands in, as the report wants it.
#[derive(Debug, Clone)]
struct Named {
    place: Place,
    code: NamedSource<Arc<str>>,
}

impl Problem {
    pub(super) fn at(place: &Place, kind: ProblemKind) -> Self {
        let code = NamedSource::new(&place.source.name, Arc::<str>::from(place.source.text.as_str()));
        Self { kind: Box::new(kind), named: Box::new(Named { place: place.clone(), code }) }
    }

    /// The file, as it was named when it was read.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.named.place.source.name
    }

    /// Line and column, from 1; columns count characters.
    #[must_use]
    pub fn line_column(&self) -> (usize, usize) {
        self.named.place.line_column()
    }

    /// `file:line:column: what is wrong; what to do`.
    #[must_use]
    pub fn line(&self) -> String {
        let (row, column) = self.line_column();
        let mut line = format!("{}:{row}:{column}: {}", self.file(), self.kind);
        if let Some(advice) = self.kind.advice() {
            line.push_str("; ");
            line.push_str(&advice);
        }
        line
    }
}

impl fmt::Display for Problem {
    /// What is wrong; with the place only where the report shows no snippet.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kind.is_likely_secret() {
            let (row, column) = self.line_column();
            write!(f, "{}:{row}:{column}: ", self.file())?;
        }
        write!(f, "{}", self.kind)
    }
}

impl std::error::Error for Problem {}

impl Diagnostic for Problem {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.kind.advice().map(|advice| Box::new(advice) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        // Reports end up in logs and bug reports; a secret in the wrong file must not follow it there.
        if self.kind.is_likely_secret() { None } else { Some(&self.named.code) }
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        if self.kind.is_likely_secret() {
            return None;
        }
        let span = self.named.place.first_line();
        let label = LabeledSpan::new_with_span(Some(self.kind.label().to_owned()), span);
        Some(Box::new(std::iter::once(label)))
    }
}

/// What is wrong. The data says which key and which value; [`fmt::Display`] says it to people.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ProblemKind {
    /// The file is not TOML.
    #[error("this is not valid TOML: {message}")]
    Syntax {
        /// The parser's reason.
        message: String,
    },
    /// No key of that name exists there.
    #[error("unknown {noun} `{key}`")]
    UnknownKey {
        /// `key`, `model slot`, `channel mode` or `layer`.
        noun: &'static str,
        /// The dotted key as written.
        key: String,
        /// The closest name that exists.
        suggestion: Option<String>,
        /// The table that does know that key, as its header without brackets; empty for the top of the file.
        belongs: Option<String>,
        /// All names that exist there.
        allowed: Vec<String>,
    },
    /// The value has the wrong form or is out of its range.
    #[error("`{key}` must be {expected}, but is {found}")]
    Unusable {
        /// The dotted key.
        key: String,
        /// What it may be, range included.
        expected: String,
        /// What it is.
        found: String,
        /// The closest allowed word.
        suggestion: Option<String>,
    },
    /// Two settings contradict each other once all files are laid over each other.
    #[error("`{low}` is {low_value}, which must {relation} `{high}`, which is {high_value}")]
    Order {
        /// The key that must be smaller.
        low: String,
        /// Its value.
        low_value: String,
        /// `not exceed` or `be less than`.
        relation: &'static str,
        /// The key that must be larger.
        high: String,
        /// Its value, and the file it comes from when that is another one.
        high_value: String,
    },
    /// A setting needs another one.
    #[error("`{key}` needs `{needs}` to be set")]
    Needs {
        /// The key that was set.
        key: String,
        /// The key that is missing.
        needs: String,
    },
    /// A required key is missing.
    #[error("`{key}` is missing")]
    Missing {
        /// The dotted key.
        key: String,
    },
    /// A second row says the same as, or contradicts, an earlier one.
    #[error("{what}")]
    Conflict {
        /// The contradiction, as a sentence.
        what: String,
    },
}

/// Parts of a key's name that suggest somebody is about to write a secret into a settings file.
const SECRET_WORDS: [&str; 4] = ["apikey", "token", "secret", "password"];

impl ProblemKind {
    /// What to do about it.
    #[must_use]
    pub fn advice(&self) -> Option<String> {
        match self {
            kind if kind.is_likely_secret() => {
                Some("secrets do not belong here; put them into .env (see .env.example)".to_owned())
            }
            // A name that exists elsewhere is no slip of the pen.
            Self::UnknownKey { belongs: Some(header), .. } if header.is_empty() => {
                Some("it belongs at the top of the file, above the first [table]".to_owned())
            }
            Self::UnknownKey { belongs: Some(header), .. } => Some(format!("it belongs under `[{header}]`")),
            Self::UnknownKey { suggestion: Some(suggestion), .. } => {
                Some(format!("did you mean `{suggestion}`?"))
            }
            Self::UnknownKey { noun, allowed, .. } if !allowed.is_empty() => {
                Some(format!("the {noun}s here are {}", allowed.join(", ")))
            }
            Self::Unusable { suggestion: Some(suggestion), .. } => {
                Some(format!("did you mean {suggestion:?}?"))
            }
            Self::Missing { key } => Some(format!("add a line `{key} = …`")),
            _ => None,
        }
    }

    /// Whether the value is likely to be a secret that somebody wrote into the wrong file.
    fn is_likely_secret(&self) -> bool {
        match self {
            Self::UnknownKey { key, suggestion: None, .. } => {
                let key = key.to_lowercase();
                key.ends_with("key") || SECRET_WORDS.iter().any(|word| key.contains(word))
            }
            _ => false,
        }
    }

    /// The word under the arrow.
    fn label(&self) -> &'static str {
        match self {
            Self::Syntax { .. } => "here",
            Self::UnknownKey { .. } => "not known here",
            Self::Unusable { .. } => "this value",
            Self::Order { .. } => "contradicts the other",
            Self::Needs { .. } => "set here",
            Self::Missing { .. } => "in here",
            Self::Conflict { .. } => "this one",
        }
    }
}

/// The name closest to what was written, when it is close enough to be a slip.
pub(super) fn closest<'n>(written: &str, names: impl IntoIterator<Item = &'n str>) -> Option<String> {
    let written = written.to_lowercase().replace('-', "_");
    likest(&written, names, 0.8).map(str::to_owned)
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
