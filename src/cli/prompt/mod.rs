//! `familiar prompt`: what a turn would send, without any model.
//!
//! Owns printing the prompt of a case file, so that it can be compared message for message with what other
//! programs build for the same input. Must not talk to a model or read an installed familiar.

mod case;
mod lore;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::report::{printed, reasons, write_words};
use crate::context::{PromptTooLarge, render_layered_case};
use crate::domain::ChatMessage;
use crate::familiar::read_bounded;
use familiar_cards::sillytavern::{self, StOverflow};

use case::{CaseCard, ChatReading, NO_CARD, PromptCase};

/// What a case is, behind the list of options.
const CASE_FORM: &str = r#"A case is a JSON file, such as
  {"card": {"name": "Mika"}, "chat": [["u", "hello"], ["c", "Hi."], ["u", "And?"]]}
with "u" for what the person says and "c" for the character. It may also have:
  user, persona            what the person is called, and who they are
  group, nickname          the names of a group chat; another name for the character
  lorebook                 a book, whose entries the chat calls up
  wiBefore, wiAfter        lore, written out, before and behind the character
  wiDepth                  a list of {"text", "depth", "role"}: lore in the chat
  an                       {"text", "position", "depth", "role"}: the author's note
  names, pin, ctx          as SillyTavern has them: names in the chat (-1 to 2), examples
                           that stay (true), the context size in tokens
Roles are 0 for system, 1 for the person, 2 for the character."#;

/// What `familiar prompt` takes.
#[derive(Debug, Args)]
#[command(after_help = CASE_FORM)]
pub(super) struct PromptArguments {
    /// The character card; without it the case's own `card` is used.
    #[arg(long, value_name = "FILE")]
    card: Option<PathBuf>,
    /// The case: the chat of a turn and what is around it, written down.
    #[arg(long, value_name = "CASE.json")]
    case: PathBuf,
    /// The order of the prompt's parts.
    #[arg(long, value_enum, default_value_t = PromptOrder::St)]
    mode: PromptOrder,
    /// Print JSON: a list of {role, name?, content}, or {error} when the prompt does not fit.
    #[arg(long)]
    json: bool,
}

/// The order of the prompt's parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PromptOrder {
    /// SillyTavern's order, message for message; tokens are counted as a quarter of the characters.
    St,
    /// Our own order: one stable block, the chat, what is true now, obligations.
    Layered,
}

/// Prints the prompt. Exit code 2 when what must be sent does not fit, 1 when something could not be read.
pub(super) fn run_prompt(arguments: &PromptArguments) -> ExitCode {
    let prompt = built_messages(arguments)
        .map(|messages| if arguments.json { prompt_as_json(&messages) } else { prompt_as_text(&messages) });
    match prompt {
        Ok(text) => printed("prompt", write_words(&text)),
        Err(failure) => {
            let is_size = failure.is::<StOverflow>() || failure.is::<PromptTooLarge>();
            let (code, why) = (if is_size { 2 } else { 1 }, reasons(&failure));
            if arguments.json {
                printed("prompt", write_words(&format!("{:#}\n", json!({ "error": why }))));
            } else {
                let _ = writeln!(io::stderr(), "familiar prompt: {why}");
            }
            ExitCode::from(code)
        }
    }
}

fn built_messages(arguments: &PromptArguments) -> anyhow::Result<Vec<ChatMessage>> {
    let at_case = || arguments.case.display().to_string();
    let bytes = fs::read(&arguments.case).with_context(|| format!("cannot read {}", at_case()))?;
    let case = PromptCase::read(&bytes).with_context(at_case)?;
    let card = arguments.card.as_deref().map(card_of).transpose()?;
    match arguments.mode {
        PromptOrder::St => {
            let world = case.world(card, ChatReading::AsSillyTavern).with_context(at_case)?;
            Ok(sillytavern::build(&world.input())?)
        }
        PromptOrder::Layered => {
            let world = case.world(card, ChatReading::AsLive).with_context(at_case)?;
            Ok(render_layered_case(&world.input())?)
        }
    }
}

fn card_of(path: &Path) -> anyhow::Result<CaseCard> {
    let card = read_bounded(path).context(NO_CARD).and_then(|bytes| case::card_file(&bytes));
    let mut card = card.with_context(|| path.display().to_string())?;
    let name = &mut card.character.name;
    if name.is_empty() {
        // As an import without --name does (cards-and-lore 3).
        *name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    }
    Ok(card)
}

fn prompt_as_json(messages: &[ChatMessage]) -> String {
    let list: Vec<Value> = messages
        .iter()
        .map(|message| {
            let mut object = json!({ "role": message.role.as_str(), "content": message.content });
            if let Some(name) = &message.name {
                object["name"] = json!(name);
            }
            object
        })
        .collect();
    format!("{:#}\n", Value::Array(list))
}

fn prompt_as_text(messages: &[ChatMessage]) -> String {
    let blocks: Vec<String> = messages
        .iter()
        .map(|message| match &message.name {
            Some(name) => format!("── {} ({name})\n{}\n", message.role.as_str(), message.content),
            None => format!("── {}\n{}\n", message.role.as_str(), message.content),
        })
        .collect();
    blocks.join("\n")
}
