//! `familiar` and `familiar run`: the main job. `familiar chat`: only the terminal.

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use clap::Args;

use super::browser::{self, Start};
use super::bundled;
use super::guide::unless_broken_off;
use super::target::{RunTarget, defaults_dir, find_target, no_such, settings_of, several};
use crate::app::{
    App, Duty, SessionCalls, StartOptions, StopRequest, WithoutHistory, listen_for_signals, model_away,
    start_lines,
};
use crate::clock::SystemClock;
use crate::config::{FamiliarHome, OpenBrowser, Redactor, Secrets};
use crate::discord;
use crate::domain::FamiliarId;
use crate::familiar::LockError;
use crate::home::Commands;
use crate::llm::USUAL_PORTS;
use crate::terminal::{
    self, CtrlC, Dress, Ended, Keyboard, Opening, Screen, TerminalError, TerminalParts, Typed,
};
use crate::trace::logging::{DivertedLog, LogLines};
use crate::window::{self, Doorway, DoorwayParts, ExampleCard, SetupParts, Window};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

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

/// Where this program keeps keys: the folder that it is started in.
const ENV_DIR: &str = ".";

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
        listen_for_signals(request.clone(), move || at_keyboard.press()).context("listening for signals")?;
    let mut desk = Desk {
        args,
        data_dir,
        adapters,
        log,
        masks: secrets.redactor(),
        screen: Arc::new(screen(args, secrets)),
        keyboard: None,
        doorway: None,
        typed: None,
        has_shown: false,
        request,
        ctrl_c,
    };
    let mut secrets = secrets.clone();
    let code = loop {
        let Some(familiar) = desk.choose(&secrets).await? else { break ExitCode::SUCCESS };
        // Keys may have been entered while somebody was chosen, or while the last one lived here.
        secrets = Secrets::read(Path::new(ENV_DIR))?;
        match desk.serve(familiar, &secrets).await? {
            Round::Over(code) => break code,
            Round::Anew => {}
        }
    };
    drop(signals);
    desk.screen.lost().map_or(Ok(code), |error| Err(error).context("what was said cannot be printed"))
}

/// How it ended.
enum Round {
    Over(ExitCode),
    /// It is to come up anew.
    Anew,
}

/// What stays while the familiar is chosen, and while it comes up anew: whoever sits there, and the port of the window.
struct Desk<'a> {
    args: &'a RunArgs,
    data_dir: &'a Path,
    adapters: Adapters,
    log: &'a LogLines,
    /// Masks what is entered here in the log.
    masks: Redactor,
    screen: Arc<Screen>,
    /// Once somebody was asked for a line.
    keyboard: Option<Keyboard>,
    doorway: Option<Doorway>,
    /// What was said to whoever moves in.
    typed: Option<String>,
    /// Whether the window came up in a browser: whoever has it open is led on there.
    has_shown: bool,
    request: StopRequest,
    ctrl_c: CtrlC,
}

impl Desk<'_> {
    /// The familiar that was asked for; else the only one; else whoever is chosen on a first start. `None` where the
    /// program was asked to stop meanwhile.
    async fn choose(&mut self, secrets: &Secrets) -> anyhow::Result<Option<FamiliarId>> {
        let (args, data_dir, known) = (self.args.clone(), self.data_dir.to_owned(), secrets.clone());
        // Asking somebody blocks; the signals must be heard meanwhile.
        let chosen = tokio::task::spawn_blocking(move || choose_familiar(&args, &data_dir, &known)).await??;
        match chosen {
            Some(familiar) => Ok(Some(familiar)),
            None => match self.first_run(secrets).await? {
                FirstRun::Chosen(familiar) => Ok(Some(familiar)),
                FirstRun::Left => Ok(None),
                FirstRun::NotChosen => install(bundled::FIRST, self.data_dir).map(Some),
            },
        }
    }

    /// Somebody chooses who it is to be, in the window. An empty line at the keyboard leaves that to the program; so does
    /// whatever comes through a pipe, and its end.
    async fn first_run(&mut self, secrets: &Secrets) -> anyhow::Result<FirstRun> {
        if self.adapters == Adapters::Terminal {
            return Ok(FirstRun::NotChosen);
        }
        let first = bundled::FIRST;
        let home = FamiliarHome::new(self.data_dir, &FamiliarId::new(first.id)?);
        let settings = tokio::task::spawn_blocking(move || settings_of(home)).await??;
        let settings = settings.current().window.clone();
        if !settings.enabled {
            return Ok(FirstRun::NotChosen);
        }
        let _diverted = self.divert_log();
        let parts = self.setup_parts(example_cards()?);
        let ready = parts.ready.clone();
        let opened = async {
            let doorway = Doorway::open(DoorwayParts {
                settings: &settings,
                token: secrets.window_token.clone(),
                clock: Arc::new(SystemClock),
                address_file: first_window_file(self.data_dir),
            });
            Window::open_setup(parts, doorway.await?).await
        };
        let (window, setup) = match opened.await {
            Ok(opened) => opened,
            Err(error) => {
                self.screen.note(&window::not_open(&error.to_string()));
                return Ok(FirstRun::NotChosen);
            }
        };
        let where_it_is = self.leads_to(
            &window,
            settings.open_browser,
            start(true, secrets),
            &Commands::new(self.data_dir, None),
        );
        self.screen.note(&window::nobody_lives_here(&where_it_is, first.name));
        let answer = self.first_answer(&ready, first.name).await;
        self.doorway = Some(window.close().await);
        Ok(match (answer, setup.chosen()) {
            (FirstAnswer::Leaves, _) => FirstRun::Left,
            (FirstAnswer::GoesOn { typed }, chosen) => {
                self.typed = typed;
                chosen.map_or(FirstRun::NotChosen, FirstRun::Chosen)
            }
        })
    }

    /// Waits until it was said who it is to be: in the window, or here. `first` is who moves in otherwise.
    async fn first_answer(&mut self, ready: &CancellationToken, first: &str) -> FirstAnswer {
        let (screen, stop) = (Arc::clone(&self.screen), self.request.stop.clone());
        loop {
            let typed = tokio::select! {
                () = ready.cancelled() => return FirstAnswer::GoesOn { typed: None },
                () = stop.cancelled() => return FirstAnswer::Leaves,
                typed = self.keyboard().next(&screen) => typed.unwrap_or(Typed::Closed),
            };
            match first_answer_of(typed, screen.is_prompted()) {
                Some(answer) => return answer,
                None => screen.note(&window::enter_or_window(first)),
            }
        }
    }

    /// What setting up works with, and who can be chosen.
    fn setup_parts(&self, examples: Arc<[ExampleCard]>) -> SetupParts {
        SetupParts {
            data_dir: self.data_dir.to_owned(),
            defaults_dir: defaults_dir(),
            env_dir: PathBuf::from(ENV_DIR),
            examples,
            local_ports: USUAL_PORTS,
            redactor: self.masks.clone(),
            ready: CancellationToken::new(),
        }
    }

    /// The window, and a line that says where it is.
    async fn open_window(&mut self, app: &App, secrets: &Secrets, setup: SetupParts) -> Option<Window> {
        let (name, doorway) = (user_name(self.args, secrets), self.doorway.take());
        let assistants = super::mcp::assistants(app, secrets.mcp_token.as_ref());
        match app.open_window(name, secrets, setup, assistants, doorway, self.log.clone()).await {
            Ok(opened) => {
                let (window, wish) = (opened?, app.config.current().window.open_browser);
                let commands = Commands::of(app.config.home());
                let where_it_is = self.leads_to(&window, wish, start(false, secrets), &commands);
                self.screen.note(&where_it_is);
                Some(window)
            }
            Err(error) => {
                self.screen.note(&window::not_open(&error.to_string()));
                None
            }
        }
    }

    /// Brings the window up in a browser where that is wanted, and says where it is in any case.
    fn leads_to(&mut self, window: &Window, wish: OpenBrowser, start: Start, commands: &Commands) -> String {
        if self.has_shown || !browser::comes_up(wish, start) {
            return commands.in_text(&where_it_is(window));
        }
        self.has_shown = true;
        let address = window.opening_address();
        browser::show(address.clone());
        commands.in_text(&window::window_comes_up(&address))
    }

    /// Until it is dropped, who sits there is told what goes wrong in words, and no line of the log stands in what they type.
    fn divert_log(&self) -> Option<DivertedLog> {
        is_prompted().then(|| {
            let screen = Arc::clone(&self.screen);
            self.log.divert(move |shown| screen.shows(shown))
        })
    }

    fn keyboard(&mut self) -> &mut Keyboard {
        self.keyboard.get_or_insert_with(|| Keyboard::standard(&self.screen))
    }

    /// Brings a familiar up, and takes it down again.
    async fn serve(&mut self, familiar: FamiliarId, secrets: &Secrets) -> anyhow::Result<Round> {
        let (args, data_dir, screen) = (self.args, self.data_dir, Arc::clone(&self.screen));
        let home = FamiliarHome::new(data_dir, &familiar);
        let options = StartOptions {
            data_dir: data_dir.to_owned(),
            familiar,
            defaults_dir: defaults_dir(),
            duty: Duty::Serve,
            without_history: if args.without_history { WithoutHistory::GoOn } else { WithoutHistory::Stop },
        };
        // From here on: what goes wrong at the start is told whoever sits there like all else.
        let diverted = self.divert_log();
        let app = App::start(options, secrets, None).await.map_err(|error| beside_another(error, &home))?;
        screen.is_of(app.character.current().spoken_name());
        let told = tell_the_start(&app, secrets, &screen);
        let setup = self.setup_parts(Arc::default());
        let ready = setup.ready.clone();
        // Ends this round: with the program, or to come up anew.
        let stop = self.request.stop.child_token();
        let comes_anew = tokio::spawn({
            let (ready, stop) = (ready.clone(), stop.clone());
            async move {
                ready.cancelled().await;
                stop.cancel();
            }
        });
        let discord = match (self.adapters, &secrets.discord_token) {
            (Adapters::All, Some(token)) => {
                if let Some(application) = discord::application_of(token) {
                    screen.note(&format!("Invite it to a server: {}", discord::invite_link(application)));
                }
                Some(start_discord(&app, token.clone(), secrets, Arc::clone(&screen), stop.clone()))
            }
            _ => None,
        };
        let mut window = match self.adapters {
            Adapters::All => self.open_window(&app, secrets, setup).await,
            Adapters::Terminal => None,
        };
        let is_service = discord.is_some() && !std::io::stdin().is_terminal();
        let opening = if is_service { Opening::Silence } else { Opening::Greeting };
        let ctrl_c = self.ctrl_c.clone();
        let conversed = terminal::converse(
            terminal_parts(&app, args, secrets, opening, self.typed.take()),
            Arc::clone(&screen),
            self.keyboard(),
            &ctrl_c,
            stop.clone(),
        )
        .await;
        if ready.is_cancelled()
            && let Some(window) = window.take()
        {
            // Whoever wants it anew waits at the open port.
            self.doorway = Some(window.close().await);
        }
        let code = self.until_all_ended(conversed, discord, &stop).await;
        drop(told);
        comes_anew.abort();
        let is_over = !ready.is_cancelled() || self.request.stop.is_cancelled();
        if is_over && is_prompted() {
            // Whoever left by the keyboard needs one Ctrl-C more to force it, not two.
            self.request.stop.cancel();
        }
        if let Some(window) = window {
            self.doorway = Some(window.close().await);
        }
        if is_over {
            // Gives the terminal back, and closes the port.
            (self.keyboard, self.doorway) = (None, None);
        }
        app.stop(self.request.force.cancelled(), || screen.writes_memories()).await;
        drop(diverted);
        Ok(if is_over { Round::Over(code) } else { Round::Anew })
    }

    /// What was said at the keyboard is over; Discord is served on where nobody sits there.
    async fn until_all_ended(
        &self,
        conversed: Result<Ended, TerminalError>,
        discord: Option<DiscordTask>,
        stop: &CancellationToken,
    ) -> ExitCode {
        let mut code = ExitCode::SUCCESS;
        // A keyboard that breaks ends the program in order, like one that is at its end.
        let ended = conversed.unwrap_or_else(|error| {
            self.screen.note(&error.to_string());
            code = ExitCode::FAILURE;
            Ended::Stopped
        });
        let Some(discord) = discord else { return code };
        // A service has no keyboard: its input is at its end from the start, and it serves Discord all the same.
        let serves_discord_alone = ended == Ended::InputClosed && !std::io::stdin().is_terminal();
        if !serves_discord_alone {
            stop.cancel();
        }
        let went_well = discord.await.unwrap_or_else(|error| {
            tracing::error!(%error, "the Discord task broke");
            false
        });
        if serves_discord_alone && !went_well { ExitCode::FAILURE } else { code }
    }
}

/// A second start where the familiar runs already: whoever wanted to talk with it can do so in its window, where it has one.
fn beside_another(error: anyhow::Error, home: &FamiliarHome) -> anyhow::Error {
    match error.downcast_ref() {
        Some(LockError::Held { .. }) if home.window_file().exists() => {
            let told = format!("{error}, or talk with it in its window: familiar window");
            anyhow::anyhow!(Commands::of(home).in_text(&told))
        }
        _ => error,
    }
}

/// Who comes with the program, packed as cards.
fn example_cards() -> anyhow::Result<Arc<[ExampleCard]>> {
    let card = |example: &bundled::Example| -> anyhow::Result<ExampleCard> {
        let id = FamiliarId::new(example.id)?;
        Ok(ExampleCard { id, name: example.name.to_owned(), file: example.card()? })
    };
    bundled::EXAMPLES.iter().map(card).collect()
}

/// The lines of a start, and those that come a little later, until dropped.
fn tell_the_start(app: &App, secrets: &Secrets, screen: &Arc<Screen>) -> [AbortOnDropHandle<()>; 2] {
    for line in start_lines(&app.models.choice(), app.config.current().llm.base_url.as_deref(), secrets) {
        screen.note(&line);
    }
    let away = tokio::spawn({
        let (models, screen) = (Arc::clone(&app.models), Arc::clone(screen));
        async move {
            if let Some(line) = model_away(&models).await {
                screen.note(&line);
            }
        }
    });
    let fetching = tokio::spawn(terminal::show_fetching(app.embeddings.changes(), Arc::clone(screen)));
    [away, fetching].map(AbortOnDropHandle::new)
}

/// What was said where nobody lives yet.
#[derive(Debug, PartialEq, Eq)]
enum FirstAnswer {
    /// Somebody moves in, and is told what a pipe began with.
    GoesOn {
        typed: Option<String>,
    },
    Leaves,
}

/// `None` where somebody who sits there said nothing that answers it: they do not talk with anybody yet, so that their
/// words are nobody's. Through a pipe everything is meant for whoever moves in, and a service has no input at all.
fn first_answer_of(typed: Typed, is_prompted: bool) -> Option<FirstAnswer> {
    match typed {
        Typed::CtrlC => Some(FirstAnswer::Leaves),
        Typed::Closed if is_prompted => Some(FirstAnswer::Leaves),
        Typed::Line(line) if terminal::is_goodbye(&line) => Some(FirstAnswer::Leaves),
        Typed::Line(line) if line.trim().is_empty() => Some(FirstAnswer::GoesOn { typed: None }),
        Typed::Line(_) | Typed::TooLong | Typed::Dropped if is_prompted => None,
        Typed::Line(line) => Some(FirstAnswer::GoesOn { typed: Some(line) }),
        Typed::TooLong | Typed::Dropped | Typed::Closed => Some(FirstAnswer::GoesOn { typed: None }),
    }
}

/// What came of a first run.
enum FirstRun {
    Chosen(FamiliarId),
    /// It is left to the program.
    NotChosen,
    /// Whoever sat there wanted no more of it.
    Left,
}

/// Holds the address of the window while nobody lives here.
pub(super) fn first_window_file(data_dir: &Path) -> PathBuf {
    data_dir.join(".window")
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
    let deps = app.connect_discord(token, secrets, Arc::new(SessionCalls::of(app)));
    tokio::spawn(async move {
        // Said when it happens: whoever talks in the terminal would otherwise wait for a bot that never comes online.
        let ended = discord::run_discord(deps, stop).await;
        if let Err(error) = &ended {
            screen.note(&error.to_string());
        }
        ended.is_ok()
    })
}

fn start(is_first_run: bool, secrets: &Secrets) -> Start {
    Start { is_first_run, is_prompted: is_prompted(), has_desktop: secrets.has_desktop }
}

/// Its address signs in whoever has it, so that it is told only to somebody who sits there: what is printed elsewhere is
/// often kept.
fn where_it_is(window: &Window) -> String {
    if is_prompted() {
        window::window_opened(&window.opening_address())
    } else {
        window::where_to_open(&window.address())
    }
}

fn terminal_parts(
    app: &App,
    args: &RunArgs,
    secrets: &Secrets,
    opening: Opening,
    typed: Option<String>,
) -> TerminalParts {
    TerminalParts {
        session: app.session.clone(),
        history: Arc::clone(&app.history),
        traces: Arc::clone(&app.traces),
        character: Arc::clone(&app.character),
        memory: Arc::clone(&app.memory),
        eraser: Arc::clone(&app.eraser),
        pairing: Arc::clone(&app.pairing),
        config: Arc::clone(&app.config),
        clock: Arc::clone(&app.clock),
        user_name: user_name(args, secrets),
        opening,
        typed,
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

fn screen(args: &RunArgs, secrets: &Secrets) -> Screen {
    let dress = match (is_prompted(), console::colors_enabled()) {
        (false, _) => Dress::Plain,
        (true, false) => Dress::Prompted,
        (true, true) => Dress::Coloured,
    };
    Screen::new(std::io::stdout(), dress, "familiar", &user_name(args, secrets))
        .with_columns(columns)
        .of_nobody()
}

/// Whether somebody sits there, and sees what is asked.
fn is_prompted() -> bool {
    std::io::stdout().is_terminal() && std::io::stdin().is_terminal()
}

/// The terminal's width, as it is now.
fn columns() -> Option<usize> {
    console::Term::stdout().size_checked().map(|(_rows, columns)| usize::from(columns))
}

/// Beneath the names of those who live here.
const CHOOSING: &str = "↑↓ and enter, or type; to add one: familiar init <card>";

/// The familiar that was asked for, where it comes with the program also if it is not here yet; else the only one.
/// Nobody where none was named and there is none yet.
fn choose_familiar(args: &RunArgs, data_dir: &Path, secrets: &Secrets) -> anyhow::Result<Option<FamiliarId>> {
    let id = match find_target(args.familiar.as_deref(), data_dir, secrets)? {
        RunTarget::It(id) => Ok(id),
        RunTarget::Several(names) if std::io::stdin().is_terminal() && std::io::stderr().is_terminal() => {
            let help = Commands::new(data_dir, None).in_text(CHOOSING);
            let chosen = inquire::Select::new("Who is it to be?", names).with_help_message(&help).prompt();
            let chosen = unless_broken_off(chosen)?.context("nobody was chosen")?;
            Ok(FamiliarId::new(chosen)?)
        }
        RunTarget::Several(names) => Err(several(&names)),
        RunTarget::None { wanted: None, .. } => return Ok(None),
        RunTarget::None { wanted: Some(id), names } => match bundled::example(id.as_str()) {
            Some(example) => install(example, data_dir),
            None => Err(no_such(&id, &names, data_dir)),
        },
    };
    id.map(Some)
}

fn install(example: bundled::Example, data_dir: &Path) -> anyhow::Result<FamiliarId> {
    let installed = example.moves_in(data_dir)?;
    let mut err = std::io::stderr().lock();
    let home = FamiliarHome::new(data_dir, &installed.id);
    let folder = std::path::absolute(home.root()).unwrap_or_else(|_| home.root().to_owned());
    writeln!(err, "{}, a bundled example, moves into {}.", installed.name, folder.display())?;
    Ok(installed.id)
}
