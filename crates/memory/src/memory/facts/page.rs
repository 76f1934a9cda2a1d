//! A note's text, piece by piece, each with who may see it.

use std::ops::Range;

use jiff::civil::Date;

use super::blocks::{self, BlockKind, BlockSpan};
use super::comment::{self, CommentData};
use super::data::{FactData, FactId, InvalidFact, Validity};
use super::front::{self, Front, Unreadable};
use crate::domain::{Audience, StoredId, Visible};

/// A heading, a list item, a paragraph or a piece of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageBlock {
    pub kind: BlockKind,
    /// Its first line, from 1.
    pub line: u32,
    /// Which of the page's blocks is the heading above it.
    pub heading: Option<usize>,
    /// Its words: without list mark, heading marks and comments.
    pub words: String,
    /// Who may see it; `None` where that cannot be told: then nobody.
    pub audience: Option<Audience>,
    /// What its comment says of it, where it has one.
    pub data: Option<FactData>,
    /// Where it stands in the page's text, whole lines.
    pub(super) range: Range<usize>,
    pub(super) indent: usize,
    is_apart: bool,
}

impl PageBlock {
    /// The fact's id, where this is a fact.
    pub fn fact(&self) -> Option<&FactId> {
        self.data.as_ref().filter(|_| self.kind == BlockKind::Item)?.id.as_ref()
    }

    /// Whether it holds on a day. What is no fact always does.
    pub fn standing(&self, today: Date) -> Validity {
        self.data.as_ref().map_or(Validity::Holds, |data| data.standing(today))
    }

    /// Whether it comes from past turns alone.
    fn was_known(&self, is_past: &dyn Fn(StoredId) -> bool) -> bool {
        self.data.as_ref().is_none_or(|data| data.turns().all(is_past))
    }

    /// Whether it may be shown to `visible`, holds on that day, and was known to a turn.
    fn is_told(&self, visible: &Visible, today: Date, is_past: &dyn Fn(StoredId) -> bool) -> bool {
        let holds = self.standing(today) == Validity::Holds && self.was_known(is_past);
        holds && self.is_for(visible) && !self.words.is_empty()
    }

    /// Whether it may be shown to `visible`.
    pub fn is_for(&self, visible: &Visible) -> bool {
        self.audience.as_ref().is_some_and(|audience| visible.includes(audience))
    }
}

/// A line whose comment cannot be read: nobody sees it until somebody mends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableLine {
    /// Which line, from 1.
    pub line: u32,
    pub reason: InvalidFact,
}

/// A note as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotePage {
    front: Front,
    blocks: Vec<PageBlock>,
    broken: Vec<UnreadableLine>,
    text: String,
    is_open: bool,
}

/// What of a page may be seen somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisiblePart {
    /// The words as Markdown, without comments; never blank.
    pub text: String,
    /// The smallest circle any of it was learnt in: who may see this one piece may see all of it.
    pub audience: Audience,
}

impl NotePage {
    /// Reads a note.
    ///
    /// # Errors
    /// When its front matter raises a doubt about who may see it. A line that does is [`Self::broken`] instead.
    pub fn parse(text: &str) -> Result<Self, Unreadable> {
        let (front, start) = front::split_note(text)?;
        let mut reader = PageReader::new(&front, text);
        let pieces = blocks::blocks_from(text, start);
        let is_open = pieces.last().is_some_and(|piece| piece.is_open);
        for piece in pieces {
            reader.take(piece);
        }
        let (blocks, broken) = (reader.blocks, reader.broken);
        Ok(Self { front, blocks, broken, text: text.to_owned(), is_open })
    }

    /// What the file says about itself.
    pub fn front(&self) -> &Front {
        &self.front
    }

    /// The text it was read from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// All pieces, in order.
    pub fn blocks(&self) -> &[PageBlock] {
        &self.blocks
    }

    /// The pieces that are facts, with their ids.
    pub fn facts(&self) -> impl Iterator<Item = (&FactId, &PageBlock)> {
        self.blocks.iter().filter_map(|block| Some((block.fact()?, block)))
    }

    /// A fact; the first where somebody copied a line.
    pub fn fact(&self, id: &FactId) -> Option<&PageBlock> {
        self.facts().find(|(known, _)| *known == id).map(|(_, block)| block)
    }

    /// Lines that nobody sees, because their comment cannot be read.
    pub fn broken(&self) -> &[UnreadableLine] {
        &self.broken
    }

    /// Whether the text ends inside a comment or a code fence: whatever were added would become part of it.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// The headings above a block, from the outermost on. Each has an audience of its own.
    pub fn headings(&self, block: &PageBlock) -> Vec<&PageBlock> {
        let mut path = Vec::new();
        let mut below = u8::MAX;
        let mut at = block.heading;
        while let Some(heading) = at.and_then(|at| self.blocks.get(at)) {
            if let BlockKind::Heading(level) = heading.kind
                && level < below
            {
                path.push(heading);
                below = level;
            }
            at = heading.heading;
        }
        path.reverse();
        path
    }

    /// What may be shown to `visible` and holds on that day: the audience rule, line by line. `None` where that is
    /// nothing. A heading is shown when something under it is. What was learnt from turns that are not past is left out: what
    /// is being answered stands in the prompt itself, and a turn that runs again knew nothing later.
    pub fn seen_where(
        &self,
        visible: &Visible,
        today: Date,
        is_past: &dyn Fn(StoredId) -> bool,
    ) -> Option<VisiblePart> {
        self.seen_of(&|block| block.is_told(visible, today, is_past), visible)
    }

    /// [`seen_where`](Self::seen_where), of its facts only the `most` that `counts` most; what is no fact stays.
    pub fn seen_best(
        &self,
        visible: &Visible,
        today: Date,
        is_past: &dyn Fn(StoredId) -> bool,
        most: usize,
        counts: &dyn Fn(&PageBlock, &FactData) -> f32,
    ) -> Option<VisiblePart> {
        let is_told = |block: &PageBlock| block.is_told(visible, today, is_past);
        let told = || self.blocks.iter().filter(|block| block.fact().is_some() && is_told(block));
        // Most notes are short; what each fact counts is only asked where some have to stay out.
        if told().nth(most).is_none() {
            return self.seen_where(visible, today, is_past);
        }
        let mut facts: Vec<(f32, u32)> =
            told().filter_map(|block| Some((counts(block, block.data.as_ref()?), block.line))).collect();
        // Of two that count the same, the one further down was learnt later.
        facts.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
        let best: Vec<u32> = facts.into_iter().take(most).map(|(_, line)| line).collect();
        self.seen_of(
            &|block| is_told(block) && (block.fact().is_none() || best.contains(&block.line)),
            visible,
        )
    }

    fn seen_of(&self, is_told: &dyn Fn(&PageBlock) -> bool, visible: &Visible) -> Option<VisiblePart> {
        let mut shown: Vec<(bool, &PageBlock)> = Vec::new();
        let mut waiting: Vec<(u8, bool, &PageBlock)> = Vec::new();
        // An empty line before what is not shown is one before what is shown next.
        let mut is_apart = false;
        for block in &self.blocks {
            is_apart |= block.is_apart;
            if let BlockKind::Heading(level) = block.kind {
                waiting.retain(|(above, _, _)| *above < level);
                if block.is_for(visible) {
                    waiting.push((level, std::mem::take(&mut is_apart), block));
                }
                continue;
            }
            if is_told(block) {
                shown.extend(waiting.drain(..).map(|(_, is_apart, heading)| (is_apart, heading)));
                shown.push((std::mem::take(&mut is_apart), block));
            }
        }
        let learnt = shown.iter().filter_map(|(_, block)| block.audience.clone());
        let audience = Visible::circle_of(learnt, &visible.narrowest());
        let mut text = String::new();
        for (is_apart, block) in shown {
            if !text.is_empty() {
                text.push_str(if is_apart { "\n\n" } else { "\n" });
            }
            text.push_str(&self.markdown(block));
        }
        (!text.is_empty()).then_some(VisiblePart { text, audience })
    }

    /// A block as it stands in the file, without comments and the spaces after it.
    fn markdown(&self, block: &PageBlock) -> String {
        let raw = self.text[block.range.clone()].replace("\r\n", "\n");
        let bare = if block.kind == BlockKind::Code { raw } else { comment::without_comments(&raw) };
        bare.trim_end().to_owned()
    }

    /// Every audience that something in it is for.
    pub fn audiences(&self) -> impl Iterator<Item = &Audience> {
        self.blocks
            .iter()
            .filter(|block| !matches!(block.kind, BlockKind::Heading(_)) && !block.words.is_empty())
            .filter_map(|block| block.audience.as_ref())
    }
}

/// Reads pieces one after the other: what stands in something has its audience.
struct PageReader<'a> {
    front: &'a Front,
    text: &'a str,
    blocks: Vec<PageBlock>,
    broken: Vec<UnreadableLine>,
    /// Headings above, with what holds under them.
    headings: Vec<(u8, Option<Audience>)>,
    /// List items that the next piece may stand in, with what holds in them.
    items: Vec<(usize, Option<Audience>)>,
    heading: Option<usize>,
}

impl<'a> PageReader<'a> {
    fn new(front: &'a Front, text: &'a str) -> Self {
        Self {
            front,
            text,
            blocks: Vec::new(),
            broken: Vec::new(),
            headings: Vec::new(),
            items: Vec::new(),
            heading: None,
        }
    }

    fn take(&mut self, piece: BlockSpan) {
        let raw = &self.text[piece.range.clone()];
        self.items.retain(|(indent, _)| *indent < piece.indent);
        if let BlockKind::Heading(level) = piece.kind {
            self.headings.retain(|(above, _)| *above < level);
        }
        let around = match (self.items.last(), self.headings.last()) {
            (Some((_, audience)), _) | (None, Some((_, audience))) => audience.clone(),
            (None, None) => Some(self.front.audience.clone()),
        };
        let said = comment::comment_data(raw);
        let audience = match &said {
            CommentData::Nothing => around,
            CommentData::Data(data) => data.to.clone().or(around),
            CommentData::Broken(_) => None,
        };
        let (data, reason) = match said {
            CommentData::Data(data) if piece.kind != BlockKind::Code => (Some(data), None),
            CommentData::Nothing | CommentData::Data(_) => (None, None),
            CommentData::Broken(reason) => (None, Some(reason)),
        };
        // Code may show how a comment looks; nobody is told to mend that.
        if let Some(reason) = reason.filter(|_| piece.kind != BlockKind::Code) {
            self.broken.push(UnreadableLine { line: piece.line, reason });
        }
        let words = if piece.kind == BlockKind::Code {
            raw.replace("\r\n", "\n").trim_end().to_owned()
        } else {
            comment::without_comments(&self.text[piece.words.min(piece.range.end)..piece.range.end])
                .replace("\r\n", "\n")
                .trim()
                .to_owned()
        };
        let above = self.heading;
        match piece.kind {
            BlockKind::Heading(level) => {
                self.headings.push((level, audience.clone()));
                self.heading = Some(self.blocks.len());
            }
            BlockKind::Item => self.items.push((piece.indent, audience.clone())),
            BlockKind::Paragraph | BlockKind::Code => {}
        }
        self.blocks.push(PageBlock {
            kind: piece.kind,
            line: piece.line,
            heading: above,
            words,
            audience,
            data,
            range: piece.range,
            indent: piece.indent,
            is_apart: piece.is_apart,
        });
    }
}
