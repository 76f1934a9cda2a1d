//! A model without weights: words of one meaning have one vector, all others vectors of their own.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::atomic::{AtomicUsize, Ordering};

use familiar_connect::embedding::{EmbedError, Embedded, Embedder, TextKind, TokenVectors, to_unit};

const DIMS: usize = 256;

/// Words of one meaning, of each group the first standing for all.
const MEANINGS: [&[&str]; 3] =
    [&["ferry", "ship", "vessel"], &["cat", "kitten", "feline"], &["physician", "doctor", "medic"]];

/// Turns texts into vectors by a hash of each word. Counts how many it was given.
#[derive(Debug)]
pub struct WordHashes {
    id: String,
    given: AtomicUsize,
}

impl WordHashes {
    pub fn named(name: &str) -> Self {
        Self { id: name.to_owned(), given: AtomicUsize::new(0) }
    }

    /// Texts so far.
    pub fn given(&self) -> usize {
        self.given.load(Ordering::SeqCst)
    }
}

fn meaning(word: &str) -> &str {
    MEANINGS.iter().find(|group| group.contains(&word)).map_or(word, |group| group[0])
}

/// Numbers between −1 and 1 that look random and are not.
fn vector(word: &str) -> Vec<f32> {
    (0..DIMS)
        .map(|at| {
            let mut hasher = DefaultHasher::new();
            (meaning(word), at).hash(&mut hasher);
            (hasher.finish() % 2_001) as f32 / 1_000.0 - 1.0
        })
        .collect()
}

impl Embedder for WordHashes {
    fn id(&self) -> &str {
        &self.id
    }

    fn dims(&self) -> usize {
        DIMS
    }

    fn embed(&self, texts: &[&str], _: TextKind) -> Result<Vec<Embedded>, EmbedError> {
        self.given.fetch_add(texts.len(), Ordering::SeqCst);
        let each = texts.iter().map(|text| {
            let text = text.to_lowercase();
            let (mut whole, mut rows, mut spans, mut at) = (vec![0.0; DIMS], Vec::new(), Vec::new(), 0);
            for word in text.split(|c: char| !c.is_alphanumeric()) {
                if !word.is_empty() {
                    let row = vector(word);
                    whole.iter_mut().zip(&row).for_each(|(sum, number)| *sum += number);
                    rows.extend(row);
                    spans.push(at..at + word.len());
                }
                at += word.len() + 1;
            }
            to_unit(&mut whole);
            Embedded { vector: whole, tokens: TokenVectors::from_rows(DIMS, rows), spans }
        });
        Ok(each.collect())
    }
}
