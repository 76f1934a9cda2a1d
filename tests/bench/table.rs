//! Measured figures for people: printed, and written into the page that tells them.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread::available_parallelism;
use std::time::Duration;

/// From the repository's folder. Its tables stand between `<!-- measured: TITLE -->` and `<!-- end -->`; with `WRITE_FIGURES`
/// they are replaced.
const PAGE: &str = "docs/reference/performance.md";

/// A table on standard output.
pub struct Table {
    title: String,
    rows: Vec<Vec<String>>,
    notes: Vec<String>,
}

impl Table {
    pub fn new(title: &str, columns: &[&str]) -> Self {
        let heading = columns.iter().map(|column| (*column).to_owned()).collect();
        Self { title: title.to_owned(), rows: vec![heading], notes: Vec::new() }
    }

    pub fn row(&mut self, cells: &[String]) {
        self.rows.push(cells.to_vec());
    }

    pub fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    pub fn print(&self) {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            self.rows
                .iter()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
        };
        println!("\n{}", self.title);
        for row in &self.rows {
            let mut line = String::new();
            for (column, cell) in row.iter().enumerate().take(columns) {
                let gap = width(column) - cell.chars().count();
                match column {
                    0 => line.push_str(&format!("  {cell}{}", " ".repeat(gap))),
                    _ => line.push_str(&format!("  {}{cell}", " ".repeat(gap))),
                }
            }
            println!("{line}");
        }
        for note in &self.notes {
            println!("  {note}");
        }
    }

    /// Prints it, and writes it down where that is wanted: for a table that has a place on the page.
    pub fn publish(&self) {
        self.print();
        if std::env::var_os("WRITE_FIGURES").is_some() {
            self.write_down();
        }
    }

    fn write_down(&self) {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
        let page = fs::read_to_string(&file).unwrap();
        let begin = format!("<!-- measured: {} -->\n", self.title);
        let (before, rest) = page
            .split_once(&begin)
            .unwrap_or_else(|| panic!("{PAGE} has no place for this table: no {begin}"));
        let (_, after) = rest.split_once("<!-- end -->").unwrap();
        let mut rows: Vec<String> =
            self.rows.iter().map(|row| format!("| {} |\n", row.join(" | "))).collect();
        rows.insert(1, format!("|{}\n", "---|".repeat(self.rows[0].len())));
        let table = rows.concat();
        fs::write(file, format!("{before}{begin}{}\n\n{table}<!-- end -->{after}", provenance())).unwrap();
    }
}

/// Of what program, when, and on what; a program that no commit has whole is "changed". The page itself does not count: the
/// tables before this one are written into it.
fn provenance() -> String {
    let asked = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let others = format!(":(top,exclude){PAGE}");
    let is_changed = !asked("git", &["status", "--porcelain", "--", &others]).is_empty();
    let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpus.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    format!(
        "*Version {}, commit {}{}, {}; {} cores of {}.*",
        env!("CARGO_PKG_VERSION"),
        asked("git", &["rev-parse", "--short=8", "HEAD"]),
        if is_changed { ", changed" } else { "" },
        asked("date", &["-u", "+%F"]),
        available_parallelism().map_or(0, usize::from),
        model.map_or("an unnamed processor", |(_, model)| model),
    )
}

/// The smallest value that `percent` of all do not exceed.
pub fn percentile(took: &mut [Duration], percent: usize) -> Duration {
    took.sort_unstable();
    let rank = (took.len() * percent).div_ceil(100).clamp(1, took.len());
    took[rank - 1]
}

/// In microseconds below ten milliseconds, in milliseconds above.
pub fn micros(duration: Duration) -> String {
    if duration < Duration::from_millis(10) {
        format!("{} us", duration.as_micros())
    } else {
        format!("{} ms", duration.as_millis())
    }
}
