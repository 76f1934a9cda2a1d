//! What notes say, line by line: which lines are facts, who may see each, and when it holds.
//!
//! A fact is one Markdown bullet whose comment carries its data, so that a person can read and edit it:
//!
//! ```text
//! - Biscuit is Ana's cat. <!-- f=k3v9q2xy to=guild:77 by=discord:42 on=2026-11-02 from=t:1841,t:1843 imp=3 -->
//! ```
//!
//! A line without such a comment is a person's own: it has the audience of what it stands in, at last the file's, and no
//! program changes it. A comment that cannot be read makes its line nobody's. Owns reading, changing and writing that
//! form. Must not know where files lie, nor prompts or models. Start reading at [`NotePage`].

mod blocks;
mod comment;
mod data;
mod edit;
mod front;
mod page;
#[cfg(test)]
mod tests;
mod worth;

pub use blocks::BlockKind;
pub use data::{By, Evidence, FactData, FactId, FactKind, InvalidFact, Validity};
pub use edit::{EditError, PageEdit, new_page};
pub use front::{Front, Unreadable};
pub use page::{NotePage, PageBlock, UnreadableLine, VisiblePart};
pub use worth::{Tier, fact_worth, reinforcement};
