//! PDF files, each read in a process of its own: a file that is made to loop, to fill the memory or to break the reader ends that
//! process and nothing else.
//!
//! The process is this program with a verb that nobody types. It gets the file on its standard input and nothing else of ours: no
//! environment, no key. On Unix it lets the system bound its memory and its time on the processor before it reads a byte; its
//! deadline is held here, on every system.

use std::io::Read as _;
use std::path::PathBuf;
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use lopdf::Document;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;
use tokio::time::timeout;

use super::{FILE_BYTES, Unreadable};

/// The verb of the process.
pub(crate) const VERB: &str = "read-pdf";

/// So far in front of a file its mark stands, as readers of PDF allow.
const MARK_WITHIN: usize = 1024;

/// The process may take so long in all.
const READ_WITHIN: Duration = Duration::from_secs(10);

/// So much address space, and so many seconds of the processor, the system gives it.
#[cfg(unix)]
const MEMORY: u64 = 1024 * 1024 * 1024;
#[cfg(unix)]
const PROCESSOR_SECONDS: u64 = 10;

/// What one page may be unpacked to, in bytes.
const PAGE_BYTES: usize = 16 * 1024 * 1024;

/// Pages that are read, and bytes of text that are taken in all.
const PAGES: usize = 3_000;
const TEXT_BYTES: u64 = 4 * 1024 * 1024;

/// Exit codes that say why.
const LOCKED: u8 = 3;
const BROKEN: u8 = 4;

/// Whether a file says that it is one.
pub(super) fn is_pdf(body: &[u8]) -> bool {
    body[..body.len().min(MARK_WITHIN)].windows(5).any(|bytes| bytes == b"%PDF-")
}

#[derive(Debug)]
pub(super) struct PdfReader {
    pub(super) program: Option<PathBuf>,
}

impl PdfReader {
    /// The text of all its pages.
    pub(super) async fn read(&self, body: Vec<u8>) -> Result<String, Unreadable> {
        let read = timeout(READ_WITHIN, self.read_apart(body)).await;
        // Dropped at its deadline, the process is killed.
        let text = read.map_err(|_| Unreadable::Broken)??;
        if text.trim().is_empty() { Err(Unreadable::Scanned) } else { Ok(text) }
    }

    async fn read_apart(&self, body: Vec<u8>) -> Result<String, Unreadable> {
        let program = self.program.as_ref().ok_or(Unreadable::Broken)?;
        let broken = |error: std::io::Error| {
            tracing::debug!(%error, "a PDF file could not be read");
            Unreadable::Broken
        };
        let mut starting = Command::new(program);
        starting.arg(VERB).env_clear().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = starting.kill_on_drop(true).spawn().map_err(broken)?;
        let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Unreadable::Broken);
        };
        // One that does not read to the end says why by its exit code.
        let write = async move {
            let _unread = input.write_all(&body).await;
        };
        let mut text = Vec::new();
        let mut output = output.take(TEXT_BYTES);
        let ((), read) = tokio::join!(write, output.read_to_end(&mut text));
        read.map_err(broken)?;
        drop(output);
        match child.wait().await.map_err(broken)?.code().and_then(|code| u8::try_from(code).ok()) {
            Some(0) => Ok(String::from_utf8_lossy(&text).into_owned()),
            Some(LOCKED) => Err(Unreadable::Locked),
            _ => Err(Unreadable::Broken),
        }
    }
}

/// What the process does: a PDF file on its standard input becomes text on its standard output, page by page.
pub fn read_pdf_here() -> ExitCode {
    bound();
    let mut body = Vec::new();
    if std::io::stdin().lock().take(FILE_BYTES + 1).read_to_end(&mut body).is_err() {
        return ExitCode::from(BROKEN);
    }
    match write_text_of(&body, &mut std::io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(code) => ExitCode::from(code),
    }
}

/// Has the system hold this process to its bounds.
#[cfg(unix)]
fn bound() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    for (resource, most) in [(Resource::As, MEMORY), (Resource::Cpu, PROCESSOR_SECONDS), (Resource::Core, 0)]
    {
        // Where a system has no such bound its deadline still holds.
        let _unbounded = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
    }
}

#[cfg(not(unix))]
fn bound() {}

/// Writes the text of each page that has any.
fn write_text_of(body: &[u8], out: &mut impl std::io::Write) -> Result<(), u8> {
    let document = Document::load_mem(body).map_err(|_| BROKEN)?;
    if document.is_encrypted() {
        return Err(LOCKED);
    }
    let mut left = TEXT_BYTES;
    for (page, _) in document.get_pages().into_iter().take(PAGES) {
        // A page that cannot be read is one of many.
        let Ok(text) = document.extract_text_with_limit(&[page], PAGE_BYTES) else { continue };
        let text = text.trim();
        if text.is_empty() {
            continue;
        }
        left = left.saturating_sub(text.len() as u64 + 2);
        // Nobody reads on: then there is nothing left to do.
        if writeln!(out, "{text}\n").is_err() || left == 0 {
            return Ok(());
        }
    }
    out.flush().map_err(|_| BROKEN)
}

#[cfg(test)]
pub(super) mod tests {
    use lopdf::content::{Content, Operation};
    use lopdf::{Object, Stream, dictionary};

    use super::*;

    /// A PDF file with a page for each text.
    pub(crate) fn pdf_of(pages: &[&str]) -> Vec<u8> {
        let mut document = Document::with_version("1.5");
        let parent = document.new_object_id();
        let font = document.add_object(dictionary! {
            "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Courier", "Encoding" => "WinAnsiEncoding",
        });
        let resources = document.add_object(dictionary! { "Font" => dictionary! { "F1" => font } });
        let mut kids: Vec<Object> = Vec::new();
        for text in pages {
            let mut operations =
                vec![Operation::new("BT", vec![]), Operation::new("Tf", vec!["F1".into(), 12.into()])];
            operations.push(Operation::new("Tj", vec![Object::string_literal(*text)]));
            operations.push(Operation::new("ET", vec![]));
            let content = Content { operations }.encode().unwrap();
            let content = document.add_object(Stream::new(dictionary! {}, content));
            let page = document.add_object(dictionary! {
                "Type" => "Page", "Parent" => parent, "Contents" => content, "Resources" => resources,
            });
            kids.push(page.into());
        }
        let count = i64::try_from(kids.len()).unwrap();
        document.objects.insert(
            parent,
            Object::Dictionary(dictionary! {
                "Type" => "Pages", "Kids" => kids, "Count" => count,
                "MediaBox" => vec![0.into(), 0.into(), 595.into(), 842.into()],
            }),
        );
        let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => parent });
        document.trailer.set("Root", catalog);
        let mut bytes = Vec::new();
        document.save_to(&mut bytes).unwrap();
        bytes
    }

    fn read(body: &[u8]) -> Result<String, u8> {
        let mut out = Vec::new();
        write_text_of(body, &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn a_pdf_is_read_page_by_page() {
        let text = read(&pdf_of(&["Grappling costs two actions.", "", "The bell rings twice."])).unwrap();
        let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(lines, ["Grappling costs two actions.", "The bell rings twice."]);
    }

    #[test]
    fn what_is_no_pdf_or_half_of_one_is_broken_or_says_nothing() {
        let whole = pdf_of(&["words"]);
        for body in [&b"%PDF-1.7\nnonsense"[..], b"", &whole[..whole.len() / 2]] {
            assert!(read(body).map_or_else(|code| code == BROKEN, |text| text.trim().is_empty()));
        }
    }
}
