//! Words that may stand for one another: irregular forms, everyday synonyms, kinds and their members. English; words of
//! other languages have no synonyms, which leaves them as they are. Start at [`synonyms_of`].

use std::collections::HashMap;
use std::sync::LazyLock;

use super::keywords::index_word;

/// How much a word counts in place of another form of itself, of a synonym, and of the kind it belongs to: 0 to 1.
/// Measured on three long conversations; a third less or more of them changes little.
const FORM: f32 = 0.9;
const ALIKE: f32 = 0.6;
const MEMBER: f32 = 0.45;

/// The stem of a word and how much it counts.
pub type Synonym = (String, f32);

static FAMILIES: LazyLock<HashMap<String, Vec<Synonym>>> =
    LazyLock::new(|| read_synonyms(include_str!("synonyms.txt")));

/// The stems that may stand for a stem, with how much each of them counts, in the order of the list.
pub fn synonyms_of(stem: &str) -> &'static [Synonym] {
    FAMILIES.get(stem).map_or(&[], Vec::as_slice)
}

fn read_synonyms(list: &str) -> HashMap<String, Vec<Synonym>> {
    let mut families: HashMap<String, Vec<Synonym>> = HashMap::new();
    let mut note = |of: &str, other: &str, share: f32| {
        if of == other {
            return;
        }
        let known = families.entry(of.to_owned()).or_default();
        match known.iter_mut().find(|(stem, _)| stem == other) {
            Some((_, known)) => *known = known.max(share),
            None => known.push((other.to_owned(), share)),
        }
    };
    for line in list.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        let sign = words.next();
        let stems: Vec<String> = words.map(index_word).collect();
        let share = match sign {
            Some("~") => FORM,
            Some("=") => ALIKE,
            _ => MEMBER,
        };
        // Of a kind and its members only the first is asked for by the others.
        let askers = if share == MEMBER { 1 } else { stems.len() };
        for of in stems.iter().take(askers) {
            stems.iter().for_each(|other| note(of, other, share));
        }
    }
    families
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(of: &str, other: &str) -> Option<f32> {
        let other = index_word(other);
        super::synonyms_of(&index_word(of)).iter().find(|(stem, _)| *stem == other).map(|(_, share)| *share)
    }

    #[test]
    fn words_of_one_family_stand_for_one_another_and_members_for_their_kind() {
        assert_eq!(share("bought", "buy"), Some(FORM));
        assert_eq!(share("doctor", "physician"), Some(ALIKE));
        assert_eq!(share("physicians", "doctors"), Some(ALIKE), "whatever their endings");
        assert_eq!((share("pet", "hamster"), share("hamster", "pet")), (Some(MEMBER), None));
        assert_eq!(share("ferry", "ferries"), None, "that is one stem already");
    }

    #[test]
    fn every_line_is_a_family() {
        for line in include_str!("synonyms.txt").lines().filter(|line| !line.starts_with('#')) {
            let words: Vec<&str> = line.split(' ').collect();
            assert!(["~", "=", ">"].contains(&words[0]) && words.len() > 2, "{line}");
            assert!(
                words[1..].iter().all(|word| word.bytes().all(|byte| byte.is_ascii_lowercase())),
                "{line}"
            );
        }
    }
}
