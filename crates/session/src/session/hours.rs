//! The hours it keeps, written once by a model from its card: `schedule.md`.
//!
//! Owns what the model is asked and what is kept of its answer; never writes over a file that is there. Must not know who
//! wants it. Start reading at [`make_hours`].

use std::path::PathBuf;

use tokio::time::Instant;

use super::parts::SessionParts;
use crate::config::{ConfigError, write_atomic};
use crate::context::outlets::closed;
use crate::context::{Addressee, character_macros};
use crate::domain::Slot;
use crate::familiar::{Character, read_schedule};
use crate::llm::{CompletionRequest, ModelError, ask_side};
use crate::text::unicode::without_control;
use familiar_cards::macros::Moment;

/// The longest schedule, in tokens.
const ANSWER_TOKENS: u32 = 400;

/// What the model is asked.
const TASK: &str = "Below is a character. Write the hours of an ordinary day of theirs, three to seven lines, and nothing else. A line \
                    is `- hours awake: …`, `- hours busy: …` or `- hours asleep: …`, such as `- 23:00-07:00 asleep: in the loft`; \
                    days may stand before the hours, such as `- Mon-Fri 09:00-12:00 busy: at the forge`. Hours are from 00:00 to \
                    24:00; the first line that fits counts; what no line names, they are awake and free. What they do is six words \
                    at most, in the language of the card. Whoever sleeps, sleeps once a day; busy is a third of the day at most.";

/// Hours that were written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HoursMade {
    /// Line by line.
    pub lines: String,
    pub path: PathBuf,
}

/// Why no hours were written down. Nothing was kept.
#[derive(Debug, thiserror::Error)]
pub enum NoHours {
    #[error("{} is there already; edit it, or move it away first", .0.display())]
    AreThere(PathBuf),
    #[error("there is no language model to write them: connect one (`familiar doctor` says how), or write {} yourself", .0.display())]
    NoModel(PathBuf),
    #[error("the model failed: {0}")]
    Model(ModelError),
    #[error(
        "what the model wrote cannot be read as a schedule ({why}); nothing was kept, ask again:\n{lines}"
    )]
    Unreadable { why: String, lines: String },
    #[error(transparent)]
    Unwritten(#[from] ConfigError),
    #[error(transparent)]
    Stopped(#[from] tokio::task::JoinError),
}

/// Asks a model for the hours and writes them down, where there are none yet.
pub(super) async fn make_hours(parts: &SessionParts) -> Result<HoursMade, NoHours> {
    let path = parts.config.home().schedule_md();
    let file = path.clone();
    if tokio::task::spawn_blocking(move || file.exists()).await? {
        return Err(NoHours::AreThere(path));
    }
    if parts.models.slot(Slot::MainProse).describe().is_rehearsal() {
        return Err(NoHours::NoModel(path));
    }
    let character = parts.character.current();
    let lines =
        hour_lines(&ask_for_hours(parts, card_in_short(parts, &character)).await.map_err(NoHours::Model)?);
    let (schedule, problems) = read_schedule(&lines);
    if schedule.is_empty() || !problems.is_empty() {
        let why = problems.into_iter().next().unwrap_or_else(|| "it has no line of hours".to_owned());
        return Err(NoHours::Unreadable { why, lines });
    }
    // What a model or a card brings is shown in terminals.
    let name = without_control(character.spoken_name());
    let (file, text) = (path.clone(), format!("# The days of {name}\n\n{lines}\n"));
    let written = tokio::task::spawn_blocking(move || {
        // Somebody may have written one while the model did.
        if file.exists() { Ok(false) } else { write_atomic(&file, &text).map(|()| true) }
    });
    match written.await?? {
        true => Ok(HoursMade { lines, path }),
        false => Err(NoHours::AreThere(path)),
    }
}

/// The card, as far as it says how its days are.
fn card_in_short(parts: &SessionParts, character: &Character) -> String {
    let config = parts.config.current();
    let user = Addressee::named(config.render.user_fallback.clone());
    let now = parts.clock.now().to_zoned(config.display_tz.clone());
    let moment = Moment::new(now, String::new(), String::new());
    let filled = |raw: &str| closed(character_macros(character, &user, &moment, raw));
    format!(
        "Name: {}\nDescription: {}\nPersonality: {}\nScenario: {}\n",
        character.spoken_name(),
        filled(&character.description),
        filled(&character.personality),
        filled(&character.scenario),
    )
}

async fn ask_for_hours(parts: &SessionParts, card: String) -> Result<String, ModelError> {
    let request = CompletionRequest {
        max_tokens: Some(ANSWER_TOKENS),
        ..CompletionRequest::instructed(Slot::MainProse, TASK, card)
    };
    // It is asked once and answers in a few lines: longer than one answer may take, nobody waits.
    let deadline = Instant::now() + parts.config.current().llm.answer_timeout;
    let answer = ask_side(&parts.models.slot(Slot::MainProse), request, deadline, |_| {}).await?;
    Ok(answer.text)
}

/// The lines of hours, without whatever a model writes around them.
fn hour_lines(said: &str) -> String {
    let lines = said.lines().map(str::trim).filter(|line| line.starts_with("- "));
    lines.map(without_control).collect::<Vec<_>>().join("\n")
}
