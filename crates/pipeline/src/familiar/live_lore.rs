//! The lorebooks in use, read again when their files change.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arc_swap::ArcSwap;

use super::character::as_it_lies;
use super::install::Record;
use super::layout::RECORD;
use super::on_disk::{Stamp, WatchedFiles, file_names, read_book, stamp_of};
use crate::config::{self, FamiliarHome, LoreConfig};
use crate::text::keywords::{forms, is_unspaced_letter};
use familiar_cards::lore::file::BOOK_FILE;
use familiar_cards::lore::{Fallback, LoreLibrary, LoreMode, LoreSettings, Shelved, WordBoundary};
use familiar_cards::{Character, Refusal};

/// Books at most; what lies beyond, in the order of their folders' names, is not read.
const BOOKS_MAX: usize = 64;

/// Books, searched as memories are: an inflected word finds the entry.
pub fn lore_library(books: &[Shelved]) -> LoreLibrary {
    LoreLibrary::with_words(books, lore_words)
}

/// Words as a memory is searched by them. A single ideograph says too little beside the pairs that it is in.
fn lore_words(text: &str) -> Vec<Vec<String>> {
    let is_letter = |word: &String| word.chars().count() == 1 && word.chars().all(is_unspaced_letter);
    let mut words = forms(text);
    words.retain(|forms| !forms.iter().any(is_letter));
    words
}

/// `memory/lore/*` as one [`LoreLibrary`]; edits are picked up within a second. An entry whose front matter is broken
/// is left out and said in the log; the others stay.
#[derive(Debug)]
pub struct LiveLore {
    home: FamiliarHome,
    current: ArcSwap<LoreLibrary>,
    files: WatchedFiles,
}

impl LiveLore {
    /// Reads the books of `home`. None are no mistake.
    pub fn load(home: FamiliarHome) -> Self {
        let files = WatchedFiles::new(lore_stamp(&home));
        let library = lore_library(&read_books(&home));
        Self { home, current: ArcSwap::from_pointee(library), files }
    }

    /// The books as they stand. Files are looked at on a blocking thread, by one turn a second.
    pub async fn current(self: &Arc<Self>) -> Arc<LoreLibrary> {
        if self.files.are_due() {
            let this = Arc::clone(self);
            if let Err(error) = tokio::task::spawn_blocking(move || this.look()).await {
                tracing::warn!(%error, "the lorebooks could not be looked at");
            }
        }
        self.current.load_full()
    }

    /// Looks at the files now. Blocks.
    fn look(&self) {
        let reread = || {
            self.current.store(Arc::new(lore_library(&read_books(&self.home))));
            tracing::info!("lore reloaded");
        };
        self.files.look(|| lore_stamp(&self.home), reread);
    }
}

impl From<&LoreConfig> for LoreSettings {
    /// The settings of a running familiar: what is always there has its room first, and what does not fit comes shorter
    /// instead of not at all.
    fn from(config: &LoreConfig) -> Self {
        Self {
            mode: match config.mode {
                config::LoreMode::Keywords => LoreMode::Keywords,
                config::LoreMode::Retrieval => LoreMode::Retrieval,
                config::LoreMode::Hybrid => LoreMode::Hybrid,
            },
            depth: config.scan_depth,
            recursive: config.recursive,
            max_recursion_steps: config.max_recursion_steps,
            min_activations: config.min_activations,
            whole_words: config.whole_words,
            boundary: match config.word_boundary {
                config::WordBoundary::St => WordBoundary::St,
                config::WordBoundary::Unicode => WordBoundary::Unicode,
            },
            case_sensitive: config.case_sensitive,
            group_scoring: config.group_scoring,
            search: config.hybrid_extra,
            fallback: Fallback::Levels,
            constants_first: true,
        }
    }
}

fn lore_folders(home: &FamiliarHome) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(home.lore_dir()) else { return Vec::new() };
    let mut folders: Vec<PathBuf> =
        entries.filter_map(Result::ok).map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders.truncate(BOOKS_MAX);
    folders
}

/// The books of a familiar. What is broken in them is said in the log.
pub(super) fn read_books(home: &FamiliarHome) -> Vec<Shelved> {
    let own = Record::read(&home.root().join(RECORD)).and_then(|record| record.book);
    let mut books = Vec::new();
    for folder in lore_folders(home) {
        let Some(name) = folder.file_name().map(|name| name.to_string_lossy().into_owned()) else { continue };
        let mut problems = Vec::new();
        match read_book(&folder, &mut problems) {
            Ok(Some(book)) => {
                let is_characters = own.as_deref() == Some(name.as_str());
                books.push(Shelved { name: name.clone(), book, is_characters });
            }
            Ok(None) => {}
            Err(error) => tracing::warn!(book = %name, %error, "a lorebook cannot be read"),
        }
        for problem in problems {
            tracing::warn!(book = %name, "{problem}; this entry is left out");
        }
    }
    books
}

fn lore_stamp(home: &FamiliarHome) -> Stamp {
    stamp_of(&lore_folders(home))
}

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
        return Ok((read_books(&home), Some(as_it_lies(&home)?)));
    }
    if !file_names(folder)?.iter().any(|name| name == BOOK_FILE || name.ends_with(".md")) {
        return Ok((Vec::new(), None));
    }
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let book = read_book(folder, warnings)?;
    let books = book.map(|book| Shelved { name, book, is_characters: true });
    Ok((books.into_iter().collect(), None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::FamiliarId;
    use crate::familiar::{CardTexts, LoreScene, TokenCount};

    impl LiveLore {
        fn always_on(&self) -> Vec<(String, String)> {
            let scene = LoreScene {
                messages: &[],
                chat_length: 0,
                replies: 0,
                trigger: "normal",
                character: &[],
                card: CardTexts::default(),
                seed: "t1",
                budget: 1000,
                tokens: TokenCount::Quarters,
                expand: &str::to_owned,
            };
            let scan = self.current.load().scan(&LoreSettings::default(), &scene, &[]);
            scan.fired.into_iter().map(|entry| (entry.book, entry.content)).collect()
        }
    }

    fn put(home: &FamiliarHome, book: &str, entry: &str, text: &str) {
        let folder = home.lore_dir().join(book);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(entry), text).unwrap();
    }

    fn entry(order: i32, words: &str) -> String {
        format!("+++\nkeys = []\nconstant = true\norder = {order}\n+++\n{words}\n")
    }

    fn told(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(book, words)| ((*book).to_owned(), (*words).to_owned())).collect()
    }

    #[test]
    fn an_entry_is_found_by_inflected_words_of_its_language() {
        let data = tempfile::tempdir().unwrap();
        let home = FamiliarHome::new(data.path(), &FamiliarId::new("mika").unwrap());
        for (name, keys, words) in [
            ("cats", "Katze", "Die Katze auf dem Boot fängt die Möwen und schläft im Seil."),
            ("oars", "весло", "Весло от лодки лежит под лестницей и ждёт весны."),
            ("port", "barco", "El barco del puerto tiene las velas rojas y no sale en enero."),
        ] {
            put(
                &home,
                "harbour",
                &format!("{name}.md"),
                &format!("+++\nkeys = [\"{keys}\"]\n+++\n{words}\n"),
            );
        }
        let lore = LiveLore::load(home);
        for (asked, begins) in [
            ("Was fressen die Katzen auf den Booten?", "Die Katze"),
            ("где лежат вёсла от лодок под лестницами?", "Весло"),
            ("¿de qué color son las velas de los barcos del puerto?", "El barco"),
        ] {
            let found = lore.current.load().look_up(asked, &[], 1, &str::to_owned);
            assert!(found.first().is_some_and(|page| page.content.starts_with(begins)), "{asked}: {found:?}");
        }
    }

    #[test]
    fn books_are_read_again_when_a_file_changes_comes_or_goes() {
        let data = tempfile::tempdir().unwrap();
        let home = FamiliarHome::new(data.path(), &FamiliarId::new("ada").unwrap());
        let lore = LiveLore::load(home.clone());
        assert!(lore.current.load().is_empty());
        put(&home, "harbour", "0001-a.md", &entry(1, "old"));
        put(&home, "harbour", "0002-b.md", &entry(2, "second"));
        lore.look();
        assert_eq!(lore.always_on(), told(&[("harbour", "old"), ("harbour", "second")]));
        put(&home, "harbour", "0001-a.md", &entry(1, "quite new"));
        put(&home, "hills", "0003-c.md", &entry(3, "far"));
        // A broken entry costs only itself.
        put(&home, "harbour", "0002-b.md", "+++\nkeys = [\n+++\nsecond\n");
        lore.look();
        assert_eq!(lore.always_on(), told(&[("harbour", "quite new"), ("hills", "far")]));
        fs::remove_dir_all(home.lore_dir().join("hills")).unwrap();
        lore.look();
        assert_eq!(lore.always_on(), told(&[("harbour", "quite new")]));
    }
}
