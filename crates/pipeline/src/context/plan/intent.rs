//! What a message asks for, told from its words alone: no model, no clock, no chance (A1).
//!
//! Owns the judgement. Must not know what it will cost. Start reading at [`classify`].

use std::sync::LazyLock;
use std::time::Duration;

use super::signals::{Cue, MessageWords, PhraseHit, find_hits, names_in};
use crate::domain::{Category, ChannelMode, Effort, Intent, Modality};
use crate::text::dice::read_dice;
use crate::text::keywords::fold;
use crate::text::names::names_whole_word;
use crate::text::phrases::{Phrases, asks};
use crate::text::short::counted;

/// A greeting with more words than this has something else to say.
const GREETING_WORDS_MAX: usize = 10;

/// An acknowledgement with more words than this is a remark.
const ACKNOWLEDGEMENT_WORDS_MAX: usize = 4;

/// From this share of acted words on, a message is a line of play.
const ACTED_SHARE: f32 = 0.35;

/// Longer messages take more to answer.
const LONG_WORDS: usize = 60;
/// And these still more.
const VERY_LONG_WORDS: usize = 160;

/// An answer to something older than this needs to find out what it was about.
const OLD_REPLY: Duration = Duration::from_secs(3600);

/// From this many people in one batch on, there are several to answer.
const SEVERAL_PEOPLE: usize = 3;

/// A message as a session heard it.
#[derive(Debug, Clone, Copy)]
pub struct Heard<'a> {
    /// Its words, files described in lines of their own.
    pub text: &'a str,
    /// What the familiar is called.
    pub names: &'a [String],
    /// What those who spoke here lately are called.
    pub speakers: &'a [String],
    /// People whose messages are answered together.
    pub authors: usize,
    /// Whether it was meant for the familiar.
    pub called: HeardBy,
    /// How old the message is that it answers, where it answers one.
    pub reply_age: Option<Duration>,
    /// How the channel is talked in.
    pub mode: ChannelMode,
    pub modality: Modality,
}

impl<'a> Heard<'a> {
    /// One message in writing that answers no other, where neither the familiar nor anybody else has a name.
    pub fn said(text: &'a str, called: HeardBy, mode: ChannelMode) -> Self {
        let modality = Modality::Text;
        Self { text, names: &[], speakers: &[], authors: 1, called, reply_age: None, mode, modality }
    }
}

/// How it came to be heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeardBy {
    /// The familiar was spoken to, by whatever rule.
    Addressed,
    /// It was said in its hearing.
    Overheard,
}

/// Judges one message. Deterministic, and the signs say why.
pub fn classify(heard: &Heard<'_>) -> Intent {
    let words = MessageWords::of(heard.text);
    let hits = find_hits(&words);
    let mut judge = Judge { heard, words: &words, hits: &hits, signs: Vec::new() };
    let is_named = heard.names.iter().any(|name| names_whole_word(heard.text, name));
    if is_named {
        judge.sign("its name is said");
    }
    let category = judge.category();
    let effort = judge.effort(category);
    let asks = judge.asks();
    let addressed_to_me = heard.called == HeardBy::Addressed || is_named;
    Intent { effort, category, asks, addressed_to_me, signs: judge.signs }
}

struct Judge<'a> {
    heard: &'a Heard<'a>,
    words: &'a MessageWords,
    hits: &'a [PhraseHit],
    signs: Vec<String>,
}

impl Judge<'_> {
    fn sign(&mut self, sign: impl Into<String>) {
        self.signs.push(sign.into());
    }

    fn has(&self, cue: Cue) -> bool {
        self.hits.iter().any(|hit| hit.cue == cue)
    }

    fn words_of(&self, cue: Cue) -> Option<String> {
        let hit = self.hits.iter().filter(|hit| hit.cue == cue).max_by_key(|hit| hit.len)?;
        Some(self.words.written[hit.at..hit.at + hit.len].join(" "))
    }

    /// Whether it asks something: by its mark, or by its words. Where nobody can tell, it may.
    fn asks(&self) -> bool {
        self.words.questions > 0
            || self.hits.iter().any(|hit| hit.cue == Cue::Question && self.words.opens[hit.at])
            || asks(self.heard.text)
            || self.is_unknown()
    }

    /// Whether it is in a language that there are no phrases of, so that nothing of what it asks can be told by them. An
    /// acted passage is one in any.
    fn is_unknown(&self) -> bool {
        let known: usize = self.hits.iter().map(|hit| hit.len).sum();
        self.words.acted < ACTED_SHARE && known * 4 <= self.words.count && self.words.comparable.is_unknown()
    }

    fn category(&mut self) -> Category {
        if self.words.folded.is_empty() {
            self.sign(if self.words.attachments > 0 { "nothing but a file" } else { "no words" });
            return Category::SmallTalk;
        }
        if self.is_all_of(&[Cue::Greeting, Cue::Filler], Cue::Greeting, GREETING_WORDS_MAX) {
            self.sign("a greeting");
            return Category::Greeting;
        }
        if self.opens_as_greeting() {
            self.sign("begins with a greeting and asks nothing");
            return Category::Greeting;
        }
        if self.is_all_of(
            &[Cue::Acknowledgement, Cue::Filler],
            Cue::Acknowledgement,
            ACKNOWLEDGEMENT_WORDS_MAX,
        ) {
            self.sign("thanks, laughter, yes or no");
            return Category::SmallTalk;
        }
        self.asked_for().unwrap_or_else(|| {
            let (sign, category) = if self.is_scene() {
                ("a line of play", Category::Roleplay)
            } else if self.is_unknown() {
                ("in a language without phrases: it may ask for anything", Category::Recall)
            } else if self.asks() {
                ("a question", Category::SmallTalk)
            } else {
                ("a remark", Category::SmallTalk)
            };
            self.sign(sign);
            category
        })
    }

    /// The categories that words ask for, the ones that need most first.
    fn asked_for(&mut self) -> Option<Category> {
        let in_scene = self.is_scene() && !self.asks();
        let by_words = |judge: &mut Self, cue, what: &str, category| {
            let words = judge.words_of(cue)?;
            judge.sign(format!("{what}: “{words}”"));
            Some(category)
        };
        // Inside a scene people tell stories and make plans that nobody is asked to look up.
        if !in_scene {
            let found = by_words(self, Cue::Retrospective, "a look back or a plan", Category::Retrospective)
                .or_else(|| self.by_make_up())
                .or_else(|| by_words(self, Cue::Deep, "asks for everything", Category::Deep));
            if found.is_some() {
                return found;
            }
        }
        // "Remind me to …" is a job, "remind me what …" a question.
        let reminds_of = self.has(Cue::Recall) && !self.is_command();
        if self.several() {
            return Some(Category::Several);
        }
        if reminds_of && (!in_scene || self.asks()) {
            return by_words(self, Cue::Recall, "asks what is remembered", Category::Recall);
        }
        let is_order = !in_scene && (self.is_command() || self.is_order());
        if self.asks() && self.has(Cue::Past) && !is_order {
            return by_words(self, Cue::Past, "asks about a time before", Category::Recall);
        }
        if !in_scene && (self.has(Cue::Task) || is_order || self.is_reckoning()) {
            let task = by_words(self, Cue::Task, "something to be done", Category::Task);
            if task.is_none() {
                self.sign(if is_order { "an order" } else { "something to be worked out" });
            }
            return Some(Category::Task);
        }
        if self.asks_what_was() {
            self.sign("asks about what is theirs, or was");
            return Some(Category::Recall);
        }
        None
    }

    /// Words that mean little alone and much together: "write" and "tale", "highlights" and "year", "everything" and
    /// "tell".
    fn by_make_up(&mut self) -> Option<Category> {
        let both = |one, other| self.has(one) && self.has(other);
        let (sign, category) = if both(Cue::Make, Cue::Work) {
            ("something to be thought up", Category::Retrospective)
        } else if both(Cue::Review, Cue::Span) && (self.asks() || self.words.count <= 25) {
            ("a look back over a long time", Category::Retrospective)
        } else if both(Cue::All, Cue::Tell) || self.has(Cue::Informed) {
            ("asks for all that is known", Category::Deep)
        } else {
            return None;
        };
        self.sign(sign);
        Some(category)
    }

    /// "oh hey, didn't see you there": a greeting at the beginning, a pause or a name, few words more.
    fn opens_as_greeting(&self) -> bool {
        const WORDS_MAX: usize = 8;
        let folded = &self.words.folded;
        let greets = self.hits.iter().filter(|hit| hit.cue == Cue::Greeting && hit.at <= 1).any(|hit| {
            let last = hit.at + hit.len - 1;
            let before_is_short = hit.at == 0 || folded[0].len() <= 3;
            let is_apart = self.words.pauses[last]
                || last + 1 == folded.len()
                || self.hits.iter().any(|next| next.cue == Cue::Filler && next.at == last + 1);
            before_is_short && is_apart
        });
        let asks_more = self.hits.iter().any(|hit| {
            matches!(
                hit.cue,
                Cue::Recall | Cue::Task | Cue::Deep | Cue::Retrospective | Cue::Past | Cue::Imperative
            )
        });
        let asks = self.asks() && !self.is_well_being();
        greets && folded.len() <= WORDS_MAX && !asks_more && !asks
    }

    /// Whether all that is asked is how one is.
    fn is_well_being(&self) -> bool {
        self.words.questions <= 1 && self.hits.iter().any(|hit| hit.cue == Cue::Filler && hit.len >= 2)
    }

    /// A question about what was, or about what is theirs: "did Theo ever apologise?", "how is my sister's name
    /// spelled?"; not one for advice: "what should I wear?".
    fn asks_what_was(&self) -> bool {
        if !self.asks() || self.has(Cue::Advice) {
            return false;
        }
        let is_own = self.has(Cue::Own);
        let is_about_somebody =
            is_own || !names_in(self.words, self.heard.speakers, self.heard.names).is_empty();
        (self.has(Cue::PastVerb) && is_about_somebody)
            || (self.has(Cue::Anew) && (is_own || self.has(Cue::PastVerb)))
            || self.asks_for_own()
    }

    /// "Which bus is mine?": a question word at the beginning and what is theirs in the same sentence. "What about my
    /// shoes?" asks for an opinion.
    fn asks_for_own(&self) -> bool {
        static OPINIONS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(&["opinion"]));
        let opinions = OPINIONS.find(&self.words.comparable);
        let is_opinion = |at: usize| opinions.iter().any(|one| one.at == at);
        let questions =
            self.hits.iter().filter(|hit| hit.cue == Cue::Question && hit.len == 1 && hit.at <= 2);
        questions.filter(|hit| !is_opinion(hit.at)).any(|question| {
            let own = self.hits.iter().filter(|hit| hit.cue == Cue::Own);
            own.filter(|own| own.at > question.at)
                .any(|own| !self.words.opens[question.at + 1..=own.at].contains(&true))
        })
    }

    /// An order: its verb begins the sentence, or follows a name, a "please" or "can you".
    fn is_order(&self) -> bool {
        self.hits.iter().filter(|hit| hit.cue == Cue::Imperative).any(|hit| {
            let follows_pause = hit.at > 0 && self.words.pauses[hit.at - 1];
            let polite = self.hits.iter().filter(|one| one.cue == Cue::Polite);
            self.words.opens[hit.at]
                || (follows_pause && hit.at <= 2)
                || polite.into_iter().any(|one| one.at + one.len == hit.at)
        }) || self.has(Cue::Reckoning)
    }

    /// A task's words at the beginning, or behind a request.
    fn is_command(&self) -> bool {
        let longest = |cue| {
            let of_cue = self.hits.iter().filter(|hit| hit.cue == cue);
            of_cue.map(|hit| (hit.len, hit.at)).max_by_key(|&(len, at)| (len, std::cmp::Reverse(at)))
        };
        match (longest(Cue::Task), longest(Cue::Recall)) {
            (Some((_, at)), None) => at <= 4,
            (Some((task, at)), Some((recall, _))) => task > recall && at <= 4,
            (None, _) => false,
        }
    }

    fn several(&mut self) -> bool {
        let is_request = self.asks() || self.has(Cue::Recall) || self.has(Cue::Several);
        if self.heard.authors >= SEVERAL_PEOPLE {
            self.sign(format!("{} people to answer", self.heard.authors));
            return true;
        }
        let names = names_in(self.words, self.heard.speakers, self.heard.names);
        if names.len() >= if is_request { 2 } else { 3 } {
            self.sign(format!("about {}", names.join(", ")));
            return true;
        }
        if self.words.questions >= 3 {
            self.sign(format!("{} questions", self.words.questions));
            return true;
        }
        if self.asks() && self.has(Cue::Several) {
            let words = self.words_of(Cue::Several).unwrap_or_default();
            self.sign(format!("about several at once: “{words}”"));
            return true;
        }
        false
    }

    fn is_scene(&self) -> bool {
        if self.words.aside {
            return false;
        }
        self.words.acted >= ACTED_SHARE || self.heard.mode == ChannelMode::FullRp
    }

    /// Dice and sums: `2d6`, `17 * 3`, `17 times 23`.
    fn is_reckoning(&self) -> bool {
        let is_number = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_digit());
        if self.words.folded.iter().filter_map(|word| read_dice(word)).any(|dice| dice.rest.is_empty()) {
            return true;
        }
        let sums = self.hits.iter().filter(|hit| hit.cue == Cue::Sum);
        let is_at = |at: Option<usize>| {
            at.and_then(|at| self.words.folded.get(at)).is_some_and(|word| is_number(word))
        };
        if sums.into_iter().any(|sum| is_at(sum.at.checked_sub(1)) && is_at(Some(sum.at + sum.len))) {
            return true;
        }
        let signs: Vec<char> = self.heard.text.chars().take(200).filter(|c| !c.is_whitespace()).collect();
        signs.windows(3).any(|three| {
            matches!(three[1], '*' | '×' | '/' | '+' | '÷' | '^' | '%')
                && three[0].is_ascii_digit()
                && (three[2].is_ascii_digit() || three[1] == '%' && three[2] == 'o')
        })
    }

    /// Whether every word belongs to phrases of these cues, or is a name, and one phrase is of the cue that matters.
    fn is_all_of(&self, cues: &[Cue], needed: Cue, words_max: usize) -> bool {
        let all = &self.words.folded;
        if all.len() > words_max || !self.has(needed) {
            return false;
        }
        // Where no spaces part words, a phrase may be a part of one: letters count.
        let mut covered = vec![false; all.iter().map(|word| word.len() + 1).sum::<usize>() + 1];
        for hit in self.hits.iter().filter(|hit| cues.contains(&hit.cue)) {
            covered[hit.bytes.clone()].fill(true);
        }
        let names =
            || self.heard.names.iter().chain(self.heard.speakers).flat_map(|name| name.split_whitespace());
        let mut at = 1;
        all.iter().all(|word| {
            for name in names().map(fold).filter(|name| word.starts_with(name.as_str())) {
                covered[at..at + name.len()].fill(true);
            }
            let is_covered = covered[at..at + word.len()].iter().all(|is| *is);
            at += word.len() + 1;
            // The apostrophe's rest: "I'm" is two words here.
            is_covered || word.len() == 1
        })
    }

    /// The effort, within what its category can take.
    fn effort(&mut self, category: Category) -> Effort {
        let is_tiny = self.words.count <= 3;
        let (base, least, most) = match category {
            Category::Greeting if self.asks() => (2, 1, 2),
            Category::Greeting => (1, 1, 2),
            Category::SmallTalk if self.asks() => (4, 3, 5),
            Category::SmallTalk if is_tiny || self.signs.iter().any(|s| s.starts_with("thanks")) => (2, 2, 5),
            Category::SmallTalk => (3, 2, 5),
            Category::Roleplay => (5, 5, 7),
            Category::Task => (4, 3, 7),
            Category::Recall => (6, 5, 8),
            Category::Several => (7, 6, 8),
            Category::Deep => (8, 8, 10),
            Category::Retrospective => (9, 9, 10),
        };
        let mut effort = base;
        let count = self.words.count;
        if count > LONG_WORDS {
            effort += 1;
            self.sign(format!("long, {count} words"));
        }
        if count > VERY_LONG_WORDS {
            effort += 1;
        }
        if self.words.questions >= 2 && category != Category::Greeting {
            effort += 1;
            self.sign(format!("{} questions", self.words.questions));
        }
        if self.words.attachments > 0 {
            effort += 1;
            self.sign(counted(self.words.attachments as u64, "file"));
        }
        if self.heard.reply_age.is_some_and(|age| age > OLD_REPLY) {
            effort += 1;
            self.sign("answers something said over an hour ago");
        }
        if self.heard.authors == 2 {
            effort += 1;
            self.sign("two people to answer");
        }
        if self.heard.modality == Modality::Voice {
            self.sign("spoken");
        }
        Effort::new(effort.clamp(least, most))
    }
}

#[cfg(test)]
mod tests;
