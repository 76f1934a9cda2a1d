//! The program as a process: how long until it can be talked with, and how much memory it holds when it has answered once
//! and is at rest. Runs the real binary in a folder of its own, through its standard input and output, as `familiar chat`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod corpus;
mod notes;
mod parts;
mod table;

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use familiar_connect::cli::bundled;
use familiar_connect::config::FamiliarHome;
use parts::{is_measuring, is_wanted};
use table::{Table, micros, percentile};

const BINARY: &str = env!("CARGO_BIN_EXE_familiar");

/// A line that does not come within this never will.
const PATIENCE: Duration = Duration::from_secs(60);

/// A program that hardly worked for so long is at rest.
const REST: Duration = Duration::from_secs(3);

/// What the program must not see of whoever runs the bench: a real key would be used.
const ENVIRONMENT: [&str; 7] = [
    "DISCORD_TOKEN",
    "OPENROUTER_API_KEY",
    "OPENAI_API_KEY",
    "FAMILIAR_ID",
    "FAMILIAR_DATA",
    "FAMILIAR_LLM_BASE_URL",
    "FAMILIAR_DISCORD_API_BASE",
];

fn main() {
    if !is_wanted(&["process"]) {
        return;
    }
    let (runs, stored) =
        if is_measuring() { (5, vec![(1_000, 100), (100_000, 10_000)]) } else { (1, vec![(160, 30)]) };
    let million = std::env::var_os("FAMILIAR_BENCH_MILLION").map(|_| (1_000_000, 10_000));

    let mut table = Table::new(
        "The process, medians (slowest)",
        &["", "ready", "first reply", "end", "RSS", "of it anonymous", "peak RSS", "threads"],
    );
    let installed = |turns: u64, notes: u64| {
        let data = tempfile::tempdir().unwrap();
        let id = bundled::FIRST.install(data.path()).unwrap().id;
        let home = FamiliarHome::new(data.path(), &id);
        if turns > 0 {
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
            runtime.block_on(corpus::put_history(turns, &home));
            notes::put(notes, &home);
        }
        data
    };

    let mut first = Vec::new();
    for _ in 0..runs {
        let data = tempfile::tempdir().unwrap();
        first.push(run(data.path(), None));
    }
    table.row(&summary("empty data folder, the example moves in", &first));
    let data = installed(0, 0);
    let server = AnswersAtOnce::start();
    let rehearsing: Vec<Run> = (0..runs).map(|_| run(data.path(), None)).collect();
    table.row(&summary("installed familiar, no model", &rehearsing));
    for (turns, notes) in stored.into_iter().chain(million) {
        let data = installed(turns, notes);
        // Its indices are made behind the scenes.
        let name = format!("the same, {turns} turns and {notes} notes");
        table.row(&summary(&format!("{name}, first start"), &[run(data.path(), None)]));
        let later: Vec<Run> = (0..runs).map(|_| run(data.path(), None)).collect();
        table.row(&summary(&name, &later));
    }
    let data = installed(0, 0);
    let home = FamiliarHome::new(data.path(), &bundled::FIRST.id.parse().unwrap());
    let served: Vec<Run> = (0..runs).map(|_| run(data.path(), Some(&server.base_url))).collect();
    table.row(&summary("a server's model, tokens estimated", &served));
    fs::write(home.character_toml(), "[llm.main_prose]\nmodel = \"gpt-4o\"\n").unwrap();
    let exact: Vec<Run> = (0..runs).map(|_| run(data.path(), Some(&server.base_url))).collect();
    table.row(&summary("a server's model, o200k loaded", &exact));
    table.note(format!("model of the runs without a server: {}", first[0].model));
    table.note(format!("the binary: {}", mebibytes(fs::metadata(BINARY).unwrap().len() / 1024)));
    table.publish();
}

/// One run of the program, from its start to its end.
struct Run {
    model: String,
    ready: Duration,
    replied: Duration,
    ended: Duration,
    memory: Option<Memory>,
}

/// From `/proc/<pid>/status`, in KiB.
struct Memory {
    rss: u64,
    anonymous: u64,
    peak: u64,
    threads: u64,
}

fn run(data: &Path, base_url: Option<&str>) -> Run {
    let mut command = Command::new(BINARY);
    command.current_dir(data).args(["--data-dir", ".", "chat"]).env("NO_COLOR", "1");
    for name in ENVIRONMENT {
        command.env_remove(name);
    }
    command.env("FAMILIAR_MODEL_HUB", "off");
    command.envs(base_url.map(|url| ("FAMILIAR_LLM_BASE_URL", url)));
    let started = Instant::now();
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let lines = lines(&mut child);
    let mut input = child.stdin.take().unwrap();

    let (model, _) = wait_for(&lines, "Model: ");
    let (_, ready) = wait_for(&lines, "You are talking with ");
    // The answer to a command comes when the greeting, which only a first conversation has, is over.
    say(&mut input, "/where");
    wait_for(&lines, "Everything it is ");
    let said = Instant::now();
    say(&mut input, "Good evening. Is the light on?");
    let (_, replied) = wait_for(&lines, "Pell: ");
    at_rest(child.id(), &lines);
    let memory = memory(child.id());
    let leaving = Instant::now();
    say(&mut input, "/quit");
    assert!(child.wait().unwrap().success());
    Run { model, ready: ready - started, replied: replied - said, ended: leaving.elapsed(), memory }
}

/// Lines as they come, each with its moment.
fn lines(child: &mut Child) -> Receiver<(String, Instant)> {
    let output = BufReader::new(child.stdout.take().unwrap());
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in output.lines() {
            let Ok(line) = line else { return };
            if sender.send((line, Instant::now())).is_err() {
                return;
            }
        }
    });
    receiver
}

fn wait_for(lines: &Receiver<(String, Instant)>, beginning: &str) -> (String, Instant) {
    loop {
        let (line, at) =
            lines.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no line begins {beginning:?}"));
        if line.starts_with(beginning) {
            return (line, at);
        }
    }
}

fn say(input: &mut ChildStdin, line: &str) {
    writeln!(input, "{line}").unwrap();
    input.flush().unwrap();
}

/// Waits until it does nothing behind the scenes any more.
fn at_rest(pid: u32, lines: &Receiver<(String, Instant)>) {
    let worked = || {
        let status = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let (_, fields) = status.rsplit_once(") ")?;
        let ticks = fields.split(' ').skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok());
        Some(ticks.sum::<u64>())
    };
    let mut before = worked();
    loop {
        // Nothing is asked of it, so nothing comes.
        let _ = lines.recv_timeout(REST);
        let now = worked();
        if now.zip(before).is_none_or(|(now, before)| now - before <= 2) {
            return;
        }
        before = now;
    }
}

/// `None` where there is no `/proc`.
fn memory(pid: u32) -> Option<Memory> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let figure = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim_start_matches(':').split_whitespace().next()?.parse().ok()
    };
    Some(Memory {
        rss: figure("VmRSS")?,
        anonymous: figure("RssAnon")?,
        peak: figure("VmHWM")?,
        threads: figure("Threads")?,
    })
}

fn summary(name: &str, runs: &[Run]) -> Vec<String> {
    let time = |of: fn(&Run) -> Duration| {
        let mut took: Vec<Duration> = runs.iter().map(of).collect();
        let median = percentile(&mut took, 50);
        format!("{} ({})", micros(median), micros(percentile(&mut took, 100)))
    };
    let size = |of: fn(&Memory) -> u64| {
        let mut held: Vec<u64> = runs.iter().filter_map(|run| run.memory.as_ref()).map(of).collect();
        held.sort_unstable();
        held.get(held.len() / 2).copied()
    };
    let shown = |kibibytes: Option<u64>| kibibytes.map_or_else(|| "?".to_owned(), mebibytes);
    vec![
        name.to_owned(),
        time(|run| run.ready),
        time(|run| run.replied),
        time(|run| run.ended),
        shown(size(|memory| memory.rss)),
        shown(size(|memory| memory.anonymous)),
        shown(size(|memory| memory.peak)),
        size(|memory| memory.threads).map_or_else(|| "?".to_owned(), |threads| threads.to_string()),
    ]
}

fn mebibytes(kibibytes: u64) -> String {
    format!("{}.{} MiB", kibibytes / 1024, kibibytes % 1024 * 10 / 1024)
}

/// A model server that gives every request the same short answer.
struct AnswersAtOnce {
    base_url: String,
}

impl AnswersAtOnce {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                thread::spawn(move || answer(connection));
            }
        });
        Self { base_url }
    }
}

/// Answers until the other side hangs up.
fn answer(connection: TcpStream) -> Option<()> {
    let mut requests = BufReader::new(connection.try_clone().ok()?);
    let mut answers = connection;
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if requests.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let line = line.trim().to_ascii_lowercase();
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
            if line.is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        requests.read_exact(&mut body).ok()?;
        // A request without a body asks for the list of models.
        let json = if length == 0 {
            r#"{"object":"list","data":[]}"#.to_owned()
        } else {
            r#"{"id":"1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"stop",
                "message":{"role":"assistant","content":"It is on."}}]}"#
                .to_owned()
        };
        // In one piece: several small ones would wait for the other side's acknowledgement.
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ";
        answers.write_all(format!("{head}{}\r\n\r\n{json}", json.len()).as_bytes()).ok()?;
    }
}
