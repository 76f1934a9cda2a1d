//! `familiar memory unwritten`: what no memory could be made of yet.

use std::process::ExitCode;

use crate::cli::out;
use crate::cli::report::plain;
use crate::config::FamiliarHome;
use crate::history::{Hindrance, History, HistoryOptions, passed_over_in};

/// A line for each stretch; with `again`, has all of them read again.
pub(super) async fn run(home: &FamiliarHome, again: bool) -> anyhow::Result<ExitCode> {
    if !home.history_db().exists() {
        out::line("nothing was said yet")?;
        return Ok(ExitCode::SUCCESS);
    }
    if again {
        let history = History::open(&home.history_db(), HistoryOptions::default()).await?;
        let count = history.read_again().await?;
        history.close().await?;
        let words =
            if count == 0 { "nothing waits" } else { "they are read again after the next message there" };
        out::line(words)?;
        return Ok(ExitCode::SUCCESS);
    }
    let all = passed_over_in(&home.history_db())?;
    if all.is_empty() {
        out::line("nothing waits")?;
    }
    for one in all {
        let why = match one.why {
            Hindrance::Failed => "the model failed",
            Hindrance::Refused => "the model refused",
            Hindrance::Empty => "the model answered nothing",
            Hindrance::Unreadable => "the answer could not be read",
            Hindrance::Unwritten => "it could not be written",
        };
        let next = match one.not_before {
            Some(at) => format!("is read again from {} on", at.strftime("%F %H:%M UTC")),
            None => "given up; `familiar memory unwritten --again` has it read again".to_owned(),
        };
        let waits = one.answer.map(|name| format!(", the answer waits as {name}")).unwrap_or_default();
        out::line(&format!(
            "{}  since {}, {} more tries: {why}{}; {next}",
            plain(one.channel.as_str()),
            one.since.strftime("%F %H:%M UTC"),
            one.tries,
            plain(&waits)
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}
