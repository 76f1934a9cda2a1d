//! What is said about remembering and forgetting.

use jiff::civil::Date;

use super::say::{said, sentences};
use super::{Tongue, date, list};
use crate::domain::Audience;
use crate::erase::Plan;
use crate::memory::stated::StatedReading;
use crate::text::phrases::Languages;
use crate::text::short::{one_line, shortened};

/// Letters of a fact that are shown in a list.
const SHOWN: usize = 160;

/// A fact, as its person sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::discord) struct KnownFact {
    pub id: String,
    pub words: String,
    /// When it was learnt.
    pub on: Option<Date>,
    pub audience: Audience,
    pub is_past: bool,
    pub source: FactSource,
}

/// Where a fact comes from, as its person may know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::discord) struct FactSource {
    /// Whose word it is.
    pub by: Teller,
    /// From how many messages, as far as that is noted.
    pub messages: usize,
    /// From how many other notes: lessons of sessions.
    pub notes: usize,
}

/// Whose word a fact is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::discord) enum Teller {
    You,
    /// Somebody else, by their Discord id.
    Other(u64),
    Familiar,
    /// Nobody is named: whoever wrote the note.
    Unknown,
}

/// What is looked through on Discord for words that are to be forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::discord) enum LooksThrough {
    /// Transcripts of calls with words of theirs.
    Transcripts,
    Nothing,
}

sentences! {
    /// Nothing is remembered of it, and what was written down is looked through.
    transcripts_searched(familiar: &str);
    /// The buttons below a plan.
    forget();
    forget_for_good();
    keep();
    nothing_to_forget(familiar: &str);
    kept();
    nothing_to_undo();
    nothing_known(familiar: &str);
    /// The same where others are, with other words.
    nothing_with_these_words(familiar: &str, others: usize);
    /// Over the choice of a fact.
    choose_fact();
    /// The button that opens the form; the form's title, and the label of its field: at most 45 characters.
    correct();
    correct_title();
    correct_label();
    /// The fact is gone by now.
    fact_gone();
    /// A fact was set right.
    corrected(familiar: &str, words: &str);
    /// A fact could not be set right.
    not_corrected();
}

/// What would be forgotten, before it is.
pub(in crate::discord) fn forget_plan(
    to: Tongue,
    familiar: &str,
    plan: Plan,
    through: LooksThrough,
) -> String {
    let (copies, plan) = (plan.copies, plan.besides_copies());
    let mut lines = vec![if plan.is_empty() {
        said!(to, forget_plan_nothing, familiar)
    } else {
        said!(to, forget_plan, familiar, plan = plan_counted(to, plan))
    }];
    match through {
        LooksThrough::Transcripts => lines.push(said!(to, forget_plan_transcripts)),
        LooksThrough::Nothing if plan.transcripts > 0 => lines.push(said!(to, forget_plan_transcripts_go)),
        LooksThrough::Nothing => {}
    }
    if copies > 0 {
        lines.push(said!(to, forget_plan_copies));
    }
    if !plan.is_empty() {
        lines.push(said!(to, forget_plan_ends));
    }
    lines.join("\n")
}

/// Of the facts that would go, the first of those that may be seen there, and how many more there are.
pub(in crate::discord) fn facts_going(to: Tongue, seen: &[String], all: usize) -> Option<String> {
    if seen.is_empty() {
        return None;
    }
    let mut lines = vec![said!(to, forget_plan_facts)];
    lines.extend(seen.iter().map(|words| format!("- {}", shortened(&one_line(words), SHOWN))));
    if all > seen.len() {
        lines.push(said!(to, forget_plan_facts_more, count = all - seen.len()));
    }
    Some(lines.join("\n"))
}

/// It is done, and can be taken back.
pub(in crate::discord) fn forgotten(to: Tongue, familiar: &str, plan: Plan) -> String {
    let (gone, plan) = (plan.transcripts > 0, plan_counted(to, plan));
    if gone { said!(to, forgotten_transcripts, familiar, plan) } else { said!(to, forgotten, familiar, plan) }
}

pub(in crate::discord) fn forgotten_for_good(to: Tongue, familiar: &str, plan: Plan) -> String {
    let (copies, plan) = (plan.copies, plan.besides_copies());
    let told = plan_counted(to, plan);
    match copies {
        0 => said!(to, forgotten_for_good, familiar, plan = told),
        _ if plan.is_empty() => said!(to, forgotten_copies_for_good, familiar),
        _ => said!(to, forgotten_all_for_good, familiar, plan = told),
    }
}

pub(in crate::discord) fn undone(to: Tongue, familiar: &str, plan: Plan) -> String {
    let told = plan_counted(to, Plan { transcripts: 0, ..plan });
    match plan.transcripts {
        0 => said!(to, undone, familiar, plan = told),
        _ => said!(to, undone_transcripts, familiar, plan = told),
    }
}

/// A fact in the language of whoever reads it, where it says one of the things that people plainly say of themselves; else
/// as it is written.
pub(in crate::discord) fn noted_fact(to: Tongue, words: &str) -> String {
    // "Ana says that her mother lives in Ghent" says it of nobody's name.
    let is_name =
        |who: &str| who.split_whitespace().skip(1).all(|word| !word.starts_with(char::is_lowercase));
    let Some(fact) = StatedReading::of(words).filter(|fact| is_name(fact.who())) else {
        return words.to_owned();
    };
    let (slot, what) = (fact.section().replace(' ', "-"), fact.what_in(Languages::of(to.code())));
    said!(to, noted_fact, slot, who = fact.who(), what, value = fact.value())
}

/// What is known of somebody, as far as it may be seen here.
pub(in crate::discord) fn known_facts(to: Tongue, familiar: &str, facts: &[KnownFact], all: usize) -> String {
    let mut lines = vec![said!(to, known_facts, familiar)];
    lines.extend(facts.iter().map(|fact| {
        let words = shortened(&one_line(&fact.words), SHOWN);
        said!(to, known_fact, words, is_past = fact.is_past, learnt = learnt(to, fact))
    }));
    if all > facts.len() {
        lines.push(said!(to, known_facts_more, count = all - facts.len()));
    }
    lines.push(said!(to, known_facts_end));
    lines.join("\n")
}

/// One fact, with what can be done about it.
pub(in crate::discord) fn one_fact(to: Tongue, fact: &KnownFact) -> String {
    said!(to, one_fact, words = one_line(&fact.words), learnt = learnt(to, fact))
}

/// Where, when, from whom and from how much it was learnt.
fn learnt(to: Tongue, fact: &KnownFact) -> String {
    let place = match fact.audience {
        Audience::Canon => "Canon",
        Audience::Guild(_) => "Guild",
        Audience::Private(_) => "Private",
        Audience::Restricted(_) => "Restricted",
        Audience::Dm(_) => "Dm",
        Audience::Shared(_) => "Shared",
    };
    let on = fact.on.map_or_else(|| "none".to_owned(), |on| date(to, on));
    let FactSource { by, messages, notes } = fact.source;
    let (by, teller) = match by {
        Teller::You => ("You", 0),
        Teller::Other(person) => ("Other", person),
        Teller::Familiar => ("Familiar", 0),
        Teller::Unknown => ("Unknown", 0),
    };
    let (from, count) = match (messages, notes) {
        (0, 0) => ("none", 0),
        (0, notes) => ("notes", notes),
        (messages, _) => ("messages", messages),
    };
    said!(to, learnt, place, on, by, teller, from, count)
}

/// What a plan has of each kind, as the parts of a list.
pub(super) fn plan_counted(to: Tongue, plan: Plan) -> String {
    let Plan { messages, replies, facts, notes, unread, traces, transcripts, copies: _ } = plan;
    let parts = [
        (messages, said!(to, plan_messages, count = messages)),
        (replies, said!(to, plan_replies, count = replies)),
        (facts, said!(to, plan_facts, count = facts)),
        (notes, said!(to, plan_notes, count = notes)),
        (unread, said!(to, plan_unread, count = unread)),
        (traces, said!(to, plan_traces, count = traces)),
        (transcripts, said!(to, plan_transcripts, count = transcripts)),
    ];
    let parts: Vec<String> =
        parts.into_iter().filter(|(count, _)| *count > 0).map(|(_, told)| told).collect();
    if parts.is_empty() { said!(to, plan_name) } else { list(to, &parts) }
}
