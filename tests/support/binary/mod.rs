//! The composed binary as its users have it: a process with arguments, an environment, a keyboard and a screen.
//!
//! ```ignore
//! let home = Machine::new();
//! home.run(&["init", "card.json"]).await.assert_success();
//! let mut familiar = home.start(&["chat"], &[]).await;
//! familiar.types("hello");
//! familiar.shows("Evening").await;
//! familiar.leaves().await;
//! ```

#[cfg(unix)]
mod seat;

use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::watch;

use super::provider::ProviderWorld;
use super::stage::folder::tempdir;

#[cfg(unix)]
pub use seat::{Seat, Shown};

/// Only ever used up by a failing test.
const PATIENCE: Duration = Duration::from_secs(60);

/// A folder to work in and nothing else: no variables, no settings of whoever runs the tests.
pub struct Machine {
    folder: TempDir,
}

impl Machine {
    pub fn new() -> Self {
        Self { folder: tempdir() }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn data(&self) -> PathBuf {
        self.path().join("data")
    }

    /// Runs to the end.
    pub async fn run(&self, args: &[&str]) -> Finished {
        runs_to_its_end(self.command(args, &[])).await
    }

    /// Runs to the end, and what it prints goes elsewhere.
    #[cfg(target_os = "linux")]
    pub async fn prints_to(&self, args: &[&str], out: impl Into<Stdio>) -> Finished {
        let mut command = self.command(args, &[]);
        command.stdin(Stdio::null()).stdout(out);
        runs_to_its_end(command).await
    }

    /// Starts and leaves running, killed when dropped.
    pub fn start(&self, args: &[&str], env: &[(&str, &str)]) -> Running {
        let mut child = self.command(args, env).spawn().unwrap();
        let keyboard = child.stdin.take();
        let screen = watch_lines(child.stdout.take().unwrap());
        let log = watch_lines(child.stderr.take().unwrap());
        Running { child, keyboard, screen, log }
    }

    /// The same where models are asked of this provider, with a key.
    pub fn start_with(&self, args: &[&str], provider: &ProviderWorld) -> Running {
        let base = provider.base_url();
        self.start(
            args,
            &[("FAMILIAR_LLM_BASE_URL", &base), ("OPENROUTER_API_KEY", "sk-test-only-0123456789")],
        )
    }

    fn command(&self, args: &[&str], env: &[(&str, &str)]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_familiar"));
        command
            .args(args)
            .env_clear()
            .env("FAMILIAR_MODEL_HUB", "off")
            // No browser of whoever runs the tests comes up.
            .env("CI", "true")
            .env("TZ", "UTC")
            .envs(env.iter().copied())
            .current_dir(self.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }
}

async fn runs_to_its_end(mut command: Command) -> Finished {
    let ended = command.spawn().unwrap().wait_with_output();
    let output = tokio::time::timeout(PATIENCE, ended).await.unwrap().unwrap();
    Finished {
        status: output.status,
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn watch_lines(mut from: impl tokio::io::AsyncRead + Unpin + Send + 'static) -> watch::Receiver<String> {
    let (tell, screen) = watch::channel(String::new());
    tokio::spawn(async move {
        let mut from = BufReader::new(&mut from);
        while let Ok(bytes) = from.fill_buf().await {
            if bytes.is_empty() {
                break;
            }
            let (text, seen) = (String::from_utf8_lossy(bytes).into_owned(), bytes.len());
            from.consume(seen);
            tell.send_modify(|screen| screen.push_str(&text));
        }
        // Whatever stands between the last look and the end.
        let mut rest = String::new();
        let _ended = from.read_to_string(&mut rest).await;
        tell.send_modify(|screen| screen.push_str(&rest));
    });
    screen
}

/// A process that has ended.
pub struct Finished {
    pub status: ExitStatus,
    pub out: String,
    pub err: String,
}

impl Finished {
    #[track_caller]
    pub fn assert_success(self) -> Self {
        assert!(self.status.success(), "{}\n{}\n{}", self.status, self.out, self.err);
        self
    }
}

/// A process that runs.
pub struct Running {
    child: Child,
    keyboard: Option<ChildStdin>,
    screen: watch::Receiver<String>,
    log: watch::Receiver<String>,
}

impl Running {
    pub async fn types(&mut self, line: &str) {
        let keyboard = self.keyboard.as_mut().unwrap();
        keyboard.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        keyboard.flush().await.unwrap();
    }

    /// A line is typed, and the screen shows this of it.
    pub async fn answers(&mut self, line: &str, text: &str) {
        self.types(line).await;
        self.shows(text).await;
    }

    /// Ends the input, as Ctrl-D does.
    pub fn hangs_up(&mut self) {
        self.keyboard = None;
    }

    /// Waits until the screen shows this.
    pub async fn shows(&mut self, text: &str) {
        wait_for(&mut self.screen, text, "screen").await;
    }

    /// Waits until the log says this.
    pub async fn logs(&mut self, text: &str) {
        wait_for(&mut self.log, text, "log").await;
    }

    pub fn screen(&self) -> String {
        self.screen.borrow().clone()
    }

    pub fn log(&self) -> String {
        self.log.borrow().clone()
    }

    /// SIGTERM, as a service stops.
    pub fn is_asked_to_stop(&self) {
        let id = self.child.id().expect("still running").to_string();
        let killed = std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap();
        assert!(killed.success());
    }

    /// SIGKILL, after so long at most: nothing of it runs any more then.
    pub async fn is_killed_within(&mut self, at_most: Duration) {
        let _still_runs = tokio::time::timeout(at_most, self.child.wait()).await;
        let _has_ended = self.child.kill().await;
    }

    /// Leaves by Ctrl-D.
    pub async fn leaves(&mut self) {
        self.hangs_up();
        self.ends_well().await;
    }

    /// Leaves by its command.
    pub async fn quits(&mut self) {
        self.types("/quit").await;
        self.ends_well().await;
    }

    /// Stops as a service does.
    pub async fn is_stopped(&mut self) {
        self.is_asked_to_stop();
        self.ends_well().await;
    }

    /// Waits for an end in order.
    pub async fn ends_well(&mut self) {
        assert!(self.ends().await.success(), "{}", self.log());
    }

    pub async fn ends(&mut self) -> ExitStatus {
        let status = tokio::time::timeout(PATIENCE, self.child.wait()).await.expect("still running").unwrap();
        // Whoever reads its last words may come behind.
        for shown in [&mut self.log, &mut self.screen] {
            let is_read = async { while shown.changed().await.is_ok() {} };
            tokio::time::timeout(PATIENCE, is_read).await.expect("its words go on after its end");
        }
        status
    }
}

async fn wait_for(seen: &mut watch::Receiver<String>, text: &str, what: &str) {
    let waited = tokio::time::timeout(PATIENCE, seen.wait_for(|now| now.contains(text)));
    let found = matches!(waited.await, Ok(Ok(_)));
    assert!(found, "the {what} does not show {text:?}, but:\n{}", seen.borrow().as_str());
}
