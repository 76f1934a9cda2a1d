//! A text that says the same over and over: models that are stuck do so until their limit.
//!
//! Start reading at [`Loop::push`].

/// So much of the end is looked at, in bytes.
const TAIL: usize = 4_096;

/// How often it is looked at, in bytes.
const STEP: usize = 64;

/// Six times the same in so many bytes and more is no emphasis, and no refrain.
const OFTEN: (usize, usize) = (6, 300);

/// Nor is three times something long.
const LONG: (usize, usize) = (3, 900);

/// Watches a text that is still arriving.
#[derive(Debug, Clone, Default)]
pub struct Loop {
    tail: Vec<u8>,
    unseen: usize,
    is_stuck: bool,
}

impl Loop {
    /// Takes a piece; whether the text goes round in circles by now.
    pub fn push(&mut self, piece: &str) -> bool {
        self.tail.extend_from_slice(piece.as_bytes());
        self.unseen += piece.len();
        if self.unseen >= STEP && !self.is_stuck {
            self.unseen = 0;
            self.tail.drain(..self.tail.len().saturating_sub(TAIL));
            self.is_stuck = is_round(&self.tail);
        }
        self.is_stuck
    }

    /// Whether it went round in circles.
    pub fn is_stuck(&self) -> bool {
        self.is_stuck
    }
}

/// Whether `text` ends in repetitions of one piece: its reverse begins with them, and the borders of that (Knuth, Morris,
/// Pratt) tell every period.
fn is_round(text: &[u8]) -> bool {
    let turned: Vec<u8> = text.iter().rev().copied().collect();
    let mut borders = vec![0_usize; turned.len()];
    for at in 1..turned.len() {
        let mut border = borders[at - 1];
        while border > 0 && turned[at] != turned[border] {
            border = borders[border - 1];
        }
        borders[at] = border + usize::from(turned[at] == turned[border]);
        let length = at + 1;
        let times = length / (length - borders[at]);
        if [OFTEN, LONG].iter().any(|(most, least)| times >= *most && length >= *least) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After how many bytes it is found to be stuck.
    fn stuck_at(text: &str) -> Option<usize> {
        let mut watch = Loop::default();
        text.char_indices().find_map(|(at, c)| watch.push(c.encode_utf8(&mut [0; 4])).then_some(at))
    }

    #[test]
    fn a_text_that_goes_round_is_found_soon() {
        let sentence = "The rope is wet and the river is high tonight, mind your step. ";
        for (piece, most) in [("ha", 400), ("the rope ", 400), ("ロープ。", 400), (sentence, 600)] {
            let text = format!("Evening. {}", piece.repeat(400));
            assert!(stuck_at(&text).is_some_and(|at| at < most), "{piece}: {:?}", stuck_at(&text));
        }
        let long: String = (0..40).map(|n| format!("{n} bottles stand on the wall. ")).collect();
        assert!(stuck_at(&long.repeat(4)).is_some());
    }

    #[test]
    fn emphasis_refrains_and_lists_are_none() {
        let refrain = "Row, row, row your boat, gently down the stream. ";
        let verses: String =
            (0..30).map(|n| format!("{refrain}Verse {n} is about the {n}th ferry. ")).collect();
        let table: String = (0..60).map(|n| format!("| {n} | {} |\n", n * 37 % 101)).collect();
        for text in [&"no ".repeat(60), &refrain.repeat(2), &verses, &table] {
            assert_eq!(stuck_at(text), None, "{text}");
        }
    }
}
