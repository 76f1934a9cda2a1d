//! What a case's lorebook calls up, sorted by the places it goes to.

use crate::cli::lore::{ChatLine, ScanTurn};
use crate::domain::Role;
use crate::familiar::{LorePosition, LoreSettings, Lorebook, SceneLine, Shelved, lore_library};
use familiar_cards::sillytavern::{AuthorNote, DepthEntry, NotePlace, StLine, examples_with, joined};

/// Depth of a note that names none.
pub(super) const NOTE_DEPTH: u32 = 4;

/// Entries by place, each list in the order it stands in.
#[derive(Debug, Default)]
pub(super) struct CalledEntries {
    before: Vec<String>,
    after: Vec<String>,
    depth: Vec<DepthEntry>,
    note_top: Vec<String>,
    note_bottom: Vec<String>,
    before_examples: Vec<String>,
    after_examples: Vec<String>,
}

impl CalledEntries {
    /// What a chat, oldest first, calls up by SillyTavern's settings as shipped.
    pub(super) fn by(chat: &[StLine], book: Lorebook, turn: &ScanTurn<'_>) -> Self {
        let library = lore_library(&[Shelved { name: book.name.clone(), book, is_characters: true }]);
        let said: Vec<ChatLine> = chat
            .iter()
            .rev()
            .map(|line| ChatLine {
                line: SceneLine::said(&line.name, &line.text),
                is_user: Some(line.role == Role::User),
            })
            .collect();
        let mut called = Self::default();
        for entry in turn.scan(&library, &LoreSettings::default(), &said, &[]).fired {
            let text = entry.content;
            match entry.position {
                LorePosition::Before => called.before.push(text),
                LorePosition::After => called.after.push(text),
                LorePosition::AtDepth => {
                    called.depth.push(DepthEntry { depth: entry.depth, role: entry.role, text });
                }
                LorePosition::NoteTop => called.note_top.push(text),
                LorePosition::NoteBottom => called.note_bottom.push(text),
                LorePosition::BeforeExamples => called.before_examples.push(text),
                LorePosition::AfterExamples => called.after_examples.push(text),
                // A case has no outlets: they stay as written.
                LorePosition::Outlet => {}
            }
        }
        called
    }

    /// Puts everything where it goes, after what the case itself says there.
    pub(super) fn place(
        self,
        before: &mut String,
        after: &mut String,
        depth: &mut Vec<DepthEntry>,
        note: &mut Option<AuthorNote>,
        mes_example: &mut String,
    ) {
        for (given, called) in [(before, self.before), (after, self.after)] {
            *given = joined(std::iter::once(std::mem::take(given)).chain(called));
        }
        depth.extend(self.depth);
        if !self.note_top.is_empty() || !self.note_bottom.is_empty() {
            let note = note.get_or_insert_with(|| AuthorNote {
                text: String::new(),
                place: NotePlace::InChat { depth: NOTE_DEPTH },
                role: Role::System,
            });
            let own = std::iter::once(std::mem::take(&mut note.text));
            note.text = joined(self.note_top.into_iter().chain(own).chain(self.note_bottom));
        }
        let own = std::mem::take(mes_example);
        *mes_example = examples_with(self.before_examples, own, self.after_examples);
    }
}
