//! Somebody in front of a terminal: the composed binary behind a pty, and what the terminal shows after all that was
//! written to it.

use std::num::NonZeroU16;
use std::os::fd::AsFd as _;
use std::process::ExitStatus;
use std::sync::Arc;

use pty_process::{OwnedWritePty, Pty, Size};
use rustix::termios::{LocalModes, tcgetattr};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Child;
use tokio::sync::watch;

use super::{Machine, PATIENCE};

const ROWS: u16 = 50;

/// What the terminal shows.
#[derive(Debug, Clone, Default)]
pub struct Shown {
    /// Every row, without the blanks behind it.
    pub rows: Vec<String>,
    /// All that was written to it.
    pub written: String,
    cursor: (usize, usize),
}

impl Shown {
    fn of(terminal: &vt100::Parser, written: String, columns: u16) -> Self {
        let screen = terminal.screen();
        let rows = screen.rows(0, columns).map(|row| row.trim_end().to_owned()).collect();
        let (row, column) = screen.cursor_position();
        Self { rows, written, cursor: (usize::from(row), usize::from(column)) }
    }

    pub fn text(&self) -> String {
        self.rows.join("\n").trim_end().to_owned()
    }

    /// The row in which is typed, up to the cursor.
    pub fn typing(&self) -> String {
        let row = self.rows.get(self.cursor.0).cloned().unwrap_or_default();
        format!("{row:<width$}", width = self.cursor.1).chars().take(self.cursor.1).collect()
    }

    /// The last lines that begin with this, up to the next empty one.
    pub fn last_from(&self, beginning: &str) -> Vec<String> {
        let from = self.rows.iter().rposition(|row| row.starts_with(beginning)).unwrap_or(self.rows.len());
        self.rows[from..].iter().take_while(|row| !row.is_empty()).cloned().collect()
    }
}

/// A process that runs in a terminal.
pub struct Seat {
    child: Child,
    keyboard: OwnedWritePty,
    screen: watch::Receiver<Shown>,
    /// Keeps the terminal's settings after the process.
    terminal: Arc<std::os::fd::OwnedFd>,
}

impl Machine {
    /// Starts in a terminal of so many columns, killed when dropped.
    pub fn sits_down(&self, args: &[&str], env: &[(&str, &str)], columns: u16) -> Seat {
        let (pty, pts) = pty_process::open().unwrap();
        pty.resize(Size::new(ROWS, columns)).unwrap();
        let terminal = Arc::new(pty.as_fd().try_clone_to_owned().unwrap());
        let child = pty_process::Command::new(env!("CARGO_BIN_EXE_familiar"))
            .args(args)
            .env_clear()
            .env("FAMILIAR_MODEL_HUB", "off")
            // No browser of whoever runs the tests comes up.
            .env("CI", "true")
            .env("TZ", "UTC")
            .env("TERM", "xterm-256color")
            .envs(env.iter().copied())
            .current_dir(self.path())
            .kill_on_drop(true)
            .spawn(pts)
            .unwrap();
        let (screen, keyboard) = watch_screen(pty, columns);
        Seat { child, keyboard, screen, terminal }
    }
}

fn watch_screen(pty: Pty, columns: u16) -> (watch::Receiver<Shown>, OwnedWritePty) {
    let (mut from, keyboard) = pty.into_split();
    let (tell, screen) = watch::channel(Shown::default());
    tokio::spawn(async move {
        let size = |of| NonZeroU16::new(of).unwrap();
        let mut terminal = vt100::Parser::new(size(ROWS), size(columns), 0);
        let (mut written, mut bytes) = (Vec::new(), [0; 4096]);
        // Its end is an error where the process is gone.
        while let Ok(read @ 1..) = from.read(&mut bytes).await {
            terminal.process(&bytes[..read]);
            written.extend_from_slice(&bytes[..read]);
            let written = String::from_utf8_lossy(&written).into_owned();
            tell.send_replace(Shown::of(&terminal, written, columns));
        }
    });
    (screen, keyboard)
}

impl Seat {
    /// Presses these keys: `\r` is Enter, `\u{3}` Ctrl-C, `\u{4}` Ctrl-D.
    pub async fn presses(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).await.unwrap();
    }

    /// Presses keys, and waits for what comes of them.
    pub async fn gets(&mut self, keys: &str, text: &str) -> Shown {
        self.presses(keys).await;
        self.shows(text).await
    }

    /// Waits until the terminal shows this, and gives what it shows then.
    pub async fn shows(&mut self, text: &str) -> Shown {
        self.shows_that(text, |shown| shown.text().contains(text)).await
    }

    /// Waits until the cursor stands behind exactly this.
    pub async fn is_typing(&mut self, line: &str) -> Shown {
        self.shows_that(line, |shown| shown.typing() == line).await
    }

    pub async fn shows_that(&mut self, what: &str, is_so: impl Fn(&Shown) -> bool) -> Shown {
        let waited = tokio::time::timeout(PATIENCE, self.screen.wait_for(|shown| is_so(shown))).await;
        let found = waited.ok().and_then(Result::ok).map(|shown| shown.clone());
        found.unwrap_or_else(|| panic!("not shown: {what:?}, but:\n{}", self.screen.borrow().text()))
    }

    /// Waits until it has ended of its own accord.
    pub async fn ends(&mut self) -> ExitStatus {
        tokio::time::timeout(PATIENCE, self.child.wait()).await.expect("still running").unwrap()
    }

    /// Whether what is typed is shown, as in any shell.
    pub fn echoes(&self) -> bool {
        let modes = tcgetattr(&*self.terminal).unwrap().local_modes;
        modes.contains(LocalModes::ECHO | LocalModes::ICANON)
    }
}
