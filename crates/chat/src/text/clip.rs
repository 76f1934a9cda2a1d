//! Cutting one text that is too long into pieces, none of which is lost (contradiction 1: "clip").

use unicode_segmentation::UnicodeSegmentation;

use super::sentences;

/// What stands where a text was cut, for the model and for people.
pub const CUT_MARK: &str = "[…]";

/// No token of a public vocabulary is longer than this many bytes of prose; more text than that per token need not be
/// looked at to find a cut.
const BYTES_PER_TOKEN: usize = 32;

/// `text` in pieces of at most `max` tokens each, by `count`: cut behind a sentence where that leaves at least half
/// of the room used, else at white space, else between visible characters. A cut is marked on both of its sides.
///
/// One piece means that nothing was cut. A piece has at least one visible character, also where `max` leaves no room
/// for it.
pub fn token_pieces(text: &str, max: u32, count: &dyn Fn(&str) -> u32) -> Vec<String> {
    let mut rest = text.trim();
    let mut pieces = Vec::new();
    loop {
        let before = if pieces.is_empty() { String::new() } else { format!("{CUT_MARK} ") };
        if count(&format!("{before}{rest}")) <= max {
            if !rest.is_empty() {
                pieces.push(format!("{before}{rest}"));
            }
            return pieces;
        }
        let at = cut_position(
            rest,
            |end| count(&format!("{before}{} {CUT_MARK}", rest[..end].trim_end())) <= max,
            max,
        );
        let (piece, after) = rest.split_at(at);
        pieces.push(match after.trim() {
            "" => format!("{before}{piece}"),
            _ => format!("{before}{} {CUT_MARK}", piece.trim_end()),
        });
        rest = after.trim_start();
        if rest.is_empty() {
            return pieces;
        }
    }
}

/// Where to cut, as a byte position above 0.
fn cut_position(text: &str, fits: impl Fn(usize) -> bool, max: u32) -> usize {
    let most = usize::try_from(max).unwrap_or(usize::MAX).saturating_mul(BYTES_PER_TOKEN);
    let window = &text[..text.floor_char_boundary(most.max(BYTES_PER_TOKEN))];
    let ends: Vec<usize> = window.grapheme_indices(true).map(|(at, cluster)| at + cluster.len()).collect();
    let fitting = ends.partition_point(|end| fits(*end));
    let Some(&reach) = ends.get(fitting.saturating_sub(1)) else { return text.len() };
    let sentence = sentences::starts(window).rev().find(|at| *at <= reach).filter(|at| *at >= reach / 2);
    let word = || {
        let blanks = window[..reach].char_indices().rev().filter(|(_, c)| c.is_whitespace());
        blanks.map(|(at, c)| at + c.len_utf8()).find(|at| *at >= reach / 4)
    };
    // Counting is not quite monotone: a shorter text may take a token more.
    sentence.filter(|at| fits(*at)).or_else(|| word().filter(|at| fits(*at))).unwrap_or(reach)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(text: &str) -> u32 {
        u32::try_from(text.split_whitespace().count()).unwrap()
    }

    fn characters(text: &str) -> u32 {
        u32::try_from(text.chars().count()).unwrap()
    }

    #[test]
    fn what_fits_is_left_whole() {
        assert_eq!(token_pieces(" Short enough. ", 5, &words), ["Short enough."]);
        assert!(token_pieces("  ", 5, &words).is_empty());
    }

    #[test]
    fn a17_a_cut_falls_behind_a_sentence_and_is_marked_on_both_sides() {
        let text = "One two three. Four five six. Seven eight nine ten.";
        assert_eq!(
            token_pieces(text, 7, &words),
            ["One two three. Four five six. […]", "[…] Seven eight nine ten."]
        );
    }

    #[test]
    fn a17_without_a_sentence_it_falls_at_white_space_and_without_that_between_characters() {
        assert_eq!(token_pieces("one two three four", 3, &words), ["one two […]", "[…] three four"]);
        let family = "👨‍👩‍👧‍👦";
        for piece in token_pieces(&family.repeat(9), 24, &characters) {
            assert_eq!(piece.replace(family, "").replace(CUT_MARK, "").trim(), "", "{piece}");
        }
    }

    proptest! {
        #[test]
        fn a17_no_word_is_lost_and_no_piece_is_too_long(text in "([a-zé]{1,9}[ .\n]{1,2}){0,60}", max in 12_u32..60) {
            let pieces = token_pieces(&text, max, &characters);
            for piece in &pieces {
                prop_assert!(characters(piece) <= max, "{}", piece);
            }
            let squeezed = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(squeezed(&pieces.concat().replace(CUT_MARK, "")), squeezed(&text));
        }
    }
}
