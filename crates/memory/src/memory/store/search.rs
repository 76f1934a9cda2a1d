//! Looking for words in all notes, whatever the pattern: linear in the text, and bounded in time.

use std::time::{Duration, Instant};

use regex::{Regex, RegexBuilder};

use super::walk::matcher;
use super::{MemoryStore, NotePath, RESULTS_MAX, StoreError};

/// A search takes at most so long (familiar-connect 1.11: the pattern may be a model's).
const TIME_CAP: Duration = Duration::from_millis(250);

/// Longest pattern, in bytes.
const PATTERN_MAX: usize = 1_000;

/// Largest compiled pattern, in bytes. With [`PIECE`] it bounds the time between two looks at the clock.
const COMPILED_MAX: usize = 256 * 1024;

/// A line is searched in pieces of this, in bytes, each overlapping the one before by [`OVERLAP`]; few lines are longer.
const PIECE: usize = 2_048;
const OVERLAP: usize = 256;

/// A found line is given so far, in characters.
const LINE_SHOWN: usize = 500;

/// What a search looks at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GrepOptions {
    /// Only files whose path matches this; as for [`MemoryStore::glob`].
    pub files: Option<String>,
    /// Whether `Bees` finds `bees`.
    pub ignore_case: bool,
    /// Only files behind this one, by path.
    pub after: Option<NotePath>,
    /// So many files with such a line are enough; `None` for as many as there are.
    pub files_max: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrepLine {
    pub path: NotePath,
    /// Which line, from 1.
    pub line: u32,
    /// The line, its first 500 characters.
    pub text: String,
}

/// How much of the memory a search saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HowFar {
    Everything,
    /// Until [`RESULTS_MAX`] lines were found, or in as many files as are enough.
    Full,
    /// Until its time was over, 250 ms.
    OutOfTime,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grepped {
    /// The lines, by path and number.
    pub lines: Vec<GrepLine>,
    /// Whether there may be more.
    pub how_far: HowFar,
    /// The last file that was looked through: what is behind it comes next. `None` where none was.
    pub last: Option<NotePath>,
}

impl MemoryStore {
    /// Lines that match a regular expression (the syntax of the crate `regex`: no backreferences, no look-around, time
    /// linear in the text). Hidden files and what is derived are not looked at, nor what is no text.
    ///
    /// # Errors
    /// [`StoreError::Pattern`], or when a folder cannot be read.
    pub fn grep(&self, pattern: &str, options: &GrepOptions) -> Result<Grepped, StoreError> {
        self.grep_within(pattern, options, TIME_CAP)
    }

    pub(super) fn grep_within(
        &self,
        pattern: &str,
        options: &GrepOptions,
        time: Duration,
    ) -> Result<Grepped, StoreError> {
        let search = TextPattern::begin(pattern, options.ignore_case, time)?;
        let wanted = options.files.as_deref().map(matcher).transpose()?;
        let (mut lines, mut last) = (Vec::new(), None);
        let mut left = options.files_max.unwrap_or(usize::MAX);
        for path in self.walk(None)?.files.into_keys() {
            let is_behind = options.after.as_ref().is_none_or(|after| path > *after);
            if !is_behind || wanted.as_ref().is_some_and(|wanted| !wanted.is_match(path.as_str())) {
                continue;
            }
            if left == 0 {
                return Ok(Grepped { lines, how_far: HowFar::Full, last });
            }
            let before = lines.len();
            // What was removed meanwhile, is too large or is no text has no lines.
            let text = self.read(&path).map(|note| note.text).unwrap_or_default();
            for (number, line) in (1..).zip(text.lines()) {
                match search.is_match(line) {
                    None => return Ok(Grepped { lines, how_far: HowFar::OutOfTime, last }),
                    Some(false) => {}
                    Some(true) if lines.len() == RESULTS_MAX => {
                        return Ok(Grepped { lines, how_far: HowFar::Full, last });
                    }
                    Some(true) => {
                        let text = line.chars().take(LINE_SHOWN).collect();
                        lines.push(GrepLine { path: path.clone(), line: number, text });
                    }
                }
            }
            left -= usize::from(lines.len() > before);
            last = Some(path);
        }
        Ok(Grepped { lines, how_far: HowFar::Everything, last })
    }
}

fn compiled(pattern: &str, ignore_case: bool) -> Result<Regex, StoreError> {
    if pattern.len() > PATTERN_MAX {
        return Err(StoreError::Pattern { reason: "it is too long".to_owned() });
    }
    RegexBuilder::new(pattern)
        .case_insensitive(ignore_case)
        .size_limit(COMPILED_MAX)
        .dfa_size_limit(COMPILED_MAX)
        .nest_limit(50)
        .build()
        .map_err(|error| StoreError::Pattern { reason: error.to_string() })
}

/// A pattern, and until when it is looked for.
#[derive(Debug)]
pub(in crate::memory) struct TextPattern {
    regex: Regex,
    until: Instant,
}

impl TextPattern {
    /// Looks for `pattern` from now on, for as long as [`MemoryStore::grep`].
    pub(in crate::memory) fn of(pattern: &str) -> Result<Self, StoreError> {
        Self::begin(pattern, true, TIME_CAP)
    }

    fn begin(pattern: &str, ignore_case: bool, time: Duration) -> Result<Self, StoreError> {
        Ok(Self { regex: compiled(pattern, ignore_case)?, until: Instant::now() + time })
    }

    /// Whether any line of a text matches; `None` when the time is over.
    pub(in crate::memory) fn is_in(&self, text: &str) -> Option<bool> {
        for line in text.lines() {
            if self.is_match(line)? {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Whether a line matches; `None` when the time is over.
    fn is_match(&self, line: &str) -> Option<bool> {
        let mut from = 0;
        loop {
            if Instant::now() >= self.until {
                return None;
            }
            let to = char_floor(line, from + PIECE);
            if self.regex.is_match(&line[from..to]) {
                return Some(true);
            }
            if to == line.len() {
                return Some(false);
            }
            from = char_floor(line, to - OVERLAP);
        }
    }
}

/// The nearest boundary of a character at or before `at`.
fn char_floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
