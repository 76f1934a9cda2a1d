//! Changing a note fact by fact. Lines that are not facts are a person's: they stay byte for byte, whatever is changed
//! around them.

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::blocks::BlockKind;
use super::comment::defused;
use super::data::{FactData, FactId};
use super::page::{NotePage, PageBlock};
use crate::domain::Audience;

/// Why a note cannot be changed like that. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// There is no fact of that id.
    #[error("there is no fact {0}")]
    NoFact(FactId),
    /// A fact without words, or none but what would be taken for its data.
    #[error("a fact needs words")]
    NoWords,
    /// A fact without an id or an audience, or with data that cannot be written.
    #[error("a fact needs an id, an audience, and data that can be written")]
    NoData,
    /// The text ends inside a comment or a code fence.
    #[error("the note ends inside a comment or a code fence")]
    Open,
}

/// Changes to one note, made together.
#[derive(Debug, Clone)]
pub struct PageEdit<'a> {
    page: &'a NotePage,
    /// By block: the new line, or none for a block that goes.
    changed: BTreeMap<usize, Option<String>>,
    /// New lines, at the end of what stands under the note's title.
    added: Vec<String>,
}

impl<'a> PageEdit<'a> {
    pub fn of(page: &'a NotePage) -> Self {
        Self { page, changed: BTreeMap::new(), added: Vec::new() }
    }

    /// Adds a fact at the end of what stands under the note's title, at its top.
    ///
    /// # Errors
    /// [`EditError::NoWords`], [`EditError::NoData`] or [`EditError::Open`].
    pub fn add(&mut self, words: &str, data: &FactData) -> Result<(), EditError> {
        if data.id.is_none() || data.to.is_none() {
            return Err(EditError::NoData);
        }
        if self.page.is_open() {
            return Err(EditError::Open);
        }
        self.added.push(fact_line("- ", words, data)?);
        Ok(())
    }

    /// Puts other words and data in a fact's place.
    ///
    /// # Errors
    /// [`EditError::NoFact`], [`EditError::NoWords`] or [`EditError::NoData`].
    pub fn replace(&mut self, id: &FactId, words: &str, data: &FactData) -> Result<(), EditError> {
        if data.id.is_none() || data.to.is_none() {
            return Err(EditError::NoData);
        }
        let (at, block) = self.find(id)?;
        let line = fact_line(self.mark(block), words, data)?;
        self.changed.insert(at, Some(line));
        Ok(())
    }

    /// Marks a fact as superseded by another from a day on. Its line stays: what was true once may be asked for.
    ///
    /// # Errors
    /// [`EditError::NoFact`].
    pub fn supersede(&mut self, id: &FactId, now: &FactId, day: Date) -> Result<(), EditError> {
        let (at, block) = self.find(id)?;
        let mut data = block.data.clone().unwrap_or_default();
        data.gone = Some(day);
        data.now = Some(now.clone());
        let line = fact_line(self.mark(block), &block.words, &data)?;
        self.changed.insert(at, Some(line));
        Ok(())
    }

    /// Removes a fact with everything that stands under it, whoever wrote that: for somebody who asks to be forgotten.
    ///
    /// # Errors
    /// [`EditError::NoFact`].
    pub fn remove_with_all(&mut self, id: &FactId) -> Result<(), EditError> {
        let (at, block) = self.find(id)?;
        let under = self.page.blocks()[at + 1..].iter().take_while(|under| under.indent > block.indent);
        self.changed.extend((at..=at + under.count()).map(|gone| (gone, None)));
        Ok(())
    }

    pub fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.added.is_empty()
    }

    /// The note's new text.
    pub fn text(&self) -> String {
        let old = self.page.text();
        let newline = if old.contains("\r\n") { "\r\n" } else { "\n" };
        let mut text = String::with_capacity(old.len() + 256);
        let mut from = 0;
        let put = |text: &mut String, lines: &[String]| {
            for line in lines {
                if !text.is_empty() && !text.ends_with('\n') {
                    text.push_str(newline);
                }
                text.push_str(line);
                text.push_str(newline);
            }
        };
        let blocks = self.page.blocks();
        let title = usize::from(blocks.first().is_some_and(|first| first.kind == BlockKind::Heading(1)));
        let end = blocks[title..].iter().position(is_heading).map_or(blocks.len(), |next| title + next);
        for (at, block) in blocks.iter().enumerate() {
            let range = &block.range;
            if let Some(change) = self.changed.get(&at) {
                text.push_str(&old[from..range.start]);
                put(&mut text, change.as_slice());
                from = range.end;
            }
            if at + 1 == end && !self.added.is_empty() {
                text.push_str(&old[from..range.end.max(from)]);
                from = range.end.max(from);
                if is_heading(block) {
                    put(&mut text, &[String::new()]);
                }
                put(&mut text, &self.added);
            }
        }
        text.push_str(&old[from..]);
        if end == 0 && !self.added.is_empty() {
            // Nothing stands above the first heading: behind the front matter, apart from what follows.
            let begin = blocks.first().map_or(old.len(), |block| block.range.start);
            let mut above = old[..begin].to_owned();
            put(&mut above, &self.added);
            if begin < old.len() {
                put(&mut above, &[String::new()]);
            }
            text.replace_range(..begin, &above);
        }
        text
    }

    fn find(&self, id: &FactId) -> Result<(usize, &'a PageBlock), EditError> {
        let found = self.page.blocks().iter().enumerate().find(|(_, block)| block.fact() == Some(id));
        found.ok_or_else(|| EditError::NoFact(id.clone()))
    }

    /// What stands before a block's words on its first line.
    fn mark(&self, block: &PageBlock) -> &'a str {
        let raw = &self.page.text()[block.range.clone()];
        let bare = raw.trim_start();
        let words = bare.find([' ', '\t']).map_or(bare.len(), |space| space + 1);
        &raw[..raw.len() - bare.len() + words]
    }
}

fn is_heading(block: &PageBlock) -> bool {
    matches!(block.kind, BlockKind::Heading(_))
}

fn fact_line(mark: &str, words: &str, data: &FactData) -> Result<String, EditError> {
    let words = defused(words);
    if words.is_empty() {
        return Err(EditError::NoWords);
    }
    // What is read back must be what was meant: no value may end the comment, or begin another pair.
    let written = data.to_string();
    if written.contains("--") || written.parse().as_ref() != Ok(data) {
        return Err(EditError::NoData);
    }
    Ok(format!("{mark}{words} <!-- {written} -->"))
}

/// The text of a note that says nothing yet.
pub fn new_page(audience: &Audience, title: &str) -> String {
    format!("---\naudience: {audience}\n---\n# {}\n", defused(title).trim_start_matches('#').trim())
}
