//! Sentences, of a text that is there and as they arrive.

use super::phrases::is_listed;

/// Cuts a stream of text into sentences. A sentence is handed over once the next one has begun, or at the end:
/// only then is it known where it ended. What is handed over concatenates to what was put in, white space
/// included, and does not depend on how the stream was chopped.
#[derive(Debug, Clone, Default)]
pub struct Cutter {
    held: String,
}

impl Cutter {
    /// A cutter that holds nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a piece of the stream and gives the sentences that are complete now.
    pub fn push(&mut self, piece: &str) -> Vec<String> {
        self.held.push_str(piece);
        // Without a letter in the new piece no further sentence can have begun.
        if !piece.chars().any(char::is_alphabetic) {
            return Vec::new();
        }
        let mut complete: Vec<String> = sentences_of(&self.held).into_iter().map(str::to_owned).collect();
        self.held = complete.pop().unwrap_or_default();
        complete
    }

    /// What is left at the end of the stream, if anything.
    pub fn finish(self) -> Option<String> {
        (!self.held.is_empty()).then_some(self.held)
    }
}

/// The sentences of a text, which concatenate to it, white space included.
pub fn sentences_of(text: &str) -> Vec<&str> {
    familiar_cards::sentences::sentences_by(text, sentence_goes_on)
}

/// The sentences of a message, each line and each sentence apart, also where they begin without a capital, as people type.
pub fn typed_sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    for line in sentences_of(text).into_iter().flat_map(str::lines) {
        let mut begins = 0;
        for (at, mark) in line.match_indices(['.', '…']) {
            let end = at + mark.len();
            // "U.S." is no end before a small letter.
            let is_short_form = line[begins..at].rsplit(' ').next().is_some_and(|word| word.contains('.'));
            let ends = mark == "…" || (!is_short_form && may_end(&line[begins..end]));
            if ends && line[end..].starts_with(' ') {
                sentences.push(&line[begins..end]);
                begins = end;
            }
        }
        sentences.push(&line[begins..]);
    }
    sentences
}

/// Whole sentences and lines from the beginning of a text, as many as take no more than `most` by this measure; empty where
/// the first is too long.
pub fn whole_within<M: PartialOrd>(text: &str, most: M, measure: impl Fn(&str) -> M) -> &str {
    let text = text.trim();
    if measure(text) <= most {
        return text;
    }
    let mut fits = "";
    let pieces = sentences_of(text).into_iter().flat_map(|sentence| sentence.split_inclusive('\n'));
    for piece in pieces {
        let longer = &text[..fits.len() + piece.len()];
        if measure(longer.trim_end()) > most {
            break;
        }
        fits = longer;
    }
    fits.trim_end()
}

/// Whether the full stop at the end of `text` may end a sentence: it is not that of an abbreviation, an initial or a
/// number in a list.
pub fn may_end(text: &str) -> bool {
    !sentence_goes_on(text, "")
}

/// Where sentences begin in `text`, the first one left out.
pub(super) fn starts(text: &str) -> impl DoubleEndedIterator<Item = usize> {
    familiar_cards::sentences::starts(text, sentence_goes_on)
}

/// Whether a boundary of the Unicode rules is none for a reader, in any language that is known.
fn sentence_goes_on(before: &str, after: &str) -> bool {
    let next_is_digit = after.starts_with(|c: char| c.is_ascii_digit());
    familiar_cards::sentences::goes_on(before, after, |word| {
        is_listed("abbreviation before a name", word)
            || (next_is_digit && is_listed("abbreviation before a number", word))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(pieces: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<String> {
        let mut cutter = Cutter::new();
        let mut sentences: Vec<_> =
            pieces.into_iter().flat_map(|piece| cutter.push(piece.as_ref())).collect();
        sentences.extend(cutter.finish());
        sentences
    }

    #[test]
    fn what_is_typed_without_capitals_is_cut_too() {
        let typed = typed_sentences("in the U.S. it is late\ni was there… the soup was good. and you? 😂");
        assert_eq!(typed, ["in the U.S. it is late", "i was there…", " the soup was good.", " and you? 😂"]);
    }

    #[test]
    fn a_sentence_is_handed_over_when_the_next_one_begins() {
        let mut cutter = Cutter::new();
        assert!(cutter.push("Hello there.").is_empty());
        assert!(cutter.push(" ").is_empty());
        assert_eq!(cutter.push("How"), ["Hello there. "]);
        assert!(cutter.push(" are you?").is_empty());
        assert_eq!(cutter.finish().as_deref(), Some("How are you?"));
    }

    #[test]
    fn abbreviations_initials_and_numbers_end_nothing() {
        for one in [
            "Dr. Smith met Mrs. Jones.",
            "J. R. R. Tolkien wrote it.",
            "It costs 3.50 today.",
            "See e.g. Paris or No. 5 on the list.",
            "\"Stop!\" she said.",
            "1. Wash the dishes",
        ] {
            assert_eq!(cut([one]), [one]);
        }
    }

    #[test]
    fn sentences_end_where_a_reader_ends_them() {
        assert_eq!(
            cut(["So do I. Then we go! Really? Yes."]),
            ["So do I. ", "Then we go! ", "Really? ", "Yes."]
        );
        assert_eq!(cut(["No. I will not."]), ["No. ", "I will not."]);
        assert_eq!(cut(["今日は雨です。明日は晴れます。"]), ["今日は雨です。", "明日は晴れます。"]);
        assert_eq!(cut(["a line\n\nanother line"]), ["a line\n\n", "another line"]);
    }

    proptest! {
        #[test]
        fn sentences_concatenate_to_the_input(pieces in prop::collection::vec("\\PC{0,20}|[\n .!?\"]{0,4}", 0..12)) {
            prop_assert_eq!(cut(&pieces).concat(), pieces.concat());
        }

        #[test]
        fn chopping_does_not_matter(text in "([A-Za-z]{1,5}|Dr|No|é|日本|5|🎉|[.!?…\"')*。]|[ \n]){0,40}") {
            let whole = cut([&text]);
            let by_char: Vec<String> = text.chars().map(String::from).collect();
            prop_assert_eq!(cut(&by_char), whole);
        }
    }
}
