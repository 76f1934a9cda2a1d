//! `familiar schedule`: the hours a familiar keeps, written once by a model from its card.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use futures::StreamExt as _;

use super::report::{self, without_control};
use super::target::looking_on;
use crate::app::App;
use crate::config::{Secrets, write_atomic};
use crate::context::{Addressee, character_macros};
use crate::domain::{ChatMessage, Role, Slot};
use crate::familiar::{Character, read_schedule};
use crate::llm::{CompletionRequest, Delta};
use familiar_cards::macros::Moment;

/// `familiar schedule`.
#[derive(Debug, Args)]
pub(super) struct ScheduleArgs {
    #[command(subcommand)]
    verb: ScheduleVerb,
}

#[derive(Debug, Subcommand)]
enum ScheduleVerb {
    /// Have the model write schedule.md from the card; never over one that is there
    Make {
        /// Which familiar; default: FAMILIAR_ID, else the only one there is
        #[arg(long, value_name = "ID")]
        familiar: Option<String>,
    },
}

/// The longest schedule, in tokens.
const ANSWER_TOKENS: u32 = 400;

/// What the model is asked.
const TASK: &str = "Below is a character. Write the hours of an ordinary day of theirs, three to seven lines, and nothing else. A line \
                    is `- hours awake: …`, `- hours busy: …` or `- hours asleep: …`, such as `- 23:00-07:00 asleep: in the loft`; \
                    days may stand before the hours, such as `- Mon-Fri 09:00-12:00 busy: at the forge`. Hours are from 00:00 to \
                    24:00; the first line that fits counts; what no line names, they are awake and free. What they do is six words \
                    at most, in the language of the card. Whoever sleeps, sleeps once a day; busy is a third of the day at most.";

/// Exit code 1 where there is a schedule already, or the model gave none that can be read: then nothing is written.
///
/// # Errors
/// See there.
pub(super) async fn run_schedule(
    args: &ScheduleArgs,
    data_dir: &Path,
    secrets: &Secrets,
) -> anyhow::Result<ExitCode> {
    let ScheduleVerb::Make { familiar } = &args.verb;
    let app = looking_on(familiar.as_deref(), data_dir, secrets).await?;
    let made = make(&app).await;
    app.stop(std::future::ready(()), || {}).await;
    made
}

async fn make(app: &App) -> anyhow::Result<ExitCode> {
    let path = app.config.home().schedule_md();
    if path.exists() {
        bail!("{} is there already; edit it, or move it away first", path.display());
    }
    let character = app.character.current();
    let lines = lines_of(&ask(app, &character).await?);
    let (schedule, problems) = read_schedule(&lines);
    if schedule.is_empty() || !problems.is_empty() {
        let why = problems.first().map_or("it has no line of hours", String::as_str);
        bail!(
            "what the model wrote cannot be read as a schedule ({why}); nothing was kept, ask again:\n{lines}"
        );
    }
    let name = without_control(character.spoken_name());
    write_atomic(&path, &format!("# The days of {name}\n\n{lines}\n"))?;
    let zone = app.config.current().display_tz.clone();
    let zone = zone.iana_name().unwrap_or("UTC").to_owned();
    report::write_line(&format!("{lines}\n\nWritten to {}, by the clock of {zone}.", path.display()))?;
    Ok(ExitCode::SUCCESS)
}

async fn ask(app: &App, character: &Character) -> anyhow::Result<String> {
    let config = app.config.current();
    let user = Addressee::named(config.render.user_fallback.clone());
    let now = app.clock.now().to_zoned(config.display_tz.clone());
    let moment = Moment::new(now, String::new(), String::new());
    let filled = |raw: &str| character_macros(character, &user, &moment, raw);
    let card = format!(
        "Name: {}\nDescription: {}\nPersonality: {}\nScenario: {}\n",
        character.spoken_name(),
        filled(&character.description),
        filled(&character.personality),
        filled(&character.scenario),
    );
    let messages = vec![ChatMessage::new(Role::System, TASK), ChatMessage::new(Role::User, card)];
    let request = CompletionRequest {
        max_tokens: Some(ANSWER_TOKENS),
        ..CompletionRequest::new(Slot::MainProse, messages)
    };
    let mut stream = app.models.slot(Slot::MainProse).complete(request).await.context("the model failed")?;
    let mut said = String::new();
    while let Some(delta) = stream.next().await {
        match delta.context("the model failed")? {
            Delta::Text(words) => said.push_str(&words),
            Delta::Finished(_) => break,
            _ => {}
        }
    }
    Ok(said)
}

/// The lines of hours, without whatever a model writes around them.
fn lines_of(said: &str) -> String {
    let lines = said.lines().map(str::trim).filter(|line| line.starts_with("- "));
    lines.map(without_control).collect::<Vec<_>>().join("\n")
}
