//! What hangs on the entries of a lorebook that an import changed or took away (G2, "blast radius").

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::app::open_history;
use crate::config::FamiliarHome;
use crate::graph::{Graph, NodeId, Viewer, name_or_somebody};
use crate::history::HistoryOptions;
use crate::memory::Memory;

/// The entries as files, by their paths.
pub(super) type Entries = BTreeMap<String, String>;

/// The entries of all books, or of the one in `folder`, as they stand.
pub(super) fn book_entries(home: &FamiliarHome, folder: Option<&str>) -> Entries {
    let store = Arc::clone(Memory::at(home).whole().store);
    let glob = folder.map_or_else(|| "lore/**/*.md".to_owned(), |folder| format!("lore/{folder}/**/*.md"));
    let (mut entries, mut after) = (Entries::new(), None);
    loop {
        // A folder that cannot be read holds nothing that anything depends on; the import itself says why.
        let Ok(listing) = store.glob(&glob, after.as_ref()) else { return entries };
        for file in &listing.files {
            if let Ok(note) = store.read(&file.path) {
                entries.insert(file.path.to_string(), note.text);
            }
        }
        after = listing.files.last().map(|file| file.path.clone());
        if !listing.is_more || after.is_none() {
            return entries;
        }
    }
}

/// Those of `before` that read otherwise now, or are gone.
pub(super) fn changed(before: &Entries, now: &Entries) -> Vec<String> {
    before.iter().filter(|(path, text)| now.get(*path) != Some(text)).map(|(path, _)| path.clone()).collect()
}

/// A line for everything that depends on one of these entries.
pub(super) async fn depending(home: &FamiliarHome, entries: &[String]) -> anyhow::Result<Vec<String>> {
    if entries.is_empty() || !home.history_db().exists() {
        return Ok(Vec::new());
    }
    let history = Arc::new(open_history(home, HistoryOptions::default()).await?);
    let graph = Graph::over(Arc::clone(&history), Arc::new(Memory::at(home)));
    let entries = entries.to_vec();
    let lines = graph.ask(Viewer::everything(), move |view| {
        let mut lines = Vec::new();
        for entry in entries {
            // Its own lines and headings are the entry itself.
            let own = format!("{entry}#");
            for one in view.dependents(&NodeId::note(&entry))? {
                if !one.node.id.key.starts_with(own.as_str()) {
                    let (node, via, label) = (&one.node.id, one.via, name_or_somebody(&one.node));
                    lines.push(format!("{entry}: {node} depends on it ({via}): {label}"));
                }
            }
        }
        Ok(lines)
    });
    let lines = lines.await?;
    history.close().await?;
    Ok(lines)
}
