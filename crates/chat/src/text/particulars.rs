//! What a summary must not lose: names, dates, times, numbers with their units (Y9).
//!
//! Found by their shape alone, without a dictionary of any language beyond months and weekdays. Finding too much costs
//! a few tokens, finding too little costs a memory, so the rules lean to the former. Start reading at [`particulars`].

use std::collections::{HashMap, HashSet};

use super::calendar::{DatePart, day_number, has_date_sign, is_month, is_weekday};
use super::clock_time::clock_times;
use super::phrases::is_listed;
use super::punctuation::has_question_mark;

/// What sort of thing it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ParticularKind {
    /// A person, a place, a thing with a name.
    Name,
    /// A day, a month, a weekday.
    Date,
    /// A time of day.
    Time,
    /// A number, with its unit where it has one.
    Number,
}

/// Something a summary must not lose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Particular {
    /// As it was written first.
    pub text: String,
    pub kind: ParticularKind,
    pub count: u32,
    /// How much would be lost with it; larger is more. What somebody said about themselves weighs most.
    pub weight: u32,
}

/// Longest name, in words; a shouted sentence is no name.
const NAME_WORDS: usize = 4;

/// The particulars of some texts (messages, or lines of a summary), each once, the weightiest first. `known` are names
/// that count as such wherever they stand, e.g. those of the speakers.
pub fn particulars<'a>(texts: impl IntoIterator<Item = &'a str>, known: &[String]) -> Vec<Particular> {
    let mut found: Vec<Particular> = Vec::new();
    let mut index: HashMap<String, usize> = HashMap::new();
    let known: HashSet<String> = known.iter().map(|name| name.to_lowercase()).collect();
    for text in texts {
        for sentence in rough_sentences(text) {
            let words = words_of_sentence(sentence);
            let telling =
                2 * u32::try_from(words.iter().filter(|word| tells_of_oneself(word)).count().min(3))
                    .unwrap_or(0);
            for (kind, text) in of_sentence(&words, &known) {
                let key = folded(&text);
                if let Some(&at) = index.get(&key) {
                    let one: &mut Particular = &mut found[at];
                    one.count += 1;
                    one.weight = one.weight.max(base(kind) + telling);
                } else {
                    index.insert(key, found.len());
                    found.push(Particular { text, kind, count: 1, weight: base(kind) + telling });
                }
            }
        }
    }
    // Stable: of two that weigh the same, the one that came first stands first.
    found.sort_by_key(|one| std::cmp::Reverse(one.weight * 4 + one.count.min(8)));
    found
}

/// Those of `wanted` that `text` no longer says, in their order.
pub fn lost<'a>(text: &str, wanted: &'a [Particular]) -> Vec<&'a Particular> {
    let text = format!(" {} ", folded(text));
    wanted.iter().filter(|one| !mentions_folded(&text, one)).collect()
}

/// How much a line of a conversation is worth keeping: what is told in it, and how it is told.
pub fn line_worth(line: &str, known: &[String]) -> u32 {
    let items = particulars([line], known);
    let telling = words_of_sentence(line).iter().filter(|word| tells_of_oneself(word)).count().min(4);
    let asked = u32::from(has_question_mark(line));
    items.iter().take(6).map(|one| one.weight).sum::<u32>() + 2 * u32::try_from(telling).unwrap_or(0) + asked
}

fn base(kind: ParticularKind) -> u32 {
    match kind {
        ParticularKind::Name | ParticularKind::Date => 3,
        ParticularKind::Time | ParticularKind::Number => 2,
    }
}

fn mentions_folded(text: &str, particular: &Particular) -> bool {
    let key = folded(&particular.text);
    // Scripts without spaces have no word ends to ask for.
    let spaced = key.chars().all(|c| c.is_ascii() || c.is_lowercase() || c == ' ');
    if spaced { text.contains(&format!(" {key} ")) } else { text.contains(&key) }
}

/// Lower case, with everything but letters, digits and what holds numbers together as one space.
fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let characters: Vec<char> = text.chars().flat_map(char::to_lowercase).collect();
    for (at, &character) in characters.iter().enumerate() {
        let inside = |step: fn(usize) -> Option<usize>| {
            step(at).and_then(|at| characters.get(at)).is_some_and(char::is_ascii_digit)
        };
        let joins = matches!(character, ':' | '.' | ',' | '/' | '-')
            && inside(|at| at.checked_sub(1))
            && inside(|at| at.checked_add(1));
        if character.is_alphanumeric() || joins || is_currency(character) || character == '%' {
            folded.push(character);
        } else if !folded.ends_with(' ') && !folded.is_empty() {
            folded.push(' ');
        }
    }
    folded.truncate(folded.trim_end().len());
    folded
}

fn rough_sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut last = 0;
    let mut bounds: Vec<&str> = Vec::new();
    for start in super::sentences::starts(text).chain([text.len()]) {
        bounds.push(&text[last..start]);
        last = start;
    }
    bounds.into_iter().flat_map(str::lines).filter(|line| !line.trim().is_empty())
}

/// A word as written, without what stands around it.
#[derive(Debug, Clone, Copy)]
struct WrittenWord<'a> {
    text: &'a str,
    /// Something ends between it and the word before: a name does not go on.
    breaks: bool,
    /// It begins a sentence, or what somebody says in one: a capital tells nothing.
    begins: bool,
}

fn words_of_sentence(sentence: &str) -> Vec<WrittenWord<'_>> {
    let mut words = Vec::new();
    let mut breaks = false;
    let mut begins = true;
    for raw in sentence.split_whitespace() {
        let start = raw.trim_start_matches(|c: char| !c.is_alphanumeric() && !is_currency(c));
        let text = start.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '%' && !is_currency(c));
        if text.is_empty() {
            breaks = true;
            continue;
        }
        let opens = start.len() < raw.len();
        words.push(WrittenWord { text, breaks: breaks || opens, begins: begins || opens });
        breaks = text.len() < start.len();
        begins = start.ends_with([':', '“', '"', '(']);
    }
    words
}

fn tells_of_oneself(word: &WrittenWord<'_>) -> bool {
    is_listed("telling of oneself", &word.text.replace('’', "'"))
}

fn of_sentence(words: &[WrittenWord<'_>], known: &HashSet<String>) -> Vec<(ParticularKind, String)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let (kind, length) = date(words, at)
            .map(|length| (ParticularKind::Date, length))
            .or_else(|| clock_time_length(words, at).map(|length| (ParticularKind::Time, length)))
            .or_else(|| number_at(words, at).map(|length| (ParticularKind::Number, length)))
            .or_else(|| name_at(words, at, known).map(|length| (ParticularKind::Name, length)))
            .unwrap_or((ParticularKind::Name, 0));
        if length == 0 {
            at += 1;
            continue;
        }
        let text: Vec<&str> = words[at..at + length].iter().map(|word| word.text).collect();
        let text = text.join(" ");
        found.push((kind, without_possessive(text)));
        at += length;
    }
    found
}

fn without_possessive(mut text: String) -> String {
    for ending in ["'s", "’s"] {
        if let Some(stem) = text.strip_suffix(ending) {
            let length = stem.len();
            text.truncate(length);
        }
    }
    text
}

/// `14 June 2026`, `June 14th`, `2026-06-14`, `14.6.`, `Friday`, `3月14日`: how many words.
fn date(words: &[WrittenWord<'_>], at: usize) -> Option<usize> {
    let is_month = |at: usize| words.get(at).is_some_and(|word| is_month(&word.text.to_lowercase()));
    let is_day = |at: usize| words.get(at).is_some_and(|word| day_number(word.text).is_some());
    let is_year = |at: usize| {
        words
            .get(at)
            .is_some_and(|word| word.text.len() == 4 && word.text.bytes().all(|b| b.is_ascii_digit()))
    };
    let of = |at: usize| usize::from(words.get(at).is_some_and(|word| matches!(word.text, "of" | "de")));
    if is_day(at) {
        let month = at + 1 + of(at + 1);
        if is_month(month) {
            return Some(month + 1 + usize::from(is_year(month + 1)) - at);
        }
    }
    let word = words.get(at)?.text;
    if is_month(at) {
        if is_day(at + 1) {
            return Some(2 + usize::from(is_year(at + 2)));
        }
        // "may" and "mai" alone are too often something else.
        return (word.chars().count() > 3).then(|| 1 + usize::from(is_year(at + 1)));
    }
    if is_weekday(&word.to_lowercase()) || numeric_date(word) {
        return Some(1);
    }
    (has_date_sign(word, DatePart::Month) && has_date_sign(word, DatePart::Day)).then_some(1)
}

fn numeric_date(word: &str) -> bool {
    ['-', '.', '/'].into_iter().any(|between| {
        let parts: Vec<&str> = word.split(between).collect();
        let numbers = parts
            .iter()
            .all(|part| !part.is_empty() && part.len() <= 4 && part.bytes().all(|b| b.is_ascii_digit()));
        numbers && parts.len() == 3
    })
}

/// `19:30`, `7 pm`, `19.30 Uhr`: how many words.
fn clock_time_length(words: &[WrittenWord<'_>], at: usize) -> Option<usize> {
    let word = words.get(at)?.text;
    word.contains(|c: char| c.is_ascii_digit()).then_some(())?;
    let next = words.get(at + 1).filter(|next| !next.breaks).map_or("", |next| next.text);
    let both = format!("{word} {next}");
    let first = clock_times(&both).into_iter().find(|one| one.is_sure && one.bytes.start == 0)?;
    [word.len(), both.len()].iter().position(|end| *end == first.bytes.end).map(|more| more + 1)
}

/// `3 kg`, `£40`, `12 chairs`, `80%`.
fn number_at(words: &[WrittenWord<'_>], at: usize) -> Option<usize> {
    let word = words.get(at)?.text;
    if !word.chars().any(|c| c.is_ascii_digit()) {
        return None;
    }
    let plain = word.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '\'' | '-'));
    let unit = words.get(at + 1).filter(|next| {
        plain && !next.breaks && next.text.chars().all(char::is_alphabetic) && next.text.chars().count() <= 14
    });
    Some(1 + usize::from(unit.is_some()))
}

/// Words with capitals that do not merely begin the sentence, and names that are known.
fn name_at(words: &[WrittenWord<'_>], at: usize, known: &HashSet<String>) -> Option<usize> {
    let is_known = |word: &WrittenWord<'_>| known.contains(&without_possessive(word.text.to_lowercase()));
    let first = words.get(at)?;
    let starts = is_known(first) || (!first.begins && is_capital(first.text));
    if !starts {
        // The first word of a sentence may be a name when a second one follows: "Noor Haddad called".
        let second = words.get(at + 1).filter(|next| !next.breaks && is_capital(next.text));
        let starter = is_listed("sentence starters", first.text);
        if !first.begins || starter || !is_capital(first.text) || second.is_none() {
            return None;
        }
    }
    let more = (at + 1..words.len())
        .take_while(|&next| {
            !words[next].breaks && is_capital(words[next].text) && date(words, next).is_none()
        })
        .count();
    (more < NAME_WORDS).then_some(1 + more)
}

fn is_capital(word: &str) -> bool {
    let mut characters = word.chars();
    let first = characters.next().is_some_and(char::is_uppercase);
    // "I'll" and "I’d" are no names either.
    let whole = word.split(['\'', '’']).next().unwrap_or_default();
    first && whole.chars().count() > 1 && !is_listed("capitals", whole)
}

fn is_currency(character: char) -> bool {
    matches!(character, '$' | '€' | '£' | '¥' | '₹')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(of: &str) -> Vec<String> {
        particulars([of], &["Alice".to_owned()]).into_iter().map(|one| one.text).collect()
    }

    #[test]
    fn y9_names_dates_times_and_numbers_are_found_by_their_shape() {
        for (said, wanted) in [
            ("My sister Noor gets married on 14 June in Ghent.", vec!["Noor", "14 June", "Ghent"]),
            ("We meet Friday at 19:30, bring 3 kg of rice.", vec!["Friday", "19:30", "3 kg"]),
            ("the rent is £640 since 2026-02-01", vec!["2026-02-01", "£640"]),
            ("alice's train leaves at 7 pm", vec!["alice", "7 pm"]),
            ("On June 3rd, 2026 it was 40% full", vec!["June 3rd 2026", "40%"]),
            ("Noor Haddad called", vec!["Noor Haddad"]),
            ("Well, that is fine.", vec![]),
            ("I think I'm ok", vec![]),
            ("may I ask", vec![]),
            ("Alice: My dog said “Never” to Ben", vec!["Alice", "Ben"]),
            ("Wir treffen uns am Montag um 18 Uhr", vec!["Montag", "18 Uhr"]),
            ("on se voit vendredi à 18h30", vec!["vendredi", "18h30"]),
            ("우리는 3월14일에 만나요", vec!["3월14일에"]),
            ("다음 주에 월급일이 있어요", vec![]),
        ] {
            let mut found = texts(said);
            let mut wanted: Vec<String> = wanted.into_iter().map(str::to_owned).collect();
            found.sort();
            wanted.sort();
            assert_eq!(found, wanted, "{said}");
        }
    }

    #[test]
    fn y9_what_somebody_says_of_themselves_weighs_more_than_talk() {
        let said = ["They saw Rotterdam on Tuesday.", "My daughter Ines is allergic to nuts."];
        let found = particulars(said, &[]);
        assert_eq!(found[0].text, "Ines");
        assert!(line_worth(said[1], &[]) > line_worth("nice weather, isn't it", &[]));
    }

    #[test]
    fn y9_a_summary_is_asked_for_each_of_them() {
        let wanted = particulars(["Noor pays 3 kg on Friday at 19:30 with Noorin"], &["Noor".to_owned()]);
        let gone: Vec<&str> =
            lost("noor's 3 kg, Friday; (19:30)", &wanted).iter().map(|one| one.text.as_str()).collect();
        assert_eq!(gone, ["Noorin"], "a name inside another word is not that name");
    }

    proptest! {
        #[test]
        fn y9_a_text_has_lost_nothing_of_itself(text in "([A-Z]?[a-zé]{1,8}|[0-9]{1,3}( kg|:30)?|14 June|Friday|[.,!?]|日本| |\n){0,60}") {
            let all = particulars([text.as_str()], &[]);
            let gone = lost(&text, &all);
            prop_assert!(gone.is_empty(), "{:?} not in {:?}", gone, text);
        }

        #[test]
        fn any_text_is_read_without_harm(text in "\\PC{0,200}") {
            let all = particulars([text.as_str()], &[]);
            prop_assert!(all.len() <= text.len());
            let _ = line_worth(&text, &[]);
        }
    }
}
