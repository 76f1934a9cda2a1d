//! What can be found in a note: a fact, or what stands together under one heading and is for the same people.

use crate::domain::Audience;
use crate::memory::facts::{BlockKind, FactData, FactId, NotePage, PageBlock, Unreadable};
use crate::memory::store::{NOTE_FOLDERS, NotePath};
use crate::sqlite::words::marked;
use crate::text::keywords;

/// What stands together is one passage up to this, in bytes; a longer paragraph stays whole.
const TOGETHER: usize = 1_200;

/// The folder of files that are named by what they are about.
const TELLING_NAMES: &str = "topics";

/// Something that can be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    pub path: NotePath,
    /// The how manieth of its note, from 0.
    pub ordinal: u32,
    /// Its first line, from 1.
    pub line: u32,
    /// The how manieth under its heading, from 0.
    pub part: u32,
    /// The headings above it, from the outermost on, as far as whoever may see the passage may see them.
    pub headings: Vec<String>,
    /// The fact's id, where it is one.
    pub fact: Option<FactId>,
    pub audience: Audience,
    pub text: String,
    /// What is known of it besides; nothing where it is no fact.
    pub data: FactData,
}

/// Whether a file's words can be found. The card in `self/` is in every prompt anyway, and lore has a matcher of its own,
/// which goes by keys, chance and the book's mode.
pub(super) fn is_indexed(path: &NotePath) -> bool {
    path.is_note_in(&NOTE_FOLDERS)
}

/// The passages of a note in order, each with the words it is found by. Lines whose audience cannot be told are not among
/// them.
pub(super) fn passages(path: &NotePath, file: &str) -> Result<Vec<(Passage, String)>, Unreadable> {
    let page = NotePage::parse(file)?;
    let mut found: Vec<Passage> = Vec::new();
    if !page.front().is_enabled {
        return Ok(Vec::new());
    }
    let mut under: Option<usize> = None;
    let mut part = 0;
    for block in page.blocks() {
        let Some(audience) = &block.audience else { continue };
        if matches!(block.kind, BlockKind::Heading(_)) || block.words.is_empty() {
            continue;
        }
        let is_alone = block.data.is_some();
        let last = found.last_mut().filter(|last| {
            let has_room = last.text.len() + block.words.len() < TOGETHER;
            !is_alone
                && last.data == FactData::default()
                && under == block.heading
                && last.audience == *audience
                && has_room
        });
        if let Some(last) = last {
            last.text.push('\n');
            last.text.push_str(&block.words);
            continue;
        }
        if under != block.heading {
            part = 0;
        }
        under = block.heading;
        found.push(Passage {
            path: path.clone(),
            ordinal: u32::try_from(found.len()).unwrap_or(u32::MAX),
            line: block.line,
            part,
            headings: headings(&page, block, audience),
            fact: block.fact().cloned(),
            audience: audience.clone(),
            text: block.words.clone(),
            data: block.data.clone().unwrap_or_default(),
        });
        part += 1;
    }
    Ok(found
        .into_iter()
        .map(|passage| {
            let words = passage_words(&page, &passage);
            (passage, words)
        })
        .collect())
}

/// A heading is told with a passage only to those who may see it anyway.
fn headings(page: &NotePage, block: &PageBlock, audience: &Audience) -> Vec<String> {
    let may_be_told = |heading: &&&PageBlock| is_known_to(heading.audience.as_ref(), audience);
    let above = page.headings(block);
    above.iter().filter(may_be_told).map(|heading| heading.words.clone()).collect()
}

/// Whether everybody a passage is for may see something of `other`'s.
fn is_known_to(other: Option<&Audience>, passage: &Audience) -> bool {
    other.is_some_and(|other| other == passage || *other == Audience::Canon)
}

/// What a passage is found by, as a table of words holds it: its words, its headings', and what its file is called, as far as
/// that may be known.
fn passage_words(page: &NotePage, passage: &Passage) -> String {
    let mut texts = vec![passage.text.as_str()];
    texts.extend(passage.headings.iter().map(String::as_str));
    if is_known_to(Some(&page.front().audience), &passage.audience) {
        texts.extend(page.front().aliases.iter().map(String::as_str));
        texts.extend(passage.path.is_in(TELLING_NAMES).then(|| passage.path.stem()));
    }
    let terms = texts.into_iter().flat_map(keywords::forms).flatten();
    marked(terms, &passage.audience.to_string())
}
