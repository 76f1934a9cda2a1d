//! Measured figures for people.

use std::time::Duration;

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
