//! Which passages hold a question's words, as far as whoever asks may see them.

use std::collections::HashMap;

use rusqlite::Transaction;

use super::passages::Passage;
use super::rows::{self, PASSAGE_COLUMNS};
use super::{IndexError, NotesIndex};
use crate::domain::Visible;
use crate::sqlite::words;

/// Words of one question that are looked up.
const WORDS_MAX: usize = 32;

/// So many rows are read for one question, of rare words all, of common ones the newest: beside the few passages that are
/// called up, a word that stands in more tells next to nothing.
const HELD_MAX: usize = 4_096;

/// A passage that holds some of the words that were asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundPassage {
    pub passage: Passage,
    /// For each word whether it is found by it.
    pub held: Vec<bool>,
}

/// What a question found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hits {
    /// Those that hold the rarest words first.
    pub hits: Vec<FoundPassage>,
    /// For each word how many passages that may be seen hold it, up to some thousand.
    pub standing_in: Vec<u32>,
}

impl NotesIndex {
    /// Passages that hold any of some words ([`crate::text::keywords::forms`]) and may be seen where `visible` is, at most
    /// `most`. Takes in first what changed on the disk.
    ///
    /// # Errors
    /// When the folder or the database cannot be used.
    pub(in crate::memory) async fn holding(
        &self,
        words: &[Vec<String>],
        visible: &Visible,
        most: usize,
    ) -> Result<Hits, IndexError> {
        self.keep_up().await?;
        let words: Vec<Vec<String>> = words.iter().take(WORDS_MAX).cloned().collect();
        if words.is_empty() || !self.shared.store.root().is_dir() {
            return Ok(Hits::default());
        }
        let visible = visible.clone();
        let database = self.shared.database().await?;
        Ok(database.read(move |tx| holding(tx, &words, &visible, most)).await?)
    }
}

fn holding(
    tx: &Transaction<'_>,
    words: &[Vec<String>],
    visible: &Visible,
    most: usize,
) -> rusqlite::Result<Hits> {
    let audiences: Vec<String> = visible.audiences().map(ToString::to_string).collect();
    // A bit for each word.
    let mut held: HashMap<i64, u32> = HashMap::new();
    let mut standing_in = Vec::with_capacity(words.len());
    for (at, standing) in
        words::newest_rows(tx, "words", words, &audiences, HELD_MAX)?.into_iter().enumerate()
    {
        standing.rows.iter().for_each(|row| *held.entry(*row).or_default() |= 1 << at);
        standing_in.push(u32::try_from(standing.rows.len()).unwrap_or(u32::MAX));
    }
    // The rarer a word, the more it tells; what is rarest together comes first.
    let each: Vec<f64> = standing_in.iter().map(|passages| 1.0 / f64::from((*passages).max(1))).collect();
    let tells = |held: u32| -> f64 {
        each.iter().enumerate().filter(|(at, _)| held >> at & 1 == 1).map(|(_, tells)| tells).sum()
    };
    let mut ids: Vec<(f64, i64)> = held.iter().map(|(id, held)| (tells(*held), *id)).collect();
    ids.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut row = tx.prepare_cached(&format!("SELECT {PASSAGE_COLUMNS} FROM passages WHERE id = ?1"))?;
    let mut hits = Vec::new();
    for (_, id) in ids {
        if hits.len() >= most {
            break;
        }
        let passage = row.query_row([id], rows::passage)?;
        // The index answers for its words; what is handed out is looked at once more.
        if let Some(bits) = held.get(&id).filter(|_| visible.includes(&passage.audience)) {
            let held = (0..words.len()).map(|at| bits >> at & 1 == 1).collect();
            hits.push(FoundPassage { passage, held });
        }
    }
    Ok(Hits { hits, standing_in })
}
