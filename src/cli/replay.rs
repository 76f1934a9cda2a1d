//! `familiar replay`: a past turn with another model, budget or effort, or without some pieces of its prompt.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::Args;
use futures::StreamExt as _;
use serde_json::json;

use super::report;
use super::run::{defaults_dir, existing};
use crate::app::{App, Duty, StartOptions, WithoutHistory};
use crate::config::Secrets;
use crate::domain::{AssemblyFigures, ChatMessage, ChunkFate, Effort, Slot, TurnId, TurnTrace};
use crate::llm::{CompletionRequest, Delta, SessionKey, tools_in_words};
use crate::session::ReplayChanges;

/// `familiar replay`.
#[derive(Debug, Args)]
pub(super) struct ReplayArgs {
    /// The turn, as `t42`; without it the last one
    pub turn: Option<TurnId>,
    /// Ask this model instead of the configured one
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Assemble the prompt again within so many tokens; without it the recorded request is sent word for word
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u32).range(500..=1_000_000))]
    pub budget: Option<u32>,
    /// Assemble the prompt again, as if the question were worth so much effort
    #[arg(long, value_name = "1-10", value_parser = clap::value_parser!(u8).range(1..=10))]
    pub effort: Option<u8>,
    /// Assemble the prompt again without this piece, by the name that the x-ray has for it; may be given several times
    #[arg(long, value_name = "PIECE")]
    pub without: Vec<String>,
    /// Assemble the prompt again, with the settings, card and lore of today
    #[arg(long)]
    pub rebuild: bool,
    /// Do not ask the model; only say what its prompt would be
    #[arg(long)]
    pub dry_run: bool,
    /// Which familiar; default: FAMILIAR_ID, else the only one there is
    #[arg(long, value_name = "ID")]
    pub familiar: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Runs the turn again. Nothing is stored or posted, so this works beside the running familiar.
///
/// # Errors
/// When there is no such turn, it left nothing to run again, or the model fails.
pub(super) async fn run_replay(
    args: &ReplayArgs,
    data_dir: &Path,
    secrets: &Secrets,
) -> anyhow::Result<ExitCode> {
    let familiar = existing(args.familiar.as_deref(), data_dir, secrets)?;
    let options = StartOptions {
        data_dir: data_dir.to_owned(),
        familiar,
        defaults_dir: defaults_dir(),
        without_history: WithoutHistory::default(),
        duty: Duty::LookOn { model: args.model.clone() },
    };
    let app = App::start(options, secrets).await?;
    let outcome = replay(args, &app).await;
    app.stop(std::future::ready(()), || {}).await;
    outcome
}

async fn replay(args: &ReplayArgs, app: &App) -> anyhow::Result<ExitCode> {
    let found = match args.turn {
        Some(turn) => app.traces.get(turn).await?,
        None => app.traces.latest(None).await?,
    };
    let Some(trace) = found else {
        bail!("there is no such turn; familiar context --list shows which there are");
    };
    let changes = ReplayChanges {
        budget_tokens: args.budget,
        effort: args.effort.map(Effort::new),
        without: args.without.clone(),
    };
    let (request, figures) = if args.rebuild || changes != ReplayChanges::default() {
        let (request, figures) = app.session.rebuild(&trace, changes).await?.into_parts();
        (request, Some(figures))
    } else if trace.request.is_empty() {
        bail!("{} asked no model: {}", trace.id, trace.outcome.summary());
    } else {
        (messages_of(&trace), None)
    };
    if !args.json {
        report::write_line(&differences(&trace, figures.as_ref()))?;
    }
    let slot = slot_of(&trace, figures.as_ref());
    let answer = if args.dry_run {
        None
    } else {
        Some(ask_again(app, &trace, slot, request.clone(), !args.json).await?)
    };
    if args.json {
        let printed = json!({
            "turn": trace.id.to_string(),
            "slot": slot,
            "model": app.models.slot(slot).describe().model,
            "request": request,
            "figures": figures,
            "was": trace.reply,
            "reply": answer.as_ref().map(|answer| &answer.reply),
            "calls": answer.as_ref().map(|answer| &answer.calls),
        });
        report::write_line(&serde_json::to_string_pretty(&printed)?)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What is in the prompt now and was not, and the other way round.
fn differences(trace: &TurnTrace, now: Option<&AssemblyFigures>) -> String {
    let was = trace.reply.as_deref().unwrap_or("(nothing)");
    let mut text = format!("{}\n\nIt said:\n{was}\n", trace.id);
    let (Some(before), Some(now)) = (&trace.assembly, now) else {
        text.push_str("\nThe request is the recorded one, word for word.\n");
        return text;
    };
    text.push_str(&format!(
        "\nPrompt: {} of {} tokens then, {} of {} now.\n",
        before.prompt_tokens, before.budget_tokens, now.prompt_tokens, now.budget_tokens
    ));
    let (had, has) = (kept_names(before), kept_names(now));
    for (title, sources) in [("Only now", has.difference(&had)), ("Only then", had.difference(&has))] {
        let sources: Vec<&str> = sources.copied().collect();
        if !sources.is_empty() {
            text.push_str(&format!("{title}: {}\n", sources.join(", ")));
        }
    }
    text
}

fn kept_names(figures: &AssemblyFigures) -> BTreeSet<&str> {
    figures
        .chunks
        .iter()
        .filter(|chunk| chunk.fate == ChunkFate::Kept)
        .map(|chunk| chunk.source.as_str())
        .collect()
}

/// Which slot the turn used, or uses now where it was planned again.
fn slot_of(trace: &TurnTrace, now: Option<&AssemblyFigures>) -> Slot {
    let figures = now.or(trace.assembly.as_ref());
    figures.and_then(|figures| figures.plan.as_ref()).map_or(Slot::MainProse, |plan| plan.slot)
}

/// The prompt of the turn, without what its model was told of tools in words: whoever is asked now is told as they need it.
fn messages_of(trace: &TurnTrace) -> Vec<ChatMessage> {
    let mut messages = trace.request.clone();
    if trace.has_tools_in_words() {
        let told = tools_in_words(&trace.tools());
        messages.retain(|message| message.content != told);
    }
    messages
}

/// What the model said, and what it would have looked up or done first: a replay runs no tools.
struct ReplayAnswer {
    reply: String,
    calls: Vec<String>,
}

async fn ask_again(
    app: &App,
    trace: &TurnTrace,
    slot: Slot,
    messages: Vec<ChatMessage>,
    print: bool,
) -> anyhow::Result<ReplayAnswer> {
    let model = app.models.slot(slot);
    // A session of its own: it must not move the live conversation to another provider.
    let live =
        SessionKey::of(app.history.salt(), &trace.familiar, trace.place.platform, &trace.place.channel);
    let request = CompletionRequest {
        session: Some(live.beside("replay")),
        max_tokens: trace.assembly.as_ref().map(|assembly| assembly.reserve_tokens),
        tools: trace.tools(),
        ..CompletionRequest::new(slot, messages)
    };
    if print {
        report::write_line(&format!("{} says now:", model.describe().model))?;
    }
    let mut stream = model.complete(request).await.context("the model failed")?;
    let mut reply = String::new();
    let mut calls: BTreeMap<u32, String> = BTreeMap::new();
    while let Some(delta) = stream.next().await {
        match delta.context("the model failed")? {
            Delta::Text(words) => {
                if print {
                    report::write_words(&words)?;
                }
                reply.push_str(&words);
            }
            Delta::ThoughtAloud => reply.clear(),
            Delta::Finished(_) => break,
            Delta::ToolCall(fragment) => {
                let call = calls.entry(fragment.index).or_default();
                if let Some(name) = fragment.name.filter(|name| !name.is_empty()) {
                    *call = format!("{name} ");
                }
                call.push_str(&fragment.arguments);
            }
            Delta::Reasoning(_) | Delta::AttemptFailed(_) => {}
        }
    }
    let calls: Vec<String> = calls.into_values().collect();
    if print {
        report::write_line("")?;
        for call in &calls {
            report::write_line(&format!("It would call: {call}"))?;
        }
    }
    Ok(ReplayAnswer { reply, calls })
}
