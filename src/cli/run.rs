//! `familiar` and `familiar run`: the main job. `familiar chat`: only the terminal.

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use clap::Args;

use super::bundled;
use crate::app::{
    App, Calls, Duty, OsSignals, StartOptions, StartedIn, StopRequest, WithoutHistory, model_away,
    start_lines,
};
use crate::config::{ConfigError, Defaults, FamiliarHome, LiveConfig, Secrets};
use crate::discord;
use crate::domain::FamiliarId;
use crate::terminal::{self, CtrlC, Dress, Ended, Keyboard, Opening, OwnMemory, Screen, TerminalParts};
use crate::trace::logging::LogLines;
use crate::window::{self, Window};

/// Accounts that stand for a machine's job, not for whoever is talking.
const NO_PERSONS: [&str; 4] = ["root", "nobody", "familiar", "app"];

/// `familiar run`.
#[derive(Debug, Clone, PartialEq, Eq, Args, Default)]
pub(super) struct RunArgs {
    /// Which familiar (the name of its folder in data/familiars). Default: FAMILIAR_ID, else the only one there is
    #[arg(long, value_name = "ID")]
    pub familiar: Option<String>,
    /// What you are called in the terminal
    #[arg(long = "as", value_name = "NAME")]
    pub user_name: Option<String>,
    /// Go on with the notes alone where history.db is lost and there is no backup of it
    #[arg(long)]
    pub without_history: bool,
}

impl RunArgs {
    /// These, completed by what was said before the verb.
    pub(super) fn or(self, before: Self) -> Self {
        Self {
            familiar: self.familiar.or(before.familiar),
            user_name: self.user_name.or(before.user_name),
            without_history: self.without_history || before.without_history,
        }
    }
}

/// Where the person can talk with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Adapters {
    /// The terminal, and Discord when there is a token.
    All,
    Terminal,
}

/// Runs until asked to stop, or until the terminal's input ends and there is nothing else to serve.
///
/// # Errors
/// When the familiar cannot be brought up; the message says what to do.
pub(super) async fn run_familiar(
    args: &RunArgs,
    data_dir: &Path,
    secrets: &Secrets,
    adapters: Adapters,
    log: &LogLines,
) -> anyhow::Result<ExitCode> {
    let request = StopRequest::default();
    let ctrl_c = CtrlC::default();
    let at_keyboard = ctrl_c.clone();
    let signals =
        OsSignals::listen(request.clone(), move || at_keyboard.press()).context("listening for signals")?;
    let familiar = {
        let (args, data_dir, secrets) = (args.clone(), data_dir.to_owned(), secrets.clone());
        // Asking somebody blocks; the signals must be heard meanwhile.
        tokio::task::spawn_blocking(move || choose_familiar(&args, &data_dir, &secrets)).await??
    };
    let options = StartOptions {
        data_dir: data_dir.to_owned(),
        familiar,
        defaults_dir: defaults_dir(),
        duty: Duty::Serve,
        without_history: if args.without_history { WithoutHistory::GoOn } else { WithoutHistory::Stop },
    };
    let app = App::start(options, secrets).await?;

    let screen = Arc::new(screen(&app, args, secrets));
    let diverted = is_prompted().then(|| {
        let screen = Arc::clone(&screen);
        log.divert(move |line| screen.log(line))
    });
    for line in start_lines(&app.models.choice(), app.config.current().llm.base_url.as_deref(), secrets) {
        screen.note(&line);
    }
    let away = tokio::spawn({
        let (models, screen) = (Arc::clone(&app.models), Arc::clone(&screen));
        async move {
            if let Some(line) = model_away(&models).await {
                screen.note(&line);
            }
        }
    });
    let fetching = tokio::spawn(terminal::show_fetching(app.embeddings.changes(), Arc::clone(&screen)));
    let discord = match (adapters, &secrets.discord_token) {
        (Adapters::All, Some(token)) => {
            if let Some(application) = discord::application_of(token) {
                screen.note(&format!("Invite it to a server: {}", discord::invite_link(application)));
            }
            Some(start_discord(&app, token.clone(), secrets, Arc::clone(&screen), request.stop.clone()))
        }
        _ => None,
    };
    let window = match adapters {
        Adapters::All => {
            let started = StartedIn { data_dir: data_dir.to_owned(), defaults_dir: defaults_dir() };
            open_window(&app, args, secrets, started, &screen).await
        }
        Adapters::Terminal => None,
    };
    let is_service = discord.is_some() && !std::io::stdin().is_terminal();
    let opening = if is_service { Opening::Silence } else { Opening::Greeting };
    let conversed = terminal::converse(
        terminal_parts(&app, args, secrets, opening),
        Arc::clone(&screen),
        Keyboard::standard(&screen),
        &ctrl_c,
        request.stop.clone(),
    )
    .await;
    let mut code = ExitCode::SUCCESS;
    // A keyboard that breaks ends the program in order, like one that is at its end.
    let ended = conversed.unwrap_or_else(|error| {
        screen.note(&error.to_string());
        code = ExitCode::FAILURE;
        Ended::Stopped
    });
    if let Some(discord) = discord {
        // A service has no keyboard: its input is at its end from the start, and it serves Discord all the same.
        let serves_discord_alone = ended == Ended::InputClosed && !std::io::stdin().is_terminal();
        if !serves_discord_alone {
            request.stop.cancel();
        }
        let went_well = discord.await.unwrap_or_else(|error| {
            tracing::error!(%error, "the Discord task broke");
            false
        });
        if serves_discord_alone && !went_well {
            code = ExitCode::FAILURE;
        }
    }
    fetching.abort();
    away.abort();
    if is_prompted() {
        // Whoever left by the keyboard needs one Ctrl-C more to force it, not two.
        request.stop.cancel();
    }
    if let Some(window) = window {
        window.close().await;
    }
    app.stop(request.force.cancelled(), || screen.writes_memories()).await;
    drop((signals, diverted));
    Ok(code)
}

/// Whether Discord ended as it was asked to.
type DiscordTask = tokio::task::JoinHandle<bool>;

fn start_discord(
    app: &App,
    token: secrecy::SecretString,
    secrets: &Secrets,
    screen: Arc<Screen>,
    stop: tokio_util::sync::CancellationToken,
) -> DiscordTask {
    let deps = app.connect_discord(token, secrets, Arc::new(Calls::of(app, secrets)));
    tokio::spawn(async move {
        // Said when it happens: whoever talks in the terminal would otherwise wait for a bot that never comes online.
        let ended = discord::run_discord(deps, stop).await;
        if let Err(error) = &ended {
            screen.note(&error.to_string());
        }
        ended.is_ok()
    })
}

/// The window, and a line that says where it is. Its address signs in whoever has it, so that it is told only to somebody
/// who sits there: what is printed elsewhere is often kept.
async fn open_window(
    app: &App,
    args: &RunArgs,
    secrets: &Secrets,
    started: StartedIn,
    screen: &Screen,
) -> Option<Window> {
    match app.open_window(user_name(args, secrets), secrets, started).await {
        Ok(opened) => {
            let window = opened?;
            screen.note(&if is_prompted() {
                window::window_opened(&window.opening_address())
            } else {
                window::where_to_open(&window.address())
            });
            Some(window)
        }
        Err(error) => {
            screen.note(&window::not_open(&error.to_string()));
            None
        }
    }
}

fn terminal_parts(app: &App, args: &RunArgs, secrets: &Secrets, opening: Opening) -> TerminalParts {
    TerminalParts {
        session: app.session.clone(),
        history: Arc::clone(&app.history),
        traces: Arc::clone(&app.traces),
        character: Arc::clone(&app.character),
        home: app.config.home().clone(),
        memory: OwnMemory {
            memory: Arc::clone(&app.memory),
            eraser: Arc::clone(&app.eraser),
            pairing: Arc::clone(&app.pairing),
            config: Arc::clone(&app.config),
            clock: Arc::clone(&app.clock),
        },
        clock: Arc::clone(&app.clock),
        user_name: user_name(args, secrets),
        opening,
    }
}

/// The name given, else the account's with a capital letter; an account that names no person is not used.
fn user_name(args: &RunArgs, secrets: &Secrets) -> String {
    let account = secrets.user_name.as_deref().filter(|name| !NO_PERSONS.contains(name));
    args.user_name
        .clone()
        .or_else(|| account.map(capitalised))
        .filter(|name| !name.trim().is_empty())
        .unwrap_or_else(|| "Friend".to_owned())
}

fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn screen(app: &App, args: &RunArgs, secrets: &Secrets) -> Screen {
    let dress = match (is_prompted(), console::colors_enabled()) {
        (false, _) => Dress::Plain,
        (true, false) => Dress::Prompted,
        (true, true) => Dress::Coloured,
    };
    let name = app.character.current().spoken_name().to_owned();
    Screen::new(std::io::stdout(), dress, &name, &user_name(args, secrets)).with_columns(columns)
}

/// Whether somebody sits there, and sees what is asked.
fn is_prompted() -> bool {
    std::io::stdout().is_terminal() && std::io::stdin().is_terminal()
}

/// The terminal's width, as it is now.
fn columns() -> Option<usize> {
    console::Term::stdout().size_checked().map(|(_rows, columns)| usize::from(columns))
}

/// The familiar that was asked for; else the only one; else, on a first start, the bundled example.
fn choose_familiar(args: &RunArgs, data_dir: &Path, secrets: &Secrets) -> anyhow::Result<FamiliarId> {
    match find_target(args.familiar.as_deref(), data_dir, secrets)? {
        RunTarget::It(id) => Ok(id),
        RunTarget::Several(names) if std::io::stdin().is_terminal() && std::io::stderr().is_terminal() => {
            let chosen =
                inquire::Select::new("Who is it to be?", names).prompt().context("nobody was chosen")?;
            Ok(FamiliarId::new(chosen)?)
        }
        RunTarget::Several(names) => Err(several(&names)),
        RunTarget::None { wanted: None, .. } => install(bundled::first_example(), data_dir),
        RunTarget::None { wanted: Some(id), names } => match bundled::example(id.as_str()) {
            Some(example) => install(example, data_dir),
            None => Err(no_such(&id, &names, data_dir)),
        },
    }
}

/// The familiar that was asked for, else the only one.
///
/// # Errors
/// When there is none, or several and none was named; the message lists them.
pub(super) fn existing(
    named: Option<&str>,
    data_dir: &Path,
    secrets: &Secrets,
) -> anyhow::Result<FamiliarId> {
    match find_target(named, data_dir, secrets)? {
        RunTarget::It(id) => Ok(id),
        RunTarget::Several(names) => Err(several(&names)),
        RunTarget::None { wanted: Some(id), names } => Err(no_such(&id, &names, data_dir)),
        RunTarget::None { wanted: None, .. } => bail!(
            "there is no familiar in {} yet; make one with: familiar init <card>",
            data_dir.join("familiars").display()
        ),
    }
}

enum RunTarget {
    It(FamiliarId),
    Several(Vec<String>),
    None { wanted: Option<FamiliarId>, names: Vec<String> },
}

fn find_target(named: Option<&str>, data_dir: &Path, secrets: &Secrets) -> anyhow::Result<RunTarget> {
    let wanted = named.map(FamiliarId::new).transpose()?.or_else(|| secrets.familiar_id.clone());
    let here = crate::familiar::list_familiars(data_dir)?;
    let names = || here.iter().map(|known| known.id.to_string()).collect::<Vec<_>>();
    match (wanted, here.as_slice()) {
        (Some(id), _) if here.iter().any(|known| known.id == id) => Ok(RunTarget::It(id)),
        (None, [only]) => Ok(RunTarget::It(only.id.clone())),
        (None, [_, _, ..]) => Ok(RunTarget::Several(names())),
        (wanted, _) => Ok(RunTarget::None { wanted, names: names() }),
    }
}

fn several(names: &[String]) -> anyhow::Error {
    anyhow::anyhow!(
        "several familiars live here ({}): name one with --familiar or FAMILIAR_ID",
        names.join(", ")
    )
}

fn no_such(id: &FamiliarId, names: &[String], data_dir: &Path) -> anyhow::Error {
    let there =
        if names.is_empty() { "is none yet".to_owned() } else { format!("are: {}", names.join(", ")) };
    let folder = data_dir.join("familiars");
    anyhow::anyhow!(
        "there is no familiar {id} in {}; there {there}. Make one with: familiar init <card>",
        folder.display()
    )
}

fn install(example: bundled::Example, data_dir: &Path) -> anyhow::Result<FamiliarId> {
    let installed = example.install(data_dir)?;
    let mut err = std::io::stderr().lock();
    let home = FamiliarHome::new(data_dir, &installed.id);
    let folder = std::path::absolute(home.root()).unwrap_or_else(|_| home.root().to_owned());
    writeln!(err, "{}, a bundled example, moves into {}.", installed.name, folder.display())?;
    Ok(installed.id)
}

/// The settings of a familiar as `run` reads them.
///
/// # Errors
/// See [`LiveConfig::load`].
pub(super) fn settings_of(home: FamiliarHome) -> Result<Arc<LiveConfig>, ConfigError> {
    LiveConfig::load(home, defaults_dir().map_or_else(Defaults::embedded, Defaults::from_dir))
}

/// In a checkout, `familiars/_default` may be edited; elsewhere the built-in copy of it holds.
pub(super) fn defaults_dir() -> Option<PathBuf> {
    let dir = PathBuf::from("familiars/_default");
    dir.is_dir().then_some(dir)
}
