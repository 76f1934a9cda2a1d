//! Programs on this machine: espeak-ng, which needs no key, and whatever command is set (Piper, mimic, a script).

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::stream;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStderr, Command};
use tokio::task::JoinHandle;

use super::stream::{Flow, bounded_pieces};
use super::{count_phrase, ready};
use crate::voice::engines::cost::Meter;
use crate::voice::engines::service::Service;
use crate::voice::engines::{EngineError, Phrase, Speech, Synthesizer};

/// Sound is read in pieces of so many bytes.
const PIECE: usize = 8 * 1024;
/// Of what a program complains about, so many bytes are kept.
const COMPLAINT: u64 = 4096;
/// Where a command's arguments want the text; else it gets it on its standard input.
const TEXT: &str = "{text}";
/// How long a program that has closed its output may take to end.
const ENDS_WITHIN: Duration = Duration::from_secs(1);

/// A program that speaks.
#[derive(Debug)]
pub(crate) struct CommandVoice {
    pub service: Service,
    pub meter: Arc<Meter>,
    pub program: PathBuf,
    /// [`TEXT`] stands for the phrase.
    pub arguments: Vec<String>,
    /// For plain samples; a WAV says it itself.
    pub rate: u32,
    pub patience: Duration,
}

#[async_trait]
impl Synthesizer for CommandVoice {
    fn name(&self) -> &str {
        self.service.engine
    }

    fn costs(&self) -> bool {
        self.meter.costs()
    }

    fn patience(&self) -> Duration {
        self.patience
    }

    async fn warm_up(&self) {}

    async fn speak(&self, phrase: &Phrase) -> Result<Speech, EngineError> {
        let chars = ready(&self.service, &self.meter, phrase)?;
        // A phrase that begins like an option would be taken for one.
        let text = phrase.text.trim().trim_start_matches('-').trim_start();
        let takes_stdin = !self.arguments.iter().any(|argument| argument.contains(TEXT));
        let cannot = |said: &dyn std::fmt::Display| {
            self.service.unsupported(format!("{}: {said}", self.program.display()))
        };
        // Whoever stops listening lets go of the program, which ends it.
        let mut child = Command::new(&self.program)
            .args(self.arguments.iter().map(|argument| argument.replace(TEXT, text)))
            .stdin(if takes_stdin { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| cannot(&error))?;
        count_phrase(&self.meter, phrase, chars);
        if let Some(mut input) = child.stdin.take() {
            let line = format!("{text}\n");
            // A program that does not read says why by its exit code.
            tokio::spawn(async move { input.write_all(line.as_bytes()).await.ok() });
        }
        // A program that complains much would wait for a reader.
        let complaints = child.stderr.take().map(|pipe| tokio::spawn(first_complaint(pipe)));
        let output = child.stdout.take().ok_or_else(|| cannot(&"it has no output"))?;
        let service = self.service.clone();
        let pieces = stream::try_unfold(
            (output, child, complaints),
            move |(mut output, mut child, mut complaints)| {
                let service = service.clone();
                async move {
                    let mut piece = vec![0; PIECE];
                    // One that cannot be read from has ended, and says why by its exit code.
                    let read = output.read(&mut piece).await.unwrap_or_default();
                    piece.truncate(read);
                    if read == 0 {
                        ended(&mut child, complaints.take(), &service).await?;
                        return Ok(None);
                    }
                    Ok(Some((piece, (output, child, complaints))))
                }
            },
        );
        let pieces = bounded_pieces(&self.service, pieces, chars);
        Flow::new(self.service.clone(), pieces, self.rate, self.patience).begin().await
    }
}

/// The first of what a program complains about; the rest is read and forgotten.
async fn first_complaint(mut pipe: ChildStderr) -> Vec<u8> {
    let mut kept = Vec::new();
    // What came until then is more use than nothing.
    let _ = (&mut pipe).take(COMPLAINT).read_to_end(&mut kept).await;
    let _ = tokio::io::copy(&mut pipe, &mut tokio::io::sink()).await;
    kept
}

/// Waits for the program's end and reads its exit code.
async fn ended(
    child: &mut Child,
    complaints: Option<JoinHandle<Vec<u8>>>,
    service: &Service,
) -> Result<(), EngineError> {
    // One that goes on without a sound has said all it will say.
    let Ok(status) = tokio::time::timeout(ENDS_WITHIN, child.wait()).await else { return Ok(()) };
    let status = status.map_err(|error| service.unreachable(&error.to_string()))?;
    if status.success() {
        return Ok(());
    }
    let said = match complaints {
        Some(complaints) => complaints.await.unwrap_or_default(),
        None => Vec::new(),
    };
    let said = format!("{status} {}", String::from_utf8_lossy(&said));
    Err(service.unsupported(service.shown(&said)))
}

/// The words of a command line: spaces separate, quotes of both kinds keep together, a backslash takes the next
/// character as it is. No shell is involved.
///
/// # Errors
/// When a quote is not closed, or there is no word.
pub(crate) fn command_words(line: &str) -> Result<Vec<String>, &'static str> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            ('\\', None | Some('"')) => {
                let next = chars.next().ok_or("it ends in a backslash")?;
                word.get_or_insert_default().push(next);
            }
            (c, Some(_)) => word.get_or_insert_default().push(c),
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, None) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    if quote.is_some() {
        return Err("a quote is not closed");
    }
    if words.is_empty() { Err("it names no program") } else { Ok(words) }
}

/// The first of some programs that a search path holds.
pub(crate) fn installed(names: &[&str], search_path: Option<&str>) -> Option<PathBuf> {
    let folders: Vec<PathBuf> = std::env::split_paths(search_path?).collect();
    let file = |name: &str| if cfg!(windows) { format!("{name}.exe") } else { name.to_owned() };
    names.iter().find_map(|name| {
        folders.iter().map(|folder| folder.join(file(name))).find(|program| is_program(program))
    })
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}
