//! What a chat calls up, for every verb that asks with a book and a chat instead of a familiar.
//!
//! Owns finding the book in a file (a lorebook, or a card with one in it) and laying the chat out for the matcher. Start
//! reading at [`ScanTurn`].

use std::fs;
use std::io;
use std::path::Path;

use super::chat::ChatLine;
use crate::domain::{LoreEffect, TokenEncoding};
use crate::familiar::{
    CardTexts, Character, LoreLibrary, LoreScan, LoreScene, LoreSettings, Lorebook, Refusal, RefusalKind,
    SceneLine, Shelved, TokenCount, read_bounded, read_card, read_lorebook, unpacked_books,
};
use crate::text::tokens;
use familiar_cards::macros::{CardFields, Expander, MacroContext, Moment};

/// The context size where none is given, in tokens: SillyTavern's default.
pub(in crate::cli) const CONTEXT_TOKENS: u32 = 4095;

/// What of it is kept for the reply, in tokens: SillyTavern's default.
pub(in crate::cli) const REPLY_TOKENS: u32 = 300;

/// What of the rest lore may take, in percent: SillyTavern's default.
pub(in crate::cli) const BUDGET_PERCENT: u32 = 25;

/// One turn of a chat, and who is who in it.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct ScanTurn<'a> {
    pub card: &'a Character,
    pub character: &'a str,
    pub user: &'a str,
    pub group: &'a str,
    pub persona: &'a str,
    /// The kind of turn, in SillyTavern's words.
    pub trigger: &'a str,
    /// What the lore may take, in tokens.
    pub budget: u32,
    pub encoding: TokenEncoding,
    /// Its `turn` is the seed: the same one draws the same again.
    pub moment: &'a Moment,
}

impl ScanTurn<'_> {
    /// What macros mean in it.
    pub(in crate::cli) fn macros(&self) -> MacroContext<'_> {
        MacroContext {
            char_name: self.character,
            user: self.user,
            group: self.group,
            card: CardFields { persona: self.persona, ..CardFields::from(self.card) },
            moment: self.moment,
        }
    }

    /// What the chat, newest message first, calls up.
    pub(in crate::cli) fn scan(
        &self,
        library: &LoreLibrary,
        settings: &LoreSettings,
        said: &[ChatLine],
        effects: &[LoreEffect],
    ) -> LoreScan {
        let Self { card, character, .. } = *self;
        let macros = self.macros();
        let expander = Expander::new(&macros);
        let expand = |text: &str| expander.expand(text);
        let note = card.depth_prompt.as_ref().map(|note| note.prompt.as_str()).unwrap_or_default();
        let fields =
            [self.persona, &card.description, &card.personality, note, &card.scenario, &card.creator_notes];
        let fields = fields.map(expand);
        let messages: Vec<SceneLine> = said.iter().map(|said| said.line.clone()).collect();
        let count = |text: &str| tokens::count(self.encoding, text);
        let mut called = vec![character];
        called.extend(Some(card.name.as_str()).filter(|name| !name.is_empty()));
        let replies = said.iter().filter(|said| !said.is_user.unwrap_or(said.line.speaker != character));
        let scene = LoreScene {
            messages: &messages,
            chat_length: messages.len() as u64,
            replies: replies.count() as u64,
            trigger: self.trigger,
            character: &called,
            card: CardTexts {
                persona: &fields[0],
                description: &fields[1],
                personality: &fields[2],
                depth_prompt: &fields[3],
                scenario: &fields[4],
                creator_notes: &fields[5],
            },
            seed: &self.moment.turn,
            budget: self.budget,
            tokens: match self.encoding {
                TokenEncoding::CharsOver4 => TokenCount::Quarters,
                _ => TokenCount::By(&count),
            },
            expand: &expand,
        };
        library.scan(settings, &scene, effects)
    }
}

/// The part of a context that lore may take, rounded as SillyTavern rounds it (cards-and-lore 4.2.1). A `cap` of
/// 0 is none.
pub(in crate::cli) fn budget(context: u32, reply: u32, percent: u32, cap: u32) -> u32 {
    let room = u64::from(context.saturating_sub(reply));
    let share = (room * u64::from(percent) + 50) / 100;
    let share = u32::try_from(share).unwrap_or(u32::MAX).max(1);
    match cap {
        0 => share,
        cap => share.min(cap),
    }
}

/// The books in a file or folder, and the character they are of, where there is one: a lorebook, a card with one in it, a
/// familiar or a lorebook as they lie unpacked, or a folder with such a card.
pub(super) fn books_in(
    path: &Path,
    warnings: &mut Vec<String>,
) -> Result<(Vec<Shelved>, Option<Character>), Refusal> {
    if !path.is_dir() {
        return in_file(path, warnings);
    }
    let (books, card) = unpacked_books(path, warnings)?;
    if !books.is_empty() {
        return Ok((books, card));
    }
    let failed =
        |error: io::Error| Refusal::new(RefusalKind::Io, format!("cannot read {}: {error}", path.display()));
    let entries = fs::read_dir(path).map_err(failed)?;
    let mut files =
        entries.map(|entry| Ok(entry.map_err(failed)?.path())).collect::<Result<Vec<_>, Refusal>>()?;
    files.sort();
    let found = files.iter().filter(|file| file.is_file()).find_map(|file| in_file(file, warnings).ok());
    found.ok_or_else(|| {
        Refusal::new(RefusalKind::NotALorebook, format!("there is no lorebook in {}", path.display()))
    })
}

fn in_file(file: &Path, warnings: &mut Vec<String>) -> Result<(Vec<Shelved>, Option<Character>), Refusal> {
    let (book, card) = book_in(&read_bounded(file)?, &file.display().to_string(), warnings)?;
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let name = if book.name.trim().is_empty() { stem } else { book.name.trim().to_owned() };
    Ok((vec![Shelved { name, book, is_characters: true }], card))
}

/// A book, or a card's book together with the card. `called` names the bytes where they are refused.
pub(in crate::cli) fn book_in(
    bytes: &[u8],
    called: &str,
    warnings: &mut Vec<String>,
) -> Result<(Lorebook, Option<Character>), Refusal> {
    match read_lorebook(bytes) {
        Ok((book, said)) => {
            warnings.extend(said);
            Ok((book, None))
        }
        Err(refusal) => {
            // A card is no lorebook, but may have one in it.
            let Ok(card) = read_card(bytes) else { return Err(refusal) };
            let character = Character::from(&card);
            let book = card.book.ok_or_else(|| {
                Refusal::new(RefusalKind::NotALorebook, format!("{called} is a card without a lorebook"))
            })?;
            Ok((book, Some(character)))
        }
    }
}
