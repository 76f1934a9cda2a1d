//! A reply, cut into what is spoken in one breath while it still streams.
//!
//! Owns where to cut: the first words leave early, so that somebody is heard soon; later ones leave as whole sentences
//! (voice 2.3). Must not know sound. Start reading at [`Chunker::push`].

use std::time::Duration;

use familiar_chat::text::names::is_unspaced;
use familiar_chat::text::sentences::may_end;
use familiar_chat::text::speech::speakable;

/// With this many words a comma is enough for the first chunk, for the second, for all others.
const SOFT_FROM: [usize; 3] = [3, 6, 24];

/// With this many words the first chunk, the second, all others end wherever they are.
const MOST: [usize; 3] = [12, 24, 48];

/// The first chunk waits no longer than this for its end, once it has so many words.
const IMPATIENT: (Duration, usize) = (Duration::from_millis(250), 5);

/// Time since the call began.
type Moment = Duration;

/// Takes a reply as it streams; gives what can be spoken now.
#[derive(Debug, Default)]
pub struct Chunker {
    held: String,
    /// Backticks seen in a row, and whether what follows is code.
    ticks: u32,
    in_code: bool,
    given: usize,
    began: Option<Moment>,
    /// What was written up to the end of the first chunk.
    first: String,
    /// What will be, most likely.
    expected: Option<String>,
}

impl Chunker {
    /// For a reply whose first chunk is known already, as it was written ([`Self::first`]): it ends there, however fast the
    /// reply comes.
    pub fn expecting(first: String) -> Self {
        Self { expected: Some(first), ..Self::default() }
    }

    /// What was written up to the end of the first chunk.
    pub fn first(&self) -> &str {
        &self.first
    }

    /// Takes a piece of the reply.
    pub fn push(&mut self, piece: &str, now: Moment) -> Vec<String> {
        for letter in piece.chars() {
            self.take(letter);
        }
        if !self.held.trim().is_empty() {
            self.began.get_or_insert(now);
        }
        let mut chunks = Vec::new();
        if let Some(expected) = &self.expected {
            if self.held.starts_with(expected.as_str()) {
                let end = expected.len();
                self.expected = None;
                self.cut(end, &mut chunks);
            } else if !expected.starts_with(&self.held) {
                // It goes another way after all.
                self.expected = None;
            }
        }
        while self.expected.is_none()
            && let Some(end) = self.end_of_chunk()
        {
            self.cut(end, &mut chunks);
        }
        self.hurry(now, &mut chunks);
        chunks
    }

    /// When [`Self::tick`] has something to give, if nothing comes before.
    pub fn deadline(&self) -> Option<Moment> {
        (self.given == 0 && word_count(&self.held) > IMPATIENT.1)
            .then(|| self.began.unwrap_or_default() + IMPATIENT.0)
    }

    pub fn tick(&mut self, now: Moment) -> Vec<String> {
        let mut chunks = Vec::new();
        self.hurry(now, &mut chunks);
        chunks
    }

    /// The reply is complete; gives the rest.
    pub fn finish(&mut self) -> Vec<String> {
        let mut chunks = Vec::new();
        let end = self.held.len();
        self.cut(end, &mut chunks);
        chunks
    }

    /// What was not given yet, as it was written; it will not be given any more.
    pub fn take_rest(&mut self) -> String {
        std::mem::take(&mut self.held)
    }

    /// Code is not read out.
    fn take(&mut self, letter: char) {
        if letter == '`' {
            self.ticks += 1;
            if self.ticks == 3 {
                self.in_code = !self.in_code;
                if self.in_code {
                    self.held.push('\n');
                }
            }
            return;
        }
        self.ticks = 0;
        if !self.in_code {
            self.held.push(letter);
        }
    }

    fn hurry(&mut self, now: Moment, chunks: &mut Vec<String>) {
        if self.deadline().is_some_and(|deadline| deadline <= now)
            && let Some(end) = last_gap(&self.held)
        {
            self.cut(end, chunks);
        }
    }

    fn cut(&mut self, end: usize, chunks: &mut Vec<String>) {
        let rest = self.held.split_off(end);
        let written = std::mem::replace(&mut self.held, rest);
        let chunk = spoken(&written);
        if self.given == 0 {
            self.first.push_str(&written);
        }
        if !chunk.is_empty() {
            self.given += 1;
            chunks.push(chunk);
        }
    }

    /// Where what is held can be cut, behind white space that follows.
    fn end_of_chunk(&self) -> Option<usize> {
        let stage = self.given.min(2);
        let (soft_from, most) = (SOFT_FROM.get(stage).copied()?, MOST.get(stage).copied()?);
        let (mut count, mut unspaced) = (0, 0);
        let mut in_word = false;
        let mut stars = 0;
        for (at, letter) in self.held.char_indices() {
            let end = at + letter.len_utf8();
            let (Some(before), Some(after)) = (self.held.get(..end), self.held.get(end..)) else {
                return None;
            };
            if letter.is_whitespace() {
                in_word = false;
            } else if is_unspaced(letter) {
                // Two letters of such a script are about a word.
                unspaced += 1;
                count += unspaced % 2;
                in_word = true;
            } else if !std::mem::replace(&mut in_word, true) {
                count += 1;
            }
            let opens_line = before.trim_end_matches('*').trim_end_matches([' ', '\t']);
            let opens_item = after.starts_with(' ') && (opens_line.is_empty() || opens_line.ends_with('\n'));
            stars += u32::from(letter == '*' && !opens_item);
            if stars % 2 == 1 {
                // Inside of *an action*, which is left out whole.
                continue;
            }
            let has_words = before.chars().any(char::is_alphanumeric);
            let ends = has_words
                && (is_stop(letter, before, after)
                    || (count >= soft_from && is_soft(letter, before, after))
                    || (count >= most && letter.is_whitespace()));
            if ends {
                let closing = after.len()
                    - after.trim_start_matches(['"', '”', '’', '»', ')', '*', '_', '!', '?', '.', '…']).len();
                let closed = end + closing;
                let space = self.held.get(closed..).map_or(0, |rest| rest.len() - rest.trim_start().len());
                return Some(closed + space);
            }
        }
        None
    }
}

fn word_count(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count()
}

/// Behind the last whole word.
fn last_gap(text: &str) -> Option<usize> {
    let stars = text.bytes().filter(|byte| *byte == b'*').count();
    let gap = text.rfind(char::is_whitespace).filter(|at| *at > 0 && stars % 2 == 0)?;
    Some(gap + text.get(gap..)?.chars().next()?.len_utf8())
}

fn is_stop(letter: char, before: &str, after: &str) -> bool {
    match letter {
        '\n' | '!' | '?' | '。' | '！' | '？' => true,
        '…' => !after.is_empty(),
        '.' => {
            let stem = before.trim_end_matches('.');
            let is_number = stem.ends_with(|c: char| c.is_ascii_digit());
            let goes_on = after.chars().next().is_some_and(|next| !next.is_whitespace() && !is_closing(next));
            // At the very end of what is here a number may go on behind its point.
            may_end(before) && !goes_on && !(after.is_empty() && is_number)
        }
        _ => false,
    }
}

fn is_closing(letter: char) -> bool {
    matches!(letter, '"' | '”' | '’' | '»' | ')' | '*' | '_' | '.')
}

fn is_soft(letter: char, before: &str, after: &str) -> bool {
    let spaced = after.starts_with(char::is_whitespace);
    match letter {
        ',' | ';' | ':' => spaced,
        '—' | '–' => true,
        '-' => spaced && before.ends_with(" -"),
        '、' | '，' | '；' => true,
        _ => false,
    }
}

/// As it is said: without marks, and without actions that stand for themselves.
pub(super) fn spoken(text: &str) -> String {
    let said = speakable(&without_actions(text));
    if said.chars().any(char::is_alphanumeric) { said } else { String::new() }
}

/// `*waves*` is done and not said; `*really*` inside a sentence is stress, and stays.
fn without_actions(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('*') {
        let (before, from) = rest.split_at(open);
        kept.push_str(before);
        let bare = from.get(1..).unwrap_or_default();
        let close = bare.find('*').filter(|end| *end > 0 && !bare.starts_with([' ', '*']));
        let Some(close) = close else {
            kept.push('*');
            rest = bare;
            continue;
        };
        let (inside, behind) =
            (bare.get(..close).unwrap_or_default(), bare.get(close + 1..).unwrap_or_default());
        if inside.contains('\n') || behind.starts_with('*') || !stands_alone(&kept, behind) {
            kept.push('*');
            rest = bare;
            continue;
        }
        rest = behind;
    }
    kept.push_str(rest);
    kept
}

/// Whether between these something stands that is no part of a sentence.
fn stands_alone(before: &str, behind: &str) -> bool {
    let before = before.trim_end_matches([' ', '\t']);
    let opens = before.is_empty() || before.ends_with(['.', '!', '?', '…', '\n', '"', '”', '*']);
    let next = behind.trim_start_matches([' ', '\t']).chars().next();
    let closes = next
        .is_none_or(|next| next == '\n' || next == '*' || next == '"' || next == '“' || next.is_uppercase());
    opens && closes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(pieces: &[&str]) -> Vec<String> {
        let mut chunker = Chunker::default();
        let mut chunks: Vec<String> =
            pieces.iter().flat_map(|piece| chunker.push(piece, Duration::ZERO)).collect();
        chunks.extend(chunker.finish());
        chunks
    }

    #[test]
    fn the_first_words_leave_at_the_first_comma_and_later_ones_as_sentences() {
        let mut chunker = Chunker::default();
        assert_eq!(chunker.push("Well you know", Duration::ZERO), [""; 0]);
        assert_eq!(chunker.push(", the river", Duration::ZERO), ["Well you know,"]);
        assert_eq!(chunker.push(" is high. And", Duration::ZERO), ["the river is high."]);
        assert_eq!(
            chunker.push(" cold, and grey, and loud!", Duration::ZERO),
            ["And cold, and grey, and loud!"]
        );
        assert_eq!(chunker.finish(), [""; 0]);
    }

    #[test]
    fn scripts_without_spaces_have_commas_too() {
        let mut chunker = Chunker::default();
        assert_eq!(
            chunker.push("はい、駅は川の向こうです、歩いて", Duration::ZERO),
            ["はい、駅は川の向こうです、"]
        );
        assert_eq!(chunker.push("五分です。", Duration::ZERO), ["歩いて五分です。"]);
    }

    #[test]
    fn nothing_is_waited_for_behind_the_end_of_a_question() {
        let mut chunker = Chunker::default();
        assert_eq!(chunker.push("Really?", Duration::ZERO), ["Really?"]);
        assert_eq!(chunker.push(" It is late.", Duration::ZERO), ["It is late."]);
    }

    #[test]
    fn a_first_chunk_without_any_mark_leaves_after_a_quarter_of_a_second() {
        let mut chunker = Chunker::default();
        let ms = Duration::from_millis;
        assert_eq!(chunker.push("I was on the old ferry aga", ms(100)), [""; 0]);
        assert_eq!(chunker.deadline(), Some(ms(350)));
        assert_eq!(chunker.tick(ms(349)), [""; 0]);
        assert_eq!(chunker.tick(ms(350)), ["I was on the old ferry"]);
        assert_eq!(chunker.push("in, as ever.", ms(360)), ["again, as ever."]);
    }

    #[test]
    fn abbreviations_numbers_and_addresses_are_not_cut() {
        assert_eq!(
            cut(&["Dr. Mora has 3", ".", "5 boats. See example.com now."]),
            ["Dr. Mora has 3.5 boats.", "See example.com now."]
        );
        assert_eq!(cut(&["It costs 1,000 crowns."]), ["It costs 1,000 crowns."]);
    }

    #[test]
    fn what_is_done_or_shown_is_not_said() {
        assert_eq!(cut(&["*waves slowly, ", "then smiles* Hello there! *sits down*"]), ["Hello there!"]);
        assert_eq!(cut(&["I *really* mean it. **Never** again."]), ["I really mean it.", "Never again."]);
        assert_eq!(cut(&["Run this:\n```sh\nrm -rf x\n```\nThen wait."]), ["Run this:", "Then wait."]);
        assert_eq!(cut(&["🎉 ", "..."]), [""; 0]);
    }

    #[test]
    fn quotes_close_with_what_they_quote() {
        assert_eq!(
            cut(&["She said \"Stop!\" and left. \"Why?\" I asked."]),
            ["She said \"Stop!\"", "and left.", "\"Why?\"", "I asked."]
        );
    }

    #[test]
    fn endless_sentences_are_cut_somewhere() {
        let chunks = cut(&[&"word ".repeat(200)]);
        assert!(chunks.iter().all(|chunk| word_count(chunk) <= 48), "{chunks:?}");
        assert_eq!(chunks.iter().map(|chunk| word_count(chunk)).sum::<usize>(), 200);
    }

    proptest! {
        #[test]
        fn no_word_is_lost_and_chopping_does_not_lose_any(text in "([a-z]{1,6}[ ,.!?\n]{1,2}){0,60}", at in 1_usize..9) {
            let letters: Vec<char> = text.chars().collect();
            let pieces: Vec<String> = letters.chunks(at).map(|piece| piece.iter().collect()).collect();
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            let bare = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
            prop_assert_eq!(bare(&cut(&pieces).concat()), bare(&text));
        }

        #[test]
        fn any_text_is_survived(pieces in prop::collection::vec("\\PC{0,12}|[*`\n. ]{0,6}", 0..20)) {
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            prop_assert!(cut(&pieces).iter().all(|chunk| !chunk.trim().is_empty()));
        }
    }
}
