//! A reply that is none: the model may say first that it would rather not answer, or not yet.
//!
//! Owns the words for that, how they are found in a stream, and that nobody hears or reads them (voice 2.2, "LLM as
//! last judge"). Must not know when the model is told of them. Start reading at [`DeclineFilter::push`].

use std::time::Duration;

/// What the model says in place of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decline {
    /// Nothing is to be said.
    Silent,
    /// They were not finished: an answer once they had so long.
    Wait(Duration),
}

/// The words, in small letters and without anything between them, and what they mean (pipecat's times).
const DECLINES: [(&str, Decline); 4] = [
    ("silent", Decline::Silent),
    ("noreply", Decline::Silent),
    ("wait", Decline::Wait(Duration::from_secs(5))),
    ("waitlong", Decline::Wait(Duration::from_secs(10))),
];

/// No decline is longer, however it is written; in characters, brackets included.
const LONGEST: usize = 16;

/// In front of a word that is the whole reply each of these is as good as `<`: weaker models take the one for the other.
const BRACKETS: &str = "<([{*_`（【";

/// And these, unless somebody called it: who asks for a word may be given one in quotation marks.
const QUOTATION_MARKS: &str = "\"'“„‘‚«»「『";

/// What came of a piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Passed {
    /// These words go on; may be none.
    Words(String),
    /// It is no answer.
    Decline(Decline),
}

/// Finds a decline at the beginning of a stream. Holds back only what can still become one.
#[derive(Debug)]
pub(super) struct DeclineFilter {
    /// Whether the model was told that it may.
    may_pass: bool,
    held: String,
    /// The answer has begun: a decline behind it is only taken out.
    has_begun: bool,
    /// The last letter that was let through.
    last: Option<char>,
}

/// What stands at a bracket.
enum At {
    Decline(Decline, usize),
    PerhapsOne,
    None,
}

impl DeclineFilter {
    /// `may_pass`: whether the model was told of declines. If not, only a reply that is nothing else is one; beside words
    /// silence in its own brackets is taken out, unless it is quoted.
    pub(super) fn new(may_pass: bool) -> Self {
        Self { may_pass, held: String::new(), has_begun: false, last: None }
    }

    /// Takes a piece of the stream.
    pub(super) fn push(&mut self, piece: &str) -> Passed {
        self.held.push_str(piece);
        let is_for_the_end = !self.may_pass || !self.held.contains('<');
        if is_for_the_end && !self.has_begun && !matches!(self.stands_alone(), At::None) {
            return Passed::Words(String::new());
        }
        let mut words = String::new();
        loop {
            let Some(bracket) = self.held.find('<') else {
                if self.has_begun || says_something(&self.held) {
                    words.push_str(&std::mem::take(&mut self.held));
                }
                break;
            };
            let before = self.held.get(..bracket).unwrap_or_default();
            let begins = self.has_begun || !words.is_empty() || says_something(before);
            let last = before.chars().next_back().or_else(|| words.chars().next_back()).or(self.last);
            let is_quoted = last.is_some_and(|mark| mark == '`' || QUOTATION_MARKS.contains(mark));
            let is_for_nobody =
                |decline: Decline| self.may_pass || (decline == Decline::Silent && !is_quoted);
            match stands_at(self.held.get(bracket..).unwrap_or_default()) {
                At::Decline(decline, _) if self.may_pass && !begins => return Passed::Decline(decline),
                At::Decline(decline, length) if is_for_nobody(decline) => {
                    words.push_str(before);
                    self.held.drain(..bracket + length);
                }
                At::PerhapsOne => {
                    if begins {
                        words.push_str(before);
                        self.held.drain(..bracket);
                    }
                    break;
                }
                At::Decline(..) | At::None => {
                    words.extend(self.held.drain(..=bracket));
                }
            }
            self.has_begun |= says_something(&words);
        }
        self.has_begun |= says_something(&words);
        self.last = words.chars().next_back().or(self.last);
        Passed::Words(words)
    }

    /// The stream is over; what was held back was no decline after all, or one whose last bracket is missing.
    pub(super) fn finish(self) -> Passed {
        if !self.has_begun
            && let At::Decline(decline, _) = self.stands_alone()
        {
            return Passed::Decline(decline);
        }
        if !self.may_pass {
            return Passed::Words(self.held);
        }
        let open =
            self.held.trim_start_matches(|letter: char| letter != '<').strip_prefix('<').map(bare_token);
        let decline = DECLINES.iter().find(|(name, _)| open.as_deref() == Some(*name));
        match decline {
            Some((_, decline)) if !self.has_begun => Passed::Decline(*decline),
            Some(_) => Passed::Words(String::new()),
            None => Passed::Words(self.held),
        }
    }

    /// What the reply is, as far as it has come: a decline, with something around it and nothing else, or none.
    fn stands_alone(&self) -> At {
        let text = self.held.trim();
        let (before, rest) = text.split_at(text.find(char::is_alphanumeric).unwrap_or(text.len()));
        let opens =
            |letter: char| BRACKETS.contains(letter) || (self.may_pass && QUOTATION_MARKS.contains(letter));
        if text.is_empty() {
            return At::PerhapsOne;
        }
        if text.chars().count() > LONGEST || says_something(before) || !before.chars().any(opens) {
            return At::None;
        }
        let (word, behind) = rest.split_at(rest.trim_end_matches(|c: char| !c.is_alphanumeric()).len());
        let name = bare_token(word);
        let known = DECLINES.iter().find(|(decline, _)| *decline == name).map(|(_, decline)| *decline);
        // Who was not told that it may wait means the word, unless it is written as nobody but the program wants it: that is
        // for nobody to read.
        let is_meant =
            |decline: &Decline| self.may_pass || *decline == Decline::Silent || before.contains('<');
        match known.filter(is_meant) {
            Some(decline) if !says_something(behind) => At::Decline(decline, text.len()),
            _ if bare_token(behind).is_empty()
                && DECLINES.iter().any(|(decline, _)| decline.starts_with(name.as_str())) =>
            {
                At::PerhapsOne
            }
            _ => At::None,
        }
    }
}

/// Whether there is anything in it but white space and marks: a quotation mark in front of a decline says nothing, an emoji
/// does.
fn says_something(text: &str) -> bool {
    // General punctuation holds dashes, quotation marks and what cannot be seen; the rest is that of Chinese and Japanese.
    let is_mark = |c: char| {
        c.is_ascii_punctuation()
            || matches!(c, '\u{2000}'..='\u{206f}' | '«' | '»')
            || matches!(c, '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{301f}' | '\u{ff01}'..='\u{ff0f}')
    };
    text.chars().any(|c| !c.is_whitespace() && !is_mark(c))
}

/// What stands at the bracket that `text` begins with.
fn stands_at(text: &str) -> At {
    let inner = text.get(1..).unwrap_or_default();
    match inner.find('>') {
        Some(end) if text.chars().take(end + 2).count() <= LONGEST => {
            let name = bare_token(inner.get(..end).unwrap_or_default());
            let found = DECLINES.iter().find(|(decline, _)| *decline == name);
            found.map_or(At::None, |(_, decline)| At::Decline(*decline, end + 2))
        }
        None if text.chars().count() < LONGEST => {
            let name = bare_token(inner);
            let fits = DECLINES.iter().any(|(decline, _)| decline.starts_with(name.as_str()));
            if fits { At::PerhapsOne } else { At::None }
        }
        _ => At::None,
    }
}

/// As models write them: `<Silent>`, `<wait long>`, `<wait_long/>`.
fn bare_token(name: &str) -> String {
    name.chars()
        .filter(|letter| !matches!(letter, ' ' | '-' | '_' | '/'))
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What comes out of these pieces, and what of it came before the end.
    fn through(pieces: &[&str]) -> Result<String, Decline> {
        through_gate(DeclineFilter::new(true), pieces)
    }

    fn through_gate(mut gate: DeclineFilter, pieces: &[&str]) -> Result<String, Decline> {
        let mut words = String::new();
        for piece in pieces {
            match gate.push(piece) {
                Passed::Words(more) => words.push_str(&more),
                Passed::Decline(decline) => return Err(decline),
            }
        }
        match gate.finish() {
            Passed::Words(more) => Ok(words + &more),
            Passed::Decline(decline) => Err(decline),
        }
    }

    #[test]
    fn a_verdict_is_found_however_it_is_written_and_cut() {
        for whole in ["<silent>", " \n<SILENT>", "<silent/> Nothing to say.", "<silent", "`<silent>`"] {
            assert_eq!(through(&[whole]), Err(Decline::Silent), "{whole}");
            let letters: Vec<String> = whole.chars().map(String::from).collect();
            let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
            assert_eq!(through(&letters), Err(Decline::Silent), "{whole}");
        }
        assert_eq!(through(&["— \u{200b}“<silent>”"]), Err(Decline::Silent));
        assert_eq!(through(&["👍 <silent>"]), Ok("👍 ".to_owned()), "that was an answer");
        assert_eq!(through(&["<wa", "it>"]), Err(Decline::Wait(Duration::from_secs(5))));
        for long in ["<wait long>", "<wait-long>", "<wait_long/>"] {
            assert_eq!(through(&[long]), Err(Decline::Wait(Duration::from_secs(10))), "{long}");
        }
    }

    #[test]
    fn an_answer_is_held_back_only_while_it_can_still_be_a_verdict() {
        let mut gate = DeclineFilter::new(true);
        let words = |text: &str| Passed::Words(text.to_owned());
        assert_eq!(gate.push("\n"), words(""));
        assert_eq!(gate.push("<s"), words(""));
        assert_eq!(gate.push("o it goes"), words("\n<so it goes"));
        assert_eq!(gate.push(", 1 < 2"), words(", 1 < 2"));
        let mut gate = DeclineFilter::new(true);
        assert_eq!(gate.push("Late"), words("Late"), "a word is no bracket");
        assert_eq!(gate.push(". <sil"), words(". "));
        assert_eq!(gate.push("ent> Good night."), words(" Good night."), "nobody hears of it");
        let mut gate = DeclineFilter::new(false);
        assert_eq!(gate.push("<silent>"), words(""), "it may be all");
        assert_eq!(gate.push(" Good"), words(" Good"), "whoever called it gets the words");
        assert_eq!(gate.push(" (silent)"), words(" (silent)"));
    }

    #[test]
    fn silence_beside_the_words_for_whoever_called_reaches_nobody_unless_it_is_quoted() {
        for (written, said) in [
            ("<silent> Good evening.", " Good evening."),
            ("Good evening. <silent>", "Good evening. "),
            ("Good <no reply>evening.", "Good evening."),
            ("I would write `<silent>` then.", "I would write `<silent>` then."),
            ("<wait>5</wait> it reads", "<wait>5</wait> it reads"),
            ("1 <2, 3< 4", "1 <2, 3< 4"),
            ("…", "…"),
        ] {
            let letters: Vec<String> = written.chars().map(String::from).collect();
            let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
            let came = through_gate(DeclineFilter::new(false), &letters);
            assert_eq!(through_gate(DeclineFilter::new(false), &[written]), came, "{written}");
            assert_eq!(came, Ok(said.to_owned()), "{written}");
        }
    }

    #[test]
    fn a_verdict_that_is_all_of_a_reply_is_none_in_whatever_brackets() {
        let letters = |whole: &str| whole.chars().map(String::from).collect::<Vec<_>>();
        let came = |whole: &str, may_pass: bool| {
            let letters = letters(whole);
            let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
            let by_letters = through_gate(DeclineFilter::new(may_pass), &letters);
            assert_eq!(through_gate(DeclineFilter::new(may_pass), &[whole]), by_letters, "{whole}");
            by_letters
        };
        for whole in [
            "(silent)",
            " [Silent]\n",
            "*silent*",
            "**(silent)**",
            "<no reply>",
            "<noreply>",
            "[no-reply].",
            "(No reply",
            "（silent）",
        ] {
            assert_eq!(came(whole, true), Err(Decline::Silent), "{whole}");
            assert_eq!(came(whole, false), Err(Decline::Silent), "{whole}, called");
        }
        for whole in [
            "(silent) Well.",
            "*silently she goes*",
            "Silent.",
            "(silent night)",
            "[no reply yet]",
            "(silent) 👍",
        ] {
            assert_eq!(came(whole, true), Ok(whole.to_owned()), "{whole}");
            assert_eq!(came(whole, false), Ok(whole.to_owned()), "{whole}, called");
        }
        assert_eq!(came("“Silent.”", true), Err(Decline::Silent));
        assert_eq!(came("“Silent.”", false), Ok("“Silent.”".to_owned()), "an answer to who asks for a word");
        assert_eq!(came("(wait)", true), Err(Decline::Wait(Duration::from_secs(5))));
        assert_eq!(came("(wait)", false), Ok("(wait)".to_owned()), "nobody told it that it may");
        assert_eq!(came("<silent>", false), Err(Decline::Silent));
        assert_eq!(came("<wait>", false), came("<wait>", true), "nobody is to read it");
    }

    proptest! {
        #[test]
        fn cutting_changes_nothing_and_what_is_no_verdict_passes_whole(
            text in "[<> /a-z]{0,24}|( ?<(silent|wait|wait long|silence|wait a lot longer)>? ?[a-z<]{0,4}){0,3}",
            cuts in prop::collection::vec(0_usize..40, 0..6),
        ) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&str> = cuts.windows(2).map(|cut| &text[cut[0]..cut[1]]).collect();
            let whole = through(&[&text]);
            prop_assert_eq!(through(&pieces), whole.clone());
            if let Ok(words) = whole
                && !bare_token(&text).contains("<silent")
                && !bare_token(&text).contains("<wait")
            {
                prop_assert_eq!(words, text);
            }
        }
    }
}
