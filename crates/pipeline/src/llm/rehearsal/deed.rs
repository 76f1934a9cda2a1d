//! Whether something is to be done that only a model with tools does: "remind me in an hour", "roll 2d6". Whoever asks for it
//! tells nothing of themselves. Start at [`asks_for_a_deed`].

use std::sync::LazyLock;

use crate::memory::stated::{message_sentences, statements};
use crate::text::dice::read_dice;
use crate::text::names::is_unspaced;
use crate::text::phrases::{Folded, FoundPhrase, Phrases, asks};

/// The sections of what is looked for, in the order of the constants below.
static DEEDS: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::of(&[
        "task",
        "imperative",
        "deed asked",
        "request ends",
        "polite",
        "leading",
        "roll",
        "roll in short",
    ])
});

const IMPERATIVE: usize = 1;
const ASKED: usize = 2;
const REQUEST_END: usize = 3;
const POLITE: usize = 4;
const LEADING: usize = 5;
const ROLLS: [usize; 2] = [6, 7];

/// Whether somebody states something of themselves, as memory reads it.
pub(super) fn states(said: &str) -> bool {
    message_sentences(said).iter().any(|sentence| !statements(sentence).is_empty())
}

/// Whether it is to do something, and nothing is stated. What is asked for stands at the beginning. A single word does so in what
/// people tell, too ("google fired me"), so it counts only in a question, behind "please", or where it is followed by what it is
/// to be done with. Where no spaces part words it may stand behind when and what, and something that asks ends the message; of
/// two letters a word of any talk is made: "天気がいい".
pub(super) fn asks_for_a_deed(said: &str) -> bool {
    let text = Folded::of(said);
    let found = DEEDS.find(&text);
    let begins = text.behind_leads(&found, text.start_of(0), |section| matches!(section, POLITE | LEADING));
    let is_polite = found.iter().any(|one| one.section == POLITE && one.bytes.start < begins);
    let is_question = asks(said);
    let is_last = |one: &FoundPhrase| text.behind(one).trim().is_empty();
    let ends_in_request = found.iter().any(|one| one.section == REQUEST_END && is_last(one));
    let is_long = |one: &FoundPhrase| text.text_of(one).chars().filter(|c| !c.is_whitespace()).count() > 2;
    let is_asked = |one: &FoundPhrase| match one.section {
        ASKED => true,
        IMPERATIVE => is_polite,
        _ if text.is_unspaced() => is_question || ends_in_request || is_last(one),
        _ => is_question || is_polite || one.len > 1,
    };
    let stands_so =
        |one: &FoundPhrase| if text.is_unspaced() { is_long(one) } else { one.bytes.start == begins };
    let mut deeds = found.iter().filter(|one| one.section <= ASKED);
    let is_deed = deeds
        .any(|one| stands_so(one) && is_asked(one) || is_done_with_a_quotation(said, &text, one, begins));
    (is_deed || asks_for_dice(said, &text, &found, begins)) && !states(said)
}

/// Whether a deed is to be done with words in quotation marks: they follow it ("search “hello”"), or begin what its verb
/// ends, or have one letter before them where no spaces part words ("把“你好”翻译成法语").
fn is_done_with_a_quotation(said: &str, text: &Folded, deed: &FoundPhrase, begins: usize) -> bool {
    let Some(opens) = opening_quotation_mark(said) else { return false };
    let before = &said[..opens];
    let words = Folded::of(before).words();
    match (before.trim().chars().count(), text.is_unspaced()) {
        (0, _) => text.behind(deed).trim().is_empty(),
        (1, true) => deed.bytes.start > text.start_of(words),
        _ => deed.bytes.start == begins && words == deed.at + deed.len,
    }
}

/// Where the first quotation begins, in bytes. An apostrophe begins none behind a letter.
fn opening_quotation_mark(said: &str) -> Option<usize> {
    let mut before = ' ';
    said.char_indices().find_map(|(at, letter)| {
        let opens = matches!(letter, '"' | '“' | '„' | '«' | '「' | '『')
            || matches!(letter, '\'' | '‘') && !before.is_alphanumeric();
        before = letter;
        opens.then_some(at)
    })
}

/// Whether dice are to be thrown: "roll 2d6", "2d6 at", "2d6お願い". Behind dice a word may ask that is an everyday one in another
/// language.
fn asks_for_dice(said: &str, text: &Folded, found: &[FoundPhrase], begins: usize) -> bool {
    let mut figures = said.split(|letter: char| !letter.is_alphanumeric() || is_unspaced(letter));
    if !figures.any(|figures| read_dice(figures).is_some()) {
        return false;
    }
    if found.iter().any(|one| ROLLS.contains(&one.section) && one.bytes.start == begins) {
        return true;
    }
    let begins_with_dice = text.each_word().next().is_some_and(|word| read_dice(word).is_some());
    let asks_behind = |one: &FoundPhrase| {
        (ROLLS.contains(&one.section) || [POLITE, REQUEST_END].contains(&one.section))
            && text.behind(one).trim().is_empty()
    };
    let is_dice_alone = || text.words() == 1 && !text.is_unspaced();
    let is_asked = || DEEDS.find(&text.clone().of_any_language()).iter().any(asks_behind);
    begins_with_dice && (is_dice_alone() || is_asked())
}
