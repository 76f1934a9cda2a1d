//! Lines of the notes that match a pattern, for somebody: what they may see, and nothing else.

use std::collections::BTreeSet;

use jiff::civil::Date;

use super::facts::{Page, Standing};
use super::store::{GrepOptions, MemoryStore, NotePath, StoreError};
use crate::domain::{Audience, Visible};

/// A line of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenLine {
    /// Which note.
    pub note: NotePath,
    /// Its words, without marks and comments.
    pub words: String,
    /// Who may see it.
    pub audience: Audience,
}

/// Lines that match `pattern` (as for [`MemoryStore::grep`], capitals and small letters the same), hold on `today` and may be
/// seen where `visible` is, at most `most`. Card and lore are not looked at: they have their own way into a prompt. What is
/// asked of nobody is not looked for either: a hidden line leaves no trace, nor does its comment. Blocks.
///
/// # Errors
/// [`StoreError::Pattern`], or when a folder cannot be read.
pub fn seen_lines(
    store: &MemoryStore,
    pattern: &str,
    visible: &Visible,
    today: Date,
    most: usize,
) -> Result<Vec<SeenLine>, StoreError> {
    let options = GrepOptions { files: None, ignore_case: true };
    let grepped = store.grep(pattern, &options)?;
    let mut seen = Vec::new();
    let mut lines = grepped.lines.into_iter().peekable();
    while let Some(path) = lines.peek().map(|line| line.path.clone()) {
        let mut numbers = BTreeSet::new();
        while let Some(line) = lines.next_if(|line| line.path == path) {
            numbers.insert(line.line);
        }
        if path.is_in("self") || path.is_in("lore") {
            continue;
        }
        let Ok(note) = store.read(&path) else { continue };
        let Ok(page) = Page::parse(&note.text) else { continue };
        for (at, block) in page.blocks().iter().enumerate() {
            let next = page.blocks().get(at + 1).map_or(u32::MAX, |next| next.line);
            let is_hit = numbers.range(block.line..next).next().is_some();
            let holds = block.standing(today) == Standing::Holds;
            let Some(audience) = block.audience.clone().filter(|_| is_hit && holds) else { continue };
            if visible.includes(&audience) && !block.words.trim().is_empty() && seen.len() < most {
                seen.push(SeenLine { note: path.clone(), words: block.words.clone(), audience });
            }
        }
    }
    Ok(seen)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::civil::date;

    use super::*;
    use crate::clock::SystemClock;
    use crate::domain::{AccountId, GuildId};
    use crate::memory::store::Source;

    #[test]
    fn contradiction_8_a_pattern_finds_what_may_be_seen_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let store = MemoryStore::in_folder(folder.path().join("memory"), Arc::new(SystemClock));
        let write = |path: &str, text: &str| {
            store.write(&NotePath::new(path).unwrap(), text, Source::Operator).unwrap();
        };
        write(
            "people/discord-1.md",
            "# Ana\n\n- Ana keeps bees. <!-- f=a1 to=guild:7 -->\n\
             - Ana stole the bees. <!-- f=a2 to=dm:discord:1 -->\n\
             - Ana kept wasps and bees. <!-- f=a3 to=guild:7 until=2020-01-01 -->\n\
             - Bees cannot be read. <!-- f= to=nonsense:: -->\n",
        );
        write("topics/hives.md", "---\naudience: guild:8\n---\nBees elsewhere.\n");
        write("self/description.md", "Mika likes bees.\n");
        write("notes.md", "Bees fly.\n");
        let today = date(2026, 3, 1);
        let found = |pattern: &str, visible: &Visible| -> Vec<String> {
            let lines = seen_lines(&store, pattern, visible, today, 10).unwrap();
            lines.into_iter().map(|line| line.words).collect()
        };
        let guild = Visible::only([Audience::Canon, Audience::Guild(GuildId::from(7))]);
        assert_eq!(found("BEES?", &guild), ["Bees fly.", "Ana keeps bees."]);
        let alone = Visible::only([Audience::Dm(AccountId::discord(1))]);
        assert_eq!(found("bees", &alone), ["Ana stole the bees."]);
        assert!(matches!(seen_lines(&store, "(?=bees)", &guild, today, 10), Err(StoreError::Pattern { .. })));
        assert_eq!(seen_lines(&store, "bees", &guild, today, 1).unwrap().len(), 1);
    }
}
