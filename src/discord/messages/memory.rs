//! What is said about remembering and forgetting.

use jiff::civil::Date;

use crate::domain::Audience;
use crate::erase::Plan;
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
    /// Whether it holds no more.
    pub is_past: bool,
    /// Where it comes from.
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

/// What would be forgotten, before it is.
pub(in crate::discord) fn forget_plan(familiar: &str, plan: Plan, through: LooksThrough) -> String {
    let mut lines = Vec::new();
    let (copies, plan) = (plan.copies, plan.besides_copies());
    if plan.is_empty() {
        lines.push(format!("{familiar} remembers nothing of yours that fits."));
    } else {
        lines.push(format!(
            "{familiar} would forget {}. Your words go from its memory, its summaries and its records, on this server \
             and everywhere else; other people's words stay.",
            plan_counted(plan)
        ));
    }
    match through {
        LooksThrough::Transcripts => lines.push(
            "Transcripts of calls with words of yours are looked through: messages of them that hold these words are \
             deleted, and those that cannot be read. They do not come back."
                .to_owned(),
        ),
        LooksThrough::Nothing if plan.transcripts > 0 => {
            lines.push("Messages of transcripts are deleted and do not come back.".to_owned());
        }
        LooksThrough::Nothing => {}
    }
    if copies > 0 {
        lines.push(
            "What was forgotten of it before can still be taken back. **Forget for good** destroys that copy too."
                .to_owned(),
        );
    }
    if !plan.is_empty() {
        lines.push(
            "**Forget** can be taken back with `/forget undo` for seven days. **Forget for good** keeps no copy."
                .to_owned(),
        );
    }
    lines.join("\n")
}

/// Nothing is remembered of it, and what was written down is looked through.
pub(in crate::discord) fn transcripts_searched(familiar: &str) -> String {
    format!(
        "{familiar} remembers nothing of yours that fits. Messages with transcripts of calls that hold these words are \
         being deleted."
    )
}

/// The buttons below it.
pub(in crate::discord) const FORGET: &str = "Forget";
pub(in crate::discord) const FORGET_FOR_GOOD: &str = "Forget for good";
pub(in crate::discord) const KEEP: &str = "Keep";

pub(in crate::discord) fn nothing_to_forget(familiar: &str) -> String {
    format!("{familiar} has nothing of yours that fits. `/memory` shows what it knows about you here.")
}

/// It is done, and can be taken back.
pub(in crate::discord) fn forgotten(familiar: &str, plan: Plan) -> String {
    let gone = if plan.transcripts > 0 { " Transcripts of calls do not come back." } else { "" };
    format!(
        "{familiar} has forgotten {}. `/forget undo` takes it back for seven days.{gone}",
        plan_counted(plan)
    )
}

/// It is done for good.
pub(in crate::discord) fn forgotten_for_good(familiar: &str, plan: Plan) -> String {
    let (copies, plan) = (plan.copies, plan.besides_copies());
    match copies {
        0 => format!("{familiar} has forgotten {} for good.", plan_counted(plan)),
        _ if plan.is_empty() => {
            format!("What {familiar} had forgotten is gone for good: it cannot be taken back any more.")
        }
        _ => format!(
            "{familiar} has forgotten {} for good, and what was forgotten of it before cannot be taken back any more.",
            plan_counted(plan)
        ),
    }
}

pub(in crate::discord) fn kept() -> String {
    "Nothing was forgotten.".to_owned()
}

/// A wish was taken back.
pub(in crate::discord) fn undone(familiar: &str, plan: Plan) -> String {
    let gone = match plan.transcripts {
        0 => "records of its replies",
        _ => "records of its replies and transcripts of calls",
    };
    format!(
        "It is back: {}. {familiar} sums up older conversations anew; {gone} stay gone.",
        plan_counted(Plan { transcripts: 0, ..plan })
    )
}

/// There is nothing to take back.
pub(in crate::discord) fn nothing_to_undo() -> String {
    "There is nothing that could be taken back: nothing was forgotten for you in the last seven days, or it was for good."
        .to_owned()
}

/// What is known of somebody, as far as it may be seen here.
pub(in crate::discord) fn known_facts(familiar: &str, facts: &[KnownFact], all: usize) -> String {
    let mut text = format!("What {familiar} knows about you and may say here:\n");
    for fact in facts {
        let words = shortened(&one_line(&fact.words), SHOWN);
        let past = if fact.is_past { " (no longer)" } else { "" };
        text.push_str(&format!("- {words}{past} · *{}*\n", learnt(fact)));
    }
    if all > facts.len() {
        text.push_str(&format!(
            "…and {} more; name words with `/memory about` to see others.\n",
            all - facts.len()
        ));
    }
    text.push_str("Choose one to correct or forget it. What you told it elsewhere is shown there.");
    text
}

pub(in crate::discord) fn nothing_known(familiar: &str) -> String {
    format!(
        "{familiar} has noted nothing about you that may be seen here. What you said and did not have forgotten is remembered all the same; `/forget me` forgets it."
    )
}

/// Over the choice of a fact.
pub(in crate::discord) const CHOOSE_FACT: &str = "Correct or forget one of them";

/// One fact, with what can be done about it.
pub(in crate::discord) fn one_fact(fact: &KnownFact) -> String {
    format!(
        "> {}\n-# {}\nForgetting it also removes your messages it was learnt from, and what was answered to them.",
        one_line(&fact.words),
        learnt(fact)
    )
}

/// The button that opens the form.
pub(in crate::discord) const CORRECT: &str = "Correct";

/// The fact is gone by now.
pub(in crate::discord) fn fact_gone() -> String {
    "That is no longer noted. `/memory` shows what is.".to_owned()
}

pub(in crate::discord) const CORRECT_TITLE: &str = "What is right?";
pub(in crate::discord) const CORRECT_LABEL: &str = "One sentence, with your name in it";

/// A fact was set right.
pub(in crate::discord) fn corrected(familiar: &str, words: &str) -> String {
    format!("{familiar} now knows:\n> {words}")
}

/// A fact could not be set right.
pub(in crate::discord) fn not_corrected() -> String {
    "That was not changed: it says the same, or the note was edited meanwhile. Try `/memory` again."
        .to_owned()
}

fn learnt(fact: &KnownFact) -> String {
    let place = match fact.audience {
        Audience::Canon => "noted by whoever runs this bot",
        Audience::Guild(_) => "learnt on the server",
        Audience::Private(_) => "learnt in a closed channel",
        Audience::Restricted(_) => "learnt in this channel",
        Audience::Dm(_) => "learnt here, alone with you",
        Audience::Shared(_) => "learnt alone with you, and shared with places you paired",
    };
    let when = fact.on.map(|on| format!(", {}", on.strftime("%-d %B %Y"))).unwrap_or_default();
    format!("{place}{when}{}", fact_source(fact.source))
}

/// Whose word it is, and from how much.
fn fact_source(source: FactSource) -> String {
    let by = match source.by {
        Teller::You => "; you said so".to_owned(),
        Teller::Other(person) => format!("; <@{person}> said so"),
        Teller::Familiar => "; its own words".to_owned(),
        Teller::Unknown => String::new(),
    };
    let from = match (source.messages, source.notes) {
        (0, 0) => String::new(),
        (0, 1) => "; from one lesson of a session".to_owned(),
        (0, notes) => format!("; from {notes} lessons of sessions"),
        (1, _) => "; from one message".to_owned(),
        (messages, _) => format!("; from {messages} messages"),
    };
    format!("{by}{from}")
}

pub(super) fn plan_counted(plan: Plan) -> String {
    let Plan { messages, replies, facts, notes, traces, transcripts, copies: _ } = plan;
    let several = |count: usize, one: &str, many: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        _ => Some(format!("{count} {many}")),
    };
    let parts: Vec<String> = [
        several(messages, "message of yours", "messages of yours"),
        several(replies, "answer to them", "answers to them"),
        several(facts, "noted fact", "noted facts"),
        several(notes, "whole note", "whole notes"),
        several(traces, "other trace of you (such as a reaction)", "other traces of you (such as reactions)"),
        several(transcripts, "message of a transcript", "messages of transcripts"),
    ]
    .into_iter()
    .flatten()
    .collect();
    match parts.split_last() {
        None => "your name".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} and {last}", before.join(", ")),
    }
}
