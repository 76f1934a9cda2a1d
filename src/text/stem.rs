//! Porter's stemmer, byte for byte as SQLite's full-text index applies it, so that what is counted here is what the
//! index counts. An English rule set that leaves other languages' words nearly alone: each word is folded the same way
//! wherever it stands, which is all that matching needs. Start at [`stem`].

/// Longest word the index stems, in bytes.
const MAX_BYTES: usize = 64;

/// The stem of one folded (lower-case, no diacritics) word.
#[must_use]
pub fn stem(word: &str) -> String {
    if !(3..=MAX_BYTES).contains(&word.len()) {
        return word.to_owned();
    }
    let mut stem = Stem(word.as_bytes().to_vec());
    stem.plural();
    stem.past_and_progressive();
    if stem.ends_with(b"y") && has_vowel(stem.without(1)) {
        stem.replace(1, b"i");
    }
    stem.first_rule(STEP_2, |rest| measure(rest) > 0);
    stem.first_rule(STEP_3, |rest| measure(rest) > 0);
    stem.step_4();
    stem.final_e_and_l();
    // Only ASCII endings are ever taken off or put on, so this is still UTF-8.
    String::from_utf8(stem.0).unwrap_or_else(|_| word.to_owned())
}

type Rule = (&'static [u8], &'static [u8]);

const STEP_2: &[Rule] = &[
    (b"ational", b"ate"),
    (b"tional", b"tion"),
    (b"enci", b"ence"),
    (b"anci", b"ance"),
    (b"izer", b"ize"),
    (b"logi", b"log"),
    (b"bli", b"ble"),
    (b"alli", b"al"),
    (b"entli", b"ent"),
    (b"eli", b"e"),
    (b"ousli", b"ous"),
    (b"ization", b"ize"),
    (b"ation", b"ate"),
    (b"ator", b"ate"),
    (b"alism", b"al"),
    (b"iveness", b"ive"),
    (b"fulness", b"ful"),
    (b"ousness", b"ous"),
    (b"aliti", b"al"),
    (b"iviti", b"ive"),
    (b"biliti", b"ble"),
];

const STEP_3: &[Rule] = &[
    (b"icate", b"ic"),
    (b"ative", b""),
    (b"alize", b"al"),
    (b"iciti", b"ic"),
    (b"ical", b"ic"),
    (b"ful", b""),
    (b"ness", b""),
];

const STEP_4: &[&[u8]] = &[
    b"al", b"ance", b"ence", b"er", b"ic", b"able", b"ible", b"ant", b"ement", b"ment", b"ent", b"ion",
    b"ou", b"ism", b"ate", b"iti", b"ous", b"ive", b"ize",
];

struct Stem(Vec<u8>);

impl Stem {
    fn ends_with(&self, ending: &[u8]) -> bool {
        // Something has to be left in front of an ending.
        self.0.len() > ending.len() && self.0.ends_with(ending)
    }

    fn without(&self, bytes: usize) -> &[u8] {
        &self.0[..self.0.len() - bytes]
    }

    fn replace(&mut self, bytes: usize, with: &[u8]) {
        let keep = self.0.len() - bytes;
        self.0.truncate(keep);
        self.0.extend_from_slice(with);
    }

    fn plural(&mut self) {
        if !self.ends_with(b"s") {
            return;
        }
        if self.ends_with(b"sses") || self.ends_with(b"ies") {
            self.replace(2, b"");
        } else if !self.ends_with(b"ss") {
            self.replace(1, b"");
        }
    }

    fn past_and_progressive(&mut self) {
        if self.ends_with(b"eed") {
            if measure(self.without(3)) > 0 {
                self.replace(1, b"");
            }
            return;
        }
        let Some(ending) =
            [2, 3].into_iter().zip([b"ed".as_slice(), b"ing"]).find(|(_, ending)| self.ends_with(ending))
        else {
            return;
        };
        if !has_vowel(self.without(ending.0)) {
            return;
        }
        self.replace(ending.0, b"");
        if self.ends_with(b"at") || self.ends_with(b"bl") || self.ends_with(b"iz") {
            self.replace(0, b"e");
        } else if let [.., before, last] = self.0.as_slice()
            && before == last
            && !is_vowel(*last, false)
            && !matches!(last, b'l' | b's' | b'z')
        {
            self.replace(1, b"");
        } else if measure(&self.0) == 1 && ends_short(&self.0) {
            self.replace(0, b"e");
        }
    }

    fn first_rule(&mut self, rules: &[Rule], applies: impl Fn(&[u8]) -> bool) {
        // Of two endings that both fit, the longer is the word's.
        let fitting = rules.iter().filter(|(ending, _)| self.ends_with(ending));
        if let Some((ending, with)) = fitting.max_by_key(|(ending, _)| ending.len())
            && applies(self.without(ending.len()))
        {
            self.replace(ending.len(), with);
        }
    }

    fn step_4(&mut self) {
        let fitting = STEP_4.iter().filter(|ending| self.ends_with(ending));
        let Some(ending) = fitting.max_by_key(|ending| ending.len()) else { return };
        let rest = self.without(ending.len());
        let is_fit = *ending != b"ion" || matches!(rest.last(), Some(b's' | b't'));
        if is_fit && measure(rest) > 1 {
            self.replace(ending.len(), b"");
        }
    }

    fn final_e_and_l(&mut self) {
        if self.ends_with(b"e") {
            let rest = self.without(1);
            let syllables = measure(rest);
            if syllables > 1 || (syllables == 1 && !ends_short(rest)) {
                self.replace(1, b"");
            }
        }
        if self.ends_with(b"ll") && measure(self.without(1)) > 1 {
            self.replace(1, b"");
        }
    }
}

/// `y` is a vowel behind a consonant.
fn is_vowel(byte: u8, after_consonant: bool) -> bool {
    matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u') || (byte == b'y' && after_consonant)
}

fn vowels(word: &[u8]) -> impl Iterator<Item = bool> + '_ {
    let mut was_consonant = false;
    word.iter().map(move |byte| {
        let vowel = is_vowel(*byte, was_consonant);
        was_consonant = !vowel;
        vowel
    })
}

fn has_vowel(word: &[u8]) -> bool {
    vowels(word).any(|vowel| vowel)
}

/// How many times a consonant follows a vowel.
fn measure(word: &[u8]) -> usize {
    let mut before = false;
    vowels(word).filter(|&vowel| std::mem::replace(&mut before, vowel) && !vowel).count()
}

/// Consonant, vowel, consonant, the last none of w, x, y.
fn ends_short(word: &[u8]) -> bool {
    let sounds: Vec<bool> = vowels(word).collect();
    matches!(sounds.as_slice(), [.., false, true, false]) && !matches!(word.last(), Some(b'w' | b'x' | b'y'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_family_share_a_stem() {
        for (family, stem_of_all) in [
            (["paint", "painted", "painting", "paints"].as_slice(), "paint"),
            (&["hope", "hoped", "hoping", "hopes"], "hope"),
            (&["relational", "relate", "relating"], "relat"),
            (&["ponies", "poni"], "poni"),
            (&["conditional", "condition"], "condit"),
            (&["adoption", "adopt", "adopting"], "adopt"),
            (&["controlling", "control"], "control"),
        ] {
            for word in family {
                assert_eq!(stem(word), stem_of_all, "{word}");
            }
        }
    }

    #[test]
    fn short_and_foreign_words_stay() {
        for word in ["as", "is", "東京", "нож", "größe", "sky", "bed"] {
            let stemmed = stem(word);
            assert!(word.starts_with(stemmed.trim_end_matches('i')), "{word} {stemmed}");
        }
        assert_eq!(stem("as"), "as");
        assert_eq!(stem(&"a".repeat(65)), "a".repeat(65));
    }
}
