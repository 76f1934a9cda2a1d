//! Choosing the words of a rehearsed reply.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::script::{RehearsalExample, RehearsalScript};
use crate::domain::{ChatMessage, HELPLINE_LABEL, LAYER_MARKER, Role, SAFETY_LABEL};
use crate::memory::stated::{Nearness, Statement, correction, kin_phrases, message_sentences, statements};
use crate::text::cues::Cues;
use crate::text::distress::is_distress;
use crate::text::forgetting::asks_to_forget;
use crate::text::keywords::{is_unspaced_letter, terms};
use crate::text::phrases::{
    Folded, FoundPhrase, Languages, Phrases, Piece, asks, is_listed, line_in, listed_phrases, longest,
    phrases, says,
};
use crate::text::question::ends_as_question;
use crate::text::quiet::{QuietAsked, asked_for_quiet};
use crate::text::sentences::typed_sentences;
use crate::text::short::one_line;
use crate::text::synonyms::synonyms_of;

/// The longest quotation of somebody's words, in characters.
const QUOTE_CHARS: usize = 160;

/// So many of somebody's newest messages tell their language.
const TELL_LANGUAGE: usize = 5;

/// The longest line of a prompt that can be a person's name before a colon, in characters.
const NAME_CHARS: usize = 40;

/// So many questions of one message are answered, each by itself.
const MOST_ANSWERS: usize = 3;

/// One thing said in the prompt's conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SaidLine {
    who: Option<String>,
    words: String,
}

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
    let is_program = |message: &&ChatMessage| match message.role {
        Role::System => true,
        Role::User => is_injected(&message.content),
        _ => false,
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

/// The rehearsal's own sentences, in the language of whoever it answers.
#[derive(Debug, Clone, Copy)]
struct OwnWords(Languages);

impl OwnWords {
    /// In the language of the newest message; where that leaves several, in the one of them that what they said before tells,
    /// the latest first.
    fn of(heard: &[SaidLine]) -> Self {
        let Some(last) = heard.last() else { return Self(Languages::default()) };
        let theirs = heard.iter().rev().filter(|said| said.who == last.who).take(TELL_LANGUAGE);
        let each = theirs.map(|said| language_of(&said.words));
        Self(told_languages(each.reduce(Languages::narrowed).unwrap_or_default()))
    }

    /// In the language of the phrase of a section that was said, where one was.
    fn as_in(self, section: &str, said: &str) -> Self {
        let told = said_in(section, said);
        if told.is_empty() { self } else { Self(told.narrowed(self.0)) }
    }

    /// A sentence with what it quotes, or whom it names.
    fn say(self, section: &str, quoted: &str) -> String {
        let own = line_in(section, self.0);
        let sentence = if own.is_empty() { line_in(section, Languages::of("en")) } else { own };
        sentence.replacen('_', quoted, usize::from(!quoted.is_empty()))
    }
}

/// What people said, oldest first. Injected blocks are not speech; nor is what stands without a name behind lines
/// that have one, because a prompt ends in notes.
fn people_said(script: &RehearsalScript, messages: &[ChatMessage]) -> Vec<SaidLine> {
    let mut heard: Vec<SaidLine> = messages
        .iter()
        .filter(|message| message.role == Role::User && !is_injected(&message.content))
        .map(|message| spoken_line(script, message.name.as_deref(), &message.content))
        .filter(|said| !said.words.is_empty())
        .collect();
    if let Some(newest) = heard.iter().rposition(|said| said.who.is_some()) {
        heard.truncate(newest + 1);
    }
    heard
}

/// A block under one of the program's own headings, in tags, a Markdown section, or notes in square brackets from beginning to end.
fn is_injected(content: &str) -> bool {
    let content = content.trim();
    let tags = content.starts_with('<') && !content.starts_with("<@") && !content.starts_with("<:");
    let bracket = content.starts_with('[') && content.ends_with(']');
    let first_group = content.find(']').unwrap_or_default();
    let first_line = content.find('\n').unwrap_or(content.len());
    tags || content.starts_with(LAYER_MARKER)
        || content.starts_with('#')
        || bracket && (first_group + 1 == content.len() || first_line < first_group)
}

/// Splits `[12:40] (answering you: “…”) Ada: words` into name and words, and takes the address to the character off
/// the words.
fn spoken_line(script: &RehearsalScript, name: Option<&str>, content: &str) -> SaidLine {
    let mut words = content.trim();
    loop {
        let time = words.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        let answering = words.strip_prefix("(answering ").and_then(|rest| rest.split_once("”)"));
        let Some((_, rest)) = time.or(answering) else { break };
        words = rest.trim_start();
    }
    let label = words.split_once(':').filter(|(who, after)| {
        !who.is_empty()
            && who.chars().count() <= NAME_CHARS
            && !who.contains(['\n', '.', '?', '!', '/', ','])
            && who.split_whitespace().count() <= 4
            && after.starts_with([' ', '\n'])
            && name.is_none_or(|name| may_be_same(name, who))
    });
    let (who, words) = match label {
        Some((who, after)) => (Some(who.trim()), after),
        None => (name, words),
    };
    SaidLine { who: who.map(str::to_owned), words: unaddressed(script, words).to_owned() }
}

/// A `name` field is the label reduced to ASCII letters and digits.
fn may_be_same(name: &str, label: &str) -> bool {
    let plain =
        |text: &str| text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
    !label.is_ascii() || plain(name) == plain(label)
}

/// `@Mira, hello` is `hello` to Mira.
fn unaddressed<'w>(script: &RehearsalScript, words: &'w str) -> &'w str {
    let words = words.trim();
    let rest = match words.strip_prefix("<@").and_then(|rest| rest.split_once('>')) {
        Some((_, rest)) => rest,
        None => {
            let bare = words.strip_prefix('@').unwrap_or(words);
            match bare.get(..script.name.len()) {
                Some(name) if !name.is_empty() && name.eq_ignore_ascii_case(&script.name) => {
                    let rest = &bare[name.len()..];
                    let is_address = bare.len() < words.len() || rest.starts_with([',', ':', '!']);
                    if is_address { rest } else { words }
                }
                _ => words,
            }
        }
    };
    let rest = rest.trim_start_matches([',', ':', '!', ' ']).trim();
    if rest.is_empty() { words } else { rest }
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
fn asks_to_be_told(said: &str) -> bool {
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
fn said_in_passing(script: &RehearsalScript, said: &str) -> Option<&'static str> {
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

/// The languages it may be said in. In a short sentence a turn of phrase tells more than a word that is an everyday one
/// elsewhere: "sei still".
fn language_of(said: &str) -> Languages {
    let told = ["rehearsal: name", "quiet asked"].map(|section| said_in(section, said));
    let told = told.into_iter().find(|languages| !languages.is_empty());
    told.unwrap_or_else(|| Folded::of(said).languages().narrowed(said_in("greeting", said)))
}

/// The languages that have the longest phrase of a section in what was said. A single word counts in a text of its language.
fn said_in(section: &str, said: &str) -> Languages {
    let (cues, own) = (Cues::of(said), Folded::of(said).languages());
    let listed = listed_phrases(section).map(|(of, phrase)| (of, Cues::of(phrase)));
    let found: Vec<(Languages, Cues)> = listed
        .filter(|(of, phrase)| cues.has(phrase.text()) && (phrase.words() > 1 || own.overlaps(*of)))
        .collect();
    let longest = found.iter().map(|(_, phrase)| phrase.text()).max_by_key(|phrase| phrase.len());
    let same = found.iter().filter(|(_, phrase)| Some(phrase.text()) == longest);
    same.fold(Languages::default(), |all, (of, _)| all.with(*of))
}

/// The name a person gave in the conversation, in whichever language, else the one the platform gave.
fn given_name(last: &SaidLine, earlier: &[SaidLine]) -> Option<String> {
    let own = earlier.iter().rev().filter(|said| said.who == last.who);
    let told = own.flat_map(|said| message_sentences(&said.words));
    let mut names = told.flat_map(|sentence| statements(&sentence)).filter_map(|one| one.name);
    names.next().or_else(|| last.who.clone())
}

/// A quotation that answers a question: the line of the conversation, or of what was put into the prompt, that
/// shares most telling words with it. The newest wins a tie. Of what others said, or of notes, one word of several is too
/// little; a line about a sister is no answer about a brother. Its own words, which are mostly an echo of somebody's, come
/// last; whoever asks for nothing in particular gets what they told it last.
fn recall(
    script: &RehearsalScript,
    own_words: OwnWords,
    last: &SaidLine,
    earlier: &[SaidLine],
    messages: &[ChatMessage],
) -> Option<String> {
    let about = about(&last.words);
    let is_general = about.is_empty() && RECALLING.are_in(&Folded::of(&last.words));
    let asked_of = kin_in(&last.words);
    let is_of_own_birthday = |text: &str| Cues::of(text).any(phrases("own birthday"));
    let asks_of_own_birthday = is_of_own_birthday(&last.words);
    // A letter or two of a script without spaces stand in many words.
    let least = if last.words.contains(is_unspaced_letter) { 2 } else { 1 };
    // Of "猫の名前は何" too little is left to find anything by, so "名前" counts beside it.
    let wanted = if least > 1 || about.is_empty() { telling(&last.words) } else { about.clone() };
    let enough = least.max(wanted.len().min(2));
    let score = |text: &str| {
        let (told_of, words) = (kin_in(text), telling(text));
        let is_of_another = !told_of.is_empty()
            && asked_of.is_disjoint(&told_of)
            && (!asked_of.is_empty() || asks_of_own_birthday && !is_of_own_birthday(text));
        let is_beside_it = !about.is_empty() && alike(&about, &words) == 0;
        if is_of_another || is_beside_it { 0 } else { alike(&wanted, &words) }
    };
    let spoken = earlier
        .iter()
        .enumerate()
        .filter(|(_, said)| !asks(&said.words))
        .map(|(at, said)| (score(&said.words), at))
        .filter(|(score, at)| *score >= if earlier[*at].who == last.who { least } else { enough })
        .fold(None, better)
        .map(|(score, at)| (score, attributed(own_words, as_it_is_now(&earlier[at..], &wanted), last)));
    let noted: Vec<NotedLine<'_>> = messages
        .iter()
        .filter(|message| message.role == Role::User && is_injected(&message.content))
        .flat_map(|message| noted_lines(script, &message.content))
        .collect();
    let injected = |is_own: bool| {
        noted
            .iter()
            .filter(|line| line.is_own == is_own)
            .map(|line| (score(line.words), line.words))
            .filter(|(score, _)| *score >= enough)
            .map(|(score, words)| (score, own_words.say("rehearsal: noted", &quote(words))))
            .fold(None, better)
    };
    let told = match (spoken, injected(false)) {
        (Some((near, line)), Some((far, _))) if near >= far => Some(line),
        (_, Some((_, line))) | (Some((_, line)), None) => Some(line),
        (None, None) => None,
    };
    told.or_else(|| match is_general {
        true => newest_told(script, last, earlier).map(|said| attributed(own_words, said, last)),
        false => injected(true).map(|(_, line)| line),
    })
}

/// The better of two lines, the later where they are as good.
fn better<T>(found: Option<(usize, T)>, (score, line): (usize, T)) -> Option<(usize, T)> {
    Some(found.filter(|(top, _)| *top > score).unwrap_or((score, line)))
}

/// Where somebody said last what the first of these lines says of what is asked: "I moved to Porto" or "no, it's Braga" behind
/// "I live in Lisbon".
fn as_it_is_now<'s>(said: &'s [SaidLine], wanted: &BTreeSet<String>) -> &'s SaidLine {
    let first = &said[0];
    let who = first.who.as_deref().unwrap_or("who");
    let stated = |line: &SaidLine| -> Vec<Statement> {
        let all = message_sentences(&line.words);
        // Names are asked for otherwise.
        all.iter().flat_map(statements).filter(|one| one.name.is_none()).collect()
    };
    let all = stated(first);
    let is_wanted = |one: &&Statement| alike(wanted, &telling(&one.words(who))) > 0;
    let only = all.first().filter(|_| all.len() == 1);
    let asked = all.iter().find(is_wanted).or(only);
    let Some((slot, mut fact)) = asked.and_then(|one| Some((one.slot.clone()?, one.words(who)))) else {
        return first;
    };
    // A correction means what was stated last.
    let (mut newest, mut is_meant) = (first, true);
    for line in said[1..].iter().filter(|line| line.who == first.who) {
        let restated = stated(line);
        let same = restated.iter().find(|one| one.slot.as_ref() == Some(&slot)).map(|one| one.words(who));
        let set_right = message_sentences(&line.words).iter().find_map(correction);
        let corrected = set_right.filter(|_| is_meant && restated.is_empty());
        match same.or_else(|| corrected?.applied(&fact, Nearness::Near)) {
            Some(now) => (newest, fact, is_meant) = (line, now, true),
            None => is_meant &= restated.is_empty(),
        }
    }
    newest
}

/// What whoever asks told it last.
fn newest_told<'s>(
    script: &RehearsalScript,
    last: &SaidLine,
    earlier: &'s [SaidLine],
) -> Option<&'s SaidLine> {
    let tells =
        |words: &str| !asks(words) && said_in_passing(script, words).is_none() && !asks_to_be_told(words);
    earlier.iter().rev().find(|said| said.who == last.who && tells(&said.words))
}

/// A line of what was put into the prompt.
#[derive(Debug)]
struct NotedLine<'m> {
    /// It said so itself.
    is_own: bool,
    /// Without marks of a list or a quotation, and without whose words they are where they are its own.
    words: &'m str,
}

/// The lines of a block. Of several lines of a quotation the first says whose they are.
fn noted_lines<'m>(script: &RehearsalScript, block: &'m str) -> Vec<NotedLine<'m>> {
    let mut is_own = false;
    let mut lines = Vec::new();
    for line in block.lines() {
        let words = unmarked(line);
        // "you, quay, 3 May 2026: words"
        let labelled =
            words.split_once(": ").and_then(|(label, rest)| Some((label.split(',').next()?, rest)));
        is_own = match labelled {
            Some((who, _)) => who == "you" || who == script.name,
            None => is_own && line.starts_with("> "),
        };
        let words = labelled.filter(|_| is_own).map_or(words, |(_, rest)| rest);
        lines.push(NotedLine { is_own, words });
    }
    lines
}

/// A line of a note without marks of a list or a quotation.
fn unmarked(line: &str) -> &str {
    let mut words = line.trim();
    while let Some(rest) = ["- ", "* ", "> "].iter().find_map(|mark| words.strip_prefix(mark)) {
        words = rest.trim_start();
    }
    words
}

/// What only makes a question one about what is remembered.
static RECALLING: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(&["recall"]));

/// What a question is about, without such words.
fn about(question: &str) -> BTreeSet<String> {
    let folded = Folded::of(question);
    let rest = RECALLING.pieces(&folded).into_iter().filter_map(|piece| match piece {
        Piece::Rest(rest) => Some(rest),
        Piece::Phrase(_) => None,
    });
    telling(&rest.collect::<Vec<_>>().join(" "))
}

fn attributed(own_words: OwnWords, said: &SaidLine, listener: &SaidLine) -> String {
    let words = quote(&said.words);
    match &said.who {
        Some(who) if Some(who) != listener.who.as_ref() => format!("{who}: “{words}”"),
        _ => own_words.say("rehearsal: told", &words),
    }
}

/// A greeting, else a plain line.
fn opening(script: &RehearsalScript, person: Option<&str>) -> String {
    match script.greetings.first() {
        Some(greeting) => fill_macros(greeting, script, person),
        None => match person {
            Some(person) => format!("Hello, {person}. I am {}.", script.name),
            None => format!("Hello. I am {}.", script.name),
        },
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

/// Of the languages that something may be in, those that it is told by. Ideographs without a single kana among them are Chinese.
fn told_languages(likely: Languages) -> Languages {
    let chinese = Languages::of("zh");
    if likely.overlaps(chinese) { chinese } else { likely }
}

/// Who or what of somebody's a line is about, a sister in every language by the same word. Only words of the language that it
/// is told to be in count, and the longest: a grandmother is no mother.
fn kin_in(text: &str) -> BTreeSet<&'static str> {
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

/// The telling words of a line, as the search looks for them.
fn telling(text: &str) -> BTreeSet<String> {
    terms(text).into_iter().filter(|word| !is_listed("common", word)).collect()
}

/// How many telling words two lines share.
fn overlap(left: &BTreeSet<String>, right: &BTreeSet<String>) -> usize {
    left.intersection(right).count()
}

/// How many telling words of a question stand in a line, or others for them: "favourite" for "favorite". One that only stands for
/// another tells nothing: "my name is Ana" is no answer to what a cat is called.
fn alike(wanted: &BTreeSet<String>, line: &BTreeSet<String>) -> usize {
    let is_there = |word: &&String| {
        line.contains(*word) || synonyms_of(word).iter().any(|(other, _)| line.contains(other))
    };
    let found = wanted.iter().filter(is_there).count();
    if found > 1 || overlap(wanted, line) > 0 { found } else { 0 }
}

/// A line shortened for quoting: whitespace folded, cut at a word.
fn quote(text: &str) -> String {
    let folded = one_line(text);
    if folded.chars().count() <= QUOTE_CHARS {
        return folded;
    }
    let cut: String = folded.chars().take(QUOTE_CHARS).collect();
    let whole = cut.rsplit_once(' ').map_or(cut.as_str(), |(head, _)| head);
    format!("{whole}…")
}
