//! Lines of the notes that match a pattern, for somebody: what they may see, and nothing else.

use jiff::civil::Date;

use super::facts::{NotePage, Validity};
use super::store::{MemoryStore, NotePath, StoreError, TextPattern};
use crate::domain::{Audience, Visible};

/// A line of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenLine {
    pub note: NotePath,
    /// Its words, without marks and comments.
    pub words: String,
    pub audience: Audience,
}

/// Lines that match `pattern` (as for [`MemoryStore::grep`], capitals and small letters the same), hold on `today` and may be
/// seen where `visible` is, at most `most`. Card and lore are not looked at: they have their own way into a prompt. Nor is
/// what is asked of nobody: a hidden line leaves no trace and takes nobody's place, nor does a comment. Ends where the time
/// of a search does. Blocks.
///
/// # Errors
/// [`StoreError::Pattern`], or when a folder cannot be read.
pub(super) fn seen_lines(
    store: &MemoryStore,
    pattern: &str,
    visible: &Visible,
    today: Date,
    most: usize,
) -> Result<Vec<SeenLine>, StoreError> {
    let search = TextPattern::of(pattern)?;
    let mut seen = Vec::new();
    for note in store.walk(None)?.files.into_keys() {
        if note.is_in("self") || note.is_in("lore") {
            continue;
        }
        if seen.len() >= most || take_lines(store, &search, &note, (visible, today), &mut seen).is_none() {
            break;
        }
    }
    seen.truncate(most);
    Ok(seen)
}

/// What is seen of one note; `None` when the time is over.
fn take_lines(
    store: &MemoryStore,
    search: &TextPattern,
    note: &NotePath,
    (visible, today): (&Visible, Date),
    seen: &mut Vec<SeenLine>,
) -> Option<()> {
    let Ok(read) = store.read(note) else { return Some(()) };
    // Reading a text is quicker than understanding it.
    if !search.is_in(&read.text)? {
        return Some(());
    }
    let Ok(page) = NotePage::parse(&read.text) else { return Some(()) };
    for block in page.blocks().iter().filter(|block| block.standing(today) == Validity::Holds) {
        let audience = block.audience.clone().filter(|audience| visible.includes(audience));
        let Some(audience) = audience.filter(|_| !block.words.trim().is_empty()) else { continue };
        if search.is_in(&block.words)? {
            seen.push(SeenLine { note: note.clone(), words: block.words.clone(), audience });
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::civil::date;

    use super::*;
    use crate::clock::SystemClock;
    use crate::domain::{AccountId, GuildId};
    use crate::memory::store::NoteEditor;

    #[test]
    fn contradiction_8_a_pattern_finds_what_may_be_seen_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let store = MemoryStore::in_folder(folder.path().join("memory"), Arc::new(SystemClock));
        let write = |path: &str, text: &str| {
            store.write(&NotePath::new(path).unwrap(), text, NoteEditor::Operator).unwrap();
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
        write("lore/hives.md", &"Bees of the book.\n".repeat(1_100));
        write("a.md", &"- Bees in private. <!-- f=b1 to=dm:discord:1 -->\n".repeat(1_100));
        assert_eq!(
            found("bees", &guild),
            ["Bees fly.", "Ana keeps bees."],
            "what is not shown takes nobody's place"
        );
        assert_eq!(found("f=a1", &guild), [""; 0], "a comment is not looked for");
    }
}
