//! Choosing what a reply answers: what is asked of it, and whose words it is answered in. Start at [`reply`].

use std::sync::LazyLock;

use super::deed::{asks_for_a_deed, states};
use super::heard::{SaidLine, is_injected, people_said};
use super::own_words::{OwnWords, said_in};
use super::recall::{given_name, quote, recall};
use super::script::{RehearsalExample, RehearsalScript};
use super::topic::{asks_to_be_told, overlap, said_in_passing, telling};
use crate::domain::{ChatMessage, HELPLINE_LABEL, Role, SAFETY_LABEL, WINDOW_FORMAT};
use crate::text::cues::Cues;
use crate::text::distress::is_distress;
use crate::text::forgetting::asks_to_forget;
use crate::text::keywords::is_unspaced_letter;
use crate::text::phrases::{Folded, Phrases, asks, phrases, says};
use crate::text::punctuation::ends_as_question;
use crate::text::quiet::{QuietAsked, asked_for_quiet};
use crate::text::sentences::typed_sentences;

/// So many questions of one message are answered, each by itself.
const MOST_ANSWERS: usize = 3;

/// The reply to a prompt.
pub(super) fn reply(script: &RehearsalScript, messages: &[ChatMessage]) -> String {
    let heard = people_said(script, messages);
    let Some((last, earlier)) = heard.split_last() else { return opening(script, None) };
    let own_words = OwnWords::of(&heard);
    if let Some(care) = care(script, own_words, last, messages) {
        return care;
    }
    let sentences = typed_sentences(&last.words).into_iter();
    let questions: Vec<&str> = sentences.filter(|sentence| ends_as_question(sentence)).collect();
    if questions.len() < 2 {
        return answer(script, own_words, last, earlier, messages);
    }
    let mut answers: Vec<String> = Vec::new();
    for question in questions.into_iter().take(MOST_ANSWERS) {
        let asked = SaidLine { who: last.who.clone(), words: question.trim().to_owned() };
        let one = answer(script, own_words, &asked, earlier, messages);
        if !answers.contains(&one) {
            answers.push(one);
        }
    }
    answers.join("\n")
}

/// What somebody is told who wants to die, with the helpline that the prompt holds. What they say after that is met with it,
/// too, as long as the prompt tells of it, unless they ask, state or want something: that they are not safe is said in any
/// words. Their own words count though `[safety] distress` is off: that is about how a model answers, and nobody should be told
/// that this will be kept.
fn care(
    script: &RehearsalScript,
    own_words: OwnWords,
    last: &SaidLine,
    messages: &[ChatMessage],
) -> Option<String> {
    let label = format!("{SAFETY_LABEL}:\n");
    let part = by_program(messages).find_map(|message| Some(message.content.split_once(&label)?.1));
    let is_met = || part.is_some() && !wants_or_tells(script, &last.words);
    if !is_distress(&last.words) && !is_met() {
        return None;
    }
    let heard = own_words.as_in("distress", &last.words).say("rehearsal: distress", "");
    let helpline = part.and_then(|part| part.split_once(HELPLINE_LABEL)?.1.lines().next()).map(str::trim);
    Some(match helpline {
        Some(line) => format!("{heard}\n{line}"),
        None => heard,
    })
}

/// What the program itself wrote into a prompt.
fn by_program(messages: &[ChatMessage]) -> impl Iterator<Item = &ChatMessage> {
    messages.iter().filter(|message| {
        message.role == Role::System || message.role == Role::User && is_injected(&message.content)
    })
}

/// Whether something particular is asked, stated or wanted. A "no" or "bye" is none of it, nor is "what should I do?".
fn wants_or_tells(script: &RehearsalScript, said: &str) -> bool {
    asks(said) && !telling(said).is_empty()
        || quiet_asked(script, said).is_some()
        || asks_to_forget(said, std::slice::from_ref(&script.name))
        || states(said)
}

/// The answer to what was said last, or to one question of it.
fn answer(
    script: &RehearsalScript,
    own_words: OwnWords,
    last: &SaidLine,
    earlier: &[SaidLine],
    messages: &[ChatMessage],
) -> String {
    if asks_what_this_is(&last.words) {
        return format!("{}: {}", script.name, own_words.say("rehearsal: confession", ""));
    }
    let person = last.who.as_deref();
    match quiet_asked(script, &last.words) {
        Some(QuietAsked::Quiet(_)) => {
            let likely = own_words.0.narrowed(said_in("quiet", &last.words));
            return OwnWords(likely).say("rehearsal: quiet", "");
        }
        Some(QuietAsked::Over) => {
            let said = ["quiet over in short", "quiet over if called", "quiet over"];
            return own_words.as_in_any(&said, &last.words).say("rehearsal: heard", "");
        }
        None => {}
    }
    if asks_to_forget(&last.words, std::slice::from_ref(&script.name)) {
        let asked = ["forget asked alone", "forget asked anywhere", "forget asked"];
        let is_window = by_program(messages).any(|message| message.content.contains(WINDOW_FORMAT));
        let how = if is_window { "rehearsal: forget in the window" } else { "rehearsal: forget" };
        return own_words.as_in_any(&asked, &last.words).say(how, "");
    }
    if asks_for_its_name(&last.words) {
        return OwnWords(said_in("name asked", &last.words)).say("rehearsal: name", &script.name);
    }
    if asks_for_own_name(&last.words) {
        return match given_name(last, earlier) {
            Some(name) => own_words.say("rehearsal: your name", &name),
            None => own_words.say("rehearsal: does not know", ""),
        };
    }
    if asks_for_last_words(&last.words)
        && let Some(before) = earlier.iter().rev().find(|said| said.who == last.who)
    {
        return format!("You said: “{}”", quote(&before.words));
    }
    let is_question = asks(&last.words);
    if is_question && let Some(recalled) = recall(script, own_words, last, earlier, messages) {
        return recalled;
    }
    if asks_for_a_deed(&last.words) {
        let asked = ["task", "imperative", "deed asked", "roll", "roll in short"];
        return own_words.as_in_any(&asked, &last.words).say("rehearsal: needs a model", "");
    }
    let own: Vec<&str> =
        messages.iter().filter(|m| m.role == Role::Assistant).map(|m| m.content.as_str()).collect();
    if let Some(section) = said_in_passing(script, &last.words) {
        return if own.is_empty() {
            opening(script, person)
        } else {
            own_words.as_in("acknowledgement", &last.words).say(section, person.unwrap_or("you"))
        };
    }
    let states = states(&last.words);
    let wants_something = is_question || asks_to_be_told(&last.words);
    // What somebody states of themselves is kept, whatever words an example shares with it.
    let near = if states && !wants_something { None } else { example(script, last, wants_something, &own) };
    if let Some(line) = near {
        return line;
    }
    if wants_something && telling(&last.words).is_empty() {
        // "How are you?" asks for nothing that it could have been told.
        return own_words.say("rehearsal: hello", person.unwrap_or("you"));
    }
    if wants_something {
        return own_words.say("rehearsal: does not know", "");
    }
    if own.is_empty() {
        opening(script, person)
    } else {
        own_words.say("rehearsal: listens", &quote(&last.words))
    }
}

fn asks_what_this_is(asked: &str) -> bool {
    let cues = Cues::of(asked);
    let what =
        ["rehearsal", "rehearsing", "language model", "are you real", "are you human", "are you alive"];
    cues.any(&what) || cues.any(&["are you an ai", "are you a bot", "which model"]) || says("model", &cues)
}

/// What is asked of how much it says. Who is answered though they do not call it by its name might as well have.
fn quiet_asked(script: &RehearsalScript, said: &str) -> Option<QuietAsked> {
    let names = std::slice::from_ref(&script.name);
    // A word by itself may be an answer, or of another language.
    let is_said = said.ends_with(['!', '！'])
        || said.split_whitespace().nth(1).is_some()
        || said.contains(is_unspaced_letter);
    asked_for_quiet(said, names)
        .or_else(|| is_said.then(|| asked_for_quiet(&format!("{}, {said}", script.name), names)).flatten())
}

fn asks_for_own_name(said: &str) -> bool {
    Cues::of(said).any(phrases("own_name")) && asks(said)
}

fn asks_for_last_words(said: &str) -> bool {
    let last = ["what did i say", "what did i just", "what i said", "what i just", "repeat what i"];
    Cues::of(said).any(&last)
}

/// Whether it is asked for its name and nothing else. What asks to recall is about somebody else's.
fn asks_for_its_name(said: &str) -> bool {
    static NAME: LazyLock<Phrases> =
        LazyLock::new(|| Phrases::of(&["name asked", "greeting", "leading", "recall"]));
    NAME.make_up(&Folded::of(said), 1, &[])
}

/// A greeting, else a plain line.
fn opening(script: &RehearsalScript, person: Option<&str>) -> String {
    match (script.greetings.first(), person) {
        (Some(greeting), _) => fill_macros(greeting, script, person),
        (None, Some(person)) => format!("Hello, {person}. I am {}.", script.name),
        (None, None) => format!("Hello. I am {}.", script.name),
    }
}

/// The example line whose cue or words are nearest to what was said, and that was not said already. What answers a question is
/// no answer to somebody who only tells something.
fn example(script: &RehearsalScript, last: &SaidLine, wants_something: bool, own: &[&str]) -> Option<String> {
    let wanted = telling(&last.words);
    // One word of a whole sentence makes no answer to it.
    let enough = wanted.len().div_ceil(3).max(1);
    let mut best: Option<(usize, String)> = None;
    let is_answer = |example: &RehearsalExample| example.cue.as_deref().is_some_and(asks);
    for example in script.examples.iter().filter(|example| wants_something || !is_answer(example)) {
        let line = fill_macros(&example.line, script, last.who.as_deref());
        let cue = example.cue.as_deref().map(telling).unwrap_or_default();
        let (asked, said) = (overlap(&wanted, &cue), overlap(&wanted, &telling(&line)));
        let score = 2 * asked + said;
        let said_before = own.iter().any(|said| said.contains(line.as_str()));
        let fits = asked >= enough || said >= enough.max(2);
        if fits && !said_before && best.as_ref().is_none_or(|(top, _)| score > *top) {
            best = Some((score, line));
        }
    }
    best.map(|(_, line)| line)
}

/// Fills in the two macros a card's lines may hold, in any case.
fn fill_macros(line: &str, script: &RehearsalScript, person: Option<&str>) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("{{") {
        text.push_str(&rest[..at]);
        let Some(end) = rest[at..].find("}}").map(|end| at + end + 2) else {
            text.push_str(&rest[at..]);
            return text;
        };
        let macro_name = rest[at + 2..end - 2].trim();
        if macro_name.eq_ignore_ascii_case("user") {
            text.push_str(person.unwrap_or("you"));
        } else if macro_name.eq_ignore_ascii_case("char") {
            text.push_str(&script.name);
        } else {
            text.push_str(&rest[at..end]);
        }
        rest = &rest[end..];
    }
    text.push_str(rest);
    text
}
