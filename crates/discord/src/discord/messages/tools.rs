//! What people read when the familiar asks before it does something.

use super::say::{said, sentences};
use super::{Tongue, case_name};
use crate::session::{Every, MeantMessage, Proposed};
use crate::text::defuse::without_invitations;
use crate::text::short::{one_line, shortened};
use crate::text::unicode::visible;

/// What would be done, as it is shown. Discord takes 2,000 characters in all.
const WHAT_CHARS: usize = 1_600;

sentences! {
    /// The buttons.
    yes();
    no();
    /// Somebody pressed who is not asked.
    not_yours_to_answer();
    /// Pressed twice.
    answered_already();
    /// Takes the place of a question that nobody waits for any more.
    too_late_to_answer();
}

/// What became of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::discord) enum ConfirmOutcome {
    Agreed,
    Declined,
    Unanswered,
    /// The answer it was for is not being written any more.
    Unwanted,
}

/// Whether all that would be done can be read in a question, in whatever language it is asked.
pub(in crate::discord) fn fits_a_question(what: &Proposed) -> bool {
    Tongue::ALL.iter().all(|to| shown_plainly(&proposed_action(*to, what)).chars().count() <= WHAT_CHARS)
}

/// Asks somebody; in English what would be done reads as in "shall I …?".
pub(in crate::discord) fn may_i(to: Tongue, who: u64, what: &Proposed, after_others_words: bool) -> String {
    let what = shown_as_written(&proposed_action(to, what));
    match after_others_words {
        true => said!(to, may_i_after_others, who, what),
        false => said!(to, may_i, who, what),
    }
}

/// What takes the place of the question.
pub(in crate::discord) fn was_asked(to: Tongue, who: u64, what: &Proposed, became: ConfirmOutcome) -> String {
    said!(to, was_asked, who, what = shown_as_written(&proposed_action(to, what)), became = case_name(became))
}

fn proposed_action(to: Tongue, what: &Proposed) -> String {
    match what {
        Proposed::Told(words) => words.clone(),
        Proposed::Connected { program, tool, arguments } => {
            said!(to, do_connected, program, tool, arguments)
        }
        Proposed::React { emoji, under } => said!(to, do_react, emoji, message = meant_message(to, under)),
        Proposed::Poll { hours, question, answers, several } => {
            let (hours, answers) = (u32::from(*hours), answers.join(" / "));
            said!(to, do_poll, hours, question, answers, several = *several)
        }
        Proposed::Pin(message) => said!(to, do_pin, message = meant_message(to, message)),
        Proposed::Thread { name, under: None } => said!(to, do_thread, name),
        Proposed::Thread { name, under: Some(under) } => {
            said!(to, do_thread_under, name, message = meant_message(to, under))
        }
        Proposed::OfferToForget => said!(to, do_offer_to_forget),
        Proposed::JoinCall => said!(to, do_join_call),
        Proposed::LeaveCall => said!(to, do_leave_call),
        Proposed::PlaySound(name) => said!(to, do_play_sound, name),
        Proposed::Remind { words, when, again } => {
            said!(to, do_remind, words, when, again = and_again(to, *again))
        }
        Proposed::Announce { words, when, again } => {
            said!(to, do_announce, words, when, again = and_again(to, *again))
        }
        Proposed::Timer { minutes, seconds, label } => {
            let span = timed(to, *minutes, *seconds);
            match label {
                Some(label) => said!(to, do_timer_for, span, label),
                None => said!(to, do_timer, span),
            }
        }
        Proposed::KeepInMind(words) => said!(to, do_keep_in_mind, words),
        Proposed::Cancel(words) => said!(to, do_cancel, words),
        Proposed::Close(words) => said!(to, do_close, words),
        Proposed::BetterMood => said!(to, do_better_mood),
        Proposed::WorseMood => said!(to, do_worse_mood),
        Proposed::Note { words, about: None } => said!(to, do_note, words),
        Proposed::Note { words, about: Some(about) } => said!(to, do_note_about, words, about),
        Proposed::OpenPage(address) => said!(to, do_open_page, address),
        Proposed::OpenPicture(address) => said!(to, do_open_picture, address),
        Proposed::MakePicture(words) => said!(to, do_make_picture, words),
    }
}

fn meant_message(to: Tongue, message: &MeantMessage) -> String {
    let (whose, whom, words) = match message {
        MeantMessage::Asked => ("Asked", "", ""),
        MeantMessage::Theirs(words) => ("Theirs", "", words.as_str()),
        MeantMessage::Own(words) => ("Own", "", words.as_str()),
        MeantMessage::Of { whom, words } => ("Of", whom.as_str(), words.as_str()),
    };
    said!(to, meant_message, whose, whom, words)
}

fn and_again(to: Tongue, again: Option<Every>) -> String {
    said!(to, and_again, every = again.map_or_else(|| "none".to_owned(), case_name))
}

fn timed(to: Tongue, minutes: i64, seconds: i64) -> String {
    let form = match (minutes, seconds) {
        (0, _) => "seconds",
        (_, 0) => "minutes",
        _ => "both",
    };
    said!(to, timer_span, form, minutes = minutes.to_string(), seconds = seconds.to_string())
}

/// Shown as it is written: what a model wrote must not look like something else. Nor does a question lead into a server.
fn shown_as_written(what: &str) -> String {
    shortened(&shown_plainly(what), WHAT_CHARS)
}

fn shown_plainly(what: &str) -> String {
    let line = visible(what);
    let line = one_line(&line);
    let line = without_invitations(&line);
    let mut shown = String::with_capacity(line.len());
    for char in line.chars() {
        if matches!(char, '\\' | '*' | '_' | '~' | '`' | '|' | '[' | ']' | '<' | '>' | '#') {
            shown.push('\\');
        }
        shown.push(char);
    }
    shown
}
