//! Every sentence the terminal says by itself, outside the character.

use std::path::Path;
use std::time::Duration;

use jiff::civil::Date;

use crate::config::QUIET_MINUTES;
use crate::domain::{KeyFor, ModelErrorClass, NoPersona, Persona, TurnId};
use crate::erase::Plan;
use crate::history::Reminder;
use crate::session::{Alternatives, Confirmation, GoBack, NotPut, Notice};
use crate::text::phrases::{Languages, line_for};
use crate::text::short::{and_more, counted, lasts, one_line, shortened, wait_for};
use crate::text::zones;

/// A fact about or by whoever sits there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Noted {
    pub words: String,
    /// When it was learnt.
    pub on: Option<Date>,
    pub is_past: bool,
}

pub(super) fn terminal_opening(name: &str) -> String {
    format!("You are talking with {name}. /help shows what else you can do here, /quit ends it.")
}

pub(super) const TERMINAL_HELP: &str = "Write, and it answers. Besides:\n\
     /greet [n]     hear one of the card's greetings\n\
     /again         another answer in place of the last; /earlier and /later go through those that were given\n\
     /continue      let it go on with what it said last\n\
     /undo          take back what was said last, and the answer to it\n\
     /edit words    these words in place of its last reply; /delete: none\n\
     /reset         begin the talk anew; what was said stays remembered. /reset undo takes that back\n\
     /context [t]   what the last turn (or turn t) sent to the model, and why; with all behind it, all of it\n\
     /why words     what it knew of those words when it last answered\n\
     /memory [w]    what it has noted about you (with words w in it); with 2 behind it, the next ten\n\
     /reminders     what you are to be reminded of; /reminders cancel n: no longer\n\
     /persona [p]   who you are in play; /persona Vane: a captain sets it, /persona clear ends it\n\
     /forget …      me: all you said; what words: what you said with them; undo: takes it back\n\
     /quiet [n]     for n minutes, or until /wake, it says nothing here by itself, and answers you as before\n\
     /wake          it may say something here by itself again\n\
     /where         where this familiar's files are\n\
     /quit          leave (Ctrl-D does too)\n\
     Ctrl-C stops an answer. What you type meanwhile comes next.";

/// Who the person at the keyboard is in play.
pub(super) fn persona_told(persona: Option<&Persona>) -> String {
    match persona {
        None => "You are yourself here. /persona Vane: a retired captain makes you somebody else in play."
            .to_owned(),
        Some(Persona { name, description }) if description.is_empty() => format!("Here you play {name}."),
        Some(Persona { name, description }) => format!("Here you play {name}: {}", one_line(description)),
    }
}

pub(super) fn no_persona(why: NoPersona) -> String {
    format!("That cannot be: {why}.")
}

/// `/reminders` with something that it does not know behind it.
pub(super) const REMINDERS_USAGE: &str = "/reminders lists them; /reminders cancel 3 cancels number 3.";

/// Times are told by the clock that each was asked in.
pub(super) fn reminders_told(name: &str, kept: &[Reminder]) -> String {
    if kept.is_empty() {
        return format!("{name} keeps no reminders of yours.");
    }
    let line = |one: &Reminder| {
        let zone = zones::named(&one.what.zone);
        let when = one.what.due.map_or_else(
            || "still open".to_owned(),
            |due| due.to_zoned(zone).strftime("%A %-d %B %Y, %H:%M %Z").to_string(),
        );
        let again = one.what.recurrence.as_ref().map(|again| format!(", {}", again.in_words()));
        format!("  {} {when}{}: {}", one.id, again.unwrap_or_default(), one_line(&one.what.words))
    };
    let lines: Vec<String> = kept.iter().map(line).collect();
    format!("{name} keeps for you:\n{}", lines.join("\n"))
}

pub(super) fn reminder_cancelled(id: i64) -> String {
    format!("{id} is cancelled.")
}

pub(super) fn no_such_reminder(id: i64) -> String {
    format!("There is no {id}; /reminders lists them.")
}

/// What commands do that know no words.
const WITHOUT_WORDS: [(&str, &str); 9] = [
    ("/help", "shows what you can do here"),
    ("/again", "asks for another answer in place of the last"),
    ("/earlier", "goes back to the answer that was given before"),
    ("/later", "goes on to the answer that was given after"),
    ("/continue", "lets it go on with what it said last"),
    ("/undo", "takes back what was said last, and the answer to it"),
    ("/delete", "takes away its last reply, and nothing else"),
    ("/wake", "ends what /quiet began"),
    ("/where", "says where this familiar's files are"),
];

/// Such a command with words behind it: nothing is done.
pub(super) fn takes_no_words(command: &str) -> Option<String> {
    let (command, does) = WITHOUT_WORDS.iter().find(|(known, _)| *known == command)?;
    Some(format!("{command} {does}; it takes no words."))
}

/// `/quiet` with something that is no number of minutes, or too large a one.
pub(super) fn no_minutes(said: &str) -> String {
    let (least, most) = (QUIET_MINUTES.start(), QUIET_MINUTES.end());
    format!(
        "{} is not a number of minutes from {least} to {most}. /quiet 30 keeps it quiet for half an hour; /quiet until /wake.",
        one_line(said)
    )
}

/// Settings of this place could not be written; why, a line each that names the file.
pub(super) fn not_set(why: &[String]) -> String {
    format!("Nothing was set. {}", why.join("\n"))
}

/// Alone with somebody it answers all the same. `minutes`: for how long, where it is not until it is woken.
pub(super) fn keeps_quiet(name: &str, minutes: Option<&str>) -> String {
    let how_long = minutes.map_or_else(String::new, |minutes| format!(" for {minutes} min"));
    format!("{name} says nothing here by itself{how_long}, and answers you as before. /wake ends that.")
}

pub(super) fn woken(name: &str, was_quiet: bool) -> String {
    match was_quiet {
        true => format!("{name} is no longer kept quiet here, and may speak by itself again."),
        false => format!("{name} was not kept quiet here. /quiet does that."),
    }
}

/// Discord's command has no counterpart here.
pub(super) const NO_STATUS: &str = "There is no /status here: `familiar doctor` says how the program does, and /context what the last turn did.";

/// `/context` with something that it does not know behind it.
pub(super) const CONTEXT_USAGE: &str = "/context shows what the last turn sent to the model, /context t42 what turn t42 did; with all behind it, all of it.";

/// While the model is asked.
pub(super) fn thinking(name: &str) -> String {
    format!("{name} is thinking …")
}

/// `what` is in the words of whoever caused it, and of a model.
pub(super) fn confirm_question(name: &str, ask: &Confirmation) -> String {
    let why = if ask.after_others_words { ", after it read what others wrote" } else { "" };
    format!(
        "{name} wants to do this{why}: {}\nType yes to let it; anything else does not.",
        one_line(&ask.what.to_string())
    )
}

/// What was asked is not done.
pub(super) const NOT_CONFIRMED: &str = "It is not done.";

pub(super) const STOPPED: &str = "Stopped.";

/// Where nothing was said that this could be done with.
pub fn nothing_to_go_back_to(how: GoBack) -> &'static str {
    match how {
        GoBack::Again => {
            "There is no answer here that another could replace: nothing was asked, or a greeting stands, which answers nobody."
        }
        GoBack::Earlier => "There is no earlier answer here.",
        GoBack::Later => "There is no later answer here.",
        GoBack::Undo => "There is nothing here to take back.",
    }
}

/// Where it has said nothing that could be gone or have other words.
pub(super) const NO_REPLY_TO_REPAIR: &str = "There is no reply here to change or delete.";

pub const NOTHING_TO_GO_ON_WITH: &str = "Nothing was said here yet that it could go on with.";

/// The first characters of what was taken back that are told.
const TAKEN_BACK_CHARS: usize = 80;

/// `said`: what was taken back, or the first of it, where that is known.
pub(super) fn taken_back(said: Option<&str>) -> String {
    match said {
        Some(said) => {
            format!("What was said last is taken back: “{}”", shortened(&one_line(said), TAKEN_BACK_CHARS))
        }
        None => "What was said last is taken back.".to_owned(),
    }
}

/// `/edit` without words.
pub(super) const EDIT_WHAT: &str = "Say which words: /edit The kettle is on.";

/// What it said last has other words.
pub(super) fn reads_now(name: &str, words: &str) -> String {
    format!("It reads so now.\n{name}: {words}")
}

pub(super) const REPLY_GONE: &str = "What it said last is gone.";

/// Something else is being answered.
pub(super) const BUSY: &str = "Something is being answered. Try again once it is.";

/// A reply stays as it is; why.
pub(super) fn unchanged(why: &NotPut) -> String {
    match why {
        NotPut::NotTaken => "It stays as it is: the program is going down.".to_owned(),
        NotPut::NotWrittenDown => "It stays as it is: it could not be written down.".to_owned(),
        NotPut::IsFile => "It stays as it is: a part of it is a file.".to_owned(),
        NotPut::Unfit => "It stays as it is: that is not for everybody who may read there.".to_owned(),
        NotPut::NotManaging => {
            "It stays as it is: other words are for whoever manages the channel.".to_owned()
        }
        NotPut::Refused(error) => format!("It stays as it is: {error}."),
    }
}

/// `/reset` with something that it does not know behind it.
pub(super) const RESET_USAGE: &str = "/reset begins the talk anew; /reset undo takes that back.";

/// What was said before is no part of the talk any more.
pub fn begins_anew(name: &str) -> String {
    format!(
        "The talk begins anew here: {name} no longer has in view what was said before. It stays remembered, and can come \
         back to mind when it is spoken of."
    )
}

pub(super) fn reset_told(name: &str) -> String {
    format!("{} /reset undo takes that back; /forget is for what is to go.", begins_anew(name))
}

pub fn reset_undone(name: &str) -> String {
    format!("{name} has in view again what was said before.")
}

/// It was begun anew again since.
pub const RESET_SINCE: &str = "The talk was begun anew once more since, so this stays as it is.";

pub const NOTHING_TO_RESET: &str = "Nothing was said here that could be left behind.";

/// `/reset undo` where this talk was not begun anew.
pub(super) const NO_RESET_TO_UNDO: &str =
    "There is nothing to take back: the talk was not begun anew since you came.";

/// The answer that stands from now on.
pub(super) fn answer_stands(name: &str, words: &str, which: Alternatives) -> String {
    format!("Answer {} of {} stands now.\n{name}: {words}", which.standing, which.all)
}

/// Ctrl-C where there is nothing to stop.
/// Of a line that has more characters than are taken.
pub(super) fn too_long(most: usize) -> String {
    format!("That was not sent: a message has at most {most} characters. Send it in parts.")
}

pub(super) const CTRL_C_AGAIN: &str = "Ctrl-C once more leaves.";

/// Memories are written before the end.
pub(super) const WRITING: &str =
    "Writing down what is worth remembering. Ctrl-C leaves at once; it is then done after the next start.";

/// Before the lines of the last talk, which was so long ago.
pub(super) fn before_last_talk(ago: Duration) -> String {
    if ago < Duration::from_secs(60) {
        "You were just talking:".to_owned()
    } else {
        format!("When you last talked, {} ago:", lasts(ago))
    }
}

/// One line of it.
pub(super) fn last_talk_line(name: &str, words: &str) -> String {
    format!("  {name}: {words}")
}

pub(super) fn folder_told(folder: &Path) -> String {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    format!("Everything it is and remembers is in {}", folder.display())
}

/// Whoever begins a line with a command that there is not.
pub fn unknown_command(command: &str) -> String {
    format!("There is no {command} here; /help shows what there is.")
}

pub(super) fn no_such_greeting(available: usize) -> String {
    match available {
        0 => "This card has no greeting.".to_owned(),
        1 => "This card has only one greeting: /greet".to_owned(),
        _ => format!("This card has only {available} greetings: /greet 1 to /greet {available}"),
    }
}

pub(super) const GREET_USAGE: &str = "Greetings are counted from 1: /greet 2";

pub(super) fn fetching_model(bytes: u64) -> String {
    format!("Fetching the model that finds the same in other words: {} MB, once.", bytes / 1_000_000)
}

/// The model is here.
pub(super) const MODEL_FETCHED: &str = "The model is here; memory is now searched by meaning too.";

pub(super) fn no_embedding_model(reason: &str) -> String {
    format!(
        "Memory is searched by words alone: the small model that finds the same in other words could not be downloaded or \
         opened. That is tried again at the next start. The cause: {reason}."
    )
}

/// `left`: how many come behind these, and `next` the line that shows them.
pub(super) fn noted_told(name: &str, shown: &[Noted], left: usize, next: &str) -> String {
    let mut lines = vec![format!("What {name} knows about you and may say here:")];
    lines.extend(shown.iter().map(|fact| {
        let past = if fact.is_past { " (no longer)" } else { "" };
        // Some facts say themselves when they were said.
        let on = fact.on.map(|on| on.strftime("%-d %B %Y").to_string());
        let on = on.filter(|on| !fact.words.contains(on)).map(|on| format!(" ({on})")).unwrap_or_default();
        format!("- {}{past}{on}", one_line(&fact.words))
    }));
    lines.extend(and_more(0, left).map(|more| format!("{more}; {next} goes on.")));
    lines.join("\n")
}

/// `about`: with which words it was asked for. `is_heard`: whether anything they said is still stored.
pub(super) fn nothing_noted(name: &str, about: &str, is_heard: bool) -> String {
    let (more, fits) = match about {
        "" => ("", ""),
        page if page.parse::<u32>().is_ok() => (" more", ""),
        _ => ("", " with these words"),
    };
    let heard =
        if is_heard { " What was said is remembered all the same; /forget me forgets it." } else { "" };
    format!("{name} has noted nothing{more} about you{fits}.{heard}")
}

/// Told to whoever asks in a message to forget something.
pub(super) fn how_to_forget(spoken: Languages) -> &'static str {
    line_for("how to forget: at the keyboard", spoken)
}

/// `/forget` without saying what.
pub(super) const FORGET_WHAT: &str = "\
/forget me         all you said
/forget what boat  what you said in which \"boat\" stands
/forget undo       takes the last one back";

/// `/forget` with words alone: "everything" may have meant more than the word.
pub(super) fn nothing_holds(words: &str) -> String {
    format!("Nothing of yours contains “{words}”. You can ask for:\n{FORGET_WHAT}")
}

pub(super) fn would_forget(name: &str, plan: Plan, facts: &[String]) -> String {
    format!(
        "{name} would forget {}, with what it summed up and recorded of them.\n{}\
         Type yes to forget it; anything else keeps it. For seven days /forget undo takes it back.",
        all_of(plan),
        facts_going(facts, plan.facts).map(|line| line + "\n").collect::<String>()
    )
}

/// The facts among what goes, a line for each of these first, and how many more there are: with a message go all that
/// were learnt from it.
pub fn facts_going(first: &[String], all: usize) -> impl Iterator<Item = String> + '_ {
    let more = and_more(first.len(), all).filter(|_| !first.is_empty());
    first.iter().map(|fact| format!("- {fact}")).chain(more)
}

pub(super) fn forgotten_here(name: &str, plan: Plan) -> String {
    format!("{name} has forgotten {}. /forget undo takes it back for seven days.", all_of(plan))
}

/// It was asked whether to forget, and the answer was no.
pub(super) const NOTHING_FORGOTTEN: &str = "Nothing was forgotten.";

pub(super) fn nothing_noted_to_forget(name: &str) -> String {
    format!("{name} has nothing of yours that fits. /memory shows what it knows about you.")
}

pub(super) fn is_back(name: &str, plan: Plan) -> String {
    format!("It is back: {}. {name} sums up older talk anew; records of its replies stay gone.", all_of(plan))
}

/// `/forget undo` where nothing was forgotten.
pub(super) const NOTHING_TO_UNDO: &str = "There is nothing to take back: nothing was forgotten for you in the last seven days, or it was for good.";

fn all_of(plan: Plan) -> String {
    // Transcripts are of calls, where nobody speaks from a terminal.
    let Plan { messages, replies, facts, notes, unread, traces, transcripts: _, copies: _ } = plan;
    counted_parts([
        (messages, "message"),
        (replies, "reply"),
        (facts, "noted fact"),
        (notes, "whole note"),
        (unread, "unreadable model answer"),
        (traces, "other trace"),
    ])
}

/// What there is any of, each with how much.
pub fn counted_parts<const N: usize>(parts: [(usize, &str); N]) -> String {
    let there = parts.into_iter().filter(|(count, _)| *count > 0);
    there.map(|(count, what)| counted(count as u64, what)).collect::<Vec<_>>().join(", ")
}

pub(super) const WHY_WHAT: &str = "Say which words: /why dentist";

pub(super) const NO_TURN_HERE_YET: &str =
    "There is nothing to show yet: say something, or name another turn.";

/// What is wrong with the key for a server.
fn of_key(class: ModelErrorClass, server: &KeyFor) -> Option<String> {
    match (class, server) {
        (ModelErrorClass::Authentication, KeyFor::OpenRouter) => {
            Some("OpenRouter refused the key: check OPENROUTER_API_KEY in .env.".to_owned())
        }
        (ModelErrorClass::Authentication, KeyFor::Other(host)) => Some(format!(
            "{host} refused the key: check OPENROUTER_API_KEY in .env, or OPENAI_API_KEY where that is not set."
        )),
        (ModelErrorClass::KeyMissing, KeyFor::OpenRouter) => Some(
            "OpenRouter wants a key and none is set: set OPENROUTER_API_KEY in .env, then start anew."
                .to_owned(),
        ),
        (ModelErrorClass::KeyMissing, KeyFor::Other(host)) => {
            Some(format!("{host} wants a key and none is set: set OPENAI_API_KEY in .env, then start anew."))
        }
        _ => None,
    }
}

/// A notice to the operator, and the turn whose record says more, where one does.
pub fn notice_words(notice: &Notice) -> (String, Option<TurnId>) {
    match notice {
        Notice::ModelFailed { turn, class, wait, key_for } => {
            let of_key = key_for.as_ref().and_then(|server| of_key(*class, server));
            let failed = match (of_key, wait) {
                (Some(wrong), _) => wrong,
                (None, Some(wait)) if *class == ModelErrorClass::RateLimited => {
                    format!("Too many requests; try again in {}.", wait_for(*wait))
                }
                (None, Some(wait)) => format!(
                    "{} It is asked again in {} at the earliest.",
                    model_failed(*class),
                    wait_for(*wait)
                ),
                (None, None) => model_failed(*class).to_owned(),
            };
            (format!("{failed} Your message is kept."), Some(*turn))
        }
        Notice::NotStored { is_damaged: true, .. } => (
            "Your message could not be stored, so it was not answered: the history is damaged. `familiar doctor` \
             says how to mend it."
                .to_owned(),
            None,
        ),
        Notice::NotStored { is_damaged: false, .. } => (
            "Your message could not be stored, so it was not answered: is the disk full or read-only?"
                .to_owned(),
            None,
        ),
        Notice::CutShort { .. } => (
            "The answer ends here because it reached the limit of max_tokens. Ask it to go on for the \
             rest, or raise [llm.main_prose] max_tokens in character.toml."
                .to_owned(),
            None,
        ),
        Notice::KeepsQuiet => ("From now on it speaks only when spoken to.".to_owned(), None),
        Notice::KeptBack { turn } => {
            ("The answer is kept back: it is not for people of any age.".to_owned(), Some(*turn))
        }
        Notice::JoinsInAgain => ("It may join in again.".to_owned(), None),
        Notice::TooMuchAtOnce => {
            ("That is more than can be answered at once. Wait a minute.".to_owned(), None)
        }
        Notice::MessageTooLong { turn, tokens, fits } => (
            format!(
                "That message is too long: it has {tokens} tokens, and {fits} fit. Send it in parts, or choose a model \
                 with a larger window."
            ),
            Some(*turn),
        ),
        Notice::PromptTooLarge { turn } => {
            ("The character does not fit this model's window.".to_owned(), Some(*turn))
        }
    }
}

pub(super) fn terminal_notice(notice: &Notice) -> String {
    let (words, turn) = notice_words(notice);
    let Some(turn) = turn else { return words };
    match notice {
        Notice::ModelFailed { .. } => format!("{words} (/context {turn} says more)"),
        _ => format!("{words} (/context {turn} shows the figures)"),
    }
}

fn model_failed(class: ModelErrorClass) -> &'static str {
    match class {
        ModelErrorClass::RateLimited => "The model is being asked too often; try again in a minute.",
        ModelErrorClass::Server => "The model's provider has a problem; try again in a moment.",
        ModelErrorClass::Network => "The model cannot be reached: is the network up and the address right?",
        ModelErrorClass::BrokeOff => "The answer broke off before its end; try again.",
        ModelErrorClass::Timeout => "The model took too long and was given up on; try again.",
        ModelErrorClass::ModelMissing => {
            "There is no such model at this provider: check [llm.main_prose] model, and that base_url ends in /v1."
        }
        ModelErrorClass::Authentication => {
            "The provider refused the key: check OPENROUTER_API_KEY in .env, or OPENAI_API_KEY where llm.base_url names \
             another server."
        }
        ModelErrorClass::KeyMissing => {
            "The model's server wants a key and none is set: set OPENROUTER_API_KEY in .env; for a server of your own set \
             OPENAI_API_KEY there, and llm.base_url to its address; then start anew."
        }
        ModelErrorClass::Quota => {
            "The provider says the credit is used up; once there is some again, just go on talking."
        }
        ModelErrorClass::ContextLength => {
            "This is longer than the model reads: set [llm.main_prose] context_window to what its server was started with."
        }
        ModelErrorClass::ContentFilter => "The provider's filter refused this.",
        ModelErrorClass::Malformed => {
            "The model's answer could not be used: try again, and check llm.base_url if it stays so."
        }
        ModelErrorClass::Empty => {
            "The model gave no answer that can be shown: try again, say it in another way, or choose another model."
        }
        ModelErrorClass::WebPage => {
            "A web page came instead of an answer: is llm.base_url right, up to /v1, and does no proxy stand in between?"
        }
        ModelErrorClass::BadRequest => "The provider refused the request.",
        ModelErrorClass::CostCap => {
            "Today's cost cap is reached: raise [llm] daily_cost_cap_usd or wait for tomorrow (UTC)."
        }
        ModelErrorClass::TokenCap => {
            "Today's cap on tokens whose price is not known is reached: set the model's prices, raise [llm] daily_token_cap, or \
             wait for tomorrow (UTC)."
        }
        ModelErrorClass::Cancelled => "The turn was cancelled.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{AccountId, Author, ChannelId, Place, TurnId};
    use crate::session::Proposed;
    use crate::text::phrases::language_codes;

    #[test]
    fn the_embedding_model_is_told_of_in_a_line_each() {
        let said = [
            fetching_model(90_868_376),
            MODEL_FETCHED.to_owned(),
            no_embedding_model("the hub answered 404 Not Found for model.safetensors"),
        ]
        .join("\n");
        insta::assert_snapshot!(said, @r"
        Fetching the model that finds the same in other words: 90 MB, once.
        The model is here; memory is now searched by meaning too.
        Memory is searched by words alone: the small model that finds the same in other words could not be downloaded or opened. That is tried again at the next start. The cause: the hub answered 404 Not Found for model.safetensors.
        ");
    }

    #[test]
    fn a_day_that_a_fact_names_itself_is_not_told_twice() {
        let on = Some(jiff::civil::date(2026, 11, 26));
        let told =
            |words: &str| noted_told("Ada", &[Noted { words: words.to_owned(), is_past: false, on }], 0, "");
        assert!(told("has a cat").ends_with("- has a cat (26 November 2026)"));
        assert!(told("said so (said on Thursday, 26 November 2026)").ends_with("2026)"));
        assert!(!told("said so (said on Thursday, 26 November 2026)").contains(") ("));
    }

    #[test]
    fn failures_name_the_turn_and_what_to_do() {
        let failed = |class, wait| {
            terminal_notice(&Notice::ModelFailed { turn: TurnId(7), class, wait, key_for: None })
        };
        let hour = failed(ModelErrorClass::RateLimited, Some(Duration::from_secs(3_600)));
        assert!(hour.contains("try again in 1 h 0 min."), "{hour}");
        let said = failed(ModelErrorClass::Authentication, None);
        insta::assert_snapshot!(said, @"The provider refused the key: check OPENROUTER_API_KEY in .env, or OPENAI_API_KEY where llm.base_url names another server. Your message is kept. (/context t7 says more)");
    }

    #[test]
    fn a_server_that_refuses_the_key_or_wants_one_is_called_by_its_host() {
        let told = |class, server| {
            let (wait, key_for) = (Some(Duration::from_secs(86_400)), Some(server));
            terminal_notice(&Notice::ModelFailed { turn: TurnId(7), class, wait, key_for })
        };
        let other = KeyFor::Other("models.example.org".to_owned());
        let refused = told(ModelErrorClass::Authentication, other.clone());
        assert!(
            refused.starts_with("models.example.org refused the key: check OPENROUTER_API_KEY"),
            "{refused}"
        );
        let missing = told(ModelErrorClass::KeyMissing, other);
        assert!(missing.starts_with(
            "models.example.org wants a key and none is set: set OPENAI_API_KEY in .env, then start anew."
        ));
        let of_openrouter = told(ModelErrorClass::Authentication, KeyFor::OpenRouter);
        assert!(of_openrouter.starts_with("OpenRouter refused the key: check OPENROUTER_API_KEY in .env. "));
    }

    #[test]
    fn what_is_taken_back_is_quoted_on_one_line_and_in_short() {
        let told = taken_back(Some(&format!("a boat\nand {}", "a kettle ".repeat(40))));
        assert!(told.starts_with("What was said last is taken back: “a boat and a kettle"), "{told}");
        assert!(told.ends_with("…”") && told.chars().count() < 120, "{told}");
    }

    #[test]
    fn how_to_forget_sets_its_commands_off_in_every_language() {
        for code in language_codes() {
            let told = how_to_forget(Languages::of(code));
            assert!(told.contains("`/forget me`") && told.contains("`/memory`"), "{code}: {told}");
            assert_eq!(told.matches('`').count(), 6, "{code}: {told}");
        }
    }

    fn confirmation(after_others_words: bool) -> Confirmation {
        Confirmation {
            who: Author::new(AccountId::operator()),
            place: Place::terminal(ChannelId::from(1_u64)),
            what: Proposed::Told("remind of the ferry on Monday at 8".to_owned()),
            after_others_words,
        }
    }

    #[test]
    fn every_sentence_of_the_terminal() {
        let plan = Plan { messages: 3, replies: 1, facts: 2, notes: 1, traces: 4, ..Plan::default() };
        let fact = |words: &str, is_past| Noted { words: words.to_owned(), is_past, on: None };
        let mut all = vec![
            terminal_opening("Ada"),
            TERMINAL_HELP.to_owned(),
            thinking("Ada"),
            confirm_question("Ada", &confirmation(false)),
            confirm_question("Ada", &confirmation(true)),
            persona_told(None),
            persona_told(Persona::new("Vane", "a retired captain").ok().as_ref()),
            persona_told(Persona::new("Vane", "").ok().as_ref()),
            no_persona(NoPersona::Nameless),
            NOT_CONFIRMED.to_owned(),
            STOPPED.to_owned(),
            nothing_to_go_back_to(GoBack::Again).to_owned(),
            nothing_to_go_back_to(GoBack::Earlier).to_owned(),
            nothing_to_go_back_to(GoBack::Later).to_owned(),
            nothing_to_go_back_to(GoBack::Undo).to_owned(),
            NO_REPLY_TO_REPAIR.to_owned(),
            NOTHING_TO_GO_ON_WITH.to_owned(),
            taken_back(Some("is the kettle on?")),
            taken_back(None),
            answer_stands("Ada", "Good evening.", Alternatives { standing: 1, all: 3 }),
            EDIT_WHAT.to_owned(),
            reads_now("Ada", "Good morning."),
            REPLY_GONE.to_owned(),
            BUSY.to_owned(),
            unchanged(&NotPut::NotTaken),
            unchanged(&NotPut::NotWrittenDown),
            unchanged(&NotPut::IsFile),
            unchanged(&NotPut::Unfit),
            unchanged(&NotPut::NotManaging),
            RESET_USAGE.to_owned(),
            takes_no_words("/delete").unwrap(),
            CONTEXT_USAGE.to_owned(),
            reset_told("Ada"),
            reset_undone("Ada"),
            RESET_SINCE.to_owned(),
            NOTHING_TO_RESET.to_owned(),
            NO_RESET_TO_UNDO.to_owned(),
            CTRL_C_AGAIN.to_owned(),
            too_long(16_000),
            WRITING.to_owned(),
            before_last_talk(Duration::from_secs(5)),
            before_last_talk(Duration::from_secs(7_200)),
            last_talk_line("Ada", "good evening"),
            no_minutes("99999"),
            not_set(&["channels/terminal.toml:1:8: this is not valid TOML: unclosed array".to_owned()]),
            keeps_quiet("Ada", Some("30")),
            keeps_quiet("Ada", None),
            woken("Ada", true),
            woken("Ada", false),
            NO_STATUS.to_owned(),
            folder_told(Path::new("/data/familiars/ada")),
            unknown_command("/dance"),
            GREET_USAGE.to_owned(),
            no_such_greeting(3),
            noted_told("Ada", &[fact("has a cat", false), fact("lived in Bern", true)], 7, "/memory 2"),
            nothing_noted("Ada", "", true),
            nothing_noted("Ada", "boat", false),
            nothing_noted("Ada", "2", false),
            how_to_forget(Languages::of("en")).to_owned(),
            FORGET_WHAT.to_owned(),
            nothing_holds("boat"),
            would_forget("Ada", plan, &[]),
            would_forget(
                "Ada",
                Plan { facts: 3, ..plan },
                &["Ben has a cat.".to_owned(), "Ben rows.".to_owned()],
            ),
            forgotten_here("Ada", plan),
            NOTHING_FORGOTTEN.to_owned(),
            nothing_noted_to_forget("Ada"),
            is_back("Ada", plan),
            NOTHING_TO_UNDO.to_owned(),
            WHY_WHAT.to_owned(),
            NO_TURN_HERE_YET.to_owned(),
            terminal_notice(&Notice::TooMuchAtOnce),
            terminal_notice(&Notice::PromptTooLarge { turn: TurnId(7) }),
            terminal_notice(&Notice::MessageTooLong { turn: TurnId(7), tokens: 9_000, fits: 3_000 }),
        ];
        all.extend(
            ModelErrorClass::ALL
                .iter()
                .map(|class| Notice::ModelFailed {
                    turn: TurnId(7),
                    class: *class,
                    wait: None,
                    key_for: None,
                })
                .map(|failed| terminal_notice(&failed)),
        );
        insta::assert_snapshot!(all.join("\n\n"));
    }
}
