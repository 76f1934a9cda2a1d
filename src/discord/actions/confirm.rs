//! Asking whoever caused something before it is done: a message with two buttons, and what became of it.
//!
//! A question lives as long as its message: the task that posted it edits it when it is answered, when nobody answers, and
//! when it is no longer wanted. After a restart nobody waits any more, and a press says so.

use std::collections::HashMap;

use parking_lot::Mutex;
use serenity::all::{
    ButtonStyle, ChannelId, CreateActionRow, CreateAllowedMentions, CreateButton, CreateMessage, EditMessage,
    MessageFlags, UserId,
};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::discord::link::DiscordLink;
use crate::discord::members::user;
use crate::discord::messages::Tongue;
use crate::discord::messages::tools::{self, ConfirmOutcome};
use crate::discord::sending::channel_of;
use crate::discord::sending::{nonced, with_retries};
use crate::session::{CONFIRM_WITHIN, Confirmation, Proposed};

/// What the ids of these buttons begin with.
const PREFIX: &str = "confirm|";

/// Questions that may be open at once; beyond that nothing is done.
const MOST_OPEN: usize = 256;

/// A button under a question that was pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::discord) struct Press {
    question: u64,
    agrees: bool,
}

/// The press that a button of this id is.
pub(in crate::discord) fn press_of(button: &str) -> Option<Press> {
    let (answer, question) = button.strip_prefix(PREFIX)?.split_once('|')?;
    let agrees = match answer {
        "yes" => true,
        "no" => false,
        _ => return None,
    };
    Some(Press { question: u64::from_str_radix(question, 16).ok()?, agrees })
}

/// What a press did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::discord) enum PressOutcome {
    Counts,
    /// Somebody else is asked.
    NotTheirs,
    /// It was answered a moment ago.
    Decided,
    /// Nobody waits for it any more.
    TooLate,
}

#[derive(Debug)]
struct OpenQuestion {
    who: UserId,
    /// Gone once it is answered.
    answer: Option<oneshot::Sender<bool>>,
}

/// The questions that stand somewhere with their buttons.
#[derive(Debug, Default)]
pub(in crate::discord) struct Questions(Mutex<HashMap<u64, OpenQuestion>>);

impl Questions {
    /// `None` where there are too many.
    fn open(&self, who: UserId) -> Option<(u64, oneshot::Receiver<bool>)> {
        let mut open = self.0.lock();
        if open.len() >= MOST_OPEN {
            tracing::warn!("too many questions wait for an answer: nothing is done");
            return None;
        }
        // A number from before a restart must not be that of another question.
        let id = rand::random::<u64>();
        let (answer, answered) = oneshot::channel();
        open.insert(id, OpenQuestion { who, answer: Some(answer) });
        Some((id, answered))
    }

    fn close(&self, id: u64) {
        self.0.lock().remove(&id);
    }

    /// Somebody pressed a button.
    pub(crate) fn press(&self, press: Press, by: UserId) -> PressOutcome {
        let mut open = self.0.lock();
        let Some(question) = open.get_mut(&press.question) else { return PressOutcome::TooLate };
        if question.who != by {
            return PressOutcome::NotTheirs;
        }
        let told = question.answer.take().map(|answer| answer.send(press.agrees));
        if told == Some(Ok(())) { PressOutcome::Counts } else { PressOutcome::Decided }
    }
}

/// A question on its way.
struct ConfirmQuestion {
    link: DiscordLink,
    channel: ChannelId,
    /// The language of the place.
    to: Tongue,
    id: u64,
    who: UserId,
    what: Proposed,
    after_others_words: bool,
    until: Instant,
    answered: oneshot::Receiver<bool>,
    /// Cancelled once nobody waits for the answer.
    unwanted: CancellationToken,
}

pub(super) async fn confirms(link: &DiscordLink, ask: Confirmation) -> bool {
    let (Ok(channel), Some(who)) = (channel_of(&ask.place), user(&ask.who.account)) else { return false };
    let Some((id, answered)) = link.questions().open(who) else { return false };
    let unwanted = CancellationToken::new();
    let question = ConfirmQuestion {
        link: link.clone(),
        channel,
        to: link.tongue_in(&ask.place),
        id,
        who,
        what: ask.what,
        after_others_words: ask.after_others_words,
        until: Instant::now() + CONFIRM_WITHIN,
        answered,
        unwanted: unwanted.clone(),
    };
    let _wanted = unwanted.drop_guard();
    let (decides, decided) = oneshot::channel();
    tokio::spawn(question.stands(decides));
    decided.await.unwrap_or(false)
}

impl ConfirmQuestion {
    async fn stands(self, decides: oneshot::Sender<bool>) {
        let Self { link, channel, to, id, who, what, after_others_words, until, answered, unwanted } = self;
        if let Some(there) = link.connected() {
            let words = tools::may_i(to, who.get(), &what, after_others_words);
            let message = nonced(CreateMessage::new().content(words))
                .allowed_mentions(CreateAllowedMentions::new().replied_user(false))
                .flags(MessageFlags::SUPPRESS_EMBEDS)
                .components(vec![yes_and_no(to, id)]);
            let posting = with_retries(|| link.post(&there.http, channel, &message));
            match timeout_at(until, posting).await {
                Ok(Ok(Some(message))) => {
                    let became = tokio::select! {
                        biased;
                        answer = answered => if answer == Ok(true) { ConfirmOutcome::Agreed } else { ConfirmOutcome::Declined },
                        () = sleep_until(until) => ConfirmOutcome::Unanswered,
                        () = unwanted.cancelled() => ConfirmOutcome::Unwanted,
                    };
                    // Whoever waits goes on while the message is still being edited.
                    decides.send(became == ConfirmOutcome::Agreed).ok();
                    let words = tools::was_asked(to, who.get(), &what, became);
                    let edit = EditMessage::new()
                        .content(words)
                        .components(Vec::new())
                        .allowed_mentions(CreateAllowedMentions::new().replied_user(false));
                    if let Err(error) =
                        with_retries(|| channel.edit_message(&there.http, message, edit.clone())).await
                    {
                        tracing::warn!(%channel, %error, "what became of a question is not shown");
                    }
                }
                Ok(Ok(None)) => tracing::warn!(%channel, "a question was posted and cannot be found"),
                Ok(Err(error)) => tracing::warn!(%channel, %error, "a question could not be asked"),
                Err(_) => tracing::warn!(%channel, "a question could not be asked in time"),
            }
        }
        link.questions().close(id);
    }
}

fn yes_and_no(to: Tongue, id: u64) -> CreateActionRow {
    let button = |answer: &str, label, style| {
        CreateButton::new(format!("{PREFIX}{answer}|{id:016x}")).label(label).style(style)
    };
    CreateActionRow::Buttons(vec![
        button("yes", tools::yes(to), ButtonStyle::Primary),
        button("no", tools::no(to), ButtonStyle::Secondary),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALICE: UserId = UserId::new(2);
    const BEN: UserId = UserId::new(3);

    #[test]
    fn only_whoever_is_asked_answers_and_only_once() {
        let questions = Questions::default();
        let (id, mut answered) = questions.open(ALICE).unwrap();
        let press = |answer: &str| press_of(&format!("confirm|{answer}|{id:016x}")).unwrap();
        assert_eq!(questions.press(press("yes"), BEN), PressOutcome::NotTheirs);
        assert!(answered.try_recv().is_err());
        assert_eq!(questions.press(press("yes"), ALICE), PressOutcome::Counts);
        assert_eq!(answered.try_recv(), Ok(true));
        assert_eq!(questions.press(press("no"), ALICE), PressOutcome::Decided);
        questions.close(id);
        assert_eq!(questions.press(press("yes"), ALICE), PressOutcome::TooLate);
    }

    #[test]
    fn a_question_that_nobody_waits_for_any_more_takes_no_answer() {
        let questions = Questions::default();
        let (id, answered) = questions.open(ALICE).unwrap();
        drop(answered);
        let press = press_of(&format!("confirm|yes|{id:x}")).unwrap();
        assert_eq!(questions.press(press, ALICE), PressOutcome::Decided);
    }

    #[test]
    fn other_buttons_are_no_answers() {
        for id in
            ["confirm|", "confirm|yes", "confirm|maybe|1", "confirm|yes|x", "forget|ask", "confirm|yes|-1"]
        {
            assert_eq!(press_of(id), None, "{id}");
        }
    }

    #[test]
    fn not_endlessly_many_are_open() {
        let questions = Questions::default();
        let open: Vec<_> = (0..MOST_OPEN).map(|_| questions.open(ALICE).unwrap()).collect();
        assert!(questions.open(ALICE).is_none());
        questions.close(open[0].0);
        assert!(questions.open(ALICE).is_some());
    }
}
