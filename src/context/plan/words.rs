//! A message as words: folded so that case, accents and punctuation do not matter, with what they leave behind counted.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::domain::Attachment;

/// Longer messages are judged by their beginning and their end: what is asked for stands there.
const HEAD_CHARS: usize = 600;
/// See [`HEAD_CHARS`].
const TAIL_CHARS: usize = 300;

/// A message, read once.
#[derive(Debug)]
pub(super) struct Words {
    /// The folded words of what was looked at, without attachment lines, in order.
    pub folded: Vec<String>,
    /// The same words as written.
    pub written: Vec<String>,
    /// Whether each begins a sentence.
    pub opens: Vec<bool>,
    /// Whether something stands between each and the next word: a comma, the end of a sentence, or of everything.
    pub pauses: Vec<bool>,
    /// Words in all, also those not looked at.
    pub count: usize,
    /// `?`, in any script.
    pub questions: usize,
    /// Lines that describe a file or an embed.
    pub attachments: usize,
    /// Addresses.
    pub links: usize,
    /// The share of the letters that stand between asterisks or as `/me`, 0 to 1.
    pub acted: f32,
    /// Said aside from the scene: `((…))`, `OOC:`.
    pub aside: bool,
}

impl Words {
    pub(super) fn of(text: &str) -> Self {
        let mut attachments = 0;
        let mut links = 0;
        let mut kept = String::with_capacity(text.len().min(4 * (HEAD_CHARS + TAIL_CHARS)));
        for line in text.lines() {
            if Attachment::read(line).is_some() {
                attachments += 1;
                continue;
            }
            for word in line.split_whitespace() {
                if word.contains("://") {
                    links += 1;
                    continue;
                }
                kept.push_str(word);
                kept.push(' ');
            }
            kept.push('\n');
        }
        let count = kept.split_whitespace().count();
        let questions = kept.chars().filter(|c| matches!(c, '?' | '？' | '؟')).count();
        let acted = acted_share(&kept);
        let trimmed = kept.trim_start();
        let aside =
            trimmed.starts_with("((") || trimmed.get(..3).is_some_and(|ooc| ooc.eq_ignore_ascii_case("ooc"));
        let mut words = Self {
            folded: Vec::new(),
            written: Vec::new(),
            opens: Vec::new(),
            pauses: Vec::new(),
            count,
            questions,
            attachments,
            links,
            acted,
            aside,
        };
        words.split(ends_of(&kept));
        words
    }

    fn split(&mut self, (head, tail): (&str, &str)) {
        for part in [head, tail] {
            let mut opens = true;
            for piece in part.split_inclusive(|c: char| !c.is_alphanumeric() && !is_combining_mark(c)) {
                let word = piece.trim_end_matches(|c: char| !c.is_alphanumeric() && !is_combining_mark(c));
                if !word.is_empty() {
                    self.folded.push(unstretched(&fold(word)));
                    self.written.push(word.to_owned());
                    self.opens.push(opens);
                    self.pauses.push(false);
                    opens = false;
                }
                if let Some(pause) = self.pauses.last_mut() {
                    *pause |=
                        piece.chars().next_back().is_some_and(|c| !c.is_alphanumeric() && !c.is_whitespace());
                }
                opens |= piece.ends_with(['.', '!', '?', '\n', ':', '"', '“', '*', '¿', '¡', '。']);
            }
        }
    }
}

/// Lower case, without accents; `ß` is `ss`.
pub(super) fn fold(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    word.nfd()
        .filter(|c| !is_combining_mark(*c))
        .flat_map(char::to_lowercase)
        .flat_map(|c| if c == 'ß' { ['s', 's'].into_iter().take(2) } else { [c, c].into_iter().take(1) })
        .collect()
}

/// `heyyyy` is `hey`: a letter three times or more stands once. Numbers stay as they are.
fn unstretched(word: &str) -> String {
    let letters: Vec<char> = word.chars().collect();
    if !letters
        .windows(3)
        .any(|three| three[0] == three[1] && three[1] == three[2] && three[0].is_alphabetic())
    {
        return word.to_owned();
    }
    let mut short = String::with_capacity(word.len());
    let mut at = 0;
    while at < letters.len() {
        let run = letters[at..].iter().take_while(|c| **c == letters[at]).count();
        let kept = if run >= 3 && letters[at].is_alphabetic() { 1 } else { run };
        short.extend(std::iter::repeat_n(letters[at], kept));
        at += run;
    }
    short
}

fn acted_share(text: &str) -> f32 {
    let trimmed = text.trim();
    if trimmed.starts_with("/me ") {
        return 1.0;
    }
    // `**bold**` is emphasis, not action.
    let plain = trimmed.replace("**", "");
    let (mut inside, mut all) = (0_u16, 0_u16);
    let mut parts = plain.split('*').take(64).peekable();
    let mut is_action = false;
    while let Some(part) = parts.next() {
        let letters = u16::try_from(part.chars().filter(|c| c.is_alphanumeric()).count()).unwrap_or(u16::MAX);
        all = all.saturating_add(letters);
        // What follows an asterisk that is never closed is not acted.
        if is_action && parts.peek().is_some() {
            inside = inside.saturating_add(letters);
        }
        is_action = !is_action;
    }
    if all == 0 { 0.0 } else { f32::from(inside) / f32::from(all) }
}

/// The beginning and the end of a text that is too long to be looked at whole.
fn ends_of(text: &str) -> (&str, &str) {
    let Some((head, _)) = text.char_indices().nth(HEAD_CHARS) else { return (text, "") };
    let rest = &text[head..];
    let tail = rest.char_indices().rev().nth(TAIL_CHARS - 1).map_or(0, |(at, _)| at);
    (&text[..head], &rest[tail..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_folded_and_counted() {
        let words = Words::of(
            "Äh, wo ist Straße 7? See https://x.example now\n[image: cat.png, 120 KB]\n> [embed: Where — is it?]",
        );
        assert_eq!(words.folded, ["ah", "wo", "ist", "strasse", "7", "see", "now"]);
        assert_eq!((words.questions, words.attachments, words.links), (1, 2, 1));
        assert_eq!(words.opens, [true, false, false, false, false, true, false]);
    }

    #[test]
    fn acting_is_told_from_emphasis_and_from_a_lonely_asterisk() {
        assert!(Words::of("*smiles and waves*").acted > 0.99);
        assert!(Words::of("/me waves").acted > 0.99);
        assert!(Words::of("I said **no** twice").acted < 0.01);
        assert!(Words::of("5 * 3 is fifteen").acted < 0.01);
        let half = Words::of("*grins* abcde").acted;
        assert!((half - 0.5).abs() < 0.01, "{half}");
    }

    #[test]
    fn a_novel_is_looked_at_from_both_ends() {
        let words = Words::of(&format!("start {} end", "word ".repeat(5000)));
        assert_eq!(words.count, 5002);
        assert!(words.folded.len() < 400);
        assert_eq!(words.folded.first().map(String::as_str), Some("start"));
        assert_eq!(words.folded.last().map(String::as_str), Some("end"));
    }
}
