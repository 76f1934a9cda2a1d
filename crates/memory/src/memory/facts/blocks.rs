//! Where the pieces of a Markdown text begin and end: headings, list items with what belongs to them, paragraphs, code.
//!
//! Not all of Markdown: as much as decides to which comment a line belongs. What a comment encloses, however many lines
//! long, belongs to the piece it begins in.

use std::ops::Range;

/// A tab leads to the next multiple of this.
const TAB: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BlockKind {
    /// A heading of a level, 1 or more.
    Heading(u8),
    /// An item of a list.
    Item,
    Paragraph,
    /// Code between fences. It holds no facts.
    Code,
}

/// A piece, by its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BlockSpan {
    pub kind: BlockKind,
    pub range: Range<usize>,
    /// Where its words begin, behind marks.
    pub words: usize,
    /// Its first line's number, from 1.
    pub line: u32,
    pub indent: usize,
    /// Whether an empty line stands before it.
    pub is_apart: bool,
    /// A code fence or a comment that never ends.
    pub is_open: bool,
}

/// The pieces of `text` from `start` on, in order.
pub(super) fn blocks_from(text: &str, start: usize) -> Vec<BlockSpan> {
    let before = text[..start].bytes().filter(|byte| *byte == b'\n').count();
    let mut reader = BlockReader { pieces: Vec::new(), current: None, is_apart: false };
    let mut at = start;
    let mut number = u32::try_from(before).unwrap_or(u32::MAX);
    for line in text[start..].split_inclusive('\n') {
        number = number.saturating_add(1);
        reader.take(line, at, number);
        at += line.len();
    }
    if let Some((mut last, state)) = reader.current.take() {
        last.is_open = state != BlockState::Plain;
        reader.pieces.push(last);
    }
    reader.pieces
}

/// What a piece waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlockState {
    Plain,
    Comment,
    Fence(char, usize),
}

struct BlockReader {
    pieces: Vec<BlockSpan>,
    current: Option<(BlockSpan, BlockState)>,
    is_apart: bool,
}

impl BlockReader {
    fn take(&mut self, line: &str, at: usize, number: u32) {
        let end = at + line.len();
        match &mut self.current {
            Some((piece, BlockState::Fence(mark, length))) => {
                piece.range.end = end;
                if closes_fence(line, *mark, *length) {
                    self.finish();
                }
                return;
            }
            Some((piece, state @ BlockState::Comment)) => {
                piece.range.end = end;
                if !stays_open(line, true) {
                    *state = BlockState::Plain;
                }
                return;
            }
            Some((_, BlockState::Plain)) | None => {}
        }
        if line.trim().is_empty() {
            self.finish();
            self.is_apart = true;
            return;
        }
        let begun = line_begins(line);
        if let (LineBegins::Words, Some((piece, state))) = (&begun, &mut self.current)
            && matches!(piece.kind, BlockKind::Item | BlockKind::Paragraph)
        {
            piece.range.end = end;
            if stays_open(line, false) {
                *state = BlockState::Comment;
            }
            return;
        }
        self.finish();
        let (kind, words, state) = match begun {
            LineBegins::Fence(mark, length) => (BlockKind::Code, 0, BlockState::Fence(mark, length)),
            LineBegins::Heading(level, words) => (BlockKind::Heading(level), words, BlockState::Plain),
            LineBegins::Item(words) => (BlockKind::Item, words, BlockState::Plain),
            LineBegins::Words => (BlockKind::Paragraph, 0, BlockState::Plain),
        };
        let state =
            if state == BlockState::Plain && stays_open(line, false) { BlockState::Comment } else { state };
        let piece = BlockSpan {
            kind,
            range: at..end,
            words: at + words,
            line: number,
            indent: indent(line),
            is_apart: std::mem::take(&mut self.is_apart),
            is_open: false,
        };
        self.current = Some((piece, state));
    }

    fn finish(&mut self) {
        self.pieces.extend(self.current.take().map(|(piece, _)| piece));
    }
}

/// What a line begins, and how many bytes of marks it begins with.
enum LineBegins {
    Fence(char, usize),
    Heading(u8, usize),
    Item(usize),
    Words,
}

fn line_begins(line: &str) -> LineBegins {
    let bare = line.trim_start();
    let skipped = line.len() - bare.len();
    if let Some((mark, length)) = fence(bare) {
        return LineBegins::Fence(mark, length);
    }
    let title = line.trim_start_matches('#');
    if title.len() < line.len() && title.starts_with(' ') {
        let level = line.len() - title.len();
        return LineBegins::Heading(u8::try_from(level).unwrap_or(u8::MAX), level + 1);
    }
    match marker(bare) {
        Some(length) => LineBegins::Item(skipped + length),
        None => LineBegins::Words,
    }
}

/// A list marker with the space behind it, in bytes: `- `, `* `, `+ `, `7. `, `7) `.
fn marker(bare: &str) -> Option<usize> {
    let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
    let mark = match digits {
        0 => bare.starts_with(['-', '*', '+']).then_some(1)?,
        1..=9 => bare[digits..].starts_with(['.', ')']).then_some(digits + 1)?,
        _ => return None,
    };
    let rest = &bare[mark..];
    (rest.starts_with([' ', '\t']) || rest.trim().is_empty())
        .then(|| mark + (rest.len() - rest.trim_start().len()))
}

fn fence(bare: &str) -> Option<(char, usize)> {
    let mark = bare.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = bare.chars().take_while(|c| *c == mark).count();
    (length >= 3).then_some((mark, length))
}

fn closes_fence(line: &str, mark: char, length: usize) -> bool {
    let line = line.trim();
    line.len() >= length && line.chars().all(|c| c == mark)
}

/// Whether a comment is open behind a line.
fn stays_open(line: &str, was_open: bool) -> bool {
    let mut rest = line;
    let mut is_open = was_open;
    loop {
        let (mark, length) = if is_open { ("-->", 3) } else { ("<!--", 4) };
        match rest.find(mark) {
            Some(at) => rest = &rest[at + length..],
            None => return is_open,
        }
        is_open = !is_open;
    }
}

fn indent(line: &str) -> usize {
    let mut columns = 0;
    for character in line.chars() {
        match character {
            ' ' => columns += 1,
            '\t' => columns = (columns / TAB + 1) * TAB,
            _ => break,
        }
    }
    columns
}
