//! Asking whoever caused something before it is done: a message with two buttons, and what became of it.
//!
//! A question lives as long as its message: the task that posted it edits it when it is answered, when nobody answers, and
//! when it is no longer wanted.

use serenity::all::{
    ButtonStyle, CreateActionRow, CreateAllowedMentions, CreateButton, CreateMessage, EditMessage,
    MessageFlags,
};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::discord::link::DiscordLink;
use crate::discord::members::user;
use crate::discord::messages::Tongue;
use crate::discord::messages::tools::{self, ConfirmOutcome};
use crate::discord::questions::Press;
use crate::discord::sending::{channel_of, nonced, with_retries};
use crate::session::{CONFIRM_WITHIN, Confirmation};

pub(super) async fn confirms(link: &DiscordLink, ask: Confirmation) -> bool {
    let (Ok(channel), Some(who)) = (channel_of(&ask.place), user(&ask.who.account)) else { return false };
    let Some((id, answered)) = link.questions().open(who) else { return false };
    let (link, to, until) = (link.clone(), link.tongue_in(&ask.place), Instant::now() + CONFIRM_WITHIN);
    // Cancelled once nobody waits for the answer.
    let unwanted = CancellationToken::new();
    let _wanted = unwanted.clone().drop_guard();
    let (decides, decided) = oneshot::channel();
    tokio::spawn(async move {
        if let Some(there) = link.connected() {
            let words = tools::may_i(to, who.get(), &ask.what, ask.after_others_words);
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
                    let words = tools::was_asked(to, who.get(), &ask.what, became);
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
    });
    decided.await.unwrap_or(false)
}

fn yes_and_no(to: Tongue, question: u64) -> CreateActionRow {
    let button = |agrees, label, style| {
        CreateButton::new(Press { question, agrees }.button()).label(label).style(style)
    };
    CreateActionRow::Buttons(vec![
        button(true, tools::yes(to), ButtonStyle::Primary),
        button(false, tools::no(to), ButtonStyle::Secondary),
    ])
}
