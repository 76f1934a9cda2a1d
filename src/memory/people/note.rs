//! One note: front matter and Markdown.

use serde::Deserialize;

use crate::domain::Audience;

/// What somebody noted about a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The file's name without `.md`: `discord-42`.
    pub slug: String,
    /// Where it was learnt. Without a word on it, the operator wrote it by hand: canon.
    pub audience: Audience,
    /// Other names of the person.
    pub aliases: Vec<String>,
    /// The words, without front matter.
    pub text: String,
}

/// A part of a note under its heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Section<'a> {
    /// The heading's words; `None` for what stands above the first.
    pub heading: Option<&'a str>,
    /// What stands under it; never blank.
    pub text: &'a str,
}

/// Why a note is left alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unreadable {
    #[error("its front matter is not closed")]
    NotClosed,
    #[error("its front matter cannot be read: {0}")]
    FrontMatter(String),
    #[error("{0}")]
    Audience(#[from] crate::domain::InvalidId),
}

#[derive(Debug, Default, Deserialize)]
struct FrontMatter {
    audience: Option<String>,
    #[serde(default)]
    aliases: Vec<String>,
}

impl Note {
    /// Reads a note. Whatever raises a doubt about who may see it makes it unreadable.
    pub(super) fn parse(slug: &str, file: &str) -> Result<Self, Unreadable> {
        let file = file.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        let (front, text) = split(&file)?;
        let audience = match front.audience.as_deref().map(str::trim) {
            None => Audience::Canon,
            Some(written) => written.parse()?,
        };
        Ok(Self { slug: slug.to_owned(), audience, aliases: front.aliases, text: text.trim().to_owned() })
    }

    /// The note's parts, in order.
    pub fn sections(&self) -> impl Iterator<Item = Section<'_>> {
        let mut rest = Some(self.text.as_str());
        let mut heading = None;
        std::iter::from_fn(move || {
            loop {
                let text = rest?;
                let next = heading_line(text);
                let (under, after) = match next {
                    Some((at, title, end)) => (&text[..at], Some((title, &text[end..]))),
                    None => (text, None),
                };
                let section = Section { heading, text: under.trim() };
                rest = after.map(|(_, after)| after);
                heading = after.map(|(title, _)| title);
                if !section.text.is_empty() {
                    return Some(section);
                }
            }
        })
    }
}

/// The first heading: where it starts, its words, where it ends.
fn heading_line(text: &str) -> Option<(usize, &str, usize)> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let title = line.trim_start_matches('#');
        if title.len() < line.len() && title.starts_with(' ') {
            return Some((at, title.trim(), at + line.len()));
        }
        at += line.len();
    }
    None
}

/// Front matter between `---` (YAML) or `+++` (TOML) lines, and the rest.
fn split(file: &str) -> Result<(FrontMatter, &str), Unreadable> {
    let Some(fence) = ["---", "+++"].into_iter().find(|fence| file.starts_with(fence)) else {
        return Ok((FrontMatter::default(), file));
    };
    let Some((first, rest)) = file.split_once('\n') else { return Err(Unreadable::NotClosed) };
    if first.trim_end() != fence {
        // A rule or a list: no front matter at all.
        return Ok((FrontMatter::default(), file));
    }
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == fence {
            let written = &rest[..at];
            let front = if fence == "+++" {
                toml::from_str(written).map_err(|error| Unreadable::FrontMatter(error.to_string()))?
            } else if written.trim().is_empty() {
                FrontMatter::default()
            } else {
                serde_saphyr::from_str(written).map_err(|error| Unreadable::FrontMatter(error.to_string()))?
            };
            return Ok((front, &rest[at + line.len()..]));
        }
        at += line.len();
    }
    Err(Unreadable::NotClosed)
}
