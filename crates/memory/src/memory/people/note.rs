//! One note about a person, and what of it may be seen where.

use std::collections::HashSet;

use jiff::civil::Date;

use crate::domain::{Audience, StoredId, Visible};
use crate::memory::facts::{
    FactData, FactId, NotePage, PageBlock, Tier, Unreadable, VisiblePart, fact_worth,
};
use crate::text::keywords;

/// What is noted about a person, as far as it may be seen in a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenPerson<'a> {
    /// The file's name without `.md`: `discord-42`.
    pub slug: String,
    page: NotePage,
    visible: &'a Visible,
}

/// The words of a note that may be seen in a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenNote {
    /// The file's name without `.md`.
    pub slug: String,
    /// Other names of the person, as far as they may be known there.
    pub aliases: Vec<String>,
    /// The smallest circle any of it was learnt in.
    pub audience: Audience,
    /// The words that may be seen, without front matter and comments; never blank.
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

impl<'a> SeenPerson<'a> {
    /// Reads a note.
    ///
    /// # Errors
    /// When its front matter raises a doubt about who may see it.
    pub(super) fn parse(slug: &str, file: &str, visible: &'a Visible) -> Result<Self, Unreadable> {
        Ok(Self { slug: slug.to_owned(), page: NotePage::parse(file)?, visible })
    }

    /// Whether any of it may be seen, whenever it holds.
    pub fn is_known(&self) -> bool {
        self.page.audiences().any(|audience| self.visible.includes(audience))
    }

    /// The facts that may be seen, whenever they hold.
    pub fn facts(&self) -> impl Iterator<Item = (&FactId, &PageBlock)> {
        self.page.facts().filter(|(_, block)| block.is_for(self.visible))
    }

    /// What holds on that day; `None` where that is nothing (contradiction 8). What was learnt from turns that are
    /// not past is left out, as of the [page](NotePage::seen_where).
    pub fn note(&self, today: Date, is_past: &dyn Fn(StoredId) -> bool) -> Option<SeenNote> {
        Some(self.of_part(self.page.seen_where(self.visible, today, is_past)?))
    }

    /// [`note`](Self::note), of its facts the `most` that count most (M4) for what is asked: how much each
    /// counts by itself, more where it holds words of the question.
    pub fn best(
        &self,
        today: Date,
        is_past: &dyn Fn(StoredId) -> bool,
        most: usize,
        asked: &HashSet<String>,
    ) -> Option<SeenNote> {
        let path = format!("people/{}.md", self.slug);
        let counts = |block: &PageBlock, data: &FactData| {
            let held = keywords::terms(&block.words).into_iter().filter(|word| asked.contains(word)).count();
            let fits = 1.0 + f32::from(u8::try_from(held).unwrap_or(u8::MAX));
            fits * fact_worth(data, Tier::of(&path, data), today)
        };
        Some(self.of_part(self.page.seen_best(self.visible, today, is_past, most, &counts)?))
    }

    fn of_part(&self, part: VisiblePart) -> SeenNote {
        let aliases = self.aliases().to_vec();
        SeenNote { slug: self.slug.clone(), aliases, audience: part.audience, text: part.text }
    }

    pub fn aliases(&self) -> &[String] {
        let front = self.page.front();
        if self.visible.includes(&front.audience) { &front.aliases } else { &[] }
    }
}

impl SeenNote {
    /// Its parts, in order.
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
