//! A listener's noises and reactions, told from words that want the floor.
//!
//! Owns the classes of words that tell them apart: reactions ("great", "oh no"), what stands around reactions ("that's so
//! …"), and words that claim the floor even alone ("what", "no"). Lists of reactions end somewhere; a single word that is
//! on neither list counts as something in between. Must not know time. Start reading at [`bid`].

use std::collections::HashSet;
use std::sync::LazyLock;

use super::talk::{TALK, asks};
use super::words::{PhraseList, counts_for, transcript_words};
use familiar_chat::text::phrases::listed_phrases;
use familiar_chat::text::punctuation::has_question_mark;

/// Beside a reaction so many words more are still part of it.
const COMMENT: usize = 2;

/// What counts for more words than this is no single one, where no spaces set them apart.
const SENTENCE: usize = 2;

/// The words of every language there is data for (`text/phrases`).
struct BackchannelWords {
    reactions: HashSet<&'static str>,
    noises: HashSet<&'static str>,
    around: HashSet<&'static str>,
    exclaims: HashSet<&'static str>,
    claims: HashSet<&'static str>,
    laughs: Vec<&'static str>,
    /// Reactions of more than one word.
    phrases: PhraseList,
}

static LISTENING: LazyLock<BackchannelWords> = LazyLock::new(|| {
    let listed = |kind| listed_phrases(kind).map(|(_, words)| words);
    BackchannelWords {
        reactions: listed("reaction").collect(),
        noises: listed("noise").collect(),
        around: listed("around").collect(),
        exclaims: listed("exclaim").collect(),
        claims: listed("claim").collect(),
        laughs: listed("laugh").collect(),
        phrases: PhraseList::of(listed("phrase")),
    }
});

/// Whether somebody who says this over somebody else wants to speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bid {
    /// They listen: "mm-hm", "oh wow".
    Backchannel,
    /// A reaction, and a little more that may belong to it: "wow, like yesterday".
    Comment,
    /// It may still become a backchannel: "that's …".
    Open,
    /// A single word on no list. Alone it is a reaction nobody thought of; with more to come it is something else.
    Lone,
    Clear,
}

/// Judges what was said; `None` as long as there are no words.
pub fn bid(text: &str) -> Option<Bid> {
    weighed(text).map(|(bid, _)| bid)
}

/// That, and how many words are left that are no reactions.
fn weighed(text: &str) -> Option<(Bid, usize)> {
    let said = transcript_words(text);
    if said.is_empty() {
        return None;
    }
    let BesideBackchannels { left, reacts, is_moved } = beside_backchannels(&said);
    let begins = |one: &str| {
        said.last().is_some_and(|last| last == one) && LISTENING.phrases.begun_by(one).next().is_some()
    };
    // "is it good", of words that stand around reactions
    let turned = TALK.behind_leading(&said);
    let is_turned =
        (TALK.being.is(turned.first()) || TALK.turned.is(turned.first())) && TALK.this.is(turned.get(1));
    let bid = match left.as_slice() {
        [] if is_turned => Bid::Clear,
        [] => Bid::Backchannel,
        // "no" may become "no way", but means no more often; behind "wow" it does not. "Hey" may call somebody else.
        [one] if LISTENING.claims.contains(one) => match (is_moved && begins(one), said.len()) {
            (true, _) => Bid::Comment,
            (false, 1) if TALK.greeting.is(said.first()) => Bid::Lone,
            (false, _) => Bid::Clear,
        },
        [one] if counts_for(one) > SENTENCE => Bid::Clear,
        [one] if is_moved || (reacts && begins(one)) => Bid::Comment,
        [one] if begins(one) || LISTENING.around.contains(one) => Bid::Open,
        [_] => Bid::Lone,
        _ if is_moved && is_comment(text, &left) => Bid::Comment,
        _ => Bid::Clear,
    };
    Some((bid, left.into_iter().map(counts_for).sum()))
}

/// Whether what is left beside a reaction only says more of it ("wow, what luck", "yeah, like yesterday"): little, and
/// nothing that asks, objects or tells somebody what to do.
fn is_comment(text: &str, left: &[&str]) -> bool {
    let wants = |word: &&str| {
        let word = (*word).to_owned();
        LISTENING.claims.contains(word.as_str()) || TALK.you.is(Some(&word)) || TALK.request.is(Some(&word))
    };
    // "wow, que locura"
    let exclaims =
        left.first().is_some_and(|first| LISTENING.exclaims.contains(first)) && !has_question_mark(text);
    left.iter().map(|word| counts_for(word)).sum::<usize>() <= COMMENT
        && (exclaims || !(left.iter().any(wants) || asks(text)))
}

/// Whether everything said is a backchannel. Nothing said is none.
pub fn is_backchannel(text: &str) -> bool {
    bid(text) == Some(Bid::Backchannel)
}

/// Whether nothing but a listener's noises was said, which answer nothing unless something was asked.
pub fn is_murmur(text: &str) -> bool {
    let said = transcript_words(text);
    !said.is_empty() && said.iter().all(|word| is_noise(&without_hyphens(word)))
}

/// How many words say more than a backchannel.
pub fn substantial(text: &str) -> usize {
    match weighed(text) {
        Some((Bid::Comment, left)) => left.min(1),
        Some((_, left)) => left,
        None => 0,
    }
}

/// Whether somebody who is not spoken with wants the floor with this: two words that ask or claim something, or three.
pub fn takes_floor(text: &str) -> bool {
    match substantial(text) {
        0 | 1 => false,
        2 => asks(text) || transcript_words(text).iter().any(|word| LISTENING.claims.contains(word.as_str())),
        _ => true,
    }
}

/// Whether a word stands on a list of what listeners say.
pub(super) fn is_heard_from_listeners(word: &str) -> bool {
    let lists = [&LISTENING.reactions, &LISTENING.noises, &LISTENING.around, &LISTENING.claims];
    lists.iter().any(|list| list.contains(word))
}

/// What was said, without what only listeners say.
struct BesideBackchannels<'s> {
    /// The words that are no reactions. What only stands around one counts as one word until more is known.
    left: Vec<&'s str>,
    /// Whether a reaction stands among them.
    reacts: bool,
    /// Whether one does that is no mere opening of something else, as "okay" and "I see" are.
    is_moved: bool,
}

fn beside_backchannels(said: &[String]) -> BesideBackchannels<'_> {
    let mut heard = BesideBackchannels { left: Vec::new(), reacts: false, is_moved: false };
    let mut at = 0;
    while let Some(word) = said.get(at) {
        let phrase = LISTENING.phrases.at_start(said.get(at..).unwrap_or_default());
        let plain = without_hyphens(word);
        if phrase.is_some() || LISTENING.reactions.contains(plain.as_str()) || is_noise(&plain) {
            heard.reacts = true;
            heard.is_moved |= phrase.is_none() && !TALK.opens(word);
        } else {
            heard.left.push(word.as_str());
        }
        at += phrase.unwrap_or(1);
    }
    if heard.left.iter().all(|word| LISTENING.around.contains(word)) {
        heard.left.truncate(usize::from(!heard.reacts));
    }
    heard
}

/// A word without its hyphens and the like.
fn without_hyphens(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// A murmur, laughter, or either or a reaction drawn out.
fn is_noise(plain: &str) -> bool {
    LISTENING.noises.contains(plain) || is_drawn_out(plain) || is_laughter(plain)
}

/// "hmmm", "ohhh", "yesss", "sooo": a noise, or a reaction with its last letter held.
fn is_drawn_out(word: &str) -> bool {
    let Some(last) = word.chars().next_back() else { return false };
    let short = word.trim_end_matches(last);
    let held = word.chars().count() - short.chars().count();
    let is_sound =
        word.chars().all(|c| matches!(c, 'h' | 'm')) || word.chars().all(|c| matches!(c, 'a' | 'o' | 'h'));
    let spoken = format!("{short}{last}");
    is_sound
        || (held > 2
            && [&LISTENING.reactions, &LISTENING.noises].iter().any(|known| known.contains(spoken.as_str())))
}

/// "haha", "hehe", "jajaja", "哈哈"; "ha" too.
fn is_laughter(word: &str) -> bool {
    word == "ha"
        || LISTENING.laughs.iter().any(|syllable| {
            let rest = word.replace(syllable, "");
            word.len() >= 2 * syllable.len() && (rest.is_empty() || rest == "h")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nods_are_told_from_words() {
        for said in [
            "Mm-hm.",
            "mhm",
            "Yeah, yeah.",
            "Oh really?",
            "uh-huh",
            "I see.",
            "Okay. Right.",
            "haha",
            "hahaha",
            "hehe",
            "Ohhh.",
            "That's so funny!",
            "oh my god",
            "Good point.",
            "poor guy",
            "no way",
            "what a story",
            "how interesting",
            "yesss",
            "you're right",
            "that's bizarre",
            "can't wait",
        ] {
            assert!(is_backchannel(said), "{said}");
        }
        for said in [
            "ach so",
            "na klar",
            "c'est vrai",
            "ah bon",
            "qué bien",
            "claro, claro",
            "que legal",
            "com certeza",
            "va bene",
            "davvero?",
            "mooi",
            "jasne",
            "понятно",
            "tamam",
            "なるほど",
            "对对",
            "맞아요",
        ] {
            assert!(is_backchannel(said), "{said}");
        }
        for claim in [
            "attends",
            "¿por qué?",
            "espera",
            "não",
            "aspetta",
            "подожди",
            "bekle",
            "待って",
            "等等",
            "잠깐만",
        ] {
            assert_eq!(bid(claim), Some(Bid::Clear), "{claim}");
        }
        for (text, count) in [
            ("yeah but why", 2),
            ("no", 1),
            ("I see the problem", 2),
            ("what?", 1),
            ("", 0),
            ("that's so", 1),
        ] {
            assert_eq!(substantial(text), count, "{text}");
            assert!(!is_backchannel(text), "{text}");
        }
    }

    #[test]
    fn a_word_on_no_list_is_neither_a_nod_nor_a_claim() {
        for (text, expected) in [
            ("", None),
            ("mhm", Some(Bid::Backchannel)),
            ("quaint", Some(Bid::Lone)),
            ("oh quaint", Some(Bid::Lone)),
            ("that's", Some(Bid::Open)),
            ("makes", Some(Bid::Open)),
            ("what", Some(Bid::Clear)),
            ("how", Some(Bid::Clear)),
            ("uh no", Some(Bid::Clear)),
            ("that's not right", Some(Bid::Clear)),
            ("he did", Some(Bid::Clear)),
            ("hey", Some(Bid::Lone)),
            ("boah lustig quaint", Some(Bid::Comment)),
            ("wow no", Some(Bid::Comment)),
            ("wow, que terramoto", Some(Bid::Comment)),
            ("wow but why", Some(Bid::Clear)),
            ("okay sing it", Some(Bid::Clear)),
            ("is it good", Some(Bid::Clear)),
        ] {
            assert_eq!(bid(text), expected, "{text}");
        }
    }
}
