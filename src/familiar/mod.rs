//! Who the familiar is: cards, lorebooks, and the folder they are unpacked to.
//!
//! Owns reading every card container and spec into one card, unpacking to Markdown, the lorebook model,
//! and the install folder (create, open, lock, list, export). Must not know prompts, sessions or models.
//! Start reading at [`Card`] (what a file says) and [`Character`] (what the prompt needs).

mod assets;
mod card;
mod character;
mod coerce;
mod container;
mod export;
mod init;
mod install;
mod layout;
mod leftovers;
mod list;
mod live;
mod live_lore;
mod lock;
mod lore;
mod on_disk;
mod payload;
mod private;
mod refusal;
mod report;
mod short_card;
mod slug;
mod spec;
mod stamp;
mod unpack;
mod unpacked;

pub use card::{Card, Picture, Spec, read_card};
pub use character::{Character, DepthPrompt};
pub use container::Container;
pub use export::{ExportFormat, Exported, export};
pub use init::{Existing, InitRequest, InitStep, Writing, init, read_bounded};
pub use layout::{FieldFile, field_file_of};
pub use leftovers::sweep;
pub use list::{Listed, list};
pub use live::LiveCharacter;
pub use live_lore::LiveLore;
pub use lock::{FamiliarLock, LockError, Presence, lock, presence};
pub use lore::{
    BookFormat, BudgetUse, CardTexts, Fallback, FiredEntry, KeyLogic, LoreEntry, LoreLibrary, LorePage,
    LorePosition, LoreReport, LoreScan, LoreScene, LoreSettings, Lorebook, Persistence, SceneLine, Shelved,
    Verdict, import_lorebook, read_lorebook,
};
pub use private::{keep_new_files_private, make_private};
pub use refusal::{Limit, Refusal, RefusalKind};
pub use report::{ImportReport, ImportStatus};
pub use slug::slug;
pub(crate) use slug::words as file_slug;
pub use unpacked::unpacked_books;
