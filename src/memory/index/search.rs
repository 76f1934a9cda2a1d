//! Which passages hold a question's words, as far as whoever asks may see them.

use std::collections::HashMap;

use rusqlite::{Transaction, params};

use super::passages::Passage;
use super::rows::{self, PASSAGE_COLUMNS, audience_word};
use super::{IndexError, NotesIndex};
use crate::domain::Visible;

/// Words of one question that are looked up.
const WORDS_MAX: usize = 32;

/// A word is looked up in so many passages at most, the newest: beside the few that are called up, one that stands in more
/// tells next to nothing, and each costs half a microsecond.
const HELD_MAX: i64 = 256;

/// A passage that holds some of the words that were asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The passage.
    pub passage: Passage,
    /// For each word whether it is found by it.
    pub held: Vec<bool>,
}

/// What a question found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hits {
    /// Those that hold the rarest words first.
    pub hits: Vec<Hit>,
    /// For each word how many passages that may be seen hold it, up to 256.
    pub standing_in: Vec<u32>,
}

impl NotesIndex {
    /// Passages that hold any of some stems ([`crate::text::keywords::terms`]) and may be seen where `visible` is, at most
    /// `most`. Takes in first what changed on the disk.
    ///
    /// # Errors
    /// When the folder or the database cannot be used.
    pub async fn holding(
        &self,
        stems: &[String],
        visible: &Visible,
        most: usize,
    ) -> Result<Hits, IndexError> {
        self.keep_up().await?;
        let stems: Vec<String> = stems.iter().take(WORDS_MAX).cloned().collect();
        let audiences: Vec<String> =
            visible.audiences().map(|audience| format!("\"{}\"", audience_word(audience))).collect();
        if stems.is_empty() || audiences.is_empty() || !self.shared.store.root().is_dir() {
            return Ok(Hits::default());
        }
        let who = audiences.join(" OR ");
        let visible = visible.clone();
        let database = self.shared.database().await?;
        Ok(database.read(move |tx| holding(tx, &stems, &who, &visible, most)).await?)
    }
}

fn holding(
    tx: &Transaction<'_>,
    stems: &[String],
    who: &str,
    visible: &Visible,
    most: usize,
) -> rusqlite::Result<Hits> {
    // A bit for each word.
    let mut held: HashMap<i64, u32> = HashMap::new();
    let mut standing_in = Vec::with_capacity(stems.len());
    let mut lookup =
        tx.prepare_cached("SELECT rowid FROM words WHERE words MATCH ?1 ORDER BY rowid DESC LIMIT ?2")?;
    for (at, stem) in stems.iter().enumerate() {
        let question = format!("terms : \"{}\" AND audience : ({who})", stem.replace('"', ""));
        let mut found = lookup.query(params![question, HELD_MAX])?;
        let mut passages = 0_u32;
        while let Some(row) = found.next()? {
            *held.entry(row.get(0)?).or_default() |= 1 << at;
            passages += 1;
        }
        standing_in.push(passages);
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
            let held = (0..stems.len()).map(|at| bits >> at & 1 == 1).collect();
            hits.push(Hit { passage, held });
        }
    }
    Ok(Hits { hits, standing_in })
}
