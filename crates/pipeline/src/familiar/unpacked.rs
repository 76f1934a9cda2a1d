//! Books that lie unpacked in a folder, for whoever looks at them without running the familiar.

use std::path::Path;

use familiar_cards::lore::Shelved;
use familiar_cards::lore::file::BOOK_FILE;
use familiar_cards::{Character, Refusal};

use super::character::as_it_lies;
use super::live_lore;
use super::on_disk::{file_names, read_book};
use crate::config::FamiliarHome;

/// The books of a familiar's folder, with its character, or the one book whose folder it is; none where it is neither.
/// Writes nothing.
///
/// # Errors
/// When a file cannot be read.
pub fn unpacked_books(
    folder: &Path,
    warnings: &mut Vec<String>,
) -> Result<(Vec<Shelved>, Option<Character>), Refusal> {
    if let Some(home) = FamiliarHome::at(folder).filter(|home| home.memory_dir().is_dir()) {
        return Ok((live_lore::read_books(&home), Some(as_it_lies(&home)?)));
    }
    if !file_names(folder)?.iter().any(|name| name == BOOK_FILE || name.ends_with(".md")) {
        return Ok((Vec::new(), None));
    }
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let book = read_book(folder, warnings)?;
    let books = book.map(|book| Shelved { name, book, is_characters: true });
    Ok((books.into_iter().collect(), None))
}
