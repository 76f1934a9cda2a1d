//! Choosing what a reply answers: what is asked of it, and whose words it is answered in. Start at [`reply`].

use std::sync::LazyLock;

use super::card_lines::{example, opening};
use super::heard::{SaidLine, is_injected, people_said};
use super::own_words::{OwnWords, said_in};
use super::recall::{given_name, quote, recall};
use super::script::RehearsalScript;
use super::topic::telling;
use crate::domain::{ChatMessage, HELPLINE_LABEL, Role, SAFETY_LABEL};
use crate::memory::stated::{message_sentences, statements};
use crate::text::cues::Cues;
use crate::text::distress::is_distress;
use crate::text::forgetting::asks_to_forget;
use crate::text::keywords::is_unspaced_letter;
use crate::text::phrases::{Folded, FoundPhrase, Languages, Phrases, asks, phrases, says};
use crate::text::question::ends_as_question;
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
    let is_program = |message: &&ChatMessage| {
        message.role == Role::System || message.role == Role::User && is_injected(&message.content)
    };
    let label = format!("{SAFETY_LABEL}:\n");
    let mut told = messages.iter().filter(is_program);
    let part = told.find_map(|message| Some(message.content.split_once(&label)?.1));
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
        Some(QuietAsked::Over) => return own_words.say("rehearsal: hello", person.unwrap_or("you")),
        None => {}
    }
    if asks_to_forget(&last.words, std::slice::from_ref(&script.name)) {
        let own_words = own_words.as_in("forget asked alone", &last.words).as_in("forget asked", &last.words);
        return own_words.say("rehearsal: forget", "");
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
    if !states && asks_for_a_deed(&last.words) {
        return own_words.as_in("task", &last.words).say("rehearsal: needs a model", "");
    }
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

/// Whether somebody states something of themselves, as memory reads it.
fn states(said: &str) -> bool {
    message_sentences(said).iter().any(|sentence| !statements(sentence).is_empty())
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

/// Whether it is to tell something: "tell me a story", "何か話して".
pub(super) fn asks_to_be_told(said: &str) -> bool {
    let cues = Cues::of(said);
    phrases("tell").iter().any(|phrase| cues.begins(phrase) || cues.text().ends_with(phrase.as_str()))
}

/// Whether it is to do something that only a model with tools does: "remind me in an hour", "roll a die". What is asked for
/// stands at the beginning. A single word does so in what people tell, too, so it counts only in a question or behind "please":
/// "google fired me". Where no spaces part words it may stand behind when and what, and something that asks ends the message;
/// of two letters a word of any talk is made: "天気がいい".
fn asks_for_a_deed(said: &str) -> bool {
    static DEEDS: LazyLock<Phrases> = LazyLock::new(|| {
        Phrases::of(&["task", "imperative", "deed asked", "request ends", "polite", "leading"])
    });
    let text = Folded::of(said);
    let found = DEEDS.find(&text);
    let begins = text.behind_leads(&found, text.start_of(0), &[4, 5]);
    let is_polite = found.iter().any(|one| one.section == 4 && one.bytes.start < begins);
    let is_question = asks(said);
    let is_last = |one: &FoundPhrase| text.behind(one).trim().is_empty();
    let ends_in_request = found.iter().any(|one| one.section == 3 && is_last(one));
    let is_long = |one: &FoundPhrase| text.text_of(one).chars().filter(|c| !c.is_whitespace()).count() > 2;
    let is_asked = |one: &FoundPhrase| match one.section {
        2 => true,
        1 => is_polite,
        _ if text.is_unspaced() => is_question || ends_in_request || is_last(one),
        _ => is_question || is_polite || one.len > 1,
    };
    let stands_so =
        |one: &FoundPhrase| if text.is_unspaced() { is_long(one) } else { one.bytes.start == begins };
    found.iter().any(|one| one.section < 3 && stands_so(one) && is_asked(one))
}

/// The section of what somebody is told who says yes or thanks, takes leave or greets, maybe asks how it is, and says nothing
/// else.
pub(super) fn said_in_passing(script: &RehearsalScript, said: &str) -> Option<&'static str> {
    static HEARD: LazyLock<Phrases> =
        LazyLock::new(|| Phrases::of(&["acknowledgement", "leading", "polite"]));
    static GOODBYE: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(&["goodbye", "leading", "filler"]));
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

/// Whether it is asked for its name and nothing else. What asks to recall is about somebody else's.
fn asks_for_its_name(said: &str) -> bool {
    static NAME: LazyLock<Phrases> =
        LazyLock::new(|| Phrases::of(&["name asked", "greeting", "leading", "recall"]));
    NAME.make_up(&Folded::of(said), 1, &[])
}
