//! What one line says: its telling words, who or what of somebody's it names, whether it only greets or wants to be told
//! something. Start at [`telling`].

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::own_words::told_languages;
use super::script::RehearsalScript;
use crate::memory::stated::kin_phrases;
use crate::text::cues::Cues;
use crate::text::keywords::terms;
use crate::text::phrases::{Folded, Phrases, is_listed, longest, phrases};
use crate::text::synonyms::synonyms_of;

/// The telling words of a line, as the search looks for them.
pub(super) fn telling(text: &str) -> BTreeSet<String> {
    terms(text).into_iter().filter(|word| !is_listed("common", word)).collect()
}

/// How many telling words two lines share.
pub(super) fn overlap(left: &BTreeSet<String>, right: &BTreeSet<String>) -> usize {
    left.intersection(right).count()
}

/// How many telling words of a question stand in a line, or others for them: "favourite" for "favorite". One that only stands for
/// another tells nothing: "my name is Ana" is no answer to what a cat is called.
pub(super) fn alike(wanted: &BTreeSet<String>, line: &BTreeSet<String>) -> usize {
    let is_there = |word: &&String| {
        line.contains(*word) || synonyms_of(word).iter().any(|(other, _)| line.contains(other))
    };
    let found = wanted.iter().filter(is_there).count();
    if found > 1 || overlap(wanted, line) > 0 { found } else { 0 }
}

/// Who or what of somebody's a line is about, a sister in every language by the same word. Only words of the language that it
/// is told to be in count, and the longest: a grandmother is no mother.
pub(super) fn kin_in(text: &str) -> BTreeSet<&'static str> {
    static KIN: LazyLock<Vec<&str>> = LazyLock::new(|| kin_phrases().map(|(_, one, _)| one).collect());
    static PHRASES: LazyLock<Phrases> = LazyLock::new(|| {
        Phrases::grouped(kin_phrases().enumerate().map(|(at, (language, _, word))| (at, language, word)))
    });
    let text = Folded::of(text);
    let told = told_languages(text.languages());
    let mut found = PHRASES.find(&text);
    found.retain(|one| told.is_empty() || one.language.overlaps(told));
    let found: Vec<_> = found.into_iter().map(|one| (one.bytes, KIN[one.section])).collect();
    longest(&found).collect()
}

/// Whether it is to tell something: "tell me a story", "何か話して".
pub(super) fn asks_to_be_told(said: &str) -> bool {
    let cues = Cues::of(said);
    phrases("tell").iter().any(|phrase| cues.begins(phrase) || cues.text().ends_with(phrase.as_str()))
}

/// The section of what somebody is told who says yes or thanks, takes leave or greets, maybe asks how it is, and says nothing
/// else.
pub(super) fn said_in_passing(script: &RehearsalScript, said: &str) -> Option<&'static str> {
    static HEARD: LazyLock<Phrases> =
        LazyLock::new(|| Phrases::of(&["acknowledgement", "leading", "polite"]));
    static GOODBYE: LazyLock<Phrases> =
        LazyLock::new(|| Phrases::of(&["goodbye", "leading", "filler", "acknowledgement"]));
    static TAKES_LEAVE: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(&["goodbye alone", "goodbye"]));
    static GREETING: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(&["greeting", "leading", "filler"]));
    // "Thanks, Mira" says no more than "thanks"; but "no, Braga" and "bye bus" tell something.
    let (name, said) = (Folded::of(&script.name), Folded::of(said));
    let called: Vec<&str> = name.each_word().collect();
    if HEARD.make_up(&said, 0, &called) {
        return Some("rehearsal: heard");
    }
    if TAKES_LEAVE.are_in(&said) {
        let is_all = GOODBYE.make_up(&said, 0, &called) || TAKES_LEAVE.make_up(&said, 0, &called);
        return is_all.then_some("rehearsal: goodbye");
    }
    // "Hello there", "Hallo Pell".
    GREETING.make_up(&said, 1, &called).then_some("rehearsal: hello")
}
