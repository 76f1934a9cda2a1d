//! The vectors of turns in memory, to hold a question against all of them: 52 bytes a turn of 384 numbers. There is no
//! index over them: going through 100,000 takes one or two milliseconds (docs/architecture/embeddings.md).

use super::codes::{Probe, Signs, row_of};
use crate::domain::StoredId;

/// Stands for "no vector".
const NONE: u32 = u32::MAX;

/// Turns are numbered one after another; a number beyond this is none that the history gave.
const IDS: usize = 1 << 28;

/// Vectors by turn. Whether a turn may be seen is for whoever asks to know before they ask.
#[derive(Debug, Default)]
pub struct TurnVectors {
    row: usize,
    /// By the turn's id, its place.
    places: Vec<u32>,
    signs: Vec<u8>,
    count: usize,
    /// Places that are free again.
    free: Vec<u32>,
}

impl TurnVectors {
    /// None yet, of `dims` numbers each.
    pub fn new(dims: usize) -> Self {
        Self { row: row_of(dims), ..Self::default() }
    }

    /// A turn's vector from now on. One of another length is passed over.
    pub fn put(&mut self, turn: StoredId, vector: &Signs) {
        let Some(id) = usize::try_from(turn.0).ok().filter(|id| *id < IDS) else { return };
        if vector.as_bytes().len() != self.row {
            return;
        }
        if self.places.len() <= id {
            self.places.resize(id + 1, NONE);
        }
        let place = match self.places[id] {
            NONE => self.free.pop().unwrap_or_else(|| {
                self.count += 1;
                self.signs.resize(self.count * self.row, 0);
                u32::try_from(self.count - 1).unwrap_or(NONE)
            }),
            place => place,
        };
        if place == NONE {
            return;
        }
        self.places[id] = place;
        let at = place as usize;
        self.signs[at * self.row..(at + 1) * self.row].copy_from_slice(vector.as_bytes());
    }

    /// A turn has none any more, and nothing of it stays.
    pub fn remove(&mut self, turn: StoredId) {
        let Some(known) = usize::try_from(turn.0).ok().and_then(|id| self.places.get_mut(id)) else { return };
        let place = std::mem::replace(known, NONE);
        if place != NONE {
            let at = place as usize;
            self.signs[at * self.row..(at + 1) * self.row].fill(0);
            self.free.push(place);
        }
    }

    /// About the cosine between a question and a turn; `None` for a turn without a vector, or a question of another model.
    pub fn cosine(&self, question: &Probe, turn: StoredId) -> Option<f32> {
        let place = *self.places.get(usize::try_from(turn.0).ok()?)?;
        if place == NONE || question.row() != self.row {
            return None;
        }
        let at = place as usize;
        Some(question.cosine(&self.signs[at * self.row..(at + 1) * self.row]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn y11_a_turn_has_the_vector_it_was_given_last_and_none_once_it_is_gone() {
        let mut vectors = TurnVectors::new(2);
        let held = |vectors: &TurnVectors| vectors.count - vectors.free.len();
        let (east, west) = ([0.8, 0.6], [-0.8, -0.6]);
        let (to_east, to_west) = (Signs::of(&east), Signs::of(&west));
        let question = Probe::new(&east);
        vectors.put(StoredId(3), &to_east);
        vectors.put(StoredId(9), &to_west);
        vectors.put(StoredId(9), &Signs::of(&[1.0; 9]));
        vectors.put(StoredId(-1), &to_west);
        vectors.put(StoredId(i64::MAX), &to_west);
        assert_eq!(held(&vectors), 2);
        assert!(vectors.cosine(&question, StoredId(3)).unwrap() > 0.9);
        assert!(vectors.cosine(&question, StoredId(9)).unwrap() < -0.9);
        assert_eq!(vectors.cosine(&question, StoredId(4)), None);
        assert_eq!(vectors.cosine(&Probe::new(&[1.0; 9]), StoredId(3)), None);
        vectors.put(StoredId(3), &to_west);
        assert!(vectors.cosine(&question, StoredId(3)).unwrap() < -0.9);
        vectors.remove(StoredId(3));
        vectors.remove(StoredId(3));
        assert_eq!((held(&vectors), vectors.cosine(&question, StoredId(3))), (1, None));
        vectors.put(StoredId(12), &to_east);
        assert_eq!(held(&vectors), 2, "its place is used again");
        assert!(vectors.cosine(&question, StoredId(12)).unwrap() > 0.9);
    }
}
