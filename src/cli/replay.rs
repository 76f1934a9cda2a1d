//! `familiar replay`: a past turn with another model, budget or effort, or without some pieces of its prompt.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::Args;
use serde_json::json;

use super::report;
use super::target::looking_on;
use crate::app::App;
use crate::config::{Secrets, likest_names};
use crate::domain::{AssemblyFigures, ChunkFate, Effort, TurnId, TurnTrace};
use crate::home::Commands;
use crate::session::{Replay, ReplayAnswer, ReplayChanges};
use crate::trace::render;

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
    let app = looking_on(args.familiar.as_deref(), data_dir, secrets).await?;
    let outcome = replay(args, &app).await;
    app.stop(std::future::ready(()), || {}).await;
    outcome
}

async fn replay(args: &ReplayArgs, app: &App) -> anyhow::Result<ExitCode> {
    let found = match args.turn {
        Some(turn) => app.traces.whole().get(turn).await?,
        None => app.traces.whole().latest(None).await?,
    };
    let Some(trace) = found else {
        let commands = Commands::of(app.config.home());
        bail!(commands.in_text(report::NO_SUCH_TURN));
    };
    let changes = ReplayChanges {
        budget_tokens: args.budget,
        effort: args.effort.map(Effort::new),
        without: args.without.clone(),
        model: None,
    };
    let (replay, figures) = if args.rebuild || changes != ReplayChanges::default() {
        let changes = ReplayChanges { model: args.model.clone(), ..changes };
        let (request, figures) = app.session.rebuild(&trace, changes).await?.into_parts();
        are_pieces(&args.without, &trace, &figures)?;
        (Replay::made(request, &figures, args.model.clone()), Some(figures))
    } else if trace.request.is_empty() {
        let why = render::lost(&trace).unwrap_or("it asked no model");
        bail!("{} cannot be asked again as it was: {why} ({})", trace.id, render::outcome(&trace));
    } else {
        (Replay::recorded(&trace, args.model.clone()), None)
    };
    if !args.json {
        report::write_line(&differences(&trace, figures.as_ref()))?;
    }
    let (slot, model, request) =
        (replay.slot, app.session.asked_by(&replay).model, args.json.then(|| replay.messages.clone()));
    let answer = if args.dry_run { None } else { Some(ask_again(args, app, &trace, replay).await?) };
    if args.json {
        let printed = json!({
            "turn": trace.id.to_string(),
            "slot": slot,
            "model": model,
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

/// So many names are told to whoever names a piece that there is not.
const NAMES_TOLD: usize = 3;

/// Whether what is to be left out was offered, then or now: a prompt without what never was in it proves nothing.
fn are_pieces(without: &[String], trace: &TurnTrace, now: &AssemblyFigures) -> anyhow::Result<()> {
    let chunks = trace.assembly.iter().chain([now]).flat_map(|figures| &figures.chunks);
    let offered: BTreeSet<&str> = chunks.map(|chunk| chunk.source.as_str()).collect();
    let Some(unknown) = without.iter().find(|piece| !offered.contains(piece.as_str())) else { return Ok(()) };
    let near = likest_names(unknown, offered.iter().copied(), NAMES_TOLD);
    bail!("no piece of {} is called {unknown:?}; the nearest names are: {}", trace.id, near.join(", "))
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

/// Prints what the model says as it comes, unless JSON is printed.
async fn ask_again(
    args: &ReplayArgs,
    app: &App,
    trace: &TurnTrace,
    replay: Replay,
) -> anyhow::Result<ReplayAnswer> {
    if args.json {
        return app.session.replay(trace, replay, |_| {}).await.context("the model failed");
    }
    report::write_line(&format!("{} says now:", app.session.asked_by(&replay).model))?;
    let mut written = Ok(());
    let told = |words: &str| {
        if written.is_ok() {
            written = report::write_words(words);
        }
    };
    let answer = app.session.replay(trace, replay, told).await.context("the model failed")?;
    written?;
    report::write_line("")?;
    for call in &answer.calls {
        report::write_line(&format!("It would call: {call}"))?;
    }
    Ok(answer)
}
