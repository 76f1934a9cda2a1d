//! `familiar simulate`: plays scenes from files, and says whether what was expected came true.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use clap::Args;
use serde_json::{Value, json};

use super::bundled;
use super::report::{self, without_control};
use super::target::{RunTarget, defaults_dir, existing, find_target, settings_of};
use crate::clock::SystemClock;
use crate::config::{FamiliarHome, Secrets};
use crate::domain::FamiliarId;
use crate::familiar::{InitRequest, Refusal, init};
use crate::llm::{Prices, listed_prices};
use crate::simulate::{EveningCost, PlayOptions, Played, Scene, cost_of, line_of, play};

/// How many scenes are played at once.
const FILES_MAX: usize = 1_000;

/// How many files of a familiar are copied for whoever plays, at most.
const COPIED_MAX: usize = 5_000;

/// How far it has come is told this often.
const PROGRESS_EVERY: Duration = Duration::from_secs(2);

/// `familiar simulate`.
#[derive(Debug, Args)]
pub(super) struct SimulateArgs {
    /// Files of scenes, or folders of such files
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Who plays where a scene does not say: a familiar of yours, without what it remembers, or an example; default: Pell
    #[arg(long, value_name = "ID")]
    pub familiar: Option<String>,
    /// Ask your own models, which is paid as usual, instead of having the scene say what the model says
    #[arg(long)]
    pub model: bool,
    /// Print what an evening of such talk costs, by model
    #[arg(long)]
    pub cost: bool,
    /// Print what did not come true and the count, nothing else
    #[arg(long, short)]
    pub quiet: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Who plays where a scene does not say.
enum Player {
    Own(FamiliarHome),
    /// One that does not live here yet. It moves in nowhere but with the scene.
    Example(bundled::Example),
}

/// A scene that was played.
struct Result {
    file: PathBuf,
    text: String,
    played: Played,
}

/// Plays the scenes. Exit code 0 when everything that was expected came true, or is known not to; 2 when a file is no scene;
/// else 1.
///
/// # Errors
/// When a file is not there, or who plays cannot be brought up.
pub(super) fn run_simulate(
    args: &SimulateArgs,
    data_dir: &Path,
    secrets: &Secrets,
) -> anyhow::Result<ExitCode> {
    let player = who_plays(args.familiar.as_deref(), data_dir, secrets)?;
    let home = match &player {
        Player::Own(home) => Some(home.clone()),
        // Whose prices are meant is whoever lives here, if somebody does.
        Player::Example(_) if args.cost => {
            existing(None, data_dir, secrets).ok().map(|id| FamiliarHome::new(data_dir, &id))
        }
        Player::Example(_) => None,
    };
    let options =
        PlayOptions { defaults_dir: defaults_dir(), own_models: args.model.then(|| secrets.clone()) };
    let mut scenes = Vec::new();
    let mut wrong: Vec<String> = Vec::new();
    for file in files(&args.files)? {
        match Scene::read(&file) {
            Ok(scene) => scenes.push((file, scene)),
            Err(error) => wrong.extend(error.0),
        }
    }
    if !wrong.is_empty() {
        for why in &wrong {
            report::tell_progress(&format!("familiar: {why}"));
        }
        return Ok(ExitCode::from(report::USAGE));
    }
    let mut results = Vec::new();
    let mut told: Option<Instant> = None;
    let (all, tells) = (scenes.len(), io::stderr().is_terminal() && (args.quiet || args.json || args.model));
    for (file, scene) in scenes {
        if tells && told.is_none_or(|told| told.elapsed() >= PROGRESS_EVERY) {
            report::tell_progress(&format!("scene {} of {all}: {} …", results.len() + 1, scene.title));
            told = Some(Instant::now());
        }
        let text = fs::read_to_string(&file).unwrap_or_default();
        let moves_in = |folder: &Path| moves_in(&scene, &file, &player, folder);
        let played = play(&scene, &options, moves_in).with_context(|| file.display().to_string())?;
        let result = Result { file, text, played };
        if !args.json {
            print_scene(&result, args.quiet)?;
        }
        results.push(result);
    }
    finish(args, results, home.as_ref())
}

/// The familiar that is named: one of the operator's, else an example, as where it is run. Without a name, Pell.
fn who_plays(named: Option<&str>, data_dir: &Path, secrets: &Secrets) -> anyhow::Result<Player> {
    if named.is_none() {
        return Ok(Player::Example(bundled::FIRST));
    }
    if let RunTarget::None { wanted: Some(id), .. } = find_target(named, data_dir, secrets)?
        && let Some(example) = bundled::example(id.as_str())
    {
        return Ok(Player::Example(example));
    }
    Ok(Player::Own(FamiliarHome::new(data_dir, &existing(named, data_dir, secrets)?)))
}

fn finish(
    args: &SimulateArgs,
    results: Vec<Result>,
    home: Option<&FamiliarHome>,
) -> anyhow::Result<ExitCode> {
    let failed = results
        .iter()
        .any(|result| result.played.known_miss.is_none() && result.played.missed().next().is_some());
    let printed: Vec<Value> = results.iter().map(result_as_json).collect();
    let count = summary(&results);
    let played: Vec<Played> = results.into_iter().map(|result| result.played).collect();
    let cost = if args.cost { Some(cost_of(&played, &prices(home)?)) } else { None };
    if args.json {
        let printed = json!({
            "came_true": !failed,
            "scenes": printed,
            "cost": cost,
        });
        report::write_line(&serde_json::to_string_pretty(&printed)?)?;
    } else {
        report::write_line(&count)?;
        if let Some(cost) = &cost {
            report::write_line(&cost_table(cost))?;
        }
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The files that are named, and those in folders that are, in order.
fn files(named: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for path in named {
        fs::metadata(path).map_err(|error| Refusal::io("read", path, &error))?;
        let mut folders = vec![path.clone()];
        let mut inside = Vec::new();
        while let Some(folder) = folders.pop() {
            if !folder.is_dir() {
                inside.push(folder);
                continue;
            }
            let entries = fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
            for path in entries.flatten().map(|entry| entry.path()) {
                if path.is_dir() || path.extension().is_some_and(|ending| ending == "toml") {
                    folders.push(path);
                }
            }
            if inside.len() + folders.len() > FILES_MAX {
                bail!("{} holds more than {FILES_MAX} scenes; play them folder by folder", path.display());
            }
        }
        inside.sort();
        found.append(&mut inside);
    }
    if found.is_empty() {
        bail!("there is no scene; a scene is a .toml file, see docs/guides/scenes.md");
    }
    Ok(found)
}

/// Has whoever plays move into a folder.
fn moves_in(scene: &Scene, file: &Path, player: &Player, folder: &Path) -> anyhow::Result<FamiliarId> {
    if let Some(card) = &scene.card {
        let beside = file.parent().unwrap_or_else(|| Path::new("."));
        let request = InitRequest::new(beside.join(card), folder.to_owned());
        return Ok(init(&request, |_| ()).with_context(|| format!("taking in {}", card.display()))?.id);
    }
    let example = match (&scene.familiar, player) {
        (None, Player::Own(home)) => {
            copy(home, &FamiliarHome::new(folder, home.id()))?;
            return Ok(home.id().clone());
        }
        (None, Player::Example(example)) => *example,
        (Some(id), _) => bundled::example(id).with_context(|| {
            let all = bundled::EXAMPLES.iter().map(|example| example.id).collect::<Vec<_>>().join(", ");
            format!("no bundled character is called {id:?}; there are {all}. A familiar of yours plays with --familiar")
        })?,
    };
    Ok(example.install(folder)?.id)
}

/// Copies who a familiar is and how it is set up, and nothing of what it remembers.
fn copy(from: &FamiliarHome, to: &FamiliarHome) -> anyhow::Result<()> {
    let of = |home: &FamiliarHome| {
        [
            home.character_toml(),
            home.schedule_md(),
            home.self_dir(),
            home.lore_dir(),
            home.modes_dir(),
            home.prompts_dir(),
            home.skills_dir(),
        ]
    };
    let mut left: Vec<(PathBuf, PathBuf)> = of(from).into_iter().zip(of(to)).collect();
    let mut copied = 0;
    while let Some((from, to)) = left.pop() {
        let failed = || format!("copying {}", from.display());
        if from.is_dir() {
            fs::create_dir_all(&to).with_context(failed)?;
            let entries = fs::read_dir(&from).with_context(failed)?;
            left.extend(entries.flatten().map(|entry| (entry.path(), to.join(entry.file_name()))));
        } else if from.is_file() {
            copied += 1;
            if copied > COPIED_MAX {
                bail!("{} has more than {COPIED_MAX} files beside what it remembers", from.display());
            }
            if let Some(folder) = to.parent() {
                fs::create_dir_all(folder).with_context(failed)?;
            }
            fs::copy(&from, &to).with_context(failed)?;
        }
    }
    Ok(())
}

/// What models cost: as the familiar's settings and its server's list have it, else by the list that comes with the program.
fn prices(home: Option<&FamiliarHome>) -> anyhow::Result<BTreeMap<String, Prices>> {
    let nobody = tempfile::tempdir()?;
    let home = match home {
        Some(home) => home.clone(),
        None => FamiliarHome::new(nobody.path(), &FamiliarId::new("nobody")?),
    };
    let state_dir = home.root().to_owned();
    let config = settings_of(home)?;
    Ok(listed_prices(&state_dir, &config.current().llm, Arc::new(SystemClock)))
}

fn print_scene(result: &Result, quiet: bool) -> anyhow::Result<()> {
    let Result { file, text, played } = result;
    let mut lines = Vec::new();
    let has_missed = played.missed().next().is_some();
    if !quiet || has_missed {
        lines.push(format!("{}  ({})", played.title, file.display()));
    }
    if !quiet {
        let events = played.events.iter();
        lines.extend(
            events.map(|one| format!("  {}  {}  {}", one.time, one.place, without_control(&one.what))),
        );
    }
    for verdict in &played.verdicts {
        let line = verdict.at.map(|at| format!("line {}: ", line_of(text, at).0)).unwrap_or_default();
        match &verdict.but {
            None if quiet => {}
            None => lines.push(format!("  came true  {line}{}", without_control(&verdict.expected))),
            Some(but) => lines.push(format!(
                "  MISSED     {line}expected: {}, but {}",
                without_control(&verdict.expected),
                without_control(but)
            )),
        }
    }
    match &played.known_miss {
        Some(why) if has_missed => lines.push(format!("  known: {why}")),
        Some(_) => lines.push(format!("  {} is marked as a known miss, and came true", played.title)),
        None => {}
    }
    if !lines.is_empty() {
        lines.push(String::new());
        for line in lines {
            report::write_line(&line)?;
        }
    }
    Ok(())
}

fn summary(results: &[Result]) -> String {
    let expected: usize = results.iter().map(|result| result.played.verdicts.len()).sum();
    let missed: usize = results.iter().map(|result| result.played.missed().count()).sum();
    let with_misses = || results.iter().filter(|result| result.played.missed().next().is_some());
    let known = with_misses().filter(|result| result.played.known_miss.is_some()).count();
    format!(
        "scenes: {}, with misses: {} (known: {known}); expectations: {expected}, came true: {}, missed: {missed}",
        results.len(),
        with_misses().count(),
        expected - missed
    )
}

fn result_as_json(result: &Result) -> Value {
    let Result { file, text, played } = result;
    let verdicts = played.verdicts.iter();
    let verdicts: Vec<Value> = verdicts
        .map(|verdict| {
            json!({
                "line": verdict.at.map(|at| line_of(text, at).0),
                "expected": verdict.expected,
                "came_true": verdict.but.is_none(),
                "but": verdict.but,
            })
        })
        .collect();
    json!({
        "file": file.display().to_string(),
        "title": played.title,
        "known_miss": played.known_miss,
        "answers": played.answers,
        "events": played.events,
        "expectations": verdicts,
    })
}

fn cost_table(cost: &EveningCost) -> String {
    let widest = cost.rows.iter().map(|row| row.model.chars().count()).max().unwrap_or_default().max(5);
    let mut lines = vec![
        String::new(),
        format!(
            "{:widest$}  {:>9}  {:>7}  {:>10}  {:>10}",
            "model", "tokens in", "out", "these, $", "evening, $"
        ),
    ];
    for row in &cost.rows {
        let evening = row.evening_usd.map_or_else(|| "-".to_owned(), |usd| format!("{usd:.4}"));
        let (model, read, wrote) = (without_control(&row.model), row.prompt_tokens, row.completion_tokens);
        lines
            .push(format!("{model:widest$}  {read:>9}  {wrote:>7}  {:>10.4}  {evening:>10}", row.scenes_usd));
    }
    lines.push(String::new());
    lines.push(format!(
        "Assumed: an evening has {} answers like the {} of these scenes; nothing is read from a provider's cache; no model \
         thinks, writes memories or sums up; tokens of a model whose vocabulary is not public are estimated, with 15 % on top. \
         Prices are those that today's costs are counted with.",
        cost.evening, cost.answers
    ));
    lines.join("\n")
}
