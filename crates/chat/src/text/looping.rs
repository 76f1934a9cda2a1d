//! A text that says the same over and over: models that are stuck do so until their limit.
//!
//! Start reading at [`Loop::push`].

use super::sentences::sentences_of;

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
    repeats: usize,
}

impl Loop {
    /// Takes a piece; whether the text goes round in circles by now.
    pub fn push(&mut self, piece: &str) -> bool {
        self.tail.extend_from_slice(piece.as_bytes());
        self.unseen += piece.len();
        if self.unseen >= STEP && !self.is_stuck() {
            self.unseen = 0;
            self.tail.drain(..self.tail.len().saturating_sub(TAIL));
            self.repeats = repeats(&self.tail);
        }
        self.is_stuck()
    }

    /// Whether it went round in circles.
    pub fn is_stuck(&self) -> bool {
        self.repeats > 0
    }

    /// How many bytes at its end only said once more what stands before them when it was found to go round in circles; else
    /// none.
    pub fn repeats(&self) -> usize {
        self.repeats
    }
}

/// What of a text is worth reading whose last bytes, so many, only say once more what stands before them: whole sentences and
/// lines, and where there are none whole words.
pub fn before_repeats(text: &str, repeats: usize) -> &str {
    if repeats == 0 {
        return text;
    }
    let said_once = text.floor_char_boundary(text.len().saturating_sub(repeats));
    let (mut whole, mut at) = (0, 0);
    for piece in sentences_of(text).into_iter().flat_map(|sentence| sentence.split_inclusive('\n')) {
        let end = at + piece.trim_end().len();
        if end > said_once {
            break;
        }
        whole = end;
        at += piece.len();
    }
    if !text[..whole].trim().is_empty() {
        return &text[..whole];
    }
    let (once, more) = text.split_at(said_once);
    let is_in_word = more.starts_with(char::is_alphanumeric) && once.ends_with(char::is_alphanumeric);
    let end = once.rfind(char::is_whitespace).filter(|_| is_in_word).unwrap_or(once.len());
    once[..end].trim_end()
}

/// How many bytes at the end of `text` only say once more what stands before them; none where that is no going round. Its
/// reverse begins with the repetitions of one piece, and the borders of that (Knuth, Morris, Pratt) tell every period.
fn repeats(text: &[u8]) -> usize {
    let turned: Vec<u8> = text.iter().rev().copied().collect();
    let mut borders = vec![0_usize; turned.len()];
    for at in 1..turned.len() {
        let mut border = borders[at - 1];
        while border > 0 && turned[at] != turned[border] {
            border = borders[border - 1];
        }
        borders[at] = border + usize::from(turned[at] == turned[border]);
        let length = at + 1;
        let period = length - borders[at];
        let times = length / period;
        if [OFTEN, LONG].iter().any(|(most, least)| times >= *most && length >= *least) {
            let before = turned.iter().skip(period);
            return turned.iter().zip(before).take_while(|(now, before)| now == before).count();
        }
    }
    0
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
    fn what_was_said_before_it_went_round_is_kept_in_whole_sentences_else_words() {
        let sentence = "The rope is wet. ";
        for (before, piece, kept) in [
            ("", sentence, "The rope is wet."),
            ("Evening, all. ", "No way no how ", "Evening, all."),
            ("Evening, all.\n", "- the rope\n", "Evening, all.\n- the rope"),
            ("Evening, ", "the rope, ", "Evening, the rope"),
            ("Evening ", "ha", "Evening"),
            ("", "ha", "ha"),
            ("Es ist spät. ", "ロープ。", "Es ist spät. ロープ。"),
        ] {
            let mut watch = Loop::default();
            let mut text = before.to_owned();
            watch.push(before);
            while !watch.push(piece) {
                text.push_str(piece);
            }
            text.push_str(piece);
            assert_eq!(before_repeats(&text, watch.repeats()), kept, "{before}{piece}");
        }
        assert_eq!(before_repeats("All of it.", 0), "All of it.");
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
