//! A program that speaks MCP on its standard input and output: how it is started, what it may know, how it ends.

use std::io;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use secrecy::{ExposeSecret as _, SecretString};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio_util::task::AbortOnDropHandle;

use super::frames::{Frames, Trouble, complaints};
use super::{END_WITHIN, McpTrouble};
use crate::config::{McpServer, Redactor, Secrets};
use crate::text::unicode::visible;

/// What a program needs to run at all, and no more: none of it is a secret.
const ALWAYS: &[&str] = if cfg!(windows) {
    &["PATH", "SYSTEMROOT", "SYSTEMDRIVE", "TEMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PATHEXT"]
} else {
    &["PATH", "HOME", "LANG"]
};

/// How long one that was no MCP server may take to say why.
const LAST_WORDS_WITHIN: Duration = Duration::from_millis(500);

/// A program that runs. Dropped, it is ended at once with all that it started.
#[derive(Debug)]
pub(super) struct Program {
    child: Child,
    /// Its process group, which is what it and all it starts belong to.
    #[cfg(unix)]
    group: Option<rustix::process::Pid>,
    last_complaint: Arc<Mutex<Option<String>>>,
    complaints: Option<AbortOnDropHandle<()>>,
}

/// Where to read from a program and where to write to it.
pub(super) type Pipes = (Frames<ChildStdout>, ChildStdin);

impl Program {
    /// Starts it with an environment of its own.
    ///
    /// # Errors
    /// When there is no such program or it cannot be started.
    pub(super) fn start(
        name: &str,
        command: &str,
        settings: &McpServer,
        secrets: &Secrets,
        trouble: Trouble,
    ) -> Result<(Self, Pipes), McpTrouble> {
        let known = ALWAYS.iter().filter_map(|name| Some((*name, secrets.variable(name)?)));
        let named: Vec<(&str, SecretString)> =
            settings.env.iter().filter_map(|name| Some((name.as_str(), secrets.variable(name)?))).collect();
        let mut starting = Command::new(command);
        starting.args(&settings.args).env_clear();
        starting.envs(known.chain(named.iter().cloned()).map(|(name, value)| {
            let value = value.expose_secret().to_owned();
            (name.to_owned(), value)
        }));
        starting.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        // A group of its own: Ctrl-C in our terminal is ours to pass on, and what it starts can be ended with it.
        #[cfg(unix)]
        starting.process_group(0);
        let mut child = starting.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => McpTrouble::NotFound { command: command.to_owned() },
            _ => McpTrouble::NotStarted { command: command.to_owned(), error },
        })?;
        #[cfg(unix)]
        let group = child.id().and_then(|id| rustix::process::Pid::from_raw(id.try_into().ok()?));
        let no_pipe = || McpTrouble::NotStarted {
            command: command.to_owned(),
            error: io::Error::other("it has no pipes"),
        };
        let (output, input) =
            (child.stdout.take().ok_or_else(no_pipe)?, child.stdin.take().ok_or_else(no_pipe)?);
        let last_complaint = Arc::new(Mutex::new(None));
        let redactor = Redactor::new(named.into_iter().map(|(_, value)| value.expose_secret().to_owned()));
        let own = secrets.redactor();
        let complaints = child.stderr.take().map(|pipe| {
            let (server, last) = (name.to_owned(), Arc::clone(&last_complaint));
            AbortOnDropHandle::new(tokio::spawn(complaints(pipe, move |line| {
                let line = own.redact(&redactor.redact(&visible(line))).into_owned();
                if !line.trim().is_empty() {
                    tracing::debug!(server, "{line}");
                    *last.lock() = Some(line);
                }
            })))
        });
        let program = Self {
            child,
            #[cfg(unix)]
            group,
            last_complaint,
            complaints,
        };
        Ok((program, (Frames::new(output, trouble), input)))
    }

    /// What it complained of last.
    pub(super) fn last_complaint(&self) -> Option<String> {
        self.last_complaint.lock().clone()
    }

    /// What it complained of, once it has had a moment to end.
    pub(super) async fn last_words(mut self) -> Option<String> {
        let _ended_or_late = tokio::time::timeout(LAST_WORDS_WITHIN, self.child.wait()).await;
        if let Some(complaints) = self.complaints.take() {
            let _read_or_late = tokio::time::timeout(LAST_WORDS_WITHIN, complaints).await;
        }
        self.last_complaint()
    }

    /// Waits until it has ended by itself, as long as it may take, and ends it otherwise. Its input is closed by then.
    pub(super) async fn end(mut self) {
        let _ended_or_late = tokio::time::timeout(END_WITHIN, self.child.wait()).await;
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Also where the program itself has ended: what it started may not have.
        #[cfg(unix)]
        if let Some(group) = self.group {
            // There may be nobody left.
            let _gone = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}
