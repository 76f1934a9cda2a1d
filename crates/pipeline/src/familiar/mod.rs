//! Who the familiar is: the folder that a card and its lorebooks are unpacked to.
//!
//! Owns unpacking to Markdown and the install folder (create, open, lock, list, export), read again when people edit
//! it. What cards and lorebooks are is `crates/cards`. Must not know prompts, sessions or models. Start reading at
//! [`init()`] and [`LiveCharacter`].

mod character;
mod export;
mod init;
mod install;
mod layout;
mod leftovers;
mod list;
mod live;
mod live_lore;
mod lock;
mod lore_import;
mod on_disk;
mod private;
mod report;
mod schedule;
mod short_card;
mod slug;
mod unpack;

pub use character::{load_character, names_of};
pub use export::{ExportFormat, Exported, export};
pub use familiar_cards::lore::{
    BookFormat, BudgetUse, CardTexts, EntryOutcome, Fallback, FiredEntry, KeyLogic, LoreEntry, LoreLibrary,
    LoreMode, LorePage, LorePosition, LoreScan, LoreScene, LoreSettings, Lorebook, SceneLine, Shelved,
    WordBoundary, read_lorebook,
};
pub use familiar_cards::{
    Card, Character, Container, DepthPrompt, Limit, Picture, Refusal, RefusalKind, Spec, TokenCount,
    read_card,
};
pub use init::{Existing, InitRequest, InitStep, Writing, give_name, init, lives_by_clock_of, read_bounded};
pub use layout::{FieldFile, field_file_of};
pub use leftovers::sweep;
pub use list::{Listed, called, list_familiars};
pub use live::{LiveCharacter, load_schedule};
pub use live_lore::{LiveLore, lore_library, unpacked_books};
pub use lock::{FamiliarLock, LockError, LockPresence, lock_familiar, presence};
pub use lore_import::{LoreReport, import_lorebook};
pub use on_disk::{broken_card, portrait};
pub use private::{keep_new_files_private, make_private};
pub use report::{ImportReport, ImportStatus, entries_told};
pub use schedule::{DayPart, Schedule, Wakefulness, read_schedule};
pub use short_card::short_card;
pub use slug::slug;
