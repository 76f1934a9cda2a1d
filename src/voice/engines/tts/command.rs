//! Programs on this machine: espeak-ng, which needs no key, and whatever command is set (Piper, mimic, a script).

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use futures::stream;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::super::cost::Meter;
use super::super::http::Service;
use super::super::{EngineError, Phrase, Speech, Synthesizer, SynthesizerAbilities};
use super::stream::{Flow, WavOrPlain, count, ready};

/// Sound is read in pieces of so many bytes.
const PIECE: usize = 8 * 1024;
/// Of what a program complains about, so many bytes are kept.
const COMPLAINT: u64 = 4096;
/// Pieces that may wait.
const PIECES: usize = 64;
/// Where a command's arguments want the text; else it gets it on its standard input.
pub(in super::super) const TEXT: &str = "{text}";
/// How often a program that has closed its output is looked at, until it has ended.
const LOOK: Duration = Duration::from_millis(5);
/// How long it may take to end then.
const LOOKS: u32 = 200;

/// A program that speaks.
#[derive(Debug)]
pub(in super::super) struct CommandVoice {
    pub(in super::super) service: Service,
    pub(in super::super) meter: Arc<Meter>,
    pub(in super::super) program: PathBuf,
    /// [`TEXT`] stands for the phrase.
    pub(in super::super) arguments: Vec<String>,
    /// For plain samples; a WAV says it itself.
    pub(in super::super) rate: u32,
    pub(in super::super) patience: Duration,
}

#[async_trait]
impl Synthesizer for CommandVoice {
    fn name(&self) -> &str {
        self.service.engine
    }

    fn abilities(&self) -> SynthesizerAbilities {
        SynthesizerAbilities { word_times: false, streaming: true, directions: false }
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
        let text = phrase.text.trim().trim_start_matches('-').trim_start().to_owned();
        let (mut command, takes_stdin) = self.command(&text);
        let service = self.service.clone();
        let begun = tokio::task::spawn_blocking(move || command.spawn().map(Begun::new));
        let child = begun.await.map_err(|_| self.cannot("it could not be started"))?;
        let Some(mut child) = child.map_err(|error| self.cannot(&error.to_string()))?.taken() else {
            return Err(self.cannot("it could not be started"));
        };
        count(&self.meter, phrase, chars);

        let (input, output, complaints) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let child = Arc::new(Mutex::new(child));
        let token = CancellationToken::new();
        // Whoever asked may be gone before the first sound.
        let wanted = token.clone().drop_guard();
        // Ends the program when nobody listens, and with it the two threads below.
        let (running, stop) = (Running(Arc::clone(&child)), token.clone());
        tokio::spawn(async move {
            stop.cancelled().await;
            drop(running);
        });
        let (to, mut pieces) = mpsc::channel(PIECES);
        let watched = Arc::clone(&child);
        let spoken = service.clone();
        tokio::task::spawn_blocking(move || {
            // A program that prints much would wait for a reader.
            let complaints = complaints.map(|pipe| std::thread::spawn(move || beginning(pipe)));
            if let Some(mut input) = input.filter(|_| takes_stdin) {
                // A program that does not read says why by its exit code.
                let _ = input.write_all(text.as_bytes()).and_then(|()| input.write_all(b"\n"));
            }
            if let Some(mut output) = output {
                let mut piece = vec![0; PIECE];
                while let Ok(read) = output.read(&mut piece) {
                    if read == 0 || to.blocking_send(Ok(piece[..read].to_vec())).is_err() {
                        break;
                    }
                }
            }
            let said = complaints.and_then(|complaints| complaints.join().ok()).unwrap_or_default();
            if let Err(error) = ended(&watched, &said, &spoken) {
                // Nobody may be left to be told.
                let _ = to.blocking_send(Err(error));
            }
        });
        let flow = Flow {
            reading: Box::new(WavOrPlain::new(service.engine, self.rate)),
            service,
            chars,
            pieces: Box::pin(stream::poll_fn(move |context| pieces.poll_recv(context))),
            patience: self.patience,
            token: token.clone(),
        };
        let speech = flow.begin().await?;
        wanted.disarm();
        Ok(speech)
    }
}

impl CommandVoice {
    fn cannot(&self, said: &str) -> EngineError {
        let said = format!("{}: {said}", self.program.display());
        EngineError::Unsupported { engine: self.service.engine, said }
    }

    fn command(&self, text: &str) -> (Command, bool) {
        let mut command = Command::new(&self.program);
        let mut takes_stdin = true;
        for argument in &self.arguments {
            takes_stdin &= !argument.contains(TEXT);
            command.arg(argument.replace(TEXT, text));
        }
        command.stdin(if takes_stdin { Stdio::piped() } else { Stdio::null() });
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        (command, takes_stdin)
    }
}

/// A program that was just begun. Whoever asked may be gone by then: nobody takes it, and it is ended.
#[derive(Debug)]
struct Begun(Option<Child>);

impl Begun {
    fn new(child: Child) -> Self {
        Self(Some(child))
    }

    fn taken(mut self) -> Option<Child> {
        self.0.take()
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            // It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A program that ends with this, at the latest when nothing runs any more: whoever reads what it says would wait for it.
#[derive(Debug)]
struct Running(Arc<Mutex<Child>>);

impl Drop for Running {
    fn drop(&mut self) {
        end(&self.0);
    }
}

fn end(child: &Mutex<Child>) {
    let mut child = child.lock().unwrap_or_else(PoisonError::into_inner);
    // It may have ended by itself.
    let _ = child.kill();
    let _ = child.try_wait();
}

/// The first of what a program complains about; the rest is read and forgotten.
fn beginning(mut pipe: std::process::ChildStderr) -> Vec<u8> {
    let mut kept = Vec::new();
    // What came until then is more use than nothing.
    let _ = pipe.by_ref().take(COMPLAINT).read_to_end(&mut kept);
    let _ = std::io::copy(&mut pipe, &mut std::io::sink());
    kept
}

/// Waits for the program's end and reads its exit code, without ever holding it back from being ended.
fn ended(child: &Mutex<Child>, said: &[u8], service: &Service) -> Result<(), EngineError> {
    for _ in 0..LOOKS {
        let status = child.lock().unwrap_or_else(PoisonError::into_inner).try_wait();
        match status {
            Ok(None) => std::thread::sleep(LOOK),
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => {
                let said = service.shown(&format!("{status} {}", String::from_utf8_lossy(said)));
                return Err(EngineError::Unsupported { engine: service.engine, said });
            }
            Err(error) => return Err(service.unreachable(&error.to_string())),
        }
    }
    end(child);
    Ok(())
}

/// The words of a command line: spaces separate, quotes of both kinds keep together, a backslash takes the next
/// character as it is. No shell is involved.
///
/// # Errors
/// When a quote is not closed, or there is no word.
pub(in super::super) fn words(line: &str) -> Result<Vec<String>, &'static str> {
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
pub(in super::super) fn installed(names: &[&str], search_path: Option<&str>) -> Option<PathBuf> {
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
