//! A listener's noises and nods, told from words that want the floor.
//!
//! Owns the classes of words that tell them apart: reactions ("great", "oh no"), what stands around reactions ("that's so
//! …"), and words that claim the floor even alone ("what", "no"). Lists of reactions end somewhere; a single word that is
//! on neither list counts as something in between. Must not know time. Start reading at [`bid`].

use super::words::words;

/// Whoever says only these or [`MURMURS`] listens: continuers, agreement, surprise, praise, pity (after the classes of the
/// Switchboard corpus of telephone talk: acknowledge, appreciation, agree, repeat).
const REACTIONS: [&str; 202] = [
    "yeah",
    "yea",
    "yep",
    "yup",
    "yes",
    "ja",
    "jo",
    "right",
    "okay",
    "ok",
    "kay",
    "alright",
    "sure",
    "true",
    "exactly",
    "precisely",
    "absolutely",
    "definitely",
    "totally",
    "certainly",
    "obviously",
    "clearly",
    "indeed",
    "agreed",
    "correct",
    "genau",
    "klar",
    "stimmt",
    "echt",
    "krass",
    "schön",
    "nice",
    "cool",
    "great",
    "good",
    "fine",
    "sweet",
    "neat",
    "awesome",
    "amazing",
    "wonderful",
    "fantastic",
    "brilliant",
    "excellent",
    "perfect",
    "lovely",
    "beautiful",
    "incredible",
    "unbelievable",
    "insane",
    "crazy",
    "wild",
    "funny",
    "hilarious",
    "interesting",
    "fascinating",
    "impressive",
    "impressed",
    "weird",
    "strange",
    "odd",
    "sad",
    "cute",
    "adorable",
    "scary",
    "creepy",
    "awful",
    "terrible",
    "horrible",
    "bad",
    "rough",
    "tough",
    "poor",
    "gross",
    "lol",
    "really",
    "seriously",
    "literally",
    "finally",
    "gotcha",
    "understood",
    "same",
    "ditto",
    "phew",
    "yikes",
    "yay",
    "hooray",
    "bravo",
    "congrats",
    "congratulations",
    "damn",
    "dang",
    "darn",
    "shit",
    "fuck",
    "god",
    "gosh",
    "goodness",
    "gee",
    "jeez",
    "jesus",
    "heavens",
    "boy",
    "man",
    "dude",
    "nuts",
    "wicked",
    "sick",
    "super",
    "toll",
    "wahnsinn",
    "bingo",
    "touché",
    "legend",
    "epic",
    "legendary",
    "iconic",
    "savage",
    "dope",
    "lit",
    "rad",
    "stellar",
    "superb",
    "magnificent",
    "marvelous",
    "marvellous",
    "splendid",
    "outstanding",
    "phenomenal",
    "spectacular",
    "gorgeous",
    "stunning",
    "charming",
    "delightful",
    "surprising",
    "shocking",
    "disgusting",
    "brutal",
    "unfortunate",
    "tragic",
    "heartbreaking",
    "depressing",
    "annoying",
    "frustrating",
    "ridiculous",
    "absurd",
    "bizarre",
    "spooky",
    "ironic",
    "genius",
    "classic",
    "naturally",
    "apparently",
    "probably",
    "possibly",
    "evidently",
    "surely",
    "positively",
    "affirmative",
    "roger",
    "noted",
    "okie",
    "okey",
    "dokey",
    "okidoki",
    "righto",
    "whew",
    "eek",
    "ew",
    "eww",
    "ugh",
    "meh",
    "bah",
    "pff",
    "pfft",
    "tsk",
    "heh",
    "lmao",
    "omg",
    "geez",
    "blimey",
    "crikey",
    "crap",
    "rats",
    "bummer",
    "pity",
    "shame",
    "hmmm",
    "mhmmm",
    "uhm",
    "bless",
    "respect",
    "facts",
    "genial",
    "prima",
    "geil",
    "irre",
    "hammer",
    "sauber",
    "logisch",
    "natürlich",
    "sicher",
];

/// Noises that listeners make.
const MURMURS: [&str; 23] = [
    "mhm", "mm", "mmm", "hm", "mmhmm", "mhmm", "uhhuh", "uhuh", "aha", "ah", "oh", "ooh", "uh", "um", "eh",
    "huh", "wow", "whoa", "woah", "aw", "aww", "ouch", "oof",
];

/// These stand around a reaction and mean nothing without one.
const AROUND: [&str; 43] = [
    "that's", "that", "is", "it's", "it", "this", "so", "very", "pretty", "quite", "too", "how", "my", "a",
    "an", "the", "of", "you're", "he's", "she's", "they're", "was", "and", "for", "just", "point", "one",
    "idea", "guy", "girl", "thing", "things", "job", "news", "story", "stuff", "kid", "dog", "deal", "work",
    "call", "i", "me",
];

/// Reactions of more than one word; longer ones stand first.
const PHRASES: [&[&str]; 98] = [
    &["tell", "me", "about", "it"],
    &["i", "don't", "believe", "it"],
    &["who", "would", "have", "thought"],
    &["what", "do", "you", "know"],
    &["i", "can", "imagine"],
    &["i", "think", "so"],
    &["sounds", "about", "right"],
    &["oh", "my", "word"],
    &["you", "don't", "say"],
    &["i", "feel", "you"],
    &["i", "hear", "you"],
    &["i", "know", "right"],
    &["i", "feel", "that"],
    &["can't", "believe", "it"],
    &["good", "for", "you"],
    &["good", "to", "know"],
    &["say", "no", "more"],
    &["here", "we", "go"],
    &["there", "you", "go"],
    &["there", "we", "go"],
    &["so", "do", "i"],
    &["so", "am", "i"],
    &["me", "as", "well"],
    &["way", "to", "go"],
    &["i", "see"],
    &["i", "know"],
    &["i", "bet"],
    &["i", "guess"],
    &["i", "suppose"],
    &["i", "imagine"],
    &["i", "agree"],
    &["i", "understand"],
    &["i", "like"],
    &["i", "love"],
    &["got", "it"],
    &["get", "it"],
    &["love", "it"],
    &["love", "that"],
    &["like", "it"],
    &["like", "that"],
    &["of", "course"],
    &["for", "sure"],
    &["for", "real"],
    &["no", "way"],
    &["oh", "no"],
    &["no", "kidding"],
    &["no", "doubt"],
    &["no", "wonder"],
    &["makes", "sense"],
    &["make", "sense"],
    &["fair", "enough"],
    &["sounds", "good"],
    &["sounds", "great"],
    &["go", "on"],
    &["go", "ahead"],
    &["keep", "going"],
    &["and", "then"],
    &["you", "bet"],
    &["you're", "right"],
    &["you're", "kidding"],
    &["you're", "joking"],
    &["me", "too"],
    &["me", "neither"],
    &["what", "a"],
    &["thank", "god"],
    &["my", "word"],
    &["can't", "wait"],
    &["thank", "goodness"],
    &["my", "goodness"],
    &["holy", "cow"],
    &["holy", "moly"],
    &["holy", "shit"],
    &["bless", "you"],
    &["bless", "her"],
    &["bless", "him"],
    &["that", "tracks"],
    &["checks", "out"],
    &["not", "bad"],
    &["no", "problem"],
    &["no", "worries"],
    &["oh", "well"],
    &["oh", "dear"],
    &["oh", "man"],
    &["dear", "me"],
    &["good", "grief"],
    &["lucky", "you"],
    &["poor", "thing"],
    &["fair", "point"],
    &["hear", "hear"],
    &["same", "here"],
    &["about", "time"],
    &["on", "point"],
    &["spot", "on"],
    &["well", "said"],
    &["well", "done"],
    &["big", "time"],
    &["ach", "so"],
    &["na", "klar"],
];

/// Whoever says one of these wants something, however short it is.
const CLAIMS: [&str; 81] = [
    "what",
    "what's",
    "why",
    "who",
    "who's",
    "whose",
    "where",
    "when",
    "which",
    "how",
    "was",
    "wer",
    "wie",
    "wo",
    "wann",
    "warum",
    "no",
    "nope",
    "nah",
    "nein",
    "not",
    "nicht",
    "never",
    "don't",
    "doch",
    "wrong",
    "false",
    "but",
    "aber",
    "actually",
    "because",
    "stop",
    "wait",
    "halt",
    "moment",
    "hold",
    "hang",
    "pause",
    "enough",
    "quiet",
    "silence",
    "shush",
    "cancel",
    "skip",
    "next",
    "again",
    "repeat",
    "continue",
    "sorry",
    "pardon",
    "hey",
    "hello",
    "hallo",
    "listen",
    "look",
    "help",
    "louder",
    "quieter",
    "slower",
    "faster",
    "shorter",
    "longer",
    "thanks",
    "bye",
    "goodbye",
    "goodnight",
    "night",
    "morning",
    "can",
    "could",
    "would",
    "will",
    "should",
    "do",
    "does",
    "did",
    "are",
    "let",
    "let's",
    "please",
    "mine",
];

/// Whether somebody who says this over somebody else wants to speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bid {
    /// They listen: "mm-hm", "oh wow".
    Nod,
    /// It may still become a nod: "that's …".
    Open,
    /// A single word on no list. Alone it is a reaction nobody thought of; with more to come it is something else.
    Lone,
    /// They do.
    Clear,
}

/// Judges what was said; `None` as long as there are no words.
#[must_use]
pub fn bid(text: &str) -> Option<Bid> {
    let said = words(text);
    if said.is_empty() {
        return None;
    }
    let left = substance(&said);
    let [one] = left.as_slice() else { return Some(if left.is_empty() { Bid::Nod } else { Bid::Clear }) };
    let is_last = said.last().is_some_and(|last| last == one);
    let begins = is_last && PHRASES.iter().any(|phrase| phrase.first() == Some(one));
    Some(match one {
        // "no" may become "no way", but means no more often.
        one if CLAIMS.contains(one) => Bid::Clear,
        one if begins || AROUND.contains(one) => Bid::Open,
        _ => Bid::Lone,
    })
}

/// Whether everything said is a listener's nod. Nothing said is none.
#[must_use]
pub fn is_backchannel(text: &str) -> bool {
    bid(text) == Some(Bid::Nod)
}

/// Whether nothing but a listener's noises was said, which answer nothing unless something was asked.
#[must_use]
pub fn is_murmur(text: &str) -> bool {
    let said = words(text);
    !said.is_empty() && said.iter().all(|word| is_noise(&plain(word)))
}

/// How many words say more than a nod.
#[must_use]
pub fn substantial(text: &str) -> usize {
    substance(&words(text)).len()
}

/// The words that are no reactions. What only stands around one counts as one word until more is known.
fn substance(said: &[String]) -> Vec<&str> {
    let (mut left, mut reacts) = (Vec::new(), false);
    let mut at = 0;
    while let Some(word) = said.get(at) {
        let phrase = PHRASES.iter().find(|phrase| {
            said.get(at..at + phrase.len())
                .is_some_and(|these| these.iter().zip(**phrase).all(|(one, other)| one == other))
        });
        if let Some(phrase) = phrase {
            reacts = true;
            at += phrase.len();
            continue;
        }
        let plain = plain(word);
        if REACTIONS.contains(&plain.as_str()) || is_noise(&plain) {
            reacts = true;
        } else {
            left.push(word.as_str());
        }
        at += 1;
    }
    if left.iter().all(|word| AROUND.contains(word)) {
        left.truncate(usize::from(!reacts));
    }
    left
}

/// A word without its hyphens and the like.
fn plain(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// A murmur, laughter, or either or a reaction drawn out.
fn is_noise(plain: &str) -> bool {
    MURMURS.contains(&plain) || is_drawn_out(plain) || is_laughter(plain)
}

/// "hmmm", "ohhh", "yesss", "sooo": a noise, or a reaction with its last letter held.
fn is_drawn_out(word: &str) -> bool {
    let Some(last) = word.chars().next_back() else { return false };
    let short = word.trim_end_matches(last);
    let held = word.chars().count() - short.chars().count();
    let is_sound =
        word.chars().all(|c| matches!(c, 'h' | 'm')) || word.chars().all(|c| matches!(c, 'a' | 'o' | 'h'));
    let spoken = format!("{short}{last}");
    is_sound || (held > 2 && REACTIONS.iter().chain(&MURMURS).any(|known| *known == spoken))
}

/// "haha", "hehe", "ha".
fn is_laughter(word: &str) -> bool {
    let syllables = ["ha", "he", "hi", "ho"];
    syllables.iter().any(|syllable| {
        let rest = word.replace(syllable, "");
        word.len() >= 2
            && (rest.is_empty() || (rest == "h" && word.len() > 2))
            && (word != "he" && word != "hi")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nods_are_told_from_words() {
        for nod in [
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
            assert!(is_backchannel(nod), "{nod}");
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
            ("mhm", Some(Bid::Nod)),
            ("quaint", Some(Bid::Lone)),
            ("oh quaint", Some(Bid::Lone)),
            ("that's", Some(Bid::Open)),
            ("makes", Some(Bid::Open)),
            ("what", Some(Bid::Clear)),
            ("how", Some(Bid::Clear)),
            ("uh no", Some(Bid::Clear)),
            ("that's not right", Some(Bid::Clear)),
            ("he did", Some(Bid::Clear)),
        ] {
            assert_eq!(bid(text), expected, "{text}");
        }
    }
}
