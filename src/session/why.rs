//! "Why did you say that, why did you not remember?": the turn's record and the history, asked together.

use std::collections::HashSet;

use crate::domain::{TokenEncoding, TurnTrace};
use crate::history::{Found, History, HistoryError, Visible};
use crate::text::names::prompt_label;
use crate::trace::{Standing, render, why};

/// Stored messages looked at; more would not be read.
const MOST: u32 = 8;

/// Answers in Markdown what a turn did with some words. The operator also learns how much is kept where the turn may
/// not look; nobody else does.
///
/// # Errors
/// When the history cannot be read.
pub async fn answer_why(
    history: &History,
    trace: &TurnTrace,
    words: &str,
    reader: Standing,
) -> Result<String, HistoryError> {
    if trace.request.is_empty() {
        return Ok(render::asked_nobody(trace));
    }
    let found = why(trace, words, reader);
    let here = Visible::at(&trace.place);
    let shown: HashSet<_> = trace.pending.iter().copied().collect();
    let holds = |hit: &Found| hit.turn.content.to_lowercase().contains(&words.trim().to_lowercase());
    let newest = trace.pending.iter().max().copied();
    let stored: Vec<_> = history
        .search(words, &here, MOST, TokenEncoding::CharsOver4)
        .await?
        .into_iter()
        .filter(|hit| holds(hit) && !shown.contains(&hit.turn.id))
        .filter(|hit| newest.is_none_or(|newest| hit.turn.id <= newest))
        .filter(|hit| {
            let mut readable = trace.request.iter().filter(|sent| reader.may_read(sent));
            !readable.any(|sent| sent.content.contains(hit.turn.content.trim()))
        })
        .map(told)
        .collect();
    let hidden = match reader {
        Standing::Reader | Standing::Person => 0,
        Standing::Operator => {
            let elsewhere: Vec<_> =
                history.audiences().await?.into_iter().filter(|audience| !here.includes(audience)).collect();
            let hits =
                history.search(words, &Visible::only(elsewhere), MOST, TokenEncoding::CharsOver4).await?;
            hits.iter().filter(|hit| holds(hit)).count()
        }
    };
    Ok(render::why(trace, words, &found, &stored, hidden))
}

fn told(hit: Found) -> render::Stored {
    let who = hit
        .turn
        .author
        .as_ref()
        .map_or_else(|| "the familiar".to_owned(), |author| prompt_label(author.label()));
    let place = hit.channel_name.unwrap_or_else(|| hit.channel.to_string());
    let told = format!("{who}, {}, {place}", hit.turn.at.strftime("%F %H:%M UTC"));
    render::Stored { told, words: hit.turn.content }
}
